/* rc_queue: the requests that wait until one of their targets may be used.
 *
 *   push ──► line (a list of targets) ──► flow (one client) ──► entries, by latest start
 *                                                                  │
 *   grant, the choice of the queue ◄── rounds: each flow in turn ◄─┘──► overdue, removed, refused
 *
 * A line holds the requests that wait for the same targets. A flow holds the requests of one client
 * in one line. The line grants in rounds: in each round a flow gets at most `quantum` grants
 * (deficit round robin); within a round and within a flow the entry with the earliest latest start
 * goes first. The latest start of a request is the time at which it must begin so that it usually
 * ends before its deadline. An entry that passed it becomes late: it is granted only if no other
 * entry of its line waits, and it is overdue at its second time, `leave_at_ms`.
 *
 * At the ceiling of entries or bytes the newest entry of the flow with the most entries leaves.
 * Every operation takes O(log n) amortized, and none allocates: the caller provides the memory. The
 * functions take no lock; an rc_shared that has a queue uses it under its own lock. Indexes of
 * entries (tickets) stay valid until the entry leaves.
 *
 * Invariants, checked by rc_queue_validate and the fuzz target:
 *   Q1  every entry is in exactly one flow, and every flow in exactly one line
 *   Q2  count and bytes are the sums of the entries, within the ceilings
 *   Q3  an entry that is not late is granted before the late entries of its line
 *   Q4  no flow gets more than `quantum` grants in one round
 *   Q5  a flow that waits is at most one round ahead of the line's round; a round ends after
 *       finitely many grants, so that no flow starves */
#ifndef RECOURSE_QUEUE_H
#define RECOURSE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/export.h>

RC_BEGIN_DECLS

/* Not a ticket, not an index. */
#define RC_QUEUE_NONE UINT32_MAX

/* Most lines that have entries at the same time. */
#define RC_QUEUE_LINES 64u

typedef struct rc_queue_settings {
    uint32_t max_waiting; /* default 10000: most entries; at most the entries of the memory. 0:
                             nothing may wait */
    uint32_t quantum;     /* default 8: grants of one flow in one round; 0 counts as 1 */
    uint64_t max_bytes;   /* default 256 MiB: most bytes of all waiting requests together */
} rc_queue_settings;

/* Returns the default settings. */
RC_API rc_queue_settings rc_queue_settings_default(void);

/* A request that is to wait. */
typedef struct rc_queue_request {
    void *item;           /* the owner's reference, for example an rc_call */
    uint64_t line;        /* requests with the same value wait for the same targets */
    uint64_t client;      /* requests with the same value share a flow */
    uint64_t start_by_ms; /* latest start */
    uint64_t leave_at_ms; /* time at which the entry is overdue; at least start_by_ms */
    uint32_t bytes;       /* memory that the request keeps while it waits */
} rc_queue_request;

/* Links of a node in a pairing heap; private. */
typedef struct rc_queue_link {
    uint32_t child;
    uint32_t next;
    uint32_t prev; /* the previous sibling; of the first child, the parent */
} rc_queue_link;

/* An entry, a flow and a line; their fields are private. */
typedef struct rc_queue_entry {
    void *item;
    uint64_t start_by_ms;
    uint64_t leave_at_ms;
    uint32_t flow; /* RC_QUEUE_NONE: the entry is free */
    uint32_t bytes;
    uint32_t older; /* list of the flow, by arrival; in a free entry the next free one */
    uint32_t newer;
    rc_queue_link in_flow; /* heap of the flow, by latest start */
    rc_queue_link in_time; /* heap of all entries, by the next time at which they change */
    bool is_late;
} rc_queue_entry;

typedef struct rc_queue_flow {
    uint64_t client;
    uint32_t line;
    uint32_t count;
    uint32_t head; /* root of the heap of entries */
    uint32_t newest;
    uint32_t round;
    uint32_t used;          /* grants in this round */
    uint32_t same_bucket;   /* list of the flows with the same hash; of the free flows */
    rc_queue_link in_line;  /* heap of the line, by round and latest start */
    rc_queue_link in_count; /* heap of all flows, the largest first */
} rc_queue_flow;

typedef struct rc_queue_line {
    uint64_t key;
    uint32_t head; /* root of the heap of flows */
    uint32_t flows;
    uint32_t count;      /* entries; 0: the line is free */
    uint32_t round;      /* round of the latest grant */
    uint32_t round_left; /* grants until flows that join the line join the next round */
} rc_queue_line;

