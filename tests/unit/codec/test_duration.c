/* Tests of durations: every notation, every error, and a comparison with exact 128-bit
 * arithmetic. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "codec/duration.h"
#include "support/often.h"

#define UNTOUCHED INT64_C(-7777)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define DAY_MS INT64_C(86400000)

typedef struct accepted {
    const char *text;
    int64_t ms;
} accepted;

/* Parses a copy without spare bytes, so that a sanitizer detects reads after the text. */
static rc_status parse(rc_str text, rc_unit bare, int64_t *ret_ms)
{
    char *copy = malloc(text.len + 1); /* never of size 0 */
    assert_non_null(copy);
    char *end = copy + 1;
    if (text.ptr)
        memcpy(end, text.ptr, text.len);
    rc_status status = rc_duration_parse(rc_str_make(end, text.len), bare, ret_ms);
    free(copy);
    return status;
}

static rc_status parse_prefix(rc_str text, int64_t *ret_ms, size_t *ret_len)
{
    char *copy = malloc(text.len + 1);
    assert_non_null(copy);
    char *end = copy + 1;
    if (text.ptr)
        memcpy(end, text.ptr, text.len);
    rc_status status = rc_duration_parse_prefix(rc_str_make(end, text.len), ret_ms, ret_len);
    free(copy);
    return status;
}

static void expect(const char *text, rc_unit bare, rc_status want, int64_t want_ms)
{
    int64_t ms = UNTOUCHED;
    rc_status status = parse(rc_str_c(text), bare, &ms);
    if (status != want || ms != want_ms)
        fail_msg("\"%s\": status %d, %lld ms; want status %d, %lld ms", text, (int)status,
                 (long long)ms, (int)want, (long long)want_ms);
}

static const accepted with_units[] = {
    /* Go */
    {"6m0s", 360000},
    {"1h2m3s", 3723000},
    {"1.5h", 5400000},
    {"20ms", 20},
    {"1s", 1000},
    {"9m38.016s", 578016},
    {"114h18m0s", 411480000},
    {"19h14m47s", 69287000},
    {"300us", 1},
    {"5ns", 1},
    {"2000us", 2},
    {"2001us", 3},
    {"300\xc2\xb5s", 1},
    {"300\xce\xbcs", 1},
    {"0s", 0},
    {"0ns", 0},
    {"+5s", 5000},
    {"-0s", 0},
    {".5s", 500},
    {"1h.5m", 3630000},
    {"40.025771073s", 40026},
    {"54.887755558s", 54888},
    {"20.04466179s", 20045},
    {"1.57s", 1570},
    {"172ms", 172},
    {"9.816s", 9816},
    {"1w2d3h4m5s6ms7us8ns", 7 * DAY_MS + 2 * DAY_MS + 11045006 + 1},
    /* ISO 8601 */
    {"PT20S", 20000},
    {"P1DT2H", DAY_MS + 7200000},
    {"PT1.5M", 90000},
    {"PT1,5M", 90000},
    {"P2W", 14 * DAY_MS},
    {"P1W2D", 9 * DAY_MS},
    {"P1D", DAY_MS},
    {"pt1h2m3s", 3723000},
    {"PT0S", 0},
    {"-PT0S", 0},
    {"P0.5D", DAY_MS / 2},
    {"PT0.0000000000000001S", 1},
    /* words */
    {"20 seconds", 20000},
    {"20 s", 20000},
    {"20  \t s", 20000},
    {"4 days 20 hours 9 minutes", 418140000},
    {"2 days 17 hours 14 minutes", 234840000},
    {"4 days, 20 hours", 417600000},
    {"4 days,20 hours", 417600000},
    {"1 hour and 5 minutes", 3900000},
    {"1 minute and 30 seconds", 90000},
    {"1 minute, and 30 seconds", 90000},
    {"1 day, 2 hours, 3 minutes and 4 seconds", 93784000},
    {"30 sec", 30000},
    {"30secs", 30000},
    {"5 min", 300000},
    {"5 mins", 300000},
    {"2 hrs", 7200000},
    {"1 hr", 3600000},
    {"2 wks", 14 * DAY_MS},
    {"1 wk", 7 * DAY_MS},
    {"1 week", 7 * DAY_MS},
    {"3 WEEKS", 21 * DAY_MS},
    {"1 Day", DAY_MS},
    {"1 HOUR AND 5 MINUTES", 3900000},
    {"10 milliseconds", 10},
    {"10 millis", 10},
    {"10 msec", 10},
    {"10 MS", 10},
    {"10 microseconds", 1},
    {"10 usecs", 1},
    {"10 nanoseconds", 1},
    {"10 nsec", 1},
    {"1000000 nsec", 1},
    {"1000000 nanoseconds", 1},
    {"1 hour(s) and 5 minute(s)", 3900000},
    {"20 Second(S)", 20000},
    {"~5s", 5000},
    {"~ 5 s", 5000},
    {"1 d 2 h", DAY_MS + 7200000},
    {"1h 2m 3s", 3723000},
    {"1.5 days", DAY_MS * 3 / 2},
    {" \t\r\n20s\v\f ", 20000},
    {"000000000000000000000000000000000000005s", 5000},
    /* the ceiling */
    {"3155760000s", RC_DURATION_MAX_MS},
    {"3155759999.9999999999s", RC_DURATION_MAX_MS},
    {"3155760000000ms", RC_DURATION_MAX_MS},
    {"3155760000000000000ns", RC_DURATION_MAX_MS},
    {"36525d", RC_DURATION_MAX_MS},
    {"36524d24h", RC_DURATION_MAX_MS},
};

