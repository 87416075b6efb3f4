/* Tests of money budgets: amounts granted, held and spent; notices; many concurrent attempts never
 * exceed a limit together. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/ledger_fixture.h"
#include "support/often.h"

static void test_reserve_and_settle(void **state)
{
    (void)state;
    rc_ledger_reservation reservation;
    start();
    define(0, 1000, RC_LEDGER_MONTH, RC_LEDGER_FAIL);
    assert_int_equal(reserve(0, 400, &reservation).verdict, RC_LEDGER_GRANTED);
    assert_int_equal(state_at(0, NOON).held, 400);
    settle(&reservation, 250); /* the cost is less than estimated */
    assert_int_equal(state_at(0, NOON).held, 0);
    assert_int_equal(state_at(0, NOON).spent, 250);
    settle(&reservation, 250); /* the reservation is empty, so nothing is settled */
    assert_int_equal(state_at(0, NOON).held, 0);
    assert_int_equal(state_at(0, NOON).spent, 250);

    assert_int_equal(reserve(0, 700, &reservation).verdict, RC_LEDGER_GRANTED);
    rc_ledger_release(&ledger, &reservation);
    assert_int_equal(state_at(0, NOON).held, 0);
    assert_int_equal(state_at(0, NOON).spent, 250);

    /* The limit is granted up to its last millionth, and not one more. */
    assert_int_equal(reserve(0, 750, &reservation).verdict, RC_LEDGER_GRANTED);
    settle(&reservation, 750);
    assert_int_equal(reserve(0, 0, &reservation).verdict, RC_LEDGER_GRANTED);
    rc_ledger_release(&ledger, &reservation);
    rc_ledger_decision decision = reserve(0, 1, &reservation);
    assert_int_equal(decision.verdict, RC_LEDGER_REFUSED);
    assert_int_equal(decision.reason, RC_WHY_BUDGET_SPENT);
    assert_int_equal(decision.budget, 0);
    assert_int_equal(decision.requested, 1);
    assert_int_equal(decision.spent, 1000);
    assert_int_equal(decision.held, 0);
    assert_int_equal(decision.limit, 1000);
    assert_int_equal(decision.renews_unix_ms, at("2026-12-01T00:00:00Z"));
    assert_int_equal(reservation.count, 0);
}

/* A budget that refuses an attempt reports this, even if a part of it is not spent. */
static void test_refusal_is_reported(void **state)
{
    (void)state;
    rc_ledger_reservation reservation;
    start();
    define(0, 1000, RC_LEDGER_MONTH, RC_LEDGER_FAIL);
    assert_int_equal(reserve(0, 900, &reservation).verdict, RC_LEDGER_GRANTED);
    settle(&reservation, 900);
    assert_false(state_at(0, NOON).is_refusing);
    assert_int_equal(reserve(0, 200, &reservation).verdict, RC_LEDGER_REFUSED);
    assert_true(state_at(0, NOON).is_refusing);
    assert_int_equal(reserve(0, 50, &reservation).verdict, RC_LEDGER_GRANTED);
    rc_ledger_release(&ledger, &reservation);
    assert_false(state_at(0, NOON).is_refusing);
    assert_int_equal(reserve(0, 200, &reservation).verdict, RC_LEDGER_REFUSED);
    rc_ledger_raise(&ledger, 0, 500, at(NOON));
    assert_false(state_at(0, NOON).is_refusing);
    assert_int_equal(reserve(0, 2000, &reservation).verdict, RC_LEDGER_REFUSED);
    assert_true(state_at(0, NOON).is_refusing);
    assert_false(state_at(0, "2026-12-01T00:00:01Z").is_refusing);
}

/* An attempt that costs more than estimated exceeds the limit by the difference; the next attempt
 * is refused. */
static void test_cost_above_the_estimate(void **state)
{
    (void)state;
    rc_ledger_reservation reservation;
    start();
    define(0, 1000, RC_LEDGER_MONTH, RC_LEDGER_FAIL);
    assert_int_equal(reserve(0, 900, &reservation).verdict, RC_LEDGER_GRANTED);
    settle(&reservation, 1500);
    assert_int_equal(state_at(0, NOON).spent, 1500);
    assert_int_equal(reserve(0, 1, &reservation).verdict, RC_LEDGER_REFUSED);
}

