/* Tests of anchors, aliases and merge keys: their expansion, refused documents with their position,
 * ceilings against expansion bombs, and failing allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/buf.h>

#include "config/yaml/yaml.h"
#include "support/fail_alloc.h"
#include "support/yaml_refusals.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PEAK_MAX_BYTES ((size_t)32 << 20)

static fail_alloc memory;
static rc_yaml doc;
static rc_config_faults faults;
static char large[RC_YAML_MAX_BYTES];
static size_t used;

static rc_status parse_bytes(rc_str text)
{
    rc_alloc alloc = fail_alloc_of(&memory);
    rc_config_faults_init(&faults);
    return rc_yaml_parse_anchored(&doc, text, &alloc, &faults);
}

static void done(void)
{
    rc_yaml_done(&doc);
    assert_int_equal(memory.live, 0);
}

/* Appends the tree as one line: {a: [1, x]}. */
static void show(rc_buf *buf, const rc_yaml_node *node)
{
    const bool is_map = node->kind == RC_YAML_MAP;
    if (node->kind == RC_YAML_NULL) {
        rc_buf_push(buf, RC_STR("~"));
        return;
    }
    if (!is_map && node->kind != RC_YAML_LIST) {
        rc_buf_push(buf, node->text);
        return;
    }
    uint32_t count = 0;
    rc_buf_push(buf, is_map ? RC_STR("{") : RC_STR("["));
    for (const rc_yaml_node *child = node->first; child != NULL; child = child->next) {
        assert_ptr_equal(child->parent, node);
        assert_int_equal(child->index, count++);
        rc_buf_push(buf, count > 1 ? RC_STR(", ") : RC_STR(""));
        rc_buf_push(buf, child->key);
        rc_buf_push(buf, is_map ? RC_STR(": ") : RC_STR(""));
        show(buf, child);
    }
    assert_int_equal(node->count, count);
    rc_buf_push(buf, is_map ? RC_STR("}") : RC_STR("]"));
}

typedef struct meaning {
    const char *text;
    const char *shown;
} meaning;

static const meaning meanings[] = {
    {"a: &x 1\nb: *x\n", "{a: 1, b: 1}"},
    {"a: &x\nb: *x\n", "{a: ~, b: ~}"},
    {"a: &x {b: [1, {c: d}]}\ne: *x\n", "{a: {b: [1, {c: d}]}, e: {b: [1, {c: d}]}}"},
    {"- &x [1]\n- *x\n- [*x, *x]\n", "[[1], [1], [[1], [1]]]"},
    {"- &x 1\n- *x\n- &x 2\n- *x\n", "[1, 1, 2, 2]"},
    {"- &x [&y 1, *y]\n- *y\n- *x\n", "[[1, 1], 1, [1, 1]]"},
    /* The map's own keys take precedence over merged keys, before or after <<. */
    {"a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}\ne: {b: 4, <<: *x}\n",
     "{a: {b: 1, c: 2}, d: {c: 3, b: 1}, e: {b: 4, c: 2}}"},
    /* If << has a list of maps, the first map takes precedence. */
    {"- &x {a: 1}\n- &y {a: 2, b: 3}\n- <<: [*x, *y, {c: 4}]\n",
     "[{a: 1}, {a: 2, b: 3}, {a: 1, b: 3, c: 4}]"},
    {"- &x {a: 1}\n- &y {<<: *x, b: 2}\n- {<<: *y}\n", "[{a: 1}, {b: 2, a: 1}, {b: 2, a: 1}]"},
    {"- {<<: &x {a: 1}, b: 2}\n- *x\n", "[{b: 2, a: 1}, {a: 1}]"},
    {"- {<<: {a: [1, {b: 2}]}}\n- {<<: []}\n", "[{a: [1, {b: 2}]}, {}]"},
    /* In quotes << is an ordinary key. */
    {"{\"<<\": {a: 1}}\n", "{<<: {a: 1}}"},
};

static void aliases_expand_to_the_anchored_value(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(meanings); i++) {
        char scratch[512];
        rc_buf buf;
        rc_buf_init_fixed(&buf, scratch, sizeof scratch);
        assert_int_equal(parse_bytes(rc_str_c(meanings[i].text)), RC_OK);
        assert_int_equal(faults.count, 0);
        show(&buf, doc.root);
        assert_true(rc_buf_get(&buf).len < sizeof scratch);
        scratch[rc_buf_get(&buf).len] = '\0';
        assert_string_equal(scratch, meanings[i].shown);
        done();
    }
}

