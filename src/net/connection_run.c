#include "base/str.h"
#include "net/connection.h"

#define PAGE_MAX 4096

static void on_shut(uv_shutdown_t *request, int status)
{
    (void)request;
    (void)status;
}

/* A close with bytes unread is a reset, which may take the answer away from the client before it
 * has read it. So our side is shut first, and what still comes is dropped (RFC 9112, section
 * 9.6). */
static bool begin_linger(rc_connection *c)
{
    if (c->has_eof) {
        rc_connection_close(c, false);
        return false;
    }
    rc_connection_release_exchange(c);
    c->stage = RC_STAGE_LINGER;
    c->discarded_bytes = 0;
    c->request.shutdown.data = c;
    if (uv_shutdown(&c->request.shutdown, &c->uv.stream, on_shut) != 0)
        rc_connection_close(c, false);
    return true;
}

/* A refusal goes out without the handler, which may not even know of the request. */
static void push_refusal(rc_connection *c, const rc_refusal *refusal)
{
    const rc_server *server = c->server;
    char rooms[2][PAGE_MAX];
    rc_buf lines;
    rc_buf page;
    rc_buf_init_fixed(&lines, rooms[0], sizeof(rooms[0]));
    rc_buf_init_fixed(&page, rooms[1], sizeof(rooms[1]));
    if (server->handler->render_refusal != NULL)
        server->handler->render_refusal(server->ctx, refusal, &lines, &page);
    const bool is_plain = rc_buf_get(&lines).len == 0 || rc_buf_status(&lines) != RC_OK ||
                          rc_buf_status(&page) != RC_OK;
    const rc_str body = is_plain ? rc_str_c(refusal->text) : rc_buf_get(&page);
    rc_respond_push_status_line(c, refusal->status);
    rc_connection_push(c, is_plain ? RC_STR("Content-Type: text/plain; charset=utf-8\r\n")
                                   : rc_buf_get(&lines));
    rc_connection_push(c, RC_STR("Content-Length: "));
    rc_respond_push_number(c, body.len);
    rc_connection_push(c, RC_STR("\r\nConnection: close\r\n\r\n"));
    rc_connection_push(c, body);
}

static rc_str target_of(const rc_exchange *x)
{
    return x->head != NULL && x->reader.target_len > 0 ? rc_http1_target(&x->reader, x->head)
                                                       : RC_STR("");
}

void rc_connection_refuse(rc_connection *c, rc_gone_why why, const rc_refusal *refusal)
{
    rc_exchange *x = c->exchange;
    bool is_cut = x->has_begun;
    c->server->stats.refused++;
    if (x->is_told) {
        const rc_gone gone = {.why = why, .fault = refusal->fault, .text = rc_gone_text(why)};
        x->is_told = false;
        c->server->handler->on_gone(c->server->ctx, x, &gone);
    }
    if (is_cut) {
        rc_connection_close(c, true);
        return;
    }
    rc_refusal whole = *refusal;
    whole.target = target_of(x);
    push_refusal(c, &whole);
    rc_connection_release_exchange(c);
    c->stage = RC_STAGE_FLUSH;
}

static bool refuse_fault(rc_connection *c)
{
    rc_http1_fault fault = c->exchange->reader.fault;
    const rc_refusal refusal = {
        .status = rc_http1_fault_status(fault),
        .fault = fault,
        .text = rc_http1_fault_text(fault),
    };
    rc_connection_refuse(c, RC_GONE_FAULT, &refusal);
    return true;
}

static bool step_idle(rc_connection *c, rc_str *input)
{
    if (input->len == 0)
        return false;
    rc_exchange *x = rc_server_get(c->server, &c->server->free_exchanges);
    if (x == NULL) {
        c->broken = RC_GONE_MEMORY;
        return false;
    }
    memset(x, 0, offsetof(rc_exchange, reader));
    rc_http1_init(&x->reader, RC_HTTP1_REQUEST, &c->server->settings.limits);
    x->connection = c;
    x->sent_before = c->sent_bytes;
    c->exchange = x;
    c->is_last = false;
    c->is_above = false;
    c->stage = RC_STAGE_HEAD;
    return true;
}

static bool is_expecting(const rc_http1 *reader, const char *head)
{
    return reader->framing != RC_HTTP1_NO_BODY && reader->minor > 0 &&
           rc_str_eq_nocase(rc_http1_find(reader, head, RC_STR("expect")), RC_STR("100-continue"));
}

static bool step_head(rc_connection *c, rc_str *input)
{
    rc_server *server = c->server;
    rc_exchange *x = c->exchange;
    rc_http1_event event = rc_http1_read_head(&x->reader, *input);
    if (event == RC_HTTP1_MORE)
        return false;
    x->head = input->ptr;
    if (event == RC_HTTP1_FAULT)
        return refuse_fault(c);
    *input = rc_str_make(input->ptr + x->reader.head_bytes, input->len - x->reader.head_bytes);
    /* Who has sent some of the body does not wait (RFC 9110, section 10.1.1). */
    x->is_expecting = input->len == 0 && is_expecting(&x->reader, x->head);
    x->is_told = true;
    c->stage = RC_STAGE_BODY;
    c->is_used = true;
    server->stats.requests++;
    server->handler->on_request(server->ctx, x, &x->reader, x->head);
    x->head = x->head_copy;
    return true;
}

