/* Lower sections of the terminal panel: attempts and context. The internal view also has detail,
 * causes, sources and raw body. Called by human.c.
 *
 * Each section has a maximum number of lines and shows how much text was left out. The JSON output
 * of a report has all of the text. */
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "base/utf8.h"
#include "codec/duration.h"
#include "render/human.h"
#include "render/text.h"
#include "render/wrap.h"
#include "report/view.h"

#define DETAIL_LINES 40u
#define RAW_LINES 24u
#define CAUSE_LINES 6u
#define VALUE_LINES 8u
#define ATTEMPT_LINES 24u

/* Minimum width of a panel with a table of attempts. In a narrower panel the attempts are written
 * as sentences, because the last column of a table would be too narrow. */
#define TABLE_WIDTH_MIN 72u

/* Number of columns for the number of an attempt that is written as a sentence. */
#define SENTENCE_INDENT 3u

/* The number of entries that are shown at the beginning and at the end of a long list. */
#define ATTEMPTS_FIRST 4u
#define ATTEMPTS_LAST 8u
#define CAUSES_FIRST 8u
#define CAUSES_LAST 4u

static void put_block(rc_human *h, const rc_panel_block *block, rc_str text)
{
    rc_panel_text(&h->panel, block, rc_text_trim_end(text));
}

/* Returns the index of the next entry to show. In a long list, the middle entries are skipped, and
 * a line with their number is written. */
static size_t step(rc_human *h, size_t index, size_t count, size_t first, size_t last, rc_str what)
{
    if (index + 1 != first || count <= first + last + 1)
        return index + 1;
    rc_panel_more(&h->panel, 0, count - first - last, what);
    return count - last;
}

/* --- attempts --- */

/* The texts of one attempt. Each text has its own memory, because a table row needs all texts at
 * once. */
typedef struct attempt_text {
    rc_buf number, target, result, took, then;
    char number_memory[24];
    char target_memory[6 * RC_REPORT_NAME_MAX + 16];
    char result_memory[64];
    char took_memory[32];
    char then_memory[2 * RC_REPORT_NAME_MAX + 64];
} attempt_text;

static void push_target(rc_view view, const rc_report_attempt *attempt, rc_buf *buf)
{
    rc_view_push(view, attempt->provider, buf);
    if (attempt->provider.len && attempt->model.len)
        rc_buf_push_byte(buf, '/');
    rc_view_push(view, attempt->model, buf);
    if (attempt->credential.len) {
        rc_buf_push(buf, RC_STR(" ("));
        rc_view_push(view, attempt->credential, buf);
        rc_buf_push_byte(buf, ')');
    }
}

static void push_result(rc_buf *buf, const rc_report_attempt *attempt)
{
    rc_buf_push(buf, rc_str_c(rc_code_name(attempt->code)));
    if (attempt->status <= 0)
        return;
    if (attempt->code)
        rc_buf_push_byte(buf, ' ');
    rc_buf_push_i64(buf, attempt->status);
}

static void push_then(rc_view view, const rc_report_attempt *attempt, rc_buf *buf)
{
    if (attempt->wait_ms >= 0) {
        rc_buf_push(buf, RC_STR("waited "));
        rc_duration_push(buf, attempt->wait_ms);
        if (attempt->reason.len)
            rc_buf_push(buf, RC_STR(": "));
    }
    rc_view_push(view, attempt->reason, buf);
}

static void describe(attempt_text *t, rc_view view, const rc_report_attempt *attempt)
{
    rc_buf_init_fixed(&t->number, t->number_memory, sizeof t->number_memory);
    rc_buf_init_fixed(&t->target, t->target_memory, sizeof t->target_memory);
    rc_buf_init_fixed(&t->result, t->result_memory, sizeof t->result_memory);
    rc_buf_init_fixed(&t->took, t->took_memory, sizeof t->took_memory);
    rc_buf_init_fixed(&t->then, t->then_memory, sizeof t->then_memory);
    if (attempt->attempt > 0)
        rc_buf_push_i64(&t->number, attempt->attempt);
    push_target(view, attempt, &t->target);
    push_result(&t->result, attempt);
    if (attempt->duration_ms >= 0)
        rc_duration_push(&t->took, attempt->duration_ms);
    push_then(view, attempt, &t->then);
    rc_human_join_lines(t->target_memory, rc_buf_get(&t->target).len);
    rc_human_join_lines(t->then_memory, rc_buf_get(&t->then).len);
}

typedef struct columns {
    unsigned number, target, result, took;
} columns;

static void widen(unsigned *column, const rc_buf *text, unsigned max, bool has_utf8)
{
    unsigned width = rc_visible_width(rc_buf_get(text), has_utf8);
    if (width > max)
        width = max;
    if (width > *column)
        *column = width;
}

