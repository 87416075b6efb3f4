/* The audit writer: a bounded queue and the thread that stores it. Called by the gateway. */
#include "store/writer.h"

#include <string.h>

#include <recourse/builder.h>

#include "store/writer_private.h"

#define COUNT_MAX 16384u
#define BYTES_MAX ((size_t)64 << 20)
#define NS_PER_MS UINT64_C(1000000)

/* --- submitting --- */

static bool is_well_formed(const rc_batch *batch)
{
    return batch->record_count + batch->state_count > 0 &&
           rc_records_check(batch->records, batch->record_count) == RC_OK;
}

/* Returns whether the queue has space for a submission of `size` bytes. The caller holds the
 * lock. */
static bool has_space(const rc_writer *writer, size_t size)
{
    return !writer->is_down && !writer->is_stopping &&
           writer->counts.queued < writer->settings.max_count &&
           size <= writer->settings.max_bytes &&
           writer->queued_bytes <= writer->settings.max_bytes - size;
}

/* Appends a submission to the queue. The caller holds the lock. */
static void enqueue(rc_writer *writer, rc_submission *submission)
{
    if (writer->last != NULL) {
        writer->last->next = submission;
        writer->last->batch.next = &submission->batch;
    } else {
        writer->first = submission;
    }
    writer->last = submission;
    writer->counts.queued++;
    writer->queued_bytes += submission->size;
    if (writer->is_idle)
        uv_cond_signal(&writer->wake);
}

/* Counts a submission that is not queued, and returns its result. The caller holds the lock. */
static rc_submit_result reject(rc_writer *writer)
{
    if (!writer->settings.continue_on_failure) {
        writer->counts.refused++;
        return RC_SUBMIT_REFUSED;
    }
    writer->counts.lost++;
    return RC_SUBMIT_CONTINUE;
}

rc_submit_result rc_writer_submit(rc_writer *writer, const rc_batch *batch,
                                  rc_on_acknowledged on_acknowledged, void *ctx)
{
    if (!is_well_formed(batch))
        return RC_SUBMIT_INVALID;
    rc_submission *submission = rc_submission_make(batch, &writer->alloc);
    rc_submit_result result = writer->settings.is_async ? RC_SUBMIT_CONTINUE : RC_SUBMIT_WAIT;
    if (submission != NULL && !writer->settings.is_async) {
        submission->on_acknowledged = on_acknowledged;
        submission->ctx = ctx;
    }
    uv_mutex_lock(&writer->lock);
    if (submission != NULL && has_space(writer, submission->size)) {
        enqueue(writer, submission);
        submission = NULL;
    } else {
        result = reject(writer);
    }
    uv_mutex_unlock(&writer->lock);
    if (submission != NULL)
        rc_submission_free(submission, &writer->alloc);
    return result;
}

bool rc_writer_amend(rc_writer *writer, const rc_batch *batch)
{
    rc_submission *submission =
        is_well_formed(batch) ? rc_submission_make(batch, &writer->alloc) : NULL;
    if (submission == NULL)
        return false;
    submission->is_amendment = true;
    uv_mutex_lock(&writer->lock);
    const bool is_queued = !writer->is_down && !writer->is_stopping;
    if (is_queued)
        enqueue(writer, submission);
    uv_mutex_unlock(&writer->lock);
    if (!is_queued)
        rc_submission_free(submission, &writer->alloc);
    return true;
}

bool rc_writer_continues_on_failure(const rc_writer *writer)
{
    return writer->settings.continue_on_failure;
}

bool rc_writer_refuses(rc_writer *writer)
{
    uv_mutex_lock(&writer->lock);
    const bool is_refusing =
        writer->is_down && !writer->settings.continue_on_failure && !writer->settings.is_async;
    uv_mutex_unlock(&writer->lock);
    return is_refusing;
}

const rc_report *rc_writer_why(rc_writer *writer)
{
    uv_mutex_lock(&writer->lock);
    const rc_report *why = writer->why != NULL ? rc_report_dup(writer->why)
                                               : rc_report_static(RC_CODE_STORE_UNAVAILABLE);
    uv_mutex_unlock(&writer->lock);
    return why;
}

rc_writer_counts rc_writer_count(rc_writer *writer)
{
    uv_mutex_lock(&writer->lock);
    rc_writer_counts counts = writer->counts;
    counts.is_down = writer->is_down;
    uv_mutex_unlock(&writer->lock);
    return counts;
}

/* --- the writer's thread --- */

rc_submission *rc_writer_take(rc_writer *writer, bool is_waiting)
{
    uv_mutex_lock(&writer->lock);
    writer->is_idle = true;
    for (uint64_t now_ns = uv_hrtime(); is_waiting && writer->first == NULL &&
                                        !writer->is_stopping && now_ns < writer->trim.next_ns;
         now_ns = uv_hrtime())
        uv_cond_timedwait(&writer->wake, &writer->lock, writer->trim.next_ns - now_ns);
    writer->is_idle = false;
    rc_submission *taken = writer->first;
    writer->first = NULL;
    writer->last = NULL;
    writer->counts.queued = 0;
    writer->queued_bytes = 0;
    uv_mutex_unlock(&writer->lock);
    return taken;
}

static void count_end(rc_writer *writer, uint64_t count, rc_ack kept)
{
    uv_mutex_lock(&writer->lock);
    switch (kept) {
    case RC_ACK_SAFE:
        writer->counts.groups++;
        writer->counts.kept += count;
        break;
    case RC_ACK_LOST:
        writer->counts.lost += count;
        break;
    case RC_ACK_REFUSED:
        writer->counts.refused += count;
        break;
    }
    uv_mutex_unlock(&writer->lock);
}

