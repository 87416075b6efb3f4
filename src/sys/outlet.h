/* rc_outlet: non-blocking output to a descriptor whose reader may be slow, so that the caller can
 * handle signals in the meantime.
 *
 *   push  ──► [ queue, up to a ceiling ] ──► descriptor    messages: complete, or not at all
 *   write ─────────────────────────────────► descriptor    copied data: as much as fits now
 *
 * A terminal or a pipe is opened a second time, so that only the outlet's writes are non-blocking,
 * and other processes that share the descriptor are not affected. If opening fails, poll(2) is
 * called before each small write. An rc_watch to which the outlet is attached writes the queue
 * during its polls. */
#ifndef RC_SYS_OUTLET_H
#define RC_SYS_OUTLET_H

#include <recourse/buf.h>

#include "sys/calls.h"

/* An outlet is in the caller's storage. All members except `error` and `is_awaited` are private. */
typedef struct rc_outlet {
    const rc_sys_calls *calls;
    int fd;          /* The descriptor. -1: the outlet is closed and drops all bytes. */
    bool is_own;     /* rc_outlet_done must close fd. */
    bool is_waiting; /* Writes to fd can block, so poll(2) is called before each write. */
    bool is_mid_line;
    bool is_awaited; /* A caller of rc_outlet_write waits for fd to become writable. */
    int error;       /* The errno number that closed the outlet; 0: none. */
    size_t queue_at; /* Number of bytes of the queue that were written. */
    rc_buf queue;
} rc_outlet;

/* Starts an outlet on the open descriptor fd, which rc_outlet_done does not close. Never fails.
 * calls: borrows until rc_outlet_done. alloc: copies the struct. */
void rc_outlet_init(rc_outlet *outlet, const rc_sys_calls *calls, const rc_alloc *alloc, int fd,
                    size_t max_bytes);

/* Starts an outlet as rc_outlet_init does, on a descriptor whose writes never block. fd: takes;
 * rc_outlet_done closes it. */
void rc_outlet_init_own(rc_outlet *outlet, const rc_sys_calls *calls, const rc_alloc *alloc, int fd,
                        size_t max_bytes);

/* Drops the queue. If the outlet owns the descriptor, closes it and returns the errno number of a
 * failure, or 0; otherwise returns 0. May be called twice. */
int rc_outlet_done(rc_outlet *outlet);

/* Queues all bytes, or returns false and queues nothing if the queue has no space. bytes:
 * copies. */
bool rc_outlet_push(rc_outlet *outlet, rc_str bytes);

/* Writes as many bytes as the descriptor accepts now, and returns their number. A closed outlet
 * drops the bytes and returns bytes.len. bytes: borrows during the call. */
size_t rc_outlet_write(rc_outlet *outlet, rc_str bytes);

/* Returns whether the queue is empty. */
bool rc_outlet_is_empty(const rc_outlet *outlet);

/* If the last byte was not a line feed, queues a line feed. */
void rc_outlet_begin_line(rc_outlet *outlet);

/* Two functions for rc_watch: rc_outlet_poll returns the events to poll for, and rc_outlet_step
 * writes the queue when the descriptor is ready. */
struct pollfd rc_outlet_poll(const rc_outlet *outlet);
void rc_outlet_step(rc_outlet *outlet);

#endif
