/* Tests of quotas: the headers of each provider, invalid numbers, and an alarm that warns once per
 * window. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "classify/hints/parts.h"
#include "policy/quota.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define NOW INT64_C(1794830400000) /* 2026-11-16T12:00:00Z */

typedef struct header {
    const char *name;
    const char *value;
} header;

static rc_quotas read_headers(const header *headers, size_t count)
{
    rc_quotas quotas;
    rc_quotas_init(&quotas, NOW);
    for (size_t i = 0; i < count; i++)
        rc_quotas_add_header(&quotas, rc_str_c(headers[i].name), rc_str_c(headers[i].value));
    return quotas;
}

static const rc_quota *find(const rc_quotas *quotas, const char *name)
{
    for (uint32_t i = 0; i < quotas->count; i++)
        if (rc_str_eq(quotas->list[i].name, rc_str_c(name)))
            return &quotas->list[i];
    fail_msg("no limit %s", name);
    return NULL;
}

static void expect(const rc_quotas *quotas, const char *name, rc_quota_kind kind, int64_t remaining,
                   int64_t limit, int64_t reset_ms)
{
    const rc_quota *quota = find(quotas, name);
    assert_int_equal(quota->kind, kind);
    assert_int_equal(quota->remaining, remaining);
    assert_int_equal(quota->limit, limit);
    assert_int_equal(quota->reset_ms, reset_ms);
}

static void test_openai(void **state)
{
    (void)state;
    static const header headers[] = {
        {"content-type", "application/json"},     {"x-ratelimit-limit-requests", "10000"},
        {"x-ratelimit-limit-tokens", "30000"},    {"x-ratelimit-remaining-requests", "9999"},
        {"x-ratelimit-remaining-tokens", "1200"}, {"x-ratelimit-reset-requests", "6ms"},
        {"X-RateLimit-Reset-Tokens", "57.6s"},    {"x-request-id", "req_1"},
    };
    rc_quotas quotas = read_headers(headers, COUNT(headers));
    assert_int_equal(quotas.count, 2);
    expect(&quotas, "requests", RC_QUOTA_REQUESTS, 9999, 10000, 6);
    expect(&quotas, "tokens", RC_QUOTA_TOKENS, 1200, 30000, 57600);
    assert_true(rc_quota_is_low(find(&quotas, "tokens"), 10));
    assert_false(rc_quota_is_low(find(&quotas, "tokens"), 4));
    assert_false(rc_quota_is_low(find(&quotas, "requests"), 10));
}

static void test_anthropic(void **state)
{
    (void)state;
    static const header headers[] = {
        {"anthropic-ratelimit-requests-limit", "50"},
        {"anthropic-ratelimit-requests-remaining", "49"},
        {"anthropic-ratelimit-requests-reset", "2026-11-16T12:00:01Z"},
        {"anthropic-ratelimit-input-tokens-limit", "40000"},
        {"anthropic-ratelimit-input-tokens-remaining", "3999"},
        {"anthropic-ratelimit-input-tokens-reset", "2026-11-16T12:01:00Z"},
        {"anthropic-ratelimit-output-tokens-limit", "8000"},
        {"anthropic-ratelimit-output-tokens-remaining", "0"},
        {"anthropic-ratelimit-tokens-limit", "48000"},
        {"anthropic-ratelimit-tokens-remaining", "48000"},
        {"anthropic-ratelimit-unified-5h-utilization", "0.934"},
        {"anthropic-ratelimit-unified-5h-status", "allowed_warning"},
        {"request-id", "req_1"},
    };
    rc_quotas quotas = read_headers(headers, COUNT(headers));
    expect(&quotas, "requests", RC_QUOTA_REQUESTS, 49, 50, 1000);
    expect(&quotas, "input-tokens", RC_QUOTA_INPUT_TOKENS, 3999, 40000, 60000);
    expect(&quotas, "output-tokens", RC_QUOTA_OUTPUT_TOKENS, 0, 8000, -1);
    expect(&quotas, "tokens", RC_QUOTA_TOKENS, 48000, 48000, -1);
    expect(&quotas, "unified-5h", RC_QUOTA_OTHER, 7, 100, -1);
    assert_true(rc_quota_is_low(find(&quotas, "input-tokens"), 10));
    assert_true(rc_quota_is_low(find(&quotas, "output-tokens"), 10));
    assert_true(rc_quota_is_low(find(&quotas, "unified-5h"), 10));
}

