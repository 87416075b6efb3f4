/* Draws charts over time as SVG: one panel per policy, all with the same axes. Called by recourse
 * simulate. */
#include "sim/output/svg.h"

#include "sim/output/svg_parts.h"

#define PANEL_HEIGHT 1180 /* Height of the plot. */
#define PANEL_HEAD 260    /* Space for the name and the number above the plot. */
#define PANEL_FOOT 460    /* Space for the time axis below the plot, and to the next panel. */
#define GUTTER 480        /* Space left of the plot for the scale. */
#define PANEL_GAP 200
#define Y_STEPS 4
#define X_STEPS 5
#define X_STEPS_NARROW 3
#define LABEL_MAX 64

struct sheet {
    rc_buf *buf;
    const rc_chart *chart;
    rc_chart_scale scale;
    uint64_t length_ms;
    size_t columns;
};

static uint64_t length_of(const rc_chart *chart)
{
    const uint64_t length = chart->step_ms * chart->step_count;
    return length > 0 ? length : 1;
}

static int64_t x_of(const struct sheet *s, const rc_svg_box *plot, uint64_t at_ms)
{
    const uint64_t inside = at_ms < s->length_ms ? at_ms : s->length_ms;
    return plot->x + (int64_t)(inside * (uint64_t)plot->width / s->length_ms);
}

static int64_t y_of(const struct sheet *s, const rc_svg_box *plot, int64_t value)
{
    const int64_t top = s->scale.top > 0 ? s->scale.top : 1;
    const int64_t inside = value < top ? value : top;
    return plot->y + plot->height - inside * plot->height / top;
}

static void draw_bands(const struct sheet *s, const rc_svg_box *plot)
{
    for (size_t i = 0; i < s->chart->band_count; i++) {
        const int64_t from = x_of(s, plot, s->chart->bands[i].from_ms);
        const int64_t to = x_of(s, plot, s->chart->bands[i].to_ms);
        if (to > from)
            rc_svg_rect(s->buf, &(rc_svg_box){from, plot->y, to - from, plot->height}, 0, "band");
    }
}

static void draw_scale(const struct sheet *s, const rc_svg_box *plot)
{
    for (int64_t value = 0; value <= s->scale.top; value += s->scale.step) {
        const int64_t y = y_of(s, plot, value);
        char scratch[LABEL_MAX];
        rc_buf label;
        rc_buf_init_fixed(&label, scratch, sizeof(scratch));
        rc_chart_push_tick(&label, s->chart->unit, value);
        rc_svg_line(s->buf, plot->x, y, plot->x + plot->width, y, value == 0 ? "axis" : "rule");
        rc_svg_text(s->buf, plot->x - 70, y + 38, RC_SVG_END, "tick", rc_buf_get(&label));
    }
}

static void draw_times(const struct sheet *s, const rc_svg_box *plot)
{
    const unsigned steps = s->columns > 3 ? X_STEPS_NARROW : X_STEPS;
    const uint64_t step = rc_chart_time_step(s->length_ms, steps);
    for (uint64_t at = 0; at <= s->length_ms; at += step) {
        const int64_t x = x_of(s, plot, at);
        char scratch[LABEL_MAX];
        rc_buf label;
        rc_buf_init_fixed(&label, scratch, sizeof(scratch));
        rc_chart_push_time(&label, at, step);
        rc_svg_line(s->buf, x, plot->y + plot->height, x, plot->y + plot->height + 40, "axis");
        rc_svg_text(s->buf, x, plot->y + plot->height + 170, RC_SVG_MIDDLE, "tick",
                    rc_buf_get(&label));
    }
}

/* Returns the x position of a step's value, the middle of the step. */
static int64_t step_x(const struct sheet *s, const rc_svg_box *plot, size_t step)
{
    return x_of(s, plot, (uint64_t)step * s->chart->step_ms + s->chart->step_ms / 2);
}

/* Returns the end of the run of steps without a gap that begins at `from`. The end itself is not in
 * the run. */
static size_t run_end(const struct sheet *s, const int64_t *values, size_t from)
{
    size_t end = from;
    while (end < s->chart->step_count && values[end] != RC_CHART_GAP)
        end++;
    return end;
}

static void draw_run(const struct sheet *s, const rc_svg_box *plot, const int64_t *values,
                     size_t from, size_t end)
{
    for (size_t i = from; i < end; i++)
        rc_svg_path_point(s->buf, i == from ? 'M' : 'L', step_x(s, plot, i),
                          y_of(s, plot, values[i]));
}

