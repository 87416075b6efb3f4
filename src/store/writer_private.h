/* What writer.c (the queue and its thread) and writer_fault.c (a store that fails) share. */
#ifndef RC_STORE_WRITER_PRIVATE_H
#define RC_STORE_WRITER_PRIVATE_H

#include <stdatomic.h>

#include <uv.h>

#include <recourse/id.h>

#include "store/writer.h"

/* Deleting what is past. Of the thread alone. */
typedef struct rc_writer_trimmer {
    uint64_t next_ns; /* nothing is done before */
    uint64_t next_sweep_ns;
    uint32_t swept_days; /* keep_days at the last sweep; 0: there was none */
    bool is_under_way;
    bool is_requested;     /* by somebody; else it is a sweep */
    bool is_by_size;       /* a sweep because the store is too large */
    uint64_t next_size_ns; /* the size is not looked at before */
    int64_t requested_unix_ms;
    int64_t done_unix_ms; /* what was asked and is done */
    rc_store_prune prune;
} rc_writer_trimmer;

struct rc_writer {
    rc_alloc alloc;
    rc_writer_settings settings;
    uv_thread_t thread;

    /* Of the thread alone. */
    rc_store *store;
    rc_id_maker ids;
    uint64_t emitted_lost; /* of counts.lost */
    int64_t down_since_unix_ms;
    uint64_t lost_before; /* this outage; of counts.lost and .refused together */
    rc_writer_trimmer trim;

    atomic_ullong suppressed_seq;
    atomic_uint keep_days;
    atomic_ullong keep_bytes;
    uv_mutex_t lock;
    uv_cond_t wake;
    /* Under the lock. */
    rc_submission *first;
    rc_submission *last;
    size_t queued_bytes;
    bool is_idle; /* the thread waits for something to do */
    bool is_stopping;
    bool is_down;
    const rc_report *why; /* of the last outage; NULL: there was none */
    rc_writer_counts counts;
};

/* --- writer.c --- */

/* All that is queued. is_waiting: waits for something, for the time to stop, or for that of the
 * next look at what is past; then NULL. */
rc_submission *rc_writer_take(rc_writer *writer, bool is_waiting);

/* Tells everyone how it ended, and frees. Takes taken. */
void rc_writer_finish(rc_writer *writer, rc_submission *taken, rc_ack kept, const rc_report *why);
bool rc_writer_is_stopping(rc_writer *writer);
void rc_writer_pause(rc_writer *writer, uint64_t wait_ms);

/* --- writer_fault.c --- */

/* Appends, again after a while when it fails for a reason that may pass. */
bool rc_writer_append(rc_writer *writer, const rc_batch *first, rc_store_fault *fault);

/* The store does not work: tells everyone, and comes back when it does or when it is time to stop.
 * Takes taken. */
void rc_writer_enter_outage(rc_writer *writer, rc_submission *taken, const rc_store_fault *fault);

/* A SuppressedError, of a fault that is ignored; and one of what was lost since the last, if
 * anything was. */
void rc_writer_suppress(rc_writer *writer, const rc_store_fault *fault, const char *reason);
void rc_writer_emit_lost(rc_writer *writer, const char *reason);

/* --- writer_trim.c --- */

/* Deletes a little of what is past, if there is something and it is time for it. */
void rc_writer_trim(rc_writer *writer);

#endif
