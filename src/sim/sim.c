/* Runs a scenario: scales it, runs each policy's events and collects the results. Called by
 * recourse simulate. */
#include "sim/sim.h"

#include "sim/state.h"

/* Number of events between two progress reports. */
#define EVENTS_PER_PROGRESS 4096

typedef struct sim_run {
    const rc_sim_options *options;
    rc_alloc alloc;
    rc_sim_scenario scenario; /* The scenario that runs, after scaling. */
    rc_sim_state *sim;
    rc_sim_result *result;
    uint32_t index; /* Index of the running policy. */
    uint32_t count; /* Number of policies that run, with the oracle. */
    rc_sim_policy oracle;
} sim_run;

/* Returns value * num / den, but at least 1 and at most `max`. */
static uint64_t scaled(uint64_t value, uint64_t num, uint64_t den, uint64_t max)
{
    uint64_t limit = UINT64_MAX / (num == 0 ? 1 : num);
    uint64_t result = value < limit ? value * num / den : value / den * num;
    if (result < 1)
        return 1;
    return result < max ? result : max;
}

static void scale_limit(uint32_t *limit, uint64_t num, uint64_t den)
{
    if (*limit > 0)
        *limit = (uint32_t)scaled(*limit, num, den, UINT32_MAX);
}

/* Makes the token bucket of a scaled-down scenario large enough for the largest request. */
static void fit_largest_request(rc_sim_limits *limits, const rc_sim_clients *clients)
{
    uint64_t most = (uint64_t)clients->tokens_in.max + clients->tokens_out.max;
    uint64_t least = most * RC_SIM_MINUTE_MS / limits->burst_ms + 1;
    if (limits->tokens_per_min > 0 && limits->tokens_per_min < least)
        limits->tokens_per_min = least < UINT32_MAX ? (uint32_t)least : UINT32_MAX;
}

/* Scales clients and provider limits to a number of requests. */
static void scale(rc_sim_scenario *scenario, uint64_t requests)
{
    rc_sim_clients *clients = &scenario->clients;
    uint64_t expected = rc_sim_scenario_requests(scenario);
    if (requests == 0 || expected == 0)
        return;
    uint64_t count = scaled(clients->count, requests, expected, UINT32_MAX);
    if (count > RC_SIM_CLIENTS_MAX) {
        clients->every_ms =
            (uint32_t)scaled(clients->every_ms, RC_SIM_CLIENTS_MAX, count, UINT32_MAX);
        count = RC_SIM_CLIENTS_MAX;
    }
    clients->count = (uint32_t)count;
    for (uint32_t i = 0; i < scenario->provider_count; i++) {
        rc_sim_provider *provider = &scenario->providers[i];
        scale_limit(&provider->limits.requests_per_min, requests, expected);
        scale_limit(&provider->limits.tokens_per_min, requests, expected);
        fit_largest_request(&provider->limits, clients);
        scale_limit(&provider->limits.concurrency, requests, expected);
        scale_limit(&provider->capacity.per_s, requests, expected);
        scale_limit(&provider->capacity.burst, requests, expected);
        if (provider->limits.quota_requests > 0)
            provider->limits.quota_requests =
                scaled(provider->limits.quota_requests, requests, expected, UINT64_MAX);
    }
}

static void add_span(rc_sim_result *result, const rc_sim_span *wanted, const char *label,
                     const char *provider)
{
    rc_sim_span span = *wanted;
    if (span.until_ms > result->duration_ms)
        span.until_ms = result->duration_ms;
    if (span.from_ms >= span.until_ms)
        return;
    if (result->fault_until_ms == 0 || span.from_ms < result->fault_from_ms)
        result->fault_from_ms = span.from_ms;
    if (span.until_ms > result->fault_until_ms)
        result->fault_until_ms = span.until_ms;
    if (result->span_count == RC_SIM_SPANS_MAX)
        return;
    rc_sim_text_set(span.label, sizeof span.label, rc_str_c(label));
    rc_sim_text_set(span.provider, sizeof span.provider, rc_str_c(provider));
    result->spans[result->span_count++] = span;
}

