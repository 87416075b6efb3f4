/* Tests of a simulated provider: faults, limits and capacity. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/upstream.h"

static rc_sim_provider plain(void)
{
    rc_sim_provider spec;
    rc_sim_provider_init(&spec, RC_STR("p"));
    spec.first_token_ms = (rc_sim_spread){200, 200, 200, 200, 200};
    spec.tokens_per_s = 100;
    return spec;
}

static const rc_sim_call whole_call = {.tokens_in = 50, .tokens_out = 100};
static const rc_sim_call stream = {.tokens_in = 50, .tokens_out = 100, .is_streaming = true};

static rc_sim_rng rng;

static int reset(void **state)
{
    (void)state;
    rc_sim_rng_init(&rng, 1, 1);
    return 0;
}

static void a_provider_without_faults_serves(void **state)
{
    (void)state;
    rc_sim_provider spec = plain();
    rc_sim_upstream upstream;
    rc_sim_upstream_init(&upstream, &spec);
    rc_sim_timeline timeline = rc_sim_upstream_call(&upstream, &whole_call, 0, &rng);
    assert_int_equal(timeline.outcome.kind, RC_SIM_OUTCOME_SERVED);
    assert_int_equal(timeline.done_ms, 1200);
    assert_int_equal(timeline.first_ms, 1200); /* the response is not a stream, so all content
                                                  arrives at the end */
    assert_int_equal(timeline.outcome.tokens_in, 50);
    assert_int_equal(timeline.outcome.tokens_out, 100);
    timeline = rc_sim_upstream_call(&upstream, &stream, 0, &rng);
    assert_int_equal(timeline.first_ms, 200);
    assert_int_equal(timeline.done_ms, 1200);
    assert_int_equal(upstream.in_flight, 2);
    rc_sim_upstream_release(&upstream);
    rc_sim_upstream_release(&upstream);
    rc_sim_upstream_release(&upstream);
    assert_int_equal(upstream.in_flight, 0);
}

typedef struct fault_case {
    rc_sim_fault_kind kind;
    rc_sim_outcome_kind outcome;
    bool holds_slot;
} fault_case;