static void test_reasons(void **state)
{
    (void)state;
    rc_ledger_reservation first;
    rc_ledger_reservation reservation;
    start();
    define(0, 1000, RC_LEDGER_DAY, RC_LEDGER_FAIL);
    reserve(0, 800, &first);
    rc_ledger_decision decision = reserve(0, 300, &reservation);
    assert_int_equal(decision.reason, RC_WHY_BUDGET_HELD);
    assert_int_equal(decision.held, 800);
    assert_int_equal(decision.renews_unix_ms, at("2026-11-17T00:00:00Z"));
    settle(&first, 800);
    assert_int_equal(reserve(0, 300, &reservation).reason, RC_WHY_BUDGET_SPENT);
    assert_int_equal(reserve(0, 1001, &reservation).reason, RC_WHY_BUDGET_TOO_SMALL);
    assert_int_equal(reserve(0, 200, &reservation).reason, RC_WHY_NONE);
    rc_ledger_release(&ledger, &reservation);

    /* An attempt that costs more than the limit of a window is refused, not paused. */
    define(1, 1000, RC_LEDGER_DAY, RC_LEDGER_PAUSE);
    assert_int_equal(reserve(1, 1001, &reservation).verdict, RC_LEDGER_REFUSED);
    assert_int_equal(notices.count, 0);
    assert_int_equal(reserve(1, 1000, &reservation).verdict, RC_LEDGER_GRANTED);
    assert_int_equal(reserve(1, 1, &first).verdict, RC_LEDGER_WAIT);

    /* A limit of 0 means no limit. */
    define(2, 0, RC_LEDGER_DAY, RC_LEDGER_FAIL);
    reserve_and_settle(2, RC_LEDGER_AMOUNT_MAX);
    reserve_and_settle(2, RC_LEDGER_AMOUNT_MAX);
    assert_int_equal(state_at(2, NOON).spent, RC_LEDGER_AMOUNT_MAX);
    assert_int_equal(reserve(2, UINT64_MAX, &reservation).requested, RC_LEDGER_AMOUNT_MAX);
}

/* Either all budgets reserve the amount or none does; the strictest verdict is reported. */
static void test_several_budgets(void **state)
{
    (void)state;
    static const uint32_t all[] = {0, 1, 2, 7};
    rc_ledger_reservation reservation;
    start();
    define(0, 1000, RC_LEDGER_TOTAL, RC_LEDGER_WARN);
    define(1, 500, RC_LEDGER_DAY, RC_LEDGER_PAUSE);
    define(2, 300, RC_LEDGER_MONTH, RC_LEDGER_FAIL);
    assert_int_equal(reserve_at(all, 4, 200, NOON, &reservation).verdict, RC_LEDGER_GRANTED);
    assert_int_equal(reservation.count, 3); /* budget 7 is not in force, so it has no reservation */
    settle(&reservation, 200);
    rc_ledger_decision decision = reserve_at(all, 4, 400, NOON, &reservation);
    assert_int_equal(decision.verdict, RC_LEDGER_REFUSED);
    assert_int_equal(decision.budget, 2);
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(state_at(i, NOON).held, 0);
        assert_int_equal(state_at(i, NOON).spent, 200);
    }
    /* If two budgets pause, the wait lasts until both have renewed; for ever if one never
     * renews. */
    define(2, 300, RC_LEDGER_MONTH, RC_LEDGER_PAUSE);
    decision = reserve_at(all, 4, 300, NOON, &reservation);
    assert_int_equal(decision.verdict, RC_LEDGER_WAIT);
    assert_int_equal(decision.budget, 2);
    define(1, 300, RC_LEDGER_DAY, RC_LEDGER_PAUSE);
    decision = reserve_at(all, 4, 300, NOON, &reservation);
    assert_int_equal(decision.budget, 1);
    assert_int_equal(decision.renews_unix_ms, at("2026-12-01T00:00:00Z"));
    define(0, 300, RC_LEDGER_TOTAL, RC_LEDGER_PAUSE);
    decision = reserve_at(all, 4, 300, NOON, &reservation);
    assert_int_equal(decision.budget, 0);
    assert_int_equal(decision.renews_unix_ms, 0);
    static const uint32_t backwards[] = {2, 1, 0};
    decision = reserve_at(backwards, 3, 300, NOON, &reservation);
    assert_int_equal(decision.budget, 2);
    assert_int_equal(decision.renews_unix_ms, 0);

    /* Of more budgets than one attempt can have, the first ones are used. */
    uint32_t many[RC_LEDGER_BUDGETS_MAX + 1];
    for (uint32_t i = 0; i < RC_LEDGER_BUDGETS_MAX; i++)
        many[i] = 7;
    many[RC_LEDGER_BUDGETS_MAX] = 0;
    assert_int_equal(reserve_at(many, RC_LEDGER_BUDGETS_MAX + 1, 300, NOON, &reservation).verdict,
                     RC_LEDGER_GRANTED);
    assert_int_equal(reservation.count, 0);
}

