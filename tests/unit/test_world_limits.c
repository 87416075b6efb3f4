/* Limits of a key at one target: they outlive other lists of keys and restarts, and what people
 * clear is forgotten. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "gateway/world.h"
#include "support/fail_alloc.h"

#define NOW_MS 1000u
#define NOW_UNIX_MS INT64_C(1800000000000)
#define QUOTA_MS 60000u

static rc_gate_world world;
static rc_config_provider config = {.name = RC_STR_INIT("up")};
static rc_gate_provider provider = {.config = &config};
static fail_alloc memory;

static int set_up(void **state)
{
    (void)state;
    memory = (fail_alloc){.fail_at = 0};
    const rc_alloc alloc = fail_alloc_of(&memory);
    return rc_gate_world_init(&world, &rc_sys_real, &alloc, 1, NOW_MS) == RC_OK ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    rc_gate_world_done(&world);
    return memory.live == 0 && !memory.is_broken ? 0 : 1;
}

/* Keys by the first byte of their prints: "ab" is a list of two. */
static void use_keys(const char *keys)
{
    rc_world_print prints[8] = {0};
    config.key_count = strlen(keys);
    for (size_t i = 0; i < config.key_count; i++)
        prints[i].bytes[0] = (uint8_t)keys[i];
    assert_true(rc_gate_world_pool(&world, config.name, prints, config.key_count, NOW_MS,
                                   &provider.first_key));
    rc_gate_world_set_pool(&world, &provider, 1);
}

static uint16_t guest(const char *model)
{
    const uint16_t row =
        rc_gate_world_guest(&world, config.name, rc_str_c(model), &provider, NOW_MS);
    assert_int_not_equal(row, RC_NO_TARGET);
    return row;
}

/* key: its place in the present list. */
static void use_up(uint16_t row, uint16_t key)
{
    rc_shared_limit_credential(&world.shared, row, (uint16_t)(provider.first_key + key),
                               RC_CREDENTIAL_EXHAUSTED, NOW_MS + QUOTA_MS);
}

static rc_credential_state at(uint16_t row, uint16_t key)
{
    const rc_credential *limit =
        rc_target_limit(&world.shared.targets[row], (uint16_t)(provider.first_key + key));
    return limit != NULL ? rc_credential_state_at(limit, NOW_MS) : RC_CREDENTIAL_DEAD;
}

static void another_list_of_keys(void **state)
{
    (void)state;
    use_keys("ab");
    const uint16_t row = guest("m");
    use_up(row, 1);
    use_keys("ab"); /* the same: nothing moves */
    assert_int_equal(at(row, 1), RC_CREDENTIAL_EXHAUSTED);
    use_keys("bcd");
    assert_int_equal(at(row, 0), RC_CREDENTIAL_EXHAUSTED);
    assert_int_equal(at(row, 1), RC_CREDENTIAL_HEALTHY);
    use_keys("cd");
    assert_int_equal(at(row, 0), RC_CREDENTIAL_HEALTHY);
    assert_int_equal(at(row, 1), RC_CREDENTIAL_HEALTHY);
    use_keys("");
    assert_null(world.shared.targets[row].limits);
    assert_true(rc_shared_validate(&world.shared));
}

/* Without memory for limits a key is closed everywhere, which asks less and not more. */
static void no_memory(void **state)
{
    (void)state;
    use_keys("ab");
    const uint16_t row = guest("m");
    const rc_world_print print = {.bytes = {'a'}};
    config.key_count = 1;
    assert_true(rc_gate_world_pool(&world, config.name, &print, 1, NOW_MS, &provider.first_key));
    fail_alloc_set(&memory, false);
    rc_gate_world_set_pool(&world, &provider, 1);
    assert_null(world.shared.targets[row].limits);
    assert_int_equal(world.shared.targets[row].credential_count, 1);
    fail_alloc_set(&memory, true);
    use_keys("a"); /* the next reload has some */
    assert_non_null(world.shared.targets[row].limits);
}

