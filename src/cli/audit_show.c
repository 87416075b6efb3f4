/* One operation: found by what somebody has of its id, and told. */
#include <string.h>

#include <recourse/id.h>
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "cli/audit.h"
#include "store/key.h"

#define CANDIDATES_MAX 8

typedef struct candidate {
    char id[RC_ID_LEN];
    int64_t key;
} candidate;

typedef struct finding {
    rc_audit *audit;
    candidate candidates[CANDIDATES_MAX];
    size_t count;
    rc_grid grid; /* of those that it may be */
    int64_t day;
} finding;

/* ---- finding ---- */

static bool note(void *ctx, const rc_record *operation)
{
    finding *f = ctx;
    candidate *found = &f->candidates[f->count];
    if (operation->operation_id.len != RC_ID_LEN)
        return true;
    memcpy(found->id, operation->operation_id.ptr, RC_ID_LEN);
    found->key = operation->key;
    rc_audit_list_row(f->audit, &f->grid, operation, &f->day);
    f->count++;
    return f->count < CANDIDATES_MAX;
}

static bool note_key(void *ctx, const rc_record *operation)
{
    finding *f = ctx;
    if (operation->key == f->candidates[0].key)
        note(ctx, operation);
    return false;
}

/* The short id of a list is the operation's key. */
static bool find_key(finding *f, int64_t key, rc_store_fault *fault)
{
    rc_store_query query = {.limit = 1, .is_oldest_first = true, .beyond_key = key - 1};
    f->candidates[0].key = key;
    if (!rc_store_list(f->audit->store, &query, note_key, f, fault))
        return false;
    if (f->count > 0)
        return true;
    query.filter.has_outcome = true;
    query.filter.outcome = RC_OUTCOME_NOTICE;
    f->candidates[0].key = key;
    return rc_store_list(f->audit->store, &query, note_key, f, fault);
}

static bool find(finding *f, rc_str text, rc_store_fault *fault)
{
    int64_t key = 0;
    if (rc_key_parse(text, &key) && !find_key(f, key, fault))
        return false;
    return f->count > 0 || rc_store_find(f->audit->store, text, CANDIDATES_MAX, note, f, fault);
}

static int refuse_none(rc_audit *audit, rc_str text)
{
    rc_cli *cli = audit->cli;
    rc_cli_complain(cli, "audit");
    rc_cli_text(&cli->err, "no operation and no report has an id like ");
    rc_cli_quote(cli, text);
    rc_cli_text(&cli->err, "; 'recourse audit list' shows those there are\n");
    return RC_EXIT_NO_INPUT;
}

static int refuse_many(finding *f, rc_str text)
{
    rc_cli *cli = f->audit->cli;
    rc_cli_complain(cli, "audit");
    rc_cli_text(&cli->err, f->count == CANDIDATES_MAX ? "many ids begin with " : "");
    if (f->count < CANDIDATES_MAX) {
        rc_buf_push_u64(&cli->err, f->count);
        rc_cli_text(&cli->err, " ids begin with ");
    }
    rc_cli_quote(cli, text);
    rc_cli_text(&cli->err, "; which one is meant?\n");
    (void)rc_grid_push(&f->grid, &cli->err);
    return RC_EXIT_USAGE;
}

/* ---- reading ---- */

static void note_code(rc_audit_story *story, rc_code code)
{
    for (size_t i = 0; i < story->code_count; i++)
        if (story->codes[i] == code)
            return;
    if (story->code_count < RC_AUDIT_CODES_MAX)
        story->codes[story->code_count++] = code;
}

/* The record that says most about why it failed: the operation's own, else the last. */
static void note_report(rc_audit_story *story, const rc_record *record)
{
    const rc_report *report = rc_audit_report(story->audit, record);
    if (report == NULL)
        return;
    rc_report_free(story->report);
    story->report = report;
}

static bool measure(void *ctx, const rc_record *record)
{
    rc_audit_story *story = ctx;
    int64_t from_ms = 0;
    int64_t took_ms = 0;
    rc_audit_span(record, &from_ms, &took_ms);
    const int64_t end_ms = from_ms + (took_ms > 0 ? took_ms : 0);
    /* A wait that was cut short is as long as it lasted: what comes behind it tells. */
    if (record->kind != RC_RECORD_WAIT && end_ms > story->total_ms)
        story->total_ms = end_ms;
    if (record->kind == RC_RECORD_ATTEMPT) {
        story->attempts++;
        if (record->code != RC_CODE_NONE && record->error_class != RC_CLASS_CANCELLATION)
            note_code(story, record->code);
    }
    if (record->kind == RC_RECORD_ATTEMPT || record->kind == RC_RECORD_OUTCOME)
        note_report(story, record);
    return true;
}

/* ---- telling ---- */

typedef struct telling {
    rc_audit *audit;
    rc_store_fault fault;
    bool is_told;
} telling;

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

static bool show_json(const rc_audit_story *story, rc_store_fault *fault)
{
    const rc_audit *audit = story->audit;
    rc_json_writer w;
    json_rows rows = {.audit = audit, .w = &w};
    rc_json_writer_init(&w, &audit->cli->out, 0);
    rc_json_object_begin(&w);
    rc_json_key(&w, RC_STR("operation"));
    rc_audit_json_operation(audit, &w, story->operation, true);
    rc_json_key(&w, RC_STR("records"));
    rc_json_array_begin(&w);
    const bool is_good =
        rc_store_timeline(audit->store, story->operation->operation_id, put_json, &rows, fault);
    rc_json_array_end(&w);
    rc_json_object_end(&w);
    rc_buf_push_byte(&audit->cli->out, '\n');
    return is_good;
}

/* The operation as a list has it; its row stays open while its records are read, so that all is of
 * one moment. */
static bool tell(void *ctx, const rc_record *operation)
{
    telling *t = ctx;
    rc_audit_story story = {.audit = t->audit, .operation = operation};
    t->is_told =
        rc_store_timeline(t->audit->store, operation->operation_id, measure, &story, &t->fault);
    if (t->is_told && t->audit->format == RC_AUDIT_JSON)
        t->is_told = show_json(&story, &t->fault);
    else if (t->is_told && t->audit->format == RC_AUDIT_MARKDOWN)
        t->is_told = rc_audit_show_markdown(&story, &t->fault);
    else if (t->is_told)
        t->is_told = rc_audit_show_human(&story, &t->fault);
    rc_report_free(story.report);
    return false;
}

static int show(rc_audit *audit, const candidate *found)
{
    telling t = {.audit = audit};
    const rc_str id = rc_str_make(found->id, RC_ID_LEN);
    if (!rc_store_find(audit->store, id, 1, tell, &t, &t.fault) || !t.is_told) {
        rc_buf_reset(&audit->cli->out);
        return rc_audit_refuse(audit, &t.fault);
    }
    return RC_EXIT_OK;
}

int rc_audit_show(rc_audit *audit)
{
    const rc_str text = rc_str_trim(rc_str_c(audit->args->operands[1]));
    finding f = {.audit = audit};
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
