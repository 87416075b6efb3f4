/* Tests of YAML as a tree: accepted and refused documents, positions, values and their faults, and
 * failing allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "config/yaml/yaml.h"
#include "support/fail_alloc.h"
#include "support/yaml_refusals.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static fail_alloc memory;
static rc_yaml doc;
static rc_config_faults faults;

static rc_status parse_bytes(rc_str text)
{
    rc_alloc alloc = fail_alloc_of(&memory);
    rc_config_faults_init(&faults);
    return rc_yaml_parse(&doc, text, &alloc, &faults);
}

static rc_status parse(const char *text)
{
    return parse_bytes(rc_str_c(text));
}

static void done(void)
{
    rc_yaml_done(&doc);
    assert_int_equal(memory.live, 0);
}

static const rc_yaml_node *get(const char *key)
{
    const rc_yaml_node *node = rc_yaml_get(doc.root, rc_str_c(key));
    assert_non_null(node);
    return node;
}

static void expect_text(const rc_yaml_node *node, const char *text)
{
    assert_int_equal(node->kind, RC_YAML_SCALAR);
    assert_string_equal(node->text.ptr, text);
    assert_int_equal(node->text.len, strlen(text));
}

static void expect_position(const rc_yaml_node *node, unsigned line, unsigned column)
{
    assert_int_equal(node->line, line);
    assert_int_equal(node->column, column);
}

static void expect_fault(size_t index, unsigned line, unsigned column, const char *path,
                         const char *part)
{
    assert_true(index < rc_config_faults_listed(&faults));
    const rc_config_fault *fault = &faults.list[index];
    if (fault->line != line || fault->column != column || strcmp(fault->path, path) != 0 ||
        strstr(fault->message, part) == NULL)
        fail_msg("%u:%u: %s: %s", fault->line, fault->column, fault->path, fault->message);
}

/* ---- tree ---- */

static void a_tree_knows_kinds_order_and_positions(void **state)
{
    (void)state;
    assert_int_equal(parse("# a comment\n"
                           "name: \"7\"\n"
                           "list: [a, 'b c', ~]\n"
                           "map:\n"
                           "  \xC3\xA4: 1\n"
                           "  empty:\n"),
                     RC_OK);
    assert_int_equal(doc.root->kind, RC_YAML_MAP);
    assert_int_equal(doc.root->count, 3);
    expect_text(get("name"), "7");
    assert_true(get("name")->is_quoted);
    expect_position(get("name"), 2, 7);
    assert_int_equal(get("name")->key_line, 2);
    assert_int_equal(get("name")->key_column, 1);

    const rc_yaml_node *item = get("list")->first;
    expect_text(item, "a");
    assert_false(item->is_quoted);
    item = item->next;
    expect_text(item, "b c");
    expect_position(item, 3, 11);
    assert_int_equal(item->index, 1);
    assert_ptr_equal(item->parent, get("list"));
    assert_int_equal(item->next->kind, RC_YAML_NULL);
    assert_null(item->next->next);

    /* Columns are counted in characters: the letter before has two bytes. */
    const rc_yaml_node *map = get("map");
    expect_position(map->first, 5, 6);
    assert_int_equal(rc_yaml_get(map, RC_STR("empty"))->kind, RC_YAML_NULL);
    assert_null(rc_yaml_get(map, RC_STR("nothing")));
    assert_null(rc_yaml_get(map->first, RC_STR("nothing")));
    assert_null(rc_yaml_get(NULL, RC_STR("nothing")));
    done();
}

static void an_empty_text_is_a_document(void **state)
{
    (void)state;
    static const char *const texts[] = {"", "# only a comment\n", "---\n", "~\n", "null"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        assert_int_equal(parse(texts[i]), RC_OK);
        assert_int_equal(doc.root->kind, RC_YAML_NULL);
        done();
    }
    /* the contents of an empty buffer: a NULL pointer */
    assert_int_equal(parse_bytes(rc_str_make(NULL, 0)), RC_OK);
    assert_int_equal(doc.root->kind, RC_YAML_NULL);
    done();
}

