/* The output queue of a connection, and writing it to the socket. Called by connection.c,
 * connection_run.c, response_head.c and responder.c. */
#include <string.h>

#include "net/server/connection.h"

#define SPANS_MAX 32

/* Number of blocks in use from which on output does not wait for the end of the loop's turn. */
#define WAITING_BLOCKS_MAX 64u

/* Sends the queued output of the connection that was kicked first, and moves the connection to the
 * list `sent`. Without this, a turn of the loop in which thousands of connections have output would
 * need a block for each of them. */
static void send_oldest(rc_server *server)
{
    if (rc_list_node_is_alone(&server->kicked))
        return;
    rc_connection *oldest = RC_LIST_NODE_OWNER(server->kicked.next, rc_connection, kick);
    rc_list_node_leave(&oldest->kick);
    rc_list_node_join_last(&server->sent, &oldest->kick);
    rc_connection_send_queued(oldest);
}

static rc_block *get_block(rc_connection *c)
{
    rc_server *server = c->server;
    if (server->used_blocks >= WAITING_BLOCKS_MAX)
        send_oldest(server);
    if (!rc_list_node_is_alone(&c->kick)) {
        /* The connection may be in the list `sent`, but has output again. */
        rc_list_node_leave(&c->kick);
        rc_list_node_join_last(&server->kicked, &c->kick);
    }
    rc_block *block = rc_server_get(server, &server->free_blocks);
    server->used_blocks += block != NULL;
    return block;
}

static rc_block *add_block(rc_connection *c, size_t size)
{
    rc_server *server = c->server;
    rc_block *block = size == RC_BLOCK_BYTES
                          ? get_block(c)
                          : server->alloc.get(server->alloc.ctx, sizeof(rc_block) + size);
    if (block == NULL) {
        c->close_reason = RC_DISCONNECT_MEMORY;
        return NULL;
    }
    block->next = NULL;
    block->data = block->bytes;
    block->at = 0;
    block->len = 0;
    block->size = size;
    block->space = size;
    if (c->last != NULL)
        c->last->next = block;
    else
        c->first = block;
    c->last = block;
    return block;
}

static void drop_first(rc_connection *c)
{
    rc_server *server = c->server;
    rc_block *block = c->first;
    c->first = block->next;
    if (c->first == NULL)
        c->last = NULL;
    if (block->size == RC_BLOCK_BYTES) {
        server->used_blocks--;
        rc_server_put(server, &server->free_blocks, block);
    } else {
        server->alloc.put(server->alloc.ctx, block, sizeof(rc_block) + block->size);
    }
}

void rc_connection_drop_output(rc_connection *c)
{
    while (c->first != NULL)
        drop_first(c);
    c->queued = 0;
    c->in_flight = 0;
}

static void count(rc_connection *c, size_t len)
{
    c->queued += len;
    if (c->queued > c->server->settings.write_max_bytes && c->close_reason == RC_DISCONNECT_NONE)
        c->close_reason = RC_DISCONNECT_OVERFLOW;
}

void rc_connection_push_more(rc_connection *c, rc_str bytes)
{
    size_t part = c->last != NULL ? c->last->space : 0;
    if (c->close_reason != RC_DISCONNECT_NONE)
        return;
    /* The last block is filled first. For the remaining bytes a block of their size is
     * allocated. */
    if (part > 0)
        rc_connection_push(c, rc_str_make(bytes.ptr, part));
    size_t rest = bytes.len - part;
    rc_block *block = add_block(c, rest > RC_BLOCK_BYTES ? rest : RC_BLOCK_BYTES);
    if (block == NULL)
        return;
    memcpy(block->bytes, bytes.ptr + part, rest);
    block->len = rest;
    block->space -= rest;
    count(c, rest);
}

void rc_connection_push_borrowed(rc_connection *c, rc_str bytes)
{
    if (bytes.len == 0 || c->close_reason != RC_DISCONNECT_NONE)
        return;
    rc_block *block = add_block(c, 0);
    if (block == NULL)
        return;
    block->data = bytes.ptr;
    block->len = bytes.len;
    count(c, bytes.len);
}

