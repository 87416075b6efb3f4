/* Tests of rc_response: the verdict about bodies of each endpoint, for every split of the body. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/fail_alloc.h"
#include "support/json_text.h"
#include "support/judge_run.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define HELD_MAX ((size_t)256 << 10)

/* The properties of the client's request. */
typedef enum request_form {
    PLAIN,
    STREAM,  /* the body has "stream": true */
    UNKNOWN, /* the body has another value of "stream" */
    SSE,     /* the query has alt=sse */
    BODILESS /* the request is a HEAD request */
} request_form;

typedef struct judge_case {
    rc_endpoint_id endpoint;
    request_form form;
    const char *type; /* content type */
    const char *body; /* the body, with ' in place of " */
    rc_response_mode mode;
    rc_response_result result;
    rc_code code;
} judge_case;

#define JSON "application/json"
#define EVENTS "text/event-stream"
#define CHOICE(reason) "{'message':{'content':'a'},'finish_reason':'" reason "'}"
#define CHAT(reason) "{'choices':[" CHOICE(reason) "],'usage':{'prompt_tokens':3}}"
#define FAILURE "{'error':{'message':'overloaded','type':'server_error'}}"
#define CHUNK(reason) "data: {'choices':[{'delta':{'content':'a'},'finish_reason':" reason "}]}\n\n"
#define CHUNKS CHUNK("null") CHUNK("'stop'") "data: [DONE]\n\n"
#define MESSAGE(reason) "{'type':'message','content':[],'stop_reason':'" reason "'}"
#define CANDIDATE(reason) \
    "{'candidates':[{'content':{'parts':[{'text':'a'}]},'finishReason':'" reason "'}]}"
#define BLOCKED "{'promptFeedback':{'blockReason':'SAFETY'}}"
#define BOM "\xef\xbb\xbf"

#define GOOD(mode) RC_MODE_##mode, RC_RESPONSE_GOOD, RC_CODE_NONE
#define FLAWED(code) RC_MODE_WHOLE, RC_RESPONSE_GOOD, RC_CODE_##code
#define ERROR RC_MODE_WHOLE, RC_RESPONSE_ERROR, RC_CODE_NONE
#define ERROR_EVENT RC_MODE_WHOLE, RC_RESPONSE_ERROR_EVENT, RC_CODE_NONE
#define MISSHAPEN(code) RC_MODE_WHOLE, RC_RESPONSE_MISSHAPEN, RC_CODE_##code

