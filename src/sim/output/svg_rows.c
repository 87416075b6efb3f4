/* Draws one row per policy as SVG: a bar that is divided into parts, or points on a logarithmic
 * axis. Called by recourse simulate. */
#include "sim/output/svg.h"

#include "sim/output/svg_parts.h"

#define ROW_HEIGHT 380
#define BAR_HEIGHT 180
#define NAME_WIDTH 1700 /* Space for names, left of the axis. */
#define VALUE_WIDTH 900 /* Space for values, right of the axis. */
#define FOOT 560
#define X_STEPS 6
#define LABEL_MAX 64

struct sheet {
    rc_buf *buf;
    const rc_chart_rows *rows;
    rc_svg_box plot;
    rc_chart_scale scale; /* Scale of the axis for bars. */
    unsigned decades;     /* Number of decades of the axis for points. */
};

static int64_t x_of(const struct sheet *s, int64_t value)
{
    if (s->rows->is_points)
        return s->plot.x + rc_chart_log_position(value, s->decades, s->plot.width);
    return s->plot.x + value * s->plot.width / s->scale.top;
}

static void draw_tick(const struct sheet *s, int64_t value, bool is_first)
{
    char scratch[LABEL_MAX];
    rc_buf label;
    const int64_t x = x_of(s, value);
    rc_buf_init_fixed(&label, scratch, sizeof(scratch));
    if (is_first && s->rows->is_points)
        /* The sign "at most" (U+2264), because a logarithmic axis has no zero. */
        rc_buf_push(&label, RC_STR("\xE2\x89\xA4 "));
    rc_chart_push_tick(&label, s->rows->unit, value);
    rc_svg_line(s->buf, x, s->plot.y, x, s->plot.y + s->plot.height, is_first ? "axis" : "rule");
    rc_svg_text(s->buf, x, s->plot.y + s->plot.height + 190, RC_SVG_MIDDLE, "tick",
                rc_buf_get(&label));
}

static void draw_axis(const struct sheet *s)
{
    if (!s->rows->is_points) {
        for (int64_t value = 0; value <= s->scale.top; value += s->scale.step)
            draw_tick(s, value, value == 0);
        return;
    }
    int64_t value = 10;
    for (unsigned i = 0; i <= s->decades; i++, value *= 10)
        draw_tick(s, value, i == 0);
}

static void draw_bar(const struct sheet *s, const rc_chart_row *row, int64_t middle)
{
    int64_t from = 0;
    for (size_t i = 0; i < s->rows->part_count; i++) {
        const int64_t x = x_of(s, from);
        const int64_t end = x_of(s, from + row->parts[i]);
        const char *css = i > 0 ? "waste" : row->is_ours ? "bar ours" : "bar";
        if (end > x)
            rc_svg_rect(s->buf, &(rc_svg_box){x, middle - BAR_HEIGHT / 2, end - x, BAR_HEIGHT}, 0,
                        css);
        from += row->parts[i];
    }
}

/* Draws one of a row's three points. The points are small, hollow and large, so that they can be
 * distinguished where they touch. */
static void draw_point(const struct sheet *s, int64_t x, int64_t y, size_t part, bool is_ours)
{
    const int64_t radius = part == 0 ? 26 : part == 1 ? 44 : 70;
    const char *solid = is_ours ? "dot ours" : "dot";
    const char *hollow = is_ours ? "ring ours" : "ring";
    rc_svg_dot(s->buf, x, y, radius, part == 1 ? hollow : solid);
}

static void draw_points(const struct sheet *s, const rc_chart_row *row, int64_t middle)
{
    const int64_t first = x_of(s, row->parts[0]);
    const int64_t last = x_of(s, row->parts[s->rows->part_count - 1]);
    if (last > first)
        rc_svg_line(s->buf, first, middle, last, middle, row->is_ours ? "span ours" : "span");
    for (size_t i = s->rows->part_count; i-- > 0;)
        draw_point(s, x_of(s, row->parts[i]), middle, i, row->is_ours);
}

static void draw_row(const struct sheet *s, const rc_chart_row *row, int64_t middle)
{
    char scratch[LABEL_MAX];
    rc_buf label;
    int64_t value = 0;
    for (size_t i = 0; i < s->rows->part_count; i++)
        value = s->rows->is_points ? row->parts[i] : value + row->parts[i];
    rc_buf_init_fixed(&label, scratch, sizeof(scratch));
    rc_chart_push_value(&label, s->rows->unit, value);

    rc_svg_name(s->buf, s->plot.x - 160, middle + 45, RC_SVG_END, row->is_ours, row->name,
                s->plot.x - 160 - 100);
    if (s->rows->is_points)
        draw_points(s, row, middle);
    else
        draw_bar(s, row, middle);
    rc_svg_text(s->buf, x_of(s, value) + 120, middle + 45, RC_SVG_START, "soft halo",
                rc_buf_get(&label));
}

static int64_t draw_key(const struct sheet *s, int64_t x, size_t part)
{
    const int64_t y = 880;
    if (s->rows->is_points)
        draw_point(s, x + 60, y - 40, part, false);
    else
        rc_svg_rect(s->buf, &(rc_svg_box){x, y - 90, 110, 110}, 20, part > 0 ? "waste" : "bar");
    rc_svg_text(s->buf, x + 190, y, RC_SVG_START, "soft", s->rows->part_names[part]);
    return x + 190 + rc_svg_text_width(s->rows->part_names[part]) + 220;
}

void rc_svg_rows(rc_buf *buf, const rc_chart_rows *rows, const rc_svg_labels *labels)
{
    const int64_t highest = rc_chart_rows_highest(rows);
    struct sheet s = {
        .buf = buf,
        .rows = rows,
        .plot = {RC_SVG_MARGIN + NAME_WIDTH, RC_SVG_HEAD,
                 RC_SVG_WIDTH - 2 * RC_SVG_MARGIN - NAME_WIDTH - VALUE_WIDTH,
                 (int64_t)rows->row_count * ROW_HEIGHT},
        .scale = rc_chart_scale_make(highest, X_STEPS),
        .decades = rc_chart_decades(highest),
    };
    rc_svg_open(buf, RC_SVG_HEAD + s.plot.height + FOOT, rows->title, rows->subtitle,
                labels->scenario);
    int64_t x = RC_SVG_MARGIN;
    for (size_t i = 0; i < rows->part_count; i++)
        x = draw_key(&s, x, i);
    draw_axis(&s);
    if (rows->reference > 0)
        rc_svg_line(buf, x_of(&s, rows->reference), s.plot.y, x_of(&s, rows->reference),
                    s.plot.y + s.plot.height, "mark");
    for (size_t i = 0; i < rows->row_count; i++)
        draw_row(&s, &rows->rows[i], s.plot.y + (int64_t)i * ROW_HEIGHT + ROW_HEIGHT / 2);
    rc_svg_close(buf);
}
