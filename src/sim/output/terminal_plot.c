/* Plots success and load over time on a terminal. Called by recourse simulate. */
#include "sim/output/terminal_plot.h"

#include "render/wrap.h"

#define ROWS 4
#define LEVELS 8 /* Levels of a cell. */
#define GUTTER 7u
#define GAP 2u
/* On a narrower terminal the two charts of a policy are below each other. */
#define ABREAST_MIN 56u
#define COLUMNS_MAX 200u
#define LABEL_MAX 64
#define TIME_COLUMNS 9u /* Columns of a time on the axis. */

#define SGR_NONE ""
#define SGR_FAINT "2"
#define SGR_OURS "36"
#define SGR_OVER "33"
#define SGR_BAND "2;31"

/* Output state that both charts of a strip share. */
struct pen {
    rc_buf *buf;
    const char *sgr; /* Active SGR parameters. */
    /* Pending spaces, written before the next text so that no line ends in spaces. */
    unsigned spaces;
};

struct plot {
    struct pen *pen;
    const rc_table_style *style;
    const rc_chart *chart;
    rc_chart_scale scale;
    unsigned columns;
};

static bool is_abreast(const rc_table_style *style)
{
    return style->width >= ABREAST_MIN;
}

static unsigned columns_of(const rc_table_style *style)
{
    const unsigned width = is_abreast(style) ? (style->width - GAP) / 2 : style->width;
    const unsigned columns = width - GUTTER - 1;
    return columns < COLUMNS_MAX ? columns : COLUMNS_MAX;
}

size_t rc_terminal_plot_steps(const rc_table_style *style)
{
    return columns_of(style);
}

static void flush_spaces(const struct plot *p)
{
    for (; p->pen->spaces > 0; p->pen->spaces--)
        rc_buf_push_byte(p->pen->buf, ' ');
}

static void push_str(const struct plot *p, rc_str text)
{
    flush_spaces(p);
    rc_buf_push(p->pen->buf, text);
}

static void push_c(const struct plot *p, const char *text)
{
    push_str(p, rc_str_c(text));
}

static void push_spaces(const struct plot *p, unsigned count)
{
    p->pen->spaces += count;
}

static unsigned push_cut(const struct plot *p, rc_str text, unsigned width)
{
    flush_spaces(p);
    return rc_visible_push_cut(p->pen->buf, text, width, p->style->has_utf8);
}

static void end_line(const struct plot *p)
{
    p->pen->spaces = 0;
    rc_buf_push_byte(p->pen->buf, '\n');
}

/* Writes an escape sequence only where the colour changes. */
static void set_sgr(const struct plot *p, const char *sgr)
{
    if (!p->style->has_colour || p->pen->sgr == sgr)
        return;
    if (p->pen->sgr[0] != '\0')
        rc_buf_push(p->pen->buf, RC_STR("\033[0m"));
    if (sgr[0] != '\0') {
        push_c(p, "\033[");
        push_c(p, sgr);
        push_c(p, "m");
    }
    p->pen->sgr = sgr;
}

/* ---- cells ---- */

/* The step at the middle of a column. */
static size_t step_at(const struct plot *p, unsigned column)
{
    return (2 * (size_t)column + 1) * p->chart->step_count / (2 * (size_t)p->columns);
}

/* Whether the middle of the column is in a band, or the column contains a whole band shorter than
 * itself. */
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

/* The height of a value in levels, 0 to ROWS * LEVELS; a value above 0 has at least one. */
static int64_t level_of(const struct plot *p, int64_t value)
{
    if (value == RC_CHART_GAP || value <= 0)
        return 0;
    const int64_t level = (value * ROWS * LEVELS + p->scale.top / 2) / p->scale.top;
    if (level < 1)
        return 1;
    return level < ROWS * LEVELS ? level : ROWS * LEVELS;
}

static const char *glyph_of(const struct plot *p, int64_t fill, bool is_over)
{
    static const char *const blocks[LEVELS + 1] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const ascii[LEVELS + 1] = {" ", ".", ".", ":", ":", ":", "#", "#", "#"};
    if (fill == LEVELS && is_over)
        return p->style->has_utf8 ? "▒" : "%";
    return (p->style->has_utf8 ? blocks : ascii)[fill];
}

static void push_cell(const struct plot *p, const rc_chart_panel *panel, unsigned column,
                      int64_t floor)
{
    const size_t step = step_at(p, column);
    const int64_t above = level_of(p, panel->values[step]) - floor;
    const int64_t fill = above < 0 ? 0 : above < LEVELS ? above : LEVELS;
    if (fill == 0) {
        const bool is_shaded = p->style->has_utf8 && is_in_band(p, column);
        set_sgr(p, is_shaded ? SGR_BAND : SGR_NONE);
        if (is_shaded)
            push_c(p, "░");
        else
            push_spaces(p, 1);
        return;
    }
    const bool is_over =
        p->chart->reference != NULL && floor >= level_of(p, p->chart->reference[step]);
    set_sgr(p, is_over ? SGR_OVER : panel->is_ours ? SGR_OURS : SGR_NONE);
    push_c(p, glyph_of(p, fill, is_over));
}

/* ---- lines of a strip ---- */

static void push_gutter(const struct plot *p, const char *line, const rc_buf *label)
{
    const rc_str text = rc_buf_get(label);
    push_spaces(p, GUTTER > text.len ? GUTTER - (unsigned)text.len : 0);
    set_sgr(p, SGR_FAINT);
    push_str(p, text);
    push_c(p, line);
}

