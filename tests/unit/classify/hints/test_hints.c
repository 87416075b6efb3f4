/* Tests of hints: every row of the table, every notation of a value, the order of ranks, the notes
 * of the trace. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/str.h"
#include "classify/hints/hints.h"
#include "codec/duration.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* 2026-10-21T07:27:30Z */
#define NOW INT64_C(1792567650000)
#define DAY_MS INT64_C(86400000)

/* The notes that the trace has received. */
typedef struct trace_log {
    int hints;
    int ignored;
    int64_t wait_ms; /* wait of the latest hint in milliseconds */
    char subject[64];
    char text[128];
} trace_log;

static void copy(char *to, size_t size, rc_str from)
{
    (void)snprintf(to, size, "%.*s", (int)from.len, from.len ? from.ptr : "");
}

static void on_note(void *ctx, const rc_trace_note *note)
{
    trace_log *t = ctx;
    assert_true(note->step == RC_TRACE_HINT || note->step == RC_TRACE_IGNORED);
    if (note->step == RC_TRACE_HINT) {
        t->hints++;
        t->wait_ms = note->wait_ms;
        assert_true(note->wait_ms >= 0 && note->wait_ms <= RC_DURATION_MAX_MS);
    } else {
        t->ignored++;
        assert_int_equal(note->wait_ms, -1);
        assert_true(note->text.len > 0);
    }
    copy(t->subject, sizeof t->subject, note->subject);
    copy(t->text, sizeof t->text, note->text);
}

/* A set of hints with its trace. */
typedef struct fixture {
    trace_log trace_log;
    rc_trace trace;
    rc_hints hints;
} fixture;

static void begin(fixture *f, int64_t now_unix_ms)
{
    memset(f, 0, sizeof *f);
    f->trace = (rc_trace){.on_note = on_note, .ctx = &f->trace_log};
    rc_hints_init(&f->hints, now_unix_ms, &f->trace);
}

/* Adds "name: value" lines as headers. */
static void offer_headers(rc_hints *h, const char *lines)
{
    rc_str text = rc_str_c(lines);
    for (size_t at = 0; at < text.len;) {
        size_t end = rc_str_find_byte(text, '\n', at);
        end = end == RC_STR_NPOS ? text.len : end;
        rc_str line = rc_str_slice(text, at, end);
        size_t colon = rc_str_find(line, RC_STR(": "), 0);
        assert_true(colon != RC_STR_NPOS);
        rc_hints_add_header(h, rc_str_slice(line, 0, colon),
                            rc_str_slice(line, colon + 2, line.len));
        at = end + 1;
    }
}

static void expect_wait(const char *what, const fixture *f, int64_t want_ms)
{
    int64_t got_ms = rc_hints_wait_ms(&f->hints);
    if (got_ms != want_ms)
        fail_msg("%s: %lld ms, want %lld; last note: %s, %s", what, (long long)got_ms,
                 (long long)want_ms, f->trace_log.subject, f->trace_log.text);
}

/* ---- values of headers ---- */

typedef struct header_case {
    const char *lines;
    int64_t wait_ms;
} header_case;

