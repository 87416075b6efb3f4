/* Tests of the limits of a key at one target: they survive changed lists of keys and restarts, and
 * an operator can clear them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "gateway/state/hub.h"
#include "support/fail_alloc.h"
#include "sys/calls.h"

#define NOW_MS 1000u
#define NOW_UNIX_MS INT64_C(1800000000000)
#define QUOTA_MS 60000u

static rc_hub hub;
static rc_config_provider config = {.name = RC_STR_INIT("up")};
static rc_snapshot_provider provider = {.config = &config};
static fail_alloc memory;

static int set_up(void **state)
{
    (void)state;
    memory = (fail_alloc){.fail_at = 0};
    const rc_alloc alloc = fail_alloc_of(&memory);
    return rc_hub_init(&hub, &rc_sys_real, &alloc, 1, NOW_MS) == RC_OK ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    rc_hub_done(&hub);
    return memory.live == 0 && !memory.is_broken ? 0 : 1;
}

/* Sets keys by the first bytes of their fingerprints: "ab" is a list of two keys. */
static void use_keys(const char *keys)
{
    rc_key_fingerprint fingerprints[8] = {0};
    config.key_count = strlen(keys);
    for (size_t i = 0; i < config.key_count; i++)
        fingerprints[i].bytes[0] = (uint8_t)keys[i];
    assert_true(rc_hub_add_pool(&hub, config.name, fingerprints, config.key_count, NOW_MS,
                                &provider.first_key));
    rc_hub_set_pool(&hub, &provider, 1);
}

static uint16_t named_target(const char *model)
{
    const uint16_t row =
        rc_hub_take_named_target(&hub, config.name, rc_str_c(model), &provider, NOW_MS);
    assert_int_not_equal(row, RC_NO_TARGET);
    return row;
}

/* Records an exhausted quota. key: index of the key in the current list. */
static void use_up(uint16_t row, uint16_t key)
{
    rc_shared_limit_credential(&hub.shared, row, (uint16_t)(provider.first_key + key),
                               RC_CREDENTIAL_EXHAUSTED, NOW_MS + QUOTA_MS);
}

static rc_credential_state at(uint16_t row, uint16_t key)
{
    const rc_credential *limit =
        rc_target_limit(&hub.shared.targets[row], (uint16_t)(provider.first_key + key));
    return limit != NULL ? rc_credential_state_at(limit, NOW_MS) : RC_CREDENTIAL_DEAD;
}

static void limits_survive_a_changed_list_of_keys(void **state)
{
    (void)state;
    use_keys("ab");
    const uint16_t row = named_target("m");
    use_up(row, 1);
    use_keys("ab"); /* the same list of keys changes nothing */
    assert_int_equal(at(row, 1), RC_CREDENTIAL_EXHAUSTED);
    use_keys("bcd");
    assert_int_equal(at(row, 0), RC_CREDENTIAL_EXHAUSTED);
    assert_int_equal(at(row, 1), RC_CREDENTIAL_HEALTHY);
    use_keys("cd");
    assert_int_equal(at(row, 0), RC_CREDENTIAL_HEALTHY);
    assert_int_equal(at(row, 1), RC_CREDENTIAL_HEALTHY);
    use_keys("");
    assert_null(hub.shared.targets[row].limits);
    assert_true(rc_shared_validate(&hub.shared));
}

/* If no memory is available for limits, a limit closes the key for all targets. */
static void without_memory_a_limit_closes_the_key_everywhere(void **state)
{
    (void)state;
    use_keys("ab");
    const uint16_t row = named_target("m");
    const rc_key_fingerprint fingerprint = {.bytes = {'a'}};
    config.key_count = 1;
    assert_true(rc_hub_add_pool(&hub, config.name, &fingerprint, 1, NOW_MS, &provider.first_key));
    fail_alloc_set(&memory, false);
    rc_hub_set_pool(&hub, &provider, 1);
    assert_null(hub.shared.targets[row].limits);
    assert_int_equal(hub.shared.targets[row].credential_count, 1);
    fail_alloc_set(&memory, true);
    use_keys("a"); /* memory is available at the next reload */
    assert_non_null(hub.shared.targets[row].limits);
}

