/* Comparison of the strict reader with Jansson on random and damaged texts: both must accept the
 * same texts and read the same values. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <jansson.h>

#include "support/fail_alloc.h"
#include "support/json_tokens.h"
#include "support/often.h"
#include "json/reader.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define TEXT_MAX 4096

typedef struct sink {
    char bytes[TEXT_MAX];
    size_t len;
    uint64_t seed;
} sink;

static void put(sink *s, const char *text)
{
    size_t len = strlen(text);
    if (TEXT_MAX - s->len < len)
        return;
    memcpy(s->bytes + s->len, text, len);
    s->len += len;
}

static const char *pick(sink *s, const char *const *pieces, size_t count)
{
    return pieces[json_random(&s->seed, (uint32_t)count)];
}

static void put_string(sink *s)
{
    static const char *const PIECES[] = {"a",
                                         "word ",
                                         "\\n",
                                         "\\\"",
                                         "\\\\",
                                         "\\/",
                                         "\\u00e9",
                                         "\xC3\xA9",
                                         "\xE2\x82\xAC",
                                         "\\ud83d\\ude00",
                                         "\xF0\x9F\x98\x80",
                                         "\x7F",
                                         "{",
                                         "]",
                                         ",",
                                         ":"};
    put(s, "\"");
    for (uint32_t n = json_random(&s->seed, 6); n > 0; n--)
        put(s, pick(s, PIECES, COUNT(PIECES)));
    put(s, "\"");
}

static void put_value(sink *s, unsigned depth)
{
    static const char *const SCALARS[] = {"0",    "-1",    "12.5", "1e3",       "-0.5E-2",
                                          "true", "false", "null", "123456789", "0.0"};
    static const char *const SPACE[] = {"", "", "", " ", "\n", "\t", "\r\n "};
    put(s, pick(s, SPACE, COUNT(SPACE)));
    uint32_t kind = json_random(&s->seed, depth > 5 ? 2 : 4);
    if (kind == 0)
        put(s, pick(s, SCALARS, COUNT(SCALARS)));
    if (kind == 1)
        put_string(s);
    if (kind >= 2) {
        put(s, kind == 2 ? "[" : "{");
        for (uint32_t n = json_random(&s->seed, 4), i = 0; i < n; i++) {
            put(s, i ? "," : "");
            if (kind == 3) {
                put_string(s);
                put(s, pick(s, SPACE, COUNT(SPACE)));
                put(s, ":");
            }
            put_value(s, depth + 1);
        }
        put(s, kind == 2 ? "]" : "}");
    }
    put(s, pick(s, SPACE, COUNT(SPACE)));
}

/* Replaces, removes or inserts up to three bytes. */
static void damage(sink *s)
{
    static const char BYTES[] = "{}[]:,\"\\ 0123456789eE+-.tfnu\n\x01\x7F\x80\xC3\xFF";
    for (uint32_t n = json_random(&s->seed, 4); n > 0 && s->len > 0; n--) {
        size_t at = json_random(&s->seed, (uint32_t)s->len);
        char byte = BYTES[json_random(&s->seed, sizeof BYTES - 1)];
        switch (json_random(&s->seed, 3)) {
        case 0:
            s->bytes[at] = byte;
            break;
        case 1:
            memmove(s->bytes + at, s->bytes + at + 1, s->len - at - 1);
            s->len--;
            break;
        default:
            if (s->len == TEXT_MAX)
                break;
            memmove(s->bytes + at + 1, s->bytes + at, s->len - at);
            s->bytes[at] = byte;
            s->len++;
            break;
        }
    }
}

static void check_string(const rc_json_token *token, const char *bytes, size_t len)
{
    assert_true(rc_json_raw_eq(token->raw, token->has_escapes, rc_str_make(bytes, len)));
}

static void check_number(const rc_json_token *token, const json_t *value)
{
    double number;
    assert_int_equal(rc_json_to_double(token->raw, &number), RC_OK);
    assert_true(number == json_number_value(value));
    int64_t integer;
    rc_status status = rc_json_to_i64(token->raw, &integer);
    assert_int_equal(status, json_is_integer(value) ? RC_OK : RC_E_TYPE);
    assert_true(status != RC_OK || integer == json_integer_value(value));
}

