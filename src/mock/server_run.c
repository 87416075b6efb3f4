/* Carries out a response's steps on a connection. Called by server.c. */
#include "mock/error.h"
#include "mock/server_private.h"

/* A reset discards bytes that the client's system has not received. Before a reset the server
 * therefore waits until all bytes have been sent, for RESET_CHECKS intervals at most. */
#define BEFORE_RESET_MS 20
#define RESET_CHECKS 250
#define HEAD_MAX 4096

static void on_timer(uv_timer_t *timer)
{
    rc_mock_call *call = timer->data;
    if (call->responder == NULL)
        return;
    if (!call->is_resetting) {
        rc_mock_call_run(call);
        return;
    }
    if (++call->reset_checks < RESET_CHECKS && rc_responder_unsent_bytes(call->responder) > 0) {
        (void)uv_timer_start(timer, on_timer, BEFORE_RESET_MS, 0);
        return;
    }
    rc_responder_abort(call->responder);
    rc_mock_call_end(call);
}

static void wait_for(rc_mock_call *call, uint32_t ms)
{
    /* uv_timer_start cannot fail, because the timer is not closed. */
    (void)uv_timer_start(&call->timer, on_timer, ms, 0);
}

/* ---- head ---- */

static bool is_raw(const rc_mock_response *response)
{
    switch (response->plan.wire) {
    case RC_MOCK_WIRE_CUT_AFTER:
    case RC_MOCK_WIRE_CUT_BYTES:
    case RC_MOCK_WIRE_FIN_AFTER:
    case RC_MOCK_WIRE_BAD_CHUNK:
    case RC_MOCK_WIRE_WRONG_LENGTH:
        return true;
    case RC_MOCK_WIRE_SOUND:
    case RC_MOCK_WIRE_NO_TERMINATOR:
    case RC_MOCK_WIRE_TRUNCATED:
    case RC_MOCK_WIRE_EMPTY:
    case RC_MOCK_WIRE_EMPTY_STREAM:
    case RC_MOCK_WIRE_OTHER_SHAPE:
    case RC_MOCK_WIRE_HANG:
    case RC_MOCK_WIRE_REFUSE:
        break;
    }
    return false;
}

static void push_line(rc_buf *head, const char *name, rc_str value)
{
    rc_buf_push(head, rc_str_c(name));
    rc_buf_push(head, RC_STR(": "));
    rc_buf_push(head, value);
    rc_buf_push(head, RC_STR("\r\n"));
}

/* Sends the status line and headers of a raw response: the body ends when the connection ends,
 * whatever framing the headers declare. */
static rc_status begin_raw(rc_mock_call *call)
{
    const rc_mock_response *response = &call->response;
    char text[HEAD_MAX];
    rc_buf head;
    rc_buf_init_fixed(&head, text, sizeof text);
    rc_buf_push(&head, RC_STR("HTTP/1.1 "));
    rc_buf_push_u64(&head, (uint64_t)response->status);
    rc_buf_push(&head, RC_STR(" Mock\r\n"));
    for (size_t i = 0; i < response->header_count; i++)
        push_line(&head, response->headers[i].name, rc_str_c(response->headers[i].value));
    if (response->is_chunked) {
        push_line(&head, "transfer-encoding", RC_STR("chunked"));
    } else {
        rc_buf_push(&head, RC_STR("content-length: "));
        rc_buf_push_u64(&head, response->length);
        rc_buf_push(&head, RC_STR("\r\n"));
    }
    return rc_responder_begin_raw(call->responder, response->status, rc_buf_get(&head),
                                  RC_HTTP1_UNTIL_CLOSE, 0);
}

static rc_status begin(rc_mock_call *call)
{
    const rc_mock_response *response = &call->response;
    rc_header fields[RC_MOCK_HEADERS_MAX];
    call->is_raw = is_raw(response);
    if (call->is_raw)
        return begin_raw(call);
    for (size_t i = 0; i < response->header_count; i++)
        fields[i] =
            (rc_header){rc_str_c(response->headers[i].name), rc_str_c(response->headers[i].value)};
    const rc_response_head head = {
        .status = response->status,
        .fields = fields,
        .field_count = response->header_count,
        .framing = response->is_chunked ? RC_HTTP1_CHUNKED : RC_HTTP1_LENGTH,
        .length = response->length,
    };
    return rc_responder_begin(call->responder, &head);
}

/* ---- body ---- */

static bool send_chunk(rc_mock_call *call, rc_str bytes)
{
    char text[24];
    size_t at = sizeof text;
    text[--at] = '\n';
    text[--at] = '\r';
    size_t size = bytes.len;
    do {
        text[--at] = "0123456789abcdef"[size & 15];
        size >>= 4;
    } while (size > 0);
    (void)rc_responder_write(call->responder, rc_str_make(text + at, sizeof text - at));
    (void)rc_responder_write(call->responder, bytes);
    return rc_responder_write(call->responder, RC_STR("\r\n"));
}

/* Sends bytes of the body. Returns false if the write buffer is full. */
static bool send_body(rc_mock_call *call, const rc_mock_step *step)
{
    rc_mock_stats_add_sent(&call->server->provider.stats, &call->ticket, step->tokens);
    if (call->is_raw && call->response.is_chunked)
        return send_chunk(call, step->bytes);
    return rc_responder_write(call->responder, step->bytes);
}

/* Ends the response. rc_server then calls on_done. */
static void finish(rc_mock_call *call, bool is_whole)
{
    if (is_whole && call->is_raw && call->response.is_chunked)
        (void)rc_responder_write(call->responder, RC_STR("0\r\n\r\n"));
    rc_responder_end(call->responder);
}

/* ---- steps ---- */

static void cut(rc_mock_call *call)
{
    call->is_resetting = true;
    wait_for(call, BEFORE_RESET_MS);
}

/* Carries out one step of the mock response. Returns true if the next step can follow at once. */
static bool carry_out(rc_mock_call *call, const rc_mock_step *step)
{
    switch (step->kind) {
    case RC_MOCK_HEAD:
        if (begin(call) == RC_OK)
            return true;
        cut(call);
        return false;
    case RC_MOCK_SEND:
        call->is_write_blocked = !send_body(call, step);
        return !call->is_write_blocked;
    case RC_MOCK_GARBAGE:
        (void)rc_responder_write(call->responder, RC_STR("zz\r\nnot a chunk\r\n"));
        return true;
    case RC_MOCK_WAIT:
        wait_for(call, step->wait_ms);
        return false;
    case RC_MOCK_END:
        finish(call, true);
        return false;
    case RC_MOCK_CLOSE:
        if (rc_responder_has_begun(call->responder))
            finish(call, false);
        else
            cut(call);
        return false;
    case RC_MOCK_RESET:
        cut(call);
        return false;
    case RC_MOCK_HANG:
        break;
    }
    return false;
}

void rc_mock_call_run(rc_mock_call *call)
{
    rc_mock_step step;
    do {
        rc_mock_response_step(&call->response, &step);
    } while (carry_out(call, &step));
}
