/* Health endpoints of the gateway, called by loop.c. No token is needed except for ?verbose.
 *
 *   GET /healthz          200 while the process responds, even if no provider can be used
 *   GET /readyz           200, or 503 with a reason: draining, the audit fails, no route can serve
 *   GET /readyz?verbose   the same with every target that the configuration names and its health.
 *                         If `clients` are configured, the request needs a client's token. Keys
 *                         and models that only clients have named are left out. */
#include "base/str.h"
#include "gateway/admin/core.h"
#include "gateway/loop/loop_private.h"
#include "gateway/request/client_request.h"
#include "gateway/request/origin_guard.h"
#include "gateway/runtime/runtime.h"
#include "gateway/state/hub.h"
#include "gateway/state/snapshot.h"
#include "http/http1.h"
#include "net/server/responder.h"
#include "store/writer.h"

#define ARENA_MAX ((size_t)16 << 20)

/* Returns the reason why the gateway is not ready. NULL if the gateway is ready. */
static const char *why_not(const rc_runtime *runtime)
{
    rc_writer *writer = runtime->hub->writer;
    if (runtime->is_stopping)
        return "stopping";
    if (writer != NULL && rc_writer_refuses(writer))
        return "the audit store is unavailable";
    return rc_hub_can_serve(runtime->hub, rc_runtime_now(runtime)) ? NULL : RC_ADMIN_NO_ROUTE;
}

static void respond(rc_responder *responder, int status, const char *type, rc_str body)
{
    const rc_header fields[] = {{RC_STR("content-type"), rc_str_c(type)},
                                {RC_STR("cache-control"), RC_STR("no-store")}};
    (void)rc_responder_send(responder, status, fields, 2, body);
}

/* ---- /readyz?verbose ---- */

/* Returns whether the sender of the request may see the targets. Everyone who may send model
 * requests may see them. */
static bool may_see(const rc_runtime *runtime, const rc_http1 *reader, const char *head)
{
    rc_client_request request;
    char token_scratch[RC_CLIENT_TOKEN_MAX];
    rc_snapshot *snapshot = rc_hub_take_snapshot(runtime->hub);
    bool may = false;
    if (snapshot == NULL)
        return false;
    /* Reads the token. The function's result is ignored: it only says that a health path is no
     * endpoint of a provider. */
    (void)rc_client_request_read_head(&request, reader, head, token_scratch);
    if (snapshot->config->client_count > 0)
        may = rc_snapshot_find_client(snapshot, request.token) != SIZE_MAX;
    else
        may =
            rc_origin_guard_check(reader, head, snapshot->config->root.listen) == RC_ORIGIN_ALLOWED;
    rc_snapshot_release(snapshot);
    return may;
}

static void read_targets(rc_runtime *runtime, rc_arena *arena, rc_admin_snapshot *view)
{
    rc_hub *hub = runtime->hub;
    const uint64_t now_ms = rc_runtime_now(runtime);
    uv_mutex_lock(&hub->lock);
    uv_mutex_lock(&hub->shared_lock);
    rc_admin_target *targets = rc_arena_get_array(arena, hub->target_count + 1, sizeof *targets);
    const uint32_t generation = rc_hub_generation(hub);
    for (uint32_t i = 0; targets != NULL && i < hub->target_count; i++) {
        const rc_hub_target *row = &hub->targets[i];
        if (row->generation != generation || row->is_client_named)
            continue;
        rc_admin_target *target = &targets[view->target_count++];
        const rc_str name = rc_arena_dup(arena, rc_str_make(row->name, row->name_len));
        target->provider = rc_str_slice(name, 0, row->provider_len);
        target->model = rc_str_slice(name, row->provider_len + 1u, name.len);
        rc_admin_fill_target(&hub->shared, (uint16_t)i, now_ms, target);
        rc_admin_fill_health(&row->health, view->now_unix_ms, target);
    }
    view->targets = targets;
    uv_mutex_unlock(&hub->shared_lock);
    uv_mutex_unlock(&hub->lock);
}

static void respond_verbose(rc_runtime *runtime, rc_responder *responder, const char *why)
{
    const rc_alloc *alloc = &runtime->alloc;
    rc_admin_snapshot view = {.now_unix_ms = rc_runtime_unix_ms(runtime),
                              .is_ready = why == NULL,
                              .not_ready_reason = rc_str_c(why != NULL ? why : "")};
    rc_arena arena;
    rc_buf body;
    rc_arena_init(&arena, alloc, ARENA_MAX);
    rc_buf_init(&body, alloc, ARENA_MAX);
    read_targets(runtime, &arena, &view);
    rc_admin_push_ready(&body, &view);
    if (rc_arena_status(&arena) == RC_OK && rc_buf_status(&body) == RC_OK)
        respond(responder, why == NULL ? 200 : 503, "application/json", rc_buf_get(&body));
    else
        respond(responder, 503, "text/plain", RC_STR("there is no memory for the response\n"));
    rc_buf_done(&body);
    rc_arena_done(&arena);
}

/* ---- dispatch ---- */

static void respond_ready(rc_responder *responder, const char *why)
{
    char scratch[128];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push(&text, rc_str_c(why != NULL ? why : "ok"));
    rc_buf_push_byte(&text, '\n');
    respond(responder, why == NULL ? 200 : 503, "text/plain", rc_buf_get(&text));
}

/* /healthz has the paths of LiteLLM's health check as aliases, and spellings that people often
 * try. */
static bool is_healthz(rc_str target)
{
    return rc_str_eq(target, RC_STR("/healthz")) || rc_str_eq(target, RC_STR("/health")) ||
           rc_str_eq(target, RC_STR("/health/liveliness")) ||
           rc_str_eq(target, RC_STR("/health/liveness"));
}

static bool is_readyz(rc_str target)
{
    return rc_str_eq(target, RC_STR("/readyz")) || rc_str_eq(target, RC_STR("/health/readiness"));
}

bool rc_loop_respond_health(rc_runtime *runtime, rc_responder *responder, const rc_http1 *reader,
                            const char *head)
{
    const rc_str target = rc_http1_target(reader, head);
    if (is_healthz(target))
        respond(responder, 200, "text/plain", RC_STR("ok\n"));
    else if (is_readyz(target))
        respond_ready(responder, why_not(runtime));
    else if (!rc_str_eq(target, RC_STR("/readyz?verbose")))
        return false;
    else if (may_see(runtime, reader, head))
        respond_verbose(runtime, responder, why_not(runtime));
    else
        respond(responder, 401, "text/plain",
                RC_STR("Only clients of this gateway can see the targets: send a client's token, "
                       "as with a request.\n"));
    return true;
}
