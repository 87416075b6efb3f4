/* Tests of the strict reader: exactly RFC 8259, and the position of each token and fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/json_tokens.h"
#include "json/reader.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A view of a literal that may contain a NUL. */
#define S(literal)                   \
    {                                \
        literal, sizeof(literal) - 1 \
    }

static json_tokens *read_strict(rc_str text)
{
    rc_json_limits limits = json_limits(false);
    return json_tokens_read(text, &limits);
}

static rc_json_reader reader_of(rc_str text, bool is_tolerant)
{
    rc_json_limits limits = json_limits(is_tolerant);
    rc_json_reader reader;
    rc_json_reader_init(&reader, text, &limits);
    return reader;
}

static void test_tokens(void **state)
{
    (void)state;
    static const char *const CASES[][2] = {
        {"{}", "{ } ."},
        {" [ ] ", "[ ] ."},
        {"null", "null ."},
        {"\"\"", "s() ."},
        {"-0.5e+10", "n(-0.5e+10) ."},
        {"[true,false,null,0,\"x\"]", "[ true false null n(0) s(x) ] ."},
        {"{\"a\":1,\"b\":{\"c\":[[],{}]}}", "{ k(a) n(1) k(b) { k(c) [ [ ] { } ] } } ."},
        {"{\"a\":1,\"a\":2}", "{ k(a) n(1) k(a) n(2) } ."},
        {"\t\r\n {\"a\" : [ 1 , 2 ] }\n", "{ k(a) [ n(1) n(2) ] } ."},
        {"[\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9\"]", "[ s(\\\"\\\\\\/\\b\\f\\n\\r\\t\\u00e9)~ ] ."},
        {"\"\\ud800\\udc00\\ud9ff\\udd12\\uda00\\ude34\\udbff\\udfff\\ud7ff\\ue000\"",
         "s(\\ud800\\udc00\\ud9ff\\udd12\\uda00\\ude34\\udbff\\udfff\\ud7ff\\ue000)~ ."},
        {"\"\\ud83d\\ude00\\uD83D\\uDE00\"", "s(\\ud83d\\ude00\\uD83D\\uDE00)~ ."},
        {"\"\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \x7F\"",
         "s(\xC3\xA9 \xE2\x82\xAC \xF0\x9F\x98\x80 \x7F) ."},
    };
    for (size_t i = 0; i < COUNT(CASES); i++) {
        json_tokens *got = read_strict(rc_str_c(CASES[i][0]));
        assert_string_equal(got->line, CASES[i][1]);
        assert_int_equal(got->fault.status, RC_OK);
        free(got);
    }
}

static void expect_token(rc_json_reader *reader, rc_json_type type, size_t offset, size_t end)
{
    rc_json_token token = rc_json_reader_next(reader);
    assert_int_equal(token.type, type);
    assert_int_equal(token.offset, offset);
    assert_int_equal(token.end, end);
}

static void test_offsets(void **state)
{
    (void)state;
    rc_json_reader reader = reader_of(RC_STR(" {\"key\": [\"v\\n\", -12, true]} "), false);
    expect_token(&reader, RC_JSON_OBJECT_BEGIN, 1, 2);
    expect_token(&reader, RC_JSON_KEY, 2, 7);
    expect_token(&reader, RC_JSON_ARRAY_BEGIN, 9, 10);
    expect_token(&reader, RC_JSON_STRING, 10, 15);
    expect_token(&reader, RC_JSON_NUMBER, 17, 20);
    expect_token(&reader, RC_JSON_TRUE, 22, 26);
    expect_token(&reader, RC_JSON_ARRAY_END, 26, 27);
    expect_token(&reader, RC_JSON_OBJECT_END, 27, 28);
    for (int i = 0; i < 3; i++)
        expect_token(&reader, RC_JSON_END, 29, 29);
}

typedef struct fault_case {
    rc_str text;
    rc_status status;
    size_t offset;
    const char *what;
} fault_case;

