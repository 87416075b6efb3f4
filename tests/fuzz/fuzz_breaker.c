/* The circuit breaker under any order of calls, ends and times.
 *
 *   4 bytes of settings, then steps of two bytes: kind, amount */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <recourse/breaker.h>

#define CALLS_MAX 32

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

/* The breaker, and the facts about it that the test tracks. */
typedef struct fixture {
    rc_breaker breaker;
    rc_breaker_settings settings;
    uint64_t now_ms;
    rc_breaker_admission calls[CALLS_MAX]; /* the admissions of the calls in flight */
    size_t call_count;
    unsigned probes; /* number of probes among the calls in flight */
} fixture;

static bool is_same(const rc_breaker *a, const rc_breaker *b)
{
    return a->state == b->state && a->is_probing == b->is_probing &&
           a->opened_in_a_row == b->opened_in_a_row &&
           memcmp(a->slot_calls, b->slot_calls, sizeof a->slot_calls) == 0 &&
           memcmp(a->slot_failures, b->slot_failures, sizeof a->slot_failures) == 0 &&
           a->slot_at_ms == b->slot_at_ms && a->open_until_ms == b->open_until_ms &&
           a->closed_at_ms == b->closed_at_ms;
}

static void admit(fixture *s)
{
    if (s->call_count == CALLS_MAX)
        return;
    rc_breaker before = s->breaker;
    rc_breaker_admission peeked = rc_breaker_peek(&s->breaker, &s->settings, s->now_ms);
    check(is_same(&before, &s->breaker));
    rc_breaker_admission admission = rc_breaker_admit(&s->breaker, &s->settings, s->now_ms);
    check(admission == peeked);
    if (admission != RC_BREAKER_PROBE)
        check(is_same(&before, &s->breaker));
    if (admission == RC_BREAKER_REFUSED) {
        check(before.state != RC_BREAKER_CLOSED);
        check(rc_breaker_ready_at_ms(&s->breaker, s->now_ms) > s->now_ms);
        return;
    }
    check(rc_breaker_ready_at_ms(&before, s->now_ms) <= s->now_ms || s->settings.min_calls == 0);
    s->probes += admission == RC_BREAKER_PROBE;
    s->calls[s->call_count++] = admission;
}

/* Checks the length of an opening that has just begun. */
static void check_opening(const fixture *s, const rc_breaker *before)
{
    uint64_t max_ms = s->settings.open_ms > s->settings.open_max_ms ? s->settings.open_ms
                                                                    : s->settings.open_max_ms;
    uint64_t at_ms = s->now_ms;
    if (s->breaker.slot_at_ms > at_ms)
        at_ms = s->breaker.slot_at_ms;
    if (before->state != RC_BREAKER_CLOSED && before->open_until_ms > at_ms)
        at_ms = before->open_until_ms;
    uint64_t length_ms = s->breaker.open_until_ms - s->now_ms;
    check(length_ms <= max_ms + (at_ms - s->now_ms));
    check(length_ms * 5 >= s->settings.open_ms * UINT64_C(4));
    check(s->breaker.opened_in_a_row > 0);
}

static void end(fixture *s, uint8_t which)
{
    if (s->call_count == 0)
        return;
    size_t index = which / 4 % s->call_count;
    rc_breaker_admission admission = s->calls[index];
    rc_breaker_outcome how = (rc_breaker_outcome)(1 + which % 3);
    s->calls[index] = s->calls[--s->call_count];
    s->probes -= admission == RC_BREAKER_PROBE;

    rc_breaker before = s->breaker;
    rc_breaker_on_end(&s->breaker, &s->settings, admission, how, s->now_ms, which * UINT64_C(7919));
    rc_breaker_state now = s->breaker.state;
    if (admission == RC_BREAKER_ADMITTED && before.state != RC_BREAKER_CLOSED)
        check(is_same(&before, &s->breaker));
    if (admission == RC_BREAKER_ADMITTED && how != RC_BREAKER_FAILED)
        check(now == before.state);
    if (admission == RC_BREAKER_PROBE) {
        check(before.state == RC_BREAKER_HALF_OPEN && before.is_probing && !s->breaker.is_probing);
        check((how == RC_BREAKER_SUCCEEDED) == (now == RC_BREAKER_CLOSED));
        check((how == RC_BREAKER_FAILED) == (now == RC_BREAKER_OPEN));
    }
    if (now == RC_BREAKER_OPEN && before.state != RC_BREAKER_OPEN)
        check_opening(s, &before);
}

static void check_state(const fixture *s)
{
    check(rc_breaker_validate(&s->breaker));
    check(s->probes <= 1);
    check(s->breaker.is_probing == (s->probes == 1));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 4)
        return 0;
    fixture s = {.settings = {.window_ms = data[0] * 100u,
                              .min_calls = data[1] % 32u,
                              .failure_pct = data[2],
                              .open_ms = data[3] * 10u,
                              .open_max_ms = data[3] * 35u},
                 .now_ms = 1000000};
    rc_breaker_init(&s.breaker, s.now_ms);
    for (size_t i = 4; i + 1 < size; i += 2) {
        uint8_t amount = data[i + 1];
        switch (data[i] % 7) {
        case 0:
        case 1:
            admit(&s);
            break;
        case 2:
        case 3:
            end(&s, amount);
            break;
        case 4:
            s.now_ms += amount;
            break;
        case 5:
            s.now_ms += amount * UINT64_C(100);
            break;
        default:
            s.now_ms -= amount;
            break;
        }
        check_state(&s);
    }
    return 0;
}
