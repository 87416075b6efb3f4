/* rc_writer: the thread that writes the audit.
 *
 *   any thread ──submit──► [ queue, bounded ] ──all──► one transaction ──► on_acknowledged for each
 *                               │ full                      │ fails
 *                               ▼                           ▼
 *                         refused, or lost            retries after 2, 4, 6 s ──► DOWN
 *
 *   DOWN   queued and new submissions are refused, or lost if audit.on_failure is "continue".
 *          Every 6 s the writer tries to store a record about the outage; success ends the outage.
 *
 * Every loss is reported. When requests continue without the store, a SuppressedError is emitted
 * with the number of operations that have no record. When the store works again, it gets a record
 * about the outage. */
#ifndef RC_STORE_WRITER_H
#define RC_STORE_WRITER_H

#include "store/store.h"
#include "store/submission.h"
#include "sys/calls.h"

typedef struct rc_writer_settings {
    rc_str url;         /* The store's URL, as in rc_store_open. Borrowed during rc_writer_start. */
    bool makes_folders; /* The writer creates missing parent folders of the file. */
    /* If false, a record is stored before the client gets the end of its response, and the record
     * survives a power cut. If true, a record is stored soon after the response; it survives the
     * end of the process, but no power cut. */
    bool is_async;
    bool continue_on_failure;  /* If true, requests continue when the store fails, and their records
                                * are lost. If false, requests are refused. */
    uint32_t max_count;        /* Maximum number of submissions in the queue. 0 selects 16384. */
    size_t max_bytes;          /* Maximum number of bytes in the queue. 0 selects 64 MB. */
    uint32_t keep_days;        /* Operations are deleted this number of days after their end. 0:
                                * never. */
    uint64_t keep_bytes;       /* The oldest operations are deleted if the store is larger than this
                                * number of bytes. 0: no limit. */
    const rc_sys_calls *calls; /* Clock and entropy. Borrowed until rc_writer_stop. */
    void *ctx; /* Argument of the callbacks below, which run on the writer's thread. */
    /* Receives one JSON line of rc_suppressed_encode, with its newline. line: borrows during the
     * call. This callback is also called on threads that call rc_writer_emit_unsafe. */
    void (*on_suppressed)(void *ctx, rc_str line);
    /* Called when the store fails or works again. why: the reason of the failure; borrows during
     * the call; NULL if the store works again. The callback may be NULL. */
    void (*on_change)(void *ctx, const rc_report *why);
    /* Called after some or all expired operations were deleted. prune: borrows during the call. The
     * callback may be NULL. */
    void (*on_trimmed)(void *ctx, const rc_store_prune *prune);
    /* For tests: a callback that is called instead of waiting. If the callback is NULL, the writer
     * waits in real time, and rc_writer_stop ends the wait. */
    void (*pause)(void *ctx, uint64_t wait_ms);
} rc_writer_settings;

typedef struct rc_writer rc_writer;

/* Opens the store and starts the thread. *ret_writer: gives the writer to the caller. settings,
 * alloc: copies the structs; alloc must be usable from all threads that submit. Returns false, and
 * sets *fault, if the store cannot be opened or the thread cannot be started. */
bool rc_writer_start(const rc_writer_settings *settings, const rc_alloc *alloc,
                     rc_writer **ret_writer, rc_store_fault *fault);

/* Stores the queued submissions (without waiting for a store that is down), ends the thread and
 * closes the store. No thread may submit any more. writer: takes; may be NULL. */
void rc_writer_stop(rc_writer *writer);

typedef enum rc_submit_result {
    RC_SUBMIT_WAIT = 0,     /* on_acknowledged will be called. */
    RC_SUBMIT_CONTINUE = 1, /* on_acknowledged will not be called: the writer is asynchronous, or
                             * the record is lost and the loss was reported. */
    RC_SUBMIT_REFUSED = 2,  /* The store is down or the queue is full; rc_writer_why returns the
                               reason. */
    RC_SUBMIT_INVALID = 3   /* A record is malformed, because of an error in the caller. */
} rc_submit_result;

/* Queues a batch. Any thread may call this function. batch: copies the records. on_acknowledged:
 * called once if the result is RC_SUBMIT_WAIT, on the writer's thread, possibly before
 * rc_writer_submit has returned. */
rc_submit_result rc_writer_submit(rc_writer *writer, const rc_batch *batch,
                                  rc_on_acknowledged on_acknowledged, void *ctx);

/* Adds records to an operation that is in the queue and not stored yet. The added records go to the
 * end of the queue, even if it is full, and are not counted as a submission. If the store is down,
 * they are lost. Any thread may call this function. batch: copies the records. Returns false if
 * memory runs out or a record is malformed. */
bool rc_writer_amend(rc_writer *writer, const rc_batch *batch);

/* Changes keep_days and keep_bytes. The change takes effect within a second. Any thread may call
 * this function. */
void rc_writer_set_retention(rc_writer *writer, uint32_t days, uint64_t bytes);

/* A running writer does not delete operations that ended less than this time ago, even on request,
 * because rc_writer_amend may still add records to them. */
#define RC_WRITER_AMENDS_MS INT64_C(60000)

/* Returns whether requests continue when the store fails (continue_on_failure). Any thread may call
 * this function. */
bool rc_writer_continues_on_failure(const rc_writer *writer);

/* Emits a SuppressedError, because a response is sent before its record is stored. Any thread may
 * call this function. why: borrows during the call. */
void rc_writer_emit_unsafe(rc_writer *writer, const rc_report *why);

/* Returns whether a submission would be refused now because the store is down. The state may change
 * at any time, so the result is only a hint. Any thread may call this function. */
bool rc_writer_refuses(rc_writer *writer);

/* Gives the caller a StoreUnavailable report with the reason for which submissions are refused. The
 * report is never NULL. */
const rc_report *rc_writer_why(rc_writer *writer);

typedef struct rc_writer_counts {
    uint64_t kept;    /* Number of submissions that were stored. */
    uint64_t lost;    /* Number of submissions that were not stored and whose requests continued. */
    uint64_t refused; /* Number of submissions that were not stored and whose requests were
                       * refused. */
    uint64_t groups;  /* Number of transactions that were committed. */
    uint64_t queued;  /* Number of submissions that are in the queue now. */
    bool is_down;
} rc_writer_counts;

/* Returns the counters. Any thread may call this function. */
rc_writer_counts rc_writer_count(rc_writer *writer);

#endif