static const header_case header_cases[] = {
    /* explicit waits */
    {"retry-after-ms: 1250", 1250},
    {"Retry-After-Ms: 1250.5", 1251},
    {"retry-after-ms: 0", 0},
    {"x-ms-retry-after-ms: 300", 300},
    {"x-retry-after-ms: 300", 300},
    {"retry-after: 20", 20000},
    {"RETRY-AFTER: 20", 20000},
    {"retry-after: 0", 0},
    {"retry-after: 0.5", 500},
    {"retry-after:  1.57 ", 1570},
    {"retry-after: 1e1", 10000},
    {"retry-after: 1.0004", 1001},
    {"retry-after: 1.0005", 1001},
    {"retry-after: 1m1.00049 seconds", 61001},
    {"retry-after: 1.00041m", 60025},
    {"retry-after: 1.00000000000000000000000000000000000000000000000000000000000000001s", 1001},
    {"x-ratelimit-reset: 1792567680.0004", 30001},
    {"x-ratelimit-reset: 1792567680.0005", 30001},
    {"retry-after: 20s", 20000},
    {"retry-after: 6m0s", 360000},
    {"retry-after: 2 minutes", 120000},
    {"retry-after: PT20S", 20000},
    {"retry-after: 86400", DAY_MS},
    {"retry-after: Wed, 21 Oct 2026 07:28:00 GMT", 30000},
    {"retry-after: Wednesday, 21-Oct-26 07:28:00 GMT", 30000},
    {"retry-after: Wed Oct 21 07:28:00 2026", 30000},
    {"retry-after: Wed, 21 Oct 2026 07:00:00 GMT", 0},
    {"retry-after: Fri, 31 Dec 1999 23:59:59 GMT", 0},
    {"retry-after: 2026-10-21T07:28:00Z", 30000},
    {"retry-after: 1792567680", 30000},
    {"retry-after: 1792567680000", 30000},
    {"x-retry-after: 3", 3000},
    {"x-retry-after-seconds: 3", 3000},
    {"x-ratelimit-retry-after: 3", 3000},
    {"x-rate-limit-retry-after: 3", 3000},
    /* values that are rejected */
    {"retry-after: ", -1},
    {"retry-after: -5", -1},
    {"retry-after: -5s", -1},
    {"retry-after: soon", -1},
    {"retry-after: 20 apples", -1},
    {"retry-after: 00:00:20", -1},
    {"retry-after: 1,5", -1},
    {"retry-after: NaN", -1},
    {"retry-after: inf", -1},
    {"retry-after: null", -1},
    {"retry-after: 1e300", -1},
    {"retry-after: 99999999999999999999999999", -1},
    {"retry-after: 1000000h", -1},
    {"retry-after: Wed, 31 Feb 2026 07:28:00 GMT", -1},
    {"retry-after: Wed, 21 Oct 2300 07:28:00 GMT", -1},
    {"retry-after: Wed, 21 Oct 2026 07:28:00 GMT and then", -1},
    {"retry-after-ms: 1792567680000", -1},
    {"retry-after-ms: Wed, 21 Oct 2026 07:28:00 GMT", -1},
    {"x-retry-after-seconds: 1792567680", -1},
    /* headers that are not hints */
    {"retry: 5", -1},
    {"x-request-id: 20", -1},
    {"retry-after-date: 20", -1},
    {"x-ratelimit-limit-requests: 60", -1},
    {"x-ratelimit-remaining-requests: 0", -1},
    {"ratelimit-policy: 100;w=60", -1},
    /* times at which limits renew */
    {"x-ratelimit-reset: 30", 30000},
    {"x-ratelimit-reset: 6m0s", 360000},
    {"x-ratelimit-reset: 20ms", 20},
    {"x-ratelimit-reset: 1792567680", 30000},
    {"x-ratelimit-reset: 1792567680.25", 30250},
    {"x-ratelimit-reset: 1792567680000", 30000},
    {"x-ratelimit-reset: 1792567680000000", 30000},
    {"x-ratelimit-reset: 1792567000", 0},
    {"x-ratelimit-reset: 2026-10-21T07:28:00Z", 30000},
    {"x-ratelimit-reset: 2026-10-21T07:28:00.0005Z", 30001},
    {"x-ratelimit-reset: 2026-10-21T07:28:00.00049Z", 30001},
    {"x-ratelimit-reset: 2026-10-21T09:28:00+02:00", 30000},
    {"x-ratelimit-reset: 2026-10-21 07:28:00", 30000},
    {"x-ratelimit-reset-ms: 1500", 1500},
    {"x-ratelimit-reset-after: 1.5", 1500},
    {"x-ratelimit-reset-requests: 1s", 1000},
    {"x-ratelimit-reset-tokens: 172ms", 172},
    {"x-ratelimit-reset-requests-day: 33011.382867097855", 33011383},
    {"x-ratelimit-tokens-reset: 7", 7000},
    {"x-rate-limit-reset: 7", 7000},
    {"x-ratelimitbysize-reset-minute: 7", 7000},
    {"ratelimitbysize-reset: 7", 7000},
    {"ratelimit-reset: 30", 30000},
    {"ratelimit-reset: -30", -1},
    {"anthropic-ratelimit-requests-reset: 2026-10-21T07:28:00Z", 30000},
    {"anthropic-ratelimit-unified-5h-reset: 1792567680", 30000},
    {"anthropic-ratelimit-requests-reset: 30", -1},
    {"x-codex-primary-reset-after-seconds: 13873", 13873000},
    {"x-codex-primary-reset-at: 1792567680", 30000},
    {"x-codex-primary-window-minutes: 300", -1},
    /* several waits, of which the longest applies */
    {"retry-after: 5\nretry-after-ms: 1250", 5000},
    {"retry-after-ms: 1250\nretry-after: 1", 1250},
    {"x-ratelimit-reset-requests: 1s\nx-ratelimit-reset-tokens: 6m0s", 360000},
    {"x-ratelimit-reset-tokens: 6m0s\nx-ratelimit-reset-requests: 1s", 360000},
    /* An explicit wait, even of 0, takes precedence over the reset time of a limit. */
    {"x-ratelimit-reset-tokens: 6m0s\nretry-after: 2", 2000},
    {"retry-after: 0\nx-ratelimit-reset-tokens: 6m0s", 0},
    {"retry-after: soon\nx-ratelimit-reset-tokens: 6m0s", 360000},
    /* Only the reset times of exhausted limits apply. */
    {"x-ratelimit-remaining-requests: 9999\nx-ratelimit-remaining-tokens: 0\n"
     "x-ratelimit-reset-requests: 8m\nx-ratelimit-reset-tokens: 7.66s",
     7660},
    {"x-ratelimit-reset-requests: 8m\nx-ratelimit-reset-tokens: 7.66s\n"
     "X-RateLimit-Remaining-Requests: 9999\nX-RateLimit-Remaining-Tokens: 0",
     7660},
    {"x-ratelimit-remaining: 3\nx-ratelimit-reset: 60", -1},
    {"x-ratelimit-reset: 60\nx-ratelimit-remaining: 3", -1},
    {"x-ratelimit-reset: 60\nx-ratelimit-remaining: 0", 60000},
    {"x-ratelimit-reset: 60\nx-ratelimit-remaining: -1", 60000},
    {"x-ratelimit-reset: 60\nx-ratelimit-remaining: many", 60000},
    {"x-ratelimit-reset: 60\nx-ratelimit-remaining: 99999999999999999999", -1},
    {"x-ratelimit-remaining-a: 0\nx-ratelimit-reset-a: 5\nx-ratelimit-reset-b: 60", 5000},
    {"x-ratelimit-reset-b: 60\nx-ratelimit-reset-a: 5\nx-ratelimit-remaining-a: 0", 5000},
    {"x-ratelimit-remaining-a: 7\nx-ratelimit-reset-a: 5\nx-ratelimit-reset-b: 60", 60000},
    {"x-ratelimit-remaining-a: 0\nx-ratelimit-reset-b: 60", 60000},
    {"x-ratelimit-remaining: 0\nratelimit-remaining: 4\nratelimit-reset: 9", -1},
    {"anthropic-ratelimit-tokens-remaining: 0\n"
     "anthropic-ratelimit-tokens-reset: 2026-10-21T07:28:00Z\n"
     "anthropic-ratelimit-requests-remaining: 49\n"
     "anthropic-ratelimit-requests-reset: 2026-10-21T08:28:00Z",
     30000},
    {"anthropic-ratelimit-unified-5h-status: rejected\n"
     "anthropic-ratelimit-unified-5h-reset: 1792567680\n"
     "anthropic-ratelimit-unified-7d-status: allowed_warning\n"
     "anthropic-ratelimit-unified-7d-reset: 1793000000",
     30000},
    {"anthropic-ratelimit-unified-5h-utilization: 1.0\n"
     "anthropic-ratelimit-unified-5h-reset: 1792567680\n"
     "anthropic-ratelimit-unified-7d-utilization: 0.42\n"
     "anthropic-ratelimit-unified-7d-reset: 1793000000",
     30000},
    {"anthropic-ratelimit-unified-5h-utilization: 0.99\n"
     "anthropic-ratelimit-unified-5h-reset: 1792567680\n"
     "anthropic-ratelimit-unified-5h-status: rejected",
     30000},
    {"x-codex-primary-used-percent: 100\nx-codex-primary-reset-after-seconds: 7212\n"
     "x-codex-secondary-used-percent: 31\nx-codex-secondary-reset-after-seconds: 601645",
     7212000},
    {"x-codex-primary-used-percent: 99.5\nx-codex-primary-reset-after-seconds: 7212", -1},
    {"x-codex-primary-reset-after-seconds: 40\nx-codex-primary-reset-at: 1792567680", 40000},
    /* the RateLimit header of the IETF drafts */
    {"ratelimit: limit=100, remaining=0, reset=30", 30000},
    {"RateLimit: limit=100, remaining=7, reset=30", -1},
    {"ratelimit: limit=100,reset=30", 30000},
    {"ratelimit: \"default\";r=0;t=30", 30000},
    {"ratelimit: \"default\";r=50;t=30", -1},
    {"ratelimit: \"burst\";r=0;t=3, \"day\";r=10;t=3600", 3000},
    {"ratelimit: \"burst\";r=0;t=3, \"day, or so\";r=0;t=3600", 3600000},
    {"ratelimit: \"unterminated;r=0;t=30", -1},
    {"ratelimit: t=", -1},
    {"ratelimit: ;;;,,,", -1},
    {"ratelimit: limit=100, remaining=0, reset=-1", -1},
    {"ratelimit: limit=100, remaining=0, reset=soon", -1},
};

