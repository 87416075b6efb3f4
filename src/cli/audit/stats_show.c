/* Output of `audit stats`: human, Markdown and JSON. Called by stats.c. */
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "cli/audit/stats.h"
#include "render/markdown.h"
#include "store/record_json.h"

#define LABEL_COLUMNS 12u
#define LINE_MAX_BYTES 1024
/* On a narrow terminal the names of rows are cut, but not below this width; numbers are never
 * cut. */
#define NAME_MIN 20u
#define BAR_COLUMNS 12u

void rc_audit_push_period(const rc_audit_totals *totals, rc_buf *buf)
{
    const rc_audit *audit = totals->audit;
    if (totals->from_unix_ms > 0) {
        rc_cli_text(buf, "from ");
        rc_audit_push_date_time(audit, buf, totals->from_unix_ms);
    }
    if (totals->until_unix_ms > 0) {
        rc_cli_text(buf, totals->from_unix_ms > 0 ? " until " : "until ");
        rc_audit_push_date_time(audit, buf, totals->until_unix_ms);
    } else {
        rc_cli_text(buf, totals->from_unix_ms > 0 ? " on" : "of all time");
    }
}

/* ---- human format ---- */

static void push_facts(const rc_audit_totals *totals)
{
    char scratch[LINE_MAX_BYTES];
    rc_buf text;
    rc_pen pen;
    rc_pen_init(&pen, &totals->audit->style, &totals->audit->cli->out);
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_cli_text(&text, "Operations ");
    rc_audit_push_period(totals, &text);
    rc_pen_wrap(&pen, RC_TONE_STRONG, 0, rc_buf_get(&text));
    for (size_t i = 0; rc_audit_fact_at(i) != NULL; i++) {
        const rc_audit_fact *fact = rc_audit_fact_at(i);
        rc_buf_reset(&text);
        fact->push(&text, totals);
        rc_pen_text(&pen, RC_TONE_FAINT, rc_str_c(fact->label));
        rc_pen_to(&pen, LABEL_COLUMNS);
        rc_pen_wrap(&pen, RC_TONE_PLAIN, LABEL_COLUMNS, rc_buf_get(&text));
    }
}

/* Prints "! Tue 17 Nov 2026 02:52:27 UTC: openai/gpt-4o: taken out of service". */
static void push_notices(const rc_audit_totals *totals)
{
    const rc_str lines = rc_buf_get(&totals->notices);
    rc_pen pen;
    if (totals->notice_count == 0)
        return;
    rc_pen_init(&pen, &totals->audit->style, &totals->audit->cli->out);
    rc_pen_end_line(&pen);
    for (size_t at = 0; at < lines.len;) {
        size_t end = rc_str_find_byte(lines, '\n', at);
        end = end == RC_STR_NPOS ? lines.len : end;
        rc_pen_symbol(&pen, RC_TONE_WARN, RC_SYMBOL_NOTICE);
        rc_pen_skip(&pen, 1);
        rc_pen_wrap(&pen, RC_TONE_WARN, 2, rc_str_slice(lines, at, end));
        at = end + 1;
    }
    if (totals->notice_count > RC_AUDIT_NOTICES_SHOWN)
        rc_pen_wrap(&pen, RC_TONE_FAINT, 0,
                    RC_STR("More notices: recourse audit list --outcome notice"));
}

/* Appends a bar for an hour's count, relative to the busiest hour. */
static void push_bar(const rc_audit_totals *totals, const rc_audit_table *table, rc_buf *buf,
                     const rc_audit_row *row)
{
    uint64_t most = 1;
    for (size_t i = 0; i < table->shown; i++)
        if (table->rows[i].operations->count > most)
            most = table->rows[i].operations->count;
    const uint64_t cells = (row->operations->count * BAR_COLUMNS + most / 2) / most;
    for (uint64_t i = 0; i < cells; i++)
        rc_audit_push_symbol(totals->audit, buf, RC_SYMBOL_FULL);
}

static rc_status push_table(const rc_audit_totals *totals, const rc_audit_table *table)
{
    const rc_audit_kind *kind = table->kind;
    const bool has_bar = kind->by == RC_STATS_BY_HOUR;
    const size_t count = kind->measure_count + 1;
    rc_grid_column columns[RC_AUDIT_MEASURES_MAX + 2] = {
        {.title = kind->name, .min = NAME_MIN},
    };
    for (size_t i = 0; i < kind->measure_count; i++)
        columns[i + 1] = (rc_grid_column){
            .title = kind->measures[i].title, .is_right = true, .rank = kind->measures[i].rank};
    columns[count] = (rc_grid_column){.title = "", .rank = 2};
    rc_grid grid;
    rc_grid_init(&grid, columns, count + (has_bar ? 1 : 0), &totals->audit->style,
                 &totals->audit->cli->alloc);
    for (size_t i = 0; i < table->shown; i++) {
        rc_audit_push_row_name(totals, table, &grid.text, &table->rows[i]);
        rc_grid_cell(&grid, RC_TONE_PLAIN);
        for (size_t m = 0; m < kind->measure_count; m++) {
            kind->measures[m].push(&grid.text, &table->rows[i]);
            rc_grid_cell(&grid, RC_TONE_PLAIN);
        }
        if (has_bar) {
            push_bar(totals, table, &grid.text, &table->rows[i]);
            rc_grid_cell(&grid, RC_TONE_GOOD);
        }
    }
    const rc_status status = rc_grid_push(&grid, &totals->audit->cli->out);
    rc_grid_done(&grid);
    return status;
}