static void test_accepts_units(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(with_units); i++) {
        expect(with_units[i].text, RC_UNIT_NONE, RC_OK, with_units[i].ms);
        expect(with_units[i].text, RC_UNIT_S, RC_OK, with_units[i].ms);
        expect(with_units[i].text, RC_UNIT_MS, RC_OK, with_units[i].ms);
    }
}

static void test_accepts_plain_numbers(void **state)
{
    (void)state;
    static const accepted seconds[] = {
        {"20", 20000},
        {"0", 0},
        {"-0", 0},
        {"-0.000", 0},
        {"1.57", 1570},
        {".5", 500},
        {"+5", 5000},
        {"~5", 5000},
        {" 20 ", 20000},
        {"35.6677131652832", 35668},
        {"1809.1820068359375", 1809183},
        {"0.0001", 1},
        {"0.000000000000000000000000000000000000000000000000000000000000000000000001", 1},
        {"0.000000000000000000000000000000000000000000000000000000000000000000000000", 0},
        {"1.0000000000000000000000000000000000000000000000000000000000000000000001", 1001},
        {"1e9", INT64_C(1000000000000)},
        {"1E3", 1000000},
        {"1e+3", 1000000},
        {"1e-05", 1},
        {"2.5e-1", 250},
        {"2500e-3", 2500},
        {"2501e-6", 3},
        {"12.345e1", 123450},
        {"0e999999999999999999999999999", 0},
        {"0.00e5", 0},
        {"5e-999999999999999999999999999", 1},
        {"0.000000000000000000000000000001e30", 1000},
        {"3155760000", RC_DURATION_MAX_MS},
        {"3.15576e9", RC_DURATION_MAX_MS},
    };
    for (size_t i = 0; i < COUNT(seconds); i++)
        expect(seconds[i].text, RC_UNIT_S, RC_OK, seconds[i].ms);
    expect("20", RC_UNIT_MS, RC_OK, 20);
    expect("0.5", RC_UNIT_MS, RC_OK, 1);
    expect("1e3", RC_UNIT_MS, RC_OK, 1000);
    expect("3155760000000", RC_UNIT_MS, RC_OK, RC_DURATION_MAX_MS);
    expect("20", RC_UNIT_NONE, RC_E_SYNTAX, UNTOUCHED);
    expect("0", RC_UNIT_NONE, RC_E_SYNTAX, UNTOUCHED);
}

