/* A simulated provider: faults, limits, capacity and response times. Called by request.c, oracle.c,
 * state.c and src/mock/script.c. */
#include "sim/upstream.h"

#define MICRO UINT64_C(1000000)
/* Percentage of the capacity that is available right after an outage, before the warm-up. */
#define COLD_PCT 10

static rc_sim_token_bucket bucket_of(uint64_t count, uint64_t per_ms_of, uint64_t burst)
{
    return (rc_sim_token_bucket){
        .level = burst * MICRO, .max = burst * MICRO, .rate = count * MICRO / per_ms_of};
}

/* Refills the bucket for the time until now_ms, at `pct` percent of its rate. */
static void bucket_fill(rc_sim_token_bucket *bucket, uint64_t now_ms, uint64_t pct)
{
    uint64_t passed_ms = now_ms > bucket->at_ms ? now_ms - bucket->at_ms : 0;
    bucket->at_ms = now_ms;
    uint64_t missing = bucket->max - bucket->level;
    uint64_t rate = bucket->rate * pct / 100;
    if (rate > 0 && passed_ms >= missing / rate + 1)
        bucket->level = bucket->max;
    else
        bucket->level += passed_ms * rate;
}

/* Returns the time until the bucket's level is at least `need`, or 0 if the level is already that
 * high. */
static uint64_t bucket_wait_ms(const rc_sim_token_bucket *bucket, uint64_t need)
{
    if (bucket->level >= need)
        return 0;
    return bucket->rate == 0 ? RC_SIM_MINUTE_MS
                             : (need - bucket->level + bucket->rate - 1) / bucket->rate;
}

static uint64_t burst_of(uint32_t per_min, const rc_sim_limits *limits)
{
    uint64_t burst = (uint64_t)per_min * limits->burst_ms / RC_SIM_MINUTE_MS;
    return burst > 0 ? burst : 1;
}

void rc_sim_upstream_init(rc_sim_upstream *upstream, const rc_sim_provider *spec)
{
    *upstream = (rc_sim_upstream){.spec = spec};
    /* The bucket has twice the size of the burst. The lower half of the bucket is capacity of the
     * future, which only shedding may use. */
    upstream->capacity = bucket_of(spec->capacity.per_s, 1000, (uint64_t)spec->capacity.burst * 2);
    for (uint32_t key = 0; key < spec->keys; key++) {
        const rc_sim_limits *limits = &spec->limits;
        upstream->keys[key].requests = bucket_of(limits->requests_per_min, RC_SIM_MINUTE_MS,
                                                 burst_of(limits->requests_per_min, limits));
        upstream->keys[key].tokens = bucket_of(limits->tokens_per_min, RC_SIM_MINUTE_MS,
                                               burst_of(limits->tokens_per_min, limits));
    }
}

/* Returns a key of the provider, which may be the key of another provider. */
static rc_sim_key *key_at(rc_sim_upstream *upstream, uint32_t key)
{
    return upstream->keys_of != NULL ? &upstream->keys_of->keys[key] : &upstream->keys[key];
}

/* Returns the hint that the provider sends instead of the true one. */
static int64_t hint_ms(const rc_sim_provider *spec, int64_t wait_ms)
{
    switch (spec->hints) {
    case RC_SIM_HINTS_NONE:
        return -1;
    case RC_SIM_HINTS_ZERO:
    case RC_SIM_HINTS_PAST:
        return 0;
    case RC_SIM_HINTS_LONG:
        return RC_SIM_LONG_HINT_MS;
    case RC_SIM_HINTS_EXACT:
    case RC_SIM_HINTS_COUNT:
        break;
    }
    return wait_ms;
}

static bool has_hint(rc_sim_outcome_kind kind)
{
    return kind != RC_SIM_OUTCOME_REFUSED && kind != RC_SIM_OUTCOME_RESET &&
           kind != RC_SIM_OUTCOME_TIMEOUT;
}

static rc_sim_timeline refuse(const rc_sim_upstream *upstream, rc_sim_outcome_kind kind,
                              int64_t wait_ms)
{
    if (has_hint(kind))
        wait_ms = hint_ms(upstream->spec, wait_ms);
    return (rc_sim_timeline){.outcome = {.kind = kind, .wait_ms = wait_ms},
                             .first_ms = RC_UNLIMITED,
                             .done_ms = upstream->spec->fails_in_ms};
}