static void test_headers(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(header_cases); i++) {
        fixture f;
        begin(&f, NOW);
        offer_headers(&f.hints, header_cases[i].lines);
        expect_wait(header_cases[i].lines, &f, header_cases[i].wait_ms);
        if (header_cases[i].wait_ms >= 0)
            assert_true(f.trace_log.hints > 0);
    }
}

static const char *const points[] = {
    "retry-after: Wed, 21 Oct 2026 07:28:00 GMT",
    "retry-after: 2026-10-21T07:28:00Z",
    "retry-after: 1792567680",
    "retry-after: 1792567680000",
    "x-ratelimit-reset: 1792567680",
    "x-ratelimit-reset: 1792567680000",
    "ratelimit-reset: 1792567680",
    "anthropic-ratelimit-requests-reset: 2026-10-21T07:28:00Z",
    "x-codex-primary-reset-at: 1792567680",
};

static void test_points_in_time_need_now(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(points); i++) {
        fixture f;
        begin(&f, 0);
        offer_headers(&f.hints, points[i]);
        expect_wait(points[i], &f, -1);
        assert_int_equal(f.trace_log.ignored, 1);
        assert_non_null(strstr(f.trace_log.text, "the time now is not known"));
    }
}

/* ---- fields ---- */

typedef struct field_case {
    const char *key;
    const char *value;
    bool is_number;
    int64_t wait_ms;
} field_case;

