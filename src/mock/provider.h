/* rc_mock_provider: the failing provider without its sockets. A message comes in, an answer goes
 * out; whoever carries it says how far it came.
 *
 *   message ──► request ──► key? limits? rules? model's name? ──► plan ──► answer
 *                                                                   └────► ledger
 *
 * Time is an argument; nothing here waits. `recourse mock` serves it over HTTP, and a gateway can
 * have one inside. */
#ifndef RC_MOCK_PROVIDER_H
#define RC_MOCK_PROVIDER_H

#include "mock/limit.h"
#include "mock/response.h"
#include "mock/scenario.h"
#include "mock/stats.h"

/* The caller's storage; large, so not on a stack. */
typedef struct rc_mock_provider {
    const rc_mock_scenario *scenario; /* NULL: none */
    uint64_t seed;
    uint64_t started_ms;
    rc_mock_stats stats;
    rc_mock_limit requests[RC_MOCK_KEYS_MAX + 1]; /* the last is that of all keys */
    rc_mock_limit tokens[RC_MOCK_KEYS_MAX + 1];
} rc_mock_provider;

typedef struct rc_mock_time {
    uint64_t ms;     /* of a clock that only goes forward */
    int64_t unix_ms; /* for points in time in headers */
} rc_mock_time;

/* scenario: borrows, may be NULL. seed: 0 is the scenario's. */
void rc_mock_provider_init(rc_mock_provider *provider, const rc_mock_scenario *scenario,
                           uint64_t seed, uint64_t now_ms);

/* Begins the answer to a message; rc_mock_response_done is due in each case. RC_E_NOMEM,
 * RC_E_TOO_LARGE: there is none. ret_ticket: for rc_mock_stats_add_sent. message, now: borrow. */
rc_status rc_mock_provider_respond(rc_mock_provider *provider, const rc_mock_message *message,
                                   const rc_mock_time *now, const rc_alloc *alloc,
                                   rc_mock_response *ret_response, rc_mock_ticket *ret_ticket);

#endif
