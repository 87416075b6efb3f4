/* Learned rate limits of one credential at one target. Called by shared.c, chain.c, the call*.c
 * files and the simulator. */
#include <recourse/rate_limits.h>

#define MILLI INT64_C(1000)
#define LIMIT_MAX INT64_C(1000000000000)
#define RESET_MAX_MS INT64_C(2678400000) /* 31 days */
/* If a limit applies to a window, the resets that two responses state differ by at most this
 * much. */
#define WINDOW_SLACK_MS UINT64_C(1500)
/* A limit that refills continuously states a reset that is later by at least this much after the
 * use of the amount between two responses. */
#define WINDOW_SHIFT_MS INT64_C(4000)

void rc_rate_limits_init(rc_rate_limits *limits)
{
    *limits = (rc_rate_limits){0};
}

rc_limit_cost rc_limit_cost_of(uint32_t tokens_in, uint32_t tokens_out)
{
    uint64_t sum = (uint64_t)tokens_in + tokens_out;
    rc_limit_cost cost = {.amounts = {[RC_LIMIT_REQUESTS] = 1,
                                      [RC_LIMIT_INPUT_TOKENS] = tokens_in,
                                      [RC_LIMIT_OUTPUT_TOKENS] = tokens_out}};
    cost.amounts[RC_LIMIT_TOKENS] = sum < UINT32_MAX ? (uint32_t)sum : UINT32_MAX;
    return cost;
}

/* --- one bucket --- */

static int64_t level_at(const rc_limit_bucket *bucket, uint64_t now_ms)
{
    int64_t full = bucket->limit * MILLI;
    if (bucket->reset_at_ms > 0 && now_ms >= bucket->reset_at_ms && bucket->is_window)
        return full;
    if (bucket->is_window || now_ms <= bucket->at_ms || bucket->rate_milli == 0)
        return bucket->level_milli < full ? bucket->level_milli : full;
    uint64_t passed_ms = now_ms - bucket->at_ms;
    uint64_t missing = bucket->level_milli < full ? (uint64_t)(full - bucket->level_milli) : 0;
    if (passed_ms >= missing * 1000 / bucket->rate_milli + 1)
        return full;
    return bucket->level_milli + (int64_t)(passed_ms * bucket->rate_milli / 1000);
}

static uint64_t ready_ms(const rc_limit_bucket *bucket, uint32_t amount, uint64_t now_ms)
{
    int64_t need = amount < bucket->limit ? amount * MILLI : bucket->limit * MILLI;
    int64_t level = level_at(bucket, now_ms);
    if (level >= need)
        return now_ms;
    if (bucket->is_window)
        return bucket->reset_at_ms > now_ms ? bucket->reset_at_ms : now_ms;
    if (bucket->rate_milli == 0)
        return bucket->reset_at_ms > now_ms ? bucket->reset_at_ms : now_ms;
    /* Computed from the time of level_milli, because the level now is rounded down. */
    uint64_t missing = (uint64_t)(need - bucket->level_milli) * 1000;
    uint64_t at_ms = bucket->at_ms + (missing + bucket->rate_milli - 1) / bucket->rate_milli;
    return at_ms > now_ms ? at_ms : now_ms + 1;
}

static void spend(rc_limit_bucket *bucket, uint32_t amount, uint64_t now_ms)
{
    bucket->sent += amount;
    if (bucket->limit == 0)
        return;
    bucket->level_milli = level_at(bucket, now_ms) - amount * MILLI;
    if (bucket->level_milli < -bucket->limit * MILLI)
        bucket->level_milli = -bucket->limit * MILLI;
    if (bucket->is_window && now_ms >= bucket->reset_at_ms)
        bucket->is_window = false; /* the old window has ended; the next response states the end of
                                      the new one */
    bucket->at_ms = now_ms > bucket->at_ms ? now_ms : bucket->at_ms;
}

/* Returns whether a new fact shows that the limit applies to a window: the reset is the same as
 * before, although the amount used since then would have moved it. */
static bool is_window(const rc_limit_bucket *bucket, const rc_limit_fact *fact,
                      uint64_t reset_at_ms)
{
    uint64_t before_ms = bucket->reset_at_ms;
    uint64_t shift_ms = reset_at_ms > before_ms ? reset_at_ms - before_ms : before_ms - reset_at_ms;
    if (before_ms == 0 || shift_ms > WINDOW_SLACK_MS)
        return false;
    if (bucket->is_window)
        return true;
    int64_t stated = bucket->level_milli / MILLI;
    int64_t used = stated - fact->remaining;
    int64_t missing = fact->limit - fact->remaining;
    return used > 0 && missing > 0 && fact->reset_ms * used / missing >= WINDOW_SHIFT_MS;
}

static bool is_sound(const rc_limit_fact *fact)
{
    return (unsigned)fact->axis < RC_LIMIT_AXES && fact->limit > 0 && fact->limit <= LIMIT_MAX &&
           fact->remaining >= 0 && fact->remaining <= fact->limit && fact->reset_ms <= RESET_MAX_MS;
}

