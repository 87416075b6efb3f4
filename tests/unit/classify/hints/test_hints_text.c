/* Tests of hints in messages: durations and dates in sentences, and texts that only look like
 * hints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/str.h"
#include "classify/hints/hints.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* 2026-10-21T07:27:30Z */
#define NOW INT64_C(1792567650000)
#define DAY_MS INT64_C(86400000)

/* The notes that the trace has received. */
typedef struct trace_log {
    int hints;
    int ignored;
    char text[128]; /* text of the latest note */
} trace_log;

static void on_note(void *ctx, const rc_trace_note *note)
{
    trace_log *t = ctx;
    t->hints += note->step == RC_TRACE_HINT;
    t->ignored += note->step == RC_TRACE_IGNORED;
    assert_true(rc_str_eq(note->subject, RC_STR("message")));
    (void)snprintf(t->text, sizeof t->text, "%.*s", (int)note->text.len, note->text.ptr);
}

typedef struct text_case {
    const char *text; /* the message; the wait begins after the first @, which is removed */
    int64_t wait_ms;
} text_case;

static const text_case text_cases[] = {
    {"Please try again @in 9m38.016s. Need more tokens?", 578016},
    {"Please try again in @9m38.016s. Need more tokens?", 578016},
    {"Please try again in @174ms. Visit", 174},
    {"Please try again in @6ms.", 6},
    {"Please try again in @114h18m0s.", 411480000},
    {"Try again @in 4 days 20 hours 9 minutes.", 418140000},
    {"or try again @in 2 days 17 hours 14 minutes.", 234840000},
    {"Please retry @in 40.025771073s.", 40026},
    {"Please retry @in 20.04446179s. Or in 30s.", 20045},
    {"Please retry @in 20.04446179 seconds", 20045},
    {"Please retry @in 20.04466179s.\", \"status\"", 20045},
    {"quota will reset @after 19h14m47s.", 69287000},
    {"Please retry @after 20 seconds. For improved", 20000},
    {"Please retry @after 86400 seconds", DAY_MS},
    {"Try again @in 2 seconds.\"}}", 2000},
    {"please try again @after 1 seconds", 1000},
    {"rate limit resets @in ~5s", 5000},
    {"resets in ~@5s", 5000},
    {"@1m30s", 90000},
    {"wait @0 seconds", 0},
    {"wait @about 30 seconds", 30000},
    {"wait @another 30 seconds", 30000},
    {"wait @at least 30 seconds", 30000},
    {"wait @another minute", 60000},
    {"wait another @minute", 60000},
    {"@in 2 minutes and 3 seconds", 123000},
    {"@in an hour", 3600000},
    {"in an @hour.", 3600000},
    {"@in a minute", 60000},
    {"in a @minute", 60000},
    {"@in one hour", 3600000},
    {"@in five minutes", 300000},
    {"@in ten minutes and 5 seconds", 605000},
    {"@in an hour and 5 minutes", 3900000},
    {"@in 1,500 ms", 1500},
    {"@in 1,234,567 seconds", 1234567000},
    {"@in 5-10 seconds", 10000},
    {"@in 1 to 2 minutes", 120000},
    {"@(20 seconds)", 20000},
    {"@\"20 seconds\"", 20000},
    {"@in `20s`", 20000},
    {"@in **20s**", 20000},
    {"@in 3 minute(s)", 180000},
    {"@PT20S", 20000},
    {"Try again in @5 seconds_x", -1},
    {"retry_delay @{\n  seconds: 42\n}", 42000},
    {"retry_delay {\n  @seconds: 42\n}", 42000},
    /* units in East Asian languages */
    {"@20秒后重试", 20000},
    {"请在@60秒后", 60000},
    {"请@在60秒后重试", 60000},
    {"@5 小时", 18000000},
    {"@5 个小时后", 18000000},
    {"请@等待约 1小时30分钟", 5400000},
    {"@500 毫秒", 500},
    {"@1.5 分钟", 90000},
    {"@3天", 3 * DAY_MS},
    {"@6 周", 42 * DAY_MS},
    {"@30秒後に再試行", 30000},
    {"@2時間後", 7200000},
    {"@30초 후에", 30000},
    {"@2个月", -1},
    {"@1小时 5小时", 3600000},
    /* points in time */
    {"Resets @at 2026-10-21T07:28:00Z", 30000},
    {"Resets at @2026-10-21T07:28:00Z.", 30000},
    {"Resets at @2026-10-21T07:28:00.123456Z.", 30124},
    {"Resets at @2026-10-21T07:28:00.9996Z.", 31000},
    {"Resets at @2026-10-21 07:28:00 UTC.", 30000},
    {"Resets at @2026-10-21 07:28 (UTC)", 30000},
    {"Resets at @2026-10-21T09:28:00+02:00", 30000},
    {"Resets at @2026-10-21T09:28:00+0200", 30000},
    {"Resets at @2026-10-21 15:28:00 UTC+8", 30000},
    {"Resets at @2026-10-21 15:28:00 (UTC+08:00)", 30000},
    {"Resets at @2026-10-21 00:28:00 PDT", 30000},
    {"Resets at @2026-10-21 07:28:00", 30000},
    {"Resets at @2026/10/21 07:28:00", 30000},
    {"You will regain access @on 2026-11-01 at 00:00 UTC.", 923550000},
    {"You will regain access @on 2026-11-01.", 923550000},
    {"retry @after Wed, 21 Oct 2026 07:28:00 GMT.", 30000},
    {"您的限额将在 @2026-10-21 15:28:00 重置。", 30000},
    {"您的限额将@在 2026-10-21 15:28:00 重置。", 30000},
    {"您的限额将在 @2026-10-21 07:28:00 UTC 重置。", 30000},
    {"您的限额将在@2026年10月21日 15:28 重置。", 30000},
    {"リセットは @2026-10-21 07:28:00 時", 30000},
    {"usage limit reached@|1792567680", 30000},
    {"resets at @1792567680000", 30000},
    {"resets at @1792567000", 0},
    {"resets at @2020-01-01T00:00:00Z", 0},
    {"'retryDelay'@: '47s'}]}}.", 47000},
    {"'estimated_time'@: 20.0}", 20000},
    {"'estimated_time': @20.0}", 20000},
    {"Please wait @6 seconds for your limit to reset.", 6000},
    {"retry_after=@30", 30000},
    {"'retry_after': @30,", 30000},
    {"\\\"retryAfterMs\\\": @30}", 30},
    {"Retry-After: @1.5 or so", 1500},
    /* texts with a time that cannot be computed */
    {"try again @tomorrow", -1},
    {"try again @later", -1},
    {"blocked @until 3:00 PM", -1},
    {"Quota will be replenished @in 02:11:53.", 7913000},
    {"Quota will be replenished @in 5.03:23:11.", 444191000},
    {"retry @in 00:00:30.5", 31000},
    {"retry @in 12:60:00", -1},
    {"blocked until @15:00", -1},
    {"Resets at @2026-10-21 07:28:00 PM", -1},
    {"Resets at @2026-10-21 07:28:00 CST", -1},
    {"Resets at @2026-13-21 07:28:00", -1},
    {"Resets at @2026-10-21 25:28:00", -1},
    {"Resets at @2426-10-21 07:28:00", -1},
    {"try again @in a few seconds", -1},
    {"try again @in 30", -1},
    {"try again @in -5s", -1},
    {"try again in -@5s", -1},
    {"payload@429s", -1},
    {"gpt-@4s", -1},
    {"Resets at @2026-10-21 07:28:60.5Z", 89999},
    {"Resets at @2026-10-21 07:28:00 +25:00 x", 30000},
    {"Resets at @2026-10-21 07:28:00 UTC-", 30000},
    {"Resets at @2026-10-21 07:28:00 WHENEVER", 30000},
    {"Resets at @2026-10-21 07:28:000", -1},
    {"Resets at @2026-10-21x", 0},
    {"Resets at @2026-10", -1},
    {"Resets at @2026年10", -1},
    {"@in 5–10 seconds", 10000},
    {"@in one hour, 5 minutes", 3900000},
    {"@in 36000 天, 5000 小时", -1},
    {"seconds@: later", -1},
    {"@seconds: 5x", -1},
    {"@in 31536000001 s", -1},
    {"@in 50 years", -1},
    {"@in 12000 days", -1},
    {"@in 20x", -1},
    {"@in 20.5x", -1},
    {"@in 20 tokens", -1},
    {"@in 3 months", -1},
    {"@in 9999999999999 hours", -1},
    {"@in 50 weeks_", -1},
    {"@in 99999999999999999999999999999999999999999999999999999999,000 s", -1},
    {"@", -1},
    {"in @", -1},
    {"@in in in in in in in in in in 5s", -1},
};

