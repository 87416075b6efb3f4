/* Tests of the rows of targets that clients name: many names and few rows; a row never changes
 * while it is in use. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "gateway/state/hub.h"
#include "support/often.h"
#include "sys/calls.h"

#define NOW_MS 1000u
#define NAME_MAX_BYTES 64

static rc_hub hub;
static const rc_config_provider config = {.name = RC_STR_INIT("up"), .max_in_flight = 7};
static const rc_snapshot_provider provider = {.config = &config};

static int set_up(void **state)
{
    (void)state;
    const rc_alloc alloc = rc_alloc_stdlib();
    return rc_hub_init(&hub, &rc_sys_real, &alloc, 1, NOW_MS) == RC_OK ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    rc_hub_done(&hub);
    return 0;
}

static uint16_t take(const char *model, uint64_t now_ms)
{
    return rc_hub_take_named_target(&hub, config.name, rc_str_c(model), &provider, now_ms);
}

static uint16_t take_number(unsigned number, uint64_t now_ms)
{
    char model[NAME_MAX_BYTES];
    snprintf(model, sizeof model, "model-%u", number);
    return take(model, now_ms);
}

/* Takes all rows, and releases each a millisecond after the previous one. */
static void fill(void)
{
    for (unsigned i = 0; i < RC_HUB_NAMED_TARGETS_MAX; i++)
        assert_int_equal(take_number(i, NOW_MS), i);
    for (unsigned i = 0; i < RC_HUB_NAMED_TARGETS_MAX; i++)
        rc_hub_release_target(&hub, (uint16_t)i, NOW_MS + i);
}

static bool is_named(uint16_t row, const char *model)
{
    const rc_hub_target *target = &hub.targets[row];
    char name[NAME_MAX_BYTES];
    const int len = snprintf(name, sizeof name, "up/%s", model);
    return rc_str_eq(rc_str_make(target->name, target->name_len), rc_str_make(name, (size_t)len));
}

static void the_longest_unused_row_is_reused_first(void **state)
{
    (void)state;
    fill();
    /* A name that has a row gets the same row again, which is then the most recently used one. */
    assert_int_equal(take("model-0", 9000), 0);
    rc_hub_release_target(&hub, 0, 9000);
    assert_int_equal(take("fresh", 9001), 1);
    assert_true(is_named(1, "fresh"));
    assert_int_equal(take("fresher", 9001), 2);
    assert_int_equal(take("fresh", 9002), 1);
    /* The replaced names have no row any more, but can get one again. */
    assert_int_equal(take("model-1", 9003), 3);
    assert_int_equal(take("model-0", 9004), 0);
    assert_int_equal(hub.target_count, RC_HUB_NAMED_TARGETS_MAX);
    assert_int_equal(hub.named_target_count, RC_HUB_NAMED_TARGETS_MAX);
}

static void rows_with_state_are_not_reused(void **state)
{
    (void)state;
    fill();
    rc_shared_cool_down_target(&hub.shared, 0, 20000);
    rc_shared_set_service(&hub.shared, 1, false);
    hub.shared.targets[2].breaker.state = RC_BREAKER_OPEN;
    hub.shared.targets[3].breaker.state = RC_BREAKER_HALF_OPEN;
    hub.shared.targets[4].limiter.in_flight = 1;
    assert_int_equal(take("model-5", 9000), 5);
    /* The call above marks row 5 as used by an exchange, so another model does not get row 5. */
    assert_int_equal(take("fresh", 9000), 6);
    assert_true(is_named(5, "model-5"));
    /* A row in a cooldown can be reused like any other row after the cooldown. */
    assert_int_equal(take("later", 20000), 0);
    assert_false(rc_cooldown_is_on(&hub.shared.targets[0].cooldown, false, 20000));
    hub.shared.targets[4].limiter.in_flight = 0;
}

static void a_reused_row_has_no_state(void **state)
{
    (void)state;
    fill();
    rc_shared_cool_down_target(&hub.shared, 0, 5000);
    hub.shared.targets[0].breaker.slot_calls[0] = 9;
    hub.shared.targets[0].breaker.slot_failures[0] = 9;
    hub.shared.targets[0].breaker.opened_in_a_row = 3;
    hub.shared.targets[0].limiter.max = 1;
    assert_int_equal(take("fresh", 5000), 0);
    const rc_target *row = &hub.shared.targets[0];
    assert_int_equal(row->breaker.slot_failures[0], 0);
    assert_int_equal(row->breaker.opened_in_a_row, 0);
    assert_int_equal(row->limiter.max, 7);
    assert_true(rc_breaker_validate(&row->breaker));
}

