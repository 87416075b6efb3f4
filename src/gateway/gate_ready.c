/* Is the gateway there, is it ready? For whoever can reach it:
 *
 *   GET /healthz          200 while the process answers, whatever becomes of its providers
 *   GET /readyz           200, or 503 with a reason: it drains, the audit fails, no route can be
 *                         served
 *   GET /readyz?verbose   the same with every target that the configuration names, its health and
 *                         since when; for clients alone, where there are `clients`. Names of models
 *                         that other clients have invented are not in it, nor are keys. */
#include "base/str.h"
#include "gateway/admin_core.h"
#include "gateway/gate_private.h"
#include "gateway/host.h"

#define ARENA_MAX ((size_t)16 << 20)

/* NULL: it is ready. */
static const char *why_not(const rc_gate *gate)
{
    rc_writer *writer = gate->world->writer;
    if (gate->is_stopping)
        return "stopping";
    if (writer != NULL && rc_writer_refuses(writer))
        return "the audit cannot be kept";
    return rc_gate_world_can_serve(gate->world, rc_gate_now(gate)) ? NULL : RC_ADMIN_NO_ROUTE;
}

static void answer(rc_exchange *exchange, int status, const char *type, rc_str body)
{
    const rc_header fields[] = {{RC_STR("content-type"), rc_str_c(type)},
                                {RC_STR("cache-control"), RC_STR("no-store")}};
    (void)rc_exchange_answer(exchange, status, fields, 2, body);
}

/* ---- every target ---- */

/* May whoever has sent this see them? A request that could be sent would tell as much. */
static bool may_see(const rc_gate *gate, const rc_http1 *reader, const char *head)
{
    rc_gate_request request;
    rc_gate_plans *plans = rc_gate_world_plans(gate->world);
    bool may = false;
    if (plans == NULL)
        return false;
    (void)rc_gate_request_read_head(&request, reader, head); /* it is no endpoint of a provider's */
    if (plans->config->client_count > 0)
        may = rc_gate_plans_client(plans, request.token) != SIZE_MAX;
    else
        may = rc_host_page(reader, head, plans->config->root.listen) == RC_PAGE_NONE;
    rc_gate_plans_drop(plans);
    return may;
}

static void look(rc_gate *gate, rc_arena *arena, rc_admin_snapshot *snapshot)
{
    rc_gate_world *world = gate->world;
    const uint64_t now_ms = rc_gate_now(gate);
    uv_mutex_lock(&world->lock);
    uv_mutex_lock(&world->shared_lock);
    rc_admin_target *targets = rc_arena_get_array(arena, world->target_count + 1, sizeof *targets);
    const uint32_t edition = rc_gate_world_edition(world);
    for (uint32_t i = 0; targets != NULL && i < world->target_count; i++) {
        const rc_world_target *row = &world->targets[i];
        if (row->edition != edition || row->is_guest)
            continue;
        rc_admin_target *target = &targets[snapshot->target_count++];
        const rc_str name = rc_arena_dup(arena, rc_str_make(row->name, row->name_len));
        target->provider = rc_str_slice(name, 0, row->provider_len);
        target->model = rc_str_slice(name, row->provider_len + 1u, name.len);
        rc_admin_look_target(&world->shared, (uint16_t)i, now_ms, target);
        rc_admin_look_health(&row->health, snapshot->now_unix_ms, target);
    }
    snapshot->targets = targets;
    uv_mutex_unlock(&world->shared_lock);
    uv_mutex_unlock(&world->lock);
}

static void answer_verbose(rc_gate *gate, rc_exchange *exchange, const char *why)
{
    const rc_alloc *alloc = &gate->settings.alloc;
    rc_admin_snapshot snapshot = {.now_unix_ms = rc_gate_unix_ms(gate),
                                  .is_ready = why == NULL,
                                  .why_not = rc_str_c(why != NULL ? why : "")};
    rc_arena arena;
    rc_buf body;
    rc_arena_init(&arena, alloc, ARENA_MAX);
    rc_buf_init(&body, alloc, ARENA_MAX);
    look(gate, &arena, &snapshot);
    rc_admin_push_ready(&body, &snapshot);
    if (rc_arena_status(&arena) == RC_OK && rc_buf_status(&body) == RC_OK)
        answer(exchange, why == NULL ? 200 : 503, "application/json", rc_buf_get(&body));
    else
        answer(exchange, 503, "text/plain", RC_STR("there is no memory for it\n"));
    rc_buf_done(&body);
    rc_arena_done(&arena);
}

/* ---- all of it ---- */

static void answer_ready(rc_exchange *exchange, const char *why)
{
    char room[128];
    rc_buf text;
    rc_buf_init_fixed(&text, room, sizeof room);
    rc_buf_push(&text, rc_str_c(why != NULL ? why : "ok"));
    rc_buf_push_byte(&text, '\n');
    answer(exchange, why == NULL ? 200 : 503, "text/plain", rc_buf_get(&text));
}

/* The second names are LiteLLM's, and what people try. */
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

bool rc_gate_answer_health(rc_gate *gate, rc_exchange *exchange, const rc_http1 *reader,
                           const char *head)
{
    const rc_str target = rc_http1_target(reader, head);
    if (is_healthz(target))
        answer(exchange, 200, "text/plain", RC_STR("ok\n"));
    else if (is_readyz(target))
        answer_ready(exchange, why_not(gate));
    else if (!rc_str_eq(target, RC_STR("/readyz?verbose")))
        return false;
    else if (may_see(gate, reader, head))
        answer_verbose(gate, exchange, why_not(gate));
    else
        answer(exchange, 401, "text/plain",
               RC_STR("The targets are shown to clients of this gateway alone: send the token of "
                      "one, as with a request.\n"));
    return true;
}
