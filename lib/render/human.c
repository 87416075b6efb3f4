/* Terminal panel of a report: shows the failure, whether a retry may help, the advice and the
 * target. In the internal view the panel also shows the report's details. Called by the CLI. */
#include <recourse/render.h>
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "base/utf8.h"
#include "render/dialect.h"
#include "render/human.h"
#include "render/retry.h"
#include "render/text.h"
#include "report/report_private.h"
#include "report/view.h"

/* --- composing one line --- */

rc_buf *rc_human_line(rc_human *h)
{
    rc_buf_init_fixed(&h->line, h->memory, sizeof h->memory);
    return &h->line;
}

void rc_human_part(rc_human *h, rc_str before, rc_str text)
{
    if (text.len == 0)
        return;
    if (rc_buf_get(&h->line).len)
        rc_buf_push(&h->line, rc_symbol_text(RC_SYMBOL_SEPARATOR, h->panel.pen.has_utf8));
    rc_buf_push(&h->line, before);
    size_t start = rc_buf_get(&h->line).len;
    rc_view_push(h->view, text, &h->line);
    rc_human_join_lines(h->memory + start, rc_buf_get(&h->line).len - start);
}

void rc_human_join_lines(char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] == '\n')
            text[i] = ' ';
    }
}

static void part_number(rc_human *h, rc_str before, int64_t value)
{
    char memory[24];
    rc_buf digits;
    rc_buf_init_fixed(&digits, memory, sizeof memory);
    rc_buf_push_i64(&digits, value);
    rc_human_part(h, before, rc_buf_get(&digits));
}

/* --- error, retry advice, action --- */

static void put_title(rc_human *h)
{
    rc_code code = rc_report_code(h->report);
    const rc_code_info *info = rc_code_get(code);
    rc_buf *line = rc_human_line(h);
    rc_buf_push(line, rc_symbol_text(rc_render_symbol(h->report), h->panel.pen.has_utf8));
    rc_buf_push_byte(line, ' ');
    if (info)
        rc_render_words(line, rc_str_c(info->name));
    else
        rc_buf_push(line, RC_STR("Unknown error"));
    rc_str title = rc_buf_get(line);

    char memory[128];
    rc_buf tag;
    rc_buf_init_fixed(&tag, memory, sizeof memory);
    rc_buf_push(&tag, rc_str_c(rc_class_name(rc_report_class(h->report))));
    if (rc_buf_get(&tag).len && code)
        rc_buf_push_byte(&tag, '/');
    rc_buf_push(&tag, rc_str_c(rc_code_name(code)));
    h->has_tag = rc_panel_open(&h->panel, title, rc_buf_get(&tag));
}

static void put_message(rc_human *h)
{
    static const rc_panel_block BLOCK = {.tone = RC_TONE_PLAIN};
    rc_text_scratch scratch;
    rc_str message = rc_view_text(h->view, rc_render_message(h->report), &scratch);
    rc_panel_text(&h->panel, &BLOCK, rc_text_trim_end(message));
    rc_panel_blank(&h->panel);
}

static void put_retry(rc_human *h)
{
    rc_buf *line = rc_human_line(h);
    rc_render_retry_advice(line, h->report, h->style);
    rc_panel_field(&h->panel, RC_STR("Retry"), RC_TONE_PLAIN, rc_buf_get(line));
}

static void put_action(rc_human *h)
{
    rc_text_scratch scratch;
    rc_str title = rc_str_c(rc_user_action_title(rc_report_action(h->report)));
    rc_str detail = rc_view_text(h->view, rc_report_action_detail(h->report), &scratch);
    rc_panel_field(&h->panel, RC_STR("Next"), RC_TONE_STRONG, title);
    rc_panel_field(&h->panel, title.len ? RC_STR("") : RC_STR("Next"), RC_TONE_PLAIN, detail);
}

/* --- target and ids --- */

static void put_line(rc_human *h, rc_str label)
{
    if (rc_buf_get(&h->line).len && !h->has_ids) {
        rc_panel_blank(&h->panel);
        h->has_ids = true;
    }
    rc_panel_field(&h->panel, label, RC_TONE_FAINT, rc_buf_get(&h->line));
}

static void put_where(rc_human *h)
{
    const rc_report *report = h->report;
    rc_human_line(h);
    rc_human_part(h, RC_STR(""), rc_report_provider(report));
    rc_human_part(h, RC_STR(""), rc_report_model(report));
    if (rc_report_provider_status(report) &&
        rc_view_has_metadata(h->view, h->report, RC_STR("status")))
        part_number(h, RC_STR("HTTP "), rc_report_provider_status(report));
    if (rc_view_has_metadata(h->view, h->report, RC_STR("limit_kind")))
        rc_human_part(h, RC_STR("limit: "),
                      rc_str_c(rc_limit_kind_name(rc_report_limit_kind(report))));
    put_line(h, RC_STR("Where"));
}

