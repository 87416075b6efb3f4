/* rc_sim_goals: checks whether a policy of Recourse reaches the delivery goals in the result of one
 * simulated scenario.
 *
 *   result of a scenario: recourse, the other policies, the oracle ──► one value and bound per goal
 *
 * Called by the tests of the goals and by the generator of tests/golden/goals.txt.
 * docs/internals/goals.md explains the goals and their exceptions. */
#ifndef RC_SIM_GOALS_H
#define RC_SIM_GOALS_H

#include <recourse/buf.h>

#include "sim/result.h"
#include "sim/scenario.h"

typedef enum rc_sim_goal {
    RC_SIM_GOAL_SUCCESS = 0,   /* Success is at least 99 % of the oracle's. */
    RC_SIM_GOAL_OTHERS = 1,    /* No other policy's success is more than 0.2 points higher. */
    RC_SIM_GOAL_CALLS = 2,     /* Calls per request are at most 1.10 times the oracle's. */
    RC_SIM_GOAL_OUTAGE = 3,    /* In a total outage, after its first second, at most 0.1 calls per
                                * request. */
    RC_SIM_GOAL_ADDED_P50 = 4, /* The median of the added latency is at most 1.25 times the
                                * oracle's, if the oracle's is above 0. */
    RC_SIM_GOAL_ADDED_P99 = 5, /* The same for the 99th percentile of the added latency. */
    RC_SIM_GOAL_RECOVERY = 6,  /* Full service is at most 2 s later than with the oracle. */
    RC_SIM_GOAL_CALM = 7,      /* Without faults and limits no request waits, and each has one
                                * call. */
    RC_SIM_GOAL_COUNT
} rc_sim_goal;

/* The value of a goal and the bound that it must not exceed. Success values are negated shares, so
 * that lower is better for every goal. */
typedef struct rc_sim_goal_value {
    bool applies; /* The goal says something about this scenario. */
    int64_t value;
    int64_t bound;
} rc_sim_goal_value;

/* Returns whether the value is within the bound, or the goal does not apply. */
bool rc_sim_goal_is_met(const rc_sim_goal_value *value);

/* Checks one goal. policy: the index of the policy of recourse in the result, which must have an
 * oracle. scenario, result: borrows during the call. */
rc_sim_goal_value rc_sim_goal_check(rc_sim_goal goal, const rc_sim_scenario *scenario,
                                    const rc_sim_result *result, uint32_t policy);

/* Returns the static name of a goal, such as "success". */
const char *rc_sim_goal_name(rc_sim_goal goal);

#endif
