/* The line that a person sees while a retry waits. */
#ifndef RC_UI_WAIT_LINE_H
#define RC_UI_WAIT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/codes.h>

#include "cli/cli.h"

typedef struct rc_wait_line {
    uint32_t retry; /* the one that is to come; the first try is none */
    uint32_t max_retries;
    uint64_t left_ms;
    rc_code code;  /* why */
    rc_str reason; /* the same in words, where there is no code; views */
    bool has_keys;
    bool has_utf8;
    unsigned width;
} rc_wait_line;

/* "Retrying (2/3) in 4s… (esc to cancel)  RateLimited", without what does not fit the width: first
 * the reason goes, words of it before all of it, then the words around the key; never wider. line:
 * borrows. */
void rc_wait_line_push(rc_buf *buf, const rc_wait_line *line);

/* "recourse exec: RateLimited: retrying (2/3) in 4s", a line of its own: where nothing can be
 * redrawn. command, line: borrow. */
void rc_wait_line_push_plain(rc_buf *buf, const char *command, const rc_wait_line *line);

/* Can a line on standard error be drawn again? */
bool rc_wait_line_is_live(const rc_cli *cli);

#endif
