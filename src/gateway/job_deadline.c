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
} deadline;

/* The client's own: it runs from the request's first byte on, and while the body comes. */
uint64_t rc_gate_job_deadline(const rc_gate_job *job)
{
    return job->request.deadline_ms > 0 ? job->began_ms + job->request.deadline_ms : RC_UNLIMITED;
}

/* The policy's budget counts where it ends before the other one; see rc_call_begin. */
static deadline deadline_of(const rc_gate_job *job)
{
    const uint64_t own_at_ms = rc_gate_job_deadline(job);
    const bool has_own = own_at_ms != RC_UNLIMITED;
    if (job->call.plan == NULL)
        return (deadline){RC_CONNECTION_DEADLINE_BODY, "deadline.body", job->request.deadline_ms};
    const uint64_t budget_ms = job->plan.policy->budget_ms;
    if (has_own ? job->call.deadline_at_ms < own_at_ms : budget_ms < job->route->deadline_ms)
        return (deadline){RC_CONNECTION_DEADLINE_POLICY, "deadline.policy", budget_ms};
    if (has_own)
        return (deadline){RC_CONNECTION_DEADLINE_CLIENT, "deadline.client",
                          job->request.deadline_ms};
    return (deadline){RC_CONNECTION_DEADLINE_ROUTE, "deadline.route", job->route->deadline_ms};
}

/* Clients in a hurry must not take a target from the others, and who says nothing for long must not
 * keep it because of a client's deadline. The operator's own limits are taken at their word. */
bool rc_gate_try_had_time(const rc_gate_try *try)
{
    const rc_gate_job *job = try->job;
    const deadline passed = deadline_of(job);
    const uint64_t given_ms =
        passed.fault == RC_CONNECTION_DEADLINE_CLIENT ? job->route->deadline_ms : passed.limit_ms;
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
