/* Cache of the numbers of names. Called by names.c, sqlite.c, sweep.c and write.c. */
#include "store/sqlite/name_cache.h"

#include <string.h>

#include "base/str.h"

void rc_name_cache_init(rc_name_cache *names, const rc_alloc *alloc)
{
    memset(names, 0, sizeof(*names));
    names->alloc = *alloc;
}

void rc_name_cache_clear(rc_name_cache *names)
{
    for (size_t i = 0; i < RC_NAME_CACHE_SLOTS; i++)
        if (names->slots[i].id != 0)
            names->alloc.put(names->alloc.ctx, names->slots[i].text, names->slots[i].len);
    memset(names->slots, 0, sizeof(names->slots));
    names->count = 0;
}

static uint64_t mix(uint64_t hash, uint64_t word)
{
    hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
    return hash ^ hash >> 32;
}

/* Hashes eight bytes at a time to be fast, because several names are looked up for each row. The
 * last eight bytes may overlap the previous ones. */
static uint64_t hash_of(rc_str text)
{
    uint64_t word = 0;
    uint64_t hash = text.len;
    if (text.len < sizeof word) {
        for (size_t at = 0; at < text.len; at++)
            word = word << 8 | (unsigned char)text.ptr[at];
        return mix(hash, word);
    }
    for (size_t at = 0; at + sizeof word < text.len; at += sizeof word)
        hash = mix(hash, rc_bytes_8(text.ptr + at));
    return mix(hash, rc_bytes_8(text.ptr + text.len - sizeof word));
}

static bool is_match(const rc_name_slot *slot, uint64_t hash, rc_str text)
{
    return slot->hash == hash && rc_str_eq(rc_str_make(slot->text, slot->len), text);
}

int64_t rc_name_cache_find(const rc_name_cache *names, rc_str text)
{
    uint64_t hash = hash_of(text);
    for (size_t at = hash % RC_NAME_CACHE_SLOTS; names->slots[at].id != 0;
         at = (at + 1) % RC_NAME_CACHE_SLOTS)
        if (is_match(&names->slots[at], hash, text))
            return names->slots[at].id;
    return 0;
}

void rc_name_cache_add(rc_name_cache *names, rc_str text, int64_t id)
{
    if (names->count >= RC_NAME_CACHE_MAX)
        rc_name_cache_clear(names);
    char *copy = names->alloc.get(names->alloc.ctx, text.len);
    if (copy == NULL)
        return;
    memcpy(copy, text.ptr, text.len);
    uint64_t hash = hash_of(text);
    size_t at = hash % RC_NAME_CACHE_SLOTS;
    while (names->slots[at].id != 0)
        at = (at + 1) % RC_NAME_CACHE_SLOTS;
    names->slots[at] = (rc_name_slot){.id = id, .hash = hash, .text = copy, .len = text.len};
    names->count++;
}
