/* Aligned tables for the terminal; called by the commands `audit` and `doctor`. */
#include "ui/grid.h"

#include <string.h>

#include "render/wrap.h"

#define GAP 2u
#define INDENT 4u
#define TEXT_MAX ((size_t)64 << 20)

typedef struct cell {
    size_t start;
    size_t len;
    rc_colour colour;
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
    grid->width = style->width;
    grid->has_colour = style->has_colour;
    grid->has_utf8 = style->has_utf8;
}

void rc_grid_done(rc_grid *grid)
{
    rc_buf_done(&grid->text);
    rc_buf_done(&grid->cells);
}

static void end_cell(rc_grid *grid, rc_colour colour, bool is_line)
{
    const size_t end = rc_buf_get(&grid->text).len;
    const cell made = {.start = grid->cell_start,
                       .len = end - grid->cell_start,
                       .colour = colour,
                       .is_line = is_line};
    rc_buf_push(&grid->cells, rc_str_make((const char *)&made, sizeof(made)));
    grid->cell_start = end;
}

void rc_grid_cell(rc_grid *grid, rc_colour colour)
{
    end_cell(grid, colour, false);
}

void rc_grid_line(rc_grid *grid, rc_colour colour)
{
    end_cell(grid, colour, true);
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

/* Narrows the widest column that may be cut by one; false: no column may be cut further. */
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

/* Hides the visible column of the highest rank; false: all remaining columns must stay. */
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
        while (total_width(grid) > grid->width && cut_one(grid))
            ;
    } while (total_width(grid) > grid->width && drop_one(grid, natural));
}

static void measure(rc_grid *grid)
{
    unsigned natural[RC_GRID_COLUMNS_MAX] = {0};
    size_t column = 0;
    if (grid->column_count == 0)
        return;
    for (size_t i = 0; i < grid->column_count; i++)
        natural[i] = rc_visible_width(rc_str_c(grid->columns[i].title), grid->has_utf8);
    for (size_t i = 0; i < cell_count(grid); i++) {
        const cell at = cell_at(grid, i);
        if (at.is_line)
            continue;
        const unsigned width = rc_visible_width(text_of(grid, &at), grid->has_utf8);
        if (width > natural[column])
            natural[column] = width;
        column = (column + 1) % grid->column_count;
    }
    fit(grid, natural);
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

static const char *const colours[] = {
    [RC_COLOUR_PLAIN] = "",  [RC_COLOUR_FAINT] = "2", [RC_COLOUR_STRONG] = "1",
    [RC_COLOUR_GOOD] = "32", [RC_COLOUR_WARN] = "33", [RC_COLOUR_BAD] = "31",
};

void rc_colour_begin(rc_buf *buf, rc_colour colour, bool has_colour)
{
    if (!has_colour || colour == RC_COLOUR_PLAIN)
        return;
    rc_buf_push(buf, RC_STR("\033["));
    rc_buf_push(buf, rc_str_c(colours[colour]));
    rc_buf_push_byte(buf, 'm');
}

void rc_colour_end(rc_buf *buf, rc_colour colour, bool has_colour)
{
    if (has_colour && colour != RC_COLOUR_PLAIN)
        rc_buf_push(buf, RC_STR("\033[0m"));
}

/* One output line. Spaces are held back until text follows them, so that no line ends in spaces. */
typedef struct line {
    const rc_grid *grid;
    rc_buf *buf;
    unsigned spaces;
    bool is_begun;
} line;

static void push_text(line *l, rc_colour colour, rc_str text, unsigned width)
{
    if (text.len == 0) {
        l->spaces += width;
        return;
    }
    for (; l->spaces > 0; l->spaces--)
        rc_buf_push_byte(l->buf, ' ');
    rc_colour_begin(l->buf, colour, l->grid->has_colour);
    const unsigned used = rc_visible_push_cut(l->buf, text, width, l->grid->has_utf8);
    rc_colour_end(l->buf, colour, l->grid->has_colour);
    l->spaces = width - used;
}

static void push_cell(line *l, size_t column, rc_colour colour, rc_str text)
{
    const unsigned width = l->grid->widths[column];
    if (width == 0)
        return;
    const unsigned natural = rc_visible_width(text, l->grid->has_utf8);
    l->spaces += l->is_begun ? GAP : 0;
    l->is_begun = true;
    const unsigned lead =
        l->grid->columns[column].is_right && natural < width ? width - natural : 0;
    l->spaces += lead;
    push_text(l, colour, text, width - lead);
}

static void end_line(line *l)
{
    rc_buf_push_byte(l->buf, '\n');
    l->spaces = 0;
    l->is_begun = false;
}

void rc_grid_push_titles(const rc_grid *grid, rc_buf *buf)
{
    line l = {.grid = grid, .buf = buf};
    for (size_t i = 0; i < grid->column_count; i++)
        push_cell(&l, i, RC_COLOUR_FAINT, rc_str_c(grid->columns[i].title));
    end_line(&l);
}

/* Writes a full-width line; continuation lines are indented. */
static void push_broken(line *l, rc_colour colour, rc_str text)
{
    const unsigned columns = l->grid->width > INDENT + RC_VISIBLE_CHAR_WIDTH_MAX
                                 ? l->grid->width - INDENT
                                 : RC_VISIBLE_CHAR_WIDTH_MAX;
    rc_wrap wrap;
    rc_wrap_line part;
    rc_wrap_init(&wrap, text, l->grid->has_utf8);
    for (unsigned width = columns + INDENT; rc_wrap_next(&wrap, width, &part); width = columns) {
        push_text(l, colour, part.text, width);
        end_line(l);
        l->spaces = INDENT;
    }
    l->spaces = 0;
}

static rc_status status_of(const rc_grid *grid)
{
    const rc_status status = rc_buf_status(&grid->text);
    return status != RC_OK ? status : rc_buf_status(&grid->cells);
}

rc_status rc_grid_push_rows(rc_grid *grid, rc_buf *buf)
{
    const rc_status status = status_of(grid);
    line l = {.grid = grid, .buf = buf};
    size_t column = 0;
    for (size_t i = 0; status == RC_OK && i < cell_count(grid); i++) {
        const cell at = cell_at(grid, i);
        if (at.is_line) {
            push_broken(&l, at.colour, text_of(grid, &at));
            continue;
        }
        push_cell(&l, column, at.colour, text_of(grid, &at));
        column = (column + 1) % grid->column_count;
        if (column == 0)
            end_line(&l);
    }
    rc_buf_reset(&grid->text);
    rc_buf_reset(&grid->cells);
    grid->cell_start = 0;
    return status;
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
    if (status_of(grid) == RC_OK) {
        measure(grid);
        if (has_rows(grid))
            rc_grid_push_titles(grid, buf);
    }
    return rc_grid_push_rows(grid, buf);
}
