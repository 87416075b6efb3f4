/* rc_pen: writes toned text to a terminal, line by line, and counts the columns.
 *
 * All text is made visible (wrap.h), so none can send a control sequence to the terminal. Spaces
 * are written when text follows them: no line ends in spaces. A tone's sequence is written where
 * the tone changes, and each line ends with its colours reset. */
#ifndef RC_RENDER_PEN_H
#define RC_RENDER_PEN_H

#include <recourse/buf.h>
#include <recourse/render.h>

#include "render/symbol.h"
#include "render/tone.h"
#include "render/wrap.h"

/* Caller's storage. */
typedef struct rc_pen {
    rc_buf *buf;
    unsigned width;  /* Columns of the terminal, where rc_pen_wrap breaks lines. */
    unsigned column; /* Columns of the current line so far, with `spaces`. */
    unsigned spaces; /* Columns that are not written yet. */
    rc_tone tone;    /* Tone of the text written last. */
    bool has_colour;
    bool has_utf8;
} rc_pen;

/* style: copies width, colour and UTF-8. buf: borrows until the last line has ended. */
void rc_pen_init(rc_pen *pen, const rc_panel_style *style, rc_buf *buf);

/* Append text; in at most max columns, with "…" at the cut; or a symbol. Line feeds become
 * spaces. */
void rc_pen_text(rc_pen *pen, rc_tone tone, rc_str text);
void rc_pen_cut(rc_pen *pen, rc_tone tone, rc_str text, unsigned max);
void rc_pen_symbol(rc_pen *pen, rc_tone tone, rc_symbol symbol);

/* Advance to a column (a pen that is beyond it stays there), or by some columns. */
void rc_pen_to(rc_pen *pen, unsigned column);
void rc_pen_skip(rc_pen *pen, unsigned columns);

void rc_pen_end_line(rc_pen *pen);

/* Appends text that begins at the current column and continues at `indent` of further lines. Ends
 * the last line, also when the text is empty. */
void rc_pen_wrap(rc_pen *pen, rc_tone tone, unsigned indent, rc_str text);

/* The same for the rest of a text that was begun, in at most max_lines; nothing when nothing is
 * left. Returns whether that was all of it. */
bool rc_pen_wrap_rest(rc_pen *pen, rc_tone tone, unsigned indent, rc_wrap *rest,
                      unsigned max_lines);

#endif
