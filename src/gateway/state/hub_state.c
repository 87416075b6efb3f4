/* State that survives a restart: exhausted and rejected credentials (everywhere or at one target),
 * and targets out of service. The name of a saved state contains the key's fingerprint, so that
 * another key at the same index is another credential. Called by exchanges, gateway_admin.c and
 * gateway.c. */
#include <string.h>

#include "base/str.h"
#include "gateway/state/hub.h"
#include "store/fault.h"
#include "store/store.h"

static void push_fingerprint(rc_buf *buf, const rc_key_fingerprint *fingerprint)
{
    static const char digits[] = "0123456789abcdef";
    for (size_t i = 0; i < sizeof fingerprint->bytes; i++) {
        rc_buf_push_byte(buf, digits[fingerprint->bytes[i] >> 4]);
        rc_buf_push_byte(buf, digits[fingerprint->bytes[i] & 15]);
    }
}

/* Appends the name of a credential's saved state, such as "provider#0123456789abcdef". The name
 * contains no position in the list of keys, so the order of the keys may change. The caller holds
 * hub->lock. */
static void push_saved_name(const rc_hub_credential *row, rc_buf *buf)
{
    rc_buf_push(buf, rc_str_make(row->name, row->provider_len));
    rc_buf_push_byte(buf, '#');
    push_fingerprint(buf, &row->fingerprint);
}

/* Appends the name of a credential's saved state at one target, such as
 * "provider#0123456789abcdef/model". The caller holds hub->lock. */
static void push_limit_name(const rc_hub_credential *row, const rc_hub_target *target, rc_buf *buf)
{
    push_saved_name(row, buf);
    rc_buf_push(buf, rc_str_make(target->name + target->provider_len,
                                 (size_t)(target->name_len - target->provider_len)));
}

/* A copy of a credential's state, made while shared_lock was held. */
typedef struct known {
    rc_credential_state state;
    uint64_t until_ms;
} known;

static known read_state(rc_hub *hub, const rc_credential *row, uint64_t now_ms)
{
    uv_mutex_lock(&hub->shared_lock);
    const known found = {.state = rc_credential_state_at(row, now_ms),
                         .until_ms = rc_cooldown_until_ms(&row->cooldown, false)};
    uv_mutex_unlock(&hub->shared_lock);
    return found;
}

static bool is_lasting(const known *found)
{
    return found->state == RC_CREDENTIAL_EXHAUSTED || found->state == RC_CREDENTIAL_DEAD;
}

/* Returns the credential's state at the target; NULL if the target has no state for this
 * credential. The caller holds hub->lock. */
static const rc_credential *limit_of(const rc_hub *hub, uint16_t target, uint16_t credential)
{
    return target < hub->target_count ? rc_target_limit(&hub->shared.targets[target], credential)
                                      : NULL;
}

/* Marks the credential as refused, which is counted in hub->refused. The caller holds hub->lock. */
static void note_refused(rc_hub *hub, uint32_t credential)
{
    if (!hub->credentials[credential].is_refused)
        atomic_fetch_add_explicit(&hub->refused, 1, memory_order_relaxed);
    hub->credentials[credential].is_refused = true;
}

bool rc_hub_save_credential(rc_hub *hub, uint16_t target, uint16_t credential, uint64_t now_ms,
                            int64_t now_unix_ms, char *name, rc_saved_state *ret_saved)
{
    known found = {.state = RC_CREDENTIAL_HEALTHY};
    rc_saved_state_kind kind = RC_SAVED_STATE_CREDENTIAL;
    rc_buf text;
    rc_buf_init_fixed(&text, name, RC_HUB_SAVED_NAME_MAX);
    uv_mutex_lock(&hub->lock);
    const rc_credential *limit = limit_of(hub, target, credential);
    if (credential < hub->credential_count)
        found = read_state(hub, &hub->shared.credentials[credential], now_ms);
    if (is_lasting(&found)) {
        push_saved_name(&hub->credentials[credential], &text);
        if (found.state == RC_CREDENTIAL_DEAD)
            note_refused(hub, credential);
    } else if (limit != NULL) {
        kind = RC_SAVED_STATE_LIMIT;
        found = read_state(hub, limit, now_ms);
        push_limit_name(&hub->credentials[credential], &hub->targets[target], &text);
    }
    uv_mutex_unlock(&hub->lock);
    if (!is_lasting(&found) || rc_buf_status(&text) != RC_OK)
        return false;
    *ret_saved =
        (rc_saved_state){.kind = kind, .name = rc_buf_get(&text), .value = (uint64_t)found.state};
    if (found.state == RC_CREDENTIAL_EXHAUSTED && found.until_ms > now_ms)
        ret_saved->until_unix_ms = now_unix_ms + (int64_t)(found.until_ms - now_ms);
    return true;
}

