/* The rows of rc_gate_world: names for the numbers of rc_shared. */
#define OPENSSL_SUPPRESS_DEPRECATED /* SHA256_Init and its like; see rc_world_print_of */
#include <string.h>

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include "base/str.h"
#include "gateway/world.h"
#include "sys/clock.h"

#define FIRST_ROOM 64u
/* Provider, slash and model; longer ones share the provider's "*". */
#define NAME_MAX_BYTES 1024u

/* ---- memory ---- */

static uint32_t next_room(uint32_t room)
{
    const uint32_t next = room == 0 ? FIRST_ROOM : 2 * room;
    return next < RC_WORLD_ROWS_MAX ? next : RC_WORLD_ROWS_MAX;
}

static void *get(const rc_gate_world *world, size_t size)
{
    void *memory = world->alloc.get(world->alloc.ctx, size);
    if (memory != NULL)
        memset(memory, 0, size);
    return memory;
}

static void put(const rc_gate_world *world, void *memory, size_t size)
{
    if (memory != NULL)
        world->alloc.put(world->alloc.ctx, memory, size);
}

/* Both halves of larger tables, names and rc_shared's, or nothing. */
static bool grow_targets(rc_gate_world *world, uint32_t room, uint64_t now_ms)
{
    rc_shared *shared = &world->shared;
    rc_world_target *names = get(world, room * sizeof *names);
    rc_target *rows = get(world, room * sizeof *rows);
    if (names == NULL || rows == NULL) {
        put(world, names, room * sizeof *names);
        put(world, rows, room * sizeof *rows);
        return false;
    }
    rc_target *old = shared->targets;
    if (world->target_count > 0)
        memcpy(names, world->targets, world->target_count * sizeof *names);
    rc_shared_grow(shared, rows, (uint16_t)room, shared->credentials, shared->credential_count,
                   now_ms);
    put(world, old, world->target_room * sizeof *old);
    put(world, world->targets, world->target_room * sizeof *world->targets);
    world->targets = names;
    world->target_room = room;
    return true;
}

static bool grow_credentials(rc_gate_world *world, uint32_t room, uint64_t now_ms)
{
    rc_shared *shared = &world->shared;
    rc_world_credential *names = get(world, room * sizeof *names);
    rc_credential *rows = get(world, room * sizeof *rows);
    if (names == NULL || rows == NULL) {
        put(world, names, room * sizeof *names);
        put(world, rows, room * sizeof *rows);
        return false;
    }
    rc_credential *old = shared->credentials;
    if (world->credential_count > 0)
        memcpy(names, world->credentials, world->credential_count * sizeof *names);
    rc_shared_grow(shared, shared->targets, shared->target_count, rows, (uint16_t)room, now_ms);
    put(world, old, world->credential_room * sizeof *old);
    put(world, world->credentials, world->credential_room * sizeof *world->credentials);
    world->credentials = names;
    world->credential_room = room;
    return true;
}

/* ---- names of targets ---- */

/* FNV-1a. */
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

static rc_str provider_in(const rc_world_target *row)
{
    return rc_str_make(row->name, row->provider_len);
}

static rc_str model_in(const rc_world_target *row)
{
    return rc_str_make(row->name + row->provider_len + 1,
                       (size_t)(row->name_len - row->provider_len - 1));
}

/* The place in the index: of the name, or where it belongs. */
static uint32_t slot_of(const rc_gate_world *world, rc_str provider, rc_str model)
{
    uint32_t slot = hash_of(provider, model) & (world->index_size - 1);
    while (world->index[slot] != 0) {
        const rc_world_target *row = &world->targets[world->index[slot] - 1];
        if (rc_str_eq(provider_in(row), provider) && rc_str_eq(model_in(row), model))
            break;
        slot = (slot + 1) & (world->index_size - 1);
    }
    return slot;
}

/* Takes a name out. What stands behind it, up to the next free place, moves up where it may: a
 * search ends at the first free place. */
static void forget(rc_gate_world *world, const rc_world_target *row)
{
    const uint32_t mask = world->index_size - 1;
    uint32_t hole = slot_of(world, provider_in(row), model_in(row));
    world->index[hole] = 0;
    for (uint32_t at = (hole + 1) & mask; world->index[at] != 0; at = (at + 1) & mask) {
        const rc_world_target *next = &world->targets[world->index[at] - 1];
        const uint32_t home = hash_of(provider_in(next), model_in(next)) & mask;
        if (((at - home) & mask) < ((at - hole) & mask))
            continue;
        world->index[hole] = world->index[at];
        world->index[at] = 0;
        hole = at;
    }
}

