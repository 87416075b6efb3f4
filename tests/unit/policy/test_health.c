/* Tests of the health of a target, which follows from the results of its latest calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "policy/health.h"

static rc_health health;
static int64_t now_unix_ms;

/* Records results, one per second: "+" the call succeeded, "-" it failed. */
static rc_health_state after(const char *results)
{
    for (; *results != '\0'; results++) {
        const rc_code code = *results == '-' ? RC_CODE_PROVIDER_5XX : RC_CODE_NONE;
        now_unix_ms += 1000;
        rc_health_note(&health, rc_health_verdict_of(code, false), code, now_unix_ms);
    }
    return rc_health_of_calls(&health, now_unix_ms);
}

static int start(void **state)
{
    (void)state;
    now_unix_ms = 5000;
    rc_health_init(&health, now_unix_ms);
    return 0;
}

static void failed_calls_change_the_state(void **state)
{
    static const struct {
        const char *results;
        rc_health_state state;
    } rows[] = {
        {"", RC_HEALTH_UP},
        {"+", RC_HEALTH_UP},
        {"-", RC_HEALTH_FAILING},
        {"--", RC_HEALTH_FAILING},
        {"+-", RC_HEALTH_DEGRADED},
        {"+--", RC_HEALTH_DEGRADED},
        {"+---", RC_HEALTH_FAILING},
        {"----------", RC_HEALTH_FAILING},
        {"---+", RC_HEALTH_DEGRADED},
        {"-+++++++++", RC_HEALTH_DEGRADED},
        {"-++++++++++", RC_HEALTH_UP},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        (void)start(state);
        print_message("%s\n", rows[i].results);
        assert_int_equal(after(rows[i].results), rows[i].state);
    }
}

static void times_are_those_of_the_state_change(void **state)
{
    (void)state;
    assert_int_equal(rc_health_since_unix_ms(&health, RC_HEALTH_UP), 5000);
    assert_int_equal(after("++"), RC_HEALTH_UP);
    assert_int_equal(rc_health_since_unix_ms(&health, RC_HEALTH_UP), 5000);
    assert_int_equal(after("---"), RC_HEALTH_FAILING); /* the state began at 8000 */
    assert_int_equal(rc_health_since_unix_ms(&health, RC_HEALTH_FAILING), 8000);
    assert_int_equal(rc_health_since_unix_ms(&health, RC_HEALTH_DOWN), 8000);
    assert_int_equal(after("++"), RC_HEALTH_DEGRADED);
    assert_int_equal(rc_health_since_unix_ms(&health, RC_HEALTH_DEGRADED), 8000);
    assert_int_equal(after("++++++++"), RC_HEALTH_UP); /* the first success is at 11000 */
    assert_int_equal(rc_health_since_unix_ms(&health, RC_HEALTH_UP), 11000);
    assert_int_equal(after("-"), RC_HEALTH_DEGRADED);
    assert_int_equal(rc_health_since_unix_ms(&health, RC_HEALTH_DEGRADED), 21000);
    health.disabled_unix_ms = 22000;
    assert_int_equal(rc_health_since_unix_ms(&health, RC_HEALTH_DISABLED), 22000);
}

/* An old failure is no longer counted if later calls succeeded; without later calls it is still
 * counted. */
static void old_failures_are_forgotten(void **state)
{
    (void)state;
    assert_int_equal(after("+-"), RC_HEALTH_DEGRADED);
    now_unix_ms += 2 * RC_HEALTH_FORGET_MS;
    assert_int_equal(rc_health_of_calls(&health, now_unix_ms), RC_HEALTH_DEGRADED);
    assert_int_equal(after("+"), RC_HEALTH_UP);
    assert_int_equal(rc_health_since_unix_ms(&health, RC_HEALTH_UP), now_unix_ms);
    assert_int_equal(after("-"), RC_HEALTH_DEGRADED);
    assert_int_equal(rc_health_since_unix_ms(&health, RC_HEALTH_DEGRADED), now_unix_ms);
}

