/* Columns of the tables of `audit stats`, and the lines above them. Called by stats.c,
 * stats_show.c, filter.c and tools/gen_completions.c. */
#include <recourse/taxonomy.h>

#include "cli/audit/stats.h"

static const rc_stats_group nothing;

static const rc_stats_group *operations_of(const rc_audit_row *row)
{
    return row->operations != NULL ? row->operations : &nothing;
}

static const rc_stats_group *attempts_of(const rc_audit_row *row)
{
    return row->attempts != NULL ? row->attempts : &nothing;
}

void rc_audit_push_quantile(rc_buf *buf, const rc_histogram *histogram, uint32_t permille)
{
    rc_audit_push_ms(buf,
                     histogram->count > 0 ? (int64_t)rc_histogram_at(histogram, permille) : -1);
}

static void push_tokens(rc_buf *buf, const rc_stats_group *group)
{
    rc_audit_push_count(buf, group->tokens_in + group->tokens_out);
}

/* Appends "$1.20"; "no price"; or "$1.20+" if some of the calls have no price. */
static void push_money(rc_buf *buf, const rc_stats_group *group)
{
    if (group->unpriced > 0 && group->cost_usd_micro == 0) {
        rc_cli_text(buf, "no price");
        return;
    }
    rc_audit_push_cost(buf, group->cost_usd_micro, group->estimated > 0);
    rc_cli_text(buf, group->unpriced > 0 ? "+" : "");
}

/* ---- columns of the table by target, from attempts ---- */

static void push_calls(rc_buf *buf, const rc_audit_row *row)
{
    rc_audit_push_count(buf, attempts_of(row)->count);
}

static void push_calls_failed(rc_buf *buf, const rc_audit_row *row)
{
    rc_audit_push_share(buf, attempts_of(row)->failed, attempts_of(row)->count);
}

static void push_calls_wasted(rc_buf *buf, const rc_audit_row *row)
{
    rc_audit_push_count(buf, attempts_of(row)->wasted);
}

static void push_calls_p50(rc_buf *buf, const rc_audit_row *row)
{
    rc_audit_push_quantile(buf, &attempts_of(row)->latency, 500);
}

static void push_calls_p99(rc_buf *buf, const rc_audit_row *row)
{
    rc_audit_push_quantile(buf, &attempts_of(row)->latency, 990);
}

static void push_calls_first_p50(rc_buf *buf, const rc_audit_row *row)
{
    rc_audit_push_quantile(buf, &attempts_of(row)->first_byte, 500);
}

static void push_calls_first_p99(rc_buf *buf, const rc_audit_row *row)
{
    rc_audit_push_quantile(buf, &attempts_of(row)->first_byte, 990);
}

static void push_calls_tokens(rc_buf *buf, const rc_audit_row *row)
{
    push_tokens(buf, attempts_of(row));
}

static void push_calls_cost(rc_buf *buf, const rc_audit_row *row)
{
    push_money(buf, attempts_of(row));
}

static const rc_audit_measure of_attempts[] = {
    {"calls", 0, push_calls},
    {"failed", 0, push_calls_failed},
    {"wasted", 4, push_calls_wasted},
    {"p50", 0, push_calls_p50},
    {"p99", 1, push_calls_p99},
    {"first p50", 5, push_calls_first_p50},
    {"first p99", 6, push_calls_first_p99},
    {"tokens", 3, push_calls_tokens},
    {"cost", 2, push_calls_cost},
};

/* ---- columns of the tables by code and by class, from both ---- */

static void push_met(rc_buf *buf, const rc_audit_row *row)
{
    rc_audit_push_count(buf, attempts_of(row)->count);
}

static void push_met_recovered(rc_buf *buf, const rc_audit_row *row)
{
    rc_audit_push_share(buf, attempts_of(row)->recovered, attempts_of(row)->failed);
}

static void push_ended(rc_buf *buf, const rc_audit_row *row)
{
    rc_audit_push_count(buf, operations_of(row)->count);
}

static const rc_audit_measure of_failures[] = {
    {"attempts", 0, push_met},
    {"recovered", 2, push_met_recovered},
    {"ended with it", 1, push_ended},
};

/* ---- columns of the other tables, from operations ---- */

static void push_count(rc_buf *buf, const rc_audit_row *row)
{
    rc_audit_push_count(buf, operations_of(row)->count);
}

static void push_failed(rc_buf *buf, const rc_audit_row *row)
{
    rc_audit_push_share(buf, operations_of(row)->failed, operations_of(row)->count);
}

static void push_recovered(rc_buf *buf, const rc_audit_row *row)
{
    rc_audit_push_share(buf, operations_of(row)->recovered, operations_of(row)->faltered);
}

static void push_wasted(rc_buf *buf, const rc_audit_row *row)
{
    rc_audit_push_count(buf, operations_of(row)->wasted);
}

static void push_p50(rc_buf *buf, const rc_audit_row *row)
{
    rc_audit_push_quantile(buf, &operations_of(row)->latency, 500);
}

static void push_p99(rc_buf *buf, const rc_audit_row *row)
{
    rc_audit_push_quantile(buf, &operations_of(row)->latency, 990);
}

static void push_first_p50(rc_buf *buf, const rc_audit_row *row)
{
    rc_audit_push_quantile(buf, &operations_of(row)->first_byte, 500);
}

static void push_first_p99(rc_buf *buf, const rc_audit_row *row)
{
    rc_audit_push_quantile(buf, &operations_of(row)->first_byte, 990);
}

static void push_all_tokens(rc_buf *buf, const rc_audit_row *row)
{
    push_tokens(buf, operations_of(row));
}

static void push_cost(rc_buf *buf, const rc_audit_row *row)
{
    push_money(buf, operations_of(row));
}

