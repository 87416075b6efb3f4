/* Agent JSON: renders a report as one flat JSON object. The first members are those by which an
 * agent decides what to do next. Called by the CLI. Every view has the members of the
 * classification; the table of fields (report/fields.h) decides which other members a view has. */
#include <recourse/render.h>
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "render/dialect.h"
#include "render/text.h"
#include "report/view.h"
#include "report/view_json.h"

/* Space in bytes for the text of the advice with masked paths, and for the longest sentence about a
 * wait. */
#define HINT_MAX (2 * RC_REPORT_MESSAGE_MAX + 128)

static void put_hint(rc_json_writer *w, const rc_report *report, rc_view view)
{
    char memory[HINT_MAX];
    rc_buf hint;
    rc_buf_init_fixed(&hint, memory, sizeof memory);
    rc_render_hint(&hint, report, view);
    rc_str text = rc_str_trim(rc_buf_get(&hint));
    if (text.len)
        rc_json_member_string(w, RC_STR("hint"), text);
}

static void put_classification(rc_json_writer *w, const rc_report *report)
{
    rc_json_member_bool(w, RC_STR("retryable"), rc_report_is_retryable(report));
    rc_view_json_member_name(w, RC_STR("error_domain"), rc_domain_name(rc_report_domain(report)));
    rc_view_json_member_name(w, RC_STR("error_category"),
                             rc_category_name(rc_report_category(report)));
    rc_view_json_member_name(w, RC_STR("error_class"), rc_class_name(rc_report_class(report)));
    rc_view_json_member_name(w, RC_STR("error_code"), rc_code_name(rc_report_code(report)));
}

static void put_metadata_text(rc_json_writer *w, rc_view view, const rc_report *report, rc_str key,
                              rc_str text)
{
    if (rc_view_has_metadata(view, report, key))
        rc_view_json_member(w, view, key, text);
}

static bool has_text(rc_view view, const rc_report *report, rc_str key, rc_str text)
{
    return text.len > 0 && rc_view_has_metadata(view, report, key);
}

static bool has_metadata(const rc_report *report, rc_view view)
{
    return has_text(view, report, RC_STR("request_id"), rc_report_request_id(report)) ||
           (rc_report_provider_status(report) &&
            rc_view_has_metadata(view, report, RC_STR("status"))) ||
           (rc_report_limit_kind(report) &&
            rc_view_has_metadata(view, report, RC_STR("limit_kind"))) ||
           has_text(view, report, RC_STR("type"), rc_report_provider_type(report)) ||
           has_text(view, report, RC_STR("code"), rc_report_provider_code(report)) ||
           has_text(view, report, RC_STR("param"), rc_report_provider_param(report)) ||
           has_text(view, report, RC_STR("raw"), rc_report_raw(report));
}

static void put_metadata(rc_json_writer *w, const rc_report *report, rc_view view)
{
    if (!has_metadata(report, view))
        return;
    rc_json_key(w, RC_STR("provider_metadata"));
    rc_json_object_begin(w);
    int64_t status = rc_report_provider_status(report);
    if (status && rc_view_has_metadata(view, report, RC_STR("status")))
        rc_json_member_i64(w, RC_STR("status"), status);
    put_metadata_text(w, view, report, RC_STR("type"), rc_report_provider_type(report));
    put_metadata_text(w, view, report, RC_STR("code"), rc_report_provider_code(report));
    put_metadata_text(w, view, report, RC_STR("param"), rc_report_provider_param(report));
    put_metadata_text(w, view, report, RC_STR("request_id"), rc_report_request_id(report));
    put_metadata_text(w, view, report, RC_STR("limit_kind"),
                      rc_str_c(rc_limit_kind_name(rc_report_limit_kind(report))));
    put_metadata_text(w, view, report, RC_STR("raw"), rc_report_raw(report));
    rc_json_object_end(w);
}

static void put_attempt(rc_json_writer *w, rc_view view, const rc_report_attempt *attempt)
{
    rc_json_object_begin(w);
    if (attempt->attempt > 0)
        rc_json_member_i64(w, RC_STR("attempt"), attempt->attempt);
    rc_view_json_member(w, view, RC_STR("provider"), attempt->provider);
    rc_view_json_member(w, view, RC_STR("model"), attempt->model);
    rc_view_json_member(w, view, RC_STR("credential"), attempt->credential);
    rc_view_json_member_name(w, RC_STR("error_code"), rc_code_name(attempt->code));
    if (attempt->status > 0)
        rc_json_member_i64(w, RC_STR("status"), attempt->status);
    rc_view_json_member(w, view, RC_STR("request_id"), attempt->request_id);
    if (attempt->started_unix_ms >= 0)
        rc_json_member_i64(w, RC_STR("started_unix_ms"), attempt->started_unix_ms);
    if (attempt->duration_ms >= 0)
        rc_json_member_i64(w, RC_STR("duration_ms"), attempt->duration_ms);
    if (attempt->wait_ms >= 0)
        rc_json_member_i64(w, RC_STR("wait_ms"), attempt->wait_ms);
    rc_view_json_member(w, view, RC_STR("reason"), attempt->reason);
    rc_json_object_end(w);
}

