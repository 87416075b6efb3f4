/* Deletes names that no row uses. Called by prune.c; names.c calls rc_sqlite_sweep_use.
 *
 *   candidates ──► operations and their steps, one slice of keys per step ──► spend ──► delete
 *
 * The columns that refer to names have no index, so all rows are read once for many names. The
 * candidates are the next RC_SQLITE_SWEEP_MAX names by number. Each row that is read marks the
 * names that it uses as used. Each step is a transaction of its own. A row that is written between
 * two steps marks its names, because rc_sqlite_name calls rc_sqlite_sweep_use. At the end, the
 * unmarked candidates are deleted. The next sweep continues with the names that follow. */
#include <stdlib.h>
#include <string.h>

#include "store/sqlite/private.h"

const char rc_sqlite_sweep_names_sql[] = "SELECT id FROM names WHERE id > ?1 ORDER BY id LIMIT ?2";
const char rc_sqlite_sweep_operations_sql[] =
    "SELECT op, client, route, target, model, provider, credential, try_model FROM operations"
    " WHERE op > ?1 ORDER BY op LIMIT ?2";
const char rc_sqlite_sweep_steps_sql[] =
    "SELECT op, target, model, provider, credential FROM steps WHERE op > ?1 AND op <= ?2";
const char rc_sqlite_sweep_usage_sql[] =
    "SELECT day, client, route, target, credential FROM spend"
    " WHERE (day, client, route, target, credential) > (?1, ?2, ?3, ?4, ?5)"
    " ORDER BY day, client, route, target, credential LIMIT ?6";
const char rc_sqlite_sweep_drop_sql[] = "DELETE FROM names WHERE id = ?1";

static int compare(const void *a, const void *b)
{
    const int64_t left = *(const int64_t *)a;
    const int64_t right = *(const int64_t *)b;
    return left < right ? -1 : left > right;
}

void rc_sqlite_sweep_use(rc_sqlite *sqlite, int64_t id)
{
    rc_sqlite_sweep *sweep = &sqlite->sweep;
    if (sweep->ids == NULL || sweep->count == 0)
        return;
    const int64_t *found = bsearch(&id, sweep->ids, sweep->count, sizeof(id), compare);
    if (found != NULL)
        sweep->is_used[found - sweep->ids] = true;
}

void rc_sqlite_sweep_end(rc_sqlite *sqlite)
{
    rc_sqlite_sweep *sweep = &sqlite->sweep;
    if (sweep->ids != NULL)
        sqlite->alloc.put(sqlite->alloc.ctx, sweep->ids, RC_SQLITE_SWEEP_BYTES);
    *sweep = (rc_sqlite_sweep){.last_id = sweep->last_id};
}

static sqlite3_stmt *bind(rc_sqlite *sqlite, rc_sqlite_statement which, const int64_t *numbers,
                          int count, rc_store_fault *fault)
{
    sqlite3_stmt *row = rc_sqlite_get(sqlite, which, fault);
    for (int i = 0; row != NULL && i < count; i++)
        sqlite3_bind_int64(row, i + 1, numbers[i]);
    return row;
}

static bool end_rows(rc_sqlite *sqlite, sqlite3_stmt *row, int code, rc_store_fault *fault)
{
    const bool is_good = code == SQLITE_DONE || rc_sqlite_fail(sqlite, "prune", fault);
    sqlite3_reset(row);
    return is_good;
}

/* --- steps --- */

static bool begin(rc_sqlite *sqlite, rc_store_fault *fault)
{
    rc_sqlite_sweep *sweep = &sqlite->sweep;
    sweep->ids = sqlite->alloc.get(sqlite->alloc.ctx, RC_SQLITE_SWEEP_BYTES);
    if (sweep->ids == NULL)
        return rc_store_fault_set(fault, RC_STORE_NO_MEMORY, "prune", sqlite->path, NULL);
    memset(sweep->ids, 0, RC_SQLITE_SWEEP_BYTES);
    sweep->is_used = (bool *)(sweep->ids + RC_SQLITE_SWEEP_MAX);
    sweep->key = INT64_MIN;
    for (int i = 0; i < 5; i++)
        sweep->usage_key[i] = INT64_MIN;
    const int64_t numbers[] = {sweep->last_id, RC_SQLITE_SWEEP_MAX};
    sqlite3_stmt *row = bind(sqlite, RC_SQL_SWEEP_NAMES, numbers, 2, fault);
    if (row == NULL)
        return false;
    int code = sqlite3_step(row);
    for (; code == SQLITE_ROW && sweep->count < RC_SQLITE_SWEEP_MAX; code = sqlite3_step(row))
        sweep->ids[sweep->count++] = sqlite3_column_int64(row, 0);
    return end_rows(sqlite, row, code, fault);
}

