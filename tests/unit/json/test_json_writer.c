/* Tests of rc_json_writer: commas, nesting, escapes, and failures of the buffer. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/utf8.h"
#include "support/fail_alloc.h"
#include "support/json_tokens.h"
#include "json/reader.h"
#include "json/writer.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define S(literal)                   \
    {                                \
        literal, sizeof(literal) - 1 \
    }
#define FFFD "\xEF\xBF\xBD"

static void write_sample(rc_json_writer *w)
{
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("s"), RC_STR("a\"b"));
    rc_json_member_i64(w, RC_STR("i"), INT64_MIN);
    rc_json_key(w, RC_STR("u"));
    rc_json_u64(w, UINT64_MAX);
    rc_json_member_bool(w, RC_STR("t"), true);
    rc_json_member_bool(w, RC_STR("f"), false);
    rc_json_key(w, RC_STR("list"));
    rc_json_array_begin(w);
    rc_json_null(w);
    rc_json_raw(w, RC_STR("1.5"));
    rc_json_object_begin(w);
    rc_json_object_end(w);
    rc_json_array_begin(w);
    rc_json_array_end(w);
    rc_json_i64(w, 0);
    rc_json_string(w, RC_STR(""));
    rc_json_array_end(w);
    rc_json_key(w, RC_STR("o"));
    rc_json_object_begin(w);
    rc_json_member_i64(w, RC_STR("k"), -1);
    rc_json_object_end(w);
    rc_json_object_end(w);
}

static void expect_text(const rc_buf *buf, const char *want)
{
    rc_str got = rc_buf_get(buf);
    if (!rc_str_eq(got, rc_str_c(want)))
        fail_msg("%.*s\nwant %s", (int)got.len, got.ptr ? got.ptr : "", want);
}

static void test_compact(void **state)
{
    (void)state;
    char memory[512];
    rc_buf buf;
    rc_json_writer w;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_json_writer_init(&w, &buf, 0);
    write_sample(&w);
    expect_text(&buf, "{\"s\":\"a\\\"b\",\"i\":-9223372036854775808,\"u\":18446744073709551615,"
                      "\"t\":true,\"f\":false,\"list\":[null,1.5,{},[],0,\"\"],\"o\":{\"k\":-1}}");
    assert_int_equal(w.depth, 0);
}

static void test_indented(void **state)
{
    (void)state;
    char memory[512];
    rc_buf buf;
    rc_json_writer w;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_json_writer_init(&w, &buf, 2);
    write_sample(&w);
    expect_text(&buf,
                "{\n  \"s\": \"a\\\"b\",\n  \"i\": -9223372036854775808,\n"
                "  \"u\": 18446744073709551615,\n  \"t\": true,\n  \"f\": false,\n"
                "  \"list\": [\n    null,\n    1.5,\n    {},\n    [],\n    0,\n    \"\"\n  ],\n"
                "  \"o\": {\n    \"k\": -1\n  }\n}");
}

static void test_wide_indent(void **state)
{
    (void)state;
    char memory[512];
    rc_buf buf;
    rc_json_writer w;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_json_writer_init(&w, &buf, 33);
    rc_json_array_begin(&w);
    rc_json_array_begin(&w);
    rc_json_null(&w);
    rc_json_array_end(&w);
    rc_json_array_end(&w);
    char want[512];
    snprintf(want, sizeof want, "[\n%33s[\n%66snull\n%33s]\n]", "", "", "");
    expect_text(&buf, want);
}

static void test_scalar_alone(void **state)
{
    (void)state;
    char memory[64];
    rc_buf buf;
    rc_json_writer w;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_json_writer_init(&w, &buf, 4);
    rc_json_string(&w, rc_str_make(NULL, 0));
    expect_text(&buf, "\"\"");
}

static const struct {
    rc_str value;
    const char *quoted;
} ESCAPES[] = {
    {S(""), "\"\""},
    {S("plain text, longer than eight bytes"), "\"plain text, longer than eight bytes\""},
    {S("\"\\/"), "\"\\\"\\\\/\""},
    {S("\b\f\n\r\t"), "\"\\b\\f\\n\\r\\t\""},
    {S("\0\x01\x1F\x7F"), "\"\\u0000\\u0001\\u001f\\u007f\""},
    {S("\xC2\x80\xC2\x9B\xC2\xA0"), "\"\\u0080\\u009b\xC2\xA0\""},
    {S("a\xE2\x80\xA8"
       "b\xE2\x80\xA9"
       "c\xE2\x80\xA7"),
     "\"a\\u2028b\\u2029c\xE2\x80\xA7\""},
    {S("\xE2\x80\xAE\xE2\x80\xAA\xE2\x81\xA6\xE2\x81\xA9\xE2\x80\x8E\xE2\x80\x8F\xD8\x9C\xE2\x80"
       "\xAF"),
     "\"\\u202e\\u202a\\u2066\\u2069\\u200e\\u200f\\u061c\xE2\x80\xAF\""},
    {S("\xE2\x80\x8B\xE2\x81\xA0\xEF\xBB\xBF\xF3\xA0\x81\x81"),
     "\"\\u200b\\u2060\\ufeff\\udb40\\udc41\""},
    {S("\xE2\x80\x8C\xE2\x80\x8D"), "\"\xE2\x80\x8C\xE2\x80\x8D\""},
    {S("\xC3\xA9\xE6\x97\xA5\xF0\x9F\x98\x80"), "\"\xC3\xA9\xE6\x97\xA5\xF0\x9F\x98\x80\""},
    {S("\xFF"), "\"" FFFD "\""},
    {S("a\xC3(\xE2\x82"), "\"a" FFFD "(" FFFD "\""},
    {S("\xED\xA0\x80"), "\"" FFFD FFFD FFFD "\""},
    {S(FFFD), "\"" FFFD "\""},
};

static void test_escapes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(ESCAPES); i++) {
        char memory[128];
        rc_buf buf;
        rc_buf_init_fixed(&buf, memory, sizeof memory);
        char *copy = json_exact_copy(ESCAPES[i].value.ptr, ESCAPES[i].value.len);
        rc_json_push_quoted(&buf, rc_str_make(copy, ESCAPES[i].value.len));
        expect_text(&buf, ESCAPES[i].quoted);
        free(copy);
    }
}

/* Every character is written in rc_json_escaped_len bytes, and is read as itself. */
static void test_every_character(void **state)
{
    (void)state;
    for (uint32_t cp = 0; cp <= 0x10FFFF; cp++) {
        char bytes[4];
        char memory[64];
        rc_buf buf;
        if (cp >= 0xD800 && cp <= 0xDFFF)
            continue;
        const size_t len = rc_utf8_encode(cp, bytes);
        rc_buf_init_fixed(&buf, memory, sizeof memory);
        rc_json_push_quoted(&buf, rc_str_make(bytes, len));
        const rc_str quoted = rc_buf_get(&buf);
        assert_int_equal(quoted.len, 2 + rc_json_escaped_len(cp, len));
        const rc_str raw = rc_str_slice(quoted, 1, quoted.len - 1);
        assert_true(rc_json_raw_eq(raw, raw.ptr[0] == '\\', rc_str_make(bytes, len)));
    }
}