bool rc_hub_unsave_credential(rc_hub *hub, uint16_t credential, uint64_t now_ms, char *name,
                              rc_saved_state *ret_saved)
{
    rc_buf text;
    bool is_good = false;
    if (atomic_load_explicit(&hub->refused, memory_order_relaxed) == 0)
        return false;
    rc_buf_init_fixed(&text, name, RC_HUB_SAVED_NAME_MAX);
    uv_mutex_lock(&hub->lock);
    if (credential < hub->credential_count && hub->credentials[credential].is_refused) {
        const known found = read_state(hub, &hub->shared.credentials[credential], now_ms);
        is_good = found.state != RC_CREDENTIAL_DEAD;
    }
    if (is_good) {
        hub->credentials[credential].is_refused = false;
        atomic_fetch_sub_explicit(&hub->refused, 1, memory_order_relaxed);
        push_saved_name(&hub->credentials[credential], &text);
    }
    uv_mutex_unlock(&hub->lock);
    *ret_saved = (rc_saved_state){.kind = RC_SAVED_STATE_CREDENTIAL, .name = rc_buf_get(&text)};
    return is_good && rc_buf_status(&text) == RC_OK;
}

/* Adds the entry that removes a saved state of a credential from the store: its state at `target`
 * or, if `target` is NULL, its own state. The caller holds hub->lock. */
static void add_cleared(rc_hub *hub, const rc_hub_target *target, uint16_t credential,
                        const rc_credential *row, uint64_t now_ms, rc_hub_saved_states *states)
{
    const known found = read_state(hub, row, now_ms);
    rc_buf text;
    if (!is_lasting(&found) || states->count == RC_HUB_SAVED_MAX)
        return;
    rc_buf_init_fixed(&text, states->names[states->count], RC_HUB_SAVED_NAME_MAX);
    if (target != NULL)
        push_limit_name(&hub->credentials[credential], target, &text);
    else
        push_saved_name(&hub->credentials[credential], &text);
    if (rc_buf_status(&text) == RC_OK)
        states->states[states->count++] = (rc_saved_state){
            .kind = target != NULL ? RC_SAVED_STATE_LIMIT : RC_SAVED_STATE_CREDENTIAL,
            .name = rc_buf_get(&text)};
}

void rc_hub_clear_saved(rc_hub *hub, uint16_t target, uint16_t credential, uint64_t now_ms,
                        rc_hub_saved_states *ret_states)
{
    ret_states->count = 0;
    uv_mutex_lock(&hub->lock);
    if (credential < hub->credential_count)
        add_cleared(hub, NULL, credential, &hub->shared.credentials[credential], now_ms,
                    ret_states);
    for (uint32_t i = 0; i < hub->target_count; i++) {
        const rc_target *row = &hub->shared.targets[i];
        const uint32_t count = target == RC_NO_TARGET || target == i ? row->credential_count : 0;
        for (uint32_t k = 0; row->limits != NULL && k < count; k++)
            if (credential == RC_NO_TARGET || credential == row->first_credential + k)
                add_cleared(hub, &hub->targets[i], (uint16_t)(row->first_credential + k),
                            &row->limits[k], now_ms, ret_states);
    }
    uv_mutex_unlock(&hub->lock);
}

/* ---- restoring after a restart ---- */

typedef struct restore {
    rc_hub *hub;
    uint64_t now_ms;
    int64_t now_unix_ms;
} restore;

static void restore_credential(const restore *r, const rc_saved_state *saved)
{
    rc_hub *hub = r->hub;
    if (saved->value != RC_CREDENTIAL_EXHAUSTED && saved->value != RC_CREDENTIAL_DEAD)
        return;
    if (saved->value == RC_CREDENTIAL_EXHAUSTED && saved->until_unix_ms <= r->now_unix_ms)
        return;
    /* The gateway tries a rejected key once more after a restart, because the operator may have
     * replaced or enabled the key. */
    const uint64_t until_ms = saved->value == RC_CREDENTIAL_DEAD
                                  ? r->now_ms
                                  : r->now_ms + (uint64_t)(saved->until_unix_ms - r->now_unix_ms);
    for (uint32_t i = 0; i < hub->credential_count; i++) {
        char scratch[RC_HUB_SAVED_NAME_MAX];
        rc_buf name;
        rc_buf_init_fixed(&name, scratch, sizeof scratch);
        push_saved_name(&hub->credentials[i], &name);
        if (!rc_str_eq(rc_buf_get(&name), saved->name))
            continue;
        if (saved->value == RC_CREDENTIAL_DEAD)
            note_refused(hub, i);
        rc_shared_cool_down_credential(&hub->shared, (uint16_t)i, (rc_credential_state)saved->value,
                                       until_ms);
    }
}

