/* Finds built-in scenarios. Called by recourse simulate. */
#include "sim/scenario.h"
#include "sim/scenarios_table.h"

const rc_sim_builtin *rc_sim_builtin_at(size_t index)
{
    for (size_t i = 0; rc_sim_scenarios_table[i].name != NULL; i++)
        if (i == index)
            return &rc_sim_scenarios_table[i];
    return NULL;
}

const rc_sim_builtin *rc_sim_builtin_named(rc_str name)
{
    for (const rc_sim_builtin *row = rc_sim_scenarios_table; row->name != NULL; row++)
        if (rc_str_eq(name, rc_str_c(row->name)))
            return row;
    return NULL;
}