static void push_more(const rc_audit_totals *totals, const rc_audit_table *table)
{
    char scratch[128];
    rc_buf text;
    rc_pen pen;
    if (table->shown == table->count)
        return;
    rc_pen_init(&pen, &totals->audit->style, &totals->audit->cli->out);
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_cli_text(&text, "and ");
    rc_buf_push_u64(&text, table->count - table->shown);
    rc_cli_text(&text, " more; --limit shows them");
    rc_pen_wrap(&pen, RC_TONE_FAINT, 0, rc_buf_get(&text));
}

rc_status rc_audit_stats_human(rc_audit_totals *totals)
{
    rc_status status = RC_OK;
    if (totals->survey.operations.total->count == 0) {
        rc_cli_text(&totals->audit->cli->out, "No operation matches.\n");
        push_notices(totals);
        return RC_OK;
    }
    push_facts(totals);
    push_notices(totals);
    for (size_t i = 0; i < totals->table_count && status == RC_OK; i++) {
        if (totals->tables[i].count == 0)
            continue;
        rc_buf_push_byte(&totals->audit->cli->out, '\n');
        status = push_table(totals, &totals->tables[i]);
        push_more(totals, &totals->tables[i]);
    }
    return status;
}

/* ---- Markdown ---- */

/* Appends text that the program itself made. Only "$" is escaped, because it starts a formula in
 * Markdown. */
static void push_own(rc_buf *out, rc_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] == '$')
            rc_buf_push_byte(out, '\\');
        rc_buf_push_byte(out, text.ptr[i]);
    }
}

static void push_markdown_table(const rc_audit_totals *totals, const rc_audit_table *table)
{
    const rc_audit_kind *kind = table->kind;
    rc_buf *out = &totals->audit->cli->out;
    char scratch[LINE_MAX_BYTES];
    rc_buf cell;
    rc_cli_text(out, "\n| ");
    rc_cli_text(out, kind->name);
    for (size_t m = 0; m < kind->measure_count; m++) {
        rc_cli_text(out, " | ");
        rc_cli_text(out, kind->measures[m].title);
    }
    rc_cli_text(out, " |\n|---|");
    for (size_t m = 0; m < kind->measure_count; m++)
        rc_cli_text(out, "---:|");
    for (size_t i = 0; i < table->shown; i++) {
        rc_buf_init_fixed(&cell, scratch, sizeof(scratch));
        rc_audit_push_row_name(totals, table, &cell, &table->rows[i]);
        rc_cli_text(out, "\n| ");
        rc_markdown_push_inline(out, rc_buf_get(&cell));
        for (size_t m = 0; m < kind->measure_count; m++) {
            rc_buf_init_fixed(&cell, scratch, sizeof(scratch));
            kind->measures[m].push(&cell, &table->rows[i]);
            rc_cli_text(out, " | ");
            push_own(out, rc_buf_get(&cell));
        }
        rc_cli_text(out, " |");
    }
    rc_buf_push_byte(out, '\n');
}

