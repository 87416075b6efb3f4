/* Lists operations, and builds the SQL conditions of lists and statistics. Called through
 * rc_store_calls, by find.c and by stats.c. Numbers are written into the SQL text instead of being
 * bound, so that SQLite's query planner sees whether a partial index applies. */
#include <string.h>

#include "store/operation_key.h"
#include "store/sqlite/private.h"

#define SQL_MAX 5120

/* Finds the number of a name. *ret_id is -1 if the file does not contain the name. */
static bool known_name(const rc_sqlite *sqlite, rc_str text, int64_t *ret_id, rc_store_fault *fault)
{
    sqlite3_stmt *find = NULL;
    if (!rc_sqlite_prepare(sqlite, "SELECT id FROM names WHERE text = ?1", &find, fault))
        return false;
    sqlite3_bind_text(find, 1, text.ptr, (int)text.len, SQLITE_STATIC);
    int code = sqlite3_step(find);
    *ret_id = code == SQLITE_ROW ? sqlite3_column_int64(find, 0) : -1;
    bool is_good =
        code == SQLITE_ROW || code == SQLITE_DONE || rc_sqlite_fail(sqlite, "read", fault);
    sqlite3_finalize(find);
    return is_good;
}

__attribute__((format(printf, 2, 3))) static void append_sql(char where[RC_SQLITE_WHERE_MAX],
                                                             const char *format, ...)
{
    size_t len = strlen(where);
    va_list arguments;
    va_start(arguments, format);
    sqlite3_vsnprintf((int)(RC_SQLITE_WHERE_MAX - len), where + len, format, arguments);
    va_end(arguments);
}

/* --- blocks --- */

/* Returns whether the operations of the filter are found through `blocks`. Operations with a report
 * id are found through the index of report ids. */
static bool is_by_blocks(const rc_store_filter *filter)
{
    return filter->report_id.len == 0 &&
           (filter->client.len > 0 || filter->model.len > 0 || filter->code != RC_CODE_NONE ||
            (filter->has_outcome && filter->outcome != RC_OUTCOME_SUCCEEDED));
}

/* Adds the condition that a block has a note. The first note selects the blocks; further notes are
 * tested with EXISTS. */
static void where_note(rc_sqlite_choice *choice, rc_sqlite_block_field about, int64_t value)
{
    if (!choice->is_by_blocks)
        return;
    append_sql(choice->where,
               choice->note_count++ == 0
                   ? " AND b.about = %d AND b.value = %lld"
                   : " AND EXISTS (SELECT 1 FROM blocks x WHERE x.about = %d AND x.value = %lld AND"
                     " x.block = b.block)",
               (int)about, (long long)value);
}

/* --- conditions --- */

/* Adds the condition that a column contains a name. about: the field of the column's block notes; 0
 * if the column has no notes. */
static bool where_name(const rc_sqlite *sqlite, rc_sqlite_choice *choice, const char *column,
                       rc_sqlite_block_field about, rc_str text, rc_store_fault *fault)
{
    int64_t id = 0;
    if (text.len == 0)
        return true;
    if (!known_name(sqlite, text, &id, fault))
        return false;
    append_sql(choice->where, " AND t.%s = %lld", column, (long long)id);
    if (about != 0)
        where_note(choice, about, id);
    return true;
}

/* Writes the conditions on keys for operations that are found through blocks. All rows of a block
 * are read, even the few that the filter does not select. */
static void where_blocks(int64_t first, int64_t end, char where[RC_SQLITE_WHERE_MAX])
{
    where[0] = '\0';
    append_sql(where, " b.block >= %lld", (long long)(first >> RC_SQLITE_BLOCK_BITS));
    if (end > 0)
        append_sql(where, " AND b.block <= %lld", (long long)(end >> RC_SQLITE_BLOCK_BITS));
    append_sql(where, " AND t.op BETWEEN (b.block << %d) AND (b.block << %d) + %lld",
               RC_SQLITE_BLOCK_BITS, RC_SQLITE_BLOCK_BITS, (1LL << RC_SQLITE_BLOCK_BITS) - 1);
    /* The unary plus prevents the query planner from using these conditions for a search by key. */
    append_sql(where, " AND +t.op >= %lld", (long long)first);
    if (end > 0)
        append_sql(where, " AND +t.op < %lld", (long long)end);
}

