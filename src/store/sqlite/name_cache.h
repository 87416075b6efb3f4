/* rc_name_cache: the numbers of recently used names. A full cache is emptied; the table `names`
 * still has the numbers of all names. */
#ifndef RC_STORE_SQLITE_NAME_CACHE_H
#define RC_STORE_SQLITE_NAME_CACHE_H

#include <stdint.h>

#include <recourse/alloc.h>
#include <recourse/str.h>

#include "store/record.h"

#define RC_NAME_CACHE_MAX 512
#define RC_NAME_CACHE_SLOTS 1024

typedef struct rc_name_slot {
    int64_t id; /* Number of the name. 0 marks a free slot. */
    uint64_t hash;
    char *text;
    size_t len;
} rc_name_slot;

typedef struct rc_name_cache {
    rc_alloc alloc;
    size_t count;
    rc_name_slot slots[RC_NAME_CACHE_SLOTS];
} rc_name_cache;

/* Initialises an empty cache. alloc: copies the struct. */
void rc_name_cache_init(rc_name_cache *names, const rc_alloc *alloc);
void rc_name_cache_clear(rc_name_cache *names);

/* Returns the number of a name; 0 if the name is not in the cache. text: borrows during the
 * call. */
int64_t rc_name_cache_find(const rc_name_cache *names, rc_str text);

/* Adds a name. If memory runs out, the cache stays unchanged. text: copies the bytes. id: not 0. */
void rc_name_cache_add(rc_name_cache *names, rc_str text, int64_t id);

#endif
