/* rc_name_cache: the numbers of recently used names. When it is full it is cleared: the table
 * `names` has them all. */
#ifndef RC_STORE_SQLITE_NAME_CACHE_H
#define RC_STORE_SQLITE_NAME_CACHE_H

#include <stdint.h>

#include <recourse/alloc.h>
#include <recourse/str.h>

#include "store/record.h"

#define RC_NAME_CACHE_MAX 512
#define RC_NAME_CACHE_SLOTS 1024

typedef struct rc_name_slot {
    int64_t id; /* Number of the name; 0: free slot. */
    uint64_t hash;
    char *text;
    size_t len;
} rc_name_slot;

typedef struct rc_name_cache {
    rc_alloc alloc;
    size_t count;
    rc_name_slot slots[RC_NAME_CACHE_SLOTS];
} rc_name_cache;

/* Initialises an empty cache. alloc: copies. */
void rc_name_cache_init(rc_name_cache *names, const rc_alloc *alloc);
void rc_name_cache_clear(rc_name_cache *names);

/* The number of a name; 0: not cached. text: borrows. */
int64_t rc_name_cache_find(const rc_name_cache *names, rc_str text);

/* Adds a name, unless there is no memory. text: copies. id: not 0. */
void rc_name_cache_add(rc_name_cache *names, rc_str text, int64_t id);

#endif
