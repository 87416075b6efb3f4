/* Budgets of money: what is granted, held, spent and told; many tries at once that never overrun a
 * limit together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/spend_world.h"

static void test_reserve_and_settle(void **state)
{
    (void)state;
    rc_spend_hold hold;
    start();
    define(0, 1000, RC_SPEND_MONTH, RC_SPEND_FAIL);
    assert_int_equal(reserve(0, 400, &hold).verdict, RC_SPEND_GRANTED);
    assert_int_equal(look_at(0, NOON).held, 400);
    settle(&hold, 250); /* less than was foreseen */
    assert_int_equal(look_at(0, NOON).held, 0);
    assert_int_equal(look_at(0, NOON).spent, 250);
    settle(&hold, 250); /* it holds nothing now */
    assert_int_equal(look_at(0, NOON).held, 0);
    assert_int_equal(look_at(0, NOON).spent, 250);

    assert_int_equal(reserve(0, 700, &hold).verdict, RC_SPEND_GRANTED);
    rc_spend_release(&spend, &hold);
    assert_int_equal(look_at(0, NOON).held, 0);
    assert_int_equal(look_at(0, NOON).spent, 250);

    /* to the last millionth, and not one more */
    assert_int_equal(reserve(0, 750, &hold).verdict, RC_SPEND_GRANTED);
    settle(&hold, 750);
    assert_int_equal(reserve(0, 0, &hold).verdict, RC_SPEND_GRANTED);
    rc_spend_release(&spend, &hold);
    rc_spend_answer answer = reserve(0, 1, &hold);
    assert_int_equal(answer.verdict, RC_SPEND_REFUSED);
    assert_int_equal(answer.reason, RC_WHY_BUDGET_SPENT);
    assert_int_equal(answer.row, 0);
    assert_int_equal(answer.asked, 1);
    assert_int_equal(answer.spent, 1000);
    assert_int_equal(answer.held, 0);
    assert_int_equal(answer.limit, 1000);
    assert_int_equal(answer.renews_unix_ms, at("2026-12-01T00:00:00Z"));
    assert_int_equal(hold.count, 0);
}

/* A budget that refuses what there is no room for says so, before all of it is spent. */
static void test_refusing(void **state)
{
    (void)state;
    rc_spend_hold hold;
    start();
    define(0, 1000, RC_SPEND_MONTH, RC_SPEND_FAIL);
    assert_int_equal(reserve(0, 900, &hold).verdict, RC_SPEND_GRANTED);
    settle(&hold, 900);
    assert_false(look_at(0, NOON).is_refusing);
    assert_int_equal(reserve(0, 200, &hold).verdict, RC_SPEND_REFUSED);
    assert_true(look_at(0, NOON).is_refusing);
    assert_int_equal(reserve(0, 50, &hold).verdict, RC_SPEND_GRANTED);
    rc_spend_release(&spend, &hold);
    assert_false(look_at(0, NOON).is_refusing);
    assert_int_equal(reserve(0, 200, &hold).verdict, RC_SPEND_REFUSED);
    rc_spend_raise(&spend, 0, 500, at(NOON));
    assert_false(look_at(0, NOON).is_refusing);
    assert_int_equal(reserve(0, 2000, &hold).verdict, RC_SPEND_REFUSED);
    assert_true(look_at(0, NOON).is_refusing);
    assert_false(look_at(0, "2026-12-01T00:00:01Z").is_refusing);
}

/* A try that costs more than was foreseen overruns by that, and stops the next one. */
static void test_overrun(void **state)
{
    (void)state;
    rc_spend_hold hold;
    start();
    define(0, 1000, RC_SPEND_MONTH, RC_SPEND_FAIL);
    assert_int_equal(reserve(0, 900, &hold).verdict, RC_SPEND_GRANTED);
    settle(&hold, 1500);
    assert_int_equal(look_at(0, NOON).spent, 1500);
    assert_int_equal(reserve(0, 1, &hold).verdict, RC_SPEND_REFUSED);
}

