/* Tests of headers and whole responses: their values and limits; no text of a report ends a
 * line. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/taxonomy.h>

#include "render/dialect.h"
#include "render/text.h"
#include "support/random_report.h"
#include "support/render_cases.h"

static void expect_headers(const rc_report *report, rc_dialect dialect, const char *want)
{
    char memory[4096];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory - 1);
    assert_int_equal(rc_render_headers(report, dialect, &buf), RC_OK);
    assert_null(check_headers(rc_buf_get(&buf)));
    memory[rc_buf_get(&buf).len] = '\0';
    assert_string_equal(memory, want);
}

static void expect_headers_of(const char *json, const char *want)
{
    const rc_report *report = case_decode(rc_str_c(json));
    expect_headers(report, RC_DIALECT_GEMINI, want);
    rc_report_free(report);
}

#define JSON "content-type: application/json\r\n"
#define NO_RETRY JSON "x-should-retry: false\r\n"

static void test_headers(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    expect_headers(report, RC_DIALECT_PROBLEM,
                   "content-type: application/problem+json\r\n"
                   "retry-after: 4\r\nretry-after-ms: 4000\r\nx-should-retry: true\r\n"
                   "x-recourse-report-id: rep_1\r\nx-recourse-error-code: RateLimited\r\n"
                   "x-recourse-attempts: 1\r\nx-recourse-target: openai/gpt-4o\r\n");
    rc_report_free(report);
    expect_headers(NULL, RC_DIALECT_ANTHROPIC, NO_RETRY);
    expect_headers_of("{}", NO_RETRY);
}

static void test_wait(void **state)
{
    (void)state;
    expect_headers_of("{\"provider_metadata\":{\"retry_after_ms\":0}}",
                      JSON "retry-after: 0\r\nretry-after-ms: 0\r\nx-should-retry: false\r\n");
    expect_headers_of("{\"provider_metadata\":{\"retry_after_ms\":1}}",
                      JSON "retry-after: 1\r\nretry-after-ms: 1\r\nx-should-retry: false\r\n");
    expect_headers_of("{\"provider_metadata\":{\"retry_after_ms\":1001}}",
                      JSON "retry-after: 2\r\nretry-after-ms: 1001\r\nx-should-retry: false\r\n");
    expect_headers_of("{\"provider_metadata\":{\"retry_after_ms\":9223372036854775807}}",
                      JSON "retry-after: 9223372036854776\r\n"
                           "retry-after-ms: 9223372036854775807\r\nx-should-retry: false\r\n");
}

/* x-should-retry is true only for a retryable failure whose retries are not exhausted. */
static void test_should_retry(void **state)
{
    (void)state;
    expect_headers_of("{\"retryable\":true}", JSON "x-should-retry: true\r\n");
    expect_headers_of("{\"retryable\":true,\"retry_exhausted\":true}", NO_RETRY);
    expect_headers_of("{\"retryable\":false}", NO_RETRY);
    /* The SDKs wait for at most a minute; if the wait is longer, they would retry too early. */
    expect_headers_of("{\"retryable\":true,\"provider_metadata\":{\"retry_after_ms\":60000}}",
                      JSON "retry-after: 60\r\nretry-after-ms: 60000\r\nx-should-retry: true\r\n");
    expect_headers_of("{\"retryable\":true,\"provider_metadata\":{\"retry_after_ms\":60001}}",
                      JSON "retry-after: 61\r\nretry-after-ms: 60001\r\nx-should-retry: false\r\n");
}

static void test_texts(void **state)
{
    (void)state;
    expect_headers_of("{\"report_id\":\"a\r\nx-evil: 1\"}",
                      NO_RETRY "x-recourse-report-id: a%0D%0Ax-evil:%201\r\n");
    expect_headers_of("{\"provider\":\"p\",\"context\":{\"attempt\":7}}",
                      NO_RETRY "x-recourse-attempts: 7\r\nx-recourse-target: p\r\n");
    expect_headers_of("{\"model\":\"mé%\"}", NO_RETRY "x-recourse-target: m%C3%A9%25\r\n");
    expect_headers_of("{\"context\":{\"attempt\":\"7\"}}", NO_RETRY);
    expect_headers_of("{\"error_code\":\"Newer\"}", NO_RETRY "x-recourse-error-code: unknown\r\n");
}

static void expect_id(const char *json, rc_dialect dialect, const char *want)
{
    char memory[2048];
    rc_buf buf;
    const rc_report *report = case_decode(rc_str_c(json));
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    assert_int_equal(rc_render_headers(report, dialect, &buf), RC_OK);
    rc_str text = rc_buf_get(&buf);
    if (want)
        assert_true(rc_str_ends_with(text, rc_str_c(want)));
    else
        assert_int_equal(rc_str_find(text, RC_STR("request-id"), 0), RC_STR_NPOS);
    rc_report_free(report);
}

