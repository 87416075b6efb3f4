/* Tests of money budgets over time: calendar windows, changed clocks, restarts and reloads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/ledger_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_windows(void **state)
{
    (void)state;
    static const struct {
        rc_ledger_period period;
        const char *now;
        const char *renews;
    } cases[] = {
        {RC_LEDGER_DAY, "2026-11-16T00:00:00.000Z", "2026-11-17T00:00:00Z"},
        {RC_LEDGER_DAY, "2026-11-16T23:59:59.999Z", "2026-11-17T00:00:00Z"},
        {RC_LEDGER_DAY, "2028-02-28T12:00:00Z", "2028-02-29T00:00:00Z"},
        {RC_LEDGER_DAY, "2026-12-31T12:00:00Z", "2027-01-01T00:00:00Z"},
        {RC_LEDGER_MONTH, "2026-11-01T00:00:00Z", "2026-12-01T00:00:00Z"},
        {RC_LEDGER_MONTH, "2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00Z"},
        {RC_LEDGER_MONTH, "2028-02-29T12:00:00Z", "2028-03-01T00:00:00Z"},
        {RC_LEDGER_MONTH, "1970-01-01T00:00:00Z", "1970-02-01T00:00:00Z"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_int_equal(rc_ledger_window_end(cases[i].period, at(cases[i].now)),
                         at(cases[i].renews));
    assert_int_equal(rc_ledger_window_end(RC_LEDGER_TOTAL, at(NOON)), 0);
    assert_int_equal(rc_ledger_window_end(RC_LEDGER_DAY, -5), 86400000);
    assert_true(rc_ledger_window_end(RC_LEDGER_MONTH, INT64_MAX) > at(NOON));
    assert_int_equal(rc_ledger_day(at("1970-01-02T00:00:00Z")), 1);
    assert_int_equal(rc_ledger_day(-1), 0);
}

static void test_renewal(void **state)
{
    (void)state;
    rc_ledger_reservation reservation;
    uint32_t budget = 0;
    start();
    define(0, 1000, RC_LEDGER_DAY, RC_LEDGER_FAIL);
    reserve_and_settle(0, 900);
    assert_int_equal(reserve(0, 200, &reservation).verdict, RC_LEDGER_REFUSED);
    rc_ledger_decision decision = reserve_at(&budget, 1, 200, "2026-11-17T00:00:00Z", &reservation);
    assert_int_equal(decision.verdict, RC_LEDGER_GRANTED);
    settle(&reservation, 200);
    assert_int_equal(state_at(0, "2026-11-17T12:00:00Z").spent, 200);

    /* An attempt belongs to the day on which it was reserved; its amount is held until it ends. */
    reserve_at(&budget, 1, 700, "2026-11-17T23:59:59.999Z", &reservation);
    assert_int_equal(state_at(0, "2026-11-18T00:00:00Z").held, 700);
    assert_int_equal(state_at(0, "2026-11-18T00:00:00Z").spent, 0);
    rc_ledger_reservation other;
    decision = reserve_at(&budget, 1, 400, "2026-11-18T00:00:01Z", &other);
    assert_int_equal(decision.reason, RC_WHY_BUDGET_HELD);
    settle(&reservation, 700);
    assert_int_equal(state_at(0, "2026-11-18T00:00:01Z").held, 0);
    assert_int_equal(state_at(0, "2026-11-18T00:00:01Z").spent, 0);

    /* In the new window, notices are published again. */
    define(1, 100, RC_LEDGER_DAY, RC_LEDGER_WARN);
    reserve_and_settle(1, 100);
    assert_int_equal(notices.count, 2);
    budget = 1;
    reserve_at(&budget, 1, 100, "2026-11-17T00:00:00Z", &reservation);
    settle(&reservation, 100);
    assert_int_equal(notices.count, 2);

    /* A total budget never renews. */
    define(2, 100, RC_LEDGER_TOTAL, RC_LEDGER_FAIL);
    reserve_and_settle(2, 100);
    budget = 2;
    decision = reserve_at(&budget, 1, 1, "2099-01-01T00:00:00Z", &reservation);
    assert_int_equal(decision.verdict, RC_LEDGER_REFUSED);
    assert_int_equal(decision.renews_unix_ms, 0);
}

