/* Tests of dates: the calendar, compared day by day with a slow reference; every notation; every
 * error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "codec/datetime.h"
#include "support/often.h"

#define UNTOUCHED INT64_C(-7777)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define DAY_MS INT64_C(86400000)
#define NOW INT64_C(1794790923456) /* 2026-11-16T01:02:03.456Z */

typedef enum form {
    FORM_RFC3339,
    FORM_HTTP,
    FORM_EPOCH
} form;

/* Parses a copy without spare bytes, so that a sanitizer detects reads after the text. */
static rc_status parse(form f, rc_str text, int64_t *ret_unix_ms)
{
    char *copy = malloc(text.len + 1); /* never of size 0 */
    assert_non_null(copy);
    if (text.ptr)
        memcpy(copy + 1, text.ptr, text.len);
    rc_str exact = rc_str_make(copy + 1, text.len);
    rc_status status = RC_E_ARGUMENT;
    switch (f) {
    case FORM_RFC3339:
        status = rc_rfc3339_parse(exact, ret_unix_ms);
        break;
    case FORM_HTTP:
        status = rc_http_date_parse(exact, NOW, ret_unix_ms);
        break;
    case FORM_EPOCH:
        status = rc_epoch_parse(exact, ret_unix_ms);
        break;
    }
    free(copy);
    return status;
}

static void expect(form f, const char *text, rc_status want, int64_t want_ms)
{
    int64_t ms = UNTOUCHED;
    rc_status status = parse(f, rc_str_c(text), &ms);
    if (status != want || ms != want_ms)
        fail_msg("\"%s\": status %d, %lld; want status %d, %lld", text, (int)status, (long long)ms,
                 (int)want, (long long)want_ms);
}

static void expect_all(form f, const char *const *texts, size_t count, rc_status want)
{
    for (size_t i = 0; i < count; i++)
        expect(f, texts[i], want, UNTOUCHED);
}

/* --- the calendar --- */

/* The reference: a calendar that advances one day at a time. */
typedef struct wall {
    int year, month, day, weekday;
} wall;

static int wall_month_len(const wall *w)
{
    switch (w->month) {
    case 4:
    case 6:
    case 9:
    case 11:
        return 30;
    case 2:
        if (w->year % 400 == 0)
            return 29;
        if (w->year % 100 == 0)
            return 28;
        return w->year % 4 == 0 ? 29 : 28;
    default:
        return 31;
    }
}

static void wall_turn(wall *w)
{
    w->weekday = w->weekday == 6 ? 0 : w->weekday + 1;
    if (w->day < wall_month_len(w)) {
        w->day++;
        return;
    }
    w->day = 1;
    if (w->month < 12) {
        w->month++;
        return;
    }
    w->month = 1;
    w->year++;
}

static void check_day(const wall *w, int64_t midnight_ms)
{
    rc_civil first = rc_civil_from_unix_ms(midnight_ms);
    rc_civil last = rc_civil_from_unix_ms(midnight_ms + DAY_MS - 1);
    bool is_right = first.year == w->year && first.month == w->month && first.day == w->day &&
                    first.weekday == w->weekday && first.hour == 0 && first.minute == 0 &&
                    first.second == 0 && first.millisecond == 0 && last.year == w->year &&
                    last.month == w->month && last.day == w->day && last.weekday == w->weekday &&
                    last.hour == 23 && last.minute == 59 && last.second == 59 &&
                    last.millisecond == 999;
    int64_t back = UNTOUCHED;
    int64_t last_back = UNTOUCHED;
    is_right = is_right && rc_civil_to_unix_ms(&first, &back) == RC_OK && back == midnight_ms &&
               rc_civil_to_unix_ms(&last, &last_back) == RC_OK && last_back == back + DAY_MS - 1;
    if (!is_right)
        fail_msg("%04d-%02d-%02d is wrong", w->year, w->month, w->day);
}

