/* The waiting queue (rc_queue): entries, flows of clients, lines of targets. Called by
 * call_queue.c, which holds the lock of rc_shared, and by the owner of the queue's memory. */
#include <recourse/queue.h>

#include <string.h>

#include "policy/admission/queue_heap.h"

rc_queue_settings rc_queue_settings_default(void)
{
    return (rc_queue_settings){
        .max_waiting = 10000, .quantum = 8, .max_bytes = UINT64_C(256) << 20};
}

/* --- memory --- */

size_t rc_queue_memory_bytes(uint32_t capacity)
{
    return (size_t)capacity * (sizeof(rc_queue_entry) + sizeof(rc_queue_flow) + sizeof(uint32_t));
}

static void set_memory(rc_queue *queue, void *memory, uint32_t capacity)
{
    queue->capacity = capacity;
    if (capacity == 0)
        return;
    queue->entries = memory;
    queue->flows = (rc_queue_flow *)(queue->entries + capacity);
    queue->buckets = (uint32_t *)(queue->flows + capacity);
    for (uint32_t i = 0; i < capacity; i++)
        queue->buckets[i] = RC_QUEUE_NONE;
}

void rc_queue_init(rc_queue *queue, const rc_queue_settings *settings, void *memory,
                   uint32_t capacity)
{
    *queue = (rc_queue){.settings = *settings,
                        .free_entry = RC_QUEUE_NONE,
                        .free_flow = RC_QUEUE_NONE,
                        .by_time = RC_QUEUE_NONE,
                        .by_count = RC_QUEUE_NONE};
    set_memory(queue, memory, capacity);
}

static uint32_t bucket_of(const rc_queue *queue, uint64_t client, uint32_t line)
{
    uint64_t hash = (client ^ (uint64_t)line << 56) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 32) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)((hash >> 32) * queue->capacity >> 32);
}

static void link_flow(rc_queue *queue, uint32_t flow)
{
    rc_queue_flow *f = &queue->flows[flow];
    uint32_t *bucket = &queue->buckets[bucket_of(queue, f->client, f->line)];
    f->same_bucket = *bucket;
    *bucket = flow;
}

void rc_queue_grow(rc_queue *queue, void *memory, uint32_t capacity)
{
    if (capacity <= queue->capacity)
        return;
    const rc_queue old = *queue;
    set_memory(queue, memory, capacity);
    if (old.entries_used > 0)
        memcpy(queue->entries, old.entries, old.entries_used * sizeof *old.entries);
    if (old.flows_used > 0)
        memcpy(queue->flows, old.flows, old.flows_used * sizeof *old.flows);
    for (uint32_t i = 0; i < old.flows_used; i++)
        if (queue->flows[i].count > 0)
            link_flow(queue, i);
}

void rc_queue_set_settings(rc_queue *queue, const rc_queue_settings *settings)
{
    queue->settings = *settings;
}

/* --- lines --- */

uint32_t rc_queue_find_line(const rc_queue *queue, uint64_t key)
{
    for (uint32_t i = 0; i < queue->line_count; i++)
        if (queue->lines[i].count > 0 && queue->lines[i].key == key)
            return i;
    return RC_QUEUE_NONE;
}

static bool has_free_line(const rc_queue *queue)
{
    uint32_t line = 0;
    while (line < queue->line_count && queue->lines[line].count > 0)
        line++;
    return line < RC_QUEUE_LINES;
}

/* Returns the line with the key; if no line has it, a free line, which must exist. */
static uint32_t line_for(rc_queue *queue, uint64_t key)
{
    uint32_t found = rc_queue_find_line(queue, key);
    if (found != RC_QUEUE_NONE)
        return found;
    uint32_t line = 0;
    while (line < queue->line_count && queue->lines[line].count > 0)
        line++;
    if (line == queue->line_count)
        queue->line_count++;
    queue->lines[line] = (rc_queue_line){.key = key,
                                         .head = RC_QUEUE_NONE,
                                         .ahead = RC_QUEUE_NONE,
                                         .probe_first = RC_QUEUE_NONE,
                                         .probe_last = RC_QUEUE_NONE};
    return line;
}

static void free_line(rc_queue *queue)
{
    while (queue->line_count > 0 && queue->lines[queue->line_count - 1].count == 0)
        queue->line_count--;
}

/* --- flows --- */

