/* Client connections: reading, deadlines, eviction and closing. Called by the other files of
 * net/server and by libuv. */
#define _GNU_SOURCE
#include "net/server/connection.h"

#include <errno.h>
#include <string.h>

#include <arpa/inet.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#define STASH_FIRST 2048u
/* Maximum number of connections that one eviction checks: of the keep-alive connections, which are
 * checked from the longest idle one on, and of the connections without a complete head. */
#define EVICT_CHECKED_MAX 4
#define EVICT_HEADS_CHECKED_MAX 64
/* Interval of the check whether the client has disconnected, while the stash (unread input) is
 * full. */
#define PEER_CHECK_MS 1000
/* A client that has sent more than this many bytes of further requests (pipelining) before its
 * response is complete is disconnected. */
#define OVERRUN_BYTES (16u << 20)

static void on_closed(uv_handle_t *handle)
{
    rc_connection *c = handle->data;
    rc_server *server = c->server;
    rc_server_put(server, &server->free_connections, c);
    rc_server_handle_closed(server);
}

void rc_connection_release_responder(rc_connection *c)
{
    rc_responder *responder = c->responder;
    if (responder == NULL)
        return;
    rc_server *server = c->server;
    if (responder->head_copy != NULL && responder->reader.head_bytes <= RC_HEAD_COPY_BYTES)
        rc_server_put(server, &server->free_heads, responder->head_copy);
    else if (responder->head_copy != NULL)
        server->alloc.put(server->alloc.ctx, responder->head_copy, responder->reader.head_bytes);
    if (responder->table != NULL)
        server->alloc.put(server->alloc.ctx, responder->table, sizeof *responder->table);
    rc_server_put(server, &server->free_responders, responder);
    c->responder = NULL;
}

static void free_stash(rc_connection *c)
{
    if (c->stash != NULL)
        c->server->alloc.put(c->server->alloc.ctx, c->stash, c->stash_size);
    c->stash = NULL;
    c->stash_len = 0;
    c->stash_size = 0;
}

/* Frees the connection's memory, including the bytes of a pending write, because libuv does not
 * access them after uv_close. */
void rc_connection_close(rc_connection *c, bool is_reset)
{
    rc_server *server = c->server;
    if (c->stage == RC_STAGE_CLOSED)
        return;
    c->stage = RC_STAGE_CLOSED;
    rc_list_node_leave(&c->wait);
    rc_list_node_leave(&c->kick);
    rc_list_node_leave(&c->all);
    if (!is_reset || c->is_unix || uv_tcp_close_reset(&c->uv.tcp, on_closed) != 0)
        uv_close(&c->uv.handle, on_closed);
    rc_connection_release_responder(c);
    rc_connection_drop_output(c);
    free_stash(c);
    server->stats.connections--;
    if (server->is_full)
        rc_listen_resume(server);
}

void rc_connection_fail(rc_connection *c, rc_disconnect_reason why)
{
    rc_responder *responder = c->responder;
    bool was_with_handler = responder != NULL && responder->is_with_handler;
    bool is_cut = responder != NULL && responder->has_begun;
    if (was_with_handler) {
        const rc_disconnect gone = {.why = why, .text = rc_disconnect_text(why)};
        responder->is_with_handler = false;
        c->server->handler->on_disconnect(c->server->ctx, responder, &gone);
    }
    rc_connection_close(c, is_cut && why != RC_DISCONNECT_CLIENT);
}

/* Returns whether the socket has no unread input. */
static bool has_no_unread_input(const rc_connection *c)
{
    uv_os_fd_t fd = -1;
    char byte;
    return uv_fileno(&c->uv.handle, &fd) == 0 && recv(fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) <= 0;
}

bool rc_connection_is_quiet(const rc_connection *c)
{
    return c->stash_len == 0 && has_no_unread_input(c);
}

static bool is_past_silent_ms(const rc_connection *c)
{
    return uv_now(c->server->loop) - c->deadline_set_at_ms >= c->server->settings.silent_ms;
}

static bool is_silent(const rc_connection *c)
{
    return c->stage == RC_STAGE_IDLE && is_past_silent_ms(c) && rc_connection_is_quiet(c);
}