static void test_other_providers(void **state)
{
    (void)state;
    static const header headers[] = {
        {"x-codex-primary-used-percent", "95"},
        {"x-codex-primary-reset-after-seconds", "3600"},
        {"x-codex-secondary-used-percent", "120"},
        {"x-ratelimit-limit", "20"},
        {"x-ratelimit-remaining", "19"},
        {"ratelimitbysize-limit", "500000"},
        {"ratelimitbysize-remaining", "499000"},
        {"x-ratelimit-limit-tokens-minute", "60000"},
        {"x-ratelimit-remaining-tokens-minute", "59000.5"},
    };
    rc_quotas quotas = read_headers(headers, COUNT(headers));
    expect(&quotas, "primary", RC_QUOTA_OTHER, 5, 100, 3600000);
    expect(&quotas, "secondary", RC_QUOTA_OTHER, 0, 100, -1);
    expect(&quotas, "tokens-minute", RC_QUOTA_TOKENS, 59000, 60000, -1);
    /* Two of the limits have no name and belong to different header groups. */
    assert_int_equal(quotas.count, 5);
}

static void test_invalid_values_are_ignored(void **state)
{
    (void)state;
    static const header headers[] = {
        {"x-ratelimit-remaining-requests", "-1"},
        {"x-ratelimit-remaining-requests", "many"},
        {"x-ratelimit-remaining-requests", ""},
        {"x-ratelimit-remaining-requests", "12a"},
        {"x-ratelimit-remaining-requests", "1.2.3"},
        {"x-ratelimit-remaining-requests", "99999999999999999999"},
        {"x-ratelimit-limit-requests", "0"},
        {"x-ratelimit-limit-requests", "-5"},
        {"x-ratelimit-reset-requests", "soon"},
        {"anthropic-ratelimit-unified-utilization", "7.5"},
        {"anthropic-ratelimit-unified-utilization", "x"},
        {"anthropic-ratelimit-unified-status", "rejected"},
        {"x-rate", "1"},
        {"rate", "1"},
        {"", "1"},
    };
    rc_quotas quotas = read_headers(headers, COUNT(headers));
    assert_int_equal(quotas.count, 0);

    /* One number without the other is not sufficient. */
    static const header half[] = {{"x-ratelimit-remaining-requests", "0"},
                                  {"x-ratelimit-limit-tokens", "100"}};
    quotas = read_headers(half, COUNT(half));
    assert_int_equal(quotas.count, 2);
    assert_false(rc_quota_is_low(find(&quotas, "requests"), 10));
    assert_false(rc_quota_is_low(find(&quotas, "tokens"), 10));
}

static void test_more_limits_than_fit(void **state)
{
    (void)state;
    rc_quotas quotas;
    static char names[20][48];
    rc_quotas_init(&quotas, NOW);
    for (int i = 0; i < 20; i++) {
        snprintf(names[i], sizeof names[i], "x-ratelimit-remaining-l%d", i);
        rc_quotas_add_header(&quotas, rc_str_c(names[i]), RC_STR("1"));
    }
    assert_int_equal(quotas.count, RC_QUOTAS_MAX);
}

static rc_quotas tokens_left(int64_t now, const char *remaining, const char *reset)
{
    rc_quotas quotas;
    rc_quotas_init(&quotas, now);
    rc_quotas_add_header(&quotas, RC_STR("x-ratelimit-limit-tokens"), RC_STR("1000"));
    rc_quotas_add_header(&quotas, RC_STR("x-ratelimit-remaining-tokens"), rc_str_c(remaining));
    rc_quotas_add_header(&quotas, RC_STR("x-ratelimit-reset-tokens"), rc_str_c(reset));
    rc_quotas_add_header(&quotas, RC_STR("x-ratelimit-limit-requests"), RC_STR("100"));
    rc_quotas_add_header(&quotas, RC_STR("x-ratelimit-remaining-requests"), RC_STR("9"));
    return quotas;
}

