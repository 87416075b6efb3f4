#include "sim/provider.h"

#define MICRO UINT64_C(1000000)
/* What a provider can do in the moment it comes back, before it has warmed up. */
#define COLD_PCT 10

static rc_sim_bucket_state bucket_of(uint64_t count, uint64_t per_ms_of, uint64_t burst)
{
    return (rc_sim_bucket_state){
        .level = burst * MICRO, .max = burst * MICRO, .rate = count * MICRO / per_ms_of};
}

/* Brings the level up to now; pct of the rate. */
static void bucket_fill(rc_sim_bucket_state *bucket, uint64_t now_ms, uint64_t pct)
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

/* How long until `need` is there; 0: it is now. */
static uint64_t bucket_wait_ms(const rc_sim_bucket_state *bucket, uint64_t need)
{
    if (bucket->level >= need)
        return 0;
    return bucket->rate == 0 ? RC_SIM_MINUTE_MS
                             : (need - bucket->level + bucket->rate - 1) / bucket->rate;
}

static uint64_t saved_up(uint32_t per_min, const rc_sim_limits *limits)
{
    uint64_t burst = (uint64_t)per_min * limits->burst_ms / RC_SIM_MINUTE_MS;
    return burst > 0 ? burst : 1;
}

void rc_sim_site_init(rc_sim_site *site, const rc_sim_provider *spec)
{
    *site = (rc_sim_site){.spec = spec};
    /* The lower half of the bucket is debt. */
    site->capacity = bucket_of(spec->capacity.per_s, 1000, (uint64_t)spec->capacity.burst * 2);
    for (uint32_t key = 0; key < spec->keys; key++) {
        const rc_sim_limits *limits = &spec->limits;
        site->keys[key].requests = bucket_of(limits->requests_per_min, RC_SIM_MINUTE_MS,
                                             saved_up(limits->requests_per_min, limits));
        site->keys[key].tokens = bucket_of(limits->tokens_per_min, RC_SIM_MINUTE_MS,
                                           saved_up(limits->tokens_per_min, limits));
    }
}

static rc_sim_course refuse(const rc_sim_site *site, rc_sim_answer_kind kind, int64_t wait_ms)
{
    return (rc_sim_course){.answer = {.kind = kind, .wait_ms = wait_ms},
                           .first_ms = RC_UNLIMITED,
                           .done_ms = site->spec->fails_in_ms};
}

/* Faults that end a call before it is looked at. False: it is looked at. */
static bool is_down(rc_sim_site *site, const rc_sim_fault *fault, rc_sim_course *ret_course)
{
    static const rc_sim_answer_kind answers[RC_SIM_FAULT_COUNT] = {
        [RC_SIM_OUTAGE] = RC_ANSWER_OUTAGE,     [RC_SIM_ERROR] = RC_ANSWER_ERROR,
        [RC_SIM_OVERLOAD] = RC_ANSWER_OVERLOAD, [RC_SIM_REFUSE] = RC_ANSWER_REFUSED,
        [RC_SIM_RESET] = RC_ANSWER_RESET,       [RC_SIM_HANG] = RC_ANSWER_TIMEOUT,
        [RC_SIM_QUOTA] = RC_ANSWER_QUOTA,
    };
    rc_sim_answer_kind kind = answers[fault->kind];
    if (kind == RC_ANSWER_SERVED)
        return false;
    *ret_course = refuse(site, kind, fault->retry_after_ms);
    if (fault->kind == RC_SIM_HANG) {
        ret_course->done_ms = RC_UNLIMITED;
        ret_course->is_held = true;
        site->in_flight++;
    }
    if (fault->share_pct == 100)
        site->warm_from_ms = fault->until_ms;
    return true;
}

