/* rc_sqlite: the SQLite connection, shared by the files of src/store/sqlite. */
#ifndef RC_STORE_SQLITE_PRIVATE_H
#define RC_STORE_SQLITE_PRIVATE_H

#include <sqlite3.h>

#include "store/sqlite/name_cache.h"
#include "store/sqlite/sqlite.h"
#include "sys/lock_file.h"

/* The prepared statements of a connection. Each statement is prepared when it is first needed. */
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

/* The numbers that are bound to a statement's parameters; INT64_MIN stands for NULL. A number that
 * is already bound is not bound again: SQLite keeps bindings from one row to the next, and most
 * columns have the same value as in the row before. */
#define RC_SQLITE_PARAMS_MAX 40
typedef struct rc_sqlite_bound {
    uint64_t is_known; /* One bit per parameter. If the bit is set, the parameter's number in
                        * `numbers` is bound. */
    int64_t numbers[RC_SQLITE_PARAMS_MAX];
} rc_sqlite_bound;

/* Maximum number of names that one sweep examines. A sweep finds and deletes the names that no row
 * uses. */
#define RC_SQLITE_SWEEP_MAX 16384
#define RC_SQLITE_SWEEP_BYTES ((size_t)RC_SQLITE_SWEEP_MAX * (sizeof(int64_t) + sizeof(bool)))
typedef struct rc_sqlite_sweep {
    int64_t *ids; /* Numbers of the names that the sweep examines, in ascending order. NULL if no
                   * sweep is under way. */
    bool *is_used;
    size_t count;
    int64_t key; /* The sweep has read the operations up to this key. */
    bool is_in_usage;
    int64_t usage_key[5]; /* Key of the row of `spend` that the sweep read last. */
    bool is_in_drop;
    size_t at;       /* Names with a lower index are deleted or in use. */
    int64_t last_id; /* Number of the last name that the previous sweep examined; the next sweep
                      * begins after this name. 0: the next sweep begins with the first name. */
} rc_sqlite_sweep;

/* The `seq` of an attempt that is stored in its operation's row. Existing files contain this
 * number, so it must not change. */
#define RC_SQLITE_ATTEMPT_SEQ 1

/* The client and route of an operation, as numbers of names. */
typedef struct rc_sqlite_owner {
    int64_t client;
    int64_t route;
} rc_sqlite_owner;

/* A row of the table `spend`, or amounts that are to be added to such a row. */
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

/* Number of rows of `spend` that are cached in memory. The attempts of a transaction are first
 * added up in memory, because most of them belong to a few rows. */
#define RC_SQLITE_USAGE_MAX 32

/* The fields of block notes. The numbers are stored in files and must not change. */
typedef enum rc_sqlite_block_field {
    RC_SQLITE_CLIENT = 1,
    RC_SQLITE_MODEL = 2,
    RC_SQLITE_CODE = 3,
    RC_SQLITE_OUTCOME = 4
} rc_sqlite_block_field;

/* Number of low key bits that a block covers: the 15 bits that distinguish operations of a
 * millisecond, and 8 bits of milliseconds (256 ms). Existing files depend on this number, so it
 * must not change. */
#define RC_SQLITE_BLOCK_BITS 23

/* A block note: a row of `blocks`, which states that a block of keys has an operation with this
 * value. All members are 0 in an empty cache slot. */
typedef struct rc_sqlite_note {
    rc_sqlite_block_field field;
    int64_t value;
    int64_t block;
} rc_sqlite_note;

/* Number of slots of the cache, which has notes that are known to be in the file; a power of
 * two. */
#define RC_SQLITE_NOTES 64

