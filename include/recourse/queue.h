/* rc_queue: the requests that wait until one of their targets may be used.
 *
 *   push ──► line (a list of targets) ──► flow (one client) ──► entries, by latest start
 *                                                                  │
 *   grant, the choice of the queue ◄── rounds: each flow in turn ◄─┘──► overdue, removed, refused
 *
 * An entry is a waiting request. A line is the list of the requests that wait for the same targets.
 * A flow is the list of the requests of one client in one line. A grant permits one request to
 * start. Each line grants in rounds: in one round a flow gets at most `quantum` grants (deficit
 * round robin). Within a round, and within a flow, the entry with the earliest latest start is
 * first. The latest start of a request is the time at which it must begin so that it usually ends
 * before its deadline. At this time an entry that still waits becomes late: it is granted only if
 * its line has no entry that is not late. At a second time, `leave_at_ms`, the entry is overdue and
 * must leave the queue.
 *
 * When a request arrives and the queue has reached its ceiling of entries or bytes, the newest
 * entry of the flow with the most entries leaves. Every operation takes amortized O(log n) time and
 * allocates nothing: the caller provides the memory. The functions take no lock; an rc_shared with
 * a queue calls them under its own lock. The index of an entry (its ticket) is valid until the
 * entry leaves.
 *
 * Invariants, checked by rc_queue_validate and the fuzz target:
 *   Q1  every entry is in exactly one flow, and every flow in exactly one line
 *   Q2  count and bytes are the sums of the entries, within the ceilings
 *   Q3  an entry that is not late is granted before the late entries of its line
 *   Q4  no flow gets more than `quantum` grants in one round
 *   Q5  a round ends after finitely many grants, and each flow that waits from its beginning to its
 *       end gets a grant in it, so that no flow starves */
#ifndef RECOURSE_QUEUE_H
#define RECOURSE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/export.h>

RC_BEGIN_DECLS

/* The value of a ticket or index that stands for no entry, flow or line. */
#define RC_QUEUE_NONE UINT32_MAX

/* Maximum number of lines that have entries at the same time. */
#define RC_QUEUE_LINES 64u

typedef struct rc_queue_settings {
    uint32_t max_waiting; /* default 10000: maximum number of entries, limited by the capacity of
                             the memory; 0: no request may wait */
    uint32_t quantum;     /* default 8: maximum number of grants of one flow in one round; 0 counts
                             as 1 */
    uint64_t max_bytes;   /* default 256 MiB: maximum sum of `bytes` of all waiting requests */
} rc_queue_settings;

/* Returns the default settings. */
RC_API rc_queue_settings rc_queue_settings_default(void);

/* A request to be added to the queue. */
typedef struct rc_queue_request {
    void *item;           /* the owner's pointer for the request, for example to an rc_call */
    uint64_t line;        /* identifies the line: requests with the same value wait for the same
                             targets */
    uint64_t client;      /* identifies the flow: requests with the same value come from the same
                             client */
    uint64_t start_by_ms; /* latest start: time after which the request is late */
    uint64_t leave_at_ms; /* time at which the entry is overdue; at least start_by_ms */
    uint32_t bytes;       /* memory in bytes that the request occupies while it waits */
    bool is_again;        /* the request has waited before, and had an attempt after that wait */
} rc_queue_request;

/* Links of a node in a pairing heap, by index; private. */
typedef struct rc_queue_link {
    uint32_t child;
    uint32_t next;
    uint32_t prev; /* previous sibling; for the first child, the parent */
} rc_queue_link;

/* An entry, a flow and a line; their fields are private. */
typedef struct rc_queue_entry {
    void *item;
    uint64_t start_by_ms;
    uint64_t leave_at_ms;
    uint32_t flow; /* index of the entry's flow; RC_QUEUE_NONE: the entry is free */
    uint32_t bytes;
    uint32_t older; /* next older entry of the flow; in a free entry, the next free entry */
    uint32_t newer;
    uint32_t probe_next; /* neighbours in the order in which the entries of the line probe */
    uint32_t probe_prev;
    rc_queue_link in_flow; /* links in the heap of the flow's entries, ordered by latest start */
    rc_queue_link in_time; /* links in the heap of all entries, ordered by the time at which the
                              entry becomes late or overdue */
    bool is_late;
} rc_queue_entry;

typedef struct rc_queue_flow {
    uint64_t client;
    uint32_t line;
    uint32_t count;
    uint32_t head; /* root of the heap of the flow's entries */
    uint32_t newest;
    uint32_t joined;        /* round in which the flow joined the line */
    uint32_t round;         /* round in which `used` was counted */
    uint32_t used;          /* number of grants of the flow in this round */
    bool is_ahead;          /* the flow is in the heap `ahead` of its line */
    uint32_t same_bucket;   /* next flow with the same hash; in a free flow, the next free flow */
    rc_queue_link in_line;  /* links in the heap of the line's flows, ordered by latest start */
    rc_queue_link in_count; /* links in the heap of all flows, ordered by number of entries, largest
                               first */
} rc_queue_flow;