static const fault_case FAULTS[] = {
    {S(""), RC_E_TRUNCATED, 0, "text has no value"},
    {S(" \n"), RC_E_TRUNCATED, 2, "text has no value"},
    {S("["), RC_E_TRUNCATED, 1, "text ends inside a container"},
    {S("{\"a\""), RC_E_TRUNCATED, 4, "text ends inside a container"},
    {S("{\"a\":"), RC_E_TRUNCATED, 5, "text ends inside a container"},
    {S("[1,"), RC_E_TRUNCATED, 3, "text ends inside a container"},
    {S("\"abc"), RC_E_TRUNCATED, 4, "text ends inside a string"},
    {S("\"abc\\"), RC_E_TRUNCATED, 5, "text ends inside an escape"},
    {S("\"\\u12"), RC_E_TRUNCATED, 5, "text ends inside an escape"},
    {S("\"\\ud83d"), RC_E_TRUNCATED, 7, "text ends inside a surrogate pair"},
    {S("\"\\ud83d\\"), RC_E_TRUNCATED, 8, "text ends inside a surrogate pair"},
    {S("\"\\ud83d\\ud"), RC_E_TRUNCATED, 10, "text ends inside a surrogate pair"},
    {S("\"\\ud83d\\udc0"), RC_E_TRUNCATED, 12, "text ends inside a surrogate pair"},
    {S("\"\xE2\x82"), RC_E_TRUNCATED, 3, "text ends inside a string"},
    {S("\"\xF0"), RC_E_TRUNCATED, 2, "text ends inside a string"},
    {S("\"\xF4"), RC_E_TRUNCATED, 2, "text ends inside a string"},
    {S("\"\xF5"), RC_E_SYNTAX, 1, "invalid UTF-8"},
    {S("\"\xC1"), RC_E_SYNTAX, 1, "invalid UTF-8"},
    {S("\"\xC2"), RC_E_TRUNCATED, 2, "text ends inside a string"},
    {S("tru"), RC_E_TRUNCATED, 3, "text ends inside a word"},
    {S("-"), RC_E_TRUNCATED, 1, "text ends inside a number"},
    {S("1."), RC_E_TRUNCATED, 2, "text ends inside a number"},
    {S("1e"), RC_E_TRUNCATED, 2, "text ends inside a number"},
    {S("1e+"), RC_E_TRUNCATED, 3, "text ends inside a number"},
    {S("[1]2"), RC_E_SYNTAX, 3, "text after the value"},
    {S("01"), RC_E_SYNTAX, 1, "text after the value"},
    {S("{} x"), RC_E_SYNTAX, 3, "text after the value"},
    {S("null\0"), RC_E_SYNTAX, 4, "text after the value"},
    {S("\xEF\xBB\xBF{}"), RC_E_SYNTAX, 0, "expected a value"},
    {S("[,1]"), RC_E_SYNTAX, 1, "expected a value"},
    {S("[1,,2]"), RC_E_SYNTAX, 3, "expected a value"},
    {S("{\"a\":,}"), RC_E_SYNTAX, 5, "expected a value"},
    {S("{\"a\":}"), RC_E_SYNTAX, 5, "expected a value"},
    {S("'a'"), RC_E_SYNTAX, 0, "expected a value"},
    {S("+1"), RC_E_SYNTAX, 0, "expected a value"},
    {S(".5"), RC_E_SYNTAX, 0, "expected a value"},
    {S("NaN"), RC_E_SYNTAX, 0, "expected a value"},
    {S("\f1"), RC_E_SYNTAX, 0, "expected a value"},
    {S("trux"), RC_E_SYNTAX, 0, "unknown word"},
    {S("[nul]"), RC_E_SYNTAX, 1, "unknown word"},
    {S("[1,]"), RC_E_SYNTAX, 3, "comma before a closing bracket"},
    {S("{\"a\":1,}"), RC_E_SYNTAX, 7, "comma before a closing bracket"},
    {S("{,}"), RC_E_SYNTAX, 1, "expected a key"},
    {S("{1:2}"), RC_E_SYNTAX, 1, "expected a key"},
    {S("{\"a\":1,,}"), RC_E_SYNTAX, 7, "expected a key"},
    {S("{\"a\" 1}"), RC_E_SYNTAX, 5, "expected a colon"},
    {S("[1 2]"), RC_E_SYNTAX, 3, "expected a comma"},
    {S("{\"a\":1 \"b\":2}"), RC_E_SYNTAX, 7, "expected a comma"},
    {S("[1:2]"), RC_E_SYNTAX, 2, "expected a comma or a closing bracket"},
    {S("[1}"), RC_E_SYNTAX, 2, "closing bracket without its opening one"},
    {S("{]"), RC_E_SYNTAX, 1, "closing bracket without its opening one"},
    {S("]"), RC_E_SYNTAX, 0, "expected a value"},
    {S("[-]"), RC_E_SYNTAX, 2, "number needs a digit here"},
    {S("[1.e5]"), RC_E_SYNTAX, 3, "number needs a digit here"},
    {S("[1e]"), RC_E_SYNTAX, 3, "number needs a digit here"},
    {S("\"a\nb\""), RC_E_SYNTAX, 2, "control character in a string"},
    {S("\"\0\""), RC_E_SYNTAX, 1, "control character in a string"},
    {S("\"\x1F\""), RC_E_SYNTAX, 1, "control character in a string"},
    {S("\"\\x41\""), RC_E_SYNTAX, 1, "unknown escape"},
    {S("\"\\'\""), RC_E_SYNTAX, 1, "unknown escape"},
    {S("\"\\u12G4\""), RC_E_SYNTAX, 1, "\\u needs four hexadecimal digits"},
    {S("\"\\u12\""), RC_E_SYNTAX, 1, "\\u needs four hexadecimal digits"},
    {S("\"\\udc00\""), RC_E_SYNTAX, 1, "half of a surrogate pair"},
    {S("\"\\ud800\""), RC_E_SYNTAX, 1, "half of a surrogate pair"},
    {S("\"\\ud800\\ud800\""), RC_E_SYNTAX, 1, "half of a surrogate pair"},
    {S("\"\\ud800\\udb"), RC_E_SYNTAX, 1, "half of a surrogate pair"},
    {S("\"\\ud800\\u0"), RC_E_SYNTAX, 1, "half of a surrogate pair"},
    {S("\"\\ud800\\u00"), RC_E_SYNTAX, 1, "half of a surrogate pair"},
    {S("\"\\ud800\\ud8"), RC_E_SYNTAX, 1, "half of a surrogate pair"},
    {S("\"\\ud800x\""), RC_E_SYNTAX, 1, "half of a surrogate pair"},
    {S("\"a\xFF\""), RC_E_SYNTAX, 2, "invalid UTF-8"},
    {S("\"\xC0\x80\""), RC_E_SYNTAX, 1, "invalid UTF-8"},
    {S("\"\xED\xA0\x80\""), RC_E_SYNTAX, 1, "invalid UTF-8"},
    {S("\"\xE2\x82\""), RC_E_SYNTAX, 1, "invalid UTF-8"},
    {S("\"\xFF"), RC_E_SYNTAX, 1, "invalid UTF-8"},
    {S("\"\xFF\n\""), RC_E_SYNTAX, 1, "invalid UTF-8"},
    {S("\"\n\xFF\""), RC_E_SYNTAX, 1, "control character in a string"},
    {S("\"\\\xFF\""), RC_E_SYNTAX, 1, "unknown escape"},
    {S("{\"\xFF\":1}"), RC_E_SYNTAX, 2, "invalid UTF-8"},
};

