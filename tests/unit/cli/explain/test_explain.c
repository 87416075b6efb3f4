/* Tests of pasted texts: the kind that is recognised, and the resulting status, headers, body,
 * event and transport. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "cli/explain/detect.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const struct paste {
    const char *text;
    rc_detected_kind kind;
    int status;
    const char *body;
    const char *event;
    rc_transport transport;
    rc_phase phase;
} pastes[] = {
    {"", RC_DETECTED_NOTHING, 0, "", "", 0, 0},
    {" \r\n\t", RC_DETECTED_NOTHING, 0, "", "", 0, 0},

    /* bodies */
    {" {\"error\":{\"message\":\"x\"}} ", RC_DETECTED_JSON, 0, "{\"error\":{\"message\":\"x\"}}",
     "", 0, 0},
    {"[{\"error\":1}]", RC_DETECTED_JSON, 0, "[{\"error\":1}]", "", 0, 0},
    {"\"overloaded\"", RC_DETECTED_JSON, 0, "\"overloaded\"", "", 0, 0},
    {"{\n  \"error\": {\n", RC_DETECTED_JSON, 0, "{\n  \"error\": {", "", 0, 0},
    {"{\"id\":\"resp_1\",\"status\":\"failed\",\"body\":1}", RC_DETECTED_JSON, 0,
     "{\"id\":\"resp_1\",\"status\":\"failed\",\"body\":1}", "", 0, 0},
    {"{\"type\":\"about:blank\",\"status\":429}", RC_DETECTED_JSON, 0,
     "{\"type\":\"about:blank\",\"status\":429}", "", 0, 0},
    {"{\"id\":\"x\",\"status\":500,\"error\":\"boom\"}", RC_DETECTED_JSON, 0,
     "{\"id\":\"x\",\"status\":500,\"error\":\"boom\"}", "", 0, 0},
    {"<!DOCTYPE html><title>502</title>", RC_DETECTED_PAGE, 0, "<!DOCTYPE html><title>502</title>",
     "", 0, 0},

    /* streams */
    {"event: error\ndata: {\"x\":1}\n\n", RC_DETECTED_SSE, 0, "", "event: error\ndata: {\"x\":1}",
     0, 0},
    {": ping\n\ndata: [DONE]", RC_DETECTED_SSE, 0, "", ": ping\n\ndata: [DONE]", 0, 0},
    {"{\"a\":1}\n{\"error\":\"x\"}\n", RC_DETECTED_NDJSON, 0, "", "{\"a\":1}\n{\"error\":\"x\"}", 0,
     0},
    {":message-type: exception\n:exception-type: throttlingException\n\n{}", RC_DETECTED_AWS, 0, "",
     ":message-type: exception\n:exception-type: throttlingException\n\n{}", 0, 0},

    /* responses */
    {"HTTP/2 429\nretry-after: 1\n\n{}", RC_DETECTED_HTTP, 429, "{}", "", 0, 0},
    {"HTTP/2 200\ncontent-type: text/event-stream\n\nhello", RC_DETECTED_HTTP, 200, "", "hello", 0,
     0},
    {"HTTP/2 200\nx-a: b\n\ndata: {\"error\":1}", RC_DETECTED_HTTP, 200, "", "data: {\"error\":1}",
     0, 0},
    {"HTTP/2 200\nx-a: b\n\n{\"a\":1}\n{\"b\":2}", RC_DETECTED_HTTP, 200, "",
     "{\"a\":1}\n{\"b\":2}", 0, 0},

    /* cases and reports */
    {"{\"id\":\"x\",\"status\":503,\"body\":\"a\\nb\"}", RC_DETECTED_CASE, 503, "a\nb", "", 0, 0},
    {"{\"status\":503,\"headers\":{\"a\":\"b\"}}", RC_DETECTED_CASE, 503, "", "", 0, 0},
    {"{\"body\":null,\"transport\":\"dns\",\"phase\":\"connect\"}", RC_DETECTED_CASE, 0, "", "",
     RC_TRANSPORT_DNS, RC_PHASE_CONNECT},
    {"{\"error_class\":\"Internal\",\"error_code\":\"Internal\"}", RC_DETECTED_REPORT, 0, "", "", 0,
     0},
    {"{\"error\":{},\"recourse\":{\"report_id\":\"rep_\",\"error_code\":\"RateLimited\"}}",
     RC_DETECTED_REPORT, 0, "", "", 0, 0},
    {"{\"error\":{\"recourse\":{\"report_id\":\"rep_\",\"error_code\":\"RateLimited\"}}}",
     RC_DETECTED_REPORT, 0, "", "", 0, 0},
    {"HTTP/1.1 503 x\n\n{\"recourse\":{\"error_class\":\"Internal\",\"error_code\":\"Internal\"}}",
     RC_DETECTED_REPORT, 503,
     "{\"recourse\":{\"error_class\":\"Internal\",\"error_code\":\"Internal\"}}", "", 0, 0},
    {"{\"error_class\":\"Odd\",\"error_code\":\"E1001\"}", RC_DETECTED_JSON, 0,
     "{\"error_class\":\"Odd\",\"error_code\":\"E1001\"}", "", 0, 0},

    /* text */
    {"Traceback (most recent call last):\n  File \"a.py\"\nopenai.RateLimitError: Error code: "
     "429\n",
     RC_DETECTED_TEXT, 0,
     "Traceback (most recent call last):\n  File \"a.py\"\nopenai.RateLimitError: Error code: 429",
     "", 0, 0},
    {"2026-11-16 ERROR data: lost", RC_DETECTED_TEXT, 0, "2026-11-16 ERROR data: lost", "", 0, 0},
    {"panic: x\n\ngoroutine 1 [running]:\n", RC_DETECTED_TEXT, 0,
     "panic: x\n\ngoroutine 1 [running]:", "", 0, 0},

    /* curl's own failures */
    {"curl: (28) Operation timed out after 30001 milliseconds with 0 bytes received",
     RC_DETECTED_TEXT, 0,
     "curl: (28) Operation timed out after 30001 milliseconds with 0 bytes received", "",
     RC_TRANSPORT_TIMEOUT, RC_PHASE_SENT},
    {"curl: (28) Connection timed out after 5000 milliseconds", RC_DETECTED_TEXT, 0,
     "curl: (28) Connection timed out after 5000 milliseconds", "", RC_TRANSPORT_TIMEOUT,
     RC_PHASE_CONNECT},
    {"curl: (6) Could not resolve host: api.example.com", RC_DETECTED_TEXT, 0,
     "curl: (6) Could not resolve host: api.example.com", "", RC_TRANSPORT_DNS, RC_PHASE_CONNECT},
    {"curl: (22) The requested URL returned error: 429", RC_DETECTED_TEXT, 429,
     "curl: (22) The requested URL returned error: 429", "", 0, 0},
    {"it said curl: (6) once", RC_DETECTED_TEXT, 0, "it said curl: (6) once", "", 0, 0},
    {"curl: (6", RC_DETECTED_TEXT, 0, "curl: (6", "", 0, 0},
    {"curl: (3) URL malformed", RC_DETECTED_TEXT, 0, "curl: (3) URL malformed", "", 0, 0},
};

