/* Tests of stream frames: the error at the end of a stream in the client's dialect. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/json_query.h"
#include "support/render_cases.h"

/* Memory of the text of a frame; the next frame overwrites it. */
static char frame_scratch[1u << 20];

static rc_str frame_of(const rc_report *report, rc_dialect dialect, rc_view view)
{
    rc_buf buf;
    rc_buf_init_fixed(&buf, frame_scratch, sizeof frame_scratch);
    assert_int_equal(rc_render_stream_frame(report, dialect, view, &buf), RC_OK);
    rc_str text = rc_buf_get(&buf);
    const char *complaint = check_frame(text);
    if (complaint)
        fail_msg("%s: %.*s", complaint, (int)text.len, text.ptr);
    return text;
}

/* Parses the data of the event whose line begins with `start`, which is searched after the first
 * `before` bytes. */
static json_object *data_of(rc_str text, size_t before, const char *start)
{
    text = rc_str_slice(text, before, text.len);
    assert_true(rc_str_starts_with(text, rc_str_c(start)));
    size_t from = strlen(start) - 1;
    return query_parse(rc_str_slice(text, from, rc_str_find_byte(text, '\n', from)));
}

static json_object *rendered(const rc_report *report, rc_dialect dialect, rc_view view,
                             const char *start)
{
    return data_of(frame_of(report, dialect, view), 0, start);
}

static void test_openai_chat(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    json_object *root = rendered(report, RC_DIALECT_OPENAI_CHAT, RC_VIEW_USER, "data: {");
    query_string(root, "/error/code", "rate_limit_exceeded");
    query_string(root, "/error/recourse/report_id", "rep_1");
    assert_false(query_has(root, "/recourse")); /* the report is contained once */
    /* The frame has all members of a chunk, for readers that reject other shapes; but one number is
     * a string, so that readers that match shapes do not read it as a chunk without an error. */
    query_string(root, "/id", "rep_1");
    query_string(root, "/object", "chat.completion.chunk");
    query_string(root, "/created", "0");
    assert_true(query_has(root, "/model"));
    query_string(root, "/choices/0/finish_reason", "error");
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
    query_string(root, "/error/recourse/report_id", "rep_1");
    assert_false(query_has(root, "/recourse")); /* the report is contained once */
    json_object_put(root);
    root = rendered(report, RC_DIALECT_OPENAI_RESPONSES, RC_VIEW_MODEL, "event: error\ndata: {");
    query_string(root, "/param", "PARAM");
    query_string(root, "/message", "MESSAGE in [path]");
    json_object_put(root);
    rc_report_free(report);
}

/* Parses the second of the two events of a Responses stream. */
static json_object *failed_event(const rc_report *report, rc_view view)
{
    rc_str text = frame_of(report, RC_DIALECT_OPENAI_RESPONSES, view);
    size_t end = rc_str_find(text, RC_STR("\n\n"), 0) + 2;
    return data_of(text, end, "event: response.failed\ndata: {");
}

/* This event is for clients that know no other event of a failed response. */
static void test_response_failed(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    json_object *root = failed_event(report, RC_VIEW_MODEL);
    query_string(root, "/type", "response.failed");
    query_int(root, "/sequence_number", 1);
    query_string(root, "/response/id", "rep_1");
    query_string(root, "/response/object", "response");
    query_string(root, "/response/status", "failed");
    query_string(root, "/response/error/code", "rate_limit_exceeded");
    query_string(root, "/response/error/message", "MESSAGE in [path]");
    query_string(root, "/response/model", "gpt-4o");
    query_null(root, "/response/incomplete_details");
    json_object_put(root);
    rc_report_free(report);
    report =
        case_decode(RC_STR("{\"context\":{\"response_id\":\"resp_9\",\"sequence_number\":7}}"));
    root = failed_event(report, RC_VIEW_USER);
    query_string(root, "/response/id", "resp_9");
    query_int(root, "/sequence_number", 8);
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
    root = failed_event(report, RC_VIEW_USER);
    query_int(root, "/sequence_number", want + 1);
    json_object_put(root);
    rc_report_free(report);
}

static void test_sequence_number(void **state)
{
    (void)state;
    expect_sequence("{\"context\":{\"sequence_number\":41}}", 41);
    expect_sequence("{\"context\":{\"sequence_number\":-1}}", 0);
    expect_sequence("{\"context\":{\"sequence_number\":9223372036854775807}}", 0);
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
    query_string(root, "/message", "MESSAGE in /srv/ada/x.py"); /* err.message is a sentence */
    json_object_put(root);
    rc_report_free(report);
    /* For an overload, err.message is the JSON of the event, which Claude Code searches for the
     * type. */
    root = rendered(rc_report_static(RC_CODE_OVERLOADED), RC_DIALECT_ANTHROPIC, RC_VIEW_USER,
                    "event: error\ndata: {");
    query_string(root, "/error/type", "overloaded_error");
    assert_false(query_has(root, "/message"));
    json_object_put(root);
}

/* Programs such as pi and oh-my-pi retry if the message contains words about a cut stream. */
static void test_message_of_a_cut_stream(void **state)
{
    (void)state;
    const rc_str cut = rc_report_message(rc_report_static(RC_CODE_STREAM_INTERRUPTED));
    assert_int_not_equal(rc_str_find(cut, RC_STR("terminated"), 0), RC_STR_NPOS);
    assert_int_not_equal(rc_str_find(cut, RC_STR("ended without"), 0), RC_STR_NPOS);
    assert_int_equal(rc_str_find(cut, RC_STR("stream"), 0), RC_STR_NPOS); /* the response may not be
                                                                             a stream */
    const rc_str reset = rc_report_message(rc_report_static(RC_CODE_CONNECTION_RESET));
    assert_true(rc_str_starts_with(reset, RC_STR("Connection lost")));
}

/* The Python SDK looks for data that begins with the member "error"; the other SDKs look for the
 * bare body, or for data after the last blank line. */
static void test_gemini(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    rc_str text = frame_of(report, RC_DIALECT_GEMINI, RC_VIEW_USER);
    assert_true(rc_str_starts_with(text, RC_STR("data: {\"error\":{\"code\":429,")));
    size_t end = rc_str_find(text, RC_STR("\r\n\r\n"), 0);
    assert_int_not_equal(end, RC_STR_NPOS);
    rc_str data = rc_str_slice(text, 6, end);
    rc_str rest = rc_str_slice(text, end + 4, text.len);
    assert_true(rc_str_eq(data, rest));
    json_object *root = query_parse(data);
    query_int(root, "/error/code", 429);
    query_string(root, "/recourse/report_id", "rep_1");
    json_object_put(root);
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
        cmocka_unit_test(test_openai_chat),
        cmocka_unit_test(test_openai_responses),
        cmocka_unit_test(test_response_failed),
        cmocka_unit_test(test_sequence_number),
        cmocka_unit_test(test_message_of_a_cut_stream),
        cmocka_unit_test(test_anthropic),
        cmocka_unit_test(test_gemini),
        cmocka_unit_test(test_problem),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
