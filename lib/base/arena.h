/* rc_arena: memory that is given out in pieces and taken back at once, with a hard ceiling.
 *
 * A failure sticks: after it every request returns NULL until done, so that a builder checks once,
 * at the end. */
#ifndef RC_BASE_ARENA_H
#define RC_BASE_ARENA_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/alloc.h>
#include <recourse/status.h>
#include <recourse/str.h>

typedef struct rc_arena_block rc_arena_block;

typedef struct rc_arena {
    rc_alloc alloc;
    rc_arena_block *blocks; /* newest first */
    size_t used_bytes;      /* taken from alloc, headers included */
    size_t max_bytes;
    rc_status status;
} rc_arena;

/* Starts an empty arena; allocates nothing. alloc: copies. */
void rc_arena_init(rc_arena *arena, const rc_alloc *alloc, size_t max_bytes);

/* Gives everything back. Takes an arena in any state, also twice. */
void rc_arena_done(rc_arena *arena);

/* size bytes, zeroed, aligned for any object type; NULL on failure (RC_E_NOMEM or RC_E_TOO_LARGE
 * sticks). size 0 gives a valid unique pointer. Gives memory that lives until done. */
void *rc_arena_get(rc_arena *arena, size_t size);

/* The same with bytes of any value, for what is written whole: text. */
void *rc_arena_get_unset(rc_arena *arena, size_t size);

/* count elements of size bytes each; a product that overflows is RC_E_TOO_LARGE. */
void *rc_arena_get_array(rc_arena *arena, size_t count, size_t size);

/* Copies text into the arena with a NUL behind it. The empty view on failure. */
rc_str rc_arena_dup(rc_arena *arena, rc_str text);

/* Gives back the unused end of the newest piece: ptr must be what the last rc_arena_get returned
 * for old_size bytes. */
void rc_arena_shrink(rc_arena *arena, void *ptr, size_t old_size, size_t new_size);

/* Does ptr point into memory of this arena? */
bool rc_arena_owns(const rc_arena *arena, const void *ptr);

rc_status rc_arena_status(const rc_arena *arena);

#endif
