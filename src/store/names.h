/* rc_names: the numbers that stand for names, as far as they were asked for lately. When it is
 * full, it starts anew: the table of the database has them all. */
#ifndef RC_STORE_NAMES_H
#define RC_STORE_NAMES_H

#include <stdint.h>

#include <recourse/alloc.h>
#include <recourse/str.h>

#include "store/record.h"

#define RC_NAMES_MAX 512
#define RC_NAMES_SLOTS 1024

typedef struct rc_name_slot {
    int64_t id; /* 0: free */
    uint64_t hash;
    char *text;
    size_t len;
} rc_name_slot;

typedef struct rc_names {
    rc_alloc alloc;
    size_t count;
    rc_name_slot slots[RC_NAMES_SLOTS];
} rc_names;

/* alloc: copies. */
void rc_names_init(rc_names *names, const rc_alloc *alloc);
void rc_names_clear(rc_names *names);

/* 0: not known. text: borrows. */
int64_t rc_names_find(const rc_names *names, rc_str text);

/* Remembers, if it can. text: copies. id: not 0. */
void rc_names_add(rc_names *names, rc_str text, int64_t id);

#endif
