/* One connection to a provider: socket, TLS records, timer. Called by call.c, dial.c, pool.c and
 * send.c. */
#include "net/client/link.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "net/client/dial.h"
#include "net/client/pool.h"
#include "net/client/tcp_counts.h"

static void on_timer(uv_timer_t *timer);

rc_link *rc_link_new(rc_upstream *upstream)
{
    rc_link *link = rc_upstream_get(upstream, sizeof(*link));
    if (link == NULL)
        return NULL;
    memset(link, 0, sizeof(*link));
    link->upstream = upstream;
    link->tcp.data = link;
    link->timer.data = link;
    link->connect.data = link;
    /* uv_tcp_init cannot fail, because it creates no socket yet; uv_timer_init cannot fail
     * either. */
    uv_tcp_init(upstream->loop, &link->tcp);
    uv_timer_init(upstream->loop, &link->timer);
    link->handles = 2;
    upstream->handles += 2;
    return link;
}

static void on_closed(uv_handle_t *handle)
{
    rc_link *link = handle->data;
    rc_upstream *upstream = link->upstream;
    if (--link->handles == 0) {
        rc_tls_wire_done(&link->wire);
        rc_upstream_put(upstream, link, sizeof(*link));
    }
    rc_upstream_on_handle_closed(upstream);
}

void rc_link_close(rc_link *link, bool is_reset)
{
    if (link->state == RC_LINK_CLOSED)
        return;
    if (link->wire.ssl != NULL && link->state != RC_LINK_DIALING && !is_reset) {
        rc_tls_wire_end(&link->wire);
        rc_link_flush(link);
    }
    link->state = RC_LINK_CLOSED;
    link->call = NULL;
    link->dial = NULL;
    link->pool = NULL;
    if (!is_reset || uv_tcp_close_reset(&link->tcp, on_closed) != 0)
        uv_close((uv_handle_t *)&link->tcp, on_closed);
    uv_close((uv_handle_t *)&link->timer, on_closed);
}

static void on_alloc(uv_handle_t *handle, size_t size, uv_buf_t *ret_buf)
{
    const rc_link *link = handle->data;
    (void)size;
    *ret_buf = uv_buf_init(link->upstream->read, (unsigned)sizeof(link->upstream->read));
}

/* Returns the kind of a failure that occurs after the handshake. A TLS 1.3 server reports a missing
 * client certificate only after the handshake. */
static rc_upstream_kind kind_after_handshake(rc_upstream_kind kind)
{
    return kind == RC_UPSTREAM_TLS_CLIENT_CERTIFICATE || kind == RC_UPSTREAM_TLS_ALERT
               ? kind
               : RC_UPSTREAM_TLS_BROKEN;
}

void rc_link_read_tls(rc_link *link)
{
    char *plain = link->upstream->plain;
    rc_tls_event event = RC_TLS_DONE;
    rc_upstream_call *call = link->call;
    rc_upstream_kind kind = RC_UPSTREAM_TLS_BROKEN;
    const char *text = NULL;
    size_t len = 0;
    while (event == RC_TLS_DONE) {
        event = rc_tls_wire_read(&link->wire, plain, RC_TLS_PLAIN_BYTES, &len, &kind, &text);
        if (event == RC_TLS_DONE && link->state == RC_LINK_IDLE) {
            rc_pool_discard(link);
            return;
        }
        if (event == RC_TLS_DONE)
            rc_upstream_on_bytes(call, rc_str_make(plain, len));
        if (link->state == RC_LINK_CLOSED)
            return;
    }
    /* OpenSSL may have written a reply into the sink, for example to a key update. */
    if (link->upstream->sink->len > 0)
        rc_link_flush(link);
    if (link->state == RC_LINK_IDLE && event != RC_TLS_MORE)
        rc_pool_discard(link);
    else if (link->state == RC_LINK_BUSY && event == RC_TLS_MORE)
        rc_upstream_on_settled(call);
    else if (link->state == RC_LINK_BUSY && event == RC_TLS_CLOSED)
        rc_upstream_on_peer_end(call, true);
    else if (link->state == RC_LINK_BUSY)
        rc_upstream_fail(call, kind_after_handshake(kind), text);
}

static void on_bytes(rc_link *link, rc_str bytes)
{
    link->wire.input = bytes;
    if (link->state == RC_LINK_DIALING)
        rc_dial_on_bytes(link);
    else if (link->wire.ssl != NULL)
        rc_link_read_tls(link);
    else if (link->state == RC_LINK_IDLE)
        rc_pool_discard(link);
    else {
        rc_upstream_on_bytes(link->call, bytes);
        if (link->state == RC_LINK_BUSY)
            rc_upstream_on_settled(link->call);
    }
    link->wire.input = rc_str_make(NULL, 0);
}

