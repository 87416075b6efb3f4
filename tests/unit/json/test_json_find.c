/* Tests of rc_json_find and rc_json_splice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/fail_alloc.h"
#include "support/json_tokens.h"
#include "json/find.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static rc_status find(rc_str text, bool stop_early, rc_json_member members[2])
{
    members[0] = (rc_json_member){.key = RC_STR("model"), .is_found = true};
    members[1] = (rc_json_member){.key = RC_STR("stream"), .is_found = true};
    return rc_json_find(text, members, 2, stop_early);
}

static void check_value(rc_str text, const rc_json_member *m, rc_json_type type, const char *value)
{
    assert_true(m->is_found);
    assert_int_equal(m->value.type, type);
    rc_str whole = rc_str_make(text.ptr + m->value.offset, m->value_end - m->value.offset);
    if (!rc_str_eq(whole, rc_str_c(value)))
        fail_msg("%.*s, want %s", (int)whole.len, whole.ptr, value);
}

static void test_finds_members(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {
        "{\"model\":\"m-1\",\"stream\":true}",
        "{\"stream\":true,\"messages\":[{\"model\":\"no\",\"c\":\"]}\\\\\"}],\"model\":\"m-1\"}",
        " { \"a\" : {\"stream\":false} , \"stream\" : true , \"model\" : \"m-1\" , \"z\" : -1 } ",
        "{\"mod\\u0065l\":\"m-1\",\"\\u0073tream\":true,\"x\":\"\\\"model\\\":1\"}",
        "{\"model\":\"old\",\"stream\":null,\"model\":\"m-1\",\"stream\":true}",
    };
    for (size_t i = 0; i < COUNT(TEXTS); i++) {
        rc_json_member m[2];
        char *copy = json_exact_copy(TEXTS[i], strlen(TEXTS[i]));
        rc_str text = rc_str_make(copy, strlen(TEXTS[i]));
        assert_int_equal(find(text, false, m), RC_OK);
        check_value(text, &m[0], RC_JSON_STRING, "\"m-1\"");
        check_value(text, &m[1], RC_JSON_TRUE, "true");
        assert_true(rc_str_eq(m[0].value.raw, RC_STR("m-1")));
        assert_int_equal(m[0].value.end, m[0].value_end);
        free(copy);
    }
}

static void test_values_of_every_type(void **state)
{
    (void)state;
    static const struct {
        const char *value;
        rc_json_type type;
    } VALUES[] = {
        {"{\"a\":[1,\"}\"]}", RC_JSON_OBJECT_BEGIN},
        {"[[],{}]", RC_JSON_ARRAY_BEGIN},
        {"\"x\\n\xC3\xA9\"", RC_JSON_STRING},
        {"-12.5e-3", RC_JSON_NUMBER},
        {"true", RC_JSON_TRUE},
        {"false", RC_JSON_FALSE},
        {"null", RC_JSON_NULL},
    };
    for (size_t i = 0; i < COUNT(VALUES); i++) {
        char bytes[128];
        int len = snprintf(bytes, sizeof bytes, "{\"x\":%s,\"model\": %s , \"y\":0}",
                           VALUES[i].value, VALUES[i].value);
        rc_json_member m[2];
        rc_str text = rc_str_make(bytes, (size_t)len);
        assert_int_equal(find(text, false, m), RC_OK);
        check_value(text, &m[0], VALUES[i].type, VALUES[i].value);
        assert_false(m[1].is_found);
    }
}

static void test_escapes_are_reported(void **state)
{
    (void)state;
    rc_json_member m[2];
    assert_int_equal(find(RC_STR("{\"model\":\"a\\/b\",\"stream\":\"\xC3\xA9\"}"), false, m),
                     RC_OK);
    assert_true(m[0].value.has_escapes);
    assert_false(m[1].value.has_escapes);
}

static void test_stops_early(void **state)
{
    (void)state;
    rc_json_member m[2];
    rc_str text = RC_STR("{\"stream\":true,\"model\":\"first\",\"model\":\"last\"} trailing");
    assert_int_equal(find(text, true, m), RC_OK);
    check_value(text, &m[0], RC_JSON_STRING, "\"first\"");
    assert_int_equal(find(text, false, m), RC_E_SYNTAX); /* text follows after the object */
    check_value(text, &m[0], RC_JSON_STRING, "\"last\"");
    assert_int_equal(rc_json_find(RC_STR("{\"a\":!"), NULL, 0, true), RC_E_SYNTAX);
    assert_int_equal(rc_json_find(RC_STR("{\"a\":1}"), NULL, 0, false), RC_OK);
}

