/* Tests of the mock provider's errors with the gateway's classifier: each error has the meaning of
 * its name, in every dialect, as a status, in a response with status 200 and in a stream. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/classify.h>
#include <recourse/taxonomy.h>

#include "support/mock_run.h"

static rc_mock_provider provider;

static int begin_fresh(void **state)
{
    (void)state;
    rc_mock_provider_init(&provider, NULL, 7, 0);
    return 0;
}

static void send_request(const mock_endpoint *endpoint, const char *model, mock_received *received)
{
    char target[512];
    char body[1024];
    rc_mock_message message = mock_message(endpoint, model, target, body);
    if (!mock_request_at(&provider, &message, 0, received))
        fail_msg("%s %s: a step makes no sense", endpoint->name, model);
}

static rc_verdict judge(const mock_endpoint *endpoint, const mock_received *received, bool is_event,
                        rc_classify_space *space)
{
    static const char *const names[] = {"openai", "anthropic", "gemini"};
    const rc_failure failure = {
        .provider = rc_str_c(names[endpoint->family]),
        .status = received->status,
        .headers = received->headers,
        .header_count = received->header_count,
        .body = is_event ? rc_str_make(NULL, 0) : rc_buf_get(&received->body),
        .event = is_event ? rc_buf_get(&received->body) : rc_str_make(NULL, 0),
        .now_unix_ms = MOCK_NOW_UNIX_MS,
    };
    return rc_judge(&failure, NULL, NULL, space);
}

typedef struct expected {
    const char *model;
    rc_code code;
    int64_t wait_ms; /* expected wait in milliseconds; -1: none */
} expected;

static const expected rows[] = {
    {"429", RC_CODE_RATE_LIMITED, -1},
    {"429-bare", RC_CODE_RATE_LIMITED, -1},
    {"429-retry-after-20", RC_CODE_RATE_LIMITED, 20000},
    {"429-ms-1500", RC_CODE_RATE_LIMITED, 1500},
    {"429-date-30", RC_CODE_RATE_LIMITED, 30000},
    {"429-reset-openai-7", RC_CODE_RATE_LIMITED, 7000},
    {"429-reset-anthropic-9", RC_CODE_RATE_LIMITED, 9000},
    {"quota", RC_CODE_QUOTA_EXHAUSTED, -1},
    {"500", RC_CODE_PROVIDER_5XX, -1},
    {"502", RC_CODE_PROVIDER_5XX, -1},
    {"503", RC_CODE_OVERLOADED, -1},
    {"503-retry-after-3", RC_CODE_OVERLOADED, 3000},
    {"504", RC_CODE_PROVIDER_TIMEOUT, -1},
    {"529", RC_CODE_OVERLOADED, -1},
    {"401", RC_CODE_AUTH_FAILED, -1},
    {"403", RC_CODE_PERMISSION_DENIED, -1},
    {"404-model", RC_CODE_MODEL_NOT_FOUND, -1},
    {"400", RC_CODE_INVALID_REQUEST, -1},
    {"400-overflow", RC_CODE_CONTEXT_OVERFLOW, -1},
    {"400-filter", RC_CODE_CONTENT_FILTER, -1},
    {"413", RC_CODE_REQUEST_TOO_LARGE, -1},
    {"html-502", RC_CODE_PROVIDER_5XX, -1},
    {"mock/5o3", RC_CODE_MODEL_NOT_FOUND, -1},
    {"gpt-4o", RC_CODE_MODEL_NOT_FOUND, -1},
};

static void check(const mock_endpoint *endpoint, const char *model, const expected *row,
                  const mock_received *received, bool is_event)
{
    rc_classify_space space;
    const rc_verdict verdict = judge(endpoint, received, is_event, &space);
    if (verdict.code != row->code || (!is_event && verdict.retry_after_ms != row->wait_ms))
        fail_msg("%s %s: %s, %lld ms: %.*s", endpoint->name, model, rc_code_get(verdict.code)->name,
                 (long long)verdict.retry_after_ms, (int)rc_buf_get(&received->body).len,
                 rc_buf_get(&received->body).ptr);
}

static void errors_have_the_meaning_of_their_name(void **state)
{
    (void)state;
    for (size_t e = 0; e < MOCK_ENDPOINT_COUNT; e++) {
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            mock_received received;
            send_request(&mock_endpoints[e], rows[r].model, &received);
            assert_int_equal(received.end, RC_MOCK_END);
            assert_int_equal(received.tokens, 0);
            check(&mock_endpoints[e], rows[r].model, &rows[r], &received, false);
            mock_received_done(&received);
        }
    }
}

/* Returns whether the error can be recognised without its status, which is missing in a 200 and in
 * a stream. */
static bool is_known_by_its_body(const expected *row)
{
    static const char *const bare[] = {"502",    "504", "413", "html-502", "mock/5o3",
                                       "gpt-4o", "403", "500", NULL};
    for (size_t i = 0; bare[i] != NULL; i++)
        if (strcmp(bare[i], row->model) == 0)
            return false;
    return true;
}

static void errors_in_other_positions_have_the_same_meaning(void **state)
{
    (void)state;
    static const char *const positions[] = {"200-with-error", "stream-error-first",
                                            "stream-error-after-2"};
    for (size_t e = 0; e < MOCK_ENDPOINT_COUNT; e++) {
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            for (size_t p = 0; p < 3; p++) {
                char model[96];
                mock_received received;
                if (!is_known_by_its_body(&rows[r]) || (p > 0 && !mock_endpoints[e].is_stream))
                    continue;
                (void)snprintf(model, sizeof model, "%s+%s", rows[r].model, positions[p]);
                send_request(&mock_endpoints[e], model, &received);
                assert_int_equal(received.status, 200);
                check(&mock_endpoints[e], model, &rows[r], &received, p > 0);
                mock_received_done(&received);
            }
        }
    }
}

/* A response that is not streamed has no events, so the error is the whole response. */
static void without_a_stream_the_error_is_the_response(void **state)
{
    (void)state;
    mock_received received;
    send_request(&mock_endpoints[0], "stream-error-after-3", &received);
    assert_int_equal(received.status, 500);
    mock_received_done(&received);
    send_request(&mock_endpoints[0], "redirect", &received);
    assert_int_equal(received.status, 307);
    bool has_location = false;
    for (size_t i = 0; i < received.header_count; i++)
        has_location = has_location || rc_str_eq(received.headers[i].name, RC_STR("location"));
    assert_true(has_location);
    mock_received_done(&received);
}

static void an_unknown_model_gets_the_nearest_behaviour(void **state)
{
    (void)state;
    for (size_t e = 0; e < MOCK_ENDPOINT_COUNT; e++) {
        mock_received received;
        send_request(&mock_endpoints[e], "mock/stal", &received);
        assert_int_equal(received.status, 404);
        rc_buf_push_byte(&received.body, '\0');
        assert_non_null(strstr(rc_buf_get(&received.body).ptr, "did you mean stall?"));
        mock_received_done(&received);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(errors_have_the_meaning_of_their_name, begin_fresh),
        cmocka_unit_test_setup(errors_in_other_positions_have_the_same_meaning, begin_fresh),
        cmocka_unit_test_setup(without_a_stream_the_error_is_the_response, begin_fresh),
        cmocka_unit_test_setup(an_unknown_model_gets_the_nearest_behaviour, begin_fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
