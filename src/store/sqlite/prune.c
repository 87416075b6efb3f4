/* Deletes expired operations in small transactions. Called through rc_store_calls. The keys are
 * processed in slices. For each slice, the operations are deleted with their steps and reports.
 * After the last slice, the rows of the table `blocks` that describe blocks without operations are
 * deleted. Before this deletion, the table `blocks` may have rows whose operations are already
 * deleted. */
#include "store/operation_key.h"
#include "store/sqlite/private.h"

#define UNIX_MS_MAX ((INT64_C(1) << 48) - 1)

/* SQL condition: the operation ended before a time. Outcome 0 means that the operation is open.
 * at_ms is relative to the time in the key. */
#define HAS_ENDED " outcome <> 0 AND (op >> 15) + at_ms < "
_Static_assert(RC_OPERATION_KEY_LOW_BITS == 15, "the SQL statements contain this number");
_Static_assert(RC_SQLITE_BLOCK_BITS == 23, "the SQL statements contain this number");

const char rc_sqlite_slice_end_sql[] =
    "SELECT op FROM operations WHERE op >= ?1 AND op < ?2 ORDER BY op LIMIT 1 OFFSET ?3";
const char rc_sqlite_prune_operations_sql[] =
    "DELETE FROM operations WHERE op >= ?1 AND op < ?2 AND" HAS_ENDED "?3";
const char rc_sqlite_prune_steps_sql[] =
    "DELETE FROM steps WHERE op >= ?1 AND op < ?2 AND NOT EXISTS"
    " (SELECT 1 FROM operations o WHERE o.op = steps.op)";
const char rc_sqlite_prune_reports_sql[] =
    "DELETE FROM reports WHERE op >= ?1 AND op < ?2 AND NOT EXISTS"
    " (SELECT 1 FROM operations o WHERE o.op = reports.op)";
const char rc_sqlite_next_note_sql[] =
    "SELECT about, value FROM blocks WHERE (about, value) > (?1, ?2) ORDER BY about, value LIMIT 1";
const char rc_sqlite_notes_end_sql[] =
    "SELECT block FROM blocks WHERE about = ?1 AND value = ?2 AND block >= ?3 AND block < ?4"
    " ORDER BY block LIMIT 1 OFFSET ?5";
const char rc_sqlite_prune_notes_sql[] =
    "DELETE FROM blocks WHERE about = ?1 AND value = ?2 AND block >= ?3 AND block < ?4 AND NOT"
    " EXISTS (SELECT 1 FROM operations o WHERE o.op >= blocks.block << 23 AND"
    " o.op < (blocks.block + 1) << 23)";

/* --- statements --- */

typedef struct numbers {
    int64_t at[5];
    int count;
} numbers;

static sqlite3_stmt *bind(rc_sqlite *sqlite, rc_sqlite_statement which, const numbers *params,
                          rc_store_fault *fault)
{
    sqlite3_stmt *statement = rc_sqlite_get(sqlite, which, fault);
    for (int i = 0; statement != NULL && i < params->count; i++)
        sqlite3_bind_int64(statement, i + 1, params->at[i]);
    return statement;
}

/* Runs a statement that deletes rows. *ret_count: receives the number of deleted rows. */
static bool remove_rows(rc_sqlite *sqlite, rc_sqlite_statement which, const numbers *params,
                        int64_t *ret_count, rc_store_fault *fault)
{
    sqlite3_stmt *statement = bind(sqlite, which, params, fault);
    if (statement == NULL)
        return false;
    const bool is_done =
        sqlite3_step(statement) == SQLITE_DONE || rc_sqlite_fail(sqlite, "prune", fault);
    *ret_count = is_done ? sqlite3_changes(sqlite->db) : 0;
    sqlite3_reset(statement);
    return is_done;
}

/* Runs a statement and reads the first two numbers of its first row. *ret_is_there: receives
 * whether there is a row. */
static bool query(rc_sqlite *sqlite, rc_sqlite_statement which, const numbers *params,
                  int64_t ret_row[2], bool *ret_is_there, rc_store_fault *fault)
{
    sqlite3_stmt *statement = bind(sqlite, which, params, fault);
    if (statement == NULL)
        return false;
    const int code = sqlite3_step(statement);
    const bool is_good =
        code == SQLITE_ROW || code == SQLITE_DONE || rc_sqlite_fail(sqlite, "prune", fault);
    *ret_is_there = code == SQLITE_ROW;
    for (int i = 0; code == SQLITE_ROW && i < 2 && i < sqlite3_column_count(statement); i++)
        ret_row[i] = sqlite3_column_int64(statement, i);
    sqlite3_reset(statement);
    return is_good;
}

static int64_t before_of(int64_t unix_ms)
{
    return unix_ms < UNIX_MS_MAX ? unix_ms : UNIX_MS_MAX;
}