static void without_an_unused_row_no_row_is_returned(void **state)
{
    (void)state;
    for (unsigned i = 0; i < RC_HUB_NAMED_TARGETS_MAX; i++)
        assert_int_equal(take_number(i, NOW_MS), i);
    assert_int_equal(take("fresh", 9000), RC_NO_TARGET);
    assert_int_equal(take("model-9", 9000), 9); /* the row has two users */
    rc_hub_release_target(&hub, 9, 9000);
    assert_int_equal(take("fresh", 9000), RC_NO_TARGET);
    rc_hub_release_target(&hub, 9, 9001);
    assert_int_equal(take("fresh", 9002), 9);
}

/* A target that a route names is no longer a named target. An operator's action on a target also
 * reserves its row. */
static void routes_and_operators_also_reserve_rows(void **state)
{
    (void)state;
    fill();
    assert_int_equal(rc_hub_add_target(&hub, config.name, RC_STR("model-0"), 9000), 0);
    assert_int_equal(hub.named_target_count, RC_HUB_NAMED_TARGETS_MAX - 1);
    assert_int_equal(take("fresh", 9000),
                     RC_HUB_NAMED_TARGETS_MAX); /* the limit allows one more row */
    assert_int_equal(rc_hub_take_target(&hub, RC_STR("up/model-1")), 1);
    assert_int_equal(take("fresher", 9000), 2);
    rc_hub_release_target(&hub, 1, 9000);
    assert_int_equal(rc_hub_take_target(&hub, RC_STR("up/none")), RC_NO_TARGET);
    assert_int_equal(take("model-0", 9000), 0);
    rc_hub_release_target(&hub, 0, 1);
    assert_int_equal(take("freshest", 9000), 3);
    assert_true(is_named(0, "model-0"));
}

/* Random exchanges begin and end; the rows are compared with a list of the rows that each exchange
 * uses. */
static void rows_do_not_change_in_use(void **state)
{
    (void)state;
    enum {
        HOLDERS = 300,
        NAMES = 3000
    };
    static struct {
        unsigned name;
        uint16_t row;
        bool is_on;
    } holders[HOLDERS];
    uint64_t entropy = 12345;
    memset(holders, 0, sizeof holders);
    for (unsigned step = 0; step < OFTEN(100000); step++) {
        entropy = entropy * UINT64_C(6364136223846793005) + 1442695040888963407u;
        const unsigned at = (unsigned)(entropy >> 33) % HOLDERS;
        char model[NAME_MAX_BYTES];
        if (holders[at].is_on) {
            snprintf(model, sizeof model, "model-%u", holders[at].name);
            assert_true(is_named(holders[at].row, model));
            assert_int_equal(take(model, NOW_MS + step), holders[at].row);
            rc_hub_release_target(&hub, holders[at].row, NOW_MS + step);
            rc_hub_release_target(&hub, holders[at].row, NOW_MS + step);
            holders[at].is_on = false;
            continue;
        }
        holders[at].name = (unsigned)(entropy >> 20) % NAMES;
        holders[at].row = take_number(holders[at].name, NOW_MS + step);
        holders[at].is_on = true;
        assert_true(holders[at].row < RC_HUB_NAMED_TARGETS_MAX);
    }
    /* Each row is found by its own name, and no name occurs twice. */
    for (uint32_t i = 0; i < hub.target_count; i++) {
        const rc_hub_target *row = &hub.targets[i];
        assert_int_equal(rc_hub_take_target(&hub, rc_str_make(row->name, row->name_len)), i);
    }
    assert_int_equal(hub.target_count, RC_HUB_NAMED_TARGETS_MAX);
    assert_true(rc_shared_validate(&hub.shared));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_longest_unused_row_is_reused_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_with_state_are_not_reused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reused_row_has_no_state, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_an_unused_row_no_row_is_returned, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(routes_and_operators_also_reserve_rows, set_up, tear_down),
        cmocka_unit_test_setup_teardown(rows_do_not_change_in_use, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
