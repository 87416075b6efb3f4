/* Plots success and load over time on a terminal. Called by human.c. */
#include "cli/simulate/plot.h"

#include "base/str.h"
#include "render/pen.h"

#define ROWS 4
#define LEVELS 8 /* A cell can show eight heights. */
#define GUTTER 7u
#define GAP 2u
/* On a narrower terminal the load chart of a policy is below its success chart instead of beside
 * it. */
#define ABREAST_MIN 56u
#define COLUMNS_MAX 200u
#define LABEL_MAX 64
#define TIME_COLUMNS 9u /* Width of a time below the axis. */

struct plot {
    rc_pen *pen; /* The two charts of a strip share one pen. */
    const rc_chart *chart;
    rc_chart_scale scale;
    unsigned columns;
};

static bool is_abreast(unsigned width)
{
    return width >= ABREAST_MIN;
}

static unsigned columns_of(unsigned width)
{
    const unsigned columns = (is_abreast(width) ? (width - GAP) / 2 : width) - GUTTER - 1;
    return columns < COLUMNS_MAX ? columns : COLUMNS_MAX;
}

size_t rc_simulate_plot_steps(const rc_panel_style *style)
{
    return columns_of(style->width);
}

/* ---- cells ---- */

/* Returns the step of the chart at the middle of a column. */
static size_t step_at(const struct plot *p, unsigned column)
{
    return (2 * (size_t)column + 1) * p->chart->step_count / (2 * (size_t)p->columns);
}

/* Returns whether the column is shaded: its middle is in a band (the time of a fault), or the
 * column contains a whole band. */
static bool is_in_band(const struct plot *p, unsigned column)
{
    const uint64_t length = p->chart->step_ms * p->chart->step_count;
    const uint64_t from = length * column / p->columns;
    const uint64_t to = length * (column + 1) / p->columns;
    const uint64_t middle = length * (2 * (uint64_t)column + 1) / (2 * (uint64_t)p->columns);
    for (size_t i = 0; i < p->chart->band_count; i++) {
        const rc_chart_band *band = &p->chart->bands[i];
        const bool is_inside = band->from_ms <= middle && middle < band->to_ms;
        const bool is_short = from <= band->from_ms && band->from_ms < to && band->to_ms <= to;
        if (is_inside || (is_short && band->from_ms < band->to_ms))
            return true;
    }
    return false;
}

/* Returns the height of a value in levels, from 0 to ROWS * LEVELS. A value above 0 has at least
 * one level. */
static int64_t level_of(const struct plot *p, int64_t value)
{
    if (value == RC_CHART_GAP || value <= 0)
        return 0;
    const int64_t level = (value * ROWS * LEVELS + p->scale.top / 2) / p->scale.top;
    if (level < 1)
        return 1;
    return level < ROWS * LEVELS ? level : ROWS * LEVELS;
}

static void push_cell(const struct plot *p, const rc_chart_panel *panel, unsigned column,
                      int64_t floor)
{
    const size_t step = step_at(p, column);
    const int64_t above = level_of(p, panel->values[step]) - floor;
    const int64_t fill = above < 0 ? 0 : above < LEVELS ? above : LEVELS;
    if (fill == 0) {
        if (p->pen->has_utf8 && is_in_band(p, column))
            rc_pen_symbol(p->pen, RC_TONE_OUTAGE, RC_SYMBOL_SHADE);
        else
            rc_pen_skip(p->pen, 1);
        return;
    }
    const bool is_over =
        p->chart->reference != NULL && floor >= level_of(p, p->chart->reference[step]);
    rc_pen_symbol(p->pen,
                  is_over          ? RC_TONE_WARN
                  : panel->is_ours ? RC_TONE_ACCENT
                                   : RC_TONE_PLAIN,
                  is_over && fill == LEVELS ? RC_SYMBOL_OVER
                                            : (rc_symbol)(RC_SYMBOL_LEVEL_1 + fill - 1));
}

/* ---- lines of a strip ---- */

static void push_gutter(const struct plot *p, rc_symbol line, const rc_buf *label)
{
    const rc_str text = rc_buf_get(label);
    rc_pen_skip(p->pen, GUTTER > text.len ? GUTTER - (unsigned)text.len : 0);
    rc_pen_text(p->pen, RC_TONE_FAINT, text);
    rc_pen_symbol(p->pen, RC_TONE_FAINT, line);
}

static void push_row(const struct plot *p, const rc_chart_panel *panel, unsigned row)
{
    char scratch[LABEL_MAX];
    rc_buf label;
    rc_buf_init_fixed(&label, scratch, sizeof(scratch));
    if (row == 0)
        rc_chart_push_tick(&label, p->chart->unit, p->scale.top);
    push_gutter(p, RC_SYMBOL_DOWN, &label);
    for (unsigned i = 0; i < p->columns; i++)
        push_cell(p, panel, i, (int64_t)(ROWS - 1 - row) * LEVELS);
}

static void push_axis(const struct plot *p)
{
    char scratch[LABEL_MAX];
    rc_buf label;
    rc_buf_init_fixed(&label, scratch, sizeof(scratch));
    rc_buf_push_byte(&label, '0');
    push_gutter(p, RC_SYMBOL_CORNER, &label);
    for (unsigned i = 0; i < p->columns; i++) {
        const bool is_band = is_in_band(p, i);
        rc_pen_symbol(p->pen, is_band ? RC_TONE_OUTAGE : RC_TONE_FAINT,
                      is_band ? RC_SYMBOL_THICK : RC_SYMBOL_ACROSS);
    }
}

