/* Deletes old operations between the writer's transactions. Called by writer.c and writer_fault.c;
 * the gateway calls rc_writer_set_retention. In small transactions, the writer deletes operations
 * that are older than keep_days, the oldest operations of a store that is larger than keep_bytes,
 * and the operations of a prune request:
 *
 *   check every second ──► a request, or a sweep is due ──► step, pause, step, pause ... done
 *
 * A pause is nine times as long as its step, so deletion uses at most a tenth of the writer's time.
 * While the store is above its size limit, deletion uses up to half of the time. */
#include "store/writer_private.h"

#include "sys/clock.h"

#define NS_PER_S UINT64_C(1000000000)
#define CHECK_NS NS_PER_S
#define FAILED_NS (60 * NS_PER_S)
#define SWEEP_NS (3600 * NS_PER_S)
#define STEP_OPERATIONS 256
#define PAUSE_FACTOR 9
#define DAY_MS INT64_C(86400000)
/* Deletion by size begins at 90 % of the limit and ends at 80 %. The difference between the two
 * values makes deletion less frequent. The file stays below the limit while new records arrive,
 * because deletion begins below the limit. */
#define BEGIN_PCT 90
#define END_PCT 80
#define TIME_MAX_MS ((INT64_C(1) << 48) - 1)

static void begin(rc_writer_trimmer *trim, bool is_requested, int64_t before_unix_ms)
{
    trim->is_under_way = true;
    trim->is_requested = is_requested;
    trim->is_by_size = false;
    trim->prune = (rc_store_prune){.before_unix_ms = before_unix_ms, .max = STEP_OPERATIONS};
}

/* Returns the time of the request, but no later time than RC_WRITER_AMENDS_MS before now, because
 * rc_writer_amend may still add records to operations that have just ended. */
static int64_t requested_time(const rc_writer *writer, int64_t before_unix_ms)
{
    const int64_t last = rc_clock_unix_ms(writer->settings.calls) - RC_WRITER_AMENDS_MS;
    return before_unix_ms < last ? before_unix_ms : last;
}

/* Returns whether the store uses more than `percent` of keep_bytes. */
static bool is_above(rc_writer *writer, uint64_t percent)
{
    const uint64_t most = atomic_load(&writer->keep_bytes);
    uint64_t used = 0;
    rc_store_fault ignored;
    return most > 0 && rc_store_used_bytes(writer->store, &used, &ignored) &&
           used / percent >= most / 100;
}

/* Begins to delete the oldest operations of a store that is too large. Operations of the last
 * minute are not deleted, because rc_writer_amend may still add records to them. If all operations
 * have times in the future, the clock was set back; then any operation may be deleted. */
static bool check_size(rc_writer *writer, uint64_t now_ns)
{
    rc_writer_trimmer *trim = &writer->trim;
    int64_t first_unix_ms = -1;
    rc_store_fault ignored;
    if (now_ns < trim->next_size_ns || !is_above(writer, BEGIN_PCT))
        return false;
    const int64_t now_unix_ms = rc_clock_unix_ms(writer->settings.calls);
    const bool is_ahead =
        rc_store_first_expired(writer->store, TIME_MAX_MS, &first_unix_ms, &ignored) &&
        first_unix_ms > now_unix_ms;
    begin(trim, false, is_ahead ? TIME_MAX_MS : now_unix_ms - RC_WRITER_AMENDS_MS);
    trim->is_by_size = true;
    return true;
}

/* Begins a deletion if one is due. Returns true if it began one. */
static bool find_work(rc_writer *writer, uint64_t now_ns)
{
    rc_writer_trimmer *trim = &writer->trim;
    const uint32_t days = atomic_load(&writer->keep_days);
    int64_t requested_unix_ms = 0;
    if (rc_store_has_prune_request(writer->store, &requested_unix_ms)) {
        /* The file of a completed request remains until its requester has seen the result. */
        if (requested_unix_ms == trim->done_unix_ms)
            return false;
        trim->requested_unix_ms = requested_unix_ms;
        begin(trim, true, requested_time(writer, requested_unix_ms));
        return true;
    }
    trim->done_unix_ms = -1;
    if (check_size(writer, now_ns))
        return true;
    if (days == 0 || (days == trim->swept_days && now_ns < trim->next_sweep_ns))
        return false;
    trim->swept_days = days;
    trim->next_sweep_ns = now_ns + SWEEP_NS;
    begin(trim, false, rc_clock_unix_ms(writer->settings.calls) - (int64_t)days * DAY_MS);
    return true;
}

/* Returns whether the deletion under way is still wanted. The deletion is no longer wanted if the
 * requester has ended or withdrawn its request, or if the configuration has new retention limits.
 * The block notes of deleted operations are removed in any case. */
static bool is_wanted(rc_writer *writer)
{
    const rc_writer_trimmer *trim = &writer->trim;
    int64_t requested_unix_ms = 0;
    if (trim->prune.is_in_notes)
        return true;
    if (trim->is_by_size)
        return atomic_load(&writer->keep_bytes) > 0;
    return trim->is_requested ? rc_store_has_prune_request(writer->store, &requested_unix_ms) &&
                                    requested_unix_ms == trim->requested_unix_ms
                              : atomic_load(&writer->keep_days) == trim->swept_days;
}

static void finish(rc_writer *writer)
{
    rc_writer_trimmer *trim = &writer->trim;
    trim->is_under_way = false;
    /* All operations are open or new, so nothing could be deleted; the size is checked again
     * later. */
    if (trim->is_by_size && trim->prune.operations == 0)
        trim->next_size_ns = uv_hrtime() + FAILED_NS;
    if (trim->is_requested && trim->prune.is_done)
        trim->done_unix_ms = trim->requested_unix_ms;
    if (trim->prune.operations > 0 && writer->settings.on_trimmed != NULL)
        writer->settings.on_trimmed(writer->settings.ctx, &trim->prune);
}

static void step(rc_writer *writer, uint64_t began_ns)
{
    rc_writer_trimmer *trim = &writer->trim;
    rc_store_fault fault;
    if (!rc_store_prune_step(writer->store, &trim->prune, &fault)) {
        finish(writer);
        trim->next_ns = began_ns + FAILED_NS;
        rc_writer_suppress(
            writer, &fault,
            "expired operations stay in the audit for now; the deletion is retried later");
        return;
    }
    const bool is_hurried = trim->is_by_size && is_above(writer, 100);
    if (trim->is_by_size && !is_above(writer, END_PCT))
        trim->prune.is_stopped = true;
    if (trim->prune.is_done)
        finish(writer);
    if (!rc_store_checkpoint(writer->store, false, &fault))
        rc_writer_suppress(writer, &fault, "the write-ahead log is checkpointed later");
    const uint64_t now_ns = uv_hrtime();
    trim->next_ns = now_ns + (is_hurried ? 1 : PAUSE_FACTOR) * (now_ns - began_ns);
}

void rc_writer_trim(rc_writer *writer)
{
    rc_writer_trimmer *trim = &writer->trim;
    const uint64_t now_ns = uv_hrtime();
    if (now_ns < trim->next_ns || rc_writer_is_stopping(writer))
        return;
    if (trim->is_under_way && !is_wanted(writer))
        finish(writer);
    if (!trim->is_under_way && !find_work(writer, now_ns)) {
        trim->next_ns = now_ns + CHECK_NS;
        return;
    }
    step(writer, now_ns);
}

void rc_writer_set_retention(rc_writer *writer, uint32_t days, uint64_t bytes)
{
    atomic_store(&writer->keep_days, days);
    atomic_store(&writer->keep_bytes, bytes);
}
