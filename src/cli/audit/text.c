/* Converts times, amounts and outcomes to text; called by the verbs of `recourse audit`. */
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "cli/audit/audit.h"
#include "codec/datetime.h"
#include "sim/output/chart.h"
#include "store/operation_key.h"
#include "sys/clock.h"

#define DAY_MS INT64_C(86400000)
#define NUMBER_MAX INT64_C(1000000000000000)
#define MEGABYTE UINT64_C(1000000)
#define PERCENT_SCALE 100000 /* 100 percent in thousandths of a percent. */

/* ---- times ---- */

static int64_t local(const rc_audit *audit, int64_t unix_ms)
{
    return unix_ms + 1000 * (int64_t)rc_clock_utc_offset_s(audit->cli->calls, unix_ms);
}

int64_t rc_audit_day_of(const rc_audit *audit, int64_t unix_ms)
{
    return local(audit, unix_ms) / DAY_MS + 1; /* + 1, so that no day is 0. */
}

static void push_two(rc_buf *buf, int number)
{
    rc_buf_push_byte(buf, (char)('0' + number / 10 % 10));
    rc_buf_push_byte(buf, (char)('0' + number % 10));
}

void rc_audit_push_clock(const rc_audit *audit, rc_buf *buf, int64_t unix_ms)
{
    const rc_civil civil = rc_civil_from_unix_ms(local(audit, unix_ms));
    push_two(buf, civil.hour);
    rc_buf_push_byte(buf, ':');
    push_two(buf, civil.minute);
    rc_buf_push_byte(buf, ':');
    push_two(buf, civil.second);
}

static void push_date(rc_buf *buf, const rc_civil *civil)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                         "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    rc_buf_push_i64(buf, civil->day);
    rc_buf_push_byte(buf, ' ');
    rc_cli_text(buf, months[civil->month - 1]);
    rc_buf_push_byte(buf, ' ');
}

void rc_audit_push_day(const rc_audit *audit, rc_buf *buf, int64_t unix_ms)
{
    static const char *const weekdays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    const rc_civil civil = rc_civil_from_unix_ms(local(audit, unix_ms));
    rc_cli_text(buf, weekdays[civil.weekday]);
    rc_buf_push_byte(buf, ' ');
    push_date(buf, &civil);
    rc_buf_push_i64(buf, civil.year);
}

void rc_audit_push_hour(const rc_audit *audit, rc_buf *buf, int64_t unix_ms)
{
    const rc_civil civil = rc_civil_from_unix_ms(local(audit, unix_ms));
    push_date(buf, &civil);
    push_two(buf, civil.hour);
    rc_buf_push_byte(buf, ':');
    push_two(buf, civil.minute);
}

void rc_audit_push_zone(const rc_audit *audit, rc_buf *buf, int64_t unix_ms)
{
    const int minutes = rc_clock_utc_offset_s(audit->cli->calls, unix_ms) / 60;
    const int size = minutes < 0 ? -minutes : minutes;
    rc_cli_text(buf, "UTC");
    if (size == 0)
        return;
    rc_buf_push_byte(buf, minutes < 0 ? '-' : '+');
    rc_buf_push_i64(buf, size / 60);
    if (size % 60 == 0)
        return;
    rc_buf_push_byte(buf, ':');
    push_two(buf, size % 60);
}

void rc_audit_push_date_time(const rc_audit *audit, rc_buf *buf, int64_t unix_ms)
{
    rc_audit_push_day(audit, buf, unix_ms);
    rc_buf_push_byte(buf, ' ');
    rc_audit_push_clock(audit, buf, unix_ms);
    rc_buf_push_byte(buf, ' ');
    rc_audit_push_zone(audit, buf, unix_ms);
}

void rc_audit_push_ago(const rc_audit *audit, rc_buf *buf, int64_t unix_ms)
{
    static const struct {
        int64_t seconds;
        const char *one;
        const char *many;
    } units[] = {
        {86400, "day", "days"},
        {3600, "hour", "hours"},
        {60, "minute", "minutes"},
        {1, "second", "seconds"},
    };
    const int64_t ms = audit->style.now_unix_ms - unix_ms;
    const int64_t seconds = (ms < 0 ? -ms : ms) / 1000;
    if (seconds == 0) {
        rc_cli_text(buf, "just now");
        return;
    }
    size_t unit = 0;
    while (seconds < units[unit].seconds * (units[unit].seconds > 60 ? 2 : 1) &&
           units[unit].seconds > 1)
        unit++;
    rc_cli_text(buf, ms < 0 ? "in " : "");
    rc_audit_push_counted(buf, (uint64_t)(seconds / units[unit].seconds), units[unit].one,
                          units[unit].many);
    rc_cli_text(buf, ms < 0 ? "" : " ago");
}