static void test_faults(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(FAULTS); i++) {
        const fault_case *want = &FAULTS[i];
        char *copy = json_exact_copy(want->text.ptr, want->text.len);
        json_tokens *got = read_strict(rc_str_make(copy, want->text.len));
        if (got->last != RC_JSON_ERROR || got->fault.status != want->status ||
            got->fault.offset != want->offset || strcmp(got->fault.message, want->what) != 0)
            fail_msg("%s: status %d at %zu: %s", want->text.ptr, got->fault.status,
                     got->fault.offset, got->fault.message ? got->fault.message : "no fault");
        free(got);
        free(copy);
    }
}

static void test_error_repeats(void **state)
{
    (void)state;
    rc_json_reader reader = reader_of(RC_STR("[1 2, 3]"), false);
    expect_token(&reader, RC_JSON_ARRAY_BEGIN, 0, 1);
    expect_token(&reader, RC_JSON_NUMBER, 1, 2);
    for (int i = 0; i < 3; i++)
        expect_token(&reader, RC_JSON_ERROR, 3, 3);
    assert_int_equal(rc_json_reader_skip(&reader), 3);
    expect_token(&reader, RC_JSON_ERROR, 3, 3);
}

static void test_null_text(void **state)
{
    (void)state;
    for (int is_tolerant = 0; is_tolerant < 2; is_tolerant++) {
        rc_json_reader reader = reader_of(rc_str_make(NULL, 0), is_tolerant);
        rc_json_token token = rc_json_reader_next(&reader);
        assert_int_equal(token.type, is_tolerant ? RC_JSON_END : RC_JSON_ERROR);
        assert_int_equal(reader.fault.status, RC_E_TRUNCATED);
    }
}

