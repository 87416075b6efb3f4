/* rc_demo: the in-process demo provider. Called by runtime.c and attempt.c. */
#include "gateway/runtime/demo.h"

#include "base/str.h"

#define HEAD_MAX_BYTES ((size_t)8 << 10)

struct rc_demo {
    uv_loop_t *loop;
    rc_alloc alloc;
    void (*on_idle)(void *ctx);
    void *ctx;
    uint32_t calls;
    rc_mock_provider provider;
};

struct rc_demo_call {
    rc_demo *demo;
    uv_timer_t timer;
    const rc_upstream_handler *handler; /* Callbacks of the call. NULL: the call has ended. */
    void *ctx;
    uint32_t first_byte_ms;
    uint32_t idle_ms;
    bool is_begun;   /* on_head was called. */
    bool is_flowing; /* At least one byte of the body was delivered. */
    bool is_late;    /* The timer will end the call with a timeout. */
    bool is_paused;
    bool is_waiting; /* The timer is running. */
    rc_http1 reader; /* Parser of the response head. */
    rc_mock_response response;
};

rc_demo *rc_demo_new(uv_loop_t *loop, const rc_alloc *alloc, void (*on_idle)(void *ctx), void *ctx)
{
    rc_demo *demo = alloc->get(alloc->ctx, sizeof *demo);
    if (demo == NULL)
        return NULL;
    memset(demo, 0, sizeof *demo);
    demo->loop = loop;
    demo->alloc = *alloc;
    demo->on_idle = on_idle;
    demo->ctx = ctx;
    rc_mock_provider_init(&demo->provider, NULL, 0, uv_now(loop));
    return demo;
}

void rc_demo_free(rc_demo *demo)
{
    if (demo != NULL)
        demo->alloc.put(demo->alloc.ctx, demo, sizeof *demo);
}

bool rc_demo_is_idle(const rc_demo *demo)
{
    return demo->calls == 0;
}

/* ---- end of a call ---- */

static void on_closed(uv_handle_t *handle)
{
    rc_demo_call *call = handle->data;
    rc_demo *demo = call->demo;
    rc_mock_response_done(&call->response);
    demo->alloc.put(demo->alloc.ctx, call, sizeof *call);
    if (--demo->calls == 0)
        demo->on_idle(demo->ctx);
}

void rc_demo_cancel(rc_demo_call *call)
{
    if (call->handler == NULL)
        return;
    call->handler = NULL;
    uv_close((uv_handle_t *)&call->timer, on_closed);
}

/* Returns the time limit of the current wait: the first-byte timeout, or the idle timeout once the
 * body has begun. */
static uint32_t max_wait_ms(const rc_demo_call *call)
{
    return call->is_flowing ? call->idle_ms : call->first_byte_ms;
}

static void fail(rc_demo_call *call, rc_upstream_kind kind)
{
    const rc_upstream_handler *handler = call->handler;
    void *ctx = call->ctx;
    const rc_upstream_failure failure = {
        .kind = kind,
        .connection = rc_upstream_kind_connection(kind),
        .transport = rc_upstream_kind_transport(kind),
        .phase = call->is_begun ? RC_PHASE_HEADERS : RC_PHASE_SENT,
        .text = rc_upstream_kind_text(kind),
        .limit_ms = call->is_late ? max_wait_ms(call) : 0,
    };
    rc_demo_cancel(call);
    handler->on_failure(ctx, &failure);
}

static void end(rc_demo_call *call)
{
    const rc_upstream_handler *handler = call->handler;
    void *ctx = call->ctx;
    rc_demo_cancel(call);
    handler->on_end(ctx, true);
}

/* ---- steps of a response ---- */

static void push_head(const rc_mock_response *response, rc_buf *head)
{
    rc_buf_push(head, RC_STR("HTTP/1.1 "));
    rc_buf_push_i64(head, response->status);
    rc_buf_push(head, RC_STR(" \r\n"));
    for (size_t i = 0; i < response->header_count; i++) {
        rc_buf_push(head, rc_str_c(response->headers[i].name));
        rc_buf_push(head, RC_STR(": "));
        rc_buf_push(head, rc_str_c(response->headers[i].value));
        rc_buf_push(head, RC_STR("\r\n"));
    }
    if (response->is_chunked) {
        rc_buf_push(head, RC_STR("transfer-encoding: chunked\r\n\r\n"));
        return;
    }
    rc_buf_push(head, RC_STR("content-length: "));
    rc_buf_push_u64(head, response->length);
    rc_buf_push(head, RC_STR("\r\n\r\n"));
}

/* Delivers the response head. The head passes the same HTTP parser as the head of a real server. */
static void emit_head(rc_demo_call *call)
{
    char memory[HEAD_MAX_BYTES];
    rc_buf bytes;
    rc_buf_init_fixed(&bytes, memory, sizeof memory);
    push_head(&call->response, &bytes);
    rc_http1_init(&call->reader, RC_HTTP1_RESPONSE, &rc_http1_limits_default);
    if (rc_http1_read_head(&call->reader, rc_buf_get(&bytes)) != RC_HTTP1_HEAD) {
        fail(call, RC_UPSTREAM_MALFORMED);
        return;
    }
    const rc_upstream_head head = {
        .status = call->response.status, .reader = &call->reader, .bytes = memory};
    call->is_begun = true;
    call->handler->on_head(call->ctx, &head);
}

static void on_timer(uv_timer_t *timer);

