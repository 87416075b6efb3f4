/* Determines the deadline of a call and describes it when it has passed; the settings of a call for
 * the waiting queue and for learned rate limits. Called by attempt_failure.c, exchange.c,
 * exchange_reply.c and exchange_request.c. */
#include "gateway/exchange/exchange_deadline.h"
#include "base/str.h"
#include "classify/connection.h"
#include "gateway/exchange/attempt.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/exchange/exchange_reply.h"
#include "gateway/observe/metrics.h"
#include "gateway/runtime/runtime.h"
#include "gateway/state/hub.h"
#include "gateway/state/snapshot.h"

static rc_announced_by announced_by(rc_field_id field)
{
    if (field == RC_FIELD_CLIENT_TIMEOUT)
        return RC_ANNOUNCED_TIMEOUT;
    return field == RC_FIELD_CLIENT_READ_TIMEOUT ? RC_ANNOUNCED_READ_TIMEOUT
                                                 : RC_ANNOUNCED_SERVER_TIMEOUT;
}

rc_deadline_limits rc_exchange_limits(const rc_exchange *exchange)
{
    const rc_client_request *request = &exchange->request;
    rc_deadline_limits limits = {
        .received_ms = exchange->began_ms,
        .called_ms = exchange->called_ms,
        .client_ms = request->deadline_ms,
        .announced_ms = request->client_timeout_ms,
        .announced_by = announced_by(request->client_timeout_field),
        .route_ms = RC_UNLIMITED,
        .route_policy_ms = RC_UNLIMITED,
        .policy_ms = RC_UNLIMITED,
    };
    if (exchange->route != NULL) {
        limits.route_ms = exchange->route->deadline_ms;
        limits.route_policy_ms = exchange->route->plan.policy->budget_ms;
        limits.policy_ms = exchange->plan.policy->budget_ms;
    }
    return limits;
}

static rc_deadline deadline_of(const rc_exchange *exchange)
{
    return rc_deadline_of(&exchange->machine.limits);
}

bool rc_attempt_had_time(const rc_attempt *attempt)
{
    const rc_exchange *exchange = attempt->exchange;
    return rc_deadline_was_fair(&exchange->machine.limits,
                                rc_runtime_now(exchange->runtime) - attempt->started_ms);
}

void rc_exchange_set_deadline(const rc_exchange *exchange, rc_failure *failure)
{
    const rc_deadline passed = deadline_of(exchange);
    failure->connection = passed.fault;
    failure->limit_ms = (int64_t)passed.limit_ms;
}

void rc_exchange_describe_deadline(const rc_exchange *exchange, rc_builder *builder)
{
    const rc_deadline passed = deadline_of(exchange);
    rc_connection_describe_deadline(builder, passed.fault, (int64_t)passed.limit_ms);
    rc_builder_set_rule(builder, rc_str_c(passed.rule));
}

void rc_exchange_add_deadline_context(const rc_exchange *exchange, rc_builder *builder)
{
    const rc_deadline ahead = deadline_of(exchange);
    rc_builder_set_context(builder, RC_STR("deadline"),
                           rc_str_c(rc_connection_get(ahead.fault)->limit_setting));
    rc_builder_set_context_int(builder, RC_STR("deadline_ms"), (int64_t)ahead.limit_ms);
}

void rc_exchange_report_late(rc_exchange *exchange)
{
    rc_builder builder;
    rc_exchange_begin_outcome(exchange, &builder, RC_LOCAL_DEADLINE, RC_STR(""));
    rc_exchange_describe_deadline(exchange, &builder);
    rc_report_free(exchange->report);
    exchange->report = rc_builder_finish(&builder);
}

/* ---- waits ---- */

/* Returns a number for the client: requests of the same client share a place in the order of the
 * waiting queue. Without configured clients, all requests are one client. */
static uint64_t client_number(const rc_exchange *exchange)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    if (exchange->client == SIZE_MAX)
        return 0;
    const rc_str name = exchange->snapshot->config->clients[exchange->client].name;
    for (size_t i = 0; i < name.len; i++)
        hash = (hash ^ (uint8_t)name.ptr[i]) * UINT64_C(1099511628211);
    return hash;
}

/* Sets the options of the waiting queue and of learned limits: those of the route, which the
 * client's own settings may restrict. */
