/* `recourse audit stats`: reads the store and builds the totals and tables. Called by command.c;
 * the output is in stats_show.c. */
#include "cli/audit/stats.h"

#include <stdlib.h>
#include <string.h>

#include <recourse/taxonomy.h>

#include "base/str.h"

#define HOURS_SHOWN 48
#define NOTICES_MAX_BYTES ((size_t)64 << 10)
#define NOTICES_MAX 1000

/* ---- choice of tables ---- */

static void choose_tables(rc_audit_totals *totals)
{
    const rc_audit_query *query = &totals->audit->query;
    static const uint32_t usual[] = {RC_STATS_BY_TARGET, RC_STATS_BY_CODE};
    const bool is_usual = query->group_count == 0;
    const uint32_t *groups = is_usual ? usual : query->groups;
    const size_t count = is_usual ? sizeof(usual) / sizeof(usual[0]) : query->group_count;
    for (size_t i = 0; i < count; i++)
        for (size_t k = 0; rc_audit_kind_at(k) != NULL; k++)
            if (rc_audit_kind_at(k)->by == groups[i])
                totals->tables[totals->table_count++].kind = rc_audit_kind_at(k);
}

/* ---- rows ---- */

static const rc_stats_group *group_of(const rc_stats *stats, const rc_stats_group *like)
{
    for (size_t i = 0; i < stats->count; i++)
        if (stats->groups[i]->by == like->by && stats->groups[i]->key == like->key)
            return stats->groups[i];
    return NULL;
}

static const rc_stats_group *any_of(const rc_audit_row *row)
{
    return row->operations != NULL ? row->operations : row->attempts;
}

/* Returns whether the group gets a row. Code 0 and class 0 stand for operations without a failure
 * and get no row. */
static bool is_row(const rc_stats_group *group, uint32_t by)
{
    const bool is_failure = by == RC_STATS_BY_CODE || by == RC_STATS_BY_CLASS;
    return group->by == by && (!is_failure || group->key != 0);
}

static void add_rows(rc_audit_table *table, const rc_stats *stats, const rc_stats *other,
                     bool is_of_attempts)
{
    for (size_t i = 0; i < stats->count; i++) {
        const rc_stats_group *group = stats->groups[i];
        const rc_stats_group *twin = group_of(other, group);
        if (!is_row(group, table->kind->by) || (is_of_attempts && twin != NULL))
            continue;
        table->rows[table->count++] = (rc_audit_row){
            .operations = is_of_attempts ? NULL : group,
            .attempts = is_of_attempts ? group : twin,
        };
    }
}

static uint64_t weight_of(const rc_audit_row *row)
{
    const uint64_t attempts = row->attempts != NULL ? row->attempts->count : 0;
    const uint64_t operations = row->operations != NULL ? row->operations->count : 0;
    return attempts > operations ? attempts : operations;
}

/* Order of rows: hours by time, other rows by count, descending. The group "others" comes last. */
static int compare(const void *a, const void *b)
{
    const rc_stats_group *left = any_of(a);
    const rc_stats_group *right = any_of(b);
    if (left->is_other != right->is_other)
        return left->is_other ? 1 : -1;
    if (left->by == RC_STATS_BY_HOUR)
        return left->key < right->key ? -1 : 1;
    const uint64_t weight[] = {weight_of(a), weight_of(b)};
    if (weight[0] != weight[1])
        return weight[0] > weight[1] ? -1 : 1;
    return left->key < right->key ? -1 : left->key > right->key;
}

static bool make_rows(rc_audit_totals *totals, rc_audit_table *table)
{
    const rc_alloc *alloc = &totals->audit->cli->alloc;
    const uint32_t limit =
        totals->audit->args->values[RC_AUDIT_LIMIT] == NULL && table->kind->by == RC_STATS_BY_HOUR
            ? HOURS_SHOWN
            : totals->audit->limit;
    table->rows = alloc->get(alloc->ctx, 2 * RC_STATS_GROUPS_MAX * sizeof(*table->rows));
    if (table->rows == NULL)
        return false;
    add_rows(table, &totals->survey.operations, &totals->survey.attempts, false);
    add_rows(table, &totals->survey.attempts, &totals->survey.operations, true);
    qsort(table->rows, table->count, sizeof(*table->rows), compare);
    const size_t left_out = table->count > limit ? table->count - limit : 0;
    table->shown = table->count - left_out;
    /* Rows of hours are sorted by time, so the latest are at the end. */
    if (table->kind->by == RC_STATS_BY_HOUR && left_out > 0)
        memmove(table->rows, table->rows + left_out, table->shown * sizeof(*table->rows));
    return true;
}

void rc_audit_push_row_name(const rc_audit_totals *totals, const rc_audit_table *table, rc_buf *buf,
                            const rc_audit_row *row)
{
    const rc_stats_group *group = any_of(row);
    const char *name = group->label;
    if (group->is_other)
        name = "(others)";
    else if (table->kind->by == RC_STATS_BY_CODE)
        name = rc_code_name((rc_code)group->key);
    else if (table->kind->by == RC_STATS_BY_CLASS)
        name = rc_class_name((rc_error_class)group->key);
    if (table->kind->by == RC_STATS_BY_HOUR && !group->is_other) {
        rc_audit_push_hour(totals->audit, buf, group->key);
        return;
    }
    rc_cli_text(buf, name[0] != '\0' ? name : "(none)");
}

/* ---- notices ---- */

typedef struct noticing {
    rc_audit_totals *totals;
    int64_t unix_ms;
} noticing;

