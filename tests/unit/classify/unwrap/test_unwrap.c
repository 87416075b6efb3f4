/* Tests of unwrapping: each form of text, and the layers that result. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "classify/unwrap/plain_text.h"
#include "classify/unwrap/unwrap.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- expectations about the innermost layer ---- */

typedef struct unwrap_case {
    const char *body;
    const char *message;
    const char *code; /* expected code; "": none */
    const char *type;
    int status; /* expected status: that of the innermost layer with a status */
} unwrap_case;

static int status_of(const rc_evidence *evidence)
{
    int status = 0;
    unsigned depth = 0;
    for (size_t i = 0; i < evidence->layer_count; i++) {
        const rc_layer *layer = &evidence->layers[i];
        if (layer->status > 0 && (status == 0 || layer->depth > depth)) {
            status = layer->status;
            depth = layer->depth;
        }
    }
    return status;
}

static bool is_text(rc_str text, const char *expected)
{
    return rc_str_eq(text, rc_str_c(expected));
}

static int check_layer(const unwrap_case *c, const rc_evidence *evidence)
{
    static const rc_layer NOTHING = {.depth = 0};
    const rc_layer *layer = rc_evidence_innermost(evidence);
    layer = layer != NULL ? layer : &NOTHING;
    if (is_text(layer->message, c->message) && is_text(layer->code, c->code) &&
        is_text(layer->type, c->type) && status_of(evidence) == c->status)
        return 0;
    print_message("%s\n  message [%.*s] code [%.*s] type [%.*s] status %d\n", c->body,
                  (int)layer->message.len, layer->message.ptr ? layer->message.ptr : "",
                  (int)layer->code.len, layer->code.ptr ? layer->code.ptr : "",
                  (int)layer->type.len, layer->type.ptr ? layer->type.ptr : "",
                  status_of(evidence));
    return 1;
}

static void check_all(const unwrap_case *cases, size_t count, bool is_event)
{
    int wrong = 0;
    for (size_t i = 0; i < count; i++) {
        rc_str text = rc_str_c(cases[i].body);
        rc_failure failure = {.body = text};
        if (is_event)
            failure = (rc_failure){.event = text};
        rc_classify_space space;
        rc_evidence evidence;
        rc_evidence_init(&evidence, &failure, NULL, &space);
        rc_unwrap(&evidence);
        wrong += check_layer(&cases[i], &evidence);
    }
    assert_int_equal(wrong, 0);
}

/* ---- JSON as providers send it ---- */

static const unwrap_case JSON[] = {
    {"{\"error\":{\"message\":\"m\",\"type\":\"t\",\"code\":\"c\"}}", "m", "c", "t", 0},
    {"{\"error\":{\"message\":\"m\",\"type\":\"t\",\"param\":null,\"code\":null}}", "m", "", "t",
     0},
    {"{\"error\":{\"code\":429,\"message\":\"m\",\"status\":\"RESOURCE_EXHAUSTED\"}}", "m", "429",
     "", 429},
    {"{\"error\":\"m\"}", "m", "", "", 0},
    {"{\"error\":\"c\",\"message\":\"m\"}", "m", "c", "", 0},
    {"{\"message\":\"m\"}", "m", "", "", 0},
    {"{\"detail\":\"m\"}", "m", "", "", 0},
    {"{\"detail\":{\"error\":\"m\"}}", "m", "", "", 0},
    {"{\"statusCode\":503,\"message\":\"m\"}", "m", "", "", 503},
    {"{\"status_code\":\"503\",\"msg\":\"m\"}", "m", "", "", 503},
    {"{\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"m\"}}", "m", "",
     "overloaded_error", 0},
    {"[{\"error\":{\"message\":\"m\",\"code\":\"c\"}}]", "m", "c", "", 0},
    {"{\"errors\":[{\"message\":\"m\",\"code\":\"c\"}]}", "m", "c", "", 0},
    {"{\"errors\":[\"m\"]}", "m", "", "", 0},
    {"{\"base_resp\":{\"status_code\":1008,\"status_msg\":\"m\"}}", "m", "1008", "", 0},
    {"\"m\"", "m", "", "", 0},
    {"{\"title\":\"m\"}", "m", "", "", 0},
    {"{\"title\":\"t\",\"message\":\"m\"}", "m", "", "t", 0},
    {"{\"ERROR\":{\"Message\":\"m\",\"Code\":\"c\"}}", "m", "c", "", 0},
    {"{\"error\":{\"message\":\"a \\\"b\\\" \\u4f59\"}}", "a \"b\" \xE4\xBD\x99", "", "", 0},
    /* values that mean that the member is absent */
    {"{\"error\":{\"message\":\"m\",\"code\":\"None\",\"type\":\"null\"}}", "m", "", "", 0},
};