static void put_provider_words(rc_human *h)
{
    rc_human_line(h);
    if (rc_view_has_metadata(h->view, h->report, RC_STR("type")))
        rc_human_part(h, RC_STR("type "), rc_report_provider_type(h->report));
    if (rc_view_has_metadata(h->view, h->report, RC_STR("code")))
        rc_human_part(h, RC_STR("code "), rc_report_provider_code(h->report));
    if (rc_view_has_metadata(h->view, h->report, RC_STR("param")))
        rc_human_part(h, RC_STR("param "), rc_report_provider_param(h->report));
    put_line(h, RC_STR("Upstream"));
    rc_human_line(h);
    if (rc_view_has_metadata(h->view, h->report, RC_STR("request_id")))
        rc_human_part(h, RC_STR(""), rc_report_request_id(h->report));
    put_line(h, RC_STR("Request"));
}

/* Context entries that are shown in the line of ids. */
static const struct {
    rc_str key;
    rc_str before;
} IDS[] = {
    {RC_STR_INIT("run_id"), RC_STR_INIT("run ")},
    {RC_STR_INIT("node_id"), RC_STR_INIT("node ")},
    {RC_STR_INIT("session_id"), RC_STR_INIT("session ")},
    {RC_STR_INIT("attempt"), RC_STR_INIT("attempt ")},
};

bool rc_human_is_id(rc_str key)
{
    if (rc_str_eq(key, RC_STR(RC_KEY_WAIT_BY)))
        return true;
    for (size_t i = 0; i < sizeof IDS / sizeof *IDS; i++) {
        if (rc_str_eq(IDS[i].key, key))
            return true;
    }
    return false;
}

static void put_ids(rc_human *h)
{
    rc_human_line(h);
    for (size_t i = 0; i < sizeof IDS / sizeof *IDS; i++) {
        const rc_context_entry *entry = rc_report_context_get(h->report, IDS[i].key);
        if (!entry || !rc_view_has_context(h->view, entry))
            continue;
        if (entry->kind == RC_VALUE_STRING)
            rc_human_part(
                h, IDS[i].before,
                rc_str_slice(entry->text, 0, rc_utf8_cut(entry->text, RC_REPORT_NAME_MAX)));
        else if (entry->kind == RC_VALUE_INT)
            part_number(h, IDS[i].before, entry->number);
    }
    put_line(h, RC_STR("Run"));
}

static void put_kind(rc_human *h)
{
    const rc_report *report = h->report;
    rc_human_line(h);
    if (!h->has_tag)
        rc_human_part(h, RC_STR(""), rc_str_c(rc_code_name(rc_report_code(report))));
    if (!h->has_tag)
        rc_human_part(h, RC_STR(""), rc_str_c(rc_class_name(rc_report_class(report))));
    rc_human_part(h, RC_STR(""), rc_report_error_type(report));
    if (rc_view_has(h->view, RC_STR("error_category")))
        rc_human_part(h, RC_STR(""), rc_str_c(rc_category_name(rc_report_category(report))));
    if (rc_view_has(h->view, RC_STR("error_domain")))
        rc_human_part(h, RC_STR(""), rc_str_c(rc_domain_name(rc_report_domain(report))));
    put_line(h, RC_STR("Kind"));
}

static void put_report_id(rc_human *h)
{
    int status = rc_report_http_status(h->report);
    rc_human_line(h);
    if (rc_view_has(h->view, RC_STR("rule")))
        rc_human_part(h, RC_STR(""), rc_report_rule(h->report));
    put_line(h, RC_STR("Rule"));
    rc_human_line(h);
    if (status && !h->style->is_status_hidden) {
        part_number(h, RC_STR("HTTP "), status);
        rc_buf_push_byte(&h->line, ' ');
        rc_buf_push(&h->line, rc_http_phrase(status));
    }
    put_line(h, RC_STR("Answer"));
    rc_human_line(h);
    rc_human_part(h, RC_STR(""), rc_report_id(h->report));
    put_line(h, RC_STR("Report"));
}

rc_status rc_render_human(const rc_report *report, rc_view view, const rc_panel_style *style,
                          rc_buf *buf)
{
    static const rc_panel_style PLAIN = {0};
    rc_human human = {
        .report = report, .view = rc_view_checked(view), .style = style ? style : &PLAIN};
    rc_panel_init(&human.panel, human.style, rc_render_tone(report), buf);
    put_title(&human);
    put_message(&human);
    put_retry(&human);
    put_action(&human);
    put_kind(&human);
    put_where(&human);
    put_provider_words(&human);
    put_ids(&human);
    put_report_id(&human);
    rc_human_put_attempts(&human);
    rc_human_put_context(&human);
    rc_human_put_detail(&human);
    rc_human_put_causes(&human);
    rc_human_put_sources(&human);
    rc_human_put_raw(&human);
    rc_panel_close(&human.panel);
    return rc_buf_status(buf);
}
