#include "net/respond.h"

#include <string.h>

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>

#include "net/connection.h"

/* From this size on bytes are sent at once instead of being copied to wait for the turn's end. */
#define SEND_BYTES 4096u
/* So much is sent before the turn's end. */
#define TURN_BYTES (64u << 10)

static bool is_open(const rc_exchange *x)
{
    return x->is_told && !x->is_ended && x->connection->broken == RC_GONE_NONE;
}

static bool is_head_request(const rc_exchange *x)
{
    return x->reader.method == HTTP_HEAD;
}

/* The rest of the request would cost more than a new connection, or may never come: a client that
 * waits for "100 Continue" need not send its body once it has an answer. */
static bool has_long_rest(const rc_exchange *x)
{
    const rc_http1 *reader = &x->reader;
    if (reader->is_whole)
        return false;
    if (x->is_expecting)
        return true;
    return reader->framing == RC_HTTP1_LENGTH &&
           reader->length - x->body_bytes > x->connection->server->settings.discard_bytes;
}

static void push_framing(rc_connection *c, const rc_exchange *x)
{
    if (x->framing == RC_HTTP1_CHUNKED) {
        rc_connection_push(c, RC_STR("Transfer-Encoding: chunked\r\n"));
    } else if (x->framing == RC_HTTP1_LENGTH) {
        rc_connection_push(c, RC_STR("Content-Length: "));
        rc_respond_push_number(c, x->left);
        rc_connection_push(c, RC_STR("\r\n"));
    }
}

/* How the answer is framed. Status 204 and 304 have no body and say nothing of one. */
static void set_framing(rc_exchange *x, int status, rc_http1_framing framing, uint64_t length)
{
    rc_connection *c = x->connection;
    bool is_old = x->reader.minor == 0;
    x->has_begun = true;
    x->framing = framing;
    x->left = framing == RC_HTTP1_LENGTH ? length : 0;
    if (framing == RC_HTTP1_NO_BODY)
        x->framing = RC_HTTP1_LENGTH;
    if (framing == RC_HTTP1_CHUNKED && is_old)
        x->framing = RC_HTTP1_UNTIL_CLOSE;
    if (status == 204 || status == 304)
        x->framing = RC_HTTP1_NO_BODY;
    x->is_bodiless = is_head_request(x) || x->framing == RC_HTTP1_NO_BODY;
    c->is_last = is_old || !x->reader.is_kept_alive || c->server->is_stopping || c->is_overrun ||
                 x->framing == RC_HTTP1_UNTIL_CLOSE || has_long_rest(x);
}

static void end_head(rc_exchange *x)
{
    rc_connection *c = x->connection;
    push_framing(c, x);
    if (c->is_last)
        rc_connection_push(c, RC_STR("Connection: close\r\n"));
    rc_connection_push(c, RC_STR("\r\n"));
    rc_connection_kick(c);
}

rc_status rc_exchange_begin(rc_exchange *exchange, const rc_answer *answer)
{
    rc_connection *c = exchange->connection;
    if (!is_open(exchange))
        return RC_OK; /* nobody is there any more; on_gone is on its way */
    if (exchange->has_begun || answer->status < 200 || answer->status > 599)
        return RC_E_ARGUMENT;
    for (size_t i = 0; i < answer->field_count; i++)
        if (!rc_respond_is_field(&answer->fields[i]))
            return RC_E_ARGUMENT;
    set_framing(exchange, answer->status, answer->framing, answer->length);
    rc_respond_push_status_line(c, answer->status);
    for (size_t i = 0; i < answer->field_count; i++) {
        rc_connection_push(c, answer->fields[i].name);
        rc_connection_push(c, RC_STR(": "));
        rc_connection_push(c, answer->fields[i].value);
        rc_connection_push(c, RC_STR("\r\n"));
    }
    end_head(exchange);
    return RC_OK;
}

rc_status rc_exchange_begin_raw(rc_exchange *exchange, int status, rc_str lines,
                                rc_http1_framing framing, uint64_t length)
{
    if (!is_open(exchange))
        return RC_OK;
    if (exchange->has_begun || status < 200 || status > 599)
        return RC_E_ARGUMENT;
    set_framing(exchange, status, framing, length);
    rc_connection_push(exchange->connection, lines);
    end_head(exchange);
    return RC_OK;
}

/* More than the head says would be read as the next answer; it does not leave.
 * */
static bool is_within_length(rc_exchange *x, size_t len)
{
    if (x->framing != RC_HTTP1_LENGTH || len <= x->left) {
        x->left -= x->framing == RC_HTTP1_LENGTH ? len : 0;
        return true;
    }
    x->connection->broken = RC_GONE_LENGTH;
    rc_connection_kick(x->connection);
    return false;
}

static bool is_below_mark(rc_connection *c)
{
    if (c->queued >= TURN_BYTES)
        rc_connection_flush(c);
    if (c->queued >= c->server->settings.write_high_bytes)
        c->is_above = true;
    rc_connection_kick(c);
    return !c->is_above && c->broken == RC_GONE_NONE;
}

