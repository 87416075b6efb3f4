/* The functions with which a handler responds to a request. Called by the handlers: the gateway's
 * loops and exchanges, the admin server and the mock server. */
#include "net/server/responder.h"

#include <string.h>

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include "net/server/connection.h"

/* Pieces with at least this number of bytes are sent at once. Smaller pieces are copied and sent at
 * the end of the loop's iteration. */
#define SEND_BYTES 4096u
/* If at least this number of bytes is queued, the bytes are sent before the end of the loop's
 * iteration. */
#define TURN_BYTES (64u << 10)

static bool is_open(const rc_responder *responder)
{
    return responder->is_with_handler && !responder->is_ended &&
           responder->connection->close_reason == RC_DISCONNECT_NONE;
}

static bool is_head_request(const rc_responder *responder)
{
    return responder->reader.method == HTTP_HEAD;
}

/* Returns whether the connection should be closed instead of reading the unread part of the
 * request's body, because this part is long or may never arrive. A client that waits for "100
 * Continue" need not send its body after a final response. */
static bool has_long_unread_body(const rc_responder *responder)
{
    const rc_http1 *reader = &responder->reader;
    if (reader->is_whole)
        return false;
    if (responder->is_expecting)
        return true;
    return reader->framing == RC_HTTP1_LENGTH &&
           reader->length - responder->body_bytes >
               responder->connection->server->settings.discard_bytes;
}

static void push_framing(rc_connection *c, const rc_responder *responder)
{
    if (responder->framing == RC_HTTP1_CHUNKED) {
        rc_connection_push(c, RC_STR("Transfer-Encoding: chunked\r\n"));
    } else if (responder->framing == RC_HTTP1_LENGTH) {
        rc_connection_push(c, RC_STR("Content-Length: "));
        rc_response_push_number(c, responder->left);
        rc_connection_push(c, RC_STR("\r\n"));
    }
}

/* Sets the framing of the response. Status 204 and 304 have no body and no framing field. */
static void set_framing(rc_responder *responder, int status, rc_http1_framing framing,
                        uint64_t length)
{
    rc_connection *c = responder->connection;
    bool is_old = responder->reader.minor == 0;
    responder->has_begun = true;
    responder->framing = framing;
    responder->left = framing == RC_HTTP1_LENGTH ? length : 0;
    if (framing == RC_HTTP1_NO_BODY)
        responder->framing = RC_HTTP1_LENGTH;
    if (framing == RC_HTTP1_CHUNKED && is_old)
        responder->framing = RC_HTTP1_UNTIL_CLOSE;
    if (status == 204 || status == 304)
        responder->framing = RC_HTTP1_NO_BODY;
    responder->is_bodiless = is_head_request(responder) || responder->framing == RC_HTTP1_NO_BODY;
    c->is_last = is_old || !responder->reader.is_kept_alive || c->server->is_stopping ||
                 c->is_overrun || responder->framing == RC_HTTP1_UNTIL_CLOSE ||
                 has_long_unread_body(responder);
}

static void end_head(rc_responder *responder)
{
    rc_connection *c = responder->connection;
    push_framing(c, responder);
    if (c->is_last)
        rc_connection_push(c, RC_STR("Connection: close\r\n"));
    rc_connection_push(c, RC_STR("\r\n"));
    rc_connection_kick(c);
}

rc_status rc_responder_begin(rc_responder *responder, const rc_response_head *response)
{
    rc_connection *c = responder->connection;
    if (!is_open(responder))
        return RC_OK; /* The client has disconnected; on_disconnect will be called. */
    if (responder->has_begun || response->status < 200 || response->status > 599)
        return RC_E_ARGUMENT;
    for (size_t i = 0; i < response->field_count; i++)
        if (!rc_response_is_field(&response->fields[i]))
            return RC_E_ARGUMENT;
    set_framing(responder, response->status, response->framing, response->length);
    rc_response_push_status_line(c, response->status);
    for (size_t i = 0; i < response->field_count; i++) {
        rc_connection_push(c, response->fields[i].name);
        rc_connection_push(c, RC_STR(": "));
        rc_connection_push(c, response->fields[i].value);
        rc_connection_push(c, RC_STR("\r\n"));
    }
    end_head(responder);
    return RC_OK;
}

rc_status rc_responder_begin_raw(rc_responder *responder, int status, rc_str lines,
                                 rc_http1_framing framing, uint64_t length)
{
    if (!is_open(responder))
        return RC_OK;
    if (responder->has_begun || status < 200 || status > 599)
        return RC_E_ARGUMENT;
    set_framing(responder, status, framing, length);
    rc_connection_push(responder->connection, lines);
    end_head(responder);
    return RC_OK;
}

/* Returns whether `len` more bytes are within the declared length. Bytes beyond it are not sent,
 * because the client would parse them as the next response. */
static bool is_within_length(rc_responder *responder, size_t len)
{
    if (responder->framing != RC_HTTP1_LENGTH || len <= responder->left) {
        responder->left -= responder->framing == RC_HTTP1_LENGTH ? len : 0;
        return true;
    }
    responder->connection->close_reason = RC_DISCONNECT_LENGTH;
    rc_connection_kick(responder->connection);
    return false;
}

static bool is_below_mark(rc_connection *c)
{
    if (c->queued >= TURN_BYTES)
        rc_connection_flush(c);
    if (c->queued >= c->server->settings.write_high_bytes)
        c->is_write_stopped = true;
    rc_connection_kick(c);
    return !c->is_write_stopped && c->close_reason == RC_DISCONNECT_NONE;
}