/* --- notices --- */

static void expect_notices(uint32_t count, rc_ledger_notice_kind kind, uint64_t spent)
{
    assert_int_equal(notices.count, count);
    if (count == 0)
        return;
    assert_int_equal(notices.list[0].kind, kind);
    assert_int_equal(notices.list[0].spent, spent);
}

static void test_notices(void **state)
{
    (void)state;
    start();
    define(0, 1000, RC_LEDGER_MONTH, RC_LEDGER_WARN);
    reserve_and_settle(0, 799);
    expect_notices(0, 0, 0);
    reserve_and_settle(0, 1);
    expect_notices(1, RC_LEDGER_NEARLY_SPENT, 800);
    reserve_and_settle(0, 100);
    expect_notices(0, 0, 0);
    reserve_and_settle(0, 100);
    expect_notices(1, RC_LEDGER_USED_UP, 1000);
    reserve_and_settle(0, 5000); /* this budget only warns */
    expect_notices(0, 0, 0);

    /* One attempt causes both notices. */
    define(1, 1000, RC_LEDGER_MONTH, RC_LEDGER_WARN);
    reserve_and_settle(1, 1000);
    assert_int_equal(notices.count, 2);
    assert_int_equal(notices.list[0].kind, RC_LEDGER_NEARLY_SPENT);
    assert_int_equal(notices.list[1].kind, RC_LEDGER_USED_UP);
    assert_int_equal(notices.list[1].budget, 1);
    assert_int_equal(notices.list[1].limit, 1000);

    /* The first refusal causes a notice, whatever amount is spent; so does the first pause. */
    rc_ledger_reservation reservation;
    define(2, 1000, RC_LEDGER_MONTH, RC_LEDGER_FAIL);
    reserve_and_settle(2, 500);
    reserve(2, 501, &reservation);
    expect_notices(1, RC_LEDGER_USED_UP, 500);
    reserve(2, 501, &reservation);
    expect_notices(0, 0, 0);
    define(3, 1000, RC_LEDGER_MONTH, RC_LEDGER_PAUSE);
    reserve_and_settle(3, 500);
    reserve(3, 501, &reservation);
    expect_notices(1, RC_LEDGER_PAUSED, 500);
    reserve(3, 501, &reservation);
    expect_notices(0, 0, 0);

    /* The smallest limit. */
    define(4, 1, RC_LEDGER_MONTH, RC_LEDGER_WARN);
    reserve_and_settle(4, 0);
    expect_notices(0, 0, 0);
    reserve_and_settle(4, 1);
    assert_int_equal(notices.count, 2);

    /* The notices are optional. */
    rc_ledger_reservation quiet;
    uint32_t budget = 5;
    define(5, 10, RC_LEDGER_MONTH, RC_LEDGER_WARN);
    rc_ledger_reserve(&ledger, &budget, 1, 10, at(NOON), &quiet, NULL);
    rc_ledger_settle(&ledger, &quiet, 10, NULL);
    assert_int_equal(state_at(5, NOON).spent, 10);
}

static void test_events(void **state)
{
    (void)state;
    rc_event event = {.seq = 1, .correlation_id = RC_STR("op")};
    rc_ledger_notice notice = {
        .kind = RC_LEDGER_NEARLY_SPENT, .spent = 40000000, .limit = 50000000};
    rc_ledger_notice_event(&notice, RC_STR("client app"), &event);
    assert_int_equal(event.type, RC_EVENT_TYPE_BUDGET_WARNING);
    char memory[512];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    assert_int_equal(rc_event_encode(&event, &buf), RC_OK);
    rc_buf_push_byte(&buf, '\0');
    assert_non_null(strstr(memory, "\"type\":\"budget:warning\""));
    assert_non_null(strstr(memory, "\"scope\":\"client app\",\"spent_usd\":40.000000,"
                                   "\"limit_usd\":50.000000"));
    notice.kind = RC_LEDGER_PAUSED;
    rc_ledger_notice_event(&notice, RC_STR("client app"), &event);
    assert_int_equal(event.type, RC_EVENT_TYPE_BUDGET_PAUSED);
    assert_int_equal(event.as.budget_paused.spent_micro_usd, 40000000);
    notice.kind = RC_LEDGER_USED_UP;
    rc_ledger_notice_event(&notice, RC_STR("client app"), &event);
    assert_int_equal(event.type, RC_EVENT_TYPE_BUDGET_WARNING);
}

