/* OpenTelemetry attributes of a report. Called by the CLI's output formats. error.type follows the
 * stable semantic conventions, gen_ai.* the conventions for GenAI (in development). All other
 * attributes are under recourse.*. error.type has few values: the codes in spec/errors.def and
 * _OTHER. error.message is not written, because the conventions deprecate it. */
#include <recourse/render.h>
#include <recourse/taxonomy.h>

#include "render/text.h"
#include "report/view_json.h"

static void put_names(rc_json_writer *w, const rc_report *report)
{
    const rc_code_info *info = rc_code_get(rc_report_code(report));
    const rc_report *root = rc_report_root(report);
    rc_json_member_string(w, RC_STR("error.type"), info ? rc_str_c(info->name) : RC_STR("_OTHER"));
    rc_view_json_member(w, RC_VIEW_INTERNAL, RC_STR("gen_ai.provider.name"),
                        rc_report_provider(report));
    rc_view_json_member(w, RC_VIEW_INTERNAL, RC_STR("gen_ai.request.model"),
                        rc_report_model(report));
    if (rc_report_provider_status(report))
        rc_json_member_i64(w, RC_STR("http.response.status_code"),
                           rc_report_provider_status(report));
    rc_view_json_member(w, RC_VIEW_INTERNAL, RC_STR("recourse.report_id"), rc_report_id(report));
    rc_view_json_member(w, RC_VIEW_INTERNAL, RC_STR("recourse.error_type"),
                        rc_report_error_type(report));
    rc_view_json_member_name(w, RC_STR("recourse.error_class"),
                             rc_class_name(rc_report_class(report)));
    rc_view_json_member_name(w, RC_STR("recourse.error_category"),
                             rc_category_name(rc_report_category(report)));
    rc_view_json_member_name(w, RC_STR("recourse.error_domain"),
                             rc_domain_name(rc_report_domain(report)));
    if (root != report)
        rc_view_json_member_name(w, RC_STR("recourse.cause_code"),
                                 rc_code_name(rc_report_code(root)));
}

static void put_id(rc_json_writer *w, const rc_report *report, rc_str key, rc_str name)
{
    const rc_context_entry *entry = rc_report_context_get(report, key);
    if (entry && entry->kind == RC_VALUE_STRING)
        rc_view_json_member(w, RC_VIEW_INTERNAL, name, entry->text);
    else if (entry && entry->kind == RC_VALUE_INT)
        rc_json_member_i64(w, name, entry->number);
}

rc_status rc_render_otel(const rc_report *report, rc_buf *buf)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    put_names(&w, report);
    rc_json_member_bool(&w, RC_STR("recourse.retryable"), rc_report_is_retryable(report));
    if (rc_report_is_retry_exhausted(report))
        rc_json_member_bool(&w, RC_STR("recourse.retry_exhausted"), true);
    if (rc_report_retry_after_ms(report) >= 0)
        rc_json_member_i64(&w, RC_STR("recourse.retry_after_ms"), rc_report_retry_after_ms(report));
    rc_view_json_member_name(&w, RC_STR("recourse.limit_kind"),
                             rc_limit_kind_name(rc_report_limit_kind(report)));
    rc_view_json_member(&w, RC_VIEW_INTERNAL, RC_STR("recourse.rule"), rc_report_rule(report));
    if (rc_render_attempt_count(report))
        rc_json_member_i64(&w, RC_STR("recourse.attempts"), rc_render_attempt_count(report));
    if (rc_report_http_status(report))
        rc_json_member_i64(&w, RC_STR("recourse.http_status"), rc_report_http_status(report));
    rc_view_json_member(&w, RC_VIEW_INTERNAL, RC_STR("recourse.request_id"),
                        rc_report_request_id(report));
    put_id(&w, report, RC_STR("run_id"), RC_STR("recourse.run_id"));
    put_id(&w, report, RC_STR("session_id"), RC_STR("gen_ai.conversation.id"));
    put_id(&w, report, RC_STR("node_id"), RC_STR("recourse.node_id"));
    rc_json_object_end(&w);
    return rc_buf_status(buf);
}
