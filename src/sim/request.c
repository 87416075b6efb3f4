/* Carries out, for each simulated request, the actions that rc_call or the model of a rival's retry
 * loop returns. Called by sim.c, clients.c and oracle.c. */
#include "sim/state.h"

rc_sim_request *rc_sim_request_at(const rc_sim_state *sim, uint32_t index)
{
    return &sim->chunks[index / RC_SIM_CHUNK][index % RC_SIM_CHUNK];
}

static bool add_chunk(rc_sim_state *sim)
{
    if (sim->chunk_count == RC_SIM_IN_FLIGHT_MAX / RC_SIM_CHUNK) {
        rc_sim_state_fail(sim, RC_E_TOO_LARGE);
        return false;
    }
    rc_sim_request *chunk = sim->alloc.get(sim->alloc.ctx, RC_SIM_CHUNK * sizeof *chunk);
    if (chunk == NULL) {
        rc_sim_state_fail(sim, RC_E_NOMEM);
        return false;
    }
    uint32_t first = sim->chunk_count * RC_SIM_CHUNK;
    sim->chunks[sim->chunk_count++] = chunk;
    for (uint32_t i = 0; i < RC_SIM_CHUNK; i++)
        chunk[i].next_free = i + 1 < RC_SIM_CHUNK ? first + i + 1 : RC_SIM_NO_REQUEST;
    sim->free_request = first;
    return true;
}

/* Changes the outcome of a call if the client's first-token timeout or the deadline passes before
 * the end of the timeline. Returns the time at which the call ends. */
static uint64_t cut_short(const rc_sim_state *sim, rc_sim_timeline *timeline,
                          uint64_t deadline_at_ms, uint64_t begin_by_ms)
{
    uint64_t now_ms = sim->now_ms;
    uint64_t patience_ms = sim->scenario->clients.first_token_wait_ms;
    uint64_t first_by_ms = begin_by_ms < deadline_at_ms ? begin_by_ms : deadline_at_ms;
    if (patience_ms > 0 && now_ms + patience_ms < first_by_ms)
        first_by_ms = now_ms + patience_ms;
    bool is_served = timeline->holds_slot && timeline->first_ms != RC_UNLIMITED;
    uint64_t content_ms = is_served ? timeline->first_ms : timeline->done_ms;
    if (content_ms > first_by_ms - now_ms) {
        timeline->outcome.kind = RC_SIM_OUTCOME_TIMEOUT;
        timeline->outcome.wait_ms = -1;
        return first_by_ms;
    }
    if (timeline->done_ms > deadline_at_ms - now_ms) {
        timeline->outcome.kind = RC_SIM_OUTCOME_OVERDUE;
        return deadline_at_ms;
    }
    return now_ms + timeline->done_ms;
}

static uint32_t key_of(rc_sim_state *sim, const rc_sim_request *request, const rc_action *action)
{
    uint32_t keys = sim->scenario->providers[action->target].keys;
    if (sim->is_oracle)
        return action->credential;
    if (sim->rival == NULL)
        return (uint32_t)action->credential % RC_SIM_KEYS_MAX; /* state.c numbers the keys */
    return sim->rival->picks_any_key ? rc_sim_rng_below(&sim->entropy, keys)
                                     : request->client % keys;
}

void rc_sim_request_call(rc_sim_state *sim, uint32_t index, const rc_action *action)
{
    rc_sim_request *request = rc_sim_request_at(sim, index);
    const rc_sim_clients *clients = &sim->scenario->clients;
    rc_sim_call call = {.key = key_of(sim, request, action),
                        .tokens_in = request->tokens_in,
                        .tokens_out = request->tokens_out,
                        .is_streaming = clients->is_streaming};
    rc_sim_timeline timeline = rc_sim_upstream_call(&sim->upstreams[action->target], &call,
                                                    sim->now_ms, &sim->upstream_rng);
    uint64_t deadline_at_ms = sim->now_ms + clients->deadline_ms;
    if (action->deadline_at_ms < deadline_at_ms)
        deadline_at_ms = action->deadline_at_ms;
    uint64_t begin_by_ms = action->begin_by_ms > 0 ? action->begin_by_ms : deadline_at_ms;
    uint64_t end_at_ms = cut_short(sim, &timeline, deadline_at_ms, begin_by_ms);
    bool is_retry = request->calls > 0;
    rc_sim_tally_call(&sim->tally, is_retry, sim->now_ms);
    if (is_retry)
        rc_sim_tally_grant(&sim->tally, request->is_granted ? request->granted_at_ms : sim->now_ms);
    request->is_granted = false;
    request->calls++;
    request->call_at_ms = sim->now_ms;
    request->upstream = action->target;
    request->outcome = timeline.outcome;
    request->holds_slot = timeline.holds_slot;
    request->is_waiting = false;
    rc_sim_state_fail(sim, rc_sim_event_heap_push(&sim->heap, end_at_ms, index));
}

