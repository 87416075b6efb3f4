/* Tests of the panel: its content and order, the content of each view, and that every line has
 * exactly the panel's width, whatever the text is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "support/often.h"
#include "support/random_report.h"
#include "support/render_cases.h"

#define OUT_MAX (8u << 20)

static rc_buf rendered(const rc_report *report, rc_view view, const rc_panel_style *style)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf buf;
    rc_buf_init(&buf, &alloc, OUT_MAX);
    assert_int_equal(rc_render_human(report, view, style, &buf), RC_OK);
    return buf;
}

static void check(const rc_report *report, rc_view view, const rc_panel_style *style)
{
    rc_buf buf = rendered(report, view, style);
    const char *complaint = check_panel(rc_buf_get(&buf), style);
    if (complaint)
        fail_msg("view %d, width %u, utf8 %d, colour %d: %s\n%.*s", (int)view, style->width,
                 style->has_utf8, style->has_colour, complaint, (int)rc_buf_get(&buf).len,
                 rc_buf_get(&buf).ptr);
    rc_buf_done(&buf);
}

/* Checks every width, with and without UTF-8, in one view each, and every view at some widths. */
static void check_all(const rc_report *report, unsigned step)
{
    for (unsigned width = 20; width <= 200; width += step) {
        for (unsigned flags = 0; flags < 4; flags++) {
            rc_panel_style style = {.width = width,
                                    .has_utf8 = flags & 1,
                                    .has_colour = flags & 2,
                                    .now_unix_ms = CASE_NOW_UNIX_MS};
            if ((flags & 2) && width % 5)
                continue;
            check(report, CASE_VIEWS[width % VIEW_COUNT], &style);
        }
    }
}

static void test_widths_of_hostile_reports(void **state)
{
    (void)state;
    const rc_report *report = case_nasty();
    check_all(report, 3);
    rc_report_free(report);
}

static void test_widths_of_other_reports(void **state)
{
    (void)state;
    const rc_report *reports[] = {case_bare(),          case_deep(),       case_maximal('x'),
                                  case_maximal('\x01'), case_maximal(' '), case_maximal('\n')};
    for (size_t i = 0; i < sizeof reports / sizeof *reports; i++) {
        check_all(reports[i], i < 2 ? 3 : 7);
        rc_report_free(reports[i]);
    }
    check_all(NULL, 9);
    for (size_t i = 0; i < rc_code_count(); i++)
        check_all(rc_report_static(rc_code_at(i)->code), 36);
}

static void test_widths_of_random_reports(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    uint64_t seed = 7;
    for (int i = 0; i < OFTEN(4000); i++) {
        const rc_report *report = random_report(&seed, &alloc);
        rc_panel_style style = {.width = 20 + (unsigned)random_below(&seed, 181),
                                .has_utf8 = random_below(&seed, 2),
                                .has_colour = random_below(&seed, 2),
                                .now_unix_ms = (int64_t)random_u64(&seed),
                                .utc_offset_s = (int32_t)random_u64(&seed)};
        for (size_t v = 0; v < VIEW_COUNT; v++)
            check(report, CASE_VIEWS[v], &style);
        rc_report_free(report);
    }
}

/* Tests the width that is used if none, a too small or a too large one is requested. */
static void test_width_limits(void **state)
{
    (void)state;
    static const struct {
        unsigned asked;
        unsigned given;
    } WIDTHS[] = {{0, 80}, {1, 20}, {19, 20}, {20, 20}, {200, 200}, {201, 200}, {100000, 200}};
    const rc_report *report = rc_report_static(RC_CODE_RATE_LIMITED);
    for (size_t i = 0; i < sizeof WIDTHS / sizeof *WIDTHS; i++) {
        rc_panel_style asked = {.width = WIDTHS[i].asked};
        rc_panel_style given = {.width = WIDTHS[i].given};
        rc_buf buf = rendered(report, RC_VIEW_USER, &asked);
        assert_null(check_panel(rc_buf_get(&buf), &given));
        rc_buf_done(&buf);
    }
    rc_panel_style plain = {.width = 80};
    rc_buf buf = rendered(report, RC_VIEW_USER, NULL);
    assert_null(check_panel(rc_buf_get(&buf), &plain));
    rc_buf_done(&buf);
}

/* Checks that the words are in the panel, in this order. */
static void expect_in_order(rc_str text, const char *const *words, size_t count)
{
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        size_t found = rc_str_find(text, rc_str_c(words[i]), at);
        if (found == RC_STR_NPOS)
            fail_msg("\"%s\" is not there, or not in its place:\n%.*s", words[i], (int)text.len,
                     text.ptr);
        at = found + strlen(words[i]);
    }
}

