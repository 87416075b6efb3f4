/* rc_sim_event_heap: what happens next in virtual time. A heap with four children a node; events
 * of the same time come out in the order in which they went in. */
#ifndef RC_SIM_EVENT_HEAP_H
#define RC_SIM_EVENT_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/alloc.h>
#include <recourse/status.h>

typedef struct rc_sim_event {
    uint64_t at_ms;
    uint32_t order; /* of going in; may wrap, then the order within one time is lost */
    uint32_t tag;   /* the owner's */
} rc_sim_event;

typedef struct rc_sim_event_heap {
    rc_alloc alloc;
    rc_sim_event *entries;
    size_t count;
    size_t size;
    size_t max;
    uint32_t next_order;
} rc_sim_event_heap;

/* Allocates nothing. alloc: copies. max: the ceiling of events that wait. */
void rc_sim_event_heap_init(rc_sim_event_heap *heap, const rc_alloc *alloc, size_t max);
void rc_sim_event_heap_done(rc_sim_event_heap *heap);

/* RC_OK, RC_E_NOMEM, RC_E_TOO_LARGE. */
rc_status rc_sim_event_heap_push(rc_sim_event_heap *heap, uint64_t at_ms, uint32_t what);

/* The earliest event; false: there is none. */
bool rc_sim_event_heap_pop(rc_sim_event_heap *heap, rc_sim_event *ret_entry);

#endif
