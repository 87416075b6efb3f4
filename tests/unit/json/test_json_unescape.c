/* Tests of string values: unescaping, and comparison without unescaping. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "support/fail_alloc.h"
#include "support/json_tokens.h"
#include "support/often.h"
#include "json/lex.h"
#include "json/scan.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define S(literal)                   \
    {                                \
        literal, sizeof(literal) - 1 \
    }
#define FFFD "\xEF\xBF\xBD"

static const struct {
    rc_str raw;
    rc_str value;
} CASES[] = {
    {S(""), S("")},
    {S("plain"), S("plain")},
    {S("\\\"\\\\\\/\\b\\f\\n\\r\\t"), S("\"\\/\b\f\n\r\t")},
    {S("a\\u0041\\u00e9\\u20AC\\u0000z"), S("aA\xC3\xA9\xE2\x82\xAC\0z")},
    {S("\\ud83d\\ude00"), S("\xF0\x9F\x98\x80")},
    {S("\\ud800\\udc00"), S("\xF0\x90\x80\x80")},
    {S("\\ud7ff\\ue000"), S("\xED\x9F\xBF\xEE\x80\x80")},
    {S("\\uDBFF\\uDFFF"), S("\xF4\x8F\xBF\xBF")},
    {S("\xC3\xA9 \xF0\x9F\x98\x80"), S("\xC3\xA9 \xF0\x9F\x98\x80")},
    {S("a long run of plain text, an escape\\nand another long run of text"),
     S("a long run of plain text, an escape\nand another long run of text")},

    /* lone surrogates */
    {S("\\ud800"), S(FFFD)},
    {S("\\udc00"), S(FFFD)},
    {S("\\ud800x"), S(FFFD "x")},
    {S("\\ud800\\n"), S(FFFD "\n")},
    {S("\\ud800\\xdc00"), S(FFFD "\\xdc00")},
    {S("\\ud800xudc00"), S(FFFD "xudc00")},
    {S("\\udfff"), S(FFFD)},
    {S("\\udbff"), S(FFFD)},
    {S("\\ud800\\u0041"), S(FFFD "A")},
    {S("\\ud800\\ud83d\\ude00"), S(FFFD "\xF0\x9F\x98\x80")},
    {S("\\ude00\\ud83d"), S(FFFD FFFD)},
    {S("\\ud83d\\ude0"), S(FFFD "\\ude0")},

    /* unknown and incomplete escapes, which stay unchanged */
    {S("C:\\Users\\x41"), S("C:\\Users\\x41")},
    {S("it\\'s"), S("it's")},
    {S("end\\"), S("end\\")},
    {S("\\u"), S("\\u")},
    {S("\\u12"), S("\\u12")},
    {S("\\u12G4"), S("\\u12G4")},
    {S("\\\xC3\xA9"), S("\\\xC3\xA9")},
    {S("\\\xFF"), S("\\" FFFD)},

    /* invalid UTF-8: one U+FFFD for each maximal ill-formed prefix */
    {S("\xFF"), S(FFFD)},
    {S("a\xC3(b"), S("a" FFFD "(b")},
    {S("\xE2\x82"), S(FFFD)},
    {S("\xED\xA0\x80"), S(FFFD FFFD FFFD)},
    {S("\xF0\x9F\x98z"), S(FFFD "z")},
    {S(FFFD), S(FFFD)},

    /* control characters in malformed text */
    {S("a\nb\0c\x7F"), S("a\nb\0c\x7F")},
};

static void test_unescape(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        fail_alloc a = {0};
        rc_alloc alloc = fail_alloc_of(&a);
        rc_buf buf;
        rc_buf_init(&buf, &alloc, 1000);
        char *copy = json_exact_copy(CASES[i].raw.ptr, CASES[i].raw.len);
        rc_str raw = rc_str_make(copy, CASES[i].raw.len);
        assert_int_equal(rc_json_unescape(raw, &buf), RC_OK);
        rc_str got = rc_buf_get(&buf);
        if (!rc_str_eq(got, CASES[i].value))
            fail_msg("%s: got %.*s", CASES[i].raw.ptr, (int)got.len, got.ptr);
        assert_true(rc_json_raw_eq(raw, true, CASES[i].value));
        free(copy);
        rc_buf_done(&buf);
        assert_int_equal(a.live, 0);
    }
}

static void test_appends(void **state)
{
    (void)state;
    char memory[16];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_buf_push(&buf, RC_STR("x="));
    assert_int_equal(rc_json_unescape(RC_STR("a\\tb"), &buf), RC_OK);
    assert_true(rc_str_eq(rc_buf_get(&buf), RC_STR("x=a\tb")));
}

