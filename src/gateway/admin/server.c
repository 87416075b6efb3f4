/* rc_admin: connects rc_server with rc_admin_core. Called by src/cli/serve/admin.c, audit.c, live.c
 * and task.c. */
#include "gateway/admin/server.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "config/config.h"
#include "net/server/responder.h"

#define CONNECTIONS_MAX 64
#define PEER_MAX 64
#define FIELDS_MAX 16

/* A request in progress. */
struct rc_admin_stream {
    struct rc_admin_stream *prev, *next;
    rc_admin *admin;
    rc_responder *responder;
    rc_admin_request request;
    rc_admin_reply reply;
    rc_arena arena;
    rc_buf body;
    char peer[PEER_MAX];
    const rc_admin_stream_handler *handler; /* NULL before the route's `open` attaches a handler. */
    void *ctx;
    bool has_response; /* The response has begun or is complete. */
    bool is_ended;     /* The response is complete. */
};

struct rc_admin {
    rc_admin_core core;
    rc_server server;
    rc_admin_stream *first;
    void (*on_stopped)(void *ctx);
    void *ctx;
};

/* ---- life cycle of a request ---- */

static rc_admin_stream *stream_new(rc_admin *admin, rc_responder *responder)
{
    const rc_alloc *alloc = &admin->core.alloc;
    rc_admin_stream *s = alloc->get(alloc->ctx, sizeof(*s));
    if (s == NULL)
        return NULL;
    memset(s, 0, sizeof(*s));
    s->admin = admin;
    s->responder = responder;
    rc_arena_init(&s->arena, alloc, RC_ADMIN_ARENA_MAX);
    rc_buf_init(&s->body, alloc, RC_ADMIN_BODY_MAX);
    rc_admin_reply_init(&s->reply, alloc);
    s->next = admin->first;
    if (s->next != NULL)
        s->next->prev = s;
    admin->first = s;
    rc_responder_set_owner(responder, s);
    return s;
}

/* Frees the request. Must be called when the request's responder is done. */
static void stream_free(rc_admin_stream *s)
{
    rc_admin *admin = s->admin;
    if (s->prev != NULL)
        s->prev->next = s->next;
    else
        admin->first = s->next;
    if (s->next != NULL)
        s->next->prev = s->prev;
    if (s->handler != NULL && s->handler->on_end != NULL)
        s->handler->on_end(s->ctx);
    rc_admin_reply_done(&s->reply);
    rc_buf_done(&s->body);
    rc_arena_done(&s->arena);
    admin->core.alloc.put(admin->core.alloc.ctx, s, sizeof(*s));
}

/* ---- whole responses ---- */

/* Sends an error response without allocating memory. */
static void respond_bare(rc_responder *responder)
{
    static const rc_str body = RC_STR_INIT(
        "{\"type\":\"urn:recourse:error:internal\",\"title\":\"Recourse failed with an internal "
        "error.\",\"status\":503,\"detail\":\"There is no memory for the response.\","
        "\"error_class\":\"Internal\",\"error_code\":\"Internal\","
        "\"retryable\":false}\n");
    rc_header fields[FIELDS_MAX];
    size_t count;
    const rc_header *always = rc_admin_fields(false, &count);
    memcpy(fields, always, count * sizeof(*fields));
    fields[count++] = (rc_header){RC_STR("Content-Type"), RC_STR("application/problem+json")};
    if (rc_responder_begin(responder, &(rc_response_head){.status = 503,
                                                          .fields = fields,
                                                          .field_count = count,
                                                          .framing = RC_HTTP1_LENGTH,
                                                          .length = body.len}) == RC_OK)
        rc_responder_write_borrowed(responder, body);
    rc_responder_end(responder);
}

/* Writes all headers of a response into `fields` and returns their number. */
static size_t list_fields(const rc_admin_reply *reply, rc_header fields[FIELDS_MAX])
{
    size_t count;
    const rc_header *always = rc_admin_fields(reply->is_page, &count);
    memcpy(fields, always, count * sizeof(*fields));
    fields[count++] = (rc_header){RC_STR("Content-Type"), rc_str_c(reply->type)};
    for (size_t i = 0; i < reply->field_count; i++)
        fields[count++] = reply->fields[i];
    return count;
}

/* Begins the response. If the response cannot begin, calls respond_bare and returns false. */
static bool begin(rc_admin_stream *s, rc_http1_framing framing, uint64_t length)
{
    rc_header fields[FIELDS_MAX];
    const rc_response_head response = {
        .status = s->reply.status,
        .fields = fields,
        .field_count = list_fields(&s->reply, fields),
        .framing = framing,
        .length = length,
    };
    s->has_response = true;
    if (rc_buf_status(&s->reply.body) == RC_OK &&
        rc_responder_begin(s->responder, &response) == RC_OK)
        return true;
    s->is_ended = true;
    respond_bare(s->responder);
    return false;
}