static void add_spans(rc_sim_result *result, const rc_sim_scenario *scenario)
{
    const rc_sim_surge *surge = &scenario->clients.surge;
    rc_sim_span span = {.from_ms = surge->from_ms, .until_ms = surge->until_ms, .share_pct = 100};
    add_span(result, &span, "surge", "");
    for (uint32_t i = 0; i < scenario->provider_count; i++) {
        const rc_sim_provider *provider = &scenario->providers[i];
        for (uint32_t j = 0; j < provider->fault_count; j++) {
            const rc_sim_fault *fault = &provider->faults[j];
            span = (rc_sim_span){.from_ms = fault->from_ms,
                                 .until_ms = fault->until_ms,
                                 .share_pct = fault->share_pct};
            add_span(result, &span, rc_sim_fault_name(fault->kind), provider->name);
        }
    }
}

static void describe(sim_run *run, uint64_t seed)
{
    rc_sim_result *result = run->result;
    const rc_sim_scenario *scenario = &run->scenario;
    rc_sim_text_set(result->scenario, sizeof result->scenario, rc_str_c(scenario->name));
    rc_sim_text_set(result->about, sizeof result->about, rc_str_c(scenario->about));
    result->seed = seed;
    result->clients = scenario->clients.count;
    result->duration_ms = scenario->duration_ms;
    result->deadline_ms = scenario->clients.deadline_ms;
    add_spans(result, scenario);
}

/* Returns the policy with the number run->index. After the last policy of the scenario follows the
 * oracle, unless it is one of them. */
static const rc_sim_policy *policy_of(sim_run *run)
{
    return run->index < run->scenario.policy_count ? &run->scenario.policies[run->index]
                                                   : &run->oracle;
}

/* Calls the caller's progress function. Returns false if the progress function returned false,
 * which ends the run. */
static bool report_progress(sim_run *run, uint64_t now_ms, bool is_over)
{
    uint32_t count = run->count;
    if (run->options->progress == NULL || count == 0)
        return true;
    uint64_t duration_ms = run->scenario.duration_ms;
    uint64_t part = now_ms < duration_ms ? now_ms * 1000 / duration_ms : 999;
    uint32_t permille = (uint32_t)((run->index * UINT64_C(1000) + part) / count);
    if (is_over)
        permille = 1000;
    rc_sim_progress progress = {.policy = policy_of(run)->name,
                                .policy_index = run->index,
                                .policy_count = count,
                                .permille = permille};
    return run->options->progress(run->options->progress_ctx, &progress);
}

/* Runs the queue of a process. The queue may have asked for another time since the event was
 * scheduled; then it has nothing to do yet. */
static void run_queue(rc_sim_state *sim, uint32_t process)
{
    if (process == RC_SIM_ORACLE_RUN) {
        rc_sim_oracle_run(sim);
        return;
    }
    rc_shared *shared = &sim->processes[process].shared;
    if (shared->queue_run_at_ms <= sim->now_ms)
        rc_shared_run_queue(shared, sim->now_ms, rc_sim_rng_next(&sim->entropy));
}

static void run_events(sim_run *run)
{
    rc_sim_state *sim = run->sim;
    rc_sim_event event;
    for (uint64_t count = 0; sim->status == RC_OK && sim->tally.status == RC_OK; count++) {
        if (!rc_sim_event_heap_pop(&sim->heap, &event))
            return;
        sim->now_ms = event.at_ms;
        if ((event.tag & RC_SIM_ARRIVAL) == 0 && (event.tag & RC_SIM_RUN) != 0)
            run_queue(sim, event.tag & ~RC_SIM_RUN);
        else if ((event.tag & RC_SIM_ARRIVAL) != 0)
            rc_sim_clients_arrive(sim, event.tag & ~RC_SIM_ARRIVAL);
        else
            rc_sim_request_resume(sim, event.tag);
        if (count % EVENTS_PER_PROGRESS == 0 && !report_progress(run, sim->now_ms, false)) {
            run->result->is_partial = true;
            return;
        }
    }
}

