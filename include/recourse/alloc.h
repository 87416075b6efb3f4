/* rc_alloc: where memory comes from. The library never calls malloc; whoever embeds it says how to
 * allocate. */
#ifndef RECOURSE_ALLOC_H
#define RECOURSE_ALLOC_H

#include <stddef.h>

/* Copied by value wherever it is taken, so the struct itself need not outlive the call; what ctx
 * points to must outlive everything allocated through it. */
typedef struct rc_alloc {
    void *ctx;
    /* Returns size bytes aligned for any object type, or NULL. size is never 0. */
    void *(*get)(void *ctx, size_t size);
    /* Takes back what get returned, with the size it was asked for. ptr is never NULL. */
    void (*put)(void *ctx, void *ptr, size_t size);
} rc_alloc;

#endif
