/* Aligned tables for the terminal; called by the commands `audit`, `config`, `errors` and
 * `simulate`. */
#include "ui/grid.h"

#include <string.h>

#define GAP 2u
#define INDENT 4u
#define TEXT_MAX ((size_t)64 << 20)

typedef struct cell {
    size_t start;
    size_t len;
    rc_tone tone;
    bool is_line;
} cell;

void rc_grid_init(rc_grid *grid, const rc_grid_column *columns, size_t count,
                  const rc_panel_style *style, const rc_alloc *alloc)
{
    memset(grid, 0, sizeof(*grid));
    rc_buf_init(&grid->text, alloc, TEXT_MAX);
    rc_buf_init(&grid->cells, alloc, TEXT_MAX);
    grid->columns = columns;
    grid->column_count = count;
    grid->style = *style;
}

void rc_grid_done(rc_grid *grid)
{
    rc_buf_done(&grid->text);
    rc_buf_done(&grid->cells);
}

static void end_cell(rc_grid *grid, rc_tone tone, bool is_line)
{
    const size_t end = rc_buf_get(&grid->text).len;
    const cell made = {
        .start = grid->cell_start, .len = end - grid->cell_start, .tone = tone, .is_line = is_line};
    rc_buf_push(&grid->cells, rc_str_make((const char *)&made, sizeof(made)));
    grid->cell_start = end;
}

void rc_grid_cell(rc_grid *grid, rc_tone tone)
{
    end_cell(grid, tone, false);
}

void rc_grid_line(rc_grid *grid, rc_tone tone)
{
    end_cell(grid, tone, true);
}

static size_t cell_count(const rc_grid *grid)
{
    return rc_buf_get(&grid->cells).len / sizeof(cell);
}

static cell cell_at(const rc_grid *grid, size_t index)
{
    cell found;
    memcpy(&found, rc_buf_get(&grid->cells).ptr + index * sizeof(found), sizeof(found));
    return found;
}

static rc_str text_of(const rc_grid *grid, const cell *of)
{
    return rc_str_make(rc_buf_get(&grid->text).ptr + of->start, of->len);
}

/* ---- widths ---- */

static unsigned total_width(const rc_grid *grid)
{
    unsigned total = 0;
    for (size_t i = 0; i < grid->column_count; i++)
        if (grid->widths[i] > 0)
            total += grid->widths[i] + (total > 0 ? GAP : 0);
    return total;
}

/* Narrows by one the widest of the columns that may be cut. Returns false if no column may be cut
 * further. */
static bool cut_one(rc_grid *grid)
{
    size_t widest = grid->column_count;
    for (size_t i = 0; i < grid->column_count; i++) {
        const unsigned min = grid->columns[i].min;
        if (min == 0 || grid->widths[i] <= min)
            continue;
        if (widest == grid->column_count || grid->widths[i] > grid->widths[widest])
            widest = i;
    }
    if (widest == grid->column_count)
        return false;
    grid->widths[widest]--;
    return true;
}

/* Hides the visible column of the highest rank. Returns false if no visible column may be
 * hidden. */
static bool drop_one(rc_grid *grid, unsigned natural[RC_GRID_COLUMNS_MAX])
{
    size_t highest = grid->column_count;
    for (size_t i = 0; i < grid->column_count; i++) {
        if (natural[i] == 0 || grid->columns[i].rank == 0)
            continue;
        if (highest == grid->column_count || grid->columns[i].rank > grid->columns[highest].rank)
            highest = i;
    }
    if (highest == grid->column_count)
        return false;
    natural[highest] = 0;
    return true;
}

static void fit(rc_grid *grid, unsigned natural[RC_GRID_COLUMNS_MAX])
{
    do {
        memcpy(grid->widths, natural, sizeof(grid->widths));
        while (total_width(grid) > grid->style.width && cut_one(grid))
            ;
    } while (total_width(grid) > grid->style.width && drop_one(grid, natural));
}

static unsigned title_width(const rc_grid *grid, const rc_grid_column *column)
{
    const unsigned width = rc_visible_width(rc_str_c(column->title), grid->style.has_utf8);
    const unsigned above = rc_visible_width(rc_str_c(column->title_above), grid->style.has_utf8);
    return above > width ? above : width;
}

static void measure(const rc_grid *grid, unsigned natural[RC_GRID_COLUMNS_MAX])
{
    size_t column = 0;
    if (grid->column_count == 0)
        return;
    for (size_t i = 0; i < grid->column_count; i++)
        natural[i] = title_width(grid, &grid->columns[i]);
    for (size_t i = 0; i < cell_count(grid); i++) {
        const cell at = cell_at(grid, i);
        if (at.is_line)
            continue;
        const unsigned width = rc_visible_width(text_of(grid, &at), grid->style.has_utf8);
        if (width > natural[column])
            natural[column] = width;
        column = (column + 1) % grid->column_count;
    }
    for (size_t i = 0; i < grid->column_count; i++)
        natural[i] += grid->columns[i].has_mark ? 1 : 0;
}

