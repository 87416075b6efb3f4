/* Computes statistics: reads a range of keys once and adds up the rows in memory, because grouping
 * in SQL would sort the rows first. Called through rc_store_calls.
 *
 * Operations and their attempts are stored in the same order. If all operations of a time range are
 * selected, both tables are read in parallel, like a merge join; otherwise the attempts of each
 * operation are looked up. */
#include "store/sqlite/private.h"

#define SQL_MAX 3072

typedef struct pass {
    const rc_sqlite *sqlite;
    rc_stats *operations; /* Sums of the operations. NULL if they are not computed. */
    rc_stats *attempts;   /* Sums of the attempts. NULL if they are not computed. */
    sqlite3_stmt *operation;
    sqlite3_stmt *attempt;
    bool is_side_by_side; /* One statement for the whole range reads the attempts in parallel with
                           * the operations. */
    bool has_attempt;     /* Used only if is_side_by_side: the current row of the statement
                           * `attempt` was not used yet. */
} pass;

/* A row of `operations` or `steps`. */
typedef struct row {
    int64_t key;
    rc_outcome outcome; /* Outcome of the operation. The outcome of an attempt is derived from the
                           attempt's code. */
    int64_t code;
    int64_t error_class;
    int64_t target;
    int64_t client;
    int64_t model;
    int64_t route;
    uint64_t attempts;
    int64_t latency_ms;
    int64_t first_byte_ms;
    uint64_t tokens_in;
    uint64_t tokens_out;
    uint64_t cost_usd_micro;
    bool is_estimated; /* The tokens of the attempt, or of at least one attempt of the operation,
                          are estimates. */
    bool is_unpriced;
    /* True if the operation's row contains the operation's only attempt. If true, the `try_`
     * members are set, too. */
    bool has_only_attempt;
    int64_t try_model;
    int64_t try_latency_ms;
    int64_t try_first_byte_ms;
} row;

/* Facts about an operation that come from its attempts. */
typedef struct attempt_sums {
    bool has_failed; /* At least one attempt failed. */
    uint64_t estimated_usd_micro;
} attempt_sums;

/* --- rows --- */

/* The columns that operations and attempts have in common. Members of `row` without a column are
 * 0. */
#define COLUMNS                                                              \
    ", t.code, t.error_class, t.target, t.model, t.latency_ms, t.tokens_in," \
    " t.tokens_out, t.cost_usd_micro, t.first_byte_ms, t.flags"
static const char operations_sql[] =
    "SELECT t.op" COLUMNS ", t.outcome, t.client, t.attempt, %s, %s FROM %s WHERE%s ORDER BY %s";
#define ATTEMPT_COLUMNS "t.try_model, t.try_latency_ms, t.try_first_byte_ms"
#define NO_ATTEMPT_COLUMNS "NULL, NULL, NULL"
static const char side_by_side_sql[] =
    "SELECT t.op" COLUMNS " FROM steps t WHERE%s AND t.kind = %d ORDER BY t.op, t.seq";
static const char lookup_sql[] =
    "SELECT t.op" COLUMNS " FROM steps t WHERE t.op = ?1 AND t.kind = %d";

static void read_columns(sqlite3_stmt *statement, row *ret_row)
{
    *ret_row = (row){
        .key = sqlite3_column_int64(statement, 0),
        .code = sqlite3_column_int64(statement, 1),
        .error_class = sqlite3_column_int64(statement, 2),
        .target = sqlite3_column_int64(statement, 3),
        .model = sqlite3_column_int64(statement, 4),
        .latency_ms = rc_sqlite_optional(statement, 5),
        .tokens_in = (uint64_t)rc_sqlite_count(statement, 6),
        .tokens_out = (uint64_t)rc_sqlite_count(statement, 7),
        .cost_usd_micro = (uint64_t)rc_sqlite_count(statement, 8),
        .first_byte_ms = rc_sqlite_optional(statement, 9),
        .is_estimated = (sqlite3_column_int64(statement, 10) & RC_RECORD_ESTIMATED) != 0,
        .is_unpriced = (sqlite3_column_int64(statement, 10) & RC_RECORD_UNPRICED) != 0,
    };
}

static void read_operation(sqlite3_stmt *statement, row *ret_row)
{
    read_columns(statement, ret_row);
    ret_row->outcome = (rc_outcome)sqlite3_column_int(statement, 11);
    ret_row->client = sqlite3_column_int64(statement, 12);
    ret_row->attempts = (uint64_t)rc_sqlite_count(statement, 13);
    ret_row->route = sqlite3_column_int64(statement, 14);
    ret_row->has_only_attempt = sqlite3_column_type(statement, 15) != SQLITE_NULL;
    if (!ret_row->has_only_attempt)
        return;
    ret_row->try_model = sqlite3_column_int64(statement, 15);
    ret_row->try_latency_ms = rc_sqlite_optional(statement, 16);
    ret_row->try_first_byte_ms = rc_sqlite_optional(statement, 17);
}