static void on_end(rc_link *link, bool is_reset)
{
    if (link->state == RC_LINK_DIALING)
        rc_dial_on_end(link, is_reset);
    else if (link->state == RC_LINK_IDLE)
        rc_pool_discard(link);
    else if (is_reset)
        rc_upstream_on_lost(link->call, RC_UPSTREAM_RESET);
    else
        rc_upstream_on_peer_end(link->call, link->wire.ssl == NULL);
}

/* Returns whether the socket has an error. If a reset follows the last bytes, libuv reports only
 * the end of the connection; SO_ERROR has the reset. Without this check a body that ends with the
 * connection would look complete. */
static bool has_error(const rc_link *link)
{
    int error = 0;
    socklen_t size = sizeof(error);
    uv_os_fd_t fd = -1;
    return uv_fileno((const uv_handle_t *)&link->tcp, &fd) != 0 ||
           getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0;
}

static void on_read(uv_stream_t *stream, ssize_t len, const uv_buf_t *buf)
{
    rc_link *link = stream->data;
    if (len == 0 || link->state == RC_LINK_CLOSED)
        return;
    if (len < 0) {
        on_end(link, len != UV_EOF || link->is_reset || has_error(link));
        return;
    }
    link->read_bytes += (uint64_t)len;
    on_bytes(link, rc_str_make(buf->base, (size_t)len));
}

bool rc_link_start_reading(rc_link *link)
{
    if (!link->is_reading)
        link->is_reading = uv_read_start((uv_stream_t *)&link->tcp, on_alloc, on_read) == 0;
    return link->is_reading;
}

void rc_link_stop_reading(rc_link *link)
{
    if (link->is_reading)
        uv_read_stop((uv_stream_t *)&link->tcp);
    link->is_reading = false;
}

/* A write in libuv's queue. Bytes that were copied follow the struct in memory. */
typedef struct pending {
    uv_write_t request;
    size_t size;
    char bytes[];
} pending;

static void on_write(uv_write_t *request, int status)
{
    pending *write = (pending *)request;
    rc_link *link = request->handle->data;
    rc_upstream_put(link->upstream, write, write->size);
    link->writes--;
    if (status == 0)
        link->has_written = true;
    else
        link->is_reset = true;
    if (link->writes == 0)
        link->queued_bytes = 0;
    if (link->state == RC_LINK_BUSY)
        rc_upstream_on_written(link->call, status == 0);
}

/* Queues `bufs`: the bytes that the kernel did not accept. */
static rc_upstream_kind queue(rc_link *link, uv_buf_t *bufs, size_t count, bool is_copied)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++)
        len += bufs[i].len;
    size_t size = sizeof(pending) + (is_copied ? len : 0);
    pending *write = rc_upstream_get(link->upstream, size);
    if (write == NULL)
        return RC_UPSTREAM_NO_MEMORY;
    write->size = size;
    if (is_copied) {
        size_t at = 0;
        for (size_t i = 0; i < count; at += bufs[i++].len)
            memcpy(write->bytes + at, bufs[i].base, bufs[i].len);
        bufs[0] = uv_buf_init(write->bytes, (unsigned)len);
        count = 1;
    }
    if (uv_write(&write->request, (uv_stream_t *)&link->tcp, bufs, (unsigned)count, on_write) !=
        0) {
        rc_upstream_put(link->upstream, write, size);
        return RC_UPSTREAM_RESET;
    }
    link->writes++;
    link->queued_bytes += len;
    link->given_bytes += len;
    return RC_UPSTREAM_NONE;
}

/* Sends the bytes at once if no write is queued, and queues those that the kernel does not
 * accept. */
static rc_upstream_kind send_bufs(rc_link *link, uv_buf_t *bufs, size_t count, bool is_copied)
{
    int sent = 0;
    if (link->writes == 0 && !(link->is_queueing && is_copied))
        sent = uv_try_write((uv_stream_t *)&link->tcp, bufs, (unsigned)count);
    if (sent < 0 && sent != UV_EAGAIN) {
        link->is_reset = true;
        return RC_UPSTREAM_RESET;
    }
    if (sent > 0)
        link->has_written = true;
    size_t left = sent > 0 ? (size_t)sent : 0;
    link->given_bytes += left;
    while (count > 0 && left >= bufs->len) {
        left -= bufs->len;
        bufs++;
        count--;
    }
    if (count == 0)
        return RC_UPSTREAM_NONE;
    bufs->base += left;
    bufs->len -= left;
    return queue(link, bufs, count, is_copied);
}

rc_upstream_kind rc_link_flush(rc_link *link)
{
    rc_tls_sink *sink = link->upstream->sink;
    uv_buf_t buf = uv_buf_init(sink->bytes, (unsigned)sink->len);
    if (sink->len == 0)
        return RC_UPSTREAM_NONE;
    sink->len = 0;
    return send_bufs(link, &buf, 1, true);
}

/* Returns the plain text of the next TLS record: a view of one piece, or a copy of several pieces
 * in sink->record. Copying costs less than an extra record. */