static bool note_text(void *ctx, const rc_record *record)
{
    const noticing *n = ctx;
    rc_buf *lines = &n->totals->notices;
    rc_audit_push_date_time(n->totals->audit, lines, n->unix_ms);
    rc_cli_text(lines, ": ");
    rc_audit_push_flat(lines, record->target);
    rc_cli_text(lines, record->target.len > 0 && record->text.len > 0 ? ": " : "");
    rc_audit_push_flat(lines, record->text);
    rc_buf_push_byte(lines, '\n');
    return false;
}

static bool note(void *ctx, const rc_record *notice)
{
    rc_audit_totals *totals = ctx;
    rc_store_fault fault;
    noticing n = {.totals = totals, .unix_ms = rc_audit_began_unix_ms(notice)};
    if (totals->notice_count++ < RC_AUDIT_NOTICES_SHOWN &&
        !rc_store_timeline(totals->audit->store, notice->operation_id, note_text, &n, &fault))
        rc_audit_note_fault(totals->audit, &fault);
    rc_audit_note_memory(totals->audit, rc_buf_status(&totals->notices) == RC_OK);
    return true;
}

static bool read_notices(rc_audit_totals *totals, rc_store_fault *fault)
{
    const rc_store_query query = {
        .filter = {.from_unix_ms = totals->from_unix_ms,
                   .until_unix_ms = totals->until_unix_ms,
                   .has_outcome = true,
                   .outcome = RC_OUTCOME_NOTICE},
        .limit = NOTICES_MAX,
    };
    return rc_store_list(totals->audit->store, &query, note, totals, fault);
}

/* ---- all steps ---- */

static uint32_t all_kinds(const rc_audit_totals *totals, bool is_of_attempts)
{
    const uint32_t of_both = RC_STATS_BY_CODE | RC_STATS_BY_CLASS;
    uint32_t by = 0;
    for (size_t i = 0; i < totals->table_count; i++)
        by |= totals->tables[i].kind->by;
    if (is_of_attempts)
        return by & (of_both | RC_STATS_BY_TARGET);
    return by & ~RC_STATS_BY_TARGET;
}

static bool survey(rc_audit_totals *totals, rc_store_fault *fault)
{
    rc_audit *audit = totals->audit;
    rc_audit_progress progress;
    rc_audit_progress_begin(&progress, audit, &totals->survey.operations);
    const bool is_good = rc_audit_survey_run(&totals->survey, audit->store, &audit->query, fault);
    rc_audit_progress_end(&progress);
    return is_good;
}

static bool add_up(rc_audit_totals *totals, rc_store_fault *fault)
{
    if (!rc_audit_survey_init(&totals->survey, all_kinds(totals, false), all_kinds(totals, true),
                              &totals->audit->cli->alloc))
        return rc_store_fault_set(fault, RC_STORE_NO_MEMORY, "add up", NULL, NULL);
    if (!survey(totals, fault) || !read_notices(totals, fault))
        return false;
    for (size_t i = 0; i < totals->table_count; i++)
        if (!make_rows(totals, &totals->tables[i]))
            return rc_store_fault_set(fault, RC_STORE_NO_MEMORY, "add up", NULL, NULL);
    return true;
}

static bool show(rc_audit_totals *totals, rc_store_fault *fault)
{
    rc_status status = RC_OK;
    if (totals->audit->format == RC_AUDIT_JSON)
        rc_audit_stats_json(totals);
    else if (totals->audit->format == RC_AUDIT_MARKDOWN)
        rc_audit_stats_markdown(totals);
    else
        status = rc_audit_stats_human(totals);
    return status == RC_OK || rc_store_fault_set(fault, RC_STORE_NO_MEMORY, "show", NULL, NULL);
}

static void finish(rc_audit_totals *totals)
{
    const rc_alloc *alloc = &totals->audit->cli->alloc;
    for (size_t i = 0; i < totals->table_count; i++)
        if (totals->tables[i].rows != NULL)
            alloc->put(alloc->ctx, totals->tables[i].rows,
                       2 * RC_STATS_GROUPS_MAX * sizeof(rc_audit_row));
    rc_audit_survey_done(&totals->survey);
    rc_buf_done(&totals->notices);
}

static int run(rc_audit_totals *totals)
{
    rc_store_fault fault;
    rc_buf_init(&totals->notices, &totals->audit->cli->alloc, NOTICES_MAX_BYTES);
    const bool is_good = add_up(totals, &fault) && show(totals, &fault);
    if (is_good && totals->survey.operations.total->count == 0)
        rc_audit_suggest_names(totals->audit);
    finish(totals);
    return is_good ? RC_EXIT_OK : rc_audit_refuse(totals->audit, &fault);
}

int rc_audit_stats(rc_audit *audit)
{
    const rc_alloc *alloc = &audit->cli->alloc;
    rc_audit_totals *totals = alloc->get(alloc->ctx, sizeof(*totals));
    rc_store_fault fault;
    if (totals == NULL) {
        rc_store_fault_set(&fault, RC_STORE_NO_MEMORY, "add up", NULL, NULL);
        return rc_audit_refuse(audit, &fault);
    }
    memset(totals, 0, sizeof(*totals));
    totals->audit = audit;
    totals->from_unix_ms = audit->query.select.filter.from_unix_ms;
    totals->until_unix_ms = audit->query.select.filter.until_unix_ms;
    choose_tables(totals);
    const int result = run(totals);
    alloc->put(alloc->ctx, totals, sizeof(*totals));
    return result;
}
