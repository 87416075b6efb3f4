/* Tests of the state of targets and keys that the admin interface shows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gateway/admin/source.h"

#define NOW 1000000

static rc_target targets[2];
static rc_credential credentials[3];
static rc_shared shared;

static void start(void)
{
    const rc_shared_settings settings = rc_shared_settings_default();
    rc_shared_init(&shared, &settings, targets, 2, credentials, 3, NOW);
    rc_shared_set_pool(&shared, 0, 0, 2, NULL);
    rc_shared_set_limit(&shared, 0, 4);
}

static rc_admin_target target_at(uint16_t target, uint64_t now_ms)
{
    rc_admin_target shown = {.provider = RC_STR_INIT("p")};
    rc_admin_fill_target(&shared, target, now_ms, &shown);
    return shown;
}

static const char *state_name(uint16_t target, uint64_t now_ms)
{
    const rc_admin_target shown = target_at(target, now_ms);
    return rc_admin_target_state_name(rc_admin_target_state_of(&shown));
}

static void a_healthy_target_is_up(void **state)
{
    (void)state;
    start();
    const rc_admin_target shown = target_at(0, NOW);
    assert_int_equal(shown.keys, 2);
    assert_int_equal(shown.usable_keys, 2);
    assert_int_equal(shown.max_in_flight, 4);
    assert_int_equal(shown.breaker, RC_BREAKER_CLOSED);
    assert_true(rc_str_eq(shown.provider, RC_STR("p")));
    assert_string_equal(state_name(0, NOW), "up");
    assert_string_equal(state_name(1, NOW), "up");
    /* A row that does not exist is not written. */
    assert_int_equal(target_at(7, NOW).keys, 0);
}

static void the_state_names_what_stops_calls(void **state)
{
    (void)state;
    start();
    rc_shared_cool_down_target(&shared, 0, NOW + 500);
    assert_string_equal(state_name(0, NOW), "cooling");
    assert_int_equal(target_at(0, NOW).cooling_ms, 500);
    assert_int_equal(target_at(0, NOW).cooling_code, RC_CODE_NONE);
    targets[0].cooled_for = RC_CODE_OVERLOADED;
    assert_int_equal(target_at(0, NOW).cooling_code, RC_CODE_OVERLOADED);
    assert_int_equal(target_at(0, NOW + 500).cooling_code, RC_CODE_NONE);
    assert_false(target_at(0, NOW).is_cooling_assumed);
    assert_string_equal(state_name(0, NOW + 500), "up");
    rc_cooldown_assume(&targets[0].cooldown, NOW + 900);
    assert_true(target_at(0, NOW + 600).is_cooling_assumed);
    rc_shared_set_service(&shared, 0, false);
    assert_string_equal(state_name(0, NOW), "out_of_service");
    rc_shared_set_service(&shared, 0, true);

    start();
    rc_shared_cool_down_credential(&shared, 0, RC_CREDENTIAL_DEAD, 0);
    assert_string_equal(state_name(0, NOW), "up");
    rc_shared_cool_down_credential(&shared, 1, RC_CREDENTIAL_EXHAUSTED, NOW + 60000);
    assert_string_equal(state_name(0, NOW), "no_key");
    assert_int_equal(target_at(0, NOW).usable_keys, 0);
    assert_string_equal(state_name(0, NOW + 60000), "up");

    /* A rejected key that may be tried again, as after a restart, does not make the target
     * usable. */
    start();
    rc_shared_cool_down_credential(&shared, 0, RC_CREDENTIAL_DEAD, NOW);
    assert_true(rc_credential_is_usable(&credentials[0], false, NOW));
    assert_string_equal(state_name(0, NOW), "up");
    assert_int_equal(target_at(0, NOW).usable_keys, 1);
    rc_shared_cool_down_credential(&shared, 1, RC_CREDENTIAL_DEAD, NOW);
    assert_string_equal(state_name(0, NOW), "no_key");
    assert_int_equal(target_at(0, NOW).usable_keys, 0);
    rc_shared_revive_credential(&shared, 1);
    assert_string_equal(state_name(0, NOW), "up");

    start();
    for (int i = 0; i < 4; i++)
        assert_true(rc_limiter_take(&targets[0].limiter));
    assert_string_equal(state_name(0, NOW), "full");
    assert_int_equal(target_at(0, NOW).in_flight, 4);
}

static void an_open_breaker_shows_until_its_probe(void **state)
{
    (void)state;
    start();
    const rc_breaker_settings *settings = &shared.settings.breaker;
    for (uint32_t i = 0; i < settings->min_calls; i++) {
        const rc_breaker_admission pass = rc_breaker_admit(&targets[0].breaker, settings, NOW);
        rc_breaker_on_end(&targets[0].breaker, settings, pass, RC_BREAKER_FAILED, NOW, 0);
    }
    const rc_admin_target shown = target_at(0, NOW);
    assert_int_equal(shown.breaker, RC_BREAKER_OPEN);
    assert_true(shown.open_ms > 0 && shown.open_ms <= settings->open_max_ms);
    assert_string_equal(state_name(0, NOW), "breaker_open");
    /* When the breaker has been open for its time, the next call is the probe. */
    assert_string_equal(state_name(0, NOW + settings->open_max_ms), "up");
    assert_int_equal(target_at(0, NOW + settings->open_max_ms).open_ms, 0);
}

static void keys_have_a_state_and_its_end(void **state)
{
    (void)state;
    rc_admin_key key = {0};
    start();
    rc_admin_fill_key(&shared, 0, NOW, &key);
    assert_int_equal(key.state, RC_CREDENTIAL_HEALTHY);
    assert_int_equal(key.until_ms, 0);
    rc_shared_cool_down_credential(&shared, 0, RC_CREDENTIAL_COOLING, NOW + 700);
    rc_admin_fill_key(&shared, 0, NOW, &key);
    assert_int_equal(key.state, RC_CREDENTIAL_COOLING);
    assert_int_equal(key.until_ms, 700);
    rc_admin_fill_key(&shared, 0, NOW + 700, &key);
    assert_int_equal(key.state, RC_CREDENTIAL_HEALTHY);
    rc_shared_cool_down_credential(&shared, 0, RC_CREDENTIAL_DEAD, 0);
    rc_admin_fill_key(&shared, 0, NOW, &key);
    assert_int_equal(key.state, RC_CREDENTIAL_DEAD);
    assert_int_equal(key.until_ms, 0);
    rc_admin_fill_key(&shared, 99, NOW, &key);
    assert_int_equal(key.state, RC_CREDENTIAL_DEAD);
}

static void there_may_be_no_retry_budget(void **state)
{
    (void)state;
    rc_admin_retry_budget budget;
    start();
    rc_admin_fill_retry_budget(&shared.retry_budget, NOW, &budget);
    assert_true(budget.is_on);
    assert_int_equal(budget.tokens, 100);
    assert_int_equal(budget.ratio_milli, 200);
    const rc_retry_budget_settings none = {0};
    rc_retry_budget_set_settings(&shared.retry_budget, &none, NOW);
    rc_admin_fill_retry_budget(&shared.retry_budget, NOW, &budget);
    assert_false(budget.is_on);
    assert_int_equal(budget.tokens, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_healthy_target_is_up),
        cmocka_unit_test(the_state_names_what_stops_calls),
        cmocka_unit_test(an_open_breaker_shows_until_its_probe),
        cmocka_unit_test(keys_have_a_state_and_its_end),
        cmocka_unit_test(there_may_be_no_retry_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
