/* rc_grid: rows of cells, aligned, that fit the terminal.
 *
 *   time      id              target           outcome
 *   02:22:43  01KE8V3Q5W-8ST  openai/gpt-4o    ✓ ok
 *
 * A cell is what was pushed to `text` since the one before it. Where the rows are wider than the
 * terminal, the columns that may be cut are cut, the widest first; then those of the highest rank
 * are left out. All text is made visible: nothing in it reaches the terminal as a command. */
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
    bool is_right;  /* numbers */
    unsigned min;   /* it may be cut down to this; 0: never cut */
    unsigned rank;  /* the highest is left out first, 0 never */
    unsigned usual; /* how wide it is when rows are shown as they come */
} rc_grid_column;

/* The caller's storage. Push to text; the rest is private. */
typedef struct rc_grid {
    rc_buf text;
    rc_buf cells;
    const rc_grid_column *columns;
    size_t column_count;
    size_t cell_start;
    unsigned widths[RC_GRID_COLUMNS_MAX]; /* 0: not shown */
    unsigned width;
    bool has_colour;
    bool has_utf8;
} rc_grid;

/* columns: borrows. style: width, colour and UTF-8 are copied. alloc: copies. */
void rc_grid_init(rc_grid *grid, const rc_grid_column *columns, size_t count,
                  const rc_panel_style *style, const rc_alloc *alloc);
void rc_grid_done(rc_grid *grid);

/* Ends a cell. A row has as many as there are columns. */
void rc_grid_cell(rc_grid *grid, rc_colour colour);

/* What was pushed is a line of its own between two rows, broken where it is too long. */
void rc_grid_line(rc_grid *grid, rc_colour colour);

/* Appends titles, if there is a row, and rows to buf. The status is that of the grid's own memory;
 * the buffer's is its own. */
rc_status rc_grid_push(rc_grid *grid, rc_buf *buf);

/* Rows as they come: the columns have their usual widths, and the flexible ones what is left. Then
 * rc_grid_push_rows appends what there is and forgets it. */
void rc_grid_fix(rc_grid *grid);
void rc_grid_push_titles(const rc_grid *grid, rc_buf *buf);
rc_status rc_grid_push_rows(rc_grid *grid, rc_buf *buf);

/* Is the column shown? After fix or push. */
bool rc_grid_shows(const rc_grid *grid, size_t column);

/* The sequence that begins an ink, and the one that ends it. Nothing without colour. */
void rc_colour_begin(rc_buf *buf, rc_colour colour, bool has_colour);
void rc_colour_end(rc_buf *buf, rc_colour colour, bool has_colour);

#endif
