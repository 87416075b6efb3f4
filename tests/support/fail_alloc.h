/* An allocator that counts blocks, checks sizes, and fails on command: only the Nth allocation, or
 * the Nth and all later ones. */
#ifndef TESTS_SUPPORT_FAIL_ALLOC_H
#define TESTS_SUPPORT_FAIL_ALLOC_H

#include <recourse/alloc.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct fail_alloc {
    size_t calls;   /* number of allocations so far */
    size_t fail_at; /* number of the allocation that fails, counted from 1; 0: none fails */
    bool for_good;  /* all allocations after the Nth fail, too */
    size_t live;    /* number of blocks that were not freed */
    size_t live_bytes;
    size_t peak_bytes;
    bool is_broken; /* a block was freed with another size than it was allocated with */
} fail_alloc;

/* Number of bytes before each block, which store the block's size. */
#define FAIL_ALLOC_HEAD 16u

static inline void *fail_alloc_get(void *ctx, size_t size)
{
    fail_alloc *a = (fail_alloc *)ctx;
    a->calls++;
    if (a->fail_at && (a->calls == a->fail_at || (a->for_good && a->calls > a->fail_at)))
        return NULL;
    unsigned char *block = (unsigned char *)malloc(size + FAIL_ALLOC_HEAD);
    if (!block)
        abort();
    memcpy(block, &size, sizeof size);
    memset(block + FAIL_ALLOC_HEAD, 0xA5, size); /* shows code that relies on zeroed memory */
    a->live++;
    a->live_bytes += size;
    if (a->live_bytes > a->peak_bytes)
        a->peak_bytes = a->live_bytes;
    return block + FAIL_ALLOC_HEAD;
}

static inline void fail_alloc_put(void *ctx, void *ptr, size_t size)
{
    fail_alloc *a = (fail_alloc *)ctx;
    unsigned char *block = (unsigned char *)ptr - FAIL_ALLOC_HEAD;
    size_t asked;
    memcpy(&asked, block, sizeof asked);
    if (asked != size)
        a->is_broken = true;
    a->live--;
    a->live_bytes -= asked;
    explicit_bzero(block, asked + FAIL_ALLOC_HEAD); /* shows code that uses freed memory */
    free(block);
}

static inline rc_alloc fail_alloc_of(fail_alloc *a)
{
    rc_alloc alloc = {a, fail_alloc_get, fail_alloc_put};
    return alloc;
}

/* Sets whether allocations succeed from now on. */
static inline void fail_alloc_set(fail_alloc *a, bool is_there)
{
    a->fail_at = is_there ? 0 : a->calls + 1;
    a->for_good = true;
}

#endif
