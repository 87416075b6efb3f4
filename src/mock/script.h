/* rc_mock_script: a scenario of the simulator (docs/simulate.md) played in real time. The mock
 * server of each provider asks the simulator's model of this provider (rc_sim_upstream) how a call
 * proceeds, so that one file gives the same outages, limits and capacity in the simulator and in
 * the mock.
 *
 *   request ──► rc_mock_script_decide ──► rc_sim_upstream_call ──► plan, limits, slot
 *                                                    └──► counts, per 100 ms
 *
 * Time is an argument. The clock of the script begins at rc_mock_script_init and at each
 * rc_mock_script_restart. */
#ifndef RC_MOCK_SCRIPT_H
#define RC_MOCK_SCRIPT_H

#include "mock/request.h"
#include "mock/response.h"
#include "sim/outcome.h"
#include "sim/rng.h"
#include "sim/scenario.h"
#include "sim/upstream.h"
#include "json/writer.h"

/* Length of the periods in which calls are counted, and the number of these periods. Calls after
 * the last period are counted in the last period. */
#define RC_MOCK_SCRIPT_PERIOD_MS 100u
#define RC_MOCK_SCRIPT_PERIODS 6000u

typedef struct rc_mock_script_counts {
    uint64_t calls; /* Requests that arrived. Connections that the kernel refused are not
                     * counted. */
    uint64_t outcomes[RC_SIM_OUTCOME_COUNT]; /* Number of calls by outcome. */
    uint64_t unknown_keys;                   /* Calls with more keys than the scenario has. */
    uint32_t in_flight;
    uint32_t in_flight_max;
    uint32_t periods; /* Number of periods in use. */
    uint32_t calls_in[RC_MOCK_SCRIPT_PERIODS];
    uint32_t served_in[RC_MOCK_SCRIPT_PERIODS];
} rc_mock_script_counts;

typedef struct rc_mock_script_provider {
    rc_sim_upstream upstream;
    uint64_t key_hashes[RC_SIM_KEYS_MAX]; /* The API keys in the order of their first call. */
    uint32_t key_count;
    rc_mock_script_counts counts;
} rc_mock_script_provider;

/* A script, in the caller's storage. The struct is too large for the stack. */
typedef struct rc_mock_script {
    const rc_sim_scenario *scenario;
    uint64_t seed;
    uint64_t started_ms;
    uint32_t restarts; /* Number of restarts. A call that began before the latest restart holds no
                        * slot. */
    rc_sim_rng rng;
    rc_mock_script_provider providers[RC_SIM_PROVIDERS_MAX];
} rc_mock_script;

/* The script's response to a call. */
typedef struct rc_mock_script_decision {
    rc_mock_plan plan;
    rc_mock_limit_state requests; /* Limits of the call's key, for the headers. */
    rc_mock_limit_state tokens;
    const char *message; /* Replaces the error's message; static. "": none. */
    bool holds_slot;     /* The caller must call rc_mock_script_release with `restarts`. */
    uint32_t restarts;
} rc_mock_script_decision;

/* Initialises a script. If `seed` is 0, the scenario's seed is used. scenario: borrows as long as
 * the script is used. */
void rc_mock_script_init(rc_mock_script *script, const rc_sim_scenario *scenario, uint64_t seed,
                         uint64_t now_ms);

/* Starts the scenario from its beginning and clears the counts. */
void rc_mock_script_restart(rc_mock_script *script, uint64_t now_ms);

/* Decides how the provider at `index` responds to a request. request: borrows during the call. */
rc_mock_script_decision rc_mock_script_decide(rc_mock_script *script, uint32_t index,
                                              const rc_mock_request *request, uint64_t now_ms);

/* Ends a call that holds a slot of the provider. */
void rc_mock_script_release(rc_mock_script *script, uint32_t index, uint32_t restarts);

/* Returns whether the provider refuses all connections now. *ret_next_ms is the time of the next
 * change, or RC_UNLIMITED. */
bool rc_mock_script_refuses(const rc_mock_script *script, uint32_t index, uint64_t now_ms,
                            uint64_t *ret_next_ms);

/* Appends the counts as the members "elapsed_ms" and "providers" of an open object. */
void rc_mock_script_push(const rc_mock_script *script, uint64_t now_ms, rc_json_writer *w);

#endif