static void test_keys_are_escaped(void **state)
{
    (void)state;
    char memory[64];
    rc_buf buf;
    rc_json_writer w;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_json_writer_init(&w, &buf, 0);
    rc_json_object_begin(&w);
    rc_json_member_i64(&w, RC_STR("a\n\"\xFF"), 1);
    rc_json_member_i64(&w, RC_STR(""), 2);
    rc_json_object_end(&w);
    expect_text(&buf, "{\"a\\n\\\"" FFFD "\":1,\"\":2}");
}

/* Each byte value at each position, in strings of about the length of a vector. */
static void test_every_byte_reads_back(void **state)
{
    (void)state;
    static const size_t LENGTHS[] = {1, 7, 8, 9, 31, 64, 127, 128, 129, 200};
    char memory[2048];
    for (size_t l = 0; l < COUNT(LENGTHS); l++) {
        for (unsigned value = 0; value < 128; value++) {
            for (size_t i = 0; i < LENGTHS[l]; i += 1 + LENGTHS[l] / 16) {
                char bytes[200];
                memset(bytes, 'a', sizeof bytes);
                bytes[i] = (char)value;
                rc_str text = rc_str_make(bytes, LENGTHS[l]);
                rc_buf buf;
                rc_buf_init_fixed(&buf, memory, sizeof memory);
                rc_json_push_quoted(&buf, text);
                rc_json_limits limits = json_limits(false);
                rc_json_reader reader;
                rc_json_reader_init(&reader, rc_buf_get(&buf), &limits);
                rc_json_token token = rc_json_reader_next(&reader);
                assert_int_equal(token.type, RC_JSON_STRING);
                assert_true(rc_json_raw_eq(token.raw, token.has_escapes, text));
                assert_int_equal(rc_json_reader_next(&reader).type, RC_JSON_END);
            }
        }
    }
}

