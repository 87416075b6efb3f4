/* rc_wait_line: the text shown while a command waits before a retry. */
#ifndef RC_UI_WAIT_LINE_H
#define RC_UI_WAIT_LINE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/codes.h>
#include <recourse/str.h>

typedef struct rc_wait_line {
    uint32_t retry; /* Number of the retry to come; the first attempt is not a retry. */
    uint32_t max_retries;
    uint64_t left_ms; /* Time until the retry. */
    rc_code code;     /* Error of the last attempt, shown if `reason` is empty. */
    rc_str reason;    /* Views a sentence about the error; empty: the name of `code` is shown. */
    bool has_keys;    /* The line contains the hint that Esc cancels the wait. */
    bool has_utf8;
    unsigned width;
} rc_wait_line;

/* Appends "Retrying (2/3) in 4s… (esc to cancel)  RateLimited", never wider than line->width. If
 * the text does not fit, the reason is cut, then left out; after that the hint about Esc is
 * shortened. line: borrows during the call. */
void rc_wait_line_push(rc_buf *buf, const rc_wait_line *line);

/* Appends "recourse exec: RateLimited: retrying (2/3) in 4s" and a newline, for output that cannot
 * be redrawn. command, line: borrows during the call. */
void rc_wait_line_push_plain(rc_buf *buf, const char *command, const rc_wait_line *line);

#endif