static const judge_case openai_cases[] = {
    {RC_ENDPOINT_CHAT, PLAIN, JSON, CHAT("stop"), GOOD(WHOLE)},
    {RC_ENDPOINT_CHAT, PLAIN, JSON, BOM " \n" CHAT("stop"), GOOD(WHOLE)},
    {RC_ENDPOINT_CHAT, PLAIN, "", CHAT("length"), GOOD(WHOLE)},
    {RC_ENDPOINT_CHAT, PLAIN, JSON, CHAT("something new"), GOOD(WHOLE)},
    {RC_ENDPOINT_CHAT, PLAIN, JSON, CHAT("content_filter"), FLAWED(CONTENT_FILTER)},
    {RC_ENDPOINT_CHAT, PLAIN, JSON, CHAT("context_length_exceeded"), FLAWED(CONTEXT_OVERFLOW)},
    {RC_ENDPOINT_CHAT, PLAIN, JSON, "{'choices':[" CHOICE("content_filter") "," CHOICE("stop") "]}",
     FLAWED(CONTENT_FILTER)},
    {RC_ENDPOINT_CHAT, PLAIN, JSON, CHAT("malformed_tool_call"), ERROR},
    {RC_ENDPOINT_CHAT, PLAIN, JSON, CHAT("insufficient_system_resource"), ERROR},
    {RC_ENDPOINT_CHAT, PLAIN, JSON, FAILURE, ERROR},
    {RC_ENDPOINT_CHAT, PLAIN, JSON, "{'choices':[]}", ERROR},
    {RC_ENDPOINT_CHAT, PLAIN, JSON, "{'choices':[ \n]}", ERROR},
    {RC_ENDPOINT_CHAT, PLAIN, JSON, "{'choices':{}}", ERROR},
    {RC_ENDPOINT_CHAT, PLAIN, JSON, "{}", ERROR},
    {RC_ENDPOINT_CHAT, PLAIN, JSON, "", ERROR},
    {RC_ENDPOINT_CHAT, PLAIN, JSON, BOM, ERROR},
    {RC_ENDPOINT_CHAT, BODILESS, JSON, "", GOOD(WHOLE)},
    {RC_ENDPOINT_CHAT, PLAIN, JSON, " ", ERROR},
    {RC_ENDPOINT_CHAT, PLAIN, JSON, "{'choices':[{'message", ERROR},
    {RC_ENDPOINT_CHAT, PLAIN, JSON, "null", ERROR},
    {RC_ENDPOINT_CHAT, PLAIN, JSON, "[" CHAT("stop") "]", ERROR},
    {RC_ENDPOINT_CHAT, PLAIN, "text/html", "<html>busy</html>", ERROR},
    {RC_ENDPOINT_CHAT, PLAIN, EVENTS, CHUNKS, MISSHAPEN(NONE)},
    {RC_ENDPOINT_CHAT, PLAIN, JSON, CHUNKS, MISSHAPEN(NONE)},
    {RC_ENDPOINT_CHAT, PLAIN, EVENTS, CHAT("stop"), MISSHAPEN(NONE)},
    {RC_ENDPOINT_CHAT, PLAIN, EVENTS, CHAT("content_filter"), MISSHAPEN(CONTENT_FILTER)},
    {RC_ENDPOINT_CHAT, PLAIN, EVENTS, CHUNK("'content_filter'"), MISSHAPEN(CONTENT_FILTER)},
    {RC_ENDPOINT_CHAT, PLAIN, EVENTS, "data: " FAILURE "\n\n", ERROR_EVENT},
    {RC_ENDPOINT_CHAT, PLAIN, EVENTS, "data: {'error':\ndata: {'message':'x'}}\n\n", ERROR_EVENT},
    {RC_ENDPOINT_CHAT, PLAIN, EVENTS, CHUNK("null") "data: " FAILURE, ERROR_EVENT},
    {RC_ENDPOINT_CHAT, STREAM, EVENTS, CHUNKS, GOOD(STREAM)},
    {RC_ENDPOINT_CHAT, STREAM, "text/plain", " \n" CHUNKS, GOOD(STREAM)},
    {RC_ENDPOINT_CHAT, STREAM, EVENTS, "x-field: 1\n" CHUNKS, GOOD(STREAM)},
    {RC_ENDPOINT_CHAT, STREAM, "text/plain", "x-field: 1\n" CHUNKS, ERROR},
    {RC_ENDPOINT_CHAT, STREAM, "text/plain", "  dataset: 1", ERROR},
    {RC_ENDPOINT_CHAT, STREAM, "text/plain", BOM "Busy", ERROR},
    {RC_ENDPOINT_CHAT, STREAM, EVENTS, "", GOOD(STREAM)},
    {RC_ENDPOINT_CHAT, STREAM, JSON, "\r\n " CHAT("stop"), MISSHAPEN(NONE)},
    {RC_ENDPOINT_CHAT, STREAM, JSON, CHAT("content_filter"), MISSHAPEN(CONTENT_FILTER)},
    {RC_ENDPOINT_CHAT, STREAM, JSON, FAILURE, ERROR},
    {RC_ENDPOINT_CHAT, STREAM, JSON, BOM FAILURE, ERROR},
    {RC_ENDPOINT_CHAT, UNKNOWN, EVENTS, CHUNKS, GOOD(STREAM)},
    {RC_ENDPOINT_CHAT, UNKNOWN, JSON, CHAT("stop"), GOOD(WHOLE)},
    {RC_ENDPOINT_CHAT, UNKNOWN, JSON, FAILURE, ERROR},
    {RC_ENDPOINT_COMPLETIONS, PLAIN, JSON, "{'choices':[{'text':'a','finish_reason':'stop'}]}",
     GOOD(WHOLE)},
    {RC_ENDPOINT_COMPLETIONS, PLAIN, JSON,
     "{'choices':[{'text':'a','finish_reason':'content_filter'}]}", FLAWED(CONTENT_FILTER)},
    {RC_ENDPOINT_COMPLETIONS, STREAM, EVENTS, "data: {'choices':[{'text':'a'}]}\n\n", GOOD(STREAM)},
    {RC_ENDPOINT_RESPONSES, PLAIN, JSON, "{'output':[],'error':null}", GOOD(WHOLE)},
    {RC_ENDPOINT_RESPONSES, PLAIN, JSON, "{'incomplete_details':{'reason':'max_output_tokens'}}",
     GOOD(WHOLE)},
    {RC_ENDPOINT_RESPONSES, PLAIN, JSON, "{'incomplete_details':{'reason':'content_filter'}}",
     FLAWED(CONTENT_FILTER)},
    {RC_ENDPOINT_RESPONSES, PLAIN, JSON, FAILURE, ERROR},
    {RC_ENDPOINT_EMBEDDINGS, PLAIN, JSON, "{'data':[]}", GOOD(WHOLE)},
    {RC_ENDPOINT_EMBEDDINGS, PLAIN, JSON, FAILURE, ERROR},
    {RC_ENDPOINT_EMBEDDINGS, PLAIN, JSON, "", ERROR},
    {RC_ENDPOINT_EMBEDDINGS, PLAIN, EVENTS, "data: {}\n\n", MISSHAPEN(NONE)},
    {RC_ENDPOINT_IMAGE_GENERATIONS, STREAM, EVENTS, "data: {}\n\n", GOOD(RELAY)},
    {RC_ENDPOINT_IMAGE_GENERATIONS, PLAIN, JSON, "{'data':[]}", GOOD(WHOLE)},
    {RC_ENDPOINT_SPEECH, PLAIN, "audio/mpeg", "ID3", GOOD(RELAY)},
    {RC_ENDPOINT_SPEECH, PLAIN, "audio/mpeg", "", RC_MODE_RELAY, RC_RESPONSE_ERROR, RC_CODE_NONE},
    {RC_ENDPOINT_SPEECH, PLAIN, EVENTS, "data: {}\n\n", GOOD(RELAY)},
};

