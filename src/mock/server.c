/* Serves the mock provider over HTTP: calls and their life cycle. Called by recourse mock. */
#include "mock/server.h"

#include "base/str.h"
#include "mock/server_private.h"

#define NS_A_MS 1000000u

static void free_server_if_done(rc_mock_server *server)
{
    if (!server->is_stopped || !server->is_timer_closed || server->calls > 0)
        return;
    const rc_mock_server_settings settings = server->settings;
    settings.alloc.put(settings.alloc.ctx, server, sizeof *server);
    if (settings.on_stopped != NULL)
        settings.on_stopped(settings.ctx);
}

/* ---- calls ---- */

static void on_timer_closed(uv_handle_t *handle)
{
    rc_mock_call *call = handle->data;
    rc_mock_server *server = call->server;
    const rc_alloc *alloc = &server->settings.alloc;
    rc_buf_done(&call->body);
    if (call->has_response)
        rc_mock_response_done(&call->response);
    alloc->put(alloc->ctx, call, sizeof *call);
    server->calls--;
    free_server_if_done(server);
}

void rc_mock_call_end(rc_mock_call *call)
{
    call->responder = NULL;
    if (call->has_response)
        rc_mock_provider_end(&call->server->provider, &call->ticket);
    uv_close((uv_handle_t *)&call->timer, on_timer_closed);
}

static rc_mock_call *new_call(rc_mock_server *server, rc_responder *responder)
{
    const rc_alloc *alloc = &server->settings.alloc;
    rc_mock_call *call = alloc->get(alloc->ctx, sizeof *call);
    if (call == NULL)
        return NULL;
    /* call->response is not zeroed here, because it is large and is initialised when the response
     * begins. */
    call->server = server;
    call->responder = responder;
    call->reset_checks = 0;
    call->has_response = false;
    call->is_raw = false;
    call->is_write_blocked = false;
    call->is_resetting = false;
    rc_buf_init(&call->body, alloc, RC_MOCK_BODY_MAX);
    (void)uv_timer_init(server->loop, &call->timer); /* uv_timer_init never fails. */
    call->timer.data = call;
    server->calls++;
    rc_responder_set_owner(responder, call);
    return call;
}

/* ---- request handler ---- */

static void on_request(void *ctx, rc_responder *responder, const rc_http1 *reader, const char *head)
{
    (void)reader;
    (void)head;
    if (rc_responder_keep_head(responder) == NULL || new_call(ctx, responder) == NULL)
        rc_responder_abort(responder);
}

static void on_body(void *ctx, rc_responder *responder, rc_str piece)
{
    rc_mock_call *call = rc_responder_owner(responder);
    (void)ctx;
    rc_buf_push(&call->body, piece);
}

static rc_status begin_response(rc_mock_call *call, const rc_mock_message *message)
{
    rc_mock_server *server = call->server;
    const rc_mock_time now = {
        .ms = uv_hrtime() / NS_A_MS,
        .unix_ms = server->settings.unix_ms(server->settings.ctx),
    };
    call->has_response = true;
    if (rc_buf_status(&call->body) != RC_OK) {
        call->ticket = (rc_mock_ticket){.generation = UINT32_MAX};
        return rc_mock_response_begin_plain(
            &call->response, 413,
            RC_STR("{\"error\":{\"message\":\"Request body is too large.\",\"type\":"
                   "\"invalid_request_error\",\"param\":null,\"code\":null}}"),
            &server->settings.alloc);
    }
    return rc_mock_provider_respond(&server->provider, message, &now, &server->settings.alloc,
                                    &call->response, &call->ticket);
}

static void report_response(const rc_mock_call *call, const rc_mock_message *message)
{
    const rc_mock_server_settings *settings = &call->server->settings;
    if (settings->on_response == NULL)
        return;
    const size_t mark = rc_str_find_byte(message->target, '?', 0);
    settings->on_response(settings->ctx, message->method, rc_str_slice(message->target, 0, mark),
                          rc_str_c(call->response.model), call->response.status);
}

static void on_body_end(void *ctx, rc_responder *responder)
{
    rc_mock_call *call = rc_responder_owner(responder);
    const rc_mock_server *server = call->server;
    const uint32_t generation = server->provider.stats.generation;
    const rc_http1 *reader = rc_responder_reader(responder);
    const char *head = rc_responder_head(responder);
    rc_header headers[RC_HTTP1_FIELDS_MAX];
    (void)ctx;
    for (uint32_t i = 0; i < reader->field_count; i++)
        headers[i] = (rc_header){rc_http1_name(reader, head, i), rc_http1_value(reader, head, i)};
    const rc_mock_message message = {
        .method = rc_http1_method(reader),
        .target = rc_http1_target(reader, head),
        .headers = headers,
        .header_count = reader->field_count,
        .body = rc_buf_get(&call->body),
    };
    if (begin_response(call, &message) != RC_OK) {
        rc_responder_abort(responder);
        rc_mock_call_end(call);
        return;
    }
    report_response(call, &message);
    if (server->provider.stats.generation != generation && server->settings.on_reset != NULL)
        server->settings.on_reset(server->settings.ctx);
    rc_mock_call_run(call);
}