static void check_value(rc_json_reader *reader, rc_json_token token, const json_t *value);

static size_t count_members(rc_json_reader reader)
{
    size_t count = 0;
    while (rc_json_reader_next(&reader).type == RC_JSON_KEY) {
        rc_json_reader_skip(&reader);
        count++;
    }
    return count;
}

/* If an object has duplicate keys, only its end is compared, because Jansson uses the last of
 * them. */
static void check_object(rc_json_reader *reader, const json_t *value)
{
    assert_true(json_is_object(value));
    if (count_members(*reader) != json_object_size(value)) {
        assert_true(count_members(*reader) > json_object_size(value));
        rc_json_reader_skip(reader);
        return;
    }
    rc_json_token token = rc_json_reader_next(reader);
    for (; token.type == RC_JSON_KEY; token = rc_json_reader_next(reader)) {
        char memory[TEXT_MAX];
        rc_buf key;
        rc_buf_init_fixed(&key, memory, sizeof memory);
        assert_int_equal(rc_json_unescape(token.raw, &key), RC_OK);
        const json_t *member = json_object_getn(value, rc_buf_get(&key).ptr, rc_buf_get(&key).len);
        assert_non_null(member);
        check_value(reader, rc_json_reader_next(reader), member);
    }
    assert_int_equal(token.type, RC_JSON_OBJECT_END);
}

/* Compares the value that begins with the token with the value that Jansson read. */
static void check_value(rc_json_reader *reader, rc_json_token token, const json_t *value)
{
    switch (token.type) {
    case RC_JSON_OBJECT_BEGIN:
        check_object(reader, value);
        return;
    case RC_JSON_ARRAY_BEGIN:
        assert_true(json_is_array(value));
        for (size_t i = 0; i < json_array_size(value); i++)
            check_value(reader, rc_json_reader_next(reader), json_array_get(value, i));
        assert_int_equal(rc_json_reader_next(reader).type, RC_JSON_ARRAY_END);
        return;
    case RC_JSON_STRING:
        assert_true(json_is_string(value));
        check_string(&token, json_string_value(value), json_string_length(value));
        return;
    case RC_JSON_NUMBER:
        assert_true(json_is_number(value));
        check_number(&token, value);
        return;
    case RC_JSON_TRUE:
    case RC_JSON_FALSE:
        assert_true(json_is_boolean(value));
        assert_int_equal(json_is_true(value), token.type == RC_JSON_TRUE);
        return;
    case RC_JSON_NULL:
        assert_true(json_is_null(value));
        return;
    case RC_JSON_OBJECT_END:
    case RC_JSON_ARRAY_END:
    case RC_JSON_KEY:
    case RC_JSON_END:
    case RC_JSON_ERROR:
        fail_msg("a value begins with token %d", token.type);
    }
}

/* Returns whether Jansson rejected the text because a number does not fit its types. The reader
 * accepts such texts. */
static bool is_out_of_range(const json_error_t *error)
{
    return json_error_code(error) == json_error_numeric_overflow;
}

static void compare(const sink *s)
{
    char *copy = json_exact_copy(s->bytes, s->len);
    rc_str text = rc_str_make(copy, s->len);
    rc_json_limits limits = json_limits(false);
    json_tokens *ours = json_tokens_read(text, &limits);
    json_error_t error;
    json_t *theirs = json_loadb(text.ptr, text.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, &error);
    bool is_accepted = ours->last == RC_JSON_END;
    if (is_accepted != (theirs != NULL) && !(is_accepted && is_out_of_range(&error)))
        fail_msg("%.*s\nours: %s, theirs: %s", (int)text.len, text.ptr,
                 is_accepted ? "good" : ours->fault.message, theirs ? "good" : error.text);
    if (theirs) {
        rc_json_reader reader;
        rc_json_reader_init(&reader, text, &limits);
        check_value(&reader, rc_json_reader_next(&reader), theirs);
        assert_int_equal(rc_json_reader_next(&reader).type, RC_JSON_END);
    }
    json_decref(theirs);
    free(ours);
    free(copy);
}

static void test_random_texts(void **state)
{
    (void)state;
    sink s = {.seed = 1};
    for (int i = 0; i < OFTEN(40000); i++) {
        s.len = 0;
        put_value(&s, 0);
        damage(&s);
        compare(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_texts)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