static void finish(rc_sim_state *sim, uint32_t index, rc_sim_end_kind end, rc_reason reason)
{
    rc_sim_request *request = rc_sim_request_at(sim, index);
    rc_sim_request_summary summary = {.kind = end,
                                      .reason = reason,
                                      .arrived_at_ms = request->arrived_at_ms,
                                      .call_at_ms = request->call_at_ms,
                                      .calls = request->calls,
                                      .is_greedy = sim->scenario->clients.greedy_pct > 0 &&
                                                   request->client == 0};
    rc_sim_tally_end(&sim->tally, &summary, sim->now_ms);
    uint32_t client = request->client;
    request->next_free = sim->free_request;
    sim->free_request = index;
    rc_sim_clients_leave(sim, client);
}

static void begin_wait(rc_sim_request *request, uint64_t now_ms)
{
    request->is_waiting = true;
    if (!request->is_granted)
        request->granted_at_ms = now_ms;
    request->is_granted = true;
}

static void carry_out(rc_sim_state *sim, uint32_t index, rc_action action)
{
    switch (action.kind) {
    case RC_DO_TRY:
        rc_sim_request_call(sim, index, &action);
        return;
    case RC_DO_WAIT:
        if (action.is_queued) { /* The queue wakes the request (state.c). */
            rc_sim_request_at(sim, index)->is_waiting = true;
            return;
        }
        begin_wait(rc_sim_request_at(sim, index), sim->now_ms);
        rc_sim_state_fail(sim, rc_sim_event_heap_push(&sim->heap, action.at_ms, index));
        return;
    case RC_DO_DELIVER:
        finish(sim, index, RC_SIM_END_DELIVERED, action.reason);
        return;
    case RC_DO_REFRESH:
    case RC_DO_COMPACT:
    case RC_DO_STOP:
        finish(sim, index, RC_SIM_END_FAILED, action.reason);
        return;
    }
}

void rc_sim_request_begin(rc_sim_state *sim, uint32_t client, uint32_t tokens_in,
                          uint32_t tokens_out)
{
    rc_sim_tally_request(&sim->tally, sim->now_ms);
    if (sim->free_request == RC_SIM_NO_REQUEST && !add_chunk(sim))
        return;
    uint32_t index = sim->free_request;
    rc_sim_request *request = rc_sim_request_at(sim, index);
    sim->free_request = request->next_free;
    request->arrived_at_ms = sim->now_ms;
    request->call_at_ms = sim->now_ms;
    request->client = client;
    request->tokens_in = tokens_in;
    request->tokens_out = tokens_out;
    request->calls = 0;
    request->is_waiting = false;
    request->is_granted = false;
    request->holds_slot = false;
    if (sim->rival != NULL) {
        carry_out(sim, index, rc_sim_rival_begin(&request->rival));
        return;
    }
    request->ticket = RC_QUEUE_NONE;
    rc_sim_process *process = &sim->processes[client % sim->process_count];
    rc_sim_process_reserve(sim, process);
    if (sim->is_oracle) {
        rc_sim_oracle_add(sim, index);
        rc_sim_oracle_run(sim);
        return;
    }
    rc_call_options options = {.deadline_at_ms = sim->now_ms + sim->scenario->clients.deadline_ms,
                               .client = client,
                               .tokens_in = tokens_in,
                               .tokens_out = sim->usual_tokens_out,
                               .owner = (void *)(uintptr_t)index};
    rc_shared *shared = &process->shared;
    rc_call_init(&request->call, &sim->plan, shared, &options, sim->now_ms);
    carry_out(sim, index,
              rc_call_begin(&request->call, sim->now_ms, rc_sim_rng_next(&sim->entropy)));
}

void rc_sim_request_give_up(rc_sim_state *sim, uint32_t index)
{
    finish(sim, index, RC_SIM_END_FAILED, RC_WHY_STARTS_TOO_LATE);
}

