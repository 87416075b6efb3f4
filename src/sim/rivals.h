/* Loops of others, as rows: what they do on their own after a failure. Each request is alone: no
 * shared facts, no budget, no deadline over its tries. Sources: docs/simulate.md. */
#ifndef RC_SIM_RIVALS_H
#define RC_SIM_RIVALS_H

#include <recourse/call.h>

#include "sim/outcome.h"
#include "sim/rng.h"

typedef struct rc_sim_rival_row {
    const char *name;
    const char *about;
    uint32_t tries; /* at one target, the first included */
    uint32_t base_ms;
    uint32_t factor;
    uint32_t max_ms;
    uint32_t shrink_pct;  /* the wait is made up to so much shorter by chance */
    uint32_t add_ms;      /* and up to so much longer */
    uint32_t hint_max_ms; /* longer waits that the server asks for are not kept; 0: none is */
    bool gives_up_beyond; /* beyond that it stops; else it waits as if there were no hint */
    bool reads_ms;        /* retry-after-ms, where it is sent; else whole seconds */
    bool has_next;        /* another target when the tries are spent */
    bool picks_any_key;   /* at random; else each client has its own */
    bool hides_cuts;      /* a cut stream is passed on as if it were whole */
    uint16_t statuses[8]; /* that it tries again after; 0 ends the list */
    bool has_all_5xx;     /* and after every one from 500 on */
    bool retries_network; /* after what has no status: refused, reset, too late */
    bool retries_empty;   /* after a stream that ended before it began */
} rc_sim_rival_row;

/* OURS has none: NULL. Static. */
const rc_sim_rival_row *rc_sim_rival_row_of(rc_sim_rival rival);

/* One request of a rival. All zero: it has not begun. */
typedef struct rc_sim_rival_state {
    uint16_t entry;
    uint16_t tries; /* at the entry */
    uint32_t calls;
} rc_sim_rival_state;

/* The actions are those of rc_call, so that one owner carries out both. row: borrows. */
rc_action rc_sim_rival_begin(rc_sim_rival_state *state);
rc_action rc_sim_rival_on_failure(rc_sim_rival_state *state, const rc_sim_rival_row *row,
                                  const rc_sim_outcome *outcome, rc_sim_dialect dialect,
                                  uint32_t provider_count, uint64_t now_ms, rc_sim_rng *rng);
rc_action rc_sim_rival_on_wake(rc_sim_rival_state *state);

#endif
