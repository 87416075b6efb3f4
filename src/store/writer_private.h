/* rc_writer's struct, shared by writer.c (queue and thread), writer_fault.c (failing store) and
 * writer_trim.c (deletion of old operations). */
#ifndef RC_STORE_WRITER_PRIVATE_H
#define RC_STORE_WRITER_PRIVATE_H

#include <stdatomic.h>

#include <uv.h>

#include <recourse/id.h>

#include "store/writer.h"

/* The state of deleting expired operations. Used by the writer's thread only. */
typedef struct rc_writer_trimmer {
    uint64_t next_ns; /* No deletion step runs before this time. */
    uint64_t next_sweep_ns;
    uint32_t swept_days; /* keep_days at the last sweep. 0 before the first sweep. */
    bool is_under_way;
    bool is_requested;     /* rc_store_request_prune requested the deletion. False for a deletion by
                            * age or size. */
    bool is_by_size;       /* The deletion continues until the store fits its size limit. */
    uint64_t next_size_ns; /* The size is not checked before this time. */
    int64_t requested_unix_ms;
    int64_t done_unix_ms; /* Time of the last completed request. */
    rc_store_prune prune;
} rc_writer_trimmer;

struct rc_writer {
    rc_alloc alloc;
    rc_writer_settings settings;
    uv_thread_t thread;

    /* Used by the writer's thread only. */
    rc_store *store;
    rc_id_maker ids;
    uint64_t emitted_lost; /* Number of lost submissions that were reported. Also counted in
                            * counts.lost. */
    int64_t down_since_unix_ms;
    uint64_t lost_before; /* Value of counts.lost + counts.refused at the start of the outage. */
    rc_writer_trimmer trim;

    atomic_ullong suppressed_seq;
    atomic_uint keep_days;
    atomic_ullong keep_bytes;
    uv_mutex_t lock;
    uv_cond_t wake;
    /* Guarded by the lock. */
    rc_submission *first;
    rc_submission *last;
    size_t queued_bytes;
    bool is_idle; /* The writer's thread waits for work. */
    bool is_stopping;
    bool is_down;
    const rc_report *why; /* Reason of the latest outage. NULL if there was no outage. */
    rc_writer_counts counts;
};

/* --- writer.c --- */

/* Removes the whole queue and gives it to the caller; NULL if it is empty. is_waiting: if the queue
 * is empty, the function waits for a submission, for rc_writer_stop or for the next deletion
 * step. */
rc_submission *rc_writer_take(rc_writer *writer, bool is_waiting);

/* Calls on_acknowledged for each submission. taken: takes the list and frees it. */
void rc_writer_finish(rc_writer *writer, rc_submission *taken, rc_ack ack, const rc_report *why);
bool rc_writer_is_stopping(rc_writer *writer);
void rc_writer_pause(rc_writer *writer, uint64_t wait_ms);

/* --- writer_fault.c --- */

/* Appends the batches to the store. Tries again if the failure may be temporary. */
bool rc_writer_append(rc_writer *writer, const rc_batch *first, rc_store_fault *fault);

/* Handles a failed store. Acknowledges all submissions as lost or refused, and returns when the
 * store works again or the writer stops. taken: takes. */
void rc_writer_enter_outage(rc_writer *writer, rc_submission *taken, const rc_store_fault *fault);

/* rc_writer_suppress: emits a SuppressedError for a fault that is ignored. rc_writer_emit_lost:
 * emits a SuppressedError for the operations that were lost since the latest one; emits nothing if
 * no operation was lost. */
void rc_writer_suppress(rc_writer *writer, const rc_store_fault *fault, const char *reason);
void rc_writer_emit_lost(rc_writer *writer, const char *reason);

/* --- writer_trim.c --- */

/* Runs one deletion step if it is due and there are expired operations. */
void rc_writer_trim(rc_writer *writer);

#endif
