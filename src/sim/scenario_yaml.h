/* Reads scenarios from YAML. docs/simulate.md describes the format. */
#ifndef RC_SIM_SCENARIO_YAML_H
#define RC_SIM_SCENARIO_YAML_H

#include <recourse/alloc.h>
#include <recourse/status.h>

#include "config/fault.h"
#include "sim/scenario.h"

/* Parses a scenario. Returns RC_OK or RC_E_NOMEM. A scenario without policies gets the default
 * policies. For an invalid text, `faults` gets the errors in the order of the file, *ret_scenario
 * is unchanged and the result is the status of rc_yaml_parse, or RC_E_RANGE if the text is valid
 * YAML. text: borrows during the call. */
rc_status rc_sim_scenario_parse(rc_str text, const rc_alloc *alloc, rc_config_faults *faults,
                                rc_sim_scenario *ret_scenario);

#endif
