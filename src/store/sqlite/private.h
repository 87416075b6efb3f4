/* What the files of sqlite*.c share. */
#ifndef RC_STORE_SQLITE_PRIVATE_H
#define RC_STORE_SQLITE_PRIVATE_H

#include <sqlite3.h>

#include "store/sqlite/name_cache.h"
#include "store/sqlite/sqlite.h"
#include "sys/lock_file.h"

/* The statements that a connection keeps; each is prepared when it is first needed. */
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

/* The numbers that stand in the places of a statement; INT64_MIN: NULL. SQLite keeps them from one
 * row to the next, and most columns of a row are those of the row before. */
#define RC_SQLITE_PARAMS_MAX 40
typedef struct rc_sqlite_bound {
    uint64_t is_known; /* a bit for each place */
    int64_t numbers[RC_SQLITE_PARAMS_MAX];
} rc_sqlite_bound;

/* Names that are looked for in all rows, to delete those that none uses. */
#define RC_SQLITE_SWEEP_MAX 16384
#define RC_SQLITE_SWEEP_BYTES ((size_t)RC_SQLITE_SWEEP_MAX * (sizeof(int64_t) + sizeof(bool)))
typedef struct rc_sqlite_sweep {
    int64_t *ids; /* rising; NULL: there is no sweep under way */
    bool *is_used;
    size_t count;
    int64_t key; /* operations up to it were looked at */
    bool is_in_usage;
    int64_t usage_key[5]; /* the last row of it that was looked at */
    bool is_in_drop;
    size_t at;       /* names before it are gone, or used */
    int64_t last_id; /* of the sweep before; 0: begins with the first names */
} rc_sqlite_sweep;

/* The seq of an attempt that is in its operation's row. The number is in files. */
#define RC_SQLITE_ATTEMPT_SEQ 1

/* Whose operation it is, as numbers of names. */
typedef struct rc_sqlite_owner {
    int64_t client;
    int64_t route;
} rc_sqlite_owner;

/* A row of `spend`, or what is to be added to one. */
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

/* The attempts of a transaction are added up first: most are of few rows. */
#define RC_SQLITE_USAGE_MAX 32

/* What is noted about a block of keys: the numbers are in files. */
typedef enum rc_sqlite_block_field {
    RC_SQLITE_CLIENT = 1,
    RC_SQLITE_MODEL = 2,
    RC_SQLITE_CODE = 3,
    RC_SQLITE_OUTCOME = 4
} rc_sqlite_block_field;

/* The bits of a key within its block: 15 that tell operations of a millisecond apart, and 256 ms.
 * The number is in files. */
#define RC_SQLITE_BLOCK_BITS 23

/* A row of `blocks`. A zeroed one is none. */
typedef struct rc_sqlite_note {
    rc_sqlite_block_field field;
    int64_t value;
    int64_t block;
} rc_sqlite_note;

/* Notes that are in the file for certain: a power of two. */
#define RC_SQLITE_NOTES 64

typedef struct rc_sqlite {
    rc_store base;
    rc_alloc alloc;
    sqlite3 *db;
    rc_store_mode mode;
    bool is_power_safe;
    bool makes_folders;
    rc_lock_file lock; /* of a writer FILE-writer, of a reader who asks FILE-prune */
    int log_pages;     /* in the log after the last commit */
    rc_store_is_cancelled is_cancelled;
    void *cancel_ctx;
    sqlite3_stmt *statements[RC_SQL_COUNT];
    rc_sqlite_bound bound[RC_SQL_ADD_RECORD - RC_SQL_ADD_OPERATION + 1];
    rc_name_cache names;
    rc_sqlite_sweep sweep;
    rc_sqlite_usage_row usage[RC_SQLITE_USAGE_MAX]; /* in this transaction, and not written yet */
    size_t usage_count;
    rc_sqlite_note notes[RC_SQLITE_NOTES];
    char *path; /* ends in NUL */
    size_t path_size;
} rc_sqlite;

/* What a result code of SQLite means. */
rc_store_fault_kind rc_sqlite_fault_kind(int code, int system_error);

/* Fills in fault from what the connection said last; false. */
bool rc_sqlite_fail(const rc_sqlite *sqlite, const char *activity, rc_store_fault *fault);

/* Runs statements that give no rows. */
bool rc_sqlite_run(const rc_sqlite *sqlite, const char *sql, const char *activity,
                   rc_store_fault *fault);