static void on_drained(void *ctx, rc_responder *responder)
{
    rc_mock_call *call = rc_responder_owner(responder);
    (void)ctx;
    if (call == NULL || !call->is_write_blocked)
        return;
    call->is_write_blocked = false;
    rc_mock_call_run(call);
}

static void on_done(void *ctx, rc_responder *responder)
{
    (void)ctx;
    rc_mock_call_end(rc_responder_owner(responder));
}

static void on_disconnect(void *ctx, rc_responder *responder, const rc_disconnect *disconnect)
{
    rc_mock_server *server = ctx;
    if (disconnect->why == RC_DISCONNECT_CLIENT || disconnect->why == RC_DISCONNECT_WRITE_TIMEOUT)
        rc_mock_stats_add_disconnect(&server->provider.stats);
    rc_mock_call_end(rc_responder_owner(responder));
}

static void on_stopped(void *ctx)
{
    rc_mock_server *server = ctx;
    server->is_stopped = true;
    free_server_if_done(server);
}

static const rc_server_handler handler = {
    .on_request = on_request,
    .on_body = on_body,
    .on_body_end = on_body_end,
    .on_drained = on_drained,
    .on_done = on_done,
    .on_disconnect = on_disconnect,
    .on_stopped = on_stopped,
};

/* ---- refused connections ---- */

static void on_script_timer(uv_timer_t *timer)
{
    rc_mock_server_follow_script(timer->data);
}

void rc_mock_server_follow_script(rc_mock_server *server)
{
    const rc_mock_script *script = server->settings.script;
    const uint64_t now_ms = uv_hrtime() / NS_A_MS;
    uint64_t next_ms = RC_UNLIMITED;
    if (script == NULL || server->settings.script_index == RC_MOCK_NO_PROVIDER)
        return;
    if (rc_mock_script_refuses(script, server->settings.script_index, now_ms, &next_ms))
        rc_server_refuse_connections(&server->http);
    else
        (void)rc_server_accept_connections(&server->http);
    if (next_ms == RC_UNLIMITED)
        (void)uv_timer_stop(&server->script_timer);
    else
        (void)uv_timer_start(&server->script_timer, on_script_timer, next_ms - now_ms, 0);
}

static void on_script_timer_closed(uv_handle_t *handle)
{
    rc_mock_server *server = handle->data;
    server->is_timer_closed = true;
    free_server_if_done(server);
}

/* ---- server ---- */

rc_mock_server *rc_mock_server_new(uv_loop_t *loop, const rc_mock_server_settings *settings)
{
    rc_server_settings http = rc_server_settings_default;
    rc_mock_server *server = settings->alloc.get(settings->alloc.ctx, sizeof *server);
    if (server == NULL)
        return NULL;
    memset(server, 0, sizeof *server);
    server->loop = loop;
    server->settings = *settings;
    rc_mock_provider_init(&server->provider, settings->scenario, settings->seed,
                          uv_hrtime() / NS_A_MS);
    if (settings->script != NULL)
        rc_mock_provider_use_script(&server->provider, settings->script, settings->script_index);
    /* The write buffer is small, so that most tokens that are counted as sent have left the
     * process. */
    http.write_high_bytes = 32768;
    http.write_low_bytes = 8192;
    http.write_max_bytes = 2 * RC_MOCK_RESPONSE_MAX;
    http.write_idle_ms = 0;
    if (rc_server_init(&server->http, loop, &settings->alloc, &http, &handler, server) == RC_OK) {
        (void)uv_timer_init(loop, &server->script_timer); /* Never fails. */
        server->script_timer.data = server;
        return server;
    }
    settings->alloc.put(settings->alloc.ctx, server, sizeof *server);
    return NULL;
}

rc_listen_result rc_mock_server_listen(rc_mock_server *server, const char *host, uint16_t port,
                                       rc_listening *ret_listening)
{
    const bool is_scripted = server->settings.script != NULL;
    const rc_listen_result result =
        rc_server_listen_tcp(&server->http, host, port,
                             is_scripted ? RC_LISTEN_PAUSABLE : RC_LISTEN_ALONE, ret_listening);
    if (result == RC_LISTEN_OK)
        rc_mock_server_follow_script(server);
    return result;
}

void rc_mock_server_close(rc_mock_server *server)
{
    uv_close((uv_handle_t *)&server->script_timer, on_script_timer_closed);
    rc_server_close(&server->http);
}