/* --- a slice of operations --- */

static bool prune_slice(rc_sqlite *sqlite, rc_store_prune *prune, rc_store_fault *fault)
{
    const int64_t before = before_of(prune->before_unix_ms);
    const int64_t last = rc_sqlite_time_key(before);
    const numbers all = {{prune->from_key, last, prune->max}, 3};
    int64_t row[2] = {0};
    int64_t operations = 0;
    int64_t ignored = 0;
    bool has_more = false;
    if (!query(sqlite, RC_SQL_SLICE_END, &all, row, &has_more, fault))
        return false;
    const numbers slice = {{prune->from_key, has_more ? row[0] : last, before}, 3};
    const numbers keys = {{slice.at[0], slice.at[1]}, 2};
    if (!remove_rows(sqlite, RC_SQL_PRUNE_OPERATIONS, &slice, &operations, fault) ||
        !remove_rows(sqlite, RC_SQL_PRUNE_STEPS, &keys, &ignored, fault) ||
        !remove_rows(sqlite, RC_SQL_PRUNE_REPORTS, &keys, &ignored, fault))
        return false;
    prune->operations += (uint64_t)operations;
    prune->from_key = slice.at[1];
    prune->is_in_notes = !has_more;
    return true;
}

/* --- block notes --- */

/* Deletes at most `left` block notes of one value. *ret_is_whole: receives true if all expired
 * notes of the value are deleted. */
static bool prune_value(rc_sqlite *sqlite, rc_store_prune *prune, int64_t left, bool *ret_is_whole,
                        rc_store_fault *fault)
{
    const int64_t last =
        rc_sqlite_time_key(before_of(prune->before_unix_ms)) >> RC_SQLITE_BLOCK_BITS;
    const numbers all = {{prune->field, prune->value, prune->from_block, last, left}, 5};
    int64_t row[2] = {0};
    int64_t count = 0;
    bool has_more = false;
    if (!query(sqlite, RC_SQL_NOTES_END, &all, row, &has_more, fault))
        return false;
    const int64_t end = has_more ? row[0] : last;
    const numbers some = {{prune->field, prune->value, prune->from_block, end}, 4};
    if (!remove_rows(sqlite, RC_SQL_PRUNE_NOTES, &some, &count, fault))
        return false;
    prune->from_block = end;
    *ret_is_whole = !has_more;
    return true;
}

/* Deletes block notes. A step also handles a limited number of values, because each value costs one
 * search even if it has no notes to delete. */
static bool prune_notes(rc_sqlite *sqlite, rc_store_prune *prune, rc_store_fault *fault)
{
    for (uint32_t i = 0; i < prune->max; i++) {
        const numbers here = {{prune->field, prune->value}, 2};
        int64_t row[2] = {0};
        bool is_there = true;
        bool is_whole = true;
        if (prune->field != 0 && !prune_value(sqlite, prune, prune->max - i, &is_whole, fault))
            return false;
        if (!is_whole)
            return true;
        if (!query(sqlite, RC_SQL_NEXT_NOTE, &here, row, &is_there, fault))
            return false;
        prune->is_in_names = !is_there && prune->operations > 0;
        prune->is_done = !is_there && !prune->is_in_names;
        if (!is_there)
            return true;
        prune->field = row[0];
        prune->value = row[1];
        prune->from_block = 0;
    }
    return true;
}

/* --- one step --- */

static bool prune_some(rc_sqlite *sqlite, rc_store_prune *prune, rc_store_fault *fault)
{
    if (prune->is_in_names)
        return rc_sqlite_sweep_step(sqlite, prune->max, &prune->is_done, fault);
    /* The caller has stopped the deletion of operations. The notes before the first remaining
     * operation are deleted next. */
    if (prune->is_stopped && !prune->is_in_notes) {
        prune->before_unix_ms = rc_sqlite_key_time(prune->from_key);
        prune->is_in_notes = true;
    }
    return prune->is_in_notes ? prune_notes(sqlite, prune, fault)
                              : prune_slice(sqlite, prune, fault);
}

static bool work(rc_sqlite *sqlite, rc_store_prune *prune, rc_store_fault *fault)
{
    int64_t ignored = 0;
    const numbers none = {.count = 0};
    return remove_rows(sqlite, RC_SQL_BEGIN, &none, &ignored, fault) &&
           prune_some(sqlite, prune, fault) &&
           remove_rows(sqlite, RC_SQL_COMMIT, &none, &ignored, fault);
}