static void read_attempt(sqlite3_stmt *statement, const row *operation, row *ret_row)
{
    read_columns(statement, ret_row);
    ret_row->client = operation->client;
    ret_row->route = operation->route;
    ret_row->attempts = 1;
    ret_row->outcome =
        rc_record_attempt_outcome((rc_code)ret_row->code, (rc_error_class)ret_row->error_class,
                                  operation->outcome, ret_row->target == operation->target);
}

/* Returns the attempt that is stored in its operation's row. */
static row only_attempt(const row *operation)
{
    row attempt = *operation;
    attempt.code = RC_CODE_NONE;
    attempt.error_class = RC_CLASS_NONE;
    attempt.model = operation->try_model;
    attempt.latency_ms = operation->try_latency_ms;
    attempt.first_byte_ms = operation->try_first_byte_ms;
    attempt.attempts = 1;
    attempt.outcome =
        rc_record_attempt_outcome(RC_CODE_NONE, RC_CLASS_NONE, operation->outcome, true);
    return attempt;
}

static rc_stats_sample sample_of(const row *from)
{
    return (rc_stats_sample){
        .unix_ms = rc_sqlite_key_time(from->key),
        .outcome = from->outcome,
        .code = from->code,
        .error_class = from->error_class,
        .target = from->target,
        .client = from->client,
        .model = from->model,
        .route = from->route,
        .attempts = from->attempts,
        .latency_ms = from->latency_ms,
        .first_byte_ms = from->first_byte_ms,
        .tokens_in = from->tokens_in,
        .tokens_out = from->tokens_out,
        .cost_usd_micro = from->cost_usd_micro,
        .estimated_usd_micro = from->is_estimated ? from->cost_usd_micro : 0,
        .is_unpriced = from->is_unpriced,
        .is_estimated = from->is_estimated,
    };
}

/* --- adding up --- */

static bool no_memory(const pass *w, rc_store_fault *fault)
{
    return rc_store_fault_set(fault, RC_STORE_NO_MEMORY, "read", w->sqlite->path, NULL);
}

static bool count_attempt(const pass *w, const row *operation, const row *attempt,
                          rc_store_fault *fault)
{
    if (w->attempts == NULL)
        return true;
    rc_stats_sample sample = sample_of(attempt);
    const bool is_good = operation->outcome == RC_OUTCOME_SUCCEEDED;
    sample.wasted = attempt->outcome != RC_OUTCOME_SUCCEEDED || !is_good ? 1 : 0;
    sample.has_recovered = attempt->outcome == RC_OUTCOME_FAILED && is_good;
    return rc_stats_add(w->attempts, &sample) == RC_OK || no_memory(w, fault);
}

static bool add_attempt(const pass *w, const row *operation, attempt_sums *found,
                        rc_store_fault *fault)
{
    row attempt;
    read_attempt(w->attempt, operation, &attempt);
    found->has_failed = found->has_failed || attempt.outcome == RC_OUTCOME_FAILED;
    found->estimated_usd_micro += attempt.is_estimated ? attempt.cost_usd_micro : 0;
    return count_attempt(w, operation, &attempt, fault);
}

static bool add_only(const pass *w, const row *operation, rc_store_fault *fault)
{
    const row attempt = only_attempt(operation);
    return count_attempt(w, operation, &attempt, fault);
}

static bool add_operation(const pass *w, const row *operation, const attempt_sums *found,
                          rc_store_fault *fault)
{
    if (w->operations == NULL)
        return true;
    rc_stats_sample sample = sample_of(operation);
    const bool is_good = operation->outcome == RC_OUTCOME_SUCCEEDED;
    sample.wasted = operation->attempts - (is_good && operation->attempts > 0 ? 1 : 0);
    sample.has_recovered = is_good && found->has_failed;
    /* If an operation has several attempts, some of them may be measured, so the cost of the
     * estimated attempts was added up. */
    if (operation->attempts > 1)
        sample.estimated_usd_micro = found->estimated_usd_micro;
    sample.has_faltered = sample.has_recovered ||
                          (operation->outcome == RC_OUTCOME_FAILED && operation->attempts > 0);
    return rc_stats_add(w->operations, &sample) == RC_OK || no_memory(w, fault);
}

/* ---- reading the rows once ---- */

static bool is_on_row(const pass *w, int code, bool *ret_has_row, rc_store_fault *fault)
{
    *ret_has_row = code == SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE || rc_sqlite_fail(w->sqlite, "read", fault);
}

/* Adds the attempts of an operation, beginning at the current row of the statement `attempt`.
 * Attempts with lower keys are skipped, because their operations are not selected. */
static bool add_side_by_side(pass *w, const row *operation, attempt_sums *found,
                             rc_store_fault *fault)
{
    while (w->has_attempt) {
        const int64_t key = sqlite3_column_int64(w->attempt, 0);
        if (key > operation->key)
            return true;
        if (key == operation->key && !add_attempt(w, operation, found, fault))
            return false;
        if (!is_on_row(w, sqlite3_step(w->attempt), &w->has_attempt, fault))
            return false;
    }
    return true;
}

