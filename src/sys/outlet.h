/* rc_outlet: an output that may not accept bytes now and must not block signal handling.
 *
 *   push  ──► [ queue, up to a ceiling ] ──► descriptor    own messages: whole, or not at all
 *   write ─────────────────────────────────► descriptor    copied data: as much as fits now
 *
 * A terminal or a pipe is reopened, so that only our writes are non-blocking; other processes that
 * share it are not affected. If that is impossible, poll is called before each small write. A watch
 * to which the outlet is attached writes the queue in its polls. */
#ifndef RC_SYS_OUTLET_H
#define RC_SYS_OUTLET_H

#include <recourse/buf.h>

#include "sys/calls.h"

/* The caller's storage. All members but error and is_awaited are private. */
typedef struct rc_outlet {
    const rc_sys_calls *calls;
    int fd;          /* -1: closed; everything is dropped. */
    bool is_own;     /* The outlet closes fd. */
    bool is_waiting; /* Writes block: poll before each one. */
    bool is_mid_line;
    bool is_awaited; /* A caller waits to write: the watch polls for writability. */
    int error;       /* The errno number that closed the outlet; 0: none. */
    size_t queue_at; /* Bytes of the queue already written. */
    rc_buf queue;
} rc_outlet;

/* Uses an open descriptor, which stays open. Never fails. calls: borrows until done. alloc:
 * copies. */
void rc_outlet_init(rc_outlet *outlet, const rc_sys_calls *calls, const rc_alloc *alloc, int fd,
                    size_t max_bytes);

/* Like rc_outlet_init for a descriptor whose writes do not block; takes fd. */
void rc_outlet_init_own(rc_outlet *outlet, const rc_sys_calls *calls, const rc_alloc *alloc, int fd,
                        size_t max_bytes);

/* Drops the queue. 0, or the errno number of an error that closing reports. May be called twice. */
int rc_outlet_done(rc_outlet *outlet);

/* Queues bytes (copies). False: the queue has no space for them; nothing was queued. */
bool rc_outlet_push(rc_outlet *outlet, rc_str bytes);

/* Writes bytes (borrows) and returns how many went out; all of them if the outlet is closed. */
size_t rc_outlet_write(rc_outlet *outlet, rc_str bytes);

/* Whether nothing is queued. */
bool rc_outlet_is_empty(const rc_outlet *outlet);

/* Ends an incomplete line with a line feed. */
void rc_outlet_begin_line(rc_outlet *outlet);

/* For the watch: what to poll for, and the step when it is ready. */
struct pollfd rc_outlet_poll(const rc_outlet *outlet);
void rc_outlet_step(rc_outlet *outlet);

#endif