static void test_raw_eq(void **state)
{
    (void)state;
    assert_true(rc_json_raw_eq(RC_STR("model"), false, RC_STR("model")));
    assert_true(rc_json_raw_eq(RC_STR("mo\\u0064el"), true, RC_STR("model")));
    assert_true(rc_json_raw_eq(RC_STR(""), true, RC_STR("")));
    assert_true(rc_json_raw_eq(rc_str_make(NULL, 0), true, rc_str_make(NULL, 0)));
    assert_true(rc_json_raw_eq(RC_STR("\xFF"), true, RC_STR(FFFD)));
    assert_false(rc_json_raw_eq(RC_STR("model"), false, RC_STR("mode")));
    assert_false(rc_json_raw_eq(RC_STR("mode"), false, RC_STR("model")));
    assert_false(rc_json_raw_eq(RC_STR("mo\\u0064el"), true, RC_STR("mode")));
    assert_false(rc_json_raw_eq(RC_STR("mo\\u0064e"), true, RC_STR("model")));
    assert_false(rc_json_raw_eq(RC_STR("mo\\u0065el"), true, RC_STR("model")));
    assert_false(rc_json_raw_eq(RC_STR("\\u00e9"), true, RC_STR("\xC3")));
    assert_false(rc_json_raw_eq(RC_STR("\\n"), true, rc_str_make(NULL, 0)));
}

/* Failures of the buffer are returned, and nothing is written after a failure. */
static void test_failures(void **state)
{
    (void)state;
    rc_str raw = RC_STR("first\\nsecond\\u20acthird");
    for (size_t capacity = 0; capacity < 21; capacity++) {
        char memory[32];
        rc_buf buf;
        rc_buf_init_fixed(&buf, memory, capacity);
        bool fits = capacity >= 20; /* 5 + 1 + 6 + 3 + 5 */
        assert_int_equal(rc_json_unescape(raw, &buf), fits ? RC_OK : RC_E_TOO_LARGE);
    }
    for (int for_good = 0; for_good < 2; for_good++) {
        fail_alloc a = {.fail_at = 1, .for_good = for_good};
        rc_alloc alloc = fail_alloc_of(&a);
        rc_buf buf;
        rc_buf_init(&buf, &alloc, 1000);
        assert_int_equal(rc_json_unescape(raw, &buf), RC_E_NOMEM);
        assert_int_equal(rc_json_unescape(raw, &buf), RC_E_NOMEM);
        rc_buf_done(&buf);
        assert_int_equal(a.live, 0);
    }
}

static void test_random(void **state)
{
    (void)state;
    static const char ALPHABET[] = "\\\\\\\\uuDd8cC00f\"n'/xz\xC3\xA9\xE2\xFF\x01";
    uint64_t seed = 3;
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 1000);
    for (int i = 0; i < OFTEN(100000); i++) {
        char bytes[40];
        size_t len = json_random(&seed, sizeof bytes);
        for (size_t k = 0; k < len; k++)
            bytes[k] = ALPHABET[json_random(&seed, sizeof ALPHABET - 1)];
        rc_str raw = rc_str_make(bytes, len);
        rc_buf_reset(&buf);
        assert_int_equal(rc_json_unescape(raw, &buf), RC_OK);
        assert_true(rc_utf8_is_valid(rc_buf_get(&buf)));
        assert_true(rc_json_raw_eq(raw, true, rc_buf_get(&buf)));
        if (rc_buf_get(&buf).len > 0) {
            rc_str shorter = rc_buf_get(&buf);
            shorter.len--;
            assert_false(rc_json_raw_eq(raw, true, shorter));
        }
    }
    rc_buf_done(&buf);
}

/* rc_json_lex_value must have the same result as lexing and then unescaping, and reject the same
 * texts. */
static void expect_one_pass(rc_str text)
{
    char memory[2][512];
    rc_buf buf;
    rc_buf scratch;
    rc_json_token token;
    rc_json_fault fault = {.status = RC_OK};
    rc_str value = {NULL, 0};
    rc_buf_init_fixed(&buf, memory[0], sizeof memory[0]);
    rc_buf_init_fixed(&scratch, memory[1], sizeof memory[1]);
    rc_buf_push(&scratch, RC_STR("before"));
    rc_json_lex_string(text, 0, true, &token, &fault);
    rc_json_unescape(token.raw, &buf);
    size_t end = rc_json_lex_value(text, 1, &scratch, &value);
    if (fault.status != RC_OK) {
        assert_true(end == RC_JSON_SCAN_NONE);
        return;
    }
    assert_int_equal(end, token.end - 1);
    assert_true(rc_str_eq(value, rc_buf_get(&buf)));
    assert_true(rc_str_eq(rc_str_make(memory[1], 6), RC_STR("before")));
    assert_int_equal(rc_buf_get(&scratch).len, token.has_escapes ? 6 + value.len : 6);
}

static void test_value_in_one_pass(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        /* tests every distance from the end of the text, and texts of every length before the
         * string */
        for (size_t before = 0; before <= 33; before += 3) {
            for (size_t behind = 0; behind <= 33; behind++) {
                char text[256] = {'"'};
                size_t len = 1;
                memset(text + len, 'x', before);
                len += before;
                memcpy(text + len, CASES[i].raw.ptr, CASES[i].raw.len);
                len += CASES[i].raw.len;
                text[len++] = '"';
                memset(text + len, ' ', behind);
                expect_one_pass(rc_str_make(text, len + behind));
                expect_one_pass(rc_str_make(text, len - 1)); /* the string has no closing quote */
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_unescape), cmocka_unit_test(test_appends),
        cmocka_unit_test(test_raw_eq),   cmocka_unit_test(test_failures),
        cmocka_unit_test(test_random),   cmocka_unit_test(test_value_in_one_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