static void test_depth(void **state)
{
    (void)state;
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    for (size_t depth = RC_JSON_WRITER_DEPTH_MAX; depth <= RC_JSON_WRITER_DEPTH_MAX + 1; depth++) {
        rc_buf buf;
        rc_json_writer w;
        rc_buf_init(&buf, &alloc, SIZE_MAX);
        rc_json_writer_init(&w, &buf, 0);
        for (size_t i = 0; i < depth; i++)
            rc_json_array_begin(&w);
        for (size_t i = 0; i < depth; i++)
            rc_json_array_end(&w);
        bool fits = depth <= RC_JSON_WRITER_DEPTH_MAX;
        assert_int_equal(rc_buf_status(&buf), fits ? RC_OK : RC_E_TOO_LARGE);
        if (fits)
            assert_int_equal(rc_buf_get(&buf).len, 2 * depth);
        rc_buf_done(&buf);
    }
    assert_int_equal(a.live, 0);
}

static void test_end_without_begin(void **state)
{
    (void)state;
    fail_alloc a = {0};
    rc_alloc alloc = fail_alloc_of(&a);
    rc_buf buf;
    rc_json_writer w;
    rc_buf_init(&buf, &alloc, SIZE_MAX);
    rc_json_writer_init(&w, &buf, 0);
    rc_json_object_end(&w);
    assert_int_equal(rc_buf_status(&buf), RC_E_TOO_LARGE);
    assert_int_equal(w.depth, 0);
    rc_buf_done(&buf);
}

/* With a buffer of any size, a failure is sticky, and the bytes are a prefix of the whole text. */
static void test_every_buffer_size(void **state)
{
    (void)state;
    char whole[512];
    rc_buf buf;
    rc_json_writer w;
    rc_buf_init_fixed(&buf, whole, sizeof whole);
    rc_json_writer_init(&w, &buf, 2);
    write_sample(&w);
    size_t len = rc_buf_get(&buf).len;
    for (size_t space = 0; space <= len; space++) {
        char memory[512];
        rc_buf_init_fixed(&buf, memory, space);
        rc_json_writer_init(&w, &buf, 2);
        write_sample(&w);
        assert_int_equal(rc_buf_status(&buf), space < len ? RC_E_TOO_LARGE : RC_OK);
        assert_memory_equal(memory, whole, rc_buf_get(&buf).len);
    }
}

