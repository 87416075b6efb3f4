/* Tests of the report decoder: errors in strict mode, dropped input in tolerant mode, nesting. */
#include <recourse/builder.h>
#include <recourse/json.h>
#include <recourse/stdlib.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/fail_alloc.h"

/* An error that the strict mode rejects, with its position and message. The tolerant mode continues
 * and lists the values that it dropped. */
typedef struct bad_case {
    const char *json;
    rc_status strict;
    const char *pointer;
    size_t line;
    size_t column;
    const char *what;    /* a part of the expected message */
    const char *dropped; /* values that the tolerant mode drops; NULL: it drops none, or fails,
                            too */
    rc_status tolerant;
} bad_case;

static const bad_case BAD[] = {
    {"{\"colour\":1}", RC_E_UNKNOWN_KEY, "/colour", 1, 2, "unknown key \"colour\"", "/colour",
     RC_OK},
    {"{\n  \"cause\": {\"a/b~c\": []}\n}", RC_E_UNKNOWN_KEY, "/cause/a~1b~0c", 2, 13, "unknown key",
     "/cause/a~1b~0c", RC_OK},
    {"{\"error_code\":\"FluxOverrun\"}", RC_E_RANGE, "/error_code", 1, 15,
     "unknown value \"FluxOverrun\"", "/error_code", RC_OK},
    {"{\"error_category\":\"cosmic\"}", RC_E_RANGE, "/error_category", 1, 19, "unknown value",
     "/error_category", RC_OK},
    {"{\"error_domain\":\"\"}", RC_E_RANGE, "/error_domain", 1, 17, "unknown value",
     "/error_domain", RC_OK},
    {"{\"message\":null}", RC_E_TYPE, "/message", 1, 12, "expected a string", "/message", RC_OK},
    {"{\"message\":\"\"}", RC_E_RANGE, "/message", 1, 12, "empty", "/message", RC_OK},
    {"{\"message\":{\"a\":[1]},\"model\":\"m\"}", RC_E_TYPE, "/message", 1, 12, "expected a string",
     "/message", RC_OK},
    {"{\"message\":\"a\",\"message\":\"b\"}", RC_E_DUPLICATE, "/message", 1, 16, "duplicate key",
     "/message", RC_OK},
    {"{\"retryable\":1}", RC_E_TYPE, "/retryable", 1, 14, "expected true or false", "/retryable",
     RC_OK},
    {"{\"error_category\":\"content\",\"retryable\":true}", RC_E_RANGE, "/retryable", 1, 1,
     "contradicts", "/retryable", RC_OK},
    {"{\"error_code\":\"AuthFailed\",\"retryable\":true}", RC_E_RANGE, "/retryable", 1, 1,
     "contradicts", "/retryable", RC_OK},
    {"{\"retryable\":true,\"cause\":{\"error_class\":\"Cancellation\"}}", RC_E_RANGE, "/retryable",
     1, 1, "contradicts", "/retryable", RC_OK},
    {"{\"message\":\"a\\u0000b\"}", RC_E_RANGE, "/message", 1, 12, "secret or a NUL", NULL, RC_OK},
    {"{\"detail\":\"Bearer abcdefghij0123456789\"}", RC_E_RANGE, "/detail", 1, 11,
     "secret or a NUL", NULL, RC_OK},
    {"{\"context\":{\"a\\u0000\":1}}", RC_E_RANGE, "/context/a\xef\xbf\xbd", 1, 23, "key with",
     NULL, RC_OK},
    {"{\"context\":{\"a\":-0}}", RC_E_RANGE, "/context/a", 1, 17, "not allowed", NULL, RC_OK},
    {"{\"context\":{\"password\":1234}}", RC_E_RANGE, "/context/password", 1, 24, "not allowed",
     NULL, RC_OK},
    {"{\"http_status\":304}", RC_E_RANGE, "/http_status", 1, 16, "not allowed here: \"304\"",
     "/http_status", RC_OK},
    {"{\"http_status\":\"500\"}", RC_E_TYPE, "/http_status", 1, 16, "whole number", "/http_status",
     RC_OK},
    {"{\"http_status\":5}", RC_E_RANGE, "/http_status", 1, 16, "not allowed here: \"5\"",
     "/http_status", RC_OK},
    {"{\"http_status\":500.5}", RC_E_TYPE, "/http_status", 1, 16, "500.5", "/http_status", RC_OK},
    {"{\"http_status\":99999999999999999999}", RC_E_RANGE, "/http_status", 1, 16, "not allowed",
     "/http_status", RC_OK},
    {"{\"provider_metadata\":{\"status\":0}}", RC_E_RANGE, "/provider_metadata/status", 1, 32,
     "not allowed", "/provider_metadata/status", RC_OK},
    {"{\"provider_metadata\":{\"limit_kind\":\"x\"}}", RC_E_RANGE, "/provider_metadata/limit_kind",
     1, 36, "unknown value", "/provider_metadata/limit_kind", RC_OK},
    {"{\"provider_metadata\":{}}", RC_E_RANGE, "/provider_metadata", 1, 22, "empty",
     "/provider_metadata", RC_OK},
    {"{\"user_action\":[]}", RC_E_TYPE, "/user_action", 1, 16, "expected an object", "/user_action",
     RC_OK},
    {"{\"user_action\":{\"kind\":7}}", RC_E_TYPE, "/user_action/kind", 1, 24, "expected a string",
     "/user_action/kind", RC_OK},
    {"{\"context\":[]}", RC_E_TYPE, "/context", 1, 12, "expected an object", "/context", RC_OK},
    {"{\"context\":{}}", RC_E_RANGE, "/context", 1, 12, "empty", "/context", RC_OK},
    {"{\"context\":{\"a\":1,\"a\":2}}", RC_E_DUPLICATE, "/context/a", 1, 23, "duplicate key", NULL,
     RC_OK},
    {"{\"context\":{\"a\":{\"b\":1}}}", RC_E_TYPE, "/context/a", 1, 17, "expected a string",
     "/context/a", RC_OK},
    {"{\"context\":{\"a\":1.5}}", RC_E_TYPE, "/context/a", 1, 17, "expected a string", "/context/a",
     RC_OK},
    {"{\"attempts\":{}}", RC_E_TYPE, "/attempts", 1, 13, "expected an array", "/attempts", RC_OK},
    {"{\"attempts\":[]}", RC_E_RANGE, "/attempts", 1, 13, "empty", "/attempts", RC_OK},
    {"{\"attempts\":[{}]}", RC_E_RANGE, "/attempts/0", 1, 14, "empty", "/attempts/0", RC_OK},
    {"{\"attempts\":[{\"attempt\":1},7]}", RC_E_TYPE, "/attempts/1", 1, 28, "expected an object",
     "/attempts/1", RC_OK},
    {"{\"attempts\":[{\"attempt\":1,\"x\":2}]}", RC_E_UNKNOWN_KEY, "/attempts/0/x", 1, 27,
     "unknown key", "/attempts/0/x", RC_OK},
    {"{\"error_source\":{}}", RC_E_TYPE, "/error_source", 1, 17, "expected an array",
     "/error_source", RC_OK},
    {"{\"error_source\":[]}", RC_E_RANGE, "/error_source", 1, 17, "empty", "/error_source", RC_OK},
    {"{\"error_source\":[\"a\",3]}", RC_E_TYPE, "/error_source/1", 1, 22, "expected a string",
     "/error_source/1", RC_OK},
    {"{\"cause\":\"x\"}", RC_E_TYPE, "/cause", 1, 10, "expected an object", "/cause", RC_OK},
    {"[]", RC_E_TYPE, "", 1, 1, "expected an object", NULL, RC_E_TYPE},
    {"7", RC_E_TYPE, "", 1, 1, "expected an object", NULL, RC_E_TYPE},
    {"", RC_E_TRUNCATED, "", 1, 1, "", NULL, RC_E_TRUNCATED},
    {"{\"message\":\"a\"", RC_E_TRUNCATED, "", 1, 15, "", NULL, RC_OK},
    {"{\"message\":\"a\"} x", RC_E_SYNTAX, "", 1, 17, "", NULL, RC_OK},
    {"{\"message\":\"\xff\"}", RC_E_SYNTAX, "/message", 1, 13, "", NULL, RC_OK},
};

