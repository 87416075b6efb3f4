/* rc_quotas: the remaining amounts of a provider's rate limits, read from the headers of successful
 * responses, for a warning before the first refusal.
 *
 *   x-ratelimit-limit-tokens: 30000      ─┐
 *   x-ratelimit-remaining-tokens: 1200   ─┼──► {tokens, 1200 of 30000, renewed in 57.6 s} ──► low
 *   x-ratelimit-reset-tokens: 57.6s      ─┘
 *
 * spec/hints.def lists the headers. Headers of one limit share their group and the variable part of
 * their name. Values that are not numbers are ignored. Nothing allocates or reads a clock. */
#ifndef RC_POLICY_QUOTA_H
#define RC_POLICY_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/event.h>
#include <recourse/str.h>

#include "report/event_view.h"

#define RC_QUOTAS_MAX 12u

/* A limit with less than this left is low. */
#define RC_QUOTA_LOW_PERCENT 10u

/* A value is valid until its limit renews, within these bounds. */
#define RC_QUOTA_WINDOW_MIN_MS INT64_C(60000)
#define RC_QUOTA_WINDOW_MAX_MS INT64_C(86400000)

/* Length of the shortest rate limit header name: "ratelimit-reset". */
#define RC_QUOTA_HEADER_MIN 15u

/* The kind of limit, derived from its name. */
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
    rc_str name;       /* "requests", "input-tokens", "tokens-minute"; "": no name. */
    int64_t remaining; /* -1: not known. */
    int64_t limit;     /* -1: not known; 100 for a limit given in per cent or as a share. */
    int64_t reset_ms;  /* Time until the limit renews; -1: not known. */
    uint8_t group;     /* Header group; private. */
} rc_quota;

/* The limits of one response, in the caller's storage. */
typedef struct rc_quotas {
    int64_t now_unix_ms;
    uint32_t count;
    rc_quota list[RC_QUOTAS_MAX];
} rc_quotas;

/* Starts with no limits. now_unix_ms 0: the time is not known, and absolute times are ignored. */
void rc_quotas_init(rc_quotas *quotas, int64_t now_unix_ms);

/* Cheap check by length and a few letters whether a header may describe a limit; it excludes nearly
 * all others. name: borrows. */
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

/* Adds a response header. Every header may be passed, in any order. name, value: view until quotas
 * is no longer used. */
void rc_quotas_add_header(rc_quotas *quotas, rc_str name, rc_str value);

/* Call after the last header: empties names that may contain a secret. Limit names are text of the
 * provider and are shown to users. */
void rc_quotas_scrub(rc_quotas *quotas);

/* Whether both numbers are known and plausible. quota: borrows. */
bool rc_quota_is_sound(const rc_quota *quota);

/* Whether less than `percent` per cent are left; false for a limit that is not sound. quota:
 * borrows. */
bool rc_quota_is_low(const rc_quota *quota, unsigned percent);

/* Whether a has proportionally less left than b. Both: borrow. */
bool rc_quota_is_lower(const rc_quota *a, const rc_quota *b);

/* Returns for how long the values are valid. quota: borrows. */
int64_t rc_quota_window_ms(const rc_quota *quota);

/* Number of limits with provider-specific names that one alarm distinguishes. */
#define RC_QUOTA_ALARM_OTHERS 4u

/* rc_quota_alarm: warns once of each kind of limit until the limit renews, at least a minute and at
 * most a day. Limits with provider-specific names are distinguished by name. One alarm serves a
 * target or one of its credentials. All zero: no warning so far. */
typedef struct rc_quota_alarm {
    int64_t silent_until_unix_ms[RC_QUOTA_KIND_COUNT]; /* By kind; [RC_QUOTA_OTHER] is unused. */
    struct {
        uint32_t name; /* Digest of the limit's group and name. */
        int64_t silent_until_unix_ms;
    } others[RC_QUOTA_ALARM_OTHERS];
} rc_quota_alarm;

/* Returns the lowest limit that is low and has no recent warning, and silences it; NULL: there is
 * none. Views quotas. */
const rc_quota *rc_quota_alarm_next(rc_quota_alarm *alarm, const rc_quotas *quotas);

/* Appends "is near its limit of requests: 20 of 1000 are left, renewed in 30s". Both: borrow. */
void rc_quota_push_state(const rc_quota *quota, rc_buf *text);
/* Appends "openai/gpt-4o with key openai:1 is near its limit of requests: 20 of 1000 are left,
 * renewed in 30s". credential: an id; empty: none. All: borrow. */
void rc_quota_push_text(const rc_quota *quota, rc_str model, rc_str credential, rc_buf *text);

/* Builds the event quota:warning. model: the provider's model with this limit; credential: an id,
 * empty: none; both view. quota: borrows. */
void rc_quota_event(const rc_quota *quota, rc_str model, rc_str credential, rc_event *ret_event);

/* Rebuilds the limit from such an event. The result views the event view. */
rc_quota rc_quota_from_event_view(const rc_event_view *view);

#endif
