/* rc_nearest: suggests the valid name that a misspelt one may stand for. */
#ifndef RC_BASE_NEAREST_H
#define RC_BASE_NEAREST_H

#include <stddef.h>

#include <recourse/str.h>

/* Returns the name with that index; NULL past the end. */
typedef const char *(*rc_name_at)(const void *ctx, size_t index);

/* Returns the name with the smallest edit distance from text, ignoring case, if the distance is
 * small enough for a misspelling; else the first name that begins with text; else NULL. The result
 * is a pointer that name_at returned. text, ctx: borrows. */
const char *rc_nearest(rc_str text, rc_name_at name_at, const void *ctx);

#endif
