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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_backlog_without_a_known_rate_is_served),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
