/* Plays a scenario of the simulator by the clock: decides how each provider responds, and counts
 * the calls. Called by provider.c, server.c and src/cli/mock. */
#include "mock/script.h"

#include <string.h>

#include "base/str.h"
#include "mock/tokens.h"

#define MICRO UINT64_C(1000000)

void rc_mock_script_restart(rc_mock_script *script, uint64_t now_ms)
{
    const rc_sim_scenario *scenario = script->scenario;
    script->started_ms = now_ms;
    script->restarts++;
    rc_sim_rng_init(&script->rng, script->seed, 0);
    memset(script->providers, 0, sizeof script->providers);
    for (uint32_t i = 0; i < scenario->provider_count; i++)
        rc_sim_upstream_init(&script->providers[i].upstream, &scenario->providers[i]);
}

void rc_mock_script_init(rc_mock_script *script, const rc_sim_scenario *scenario, uint64_t seed,
                         uint64_t now_ms)
{
    script->scenario = scenario;
    script->seed = seed != 0 ? seed : scenario->seed;
    script->restarts = 0;
    rc_mock_script_restart(script, now_ms);
}

static uint64_t elapsed_ms(const rc_mock_script *script, uint64_t now_ms)
{
    return now_ms > script->started_ms ? now_ms - script->started_ms : 0;
}

/* ---- counts ---- */

static void count_call(rc_mock_script_counts *counts, uint64_t at_ms, bool is_served)
{
    uint64_t period = at_ms / RC_MOCK_SCRIPT_PERIOD_MS;
    if (period >= RC_MOCK_SCRIPT_PERIODS)
        period = RC_MOCK_SCRIPT_PERIODS - 1;
    counts->calls++;
    counts->calls_in[period]++;
    counts->served_in[period] += is_served;
    if (counts->periods <= period)
        counts->periods = (uint32_t)period + 1;
}

static void push_u64(rc_json_writer *w, const char *key, uint64_t value)
{
    rc_json_key(w, rc_str_c(key));
    rc_json_u64(w, value);
}

static void push_list(rc_json_writer *w, const char *key, const uint32_t *list, uint32_t count)
{
    rc_json_key(w, rc_str_c(key));
    rc_json_array_begin(w);
    for (uint32_t i = 0; i < count; i++)
        rc_json_u64(w, list[i]);
    rc_json_array_end(w);
}

static void push_provider(rc_json_writer *w, const rc_mock_script_provider *provider)
{
    static const char *const names[RC_SIM_OUTCOME_COUNT] = {
        [RC_SIM_OUTCOME_SERVED] = "served",
        [RC_SIM_OUTCOME_OUTAGE] = "outage",
        [RC_SIM_OUTCOME_ERROR] = "error",
        [RC_SIM_OUTCOME_OVERLOAD] = "overload",
        [RC_SIM_OUTCOME_REFUSED] = "refused",
        [RC_SIM_OUTCOME_RESET] = "reset",
        [RC_SIM_OUTCOME_TIMEOUT] = "hang",
        [RC_SIM_OUTCOME_CUT_EMPTY] = "cut_empty",
        [RC_SIM_OUTCOME_CUT] = "cut",
        [RC_SIM_OUTCOME_QUOTA] = "quota",
        [RC_SIM_OUTCOME_REQUESTS] = "limit_requests",
        [RC_SIM_OUTCOME_TOKENS] = "limit_tokens",
        [RC_SIM_OUTCOME_CONCURRENCY] = "limit_concurrency",
    };
    const rc_mock_script_counts *counts = &provider->counts;
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("name"), rc_str_c(provider->upstream.spec->name));
    push_u64(w, "calls", counts->calls);
    for (int kind = 0; kind < RC_SIM_OUTCOME_COUNT; kind++)
        if (names[kind] != NULL)
            push_u64(w, names[kind], counts->outcomes[kind]);
    push_u64(w, "unknown_keys", counts->unknown_keys);
    push_u64(w, "in_flight", counts->in_flight);
    push_u64(w, "in_flight_max", counts->in_flight_max);
    push_list(w, "calls_per_100_ms", counts->calls_in, counts->periods);
    push_list(w, "served_per_100_ms", counts->served_in, counts->periods);
    rc_json_object_end(w);
}