static const judge_case anthropic_cases[] = {
    {RC_ENDPOINT_MESSAGES, PLAIN, JSON, MESSAGE("end_turn"), GOOD(WHOLE)},
    {RC_ENDPOINT_MESSAGES, PLAIN, JSON, "{'content':[],'stop_reason':null}", GOOD(WHOLE)},
    {RC_ENDPOINT_MESSAGES, PLAIN, JSON, MESSAGE("refusal"), FLAWED(CONTENT_FILTER)},
    {RC_ENDPOINT_MESSAGES, PLAIN, JSON, MESSAGE("model_context_window_exceeded"),
     FLAWED(CONTEXT_OVERFLOW)},
    {RC_ENDPOINT_MESSAGES, PLAIN, JSON,
     "{'type':'error',"
     "'error':{'type':'overloaded_error'}}",
     ERROR},
    {RC_ENDPOINT_MESSAGES, PLAIN, JSON, "{'content':'a'}", ERROR},
    {RC_ENDPOINT_MESSAGES, STREAM, EVENTS, "event: ping\ndata: {'type':'ping'}\n\n", GOOD(STREAM)},
    {RC_ENDPOINT_MESSAGES, STREAM, JSON, MESSAGE("end_turn"), MISSHAPEN(NONE)},
    {RC_ENDPOINT_MESSAGES, PLAIN, EVENTS,
     "event: error\ndata: {'type':'error','error':{'type':'overloaded_error'}}\n\n", ERROR_EVENT},
    {RC_ENDPOINT_COUNT_TOKENS, PLAIN, JSON, "{'input_tokens':3}", GOOD(WHOLE)},
    {RC_ENDPOINT_COUNT_TOKENS, PLAIN, JSON, "{'type':'error','error':{'type':'api_error'}}", ERROR},
};

