/* Bytes as a request to the mock provider: the first byte selects the endpoint, the first line is
 * the model, the rest is the body (replaced by a valid one if the first byte is even). Every
 * response ends, its steps are in order, a stated length is correct, and a stream with a valid
 * plan is read as complete. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/mock_run.h"
#include "support/stream_run.h"

/* Maximum number of an event or of tokens in a plan, so that one input runs quickly. */
#define COUNT_MAX 200u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "not true: %s\n", what);
    abort();
}

static bool is_small(rc_str model)
{
    rc_mock_plan plan;
    rc_mock_reading reading;
    if (!rc_mock_plan_parse(model, &plan, &reading)) {
        require(reading.fault != RC_MOCK_FAULT_NONE, "a refusal says why");
        return true;
    }
    return plan.text_count <= COUNT_MAX && plan.keepalives <= COUNT_MAX &&
           plan.place_count <= COUNT_MAX && plan.wire_count <= COUNT_MAX &&
           plan.damaged <= COUNT_MAX && plan.stall_at <= COUNT_MAX;
}

static void check_stream(const mock_endpoint *endpoint, const mock_received *received)
{
    const rc_mock_response *response = &received->response;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf scratch;
    if (!response->is_stream || response->plan.error != RC_MOCK_ERROR_NONE ||
        response->plan.damaged != 0 || response->plan.wire != RC_MOCK_WIRE_SOUND ||
        received->end != RC_MOCK_END)
        return;
    rc_buf_init(&scratch, &alloc, (size_t)32 << 20);
    stream_run run = stream_run_do(
        endpoint->is_array ? FORM_ARRAY : FORM_SSE, (rc_stream_dialect)endpoint->dialect,
        rc_buf_get(&received->body), CUT_NOT, &scratch, RC_STREAM_EVENT_MAX_BYTES);
    require(rc_stream_watch_end(&run.watch, RC_STREAM_BODY_WHOLE) == RC_STREAM_END_COMPLETE,
            "a sound stream is complete");
    require(received->tokens == response->output_tokens, "all tokens were sent");
    stream_run_done(&run);
    rc_buf_done(&scratch);
}

static void check(const mock_endpoint *endpoint, const rc_mock_message *message)
{
    static rc_mock_provider provider;
    mock_received received;
    rc_mock_provider_init(&provider, NULL, 1, 0);
    require(mock_request_at(&provider, message, 0, &received), "the steps make sense");
    if (received.end == RC_MOCK_END && !received.is_chunked)
        require(received.length == rc_buf_get(&received.body).len, "the length is true");
    if (received.end == RC_MOCK_END)
        require(received.status >= 200 && received.status <= 599, "there is a status");
    check_stream(endpoint, &received);
    mock_received_done(&received);
}

/* Returns whether the text needs no escapes in JSON and in a path. */
static bool is_plain(rc_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if ((unsigned char)text.ptr[i] <= ' ' || (unsigned char)text.ptr[i] > '~' ||
            strchr("\"\\%?:", text.ptr[i]) != NULL)
            return false;
    return text.len < 200;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2)
        return 0;
    const mock_endpoint *endpoint = &mock_endpoints[data[0] / 2 % MOCK_ENDPOINT_COUNT];
    const rc_str rest = rc_str_make((const char *)data + 1, size - 1);
    const char *newline = memchr(rest.ptr, '\n', rest.len);
    const size_t end = newline != NULL ? (size_t)(newline - rest.ptr) : rest.len;
    const rc_str model = rc_str_make(rest.ptr, end);
    char name[256] = "ok";
    char target[512];
    char body[1024];
    if (!is_small(model))
        return 0;
    if (is_plain(model)) {
        memcpy(name, model.ptr, model.len);
        name[model.len] = '\0';
    }
    rc_mock_message message = mock_message(endpoint, name, target, body);
    if (data[0] % 2 == 1 && newline != NULL) {
        message.body = rc_str_make(newline + 1, rest.len - end - 1);
        rc_alloc alloc = rc_alloc_stdlib();
        rc_mock_request request;
        rc_mock_request_read(&request, &message, &alloc);
        const bool is_checked = is_small(rc_mock_request_model(&request));
        rc_mock_request_done(&request);
        if (!is_checked)
            return 0;
    }
    check(endpoint, &message);
    return 0;
}
