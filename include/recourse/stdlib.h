/* rc_alloc_stdlib: an rc_alloc that uses malloc and free.
 *
 * The functions are inline, compiled into the caller, so that the library itself does not import
 * malloc and free. */
#ifndef RECOURSE_STDLIB_H
#define RECOURSE_STDLIB_H

#include <stdlib.h>

#include <recourse/alloc.h>

static inline void *rc_stdlib_get(void *ctx, size_t size)
{
    (void)ctx;
    return malloc(size);
}

static inline void rc_stdlib_put(void *ctx, void *ptr, size_t size)
{
    (void)ctx;
    (void)size;
    free(ptr);
}

/* Returns an allocator that uses malloc and free. */
static inline rc_alloc rc_alloc_stdlib(void)
{
    rc_alloc a;
    a.ctx = NULL;
    a.get = rc_stdlib_get;
    a.put = rc_stdlib_put;
    return a;
}

#endif