static const judge_case gemini_cases[] = {
    {RC_ENDPOINT_GENERATE, PLAIN, JSON, CANDIDATE("STOP"), GOOD(WHOLE)},
    {RC_ENDPOINT_GENERATE_V1, PLAIN, JSON, CANDIDATE("SAFETY"), FLAWED(CONTENT_FILTER)},
    {RC_ENDPOINT_GENERATE, PLAIN, JSON, BLOCKED, FLAWED(CONTENT_FILTER)},
    {RC_ENDPOINT_GENERATE, PLAIN, JSON, "{'promptFeedback':{}}", ERROR},
    {RC_ENDPOINT_GENERATE, PLAIN, JSON, CANDIDATE("MALFORMED_FUNCTION_CALL"), ERROR},
    {RC_ENDPOINT_GENERATE, PLAIN, JSON, "{'error':{'code':503,'status':'UNAVAILABLE'}}", ERROR},
    {RC_ENDPOINT_GENERATE, PLAIN, JSON, "[" CANDIDATE("STOP") "]", MISSHAPEN(NONE)},
    {RC_ENDPOINT_GENERATE, PLAIN, JSON, "[" CANDIDATE("SAFETY") "]", MISSHAPEN(CONTENT_FILTER)},
    {RC_ENDPOINT_GENERATE, PLAIN, JSON, "[]", ERROR},
    {RC_ENDPOINT_GENERATE, PLAIN, JSON, "[{'error':{'code':503}}]", ERROR_EVENT},
    {RC_ENDPOINT_GENERATE, SSE, EVENTS, "data: " CANDIDATE("STOP") "\n\n", GOOD(RELAY)},
    {RC_ENDPOINT_GENERATE, SSE, JSON, CANDIDATE("STOP"), GOOD(WHOLE)},
    {RC_ENDPOINT_GENERATE_STREAM, PLAIN, JSON, "[" CANDIDATE("STOP") "]", GOOD(STREAM)},
    {RC_ENDPOINT_GENERATE_STREAM, PLAIN, JSON, CANDIDATE("STOP"), MISSHAPEN(NONE)},
    {RC_ENDPOINT_GENERATE_STREAM, PLAIN, EVENTS, "data: " CANDIDATE("STOP") "\n\n",
     MISSHAPEN(NONE)},
    {RC_ENDPOINT_GENERATE_STREAM_V1, SSE, EVENTS, "data: " CANDIDATE("STOP") "\n\n", GOOD(STREAM)},
    {RC_ENDPOINT_GENERATE_STREAM, SSE, JSON, "[" CANDIDATE("STOP") "]", MISSHAPEN(NONE)},
    {RC_ENDPOINT_GENERATE_STREAM, SSE, JSON, "[{'error':{'code':503}}]", ERROR_EVENT},
    {RC_ENDPOINT_GENERATE_STREAM, SSE, JSON, "[]", ERROR},
    {RC_ENDPOINT_EMBED, PLAIN, JSON, "{'embedding':{}}", GOOD(WHOLE)},
    {RC_ENDPOINT_TOKENS, PLAIN, JSON, "{'totalTokens':3}", GOOD(WHOLE)},
};

static const judge_case passthrough_cases[] = {
    {RC_ENDPOINT_PASSTHROUGH, PLAIN, JSON, FAILURE, GOOD(RELAY)},
    {RC_ENDPOINT_PASSTHROUGH, STREAM, JSON, CHAT("stop"), GOOD(RELAY)},
    {RC_ENDPOINT_PASSTHROUGH, PLAIN, "", "", GOOD(RELAY)},
};

static rc_response_request request_of(rc_endpoint_id id, request_form form)
{
    return (rc_response_request){
        .endpoint = rc_endpoint_at((size_t)id),
        .is_stream = form == STREAM,
        .is_stream_unknown = form == UNKNOWN,
        .is_sse = form == SSE,
    };
}