static void test_reasons(void **state)
{
    (void)state;
    rc_spend_hold first;
    rc_spend_hold hold;
    start();
    define(0, 1000, RC_SPEND_DAY, RC_SPEND_FAIL);
    reserve(0, 800, &first);
    rc_spend_answer answer = reserve(0, 300, &hold);
    assert_int_equal(answer.reason, RC_WHY_BUDGET_HELD);
    assert_int_equal(answer.held, 800);
    assert_int_equal(answer.renews_unix_ms, at("2026-11-17T00:00:00Z"));
    settle(&first, 800);
    assert_int_equal(reserve(0, 300, &hold).reason, RC_WHY_BUDGET_SPENT);
    assert_int_equal(reserve(0, 1001, &hold).reason, RC_WHY_BUDGET_TOO_SMALL);
    assert_int_equal(reserve(0, 200, &hold).reason, RC_WHY_NONE);
    rc_spend_release(&spend, &hold);

    /* what does not fit into a whole window is refused, not paused */
    define(1, 1000, RC_SPEND_DAY, RC_SPEND_PAUSE);
    assert_int_equal(reserve(1, 1001, &hold).verdict, RC_SPEND_REFUSED);
    assert_int_equal(told.count, 0);
    assert_int_equal(reserve(1, 1000, &hold).verdict, RC_SPEND_GRANTED);
    assert_int_equal(reserve(1, 1, &first).verdict, RC_SPEND_WAIT);

    /* a limit of nothing is none */
    define(2, 0, RC_SPEND_DAY, RC_SPEND_FAIL);
    spend_it(2, RC_SPEND_MAX);
    spend_it(2, RC_SPEND_MAX);
    assert_int_equal(look_at(2, NOON).spent, RC_SPEND_MAX);
    assert_int_equal(reserve(2, UINT64_MAX, &hold).asked, RC_SPEND_MAX);
}

/* In all budgets or in none; the strictest verdict counts. */
static void test_several(void **state)
{
    (void)state;
    static const uint32_t all[] = {0, 1, 2, 7};
    rc_spend_hold hold;
    start();
    define(0, 1000, RC_SPEND_TOTAL, RC_SPEND_WARN);
    define(1, 500, RC_SPEND_DAY, RC_SPEND_PAUSE);
    define(2, 300, RC_SPEND_MONTH, RC_SPEND_FAIL);
    assert_int_equal(reserve_at(all, 4, 200, NOON, &hold).verdict, RC_SPEND_GRANTED);
    assert_int_equal(hold.count, 3); /* 7 is not in force */
    settle(&hold, 200);
    rc_spend_answer answer = reserve_at(all, 4, 400, NOON, &hold);
    assert_int_equal(answer.verdict, RC_SPEND_REFUSED);
    assert_int_equal(answer.row, 2);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(look_at(i, NOON).held, 0);
        assert_int_equal(look_at(i, NOON).spent, 200);
    }
    /* two that pause: until the later one has renewed, and for ever if one never does */
    define(2, 300, RC_SPEND_MONTH, RC_SPEND_PAUSE);
    answer = reserve_at(all, 4, 300, NOON, &hold);
    assert_int_equal(answer.verdict, RC_SPEND_WAIT);
    assert_int_equal(answer.row, 2);
    define(1, 300, RC_SPEND_DAY, RC_SPEND_PAUSE);
    answer = reserve_at(all, 4, 300, NOON, &hold);
    assert_int_equal(answer.row, 1);
    assert_int_equal(answer.renews_unix_ms, at("2026-12-01T00:00:00Z"));
    define(0, 300, RC_SPEND_TOTAL, RC_SPEND_PAUSE);
    answer = reserve_at(all, 4, 300, NOON, &hold);
    assert_int_equal(answer.row, 0);
    assert_int_equal(answer.renews_unix_ms, 0);
    static const uint32_t backwards[] = {2, 1, 0};
    answer = reserve_at(backwards, 3, 300, NOON, &hold);
    assert_int_equal(answer.row, 2);
    assert_int_equal(answer.renews_unix_ms, 0);

    /* more than a try can belong to: the first ones count */
    uint32_t many[RC_SPEND_ROWS_MAX + 1];
    for (uint32_t i = 0; i < RC_SPEND_ROWS_MAX; i++)
        many[i] = 7;
    many[RC_SPEND_ROWS_MAX] = 0;
    assert_int_equal(reserve_at(many, RC_SPEND_ROWS_MAX + 1, 300, NOON, &hold).verdict,
                     RC_SPEND_GRANTED);
    assert_int_equal(hold.count, 0);
}

