/* rc_store: the database of the audit, as a table of calls, so that another database can replace
 * SQLite.
 *
 *   WRITE   one connection per file, used by one thread: only it writes and moves the log into the
 *           file. A lock file excludes a second one, in this process and in any other.
 *   READ    any number, in any process, each used by one thread at a time. They write nothing.
 *
 * rc_store_settings defines what is guaranteed when append has returned true. Strings that a query
 * returns are views that end with the call of `each`. Every function that can fail returns true, or
 * false with *fault set. */
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
    /* WRITE only. false: appended records survive the end of the process, including `kill -9`
     * (synchronous=NORMAL). true: they also survive a power cut (synchronous=FULL), at the cost of
     * one disk flush per transaction. */
    bool is_power_safe;
    bool makes_folders; /* WRITE creates missing parent folders of its file (0700). */
} rc_store_settings;

/* Selects operations; a member that is 0 or empty selects all. */
typedef struct rc_store_filter {
    int64_t from_unix_ms;  /* Selects operations that began at that time or later. */
    int64_t until_unix_ms; /* Began before that time; 0: no end. */
    int64_t ended_unix_ms; /* Ended at that time or later; 0: whether ended or not. */
    rc_str client;
    rc_str route;
    rc_str model;
    rc_str target; /* An attempt was made at this target, with or without success. */
    rc_code code;
    rc_error_class error_class;
    rc_str report_id; /* Selects operations that have a report with this id. */
    bool has_outcome; /* Selects by `outcome`; if false: all outcomes but notices. */
    rc_outcome outcome;
    bool is_recovered; /* Succeeded although an attempt failed. */
} rc_store_filter;

typedef struct rc_store_query {
    rc_store_filter filter;
    uint32_t limit;       /* Maximum number of operations to return; 0: no limit. */
    bool is_oldest_first; /* The oldest operation comes first; otherwise the newest. */
    int64_t beyond_key; /* The key of the last operation of the previous page; 0: from the start. */
} rc_store_query;

/* Callbacks of queries; false ends the query. Arguments: views. */
typedef bool (*rc_record_each)(void *ctx, const rc_record *record);
typedef bool (*rc_saved_state_each)(void *ctx, const rc_saved_state *saved);
typedef bool (*rc_store_name_each)(void *ctx, rc_str name);
typedef bool (*rc_store_daily_usage_each)(void *ctx, const rc_store_daily_usage *usage);
/* True: the query's result is no longer needed. */
typedef bool (*rc_store_is_cancelled)(void *ctx);

/* The amount of stored data. */
typedef struct rc_store_extent {
    uint64_t operations; /* Number of operations, including notices. */
    uint64_t records;    /* Number of records without BEGIN and OUTCOME, which are part of the
                       * operations. */
    uint64_t reports;
    uint64_t names;
    uint64_t orphans;     /* Records and reports without an operation; 0 in a sound file. */
    uint64_t bytes;       /* Size of the file, without its log. */
    int64_t from_unix_ms; /* When the first and the last operation began; 0: there is none. */
    int64_t to_unix_ms;
} rc_store_extent;

/* Counts of expired operations, that is, those that ended before a given time. */
typedef struct rc_store_expired {
    uint64_t operations; /* Operations that ended before the given time. */
    uint64_t remaining;  /* Operations that began before it and are open or ended later. */
    uint64_t bytes;      /* Size of the file, without its log. */
    uint64_t free_bytes; /* Part of the file that is free and is reused before the file grows. */
} rc_store_expired;

