/* rc_limiter: limits the number of calls in flight at one target. */
#ifndef RECOURSE_LIMITER_H
#define RECOURSE_LIMITER_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/export.h>

RC_BEGIN_DECLS

typedef struct rc_limiter {
    uint32_t max; /* maximum number of calls in flight; 0: no limit */
    uint32_t in_flight;
} rc_limiter;

/* Initialises a limiter with no call in flight. A `max` of 0 means no limit. */
RC_API void rc_limiter_init(rc_limiter *limiter, uint32_t max);
/* Returns whether another call may start. */
RC_API bool rc_limiter_has_room(const rc_limiter *limiter);

/* rc_limiter_take takes an in-flight slot, or returns false if all slots are in use. rc_limiter_put
 * releases a slot. Each successful rc_limiter_take must be followed by one rc_limiter_put; a
 * surplus rc_limiter_put is ignored. */
RC_API bool rc_limiter_take(rc_limiter *limiter);
RC_API void rc_limiter_put(rc_limiter *limiter);

RC_END_DECLS

#endif
