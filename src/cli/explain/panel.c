/* The panel of explain: verdict, wait, advice, then the evidence. The panel of explain is shorter
 * than the panel of `render`, which shows every field of a report. Called by explain.c. */
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "base/utf8.h"
#include "cli/explain/explain.h"
#include "render/panel.h"
#include "render/retry.h"
#include "render/text.h"
#include "scrub/scrub.h"

/* Size of one composed line: four names and the text between them. */
#define LINE_BYTES (5 * RC_REPORT_NAME_MAX + 256)
/* Limit of the bytes of the provider's message, which is a few lines. */
#define MESSAGE_MAX 480

typedef struct sheet {
    rc_panel panel;
    const rc_report *report;
    const rc_panel_style *style;
    rc_buf line;
    char scratch[LINE_BYTES];
} sheet;

static rc_buf *begin_line(sheet *s)
{
    rc_buf_init_fixed(&s->line, s->scratch, sizeof s->scratch);
    return &s->line;
}

/* Adds one part to the line, after a separator unless the part is the first; adds nothing for an
 * empty text. `before`: text in front of the part. */
static void add_part(sheet *s, rc_str before, rc_str text)
{
    if (text.len == 0)
        return;
    if (rc_buf_get(&s->line).len > 0)
        rc_buf_push(&s->line, rc_symbol_text(RC_SYMBOL_SEPARATOR, s->panel.pen.has_utf8));
    rc_buf_push(&s->line, before);
    rc_buf_push(&s->line, text);
}

/* Writes where the failure happened into the line, such as "groq · HTTP 429". Returns a view of the
 * line. */
static rc_str compose_where(sheet *s)
{
    char digits[24];
    rc_buf number;
    begin_line(s);
    rc_str provider = rc_report_provider(s->report);
    add_part(s, RC_STR(""), rc_str_slice(provider, 0, rc_utf8_cut(provider, 64)));
    rc_buf_init_fixed(&number, digits, sizeof digits);
    if (rc_report_provider_status(s->report) > 0) {
        rc_buf_push_i64(&number, rc_report_provider_status(s->report));
        add_part(s, RC_STR("HTTP "), rc_buf_get(&number));
    }
    return rc_buf_get(&s->line);
}

static void open_panel(sheet *s)
{
    char scratch[64];
    rc_buf title;
    rc_buf_init_fixed(&title, scratch, sizeof scratch);
    rc_buf_push(&title, rc_symbol_text(rc_render_symbol(s->report), s->panel.pen.has_utf8));
    rc_buf_push_byte(&title, ' ');
    rc_buf_push(&title, rc_str_c(rc_code_name(rc_report_code(s->report))));
    rc_str where = compose_where(s);
    if (rc_panel_open(&s->panel, rc_buf_get(&title), where))
        return;
    rc_panel_field(&s->panel, RC_STR("Where"), RC_TONE_PLAIN, where);
}

static void put_verdict(sheet *s)
{
    static const rc_panel_block BLOCK = {.tone = RC_TONE_STRONG};
    rc_panel_text(&s->panel, &BLOCK, rc_text_trim_end(rc_report_message(s->report)));
    rc_panel_blank(&s->panel);
    rc_buf *line = begin_line(s);
    rc_render_retry_advice(line, s->report, s->style);
    rc_panel_field(&s->panel, RC_STR("Retry"), RC_TONE_PLAIN, rc_buf_get(line));
    rc_str detail = rc_report_action_detail(s->report);
    if (detail.len == 0)
        detail = rc_str_c(rc_user_action_title(rc_report_action(s->report)));
    rc_panel_field(&s->panel, RC_STR("Next"), RC_TONE_PLAIN, detail);
}

/* Adds the provider's message as one quoted paragraph. */
static void put_provider_message(sheet *s, rc_str label, rc_str message)
{
    char scratch[MESSAGE_MAX + 16];
    rc_buf quoted;
    rc_str text = rc_str_trim(message);
    if (text.len == 0)
        return;
    rc_buf_init_fixed(&quoted, scratch, sizeof scratch);
    rc_buf_push(&quoted, rc_symbol_text(RC_SYMBOL_QUOTE, s->panel.pen.has_utf8));
    rc_scrub(text, MESSAGE_MAX, &quoted);
    for (size_t i = 0; i < rc_buf_get(&quoted).len; i++) {
        if (scratch[i] == '\n' || scratch[i] == '\r' || scratch[i] == '\t')
            scratch[i] = ' ';
    }
    rc_buf_push(&quoted, rc_symbol_text(RC_SYMBOL_UNQUOTE, s->panel.pen.has_utf8));
    rc_panel_field(&s->panel, label, RC_TONE_PLAIN, rc_buf_get(&quoted));
}

static void put_evidence(sheet *s, const rc_verdict *verdict)
{
    rc_buf *line = begin_line(s);
    add_part(s, RC_STR("type "), rc_report_provider_type(s->report));
    add_part(s, RC_STR("code "), rc_report_provider_code(s->report));
    add_part(s, RC_STR("param "), rc_report_provider_param(s->report));
    add_part(s, RC_STR("limit "), rc_str_c(rc_limit_kind_name(rc_report_limit_kind(s->report))));
    add_part(s, RC_STR("model "), rc_report_model(s->report));
    rc_str parts = rc_buf_get(line);
    rc_panel_field(&s->panel, RC_STR("Evidence"), RC_TONE_PLAIN, parts);
    put_provider_message(s, parts.len > 0 ? RC_STR("") : RC_STR("Evidence"), verdict->message);
}

static void put_rule(sheet *s, const rc_verdict *verdict)
{
    rc_buf *line = begin_line(s);
    rc_buf_push(line, rc_str_slice(verdict->rule, 0, RC_REPORT_NAME_MAX));
    if (verdict->reason.len > 0)
        rc_buf_push(line, RC_STR(": "));
    rc_buf_push(line, rc_str_slice(verdict->reason, 0, RC_REPORT_NAME_MAX));
    rc_panel_field(&s->panel, RC_STR("Rule"), RC_TONE_PLAIN, rc_buf_get(line));
}

static void put_ids(sheet *s)
{
    begin_line(s);
    add_part(s, RC_STR(""), rc_str_c(rc_class_name(rc_report_class(s->report))));
    add_part(s, RC_STR(""), rc_str_c(rc_category_name(rc_report_category(s->report))));
    add_part(s, RC_STR(""), rc_report_error_type(s->report));
    rc_panel_field(&s->panel, RC_STR("Kind"), RC_TONE_FAINT, rc_buf_get(&s->line));
    rc_panel_field(&s->panel, RC_STR("Request"), RC_TONE_FAINT, rc_report_request_id(s->report));
    rc_panel_field(&s->panel, RC_STR("Report"), RC_TONE_FAINT, rc_report_id(s->report));
}

void rc_explain_panel(const rc_report *report, const rc_verdict *verdict,
                      const rc_panel_style *style, rc_buf *buf)
{
    sheet s = {.report = report, .style = style};
    rc_panel_init(&s.panel, style, rc_render_tone(report), buf);
    open_panel(&s);
    put_verdict(&s);
    put_evidence(&s, verdict);
    put_rule(&s, verdict);
    put_ids(&s);
    rc_panel_close(&s.panel);
}
