/* rc_writer: the thread that writes the audit.
 *
 *   any thread ──submit──► [ queue, bounded ] ──all──► one transaction ──► on_acknowledged for each
 *                               │ full                      │ fails
 *                               ▼                           ▼
 *                         refused, or lost            retries after 2, 4, 6 s ──► DOWN
 *
 *   DOWN   queued and new submissions are refused, or lost if the configuration says to continue.
 *          Every 6 s the writer tries to store a record of the gap; success ends the outage.
 *
 * No loss is silent: continuing without the store emits a SuppressedError with the number of
 * operations without a record, and the gap itself is recorded once the store is back. */
#ifndef RC_STORE_WRITER_H
#define RC_STORE_WRITER_H

#include "store/store.h"
#include "store/submission.h"
#include "sys/calls.h"

typedef struct rc_writer_settings {
    rc_str url;         /* The store's URL, as in rc_store_open; borrows until start returns. */
    bool makes_folders; /* Creates missing parent folders of the file. */
    /* false: records are stored before the response and survive a power cut. true: they are stored
     * soon afterwards and survive only the end of the process. */
    bool is_async;
    bool continue_on_failure;  /* When the store fails, records are lost, not refused. */
    uint32_t max_count;        /* Maximum number of submissions in the queue; 0: 16384. */
    size_t max_bytes;          /* Maximum number of bytes in the queue; 0: 64 MB. */
    uint32_t keep_days;        /* Operations that ended earlier are deleted; 0: never. */
    uint64_t keep_bytes;       /* The oldest operations are deleted above this size; 0: no limit. */
    const rc_sys_calls *calls; /* Clock and entropy; borrows until stop. */
    void *ctx; /* Argument of the callbacks below, which run on the writer's thread. */
    /* Receives one JSON line of rc_suppressed_encode, with its newline. line: views. Also called on
     * threads that call rc_writer_emit_unsafe. */
    void (*on_suppressed)(void *ctx, rc_str line);
    /* The store went down (why: views), or is back (why: NULL). May be NULL. */
    void (*on_change)(void *ctx, const rc_report *why);
    /* Some or all expired operations were deleted. prune: views. May be NULL. */
    void (*on_trimmed)(void *ctx, const rc_store_prune *prune);
    /* Replaces waiting, for tests. May be NULL: real time, cut short by stop. */
    void (*pause)(void *ctx, uint64_t wait_ms);
} rc_writer_settings;

typedef struct rc_writer rc_writer;

/* Opens the store and starts the thread. *ret_writer: gives. settings, alloc: copies; alloc must be
 * usable from all threads that submit. False: *fault is set. */
bool rc_writer_start(const rc_writer_settings *settings, const rc_alloc *alloc,
                     rc_writer **ret_writer, rc_store_fault *fault);

/* Writes the queue (without waiting for a store that is down), ends the thread and closes the
 * store. No submission may follow. Takes; NULL is allowed. */
void rc_writer_stop(rc_writer *writer);

typedef enum rc_submit_result {
    RC_SUBMIT_WAIT = 0,     /* on_acknowledged will be called. */
    RC_SUBMIT_CONTINUE = 1, /* No acknowledgement follows: the writer is asynchronous, or the record
                             * is lost and was reported. */
    RC_SUBMIT_REFUSED = 2,  /* The store is down or the queue is full: see rc_writer_why. */
    RC_SUBMIT_INVALID = 3   /* A record is malformed: an error of the caller. */
} rc_submit_result;

/* Queues a batch (copies). Any thread. on_acknowledged: called once if the result is WAIT, on the
 * writer's thread, possibly before this returns. */
rc_submit_result rc_writer_submit(rc_writer *writer, const rc_batch *batch,
                                  rc_on_acknowledged on_acknowledged, void *ctx);

/* Adds records to an operation that is queued and not stored yet. The amendment goes behind it,
 * even into a full queue, and is not counted. If the store is down it is lost too. Any thread.
 * batch: copies. False: no memory, or malformed. */
bool rc_writer_amend(rc_writer *writer, const rc_batch *batch);

/* Sets other retention limits, effective within a second. Any thread. */
void rc_writer_set_retention(rc_writer *writer, uint32_t days, uint64_t bytes);

/* A running writer does not delete operations that ended within this time, even on request: they
 * may still be amended. */
#define RC_WRITER_AMENDS_MS INT64_C(60000)

/* Whether the configuration says to continue when the store fails. Any thread. */
bool rc_writer_continues_on_failure(const rc_writer *writer);

/* Emits a SuppressedError: a response leaves before its record is stored. Any thread. why:
 * borrows. */
void rc_writer_emit_unsafe(rc_writer *writer, const rc_report *why);

/* Whether a submission would be refused now because the store is down. A hint: it may change at any
 * time. Any thread. */
bool rc_writer_refuses(rc_writer *writer);

/* Why submissions are refused: a StoreUnavailable report. Gives; never NULL. */
const rc_report *rc_writer_why(rc_writer *writer);

typedef struct rc_writer_counts {
    uint64_t kept;    /* Submissions that were stored. */
    uint64_t lost;    /* Not stored, and the caller continued. */
    uint64_t refused; /* Not stored, and the caller was refused. */
    uint64_t groups;  /* Transactions that were committed. */
    uint64_t queued;  /* Submissions currently in the queue. */
    bool is_down;
} rc_writer_counts;

/* Returns the counters. Any thread. */
rc_writer_counts rc_writer_count(rc_writer *writer);

#endif