/* If the clock is set back, no second budget is granted. */
static void test_changed_clocks(void **state)
{
    (void)state;
    rc_ledger_reservation reservation;
    uint32_t budget = 0;
    start();
    define(0, 1000, RC_LEDGER_DAY, RC_LEDGER_FAIL);
    reserve_and_settle(0, 100);
    /* The clock goes past midnight and back: the new day is still the current one. */
    reserve_at(&budget, 1, 900, "2026-11-17T00:10:00Z", &reservation);
    settle(&reservation, 900);
    assert_int_equal(reserve_at(&budget, 1, 200, "2026-11-16T23:10:00Z", &reservation).verdict,
                     RC_LEDGER_REFUSED);
    assert_int_equal(reserve_at(&budget, 1, 100, "2026-11-16T23:10:00Z", &reservation).verdict,
                     RC_LEDGER_GRANTED);
    settle(&reservation, 100);
    assert_int_equal(state_at(0, "2026-11-17T00:20:00Z").spent, 1000);
    assert_int_equal(state_at(0, "2026-11-16T23:10:00Z").renews_unix_ms,
                     at("2026-11-18T00:00:00Z"));
    /* The clock goes years ahead and back: the budget moves to the right day. */
    reserve_at(&budget, 1, 700, "2099-01-01T00:00:00Z", &reservation);
    settle(&reservation, 700);
    assert_int_equal(state_at(0, "2026-11-17T01:00:00Z").spent, 700);
    assert_int_equal(state_at(0, "2026-11-17T01:00:00Z").renews_unix_ms,
                     at("2026-11-18T00:00:00Z"));
    assert_int_equal(state_at(0, "2026-11-18T00:00:00Z").spent, 0);
}

/* --- restarts and reloads --- */

static void test_restore(void **state)
{
    (void)state;
    const int64_t today = rc_ledger_day(at(NOON));
    start();
    define(0, 1000, RC_LEDGER_DAY, RC_LEDGER_FAIL);
    define(1, 1000, RC_LEDGER_MONTH, RC_LEDGER_FAIL);
    define(2, 1000, RC_LEDGER_TOTAL, RC_LEDGER_FAIL);
    for (int64_t day = today - 40; day <= today + 1; day++)
        for (uint32_t budget = 0; budget < 4; budget++)
            rc_ledger_restore(&ledger, budget, day, 10, at(NOON));
    assert_int_equal(state_at(0, NOON).spent, 10);
    assert_int_equal(state_at(1, NOON).spent, 17 * 10); /* the days from the 1st to the 17th */
    assert_int_equal(state_at(2, NOON).spent, 42 * 10);
    rc_ledger_restore(&ledger, 2, -1, 10, at(NOON));
    rc_ledger_restore(&ledger, 2, INT64_MAX, 10, at(NOON));
    rc_ledger_restore(&ledger, 2, today, UINT64_MAX, at(NOON));
    assert_int_equal(state_at(2, NOON).spent, RC_LEDGER_AMOUNT_MAX);
}

