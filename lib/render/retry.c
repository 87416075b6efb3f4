/* Retry advice: writes the sentence about whether and when another attempt may succeed. Called by
 * human.c, markdown.c and `recourse explain`. */
#include "render/retry.h"

#include "codec/datetime.h"
#include "codec/duration.h"
#include "render/text.h"

/* End of the year 9999. A current time after this time or before 1970 is considered wrong. */
#define CLOCK_MAX_MS INT64_C(253402300799999)

static void push_two_digits(rc_buf *buf, int value)
{
    rc_buf_push_byte(buf, (char)('0' + value / 10 % 10));
    rc_buf_push_byte(buf, (char)('0' + value % 10));
}

static void push_day(rc_buf *buf, const rc_civil *day, int this_year)
{
    static const char MONTHS[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    rc_buf_push_i64(buf, day->day);
    rc_buf_push_byte(buf, ' ');
    rc_buf_push(buf, rc_str_make(MONTHS + 3 * (size_t)(day->month - 1), 3));
    if (day->year != this_year) {
        rc_buf_push_byte(buf, ' ');
        rc_buf_push_i64(buf, day->year);
    }
    rc_buf_push(buf, RC_STR(", "));
}

/* Appends `before` and the clock time at the end of the wait: "14:03:22 UTC)", with the date if it
 * is not today. Appends nothing if the current time is not known. */
static void push_clock(rc_buf *buf, rc_str before, int64_t wait_ms, const rc_panel_style *clock)
{
    if (!clock || clock->now_unix_ms <= 0 || clock->now_unix_ms > CLOCK_MAX_MS)
        return;
    if (wait_ms > RC_DURATION_MAX_MS)
        return;
    int64_t offset_ms = (int64_t)clock->utc_offset_s * 1000;
    rc_civil now = rc_civil_from_unix_ms(clock->now_unix_ms + offset_ms);
    /* The clock time is rounded up to a whole second, like the duration in the sentence. */
    rc_civil then = rc_civil_from_unix_ms(clock->now_unix_ms + offset_ms + wait_ms + 999);
    rc_buf_push(buf, before);
    if (then.day != now.day || then.month != now.month || then.year != now.year)
        push_day(buf, &then, now.year);
    push_two_digits(buf, then.hour);
    rc_buf_push_byte(buf, ':');
    push_two_digits(buf, then.minute);
    rc_buf_push_byte(buf, ':');
    push_two_digits(buf, then.second);
    rc_buf_push(buf, offset_ms == 0 ? RC_STR(" UTC)") : RC_STR(")"));
}

/* Appends a text such as "after 4s (at 14:03:22 UTC)." */
static void push_after(rc_buf *buf, int64_t wait_ms, const rc_panel_style *clock)
{
    rc_buf_push(buf, RC_STR("after "));
    rc_duration_push(buf, wait_ms);
    push_clock(buf, RC_STR(" (at "), wait_ms, clock);
    rc_buf_push_byte(buf, '.');
}

static rc_str why_not(const rc_report *report)
{
    if (rc_report_class(report) == RC_CLASS_CANCELLATION)
        return RC_STR("No: the call was cancelled.");
    switch (rc_report_category(report)) {
    case RC_CATEGORY_CONFIGURATION:
        return RC_STR("No: the configuration must change first.");
    case RC_CATEGORY_CONTENT:
        return RC_STR("No: the request must change first.");
    case RC_CATEGORY_CAPACITY:
        return RC_STR("No: quota, plan, credit or balance is used up.");
    case RC_CATEGORY_AMBIGUOUS:
        return RC_STR("Not safe: the request may have been carried out already.");
    case RC_CATEGORY_UNKNOWN:
        return RC_STR("No: the error is not recognised.");
    case RC_CATEGORY_TRANSIENT:
    case RC_CATEGORY_NONE:
        break;
    }
    if (rc_report_code(report) == RC_CODE_DEADLINE_EXCEEDED)
        return RC_STR("Not with the same deadline: the call may take as long again.");
    if (rc_report_retryable(report) == RC_UNSET)
        return RC_STR("Unknown.");
    return RC_STR("No: the same request would fail again.");
}

/* Returns whether a retry can succeed only after the configuration is corrected, for example
 * because a certificate has expired. */
static bool must_change(const rc_report *report)
{
    return rc_report_is_retry_exhausted(report) &&
           rc_report_action(report) == RC_ACTION_CHECK_CONFIG;
}

void rc_render_retry_advice(rc_buf *buf, const rc_report *report, const rc_panel_style *clock)
{
    int64_t wait_ms = rc_report_retry_after_ms(report);
    if (!rc_report_is_retryable(report)) {
        rc_buf_push(buf, why_not(report));
        if (wait_ms > 0) {
            const bool is_ours = rc_wait_is_own(report);
            rc_buf_push(buf, rc_wait_phrase(report));
            rc_duration_push(buf, wait_ms);
            push_clock(buf, is_ours ? RC_STR(" (at ") : RC_STR(" (until "), wait_ms, clock);
            rc_buf_push_byte(buf, '.');
        }
    } else if (must_change(report)) {
        rc_buf_push(buf, RC_STR("Not until the configuration is corrected."));
    } else if (rc_report_is_retry_exhausted(report)) {
        rc_buf_push(buf, RC_STR("The attempts are used up; try again "));
        if (wait_ms > 0)
            push_after(buf, wait_ms, clock);
        else
            rc_buf_push(buf, RC_STR("later."));
    } else if (wait_ms > 0) {
        rc_buf_push(buf, RC_STR("Yes, "));
        push_after(buf, wait_ms, clock);
    } else {
        rc_buf_push(buf, wait_ms == 0 ? RC_STR("Yes, at once.") : RC_STR("Yes, after a moment."));
    }
}
