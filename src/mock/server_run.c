/* An answer's steps, on a connection. */
#include "mock/error.h"
#include "mock/server_private.h"

/* A reset takes along what the client's system does not have yet. What is cut behind a byte shows
 * that byte, however slow its reader is; one that reads nothing at all is not waited for. */
#define BEFORE_RESET_MS 20
#define RESET_LOOKS 250
#define HEAD_MAX 4096

static void on_timer(uv_timer_t *timer)
{
    rc_mock_call *call = timer->data;
    if (call->exchange == NULL)
        return;
    if (!call->is_cutting) {
        rc_mock_call_run(call);
        return;
    }
    if (++call->reset_looks < RESET_LOOKS && rc_exchange_unsent_bytes(call->exchange) > 0) {
        (void)uv_timer_start(timer, on_timer, BEFORE_RESET_MS, 0);
        return;
    }
    rc_exchange_abort(call->exchange);
    rc_mock_call_end(call);
}

static void wait_for(rc_mock_call *call, uint32_t ms)
{
    (void)uv_timer_start(&call->timer, on_timer, ms, 0); /* fails for a closed timer alone */
}

/* ---- the head ---- */

static bool is_raw(const rc_mock_answer *answer)
{
    switch (answer->plan.wire) {
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

/* The head of a body that ends with the connection, with a framing that it will not keep to. */
static rc_status begin_raw(rc_mock_call *call)
{
    const rc_mock_answer *answer = &call->answer;
    char text[HEAD_MAX];
    rc_buf head;
    rc_buf_init_fixed(&head, text, sizeof text);
    rc_buf_push(&head, RC_STR("HTTP/1.1 "));
    rc_buf_push_u64(&head, (uint64_t)answer->status);
    rc_buf_push(&head, RC_STR(" Mock\r\n"));
    for (size_t i = 0; i < answer->field_count; i++)
        push_line(&head, answer->fields[i].name, rc_str_c(answer->fields[i].value));
    if (answer->is_chunked) {
        push_line(&head, "transfer-encoding", RC_STR("chunked"));
    } else {
        rc_buf_push(&head, RC_STR("content-length: "));
        rc_buf_push_u64(&head, answer->length);
        rc_buf_push(&head, RC_STR("\r\n"));
    }
    return rc_exchange_begin_raw(call->exchange, answer->status, rc_buf_get(&head),
                                 RC_HTTP1_UNTIL_CLOSE, 0);
}

static rc_status begin(rc_mock_call *call)
{
    const rc_mock_answer *answer = &call->answer;
    rc_header fields[RC_MOCK_HEADERS_MAX];
    call->is_raw = is_raw(answer);
    if (call->is_raw)
        return begin_raw(call);
    for (size_t i = 0; i < answer->field_count; i++)
        fields[i] =
            (rc_header){rc_str_c(answer->fields[i].name), rc_str_c(answer->fields[i].value)};
    const rc_answer head = {
        .status = answer->status,
        .fields = fields,
        .field_count = answer->field_count,
        .framing = answer->is_chunked ? RC_HTTP1_CHUNKED : RC_HTTP1_LENGTH,
        .length = answer->length,
    };
    return rc_exchange_begin(call->exchange, &head);
}

/* ---- the body ---- */

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
    (void)rc_exchange_write(call->exchange, rc_str_make(text + at, sizeof text - at));
    (void)rc_exchange_write(call->exchange, bytes);
    return rc_exchange_write(call->exchange, RC_STR("\r\n"));
}

/* False: enough waits to be sent. */
static bool send_body(rc_mock_call *call, const rc_mock_step *step)
{
    rc_mock_ledger_sent(&call->server->provider.ledger, &call->ticket, step->tokens);
    if (call->is_raw && call->answer.is_chunked)
        return send_chunk(call, step->bytes);
    return rc_exchange_write(call->exchange, step->bytes);
}

/* on_done follows. */
static void finish(rc_mock_call *call, bool is_whole)
{
    if (is_whole && call->is_raw && call->answer.is_chunked)
        (void)rc_exchange_write(call->exchange, RC_STR("0\r\n\r\n"));
    rc_exchange_end(call->exchange);
}

/* ---- all ---- */

static void cut(rc_mock_call *call)
{
    call->is_cutting = true;
    wait_for(call, BEFORE_RESET_MS);
}

/* Carries one step out. True: the next one can follow at once. */
static bool take(rc_mock_call *call, const rc_mock_step *step)
{
    switch (step->what) {
    case RC_MOCK_HEAD:
        if (begin(call) == RC_OK)
            return true;
        cut(call);
        return false;
    case RC_MOCK_SEND:
        call->is_full = !send_body(call, step);
        return !call->is_full;
    case RC_MOCK_GARBAGE:
        (void)rc_exchange_write(call->exchange, RC_STR("zz\r\nnot a chunk\r\n"));
        return true;
    case RC_MOCK_WAIT:
        wait_for(call, step->wait_ms);
        return false;
    case RC_MOCK_END:
        finish(call, true);
        return false;
    case RC_MOCK_CLOSE:
        if (rc_exchange_has_begun(call->exchange))
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
        rc_mock_answer_step(&call->answer, &step);
    } while (take(call, &step));
}