/* The deletion of expired operations, and its progress. */
typedef struct rc_store_prune {
    int64_t before_unix_ms; /* Deletes operations that ended before this time; constant over all
                             * steps. */
    uint32_t max;           /* Maximum of operations, block notes or names per step; not 0. */
    uint64_t operations;    /* Operations deleted so far. */
    bool is_stopped;        /* Set between two steps: no more operations are deleted. */
    bool is_done;
    /* Private to the store; 0 at first. */
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

/* Opens a store by its URL in the configuration: "sqlite:PATH". WRITE creates a missing file and
 * migrates an older one. *ret_store: gives; free with rc_store_close. url, settings: borrows.
 * alloc: copies. */
bool rc_store_open(rc_str url, const rc_store_settings *settings, const rc_alloc *alloc,
                   rc_store **ret_store, rc_store_fault *fault);

/* Closes and frees the store. Takes it; NULL is allowed. */
void rc_store_close(rc_store *store);

/* Writes all batches in one transaction. Records must pass rc_records_check. A record whose
 * operation and seq are stored already is not stored again, so a retry after an uncertain failure
 * does no harm. first: borrows. */
bool rc_store_append(rc_store *store, const rc_batch *first, rc_store_fault *fault);

/* Moves the log into the file if it has grown, or in any case if is_forced. Does not disturb
 * readers. */
bool rc_store_checkpoint(rc_store *store, bool is_forced, rc_store_fault *fault);

/* Passes all records of one operation to `each`, in order; none if it does not exist. `each` must
 * not request another timeline. A timeline may be requested inside the callback of
 * rc_store_list. */
bool rc_store_timeline(rc_store *store, rc_str operation_id, rc_record_each each, void *ctx,
                       rc_store_fault *fault);

/* Passes the selected operations to `each`: one record of kind OUTCOME that combines BEGIN and
 * OUTCOME. */
bool rc_store_list(rc_store *store, const rc_store_query *query, rc_record_each each, void *ctx,
                   rc_store_fault *fault);

/* Passes operations to `each`, as rc_store_list does, whose own id or a report's id begins with
 * prefix; at most limit, the oldest first. If an operation has exactly this id, only that one.
 * Letters of either case; "rep_" may be left out, or be "req_" as in response headers. */
bool rc_store_find(rc_store *store, rc_str prefix, uint32_t limit, rc_record_each each, void *ctx,
                   rc_store_fault *fault);

/* Adds up the selected operations, and their attempts, in one pass. Either may be NULL; both must
 * be initialised with rc_stats_init. */
bool rc_store_survey(rc_store *store, const rc_store_filter *filter, rc_stats *operations,
                     rc_stats *attempts, rc_store_fault *fault);

/* Adds up operations or attempts, depending on stats->is_of_attempts. */
bool rc_store_stats(rc_store *store, const rc_store_filter *filter, rc_stats *stats,
                    rc_store_fault *fault);

/* Passes all names of clients, routes, providers, models, targets and credentials to `each`, in no
 * particular order. */
bool rc_store_names(rc_store *store, rc_store_name_each each, void *ctx, rc_store_fault *fault);

/* Counts the stored data. Reads all keys. */
bool rc_store_measure(rc_store *store, rc_store_extent *ret_extent, rc_store_fault *fault);

/* Passes all saved states to `each`. rc_store_append writes them. */
bool rc_store_saved_states(rc_store *store, rc_saved_state_each each, void *ctx,
                           rc_store_fault *fault);

/* Passes the daily usage from a day on (0: all) to `each`, the oldest first. The sums equal those
 * of the stored attempts, to the millionth of a dollar. */
bool rc_store_daily_usage_since(rc_store *store, int64_t from_day, rc_store_daily_usage_each each,
                                void *ctx, rc_store_fault *fault);

/* Counts expired operations. Reads the operations that began before that time. */
bool rc_store_count_expired(rc_store *store, int64_t before_unix_ms, rc_store_expired *ret_expired,
                            rc_store_fault *fault);

/* When the first expired operation began; -1: there is none. */
bool rc_store_first_expired(rc_store *store, int64_t before_unix_ms, int64_t *ret_unix_ms,
                            rc_store_fault *fault);

/* Bytes of the file in use, without free pages and without the log. */
bool rc_store_used_bytes(rc_store *store, uint64_t *ret_bytes, rc_store_fault *fault);

/* Deletes some expired operations in one transaction, with their records and reports, and later
 * names that no row uses. Saved states, daily usage and open operations stay. To be called until
 * is_done; after a fault *prune is unchanged. */
bool rc_store_prune_step(rc_store *store, rc_store_prune *prune, rc_store_fault *fault);

/* Returns free space to the file system: rewrites the whole file. */
bool rc_store_shrink(rc_store *store, rc_store_fault *fault);

/* A reader asks the file's writer to delete operations that ended before a time; the writer reads
 * the request with rc_store_has_prune_request. The request is valid until the reader is closed or
 * its process ends. */
bool rc_store_request_prune(rc_store *store, int64_t before_unix_ms, rc_store_fault *fault);
bool rc_store_has_prune_request(rc_store *store, int64_t *ret_before_unix_ms);

/* Calls is_cancelled some hundred times a second while a query runs; when it returns true, the
 * query fails with STOPPED. NULL: no check. ctx: borrows until the store is closed or another check
 * is set. */
void rc_store_set_cancel_check(rc_store *store, rc_store_is_cancelled is_cancelled, void *ctx);

/* Checks the integrity of the whole file. Reads all of it. */
bool rc_store_check(rc_store *store, rc_store_fault *fault);

#endif