/* Each SDK looks for the request id in its own header. */
static void test_request_id(void **state)
{
    (void)state;
    static const char both[] =
        "{\"report_id\":\"rep_1\",\"provider_metadata\":{\"request_id\":\"r 1\"}}";
    static const char ours[] = "{\"report_id\":\"rep_1\"}";
    expect_id(both, RC_DIALECT_OPENAI_CHAT, "\r\nx-request-id: r%201\r\n");
    expect_id(both, RC_DIALECT_OPENAI_RESPONSES, "\r\nx-request-id: r%201\r\n");
    expect_id(both, RC_DIALECT_ANTHROPIC, "\r\nrequest-id: r%201\r\n");
    expect_id(ours, RC_DIALECT_ANTHROPIC, "\r\nrequest-id: rep_1\r\n");
    expect_id("{}", RC_DIALECT_OPENAI_CHAT, NULL);
    expect_id(both, RC_DIALECT_GEMINI, NULL);
    expect_id(both, RC_DIALECT_PROBLEM, NULL);
}

static void test_percent(void **state)
{
    (void)state;
    char memory[64];
    rc_buf buf;
    for (size_t max = 0; max <= 12; max++) { /* a character is written completely or not at all */
        rc_buf_init_fixed(&buf, memory, sizeof memory);
        rc_render_percent(&buf, RC_STR("aéb"), max);
        size_t want = max < 1 ? 0 : max < 7 ? 1 : max < 8 ? 7 : 8;
        assert_int_equal(rc_buf_get(&buf).len, want);
    }
}

static void check_response(const rc_report *report)
{
    static const rc_dialect DIALECTS[] = {RC_DIALECT_PROBLEM, RC_DIALECT_OPENAI_CHAT,
                                          RC_DIALECT_OPENAI_RESPONSES, RC_DIALECT_ANTHROPIC,
                                          RC_DIALECT_GEMINI};
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 8u << 20);
    for (size_t i = 0; i < sizeof DIALECTS / sizeof *DIALECTS; i++) {
        rc_buf_reset(&buf);
        rc_buf_push(&buf, RC_STR("before")); /* content from before stays at the front */
        assert_int_equal(rc_render_http(report, DIALECTS[i], RC_VIEW_INTERNAL, &buf), RC_OK);
        rc_str text = rc_buf_get(&buf);
        assert_true(rc_str_starts_with(text, RC_STR("beforeHTTP/1.1 ")));
        const char *complaint = check_http(rc_str_slice(text, 6, text.len));
        if (complaint)
            fail_msg("%s", complaint);
    }
    rc_buf_done(&buf);
}

static void test_responses(void **state)
{
    (void)state;
    const rc_report *reports[] = {case_full(), case_nasty(),         case_maximal('x'),
                                  case_bare(), case_maximal('\xff'), case_deep()};
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        check_response(reports[i]);
        rc_report_free(reports[i]);
    }
    check_response(NULL);
    for (size_t i = 0; i < rc_code_count(); i++)
        check_response(rc_report_static(rc_code_at(i)->code));
    uint64_t seed = 5;
    rc_alloc alloc = rc_alloc_stdlib();
    for (int i = 0; i < 300; i++) {
        const rc_report *report = random_report(&seed, &alloc);
        check_response(report);
        rc_report_free(report);
    }
}

static void expect_status_line(rc_code code, const char *want)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 1u << 20);
    rc_render_http(rc_report_static(code), RC_DIALECT_PROBLEM, RC_VIEW_USER, &buf);
    assert_true(rc_str_starts_with(rc_buf_get(&buf), rc_str_c(want)));
    rc_buf_done(&buf);
}

static void test_status_lines(void **state)
{
    (void)state;
    expect_status_line(RC_CODE_RATE_LIMITED, "HTTP/1.1 429 Too Many Requests\r\n");
    expect_status_line(RC_CODE_TURN_CANCELLED, "HTTP/1.1 499 Client Closed Request\r\n");
    expect_status_line(RC_CODE_SHAPE_INVALID, "HTTP/1.1 422 Unprocessable Content\r\n");
    for (size_t i = 0; i < rc_code_count(); i++) { /* every code's status has a phrase */
        rc_str phrase = rc_http_phrase(rc_code_at(i)->http_status);
        assert_false(rc_str_ends_with(phrase, RC_STR("Client Error")));
        assert_false(rc_str_eq(phrase, RC_STR("Server Error")));
    }
    assert_true(rc_str_eq(rc_http_phrase(418), RC_STR("Client Error")));
    assert_true(rc_str_eq(rc_http_phrase(599), RC_STR("Server Error")));
}

/* If the buffer has space for the body but not for the head, its status reports this. */
static void test_no_space_for_head(void **state)
{
    (void)state;
    static char memory[4096];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    const rc_report *report = rc_report_static(RC_CODE_INTERNAL);
    assert_int_equal(rc_render_body(report, RC_DIALECT_GEMINI, RC_VIEW_USER, &buf), RC_OK);
    size_t body = rc_buf_get(&buf).len;
    rc_buf_init_fixed(&buf, memory, body + 10);
    assert_int_equal(rc_render_http(report, RC_DIALECT_GEMINI, RC_VIEW_USER, &buf), RC_E_TOO_LARGE);
    rc_buf_init_fixed(&buf, memory, body - 1);
    assert_int_equal(rc_render_http(report, RC_DIALECT_GEMINI, RC_VIEW_USER, &buf), RC_E_TOO_LARGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),           cmocka_unit_test(test_wait),
        cmocka_unit_test(test_should_retry),      cmocka_unit_test(test_texts),
        cmocka_unit_test(test_request_id),        cmocka_unit_test(test_percent),
        cmocka_unit_test(test_responses),         cmocka_unit_test(test_status_lines),
        cmocka_unit_test(test_no_space_for_head),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
