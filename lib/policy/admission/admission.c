/* The admission of one target: detects outages, sends probes, recovers gradually, and learns the
 * capacity. Called by shared.c, call_attempt.c, call_decide.c, call_queue.c and call_target.c. */
#include <recourse/admission.h>

#define SLOT_MS UINT64_C(1000)
/* A series of failures is an outage in two cases: it has OUTAGE_FAILURES failures and at most one
 * survivor (admission.h) for SURVIVORS_SHARE failures; or it has no survivor and
 * SLOW_OUTAGE_FAILURES failures, over SLOW_OUTAGE_MS if there are many requests. */
#define OUTAGE_FAILURES 24u
#define SURVIVORS_SHARE 32u
#define SLOW_OUTAGE_FAILURES 5u
#define SLOW_OUTAGE_MS UINT64_C(2000)
/* Below this rate of requests per 1000 s, SLOW_OUTAGE_FAILURES are enough however short they last:
 * so few requests would use up their attempts in less than SLOW_OUTAGE_MS. */
#define FEW_REQUESTS_MILLI 4000u
#define RELAPSE_FAILURES 3u
/* A DOWN target gets one probe for this many arriving requests, but at intervals within
 * PROBE_MIN_MS and PROBE_MAX_MS. The longest interval grows with the age of the outage. */
#define REQUESTS_PER_PROBE UINT64_C(12)
#define PROBE_MIN_MS UINT64_C(400)
#define PROBE_MAX_MS UINT64_C(1000)
#define PROBE_OTHER_MS UINT64_C(5000)
#define PROBE_LIMIT_MS UINT64_C(30000)
#define PROBE_AGE_SHARE 4u
/* A probe has probably succeeded after this many times the usual duration of a failure, plus
 * SURVIVED_MORE_MS. */
#define SURVIVED_TIMES 4u
#define SURVIVED_MORE_MS UINT64_C(50)
#define SURVIVED_MAX_MS 2000u
/* A recovery begins with this percentage of the last good rate. MOST_RATE_PCT is the percentage
 * that the rate of a recovery may reach at most. */
#define FIRST_RATE_PCT 12u
#define FIRST_RATE_MILLI UINT64_C(4000)
#define MOST_RATE_PCT 148u
#define MOST_RATE_UNKNOWN_MILLI UINT64_C(10000000000)
#define YIELD_SHARE 16
#define YIELD_RESULTS 8u
#define YIELD_MIN_MILLI 150u
#define MORE_AFTER_MIN 4u
#define MORE_AFTER_MAX 256u

/* A target does not respond if this many calls in a row are older than twice the median duration of
 * a response plus UNANSWERED_MORE_MS, and none of them has begun a response. */
#define UNANSWERED_CALLS 10u
#define UNANSWERED_MORE_MS UINT64_C(500)

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

void rc_admission_init(rc_admission *admission, uint64_t now_ms)
{
    *admission = (rc_admission){.now_ms = now_ms, .slot_at_ms = now_ms};
    rc_pacer_init(&admission->pacer);
}

/* --- rates --- */

static uint32_t blend(uint32_t mean, uint64_t value)
{
    value = least(value, UINT32_MAX);
    return (uint32_t)(((uint64_t)mean * 3 + value) / 4);
}

/* Sets the latest time and adds the counts of completed seconds to the means. */
static void move_on(rc_admission *a, uint64_t now_ms)
{
    a->now_ms = most(a->now_ms, now_ms);
    uint64_t passed = (a->now_ms - a->slot_at_ms) / SLOT_MS;
    if (passed == 0)
        return;
    uint32_t good = a->slot_started > a->slot_failed ? a->slot_started - a->slot_failed : 0;
    for (uint64_t i = 0; i < least(passed, 16); i++) {
        a->demand_milli = blend(a->demand_milli, i == 0 ? a->slot_arrived * UINT64_C(1000) : 0);
        if (a->state == RC_ADMISSION_UP && a->streak_failed == 0)
            a->good_milli = blend(a->good_milli, i == 0 ? good * UINT64_C(1000) : 0);
    }
    a->slot_arrived = a->slot_started = a->slot_failed = 0;
    a->slot_at_ms += passed * SLOT_MS;
}

void rc_admission_on_arrival(rc_admission *admission, uint64_t now_ms)
{
    move_on(admission, now_ms);
    admission->slot_arrived++;
}

/* Returns the rate of arriving requests: the mean, or the rate of the unfinished second if that is
 * higher. */
static uint64_t demand_milli(const rc_admission *a)
{
    return most(a->demand_milli, a->slot_arrived * UINT64_C(1000));
}

