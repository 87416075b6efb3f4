/* rc_sqlite: the SQLite connection, shared by the files of src/store/sqlite. */
#ifndef RC_STORE_SQLITE_PRIVATE_H
#define RC_STORE_SQLITE_PRIVATE_H

#include <sqlite3.h>

#include "store/sqlite/name_cache.h"
#include "store/sqlite/sqlite.h"
#include "sys/lock_file.h"

/* The prepared statements of a connection; each is prepared when first needed. */
typedef enum rc_sqlite_statement {
    RC_SQL_BEGIN,
    RC_SQL_COMMIT,
    RC_SQL_ROLLBACK,
    RC_SQL_FIND_OPERATION,
    RC_SQL_ADD_OPERATION,
    RC_SQL_END_OPERATION,
    RC_SQL_ADD_RECORD,
    RC_SQL_MOVE_ATTEMPT,
    RC_SQL_CLEAR_ATTEMPT,
    RC_SQL_ADD_REPORT,
    RC_SQL_ADD_USAGE,
    RC_SQL_ADD_NOTE,
    RC_SQL_FIND_OWNER,
    RC_SQL_FIND_NAME,
    RC_SQL_ADD_NAME,
    RC_SQL_SAVE_STATE,
    RC_SQL_DROP_STATE,
    RC_SQL_READ_OPERATION,
    RC_SQL_READ_RECORDS,
    RC_SQL_SLICE_END,
    RC_SQL_PRUNE_OPERATIONS,
    RC_SQL_PRUNE_STEPS,
    RC_SQL_PRUNE_REPORTS,
    RC_SQL_NEXT_NOTE,
    RC_SQL_NOTES_END,
    RC_SQL_PRUNE_NOTES,
    RC_SQL_SWEEP_NAMES,
    RC_SQL_SWEEP_OPERATIONS,
    RC_SQL_SWEEP_STEPS,
    RC_SQL_SWEEP_USAGE,
    RC_SQL_SWEEP_DROP,
    RC_SQL_COUNT
} rc_sqlite_statement;

/* The numbers bound to a statement's parameters; INT64_MIN: NULL. SQLite keeps bindings from one
 * row to the next, and most columns repeat the value of the row before. */
#define RC_SQLITE_PARAMS_MAX 40
typedef struct rc_sqlite_bound {
    uint64_t is_known; /* One bit per parameter: its number is valid. */
    int64_t numbers[RC_SQLITE_PARAMS_MAX];
} rc_sqlite_bound;

/* A sweep: finds names that no row uses, to delete them. */
#define RC_SQLITE_SWEEP_MAX 16384
#define RC_SQLITE_SWEEP_BYTES ((size_t)RC_SQLITE_SWEEP_MAX * (sizeof(int64_t) + sizeof(bool)))
typedef struct rc_sqlite_sweep {
    int64_t *ids; /* Ascending; NULL: no sweep is under way. */
    bool *is_used;
    size_t count;
    int64_t key; /* Operations up to this key were read. */
    bool is_in_usage;
    int64_t usage_key[5]; /* The last row of `spend` that was read. */
    bool is_in_drop;
    size_t at;       /* Names before this index are deleted or in use. */
    int64_t last_id; /* Id of the last name that the previous sweep read; the next sweep
                      * begins after it. 0: the next sweep begins with the first name. */
} rc_sqlite_sweep;

/* The seq of an attempt that is stored in its operation's row. Stored in files: never change it. */
#define RC_SQLITE_ATTEMPT_SEQ 1

/* The owner of an operation, as numbers of names. */
typedef struct rc_sqlite_owner {
    int64_t client;
    int64_t route;
} rc_sqlite_owner;

/* A row of `spend`, or an amount to be added to one. */
typedef struct rc_sqlite_usage_row {
    int64_t day;
    int64_t client;
    int64_t route;
    int64_t target;
    int64_t credential;
    int64_t attempts;
    int64_t tokens_in;
    int64_t tokens_out;
    int64_t cost_usd_micro;
} rc_sqlite_usage_row;

/* The attempts of a transaction are added up in memory first: most belong to few rows. */
#define RC_SQLITE_USAGE_MAX 32

/* The fields of block notes. Stored in files: never change a number. */
typedef enum rc_sqlite_block_field {
    RC_SQLITE_CLIENT = 1,
    RC_SQLITE_MODEL = 2,
    RC_SQLITE_CODE = 3,
    RC_SQLITE_OUTCOME = 4
} rc_sqlite_block_field;

