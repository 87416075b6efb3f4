/* Puts every JSON body of the conformance sets into every known wrapper. The wrapper of a relay, an
 * SDK, a log or a stream must not change the verdict. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/buf.h>
#include <recourse/stdlib.h>

#include "support/failure_cases.h"

#define TEXT_MAX ((size_t)1 << 20)
/* Minimum number of bodies; fewer mean that the sets were not read. */
#define BODIES_MIN 350

/* ---- notations ---- */

static void push_c(rc_buf *buf, const char *text)
{
    rc_buf_push(buf, rc_str_c(text));
}

static void push_number(rc_buf *buf, const char *before, int value, const char *after)
{
    push_c(buf, before);
    rc_buf_push_i64(buf, value);
    push_c(buf, after);
}

/* Appends one byte of a str or bytes literal as Python prints it. */
static void push_python_byte(rc_buf *buf, unsigned char c, char quote, bool is_bytes)
{
    if (c == '\\' || c == (unsigned char)quote) {
        rc_buf_push_byte(buf, '\\');
        rc_buf_push_byte(buf, (char)c);
    } else if (c == '\n') {
        push_c(buf, "\\n");
    } else if (c == '\r') {
        push_c(buf, "\\r");
    } else if (c == '\t') {
        push_c(buf, "\\t");
    } else if (c < 0x20 || c == 0x7F || (is_bytes && c >= 0x80)) {
        static const char HEX[] = "0123456789abcdef";
        push_c(buf, "\\x");
        rc_buf_push_byte(buf, HEX[c >> 4]);
        rc_buf_push_byte(buf, HEX[c & 15]);
    } else {
        rc_buf_push_byte(buf, (char)c);
    }
}

static void push_python_text(rc_buf *buf, const char *text, size_t len, bool is_bytes)
{
    bool has_single = memchr(text, '\'', len) != NULL;
    bool has_double = memchr(text, '"', len) != NULL;
    char quote = has_single && !has_double ? '"' : '\'';
    rc_buf_push_byte(buf, quote);
    for (size_t i = 0; i < len; i++)
        push_python_byte(buf, (unsigned char)text[i], quote, is_bytes);
    rc_buf_push_byte(buf, quote);
}

static void push_python(rc_buf *buf, const json_t *value);

static void push_python_object(rc_buf *buf, const json_t *value)
{
    const char *key;
    json_t *member;
    bool is_first = true;
    rc_buf_push_byte(buf, '{');
    json_object_foreach((json_t *)(uintptr_t)value, key, member)
    {
        push_c(buf, is_first ? "" : ", ");
        is_first = false;
        push_python_text(buf, key, strlen(key), false);
        push_c(buf, ": ");
        push_python(buf, member);
    }
    rc_buf_push_byte(buf, '}');
}

static void push_python(rc_buf *buf, const json_t *value)
{
    if (json_is_object(value)) {
        push_python_object(buf, value);
    } else if (json_is_array(value)) {
        rc_buf_push_byte(buf, '[');
        for (size_t i = 0; i < json_array_size(value); i++) {
            push_c(buf, i == 0 ? "" : ", ");
            push_python(buf, json_array_get(value, i));
        }
        rc_buf_push_byte(buf, ']');
    } else if (json_is_string(value)) {
        push_python_text(buf, json_string_value(value), json_string_length(value), false);
    } else if (json_is_number(value)) {
        char *text = json_dumps(value, JSON_ENCODE_ANY);
        push_c(buf, text);
        free(text);
    } else {
        push_c(buf, json_is_null(value) ? "None" : json_is_true(value) ? "True" : "False");
    }
}

static void push_json(rc_buf *buf, const json_t *value, size_t flags)
{
    char *text = json_dumps(value, flags | JSON_ENCODE_ANY);
    assert_non_null(text);
    push_c(buf, text);
    free(text);
}

/* Appends the body as a JSON string with its quotes. */
static void push_quoted(rc_buf *buf, const char *body)
{
    json_t *text = json_string(body);
    push_json(buf, text, 0);
    json_decref(text);
}

/* ---- wrappers ---- */

