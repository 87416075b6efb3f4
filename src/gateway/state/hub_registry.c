/* The registry of rc_hub: gives target and credential names their row numbers in rc_shared. Called
 * by snapshot.c, hub.c, gateway_admin.c and exchanges. */
#define OPENSSL_SUPPRESS_DEPRECATED /* For SHA256_Init, SHA256_Update and SHA256_Final; see
                                       rc_key_fingerprint_of. */
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include "base/str.h"
#include "gateway/state/hub.h"
#include "sys/clock.h"

#define FIRST_CAPACITY 64u
/* Longest "provider/model" that has a row of its own. Targets with longer names share the row of
 * the provider's model "*". */
#define NAME_MAX_BYTES 1024u

/* ---- memory ---- */

static uint32_t next_capacity(uint32_t capacity)
{
    const uint32_t next = capacity == 0 ? FIRST_CAPACITY : 2 * capacity;
    return next < RC_HUB_ROWS_MAX ? next : RC_HUB_ROWS_MAX;
}

static void *get(const rc_hub *hub, size_t size)
{
    void *memory = hub->alloc.get(hub->alloc.ctx, size);
    if (memory != NULL)
        memset(memory, 0, size);
    return memory;
}

static void put(const rc_hub *hub, void *memory, size_t size)
{
    if (memory != NULL)
        hub->alloc.put(hub->alloc.ctx, memory, size);
}

/* Grows the hub's table of targets and the table of rc_shared. If there is no memory for one of
 * them, neither grows. */
static bool grow_targets(rc_hub *hub, uint32_t capacity, uint64_t now_ms)
{
    rc_shared *shared = &hub->shared;
    rc_hub_target *names = get(hub, capacity * sizeof *names);
    rc_target *rows = get(hub, capacity * sizeof *rows);
    if (names == NULL || rows == NULL) {
        put(hub, names, capacity * sizeof *names);
        put(hub, rows, capacity * sizeof *rows);
        return false;
    }
    rc_target *old = shared->targets;
    if (hub->target_count > 0)
        memcpy(names, hub->targets, hub->target_count * sizeof *names);
    rc_shared_grow(shared, rows, (uint16_t)capacity, shared->credentials, shared->credential_count,
                   now_ms);
    put(hub, old, hub->target_capacity * sizeof *old);
    put(hub, hub->targets, hub->target_capacity * sizeof *hub->targets);
    hub->targets = names;
    hub->target_capacity = capacity;
    return true;
}

static bool grow_credentials(rc_hub *hub, uint32_t capacity, uint64_t now_ms)
{
    rc_shared *shared = &hub->shared;
    rc_hub_credential *names = get(hub, capacity * sizeof *names);
    rc_credential *rows = get(hub, capacity * sizeof *rows);
    if (names == NULL || rows == NULL) {
        put(hub, names, capacity * sizeof *names);
        put(hub, rows, capacity * sizeof *rows);
        return false;
    }
    rc_credential *old = shared->credentials;
    if (hub->credential_count > 0)
        memcpy(names, hub->credentials, hub->credential_count * sizeof *names);
    rc_shared_grow(shared, shared->targets, shared->target_count, rows, (uint16_t)capacity, now_ms);
    put(hub, old, hub->credential_capacity * sizeof *old);
    put(hub, hub->credentials, hub->credential_capacity * sizeof *hub->credentials);
    hub->credentials = names;
    hub->credential_capacity = capacity;
    return true;
}

/* ---- names of targets ---- */

/* Adds bytes to an FNV-1a hash. */
static uint32_t hash_more(uint32_t hash, rc_str text)
{
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (uint8_t)text.ptr[i]) * UINT32_C(16777619);
    return hash;
}

static uint32_t hash_of(rc_str provider, rc_str model)
{
    const uint32_t hash = hash_more(UINT32_C(2166136261), provider);
    return hash_more(hash_more(hash, RC_STR("/")), model);
}

static rc_str provider_in(const rc_hub_target *row)
{
    return rc_str_make(row->name, row->provider_len);
}

static rc_str model_in(const rc_hub_target *row)
{
    return rc_str_make(row->name + row->provider_len + 1,
                       (size_t)(row->name_len - row->provider_len - 1));
}

