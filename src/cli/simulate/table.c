/* The table of policies. Called by human.c. */
#include "base/str.h"
#include "cli/simulate/simulate.h"
#include "sim/output/measure.h"
#include "ui/grid.h"

#define NAME_MIN 6u

/* Returns whether the column has only zeros and missing values. Such a column is left out. */
static bool is_empty(const rc_sim_result *result, const rc_measure *measure)
{
    for (uint32_t i = 0; i < result->policy_count; i++) {
        const int64_t value = measure->get(&result->policies[i]);
        if (value != 0 && value != RC_MEASURE_NONE)
            return false;
    }
    return true;
}

static void put_value(rc_grid *grid, const rc_measure *measure, int64_t value, int64_t best)
{
    const bool is_best = best != RC_MEASURE_NONE && rc_measure_is_same(measure, value, best);
    rc_measure_push(&grid->text, measure, value);
    rc_grid_cell(grid, is_best ? RC_TONE_BEST : RC_TONE_PLAIN);
}

/* Adds the row of the oracle below the policies; the oracle competes for no asterisk. */
static void put_oracle(rc_grid *grid, const rc_measure *const *measures, size_t count,
                       const rc_sim_policy_result *oracle)
{
    rc_buf_push(&grid->text, rc_str_c(oracle->name));
    rc_grid_cell(grid, RC_TONE_FAINT);
    for (size_t k = 1; k < count; k++)
        put_value(grid, measures[k], measures[k]->get(oracle), RC_MEASURE_NONE);
}

rc_status rc_simulate_push_table(rc_buf *buf, const rc_sim_result *result,
                                 const rc_panel_style *style, const rc_alloc *alloc)
{
    rc_grid_column columns[RC_GRID_COLUMNS_MAX] = {{.title = "policy", .min = NAME_MIN}};
    const rc_measure *measures[RC_GRID_COLUMNS_MAX];
    size_t count = 1;
    for (size_t i = 0; rc_measure_at(i) != NULL; i++) {
        const rc_measure *measure = rc_measure_at(i);
        if (is_empty(result, measure))
            continue;
        columns[count] = (rc_grid_column){.title = measure->title,
                                          .title_above = measure->title_above,
                                          .is_right = true,
                                          .has_mark = true};
        measures[count++] = measure;
    }
    rc_grid grid;
    rc_grid_init(&grid, columns, count, style, alloc);
    for (uint32_t i = 0; i < result->policy_count; i++) {
        const rc_sim_policy_result *policy = &result->policies[i];
        rc_buf_push(&grid.text, rc_str_c(policy->name));
        rc_grid_cell(&grid, policy->is_ours ? RC_TONE_STRONG : RC_TONE_PLAIN);
        for (size_t k = 1; k < count; k++)
            put_value(&grid, measures[k], measures[k]->get(policy),
                      rc_measure_best(measures[k], result));
    }
    if (rc_sim_result_has_added_oracle(result))
        put_oracle(&grid, measures, count, result->oracle);
    const rc_status status = rc_grid_push_folded(&grid, buf);
    rc_grid_done(&grid);
    return status;
}
