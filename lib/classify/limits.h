/* rc_limits: the numbers of a limit that a failure names. "Limit 6000, Used 5034, Requested 1443"
 * says more than its status: a limit of 0 is no quota at all, and a request that is larger than the
 * whole limit never fits, however long one waits. */
#ifndef RC_CLASSIFY_LIMITS_H
#define RC_CLASSIFY_LIMITS_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/str.h>

/* All zero: nothing is known. The numbers are never negative; a fraction is rounded up. When a
 * failure lists several limits, the numbers are those of the one that says most: too small, zero,
 * then the first. */
typedef struct rc_limits {
    int64_t limit;
    int64_t used;
    int64_t requested;
    bool has_limit;
    bool has_used;
    bool has_requested;
    bool has_zero;      /* one of the limits is 0 */
    bool has_too_small; /* one of the limits is above 0 and below what was requested */
} rc_limits;

/* Adds what the text says. Numbers count only behind their word ("limit", "used", "current",
 * "requested" ...), and only where they stand alone. text: borrows. */
void rc_limits_parse(rc_str text, rc_limits *limits);

/* Adds a JSON member such as "quotaValue": "0". False: the key is none of a limit's, or the value
 * is no number. key, value: borrow. */
bool rc_limits_field(rc_str key, rc_str value, rc_limits *limits);

/* A limit of 0 is among them. */
bool rc_limits_is_zero(const rc_limits *limits);

/* The request alone is larger than the whole limit. */
bool rc_limits_is_too_small(const rc_limits *limits);

#endif