bool rc_sqlite_prune(rc_store *store, rc_store_prune *prune, rc_store_fault *fault)
{
    rc_sqlite *sqlite = (rc_sqlite *)store;
    rc_store_prune next = *prune;
    if (sqlite->mode != RC_STORE_WRITE || prune->max == 0)
        return rc_store_fault_set(fault, RC_STORE_ARGUMENT, "prune", sqlite->path, "a reader");
    const bool is_committed = work(sqlite, &next, fault);
    if (is_committed) {
        *prune = next;
    } else if (!sqlite3_get_autocommit(sqlite->db)) {
        rc_store_fault ignored;
        rc_sqlite_run(sqlite, "ROLLBACK", "prune", &ignored);
    }
    if (!is_committed)
        rc_sqlite_sweep_end(sqlite);
    else if (next.is_done)
        rc_sqlite_sweep_finish(sqlite);
    /* The cache may have notes that were deleted, so it is cleared. Such a note must be written
     * again if an operation of its block arrives late. */
    if (prune->is_in_notes)
        rc_sqlite_forget_notes(sqlite);
    return is_committed;
}

/* --- counting expired operations --- */

static bool count_expired(const rc_sqlite *sqlite, int64_t before, rc_store_expired *expired,
                          rc_store_fault *fault)
{
    sqlite3_stmt *row = NULL;
    if (!rc_sqlite_prepare(sqlite,
                           "SELECT sum(outcome <> 0 AND (op >> 15) + at_ms < ?2), count(*)"
                           " FROM operations WHERE op < ?1",
                           &row, fault))
        return false;
    sqlite3_bind_int64(row, 1, rc_sqlite_time_key(before));
    sqlite3_bind_int64(row, 2, before);
    const bool is_good = sqlite3_step(row) == SQLITE_ROW || rc_sqlite_fail(sqlite, "read", fault);
    if (is_good) {
        expired->operations = (uint64_t)sqlite3_column_int64(row, 0);
        expired->remaining = (uint64_t)sqlite3_column_int64(row, 1) - expired->operations;
    }
    sqlite3_finalize(row);
    return is_good;
}

static bool measure_space(const rc_sqlite *sqlite, rc_store_expired *expired, rc_store_fault *fault)
{
    int64_t pages = 0;
    int64_t free_pages = 0;
    int64_t page_bytes = 0;
    if (!rc_sqlite_number(sqlite, "PRAGMA page_count", &pages, fault) ||
        !rc_sqlite_number(sqlite, "PRAGMA freelist_count", &free_pages, fault) ||
        !rc_sqlite_number(sqlite, "PRAGMA page_size", &page_bytes, fault))
        return false;
    expired->bytes = (uint64_t)(pages * page_bytes);
    expired->free_bytes = (uint64_t)(free_pages * page_bytes);
    return true;
}

bool rc_sqlite_used_bytes(rc_store *store, uint64_t *ret_bytes, rc_store_fault *fault)
{
    rc_store_expired expired = {.operations = 0};
    if (!measure_space((const rc_sqlite *)store, &expired, fault))
        return false;
    *ret_bytes = expired.bytes > expired.free_bytes ? expired.bytes - expired.free_bytes : 0;
    return true;
}

bool rc_sqlite_count_expired(rc_store *store, int64_t before_unix_ms, rc_store_expired *ret_expired,
                             rc_store_fault *fault)
{
    const rc_sqlite *sqlite = (const rc_sqlite *)store;
    rc_store_expired expired = {.operations = 0};
    if (!count_expired(sqlite, before_of(before_unix_ms), &expired, fault) ||
        !measure_space(sqlite, &expired, fault))
        return false;
    *ret_expired = expired;
    return true;
}

bool rc_sqlite_first_expired(rc_store *store, int64_t before_unix_ms, int64_t *ret_unix_ms,
                             rc_store_fault *fault)
{
    const rc_sqlite *sqlite = (const rc_sqlite *)store;
    const int64_t before = before_of(before_unix_ms);
    char sql[256];
    int64_t key = 0;
    sqlite3_snprintf(sizeof(sql), sql,
                     "SELECT op FROM operations WHERE op < %lld AND" HAS_ENDED
                     "%lld ORDER BY op LIMIT 1",
                     (long long)rc_sqlite_time_key(before), (long long)before);
    if (!rc_sqlite_number(sqlite, sql, &key, fault))
        return false;
    *ret_unix_ms = key != 0 ? rc_sqlite_key_time(key) : -1;
    return true;
}

/* --- free space --- */

bool rc_sqlite_shrink(rc_store *store, rc_store_fault *fault)
{
    rc_sqlite *sqlite = (rc_sqlite *)store;
    if (sqlite->mode != RC_STORE_WRITE)
        return rc_store_fault_set(fault, RC_STORE_ARGUMENT, "shrink", sqlite->path, "a reader");
    rc_sqlite_drop_statements(sqlite);
    if (!rc_sqlite_run(sqlite, "VACUUM", "shrink", fault))
        return false;
    const int code =
        sqlite3_wal_checkpoint_v2(sqlite->db, "main", SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    return code == SQLITE_OK || rc_sqlite_fail(sqlite, "shrink", fault);
}
