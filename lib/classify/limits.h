/* rc_limits: the numbers of a rate limit or quota that a failure names, such as "Limit 6000, Used
 * 5034, Requested 1443". A limit of 0 means that the account has no quota at all. A request that is
 * larger than the limit itself fails after any wait. */
#ifndef RC_CLASSIFY_LIMITS_H
#define RC_CLASSIFY_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

/* An all-zero struct means that nothing is known. The numbers are never negative; a fraction is
 * rounded up. If a failure lists several limits, the struct has the numbers of the first limit that
 * is too small for the request. If no limit is too small, the struct has the numbers of the first
 * limit that is 0, otherwise of the first limit. */
typedef struct rc_limits {
    int64_t limit;
    int64_t used;
    int64_t requested;
    bool has_limit;
    bool has_used;
    bool has_requested;
    bool has_zero;      /* At least one of the limits is 0. */
    bool has_too_small; /* At least one of the limits is above 0 and below the requested number. */
} rc_limits;

/* Adds the limits in a text. A number counts only if it follows a keyword ("limit", "used",
 * "current", "requested" ...) and is not part of a sum, a range or a percentage. text: borrows
 * during the call. */
void rc_limits_parse(rc_str text, rc_limits *limits);

/* Adds a JSON member such as "quotaValue": "0". Returns false if the key does not name a limit or
 * the value is not a number. key, value: borrows during the call. */
bool rc_limits_field(rc_str key, rc_str value, rc_limits *limits);

/* Returns whether at least one of the limits is 0. */
bool rc_limits_is_zero(const rc_limits *limits);

/* Returns whether the request is larger than one of the limits. */
bool rc_limits_is_too_small(const rc_limits *limits);

#endif