static uint32_t find_flow(const rc_queue *queue, uint64_t client, uint32_t line)
{
    if (queue->capacity == 0)
        return RC_QUEUE_NONE;
    uint32_t flow = queue->buckets[bucket_of(queue, client, line)];
    while (flow != RC_QUEUE_NONE &&
           (queue->flows[flow].client != client || queue->flows[flow].line != line))
        flow = queue->flows[flow].same_bucket;
    return flow;
}

static uint32_t new_flow(rc_queue *queue, uint64_t client, uint32_t line)
{
    uint32_t flow = queue->free_flow;
    if (flow != RC_QUEUE_NONE)
        queue->free_flow = queue->flows[flow].same_bucket;
    else
        flow = queue->flows_used++;
    queue->flows[flow] = (rc_queue_flow){.client = client,
                                         .line = line,
                                         .head = RC_QUEUE_NONE,
                                         .newest = RC_QUEUE_NONE,
                                         .round = queue->lines[line].round,
                                         .joined = queue->lines[line].round,
                                         .is_ahead = queue->lines[line].is_closing};
    link_flow(queue, flow);
    queue->lines[line].flows++;
    return flow;
}

static void free_flow(rc_queue *queue, uint32_t flow)
{
    rc_queue_flow *f = &queue->flows[flow];
    uint32_t *at = &queue->buckets[bucket_of(queue, f->client, f->line)];
    while (*at != flow)
        at = &queue->flows[*at].same_bucket;
    *at = f->same_bucket;
    queue->lines[f->line].flows--;
    f->same_bucket = queue->free_flow;
    queue->free_flow = flow;
}

static bool is_ahead(const rc_queue *queue, const rc_queue_flow *flow)
{
    return flow->is_ahead && flow->round == queue->lines[flow->line].round;
}

/* Returns the root of the heap of the line that contains the flow. */
static uint32_t *root_of(rc_queue *queue, const rc_queue_flow *flow)
{
    rc_queue_line *line = &queue->lines[flow->line];
    return is_ahead(queue, flow) ? &line->ahead : &line->head;
}

static bool is_late(const rc_queue *queue, uint32_t flow)
{
    return queue->entries[queue->flows[flow].head].is_late;
}

/* Returns whether the flow got a grant in the current round, or joined the line in it. */
static bool is_served(const rc_queue *queue, uint32_t flow)
{
    const rc_queue_flow *f = &queue->flows[flow];
    uint32_t round = queue->lines[f->line].round;
    return f->joined == round || (f->round == round && f->used > 0);
}

static void move_ahead(rc_queue *queue, rc_queue_line *line, uint32_t flow)
{
    rc_queue_flow *f = &queue->flows[flow];
    rc_queue_heap_take(queue, &rc_queue_heap_line, &line->head, flow);
    f->used = f->round == line->round ? f->used : 0;
    f->round = line->round;
    f->is_ahead = true;
    rc_queue_heap_add(queue, &rc_queue_heap_line, &line->ahead, flow);
}

/* Closes the round of a line after it has granted as many attempts as entries waited at its
 * beginning; then only flows that waited at its beginning and had no grant in it get one. Begins a
 * new round when no flow may get a grant in the current one, or only flows that have used their
 * quantum have entries that are not late. In a new round every flow may get grants again, because
 * the marks of earlier rounds are no longer valid. */
static void settle_round(rc_queue *queue, rc_queue_line *line)
{
    line->is_closing = line->is_closing || line->round_left == 0;
    while (line->is_closing && line->head != RC_QUEUE_NONE && is_served(queue, line->head))
        move_ahead(queue, line, line->head);
    bool is_over =
        line->head == RC_QUEUE_NONE || (line->ahead != RC_QUEUE_NONE &&
                                        is_late(queue, line->head) && !is_late(queue, line->ahead));
    if (!is_over)
        return;
    rc_queue_heap_join(queue, &rc_queue_heap_line, &line->head, &line->ahead);
    line->round++;
    line->round_left = line->count > 0 ? line->count : 1;
    line->is_closing = false;
}

/* detach_flow removes a flow that has entries from the heap of its line and from the heap of
 * counts, so that fields of the flow may change. attach_flow adds the flow to both heaps again, or
 * frees it if it has no entries left. */
static void detach_flow(rc_queue *queue, uint32_t flow)
{
    const rc_queue_flow *f = &queue->flows[flow];
    if (f->count == 0)
        return;
    rc_queue_heap_take(queue, &rc_queue_heap_line, root_of(queue, f), flow);
    rc_queue_heap_take(queue, &rc_queue_heap_count, &queue->by_count, flow);
}

