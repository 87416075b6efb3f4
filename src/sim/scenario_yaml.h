/* Scenarios in YAML: docs/simulate.md. */
#ifndef RC_SIM_SCENARIO_YAML_H
#define RC_SIM_SCENARIO_YAML_H

#include <recourse/alloc.h>
#include <recourse/status.h>

#include "config/fault.h"
#include "sim/scenario.h"

/* Reads a scenario. RC_OK: it is sound, and has policies: its own, or the usual ones to compare.
 * RC_E_NOMEM; else faults says what is wrong, sorted by place, and *ret_scenario is unchanged: as
 * rc_yaml_parse, or RC_E_RANGE. text: borrows. */
rc_status rc_sim_scenario_parse(rc_str text, const rc_alloc *alloc, rc_config_faults *faults,
                                rc_sim_scenario *ret_scenario);

#endif
