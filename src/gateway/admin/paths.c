/* The handlers of the admin paths. Called by rc_admin_core through its routes. */
#include "base/str.h"
#include "gateway/admin/core.h"

static void problem(const rc_admin_request *request, rc_admin_reply *reply, rc_code code,
                    int status, rc_str message, rc_user_action action, const char *next)
{
    const rc_admin_problem details = {code, status, message, action, rc_str_c(next)};
    rc_admin_reply_problem(request->core, reply, &details);
}

/* Fills in the snapshot. If memory runs out, sets an error reply and returns false. */
static bool fill_snapshot(const rc_admin_request *request, rc_admin_reply *reply,
                          rc_admin_snapshot *ret_snapshot)
{
    const rc_admin_source *source = &request->core->source;
    *ret_snapshot = (rc_admin_snapshot){0};
    if (source->fill_snapshot(source->ctx, request->arena, ret_snapshot))
        return true;
    rc_admin_reply_no_memory(request->core, reply);
    return false;
}

/* ---- health ---- */

static void reply_text(rc_admin_reply *reply, int status, rc_str text)
{
    reply->status = status;
    reply->type = "text/plain; charset=utf-8";
    rc_buf_push(&reply->body, text);
    rc_buf_push_byte(&reply->body, '\n');
}

/* Handles the liveness check: any response shows that the process is alive. */
static void on_health(void *ctx, const rc_admin_request *request, rc_admin_reply *reply)
{
    (void)ctx;
    (void)request;
    reply_text(reply, 200, RC_STR("ok"));
}

/* Handles the readiness check. Whether the gateway is ready is public; the state of the targets
 * (`verbose`) needs the token. */
static void on_ready(void *ctx, const rc_admin_request *request, rc_admin_reply *reply)
{
    rc_admin_snapshot snapshot;
    rc_str value;
    (void)ctx;
    const bool is_verbose = rc_str_eq(request->query, RC_STR("verbose")) ||
                            rc_admin_request_parameter(request, RC_STR("verbose"), &value);
    if (is_verbose && !rc_admin_check_token(request, reply))
        return;
    if (!fill_snapshot(request, reply, &snapshot))
        return;
    if (is_verbose) {
        reply->status = snapshot.is_ready ? 200 : 503;
        rc_admin_push_ready(&reply->body, &snapshot);
        return;
    }
    if (snapshot.is_ready)
        reply_text(reply, 200, RC_STR("ok"));
    else
        reply_text(reply, 503,
                   snapshot.not_ready_reason.len > 0 ? snapshot.not_ready_reason
                                                     : RC_STR("not ready"));
}

/* ---- reading ---- */

static void on_metrics(void *ctx, const rc_admin_request *request, rc_admin_reply *reply)
{
    rc_admin_snapshot snapshot;
    (void)ctx;
    if (request->core->metrics == NULL) {
        problem(request, reply, RC_CODE_SHAPE_INVALID, 404, RC_STR("This gateway has no metrics."),
                RC_ACTION_NONE, "");
        return;
    }
    if (!fill_snapshot(request, reply, &snapshot))
        return;
    const rc_metrics_collector collector = rc_admin_metrics_collector(&snapshot);
    reply->type = RC_METRICS_PAGE_TYPE;
    rc_metrics_page_push(&reply->body, request->core->metrics, &collector);
}

static void show(const rc_admin_request *request, rc_admin_reply *reply, rc_admin_part part)
{
    rc_admin_snapshot snapshot;
    if (fill_snapshot(request, reply, &snapshot))
        rc_admin_push_state(&reply->body, &snapshot, part);
}

static void on_state(void *ctx, const rc_admin_request *request, rc_admin_reply *reply)
{
    (void)ctx;
    show(request, reply, RC_ADMIN_PART_ALL);
}

static void on_targets(void *ctx, const rc_admin_request *request, rc_admin_reply *reply)
{
    (void)ctx;
    show(request, reply, RC_ADMIN_PART_TARGETS);
}

static void on_keys(void *ctx, const rc_admin_request *request, rc_admin_reply *reply)
{
    (void)ctx;
    show(request, reply, RC_ADMIN_PART_KEYS);
}

static void on_retry_budget(void *ctx, const rc_admin_request *request, rc_admin_reply *reply)
{
    (void)ctx;
    show(request, reply, RC_ADMIN_PART_RETRY_BUDGET);
}