/* Limits of the key that is used. */
static bool is_limited(rc_sim_site *site, const rc_sim_ask *ask, uint64_t now_ms,
                       rc_sim_course *ret_course)
{
    const rc_sim_limits *limits = &site->spec->limits;
    rc_sim_key *key = &site->keys[ask->key];
    uint64_t tokens = ((uint64_t)ask->tokens_in + ask->tokens_out) * MICRO;
    bucket_fill(&key->requests, now_ms, 100);
    bucket_fill(&key->tokens, now_ms, 100);
    uint64_t request_wait_ms = bucket_wait_ms(&key->requests, MICRO);
    uint64_t token_wait_ms = bucket_wait_ms(&key->tokens, tokens);
    if (limits->quota_requests > 0 && key->used >= limits->quota_requests) {
        *ret_course = refuse(site, RC_ANSWER_QUOTA, -1);
    } else if (limits->requests_per_min > 0 && request_wait_ms > 0) {
        *ret_course = refuse(site, RC_ANSWER_REQUESTS, (int64_t)request_wait_ms);
    } else if (limits->tokens_per_min > 0 && token_wait_ms > 0) {
        *ret_course = refuse(site, RC_ANSWER_TOKENS, (int64_t)token_wait_ms);
    } else if (limits->concurrency > 0 && site->in_flight >= limits->concurrency) {
        *ret_course = refuse(site, RC_ANSWER_CONCURRENCY, -1);
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

/* How much of the capacity is there: all of it, or less for a while after an outage. */
static uint64_t warm_pct(const rc_sim_site *site, uint64_t now_ms)
{
    uint64_t warm_up_ms = site->spec->capacity.warm_up_ms;
    uint64_t from_ms = site->warm_from_ms;
    if (from_ms == 0 || now_ms >= from_ms + warm_up_ms)
        return 100;
    if (now_ms <= from_ms)
        return COLD_PCT;
    return COLD_PCT + (100 - COLD_PCT) * (now_ms - from_ms) / warm_up_ms;
}

static bool is_shed(rc_sim_site *site, uint64_t now_ms)
{
    const rc_sim_capacity *capacity = &site->spec->capacity;
    if (capacity->per_s == 0)
        return false;
    rc_sim_bucket_state *bucket = &site->capacity;
    bucket_fill(bucket, now_ms, warm_pct(site, now_ms));
    if (bucket->level >= bucket->max / 2 + MICRO) {
        bucket->level -= MICRO;
        return false;
    }
    uint64_t cost = capacity->shed_cost_pct * MICRO / 100;
    bucket->level -= cost < bucket->level ? cost : bucket->level;
    return true;
}

static rc_sim_course serve(rc_sim_site *site, const rc_sim_ask *ask, const rc_sim_fault *fault,
                           rc_sim_rng *rng)
{
    const rc_sim_provider *spec = site->spec;
    uint32_t tokens = ask->tokens_out;
    bool is_cut = fault != NULL && fault->kind == RC_SIM_CUT && ask->is_streaming &&
                  fault->after_tokens < tokens;
    if (is_cut)
        tokens = fault->after_tokens;
    uint64_t first_ms = rc_sim_rng_spread(rng, &spec->first_token_ms);
    uint64_t rest_ms = spec->tokens_per_s == 0 ? 0 : UINT64_C(1000) * tokens / spec->tokens_per_s;
    if (fault != NULL && (fault->kind == RC_SIM_SLOW || fault->kind == RC_SIM_SLOW_FIRST))
        first_ms = first_ms * fault->slow_pct / 100;
    if (fault != NULL && fault->kind == RC_SIM_SLOW)
        rest_ms = rest_ms * fault->slow_pct / 100;
    rc_sim_course course = {
        .answer = {.kind = RC_ANSWER_SERVED,
                   .wait_ms = -1,
                   .tokens_in = ask->tokens_in,
                   .tokens_out = tokens},
        .first_ms = first_ms,
        .done_ms = first_ms + rest_ms,
        .is_held = true,
    };
    if (is_cut)
        course.answer.kind = tokens == 0 ? RC_ANSWER_CUT_EMPTY : RC_ANSWER_CUT;
    if (!ask->is_streaming)
        course.first_ms = course.done_ms;
    site->in_flight++;
    return course;
}

rc_sim_course rc_sim_site_ask(rc_sim_site *site, const rc_sim_ask *ask, uint64_t now_ms,
                              rc_sim_rng *rng)
{
    const rc_sim_fault *touched = NULL;
    rc_sim_course course;
    for (uint32_t i = 0; i < site->spec->fault_count; i++) {
        const rc_sim_fault *fault = &site->spec->faults[i];
        if (now_ms < fault->from_ms || now_ms >= fault->until_ms ||
            !rc_sim_rng_hits(rng, fault->share_pct))
            continue;
        if (is_down(site, fault, &course))
            return course;
        touched = fault;
    }
    if (is_limited(site, ask, now_ms, &course))
        return course;
    if (is_shed(site, now_ms))
        return refuse(site, RC_ANSWER_OVERLOAD, -1);
    return serve(site, ask, touched, rng);
}

void rc_sim_site_leave(rc_sim_site *site)
{
    if (site->in_flight > 0)
        site->in_flight--;
}