/* Starts the timer. A wait that is longer than the current time limit ends with a timeout, as with
 * a real server. */
static void wait(rc_demo_call *call, uint64_t wait_ms)
{
    const uint32_t max_ms = max_wait_ms(call);
    call->is_late = max_ms > 0 && wait_ms > max_ms;
    call->is_waiting = true;
    (void)uv_timer_start(&call->timer, on_timer, call->is_late ? max_ms : wait_ms, 0);
}

/* Carries out one step of the response. Returns true if the next step is due now. */
static bool do_step(rc_demo_call *call, const rc_mock_step *step)
{
    switch (step->kind) {
    case RC_MOCK_HEAD:
        emit_head(call);
        return true;
    case RC_MOCK_SEND:
        call->is_flowing = true;
        call->handler->on_body(call->ctx, step->bytes);
        return true;
    case RC_MOCK_WAIT:
        wait(call, step->wait_ms);
        return false;
    case RC_MOCK_END:
        end(call);
        return false;
    case RC_MOCK_GARBAGE:
        fail(call, RC_UPSTREAM_MALFORMED);
        return false;
    case RC_MOCK_CLOSE:
        fail(call, RC_UPSTREAM_CLOSED);
        return false;
    case RC_MOCK_RESET:
        fail(call, RC_UPSTREAM_RESET);
        return false;
    case RC_MOCK_HANG:
        wait(call, UINT64_MAX);
        return false;
    }
    return false;
}

static void run(rc_demo_call *call)
{
    bool goes_on = true;
    /* A callback in do_step may have cancelled or paused the call. */
    while (goes_on && call->handler != NULL && !call->is_paused) {
        rc_mock_step step;
        rc_mock_response_step(&call->response, &step);
        goes_on = do_step(call, &step);
    }
}

static void on_timer(uv_timer_t *timer)
{
    rc_demo_call *call = timer->data;
    call->is_waiting = false;
    if (call->is_late)
        fail(call, call->is_flowing ? RC_UPSTREAM_IDLE_TIMEOUT : RC_UPSTREAM_FIRST_BYTE_TIMEOUT);
    else
        run(call);
}

void rc_demo_pause(rc_demo_call *call)
{
    call->is_paused = true;
}

void rc_demo_resume(rc_demo_call *call)
{
    if (!call->is_paused)
        return;
    call->is_paused = false;
    if (!call->is_waiting && call->handler != NULL)
        wait(call, 0);
}

/* ---- start of a call ---- */

/* Returns the whole request body as one text. joined: memory for the text if the body is in several
 * pieces. */
static bool join(const rc_demo *demo, const rc_upstream_request *request, rc_buf *joined,
                 rc_str *ret_body)
{
    const size_t more = request->more[0].len + request->more[1].len;
    rc_buf_init(joined, &demo->alloc, request->body.len + more);
    *ret_body = request->body;
    if (more == 0)
        return true;
    rc_buf_push(joined, request->body);
    rc_buf_push(joined, request->more[0]);
    rc_buf_push(joined, request->more[1]);
    *ret_body = rc_buf_get(joined);
    if (rc_buf_status(joined) == RC_OK)
        return true;
    rc_buf_done(joined);
    return false;
}

static rc_status begin(rc_demo_call *call, const rc_upstream_request *request, int64_t now_unix_ms)
{
    rc_http1 reader;
    rc_http1_table table;
    rc_header headers[RC_HTTP1_FIELDS_MAX];
    rc_mock_ticket ticket;
    const char *head = request->head.ptr;
    rc_http1_init(&reader, RC_HTTP1_REQUEST, &rc_http1_limits_default);
    rc_http1_restart(&reader, &table);
    if (rc_http1_read_head(&reader, request->head) != RC_HTTP1_HEAD)
        return RC_E_SYNTAX;
    for (uint32_t i = 0; i < reader.field_count; i++)
        headers[i] = (rc_header){rc_http1_name(&reader, head, i), rc_http1_value(&reader, head, i)};
    rc_buf joined;
    rc_str body;
    if (!join(call->demo, request, &joined, &body))
        return RC_E_NOMEM;
    const rc_mock_message message = {
        .method = rc_http1_method(&reader),
        .target = rc_http1_target(&reader, head),
        .headers = headers,
        .header_count = reader.field_count,
        .body = body,
    };
    const rc_mock_time now = {.ms = uv_now(call->demo->loop), .unix_ms = now_unix_ms};
    const rc_status status = rc_mock_provider_respond(&call->demo->provider, &message, &now,
                                                      &call->demo->alloc, &call->response, &ticket);
    rc_buf_done(&joined);
    return status;
}

rc_demo_call *rc_demo_start(rc_demo *demo, const rc_upstream_request *request, int64_t now_unix_ms,
                            const rc_upstream_handler *handler, void *ctx)
{
    rc_demo_call *call = demo->alloc.get(demo->alloc.ctx, sizeof *call);
    if (call == NULL)
        return NULL;
    memset(call, 0, sizeof *call);
    call->demo = demo;
    call->handler = handler;
    call->ctx = ctx;
    call->first_byte_ms = request->first_byte_ms;
    call->idle_ms = request->idle_ms;
    (void)uv_timer_init(demo->loop, &call->timer);
    call->timer.data = call;
    demo->calls++;
    if (begin(call, request, now_unix_ms) != RC_OK) {
        rc_demo_cancel(call);
        return NULL;
    }
    wait(call, 0);
    return call;
}