/* Sends the whole reply, which stays in memory until the responder is done. */
void rc_admin_stream_send(rc_admin_stream *s)
{
    const rc_str body = rc_buf_get(&s->reply.body);
    if (s->has_response || !begin(s, RC_HTTP1_LENGTH, body.len))
        return;
    s->is_ended = true;
    rc_responder_write_borrowed(s->responder, body);
    rc_responder_end(s->responder);
}

rc_admin_reply *rc_admin_stream_reply(rc_admin_stream *stream)
{
    return &stream->reply;
}

/* ---- streamed responses ---- */

void rc_admin_stream_attach(rc_admin_stream *stream, const rc_admin_stream_handler *handler,
                            void *ctx)
{
    stream->handler = handler;
    stream->ctx = ctx;
}

bool rc_admin_stream_begin(rc_admin_stream *stream, const char *type)
{
    if (stream->has_response)
        return false;
    stream->reply.type = type;
    return begin(stream, RC_HTTP1_CHUNKED, 0);
}

bool rc_admin_stream_write(rc_admin_stream *stream, rc_str bytes)
{
    return !stream->is_ended && rc_responder_write(stream->responder, bytes);
}

void rc_admin_stream_end(rc_admin_stream *stream)
{
    if (stream->is_ended || !stream->has_response)
        return;
    stream->is_ended = true;
    rc_responder_end(stream->responder);
}

/* ---- callbacks of rc_server ---- */

static void on_request(void *ctx, rc_responder *responder, const rc_http1 *reader, const char *head)
{
    rc_admin *admin = ctx;
    rc_admin_stream *s = stream_new(admin, responder);
    (void)reader;
    (void)head;
    if (s == NULL) {
        respond_bare(responder);
        return;
    }
    const char *head_copy = rc_responder_keep_head(responder);
    if (head_copy == NULL || !rc_responder_peer(responder, s->peer, sizeof(s->peer))) {
        s->has_response = true;
        respond_bare(responder);
        return;
    }
    s->request.core = &admin->core;
    s->request.reader = rc_responder_reader(responder);
    s->request.head = head_copy;
    s->request.peer = rc_str_c(s->peer);
    s->request.arena = &s->arena;
    if (!rc_admin_accept(&s->request, &s->reply))
        rc_admin_stream_send(s);
}

static void on_body(void *ctx, rc_responder *responder, rc_str piece)
{
    rc_admin_stream *s = rc_responder_owner(responder);
    (void)ctx;
    if (s == NULL || s->has_response || rc_buf_push(&s->body, piece) == RC_OK)
        return;
    const rc_admin_problem problem = {
        RC_CODE_SHAPE_INVALID, 413, RC_STR("The body is larger than 64 KiB."),
        RC_ACTION_FIX_REQUEST, RC_STR("The admin interface accepts only short JSON bodies.")};
    if (rc_buf_status(&s->body) == RC_E_NOMEM)
        rc_admin_reply_no_memory(&s->admin->core, &s->reply);
    else
        rc_admin_reply_problem(&s->admin->core, &s->reply, &problem);
    rc_admin_stream_send(s);
}

/* Calls the route's `open`. If `open` neither responds nor attaches a handler, sends an error,
 * because the client would otherwise wait for ever. */
static void open_stream(rc_admin_stream *s)
{
    s->request.route->open(s->request.route_ctx, &s->request, s);
    if (s->has_response || s->handler != NULL)
        return;
    const rc_admin_problem problem = {
        RC_CODE_INVARIANT_BROKEN, 500, RC_STR("The admin interface did not handle the request."),
        RC_ACTION_REPORT_BUG, RC_STR("Please report the request that caused this error.")};
    rc_admin_reply_problem(&s->admin->core, &s->reply, &problem);
    rc_admin_stream_send(s);
}

static void on_body_end(void *ctx, rc_responder *responder)
{
    rc_admin_stream *s = rc_responder_owner(responder);
    (void)ctx;
    if (s == NULL || s->has_response)
        return;
    s->request.body = rc_buf_get(&s->body);
    if (s->request.route->open != NULL) {
        open_stream(s);
        return;
    }
    rc_admin_handle(&s->request, &s->reply);
    rc_admin_stream_send(s);
}

static void on_drained(void *ctx, rc_responder *responder)
{
    const rc_admin_stream *s = rc_responder_owner(responder);
    (void)ctx;
    if (s != NULL && s->handler != NULL && s->handler->on_drained != NULL && !s->is_ended)
        s->handler->on_drained(s->ctx);
}

static void on_done(void *ctx, rc_responder *responder)
{
    rc_admin_stream *s = rc_responder_owner(responder);
    (void)ctx;
    if (s != NULL)
        stream_free(s);
}

static void on_gone(void *ctx, rc_responder *responder, const rc_disconnect *gone)
{
    (void)gone;
    on_done(ctx, responder);
}