/* Writes the conditions on keys. Each end of the range has only one condition, because the query
 * planner uses only one for its search. */
static void where_keys(int64_t first, int64_t end, char where[RC_SQLITE_WHERE_MAX])
{
    where[0] = '\0';
    append_sql(where, " t.op >= %lld", (long long)first);
    if (end > 0)
        append_sql(where, " AND t.op < %lld", (long long)end);
}

static int64_t end_of(const rc_store_filter *filter)
{
    return filter->until_unix_ms > 0 ? rc_sqlite_time_key(filter->until_unix_ms) : 0;
}

void rc_sqlite_where_time(const rc_store_filter *filter, char where[RC_SQLITE_WHERE_MAX])
{
    where_keys(rc_sqlite_time_key(filter->from_unix_ms), end_of(filter), where);
}

/* Adds the condition that an attempt was made at a target. If an operation has only one attempt,
 * its row has the target; otherwise its records are searched. */
static bool where_target(const rc_sqlite *sqlite, char where[RC_SQLITE_WHERE_MAX], rc_str text,
                         rc_store_fault *fault)
{
    int64_t id = 0;
    if (text.len == 0)
        return true;
    if (!known_name(sqlite, text, &id, fault))
        return false;
    append_sql(
        where,
        " AND (t.target = %lld OR ((t.attempt <> 1 OR t.target = 0) AND EXISTS (SELECT 1 FROM"
        " steps y WHERE y.op = t.op AND y.kind = %d AND y.target = %lld)))",
        (long long)id, (int)RC_RECORD_ATTEMPT, (long long)id);
    return true;
}

static void where_outcome(const rc_store_filter *filter, rc_sqlite_choice *choice)
{
    if (filter->has_outcome) {
        append_sql(choice->where, " AND t.outcome = %d", (int)filter->outcome);
        if (filter->outcome != RC_OUTCOME_SUCCEEDED)
            where_note(choice, RC_SQLITE_OUTCOME, (int64_t)filter->outcome);
    } else {
        append_sql(choice->where, " AND t.outcome <> %d", (int)RC_OUTCOME_NOTICE);
    }
    if (filter->is_recovered)
        append_sql(choice->where, " AND " RC_SQLITE_RECOVERED);
    if (filter->ended_unix_ms > 0)
        append_sql(choice->where, " AND t.outcome <> %d AND (t.op >> %d) + t.at_ms >= %lld",
                   (int)RC_OUTCOME_OPEN, RC_OPERATION_KEY_LOW_BITS,
                   (long long)filter->ended_unix_ms);
}

/* Adds all conditions of the filter except times. Conditions that are rarely true come first,
 * because the first note selects the blocks. */
static bool where_others(const rc_sqlite *sqlite, const rc_store_filter *filter,
                         rc_sqlite_choice *choice, rc_store_fault *fault)
{
    if (filter->code != RC_CODE_NONE) {
        append_sql(choice->where, " AND t.code = %d", (int)filter->code);
        where_note(choice, RC_SQLITE_CODE, (int64_t)filter->code);
    }
    where_outcome(filter, choice);
    if (!where_name(sqlite, choice, "client", RC_SQLITE_CLIENT, filter->client, fault) ||
        !where_name(sqlite, choice, "route", 0, filter->route, fault) ||
        !where_name(sqlite, choice, "model", RC_SQLITE_MODEL, filter->model, fault) ||
        !where_target(sqlite, choice->where, filter->target, fault))
        return false;
    if (filter->error_class != RC_CLASS_NONE)
        append_sql(choice->where, " AND t.error_class = %d", (int)filter->error_class);
    if (filter->report_id.len > 0)
        append_sql(choice->where, " AND t.op IN (SELECT op FROM reports WHERE report_id = ?1)");
    return true;
}

