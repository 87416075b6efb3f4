/* The steps of a connection's stages: reads requests, calls the handler, ends requests. Called by
 * connection.c. */
#include "base/str.h"
#include "net/server/connection.h"

#define PAGE_MAX 4096

static void on_shut(uv_shutdown_t *request, int status)
{
    (void)request;
    (void)status;
}

/* Shuts down the sending side; further input is read and dropped (RFC 9112, section 9.6). If the
 * server closed a socket with unread input, the kernel would send a reset, and the client could
 * lose the response. */
static bool begin_linger(rc_connection *c)
{
    if (c->has_eof) {
        rc_connection_close(c, false);
        return false;
    }
    rc_connection_release_responder(c);
    c->stage = RC_STAGE_LINGER;
    c->discarded_bytes = 0;
    c->request.shutdown.data = c;
    if (uv_shutdown(&c->request.shutdown, &c->uv.stream, on_shut) != 0)
        rc_connection_close(c, false);
    return true;
}

/* Writes an error response without calling the handler, which may not know the request yet. */
static void push_refusal(rc_connection *c, const rc_refusal *refusal)
{
    const rc_server *server = c->server;
    char buffers[2][PAGE_MAX];
    rc_buf lines;
    rc_buf page;
    rc_buf_init_fixed(&lines, buffers[0], sizeof(buffers[0]));
    rc_buf_init_fixed(&page, buffers[1], sizeof(buffers[1]));
    if (server->handler->render_refusal != NULL)
        server->handler->render_refusal(server->ctx, refusal, &lines, &page);
    const bool is_plain = rc_buf_get(&lines).len == 0 || rc_buf_status(&lines) != RC_OK ||
                          rc_buf_status(&page) != RC_OK;
    const rc_str body = is_plain ? rc_str_c(refusal->text) : rc_buf_get(&page);
    rc_response_push_status_line(c, refusal->status);
    rc_connection_push(c, is_plain ? RC_STR("Content-Type: text/plain; charset=utf-8\r\n")
                                   : rc_buf_get(&lines));
    rc_connection_push(c, RC_STR("Content-Length: "));
    rc_response_push_number(c, body.len);
    rc_connection_push(c, RC_STR("\r\nConnection: close\r\n\r\n"));
    rc_connection_push(c, body);
}

static rc_str target_of(const rc_responder *responder)
{
    return responder->head != NULL && responder->reader.target_len > 0
               ? rc_http1_target(&responder->reader, responder->head)
               : RC_STR("");
}

void rc_connection_refuse(rc_connection *c, rc_disconnect_reason why, const rc_refusal *refusal)
{
    rc_responder *responder = c->responder;
    bool is_cut = responder->has_begun;
    c->server->stats.refused++;
    if (responder->is_with_handler) {
        const rc_disconnect disconnect = {
            .why = why, .fault = refusal->fault, .text = rc_disconnect_text(why)};
        responder->is_with_handler = false;
        c->server->handler->on_disconnect(c->server->ctx, responder, &disconnect);
    }
    if (is_cut) {
        rc_connection_close(c, true);
        return;
    }
    rc_refusal whole = *refusal;
    whole.target = target_of(responder);
    push_refusal(c, &whole);
    rc_connection_release_responder(c);
    c->stage = RC_STAGE_FLUSH;
}

static bool refuse_fault(rc_connection *c)
{
    rc_http1_fault fault = c->responder->reader.fault;
    const rc_refusal refusal = {
        .status = rc_http1_fault_status(fault),
        .fault = fault,
        .text = rc_http1_fault_text(fault),
    };
    rc_connection_refuse(c, RC_DISCONNECT_FAULT, &refusal);
    return true;
}

static bool step_idle(rc_connection *c, rc_str *input)
{
    if (input->len == 0)
        return false;
    rc_responder *responder = rc_server_get(c->server, &c->server->free_responders);
    if (responder == NULL) {
        c->close_reason = RC_DISCONNECT_MEMORY;
        return false;
    }
    memset(responder, 0, offsetof(rc_responder, reader));
    rc_http1_init(&responder->reader, RC_HTTP1_REQUEST, &c->server->settings.limits);
    responder->connection = c;
    responder->sent_before = c->sent_bytes;
    c->responder = responder;
    c->is_last = false;
    c->is_write_stopped = false;
    c->stage = RC_STAGE_HEAD;
    return true;
}

static bool is_expecting(const rc_http1 *reader, const char *head)
{
    return reader->framing != RC_HTTP1_NO_BODY && reader->minor > 0 &&
           rc_str_eq_nocase(rc_http1_find(reader, head, RC_STR("expect")), RC_STR("100-continue"));
}

static rc_http1_event read_head(const rc_server *server, rc_responder *responder, rc_str input)
{
    const rc_http1_event event = rc_http1_read_head(&responder->reader, input);
    if (event != RC_HTTP1_FAULT || !rc_http1_needs_table(&responder->reader))
        return event;
    responder->table = server->alloc.get(server->alloc.ctx, sizeof *responder->table);
    if (responder->table == NULL)
        return event;
    rc_http1_restart(&responder->reader, responder->table);
    return rc_http1_read_head(&responder->reader, input);
}