static void draw_line(const struct sheet *s, const rc_svg_box *plot, const int64_t *values,
                      const char *css)
{
    rc_svg_path_begin(s->buf, css);
    for (size_t at = 0; at < s->chart->step_count; at++) {
        const size_t end = run_end(s, values, at);
        draw_run(s, plot, values, at, end);
        at = end;
    }
    rc_svg_path_end(s->buf);
}

static void draw_area(const struct sheet *s, const rc_svg_box *plot, const int64_t *values,
                      const char *css)
{
    const int64_t bottom = plot->y + plot->height;
    rc_svg_path_begin(s->buf, css);
    for (size_t at = 0; at < s->chart->step_count; at++) {
        const size_t end = run_end(s, values, at);
        if (end > at) {
            draw_run(s, plot, values, at, end);
            rc_svg_path_point(s->buf, 'L', step_x(s, plot, end - 1), bottom);
            rc_svg_path_point(s->buf, 'L', step_x(s, plot, at), bottom);
            rc_buf_push_byte(s->buf, 'Z');
        }
        at = end;
    }
    rc_svg_path_end(s->buf);
}

static void draw_panel(const struct sheet *s, const rc_chart_panel *panel, const rc_svg_box *plot)
{
    const int64_t head = plot->y - 100;
    const int64_t note = rc_svg_text_width(panel->note);
    rc_svg_name(s->buf, plot->x - GUTTER + 60, head, RC_SVG_START, panel->is_ours, panel->name,
                GUTTER + plot->width - note - 100);
    rc_svg_text(s->buf, plot->x + plot->width, head, RC_SVG_END, "soft", panel->note);
    draw_bands(s, plot);
    draw_scale(s, plot);
    draw_area(s, plot, panel->values, panel->is_ours ? "area ours" : "area");
    if (s->chart->reference != NULL)
        draw_line(s, plot, s->chart->reference, "beside");
    draw_line(s, plot, panel->values, panel->is_ours ? "line ours" : "line");
    draw_times(s, plot);
}

static void draw_legend(const struct sheet *s, const rc_svg_labels *labels)
{
    int64_t x = RC_SVG_MARGIN;
    const int64_t y = 880;
    if (labels->band.len > 0) {
        rc_svg_rect(s->buf, &(rc_svg_box){x, y - 90, 220, 110}, 20, "band");
        rc_svg_text(s->buf, x + 300, y, RC_SVG_START, "soft", labels->band);
        x += 300 + rc_svg_text_width(labels->band) + 260;
    }
    if (labels->reference.len > 0) {
        rc_svg_line(s->buf, x, y - 40, x + 220, y - 40, "beside");
        rc_svg_text(s->buf, x + 300, y, RC_SVG_START, "soft", labels->reference);
    }
}

/* Returns the number of columns of panels, at most four, chosen so that the rows are full if
 * possible: four panels are two rows of two, seven are four and three. */
static size_t columns_for(size_t panels)
{
    if (panels <= 2 || panels == 4)
        return panels == 1 ? 1 : 2;
    return panels == 7 || panels == 8 || panels > 9 ? 4 : 3;
}

void rc_svg_chart(rc_buf *buf, const rc_chart *chart, const rc_svg_labels *labels)
{
    struct sheet s = {
        .buf = buf,
        .chart = chart,
        .scale = rc_chart_scale_of(chart, Y_STEPS),
        .length_ms = length_of(chart),
        .columns = columns_for(chart->panel_count),
    };
    const int64_t row_height = PANEL_HEAD + PANEL_HEIGHT + PANEL_FOOT;
    const size_t rows = (chart->panel_count + s.columns - 1) / s.columns;
    const int64_t columns = (int64_t)s.columns;
    const int64_t panels_width = RC_SVG_WIDTH - 2 * RC_SVG_MARGIN - (columns - 1) * PANEL_GAP;
    const int64_t cell = panels_width / columns;

    rc_svg_open(buf, RC_SVG_HEAD + (int64_t)rows * row_height, chart->title, chart->subtitle,
                labels->scenario);
    draw_legend(&s, labels);
    for (size_t i = 0; i < chart->panel_count; i++) {
        const int64_t left = RC_SVG_MARGIN + (int64_t)(i % s.columns) * (cell + PANEL_GAP);
        const int64_t top = RC_SVG_HEAD + (int64_t)(i / s.columns) * row_height + PANEL_HEAD;
        draw_panel(&s, &chart->panels[i],
                   &(rc_svg_box){left + GUTTER, top, cell - GUTTER, PANEL_HEIGHT});
    }
    rc_svg_close(buf);
}
