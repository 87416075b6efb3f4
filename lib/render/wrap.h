/* Text for terminals: only visible characters, in lines of a given width.
 *
 * Representation of a character:
 *   as it is      letters, digits, marks, symbols, emoji (UTF-8 terminals); 0x20 to 0x7E (all)
 *   hidden        variation selectors, zero width joiner, skin tones: terminals disagree about the
 *                 width of sequences with them, and agree without them
 *   four spaces   the tab
 *   \u{XXXX}      control characters, bidirectional controls, invisible characters; on terminals
 *                 without UTF-8 every character that is not ASCII
 * No report can therefore move the cursor, change a colour, ring the bell, reorder or hide text. */
#ifndef RC_RENDER_WRAP_H
#define RC_RENDER_WRAP_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

/* Largest width of one character: \u{10FFFF}. Lines must not be narrower. */
#define RC_VISIBLE_CHAR_WIDTH_MAX 10u

/* Returns the columns of a character once it is made visible. */
unsigned rc_visible_char_width(uint32_t cp, bool has_utf8);

/* Appends the character, made visible. */
void rc_visible_push_char(rc_buf *buf, uint32_t cp, bool has_utf8);

/* Append a text as one line, with line feeds as spaces; or return its width in columns. */
void rc_visible_push(rc_buf *buf, rc_str text, bool has_utf8);
unsigned rc_visible_width(rc_str text, bool has_utf8);

/* As rc_visible_push, in at most max columns: a longer text ends in "…" or "...". Returns the
 * columns used. */
unsigned rc_visible_push_cut(rc_buf *buf, rc_str text, unsigned max, bool has_utf8);

/* State of breaking a text into lines, in the caller's storage. */
typedef struct rc_wrap {
    rc_str text;
    size_t at;
    bool has_utf8;
} rc_wrap;

typedef struct rc_wrap_line {
    rc_str text;    /* The line, for rc_visible_push; views the wrapped text. */
    unsigned width; /* Columns of the line, at most the requested width. */
} rc_wrap_line;

/* Starts at the beginning of text. text: borrows until the last line was used. */
void rc_wrap_init(rc_wrap *wrap, rc_str text, bool has_utf8);

/* Returns the next line, of at most width columns (width >= RC_VISIBLE_CHAR_WIDTH_MAX); false at
 * the end. Lines end at line feeds (a carriage return before one belongs to it), else at spaces,
 * which are then dropped, or beside a wide character, else within a word. */
bool rc_wrap_next(rc_wrap *wrap, unsigned width, rc_wrap_line *ret_line);

#endif
