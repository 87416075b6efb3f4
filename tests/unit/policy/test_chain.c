/* Tests of the start of a chain; and that a call visits each entry once from there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/call_fixture.h"

static void test_revert(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 3);
    rc_chain chain;
    rc_chain_init(&chain, RC_REVERT_COOLDOWN_EXPIRY);
    assert_int_equal(rc_chain_first(&chain), 0);
    rc_chain_on_success(&chain, &w.plan, 2);
    assert_int_equal(rc_chain_first(&chain), 0);
    rc_chain_init(&chain, RC_REVERT_NEVER);
    assert_int_equal(rc_chain_first(&chain), 0);
    rc_chain_on_success(&chain, &w.plan, 2);
    assert_int_equal(rc_chain_first(&chain), 2);
    rc_chain_on_success(&chain, &w.plan, 1);
    assert_int_equal(rc_chain_first(&chain), 1);
}

/* The target for contexts that are too long, which is not part of the chain, does not become the
 * start. */
static void test_entries_outside_the_chain_do_not_become_the_start(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    w.plan.overflow_to = 2;
    rc_chain chain;
    rc_chain_init(&chain, RC_REVERT_NEVER);
    rc_chain_on_success(&chain, &w.plan, 1);
    w.options.first_entry = rc_chain_first(&chain);
    fixture_begin(&w);
    fixture_fail(&w, RC_CODE_CONTEXT_OVERFLOW, NO_HINT);
    rc_action action = rc_call_on_success(&w.call, w.now_ms);
    assert_int_equal(action.entry, 2);
    rc_chain_on_success(&chain, &w.plan, action.entry);
    assert_int_equal(rc_chain_first(&chain), 1);
    w.plan.chain_count = 0; /* the chain has all entries */
    rc_chain_on_success(&chain, &w.plan, 2);
    assert_int_equal(rc_chain_first(&chain), 2);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(rc_revert_name(RC_REVERT_COOLDOWN_EXPIRY), "cooldown-expiry");
    assert_string_equal(rc_revert_name(RC_REVERT_NEVER), "never");
    assert_string_equal(rc_revert_name((rc_revert)7), "");
}

/* A session continues at the entry that succeeded last, and returns to the first entry when this is
 * allowed. */
static void test_session_keeps_the_last_successful_entry(void **state)
{
    (void)state;
    for (int revert = 0; revert < 2; revert++) {
        call_fixture w;
        fixture_init(&w, 3);
        rc_chain chain;
        rc_chain_init(&chain, (rc_revert)revert);
        w.options.first_entry = rc_chain_first(&chain);
        fixture_begin(&w);
        rc_action action = fixture_fail(&w, RC_CODE_OVERLOADED, 2000);
        assert_int_equal(action.entry, 1);
        action = rc_call_on_success(&w.call, w.now_ms);
        rc_chain_on_success(&chain, &w.plan, action.entry);

        w.options.first_entry = rc_chain_first(&chain);
        assert_int_equal(fixture_begin(&w).entry, 1);
        w.now_ms += 2000;
        assert_int_equal(fixture_begin(&w).entry, revert == RC_REVERT_NEVER ? 1 : 0);
    }
}

static void test_each_entry_is_visited_once(void **state)
{
    (void)state;
    for (uint16_t first = 0; first < 3; first++) {
        call_fixture w;
        fixture_init(&w, 3);
        w.options.first_entry = first;
        rc_action action = fixture_begin(&w);
        for (uint16_t i = 0; i < 3; i++) {
            assert_int_equal(action.entry, (first + i) % 3);
            action = fixture_fail(&w, RC_CODE_QUOTA_EXHAUSTED, NO_HINT);
        }
        assert_int_equal(action.reason, RC_WHY_CAPACITY_SPENT);
    }
}

static void test_begins_at_the_first_open_entry(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 3);
    w.options.first_entry = 1;
    rc_shared_set_service(&w.shared, 1, false);
    rc_shared_set_service(&w.shared, 2, false);
    assert_int_equal(fixture_begin(&w).entry, 0);
    assert_int_equal(w.skips.count, 2);
    w.options.first_entry = 9; /* an index outside the chain */
    assert_int_equal(fixture_begin(&w).entry, 0);
}

static void test_entries_outside_the_chain_are_not_tried(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    fixture_begin(&w);
    assert_int_equal(fixture_fail(&w, RC_CODE_OVERLOADED, 2000).entry, 1);
    assert_int_equal(fixture_fail(&w, RC_CODE_OVERLOADED, 2000).kind, RC_DO_WAIT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_revert),
        cmocka_unit_test(test_entries_outside_the_chain_do_not_become_the_start),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_session_keeps_the_last_successful_entry),
        cmocka_unit_test(test_each_entry_is_visited_once),
        cmocka_unit_test(test_begins_at_the_first_open_entry),
        cmocka_unit_test(test_entries_outside_the_chain_are_not_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