static void test_json(void **state)
{
    (void)state;
    check_all(JSON, COUNT(JSON), false);
    check_all(JSON, COUNT(JSON), true);
}

/* ---- damaged JSON ---- */

static const unwrap_case DAMAGED[] = {
    {"{\"error\":{\"code\":\"c\",\"message\":\"m\"}", "m", "c", "", 0},
    {"{\"error\":{\"code\":\"c\",\"message\":\"the words are cu", "the words are cu", "c", "", 0},
    {"{\"error\":{\"code\":\"c\",\"message\":\"m\"}}\nand more", "m", "c", "", 0},
    {"\xEF\xBB\xBF{\"error\":{\"code\":\"c\",\"message\":\"m\"}}", "m", "c", "", 0},
    {"  \r\n{\"error\":{\"code\":\"c\",\"message\":\"m\"}}\r\n", "m", "c", "", 0},
};

static void test_json_that_is_cut_or_followed_by_text(void **state)
{
    (void)state;
    check_all(DAMAGED, COUNT(DAMAGED), false);
}

/* ---- texts around JSON ---- */

static const unwrap_case WRAPPED[] = {
    {"Error code: 429 - {'error': {'message': 'm', 'type': 't', 'param': None, 'code': 'c'}}", "m",
     "c", "t", 429},
    {"Error code: 400 - {'error': {'message': \"it's\", 'code': 'c'}}", "it's", "c", "", 400},
    {"429 {\"error\":{\"message\":\"m\",\"code\":\"c\"}}", "m", "c", "", 429},
    {"HTTP 503: {\"error\":{\"message\":\"m\"}}", "m", "", "", 503},
    {"b'{\"error\":{\"message\":\"m\",\"code\":\"c\"}}'", "m", "c", "", 0},
    {"litellm.BadRequestError: OpenAIException - {\"error\":{\"message\":\"m\",\"code\":\"c\"}}",
     "m", "c", "", 0},
    {"2026-01-02 03:04:05 ERROR request failed: {\"error\":{\"message\":\"m\"}}", "m", "", "", 0},
    {"{\"error\":{\"message\":\"{\\\"error\\\":{\\\"message\\\":\\\"m\\\",\\\"code\\\":\\\"c\\\"}}"
     "\"}}",
     "m", "c", "", 0},
    {"{\"error\":{\"message\":\"Provider returned error\",\"code\":429,\"metadata\":{\"raw\":"
     "\"{\\\"error\\\":{\\\"message\\\":\\\"m\\\",\\\"code\\\":\\\"c\\\"}}\"}}}",
     "m", "c", "", 429},
    {"{\"error\":{\"message\":\"Provider returned error\",\"metadata\":{\"raw\":\"m\"}}}", "m", "",
     "", 0},
    {"request failed: {\\\"error\\\":{\\\"message\\\":\\\"m\\\"}}", "m", "", "", 0},
    {"{\xE2\x80\x9C"
     "error\xE2\x80\x9D: {\xE2\x80\x9Cmessage\xE2\x80\x9D: \xE2\x80\x9Cm\xE2\x80\x9D}}",
     "m", "", "", 0},
    {"call failed {\xE2\x80\x9C"
     "error\xE2\x80\x9D: {\xE2\x80\x9Cmessage\xE2\x80\x9D: \xE2\x80\x9Cm\xE2\x80\x9D}}",
     "m", "", "", 0},
    {"'message': 'm', 'type': 't', 'code': 'c'}}", "m", "c", "t", 0},
    {"An error occurred (ThrottlingException) when calling the Converse operation: m", "m",
     "ThrottlingException", "", 0},
    {"502 Bad Gateway: <html><head><title>502 Bad Gateway</title></head></html>", "502 Bad Gateway",
     "", "", 502},
};

