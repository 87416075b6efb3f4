/* rc_store: the database of the audit, behind a table of functions, so that another database can
 * replace SQLite.
 *
 *   WRITE   one connection per file, used by one thread. Only this connection writes records and
 *           moves the write-ahead log into the file. A lock file prevents a second
 *           writing connection in any process.
 *   READ    any number of connections, in any process, each used by one thread at a time. A READ
 *           connection does not change the file.
 *
 * rc_store_settings states which failures the records survive after rc_store_append has returned
 * true. Strings that a query returns are views, which are valid only during the call of `each`.
 * Every function that can fail returns true, or false with *fault set. */
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
    /* Used only by RC_STORE_WRITE. If false, appended records survive the end of the process,
     * including `kill -9` (synchronous=NORMAL). If true, they also survive a power cut
     * (synchronous=FULL), at the cost of one disk flush per transaction. */
    bool is_power_safe;
    bool makes_folders; /* RC_STORE_WRITE creates missing parent folders of the file, with the mode
                           0700. */
} rc_store_settings;

/* Selects operations. A member that is 0 or empty selects all operations. */
typedef struct rc_store_filter {
    int64_t from_unix_ms;  /* Selects operations that began at this time or later. */
    int64_t until_unix_ms; /* Selects operations that began before this time. 0 for no end. */
    int64_t ended_unix_ms; /* Selects operations that ended at this time or later. 0 selects ended
                              and open operations. */
    rc_str client;
    rc_str route;
    rc_str model;
    rc_str target; /* Selects operations with an attempt at this target, with or without success. */
    rc_code code;
    rc_error_class error_class;
    rc_str report_id; /* Selects operations that have a report with this id. */
    bool has_outcome; /* If true, only operations with `outcome` are selected. If false, operations
                       * with all outcomes except RC_OUTCOME_NOTICE are selected. */
    rc_outcome outcome;
    bool is_recovered; /* Selects operations that succeeded although an attempt failed. */
} rc_store_filter;

typedef struct rc_store_query {
    rc_store_filter filter;
    uint32_t limit;       /* Maximum number of operations to return. 0 for no limit. */
    bool is_oldest_first; /* The oldest operation comes first; otherwise the newest. */
    int64_t beyond_key;   /* The key of the last operation of the previous page. 0 for the first
                           page. */
} rc_store_query;

/* Callbacks of queries. A callback returns false to end the query. Its arguments are views that are
 * valid only during the call. */
typedef bool (*rc_record_each)(void *ctx, const rc_record *record);
typedef bool (*rc_saved_state_each)(void *ctx, const rc_saved_state *saved);
typedef bool (*rc_store_name_each)(void *ctx, rc_str name);
typedef bool (*rc_store_daily_usage_each)(void *ctx, const rc_store_daily_usage *usage);
/* Returns true if the query's result is no longer needed. */
typedef bool (*rc_store_is_cancelled)(void *ctx);

/* The number of stored operations, records and bytes. */
typedef struct rc_store_extent {
    uint64_t operations; /* Number of operations, including notices. */
    uint64_t records;    /* Number of records. BEGIN and OUTCOME are not counted, because they are
                            part of the operation. */
    uint64_t reports;
    uint64_t names;
    uint64_t orphans;     /* Records and reports without an operation. 0 in an undamaged file. */
    uint64_t bytes;       /* Size of the file, without its log. */
    int64_t from_unix_ms; /* Time at which the first operation began; to_unix_ms: time at which the
                           * last operation began. 0: there is no operation. */
    int64_t to_unix_ms;
} rc_store_extent;

/* Counts of expired operations. An operation is expired if it ended before a given time. */
typedef struct rc_store_expired {
    uint64_t operations; /* Operations that ended before the given time. */
    uint64_t remaining;  /* Operations that began before the given time, but are still open or ended
                          * later. */
    uint64_t bytes;      /* Size of the file, without its log. */
    uint64_t free_bytes; /* Bytes of the file that are free. New records use these bytes before the
                          * file grows. */
} rc_store_expired;

