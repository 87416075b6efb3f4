/* Response headers of an error. Called by the gateway and http.c. Texts of the report are
 * percent-encoded, so that no text can end a header line or begin a new one. */
#include <recourse/render.h>
#include <recourse/taxonomy.h>

#include "render/text.h"

#define VALUE_MAX 256u
/* Longest wait in milliseconds that OpenAI's SDKs and older SDKs of Anthropic accept. If a response
 * names a longer wait, these SDKs ignore the wait and retry after a second or two. */
#define SDK_WAIT_MAX_MS 60000

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
    rc_render_percent(&value, text, sizeof memory);
    if (text.len)
        push_header(buf, name, rc_buf_get(&value));
}

/* Writes the header with "provider/model", or with only the name that is known. */
static void push_target(rc_buf *buf, const rc_report *report)
{
    char memory[VALUE_MAX];
    rc_buf value;
    rc_buf_init_fixed(&value, memory, sizeof memory);
    rc_str provider = rc_report_provider(report);
    rc_str model = rc_report_model(report);
    rc_render_percent(&value, provider, sizeof memory - 1);
    if (provider.len && model.len)
        rc_buf_push_byte(&value, '/');
    rc_render_percent(&value, model, sizeof memory - rc_buf_get(&value).len);
    if (provider.len || model.len)
        push_header(buf, RC_STR("x-recourse-target"), rc_buf_get(&value));
}

/* Writes the wait in two headers. RFC 9110 §10.2.3 allows only whole seconds in retry-after, so
 * this value is rounded up, so that no client retries too early. */
static void push_wait(rc_buf *buf, int64_t wait_ms)
{
    if (wait_ms < 0)
        return;
    push_number(buf, RC_STR("retry-after"), wait_ms / 1000 + (wait_ms % 1000 != 0));
    push_number(buf, RC_STR("retry-after-ms"), wait_ms);
}

/* Returns the header in which the dialect's SDKs look for the request id. */
static rc_str request_id_name(rc_dialect dialect)
{
    switch (dialect) {
    case RC_DIALECT_OPENAI_CHAT:
    case RC_DIALECT_OPENAI_RESPONSES:
        return RC_STR("x-request-id");
    case RC_DIALECT_ANTHROPIC:
        return RC_STR("request-id");
    case RC_DIALECT_GEMINI:
    case RC_DIALECT_PROBLEM:
        break;
    }
    return RC_STR("");
}

/* Writes the provider's request id, or the report id if the provider sent none. */
static void push_request_id(rc_buf *buf, const rc_report *report, rc_dialect dialect)
{
    rc_str name = request_id_name(dialect);
    rc_str id = rc_report_request_id(report);
    if (name.len)
        push_text(buf, name, id.len ? id : rc_report_id(report));
}

bool rc_render_should_retry(const rc_report *report)
{
    return rc_report_is_retryable(report) && !rc_report_is_retry_exhausted(report) &&
           rc_report_retry_after_ms(report) <= SDK_WAIT_MAX_MS;
}

rc_status rc_render_headers(const rc_report *report, rc_dialect dialect, rc_buf *buf)
{
    push_header(buf, RC_STR("content-type"), rc_str_c(rc_dialect_content_type(dialect)));
    if (rc_wait_helps(report))
        push_wait(buf, rc_report_retry_after_ms(report));
    push_header(buf, RC_STR("x-should-retry"),
                rc_render_should_retry(report) ? RC_STR("true") : RC_STR("false"));
    push_text(buf, RC_STR("x-recourse-report-id"), rc_report_id(report));
    push_text(buf, RC_STR("x-recourse-error-code"), rc_str_c(rc_code_name(rc_report_code(report))));
    if (rc_render_attempt_count(report))
        push_number(buf, RC_STR("x-recourse-attempts"), rc_render_attempt_count(report));
    push_target(buf, report);
    push_request_id(buf, report, dialect);
    return rc_buf_status(buf);
}