static bool step_head(rc_connection *c, rc_str *input)
{
    rc_server *server = c->server;
    rc_responder *responder = c->responder;
    rc_http1_event event = read_head(server, responder, *input);
    if (event == RC_HTTP1_MORE)
        return false;
    responder->head = input->ptr;
    if (event == RC_HTTP1_FAULT)
        return refuse_fault(c);
    *input = rc_str_make(input->ptr + responder->reader.head_bytes,
                         input->len - responder->reader.head_bytes);
    /* A client that has already sent a part of the body does not wait for "100 Continue" (RFC 9110,
     * section 10.1.1). */
    responder->is_expecting = input->len == 0 && is_expecting(&responder->reader, responder->head);
    responder->is_with_handler = true;
    c->stage = RC_STAGE_BODY;
    c->is_used = true;
    server->stats.requests++;
    server->handler->on_request(server->ctx, responder, &responder->reader, responder->head);
    responder->head = responder->head_copy;
    return true;
}

/* Ends a response that the handler aborted. A client can detect that a response with a length or
 * with chunks is incomplete. With any other framing, only a reset shows it. */
static bool cut(rc_connection *c)
{
    const rc_responder *responder = c->responder;
    if (!responder->has_begun || responder->framing == RC_HTTP1_UNTIL_CLOSE ||
        responder->framing == RC_HTTP1_NO_BODY) {
        rc_connection_close(c, true);
        return true;
    }
    rc_connection_release_responder(c);
    c->stage = RC_STAGE_FLUSH;
    return true;
}

/* Ends a request whose response is complete. */
static bool begin_idle(rc_connection *c)
{
    rc_connection_release_responder(c);
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

/* Called when the kernel has accepted the whole response: continues with the next request, or
 * closes the connection. */
static bool finish(rc_connection *c, const rc_str *input)
{
    rc_responder *responder = c->responder;
    rc_connection_flush(c);
    if (c->queued > 0 || c->close_reason != RC_DISCONNECT_NONE)
        return false;
    bool is_whole = c->stage == RC_STAGE_WAIT;
    responder->is_with_handler = false;
    c->server->handler->on_done(c->server->ctx, responder);
    c->is_write_stopped = false;
    if (c->is_last || c->server->is_stopping)
        return is_whole && input->len == 0 ? end_quietly(c) : begin_linger(c);
    if (is_whole)
        return begin_idle(c);
    c->discarded_bytes = 0;
    c->stage = RC_STAGE_DISCARD;
    return true;
}

static void send_continue(rc_connection *c)
{
    rc_responder *responder = c->responder;
    responder->is_expecting = false;
    rc_connection_push(c, RC_STR("HTTP/1.1 100 Continue\r\n\r\n"));
    rc_connection_flush(c);
}

static bool step_body(rc_connection *c, rc_str *input)
{
    const rc_server *server = c->server;
    rc_responder *responder = c->responder;
    if (responder->is_aborted)
        return cut(c);
    if (responder->is_ended)
        return finish(c, input);
    if (responder->is_paused)
        return false;
    if (responder->is_expecting && input->len > 0)
        responder->is_expecting = false;
    else if (responder->is_expecting && !responder->has_begun)
        send_continue(c);
    rc_http1_event event = rc_http1_read_body(&responder->reader, input);
    if (event == RC_HTTP1_FAULT)
        return refuse_fault(c);
    if (event == RC_HTTP1_BODY) {
        responder->body_bytes += responder->reader.body.len;
        server->handler->on_body(server->ctx, responder, responder->reader.body);
        return true;
    }
    if (event != RC_HTTP1_END)
        return false;
    c->stage = RC_STAGE_WAIT;
    server->handler->on_body_end(server->ctx, responder);
    return true;
}

static bool step_wait(rc_connection *c, rc_str *input)
{
    const rc_responder *responder = c->responder;
    if (responder->is_aborted)
        return cut(c);
    return responder->is_ended && finish(c, input);
}

static bool step_discard(rc_connection *c, rc_str *input)
{
    rc_responder *responder = c->responder;
    rc_http1_event event = rc_http1_read_body(&responder->reader, input);
    if (event == RC_HTTP1_BODY) {
        c->discarded_bytes += responder->reader.body.len;
        return c->discarded_bytes <= c->server->settings.discard_bytes || begin_linger(c);
    }
    if (event == RC_HTTP1_END)
        return c->server->is_stopping ? begin_linger(c) : begin_idle(c);
    return event == RC_HTTP1_FAULT && begin_linger(c);
}

/* Drops all input, because from the stage FLUSH on no byte is parsed as a request. */
static bool step_flush(rc_connection *c, rc_str *input)
{
    rc_connection_flush(c);
    *input = rc_str_make(input->ptr + input->len, 0);
    return c->queued == 0 && c->close_reason == RC_DISCONNECT_NONE && begin_linger(c);
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
    while (goes_on && c->close_reason == RC_DISCONNECT_NONE)
        goes_on = steps[c->stage](c, input);
    c->is_running = false;
}
