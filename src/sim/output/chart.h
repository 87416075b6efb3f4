/* rc_chart: what is drawn, before anybody knows how: the SVG files and the terminal show the same
 * numbers, scales and words.
 *
 * All values are whole numbers in the unit's own fraction, so that the same numbers give the same
 * bytes on every machine. */
#ifndef RC_SIM_OUTPUT_CHART_H
#define RC_SIM_OUTPUT_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

typedef enum rc_chart_unit {
    RC_UNIT_PERCENT = 1, /* thousandths of a percent: 99500 is 99.5 % */
    RC_UNIT_RATE = 2,    /* thousandths of one a second */
    RC_UNIT_MS = 3,      /* milliseconds */
    RC_UNIT_RATIO = 4,   /* thousandths: 1200 is 1.2 */
    RC_UNIT_COUNT = 5,   /* as it is */
    RC_UNIT_USD = 6      /* millionths of a dollar */
} rc_chart_unit;

/* There was nothing to measure: the line is broken. */
#define RC_CHART_GAP INT64_MIN

/* Something that was wrong with the provider for a time: shaded. */
typedef struct rc_chart_band {
    uint64_t from_ms;
    uint64_t to_ms;
} rc_chart_band;

/* One policy over time. */
typedef struct rc_chart_panel {
    rc_str name;
    rc_str note;           /* the one number that sums it up; empty: none */
    const int64_t *values; /* one a step, or RC_CHART_GAP */
    bool is_ours;
} rc_chart_panel;

/* Panels of one shape on one scale. Everything in it is the caller's. */
typedef struct rc_chart {
    rc_str title;
    rc_str subtitle;
    rc_chart_unit unit;
    uint64_t step_ms;
    size_t step_count;
    int64_t top;              /* the end of the scale; 0: as high as the values are */
    const int64_t *reference; /* drawn behind every panel, one a step; NULL: nothing */
    const rc_chart_band *bands;
    size_t band_count;
    const rc_chart_panel *panels;
    size_t panel_count;
} rc_chart;

#define RC_ROW_PARTS 3

/* One policy as a row: parts of a bar, or points on a line. */
typedef struct rc_chart_row {
    rc_str name;
    int64_t parts[RC_ROW_PARTS]; /* bars: lengths one behind the other; points: places, rising */
    bool is_ours;
} rc_chart_row;

typedef struct rc_chart_rows {
    rc_str title;
    rc_str subtitle;
    rc_chart_unit unit;
    bool is_points;
    int64_t reference; /* a line to compare with; 0: none */
    rc_str part_names[RC_ROW_PARTS];
    size_t part_count;
    const rc_chart_row *rows;
    size_t row_count;
} rc_chart_rows;

/* A scale from 0 that ends on a tick: every step is 1, 2 or 5 times a power of ten. */
typedef struct rc_chart_scale {
    int64_t top;
    int64_t step;
} rc_chart_scale;

/* The scale for values up to `highest`, with at most `steps` steps (at least 1). */
rc_chart_scale rc_chart_scale_make(int64_t highest, unsigned steps);

/* The scale of a chart: its own end, or that of its largest value. chart: borrows. */
rc_chart_scale rc_chart_scale_of(const rc_chart *chart, unsigned steps);

/* The largest value of the rows: of bars the longest, of points the farthest. rows: borrows. */
int64_t rc_chart_rows_highest(const rc_chart_rows *rows);

/* Milliseconds from tick to tick of a time axis: steps that people count in (1, 2, 5, 10, 15, 30 s,
 * 1 min ...), at most `steps` of them in length_ms. */
uint64_t rc_chart_time_step(uint64_t length_ms, unsigned steps);

/* How many decades a logarithmic axis from 10 ms on needs to reach highest_ms; at least 2. */
unsigned rc_chart_decades(int64_t highest_ms);

/* Where a time stands on such an axis, of `length`: what is below 10 ms stands at 0. */
int64_t rc_chart_log_position(int64_t value_ms, unsigned decades, int64_t length);

/* Appends a value as people read it: "99.5%", "1.24 k/s", "840 ms", "1.20", "$0.0123"; "-" for a
 * gap. Three digits that matter; a percentage that is not all or nothing is never shown as such. */
void rc_chart_push_value(rc_buf *buf, rc_chart_unit unit, int64_t value);

/* The same for a tick, which is exact: zeroes at the end are left out. */
void rc_chart_push_tick(rc_buf *buf, rc_chart_unit unit, int64_t value);

/* Appends a time of an axis in the unit of its step: "0", "30 s", "2 min", "1 h". */
void rc_chart_push_time(rc_buf *buf, uint64_t at_ms, uint64_t step_ms);

#endif
