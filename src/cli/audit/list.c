/* `recourse audit list`: operations as a table, the newest first. Called by command.c; tail.c and
 * show.c use its rows. */
#include <string.h>

#include <recourse/id.h>
#include <recourse/taxonomy.h>

#include "cli/audit/audit.h"
#include "codec/datetime.h"
#include "render/markdown.h"
#include "store/operation_key.h"

typedef struct listing {
    rc_audit *audit;
    rc_grid grid;
    rc_audit_page page;
    int64_t day;
    int64_t newest_unix_ms; /* Time of the newest operation; 0: none yet. */
    bool has_estimate;      /* At least one printed cost is an estimate. */
} listing;

/* ---- human format ---- */

enum {
    COLUMN_TIME,
    COLUMN_ID,
    COLUMN_CLIENT,
    COLUMN_TARGET,
    COLUMN_OUTCOME,
    COLUMN_TRIES,
    COLUMN_TOOK,
    COLUMN_COST
};

const rc_grid_column rc_audit_list_columns[RC_AUDIT_LIST_COLUMNS] = {
    [COLUMN_TIME] = {.title = "time", .rank = 2, .usual = 8},
    [COLUMN_ID] = {.title = "id", .usual = RC_OPERATION_KEY_TEXT_LEN},
    [COLUMN_CLIENT] = {.title = "client", .min = 6, .rank = 6, .usual = 8},
    [COLUMN_TARGET] = {.title = "model", .min = 14, .rank = 1, .usual = 40},
    [COLUMN_OUTCOME] = {.title = "outcome", .usual = 17},
    [COLUMN_TRIES] = {.title = "try", .is_right = true, .rank = 4, .usual = 3},
    [COLUMN_TOOK] = {.title = "took", .is_right = true, .rank = 3, .usual = 7},
    [COLUMN_COST] = {.title = "cost", .is_right = true, .rank = 5, .usual = 8},
};

/* Adds a notice (an event of the gateway process) as a separate line. */
static void push_notice(const rc_audit *audit, rc_grid *grid, const rc_record *notice)
{
    rc_audit_push_clock(audit, &grid->text, rc_audit_began_unix_ms(notice));
    rc_cli_text(&grid->text, "  ");
    rc_operation_key_push(&grid->text, notice->key);
    rc_cli_text(&grid->text, "  ");
    rc_audit_push_outcome(audit, &grid->text, notice);
    if (notice->target.len > 0)
        rc_cli_text(&grid->text, ": ");
    rc_audit_push_flat(&grid->text, notice->target);
    if (notice->text.len > 0)
        rc_cli_text(&grid->text, ": ");
    rc_audit_push_flat(&grid->text, notice->text);
    rc_grid_line(grid, RC_TONE_STRONG);
}

void rc_audit_list_row(const rc_audit *audit, rc_grid *grid, const rc_record *operation,
                       int64_t *day)
{
    const int64_t began = rc_audit_began_unix_ms(operation);
    if (rc_audit_day_of(audit, began) != *day) {
        rc_audit_push_day(audit, &grid->text, began);
        rc_grid_line(grid, RC_TONE_STRONG);
    }
    *day = rc_audit_day_of(audit, began);
    if (operation->outcome == RC_OUTCOME_NOTICE) {
        push_notice(audit, grid, operation);
        return;
    }
    rc_audit_push_clock(audit, &grid->text, began);
    rc_grid_cell(grid, RC_TONE_PLAIN);
    rc_operation_key_push(&grid->text, operation->key);
    rc_grid_cell(grid, RC_TONE_FAINT);
    rc_buf_push(&grid->text, operation->client);
    rc_grid_cell(grid, RC_TONE_PLAIN);
    rc_audit_push_target(audit, &grid->text, operation);
    rc_grid_cell(grid, RC_TONE_PLAIN);
    rc_grid_cell(grid, rc_audit_push_outcome(audit, &grid->text, operation));
    rc_buf_push_u64(&grid->text, operation->attempt);
    rc_grid_cell(grid, operation->attempt > 1 ? RC_TONE_WARN : RC_TONE_PLAIN);
    rc_audit_push_ms(&grid->text, operation->latency_ms);
    rc_grid_cell(grid, RC_TONE_PLAIN);
    if (operation->cost_usd_micro > 0)
        rc_audit_push_cost(&grid->text, operation->cost_usd_micro,
                           (operation->flags & RC_RECORD_ESTIMATED) != 0);
    else
        rc_buf_push_byte(&grid->text, '-');
    rc_grid_cell(grid, RC_TONE_PLAIN);
}

