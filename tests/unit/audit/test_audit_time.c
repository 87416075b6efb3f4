/* Tests of rc_audit_time_parse: times in the notations that users write. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "audit/time.h"

#define NOW INT64_C(1794790923456) /* 2026-11-16T01:02:03.456Z */
#define HOUR INT64_C(3600000)
#define DAY (24 * HOUR)
#define MIDNIGHT INT64_C(1794787200000) /* 2026-11-16T00:00:00Z */

static int utc(time_t at)
{
    (void)at;
    return 0;
}

static int ahead(time_t at)
{
    (void)at;
    return 2 * 3600;
}

static int behind(time_t at)
{
    (void)at;
    return -5 * 3600;
}

/* Offset of a zone whose daylight saving time ends at noon UTC of the 15th. */
static int changing(time_t at)
{
    return at < (time_t)(MIDNIGHT / 1000 - 12 * 3600) ? 2 * 3600 : 3600;
}

static const struct {
    const char *text;
    int (*offset)(time_t at);
    int64_t expected;
} moments[] = {
    {"now", utc, NOW},
    {"NOW", utc, NOW},
    {"2h", utc, NOW - 2 * HOUR},
    {"0", ahead, 0},
    {"90s", utc, NOW - 90000},
    {"1h30m", utc, NOW - 3 * HOUR / 2},
    {"2 days", utc, NOW - 2 * DAY},
    {"1d", utc, NOW - DAY},
    {"PT20M", utc, NOW - HOUR / 3},
    {"today", utc, MIDNIGHT},
    {"yesterday", utc, MIDNIGHT - DAY},
    {"today", ahead, MIDNIGHT - 2 * HOUR},
    {"today", behind, MIDNIGHT - DAY + 5 * HOUR}, /* in this zone it is still the 15th */
    {"2026-11-16", utc, MIDNIGHT},
    {"2026-11-16", ahead, MIDNIGHT - 2 * HOUR},
    {"2026-11-15", changing, MIDNIGHT - DAY - 2 * HOUR},
    {"2026-11-16", changing, MIDNIGHT - HOUR},
    {"2026-11-16T00:30", utc, MIDNIGHT + HOUR / 2},
    {"2026-11-16 00:30:15", utc, MIDNIGHT + HOUR / 2 + 15000},
    {"2026-11-16T00:30:00Z", behind, MIDNIGHT + HOUR / 2},
    {"2026-11-16T00:30:00+02:00", utc, MIDNIGHT - 3 * HOUR / 2},
    {"2026-11-16T00:30:00.250Z", utc, MIDNIGHT + HOUR / 2 + 250},
    {"00:30", utc, MIDNIGHT + HOUR / 2},
    {"02:30", utc, MIDNIGHT - DAY + 5 * HOUR / 2}, /* 02:30 of today is in the future, so 02:30 of
                                                      yesterday is meant */
    {"02:30:15", ahead, MIDNIGHT + HOUR / 2 + 15000},
    {"23:59", behind, MIDNIGHT - 2 * DAY + 29 * HOUR - 60000},
    {"1794787200000", behind, MIDNIGHT},
    {"1794787200", behind, MIDNIGHT},
};

static void test_valid_times(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(moments) / sizeof(moments[0]); i++) {
        const rc_audit_clock clock = {NOW, moments[i].offset};
        int64_t at = -1;
        if (!rc_audit_time_parse(rc_str_c(moments[i].text), &clock, &at) ||
            at != moments[i].expected)
            fail_msg("%s is %lld, not %lld", moments[i].text, (long long)at,
                     (long long)moments[i].expected);
    }
}

static void test_invalid_times(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",           "2",           "h",
        "tomorrow",   "24:00",       "12:60",
        "2026-13-01", "2026-02-30",  "2026-11-16T",
        "2026-11-1",  "1:30",        "02:30Z",
        "-2h",        "2h ago",      "2026-11-16X00:30",
        "60 years",   "1960-01-01",  "2026-11-16T00:30:00+99:00",
        "12:30:",     " 12:30",      "2026",
        "99999999",   "-1794787200", "1",
        "00",         "-0",          "0.0",
    };
    const rc_audit_clock clock = {NOW, utc};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        int64_t at = 42;
        if (rc_audit_time_parse(rc_str_c(wrong[i]), &clock, &at) || at != 42)
            fail_msg("\"%s\" is %lld", wrong[i], (long long)at);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_valid_times),
        cmocka_unit_test(test_invalid_times),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