/* cut: offset at which the body is split into two pieces; SIZE_MAX: one byte per piece. */
static void judge(judge_run *run, const judge_case *row, rc_str body, size_t cut,
                  const rc_alloc *alloc)
{
    const rc_response_request request = request_of(row->endpoint, row->form);
    const rc_response_facts head = {
        .status = 200, .content_type = rc_str_c(row->type), .is_bodiless = row->form == BODILESS};
    judge_run_init(run, &request, &head, HELD_MAX, alloc);
    if (cut == SIZE_MAX) {
        for (size_t i = 0; i < body.len; i++)
            judge_run_push(run, rc_str_slice(body, i, i + 1));
    } else {
        judge_run_push(run, rc_str_slice(body, 0, cut));
        judge_run_push(run, rc_str_slice(body, cut, body.len));
    }
    judge_run_end(run);
}

static void expect(const judge_case *row)
{
    fail_alloc memory = {0};
    const rc_alloc alloc = fail_alloc_of(&memory);
    const rc_str body = json_text(row->body);
    judge_run whole;
    judge(&whole, row, body, 0, &alloc);
    if (whole.response.mode != row->mode || whole.verdict.result != row->result ||
        whole.verdict.code != row->code)
        print_message("%s: %s\n", rc_endpoint_at((size_t)row->endpoint)->path.ptr, row->body);
    assert_int_equal(whole.response.mode, row->mode);
    assert_int_equal(whole.verdict.result, row->result);
    assert_int_equal(whole.verdict.code, row->code);
    assert_int_equal(whole.verdict.error.len > 0, row->result == RC_RESPONSE_ERROR_EVENT);
    for (size_t cut = 1; cut <= body.len + 1; cut++) {
        judge_run split;
        judge(&split, row, body, cut <= body.len ? cut : SIZE_MAX, &alloc);
        if (!judge_run_is_same(&whole, &split))
            fail_msg("split at %zu: %s", cut, row->body);
        judge_run_done(&split);
    }
    judge_run_done(&whole);
    assert_int_equal(memory.live, 0);
}

static void test_openai_bodies_get_their_verdict(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(openai_cases); i++)
        expect(&openai_cases[i]);
}

static void test_anthropic_bodies_get_their_verdict(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(anthropic_cases); i++)
        expect(&anthropic_cases[i]);
}

static void test_gemini_bodies_get_their_verdict(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(gemini_cases); i++)
        expect(&gemini_cases[i]);
}

static void test_passthrough_bodies_are_not_judged(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(passthrough_cases); i++)
        expect(&passthrough_cases[i]);
}

/* ---- usage ---- */

static int64_t input_tokens(rc_endpoint_id id, const char *body)
{
    fail_alloc memory = {0};
    const rc_alloc alloc = fail_alloc_of(&memory);
    const judge_case row = {.endpoint = id, .form = PLAIN, .type = JSON};
    judge_run run;
    judge(&run, &row, json_text(body), 0, &alloc);
    const int64_t input = rc_usage_reported(&run.response.usage).input;
    judge_run_done(&run);
    return input;
}

static void test_usage_is_read_from_responses_in_every_shape(void **state)
{
    (void)state;
    assert_int_equal(input_tokens(RC_ENDPOINT_CHAT, CHAT("stop")), 3);
    assert_int_equal(
        input_tokens(RC_ENDPOINT_CHAT, CHUNK("null") "data: {'usage':{'prompt_tokens':4}}\n\n"), 4);
    assert_int_equal(input_tokens(RC_ENDPOINT_GENERATE,
                                  "[" CANDIDATE("STOP") ",{'usageMetadata':"
                                                        "{'promptTokenCount':5}}]"),
                     5);
}

static void test_errors_have_no_usage_unless_the_model_gave_up(void **state)
{
    (void)state;
    assert_int_equal(
        input_tokens(RC_ENDPOINT_CHAT, "{'error':{'code':1},'usage':{'prompt_tokens':3}}"), -1);
    assert_int_equal(input_tokens(RC_ENDPOINT_CHAT, CHAT("malformed_tool_call")), 3);
    assert_int_equal(input_tokens(RC_ENDPOINT_CHAT, CHAT("error")), 3);
}