/* If the fault ends the call before the provider processes the call, sets *ret_timeline and returns
 * true. */
static bool is_down(rc_sim_upstream *upstream, const rc_sim_fault *fault,
                    rc_sim_timeline *ret_timeline)
{
    static const rc_sim_outcome_kind outcomes[RC_SIM_FAULT_COUNT] = {
        [RC_SIM_OUTAGE] = RC_SIM_OUTCOME_OUTAGE,     [RC_SIM_ERROR] = RC_SIM_OUTCOME_ERROR,
        [RC_SIM_OVERLOAD] = RC_SIM_OUTCOME_OVERLOAD, [RC_SIM_REFUSE] = RC_SIM_OUTCOME_REFUSED,
        [RC_SIM_RESET] = RC_SIM_OUTCOME_RESET,       [RC_SIM_HANG] = RC_SIM_OUTCOME_TIMEOUT,
        [RC_SIM_QUOTA] = RC_SIM_OUTCOME_QUOTA,
    };
    rc_sim_outcome_kind kind = outcomes[fault->kind];
    if (kind == RC_SIM_OUTCOME_SERVED)
        return false;
    *ret_timeline = refuse(upstream, kind, fault->retry_after_ms);
    if (fault->kind == RC_SIM_HANG) {
        ret_timeline->done_ms = RC_UNLIMITED;
        ret_timeline->holds_slot = true;
        upstream->in_flight++;
    }
    return true;
}

/* If a limit refuses the call, sets *ret_timeline and returns true; otherwise counts the call
 * against the limits and returns false. */
static bool is_limited(rc_sim_upstream *upstream, const rc_sim_call *call, uint64_t now_ms,
                       rc_sim_timeline *ret_timeline)
{
    const rc_sim_limits *limits = &upstream->spec->limits;
    rc_sim_key *key = key_at(upstream, call->key);
    uint64_t tokens = ((uint64_t)call->tokens_in + call->tokens_out) * MICRO;
    bucket_fill(&key->requests, now_ms, 100);
    bucket_fill(&key->tokens, now_ms, 100);
    uint64_t request_wait_ms = bucket_wait_ms(&key->requests, MICRO);
    uint64_t token_wait_ms = bucket_wait_ms(&key->tokens, tokens);
    if (limits->quota_requests > 0 && key->used >= limits->quota_requests) {
        *ret_timeline = refuse(upstream, RC_SIM_OUTCOME_QUOTA, -1);
    } else if (limits->requests_per_min > 0 && request_wait_ms > 0) {
        *ret_timeline = refuse(upstream, RC_SIM_OUTCOME_REQUESTS, (int64_t)request_wait_ms);
    } else if (limits->tokens_per_min > 0 && token_wait_ms > 0) {
        *ret_timeline = refuse(upstream, RC_SIM_OUTCOME_TOKENS, (int64_t)token_wait_ms);
    } else if (limits->concurrency > 0 && upstream->in_flight >= limits->concurrency) {
        *ret_timeline = refuse(upstream, RC_SIM_OUTCOME_CONCURRENCY, -1);
    } else {
        key->used++;
        if (limits->requests_per_min > 0)
            key->requests.level -= MICRO;
        if (limits->tokens_per_min > 0)
            key->tokens.level -= tokens;
        return false;
    }
    return true;
}

/* Returns whether calls that the fault affects are not served at all. */
static bool is_outage(rc_sim_fault_kind kind)
{
    return kind != RC_SIM_SLOW && kind != RC_SIM_SLOW_FIRST && kind != RC_SIM_CUT;
}

/* Returns the end of the latest complete outage before now_ms; 0: no outage so far. */
static uint64_t warm_from_ms(const rc_sim_upstream *upstream, uint64_t now_ms)
{
    uint64_t from_ms = 0;
    for (uint32_t i = 0; i < upstream->spec->fault_count; i++) {
        const rc_sim_fault *fault = &upstream->spec->faults[i];
        bool is_over = fault->from_ms < fault->until_ms && fault->until_ms <= now_ms;
        if (is_over && fault->share_pct == 100 && is_outage(fault->kind) &&
            fault->until_ms > from_ms)
            from_ms = fault->until_ms;
    }
    return from_ms;
}

/* Returns the percentage of the capacity that is available, which is below 100 for some time after
 * an outage. */
