/* Tests of the measurements that are computed from counts: recovery, herds, load with an empty
 * retry budget. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "sim/tally.h"

#define FAULT_FROM_MS 5000
#define FAULT_UNTIL_MS 10000
#define DURATION_MS 30000

/* A hand-made run with ten requests per tenth of a second. */
typedef struct by_hand {
    rc_sim_result *result;
    rc_sim_tally tally;
} by_hand;

static rc_sim_policy_result *begin(by_hand *run)
{
    rc_alloc alloc = rc_alloc_stdlib();
    run->result = rc_sim_result_new(&alloc, 1, 0);
    rc_sim_tally_init(&run->tally, &alloc, 1000, &run->result->policies[0]);
    return &run->result->policies[0];
}

static void request(by_hand *run, uint64_t at_ms, bool is_ok, rc_reason reason)
{
    rc_sim_tally_request(&run->tally, at_ms);
    rc_sim_tally_call(&run->tally, false, at_ms);
    rc_sim_request_summary summary = {.kind = is_ok ? RC_SIM_END_DELIVERED : RC_SIM_END_FAILED,
                                      .reason = reason,
                                      .arrived_at_ms = at_ms,
                                      .call_at_ms = at_ms,
                                      .calls = 1};
    rc_sim_tally_end(&run->tally, &summary, at_ms + 50);
}

/* Makes a run with failures from the start of the fault until bad_until_ms. */
static rc_sim_policy_result *run_until(by_hand *run, uint64_t bad_until_ms)
{
    rc_sim_policy_result *result = begin(run);
    for (uint64_t at_ms = 0; at_ms < DURATION_MS; at_ms += 10)
        request(run, at_ms, at_ms < FAULT_FROM_MS || at_ms >= bad_until_ms, RC_WHY_NOT_RETRYABLE);
    rc_sim_tally_finish(&run->tally, DURATION_MS, FAULT_FROM_MS, FAULT_UNTIL_MS);
    return result;
}

static void recovery_is_counted_from_the_end_of_the_fault(void **state)
{
    (void)state;
    static const struct {
        uint64_t bad_until_ms;
        int64_t recovery_ms;
    } cases[] = {{10000, 0}, {9000, 0}, {12300, 2300}, {30000, RC_SIM_NEVER}};
    for (size_t i = 0; i < 4; i++) {
        by_hand run;
        const rc_sim_policy_result *result = run_until(&run, cases[i].bad_until_ms);
        assert_int_equal(result->recovery_ms, cases[i].recovery_ms);
        rc_sim_result_free(run.result);
    }
}

static void one_failure_in_a_hundred_is_recovered_and_two_are_not(void **state)
{
    (void)state;
    for (uint64_t bad = 1; bad <= 2; bad++) {
        by_hand run;
        const rc_sim_policy_result *result = begin(&run);
        for (uint64_t at_ms = 0; at_ms < DURATION_MS; at_ms += 10)
            request(&run, at_ms, at_ms < 15000 || at_ms >= 15000 + bad * 10, RC_WHY_NOT_RETRYABLE);
        rc_sim_tally_finish(&run.tally, DURATION_MS, FAULT_FROM_MS, FAULT_UNTIL_MS);
        assert_int_equal(result->recovery_ms, bad == 1 ? 0 : 5100);
        rc_sim_result_free(run.result);
    }
}

static void without_a_fault_there_is_nothing_to_recover_from(void **state)
{
    (void)state;
    by_hand run;
    rc_sim_policy_result *result = begin(&run);
    request(&run, 0, true, RC_WHY_SUCCEEDED);
    rc_sim_tally_finish(&run.tally, DURATION_MS, 0, 0);
    assert_int_equal(result->recovery_ms, RC_SIM_NO_FAULT);
    rc_sim_tally_finish(&run.tally, DURATION_MS, 100, DURATION_MS);
    assert_int_equal(result->recovery_ms, RC_SIM_NO_FAULT);
    rc_sim_result_free(run.result);
}

static void a_late_response_does_not_count_as_in_time(void **state)
{
    (void)state;
    by_hand run;
    const rc_sim_policy_result *result = begin(&run);
    for (uint64_t latency_ms = 1000; latency_ms <= 1001; latency_ms++) {
        rc_sim_tally_request(&run.tally, 0);
        rc_sim_tally_call(&run.tally, false, 0);
        rc_sim_tally_call(&run.tally, true, 400);
        rc_sim_request_summary summary = {
            .kind = RC_SIM_END_DELIVERED, .call_at_ms = 400, .calls = 2};
        rc_sim_tally_end(&run.tally, &summary, latency_ms);
    }
    assert_int_equal(result->in_time, 1);
    assert_int_equal(result->late, 1);
    assert_int_equal(result->wasted_calls, 2);
    assert_int_equal(result->added.max_ms, 400);
    assert_int_equal(result->buckets[0].requests_ok, 1);
    rc_sim_result_free(run.result);
}

static void retries_between(by_hand *run, uint64_t from_ms, uint64_t until_ms, uint64_t every_ms)
{
    for (uint64_t at_ms = from_ms; at_ms < until_ms; at_ms += every_ms)
        rc_sim_tally_call(&run->tally, true, at_ms);
}