static void refuse_all(const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        expect(texts[i], RC_UNIT_S, RC_E_SYNTAX, UNTOUCHED);
        expect(texts[i], RC_UNIT_NONE, RC_E_SYNTAX, UNTOUCHED);
    }
}

static void test_refuses_other_forms(void **state)
{
    (void)state;
    static const char *const numbers[] = {
        "",     " ",   ".",      "5.",    "1.2.3", "0x10", "1e",   "1e+", "e5",
        "1e9s", "5.s", "1.2.3s", "1e3ms", "1:30",  "NaN",  "null", "now", "00:20",
    };
    static const char *const grouped[] = {
        "1,500 ms", "1 500 ms", "1_000ms", "00:00:20", "Infinity", "a minute", "\xef\xbc\x95s",
    };
    static const char *const signs[] = {
        "~", "-", "+", "--5s", "+-5s", "- 5s", "~~5s", "5s-", "1h -5m", "1h ~5m",
    };
    static const char *const separators[] = {
        "5s.",      "5s,",         "5s and",   "5\ns",      "1h\n5m",
        "5m,, 30s", "5m and, 30s", "5m & 30s", "5m and30s", "20 s ago",
    };
    static const char *const units[] = {
        "s",      "5x",     "5s_",     "5 ss",  "5 mss",       "5 small",    "5 secondses",
        "1y",     "1 year", "1h5",     "1h 5",  "5s(s)",       "5 second(s", "5 months",
        "5m3a7f", "20s 20", "in 20 s", "5\xc2", "5 \xc2\xb5m", "5 \xc2\xb5",
    };
    static const char *const order[] = {
        "1s1m", "1s 1m", "1m1m", "1m 1m", "1h 1d",
    };
    static const char *const iso[] = {
        "P",     "PT",    "P1DT",  "P1Y",    "P1M",    "P1Y2M",   "P1H",     "PT1D",      "P5S",
        "PT1W",  "PT1X",  "P5",    "PT5",    "PTS",    "P1D2W",   "PT 5S",   "P 1D",      "PT-5S",
        "PT5SX", "PT5S_", "PTT5S", "PT1S1M", "PT1M1M", "1h PT5S", "PT5S 5s", "PT1.5H30M",
    };
    refuse_all(numbers, COUNT(numbers));
    refuse_all(grouped, COUNT(grouped));
    refuse_all(signs, COUNT(signs));
    refuse_all(separators, COUNT(separators));
    refuse_all(units, COUNT(units));
    refuse_all(order, COUNT(order));
    refuse_all(iso, COUNT(iso));
    int64_t ms = UNTOUCHED;
    assert_int_equal(rc_duration_parse(rc_str_make(NULL, 0), RC_UNIT_S, &ms), RC_E_SYNTAX);
    assert_int_equal(parse(RC_STR("5s\0"), RC_UNIT_S, &ms), RC_E_SYNTAX);
    assert_int_equal(parse(RC_STR("5\0s"), RC_UNIT_S, &ms), RC_E_SYNTAX);
    assert_int_equal(ms, UNTOUCHED);
}

static void test_refuses_out_of_range(void **state)
{
    (void)state;
    static const char *const with_unit[] = {
        "-5s",
        "-1ns",
        "-PT5S",
        "~-5s",
        "-0.0000000000000001s",
        "3155760001s",
        "3155760000.0000000000000000001s",
        "3155760000000000001ns",
        "36525d1ns",
        "5218w",
        "9223372036854775807s",
        "9223372036854775808ns",
        "9223372036854775808s",
        "18446744073709551615ns",
        "18446744073709551616ns",
        "18446744073709551617ms",
        "99999999999999999999999999999999999999999999999999 weeks",
        "P99999999999999999999D",
        "1 day 99999999999999999999 hours",
        "5217w36525d876600h52594560m3155692600s",
    };
    for (size_t i = 0; i < COUNT(with_unit); i++) {
        expect(with_unit[i], RC_UNIT_NONE, RC_E_RANGE, UNTOUCHED);
        int64_t ms = UNTOUCHED;
        size_t len = 4711;
        assert_int_equal(parse_prefix(rc_str_c(with_unit[i]), &ms, &len), RC_E_RANGE);
        assert_int_equal(ms, UNTOUCHED);
        assert_int_equal(len, 4711);
    }
    expect("-5", RC_UNIT_S, RC_E_RANGE, UNTOUCHED);
    expect("-1e-9", RC_UNIT_S, RC_E_RANGE, UNTOUCHED);
    expect("1e10", RC_UNIT_S, RC_E_RANGE, UNTOUCHED);
    expect("1e999999999999999999999", RC_UNIT_S, RC_E_RANGE, UNTOUCHED);
    expect("9223372036854775808", RC_UNIT_MS, RC_E_RANGE, UNTOUCHED);
    expect("3155760000001", RC_UNIT_MS, RC_E_RANGE, UNTOUCHED);
    expect("3155760000000.1", RC_UNIT_MS, RC_E_RANGE, UNTOUCHED);
}

