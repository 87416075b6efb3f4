/* rc_mock_limit: a bucket that fills up again over a minute, in whole numbers. */
#ifndef RC_MOCK_LIMIT_H
#define RC_MOCK_LIMIT_H

#include <stdbool.h>
#include <stdint.h>

#include "mock/response.h"

/* The largest limit: what is counted still fits 64 bits. */
#define RC_MOCK_LIMIT_MAX 1000000000u

typedef struct rc_mock_limit {
    uint32_t per_minute; /* 0: no limit */
    uint64_t level;      /* what is left, in 1/60000 */
    uint64_t at_ms;
} rc_mock_limit;

/* Full. */
void rc_mock_limit_init(rc_mock_limit *limit, uint32_t per_minute, uint64_t now_ms);

/* Fills it up to now, and says whether there are that many. More than it ever holds: when it is
 * full. */
bool rc_mock_limit_has(rc_mock_limit *limit, uint64_t count, uint64_t now_ms);

/* Takes as many as there are. */
void rc_mock_limit_take(rc_mock_limit *limit, uint64_t count);

/* How long until there are that many. limit: borrows. */
uint64_t rc_mock_limit_wait_ms(const rc_mock_limit *limit, uint64_t count);

/* For the headers. limit: borrows. */
rc_mock_limit_state rc_mock_limit_get_state(const rc_mock_limit *limit);

#endif