static void test_nothing_to_find(void **state)
{
    (void)state;
    rc_json_member m[2];
    static const char *const EMPTY[] = {"{}", " { } ", "{\"Model\":1}",
                                        "{\"models\":1,\"mode\":2}"};
    for (size_t i = 0; i < COUNT(EMPTY); i++) {
        assert_int_equal(find(rc_str_c(EMPTY[i]), false, m), RC_OK);
        assert_false(m[0].is_found || m[1].is_found);
    }
    static const char *const OTHER[] = {"[]", "1", "\"model\"", "null", "x", "}"};
    for (size_t i = 0; i < COUNT(OTHER); i++) {
        assert_int_equal(find(rc_str_c(OTHER[i]), false, m), RC_E_TYPE);
        assert_false(m[0].is_found || m[1].is_found);
    }
    assert_int_equal(find(RC_STR(""), false, m), RC_E_TRUNCATED);
    assert_int_equal(find(RC_STR("  "), false, m), RC_E_TRUNCATED);
    assert_int_equal(find(rc_str_make(NULL, 0), false, m), RC_E_TRUNCATED);
}

/* A fault at the top level is reported, and members before the fault are found. */
static void test_damage(void **state)
{
    (void)state;
    static const struct {
        const char *rest;
        rc_status status;
    } RESTS[] = {
        {"", RC_E_TRUNCATED},
        {",", RC_E_TRUNCATED},
        {",\"a", RC_E_TRUNCATED},
        {",\"a\\", RC_E_TRUNCATED},
        {",\"a\"", RC_E_TRUNCATED},
        {",\"a\":", RC_E_TRUNCATED},
        {",\"a\":\"x", RC_E_TRUNCATED},
        {",\"a\":[1,{\"b\":2}", RC_E_TRUNCATED},
        {",\"a\":tru", RC_E_TRUNCATED},
        {",\"a\":-", RC_E_TRUNCATED},
        {",\"stream\":\"x", RC_E_TRUNCATED},
        {",\"stream\":[", RC_E_TRUNCATED},
        {",}", RC_E_SYNTAX},
        {",a:1}", RC_E_SYNTAX},
        {",\"a\",1}", RC_E_SYNTAX},
        {",\"a\":}", RC_E_SYNTAX},
        {",\"a\":trux}", RC_E_SYNTAX},
        {",\"a\":01}", RC_E_SYNTAX},
        {",\"stream\":\"\n\"}", RC_E_SYNTAX},
        {",\"stream\":\"\xFF\"}", RC_E_SYNTAX},
        {"]", RC_E_SYNTAX},
        {" \"a\":1}", RC_E_SYNTAX},
        {"}}", RC_E_SYNTAX},
        {"} x", RC_E_SYNTAX},
    };
    for (size_t i = 0; i < COUNT(RESTS); i++) {
        char bytes[128];
        int len = snprintf(bytes, sizeof bytes, "{\"model\":\"m\"%s", RESTS[i].rest);
        char *copy = json_exact_copy(bytes, (size_t)len);
        rc_str text = rc_str_make(copy, (size_t)len);
        rc_json_member m[2];
        rc_status status = find(text, false, m);
        if (status != RESTS[i].status)
            fail_msg("%s: status %d", bytes, status);
        check_value(text, &m[0], RC_JSON_STRING, "\"m\"");
        assert_false(m[1].is_found);
        free(copy);
    }
}