static void paths_start_at_the_top_of_the_document(void **state)
{
    (void)state;
    assert_int_equal(parse("routes:\n"
                           "  - {}\n"
                           "  - {}\n"
                           "  - chain: [{tries: x}]\n"
                           "\"a.b\": {c: x}\n"),
                     RC_OK);
    const rc_yaml_node *route = get("routes")->first->next->next;
    const rc_yaml_node *tries = rc_yaml_get(route, RC_STR("chain"))->first->first;
    rc_yaml_fault(&faults, tries);
    rc_yaml_fault_at_key(&faults, tries);
    rc_yaml_fault(&faults, get("a.b")->first);
    rc_yaml_fault_at_key(&faults, doc.root);
    expect_fault(0, 4, 21, "routes[2].chain[0].tries", "");
    expect_fault(1, 4, 14, "routes[2].chain[0].tries", "");
    expect_fault(2, 5, 12, "[\"a.b\"].c", "");
    expect_fault(3, 1, 1, "", "");
    done();
}

/* ---- refused documents ---- */

static const refusal refusals[] = {
    {"a: &x 1\n", RC_E_SYNTAX, 1, 4, "anchors"},
    {"a: 1\nb: *x\n", RC_E_SYNTAX, 2, 4, "aliases"},
    {"*x : 1\n", RC_E_SYNTAX, 1, 1, "aliases"},
    {"a: !!str 1\n", RC_E_SYNTAX, 1, 4, "tags"},
    {"a: !x [1]\n", RC_E_SYNTAX, 1, 4, "tags"},
    {"a: &y {b: 1}\n", RC_E_SYNTAX, 1, 4, "anchors"},
    {"a: 1\n---\nb: 1\n", RC_E_SYNTAX, 2, 1, "second document"},
    {"a: 1\nb: 2\n\"a\": 3\n", RC_E_DUPLICATE, 3, 1, "the first is at 1:1"},
    {"a:\n\tb: 1\n", RC_E_SYNTAX, 2, 1, "a tab is not allowed as indentation"},
    {"a: b: c\n", RC_E_SYNTAX, 1, 5, "colon is not allowed"},
    {"a: [1,\n  2\nb: 1\n", RC_E_SYNTAX, 3, 2, "began in line 1"},
    {"a: \"x\nb: 1\n", RC_E_SYNTAX, 3, 1, "within quotes; it began in line 1"},
    {"a: 1\n  b: 2\n", RC_E_SYNTAX, 2, 4, "colon is not allowed"},
    {"a:\n  b: 1\n c: 2\n", RC_E_SYNTAX, 3, 2, "check the indentation"},
    {"[a]: 1\n", RC_E_SYNTAX, 1, 1, "a key must be text"},
    {"? {a: 1}\n: 1\n", RC_E_SYNTAX, 1, 3, "a key must be text"},
    {": 1\n", RC_E_SYNTAX, 1, 1, "a key is expected"},
    {"~: 1\n", RC_E_SYNTAX, 1, 1, "a key is missing"},
    {"a: \"\\0\"\n", RC_E_SYNTAX, 1, 4, "NUL"},
    {"a: 1\nb: \xFF\n", RC_E_SYNTAX, 2, 4, "not UTF-8"},
    {"a: \x01\n", RC_E_SYNTAX, 1, 4, "control character"},
    {"a: \"\\q\"\n", RC_E_SYNTAX, 1, 5, "escape"},
};

static void unsupported_yaml_is_refused_with_its_position(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        refusal_expect(&refusals[i], parse(refusals[i].text), &faults);
        done();
    }
}

static void reading_continues_after_a_fault(void **state)
{
    (void)state;
    assert_int_equal(parse("a: {b: 1, b: 2}\nc: &x 1\nd: *x\na: 1\n"), RC_E_DUPLICATE);
    assert_int_equal(faults.count, 4);
    expect_fault(0, 1, 11, "a.b", "appears twice");
    expect_fault(1, 2, 4, "", "anchors");
    expect_fault(2, 3, 4, "", "aliases");
    expect_fault(3, 4, 1, "a", "appears twice");
    done();
}

static char large[RC_YAML_MAX_BYTES + 2];

static rc_str repeat(const char *part, size_t times, const char *end)
{
    size_t len = strlen(part);
    for (size_t i = 0; i < times; i++)
        memcpy(large + i * len, part, len);
    memcpy(large + times * len, end, strlen(end) + 1);
    return rc_str_make(large, times * len + strlen(end));
}

