/* Models of other clients' retry loops ("rivals"): a table row says how a loop reacts to a failure.
 * The requests of such a loop share no state, and have no retry budget and no deadline over all
 * attempts. docs/simulate.md names the sources. */
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
    uint32_t shrink_pct; /* Jitter: shortens the wait by up to this percentage. */
    uint32_t add_ms;     /* Jitter: lengthens the wait by up to this time. */
    /* Longest wait stated by a server that the loop obeys; 0: it obeys none. */
    uint32_t hint_max_ms;
    /* If a server states a longer wait, the loop gives up; otherwise it ignores that wait. */
    bool gives_up_beyond;
    /* The loop reads retry-after-ms and retry-after; otherwise only retry-after. */
    bool reads_ms;
    bool has_next;        /* The loop continues with the next target after its attempts. */
    bool picks_any_key;   /* The loop picks a key at random; otherwise each client has its own. */
    bool hides_cuts;      /* The loop forwards a cut stream as if it were complete. */
    uint16_t statuses[8]; /* Statuses after which the loop retries; 0 ends the list. */
    bool has_all_5xx;     /* The loop also retries after every status from 500 on. */
    bool retries_network; /* The loop retries after a refused or reset connection and a timeout. */
    bool retries_empty;   /* The loop retries after a stream that ended before any content. */
} rc_sim_rival_row;

/* Returns the static row of a loop, or NULL for RC_SIM_OURS. */
const rc_sim_rival_row *rc_sim_rival_row_of(rc_sim_rival rival);

/* State of one request of a rival loop. An all-zero state has not started. */
typedef struct rc_sim_rival_state {
    uint16_t entry;
    uint16_t tries; /* Attempts at the current target. */
    uint32_t calls;
} rc_sim_rival_state;

/* The step functions of a rival loop: begin, on_failure and on_wake. The functions return the same
 * type of action as rc_call, so that request.c can carry out the actions of both. row, outcome:
 * borrows during the call. */
rc_action rc_sim_rival_begin(rc_sim_rival_state *state);
rc_action rc_sim_rival_on_failure(rc_sim_rival_state *state, const rc_sim_rival_row *row,
                                  const rc_sim_outcome *outcome, rc_sim_dialect dialect,
                                  uint32_t provider_count, uint64_t now_ms, rc_sim_rng *rng);
rc_action rc_sim_rival_on_wake(rc_sim_rival_state *state);

#endif