/* Copies the text into a separate allocation, so that the sanitizer reports any byte read outside
 * it. */
static char *split(const char *marked, rc_str *ret_text, size_t *ret_at)
{
    const char *mark = strchr(marked, '@');
    assert_non_null(mark);
    size_t at = (size_t)(mark - marked);
    size_t len = strlen(marked) - 1;
    char *memory = malloc(len + 1);
    assert_non_null(memory);
    char *bytes = memory + 1; /* the copy ends where the allocation ends */
    memcpy(bytes, marked, at);
    memcpy(bytes + at, mark + 1, len - at);
    *ret_text = rc_str_make(bytes, len);
    *ret_at = at;
    return memory;
}

static void test_wording(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(text_cases); i++) {
        const text_case *c = &text_cases[i];
        trace_log t = {0};
        rc_trace trace = {.on_note = on_note, .ctx = &t};
        rc_hints h;
        rc_hints_init(&h, NOW, &trace);
        rc_str text;
        size_t at;
        char *memory = split(c->text, &text, &at);
        rc_hints_add_text(&h, text, at);
        int64_t got_ms = rc_hints_wait_ms(&h);
        bool is_told = t.hints == (c->wait_ms >= 0) && t.ignored == (c->wait_ms < 0);
        free(memory);
        if (got_ms != c->wait_ms)
            fail_msg("%s: %lld ms, want %lld; noted: %s", c->text, (long long)got_ms,
                     (long long)c->wait_ms, t.text);
        if (!is_told && at < text.len)
            fail_msg("%s: %d hints and %d doubts noted", c->text, t.hints, t.ignored);
    }
}

