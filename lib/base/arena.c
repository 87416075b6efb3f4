/* Arena allocator. Used by the report builder, the rules parser, the configuration and the gateway.
 */
#include "base/arena.h"

#include <stdalign.h>
#include <string.h>

#define ALIGN alignof(max_align_t)
#define BLOCK_BYTES 4096u

struct rc_arena_block {
    alignas(max_align_t) struct rc_arena_block *next;
    size_t size; /* size of the block in bytes, including this header */
    size_t used; /* used bytes of the block, including this header */
};

void rc_arena_init(rc_arena *arena, const rc_alloc *alloc, size_t max_bytes)
{
    *arena = (rc_arena){.alloc = *alloc, .max_bytes = max_bytes};
}

void rc_arena_done(rc_arena *arena)
{
    rc_arena_block *block = arena->blocks;
    while (block) {
        rc_arena_block *next = block->next;
        arena->alloc.put(arena->alloc.ctx, block, block->size);
        block = next;
    }
    arena->blocks = NULL;
    arena->used_bytes = 0;
    arena->status = RC_OK;
}

/* Records a failure, unless an earlier one has already been recorded. Returns NULL. */
static void *fail(rc_arena *arena, rc_status status)
{
    if (arena->status == RC_OK)
        arena->status = status;
    return NULL;
}

/* Adds a block with space for `size` bytes; an allocation above BLOCK_BYTES gets a separate
 * block. */
static rc_arena_block *add_block(rc_arena *arena, size_t size)
{
    size_t left = arena->max_bytes - arena->used_bytes;
    size_t need = sizeof(rc_arena_block) + size;
    if (need > left)
        return fail(arena, RC_E_TOO_LARGE);

    size_t want = need > BLOCK_BYTES ? need : BLOCK_BYTES;
    if (want > left)
        want = left;

    rc_arena_block *block = arena->alloc.get(arena->alloc.ctx, want);
    if (!block)
        return fail(arena, RC_E_NOMEM);
    *block = (rc_arena_block){.next = arena->blocks, .size = want, .used = sizeof *block};
    arena->blocks = block;
    arena->used_bytes += want;
    return block;
}

static size_t padded_size(size_t size)
{
    return size ? (size + ALIGN - 1) / ALIGN * ALIGN : ALIGN;
}

void *rc_arena_get_unset(rc_arena *arena, size_t size)
{
    if (arena->status != RC_OK)
        return NULL;
    if (size > SIZE_MAX - sizeof(rc_arena_block) - ALIGN)
        return fail(arena, RC_E_TOO_LARGE);

    size_t padded = padded_size(size);
    rc_arena_block *block = arena->blocks;
    if (!block || block->size - block->used < padded)
        block = add_block(arena, padded);
    if (!block)
        return NULL;

    char *ptr = (char *)block + block->used;
    block->used += padded;
    return ptr;
}

void *rc_arena_get(rc_arena *arena, size_t size)
{
    void *ptr = rc_arena_get_unset(arena, size);
    if (ptr)
        memset(ptr, 0, padded_size(size));
    return ptr;
}

void *rc_arena_get_array(rc_arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return fail(arena, RC_E_TOO_LARGE);
    return rc_arena_get(arena, count * size);
}

rc_str rc_arena_dup(rc_arena *arena, rc_str text)
{
    if (text.len == SIZE_MAX) {
        fail(arena, RC_E_TOO_LARGE);
        return rc_str_make(NULL, 0);
    }
    char *copy = rc_arena_get_unset(arena, text.len + 1);
    if (!copy)
        return rc_str_make(NULL, 0);
    if (text.len)
        memcpy(copy, text.ptr, text.len);
    copy[text.len] = '\0';
    return rc_str_make(copy, text.len);
}

void rc_arena_shrink(rc_arena *arena, void *ptr, size_t old_size, size_t new_size)
{
    rc_arena_block *block = arena->blocks;
    size_t old_padded = padded_size(old_size);
    size_t new_padded = padded_size(new_size);
    if (!ptr || !block || new_padded > old_padded)
        return;
    if ((char *)ptr + old_padded == (char *)block + block->used)
        block->used -= old_padded - new_padded;
}

bool rc_arena_owns(const rc_arena *arena, const void *ptr)
{
    uintptr_t at = (uintptr_t)ptr;
    for (const rc_arena_block *block = arena->blocks; block; block = block->next) {
        uintptr_t start = (uintptr_t)block;
        if (at >= start && at - start < block->used)
            return true;
    }
    return false;
}

rc_status rc_arena_status(const rc_arena *arena)
{
    return arena->status;
}