void rc_writer_finish(rc_writer *writer, rc_submission *taken, rc_ack kept, const rc_report *why)
{
    uint64_t count = 0;
    for (const rc_submission *each = taken; each != NULL; each = each->next)
        count += each->is_amendment ? 0 : 1;
    /* The counters are updated before the callbacks, because a callback may read them. */
    count_end(writer, count, kept);
    while (taken != NULL) {
        rc_submission *next = taken->next;
        if (taken->on_acknowledged != NULL)
            taken->on_acknowledged(taken->ctx, kept, why);
        rc_submission_free(taken, &writer->alloc);
        taken = next;
    }
}

bool rc_writer_is_stopping(rc_writer *writer)
{
    uv_mutex_lock(&writer->lock);
    bool is_stopping = writer->is_stopping;
    uv_mutex_unlock(&writer->lock);
    return is_stopping;
}

void rc_writer_pause(rc_writer *writer, uint64_t wait_ms)
{
    if (writer->settings.pause != NULL) {
        writer->settings.pause(writer->settings.ctx, wait_ms);
        return;
    }
    const uint64_t until_ns = uv_hrtime() + wait_ms * NS_PER_MS;
    uv_mutex_lock(&writer->lock);
    for (uint64_t now_ns = uv_hrtime(); now_ns < until_ns && !writer->is_stopping;
         now_ns = uv_hrtime())
        uv_cond_timedwait(&writer->wake, &writer->lock, until_ns - now_ns);
    uv_mutex_unlock(&writer->lock);
}

/* Stores the submissions and acknowledges them. taken: takes the list and frees it. */
static void store_batches(rc_writer *writer, rc_submission *taken)
{
    rc_store_fault fault;
    if (!rc_writer_append(writer, &taken->batch, &fault)) {
        rc_writer_enter_outage(writer, taken, &fault);
        return;
    }
    rc_writer_finish(writer, taken, RC_ACK_SAFE, NULL);
    rc_writer_emit_lost(writer, "the audit's queue was full");
    /* The checkpoint follows the acknowledgements, so that no submitter waits for it. */
    if (!rc_store_checkpoint(writer->store, false, &fault))
        rc_writer_suppress(writer, &fault, "the write-ahead log is checkpointed later");
}

static void work(void *argument)
{
    rc_writer *writer = argument;
    for (;;) {
        rc_submission *taken = rc_writer_take(writer, true);
        if (taken != NULL)
            store_batches(writer, taken);
        else if (rc_writer_is_stopping(writer))
            return;
        rc_writer_trim(writer);
    }
}

/* --- start and stop --- */

static bool begin(rc_writer *writer, rc_store_fault *fault)
{
    const rc_store_settings settings = {.mode = RC_STORE_WRITE,
                                        .is_power_safe = !writer->settings.is_async,
                                        .makes_folders = writer->settings.makes_folders};
    if (!rc_store_open(writer->settings.url, &settings, &writer->alloc, &writer->store, fault))
        return false;
    if (uv_mutex_init(&writer->lock) != 0)
        return rc_store_fault_set(fault, RC_STORE_NO_MEMORY, "start", NULL, NULL);
    if (uv_cond_init(&writer->wake) != 0) {
        uv_mutex_destroy(&writer->lock);
        return rc_store_fault_set(fault, RC_STORE_NO_MEMORY, "start", NULL, NULL);
    }
    if (uv_thread_create(&writer->thread, work, writer) != 0) {
        uv_cond_destroy(&writer->wake);
        uv_mutex_destroy(&writer->lock);
        return rc_store_fault_set(fault, RC_STORE_NO_MEMORY, "start", NULL,
                                  "no thread could be started");
    }
    return true;
}

bool rc_writer_start(const rc_writer_settings *settings, const rc_alloc *alloc,
                     rc_writer **ret_writer, rc_store_fault *fault)
{
    rc_writer *writer = alloc->get(alloc->ctx, sizeof(*writer));
    if (writer == NULL)
        return rc_store_fault_set(fault, RC_STORE_NO_MEMORY, "start", NULL, NULL);
    memset(writer, 0, sizeof(*writer));
    writer->alloc = *alloc;
    writer->settings = *settings;
    writer->keep_days = settings->keep_days;
    writer->keep_bytes = settings->keep_bytes;
    writer->trim.done_unix_ms = -1;
    if (settings->max_count == 0)
        writer->settings.max_count = COUNT_MAX;
    if (settings->max_bytes == 0)
        writer->settings.max_bytes = BYTES_MAX;
    if (!begin(writer, fault)) {
        rc_store_close(writer->store);
        alloc->put(alloc->ctx, writer, sizeof(*writer));
        return false;
    }
    writer->settings.url = rc_str_make(NULL, 0);
    *ret_writer = writer;
    return true;
}

void rc_writer_stop(rc_writer *writer)
{
    if (writer == NULL)
        return;
    uv_mutex_lock(&writer->lock);
    writer->is_stopping = true;
    uv_cond_signal(&writer->wake);
    uv_mutex_unlock(&writer->lock);
    uv_thread_join(&writer->thread);
    rc_store_close(writer->store);
    rc_report_free(writer->why);
    uv_cond_destroy(&writer->wake);
    uv_mutex_destroy(&writer->lock);
    writer->alloc.put(writer->alloc.ctx, writer, sizeof(*writer));
}
