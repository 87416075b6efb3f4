/* rc_sim: simulates clients and providers in virtual time, once for each policy.
 *
 *   scenario ──► for each policy:  clients ──► rc_call or a rival loop ────► providers
 *                                     ▲                  │                       │
 *                                     └──── event heap ◄─┴── wake, response ◄────┘
 *                                                        │
 *                                                        ▼
 *                                                     result
 *
 * The real rc_call with a real rc_shared makes the decisions of recourse's policies; only its
 * environment is simulated. No function here reads a clock or a file. */
#ifndef RC_SIM_SIM_H
#define RC_SIM_SIM_H

#include <recourse/status.h>

#include "sim/result.h"
#include "sim/scenario.h"

typedef struct rc_sim_progress {
    const char *policy;    /* Name of the running policy. Views. */
    uint32_t policy_index; /* Index of that policy, from 0. */
    uint32_t policy_count;
    /* Share of all work by virtual time; never decreases; 1000 is reported last, once. */
    uint32_t permille;
} rc_sim_progress;

typedef struct rc_sim_options {
    uint64_t seed; /* 0: the scenario's seed. */
    /* 0: the scenario's load. Otherwise clients and provider limits are scaled so that about this
     * number of requests arrive (in a closed loop: at most). */
    uint64_t requests;
    /* Called every few thousand events and at the end. Returning false ends the run with a partial
     * result. NULL: no reports. */
    bool (*progress)(void *ctx, const rc_sim_progress *progress);
    void *progress_ctx;
} rc_sim_options;

/* Runs the scenario. scenario, options: borrow (options may be NULL). ret_result: gives; free it
 * with rc_sim_result_free.
 *
 *   RC_E_ARGUMENT   the scenario is invalid: see rc_sim_scenario_check
 *   RC_E_RANGE      options.requests is above rc_sim_scenario_requests_max
 *   RC_E_NOMEM      an allocation failed
 *   RC_E_TOO_LARGE  more concurrent requests than RC_SIM_IN_FLIGHT_MAX */
rc_status rc_sim_run(const rc_sim_scenario *scenario, const rc_sim_options *options,
                     const rc_alloc *alloc, rc_sim_result **ret_result);

#define RC_SIM_IN_FLIGHT_MAX 1048576

#endif
