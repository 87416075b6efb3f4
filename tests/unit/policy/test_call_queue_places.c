/* Tests of calls in the waiting queue: which call gets the attempt, and the reason that a refused
 * call is given. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/call_fixture.h"

#define WAITING 16u

typedef struct queue_fixture {
    call_fixture w;
    rc_queue queue;
    uint64_t memory[WAITING * 32];
    rc_call calls[WAITING];
} queue_fixture;

static void set_up(queue_fixture *f, uint16_t chain_count, uint32_t max_waiting)
{
    rc_queue_settings settings = rc_queue_settings_default();
    settings.max_waiting = max_waiting;
    fixture_init(&f->w, chain_count);
    assert_true(rc_queue_memory_bytes(WAITING) <= sizeof f->memory);
    rc_queue_init(&f->queue, &settings, f->memory, WAITING);
    rc_shared_set_queue(&f->w.shared, &f->queue, NULL);
    f->w.options.deadline_at_ms = f->w.now_ms + 60000;
    f->w.options.skips = NULL;
}

static rc_action begin(queue_fixture *f, uint32_t index, uint64_t client)
{
    f->w.options.client = client;
    rc_call_init(&f->calls[index], &f->w.plan, &f->w.shared, &f->w.options, f->w.now_ms);
    return rc_call_begin(&f->calls[index], f->w.now_ms, 1);
}

static rc_action wake(queue_fixture *f, uint32_t index)
{
    return rc_call_on_wake(&f->calls[index], f->w.now_ms, 1);
}

/* A call whose place was taken by a call of another client is told that the queue had no room. */
static void test_a_call_that_lost_its_place_is_told_so(void **state)
{
    (void)state;
    static queue_fixture f;
    set_up(&f, 1, 2);
    rc_shared_cool_down_target(&f.w.shared, 0, f.w.now_ms + 5000);
    expect_action(begin(&f, 0, 1), RC_DO_WAIT, RC_WHY_QUEUED);
    expect_action(begin(&f, 1, 1), RC_DO_WAIT, RC_WHY_QUEUED);
    expect_stop(begin(&f, 2, 1), RC_WHY_QUEUE_FULL, false);
    expect_action(begin(&f, 3, 2), RC_DO_WAIT, RC_WHY_QUEUED);
    rc_action action = wake(&f, 1);
    expect_stop(action, RC_WHY_QUEUE_FULL, false);
    assert_true(action.at_ms == f.w.now_ms + 5000);
    assert_true(rc_call_validate(&f.calls[1]));
    assert_int_equal(f.queue.count, 2);
}

/* A target that an operator has cleared serves the waiting calls, although the first of them may
 * not be sent before the time that its provider named. */
static void test_a_hint_of_one_call_does_not_hold_back_others(void **state)
{
    (void)state;
    static queue_fixture f;
    set_up(&f, 1, WAITING);
    expect_action(begin(&f, 0, 1), RC_DO_TRY, RC_WHY_FIRST_ATTEMPT);
    rc_failure_facts failure = fixture_failure(RC_CODE_OVERLOADED, 30000);
    rc_action action = rc_call_on_failure(&f.calls[0], &failure, f.w.now_ms, 1);
    assert_true(action.kind == RC_DO_WAIT && action.is_queued);
    f.w.options.deadline_at_ms = f.w.now_ms + 120000;
    expect_action(begin(&f, 1, 1), RC_DO_WAIT, RC_WHY_QUEUED);
    rc_shared_clear_target(&f.w.shared, 0, f.w.now_ms);
    rc_shared_run_queue(&f.w.shared, f.w.now_ms, 1);
    expect_action(wake(&f, 1), RC_DO_TRY, RC_WHY_GRANTED);
    assert_int_equal(f.queue.count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_call_that_lost_its_place_is_told_so),
        cmocka_unit_test(test_a_hint_of_one_call_does_not_hold_back_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