/* Returns a text with arrays and objects nested `depth` deep, in turn. */
static char *nested_new(size_t depth, size_t *ret_len)
{
    char *text = malloc(8 * depth + 1);
    assert_non_null(text);
    size_t len = 0;
    for (size_t i = 0; i < depth; i++) {
        const char *open = i % 2 ? "{\"a\":" : "[";
        memcpy(text + len, open, strlen(open));
        len += strlen(open);
    }
    text[len++] = '1';
    for (size_t i = depth; i > 0; i--)
        text[len++] = (i - 1) % 2 ? '}' : ']';
    *ret_len = len;
    return text;
}

static void test_depth_ceiling(void **state)
{
    (void)state;
    for (uint32_t ceiling = 0; ceiling <= RC_JSON_DEPTH_MAX + 1; ceiling += ceiling < 4 ? 1 : 127) {
        uint32_t real = ceiling < RC_JSON_DEPTH_MAX ? ceiling : RC_JSON_DEPTH_MAX;
        for (size_t depth = real ? real : 1; depth <= real + 1; depth++) {
            for (int is_tolerant = 0; is_tolerant < 2; is_tolerant++) {
                size_t len;
                char *text = nested_new(depth, &len);
                rc_json_limits limits = json_limits(is_tolerant);
                limits.max_depth = ceiling;
                json_tokens *got = json_tokens_read(rc_str_make(text, len), &limits);
                bool is_too_deep = depth > real;
                assert_int_equal(got->last, is_too_deep ? RC_JSON_ERROR : RC_JSON_END);
                assert_int_equal(got->fault.status, is_too_deep ? RC_E_TOO_DEEP : RC_OK);
                free(got);
                free(text);
            }
        }
    }
}

static void test_size_ceiling(void **state)
{
    (void)state;
    rc_json_limits limits = json_limits(false);
    limits.max_bytes = 7;
    json_tokens *got = json_tokens_read(RC_STR("[1,[2]]"), &limits);
    assert_string_equal(got->line, "[ n(1) [ n(2) ] ] .");
    free(got);
    got = json_tokens_read(RC_STR("[1,[2]] "), &limits);
    assert_string_equal(got->line, "!");
    assert_int_equal(got->fault.status, RC_E_TOO_LARGE);
    assert_int_equal(got->fault.offset, 7);
    free(got);

    limits.is_tolerant = true;
    limits.max_bytes = 5;
    got = json_tokens_read(RC_STR("[1,[2]]"), &limits);
    assert_string_equal(got->line, "[ n(1) [ n(2) ] ] .");
    assert_int_equal(got->fault.status, RC_E_TOO_LARGE);
    free(got);
}

