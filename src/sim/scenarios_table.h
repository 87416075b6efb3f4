/* The built-in scenarios, generated from spec/scenarios by tools/gen_scenarios.sh. */
#ifndef RC_SIM_SCENARIOS_TABLE_H
#define RC_SIM_SCENARIOS_TABLE_H

#include "sim/scenario.h"

/* Ends with a row of NULLs. */
extern const rc_sim_builtin rc_sim_scenarios_table[];

#endif
