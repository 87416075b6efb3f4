/* rc_measure: the measures by which policies are compared, for the table, the verdict and the
 * CSV. */
#ifndef RC_SIM_OUTPUT_MEASURE_H
#define RC_SIM_OUTPUT_MEASURE_H

#include <recourse/buf.h>

#include "sim/output/chart.h"
#include "sim/result.h"

/* Whether a high or a low value is better. */
typedef enum rc_measure_sense {
    RC_MEASURE_HIGH = 1,
    RC_MEASURE_LOW = 2,
    RC_MEASURE_NEUTRAL = 3
} rc_measure_sense;

/* A measure of a policy: a column of the table, a line of the verdict, a column of the CSV. */
typedef struct rc_measure {
    const char *key;         /* Column name in the CSV. */
    const char *title_above; /* Upper line of the column's title. */
    const char *title;       /* Lower line of the column's title. */
    const char *phrase;      /* Name of the measure in the verdict. */
    rc_chart_unit unit;
    rc_measure_sense sense;
    /* The measure counts only delivered requests. A policy that delivers fewer requests may
     * look better. */
    bool is_of_delivered;
    int64_t (*get)(const rc_sim_policy_result *policy);
} rc_measure;

/* The policy has no value; shown as "-". */
#define RC_MEASURE_NONE RC_CHART_GAP
/* The policy has a value that is worse than any number; shown as "never". */
#define RC_MEASURE_NEVER INT64_MAX

/* Returns the static measure at `index`, in the order of the table's columns, or NULL if the index
 * is too large. */
const rc_measure *rc_measure_at(size_t index);

/* rc_measure_push appends a value as text, such as "99.1%", "never" or "-", with at most
 * RC_MEASURE_TEXT_MAX bytes. */
#define RC_MEASURE_TEXT_MAX 32
void rc_measure_push(rc_buf *buf, const rc_measure *measure, int64_t value);

/* Returns whether the values a and b are shown as the same text. The table treats such values as
 * equal. */
bool rc_measure_is_same(const rc_measure *measure, int64_t a, int64_t b);

/* Returns whether `value` is better than `than`. RC_MEASURE_NONE is worse than any value. */
bool rc_measure_is_better(const rc_measure *measure, int64_t value, int64_t than);

/* Returns the best value of a measure among the policies, or RC_MEASURE_NONE if no policy has a
 * value or all values are equal. result: borrows during the call. */
int64_t rc_measure_best(const rc_measure *measure, const rc_sim_result *result);

#endif