static void test_every_day(void **state)
{
    (void)state;
    wall w = {.year = 1, .month = 1, .day = 1, .weekday = 1};
    int64_t midnight_ms = RC_DATETIME_MIN_MS;
    long days = 0;
    bool has_seen_epoch = false;
    for (; w.year < 10000; wall_turn(&w), midnight_ms += DAY_MS, days++) {
        check_day(&w, midnight_ms);
        if (w.year == 1970 && w.month == 1 && w.day == 1) {
            assert_int_equal(midnight_ms, 0);
            assert_int_equal(w.weekday,
                             4); /* checks the reference itself: 1 January 1970 was a Thursday */
            has_seen_epoch = true;
        }
    }
    assert_true(has_seen_epoch);
    assert_int_equal(days, 3652059);
    assert_int_equal(midnight_ms - 1, RC_DATETIME_MAX_MS);
}

static void test_every_millisecond_field(void **state)
{
    (void)state;
    for (int second = 0; second < 86400; second++) {
        int64_t ms = NOW / DAY_MS * DAY_MS + (int64_t)second * 1000 + second % 1000;
        rc_civil c = rc_civil_from_unix_ms(ms);
        assert_int_equal((c.hour * 60 + c.minute) * 60 + c.second, second);
        assert_int_equal(c.millisecond, second % 1000);
        int64_t back = UNTOUCHED;
        assert_int_equal(rc_civil_to_unix_ms(&c, &back), RC_OK);
        assert_int_equal(back, ms);
    }
}

static void test_civil_clamps(void **state)
{
    (void)state;
    rc_civil low = rc_civil_from_unix_ms(INT64_MIN);
    assert_int_equal(low.year, 1);
    assert_int_equal(low.month, 1);
    assert_int_equal(low.millisecond, 0);
    rc_civil high = rc_civil_from_unix_ms(INT64_MAX);
    assert_int_equal(high.year, 9999);
    assert_int_equal(high.day, 31);
    assert_int_equal(high.millisecond, 999);
}

static void test_civil_refuses(void **state)
{
    (void)state;
    static const rc_civil bad[] = {
        {0, 1, 1, 0, 0, 0, 0, 0},
        {10000, 1, 1, 0, 0, 0, 0, 0},
        {-1, 1, 1, 0, 0, 0, 0, 0},
        {INT32_MIN, 1, 1, 0, 0, 0, 0, 0},
        {INT32_MAX, 1, 1, 0, 0, 0, 0, 0},
        {2026, 0, 1, 0, 0, 0, 0, 0},
        {2026, 13, 1, 0, 0, 0, 0, 0},
        {2026, INT32_MIN, 1, 0, 0, 0, 0, 0},
        {2026, INT32_MAX, 1, 0, 0, 0, 0, 0},
        {2026, 1, 0, 0, 0, 0, 0, 0},
        {2026, 1, 32, 0, 0, 0, 0, 0},
        {2026, 2, 29, 0, 0, 0, 0, 0},
        {2024, 2, 30, 0, 0, 0, 0, 0},
        {1900, 2, 29, 0, 0, 0, 0, 0},
        {2026, 4, 31, 0, 0, 0, 0, 0},
        {2026, 1, 1, 24, 0, 0, 0, 0},
        {2026, 1, 1, -1, 0, 0, 0, 0},
        {2026, 1, 1, 0, 60, 0, 0, 0},
        {2026, 1, 1, 0, -1, 0, 0, 0},
        {2026, 1, 1, 0, 0, 60, 0, 0},
        {2026, 1, 1, 0, 0, -1, 0, 0},
        {2026, 1, 1, 0, 0, 0, 1000, 0},
        {2026, 1, 1, 0, 0, 0, -1, 0},
    };
    for (size_t i = 0; i < COUNT(bad); i++) {
        int64_t ms = UNTOUCHED;
        assert_int_equal(rc_civil_to_unix_ms(&bad[i], &ms), RC_E_RANGE);
        assert_int_equal(ms, UNTOUCHED);
    }
    int64_t ms = UNTOUCHED;
    const rc_civil leap = {.year = 2000, .month = 2, .day = 29, .weekday = 99};
    assert_int_equal(rc_civil_to_unix_ms(&leap, &ms), RC_OK);
    assert_int_equal(ms, INT64_C(951782400000));
}

