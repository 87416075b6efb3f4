/* Policies beside each other, for people: a table, and what it says about ours.
 *
 *               success   added latency            calls/   wasted
 *   policy                p50     p90     p99      request  calls
 *   recourse    99.1%*    0 ms    1.2 s   4.9 s    1.08*    412
 *
 * The best of a column has an asterisk (and colour); where all are the same nobody has. A table
 * that is wider than the terminal goes on in a second one below; nothing is left out but columns of
 * zeroes. */
#ifndef RC_SIM_OUTPUT_TABLE_H
#define RC_SIM_OUTPUT_TABLE_H

#include <recourse/buf.h>

#include "sim/output/chart.h"
#include "sim/result.h"

typedef struct rc_table_style {
    unsigned width;
    bool has_colour;
    bool has_utf8;
} rc_table_style;

/* Which way is good. */
typedef enum rc_measure_sense {
    RC_MEASURE_HIGH = 1,
    RC_MEASURE_LOW = 2,
    RC_MEASURE_NEUTRAL = 3
} rc_measure_sense;

/* Something that was measured of each policy: a column, a line of the verdict, a column of the
 * CSV. */
typedef struct rc_measure {
    const char *key;         /* of the CSV */
    const char *title_above; /* the title's upper line */
    const char *title;       /* its lower line */
    const char *phrase;      /* in a sentence */
    rc_chart_unit unit;
    rc_measure_sense sense;
    bool is_of_delivered; /* who delivers less may look better by it */
    int64_t (*get)(const rc_sim_policy_result *policy);
} rc_measure;

/* Not measured, in the place of a value: shown as "-". */
#define RC_MEASURE_NONE RC_CHART_GAP
/* Worse than any number: shown as "never". */
#define RC_MEASURE_NEVER INT64_MAX

/* In the order of the columns; NULL past the end. */
const rc_measure *rc_measure_at(size_t index);

/* Appends a value in words: "99.1%", "never", "-"; never more than RC_MEASURE_TEXT_MAX bytes. */
#define RC_MEASURE_TEXT_MAX 32
void rc_measure_push(rc_buf *buf, const rc_measure *measure, int64_t value);

/* Are they shown as the same? Then neither is called better. */
bool rc_measure_is_same(const rc_measure *measure, int64_t a, int64_t b);
bool rc_measure_is_better(const rc_measure *measure, int64_t value, int64_t than);

/* The best value of a measure; RC_MEASURE_NONE when there is none, or nobody is better than
 * others. result: borrows. */
int64_t rc_measure_best(const rc_measure *measure, const rc_sim_result *result);

/* Appends the table; lines fit style->width, which is at least RC_TABLE_WIDTH_MIN. */
#define RC_TABLE_WIDTH_MIN 20
void rc_table_push(rc_buf *buf, const rc_sim_result *result, const rc_table_style *style);

/* Appends where the first policy of ours stands against the best of the others, measure by measure:
 * ahead, even, behind. Nothing when there is none of ours, or nobody to compare with. */
void rc_table_push_verdict(rc_buf *buf, const rc_sim_result *result, const rc_table_style *style);

#endif
