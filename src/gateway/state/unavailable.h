/* rc_unavailable: describes why a target was skipped. */
#ifndef RC_GATEWAY_STATE_UNAVAILABLE_H
#define RC_GATEWAY_STATE_UNAVAILABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/codes.h>
#include <recourse/reasons.h>

typedef struct rc_hub rc_hub;

/* The reason why a target was skipped. */
typedef struct rc_unavailable {
    rc_code code;       /* The failure that made the target unavailable. RC_CODE_NONE if it is
                           unknown or the target is available. */
    bool is_429;        /* The failure came with status 429. */
    bool is_time_named; /* The provider stated when the target is available again. */
} rc_unavailable;

/* Describes why a target was skipped for `reason`; appends text such as "quota used up (key
 * m:1)". */
rc_unavailable rc_hub_why_unavailable(rc_hub *hub, uint16_t target, rc_reason reason,
                                      uint64_t now_ms, rc_buf *words);

#endif
