/* `audit show` in the human format: a summary panel, one line per record with its time and a bar,
 * and the report's panel with the advice. Called by show.c.
 *
 *     2 ms  ✗ attempt 1  openai/gpt-4o (openai-1)  ███                      1.92 s
 *             RateLimited, HTTP 429: openai is limiting the rate of requests.
 *   1.92 s  ↻ waits as long as the server asked       ░░░░░░░░              4.00 s */
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "base/utf8.h"
#include "cli/audit/audit.h"
#include "render/panel.h"
#include "sys/clock.h"

#define TEXT_MAX_BYTES ((size_t)1 << 20)

/* Layout of a line: time, symbol, text, bar, duration. */
#define TIME_COLUMNS 8u
#define TEXT_AT (TIME_COLUMNS + 4)
#define TOOK_COLUMNS 8u
#define BAR_MIN_WIDTH 64u
/* Limit of the details of one record; the JSON format has the whole text. */
#define DETAIL_LINES 6u
#define NOTE_MAX 300

typedef struct page {
    rc_audit_timeline *timeline;
    const rc_audit *audit;
    rc_buf *out;
    rc_pen pen;
    rc_buf text; /* Text of the current line. */
    unsigned bar_columns;
    unsigned text_columns; /* Width of the text when a bar follows it. */
} page;

/* ---- lines ---- */

/* Appends a duration, right-aligned so that it ends before column `end`. */
static void push_ms(page *p, rc_tone tone, int64_t ms, unsigned end)
{
    char scratch[32];
    rc_buf number;
    rc_buf_init_fixed(&number, scratch, sizeof(scratch));
    rc_audit_push_ms(&number, ms);
    const unsigned len = (unsigned)rc_buf_get(&number).len;
    rc_pen_to(&p->pen, len < end ? end - len : 0);
    rc_pen_text(&p->pen, tone, rc_buf_get(&number));
}

/* First and last cell of a bar; the bar of a record without duration has one cell. */
typedef struct bar {
    unsigned from;
    unsigned to;
} bar;

static bar bar_of(const page *p, int64_t from_ms, int64_t took_ms)
{
    const int64_t total = p->timeline->total_ms > 0 ? p->timeline->total_ms : 1;
    const int64_t cells = p->bar_columns;
    int64_t from = from_ms * cells / total;
    int64_t to = ((from_ms + took_ms) * cells + total - 1) / total;
    from = from < cells ? from : cells - 1;
    to = to < cells ? to : cells;
    return (bar){.from = (unsigned)from, .to = (unsigned)(to > from ? to : from + 1)};
}

static void push_bar(page *p, rc_tone tone, bar b, bool is_wait)
{
    const unsigned end = p->pen.column + p->bar_columns;
    rc_pen_skip(&p->pen, b.from);
    for (unsigned i = b.from; i < b.to; i++)
        rc_pen_symbol(&p->pen, tone, is_wait ? RC_SYMBOL_SHADE : RC_SYMBOL_FULL);
    rc_pen_to(&p->pen, end);
}

/* Appends the remaining lines of a wrapped text, at most max_lines. */
static void push_lines(page *p, rc_wrap *wrap, rc_tone tone, unsigned indent, unsigned max_lines)
{
    const unsigned width = p->pen.width;
    if (rc_pen_wrap_rest(&p->pen, tone, indent, wrap, max_lines))
        return;
    rc_pen_to(&p->pen, indent);
    rc_pen_symbol(&p->pen, RC_TONE_FAINT, RC_SYMBOL_MORE);
    rc_pen_cut(&p->pen, RC_TONE_FAINT, RC_STR(" more in --format json"),
               width > p->pen.column ? width - p->pen.column : 0);
    rc_pen_end_line(&p->pen);
}

/* ---- records ---- */

typedef struct look {
    rc_symbol symbol;
    rc_tone tone;
} look;

static const look good = {RC_SYMBOL_GOOD, RC_TONE_GOOD};
static const look bad = {RC_SYMBOL_BAD, RC_TONE_BAD};
static const look calm = {RC_SYMBOL_STOPPED, RC_TONE_FAINT};

static look look_of_attempt(rc_outcome outcome)
{
    if (outcome == RC_OUTCOME_SUCCEEDED)
        return good;
    if (outcome == RC_OUTCOME_OPEN)
        return (look){RC_SYMBOL_OPEN, RC_TONE_FAINT};
    return outcome == RC_OUTCOME_FAILED ? bad : calm;
}

