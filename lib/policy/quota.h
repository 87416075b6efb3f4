/* rc_quotas: the remaining amounts of a provider's rate limits, read from the headers of successful
 * responses, used to warn before the provider rejects a request.
 *
 *   x-ratelimit-limit-tokens: 30000      ─┐
 *   x-ratelimit-remaining-tokens: 1200   ─┼──► {tokens, 1200 of 30000, renewed in 57.6 s} ──► low
 *   x-ratelimit-reset-tokens: 57.6s      ─┘
 *
 * spec/hints.def lists the headers. Headers of one limit share their group and the variable part of
 * their name. Values that are not numbers are ignored. The functions allocate nothing and read no
 * clock. */
#ifndef RC_POLICY_QUOTA_H
#define RC_POLICY_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/event.h>
#include <recourse/str.h>

#include "report/event_view.h"

#define RC_QUOTAS_MAX 12u

/* A limit is low if less than this percentage of it is left. */
#define RC_QUOTA_LOW_PERCENT 10u

/* The values of a limit count as valid until the limit renews, but at least for
 * RC_QUOTA_WINDOW_MIN_MS and at most for RC_QUOTA_WINDOW_MAX_MS. */
#define RC_QUOTA_WINDOW_MIN_MS INT64_C(60000)
#define RC_QUOTA_WINDOW_MAX_MS INT64_C(86400000)

/* Length of the shortest rate limit header name: "ratelimit-reset". */
#define RC_QUOTA_HEADER_MIN 15u

/* Kind of a limit, derived from the limit's name in the header. */
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
    rc_str name;       /* Name of the limit, such as "requests", "input-tokens", "tokens-minute";
                          "": the header has no name. */
    int64_t remaining; /* Requests or tokens that are left; -1: not known. */
    int64_t limit;     /* Maximum in one window; -1: not known; 100 for a limit in per cent or as a
                          share. */
    int64_t reset_ms;  /* Time until the limit renews; -1: not known. */
    uint8_t group;     /* Header group of spec/hints.def; private to quota.c. */
} rc_quota;

/* The limits of one response, in the caller's storage. */
typedef struct rc_quotas {
    int64_t now_unix_ms;
    uint32_t count;
    rc_quota list[RC_QUOTAS_MAX];
} rc_quotas;

/* Initialises an empty list. now_unix_ms 0: the time is not known, so limits with absolute times
 * are ignored. */
void rc_quotas_init(rc_quotas *quotas, int64_t now_unix_ms);

/* Returns whether a header may describe a limit. This cheap check of the length and a few letters
 * excludes nearly all other headers. name: borrows during the call. */
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

/* Reads a response header. The caller may pass all headers of the response, in any order. quotas
 * views `name` and `value` until quotas is no longer used. */
void rc_quotas_add_header(rc_quotas *quotas, rc_str name, rc_str value);

/* Replaces names of limits that may contain a secret by empty names: the provider chose these
 * names, and users see them. Called after the last header. */
void rc_quotas_scrub(rc_quotas *quotas);

/* Returns whether the limit and its remaining amount are known and plausible. quota: borrows during
 * the call. */
bool rc_quota_is_sound(const rc_quota *quota);

/* Returns whether less than `percent` per cent of the limit are left; false if rc_quota_is_sound is
 * false. quota: borrows during the call. */
bool rc_quota_is_low(const rc_quota *quota, unsigned percent);

/* Returns whether `a` has a smaller remaining share than `b`. a, b: borrows during the call. */
bool rc_quota_is_lower(const rc_quota *a, const rc_quota *b);

/* Returns how long the values of the limit are valid. quota: borrows during the call. */
int64_t rc_quota_window_ms(const rc_quota *quota);

/* Number of limits with provider-specific names that one alarm can distinguish. */
#define RC_QUOTA_ALARM_OTHERS 4u

/* rc_quota_alarm prevents repeated warnings. After a warning about one kind of limit, no further
 * warning about this kind follows until the limit renews, for at least a minute and at most a day.
 * Limits with provider-specific names are distinguished by name. One alarm belongs to a target or
 * to one of its credentials. An alarm that is all zero has had no warnings. */
typedef struct rc_quota_alarm {
    int64_t silent_until_unix_ms[RC_QUOTA_KIND_COUNT]; /* End of the time without warnings, indexed
                                                          by kind; [RC_QUOTA_OTHER] is unused. */
    struct {
        uint32_t name; /* Hash of the limit's group and name. */
        int64_t silent_until_unix_ms;
    } others[RC_QUOTA_ALARM_OTHERS];
} rc_quota_alarm;

/* Among the limits that are low and had no recent warning, returns the one with the smallest
 * remaining share and notes the warning in the alarm. Returns NULL if no such limit exists. The
 * result views (points into) quotas. */
const rc_quota *rc_quota_alarm_next(rc_quota_alarm *alarm, const rc_quotas *quotas);

/* Appends "is near its limit of requests: 20 of 1000 are left, renews in 30s". quota, text: borrows
 * during the call. */
void rc_quota_push_state(const rc_quota *quota, rc_buf *text);
/* Appends "openai/gpt-4o with key openai:1 is near its limit of requests: 20 of 1000 are left,
 * renews in 30s". `credential`: the id of the key, empty for none. All parameters: borrows during
 * the call. */
void rc_quota_push_text(const rc_quota *quota, rc_str model, rc_str credential, rc_buf *text);

/* Builds an event of type quota:warning. The event views `model` (the provider's model with this
 * limit), `credential` (the id of the key, empty for none) and the name of the limit. quota:
 * borrows during the call. */
void rc_quota_event(const rc_quota *quota, rc_str model, rc_str credential, rc_event *ret_event);

/* Rebuilds the limit from an event of type quota:warning. The result views the texts of `view`. */
rc_quota rc_quota_from_event_view(const rc_event_view *view);

#endif