static void push_row(const struct plot *p, const rc_chart_panel *panel, unsigned row)
{
    char scratch[LABEL_MAX];
    rc_buf label;
    rc_buf_init_fixed(&label, scratch, sizeof(scratch));
    if (row == 0)
        rc_chart_push_tick(&label, p->chart->unit, p->scale.top);
    push_gutter(p, p->style->has_utf8 ? "│" : "|", &label);
    for (unsigned i = 0; i < p->columns; i++)
        push_cell(p, panel, i, (int64_t)(ROWS - 1 - row) * LEVELS);
    set_sgr(p, SGR_NONE);
}

static void push_axis(const struct plot *p)
{
    char scratch[LABEL_MAX];
    rc_buf label;
    rc_buf_init_fixed(&label, scratch, sizeof(scratch));
    rc_buf_push_byte(&label, '0');
    push_gutter(p, p->style->has_utf8 ? "└" : "+", &label);
    for (unsigned i = 0; i < p->columns; i++) {
        const bool is_band = is_in_band(p, i);
        set_sgr(p, is_band ? SGR_BAND : SGR_FAINT);
        if (p->style->has_utf8)
            push_c(p, is_band ? "━" : "─");
        else
            push_c(p, is_band ? "=" : "-");
    }
    set_sgr(p, SGR_NONE);
}

/* Writes the times below the axis; a time that does not fit is left out. */
static void push_times(const struct plot *p)
{
    const uint64_t length = p->chart->step_ms * p->chart->step_count;
    const uint64_t step = rc_chart_time_step(length, 1 + p->columns / TIME_COLUMNS);
    unsigned used = 0;
    set_sgr(p, SGR_FAINT);
    push_spaces(p, GUTTER + 1);
    for (uint64_t at = 0; at <= length; at += step) {
        char scratch[LABEL_MAX];
        rc_buf label;
        rc_buf_init_fixed(&label, scratch, sizeof(scratch));
        rc_chart_push_time(&label, at, step);
        const unsigned column_at = (unsigned)(at * p->columns / length);
        const unsigned len = (unsigned)rc_buf_get(&label).len;
        if (column_at < used + (used > 0 ? 1 : 0) || column_at + len > p->columns)
            continue;
        push_spaces(p, column_at - used);
        push_str(p, rc_buf_get(&label));
        used = column_at + len;
    }
    push_spaces(p, p->columns - used);
    set_sgr(p, SGR_NONE);
}

/* Writes name and number across the width of the plot: "recourse            99.1 %". */
static void push_head(const struct plot *p, const rc_chart_panel *panel, bool has_name)
{
    const unsigned width = GUTTER + 1 + p->columns;
    const unsigned note = (unsigned)panel->note.len;
    const unsigned name_max = width > note + 1 ? width - note - 1 : 0;
    unsigned used = 0;
    if (has_name && name_max > 0) {
        set_sgr(p, panel->is_ours ? SGR_OURS : SGR_NONE);
        used = push_cut(p, panel->name, name_max);
        set_sgr(p, SGR_NONE);
    }
    push_spaces(p, width > used + note ? width - used - note : 0);
    set_sgr(p, SGR_FAINT);
    push_str(p, panel->note);
    set_sgr(p, SGR_NONE);
}

/* ---- strips ---- */

/* Writes one line of a strip: line 0 is the head, the last one the axis. */
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
        if (is_abreast(left->style)) {
            push_spaces(left, GAP);
            push_line(right, panel, line, false);
        }
        end_line(left);
    }
    for (unsigned line = 0; line <= ROWS + 1 && !is_abreast(left->style); line++) {
        push_line(right, panel, line, false);
        end_line(right);
    }
}

static void push_all_times(const struct plot *left, const struct plot *right)
{
    push_times(left);
    if (is_abreast(left->style)) {
        push_spaces(left, GAP);
        push_times(right);
    }
    end_line(left);
}

static void push_titles(const struct plot *left, const struct plot *right)
{
    const unsigned width = GUTTER + 1 + left->columns;
    const unsigned used = push_cut(left, RC_STR("success, by arrival"), width);
    if (is_abreast(left->style))
        push_spaces(left, width - used + GAP);
    else
        end_line(left);
    push_cut(right, RC_STR("load: calls a second"), width);
    end_line(right);
}

static void push_legend(const struct plot *p, rc_str band)
{
    char scratch[LABEL_MAX * 3];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    if (band.len > 0) {
        rc_buf_push(&text, p->style->has_utf8 ? RC_STR("░━ ") : RC_STR("= "));
        rc_buf_push(&text, rc_str_make(band.ptr, band.len < LABEL_MAX ? band.len : LABEL_MAX));
        rc_buf_push(&text, RC_STR("   "));
    }
    rc_buf_push(&text, p->style->has_utf8 ? RC_STR("▒ ") : RC_STR("% "));
    rc_buf_push(&text, RC_STR("more calls than requests came in"));
    push_cut(p, rc_buf_get(&text), p->style->width);
    end_line(p);
}

void rc_terminal_plot_push(rc_buf *buf, const rc_chart_set *set, rc_str band,
                           const rc_table_style *style)
{
    struct pen pen = {.buf = buf, .sgr = SGR_NONE};
    struct plot success = {.pen = &pen, .style = style, .chart = &set->success};
    success.columns = columns_of(style);
    success.scale = rc_chart_scale_of(success.chart, ROWS);
    struct plot load = success;
    load.chart = &set->load;
    load.scale = rc_chart_scale_of(load.chart, ROWS);

    push_titles(&success, &load);
    for (size_t i = 0; i < set->success.panel_count; i++)
        push_strip(&success, &load, i);
    push_all_times(&success, &load);
    push_legend(&success, band);
}
