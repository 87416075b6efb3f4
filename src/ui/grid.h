/* rc_grid: a table of aligned cells that fits the width of the terminal.
 *
 *   time      id              target           outcome
 *   02:22:43  01KE8V3Q5W-8ST  openai/gpt-4o    ✓ ok
 *
 * A cell is the text pushed to `text` since the previous cell ended. When the rows are wider than
 * the terminal, columns with a `min` are narrowed, the widest first; then whole columns are hidden,
 * the highest rank first. All text is escaped: no cell can send a control sequence to the
 * terminal. */
#ifndef RC_UI_GRID_H
#define RC_UI_GRID_H

#include <recourse/buf.h>
#include <recourse/render.h>

#define RC_GRID_COLUMNS_MAX 16

typedef enum rc_colour {
    RC_COLOUR_PLAIN,
    RC_COLOUR_FAINT,
    RC_COLOUR_STRONG,
    RC_COLOUR_GOOD,
    RC_COLOUR_WARN,
    RC_COLOUR_BAD
} rc_colour;

typedef struct rc_grid_column {
    const char *title;
    bool is_right;  /* Right-aligned, for numbers. */
    unsigned min;   /* Smallest width to which the column may be narrowed; 0: never narrowed. */
    unsigned rank;  /* The highest rank is hidden first; 0: never hidden. */
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
    unsigned width;
    bool has_colour;
    bool has_utf8;
} rc_grid;

/* columns: borrows. style: copies width, colour and UTF-8. alloc: copies. */
void rc_grid_init(rc_grid *grid, const rc_grid_column *columns, size_t count,
                  const rc_panel_style *style, const rc_alloc *alloc);
void rc_grid_done(rc_grid *grid);

/* Ends a cell. A row has as many cells as there are columns. */
void rc_grid_cell(rc_grid *grid, rc_colour colour);

/* Ends a full-width line between two rows, made of the text pushed so far; wrapped if too long. */
void rc_grid_line(rc_grid *grid, rc_colour colour);

/* Appends the titles (if there is a row) and all rows to buf. Returns the status of the grid's own
 * memory; the buffer has its own status. */
rc_status rc_grid_push(rc_grid *grid, rc_buf *buf);

/* For rows that are printed one by one: rc_grid_fix sets the columns to their `usual` widths and
 * fits them to the terminal; rc_grid_push_rows then appends the rows so far and removes them. */
void rc_grid_fix(rc_grid *grid);
void rc_grid_push_titles(const rc_grid *grid, rc_buf *buf);
rc_status rc_grid_push_rows(rc_grid *grid, rc_buf *buf);

/* Is the column visible? Valid after rc_grid_fix or rc_grid_push. */
bool rc_grid_shows(const rc_grid *grid, size_t column);

/* Append the escape sequences that begin and end a colour; nothing when has_colour is false. */
void rc_colour_begin(rc_buf *buf, rc_colour colour, bool has_colour);
void rc_colour_end(rc_buf *buf, rc_colour colour, bool has_colour);

#endif