static rc_status run_policy(sim_run *run, uint64_t seed)
{
    const rc_sim_policy *policy = policy_of(run);
    rc_sim_policy_result *result = &run->result->policies[run->index];
    rc_sim_text_set(result->name, sizeof result->name, rc_str_c(policy->name));
    rc_sim_text_set(result->about, sizeof result->about, rc_str_c(policy->about));
    result->is_ours = policy->rival == RC_SIM_OURS;
    result->is_oracle = policy->rival == RC_SIM_ORACLE;
    rc_sim_state *sim = run->sim;
    *sim = (rc_sim_state){.status = RC_OK};
    rc_status status = rc_sim_state_init(sim, &run->scenario, policy, seed, &run->alloc, result);
    if (status == RC_OK) {
        run_events(run);
        status = sim->status != RC_OK ? sim->status : sim->tally.status;
    }
    if (result->is_ours && status == RC_OK && policy->settings.retry_budget.burst > 0)
        result->refill_ms = rc_retry_budget_refill_ms(&sim->processes[0].shared.retry_budget);
    if (sim->now_ms > run->result->end_ms)
        run->result->end_ms = sim->now_ms;
    rc_sim_tally_finish(&sim->tally, run->result->duration_ms, run->result->fault_from_ms,
                        run->result->fault_until_ms);
    rc_sim_state_done(sim);
    return status;
}

static void compare_with_oracle(rc_sim_result *result)
{
    for (uint32_t i = 0; result->oracle != NULL && i < result->policy_size; i++)
        result->policies[i].below_oracle_milli_pct = (int32_t)result->oracle->success_milli_pct -
                                                     (int32_t)result->policies[i].success_milli_pct;
}

/* Returns the number of policies that run: those of the scenario, and the oracle. */
static uint32_t count_policies(const sim_run *run)
{
    uint32_t count = run->scenario.policy_count;
    bool has_oracle = run->options->has_no_oracle;
    for (uint32_t i = 0; i < count; i++)
        has_oracle = has_oracle || run->scenario.policies[i].rival == RC_SIM_ORACLE;
    return count + !has_oracle;
}

static rc_status run_all(sim_run *run, uint64_t seed)
{
    for (run->index = 0; run->index < run->count; run->index++) {
        rc_status status = run_policy(run, seed);
        if (status != RC_OK)
            return status;
        if (run->result->is_partial) {
            if (run->index < run->result->policy_count)
                run->result->policy_count = run->index + 1;
            return RC_OK;
        }
        if (policy_of(run)->rival == RC_SIM_ORACLE)
            run->result->oracle = &run->result->policies[run->index];
    }
    compare_with_oracle(run->result);
    run->index--;
    (void)report_progress(run, run->scenario.duration_ms, true);
    return RC_OK;
}

rc_status rc_sim_run(const rc_sim_scenario *scenario, const rc_sim_options *options,
                     const rc_alloc *alloc, rc_sim_result **ret_result)
{
    if (rc_sim_scenario_check(scenario) != NULL)
        return RC_E_ARGUMENT;
    static const rc_sim_options none = {.seed = 0};
    if (options != NULL && options->requests > rc_sim_scenario_requests_max(scenario))
        return RC_E_RANGE;
    sim_run *run = alloc->get(alloc->ctx, sizeof *run);
    if (run == NULL)
        return RC_E_NOMEM;
    *run = (sim_run){.options = options != NULL ? options : &none, .alloc = *alloc};
    run->scenario = *scenario;
    scale(&run->scenario, run->options->requests);
    uint64_t seed = run->options->seed != 0 ? run->options->seed : scenario->seed;
    rc_status status = RC_E_NOMEM;
    run->sim = alloc->get(alloc->ctx, sizeof *run->sim);
    run->oracle = rc_sim_oracle();
    run->count = count_policies(run);
    run->result = rc_sim_result_new(alloc, run->count, 0);
    if (run->sim != NULL && run->result != NULL) {
        run->result->policy_count = scenario->policy_count;
        describe(run, seed);
        status = run_all(run, seed);
    }
    if (run->sim != NULL)
        alloc->put(alloc->ctx, run->sim, sizeof *run->sim);
    if (status == RC_OK)
        *ret_result = run->result;
    else
        rc_sim_result_free(run->result);
    alloc->put(alloc->ctx, run, sizeof *run);
    return status;
}