/* Skipped values are not validated: they may have arbitrary bytes, mixed brackets and any depth. */
static void test_skipped_values_are_not_validated(void **state)
{
    (void)state;
    rc_json_member m[2];
    rc_str text = RC_STR("{\"a\":[1 2,}],\"b\xFF\n\":\"\n\xFF\\q\",\"model\":1}");
    assert_int_equal(find(text, false, m), RC_E_SYNTAX); /* [ is closed by }, and a stray ]
                                                            follows */
    text = RC_STR("{\"a\":[1 2,},\"b\xFF\n\":\"\n\xFF\\q\",\"model\":1}");
    assert_int_equal(find(text, false, m), RC_OK);
    check_value(text, &m[0], RC_JSON_NUMBER, "1");
}

/* Members are found at every offset, after strings and containers of every length. */
static void test_every_alignment(void **state)
{
    (void)state;
    char bytes[700];
    for (size_t fill = 0; fill < 300; fill++) {
        size_t len = 0;
        const char *head = fill % 2 ? "{\"a\":[\"" : "{\"a\":\"";
        memcpy(bytes, head, strlen(head));
        len += strlen(head);
        for (size_t i = 0; i < fill; i++)
            bytes[len++] = i % 7 == 3 && i + 1 < fill ? '\\' : 'n';
        const char *tail = fill % 2 ? "\"],\"model\":\"m\"}" : "\",\"model\":\"m\"}";
        memcpy(bytes + len, tail, strlen(tail));
        len += strlen(tail);
        char *copy = json_exact_copy(bytes, len);
        rc_json_member m[2];
        assert_int_equal(find(rc_str_make(copy, len), false, m), RC_OK);
        check_value(rc_str_make(copy, len), &m[0], RC_JSON_STRING, "\"m\"");
        free(copy);
    }
}

static void test_splice(void **state)
{
    (void)state;
    rc_str text = RC_STR("{\"model\":\"old\",\"x\":1}");
    char memory[64];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_json_member m[2];
    assert_int_equal(find(text, false, m), RC_OK);
    assert_int_equal(
        rc_json_splice(text, m[0].value.offset, m[0].value_end, RC_STR("\"newer\""), &buf), RC_OK);
    assert_true(rc_str_eq(rc_buf_get(&buf), RC_STR("{\"model\":\"newer\",\"x\":1}")));

    rc_buf_reset(&buf);
    rc_buf_push(&buf, RC_STR(">"));
    assert_int_equal(rc_json_splice(RC_STR("abc"), 0, 0, RC_STR("x"), &buf), RC_OK);
    assert_int_equal(rc_json_splice(RC_STR("abc"), 3, 3, RC_STR("y"), &buf), RC_OK);
    assert_int_equal(rc_json_splice(RC_STR("abc"), 0, 3, RC_STR(""), &buf), RC_OK);
    assert_int_equal(rc_json_splice(rc_str_make(NULL, 0), 0, 0, rc_str_make(NULL, 0), &buf), RC_OK);
    assert_true(rc_str_eq(rc_buf_get(&buf), RC_STR(">xabcabcy")));
}

static void test_splice_failures(void **state)
{
    (void)state;
    char memory[8];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    assert_int_equal(rc_json_splice(RC_STR("abc"), 2, 1, RC_STR(""), &buf), RC_E_ARGUMENT);
    assert_int_equal(rc_json_splice(RC_STR("abc"), 2, 4, RC_STR(""), &buf), RC_E_ARGUMENT);
    assert_int_equal(rc_json_splice(RC_STR("abc"), 0, 0, rc_str_make("", SIZE_MAX), &buf),
                     RC_E_TOO_LARGE);
    assert_int_equal(rc_buf_status(&buf), RC_E_TOO_LARGE);
    rc_buf_reset(&buf);
    assert_int_equal(rc_json_splice(RC_STR("abcdef"), 1, 2, RC_STR("1234"), &buf), RC_E_TOO_LARGE);
    assert_int_equal(rc_buf_get(&buf).len, 0); /* either the whole result is appended or nothing */

    fail_alloc a = {.fail_at = 1};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_buf_init(&buf, &alloc, 1000);
    assert_int_equal(rc_json_splice(RC_STR("abc"), 1, 2, RC_STR("x"), &buf), RC_E_NOMEM);
    rc_buf_done(&buf);
    assert_int_equal(a.live, 0);
}

