/* rc_panel: a box of lines that are all exactly as wide as the terminal.
 *
 *   ╭─ title ─────────────── tag ─╮    open
 *   │ text                        │    text
 *   │ Label   text                │    field
 *   ├─ heading ───────────────────┤    section
 *   ╰─────────────────────────────╯    close
 *
 * All text is made visible and wrapped to fit (wrap.h). The only control bytes in the output are
 * line feeds and, with colour, the panel's own escape sequences; each line ends with its colours
 * reset. */
#ifndef RC_RENDER_PANEL_H
#define RC_RENDER_PANEL_H

#include <recourse/buf.h>
#include <recourse/render.h>
#include <recourse/str.h>

#include "render/pen.h"

#define RC_PANEL_WIDTH_MIN 20u
#define RC_PANEL_WIDTH_MAX 200u

typedef struct rc_panel {
    rc_pen pen;
    unsigned inner; /* Columns of the text inside the box. */
    rc_tone frame;
} rc_panel;

/* Sets width, colours and the tone of the frame. style: borrows during the call. buf: borrows until
 * the panel is closed. */
void rc_panel_init(rc_panel *panel, const rc_panel_style *style, rc_tone frame, rc_buf *buf);

/* Write the first line, a section line, an empty line and the last line. open returns false if the
 * tag did not fit beside the title and was left out. */
bool rc_panel_open(rc_panel *panel, rc_str title, rc_str tag);
void rc_panel_section(rc_panel *panel, rc_str heading);
void rc_panel_blank(rc_panel *panel);
void rc_panel_close(rc_panel *panel);

/* Whether the panel is too narrow for labels beside their texts and for tables. */
bool rc_panel_is_narrow(const rc_panel *panel);

/* Layout of a text. */
typedef struct rc_panel_block {
    rc_tone tone;
    unsigned indent; /* Columns; at least RC_VISIBLE_CHAR_WIDTH_MAX must remain for the text. */
    rc_str first;    /* Text in the indentation of the first line; not wider than `indent`. */
    rc_tone first_tone;
    unsigned max_lines; /* One more line counts the rest; 0: RC_PANEL_LINES_MAX. */
} rc_panel_block;

/* More lines than any text of a report needs, unless it consists of line breaks. */
#define RC_PANEL_LINES_MAX 600u

/* Writes text, wrapped into lines. */
void rc_panel_text(rc_panel *panel, const rc_panel_block *block, rc_str text);

/* Writes "… 12 more bytes" in place of the text that was left out. */
void rc_panel_more(rc_panel *panel, unsigned indent, size_t count, rc_str what);

/* Writes a label and its text; an empty label continues the field above. An empty text writes
 * nothing. */
void rc_panel_field(rc_panel *panel, rc_str label, rc_tone tone, rc_str text);

/* Columns between the cells of a table. */
#define RC_PANEL_GAP 2u

/* Writes a table row: each cell is cut to its column; the last one is wrapped in the remaining
 * width. */
typedef struct rc_panel_cell {
    rc_str text;
    unsigned width; /* Columns; ignored for the last cell. */
} rc_panel_cell;
void rc_panel_row(rc_panel *panel, rc_tone tone, const rc_panel_cell *cells, size_t count);

#endif