/* Returns the index slot that holds the name. If the name is missing, returns the free slot where
 * the name belongs. */
static uint32_t slot_of(const rc_hub *hub, rc_str provider, rc_str model)
{
    uint32_t slot = hash_of(provider, model) & (hub->index_size - 1);
    while (hub->index[slot] != 0) {
        const rc_hub_target *row = &hub->targets[hub->index[slot] - 1];
        if (rc_str_eq(provider_in(row), provider) && rc_str_eq(model_in(row), model))
            break;
        slot = (slot + 1) & (hub->index_size - 1);
    }
    return slot;
}

/* Removes a name from the index. Later entries of the same probe sequence move up, because a search
 * (linear probing) ends at the first free slot. */
static void forget(rc_hub *hub, const rc_hub_target *row)
{
    const uint32_t mask = hub->index_size - 1;
    uint32_t hole = slot_of(hub, provider_in(row), model_in(row));
    hub->index[hole] = 0;
    for (uint32_t at = (hole + 1) & mask; hub->index[at] != 0; at = (at + 1) & mask) {
        const rc_hub_target *next = &hub->targets[hub->index[at] - 1];
        const uint32_t home = hash_of(provider_in(next), model_in(next)) & mask;
        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        hub->index[hole] = hub->index[at];
        hub->index[at] = 0;
        hole = at;
    }
}

/* Doubles the index. The index is at most half full, and its size is a power of two. */
static bool grow_index(rc_hub *hub)
{
    const uint32_t old_size = hub->index_size;
    uint16_t *old = hub->index;
    const uint32_t size = old_size == 0 ? 4 * FIRST_CAPACITY : 2 * old_size;
    uint16_t *index = get(hub, size * sizeof *index);
    if (index == NULL)
        return false;
    hub->index = index;
    hub->index_size = size;
    for (uint32_t i = 0; i < hub->target_count; i++) {
        const rc_hub_target *row = &hub->targets[i];
        index[slot_of(hub, provider_in(row), model_in(row))] = (uint16_t)(i + 1);
    }
    put(hub, old, old_size * sizeof *old);
    return true;
}

static char *join(const rc_hub *hub, rc_str provider, char between, rc_str rest)
{
    char *name = get(hub, provider.len + 1 + rest.len);
    if (name == NULL)
        return NULL;
    memcpy(name, provider.ptr, provider.len);
    name[provider.len] = between;
    if (rest.len > 0)
        memcpy(name + provider.len + 1, rest.ptr, rest.len);
    return name;
}

/* Returns the row of a name; RC_NO_TARGET if the name is unknown. The caller holds hub->lock. */
static uint16_t find(const rc_hub *hub, rc_str provider, rc_str model)
{
    if (hub->index_size == 0)
        return RC_NO_TARGET;
    const uint16_t at = hub->index[slot_of(hub, provider, model)];
    return at == 0 ? RC_NO_TARGET : (uint16_t)(at - 1);
}

/* Adds a row for a target. The caller holds hub->lock. */
static uint16_t add(rc_hub *hub, rc_str provider, rc_str model, uint64_t now_ms)
{
    if (provider.len + model.len + 1 > NAME_MAX_BYTES || hub->target_count == RC_HUB_ROWS_MAX)
        return RC_NO_TARGET;
    if (hub->target_count == hub->target_capacity &&
        !grow_targets(hub, next_capacity(hub->target_capacity), now_ms))
        return RC_NO_TARGET;
    if (2 * hub->target_count >= hub->index_size && !grow_index(hub))
        return RC_NO_TARGET;
    char *name = join(hub, provider, '/', model);
    if (name == NULL)
        return RC_NO_TARGET;
    const uint32_t slot = slot_of(hub, provider, model);
    const uint32_t row = hub->target_count++;
    hub->targets[row] = (rc_hub_target){.name = name,
                                        .name_len = (uint16_t)(provider.len + 1 + model.len),
                                        .provider_len = (uint16_t)provider.len};
    rc_health_init(&hub->targets[row].health, rc_clock_unix_ms(hub->calls));
    hub->index[slot] = (uint16_t)(row + 1);
    return (uint16_t)row;
}