static void set_waits(rc_exchange *exchange, rc_call_options *options)
{
    const rc_route *route = exchange->route;
    const rc_config_client *client = exchange->client != SIZE_MAX
                                         ? &exchange->snapshot->config->clients[exchange->client]
                                         : NULL;
    options->max_wait_ms = route->max_wait_ms;
    options->never_queues = route->is_wait_off;
    options->never_learns = route->is_learn_off;
    if (client == NULL)
        return;
    if (client->max_wait_ms > 0 &&
        (options->max_wait_ms == 0 || client->max_wait_ms < options->max_wait_ms))
        options->max_wait_ms = client->max_wait_ms;
    options->never_queues = options->never_queues || client->wait == 1;
    options->never_learns = options->never_learns || client->learn == 1;
    exchange->plan.is_failover_last = exchange->plan.is_failover_last || client->failover == 1;
}

/* Sets the estimated tokens of the request and of its response, if a provider limits tokens. */
static void set_tokens(const rc_exchange *exchange, rc_call_options *options)
{
    if (!atomic_load_explicit(&exchange->runtime->hub->limits_tokens, memory_order_relaxed) ||
        options->never_learns || exchange->request.is_compressed || exchange->request.is_free)
        return;
    const rc_usage_estimate estimate = rc_usage_estimate_read(rc_buf_get(&exchange->body));
    const uint64_t usual =
        rc_hub_usual_output(exchange->runtime->hub, exchange->plan.entries[0].target);
    uint64_t output = estimate.max_output * estimate.choices;
    if (usual > 0 && (output == 0 || usual < output))
        output = usual;
    options->tokens_in = estimate.input < UINT32_MAX ? (uint32_t)estimate.input : UINT32_MAX;
    options->tokens_out = output < UINT32_MAX ? (uint32_t)output : UINT32_MAX;
}

void rc_exchange_set_waits(rc_exchange *exchange, rc_call_options *options)
{
    const size_t bytes = exchange->kept_bytes;
    options->client = client_number(exchange);
    options->bytes = bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
    options->owner = &exchange->waiter;
    set_waits(exchange, options);
    set_tokens(exchange, options);
}

static void enter_queue(rc_exchange *exchange)
{
    const rc_waiter_facts facts = {
        .call = &exchange->machine.call,
        .request_id = rc_str_c(exchange->id.text),
        .client = exchange->client != SIZE_MAX
                      ? exchange->snapshot->config->clients[exchange->client].name
                      : rc_str_make(NULL, 0),
        .route = exchange->route->name,
        .model = exchange->model,
        .from_ms = rc_runtime_now(exchange->runtime),
        .bytes = exchange->machine.call.bytes,
    };
    rc_waiting_enter(&exchange->waiter, &facts);
    rc_metrics_on_queued(exchange->runtime->metrics, exchange->route->metric, facts.bytes);
}

static void leave_queue(rc_exchange *exchange, uint32_t end)
{
    const rc_waiter_facts *facts = &exchange->waiter.facts;
    const uint64_t now_ms = rc_runtime_now(exchange->runtime);
    if (!exchange->waiter.is_waiting)
        return;
    rc_waiting_leave(&exchange->waiter);
    rc_metrics_on_dequeued(exchange->runtime->metrics, exchange->route->metric, end, facts->bytes,
                           now_ms > facts->from_ms ? (now_ms - facts->from_ms) * 1000 : 0);
}

/* Returns how the wait ended after which the call takes this action. */
static uint32_t wait_end(const rc_exchange *exchange, const rc_action *action)
{
    if (action->kind != RC_DO_STOP)
        return RC_METRIC_WAIT_END_GRANTED;
    if (action->reason == RC_WHY_QUEUE_FULL)
        return RC_METRIC_WAIT_END_FULL;
    return rc_runtime_now(exchange->runtime) >= exchange->waiter.until_ms
               ? RC_METRIC_WAIT_END_LATE
               : RC_METRIC_WAIT_END_NO_TARGET;
}

void rc_exchange_note_queue(rc_exchange *exchange)
{
    const rc_action *action = &exchange->machine.action;
    if (action->kind == RC_DO_WAIT && action->is_queued) {
        exchange->waiter.until_ms = action->at_ms;
        if (!exchange->waiter.is_waiting)
            enter_queue(exchange);
    } else if (exchange->waiter.is_waiting) {
        leave_queue(exchange, wait_end(exchange, action));
    } else if (action->kind == RC_DO_STOP && action->reason == RC_WHY_QUEUE_FULL) {
        rc_metrics_on_queue_full(exchange->runtime->metrics, exchange->route->metric);
    }
}

void rc_exchange_end_queueing(rc_exchange *exchange, bool is_late)
{
    leave_queue(exchange, is_late                       ? RC_METRIC_WAIT_END_LATE
                          : exchange->responder == NULL ? RC_METRIC_WAIT_END_CLIENT_LEFT
                                                        : RC_METRIC_WAIT_END_STOPPED);
}