typedef struct rc_sqlite {
    rc_store base;
    rc_alloc alloc;
    sqlite3 *db;
    rc_store_mode mode;
    bool is_power_safe;
    bool makes_folders;
    rc_lock_file lock; /* The lock file of this connection: FILE-writer for a writer, FILE-prune for
                        * a reader with a prune request (FILE is the store's file). */
    int log_pages;     /* Pages in the write-ahead log after the last commit. */
    rc_store_is_cancelled is_cancelled;
    void *cancel_ctx;
    sqlite3_stmt *statements[RC_SQL_COUNT];
    rc_sqlite_bound bound[RC_SQL_ADD_RECORD - RC_SQL_ADD_OPERATION + 1];
    rc_name_cache names;
    rc_sqlite_sweep sweep;
    rc_sqlite_usage_row usage[RC_SQLITE_USAGE_MAX]; /* Usage of the current transaction that is not
                                                     * in the file yet. */
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

/* Reads the first number of the first row. *ret_number is 0 if there is no row. */
bool rc_sqlite_number(const rc_sqlite *sqlite, const char *sql, int64_t *ret_number,
                      rc_store_fault *fault);

/* Prepares a statement; on failure *ret_statement is NULL. */
bool rc_sqlite_prepare(const rc_sqlite *sqlite, const char *sql, sqlite3_stmt **ret_statement,
                       rc_store_fault *fault);

/* --- schema.c --- */

/* One step of a migration, which changes a file of the previous version to this version. */
typedef struct rc_sqlite_step {
    int version;
    const char *sql;
} rc_sqlite_step;

/* SQLite's application id for files of Recourse: "RCAU". */
#define RC_SQLITE_APPLICATION 0x52434155

/* All migration steps in order, from version 1 on. */
extern const rc_sqlite_step rc_sqlite_steps[];
extern const size_t rc_sqlite_step_count;

/* Reads the file's application id and version without changing the file. An empty file has version
 * 0. */
bool rc_sqlite_version(const rc_sqlite *sqlite, const rc_sqlite_step *steps, size_t count,
                       int *ret_version, rc_store_fault *fault);

/* Migrates the file from `version` to the last step, in one transaction. */
bool rc_sqlite_migrate(const rc_sqlite *sqlite, const rc_sqlite_step *steps, size_t count,
                       int version, rc_store_fault *fault);

/* --- write.c --- */

/* Writes the batches in one transaction; see rc_store_append. */
bool rc_sqlite_append(rc_sqlite *sqlite, const rc_batch *first, rc_store_fault *fault);
/* Finalises all prepared statements. */
void rc_sqlite_drop_statements(rc_sqlite *sqlite);
/* Returns a prepared statement, which belongs to the connection. Returns NULL and sets *fault if it
 * cannot be prepared. */
sqlite3_stmt *rc_sqlite_get(rc_sqlite *sqlite, rc_sqlite_statement which, rc_store_fault *fault);

/* --- daily_usage.c --- */

extern const char rc_sqlite_add_usage_sql[];
extern const char rc_sqlite_find_owner_sql[];

/* Finds the client and route of the operation with this key. */
bool rc_sqlite_find_owner(rc_sqlite *sqlite, int64_t key, rc_sqlite_owner *ret_owner,
                          rc_store_fault *fault);

/* rc_sqlite_add_usage: adds a newly stored attempt to the daily usage in memory.
 * rc_sqlite_flush_usage: writes the usage to the file; called before the transaction ends. */
bool rc_sqlite_add_usage(rc_sqlite *sqlite, const rc_sqlite_owner *owner, const rc_record *record,
                         rc_store_fault *fault);
bool rc_sqlite_flush_usage(rc_sqlite *sqlite, rc_store_fault *fault);

bool rc_sqlite_daily_usage_since(rc_store *store, int64_t from_day, rc_store_daily_usage_each each,
                                 void *ctx, rc_store_fault *fault);

/* --- blocks.c --- */

/* Writes the block note which states that an operation with this key has a value. Writes nothing if
 * the cache shows that the file already has the note. */
bool rc_sqlite_note_value(rc_sqlite *sqlite, int64_t key, rc_sqlite_block_field about,
                          int64_t value, rc_store_fault *fault);

/* Clears the cache of notes. Called after a failed transaction, after notes were deleted, and when
 * the file is closed. */
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
/* Parses the content of FILE-prune: a time such as "1794790923000" and a newline. Returns false if
 * the content is not a time. */
bool rc_sqlite_parse_prune_request(rc_str note, int64_t *ret_unix_ms);
/* Withdraws this connection's prune request. Does nothing if this connection has made no prune
 * request. */
void rc_sqlite_cancel_prune_request(rc_sqlite *sqlite);

/* --- names.c --- */

/* Finds the number of a name, and adds the name if it is missing. The empty name has the number 0.
 * Secrets are removed from the name, and a long name is truncated. */
bool rc_sqlite_name(rc_sqlite *sqlite, rc_str text, int64_t *ret_id, rc_store_fault *fault);

/* --- sweep.c --- */

/* rc_sqlite_sweep_step: performs one step over at most max rows or names, in the caller's
 * transaction. *ret_is_done: receives true if all names that no row uses are deleted.
 * rc_sqlite_sweep_finish: called after the commit of the last step. */
bool rc_sqlite_sweep_step(rc_sqlite *sqlite, uint32_t max, bool *ret_is_done,
                          rc_store_fault *fault);
void rc_sqlite_sweep_finish(rc_sqlite *sqlite);

/* Discards a sweep that is under way. */
void rc_sqlite_sweep_end(rc_sqlite *sqlite);

/* Marks the name with this number as used. Does nothing if no sweep is under way. */
void rc_sqlite_sweep_use(rc_sqlite *sqlite, int64_t id);

extern const char rc_sqlite_sweep_names_sql[];
extern const char rc_sqlite_sweep_operations_sql[];
extern const char rc_sqlite_sweep_steps_sql[];
extern const char rc_sqlite_sweep_usage_sql[];
extern const char rc_sqlite_sweep_drop_sql[];

/* --- read.c, list.c, find.c, stats.c, measure.c --- */

/* rc_sqlite_count and rc_sqlite_optional read a number of a row. The file is untrusted, so a count
 * is limited to 0 ... RC_SQLITE_NUMBER_MAX; sums then cannot overflow. rc_sqlite_optional returns
 * -1 for an unknown number. */
#define RC_SQLITE_NUMBER_MAX ((INT64_C(1) << 48) - 1)
int64_t rc_sqlite_count(sqlite3_stmt *row, int column);
int64_t rc_sqlite_optional(sqlite3_stmt *row, int column);

/* Computes the first key to try for an id. Returns false if operation_id is not an rc_id. */
bool rc_sqlite_key(rc_str operation_id, int64_t *ret_key);

/* Returns the key to try after `key`, which another operation has: first the other keys of the same
 * millisecond, then the keys of the next millisecond. first: the first key of the id. At most
 * RC_SQLITE_KEY_PROBES_MAX keys are tried, which are the keys of four milliseconds. */
#define RC_SQLITE_KEY_PROBES_MAX (UINT32_C(4) << 15)
int64_t rc_sqlite_next_key(int64_t first, int64_t key);

/* rc_sqlite_time_key: returns the first key of a millisecond. rc_sqlite_key_time: returns the time
 * of a key. */
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

/* The SQL statements of a timeline: the operation and its records. */
extern const char rc_sqlite_operation_sql[];
extern const char rc_sqlite_records_sql[];

/* The columns of spec/audit.def for a table named t, each with a comma before it. */
extern const char rc_sqlite_columns[];

/* Reads the columns of rc_sqlite_columns from a row, beginning at column `at`. The strings of
 * record view (point into) the row. */
void rc_sqlite_read_columns(sqlite3_stmt *row, int at, int64_t key, rc_record *record);
rc_str rc_sqlite_text(sqlite3_stmt *row, int column);

/* SQL condition: the operation succeeded although an attempt failed. Kind 2 is an attempt, outcome
 * 1 a success, class 10 a cancellation, which does not count as a failure. If the operation has one
 * attempt, no record is read. */
#define RC_SQLITE_RECOVERED                                                                     \
    "(t.outcome = 1 AND t.attempt > 1 AND EXISTS (SELECT 1 FROM steps x WHERE x.op = t.op AND " \
    "x.kind = 2 AND x.code <> 0 AND x.error_class <> 10))"

/* The columns of an operation, from the tables t (operations) and r (reports).
 * rc_sqlite_read_operation reads them from a row. */
#define RC_SQLITE_OPERATION                                                              \
    " t.op, t.id, t.outcome, t.outcome_seq,"                                             \
    " (SELECT text FROM names WHERE id = t.client), (SELECT text FROM names WHERE id = " \
    "t.route), r.report_id, r.body, " RC_SQLITE_RECOVERED
#define RC_SQLITE_OPERATION_COLUMNS 9
void rc_sqlite_read_operation(sqlite3_stmt *row, rc_record *record);

/* Runs a statement that returns the columns of RC_SQLITE_OPERATION and rc_sqlite_columns, until it
 * ends or `each` returns false. */
bool rc_sqlite_read_rows(const rc_sqlite *sqlite, sqlite3_stmt *row, rc_record_each each, void *ctx,
                         rc_store_fault *fault);

/* The SQL clauses that select a filter's operations. In these clauses the table of operations is
 * named t, and the table of blocks, if it is used, is named b. */
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

/* rc_sqlite_where_time: writes only the filter's conditions on time, for any table named t.
 * rc_sqlite_bind_filter: binds the filter's parameter. */
void rc_sqlite_where_time(const rc_store_filter *filter, char where[RC_SQLITE_WHERE_MAX]);
void rc_sqlite_bind_filter(sqlite3_stmt *statement, const rc_store_filter *filter);

#endif