static bool add_by_lookup(const pass *w, const row *operation, attempt_sums *found,
                          rc_store_fault *fault)
{
    bool has_row = false;
    sqlite3_bind_int64(w->attempt, 1, operation->key);
    bool is_good = is_on_row(w, sqlite3_step(w->attempt), &has_row, fault);
    while (is_good && has_row)
        is_good = add_attempt(w, operation, found, fault) &&
                  is_on_row(w, sqlite3_step(w->attempt), &has_row, fault);
    sqlite3_reset(w->attempt);
    return is_good;
}

/* Returns whether the attempts of an operation must be read. The operation's row does not show
 * whether one of several attempts failed before a success, or which of several attempts were
 * estimated. */
static bool needs_attempts(const pass *w, const row *operation)
{
    return w->attempts != NULL ||
           (operation->attempts > 1 &&
            (operation->outcome == RC_OUTCOME_SUCCEEDED || operation->is_estimated));
}

static bool run(pass *w, rc_store_fault *fault)
{
    bool has_row = false;
    if (w->is_side_by_side && !is_on_row(w, sqlite3_step(w->attempt), &w->has_attempt, fault))
        return false;
    for (;;) {
        if (!is_on_row(w, sqlite3_step(w->operation), &has_row, fault))
            return false;
        if (!has_row)
            return true;
        row operation;
        attempt_sums found = {0};
        read_operation(w->operation, &operation);
        if (operation.has_only_attempt && !add_only(w, &operation, fault))
            return false;
        if (w->is_side_by_side && !add_side_by_side(w, &operation, &found, fault))
            return false;
        if (!w->is_side_by_side && !operation.has_only_attempt && needs_attempts(w, &operation) &&
            !add_by_lookup(w, &operation, &found, fault))
            return false;
        if (!add_operation(w, &operation, &found, fault))
            return false;
    }
}

/* --- names --- */

static bool label_groups(const rc_sqlite *sqlite, const rc_stats *stats, rc_store_fault *fault)
{
    const uint32_t named =
        RC_STATS_BY_TARGET | RC_STATS_BY_CLIENT | RC_STATS_BY_MODEL | RC_STATS_BY_ROUTE;
    sqlite3_stmt *find = NULL;
    if (stats == NULL)
        return true;
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

/* --- the query --- */

static bool is_by_time_alone(const rc_store_filter *filter)
{
    return filter->client.len == 0 && filter->model.len == 0 && filter->route.len == 0 &&
           filter->target.len == 0 && filter->code == RC_CODE_NONE &&
           filter->error_class == RC_CLASS_NONE && filter->report_id.len == 0 &&
           !filter->has_outcome && !filter->is_recovered && filter->ended_unix_ms == 0;
}

static bool prepare(pass *w, const rc_store_filter *filter, rc_store_fault *fault)
{
    rc_sqlite_choice choice;
    char where[RC_SQLITE_WHERE_MAX];
    char sql[SQL_MAX];
    const uint32_t by = (w->operations != NULL ? w->operations->by : 0) |
                        (w->attempts != NULL ? w->attempts->by : 0);
    if (!rc_sqlite_choose(w->sqlite, filter, &choice, fault))
        return false;
    /* Columns at the end of a row take time to decode, so they are read only if they are needed. */
    sqlite3_snprintf(sizeof(sql), sql, operations_sql,
                     (by & RC_STATS_BY_ROUTE) != 0 ? "t.route" : "0",
                     w->attempts != NULL ? ATTEMPT_COLUMNS : NO_ATTEMPT_COLUMNS, choice.from,
                     choice.where, choice.rising);
    if (!rc_sqlite_prepare(w->sqlite, sql, &w->operation, fault))
        return false;
    rc_sqlite_bind_filter(w->operation, filter);
    w->is_side_by_side = w->attempts != NULL && is_by_time_alone(filter);
    rc_sqlite_where_time(filter, where);
    if (w->is_side_by_side)
        sqlite3_snprintf(sizeof(sql), sql, side_by_side_sql, where, (int)RC_RECORD_ATTEMPT);
    else
        sqlite3_snprintf(sizeof(sql), sql, lookup_sql, (int)RC_RECORD_ATTEMPT);
    return rc_sqlite_prepare(w->sqlite, sql, &w->attempt, fault);
}

bool rc_sqlite_survey(rc_store *store, const rc_store_filter *filter, rc_stats *operations,
                      rc_stats *attempts, rc_store_fault *fault)
{
    const rc_sqlite *sqlite = (const rc_sqlite *)store;
    pass w = {.sqlite = sqlite, .operations = operations, .attempts = attempts};
    rc_store_fault ignored;
    /* All reads are in one transaction, so that they see the same snapshot of the database. */
    if (!rc_sqlite_run(sqlite, "BEGIN", "read", fault))
        return false;
    bool is_good = prepare(&w, filter, fault) && run(&w, fault) &&
                   label_groups(sqlite, operations, fault) && label_groups(sqlite, attempts, fault);
    sqlite3_finalize(w.operation);
    sqlite3_finalize(w.attempt);
    rc_sqlite_run(sqlite, "COMMIT", "read", &ignored);
    return is_good;
}