static void expect_absent(rc_str text, const char *const *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (rc_str_find(text, rc_str_c(words[i]), 0) != RC_STR_NPOS)
            fail_msg("\"%s\" must not be there:\n%.*s", words[i], (int)text.len, text.ptr);
    }
}

#define IN_ORDER(text, ...)                                         \
    do {                                                            \
        static const char *const WORDS[] = {__VA_ARGS__};           \
        expect_in_order(text, WORDS, sizeof WORDS / sizeof *WORDS); \
    } while (0)
#define ABSENT(text, ...)                                         \
    do {                                                          \
        static const char *const WORDS[] = {__VA_ARGS__};         \
        expect_absent(text, WORDS, sizeof WORDS / sizeof *WORDS); \
    } while (0)

static void test_internal_view(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    rc_panel_style style = {.width = 100, .has_utf8 = true, .now_unix_ms = CASE_NOW_UNIX_MS};
    rc_buf buf = rendered(report, RC_VIEW_INTERNAL, &style);
    IN_ORDER(rc_buf_get(&buf), "↻ Rate limited", "ProviderTransient/RateLimited", "MESSAGE",
             "/srv/ada/x.py", "Yes, after 4s (at 01:02:08 UTC).", "Wait, then try again", "ADVICE",
             "LLMCompletionError", "transient", "runtime", "openai", "gpt-4o", "HTTP 429", "tokens",
             "TYPE", "CODE", "PARAM", "REQUEST", "RUN", "NODE", "SESSION", "attempt 3", "RULE",
             "HTTP 429 Too Many Requests", "rep_1", "Attempts", "openai/gpt-4o (KEY-1)",
             "Overloaded 503", "waited 2s: REASON", "Context", "region: REGION", "is_last: true",
             "size: 17", "Detail", "DETAIL", "Caused by", "└─ CAUSE-TYPE", "CAUSE-MESSAGE",
             "CAUSE-DETAIL", "CAUSE-SOURCE", "Source", "SOURCE @ a.c:1 (in f)", "Raw", "RAW");
    rc_buf_done(&buf);
    rc_report_free(report);
}

static void test_user_view(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    rc_panel_style style = {.width = 100, .has_utf8 = true};
    rc_view wrong = (rc_view)99; /* an invalid view is replaced by the user's view */
    rc_view views[] = {RC_VIEW_USER, wrong, (rc_view)(RC_VIEW_USER | RC_VIEW_INTERNAL)};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) {
        rc_buf buf = rendered(report, views[i], &style);
        IN_ORDER(rc_buf_get(&buf), "Rate limited", "MESSAGE", "Yes, after 4s.", "ADVICE", "openai",
                 "gpt-4o", "REQUEST", "RUN", "NODE", "SESSION", "attempt 3", "rep_1");
        ABSENT(rc_buf_get(&buf), "DETAIL", "RAW", "SOURCE", "CAUSE", "RULE", "REGION", "TYPE",
               "PARAM", "KEY-1");
        rc_buf_done(&buf);
    }
    rc_report_free(report);
}

static void test_model_view(void **state)
{
    (void)state;
    const rc_report *report = case_full();
    rc_panel_style style = {.width = 100, .has_utf8 = true};
    rc_buf buf = rendered(report, RC_VIEW_MODEL, &style);
    IN_ORDER(rc_buf_get(&buf), "Rate limited", "MESSAGE", "[path]", "transient", "runtime",
             "REGION");
    ABSENT(rc_buf_get(&buf), "DETAIL", "RAW", "SOURCE", "CAUSE", "RULE", "/srv", "KEY-1");
    rc_buf_done(&buf);
    rc_report_free(report);
}

static void expect_retry(const char *json, int64_t now_unix_ms, int32_t offset_s, const char *want)
{
    const rc_report *report = case_decode(rc_str_c(json));
    rc_panel_style style = {
        .width = 160, .has_utf8 = true, .now_unix_ms = now_unix_ms, .utc_offset_s = offset_s};
    rc_buf buf = rendered(report, RC_VIEW_USER, &style);
    if (rc_str_find(rc_buf_get(&buf), rc_str_c(want), 0) == RC_STR_NPOS)
        fail_msg("%s: no \"%s\" in\n%.*s", json, want, (int)rc_buf_get(&buf).len,
                 rc_buf_get(&buf).ptr);
    rc_buf_done(&buf);
    rc_report_free(report);
}

#define WAIT(ms) "\"provider_metadata\":{\"retry_after_ms\":" ms "}"

