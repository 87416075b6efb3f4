/* Rows of targets that clients name: many names, few rows, and nothing changes under whoever uses
 * one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "gateway/world.h"

#define NOW_MS 1000u
#define NAME_MAX_BYTES 64

static rc_gate_world world;
static const rc_config_provider config = {.name = RC_STR_INIT("up"), .max_in_flight = 7};
static const rc_gate_provider provider = {.config = &config};

static int set_up(void **state)
{
    (void)state;
    const rc_alloc alloc = rc_alloc_stdlib();
    return rc_gate_world_init(&world, &rc_sys_real, &alloc, 1, NOW_MS) == RC_OK ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    rc_gate_world_done(&world);
    return 0;
}

static uint16_t take(const char *model, uint64_t now_ms)
{
    return rc_gate_world_guest(&world, config.name, rc_str_c(model), &provider, now_ms);
}

static uint16_t take_number(unsigned number, uint64_t now_ms)
{
    char model[NAME_MAX_BYTES];
    snprintf(model, sizeof model, "model-%u", number);
    return take(model, now_ms);
}

/* All rows, each left a millisecond after the one before it. */
static void fill(void)
{
    for (unsigned i = 0; i < RC_WORLD_GUESTS_MAX; i++)
        assert_int_equal(take_number(i, NOW_MS), i);
    for (unsigned i = 0; i < RC_WORLD_GUESTS_MAX; i++)
        rc_gate_world_leave(&world, (uint16_t)i, NOW_MS + i);
}

static bool is_named(uint16_t row, const char *model)
{
    const rc_world_target *target = &world.targets[row];
    char name[NAME_MAX_BYTES];
    const int len = snprintf(name, sizeof name, "up/%s", model);
    return rc_str_eq(rc_str_make(target->name, target->name_len), rc_str_make(name, (size_t)len));
}

static void the_longest_rest_goes_first(void **state)
{
    (void)state;
    fill();
    /* Whoever asks for a name that has a row gets that one, and it has rested least then. */
    assert_int_equal(take("model-0", 9000), 0);
    rc_gate_world_leave(&world, 0, 9000);
    assert_int_equal(take("fresh", 9001), 1);
    assert_true(is_named(1, "fresh"));
    assert_int_equal(take("fresher", 9001), 2);
    assert_int_equal(take("fresh", 9002), 1);
    /* The names that were there are nobody's, and can come back. */
    assert_int_equal(take("model-1", 9003), 3);
    assert_int_equal(take("model-0", 9004), 0);
    assert_int_equal(world.target_count, RC_WORLD_GUESTS_MAX);
    assert_int_equal(world.guests, RC_WORLD_GUESTS_MAX);
}

static void what_is_known_is_kept(void **state)
{
    (void)state;
    fill();
    rc_shared_cool_target(&world.shared, 0, 20000);
    rc_shared_set_service(&world.shared, 1, false);
    world.shared.targets[2].breaker.state = RC_BREAKER_OPEN;
    world.shared.targets[3].breaker.state = RC_BREAKER_HALF_OPEN;
    world.shared.targets[4].limiter.in_flight = 1;
    assert_int_equal(take("model-5", 9000), 5); /* a job has it */
    assert_int_equal(take("fresh", 9000), 6);
    assert_true(is_named(5, "model-5"));
    /* Once its time is over, it is as any other. */
    assert_int_equal(take("later", 20000), 0);
    assert_false(rc_cooldown_is_on(&world.shared.targets[0].cooldown, false, 20000));
    world.shared.targets[4].limiter.in_flight = 0;
}

static void a_new_guest_is_not_known(void **state)
{
    (void)state;
    fill();
    rc_shared_cool_target(&world.shared, 0, 5000);
    world.shared.targets[0].breaker.slot_calls[0] = 9;
    world.shared.targets[0].breaker.slot_failures[0] = 9;
    world.shared.targets[0].breaker.opened_in_a_row = 3;
    world.shared.targets[0].limiter.max = 1;
    assert_int_equal(take("fresh", 5000), 0);
    const rc_target *row = &world.shared.targets[0];
    assert_int_equal(row->breaker.slot_failures[0], 0);
    assert_int_equal(row->breaker.opened_in_a_row, 0);
    assert_int_equal(row->limiter.max, 7);
    assert_true(rc_breaker_validate(&row->breaker));
}

