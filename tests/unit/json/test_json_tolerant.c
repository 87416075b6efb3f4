/* Tests of the tolerant reader: malformed texts that providers and proxies send in practice. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/json_tokens.h"
#include "support/often.h"
#include "json/reader.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define S(literal)                   \
    {                                \
        literal, sizeof(literal) - 1 \
    }

static json_tokens *read_tolerant(rc_str text)
{
    rc_json_limits limits = json_limits(true);
    return json_tokens_read(text, &limits);
}

typedef struct damage_case {
    rc_str text;
    const char *tokens;
    rc_status status;
    size_t offset;
    const char *what;
} damage_case;

static const damage_case CASES[] = {
    /* well-formed text */
    {S("{\"a\":[1,\"b\"]}"), "{ k(a) [ n(1) s(b) ] } .", RC_OK, 0, NULL},
    {S("\xEF\xBB\xBF{}"), "{ } .", RC_OK, 0, NULL},

    /* truncated texts */
    {S(""), ".", RC_E_TRUNCATED, 0, "text has no value"},
    {S("\xEF\xBB\xBF"), ".", RC_E_TRUNCATED, 3, "text has no value"},
    {S("{\"error\":{\"message\":\"Rate lim"), "{ k(error) { k(message) s(Rate lim) } } .",
     RC_E_TRUNCATED, 29, "text ends inside a string"},
    {S("{\"error\":{\"mess"), "{ k(error) { k(mess) null } } .", RC_E_TRUNCATED, 15,
     "text ends inside a string"},
    {S("{\"a\":"), "{ k(a) null } .", RC_E_TRUNCATED, 5, "text ends inside a container"},
    {S("{\"a\""), "{ k(a) null } .", RC_E_TRUNCATED, 4, "text ends inside a container"},
    {S("{\"a\":1,"), "{ k(a) n(1) } .", RC_E_TRUNCATED, 7, "text ends inside a container"},
    {S("[1,[2,"), "[ n(1) [ n(2) ] ] .", RC_E_TRUNCATED, 6, "text ends inside a container"},
    {S("[\"x\\"), "[ s(x\\)~ ] .", RC_E_TRUNCATED, 4, "text ends inside an escape"},
    {S("[\"x\\u1"), "[ s(x\\u1)~ ] .", RC_E_TRUNCATED, 6, "text ends inside an escape"},
    {S("[\"\xE2\x82"), "[ s(\xE2\x82)~ ] .", RC_E_TRUNCATED, 4, "text ends inside a string"},
    {S("[tru"), "[ s(tru) ] .", RC_E_TRUNCATED, 4, "text ends inside a word"},
    {S("[12."), "[ s(12.) ] .", RC_E_TRUNCATED, 4, "text ends inside a number"},

    /* faults in strings */
    {S("{\"a\":\"line\nline\ttab\x01\"}"), "{ k(a) s(line\nline\ttab\x01) } .", RC_E_SYNTAX, 10,
     "control character in a string"},
    {S("[\"C:\\Users\\x\"]"), "[ s(C:\\Users\\x)~ ] .", RC_E_SYNTAX, 4, "unknown escape"},
    {S("[\"\\u12\",\"\\ud800\"]"), "[ s(\\u12)~ s(\\ud800)~ ] .", RC_E_SYNTAX, 2,
     "\\u needs four hexadecimal digits"},
    {S("[\"\\ud800\"]"), "[ s(\\ud800)~ ] .", RC_E_SYNTAX, 2, "half of a surrogate pair"},
    {S("[\"a\xFF\"]"), "[ s(a\xFF)~ ] .", RC_E_SYNTAX, 3, "invalid UTF-8"},
    {S("{\"message\":\"Invalid \"type\" given\",\"code\":1}"),
     "{ k(message) s(Invalid ) k(type) s( given) k(code) n(1) } .", RC_E_SYNTAX, 21,
     "expected a comma"},

    /* missing and surplus commas and colons */
    {S("{,\"a\":1,,\"b\":2,}"), "{ k(a) n(1) k(b) n(2) } .", RC_E_SYNTAX, 1, "expected a key"},
    {S("[,1,,2,]"), "[ n(1) n(2) ] .", RC_E_SYNTAX, 1, "expected a value"},
    {S("[1,]"), "[ n(1) ] .", RC_E_SYNTAX, 3, "comma before a closing bracket"},
    {S("[[1,],2]"), "[ [ n(1) ] n(2) ] .", RC_E_SYNTAX, 4, "comma before a closing bracket"},
    {S("[{\"a\":1,},2]"), "[ { k(a) n(1) } n(2) ] .", RC_E_SYNTAX, 8,
     "comma before a closing bracket"},
    {S("{\"a\":1,}"), "{ k(a) n(1) } .", RC_E_SYNTAX, 7, "comma before a closing bracket"},
    {S("{\"a\":1 \"b\":[1 2 \"x\" {} true]}"), "{ k(a) n(1) k(b) [ n(1) n(2) s(x) { } true ] } .",
     RC_E_SYNTAX, 7, "expected a comma"},
    {S("{\"a\" 1}"), "{ k(a) n(1) } .", RC_E_SYNTAX, 5, "expected a colon"},
    {S("{\"a\"=>1}"), "{ k(a) n(1) } .", RC_E_SYNTAX, 4, "expected a colon"},
    {S("{\"a\"::1}"), "{ k(a) n(1) } .", RC_E_SYNTAX, 5, "expected a value"},
    {S("{\"a\",\"b\":,\"c\"}"), "{ k(a) null k(b) null k(c) null } .", RC_E_SYNTAX, 4,
     "expected a colon"},
    {S("{\"a\":,\"b\":1}"), "{ k(a) null k(b) n(1) } .", RC_E_SYNTAX, 5, "expected a value"},
    {S("{\"a\":}"), "{ k(a) null } .", RC_E_SYNTAX, 5, "expected a value"},
    {S("{\"a\":1;\"b\":2}"), "{ k(a) n(1) k(b) n(2) } .", RC_E_SYNTAX, 6,
     "expected a comma or a closing bracket"},

    /* stray bytes */
    {S("{\"a\":\0 1,\x7F\"b\":#2*}"), "{ k(a) n(1) k(b) n(2) } .", RC_E_SYNTAX, 5,
     "expected a value"},
    {S("\x01\x02{}"), "{ } .", RC_E_SYNTAX, 0, "expected a value"},
    {S("\0"), ".", RC_E_SYNTAX, 0, "expected a value"},
    {S(",:}]"), ".", RC_E_SYNTAX, 0, "expected a value"},
    {S(")]}',\n{\"a\":1}"), "{ k(a) n(1) } .", RC_E_SYNTAX, 0, "expected a value"},

    /* missing and wrong brackets */
    {S("{\"a\":[1,2}"), "{ k(a) [ n(1) n(2) ] } .", RC_E_SYNTAX, 9,
     "closing bracket of the other kind"},
    {S("[{\"a\":1]"), "[ { k(a) n(1) } ] .", RC_E_SYNTAX, 7, "closing bracket of the other kind"},
    {S("[{\"a\":]"), "[ { k(a) null } ] .", RC_E_SYNTAX, 6, "expected a value"},
    {S("[1}]"), "[ n(1) ] .", RC_E_SYNTAX, 2, "closing bracket without its opening one"},
    {S("[}]"), "[ ] .", RC_E_SYNTAX, 1, "closing bracket without its opening one"},
    {S("{]}"), "{ } .", RC_E_SYNTAX, 1, "closing bracket without its opening one"},
    {S("{\"a\":{\"b\":1}"), "{ k(a) { k(b) n(1) } } .", RC_E_TRUNCATED, 12,
     "text ends inside a container"},
    {S("{{\"a\":1},[2]}"), "{ k() { k(a) n(1) } k() [ n(2) ] } .", RC_E_SYNTAX, 1,
     "value without a key"},
    {S("{\"a\":1} and more"), "{ k(a) n(1) } .", RC_E_SYNTAX, 8, "text after the value"},
    {S("{\"a\":1}}"), "{ k(a) n(1) } .", RC_E_SYNTAX, 7, "text after the value"},

    /* bare words, and the syntax of Python and JavaScript */
    {S("{error: Bad Gateway: upstream , code: 502}"),
     "{ k(error) s(Bad Gateway: upstream) k(code) n(502) } .", RC_E_SYNTAX, 1, "bare word"},
    {S("{\"ok\": undefined, \"n\": NaN}"), "{ k(ok) s(undefined) k(n) s(NaN) } .", RC_E_SYNTAX, 7,
     "bare word"},
    {S("[01,+1,.5,1.2.3,0x10,2024-01-01]"),
     "[ s(01) s(+1) s(.5) s(1.2.3) s(0x10) s(2024-01-01) ] .", RC_E_SYNTAX, 1, "bare word"},
    {S("{'error': {'message': 'It\\'s \"over\", ok', 'code': None, 'x': True, 'y': False}}"),
     "{ k(error) { k(message) s(It\\'s \"over\", ok)~ k(code) null k(x) true k(y) false } } .",
     RC_E_SYNTAX, 1, "string in single quotes"},
    {S("{'a': 'cut of"), "{ k(a) s(cut of) } .", RC_E_SYNTAX, 1, "string in single quotes"},
    {S("['\xC3\xA9','\xFF']"), "[ s(\xC3\xA9) s(\xFF)~ ] .", RC_E_SYNTAX, 1,
     "string in single quotes"},
    {S("{\"a\": b\\n\xFF}"), "{ k(a) s(b\\n\xFF)~ } .", RC_E_SYNTAX, 6, "bare word"},
    {S("{error code: 5}"), "{ k(error) s(code: 5) } .", RC_E_SYNTAX, 1, "bare word"},
    {S("{1:2,true:3}"), "{ k(1) n(2) k(true) n(3) } .", RC_E_SYNTAX, 1, "bare word"},
    {S("[word\nnext]"), "[ s(word) s(next) ] .", RC_E_SYNTAX, 1, "bare word"},
    {S("<html><title>502</title>"), "s(<html><title>502</title>) .", RC_E_SYNTAX, 0, "bare word"},
    {S("upstream connect error"), "s(upstream connect error) .", RC_E_SYNTAX, 0, "bare word"},
    {S("data: {\"a\":1}"), "s(data:) .", RC_E_SYNTAX, 0, "bare word"},
};

