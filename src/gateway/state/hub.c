/* rc_hub: creates and frees the hub, publishes snapshots and stores the chain entry at which a
 * route's next call begins. Called by gateway.c, the loops and exchanges. */
#include "gateway/state/hub.h"

#include <string.h>

#include "base/str.h"
#include "gateway/observe/metrics.h"
#include "store/fault.h"
#include "store/store.h"
#include "sys/clock.h"
#include "sys/entropy.h"

static void lock_shared(void *ctx)
{
    uv_mutex_lock(ctx);
}

static void unlock_shared(void *ctx)
{
    uv_mutex_unlock(ctx);
}

static void free_counters(rc_hub *hub)
{
    rc_client_table_done(&hub->client_limits);
    rc_repeats_done(&hub->repeats);
    rc_quota_cache_done(&hub->quotas);
    rc_budgets_done(&hub->budgets);
    rc_metrics_free(hub->metrics);
}

/* Chooses the hash key of the repeated requests. Without a random source the key is zero, so that
 * an attacker could craft hash collisions; a collision only counts a request as repeated. */
static bool init_repeats(rc_hub *hub)
{
    uint8_t key[16] = {0};
    (void)rc_entropy_get(hub->calls, key, sizeof key);
    return rc_repeats_init(&hub->repeats, key);
}

rc_status rc_hub_init(rc_hub *hub, const rc_sys_calls *calls, const rc_alloc *alloc, uint32_t loops,
                      uint64_t now_ms)
{
    const rc_shared_settings settings = rc_shared_settings_default();
    memset(hub, 0, sizeof *hub);
    hub->alloc = *alloc;
    hub->calls = calls;
    hub->loop_count = loops;
    hub->metrics = rc_metrics_new(alloc, loops);
    if (hub->metrics == NULL)
        return RC_E_NOMEM;
    if (rc_budgets_init(&hub->budgets, alloc) != RC_OK) {
        rc_metrics_free(hub->metrics);
        return RC_E_NOMEM;
    }
    if (rc_quota_cache_init(&hub->quotas, alloc) != RC_OK) {
        rc_budgets_done(&hub->budgets);
        rc_metrics_free(hub->metrics);
        return RC_E_NOMEM;
    }
    if (!init_repeats(hub)) {
        rc_quota_cache_done(&hub->quotas);
        rc_budgets_done(&hub->budgets);
        rc_metrics_free(hub->metrics);
        return RC_E_NOMEM;
    }
    if (!rc_client_table_init(&hub->client_limits, alloc)) {
        rc_repeats_done(&hub->repeats);
        rc_quota_cache_done(&hub->quotas);
        rc_budgets_done(&hub->budgets);
        rc_metrics_free(hub->metrics);
        return RC_E_NOMEM;
    }
    if (uv_mutex_init(&hub->shared_lock) != 0) {
        free_counters(hub);
        return RC_E_NOMEM;
    }
    if (uv_mutex_init(&hub->lock) != 0) {
        free_counters(hub);
        uv_mutex_destroy(&hub->shared_lock);
        return RC_E_NOMEM;
    }
    rc_shared_init(&hub->shared, &settings, NULL, 0, NULL, 0, now_ms);
    rc_shared_set_lock(&hub->shared, &hub->shared_lock, lock_shared, unlock_shared);
    if (!rc_waiting_init(&hub->waiting, &hub->shared, alloc)) {
        free_counters(hub);
        uv_mutex_destroy(&hub->lock);
        uv_mutex_destroy(&hub->shared_lock);
        return RC_E_NOMEM;
    }
    return RC_OK;
}

static void put(const rc_alloc *alloc, void *memory, size_t size)
{
    if (memory != NULL)
        alloc->put(alloc->ctx, memory, size);
}

void rc_hub_done(rc_hub *hub)
{
    const rc_alloc *alloc = &hub->alloc;
    rc_snapshot_release(hub->snapshot);
    rc_hub_free_limits(hub);
    for (uint32_t i = 0; i < hub->target_count; i++)
        put(alloc, hub->targets[i].name, hub->targets[i].name_len);
    for (uint32_t i = 0; i < hub->credential_count; i++)
        put(alloc, hub->credentials[i].name, hub->credentials[i].name_len);
    put(alloc, hub->targets, hub->target_capacity * sizeof *hub->targets);
    put(alloc, hub->credentials, hub->credential_capacity * sizeof *hub->credentials);
    if (hub->store_url.len > 0) {
        char *url = (char *)(uintptr_t)hub->store_url.ptr;
        rc_secret_wipe(url, hub->store_url.len);
        put(alloc, url, hub->store_url.len);
    }
    put(alloc, hub->index, hub->index_size * sizeof *hub->index);
    put(alloc, hub->shared.targets, hub->target_capacity * sizeof *hub->shared.targets);
    put(alloc, hub->shared.credentials, hub->credential_capacity * sizeof *hub->shared.credentials);
    free_counters(hub);
    rc_waiting_done(&hub->waiting);
    uv_mutex_destroy(&hub->lock);
    uv_mutex_destroy(&hub->shared_lock);
}

/* ---- snapshots ---- */

/* Sets the ceilings of the waiting queue. Waiting requests may fill three quarters of the memory
 * for bodies, so that requests that arrive can still be read. If there is no memory for a larger
 * queue, the queue keeps its size, and requests beyond it are refused as by a full queue. */
