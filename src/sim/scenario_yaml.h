/* Reading scenarios from YAML: docs/simulate.md. */
#ifndef RC_SIM_SCENARIO_YAML_H
#define RC_SIM_SCENARIO_YAML_H

#include <recourse/alloc.h>
#include <recourse/status.h>

#include "config/fault.h"
#include "sim/scenario.h"

/* Parses a scenario. RC_OK: it is valid and has policies, its own or the default ones. RC_E_NOMEM.
 * Otherwise faults lists the errors in the order of the file, *ret_scenario is unchanged and the
 * result is as of rc_yaml_parse, or RC_E_RANGE. text: borrows. */
rc_status rc_sim_scenario_parse(rc_str text, const rc_alloc *alloc, rc_config_faults *faults,
                                rc_sim_scenario *ret_scenario);

#endif
