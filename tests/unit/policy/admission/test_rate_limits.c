/* Tests of the view of a learned rate limit (rc_rate_limits_view). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/rate_limits.h>

static rc_rate_limits limits;

/* Records a response that states a limit of requests. */
static void state_limit(int64_t limit, int64_t remaining, int64_t reset_ms, uint64_t now_ms)
{
    const rc_limit_cost cost = rc_limit_cost_of(0, 0);
    const rc_limit_facts facts = {.count = 1,
                                  .list = {{RC_LIMIT_REQUESTS, limit, remaining, reset_ms}}};
    const rc_limit_mark mark = rc_rate_limits_start(&limits, &cost, now_ms);
    rc_rate_limits_note(&limits, &facts, &mark, now_ms, now_ms);
}

static rc_limit_view view_at(uint64_t now_ms)
{
    rc_limit_view view = {0};
    assert_true(rc_rate_limits_view(&limits, RC_LIMIT_REQUESTS, now_ms, &view));
    return view;
}

static void an_unknown_limit_has_no_view(void **state)
{
    (void)state;
    rc_limit_view view;
    rc_rate_limits_init(&limits);
    state_limit(100, 40, 60000, 1000);
    assert_false(rc_rate_limits_view(&limits, RC_LIMIT_TOKENS, 1000, &view));
}

/* 60 of 100 requests return in 60 s, one in each second. */
static void a_limit_refills(void **state)
{
    (void)state;
    rc_rate_limits_init(&limits);
    state_limit(100, 40, 60000, 1000);
    rc_limit_view view = view_at(1000);
    assert_int_equal(view.limit, 100);
    assert_int_equal(view.remaining, 40);
    assert_int_equal(view.full_at_ms, 61000);
    assert_false(view.is_window);
    view = view_at(31000);
    assert_int_equal(view.remaining, 70);
    assert_int_equal(view.full_at_ms, 61000);
    view = view_at(61001);
    assert_int_equal(view.remaining, 100);
    assert_int_equal(view.full_at_ms, 0);
}

static void calls_that_began_later_are_subtracted(void **state)
{
    (void)state;
    rc_rate_limits_init(&limits);
    state_limit(3, 1, 60000, 1000);
    const rc_limit_cost cost = rc_limit_cost_of(0, 0);
    for (int i = 0; i < 3; i++)
        (void)rc_rate_limits_start(&limits, &cost, 1000);
    assert_int_equal(view_at(1000).remaining, -2);
}

/* The reset stays the same although the amount falls: the limit has a window. */
static void a_window_returns_at_once(void **state)
{
    (void)state;
    rc_rate_limits_init(&limits);
    state_limit(100, 90, 60000, 1000);
    state_limit(100, 50, 50000, 11000);
    rc_limit_view view = view_at(40000);
    assert_int_equal(view.remaining, 50);
    assert_int_equal(view.full_at_ms, 61000);
    assert_true(view.is_window);
    view = view_at(61000);
    assert_int_equal(view.remaining, 100);
    assert_int_equal(view.full_at_ms, 0);
    assert_false(view.is_window);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unknown_limit_has_no_view),
        cmocka_unit_test(a_limit_refills),
        cmocka_unit_test(calls_that_began_later_are_subtracted),
        cmocka_unit_test(a_window_returns_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
