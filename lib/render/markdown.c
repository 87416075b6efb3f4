/* Markdown: renders a report in the same order as the terminal panel. Called by the CLI. Names are
 * written as code spans, sentences as escaped text, and bodies as fenced blocks. */
#include "render/markdown.h"

#include <recourse/render.h>
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "base/utf8.h"
#include "codec/duration.h"
#include "render/dialect.h"
#include "render/retry.h"
#include "render/text.h"
#include "report/view.h"

/* Maximum number of bytes of a raw body that are shown. Agents pay for the text that they read, so
 * the number is limited. */
#define RAW_SHOWN_BYTES 8192u

typedef struct page {
    rc_buf *buf;
    const rc_report *report;
    rc_view view;
    rc_str label; /* Label of the current list item. */
    size_t parts; /* Number of parts of the current list item that were written. The label is
                     written with the first part, so that an item without parts is left out. */
} page;

static void push(page *p, rc_str markup)
{
    rc_buf_push(p->buf, markup);
}

/* --- list items: "- **Where:** `openai`, `gpt-4o`" --- */

static void item_begin(page *p, rc_str label)
{
    p->label = label;
    p->parts = 0;
}

static void part_begin(page *p, rc_str before)
{
    if (p->parts++ > 0) {
        push(p, RC_STR(", "));
    } else if (p->label.len) {
        push(p, RC_STR("- **"));
        push(p, p->label);
        push(p, RC_STR(":** "));
    }
    push(p, before);
}

static void item_end(page *p)
{
    if (p->parts > 0)
        push(p, RC_STR("\n"));
}

static void push_code(page *p, rc_str text)
{
    rc_text_scratch scratch;
    rc_markdown_push_code(p->buf, rc_view_text(p->view, text, &scratch));
}

static void put_code(page *p, rc_str before, rc_str text)
{
    if (text.len == 0)
        return;
    part_begin(p, before);
    push_code(p, text);
}

static void put_number(page *p, rc_str before, int64_t value)
{
    if (value <= 0)
        return;
    part_begin(p, before);
    rc_buf_push_i64(p->buf, value);
}

static void push_inline(page *p, rc_str text)
{
    rc_text_scratch scratch;
    rc_markdown_push_inline(p->buf, rc_view_text(p->view, text, &scratch));
}

/* --- error, retry advice, action --- */

static void put_heading(page *p)
{
    rc_code code = rc_report_code(p->report);
    const rc_code_info *info = rc_code_get(code);
    push(p, RC_STR("## "));
    if (info) {
        rc_render_words(p->buf, rc_str_c(info->name));
        push(p, RC_STR(" ("));
        push_code(p, rc_str_c(info->name));
        push(p, RC_STR(")"));
    } else {
        push(p, RC_STR("Unknown error"));
    }
    push(p, RC_STR("\n\n"));
}

static void put_message(page *p)
{
    rc_text_scratch scratch;
    rc_markdown_push_text(p->buf, rc_view_text(p->view, rc_render_message(p->report), &scratch));
    push(p, RC_STR("\n\n"));
}

static void put_advice(page *p)
{
    rc_str title = rc_str_c(rc_user_action_title(rc_report_action(p->report)));
    rc_str detail = rc_report_action_detail(p->report);
    push(p, RC_STR("- **Retry:** "));
    rc_render_retry_advice(p->buf, p->report, NULL);
    push(p, RC_STR("\n"));
    if (!title.len && !detail.len)
        return;
    push(p, RC_STR("- **Next:** "));
    push(p, title);
    push(p, title.len ? RC_STR(". ") : RC_STR(""));
    push_inline(p, detail);
    push(p, RC_STR("\n"));
}

/* --- target and ids --- */

static void put_kind(page *p)
{
    item_begin(p, RC_STR("Kind"));
    put_code(p, RC_STR(""), rc_report_error_type(p->report));
    put_code(p, RC_STR(""), rc_str_c(rc_class_name(rc_report_class(p->report))));
    if (rc_view_has(p->view, RC_STR("error_category")))
        put_code(p, RC_STR(""), rc_str_c(rc_category_name(rc_report_category(p->report))));
    if (rc_view_has(p->view, RC_STR("error_domain")))
        put_code(p, RC_STR(""), rc_str_c(rc_domain_name(rc_report_domain(p->report))));
    item_end(p);
}

static void put_where(page *p)
{
    item_begin(p, RC_STR("Where"));
    put_code(p, RC_STR(""), rc_report_provider(p->report));
    put_code(p, RC_STR(""), rc_report_model(p->report));
    if (rc_view_has_metadata(p->view, p->report, RC_STR("status")))
        put_number(p, RC_STR("HTTP "), rc_report_provider_status(p->report));
    if (rc_view_has_metadata(p->view, p->report, RC_STR("limit_kind")))
        put_code(p, RC_STR("limit "),
                 rc_str_c(rc_limit_kind_name(rc_report_limit_kind(p->report))));
    item_end(p);

    item_begin(p, RC_STR("Upstream"));
    if (rc_view_has_metadata(p->view, p->report, RC_STR("type")))
        put_code(p, RC_STR("type "), rc_report_provider_type(p->report));
    if (rc_view_has_metadata(p->view, p->report, RC_STR("code")))
        put_code(p, RC_STR("code "), rc_report_provider_code(p->report));
    if (rc_view_has_metadata(p->view, p->report, RC_STR("param")))
        put_code(p, RC_STR("param "), rc_report_provider_param(p->report));
    if (rc_view_has_metadata(p->view, p->report, RC_STR("request_id")))
        put_code(p, RC_STR("request "), rc_report_request_id(p->report));
    item_end(p);
}