static void test_damage(void **state)
{
    (void)state;
    size_t wrong = 0;
    for (size_t i = 0; i < COUNT(CASES); i++) {
        const damage_case *want = &CASES[i];
        char *copy = json_exact_copy(want->text.ptr, want->text.len);
        json_tokens *got = read_tolerant(rc_str_make(copy, want->text.len));
        const char *what = got->fault.message ? got->fault.message : "";
        bool is_right = strcmp(got->line, want->tokens) == 0 && got->fault.status == want->status &&
                        got->fault.offset == want->offset &&
                        strcmp(what, want->what ? want->what : "") == 0;
        if (!is_right)
            print_error("%s\n  gave %s\n  want %s\n  status %d at %zu: %s\n", want->text.ptr,
                        got->line, want->tokens, got->fault.status, got->fault.offset, what);
        wrong += !is_right;
        free(got);
        free(copy);
    }
    assert_int_equal(wrong, 0);
}

/* A closing bracket also closes all containers inside the one it matches. A stray bracket is
 * skipped. */
static void test_mismatch_far_down(void **state)
{
    (void)state;
    for (size_t arrays = 0; arrays < RC_JSON_DEPTH_MAX; arrays += arrays < 130 ? 1 : 21) {
        for (int has_object = 0; has_object < 2; has_object++) {
            char bytes[RC_JSON_DEPTH_MAX + 8] = "{a:";
            size_t len = has_object ? 3 : 0;
            memset(bytes + len, '[', arrays);
            len += arrays;
            bytes[len++] = '}';
            json_tokens *got = read_tolerant(rc_str_make(bytes, len));
            assert_int_equal(got->last, RC_JSON_END);
            size_t more = !has_object ? 0
                          : arrays    ? 3
                                      : 4; /* the tokens { k(a) } and, in some
                                                               cases, null */
            assert_int_equal(got->count, 2 * arrays + more);
            assert_int_equal(got->fault.status, RC_E_SYNTAX);
            free(got);
        }
    }
}

