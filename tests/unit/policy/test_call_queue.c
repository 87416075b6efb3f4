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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_hint_is_waited_for_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
