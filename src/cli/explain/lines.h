/* rc_lines: lines as they come, from a file or a pipe that may never end.
 *
 *   RC_LINES_LINE   a line is there
 *   RC_LINES_WAIT   the next one may take time: the moment to write what there is
 *   RC_LINES_END    there is none left
 *   RC_LINES_ERROR  the system's number is in `error`
 *
 * The memory is that of the longest line, at most. */
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

/* The caller's storage. */
typedef struct rc_lines {
    const rc_sys_calls *calls;
    rc_alloc alloc;
    int fd;
    size_t max_bytes; /* of a line */
    char *bytes;
    size_t size;
    size_t from; /* what was read and not given out is [from, to) */
    size_t to;
    size_t scanned;     /* up to here there is no line feed */
    bool is_wait_given; /* WAIT was given: the next step may read */
    bool is_at_end;
    bool is_too_long; /* the rest of a line is being passed over */
    int error;
} rc_lines;

typedef struct rc_line {
    rc_str text;      /* without its line feed; views the reader, until the next step */
    bool is_too_long; /* then the text is the beginning of it */
} rc_line;

/* calls: borrows. alloc: copies. fd: stays the caller's. */
void rc_lines_init(rc_lines *lines, const rc_sys_calls *calls, const rc_alloc *alloc, int fd,
                   size_t max_bytes);
void rc_lines_done(rc_lines *lines);

/* One step. ret_line is written with LINE alone. */
rc_lines_step rc_lines_next(rc_lines *lines, rc_line *ret_line);

#endif