/* Key bits within a block: 15 that distinguish operations of a millisecond, and 8 bits of
 * milliseconds (256 ms). Stored in files: never change it. */
#define RC_SQLITE_BLOCK_BITS 23

/* A block note: a row of `blocks`, which says that a block of keys has an operation with this
 * value. Zeroed: none. */
typedef struct rc_sqlite_note {
    rc_sqlite_block_field field;
    int64_t value;
    int64_t block;
} rc_sqlite_note;

/* Number of cached notes that are known to be in the file; a power of two. */
#define RC_SQLITE_NOTES 64

typedef struct rc_sqlite {
    rc_store base;
    rc_alloc alloc;
    sqlite3 *db;
    rc_store_mode mode;
    bool is_power_safe;
    bool makes_folders;
    rc_lock_file lock; /* Locked file: FILE-writer of a writer, FILE-prune of a reader with a prune
                        * request. */
    int log_pages;     /* Pages in the log after the last commit. */
    rc_store_is_cancelled is_cancelled;
    void *cancel_ctx;
    sqlite3_stmt *statements[RC_SQL_COUNT];
    rc_sqlite_bound bound[RC_SQL_ADD_RECORD - RC_SQL_ADD_OPERATION + 1];
    rc_name_cache names;
    rc_sqlite_sweep sweep;
    rc_sqlite_usage_row usage[RC_SQLITE_USAGE_MAX]; /* Usage of this transaction that is not written
                                                     * yet. */
    size_t usage_count;
    rc_sqlite_note notes[RC_SQLITE_NOTES];
    char *path; /* Path of the file; ends in NUL. */
    size_t path_size;
} rc_sqlite;

/* Maps a result code of SQLite to a fault kind. */
rc_store_fault_kind rc_sqlite_fault_kind(int code, int system_error);

/* Sets *fault from the connection's last error; returns false. */
bool rc_sqlite_fail(const rc_sqlite *sqlite, const char *activity, rc_store_fault *fault);

/* Runs statements that return no rows. */
bool rc_sqlite_run(const rc_sqlite *sqlite, const char *sql, const char *activity,
                   rc_store_fault *fault);

/* The first number of the first row; 0: no row. */
bool rc_sqlite_number(const rc_sqlite *sqlite, const char *sql, int64_t *ret_number,
                      rc_store_fault *fault);

/* Prepares a statement; on failure *ret_statement is NULL. */
bool rc_sqlite_prepare(const rc_sqlite *sqlite, const char *sql, sqlite3_stmt **ret_statement,
                       rc_store_fault *fault);

/* --- schema.c --- */

/* One migration step: from the previous version to this one. */
typedef struct rc_sqlite_step {
    int version;
    const char *sql;
} rc_sqlite_step;

/* "RCAU": identifies files of Recourse. */
#define RC_SQLITE_APPLICATION 0x52434155

/* All migration steps in order, from version 1 on. */
extern const rc_sqlite_step rc_sqlite_steps[];
extern const size_t rc_sqlite_step_count;

/* Reads the file's application and version without changing it. An empty file has version 0. */
bool rc_sqlite_version(const rc_sqlite *sqlite, const rc_sqlite_step *steps, size_t count,
                       int *ret_version, rc_store_fault *fault);

/* Migrates the file from `version` to the last step, in one transaction. */
bool rc_sqlite_migrate(const rc_sqlite *sqlite, const rc_sqlite_step *steps, size_t count,
                       int version, rc_store_fault *fault);

/* --- write.c --- */

/* Writes the batches in one transaction, as rc_store_append. */
bool rc_sqlite_append(rc_sqlite *sqlite, const rc_batch *first, rc_store_fault *fault);
/* Finalises all prepared statements. */
void rc_sqlite_drop_statements(rc_sqlite *sqlite);
/* Gives a prepared statement (borrows); NULL: *fault is set. */
sqlite3_stmt *rc_sqlite_get(rc_sqlite *sqlite, rc_sqlite_statement which, rc_store_fault *fault);

/* --- daily_usage.c --- */

extern const char rc_sqlite_add_usage_sql[];
extern const char rc_sqlite_find_owner_sql[];

/* Finds the client and route of the operation with that key. */
bool rc_sqlite_find_owner(rc_sqlite *sqlite, int64_t key, rc_sqlite_owner *ret_owner,
                          rc_store_fault *fault);