void rc_mock_script_push(const rc_mock_script *script, uint64_t now_ms, rc_json_writer *w)
{
    push_u64(w, "elapsed_ms", elapsed_ms(script, now_ms));
    rc_json_key(w, RC_STR("providers"));
    rc_json_array_begin(w);
    for (uint32_t i = 0; i < script->scenario->provider_count; i++)
        push_provider(w, &script->providers[i]);
    rc_json_array_end(w);
}

/* ---- decisions ---- */

/* Finds the number of the request's API key: keys are numbered in the order of their first call.
 * Returns false if the scenario has fewer keys. */
static bool find_key(rc_mock_script_provider *provider, rc_str key, uint32_t *ret_key)
{
    const uint64_t hash = rc_mock_mix_text(1, key);
    for (uint32_t i = 0; i < provider->key_count; i++)
        if (provider->key_hashes[i] == hash) {
            *ret_key = i;
            return true;
        }
    if (provider->key_count == provider->upstream.spec->keys)
        return false;
    *ret_key = provider->key_count;
    provider->key_hashes[provider->key_count++] = hash;
    return true;
}

/* Returns the plan for a call with this outcome, which is a failure. */
static void plan_failure(rc_mock_script_decision *decision, const rc_sim_timeline *timeline)
{
    rc_mock_plan *plan = &decision->plan;
    switch (timeline->outcome.kind) {
    case RC_SIM_OUTCOME_OUTAGE:
        plan->error = RC_MOCK_ERROR_UNAVAILABLE;
        break;
    case RC_SIM_OUTCOME_ERROR:
        plan->error = RC_MOCK_ERROR_SERVER;
        break;
    case RC_SIM_OUTCOME_OVERLOAD:
        plan->error = RC_MOCK_ERROR_OVERLOADED;
        break;
    case RC_SIM_OUTCOME_QUOTA:
        plan->error = RC_MOCK_ERROR_QUOTA;
        break;
    case RC_SIM_OUTCOME_REQUESTS:
        plan->error = RC_MOCK_ERROR_RATE;
        break;
    case RC_SIM_OUTCOME_TOKENS:
        plan->error = RC_MOCK_ERROR_TOKEN_RATE;
        break;
    case RC_SIM_OUTCOME_CONCURRENCY:
        plan->error = RC_MOCK_ERROR_RATE;
        decision->message = "Too many concurrent requests. Limit reached for concurrent requests.";
        break;
    case RC_SIM_OUTCOME_REFUSED:
    case RC_SIM_OUTCOME_RESET:
        plan->wire = RC_MOCK_WIRE_REFUSE;
        break;
    case RC_SIM_OUTCOME_TIMEOUT:
        plan->wire = RC_MOCK_WIRE_HANG;
        break;
    case RC_SIM_OUTCOME_SERVED:
    case RC_SIM_OUTCOME_CUT_EMPTY:
    case RC_SIM_OUTCOME_CUT:
    case RC_SIM_OUTCOME_OVERDUE:
    case RC_SIM_OUTCOME_COUNT:
        return;
    }
    plan->slow_ms = timeline->done_ms < RC_MOCK_FOREVER ? (uint32_t)timeline->done_ms : 0;
    if (timeline->outcome.wait_ms >= 0) {
        plan->hint = RC_MOCK_HINT_SECONDS;
        plan->hint_ms = (uint32_t)timeline->outcome.wait_ms;
    }
}

/* Returns the plan for a call whose response begins: the text, its pace, and the position of a
 * cut. */
static void plan_response(rc_mock_script_decision *decision, const rc_sim_timeline *timeline,
                          bool is_stream)
{
    rc_mock_plan *plan = &decision->plan;
    const uint32_t tokens = timeline->outcome.tokens_out;
    plan->text = RC_MOCK_TEXT_TOKENS;
    plan->text_count = tokens > 0 ? tokens : 1;
    plan->slow_ms = (uint32_t)(is_stream ? timeline->first_ms : timeline->done_ms);
    if (is_stream && tokens > 0)
        plan->trickle_ms = (uint32_t)((timeline->done_ms - timeline->first_ms) / tokens);
    if (timeline->outcome.kind == RC_SIM_OUTCOME_SERVED)
        return;
    plan->wire = RC_MOCK_WIRE_CUT_AFTER;
    plan->wire_count = tokens;
    plan->text_count = tokens + 1;
}

