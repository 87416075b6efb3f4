/* The rate at which calls may start. Called by admission.c and rate_limits.c. */
#include <recourse/pacer.h>

#define MICRO UINT64_C(1000000)
#define EPOCH_MIN_MS UINT64_C(200)
#define EPOCH_MAX_MS UINT64_C(2000)
/* An epoch lasts this many times as long as the mean time until a refusal. */
#define EPOCH_REFUSALS 2u
#define EPOCH_CALLS 10u
/* Number of calls of an epoch that follows a reduction of the limit. */
#define REDUCED_CALLS 20u
#define RATE_MIN_MILLI UINT64_C(1000)
#define RATE_MAX_MILLI UINT64_C(10000000000)
/* Calls may start at most this much earlier than at even intervals, because timers are no more
 * precise. */
#define BURST_MS UINT64_C(2)
/* Shares of refused calls in thousandths: at BEGIN_MILLI a limit is set, at FALL_MILLI an existing
 * limit is lowered. */
#define BEGIN_MILLI 80u
#define BEGIN_REFUSED 3u
#define FALL_MILLI 30u
#define KEEP_PCT 95u  /* new limit in percent of the accepted rate, after refusals */
#define FAST_PCT 100u /* growth per epoch while the limit is below NEAR_PCT of the good rate */
#define SLOW_PCT 2u   /* first growth per epoch above that; it doubles with each epoch */
#define SLOW_MAX_PCT 64u
#define NEAR_PCT 90u
/* The limit grows if calls use at least this percentage of it. */
#define USED_PCT 80u
/* Number of reductions after each other that must be useless until the limit is removed. One
 * reduction may be too small, because the first refusals begin in the middle of an epoch. */
#define USELESS_MAX 2u
#define EXEMPT_MS UINT64_C(10000)
#define EXEMPTIONS_MAX 6u

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

void rc_pacer_init(rc_pacer *pacer)
{
    *pacer = (rc_pacer){0};
}

/* --- credit --- */

static uint64_t credit_max(const rc_pacer *pacer)
{
    return MICRO + pacer->rate_milli * BURST_MS;
}

static uint64_t credit_at(const rc_pacer *pacer, uint64_t now_ms)
{
    uint64_t passed_ms = now_ms > pacer->at_ms ? least(now_ms - pacer->at_ms, MICRO) : 0;
    return least(credit_max(pacer), pacer->credit_micro + passed_ms * pacer->rate_milli);
}

uint64_t rc_pacer_ready_ms(const rc_pacer *pacer, uint64_t now_ms)
{
    if (pacer->rate_milli == 0)
        return now_ms;
    uint64_t credit = credit_at(pacer, now_ms);
    if (credit >= MICRO)
        return now_ms;
    return most(now_ms, pacer->at_ms) +
           (MICRO - credit + pacer->rate_milli - 1) / pacer->rate_milli;
}

static void pay(rc_pacer *pacer, uint64_t now_ms)
{
    uint64_t credit = credit_at(pacer, now_ms);
    pacer->credit_micro = credit > MICRO ? credit - MICRO : 0;
    pacer->at_ms = most(now_ms, pacer->at_ms);
}

/* --- rate --- */

static void set_rate(rc_pacer *pacer, uint64_t rate_milli)
{
    if (pacer->most_milli > 0)
        rate_milli = least(rate_milli, pacer->most_milli);
    pacer->rate_milli = least(most(rate_milli, RATE_MIN_MILLI), RATE_MAX_MILLI);
    pacer->credit_micro = least(pacer->credit_micro, credit_max(pacer));
}

static void clear_epochs(rc_pacer *pacer, uint64_t now_ms)
{
    pacer->started[0] = pacer->refused[0] = pacer->started[1] = pacer->refused[1] = 0;
    pacer->before_at_ms = pacer->epoch_at_ms = now_ms;
}

void rc_pacer_set(rc_pacer *pacer, uint64_t rate_milli, uint64_t good_milli, uint64_t most_milli,
                  uint64_t now_ms)
{
    pacer->good_milli = good_milli;
    pacer->most_milli = most_milli;
    pacer->credit_micro = 0;
    pacer->at_ms = most(now_ms, pacer->at_ms);
    pacer->growth_pct = SLOW_PCT;
    pacer->skip = 0;
    pacer->share_milli = 0;
    pacer->useless = 0;
    clear_epochs(pacer, pacer->at_ms);
    set_rate(pacer, rate_milli);
}

void rc_pacer_release(rc_pacer *pacer)
{
    pacer->rate_milli = 0;
    pacer->most_milli = 0;
    pacer->skip = 0;
    pacer->share_milli = 0;
    pacer->useless = 0;
}

bool rc_pacer_is_calm(const rc_pacer *pacer)
{
    return pacer->started[0] < EPOCH_CALLS && pacer->started[1] < EPOCH_CALLS &&
           pacer->refused[0] == 0 && pacer->refused[1] == 0;
}

static uint64_t epoch_ms(const rc_pacer *pacer)
{
    return least(EPOCH_MAX_MS, most(EPOCH_MIN_MS, (uint64_t)pacer->refused_ms * EPOCH_REFUSALS));
}

static void exempt(rc_pacer *pacer, uint64_t now_ms)
{
    rc_pacer_release(pacer);
    pacer->exempt_until_ms = now_ms + (EXEMPT_MS << pacer->exemptions);
    if (pacer->exemptions < EXEMPTIONS_MAX)
        pacer->exemptions++;
}

static void fall(rc_pacer *pacer, uint64_t accepted_milli)
{
    pacer->good_milli = accepted_milli;
    pacer->growth_pct = SLOW_PCT;
    pacer->skip = 2;
    set_rate(pacer, most(accepted_milli * KEEP_PCT / 100, pacer->rate_milli / 2));
}