/* Adds a newly stored attempt to the daily usage. rc_sqlite_flush_usage writes it, before the
 * transaction ends. */
bool rc_sqlite_add_usage(rc_sqlite *sqlite, const rc_sqlite_owner *owner, const rc_record *record,
                         rc_store_fault *fault);
bool rc_sqlite_flush_usage(rc_sqlite *sqlite, rc_store_fault *fault);

bool rc_sqlite_daily_usage_since(rc_store *store, int64_t from_day, rc_store_daily_usage_each each,
                                 void *ctx, rc_store_fault *fault);

/* --- blocks.c --- */

/* Writes the note that an operation with that key has a value, unless it is cached. */
bool rc_sqlite_note_value(rc_sqlite *sqlite, int64_t key, rc_sqlite_block_field about,
                          int64_t value, rc_store_fault *fault);

/* Clears the cache of notes: after a failed transaction, and when the file is closed. */
void rc_sqlite_forget_notes(rc_sqlite *sqlite);

/* --- prune.c, prune_request.c --- */

extern const char rc_sqlite_slice_end_sql[];
extern const char rc_sqlite_prune_operations_sql[];
extern const char rc_sqlite_prune_steps_sql[];
extern const char rc_sqlite_prune_reports_sql[];
extern const char rc_sqlite_next_note_sql[];
extern const char rc_sqlite_notes_end_sql[];
extern const char rc_sqlite_prune_notes_sql[];

bool rc_sqlite_prune(rc_store *store, rc_store_prune *prune, rc_store_fault *fault);
bool rc_sqlite_count_expired(rc_store *store, int64_t before_unix_ms, rc_store_expired *ret_expired,
                             rc_store_fault *fault);
bool rc_sqlite_first_expired(rc_store *store, int64_t before_unix_ms, int64_t *ret_unix_ms,
                             rc_store_fault *fault);
bool rc_sqlite_used_bytes(rc_store *store, uint64_t *ret_bytes, rc_store_fault *fault);
bool rc_sqlite_shrink(rc_store *store, rc_store_fault *fault);
bool rc_sqlite_request_prune(rc_store *store, int64_t before_unix_ms, rc_store_fault *fault);
bool rc_sqlite_has_prune_request(rc_store *store, int64_t *ret_before_unix_ms);
/* Parses the content of FILE-prune: "1794790923000" and a newline. False: not a time. */
bool rc_sqlite_parse_prune_request(rc_str note, int64_t *ret_unix_ms);
/* Withdraws the prune request, if there is one. */
void rc_sqlite_cancel_prune_request(rc_sqlite *sqlite);

/* --- names.c --- */

/* Gives the number of a name, and adds the name if missing; 0 for the empty name. The name is
 * scrubbed and truncated. */
bool rc_sqlite_name(rc_sqlite *sqlite, rc_str text, int64_t *ret_id, rc_store_fault *fault);

/* --- sweep.c --- */

/* Performs one step over at most max rows or names, in the caller's transaction. *ret_is_done: the
 * names that no row uses are deleted; call rc_sqlite_sweep_finish after the commit. */
bool rc_sqlite_sweep_step(rc_sqlite *sqlite, uint32_t max, bool *ret_is_done,
                          rc_store_fault *fault);
void rc_sqlite_sweep_finish(rc_sqlite *sqlite);

/* Discards a sweep that is under way. */
void rc_sqlite_sweep_end(rc_sqlite *sqlite);

/* Marks the name with that number as used. */
void rc_sqlite_sweep_use(rc_sqlite *sqlite, int64_t id);

extern const char rc_sqlite_sweep_names_sql[];
extern const char rc_sqlite_sweep_operations_sql[];
extern const char rc_sqlite_sweep_steps_sql[];
extern const char rc_sqlite_sweep_usage_sql[];
extern const char rc_sqlite_sweep_drop_sql[];

/* --- read.c, list.c, find.c, stats.c, measure.c --- */

/* Read a number of a row. The file is untrusted: a count is limited to 0 ... RC_SQLITE_NUMBER_MAX,
 * so that sums cannot overflow; an optional number is -1 if unknown. */
#define RC_SQLITE_NUMBER_MAX ((INT64_C(1) << 48) - 1)
int64_t rc_sqlite_count(sqlite3_stmt *row, int column);
int64_t rc_sqlite_optional(sqlite3_stmt *row, int column);

