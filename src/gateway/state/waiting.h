/* rc_waiting: the waiting queue of a gateway (recourse/queue.h), and the way from a grant to the
 * event loop whose request was granted.
 *
 *   input of a call on any thread ──► rc_shared, with the queue
 *                                        │ wake                      │ run_at
 *                                        ▼                           ▼
 *                        list of the loop that owns the call    timer of the first open loop
 *                                        │ uv_async                  │
 *                                        ▼                           ▼
 *                                     on_wake                rc_shared_run_queue
 *
 * rc_shared calls `wake` and `run_at` while its lock is held, on the thread whose input opened a
 * target. A loop that closes hands the timer to the next open loop. The lock of rc_waiting is taken
 * after the lock of rc_shared, and held for a few instructions. */
#ifndef RC_GATEWAY_STATE_WAITING_H
#define RC_GATEWAY_STATE_WAITING_H

#include <uv.h>

#include <recourse/alloc.h>
#include <recourse/shared.h>

typedef struct rc_waiter rc_waiter;
typedef struct rc_waiting_loop rc_waiting_loop;

/* A request that may wait. Its address is rc_call_options.owner. */
struct rc_waiter {
    rc_waiting_loop *loop; /* The loop that owns the request. */
    rc_waiter *next, *prev;
    bool is_woken; /* The waiter is in the list of its loop. Guarded by the lock of rc_waiting. */
};

typedef struct rc_waiting {
    rc_shared *shared; /* Borrowed. */
    rc_alloc alloc;
    rc_queue queue; /* Guarded by the lock of rc_shared. */
    void *memory;
    uv_mutex_t lock;        /* Guards the members below and the lists of the loops. */
    rc_waiting_loop *loops; /* The open loops. The first one has the timer of the queue. */
    uint64_t run_at_ms;     /* When the queue must run. RC_UNLIMITED: never. */
    uint64_t timer_at_ms;   /* When the timer of the first loop fires at the latest. */
} rc_waiting;

/* The part of one event loop. The owner zeroes the struct and sets the members up to `ctx`, whose
 * pointers are borrowed until on_closed was called. */
struct rc_waiting_loop {
    rc_waiting *waiting;
    /* Called on the loop's thread: the call of this waiter was granted or refused. */
    void (*on_wake)(rc_waiter *waiter);
    void (*on_closed)(void *ctx);
    void *ctx;

    uv_async_t async;
    uv_timer_t timer;
    rc_waiting_loop *next;
    rc_waiter *first, *last; /* Waiters whose calls were woken, the earliest first. */
    uint32_t open_handles;
};

/* Initialises an empty queue without memory and sets it as the queue of `shared`. shared: borrows
 * until rc_waiting_done. alloc: copies the struct. Returns false if the lock cannot be created;
 * then nothing needs to be freed. */
bool rc_waiting_init(rc_waiting *waiting, rc_shared *shared, const rc_alloc *alloc);
/* Frees the memory. No call may wait any more, and no loop may be open. */
void rc_waiting_done(rc_waiting *waiting);

/* Sets the ceilings after a reload of the configuration. Requests that wait stay in the queue.
 * settings: borrows during the call. Returns false if there is no memory for a larger queue; the
 * queue then keeps its capacity. */
bool rc_waiting_set(rc_waiting *waiting, const rc_queue_settings *settings);

/* Opens the handles of a loop. Returns false if that failed; then nothing is open. */
bool rc_waiting_open(rc_waiting_loop *loop, uv_loop_t *uv_loop);
/* Closes the handles; on_closed is called when they are closed. No call of the loop may wait. */
void rc_waiting_close(rc_waiting_loop *loop);

/* Removes a waiter whose memory is about to be reused from the list of its loop. */
void rc_waiting_forget(rc_waiter *waiter);

#endif
