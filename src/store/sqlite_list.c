/* Lists, and the conditions that they share with statistics. Numbers stand in the text of a
 * statement, where the planner sees that an index of some rows alone will do. */
#include <string.h>

#include "store/key.h"
#include "store/sqlite_private.h"

#define SQL_MAX 5120

/* The number of a name; -1 when no row has it. */
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

__attribute__((format(printf, 2, 3))) static void say(char where[RC_SQLITE_WHERE_MAX],
                                                      const char *format, ...)
{
    size_t len = strlen(where);
    va_list arguments;
    va_start(arguments, format);
    sqlite3_vsnprintf((int)(RC_SQLITE_WHERE_MAX - len), where + len, format, arguments);
    va_end(arguments);
}

static bool say_name(const rc_sqlite *sqlite, char where[RC_SQLITE_WHERE_MAX], const char *column,
                     rc_str text, rc_store_fault *fault)
{
    int64_t id = 0;
    if (text.len == 0)
        return true;
    if (!known_name(sqlite, text, &id, fault))
        return false;
    say(where, " AND t.%s = %lld", column, (long long)id);
    return true;
}

/* One bound on each side: of two the planner would seek by one and walk to the other. */
static void say_keys(int64_t first, int64_t end, char where[RC_SQLITE_WHERE_MAX])
{
    where[0] = '\0';
    say(where, " t.op >= %lld", (long long)first);
    if (end > 0)
        say(where, " AND t.op < %lld", (long long)end);
}

static int64_t end_of(const rc_store_filter *filter)
{
    return filter->until_unix_ms > 0 ? rc_sqlite_time_key(filter->until_unix_ms) : 0;
}

void rc_sqlite_where_time(const rc_store_filter *filter, char where[RC_SQLITE_WHERE_MAX])
{
    say_keys(rc_sqlite_time_key(filter->from_unix_ms), end_of(filter), where);
}

/* The keys of a page: within the filter's times, and beyond the last one that was seen. */
static void say_page(const rc_store_query *query, char where[RC_SQLITE_WHERE_MAX])
{
    int64_t first = rc_sqlite_time_key(query->filter.from_unix_ms);
    int64_t end = end_of(&query->filter);
    const int64_t seen = query->beyond_key;
    if (seen != 0 && query->is_oldest_first && seen >= first)
        first = seen < INT64_MAX ? seen + 1 : seen;
    if (seen != 0 && !query->is_oldest_first && (end == 0 || seen < end))
        end = seen;
    say_keys(first, end, where);
}

/* Of a single attempt the operation's row names the target; the records of others are looked at. */
static bool say_target(const rc_sqlite *sqlite, char where[RC_SQLITE_WHERE_MAX], rc_str text,
                       rc_store_fault *fault)
{
    int64_t id = 0;
    if (text.len == 0)
        return true;
    if (!known_name(sqlite, text, &id, fault))
        return false;
    say(where,
        " AND (t.target = %lld OR ((t.attempt <> 1 OR t.target = 0) AND EXISTS (SELECT 1 FROM"
        " records y WHERE y.op = t.op AND y.kind = %d AND y.target = %lld)))",
        (long long)id, (int)RC_RECORD_ATTEMPT, (long long)id);
    return true;
}

static void say_outcome(const rc_store_filter *filter, char where[RC_SQLITE_WHERE_MAX])
{
    if (filter->has_outcome && filter->outcome != RC_OUTCOME_SUCCEEDED)
        say(where, " AND t.outcome = %d AND t.outcome <> 1", (int)filter->outcome);
    else if (filter->has_outcome)
        say(where, " AND t.outcome = 1");
    else
        say(where, " AND t.outcome <> %d", (int)RC_OUTCOME_NOTICE);
    if (filter->is_recovered)
        say(where, " AND " RC_SQLITE_RECOVERED);
    if (filter->ended_unix_ms > 0)
        say(where, " AND t.outcome <> %d AND (t.op >> %d) + t.at_ms >= %lld", (int)RC_OUTCOME_OPEN,
            RC_KEY_LOW_BITS, (long long)filter->ended_unix_ms);
}

/* What a filter asks for beside its times. */
static bool say_rest(const rc_sqlite *sqlite, const rc_store_filter *filter,
                     char where[RC_SQLITE_WHERE_MAX], rc_store_fault *fault)
{
    if (!say_name(sqlite, where, "client", filter->client, fault) ||
        !say_name(sqlite, where, "route", filter->route, fault) ||
        !say_name(sqlite, where, "model", filter->model, fault) ||
        !say_target(sqlite, where, filter->target, fault))
        return false;
    if (filter->code != RC_CODE_NONE)
        say(where, " AND t.code = %d AND t.code <> 0", (int)filter->code);
    if (filter->error_class != RC_CLASS_NONE)
        say(where, " AND t.error_class = %d", (int)filter->error_class);
    if (filter->report_id.len > 0)
        say(where, " AND t.op IN (SELECT op FROM reports WHERE report_id = ?1)");
    say_outcome(filter, where);
    return true;
}

bool rc_sqlite_where(const rc_sqlite *sqlite, const rc_store_filter *filter,
                     char where[RC_SQLITE_WHERE_MAX], rc_store_fault *fault)
{
    rc_sqlite_where_time(filter, where);
    return say_rest(sqlite, filter, where, fault);
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
    char where[RC_SQLITE_WHERE_MAX];
    char sql[SQL_MAX];
    say_page(query, where);
    if (!say_rest(sqlite, &query->filter, where, fault))
        return false;
    sqlite3_snprintf(sizeof(sql), sql,
                     "SELECT" RC_SQLITE_OPERATION "%s FROM operations t LEFT JOIN reports r ON"
                     " r.op = t.op AND r.seq = t.outcome_seq WHERE%s ORDER BY t.op%s LIMIT %lld",
                     rc_sqlite_columns, where, query->is_oldest_first ? "" : " DESC",
                     query->limit > 0 ? (long long)query->limit : -1LL);
    sqlite3_stmt *row = NULL;
    if (!rc_sqlite_prepare(sqlite, sql, &row, fault))
        return false;
    rc_sqlite_bind_filter(row, &query->filter);
    const bool is_good = rc_sqlite_read_rows(sqlite, row, each, ctx, fault);
    sqlite3_finalize(row);
    return is_good;
}