/* Limits with provider-specific names are distinguished by name, up to the number of slots. A name
 * that contains a secret is removed. */
static void test_alarm_distinguishes_names(void **state)
{
    (void)state;
    static const header headers[] = {
        {"x-ratelimit-limit-5h", "100"},  {"x-ratelimit-remaining-5h", "1"},
        {"x-ratelimit-limit-7d", "100"},  {"x-ratelimit-remaining-7d", "2"},
        {"x-ratelimit-limit-one", "100"}, {"x-ratelimit-remaining-one", "3"},
        {"x-ratelimit-limit-two", "100"}, {"x-ratelimit-remaining-two", "4"},
        {"x-ratelimit-limit-six", "100"}, {"x-ratelimit-remaining-six", "5"},
    };
    rc_quota_alarm alarm = {.others = {{0}}};
    rc_quotas quotas = read_headers(headers, COUNT(headers));
    static const char *const names[] = {"5h", "7d", "one", "two"};
    for (size_t i = 0; i < COUNT(names); i++)
        assert_ptr_equal(rc_quota_alarm_next(&alarm, &quotas), find(&quotas, names[i]));
    assert_null(rc_quota_alarm_next(&alarm, &quotas)); /* the sixth name has no slot */
    quotas.now_unix_ms += 60000;
    assert_ptr_equal(rc_quota_alarm_next(&alarm, &quotas), find(&quotas, "5h"));

    static const header secret[] = {
        {"x-ratelimit-limit-sk-proj-abcdefghijklmnop1234567890", "100"},
        {"x-ratelimit-remaining-sk-proj-abcdefghijklmnop1234567890", "1"},
    };
    quotas = read_headers(secret, COUNT(secret));
    assert_int_equal(quotas.count, 1);
    rc_quotas_scrub(&quotas);
    expect(&quotas, "", RC_QUOTA_OTHER, 1, 100, -1);
}

static void test_alarm(void **state)
{
    (void)state;
    rc_quota_alarm alarm = {.others = {{0}}};
    rc_quotas quotas = tokens_left(NOW, "50", "2m");
    const rc_quota *quota = rc_quota_alarm_next(&alarm, &quotas);
    assert_ptr_equal(quota, find(&quotas, "tokens")); /* the limit with the smallest remaining share
                                                         is returned first */
    quota = rc_quota_alarm_next(&alarm, &quotas);
    assert_ptr_equal(quota, find(&quotas, "requests"));
    assert_null(rc_quota_alarm_next(&alarm, &quotas));
    /* Requests warn again after a minute; tokens warn again when they were renewed and are low
     * again. */
    quotas = tokens_left(NOW + 60000, "40", "1m");
    assert_ptr_equal(rc_quota_alarm_next(&alarm, &quotas), find(&quotas, "requests"));
    assert_null(rc_quota_alarm_next(&alarm, &quotas));
    quotas = tokens_left(NOW + 119999, "10", "1ms");
    assert_null(rc_quota_alarm_next(&alarm, &quotas));
    quotas = tokens_left(NOW + 120000, "900", "2m");
    assert_ptr_equal(rc_quota_alarm_next(&alarm, &quotas), find(&quotas, "requests"));
    quotas = tokens_left(NOW + 121000, "90", "2m");
    assert_ptr_equal(rc_quota_alarm_next(&alarm, &quotas), find(&quotas, "tokens"));
    /* If the clock was set back by a year, the next warning is not delayed by a year. */
    quotas = tokens_left(NOW - INT64_C(365) * 86400000, "90", "2m");
    assert_ptr_equal(rc_quota_alarm_next(&alarm, &quotas), find(&quotas, "tokens"));

    rc_event event = {.seq = 1, .correlation_id = RC_STR("op")};
    char memory[512];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_quota_event(find(&quotas, "tokens"), RC_STR("openai/gpt-4o"), RC_STR("openai:1"), &event);
    assert_int_equal(rc_event_encode(&event, &buf), RC_OK);
    rc_buf_push_byte(&buf, '\0');
    assert_non_null(strstr(memory, "\"type\":\"quota:warning\""));
    assert_non_null(strstr(memory, "\"model\":\"openai/gpt-4o\",\"credential\":\"openai:1\","
                                   "\"kind\":\"tokens\",\"remaining\":90,"
                                   "\"limit\":1000,\"reset_ms\":120000"));
    rc_quota bare = {.remaining = 0, .limit = 10, .reset_ms = -1};
    rc_quota_event(&bare, RC_STR("m"), RC_STR(""), &event);
    assert_true(rc_str_eq(event.as.quota_warning.kind, RC_STR("limit")));
    assert_int_equal(event.as.quota_warning.reset_ms, 0);
}