static bool is_slow(const rc_connection *c)
{
    return is_past_silent_ms(c) && has_no_unread_input(c);
}

static bool is_lingering(const rc_connection *c)
{
    return c->stage == RC_STAGE_LINGER;
}

/* Returns the connection that has waited longest among the first max_checked connections of `list`
 * for which may_go returns true. Returns NULL if may_go returns false for all of them. */
static rc_connection *find_longest_waiting(const rc_list_node *list,
                                           bool (*may_go)(const rc_connection *c),
                                           uint32_t max_checked)
{
    const rc_list_node *node = list->next;
    for (uint32_t i = 0; i < max_checked && node != list; i++, node = node->next) {
        rc_connection *c = RC_LIST_NODE_OWNER(node, rc_connection, wait);
        if (may_go(c))
            return c;
    }
    return NULL;
}

bool rc_connection_evict(rc_server *server)
{
    const rc_list_node *heads = &server->waiting[RC_DEADLINE_HEAD];
    rc_connection *c = find_longest_waiting(&server->waiting[RC_DEADLINE_KEEP_ALIVE],
                                            rc_connection_is_quiet, EVICT_CHECKED_MAX);
    if (c == NULL)
        c = find_longest_waiting(heads, is_silent, EVICT_HEADS_CHECKED_MAX);
    /* A lingering connection has sent its whole response. If a lingering connection is closed
     * early, the client may only miss the end of the response. Connections in stage DISCARD are in
     * the same list but are not evicted, because their clients may send another request. */
    if (c == NULL)
        c = find_longest_waiting(&server->waiting[RC_DEADLINE_LINGER], is_lingering, UINT32_MAX);
    if (c == NULL)
        c = find_longest_waiting(heads, is_slow, EVICT_HEADS_CHECKED_MAX);
    if (c == NULL)
        return false;
    rc_connection_close(c, false);
    server->stats.evicted++;
    return true;
}

uint64_t rc_connection_evictable_in_ms(const rc_server *server)
{
    const rc_list_node *heads = &server->waiting[RC_DEADLINE_HEAD];
    if (rc_list_node_is_alone(heads))
        return UINT64_MAX;
    const rc_connection *c = RC_LIST_NODE_OWNER(heads->next, rc_connection, wait);
    const uint64_t waited_ms = uv_now(server->loop) - c->deadline_set_at_ms;
    return waited_ms < server->settings.silent_ms ? server->settings.silent_ms - waited_ms : 1;
}

/* Returns the maximum size of the stash, which is large enough for any head that the settings
 * allow. */
static uint32_t stash_limit(const rc_server_settings *settings)
{
    return settings->limits.head_bytes > settings->read_bytes ? settings->limits.head_bytes
                                                              : settings->read_bytes;
}

/* Returns RC_DEADLINE_PEER_CHECK if the stash is full. The socket is then not read, so a disconnect
 * is detected only by check_peer. */
static rc_deadline_kind peer_check_if_full(const rc_connection *c)
{
    return c->stash_len >= stash_limit(&c->server->settings) ? RC_DEADLINE_PEER_CHECK
                                                             : RC_DEADLINE_NONE;
}

/* Returns the kind of the deadline that applies now. RC_DEADLINE_HEAD and RC_DEADLINE_LINGER cover
 * the whole stage; the other deadlines restart when bytes are read or written. */
static rc_deadline_kind deadline_kind_of(const rc_connection *c)
{
    if (c->queued > 0)
        return RC_DEADLINE_WRITE;
    switch (c->stage) {
    case RC_STAGE_IDLE:
        return c->is_used ? RC_DEADLINE_KEEP_ALIVE : RC_DEADLINE_HEAD;
    case RC_STAGE_HEAD:
        return RC_DEADLINE_HEAD;
    case RC_STAGE_BODY:
        return c->responder->is_paused ? peer_check_if_full(c) : RC_DEADLINE_BODY;
    case RC_STAGE_DISCARD:
    case RC_STAGE_LINGER:
        return RC_DEADLINE_LINGER;
    case RC_STAGE_WAIT:
        return peer_check_if_full(c);
    case RC_STAGE_FLUSH:
    case RC_STAGE_CLOSED:
        break;
    }
    return RC_DEADLINE_NONE;
}

