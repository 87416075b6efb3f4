/* Stream frames: one event each, in the client's own form, and nothing behind it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "../support/json_query.h"
#include "../support/render_cases.h"

/* The frame's data, after its other lines were compared. */
static json_object *rendered(const rc_report *report, rc_dialect dialect, rc_view view,
                             const char *start)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 4u << 20);
    assert_int_equal(rc_render_stream_frame(report, dialect, view, &buf), RC_OK);
    rc_str text = rc_buf_get(&buf);
    const char *complaint = check_frame(text);
    if (complaint)
        fail_msg("%s: %.*s", complaint, (int)text.len, text.ptr);
    assert_true(rc_str_starts_with(text, rc_str_c(start)));
    size_t from = strlen(start) - 1;
    json_object *root = query_parse(rc_str_slice(text, from, text.len - 2));
    rc_buf_done(&buf);
    return root;
}

static void test_openai_chat(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    json_object *root = rendered(report, RC_DIALECT_OPENAI_CHAT, RC_VIEW_USER, "data: {");
    query_string(root, "/error/code", "rate_limit_exceeded");
    query_string(root, "/recourse/report_id", "rep_1");
    json_object_put(root);
    rc_report_free(report);
}

static void test_openai_responses(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    json_object *root =
        rendered(report, RC_DIALECT_OPENAI_RESPONSES, RC_VIEW_INTERNAL, "event: error\ndata: {");
    query_string(root, "/type", "error");
    query_int(root, "/sequence_number", 0);
    query_string(root, "/code", "rate_limit_exceeded");
    query_string(root, "/message", "MESSAGE in /srv/ada/x.py");
    query_string(root, "/param", "PARAM");
    query_string(root, "/error/message", "MESSAGE in /srv/ada/x.py");
    query_string(root, "/error/code", "rate_limit_exceeded");
    query_string(root, "/recourse/report_id", "rep_1");
    json_object_put(root);
    root = rendered(report, RC_DIALECT_OPENAI_RESPONSES, RC_VIEW_MODEL, "event: error\ndata: {");
    query_null(root, "/param");
    query_string(root, "/message", "MESSAGE in [path]");
    json_object_put(root);
    rc_report_free(report);
}

static void expect_sequence(const char *json, int64_t want)
{
    const rc_report *report = case_decode(rc_str_c(json));
    json_object *root =
        rendered(report, RC_DIALECT_OPENAI_RESPONSES, RC_VIEW_USER, "event: error\ndata: {");
    query_int(root, "/sequence_number", want);
    json_object_put(root);
    rc_report_free(report);
}

static void test_sequence_number(void **state)
{
    (void)state;
    expect_sequence("{\"context\":{\"sequence_number\":41}}", 41);
    expect_sequence("{\"context\":{\"sequence_number\":-1}}", 0);
    expect_sequence("{\"context\":{\"sequence_number\":\"41\"}}", 0);
    expect_sequence("{}", 0);
}

static void test_anthropic(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    json_object *root =
        rendered(report, RC_DIALECT_ANTHROPIC, RC_VIEW_USER, "event: error\ndata: {");
    query_string(root, "/type", "error");
    query_string(root, "/error/type", "rate_limit_error");
    json_object_put(root);
    rc_report_free(report);
}

/* The SDK looks for data that begins with the member "error". */
static void test_gemini(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    json_object *root = rendered(report, RC_DIALECT_GEMINI, RC_VIEW_USER, "data: {");
    query_int(root, "/error/code", 429);
    json_object_put(root);

    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 1u << 20);
    rc_render_stream_frame(report, RC_DIALECT_GEMINI, RC_VIEW_USER, &buf);
    assert_true(rc_str_starts_with(rc_buf_get(&buf), RC_STR("data: {\"error\":{\"code\":429,")));
    rc_buf_done(&buf);
    rc_report_free(report);
}

static void test_problem(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    json_object *root = rendered(report, RC_DIALECT_PROBLEM, RC_VIEW_USER, "event: error\ndata: {");
    query_string(root, "/type", "urn:recourse:error:rate-limited");
    json_object_put(root);
    rc_report_free(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_openai_chat),     cmocka_unit_test(test_openai_responses),
        cmocka_unit_test(test_sequence_number), cmocka_unit_test(test_anthropic),
        cmocka_unit_test(test_gemini),          cmocka_unit_test(test_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