static rc_str next_record(rc_tls_sink *sink, const rc_str *pieces, size_t count, size_t at)
{
    size_t len = 0;
    for (size_t i = 0; i < count; i++) {
        if (at >= pieces[i].len) {
            at -= pieces[i].len;
            continue;
        }
        rc_str piece = rc_str_make(pieces[i].ptr + at, pieces[i].len - at);
        if (len == 0 && (piece.len >= RC_TLS_PLAIN_BYTES || i + 1 == count))
            return piece;
        size_t space = RC_TLS_PLAIN_BYTES - len;
        size_t part = piece.len < space ? piece.len : space;
        memcpy(sink->record + len, piece.ptr, part);
        len += part;
        at = 0;
    }
    return rc_str_make(sink->record, len);
}

static rc_upstream_kind send_tls(rc_link *link, const rc_str *pieces, size_t count,
                                 size_t *ret_taken)
{
    rc_tls_sink *sink = link->upstream->sink;
    rc_upstream_kind kind = RC_UPSTREAM_NONE;
    size_t taken = 0;
    while (kind == RC_UPSTREAM_NONE && link->writes == 0) {
        rc_str record = next_record(sink, pieces, count, taken);
        if (record.len == 0)
            break;
        size_t used = rc_tls_wire_write(&link->wire, record);
        if (used == 0)
            return RC_UPSTREAM_RESET;
        taken += used;
        if (!rc_tls_sink_has_space(sink))
            kind = rc_link_flush(link);
    }
    if (kind == RC_UPSTREAM_NONE)
        kind = rc_link_flush(link);
    *ret_taken = taken;
    return kind;
}

rc_upstream_kind rc_link_send(rc_link *link, const rc_str *pieces, size_t count, bool is_copied,
                              size_t *ret_taken)
{
    uv_buf_t bufs[RC_UPSTREAM_VIEWS];
    size_t len = 0;
    if (link->wire.ssl != NULL)
        return send_tls(link, pieces, count, ret_taken);
    for (size_t i = 0; i < count; i++) {
        /* The cast drops const: libuv only reads the bytes. */
        bufs[i].base = (char *)(uintptr_t)pieces[i].ptr;
        bufs[i].len = pieces[i].len;
        len += pieces[i].len;
    }
    rc_upstream_kind kind = send_bufs(link, bufs, count, is_copied);
    if (kind == RC_UPSTREAM_NONE)
        *ret_taken = len;
    return kind;
}

void rc_link_set_deadline(rc_link *link, uint64_t at_ms)
{
    link->deadline_ms = at_ms;
    link->is_final_poll = false;
    if (at_ms == 0 || (link->armed_ms != 0 && link->armed_ms <= at_ms))
        return;
    uint64_t now_ms = uv_now(link->upstream->loop);
    link->armed_ms = at_ms;
    uv_timer_start(&link->timer, on_timer, at_ms > now_ms ? at_ms - now_ms : 0, 0);
}

static void on_timer(uv_timer_t *timer)
{
    rc_link *link = timer->data;
    link->armed_ms = 0;
    if (link->state == RC_LINK_CLOSED || link->deadline_ms == 0)
        return;
    uint64_t now_ms = uv_now(link->upstream->loop);
    if (now_ms < link->deadline_ms) {
        rc_link_set_deadline(link, link->deadline_ms);
        return;
    }
    /* libuv runs timers before it polls sockets. If the process was paused, the input that waits in
     * the socket must be read before the connection counts as timed out. */
    if (!link->is_final_poll) {
        link->is_final_poll = true;
        link->armed_ms = now_ms + 1;
        uv_timer_start(timer, on_timer, 1, 0);
        return;
    }
    if (link->state == RC_LINK_BUSY)
        rc_upstream_on_timer(link->call);
    else if (link->state == RC_LINK_IDLE)
        rc_pool_discard(link);
}

bool rc_link_is_stale(const rc_link *link)
{
    char byte = 0;
    uv_os_fd_t fd = -1;
    if (uv_fileno((const uv_handle_t *)&link->tcp, &fd) != 0)
        return true;
    ssize_t len = recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    if (len < 0)
        return errno != EAGAIN && errno != EINTR;
    /* The connection has unread bytes and counts as stale. With TLS these bytes may be a harmless
     * session ticket, but this function cannot distinguish a ticket from a close_notify. */
    return true;
}

/* The server's FIN is required, because it acknowledges all data that arrived before it. A reset
 * does not show how much data the server has read. */
bool rc_link_is_unreached(const rc_link *link, bool has_ended)
{
    rc_tcp_counts counts;
    uv_os_fd_t fd = -1;
    return uv_fileno((const uv_handle_t *)&link->tcp, &fd) == 0 &&
           rc_tcp_count(fd, link->read_bytes, &counts) && (has_ended || counts.has_end) &&
           counts.acked <= link->first_byte;
}
