/* Success and load over time as characters, one strip per policy:
 *
 *   recourse            99.1%           peak 412/s
 *    100%│████▇▂▁▁▃██████        500/s│    ▁▂
 *        │████████████████            │▅▅▅▅██▅▅▅▅▅▅▅
 *       0└────━━━━━━───────          0└────━━━━━━───
 *
 * During a fault the empty cells are shaded and the axis is a thick line. Without UTF-8 the plot
 * uses ASCII. */
#ifndef RC_CLI_SIMULATE_PLOT_H
#define RC_CLI_SIMULATE_PLOT_H

#include <recourse/buf.h>
#include <recourse/render.h>

#include "sim/output/chart_result.h"

/* Returns the number of time steps for a chart on this terminal: one per column. */
size_t rc_simulate_plot_steps(const rc_panel_style *style);

/* Appends the strips and a legend. set: borrows during the call; the charts must have
 * rc_simulate_plot_steps steps. band: the meaning of the shading for the legend, such as "outage";
 * empty: no shading. */
void rc_simulate_plot_push(rc_buf *buf, const rc_chart_set *set, rc_str band,
                           const rc_panel_style *style);

#endif
