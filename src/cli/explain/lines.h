/* rc_lines: reads lines from a file or pipe that may never end.
 *
 *   RC_LINES_LINE   a line was read
 *   RC_LINES_WAIT   the next read may block: the caller should write its output now
 *   RC_LINES_END    no more lines
 *   RC_LINES_ERROR  the error code is in `error`
 *
 * Memory is bounded by the longest line. */
#ifndef RC_CLI_EXPLAIN_LINES_H
#define RC_CLI_EXPLAIN_LINES_H

#include <stdbool.h>

#include <recourse/alloc.h>
#include <recourse/str.h>

#include "sys/calls.h"

typedef enum rc_lines_step {
    RC_LINES_LINE,
    RC_LINES_WAIT,
    RC_LINES_END,
    RC_LINES_ERROR
} rc_lines_step;

/* Caller's storage. */
typedef struct rc_lines {
    const rc_sys_calls *calls;
    rc_alloc alloc;
    int fd;
    size_t max_bytes; /* Limit of the length of a line. */
    char *bytes;
    size_t size;
    size_t from; /* The bytes in [from, to) are read but not yet returned. */
    size_t to;
    size_t scanned;     /* There is no line feed in [from, scanned). */
    bool is_wait_given; /* RC_LINES_WAIT was returned, so the next step reads. */
    bool is_at_end;
    bool is_too_long; /* The rest of a line that is too long is being skipped. */
    int error;
} rc_lines;

typedef struct rc_line {
    rc_str text;      /* Line without its line feed; views rc_lines until the next step. */
    bool is_too_long; /* `text` is only the beginning of the line. */
} rc_line;

/* calls: borrows until rc_lines_done. alloc: copies the struct. fd: rc_lines_done does not close
 * it. */
void rc_lines_init(rc_lines *lines, const rc_sys_calls *calls, const rc_alloc *alloc, int fd,
                   size_t max_bytes);
void rc_lines_done(rc_lines *lines);

/* Reads until one of the results above. ret_line is written only with RC_LINES_LINE. */
rc_lines_step rc_lines_next(rc_lines *lines, rc_line *ret_line);

#endif
