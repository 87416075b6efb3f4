/* A heap of events with four children per node. Called by the simulator (sim.c, clients.c,
 * request.c). */
#include "sim/event_heap.h"

#include <string.h>

#define FIRST_SIZE 1024
#define ARITY 4

void rc_sim_event_heap_init(rc_sim_event_heap *heap, const rc_alloc *alloc, size_t max)
{
    *heap = (rc_sim_event_heap){.alloc = *alloc, .max = max};
}

void rc_sim_event_heap_done(rc_sim_event_heap *heap)
{
    if (heap->entries != NULL)
        heap->alloc.put(heap->alloc.ctx, heap->entries, heap->size * sizeof *heap->entries);
    heap->entries = NULL;
    heap->count = 0;
    heap->size = 0;
}

static rc_status grow(rc_sim_event_heap *heap)
{
    if (heap->size >= heap->max)
        return RC_E_TOO_LARGE;
    size_t size = heap->size == 0 ? FIRST_SIZE : heap->size * 2;
    if (size > heap->max)
        size = heap->max;
    rc_sim_event *entries = heap->alloc.get(heap->alloc.ctx, size * sizeof *entries);
    if (entries == NULL)
        return RC_E_NOMEM;
    size_t count = heap->count;
    if (count > 0)
        memcpy(entries, heap->entries, count * sizeof *entries);
    rc_sim_event_heap_done(heap);
    heap->entries = entries;
    heap->count = count;
    heap->size = size;
    return RC_OK;
}

static bool is_before(const rc_sim_event *a, const rc_sim_event *b)
{
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->order < b->order;
}

rc_status rc_sim_event_heap_push(rc_sim_event_heap *heap, uint64_t at_ms, uint32_t tag)
{
    if (heap->count == heap->size) {
        rc_status status = grow(heap);
        if (status != RC_OK)
            return status;
    }
    rc_sim_event entry = {.at_ms = at_ms, .order = heap->next_order++, .tag = tag};
    size_t hole = heap->count++;
    while (hole > 0) {
        size_t parent = (hole - 1) / ARITY;
        if (!is_before(&entry, &heap->entries[parent]))
            break;
        heap->entries[hole] = heap->entries[parent];
        hole = parent;
    }
    heap->entries[hole] = entry;
    return RC_OK;
}

/* Returns the child of a node with the earliest event, or heap->count if the node has no
 * children. */
static size_t first_child(const rc_sim_event_heap *heap, size_t node)
{
    size_t first = node * ARITY + 1;
    if (first >= heap->count)
        return heap->count;
    size_t end = first + ARITY < heap->count ? first + ARITY : heap->count;
    size_t best = first;
    for (size_t child = first + 1; child < end; child++)
        if (is_before(&heap->entries[child], &heap->entries[best]))
            best = child;
    return best;
}

bool rc_sim_event_heap_pop(rc_sim_event_heap *heap, rc_sim_event *ret_entry)
{
    if (heap->count == 0)
        return false;
    *ret_entry = heap->entries[0];
    rc_sim_event last = heap->entries[--heap->count];
    size_t hole = 0;
    for (;;) {
        size_t child = first_child(heap, hole);
        if (child == heap->count || !is_before(&heap->entries[child], &last))
            break;
        heap->entries[hole] = heap->entries[child];
        hole = child;
    }
    if (heap->count > 0)
        heap->entries[hole] = last;
    return true;
}
