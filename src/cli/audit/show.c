/* `recourse audit show`: finds one operation by its id, short id or a prefix, and prints its
 * timeline. Called by command.c. */
#include <string.h>

#include <recourse/id.h>
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "cli/audit/audit.h"

#define CANDIDATES_MAX 8

typedef struct search {
    rc_audit *audit;
    char id[RC_ID_LEN]; /* Id of the first operation that matches the given text. */
    size_t count;
    rc_grid grid; /* Rows of all matching operations, printed if there are several. */
    int64_t day;
} search;

/* ---- search ---- */

static bool add_candidate(void *ctx, const rc_record *operation)
{
    search *f = ctx;
    if (operation->operation_id.len != RC_ID_LEN)
        return true;
    if (f->count++ == 0)
        memcpy(f->id, operation->operation_id.ptr, RC_ID_LEN);
    rc_audit_list_row(f->audit, &f->grid, operation, &f->day);
    return f->count < CANDIDATES_MAX;
}

static int refuse_none(rc_audit *audit, rc_str text)
{
    rc_cli *cli = audit->cli;
    rc_cli_err_prefix(cli, "audit");
    rc_cli_text(&cli->err, "no operation or report has the id ");
    rc_cli_err_quote(cli, text);
    rc_cli_text(&cli->err, "; 'recourse audit list' shows the ids\n");
    return RC_EXIT_NO_INPUT;
}

static int refuse_many(search *f, rc_str text)
{
    rc_cli *cli = f->audit->cli;
    rc_cli_err_prefix(cli, "audit");
    rc_cli_text(&cli->err, f->count == CANDIDATES_MAX ? "many ids begin with " : "");
    if (f->count < CANDIDATES_MAX) {
        rc_buf_push_u64(&cli->err, f->count);
        rc_cli_text(&cli->err, " ids begin with ");
    }
    rc_cli_err_quote(cli, text);
    rc_cli_text(&cli->err, "; give more of the id\n");
    (void)rc_grid_push(&f->grid, &cli->err);
    return RC_EXIT_USAGE;
}

/* ---- collection of facts ---- */

static void note_code(rc_audit_timeline *timeline, rc_code code)
{
    for (size_t i = 0; i < timeline->code_count; i++)
        if (timeline->codes[i] == code)
            return;
    if (timeline->code_count < RC_AUDIT_CODES_MAX)
        timeline->codes[timeline->code_count++] = code;
}

/* Stores the latest report. The report of the operation comes after the reports of its attempts, so
 * it replaces them. */
static void note_report(rc_audit_timeline *timeline, const rc_record *record)
{
    const rc_report *report = rc_audit_report(timeline->audit, record);
    if (report == NULL)
        return;
    rc_report_free(timeline->report);
    timeline->report = report;
}

static bool measure(void *ctx, const rc_record *record)
{
    rc_audit_timeline *timeline = ctx;
    int64_t from_ms = 0;
    int64_t took_ms = 0;
    rc_audit_span(record, &from_ms, &took_ms);
    const int64_t end_ms = from_ms + (took_ms > 0 ? took_ms : 0);
    /* A wait's planned length is ignored: the wait may have been cut short, and a later record
     * shows when it ended. */
    if (record->kind != RC_RECORD_WAIT && end_ms > timeline->total_ms)
        timeline->total_ms = end_ms;
    if (record->kind == RC_RECORD_ATTEMPT) {
        timeline->attempts++;
        if (record->code != RC_CODE_NONE && record->error_class != RC_CLASS_CANCELLATION)
            note_code(timeline, record->code);
    }
    if (record->kind == RC_RECORD_ATTEMPT || record->kind == RC_RECORD_OUTCOME)
        note_report(timeline, record);
    return true;
}

/* ---- output ---- */

typedef struct showing {
    rc_audit *audit;
    rc_store_fault fault;
    bool is_shown;
} showing;

static bool show_json(showing *t, const rc_record *operation)
{
    const rc_record_json_options options = rc_audit_json_options(t->audit, true);
    const rc_audit_records records = {.has_begin = false};
    rc_json_writer w;
    rc_json_writer_init(&w, &t->audit->cli->out, 0);
    return rc_audit_operation_json(&w, t->audit->store, operation, records, &options, &t->fault);
}

/* Prints the operation. The callback reads the records while the query for the operation is still
 * open, so that operation and records come from one read transaction. */
static bool show_found(void *ctx, const rc_record *operation)
{
    showing *t = ctx;
    if (t->audit->format == RC_AUDIT_JSON) {
        t->is_shown = show_json(t, operation);
        return false;
    }
    rc_audit_timeline timeline = {.audit = t->audit, .operation = operation};
    t->is_shown =
        rc_store_timeline(t->audit->store, operation->operation_id, measure, &timeline, &t->fault);
    if (t->is_shown && t->audit->format == RC_AUDIT_MARKDOWN)
        t->is_shown = rc_audit_show_markdown(&timeline, &t->fault);
    else if (t->is_shown)
        t->is_shown = rc_audit_show_human(&timeline, &t->fault);
    rc_report_free(timeline.report);
    return false;
}

static int show(rc_audit *audit, rc_str id)
{
    showing t = {.audit = audit};
    if (!rc_store_find(audit->store, id, 1, show_found, &t, &t.fault) || !t.is_shown) {
        rc_buf_reset(&audit->cli->out);
        return rc_audit_refuse(audit, &t.fault);
    }
    return RC_EXIT_OK;
}

int rc_audit_show(rc_audit *audit)
{
    const rc_str text = rc_str_trim(rc_str_c(audit->args->operands[1]));
    search f = {.audit = audit};
    rc_store_fault fault;
    int result = RC_EXIT_OK;
    rc_panel_style style = audit->style;
    style.has_colour = style.has_colour && audit->cli->err_terminal.has_colour;
    rc_grid_init(&f.grid, rc_audit_list_columns, RC_AUDIT_LIST_COLUMNS, &style, &audit->cli->alloc);
    if (!rc_audit_find(audit->store, text, CANDIDATES_MAX, add_candidate, &f, &fault))
        result = rc_audit_refuse(audit, &fault);
    else if (f.count == 0)
        result = refuse_none(audit, text);
    else if (f.count > 1)
        result = refuse_many(&f, text);
    else
        result = show(audit, rc_str_make(f.id, RC_ID_LEN));
    rc_grid_done(&f.grid);
    return result;
}