static void on_money_budgets(void *ctx, const rc_admin_request *request, rc_admin_reply *reply)
{
    (void)ctx;
    show(request, reply, RC_ADMIN_PART_MONEY_BUDGETS);
}

/* ---- actions ---- */

static void push_done(const rc_admin_request *request, rc_admin_reply *reply,
                      const rc_admin_action *action)
{
    rc_admin_snapshot snapshot;
    if (!fill_snapshot(request, reply, &snapshot))
        return;
    for (size_t i = 0; action->provider.len > 0 && i < snapshot.target_count; i++)
        if (rc_str_eq(snapshot.targets[i].provider, action->provider) &&
            rc_str_eq(snapshot.targets[i].model, action->model)) {
            rc_admin_push_target(&reply->body, &snapshot, &snapshot.targets[i]);
            return;
        }
    for (size_t i = 0; action->key.len > 0 && i < snapshot.key_count; i++)
        if (rc_str_eq(snapshot.keys[i].id, action->key)) {
            rc_admin_push_key(&reply->body, &snapshot, &snapshot.keys[i]);
            return;
        }
    for (size_t i = 0; action->budget.len > 0 && i < snapshot.money_budget_count; i++)
        if (rc_str_eq(snapshot.money_budgets[i].scope, action->budget)) {
            rc_admin_push_money_budget(&reply->body, &snapshot, &snapshot.money_budgets[i]);
            return;
        }
    /* The target is missing if a reload has removed it since the action. The reply then describes
     * the configuration instead. */
    rc_admin_push_state(&reply->body, &snapshot, RC_ADMIN_PART_CONFIG);
}

static void reply_not_found(const rc_admin_request *request, rc_admin_reply *reply,
                            const rc_admin_action *action)
{
    const char *details = "The gateway has no target of this name.";
    const char *next = "GET /admin/v1/targets lists the targets.";
    if (action->key.len > 0) {
        details = "The gateway has no key of this id.";
        next = "GET /admin/v1/keys lists the keys.";
    } else if (action->budget.len > 0) {
        details = "The gateway has no budget of this name.";
        next = "GET /admin/v1/budgets lists the names of the budgets, such as \"client app\".";
    }
    problem(request, reply, RC_CODE_SHAPE_INVALID, 404, rc_str_c(details), RC_ACTION_FIX_REQUEST,
            next);
}

static void reply_outcome(const rc_admin_request *request, rc_admin_reply *reply,
                          const rc_admin_action *action, const rc_admin_outcome *outcome)
{
    const bool is_reload = action->kind == RC_ADMIN_RELOAD;
    switch (outcome->kind) {
    case RC_ADMIN_DONE:
        push_done(request, reply, action);
        return;
    case RC_ADMIN_NOT_FOUND:
        reply_not_found(request, reply, action);
        return;
    case RC_ADMIN_REFUSED:
        problem(request, reply, is_reload ? RC_CODE_CONFIG_SCHEMA_VIOLATION : RC_CODE_SHAPE_INVALID,
                is_reload ? 422 : 409, rc_str_c(outcome->text),
                is_reload ? RC_ACTION_CHECK_CONFIG : RC_ACTION_FIX_REQUEST,
                is_reload ? "The previous configuration stays in use. Correct the file; recourse "
                            "config check shows all errors."
                          : "GET /admin/v1/state shows the current state.");
        return;
    case RC_ADMIN_FAILED:
        break;
    }
    problem(request, reply, RC_CODE_INTERNAL, 503, rc_str_c(outcome->text),
            RC_ACTION_WAIT_AND_RETRY, "Try again in a moment.");
}

static void act(const rc_admin_request *request, rc_admin_reply *reply, rc_admin_action *action)
{
    const rc_admin_source *source = &request->core->source;
    rc_admin_outcome outcome = {.kind = RC_ADMIN_FAILED};
    const bool has_usd = action->kind == RC_ADMIN_BUDGET_RAISE;
    rc_admin_body body = {.usd_micro = 0};
    action->peer = request->peer.len > 0 ? request->peer : RC_STR("unix");
    const bool is_read = rc_admin_body_read(request, has_usd, &body);
    action->reason = body.reason;
    action->usd_micro = body.usd_micro;
    if (rc_arena_status(request->arena) != RC_OK) {
        rc_admin_reply_no_memory(request->core, reply);
        return;
    }
    if (!is_read) {
        problem(request, reply, RC_CODE_SHAPE_INVALID, 400,
                has_usd ? RC_STR("The body is not a JSON object with an amount in dollars.")
                        : RC_STR("The body is not a JSON object with a reason of at most 256 "
                                 "bytes."),
                RC_ACTION_FIX_REQUEST,
                has_usd ? "Send {\"usd\": 5, \"reason\": \"...\"}, with up to 1000000 dollars."
                        : "Send {\"reason\": \"...\"}, or an empty body.");
        return;
    }
    source->act(source->ctx, action, &outcome);
    reply_outcome(request, reply, action, &outcome);
}