/* The first number of the first row; 0 when there is none. */
bool rc_sqlite_number(const rc_sqlite *sqlite, const char *sql, int64_t *ret_number,
                      rc_store_fault *fault);

/* Prepares; on failure *ret_statement is NULL. */
bool rc_sqlite_prepare(const rc_sqlite *sqlite, const char *sql, sqlite3_stmt **ret_statement,
                       rc_store_fault *fault);

/* --- sqlite_schema.c --- */

/* One step: from the version before to this one. */
typedef struct rc_sqlite_step {
    int version;
    const char *sql;
} rc_sqlite_step;

/* "RCAU": whose file it is. */
#define RC_SQLITE_APPLICATION 0x52434155

/* The versions so far, in order, from 1 on. */
extern const rc_sqlite_step rc_sqlite_steps[];
extern const size_t rc_sqlite_step_count;

/* Looks whose file it is and of which version, and changes nothing. A new, empty one has 0. */
bool rc_sqlite_version(const rc_sqlite *sqlite, const rc_sqlite_step *steps, size_t count,
                       int *ret_version, rc_store_fault *fault);

/* Brings the file from that version to the last of the steps, in one transaction. */
bool rc_sqlite_migrate(const rc_sqlite *sqlite, const rc_sqlite_step *steps, size_t count,
                       int version, rc_store_fault *fault);

/* --- sqlite_write.c --- */

bool rc_sqlite_append(rc_sqlite *sqlite, const rc_batch *first, rc_store_fault *fault);
void rc_sqlite_drop_statements(rc_sqlite *sqlite);
/* A statement, prepared; NULL: fault says why not. */
sqlite3_stmt *rc_sqlite_get(rc_sqlite *sqlite, rc_sqlite_statement which, rc_store_fault *fault);

/* --- sqlite_spent.c --- */

extern const char rc_sqlite_add_usage_sql[];
extern const char rc_sqlite_find_owner_sql[];

/* Whose operation has that key. */
bool rc_sqlite_find_owner(rc_sqlite *sqlite, int64_t key, rc_sqlite_owner *ret_owner,
                          rc_store_fault *fault);

/* Adds an attempt that was just kept to what was spent; written by flush, before the transaction
 * ends. */
bool rc_sqlite_add_usage(rc_sqlite *sqlite, const rc_sqlite_owner *owner, const rc_record *record,
                         rc_store_fault *fault);
bool rc_sqlite_flush_usage(rc_sqlite *sqlite, rc_store_fault *fault);

bool rc_sqlite_daily_usage_since(rc_store *store, int64_t from_day, rc_store_daily_usage_each each,
                                 void *ctx, rc_store_fault *fault);

/* --- sqlite_blocks.c --- */

/* Notes that an operation with that key has a value, unless that is known. */
bool rc_sqlite_note_value(rc_sqlite *sqlite, int64_t key, rc_sqlite_block_field about,
                          int64_t value, rc_store_fault *fault);

/* After a transaction that failed, and with the file. */
void rc_sqlite_forget_notes(rc_sqlite *sqlite);

/* --- sqlite_prune.c, sqlite_ask.c --- */

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
/* Reads what is in FILE-prune: "1794790923000" and a newline. False: it is no time. */
bool rc_sqlite_parse_prune_request(rc_str note, int64_t *ret_unix_ms);
/* What was asked for is not wanted any more; also when nothing was. */
void rc_sqlite_cancel_prune_request(rc_sqlite *sqlite);

/* --- sqlite_names.c --- */

/* The number of a name, which is made unless it is there; 0 for the empty one. The name is scrubbed
 * and cut. */
bool rc_sqlite_name(rc_sqlite *sqlite, rc_str text, int64_t *ret_id, rc_store_fault *fault);

/* --- sqlite_sweep.c --- */

/* One step of at most max rows or names, in the caller's transaction. *ret_is_done: the names that
 * no row uses are gone; after the commit rc_sqlite_sweep_finish. */
bool rc_sqlite_sweep_step(rc_sqlite *sqlite, uint32_t max, bool *ret_is_done,
                          rc_store_fault *fault);
void rc_sqlite_sweep_finish(rc_sqlite *sqlite);

/* Forgets a sweep that is under way. */
void rc_sqlite_sweep_end(rc_sqlite *sqlite);