static void faults_are_limited_to_their_time(void **state)
{
    (void)state;
    static const fault_case cases[] = {
        {RC_SIM_OUTAGE, RC_SIM_OUTCOME_OUTAGE, false},
        {RC_SIM_ERROR, RC_SIM_OUTCOME_ERROR, false},
        {RC_SIM_OVERLOAD, RC_SIM_OUTCOME_OVERLOAD, false},
        {RC_SIM_REFUSE, RC_SIM_OUTCOME_REFUSED, false},
        {RC_SIM_RESET, RC_SIM_OUTCOME_RESET, false},
        {RC_SIM_HANG, RC_SIM_OUTCOME_TIMEOUT, true},
        {RC_SIM_QUOTA, RC_SIM_OUTCOME_QUOTA, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rc_sim_provider spec = plain();
        spec.fault_count = 1;
        rc_sim_fault_init(&spec.faults[0], cases[i].kind);
        spec.faults[0].from_ms = 1000;
        spec.faults[0].until_ms = 2000;
        spec.faults[0].retry_after_ms = 700;
        rc_sim_upstream upstream;
        rc_sim_upstream_init(&upstream, &spec);
        assert_int_equal(rc_sim_upstream_call(&upstream, &whole_call, 999, &rng).outcome.kind,
                         RC_SIM_OUTCOME_SERVED);
        rc_sim_timeline timeline = rc_sim_upstream_call(&upstream, &whole_call, 1000, &rng);
        assert_int_equal(timeline.outcome.kind, cases[i].outcome);
        assert_int_equal(timeline.outcome.wait_ms, 700);
        assert_int_equal(timeline.outcome.tokens_in, 0);
        assert_int_equal(timeline.holds_slot, cases[i].holds_slot);
        assert_true(cases[i].holds_slot ? timeline.done_ms == RC_UNLIMITED
                                        : timeline.done_ms == spec.fails_in_ms);
        assert_int_equal(rc_sim_upstream_call(&upstream, &whole_call, 1999, &rng).outcome.kind,
                         cases[i].outcome);
        assert_int_equal(rc_sim_upstream_call(&upstream, &whole_call, 2000, &rng).outcome.kind,
                         RC_SIM_OUTCOME_SERVED);
    }
}

static void a_fault_affects_its_share_of_the_calls(void **state)
{
    (void)state;
    rc_sim_provider spec = plain();
    spec.fault_count = 1;
    rc_sim_fault_init(&spec.faults[0], RC_SIM_ERROR);
    spec.faults[0].until_ms = 1000;
    spec.faults[0].share_pct = 30;
    rc_sim_upstream upstream;
    rc_sim_upstream_init(&upstream, &spec);
    int failed = 0;
    for (int i = 0; i < 10000; i++)
        failed += rc_sim_upstream_call(&upstream, &whole_call, 1, &rng).outcome.kind ==
                  RC_SIM_OUTCOME_ERROR;
    assert_in_range(failed, 2850, 3150);
}

static void slow_faults_lengthen_the_response(void **state)
{
    (void)state;
    rc_sim_provider spec = plain();
    spec.fault_count = 1;
    rc_sim_fault_init(&spec.faults[0], RC_SIM_SLOW);
    spec.faults[0].until_ms = 1000;
    spec.faults[0].slow_pct = 300;
    rc_sim_upstream upstream;
    rc_sim_upstream_init(&upstream, &spec);
    assert_int_equal(rc_sim_upstream_call(&upstream, &stream, 0, &rng).done_ms, 3600);
    spec.faults[0].kind = RC_SIM_SLOW_FIRST;
    rc_sim_timeline timeline = rc_sim_upstream_call(&upstream, &stream, 0, &rng);
    assert_int_equal(timeline.first_ms, 600);
    assert_int_equal(timeline.done_ms, 1600);
}

static void cut_streams_are_charged_for_the_tokens_sent(void **state)
{
    (void)state;
    rc_sim_provider spec = plain();
    spec.fault_count = 1;
    rc_sim_fault_init(&spec.faults[0], RC_SIM_CUT);
    spec.faults[0].until_ms = 1000;
    spec.faults[0].after_tokens = 40;
    rc_sim_upstream upstream;
    rc_sim_upstream_init(&upstream, &spec);
    rc_sim_timeline timeline = rc_sim_upstream_call(&upstream, &stream, 0, &rng);
    assert_int_equal(timeline.outcome.kind, RC_SIM_OUTCOME_CUT);
    assert_int_equal(timeline.outcome.tokens_in, 50);
    assert_int_equal(timeline.outcome.tokens_out, 40);
    assert_int_equal(timeline.done_ms, 600);
    assert_int_equal(rc_sim_upstream_call(&upstream, &whole_call, 0, &rng).outcome.kind,
                     RC_SIM_OUTCOME_SERVED);
    spec.faults[0].after_tokens = 0;
    assert_int_equal(rc_sim_upstream_call(&upstream, &stream, 0, &rng).outcome.kind,
                     RC_SIM_OUTCOME_CUT_EMPTY);
    spec.faults[0].after_tokens = 100; /* the response has ended before the fault */
    assert_int_equal(rc_sim_upstream_call(&upstream, &stream, 0, &rng).outcome.kind,
                     RC_SIM_OUTCOME_SERVED);
}

static void a_client_that_waits_until_the_retry_hint_is_served(void **state)
{
    (void)state;
    rc_sim_provider spec = plain();
    spec.limits.requests_per_min = 120;
    spec.limits.burst_ms = 1000; /* the burst allows two requests */
    rc_sim_upstream upstream;
    rc_sim_upstream_init(&upstream, &spec);
    uint64_t now_ms = 5000;
    for (int i = 0; i < 2; i++)
        assert_int_equal(rc_sim_upstream_call(&upstream, &whole_call, now_ms, &rng).outcome.kind,
                         RC_SIM_OUTCOME_SERVED);
    rc_sim_timeline timeline = rc_sim_upstream_call(&upstream, &whole_call, now_ms, &rng);
    assert_int_equal(timeline.outcome.kind, RC_SIM_OUTCOME_REQUESTS);
    assert_int_equal(timeline.outcome.wait_ms, 500);
    now_ms += 499;
    assert_int_equal(rc_sim_upstream_call(&upstream, &whole_call, now_ms, &rng).outcome.wait_ms, 1);
    now_ms += 1;
    assert_int_equal(rc_sim_upstream_call(&upstream, &whole_call, now_ms, &rng).outcome.kind,
                     RC_SIM_OUTCOME_SERVED);
}

static void tokens_are_limited_too(void **state)
{
    (void)state;
    rc_sim_provider spec = plain();
    spec.limits.tokens_per_min = 60000;
    spec.limits.burst_ms = 300; /* the burst is 300 tokens: two requests of 150 */
    rc_sim_upstream upstream;
    rc_sim_upstream_init(&upstream, &spec);
    for (int i = 0; i < 2; i++)
        assert_int_equal(rc_sim_upstream_call(&upstream, &whole_call, 0, &rng).outcome.kind,
                         RC_SIM_OUTCOME_SERVED);
    rc_sim_timeline timeline = rc_sim_upstream_call(&upstream, &whole_call, 0, &rng);
    assert_int_equal(timeline.outcome.kind, RC_SIM_OUTCOME_TOKENS);
    assert_int_equal(timeline.outcome.wait_ms, 150);
}

static void each_key_has_its_own_quota(void **state)
{
    (void)state;
    rc_sim_provider spec = plain();
    spec.keys = 2;
    spec.limits.quota_requests = 3;
    rc_sim_upstream upstream;
    rc_sim_upstream_init(&upstream, &spec);
    rc_sim_call second = whole_call;
    second.key = 1;
    for (int i = 0; i < 3; i++)
        assert_int_equal(rc_sim_upstream_call(&upstream, &whole_call, 0, &rng).outcome.kind,
                         RC_SIM_OUTCOME_SERVED);
    assert_int_equal(rc_sim_upstream_call(&upstream, &whole_call, 3000000, &rng).outcome.kind,
                     RC_SIM_OUTCOME_QUOTA);
    assert_int_equal(rc_sim_upstream_call(&upstream, &second, 0, &rng).outcome.kind,
                     RC_SIM_OUTCOME_SERVED);
}

static void slots_are_counted(void **state)
{
    (void)state;
    rc_sim_provider spec = plain();
    spec.limits.concurrency = 1;
    rc_sim_upstream upstream;
    rc_sim_upstream_init(&upstream, &spec);
    assert_int_equal(rc_sim_upstream_call(&upstream, &whole_call, 0, &rng).outcome.kind,
                     RC_SIM_OUTCOME_SERVED);
    assert_int_equal(rc_sim_upstream_call(&upstream, &whole_call, 0, &rng).outcome.kind,
                     RC_SIM_OUTCOME_CONCURRENCY);
    rc_sim_upstream_release(&upstream);
    assert_int_equal(rc_sim_upstream_call(&upstream, &whole_call, 0, &rng).outcome.kind,
                     RC_SIM_OUTCOME_SERVED);
}

/* Returns the number of calls that are served in ten seconds, at per_s calls per second. */
static int served_of(uint32_t per_s, uint32_t shed_cost_pct)
{
    rc_sim_provider spec = plain();
    spec.capacity = (rc_sim_capacity){.per_s = 100, .burst = 10, .shed_cost_pct = shed_cost_pct};
    rc_sim_upstream upstream;
    rc_sim_upstream_init(&upstream, &spec);
    int served = 0;
    for (uint64_t i = 0; i < per_s * 10; i++)
        served +=
            rc_sim_upstream_call(&upstream, &whole_call, i * 1000 / per_s, &rng).outcome.kind ==
            RC_SIM_OUTCOME_SERVED;
    return served;
}

static void capacity_is_shared_by_serving_and_shedding(void **state)
{
    (void)state;
    assert_in_range(served_of(50, 20), 500, 500);
    assert_in_range(served_of(200, 0), 990, 1020);
    /* expected number s of served calls per second: s + (200 - s) / 5 = 100 */
    assert_in_range(served_of(200, 20), 740, 780);
    /* refusing calls alone needs more than the capacity */
    assert_in_range(served_of(1000, 20), 0, 20);
}

static void after_an_outage_the_capacity_grows_slowly(void **state)
{
    (void)state;
    rc_sim_provider spec = plain();
    spec.capacity = (rc_sim_capacity){.per_s = 1000, .burst = 1, .warm_up_ms = 10000};
    spec.fault_count = 1;
    rc_sim_fault_init(&spec.faults[0], RC_SIM_OUTAGE);
    spec.faults[0].until_ms = 1000;
    rc_sim_upstream upstream;
    rc_sim_upstream_init(&upstream, &spec);
    assert_int_equal(rc_sim_upstream_call(&upstream, &whole_call, 999, &rng).outcome.kind,
                     RC_SIM_OUTCOME_OUTAGE);
    int served[2] = {0};
    for (uint64_t now_ms = 1000; now_ms < 2000; now_ms++)
        served[0] += rc_sim_upstream_call(&upstream, &whole_call, now_ms, &rng).outcome.kind ==
                     RC_SIM_OUTCOME_SERVED;
    for (uint64_t now_ms = 11000; now_ms < 12000; now_ms++)
        served[1] += rc_sim_upstream_call(&upstream, &whole_call, now_ms, &rng).outcome.kind ==
                     RC_SIM_OUTCOME_SERVED;
    assert_in_range(served[0], 100, 200);
    assert_in_range(served[1], 990, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_provider_without_faults_serves, reset),
        cmocka_unit_test_setup(faults_are_limited_to_their_time, reset),
        cmocka_unit_test_setup(a_fault_affects_its_share_of_the_calls, reset),
        cmocka_unit_test_setup(slow_faults_lengthen_the_response, reset),
        cmocka_unit_test_setup(cut_streams_are_charged_for_the_tokens_sent, reset),
        cmocka_unit_test_setup(a_client_that_waits_until_the_retry_hint_is_served, reset),
        cmocka_unit_test_setup(tokens_are_limited_too, reset),
        cmocka_unit_test_setup(each_key_has_its_own_quota, reset),
        cmocka_unit_test_setup(slots_are_counted, reset),
        cmocka_unit_test_setup(capacity_is_shared_by_serving_and_shedding, reset),
        cmocka_unit_test_setup(after_an_outage_the_capacity_grows_slowly, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
