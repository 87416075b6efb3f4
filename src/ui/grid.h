/* rc_grid: a table of aligned cells that fits the width of the terminal.
 *
 *   time      id              target           outcome
 *   02:22:43  01KE8V3Q5W-8ST  openai/gpt-4o    ✓ ok
 *
 * A cell is the text pushed to `text` since the previous cell ended. If the rows are wider than the
 * terminal, columns with a `min` are narrowed, the widest first. If that is not enough, whole
 * columns are hidden, the highest `rank` first. All text is escaped, so that no cell can send a
 * control sequence to the terminal. */
#ifndef RC_UI_GRID_H
#define RC_UI_GRID_H

#include <recourse/buf.h>
#include <recourse/render.h>

#include "render/pen.h"

#define RC_GRID_COLUMNS_MAX 16

typedef struct rc_grid_column {
    const char *title;
    const char *title_above; /* First line of a title of two lines; NULL: one line. */
    bool has_mark;           /* Cells in the tone RC_TONE_BEST end in an asterisk. */
    bool is_right;           /* Right-aligned, for numbers. */
    unsigned min;   /* Smallest width to which the column may be narrowed; 0: the column is never
                     * narrowed. */
    unsigned rank;  /* On a narrow terminal the column with the highest rank is hidden first; 0: the
                     * column is never hidden. */
    unsigned usual; /* Width used by rc_grid_fix, when rows are printed one by one. */
} rc_grid_column;

/* Caller's storage. Callers push to `text`; all other members are private. */
typedef struct rc_grid {
    rc_buf text;
    rc_buf cells;
    const rc_grid_column *columns;
    size_t column_count;
    size_t cell_start;
    unsigned widths[RC_GRID_COLUMNS_MAX]; /* 0: the column is hidden. */
    rc_panel_style style;
} rc_grid;

/* Initialises an empty table. columns: borrows until rc_grid_done. style, alloc: copies the
 * structs. */
void rc_grid_init(rc_grid *grid, const rc_grid_column *columns, size_t count,
                  const rc_panel_style *style, const rc_alloc *alloc);
void rc_grid_done(rc_grid *grid);

/* Ends a cell, whose text was pushed to grid->text. A row has one cell for each column. */
void rc_grid_cell(rc_grid *grid, rc_tone tone);

/* Ends a full-width line between two rows, made of the text pushed since the last cell. A long text
 * is wrapped; an empty text makes a blank line. */
void rc_grid_line(rc_grid *grid, rc_tone tone);

/* Appends the titles (if any column has one and there is a row) and all rows to buf. Returns the
 * status of the grid's own memory; the buffer has its own status. */
rc_status rc_grid_push(rc_grid *grid, rc_buf *buf);

/* Appends titles and rows like rc_grid_push, but hides no column: the columns that do not fit
 * continue in a second table below, which repeats the first column. The first column is cut to a
 * third of the width. */
rc_status rc_grid_push_folded(rc_grid *grid, rc_buf *buf);

/* The next functions are for rows that are printed one by one. rc_grid_fix sets the columns to
 * their `usual` widths and fits them to the terminal; rc_grid_push_titles appends the titles;
 * rc_grid_push_rows appends the rows added since its last call and removes them from the grid. */
void rc_grid_fix(rc_grid *grid);
void rc_grid_push_titles(const rc_grid *grid, rc_buf *buf);
rc_status rc_grid_push_rows(rc_grid *grid, rc_buf *buf);

/* Returns whether the column is visible. Valid after rc_grid_fix or rc_grid_push. */
bool rc_grid_shows(const rc_grid *grid, size_t column);

#endif