/* Prints the footer: "20 operations, newest first, the newest 4 minutes ago; times in UTC+1." */
static void push_foot(listing *l)
{
    const rc_audit *audit = l->audit;
    char scratch[512];
    rc_buf text;
    rc_pen pen;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    const bool is_of_notices = audit->query.select.filter.has_outcome &&
                               audit->query.select.filter.outcome == RC_OUTCOME_NOTICE;
    rc_audit_push_counted(&text, l->page.count, is_of_notices ? "notice" : "operation",
                          is_of_notices ? "notices" : "operations");
    rc_cli_text(&text, l->page.count > 1 ? ", newest first, " : ", ");
    rc_audit_push_ago(audit, &text, l->newest_unix_ms);
    rc_cli_text(&text, "; times in ");
    rc_audit_push_zone(audit, &text, l->newest_unix_ms);
    rc_cli_text(&text, ".");
    if (l->has_estimate && rc_grid_shows(&l->grid, COLUMN_COST))
        rc_cli_text(&text, " ~ marks an estimate.");
    if (!rc_grid_shows(&l->grid, COLUMN_CLIENT))
        rc_cli_text(&text, " A wider terminal shows more columns.");
    if (l->page.has_more) {
        rc_cli_text(&text, " Next page: --after ");
        rc_operation_key_push(&text, l->page.last_key);
    }
    rc_pen_init(&pen, &audit->style, &audit->cli->out);
    rc_pen_end_line(&pen);
    rc_pen_wrap(&pen, RC_TONE_FAINT, 0, rc_buf_get(&text));
}

/* ---- Markdown ---- */

static void push_cell(rc_buf *out, rc_str text)
{
    rc_cli_text(out, " ");
    rc_markdown_push_inline(out, text);
    rc_cli_text(out, " |");
}

/* Prints an id as Markdown code. An invalid id is printed as escaped text, because the content of
 * the file is not trusted. */
static void push_id(rc_buf *out, rc_str id)
{
    int64_t ignored = 0;
    if (rc_id_time(id, &ignored) == RC_OK)
        rc_markdown_push_code(out, id);
    else
        rc_markdown_push_inline(out, id);
}

static void push_markdown_row(const rc_audit *audit, const rc_record *operation)
{
    const bool is_estimated =
        (operation->flags & RC_RECORD_ESTIMATED) != 0 && operation->cost_usd_micro > 0;
    char scratch[1024];
    rc_buf cell;
    rc_buf *out = &audit->cli->out;
    rc_cli_text(out, "| ");
    rc_rfc3339_push(out, rc_audit_began_unix_ms(operation));
    rc_cli_text(out, " | ");
    push_id(out, operation->operation_id);
    rc_cli_text(out, " |");
    push_cell(out, operation->client);
    rc_buf_init_fixed(&cell, scratch, sizeof(scratch));
    rc_audit_push_target(audit, &cell, operation);
    push_cell(out, rc_buf_get(&cell));
    rc_cli_text(out, operation->has_recovered ? " recovered |" : " ");
    if (!operation->has_recovered) {
        rc_cli_text(out, rc_outcome_name(operation->outcome));
        rc_cli_text(out, " |");
    }
    push_cell(out, rc_str_c(rc_code_name(operation->code)));
    rc_cli_text(out, " ");
    rc_buf_push_u64(out, operation->attempt);
    rc_buf_init_fixed(&cell, scratch, sizeof(scratch));
    rc_cli_text(&cell, " | ");
    rc_audit_push_ms(&cell, operation->latency_ms);
    rc_cli_text(&cell, is_estimated ? " | ~\\" : " | \\");
    rc_audit_push_usd(&cell, operation->cost_usd_micro);
    rc_buf_push(out, rc_buf_get(&cell));
    rc_cli_text(out, " |\n");
}

