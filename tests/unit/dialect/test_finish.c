/* Tests of finish reasons: as the end of a stream without a terminator, of several choices, and the
 * agreement between gateway and classifier. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <recourse/classify.h>
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "dialect/finish.h"
#include "dialect/stream_table.h"
#include "support/stream_samples.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MAX_BYTES RC_STREAM_EVENT_MAX_BYTES

typedef struct fixture {
    rc_buf scratch;
    char text[STREAM_SAMPLE_MAX];
} fixture;

static int set_up(void **state)
{
    static fixture f;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf_init(&f.scratch, &alloc, 2 * MAX_BYTES);
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture *f = *state;
    rc_buf_done(&f->scratch);
    return 0;
}

/* A closed connection alone does not complete a stream. In a dialect without a terminator, the
 * finish reason completes the stream, unless the stream ended inside another event. */
static void test_a_close_after_the_finish_reason(void **state)
{
    fixture *f = *state;
    static const struct {
        rc_stream_dialect dialect;
        const char *text;
        rc_stream_end closed;
        rc_stream_finish finish;
    } rows[] = {
        {RC_STREAM_GEMINI, GEM(PARTS("{'text': 'a'}") ",'finishReason': 'STOP'"),
         RC_STREAM_END_COMPLETE, RC_STREAM_FINISH_GOOD},
        {RC_STREAM_GEMINI, GEM(PARTS("{'text': 'a'}") ",'finishReason': 'MAX_TOKENS'"),
         RC_STREAM_END_COMPLETE, RC_STREAM_FINISH_LENGTH},
        {RC_STREAM_GEMINI, GEM("'finishReason': 'SAFETY'"), RC_STREAM_END_COMPLETE,
         RC_STREAM_FINISH_FILTER},
        {RC_STREAM_GEMINI, GEM("'finishReason': 'LANGUAGE'"), RC_STREAM_END_COMPLETE,
         RC_STREAM_FINISH_FILTER},
        {RC_STREAM_GEMINI, GEM("'finishReason': 'NO_IMAGE'"), RC_STREAM_END_COMPLETE,
         RC_STREAM_FINISH_FILTER},
        {RC_STREAM_GEMINI, GEM(PARTS("{'text': 'a'}") ",'finishReason': 'STOP'") ": idle\n\n",
         RC_STREAM_END_COMPLETE, RC_STREAM_FINISH_GOOD},
        {RC_STREAM_GEMINI, GEM(PARTS("{'text': 'a'}")), TRUNCATED, RC_STREAM_FINISH_NONE},
        {RC_STREAM_GEMINI, GEM(PARTS("{'text': 'a'}") ",'finishReason': 'STOP'") "data: {'cand",
         TRUNCATED, RC_STREAM_FINISH_GOOD},
        {RC_STREAM_GEMINI, GEM(PARTS("{'text': 'a'}") ",'finishReason': 'STOP'") "da", TRUNCATED,
         RC_STREAM_FINISH_GOOD},
        {RC_STREAM_GEMINI,
         GEM(PARTS("{'text': 'a'}") ",'index': 2")
             GEM(PARTS("{'text': 'b'}") ",'finishReason': 'STOP','index': 1"),
         TRUNCATED, RC_STREAM_FINISH_GOOD},
        {RC_STREAM_OPENAI_CHAT, DELTA("'content':'a'") STOP("stop"), TRUNCATED,
         RC_STREAM_FINISH_GOOD},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        rc_str text = stream_sample_text(rows[i].text, f->text);
        stream_run run =
            stream_run_do(FORM_SSE, rows[i].dialect, text, CUT_NOT, &f->scratch, MAX_BYTES);
        assert_int_equal(rc_stream_watch_end(&run.watch, RC_STREAM_BODY_CLOSED), rows[i].closed);
        assert_int_equal(rc_stream_watch_end(&run.watch, RC_STREAM_BODY_CUT), TRUNCATED);
        assert_int_equal(run.watch.finish, rows[i].finish);
        stream_run_done(&run);
    }
}

/* Of several choices, the first failed one decides. A choice that reached its length limit does not
 * hide the failure. After a malformed tool call the response is unusable. */
