/* Tests of the mock provider's responses with the gateway's stream reader: a valid stream is
 * complete in every dialect, a broken stream ends as planned, and a body is JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <jansson.h>

#include "dialect/body_shape.h"
#include "support/mock_run.h"
#include "support/stream_run.h"

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

static stream_run read_stream(const mock_endpoint *endpoint, const mock_received *received)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf scratch;
    rc_buf_init(&scratch, &alloc, (size_t)32 << 20);
    stream_run run = stream_run_do(
        endpoint->is_array ? FORM_ARRAY : FORM_SSE, (rc_stream_dialect)endpoint->dialect,
        rc_buf_get(&received->body), CUT_NOT, &scratch, RC_STREAM_EVENT_MAX_BYTES);
    rc_buf_done(&scratch);
    return run;
}

static json_t *read_json(const mock_received *received)
{
    rc_str body = rc_buf_get(&received->body);
    json_t *root = json_loadb(body.ptr != NULL ? body.ptr : "", body.len, 0, NULL);
    if (root == NULL)
        fail_msg("no JSON: %.*s", (int)body.len, body.ptr);
    return root;
}

/* Returns how the reader sees the end of the model's stream. The body is complete for the transport
 * if the last step is END. */
static rc_stream_end end_of(const mock_endpoint *endpoint, const char *model,
                            rc_stream_watch *ret_watch)
{
    mock_received received;
    send_request(endpoint, model, &received);
    stream_run run = read_stream(endpoint, &received);
    assert_true(run.is_tiled);
    const rc_stream_end end = rc_stream_watch_end(
        &run.watch, received.end == RC_MOCK_END && !received.has_garbage ? RC_STREAM_BODY_WHOLE
                                                                         : RC_STREAM_BODY_CUT);
    *ret_watch = run.watch;
    stream_run_done(&run);
    mock_received_done(&received);
    return end;
}

static void valid_streams_are_complete(void **state)
{
    (void)state;
    static const char *const models[] = {"ok",        "mock/echo",      "tokens-200",
                                         "tool-call", "reasoning",      "trickle-5",
                                         "huge-40",   "keepalive-4",    "slow-first-3s+keepalive-3",
                                         "stall-2s",  "damaged-line-2", "tokens-0"};
    for (size_t e = 0; e < MOCK_ENDPOINT_COUNT; e++) {
        if (!mock_endpoints[e].is_stream)
            continue;
        for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
            rc_stream_watch watch;
            /* After a damaged element of an array, the other elements are ambiguous. */
            if (mock_endpoints[e].is_array && strcmp(models[m], "damaged-line-2") == 0)
                continue;
            const rc_stream_end end = end_of(&mock_endpoints[e], models[m], &watch);
            if (end != RC_STREAM_END_COMPLETE)
                fail_msg("%s %s: %s", mock_endpoints[e].name, models[m], rc_stream_end_name(end));
            assert_int_equal(watch.finish, RC_STREAM_FINISH_GOOD);
            assert_int_equal(watch.damaged, strcmp(models[m], "damaged-line-2") == 0);
            assert_int_equal(watch.content_events > 0, strcmp(models[m], "tokens-0") != 0);
        }
    }
}

/* The usage of a stream equals the number of tokens sent, and the usage of the body. */
static void tokens_are_counted(void **state)
{
    (void)state;
    static const char *const models[] = {"ok",        "echo",   "tokens-77", "reasoning",
                                         "tool-call", "huge-3", "tokens-0"};
    for (size_t e = 0; e + 1 < MOCK_ENDPOINT_COUNT; e++) {
        const mock_endpoint *endpoint = &mock_endpoints[e];
        /* OpenAI's streams report usage only on request, and the test's request for completions
         * does not request it. */
        if (!endpoint->is_stream || strcmp(endpoint->name, "completions stream") == 0)
            continue;
        for (size_t m = 0; m < sizeof models / sizeof *models; m++) {
            mock_received streamed;
            mock_received whole;
            send_request(endpoint, models[m], &streamed);
            send_request(endpoint - 1, models[m], &whole);
            stream_run run = read_stream(endpoint, &streamed);
            const rc_usage_count usage = rc_usage_reported(&run.watch.usage);
            assert_int_equal(usage.output, streamed.tokens);
            assert_int_equal(usage.output, whole.tokens);
            assert_int_equal(usage.output, streamed.response.output_tokens);
            assert_int_equal(usage.input, streamed.response.input_tokens);
            assert_true(usage.input > 0);
            stream_run_done(&run);
            mock_received_done(&streamed);
            mock_received_done(&whole);
        }
    }
}

