/* Log line: renders a report as one line of JSON of at most LINE_MAX_BYTES bytes. Called by the
 * CLI's output formats. If the line is too long, the message is cut to no less than MESSAGE_MIN
 * bytes. If the line is still too long, the other texts are cut. */
#include <recourse/render.h>
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "render/dialect.h"
#include "render/text.h"
#include "report/view_json.h"
#include "json/writer.h"

#define LINE_MAX_BYTES 1024u

/* Minimum space for the message in bytes. If the message would have less, the other texts are
 * cut. */
#define MESSAGE_MIN 160u

/* Maximum lengths in bytes of each text except the message. The first length with which the line
 * fits is used; with the last one every line fits. */
static const size_t ALLOWANCES[] = {512, 128, 64, 48};

static void put_number(rc_json_writer *w, rc_str key, int64_t value)
{
    if (value > 0)
        rc_json_member_i64(w, key, value);
}

static rc_str level_of(const rc_report *report)
{
    if (rc_report_class(report) == RC_CLASS_CANCELLATION)
        return RC_STR("info");
    return rc_report_is_retryable(report) ? RC_STR("warn") : RC_STR("error");
}

static void put_head(rc_json_writer *w, const rc_report *report, int64_t now_unix_ms,
                     size_t allowance)
{
    if (now_unix_ms != 0)
        rc_view_json_member_time(w, RC_STR("time"), now_unix_ms);
    rc_json_member_string(w, RC_STR("level"), level_of(report));
    rc_json_member_string(w, RC_STR("event"), RC_STR("error"));
    rc_view_json_member_cut(w, RC_STR("report_id"), rc_report_id(report), allowance);
    rc_view_json_member_name(w, RC_STR("error_class"), rc_class_name(rc_report_class(report)));
    rc_view_json_member_name(w, RC_STR("code"), rc_code_name(rc_report_code(report)));
    rc_view_json_member_name(w, RC_STR("category"), rc_category_name(rc_report_category(report)));
    rc_json_member_bool(w, RC_STR("retryable"), rc_report_is_retryable(report));
}

static void put_id(rc_json_writer *w, const rc_report *report, rc_str key, size_t allowance)
{
    const rc_context_entry *entry = rc_report_context_get(report, key);
    if (!entry)
        return;
    if (entry->kind == RC_VALUE_STRING)
        rc_view_json_member_cut(w, key, entry->text, allowance);
    else if (entry->kind == RC_VALUE_INT)
        rc_json_member_i64(w, key, entry->number);
}

static void put_tail(rc_json_writer *w, const rc_report *report, size_t allowance)
{
    rc_view_json_member_cut(w, RC_STR("provider"), rc_report_provider(report), allowance);
    rc_view_json_member_cut(w, RC_STR("model"), rc_report_model(report), allowance);
    put_number(w, RC_STR("status"), rc_report_provider_status(report));
    rc_view_json_member_cut(w, RC_STR("request_id"), rc_report_request_id(report), allowance);
    put_number(w, RC_STR("attempt"), rc_render_attempt_number(report));
    put_id(w, report, RC_STR("run_id"), allowance);
    put_id(w, report, RC_STR("session_id"), allowance);
    put_id(w, report, RC_STR("node_id"), allowance);
    put_number(w, RC_STR("http_status"), rc_report_http_status(report));
    rc_view_json_member_cut(w, RC_STR("rule"), rc_report_rule(report), allowance);
    if (rc_report_cause(report))
        rc_view_json_member_name(w, RC_STR("cause_code"),
                                 rc_code_name(rc_report_code(rc_report_root(report))));
}

/* Writes the line with a message of at most `message_max` bytes, or without a message if
 * `message_max` is 0. */
static void put_line(rc_buf *line, const rc_report *report, int64_t now_unix_ms, size_t allowance,
                     size_t message_max)
{
    rc_json_writer w;
    rc_json_writer_init(&w, line, 0);
    rc_json_object_begin(&w);
    put_head(&w, report, now_unix_ms, allowance);
    if (message_max)
        rc_view_json_member_cut(&w, RC_STR("message"), rc_render_message(report), message_max);
    put_tail(&w, report, allowance);
    rc_json_object_end(&w);
    rc_buf_push_byte(line, '\n');
}

rc_status rc_render_log(const rc_report *report, int64_t now_unix_ms, rc_buf *buf)
{
    static const size_t MESSAGE_FRAME = sizeof ",\"message\":\"\"" - 1;
    char memory[LINE_MAX_BYTES];
    rc_buf line;
    for (size_t i = 0; i < sizeof ALLOWANCES / sizeof *ALLOWANCES; i++) {
        rc_buf_init_fixed(&line, memory, sizeof memory);
        put_line(&line, report, now_unix_ms, ALLOWANCES[i], 0);
        size_t left = sizeof memory - rc_buf_get(&line).len;
        if (rc_buf_status(&line) == RC_OK && left >= MESSAGE_FRAME + MESSAGE_MIN) {
            rc_buf_reset(&line);
            put_line(&line, report, now_unix_ms, ALLOWANCES[i], left - MESSAGE_FRAME);
            break;
        }
    }
    return rc_buf_push(buf, rc_buf_get(&line));
}