static void test_retry_sentences(void **state)
{
    (void)state;
    int64_t now = CASE_NOW_UNIX_MS;
    expect_retry("{}", 0, 0, "Unknown.");
    expect_retry("{\"retryable\":false}", 0, 0, "No: the same request would fail again.");
    expect_retry("{\"retryable\":true}", 0, 0, "Yes, after a moment.");
    expect_retry("{\"retryable\":true," WAIT("0") "}", now, 0, "Yes, at once.");
    expect_retry("{\"retryable\":true," WAIT("850") "}", 0, 0, "Yes, after 850ms.");
    expect_retry("{\"retryable\":true," WAIT("4000") "}", now, 7200,
                 "Yes, after 4s (at 03:02:08).");
    expect_retry("{\"retryable\":true," WAIT("86400000") "}", now, 0, "(at 17 Nov, 01:02:04 UTC).");
    expect_retry("{\"retryable\":true," WAIT("31536000000") "}", now, 0, "(at 16 Nov 2027, ");
    expect_retry("{\"retryable\":true," WAIT("9223372036854775807") "}", now, 0, "Yes, after ");
    expect_retry("{\"retryable\":true," WAIT("1000") "}", INT64_MAX, INT32_MAX, "after 1s.");
    expect_retry("{\"retryable\":true," WAIT("1000") "}", -5, INT32_MIN, "after 1s.");
    expect_retry("{\"retryable\":true,\"retry_exhausted\":true," WAIT("5000") "}", 0, 0,
                 "The attempts are used up; try again after 5s.");
    expect_retry("{\"retryable\":true,\"retry_exhausted\":true}", 0, 0,
                 "The attempts are used up; try again later.");
    expect_retry("{\"retryable\":true,\"retry_exhausted\":true,"
                 "\"user_action\":{\"kind\":\"check_config\"}}",
                 0, 0, "Not until the configuration is corrected.");
    expect_retry("{\"retryable\":false,\"error_category\":\"capacity\"," WAIT("5000") "}", 0, 0,
                 "used up. The provider states a wait of 5s.");
    expect_retry("{\"retryable\":false,\"error_category\":\"capacity\"," WAIT(
                     "5000") ",\"context\":{\"wait_by\":\"recourse\"}}",
                 now, 0, "used up. Recourse retries after 5s (at 01:02:09 UTC).");
    /* A wrapper inherits the wait of its cause; a cause with another wait is ignored. */
    expect_retry("{\"retryable\":false," WAIT("5000") ",\"cause\":{" WAIT(
                     "5000") ",\"context\":{\"wait_by\":\"recourse\"}}}",
                 now, 0, "Recourse retries after 5s");
    expect_retry("{\"retryable\":false," WAIT("5000") ",\"cause\":{" WAIT(
                     "6000") ",\"context\":{\"wait_by\":\"recourse\"}}}",
                 now, 0, "The provider states a wait of 5s");
    expect_retry("{\"retryable\":false,\"error_class\":\"Limit\"," WAIT("5000") "}", now, 0,
                 "fail again. It renews in 5s (at 01:02:09 UTC).");
    expect_retry("{\"retryable\":false," WAIT("5000") "}", now, 0,
                 "The provider states a wait of 5s (until 01:02:09 UTC).");
    expect_retry("{\"retryable\":false,\"error_code\":\"DeadlineExceeded\"}", 0, 0,
                 "Not with the same deadline: the call may take as long again.");
    expect_retry("{\"error_category\":\"configuration\"}", 0, 0, "No: the configuration must");
    expect_retry("{\"error_category\":\"content\"}", 0, 0, "No: the request must");
    expect_retry("{\"error_category\":\"ambiguous\"}", 0, 0, "Not safe: ");
    expect_retry("{\"error_category\":\"unknown\"}", 0, 0, "No: the error is not recognised.");
    expect_retry("{\"error_class\":\"Cancellation\"}", 0, 0, "No: the call was cancelled");
}

static void expect_start(const rc_report *report, bool has_utf8, const char *want)
{
    rc_panel_style style = {.width = 80, .has_utf8 = has_utf8};
    rc_buf buf = rendered(report, RC_VIEW_USER, &style);
    assert_true(rc_str_starts_with(rc_buf_get(&buf), rc_str_c(want)));
    rc_buf_done(&buf);
}

static void test_title(void **state)
{
    (void)state;
    expect_start(rc_report_static(RC_CODE_RATE_LIMITED), true, "╭─ ↻ Rate limited ─");
    expect_start(rc_report_static(RC_CODE_AUTH_FAILED), true, "╭─ ✗ Auth failed ─");
    expect_start(rc_report_static(RC_CODE_TURN_CANCELLED), true, "╭─ ■ Turn cancelled ─");
    expect_start(rc_report_static(RC_CODE_RATE_LIMITED), false, "+- ~ Rate limited -");
    expect_start(rc_report_static(RC_CODE_PROVIDER_5XX), false, "+- ~ Provider 5xx -");
    expect_start(rc_report_static(RC_CODE_AUTH_FAILED), false, "+- x Auth failed -");
    expect_start(rc_report_static(RC_CODE_TURN_CANCELLED), false, "+- - Turn cancelled -");
    expect_start(NULL, true, "╭─ ✗ Unknown error ─");
}