/* A valid text that is cut at any byte is RC_E_TRUNCATED, never RC_E_SYNTAX, in both modes. */
static void test_every_prefix_is_truncated(void **state)
{
    (void)state;
    rc_str text =
        RC_STR("{\"a\\u00e9\":[true,false,null,-1.5e+3,\"\\ud83d\\ude00 \xF0\x9F\x98\x80\\n\"],"
               " \"b\" : {\"c\":{}, \"\xC3\xA9\":[[]]}}");
    for (size_t len = 0; len < text.len; len++) {
        for (int is_tolerant = 0; is_tolerant < 2; is_tolerant++) {
            char *copy = json_exact_copy(text.ptr, len);
            rc_json_limits limits = json_limits(is_tolerant);
            json_tokens *got = json_tokens_read(rc_str_make(copy, len), &limits);
            assert_int_equal(got->fault.status, RC_E_TRUNCATED);
            assert_int_equal(got->fault.offset, len);
            assert_int_equal(got->last, is_tolerant ? RC_JSON_END : RC_JSON_ERROR);
            free(got);
            free(copy);
        }
    }
}

static void test_skip(void **state)
{
    (void)state;
    rc_str text =
        RC_STR("{\"a\":[1,{\"]\":\"}\\\"]\"}],\"b\":\"x\\\"y\",\"c\":12,\"d\":{},\"e\":null}");
    for (int is_tolerant = 0; is_tolerant < 2; is_tolerant++) {
        rc_json_reader reader = reader_of(text, is_tolerant);
        expect_token(&reader, RC_JSON_OBJECT_BEGIN, 0, 1);
        static const size_t ENDS[] = {21, 32, 39, 46, 55};
        for (size_t i = 0; i < COUNT(ENDS); i++) {
            assert_int_equal(rc_json_reader_next(&reader).type, RC_JSON_KEY);
            assert_int_equal(rc_json_reader_skip(&reader), ENDS[i]);
            assert_int_equal(rc_json_reader_skip(&reader), ENDS[i]); /* the value has been read
                                                                        completely, so nothing is
                                                                        skipped */
        }
        expect_token(&reader, RC_JSON_OBJECT_END, 55, 56);
        expect_token(&reader, RC_JSON_END, 56, 56);

        reader = reader_of(text, is_tolerant);
        expect_token(&reader, RC_JSON_OBJECT_BEGIN, 0, 1);
        assert_int_equal(rc_json_reader_skip(&reader), 56);
        expect_token(&reader, RC_JSON_END, 56, 56);
        assert_int_equal(reader.fault.status, RC_OK);
    }
}

static void test_skip_container_just_opened(void **state)
{
    (void)state;
    rc_json_reader reader = reader_of(RC_STR("[[1,2],[3]]"), false);
    expect_token(&reader, RC_JSON_ARRAY_BEGIN, 0, 1);
    expect_token(&reader, RC_JSON_ARRAY_BEGIN, 1, 2);
    assert_int_equal(rc_json_reader_skip(&reader), 6);
    expect_token(&reader, RC_JSON_ARRAY_BEGIN, 7, 8);
    expect_token(&reader, RC_JSON_NUMBER, 8, 9);
    assert_int_equal(rc_json_reader_skip(&reader), 9); /* after a scalar, nothing is skipped */
    expect_token(&reader, RC_JSON_ARRAY_END, 9, 10);
    expect_token(&reader, RC_JSON_ARRAY_END, 10, 11);
    expect_token(&reader, RC_JSON_END, 11, 11);
}

/* Skipping follows only strings and brackets, and has no maximum depth. */
static void test_skip_does_not_validate(void **state)
{
    (void)state;
    rc_json_reader reader = reader_of(RC_STR("[[1 2,,\n\"a\nb\xFF\",{}},3]"), false);
    expect_token(&reader, RC_JSON_ARRAY_BEGIN, 0, 1);
    expect_token(&reader, RC_JSON_ARRAY_BEGIN, 1, 2);
    assert_int_equal(rc_json_reader_skip(&reader), 18); /* [ is closed by } */
    expect_token(&reader, RC_JSON_NUMBER, 19, 20);

    /* The maximum depth applies only to values that are read. */
    rc_json_limits limits = json_limits(false);
    limits.max_depth = 1;
    rc_json_reader_init(&reader, RC_STR("{\"a\":[[1]],\"b\":[]}"), &limits);
    expect_token(&reader, RC_JSON_OBJECT_BEGIN, 0, 1);
    expect_token(&reader, RC_JSON_KEY, 1, 4);
    assert_int_equal(rc_json_reader_skip(&reader), 10);
    expect_token(&reader, RC_JSON_KEY, 11, 14);
    expect_token(&reader, RC_JSON_ERROR, 15, 15);
    assert_int_equal(reader.fault.status, RC_E_TOO_DEEP);

    size_t len;
    char *text = nested_new(5000, &len);
    reader = reader_of(rc_str_make(text, len), false);
    expect_token(&reader, RC_JSON_ARRAY_BEGIN, 0, 1);
    assert_int_equal(rc_json_reader_skip(&reader), len);
    expect_token(&reader, RC_JSON_END, len, len);
    free(text);
}