/* Makes the response to a malformed head. */
static void render_refusal(void *ctx, const rc_refusal *refusal, rc_buf *lines, rc_buf *page)
{
    rc_admin *admin = ctx;
    rc_admin_reply reply;
    char message[128];
    (void)snprintf(message, sizeof(message), "The request was refused: %s.", refusal->text);
    const rc_admin_problem problem = {RC_CODE_SHAPE_INVALID, refusal->status, rc_str_c(message),
                                      RC_ACTION_FIX_REQUEST, RC_STR("Send an HTTP/1.1 request.")};
    rc_admin_reply_init(&reply, &admin->core.alloc);
    rc_admin_reply_problem(&admin->core, &reply, &problem);
    rc_buf_push(lines,
                RC_STR("Content-Type: application/problem+json\r\nCache-Control: no-store\r\n"
                       "X-Content-Type-Options: nosniff\r\nContent-Security-Policy: default-src "
                       "'none'; frame-ancestors 'none'\r\n"));
    if (rc_buf_status(&reply.body) == RC_OK)
        rc_buf_push(page, rc_buf_get(&reply.body));
    rc_admin_reply_done(&reply);
}

static void on_server_stopped(void *ctx)
{
    rc_admin *admin = ctx;
    const rc_alloc alloc = admin->core.alloc;
    void (*then)(void *) = admin->on_stopped;
    void *then_ctx = admin->ctx;
    rc_admin_core_done(&admin->core);
    alloc.put(alloc.ctx, admin, sizeof(*admin));
    if (then != NULL)
        then(then_ctx);
}

static const rc_server_handler handler = {
    .on_request = on_request,
    .on_body = on_body,
    .on_body_end = on_body_end,
    .on_drained = on_drained,
    .on_done = on_done,
    .on_disconnect = on_gone,
    .render_refusal = render_refusal,
    .on_stopped = on_server_stopped,
};

/* ---- the server ---- */

static rc_server_settings server_settings(void)
{
    rc_server_settings settings = rc_server_settings_default;
    settings.limits.head_bytes = RC_ADMIN_HEAD_MAX;
    settings.max_connections = CONNECTIONS_MAX;
    settings.body_idle_ms = 10000;
    settings.keep_alive_ms = 30000;
    settings.write_idle_ms = 30000;
    settings.write_max_bytes = (uint32_t)RC_ADMIN_RESPONSE_MAX + (1 << 20);
    settings.read_bytes = 16 << 10;
    return settings;
}

rc_admin *rc_admin_new(uv_loop_t *loop, const rc_admin_settings *settings,
                       void (*on_stopped)(void *ctx), void *ctx)
{
    const rc_alloc *alloc = &settings->alloc;
    const rc_server_settings http = server_settings();
    rc_admin *admin = alloc->get(alloc->ctx, sizeof(*admin));
    if (admin == NULL)
        return NULL;
    memset(admin, 0, sizeof(*admin));
    admin->on_stopped = on_stopped;
    admin->ctx = ctx;
    if (rc_admin_core_init(&admin->core, settings) &&
        rc_server_init(&admin->server, loop, alloc, &http, &handler, admin) == RC_OK)
        return admin;
    rc_admin_core_done(&admin->core);
    alloc->put(alloc->ctx, admin, sizeof(*admin));
    return NULL;
}

bool rc_admin_add(rc_admin *admin, const rc_admin_table *table)
{
    return rc_admin_core_add(&admin->core, table);
}

bool rc_admin_set_token(rc_admin *admin, rc_secret token)
{
    return rc_admin_core_set_token(&admin->core, token);
}

bool rc_admin_has_token(const rc_admin *admin, rc_secret token)
{
    return rc_admin_core_has_token(&admin->core, token);
}

rc_listen_result rc_admin_listen(rc_admin *admin, const char *host, uint16_t port,
                                 rc_listening *ret_listening)
{
    char scratch[RC_ADMIN_HOST_MAX];
    const bool is_v6 = rc_str_find_byte(rc_str_c(host), ':', 0) != RC_STR_NPOS;
    const int len = snprintf(scratch, sizeof(scratch), is_v6 ? "[%s]:%u" : "%s:%u", host, port);
    const char *wrong = len > 0 && (size_t)len < sizeof(scratch)
                            ? rc_config_admin_check(rc_str_c(scratch), admin->core.token_len > 0)
                            : "the host is too long";
    if (wrong == NULL)
        return rc_server_listen_tcp(&admin->server, host, port, RC_LISTEN_ALONE, ret_listening);
    *ret_listening = (rc_listening){.result = RC_LISTEN_DENIED};
    (void)snprintf(ret_listening->text, sizeof(ret_listening->text), "%s", wrong);
    return RC_LISTEN_DENIED;
}

rc_listen_result rc_admin_listen_unix(rc_admin *admin, const char *path,
                                      rc_listening *ret_listening)
{
    return rc_server_listen_unix(&admin->server, path, 0600, ret_listening);
}

void rc_admin_stop(rc_admin *admin)
{
    for (rc_admin_stream *s = admin->first; s != NULL; s = s->next)
        rc_admin_stream_end(s);
    rc_server_stop(&admin->server);
}

void rc_admin_close(rc_admin *admin)
{
    rc_server_close(&admin->server);
}