static void ceilings_hold(void **state)
{
    (void)state;
    assert_int_equal(parse_bytes(repeat("[", RC_YAML_MAX_DEPTH, "")), RC_E_SYNTAX);
    done();
    assert_int_equal(parse_bytes(repeat("[", RC_YAML_MAX_DEPTH + 1, "")), RC_E_TOO_DEEP);
    expect_fault(0, 1, RC_YAML_MAX_DEPTH + 1, "", "32 levels");
    done();
    assert_int_equal(parse_bytes(repeat("#\n", RC_YAML_MAX_BYTES / 2, "")), RC_OK);
    done();
    assert_int_equal(parse_bytes(repeat("#\n", RC_YAML_MAX_BYTES / 2, "#")), RC_E_TOO_LARGE);
    expect_fault(0, 0, 0, "", "1 MiB");
    done();
    assert_int_equal(parse_bytes(repeat("- 1\n", RC_YAML_MAX_NODES - 1, "")), RC_OK);
    done();
    assert_int_equal(parse_bytes(repeat("- 1\n", RC_YAML_MAX_NODES, "")), RC_E_TOO_LARGE);
    expect_fault(0, RC_YAML_MAX_NODES, 3, "", "100000 values");
    done();
}

static void the_number_of_keys_is_limited(void **state)
{
    (void)state;
    size_t used = 0;
    for (int i = 0; i <= RC_YAML_MAX_KEYS; i++)
        used += (size_t)snprintf(large + used, sizeof(large) - used, "k%d: 1\n", i);
    assert_int_equal(parse_bytes(rc_str_make(large, used)), RC_E_TOO_LARGE);
    expect_fault(0, RC_YAML_MAX_KEYS + 1, 1, "", "1024 keys");
    done();
}

/* ---- values ---- */

static void well_formed_values_are_read(void **state)
{
    (void)state;
    assert_int_equal(parse("t: true\nf: false\nn: 1_000\nz: -5\nd: 0.25\ne: 3\nw: 1.5s\nm: 250\n"
                           "c: full\nmax: 18446744073709551614\n"),
                     RC_OK);
    bool flag = false;
    uint64_t number = 0;
    int64_t whole = 0;
    double real = 0;
    size_t index = 9;
    rc_str text;
    assert_true(rc_yaml_bool(get("t"), &faults, &flag) && flag);
    assert_true(rc_yaml_bool(get("f"), &faults, &flag) && !flag);
    assert_true(rc_yaml_u64(get("n"), 0, 1000, &faults, &number) && number == 1000);
    assert_true(rc_yaml_i64(get("z"), -5, 5, &faults, &whole) && whole == -5);
    assert_true(rc_yaml_decimal(get("d"), 3, 0, 1000, &faults, &number) && number == 250);
    assert_true(rc_yaml_decimal(get("e"), 3, 0, 3000, &faults, &number) && number == 3000);
    assert_true(rc_yaml_double(get("d"), 0, 1, &faults, &real) && real > 0.249 && real < 0.251);
    assert_true(rc_yaml_duration_ms(get("w"), 2000, &faults, &number) && number == 1500);
    assert_true(rc_yaml_duration_ms(get("m"), 2000, &faults, &number) && number == 250);
    assert_true(rc_yaml_u64(get("max"), 0, UINT64_MAX, &faults, &number));
    assert_true(number == UINT64_MAX - 1);
    assert_true(rc_yaml_text(get("c"), &faults, &text) && text.len == 4);
    assert_int_equal(faults.count, 0);
    (void)index;
    done();
}

