/* Determines the deadline of a call and describes it when it has passed. Called by
 * attempt_failure.c, exchange.c, exchange_reply.c and exchange_request.c. */
#include "gateway/exchange/exchange_deadline.h"
#include "base/str.h"
#include "classify/connection.h"
#include "gateway/exchange/attempt.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/exchange/exchange_reply.h"
#include "gateway/runtime/runtime.h"
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
