/* Events read back: what rc_event_encode writes, and what means harm. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/str.h"
#include "core/told.h"

static char memory[RC_TOLD_ROOM_MAX];

static bool read_event(const rc_event *event, rc_told *ret_told)
{
    static char line[65536];
    rc_buf buf;
    rc_buf room;
    rc_buf_init_fixed(&buf, line, sizeof line);
    rc_buf_init_fixed(&room, memory, sizeof memory);
    assert_int_equal(rc_event_encode(event, &buf), RC_OK);
    return rc_told_read(rc_str_trim(rc_buf_get(&buf)), &room, ret_told);
}

static bool read_text(const char *json, rc_told *ret_told)
{
    rc_buf room;
    rc_buf_init_fixed(&room, memory, sizeof memory);
    return rc_told_read(rc_str_c(json), &room, ret_told);
}

static void test_there_and_back(void **state)
{
    rc_told told;
    (void)state;
    const rc_event start = {.type = RC_EVENT_TYPE_AUTO_RETRY_START,
                            .as.auto_retry_start = {.attempt = 2,
                                                    .max_attempts = 6,
                                                    .delay_ms = 4000,
                                                    .error_message = RC_STR("too \"fast\"\n€"),
                                                    .report_id = RC_STR("rep_1")}};
    assert_true(read_event(&start, &told));
    assert_int_equal(told.type, RC_EVENT_TYPE_AUTO_RETRY_START);
    assert_int_equal(told.attempt, 2);
    assert_int_equal(told.max_attempts, 6);
    assert_int_equal(told.delay_ms, 4000);
    assert_true(rc_str_eq(told.error_message, RC_STR("too \"fast\"\n€")));

    const rc_event applied = {
        .type = RC_EVENT_TYPE_RETRY_FALLBACK_APPLIED,
        .as.retry_fallback_applied = {.from = RC_STR("a/x"), .to = RC_STR("b/y")}};
    assert_true(read_event(&applied, &told));
    assert_true(rc_str_eq(told.from, RC_STR("a/x")) && rc_str_eq(told.to, RC_STR("b/y")));
    assert_int_equal(told.attempt, 0);

    const rc_event cost = {.type = RC_EVENT_TYPE_COST_UPDATED,
                           .as.cost_updated = {.attempt = 3,
                                               .model = RC_STR("a/x"),
                                               .input_tokens = 10,
                                               .output_tokens = 20,
                                               .cost_micro_usd = 1234567,
                                               .total_micro_usd = 42}};
    assert_true(read_event(&cost, &told));
    assert_int_equal(told.cost_micro_usd, 1234567);
    assert_int_equal(told.total_micro_usd, 42);
    assert_int_equal(told.output_tokens, 20);

    const rc_event paused = {.type = RC_EVENT_TYPE_BUDGET_PAUSED,
                             .as.budget_paused = {.scope = RC_STR("client app"),
                                                  .spent_micro_usd = 999999,
                                                  .limit_micro_usd = 1000000}};
    assert_true(read_event(&paused, &told));
    assert_true(rc_str_eq(told.scope, RC_STR("client app")));
    assert_int_equal(told.spent_micro_usd, 999999);
    assert_int_equal(told.limit_micro_usd, 1000000);

    const rc_event near = {.type = RC_EVENT_TYPE_QUOTA_WARNING,
                           .as.quota_warning = {.model = RC_STR("a/x"),
                                                .kind = RC_STR("input-tokens"),
                                                .remaining = 20,
                                                .limit = 1000,
                                                .reset_ms = 60000}};
    assert_true(read_event(&near, &told));
    assert_true(rc_str_eq(told.model, RC_STR("a/x")));
    assert_true(rc_str_eq(told.kind, RC_STR("input-tokens")));
    assert_int_equal(told.remaining, 20);
    assert_int_equal(told.limit, 1000);
    assert_int_equal(told.reset_ms, 60000);

    const rc_event end = {.type = RC_EVENT_TYPE_AUTO_RETRY_END,
                          .as.auto_retry_end = {.success = true, .attempt = 2}};
    assert_true(read_event(&end, &told));
    assert_true(told.is_success);
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
    rc_told told;
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++)
        assert_false(read_text(lines[i], &told));
}

/* Members of another type, or out of range, are as good as none. */
static void test_strange_members(void **state)
{
    static const char *const moneys[] = {"-1",    "1e3",  "0.1234567", "1234567890123",
                                         "\"1\"", "1.2.3"};
    rc_told told;
    char line[256];
    (void)state;
    assert_true(read_text("{\"type\":\"auto_retry_start\",\"attempt\":-1,\"max_attempts\":\"6\","
                          "\"delay_ms\":99999999999999999999,\"error_message\":7,\"success\":1}",
                          &told));
    assert_int_equal(told.attempt, 0);
    assert_int_equal(told.max_attempts, 0);
    assert_int_equal(told.delay_ms, 0);
    assert_int_equal(told.error_message.len, 0);
    assert_false(told.is_success);
    for (size_t i = 0; i < sizeof moneys / sizeof moneys[0]; i++) {
        (void)snprintf(line, sizeof line, "{\"type\":\"cost:updated\",\"cost_usd\":%s}", moneys[i]);
        if (read_text(line, &told))
            assert_int_equal(told.cost_micro_usd, 0);
    }
    assert_true(read_text("{\"type\":\"cost:updated\",\"cost_usd\":3,\"total_usd\":0.5}", &told));
    assert_int_equal(told.cost_micro_usd, 3000000);
    assert_int_equal(told.total_micro_usd, 500000);
}

static void test_no_room(void **state)
{
    char small[16];
    rc_buf room;
    rc_told told;
    (void)state;
    rc_buf_init_fixed(&room, small, sizeof small);
    assert_false(rc_told_read(RC_STR("{\"type\":\"auto_retry_end\"}"), &room, &told));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_strange_members),
        cmocka_unit_test(test_no_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
