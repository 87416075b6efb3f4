/* An allocator that counts, checks sizes and fails on command: the Nth allocation, once or
 * permanently. */
#ifndef TESTS_SUPPORT_FAIL_ALLOC_H
#define TESTS_SUPPORT_FAIL_ALLOC_H

#include <recourse/alloc.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct fail_alloc {
    size_t calls;   /* requests so far */
    size_t fail_at; /* the request that fails, from 1; 0: none */
    bool for_good;  /* and all after it */
    size_t live;    /* blocks not given back */
    size_t live_bytes;
    size_t peak_bytes;
    bool is_broken; /* a block came back with another size */
} fail_alloc;

/* In front of each block: the size that was asked for. */
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
    memset(block + FAIL_ALLOC_HEAD, 0xA5, size); /* nobody may count on zeroes */
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
    explicit_bzero(block, asked + FAIL_ALLOC_HEAD); /* nor on what was given back */
    free(block);
}

static inline rc_alloc fail_alloc_of(fail_alloc *a)
{
    rc_alloc alloc = {a, fail_alloc_get, fail_alloc_put};
    return alloc;
}

/* From now on there is memory, or none. */
static inline void fail_alloc_set(fail_alloc *a, bool is_there)
{
    a->fail_at = is_there ? 0 : a->calls + 1;
    a->for_good = true;
}

#endif