/* Compares rc_json_find_names with the members that rc_json_find found. */
static void check_names(rc_str text, const rc_json_member *members, size_t count)
{
    rc_str keys[RC_JSON_NAMES_MAX];
    uint8_t hashes[RC_JSON_KEY_HASHES_LEN(RC_JSON_NAMES_MAX)] = {0};
    rc_json_value values[RC_JSON_NAMES_MAX];
    rc_json_names names = {keys, hashes, count, 0};
    uint32_t found = 0;
    for (size_t i = 0; i < count; i++) {
        keys[i] = members[i].key;
        hashes[i] = rc_json_key_hash(keys[i]);
        names.set |= rc_json_hash_bit(hashes[i]);
    }
    assert_int_equal(rc_json_find_names(text, &names, false, values, &found), RC_OK);
    assert_int_equal(found, (UINT64_C(1) << count) - 1);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(values[i].first.offset, members[i].value.offset);
        assert_int_equal(values[i].end, members[i].value_end);
    }
}

static void test_missing_names(void **state)
{
    (void)state;
    static const rc_str keys[] = {RC_STR_INIT("a"), RC_STR_INIT("b"), RC_STR_INIT("c")};
    static const uint8_t hashes[RC_JSON_KEY_HASHES_LEN(3)] = {
        RC_JSON_KEY_HASH("a"), RC_JSON_KEY_HASH("b"), RC_JSON_KEY_HASH("c")};
    static const rc_json_names names = {
        keys, hashes, 3, RC_JSON_KEY_BIT("a") | RC_JSON_KEY_BIT("b") | RC_JSON_KEY_BIT("c")};
    rc_json_value values[3];
    uint32_t found = 7;
    assert_int_equal(rc_json_find_names(RC_STR("[]"), &names, false, values, &found), RC_E_TYPE);
    assert_int_equal(found, 0);
    assert_int_equal(
        rc_json_find_names(RC_STR("{\"\\u0062\":1,\"d\":2}"), &names, true, values, &found), RC_OK);
    assert_int_equal(found, 2);
    assert_int_equal(values[1].end, 11);
    assert_int_equal(rc_json_find_names(RC_STR("{\"c\":[3],\"a\":"), &names, false, values, &found),
                     RC_E_TRUNCATED);
    assert_int_equal(found, 4);
}

/* The text has many members, many of them with the same hash. */
static void test_many_members(void **state)
{
    (void)state;
    enum {
        MOST = 80
    };
    char names[MOST][8];
    char text[MOST * 20];
    size_t len = 0;
    size_t half_len = 0;
    text[len++] = '{';
    for (int i = 0; i < MOST; i++) {
        if (i == MOST / 2)
            half_len = len + 1; /* length including the comma */
        int name = snprintf(names[i], sizeof names[i], "%c%d", 'a' + i % 5, i);
        len += (size_t)snprintf(text + len, sizeof text - len, "%s\"%.*s\":%d", i > 0 ? "," : "",
                                name, names[i], i);
    }
    text[len++] = '}';
    const rc_str all = rc_str_make(text, len);
    const rc_str half = rc_str_make(text, half_len);
    for (size_t count = 0; count <= MOST; count++) {
        rc_json_member members[MOST];
        for (size_t i = 0; i < count; i++)
            members[i] = (rc_json_member){.key = rc_str_c(names[MOST - 1 - i])};
        assert_int_equal(rc_json_find(all, members, count, false), RC_OK);
        for (size_t i = 0; i < count; i++) {
            char value[8];
            (void)snprintf(value, sizeof value, "%d", (int)(MOST - 1 - i));
            check_value(all, &members[i], RC_JSON_NUMBER, value);
        }
        if (count <= RC_JSON_NAMES_MAX)
            check_names(all, members, count);
        /* With stop_early, a fault after the last wanted member is not reported. */
        for (size_t i = 0; i < count; i++)
            members[i].key = rc_str_c(names[i]);
        assert_int_equal(rc_json_find(half, members, count, true),
                         count <= MOST / 2 ? RC_OK : RC_E_TRUNCATED);
        assert_int_equal(rc_json_find(half, members, count, false), RC_E_TRUNCATED);
    }
}

