/* `recourse audit show`: finds one operation by its id, short id or a prefix, and prints its
 * timeline. Called by command.c. */
#include <string.h>

#include <recourse/id.h>
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "cli/audit/audit.h"
#include "store/operation_key.h"

#define CANDIDATES_MAX 8

typedef struct candidate {
    char id[RC_ID_LEN];
    int64_t key;
} candidate;

typedef struct search {
    rc_audit *audit;
    candidate candidates[CANDIDATES_MAX];
    size_t count;
    rc_grid grid; /* Rows of the candidates, for the message when several match. */
    int64_t day;
} search;

/* ---- search ---- */

static bool add_candidate(void *ctx, const rc_record *operation)
{
    search *f = ctx;
    candidate *found = &f->candidates[f->count];
    if (operation->operation_id.len != RC_ID_LEN)
        return true;
    memcpy(found->id, operation->operation_id.ptr, RC_ID_LEN);
    found->key = operation->key;
    rc_audit_list_row(f->audit, &f->grid, operation, &f->day);
    f->count++;
    return f->count < CANDIDATES_MAX;
}

static bool add_key(void *ctx, const rc_record *operation)
{
    search *f = ctx;
    if (operation->key == f->candidates[0].key)
        add_candidate(ctx, operation);
    return false;
}

/* Finds an operation by the short id of a list, which is the operation's key. */
static bool find_key(search *f, int64_t key, rc_store_fault *fault)
{
    rc_store_query query = {.limit = 1, .is_oldest_first = true, .beyond_key = key - 1};
    f->candidates[0].key = key;
    if (!rc_store_list(f->audit->store, &query, add_key, f, fault))
        return false;
    if (f->count > 0)
        return true;
    query.filter.has_outcome = true;
    query.filter.outcome = RC_OUTCOME_NOTICE;
    f->candidates[0].key = key;
    return rc_store_list(f->audit->store, &query, add_key, f, fault);
}

static bool find(search *f, rc_str text, rc_store_fault *fault)
{
    int64_t key = 0;
    if (rc_operation_key_parse(text, &key) && !find_key(f, key, fault))
        return false;
    return f->count > 0 ||
           rc_store_find(f->audit->store, text, CANDIDATES_MAX, add_candidate, f, fault);
}

static int refuse_none(rc_audit *audit, rc_str text)
{
    rc_cli *cli = audit->cli;
    rc_cli_err_prefix(cli, "audit");
    rc_cli_text(&cli->err, "no operation and no report has an id like ");
    rc_cli_err_quote(cli, text);
    rc_cli_text(&cli->err, "; 'recourse audit list' shows those there are\n");
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
    rc_cli_text(&cli->err, "; which one is meant?\n");
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

/* Keeps the latest report. The operation's own report comes last and wins over those of
 * attempts. */
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
    /* A wait's planned length is ignored: it may have been cut short, and a later record shows the
     * end. */
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

typedef struct json_rows {
    const rc_audit *audit;
    rc_json_writer *w;
} json_rows;

static bool put_json(void *ctx, const rc_record *record)
{
    const json_rows *rows = ctx;
    if (record->kind != RC_RECORD_OUTCOME && record->kind != RC_RECORD_BEGIN)
        rc_audit_json_record(rows->audit, rows->w, record, true);
    return true;
}

static bool show_json(const rc_audit_timeline *timeline, rc_store_fault *fault)
{
    const rc_audit *audit = timeline->audit;
    rc_json_writer w;
    json_rows rows = {.audit = audit, .w = &w};
    rc_json_writer_init(&w, &audit->cli->out, 0);
    rc_json_object_begin(&w);
    rc_json_key(&w, RC_STR("operation"));
    rc_audit_json_operation(audit, &w, timeline->operation, true);
    rc_json_key(&w, RC_STR("records"));
    rc_json_array_begin(&w);
    const bool is_good =
        rc_store_timeline(audit->store, timeline->operation->operation_id, put_json, &rows, fault);
    rc_json_array_end(&w);
    rc_json_object_end(&w);
    rc_buf_push_byte(&audit->cli->out, '\n');
    return is_good;
}

/* Prints the operation. Its row stays open while its records are read, so that both come from one
 * read transaction. */
static bool show_found(void *ctx, const rc_record *operation)
{
    showing *t = ctx;
    rc_audit_timeline timeline = {.audit = t->audit, .operation = operation};
    t->is_shown =
        rc_store_timeline(t->audit->store, operation->operation_id, measure, &timeline, &t->fault);
    if (t->is_shown && t->audit->format == RC_AUDIT_JSON)
        t->is_shown = show_json(&timeline, &t->fault);
    else if (t->is_shown && t->audit->format == RC_AUDIT_MARKDOWN)
        t->is_shown = rc_audit_show_markdown(&timeline, &t->fault);
    else if (t->is_shown)
        t->is_shown = rc_audit_show_human(&timeline, &t->fault);
    rc_report_free(timeline.report);
    return false;
}

static int show(rc_audit *audit, const candidate *found)
{
    showing t = {.audit = audit};
    const rc_str id = rc_str_make(found->id, RC_ID_LEN);
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
    if (!find(&f, text, &fault))
        result = rc_audit_refuse(audit, &fault);
    else if (f.count == 0)
        result = refuse_none(audit, text);
    else if (f.count > 1)
        result = refuse_many(&f, text);
    else
        result = show(audit, &f.candidates[0]);
    rc_grid_done(&f.grid);
    return result;
}