static void explain(const bad_case *c, const rc_decode_info *info)
{
    fprintf(stderr, "  case %s\n  got %s at \"%s\" %zu:%zu: %s; dropped %zu: %s\n", c->json,
            rc_status_name(info->status), info->pointer, info->line, info->column, info->message,
            info->dropped_count, info->dropped[0]);
}

static void test_strict_names_every_fault(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        const bad_case *c = &BAD[i];
        const rc_report *r = NULL;
        rc_decode_info info;
        rc_status status = rc_report_decode(rc_str_c(c->json), RC_DECODE_STRICT, &alloc, &r, &info);
        bool is_right = status == c->strict && info.status == c->strict &&
                        strcmp(info.pointer, c->pointer) == 0 && info.line == c->line &&
                        info.column == c->column && strstr(info.message, c->what);
        if (!is_right)
            explain(c, &info);
        assert_true(is_right);
        assert_null(r);
    }
}

static void test_tolerant_continues(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    for (size_t i = 0; i < sizeof BAD / sizeof *BAD; i++) {
        const bad_case *c = &BAD[i];
        const rc_report *r = NULL;
        rc_decode_info info;
        rc_status status =
            rc_report_decode(rc_str_c(c->json), RC_DECODE_TOLERANT, &alloc, &r, &info);
        bool is_right = status == c->tolerant && (status == RC_OK) == (r != NULL) &&
                        info.dropped_count == (c->dropped ? 1 : 0) &&
                        (!c->dropped || strcmp(info.dropped[0], c->dropped) == 0);
        if (!is_right)
            explain(c, &info);
        assert_true(is_right);
        rc_report_free(r);
    }
}

