/* The headers of an error. Texts of the report are percent-encoded, so that none can end a line or
 * begin another. */
#include <recourse/render.h>
#include <recourse/taxonomy.h>

#include "core/render_text.h"

#define VALUE_MAX 256u

static void push_header(rc_buf *buf, rc_str name, rc_str value)
{
    rc_buf_push(buf, name);
    rc_buf_push(buf, RC_STR(": "));
    rc_buf_push(buf, value);
    rc_buf_push(buf, RC_STR("\r\n"));
}

static void push_number(rc_buf *buf, rc_str name, int64_t value)
{
    rc_buf_push(buf, name);
    rc_buf_push(buf, RC_STR(": "));
    rc_buf_push_i64(buf, value);
    rc_buf_push(buf, RC_STR("\r\n"));
}

static void push_text(rc_buf *buf, rc_str name, rc_str text)
{
    char memory[VALUE_MAX];
    rc_buf value;
    rc_buf_init_fixed(&value, memory, sizeof memory);
    rc_push_percent(&value, text, sizeof memory);
    if (text.len)
        push_header(buf, name, rc_buf_get(&value));
}

/* provider/model, the slash only between two. */
static void push_target(rc_buf *buf, const rc_report *report)
{
    char memory[VALUE_MAX];
    rc_buf value;
    rc_buf_init_fixed(&value, memory, sizeof memory);
    rc_str provider = rc_report_provider(report);
    rc_str model = rc_report_model(report);
    rc_push_percent(&value, provider, sizeof memory - 1);
    if (provider.len && model.len)
        rc_buf_push_byte(&value, '/');
    rc_push_percent(&value, model, sizeof memory - rc_buf_get(&value).len);
    if (provider.len || model.len)
        push_header(buf, RC_STR("x-recourse-target"), rc_buf_get(&value));
}

/* RFC 9110 §10.2.3 has whole seconds: rounded up, so that nobody comes too early. */
static void push_wait(rc_buf *buf, int64_t wait_ms)
{
    if (wait_ms < 0)
        return;
    push_number(buf, RC_STR("retry-after"), wait_ms / 1000 + (wait_ms % 1000 != 0));
    push_number(buf, RC_STR("retry-after-ms"), wait_ms);
}

rc_status rc_render_headers(const rc_report *report, rc_dialect dialect, rc_buf *buf)
{
    bool should_retry = rc_report_is_retryable(report) && !rc_report_is_retry_exhausted(report);
    push_header(buf, RC_STR("content-type"), rc_str_c(rc_dialect_content_type(dialect)));
    push_wait(buf, rc_report_retry_after_ms(report));
    push_header(buf, RC_STR("x-should-retry"), should_retry ? RC_STR("true") : RC_STR("false"));
    push_text(buf, RC_STR("x-recourse-report-id"), rc_report_id(report));
    push_text(buf, RC_STR("x-recourse-error-code"), rc_str_c(rc_code_name(rc_report_code(report))));
    if (rc_render_attempts(report))
        push_number(buf, RC_STR("x-recourse-attempts"), rc_render_attempts(report));
    push_target(buf, report);
    return rc_buf_status(buf);
}
