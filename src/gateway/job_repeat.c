/* Is a request one that was answered for good a moment ago? See repeats.h. */
#include "base/str.h"
#include "core/render_text.h"
#include "gateway/job.h"

/* Larger bodies are not compared. */
#define BODY_MAX ((size_t)4 << 20)

static bool is_comparable(const rc_gate_job *job)
{
    return !job->is_body_gone && !job->is_once && job->request.body.len > 0 &&
           job->request.body.len <= BODY_MAX;
}

static rc_str agent_of(const rc_gate_job *job)
{
    return rc_http1_find(job->request.reader, job->request.head, RC_STR("user-agent"));
}

/* The client, the path with its query, the body. */
static uint64_t hash_of(const rc_gate_job *job)
{
    const rc_config *config = rc_gate_job_plans(job)->config;
    const rc_str parts[] = {
        job->client != SIZE_MAX ? config->clients[job->client].name : agent_of(job),
        rc_http1_target(job->request.reader, job->request.head),
        job->request.body,
    };
    return rc_repeats_hash(&job->gate->world->repeats, parts, sizeof parts / sizeof parts[0]);
}

void rc_gate_job_check_repeat(rc_gate_job *job)
{
    rc_repeats *repeats = &job->gate->world->repeats;
    const uint64_t now_ms = rc_gate_now(job->gate);
    if (!rc_repeats_is_armed(repeats, now_ms) || !is_comparable(job))
        return;
    rc_repeats_who who = {.is_product = job->client == SIZE_MAX};
    who.name = who.is_product ? rc_repeats_product(agent_of(job))
                              : rc_gate_job_plans(job)->config->clients[job->client].name;
    (void)rc_repeats_check(repeats, hash_of(job), &who, now_ms, rc_gate_unix_ms(job->gate));
}

void rc_gate_job_note_final(const rc_gate_job *job)
{
    if (!rc_render_should_retry(job->report) && is_comparable(job))
        rc_repeats_add(&job->gate->world->repeats, hash_of(job), rc_report_code(job->report),
                       rc_gate_now(job->gate));
}