static void grow(rc_pacer *pacer)
{
    if (pacer->rate_milli * 100 < pacer->good_milli * NEAR_PCT) {
        uint64_t fast = pacer->rate_milli * (100 + FAST_PCT) / 100;
        set_rate(pacer,
                 most(least(fast, pacer->good_milli * NEAR_PCT / 100), pacer->rate_milli + 1));
        return;
    }
    set_rate(pacer, pacer->rate_milli + pacer->rate_milli * pacer->growth_pct / 100);
    pacer->growth_pct = (uint16_t)least(SLOW_MAX_PCT, pacer->growth_pct * 2u);
}

/* Changes the limit according to the counts of an epoch whose calls have ended. */
static void judge(rc_pacer *pacer, uint32_t started, uint32_t refused, uint64_t length_ms,
                  uint64_t now_ms)
{
    refused = refused < started ? refused : started;
    if (started == 0)
        return;
    uint64_t rate_milli = started * MICRO / length_ms;
    uint64_t accepted_milli = (started - refused) * MICRO / length_ms;
    uint32_t share_milli = (uint32_t)(UINT64_C(1000) * refused / started);
    if (pacer->rate_milli == 0) {
        /* With fewer calls the share of refused ones says too little. */
        if (now_ms < pacer->exempt_until_ms || started < EPOCH_CALLS || refused < BEGIN_REFUSED ||
            share_milli < BEGIN_MILLI)
            return;
        pacer->share_milli = share_milli;
        pacer->rate_milli = rate_milli;
        fall(pacer, accepted_milli);
        return;
    }
    if (pacer->skip > 0) {
        pacer->skip--;
        return;
    }
    if (share_milli >= FALL_MILLI) {
        /* A target that lacks capacity accepts nearly all calls at the rate that it accepted
         * before; the share of random failures does not depend on the rate. */
        bool is_useless = pacer->share_milli > 0 && share_milli >= BEGIN_MILLI;
        pacer->useless = is_useless ? (uint8_t)(pacer->useless + 1) : 0;
        if (pacer->useless >= USELESS_MAX) {
            exempt(pacer, now_ms);
            return;
        }
        if (share_milli > pacer->share_milli)
            pacer->share_milli = share_milli;
        fall(pacer, accepted_milli);
        return;
    }
    pacer->share_milli = 0;
    pacer->useless = 0;
    pacer->exemptions = 0;
    if (rate_milli * 100 >= pacer->rate_milli * USED_PCT || started < EPOCH_CALLS)
        grow(pacer);
}

/* Returns whether the current epoch has lasted long enough and has enough calls to be judged. While
 * a target recovers and refuses nothing, a single call is enough, because the rate begins far below
 * the rate that the target accepted before its outage. */
static bool is_epoch_over(const rc_pacer *pacer, uint64_t now_ms)
{
    uint64_t passed_ms = now_ms > pacer->epoch_at_ms ? now_ms - pacer->epoch_at_ms : 0;
    bool is_recovery = pacer->most_milli > 0 && pacer->refused[0] == 0 && pacer->refused[1] == 0;
    uint32_t calls = is_recovery ? 1 : pacer->share_milli > 0 ? REDUCED_CALLS : EPOCH_CALLS;
    return passed_ms >= EPOCH_MAX_MS ||
           (passed_ms >= epoch_ms(pacer) && pacer->started[0] >= calls);
}

static void roll(rc_pacer *pacer, uint64_t now_ms)
{
    if (!is_epoch_over(pacer, now_ms))
        return;
    if (now_ms >= pacer->epoch_at_ms + 3 * EPOCH_MAX_MS) { /* no call for some time, so the counts
                                                              are out of date */
        clear_epochs(pacer, now_ms);
        return;
    }
    if (pacer->epoch_at_ms > pacer->before_at_ms)
        judge(pacer, pacer->started[1], pacer->refused[1], pacer->epoch_at_ms - pacer->before_at_ms,
              now_ms);
    pacer->started[1] = pacer->started[0];
    pacer->refused[1] = pacer->refused[0];
    pacer->started[0] = pacer->refused[0] = 0;
    pacer->before_at_ms = pacer->epoch_at_ms;
    pacer->epoch_at_ms = now_ms;
}

void rc_pacer_start(rc_pacer *pacer, uint64_t now_ms)
{
    now_ms = most(now_ms, pacer->at_ms);
    roll(pacer, now_ms);
    pay(pacer, now_ms);
    pacer->started[0]++;
}

void rc_pacer_on_refused(rc_pacer *pacer, uint64_t began_ms, uint64_t now_ms)
{
    uint64_t took_ms = now_ms > began_ms ? least(now_ms - began_ms, EPOCH_MAX_MS) : 0;
    int64_t change = (int64_t)took_ms - (int64_t)pacer->refused_ms;
    pacer->refused_ms =
        (uint32_t)((int64_t)pacer->refused_ms + (pacer->refused_ms == 0 ? change : change / 4));
    roll(pacer, now_ms);
    if (began_ms >= pacer->epoch_at_ms)
        pacer->refused[0]++;
    else if (began_ms >= pacer->before_at_ms)
        pacer->refused[1]++;
}

bool rc_pacer_validate(const rc_pacer *pacer)
{
    return (pacer->rate_milli == 0 || pacer->rate_milli >= RATE_MIN_MILLI ||
            pacer->rate_milli == pacer->most_milli) &&
           pacer->rate_milli <= RATE_MAX_MILLI && pacer->exemptions <= EXEMPTIONS_MAX &&
           pacer->credit_micro <= MICRO + RATE_MAX_MILLI * BURST_MS && pacer->skip <= 2;
}