uint16_t rc_hub_add_target(rc_hub *hub, rc_str provider, rc_str model, uint64_t now_ms)
{
    uv_mutex_lock(&hub->lock);
    uint16_t row = find(hub, provider, model);
    if (row == RC_NO_TARGET)
        row = add(hub, provider, model, now_ms);
    /* The configuration names this target now, so its row no longer counts as the row of a named
     * target. */
    if (row != RC_NO_TARGET && hub->targets[row].is_client_named) {
        hub->targets[row].is_client_named = false;
        hub->named_target_count--;
    }
    uv_mutex_unlock(&hub->lock);
    return row;
}

static void set_row_pool(rc_hub *hub, uint16_t row, const rc_snapshot_provider *provider)
{
    const rc_config_provider *config = provider->config;
    rc_hub_set_row_pool(hub, row, provider->first_key, (uint16_t)config->key_count);
    rc_shared_set_limit(&hub->shared, row, (uint32_t)config->max_in_flight);
}

/* Returns the provider as it is in the newest snapshot, because `provider` may belong to an older
 * snapshot that an exchange still uses. The caller holds hub->lock. */
static const rc_snapshot_provider *newest(const rc_hub *hub, const rc_snapshot_provider *mine)
{
    const rc_snapshot *snapshot = hub->snapshot;
    for (size_t i = 0; snapshot != NULL && i < snapshot->config->provider_count; i++)
        if (rc_str_eq(snapshot->config->providers[i].name, mine->config->name))
            return &snapshot->providers[i];
    return mine;
}

/* ---- named targets ---- */

/* Whether a named target's row is unused and holds no state that would be lost. The caller holds
 * hub->lock. */
static bool is_unused(rc_hub *hub, uint32_t row, uint64_t now_ms)
{
    if (!hub->targets[row].is_client_named || hub->targets[row].users > 0)
        return false;
    uv_mutex_lock(&hub->shared_lock);
    const rc_target *known = &hub->shared.targets[row];
    const bool is_plain = known->breaker.state == RC_BREAKER_CLOSED && !known->is_out_of_service &&
                          known->limiter.in_flight == 0 &&
                          !rc_cooldown_is_on(&known->cooldown, false, now_ms) &&
                          !rc_hub_has_limits(known, now_ms);
    uv_mutex_unlock(&hub->shared_lock);
    return is_plain;
}

/* Gives the row that has been unused longest to another named target and resets the row's state.
 * The caller holds hub->lock. */
static uint16_t reuse_row(rc_hub *hub, rc_str provider, rc_str model, uint64_t now_ms)
{
    uint32_t found = hub->target_count;
    if (provider.len + model.len + 1 > NAME_MAX_BYTES)
        return RC_NO_TARGET;
    for (uint32_t i = 0; i < hub->target_count; i++)
        if ((found == hub->target_count ||
             hub->targets[i].unused_since_ms < hub->targets[found].unused_since_ms) &&
            is_unused(hub, i, now_ms))
            found = i;
    char *name = found < hub->target_count ? join(hub, provider, '/', model) : NULL;
    if (name == NULL)
        return RC_NO_TARGET;
    rc_hub_target *row = &hub->targets[found];
    forget(hub, row);
    put(hub, row->name, row->name_len);
    *row = (rc_hub_target){.name = name,
                           .name_len = (uint16_t)(provider.len + 1 + model.len),
                           .provider_len = (uint16_t)provider.len,
                           .is_client_named = true};
    rc_health_init(&row->health, rc_clock_unix_ms(hub->calls));
    hub->index[slot_of(hub, provider, model)] = (uint16_t)(found + 1);
    rc_shared_clear_target(&hub->shared, (uint16_t)found, now_ms);
    rc_quota_cache_remove(&hub->quotas, (uint16_t)found);
    return (uint16_t)found;
}

/* Finds or adds the row of a named target. The caller holds hub->lock. */
static uint16_t add_named_target(rc_hub *hub, rc_str provider, rc_str model, uint64_t now_ms)
{
    if (hub->named_target_count >= RC_HUB_NAMED_TARGETS_MAX)
        return reuse_row(hub, provider, model, now_ms);
    const uint16_t row = add(hub, provider, model, now_ms);
    if (row != RC_NO_TARGET) {
        hub->targets[row].is_client_named = true;
        hub->named_target_count++;
    }
    return row;
}

