/* `audit show` in Markdown, for an agent. Called by show.c. */
#include <recourse/taxonomy.h>

#include "cli/audit/audit.h"
#include "codec/datetime.h"
#include "render/markdown.h"

#define TEXT_MAX_BYTES ((size_t)1 << 20)

typedef struct page {
    rc_audit_timeline *timeline;
    const rc_audit *audit;
    rc_buf *out;
    rc_buf text;
} page;

/* Adds p->text as a list item such as "- **Client**: web", and empties p->text. */
static void put_fact(page *p, const char *label)
{
    const rc_str text = rc_buf_get(&p->text);
    rc_audit_note_memory(p->audit, rc_buf_status(&p->text) == RC_OK);
    if (text.len > 0) {
        rc_cli_text(p->out, "- **");
        rc_cli_text(p->out, label);
        rc_cli_text(p->out, "**: ");
        rc_markdown_push_inline(p->out, text);
        rc_buf_push_byte(p->out, '\n');
    }
    rc_buf_reset(&p->text);
}

static void put_text(page *p, const char *label, rc_str text)
{
    rc_buf_push(&p->text, text);
    put_fact(p, label);
}

static void put_facts(page *p)
{
    const rc_record *operation = p->timeline->operation;
    rc_cli_text(&p->text,
                operation->has_recovered ? "recovered" : rc_outcome_name(operation->outcome));
    put_fact(p, "Outcome");
    rc_cli_text(&p->text, rc_code_name(operation->code));
    put_fact(p, "Code");
    rc_rfc3339_push(&p->text, rc_audit_began_unix_ms(operation));
    put_fact(p, "Began");
    if (operation->latency_ms >= 0)
        rc_audit_push_ms(&p->text, operation->latency_ms);
    put_fact(p, "Took");
    put_text(p, "Client", operation->client);
    put_text(p, "Model", operation->model);
    put_text(p, "Target", operation->target);
    rc_buf_push_u64(&p->text, operation->attempt);
    put_fact(p, "Attempts");
    rc_audit_push_usage(&p->text, operation);
    put_fact(p, "Cost");
    put_text(p, "Note", operation->text);
}

static void push_cell(page *p)
{
    rc_audit_note_memory(p->audit, rc_buf_status(&p->text) == RC_OK);
    rc_buf_push_byte(p->out, ' ');
    rc_markdown_push_inline(p->out, rc_buf_get(&p->text));
    rc_cli_text(p->out, " |");
    rc_buf_reset(&p->text);
}

/* Appends a duration. Its text has no character that Markdown needs escaped. */
static void push_number(page *p, int64_t ms)
{
    rc_cli_text(p->out, " ");
    if (ms >= 0)
        rc_audit_push_ms(p->out, ms);
    rc_cli_text(p->out, " |");
}

static bool push_record(void *ctx, const rc_record *record)
{
    page *p = ctx;
    int64_t from_ms = 0;
    int64_t took_ms = -1;
    rc_audit_span(record, &from_ms, &took_ms);
    rc_buf_push_byte(p->out, '|');
    push_number(p, from_ms);
    rc_cli_text(&p->text, rc_record_kind_name(record->kind));
    push_cell(p);
    rc_audit_push_event(p->timeline, &p->text, record);
    push_cell(p);
    rc_audit_push_detail(p->timeline, &p->text, record);
    push_cell(p);
    push_number(p, took_ms);
    rc_buf_push_byte(p->out, '\n');
    return rc_buf_status(p->out) == RC_OK;
}

bool rc_audit_show_markdown(rc_audit_timeline *timeline, rc_store_fault *fault)
{
    const rc_audit *audit = timeline->audit;
    page p = {.timeline = timeline, .audit = audit, .out = &audit->cli->out};
    rc_buf_init(&p.text, &audit->cli->alloc, TEXT_MAX_BYTES);
    rc_cli_text(p.out, "# Operation ");
    rc_markdown_push_code(p.out, timeline->operation->operation_id);
    rc_cli_text(p.out, "\n\n");
    rc_audit_push_summary(timeline, &p.text);
    rc_audit_note_memory(audit, rc_buf_status(&p.text) == RC_OK);
    rc_markdown_push_text(p.out, rc_buf_get(&p.text));
    rc_buf_reset(&p.text);
    rc_cli_text(p.out, "\n\n");
    put_facts(&p);
    rc_cli_text(p.out, "\n| at | kind | event | detail | took |\n|---|---|---|---|---|\n");
    const bool is_good =
        rc_store_timeline(audit->store, timeline->operation->operation_id, push_record, &p, fault);
    rc_buf_done(&p.text);
    if (is_good && timeline->report != NULL &&
        timeline->operation->outcome != RC_OUTCOME_SUCCEEDED) {
        rc_buf_push_byte(p.out, '\n');
        rc_render_markdown(timeline->report, audit->view, p.out);
    }
    return is_good;
}
