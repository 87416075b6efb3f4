/* Success and load over time as characters, one strip a policy:
 *
 *   recourse            99.1%           peak 412/s
 *    100%│████▇▂▁▁▃██████        500/s│    ▁▂
 *        │████████████████            │▅▅▅▅██▅▅▅▅▅▅▅
 *       0└────━━━━━━───────          0└────━━━━━━───
 *
 * Empty cells are shaded while a provider was not itself, and its time is a thick line on the axis.
 * Without UTF-8 it is drawn in ASCII. */
#ifndef RC_SIM_OUTPUT_TERMINAL_PLOT_H
#define RC_SIM_OUTPUT_TERMINAL_PLOT_H

#include <recourse/buf.h>

#include "sim/output/chart_result.h"
#include "sim/output/table.h"

/* How many steps a chart should have for this terminal: one a column. */
size_t rc_terminal_plot_steps(const rc_table_style *style);

/* Appends the strips and, below them, what the signs mean. set: borrows; made with as many steps.
 * band: what the shading is, "outage"; empty: nothing is shaded. */
void rc_terminal_plot_push(rc_buf *buf, const rc_chart_set *set, rc_str band,
                           const rc_table_style *style);

#endif