/* At most half full, and a power of two. */
static bool grow_index(rc_gate_world *world)
{
    const uint32_t old_size = world->index_size;
    uint16_t *old = world->index;
    const uint32_t size = old_size == 0 ? 4 * FIRST_ROOM : 2 * old_size;
    uint16_t *index = get(world, size * sizeof *index);
    if (index == NULL)
        return false;
    world->index = index;
    world->index_size = size;
    for (uint32_t i = 0; i < world->target_count; i++) {
        const rc_world_target *row = &world->targets[i];
        index[slot_of(world, provider_in(row), model_in(row))] = (uint16_t)(i + 1);
    }
    put(world, old, old_size * sizeof *old);
    return true;
}

static char *join(const rc_gate_world *world, rc_str provider, char between, rc_str rest)
{
    char *name = get(world, provider.len + 1 + rest.len);
    if (name == NULL)
        return NULL;
    memcpy(name, provider.ptr, provider.len);
    name[provider.len] = between;
    if (rest.len > 0)
        memcpy(name + provider.len + 1, rest.ptr, rest.len);
    return name;
}

/* Locked. RC_NO_TARGET: it is not there. */
static uint16_t find(const rc_gate_world *world, rc_str provider, rc_str model)
{
    if (world->index_size == 0)
        return RC_NO_TARGET;
    const uint16_t at = world->index[slot_of(world, provider, model)];
    return at == 0 ? RC_NO_TARGET : (uint16_t)(at - 1);
}

/* Locked. */
static uint16_t add(rc_gate_world *world, rc_str provider, rc_str model, uint64_t now_ms)
{
    if (provider.len + model.len + 1 > NAME_MAX_BYTES || world->target_count == RC_WORLD_ROWS_MAX)
        return RC_NO_TARGET;
    if (world->target_count == world->target_room &&
        !grow_targets(world, next_room(world->target_room), now_ms))
        return RC_NO_TARGET;
    if (2 * world->target_count >= world->index_size && !grow_index(world))
        return RC_NO_TARGET;
    char *name = join(world, provider, '/', model);
    if (name == NULL)
        return RC_NO_TARGET;
    const uint32_t slot = slot_of(world, provider, model);
    const uint32_t row = world->target_count++;
    world->targets[row] = (rc_world_target){.name = name,
                                            .name_len = (uint16_t)(provider.len + 1 + model.len),
                                            .provider_len = (uint16_t)provider.len};
    rc_health_init(&world->targets[row].health, rc_clock_unix_ms(world->calls));
    world->index[slot] = (uint16_t)(row + 1);
    return (uint16_t)row;
}

uint16_t rc_gate_world_target(rc_gate_world *world, rc_str provider, rc_str model, uint64_t now_ms)
{
    uv_mutex_lock(&world->lock);
    uint16_t row = find(world, provider, model);
    if (row == RC_NO_TARGET)
        row = add(world, provider, model, now_ms);
    /* A route is about to name it: from now on it is nobody else's. */
    if (row != RC_NO_TARGET && world->targets[row].is_guest) {
        world->targets[row].is_guest = false;
        world->guests--;
    }
    uv_mutex_unlock(&world->lock);
    return row;
}

static void set_row_pool(rc_gate_world *world, uint16_t row, const rc_gate_provider *provider)
{
    const rc_config_provider *config = provider->config;
    rc_world_set_row_pool(world, row, provider->first_key, (uint16_t)config->key_count);
    rc_shared_set_limit(&world->shared, row, (uint32_t)config->max_in_flight);
}

/* Locked. The provider as it is now: a job may be of an edition that is no more. */
static const rc_gate_provider *newest(const rc_gate_world *world, const rc_gate_provider *mine)
{
    const rc_gate_plans *plans = world->plans;
    for (size_t i = 0; plans != NULL && i < plans->config->provider_count; i++)
        if (rc_str_eq(plans->config->providers[i].name, mine->config->name))
            return &plans->providers[i];
    return mine;
}

/* ---- guests ---- */

/* Locked. Is there nothing to be lost with it? */
static bool is_at_rest(rc_gate_world *world, uint32_t row, uint64_t now_ms)
{
    if (!world->targets[row].is_guest || world->targets[row].users > 0)
        return false;
    uv_mutex_lock(&world->shared_lock);
    const rc_target *known = &world->shared.targets[row];
    const bool is_plain = known->breaker.state == RC_BREAKER_CLOSED && !known->is_out_of_service &&
                          known->limiter.in_flight == 0 &&
                          !rc_cooldown_is_on(&known->cooldown, false, now_ms) &&
                          !rc_world_has_limits(known, now_ms);
    uv_mutex_unlock(&world->shared_lock);
    return is_plain;
}