bool rc_responder_write(rc_responder *responder, rc_str bytes)
{
    rc_connection *c = responder->connection;
    if (!is_open(responder) || !responder->has_begun)
        return false;
    if (responder->is_bodiless || bytes.len == 0)
        return true;
    if (!is_within_length(responder, bytes.len))
        return false;
    bool is_chunk = responder->framing == RC_HTTP1_CHUNKED;
    rc_str tail = is_chunk ? RC_STR("\r\n") : RC_STR("");
    if (is_chunk)
        rc_response_push_chunk_size(c, bytes.len);
    if (bytes.len >= SEND_BYTES) {
        rc_connection_send(c, bytes, tail);
    } else {
        rc_connection_push(c, bytes);
        rc_connection_push(c, tail);
    }
    return is_below_mark(c);
}

bool rc_responder_write_borrowed(rc_responder *responder, rc_str bytes)
{
    rc_connection *c = responder->connection;
    if (bytes.len < SEND_BYTES)
        return rc_responder_write(responder, bytes);
    if (!is_open(responder) || !responder->has_begun)
        return false;
    if (responder->is_bodiless)
        return true;
    if (!is_within_length(responder, bytes.len))
        return false;
    bool is_chunk = responder->framing == RC_HTTP1_CHUNKED;
    if (is_chunk)
        rc_response_push_chunk_size(c, bytes.len);
    rc_connection_push_borrowed(c, bytes);
    if (is_chunk)
        rc_connection_push(c, RC_STR("\r\n"));
    return is_below_mark(c);
}

void rc_responder_end(rc_responder *responder)
{
    rc_connection *c = responder->connection;
    if (!is_open(responder))
        return;
    bool is_short = responder->framing == RC_HTTP1_LENGTH && responder->left > 0;
    if (!responder->has_begun || (is_short && !responder->is_bodiless)) {
        c->close_reason = RC_DISCONNECT_LENGTH;
        rc_connection_kick(c);
        return;
    }
    if (responder->framing == RC_HTTP1_CHUNKED && !responder->is_bodiless)
        rc_connection_push(c, RC_STR("0\r\n\r\n"));
    responder->is_ended = true;
    rc_connection_flush(c);
    rc_connection_kick(c);
}

rc_status rc_responder_send(rc_responder *responder, int status, const rc_header *fields,
                            size_t field_count, rc_str body)
{
    const rc_response_head response = {
        .status = status,
        .fields = fields,
        .field_count = field_count,
        .framing = RC_HTTP1_LENGTH,
        .length = body.len,
    };
    rc_status result = rc_responder_begin(responder, &response);
    if (result != RC_OK)
        return result;
    rc_responder_write(responder, body);
    rc_responder_end(responder);
    return RC_OK;
}

void rc_responder_abort(rc_responder *responder)
{
    if (!responder->is_with_handler)
        return;
    responder->is_with_handler = false;
    responder->is_aborted = true;
    rc_connection_kick(responder->connection);
}

void rc_responder_pause_body(rc_responder *responder)
{
    responder->is_paused = true;
    rc_connection_kick(responder->connection);
}

void rc_responder_resume_body(rc_responder *responder)
{
    responder->is_paused = false;
    rc_connection_kick(responder->connection);
}

const char *rc_responder_keep_head(rc_responder *responder)
{
    rc_server *server = responder->connection->server;
    const size_t len = responder->reader.head_bytes;
    if (responder->head_copy == NULL && responder->head != NULL) {
        responder->head_copy = len <= RC_HEAD_COPY_BYTES
                                   ? rc_server_get(server, &server->free_heads)
                                   : server->alloc.get(server->alloc.ctx, len);
        if (responder->head_copy != NULL)
            memcpy(responder->head_copy, responder->head, len);
    }
    return responder->head_copy;
}

const rc_http1 *rc_responder_reader(const rc_responder *responder)
{
    return &responder->reader;
}

const char *rc_responder_head(const rc_responder *responder)
{
    return responder->head;
}

void rc_responder_set_owner(rc_responder *responder, void *owner)
{
    responder->owner = owner;
}

void *rc_responder_owner(const rc_responder *responder)
{
    return responder->owner;
}

bool rc_responder_has_begun(const rc_responder *responder)
{
    return responder->has_begun;
}

uint64_t rc_responder_sent_bytes(const rc_responder *responder)
{
    const rc_connection *c = responder->connection;
    size_t waiting = c->in_flight > 0 ? uv_stream_get_write_queue_size(&c->uv.stream) : 0;
    return c->sent_bytes - responder->sent_before + (c->in_flight - waiting);
}

uint64_t rc_responder_unsent_bytes(const rc_responder *responder)
{
    const rc_connection *c = responder->connection;
    uv_os_fd_t fd = -1;
    int in_kernel = 0;
    if (uv_fileno(&c->uv.handle, &fd) != 0 || ioctl(fd, SIOCOUTQ, &in_kernel) != 0)
        in_kernel = 0;
    return c->queued + (uint64_t)in_kernel;
}

bool rc_responder_peer(const rc_responder *responder, char *buf, size_t size)
{
    const rc_connection *c = responder->connection;
    if (size == 0)
        return false;
    buf[0] = '\0';
    return c->is_unix ||
           inet_ntop(c->is_v4 ? AF_INET : AF_INET6, &c->peer, buf, (socklen_t)size) != NULL;
}