typedef struct rc_queue_line {
    uint64_t key;
    uint32_t head;  /* root of the heap of the flows that may get a grant in this round */
    uint32_t ahead; /* root of the heap of the flows that have used their quantum in this round */
    uint32_t flows;
    uint32_t count;       /* number of entries; 0: the line is free */
    uint32_t probe_first; /* first and last entry in the order of probes */
    uint32_t probe_last;
    uint32_t round; /* number of the current round */
    /* number of grants until the round closes: as many as entries waited at its beginning */
    uint32_t round_left;
    /* in the rest of the round, only flows that waited at its beginning and had no grant in it get
     * one */
    bool is_closing;
} rc_queue_line;

typedef struct rc_queue {
    rc_queue_settings settings;
    rc_queue_entry *entries;
    rc_queue_flow *flows;
    uint32_t *buckets; /* hash table of the flows, with one bucket per entry */
    uint32_t capacity;
    uint32_t entries_used; /* number of elements of `entries` that were ever used */
    uint32_t flows_used;   /* number of elements of `flows` that were ever used */
    uint32_t free_entry;
    uint32_t free_flow;
    uint32_t by_time;  /* root of the heap of all entries, ordered by time */
    uint32_t by_count; /* root of the heap of all flows, ordered by number of entries */
    uint32_t count;
    uint32_t line_count; /* only lines[0 .. line_count) may have entries */
    uint64_t bytes;
    rc_queue_line lines[RC_QUEUE_LINES];
} rc_queue;

/* Returns the size in bytes of the memory for `capacity` entries. */
RC_API size_t rc_queue_memory_bytes(uint32_t capacity);

/* Initialises an empty queue. settings: copies the struct. memory: borrows
 * rc_queue_memory_bytes(capacity) bytes, aligned as malloc aligns, until the queue is no longer
 * used. The memory need not be zeroed. Initialisation writes only the hash table; an entry is
 * written when the entry is first used. */
RC_API void rc_queue_init(rc_queue *queue, const rc_queue_settings *settings, void *memory,
                          uint32_t capacity);

/* Moves the queue to a larger memory. Tickets stay valid. The caller may free the old memory
 * afterwards. The function does nothing if `capacity` is not larger than before. memory: as for
 * rc_queue_init. */
RC_API void rc_queue_grow(rc_queue *queue, void *memory, uint32_t capacity);

/* Replaces the settings. Entries above a lower ceiling are not removed. settings: copies the
 * struct. */
RC_API void rc_queue_set_settings(rc_queue *queue, const rc_queue_settings *settings);

/* Result of rc_queue_push. */
typedef enum rc_queue_result {
    RC_QUEUE_PUSHED = 1,
    RC_QUEUE_REPLACED = 2, /* added; to make space, another entry has left the queue:
                              *ret_refused */
    RC_QUEUE_FULL = 3 /* not added: the queue is full, and no other entry had to make space; or all
                         lines are in use */
} rc_queue_result;

/* Adds a request. *ret_ticket is written if the request was added. *ret_refused, the item of the
 * entry that left, is written if the result is RC_QUEUE_REPLACED. request: copies the struct. */
RC_API rc_queue_result rc_queue_push(rc_queue *queue, const rc_queue_request *request,
                                     uint32_t *ret_ticket, void **ret_refused);

/* Removes an entry that leaves without a grant. */
RC_API void rc_queue_remove(rc_queue *queue, uint32_t ticket);

/* Returns the ticket of the entry that the line grants next, or RC_QUEUE_NONE if the line has no
 * entry. `line` is an index below queue->line_count. */
RC_API uint32_t rc_queue_head(const rc_queue *queue, uint32_t line);

/* Returns the ticket of the entry of the line that probes a target next; RC_QUEUE_NONE if the line
 * has no entry. The newest entry comes first, because it has the most time left. Entries that wait
 * again after an attempt come last, in the order of their return, so that the probes of a line are
 * spread over its entries. */
RC_API uint32_t rc_queue_prober(const rc_queue *queue, uint32_t line);

/* Returns whether the head of line `a` goes before the head of line `b`. Both lines must have
 * entries. */
RC_API bool rc_queue_is_before(const rc_queue *queue, uint32_t a, uint32_t b);

/* Removes an entry that was granted, and counts the grant in the round of its flow. */
RC_API void rc_queue_grant(rc_queue *queue, uint32_t ticket);

/* Returns the index of the line with this key, or RC_QUEUE_NONE if no line with entries has this
 * key. */
RC_API uint32_t rc_queue_find_line(const rc_queue *queue, uint64_t key);

/* Returns the owner's pointer for the request of an entry. */
RC_API void *rc_queue_item(const rc_queue *queue, uint32_t ticket);

/* Marks the entries as late whose latest start has been reached at now_ms. Returns the ticket of an
 * entry that is overdue, or RC_QUEUE_NONE. The caller removes that entry and calls the function
 * again. */
RC_API uint32_t rc_queue_overdue(rc_queue *queue, uint64_t now_ms);

/* Returns the time at which the next entry becomes late or overdue; UINT64_MAX: none. */
RC_API uint64_t rc_queue_next_ms(const rc_queue *queue);

/* Returns whether all fields are consistent, for tests and fuzzing. Takes O(n). */
RC_API bool rc_queue_validate(const rc_queue *queue);

RC_END_DECLS

#endif