static void a_herd_is_detected_and_a_steady_stream_is_none(void **state)
{
    (void)state;
    by_hand run;
    rc_sim_policy_result *result = begin(&run);
    retries_between(&run, 5000, 16000, 5); /* twenty retries per tenth of a second, before and
                                              after */
    rc_sim_tally_finish(&run.tally, DURATION_MS, FAULT_FROM_MS, FAULT_UNTIL_MS);
    assert_false(result->herd.is_herd);
    /* At the end of the run, the window is half empty. */
    assert_in_range(result->herd.ratio_milli, 1000, 2100);
    assert_int_equal(result->herd.retries, 1200);
    assert_int_equal(result->herd.tenths, 60);
    for (int i = 0; i < 200; i++)
        rc_sim_tally_call(&run.tally, true, 12340);
    rc_sim_tally_finish(&run.tally, DURATION_MS, FAULT_FROM_MS, FAULT_UNTIL_MS);
    assert_true(result->herd.ratio_milli > 3000);
    assert_true(result->herd.is_herd);
    assert_int_equal(result->herd.peak, 220);
    rc_sim_result_free(run.result);
}

static void simultaneous_retries_are_a_herd(void **state)
{
    (void)state;
    static const uint64_t times_ms[] = {10000, 10050, 17000, 29990};
    for (size_t i = 0; i < 4; i++) {
        by_hand run;
        rc_sim_policy_result *result = begin(&run);
        for (int j = 0; j < 300; j++)
            rc_sim_tally_call(&run.tally, true, times_ms[i]);
        rc_sim_tally_finish(&run.tally, DURATION_MS, FAULT_FROM_MS, FAULT_UNTIL_MS);
        assert_true(result->herd.is_herd);
        assert_int_equal(result->herd.ratio_milli, 50000);
        rc_sim_result_free(run.result);
    }
}

/* A single burst: the mean of its five seconds is below 5, but the burst is still detected. */
static void a_single_burst_is_a_herd_from_16_retries_on(void **state)
{
    (void)state;
    static const struct {
        int retries;
        uint32_t ratio_milli;
        bool is_herd;
    } cases[] = {{1, 200, false},
                 {15, 3000, false},
                 {16, 3200, true},
                 {249, 49800, true},
                 {250, 50000, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        by_hand run;
        const rc_sim_policy_result *result = begin(&run);
        for (int j = 0; j < cases[i].retries; j++)
            rc_sim_tally_call(&run.tally, true, 12000);
        rc_sim_tally_finish(&run.tally, DURATION_MS, FAULT_FROM_MS, FAULT_UNTIL_MS);
        assert_int_equal(result->herd.ratio_milli, cases[i].ratio_milli);
        assert_int_equal(result->herd.mean_milli, cases[i].retries * 20);
        assert_int_equal(result->herd.peak, cases[i].retries);
        assert_int_equal(result->herd.is_herd, cases[i].is_herd);
        rc_sim_result_free(run.result);
    }
}

static void granted_between(by_hand *run, uint64_t from_ms, uint64_t until_ms, uint64_t every_ms,
                            uint64_t wait_ms)
{
    for (uint64_t at_ms = from_ms; at_ms < until_ms; at_ms += every_ms) {
        rc_sim_tally_call(&run->tally, true, at_ms + wait_ms);
        rc_sim_tally_grant(&run->tally, at_ms);
    }
}

/* A retry is counted when it is granted: retries that are granted before the window and begin in it
 * are not counted; retries that are granted in the window and begin later are. */
static void with_an_empty_budget_retries_count_when_granted(void **state)
{
    (void)state;
    by_hand run;
    rc_sim_policy_result *result = begin(&run);
    granted_between(&run, 5000, 6000, 10, 2000);
    request(&run, 6950, false, RC_WHY_RETRY_BUDGET_SPENT); /* reported 50 ms later */
    for (uint64_t at_ms = 7000; at_ms < 10000; at_ms += 100)
        request(&run, at_ms, false, RC_WHY_RETRY_BUDGET_SPENT);
    granted_between(&run, 8000, 9000, 100, 1500);
    rc_sim_tally_finish(&run.tally, DURATION_MS, FAULT_FROM_MS, FAULT_UNTIL_MS);
    assert_int_equal(result->drained.from_ms, 7000);
    assert_int_equal(result->drained.until_ms, FAULT_UNTIL_MS);
    assert_int_equal(result->drained.requests, 30);
    assert_int_equal(result->drained.calls, 40);
    assert_int_equal(result->drained.calls_per_request_milli, 1333);
    rc_sim_result_free(run.result);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovery_is_counted_from_the_end_of_the_fault),
        cmocka_unit_test(one_failure_in_a_hundred_is_recovered_and_two_are_not),
        cmocka_unit_test(without_a_fault_there_is_nothing_to_recover_from),
        cmocka_unit_test(a_late_response_does_not_count_as_in_time),
        cmocka_unit_test(a_herd_is_detected_and_a_steady_stream_is_none),
        cmocka_unit_test(simultaneous_retries_are_a_herd),
        cmocka_unit_test(a_single_burst_is_a_herd_from_16_retries_on),
        cmocka_unit_test(with_an_empty_budget_retries_count_when_granted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