uint16_t rc_hub_take_named_target(rc_hub *hub, rc_str provider, rc_str model,
                                  const rc_snapshot_provider *pool, uint64_t now_ms)
{
    uv_mutex_lock(&hub->lock);
    uint16_t row = find(hub, provider, model);
    if (row == RC_NO_TARGET) {
        row = add_named_target(hub, provider, model, now_ms);
        if (row != RC_NO_TARGET) {
            hub->targets[row].generation = rc_hub_generation(hub);
            set_row_pool(hub, row, newest(hub, pool));
        }
    }
    if (row != RC_NO_TARGET)
        hub->targets[row].users++;
    uv_mutex_unlock(&hub->lock);
    return row;
}

void rc_hub_release_target(rc_hub *hub, uint16_t target, uint64_t now_ms)
{
    uv_mutex_lock(&hub->lock);
    rc_hub_target *row = &hub->targets[target];
    row->users--;
    if (row->users == 0)
        row->unused_since_ms = now_ms;
    uv_mutex_unlock(&hub->lock);
}

void rc_hub_set_generation(rc_hub *hub, uint16_t target, uint32_t generation)
{
    uv_mutex_lock(&hub->lock);
    hub->targets[target].generation = generation;
    uv_mutex_unlock(&hub->lock);
}

void rc_hub_set_pool(rc_hub *hub, const rc_snapshot_provider *provider, uint32_t generation)
{
    uv_mutex_lock(&hub->lock);
    for (uint32_t i = 0; i < hub->target_count; i++) {
        rc_hub_target *row = &hub->targets[i];
        if (!rc_str_eq(provider_in(row), provider->config->name))
            continue;
        set_row_pool(hub, (uint16_t)i, provider);
        if (row->is_client_named)
            row->generation = generation;
    }
    uv_mutex_unlock(&hub->lock);
}

/* ---- credentials ---- */

/* The SHA-256 functions are called directly, because OpenSSL's generic digest functions first load
 * OpenSSL's configuration and providers (2.5 MB), which a gateway without TLS does not need. */
rc_key_fingerprint rc_key_fingerprint_of(rc_secret key)
{
    static const char salt[] = "recourse credential";
    uint8_t hash[SHA256_DIGEST_LENGTH];
    SHA256_CTX ctx;
    rc_key_fingerprint fingerprint = {{0}};
    _Static_assert(sizeof hash >= sizeof fingerprint.bytes,
                   "a fingerprint is the prefix of a hash");
    if (SHA256_Init(&ctx) == 1 && SHA256_Update(&ctx, salt, sizeof salt) == 1 &&
        SHA256_Update(&ctx, key.hidden, key.len) == 1 && SHA256_Final(hash, &ctx) == 1)
        memcpy(fingerprint.bytes, hash, sizeof fingerprint.bytes);
    OPENSSL_cleanse(&ctx, sizeof ctx);
    return fingerprint;
}