static void none_rests(void **state)
{
    (void)state;
    for (unsigned i = 0; i < RC_WORLD_GUESTS_MAX; i++)
        assert_int_equal(take_number(i, NOW_MS), i);
    assert_int_equal(take("fresh", 9000), RC_NO_TARGET);
    assert_int_equal(take("model-9", 9000), 9); /* two have it now */
    rc_gate_world_leave(&world, 9, 9000);
    assert_int_equal(take("fresh", 9000), RC_NO_TARGET);
    rc_gate_world_leave(&world, 9, 9001);
    assert_int_equal(take("fresh", 9002), 9);
}

/* A name of a route is no guest's any more, and an operator's hand is on the row that was meant. */
static void others_hold_rows_too(void **state)
{
    (void)state;
    fill();
    assert_int_equal(rc_gate_world_target(&world, config.name, RC_STR("model-0"), 9000), 0);
    assert_int_equal(world.guests, RC_WORLD_GUESTS_MAX - 1);
    assert_int_equal(take("fresh", 9000), RC_WORLD_GUESTS_MAX); /* there is room for one more */
    assert_int_equal(rc_gate_world_take_target(&world, RC_STR("up/model-1")), 1);
    assert_int_equal(take("fresher", 9000), 2);
    rc_gate_world_leave(&world, 1, 9000);
    assert_int_equal(rc_gate_world_take_target(&world, RC_STR("up/none")), RC_NO_TARGET);
    assert_int_equal(take("model-0", 9000), 0);
    rc_gate_world_leave(&world, 0, 1);
    assert_int_equal(take("freshest", 9000), 3);
    assert_true(is_named(0, "model-0"));
}

/* Jobs that come and go, beside a list of what each of them holds. */
static void rows_do_not_change_in_use(void **state)
{
    (void)state;
    enum {
        JOBS = 300,
        NAMES = 3000
    };
    static struct {
        unsigned name;
        uint16_t row;
        bool is_on;
    } jobs[JOBS];
    uint64_t chance = 12345;
    memset(jobs, 0, sizeof jobs);
    for (unsigned step = 0; step < 30000; step++) {
        chance = chance * UINT64_C(6364136223846793005) + 1442695040888963407u;
        const unsigned at = (unsigned)(chance >> 33) % JOBS;
        char model[NAME_MAX_BYTES];
        if (jobs[at].is_on) {
            snprintf(model, sizeof model, "model-%u", jobs[at].name);
            assert_true(is_named(jobs[at].row, model));
            assert_int_equal(take(model, NOW_MS + step), jobs[at].row);
            rc_gate_world_leave(&world, jobs[at].row, NOW_MS + step);
            rc_gate_world_leave(&world, jobs[at].row, NOW_MS + step);
            jobs[at].is_on = false;
            continue;
        }
        jobs[at].name = (unsigned)(chance >> 20) % NAMES;
        jobs[at].row = take_number(jobs[at].name, NOW_MS + step);
        jobs[at].is_on = true;
        assert_true(jobs[at].row < RC_WORLD_GUESTS_MAX);
    }
    /* Each row is found by its own name, and no name is there twice. */
    for (uint32_t i = 0; i < world.target_count; i++) {
        const rc_world_target *row = &world.targets[i];
        assert_int_equal(rc_gate_world_take_target(&world, rc_str_make(row->name, row->name_len)),
                         i);
    }
    assert_int_equal(world.target_count, RC_WORLD_GUESTS_MAX);
    assert_true(rc_shared_validate(&world.shared));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_longest_rest_goes_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_known_is_kept, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_new_guest_is_not_known, set_up, tear_down),
        cmocka_unit_test_setup_teardown(none_rests, set_up, tear_down),
        cmocka_unit_test_setup_teardown(others_hold_rows_too, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_do_not_change_in_use, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