static look look_of(const rc_audit_timeline *timeline, const rc_record *record)
{
    switch (record->kind) {
    case RC_RECORD_ATTEMPT:
        return look_of_attempt(rc_audit_attempt_outcome(timeline->operation, record));
    case RC_RECORD_OUTCOME:
        if (timeline->operation->outcome == RC_OUTCOME_SUCCEEDED)
            return good;
        return timeline->operation->outcome == RC_OUTCOME_FAILED ? bad : calm;
    case RC_RECORD_WAIT:
        return (look){RC_SYMBOL_RETRY, RC_TONE_WARN};
    case RC_RECORD_SWITCH:
        return (look){RC_SYMBOL_NEXT, RC_TONE_PLAIN};
    case RC_RECORD_SKIP:
        return (look){RC_SYMBOL_SKIPPED, RC_TONE_FAINT};
    case RC_RECORD_STOP:
    case RC_RECORD_CANCEL:
        return calm;
    case RC_RECORD_SUPPRESSED:
    case RC_RECORD_INTERACTION:
    case RC_RECORD_SERVICE:
        return (look){RC_SYMBOL_NOTICE, RC_TONE_STRONG};
    case RC_RECORD_QUOTA:
        return (look){RC_SYMBOL_NOTICE, RC_TONE_WARN};
    case RC_RECORD_NONE:
    case RC_RECORD_BEGIN:
        break;
    }
    return (look){RC_SYMBOL_ITEM, RC_TONE_PLAIN};
}

/* Prints p->text; a bar and the duration follow the first line. */
static void push_barred(page *p, const rc_record *record, look l, int64_t from_ms, int64_t took_ms)
{
    rc_wrap wrap;
    rc_wrap_line line = {.width = 0};
    rc_wrap_init(&wrap, rc_buf_get(&p->text), p->pen.has_utf8);
    if (rc_wrap_next(&wrap, p->text_columns, &line))
        rc_pen_text(&p->pen, RC_TONE_PLAIN, line.text);
    rc_pen_to(&p->pen, TEXT_AT + p->text_columns + 1);
    push_bar(p, l.tone, bar_of(p, from_ms, took_ms), record->kind == RC_RECORD_WAIT);
    push_ms(p, RC_TONE_PLAIN, took_ms, p->pen.column + TOOK_COLUMNS);
    rc_pen_end_line(&p->pen);
    push_lines(p, &wrap, RC_TONE_PLAIN, TEXT_AT, DETAIL_LINES);
}

/* Prints p->text over the whole width, followed by the duration. */
static void push_unbarred(page *p, int64_t took_ms)
{
    rc_wrap wrap;
    if (took_ms >= 0) {
        rc_cli_text(&p->text, ", ");
        rc_audit_push_ms(&p->text, took_ms);
    }
    rc_wrap_init(&wrap, rc_buf_get(&p->text), p->pen.has_utf8);
    push_lines(p, &wrap, RC_TONE_PLAIN, TEXT_AT, DETAIL_LINES + 1);
}

static void push_detail(page *p, const rc_record *record)
{
    rc_wrap wrap;
    rc_buf_reset(&p->text);
    rc_audit_push_detail(p->timeline, &p->text, record);
    rc_audit_note_memory(p->audit, rc_buf_status(&p->text) == RC_OK);
    rc_wrap_init(&wrap, rc_buf_get(&p->text), p->pen.has_utf8);
    push_lines(p, &wrap, RC_TONE_FAINT, TEXT_AT + 2, DETAIL_LINES);
}

static bool push_record(void *ctx, const rc_record *record)
{
    page *p = ctx;
    const look l = look_of(p->timeline, record);
    int64_t from_ms = 0;
    int64_t took_ms = -1;
    rc_audit_span(record, &from_ms, &took_ms);
    rc_buf_reset(&p->text);
    rc_audit_push_event(p->timeline, &p->text, record);
    rc_audit_note_memory(p->audit, rc_buf_status(&p->text) == RC_OK);
    push_ms(p, RC_TONE_FAINT, from_ms, TIME_COLUMNS);
    rc_pen_skip(&p->pen, 2);
    rc_pen_symbol(&p->pen, l.tone, l.symbol);
    rc_pen_skip(&p->pen, 1);
    if (took_ms >= 0 && p->bar_columns > 0)
        push_barred(p, record, l, from_ms, took_ms);
    else
        push_unbarred(p, took_ms);
    push_detail(p, record);
    return rc_buf_status(p->out) == RC_OK;
}

/* ---- summary panel ---- */

static rc_tone frame_of(const rc_record *operation)
{
    if (operation->outcome == RC_OUTCOME_FAILED)
        return RC_TONE_BAD;
    return operation->has_recovered ? RC_TONE_WARN : RC_TONE_ACCENT;
}

/* Adds p->text to the panel as a field with this label, and empties p->text. */
static void put_field(page *p, rc_panel *panel, const char *label)
{
    rc_audit_note_memory(p->audit, rc_buf_status(&p->text) == RC_OK);
    rc_panel_field(panel, rc_str_c(label), RC_TONE_PLAIN, rc_buf_get(&p->text));
    rc_buf_reset(&p->text);
}

