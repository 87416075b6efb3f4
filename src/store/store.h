/* rc_store: where the audit is kept. One table of calls, so that another database can take the
 * place of SQLite.
 *
 *   WRITE   one connection a file, in one thread: it alone writes and moves the log into the file.
 *           A lock file keeps a second one out, in this process and in any other.
 *   READ    any number, in any process, each used by one thread at a time. They write nothing.
 *
 * What a transaction promises once append has given true: see rc_store_settings. Strings that a
 * question gives back are views that end with the call of `each`. Every function that can fail
 * gives true, or false with fault filled in. */
#ifndef RC_STORE_STORE_H
#define RC_STORE_STORE_H

#include "store/fault.h"
#include "store/record.h"
#include "store/stats.h"

typedef enum rc_store_mode {
    RC_STORE_READ = 0,
    RC_STORE_WRITE = 1
} rc_store_mode;

typedef struct rc_store_settings {
    rc_store_mode mode;
    /* Of WRITE. false: what was appended survives the end of the process, `kill -9` included
     * (synchronous=NORMAL). true: and a power cut (synchronous=FULL), for one flush of the disk a
     * transaction. */
    bool is_power_safe;
    bool makes_folders; /* WRITE makes the folders that its file needs (0700) */
} rc_store_settings;

/* Which operations; what is 0 or empty does not matter. */
typedef struct rc_store_filter {
    int64_t from_unix_ms;  /* from then on */
    int64_t until_unix_ms; /* before that; 0: no end */
    int64_t ended_unix_ms; /* ended from then on; 0: whether or not they have ended */
    rc_str client;
    rc_str route;
    rc_str model;
    rc_str target; /* was asked, with or without success */
    rc_code code;
    rc_error_class error_class;
    rc_str report_id; /* of any of its records */
    bool has_outcome; /* without it: all but notices */
    rc_outcome outcome;
    bool is_recovered; /* succeeded although an attempt failed */
} rc_store_filter;

typedef struct rc_store_query {
    rc_store_filter filter;
    uint32_t limit;       /* 0: none */
    bool is_oldest_first; /* else the newest is */
    int64_t beyond_key;   /* the key of the last one seen; 0: from the start */
} rc_store_query;

/* False: enough. record: views. */
typedef bool (*rc_record_each)(void *ctx, const rc_record *record);
typedef bool (*rc_saved_state_each)(void *ctx, const rc_saved_state *saved);
typedef bool (*rc_store_name_each)(void *ctx, rc_str name);
typedef bool (*rc_store_daily_usage_each)(void *ctx, const rc_store_daily_usage *spent);
/* True: the answer is not wanted any more. */
typedef bool (*rc_store_is_cancelled)(void *ctx);

/* How much there is. */
typedef struct rc_store_extent {
    uint64_t operations; /* notices included */
    uint64_t records;    /* beside their beginnings and outcomes */
    uint64_t reports;
    uint64_t names;
    uint64_t orphans;     /* records and reports of no operation: there should be none */
    uint64_t bytes;       /* of the file, without its log */
    int64_t from_unix_ms; /* when the first and the last operation began; 0: there is none */
    int64_t to_unix_ms;
} rc_store_extent;

/* What is past: what ended before a time. */
typedef struct rc_store_expired {
    uint64_t operations; /* that ended before it */
    uint64_t remaining;  /* that began before it, and are open or ended later */
    uint64_t bytes;      /* of the file, without its log */
    uint64_t free_bytes; /* of them, what is used again before the file grows */
} rc_store_expired;

/* Deleting what is past, and how far it has come. */
typedef struct rc_store_prune {
    int64_t before_unix_ms; /* what ended before that; it stays the same from step to step */
    uint32_t max;           /* operations, notes about them or names in a step; not 0 */
    uint64_t operations;    /* deleted so far */
    bool is_stopped;        /* set between two steps: no more operations are deleted */
    bool is_done;
    /* The store's own; 0 at the beginning. */
    int64_t from_key;
    bool is_in_notes;
    bool is_in_names;
    int64_t field;
    int64_t value;
    int64_t from_block;
} rc_store_prune;