static void broken_streams_end_as_the_behaviour_says(void **state)
{
    (void)state;
    static const struct {
        const char *model;
        rc_stream_end end;
        int content; /* number of content events; -1: not checked */
    } rows[] = {
        {"cut-after-3", RC_STREAM_END_TRUNCATED, 3},
        {"fin-after-40", RC_STREAM_END_TRUNCATED, 40},
        {"cut-after-0", RC_STREAM_END_EMPTY, 0},
        {"stall-after-2", RC_STREAM_END_TRUNCATED, 2},
        {"stall-after-0", RC_STREAM_END_EMPTY, 0},
        {"stream-error-first", RC_STREAM_END_ERRORED, 0},
        {"stream-error-after-5", RC_STREAM_END_ERRORED, 5},
        {"start-then-overloaded", RC_STREAM_END_ERRORED, 0},
        {"quota+stream-error-after-1", RC_STREAM_END_ERRORED, 1},
        {"bad-chunk", RC_STREAM_END_TRUNCATED, 1},
        {"empty-stream", RC_STREAM_END_EMPTY, 0},
        {"truncated-json", RC_STREAM_END_DAMAGED, -1},
        {"cut-bytes-40", RC_STREAM_END_EMPTY, 0},
        {"tokens-5+cut-after-9", RC_STREAM_END_TRUNCATED, 5},
    };
    for (size_t e = 0; e < MOCK_ENDPOINT_COUNT; e++) {
        if (!mock_endpoints[e].is_stream)
            continue;
        for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
            rc_stream_watch watch;
            rc_stream_end end = end_of(&mock_endpoints[e], rows[r].model, &watch);
            /* An element or event that is cut off at the end makes the stream truncated, not
             * damaged. */
            if (end == RC_STREAM_END_TRUNCATED && rows[r].end == RC_STREAM_END_DAMAGED)
                end = rows[r].end;
            if (end != rows[r].end)
                fail_msg("%s %s: %s", mock_endpoints[e].name, rows[r].model,
                         rc_stream_end_name(end));
            if (rows[r].content >= 0)
                assert_int_equal(watch.content_events, rows[r].content);
        }
    }
}

/* In dialects whose streams need a terminator, its absence makes the stream truncated. */
static void a_missing_terminator_is_noticed(void **state)
{
    (void)state;
    for (size_t e = 0; e < MOCK_ENDPOINT_COUNT; e++) {
        rc_stream_watch watch;
        if (!mock_endpoints[e].is_stream)
            continue;
        const bool has_finish = mock_endpoints[e].dialect <= 1;
        assert_int_equal(end_of(&mock_endpoints[e], "no-terminator", &watch),
                         has_finish ? RC_STREAM_END_COMPLETE : RC_STREAM_END_TRUNCATED);
        assert_false(watch.has_terminator);
    }
}

static void bodies_are_json_and_cut_as_the_behaviour_says(void **state)
{
    (void)state;
    static const char *const good[] = {"ok",        "echo",       "tool-call",     "reasoning",
                                       "tokens-30", "trickle-10", "slow-first-1s", "stall-1s",
                                       "huge-5"};
    for (size_t e = 0; e < MOCK_ENDPOINT_COUNT; e++) {
        mock_received received;
        if (mock_endpoints[e].is_stream)
            continue;
        for (size_t m = 0; m < sizeof good / sizeof *good; m++) {
            send_request(&mock_endpoints[e], good[m], &received);
            assert_int_equal(received.status, 200);
            assert_int_equal(received.end, RC_MOCK_END);
            assert_int_equal(received.length, rc_buf_get(&received.body).len);
            json_decref(read_json(&received));
            mock_received_done(&received);
        }
        send_request(&mock_endpoints[e], "truncated-json", &received);
        assert_int_equal(received.end, RC_MOCK_END);
        assert_int_equal(received.length, rc_buf_get(&received.body).len);
        assert_null(
            json_loadb(rc_buf_get(&received.body).ptr, rc_buf_get(&received.body).len, 0, NULL));
        mock_received_done(&received);
        send_request(&mock_endpoints[e], "wrong-length", &received);
        assert_int_equal(received.end, RC_MOCK_CLOSE);
        assert_true(received.length > rc_buf_get(&received.body).len);
        mock_received_done(&received);
        send_request(&mock_endpoints[e], "cut-bytes-17", &received);
        assert_int_equal(received.end, RC_MOCK_RESET);
        assert_int_equal(rc_buf_get(&received.body).len, 17);
        mock_received_done(&received);
        send_request(&mock_endpoints[e], "empty-200", &received);
        assert_int_equal(received.end, RC_MOCK_END);
        assert_int_equal(received.length, 0);
        mock_received_done(&received);
    }
}