static void note(rc_limit_bucket *bucket, const rc_limit_fact *fact, uint32_t sent_before,
                 uint64_t began_ms, uint64_t now_ms)
{
    if (bucket->limit > 0 && began_ms < bucket->began_at_ms)
        return; /* a call that began later has already stated the limit */
    uint64_t reset_ms = fact->reset_ms > 0 ? (uint64_t)fact->reset_ms : 0;
    uint64_t reset_at_ms = began_ms + reset_ms;
    int64_t missing = fact->limit - fact->remaining;
    bucket->is_window = bucket->limit == fact->limit && is_window(bucket, fact, reset_at_ms);
    if (reset_ms > 0 && missing > 0)
        bucket->rate_milli = (uint64_t)missing * 1000 * 1000 / reset_ms;
    bucket->limit = fact->limit;
    bucket->reset_at_ms = reset_at_ms;
    bucket->began_at_ms = began_ms;
    bucket->level_milli = fact->remaining * MILLI;
    bucket->at_ms = began_ms;
    bucket->level_milli = level_at(bucket, now_ms) - (int64_t)(bucket->sent - sent_before) * MILLI;
    bucket->at_ms = now_ms;
}

/* --- all limits --- */

uint64_t rc_rate_limits_ready_ms(const rc_rate_limits *limits, const rc_limit_cost *cost,
                                 uint64_t now_ms)
{
    uint64_t at_ms = rc_pacer_ready_ms(&limits->pacer, now_ms);
    for (uint32_t i = 0; i < RC_LIMIT_AXES; i++) {
        const rc_limit_bucket *bucket = &limits->buckets[i];
        uint64_t ready = bucket->limit > 0 ? ready_ms(bucket, cost->amounts[i], now_ms) : now_ms;
        at_ms = ready > at_ms ? ready : at_ms;
    }
    return at_ms;
}

rc_limit_mark rc_rate_limits_start(rc_rate_limits *limits, const rc_limit_cost *cost,
                                   uint64_t now_ms)
{
    rc_limit_mark mark;
    for (uint32_t i = 0; i < RC_LIMIT_AXES; i++) {
        spend(&limits->buckets[i], cost->amounts[i], now_ms);
        mark.sent[i] = limits->buckets[i].sent;
    }
    rc_pacer_start(&limits->pacer, now_ms);
    return mark;
}

void rc_rate_limits_note(rc_rate_limits *limits, const rc_limit_facts *facts,
                         const rc_limit_mark *mark, uint64_t began_ms, uint64_t now_ms)
{
    for (uint32_t i = 0; i < facts->count && i < RC_LIMIT_FACTS_MAX; i++) {
        const rc_limit_fact *fact = &facts->list[i];
        if (is_sound(fact))
            note(&limits->buckets[fact->axis], fact, mark->sent[fact->axis], began_ms, now_ms);
    }
}

void rc_rate_limits_on_refused(rc_rate_limits *limits, uint64_t began_ms, uint64_t now_ms)
{
    rc_pacer_on_refused(&limits->pacer, began_ms, now_ms);
}

uint32_t rc_rate_limits_left_milli(const rc_rate_limits *limits, uint64_t now_ms)
{
    uint32_t left = 1000;
    for (uint32_t i = 0; i < RC_LIMIT_AXES; i++) {
        const rc_limit_bucket *bucket = &limits->buckets[i];
        int64_t level = bucket->limit > 0 ? level_at(bucket, now_ms) : 0;
        int64_t share = bucket->limit > 0 ? level / bucket->limit : 1000;
        if (share < (int64_t)left)
            left = share > 0 ? (uint32_t)share : 0;
    }
    return left;
}

/* Returns the time at which the bucket is full; 0: it is full now, or the time is not known. */
static uint64_t full_at_ms(const rc_limit_bucket *bucket, int64_t level, uint64_t now_ms)
{
    if (level >= bucket->limit * MILLI)
        return 0;
    if (bucket->is_window || bucket->rate_milli == 0)
        return bucket->reset_at_ms > now_ms ? bucket->reset_at_ms : 0;
    uint64_t missing = (uint64_t)(bucket->limit * MILLI - level);
    return now_ms + (missing * 1000 + bucket->rate_milli - 1) / bucket->rate_milli;
}

bool rc_rate_limits_view(const rc_rate_limits *limits, rc_limit_axis axis, uint64_t now_ms,
                         rc_limit_view *ret_view)
{
    const rc_limit_bucket *bucket = &limits->buckets[axis];
    if (bucket->limit == 0)
        return false;
    int64_t level = level_at(bucket, now_ms);
    *ret_view = (rc_limit_view){.limit = bucket->limit,
                                .remaining = level / MILLI,
                                .full_at_ms = full_at_ms(bucket, level, now_ms),
                                .is_window = bucket->is_window && now_ms < bucket->reset_at_ms};
    return true;
}

uint32_t rc_rate_limits_room(const rc_rate_limits *limits, const rc_limit_cost *cost,
                             uint64_t now_ms)
{
    int64_t room = UINT32_MAX;
    for (uint32_t i = 0; i < RC_LIMIT_AXES; i++) {
        const rc_limit_bucket *bucket = &limits->buckets[i];
        if (bucket->limit == 0 || cost->amounts[i] == 0)
            continue;
        int64_t calls = level_at(bucket, now_ms) / MILLI / cost->amounts[i];
        room = calls < room ? calls : room;
    }
    return room > 0 ? (uint32_t)room : 0;
}

bool rc_rate_limits_validate(const rc_rate_limits *limits)
{
    for (uint32_t i = 0; i < RC_LIMIT_AXES; i++) {
        const rc_limit_bucket *bucket = &limits->buckets[i];
        if (bucket->limit < 0 || bucket->limit > LIMIT_MAX ||
            bucket->level_milli > bucket->limit * MILLI)
            return false;
    }
    return rc_pacer_validate(&limits->pacer);
}
