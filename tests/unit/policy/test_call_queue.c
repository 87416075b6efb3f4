/* Tests of calls that wait in the queue of rc_shared after a failure. */
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
} queue_fixture;

static void set_up(queue_fixture *f)
{
    const rc_queue_settings settings = rc_queue_settings_default();
    fixture_init(&f->w, 1);
    f->w.policy.is_patient = true;
    f->w.options.deadline_at_ms = f->w.now_ms + 60000;
    assert_true(rc_queue_memory_bytes(WAITING) <= sizeof f->memory);
    rc_queue_init(&f->queue, &settings, f->memory, WAITING);
    rc_shared_set_queue(&f->w.shared, &f->queue, NULL);
}

/* The call waits exactly as long as the provider named, although the backoff of the policy for this
 * code would be shorter or longer. */
static void test_a_hint_is_waited_for_exactly(void **state)
{
    (void)state;
    static queue_fixture f;
    static const uint64_t hints_ms[] = {300, 1000, 20000};
    for (size_t i = 0; i < sizeof hints_ms / sizeof hints_ms[0]; i++) {
        set_up(&f);
        fixture_begin(&f.w);
        const uint64_t failed_at_ms = f.w.now_ms;
        rc_action action = fixture_fail(&f.w, RC_CODE_RATE_LIMITED, (int64_t)hints_ms[i]);
        expect_action(action, RC_DO_WAIT, RC_WHY_HINT);
        assert_true(action.is_queued);
        assert_int_equal(action.wait_ms, hints_ms[i]);
        f.w.now_ms = failed_at_ms + hints_ms[i] - 1;
        rc_shared_run_queue(&f.w.shared, f.w.now_ms, 1);
        assert_int_equal(f.queue.count, 1);
        f.w.now_ms = failed_at_ms + hints_ms[i];
        rc_shared_run_queue(&f.w.shared, f.w.now_ms, 1);
        assert_int_equal(f.queue.count, 0);
        action = rc_call_on_wake(&f.w.call, f.w.now_ms, 1);
        expect_action(action, RC_DO_TRY, RC_WHY_GRANTED);
        assert_true(rc_call_validate(&f.w.call));
    }
}

/* A call whose target opens only after the longest wait of the policy is not queued after a
 * failure: it ends at once, with the time that the provider named. */
static void test_max_delay_limits_waits_in_the_queue(void **state)
{
    (void)state;
    static queue_fixture f;
    for (int is_longer = 0; is_longer < 2; is_longer++) {
        set_up(&f);
        f.w.policy.is_patient = false;
        f.w.policy.default_rule.max_delay_ms = is_longer ? 4999 : 5000;
        expect_action(fixture_begin(&f.w), RC_DO_TRY, RC_WHY_FIRST_ATTEMPT);
        rc_action action = fixture_fail(&f.w, RC_CODE_RATE_LIMITED, 5000);
        if (!is_longer) {
            expect_action(action, RC_DO_WAIT, RC_WHY_HINT);
            rc_call_on_cancel(&f.w.call, f.w.now_ms);
            continue;
        }
        expect_action(action, RC_DO_STOP, RC_WHY_DELAY_TOO_LONG);
        assert_int_equal(action.wait_ms, 5000);
        assert_true(action.at_ms == f.w.now_ms + 5000);
        assert_int_equal(f.queue.count, 0);
        assert_true(rc_call_validate(&f.w.call));
    }
}

/* A patient call goes on after the attempts of its policy, but not after responses that cannot be
 * read, which a wrong base URL causes each time. */
static void test_unreadable_responses_end_a_patient_call(void **state)
{
    (void)state;
    static const rc_code CODES[] = {RC_CODE_PROVIDER_5XX, RC_CODE_MALFORMED_RESPONSE};
    static queue_fixture f;
    for (int i = 0; i < 2; i++) {
        set_up(&f);
        f.w.options.deadline_at_ms = f.w.now_ms + 600000;
        rc_action action = fixture_begin(&f.w);
        while (f.w.call.calls <= 3 && action.kind != RC_DO_STOP)
            action = action.kind == RC_DO_WAIT ? fixture_wake(&f.w, &action)
                                               : fixture_fail(&f.w, CODES[i], NO_HINT);
        assert_int_equal(f.w.call.calls, CODES[i] == RC_CODE_MALFORMED_RESPONSE ? 3 : 4);
        assert_int_equal(action.kind == RC_DO_STOP, CODES[i] == RC_CODE_MALFORMED_RESPONSE);
        if (action.kind == RC_DO_STOP)
            expect_stop(action, RC_WHY_ATTEMPTS_SPENT, true);
        else
            rc_call_on_cancel(&f.w.call, f.w.now_ms);
    }
}

/* An entry with attempts of its own gets all of them, also if the call waits in the queue before
 * each: no call waits for an entry that it does not use again. */
static void test_own_attempts_are_made_from_the_queue(void **state)
{
    (void)state;
    static queue_fixture f;
    set_up(&f);
    f.w.entries[0].max_attempts = 4;
    rc_action action = fixture_begin(&f.w);
    for (uint32_t attempt = 1; attempt < 4; attempt++) {
        rc_shared_cool_down_target(&f.w.shared, 0, f.w.now_ms + 5000);
        expect_action(fixture_fail(&f.w, RC_CODE_PROVIDER_5XX, NO_HINT), RC_DO_WAIT, RC_WHY_QUEUED);
        f.w.now_ms += 5000;
        rc_shared_run_queue(&f.w.shared, f.w.now_ms, 1);
        assert_int_equal(f.queue.count, 0);
        action = rc_call_on_wake(&f.w.call, f.w.now_ms, 1);
        expect_action(action, RC_DO_TRY, RC_WHY_GRANTED);
        assert_int_equal(f.w.call.entry_attempts, attempt + 1);
    }
    action = fixture_fail(&f.w, RC_CODE_PROVIDER_5XX, NO_HINT);
    expect_stop(action, RC_WHY_ATTEMPTS_SPENT, true);
    assert_int_equal(f.w.call.calls, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_hint_is_waited_for_exactly),
        cmocka_unit_test(test_max_delay_limits_waits_in_the_queue),
        cmocka_unit_test(test_unreadable_responses_end_a_patient_call),
        cmocka_unit_test(test_own_attempts_are_made_from_the_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
