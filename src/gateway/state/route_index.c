/* rc_route_index: finds the route of a model name. Called by snapshot.c. */
#include "gateway/state/route_index.h"

#include "base/str.h"

/* Hashes the first and the last eight bytes and the length. Names that agree in these bytes and in
 * the length collide, which costs a further comparison. */
static size_t hash_of(rc_str name)
{
    uint64_t first = name.len;
    uint64_t last = 0;
    if (name.len >= 8) {
        first ^= rc_bytes_8(name.ptr);
        last = rc_bytes_8(name.ptr + name.len - 8);
    } else {
        for (size_t i = 0; i < name.len; i++)
            last = last << 8 | (unsigned char)name.ptr[i];
    }
    const uint64_t mixed = (first ^ (last << 32 | last >> 32)) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(mixed >> 32);
}

static bool is_pattern(rc_str model)
{
    return rc_str_find_byte(model, '*', 0) != RC_STR_NPOS;
}

/* Returns the slot of the name, or the empty slot where it belongs. */
static size_t slot_of(const rc_route_index *index, rc_str name)
{
    size_t at = hash_of(name) & index->slot_mask;
    while (index->slots[at] != 0 &&
           !rc_str_eq(index->config->routes[index->slots[at] - 1].model, name))
        at = (at + 1) & index->slot_mask;
    return at;
}

bool rc_route_index_init(rc_route_index *index, const rc_config *config, rc_arena *arena)
{
    size_t slot_count = 2;
    while (slot_count < 2 * config->route_count)
        slot_count *= 2;
    *index = (rc_route_index){
        .config = config,
        .slots = rc_arena_get_array(arena, slot_count, sizeof *index->slots),
        .slot_mask = slot_count - 1,
        .patterns = rc_arena_get_array(arena, config->route_count + 1, sizeof *index->patterns),
    };
    if (index->slots == NULL || index->patterns == NULL)
        return false;
    for (size_t i = 0; i < config->route_count; i++) {
        const rc_str model = config->routes[i].model;
        if (is_pattern(model)) {
            index->patterns[index->pattern_count++] = (uint16_t)i;
            continue;
        }
        uint16_t *slot = &index->slots[slot_of(index, model)];
        if (*slot == 0) /* A later route with the same name is never used. */
            *slot = (uint16_t)(i + 1);
    }
    return true;
}

size_t rc_route_index_find(const rc_route_index *index, rc_str model)
{
    const uint16_t slot = index->slots[slot_of(index, model)];
    const size_t named = slot > 0 ? slot - 1u : SIZE_MAX;
    /* The first match is used, so only the patterns before the named route are tried. */
    for (size_t i = 0; i < index->pattern_count && index->patterns[i] < named; i++)
        if (rc_glob_matches(index->config->routes[index->patterns[i]].model, model))
            return index->patterns[i];
    return named;
}
