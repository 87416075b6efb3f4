/* Converts values of headers and JSON members to waits. Called by hints.c, text.c, date.c and
 * lib/policy/quota.c. */
#include "base/str.h"
#include "classify/hints/parts.h"
#include "codec/datetime.h"

rc_hint_reading rc_hint_until(int64_t unix_ms, int64_t now_unix_ms)
{
    if (now_unix_ms <= 0)
        return rc_hint_reject(RC_STR("a point in time, and the time now is not known"));
    if (unix_ms <= now_unix_ms)
        return rc_hint_wait(0);
    if (unix_ms - now_unix_ms > RC_DURATION_MAX_MS)
        return rc_hint_reject(RC_STR("more than 100 years away"));
    return rc_hint_wait(unix_ms - now_unix_ms);
}

rc_hint_reading rc_hint_reject_duration(rc_status status, rc_str text)
{
    if (status == RC_E_SYNTAX)
        return rc_hint_reject(RC_STR("neither a duration nor a point in time"));
    if (rc_str_find_byte(rc_str_slice(text, 0, 2), '-', 0) != RC_STR_NPOS)
        return rc_hint_reject(RC_STR("negative"));
    return rc_hint_reject(RC_STR("too long for a wait"));
}

/* Returns the timestamp `value` in milliseconds, rounded up, so that a wait does not end before
 * this time. unix_ms: the timestamp as rc_epoch_parse returned it, truncated to milliseconds. */
static int64_t round_epoch(rc_str value, int64_t unix_ms)
{
    size_t point = rc_str_find_byte(value, '.', 0);
    return unix_ms + (point != RC_STR_NPOS && value.len > point + 4);
}

/* Reads a date. Returns true only if the value contains nothing but the date. */
static bool read_whole_date(rc_str value, int64_t now_unix_ms, rc_hint_reading *ret)
{
    size_t len;
    return rc_hint_read_date(value, false, now_unix_ms, ret, &len) && len == value.len;
}

static rc_hint_reading read_time(rc_str value, int64_t now_unix_ms)
{
    int64_t unix_ms;
    rc_status status = rc_epoch_parse(value, &unix_ms);
    if (status == RC_E_RANGE)
        return rc_hint_reject_duration(status, value);
    if (status == RC_OK && unix_ms < RC_HINT_EPOCH_MS)
        return rc_hint_reject(RC_STR("too small for a point in time"));
    if (status == RC_OK)
        return rc_hint_until(round_epoch(value, unix_ms), now_unix_ms);
    rc_hint_reading reading;
    if (read_whole_date(value, now_unix_ms, &reading))
        return reading;
    return rc_hint_reject(RC_STR("not a point in time"));
}

static rc_hint_reading read_amount(rc_str value, rc_unit unit)
{
    int64_t ms;
    rc_status status = rc_duration_parse(value, unit, &ms);
    if (status != RC_OK)
        return rc_hint_reject_duration(status, value);
    if (ms >= RC_HINT_EPOCH_MS)
        return rc_hint_reject(RC_STR("too long for a wait"));
    return rc_hint_wait(ms);
}

/* Reads RC_HINT_FORM_AUTO: a number below RC_HINT_EPOCH_S is a wait in seconds, a larger number is
 * a point in time. */
static rc_hint_reading read_auto(rc_str value, int64_t now_unix_ms)
{
    int64_t ms;
    rc_status status = rc_duration_parse(value, RC_UNIT_S, &ms);
    if (status == RC_OK && ms < RC_HINT_EPOCH_MS)
        return rc_hint_wait(ms);
    rc_hint_reading reading;
    if (status == RC_E_SYNTAX && read_whole_date(value, now_unix_ms, &reading))
        return reading;
    if (status == RC_E_SYNTAX)
        return rc_hint_reject_duration(status, value);
    int64_t unix_ms;
    if (rc_epoch_parse(value, &unix_ms) == RC_OK)
        return read_time(value, now_unix_ms);
    return rc_hint_reject_duration(RC_E_RANGE, value);
}

rc_hint_reading rc_hint_read(rc_hint_form form, rc_str value, int64_t now_unix_ms)
{
    rc_str trimmed = rc_str_trim(value);
    if (trimmed.len == 0)
        return rc_hint_reject(RC_STR("empty"));
    switch (form) {
    case RC_HINT_FORM_MS:
        return read_amount(trimmed, RC_UNIT_MS);
    case RC_HINT_FORM_SECONDS:
        return read_amount(trimmed, RC_UNIT_S);
    case RC_HINT_FORM_TIME:
        return read_time(trimmed, now_unix_ms);
    case RC_HINT_FORM_AUTO:
        return read_auto(trimmed, now_unix_ms);
    case RC_HINT_FORM_POLICY:
        break;
    }
    return rc_hint_reject(RC_STR("more than one value"));
}