bool rc_key_fingerprint_eq(const rc_key_fingerprint *a, const rc_key_fingerprint *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static bool is_of(const rc_hub_credential *row, rc_str provider)
{
    return rc_str_eq(rc_str_make(row->name, row->provider_len), provider);
}

/* Whether the provider's latest list has exactly these keys in this order. The caller holds
 * hub->lock. */
static bool find_pool(const rc_hub *hub, rc_str provider, const rc_key_fingerprint *fingerprints,
                      size_t count, uint32_t *ret_first)
{
    uint32_t first = hub->credential_count;
    while (first > 0 && !(is_of(&hub->credentials[first - 1], provider) &&
                          hub->credentials[first - 1].pool_count > 0))
        first--;
    if (first == 0 || hub->credentials[first - 1].pool_count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!rc_key_fingerprint_eq(&hub->credentials[first - 1 + i].fingerprint, &fingerprints[i]))
            return false;
    *ret_first = first - 1;
    return true;
}

/* Writes the credential's name, such as "provider:12". */
static bool name_credential(rc_hub *hub, rc_str provider, size_t number, rc_hub_credential *row)
{
    char digits[24];
    rc_buf text;
    rc_buf_init_fixed(&text, digits, sizeof digits);
    rc_buf_push_u64(&text, number);
    const rc_str tail = rc_buf_get(&text);
    row->name = join(hub, provider, ':', tail);
    row->name_len = (uint16_t)(provider.len + 1 + tail.len);
    row->provider_len = (uint16_t)provider.len;
    return row->name != NULL;
}

/* Copies the state of a key from the provider's earlier list, if that list has the same key. The
 * caller holds hub->lock. */
static void carry_over(rc_hub *hub, rc_str provider, uint32_t first, uint32_t row)
{
    rc_shared *shared = &hub->shared;
    for (uint32_t i = first; i > 0; i--) {
        const rc_hub_credential *old = &hub->credentials[i - 1];
        if (!is_of(old, provider) ||
            !rc_key_fingerprint_eq(&old->fingerprint, &hub->credentials[row].fingerprint))
            continue;
        uv_mutex_lock(&hub->shared_lock);
        hub->credentials[row].is_refused = old->is_refused;
        shared->credentials[row] = shared->credentials[i - 1];
        shared->credentials[row].is_refreshing = false;
        uv_mutex_unlock(&hub->shared_lock);
        return;
    }
}

/* Adds consecutive rows for a provider's keys. The caller holds hub->lock. */
static bool add_pool(rc_hub *hub, rc_str provider, const rc_key_fingerprint *fingerprints,
                     size_t count, uint64_t now_ms, uint32_t *ret_first)
{
    const uint32_t first = hub->credential_count;
    if (count > RC_HUB_ROWS_MAX - first)
        return false;
    while (hub->credential_capacity < first + count)
        if (!grow_credentials(hub, next_capacity(hub->credential_capacity), now_ms))
            return false;
    for (size_t i = 0; i < count; i++) {
        rc_hub_credential *row = &hub->credentials[first + i];
        if (!name_credential(hub, provider, i + 1, row))
            return false;
        row->fingerprint = fingerprints[i];
        hub->credential_count++;
        carry_over(hub, provider, first, first + (uint32_t)i);
    }
    hub->credentials[first].pool_count = (uint16_t)count;
    *ret_first = first;
    return true;
}

bool rc_hub_add_pool(rc_hub *hub, rc_str provider, const rc_key_fingerprint *fingerprints,
                     size_t count, uint64_t now_ms, uint16_t *ret_first)
{
    uint32_t first = 0;
    *ret_first = 0;
    if (count == 0)
        return true;
    uv_mutex_lock(&hub->lock);
    const bool is_there = find_pool(hub, provider, fingerprints, count, &first) ||
                          add_pool(hub, provider, fingerprints, count, now_ms, &first);
    uv_mutex_unlock(&hub->lock);
    *ret_first = (uint16_t)first;
    return is_there;
}

/* ---- search by name ---- */

uint16_t rc_hub_take_target(rc_hub *hub, rc_str name)
{
    uint16_t row = RC_NO_TARGET;
    const size_t slash = rc_str_find_byte(name, '/', 0);
    if (slash == RC_STR_NPOS)
        return row;
    uv_mutex_lock(&hub->lock);
    row = find(hub, rc_str_slice(name, 0, slash), rc_str_slice(name, slash + 1, name.len));
    if (row != RC_NO_TARGET)
        hub->targets[row].users++;
    uv_mutex_unlock(&hub->lock);
    return row;
}

/* Returns the latest row with this name, because an earlier row with the same name belongs to a
 * replaced list of keys. */
uint16_t rc_hub_find_credential(rc_hub *hub, rc_str name)
{
    uint16_t row = RC_NO_TARGET;
    uv_mutex_lock(&hub->lock);
    for (uint32_t i = 0; i < hub->credential_count; i++)
        if (rc_str_eq(rc_str_make(hub->credentials[i].name, hub->credentials[i].name_len), name))
            row = (uint16_t)i;
    uv_mutex_unlock(&hub->lock);
    return row;
}

bool rc_hub_credential_name(rc_hub *hub, uint16_t credential, rc_buf *ret_name)
{
    bool is_there = false;
    uv_mutex_lock(&hub->lock);
    if (credential < hub->credential_count) {
        const rc_hub_credential *row = &hub->credentials[credential];
        is_there = rc_buf_push(ret_name, rc_str_make(row->name, row->name_len)) == RC_OK;
    }
    uv_mutex_unlock(&hub->lock);
    return is_there;
}
