/* The keys of a scenario's YAML: one table, read by one function. docs/simulate.md explains them.
 */
#ifndef RC_SIM_SCENARIO_KEYS_H
#define RC_SIM_SCENARIO_KEYS_H

#include "config/yaml/yaml.h"
#include "sim/scenario.h"

/* Each is a map of the file, kept in the struct that is named. */
typedef enum rc_sim_section {
    RC_SIM_AT_TOP = 0,  /* rc_sim_scenario */
    RC_SIM_AT_CLIENTS,  /* rc_sim_clients */
    RC_SIM_AT_SURGE,    /* rc_sim_surge */
    RC_SIM_AT_PROVIDER, /* rc_sim_provider */
    RC_SIM_AT_LIMITS,   /* rc_sim_limits */
    RC_SIM_AT_CAPACITY, /* rc_sim_capacity */
    RC_SIM_AT_PRICE,    /* rc_sim_provider */
    RC_SIM_AT_FAULT,    /* rc_sim_fault */
    RC_SIM_AT_SPREAD,   /* rc_sim_spread */
    RC_SIM_AT_POLICY,   /* rc_sim_policy */
    RC_SIM_AT_BUDGET,   /* rc_retry_budget_settings */
    RC_SIM_AT_BREAKER,  /* rc_breaker_settings */
    RC_SIM_SECTION_COUNT
} rc_sim_section;

/* A key's name by its place in a section; NULL past the end. */
const char *rc_sim_key_at(rc_sim_section section, size_t index);

/* Reads what the map has into the section's struct; what it has not stays as it is. Keys that are
 * not in the table are faults. False: the node is not a map. map, fields: borrow. */
bool rc_sim_read_section(const rc_yaml_node *map, rc_sim_section section, void *fields,
                         rc_config_faults *faults);

#endif