static void test_prefix_in_sentences(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int64_t ms;
        size_t len;
    } cases[] = {
        {"4 days 20 hours 9 minutes.", 418140000, 25},
        {"9m38.016s. Need more tokens? Upgrade", 578016, 9},
        {"174ms. Visit https://platform.example/limits", 174, 5},
        {"  20 seconds. For improved", 20000, 12},
        {"\n\t20s", 20000, 5},
        {"2 seconds\"}", 2000, 9},
        {"5 minutes)", 300000, 9},
        {"20s, 5 requests left", 20000, 3},
        {"20s and 5 requests", 20000, 3},
        {"20s and then stop", 20000, 3},
        {"20s, and", 20000, 3},
        {"20s 5m", 20000, 3},
        {"5m 5m", 300000, 2},
        {"5m 3d7", 300000, 2},
        {"5m 30s_x", 300000, 2},
        {"5m 30", 300000, 2},
        {"20s.5 requests", 20000, 3},
        {"20s-limit", 20000, 3},
        {"20s\xe5\x90\x8e", 20000, 3},
        {"20s\xc2\xb5", 20000, 3},
        {"20 second(s), please", 20000, 12},
        {"20 second(x)", 20000, 9},
        {"~5s)", 5000, 3},
        {"PT20S.", 20000, 5},
        {"PT20S 5s", 20000, 5},
        {"P1D,", DAY_MS, 3},
        {"0s!", 0, 2},
        {"1 hour, 5 minutes and 3 seconds; or not", 3903000, 31},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        int64_t ms = UNTOUCHED;
        size_t len = 0;
        rc_status status = parse_prefix(rc_str_c(cases[i].text), &ms, &len);
        if (status != RC_OK || ms != cases[i].ms || len != cases[i].len)
            fail_msg("\"%s\": status %d, %lld ms, %zu bytes", cases[i].text, (int)status,
                     (long long)ms, len);
    }
}

static void test_prefix_refuses(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",        " ",        "20",       "20 ",    "20 requests", "5 small", "5m3a7f",
        "5s_",     "soon",     "P",        "Please", "PT",          "P1DT",    "PT5SX",
        "1 month", "1,500 ms", "00:00:20", "1e9",    "a few",       "5\ns",    "1s1m",
        "5 mss",   "-",        "~",        "5.s",    "PT1.5H30M",   "P1M",
    };
    for (size_t i = 0; i < COUNT(texts); i++) {
        int64_t ms = UNTOUCHED;
        size_t len = 4711;
        rc_status status = parse_prefix(rc_str_c(texts[i]), &ms, &len);
        if (status != RC_E_SYNTAX || ms != UNTOUCHED || len != 4711)
            fail_msg("\"%s\": status %d, %lld ms, %zu bytes", texts[i], (int)status, (long long)ms,
                     len);
    }
    int64_t ms;
    size_t len;
    assert_int_equal(rc_duration_parse_prefix(rc_str_make(NULL, 0), &ms, &len), RC_E_SYNTAX);
}

