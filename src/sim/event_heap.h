/* rc_sim_event_heap: the pending events in virtual time, as a heap with four children per node.
 * Events with the same time are popped in the order in which they were pushed. */
#ifndef RC_SIM_EVENT_HEAP_H
#define RC_SIM_EVENT_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/alloc.h>
#include <recourse/status.h>

typedef struct rc_sim_event {
    uint64_t at_ms;
    /* Sequence number of the push. If the number wraps, events with the same time may be popped in
     * another order. */
    uint32_t order;
    uint32_t tag; /* The value that the caller passed to rc_sim_event_heap_push. */
} rc_sim_event;

typedef struct rc_sim_event_heap {
    rc_alloc alloc;
    rc_sim_event *entries;
    size_t count;
    size_t size;
    size_t max;
    uint32_t next_order;
} rc_sim_event_heap;

/* Starts an empty heap and allocates nothing. At most `max` events may be pending. alloc: copies
 * the struct. */
void rc_sim_event_heap_init(rc_sim_event_heap *heap, const rc_alloc *alloc, size_t max);
/* Frees the entries. */
void rc_sim_event_heap_done(rc_sim_event_heap *heap);

/* Adds an event. Returns RC_OK, RC_E_NOMEM or RC_E_TOO_LARGE. */
rc_status rc_sim_event_heap_push(rc_sim_event_heap *heap, uint64_t at_ms, uint32_t tag);

/* Removes the earliest event. Returns false if the heap is empty. */
bool rc_sim_event_heap_pop(rc_sim_event_heap *heap, rc_sim_event *ret_entry);

#endif