static uint64_t cost_of(const rc_sim_state *sim, const rc_sim_request *request)
{
    const rc_sim_provider *provider = &sim->scenario->providers[request->upstream];
    return (uint64_t)request->outcome.tokens_in * provider->input_nano_usd +
           (uint64_t)request->outcome.tokens_out * provider->output_nano_usd;
}

static rc_action on_failure(rc_sim_state *sim, rc_sim_request *request)
{
    const rc_sim_outcome *outcome = &request->outcome;
    if (sim->rival != NULL)
        return rc_sim_rival_on_failure(&request->rival, sim->rival, outcome,
                                       sim->scenario->providers[request->upstream].dialect,
                                       sim->scenario->provider_count, sim->now_ms, &sim->entropy);
    if (rc_sim_outcome_has_content(outcome->kind))
        rc_call_on_commit(&request->call, sim->now_ms);
    rc_failure_facts facts = rc_sim_outcome_failure_facts(outcome->kind, outcome->wait_ms);
    return rc_call_on_failure(&request->call, &facts, sim->now_ms, rc_sim_rng_next(&sim->entropy));
}

/* The end of a call of the oracle: a failure without content is tried again. */
static void on_oracle_end(rc_sim_state *sim, uint32_t index)
{
    rc_sim_outcome_kind kind = rc_sim_request_at(sim, index)->outcome.kind;
    if (kind == RC_SIM_OUTCOME_SERVED)
        finish(sim, index, RC_SIM_END_DELIVERED, RC_WHY_SUCCEEDED);
    else if (rc_sim_outcome_has_content(kind))
        finish(sim, index, RC_SIM_END_FAILED, RC_WHY_COMMITTED);
    else
        rc_sim_oracle_add(sim, index);
    rc_sim_oracle_run(sim);
}

/* Updates the estimate of the tokens of a response: a mean of the latest ones. */
static void learn_tokens(rc_sim_state *sim, uint32_t tokens)
{
    int64_t change = (int64_t)tokens - (int64_t)sim->usual_tokens_out;
    if (sim->usual_tokens_out == 0)
        sim->usual_tokens_out = tokens;
    else
        sim->usual_tokens_out = (uint32_t)((int64_t)sim->usual_tokens_out + change / 32);
}

static void on_call_end(rc_sim_state *sim, uint32_t index)
{
    rc_sim_request *request = rc_sim_request_at(sim, index);
    rc_sim_outcome_kind kind = request->outcome.kind;
    if (request->holds_slot)
        rc_sim_upstream_release(&sim->upstreams[request->upstream]);
    request->holds_slot = false;
    rc_sim_tally_cost(&sim->tally, cost_of(sim, request), kind != RC_SIM_OUTCOME_SERVED);
    if (sim->is_oracle) {
        on_oracle_end(sim, index);
        return;
    }
    if (sim->rival == NULL) {
        rc_limit_facts limits = rc_sim_outcome_limit_facts(&rc_sim_request_at(sim, index)->outcome);
        if (limits.count > 0 && kind != RC_SIM_OUTCOME_TIMEOUT)
            rc_call_on_limits(&rc_sim_request_at(sim, index)->call, &limits, sim->now_ms);
    }
    if (kind == RC_SIM_OUTCOME_SERVED) {
        learn_tokens(sim, rc_sim_request_at(sim, index)->outcome.tokens_out);
        rc_action done = {.kind = RC_DO_DELIVER, .reason = RC_WHY_SUCCEEDED};
        if (sim->rival == NULL)
            done = rc_call_on_success(&request->call, sim->now_ms);
        carry_out(sim, index, done);
        return;
    }
    bool is_cut = kind == RC_SIM_OUTCOME_CUT || kind == RC_SIM_OUTCOME_CUT_EMPTY;
    if (is_cut && sim->rival != NULL && sim->rival->hides_cuts) {
        finish(sim, index, RC_SIM_END_TRUNCATED, RC_WHY_COMMITTED);
        return;
    }
    carry_out(sim, index, on_failure(sim, request));
}

void rc_sim_request_resume(rc_sim_state *sim, uint32_t index)
{
    rc_sim_request *request = rc_sim_request_at(sim, index);
    if (!request->is_waiting) {
        on_call_end(sim, index);
        return;
    }
    request->is_waiting = false;
    rc_action action = sim->rival != NULL ? rc_sim_rival_on_wake(&request->rival)
                                          : rc_call_on_wake(&request->call, sim->now_ms,
                                                            rc_sim_rng_next(&sim->entropy));
    carry_out(sim, index, action);
}