/* Every accepted text, cut at every byte: if both parsers accept the result, they agree on it. */
static void test_prefix_agrees_with_whole(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(with_units); i++) {
        rc_str full = rc_str_c(with_units[i].text);
        for (size_t cut = 0; cut <= full.len; cut++) {
            rc_str text = rc_str_make(full.ptr, cut);
            int64_t whole_ms = 0;
            int64_t prefix_ms = 0;
            size_t len = 0;
            rc_status whole = parse(text, RC_UNIT_NONE, &whole_ms);
            rc_status prefix = parse_prefix(text, &prefix_ms, &len);
            if (whole == RC_OK) {
                assert_int_equal(prefix, RC_OK);
                assert_int_equal(prefix_ms, whole_ms);
            }
            if (prefix != RC_OK)
                continue;
            assert_true(len <= cut);
            assert_int_equal(parse(rc_str_make(full.ptr, len), RC_UNIT_NONE, &whole_ms), RC_OK);
            assert_int_equal(prefix_ms, whole_ms);
        }
    }
}

/* --- against exact arithmetic --- */

typedef unsigned __int128 u128;

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* Writes a random number with up to nine decimals and adds its value in 1e-9 ns to *total. */
static int write_part(char *out, size_t size, uint64_t *seed, const char *unit, uint64_t unit_ns,
                      u128 *total)
{
    static const uint64_t scales[10] = {1,      10,      100,      1000,      10000,
                                        100000, 1000000, 10000000, 100000000, 1000000000};
    uint64_t whole = next_random(seed) % 1000;
    unsigned decimals = (unsigned)(next_random(seed) % 10);
    uint64_t frac = next_random(seed) % scales[decimals];
    *total += (u128)whole * unit_ns * 1000000000 + (u128)frac * unit_ns * scales[9 - decimals];
    if (decimals == 0)
        return snprintf(out, size, "%llu%s", (unsigned long long)whole, unit);
    return snprintf(out, size, "%llu.%0*llu%s", (unsigned long long)whole, (int)decimals,
                    (unsigned long long)frac, unit);
}

static void test_exact_sums(void **state)
{
    (void)state;
    static const struct {
        const char *word[3];
        uint64_t ns;
    } units[] = {
        {{"w", " weeks", " WK"}, UINT64_C(604800000000000)},
        {{"d", " days", " Day"}, UINT64_C(86400000000000)},
        {{"h", " hours", " hr"}, UINT64_C(3600000000000)},
        {{"m", " minutes", " mins"}, UINT64_C(60000000000)},
        {{"s", " seconds", " sec"}, UINT64_C(1000000000)},
        {{"ms", " milliseconds", " Msec"}, 1000000},
        {{"us", " microseconds", "\xc2\xb5s"}, 1000},
        {{"ns", " nanoseconds", " NS"}, 1},
    };
    static const char *const separators[] = {
        "", " ", ", ", " and ", ", and ", ",",
    };
    uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
    for (int round = 0; round < OFTEN(200000); round++) {
        char text[512];
        size_t len = 0;
        u128 total = 0;
        unsigned parts = 0;
        for (size_t u = 0; u < COUNT(units); u++) {
            if (next_random(&seed) % 3 != 0)
                continue;
            const char *separator = separators[next_random(&seed) % COUNT(separators)];
            if (parts++ > 0)
                len += (size_t)snprintf(text + len, sizeof text - len, "%s", separator);
            const char *word = units[u].word[next_random(&seed) % 3];
            len +=
                (size_t)write_part(text + len, sizeof text - len, &seed, word, units[u].ns, &total);
        }
        if (parts == 0)
            continue;
        int64_t ms = UNTOUCHED;
        if (parse(rc_str_make(text, len), RC_UNIT_NONE, &ms) != RC_OK)
            fail_msg("refused: %s", text);
        const u128 per_ms = (u128)1000000 * 1000000000;
        int64_t exact = (int64_t)((total + per_ms - 1) / per_ms);
        /* Each part is rounded up by less than 1 ns, so the sum by at most 1 ms, and never down. */
        if (ms < exact || ms > exact + 1)
            fail_msg("%s: %lld ms, exactly %lld", text, (long long)ms, (long long)exact);
        if (parts == 1)
            assert_int_equal(ms, exact);
    }
}