/* ---- amounts ---- */

/* Limits a number to a maximum, above which rounding it would overflow. */
static int64_t shown(uint64_t number)
{
    return number < NUMBER_MAX ? (int64_t)number : NUMBER_MAX;
}

void rc_audit_push_ms(rc_buf *buf, int64_t ms)
{
    rc_chart_push_value(buf, RC_UNIT_MS, ms < 0 ? RC_CHART_GAP : shown((uint64_t)ms));
}

void rc_audit_push_usd(rc_buf *buf, uint64_t micro_usd)
{
    const int64_t micro = shown(micro_usd);
    if (micro > 0 && micro < 50)
        rc_cli_text(buf, "<$0.0001");
    else
        rc_chart_push_value(buf, RC_UNIT_USD, micro);
}

void rc_audit_push_cost(rc_buf *buf, uint64_t micro_usd, bool is_estimated)
{
    if (is_estimated && micro_usd > 0)
        rc_buf_push_byte(buf, '~');
    rc_audit_push_usd(buf, micro_usd);
}

void rc_audit_push_count(rc_buf *buf, uint64_t count)
{
    rc_chart_push_value(buf, RC_UNIT_COUNT, shown(count));
}

void rc_audit_push_size(rc_buf *buf, uint64_t bytes)
{
    const uint64_t tenths = (bytes * 10 + MEGABYTE / 2) / MEGABYTE;
    rc_buf_push_u64(buf, tenths / 10);
    rc_buf_push_byte(buf, '.');
    rc_buf_push_u64(buf, tenths % 10);
    rc_cli_text(buf, " MB");
}

void rc_audit_push_counted(rc_buf *buf, uint64_t count, const char *one, const char *many)
{
    rc_audit_push_count(buf, count);
    rc_buf_push_byte(buf, ' ');
    rc_cli_text(buf, count == 1 ? one : many);
}

void rc_audit_push_share(rc_buf *buf, uint64_t part, uint64_t whole)
{
    if (whole == 0) {
        rc_buf_push_byte(buf, '-');
        return;
    }
    const double share = (double)part / (double)whole;
    rc_chart_push_value(buf, RC_UNIT_PERCENT,
                        part == whole ? PERCENT_SCALE : (int64_t)(share * PERCENT_SCALE));
}

/* ---- operations ---- */

void rc_audit_push_symbol(const rc_audit *audit, rc_buf *buf, rc_symbol symbol)
{
    rc_buf_push(buf, rc_symbol_text(symbol, audit->style.has_utf8));
}

int64_t rc_audit_began_unix_ms(const rc_record *operation)
{
    return operation->key >> RC_OPERATION_KEY_LOW_BITS;
}

void rc_audit_push_target(const rc_audit *audit, rc_buf *buf, const rc_record *operation)
{
    const rc_str target = operation->target;
    const size_t slash = rc_str_find_byte(target, '/', 0);
    const rc_str requested = operation->model;
    const bool is_same =
        target.len > 0 && (requested.len == 0 || rc_str_eq(requested, target) ||
                           (slash != RC_STR_NPOS &&
                            rc_str_eq(rc_str_slice(target, slash + 1, target.len), requested)));
    if (!is_same)
        rc_buf_push(buf, requested);
    if (!is_same && target.len > 0)
        rc_audit_push_symbol(audit, buf, RC_SYMBOL_ARROW);
    rc_buf_push(buf, target);
}

rc_tone rc_audit_push_outcome(const rc_audit *audit, rc_buf *buf, const rc_record *operation)
{
    const char *code = rc_code_name(operation->code);
    rc_symbol symbol = RC_SYMBOL_OPEN;
    rc_tone tone = RC_TONE_FAINT;
    const char *text = "open";
    switch (operation->outcome) {
    case RC_OUTCOME_SUCCEEDED:
        symbol = RC_SYMBOL_GOOD;
        tone = operation->has_recovered ? RC_TONE_WARN : RC_TONE_GOOD;
        text = operation->has_recovered ? "recovered" : "ok";
        break;
    case RC_OUTCOME_FAILED:
        symbol = RC_SYMBOL_BAD;
        tone = RC_TONE_BAD;
        text = code[0] != '\0' ? code : "failed";
        break;
    case RC_OUTCOME_CANCELLED:
        symbol = RC_SYMBOL_STOPPED;
        text = "cancelled";
        break;
    case RC_OUTCOME_NOTICE:
        symbol = RC_SYMBOL_NOTICE;
        tone = RC_TONE_STRONG;
        text = "notice";
        break;
    case RC_OUTCOME_OPEN:
        break;
    }
    rc_audit_push_symbol(audit, buf, symbol);
    rc_buf_push_byte(buf, ' ');
    rc_cli_text(buf, text);
    return tone;
}
