/* Problem details body (application/problem+json, RFC 9457). Called by dialect.c. Names of
 * extension members have only letters and underscores, as RFC 9457 §3.2 recommends. */
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "render/dialect.h"
#include "render/text.h"
#include "report/view_json.h"

#define TYPE_PREFIX "urn:recourse:error:"
#define INSTANCE_PREFIX "urn:recourse:report:"

/* Appends the last part of a URN for a name: "rate-limited" for "RATE_LIMITED". */
static void push_slug(rc_buf *buf, const char *id)
{
    for (; *id; id++)
        rc_buf_push_byte(buf, *id == '_' ? '-' : rc_ascii_lower(*id));
}

static void put_type(rc_json_writer *w, rc_code code)
{
    char memory[128];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_buf_push(&text, RC_STR(TYPE_PREFIX));
    push_slug(&text, rc_dialect_error_get(code)->id);
    rc_json_member_string(w, RC_STR("type"), rc_buf_get(&text));
}

static void put_instance(rc_json_writer *w, rc_str report_id)
{
    if (report_id.len == 0)
        return;
    char memory[sizeof INSTANCE_PREFIX + 3 * RC_REPORT_NAME_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_buf_push(&text, RC_STR(INSTANCE_PREFIX));
    rc_render_percent(&text, report_id, sizeof memory);
    rc_json_member_string(w, RC_STR("instance"), rc_buf_get(&text));
}

/* RFC 9457 requires the same title for every problem of a type, so the title contains neither the
 * provider nor the gateway; the member `detail` does. */
static void put_title(rc_json_writer *w, const rc_code_info *info)
{
    char memory[128];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    if (info)
        rc_render_words(&text, rc_str_c(info->name));
    else
        rc_buf_push(&text, RC_STR("Unknown error"));
    rc_json_member_string(w, RC_STR("title"), rc_buf_get(&text));
}

void rc_render_problem_members(rc_json_writer *w, const rc_report *report, rc_view view)
{
    rc_code code = rc_report_code(report);
    const rc_code_info *info = rc_code_get(code);
    put_type(w, code);
    put_title(w, info);
    rc_json_member_i64(w, RC_STR("status"), rc_render_status(report, RC_DIALECT_PROBLEM));
    rc_view_json_member(w, view, RC_STR("detail"), rc_render_message(report));
    put_instance(w, rc_report_id(report));
    rc_view_json_member_name(w, RC_STR("error_class"), rc_class_name(rc_report_class(report)));
    rc_view_json_member_name(w, RC_STR("error_code"), rc_code_name(code));
    rc_view_json_member_name(w, RC_STR("error_category"),
                             rc_category_name(rc_report_category(report)));
    rc_json_member_bool(w, RC_STR("retryable"), rc_report_is_retryable(report));
    if (rc_report_retry_after_ms(report) >= 0)
        rc_json_member_i64(w, RC_STR("retry_after_ms"), rc_report_retry_after_ms(report));
    rc_view_json_member_action(w, view, report);
}