/* --- RFC 3339 --- */

static void test_rfc3339_accepts(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
    } cases[] = {
        {"1970-01-01T00:00:00Z", 0},
        {"1969-12-31T23:59:59.999Z", -1},
        {"2026-11-16T01:02:03Z", NOW - 456},
        {"2026-11-16T01:02:03.456Z", NOW},
        {"2026-11-16T01:02:03.4Z", NOW - 56},
        {"2026-11-16T01:02:03.45Z", NOW - 6},
        {"2026-11-16T01:02:03.456999999999999999999999999999999999Z", NOW},
        {"2026-11-16t01:02:03.456z", NOW},
        {"2026-11-16 01:02:03.456Z", NOW},
        {"2026-11-16T01:02:03.456+00:00", NOW},
        {"2026-11-16T01:02:03.456-00:00", NOW},
        {"2026-11-16T02:32:03.456+01:30", NOW},
        {"2026-11-15T17:02:03.456-08:00", NOW},
        {"2026-11-17T01:01:03.456+23:59", NOW},
        {"2026-11-15T01:03:03.456-23:59", NOW},
        {"1990-12-31T23:59:60Z", INT64_C(662687999999)},
        {"1990-12-31T23:59:60.5Z", INT64_C(662687999999)},
        {"1990-12-31T15:59:60-08:00", INT64_C(662687999999)},
        {"2000-02-29T00:00:00Z", INT64_C(951782400000)},
        {"0001-01-01T00:00:00Z", RC_DATETIME_MIN_MS},
        {"9999-12-31T23:59:59.999Z", RC_DATETIME_MAX_MS},
        {"9999-12-31T23:59:60Z", RC_DATETIME_MAX_MS},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        expect(FORM_RFC3339, cases[i].text, RC_OK, cases[i].ms);
}

static void test_rfc3339_refuses(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "",
        "2026",
        "2026-11-16",
        "2026-11-16T01:02:03",
        "2026-11-16T01:02Z",
        "2026-11-16T01:02:03.Z",
        "2026-11-16T01:02:03,5Z",
        "2026-11-16T01:02:03+0100",
        "2026-11-16T01:02:03+1:00",
        "2026-11-16T01:02:03ZZ",
        "2026-11-16T01:02:03Z ",
        " 2026-11-16T01:02:03Z",
        "2026-11-16T01:02:03UTC",
        "2026-11-16_01:02:03Z",
        "2026/11/16T01:02:03Z",
        "20261116T010203Z",
        "26-11-16T01:02:03Z",
        "+2026-11-16T01:02:03Z",
        "-001-11-16T01:02:03Z",
        "2026-1-16T01:02:03Z",
        "2026-11-6T01:02:03Z",
        "2026-11-16T1:02:03Z",
        "2026-11-16T01:02:3Z",
        "2026-aa-16T01:02:03Z",
        "2026-11-16T01:02:03\xc2\xb0",
        "Mon, 16 Nov 2026 01:02:03 GMT",
    };
    static const char *const ranges[] = {
        "0000-01-01T00:00:00Z",      "2026-00-16T01:02:03Z",      "2026-13-16T01:02:03Z",
        "2026-11-00T01:02:03Z",      "2026-11-31T01:02:03Z",      "2026-02-29T01:02:03Z",
        "2024-02-30T01:02:03Z",      "1900-02-29T01:02:03Z",      "2026-11-16T24:00:00Z",
        "2026-11-16T01:60:03Z",      "2026-11-16T01:02:61Z",      "2026-11-16T01:02:03+24:00",
        "2026-11-16T01:02:03-24:00", "2026-11-16T01:02:03+00:60", "0001-01-01T00:00:00+00:01",
        "9999-12-31T23:59:59-00:01", "9999-99-99T99:99:99+99:99",
    };
    expect_all(FORM_RFC3339, forms, COUNT(forms), RC_E_SYNTAX);
    expect_all(FORM_RFC3339, ranges, COUNT(ranges), RC_E_RANGE);
    int64_t ms = UNTOUCHED;
    assert_int_equal(rc_rfc3339_parse(rc_str_make(NULL, 0), &ms), RC_E_SYNTAX);
    assert_int_equal(parse(FORM_RFC3339, RC_STR("2026-11-16T01:02:03Z\0"), &ms), RC_E_SYNTAX);
}

