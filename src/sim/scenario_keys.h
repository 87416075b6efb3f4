/* The keys of a scenario's YAML file as a table. docs/simulate.md explains the keys. */
#ifndef RC_SIM_SCENARIO_KEYS_H
#define RC_SIM_SCENARIO_KEYS_H

#include "config/yaml/yaml.h"
#include "sim/scenario.h"

/* The maps of a scenario file. The comment of each map names the struct into which it is read. */
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

/* Returns the static name of the key at `index` in a section, or NULL if the index is too large. */
const char *rc_sim_key_at(rc_sim_section section, size_t index);

/* Reads the keys of `map` into `fields`, the section's struct. The members of missing keys are
 * unchanged; an unknown key adds a fault. Returns false if `map` is not a map. map, fields: borrows
 * during the call. */
bool rc_sim_read_section(const rc_yaml_node *map, rc_sim_section section, void *fields,
                         rc_config_faults *faults);

#endif
