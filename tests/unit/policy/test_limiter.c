/* Tests of the limit of calls in flight. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/limiter.h>

_Static_assert(sizeof(rc_limiter) == 8, "docs/internals/cooldown.md says so");

static void test_full(void **state)
{
    (void)state;
    rc_limiter limiter;
    rc_limiter_init(&limiter, 2);
    assert_true(rc_limiter_take(&limiter));
    assert_true(rc_limiter_has_room(&limiter));
    assert_true(rc_limiter_take(&limiter));
    assert_false(rc_limiter_has_room(&limiter));
    assert_false(rc_limiter_take(&limiter));
    assert_int_equal(limiter.in_flight, 2);
    rc_limiter_put(&limiter);
    assert_true(rc_limiter_take(&limiter));
}

static void test_no_limit(void **state)
{
    (void)state;
    rc_limiter limiter;
    rc_limiter_init(&limiter, 0);
    for (int i = 0; i < 100000; i++)
        assert_true(rc_limiter_take(&limiter));
    assert_int_equal(limiter.in_flight, 100000);
    limiter.in_flight = UINT32_MAX;
    assert_false(rc_limiter_take(&limiter));
}

static void test_one_put_too_many(void **state)
{
    (void)state;
    rc_limiter limiter;
    rc_limiter_init(&limiter, 1);
    rc_limiter_put(&limiter);
    assert_int_equal(limiter.in_flight, 0);
    assert_true(rc_limiter_take(&limiter));
    assert_false(rc_limiter_take(&limiter));
}

/* If more calls are in flight than a new limit allows, no call is admitted until enough calls have
 * ended. */
static void test_smaller_limit(void **state)
{
    (void)state;
    rc_limiter limiter;
    rc_limiter_init(&limiter, 3);
    for (int i = 0; i < 3; i++)
        assert_true(rc_limiter_take(&limiter));
    limiter.max = 1;
    rc_limiter_put(&limiter);
    rc_limiter_put(&limiter);
    assert_false(rc_limiter_has_room(&limiter));
    rc_limiter_put(&limiter);
    assert_true(rc_limiter_has_room(&limiter));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_full),
        cmocka_unit_test(test_no_limit),
        cmocka_unit_test(test_one_put_too_many),
        cmocka_unit_test(test_smaller_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