static void test_texts_around_json(void **state)
{
    (void)state;
    check_all(WRAPPED, COUNT(WRAPPED), false);
}

/* The text before an error is the message of the wrapper. */
static void test_a_wrapper_keeps_its_own_text(void **state)
{
    (void)state;
    rc_failure failure = {.body = RC_STR("Error code: 429 - {'error': {'message': 'm'}}")};
    rc_classify_space space;
    rc_evidence evidence;
    rc_evidence_init(&evidence, &failure, NULL, &space);
    rc_unwrap(&evidence);
    assert_true(evidence.layer_count >= 2);
    assert_true(rc_str_eq(evidence.layers[0].message, RC_STR("Error code: 429 -")));
    assert_int_equal(evidence.layers[0].status, 429);
    assert_int_equal(evidence.layers[0].depth, 0);
    assert_true(rc_evidence_innermost(&evidence)->depth > 0);
}

/* Text of the request is not read as an error, even if it looks like one. */
static const unwrap_case ECHOES[] = {
    {"bad message {'role': 'user', 'content': 'rate limit exceeded'} here", "bad message  here", "",
     "", 0},
    {"{\"error\":{\"message\":\"m\",\"code\":\"c\"},\"messages\":[{\"error\":{\"message\":\"x\"}}]"
     "}",
     "m", "c", "", 0},
    {"{\"error\":{\"message\":\"m\"},\"input\":{\"error\":\"x\"},\"prompt\":\"x\"}", "m", "", "",
     0},
    {"{\"detail\":[{\"loc\":[\"body\"],\"msg\":\"m\",\"type\":\"t\",\"input\":\"x\",\"ctx\":{"
     "\"error\":"
     "\"x\"}}]}",
     "m", "", "t", 0},
};

static void test_echoes_are_ignored(void **state)
{
    (void)state;
    check_all(ECHOES, COUNT(ECHOES), false);
}

/* ---- log lines, YAML, stack traces ---- */

static const unwrap_case FIELDS[] = {
    {"level=error error_code=c error_message='m m' status=503", "m m", "c", "", 503},
    {"error_code=c error_message=\"m\"", "m", "c", "", 0},
    {"APIError(code='c', message='m', param=None)", "m", "c", "", 0},
    {"message: m\ntype: t\ncode: c\n", "m", "c", "t", 0},
    {"code: 429\nmessage: m", "m", "", "", 429},
    /* A single field such as code=c is read as plain text. */
    {"see http://x/?code=c for more", "see http://x/?code=c for more", "", "", 0},
    {"Error: m\n    at f (file.js:1:2)\n    at g (file.js:3:4)", "Error: m", "", "", 0},
    {"Traceback (most recent call last):\n  File \"x.py\", line 429, in f\n    raise x\nError: m",
     "Error: m", "", "", 0},
};

static void test_fields_and_traces(void **state)
{
    (void)state;
    check_all(FIELDS, COUNT(FIELDS), false);
}

/* ---- pages ---- */

static const unwrap_case PAGES[] = {
    {"<html><head><title>504 Gateway Time-out</title></head><body><h1>504 Gateway "
     "Time-out</h1></body></html>",
     "504 Gateway Time-out\n504 Gateway Time-out", "", "", 504},
    {"<!DOCTYPE html><html><head><TITLE>host | 524: A timeout occurred</TITLE></head></html>",
     "host | 524: A timeout occurred", "", "", 524},
    {"<html><title>5042 things</title></html>", "5042 things", "", "", 0},
    {"<h1>Not Found</h1>", "Not Found", "", "", 0},
    {"<html><title></title><body>words</body></html>",
     "<html><title></title><body>words</body></html>", "", "", 0},
    {"<html><title>200 OK</title></html>", "200 OK", "", "", 0},
    {"\xEF\xBB\xBF<html><title>504 Late</title></html>", "504 Late", "", "", 504},
    {"\xEF\xBB\xBF", "", "", "", 0},
};

static void test_pages(void **state)
{
    (void)state;
    check_all(PAGES, COUNT(PAGES), false);
}

