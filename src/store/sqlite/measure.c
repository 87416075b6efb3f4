/* Counts the rows of the tables, and the rows that belong to no operation. Called through
 * rc_store_calls. */
#include "store/sqlite/private.h"

static bool count(const rc_sqlite *sqlite, const char *sql, uint64_t *ret_count,
                  rc_store_fault *fault)
{
    int64_t number = 0;
    if (!rc_sqlite_number(sqlite, sql, &number, fault))
        return false;
    *ret_count = number > 0 ? (uint64_t)number : 0;
    return true;
}

static bool measure_times(const rc_sqlite *sqlite, rc_store_extent *extent, rc_store_fault *fault)
{
    int64_t first = 0;
    int64_t last = 0;
    if (!rc_sqlite_number(sqlite, "SELECT min(op) FROM operations", &first, fault) ||
        !rc_sqlite_number(sqlite, "SELECT max(op) FROM operations", &last, fault))
        return false;
    extent->from_unix_ms = rc_sqlite_key_time(first);
    extent->to_unix_ms = rc_sqlite_key_time(last);
    return true;
}

static bool measure_rows(const rc_sqlite *sqlite, rc_store_extent *extent, rc_store_fault *fault)
{
    uint64_t reports = 0;
    if (!count(sqlite, "SELECT count(*) FROM operations", &extent->operations, fault) ||
        !count(sqlite, "SELECT count(*) FROM records", &extent->records, fault) ||
        !count(sqlite, "SELECT count(*) FROM reports", &extent->reports, fault) ||
        !count(sqlite, "SELECT count(*) FROM names", &extent->names, fault) ||
        !count(sqlite,
               "SELECT count(*) FROM steps r WHERE NOT EXISTS"
               " (SELECT 1 FROM operations o WHERE o.op = r.op)",
               &extent->orphans, fault) ||
        !count(sqlite,
               "SELECT count(*) FROM reports r WHERE NOT EXISTS"
               " (SELECT 1 FROM operations o WHERE o.op = r.op)",
               &reports, fault))
        return false;
    extent->orphans += reports;
    return true;
}

bool rc_sqlite_measure(rc_store *store, rc_store_extent *ret_extent, rc_store_fault *fault)
{
    const rc_sqlite *sqlite = (const rc_sqlite *)store;
    rc_store_extent extent = {0};
    uint64_t pages = 0;
    uint64_t page_bytes = 0;
    if (!measure_rows(sqlite, &extent, fault) || !measure_times(sqlite, &extent, fault) ||
        !count(sqlite, "PRAGMA page_count", &pages, fault) ||
        !count(sqlite, "PRAGMA page_size", &page_bytes, fault))
        return false;
    extent.bytes = pages * page_bytes;
    *ret_extent = extent;
    return true;
}

bool rc_sqlite_list_names(rc_store *store, rc_store_name_each each, void *ctx,
                          rc_store_fault *fault)
{
    const rc_sqlite *sqlite = (const rc_sqlite *)store;
    sqlite3_stmt *row = NULL;
    if (!rc_sqlite_prepare(sqlite, "SELECT text FROM names", &row, fault))
        return false;
    int code = sqlite3_step(row);
    while (code == SQLITE_ROW && each(ctx, rc_sqlite_text(row, 0)))
        code = sqlite3_step(row);
    const bool is_good =
        code == SQLITE_ROW || code == SQLITE_DONE || rc_sqlite_fail(sqlite, "read", fault);
    sqlite3_finalize(row);
    return is_good;
}