/* Builds the clauses for keys from `first` to below `end`. An `end` of 0 means no end. */
static bool choose(const rc_sqlite *sqlite, const rc_store_filter *filter, int64_t first,
                   int64_t end, rc_sqlite_choice *ret_choice, rc_store_fault *fault)
{
    ret_choice->note_count = 0;
    ret_choice->is_by_blocks = is_by_blocks(filter);
    if (ret_choice->is_by_blocks) {
        ret_choice->from = "blocks b CROSS JOIN operations t";
        ret_choice->rising = "b.block, t.op";
        ret_choice->falling = "b.block DESC, t.op DESC";
        where_blocks(first, end, ret_choice->where);
    } else {
        ret_choice->from = "operations t";
        ret_choice->rising = "t.op";
        ret_choice->falling = "t.op DESC";
        where_keys(first, end, ret_choice->where);
    }
    return where_others(sqlite, filter, ret_choice, fault);
}

bool rc_sqlite_choose(const rc_sqlite *sqlite, const rc_store_filter *filter,
                      rc_sqlite_choice *ret_choice, rc_store_fault *fault)
{
    return choose(sqlite, filter, rc_sqlite_time_key(filter->from_unix_ms), end_of(filter),
                  ret_choice, fault);
}

/* Builds the clauses of a page. The keys of a page are within the filter's times and beyond the
 * last key of the previous page. */
static bool choose_page(const rc_sqlite *sqlite, const rc_store_query *query,
                        rc_sqlite_choice *ret_choice, rc_store_fault *fault)
{
    int64_t first = rc_sqlite_time_key(query->filter.from_unix_ms);
    int64_t end = end_of(&query->filter);
    const int64_t seen = query->beyond_key;
    if (seen != 0 && query->is_oldest_first && seen >= first)
        first = seen < INT64_MAX ? seen + 1 : seen;
    if (seen != 0 && !query->is_oldest_first && (end == 0 || seen < end))
        end = seen;
    return choose(sqlite, &query->filter, first, end, ret_choice, fault);
}

void rc_sqlite_bind_filter(sqlite3_stmt *statement, const rc_store_filter *filter)
{
    rc_str id = filter->report_id;
    if (id.len > 0)
        sqlite3_bind_text(statement, 1, id.ptr, (int)id.len, SQLITE_STATIC);
}

bool rc_sqlite_read_rows(const rc_sqlite *sqlite, sqlite3_stmt *row, rc_record_each each, void *ctx,
                         rc_store_fault *fault)
{
    int code = SQLITE_DONE;
    bool goes_on = true;
    while (goes_on && (code = sqlite3_step(row)) == SQLITE_ROW) {
        rc_record record;
        rc_sqlite_read_operation(row, &record);
        goes_on = each(ctx, &record);
    }
    return code == SQLITE_ROW || code == SQLITE_DONE || rc_sqlite_fail(sqlite, "read", fault);
}

bool rc_sqlite_list(rc_store *store, const rc_store_query *query, rc_record_each each, void *ctx,
                    rc_store_fault *fault)
{
    rc_sqlite *sqlite = (rc_sqlite *)store;
    rc_sqlite_choice choice;
    char sql[SQL_MAX];
    if (!choose_page(sqlite, query, &choice, fault))
        return false;
    sqlite3_snprintf(sizeof(sql), sql,
                     "SELECT" RC_SQLITE_OPERATION "%s FROM %s LEFT JOIN reports r ON"
                     " r.op = t.op AND r.seq = t.outcome_seq WHERE%s ORDER BY %s LIMIT %lld",
                     rc_sqlite_columns, choice.from, choice.where,
                     query->is_oldest_first ? choice.rising : choice.falling,
                     query->limit > 0 ? (long long)query->limit : -1LL);
    sqlite3_stmt *row = NULL;
    if (!rc_sqlite_prepare(sqlite, sql, &row, fault))
        return false;
    rc_sqlite_bind_filter(row, &query->filter);
    const bool is_good = rc_sqlite_read_rows(sqlite, row, each, ctx, fault);
    sqlite3_finalize(row);
    return is_good;
}
