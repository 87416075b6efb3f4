/* rc_writer: the one thread that writes the audit.
 *
 *   any thread ──submit──► [ queue, bounded ] ──all of it──► one transaction ──► done, done, done
 *                               │ full                            │ fails
 *                               ▼                                 ▼
 *                         refused, or lost            again after 2, 4, 6 s ──► DOWN
 *
 *   DOWN   whatever waits and whatever comes is refused, or lost when the configuration says to go
 *          on. Every 6 s a record that tells of the gap is tried; once it is kept, all is well.
 *
 * Nothing is lost in silence: going on without the store sends a SuppressedError with the number of
 * operations that have no record, and the gap itself is a record once the store is back. */
#ifndef RC_STORE_WRITER_H
#define RC_STORE_WRITER_H

#include "store/store.h"
#include "store/submission.h"
#include "sys/calls.h"

typedef struct rc_writer_settings {
    rc_str url;         /* as in rc_store_open; borrows until start returns */
    bool makes_folders; /* for the file, when they are not there */
    /* false: safe before the answer, also from a power cut. true: soon afterwards, and safe from
     * the end of the process alone. */
    bool is_async;
    bool continue_on_failure;  /* when the store fails: lost, not refused */
    uint32_t max_count;        /* submissions in the queue; 0: 16384 */
    size_t max_bytes;          /* of memory in it; 0: 64 MB */
    uint32_t keep_days;        /* operations that ended before that are deleted; 0: none */
    uint64_t keep_bytes;       /* the oldest operations are deleted to use no more; 0: no limit */
    const rc_sys_calls *calls; /* clock and entropy; borrows until stop */
    void *ctx;                 /* of what follows, on the writer's thread */
    /* A line of JSON with its newline: rc_suppressed_encode's. line: views. Also on a thread that
     * calls rc_writer_emit_unsafe. */
    void (*on_suppressed)(void *ctx, rc_str line);
    /* The store went down (why: views), or is back (why: NULL). May be NULL. */
    void (*on_change)(void *ctx, const rc_report *why);
    /* Some of what is past was deleted, or all of it. prune: views. May be NULL. */
    void (*on_trimmed)(void *ctx, const rc_store_prune *prune);
    /* Waits instead of the clock. May be NULL: then it is real time, cut short by stop. */
    void (*pause)(void *ctx, uint64_t wait_ms);
} rc_writer_settings;

typedef struct rc_writer rc_writer;

/* Opens the store and starts the thread. Gives in ret_writer. settings: copies; alloc: copies, and
 * it must serve all threads that submit. False: fault says why. */
bool rc_writer_start(const rc_writer_settings *settings, const rc_alloc *alloc,
                     rc_writer **ret_writer, rc_store_fault *fault);

/* Writes what is in the queue (without waiting for a store that is down), ends the thread and
 * closes the store. Nobody may submit any more. Takes; also NULL. */
void rc_writer_stop(rc_writer *writer);

typedef enum rc_submit_result {
    RC_SUBMIT_WAIT = 0,     /* done will be called */
    RC_SUBMIT_CONTINUE = 1, /* nothing to wait for: it is asynchronous, or lost and told */
    RC_SUBMIT_REFUSED = 2,  /* the store is down or cannot keep up: rc_writer_why */
    RC_SUBMIT_INVALID = 3   /* a record is not well formed: a mistake of the caller */
} rc_submit_result;

/* Any thread. batch: copies. done: called once when the answer is WAIT, on the writer's thread, and
 * perhaps before this returns. */
rc_submit_result rc_writer_submit(rc_writer *writer, const rc_batch *batch, rc_on_acknowledged done,
                                  void *ctx);

/* More of an operation that was submitted and is not kept yet: it goes behind that, whatever room
 * there is, and is not counted. With a store that is down it fares like what it belongs to. Any
 * thread. batch: copies. False: no memory, or it is not well formed. */
bool rc_writer_amend(rc_writer *writer, const rc_batch *batch);

/* Another number of days and of bytes, from the next second on. Any thread. */
void rc_writer_set_retention(rc_writer *writer, uint32_t days, uint64_t bytes);

/* A running writer keeps what ended so shortly ago, whoever asks for it to be deleted: it may be
 * amended yet. */
#define RC_WRITER_AMENDS_MS INT64_C(60000)

/* Does the configuration say to go on when the store fails? Any thread. */
bool rc_writer_continues_on_failure(const rc_writer *writer);

/* Sends a SuppressedError: somebody goes on before the record is safe. Any thread. why: borrows. */
void rc_writer_emit_unsafe(rc_writer *writer, const rc_report *why);

/* Would a submission be refused now, because the store is down and must not be? A hint: it may
 * change at any time. Any thread. */
bool rc_writer_refuses(rc_writer *writer);

/* Why submissions are refused: StoreUnavailable. Gives; never NULL. */
const rc_report *rc_writer_why(rc_writer *writer);

typedef struct rc_writer_counts {
    uint64_t kept;    /* submissions */
    uint64_t lost;    /* not kept, and the caller was told to go on */
    uint64_t refused; /* not kept, and the caller was told so */
    uint64_t groups;  /* transactions */
    uint64_t queued;  /* now */
    bool is_down;
} rc_writer_counts;

rc_writer_counts rc_writer_count(rc_writer *writer);

#endif