static const field_case field_cases[] = {
    {"retry_after", "5", true, 5000},
    {"retryAfter", "5", true, 5000},
    {"Retry-After", "5", false, 5000},
    {"RETRY_AFTER", "5", false, 5000},
    {"retry_after", "0", true, 0},
    {"retry_after", "-1", true, -1},
    {"retry_after", "5.25", true, 5250},
    {"retry_after", "1.5e1", true, 15000},
    {"retry_after", "30s", false, 30000},
    {"retry_after", "", false, -1},
    {"retry_after", "soon", false, -1},
    {"retry_after", "1792567680", true, 30000},
    {"retry_after_ms", "5", true, 5},
    {"retryAfterMs", "5", true, 5},
    {"retry_after_seconds", "5", true, 5000},
    {"retry_after_seconds", "1792567680", true, -1},
    {"retryAfterSeconds", "5", true, 5000},
    {"retryDelay", "68940s", false, 68940000},
    {"retryDelay", "40.025771073s", false, 40026},
    {"retryDelay", "900ms", false, 900},
    {"retry_delay", "54", true, 54000},
    {"resets_at", "1792567680", true, 30000},
    {"resetsAt", "2026-10-21T07:28:00.000Z", false, 30000},
    {"resets_at", "0", true, -1},
    {"resets_at", "30", true, -1},
    {"resets_at", "tomorrow", false, -1},
    {"resets_in_seconds", "13872", true, 13872000},
    {"reset_at", "Wed, 21 Oct 2026 07:28:00 GMT", false, 30000},
    {"reset_time", "2026-10-21 07:28:00", false, 30000},
    {"estimated_time", "35.6677131652832", true, 35668},
    {"estimated_time", "1809.1820068359375", true, 1809183},
    {"wait_seconds", "7", true, 7000},
    {"waitTimeMs", "7", true, 7},
    {"quotaResetDelay", "135h9m46s", false, 486586000},
    {"quotaResetTimeStamp", "2026-10-21T07:28:00Z", false, 30000},
    /* members that are not hints */
    {"retry", "5", true, -1},
    {"retries", "5", true, -1},
    {"reset", "5", true, -1},
    {"retry_after_x", "5", true, -1},
    {"retry_afte", "5", true, -1},
    {"", "5", true, -1},
    {"_", "5", true, -1},
    {"estimated_time_of_arrival_of_the_next_train", "5", true, -1},
    {"created_at", "1792567680", true, -1},
};