typedef struct rc_store rc_store;
typedef struct rc_store_calls {
    bool (*append)(rc_store *store, const rc_batch *first, rc_store_fault *fault);
    bool (*checkpoint)(rc_store *store, bool is_forced, rc_store_fault *fault);
    bool (*timeline)(rc_store *store, rc_str operation_id, rc_record_each each, void *ctx,
                     rc_store_fault *fault);
    bool (*list)(rc_store *store, const rc_store_query *query, rc_record_each each, void *ctx,
                 rc_store_fault *fault);
    bool (*find)(rc_store *store, rc_str prefix, uint32_t limit, rc_record_each each, void *ctx,
                 rc_store_fault *fault);
    bool (*survey)(rc_store *store, const rc_store_filter *filter, rc_stats *operations,
                   rc_stats *attempts, rc_store_fault *fault);
    bool (*names)(rc_store *store, rc_store_name_each each, void *ctx, rc_store_fault *fault);
    bool (*measure)(rc_store *store, rc_store_extent *ret_extent, rc_store_fault *fault);
    bool (*saved_states)(rc_store *store, rc_saved_state_each each, void *ctx,
                         rc_store_fault *fault);
    bool (*daily_usage_since)(rc_store *store, int64_t from_day, rc_store_daily_usage_each each,
                              void *ctx, rc_store_fault *fault);
    bool (*count_expired)(rc_store *store, int64_t before_unix_ms, rc_store_expired *ret_expired,
                          rc_store_fault *fault);
    bool (*first_expired)(rc_store *store, int64_t before_unix_ms, int64_t *ret_unix_ms,
                          rc_store_fault *fault);
    bool (*used_bytes)(rc_store *store, uint64_t *ret_bytes, rc_store_fault *fault);
    bool (*prune)(rc_store *store, rc_store_prune *prune, rc_store_fault *fault);
    bool (*shrink)(rc_store *store, rc_store_fault *fault);
    bool (*request_prune)(rc_store *store, int64_t before_unix_ms, rc_store_fault *fault);
    bool (*has_prune_request)(rc_store *store, int64_t *ret_before_unix_ms);
    bool (*check)(rc_store *store, rc_store_fault *fault);
    void (*set_cancel_check)(rc_store *store, rc_store_is_cancelled is_cancelled, void *ctx);
    void (*close)(rc_store *store);
} rc_store_calls;

struct rc_store {
    const rc_store_calls *calls;
};

/* Opens what a configuration names: "sqlite:PATH". WRITE makes the file unless it is there, and
 * brings an older one up to date. Gives in ret_store; free with rc_store_close. url, settings:
 * borrow. alloc: copies. */
bool rc_store_open(rc_str url, const rc_store_settings *settings, const rc_alloc *alloc,
                   rc_store **ret_store, rc_store_fault *fault);

/* Takes; also NULL. */
void rc_store_close(rc_store *store);

/* Keeps all batches in one transaction: all of it or nothing. Records pass rc_records_check first.
 * A record whose operation and seq are there already is not kept again, so that doing it again
 * after a failure whose end is not known does no harm. first: borrows. */
bool rc_store_append(rc_store *store, const rc_batch *first, rc_store_fault *fault);

/* Moves the log into the file when it has grown, or in any case. Readers are not disturbed. */
bool rc_store_checkpoint(rc_store *store, bool is_forced, rc_store_fault *fault);

/* All records of one operation in order. `each` is not called when there is none, and asks for no
 * other timeline itself; within that of a list a timeline may be asked for. */
bool rc_store_timeline(rc_store *store, rc_str operation_id, rc_record_each each, void *ctx,
                       rc_store_fault *fault);

