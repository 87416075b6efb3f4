/* The line that a person sees while a retry waits. */
#ifndef RC_CLI_EXEC_WAIT_H
#define RC_CLI_EXEC_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/codes.h>

typedef struct rc_wait_line {
    uint32_t retry; /* the one that is to come; the first try is none */
    uint32_t max_retries;
    uint64_t left_ms;
    rc_code code; /* why */
    bool has_keys;
    bool has_utf8;
    unsigned width;
} rc_wait_line;

/* "Retrying (2/3) in 4s… (esc to cancel)  RateLimited", without what does not fit the width: first
 * the reason goes, then the words around the key; never wider. line: borrows. */
void rc_wait_line_push(rc_buf *buf, const rc_wait_line *line);

#endif
