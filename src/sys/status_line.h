/* rc_status_line: one line on standard error that is redrawn in place and erased at the end.
 *
 * These functions only produce bytes. The caller writes the bytes, and draws only while the process
 * is in the terminal's foreground and no other output is queued. */
#ifndef RC_SYS_STATUS_LINE_H
#define RC_SYS_STATUS_LINE_H

#include <recourse/buf.h>

#include "sys/terminal.h"

/* Maximum number of bytes that rc_status_line_draw adds to the text. */
#define RC_STATUS_LINE_EXTRA 8u

/* In the caller's storage. */
typedef struct rc_status_line {
    bool is_live;   /* The terminal can redraw a line. If not, nothing is drawn. */
    bool is_drawn;  /* The line is on the screen. */
    unsigned width; /* Number of columns of the terminal. */
} rc_status_line;

/* Initialises the line. terminal: the properties of standard error; borrows during the call. */
void rc_status_line_init(rc_status_line *line, const rc_terminal *terminal);

/* Returns the number of columns for the text. The last column of the terminal stays free, because
 * some terminals wrap after it, and a wrapped line cannot be erased. */
unsigned rc_status_line_columns(const rc_status_line *line);

/* Appends to `buf` the bytes that replace the line by `text`, which is cut to
 * rc_status_line_columns. Appends nothing if the line is not live. `text` must not contain control
 * characters. */
void rc_status_line_draw(rc_status_line *line, rc_buf *buf, rc_str text);

/* Appends to `buf` the bytes that erase the line. Appends nothing if the line is not on the
 * screen. */
void rc_status_line_erase(rc_status_line *line, rc_buf *buf);

#endif