static void begin(listing *l)
{
    rc_audit *audit = l->audit;
    rc_buf *out = &audit->cli->out;
    rc_grid_init(&l->grid, rc_audit_list_columns, RC_AUDIT_LIST_COLUMNS, &audit->style,
                 &audit->cli->alloc);
    if (audit->format == RC_AUDIT_MARKDOWN)
        rc_cli_text(out,
                    "| began | id | client | model | outcome | code | attempts | took | cost |\n"
                    "|---|---|---|---|---|---|---|---|---|\n");
}

static void end_markdown(const listing *l)
{
    rc_buf *out = &l->audit->cli->out;
    if (!l->page.has_more)
        return;
    rc_cli_text(out, "\nMore: `--after ");
    rc_operation_key_push(out, l->page.last_key);
    rc_cli_text(out, "`\n");
}

static rc_status end(listing *l)
{
    rc_status status = RC_OK;
    switch (l->audit->format) {
    case RC_AUDIT_MARKDOWN:
        end_markdown(l);
        break;
    case RC_AUDIT_HUMAN:
    case RC_AUDIT_JSON:
    case RC_AUDIT_JSONL:
    case RC_AUDIT_CSV:
    case RC_AUDIT_FORMATS:
        if (l->page.count == 0) {
            rc_cli_text(&l->audit->cli->out, "No operation matches.\n");
            break;
        }
        status = rc_grid_push(&l->grid, &l->audit->cli->out);
        push_foot(l);
        break;
    }
    rc_grid_done(&l->grid);
    return status;
}

/* ---- the list ---- */

static bool put(void *ctx, const rc_record *operation)
{
    listing *l = ctx;
    if (l->newest_unix_ms == 0)
        l->newest_unix_ms = rc_audit_began_unix_ms(operation);
    l->has_estimate = l->has_estimate || ((operation->flags & RC_RECORD_ESTIMATED) != 0 &&
                                          operation->cost_usd_micro > 0);
    if (l->audit->format == RC_AUDIT_MARKDOWN)
        push_markdown_row(l->audit, operation);
    else
        rc_audit_list_row(l->audit, &l->grid, operation, &l->day);
    return rc_buf_status(&l->audit->cli->out) == RC_OK;
}

static bool list_json(listing *l, const rc_audit_query *query, rc_store_fault *fault)
{
    const rc_record_json_options options = rc_audit_json_options(l->audit, false);
    rc_json_writer w;
    rc_json_writer_init(&w, &l->audit->cli->out, 0);
    return rc_audit_page_json(&w, l->audit->store, query, &options, &l->page, fault);
}

static bool list_rows(listing *l, const rc_audit_query *query, rc_store_fault *fault)
{
    begin(l);
    if (!rc_audit_page_read(l->audit->store, query, put, l, &l->page, fault)) {
        rc_grid_done(&l->grid);
        return false;
    }
    return end(l) == RC_OK || rc_store_fault_set(fault, RC_STORE_NO_MEMORY, "list", NULL, NULL);
}

int rc_audit_list(rc_audit *audit)
{
    listing l = {.audit = audit};
    rc_store_fault fault;
    rc_audit_query query = audit->query;
    query.select.limit = audit->limit;
    const bool is_good = audit->format == RC_AUDIT_JSON ? list_json(&l, &query, &fault)
                                                        : list_rows(&l, &query, &fault);
    if (!is_good) {
        rc_buf_reset(&audit->cli->out);
        return rc_audit_refuse(audit, &fault);
    }
    if (l.page.count == 0)
        rc_audit_suggest_names(audit);
    return RC_EXIT_OK;
}