/* --- paused attempts --- */

static void test_paused_attempts_are_woken(void **state)
{
    (void)state;
    rc_ledger_reservation first;
    rc_ledger_reservation second;
    rc_ledger_reservation paused;
    start();
    define(0, 1000, RC_LEDGER_DAY, RC_LEDGER_PAUSE);
    reserve(0, 600, &first);
    reserve(0, 400, &second);
    assert_false(settle(&second, 400)); /* no attempt is paused, so none can be granted */
    assert_int_equal(reserve(0, 100, &paused).verdict, RC_LEDGER_WAIT);
    assert_true(state_at(0, NOON).has_waiters);
    assert_true(settle(&first, 300)); /* 300 were not needed and are available again */
    assert_false(state_at(0, NOON).has_waiters);
    assert_int_equal(reserve(0, 300, &first).verdict, RC_LEDGER_GRANTED);
    assert_int_equal(reserve(0, 100, &paused).verdict, RC_LEDGER_WAIT);
    assert_false(settle(&first, 300)); /* the whole amount was needed, so nothing is available */
    assert_true(state_at(0, NOON).has_waiters);

    /* The limit is raised for this window, so notices may be published again. */
    assert_true(rc_ledger_raise(&ledger, 0, 500, at(NOON)));
    assert_int_equal(state_at(0, NOON).limit, 1500);
    assert_int_equal(state_at(0, NOON).raised, 500);
    assert_int_equal(reserve(0, 500, &first).verdict, RC_LEDGER_GRANTED);
    assert_true(reserve(0, 1, &paused).verdict == RC_LEDGER_WAIT && notices.count == 1);
    rc_ledger_release(&ledger, &first);
    assert_int_equal(state_at(0, "2026-11-17T00:00:00Z").limit, 1000);
    assert_int_equal(state_at(0, "2026-11-17T00:00:00Z").raised, 0);

    /* The limit is raised, and then removed. */
    define(1, 100, RC_LEDGER_DAY, RC_LEDGER_PAUSE);
    reserve_and_settle(1, 100);
    reserve(1, 1, &paused);
    rc_ledger_rule rule = {.limit = 200, .period = RC_LEDGER_DAY, .on_exceed = RC_LEDGER_PAUSE};
    assert_true(rc_ledger_define(&ledger, 1, &rule, at(NOON)));
    assert_int_equal(state_at(1, NOON).spent, 100);
    reserve(1, 101, &paused);
    assert_true(rc_ledger_define(&ledger, 1, NULL, at(NOON)));
    assert_int_equal(reserve(1, 101, &paused).verdict, RC_LEDGER_GRANTED);
    assert_int_equal(paused.count, 0);
    rc_ledger_state unused;
    assert_false(rc_ledger_get_state(&ledger, 1, at(NOON), &unused));
}

/* --- concurrent attempts --- */

static uint64_t random_state = 88172645463325252u;