static const rc_report *tolerant(const char *json, rc_decode_info *info)
{
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_report *r = NULL;
    assert_int_equal(rc_report_decode(rc_str_c(json), RC_DECODE_TOLERANT, &alloc, &r, info), RC_OK);
    return r;
}

static void test_unknown_values_are_kept_as_unknown(void **unused)
{
    (void)unused;
    rc_decode_info info;
    const rc_report *r = tolerant(
        "{\"error_class\":\"Quantum\",\"error_code\":\"FluxOverrun\",\"error_category\":\"cosmic\","
        "\"user_action\":{\"kind\":\"dance\",\"detail\":\"Dance.\"},\"message\":\"m\",\"new_key\":{"
        "\"deep\":[1,2]},"
        "\"provider_metadata\":{\"status\":418,\"limit_kind\":\"moon\"}}",
        &info);
    assert_int_equal(rc_report_class(r), RC_CLASS_UNKNOWN);
    assert_int_equal(rc_report_code(r), RC_CODE_UNKNOWN);
    assert_int_equal(rc_report_category(r), RC_CATEGORY_UNKNOWN);
    assert_int_equal(rc_report_action(r), RC_ACTION_UNKNOWN);
    assert_int_equal(rc_report_limit_kind(r), RC_LIMIT_KIND_UNKNOWN);
    assert_string_equal(rc_report_message(r).ptr, "m");
    assert_string_equal(rc_report_action_detail(r).ptr, "Dance.");
    assert_int_equal(rc_report_provider_status(r), 418);
    assert_int_equal(info.dropped_count, 6);

    /* The strict mode accepts the encoding of a report that the tolerant mode has decoded. */
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 1u << 20);
    assert_int_equal(rc_report_encode(r, RC_VIEW_INTERNAL, &buf), RC_OK);
    const rc_report *again = NULL;
    assert_int_equal(rc_report_decode(rc_buf_get(&buf), RC_DECODE_STRICT, &alloc, &again, &info),
                     RC_OK);
    assert_int_equal(rc_report_code(again), RC_CODE_UNKNOWN);
    rc_buf_done(&buf);
    rc_report_free(again);
    rc_report_free(r);
}

