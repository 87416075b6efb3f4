/* rc_chart: the data of a chart, independent of its rendering: the SVG files and the terminal plots
 * show the same numbers, scales and texts.
 *
 * All values are integers in fixed fractions of their unit, so that a chart has the same bytes on
 * every machine. */
#ifndef RC_SIM_OUTPUT_CHART_H
#define RC_SIM_OUTPUT_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

typedef enum rc_chart_unit {
    RC_UNIT_PERCENT = 1, /* Thousandths of a percent: 99500 is 99.5 %. */
    RC_UNIT_RATE = 2,    /* Thousandths per second. */
    RC_UNIT_MS = 3,      /* Milliseconds. */
    RC_UNIT_RATIO = 4,   /* Thousandths: 1200 is 1.2. */
    RC_UNIT_COUNT = 5,   /* Whole numbers. */
    RC_UNIT_USD = 6      /* Millionths of a dollar. */
} rc_chart_unit;

/* Value of a time step without a measurement; the line of the chart has a gap there. */
#define RC_CHART_GAP INT64_MIN

/* The period of a fault, drawn as a shaded band. */
typedef struct rc_chart_band {
    uint64_t from_ms;
    uint64_t to_ms;
} rc_chart_band;

/* A panel: one policy over time. */
typedef struct rc_chart_panel {
    rc_str name;
    rc_str note;           /* Summary number beside the name; may be empty. */
    const int64_t *values; /* One value per step, or RC_CHART_GAP. */
    bool is_ours;
} rc_chart_panel;

/* A chart over time, with one panel per policy on a common scale. The caller owns the data. */
typedef struct rc_chart {
    rc_str title;
    rc_str subtitle;
    rc_chart_unit unit;
    uint64_t step_ms;
    size_t step_count;
    int64_t top;              /* End of the scale; 0 selects the highest value. */
    const int64_t *reference; /* A line that is drawn in every panel, one value per step; NULL: no
                               * line. */
    const rc_chart_band *bands;
    size_t band_count;
    const rc_chart_panel *panels;
    size_t panel_count;
} rc_chart;

#define RC_ROW_PARTS 3

/* A row for one policy: the parts of a bar, or points on a line. */
typedef struct rc_chart_row {
    rc_str name;
    int64_t parts[RC_ROW_PARTS]; /* The lengths of a bar's parts, or the positions of points in
                                  * ascending order. */
    bool is_ours;
} rc_chart_row;

typedef struct rc_chart_rows {
    rc_str title;
    rc_str subtitle;
    rc_chart_unit unit;
    bool is_points;
    int64_t reference; /* Position of a vertical reference line; 0: no line. */
    rc_str part_names[RC_ROW_PARTS];
    size_t part_count;
    const rc_chart_row *rows;
    size_t row_count;
} rc_chart_rows;

/* A scale from 0 to its last tick. The distance between two ticks is 1, 2 or 5 times a power of
 * ten. */
typedef struct rc_chart_scale {
    int64_t top;
    int64_t step;
} rc_chart_scale;

/* Returns the scale for values up to `highest`, with at most `steps` distances between ticks.
 * `steps` must be at least 1. */
rc_chart_scale rc_chart_scale_make(int64_t highest, unsigned steps);

/* Returns the scale of a chart, up to chart->top or the chart's largest value. chart: borrows
 * during the call. */
rc_chart_scale rc_chart_scale_of(const rc_chart *chart, unsigned steps);

/* Returns the largest value of the rows: the length of the longest bar, or the position of the
 * highest point. rows: borrows during the call. */
int64_t rc_chart_rows_highest(const rc_chart_rows *rows);

/* Returns the time between two ticks of a time axis, a usual unit (1, 2, 5, 10, 15, 30 s, 1 min
 * ...), so that at most `steps` of these units fit into length_ms. */
uint64_t rc_chart_time_step(uint64_t length_ms, unsigned steps);

/* Returns how many decades a logarithmic axis that starts at 10 ms needs for highest_ms. The result
 * is at least 2. */
unsigned rc_chart_decades(int64_t highest_ms);

/* Returns the position of a time on a logarithmic axis that starts at 10 ms and has this number of
 * decades and this length. Times below 10 ms are at 0. */
int64_t rc_chart_log_position(int64_t value_ms, unsigned decades, int64_t length);

/* Appends a value in readable form: "99.5%", "1.24 k/s", "840 ms", "1.20", "$0.0123"; "-" for
 * RC_CHART_GAP. The text has three significant digits. A percentage is shown as 0% or 100% only if
 * it is exactly that. */
void rc_chart_push_value(rc_buf *buf, rc_chart_unit unit, int64_t value);

/* Like rc_chart_push_value for a tick, whose value is exact, so that trailing zeros are omitted. */
void rc_chart_push_tick(rc_buf *buf, rc_chart_unit unit, int64_t value);

/* Appends a time of an axis, such as "0", "30 s", "2 min" or "1 h". step_ms, the distance of the
 * axis's ticks, selects the unit. */
void rc_chart_push_time(rc_buf *buf, uint64_t at_ms, uint64_t step_ms);

#endif