static void test_key_hashes(void **state)
{
    (void)state;
    assert_int_equal(RC_JSON_KEY_HASH("model"), rc_json_key_hash(RC_STR("model")));
    assert_int_equal(RC_JSON_KEY_HASH("\xC3\xA4"), rc_json_key_hash(RC_STR("\xC3\xA4")));
    for (int c = 0; c < 256; c++) {
        const char text[64] = {(char)c};
        for (size_t len = 0; len < sizeof text; len++)
            assert_true(rc_json_key_hash(rc_str_make(text, len)) != 0);
    }
}

/* Members that occur twice, or that a case-insensitive parser would confuse, are reported. */
static void test_ambiguous_names(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint32_t found, ambiguous;
    } rows[] = {
        {"{\"model\":1,\"stream\":2,\"x\":3}", 3, 0},
        {"{\"mod\\u0065l\":1}", 1, 0},
        {"{\"x\":{\"model\":1,\"model\":2},\"model\":[{\"MODEL\":1}]}", 1, 0},
        {"{\"model\":1,\"model\":1}", 1, 1},
        {"{\"model\":1,\"mod\\u0065l\":2}", 1, 1},
        {"{\"model\":1,\"Model\":2}", 1, 1},
        {"{\"MODEL\":1}", 0, 1},
        {"{\"\\u004dodel\":1,\"stream\":2}", 2, 1},
        {"{\"stream\":1,\"\xC5\xBFtream\":2}", 2, 2},
        {"{\"\\u017ftream\":2}", 0, 2},
        {"{\"to\xE2\x84\xAA"
         "en\":2}",
         0, 4},
        {"{\"TOKEN\":2,\"stream\":1,\"Stream\":1}", 2, 6},
        {"{\"models\":1,\"mode\":2,\"\":3,\"model \":4,\"mode\\l\":5}", 0, 0},
        {"{\"model\":1,\"model\":", 1, 1},
    };
    static const rc_str keys[] = {RC_STR_INIT("model"), RC_STR_INIT("stream"),
                                  RC_STR_INIT("token")};
    static const uint8_t hashes[RC_JSON_KEY_HASHES_LEN(3)] = {
        RC_JSON_KEY_HASH("model"), RC_JSON_KEY_HASH("stream"), RC_JSON_KEY_HASH("token")};
    static const rc_json_names names = {keys, hashes, 3,
                                        RC_JSON_KEY_BIT("model") | RC_JSON_KEY_BIT("stream") |
                                            RC_JSON_KEY_BIT("token")};
    for (size_t i = 0; i < COUNT(rows); i++) {
        rc_json_value values[3];
        uint32_t found, ambiguous;
        print_message("%s\n", rows[i].text);
        (void)rc_json_find_names_once(rc_str_c(rows[i].text), &names, values, &found, &ambiguous);
        assert_int_equal(found, rows[i].found);
        assert_int_equal(ambiguous, rows[i].ambiguous);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ambiguous_names),
        cmocka_unit_test(test_many_members),
        cmocka_unit_test(test_missing_names),
        cmocka_unit_test(test_key_hashes),
        cmocka_unit_test(test_finds_members),
        cmocka_unit_test(test_values_of_every_type),
        cmocka_unit_test(test_escapes_are_reported),
        cmocka_unit_test(test_stops_early),
        cmocka_unit_test(test_nothing_to_find),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_skipped_values_are_not_validated),
        cmocka_unit_test(test_every_alignment),
        cmocka_unit_test(test_splice),
        cmocka_unit_test(test_splice_failures),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
