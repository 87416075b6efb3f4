/* Tests of the rate of starts after an outage and after refusals: the limit ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <recourse/admission.h>

/* Starts the calls of one millisecond that the admission allows; each succeeds at once. Returns
 * their number. */
static uint32_t serve(rc_admission *admission, uint64_t now_ms)
{
    uint64_t until_ms = 0;
    uint32_t served = 0;
    while (served < 100 &&
           rc_admission_check(admission, true, now_ms, &until_ms) == RC_ADMISSION_OPEN) {
        (void)rc_admission_start(admission, now_ms);
        rc_admission_on_success(admission, now_ms, now_ms);
        served++;
    }
    return served;
}

/* The gateway was started during an outage. Thousands of requests wait and none arrives, so neither
 * a rate of the time before nor the demand limits the recovery: the rate grows while calls
 * succeed. */
static void test_a_backlog_without_a_known_rate_is_served(void **state)
{
    (void)state;
    rc_admission admission;
    uint64_t now_ms = 1000;
    rc_admission_init(&admission, now_ms);
    while (admission.state != RC_ADMISSION_DOWN) {
        const uint32_t index = rc_admission_start(&admission, now_ms);
        rc_admission_on_failure(&admission, RC_ADMISSION_FAILED, index, now_ms, now_ms + 1);
        now_ms += 1000;
    }
    now_ms += 60000;
    uint32_t served = 0;
    for (uint64_t end_ms = now_ms + 10000; now_ms < end_ms; now_ms++)
        served += serve(&admission, now_ms);
    assert_true(served >= 4000);
}

/* A limit that was learned from refusals does not delay a few calls that come much later. */
static void test_a_limit_ends_when_few_calls_come(void **state)
{
    (void)state;
    rc_admission admission;
    uint64_t now_ms = 1000;
    rc_admission_init(&admission, now_ms);
    for (uint32_t i = 0; i < 60; i++, now_ms += 50) {
        const uint32_t index = rc_admission_start(&admission, now_ms);
        if (i % 2 == 0)
            rc_admission_on_success(&admission, now_ms, now_ms + 5);
        else
            rc_admission_on_failure(&admission, RC_ADMISSION_OVERLOAD, index, now_ms, now_ms + 5);
    }
    assert_true(admission.pacer.rate_milli > 0);
    rc_admission_relax(&admission);
    assert_true(admission.pacer.rate_milli > 0);
    now_ms += 20000;
    assert_int_equal(serve(&admission, now_ms), 1);
    rc_admission_relax(&admission);
    assert_int_equal(serve(&admission, now_ms), 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_backlog_without_a_known_rate_is_served),
        cmocka_unit_test(test_a_limit_ends_when_few_calls_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