static void expect_str(rc_str got, const char *wanted)
{
    assert_int_equal(got.len, strlen(wanted));
    if (got.len > 0)
        assert_memory_equal(got.ptr, wanted, got.len);
}

static void pasted_texts_are_recognised(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    static rc_detected detected;
    for (size_t i = 0; i < COUNT(pastes); i++) {
        const struct paste *p = &pastes[i];
        print_message("%s\n", p->text);
        rc_detected_init(&detected, &alloc);
        rc_detected_read(&detected, rc_str_c(p->text));
        assert_int_equal(detected.kind, p->kind);
        assert_int_equal(detected.failure.status, p->status);
        expect_str(detected.failure.body, p->body);
        expect_str(detected.failure.event, p->event);
        assert_int_equal(detected.failure.transport, p->transport);
        assert_int_equal(detected.failure.phase, p->phase);
        rc_detected_done(&detected);
    }
}

static void crlf_gives_the_same_result(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    static rc_detected lf, crlf;
    for (size_t i = 0; i < COUNT(pastes); i++) {
        char text[512];
        size_t len = 0;
        for (const char *c = pastes[i].text; *c != '\0'; c++) {
            if (*c == '\n' && (c == pastes[i].text || c[-1] != '\r'))
                text[len++] = '\r';
            text[len++] = *c;
        }
        rc_detected_init(&lf, &alloc);
        rc_detected_init(&crlf, &alloc);
        rc_detected_read(&lf, rc_str_c(pastes[i].text));
        rc_detected_read(&crlf, rc_str_make(text, len));
        assert_int_equal(lf.kind, crlf.kind);
        assert_int_equal(lf.failure.status, crlf.failure.status);
        assert_int_equal(lf.failure.header_count, crlf.failure.header_count);
        assert_int_equal(lf.failure.transport, crlf.failure.transport);
        rc_detected_done(&lf);
        rc_detected_done(&crlf);
    }
}

