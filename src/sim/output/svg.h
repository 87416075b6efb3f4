/* SVG files of charts: one self-contained picture each. Colours are chosen by the reader's light or
 * dark theme; nothing is loaded from anywhere; all text is escaped.
 *
 *   rc_svg_chart   small multiples: one panel a policy, all on one scale
 *   rc_svg_rows    one row a policy: bars of parts, or points on a logarithmic axis
 *
 * The same chart gives the same bytes. A failure is the buffer's. */
#ifndef RC_SIM_OUTPUT_SVG_H
#define RC_SIM_OUTPUT_SVG_H

#include <recourse/buf.h>

#include "sim/output/chart.h"

/* Words around a chart. All views. */
typedef struct rc_svg_labels {
    rc_str scenario;  /* in the corner */
    rc_str band;      /* what the shading is: "outage"; empty: there is none */
    rc_str reference; /* what the dashed line is; empty: there is none */
} rc_svg_labels;

/* Appends the picture. chart, words: borrow. */
void rc_svg_chart(rc_buf *buf, const rc_chart *chart, const rc_svg_labels *labels);
void rc_svg_rows(rc_buf *buf, const rc_chart_rows *rows, const rc_svg_labels *labels);

#endif