/* --- news --- */

static void expect_news(uint32_t count, rc_spend_news_kind kind, uint64_t spent)
{
    assert_int_equal(told.count, count);
    if (count == 0)
        return;
    assert_int_equal(told.list[0].kind, kind);
    assert_int_equal(told.list[0].spent, spent);
}

static void test_news(void **state)
{
    (void)state;
    start();
    define(0, 1000, RC_SPEND_MONTH, RC_SPEND_WARN);
    spend_it(0, 799);
    expect_news(0, 0, 0);
    spend_it(0, 1);
    expect_news(1, RC_SPEND_NEARLY, 800);
    spend_it(0, 100);
    expect_news(0, 0, 0);
    spend_it(0, 100);
    expect_news(1, RC_SPEND_USED_UP, 1000);
    spend_it(0, 5000); /* it only warns */
    expect_news(0, 0, 0);

    /* both at once */
    define(1, 1000, RC_SPEND_MONTH, RC_SPEND_WARN);
    spend_it(1, 1000);
    assert_int_equal(told.count, 2);
    assert_int_equal(told.list[0].kind, RC_SPEND_NEARLY);
    assert_int_equal(told.list[1].kind, RC_SPEND_USED_UP);
    assert_int_equal(told.list[1].row, 1);
    assert_int_equal(told.list[1].limit, 1000);

    /* the first refusal tells, whatever was spent; the first pause too */
    rc_spend_hold hold;
    define(2, 1000, RC_SPEND_MONTH, RC_SPEND_FAIL);
    spend_it(2, 500);
    reserve(2, 501, &hold);
    expect_news(1, RC_SPEND_USED_UP, 500);
    reserve(2, 501, &hold);
    expect_news(0, 0, 0);
    define(3, 1000, RC_SPEND_MONTH, RC_SPEND_PAUSE);
    spend_it(3, 500);
    reserve(3, 501, &hold);
    expect_news(1, RC_SPEND_PAUSED, 500);
    reserve(3, 501, &hold);
    expect_news(0, 0, 0);

    /* the smallest of limits */
    define(4, 1, RC_SPEND_MONTH, RC_SPEND_WARN);
    spend_it(4, 0);
    expect_news(0, 0, 0);
    spend_it(4, 1);
    assert_int_equal(told.count, 2);

    /* nobody has to listen */
    rc_spend_hold quiet;
    uint32_t row = 5;
    define(5, 10, RC_SPEND_MONTH, RC_SPEND_WARN);
    rc_spend_reserve(&spend, &row, 1, 10, at(NOON), &quiet, NULL);
    rc_spend_settle(&spend, &quiet, 10, NULL);
    assert_int_equal(look_at(5, NOON).spent, 10);
}

static void test_events(void **state)
{
    (void)state;
    rc_event event = {.seq = 1, .correlation_id = RC_STR("op")};
    rc_spend_news news = {.kind = RC_SPEND_NEARLY, .spent = 40000000, .limit = 50000000};
    rc_spend_event(&news, RC_STR("client app"), &event);
    assert_int_equal(event.type, RC_EVENT_TYPE_BUDGET_WARNING);
    char memory[512];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    assert_int_equal(rc_event_encode(&event, &buf), RC_OK);
    rc_buf_push_byte(&buf, '\0');
    assert_non_null(strstr(memory, "\"type\":\"budget:warning\""));
    assert_non_null(strstr(memory, "\"scope\":\"client app\",\"spent_usd\":40.000000,"
                                   "\"limit_usd\":50.000000"));
    news.kind = RC_SPEND_PAUSED;
    rc_spend_event(&news, RC_STR("client app"), &event);
    assert_int_equal(event.type, RC_EVENT_TYPE_BUDGET_PAUSED);
    assert_int_equal(event.as.budget_paused.spent_micro_usd, 40000000);
    news.kind = RC_SPEND_USED_UP;
    rc_spend_event(&news, RC_STR("client app"), &event);
    assert_int_equal(event.type, RC_EVENT_TYPE_BUDGET_WARNING);
}

