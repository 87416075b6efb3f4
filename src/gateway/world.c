#include "gateway/world.h"

#include <string.h>

#include "base/str.h"
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

static void free_counters(rc_gate_world *world)
{
    rc_repeats_done(&world->repeats);
    rc_quota_board_done(&world->quotas);
    rc_purse_done(&world->purse);
    rc_metrics_free(world->metrics);
}

/* Without chance the key is known, and somebody could find a request that has another's hash: it
 * would be counted as repeated. */
static bool init_repeats(rc_gate_world *world)
{
    uint8_t key[16] = {0};
    (void)rc_entropy_get(world->calls, key, sizeof key);
    return rc_repeats_init(&world->repeats, key);
}

rc_status rc_gate_world_init(rc_gate_world *world, const rc_sys_calls *calls, const rc_alloc *alloc,
                             uint32_t loops, uint64_t now_ms)
{
    const rc_shared_settings settings = rc_shared_settings_default();
    memset(world, 0, sizeof *world);
    world->alloc = *alloc;
    world->calls = calls;
    world->loops = loops;
    world->metrics = rc_metrics_new(alloc, loops);
    if (world->metrics == NULL)
        return RC_E_NOMEM;
    if (rc_purse_init(&world->purse, alloc) != RC_OK) {
        rc_metrics_free(world->metrics);
        return RC_E_NOMEM;
    }
    if (rc_quota_board_init(&world->quotas, alloc) != RC_OK) {
        rc_purse_done(&world->purse);
        rc_metrics_free(world->metrics);
        return RC_E_NOMEM;
    }
    if (!init_repeats(world)) {
        rc_quota_board_done(&world->quotas);
        rc_purse_done(&world->purse);
        rc_metrics_free(world->metrics);
        return RC_E_NOMEM;
    }
    if (uv_mutex_init(&world->shared_lock) != 0) {
        free_counters(world);
        return RC_E_NOMEM;
    }
    if (uv_mutex_init(&world->lock) != 0) {
        free_counters(world);
        uv_mutex_destroy(&world->shared_lock);
        return RC_E_NOMEM;
    }
    rc_shared_init(&world->shared, &settings, NULL, 0, NULL, 0, now_ms);
    rc_shared_set_lock(&world->shared, &world->shared_lock, lock_shared, unlock_shared);
    return RC_OK;
}

static void put(const rc_alloc *alloc, void *memory, size_t size)
{
    if (memory != NULL)
        alloc->put(alloc->ctx, memory, size);
}

void rc_gate_world_done(rc_gate_world *world)
{
    const rc_alloc *alloc = &world->alloc;
    rc_gate_plans_drop(world->plans);
    rc_world_free_limits(world);
    for (uint32_t i = 0; i < world->target_count; i++)
        put(alloc, world->targets[i].name, world->targets[i].name_len);
    for (uint32_t i = 0; i < world->credential_count; i++)
        put(alloc, world->credentials[i].name, world->credentials[i].name_len);
    put(alloc, world->targets, world->target_room * sizeof *world->targets);
    put(alloc, world->credentials, world->credential_room * sizeof *world->credentials);
    if (world->store_url.len > 0) {
        char *url = (char *)(uintptr_t)world->store_url.ptr;
        rc_secret_wipe(url, world->store_url.len);
        put(alloc, url, world->store_url.len);
    }
    put(alloc, world->index, world->index_size * sizeof *world->index);
    put(alloc, world->shared.targets, world->target_room * sizeof *world->shared.targets);
    put(alloc, world->shared.credentials,
        world->credential_room * sizeof *world->shared.credentials);
    free_counters(world);
    uv_mutex_destroy(&world->lock);
    uv_mutex_destroy(&world->shared_lock);
}

/* ---- editions ---- */

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

bool rc_gate_world_load(rc_gate_world *world, const rc_gate_given *given, uint64_t now_ms,
                        rc_gate_trouble *ret_trouble)
{
    const uint32_t edition = rc_gate_world_edition(world) + 1;
    rc_gate_plans *plans = rc_gate_plans_new(world, given, edition, now_ms, ret_trouble);
    if (plans == NULL)
        return false;
    if (rc_purse_load(&world->purse, plans->config, plans->prices, rc_clock_unix_ms(world->calls),
                      &plans->money, NULL) != RC_OK) {
        plans->given = (rc_gate_given){0}; /* still the caller's */
        rc_gate_plans_drop(plans);
        *ret_trouble = (rc_gate_trouble){.is_memory = true, .text = "there is no memory for it"};
        return false;
    }
    plans->has_money = true;
    plans->has_budgets = has_budgets(plans->config);
    rc_gate_world_recall_money(world, plans);
    const rc_shared_settings settings = rc_config_shared_settings(plans->config);
    rc_shared_set_settings(&world->shared, &settings, now_ms);
    uv_mutex_lock(&world->lock);
    rc_gate_plans *before = world->plans;
    world->plans = plans;
    atomic_store_explicit(&world->edition, edition, memory_order_release);
    uv_mutex_unlock(&world->lock);
    /* Whoever gets a new credential finds its key: the edition comes first. */
    for (size_t i = 0; i < plans->config->provider_count; i++)
        rc_gate_world_set_pool(world, &plans->providers[i], edition);
    rc_gate_plans_drop(before);
    return true;
}

rc_gate_plans *rc_gate_world_plans(rc_gate_world *world)
{
    uv_mutex_lock(&world->lock);
    rc_gate_plans *plans = rc_gate_plans_take(world->plans);
    uv_mutex_unlock(&world->lock);
    return plans;
}

/* What was spent before is known to the store. Without it budgets begin with nothing, which is
 * told when the store is opened. */
void rc_gate_world_recall_money(rc_gate_world *world, const rc_gate_plans *plans)
{
    const rc_store_settings reading = {.mode = RC_STORE_READ};
    rc_store *store = NULL;
    rc_store_fault fault;
    if (world->store_url.len == 0 ||
        !rc_store_open(world->store_url, &reading, &world->alloc, &store, &fault))
        return;
    (void)rc_purse_recall(&world->purse, &plans->money, store, rc_clock_unix_ms(world->calls),
                          &fault);
    rc_store_close(store);
}

/* ---- chains ---- */

/* Most chains begin at their first entry, always: they need no lock. */
uint16_t rc_gate_world_first(rc_gate_world *world, const rc_gate_route *route)
{
    if (route->chain.revert != RC_REVERT_NEVER)
        return 0;
    uv_mutex_lock(&world->shared_lock);
    const uint16_t first = rc_chain_first(&route->chain);
    uv_mutex_unlock(&world->shared_lock);
    return first;
}

void rc_gate_world_delivered(rc_gate_world *world, rc_gate_route *route, uint16_t entry)
{
    if (route->chain.revert != RC_REVERT_NEVER)
        return;
    uv_mutex_lock(&world->shared_lock);
    rc_chain_on_success(&route->chain, &route->plan, entry);
    uv_mutex_unlock(&world->shared_lock);
}
