/* rc_mock_limit: a token bucket that refills within a minute, in integer arithmetic. */
#ifndef RC_MOCK_LIMIT_H
#define RC_MOCK_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "mock/response.h"

/* The highest limit with which all counts fit into 64 bits. */
#define RC_MOCK_LIMIT_MAX 1000000000u

typedef struct rc_mock_limit {
    uint32_t per_minute; /* 0: no limit. */
    uint64_t level;      /* Remaining amount, in units of 1/60000 request or token. */
    uint64_t at_ms;      /* Time of the last refill. */
} rc_mock_limit;

/* Initialises a full bucket. */
void rc_mock_limit_init(rc_mock_limit *limit, uint32_t per_minute, uint64_t now_ms);

/* Refills the bucket for the time until now_ms. Returns whether the refilled bucket holds at least
 * `count`. If `count` exceeds the bucket's size, returns whether the bucket is full. */
bool rc_mock_limit_has(rc_mock_limit *limit, uint64_t count, uint64_t now_ms);

/* Removes `count` from the bucket, or the whole content if the bucket holds less than `count`. */
void rc_mock_limit_take(rc_mock_limit *limit, uint64_t count);

/* Returns the time until the bucket holds `count`. limit: borrows during the call. */
uint64_t rc_mock_limit_wait_ms(const rc_mock_limit *limit, uint64_t count);

/* Returns the state of the bucket for the rate-limit headers. limit: borrows during the call. */
rc_mock_limit_state rc_mock_limit_get_state(const rc_mock_limit *limit);

#endif