/* --- who waits --- */

static void test_waking(void **state)
{
    (void)state;
    rc_spend_hold first;
    rc_spend_hold second;
    rc_spend_hold paused;
    start();
    define(0, 1000, RC_SPEND_DAY, RC_SPEND_PAUSE);
    reserve(0, 600, &first);
    reserve(0, 400, &second);
    assert_false(settle(&second, 400)); /* nobody waits */
    assert_int_equal(reserve(0, 100, &paused).verdict, RC_SPEND_WAIT);
    assert_true(look_at(0, NOON).is_awaited);
    assert_true(settle(&first, 300)); /* 300 were not needed */
    assert_false(look_at(0, NOON).is_awaited);
    assert_int_equal(reserve(0, 300, &first).verdict, RC_SPEND_GRANTED);
    assert_int_equal(reserve(0, 100, &paused).verdict, RC_SPEND_WAIT);
    assert_false(settle(&first, 300)); /* all was needed: still no room */
    assert_true(look_at(0, NOON).is_awaited);

    /* raised: by somebody, for this window; the news may come again */
    assert_true(rc_spend_raise(&spend, 0, 500, at(NOON)));
    assert_int_equal(look_at(0, NOON).limit, 1500);
    assert_int_equal(look_at(0, NOON).raised, 500);
    assert_int_equal(reserve(0, 500, &first).verdict, RC_SPEND_GRANTED);
    assert_true(reserve(0, 1, &paused).verdict == RC_SPEND_WAIT && told.count == 1);
    rc_spend_release(&spend, &first);
    assert_int_equal(look_at(0, "2026-11-17T00:00:00Z").limit, 1000);
    assert_int_equal(look_at(0, "2026-11-17T00:00:00Z").raised, 0);

    /* a higher limit, or none any more */
    define(1, 100, RC_SPEND_DAY, RC_SPEND_PAUSE);
    spend_it(1, 100);
    reserve(1, 1, &paused);
    rc_spend_rule rule = {.limit = 200, .per = RC_SPEND_DAY, .on_exceed = RC_SPEND_PAUSE};
    assert_true(rc_spend_define(&spend, 1, &rule, at(NOON)));
    assert_int_equal(look_at(1, NOON).spent, 100);
    reserve(1, 101, &paused);
    assert_true(rc_spend_define(&spend, 1, NULL, at(NOON)));
    assert_int_equal(reserve(1, 101, &paused).verdict, RC_SPEND_GRANTED);
    assert_int_equal(paused.count, 0);
    rc_spend_state unused;
    assert_false(rc_spend_look(&spend, 1, at(NOON), &unused));
}

/* --- many tries at once --- */

static uint64_t random_state = 88172645463325252u;