/* A row is about to use the name of that number. */
void rc_sqlite_sweep_use(rc_sqlite *sqlite, int64_t id);

extern const char rc_sqlite_sweep_names_sql[];
extern const char rc_sqlite_sweep_operations_sql[];
extern const char rc_sqlite_sweep_steps_sql[];
extern const char rc_sqlite_sweep_usage_sql[];
extern const char rc_sqlite_sweep_drop_sql[];

/* --- sqlite_read.c, sqlite_list.c, sqlite_find.c, sqlite_stats.c, sqlite_measure.c --- */

/* A number of a row. The file may be anybody's: a count is between 0 and RC_SQLITE_NUMBER_MAX, so
 * that numbers can be added without an overflow; an optional one is -1 when it is not known. */
#define RC_SQLITE_NUMBER_MAX ((INT64_C(1) << 48) - 1)
int64_t rc_sqlite_count(sqlite3_stmt *row, int column);
int64_t rc_sqlite_optional(sqlite3_stmt *row, int column);

/* The key that an id has unless another one took it. False: it is not an rc_id. */
bool rc_sqlite_key(rc_str operation_id, int64_t *ret_key);

/* The key to look at when the operation whose first key that is does not stand under this one: the
 * next of its millisecond, round and round, and when all of them are taken those of the following
 * millisecond. RC_SQLITE_KEY_PROBES_MAX keys are looked at, those of four milliseconds. */
#define RC_SQLITE_KEY_PROBES_MAX (UINT32_C(4) << 15)
int64_t rc_sqlite_next_key(int64_t first, int64_t key);

/* The first key of a millisecond. */
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

/* The columns of spec/audit.def, of a table that is called t; a comma stands before each. */
extern const char rc_sqlite_columns[];

/* Reads them from a row, from column `at` on. record: its strings view the row. */
void rc_sqlite_read_columns(sqlite3_stmt *row, int at, int64_t key, rc_record *record);
rc_str rc_sqlite_text(sqlite3_stmt *row, int column);

/* An operation that succeeded although an attempt failed: kind 2 is an attempt, outcome 1 a
 * success, class 10 a cancellation, which is no failure. Of one attempt nothing need be read. */
#define RC_SQLITE_RECOVERED                                                                     \
    "(t.outcome = 1 AND t.attempt > 1 AND EXISTS (SELECT 1 FROM steps x WHERE x.op = t.op AND " \
    "x.kind = 2 AND x.code <> 0 AND x.error_class <> 10))"

/* The columns of an operation, table t and reports r, and how they are read. */
#define RC_SQLITE_OPERATION                                                              \
    " t.op, t.id, t.outcome, t.outcome_seq,"                                             \
    " (SELECT text FROM names WHERE id = t.client), (SELECT text FROM names WHERE id = " \
    "t.route), r.report_id, r.body, " RC_SQLITE_RECOVERED
#define RC_SQLITE_OPERATION_COLUMNS 9
void rc_sqlite_read_operation(sqlite3_stmt *row, rc_record *record);

/* Runs a statement that gives them and rc_sqlite_columns, to its end or until `each` has had
 * enough. */
bool rc_sqlite_read_rows(const rc_sqlite *sqlite, sqlite3_stmt *row, rc_record_each each, void *ctx,
                         rc_store_fault *fault);

/* Which operations a filter means. They are called t; where they are found by what is noted of
 * blocks, those are called b. */
#define RC_SQLITE_WHERE_MAX 2048
typedef struct rc_sqlite_choice {
    const char *from;   /* to stand behind FROM */
    const char *rising; /* behind ORDER BY */
    const char *falling;
    bool is_by_blocks;
    unsigned note_count;
    char where[RC_SQLITE_WHERE_MAX]; /* behind WHERE */
} rc_sqlite_choice;

bool rc_sqlite_choose(const rc_sqlite *sqlite, const rc_store_filter *filter,
                      rc_sqlite_choice *ret_choice, rc_store_fault *fault);

/* The conditions of its times alone, of any table that is called t. Then what stands in a choice as
 * a parameter. */
void rc_sqlite_where_time(const rc_store_filter *filter, char where[RC_SQLITE_WHERE_MAX]);
void rc_sqlite_bind_filter(sqlite3_stmt *statement, const rc_store_filter *filter);

#endif
