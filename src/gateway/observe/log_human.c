/* Formats log lines for people, one short line for each request or event. Called by log_line.c. */
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "codec/datetime.h"
#include "codec/duration.h"
#include "gateway/observe/log_line.h"
#include "render/symbol.h"
#include "render/tone.h"
#include "render/wrap.h"

/* Maximum width in terminal columns of a name, and of a message. */
#define NAME_WIDTH 48
#define TEXT_WIDTH 160
/* Maximum number of bytes of a line without its last colour sequence, so that a truncated line can
 * still end its colour. */
#define BODY_MAX (RC_LOG_LINE_MAX - RC_TONE_BYTES_MAX)

typedef struct line {
    rc_buf buf;
    const rc_log_style *style;
    char scratch[BODY_MAX];
} line;

static void begin(line *l, const rc_log_style *style)
{
    rc_buf_init_fixed(&l->buf, l->scratch, sizeof(l->scratch));
    l->style = style;
}

static void push(line *l, const char *text)
{
    rc_buf_push(&l->buf, rc_str_c(text));
}

/* Ends the line. If a piece did not fit into the line, the pieces after it are left out. */
static rc_status end(line *l, rc_buf *buf)
{
    char scratch[RC_LOG_LINE_MAX];
    rc_buf whole;
    rc_buf_init_fixed(&whole, scratch, sizeof(scratch));
    rc_buf_push(&whole, rc_buf_get(&l->buf));
    rc_tone_end(&whole, RC_TONE_FAINT, l->style->has_colour);
    rc_buf_push_byte(&whole, '\n');
    return rc_buf_push(buf, rc_buf_get(&whole));
}

static void push_text(line *l, rc_str text, unsigned width)
{
    char scratch[RC_LOG_CLEAN_MAX];
    rc_buf clean;
    rc_buf_init_fixed(&clean, scratch, sizeof(scratch));
    rc_log_push_clean(&clean, text);
    rc_visible_push_cut(&l->buf, rc_buf_get(&clean), width, l->style->has_utf8);
}

static void push_two(line *l, int number)
{
    rc_buf_push_byte(&l->buf, (char)('0' + number / 10));
    rc_buf_push_byte(&l->buf, (char)('0' + number % 10));
}

static void push_time(line *l, int64_t unix_ms)
{
    if (unix_ms <= 0)
        return;
    const int64_t within = unix_ms < RC_DATETIME_MAX_MS ? unix_ms : RC_DATETIME_MAX_MS;
    const rc_civil civil = rc_civil_from_unix_ms(within + (int64_t)l->style->utc_offset_s * 1000);
    rc_tone_begin(&l->buf, RC_TONE_FAINT, l->style->has_colour);
    push_two(l, civil.hour);
    push(l, ":");
    push_two(l, civil.minute);
    push(l, ":");
    push_two(l, civil.second);
    rc_tone_end(&l->buf, RC_TONE_FAINT, l->style->has_colour);
    push(l, "  ");
}

static rc_tone tone_of(const char *level)
{
    if (rc_str_eq(rc_str_c(level), RC_STR("error")))
        return RC_TONE_BAD;
    return rc_str_eq(rc_str_c(level), RC_STR("warn")) ? RC_TONE_WARN : RC_TONE_GOOD;
}

/* ---- requests ---- */

static void push_status(line *l, const rc_log_request *request)
{
    const rc_tone tone = tone_of(rc_log_request_level(request));
    rc_tone_begin(&l->buf, tone, l->style->has_colour);
    if (request->status > 0)
        rc_buf_push_u64(&l->buf, (uint64_t)request->status);
    else
        push(l, "---");
    rc_tone_end(&l->buf, tone, l->style->has_colour);
}

static void push_names(line *l, const rc_log_request *request)
{
    if (request->path.len > 0) {
        push(l, "  ");
        push_text(l, request->method, NAME_WIDTH);
        push(l, " ");
        push_text(l, request->path, TEXT_WIDTH);
    }
    if (request->model.len > 0) {
        push(l, "  ");
        push_text(l, request->model, NAME_WIDTH);
    }
    if (request->target.len > 0) {
        rc_buf_push(&l->buf, rc_symbol_text(RC_SYMBOL_ARROW, l->style->has_utf8));
        push_text(l, request->target, NAME_WIDTH);
    }
    if (request->translated.len > 0) {
        push(l, "  translated ");
        push_text(l, request->translated, TEXT_WIDTH);
    }
}

