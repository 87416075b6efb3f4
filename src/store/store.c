/* Calls the functions of the database that the store's URL names. Called by the gateway, the audit
 * commands, the doctor and the writer. */
#include "store/store.h"

#include "store/sqlite/sqlite.h"

#define SQLITE_SCHEME "sqlite:"

bool rc_store_open(rc_str url, const rc_store_settings *settings, const rc_alloc *alloc,
                   rc_store **ret_store, rc_store_fault *fault)
{
    const rc_str scheme = RC_STR(SQLITE_SCHEME);
    if (url.len <= scheme.len || memcmp(url.ptr, scheme.ptr, scheme.len) != 0)
        return rc_store_fault_set(fault, RC_STORE_UNSUPPORTED, "open", NULL, NULL);
    rc_str path = rc_str_make(url.ptr + scheme.len, url.len - scheme.len);
    return rc_sqlite_open(path, settings, alloc, ret_store, fault);
}

void rc_store_close(rc_store *store)
{
    if (store != NULL)
        store->calls->close(store);
}

bool rc_store_append(rc_store *store, const rc_batch *first, rc_store_fault *fault)
{
    return store->calls->append(store, first, fault);
}

bool rc_store_checkpoint(rc_store *store, bool is_forced, rc_store_fault *fault)
{
    return store->calls->checkpoint(store, is_forced, fault);
}

bool rc_store_timeline(rc_store *store, rc_str operation_id, rc_record_each each, void *ctx,
                       rc_store_fault *fault)
{
    return store->calls->timeline(store, operation_id, each, ctx, fault);
}

bool rc_store_list(rc_store *store, const rc_store_query *query, rc_record_each each, void *ctx,
                   rc_store_fault *fault)
{
    return store->calls->list(store, query, each, ctx, fault);
}

bool rc_store_find(rc_store *store, rc_str prefix, uint32_t limit, rc_record_each each, void *ctx,
                   rc_store_fault *fault)
{
    return store->calls->find(store, prefix, limit, each, ctx, fault);
}

bool rc_store_survey(rc_store *store, const rc_store_filter *filter, rc_stats *operations,
                     rc_stats *attempts, rc_store_fault *fault)
{
    return store->calls->survey(store, filter, operations, attempts, fault);
}

bool rc_store_stats(rc_store *store, const rc_store_filter *filter, rc_stats *stats,
                    rc_store_fault *fault)
{
    return stats->is_of_attempts ? store->calls->survey(store, filter, NULL, stats, fault)
                                 : store->calls->survey(store, filter, stats, NULL, fault);
}

bool rc_store_names(rc_store *store, rc_store_name_each each, void *ctx, rc_store_fault *fault)
{
    return store->calls->names(store, each, ctx, fault);
}

bool rc_store_measure(rc_store *store, rc_store_extent *ret_extent, rc_store_fault *fault)
{
    return store->calls->measure(store, ret_extent, fault);
}

bool rc_store_saved_states(rc_store *store, rc_saved_state_each each, void *ctx,
                           rc_store_fault *fault)
{
    return store->calls->saved_states(store, each, ctx, fault);
}

bool rc_store_daily_usage_since(rc_store *store, int64_t from_day, rc_store_daily_usage_each each,
                                void *ctx, rc_store_fault *fault)
{
    return store->calls->daily_usage_since(store, from_day, each, ctx, fault);
}

bool rc_store_count_expired(rc_store *store, int64_t before_unix_ms, rc_store_expired *ret_expired,
                            rc_store_fault *fault)
{
    return store->calls->count_expired(store, before_unix_ms, ret_expired, fault);
}

bool rc_store_first_expired(rc_store *store, int64_t before_unix_ms, int64_t *ret_unix_ms,
                            rc_store_fault *fault)
{
    return store->calls->first_expired(store, before_unix_ms, ret_unix_ms, fault);
}

bool rc_store_used_bytes(rc_store *store, uint64_t *ret_bytes, rc_store_fault *fault)
{
    return store->calls->used_bytes(store, ret_bytes, fault);
}

bool rc_store_prune_step(rc_store *store, rc_store_prune *prune, rc_store_fault *fault)
{
    return store->calls->prune(store, prune, fault);
}

bool rc_store_shrink(rc_store *store, rc_store_fault *fault)
{
    return store->calls->shrink(store, fault);
}

bool rc_store_request_prune(rc_store *store, int64_t before_unix_ms, rc_store_fault *fault)
{
    return store->calls->request_prune(store, before_unix_ms, fault);
}

bool rc_store_has_prune_request(rc_store *store, int64_t *ret_before_unix_ms)
{
    return store->calls->has_prune_request(store, ret_before_unix_ms);
}

void rc_store_set_cancel_check(rc_store *store, rc_store_is_cancelled is_cancelled, void *ctx)
{
    store->calls->set_cancel_check(store, is_cancelled, ctx);
}

bool rc_store_check(rc_store *store, rc_store_fault *fault)
{
    return store->calls->check(store, fault);
}