static void put_ids(page *p)
{
    item_begin(p, RC_STR("Report"));
    put_code(p, RC_STR(""), rc_report_id(p->report));
    put_number(p, RC_STR("responded with HTTP "), rc_report_http_status(p->report));
    if (rc_view_has(p->view, RC_STR("rule")))
        put_code(p, RC_STR("by rule "), rc_report_rule(p->report));
    item_end(p);
}

static void put_context(page *p)
{
    for (size_t i = 0; i < rc_report_context_count(p->report); i++) {
        const rc_context_entry *entry = rc_report_context_at(p->report, i);
        if (!rc_view_has_context(p->view, entry))
            continue;
        push(p, RC_STR("- "));
        push_code(p, entry->key);
        push(p, RC_STR(": "));
        if (entry->kind == RC_VALUE_INT)
            rc_buf_push_i64(p->buf, entry->number);
        else if (entry->kind == RC_VALUE_BOOL)
            push(p, entry->flag ? RC_STR("true") : RC_STR("false"));
        else if (rc_str_find_byte(entry->text, '\n', 0) == RC_STR_NPOS)
            push_code(p, entry->text);
        else
            push_inline(p, entry->text);
        push(p, RC_STR("\n"));
    }
}

/* --- attempts --- */

static void cell(page *p, rc_str text)
{
    push_inline(p, text);
    push(p, RC_STR(" | "));
}

static void cell_duration(page *p, int64_t ms)
{
    if (ms >= 0)
        rc_duration_push(p->buf, ms);
    push(p, RC_STR(" | "));
}

static void put_attempt(page *p, const rc_report_attempt *attempt)
{
    push(p, RC_STR("| "));
    rc_buf_push_i64(p->buf, attempt->attempt);
    push(p, RC_STR(" | "));
    cell(p, attempt->provider);
    cell(p, attempt->model);
    cell(p, attempt->credential);
    push(p, rc_str_c(rc_code_name(attempt->code)));
    if (attempt->status > 0) {
        push(p, attempt->code ? RC_STR(" ") : RC_STR(""));
        rc_buf_push_i64(p->buf, attempt->status);
    }
    push(p, RC_STR(" | "));
    cell_duration(p, attempt->duration_ms);
    cell_duration(p, attempt->wait_ms);
    push_inline(p, attempt->reason);
    push(p, RC_STR(" |\n"));
}

static void put_attempts(page *p)
{
    size_t count = rc_report_attempt_count(p->report);
    if (!count || !rc_view_has(p->view, RC_STR("attempts")))
        return;
    push(p, RC_STR("\n### Attempts\n\n"
                   "| # | provider | model | credential | result | took | waited | reason |\n"
                   "|---|---|---|---|---|---|---|---|\n"));
    for (size_t i = 0; i < count; i++)
        put_attempt(p, rc_report_attempt_at(p->report, i));
}

/* --- detail, causes, sources, raw body --- */

static void put_block(page *p, rc_str heading, rc_str text, size_t max_bytes)
{
    if (text.len == 0)
        return;
    size_t shown = rc_utf8_cut(text, max_bytes);
    push(p, heading);
    rc_markdown_push_block(p->buf, rc_str_slice(text, 0, shown));
    if (shown == text.len)
        return;
    push(p, RC_STR("\n("));
    rc_buf_push_u64(p->buf, text.len - shown);
    push(p, RC_STR(" more bytes)\n"));
}

static void put_causes(page *p)
{
    const rc_report *cause = rc_report_cause(p->report);
    if (!cause || !rc_view_has(p->view, RC_STR("cause")))
        return;
    push(p, RC_STR("\n### Caused by\n\n"));
    for (uint64_t number = 1; cause; cause = rc_report_cause(cause), number++) {
        rc_buf_push_u64(p->buf, number);
        push(p, RC_STR(". "));
        item_begin(p, RC_STR(""));
        put_code(p, RC_STR(""), rc_report_error_type(cause));
        put_code(p, RC_STR(""), rc_str_c(rc_code_name(rc_report_code(cause))));
        put_code(p, RC_STR(""), rc_report_provider(cause));
        push(p, RC_STR(": "));
        push_inline(p, rc_render_message(cause));
        if (rc_report_detail(cause).len) {
            push(p, RC_STR(" "));
            push_code(p, rc_report_detail(cause));
        }
        push(p, RC_STR("\n"));
    }
}

static void put_sources(page *p)
{
    if (!rc_view_has(p->view, RC_STR("error_source")))
        return;
    bool is_open = false;
    for (const rc_report *report = p->report; report; report = rc_report_cause(report)) {
        for (size_t i = 0; i < rc_report_source_count(report); i++) {
            push(p, is_open ? RC_STR("- ") : RC_STR("\n### Source\n\n- "));
            push_code(p, rc_report_source_at(report, i));
            push(p, RC_STR("\n"));
            is_open = true;
        }
    }
}

rc_status rc_render_markdown(const rc_report *report, rc_view view, rc_buf *buf)
{
    page p = {.buf = buf, .report = report, .view = rc_view_checked(view)};
    put_heading(&p);
    put_message(&p);
    put_advice(&p);
    put_kind(&p);
    put_where(&p);
    put_ids(&p);
    put_context(&p);
    put_attempts(&p);
    if (rc_view_has(p.view, RC_STR("detail")))
        put_block(&p, RC_STR("\n### Detail\n\n"), rc_report_detail(report), RC_REPORT_DETAIL_MAX);
    put_causes(&p);
    put_sources(&p);
    if (rc_view_has_metadata(p.view, p.report, RC_STR("raw")))
        put_block(&p, RC_STR("\n### Raw\n\n"), rc_report_raw(report), RAW_SHOWN_BYTES);
    return rc_buf_status(buf);
}