static void a_fault_says_which_value_is_expected(void **state)
{
    (void)state;
    assert_int_equal(parse("a: yes\nb: \"5\"\nc: -1\nd: 0.2500\ne: 1.\nf: 99999999999999999999\n"
                           "g: [1]\nh: ''\ni: soon\nj: 1__0\n"),
                     RC_OK);
    bool flag;
    uint64_t number;
    int64_t whole;
    rc_str text;
    assert_false(rc_yaml_bool(get("a"), &faults, &flag));
    assert_false(rc_yaml_u64(get("b"), 1, 10, &faults, &number));
    assert_false(rc_yaml_u64(get("c"), 0, UINT64_MAX, &faults, &number));
    assert_false(rc_yaml_decimal(get("d"), 3, 500, 1500, &faults, &number));
    assert_false(rc_yaml_u64(get("e"), 2, UINT64_MAX, &faults, &number));
    assert_false(rc_yaml_u64(get("f"), 0, UINT64_MAX, &faults, &number));
    assert_false(rc_yaml_u64(get("g"), 0, 1, &faults, &number));
    assert_false(rc_yaml_text(get("h"), &faults, &text));
    assert_false(rc_yaml_duration_ms(get("i"), 5, &faults, &number));
    assert_false(rc_yaml_i64(get("i"), -5, 5, &faults, &whole));
    assert_false(rc_yaml_i64(get("c"), 0, 5, &faults, &whole));
    assert_false(rc_yaml_u64(get("j"), 0, 50, &faults, &number));
    expect_fault(0, 1, 4, "a", "true or false is expected, not \"yes\"");
    expect_fault(1, 2, 4, "b", "a whole number from 1 to 10 is expected, not \"5\"");
    expect_fault(2, 3, 4, "c", "a whole number is expected, not \"-1\"");
    expect_fault(3, 4, 4, "d", "a number from 0.5 to 1.5 is expected");
    expect_fault(4, 5, 4, "e", "a whole number of at least 2 is expected, not \"1.\"");
    expect_fault(5, 6, 4, "f", "a whole number is expected");
    expect_fault(6, 7, 4, "g", "a single value is expected, not a list");
    expect_fault(7, 8, 4, "h", "empty text");
    expect_fault(8, 9, 4, "i", "up to 5 ms are expected, not \"soon\"");
    expect_fault(9, 9, 4, "i", "a whole number is expected");
    expect_fault(10, 3, 4, "c", "in the allowed range");
    expect_fault(11, 10, 4, "j", "a whole number from 0 to 50");
    done();
}

static void leading_zeros_are_refused(void **state)
{
    (void)state;
    static const char *const texts[] = {"010", "00", "0_1", "-010", "01.5"};
    uint64_t number;
    int64_t whole;
    for (size_t i = 0; i < COUNT(texts); i++) {
        char text[32];
        snprintf(text, sizeof(text), "a: %s\n", texts[i]);
        assert_int_equal(parse(text), RC_OK);
        assert_false(rc_yaml_decimal(get("a"), 3, 0, 100000, &faults, &number));
        assert_false(rc_yaml_i64(get("a"), -100, 100, &faults, &whole));
        assert_false(rc_yaml_duration_ms(get("a"), 1000, &faults, &number));
        done();
    }
    assert_int_equal(parse("a: 010\nb: 0\nc: 0.5\nd: 0s\n"), RC_OK);
    assert_false(rc_yaml_u64(get("a"), 0, 100, &faults, &number));
    expect_fault(0, 1, 4, "a",
                 "a whole number from 0 to 100 without leading zeros is expected, not \"010\"");
    assert_true(rc_yaml_u64(get("b"), 0, 1, &faults, &number));
    assert_true(rc_yaml_decimal(get("c"), 1, 0, 9, &faults, &number));
    assert_true(rc_yaml_duration_ms(get("d"), 1, &faults, &number));
    done();
}

static void a_node_has_the_number_of_its_last_line(void **state)
{
    (void)state;
    assert_int_equal(parse("a: [1,\n  2\n  ]\nb:\n  c:\n    - 1\n\n  d: x\n    y\n\ne: 1\n"),
                     RC_OK);
    assert_int_equal(get("a")->end_line, 3);
    assert_int_equal(get("b")->end_line, 9);
    assert_int_equal(get("b")->first->end_line, 6);
    assert_int_equal(get("e")->end_line, 11);
    done();
}

static const char *fruit_at(const void *ctx, size_t index)
{
    static const char *const names[] = {"apple", "pear", "plum"};
    (void)ctx;
    return index < COUNT(names) ? names[index] : NULL;
}