/* --- RFC 9110 --- */

static void test_http_date_accepts(void **state)
{
    (void)state;
    const int64_t rfc_example = INT64_C(784111777000);
    static const char *const examples[] = {
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
        "Sun Nov 06 08:49:37 1994",
        "sun, 06 nov 1994 08:49:37 gmt",
        "SUNDAY, 06-NOV-94 08:49:37 GMT",
        "Wednesday, 06-Nov-94 08:49:37 GMT",
        "Tue, 06 Nov 1994 08:49:37 GMT", /* a weekday that does not match the date */
    };
    for (size_t i = 0; i < COUNT(examples); i++)
        expect(FORM_HTTP, examples[i], RC_OK, rfc_example);
    expect(FORM_HTTP, "Mon, 16 Nov 2026 01:02:03 GMT", RC_OK, NOW - 456);
    expect(FORM_HTTP, "Mon Nov 16 01:02:03 2026", RC_OK, NOW - 456);
    expect(FORM_HTTP, "Mon, 31 Dec 1990 23:59:60 GMT", RC_OK, INT64_C(662687999999));
    expect(FORM_HTTP, "Mon, 01 Jan 0001 00:00:00 GMT", RC_OK, RC_DATETIME_MIN_MS);
}

static void test_http_date_refuses(void **state)
{
    (void)state;
    static const char *const forms[] = {
        "",
        "Sun",
        "06 Nov 1994 08:49:37 GMT",
        "Xyz, 06 Nov 1994 08:49:37 GMT",
        "Sun,06 Nov 1994 08:49:37 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nob 1994 08:49:37 GMT",
        "Sun, 06 November 1994 08:49:37 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT",
        "Sun, 06-Nov-1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 GMT ",
        " Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37.5 GMT",
        "Sunday, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT ",
        "Someday, 06-Nov-94 08:49:37 GMT",
        "Sunday Nov  6 08:49:37 1994",
        "Sun Nov 6 08:49:37 1994",
        "Sun Nov   6 08:49:37 1994",
        "Sun Nob  6 08:49:37 1994",
        "Sun Nov  6 08:49:37 1994 GMT",
        "2026-11-16T01:02:03Z",
        "1794790923",
    };
    static const char *const ranges[] = {
        "Sun, 00 Nov 1994 08:49:37 GMT",  "Sun, 31 Nov 1994 08:49:37 GMT",
        "Sun, 29 Feb 2026 08:49:37 GMT",  "Sun, 06 Nov 0000 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:49:37 GMT",  "Sun, 06 Nov 1994 08:60:37 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",  "Sunday, 30-Feb-94 08:49:37 GMT",
        "Sunday, 99-Nov-94 99:99:99 GMT", "Sun Nov 31 08:49:37 1994",
        "Sun Nov  0 08:49:37 1994",
    };
    expect_all(FORM_HTTP, forms, COUNT(forms), RC_E_SYNTAX);
    expect_all(FORM_HTTP, ranges, COUNT(ranges), RC_E_RANGE);
    int64_t ms = UNTOUCHED;
    assert_int_equal(rc_http_date_parse(rc_str_make(NULL, 0), NOW, &ms), RC_E_SYNTAX);
}

static void expect_year(const char *now, const char *text, int want_year)
{
    int64_t now_ms = UNTOUCHED;
    assert_int_equal(rc_rfc3339_parse(rc_str_c(now), &now_ms), RC_OK);
    int64_t ms = UNTOUCHED;
    rc_status status = rc_http_date_parse(rc_str_c(text), now_ms, &ms);
    if (want_year == 0) {
        assert_int_equal(status, RC_E_RANGE);
        return;
    }
    assert_int_equal(status, RC_OK);
    int year = rc_civil_from_unix_ms(ms).year;
    if (year != want_year)
        fail_msg("\"%s\" seen from %s: year %d, want %d", text, now, year, want_year);
}