static void attach_flow(rc_queue *queue, uint32_t flow)
{
    const rc_queue_flow *f = &queue->flows[flow];
    rc_queue_line *line = &queue->lines[f->line];
    if (f->count == 0) {
        free_flow(queue, flow);
    } else {
        rc_queue_heap_add(queue, &rc_queue_heap_line, root_of(queue, f), flow);
        rc_queue_heap_add(queue, &rc_queue_heap_count, &queue->by_count, flow);
    }
    settle_round(queue, line);
    if (f->count == 0)
        free_line(queue);
}

/* --- entries --- */

static uint32_t new_entry(rc_queue *queue)
{
    uint32_t entry = queue->free_entry;
    if (entry != RC_QUEUE_NONE)
        queue->free_entry = queue->entries[entry].older;
    else
        entry = queue->entries_used++;
    return entry;
}

static void add_prober(rc_queue *queue, uint32_t entry, rc_queue_line *line, bool is_last)
{
    rc_queue_entry *e = &queue->entries[entry];
    e->probe_prev = is_last ? line->probe_last : RC_QUEUE_NONE;
    e->probe_next = is_last ? RC_QUEUE_NONE : line->probe_first;
    if (e->probe_prev != RC_QUEUE_NONE)
        queue->entries[e->probe_prev].probe_next = entry;
    else
        line->probe_first = entry;
    if (e->probe_next != RC_QUEUE_NONE)
        queue->entries[e->probe_next].probe_prev = entry;
    else
        line->probe_last = entry;
}

static void remove_prober(rc_queue *queue, const rc_queue_entry *e, rc_queue_line *line)
{
    if (e->probe_prev != RC_QUEUE_NONE)
        queue->entries[e->probe_prev].probe_next = e->probe_next;
    else
        line->probe_first = e->probe_next;
    if (e->probe_next != RC_QUEUE_NONE)
        queue->entries[e->probe_next].probe_prev = e->probe_prev;
    else
        line->probe_last = e->probe_prev;
}

static void add_entry(rc_queue *queue, uint32_t entry, uint32_t flow, bool is_again)
{
    rc_queue_entry *e = &queue->entries[entry];
    rc_queue_flow *f = &queue->flows[flow];
    e->flow = flow;
    e->older = f->newest;
    e->newer = RC_QUEUE_NONE;
    if (f->newest != RC_QUEUE_NONE)
        queue->entries[f->newest].newer = entry;
    detach_flow(queue, flow);
    f->newest = entry;
    f->count++;
    rc_queue_heap_add(queue, &rc_queue_heap_flow, &f->head, entry);
    attach_flow(queue, flow);
    rc_queue_heap_add(queue, &rc_queue_heap_time, &queue->by_time, entry);
    add_prober(queue, entry, &queue->lines[f->line], is_again);
    queue->lines[f->line].count++;
    queue->count++;
    queue->bytes += e->bytes;
}

void rc_queue_remove(rc_queue *queue, uint32_t ticket)
{
    rc_queue_entry *e = &queue->entries[ticket];
    uint32_t flow = e->flow;
    rc_queue_flow *f = &queue->flows[flow];
    detach_flow(queue, flow);
    if (e->newer != RC_QUEUE_NONE)
        queue->entries[e->newer].older = e->older;
    else
        f->newest = e->older;
    if (e->older != RC_QUEUE_NONE)
        queue->entries[e->older].newer = e->newer;
    rc_queue_heap_take(queue, &rc_queue_heap_flow, &f->head, ticket);
    rc_queue_heap_take(queue, &rc_queue_heap_time, &queue->by_time, ticket);
    remove_prober(queue, e, &queue->lines[f->line]);
    f->count--;
    queue->lines[f->line].count--;
    queue->count--;
    queue->bytes -= e->bytes;
    *e = (rc_queue_entry){.flow = RC_QUEUE_NONE, .older = queue->free_entry};
    queue->free_entry = ticket;
    attach_flow(queue, flow);
}

/* --- the ceiling --- */

static bool has_room(const rc_queue *queue, uint32_t bytes)
{
    uint32_t max = queue->settings.max_waiting;
    return queue->count < (max < queue->capacity ? max : queue->capacity) &&
           queue->bytes + bytes <= queue->settings.max_bytes;
}