static uint32_t limit_ms(const rc_server_settings *settings, rc_deadline_kind kind)
{
    switch (kind) {
    case RC_DEADLINE_HEAD:
        return settings->head_ms;
    case RC_DEADLINE_KEEP_ALIVE:
        return settings->keep_alive_ms;
    case RC_DEADLINE_BODY:
        return settings->body_idle_ms;
    case RC_DEADLINE_WRITE:
        return settings->write_idle_ms;
    case RC_DEADLINE_LINGER:
        return settings->linger_ms;
    case RC_DEADLINE_PEER_CHECK:
        return PEER_CHECK_MS;
    case RC_DEADLINE_NONE:
        break;
    }
    return 0;
}

static void set_deadline(rc_connection *c)
{
    rc_deadline_kind kind = deadline_kind_of(c);
    bool is_for_all =
        kind == RC_DEADLINE_HEAD || kind == RC_DEADLINE_LINGER || kind == RC_DEADLINE_WRITE;
    if (kind == c->deadline_kind && (is_for_all || !c->has_moved))
        return;
    rc_server *server = c->server;
    uint32_t ms = limit_ms(&server->settings, kind);
    rc_list_node_leave(&c->wait);
    c->deadline_kind = kind;
    c->has_moved = false;
    if (kind == RC_DEADLINE_NONE)
        return;
    if (kind == RC_DEADLINE_WRITE)
        c->stalled_left = uv_stream_get_write_queue_size(&c->uv.stream);
    /* A connection without a time limit is also in the list of its deadline kind, because eviction
     * searches these lists. */
    c->deadline_set_at_ms = uv_now(server->loop);
    c->deadline_ms = ms > 0 ? c->deadline_set_at_ms + ms : UINT64_MAX;
    rc_list_node_join_last(&server->waiting[kind], &c->wait);
    rc_server_arm(server, c->deadline_ms);
}

static bool stash(rc_connection *c, rc_str bytes)
{
    const rc_alloc *alloc = &c->server->alloc;
    size_t need = c->stash_len + bytes.len;
    if (need > c->stash_size) {
        size_t size = c->stash_size > 0 ? c->stash_size : STASH_FIRST;
        while (size < need)
            size *= 2;
        char *grown = alloc->get(alloc->ctx, size);
        if (grown == NULL)
            return false;
        if (c->stash_len > 0)
            memcpy(grown, c->stash, c->stash_len);
        uint32_t len = c->stash_len;
        free_stash(c);
        c->stash = grown;
        c->stash_len = len;
        c->stash_size = (uint32_t)size;
    }
    memcpy(c->stash + c->stash_len, bytes.ptr, bytes.len);
    c->stash_len += (uint32_t)bytes.len;
    return true;
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *ret_buf)
{
    const rc_connection *c = handle->data;
    const rc_server *server = c->server;
    uint32_t space = stash_limit(&server->settings) - c->stash_len;
    uint32_t size = server->settings.read_bytes;
    (void)suggested;
    *ret_buf = uv_buf_init(server->read_buffer, space < size ? space : size);
}

static void on_read(uv_stream_t *stream, ssize_t got, const uv_buf_t *buf);

/* Starts or stops reading. Reading continues while the handler makes the response, so that a
 * disconnect is noticed. */
static void set_reading(rc_connection *c)
{
    bool wants = !c->has_eof && c->stash_len < stash_limit(&c->server->settings);
    if (wants == c->is_reading)
        return;
    c->is_reading = wants;
    if (wants)
        uv_read_start(&c->uv.stream, on_alloc, on_read);
    else
        uv_read_stop(&c->uv.stream);
}

static void run_stash(rc_connection *c)
{
    rc_str input = c->stash_len > 0 ? rc_str_make(c->stash, c->stash_len) : RC_STR("");
    rc_connection_run(c, &input);
    if (c->stage == RC_STAGE_CLOSED)
        return;
    if (input.len == 0)
        free_stash(c);
    else if (input.len < c->stash_len)
        memmove(c->stash, input.ptr, input.len);
    c->stash_len = (uint32_t)input.len;
}