/* ---- heads ---- */

typedef struct head_case {
    rc_endpoint_id endpoint;
    request_form form;
    int status;
    const char *type;
    rc_expected_shape expected;
    rc_response_mode mode;
} head_case;

static const head_case head_cases[] = {
    {RC_ENDPOINT_CHAT, PLAIN, 200, JSON, RC_EXPECT_OBJECT, RC_MODE_WHOLE},
    {RC_ENDPOINT_CHAT, PLAIN, 299, "Application/JSON; charset=utf-8", RC_EXPECT_OBJECT,
     RC_MODE_WHOLE},
    {RC_ENDPOINT_CHAT, STREAM, 200, JSON, RC_EXPECT_EVENTS, RC_MODE_STREAM},
    {RC_ENDPOINT_CHAT, STREAM, 503, EVENTS, RC_EXPECT_EVENTS, RC_MODE_ERROR},
    {RC_ENDPOINT_CHAT, PLAIN, 199, JSON, RC_EXPECT_OBJECT, RC_MODE_ERROR},
    {RC_ENDPOINT_CHAT, PLAIN, 300, JSON, RC_EXPECT_OBJECT, RC_MODE_ERROR},
    {RC_ENDPOINT_CHAT, PLAIN, 304, JSON, RC_EXPECT_OBJECT, RC_MODE_ERROR},
    {RC_ENDPOINT_CHAT, UNKNOWN, 200, EVENTS, RC_EXPECT_ANY, RC_MODE_STREAM},
    {RC_ENDPOINT_CHAT, UNKNOWN, 200, "", RC_EXPECT_ANY, RC_MODE_WHOLE},
    {RC_ENDPOINT_GENERATE_STREAM, PLAIN, 200, JSON, RC_EXPECT_ARRAY, RC_MODE_STREAM},
    {RC_ENDPOINT_GENERATE_STREAM, SSE, 200, JSON, RC_EXPECT_EVENTS, RC_MODE_STREAM},
    {RC_ENDPOINT_GENERATE, PLAIN, 200, JSON, RC_EXPECT_OBJECT, RC_MODE_WHOLE},
    {RC_ENDPOINT_GENERATE, SSE, 200, EVENTS, RC_EXPECT_ANY, RC_MODE_RELAY},
    {RC_ENDPOINT_EMBEDDINGS, PLAIN, 200, JSON, RC_EXPECT_ANY, RC_MODE_WHOLE},
    {RC_ENDPOINT_EMBEDDINGS, PLAIN, 200, "TEXT/EVENT-STREAM", RC_EXPECT_OBJECT, RC_MODE_WHOLE},
    {RC_ENDPOINT_EMBEDDINGS, PLAIN, 200, "text/plain", RC_EXPECT_ANY, RC_MODE_RELAY},
    {RC_ENDPOINT_TRANSCRIPTIONS, PLAIN, 200, EVENTS, RC_EXPECT_ANY, RC_MODE_RELAY},
    {RC_ENDPOINT_PASSTHROUGH, PLAIN, 200, JSON, RC_EXPECT_ANY, RC_MODE_RELAY},
    {RC_ENDPOINT_PASSTHROUGH, PLAIN, 304, "", RC_EXPECT_ANY, RC_MODE_RELAY},
    {RC_ENDPOINT_PASSTHROUGH, PLAIN, 404, JSON, RC_EXPECT_ANY, RC_MODE_ERROR},
};

static void test_the_head_chooses_the_mode(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(head_cases); i++) {
        const head_case *row = &head_cases[i];
        const rc_response_request request = request_of(row->endpoint, row->form);
        const rc_response_facts head = {.status = row->status, .content_type = rc_str_c(row->type)};
        rc_response response;
        rc_response_init(&response, &request);
        assert_int_equal(response.mode, RC_MODE_HEAD);
        rc_response_on_head(&response, &head);
        assert_int_equal(response.expected, row->expected);
        assert_int_equal(response.mode, row->mode);
    }
}