static void add_result(rc_admission *a, bool is_success)
{
    int32_t change = (is_success ? 1000 : 0) - (int32_t)a->yield_milli;
    if (a->results == 0)
        a->yield_milli = is_success ? 1000 : 0;
    else
        a->yield_milli = (uint32_t)((int32_t)a->yield_milli + change / YIELD_SHARE);
    a->results += a->results < 1000;
}

bool rc_admission_is_yielding(const rc_admission *admission)
{
    return admission->results >= YIELD_RESULTS && admission->yield_milli >= YIELD_MIN_MILLI &&
           admission->state != RC_ADMISSION_DOWN;
}

/* --- down and up --- */

static uint64_t probe_gap_ms(const rc_admission *a, bool is_alone)
{
    uint64_t age_ms = a->now_ms - a->down_at_ms;
    uint64_t longest_ms = (is_alone ? PROBE_MAX_MS : PROBE_OTHER_MS) + age_ms / PROBE_AGE_SHARE;
    uint64_t demand = demand_milli(a);
    uint64_t gap_ms = demand > 0 ? REQUESTS_PER_PROBE * UINT64_C(1000000) / demand : PROBE_LIMIT_MS;
    gap_ms = most(gap_ms, is_alone ? PROBE_MIN_MS : PROBE_OTHER_MS);
    gap_ms = least(gap_ms, least(longest_ms, PROBE_LIMIT_MS));
    return most(gap_ms, least(UINT64_C(2) * a->failed_ms, PROBE_LIMIT_MS));
}

static void go_down(rc_admission *a, uint64_t probe_at_ms)
{
    if (a->state != RC_ADMISSION_DOWN) {
        a->down_at_ms = a->now_ms;
        a->downs_in_a_row = (uint16_t)least(a->downs_in_a_row + 1u, UINT16_MAX);
        a->probe_at_ms = 0;
    }
    a->state = RC_ADMISSION_DOWN;
    a->streak_failed = 0;
    a->probed_at_ms = 0;
    a->probe_at_ms = most(a->probe_at_ms, probe_at_ms);
    rc_pacer_release(&a->pacer);
}

/* The capacity of a target that has served no call before is not known, so its rate has no
 * maximum. */
static void recover(rc_admission *a)
{
    uint64_t good = a->good_milli;
    uint64_t first = most(good * FIRST_RATE_PCT / 100, FIRST_RATE_MILLI);
    uint64_t usual = most(most(good, demand_milli(a)) * MOST_RATE_PCT / 100, first);
    a->state = RC_ADMISSION_RECOVERING;
    a->up_at_ms = a->now_ms;
    a->streak_failed = 0;
    a->probed_at_ms = 0;
    rc_pacer_set(&a->pacer, first, good > 0 ? usual : 0, good > 0 ? usual : MOST_RATE_UNKNOWN_MILLI,
                 a->now_ms);
}

void rc_admission_hold_until(rc_admission *admission, uint64_t until_ms, uint64_t now_ms)
{
    move_on(admission, now_ms);
    go_down(admission, until_ms);
}

void rc_admission_relax(rc_admission *admission)
{
    rc_admission *a = admission;
    if (a->state == RC_ADMISSION_UP && rc_pacer_is_calm(&a->pacer))
        rc_pacer_release(&a->pacer);
    if (a->state != RC_ADMISSION_RECOVERING)
        return;
    a->state = RC_ADMISSION_UP;
    a->downs_in_a_row = 0;
    if (a->pacer.share_milli == 0 && a->pacer.skip == 0)
        rc_pacer_release(&a->pacer);
    a->pacer.most_milli = 0;
}

/* Returns the time at which the latest probe has probably succeeded; 0: not known. */
static uint64_t survived_at_ms(const rc_admission *a)
{
    if (a->probed_at_ms == 0 || a->failed_ms > SURVIVED_MAX_MS)
        return 0;
    return a->probed_at_ms + (uint64_t)a->failed_ms * SURVIVED_TIMES + SURVIVED_MORE_MS;
}

/* --- calls without a response --- */

static void count_unanswered(rc_admission *a)
{
    if (a->unanswered == 0) {
        a->unanswered_at_ms = a->now_ms;
        a->unanswered_ms = 0;
    }
    if (a->unanswered >= UNANSWERED_CALLS)
        return;
    if (++a->unanswered == UNANSWERED_CALLS)
        a->unanswered_ms = (uint32_t)least(a->now_ms - a->unanswered_at_ms, UINT32_MAX);
}

static void clear_unanswered(rc_admission *a, uint64_t began_ms)
{
    if (began_ms >= a->unanswered_at_ms)
        a->unanswered = 0;
}