/* Measures the columns of the table of attempts. Each column is as wide as its widest entry, but a
 * quarter of the panel is reserved for the last column. */
static columns measure(const rc_human *h)
{
    columns c = {.number = 1, .target = 6, .result = 6, .took = 4};
    unsigned inner = h->panel.inner;
    attempt_text text;
    for (size_t i = 0; i < rc_report_attempt_count(h->report); i++) {
        describe(&text, h->view, rc_report_attempt_at(h->report, i));
        widen(&c.number, &text.number, 3, h->panel.pen.has_utf8);
        widen(&c.target, &text.target, inner, h->panel.pen.has_utf8);
        widen(&c.result, &text.result, inner / 4, h->panel.pen.has_utf8);
        widen(&c.took, &text.took, 7, h->panel.pen.has_utf8);
    }
    unsigned others = c.number + c.result + c.took + 4 * RC_PANEL_GAP + inner / 4;
    if (c.target > inner - others)
        c.target = inner - others;
    return c;
}

static void put_row(rc_human *h, const columns *c, const attempt_text *t)
{
    rc_panel_cell cells[] = {
        {rc_buf_get(&t->number), c->number}, {rc_buf_get(&t->target), c->target},
        {rc_buf_get(&t->result), c->result}, {rc_buf_get(&t->took), c->took},
        {rc_buf_get(&t->then), 0},
    };
    rc_panel_row(&h->panel, RC_TONE_PLAIN, cells, sizeof cells / sizeof *cells);
}

static void put_heading(rc_human *h, const columns *c)
{
    rc_panel_cell cells[] = {
        {RC_STR("#"), c->number},  {RC_STR("target"), c->target}, {RC_STR("result"), c->result},
        {RC_STR("took"), c->took}, {RC_STR("then"), 0},
    };
    rc_panel_row(&h->panel, RC_TONE_FAINT, cells, sizeof cells / sizeof *cells);
}

/* Writes an attempt as a sentence with its number in front, for a panel that is too narrow for a
 * table. */
static void put_sentence(rc_human *h, const attempt_text *t)
{
    rc_buf *line = rc_human_line(h);
    rc_str parts[] = {rc_buf_get(&t->target), rc_buf_get(&t->result), rc_buf_get(&t->took),
                      rc_buf_get(&t->then)};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (parts[i].len && rc_buf_get(line).len)
            rc_buf_push(line, RC_STR(", "));
        rc_buf_push(line, parts[i]);
    }
    rc_panel_block block = {
        .indent = SENTENCE_INDENT, .first_tone = RC_TONE_FAINT, .max_lines = ATTEMPT_LINES};
    rc_str number = rc_buf_get(&t->number);
    if (number.len < SENTENCE_INDENT)
        block.first = number;
    rc_panel_text(&h->panel, &block, rc_buf_get(line));
}

void rc_human_put_attempts(rc_human *h)
{
    size_t count = rc_report_attempt_count(h->report);
    if (!count || !rc_view_has(h->view, RC_STR("attempts")))
        return;
    rc_panel_section(&h->panel, RC_STR("Attempts"));
    bool is_list = h->panel.pen.width < TABLE_WIDTH_MIN;
    columns c = measure(h);
    if (!is_list)
        put_heading(h, &c);
    attempt_text text;
    size_t i = 0;
    while (i < count) {
        describe(&text, h->view, rc_report_attempt_at(h->report, i));
        if (is_list)
            put_sentence(h, &text);
        else
            put_row(h, &c, &text);
        i = step(h, i, count, ATTEMPTS_FIRST, ATTEMPTS_LAST, RC_STR(" more attempts"));
    }
}

/* --- context --- */

/* Returns how many bytes of a context value the panel shows. */
static size_t shown_bytes(const rc_context_entry *entry)
{
    return rc_utf8_cut(entry->text, RC_REPORT_NAME_MAX);
}

static void push_entry(rc_human *h, const rc_context_entry *entry)
{
    rc_buf *line = rc_human_line(h);
    rc_view_push(h->view, entry->key, line);
    rc_buf_push(line, RC_STR(": "));
    if (entry->kind == RC_VALUE_INT)
        rc_buf_push_i64(line, entry->number);
    else if (entry->kind == RC_VALUE_BOOL)
        rc_buf_push(line, entry->flag ? RC_STR("true") : RC_STR("false"));
    else
        rc_view_push(h->view, rc_str_slice(entry->text, 0, shown_bytes(entry)), line);
}