static unsigned gather(const rc_connection *c, uv_buf_t *spans, size_t *ret_len)
{
    unsigned spans_used = 0;
    *ret_len = 0;
    for (const rc_block *b = c->first; b != NULL && spans_used < SPANS_MAX; b = b->next) {
        size_t len = b->len - b->at;
        /* The cast drops const: libuv only reads the bytes. */
        spans[spans_used++] = (uv_buf_t){.base = (char *)(uintptr_t)(b->data + b->at), .len = len};
        *ret_len += len;
    }
    return spans_used;
}

static void take_sent(rc_connection *c, size_t sent)
{
    c->queued -= sent;
    c->sent_bytes += sent;
    while (sent > 0) {
        rc_block *block = c->first;
        size_t part = block->len - block->at;
        if (part > sent) {
            block->at += sent;
            return;
        }
        sent -= part;
        drop_first(c);
    }
}

static void on_written(uv_write_t *request, int status)
{
    rc_connection *c = request->data;
    if (c->stage == RC_STAGE_CLOSED)
        return;
    size_t sent = c->in_flight;
    c->in_flight = 0;
    /* The client has accepted bytes, so the write deadline restarts. */
    rc_list_node_leave(&c->wait);
    c->deadline_kind = RC_DEADLINE_NONE;
    if (status == 0)
        take_sent(c, sent);
    else
        c->close_reason = RC_DISCONNECT_CLIENT;
    rc_connection_settle(c);
}

/* Passes the output to libuv, which sends it when the socket is writable. */
static void wait_for_writable(rc_connection *c)
{
    uv_buf_t spans[SPANS_MAX];
    size_t len;
    unsigned count_of_spans = gather(c, spans, &len);
    c->request.write.data = c;
    if (uv_write(&c->request.write, &c->uv.stream, spans, count_of_spans, on_written) == 0)
        c->in_flight = len;
    else
        c->close_reason = RC_DISCONNECT_CLIENT;
}

void rc_connection_send_queued(rc_connection *c)
{
    while (c->queued > 0 && c->in_flight == 0 && c->close_reason == RC_DISCONNECT_NONE) {
        uv_buf_t spans[SPANS_MAX];
        size_t len;
        unsigned count_of_spans = gather(c, spans, &len);
        int sent = uv_try_write(&c->uv.stream, spans, count_of_spans);
        if (sent >= 0)
            take_sent(c, (size_t)sent);
        else if (sent != UV_EAGAIN)
            c->close_reason = RC_DISCONNECT_CLIENT;
        if (sent != (int)len && c->close_reason == RC_DISCONNECT_NONE)
            wait_for_writable(c);
    }
}

/* Queues `bytes` except their first `sent` bytes, which were sent. */
static void push_unsent(rc_connection *c, rc_str bytes, size_t sent)
{
    if (sent < bytes.len)
        rc_connection_push(c, rc_str_make(bytes.ptr + sent, bytes.len - sent));
}

void rc_connection_send(rc_connection *c, rc_str bytes, rc_str tail)
{
    uv_buf_t spans[SPANS_MAX + 2];
    size_t len = 0;
    unsigned used =
        c->in_flight == 0 && c->close_reason == RC_DISCONNECT_NONE ? gather(c, spans, &len) : 0;
    size_t sent = 0;
    /* `bytes` are sent directly only if the same system call can send all queued blocks before
     * them, so that the order is preserved. */
    if (c->in_flight == 0 && c->close_reason == RC_DISCONNECT_NONE && len == c->queued) {
        spans[used++] = (uv_buf_t){.base = (char *)(uintptr_t)bytes.ptr, .len = bytes.len};
        spans[used++] = (uv_buf_t){.base = (char *)(uintptr_t)tail.ptr, .len = tail.len};
        int result = uv_try_write(&c->uv.stream, spans, tail.len > 0 ? used : used - 1);
        if (result < 0 && result != UV_EAGAIN)
            c->close_reason = RC_DISCONNECT_CLIENT;
        sent = result > 0 ? (size_t)result : 0;
        size_t of_blocks = sent < c->queued ? sent : c->queued;
        take_sent(c, of_blocks);
        sent -= of_blocks;
        c->sent_bytes += sent;
    }
    push_unsent(c, bytes, sent);
    push_unsent(c, tail, sent > bytes.len ? sent - bytes.len : 0);
}