/* Locked. The row of a guest that has rested longest gets another name, and knows nothing of it. */
static uint16_t use_again(rc_gate_world *world, rc_str provider, rc_str model, uint64_t now_ms)
{
    uint32_t found = world->target_count;
    if (provider.len + model.len + 1 > NAME_MAX_BYTES)
        return RC_NO_TARGET;
    for (uint32_t i = 0; i < world->target_count; i++)
        if ((found == world->target_count ||
             world->targets[i].rested_at_ms < world->targets[found].rested_at_ms) &&
            is_at_rest(world, i, now_ms))
            found = i;
    char *name = found < world->target_count ? join(world, provider, '/', model) : NULL;
    if (name == NULL)
        return RC_NO_TARGET;
    rc_world_target *row = &world->targets[found];
    forget(world, row);
    put(world, row->name, row->name_len);
    *row = (rc_world_target){.name = name,
                             .name_len = (uint16_t)(provider.len + 1 + model.len),
                             .provider_len = (uint16_t)provider.len,
                             .is_guest = true};
    rc_health_init(&row->health, rc_clock_unix_ms(world->calls));
    world->index[slot_of(world, provider, model)] = (uint16_t)(found + 1);
    rc_shared_clear_target(&world->shared, (uint16_t)found, now_ms);
    rc_quota_board_forget(&world->quotas, (uint16_t)found);
    return (uint16_t)found;
}

/* Locked. */
static uint16_t add_guest(rc_gate_world *world, rc_str provider, rc_str model, uint64_t now_ms)
{
    if (world->guests >= RC_WORLD_GUESTS_MAX)
        return use_again(world, provider, model, now_ms);
    const uint16_t row = add(world, provider, model, now_ms);
    if (row != RC_NO_TARGET) {
        world->targets[row].is_guest = true;
        world->guests++;
    }
    return row;
}

uint16_t rc_gate_world_guest(rc_gate_world *world, rc_str provider, rc_str model,
                             const rc_gate_provider *pool, uint64_t now_ms)
{
    uv_mutex_lock(&world->lock);
    uint16_t row = find(world, provider, model);
    if (row == RC_NO_TARGET) {
        row = add_guest(world, provider, model, now_ms);
        if (row != RC_NO_TARGET) {
            world->targets[row].edition = rc_gate_world_edition(world);
            set_row_pool(world, row, newest(world, pool));
        }
    }
    if (row != RC_NO_TARGET)
        world->targets[row].users++;
    uv_mutex_unlock(&world->lock);
    return row;
}

void rc_gate_world_leave(rc_gate_world *world, uint16_t target, uint64_t now_ms)
{
    uv_mutex_lock(&world->lock);
    rc_world_target *row = &world->targets[target];
    row->users--;
    if (row->users == 0)
        row->rested_at_ms = now_ms;
    uv_mutex_unlock(&world->lock);
}

void rc_gate_world_set_edition(rc_gate_world *world, uint16_t target, uint32_t edition)
{
    uv_mutex_lock(&world->lock);
    world->targets[target].edition = edition;
    uv_mutex_unlock(&world->lock);
}

void rc_gate_world_set_pool(rc_gate_world *world, const rc_gate_provider *provider,
                            uint32_t edition)
{
    uv_mutex_lock(&world->lock);
    for (uint32_t i = 0; i < world->target_count; i++) {
        rc_world_target *row = &world->targets[i];
        if (!rc_str_eq(provider_in(row), provider->config->name))
            continue;
        set_row_pool(world, (uint16_t)i, provider);
        if (row->is_guest)
            row->edition = edition;
    }
    uv_mutex_unlock(&world->lock);
}

/* ---- credentials ---- */

/* SHA-256 by its own functions: those that take any digest load OpenSSL's configuration and
 * providers first, 2.5 MB, for a gateway that may have no use for TLS. */
rc_world_print rc_world_print_of(rc_secret key)
{
    static const char salt[] = "recourse credential";
    uint8_t hash[SHA256_DIGEST_LENGTH];
    SHA256_CTX ctx;
    rc_world_print print = {{0}};
    _Static_assert(sizeof hash >= sizeof print.bytes, "a print is the beginning of a hash");
    if (SHA256_Init(&ctx) == 1 && SHA256_Update(&ctx, salt, sizeof salt) == 1 &&
        SHA256_Update(&ctx, key.hidden, key.len) == 1 && SHA256_Final(hash, &ctx) == 1)
        memcpy(print.bytes, hash, sizeof print.bytes);
    OPENSSL_cleanse(&ctx, sizeof ctx);
    return print;
}

