/* rc_nearest: suggests the valid name that a misspelt one may stand for. */
#ifndef RC_BASE_NEAREST_H
#define RC_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

#include <recourse/buf.h>
#include <recourse/str.h>

/* Returns the name with that index; NULL past the end. */
typedef const char *(*rc_name_at)(const void *ctx, size_t index);

/* Returns the name with the smallest edit distance from text, ignoring case, if the distance is
 * small enough for a misspelling; else the first name that begins with text; else NULL. The result
 * is a pointer that name_at returned. text, ctx: borrows. */
const char *rc_nearest(rc_str text, rc_name_at name_at, const void *ctx);

/* Ends a message: appends "; did you mean DASHES+NEAREST?", or nothing if nearest is NULL or
 * empty. */
rc_status rc_nearest_push(rc_buf *buf, const char *dashes, const char *nearest);

/* The same search for names that are not in a table: each is offered once. */
typedef struct rc_nearest_search {
    char wanted[63]; /* Private, as are the others. */
    size_t len;
    size_t distance;
    bool has_begun;
} rc_nearest_search;

/* text: copies. */
void rc_nearest_init(rc_nearest_search *search, rc_str text);
/* Returns true if the name is the nearest so far. name: borrows. */
bool rc_nearest_offer(rc_nearest_search *search, rc_str name);

#endif
