/* rc_sim: simulates clients and providers in virtual time, once for each policy.
 *
 *   scenario ──► for each policy:  clients ──► rc_call or a rival loop ────► providers
 *                                     ▲                  │                       │
 *                                     └──── event heap ◄─┴── wake, response ◄────┘
 *                                                        │
 *                                                        ▼
 *                                                     result
 *
 * For recourse's own policies the real rc_call with a real rc_shared makes the decisions; only
 * clients, providers and time are simulated. No function of src/sim reads a clock or a file. */
#ifndef RC_SIM_SIM_H
#define RC_SIM_SIM_H

#include <recourse/status.h>

#include "sim/result.h"
#include "sim/scenario.h"

typedef struct rc_sim_progress {
    const char *policy;    /* Name of the running policy; a view. */
    uint32_t policy_index; /* Index of the running policy, from 0. */
    uint32_t policy_count;
    /* Share of the virtual time of all policies that has passed. The share never decreases; 1000 is
     * reported once, at the end. */
    uint32_t permille;
} rc_sim_progress;

typedef struct rc_sim_options {
    uint64_t seed; /* 0 selects the scenario's seed. */
    /* 0 keeps the scenario's load. Otherwise the number of clients and the provider limits are
     * scaled so that about this number of requests arrive (for RC_SIM_CLOSED: at most this
     * number). */
    uint64_t requests;
    /* Called every few thousand events and at the end; may be NULL. If `progress` returns false,
     * the run ends with a partial result. */
    bool (*progress)(void *ctx, const rc_sim_progress *progress);
    void *progress_ctx;
    bool has_no_oracle; /* The policy "oracle" does not run in addition to those of the scenario. */
} rc_sim_options;

/* Runs the scenario. Returns RC_OK or one of the errors below. scenario, options: borrows during
 * the call; options may be NULL. alloc: copies the struct. *ret_result: gives the result, which the
 * caller frees with rc_sim_result_free.
 *
 *   RC_E_ARGUMENT   the scenario is invalid: see rc_sim_scenario_check
 *   RC_E_RANGE      options.requests is above rc_sim_scenario_requests_max
 *   RC_E_NOMEM      an allocation failed
 *   RC_E_TOO_LARGE  more concurrent requests than RC_SIM_IN_FLIGHT_MAX */
rc_status rc_sim_run(const rc_sim_scenario *scenario, const rc_sim_options *options,
                     const rc_alloc *alloc, rc_sim_result **ret_result);

#define RC_SIM_IN_FLIGHT_MAX 1048576

#endif