static uint64_t random_below(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

#define IN_FLIGHT 64

/* If no attempt costs more than estimated, no limit is exceeded; otherwise a limit is exceeded by
 * at most the difference. */
static void test_limits_are_never_exceeded(void **state)
{
    (void)state;
    static rc_ledger_reservation reservations[IN_FLIGHT];
    for (int is_honest = 0; is_honest < 2; is_honest++) {
        uint64_t beyond = 0; /* sum by which attempts cost more than estimated */
        uint64_t granted = 0;
        start();
        memset(reservations, 0, sizeof reservations);
        define(0, 100000, RC_LEDGER_TOTAL, RC_LEDGER_FAIL);
        define(1, 60000, RC_LEDGER_TOTAL, RC_LEDGER_PAUSE);
        for (int i = 0; i < OFTEN(100000); i++) {
            rc_ledger_reservation *reservation = &reservations[random_below(IN_FLIGHT)];
            uint32_t list[] = {0, 1};
            if (reservation->count == 0) {
                uint32_t count = 1 + (uint32_t)random_below(2);
                uint64_t amount = random_below(3000);
                granted +=
                    reserve_at(list, count, amount, NOON, reservation).verdict == RC_LEDGER_GRANTED;
                continue;
            }
            uint64_t most = reservation->amount + (is_honest ? 1 : 100);
            uint64_t cost = random_below(most);
            beyond += cost > reservation->amount ? cost - reservation->amount : 0;
            settle(reservation, cost);
            for (uint32_t budget = 0; budget < 2; budget++) {
                rc_ledger_state seen = state_at(budget, NOON);
                assert_true(seen.spent + seen.held <= seen.limit + beyond);
            }
        }
        assert_true(granted > 20);
        assert_true(state_at(0, NOON).spent > 50000);
        assert_int_equal(beyond > 0, !is_honest);
    }
}

/* --- lock --- */

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
    rc_ledger_reservation reservation;
    rc_ledger_state seen;
    uint32_t budget = 0;
    rc_ledger_rule rule = {.limit = 10, .period = RC_LEDGER_DAY};
    start();
    rc_ledger_set_lock(&ledger, &locks, take_lock, give_lock);
    rc_ledger_define(&ledger, 0, &rule, at(NOON));
    rc_ledger_restore(&ledger, 0, 0, 1, at(NOON));
    rc_ledger_reserve(&ledger, &budget, 1, 1, at(NOON), &reservation, &notices);
    rc_ledger_settle(&ledger, &reservation, 1, &notices);
    rc_ledger_release(&ledger, &reservation);
    rc_ledger_raise(&ledger, 0, 1, at(NOON));
    rc_ledger_get_state(&ledger, 0, at(NOON), &seen);
    rc_ledger_grow(&ledger, budgets, BUDGETS);
    assert_int_equal(locks, 8);
    assert_int_equal(depth, 0);
}

static void test_validate(void **state)
{
    (void)state;
    start();
    assert_true(rc_ledger_validate(&ledger));
    budgets[1].spent = RC_LEDGER_AMOUNT_MAX + 1;
    assert_false(rc_ledger_validate(&ledger));
    start();
    budgets[7].held = UINT64_MAX;
    assert_false(rc_ledger_validate(&ledger));
    start();
    budgets[3].window = -1;
    assert_false(rc_ledger_validate(&ledger));
}

static void expect_usd(uint64_t amount, const char *wanted)
{
    char room[64];
    rc_buf text;
    rc_buf_init_fixed(&text, room, sizeof room - 1);
    rc_ledger_push_usd(&text, amount);
    assert_int_equal(rc_buf_get(&text).len, strlen(wanted));
    assert_memory_equal(rc_buf_get(&text).ptr, wanted, strlen(wanted));
}

static void test_amounts_as_text(void **state)
{
    (void)state;
    expect_usd(0, "$0.00");
    expect_usd(1, "$0.000001");
    expect_usd(40500, "$0.0405");
    expect_usd(50000, "$0.05");
    expect_usd(100000, "$0.10");
    expect_usd(12000000, "$12.00");
    expect_usd(RC_LEDGER_AMOUNT_MAX, "$1000000000000.00");
}

static void expect_scope(const char *scope, const char *words)
{
    char room[64];
    rc_buf text;
    rc_buf_init_fixed(&text, room, sizeof room);
    rc_ledger_push_scope(&text, rc_str_c(scope));
    assert_int_equal(rc_buf_get(&text).len, strlen(words));
    assert_memory_equal(rc_buf_get(&text).ptr, words, strlen(words));
}

/* The text about a budget that has a name does not repeat the word "budget". */
static void scopes_as_text(void **state)
{
    (void)state;
    expect_scope("client app", "budget of client app");
    expect_scope("budget day", "budget day");
    expect_scope("route budget", "budget of route budget");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scopes_as_text),
        cmocka_unit_test(test_reserve_and_settle),
        cmocka_unit_test(test_cost_above_the_estimate),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_refusal_is_reported),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_several_budgets),
        cmocka_unit_test(test_notices),
        cmocka_unit_test(test_events),
        cmocka_unit_test(test_paused_attempts_are_woken),
        cmocka_unit_test(test_limits_are_never_exceeded),
        cmocka_unit_test(test_lock),
        cmocka_unit_test(test_validate),
        cmocka_unit_test(test_amounts_as_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