static void put_attempts(rc_json_writer *w, const rc_report *report, rc_view view)
{
    size_t count = rc_report_attempt_count(report);
    if (!count || !rc_view_has(view, RC_STR("attempts")))
        return;
    rc_json_key(w, RC_STR("attempts"));
    rc_json_array_begin(w);
    for (size_t i = 0; i < count; i++)
        put_attempt(w, view, rc_report_attempt_at(report, i));
    rc_json_array_end(w);
}

/* Writes the causes as a flat list, because agents read a list more easily than nested objects. */
static void put_causes(rc_json_writer *w, const rc_report *report, rc_view view)
{
    const rc_report *cause = rc_report_cause(report);
    if (!cause || !rc_view_has(view, RC_STR("cause")))
        return;
    rc_json_key(w, RC_STR("causes"));
    rc_json_array_begin(w);
    for (; cause; cause = rc_report_cause(cause)) {
        rc_json_object_begin(w);
        rc_view_json_member(w, view, RC_STR("error_type"), rc_report_error_type(cause));
        rc_view_json_member_name(w, RC_STR("error_code"), rc_code_name(rc_report_code(cause)));
        rc_view_json_member(w, view, RC_STR("message"), rc_report_message(cause));
        rc_view_json_member(w, view, RC_STR("detail"), rc_report_detail(cause));
        rc_json_object_end(w);
    }
    rc_json_array_end(w);
}

/* Writes the sources (locations in the program's code) of the report and of its causes, beginning
 * with those of the report. */
static void put_sources(rc_json_writer *w, const rc_report *report, rc_view view)
{
    if (!rc_view_has(view, RC_STR("error_source")))
        return;
    bool is_open = false;
    for (; report; report = rc_report_cause(report)) {
        for (size_t i = 0; i < rc_report_source_count(report); i++) {
            if (!is_open) {
                rc_json_key(w, RC_STR("error_source"));
                rc_json_array_begin(w);
            }
            is_open = true;
            rc_json_string(w, rc_report_source_at(report, i));
        }
    }
    if (is_open)
        rc_json_array_end(w);
}

rc_status rc_render_agent_json(const rc_report *report, rc_view view, unsigned indent, rc_buf *buf)
{
    rc_json_writer w;
    rc_json_writer_init(&w, buf, indent);
    view = rc_view_checked(view);
    rc_json_object_begin(&w);
    rc_json_member_bool(&w, RC_STR("error"), true);
    rc_view_json_member(&w, view, RC_STR("error_type"), rc_report_error_type(report));
    rc_view_json_member(&w, view, RC_STR("message"), rc_render_message(report));
    put_hint(&w, report, view);
    put_classification(&w, report);
    rc_view_json_member(&w, view, RC_STR("report_id"), rc_report_id(report));
    rc_view_json_member(&w, view, RC_STR("provider"), rc_report_provider(report));
    rc_view_json_member(&w, view, RC_STR("model"), rc_report_model(report));
    if (rc_report_retry_after_ms(report) >= 0)
        rc_json_member_i64(&w, RC_STR("retry_after_ms"), rc_report_retry_after_ms(report));
    if (rc_report_http_status(report))
        rc_json_member_i64(&w, RC_STR("http_status"), rc_report_http_status(report));
    if (rc_report_is_retry_exhausted(report))
        rc_json_member_bool(&w, RC_STR("retry_exhausted"), true);
    rc_view_json_member_action(&w, view, report);
    put_metadata(&w, report, view);
    rc_view_json_member_context(&w, view, report);
    put_attempts(&w, report, view);
    if (rc_view_has(view, RC_STR("rule")))
        rc_view_json_member(&w, view, RC_STR("rule"), rc_report_rule(report));
    if (rc_view_has(view, RC_STR("known_by")))
        rc_view_json_member(&w, view, RC_STR("known_by"), rc_report_known_by(report));
    if (rc_view_has(view, RC_STR("detail")))
        rc_view_json_member(&w, view, RC_STR("detail"), rc_report_detail(report));
    put_causes(&w, report, view);
    put_sources(&w, report, view);
    rc_json_object_end(&w);
    return rc_buf_status(buf);
}
