/* One try: the request as the provider gets it, and the call that carries it.
 * */
#include "base/str.h"
#include "gateway/job.h"

static uint32_t ms32(uint64_t ms)
{
    return ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX;
}

/* ---- the target ---- */

static rc_secret key_of(const rc_gate_job *job)
{
    if (job->now.credential == RC_NO_TARGET)
        return rc_secret_make(rc_str_make(NULL, 0));
    const rc_gate_key *key = &job->gate->plans.keys[job->now.credential];
    return rc_secret_make(rc_str_make(key->bytes, key->len));
}

/* The demo speaks as it is spoken to. */
static const rc_config_kind *kind_of(const rc_gate_job *job, const rc_gate_provider *provider)
{
    if (!provider->is_demo)
        return provider->config->kind;
    switch (job->request.endpoint->wire) {
    case RC_WIRE_ANTHROPIC:
        return rc_config_kind_find(RC_STR("anthropic"));
    case RC_WIRE_GEMINI:
        return rc_config_kind_find(RC_STR("gemini"));
    case RC_WIRE_OPENAI:
    case RC_WIRE_COUNT: /* NATIVE */
    case RC_WIRE_LOCAL:
        break;
    }
    return rc_config_kind_find(RC_STR("openai"));
}

static rc_gate_fault write_request(rc_gate_job *job, const rc_gate_provider *provider,
                                   rc_gate_upstream *ret_upstream)
{
    rc_gate_target target = {
        .origin = &provider->origin,
        .kind = kind_of(job, provider),
        .auth = (rc_config_auth)provider->config->auth,
        .model = job->now.model,
        .key = key_of(job),
    };
    if (job->request.trace.is_valid)
        rc_gate_chance(job->gate, target.span, sizeof target.span);
    return rc_gate_request_write(&job->request, &target, &job->wire, ret_upstream);
}

/* One view of the body: the client's own bytes unless another model stands in them. */
static bool join(rc_gate_job *job, const rc_gate_upstream *up, rc_str *ret_body)
{
    *ret_body = up->pieces[0];
    if (up->pieces[1].len == 0)
        return true;
    rc_buf_reset(&job->sent);
    (void)rc_buf_reserve(&job->sent, (size_t)up->body_bytes);
    for (size_t i = 0; i < RC_GATE_PIECES; i++)
        rc_buf_push(&job->sent, up->pieces[i]);
    *ret_body = rc_buf_get(&job->sent);
    return rc_buf_status(&job->sent) == RC_OK;
}

/* ---- the call ---- */

static void start(rc_gate_job *job, const rc_gate_provider *provider,
                  const rc_upstream_request *request)
{
    rc_gate *gate = job->gate;
    if (provider->is_demo) {
        job->now.demo =
            rc_demo_start(gate->demo, request, rc_gate_unix_ms(gate), &rc_gate_job_upstream, job);
        if (job->now.demo == NULL)
            rc_gate_job_fail_here(job, RC_CODE_INTERNAL,
                                  RC_STR("There is no memory for the demo's answer."));
        return;
    }
    const rc_upstream_kind kind = rc_upstream_start(
        &job->now.upstream, gate->upstream, &provider->origin, request, &rc_gate_job_upstream, job);
    if (kind != RC_UPSTREAM_NONE)
        rc_gate_job_fail_here(job, rc_gate_job_local_code(kind),
                              rc_str_c(rc_upstream_kind_text(kind)));
}

static void begin(rc_gate_job *job)
{
    const rc_gate_plans *plans = &job->gate->plans;
    const rc_gate_place *place = &plans->places[job->action.target];
    const bool is_open = rc_str_eq(place->model, RC_STR("*"));
    const uint64_t now_ms = rc_gate_now(job->gate);
    job->now.mode = RC_MODE_HEAD;
    job->now.place = job->action.target;
    job->now.credential = job->action.credential;
    job->now.model = is_open ? job->model : place->model;
    job->now.is_full = false;
    job->now.started_ms = now_ms;
    job->now.content_by_ms =
        now_ms + job->route->timeouts.connect_ms + job->route->timeouts.first_byte_ms;
    rc_buf_reset(&job->head);
    rc_buf_reset(&job->held);
}

void rc_gate_job_try(rc_gate_job *job)
{
    begin(job);
    const rc_gate_plans *plans = &job->gate->plans;
    const rc_gate_provider *provider = &plans->providers[plans->places[job->now.place].provider];
    const rc_config_timeouts *timeouts = &job->route->timeouts;
    rc_gate_upstream up;
    rc_str body;
    const rc_gate_fault fault = write_request(job, provider, &up);
    if (fault.kind != RC_GATE_FAULT_NONE) {
        rc_gate_job_fail_here(job, fault.code, rc_str_c(fault.text));
        return;
    }
    if (!join(job, &up, &body)) {
        rc_gate_job_fail_here(job, RC_CODE_INTERNAL, RC_STR("There is no memory for the try."));
        return;
    }
    const rc_upstream_request request = {
        .head = up.head,
        .body = body,
        .is_bodiless = up.is_bodiless,
        .connect_ms = ms32(timeouts->connect_ms),
        .first_byte_ms = ms32(timeouts->first_byte_ms),
        .idle_ms = ms32(timeouts->idle_ms),
    };
    rc_gate_job_arm(job);
    start(job, provider, &request);
}

void rc_gate_job_stop_try(rc_gate_job *job)
{
    if (job->now.demo != NULL)
        rc_demo_cancel(job->now.demo);
    job->now.demo = NULL;
    rc_upstream_cancel(&job->now.upstream);
}

void rc_gate_job_pause_try(rc_gate_job *job)
{
    job->now.is_full = true;
    if (job->now.demo != NULL)
        rc_demo_pause(job->now.demo);
    else if (rc_upstream_is_live(&job->now.upstream))
        rc_upstream_pause(&job->now.upstream);
}

void rc_gate_job_resume_try(rc_gate_job *job)
{
    if (!job->now.is_full)
        return;
    job->now.is_full = false;
    if (job->now.demo != NULL)
        rc_demo_resume(job->now.demo);
    else if (rc_upstream_is_live(&job->now.upstream))
        rc_upstream_resume(&job->now.upstream);
}