bool rc_world_print_eq(const rc_world_print *a, const rc_world_print *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

static bool is_of(const rc_world_credential *row, rc_str provider)
{
    return rc_str_eq(rc_str_make(row->name, row->provider_len), provider);
}

/* Locked. Are these keys, in this order, the latest list that the provider had? */
static bool find_pool(const rc_gate_world *world, rc_str provider, const rc_world_print *prints,
                      size_t count, uint32_t *ret_first)
{
    uint32_t first = world->credential_count;
    while (first > 0 && !(is_of(&world->credentials[first - 1], provider) &&
                          world->credentials[first - 1].pool_count > 0))
        first--;
    if (first == 0 || world->credentials[first - 1].pool_count != count)
        return false;
    for (size_t i = 0; i < count; i++)
        if (!rc_world_print_eq(&world->credentials[first - 1 + i].print, &prints[i]))
            return false;
    *ret_first = first - 1;
    return true;
}

/* "provider:12" */
static bool name_credential(rc_gate_world *world, rc_str provider, size_t number,
                            rc_world_credential *row)
{
    char digits[24];
    rc_buf text;
    rc_buf_init_fixed(&text, digits, sizeof digits);
    rc_buf_push_u64(&text, number);
    const rc_str tail = rc_buf_get(&text);
    row->name = join(world, provider, ':', tail);
    row->name_len = (uint16_t)(provider.len + 1 + tail.len);
    row->provider_len = (uint16_t)provider.len;
    return row->name != NULL;
}

/* Locked. What is known of the same key from an earlier list. */
static void carry_over(rc_gate_world *world, rc_str provider, uint32_t first, uint32_t row)
{
    rc_shared *shared = &world->shared;
    for (uint32_t i = first; i > 0; i--) {
        const rc_world_credential *old = &world->credentials[i - 1];
        if (!is_of(old, provider) ||
            !rc_world_print_eq(&old->print, &world->credentials[row].print))
            continue;
        uv_mutex_lock(&world->shared_lock);
        world->credentials[row].is_refused = old->is_refused;
        shared->credentials[row] = shared->credentials[i - 1];
        shared->credentials[row].is_refreshing = false;
        uv_mutex_unlock(&world->shared_lock);
        return;
    }
}

/* Locked. */
static bool add_pool(rc_gate_world *world, rc_str provider, const rc_world_print *prints,
                     size_t count, uint64_t now_ms, uint32_t *ret_first)
{
    const uint32_t first = world->credential_count;
    if (count > RC_WORLD_ROWS_MAX - first)
        return false;
    while (world->credential_room < first + count)
        if (!grow_credentials(world, next_room(world->credential_room), now_ms))
            return false;
    for (size_t i = 0; i < count; i++) {
        rc_world_credential *row = &world->credentials[first + i];
        if (!name_credential(world, provider, i + 1, row))
            return false;
        row->print = prints[i];
        world->credential_count++;
        carry_over(world, provider, first, first + (uint32_t)i);
    }
    world->credentials[first].pool_count = (uint16_t)count;
    *ret_first = first;
    return true;
}

bool rc_gate_world_pool(rc_gate_world *world, rc_str provider, const rc_world_print *prints,
                        size_t count, uint64_t now_ms, uint16_t *ret_first)
{
    uint32_t first = 0;
    *ret_first = 0;
    if (count == 0)
        return true;
    uv_mutex_lock(&world->lock);
    const bool is_there = find_pool(world, provider, prints, count, &first) ||
                          add_pool(world, provider, prints, count, now_ms, &first);
    uv_mutex_unlock(&world->lock);
    *ret_first = (uint16_t)first;
    return is_there;
}

/* ---- by name ---- */

uint16_t rc_gate_world_take_target(rc_gate_world *world, rc_str name)
{
    uint16_t row = RC_NO_TARGET;
    const size_t slash = rc_str_find_byte(name, '/', 0);
    if (slash == RC_STR_NPOS)
        return row;
    uv_mutex_lock(&world->lock);
    row = find(world, rc_str_slice(name, 0, slash), rc_str_slice(name, slash + 1, name.len));
    if (row != RC_NO_TARGET)
        world->targets[row].users++;
    uv_mutex_unlock(&world->lock);
    return row;
}

/* The latest: an older one of the same name is of a list that is no more. */
uint16_t rc_gate_world_find_credential(rc_gate_world *world, rc_str name)
{
    uint16_t row = RC_NO_TARGET;
    uv_mutex_lock(&world->lock);
    for (uint32_t i = 0; i < world->credential_count; i++)
        if (rc_str_eq(rc_str_make(world->credentials[i].name, world->credentials[i].name_len),
                      name))
            row = (uint16_t)i;
    uv_mutex_unlock(&world->lock);
    return row;
}

bool rc_gate_world_credential_name(rc_gate_world *world, uint16_t credential, rc_buf *ret_name)
{
    bool is_there = false;
    uv_mutex_lock(&world->lock);
    if (credential < world->credential_count) {
        const rc_world_credential *row = &world->credentials[credential];
        is_there = rc_buf_push(ret_name, rc_str_make(row->name, row->name_len)) == RC_OK;
    }
    uv_mutex_unlock(&world->lock);
    return is_there;
}
