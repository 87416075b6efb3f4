/* Tests of the log line and of the OpenTelemetry attributes: their fields, and that a line is
 * always valid JSON of at most 1 KiB. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/taxonomy.h>

#include "support/json_query.h"
#include "support/often.h"
#include "support/random_report.h"
#include "support/render_cases.h"

static json_object *logged(const rc_report *report, int64_t now_unix_ms)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 4096);
    assert_int_equal(rc_render_log(report, now_unix_ms, &buf), RC_OK);
    const char *complaint = check_log(rc_buf_get(&buf));
    if (complaint)
        fail_msg("%s: %.*s", complaint, (int)rc_buf_get(&buf).len, rc_buf_get(&buf).ptr);
    json_object *root = query_parse(rc_buf_get(&buf));
    rc_buf_done(&buf);
    return root;
}

static void test_fields(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    json_object *root = logged(report, CASE_NOW_UNIX_MS);
    query_string(root, "/time", "2026-11-16T01:02:03.456Z");
    query_string(root, "/level", "warn");
    query_string(root, "/event", "error");
    query_string(root, "/report_id", "rep_1");
    query_string(root, "/error_class", "ProviderTransient");
    query_string(root, "/code", "RateLimited");
    query_string(root, "/category", "transient");
    query_bool(root, "/retryable", true);
    query_string(root, "/message", "MESSAGE in /srv/ada/x.py");
    query_string(root, "/provider", "openai");
    query_string(root, "/model", "gpt-4o");
    query_int(root, "/status", 429);
    query_string(root, "/request_id", "REQUEST");
    query_int(root, "/attempt", 3);
    query_string(root, "/run_id", "RUN");
    query_string(root, "/session_id", "SESSION");
    query_string(root, "/node_id", "NODE");
    query_int(root, "/http_status", 429);
    query_string(root, "/rule", "RULE");
    query_string(root, "/cause_code", "ConnectionReset");
    assert_false(query_has(root, "/detail"));
    json_object_put(root);
    root = logged(report, 0);
    assert_false(query_has(root, "/time"));
    json_object_put(root);
    rc_report_free(report);
}

static void expect_level(const rc_report *report, const char *want)
{
    json_object *root = logged(report, 1);
    query_string(root, "/level", want);
    json_object_put(root);
}

static void test_levels(void **state)
{
    (void)state;
    expect_level(rc_report_static(RC_CODE_RATE_LIMITED), "warn");
    expect_level(rc_report_static(RC_CODE_AUTH_FAILED), "error");
    expect_level(rc_report_static(RC_CODE_TURN_CANCELLED), "info");
    expect_level(NULL, "error");
}

/* The classification is never cut, even if all texts of the report have their maximum length. */
static void check_maximal(const rc_report *report)
{
    json_object *root = logged(report, INT64_MAX);
    static const char *const KEPT[] = {
        "/time",    "/level",    "/report_id", "/error_class", "/code",    "/retryable",
        "/message", "/provider", "/model",     "/request_id",  "/run_id",  "/session_id",
        "/node_id", "/rule",     "/status",    "/http_status", "/attempt", "/cause_code"};
    for (size_t i = 0; i < sizeof KEPT / sizeof *KEPT; i++) {
        if (!query_has(root, KEPT[i]))
            fail_msg("%s is not there: %s", KEPT[i], json_object_to_json_string(root));
    }
    query_string(root, "/code", rc_code_name(rc_report_code(report)));
    json_object_put(root);
}

static void test_maximal_reports(void **state)
{
    (void)state;
    static const char FILLS[] = {'x', '"', '\\', '\x01', '\n', '\x7f', '\xff', ' ', '<'};
    for (size_t i = 0; i < sizeof FILLS; i++) {
        const rc_report *report = case_maximal(FILLS[i]);
        check_maximal(report);
        rc_report_free(report);
    }
    const rc_report *nasty = case_nasty();
    check_maximal(nasty);
    rc_report_free(nasty);
}

static void test_other_reports(void **state)
{
    (void)state;
    json_object_put(logged(NULL, 1));
    const rc_report *reports[] = {case_bare(), case_deep()};
    for (size_t i = 0; i < 2; i++) {
        json_object_put(logged(reports[i], 1));
        rc_report_free(reports[i]);
    }
    rc_alloc alloc = rc_alloc_stdlib();
    uint64_t seed = 9;
    for (int i = 0; i < OFTEN(20000); i++) {
        const rc_report *report = random_report(&seed, &alloc);
        json_object_put(logged(report, (int64_t)random_u64(&seed)));
        rc_report_free(report);
    }
}

