/* rc_route_index: finds the route of a model name in constant time, whatever the number of routes
 * is. */
#ifndef RC_GATEWAY_STATE_ROUTE_INDEX_H
#define RC_GATEWAY_STATE_ROUTE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/str.h>

#include "base/arena.h"
#include "config/config.h"

/* A hash table of the routes whose model is a name, and a list of those whose model is a
 * pattern. */
typedef struct rc_route_index {
    const rc_config *config;
    uint16_t *slots;  /* Open addressing. 1 + the index of the first route with a name; 0: empty. */
    size_t slot_mask; /* Number of slots, a power of two, minus 1. */
    uint16_t *patterns; /* Indexes of the routes with a star, in ascending order. */
    size_t pattern_count;
} rc_route_index;

/* Builds the index. config: borrows for the lifetime of the index. arena: owns the memory of the
 * index. Returns false if memory runs out. */
bool rc_route_index_init(rc_route_index *index, const rc_config *config, rc_arena *arena);

/* Returns the index of the first route that matches the model, as rc_config_route_find does, or
 * SIZE_MAX if no route matches. */
size_t rc_route_index_find(const rc_route_index *index, rc_str model);

#endif