static void test_the_hint_names_the_text_read(void **state)
{
    (void)state;
    trace_log t = {0};
    rc_trace trace = {.on_note = on_note, .ctx = &t};
    rc_hints h;
    rc_hints_init(&h, NOW, &trace);
    rc_hints_add_text(&h, RC_STR("Try again in about 4 days, 20 hours. Or not."), 10);
    assert_string_equal(t.text, "4 days, 20 hours");
    rc_hints_add_text(&h, RC_STR("Reset at 2026-10-21 07:28:00 UTC, then"), 6);
    assert_string_equal(t.text, "2026-10-21 07:28:00 UTC");
    rc_hints_add_text(&h, RC_STR("in 20.04446179s."), 0);
    assert_string_equal(t.text, "20.04446179s");
    rc_hints_add_text(&h, RC_STR("请在60秒后"), 6);
    assert_string_equal(t.text, "60秒");
    rc_hints_add_text(&h, RC_STR("short"), 99);
    assert_int_equal(t.hints, 4);
    assert_int_equal(t.ignored, 0);
    rc_hint best = rc_hints_best(&h);
    assert_int_equal(best.rank, RC_HINT_RANK_WORDING);
    assert_int_equal(best.wait_ms, 417600000);
}

static const char *const points[] = {
    "@2026-10-21T07:28:00Z", "@2026-10-21 07:28", "@Wed, 21 Oct 2026 07:28:00 GMT",
    "reached@|1792567680",   "@1792567680000",    "resets_at=@1792567680",
};

static void test_points_in_time_need_now(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(points); i++) {
        trace_log t = {0};
        rc_trace trace = {.on_note = on_note, .ctx = &t};
        rc_hints h;
        rc_hints_init(&h, 0, &trace);
        rc_str text;
        size_t at;
        char *memory = split(points[i], &text, &at);
        rc_hints_add_text(&h, text, at);
        assert_int_equal(rc_hints_wait_ms(&h), -1);
        free(memory);
        if (!strstr(t.text, "the time now is not known"))
            fail_msg("%s: %s", points[i], t.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wording),
        cmocka_unit_test(test_the_hint_names_the_text_read),
        cmocka_unit_test(test_points_in_time_need_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