static void an_expanded_alias_has_the_position_of_the_alias(void **state)
{
    (void)state;
    assert_int_equal(parse_bytes(RC_STR("a: &x\n  b: 1\nc:\n  - *x\nd:\n  <<: *x\n  e: 2\n")),
                     RC_OK);
    const rc_yaml_node *copy = rc_yaml_get(doc.root, RC_STR("c"))->first->first;
    const rc_yaml_node *merged = rc_yaml_get(rc_yaml_get(doc.root, RC_STR("d")), RC_STR("b"));
    rc_yaml_fault(&faults, copy);
    rc_yaml_fault_at_key(&faults, merged);
    assert_string_equal(faults.list[0].path, "c[0].b");
    assert_int_equal(faults.list[0].line, 4);
    assert_int_equal(faults.list[0].column, 5);
    assert_string_equal(faults.list[1].path, "d.b");
    assert_int_equal(faults.list[1].line, 6);
    assert_int_equal(faults.list[1].column, 7);
    assert_true(rc_yaml_get(doc.root, RC_STR("a"))->has_anchor);
    assert_false(rc_yaml_get(doc.root, RC_STR("c"))->has_anchor);
    done();
}

static const refusal refusals[] = {
    {"a: *x\n", RC_E_SYNTAX, 1, 4, "without an earlier anchor"},
    {"a: *x\nb: &x 1\n", RC_E_SYNTAX, 1, 4, "without an earlier anchor"},
    {"a: &x [*x]\n", RC_E_SYNTAX, 1, 8, "to the value that contains it"},
    {"a: &x {b: [{c: *x}]}\n", RC_E_SYNTAX, 1, 16, "to the value that contains it"},
    {"&x a: 1\n", RC_E_SYNTAX, 1, 1, "a key cannot have an anchor"},
    {"a: &x b\n*x : 1\n", RC_E_SYNTAX, 2, 1, "a key cannot be an alias"},
    {"a: &x {<<: *x}\n", RC_E_SYNTAX, 1, 12, "to the value that contains it"},
    {"a: {<<: 1}\n", RC_E_SYNTAX, 1, 9, "is expected after <<"},
    {"a: {<<: }\n", RC_E_SYNTAX, 1, 9, "is expected after <<"},
    {"a: {<<: [{b: 1}, 2]}\n", RC_E_SYNTAX, 1, 18, "is expected after <<"},
    {"a: {<<: {b: 1}, <<: {c: 1}}\n", RC_E_DUPLICATE, 1, 17, "the first is at 1:5"},
    {"a: !x 1\n", RC_E_SYNTAX, 1, 4, "tags"},
};

static void meaningless_aliases_are_refused_with_their_position(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        refusal_expect(&refusals[i], parse_bytes(rc_str_c(refusals[i].text)), &faults);
        done();
    }
}

/* ---- ceilings ---- */

static void write(const char *text)
{
    const size_t len = strlen(text);
    assert_true(used + len < sizeof large);
    memcpy(large + used, text, len);
    used += len;
}

static void write_numbered(const char *before, int number, const char *after)
{
    char scratch[128];
    snprintf(scratch, sizeof scratch, "%s%d%s", before, number, after);
    write(scratch);
}

static void expect_stop(rc_status status, const char *part)
{
    memory.peak_bytes = 0;
    assert_int_equal(parse_bytes(rc_str_make(large, used)), status);
    assert_int_equal(faults.count, 1);
    assert_non_null(strstr(faults.list[0].message, part));
    assert_true(memory.peak_bytes > 0 && memory.peak_bytes <= PEAK_MAX_BYTES);
    done();
}

/* Each level contains the previous level nine times, so the number of values is 9 to the power of
 * the number of levels. */
static void a_bomb_of_values_stops_at_the_ceiling(void **state)
{
    (void)state;
    used = 0;
    write("a0: &a0 [1,1,1,1,1,1,1,1,1]\n");
    for (int i = 1; i < 12; i++) {
        write_numbered("a", i, ": ");
        write_numbered("&a", i, " [");
        for (int k = 0; k < 9; k++)
            write_numbered(k > 0 ? ", *a" : "*a", i - 1, "");
        write("]\n");
    }
    expect_stop(RC_E_TOO_LARGE, "100000 values");
}

