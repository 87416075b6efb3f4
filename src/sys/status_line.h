/* rc_status_line: one line on standard error that is redrawn in place and erased at the end.
 *
 * The line only makes the bytes; its owner writes them, and decides when the process may draw: in
 * the terminal's foreground, while nothing else is queued. */
#ifndef RC_SYS_STATUS_LINE_H
#define RC_SYS_STATUS_LINE_H

#include <recourse/buf.h>

#include "sys/terminal.h"

/* Upper limit of the bytes beside the text. */
#define RC_STATUS_LINE_EXTRA 8u

/* Caller's storage. */
typedef struct rc_status_line {
    bool is_live;   /* The terminal can redraw a line; otherwise nothing is drawn. */
    bool is_drawn;  /* The line is on the screen. */
    unsigned width; /* Columns of the terminal. */
} rc_status_line;

/* terminal: that of standard error; borrows. */
void rc_status_line_init(rc_status_line *line, const rc_terminal *terminal);

/* Columns of the text: the last one stays free, because some terminals wrap after it and a wrapped
 * line cannot be erased. */
unsigned rc_status_line_columns(const rc_status_line *line);

/* Appends the bytes that replace the line by text, which is cut to its columns; nothing if the line
 * is not live. text: has no control characters. */
void rc_status_line_draw(rc_status_line *line, rc_buf *buf, rc_str text);

/* Appends the bytes that erase the line; nothing if it is not drawn. */
void rc_status_line_erase(rc_status_line *line, rc_buf *buf);

#endif
