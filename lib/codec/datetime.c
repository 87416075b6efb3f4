/* Dates: calendar arithmetic, RFC 3339, HTTP dates and epochs. Called by the hints of the
 * classifier, the renderers and the gateway. */
#include "codec/datetime.h"

#include "base/str.h"

#define MS_PER_DAY INT64_C(86400000)
#define DAYS_PER_YEAR 365
#define DAYS_PER_4_YEARS (4 * DAYS_PER_YEAR + 1)
#define DAYS_PER_100_YEARS (25 * DAYS_PER_4_YEARS - 1)
#define DAYS_PER_400_YEARS (4 * DAYS_PER_100_YEARS + 1)
#define YEAR_MAX 9999

typedef struct cursor {
    rc_str text;
    size_t at;
} cursor;

static const rc_str month_names[12] = {
    RC_STR_INIT("Jan"), RC_STR_INIT("Feb"), RC_STR_INIT("Mar"), RC_STR_INIT("Apr"),
    RC_STR_INIT("May"), RC_STR_INIT("Jun"), RC_STR_INIT("Jul"), RC_STR_INIT("Aug"),
    RC_STR_INIT("Sep"), RC_STR_INIT("Oct"), RC_STR_INIT("Nov"), RC_STR_INIT("Dec"),
};

/* Names of the weekdays; the short form of a name is its first three letters. */
static const rc_str weekday_names[7] = {
    RC_STR_INIT("Sunday"),    RC_STR_INIT("Monday"),   RC_STR_INIT("Tuesday"),
    RC_STR_INIT("Wednesday"), RC_STR_INIT("Thursday"), RC_STR_INIT("Friday"),
    RC_STR_INIT("Saturday"),
};

/* --- the calendar --- */