static void a_bomb_of_merged_keys_stops_at_the_ceiling(void **state)
{
    (void)state;
    used = 0;
    write("a0: &a0 {v: 1}\n");
    for (int i = 1; i < 30; i++) {
        write_numbered("a", i, ": ");
        write_numbered("&a", i, " {");
        write_numbered("<<: *a", i - 1, ", ");
        write_numbered("x: *a", i - 1, ", ");
        write_numbered("y: *a", i - 1, "}\n");
    }
    expect_stop(RC_E_TOO_LARGE, "100000 values");
}

static void the_expanded_text_is_limited(void **state)
{
    (void)state;
    used = 0;
    write("a: &x ");
    for (int i = 0; i < 1024; i++)
        write("0123456789");
    write("\nb:\n");
    const size_t before = used;
    for (int i = 0; i < 102; i++)
        write("  - *x\n");
    assert_int_equal(parse_bytes(rc_str_make(large, used)), RC_OK);
    done();
    used = before;
    for (int i = 0; i < 103; i++)
        write("  - *x\n");
    expect_stop(RC_E_TOO_LARGE, "more than 1 MiB");
    assert_int_equal(faults.list[0].line, 105);
}

static void the_depth_limit_applies_to_aliases(void **state)
{
    (void)state;
    used = 0;
    write("a0: &a0 [1]\n");
    for (int i = 1; i < RC_YAML_MAX_DEPTH; i++) {
        write_numbered("a", i, ": ");
        write_numbered("&a", i, " [");
        write_numbered("*a", i - 1, "]\n");
    }
    expect_stop(RC_E_TOO_DEEP, "32 levels");
    assert_int_equal(faults.list[0].line, RC_YAML_MAX_DEPTH);
}

static void anchors_and_merged_keys_are_counted(void **state)
{
    (void)state;
    used = 0;
    for (int i = 0; i < RC_YAML_MAX_ANCHORS; i++)
        write_numbered("- &a", i, " 1\n");
    assert_int_equal(parse_bytes(rc_str_make(large, used)), RC_OK);
    done();
    write("- &more 1\n");
    expect_stop(RC_E_TOO_LARGE, "256 anchors");
    used = 0;
    write("a: &a\n");
    for (int i = 0; i < RC_YAML_MAX_KEYS; i++)
        write_numbered("  k", i, ": 1\n");
    write("b: {<<: *a}\n");
    assert_int_equal(parse_bytes(rc_str_make(large, used)), RC_OK);
    done();
    write("c: {<<: *a, more: 1}\n");
    expect_stop(RC_E_TOO_LARGE, "1024 keys");
}

static void every_failing_allocation_is_reported(void **state)
{
    (void)state;
    used = 0;
    write("a: &a {b: [1, 2], c: {d: e}}\nl:\n");
    for (int i = 0; i < 400; i++)
        write_numbered(i < 200 ? "  - &n {<<: *a, x: *a, y: " : "  - {<<: *a, x: *n, y: ", i,
                       "}\n");
    for (size_t fail_at = 1; fail_at < 1000; fail_at++) {
        memory = (fail_alloc){.fail_at = fail_at, .for_good = true};
        const rc_status status = parse_bytes(rc_str_make(large, used));
        done();
        if (memory.calls < fail_at) {
            assert_int_equal(status, RC_OK);
            assert_true(fail_at > 3);
            memory = (fail_alloc){0};
            return;
        }
        assert_int_equal(status, RC_E_NOMEM);
    }
    fail_msg("it never ends");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(aliases_expand_to_the_anchored_value),
        cmocka_unit_test(an_expanded_alias_has_the_position_of_the_alias),
        cmocka_unit_test(meaningless_aliases_are_refused_with_their_position),
        cmocka_unit_test(a_bomb_of_values_stops_at_the_ceiling),
        cmocka_unit_test(a_bomb_of_merged_keys_stops_at_the_ceiling),
        cmocka_unit_test(the_expanded_text_is_limited),
        cmocka_unit_test(the_depth_limit_applies_to_aliases),
        cmocka_unit_test(anchors_and_merged_keys_are_counted),
        cmocka_unit_test(every_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests_name("yaml_anchor", tests, NULL, NULL);
}