static uint64_t warm_pct(const rc_sim_upstream *upstream, uint64_t now_ms)
{
    uint64_t warm_up_ms = upstream->spec->capacity.warm_up_ms;
    uint64_t from_ms = warm_from_ms(upstream, now_ms);
    if (from_ms == 0 || now_ms >= from_ms + warm_up_ms)
        return 100;
    if (now_ms <= from_ms)
        return COLD_PCT;
    return COLD_PCT + (100 - COLD_PCT) * (now_ms - from_ms) / warm_up_ms;
}

static bool is_shed(rc_sim_upstream *upstream, uint64_t now_ms)
{
    const rc_sim_capacity *capacity = &upstream->spec->capacity;
    if (capacity->per_s == 0)
        return false;
    rc_sim_token_bucket *bucket = &upstream->capacity;
    bucket_fill(bucket, now_ms, warm_pct(upstream, now_ms));
    if (bucket->level >= bucket->max / 2 + MICRO) {
        bucket->level -= MICRO;
        return false;
    }
    uint64_t cost = capacity->shed_cost_pct * MICRO / 100;
    bucket->level -= cost < bucket->level ? cost : bucket->level;
    return true;
}

static rc_sim_timeline serve(rc_sim_upstream *upstream, const rc_sim_call *call,
                             const rc_sim_fault *fault, rc_sim_rng *rng)
{
    const rc_sim_provider *spec = upstream->spec;
    uint32_t tokens = call->tokens_out;
    bool is_cut = fault != NULL && fault->kind == RC_SIM_CUT && call->is_streaming &&
                  fault->after_tokens < tokens;
    if (is_cut)
        tokens = fault->after_tokens;
    uint64_t first_ms = rc_sim_rng_spread(rng, &spec->first_token_ms);
    uint64_t rest_ms = spec->tokens_per_s == 0 ? 0 : UINT64_C(1000) * tokens / spec->tokens_per_s;
    if (fault != NULL && (fault->kind == RC_SIM_SLOW || fault->kind == RC_SIM_SLOW_FIRST))
        first_ms = first_ms * fault->slow_pct / 100;
    if (fault != NULL && fault->kind == RC_SIM_SLOW)
        rest_ms = rest_ms * fault->slow_pct / 100;
    rc_sim_timeline timeline = {
        .outcome = {.kind = RC_SIM_OUTCOME_SERVED,
                    .wait_ms = -1,
                    .tokens_in = call->tokens_in,
                    .tokens_out = tokens},
        .first_ms = first_ms,
        .done_ms = first_ms + rest_ms,
        .holds_slot = true,
    };
    if (is_cut)
        timeline.outcome.kind = tokens == 0 ? RC_SIM_OUTCOME_CUT_EMPTY : RC_SIM_OUTCOME_CUT;
    if (!call->is_streaming)
        timeline.first_ms = timeline.done_ms;
    upstream->in_flight++;
    return timeline;
}

/* Returns the state of a bucket as the provider's headers describe it. */
static rc_sim_stated state_of(const rc_sim_token_bucket *bucket)
{
    uint64_t reset_ms =
        bucket->rate > 0 ? (bucket->max - bucket->level + bucket->rate - 1) / bucket->rate : 0;
    return (rc_sim_stated){.limit = (uint32_t)(bucket->max / MICRO),
                           .remaining = (uint32_t)(bucket->level / MICRO),
                           .reset_ms = (uint32_t)reset_ms};
}

/* Adds the rate-limit headers to a response of a provider that knows the key's limits. */
static void state_limits(rc_sim_upstream *upstream, uint32_t key, rc_sim_outcome *outcome)
{
    const rc_sim_provider *spec = upstream->spec;
    if (spec->hides_limits)
        return;
    if (spec->limits.requests_per_min > 0)
        outcome->requests = state_of(&key_at(upstream, key)->requests);
    if (spec->limits.tokens_per_min > 0)
        outcome->tokens = state_of(&key_at(upstream, key)->tokens);
}