typedef struct rc_queue {
    rc_queue_settings settings;
    rc_queue_entry *entries;
    rc_queue_flow *flows;
    uint32_t *buckets; /* hash table of the flows; one bucket per entry */
    uint32_t capacity;
    uint32_t entries_used; /* entries and flows that were ever used */
    uint32_t flows_used;
    uint32_t free_entry;
    uint32_t free_flow;
    uint32_t by_time;  /* root of the heap of entries by time */
    uint32_t by_count; /* root of the heap of flows by count */
    uint32_t count;
    uint32_t line_count; /* lines[0 .. line_count) may have entries */
    uint64_t bytes;
    rc_queue_line lines[RC_QUEUE_LINES];
} rc_queue;

/* Returns the size of the memory for `capacity` entries, in bytes. */
RC_API size_t rc_queue_memory_bytes(uint32_t capacity);

/* Starts an empty queue. settings: copies the struct. memory: borrows rc_queue_memory_bytes(
 * capacity) bytes, aligned as malloc aligns, until the queue is no longer used; it need not be
 * zero, and memory of entries that were never used is never touched except the hash table. */
RC_API void rc_queue_init(rc_queue *queue, const rc_queue_settings *settings, void *memory,
                          uint32_t capacity);

/* Moves the queue to a larger memory. Tickets stay valid. The caller may free the old memory
 * afterwards. A capacity that is not larger changes nothing. memory: as for rc_queue_init. */
RC_API void rc_queue_grow(rc_queue *queue, void *memory, uint32_t capacity);

/* Replaces the settings. Entries above a lower ceiling stay. settings: copies the struct. */
RC_API void rc_queue_set_settings(rc_queue *queue, const rc_queue_settings *settings);

/* Result of rc_queue_push. */
typedef enum rc_queue_result {
    RC_QUEUE_PUSHED = 1,
    RC_QUEUE_REPLACED = 2, /* pushed; another entry left the queue to make room: *ret_refused */
    RC_QUEUE_FULL = 3 /* not pushed: the queue is full, and this request is the one to refuse */
} rc_queue_result;

/* Adds a request. *ret_ticket is written if the request was added, *ret_refused (the item of the
 * entry that left) if the result is REPLACED. request: copies the struct. */
RC_API rc_queue_result rc_queue_push(rc_queue *queue, const rc_queue_request *request,
                                     uint32_t *ret_ticket, void **ret_refused);

/* Removes an entry that leaves without a grant. */
RC_API void rc_queue_remove(rc_queue *queue, uint32_t ticket);

/* Returns the ticket of the entry that the line grants next, or RC_QUEUE_NONE if the line has no
 * entry. `line` is an index below queue->line_count. */
RC_API uint32_t rc_queue_head(const rc_queue *queue, uint32_t line);

/* Returns the ticket of the line's entry that arrived last among those of the flow that is next;
 * it has the most time left, and serves as a probe. RC_QUEUE_NONE: the line has no entry. */
RC_API uint32_t rc_queue_newest(const rc_queue *queue, uint32_t line);

/* Returns whether the head of line `a` goes before the head of line `b`. Both have entries. */
RC_API bool rc_queue_is_before(const rc_queue *queue, uint32_t a, uint32_t b);

/* Removes an entry that was granted, and counts the grant in the round of its flow. */
RC_API void rc_queue_grant(rc_queue *queue, uint32_t ticket);

/* Returns the index of the line with this key, or RC_QUEUE_NONE if it has no entry. */
RC_API uint32_t rc_queue_find_line(const rc_queue *queue, uint64_t key);

/* Returns the item of an entry. */
RC_API void *rc_queue_item(const rc_queue *queue, uint32_t ticket);

/* Makes the entries late whose latest start is not after now_ms, and returns the ticket of an entry
 * that is overdue, or RC_QUEUE_NONE. The caller removes the entry and calls again. */
RC_API uint32_t rc_queue_overdue(rc_queue *queue, uint64_t now_ms);

/* Returns the time of the next change that rc_queue_overdue makes; UINT64_MAX: none. */
RC_API uint64_t rc_queue_next_ms(const rc_queue *queue);

/* Returns whether all fields are consistent, for tests and fuzzing. Takes O(n). */
RC_API bool rc_queue_validate(const rc_queue *queue);

RC_END_DECLS

#endif
