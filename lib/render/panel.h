/* rc_panel: a box of lines that are all exactly as wide as the terminal.
 *
 *   ╭─ title ─────────────── tag ─╮    rc_panel_open
 *   │ text                        │    rc_panel_text
 *   │ Label   text                │    rc_panel_field
 *   ├─ heading ───────────────────┤    rc_panel_section
 *   ╰─────────────────────────────╯    rc_panel_close
 *
 * All text is written with visible characters only and wrapped to the panel's width (wrap.h). The
 * only control bytes in the output are line feeds and, with colour, the panel's own escape
 * sequences. Colours are reset at the end of each line. */
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
    unsigned inner; /* Number of columns for text inside the box. */
    rc_tone frame;
} rc_panel;

/* Initialises a panel with its width, its colours and the tone of its frame. style: borrows during
 * the call. buf: borrows until the panel is closed. */
void rc_panel_init(rc_panel *panel, const rc_panel_style *style, rc_tone frame, rc_buf *buf);

/* rc_panel_open writes the first line, rc_panel_section a section line, rc_panel_blank an empty
 * line, rc_panel_close the last line. rc_panel_open returns false if the tag was left out because
 * it did not fit beside the title. */
bool rc_panel_open(rc_panel *panel, rc_str title, rc_str tag);
void rc_panel_section(rc_panel *panel, rc_str heading);
void rc_panel_blank(rc_panel *panel);
void rc_panel_close(rc_panel *panel);

/* Returns whether the panel is too narrow for tables and for labels next to their texts. */
bool rc_panel_is_narrow(const rc_panel *panel);

/* Layout of a text. */
typedef struct rc_panel_block {
    rc_tone tone;
    unsigned indent; /* Columns before the text; at least RC_VISIBLE_CHAR_WIDTH_MAX columns must
                        remain for the text. */
    rc_str first;    /* Text that is written within the indentation of the first line; at most
                        `indent` columns wide. */
    rc_tone first_tone;
    unsigned max_lines; /* Maximum number of lines; 0: RC_PANEL_LINES_MAX. If the text is longer, an
                           additional line shows how much was left out. */
} rc_panel_block;

/* Default maximum number of lines. Only a text that consists of line breaks is longer. */
#define RC_PANEL_LINES_MAX 600u

/* Writes the text, wrapped into lines. block, text: borrows during the call. */
void rc_panel_text(rc_panel *panel, const rc_panel_block *block, rc_str text);

/* Writes a line such as "… 12 more bytes" in place of text that was left out. */
void rc_panel_more(rc_panel *panel, unsigned indent, size_t count, rc_str what);

/* Writes a label and its text. If the label is empty, the text continues the field above. Writes
 * nothing if the text is empty. */
void rc_panel_field(rc_panel *panel, rc_str label, rc_tone tone, rc_str text);

/* Number of columns between the cells of a table. */
#define RC_PANEL_GAP 2u

/* rc_panel_row: writes a table row. Each cell is cut to the width of its column, except the last
 * cell, which is wrapped within the remaining width. */
typedef struct rc_panel_cell {
    rc_str text;
    unsigned width; /* Width of the column; ignored for the last cell. */
} rc_panel_cell;
void rc_panel_row(rc_panel *panel, rc_tone tone, const rc_panel_cell *cells, size_t count);

#endif