static void a_limited_named_target_keeps_its_row(void **state)
{
    (void)state;
    use_keys("a");
    const uint16_t row = named_target("m");
    assert_false(rc_hub_has_limits(&hub.shared.targets[row], NOW_MS));
    use_up(row, 0);
    assert_true(rc_hub_has_limits(&hub.shared.targets[row], NOW_MS));
    assert_false(rc_hub_has_limits(&hub.shared.targets[row], NOW_MS + QUOTA_MS));
}

static bool save(uint16_t row, uint16_t key, char *name, rc_saved_state *ret_saved)
{
    return rc_hub_save_credential(&hub, row, (uint16_t)(provider.first_key + key), NOW_MS,
                                  NOW_UNIX_MS, name, ret_saved);
}

static void saved_states_name_the_key_and_the_model(void **state)
{
    (void)state;
    char name[RC_HUB_SAVED_NAME_MAX];
    rc_saved_state got;
    use_keys("ab");
    const uint16_t row = named_target("vendor/m");
    assert_false(save(row, 0, name, &got));
    rc_shared_limit_credential(&hub.shared, row, provider.first_key, RC_CREDENTIAL_COOLING,
                               NOW_MS + 5);
    assert_false(save(row, 0, name, &got)); /* a rate limit is not saved */
    use_up(row, 0);
    assert_true(save(row, 0, name, &got));
    assert_int_equal(got.kind, RC_SAVED_STATE_LIMIT);
    assert_true(rc_str_eq(got.name, RC_STR("up#6100000000000000/vendor/m")));
    assert_int_equal(got.value, RC_CREDENTIAL_EXHAUSTED);
    assert_int_equal(got.until_unix_ms, NOW_UNIX_MS + QUOTA_MS);
    assert_false(save(RC_NO_TARGET, 0, name, &got));
    /* The state of the credential itself takes precedence over its state at one target. */
    rc_shared_cool_down_credential(&hub.shared, provider.first_key, RC_CREDENTIAL_DEAD, 0);
    assert_true(save(row, 0, name, &got));
    assert_int_equal(got.kind, RC_SAVED_STATE_CREDENTIAL);
    /* A name that is too long is not saved. */
    char model[RC_HUB_SAVED_NAME_MAX + 1];
    memset(model, 'm', sizeof model - 1);
    model[sizeof model - 1] = '\0';
    const uint16_t long_row = named_target(model);
    use_up(long_row, 1);
    assert_false(save(long_row, 1, name, &got));
}

static void cleared_limits_are_removed_from_the_store(void **state)
{
    (void)state;
    rc_hub_saved_states states;
    use_keys("ab");
    const uint16_t one = named_target("one");
    const uint16_t two = named_target("two");
    use_up(one, 0);
    use_up(one, 1);
    use_up(two, 0);
    rc_hub_clear_saved(&hub, one, RC_NO_TARGET, NOW_MS, &states);
    assert_int_equal(states.count, 2);
    rc_shared_cool_down_credential(&hub.shared, provider.first_key, RC_CREDENTIAL_EXHAUSTED,
                                   NOW_MS + 9);
    rc_hub_clear_saved(&hub, RC_NO_TARGET, provider.first_key, NOW_MS, &states);
    assert_int_equal(states.count, 3);
    assert_int_equal(states.states[0].kind, RC_SAVED_STATE_CREDENTIAL);
    assert_true(rc_str_eq(states.states[0].name, RC_STR("up#6100000000000000")));
    assert_true(rc_str_eq(states.states[2].name, RC_STR("up#6100000000000000/two")));
    for (size_t i = 0; i < states.count; i++)
        assert_int_equal(states.states[i].value, 0);
    /* If there are more states than can be saved, as many as possible are saved. */
    for (unsigned i = 0; i < RC_HUB_SAVED_MAX + 9; i++) {
        char model[16];
        snprintf(model, sizeof model, "x%u", i);
        use_up(named_target(model), 1);
    }
    rc_hub_clear_saved(&hub, RC_NO_TARGET, (uint16_t)(provider.first_key + 1), NOW_MS, &states);
    assert_int_equal(states.count, RC_HUB_SAVED_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(limits_survive_a_changed_list_of_keys, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_memory_a_limit_closes_the_key_everywhere, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_limited_named_target_keeps_its_row, set_up, tear_down),
        cmocka_unit_test_setup_teardown(saved_states_name_the_key_and_the_model, set_up, tear_down),
        cmocka_unit_test_setup_teardown(cleared_limits_are_removed_from_the_store, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
