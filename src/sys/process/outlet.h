/* rc_outlet: a place to write to that may not take it now, and must not make us deaf to signals.
 *
 *   push ──► [ queue, up to a ceiling ] ──► descriptor    our own words: all at once, or not at all
 *   put  ─────────────────────────────────► descriptor    what passes through: as much as goes now
 *
 * A terminal or a pipe is opened once more, so that only our own writes do not wait; whoever shares
 * the descriptor with us keeps theirs as it was. What cannot be opened again is asked first and
 * written to in small pieces. A watch that the outlet is attached to writes the queue in its polls.
 */
#ifndef RC_SYS_PROCESS_OUTLET_H
#define RC_SYS_PROCESS_OUTLET_H

#include <recourse/buf.h>

#include "sys/calls.h"

/* The caller's storage; the fields are private but for `error` and `is_awaited`. */
typedef struct rc_outlet {
    const rc_sys_calls *calls;
    int fd;          /* -1: closed, and everything is dropped */
    bool is_own;     /* it is ours to close */
    bool is_waiting; /* its writes wait: ask before each */
    bool is_mid_line;
    bool is_awaited; /* somebody wants to put: poll for it */
    int error;       /* why it was lost; 0: it was not */
    size_t queue_at; /* what of the queue has gone */
    rc_buf queue;
} rc_outlet;

/* A descriptor that is open and stays so. Never fails. calls: borrows until done. alloc: copies. */
void rc_outlet_init(rc_outlet *outlet, const rc_sys_calls *calls, const rc_alloc *alloc, int fd,
                    size_t max_bytes);

/* The same for a descriptor whose writes do not wait; takes it. */
void rc_outlet_init_own(rc_outlet *outlet, const rc_sys_calls *calls, const rc_alloc *alloc, int fd,
                        size_t max_bytes);

/* Drops what is queued. 0, or the errno number of a loss that shows this late. Also twice. */
int rc_outlet_done(rc_outlet *outlet);

/* False: there is no room for it, and nothing of it was taken. bytes: copies. */
bool rc_outlet_push(rc_outlet *outlet, rc_str bytes);

/* How much of bytes went out; all of it when the place is lost. bytes: borrows. */
size_t rc_outlet_write(rc_outlet *outlet, rc_str bytes);

/* Is nothing queued? */
bool rc_outlet_is_empty(const rc_outlet *outlet);

/* Ends a line that somebody left open. */
void rc_outlet_begin_line(rc_outlet *outlet);

/* For the watch: what to poll for, and what to do when it has come. */
struct pollfd rc_outlet_poll(const rc_outlet *outlet);
void rc_outlet_step(rc_outlet *outlet);

#endif