/* Returns whether the calls in flight show that the target hangs, long before their timeouts. */
static bool is_silent(const rc_admission *a, uint64_t now_ms)
{
    return a->unanswered >= UNANSWERED_CALLS && a->service_ms > 0 &&
           now_ms >= a->unanswered_at_ms + a->unanswered_ms + UINT64_C(2) * a->service_ms +
                         UNANSWERED_MORE_MS;
}

/* --- check and start --- */

rc_admission_hold rc_admission_check(const rc_admission *admission, bool is_alone, uint64_t now_ms,
                                     uint64_t *ret_until_ms)
{
    const rc_admission *a = admission;
    now_ms = most(now_ms, a->now_ms);
    if (a->state == RC_ADMISSION_DOWN) {
        uint64_t at_ms = a->probe_at_ms;
        uint64_t survived_ms = survived_at_ms(a);
        if (!is_alone && a->probed_at_ms == 0 && a->downs_in_a_row > 0)
            at_ms = most(at_ms, a->down_at_ms + PROBE_OTHER_MS);
        if (survived_ms > 0)
            at_ms = least(at_ms, survived_ms);
        if (now_ms >= at_ms)
            return RC_ADMISSION_OPEN;
        *ret_until_ms = at_ms;
        return RC_ADMISSION_HOLD_DOWN;
    }
    if (!is_alone && is_silent(a, now_ms)) {
        *ret_until_ms = 0;
        return RC_ADMISSION_HOLD_DOWN;
    }
    if (a->most_in_flight > 0 && a->in_flight >= a->most_in_flight) {
        *ret_until_ms = 0;
        return RC_ADMISSION_HOLD_BUSY;
    }
    uint64_t ready_ms = rc_pacer_ready_ms(&a->pacer, now_ms);
    if (ready_ms <= now_ms)
        return RC_ADMISSION_OPEN;
    *ret_until_ms = ready_ms;
    return RC_ADMISSION_HOLD_PACED;
}

uint32_t rc_admission_start(rc_admission *admission, uint64_t now_ms)
{
    rc_admission *a = admission;
    move_on(a, now_ms);
    if (a->state == RC_ADMISSION_DOWN) {
        uint64_t survived_ms = survived_at_ms(a);
        if (survived_ms > 0 && a->now_ms >= survived_ms) {
            recover(a);
        } else {
            a->probed_at_ms = a->now_ms;
            a->probe_at_ms = a->now_ms + probe_gap_ms(a, true);
        }
    }
    rc_pacer_start(&a->pacer, a->now_ms);
    count_unanswered(a);
    a->slot_started++;
    a->in_flight++;
    return ++a->started;
}

/* --- results --- */

static void end(rc_admission *a, uint64_t now_ms)
{
    move_on(a, now_ms);
    a->in_flight -= a->in_flight > 0;
    if (a->in_flight == 0)
        a->unanswered = 0;
}

/* Moves an estimated quantile towards a value. Of up_share + down_share values, up_share lie above
 * the quantile. */
static uint32_t track(uint32_t quantile, uint64_t value, uint32_t up_share, uint32_t down_share)
{
    value = least(value, UINT32_MAX / 2);
    if (quantile == 0)
        return (uint32_t)value;
    uint64_t step = most(quantile / 16, 1);
    if (value > quantile)
        return (uint32_t)least(value, quantile + step * down_share / (up_share + down_share) + 1);
    return (uint32_t)most(value,
                          quantile - least(quantile, step * up_share / (up_share + down_share)));
}

static void learn_service(rc_admission *a, uint64_t took_ms)
{
    bool is_first = a->service_ms == 0;
    a->service_ms = track(a->service_ms, took_ms, 1, 1);
    a->service_slow_ms = is_first ? (uint32_t)least(took_ms * 2, UINT32_MAX / 2)
                                  : track(a->service_slow_ms, took_ms, 1, 49);
    if (a->service_slow_ms < a->service_ms)
        a->service_slow_ms = a->service_ms;
}

void rc_admission_on_response(rc_admission *admission, uint64_t began_ms, uint64_t now_ms)
{
    move_on(admission, now_ms);
    clear_unanswered(admission, began_ms);
    if (admission->state == RC_ADMISSION_DOWN && began_ms >= admission->down_at_ms)
        recover(admission);
}

void rc_admission_on_success(rc_admission *admission, uint64_t began_ms, uint64_t now_ms)
{
    rc_admission *a = admission;
    bool is_full = a->most_in_flight > 0 && a->in_flight >= a->most_in_flight;
    end(a, now_ms);
    rc_admission_on_response(a, began_ms, a->now_ms);
    add_result(a, true);
    learn_service(a, a->now_ms > began_ms ? a->now_ms - began_ms : 0);
    if (!is_full)
        return;
    if (a->until_more > 0)
        a->until_more--;
    if (a->until_more == 0) {
        a->most_in_flight++;
        a->until_more = a->more_after;
    }
}