void rc_human_put_context(rc_human *h)
{
    static const rc_panel_block BLOCK = {.tone = RC_TONE_FAINT, .max_lines = VALUE_LINES};
    bool is_open = false;
    for (size_t i = 0; i < rc_report_context_count(h->report); i++) {
        const rc_context_entry *entry = rc_report_context_at(h->report, i);
        if (!rc_view_has_context(h->view, entry) || rc_human_is_id(entry->key))
            continue;
        if (!is_open)
            rc_panel_section(&h->panel, RC_STR("Context"));
        is_open = true;
        push_entry(h, entry);
        rc_human_join_lines(h->memory, rc_buf_get(&h->line).len);
        rc_panel_text(&h->panel, &BLOCK, rc_buf_get(&h->line));
        if (entry->kind == RC_VALUE_STRING && shown_bytes(entry) < entry->text.len)
            rc_panel_more(&h->panel, 0, entry->text.len - shown_bytes(entry),
                          RC_STR(" more bytes"));
    }
}

/* --- detail, causes, sources, raw body --- */

void rc_human_put_detail(rc_human *h)
{
    rc_str detail = rc_report_detail(h->report);
    if (!detail.len || !rc_view_has(h->view, RC_STR("detail")))
        return;
    rc_panel_section(&h->panel, RC_STR("Detail"));
    put_block(h, &(rc_panel_block){.max_lines = DETAIL_LINES}, detail);
}

/* Writes "└─ LLMCompletionError · RateLimited · openai" and the message below it. */
static void put_cause(rc_human *h, const rc_report *cause, unsigned indent)
{
    rc_human_line(h);
    rc_human_part(h, RC_STR(""), rc_report_error_type(cause));
    rc_human_part(h, RC_STR(""), rc_str_c(rc_code_name(rc_report_code(cause))));
    rc_human_part(h, RC_STR(""), rc_report_provider(cause));
    rc_human_part(h, RC_STR(""), rc_report_model(cause));
    if (!rc_buf_get(&h->line).len)
        rc_buf_push(&h->line, RC_STR("unknown"));

    rc_panel_block block = {
        .tone = RC_TONE_STRONG, .indent = indent + 3, .first_tone = RC_TONE_FAINT};
    char memory[64];
    rc_buf first;
    rc_buf_init_fixed(&first, memory, sizeof memory);
    for (unsigned i = 0; i < indent; i++)
        rc_buf_push_byte(&first, ' ');
    rc_buf_push(&first, rc_symbol_text(RC_SYMBOL_BRANCH, h->panel.pen.has_utf8));
    block.first = rc_buf_get(&first);
    rc_panel_text(&h->panel, &block, rc_buf_get(&h->line));

    block = (rc_panel_block){.indent = indent + 3, .max_lines = CAUSE_LINES};
    put_block(h, &block, rc_report_message(cause));
    put_block(h, &block, rc_report_detail(cause));
    block.tone = RC_TONE_FAINT;
    for (size_t i = 0; i < rc_report_source_count(cause) && i < CAUSE_LINES; i++)
        put_block(h, &block, rc_report_source_at(cause, i));
}

void rc_human_put_causes(rc_human *h)
{
    const rc_report *cause = rc_report_cause(h->report);
    if (!cause || !rc_view_has(h->view, RC_STR("cause")))
        return;
    rc_panel_section(&h->panel, RC_STR("Caused by"));
    size_t count = 0;
    for (const rc_report *c = cause; c; c = rc_report_cause(c))
        count++;
    /* The indentation grows with each cause, up to a maximum that leaves enough columns for the
     * text. */
    unsigned indent_max = (h->panel.inner - RC_VISIBLE_CHAR_WIDTH_MAX - 3) / 3 * 3;
    if (indent_max > h->panel.inner / 4)
        indent_max = h->panel.inner / 4;
    size_t shown = 0;
    for (size_t i = 0; cause; shown++) {
        unsigned indent = shown * 3 < indent_max ? (unsigned)shown * 3 : indent_max;
        put_cause(h, cause, indent);
        size_t next = step(h, i, count, CAUSES_FIRST, CAUSES_LAST, RC_STR(" more causes"));
        for (; i < next && cause; i++)
            cause = rc_report_cause(cause);
    }
}

void rc_human_put_sources(rc_human *h)
{
    static const rc_panel_block BLOCK = {.tone = RC_TONE_FAINT, .max_lines = VALUE_LINES};
    size_t count = rc_report_source_count(h->report);
    if (!count || !rc_view_has(h->view, RC_STR("error_source")))
        return;
    rc_panel_section(&h->panel, RC_STR("Source"));
    for (size_t i = 0; i < count; i++)
        rc_panel_text(&h->panel, &BLOCK, rc_report_source_at(h->report, i));
}

void rc_human_put_raw(rc_human *h)
{
    rc_str raw = rc_report_raw(h->report);
    if (!raw.len || !rc_view_has_metadata(h->view, h->report, RC_STR("raw")))
        return;
    rc_panel_section(&h->panel, RC_STR("Raw"));
    put_block(h, &(rc_panel_block){.tone = RC_TONE_FAINT, .max_lines = RAW_LINES}, raw);
}
