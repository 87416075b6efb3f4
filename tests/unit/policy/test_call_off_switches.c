/* Tests of the settings that switch off parts of the delivery: `failover: last`, `wait: off`,
 * `learn: off`. */
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
    rc_rate_limits learned[FIXTURE_TARGETS];
    uint64_t memory[WAITING * 32];
} queue_fixture;

static void add_queue(queue_fixture *f, bool learns)
{
    rc_queue_settings settings = rc_queue_settings_default();
    assert_true(rc_queue_memory_bytes(WAITING) <= sizeof f->memory);
    rc_queue_init(&f->queue, &settings, f->memory, WAITING);
    rc_shared_set_queue(&f->w.shared, &f->queue, NULL);
    for (uint16_t i = 0; i < FIXTURE_TARGETS; i++) {
        rc_rate_limits_init(&f->learned[i]);
        if (learns)
            rc_shared_set_learned(&f->w.shared, i, &f->learned[i]);
    }
}

/* With `failover: last` all attempts of the rule, with their waits, take place at the first target
 * before the second one is used. */
static void test_failover_last_retries_the_first_target_first(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 2);
    w.plan.is_failover_last = true;
    rc_action action = fixture_begin(&w);
    for (uint16_t entry = 0; entry < 2; entry++) {
        for (int i = 0; i < 2; i++) {
            assert_int_equal(action.entry, entry);
            action = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
            expect_action(action, RC_DO_WAIT, RC_WHY_BACKOFF);
            action = fixture_wake(&w, &action);
            expect_action(action, RC_DO_TRY, RC_WHY_WOKE);
        }
        action = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
        if (entry == 0)
            expect_action(action, RC_DO_TRY, RC_WHY_ATTEMPTS_SPENT_NEXT_TARGET);
    }
    expect_stop(action, RC_WHY_ATTEMPTS_SPENT, true);
    assert_int_equal(w.call.calls, 6);
    assert_true(rc_call_validate(&w.call));
}

/* With `failover: last` a call with two targets leaves the first target after the attempts of the
 * rule, even if enough calls succeed there that a call without an alternative would go on. */
static void test_failover_last_ends_at_a_yielding_target(void **state)
{
    (void)state;
    static queue_fixture f;
    fixture_init(&f.w, 2);
    add_queue(&f, true);
    f.w.plan.is_failover_last = true;
    for (int i = 0; i < 20; i++) {
        fixture_begin(&f.w);
        expect_action(rc_call_on_success(&f.w.call, f.w.now_ms), RC_DO_DELIVER, RC_WHY_SUCCEEDED);
    }
    rc_action action = fixture_begin(&f.w);
    uint32_t calls_at_first = 0;
    while (action.kind != RC_DO_STOP && action.entry == 0) {
        if (action.kind == RC_DO_WAIT) {
            action = fixture_wake(&f.w, &action);
            continue;
        }
        calls_at_first++;
        action = fixture_fail(&f.w, RC_CODE_PROVIDER_5XX, NO_HINT);
    }
    assert_int_equal(calls_at_first, 3);
    expect_action(action, RC_DO_TRY, RC_WHY_ATTEMPTS_SPENT_NEXT_TARGET);
}

/* With `wait: off` a request whose only target is closed ends at once, and tells when the target
 * opens. Without `wait: off` the request waits. */
static void test_wait_off_refuses_at_once(void **state)
{
    (void)state;
    static queue_fixture f;
    fixture_init(&f.w, 1);
    add_queue(&f, true);
    f.w.options.deadline_at_ms = f.w.now_ms + 60000;
    rc_shared_cool_down_target(&f.w.shared, 0, f.w.now_ms + 5000);
    expect_action(fixture_begin(&f.w), RC_DO_WAIT, RC_WHY_QUEUED);
    expect_action(rc_call_on_cancel(&f.w.call, f.w.now_ms), RC_DO_STOP, RC_WHY_CANCELLED);
    f.w.options.never_queues = true;
    rc_action action = fixture_begin(&f.w);
    expect_stop(action, RC_WHY_ALL_UNAVAILABLE, false);
    assert_true(action.at_ms == f.w.now_ms + 5000);
    assert_int_equal(f.queue.count, 0);
}

static void refuse_twenty(queue_fixture *f, rc_limit_kind kind)
{
    rc_call calls[20];
    for (int i = 0; i < 20; i++) {
        rc_call_init(&calls[i], &f->w.plan, &f->w.shared, &f->w.options, f->w.now_ms);
        rc_call_begin(&calls[i], f->w.now_ms, 1);
    }
    f->w.now_ms += 100;
    for (int i = 0; i < 20; i++) {
        rc_failure_facts failure = fixture_failure(RC_CODE_RATE_LIMITED, NO_HINT);
        failure.limit_kind = kind;
        rc_call_on_failure(&calls[i], &failure, f->w.now_ms, 1);
        rc_call_on_cancel(&calls[i], f->w.now_ms);
    }
}

/* With `learn: off` no limit follows from refused calls. */
static void test_learn_off_learns_nothing(void **state)
{
    (void)state;
    static queue_fixture f;
    for (int learns = 0; learns < 2; learns++) {
        fixture_init(&f.w, 1);
        add_queue(&f, learns);
        refuse_twenty(&f, RC_LIMIT_KIND_CONCURRENCY);
        assert_int_equal(f.w.targets[0].admission.most_in_flight > 0, learns);
        assert_int_equal(f.w.targets[0].admission.in_flight, 0);
        assert_int_equal(rc_cooldown_is_on(&f.w.targets[0].cooldown, false, f.w.now_ms), !learns);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_failover_last_retries_the_first_target_first),
        cmocka_unit_test(test_failover_last_ends_at_a_yielding_target),
        cmocka_unit_test(test_wait_off_refuses_at_once),
        cmocka_unit_test(test_learn_off_learns_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
