/* Limits of one client of the gateway: requests and tokens per minute, requests in flight. Called
 * by the gateway's client_limits.c. */
#include "policy/admission/client_limits.h"

#define MINUTE_MS UINT64_C(60000)
/* A bucket's debt is at most this many minutes' amount. */
#define DEBT_MINUTES 10
#define FIRST_OUTPUT UINT64_C(200)
#define TOKENS_MAX UINT64_C(1000000000)

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* --- buckets --- */

/* Returns the level of a full bucket. */
static int64_t full_level(const rc_client_bucket *bucket)
{
    return (int64_t)(bucket->limit * MINUTE_MS);
}

static int64_t level_at(const rc_client_bucket *bucket, uint64_t now_ms)
{
    const uint64_t passed_ms = now_ms > bucket->at_ms ? now_ms - bucket->at_ms : 0;
    const uint64_t missing = (uint64_t)(full_level(bucket) - bucket->level);
    if (bucket->limit == 0 || passed_ms > missing / bucket->limit)
        return full_level(bucket);
    return bucket->level + (int64_t)(passed_ms * bucket->limit);
}

static void set_limit(rc_client_bucket *bucket, uint64_t limit, uint64_t now_ms)
{
    const int64_t level = level_at(bucket, now_ms);
    const bool is_new = bucket->limit == 0;
    bucket->limit = least(limit, RC_CLIENT_LIMIT_MAX);
    bucket->at_ms = now_ms > bucket->at_ms ? now_ms : bucket->at_ms;
    bucket->level = is_new || level > full_level(bucket) ? full_level(bucket) : level;
    if (bucket->level < -DEBT_MINUTES * full_level(bucket))
        bucket->level = -DEBT_MINUTES * full_level(bucket);
}

/* Adds an amount, which may be negative. */
static void add(rc_client_bucket *bucket, int64_t amount, uint64_t now_ms)
{
    if (bucket->limit == 0)
        return;
    const int64_t full = full_level(bucket);
    int64_t level = level_at(bucket, now_ms) + amount * (int64_t)MINUTE_MS;
    if (level > full)
        level = full;
    if (level < -DEBT_MINUTES * full)
        level = -DEBT_MINUTES * full;
    bucket->level = level;
    bucket->at_ms = now_ms > bucket->at_ms ? now_ms : bucket->at_ms;
}

/* Returns the time until the bucket has the amount, or is full if the amount is larger than the
 * bucket; 0: now. */
static uint64_t ready_ms(const rc_client_bucket *bucket, uint64_t amount, uint64_t now_ms)
{
    if (bucket->limit == 0)
        return 0;
    const int64_t needed = (int64_t)(least(amount, bucket->limit) * MINUTE_MS);
    const int64_t level = level_at(bucket, now_ms);
    if (level >= needed)
        return 0;
    return ((uint64_t)(needed - level) + bucket->limit - 1) / bucket->limit;
}

static bool is_bucket_valid(const rc_client_bucket *bucket)
{
    return bucket->limit <= RC_CLIENT_LIMIT_MAX && bucket->level <= full_level(bucket) &&
           bucket->level >= -DEBT_MINUTES * full_level(bucket);
}

/* --- limits --- */

/* Returns the time of an input: at least that of the latest input, if the caller's clock is
 * behind. */
static uint64_t latest(const rc_client_limits *limits, uint64_t now_ms)
{
    now_ms = limits->requests.at_ms > now_ms ? limits->requests.at_ms : now_ms;
    return limits->tokens.at_ms > now_ms ? limits->tokens.at_ms : now_ms;
}

void rc_client_limits_init(rc_client_limits *limits)
{
    *limits = (rc_client_limits){.mean_output = FIRST_OUTPUT};
}

void rc_client_limits_set(rc_client_limits *limits, const rc_client_limits_settings *settings,
                          uint64_t now_ms)
{
    now_ms = latest(limits, now_ms);
    set_limit(&limits->requests, settings->rpm, now_ms);
    set_limit(&limits->tokens, settings->tpm, now_ms);
    limits->max_in_flight = settings->max_in_flight;
}