/* Skipping a malformed container ends at its last bracket, whatever quotes it contains. */
static void test_skip_damaged(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *rest;
    } SKIPS[] = {
        {"[{'a': 'it]s \"}', 'b': 1}, 2]", "n(2) ] ."},
        {"[{\"a\": \"it's\", b: don't}, 2]", "n(2) ] ."},
        {"[{\"a\":1,,\n}, 2]", "n(2) ] ."},
        {"[[1,{2]], 3]",
         "n(3) ] ."}, /* the kind of bracket is ignored: both brackets close the inner array */
        {"[{'a': 'open", "] ."},
        {"[{\"a\": \"open", "] ."},
    };
    for (size_t i = 0; i < COUNT(SKIPS); i++) {
        rc_json_limits limits = json_limits(true);
        rc_json_reader reader;
        rc_json_reader_init(&reader, rc_str_c(SKIPS[i].text), &limits);
        rc_json_reader_next(&reader);
        rc_json_reader_next(&reader);
        rc_json_reader_skip(&reader);
        json_tokens *rest = calloc(1, sizeof *rest);
        assert_non_null(rest);
        rc_json_token token;
        do {
            token = rc_json_reader_next(&reader);
            json_tokens_put_token(rest, &token);
        } while (token.type != RC_JSON_END && token.type != RC_JSON_ERROR);
        if (strcmp(rest->line, SKIPS[i].rest) != 0)
            fail_msg("%s: the rest is %s", SKIPS[i].text, rest->line);
        free(rest);
    }
}