/* The deletion of expired operations, and its progress. */
typedef struct rc_store_prune {
    int64_t before_unix_ms; /* Operations that ended before this time are deleted. The value must be
                               the same in all steps. */
    uint32_t max;           /* Maximum number of rows (operations, block notes or names) that one
                             * step handles. Not 0. */
    uint64_t operations;    /* Operations deleted so far. */
    bool is_stopped;        /* Set by the caller between two steps: no further operations are
                             * deleted. */
    bool is_done;
    /* The members from here on are private to the store. The caller must set them to 0 before the
     * first step. */
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

/* Opens a store by its URL in the configuration: "sqlite:PATH". RC_STORE_WRITE creates a missing
 * file and migrates a file of an older version. *ret_store: gives the store to the caller, who
 * frees it by rc_store_close. url, settings: borrows during the call. alloc: copies the struct. */
bool rc_store_open(rc_str url, const rc_store_settings *settings, const rc_alloc *alloc,
                   rc_store **ret_store, rc_store_fault *fault);

/* Closes and frees the store. store: takes; may be NULL. */
void rc_store_close(rc_store *store);

/* Writes all batches in one transaction. Records must pass rc_records_check. A record whose
 * operation and seq are stored already is not stored again, so that the caller can safely retry
 * after a failure whose effect is unknown. first: borrows during the call. */
bool rc_store_append(rc_store *store, const rc_batch *first, rc_store_fault *fault);

/* Moves the write-ahead log into the file if the log has grown. If is_forced is true, the log is
 * moved even if it has not grown. Readers are not blocked. */
bool rc_store_checkpoint(rc_store *store, bool is_forced, rc_store_fault *fault);

/* Passes all records of one operation to `each`, in their order. If the operation does not exist,
 * `each` is not called. `each` must not call rc_store_timeline. The callback of rc_store_list may
 * call it. */
bool rc_store_timeline(rc_store *store, rc_str operation_id, rc_record_each each, void *ctx,
                       rc_store_fault *fault);

/* Passes the selected operations to `each`. An operation is one record of kind OUTCOME that
 * combines its BEGIN and OUTCOME. */
bool rc_store_list(rc_store *store, const rc_store_query *query, rc_record_each each, void *ctx,
                   rc_store_fault *fault);

/* Passes to `each` the operations that have the prefix in their own id or in the id of one of their
 * reports. The form of an operation is that of rc_store_list. At most `limit` operations are
 * passed, the oldest first. If an operation has exactly this id, only this operation is passed.
 * prefix: letters of either case; "rep_" may be missing or be "req_" as in response headers. */
bool rc_store_find(rc_store *store, rc_str prefix, uint32_t limit, rc_record_each each, void *ctx,
                   rc_store_fault *fault);

/* Adds up the selected operations and their attempts in one pass. operations, attempts: initialised
 * by rc_stats_init; one of them may be NULL. */
bool rc_store_survey(rc_store *store, const rc_store_filter *filter, rc_stats *operations,
                     rc_stats *attempts, rc_store_fault *fault);

/* Adds up operations or attempts, depending on stats->is_of_attempts. */
bool rc_store_stats(rc_store *store, const rc_store_filter *filter, rc_stats *stats,
                    rc_store_fault *fault);

/* Passes all names of clients, routes, providers, models, targets and credentials to `each`, in no
 * particular order. */
bool rc_store_names(rc_store *store, rc_store_name_each each, void *ctx, rc_store_fault *fault);

/* Counts the stored data. The function is slow, because it reads all keys. */
bool rc_store_measure(rc_store *store, rc_store_extent *ret_extent, rc_store_fault *fault);

/* Passes all saved states, which rc_store_append writes, to `each`. */
bool rc_store_saved_states(rc_store *store, rc_saved_state_each each, void *ctx,
                           rc_store_fault *fault);

/* Passes the daily usage from from_day on to `each`, the oldest first. If from_day is 0, all days
 * are passed. The sums equal those of the stored attempts, to the millionth of a dollar. */
bool rc_store_daily_usage_since(rc_store *store, int64_t from_day, rc_store_daily_usage_each each,
                                void *ctx, rc_store_fault *fault);

/* Counts expired operations. The function reads all operations that began before before_unix_ms. */
bool rc_store_count_expired(rc_store *store, int64_t before_unix_ms, rc_store_expired *ret_expired,
                            rc_store_fault *fault);

/* Finds the time at which the earliest expired operation began. *ret_unix_ms is -1 if no operation
 * is expired. */
bool rc_store_first_expired(rc_store *store, int64_t before_unix_ms, int64_t *ret_unix_ms,
                            rc_store_fault *fault);

/* Returns the number of bytes of the file that are in use, without free pages and without the
 * log. */
bool rc_store_used_bytes(rc_store *store, uint64_t *ret_bytes, rc_store_fault *fault);

/* Performs one step of a deletion, in one transaction. The first steps delete expired operations
 * with their records and reports, later steps delete names that no row uses. Saved states, daily
 * usage and open operations are not deleted. The caller repeats the call until prune->is_done is
 * true. A fault leaves *prune unchanged. */
bool rc_store_prune_step(rc_store *store, rc_store_prune *prune, rc_store_fault *fault);

/* Returns free space to the file system by rewriting the whole file. */
bool rc_store_shrink(rc_store *store, rc_store_fault *fault);

/* rc_store_request_prune: called on a reader; requests that the file's writer deletes the
 * operations that ended before a time. rc_store_has_prune_request: called on the writer; reads the
 * request of a reader. The request is valid until the reader is closed or its process ends. */
bool rc_store_request_prune(rc_store *store, int64_t before_unix_ms, rc_store_fault *fault);
bool rc_store_has_prune_request(rc_store *store, int64_t *ret_before_unix_ms);

/* Sets a check that is called some hundred times a second while a query runs. When is_cancelled
 * returns true, the query fails with RC_STORE_STOPPED. is_cancelled: NULL removes the check. ctx:
 * borrows until the store is closed or another check is set. */
void rc_store_set_cancel_check(rc_store *store, rc_store_is_cancelled is_cancelled, void *ctx);

/* Reads the whole file and checks its integrity. */
bool rc_store_check(rc_store *store, rc_store_fault *fault);

#endif