/* other-shape: the response is a body if a stream was requested, and a stream if not; both are
 * valid. */
static void stream_and_body_can_be_swapped(void **state)
{
    (void)state;
    for (size_t e = 0; e < MOCK_ENDPOINT_COUNT; e++) {
        mock_received received;
        send_request(&mock_endpoints[e], "other-shape", &received);
        assert_int_equal(received.status, 200);
        assert_int_equal(received.end, RC_MOCK_END);
        if (mock_endpoints[e].is_stream)
            json_decref(read_json(&received));
        else
            assert_int_equal(rc_body_kind_of(rc_buf_get(&received.body)), RC_BODY_EVENTS);
        mock_received_done(&received);
    }
}

static void hang_and_refuse_send_no_response(void **state)
{
    (void)state;
    for (size_t e = 0; e < MOCK_ENDPOINT_COUNT; e++) {
        mock_received received;
        send_request(&mock_endpoints[e], "hang", &received);
        assert_int_equal(received.end, RC_MOCK_HANG);
        assert_false(received.has_head);
        mock_received_done(&received);
        send_request(&mock_endpoints[e], "refuse", &received);
        assert_int_equal(received.end, RC_MOCK_CLOSE);
        assert_false(received.has_head);
        mock_received_done(&received);
    }
}

static void waits_are_as_the_behaviour_says(void **state)
{
    (void)state;
    const mock_endpoint *body = &mock_endpoints[0];
    const mock_endpoint *stream = &mock_endpoints[1];
    mock_received received;
    send_request(stream, "slow-first-2s", &received);
    assert_int_equal(received.wait_ms, 2000);
    mock_received_done(&received);
    send_request(stream, "tokens-11+trickle-30", &received);
    assert_int_equal(received.waits, 10);
    assert_int_equal(received.wait_ms, 300);
    mock_received_done(&received);
    send_request(body, "tokens-11+trickle-30", &received);
    assert_int_equal(received.waits, 1);
    assert_int_equal(received.wait_ms, 330);
    mock_received_done(&received);
    send_request(stream, "stall-5s", &received);
    assert_int_equal(received.wait_ms, 5000);
    mock_received_done(&received);
    send_request(stream, "slow-first-3s+keepalive-3", &received);
    assert_int_equal(received.waits, 3);
    assert_int_equal(received.wait_ms, 3000);
    mock_received_done(&received);
}

/* The stream is cut after any number of bytes: the received bytes are its beginning, and it is
 * never complete. */
static void every_byte_can_be_the_last(void **state)
{
    (void)state;
    for (size_t e = 0; e < MOCK_ENDPOINT_COUNT; e++) {
        mock_received whole;
        if (!mock_endpoints[e].is_stream)
            continue;
        begin_fresh(NULL);
        send_request(&mock_endpoints[e], "ok", &whole);
        /* The response contains the model's name, so its length depends on the model. */
        const size_t len = rc_buf_get(&whole.body).len;
        mock_received_done(&whole);
        for (size_t at = 1; at < len; at += 13) {
            char model[32];
            mock_received received;
            (void)snprintf(model, sizeof model, "cut-bytes-%zu", at);
            send_request(&mock_endpoints[e], model, &received);
            assert_int_equal(received.end, RC_MOCK_RESET);
            assert_int_equal(rc_buf_get(&received.body).len, at);
            stream_run run = read_stream(&mock_endpoints[e], &received);
            if (rc_stream_watch_end(&run.watch, RC_STREAM_BODY_CUT) == RC_STREAM_END_COMPLETE)
                assert_true(run.watch.has_terminator);
            stream_run_done(&run);
            mock_received_done(&received);
        }
    }
}