static uint64_t random_below(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

#define IN_FLIGHT 64

/* Where no try costs more than was foreseen, no limit is ever overrun; where some do, by no more
 * than that. */
static void test_never_overrun(void **state)
{
    (void)state;
    static rc_spend_hold holds[IN_FLIGHT];
    for (int is_honest = 0; is_honest < 2; is_honest++) {
        uint64_t beyond = 0; /* what tries have cost above what was foreseen */
        uint64_t granted = 0;
        start();
        memset(holds, 0, sizeof holds);
        define(0, 100000, RC_SPEND_TOTAL, RC_SPEND_FAIL);
        define(1, 60000, RC_SPEND_TOTAL, RC_SPEND_PAUSE);
        for (int i = 0; i < 100000; i++) {
            rc_spend_hold *hold = &holds[random_below(IN_FLIGHT)];
            uint32_t list[] = {0, 1};
            if (hold->count == 0) {
                uint32_t count = 1 + (uint32_t)random_below(2);
                uint64_t amount = random_below(3000);
                granted += reserve_at(list, count, amount, NOON, hold).verdict == RC_SPEND_GRANTED;
                continue;
            }
            uint64_t most = hold->amount + (is_honest ? 1 : 100);
            uint64_t cost = random_below(most);
            beyond += cost > hold->amount ? cost - hold->amount : 0;
            settle(hold, cost);
            for (uint32_t row = 0; row < 2; row++) {
                rc_spend_state seen = look_at(row, NOON);
                assert_true(seen.spent + seen.held <= seen.limit + beyond);
            }
        }
        assert_true(granted > 20);
        assert_true(look_at(0, NOON).spent > 50000);
        assert_int_equal(beyond > 0, !is_honest);
    }
}

/* --- the lock --- */

static int locks;
static int depth;

static void take_lock(void *ctx)
{
    assert_ptr_equal(ctx, &locks);
    assert_int_equal(depth++, 0);
    locks++;
}

static void give_lock(void *ctx)
{
    assert_ptr_equal(ctx, &locks);
    assert_int_equal(--depth, 0);
}

static void test_lock(void **state)
{
    (void)state;
    rc_spend_hold hold;
    rc_spend_state seen;
    uint32_t row = 0;
    rc_spend_rule rule = {.limit = 10, .per = RC_SPEND_DAY};
    start();
    rc_spend_set_lock(&spend, &locks, take_lock, give_lock);
    rc_spend_define(&spend, 0, &rule, at(NOON));
    rc_spend_recall(&spend, 0, 0, 1, at(NOON));
    rc_spend_reserve(&spend, &row, 1, 1, at(NOON), &hold, &told);
    rc_spend_settle(&spend, &hold, 1, &told);
    rc_spend_release(&spend, &hold);
    rc_spend_raise(&spend, 0, 1, at(NOON));
    rc_spend_look(&spend, 0, at(NOON), &seen);
    rc_spend_grow(&spend, rows, ROWS);
    assert_int_equal(locks, 8);
    assert_int_equal(depth, 0);
}

static void test_validate(void **state)
{
    (void)state;
    start();
    assert_true(rc_spend_validate(&spend));
    rows[1].spent = RC_SPEND_MAX + 1;
    assert_false(rc_spend_validate(&spend));
    start();
    rows[7].held = UINT64_MAX;
    assert_false(rc_spend_validate(&spend));
    start();
    rows[3].window = -1;
    assert_false(rc_spend_validate(&spend));
}

static void expect_usd(uint64_t amount, const char *wanted)
{
    char room[64];
    rc_buf text;
    rc_buf_init_fixed(&text, room, sizeof room - 1);
    rc_spend_push_usd(&text, amount);
    assert_int_equal(rc_buf_get(&text).len, strlen(wanted));
    assert_memory_equal(rc_buf_get(&text).ptr, wanted, strlen(wanted));
}

static void test_dollars(void **state)
{
    (void)state;
    expect_usd(0, "$0.00");
    expect_usd(1, "$0.000001");
    expect_usd(40500, "$0.0405");
    expect_usd(50000, "$0.05");
    expect_usd(100000, "$0.10");
    expect_usd(12000000, "$12.00");
    expect_usd(RC_SPEND_MAX, "$1000000000000.00");
}

static void expect_scope(const char *scope, const char *words)
{
    char room[64];
    rc_buf text;
    rc_buf_init_fixed(&text, room, sizeof room);
    rc_spend_push_scope(&text, rc_str_c(scope));
    assert_int_equal(rc_buf_get(&text).len, strlen(words));
    assert_memory_equal(rc_buf_get(&text).ptr, words, strlen(words));
}

/* Nobody says "the budget of budget day". */
static void scopes_have_words(void **state)
{
    (void)state;
    expect_scope("client app", "budget of client app");
    expect_scope("budget day", "budget day");
    expect_scope("route budget", "budget of route budget");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scopes_have_words),  cmocka_unit_test(test_reserve_and_settle),
        cmocka_unit_test(test_overrun),       cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_refusing),      cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_several),       cmocka_unit_test(test_news),
        cmocka_unit_test(test_events),        cmocka_unit_test(test_waking),
        cmocka_unit_test(test_never_overrun), cmocka_unit_test(test_lock),
        cmocka_unit_test(test_validate),      cmocka_unit_test(test_dollars),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