static void test_texts_that_are_no_pages(void **state)
{
    (void)state;
    static const char *const TEXTS[] = {"", "<", "<x>", "a <html>", "{\"html\":\"<html>\"}"};
    for (size_t i = 0; i < COUNT(TEXTS); i++) {
        rc_failure failure = {.status = 500};
        rc_classify_space space;
        rc_evidence evidence;
        rc_evidence_init(&evidence, &failure, NULL, &space);
        assert_false(rc_unwrap_html(&evidence, rc_str_c(TEXTS[i]), 0));
        assert_int_equal(evidence.layer_count, 0);
    }
}

/* ---- streams ---- */

static const unwrap_case STREAMS[] = {
    {"event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"t\",\"message\":\"m\"}}\n\n",
     "m", "", "t", 0},
    {"data: {\"error\":{\"message\":\"m\",\"code\":\"c\"}}\n\n", "m", "c", "", 0},
    {"data:{\"error\":{\"message\":\"m\",\"code\":\"c\"}}\r\n\r\n", "m", "c", "", 0},
    {": ping\n\nid: 1\ndata: {\"error\":{\"message\":\"m\"}}\n\n", "m", "", "", 0},
    {"event: error\ndata: just words\n\n", "just words", "", "", 0},
    {"data: {\"choices\":[{\"delta\":{\"content\":\"error\"}}]}\n\ndata: "
     "{\"error\":{\"message\":\"m\"}}\n\n",
     "m", "", "", 0},
    {"{\"model\":\"x\",\"response\":\"a\"}\n{\"error\":\"m\"}\n", "m", "", "", 0},
    {":message-type: exception\n:exception-type: throttlingException\n\n{\"message\":\"m\"}", "m",
     "throttlingException", "", 0},
    {":message-type: error\n:error-code: c\n:error-message: m\n", "m", "c", "", 0},
};

static void test_streams(void **state)
{
    (void)state;
    check_all(STREAMS, COUNT(STREAMS), true);
    check_all(STREAMS, COUNT(STREAMS), false);
}

/* The error at the end of a stream is found, whatever the length of the stream. */
static void test_an_error_after_many_lines(void **state)
{
    (void)state;
    static const char *const LINES[] = {
        "{\"status\":\"pulling\",\"digest\":\"x\"}\n",
        "{\"code\":0,\"msg\":\"ok\",\"data\":{\"x\":1}}\n",
        "data: {\"id\":\"x\",\"type\":\"chunk\",\"code\":\"ok\"}\n\n",
    };
    static const char *const ENDS[] = {
        "{\"error\":\"m\"}\n",
        "{\"error\":\"m\"}\n",
        "data: {\"error\":\"m\"}\n\n",
    };
    int wrong = 0;
    for (size_t i = 0; i < COUNT(LINES); i++) {
        char text[4096] = "";
        size_t len = 0;
        for (int k = 0; k < 20; k++)
            len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", LINES[i]);
        len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", ENDS[i]);
        rc_failure failure = {.status = 200, .event = rc_str_make(text, len)};
        rc_classify_space space;
        rc_evidence evidence;
        rc_evidence_init(&evidence, &failure, NULL, &space);
        rc_unwrap(&evidence);
        bool has_error = false;
        for (size_t k = 0; k < evidence.layer_count; k++)
            has_error |= is_text(evidence.layers[k].message, "m");
        if (!has_error)
            print_message("lost behind 20 of %s", LINES[i]);
        wrong += !has_error;
    }
    assert_int_equal(wrong, 0);
}

/* Events after an error, and the end of the stream, do not remove the error. */
static const unwrap_case ENDED[] = {
    {"data: {\"code\":\"Throttling.RateQuota\",\"message\":\"m\",\"request_id\":\"x\"}\n\n"
     "data: [DONE]\n\n",
     "m", "Throttling.RateQuota", "", 0},
    {"data: {\"type\":\"rate_limit_error\",\"message\":\"m\"}\n\ndata: [DONE]\n\n", "m", "",
     "rate_limit_error", 0},
    {"data: {\"base_resp\":{\"status_code\":1008,\"status_msg\":\"m\"}}\n\ndata: [DONE]\n\n", "m",
     "1008", "", 0},
    {"event: error\ndata: {\"error\":{\"message\":\"m\"}}\n\n"
     "event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n",
     "m", "", "", 0},
    {"data: {\"error\":{\"message\":\"m\"}}\n\ndata: {\"type\":\"ping\"}\n\n", "m", "", "", 0},
};