/* If the code does not fit into the title line, it is shown on a separate line. */
static void test_code_is_always_shown(void **state)
{
    (void)state;
    for (unsigned width = 30; width <= 100; width += 10) {
        rc_panel_style style = {.width = width, .has_utf8 = true};
        rc_buf buf = rendered(rc_report_static(RC_CODE_QUOTA_EXHAUSTED), RC_VIEW_USER, &style);
        IN_ORDER(rc_buf_get(&buf), "Quota exhausted", "QuotaExhausted");
        rc_buf_done(&buf);
    }
}

static void expect_colour(const rc_report *report, const char *want)
{
    rc_panel_style style = {.width = 80, .has_utf8 = true, .has_colour = true};
    rc_buf buf = rendered(report, RC_VIEW_USER, &style);
    assert_true(rc_str_starts_with(rc_buf_get(&buf), rc_str_c(want)));
    rc_buf_done(&buf);
}

static void test_colours(void **state)
{
    (void)state;
    expect_colour(rc_report_static(RC_CODE_RATE_LIMITED), "\x1b[33m");
    expect_colour(rc_report_static(RC_CODE_AUTH_FAILED), "\x1b[31m");
    expect_colour(rc_report_static(RC_CODE_TURN_CANCELLED), "\x1b[36m");
}

/* Long lists and texts are cut, and the panel states this. */
static void test_long_sections_are_cut(void **state)
{
    (void)state;
    const rc_report *deep = case_deep();
    rc_panel_style style = {.width = 80, .has_utf8 = true};
    rc_buf buf = rendered(deep, RC_VIEW_INTERNAL, &style);
    IN_ORDER(rc_buf_get(&buf), "Caused by", "└─ LayerError", "… 52 more causes", "ConnectionReset");
    rc_buf_done(&buf);
    rc_report_free(deep);

    const rc_report *maximal = case_maximal('x');
    buf = rendered(maximal, RC_VIEW_INTERNAL, &style);
    IN_ORDER(rc_buf_get(&buf), "… 52 more attempts", "Context", " more bytes", "Detail",
             " more bytes", "Raw", " more bytes");
    rc_buf_done(&buf);
    rc_report_free(maximal);
}

/* Line breaks of a message are preserved; trailing spaces do not become lines. */
static void test_message_lines(void **state)
{
    (void)state;
    const rc_report *report =
        case_decode(RC_STR("{\"message\":\"one\\r\\ntwo\\n\\nthree\\n \\n\"}"));
    rc_panel_style style = {.width = 20};
    rc_buf buf = rendered(report, RC_VIEW_USER, &style);
    IN_ORDER(rc_buf_get(&buf),
             "| one              |\n| two              |\n|                  |\n"
             "| three            |\n|                  |\n| Retry            |\n");
    rc_buf_done(&buf);
    rc_report_free(report);
}

/* A name with a line break cannot look like a line of the panel. */
static void test_names_stay_in_line(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_report *report =
        case_nasty_with(&alloc, RC_CODE_RATE_LIMITED, RC_STR("name\nRetry    Yes"));
    rc_panel_style style = {.width = 100, .has_utf8 = true};
    rc_buf buf = rendered(report, RC_VIEW_INTERNAL, &style);
    IN_ORDER(rc_buf_get(&buf), "Where    name Retry    Yes · name Retry    Yes",
             "Report   name Retry    Yes", "name Retry    Yes: name Retry    Yes");
    rc_buf_done(&buf);
    rc_report_free(report);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_widths_of_hostile_reports),
        cmocka_unit_test(test_widths_of_other_reports),
        cmocka_unit_test(test_widths_of_random_reports),
        cmocka_unit_test(test_width_limits),
        cmocka_unit_test(test_internal_view),
        cmocka_unit_test(test_user_view),
        cmocka_unit_test(test_model_view),
        cmocka_unit_test(test_retry_sentences),
        cmocka_unit_test(test_title),
        cmocka_unit_test(test_code_is_always_shown),
        cmocka_unit_test(test_colours),
        cmocka_unit_test(test_long_sections_are_cut),
        cmocka_unit_test(test_message_lines),
        cmocka_unit_test(test_names_stay_in_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