static void test_fields(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(field_cases); i++) {
        const field_case *c = &field_cases[i];
        fixture f;
        begin(&f, NOW);
        rc_hints_add_field(&f.hints, rc_str_c(c->key), rc_str_c(c->value), c->is_number);
        expect_wait(c->key, &f, c->wait_ms);
        if (c->wait_ms >= 0)
            assert_true(rc_hints_is_field(rc_str_c(c->key)));
        if (!rc_hints_is_field(rc_str_c(c->key)))
            assert_int_equal(f.trace_log.hints + f.trace_log.ignored, 0);
    }
}

static void test_every_row(void **state)
{
    (void)state;
    static const char *const names[] = {
#define RC_HINT_FIELD(name, FORM, text) name,
#include "spec/hints.def"
    };
    for (size_t i = 0; i < COUNT(names); i++) {
        if (!rc_hints_is_field(rc_str_c(names[i])))
            fail_msg("the table's own \"%s\" is not found", names[i]);
    }
    static const char *const patterns[] = {
#define RC_HINT_HEADER(name, FORM, text) name,
#define RC_HINT_RESET(name, GROUP, FORM, text) name,
#include "spec/hints.def"
    };
    for (size_t i = 0; i < COUNT(patterns); i++) {
        char name[64];
        const char *star = strchr(patterns[i], '*');
        int head = star ? (int)(star - patterns[i]) : (int)strlen(patterns[i]);
        (void)snprintf(name, sizeof name, "%.*s%s%s", head, patterns[i], star ? "thing" : "",
                       star ? star + 1 : "");
        fixture f;
        begin(&f, NOW);
        rc_hints_add_header(&f.hints, rc_str_c(name), RC_STR("reset=soon"));
        if (f.trace_log.ignored != 1)
            fail_msg("\"%s\" of the row \"%s\" is not looked at", name, patterns[i]);
    }
}

/* ---- ranks ---- */

static void test_ranks(void **state)
{
    (void)state;
    fixture f;
    begin(&f, NOW);
    assert_int_equal(rc_hints_best(&f.hints).rank, RC_HINT_RANK_NONE);
    assert_int_equal(rc_hints_wait_ms(&f.hints), -1);
    rc_hints_add_header(&f.hints, RC_STR("x-ratelimit-reset"), RC_STR("600"));
    assert_int_equal(rc_hints_best(&f.hints).rank, RC_HINT_RANK_RESET);
    rc_hints_add_header(&f.hints, RC_STR("x-ratelimit-reset-tokens"), RC_STR("500"));
    rc_hints_add_header(&f.hints, RC_STR("x-ratelimit-remaining-tokens"), RC_STR("0"));
    assert_int_equal(rc_hints_best(&f.hints).rank, RC_HINT_RANK_RESET_EXHAUSTED);
    expect_wait("used up", &f, 500000);
    rc_hints_add_text(&f.hints, RC_STR("in 400s"), 0);
    expect_wait("wording", &f, 400000);
    rc_hints_add_field(&f.hints, RC_STR("retry_after"), RC_STR("300"), true);
    expect_wait("field", &f, 300000);
    rc_hints_add_header(&f.hints, RC_STR("retry-after"), RC_STR("200"));
    expect_wait("header", &f, 200000);
    rc_hints_add_field(&f.hints, RC_STR("retry_after"), RC_STR("900"), true);
    rc_hints_add_text(&f.hints, RC_STR("in 900s"), 0);
    expect_wait("still the header", &f, 200000);
    rc_hints_add_header(&f.hints, RC_STR("x-retry-after"), RC_STR("250"));
    expect_wait("the longer header", &f, 250000);
    assert_true(rc_str_eq(rc_hints_best(&f.hints).where, RC_STR("x-retry-after")));
    assert_true(rc_str_eq(rc_hints_best(&f.hints).value, RC_STR("250")));
    assert_int_equal(f.trace_log.hints, 8);
}