static void put_part(page *p, const char *before, rc_str text)
{
    if (text.len == 0)
        return;
    if (rc_buf_get(&p->text).len > 0)
        rc_audit_push_symbol(p->audit, &p->text, RC_SYMBOL_SEPARATOR);
    rc_cli_text(&p->text, before);
    rc_audit_push_flat(&p->text, text);
}

static void put_when(page *p, rc_panel *panel)
{
    const rc_record *operation = p->timeline->operation;
    rc_audit_push_date_time(p->audit, &p->text, rc_audit_began_unix_ms(operation));
    rc_cli_text(&p->text, ", ");
    rc_audit_push_ago(p->audit, &p->text, rc_audit_began_unix_ms(operation));
    put_field(p, panel, "When");
    if (operation->latency_ms >= 0) {
        rc_audit_push_ms(&p->text, operation->latency_ms);
        if (operation->first_byte_ms >= 0) {
            rc_cli_text(&p->text, ", first byte after ");
            rc_audit_push_ms(&p->text, operation->first_byte_ms);
        }
    }
    put_field(p, panel, "Took");
}

static void put_request(page *p, rc_panel *panel)
{
    const rc_record *operation = p->timeline->operation;
    put_part(p, "client ", operation->client);
    put_part(p, "model ", operation->model);
    put_part(p, "route ", operation->route);
    if ((operation->flags & RC_RECORD_STREAMING) != 0)
        put_part(p, "", RC_STR("streamed"));
    put_field(p, panel, "Request");
    put_part(p, "", rc_str_slice(operation->text, 0, rc_utf8_cut(operation->text, NOTE_MAX)));
    put_field(p, panel, "Note");
    if (rc_str_eq(operation->report_id, operation->operation_id))
        return;
    put_part(p, "", operation->report_id);
    put_field(p, panel, "Report");
}

static void push_head(page *p)
{
    const rc_record *operation = p->timeline->operation;
    const rc_panel_block strong = {.tone = RC_TONE_STRONG};
    rc_panel panel;
    char scratch[96];
    rc_buf title;
    rc_buf_init_fixed(&title, scratch, sizeof(scratch));
    rc_audit_push_outcome(p->audit, &title, operation);
    rc_panel_init(&panel, &p->audit->style, frame_of(operation), p->out);
    const bool has_id = rc_panel_open(&panel, rc_buf_get(&title), operation->operation_id);
    rc_audit_push_summary(p->timeline, &p->text);
    rc_audit_note_memory(p->audit, rc_buf_status(&p->text) == RC_OK);
    rc_panel_text(&panel, &strong, rc_buf_get(&p->text));
    rc_buf_reset(&p->text);
    rc_panel_blank(&panel);
    put_when(p, &panel);
    rc_audit_push_usage(&p->text, operation);
    put_field(p, &panel, "Cost");
    put_request(p, &panel);
    if (!has_id)
        rc_panel_field(&panel, RC_STR("Id"), RC_TONE_PLAIN, operation->operation_id);
    rc_panel_close(&panel);
}

/* Prints the report's panel. A wait such as "retry in 20s" counts from the time of the failure, not
 * from now. */
static void push_report(const page *p)
{
    const rc_record *operation = p->timeline->operation;
    rc_panel_style style = p->audit->style;
    if (p->timeline->report == NULL || operation->outcome == RC_OUTCOME_SUCCEEDED ||
        operation->outcome == RC_OUTCOME_CANCELLED)
        return;
    style.now_unix_ms = rc_audit_began_unix_ms(operation) + p->timeline->total_ms;
    style.utc_offset_s = rc_clock_utc_offset_s(p->audit->cli->calls, style.now_unix_ms);
    style.is_status_hidden = operation->outcome != RC_OUTCOME_FAILED;
    rc_buf_push_byte(p->out, '\n');
    rc_render_human(p->timeline->report, p->audit->view, &style, p->out);
}

bool rc_audit_show_human(rc_audit_timeline *timeline, rc_store_fault *fault)
{
    const rc_audit *audit = timeline->audit;
    page p = {.timeline = timeline, .audit = audit, .out = &audit->cli->out};
    const unsigned width = audit->style.width;
    rc_pen_init(&p.pen, &audit->style, p.out);
    rc_buf_init(&p.text, &audit->cli->alloc, TEXT_MAX_BYTES);
    if (width >= BAR_MIN_WIDTH) {
        p.bar_columns = width / 3 - 10;
        p.text_columns = width - TEXT_AT - 1 - p.bar_columns - TOOK_COLUMNS;
    }
    push_head(&p);
    rc_buf_push_byte(p.out, '\n');
    const bool is_good =
        rc_store_timeline(audit->store, timeline->operation->operation_id, push_record, &p, fault);
    rc_buf_done(&p.text);
    if (is_good)
        push_report(&p);
    return is_good;
}
