/* SVG files of charts, each self-contained. The viewer's light or dark theme selects the colours;
 * no external resource is loaded; all text is escaped.
 *
 *   rc_svg_chart   small multiples: one panel per policy, all on one scale
 *   rc_svg_rows    one row per policy: bars of parts, or points on a logarithmic axis
 *
 * Equal charts give equal bytes. Failures are recorded in the buffer. */
#ifndef RC_SIM_OUTPUT_SVG_H
#define RC_SIM_OUTPUT_SVG_H

#include <recourse/buf.h>

#include "sim/output/chart.h"

/* Texts around a chart. All members: views. */
typedef struct rc_svg_labels {
    rc_str scenario;  /* Name of the scenario, in the corner. */
    rc_str band;      /* Meaning of the shading: "outage"; empty: none. */
    rc_str reference; /* Meaning of the dashed line; empty: none. */
} rc_svg_labels;

/* Append the SVG document. chart, rows, labels: borrow. */
void rc_svg_chart(rc_buf *buf, const rc_chart *chart, const rc_svg_labels *labels);
void rc_svg_rows(rc_buf *buf, const rc_chart_rows *rows, const rc_svg_labels *labels);

#endif