/* A quota that is read from an event equals the quota from which the event was built. */
static void test_quota_from_event(void **state)
{
    (void)state;
    char memory[512];
    rc_buf buf;
    rc_event_view told = {
        .kind = RC_STR("input-tokens"), .remaining = 1, .limit = 1000, .reset_ms = 60000};
    rc_quota quota = rc_quota_from_event_view(&told);
    assert_int_equal(quota.kind, RC_QUOTA_INPUT_TOKENS);
    assert_true(rc_quota_is_sound(&quota));
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_quota_push_state(&quota, &buf);
    assert_true(
        rc_str_eq(rc_buf_get(&buf),
                  RC_STR("is near its limit of input tokens: 1 of 1000 is left, renews in 1m")));
    told = (rc_event_view){.kind = RC_STR("limit"), .remaining = 0, .limit = 10};
    quota = rc_quota_from_event_view(&told);
    assert_int_equal(quota.kind, RC_QUOTA_OTHER);
    assert_int_equal(quota.reset_ms, -1);
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    rc_quota_push_text(&quota, RC_STR("m"), RC_STR(""), &buf);
    assert_true(rc_str_eq(rc_buf_get(&buf), RC_STR("m has used up its limit: 0 of 10 are left")));
    told = (rc_event_view){.remaining = 11, .limit = 10};
    quota = rc_quota_from_event_view(&told);
    assert_false(rc_quota_is_sound(&quota));
}

/* Implausible numbers never make a limit low. */
static void test_implausible_numbers_are_not_low(void **state)
{
    (void)state;
    static const header more_than_all[] = {{"x-ratelimit-remaining-requests", "1001"},
                                           {"x-ratelimit-limit-requests", "1000"}};
    rc_quotas quotas = read_headers(more_than_all, COUNT(more_than_all));
    assert_false(rc_quota_is_sound(find(&quotas, "requests")));
    assert_false(rc_quota_is_low(find(&quotas, "requests"), 200));
    char digits[40];
    for (int len = 17; len < 39; len++) {
        memset(digits, '9', (size_t)len);
        digits[len] = '\0';
        rc_quotas_init(&quotas, NOW);
        rc_quotas_add_header(&quotas, RC_STR("x-ratelimit-limit-requests"), rc_str_c(digits));
        assert_int_equal(quotas.count, 0);
        rc_quotas_add_header(&quotas, RC_STR("x-ratelimit-remaining-requests"), rc_str_c(digits));
        assert_int_equal(quotas.count, 0);
    }
    /* However far away the renewal is, the warning is repeated after a day. */
    const rc_quota far = {.remaining = 0, .limit = 10, .reset_ms = INT64_C(99999999999)};
    assert_int_equal(rc_quota_window_ms(&far), RC_QUOTA_WINDOW_MAX_MS);
    const rc_quota unknown = {.remaining = 0, .limit = 10, .reset_ms = -1};
    assert_int_equal(rc_quota_window_ms(&unknown), RC_QUOTA_WINDOW_MIN_MS);
}