/* Learns the limit of concurrent calls from a refusal: the other calls in flight were accepted.
 * Refusals come in groups, because several calls start before the first one is refused; each
 * further refusal shows that one call less was accepted. The number of calls in flight alone would
 * be too small by the calls that have ended since. After each refusal the limit needs more
 * successes until it grows. */
static void learn_concurrency(rc_admission *a)
{
    uint32_t accepted = a->in_flight > 0 ? a->in_flight : 1;
    bool is_new = a->most_in_flight == 0;
    if (!is_new && accepted + accepted / 8 + 1 >= a->most_in_flight)
        accepted = a->most_in_flight > 1 ? a->most_in_flight - 1 : 1;
    a->most_in_flight = accepted;
    a->more_after =
        is_new ? MORE_AFTER_MIN : (uint32_t)least(a->more_after * UINT64_C(2), MORE_AFTER_MAX);
    a->until_more = a->more_after * accepted;
}

/* Returns whether the series of failures shows an outage. */
static bool is_outage(const rc_admission *a)
{
    uint32_t calls = a->streak_last - a->streak_first + 1;
    uint32_t survivors = calls > a->streak_failed ? calls - a->streak_failed : 0;
    if (a->streak_failed >= OUTAGE_FAILURES && survivors * SURVIVORS_SHARE <= a->streak_failed)
        return true;
    if (survivors > 0)
        return false;
    return (a->state == RC_ADMISSION_RECOVERING && a->streak_failed >= RELAPSE_FAILURES) ||
           (a->streak_failed >= SLOW_OUTAGE_FAILURES &&
            (a->now_ms - a->streak_at_ms >= SLOW_OUTAGE_MS ||
             demand_milli(a) < FEW_REQUESTS_MILLI));
}

static void add_to_streak(rc_admission *a, uint32_t index, uint64_t began_ms)
{
    uint32_t ahead = index - a->streak_first; /* wraps */
    if (a->streak_failed == 0 || ahead > UINT32_MAX / 2) {
        a->streak_first = a->streak_last = index;
        a->streak_at_ms = began_ms;
        a->streak_failed = 1;
        return;
    }
    if (index - a->streak_last <= UINT32_MAX / 2)
        a->streak_last = index;
    a->streak_failed++;
    uint32_t calls = a->streak_last - a->streak_first + 1;
    if (calls > a->streak_failed + a->streak_failed / 4 + 2)
        a->streak_failed = 0; /* too many survivors for an outage, so the next failure begins a new
                                 series */
}

void rc_admission_on_failure(rc_admission *admission, rc_admission_failure failure, uint32_t index,
                             uint64_t began_ms, uint64_t now_ms)
{
    rc_admission *a = admission;
    end(a, now_ms);
    uint64_t took_ms = a->now_ms > began_ms ? a->now_ms - began_ms : 0;
    if (took_ms < UINT64_C(2) * a->service_ms) /* a response, and not a timeout */
        clear_unanswered(a, began_ms);
    if (failure == RC_ADMISSION_CONCURRENT) {
        learn_concurrency(a);
        return;
    }
    a->slot_failed++;
    a->failed_ms = track(a->failed_ms, took_ms, 1, 1);
    add_result(a, false);
    if (failure == RC_ADMISSION_OVERLOAD)
        rc_pacer_on_refused(&a->pacer, began_ms, a->now_ms);
    if (a->state == RC_ADMISSION_DOWN) {
        if (began_ms >= a->probed_at_ms)
            a->probed_at_ms = 0;
        return;
    }
    if (began_ms < a->up_at_ms)
        return; /* the call began before the end of the previous outage */
    add_to_streak(a, index, began_ms);
    if (a->streak_failed > 0 && is_outage(a)) {
        go_down(a, 0);
        a->probe_at_ms = a->now_ms + probe_gap_ms(a, true);
    }
}

void rc_admission_on_neutral(rc_admission *admission, uint64_t now_ms)
{
    end(admission, now_ms);
    admission->probed_at_ms = 0;
}

const char *rc_admission_state_name(rc_admission_state state)
{
    switch (state) {
    case RC_ADMISSION_UP:
        return "up";
    case RC_ADMISSION_DOWN:
        return "down";
    case RC_ADMISSION_RECOVERING:
        return "recovering";
    }
    return "";
}

bool rc_admission_validate(const rc_admission *admission)
{
    return admission->state <= RC_ADMISSION_RECOVERING && admission->yield_milli <= 1000 &&
           admission->results <= 1000 && admission->slot_at_ms <= admission->now_ms &&
           admission->service_slow_ms >= admission->service_ms &&
           admission->unanswered <= UNANSWERED_CALLS && rc_pacer_validate(&admission->pacer);
}
