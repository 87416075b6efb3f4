/* The table `spend`: the usage of each day by client, route, target and credential. The table is
 * updated with each attempt. Called by write.c and, for reading, through rc_store_calls. Client and
 * route come from the attempt's operation. */
#include "store/sqlite/private.h"

#define DAY_MS INT64_C(86400000)

const char rc_sqlite_add_usage_sql[] =
    "INSERT INTO spend(day, client, route, target, credential, attempts, tokens_in, tokens_out,"
    " cost_usd_micro) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"
    " ON CONFLICT(day, client, route, target, credential) DO UPDATE SET"
    " attempts = attempts + excluded.attempts, tokens_in = tokens_in + excluded.tokens_in,"
    " tokens_out = tokens_out + excluded.tokens_out,"
    " cost_usd_micro = cost_usd_micro + excluded.cost_usd_micro";

const char rc_sqlite_find_owner_sql[] = "SELECT client, route FROM operations WHERE op = ?1";

bool rc_sqlite_find_owner(rc_sqlite *sqlite, int64_t key, rc_sqlite_owner *ret_owner,
                          rc_store_fault *fault)
{
    sqlite3_stmt *find = rc_sqlite_get(sqlite, RC_SQL_FIND_OWNER, fault);
    if (find == NULL)
        return false;
    sqlite3_bind_int64(find, 1, key);
    bool is_found = sqlite3_step(find) == SQLITE_ROW;
    if (is_found) {
        ret_owner->client = sqlite3_column_int64(find, 0);
        ret_owner->route = sqlite3_column_int64(find, 1);
    } else {
        rc_sqlite_fail(sqlite, "write", fault);
    }
    sqlite3_reset(find);
    return is_found;
}

/* --- adding up --- */

static bool is_same_group(const rc_sqlite_usage_row *a, const rc_sqlite_usage_row *b)
{
    return a->day == b->day && a->client == b->client && a->route == b->route &&
           a->target == b->target && a->credential == b->credential;
}

static void add_number(int64_t *sum, uint64_t number)
{
    if (__builtin_add_overflow(*sum, number, sum))
        *sum = INT64_MAX;
}

static void add_to(rc_sqlite_usage_row *row, const rc_record *record)
{
    row->attempts++;
    add_number(&row->tokens_in, record->tokens_in);
    add_number(&row->tokens_out, record->tokens_out);
    add_number(&row->cost_usd_micro, record->cost_usd_micro);
}

/* Returns the slot in memory for a row of `spend`. If all slots are used, writes them to the file
 * first; returns NULL if that fails. */
static rc_sqlite_usage_row *slot_of(rc_sqlite *sqlite, const rc_sqlite_usage_row *row,
                                    rc_store_fault *fault)
{
    for (size_t i = 0; i < sqlite->usage_count; i++)
        if (is_same_group(&sqlite->usage[i], row))
            return &sqlite->usage[i];
    if (sqlite->usage_count == RC_SQLITE_USAGE_MAX && !rc_sqlite_flush_usage(sqlite, fault))
        return NULL;
    rc_sqlite_usage_row *slot = &sqlite->usage[sqlite->usage_count++];
    *slot = *row;
    return slot;
}

bool rc_sqlite_add_usage(rc_sqlite *sqlite, const rc_sqlite_owner *owner, const rc_record *record,
                         rc_store_fault *fault)
{
    rc_sqlite_usage_row row = {
        .day = record->unix_ms / DAY_MS, .client = owner->client, .route = owner->route};
    if (!rc_sqlite_name(sqlite, record->target, &row.target, fault) ||
        !rc_sqlite_name(sqlite, record->credential, &row.credential, fault))
        return false;
    rc_sqlite_usage_row *slot = slot_of(sqlite, &row, fault);
    if (slot == NULL)
        return false;
    add_to(slot, record);
    return true;
}

static bool write_row(rc_sqlite *sqlite, const rc_sqlite_usage_row *row, rc_store_fault *fault)
{
    sqlite3_stmt *add = rc_sqlite_get(sqlite, RC_SQL_ADD_USAGE, fault);
    if (add == NULL)
        return false;
    const int64_t numbers[] = {row->day,       row->client,     row->route,
                               row->target,    row->credential, row->attempts,
                               row->tokens_in, row->tokens_out, row->cost_usd_micro};
    for (int i = 0; i < (int)(sizeof(numbers) / sizeof(numbers[0])); i++)
        sqlite3_bind_int64(add, i + 1, numbers[i]);
    bool is_done = sqlite3_step(add) == SQLITE_DONE || rc_sqlite_fail(sqlite, "write", fault);
    sqlite3_reset(add);
    return is_done;
}

bool rc_sqlite_flush_usage(rc_sqlite *sqlite, rc_store_fault *fault)
{
    for (size_t i = 0; i < sqlite->usage_count; i++)
        if (!write_row(sqlite, &sqlite->usage[i], fault))
            return false;
    sqlite->usage_count = 0;
    return true;
}

/* --- reading --- */

static uint64_t number(sqlite3_stmt *row, int column)
{
    return (uint64_t)rc_sqlite_count(row, column);
}

bool rc_sqlite_daily_usage_since(rc_store *store, int64_t from_day, rc_store_daily_usage_each each,
                                 void *ctx, rc_store_fault *fault)
{
    const rc_sqlite *sqlite = (const rc_sqlite *)store;
    static const char sql[] = "SELECT day, (SELECT text FROM names WHERE id = client),"
                              " (SELECT text FROM names WHERE id = route),"
                              " (SELECT text FROM names WHERE id = target),"
                              " (SELECT text FROM names WHERE id = credential),"
                              " attempts, tokens_in, tokens_out, cost_usd_micro"
                              " FROM spend WHERE day >= ?1 ORDER BY day";
    sqlite3_stmt *row = NULL;
    if (!rc_sqlite_prepare(sqlite, sql, &row, fault))
        return false;
    sqlite3_bind_int64(row, 1, from_day);
    int code = sqlite3_step(row);
    for (bool goes_on = true; code == SQLITE_ROW && goes_on;) {
        const rc_store_daily_usage spent = {
            .day = sqlite3_column_int64(row, 0),
            .client = rc_sqlite_text(row, 1),
            .route = rc_sqlite_text(row, 2),
            .target = rc_sqlite_text(row, 3),
            .credential = rc_sqlite_text(row, 4),
            .attempts = number(row, 5),
            .tokens_in = number(row, 6),
            .tokens_out = number(row, 7),
            .cost_usd_micro = number(row, 8),
        };
        goes_on = each(ctx, &spent);
        code = goes_on ? sqlite3_step(row) : SQLITE_DONE;
    }
    if (code != SQLITE_DONE)
        rc_sqlite_fail(sqlite, "read", fault);
    sqlite3_finalize(row);
    return code == SQLITE_DONE;
}