static void test_skip_key_of_missing_value(void **state)
{
    (void)state;
    rc_json_limits limits = json_limits(true);
    rc_json_reader reader;
    rc_json_reader_init(&reader, RC_STR("{\"a\",\"b\":'x',\"c\" \"y\",{\"d\":1}}"), &limits);
    rc_json_reader_next(&reader);
    static const size_t ENDS[] = {4, 12, 20, 28};
    for (size_t i = 0; i < COUNT(ENDS); i++) {
        assert_int_equal(rc_json_reader_next(&reader).type, RC_JSON_KEY);
        assert_int_equal(rc_json_reader_skip(&reader), ENDS[i]);
    }
    assert_int_equal(rc_json_reader_next(&reader).type, RC_JSON_OBJECT_END);
    assert_int_equal(rc_json_reader_next(&reader).type, RC_JSON_END);
}

/* Checks that the tokens are those of a well-formed document, and that their number is within the
 * bound. */
static void check_well_formed(rc_str text)
{
    rc_json_limits limits = json_limits(true);
    rc_json_reader reader;
    rc_json_reader_init(&reader, text, &limits);
    bool is_object[RC_JSON_DEPTH_MAX + 1] = {false};
    size_t depth = 0;
    size_t count = 0;
    bool is_key_due = false;
    for (;;) {
        rc_json_token token = rc_json_reader_next(&reader);
        if (token.type == RC_JSON_ERROR) {
            assert_int_equal(reader.fault.status, RC_E_TOO_DEEP);
            return;
        }
        if (token.type == RC_JSON_END)
            break;
        assert_true(++count <= 2 * text.len + RC_JSON_DEPTH_MAX + 1);
        assert_true(depth > 0 || count == 1);
        if (token.type == RC_JSON_OBJECT_END || token.type == RC_JSON_ARRAY_END) {
            assert_int_equal(is_object[depth], token.type == RC_JSON_OBJECT_END);
            assert_int_equal(is_object[depth], is_key_due);
            depth--;
        } else {
            assert_int_equal(is_key_due, token.type == RC_JSON_KEY);
        }
        if (token.type == RC_JSON_OBJECT_BEGIN || token.type == RC_JSON_ARRAY_BEGIN)
            is_object[++depth] = token.type == RC_JSON_OBJECT_BEGIN;
        is_key_due = token.type != RC_JSON_KEY && is_object[depth];
    }
    assert_int_equal(depth, 0);
}

