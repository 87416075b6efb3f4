/* Functions that several renderers use: tone and symbol of a report, percent-encoding, wait
 * sentences, action hints, attempt numbers. */
#include "render/text.h"

#include <recourse/taxonomy.h>

#include "base/str.h"
#include "base/utf8.h"
#include "codec/duration.h"
#include "report/report_private.h"
#include "report/view.h"

rc_tone rc_render_tone(const rc_report *report)
{
    if (rc_report_class(report) == RC_CLASS_CANCELLATION)
        return RC_TONE_ACCENT;
    return rc_report_is_retryable(report) ? RC_TONE_WARN : RC_TONE_BAD;
}

rc_symbol rc_render_symbol(const rc_report *report)
{
    if (rc_report_class(report) == RC_CLASS_CANCELLATION)
        return RC_SYMBOL_STOPPED;
    return rc_report_is_retryable(report) ? RC_SYMBOL_RETRY : RC_SYMBOL_BAD;
}

static bool is_path_char(char c)
{
    static const char MARKS[] = "-._~!$&'()*+,;=:@/";
    return rc_ascii_is_alnum(c) || memchr(MARKS, c, sizeof MARKS - 1) != NULL;
}

void rc_render_percent(rc_buf *buf, rc_str text, size_t max_bytes)
{
    static const char HEX[] = "0123456789ABCDEF";
    size_t len;
    for (size_t at = 0; at < text.len; at += len) {
        rc_utf8_decode(text, at, &len);
        bool is_plain = len == 1 && is_path_char(text.ptr[at]);
        size_t need = is_plain ? 1 : 3 * len;
        if (need > max_bytes)
            return;
        max_bytes -= need;
        if (is_plain) {
            rc_buf_push_byte(buf, text.ptr[at]);
            continue;
        }
        for (size_t i = 0; i < len; i++) {
            unsigned char byte = (unsigned char)text.ptr[at + i];
            char escape[] = {'%', HEX[byte >> 4], HEX[byte & 0xF]};
            rc_buf_push(buf, rc_str_make(escape, sizeof escape));
        }
    }
}

rc_str rc_text_trim_end(rc_str text)
{
    while (text.len && rc_ascii_is_space(text.ptr[text.len - 1]))
        text.len--;
    return text;
}

static bool is_upper(char c)
{
    return c >= 'A' && c <= 'Z';
}

void rc_render_words(rc_buf *buf, rc_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        bool is_start = i > 0 && (is_upper(name.ptr[i]) || (rc_ascii_is_digit(name.ptr[i]) &&
                                                            !rc_ascii_is_digit(name.ptr[i - 1])));
        if (is_start)
            rc_buf_push_byte(buf, ' ');
        rc_buf_push_byte(buf, is_start ? rc_ascii_lower(name.ptr[i]) : name.ptr[i]);
    }
}

/* A wrapper (a report that wraps a cause) inherits the wait of its cause, but not the context entry
 * with the component that chose the wait. The loop therefore also examines the causes that have the
 * same wait. */
bool rc_wait_is_own(const rc_report *report)
{
    const int64_t wait_ms = rc_report_retry_after_ms(report);
    if (rc_report_class(report) == RC_CLASS_LIMIT)
        return true;
    for (const rc_report *from = report; from != NULL && rc_report_retry_after_ms(from) == wait_ms;
         from = rc_report_cause(from))
        if (rc_report_context_get(from, RC_STR(RC_KEY_WAIT_BY)) != NULL)
            return true;
    return false;
}

bool rc_wait_helps(const rc_report *report)
{
    const int64_t wait_ms = rc_report_retry_after_ms(report);
    bool is_chosen = false;
    for (const rc_report *from = report; from != NULL && rc_report_retry_after_ms(from) == wait_ms;
         from = rc_report_cause(from)) {
        const rc_context_entry *by = rc_report_context_get(from, RC_STR(RC_KEY_WAIT_BY));
        is_chosen = is_chosen || (by != NULL && rc_str_eq(by->text, RC_STR("recourse")));
    }
    return wait_ms >= 0 && (rc_report_is_retryable(report) || !is_chosen);
}

rc_str rc_wait_phrase(const rc_report *report)
{
    if (rc_report_class(report) == RC_CLASS_LIMIT)
        return RC_STR(" It renews in ");
    return rc_wait_is_own(report) ? RC_STR(" Recourse retries after ")
                                  : RC_STR(" The provider states a wait of ");
}

void rc_render_wait_hint(rc_buf *buf, const rc_report *report)
{
    int64_t wait_ms = rc_report_retry_after_ms(report);
    if (wait_ms <= 0)
        return;
    bool is_retryable = rc_report_is_retryable(report);
    rc_buf_push(buf, is_retryable ? RC_STR(" Wait ") : rc_wait_phrase(report));
    rc_duration_push(buf, wait_ms);
    rc_buf_push(buf, is_retryable ? RC_STR(" before the next attempt.") : RC_STR("."));
}

void rc_render_hint(rc_buf *buf, const rc_report *report, rc_view view)
{
    rc_str detail = rc_report_action_detail(report);
    const char *title = rc_user_action_title(rc_report_action(report));
    if (detail.len) {
        rc_view_push(view, detail, buf);
    } else if (title[0]) {
        rc_buf_push(buf, rc_str_c(title));
        rc_buf_push_byte(buf, '.');
    }
    rc_render_wait_hint(buf, report);
}

static int64_t context_attempt(const rc_report *report)
{
    const rc_context_entry *entry = rc_report_context_get(report, RC_STR("attempt"));
    return entry && entry->kind == RC_VALUE_INT && entry->number > 0 ? entry->number : 0;
}

int64_t rc_render_attempt_count(const rc_report *report)
{
    size_t count = rc_report_attempt_count(report);
    return count ? (int64_t)count : context_attempt(report);
}

int64_t rc_render_attempt_number(const rc_report *report)
{
    int64_t attempt = context_attempt(report);
    return attempt ? attempt : (int64_t)rc_report_attempt_count(report);
}