bool rc_exchange_write(rc_exchange *exchange, rc_str bytes)
{
    rc_connection *c = exchange->connection;
    if (!is_open(exchange) || !exchange->has_begun)
        return false;
    if (exchange->is_bodiless || bytes.len == 0)
        return true;
    if (!is_within_length(exchange, bytes.len))
        return false;
    bool is_chunk = exchange->framing == RC_HTTP1_CHUNKED;
    rc_str tail = is_chunk ? RC_STR("\r\n") : RC_STR("");
    if (is_chunk)
        rc_respond_push_chunk_size(c, bytes.len);
    if (bytes.len >= SEND_BYTES) {
        rc_connection_send(c, bytes, tail);
    } else {
        rc_connection_push(c, bytes);
        rc_connection_push(c, tail);
    }
    return is_below_mark(c);
}

bool rc_exchange_write_kept(rc_exchange *exchange, rc_str bytes)
{
    rc_connection *c = exchange->connection;
    if (bytes.len < SEND_BYTES)
        return rc_exchange_write(exchange, bytes);
    if (!is_open(exchange) || !exchange->has_begun)
        return false;
    if (exchange->is_bodiless)
        return true;
    if (!is_within_length(exchange, bytes.len))
        return false;
    bool is_chunk = exchange->framing == RC_HTTP1_CHUNKED;
    if (is_chunk)
        rc_respond_push_chunk_size(c, bytes.len);
    rc_connection_push_kept(c, bytes);
    if (is_chunk)
        rc_connection_push(c, RC_STR("\r\n"));
    return is_below_mark(c);
}

void rc_exchange_end(rc_exchange *exchange)
{
    rc_connection *c = exchange->connection;
    if (!is_open(exchange))
        return;
    bool is_short = exchange->framing == RC_HTTP1_LENGTH && exchange->left > 0;
    if (!exchange->has_begun || (is_short && !exchange->is_bodiless)) {
        c->broken = RC_GONE_LENGTH;
        rc_connection_kick(c);
        return;
    }
    if (exchange->framing == RC_HTTP1_CHUNKED && !exchange->is_bodiless)
        rc_connection_push(c, RC_STR("0\r\n\r\n"));
    exchange->is_ended = true;
    rc_connection_flush(c);
    rc_connection_kick(c);
}

rc_status rc_exchange_answer(rc_exchange *exchange, int status, const rc_header *fields,
                             size_t field_count, rc_str body)
{
    const rc_answer answer = {
        .status = status,
        .fields = fields,
        .field_count = field_count,
        .framing = RC_HTTP1_LENGTH,
        .length = body.len,
    };
    rc_status result = rc_exchange_begin(exchange, &answer);
    if (result != RC_OK)
        return result;
    rc_exchange_write(exchange, body);
    rc_exchange_end(exchange);
    return RC_OK;
}

void rc_exchange_abort(rc_exchange *exchange)
{
    if (!exchange->is_told)
        return;
    exchange->is_told = false;
    exchange->is_aborted = true;
    rc_connection_kick(exchange->connection);
}

void rc_exchange_pause_body(rc_exchange *exchange)
{
    exchange->is_paused = true;
    rc_connection_kick(exchange->connection);
}

void rc_exchange_resume_body(rc_exchange *exchange)
{
    exchange->is_paused = false;
    rc_connection_kick(exchange->connection);
}

const char *rc_exchange_keep_head(rc_exchange *exchange)
{
    rc_server *server = exchange->connection->server;
    const size_t len = exchange->reader.head_bytes;
    if (exchange->head_copy == NULL && exchange->head != NULL) {
        exchange->head_copy = len <= RC_HEAD_COPY_BYTES ? rc_server_get(server, &server->free_heads)
                                                        : server->alloc.get(server->alloc.ctx, len);
        if (exchange->head_copy != NULL)
            memcpy(exchange->head_copy, exchange->head, len);
    }
    return exchange->head_copy;
}

const rc_http1 *rc_exchange_reader(const rc_exchange *exchange)
{
    return &exchange->reader;
}

const char *rc_exchange_head(const rc_exchange *exchange)
{
    return exchange->head;
}

void rc_exchange_set_owner(rc_exchange *exchange, void *owner)
{
    exchange->owner = owner;
}

void *rc_exchange_owner(const rc_exchange *exchange)
{
    return exchange->owner;
}

bool rc_exchange_has_begun(const rc_exchange *exchange)
{
    return exchange->has_begun;
}

uint64_t rc_exchange_sent_bytes(const rc_exchange *exchange)
{
    const rc_connection *c = exchange->connection;
    size_t waiting = c->in_flight > 0 ? uv_stream_get_write_queue_size(&c->uv.stream) : 0;
    return c->sent_bytes - exchange->sent_before + (c->in_flight - waiting);
}

uint64_t rc_exchange_unsent_bytes(const rc_exchange *exchange)
{
    const rc_connection *c = exchange->connection;
    uv_os_fd_t fd = -1;
    int in_kernel = 0;
    if (uv_fileno(&c->uv.handle, &fd) != 0 || ioctl(fd, SIOCOUTQ, &in_kernel) != 0)
        in_kernel = 0;
    return c->queued + (uint64_t)in_kernel;
}

bool rc_exchange_peer(const rc_exchange *exchange, char *buf, size_t size)
{
    const rc_connection *c = exchange->connection;
    if (size == 0)
        return false;
    buf[0] = '\0';
    return c->is_unix ||
           inet_ntop(c->is_v4 ? AF_INET : AF_INET6, &c->peer, buf, (socklen_t)size) != NULL;
}
