/* rc_sim: a world of clients and providers in virtual time, run once for every policy.
 *
 *   scenario ──► for each policy:  clients ──► rc_call or a rival's loop ──► providers
 *                                     ▲                  │                       │
 *                                     └──── event heap ◄─┴── wake, answer ◄──────┘
 *                                                        │
 *                                                        ▼
 *                                                     result
 *
 * The decisions of our own policies are taken by the real rc_call on a real rc_shared: what is
 * simulated is the world around them. Nothing here reads a clock or a file. */
#ifndef RC_SIM_SIM_H
#define RC_SIM_SIM_H

#include <recourse/status.h>

#include "sim/result.h"
#include "sim/scenario.h"

typedef struct rc_sim_progress {
    const char *policy;    /* views: the one that runs */
    uint32_t policy_index; /* from 0 */
    uint32_t policy_count;
    uint32_t permille; /* of all the work, by virtual time; never less; 1000 comes last, once */
} rc_sim_progress;

typedef struct rc_sim_options {
    uint64_t seed;     /* 0: the scenario's */
    uint64_t requests; /* 0: as the scenario says. Else the clients and the providers' limits are
                          made larger or smaller, so that about as many requests come in (of a
                          closed loop: at most). */
    /* Told every few thousand events and at the end; false ends the run with what there is, and the
     * result is partial. NULL: nobody. */
    bool (*progress)(void *ctx, const rc_sim_progress *progress);
    void *progress_ctx;
} rc_sim_options;

/* Runs the scenario. scenario, options: borrow (options may be NULL). ret_result: gives; free it
 * with rc_sim_result_free.
 *
 *   RC_E_ARGUMENT   the scenario is not sound: rc_sim_scenario_check says why
 *   RC_E_RANGE      options.requests is above rc_sim_scenario_requests_max
 *   RC_E_NOMEM      the allocator gave nothing
 *   RC_E_TOO_LARGE  more requests at the same time than RC_SIM_IN_FLIGHT_MAX */
rc_status rc_sim_run(const rc_sim_scenario *scenario, const rc_sim_options *options,
                     const rc_alloc *alloc, rc_sim_result **ret_result);

#define RC_SIM_IN_FLIGHT_MAX 1048576

#endif