typedef struct body {
    const json_t *json;
    const char *text; /* the body as the provider sent it */
    int status;
} body;

static void in_string_field(rc_buf *buf, const body *b)
{
    push_c(buf, "{\"error\":{\"message\":");
    push_quoted(buf, b->text);
    push_c(buf, "}}");
}

static void in_array(rc_buf *buf, const body *b)
{
    rc_buf_push_byte(buf, '[');
    push_c(buf, b->text);
    rc_buf_push_byte(buf, ']');
}

static void python_exception(rc_buf *buf, const body *b)
{
    push_number(buf, "Error code: ", b->status, " - ");
    push_python(buf, b->json);
}

static void status_before(rc_buf *buf, const body *b)
{
    push_number(buf, "", b->status, " ");
    push_c(buf, b->text);
}

static void python_bytes(rc_buf *buf, const body *b)
{
    rc_buf_push_byte(buf, 'b');
    push_python_text(buf, b->text, strlen(b->text), true);
}

static void openrouter_raw(rc_buf *buf, const body *b)
{
    push_number(buf, "{\"error\":{\"message\":\"Provider returned error\",\"code\":", b->status,
                ",");
    push_c(buf, "\"metadata\":{\"raw\":");
    push_quoted(buf, b->text);
    push_c(buf, ",\"provider_name\":\"Some\"}},\"user_id\":\"user_1\"}");
}

static void litellm_text(rc_buf *buf, const body *b)
{
    push_c(buf, "litellm.BadRequestError: OpenAIException - ");
    push_c(buf, b->text);
}

static void sse_error(rc_buf *buf, const body *b)
{
    push_c(buf, "event: error\ndata: ");
    push_json(buf, b->json, JSON_COMPACT);
    push_c(buf, "\n\n");
}

/* One event with several data lines, as the SSE specification allows. */
static void sse_lines(rc_buf *buf, const body *b)
{
    char *text = json_dumps(b->json, JSON_INDENT(2));
    assert_non_null(text);
    push_c(buf, "event: error\ndata: ");
    for (const char *c = text; *c != '\0'; c++) {
        rc_buf_push_byte(buf, *c);
        if (*c == '\n')
            push_c(buf, "data: ");
    }
    push_c(buf, "\n\n");
    free(text);
}

static void log_line(rc_buf *buf, const body *b)
{
    push_c(buf, "2026-01-02 03:04:05 ERROR request failed: ");
    push_c(buf, b->text);
}

static void cut_short(rc_buf *buf, const body *b)
{
    char *text = json_dumps(b->json, JSON_COMPACT);
    size_t len = strlen(text);
    rc_buf_push(buf, rc_str_make(text, len > 3 ? len - 3 : len));
    free(text);
}

static void pretty(rc_buf *buf, const body *b)
{
    push_json(buf, b->json, JSON_INDENT(2));
}

static void text_after(rc_buf *buf, const body *b)
{
    push_c(buf, b->text);
    push_c(buf, "\n\nSee the documentation.");
}

typedef struct wrapper_row {
    const char *name;
    void (*wrap)(rc_buf *buf, const body *b);
    bool has_status; /* the text of the wrapper contains the status */
} wrapper_row;

static const wrapper_row WRAPPERS[] = {
    {"string field", in_string_field, false},
    {"array", in_array, false},
    {"python exception", python_exception, true},
    {"status before", status_before, true},
    {"python bytes", python_bytes, false},
    {"openrouter raw", openrouter_raw, true},
    {"litellm text", litellm_text, false},
    {"sse error", sse_error, false},
    {"sse lines", sse_lines, false},
    {"log line", log_line, false},
    {"cut short", cut_short, false},
    {"pretty", pretty, false},
    {"text behind", text_after, false},
};

#define WRAPPER_COUNT (sizeof(WRAPPERS) / sizeof(WRAPPERS[0]))

/* ---- comparison ---- */

typedef struct tally {
    const wrapper_row *wrapper;
    bool is_statusless; /* only the text of the wrapper contains the status */
    int bodies;
    int wrong;
} tally;

static rc_verdict judge(const rc_failure *failure, rc_classify_space *space)
{
    return rc_judge(failure, NULL, NULL, space);
}