static uint64_t tokens_of(const rc_client_limits *limits, const rc_client_need *need)
{
    const uint64_t most = need->max_output > 0 ? need->max_output : UINT64_MAX;
    return least(need->input, TOKENS_MAX) + least(limits->mean_output, most);
}

rc_client_verdict rc_client_limits_check(const rc_client_limits *limits, const rc_client_need *need,
                                         uint64_t now_ms)
{
    now_ms = latest(limits, now_ms);
    const uint64_t requests_ms = ready_ms(&limits->requests, 1, now_ms);
    const uint64_t tokens_ms = ready_ms(&limits->tokens, tokens_of(limits, need), now_ms);
    if (requests_ms > 0 && requests_ms >= tokens_ms)
        return (rc_client_verdict){.kind = RC_CLIENT_LIMIT_REQUESTS,
                                   .limit = limits->requests.limit,
                                   .ready_ms = requests_ms};
    if (tokens_ms > 0)
        return (rc_client_verdict){
            .kind = RC_CLIENT_LIMIT_TOKENS, .limit = limits->tokens.limit, .ready_ms = tokens_ms};
    if (limits->max_in_flight > 0 && limits->in_flight >= limits->max_in_flight)
        return (rc_client_verdict){.kind = RC_CLIENT_LIMIT_IN_FLIGHT,
                                   .limit = limits->max_in_flight};
    return (rc_client_verdict){.kind = RC_CLIENT_LIMIT_NONE};
}

uint64_t rc_client_limits_start(rc_client_limits *limits, const rc_client_need *need,
                                uint64_t now_ms)
{
    const uint64_t tokens = tokens_of(limits, need);
    now_ms = latest(limits, now_ms);
    add(&limits->requests, -1, now_ms);
    add(&limits->tokens, -(int64_t)tokens, now_ms);
    limits->in_flight++;
    return tokens;
}

void rc_client_limits_end(rc_client_limits *limits, uint64_t estimate, uint64_t input,
                          uint64_t output, uint64_t now_ms)
{
    now_ms = latest(limits, now_ms);
    const uint64_t used = least(input, TOKENS_MAX) + least(output, TOKENS_MAX);
    add(&limits->tokens, (int64_t)least(estimate, TOKENS_MAX * 2) - (int64_t)used, now_ms);
    limits->in_flight -= limits->in_flight > 0;
    if (output > 0)
        limits->mean_output = (limits->mean_output * 7 + least(output, TOKENS_MAX)) / 8;
}

rc_client_limit_state rc_client_limits_get(const rc_client_limits *limits,
                                           rc_client_limit_kind kind, uint64_t now_ms)
{
    const rc_client_bucket *bucket =
        kind == RC_CLIENT_LIMIT_TOKENS ? &limits->tokens : &limits->requests;
    const int64_t level = level_at(bucket, now_ms);
    return (rc_client_limit_state){
        .limit = bucket->limit,
        .remaining = level > 0 ? (uint64_t)level / MINUTE_MS : 0,
        .full_ms = ready_ms(bucket, bucket->limit, now_ms),
    };
}

const char *rc_client_limit_name(rc_client_limit_kind kind)
{
    switch (kind) {
    case RC_CLIENT_LIMIT_REQUESTS:
        return "rpm";
    case RC_CLIENT_LIMIT_TOKENS:
        return "tpm";
    case RC_CLIENT_LIMIT_IN_FLIGHT:
        return "max_in_flight";
    case RC_CLIENT_LIMIT_NONE:
        break;
    }
    return "";
}

bool rc_client_limits_validate(const rc_client_limits *limits)
{
    return is_bucket_valid(&limits->requests) && is_bucket_valid(&limits->tokens) &&
           limits->mean_output <= TOKENS_MAX;
}