static void test_two_digit_years(void **state)
{
    (void)state;
    const char *now = "2026-11-16T01:02:03Z";
    expect_year(now, "Sunday, 06-Nov-26 08:49:37 GMT", 2026);
    expect_year(now, "Sunday, 06-Nov-75 08:49:37 GMT", 2075);
    expect_year(now, "Sunday, 06-Nov-77 08:49:37 GMT", 1977);
    expect_year(now, "Sunday, 06-Nov-99 08:49:37 GMT", 1999);
    expect_year(now, "Sunday, 06-Nov-00 08:49:37 GMT", 2000);
    /* A date exactly fifty years ahead is in the future; one second later it is read as the
     * past. */
    expect_year(now, "Monday, 16-Nov-76 01:02:03 GMT", 2076);
    expect_year("2026-11-16T01:02:03.456Z", "Monday, 16-Nov-76 01:02:03 GMT", 2076);
    expect_year(now, "Monday, 16-Nov-76 01:02:04 GMT", 1976);
    expect_year(now, "Monday, 16-Nov-76 01:03:03 GMT", 1976);
    expect_year(now, "Monday, 16-Nov-76 02:02:03 GMT", 1976);
    expect_year(now, "Monday, 17-Nov-76 01:02:03 GMT", 1976);
    expect_year(now, "Monday, 16-Dec-76 01:02:03 GMT", 1976);
    expect_year(now, "Monday, 31-Oct-76 23:59:59 GMT", 2076);
    /* Near the end of a century, small two-digit years belong to the next century. */
    expect_year("2099-12-31T23:00:00Z", "Friday, 01-Jan-00 00:00:00 GMT", 2100);
    expect_year("2099-12-31T23:00:00Z", "Friday, 01-Jan-49 00:00:00 GMT", 2149);
    expect_year("2099-12-31T23:00:00Z", "Friday, 01-Jan-50 00:00:00 GMT", 2050);
    /* The existence of the day depends on the century. */
    expect_year(now, "Tuesday, 29-Feb-00 00:00:00 GMT", 2000);
    expect_year("2076-01-01T00:00:00Z", "Tuesday, 29-Feb-00 00:00:00 GMT", 0);
    /* dates outside the range of years */
    expect_year("0001-06-01T00:00:00Z", "Tuesday, 01-Jan-99 00:00:00 GMT", 0);
    expect_year("0001-06-01T00:00:00Z", "Tuesday, 01-Jan-51 00:00:00 GMT", 51);
    expect_year("9999-06-01T00:00:00Z", "Tuesday, 01-Jan-00 00:00:00 GMT", 0);
    expect_year("9999-06-01T00:00:00Z", "Tuesday, 01-Jan-99 00:00:00 GMT", 9999);
    int64_t ms = UNTOUCHED;
    rc_str text = RC_STR("Tuesday, 01-Jan-99 00:00:00 GMT");
    assert_int_equal(rc_http_date_parse(text, INT64_MAX, &ms), RC_OK);
    assert_int_equal(rc_http_date_parse(text, INT64_MIN, &ms), RC_E_RANGE);
}

