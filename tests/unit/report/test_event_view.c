/* Tests of reading events: events that rc_event_encode wrote, and hostile ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/str.h"
#include "report/event_view.h"

static char memory[RC_EVENT_VIEW_SCRATCH_MAX];

static bool read_event(const rc_event *event, rc_event_view *ret_view)
{
    static char line[65536];
    rc_buf buf;
    rc_buf scratch;
    rc_buf_init_fixed(&buf, line, sizeof line);
    rc_buf_init_fixed(&scratch, memory, sizeof memory);
    assert_int_equal(rc_event_encode(event, &buf), RC_OK);
    return rc_event_view_read(rc_str_trim(rc_buf_get(&buf)), &scratch, ret_view);
}

static bool read_text(const char *json, rc_event_view *ret_view)
{
    rc_buf scratch;
    rc_buf_init_fixed(&scratch, memory, sizeof memory);
    return rc_event_view_read(rc_str_c(json), &scratch, ret_view);
}

static void test_encode_and_read(void **state)
{
    rc_event_view view;
    (void)state;
    const rc_event start = {.type = RC_EVENT_TYPE_AUTO_RETRY_START,
                            .as.auto_retry_start = {.attempt = 2,
                                                    .max_attempts = 6,
                                                    .delay_ms = 4000,
                                                    .error_message = RC_STR("too \"fast\"\n€"),
                                                    .report_id = RC_STR("rep_1")}};
    assert_true(read_event(&start, &view));
    assert_int_equal(view.type, RC_EVENT_TYPE_AUTO_RETRY_START);
    assert_int_equal(view.attempt, 2);
    assert_int_equal(view.max_attempts, 6);
    assert_int_equal(view.delay_ms, 4000);
    assert_true(rc_str_eq(view.error_message, RC_STR("too \"fast\"\n€")));

    const rc_event applied = {
        .type = RC_EVENT_TYPE_RETRY_FALLBACK_APPLIED,
        .as.retry_fallback_applied = {.from = RC_STR("a/x"), .to = RC_STR("b/y")}};
    assert_true(read_event(&applied, &view));
    assert_true(rc_str_eq(view.from, RC_STR("a/x")) && rc_str_eq(view.to, RC_STR("b/y")));
    assert_int_equal(view.attempt, 0);

    const rc_event cost = {.type = RC_EVENT_TYPE_COST_UPDATED,
                           .as.cost_updated = {.attempt = 3,
                                               .model = RC_STR("a/x"),
                                               .input_tokens = 10,
                                               .output_tokens = 20,
                                               .cost_micro_usd = 1234567,
                                               .total_micro_usd = 42}};
    assert_true(read_event(&cost, &view));
    assert_int_equal(view.cost_micro_usd, 1234567);
    assert_int_equal(view.total_micro_usd, 42);
    assert_int_equal(view.output_tokens, 20);

    const rc_event paused = {.type = RC_EVENT_TYPE_BUDGET_PAUSED,
                             .as.budget_paused = {.scope = RC_STR("client app"),
                                                  .spent_micro_usd = 999999,
                                                  .limit_micro_usd = 1000000}};
    assert_true(read_event(&paused, &view));
    assert_true(rc_str_eq(view.scope, RC_STR("client app")));
    assert_int_equal(view.spent_micro_usd, 999999);
    assert_int_equal(view.limit_micro_usd, 1000000);

    const rc_event near = {.type = RC_EVENT_TYPE_QUOTA_WARNING,
                           .as.quota_warning = {.model = RC_STR("a/x"),
                                                .kind = RC_STR("input-tokens"),
                                                .remaining = 20,
                                                .limit = 1000,
                                                .reset_ms = 60000}};
    assert_true(read_event(&near, &view));
    assert_true(rc_str_eq(view.model, RC_STR("a/x")));
    assert_true(rc_str_eq(view.kind, RC_STR("input-tokens")));
    assert_int_equal(view.remaining, 20);
    assert_int_equal(view.limit, 1000);
    assert_int_equal(view.reset_ms, 60000);

    const rc_event end = {.type = RC_EVENT_TYPE_AUTO_RETRY_END,
                          .as.auto_retry_end = {.success = true, .attempt = 2}};
    assert_true(read_event(&end, &view));
    assert_true(view.is_success);
}

static void test_refused(void **state)
{
    static const char *const lines[] = {
        "",
        "{}",
        "[]",
        "nonsense",
        "{\"type\":1}",
        "{\"type\":\"\"}",
        "{\"type\":\"no:such\"}",
        "{\"type\":\"auto_retry_end\"",
    };
    rc_event_view view;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        assert_false(read_text(lines[i], &view));
}

/* Members of another type or out of range are ignored. */
static void test_invalid_members_are_ignored(void **state)
{
    static const char *const moneys[] = {"-1",    "1e3",  "0.1234567", "1234567890123",
                                         "\"1\"", "1.2.3"};
    rc_event_view view;
    char line[256];
    (void)state;
    assert_true(read_text("{\"type\":\"auto_retry_start\",\"attempt\":-1,\"max_attempts\":\"6\","
                          "\"delay_ms\":99999999999999999999,\"error_message\":7,\"success\":1}",
                          &view));
    assert_int_equal(view.attempt, 0);
    assert_int_equal(view.max_attempts, 0);
    assert_int_equal(view.delay_ms, 0);
    assert_int_equal(view.error_message.len, 0);
    assert_false(view.is_success);
    for (size_t i = 0; i < sizeof moneys / sizeof moneys[0]; i++) {
        (void)snprintf(line, sizeof line, "{\"type\":\"cost:updated\",\"cost_usd\":%s}", moneys[i]);
        if (read_text(line, &view))
            assert_int_equal(view.cost_micro_usd, 0);
    }
    assert_true(read_text("{\"type\":\"cost:updated\",\"cost_usd\":3,\"total_usd\":0.5}", &view));
    assert_int_equal(view.cost_micro_usd, 3000000);
    assert_int_equal(view.total_micro_usd, 500000);
}

static void test_scratch_too_small(void **state)
{
    char small[16];
    rc_buf scratch;
    rc_event_view view;
    (void)state;
    rc_buf_init_fixed(&scratch, small, sizeof small);
    assert_false(rc_event_view_read(RC_STR("{\"type\":\"auto_retry_end\"}"), &scratch, &view));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_encode_and_read),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_invalid_members_are_ignored),
        cmocka_unit_test(test_scratch_too_small),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
