/* rc_arena: an arena allocator with a ceiling. All memory of an arena is freed at once.
 *
 * A failure is sticky: every later allocation returns NULL until rc_arena_done, so the caller may
 * check the status once, at the end. */
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
    rc_arena_block *blocks; /* list of the blocks, newest first */
    size_t used_bytes;      /* number of bytes allocated from `alloc`, including block headers */
    size_t max_bytes;
    rc_status status;
} rc_arena;

/* Initialises an empty arena, without allocating memory. alloc: copies the struct. */
void rc_arena_init(rc_arena *arena, const rc_alloc *alloc, size_t max_bytes);

/* Frees all memory of the arena. The arena may be in any state, or have been freed already. */
void rc_arena_done(rc_arena *arena);

/* Returns `size` zeroed bytes, aligned for any object type, that are valid until rc_arena_done.
 * Returns NULL on failure, with the sticky status RC_E_NOMEM or RC_E_TOO_LARGE. For size 0 the
 * result is a valid unique pointer. */
void *rc_arena_get(rc_arena *arena, size_t size);

/* As rc_arena_get, but the bytes are not zeroed. The function is meant for memory that the caller
 * fills completely, such as text. */
void *rc_arena_get_unset(rc_arena *arena, size_t size);

/* Returns a zeroed array of `count` elements of `size` bytes, or NULL on failure. If the product
 * overflows, the status is RC_E_TOO_LARGE. */
void *rc_arena_get_array(rc_arena *arena, size_t count, size_t size);

/* Copies text into the arena, followed by a NUL. Returns a view of the copy, or the empty view on
 * failure. */
rc_str rc_arena_dup(rc_arena *arena, rc_str text);

/* Releases the unused end of the newest allocation. `ptr` must be the result of the last
 * rc_arena_get or rc_arena_get_unset, which was for old_size bytes. */
void rc_arena_shrink(rc_arena *arena, void *ptr, size_t old_size, size_t new_size);

/* Returns whether ptr points into memory of this arena. */
bool rc_arena_owns(const rc_arena *arena, const void *ptr);

/* Returns RC_OK, or the first failure since rc_arena_init or rc_arena_done. */
rc_status rc_arena_status(const rc_arena *arena);

#endif