static void the_end_of_a_long_log_is_used(void **state)
{
    (void)state;
    const size_t size = (size_t)3 << 20;
    rc_alloc alloc = rc_alloc_stdlib();
    static rc_detected detected;
    char *text = malloc(size);
    assert_non_null(text);
    for (size_t i = 0; i < size; i++)
        text[i] = i % 80 == 79 ? '\n' : 'x';
    memcpy(text + size - 8, "the end.", 8);
    rc_detected_init(&detected, &alloc);
    rc_detected_read(&detected, rc_str_make(text, size));
    assert_int_equal(detected.kind, RC_DETECTED_TEXT);
    assert_true(detected.is_tail);
    assert_true(detected.failure.body.len <= (size_t)1 << 20);
    assert_true(rc_str_ends_with(detected.failure.body, RC_STR("the end.")));
    assert_int_equal(detected.failure.body.ptr[-1], '\n');
    rc_detected_done(&detected);
    free(text);
}

static const struct clean {
    rc_str from;
    const char *to;
} cleans[] = {
    {RC_STR_INIT("plain"), "plain"},
    {RC_STR_INIT(""), ""},
    {RC_STR_INIT("\xEF\xBB\xBF{}"), "{}"},
    {RC_STR_INIT("\x1b[1;31mError\x1b[0m: 429"), "Error: 429"},
    {RC_STR_INIT("a\x1b]8;;https://x\x1b\\link\x1b]8;;\aend"), "alinkend"},
    {RC_STR_INIT("cut\x1b"), "cut"},
    {RC_STR_INIT("cut\x1b["), "cut"},
    {RC_STR_INIT("\xFF\xFE{\0}\0"), "{}"},
    {RC_STR_INIT("\xFE\xFF\0{\0}"), "{}"},
    {RC_STR_INIT("\xFF\xFE\x3D\xD8\x00\xDE"), "\xF0\x9F\x98\x80"},
    {RC_STR_INIT("\xFF\xFE\x3D\xD8"), "\xEF\xBF\xBD"},
    {RC_STR_INIT("\xFF\xFE\x1b\0[\0m\0a\0z"), "a"},
};

static void escape_sequences_and_utf16_are_removed(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    for (size_t i = 0; i < COUNT(cleans); i++) {
        rc_buf scratch;
        rc_buf_init(&scratch, &alloc, 1024);
        expect_str(rc_explain_text_clean(cleans[i].from, &scratch), cleans[i].to);
        rc_buf_done(&scratch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pasted_texts_are_recognised),
        cmocka_unit_test(crlf_gives_the_same_result),
        cmocka_unit_test(the_end_of_a_long_log_is_used),
        cmocka_unit_test(escape_sequences_and_utf16_are_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