/* Makes room for a request by removing the newest entry of the flow with the most entries. Returns
 * false if the request itself belongs to the flow with the most entries, or if the removal of one
 * entry is not sufficient. */
static bool make_room(rc_queue *queue, uint32_t flow, uint32_t bytes, void **ret_refused)
{
    uint32_t greediest = queue->by_count;
    uint32_t own = flow == RC_QUEUE_NONE ? 0 : queue->flows[flow].count;
    if (greediest == RC_QUEUE_NONE || own + 1 >= queue->flows[greediest].count)
        return false;
    uint32_t newest = queue->flows[greediest].newest;
    const rc_queue_entry *e = &queue->entries[newest];
    if (queue->count > queue->settings.max_waiting ||
        queue->bytes - e->bytes + bytes > queue->settings.max_bytes)
        return false;
    *ret_refused = e->item;
    rc_queue_remove(queue, newest);
    return true;
}

rc_queue_result rc_queue_push(rc_queue *queue, const rc_queue_request *request,
                              uint32_t *ret_ticket, void **ret_refused)
{
    rc_queue_result result = RC_QUEUE_PUSHED;
    uint32_t line = rc_queue_find_line(queue, request->line);
    uint32_t flow = line == RC_QUEUE_NONE ? RC_QUEUE_NONE : find_flow(queue, request->client, line);
    if (line == RC_QUEUE_NONE && !has_free_line(queue))
        return RC_QUEUE_FULL;
    if (!has_room(queue, request->bytes)) {
        if (!make_room(queue, flow, request->bytes, ret_refused))
            return RC_QUEUE_FULL;
        result = RC_QUEUE_REPLACED;
    }
    line = line_for(queue, request->line);
    flow = find_flow(queue, request->client, line);
    if (flow == RC_QUEUE_NONE)
        flow = new_flow(queue, request->client, line);
    uint32_t entry = new_entry(queue);
    queue->entries[entry] = (rc_queue_entry){
        .item = request->item,
        .start_by_ms = request->start_by_ms,
        .leave_at_ms = request->leave_at_ms > request->start_by_ms ? request->leave_at_ms
                                                                   : request->start_by_ms,
        .bytes = request->bytes,
    };
    add_entry(queue, entry, flow, request->is_again);
    *ret_ticket = entry;
    return result;
}

/* --- the choice --- */

uint32_t rc_queue_head(const rc_queue *queue, uint32_t line)
{
    if (line >= queue->line_count || queue->lines[line].head == RC_QUEUE_NONE)
        return RC_QUEUE_NONE;
    return queue->flows[queue->lines[line].head].head;
}

uint32_t rc_queue_prober(const rc_queue *queue, uint32_t line)
{
    return line < queue->line_count && queue->lines[line].count > 0 ? queue->lines[line].probe_first
                                                                    : RC_QUEUE_NONE;
}

bool rc_queue_is_before(const rc_queue *queue, uint32_t a, uint32_t b)
{
    const rc_queue_entry *x = &queue->entries[rc_queue_head(queue, a)];
    const rc_queue_entry *y = &queue->entries[rc_queue_head(queue, b)];
    if (x->is_late != y->is_late)
        return y->is_late;
    return x->start_by_ms < y->start_by_ms;
}

void rc_queue_grant(rc_queue *queue, uint32_t ticket)
{
    uint32_t flow = queue->entries[ticket].flow;
    rc_queue_flow *f = &queue->flows[flow];
    rc_queue_line *line = &queue->lines[f->line];
    uint32_t quantum = queue->settings.quantum > 0 ? queue->settings.quantum : 1;
    detach_flow(queue, flow);
    if (f->round != line->round) {
        f->round = line->round;
        f->used = 0;
        f->is_ahead = false;
    }
    f->used++;
    f->is_ahead = f->used >= quantum;
    line->round_left -= line->round_left > 0;
    attach_flow(queue, flow);
    rc_queue_remove(queue, ticket);
}

void *rc_queue_item(const rc_queue *queue, uint32_t ticket)
{
    return queue->entries[ticket].item;
}

/* --- time --- */

static void make_late(rc_queue *queue, uint32_t entry)
{
    rc_queue_entry *e = &queue->entries[entry];
    rc_queue_flow *f = &queue->flows[e->flow];
    detach_flow(queue, e->flow);
    rc_queue_heap_take(queue, &rc_queue_heap_flow, &f->head, entry);
    rc_queue_heap_take(queue, &rc_queue_heap_time, &queue->by_time, entry);
    e->is_late = true;
    rc_queue_heap_add(queue, &rc_queue_heap_flow, &f->head, entry);
    rc_queue_heap_add(queue, &rc_queue_heap_time, &queue->by_time, entry);
    attach_flow(queue, e->flow);
}