static void test_skip_truncated(void **state)
{
    (void)state;
    static const char *const CASES[] = {"{\"a\":[1,{\"b\":2}", "{\"a\":\"text",
                                        "{\"a\":", "{\"a\""};
    for (size_t i = 0; i < COUNT(CASES); i++) {
        for (int is_tolerant = 0; is_tolerant < 2; is_tolerant++) {
            size_t len = strlen(CASES[i]);
            rc_json_reader reader = reader_of(rc_str_c(CASES[i]), is_tolerant);
            expect_token(&reader, RC_JSON_OBJECT_BEGIN, 0, 1);
            expect_token(&reader, RC_JSON_KEY, 1, 4);
            assert_int_equal(rc_json_reader_skip(&reader), len);
            assert_int_equal(reader.fault.status, RC_E_TRUNCATED);
            assert_int_equal(reader.fault.offset, len);
            expect_token(&reader, is_tolerant ? RC_JSON_OBJECT_END : RC_JSON_ERROR, len, len);
            expect_token(&reader, is_tolerant ? RC_JSON_END : RC_JSON_ERROR, len, len);
        }
    }
}

static void test_skip_where_a_colon_is_missing(void **state)
{
    (void)state;
    rc_json_reader reader = reader_of(RC_STR("{\"a\" 1}"), false);
    rc_json_reader_next(&reader);
    rc_json_reader_next(&reader);
    rc_json_reader_skip(&reader);
    assert_int_equal(reader.fault.status, RC_E_SYNTAX);
    expect_token(&reader, RC_JSON_ERROR, 5, 5);
}

/* Reads a string of 10 MB, and 10 MB of small values. */
static void test_large_texts(void **state)
{
    (void)state;
    size_t len = 10u << 20;
    char *text = malloc(len);
    assert_non_null(text);
    memset(text, 'x', len);
    text[0] = text[len - 1] = '"';
    json_tokens *got = read_strict(rc_str_make(text, len));
    assert_int_equal(got->last, RC_JSON_END);
    assert_int_equal(got->count, 1);
    free(got);
    for (size_t i = 0; i < len; i++)
        text[i] = i % 2 ? '1' : ',';
    text[0] = '[';
    text[len - 1] = ']';
    text[len - 2] = '2';
    text[len - 3] = ',';
    got = read_strict(rc_str_make(text, len));
    assert_int_equal(got->last, RC_JSON_ERROR); /* the fault is ",," */
    text[len - 3] = '1';
    free(got);
    got = read_strict(rc_str_make(text, len));
    assert_int_equal(got->last, RC_JSON_END);
    assert_int_equal(got->count, len / 2 - 1 + 2);
    free(got);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tokens),
        cmocka_unit_test(test_offsets),
        cmocka_unit_test(test_faults),
        cmocka_unit_test(test_error_repeats),
        cmocka_unit_test(test_null_text),
        cmocka_unit_test(test_depth_ceiling),
        cmocka_unit_test(test_size_ceiling),
        cmocka_unit_test(test_every_prefix_is_truncated),
        cmocka_unit_test(test_skip),
        cmocka_unit_test(test_skip_container_just_opened),
        cmocka_unit_test(test_skip_does_not_validate),
        cmocka_unit_test(test_skip_truncated),
        cmocka_unit_test(test_skip_where_a_colon_is_missing),
        cmocka_unit_test(test_large_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
