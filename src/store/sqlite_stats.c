/* Statistics: one pass over a range of keys, added up in memory. Groups made by SQL would be
 * sorted first. */
#include "store/sqlite_private.h"

#define SQL_MAX 2048

/* Of operations and records alike; client and outcome stand before them. */
#define COLUMNS                                                                      \
    ".code, t.error_class, t.target, t.model, t.attempt, t.latency_ms, t.tokens_in," \
    " t.tokens_out, t.cost_usd_micro"

static const char operations_sql[] =
    "SELECT t.op, t.outcome, t.client, t" COLUMNS " FROM operations t WHERE%s";

/* The names are such that both can be filtered by the same conditions. */
static const char attempts_sql[] =
    "SELECT t.op, 0, 0, t" COLUMNS " FROM records t WHERE%s AND t.kind = %d";
static const char joined_sql[] =
    "SELECT o.op, 0, o.client, t" COLUMNS
    " FROM (SELECT t.op, t.client FROM operations t WHERE%s) o CROSS JOIN records t ON t.op = o.op"
    " WHERE t.kind = %d";

static rc_outcome attempt_outcome(int64_t code, int64_t error_class)
{
    if (code == RC_CODE_NONE)
        return RC_OUTCOME_SUCCEEDED;
    return error_class == RC_CLASS_CANCELLATION ? RC_OUTCOME_CANCELLED : RC_OUTCOME_FAILED;
}

static rc_stats_sample read_sample(sqlite3_stmt *row, bool is_attempt)
{
    bool has_latency = sqlite3_column_type(row, 8) != SQLITE_NULL;
    rc_stats_sample sample = {
        .unix_ms = rc_sqlite_key_time(sqlite3_column_int64(row, 0)),
        .outcome = (rc_outcome)sqlite3_column_int(row, 1),
        .client = sqlite3_column_int64(row, 2),
        .code = sqlite3_column_int64(row, 3),
        .error_class = sqlite3_column_int64(row, 4),
        .target = sqlite3_column_int64(row, 5),
        .model = sqlite3_column_int64(row, 6),
        .attempts = is_attempt ? 1 : (uint64_t)sqlite3_column_int64(row, 7),
        .latency_ms = has_latency ? sqlite3_column_int64(row, 8) : -1,
        .tokens_in = (uint64_t)sqlite3_column_int64(row, 9),
        .tokens_out = (uint64_t)sqlite3_column_int64(row, 10),
        .cost_usd_micro = (uint64_t)sqlite3_column_int64(row, 11),
    };
    if (is_attempt)
        sample.outcome = attempt_outcome(sample.code, sample.error_class);
    return sample;
}

static bool add_rows(const rc_sqlite *sqlite, sqlite3_stmt *row, rc_stats *stats,
                     rc_store_fault *fault)
{
    int code = SQLITE_DONE;
    while ((code = sqlite3_step(row)) == SQLITE_ROW) {
        const rc_stats_sample sample = read_sample(row, stats->is_of_attempts);
        if (rc_stats_add(stats, &sample) != RC_OK)
            return rc_store_fault_set(fault, RC_STORE_NO_MEMORY, "read", sqlite->path, NULL);
    }
    return code == SQLITE_DONE || rc_sqlite_fail(sqlite, "read", fault);
}

static bool label_groups(const rc_sqlite *sqlite, const rc_stats *stats, rc_store_fault *fault)
{
    const uint32_t named = RC_STATS_BY_TARGET | RC_STATS_BY_CLIENT | RC_STATS_BY_MODEL;
    sqlite3_stmt *find = NULL;
    if (!rc_sqlite_prepare(sqlite, "SELECT text FROM names WHERE id = ?1", &find, fault))
        return false;
    for (size_t i = 0; i < stats->count; i++) {
        rc_stats_group *group = stats->groups[i];
        sqlite3_bind_int64(find, 1, group->key);
        if ((group->by & named) != 0 && sqlite3_step(find) == SQLITE_ROW)
            sqlite3_snprintf(sizeof(group->label), group->label, "%s",
                             (const char *)sqlite3_column_text(find, 0));
        sqlite3_reset(find);
    }
    sqlite3_finalize(find);
    return true;
}

/* Can the attempts be chosen by their time alone, without looking at their operations? */
static bool is_by_time_alone(const rc_store_filter *filter, const rc_stats *stats)
{
    return filter->client.len == 0 && filter->model.len == 0 && filter->code == RC_CODE_NONE &&
           filter->report_id.len == 0 && !filter->has_outcome &&
           (stats->by & RC_STATS_BY_CLIENT) == 0;
}

static bool write_sql(const rc_sqlite *sqlite, const rc_store_filter *filter, const rc_stats *stats,
                      char sql[SQL_MAX], rc_store_fault *fault)
{
    char where[RC_SQLITE_WHERE_MAX];
    if (stats->is_of_attempts && is_by_time_alone(filter, stats)) {
        rc_sqlite_where_time(filter, where);
        sqlite3_snprintf(SQL_MAX, sql, attempts_sql, where, (int)RC_RECORD_ATTEMPT);
        return true;
    }
    if (!rc_sqlite_where(sqlite, filter, where, fault))
        return false;
    if (stats->is_of_attempts)
        sqlite3_snprintf(SQL_MAX, sql, joined_sql, where, (int)RC_RECORD_ATTEMPT);
    else
        sqlite3_snprintf(SQL_MAX, sql, operations_sql, where);
    return true;
}

bool rc_sqlite_stats(rc_store *store, const rc_store_filter *filter, rc_stats *stats,
                     rc_store_fault *fault)
{
    const rc_sqlite *sqlite = (const rc_sqlite *)store;
    sqlite3_stmt *row = NULL;
    char sql[SQL_MAX];
    if (!write_sql(sqlite, filter, stats, sql, fault) ||
        !rc_sqlite_prepare(sqlite, sql, &row, fault))
        return false;
    rc_sqlite_bind_filter(row, filter);
    bool is_good = add_rows(sqlite, row, stats, fault) && label_groups(sqlite, stats, fault);
    sqlite3_finalize(row);
    return is_good;
}