static void test_every_allocation(void **state)
{
    (void)state;
    for (int for_good = 0; for_good < 2; for_good++) {
        for (size_t fail_at = 1;; fail_at++) {
            fail_alloc a = {.fail_at = fail_at, .for_good = for_good};
            rc_alloc alloc = fail_alloc_of(&a);
            rc_buf buf;
            rc_json_writer w;
            rc_buf_init(&buf, &alloc, SIZE_MAX);
            rc_json_writer_init(&w, &buf, 40);
            write_sample(&w);
            bool is_failed = a.calls >= fail_at;
            assert_int_equal(rc_buf_status(&buf), is_failed ? RC_E_NOMEM : RC_OK);
            rc_buf_done(&buf);
            assert_int_equal(a.live, 0);
            if (!is_failed)
                break;
            assert_true(fail_at < 20);
        }
    }
}

/* Ready keys must result in the same bytes as rc_json_key. */
static void write_ready(rc_json_writer *w)
{
    static const rc_json_ready_key FIRST = RC_JSON_READY_KEY("first");
    static const rc_json_ready_key LONGEST = RC_JSON_READY_KEY("a_key_of_twenty_eight_letter");
    rc_json_object_begin(w);
    rc_json_ready_key_push(w, &FIRST);
    rc_json_string_verbatim(w, RC_STR("name"));
    rc_json_ready_key_push(w, &LONGEST);
    rc_json_object_begin(w);
    rc_json_ready_key_push(w, &FIRST);
    rc_json_bool(w, true);
    rc_json_object_end(w);
    rc_json_ready_key_push(w, &FIRST);
    rc_json_string(w, RC_STR("sixteen bytes \"\x1b\" and \xC3\xA9\xE2\x80\xA8 more\n"));
    rc_json_object_end(w);
}

static void test_ready_keys_at_every_buffer_size(void **state)
{
    (void)state;
    static const char WANT[] =
        "{\"first\":\"name\",\"a_key_of_twenty_eight_letter\":{\"first\":true},"
        "\"first\":\"sixteen bytes \\\"\\u001b\\\" and \xC3\xA9\\u2028 more\\n\"}";
    const size_t len = sizeof WANT - 1;
    for (size_t space = 0; space <= len + 64; space++) {
        char memory[512];
        rc_buf buf;
        rc_json_writer w;
        memset(memory, '#', sizeof memory);
        rc_buf_init_fixed(&buf, memory, space);
        rc_json_writer_init(&w, &buf, 0);
        write_ready(&w);
        assert_int_equal(rc_buf_status(&buf), space < len ? RC_E_TOO_LARGE : RC_OK);
        assert_memory_equal(memory, WANT, rc_buf_get(&buf).len);
        if (space >= len)
            assert_int_equal(rc_buf_get(&buf).len, len);
        assert_int_equal(memory[space], '#');
    }
}

/* Escapes at every position of texts of every length. */
static void test_escapes_at_every_position(void **state)
{
    (void)state;
    for (size_t len = 1; len <= 50; len++) {
        for (size_t at = 0; at < len; at++) {
            char text[64];
            char want[80];
            memset(text, 'x', len);
            text[at] = at % 2 ? '"' : '\n';
            memset(want, 'x', len + 3);
            want[0] = want[len + 2] = '"';
            want[1 + at] = '\\';
            want[2 + at] = at % 2 ? '"' : 'n';
            char memory[200];
            rc_buf buf;
            rc_buf_init_fixed(&buf, memory, sizeof memory);
            rc_json_push_quoted(&buf, rc_str_make(text, len));
            assert_true(rc_str_eq(rc_buf_get(&buf), rc_str_make(want, len + 3)));
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_compact),
        cmocka_unit_test(test_indented),
        cmocka_unit_test(test_wide_indent),
        cmocka_unit_test(test_scalar_alone),
        cmocka_unit_test(test_escapes),
        cmocka_unit_test(test_every_character),
        cmocka_unit_test(test_keys_are_escaped),
        cmocka_unit_test(test_every_byte_reads_back),
        cmocka_unit_test(test_depth),
        cmocka_unit_test(test_end_without_begin),
        cmocka_unit_test(test_every_buffer_size),
        cmocka_unit_test(test_every_allocation),
        cmocka_unit_test(test_ready_keys_at_every_buffer_size),
        cmocka_unit_test(test_escapes_at_every_position),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
