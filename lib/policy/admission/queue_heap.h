/* Pairing heaps of rc_queue: four kinds of heaps share the code, each with its own links and its
 * own order. A root is the index of a node; RC_QUEUE_NONE: the heap is empty. */
#ifndef RC_POLICY_QUEUE_HEAP_H
#define RC_POLICY_QUEUE_HEAP_H

#include <recourse/queue.h>

/* A kind of heap: `link` returns the links of a node, `is_before` returns whether node `a` precedes
 * node `b`. */
typedef struct rc_queue_heap {
    rc_queue_link *(*link)(const rc_queue *queue, uint32_t node);
    bool (*is_before)(const rc_queue *queue, uint32_t a, uint32_t b);
} rc_queue_heap;

/* The four kinds: the entries of a flow, ordered by latest start; all entries, by the time at which
 * they become late or overdue; the flows of a line, by latest start; all flows, by number
 * of entries, largest first. */
extern const rc_queue_heap rc_queue_heap_flow;
extern const rc_queue_heap rc_queue_heap_time;
extern const rc_queue_heap rc_queue_heap_line;
extern const rc_queue_heap rc_queue_heap_count;

/* Moves all nodes of the heap *other into the heap *root. */
void rc_queue_heap_join(const rc_queue *queue, const rc_queue_heap *heap, uint32_t *root,
                        uint32_t *other);
/* rc_queue_heap_add adds a node that is in no heap of this kind. rc_queue_heap_take removes a node
 * from the heap. Both functions update *root. */
void rc_queue_heap_add(const rc_queue *queue, const rc_queue_heap *heap, uint32_t *root,
                       uint32_t node);
void rc_queue_heap_take(const rc_queue *queue, const rc_queue_heap *heap, uint32_t *root,
                        uint32_t node);

#endif