static void act_on_target(const rc_admin_request *request, rc_admin_reply *reply,
                          rc_admin_action_kind kind)
{
    rc_admin_action action = {
        .kind = kind, .provider = request->captures[0], .model = request->captures[1]};
    act(request, reply, &action);
}

static void on_out(void *ctx, const rc_admin_request *request, rc_admin_reply *reply)
{
    (void)ctx;
    act_on_target(request, reply, RC_ADMIN_TARGET_OUT);
}

static void on_in(void *ctx, const rc_admin_request *request, rc_admin_reply *reply)
{
    (void)ctx;
    act_on_target(request, reply, RC_ADMIN_TARGET_IN);
}

static void on_clear(void *ctx, const rc_admin_request *request, rc_admin_reply *reply)
{
    (void)ctx;
    act_on_target(request, reply, RC_ADMIN_TARGET_CLEAR);
}

static void on_revive(void *ctx, const rc_admin_request *request, rc_admin_reply *reply)
{
    rc_admin_action action = {.kind = RC_ADMIN_KEY_REVIVE, .key = request->captures[0]};
    (void)ctx;
    act(request, reply, &action);
}

static void on_raise(void *ctx, const rc_admin_request *request, rc_admin_reply *reply)
{
    rc_admin_action action = {.kind = RC_ADMIN_BUDGET_RAISE, .budget = request->captures[0]};
    (void)ctx;
    act(request, reply, &action);
}

static void on_reload(void *ctx, const rc_admin_request *request, rc_admin_reply *reply)
{
    rc_admin_action action = {.kind = RC_ADMIN_RELOAD};
    (void)ctx;
    act(request, reply, &action);
}

static void on_drain(void *ctx, const rc_admin_request *request, rc_admin_reply *reply)
{
    rc_admin_action action = {.kind = RC_ADMIN_DRAIN};
    (void)ctx;
    act(request, reply, &action);
}

const rc_admin_route rc_admin_routes[] = {
    {"GET", "/healthz", RC_ADMIN_OPEN, on_health, NULL},
    {"GET", "/readyz", RC_ADMIN_OPEN, on_ready, NULL},
    {"GET", "/metrics", RC_ADMIN_READ, on_metrics, NULL},
    {"GET", "/admin/v1/state", RC_ADMIN_READ, on_state, NULL},
    {"GET", "/admin/v1/targets", RC_ADMIN_READ, on_targets, NULL},
    {"GET", "/admin/v1/keys", RC_ADMIN_READ, on_keys, NULL},
    {"GET", "/admin/v1/budget", RC_ADMIN_READ, on_retry_budget, NULL},
    {"POST", "/admin/v1/targets/{}/{...}/out", RC_ADMIN_CHANGE, on_out, NULL},
    {"POST", "/admin/v1/targets/{}/{...}/in", RC_ADMIN_CHANGE, on_in, NULL},
    {"POST", "/admin/v1/targets/{}/{...}/clear", RC_ADMIN_CHANGE, on_clear, NULL},
    {"POST", "/admin/v1/keys/{...}/revive", RC_ADMIN_CHANGE, on_revive, NULL},
    {"GET", "/admin/v1/budgets", RC_ADMIN_READ, on_money_budgets, NULL},
    {"POST", "/admin/v1/budgets/{...}/raise", RC_ADMIN_CHANGE, on_raise, NULL},
    {"POST", "/admin/v1/reload", RC_ADMIN_CHANGE, on_reload, NULL},
    {"POST", "/admin/v1/drain", RC_ADMIN_CHANGE, on_drain, NULL},
};
const size_t rc_admin_route_count = sizeof(rc_admin_routes) / sizeof(rc_admin_routes[0]);