/* A JSON member and a wait in the message together, with the numbers of observed failures. */
static void test_waits_of_observed_failures(void **state)
{
    (void)state;
    fixture f;
    begin(&f, NOW);
    rc_hints_add_text(&f.hints, RC_STR("Your quota will reset after 19h14m47s."), 22);
    rc_hints_add_field(&f.hints, RC_STR("retryDelay"), RC_STR("68940s"), false);
    expect_wait("RetryInfo beside wording", &f, 68940000);

    begin(&f, 0);
    rc_hints_add_field(&f.hints, RC_STR("resets_at"), RC_STR("1777936568"), true);
    assert_int_equal(f.trace_log.ignored, 1);
    rc_hints_add_field(&f.hints, RC_STR("resets_in_seconds"), RC_STR("13872"), true);
    offer_headers(&f.hints, "X-Codex-Primary-Used-Percent: 100\n"
                            "X-Codex-Primary-Window-Minutes: 300\n"
                            "X-Codex-Primary-Reset-After-Seconds: 13873\n"
                            "X-Codex-Primary-Reset-At: 1777936568\n"
                            "X-Codex-Credits-Has-Credits: False\n"
                            "X-Codex-Credits-Balance: 0");
    expect_wait("resets_in_seconds beside headers", &f, 13872000);

    begin(&f, INT64_C(1786924740000));
    offer_headers(&f.hints, "X-RateLimit-Limit: 1000\nX-RateLimit-Remaining: 0\n"
                            "X-RateLimit-Reset: 1786924800000");
    expect_wait("an epoch in milliseconds", &f, 60000);
}

/* ---- notes of the trace ---- */

static void test_notes(void **state)
{
    (void)state;
    fixture f;
    begin(&f, NOW);
    rc_hints_add_header(&f.hints, RC_STR("Retry-After"), RC_STR("20"));
    assert_string_equal(f.trace_log.subject, "Retry-After");
    assert_string_equal(f.trace_log.text, "20");
    assert_int_equal(f.trace_log.wait_ms, 20000);
    rc_hints_add_header(&f.hints, RC_STR("retry-after"), RC_STR("-1"));
    assert_string_equal(f.trace_log.subject, "retry-after");
    assert_string_equal(f.trace_log.text, "negative");
    rc_hints_add_header(&f.hints, RC_STR("x-ratelimit-reset"), RC_STR("60"));
    assert_int_equal(f.trace_log.hints, 2);
    rc_hints_add_header(&f.hints, RC_STR("x-ratelimit-remaining"), RC_STR("60"));
    assert_string_equal(f.trace_log.subject, "x-ratelimit-reset");
    assert_string_equal(f.trace_log.text, "the limit of this reset is not used up");
    assert_int_equal(f.trace_log.ignored, 2);
    rc_hints_add_header(&f.hints, RC_STR("x-ratelimit-reset"), RC_STR("70"));
    assert_int_equal(f.trace_log.hints, 2);
    assert_int_equal(f.trace_log.ignored, 3);
}

static void test_without_a_trace(void **state)
{
    (void)state;
    rc_hints h;
    rc_trace deaf = {0};
    const rc_trace *traces[] = {NULL, &deaf};
    for (size_t i = 0; i < COUNT(traces); i++) {
        rc_hints_init(&h, NOW, traces[i]);
        rc_hints_add_header(&h, RC_STR("retry-after"), RC_STR("x"));
        rc_hints_add_header(&h, RC_STR("retry-after"), RC_STR("7"));
        rc_hints_add_header(&h, rc_str_make(NULL, 0), rc_str_make(NULL, 0));
        rc_hints_add_field(&h, rc_str_make(NULL, 0), rc_str_make(NULL, 0), false);
        rc_hints_add_text(&h, rc_str_make(NULL, 0), 0);
        assert_int_equal(rc_hints_wait_ms(&h), 7000);
    }
}

static void test_too_many_limits(void **state)
{
    (void)state;
    fixture f;
    begin(&f, NOW);
    char names[RC_HINT_LIMITS_MAX + 4][32];
    for (size_t i = 0; i < COUNT(names); i++) {
        (void)snprintf(names[i], sizeof names[i], "x-ratelimit-reset-l%zu", i);
        rc_hints_add_header(&f.hints, rc_str_c(names[i]), RC_STR("7"));
    }
    assert_int_equal(f.trace_log.hints, RC_HINT_LIMITS_MAX);
    assert_int_equal(f.trace_log.ignored, 4);
    assert_string_equal(f.trace_log.text, "too many limits");
    rc_hints_add_header(&f.hints, RC_STR("x-ratelimit-remaining-more"), RC_STR("0"));
    expect_wait("those that fit", &f, 7000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_headers),         cmocka_unit_test(test_points_in_time_need_now),
        cmocka_unit_test(test_fields),          cmocka_unit_test(test_every_row),
        cmocka_unit_test(test_ranks),           cmocka_unit_test(test_waits_of_observed_failures),
        cmocka_unit_test(test_notes),           cmocka_unit_test(test_without_a_trace),
        cmocka_unit_test(test_too_many_limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