static void test_an_error_before_the_end_of_a_stream(void **state)
{
    (void)state;
    check_all(ENDED, COUNT(ENDED), true);
}

/* ---- statuses in texts ---- */

typedef struct status_case {
    const char *text;
    int status;
} status_case;

static const status_case STATUSES[] = {
    {"Error code: 429", 429},
    {"error code 429", 429},
    {"HTTP 503", 503},
    {"HTTP/1.1 503 Service Unavailable", 503},
    {"429 Too Many Requests", 429},
    {"[429] slow down", 429},
    {"(503)", 503},
    {"status: 500", 500},
    {"status=500", 500},
    {"statusCode: 404", 404},
    {"status code 502", 502},
    {"request failed with status code 529", 529},
    {"APIError: 500 internal", 500},
    {"'status': 401,", 401},
    {"", 0},
    {"429", 429},
    {"42", 0},
    {"4290", 0},
    {"1429", 0},
    {"status 4290", 0},
    {"status 42", 0},
    {"status 200", 0},
    {"status 600", 0},
    {"status 429.5", 0},
    {"status 429,000", 0},
    {"req_429", 0},
    {"id-503-x", 0},
    {"req_429500abc503", 0},
    {"error abc429", 0},
    {"error 429abc", 0},
    {"error 429_x", 0},
    {"1.503", 0},
    {"limit of 500 tokens", 0},
    {"used 429 of 500 requests", 0},
    {"port 503", 0},
    {"waited 500 ms", 0},
    {"gpt-429", 0},
    {"\xE4\xBD\x99"
     "429",
     0},
};

static void test_a_status_in_a_text(void **state)
{
    (void)state;
    int wrong = 0;
    for (size_t i = 0; i < COUNT(STATUSES); i++) {
        int status = rc_text_http_status(rc_str_c(STATUSES[i].text));
        if (status == STATUSES[i].status)
            continue;
        print_message("[%s]: %d instead of %d\n", STATUSES[i].text, status, STATUSES[i].status);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void test_a_status_is_three_digits(void **state)
{
    (void)state;
    static const status_case CASES[] = {
        {"100", 100}, {"429", 429}, {"599", 599}, {"099", 0}, {"600", 0},
        {"42", 0},    {"4290", 0},  {" 429", 0},  {"4x9", 0}, {"", 0},
    };
    for (size_t i = 0; i < COUNT(CASES); i++)
        assert_int_equal(rc_http_status_parse(rc_str_c(CASES[i].text)), CASES[i].status);
}

/* ---- recognition of error objects ---- */

static void test_error_json(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool is_error;
    } CASES[] = {
        {"{\"error\":\"m\"}", true},
        {"{'error': {'message': 'm'}}", true},
        {"{\"message\":\"m\"}", true},
        {"{\"detail\":\"m\"}", true},
        {"[{\"error\":{}}]", true},
        {"{\"a\":{\"b\":[1,2]},\"message\":\"m\"}", true},
        {"{\"error\":null}", false},
        {"{\"role\":\"user\",\"content\":\"error\"}", false},
        {"{\"message\":\"m\",\"role\":\"user\"}", false},
        {"{\"a\":1}", false},
        {"{}", false},
        {"{", false},
        {"[1]", false},
        {"x", false},
        {"", false},
    };
    for (size_t i = 0; i < COUNT(CASES); i++) {
        if (rc_unwrap_is_error_json(rc_str_c(CASES[i].text)) != CASES[i].is_error)
            fail_msg("%s", CASES[i].text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_that_is_cut_or_followed_by_text),
        cmocka_unit_test(test_texts_around_json),
        cmocka_unit_test(test_a_wrapper_keeps_its_own_text),
        cmocka_unit_test(test_echoes_are_ignored),
        cmocka_unit_test(test_fields_and_traces),
        cmocka_unit_test(test_pages),
        cmocka_unit_test(test_texts_that_are_no_pages),
        cmocka_unit_test(test_streams),
        cmocka_unit_test(test_an_error_after_many_lines),
        cmocka_unit_test(test_an_error_before_the_end_of_a_stream),
        cmocka_unit_test(test_a_status_in_a_text),
        cmocka_unit_test(test_a_status_is_three_digits),
        cmocka_unit_test(test_error_json),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
