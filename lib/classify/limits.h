/* rc_limits: the numbers of a rate limit or quota that a failure names, such as "Limit 6000, Used
 * 5034, Requested 1443". A limit of 0 means that there is no quota at all; a request larger than
 * the whole limit fails however long the client waits. */
#ifndef RC_CLASSIFY_LIMITS_H
#define RC_CLASSIFY_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

/* All zero: nothing is known. The numbers are never negative; a fraction is rounded up. When a
 * failure lists several limits, the numbers are those of the first that is too small, else of the
 * first that is 0, else of the first. */
typedef struct rc_limits {
    int64_t limit;
    int64_t used;
    int64_t requested;
    bool has_limit;
    bool has_used;
    bool has_requested;
    bool has_zero;      /* One of the limits is 0. */
    bool has_too_small; /* One of the limits is above 0 and below the requested number. */
} rc_limits;

/* Adds the limits in a text. A number counts only after its keyword ("limit", "used", "current",
 * "requested" ...) and only if it stands alone. text: borrows. */
void rc_limits_parse(rc_str text, rc_limits *limits);

/* Adds a JSON member such as "quotaValue": "0". Returns false if the key does not name a limit or
 * the value is not a number. key, value: borrow. */
bool rc_limits_field(rc_str key, rc_str value, rc_limits *limits);

/* True if one of the limits is 0. */
bool rc_limits_is_zero(const rc_limits *limits);

/* True if the request alone is larger than one of the limits. */
bool rc_limits_is_too_small(const rc_limits *limits);

#endif