static bool use_row(rc_sqlite *sqlite, sqlite3_stmt *row)
{
    for (int i = 1; i < sqlite3_column_count(row); i++)
        rc_sqlite_sweep_use(sqlite, sqlite3_column_int64(row, i));
    return true;
}

/* Reads the next operations, and the rows of `steps` up to the key of the last of these operations.
 * If no operations follow, reads all remaining rows of `steps`. */
static bool scan_slice(rc_sqlite *sqlite, uint32_t max, rc_store_fault *fault)
{
    rc_sqlite_sweep *sweep = &sqlite->sweep;
    const int64_t slice[] = {sweep->key, max};
    int64_t last = sweep->key;
    uint32_t count = 0;
    sqlite3_stmt *row = bind(sqlite, RC_SQL_SWEEP_OPERATIONS, slice, 2, fault);
    if (row == NULL)
        return false;
    int code = sqlite3_step(row);
    for (; code == SQLITE_ROW && use_row(sqlite, row); code = sqlite3_step(row), count++)
        last = sqlite3_column_int64(row, 0);
    if (!end_rows(sqlite, row, code, fault))
        return false;
    sweep->is_in_usage = count < max;
    const int64_t keys[] = {sweep->key, sweep->is_in_usage ? INT64_MAX : last};
    row = bind(sqlite, RC_SQL_SWEEP_STEPS, keys, 2, fault);
    if (row == NULL)
        return false;
    for (code = sqlite3_step(row); code == SQLITE_ROW && use_row(sqlite, row);)
        code = sqlite3_step(row);
    sweep->key = last;
    return end_rows(sqlite, row, code, fault);
}

static bool scan_usage(rc_sqlite *sqlite, uint32_t max, rc_store_fault *fault)
{
    rc_sqlite_sweep *sweep = &sqlite->sweep;
    int64_t from[6];
    uint32_t count = 0;
    memcpy(from, sweep->usage_key, sizeof(sweep->usage_key));
    from[5] = max;
    sqlite3_stmt *row = bind(sqlite, RC_SQL_SWEEP_USAGE, from, 6, fault);
    if (row == NULL)
        return false;
    int code = sqlite3_step(row);
    for (; code == SQLITE_ROW && use_row(sqlite, row); code = sqlite3_step(row), count++)
        for (int i = 0; i < 5; i++)
            sweep->usage_key[i] = sqlite3_column_int64(row, i);
    sweep->is_in_drop = count < max;
    return end_rows(sqlite, row, code, fault);
}

static bool drop(rc_sqlite *sqlite, uint32_t max, bool *ret_is_done, rc_store_fault *fault)
{
    rc_sqlite_sweep *sweep = &sqlite->sweep;
    uint32_t count = 0;
    for (; sweep->at < sweep->count && count < max; sweep->at++) {
        if (sweep->is_used[sweep->at])
            continue;
        count++;
        sqlite3_stmt *row = bind(sqlite, RC_SQL_SWEEP_DROP, &sweep->ids[sweep->at], 1, fault);
        if (row == NULL || !end_rows(sqlite, row, sqlite3_step(row), fault))
            return false;
    }
    /* The cache of names may have numbers of deleted names, so it is cleared. */
    if (count > 0)
        rc_name_cache_clear(&sqlite->names);
    *ret_is_done = sweep->at == sweep->count;
    return true;
}

/* Ends the sweep. If the sweep has examined the last name, the next sweep starts with the first
 * name. */
static void finish(rc_sqlite *sqlite)
{
    rc_sqlite_sweep *sweep = &sqlite->sweep;
    sweep->last_id = sweep->count == RC_SQLITE_SWEEP_MAX ? sweep->ids[sweep->count - 1] : 0;
    rc_sqlite_sweep_end(sqlite);
}

bool rc_sqlite_sweep_step(rc_sqlite *sqlite, uint32_t max, bool *ret_is_done, rc_store_fault *fault)
{
    rc_sqlite_sweep *sweep = &sqlite->sweep;
    *ret_is_done = false;
    if (sweep->ids == NULL)
        return begin(sqlite, fault);
    if (sweep->is_in_drop)
        return drop(sqlite, max, ret_is_done, fault);
    return sweep->is_in_usage ? scan_usage(sqlite, max, fault) : scan_slice(sqlite, max, fault);
}

void rc_sqlite_sweep_finish(rc_sqlite *sqlite)
{
    if (sqlite->sweep.ids != NULL)
        finish(sqlite);
}