static void test_a_contradiction_is_never_retried(void **unused)
{
    (void)unused;
    rc_decode_info info;
    const rc_report *r = tolerant("{\"error_category\":\"capacity\",\"retryable\":true}", &info);
    assert_int_equal(rc_report_retryable(r), RC_FALSE);
    rc_report_free(r);
}

static void test_last_duplicate_wins(void **unused)
{
    (void)unused;
    rc_decode_info info;
    const rc_report *r =
        tolerant("{\"message\":\"a\",\"message\":\"b\",\"context\":{\"x\":1},\"context\":{\"y\":2},"
                 "\"error_source\":[\"s\"],\"error_source\":[\"t\"],\"attempts\":[{\"attempt\":1}],"
                 "\"attempts\":[{\"attempt\":2}]}",
                 &info);
    assert_string_equal(rc_report_message(r).ptr, "b");
    assert_int_equal(rc_report_context_count(r), 1);
    assert_int_equal(rc_report_context_get(r, RC_STR("y"))->number, 2);
    assert_int_equal(rc_report_source_count(r), 1);
    assert_string_equal(rc_report_source_at(r, 0).ptr, "t");
    assert_int_equal(rc_report_attempt_at(r, 0)->attempt, 2);
    rc_report_free(r);
}

static void test_damage_is_reported(void **unused)
{
    (void)unused;
    rc_decode_info info;
    const rc_report *r = tolerant("{\"message\":\"cut off in the mid", &info);
    assert_true(info.is_damaged);
    assert_string_equal(rc_report_message(r).ptr, "cut off in the mid");
    rc_report_free(r);
}

static void test_escapes_in_keys_and_values(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_report *r = NULL;
    rc_str json = RC_STR("{\"mess\\u0061ge\":\"a\\u00e9\\n\",\"context\":{\"\\\"q\\\"\":\"\\t\"}}");
    assert_int_equal(rc_report_decode(json, RC_DECODE_STRICT, &alloc, &r, NULL), RC_OK);
    assert_string_equal(rc_report_message(r).ptr, "a\xc3\xa9\n");
    assert_string_equal(rc_report_context_get(r, RC_STR("\"q\""))->text.ptr, "\t");
    rc_report_free(r);
}

static void test_secrets_in_names_are_not_shown(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_report *r = NULL;
    rc_decode_info info;
    rc_str json = RC_STR("{\"sk-proj-abcdefghijklmnopqrstuvwxyz012345\":1}");
    assert_int_equal(rc_report_decode(json, RC_DECODE_STRICT, &alloc, &r, &info), RC_E_UNKNOWN_KEY);
    assert_null(strstr(info.message, "abcdefghijkl"));
    assert_null(strstr(info.pointer, "abcdefghijkl"));
    json = RC_STR("{\"a\x1b[31m\\u001b\":1}");
    assert_int_equal(rc_report_decode(json, RC_DECODE_TOLERANT, &alloc, &r, &info), RC_OK);
    assert_null(strchr(info.dropped[0], 0x1b));
    rc_report_free(r);
}

/* Returns {"cause":{"cause":...}} with this depth. */
static char *nested(size_t depth)
{
    static const char OPEN[] = "{\"cause\":";
    size_t step = sizeof OPEN - 1;
    char *text = malloc(depth * (step + 1) + 64);
    assert_non_null(text);
    for (size_t i = 0; i < depth; i++)
        memcpy(text + i * step, OPEN, step);
    size_t at = depth * step;
    static const char ROOT[] = "{\"error_code\":\"AuthFailed\"}";
    memcpy(text + at, ROOT, sizeof ROOT - 1);
    at += sizeof ROOT - 1;
    memset(text + at, '}', depth);
    text[at + depth] = '\0';
    return text;
}

