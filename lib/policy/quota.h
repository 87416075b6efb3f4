/* rc_quotas: what is left of a provider's limits, from the headers of an answer that worked: a
 * warning before the first refusal.
 *
 *   x-ratelimit-limit-tokens: 30000      ─┐
 *   x-ratelimit-remaining-tokens: 1200   ─┼──► {tokens, 1200 of 30000, renewed in 57.6 s} ──► low
 *   x-ratelimit-reset-tokens: 57.6s      ─┘
 *
 * The headers are those of spec/hints.def; a limit is known by its group and the part of the name
 * that varies. Numbers that are none are not believed. No allocation; no clock is read. */
#ifndef RC_POLICY_QUOTA_H
#define RC_POLICY_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/event.h>
#include <recourse/str.h>

#include "report/event_view.h"

#define RC_QUOTAS_MAX 12u

/* Below that is low. */
#define RC_QUOTA_LOW_PERCENT 10u

/* What was told counts until it is renewed, within these bounds. */
#define RC_QUOTA_WINDOW_MIN_MS INT64_C(60000)
#define RC_QUOTA_WINDOW_MAX_MS INT64_C(86400000)

/* The shortest name of such a header: "ratelimit-reset". */
#define RC_QUOTA_HEADER_MIN 15u

/* What is limited, as far as its name tells. */
typedef enum rc_quota_kind {
    RC_QUOTA_OTHER = 0,
    RC_QUOTA_REQUESTS = 1,
    RC_QUOTA_TOKENS = 2,
    RC_QUOTA_INPUT_TOKENS = 3,
    RC_QUOTA_OUTPUT_TOKENS = 4,
    RC_QUOTA_KIND_COUNT
} rc_quota_kind;

typedef struct rc_quota {
    rc_quota_kind kind;
    rc_str name;       /* "requests", "input-tokens", "tokens-minute"; "": not named */
    int64_t remaining; /* -1: not told */
    int64_t limit;     /* -1: not told; of one that is told in per cent or as a share 100 */
    int64_t reset_ms;  /* until it is renewed; -1: not told */
    uint8_t group;     /* private */
} rc_quota;

/* The caller's storage. */
typedef struct rc_quotas {
    int64_t now_unix_ms;
    uint32_t count;
    rc_quota list[RC_QUOTAS_MAX];
} rc_quotas;

/* now_unix_ms of 0: not known; points in time are not believed then. */
void rc_quotas_init(rc_quotas *quotas, int64_t now_unix_ms);

/* May a header of that name tell of a limit? By its length and a few letters: nearly all others are
 * ruled out. name: borrows. */
static inline bool rc_quotas_is_candidate(rc_str name)
{
    if (name.len < RC_QUOTA_HEADER_MIN)
        return false;
    const int first = name.ptr[0] | 0x20;
    const int third = name.ptr[2] | 0x20;
    if (first == 'x')
        return name.ptr[1] == '-' && (third == 'r' || third == 'c');
    return third == 't' && (first == 'a' || first == 'r');
}

/* A header of the answer; every one may be offered, in any order. name, value: view until quotas is
 * no longer used. */
void rc_quotas_add_header(rc_quotas *quotas, rc_str name, rc_str value);

/* Behind the last header: names in which a secret may stand are taken away. What a limit is called
 * is the provider's word, and goes to whoever looks. */
void rc_quotas_scrub(rc_quotas *quotas);

/* Are both numbers known, and can they be true? quota: borrows. */
bool rc_quota_is_sound(const rc_quota *quota);

/* Is less than so many per cent of it left? Never of one that is not sound. quota: borrows. */
bool rc_quota_is_low(const rc_quota *quota, unsigned percent);

/* Is less of a left than of b, in proportion? Both: borrow. */
bool rc_quota_is_lower(const rc_quota *a, const rc_quota *b);

/* For how long it counts. quota: borrows. */
int64_t rc_quota_window_ms(const rc_quota *quota);

/* Limits with names of the provider's own that an alarm tells apart. */
#define RC_QUOTA_ALARM_OTHERS 4u

/* rc_quota_alarm: tells of each kind of limit once until it is renewed, a minute at least and a day
 * at most; of those with a name of their own, by that name. One for each target, or each of its
 * credentials. All zero: silent so far. */
typedef struct rc_quota_alarm {
    int64_t silent_until_unix_ms[RC_QUOTA_KIND_COUNT]; /* [RC_QUOTA_OTHER] is not used */
    struct {
        uint32_t name; /* a digest */
        int64_t silent_until_unix_ms;
    } others[RC_QUOTA_ALARM_OTHERS];
} rc_quota_alarm;

/* The lowest of the limits that are low and were not told of yet; NULL: there is none. Views
 * quotas. */
const rc_quota *rc_quota_alarm_next(rc_quota_alarm *alarm, const rc_quotas *quotas);

/* Appends "is near its limit of requests: 20 of 1000 are left, renewed in 30s". Both: borrow. */
void rc_quota_push_state(const rc_quota *quota, rc_buf *text);
/* Appends "openai/gpt-4o with key openai:1 is near its limit of requests: 20 of 1000 are left,
 * renewed in 30s". credential: an id; empty: there is none. All: borrow. */
void rc_quota_push_text(const rc_quota *quota, rc_str model, rc_str credential, rc_buf *text);

/* The event for people. model: who said so; credential: an id, empty: there is none; both view.
 * quota: borrows. */
void rc_quota_event(const rc_quota *quota, rc_str model, rc_str credential, rc_event *ret_event);

/* The limit that such an event told of, for somebody who has read it. told: views. */
rc_quota rc_quota_from_event_view(const rc_event_view *told);

#endif