/* --- writing --- */

static rc_str format(char *memory, size_t size, int64_t ms)
{
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, size);
    rc_duration_push(&buf, ms);
    assert_int_equal(rc_buf_status(&buf), RC_OK);
    return rc_buf_get(&buf);
}

static void test_push(void **state)
{
    (void)state;
    static const struct {
        int64_t ms;
        const char *text;
    } cases[] = {
        {0, "0s"},
        {-1, "0s"},
        {INT64_MIN, "0s"},
        {1, "1ms"},
        {850, "850ms"},
        {999, "999ms"},
        {1000, "1s"},
        {1001, "2s"},
        {3200, "4s"},
        {59000, "59s"},
        {59001, "1m"},
        {60000, "1m"},
        {60001, "1m 1s"},
        {65000, "1m 5s"},
        {3599000, "59m 59s"},
        {3599001, "1h"},
        {3600001, "1h 1m"},
        {7380000, "2h 3m"},
        {86340000, "23h 59m"},
        {86340001, "1d"},
        {86400001, "1d 1h"},
        {417600000, "4d 20h"},
        {RC_DURATION_MAX_MS, "36525d"},
        {INT64_MAX, "106751991167d 8h"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char memory[64];
        rc_str text = format(memory, sizeof memory, cases[i].ms);
        if (!rc_str_eq(text, rc_str_c(cases[i].text)))
            fail_msg("%lld: \"%.*s\", want \"%s\"", (long long)cases[i].ms, (int)text.len, text.ptr,
                     cases[i].text);
    }
}

static void test_push_adds_all_or_nothing(void **state)
{
    (void)state;
    char memory[5];
    for (size_t size = 0; size < sizeof memory; size++) {
        rc_buf buf;
        rc_buf_init_fixed(&buf, memory, size);
        rc_duration_push(&buf, 65000); /* the text has five bytes, one more than the buffer */
        assert_int_equal(rc_buf_status(&buf), RC_E_TOO_LARGE);
        assert_int_equal(rc_buf_get(&buf).len, 0);
    }
}

/* A displayed duration is not shorter than the value, is longer by less than its last unit, and is
 * parsed as itself. */
static void check_shown(int64_t ms)
{
    char memory[64];
    char again[64];
    rc_str text = format(memory, sizeof memory, ms);
    int64_t shown = UNTOUCHED;
    assert_int_equal(parse(text, RC_UNIT_NONE, &shown), RC_OK);
    int64_t step = 1;
    if (ms >= 1000)
        step = ms < 3600000 ? 1000 : ms < DAY_MS ? 60000 : 3600000;
    if (shown < ms || shown - ms >= step)
        fail_msg("%lld is shown as %.*s", (long long)ms, (int)text.len, text.ptr);
    assert_true(rc_str_eq(format(again, sizeof again, shown), text));
}

static void test_shown_then_read(void **state)
{
    (void)state;
    uint64_t seed = 42;
    for (int64_t ms = 0; ms < OFTEN(200000); ms++)
        check_shown(ms);
    for (int i = 0; i < OFTEN(200000); i++) {
        int64_t below = RC_DURATION_MAX_MS >> (next_random(&seed) % 40);
        check_shown((int64_t)(next_random(&seed) % (uint64_t)(below + 1)));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepts_units),
        cmocka_unit_test(test_accepts_plain_numbers),
        cmocka_unit_test(test_refuses_other_forms),
        cmocka_unit_test(test_refuses_out_of_range),
        cmocka_unit_test(test_prefix_in_sentences),
        cmocka_unit_test(test_prefix_refuses),
        cmocka_unit_test(test_prefix_agrees_with_whole),
        cmocka_unit_test(test_exact_sums),
        cmocka_unit_test(test_push),
        cmocka_unit_test(test_push_adds_all_or_nothing),
        cmocka_unit_test(test_shown_then_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