static void errors_of_a_request_do_not_count(void **state)
{
    (void)state;
    assert_int_equal(rc_health_verdict_of(RC_CODE_NONE, false), RC_HEALTH_VERDICT_GOOD);
    assert_int_equal(rc_health_verdict_of(RC_CODE_INVALID_REQUEST, false), RC_HEALTH_VERDICT_GOOD);
    assert_int_equal(rc_health_verdict_of(RC_CODE_CONTEXT_OVERFLOW, false), RC_HEALTH_VERDICT_GOOD);
    assert_int_equal(rc_health_verdict_of(RC_CODE_CONTENT_FILTER, false), RC_HEALTH_VERDICT_GOOD);
    assert_int_equal(rc_health_verdict_of(RC_CODE_TURN_CANCELLED, false), RC_HEALTH_VERDICT_NONE);
    assert_int_equal(rc_health_verdict_of(RC_CODE_AUTH_FAILED, false), RC_HEALTH_VERDICT_BAD);
    assert_int_equal(rc_health_verdict_of(RC_CODE_QUOTA_EXHAUSTED, false), RC_HEALTH_VERDICT_BAD);
    assert_int_equal(rc_health_verdict_of(RC_CODE_RATE_LIMITED, false), RC_HEALTH_VERDICT_BAD);
    assert_int_equal(rc_health_verdict_of(RC_CODE_CONNECTION_FAILED, false), RC_HEALTH_VERDICT_BAD);
    assert_int_equal(rc_health_verdict_of(RC_CODE_MODEL_NOT_FOUND, false), RC_HEALTH_VERDICT_BAD);
    assert_int_equal(rc_health_verdict_of(RC_CODE_MODEL_NOT_FOUND, true), RC_HEALTH_VERDICT_NONE);
}

/* A target whose every call fails is never UP, with one call or with many; one that recovered is UP
 * after ten successes, or ten minutes after its last failure. */
static void the_state_follows_the_share_of_failures(void **state)
{
    (void)state;
    rc_health_init(&health, 1000);
    assert_int_equal(rc_health_of_calls(&health, 1000), RC_HEALTH_UP); /* no call yet */
    assert_int_equal(rc_health_share_of(&health, 1000).calls, 0);
    for (int64_t i = 1; i <= 30; i++) {
        rc_health_note(&health, RC_HEALTH_VERDICT_BAD, RC_CODE_PROVIDER_5XX, 1000 + i);
        assert_int_equal(rc_health_of_calls(&health, 1000 + i), RC_HEALTH_FAILING);
    }
    assert_int_equal(rc_health_share_of(&health, 2000).calls, RC_HEALTH_RESULTS);
    assert_int_equal(rc_health_share_of(&health, 2000).failed, RC_HEALTH_RESULTS);
    /* Days without traffic do not make it UP. */
    assert_int_equal(rc_health_of_calls(&health, INT64_C(86400000) * 3), RC_HEALTH_FAILING);
    for (int64_t i = 1; i < RC_HEALTH_RESULTS; i++) {
        rc_health_note(&health, RC_HEALTH_VERDICT_GOOD, RC_CODE_NONE, 3000 + i);
        assert_int_equal(rc_health_of_calls(&health, 3000 + i), RC_HEALTH_DEGRADED);
        assert_int_equal(rc_health_share_of(&health, 3000 + i).failed, RC_HEALTH_RESULTS - i);
    }
    assert_int_equal(rc_health_of_calls(&health, 3000 + RC_HEALTH_FORGET_MS), RC_HEALTH_UP);
    assert_int_equal(rc_health_share_of(&health, 3000 + RC_HEALTH_FORGET_MS).failed, 0);
    rc_health_note(&health, RC_HEALTH_VERDICT_GOOD, RC_CODE_NONE, 4000);
    assert_int_equal(rc_health_of_calls(&health, 4000), RC_HEALTH_UP);
    assert_int_equal(rc_health_share_of(&health, 4000).failed, 0);
    assert_int_equal(rc_health_since_unix_ms(&health, RC_HEALTH_UP), 3001);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(failed_calls_change_the_state, start),
        cmocka_unit_test_setup(the_state_follows_the_share_of_failures, start),
        cmocka_unit_test_setup(times_are_those_of_the_state_change, start),
        cmocka_unit_test_setup(old_failures_are_forgotten, start),
        cmocka_unit_test_setup(errors_of_a_request_do_not_count, start),
    };
    return cmocka_run_group_tests_name("health", tests, NULL, NULL);
}
