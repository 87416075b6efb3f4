/* Deadlines: finds which of the time limits of a call ends first. Called by lib/exchange and the
 * gateway's exchange_deadline.c. */
#include "policy/deadline.h"

#include <recourse/policy.h>

/* An attempt counts against its target if it got no response for this long, or for half of the
 * deadline if that is less. */
#define FAIR_MS UINT64_C(10000)

static const struct announced_row {
    rc_connection_fault fault;
    const char *rule;
} announced_rows[] = {
    [RC_ANNOUNCED_TIMEOUT] = {RC_CONNECTION_ANNOUNCED_TIMEOUT, "deadline.announced_timeout"},
    [RC_ANNOUNCED_READ_TIMEOUT] = {RC_CONNECTION_ANNOUNCED_READ_TIMEOUT,
                                   "deadline.announced_read_timeout"},
    [RC_ANNOUNCED_SERVER_TIMEOUT] = {RC_CONNECTION_ANNOUNCED_SERVER_TIMEOUT,
                                     "deadline.announced_server_timeout"},
};

uint64_t rc_deadline_of_client(const rc_deadline_limits *limits)
{
    return limits->client_ms > 0 ? limits->received_ms + limits->client_ms : RC_UNLIMITED;
}

/* Replaces *earliest if a limit that ends limit_ms after the call's start ends sooner. */
static void limit(rc_deadline *earliest, const rc_deadline_limits *limits,
                  rc_connection_fault fault, const char *rule, uint64_t limit_ms)
{
    if (limit_ms < RC_UNLIMITED - limits->called_ms &&
        limits->called_ms + limit_ms < earliest->at_ms)
        *earliest = (rc_deadline){fault, rule, limit_ms, limits->called_ms + limit_ms};
}

/* Returns the time limit that ends first. A timeout that an SDK announced applies until the
 * response begins; afterwards the SDK's HTTP client limits each single read, or nothing at all. If
 * the client chose a policy, the time budget of the route's policy still applies, too. */
static rc_deadline deadline_of_call(const rc_deadline_limits *limits)
{
    const struct announced_row *announced = &announced_rows[limits->announced_by];
    rc_deadline earliest = {RC_CONNECTION_DEADLINE_ROUTE, "deadline.route", limits->route_ms,
                            limits->called_ms + limits->route_ms};
    if (limits->client_ms > 0)
        earliest = (rc_deadline){RC_CONNECTION_DEADLINE_CLIENT, "deadline.client",
                                 limits->client_ms, rc_deadline_of_client(limits)};
    if (limits->announced_ms > 0 && !limits->is_committed)
        limit(&earliest, limits, announced->fault, announced->rule, limits->announced_ms);
    limit(&earliest, limits, RC_CONNECTION_DEADLINE_POLICY, "deadline.policy",
          limits->route_policy_ms);
    limit(&earliest, limits, RC_CONNECTION_DEADLINE_POLICY, "deadline.policy", limits->policy_ms);
    return earliest;
}

rc_deadline rc_deadline_of(const rc_deadline_limits *limits)
{
    if (!limits->is_called)
        return (rc_deadline){RC_CONNECTION_DEADLINE_BODY, "deadline.body", limits->client_ms,
                             rc_deadline_of_client(limits)};
    return deadline_of_call(limits);
}

static bool is_of_client(rc_connection_fault fault)
{
    return fault == RC_CONNECTION_DEADLINE_CLIENT || fault == RC_CONNECTION_ANNOUNCED_TIMEOUT ||
           fault == RC_CONNECTION_ANNOUNCED_READ_TIMEOUT ||
           fault == RC_CONNECTION_ANNOUNCED_SERVER_TIMEOUT;
}

bool rc_deadline_was_fair(const rc_deadline_limits *limits, uint64_t elapsed_ms)
{
    const rc_deadline passed = rc_deadline_of(limits);
    const uint64_t allowed_ms = is_of_client(passed.fault) ? limits->route_ms : passed.limit_ms;
    const uint64_t fair_ms = allowed_ms / 2 < FAIR_MS ? allowed_ms / 2 : FAIR_MS;
    return elapsed_ms >= fair_ms;
}
