/* Models of other clients' retry loops, one table row each: how they react to a failure. Their
 * requests share no state, have no retry budget and no deadline over all attempts. Sources:
 * docs/simulate.md. */
#ifndef RC_SIM_RIVALS_H
#define RC_SIM_RIVALS_H

#include <recourse/call.h>

#include "sim/outcome.h"
#include "sim/rng.h"

typedef struct rc_sim_rival_row {
    const char *name;
    const char *about;
    uint32_t tries; /* Attempts at one target, including the first. */
    uint32_t base_ms;
    uint32_t factor;
    uint32_t max_ms;
    uint32_t shrink_pct;  /* Jitter: shortens the wait by up to this percentage. */
    uint32_t add_ms;      /* Jitter: lengthens the wait by up to this time. */
    uint32_t hint_max_ms; /* Longest server hint that it follows; 0: none. */
    bool gives_up_beyond; /* It stops at a longer hint; otherwise it ignores the hint. */
    bool reads_ms;        /* It reads retry-after-ms where sent; otherwise whole seconds. */
    bool has_next;        /* It continues with the next target after the attempts. */
    bool picks_any_key;   /* It picks a key at random; otherwise each client has its own. */
    bool hides_cuts;      /* It forwards a cut stream as if it were complete. */
    uint16_t statuses[8]; /* Statuses after which it retries; 0 ends the list. */
    bool has_all_5xx;     /* It also retries after every status from 500 on. */
    bool retries_network; /* Retries refused and reset connections and timeouts. */
    bool retries_empty;   /* It retries after a stream that ended before any content. */
} rc_sim_rival_row;

/* Returns the row of a loop; NULL for RC_SIM_OURS. Static. */
const rc_sim_rival_row *rc_sim_rival_row_of(rc_sim_rival rival);

/* State of one request of such a loop. All zero: not started. */
typedef struct rc_sim_rival_state {
    uint16_t entry;
    uint16_t tries; /* Attempts at the current entry. */
    uint32_t calls;
} rc_sim_rival_state;

/* Step functions. They return actions of the same type as rc_call, so that request.c carries out
 * both. row, outcome: borrow. */
rc_action rc_sim_rival_begin(rc_sim_rival_state *state);
rc_action rc_sim_rival_on_failure(rc_sim_rival_state *state, const rc_sim_rival_row *row,
                                  const rc_sim_outcome *outcome, rc_sim_dialect dialect,
                                  uint32_t provider_count, uint64_t now_ms, rc_sim_rng *rng);
rc_action rc_sim_rival_on_wake(rc_sim_rival_state *state);

#endif