static void the_request_limits_the_response(void **state)
{
    (void)state;
    static const mock_endpoint limited = {
        "limited",
        "/v1/chat/completions",
        "{\"model\":\"%s\",\"stream\":true,\"max_tokens\":5," MOCK_MESSAGES "}",
        RC_MOCK_OPENAI,
        0,
        true,
        false};
    static const mock_endpoint tools = {
        "tools",
        "/v1/chat/completions",
        "{\"model\":\"%s\",\"tools\":[{\"type\":\"function\",\"function\":{\"parameters\":"
        "{\"name\":\"no\"},\"name\":\"look_up\"}}]," MOCK_MESSAGES "}",
        RC_MOCK_OPENAI,
        0,
        false,
        false};
    mock_received received;
    send_request(&limited, "tokens-50", &received);
    assert_int_equal(received.tokens, 5);
    stream_run run = read_stream(&limited, &received);
    assert_int_equal(run.watch.finish, RC_STREAM_FINISH_LENGTH);
    stream_run_done(&run);
    mock_received_done(&received);

    send_request(&tools, "tool-call", &received);
    json_t *root = read_json(&received);
    const char *name = NULL;
    assert_int_equal(json_unpack(root, "{s:[{s:{s:[{s:{s:s}}]}}]}", "choices", "message",
                                 "tool_calls", "function", "name", &name),
                     0);
    assert_string_equal(name, "look_up");
    json_decref(root);
    mock_received_done(&received);

    send_request(&mock_endpoints[0], "echo", &received);
    root = read_json(&received);
    assert_int_equal(json_unpack(root, "{s:[{s:{s:s}}]}", "choices", "message", "content", &name),
                     0);
    assert_string_equal(name, "Tell me a story");
    json_decref(root);
    mock_received_done(&received);
}

/* The same seed and requests give the same bytes; another seed gives different bytes. */
static void randomness_comes_from_the_seed(void **state)
{
    (void)state;
    for (size_t e = 0; e < MOCK_ENDPOINT_COUNT; e++) {
        mock_received first;
        mock_received again;
        mock_received other;
        rc_mock_provider_init(&provider, NULL, 5, 0);
        send_request(&mock_endpoints[e], "reasoning", &first);
        rc_mock_provider_init(&provider, NULL, 5, 0);
        send_request(&mock_endpoints[e], "reasoning", &again);
        rc_mock_provider_init(&provider, NULL, 6, 0);
        send_request(&mock_endpoints[e], "reasoning", &other);
        assert_true(rc_str_eq(rc_buf_get(&first.body), rc_buf_get(&again.body)));
        assert_false(rc_str_eq(rc_buf_get(&first.body), rc_buf_get(&other.body)));
        mock_received_done(&first);
        mock_received_done(&again);
        mock_received_done(&other);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(valid_streams_are_complete, begin_fresh),
        cmocka_unit_test_setup(tokens_are_counted, begin_fresh),
        cmocka_unit_test_setup(broken_streams_end_as_the_behaviour_says, begin_fresh),
        cmocka_unit_test_setup(a_missing_terminator_is_noticed, begin_fresh),
        cmocka_unit_test_setup(bodies_are_json_and_cut_as_the_behaviour_says, begin_fresh),
        cmocka_unit_test_setup(stream_and_body_can_be_swapped, begin_fresh),
        cmocka_unit_test_setup(hang_and_refuse_send_no_response, begin_fresh),
        cmocka_unit_test_setup(waits_are_as_the_behaviour_says, begin_fresh),
        cmocka_unit_test_setup(every_byte_can_be_the_last, begin_fresh),
        cmocka_unit_test_setup(the_request_limits_the_response, begin_fresh),
        cmocka_unit_test_setup(randomness_comes_from_the_seed, begin_fresh),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