static void set_ceilings(rc_hub *hub, const rc_config_limits *limits)
{
    rc_queue_settings settings = rc_queue_settings_default();
    settings.max_waiting = (uint32_t)limits->max_waiting;
    settings.max_bytes = limits->max_kept_bytes / 4 * 3;
    (void)rc_waiting_set(&hub->waiting, &settings);
}

static bool has_budgets(const rc_config *config)
{
    for (size_t i = 0; i < config->client_count; i++)
        if (config->clients[i].budget_usd > 0)
            return true;
    for (size_t i = 0; i < config->route_count; i++)
        if (config->routes[i].budget_usd > 0)
            return true;
    return config->budget_count > 0;
}

/* Applies the limits of the clients, and finds the rows of the clients that have limits. */
static void load_client_limits(rc_hub *hub, rc_snapshot *snapshot, uint64_t now_ms)
{
    const rc_config *config = snapshot->config;
    rc_client_table_apply(&hub->client_limits, config, now_ms);
    for (size_t i = 0; i < config->client_count; i++) {
        const rc_config_client *client = &config->clients[i];
        if (client->rpm > 0 || client->tpm > 0 || client->max_in_flight > 0)
            snapshot->client_limits[i] = rc_client_table_find(&hub->client_limits, client->name);
    }
}

bool rc_hub_load(rc_hub *hub, const rc_snapshot_input *input, uint64_t now_ms,
                 rc_load_error *ret_error)
{
    const uint32_t generation = rc_hub_generation(hub) + 1;
    rc_snapshot *snapshot = rc_snapshot_new(hub, input, generation, now_ms, ret_error);
    if (snapshot == NULL)
        return false;
    if (!rc_client_table_reserve(&hub->client_limits, snapshot->config) ||
        rc_budgets_load(&hub->budgets, snapshot->config, snapshot->prices,
                        rc_clock_unix_ms(hub->calls), &snapshot->budgets, NULL) != RC_OK) {
        snapshot->input = (rc_snapshot_input){0}; /* On failure the input still belongs to the
                                                     caller, so that rc_snapshot_release must not
                                                     free it. */
        rc_snapshot_release(snapshot);
        *ret_error = (rc_load_error){.is_memory = true, .text = "there is not enough memory"};
        return false;
    }
    snapshot->has_budget_rows = true;
    snapshot->has_budgets = has_budgets(snapshot->config);
    rc_hub_restore_budgets(hub, snapshot);
    load_client_limits(hub, snapshot, now_ms);
    const rc_shared_settings settings = rc_config_shared_settings(snapshot->config);
    rc_shared_set_settings(&hub->shared, &settings, now_ms);
    uv_mutex_lock(&hub->lock);
    rc_snapshot *before = hub->snapshot;
    hub->snapshot = snapshot;
    atomic_store_explicit(&hub->generation, generation, memory_order_release);
    uv_mutex_unlock(&hub->lock);
    /* The snapshot is published before the pools of credentials, so that a loop that gets a new
     * credential finds its key in the snapshot. */
    for (size_t i = 0; i < snapshot->config->provider_count; i++)
        rc_hub_set_pool(hub, &snapshot->providers[i], generation);
    set_ceilings(hub, &snapshot->config->limits);
    rc_shared_run_queue(&hub->shared, now_ms, 0); /* New keys may have opened a target. */
    rc_snapshot_release(before);
    return true;
}

rc_snapshot *rc_hub_take_snapshot(rc_hub *hub)
{
    uv_mutex_lock(&hub->lock);
    rc_snapshot *snapshot = rc_snapshot_retain(hub->snapshot);
    uv_mutex_unlock(&hub->lock);
    return snapshot;
}

/* Restores the spent amounts of the snapshot's new budgets. If the store cannot be read, the
 * amounts begin at zero; the writer reports the failure when it opens the store. */
void rc_hub_restore_budgets(rc_hub *hub, const rc_snapshot *snapshot)
{
    const rc_store_settings reading = {.mode = RC_STORE_READ};
    rc_store *store = NULL;
    rc_store_fault fault;
    if (hub->store_url.len == 0 ||
        !rc_store_open(hub->store_url, &reading, &hub->alloc, &store, &fault))
        return;
    (void)rc_budgets_restore(&hub->budgets, &snapshot->budgets, store, rc_clock_unix_ms(hub->calls),
                             &fault);
    rc_store_close(store);
}

/* ---- chains ---- */

/* Only a route with `revert: never` stores the chain entry that last succeeded. The calls of all
 * other routes begin at the first entry and need no lock. */
uint16_t rc_hub_first_entry(rc_hub *hub, const rc_route *route)
{
    if (route->chain.revert != RC_REVERT_NEVER)
        return 0;
    uv_mutex_lock(&hub->shared_lock);
    const uint16_t first = rc_chain_first(&route->chain);
    uv_mutex_unlock(&hub->shared_lock);
    return first;
}

void rc_hub_on_delivered(rc_hub *hub, rc_route *route, uint16_t entry)
{
    if (route->chain.revert != RC_REVERT_NEVER)
        return;
    uv_mutex_lock(&hub->shared_lock);
    rc_chain_on_success(&route->chain, &route->plan, entry);
    uv_mutex_unlock(&hub->shared_lock);
}