/* Every limit header passes the quick check; the usual response headers do not. */
static void test_is_candidate(void **state)
{
    (void)state;
    static const char *const others[] = {"content-type",
                                         "content-length",
                                         "transfer-encoding",
                                         "strict-transport-security",
                                         "access-control-expose-headers",
                                         "x-frame-options-x",
                                         "openai-processing-ms",
                                         "x-request-id",
                                         "ratelimit",
                                         ""};
    static const char *const limits[] = {"ratelimit-reset",
                                         "RateLimit-Limit",
                                         "X-RateLimit-Remaining-Requests",
                                         "x-rate-limit-limit",
                                         "Anthropic-RateLimit-Tokens-Limit",
                                         "x-codex-primary-used-percent"};
    for (size_t i = 0; i < COUNT(others); i++)
        assert_false(rc_quotas_is_candidate(rc_str_c(others[i])));
    for (size_t i = 0; i < COUNT(limits); i++) {
        rc_quotas quotas;
        rc_quotas_init(&quotas, NOW);
        assert_true(rc_quotas_is_candidate(rc_str_c(limits[i])));
        rc_quotas_add_header(&quotas, rc_str_c(limits[i]), RC_STR("50"));
        assert_int_equal(quotas.count, 1);
    }
}

/* Every row of the table is found by the names in it. */
static void test_every_row(void **state)
{
    (void)state;
    static const struct row {
        const char *name;
        bool is_read;
        bool is_time;
    } rows[] = {
#define RC_HINT_RESET(name, GROUP, FORM, text) \
    {name, RC_HINT_FORM_##FORM != RC_HINT_FORM_POLICY, RC_HINT_FORM_##FORM == RC_HINT_FORM_TIME},
#define RC_HINT_LEFT(name, GROUP, LEFT, text) \
    {name, RC_HINT_LEFT_##LEFT != RC_HINT_LEFT_STATUS, false},
#define RC_HINT_LIMIT(name, GROUP, text) {name, true, false},
#include "spec/hints.def"
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        char name[96];
        rc_quotas quotas;
        const char *star = strchr(rows[i].name, '*');
        const int head = star != NULL ? (int)(star - rows[i].name) : (int)strlen(rows[i].name);
        snprintf(name, sizeof name, "%.*s%s%s", head, rows[i].name,
                 star != NULL && star[1] == '\0' ? "-x" : (star != NULL ? "x" : ""),
                 star != NULL ? star + 1 : "");
        rc_quotas_init(&quotas, NOW);
        rc_quotas_add_header(&quotas, rc_str_c(name),
                             rows[i].is_time ? RC_STR("2026-11-16T12:00:05Z") : RC_STR("1"));
        if (quotas.count != (rows[i].is_read ? 1 : 0))
            fail_msg("%s as %s: %u", rows[i].name, name, quotas.count);
    }
}

static void expect_text(rc_quota quota, const char *credential, const char *text)
{
    char memory[256];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory - 1);
    rc_quota_push_text(&quota, RC_STR("up/m"), rc_str_c(credential), &buf);
    memory[rc_buf_get(&buf).len] = '\0';
    assert_string_equal(memory, text);
}

static void test_texts(void **state)
{
    (void)state;
    rc_quota quota = {.kind = RC_QUOTA_INPUT_TOKENS,
                      .name = RC_STR("input-tokens"),
                      .remaining = 20,
                      .limit = 1000,
                      .reset_ms = 30000};
    expect_text(quota, "up:1",
                "up/m with key up:1 is near its limit of input tokens: 20 of 1000 are left, "
                "renews in 30s");
    quota.remaining = 1;
    quota.reset_ms = -1;
    expect_text(quota, "", "up/m is near its limit of input tokens: 1 of 1000 is left");
    quota = (rc_quota){.name = RC_STR("unified-5h"), .remaining = 0, .limit = 100, .reset_ms = -1};
    expect_text(quota, "", "up/m has used up its limit unified-5h: 0 of 100 are left");
    quota.name = RC_STR("");
    expect_text(quota, "", "up/m has used up its limit: 0 of 100 are left");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_openai),
        cmocka_unit_test(test_anthropic),
        cmocka_unit_test(test_other_providers),
        cmocka_unit_test(test_invalid_values_are_ignored),
        cmocka_unit_test(test_more_limits_than_fit),
        cmocka_unit_test(test_alarm),
        cmocka_unit_test(test_quota_from_event),
        cmocka_unit_test(test_alarm_distinguishes_names),
        cmocka_unit_test(test_implausible_numbers_are_not_low),
        cmocka_unit_test(test_is_candidate),
        cmocka_unit_test(test_texts),
        cmocka_unit_test(test_every_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