static bool is_decoded(rc_endpoint_id id, const char *type, bool is_known, bool is_free)
{
    rc_response_request request = request_of(id, PLAIN);
    const rc_response_facts head = {.status = 200,
                                    .content_type = rc_str_c(type),
                                    .has_length = true,
                                    .length_bytes = 7,
                                    .is_compressed = true,
                                    .is_coding_known = is_known};
    rc_response response;
    request.is_free = is_free;
    rc_response_init(&response, &request);
    rc_response_on_head(&response, &head);
    assert_int_equal(response.has_length, !response.is_decoded);
    assert_int_equal(response.length_bytes, response.is_decoded ? 0 : 7);
    return response.is_decoded;
}

static void test_only_bodies_that_are_parsed_are_decompressed(void **state)
{
    (void)state;
    assert_true(is_decoded(RC_ENDPOINT_CHAT, JSON, true, false));
    assert_true(is_decoded(RC_ENDPOINT_CHAT, JSON, false, false));
    assert_true(is_decoded(RC_ENDPOINT_PASSTHROUGH, JSON, true, false));
    assert_true(is_decoded(RC_ENDPOINT_PASSTHROUGH, EVENTS, true, false));
    assert_false(is_decoded(RC_ENDPOINT_PASSTHROUGH, JSON, false, false));
    assert_false(is_decoded(RC_ENDPOINT_PASSTHROUGH, JSON, true, true));
    assert_false(is_decoded(RC_ENDPOINT_PASSTHROUGH, "image/png", true, false));
    assert_false(is_decoded(RC_ENDPOINT_SPEECH, "audio/mpeg", true, false));
}

static void test_the_last_byte_is_found_by_the_length(void **state)
{
    (void)state;
    const rc_response_request request = request_of(RC_ENDPOINT_SPEECH, PLAIN);
    rc_response_facts head = {.status = 200, .has_length = true, .length_bytes = 5};
    rc_response response;
    rc_response_init(&response, &request);
    rc_response_on_head(&response, &head);
    assert_false(rc_response_has_last_byte(&response, 4, RC_STR("abcd")));
    assert_true(rc_response_has_last_byte(&response, 5, RC_STR("e")));
    assert_false(rc_response_has_last_byte(&response, 5, RC_STR("")));
    head.has_length = false;
    rc_response_on_head(&response, &head);
    assert_false(rc_response_has_last_byte(&response, 5, RC_STR("e")));
}

/* ---- bodies that are too large to be held ---- */

static void expect_large(const judge_case *row)
{
    static char text[512];
    fail_alloc memory = {0};
    const rc_alloc alloc = fail_alloc_of(&memory);
    const rc_response_request request = request_of(row->endpoint, row->form);
    const rc_response_facts head = {.status = 200, .content_type = rc_str_c(row->type)};
    const rc_str start = json_text(row->body);
    judge_run run;
    memset(text, ' ', sizeof text);
    memcpy(text, start.ptr, start.len);
    judge_run_init(&run, &request, &head, sizeof text / 2, &alloc);
    for (size_t at = 0; at < sizeof text; at += 64)
        judge_run_push(&run, rc_str_make(text + at, 64));
    judge_run_end(&run);
    assert_true(run.is_judged);
    assert_int_equal(run.verdict.result, row->result);
    assert_int_equal(run.verdict.code, row->code);
    assert_int_equal(run.response.mode, row->mode);
    assert_true(rc_buf_get(&run.held).len <= sizeof text);
    judge_run_done(&run);
    assert_int_equal(memory.live, 0);
}

static void test_large_bodies_are_judged_by_their_beginning(void **state)
{
    static const judge_case rows[] = {
        {RC_ENDPOINT_CHAT, PLAIN, JSON, "{'choices':[{'message':{'content':'", GOOD(RELAY)},
        {RC_ENDPOINT_EMBEDDINGS, PLAIN, JSON, "{'data':'", GOOD(RELAY)},
        {RC_ENDPOINT_CHAT, PLAIN, JSON, FAILURE, ERROR},
        {RC_ENDPOINT_CHAT, PLAIN, JSON, "<html>", ERROR},
        {RC_ENDPOINT_CHAT, PLAIN, JSON, "data: {}\n\n" CHUNK("null"), MISSHAPEN(NONE)},
        {RC_ENDPOINT_CHAT, STREAM, JSON, "{'choices':[{'message':{'content':'", MISSHAPEN(NONE)},
        {RC_ENDPOINT_CHAT, STREAM, JSON, FAILURE, ERROR},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(rows); i++)
        expect_large(&rows[i]);
}

