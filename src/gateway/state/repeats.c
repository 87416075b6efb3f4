/* rc_repeats: detects requests that clients send again after a final error. Called by
 * exchange_repeat.c, gateway_admin.c and hub.c. */
#include "gateway/state/repeats.h"

#include <string.h>

#include "base/str.h"
#include "scrub/scrub.h"

bool rc_repeats_init(rc_repeats *repeats, const uint8_t key[16])
{
    memset(repeats, 0, sizeof *repeats);
    memcpy(repeats->key, key, sizeof repeats->key);
    repeats->clients[0] = (rc_repeats_client){.len = 5, .name = "other"};
    repeats->client_count = 1;
    return uv_mutex_init(&repeats->lock) == 0;
}

void rc_repeats_done(rc_repeats *repeats)
{
    uv_mutex_destroy(&repeats->lock);
}

bool rc_repeats_is_armed(const rc_repeats *repeats, uint64_t now_ms)
{
    return now_ms < atomic_load_explicit(&repeats->armed_until_ms, memory_order_relaxed);
}

/* ---- SipHash-2-4, in native byte order: hashes never leave the process ---- */

static uint64_t rotate(uint64_t word, unsigned bits)
{
    return word << bits | word >> (64 - bits);
}

static void sip_rounds(uint64_t v[4], int rounds)
{
    for (int i = 0; i < rounds; i++) {
        v[0] += v[1];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[0] = rotate(v[0], 32);
        v[2] += v[3];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] += v[3];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[2] += v[1];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[2] = rotate(v[2], 32);
    }
}

static void absorb(uint64_t v[4], uint64_t word)
{
    v[3] ^= word;
    sip_rounds(v, 2);
    v[0] ^= word;
}

uint64_t rc_repeats_hash(const rc_repeats *repeats, const rc_str *parts, size_t count)
{
    uint64_t v[4] = {
        UINT64_C(0x736f6d6570736575) ^ repeats->key[0],
        UINT64_C(0x646f72616e646f6d) ^ repeats->key[1],
        UINT64_C(0x6c7967656e657261) ^ repeats->key[0],
        UINT64_C(0x7465646279746573) ^ repeats->key[1],
    };
    for (size_t i = 0; i < count; i++) {
        size_t at = 0;
        uint64_t word;
        for (; parts[i].len - at >= sizeof word; at += sizeof word) {
            memcpy(&word, parts[i].ptr + at, sizeof word);
            absorb(v, word);
        }
        word = 0;
        if (parts[i].len > at)
            memcpy(&word, parts[i].ptr + at, parts[i].len - at);
        absorb(v, word);
        absorb(v, parts[i].len);
    }
    v[2] ^= 0xff;
    sip_rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* ---- requests ---- */

/* Returns the entry with this hash. If no entry has it, returns the oldest entry of the hash's
 * set. */
static rc_repeats_entry *slot_of(rc_repeats *repeats, uint64_t hash)
{
    rc_repeats_entry *set = repeats->entries[hash % RC_REPEATS_SETS];
    rc_repeats_entry *oldest = &set[0];
    for (size_t i = 0; i < RC_REPEATS_WAYS; i++) {
        if (set[i].hash == hash && set[i].until_ms > 0)
            return &set[i];
        if (set[i].until_ms < oldest->until_ms)
            oldest = &set[i];
    }
    return oldest;
}

void rc_repeats_add(rc_repeats *repeats, uint64_t hash, rc_code code, uint64_t now_ms)
{
    const uint64_t until_ms = now_ms + RC_REPEATS_WINDOW_MS;
    uv_mutex_lock(&repeats->lock);
    *slot_of(repeats, hash) = (rc_repeats_entry){hash, until_ms, code};
    if (until_ms > atomic_load(&repeats->armed_until_ms))
        atomic_store(&repeats->armed_until_ms, until_ms);
    uv_mutex_unlock(&repeats->lock);
}

static rc_repeats_client *client_of(rc_repeats *repeats, const rc_repeats_caller *caller)
{
    if (caller->name.len == 0 || caller->name.len > RC_REPEATS_NAME_MAX)
        return &repeats->clients[0];
    for (uint32_t i = 0; i < repeats->client_count; i++) {
        rc_repeats_client *client = &repeats->clients[i];
        if (rc_str_eq(rc_str_make(client->name, client->len), caller->name))
            return client;
    }
    if (repeats->client_count == RC_REPEATS_NAMES)
        return &repeats->clients[0];
    rc_repeats_client *client = &repeats->clients[repeats->client_count++];
    *client =
        (rc_repeats_client){.len = (uint8_t)caller->name.len, .is_product = caller->is_product};
    memcpy(client->name, caller->name.ptr, caller->name.len);
    return client;
}

bool rc_repeats_check(rc_repeats *repeats, uint64_t hash, const rc_repeats_caller *caller,
                      uint64_t now_ms, int64_t now_unix_ms)
{
    uv_mutex_lock(&repeats->lock);
    const rc_repeats_entry *entry = slot_of(repeats, hash);
    const bool is_repeated = entry->hash == hash && entry->until_ms > now_ms;
    if (is_repeated) {
        rc_repeats_client *client = client_of(repeats, caller);
        client->count++;
        client->code = entry->code;
        client->last_unix_ms = now_unix_ms;
    }
    uv_mutex_unlock(&repeats->lock);
    return is_repeated;
}

/* ---- clients ---- */

rc_str rc_repeats_product(rc_str user_agent)
{
    size_t len = 0;
    while (len < user_agent.len &&
           (rc_ascii_is_alnum(user_agent.ptr[len]) || user_agent.ptr[len] == '-' ||
            user_agent.ptr[len] == '_' || user_agent.ptr[len] == '.'))
        len++;
    const rc_str product = rc_str_slice(user_agent, 0, len);
    const bool is_ended =
        len == user_agent.len || user_agent.ptr[len] == '/' || user_agent.ptr[len] == ' ';
    return is_ended && len <= RC_REPEATS_PRODUCT_MAX && rc_scrub_is_clean(product)
               ? product
               : rc_str_make(NULL, 0);
}

uint32_t rc_repeats_list(rc_repeats *repeats, rc_repeats_client *ret_list)
{
    uint32_t count = 0;
    uv_mutex_lock(&repeats->lock);
    for (uint32_t i = 0; i < repeats->client_count; i++)
        if (repeats->clients[i].count > 0)
            ret_list[count++] = repeats->clients[i];
    uv_mutex_unlock(&repeats->lock);
    return count;
}