static void notify_drained(rc_connection *c)
{
    rc_responder *responder = c->responder;
    if (!c->is_write_stopped || c->queued > c->server->settings.write_low_bytes)
        return;
    c->is_write_stopped = false;
    if (responder != NULL && responder->is_with_handler && !responder->is_ended &&
        c->server->handler->on_drained != NULL)
        c->server->handler->on_drained(c->server->ctx, responder);
}

/* Runs after each read, write or handler call: sends queued output, closes a failed connection, and
 * updates reading and the deadline. */
static void settle_io(rc_connection *c)
{
    if (c->stage == RC_STAGE_CLOSED)
        return;
    rc_connection_flush(c);
    if (c->close_reason != RC_DISCONNECT_NONE) {
        rc_connection_fail(c, c->close_reason);
        return;
    }
    notify_drained(c);
    set_reading(c);
    set_deadline(c);
}

void rc_connection_settle(rc_connection *c)
{
    if (c->stage == RC_STAGE_CLOSED)
        return;
    rc_connection_flush(c);
    run_stash(c);
    settle_io(c);
}

void rc_connection_kick(rc_connection *c)
{
    if (!c->is_running && rc_list_node_is_alone(&c->kick))
        rc_list_node_join_last(&c->server->kicked, &c->kick);
}

/* Handles the end of the client's input. A complete response is still sent, because the client may
 * have shut down only its sending side; an unfinished response is dropped. */
static void on_eof(rc_connection *c, bool is_clean)
{
    const rc_responder *responder = c->responder;
    c->is_reading = false;
    uv_read_stop(&c->uv.stream);
    bool is_leaving = c->stage == RC_STAGE_FLUSH ||
                      (c->stage == RC_STAGE_WAIT && responder->is_ended && c->queued > 0);
    if (!is_clean || !is_leaving) {
        rc_connection_fail(c, RC_DISCONNECT_CLIENT);
        return;
    }
    c->is_last = true;
    c->has_eof = true;
}

static const rc_refusal too_slow = {.status = 408, .text = "the request did not arrive in time"};

/* Adds the time since the body deadline was set to body_wait_ms. The time in which the handler has
 * paused the body does not count. A pause of the whole process counts at most as body_idle_ms,
 * because the client's bytes may already have been in the socket. */
static void count_body_wait(rc_connection *c)
{
    const uint32_t idle_ms = c->server->settings.body_idle_ms;
    if (c->deadline_kind != RC_DEADLINE_BODY || idle_ms == 0 || c->stage != RC_STAGE_BODY)
        return;
    const uint64_t waited_ms = uv_now(c->server->loop) - (c->deadline_ms - idle_ms);
    c->responder->body_wait_ms += waited_ms < idle_ms ? waited_ms : idle_ms;
}

/* Returns whether the request's body arrives too slowly on average. The idle deadline alone would
 * let a client send single bytes for ever. */
static bool is_trickle(const rc_connection *c)
{
    const rc_responder *responder = c->responder;
    const uint32_t idle_ms = c->server->settings.body_idle_ms;
    return c->stage == RC_STAGE_BODY && c->close_reason == RC_DISCONNECT_NONE && idle_ms > 0 &&
           !responder->is_paused && !responder->is_ended && rc_list_node_is_alone(&c->kick) &&
           responder->body_wait_ms > idle_ms + responder->body_bytes * RC_BODY_BYTE_MS;
}

/* Checks whether the client has disconnected, while the stash is full. The client's FIN follows the
 * bytes that the client has sent. In stage WAIT the stashed bytes are later requests that were not
 * started. These requests are dropped so that reading can reach the FIN, and the current response
 * is the last one of the connection. In the other stages the stash contains a request body, which
 * cannot be dropped; poll(2) then reports the FIN. */
static void check_peer(rc_connection *c)
{
    uv_os_fd_t fd = -1;
    if (c->stage == RC_STAGE_WAIT) {
        c->is_overrun = true;
        c->is_last = true;
        c->discarded_bytes = c->stash_len;
        free_stash(c);
        return;
    }
    if (uv_fileno(&c->uv.handle, &fd) != 0)
        return;
    struct pollfd polled = {.fd = fd, .events = POLLRDHUP};
    if (poll(&polled, 1, 0) > 0)
        rc_connection_fail(c, RC_DISCONNECT_CLIENT);
}