/* The handler cut the answer. Without its length or last chunk it cannot be taken for a whole one;
 * without either it needs a reset. */
static bool cut(rc_connection *c)
{
    const rc_exchange *x = c->exchange;
    if (!x->has_begun || x->framing == RC_HTTP1_UNTIL_CLOSE || x->framing == RC_HTTP1_NO_BODY) {
        rc_connection_close(c, true);
        return true;
    }
    rc_connection_release_exchange(c);
    c->stage = RC_STAGE_FLUSH;
    return true;
}

/* The request and its answer are whole. */
static bool begin_rest(rc_connection *c)
{
    rc_connection_release_exchange(c);
    c->stage = RC_STAGE_IDLE;
    return true;
}

static bool end_quietly(rc_connection *c)
{
    if (!rc_connection_is_quiet(c))
        return begin_linger(c);
    rc_connection_close(c, false);
    return false;
}

/* The answer is with the kernel: on to the next request, or the end. */
static bool finish(rc_connection *c, const rc_str *input)
{
    rc_exchange *x = c->exchange;
    rc_connection_flush(c);
    if (c->queued > 0 || c->broken != RC_GONE_NONE)
        return false;
    bool is_whole = c->stage == RC_STAGE_WAIT;
    x->is_told = false;
    c->server->handler->on_done(c->server->ctx, x);
    c->is_above = false;
    if (c->is_last || c->server->is_stopping)
        return is_whole && input->len == 0 ? end_quietly(c) : begin_linger(c);
    if (is_whole)
        return begin_rest(c);
    c->discarded_bytes = 0;
    c->stage = RC_STAGE_DISCARD;
    return true;
}

static void send_continue(rc_connection *c)
{
    rc_exchange *x = c->exchange;
    x->is_expecting = false;
    rc_connection_push(c, RC_STR("HTTP/1.1 100 Continue\r\n\r\n"));
    rc_connection_flush(c);
}

static bool step_body(rc_connection *c, rc_str *input)
{
    const rc_server *server = c->server;
    rc_exchange *x = c->exchange;
    if (x->is_aborted)
        return cut(c);
    if (x->is_ended)
        return finish(c, input);
    if (x->is_paused)
        return false;
    if (x->is_expecting && input->len > 0)
        x->is_expecting = false;
    else if (x->is_expecting && !x->has_begun)
        send_continue(c);
    rc_http1_event event = rc_http1_read_body(&x->reader, input);
    if (event == RC_HTTP1_FAULT)
        return refuse_fault(c);
    if (event == RC_HTTP1_BODY) {
        x->body_bytes += x->reader.body.len;
        server->handler->on_body(server->ctx, x, x->reader.body);
        return true;
    }
    if (event != RC_HTTP1_END)
        return false;
    c->stage = RC_STAGE_WAIT;
    server->handler->on_body_end(server->ctx, x);
    return true;
}

static bool step_wait(rc_connection *c, rc_str *input)
{
    const rc_exchange *x = c->exchange;
    if (x->is_aborted)
        return cut(c);
    return x->is_ended && finish(c, input);
}

static bool step_discard(rc_connection *c, rc_str *input)
{
    rc_exchange *x = c->exchange;
    rc_http1_event event = rc_http1_read_body(&x->reader, input);
    if (event == RC_HTTP1_BODY) {
        c->discarded_bytes += x->reader.body.len;
        return c->discarded_bytes <= c->server->settings.discard_bytes || begin_linger(c);
    }
    if (event == RC_HTTP1_END)
        return c->server->is_stopping ? begin_linger(c) : begin_rest(c);
    return event == RC_HTTP1_FAULT && begin_linger(c);
}

/* Behind this point nothing is read as a request, ever. */
static bool step_flush(rc_connection *c, rc_str *input)
{
    rc_connection_flush(c);
    *input = rc_str_make(input->ptr + input->len, 0);
    return c->queued == 0 && c->broken == RC_GONE_NONE && begin_linger(c);
}

static bool step_linger(rc_connection *c, rc_str *input)
{
    c->discarded_bytes += input->len;
    *input = rc_str_make(input->ptr + input->len, 0);
    if (c->discarded_bytes > c->server->settings.linger_bytes)
        rc_connection_close(c, false);
    return false;
}

static bool step_closed(rc_connection *c, rc_str *input)
{
    (void)c;
    *input = rc_str_make(input->ptr + input->len, 0);
    return false;
}

static bool (*const steps[])(rc_connection *c, rc_str *input) = {
    [RC_STAGE_IDLE] = step_idle,       [RC_STAGE_HEAD] = step_head,
    [RC_STAGE_BODY] = step_body,       [RC_STAGE_WAIT] = step_wait,
    [RC_STAGE_DISCARD] = step_discard, [RC_STAGE_FLUSH] = step_flush,
    [RC_STAGE_LINGER] = step_linger,   [RC_STAGE_CLOSED] = step_closed,
};

void rc_connection_run(rc_connection *c, rc_str *input)
{
    bool goes_on = true;
    c->is_running = true;
    while (goes_on && c->broken == RC_GONE_NONE)
        goes_on = steps[c->stage](c, input);
    c->is_running = false;
}
