/* rc_chart_set: the charts of a simulation's result. */
#ifndef RC_SIM_OUTPUT_CHART_RESULT_H
#define RC_SIM_OUTPUT_CHART_RESULT_H

#include <recourse/alloc.h>
#include <recourse/status.h>

#include "base/arena.h"
#include "sim/output/chart.h"
#include "sim/result.h"

/* The charts, in the caller's storage. The charts view (point into) the result. */
typedef struct rc_chart_set {
    rc_arena arena;
    rc_chart success;            /* Share of successful requests, by their arrival time. */
    rc_chart load;               /* Calls per second, with requests per second as the reference
                                  * line. */
    rc_chart_rows latency;       /* Added latency: p50, p90, p99. */
    rc_chart_rows amplification; /* Calls per request: useful and wasted. */
} rc_chart_set;

/* Makes the charts, with at most `steps` time steps (at least 1). Returns RC_OK, RC_E_NOMEM or
 * RC_E_TOO_LARGE; the caller must call rc_chart_set_done in each case. result: the charts view it
 * until rc_chart_set_done. alloc: copies the struct. */
rc_status rc_chart_set_make(rc_chart_set *set, const rc_sim_result *result, size_t steps,
                            const rc_alloc *alloc);
/* Frees the charts. */
void rc_chart_set_done(rc_chart_set *set);

#endif
