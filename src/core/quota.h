/* rc_quotas: what is left of a provider's limits, from the headers of an answer that worked: a
 * warning before the first refusal.
 *
 *   x-ratelimit-limit-tokens: 30000      ─┐
 *   x-ratelimit-remaining-tokens: 1200   ─┼──► {tokens, 1200 of 30000, renewed in 57.6 s} ──► low
 *   x-ratelimit-reset-tokens: 57.6s      ─┘
 *
 * The headers are those of spec/hints.def; a limit is known by its group and the part of the name
 * that varies. Numbers that are none are not believed. No allocation; no clock is read. */
#ifndef RC_CORE_QUOTA_H
#define RC_CORE_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/event.h>
#include <recourse/str.h>

#define RC_QUOTAS_MAX 12u

/* Below that is low. */
#define RC_QUOTA_LOW_PERCENT 10u

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

/* A header of the answer; every one may be offered, in any order. name, value: view until quotas is
 * no longer used. */
void rc_quotas_header(rc_quotas *quotas, rc_str name, rc_str value);

/* Is less than so many per cent of it left? Not of one of which both numbers are not known. quota:
 * borrows. */
bool rc_quota_is_low(const rc_quota *quota, unsigned percent);

/* rc_quota_alarm: tells of each kind of limit once until it is renewed, a minute at least. One for
 * each target, or each of its credentials. All zero: silent so far. */
typedef struct rc_quota_alarm {
    int64_t silent_until_unix_ms[RC_QUOTA_KIND_COUNT];
} rc_quota_alarm;

/* The lowest of the limits that are low and were not told of yet; NULL: there is none. Views
 * quotas. */
const rc_quota *rc_quota_alarm_ring(rc_quota_alarm *alarm, const rc_quotas *quotas);

/* The event for people. model: who said so; views. quota: borrows. */
void rc_quota_event(const rc_quota *quota, rc_str model, rc_event *ret_event);

#endif
