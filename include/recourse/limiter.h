/* rc_limiter: limits the number of calls in flight at one target. */
#ifndef RECOURSE_LIMITER_H
#define RECOURSE_LIMITER_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/export.h>

RC_BEGIN_DECLS

typedef struct rc_limiter {
    uint32_t max; /* 0: no limit */
    uint32_t in_flight;
} rc_limiter;

/* Starts a limiter with no call in flight. max 0: no limit. */
RC_API void rc_limiter_init(rc_limiter *limiter, uint32_t max);
/* Returns whether another call may start. */
RC_API bool rc_limiter_has_room(const rc_limiter *limiter);

/* Take and release an in-flight slot. take returns false if all slots are in use. Each successful
 * take must be followed by one put; a surplus put is ignored. */
RC_API bool rc_limiter_take(rc_limiter *limiter);
RC_API void rc_limiter_put(rc_limiter *limiter);

RC_END_DECLS

#endif