/* Every two-digit year, resolved in every year, is within the window that the header documents. */
static void test_two_digit_year_window(void **state)
{
    (void)state;
    char text[] = "Sunday, 06-Nov-00 08:49:37 GMT";
    for (int year = 100; year < 9900; year += 7) {
        rc_civil now = {.year = year, .month = 1 + year % 12, .day = 1 + year % 28};
        int64_t now_ms = UNTOUCHED;
        assert_int_equal(rc_civil_to_unix_ms(&now, &now_ms), RC_OK);
        rc_civil ahead = now;
        ahead.year += 50;
        rc_civil behind = now;
        behind.year -= 50;
        int64_t ahead_ms = UNTOUCHED;
        int64_t behind_ms = UNTOUCHED;
        assert_int_equal(rc_civil_to_unix_ms(&ahead, &ahead_ms), RC_OK);
        assert_int_equal(rc_civil_to_unix_ms(&behind, &behind_ms), RC_OK);
        for (int yy = 0; yy < 100; yy++) {
            text[15] = (char)('0' + yy / 10);
            text[16] = (char)('0' + yy % 10);
            int64_t ms = UNTOUCHED;
            assert_int_equal(rc_http_date_parse(rc_str_c(text), now_ms, &ms), RC_OK);
            assert_true(ms <= ahead_ms && ms > behind_ms);
            assert_int_equal(rc_civil_from_unix_ms(ms).year % 100, yy);
        }
    }
}

/* --- epochs --- */

static void test_epoch(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
    } cases[] = {
        {"0", 0},
        {"1", 1000},
        {"0.5", 500},
        {"1794790923", NOW - 456},
        {"1794790923.456", NOW},
        {"1794790923.4569999999", NOW},
        {"1794790923.4", NOW - 56},
        {"1794790923456", NOW},
        {"1794790923456.99", NOW},
        {"1794790923456789", NOW},
        {"1794790923456789.5", NOW},
        {"00001794790923", NOW - 456},
        {"000000000000000000000000000000000000000000001", 1000},
        {"99999999999", INT64_C(99999999999000)},
        {"99999999999.9999", INT64_C(99999999999999)},
        {"100000000000", INT64_C(100000000000)},
        {"99999999999999", INT64_C(99999999999999)},
        {"100000000000000", INT64_C(100000000000)},
        {"99999999999999999", INT64_C(99999999999999)},
    };
    static const char *const forms[] = {
        "",   " ",   ".",   ".5", "5.",    "1.2.3",    "1e9",
        "+5", " 5",  "5 ",  "5s", "0x5",   "1,5",      "--5",
        "-",  "-.5", "now", "5Z", "1_000", "\xd9\xa5", "2026-11-16T01:02:03Z",
    };
    static const char *const ranges[] = {
        "-1",
        "-0",
        "-1794790923.5",
        "100000000000000000",
        "1794790923456789000",
        "9223372036854775807",
        "9223372036854775808",
        "18446744073709551616",
        "99999999999999999999999999999999999999999999999999999999999999999999",
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        expect(FORM_EPOCH, cases[i].text, RC_OK, cases[i].ms);
    expect_all(FORM_EPOCH, forms, COUNT(forms), RC_E_SYNTAX);
    expect_all(FORM_EPOCH, ranges, COUNT(ranges), RC_E_RANGE);
    int64_t ms = UNTOUCHED;
    assert_int_equal(rc_epoch_parse(rc_str_make(NULL, 0), &ms), RC_E_SYNTAX);
}

/* --- writing --- */

typedef void push_fn(rc_buf *buf, int64_t unix_ms);

static void expect_push(push_fn *push, int64_t ms, const char *want)
{
    char memory[64];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    push(&buf, ms);
    assert_int_equal(rc_buf_status(&buf), RC_OK);
    rc_str text = rc_buf_get(&buf);
    if (!rc_str_eq(text, rc_str_c(want)))
        fail_msg("%lld: \"%.*s\", want \"%s\"", (long long)ms, (int)text.len, text.ptr, want);

    size_t want_len = strlen(want);
    for (size_t size = 0; size < want_len; size++) {
        rc_buf_init_fixed(&buf, memory, size);
        push(&buf, ms);
        assert_int_equal(rc_buf_status(&buf), RC_E_TOO_LARGE);
        assert_int_equal(rc_buf_get(&buf).len, 0);
    }
}