void rc_audit_stats_markdown(const rc_audit_totals *totals)
{
    rc_buf *out = &totals->audit->cli->out;
    char scratch[LINE_MAX_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_cli_text(out, "# Operations ");
    rc_audit_push_period(totals, &text);
    rc_markdown_push_inline(out, rc_buf_get(&text));
    rc_cli_text(out, "\n\n");
    for (size_t i = 0; rc_audit_fact_at(i) != NULL; i++) {
        rc_buf_init_fixed(&text, scratch, sizeof(scratch));
        rc_audit_fact_at(i)->push(&text, totals);
        rc_cli_text(out, "- **");
        rc_cli_text(out, rc_audit_fact_at(i)->label);
        rc_cli_text(out, "**: ");
        push_own(out, rc_buf_get(&text));
        rc_buf_push_byte(out, '\n');
    }
    for (size_t i = 0; i < totals->table_count; i++)
        if (totals->tables[i].count > 0)
            push_markdown_table(totals, &totals->tables[i]);
}

/* ---- JSON ---- */

static void put_number(rc_json_writer *w, rc_str key, uint64_t number)
{
    rc_json_key(w, key);
    rc_json_u64(w, number);
}

static void put_histogram(rc_json_writer *w, rc_str key, const rc_histogram *histogram)
{
    if (histogram->count == 0)
        return;
    rc_json_key(w, key);
    rc_json_object_begin(w);
    put_number(w, RC_STR("count"), histogram->count);
    put_number(w, RC_STR("p50"), rc_histogram_at(histogram, 500));
    put_number(w, RC_STR("p90"), rc_histogram_at(histogram, 900));
    put_number(w, RC_STR("p99"), rc_histogram_at(histogram, 990));
    put_number(w, RC_STR("max"), histogram->max_ms);
    rc_json_object_end(w);
}

/* Writes a share as a number from 0 to 1 with four decimals. */
static void put_share(rc_json_writer *w, rc_str key, uint64_t part, uint64_t whole)
{
    if (whole == 0)
        return;
    rc_record_json_usd(w, key, (uint64_t)((double)part / (double)whole * 10000) * 100);
}

static void put_group(rc_json_writer *w, rc_str key, const rc_stats_group *group,
                      bool is_of_attempts)
{
    if (group == NULL)
        return;
    rc_json_key(w, key);
    rc_json_object_begin(w);
    put_number(w, RC_STR("count"), group->count);
    put_number(w, RC_STR("succeeded"), group->succeeded);
    put_number(w, RC_STR("failed"), group->failed);
    put_number(w, RC_STR("cancelled"), group->cancelled);
    if (!is_of_attempts) {
        put_number(w, RC_STR("open"), group->open);
        put_number(w, RC_STR("attempts"), group->attempts);
        put_number(w, RC_STR("faltered"), group->faltered);
    }
    put_number(w, RC_STR("recovered"), group->recovered);
    if (!is_of_attempts)
        put_share(w, RC_STR("recovery_rate"), group->recovered, group->faltered);
    put_number(w, RC_STR("wasted"), group->wasted);
    put_histogram(w, RC_STR("latency_ms"), &group->latency);
    put_histogram(w, RC_STR("first_byte_ms"), &group->first_byte);
    put_number(w, RC_STR("tokens_in"), group->tokens_in);
    put_number(w, RC_STR("tokens_out"), group->tokens_out);
    rc_record_json_usd(w, RC_STR("cost_usd"), group->cost_usd_micro);
    put_number(w, RC_STR("unpriced"), group->unpriced);
    put_number(w, RC_STR("estimated"), group->estimated);
    rc_record_json_usd(w, RC_STR("estimated_usd"), group->estimated_usd_micro);
    rc_json_object_end(w);
}

static void put_row(const rc_audit_totals *totals, const rc_audit_table *table, rc_json_writer *w,
                    const rc_audit_row *row)
{
    const rc_stats_group *group = row->operations != NULL ? row->operations : row->attempts;
    rc_json_object_begin(w);
    if (table->kind->by == RC_STATS_BY_HOUR && !group->is_other) {
        rc_record_json_time(w, RC_STR("hour"), group->key);
    } else {
        char scratch[LINE_MAX_BYTES];
        rc_buf name;
        rc_buf_init_fixed(&name, scratch, sizeof(scratch));
        rc_audit_push_row_name(totals, table, &name, row);
        rc_json_member_string(w, rc_str_c(table->kind->name), rc_buf_get(&name));
    }
    if (group->is_other)
        rc_json_member_bool(w, RC_STR("is_rest"), true);
    put_group(w, RC_STR("operations"), row->operations, false);
    put_group(w, RC_STR("attempts"), row->attempts, true);
    rc_json_object_end(w);
}

void rc_audit_stats_json(const rc_audit_totals *totals)
{
    rc_json_writer w;
    rc_json_writer_init(&w, &totals->audit->cli->out, 0);
    rc_json_object_begin(&w);
    if (totals->from_unix_ms > 0)
        rc_record_json_time(&w, RC_STR("since"), totals->from_unix_ms);
    if (totals->until_unix_ms > 0)
        rc_record_json_time(&w, RC_STR("until"), totals->until_unix_ms);
    put_group(&w, RC_STR("operations"), totals->survey.operations.total, false);
    put_group(&w, RC_STR("attempts"), totals->survey.attempts.total, true);
    put_number(&w, RC_STR("notices"), totals->notice_count);
    rc_json_key(&w, RC_STR("by"));
    rc_json_object_begin(&w);
    for (size_t i = 0; i < totals->table_count; i++) {
        const rc_audit_table *table = &totals->tables[i];
        rc_json_key(&w, rc_str_c(table->kind->name));
        rc_json_array_begin(&w);
        for (size_t r = 0; r < table->shown; r++)
            put_row(totals, table, &w, &table->rows[r]);
        rc_json_array_end(&w);
    }
    rc_json_object_end(&w);
    rc_json_object_end(&w);
    rc_buf_push_byte(&totals->audit->cli->out, '\n');
}
