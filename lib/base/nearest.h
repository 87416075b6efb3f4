/* The name that somebody may have meant. */
#ifndef RC_BASE_NEAREST_H
#define RC_BASE_NEAREST_H

#include <stddef.h>

#include <recourse/str.h>

/* Gives the names one by one; NULL past the end. */
typedef const char *(*rc_name_at)(const void *ctx, size_t index);

/* The name that is fewest changes away from text, case aside, if that is few enough to be a slip;
 * else one that text begins. NULL: none. Gives what name_at gave. text, ctx: borrow. */
const char *rc_nearest(rc_str text, rc_name_at name_at, const void *ctx);

#endif
