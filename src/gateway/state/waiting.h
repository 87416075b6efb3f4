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
#include <recourse/call.h>
#include <recourse/shared.h>
#include <recourse/str.h>

typedef struct rc_waiter rc_waiter;
typedef struct rc_waiting_loop rc_waiting_loop;

/* What is shown of a waiting request. The views and the call are valid from rc_waiting_enter until
 * rc_waiting_leave. */
typedef struct rc_waiter_facts {
    const rc_call *call;
    rc_str request_id;
    rc_str client; /* Empty if the client is not known. */
    rc_str route;
    rc_str model;
    uint64_t from_ms; /* Start of the wait. */
    uint32_t bytes;   /* Memory that the request's body occupies. */
} rc_waiter_facts;

/* A request that may wait. Its address is rc_call_options.owner. */
struct rc_waiter {
    rc_waiting_loop *loop; /* The loop that owns the request. */
    rc_waiter *next, *prev;
    bool is_woken; /* The waiter is in the list of its loop. Guarded by the lock of rc_waiting. */
    /* Only the thread of the waiter's loop reads these two members. */
    bool is_waiting;          /* The waiter is in the list of waiting requests. */
    uint64_t until_ms;        /* When the wait ends at the latest. */
    rc_waiter *older, *newer; /* Neighbours in the list of waiting requests. */
    rc_waiter_facts facts;
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
    rc_waiter *oldest,
        *newest; /* The waiting requests, in the order in which they began to wait. */
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

/* rc_waiting_enter adds a request that begins to wait to the list of waiting requests, and
 * rc_waiting_leave removes it. facts: copies the struct. */
void rc_waiting_enter(rc_waiter *waiter, const rc_waiter_facts *facts);
void rc_waiting_leave(rc_waiter *waiter);

/* A waiting request, as rc_waiting_list reports it. */
typedef struct rc_waiting_row {
    const rc_waiter_facts *facts;
    uint64_t start_by_ms;    /* Latest start: after this time the response is probably too late. */
    uint64_t until_ms;       /* When the wait ends at the latest. */
    const uint16_t *targets; /* The targets that the request waits for, as rows of rc_shared. */
    uint32_t target_count;
} rc_waiting_row;

/* Maximum number of targets of an rc_waiting_row. */
#define RC_WAITING_TARGETS_MAX 8u

/* The sums over all waiting requests, and the ceilings. */
typedef struct rc_waiting_sums {
    uint32_t count;
    uint32_t max_count;
    uint64_t bytes;
    uint64_t max_bytes;
} rc_waiting_sums;

/* Calls `each` for at most `max_count` waiting requests, the oldest first. The locks of rc_shared
 * and rc_waiting are held meanwhile, so `each` must only copy the row, whose views are valid during
 * the call. */
void rc_waiting_list(rc_waiting *waiting, uint32_t max_count,
                     void (*each)(void *ctx, const rc_waiting_row *row), void *ctx,
                     rc_waiting_sums *ret_sums);

/* Removes a waiter whose memory is about to be reused from the list of its loop. */
void rc_waiting_forget(rc_waiter *waiter);

#endif
