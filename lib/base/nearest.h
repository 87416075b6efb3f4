/* rc_nearest: finds the valid name that a user probably meant by a misspelt name. */
#ifndef RC_BASE_NEAREST_H
#define RC_BASE_NEAREST_H

#include <stdbool.h>
#include <stddef.h>

#include <recourse/buf.h>
#include <recourse/str.h>

/* A list of names: the function returns the name at `index`, or NULL if `index` is too large. */
typedef const char *(*rc_name_at)(const void *ctx, size_t index);

/* Returns the name with the smallest edit distance from text, ignoring case, if the distance is
 * small enough for a misspelling; otherwise the first name that begins with text; otherwise NULL.
 * The result is a pointer that name_at returned. text, ctx: borrows during the call. */
const char *rc_nearest(rc_str text, rc_name_at name_at, const void *ctx);

/* Ends an error message: appends "; did you mean ", `dashes`, `nearest` and "?". Appends nothing if
 * `nearest` is NULL or empty. */
rc_status rc_nearest_push(rc_buf *buf, const char *dashes, const char *nearest);

/* The state of the search of rc_nearest for names that are not in a list: the caller offers each
 * name once with rc_nearest_offer. The fields are private. */
typedef struct rc_nearest_search {
    char wanted[63]; /* The misspelt name in lower case. */
    size_t len;
    size_t distance;
    bool has_begun;
} rc_nearest_search;

/* Initialises a search for the name nearest to `text`. text: copies the bytes. */
void rc_nearest_init(rc_nearest_search *search, rc_str text);
/* Compares a further name with the text. Returns true if this name is the nearest of all names
 * compared so far. name: borrows during the call. */
bool rc_nearest_offer(rc_nearest_search *search, rc_str name);

#endif
