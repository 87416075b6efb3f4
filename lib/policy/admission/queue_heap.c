/* Pairing heaps whose links are indexes. Called by queue.c. */
#include "policy/admission/queue_heap.h"

/* --- the four kinds --- */

static rc_queue_link *flow_link(const rc_queue *queue, uint32_t node)
{
    return &queue->entries[node].in_flow;
}

static bool is_entry_before(const rc_queue *queue, uint32_t a, uint32_t b)
{
    const rc_queue_entry *x = &queue->entries[a];
    const rc_queue_entry *y = &queue->entries[b];
    if (x->is_late != y->is_late)
        return y->is_late;
    return x->start_by_ms < y->start_by_ms;
}

const rc_queue_heap rc_queue_heap_flow = {flow_link, is_entry_before};

static rc_queue_link *time_link(const rc_queue *queue, uint32_t node)
{
    return &queue->entries[node].in_time;
}

static uint64_t change_ms(const rc_queue_entry *entry)
{
    return entry->is_late ? entry->leave_at_ms : entry->start_by_ms;
}

static bool is_change_before(const rc_queue *queue, uint32_t a, uint32_t b)
{
    return change_ms(&queue->entries[a]) < change_ms(&queue->entries[b]);
}

const rc_queue_heap rc_queue_heap_time = {time_link, is_change_before};

static rc_queue_link *line_link(const rc_queue *queue, uint32_t node)
{
    return &queue->flows[node].in_line;
}

static bool is_flow_before(const rc_queue *queue, uint32_t a, uint32_t b)
{
    const rc_queue_flow *x = &queue->flows[a];
    const rc_queue_flow *y = &queue->flows[b];
    return is_entry_before(queue, x->head, y->head);
}

const rc_queue_heap rc_queue_heap_line = {line_link, is_flow_before};

static rc_queue_link *count_link(const rc_queue *queue, uint32_t node)
{
    return &queue->flows[node].in_count;
}

static bool is_larger(const rc_queue *queue, uint32_t a, uint32_t b)
{
    return queue->flows[a].count > queue->flows[b].count;
}

const rc_queue_heap rc_queue_heap_count = {count_link, is_larger};

/* --- the operations --- */

/* Joins two heaps whose roots have no siblings, and returns the common root. */
static uint32_t join(const rc_queue *queue, const rc_queue_heap *heap, uint32_t a, uint32_t b)
{
    if (a == RC_QUEUE_NONE || b == RC_QUEUE_NONE)
        return a == RC_QUEUE_NONE ? b : a;
    uint32_t top = heap->is_before(queue, b, a) ? b : a;
    uint32_t below = top == a ? b : a;
    rc_queue_link *parent = heap->link(queue, top);
    rc_queue_link *child = heap->link(queue, below);
    child->next = parent->child;
    child->prev = top;
    if (parent->child != RC_QUEUE_NONE)
        heap->link(queue, parent->child)->prev = below;
    parent->child = below;
    return top;
}

/* Joins a list of siblings in two passes: first neighbouring siblings from left to right, then the
 * resulting pairs from right to left. */
static uint32_t join_siblings(const rc_queue *queue, const rc_queue_heap *heap, uint32_t first)
{
    uint32_t pairs = RC_QUEUE_NONE; /* list of the joined pairs, the last pair first, linked by
                                       `next` */
    while (first != RC_QUEUE_NONE) {
        uint32_t a = first;
        rc_queue_link *la = heap->link(queue, a);
        uint32_t b = la->next;
        first = RC_QUEUE_NONE;
        la->next = la->prev = RC_QUEUE_NONE;
        if (b != RC_QUEUE_NONE) {
            rc_queue_link *lb = heap->link(queue, b);
            first = lb->next;
            lb->next = lb->prev = RC_QUEUE_NONE;
        }
        uint32_t pair = join(queue, heap, a, b);
        heap->link(queue, pair)->next = pairs;
        pairs = pair;
    }
    uint32_t root = RC_QUEUE_NONE;
    while (pairs != RC_QUEUE_NONE) {
        uint32_t next = heap->link(queue, pairs)->next;
        heap->link(queue, pairs)->next = RC_QUEUE_NONE;
        root = join(queue, heap, root, pairs);
        pairs = next;
    }
    return root;
}

void rc_queue_heap_add(const rc_queue *queue, const rc_queue_heap *heap, uint32_t *root,
                       uint32_t node)
{
    *heap->link(queue, node) =
        (rc_queue_link){.child = RC_QUEUE_NONE, .next = RC_QUEUE_NONE, .prev = RC_QUEUE_NONE};
    *root = join(queue, heap, *root, node);
}

void rc_queue_heap_join(const rc_queue *queue, const rc_queue_heap *heap, uint32_t *root,
                        uint32_t *other)
{
    *root = join(queue, heap, *root, *other);
    *other = RC_QUEUE_NONE;
}

void rc_queue_heap_take(const rc_queue *queue, const rc_queue_heap *heap, uint32_t *root,
                        uint32_t node)
{
    rc_queue_link *link = heap->link(queue, node);
    uint32_t below = join_siblings(queue, heap, link->child);
    link->child = RC_QUEUE_NONE;
    if (node == *root) {
        *root = below;
        return;
    }
    rc_queue_link *prev = heap->link(queue, link->prev);
    if (prev->child == node)
        prev->child = link->next;
    else
        prev->next = link->next;
    if (link->next != RC_QUEUE_NONE)
        heap->link(queue, link->next)->prev = link->prev;
    link->next = link->prev = RC_QUEUE_NONE;
    *root = join(queue, heap, *root, below);
}
