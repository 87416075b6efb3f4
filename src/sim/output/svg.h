/* Draws charts as SVG files. The viewer's light or dark theme selects the colours. A file loads no
 * external resource, and all text in it is escaped.
 *
 *   rc_svg_chart   small multiples: one panel per policy, all on one scale
 *   rc_svg_rows    one row per policy: bars of parts, or points on a logarithmic axis
 *
 * Equal charts give equal bytes. If memory runs out, the status of the buffer says so. */
#ifndef RC_SIM_OUTPUT_SVG_H
#define RC_SIM_OUTPUT_SVG_H

#include <recourse/buf.h>

#include "sim/output/chart.h"

/* Texts around a chart. All members are views. */
typedef struct rc_svg_labels {
    rc_str scenario;  /* Name of the scenario, in the corner. */
    rc_str band;      /* Meaning of the shaded bands, such as "outage"; may be empty. */
    rc_str reference; /* Meaning of the dashed reference line; may be empty. */
} rc_svg_labels;

/* rc_svg_chart and rc_svg_rows append an SVG document. chart, rows, labels: borrows during the
 * call. */
void rc_svg_chart(rc_buf *buf, const rc_chart *chart, const rc_svg_labels *labels);
void rc_svg_rows(rc_buf *buf, const rc_chart_rows *rows, const rc_svg_labels *labels);

#endif