/* Finds a provider in the newest snapshot. Returns NULL if no provider has this name. */
static const rc_snapshot_provider *find_provider(const rc_hub *hub, rc_str name)
{
    const rc_snapshot *snapshot = hub->snapshot;
    for (size_t i = 0; snapshot != NULL && i < snapshot->config->provider_count; i++)
        if (rc_str_eq(snapshot->config->providers[i].name, name))
            return &snapshot->providers[i];
    return NULL;
}

/* Restores the state of a credential at one target. saved->name is "provider#fingerprint/model". If
 * only clients name this target, it gets its row here. */
static void restore_limit(const restore *r, const rc_saved_state *saved)
{
    rc_hub *hub = r->hub;
    const size_t hash = rc_str_find_byte(saved->name, '#', 0);
    const size_t slash =
        hash != RC_STR_NPOS ? rc_str_find_byte(saved->name, '/', hash) : RC_STR_NPOS;
    if (slash == RC_STR_NPOS || saved->value != RC_CREDENTIAL_EXHAUSTED ||
        saved->until_unix_ms <= r->now_unix_ms)
        return;
    const rc_snapshot_provider *provider = find_provider(hub, rc_str_slice(saved->name, 0, hash));
    const rc_str key = rc_str_slice(saved->name, 0, slash);
    const rc_str model = rc_str_slice(saved->name, slash + 1, saved->name.len);
    const uint16_t row = provider != NULL ? rc_hub_take_named_target(hub, provider->config->name,
                                                                     model, provider, r->now_ms)
                                          : RC_NO_TARGET;
    if (row == RC_NO_TARGET)
        return;
    const uint64_t until_ms = r->now_ms + (uint64_t)(saved->until_unix_ms - r->now_unix_ms);
    for (uint32_t i = 0; i < hub->credential_count; i++) {
        char scratch[RC_HUB_SAVED_NAME_MAX];
        rc_buf name;
        rc_buf_init_fixed(&name, scratch, sizeof scratch);
        push_saved_name(&hub->credentials[i], &name);
        if (rc_str_eq(rc_buf_get(&name), key))
            rc_shared_limit_credential(&hub->shared, row, (uint16_t)i, RC_CREDENTIAL_EXHAUSTED,
                                       until_ms);
    }
    rc_hub_release_target(hub, row, r->now_ms);
}

/* Restores the state of a target. The state of a target without a row stays in the store until the
 * next restart. */
static void restore_target(const restore *r, const rc_saved_state *saved)
{
    const uint16_t row = rc_hub_take_target(r->hub, saved->name);
    if (row == RC_NO_TARGET)
        return;
    if (saved->value != 0)
        rc_shared_set_service(&r->hub->shared, row, false);
    rc_hub_release_target(r->hub, row, r->now_ms);
}

static bool on_saved_state(void *ctx, const rc_saved_state *saved)
{
    switch (saved->kind) {
    case RC_SAVED_STATE_CREDENTIAL:
        restore_credential(ctx, saved);
        break;
    case RC_SAVED_STATE_TARGET:
        restore_target(ctx, saved);
        break;
    case RC_SAVED_STATE_LIMIT:
        restore_limit(ctx, saved);
        break;
    case RC_SAVED_STATE_BUDGET:
        break; /* rc_budgets_restore reads the raises of budgets, because a later reload may add the
                * budget. */
    }
    return true;
}

static bool on_newest(void *ctx, const rc_record *record)
{
    restore *r = ctx;
    if (record->unix_ms > r->now_unix_ms)
        r->now_unix_ms = record->unix_ms;
    return false;
}

/* If the clock was set back, a short cooldown would become a long one. Therefore, if the current
 * time is earlier than the newest record, the time of this record is used instead. Every saved
 * state was written together with a record, so no restored cooldown is longer than the original
 * one. */
bool rc_hub_restore(rc_hub *hub, rc_store *store, uint64_t now_ms, int64_t now_unix_ms,
                    rc_store_fault *fault)
{
    const rc_store_query newest = {.limit = 1};
    restore r = {.hub = hub, .now_ms = now_ms, .now_unix_ms = now_unix_ms};
    return rc_store_list(store, &newest, on_newest, &r, fault) &&
           rc_store_saved_states(store, on_saved_state, &r, fault);
}
