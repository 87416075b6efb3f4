/* Prepares text for terminals: only visible characters, broken into lines of a given width.
 *
 * Representation of a character:
 *   unchanged     0x20 to 0x7E; on UTF-8 terminals also other letters, digits, marks, symbols and
 *                 emoji
 *   nothing       variation selectors, zero width joiner, skin tones: terminals disagree about the
 *                 width of a sequence with one of these characters
 *   four spaces   the tab
 *   \u{XXXX}      control characters, bidirectional controls, invisible characters; on terminals
 *                 without UTF-8 every character that is not ASCII
 * No report can therefore move the cursor, change a colour, ring the bell, reorder or hide text. */
#ifndef RC_RENDER_WRAP_H
#define RC_RENDER_WRAP_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

/* Width of the widest representation of one character: \u{10FFFF}. A line must have at least this
 * width. */
#define RC_VISIBLE_CHAR_WIDTH_MAX 10u

/* Returns the number of columns of a character's representation. */
unsigned rc_visible_char_width(uint32_t cp, bool has_utf8);

/* Appends the character's representation. */
void rc_visible_push_char(rc_buf *buf, uint32_t cp, bool has_utf8);

/* rc_visible_push appends a text as one line, with spaces for line feeds. rc_visible_width returns
 * the width of that line in columns. */
void rc_visible_push(rc_buf *buf, rc_str text, bool has_utf8);
unsigned rc_visible_width(rc_str text, bool has_utf8);

/* Like rc_visible_push, but in at most `max` columns: a longer text is cut and ends in "…" or
 * "...". Returns the number of columns used. */
unsigned rc_visible_push_cut(rc_buf *buf, rc_str text, unsigned max, bool has_utf8);

/* State while a text is broken into lines, in the caller's storage. */
typedef struct rc_wrap {
    rc_str text;
    size_t at;
    bool has_utf8;
} rc_wrap;

typedef struct rc_wrap_line {
    rc_str text;    /* The text of the line, to be passed to rc_visible_push. The line views (points
                       into) the wrapped text. */
    unsigned width; /* Columns of the line; at most the requested width. */
} rc_wrap_line;

/* Begins at the start of the text. text: borrows until the last line is no longer used. */
void rc_wrap_init(rc_wrap *wrap, rc_str text, bool has_utf8);

/* Stores the next line, of at most `width` columns, and returns true; returns false at the end of
 * the text. `width` must be at least RC_VISIBLE_CHAR_WIDTH_MAX. A line ends at a line feed (with
 * the carriage return before it, if any). If the text has no line feed within the width, the line
 * ends at a space, which is dropped, or next to a wide character. If the text has neither, the line
 * ends within a word. */
bool rc_wrap_next(rc_wrap *wrap, unsigned width, rc_wrap_line *ret_line);

#endif