/* An error body in which any one byte is replaced by any other, removed or doubled. */
static void test_single_byte_damage(void **state)
{
    (void)state;
    rc_str body = RC_STR("{\"error\":{\"message\":\"Too many \\\"x\\\"\",\"codes\":[429,null]}}");
    char bytes[128];
    for (size_t i = 0; i < body.len; i++) {
        for (unsigned value = 0; value < 256; value++) {
            memcpy(bytes, body.ptr, body.len);
            bytes[i] = (char)value;
            check_well_formed(rc_str_make(bytes, body.len));
        }
        memcpy(bytes, body.ptr, i);
        memcpy(bytes + i, body.ptr + i + 1, body.len - i - 1);
        check_well_formed(rc_str_make(bytes, body.len - 1));
        memcpy(bytes, body.ptr, i + 1);
        memcpy(bytes + i + 1, body.ptr + i, body.len - i);
        check_well_formed(rc_str_make(bytes, body.len + 1));
        check_well_formed(rc_str_make(body.ptr, i));
    }
}

static void test_random_damage(void **state)
{
    (void)state;
    static const char *const PIECES[] = {
        "{",    "}",    "[",    "]",    ":",     ",",    "\"",  "\\", "'",   " ",  "\n",
        "a",    "1",    "true", "None", "\"k\"", "\xFF", "\\u", "-",  ".5",  "e3", "\0x",
        "null", "\x01", "<p>",  "k:1",  "\"s",   "\\\"", "[[",  "}}", "{\"", "\":"};
    uint64_t seed = 11;
    char bytes[600];
    for (int round = 0; round < OFTEN(100000); round++) {
        size_t len = 0;
        uint32_t pieces = json_random(&seed, 60);
        for (uint32_t i = 0; i < pieces; i++) {
            const char *piece = PIECES[json_random(&seed, COUNT(PIECES))];
            memcpy(bytes + len, piece, strlen(piece));
            len += strlen(piece);
        }
        check_well_formed(rc_str_make(bytes, len));
    }
}

/* Texts with the maximum number of tokens per byte. */
static void test_token_bound_is_reached_safely(void **state)
{
    (void)state;
    char bytes[RC_JSON_DEPTH_MAX];
    memset(bytes, '{', sizeof bytes);
    json_tokens *got = read_tolerant(rc_str_make(bytes, sizeof bytes));
    assert_int_equal(got->last, RC_JSON_END);
    assert_int_equal(got->count, 3 * RC_JSON_DEPTH_MAX - 1);
    free(got);
}

/* The time is linear, even for texts that would make a parser backtrack. */
static void test_hostile_shapes_finish(void **state)
{
    (void)state;
    static const char *const SHAPES[] = {"'\\", "{'",        "[1 ", "1-", "\"\\",
                                         "}",   "{\"a\":[}", "a:",  "[]"};
    size_t len = 4u << 20;
    char *bytes = malloc(len);
    assert_non_null(bytes);
    for (size_t i = 0; i < COUNT(SHAPES); i++) {
        size_t step = strlen(SHAPES[i]);
        for (size_t k = 0; k < len; k++)
            bytes[k] = SHAPES[i][k % step];
        bytes[0] = '[';
        check_well_formed(rc_str_make(bytes, len));
    }
    free(bytes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_mismatch_far_down),
        cmocka_unit_test(test_skip_damaged),
        cmocka_unit_test(test_skip_key_of_missing_value),
        cmocka_unit_test(test_single_byte_damage),
        cmocka_unit_test(test_random_damage),
        cmocka_unit_test(test_token_bound_is_reached_safely),
        cmocka_unit_test(test_hostile_shapes_finish),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