static bool is_leap_year(int year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

static int days_in_month(int year, int month)
{
    static const int days[12] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    return days[month - 1] + (month == 2 && is_leap_year(year));
}

/* Returns the days from 1 January of the year 1 to 1 January of `year`. */
static int64_t days_before_year(int year)
{
    int64_t y = year - 1;
    return DAYS_PER_YEAR * y + y / 4 - y / 100 + y / 400;
}

/* Sets year, month and day from the days since 1 January of the year 1. Without the limit of 3,
 * the last day of a cycle of 400 (or 4) years would belong to a fifth century (or year) of the
 * cycle. */
static void set_date(rc_civil *civil, int64_t day)
{
    int64_t eras = day / DAYS_PER_400_YEARS;
    int64_t left = day % DAYS_PER_400_YEARS;
    int64_t centuries = left / DAYS_PER_100_YEARS < 3 ? left / DAYS_PER_100_YEARS : 3;
    left -= centuries * DAYS_PER_100_YEARS;
    int64_t quads = left / DAYS_PER_4_YEARS;
    left -= quads * DAYS_PER_4_YEARS;
    int64_t years = left / DAYS_PER_YEAR < 3 ? left / DAYS_PER_YEAR : 3;
    left -= years * DAYS_PER_YEAR;

    civil->year = (int)(eras * 400 + centuries * 100 + quads * 4 + years + 1);
    civil->month = 1;
    while (left >= days_in_month(civil->year, civil->month)) {
        left -= days_in_month(civil->year, civil->month);
        civil->month++;
    }
    civil->day = (int)left + 1;
}

static int64_t clamp(int64_t unix_ms)
{
    if (unix_ms < RC_DATETIME_MIN_MS)
        return RC_DATETIME_MIN_MS;
    return unix_ms > RC_DATETIME_MAX_MS ? RC_DATETIME_MAX_MS : unix_ms;
}

rc_civil rc_civil_from_unix_ms(int64_t unix_ms)
{
    int64_t ms = clamp(unix_ms) - RC_DATETIME_MIN_MS; /* never negative, because clamp() limits the
                                                         time to the valid range */
    int64_t day = ms / MS_PER_DAY;
    int of_day = (int)(ms % MS_PER_DAY);
    rc_civil civil = {.hour = of_day / 3600000,
                      .minute = of_day / 60000 % 60,
                      .second = of_day / 1000 % 60,
                      .millisecond = of_day % 1000,
                      .weekday = (int)((day + 1) % 7)}; /* 1 January of the year 1 was a Monday */
    set_date(&civil, day);
    return civil;
}

static bool is_in(int value, int min, int max)
{
    return value >= min && value <= max;
}

rc_status rc_civil_to_unix_ms(const rc_civil *civil, int64_t *ret_unix_ms)
{
    if (!is_in(civil->year, 1, YEAR_MAX) || !is_in(civil->month, 1, 12) ||
        !is_in(civil->day, 1, days_in_month(civil->year, civil->month)))
        return RC_E_RANGE;
    if (!is_in(civil->hour, 0, 23) || !is_in(civil->minute, 0, 59) ||
        !is_in(civil->second, 0, 59) || !is_in(civil->millisecond, 0, 999))
        return RC_E_RANGE;

    int64_t days = days_before_year(civil->year) + civil->day - 1;
    for (int month = 1; month < civil->month; month++)
        days += days_in_month(civil->year, month);
    int64_t seconds = (int64_t)(civil->hour * 60 + civil->minute) * 60 + civil->second;
    *ret_unix_ms = RC_DATETIME_MIN_MS + days * MS_PER_DAY + seconds * 1000 + civil->millisecond;
    return RC_OK;
}

/* --- reading --- */

static char peek(const cursor *c)
{
    return c->at < c->text.len ? c->text.ptr[c->at] : '\0';
}

static bool is_at_end(const cursor *c)
{
    return c->at == c->text.len;
}

static bool take(cursor *c, rc_str expected)
{
    rc_str next = rc_str_slice(c->text, c->at, c->at + expected.len);
    if (!rc_str_eq_nocase(next, expected))
        return false;
    c->at += expected.len;
    return true;
}

/* Reads a number of exactly `digits` digits. `digits` is at most four. */
static bool take_number(cursor *c, int digits, int *ret)
{
    int value = 0;
    for (int i = 0; i < digits; i++) {
        if (!rc_ascii_is_digit(peek(c)))
            return false;
        value = value * 10 + (peek(c) - '0');
        c->at++;
    }
    *ret = value;
    return true;
}

/* Reads the digits after a decimal point as milliseconds; digits after the third are dropped. */
static bool take_fraction(cursor *c, int *ret_ms)
{
    int ms = 0;
    int place = 100;
    size_t from = c->at;
    for (; rc_ascii_is_digit(peek(c)); c->at++) {
        ms += (peek(c) - '0') * place;
        place /= 10;
    }
    if (c->at == from)
        return false;
    *ret_ms = ms;
    return true;
}

/* Reads a time of day such as 08:49:37. */
static bool take_clock(cursor *c, rc_civil *civil)
{
    return take_number(c, 2, &civil->hour) && take(c, RC_STR(":")) &&
           take_number(c, 2, &civil->minute) && take(c, RC_STR(":")) &&
           take_number(c, 2, &civil->second);
}

static bool take_month(cursor *c, int *ret_month)
{
    for (int i = 0; i < 12; i++) {
        if (take(c, month_names[i])) {
            *ret_month = i + 1;
            return true;
        }
    }
    return false;
}

static bool take_weekday(cursor *c, bool is_long)
{
    for (int i = 0; i < 7; i++) {
        if (take(c, is_long ? weekday_names[i] : rc_str_slice(weekday_names[i], 0, 3)))
            return true;
    }
    return false;
}

/* Converts a parsed date to Unix time. A leap second (:60) has no Unix time of its own and becomes
 * :59.999. */
static rc_status settle(rc_civil civil, int64_t *ret_unix_ms)
{
    if (civil.second == 60) {
        civil.second = 59;
        civil.millisecond = 999;
    }
    return rc_civil_to_unix_ms(&civil, ret_unix_ms);
}

/* --- RFC 3339 --- */

typedef struct offset {
    int sign; /* 1 or -1 for an offset; 0 for Z */
    int hour;
    int minute;
} offset;

static bool take_offset(cursor *c, offset *ret)
{
    offset o = {0};
    if (!take(c, RC_STR("Z"))) {
        o.sign = take(c, RC_STR("-")) ? -1 : 1;
        if (o.sign > 0 && !take(c, RC_STR("+")))
            return false;
        if (!take_number(c, 2, &o.hour) || !take(c, RC_STR(":")) || !take_number(c, 2, &o.minute))
            return false;
    }
    *ret = o;
    return true;
}

static bool take_rfc3339(cursor *c, rc_civil *civil, offset *o)
{
    bool is_date = take_number(c, 4, &civil->year) && take(c, RC_STR("-")) &&
                   take_number(c, 2, &civil->month) && take(c, RC_STR("-")) &&
                   take_number(c, 2, &civil->day);
    if (!is_date || (!take(c, RC_STR("T")) && !take(c, RC_STR(" "))) || !take_clock(c, civil))
        return false;
    if (take(c, RC_STR(".")) && !take_fraction(c, &civil->millisecond))
        return false;
    return take_offset(c, o) && is_at_end(c);
}

rc_status rc_rfc3339_parse(rc_str text, int64_t *ret_unix_ms)
{
    cursor c = {text, 0};
    rc_civil civil = {0};
    offset o;
    if (!take_rfc3339(&c, &civil, &o))
        return RC_E_SYNTAX;
    int64_t local_ms;
    if (settle(civil, &local_ms) != RC_OK || o.hour > 23 || o.minute > 59)
        return RC_E_RANGE;
    int64_t unix_ms = local_ms - (int64_t)o.sign * (o.hour * 60 + o.minute) * 60000;
    if (unix_ms != clamp(unix_ms))
        return RC_E_RANGE;
    *ret_unix_ms = unix_ms;
    return RC_OK;
}

/* --- RFC 9110 --- */

/* Reads a date such as: Sun, 06 Nov 1994 08:49:37 GMT */
static bool is_imf_fixdate(cursor c, rc_civil *civil)
{
    return take_weekday(&c, false) && take(&c, RC_STR(", ")) && take_number(&c, 2, &civil->day) &&
           take(&c, RC_STR(" ")) && take_month(&c, &civil->month) && take(&c, RC_STR(" ")) &&
           take_number(&c, 4, &civil->year) && take(&c, RC_STR(" ")) && take_clock(&c, civil) &&
           take(&c, RC_STR(" GMT")) && is_at_end(&c);
}

/* Reads a date such as: Sunday, 06-Nov-94 08:49:37 GMT */
static bool is_rfc850_date(cursor c, rc_civil *civil)
{
    return take_weekday(&c, true) && take(&c, RC_STR(", ")) && take_number(&c, 2, &civil->day) &&
           take(&c, RC_STR("-")) && take_month(&c, &civil->month) && take(&c, RC_STR("-")) &&
           take_number(&c, 2, &civil->year) && take(&c, RC_STR(" ")) && take_clock(&c, civil) &&
           take(&c, RC_STR(" GMT")) && is_at_end(&c);
}

/* Reads a date such as: Sun Nov  6 08:49:37 1994 */
static bool is_asctime_date(cursor c, rc_civil *civil)
{
    if (!take_weekday(&c, false) || !take(&c, RC_STR(" ")) || !take_month(&c, &civil->month) ||
        !take(&c, RC_STR(" ")))
        return false;
    int day_digits = take(&c, RC_STR(" ")) ? 1 : 2;
    return take_number(&c, day_digits, &civil->day) && take(&c, RC_STR(" ")) &&
           take_clock(&c, civil) && take(&c, RC_STR(" ")) && take_number(&c, 4, &civil->year) &&
           is_at_end(&c);
}

/* Returns the time within the year as one number, for comparison only. */
static int64_t rank_in_year(const rc_civil *civil)
{
    int64_t rank = civil->month * 32 + civil->day;
    rank = rank * 32 + civil->hour;
    rank = rank * 64 + civil->minute;
    rank = rank * 64 + civil->second;
    return rank * 1000 + civil->millisecond;
}

/* Completes a two-digit year. According to RFC 9110 §5.6.7, a date that seems to be more than 50
 * years in the future belongs to the previous century. */
static void resolve_year(rc_civil *civil, int64_t now_unix_ms)
{
    rc_civil now = rc_civil_from_unix_ms(now_unix_ms);
    int latest = now.year + 50;
    if (rank_in_year(civil) > rank_in_year(&now))
        latest--;
    civil->year = latest - (latest + 100 - civil->year) % 100; /* the sum is positive, as %
                                                                  requires */
}

rc_status rc_http_date_parse(rc_str text, int64_t now_unix_ms, int64_t *ret_unix_ms)
{
    cursor c = {text, 0};
    rc_civil civil = {0};
    if (is_imf_fixdate(c, &civil) || is_asctime_date(c, &civil))
        return settle(civil, ret_unix_ms);
    if (!is_rfc850_date(c, &civil))
        return RC_E_SYNTAX;
    resolve_year(&civil, now_unix_ms);
    return settle(civil, ret_unix_ms);
}

/* --- epochs --- */

rc_status rc_epoch_parse(rc_str text, int64_t *ret_unix_ms)
{
    const int64_t max_seconds = INT64_C(100000000000);
    const int64_t max_ms = max_seconds * 1000;
    const int64_t max_us = max_ms * 1000;
    cursor c = {text, 0};
    bool is_negative = take(&c, RC_STR("-"));
    size_t from = c.at;
    int64_t value = 0;
    for (; rc_ascii_is_digit(peek(&c)); c.at++)
        value = value < max_us ? value * 10 + (peek(&c) - '0') : max_us;
    int fraction_ms = 0;
    if (c.at == from || (take(&c, RC_STR(".")) && !take_fraction(&c, &fraction_ms)))
        return RC_E_SYNTAX;
    if (!is_at_end(&c))
        return RC_E_SYNTAX;
    if (is_negative || value >= max_us)
        return RC_E_RANGE;
    if (value < max_seconds)
        *ret_unix_ms = value * 1000 + fraction_ms;
    else
        *ret_unix_ms = value < max_ms ? value : value / 1000;
    return RC_OK;
}

/* --- writing --- */

static void push_number(rc_buf *buf, int value, int digits)
{
    char text[4];
    for (int i = digits; i > 0; i--) {
        text[i - 1] = (char)('0' + value % 10);
        value /= 10;
    }
    (void)rc_buf_push(buf, rc_str_make(text, (size_t)digits));
}

static void push_clock(rc_buf *buf, const rc_civil *civil)
{
    push_number(buf, civil->hour, 2);
    (void)rc_buf_push_byte(buf, ':');
    push_number(buf, civil->minute, 2);
    (void)rc_buf_push_byte(buf, ':');
    push_number(buf, civil->second, 2);
}

void rc_rfc3339_push(rc_buf *buf, int64_t unix_ms)
{
    char memory[sizeof("2026-11-16T01:02:03.456Z")];
    rc_buf out;
    rc_buf_init_fixed(&out, memory, sizeof(memory));
    rc_civil civil = rc_civil_from_unix_ms(unix_ms);
    push_number(&out, civil.year, 4);
    (void)rc_buf_push_byte(&out, '-');
    push_number(&out, civil.month, 2);
    (void)rc_buf_push_byte(&out, '-');
    push_number(&out, civil.day, 2);
    (void)rc_buf_push_byte(&out, 'T');
    push_clock(&out, &civil);
    (void)rc_buf_push_byte(&out, '.');
    push_number(&out, civil.millisecond, 3);
    (void)rc_buf_push_byte(&out, 'Z');
    (void)rc_buf_push(buf, rc_buf_get(&out));
}

void rc_http_date_push(rc_buf *buf, int64_t unix_ms)
{
    char memory[sizeof("Mon, 16 Nov 2026 01:02:03 GMT")];
    rc_buf out;
    rc_buf_init_fixed(&out, memory, sizeof(memory));
    rc_civil civil = rc_civil_from_unix_ms(unix_ms);
    (void)rc_buf_push(&out, rc_str_slice(weekday_names[civil.weekday], 0, 3));
    (void)rc_buf_push(&out, RC_STR(", "));
    push_number(&out, civil.day, 2);
    (void)rc_buf_push_byte(&out, ' ');
    (void)rc_buf_push(&out, month_names[civil.month - 1]);
    (void)rc_buf_push_byte(&out, ' ');
    push_number(&out, civil.year, 4);
    (void)rc_buf_push_byte(&out, ' ');
    push_clock(&out, &civil);
    (void)rc_buf_push(&out, RC_STR(" GMT"));
    (void)rc_buf_push(buf, rc_buf_get(&out));
}
