/* Determines the deadline of a call and describes it when it has passed. Called by exchange.c and
 * exchange_reply.c. */
#include "base/str.h"
#include "classify/connection.h"
#include "gateway/exchange/exchange.h"

/* An attempt that had this much time and no response counts as slow, whoever set the deadline. */
#define FAIR_MS UINT64_C(10000)

typedef struct deadline {
    rc_connection_fault fault;
    const char *rule; /* Rule of spec/classify.rules for an attempt that the same deadline ends. */
    uint64_t limit_ms;
    uint64_t at_ms;
} deadline;

/* The client's own deadline counts from the request's first byte, also while the body arrives. */
uint64_t rc_exchange_client_deadline(const rc_exchange *exchange)
{
    return exchange->request.deadline_ms > 0 ? exchange->began_ms + exchange->request.deadline_ms
                                             : RC_UNLIMITED;
}

/* Chosen by the header that announces the timeout. */
static deadline announced_in(rc_field_id patience)
{
    if (patience == RC_FIELD_CLIENT_TIMEOUT)
        return (deadline){.fault = RC_CONNECTION_ANNOUNCED_TIMEOUT,
                          .rule = "deadline.announced_timeout"};
    if (patience == RC_FIELD_CLIENT_READ_TIMEOUT)
        return (deadline){.fault = RC_CONNECTION_ANNOUNCED_READ_TIMEOUT,
                          .rule = "deadline.announced_read_timeout"};
    return (deadline){.fault = RC_CONNECTION_ANNOUNCED_SERVER_TIMEOUT,
                      .rule = "deadline.announced_server_timeout"};
}

static void limit(const rc_exchange *exchange, deadline *least, rc_connection_fault fault,
                  const char *rule, uint64_t limit_ms)
{
    if (limit_ms < RC_UNLIMITED - exchange->called_ms &&
        exchange->called_ms + limit_ms < least->at_ms)
        *least = (deadline){fault, rule, limit_ms, exchange->called_ms + limit_ms};
}

/* The earliest deadline of the call. An SDK's announced timeout applies until the response begins:
 * HTTP clients count the time between two reads, or none after the head. A policy that the client
 * chose lasts no longer than the route's. */
static deadline deadline_of_call(const rc_exchange *exchange)
{
    const uint64_t own_ms = exchange->request.deadline_ms;
    const uint64_t route_ms = exchange->route->deadline_ms;
    deadline least = {RC_CONNECTION_DEADLINE_ROUTE, "deadline.route", route_ms,
                      exchange->called_ms + route_ms};
    if (own_ms > 0)
        least = (deadline){RC_CONNECTION_DEADLINE_CLIENT, "deadline.client", own_ms,
                           rc_exchange_client_deadline(exchange)};
    const deadline announced = announced_in(exchange->request.client_timeout_field);
    if (exchange->request.client_timeout_ms > 0 && !exchange->call.is_committed)
        limit(exchange, &least, announced.fault, announced.rule,
              exchange->request.client_timeout_ms);
    limit(exchange, &least, RC_CONNECTION_DEADLINE_POLICY, "deadline.policy",
          exchange->route->plan.policy->budget_ms);
    limit(exchange, &least, RC_CONNECTION_DEADLINE_POLICY, "deadline.policy",
          exchange->plan.policy->budget_ms);
    return least;
}

static deadline deadline_of(const rc_exchange *exchange)
{
    if (exchange->call.plan == NULL)
        return (deadline){RC_CONNECTION_DEADLINE_BODY, "deadline.body",
                          exchange->request.deadline_ms, rc_exchange_client_deadline(exchange)};
    return deadline_of_call(exchange);
}

uint64_t rc_exchange_call_deadline(const rc_exchange *exchange)
{
    return deadline_of_call(exchange).at_ms;
}

void rc_exchange_end_announced_timeout(rc_exchange *exchange)
{
    if (exchange->request.client_timeout_ms == 0)
        return;
    exchange->call.deadline_at_ms = rc_exchange_call_deadline(exchange);
    exchange->action.deadline_at_ms = exchange->call.deadline_at_ms;
}

static bool is_client_deadline(rc_connection_fault fault)
{
    return fault == RC_CONNECTION_DEADLINE_CLIENT || fault == RC_CONNECTION_ANNOUNCED_TIMEOUT ||
           fault == RC_CONNECTION_ANNOUNCED_READ_TIMEOUT ||
           fault == RC_CONNECTION_ANNOUNCED_SERVER_TIMEOUT;
}

/* A client's short deadline must not close a target for the others, and a target that stays silent
 * for long must not be excused by a client's deadline. The operator's own limits always count. */
bool rc_attempt_had_time(const rc_attempt *attempt)
{
    const rc_exchange *exchange = attempt->exchange;
    const deadline passed = deadline_of(exchange);
    const uint64_t given_ms =
        is_client_deadline(passed.fault) ? exchange->route->deadline_ms : passed.limit_ms;
    const uint64_t fair_ms = given_ms / 2 < FAIR_MS ? given_ms / 2 : FAIR_MS;
    return rc_loop_now(exchange->loop) - attempt->started_ms >= fair_ms;
}

void rc_exchange_set_deadline(const rc_exchange *exchange, rc_failure *failure)
{
    const deadline passed = deadline_of(exchange);
    failure->connection = passed.fault;
    failure->limit_ms = (int64_t)passed.limit_ms;
}

void rc_exchange_describe_deadline(const rc_exchange *exchange, rc_builder *builder)
{
    const deadline passed = deadline_of(exchange);
    rc_connection_describe_deadline(builder, passed.fault, (int64_t)passed.limit_ms);
    rc_builder_set_rule(builder, rc_str_c(passed.rule));
}

void rc_exchange_add_deadline_context(const rc_exchange *exchange, rc_builder *builder)
{
    const deadline ahead = deadline_of(exchange);
    rc_builder_set_context(builder, RC_STR("deadline"),
                           rc_str_c(rc_connection_get(ahead.fault)->limit_setting));
    rc_builder_set_context_int(builder, RC_STR("deadline_ms"), (int64_t)ahead.limit_ms);
}

void rc_exchange_refuse_late(rc_exchange *exchange)
{
    rc_builder builder;
    rc_exchange_begin_report(exchange, &builder, RC_CODE_DEADLINE_EXCEEDED, RC_STR(""));
    rc_exchange_describe_deadline(exchange, &builder);
    rc_exchange_refuse_report(exchange, rc_builder_finish(&builder));
}