/* A long message gets the space that the other fields leave, and is cut between two characters. */
static void test_message_is_cut(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    char text[3000];
    for (size_t i = 0; i < sizeof text; i += 3)
        memcpy(text + i, "日", 3);
    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_INVALID_REQUEST);
    rc_builder_set_message(&b, rc_str_make(text, sizeof text));
    const rc_report *report = rc_builder_finish(&b);
    json_object *root = logged(report, CASE_NOW_UNIX_MS);
    json_object *message = NULL;
    assert_int_equal(json_pointer_get(root, "/message", &message), 0);
    const char *cut = json_object_get_string(message);
    assert_true(strlen(cut) > 700);
    assert_string_equal(cut + strlen(cut) - 3, "…");
    assert_memory_equal(cut, text, strlen(cut) - 3);
    json_object_put(root);
    rc_report_free(report);
}

/* Ids that are numbers in the context are numbers in the log line. */
static void test_ids_of_other_kinds(void **state)
{
    (void)state;
    const rc_report *report = case_decode(RC_STR(
        "{\"context\":{\"run_id\":12,\"session_id\":true,\"node_id\":\"n\",\"attempt\":4}}"));
    json_object *root = logged(report, 1);
    query_int(root, "/run_id", 12);
    assert_false(query_has(root, "/session_id"));
    query_string(root, "/node_id", "n");
    query_int(root, "/attempt", 4);
    json_object_put(root);
    rc_report_free(report);
}

static json_object *attributes(const rc_report *report)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 1u << 20);
    assert_int_equal(rc_render_otel(report, &buf), RC_OK);
    json_object *root = query_parse(rc_buf_get(&buf));
    rc_buf_done(&buf);
    return root;
}

static void test_otel(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    json_object *root = attributes(report);
    query_string(root, "/error.type", "RateLimited");
    query_string(root, "/gen_ai.provider.name", "openai");
    query_string(root, "/gen_ai.request.model", "gpt-4o");
    query_int(root, "/http.response.status_code", 429);
    query_string(root, "/recourse.report_id", "rep_1");
    query_string(root, "/recourse.error_type", "LLMCompletionError");
    query_string(root, "/recourse.error_class", "ProviderTransient");
    query_string(root, "/recourse.error_category", "transient");
    query_string(root, "/recourse.error_domain", "runtime");
    query_string(root, "/recourse.cause_code", "ConnectionReset");
    query_bool(root, "/recourse.retryable", true);
    query_int(root, "/recourse.retry_after_ms", 4000);
    query_string(root, "/recourse.limit_kind", "tokens");
    query_string(root, "/recourse.rule", "RULE");
    query_int(root, "/recourse.attempts", 1);
    query_int(root, "/recourse.http_status", 429);
    query_string(root, "/recourse.request_id", "REQUEST");
    query_string(root, "/recourse.run_id", "RUN");
    query_string(root, "/gen_ai.conversation.id", "SESSION");
    query_string(root, "/recourse.node_id", "NODE");
    json_object_object_foreach(root, key, value)
    { /* the object is flat and does not contain the report's texts */
        assert_false(json_object_is_type(value, json_type_object));
        assert_false(json_object_is_type(value, json_type_array));
        assert_null(strstr(key, "message"));
    }
    json_object_put(root);
    rc_report_free(report);
}

static void test_otel_of_an_empty_report(void **state)
{
    (void)state;
    json_object *root = attributes(NULL);
    query_string(root, "/error.type", "_OTHER");
    query_bool(root, "/recourse.retryable", false);
    query_int(root, "/recourse.http_status", 500);
    assert_int_equal(json_object_object_length(root), 3);
    json_object_put(root);

    const rc_report *report = case_decode(RC_STR("{\"error_code\":\"OfAnotherVersion\",\"retry_"
                                                 "exhausted\":true,\"context\":{\"run_id\":5}}"));
    root = attributes(report);
    query_string(root, "/error.type", "_OTHER");
    query_bool(root, "/recourse.retry_exhausted", true);
    query_int(root, "/recourse.run_id", 5);
    json_object_put(root);
    rc_report_free(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_levels),
        cmocka_unit_test(test_maximal_reports),
        cmocka_unit_test(test_other_reports),
        cmocka_unit_test(test_message_is_cut),
        cmocka_unit_test(test_ids_of_other_kinds),
        cmocka_unit_test(test_otel),
        cmocka_unit_test(test_otel_of_an_empty_report),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
