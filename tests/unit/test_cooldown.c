/* Cooldowns: two ends, each of which only moves later. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/cooldown.h>

_Static_assert(sizeof(rc_cooldown) == 16, "docs/internals/cooldown.md says so");

static void test_only_later(void **state)
{
    (void)state;
    rc_cooldown cooldown = {0};
    rc_cooldown_tell(&cooldown, 1000);
    rc_cooldown_tell(&cooldown, 500);
    assert_int_equal(rc_cooldown_until_ms(&cooldown, true), 1000);
    rc_cooldown_assume(&cooldown, 3000);
    rc_cooldown_assume(&cooldown, 2000);
    assert_int_equal(rc_cooldown_until_ms(&cooldown, false), 3000);
    rc_cooldown_tell(&cooldown, UINT64_MAX);
    assert_true(rc_cooldown_until_ms(&cooldown, true) == UINT64_MAX);
    rc_cooldown_clear(&cooldown);
    assert_int_equal(rc_cooldown_until_ms(&cooldown, false), 0);
}

static void test_a_guess_holds_where_there_is_another(void **state)
{
    (void)state;
    rc_cooldown cooldown = {0};
    rc_cooldown_assume(&cooldown, 3000);
    assert_true(rc_cooldown_is_on(&cooldown, false, 2999));
    assert_false(rc_cooldown_is_on(&cooldown, true, 2999));
    assert_int_equal(rc_cooldown_until_ms(&cooldown, true), 0);
    rc_cooldown_tell(&cooldown, 1000);
    assert_true(rc_cooldown_is_on(&cooldown, true, 999));
    assert_false(rc_cooldown_is_on(&cooldown, true, 1000));
    assert_int_equal(rc_cooldown_until_ms(&cooldown, false), 3000);
    assert_int_equal(rc_cooldown_until_ms(&cooldown, true), 1000);
}

static void test_over_at_its_end(void **state)
{
    (void)state;
    rc_cooldown cooldown = {0};
    assert_false(rc_cooldown_is_on(&cooldown, false, 0));
    rc_cooldown_tell(&cooldown, 1000);
    for (int is_alone = 0; is_alone <= 1; is_alone++) {
        assert_true(rc_cooldown_is_on(&cooldown, is_alone, 999));
        assert_false(rc_cooldown_is_on(&cooldown, is_alone, 1000));
        assert_false(rc_cooldown_is_on(&cooldown, is_alone, 1001));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_only_later),
        cmocka_unit_test(test_a_guess_holds_where_there_is_another),
        cmocka_unit_test(test_over_at_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
