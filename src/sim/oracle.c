/* The oracle: a policy that knows when faults, limits and capacity change, but not the outcome of a
 * random fault. Every other policy is compared with it. Called by request.c and sim.c. */
#include "sim/state.h"

/* A target whose random faults hit at least this share of the calls, or make calls hang, is used
 * only if no target with fewer faults accepts the request, as a circuit breaker would do. */
#define WEAK_PCT 50u

/* Returns the time that a response of `spec` usually takes after its first content, and before
 * that. */
static uint64_t tokens_ms(const rc_sim_provider *spec, const rc_sim_request *request)
{
    return spec->tokens_per_s == 0 ? 0 : UINT64_C(1000) * request->tokens_out / spec->tokens_per_s;
}

void rc_sim_oracle_add(rc_sim_state *sim, uint32_t index)
{
    rc_sim_request *request = rc_sim_request_at(sim, index);
    const rc_sim_provider *spec = &sim->scenario->providers[0];
    uint64_t deadline_ms = request->arrived_at_ms + sim->scenario->clients.deadline_ms;
    uint64_t shortest_ms = spec->first_token_ms.min + tokens_ms(spec, request);
    rc_sim_request usual = {.tokens_out = sim->scenario->clients.tokens_out.p50};
    uint64_t usual_ms = spec->first_token_ms.p99 + tokens_ms(spec, &usual);
    request->is_waiting = true;
    rc_sim_process_reserve(sim, &sim->processes[0]);
    void *refused;
    rc_queue_request entry = {
        .item = (void *)(uintptr_t)index,
        .start_by_ms = deadline_ms > usual_ms ? deadline_ms - usual_ms : 0,
        .leave_at_ms = deadline_ms > shortest_ms ? deadline_ms - shortest_ms : 0,
    };
    if (rc_queue_push(&sim->processes[0].queue, &entry, &request->ticket, &refused) ==
        RC_QUEUE_FULL)
        rc_sim_state_fail(sim, RC_E_TOO_LARGE);
}

/* The best provider and key for a request, and the earliest time at which one may accept it. */
typedef struct choice {
    uint16_t provider; /* RC_NO_TARGET: none accepts the request now. */
    uint16_t key;
    uint64_t at_ms;
    bool is_weak; /* Random faults hit the calls often, or cost much time. */
    uint32_t fail_pct;
} choice;

static void consider(rc_sim_state *sim, const rc_sim_request *request, uint16_t provider,
                     choice *best)
{
    rc_sim_call call = {.tokens_in = request->tokens_in,
                        .tokens_out = request->tokens_out,
                        .is_streaming = sim->scenario->clients.is_streaming};
    for (uint16_t key = 0; key < sim->scenario->providers[provider].keys; key++) {
        call.key = key;
        rc_sim_prospect prospect =
            rc_sim_upstream_prospect(&sim->upstreams[provider], &call, sim->now_ms);
        if (prospect.at_ms < best->at_ms)
            best->at_ms = prospect.at_ms;
        bool is_better =
            best->provider == RC_NO_TARGET || (best->is_weak && prospect.fail_pct < best->fail_pct);
        if (!prospect.is_accepted || !is_better)
            continue;
        best->provider = provider;
        best->key = key;
        best->fail_pct = prospect.fail_pct;
        best->is_weak = prospect.fail_pct >= WEAK_PCT || prospect.may_hang;
    }
}

static choice choose(rc_sim_state *sim, const rc_sim_request *request)
{
    choice best = {.provider = RC_NO_TARGET, .at_ms = RC_UNLIMITED};
    for (uint16_t i = 0; i < sim->scenario->provider_count; i++)
        consider(sim, request, i, &best);
    return best;
}

/* --- gradual release --- */

#define RELEASE_PCT 150
#define MICRO UINT64_C(1000000)

/* Returns whether a gradual oracle may start a call now. If not, *ret_at_ms is the time at which it
 * may start the call. Calls may start up to a tenth of a second early. */
static bool may_release(rc_sim_state *sim, uint64_t *ret_at_ms)
{
    rc_sim_token_bucket *bucket = &sim->release;
    if (!sim->policy->is_gradual || !sim->is_releasing)
        return true;
    bucket->rate = rc_sim_clients_rate_micro(sim) * RELEASE_PCT / 100;
    bucket->max = MICRO + bucket->rate * RC_SIM_BUCKET_MS;
    bucket->level += (sim->now_ms - bucket->at_ms) * bucket->rate;
    if (bucket->level > bucket->max)
        bucket->level = bucket->max;
    bucket->at_ms = sim->now_ms;
    if (bucket->level >= MICRO)
        return true;
    uint64_t rate = bucket->rate > 0 ? bucket->rate : 1;
    *ret_at_ms = sim->now_ms + (MICRO - bucket->level + rate - 1) / rate;
    return false;
}

/* Requests an event at the earliest time at which something changes for the waiting requests. */
static void schedule(rc_sim_state *sim, uint64_t at_ms)
{
    uint64_t next_ms = rc_queue_next_ms(&sim->processes[0].queue);
    at_ms = next_ms < at_ms ? next_ms : at_ms;
    at_ms = at_ms > sim->now_ms ? at_ms : sim->now_ms + 1;
    bool is_pending = sim->oracle_run_at_ms > sim->now_ms && sim->oracle_run_at_ms <= at_ms;
    if (next_ms == UINT64_MAX || is_pending)
        return;
    sim->oracle_run_at_ms = at_ms;
    rc_sim_state_fail(sim,
                      rc_sim_event_heap_push(&sim->heap, at_ms, RC_SIM_RUN | RC_SIM_ORACLE_RUN));
}

void rc_sim_oracle_run(rc_sim_state *sim)
{
    rc_queue *queue = &sim->processes[0].queue;
    if (sim->oracle_run_at_ms <= sim->now_ms)
        sim->oracle_run_at_ms = RC_UNLIMITED;
    for (uint32_t ticket; (ticket = rc_queue_overdue(queue, sim->now_ms)) != RC_QUEUE_NONE;) {
        uint32_t index = (uint32_t)(uintptr_t)rc_queue_item(queue, ticket);
        rc_queue_remove(queue, ticket);
        rc_sim_request_give_up(sim, index);
    }
    for (uint32_t ticket; (ticket = rc_queue_head(queue, 0)) != RC_QUEUE_NONE;) {
        uint32_t index = (uint32_t)(uintptr_t)rc_queue_item(queue, ticket);
        rc_sim_request *request = rc_sim_request_at(sim, index);
        choice best = choose(sim, request);
        sim->is_releasing = sim->is_releasing || best.provider == RC_NO_TARGET;
        if (best.provider == RC_NO_TARGET || !may_release(sim, &best.at_ms)) {
            schedule(sim, best.at_ms);
            return;
        }
        if (sim->policy->is_gradual)
            sim->release.level -= MICRO;
        rc_queue_grant(queue, ticket);
        rc_action action = {.kind = RC_DO_TRY,
                            .target = best.provider,
                            .credential = best.key,
                            .deadline_at_ms =
                                request->arrived_at_ms + sim->scenario->clients.deadline_ms};
        rc_sim_request_call(sim, index, &action);
    }
    sim->is_releasing = false; /* nobody waits any more */
}