/* The first key of an id. False: not an rc_id. */
bool rc_sqlite_key(rc_str operation_id, int64_t *ret_key);

/* The next key to try if another operation occupies this one: the following keys of the same
 * millisecond, wrapping around, and then those of the next millisecond. `first` is the id's first
 * key. RC_SQLITE_KEY_PROBES_MAX keys are tried, those of four milliseconds. */
#define RC_SQLITE_KEY_PROBES_MAX (UINT32_C(4) << 15)
int64_t rc_sqlite_next_key(int64_t first, int64_t key);

/* The first key of a millisecond, and the time of a key. */
int64_t rc_sqlite_time_key(int64_t unix_ms);
int64_t rc_sqlite_key_time(int64_t key);

bool rc_sqlite_timeline(rc_store *store, rc_str operation_id, rc_record_each each, void *ctx,
                        rc_store_fault *fault);
bool rc_sqlite_list(rc_store *store, const rc_store_query *query, rc_record_each each, void *ctx,
                    rc_store_fault *fault);
bool rc_sqlite_find(rc_store *store, rc_str prefix, uint32_t limit, rc_record_each each, void *ctx,
                    rc_store_fault *fault);
bool rc_sqlite_survey(rc_store *store, const rc_store_filter *filter, rc_stats *operations,
                      rc_stats *attempts, rc_store_fault *fault);
bool rc_sqlite_list_names(rc_store *store, rc_store_name_each each, void *ctx,
                          rc_store_fault *fault);
bool rc_sqlite_measure(rc_store *store, rc_store_extent *ret_extent, rc_store_fault *fault);

/* The statements of a timeline. */
extern const char rc_sqlite_operation_sql[];
extern const char rc_sqlite_records_sql[];

/* The columns of spec/audit.def for a table named t, each with a comma before it. */
extern const char rc_sqlite_columns[];

/* Reads these columns from a row, from column `at` on. record: its strings view the row. */
void rc_sqlite_read_columns(sqlite3_stmt *row, int at, int64_t key, rc_record *record);
rc_str rc_sqlite_text(sqlite3_stmt *row, int column);

/* Condition: the operation succeeded although an attempt failed. kind 2 is an attempt, outcome 1 a
 * success, class 10 a cancellation, which is no failure. With one attempt no record is read. */
#define RC_SQLITE_RECOVERED                                                                     \
    "(t.outcome = 1 AND t.attempt > 1 AND EXISTS (SELECT 1 FROM steps x WHERE x.op = t.op AND " \
    "x.kind = 2 AND x.code <> 0 AND x.error_class <> 10))"

/* The columns of an operation, from tables t (operations) and r (reports), and their reader. */
#define RC_SQLITE_OPERATION                                                              \
    " t.op, t.id, t.outcome, t.outcome_seq,"                                             \
    " (SELECT text FROM names WHERE id = t.client), (SELECT text FROM names WHERE id = " \
    "t.route), r.report_id, r.body, " RC_SQLITE_RECOVERED
#define RC_SQLITE_OPERATION_COLUMNS 9
void rc_sqlite_read_operation(sqlite3_stmt *row, rc_record *record);

/* Runs a statement that returns these columns and rc_sqlite_columns, to its end or until `each`
 * returns false. */
bool rc_sqlite_read_rows(const rc_sqlite *sqlite, sqlite3_stmt *row, rc_record_each each, void *ctx,
                         rc_store_fault *fault);

/* The SQL clauses that select a filter's operations. The table of operations is named t; that of
 * blocks, if used, is named b. */
#define RC_SQLITE_WHERE_MAX 2048
typedef struct rc_sqlite_choice {
    const char *from;   /* The tables, for the FROM clause. */
    const char *rising; /* The columns, for the ORDER BY clause. */
    const char *falling;
    bool is_by_blocks;
    unsigned note_count;
    char where[RC_SQLITE_WHERE_MAX]; /* The conditions, for the WHERE clause. */
} rc_sqlite_choice;

bool rc_sqlite_choose(const rc_sqlite *sqlite, const rc_store_filter *filter,
                      rc_sqlite_choice *ret_choice, rc_store_fault *fault);

/* Writes the filter's time conditions alone, for any table named t; and binds the filter's
 * parameter. */
void rc_sqlite_where_time(const rc_store_filter *filter, char where[RC_SQLITE_WHERE_MAX]);
void rc_sqlite_bind_filter(sqlite3_stmt *statement, const rc_store_filter *filter);

#endif