static void test_finish_of_several_choices(void **state)
{
    fixture *f = *state;
    static const struct {
        const char *first;
        const char *second;
        rc_stream_finish finish;
        bool is_error;
    } rows[] = {
        {"stop", "length", RC_STREAM_FINISH_LENGTH, false},
        {"length", "stop", RC_STREAM_FINISH_LENGTH, false},
        {"length", "content_filter", RC_STREAM_FINISH_FILTER, false},
        {"content_filter", "length", RC_STREAM_FINISH_FILTER, false},
        {"refusal", "content_filter", RC_STREAM_FINISH_REFUSAL, false},
        {"content_filter", "error", RC_STREAM_FINISH_ERROR, true},
        {"stop", "malformed_function_call", RC_STREAM_FINISH_TOOL, true},
        {"unexpected_tool_call", "stop", RC_STREAM_FINISH_TOOL, true},
        {"length", "insufficient_system_resource", RC_STREAM_FINISH_ERROR, true},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char text[512];
        snprintf(text, sizeof text,
                 "data: {\"choices\":[{\"index\":0,\"finish_reason\":\"%s\"},"
                 "{\"index\":1,\"finish_reason\":\"%s\"}]}\n\n",
                 rows[i].first, rows[i].second);
        stream_run run = stream_run_do(FORM_SSE, RC_STREAM_OPENAI_CHAT, rc_str_c(text), CUT_NOT,
                                       &f->scratch, MAX_BYTES);
        assert_int_equal(run.watch.finish, rows[i].finish);
        assert_int_equal(run.watch.has_error, rows[i].is_error);
        assert_int_equal(run.notes[0].finish, rows[i].finish);
        stream_run_done(&run);
        snprintf(text, sizeof text,
                 "data: {\"choices\":[{\"index\":0,\"finish_reason\":\"%s\"}]}\n\n"
                 "data: {\"choices\":[{\"index\":1,\"finish_reason\":\"%s\"}]}\n\n",
                 rows[i].first, rows[i].second);
        run = stream_run_do(FORM_SSE, RC_STREAM_OPENAI_CHAT, rc_str_c(text), CUT_NOT, &f->scratch,
                            MAX_BYTES);
        assert_int_equal(run.watch.finish, rows[i].finish);
        assert_int_equal(run.watch.has_error, rows[i].is_error);
        stream_run_done(&run);
    }
}

/* ---- agreement of gateway and classifier ---- */

static const char *const REASONS[] = {
#define RC_FINISH(name, MEANING) name,
#include "spec/finish.def"
};

/* Classifies a response with text and this finish reason, in a provider's format. */
static rc_code classified(const char *reason, bool is_event)
{
    char text[256];
    snprintf(text, sizeof text,
             "%s{\"choices\":[{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":\"Hi\"},"
             "\"finish_reason\":\"%s\"}]}%s",
             is_event ? "data: " : "", reason, is_event ? "\n\n" : "");
    rc_failure failure = {.status = 200, .family = RC_FAMILY_LLM};
    if (is_event)
        failure.event = rc_str_c(text);
    else
        failure.body = rc_str_c(text);
    const rc_alloc alloc = rc_alloc_stdlib();
    const rc_report *report = rc_classify(&failure, NULL, &alloc);
    const rc_code code = rc_report_code(report);
    rc_report_free(report);
    return code;
}

static void test_gateway_and_classifier_agree(void **state)
{
    (void)state;
    unsigned seen = 0;
    for (size_t i = 0; i < COUNT(REASONS); i++) {
        const rc_stream_finish finish = rc_stream_finish_parse(rc_str_c(REASONS[i]));
        const rc_code code = rc_finish_code(finish);
        seen |= 1u << finish;
        if (finish == RC_STREAM_FINISH_GOOD || finish == RC_STREAM_FINISH_LENGTH) {
            assert_int_equal(code, RC_CODE_NONE);
            assert_false(rc_finish_is_failure(finish));
            continue;
        }
        if (classified(REASONS[i], false) != code || classified(REASONS[i], true) != code)
            print_message("%s\n", REASONS[i]);
        assert_int_equal(classified(REASONS[i], false), code);
        assert_int_equal(classified(REASONS[i], true), code);
        /* A failure that a retry may fix leaves no response. */
        assert_int_equal(rc_finish_is_failure(finish), rc_code_get(code)->is_retryable);
    }
    assert_int_equal(seen, (1u << (RC_STREAM_FINISH_ERROR + 1)) - (1u << RC_STREAM_FINISH_GOOD));
    assert_int_equal(rc_finish_code(RC_STREAM_FINISH_NONE), RC_CODE_NONE);
    assert_int_equal(rc_finish_code(RC_STREAM_FINISH_UNKNOWN), RC_CODE_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_close_after_the_finish_reason),
        cmocka_unit_test(test_finish_of_several_choices),
        cmocka_unit_test(test_gateway_and_classifier_agree),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