/* Writes the times below the axis. A time that does not fit is left out. */
static void push_times(const struct plot *p)
{
    const uint64_t length = p->chart->step_ms * p->chart->step_count;
    const uint64_t step = rc_chart_time_step(length, 1 + p->columns / TIME_COLUMNS);
    unsigned used = 0;
    rc_pen_skip(p->pen, GUTTER + 1);
    for (uint64_t at = 0; at <= length; at += step) {
        char scratch[LABEL_MAX];
        rc_buf label;
        rc_buf_init_fixed(&label, scratch, sizeof(scratch));
        rc_chart_push_time(&label, at, step);
        const unsigned column_at = (unsigned)(at * p->columns / length);
        const unsigned len = (unsigned)rc_buf_get(&label).len;
        if (column_at < used + (used > 0 ? 1 : 0) || column_at + len > p->columns)
            continue;
        rc_pen_skip(p->pen, column_at - used);
        rc_pen_text(p->pen, RC_TONE_FAINT, rc_buf_get(&label));
        used = column_at + len;
    }
    rc_pen_skip(p->pen, p->columns - used);
}

/* Writes the name of the policy at the left and the number at the right, for example "recourse" and
 * "99.1%". */
static void push_head(const struct plot *p, const rc_chart_panel *panel, bool has_name)
{
    const unsigned end = p->pen->column + GUTTER + 1 + p->columns;
    const unsigned note = (unsigned)panel->note.len;
    const unsigned name_max = end > p->pen->column + note + 1 ? end - p->pen->column - note - 1 : 0;
    if (has_name && name_max > 0)
        rc_pen_cut(p->pen, panel->is_ours ? RC_TONE_ACCENT : RC_TONE_PLAIN, panel->name, name_max);
    rc_pen_to(p->pen, end > note ? end - note : 0);
    rc_pen_text(p->pen, RC_TONE_FAINT, panel->note);
}

/* ---- strips ---- */

/* Writes one line of a strip: line 0 is the head, the last line is the axis. */
static void push_line(const struct plot *p, size_t panel, unsigned line, bool has_name)
{
    const rc_chart_panel *shown = &p->chart->panels[panel];
    if (line == 0)
        push_head(p, shown, has_name);
    else if (line <= ROWS)
        push_row(p, shown, line - 1);
    else
        push_axis(p);
}

static void push_strip(const struct plot *left, const struct plot *right, size_t panel)
{
    for (unsigned line = 0; line <= ROWS + 1; line++) {
        push_line(left, panel, line, true);
        if (is_abreast(left->pen->width)) {
            rc_pen_skip(left->pen, GAP);
            push_line(right, panel, line, false);
        }
        rc_pen_end_line(left->pen);
    }
    for (unsigned line = 0; line <= ROWS + 1 && !is_abreast(left->pen->width); line++) {
        push_line(right, panel, line, false);
        rc_pen_end_line(right->pen);
    }
}

static void push_all_times(const struct plot *left, const struct plot *right)
{
    push_times(left);
    if (is_abreast(left->pen->width)) {
        rc_pen_skip(left->pen, GAP);
        push_times(right);
    }
    rc_pen_end_line(left->pen);
}

static void push_titles(const struct plot *left, const struct plot *right)
{
    const unsigned width = GUTTER + 1 + left->columns;
    rc_pen_cut(left->pen, RC_TONE_PLAIN, RC_STR("success, by arrival"), width);
    if (is_abreast(left->pen->width))
        rc_pen_to(left->pen, width + GAP);
    else
        rc_pen_end_line(left->pen);
    rc_pen_cut(right->pen, RC_TONE_PLAIN, RC_STR("load: calls a second"), width);
    rc_pen_end_line(right->pen);
}

static void push_legend(rc_pen *pen, rc_str band)
{
    char scratch[LABEL_MAX * 3];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    if (band.len > 0) {
        if (pen->has_utf8)
            rc_buf_push(&text, rc_symbol_text(RC_SYMBOL_SHADE, true));
        rc_buf_push(&text, rc_symbol_text(RC_SYMBOL_THICK, pen->has_utf8));
        rc_buf_push_byte(&text, ' ');
        rc_buf_push(&text, rc_str_make(band.ptr, band.len < LABEL_MAX ? band.len : LABEL_MAX));
        rc_buf_push(&text, RC_STR("   "));
    }
    rc_buf_push(&text, rc_symbol_text(RC_SYMBOL_OVER, pen->has_utf8));
    rc_buf_push(&text, RC_STR(" more calls than incoming requests"));
    rc_pen_cut(pen, RC_TONE_PLAIN, rc_buf_get(&text), pen->width);
    rc_pen_end_line(pen);
}

void rc_simulate_plot_push(rc_buf *buf, const rc_chart_set *set, rc_str band,
                           const rc_panel_style *style)
{
    rc_pen pen;
    rc_pen_init(&pen, style, buf);
    struct plot success = {.pen = &pen, .chart = &set->success};
    success.columns = columns_of(pen.width);
    success.scale = rc_chart_scale_of(success.chart, ROWS);
    struct plot load = success;
    load.chart = &set->load;
    load.scale = rc_chart_scale_of(load.chart, ROWS);

    push_titles(&success, &load);
    for (size_t i = 0; i < set->success.panel_count; i++)
        push_strip(&success, &load, i);
    push_all_times(&success, &load);
    push_legend(&pen, band);
}
