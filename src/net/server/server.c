/* The server's life: start, timer, settling of connections, stop. Called by the gateway's loops,
 * the admin server, the mock server and the other files of net/server. */
#include "net/server/server.h"

#include "net/server/connection.h"

/* Maximum number of items in each free list. Further items are freed. */
#define FREE_CONNECTIONS 64
#define FREE_RESPONDERS 64
#define FREE_BLOCKS 32
#define FREE_HEADS 64

/* The prepare handle, the idle handle and the two timers. */
#define OWN_HANDLES 4

const rc_server_settings rc_server_settings_default = {
    .limits =
        {
            .head_bytes = 64 << 10,
            .target_bytes = 8 << 10,
            .field_count = 100,
            .chunk_extension_bytes = 1 << 10,
            .trailer_bytes = 8 << 10,
        },
    .max_connections = 4096,
    .head_ms = 10000,
    .silent_ms = 250,
    .body_idle_ms = 60000,
    .keep_alive_ms = 75000,
    .write_idle_ms = 60000,
    .linger_ms = 5000,
    .write_high_bytes = 256 << 10,
    .write_low_bytes = 64 << 10,
    .write_max_bytes = 16 << 20,
    .read_bytes = 64 << 10,
    .discard_bytes = 256 << 10,
    .linger_bytes = 64 << 20,
};

static const char *const disconnect_texts[] = {
#define TEXT(ID, text) text,
    RC_DISCONNECTS(TEXT)
#undef TEXT
};

const char *rc_disconnect_text(rc_disconnect_reason why)
{
    return disconnect_texts[why];
}

/* A free item starts with the pointer to the next free item. */
void *rc_server_get(rc_server *server, rc_free_list *list)
{
    void *item = list->first;
    if (item == NULL)
        return server->alloc.get(server->alloc.ctx, list->size);
    memcpy(&list->first, item, sizeof(list->first));
    list->count--;
    return item;
}

void rc_server_put(rc_server *server, rc_free_list *list, void *item)
{
    if (list->count >= list->max) {
        server->alloc.put(server->alloc.ctx, item, list->size);
        return;
    }
    memcpy(item, &list->first, sizeof(list->first));
    list->first = item;
    list->count++;
}

static void empty_free_list(rc_server *server, rc_free_list *list)
{
    list->max = 0;
    while (list->first != NULL)
        rc_server_put(server, list, rc_server_get(server, list));
}

void rc_server_close_idle(rc_server *server)
{
    for (rc_list_node *link = server->connections.next, *next; link != &server->connections;
         link = next) {
        next = link->next;
        rc_connection *c = RC_LIST_NODE_OWNER(link, rc_connection, all);
        if (c->stage == RC_STAGE_IDLE && rc_connection_is_quiet(c))
            rc_connection_close(c, false);
    }
}

static void begin_stop(rc_server *server)
{
    server->is_stopping = true;
    /* Clients whose connections are still in the kernel's queue believe that they are connected, so
     * these connections are served, too. */
    rc_listen_accept_pending(server);
    rc_listen_close(server);
    rc_server_close_idle(server);
}

static void close_all(rc_server *server)
{
    while (!rc_list_node_is_alone(&server->connections)) {
        rc_connection *c = RC_LIST_NODE_OWNER(server->connections.next, rc_connection, all);
        rc_connection_fail(c, RC_DISCONNECT_SERVER);
    }
}

static void on_own_closed(uv_handle_t *handle)
{
    rc_server_handle_closed(handle->data);
}

/* Closes the server's own handles, after all listeners and connections are closed. */
static void close_own_handles(rc_server *server)
{
    server->is_closing_down = true;
    uv_close((uv_handle_t *)&server->before_sleep, on_own_closed);
    uv_close((uv_handle_t *)&server->awake, on_own_closed);
    uv_close((uv_handle_t *)&server->timer, on_own_closed);
    uv_close((uv_handle_t *)&server->accept_retry, on_own_closed);
}

void rc_server_handle_closed(rc_server *server)
{
    if (--server->handles > 0)
        return;
    empty_free_list(server, &server->free_connections);
    empty_free_list(server, &server->free_responders);
    empty_free_list(server, &server->free_blocks);
    empty_free_list(server, &server->free_heads);
    server->alloc.put(server->alloc.ctx, server->read_buffer, server->settings.read_bytes);
    if (server->handler->on_stopped != NULL)
        server->handler->on_stopped(server->ctx);
}

static void on_awake(uv_idle_t *idle)
{
    (void)idle;
}

/* Settles each kicked connection once per iteration of the loop, so that a client that reads as
 * fast as its handler writes cannot block other clients. */
static void settle_kicked(rc_server *server)
{
    rc_list_node due;
    rc_list_node_init(&due);
    rc_list_node_move_all(&due, &server->sent);
    rc_list_node_move_all(&due, &server->kicked);
    while (!rc_list_node_is_alone(&due)) {
        rc_connection *c = RC_LIST_NODE_OWNER(due.next, rc_connection, kick);
        rc_list_node_leave(&c->kick);
        rc_connection_settle(c);
    }
    if (!rc_list_node_is_alone(&server->kicked) || !rc_list_node_is_alone(&server->sent))
        uv_idle_start(&server->awake, on_awake);
    else
        uv_idle_stop(&server->awake);
}

