/* rc_chart_set: the charts of a result. */
#ifndef RC_SIM_OUTPUT_CHART_RESULT_H
#define RC_SIM_OUTPUT_CHART_RESULT_H

#include <recourse/alloc.h>
#include <recourse/status.h>

#include "base/arena.h"
#include "sim/output/chart.h"
#include "sim/result.h"

/* The caller's storage; it views the result. */
typedef struct rc_chart_set {
    rc_arena arena;
    rc_chart success;            /* by when the requests came in */
    rc_chart load;               /* calls a second; beside them the requests */
    rc_chart_rows latency;       /* added latency: p50, p90, p99 */
    rc_chart_rows amplification; /* calls per request: useful and wasted */
} rc_chart_set;

/* Makes them with at most `steps` steps over time (at least 1). RC_E_NOMEM, RC_E_TOO_LARGE.
 * rc_chart_set_done is due in each case. result: views, until done. alloc: copies. */
rc_status rc_chart_set_make(rc_chart_set *set, const rc_sim_result *result, size_t steps,
                            const rc_alloc *alloc);
void rc_chart_set_done(rc_chart_set *set);

#endif
