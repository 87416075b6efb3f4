/* Backoff: computes the wait before the next attempt from a retry rule. Called by call_decide.c,
 * the policy listing and the store's writer. All arithmetic saturates at UINT64_MAX. */
#include <recourse/policy.h>

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t times(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* Returns value * milli / 1000 without an intermediate product of more than 64 bits. */
static uint64_t scale(uint64_t value, uint64_t milli)
{
    return plus(times(value / 1000, milli), value % 1000 * milli / 1000);
}

/* Returns the wait that grows by the rule's factor with each failed attempt. The computation uses
 * microseconds, because a whole number of milliseconds that starts at 1 would never grow with a
 * factor below 2. The loop ends when the wait reaches max_delay_ms; with the smallest factor,
 * 1.001, that takes about ten thousand steps. */
static uint64_t exponential(const rc_retry_rule *rule, uint32_t failed_attempts)
{
    if (failed_attempts <= 1)
        return rule->base_ms;
    const uint64_t cap_us = times(rule->max_delay_ms, 1000);
    uint64_t wait_us = times(rule->base_ms, 1000);
    for (uint32_t i = 1; i < failed_attempts && wait_us < cap_us; i++) {
        const uint64_t next_us = scale(wait_us, rule->factor_milli);
        if (next_us <= wait_us)
            break;
        wait_us = next_us;
    }
    return wait_us == UINT64_MAX ? UINT64_MAX : wait_us / 1000;
}

static uint64_t scheduled(const rc_retry_rule *rule, uint32_t failed_attempts)
{
    const uint64_t count = least(rule->schedule_count, RC_SCHEDULE_MAX);
    return count > 0 ? rule->schedule_ms[least(failed_attempts, count) - 1] : rule->base_ms;
}

/* Returns the wait without jitter, limited to max_delay_ms. rc_backoff_range adds the jitter to the
 * limited wait. */
static uint64_t plain_wait(const rc_retry_rule *rule, uint32_t failed_attempts)
{
    uint64_t wait_ms = rule->base_ms;
    switch (rule->backoff) {
    case RC_BACKOFF_FIXED:
        break;
    case RC_BACKOFF_LINEAR:
        wait_ms = times(rule->base_ms, failed_attempts);
        break;
    case RC_BACKOFF_EXPONENTIAL:
        wait_ms = exponential(rule, failed_attempts);
        break;
    case RC_BACKOFF_SCHEDULE:
        wait_ms = scheduled(rule, failed_attempts);
        break;
    }
    return least(wait_ms, rule->max_delay_ms);
}

/* Returns the upper end of the decorrelated jitter: base_ms * 3^failed_attempts, limited to
 * max_delay_ms. */
static uint64_t decorrelated_max(const rc_retry_rule *rule, uint32_t failed_attempts)
{
    uint64_t wait_ms = rule->base_ms;
    for (uint32_t i = 0; i < failed_attempts && wait_ms != 0 && wait_ms < rule->max_delay_ms; i++)
        wait_ms = times(wait_ms, 3);
    return least(wait_ms, rule->max_delay_ms);
}

rc_wait_range rc_backoff_range(const rc_retry_rule *rule, uint32_t failed_attempts)
{
    const uint32_t attempts = failed_attempts > 0 ? failed_attempts : 1;
    const uint64_t wait_ms = plain_wait(rule, attempts);
    const uint64_t spread_ms = scale(wait_ms, least(rule->jitter_pct, 100) * 10);
    switch (rule->jitter) {
    case RC_JITTER_NONE:
        break;
    case RC_JITTER_PERCENT:
        return (rc_wait_range){wait_ms - spread_ms,
                               least(plus(wait_ms, spread_ms), rule->max_delay_ms)};
    case RC_JITTER_FULL:
        return (rc_wait_range){0, wait_ms};
    case RC_JITTER_DECORRELATED:
        return (rc_wait_range){least(rule->base_ms, rule->max_delay_ms),
                               decorrelated_max(rule, attempts)};
    }
    return (rc_wait_range){wait_ms, wait_ms};
}

uint64_t rc_backoff_wait(const rc_retry_rule *rule, uint32_t failed_attempts, uint64_t last_wait_ms,
                         uint64_t entropy)
{
    rc_wait_range range = rc_backoff_range(rule, failed_attempts);
    if (rule->jitter == RC_JITTER_DECORRELATED) {
        const uint64_t before_ms = last_wait_ms > range.min_ms ? last_wait_ms : range.min_ms;
        range.max_ms = least(range.max_ms, times(before_ms, 3));
    }
    const uint64_t width_ms = range.max_ms - range.min_ms;
    return width_ms == UINT64_MAX ? entropy : range.min_ms + entropy % (width_ms + 1);
}