void rc_grid_fix(rc_grid *grid)
{
    unsigned natural[RC_GRID_COLUMNS_MAX] = {0};
    for (size_t i = 0; i < grid->column_count; i++)
        natural[i] = grid->columns[i].usual;
    fit(grid, natural);
}

bool rc_grid_shows(const rc_grid *grid, size_t column)
{
    return grid->widths[column] > 0;
}

/* ---- lines ---- */

static void push_cell(const rc_grid *grid, rc_pen *pen, size_t column, rc_tone tone, rc_str text)
{
    const rc_grid_column *of = &grid->columns[column];
    if (grid->widths[column] == 0)
        return;
    const unsigned width = grid->widths[column] - (of->has_mark ? 1 : 0);
    const unsigned natural = rc_visible_width(text, pen->has_utf8);
    const unsigned start = pen->column > 0 ? pen->column + GAP : 0;
    rc_pen_to(pen, start + (of->is_right && natural < width ? width - natural : 0));
    rc_pen_cut(pen, tone, text, width);
    if (of->has_mark && tone == RC_TONE_BEST)
        rc_pen_text(pen, tone, RC_STR("*"));
    rc_pen_to(pen, start + grid->widths[column]);
}

static bool has_title_above(const rc_grid *grid)
{
    for (size_t i = 0; i < grid->column_count; i++)
        if (grid->widths[i] > 0 && grid->columns[i].title_above != NULL)
            return true;
    return false;
}

void rc_grid_push_titles(const rc_grid *grid, rc_buf *buf)
{
    rc_pen pen;
    rc_pen_init(&pen, &grid->style, buf);
    if (has_title_above(grid)) {
        for (size_t i = 0; i < grid->column_count; i++)
            push_cell(grid, &pen, i, RC_TONE_FAINT, rc_str_c(grid->columns[i].title_above));
        rc_pen_end_line(&pen);
    }
    for (size_t i = 0; i < grid->column_count; i++)
        push_cell(grid, &pen, i, RC_TONE_FAINT, rc_str_c(grid->columns[i].title));
    rc_pen_end_line(&pen);
}

static rc_status status_of(const rc_grid *grid)
{
    const rc_status status = rc_buf_status(&grid->text);
    return status != RC_OK ? status : rc_buf_status(&grid->cells);
}

static void push_rows(const rc_grid *grid, rc_buf *buf)
{
    size_t column = 0;
    rc_pen pen;
    rc_pen_init(&pen, &grid->style, buf);
    for (size_t i = 0; i < cell_count(grid); i++) {
        const cell at = cell_at(grid, i);
        if (at.is_line) {
            rc_pen_wrap(&pen, at.tone, INDENT, text_of(grid, &at));
            continue;
        }
        push_cell(grid, &pen, column, at.tone, text_of(grid, &at));
        column = (column + 1) % grid->column_count;
        if (column == 0)
            rc_pen_end_line(&pen);
    }
}

rc_status rc_grid_push_rows(rc_grid *grid, rc_buf *buf)
{
    const rc_status status = status_of(grid);
    if (status == RC_OK)
        push_rows(grid, buf);
    rc_buf_reset(&grid->text);
    rc_buf_reset(&grid->cells);
    grid->cell_start = 0;
    return status;
}

static bool has_titles(const rc_grid *grid)
{
    for (size_t i = 0; i < grid->column_count; i++)
        if (grid->columns[i].title[0] != '\0')
            return true;
    return false;
}

static bool has_rows(const rc_grid *grid)
{
    for (size_t i = 0; i < cell_count(grid); i++)
        if (!cell_at(grid, i).is_line)
            return true;
    return false;
}

rc_status rc_grid_push(rc_grid *grid, rc_buf *buf)
{
    unsigned natural[RC_GRID_COLUMNS_MAX] = {0};
    if (status_of(grid) == RC_OK) {
        measure(grid, natural);
        fit(grid, natural);
        if (has_titles(grid) && has_rows(grid))
            rc_grid_push_titles(grid, buf);
    }
    return rc_grid_push_rows(grid, buf);
}

rc_status rc_grid_push_folded(rc_grid *grid, rc_buf *buf)
{
    unsigned natural[RC_GRID_COLUMNS_MAX] = {0};
    const unsigned third = grid->style.width / 3;
    const unsigned most = third > grid->columns[0].min ? third : grid->columns[0].min;
    const rc_status status = status_of(grid);
    if (status != RC_OK)
        return status;
    measure(grid, natural);
    for (size_t at = 1; at < grid->column_count;) {
        if (at > 1)
            rc_buf_push_byte(buf, '\n');
        memset(grid->widths, 0, sizeof(grid->widths));
        grid->widths[0] = natural[0] < most ? natural[0] : most;
        do
            grid->widths[at] = natural[at];
        while (++at < grid->column_count &&
               total_width(grid) + GAP + natural[at] <= grid->style.width);
        rc_grid_push_titles(grid, buf);
        push_rows(grid, buf);
    }
    return RC_OK;
}