uint32_t rc_queue_overdue(rc_queue *queue, uint64_t now_ms)
{
    while (queue->by_time != RC_QUEUE_NONE) {
        const rc_queue_entry *first = &queue->entries[queue->by_time];
        if (first->is_late)
            return first->leave_at_ms <= now_ms ? queue->by_time : RC_QUEUE_NONE;
        if (first->start_by_ms > now_ms)
            return RC_QUEUE_NONE;
        make_late(queue, queue->by_time);
    }
    return RC_QUEUE_NONE;
}

uint64_t rc_queue_next_ms(const rc_queue *queue)
{
    if (queue->by_time == RC_QUEUE_NONE)
        return UINT64_MAX;
    const rc_queue_entry *first = &queue->entries[queue->by_time];
    return first->is_late ? first->leave_at_ms : first->start_by_ms;
}

/* --- validation --- */

/* Counts of one flow, computed from its list of entries. */
typedef struct flow_sum {
    uint32_t count;
    uint64_t bytes;
} flow_sum;

static bool sum_flow(const rc_queue *queue, uint32_t flow, flow_sum *ret_sum)
{
    const rc_queue_flow *f = &queue->flows[flow];
    flow_sum sum = {0};
    uint32_t newer = RC_QUEUE_NONE;
    for (uint32_t i = f->newest; i != RC_QUEUE_NONE; i = queue->entries[i].older) {
        const rc_queue_entry *e = &queue->entries[i];
        if (e->flow != flow || e->newer != newer || sum.count++ > queue->count)
            return false;
        sum.bytes += e->bytes;
        newer = i;
        if (f->head == RC_QUEUE_NONE || rc_queue_heap_flow.is_before(queue, i, f->head))
            return false; /* the root of a heap must come before every other entry */
    }
    *ret_sum = sum;
    return sum.count == f->count;
}

static bool is_flow_valid(const rc_queue *queue, uint32_t flow)
{
    const rc_queue_flow *f = &queue->flows[flow];
    if (f->line >= queue->line_count)
        return false;
    const rc_queue_line *line = &queue->lines[f->line];
    uint32_t quantum = queue->settings.quantum > 0 ? queue->settings.quantum : 1;
    uint32_t root = is_ahead(queue, f) ? line->ahead : line->head;
    bool is_used_up = f->round == line->round && f->used >= quantum;
    return root != RC_QUEUE_NONE && (is_ahead(queue, f) || !is_used_up) &&
           find_flow(queue, f->client, f->line) == flow &&
           !rc_queue_heap_line.is_before(queue, flow, root) &&
           !rc_queue_heap_count.is_before(queue, flow, queue->by_count);
}

/* Returns whether each entry of the line is once in the order of probes. */
static bool is_probe_order_valid(const rc_queue *queue, uint32_t line)
{
    const rc_queue_line *l = &queue->lines[line];
    uint32_t count = 0;
    uint32_t before = RC_QUEUE_NONE;
    if (l->count == 0)
        return true;
    for (uint32_t i = l->probe_first; i != RC_QUEUE_NONE; i = queue->entries[i].probe_next) {
        const rc_queue_entry *e = &queue->entries[i];
        if (e->probe_prev != before || e->flow == RC_QUEUE_NONE ||
            queue->flows[e->flow].line != line || count++ > l->count)
            return false;
        before = i;
    }
    return count == l->count && l->probe_last == before;
}

bool rc_queue_validate(const rc_queue *queue)
{
    uint32_t count = 0;
    uint32_t line_sum = 0;
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < queue->flows_used; i++) {
        flow_sum sum;
        if (queue->flows[i].count == 0)
            continue; /* the flow is free */
        if (!is_flow_valid(queue, i) || !sum_flow(queue, i, &sum))
            return false;
        count += sum.count;
        bytes += sum.bytes;
    }
    for (uint32_t i = 0; i < queue->line_count; i++) {
        line_sum += queue->lines[i].count;
        if (!is_probe_order_valid(queue, i))
            return false;
    }
    return count == queue->count && bytes == queue->bytes && line_sum == count &&
           queue->line_count <= RC_QUEUE_LINES && queue->count <= queue->capacity;
}