static const rc_audit_measure of_operations[] = {
    {"operations", 0, push_count},
    {"failed", 0, push_failed},
    {"recovered", 3, push_recovered},
    {"wasted", 5, push_wasted},
    {"p50", 0, push_p50},
    {"p99", 1, push_p99},
    {"first p50", 6, push_first_p50},
    {"first p99", 7, push_first_p99},
    {"tokens", 4, push_all_tokens},
    {"cost", 2, push_cost},
};

#define MEASURES(list) (list), sizeof(list) / sizeof((list)[0])

static const rc_audit_kind kinds[RC_AUDIT_KINDS] = {
    {RC_STATS_BY_TARGET, "target", "attempts", MEASURES(of_attempts)},
    {RC_STATS_BY_CODE, "code", "failures", MEASURES(of_failures)},
    {RC_STATS_BY_CLASS, "class", "failures", MEASURES(of_failures)},
    {RC_STATS_BY_HOUR, "hour", "operations", MEASURES(of_operations)},
    {RC_STATS_BY_CLIENT, "client", "operations", MEASURES(of_operations)},
    {RC_STATS_BY_ROUTE, "route", "operations", MEASURES(of_operations)},
    {RC_STATS_BY_MODEL, "model", "operations", MEASURES(of_operations)},
};

const rc_audit_kind *rc_audit_kind_at(size_t index)
{
    return index < RC_AUDIT_KINDS ? &kinds[index] : NULL;
}

/* ---- lines above the tables ---- */

static void push_part(rc_buf *buf, uint64_t part, uint64_t whole, const char *label)
{
    if (part == 0)
        return;
    rc_cli_text(buf, ", ");
    rc_audit_push_share(buf, part, whole);
    rc_buf_push_byte(buf, ' ');
    rc_cli_text(buf, label);
}

static void push_operations(rc_buf *buf, const rc_audit_totals *totals)
{
    const rc_stats_group *total = totals->survey.operations.total;
    rc_audit_push_count(buf, total->count);
    rc_cli_text(buf, ": ");
    rc_audit_push_share(buf, total->succeeded, total->count);
    rc_cli_text(buf, " succeeded");
    push_part(buf, total->failed, total->count, "failed");
    push_part(buf, total->cancelled, total->count, "cancelled");
    push_part(buf, total->open, total->count, "open");
}

static void push_recovery(rc_buf *buf, const rc_audit_totals *totals)
{
    const rc_stats_group *total = totals->survey.operations.total;
    if (total->faltered == 0) {
        rc_cli_text(buf, total->failed > 0
                             ? "no attempt failed: the failed requests were refused before "
                               "any attempt"
                             : "nothing failed");
        return;
    }
    rc_audit_push_share(buf, total->recovered, total->faltered);
    rc_cli_text(buf, ": ");
    rc_audit_push_count(buf, total->recovered);
    rc_cli_text(buf, " of the ");
    rc_audit_push_count(buf, total->faltered);
    rc_cli_text(buf, " with a failed attempt succeeded");
}

static void push_attempts(rc_buf *buf, const rc_audit_totals *totals)
{
    const rc_stats_group *total = totals->survey.attempts.total;
    rc_audit_push_count(buf, total->count);
    rc_cli_text(buf, "; wasted ");
    rc_audit_push_count(buf, total->wasted);
    rc_cli_text(buf, " (");
    rc_audit_push_share(buf, total->wasted, total->count);
    rc_cli_text(buf, "): their responses reached no client");
}

static void push_quantiles(rc_buf *buf, const rc_histogram *histogram)
{
    if (histogram->count == 0) {
        rc_cli_text(buf, "unknown");
        return;
    }
    rc_cli_text(buf, "p50 ");
    rc_audit_push_quantile(buf, histogram, 500);
    rc_cli_text(buf, ", p99 ");
    rc_audit_push_quantile(buf, histogram, 990);
    rc_cli_text(buf, ", at most ");
    rc_audit_push_quantile(buf, histogram, 1000);
}

static void push_took(rc_buf *buf, const rc_audit_totals *totals)
{
    push_quantiles(buf, &totals->survey.operations.total->latency);
}

static void push_first_byte(rc_buf *buf, const rc_audit_totals *totals)
{
    push_quantiles(buf, &totals->survey.operations.total->first_byte);
}

/* Adds up attempts instead of operations, because failed attempts cost money, too. */
static void push_spent(rc_buf *buf, const rc_audit_totals *totals)
{
    const rc_stats_group *total = totals->survey.attempts.total;
    rc_audit_push_cost(buf, total->cost_usd_micro, total->estimated > 0);
    rc_cli_text(buf, " for ");
    rc_audit_push_count(buf, total->tokens_in);
    rc_cli_text(buf, " tokens in, ");
    rc_audit_push_count(buf, total->tokens_out);
    rc_cli_text(buf, " out");
    if (total->estimated > 0) {
        rc_cli_text(buf, "; estimated (~): ");
        rc_audit_push_usd(buf, total->estimated_usd_micro);
        rc_cli_text(buf, ", ");
        rc_audit_push_counted(buf, total->estimated, "call", "calls");
    }
    if (total->unpriced == 0)
        return;
    rc_cli_text(buf, "; without ");
    rc_audit_push_count(buf, total->unpriced);
    rc_cli_text(buf, total->unpriced == 1 ? " call without a price" : " calls without a price");
}

static const rc_audit_fact facts[] = {
    {"operations", push_operations}, {"recovery", push_recovery},
    {"calls", push_attempts},        {"took", push_took},
    {"first byte", push_first_byte}, {"cost", push_spent},
};

const rc_audit_fact *rc_audit_fact_at(size_t index)
{
    return index < sizeof(facts) / sizeof(facts[0]) ? &facts[index] : NULL;
}