static void a_guest_that_is_limited_keeps_its_row(void **state)
{
    (void)state;
    use_keys("a");
    const uint16_t row = guest("m");
    assert_false(rc_world_has_limits(&world.shared.targets[row], NOW_MS));
    use_up(row, 0);
    assert_true(rc_world_has_limits(&world.shared.targets[row], NOW_MS));
    assert_false(rc_world_has_limits(&world.shared.targets[row], NOW_MS + QUOTA_MS));
}

static bool mark(uint16_t row, uint16_t key, char *name, rc_store_mark *ret_mark)
{
    return rc_gate_world_mark(&world, row, (uint16_t)(provider.first_key + key), NOW_MS,
                              NOW_UNIX_MS, name, ret_mark);
}

static void marks_name_the_key_and_the_model(void **state)
{
    (void)state;
    char name[RC_WORLD_MARK_MAX];
    rc_store_mark got;
    use_keys("ab");
    const uint16_t row = guest("vendor/m");
    assert_false(mark(row, 0, name, &got));
    rc_shared_limit_credential(&world.shared, row, provider.first_key, RC_CREDENTIAL_COOLING,
                               NOW_MS + 5);
    assert_false(mark(row, 0, name, &got)); /* a rate is soon forgotten */
    use_up(row, 0);
    assert_true(mark(row, 0, name, &got));
    assert_int_equal(got.kind, RC_STORE_MARK_LIMIT);
    assert_true(rc_str_eq(got.name, RC_STR("up#6100000000000000/vendor/m")));
    assert_int_equal(got.state, RC_CREDENTIAL_EXHAUSTED);
    assert_int_equal(got.until_unix_ms, NOW_UNIX_MS + QUOTA_MS);
    assert_false(mark(RC_NO_TARGET, 0, name, &got));
    /* What holds at large is said at large. */
    rc_shared_cool_credential(&world.shared, provider.first_key, RC_CREDENTIAL_DEAD, 0);
    assert_true(mark(row, 0, name, &got));
    assert_int_equal(got.kind, RC_STORE_MARK_CREDENTIAL);
    /* A name that does not fit is not kept by half. */
    char model[RC_WORLD_MARK_MAX + 1];
    memset(model, 'm', sizeof model - 1);
    model[sizeof model - 1] = '\0';
    const uint16_t long_row = guest(model);
    use_up(long_row, 1);
    assert_false(mark(long_row, 1, name, &got));
}

static void what_people_clear_is_forgotten(void **state)
{
    (void)state;
    rc_world_marks marks;
    use_keys("ab");
    const uint16_t one = guest("one");
    const uint16_t two = guest("two");
    use_up(one, 0);
    use_up(one, 1);
    use_up(two, 0);
    rc_gate_world_forget(&world, one, RC_NO_TARGET, NOW_MS, &marks);
    assert_int_equal(marks.count, 2);
    rc_shared_cool_credential(&world.shared, provider.first_key, RC_CREDENTIAL_EXHAUSTED,
                              NOW_MS + 9);
    rc_gate_world_forget(&world, RC_NO_TARGET, provider.first_key, NOW_MS, &marks);
    assert_int_equal(marks.count, 3);
    assert_int_equal(marks.marks[0].kind, RC_STORE_MARK_CREDENTIAL);
    assert_true(rc_str_eq(marks.marks[0].name, RC_STR("up#6100000000000000")));
    assert_true(rc_str_eq(marks.marks[2].name, RC_STR("up#6100000000000000/two")));
    for (size_t i = 0; i < marks.count; i++)
        assert_int_equal(marks.marks[i].state, 0);
    /* More than fit: as many as fit. */
    for (unsigned i = 0; i < RC_WORLD_MARKS_MAX + 9; i++) {
        char model[16];
        snprintf(model, sizeof model, "x%u", i);
        use_up(guest(model), 1);
    }
    rc_gate_world_forget(&world, RC_NO_TARGET, (uint16_t)(provider.first_key + 1), NOW_MS, &marks);
    assert_int_equal(marks.count, RC_WORLD_MARKS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(another_list_of_keys, set_up, tear_down),
        cmocka_unit_test_setup_teardown(no_memory, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_guest_that_is_limited_keeps_its_row, set_up, tear_down),
        cmocka_unit_test_setup_teardown(marks_name_the_key_and_the_model, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_people_clear_is_forgotten, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