static void compare(tally *t, const rc_case *c, const body *b, rc_code expected)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, TEXT_MAX);
    t->wrapper->wrap(&buf, b);
    assert_int_equal(rc_buf_status(&buf), RC_OK);
    rc_failure failure = c->failure;
    failure.body = rc_buf_get(&buf);
    if (t->is_statusless)
        failure.status = 0;
    rc_classify_space space;
    rc_verdict verdict = judge(&failure, &space);
    if (verdict.code != expected) {
        t->wrong++;
        print_message("%s%s, %s: %s instead of %s by %.*s: %.*s\n", t->wrapper->name,
                      t->is_statusless ? " without a status" : "", c->id,
                      rc_code_name(verdict.code), rc_code_name(expected), (int)verdict.rule.len,
                      verdict.rule.ptr, (int)failure.body.len, failure.body.ptr);
    }
    rc_buf_done(&buf);
}

static void check_case(void *ctx, const rc_case *c)
{
    tally *t = ctx;
    if (c->failure.status < 400 || c->failure.body.len == 0)
        return;
    json_t *json = json_loadb(c->failure.body.ptr, c->failure.body.len, 0, NULL);
    rc_classify_space space;
    rc_verdict verdict = judge(&c->failure, &space);
    if (json_is_object(json) && verdict.message.len > 0) {
        body b = {json, c->failure.body.ptr, c->failure.status};
        t->bodies++;
        compare(t, c, &b, verdict.code);
    }
    json_decref(json);
}

static tally check_all(const wrapper_row *w, bool is_statusless)
{
    tally t = {.wrapper = w, .is_statusless = is_statusless};
    for (size_t i = 0; rc_provider_at(i) != NULL; i++) {
        char path[512];
        assert_true(snprintf(path, sizeof(path), "%s/conformance/providers/%s.jsonl", RC_TEST_DIR,
                             rc_provider_at(i)) < (int)sizeof(path));
        assert_true(rc_cases_each(path, check_case, &t) > 0);
    }
    return t;
}

/* No body gets a different code inside a wrapper. */
static void test_a_wrapper_does_not_change_the_code(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < WRAPPER_COUNT; i++) {
        tally t = check_all(&WRAPPERS[i], false);
        assert_true(t.bodies >= BODIES_MIN);
        wrong += t.wrong;
    }
    assert_int_equal(wrong, 0);
}

static void test_a_status_in_the_wrapper_counts_like_the_http_status(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < WRAPPER_COUNT; i++) {
        if (WRAPPERS[i].has_status)
            wrong += check_all(&WRAPPERS[i], true).wrong;
    }
    assert_int_equal(wrong, 0);
}

/* Tests both constructors of a failure: for a body with a length, and for a NUL-terminated body. */
static void test_constructors_of_a_failure(void **state)
{
    (void)state;
    static const char page[] = "{\"error\":{\"type\":\"insufficient_quota\"}} and more";
    const size_t length = sizeof "{\"error\":{\"type\":\"insufficient_quota\"}}" - 1;
    rc_classify_space space;
    const rc_failure counted = rc_failure_http(429, page, length);
    assert_int_equal(counted.body.len, length);
    assert_int_equal(rc_judge(&counted, NULL, NULL, &space).code, RC_CODE_QUOTA_EXHAUSTED);
    const rc_failure text =
        rc_failure_http_text(429, "{\"error\":{\"type\":\"insufficient_quota\"}}");
    assert_int_equal(rc_judge(&text, NULL, NULL, &space).code, RC_CODE_QUOTA_EXHAUSTED);
    const rc_failure none = rc_failure_http_text(503, NULL);
    assert_int_equal(none.body.len, 0);
    assert_int_equal(rc_failure_http(503, NULL, 9).body.len, 0);
    assert_int_equal(rc_judge(&none, NULL, NULL, &space).code, RC_CODE_OVERLOADED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_constructors_of_a_failure),
        cmocka_unit_test(test_a_wrapper_does_not_change_the_code),
        cmocka_unit_test(test_a_status_in_the_wrapper_counts_like_the_http_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