static void on_before_sleep(uv_prepare_t *prepare)
{
    rc_server *server = prepare->data;
    if (server->wants_stop && !server->is_stopping)
        begin_stop(server);
    settle_kicked(server);
    if (server->wants_close)
        close_all(server);
    if (server->is_stopping && !server->is_closing_down && server->handles == OWN_HANDLES)
        close_own_handles(server);
}

static bool is_any_due(const rc_server *server, uint64_t now_ms)
{
    for (unsigned kind = 0; kind < RC_DEADLINE_COUNT; kind++) {
        const rc_list_node *list = &server->waiting[kind];
        if (!rc_list_node_is_alone(list) &&
            RC_LIST_NODE_OWNER(list->next, rc_connection, wait)->deadline_ms <= now_ms)
            return true;
    }
    return false;
}

/* Enforces the deadlines, after the sockets were polled once more. libuv runs timers before it
 * polls sockets, and after a pause of the whole process, input that waits in the sockets must be
 * read before a client counts as slow. */
static void on_timer(uv_timer_t *timer)
{
    rc_server *server = timer->data;
    uint64_t now_ms = uv_now(server->loop);
    server->timer_at_ms = UINT64_MAX;
    if (!server->is_final_poll && is_any_due(server, now_ms)) {
        server->is_final_poll = true;
        rc_server_arm(server, now_ms + 1);
        return;
    }
    server->is_final_poll = false;
    for (unsigned kind = 0; kind < RC_DEADLINE_COUNT; kind++) {
        rc_list_node *list = &server->waiting[kind];
        while (!rc_list_node_is_alone(list)) {
            rc_connection *c = RC_LIST_NODE_OWNER(list->next, rc_connection, wait);
            if (c->deadline_ms > now_ms) {
                rc_server_arm(server, c->deadline_ms);
                break;
            }
            rc_list_node_leave(&c->wait);
            c->deadline_kind = RC_DEADLINE_NONE;
            rc_connection_expire(c, (rc_deadline_kind)kind);
        }
    }
}

/* One timer serves all connections. A new deadline moves the timer only to an earlier time. If the
 * timer fires too early, it is set to the next deadline. Most deadlines therefore need no timer
 * operation. */
void rc_server_arm(rc_server *server, uint64_t deadline_ms)
{
    if (deadline_ms >= server->timer_at_ms)
        return;
    uint64_t now_ms = uv_now(server->loop);
    server->timer_at_ms = deadline_ms;
    uv_timer_start(&server->timer, on_timer, deadline_ms > now_ms ? deadline_ms - now_ms : 0, 0);
}

rc_status rc_server_init(rc_server *server, uv_loop_t *loop, const rc_alloc *alloc,
                         const rc_server_settings *settings, const rc_server_handler *handler,
                         void *ctx)
{
    *server = (rc_server){
        .loop = loop,
        .alloc = *alloc,
        .settings = *settings,
        .handler = handler,
        .ctx = ctx,
        .timer_at_ms = UINT64_MAX,
        .free_connections = {.size = sizeof(rc_connection), .max = FREE_CONNECTIONS},
        .free_responders = {.size = sizeof(rc_responder), .max = FREE_RESPONDERS},
        .free_blocks = {.size = sizeof(rc_block) + RC_BLOCK_BYTES, .max = FREE_BLOCKS},
        .free_heads = {.size = RC_HEAD_COPY_BYTES, .max = FREE_HEADS},
        .handles = OWN_HANDLES,
    };
    server->read_buffer = alloc->get(alloc->ctx, settings->read_bytes);
    if (server->read_buffer == NULL)
        return RC_E_NOMEM;
    rc_list_node_init(&server->connections);
    rc_list_node_init(&server->kicked);
    rc_list_node_init(&server->sent);
    for (unsigned kind = 0; kind < RC_DEADLINE_COUNT; kind++)
        rc_list_node_init(&server->waiting[kind]);
    uv_prepare_init(loop, &server->before_sleep);
    uv_idle_init(loop, &server->awake);
    uv_timer_init(loop, &server->timer);
    uv_timer_init(loop, &server->accept_retry);
    server->before_sleep.data = server;
    server->awake.data = server;
    server->timer.data = server;
    server->accept_retry.data = server;
    uv_prepare_start(&server->before_sleep, on_before_sleep);
    return RC_OK;
}

/* rc_server_stop and rc_server_close only set a flag and take effect before the loop sleeps,
 * because their caller may be a handler inside a step. */
void rc_server_stop(rc_server *server)
{
    server->wants_stop = true;
}

void rc_server_close(rc_server *server)
{
    server->wants_stop = true;
    server->wants_close = true;
}