/* Returns the state of a bucket for the headers. The level is rounded down and the time up, so that
 * the headers never promise more than the bucket gives. */
static rc_mock_limit_state state_of(const rc_sim_token_bucket *bucket, uint32_t per_min)
{
    const uint64_t missing = bucket->max - bucket->level;
    return (rc_mock_limit_state){
        .is_known = per_min > 0,
        .limit = per_min,
        .remaining = bucket->level / MICRO,
        .reset_ms = bucket->rate > 0 ? (missing + bucket->rate - 1) / bucket->rate : 0,
    };
}

static uint32_t tokens_out_of(rc_mock_script *script, const rc_mock_request *request)
{
    const uint32_t drawn = rc_sim_rng_spread(&script->rng, &script->scenario->clients.tokens_out);
    return request->max_tokens >= 0 && (uint64_t)request->max_tokens < drawn
               ? (uint32_t)request->max_tokens
               : drawn;
}

rc_mock_script_decision rc_mock_script_decide(rc_mock_script *script, uint32_t index,
                                              const rc_mock_request *request, uint64_t now_ms)
{
    rc_mock_script_provider *provider = &script->providers[index];
    rc_mock_script_counts *counts = &provider->counts;
    rc_mock_script_decision decision = {.message = "", .restarts = script->restarts};
    const uint64_t at_ms = elapsed_ms(script, now_ms);
    rc_sim_call call = {.tokens_in = (uint32_t)request->input_tokens,
                        .tokens_out = tokens_out_of(script, request),
                        .is_streaming = request->is_stream};
    if (!find_key(provider, request->key, &call.key)) {
        count_call(counts, at_ms, false);
        counts->unknown_keys++;
        decision.plan.error = RC_MOCK_ERROR_AUTH;
        return decision;
    }
    const rc_sim_timeline timeline =
        rc_sim_upstream_call(&provider->upstream, &call, at_ms, &script->rng);
    const rc_sim_outcome_kind kind = timeline.outcome.kind;
    const bool is_served = kind == RC_SIM_OUTCOME_SERVED;
    count_call(counts, at_ms, is_served);
    counts->outcomes[kind]++;
    if (timeline.holds_slot && ++counts->in_flight > counts->in_flight_max)
        counts->in_flight_max = counts->in_flight;
    decision.holds_slot = timeline.holds_slot;
    if (is_served || kind == RC_SIM_OUTCOME_CUT || kind == RC_SIM_OUTCOME_CUT_EMPTY)
        plan_response(&decision, &timeline, request->is_stream);
    else
        plan_failure(&decision, &timeline);
    const rc_sim_limits *limits = &provider->upstream.spec->limits;
    const rc_sim_key *key = &provider->upstream.keys[call.key];
    decision.requests = state_of(&key->requests, limits->requests_per_min);
    decision.tokens = state_of(&key->tokens, limits->tokens_per_min);
    return decision;
}

void rc_mock_script_release(rc_mock_script *script, uint32_t index, uint32_t restarts)
{
    rc_mock_script_provider *provider = &script->providers[index];
    if (restarts != script->restarts)
        return;
    rc_sim_upstream_release(&provider->upstream);
    if (provider->counts.in_flight > 0)
        provider->counts.in_flight--;
}

/* ---- refused connections ---- */

bool rc_mock_script_refuses(const rc_mock_script *script, uint32_t index, uint64_t now_ms,
                            uint64_t *ret_next_ms)
{
    const rc_sim_provider *spec = &script->scenario->providers[index];
    const uint64_t at_ms = elapsed_ms(script, now_ms);
    bool is_refusing = false;
    *ret_next_ms = RC_UNLIMITED;
    for (uint32_t i = 0; i < spec->fault_count; i++) {
        const rc_sim_fault *fault = &spec->faults[i];
        if (fault->kind != RC_SIM_REFUSE || fault->share_pct < 100 || fault->until_ms <= at_ms)
            continue;
        const bool is_on = fault->from_ms <= at_ms;
        const uint64_t next_ms = script->started_ms + (is_on ? fault->until_ms : fault->from_ms);
        is_refusing = is_refusing || is_on;
        if (next_ms < *ret_next_ms)
            *ret_next_ms = next_ms;
    }
    return is_refusing;
}