/* Attempts whose price is not known are counted in the window in which they were reserved. */
static void test_unpriced(void **state)
{
    (void)state;
    const uint32_t both[] = {0, 1};
    const int64_t day = rc_ledger_day(at(NOON));
    rc_ledger_reservation reservation;
    start();
    define(0, 1000, RC_LEDGER_DAY, RC_LEDGER_FAIL);
    define(1, 1000, RC_LEDGER_MONTH, RC_LEDGER_WARN);
    reserve_at(both, 2, 0, NOON, &reservation);
    rc_ledger_note_unpriced(&ledger, &reservation);
    settle(&reservation, 0);
    assert_int_equal(state_at(0, NOON).unpriced, 1);
    assert_int_equal(state_at(1, NOON).unpriced, 1);
    /* For an empty reservation nothing is counted. */
    rc_ledger_note_unpriced(&ledger, &reservation);
    assert_int_equal(state_at(0, NOON).unpriced, 1);
    reserve_at(both, 2, 0, "2026-11-16T23:59:59Z", &reservation);
    assert_int_equal(state_at(0, "2026-11-17T00:00:01Z").unpriced, 0);
    rc_ledger_note_unpriced(&ledger, &reservation);
    assert_int_equal(state_at(0, "2026-11-17T00:00:02Z").unpriced, 0);
    assert_int_equal(state_at(1, "2026-11-17T00:00:02Z").unpriced, 2);
    settle(&reservation, 0);
    /* attempts from before the process started */
    rc_ledger_restore_unpriced(&ledger, 0, day, 5, at("2026-11-17T00:00:03Z"));
    rc_ledger_restore_unpriced(&ledger, 1, day, 5, at("2026-11-17T00:00:03Z"));
    rc_ledger_restore_unpriced(&ledger, 1, -1, 5, at("2026-11-17T00:00:03Z"));
    rc_ledger_restore_unpriced(&ledger, BUDGETS, day, 5, at("2026-11-17T00:00:03Z"));
    assert_int_equal(state_at(0, "2026-11-17T00:00:03Z").unpriced, 0);
    assert_int_equal(state_at(1, "2026-11-17T00:00:03Z").unpriced, 7);
    /* With another period, the count begins again. */
    define(1, 1000, RC_LEDGER_TOTAL, RC_LEDGER_WARN);
    assert_int_equal(state_at(1, "2026-11-17T00:00:03Z").unpriced, 0);
}

static void test_reload(void **state)
{
    (void)state;
    rc_ledger_reservation reservation;
    start();
    define(0, 1000, RC_LEDGER_DAY, RC_LEDGER_FAIL);
    reserve_and_settle(0, 500);
    reserve(0, 300, &reservation);
    /* If only numbers change, the spent and held amounts do not change. */
    define(0, 2000, RC_LEDGER_DAY, RC_LEDGER_PAUSE);
    assert_int_equal(state_at(0, NOON).spent, 500);
    assert_int_equal(state_at(0, NOON).held, 300);
    /* If the period changes, only the held amount does not change. */
    define(0, 2000, RC_LEDGER_MONTH, RC_LEDGER_PAUSE);
    assert_int_equal(state_at(0, NOON).spent, 0);
    assert_int_equal(state_at(0, NOON).held, 300);
    settle(&reservation, 300);
    assert_int_equal(state_at(0, NOON).held, 0);
    assert_int_equal(state_at(0, NOON).spent, 0); /* the amount belonged to the window of the day,
                                                     which is no longer used */

    /* A budget that is no longer in force still releases its held amounts. */
    define(1, 1000, RC_LEDGER_DAY, RC_LEDGER_FAIL);
    reserve(1, 300, &reservation);
    rc_ledger_define(&ledger, 1, NULL, at(NOON));
    settle(&reservation, 200);
    assert_int_equal(notices.count, 0);
    define(1, 1000, RC_LEDGER_DAY, RC_LEDGER_FAIL);
    assert_int_equal(state_at(1, NOON).held, 0);

    /* a larger array of budgets */
    static rc_ledger_budget more[BUDGETS * 2];
    reserve_and_settle(1, 400);
    rc_ledger_grow(&ledger, more, BUDGETS * 2);
    assert_int_equal(state_at(1, NOON).spent, 400);
    define(BUDGETS + 1, 10, RC_LEDGER_DAY, RC_LEDGER_FAIL);
    reserve_and_settle(BUDGETS + 1, 10);
    rc_ledger_state unused;
    assert_false(rc_ledger_get_state(&ledger, BUDGETS * 2, at(NOON), &unused));
    assert_false(rc_ledger_raise(&ledger, BUDGETS * 2, 1, at(NOON)));
    assert_false(rc_ledger_define(&ledger, BUDGETS * 2, NULL, at(NOON)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_windows),        cmocka_unit_test(test_renewal),
        cmocka_unit_test(test_changed_clocks), cmocka_unit_test(test_restore),
        cmocka_unit_test(test_unpriced),       cmocka_unit_test(test_reload),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