static void test_push(void **state)
{
    (void)state;
    expect_push(rc_rfc3339_push, NOW, "2026-11-16T01:02:03.456Z");
    expect_push(rc_rfc3339_push, 0, "1970-01-01T00:00:00.000Z");
    expect_push(rc_rfc3339_push, -1, "1969-12-31T23:59:59.999Z");
    expect_push(rc_rfc3339_push, RC_DATETIME_MIN_MS, "0001-01-01T00:00:00.000Z");
    expect_push(rc_rfc3339_push, RC_DATETIME_MIN_MS - 1, "0001-01-01T00:00:00.000Z");
    expect_push(rc_rfc3339_push, INT64_MIN, "0001-01-01T00:00:00.000Z");
    expect_push(rc_rfc3339_push, RC_DATETIME_MAX_MS + 1, "9999-12-31T23:59:59.999Z");
    expect_push(rc_rfc3339_push, INT64_MAX, "9999-12-31T23:59:59.999Z");
    expect_push(rc_http_date_push, NOW, "Mon, 16 Nov 2026 01:02:03 GMT");
    expect_push(rc_http_date_push, 0, "Thu, 01 Jan 1970 00:00:00 GMT");
    expect_push(rc_http_date_push, INT64_MIN, "Mon, 01 Jan 0001 00:00:00 GMT");
    expect_push(rc_http_date_push, INT64_MAX, "Fri, 31 Dec 9999 23:59:59 GMT");
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void test_written_then_read(void **state)
{
    (void)state;
    const uint64_t span = (uint64_t)(RC_DATETIME_MAX_MS - RC_DATETIME_MIN_MS) + 1;
    uint64_t seed = 7;
    for (int i = 0; i < OFTEN(300000); i++) {
        int64_t ms = RC_DATETIME_MIN_MS + (int64_t)(next_random(&seed) % span);
        int64_t second_ms = ms - (int64_t)((uint64_t)(ms - RC_DATETIME_MIN_MS) % 1000);
        char memory[64];
        rc_buf buf;
        int64_t back = UNTOUCHED;
        rc_buf_init_fixed(&buf, memory, sizeof memory);
        rc_rfc3339_push(&buf, ms);
        assert_int_equal(rc_rfc3339_parse(rc_buf_get(&buf), &back), RC_OK);
        assert_int_equal(back, ms);
        rc_buf_init_fixed(&buf, memory, sizeof memory);
        rc_http_date_push(&buf, ms);
        assert_int_equal(rc_http_date_parse(rc_buf_get(&buf), NOW, &back), RC_OK);
        assert_int_equal(back, second_ms);
    }
}

/* A well-formed text cut at any byte is rejected, without reads after its end. */
static void test_every_cut_is_refused(void **state)
{
    (void)state;
    static const char *const rfc3339 = "2026-11-16T01:02:03.456+01:00";
    static const char *const http[] = {
        "Sun, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-94 08:49:37 GMT",
        "Sun Nov  6 08:49:37 1994",
    };
    int64_t ms = UNTOUCHED;
    for (size_t len = 0; len < strlen(rfc3339); len++)
        assert_int_equal(parse(FORM_RFC3339, rc_str_make(rfc3339, len), &ms), RC_E_SYNTAX);
    for (size_t i = 0; i < COUNT(http); i++) {
        for (size_t len = 0; len < strlen(http[i]); len++)
            assert_int_equal(parse(FORM_HTTP, rc_str_make(http[i], len), &ms), RC_E_SYNTAX);
    }
    assert_int_equal(ms, UNTOUCHED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_day),
        cmocka_unit_test(test_every_millisecond_field),
        cmocka_unit_test(test_civil_clamps),
        cmocka_unit_test(test_civil_refuses),
        cmocka_unit_test(test_rfc3339_accepts),
        cmocka_unit_test(test_rfc3339_refuses),
        cmocka_unit_test(test_http_date_accepts),
        cmocka_unit_test(test_http_date_refuses),
        cmocka_unit_test(test_two_digit_years),
        cmocka_unit_test(test_two_digit_year_window),
        cmocka_unit_test(test_epoch),
        cmocka_unit_test(test_push),
        cmocka_unit_test(test_written_then_read),
        cmocka_unit_test(test_every_cut_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
