/* The built-in scenarios: written by tools/gen_scenarios.sh from spec/scenarios. */
#ifndef RC_SIM_SCENARIOS_TABLE_H
#define RC_SIM_SCENARIOS_TABLE_H

#include "sim/scenario.h"

/* Ends with a row of NULL. */
extern const rc_sim_builtin rc_sim_scenarios_table[];

#endif
