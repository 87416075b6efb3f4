/* A panel: a box of lines that are all exactly as wide as the terminal.
 *
 *   ╭─ title ─────────────── tag ─╮    open
 *   │ text                        │    text
 *   │ Label   text                │    field
 *   ├─ heading ───────────────────┤    section
 *   ╰─────────────────────────────╯    close
 *
 * Everything that is written into it is made visible and broken to fit (render_wrap.h). The only
 * control bytes are line feeds and, with colour, the panel's own sequences; each line ends with its
 * colours reset. */
#ifndef RC_RENDER_PANEL_H
#define RC_RENDER_PANEL_H

#include <recourse/buf.h>
#include <recourse/render.h>
#include <recourse/str.h>

#define RC_PANEL_WIDTH_MIN 20u
#define RC_PANEL_WIDTH_MAX 200u

typedef enum rc_tone {
    RC_TONE_PLAIN,
    RC_TONE_STRONG,
    RC_TONE_DIM,
    RC_TONE_ACCENT
} rc_tone;

/* What the panel is about: its colour. */
typedef enum rc_panel_severity {
    RC_PANEL_FATAL,     /* red */
    RC_PANEL_RETRYABLE, /* yellow */
    RC_PANEL_NEUTRAL    /* no colour: somebody wanted it */
} rc_panel_severity;

typedef struct rc_panel {
    rc_buf *buf;
    unsigned width; /* of the whole line */
    unsigned inner; /* of the text in it */
    bool has_colour;
    bool has_utf8;
    rc_panel_severity severity;
} rc_panel;

/* buf: borrows until the panel is closed. */
void rc_panel_init(rc_panel *panel, const rc_panel_style *style, rc_panel_severity severity,
                   rc_buf *buf);

/* The first line. A tag that does not fit beside the title is left out: false. */
bool rc_panel_open(rc_panel *panel, rc_str title, rc_str tag);
void rc_panel_section(rc_panel *panel, rc_str heading);
void rc_panel_blank(rc_panel *panel);
void rc_panel_close(rc_panel *panel);

/* Is there room for labels beside their texts, and for tables? */
bool rc_panel_is_narrow(const rc_panel *panel);

/* How a text is set. */
typedef struct rc_panel_block {
    rc_tone tone;
    unsigned indent; /* columns; at least RC_VISIBLE_CHAR_WIDTH_MAX must be left */
    rc_str first;    /* stands in the indentation of the first line; no wider than that */
    rc_tone first_tone;
    unsigned max_lines; /* what does not fit is counted in one more line; 0: RC_PANEL_LINES_MAX */
} rc_panel_block;

/* More lines than any text of a report needs that is not made of line breaks. */
#define RC_PANEL_LINES_MAX 600u

/* Text over several lines. */
void rc_panel_text(rc_panel *panel, const rc_panel_block *block, rc_str text);

/* "… 12 more bytes", in the place of what is left out. */
void rc_panel_more(rc_panel *panel, unsigned indent, size_t count, rc_str what);

/* A label with its text; an empty label continues the field above. An empty text: nothing. */
void rc_panel_field(rc_panel *panel, rc_str label, rc_tone tone, rc_str text);

/* Columns between the cells of a table. */
#define RC_PANEL_GAP 2u

/* One row of a table: each cell is cut to its column; the last one is broken to the width that is
 * left. */
typedef struct rc_panel_cell {
    rc_str text;
    unsigned width; /* columns; of the last one, ignored */
} rc_panel_cell;
void rc_panel_row(rc_panel *panel, rc_tone tone, const rc_panel_cell *cells, size_t count);

#endif
