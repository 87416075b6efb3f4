/* rc_pen: writes text with tones (colours by meaning, tone.h) to a terminal, line by line, and
 * counts the columns.
 *
 * All text is written with visible characters only (wrap.h), so that no text can send a control
 * sequence to the terminal. Spaces are written only when text follows them, so that no line ends in
 * spaces. The escape sequence of a tone is written where the tone changes. Colours are reset at the
 * end of each line. */
#ifndef RC_RENDER_PEN_H
#define RC_RENDER_PEN_H

#include <recourse/buf.h>
#include <recourse/render.h>

#include "render/symbol.h"
#include "render/tone.h"
#include "render/wrap.h"

/* A pen in the caller's storage. */
typedef struct rc_pen {
    rc_buf *buf;
    unsigned width;  /* Columns of the terminal. rc_pen_wrap breaks lines at this width. */
    unsigned column; /* Columns of the current line so far, including `spaces`. */
    unsigned spaces; /* Pending spaces, which are written when text follows. */
    rc_tone tone;    /* Tone of the text written last. */
    bool has_colour;
    bool has_utf8;
} rc_pen;

/* Initialises a pen. style: copies the width and the flags for colour and UTF-8. buf: borrows until
 * the last line has ended. */
void rc_pen_init(rc_pen *pen, const rc_panel_style *style, rc_buf *buf);

/* rc_pen_text appends a text. rc_pen_cut appends at most `max` columns of a text; a text that is
 * cut ends in "…". rc_pen_symbol appends a symbol. Line feeds in a text become spaces. */
void rc_pen_text(rc_pen *pen, rc_tone tone, rc_str text);
void rc_pen_cut(rc_pen *pen, rc_tone tone, rc_str text, unsigned max);
void rc_pen_symbol(rc_pen *pen, rc_tone tone, rc_symbol symbol);

/* rc_pen_to advances to a column, unless the pen is already beyond that column. rc_pen_skip
 * advances by a number of columns. */
void rc_pen_to(rc_pen *pen, unsigned column);
void rc_pen_skip(rc_pen *pen, unsigned columns);

void rc_pen_end_line(rc_pen *pen);

/* Appends a text, broken into lines. The text begins at the current column; further lines begin at
 * column `indent`. The last line is ended, even if the text is empty. */
void rc_pen_wrap(rc_pen *pen, rc_tone tone, unsigned indent, rc_str text);

/* Appends at most `max_lines` of the remaining lines of a text whose first lines were already
 * written. Appends nothing if no text remains. Returns whether the whole text has been written.
 * rest: borrows during the call; afterwards `rest` begins after the written text. */
bool rc_pen_wrap_rest(rc_pen *pen, rc_tone tone, unsigned indent, rc_wrap *rest,
                      unsigned max_lines);

#endif
