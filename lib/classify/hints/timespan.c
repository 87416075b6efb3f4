/* Time spans in .NET's notation: 02:11:53, 5.03:23:11 (days before the point), 00:00:30.5. Called
 * by text.c, only after words that mean a wait, because without such words the same digits are a
 * time of day. */
#include "base/str.h"
#include "classify/hints/parts.h"

static size_t digits(rc_str text, size_t at, int64_t *ret_value)
{
    int64_t value = 0;
    size_t to = at;
    while (to < text.len && to - at < 6 && rc_ascii_is_digit(text.ptr[to]))
        value = value * 10 + (text.ptr[to++] - '0');
    *ret_value = value;
    return to;
}

/* Reads a colon and two digits with a value of at most 59. */
static bool take_sixty(rc_str text, size_t *at, int64_t *ret_value)
{
    if (*at >= text.len || text.ptr[*at] != ':')
        return false;
    size_t to = digits(text, *at + 1, ret_value);
    bool is_good = to == *at + 3 && *ret_value < 60;
    *at = to;
    return is_good;
}

bool rc_hint_read_timespan(rc_str text, int64_t *ret_ms, size_t *ret_len)
{
    int64_t days = 0;
    int64_t hours;
    int64_t minutes;
    int64_t seconds;
    size_t at = digits(text, 0, &hours);
    if (at == 0)
        return false;
    if (at < text.len && text.ptr[at] == '.') {
        days = hours;
        size_t from = at + 1;
        at = digits(text, from, &hours);
        if (at == from)
            return false;
    }
    if (hours > 23 || !take_sixty(text, &at, &minutes) || !take_sixty(text, &at, &seconds))
        return false;
    if (at + 1 < text.len && text.ptr[at] == '.' && rc_ascii_is_digit(text.ptr[at + 1])) {
        seconds++; /* rounded up, so that a wait is never shorter than in the text */
        for (at++; at < text.len && rc_ascii_is_digit(text.ptr[at]);)
            at++;
    }
    *ret_ms = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
    *ret_len = at;
    return true;
}