/* ---- texts, memory ---- */

static void expect_text(rc_endpoint_id id, request_form form, const char *type, rc_body_kind kind,
                        const char *wanted)
{
    char memory[RC_RESPONSE_MISSHAPE_MAX_BYTES];
    const rc_response_request request = request_of(id, form);
    const rc_response_facts head = {.status = 200, .content_type = rc_str_c(type)};
    rc_response response;
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_response_init(&response, &request);
    rc_response_on_head(&response, &head);
    rc_response_push_misshape(&response, kind, &text);
    assert_int_equal(rc_buf_status(&text), RC_OK);
    assert_true(rc_str_eq(rc_buf_get(&text), rc_str_c(wanted)));
}

static void test_the_text_names_both_shapes(void **state)
{
    (void)state;
    expect_text(RC_ENDPOINT_CHAT, STREAM, JSON, RC_BODY_OBJECT,
                "A stream of events was requested, but one JSON object arrived.");
    expect_text(RC_ENDPOINT_CHAT, PLAIN, JSON, RC_BODY_EVENTS,
                "One JSON object was requested, but a stream of events arrived.");
    expect_text(RC_ENDPOINT_GENERATE_STREAM, PLAIN, JSON, RC_BODY_OTHER,
                "A JSON array was requested, but something else arrived.");
    expect_text(RC_ENDPOINT_GENERATE, PLAIN, JSON, RC_BODY_ARRAY,
                "One JSON object was requested, but a JSON array arrived.");
    expect_text(RC_ENDPOINT_CHAT, PLAIN, EVENTS, RC_BODY_OBJECT,
                "One JSON object was requested, but one JSON object that is labelled as a stream "
                "of events arrived.");
}

/* An event of several lines needs the scratch buffer. If no memory is available, the body is still
 * refused. */
static void test_a_verdict_without_memory_is_still_a_failure(void **state)
{
    (void)state;
    fail_alloc memory = {.fail_at = 1, .for_good = true};
    const rc_alloc alloc = fail_alloc_of(&memory);
    const rc_response_request request = request_of(RC_ENDPOINT_CHAT, PLAIN);
    const rc_response_facts head = {.status = 200, .content_type = RC_STR(EVENTS)};
    rc_response response;
    rc_buf scratch;
    rc_buf_init(&scratch, &alloc, JUDGE_SCRATCH_MAX);
    rc_response_init(&response, &request);
    rc_response_on_head(&response, &head);
    const rc_response_verdict verdict = rc_response_judge_whole(
        &response, json_text("data: {'error':\ndata: {'message':'x'}}\n\n"), &scratch);
    assert_true(memory.calls > 0);
    assert_int_not_equal(verdict.result, RC_RESPONSE_GOOD);
    rc_buf_done(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_openai_bodies_get_their_verdict),
        cmocka_unit_test(test_anthropic_bodies_get_their_verdict),
        cmocka_unit_test(test_gemini_bodies_get_their_verdict),
        cmocka_unit_test(test_passthrough_bodies_are_not_judged),
        cmocka_unit_test(test_usage_is_read_from_responses_in_every_shape),
        cmocka_unit_test(test_errors_have_no_usage_unless_the_model_gave_up),
        cmocka_unit_test(test_the_head_chooses_the_mode),
        cmocka_unit_test(test_only_bodies_that_are_parsed_are_decompressed),
        cmocka_unit_test(test_the_last_byte_is_found_by_the_length),
        cmocka_unit_test(test_large_bodies_are_judged_by_their_beginning),
        cmocka_unit_test(test_the_text_names_both_shapes),
        cmocka_unit_test(test_a_verdict_without_memory_is_still_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