static void unknown_names_have_a_nearest_name(void **state)
{
    (void)state;
    assert_int_equal(parse("apple: pear\npaer: plumm\nxyz: 1\n"), RC_OK);
    size_t index = 9;
    assert_true(rc_yaml_choice(get("apple"), fruit_at, NULL, &faults, &index));
    assert_int_equal(index, 1);
    assert_false(rc_yaml_choice(get("paer"), fruit_at, NULL, &faults, &index));
    expect_fault(0, 2, 7, "paer", "apple, pear or plum is expected, not \"plumm\"");
    assert_string_equal(faults.list[0].nearest, "plum");
    assert_false(rc_yaml_check_keys(doc.root, fruit_at, NULL, &faults));
    expect_fault(1, 2, 1, "paer", "unknown key");
    assert_string_equal(faults.list[1].nearest, "pear");
    expect_fault(2, 3, 1, "xyz", "unknown key");
    assert_string_equal(faults.list[2].nearest, "");
    assert_false(rc_yaml_check_keys(get("apple"), fruit_at, NULL, &faults));
    expect_fault(3, 1, 8, "apple", "a map of keys and values is expected");
    done();
}

/* ---- faults ---- */

static void more_faults_than_fit_are_counted(void **state)
{
    (void)state;
    rc_config_faults_init(&faults);
    for (uint32_t i = 0; i < 40; i++)
        rc_config_fault_append(rc_config_faults_add(&faults, 100 - i, 1), "x");
    assert_int_equal(faults.count, 40);
    assert_int_equal(rc_config_faults_listed(&faults), RC_CONFIG_FAULTS_MAX);
    rc_config_faults_sort(&faults);
    assert_int_equal(faults.list[0].line, 100 - (RC_CONFIG_FAULTS_MAX - 1));
    assert_int_equal(faults.list[RC_CONFIG_FAULTS_MAX - 1].line, 100);
}

static void a_message_is_truncated_between_characters_and_has_no_control_characters(void **state)
{
    (void)state;
    rc_config_faults_init(&faults);
    rc_config_fault *fault = rc_config_faults_add(&faults, 1, 1);
    for (int i = 0; i < 300; i++)
        rc_config_fault_append(fault, "\xE2\x82\xAC");
    assert_int_equal(strlen(fault->message), 255);
    fault = rc_config_faults_add(&faults, 1, 1);
    rc_config_fault_append_quoted(fault, RC_STR("a\x1B[31m\n"));
    assert_string_equal(fault->message, "\"a?[31m?\"");
    fault = rc_config_faults_add(&faults, 1, 1);
    rc_config_fault_append_quoted(fault, repeat("x", 100, ""));
    assert_int_equal(strlen(fault->message), 48 + 5);
}

/* ---- failing allocations ---- */

static void failing_allocations_are_reported_and_leak_nothing(void **state)
{
    (void)state;
    rc_str text = repeat("- {a: 1, b: [2, 3]}\n", 400, "");
    for (size_t fail_at = 1;; fail_at++) {
        memory = (fail_alloc){.fail_at = fail_at};
        rc_status status = parse_bytes(text);
        bool is_hit = memory.calls >= fail_at;
        assert_int_equal(status, is_hit ? RC_E_NOMEM : RC_OK);
        assert_int_equal(faults.count, 0);
        done();
        if (!is_hit)
            break;
        assert_true(fail_at < 1000);
    }
    memory = (fail_alloc){0};
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tree_knows_kinds_order_and_positions),
        cmocka_unit_test(an_empty_text_is_a_document),
        cmocka_unit_test(paths_start_at_the_top_of_the_document),
        cmocka_unit_test(unsupported_yaml_is_refused_with_its_position),
        cmocka_unit_test(reading_continues_after_a_fault),
        cmocka_unit_test(ceilings_hold),
        cmocka_unit_test(the_number_of_keys_is_limited),
        cmocka_unit_test(well_formed_values_are_read),
        cmocka_unit_test(a_fault_says_which_value_is_expected),
        cmocka_unit_test(leading_zeros_are_refused),
        cmocka_unit_test(a_node_has_the_number_of_its_last_line),
        cmocka_unit_test(unknown_names_have_a_nearest_name),
        cmocka_unit_test(more_faults_than_fit_are_counted),
        cmocka_unit_test(a_message_is_truncated_between_characters_and_has_no_control_characters),
        cmocka_unit_test(failing_allocations_are_reported_and_leak_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
