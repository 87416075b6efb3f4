/* Tests of cooldowns: an enforced and an assumed end, each of which can only move to a later
 * time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/cooldown.h>

_Static_assert(sizeof(rc_cooldown) == 24, "docs/internals/cooldown.md says so");

static void test_ends_only_move_later(void **state)
{
    (void)state;
    rc_cooldown cooldown = {0};
    rc_cooldown_enforce(&cooldown, 1000);
    rc_cooldown_enforce(&cooldown, 500);
    assert_int_equal(rc_cooldown_until_ms(&cooldown, true), 1000);
    rc_cooldown_assume(&cooldown, 3000);
    rc_cooldown_assume(&cooldown, 2000);
    assert_int_equal(rc_cooldown_until_ms(&cooldown, false), 3000);
    rc_cooldown_enforce(&cooldown, UINT64_MAX);
    assert_true(rc_cooldown_until_ms(&cooldown, true) == UINT64_MAX);
    rc_cooldown_clear(&cooldown);
    assert_int_equal(rc_cooldown_until_ms(&cooldown, false), 0);
}

static void test_assumed_end_applies_only_with_an_alternative(void **state)
{
    (void)state;
    rc_cooldown cooldown = {0};
    rc_cooldown_assume(&cooldown, 3000);
    assert_true(rc_cooldown_is_on(&cooldown, false, 2999));
    assert_false(rc_cooldown_is_on(&cooldown, true, 2999));
    assert_int_equal(rc_cooldown_until_ms(&cooldown, true), 0);
    rc_cooldown_enforce(&cooldown, 1000);
    assert_true(rc_cooldown_is_on(&cooldown, true, 999));
    assert_false(rc_cooldown_is_on(&cooldown, true, 1000));
    assert_int_equal(rc_cooldown_until_ms(&cooldown, false), 3000);
    assert_int_equal(rc_cooldown_until_ms(&cooldown, true), 1000);
}

static void test_cooldown_is_over_at_its_end(void **state)
{
    (void)state;
    rc_cooldown cooldown = {0};
    assert_false(rc_cooldown_is_on(&cooldown, false, 0));
    rc_cooldown_enforce(&cooldown, 1000);
    for (int is_alone = 0; is_alone <= 1; is_alone++) {
        assert_true(rc_cooldown_is_on(&cooldown, is_alone, 999));
        assert_false(rc_cooldown_is_on(&cooldown, is_alone, 1000));
        assert_false(rc_cooldown_is_on(&cooldown, is_alone, 1001));
    }
}

static void test_turns_grow(void **state)
{
    (void)state;
    rc_cooldown cooldown = {0};
    assert_true(rc_cooldown_has_turn(&cooldown, 0)); /* the cooldown has no enforced end */
    rc_cooldown_enforce(&cooldown, 1000);
    uint32_t all = 0;
    for (uint32_t flight = 1; flight <= 64; flight *= 2) {
        for (uint32_t i = 0; i < flight; i++, all++) {
            assert_true(rc_cooldown_has_turn(&cooldown, 1000));
            rc_cooldown_take_turn(&cooldown, 1000);
        }
        assert_false(rc_cooldown_has_turn(&cooldown, 1999));
        for (uint32_t i = 0; i < flight; i++)
            rc_cooldown_earn_turns(&cooldown, 1000);
    }
    assert_int_equal(all, 127);
    rc_cooldown_enforce(&cooldown, 900); /* an end that is not later */
    assert_int_equal(cooldown.turns_taken, 127);
    rc_cooldown_enforce(&cooldown, 5000);
    assert_true(rc_cooldown_has_turn(&cooldown, 5000));
    rc_cooldown_earn_turns(&cooldown, 4999); /* the call began before the end, so it earns no
                                                turns */
    rc_cooldown_take_turn(&cooldown, 5000);
    rc_cooldown_return_turn(&cooldown, 4999);
    assert_false(rc_cooldown_has_turn(&cooldown, 5000));
}

static void test_turns_without_responses(void **state)
{
    (void)state;
    rc_cooldown cooldown = {0};
    rc_cooldown_enforce(&cooldown, 1000);
    rc_cooldown_take_turn(&cooldown, 1000);
    assert_false(rc_cooldown_has_turn(&cooldown, 1999));
    assert_true(rc_cooldown_has_turn(&cooldown, 2000));
    rc_cooldown_take_turn(&cooldown, 2000);
    assert_false(rc_cooldown_has_turn(&cooldown, 2999));
    rc_cooldown_return_turn(&cooldown, 2000);
    assert_true(rc_cooldown_has_turn(&cooldown, 2000));
    rc_cooldown_return_turn(&cooldown, 1000);
    rc_cooldown_return_turn(&cooldown, 1000); /* a second return has no effect */
    assert_int_equal(cooldown.turns_taken, 0);
    for (uint32_t i = 0; i < 70000; i++) {
        rc_cooldown_take_turn(&cooldown, 1000);
        assert_true(rc_cooldown_has_turn(&cooldown, 11000)); /* after ten seconds every call may
                                                                start */
    }
    for (uint32_t i = 0; i < 70000; i++)
        rc_cooldown_earn_turns(&cooldown, 1000);
    assert_true(cooldown.turns_earned >= UINT16_MAX - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends_only_move_later),
        cmocka_unit_test(test_turns_grow),
        cmocka_unit_test(test_turns_without_responses),
        cmocka_unit_test(test_assumed_end_applies_only_with_an_alternative),
        cmocka_unit_test(test_cooldown_is_over_at_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
