/* Tests of credentials: the events that make a credential unusable, and until when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/credential.h>
#include <recourse/policy.h>

_Static_assert(sizeof(rc_credential) <= 32, "docs/internals/cooldown.md says so");

static rc_credential make(void)
{
    rc_credential credential;
    rc_credential_init(&credential, true);
    return credential;
}

static void test_healthy_at_first(void **state)
{
    (void)state;
    rc_credential credential = make();
    assert_true(credential.can_refresh);
    assert_int_equal(rc_credential_state_at(&credential, 0), RC_CREDENTIAL_HEALTHY);
    assert_true(rc_credential_is_usable(&credential, false, 0));
    assert_int_equal(rc_credential_ready_at_ms(&credential, false), 0);
}

static void test_healthy_after_the_cooldown(void **state)
{
    (void)state;
    for (int kind = RC_CREDENTIAL_COOLING; kind <= RC_CREDENTIAL_EXHAUSTED; kind++) {
        rc_credential credential = make();
        rc_credential_cool_down(&credential, (rc_credential_state)kind, 1000, true);
        assert_int_equal(rc_credential_state_at(&credential, 999), kind);
        assert_int_equal(rc_credential_state_at(&credential, 1000), RC_CREDENTIAL_HEALTHY);
        assert_false(rc_credential_is_usable(&credential, true, 999));
        assert_true(rc_credential_is_usable(&credential, false, 1000));
        assert_int_equal(rc_credential_ready_at_ms(&credential, true), 1000);
    }
}

static void test_assumed_end_applies_only_with_an_alternative(void **state)
{
    (void)state;
    rc_credential credential = make();
    rc_credential_cool_down(&credential, RC_CREDENTIAL_COOLING, 1000, false);
    assert_false(rc_credential_is_usable(&credential, false, 999));
    assert_true(rc_credential_is_usable(&credential, true, 999));
    assert_int_equal(rc_credential_ready_at_ms(&credential, false), 1000);
    assert_int_equal(rc_credential_ready_at_ms(&credential, true), 0);
}

static void test_the_longer_cause_is_the_state(void **state)
{
    (void)state;
    rc_credential credential = make();
    rc_credential_cool_down(&credential, RC_CREDENTIAL_EXHAUSTED, 5000, true);
    rc_credential_cool_down(&credential, RC_CREDENTIAL_COOLING, 1000, true);
    assert_int_equal(rc_credential_state_at(&credential, 0), RC_CREDENTIAL_EXHAUSTED);
    assert_int_equal(rc_credential_ready_at_ms(&credential, false), 5000);
    rc_credential_cool_down(&credential, RC_CREDENTIAL_COOLING, 5000, true);
    assert_int_equal(rc_credential_state_at(&credential, 0), RC_CREDENTIAL_EXHAUSTED);
    rc_credential_cool_down(&credential, RC_CREDENTIAL_COOLING, 9000, false);
    assert_int_equal(rc_credential_state_at(&credential, 0), RC_CREDENTIAL_COOLING);
    rc_credential_cool_down(&credential, RC_CREDENTIAL_EXHAUSTED, 9000, true);
    assert_int_equal(rc_credential_state_at(&credential, 0), RC_CREDENTIAL_EXHAUSTED);
}

static void test_only_limit_states_cool_down(void **state)
{
    (void)state;
    rc_credential credential = make();
    rc_credential_cool_down(&credential, RC_CREDENTIAL_HEALTHY, 1000, true);
    rc_credential_cool_down(&credential, RC_CREDENTIAL_DEAD, 1000, true);
    rc_credential_cool_down(&credential, (rc_credential_state)9, 1000, true);
    assert_int_equal(rc_credential_state_at(&credential, 0), RC_CREDENTIAL_HEALTHY);
    assert_true(rc_credential_is_usable(&credential, false, 0));
}

static void test_dead_until_revived(void **state)
{
    (void)state;
    rc_credential credential = make();
    credential.is_refreshing = true;
    rc_credential_kill(&credential, 0);
    rc_credential_cool_down(&credential, RC_CREDENTIAL_COOLING, 1000, true);
    assert_int_equal(rc_credential_state_at(&credential, UINT64_MAX), RC_CREDENTIAL_DEAD);
    assert_false(rc_credential_is_usable(&credential, true, UINT64_MAX - 1));
    assert_true(rc_credential_ready_at_ms(&credential, true) == RC_UNLIMITED);
    /* With a probe time the credential is dead, but may be used from that time on. */
    rc_credential_kill(&credential, 2000);
    assert_false(rc_credential_is_usable(&credential, true, 1999));
    assert_true(rc_credential_is_usable(&credential, false, 2000));
    assert_int_equal(rc_credential_state_at(&credential, 2000), RC_CREDENTIAL_DEAD);
    assert_true(rc_credential_ready_at_ms(&credential, true) == RC_UNLIMITED);
    rc_credential_revive(&credential);
    assert_int_equal(rc_credential_state_at(&credential, 0), RC_CREDENTIAL_HEALTHY);
    assert_true(rc_credential_is_usable(&credential, false, 0));
    assert_true(credential.can_refresh);
    assert_int_equal(rc_credential_ready_at_ms(&credential, false), 0);
}

static void test_not_usable_during_a_refresh(void **state)
{
    (void)state;
    rc_credential credential = make();
    credential.is_refreshing = true;
    assert_false(rc_credential_is_usable(&credential, true, 0));
    credential.is_refreshing = false;
    assert_true(rc_credential_is_usable(&credential, true, 0));
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(rc_credential_state_name(RC_CREDENTIAL_HEALTHY), "healthy");
    assert_string_equal(rc_credential_state_name(RC_CREDENTIAL_COOLING), "cooling");
    assert_string_equal(rc_credential_state_name(RC_CREDENTIAL_EXHAUSTED), "exhausted");
    assert_string_equal(rc_credential_state_name(RC_CREDENTIAL_DEAD), "dead");
    assert_string_equal(rc_credential_state_name((rc_credential_state)4), "unknown");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_healthy_at_first),
        cmocka_unit_test(test_healthy_after_the_cooldown),
        cmocka_unit_test(test_assumed_end_applies_only_with_an_alternative),
        cmocka_unit_test(test_the_longer_cause_is_the_state),
        cmocka_unit_test(test_only_limit_states_cool_down),
        cmocka_unit_test(test_dead_until_revived),
        cmocka_unit_test(test_not_usable_during_a_refresh),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
