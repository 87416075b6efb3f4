/* Success and load over time as characters, one strip per policy:
 *
 *   recourse            99.1%           peak 412/s
 *    100%│████▇▂▁▁▃██████        500/s│    ▁▂
 *        │████████████████            │▅▅▅▅██▅▅▅▅▅▅▅
 *       0└────━━━━━━───────          0└────━━━━━━───
 *
 * During a fault the empty cells are shaded and the axis is a thick line. Without UTF-8 the plot
 * uses ASCII. */
#ifndef RC_SIM_OUTPUT_TERMINAL_PLOT_H
#define RC_SIM_OUTPUT_TERMINAL_PLOT_H

#include <recourse/buf.h>

#include "sim/output/chart_result.h"
#include "sim/output/table.h"

/* Returns the number of steps for a chart on this terminal: one per column. */
size_t rc_terminal_plot_steps(const rc_table_style *style);

/* Appends the strips and a legend. set: borrows; made with that number of steps. band: meaning of
 * the shading, "outage"; empty: no shading. */
void rc_terminal_plot_push(rc_buf *buf, const rc_chart_set *set, rc_str band,
                           const rc_table_style *style);

#endif
