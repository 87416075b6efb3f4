/* Parses the times in queries of the audit. Called by query.c and by `recourse audit prune`. */
#include "audit/time.h"

#include "base/str.h"
#include "codec/datetime.h"
#include "codec/duration.h"

#define DAY_MS INT64_C(86400000)
#define DATE_LEN 10 /* Length of "2026-11-16". */
#define EPOCH_MIN_MS INT64_C(100000000000)

/* Converts local time to UTC. The time zone's offset depends on the result. Therefore a first guess
 * uses the offset at local_ms, and the result uses the offset at the guess. */
static int64_t from_local(int64_t local_ms, const rc_audit_clock *clock)
{
    const int64_t guess = local_ms - 1000 * (int64_t)clock->utc_offset_s((time_t)(local_ms / 1000));
    return local_ms - 1000 * (int64_t)clock->utc_offset_s((time_t)(guess / 1000));
}

static int64_t to_local(int64_t unix_ms, const rc_audit_clock *clock)
{
    return unix_ms + 1000 * (int64_t)clock->utc_offset_s((time_t)(unix_ms / 1000));
}

/* Returns the first moment of the local day that is `days` days after today. */
static int64_t day_start(const rc_audit_clock *clock, int64_t days)
{
    const int64_t local_ms = to_local(clock->now_unix_ms, clock);
    return from_local((local_ms / DAY_MS + days) * DAY_MS, clock);
}

/* Parses two digits at an index. Returns -1 if the text has no two digits there. */
static int two_digits(rc_str text, size_t at)
{
    if (at + 2 > text.len || !rc_ascii_is_digit(text.ptr[at]) ||
        !rc_ascii_is_digit(text.ptr[at + 1]))
        return -1;
    return (text.ptr[at] - '0') * 10 + (text.ptr[at + 1] - '0');
}

/* Parses "02:30" or "02:30:15" into milliseconds since midnight. */
static bool parse_clock(rc_str text, int64_t *ret_ms)
{
    const int hour = two_digits(text, 0);
    const int minute = two_digits(text, 3);
    const int second = text.len == 8 ? two_digits(text, 6) : 0;
    if ((text.len != 5 && text.len != 8) || text.ptr[2] != ':' ||
        (text.len == 8 && text.ptr[5] != ':') || hour < 0 || hour > 23 || minute < 0 ||
        minute > 59 || second < 0 || second > 59)
        return false;
    *ret_ms = ((int64_t)hour * 3600 + minute * 60 + second) * 1000;
    return true;
}

/* Parses "2026-11-16" to its first millisecond in UTC. */
static bool parse_date(rc_str text, int64_t *ret_ms)
{
    const int century = two_digits(text, 0);
    const int year = two_digits(text, 2);
    if (text.len != DATE_LEN || century < 0 || year < 0 || text.ptr[4] != '-' || text.ptr[7] != '-')
        return false;
    const rc_civil civil = {
        .year = century * 100 + year, .month = two_digits(text, 5), .day = two_digits(text, 8)};
    return rc_civil_to_unix_ms(&civil, ret_ms) == RC_OK;
}

static bool parse_local(rc_str text, const rc_audit_clock *clock, int64_t *ret_unix_ms)
{
    int64_t day_ms = 0;
    int64_t clock_ms = 0;
    if (text.len > DATE_LEN) {
        const char between = text.ptr[DATE_LEN];
        if ((between != 'T' && between != 't' && between != ' ') ||
            !parse_clock(rc_str_slice(text, DATE_LEN + 1, text.len), &clock_ms))
            return false;
    }
    if (!parse_date(rc_str_slice(text, 0, DATE_LEN), &day_ms))
        return false;
    *ret_unix_ms = from_local(day_ms + clock_ms, clock);
    return true;
}

static bool parse_time_of_day(rc_str text, const rc_audit_clock *clock, int64_t *ret_unix_ms)
{
    int64_t clock_ms = 0;
    if (!parse_clock(text, &clock_ms))
        return false;
    const int64_t local_ms = to_local(clock->now_unix_ms, clock);
    int64_t at = local_ms / DAY_MS * DAY_MS + clock_ms;
    if (at > local_ms)
        at -= DAY_MS;
    *ret_unix_ms = from_local(at, clock);
    return true;
}

static bool parse_word(rc_str text, const rc_audit_clock *clock, int64_t *ret_unix_ms)
{
    if (rc_str_eq_nocase(text, RC_STR("now")))
        *ret_unix_ms = clock->now_unix_ms;
    else if (rc_str_eq_nocase(text, RC_STR("today")))
        *ret_unix_ms = day_start(clock, 0);
    else if (rc_str_eq_nocase(text, RC_STR("yesterday")))
        *ret_unix_ms = day_start(clock, -1);
    else
        return false;
    return true;
}

static bool parse_epoch(rc_str text, int64_t *ret_unix_ms)
{
    return rc_epoch_parse(text, ret_unix_ms) == RC_OK &&
           (*ret_unix_ms >= EPOCH_MIN_MS || rc_str_eq(text, RC_STR("0")));
}

bool rc_audit_time_parse(rc_str text, const rc_audit_clock *clock, int64_t *ret_unix_ms)
{
    int64_t ago_ms = 0;
    int64_t at = 0;
    if (!parse_word(text, clock, &at) && !parse_time_of_day(text, clock, &at) &&
        rc_rfc3339_parse(text, &at) != RC_OK && !parse_local(text, clock, &at) &&
        !parse_epoch(text, &at)) {
        if (rc_duration_parse(text, RC_UNIT_NONE, &ago_ms) != RC_OK)
            return false;
        at = clock->now_unix_ms - ago_ms;
    }
    if (at < 0)
        return false;
    *ret_unix_ms = at;
    return true;
}