static void drop_overrun(rc_connection *c, size_t len)
{
    c->discarded_bytes += len;
    if (c->discarded_bytes > OVERRUN_BYTES)
        rc_connection_fail(c, RC_DISCONNECT_CLIENT);
}

static void on_read(uv_stream_t *stream, ssize_t got, const uv_buf_t *buf)
{
    rc_connection *c = stream->data;
    if (got == 0)
        return;
    if (got < 0) {
        on_eof(c, got == UV_EOF);
        return;
    }
    if (c->is_overrun && c->stage == RC_STAGE_WAIT) {
        drop_overrun(c, (size_t)got);
        return;
    }
    count_body_wait(c);
    c->has_moved = true;
    rc_str input = rc_str_make(buf->base, (size_t)got);
    bool is_stashed = true;
    if (c->stash_len == 0) {
        rc_connection_run(c, &input);
        if (c->stage != RC_STAGE_CLOSED && input.len > 0)
            is_stashed = stash(c, input);
    } else {
        is_stashed = stash(c, input);
        run_stash(c);
    }
    if (!is_stashed) {
        rc_connection_fail(c, RC_DISCONNECT_MEMORY);
        return;
    }
    if (is_trickle(c))
        rc_connection_refuse(c, RC_DISCONNECT_BODY_TIMEOUT, &too_slow);
    settle_io(c);
}

void rc_connection_expire(rc_connection *c, rc_deadline_kind kind)
{
    /* A connection on the kicked list is settled in this iteration of the loop; settling sets the
     * next deadline. */
    if (!rc_list_node_is_alone(&c->kick))
        return;
    if (kind == RC_DEADLINE_HEAD && c->stage == RC_STAGE_HEAD) {
        c->responder->head = c->stash;
        rc_connection_refuse(c, RC_DISCONNECT_NONE, &too_slow);
    } else if (kind == RC_DEADLINE_BODY)
        rc_connection_refuse(c, RC_DISCONNECT_BODY_TIMEOUT, &too_slow);
    else if (kind == RC_DEADLINE_WRITE &&
             uv_stream_get_write_queue_size(&c->uv.stream) == c->stalled_left)
        rc_connection_fail(c, RC_DISCONNECT_WRITE_TIMEOUT);
    else if (kind == RC_DEADLINE_PEER_CHECK)
        check_peer(c);
    else if (kind == RC_DEADLINE_LINGER || (c->stage == RC_STAGE_IDLE && rc_connection_is_quiet(c)))
        rc_connection_close(c, false);
    rc_connection_settle(c);
}

static int open_stream(rc_connection *c, int fd, const struct sockaddr_storage *peer)
{
    uv_loop_t *loop = c->server->loop;
    c->is_unix = peer->ss_family == AF_UNIX;
    if (c->is_unix) {
        uv_pipe_init(loop, &c->uv.pipe, 0);
        c->uv.handle.data = c;
        return uv_pipe_open(&c->uv.pipe, fd);
    }
    c->is_v4 = peer->ss_family == AF_INET;
    if (c->is_v4)
        memcpy(&c->peer, &((const struct sockaddr_in *)(const void *)peer)->sin_addr, 4);
    else
        c->peer = ((const struct sockaddr_in6 *)(const void *)peer)->sin6_addr;
    uv_tcp_init(loop, &c->uv.tcp);
    c->uv.handle.data = c;
    int error = uv_tcp_open(&c->uv.tcp, fd);
    if (error == 0)
        uv_tcp_nodelay(&c->uv.tcp, 1);
    return error;
}

bool rc_connection_open(rc_server *server, int fd, const struct sockaddr_storage *peer)
{
    rc_connection *c = rc_server_get(server, &server->free_connections);
    if (c == NULL) {
        (void)close(fd);
        return false;
    }
    memset(c, 0, sizeof(*c));
    c->server = server;
    c->deadline_kind = RC_DEADLINE_NONE;
    rc_list_node_init(&c->kick);
    rc_list_node_init(&c->wait);
    rc_list_node_join_last(&server->connections, &c->all);
    server->handles++;
    server->stats.connections++;
    if (open_stream(c, fd, peer) != 0) {
        (void)close(fd);
        rc_connection_close(c, false);
        return true;
    }
    set_reading(c);
    set_deadline(c);
    return true;
}
