/* Which deadline a call has, and what is said when it has passed. */
#include "base/str.h"
#include "core/connection.h"
#include "gateway/job.h"

/* What has not answered by then is slow, whoever waits for it. */
#define FAIR_MS UINT64_C(10000)

typedef struct deadline {
    rc_connection_fault fault;
    const char *rule; /* of spec/classify.rules: that of a try which the same deadline ends */
    uint64_t limit_ms;
    uint64_t at_ms;
} deadline;

/* The client's own: it runs from the request's first byte on, and while the body comes. */
uint64_t rc_gate_job_deadline(const rc_gate_job *job)
{
    return job->request.deadline_ms > 0 ? job->began_ms + job->request.deadline_ms : RC_UNLIMITED;
}

/* By the header that announces it. */
static deadline announced_in(rc_gate_field patience)
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

static void limit(const rc_gate_job *job, deadline *least, rc_connection_fault fault,
                  const char *rule, uint64_t limit_ms)
{
    if (limit_ms < RC_UNLIMITED - job->called_ms && job->called_ms + limit_ms < least->at_ms)
        *least = (deadline){fault, rule, limit_ms, job->called_ms + limit_ms};
}

/* The first of all that end the call. What an SDK waits for is the response's beginning: HTTP
 * clients count the time between two reads, or none after the head. A policy of the client's choice
 * lasts no longer than the route's. */
static deadline deadline_of_call(const rc_gate_job *job)
{
    const uint64_t own_ms = job->request.deadline_ms;
    const uint64_t route_ms = job->route->deadline_ms;
    deadline least = {RC_CONNECTION_DEADLINE_ROUTE, "deadline.route", route_ms,
                      job->called_ms + route_ms};
    if (own_ms > 0)
        least = (deadline){RC_CONNECTION_DEADLINE_CLIENT, "deadline.client", own_ms,
                           rc_gate_job_deadline(job)};
    const deadline announced = announced_in(job->request.patience);
    if (job->request.patience_ms > 0 && !job->call.is_committed)
        limit(job, &least, announced.fault, announced.rule, job->request.patience_ms);
    limit(job, &least, RC_CONNECTION_DEADLINE_POLICY, "deadline.policy",
          job->route->plan.policy->budget_ms);
    limit(job, &least, RC_CONNECTION_DEADLINE_POLICY, "deadline.policy",
          job->plan.policy->budget_ms);
    return least;
}

static deadline deadline_of(const rc_gate_job *job)
{
    if (job->call.plan == NULL)
        return (deadline){RC_CONNECTION_DEADLINE_BODY, "deadline.body", job->request.deadline_ms,
                          rc_gate_job_deadline(job)};
    return deadline_of_call(job);
}

uint64_t rc_gate_job_call_deadline(const rc_gate_job *job)
{
    return deadline_of_call(job).at_ms;
}

void rc_gate_job_end_patience(rc_gate_job *job)
{
    if (job->request.patience_ms == 0)
        return;
    job->call.deadline_at_ms = rc_gate_job_call_deadline(job);
    job->action.deadline_at_ms = job->call.deadline_at_ms;
}

static bool is_clients(rc_connection_fault fault)
{
    return fault == RC_CONNECTION_DEADLINE_CLIENT || fault == RC_CONNECTION_ANNOUNCED_TIMEOUT ||
           fault == RC_CONNECTION_ANNOUNCED_READ_TIMEOUT ||
           fault == RC_CONNECTION_ANNOUNCED_SERVER_TIMEOUT;
}

/* Clients in a hurry must not take a target from the others, and who says nothing for long must not
 * keep it because of a client's deadline. The operator's own limits are taken at their word. */
bool rc_gate_try_had_time(const rc_gate_try *try)
{
    const rc_gate_job *job = try->job;
    const deadline passed = deadline_of(job);
    const uint64_t given_ms = is_clients(passed.fault) ? job->route->deadline_ms : passed.limit_ms;
    const uint64_t fair_ms = given_ms / 2 < FAIR_MS ? given_ms / 2 : FAIR_MS;
    return rc_gate_now(job->gate) - try->started_ms >= fair_ms;
}

void rc_gate_job_set_deadline(const rc_gate_job *job, rc_failure *failure)
{
    const deadline passed = deadline_of(job);
    failure->connection = passed.fault;
    failure->limit_ms = (int64_t)passed.limit_ms;
}

void rc_gate_job_tell_deadline(const rc_gate_job *job, rc_builder *builder)
{
    const deadline passed = deadline_of(job);
    rc_connection_tell_deadline(builder, passed.fault, (int64_t)passed.limit_ms);
    rc_builder_set_rule(builder, rc_str_c(passed.rule));
}

void rc_gate_job_note_deadline(const rc_gate_job *job, rc_builder *builder)
{
    const deadline ahead = deadline_of(job);
    rc_builder_set_context(builder, RC_STR("deadline"),
                           rc_str_c(rc_connection_get(ahead.fault)->limit));
    rc_builder_set_context_int(builder, RC_STR("deadline_ms"), (int64_t)ahead.limit_ms);
}

void rc_gate_job_refuse_late(rc_gate_job *job)
{
    rc_builder builder;
    rc_gate_job_begin_report(job, &builder, RC_CODE_DEADLINE_EXCEEDED, RC_STR(""));
    rc_gate_job_tell_deadline(job, &builder);
    rc_gate_job_refuse_report(job, rc_builder_finish(&builder));
}