static void test_deep_causes(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    static const size_t DEPTHS[] = {64, 65, 200, 300, 600, 100000};
    for (size_t i = 0; i < sizeof DEPTHS / sizeof *DEPTHS; i++) {
        char *text = nested(DEPTHS[i]);
        const rc_report *r = NULL;
        rc_decode_info info;
        rc_status status = rc_report_decode(rc_str_c(text), RC_DECODE_STRICT, &alloc, &r, &info);
        assert_int_equal(status, DEPTHS[i] <= RC_REPORT_CAUSE_DEPTH_MAX ? RC_OK : RC_E_TOO_DEEP);
        rc_report_free(r);
        r = NULL;
        assert_int_equal(rc_report_decode(rc_str_c(text), RC_DECODE_TOLERANT, &alloc, &r, &info),
                         RC_OK);
        if (DEPTHS[i] <= 200)
            assert_int_equal(rc_report_code(rc_report_root(r)), RC_CODE_AUTH_FAILED);
        rc_report_free(r);
        free(text);
    }
}

static void test_empty_object_is_an_empty_report(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_report *r = NULL;
    assert_int_equal(rc_report_decode(RC_STR(" {} "), RC_DECODE_STRICT, &alloc, &r, NULL), RC_OK);
    assert_int_equal(rc_report_code(r), RC_CODE_NONE);
    assert_int_equal(rc_report_http_status(r), 500); /* the report has no status, so the result is
                                                        500 */
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 64);
    assert_int_equal(rc_report_encode(r, RC_VIEW_INTERNAL, &buf), RC_OK);
    assert_true(rc_str_eq(rc_buf_get(&buf), RC_STR("{}")));
    rc_buf_done(&buf);
    rc_report_free(r);
}

static void test_status_follows_from_the_code(void **unused)
{
    (void)unused;
    rc_decode_info info;
    const rc_report *r = tolerant("{\"error_code\":\"RateLimited\",\"message\":\"x\"}", &info);
    assert_int_equal(rc_report_http_status(r), 429);
    rc_report_free(r);
    r = tolerant("{\"error_domain\":\"input\"}", &info);
    assert_int_equal(rc_report_http_status(r), 422);
    rc_report_free(r);
    assert_int_equal(rc_report_http_status(NULL), 500);
}

static void test_too_large(void **unused)
{
    (void)unused;
    rc_alloc alloc = rc_alloc_stdlib();
    size_t size = RC_DECODE_MAX_BYTES + 100;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, ' ', size);
    text[0] = '{';
    text[size - 1] = '}';
    const rc_report *r = NULL;
    rc_decode_info info;
    assert_int_equal(rc_report_decode(rc_str_make(text, size), RC_DECODE_STRICT, &alloc, &r, &info),
                     RC_E_TOO_LARGE);
    assert_int_equal(
        rc_report_decode(rc_str_make(text, size), RC_DECODE_TOLERANT, &alloc, &r, &info), RC_OK);
    assert_true(info.is_damaged);
    rc_report_free(r);

    /* For a text that is longer than its field, the strict mode fails, and the tolerant mode cuts
     * it. */
    size_t len = RC_REPORT_NAME_MAX + 1;
    memset(text, 'x', size);
    memcpy(text, "{\"model\":\"", 10);
    memcpy(text + 10 + len, "\"}", 2);
    rc_str json = rc_str_make(text, 10 + len + 2);
    assert_int_equal(rc_report_decode(json, RC_DECODE_STRICT, &alloc, &r, &info), RC_E_TOO_LARGE);
    assert_string_equal(info.pointer, "/model");
    assert_int_equal(rc_report_decode(json, RC_DECODE_TOLERANT, &alloc, &r, &info), RC_OK);
    assert_true(rc_report_model(r).len <= RC_REPORT_NAME_MAX);
    rc_report_free(r);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strict_names_every_fault),
        cmocka_unit_test(test_tolerant_continues),
        cmocka_unit_test(test_unknown_values_are_kept_as_unknown),
        cmocka_unit_test(test_a_contradiction_is_never_retried),
        cmocka_unit_test(test_last_duplicate_wins),
        cmocka_unit_test(test_damage_is_reported),
        cmocka_unit_test(test_escapes_in_keys_and_values),
        cmocka_unit_test(test_secrets_in_names_are_not_shown),
        cmocka_unit_test(test_deep_causes),
        cmocka_unit_test(test_empty_object_is_an_empty_report),
        cmocka_unit_test(test_status_follows_from_the_code),
        cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