/* Operations, one record for each: BEGIN and OUTCOME in one, of the kind OUTCOME. */
bool rc_store_list(rc_store *store, const rc_store_query *query, rc_record_each each, void *ctx,
                   rc_store_fault *fault);

/* Operations, as a list has them, of which an id begins as prefix does: their own, or that of a
 * report of theirs. At most limit, the oldest first; exact ids stand alone. Letters of either
 * case; "rep_" may be left out, or be "req_" as in an answer's headers. */
bool rc_store_find(rc_store *store, rc_str prefix, uint32_t limit, rc_record_each each, void *ctx,
                   rc_store_fault *fault);

/* Adds up operations, and the attempts of the same operations, in one walk. Either may be NULL;
 * both were set up by rc_stats_init, which says by what. */
bool rc_store_survey(rc_store *store, const rc_store_filter *filter, rc_stats *operations,
                     rc_stats *attempts, rc_store_fault *fault);

/* Adds up the one or the other, as stats was set up. */
bool rc_store_stats(rc_store *store, const rc_store_filter *filter, rc_stats *stats,
                    rc_store_fault *fault);

/* The names of clients, routes, providers, models, targets and credentials, in no order that means
 * anything. */
bool rc_store_names(rc_store *store, rc_store_name_each each, void *ctx, rc_store_fault *fault);

/* Counts. Reads all keys. */
bool rc_store_measure(rc_store *store, rc_store_extent *ret_extent, rc_store_fault *fault);

/* What must survive a restart. Marks are saved by append. */
bool rc_store_saved_states(rc_store *store, rc_saved_state_each each, void *ctx,
                           rc_store_fault *fault);

/* What was spent, from a day on (0: ever), the oldest first. The sums are those of the attempts
 * that are kept, to the millionth. */
bool rc_store_daily_usage_since(rc_store *store, int64_t from_day, rc_store_daily_usage_each each,
                                void *ctx, rc_store_fault *fault);

/* Counts what is past. Reads the operations that began before then. */
bool rc_store_count_expired(rc_store *store, int64_t before_unix_ms, rc_store_expired *ret_expired,
                            rc_store_fault *fault);

/* When the first of what is past began; -1: nothing is. */
bool rc_store_first_expired(rc_store *store, int64_t before_unix_ms, int64_t *ret_unix_ms,
                            rc_store_fault *fault);

/* The bytes of the file that are in use; free room is not counted, nor is the log. */
bool rc_store_used_bytes(rc_store *store, uint64_t *ret_bytes, rc_store_fault *fault);

/* Deletes some of what is past, in one transaction: operations with all that belongs to them, and
 * then names that nothing uses any more. Marks and what was spent stay, and so does what is open.
 * Whoever calls it again until is_done has deleted all; after a fault prune is as it was before the
 * step. */
bool rc_store_prune_step(rc_store *store, rc_store_prune *prune, rc_store_fault *fault);

/* Gives the room that is free back to the disk: writes the whole file anew. */
bool rc_store_shrink(rc_store *store, rc_store_fault *fault);

/* A reader asks the writer of the file to delete what ended before a time; asked says whether
 * somebody does. The wish stands until the reader is closed, or its process ends. */
bool rc_store_request_prune(rc_store *store, int64_t before_unix_ms, rc_store_fault *fault);
bool rc_store_has_prune_request(rc_store *store, int64_t *ret_before_unix_ms);

/* Asks is_cancelled again and again, some hundred times a second, while a question is answered:
 * once
 * it says so, the question ends with the fault STOPPED. NULL: no question is ended. ctx: borrows
 * until the store is closed or watched by another. */
void rc_store_set_cancel_check(rc_store *store, rc_store_is_cancelled is_cancelled, void *ctx);

/* Is the whole file sound? Reads all of it. */
bool rc_store_check(rc_store *store, rc_store_fault *fault);

#endif
