/* Text for a terminal: nothing but visible characters, in lines of a given width.
 *
 * What a character becomes:
 *   as it is      letters, digits, marks, symbols, emoji (UTF-8 terminals); 0x20 to 0x7E (all)
 *   hidden        variation selectors, the zero width joiner, skin tones: terminals disagree about
 *                 the width of what they join, and without them all agree
 *   four spaces   the tab
 *   \u{XXXX}      control characters, bidirectional controls, invisible characters; on terminals
 *                 without UTF-8 every character that is not ASCII
 * So no report can move the cursor, change a colour, ring the bell, reorder or hide text. */
#ifndef RC_RENDER_WRAP_H
#define RC_RENDER_WRAP_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

/* The widest that one character can become: \u{10FFFF}. Lines must not be narrower. */
#define RC_VISIBLE_CHAR_WIDTH_MAX 10u

/* Columns that the character takes once it is made visible. */
unsigned rc_visible_char_width(uint32_t cp, bool has_utf8);

/* Appends the character, made visible. */
void rc_visible_push_char(rc_buf *buf, uint32_t cp, bool has_utf8);

/* Appends a text that stays in one line: line feeds become spaces. */
void rc_visible_push(rc_buf *buf, rc_str text, bool has_utf8);
unsigned rc_visible_width(rc_str text, bool has_utf8);

/* The same in at most max columns: a longer text ends in "…" or "...". Returns the columns used. */
unsigned rc_visible_push_cut(rc_buf *buf, rc_str text, unsigned max, bool has_utf8);

/* Breaks text into lines. The caller's storage. */
typedef struct rc_wrap {
    rc_str text;
    size_t at;
    bool has_utf8;
} rc_wrap;

typedef struct rc_wrap_line {
    rc_str text;    /* views the wrapped text; for rc_visible_push */
    unsigned width; /* columns, at most what was asked for */
} rc_wrap_line;

/* text: borrows until the last line was used. */
void rc_wrap_init(rc_wrap *wrap, rc_str text, bool has_utf8);

/* The next line, of at most width columns (width >= RC_VISIBLE_CHAR_WIDTH_MAX); false when there
 * is none
 * left. Lines end at line feeds (a carriage return in front of one belongs to it), else at spaces,
 * which are then dropped, or next to a wide character, else in the middle of a word. */
bool rc_wrap_next(rc_wrap *wrap, unsigned width, rc_wrap_line *ret_line);

#endif
