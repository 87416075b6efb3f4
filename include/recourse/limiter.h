/* rc_limiter: how many calls may be in flight at one target. */
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

/* Nothing is in flight. max 0: there is always room. */
RC_API void rc_limiter_init(rc_limiter *limiter, uint32_t max);
RC_API bool rc_limiter_has_room(const rc_limiter *limiter);

/* False: full, nothing was taken. Each take is followed by one put; one too many is ignored. */
RC_API bool rc_limiter_take(rc_limiter *limiter);
RC_API void rc_limiter_put(rc_limiter *limiter);

RC_END_DECLS

#endif
