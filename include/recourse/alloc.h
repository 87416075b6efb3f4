/* rc_alloc: the allocator interface. The library never calls malloc; the embedding program passes
 * an rc_alloc to every function that allocates. */
#ifndef RECOURSE_ALLOC_H
#define RECOURSE_ALLOC_H

#include <stddef.h>

/* Functions copy this struct by value, so the caller may discard the struct after the call. The
 * object that `ctx` points to must exist until all memory that was allocated with the struct is
 * freed. */
typedef struct rc_alloc {
    void *ctx; /* first argument of `get` and `put` */
    /* Returns `size` bytes aligned for any object type, or NULL. `size` is never 0. */
    void *(*get)(void *ctx, size_t size);
    /* Frees memory that `get` returned. `size` is the size that was passed to `get`; `ptr` is never
     * NULL. */
    void (*put)(void *ctx, void *ptr, size_t size);
} rc_alloc;

#endif