rc_sim_timeline rc_sim_upstream_call(rc_sim_upstream *upstream, const rc_sim_call *call,
                                     uint64_t now_ms, rc_sim_rng *rng)
{
    const rc_sim_fault *active_fault = NULL;
    rc_sim_timeline timeline;
    for (uint32_t i = 0; i < upstream->spec->fault_count; i++) {
        const rc_sim_fault *fault = &upstream->spec->faults[i];
        if (now_ms < fault->from_ms || now_ms >= fault->until_ms ||
            !rc_sim_rng_hits(rng, fault->share_pct))
            continue;
        if (is_down(upstream, fault, &timeline))
            return timeline;
        active_fault = fault;
    }
    if (is_limited(upstream, call, now_ms, &timeline)) {
        state_limits(upstream, call->key, &timeline.outcome);
        return timeline;
    }
    timeline = is_shed(upstream, now_ms) ? refuse(upstream, RC_SIM_OUTCOME_OVERLOAD, -1)
                                         : serve(upstream, call, active_fault, rng);
    state_limits(upstream, call->key, &timeline.outcome);
    return timeline;
}

/* --- prospect --- */

/* Returns the end of a fault that affects every call now; 0: there is none. Adds up the
 * probabilities of the other faults in *prospect. */
static uint64_t outage_until_ms(const rc_sim_upstream *upstream, const rc_sim_call *call,
                                uint64_t now_ms, rc_sim_prospect *prospect)
{
    uint64_t until_ms = 0;
    uint32_t pass_pct = 100;
    for (uint32_t i = 0; i < upstream->spec->fault_count; i++) {
        const rc_sim_fault *fault = &upstream->spec->faults[i];
        bool is_cut = fault->kind == RC_SIM_CUT && call->is_streaming;
        if (now_ms < fault->from_ms || now_ms >= fault->until_ms ||
            (!is_outage(fault->kind) && !is_cut))
            continue;
        if (fault->share_pct == 100 && fault->until_ms > until_ms)
            until_ms = fault->until_ms;
        pass_pct = pass_pct * (100 - fault->share_pct) / 100;
        prospect->may_hang = prospect->may_hang || fault->kind == RC_SIM_HANG;
    }
    prospect->fail_pct = 100 - pass_pct;
    return until_ms;
}

static uint64_t later(uint64_t a_ms, uint64_t b_ms)
{
    return a_ms > b_ms ? a_ms : b_ms;
}

/* Returns the time at which the limits leave room for the call. */
static uint64_t room_at_ms(rc_sim_upstream *upstream, const rc_sim_call *call, uint64_t now_ms)
{
    const rc_sim_limits *limits = &upstream->spec->limits;
    rc_sim_key *key = key_at(upstream, call->key);
    uint64_t tokens = ((uint64_t)call->tokens_in + call->tokens_out) * MICRO;
    uint64_t at_ms = now_ms;
    bucket_fill(&key->requests, now_ms, 100);
    bucket_fill(&key->tokens, now_ms, 100);
    if (limits->requests_per_min > 0)
        at_ms = now_ms + bucket_wait_ms(&key->requests, MICRO);
    if (limits->tokens_per_min > 0)
        at_ms = later(at_ms, now_ms + bucket_wait_ms(&key->tokens, tokens));
    if ((limits->concurrency > 0 && upstream->in_flight >= limits->concurrency) ||
        (limits->quota_requests > 0 && key->used >= limits->quota_requests))
        return RC_UNLIMITED;
    return at_ms;
}

static uint64_t capacity_at_ms(rc_sim_upstream *upstream, uint64_t now_ms)
{
    rc_sim_token_bucket *bucket = &upstream->capacity;
    uint64_t pct = warm_pct(upstream, now_ms);
    if (upstream->spec->capacity.per_s == 0)
        return now_ms;
    bucket_fill(bucket, now_ms, pct);
    uint64_t need = bucket->max / 2 + MICRO;
    if (bucket->level >= need)
        return now_ms;
    uint64_t rate = bucket->rate * pct / 100;
    return now_ms + 1 + (rate > 0 ? (need - bucket->level) / rate : 1000);
}

rc_sim_prospect rc_sim_upstream_prospect(rc_sim_upstream *upstream, const rc_sim_call *call,
                                         uint64_t now_ms)
{
    rc_sim_prospect prospect = {0};
    uint64_t at_ms = outage_until_ms(upstream, call, now_ms, &prospect);
    if (at_ms == 0)
        at_ms = later(room_at_ms(upstream, call, now_ms), capacity_at_ms(upstream, now_ms));
    prospect.at_ms = at_ms;
    prospect.is_accepted = at_ms <= now_ms;
    return prospect;
}

void rc_sim_upstream_release(rc_sim_upstream *upstream)
{
    if (upstream->in_flight > 0)
        upstream->in_flight--;
}