/* Appends a duration, such as "850ms", "3.4s" or "2m 5s". */
static void push_elapsed(line *l, uint64_t ms)
{
    if (ms >= 100000) {
        rc_duration_push(&l->buf, ms < INT64_MAX ? (int64_t)ms : INT64_MAX);
        return;
    }
    rc_buf_push_u64(&l->buf, ms < 1000 ? ms : ms / 1000);
    if (ms >= 1000) {
        push(l, ".");
        rc_buf_push_u64(&l->buf, ms / 100 % 10);
    }
    push(l, ms < 1000 ? "ms" : "s");
}

static void push_durations(line *l, const rc_log_request *request)
{
    if (request->latency_ms >= 0) {
        push(l, "  ");
        push_elapsed(l, (uint64_t)request->latency_ms);
    }
    if (request->attempts > 1) {
        push(l, "  ");
        rc_buf_push_u64(&l->buf, request->attempts);
        push(l, " tries");
    }
    if (request->wait_ms > 0) {
        push(l, "  waited ");
        push_elapsed(l, request->wait_ms);
    }
}

static void push_usage(line *l, const rc_log_request *request)
{
    if (request->tokens_in >= 0 || request->tokens_out >= 0) {
        push(l, request->is_estimated ? "  ~" : "  ");
        rc_buf_push_i64(&l->buf, request->tokens_in > 0 ? request->tokens_in : 0);
        push(l, "+");
        rc_buf_push_i64(&l->buf, request->tokens_out > 0 ? request->tokens_out : 0);
        push(l, " tokens");
    }
    if (request->cost_usd_micro > 0) {
        char scratch[RC_DECIMAL_CAPACITY];
        push(l, "  $");
        rc_buf_push(&l->buf, rc_config_decimal(scratch, (uint64_t)request->cost_usd_micro, 6));
    }
}

static void push_end(line *l, const rc_log_request *request)
{
    if (request->client.len > 0) {
        push(l, "  client ");
        push_text(l, request->client, NAME_WIDTH);
    }
    if (request->client_retry > 0) {
        push(l, "  client's retry ");
        rc_buf_push_u64(&l->buf, request->client_retry);
    }
    if (request->outcome != RC_LOG_SUCCEEDED) {
        push(l, "  ");
        push(l, rc_log_outcome_name(request->outcome));
    }
    if (request->code != RC_CODE_NONE) {
        push(l, "  ");
        const rc_tone tone = tone_of(rc_log_request_level(request));
        rc_tone_begin(&l->buf, tone, l->style->has_colour);
        push(l, rc_code_name(request->code));
        rc_tone_end(&l->buf, tone, l->style->has_colour);
    }
    if (request->message.len > 0) {
        push(l, "  ");
        push_text(l, request->message, TEXT_WIDTH);
    }
    if (request->report_id.len > 0) {
        push(l, "  ");
        push_text(l, request->report_id, NAME_WIDTH);
    }
}

rc_status rc_log_human_request(rc_buf *buf, const rc_log_style *style,
                               const rc_log_request *request)
{
    line l;
    begin(&l, style);
    push_time(&l, request->unix_ms);
    push_status(&l, request);
    push_names(&l, request);
    push_durations(&l, request);
    push_usage(&l, request);
    push_end(&l, request);
    return end(&l, buf);
}

/* ---- events ---- */

static void push_field(line *l, const rc_log_field *field)
{
    if (field->text.ptr != NULL && field->text.len == 0)
        return;
    const bool is_message = rc_str_eq(rc_str_c(field->key), RC_STR("message"));
    push(l, "  ");
    if (!is_message) {
        push(l, field->key);
        push(l, " ");
    }
    /* The message is shown in full, because it has all details of the event. */
    if (field->text.ptr != NULL)
        push_text(l, field->text, is_message ? RC_LOG_CLEAN_MAX : TEXT_WIDTH);
    else
        rc_buf_push_i64(&l->buf, field->number);
}

rc_status rc_log_human_event(rc_buf *buf, const rc_log_style *style, int64_t unix_ms,
                             rc_log_event event, const rc_log_field *fields, size_t count)
{
    line l;
    begin(&l, style);
    push_time(&l, unix_ms);
    const rc_tone tone = tone_of(rc_log_event_level(event));
    rc_tone_begin(&l.buf, tone, style->has_colour);
    /* The event's name is written with spaces instead of underscores. */
    for (const char *c = rc_log_event_name(event); *c != '\0'; c++)
        rc_buf_push_byte(&l.buf, *c == '_' ? ' ' : *c);
    rc_tone_end(&l.buf, tone, style->has_colour);
    for (size_t i = 0; i < count; i++)
        push_field(&l, &fields[i]);
    return end(&l, buf);
}
