/* A provider of the simulated world: its faults, limits and capacity. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/provider.h"

static rc_sim_provider plain(void)
{
    rc_sim_provider spec;
    rc_sim_provider_init(&spec, RC_STR("p"));
    spec.first_token_ms = (rc_sim_spread){200, 200, 200, 200, 200};
    spec.tokens_per_s = 100;
    return spec;
}

static const rc_sim_ask ask = {.tokens_in = 50, .tokens_out = 100};
static const rc_sim_ask stream = {.tokens_in = 50, .tokens_out = 100, .is_streaming = true};

static rc_sim_rng rng;

static int reset(void **state)
{
    (void)state;
    rc_sim_rng_init(&rng, 1, 1);
    return 0;
}

static void a_healthy_one_serves(void **state)
{
    (void)state;
    rc_sim_provider spec = plain();
    rc_sim_site site;
    rc_sim_site_init(&site, &spec);
    rc_sim_course course = rc_sim_site_ask(&site, &ask, 0, &rng);
    assert_int_equal(course.answer.kind, RC_ANSWER_SERVED);
    assert_int_equal(course.done_ms, 1200);
    assert_int_equal(course.first_ms, 1200); /* not a stream: all comes at the end */
    assert_int_equal(course.answer.tokens_in, 50);
    assert_int_equal(course.answer.tokens_out, 100);
    course = rc_sim_site_ask(&site, &stream, 0, &rng);
    assert_int_equal(course.first_ms, 200);
    assert_int_equal(course.done_ms, 1200);
    assert_int_equal(site.in_flight, 2);
    rc_sim_site_leave(&site);
    rc_sim_site_leave(&site);
    rc_sim_site_leave(&site);
    assert_int_equal(site.in_flight, 0);
}

typedef struct fault_case {
    rc_sim_fault_kind kind;
    rc_sim_answer_kind answer;
    bool is_held;
} fault_case;

static void faults_answer_in_their_time_alone(void **state)
{
    (void)state;
    static const fault_case cases[] = {
        {RC_SIM_OUTAGE, RC_ANSWER_OUTAGE, false},     {RC_SIM_ERROR, RC_ANSWER_ERROR, false},
        {RC_SIM_OVERLOAD, RC_ANSWER_OVERLOAD, false}, {RC_SIM_REFUSE, RC_ANSWER_REFUSED, false},
        {RC_SIM_RESET, RC_ANSWER_RESET, false},       {RC_SIM_HANG, RC_ANSWER_TIMEOUT, true},
        {RC_SIM_QUOTA, RC_ANSWER_QUOTA, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        rc_sim_provider spec = plain();
        spec.fault_count = 1;
        rc_sim_fault_init(&spec.faults[0], cases[i].kind);
        spec.faults[0].from_ms = 1000;
        spec.faults[0].until_ms = 2000;
        spec.faults[0].retry_after_ms = 700;
        rc_sim_site site;
        rc_sim_site_init(&site, &spec);
        assert_int_equal(rc_sim_site_ask(&site, &ask, 999, &rng).answer.kind, RC_ANSWER_SERVED);
        rc_sim_course course = rc_sim_site_ask(&site, &ask, 1000, &rng);
        assert_int_equal(course.answer.kind, cases[i].answer);
        assert_int_equal(course.answer.wait_ms, 700);
        assert_int_equal(course.answer.tokens_in, 0);
        assert_int_equal(course.is_held, cases[i].is_held);
        assert_true(cases[i].is_held ? course.done_ms == RC_UNLIMITED
                                     : course.done_ms == spec.fails_in_ms);
        assert_int_equal(rc_sim_site_ask(&site, &ask, 1999, &rng).answer.kind, cases[i].answer);
        assert_int_equal(rc_sim_site_ask(&site, &ask, 2000, &rng).answer.kind, RC_ANSWER_SERVED);
    }
}

static void a_share_is_a_share(void **state)
{
    (void)state;
    rc_sim_provider spec = plain();
    spec.fault_count = 1;
    rc_sim_fault_init(&spec.faults[0], RC_SIM_ERROR);
    spec.faults[0].until_ms = 1000;
    spec.faults[0].share_pct = 30;
    rc_sim_site site;
    rc_sim_site_init(&site, &spec);
    int failed = 0;
    for (int i = 0; i < 10000; i++)
        failed += rc_sim_site_ask(&site, &ask, 1, &rng).answer.kind == RC_ANSWER_ERROR;
    assert_in_range(failed, 2850, 3150);
}

static void slow_ones_are_slower(void **state)
{
    (void)state;
    rc_sim_provider spec = plain();
    spec.fault_count = 1;
    rc_sim_fault_init(&spec.faults[0], RC_SIM_SLOW);
    spec.faults[0].until_ms = 1000;
    spec.faults[0].slow_pct = 300;
    rc_sim_site site;
    rc_sim_site_init(&site, &spec);
    assert_int_equal(rc_sim_site_ask(&site, &stream, 0, &rng).done_ms, 3600);
    spec.faults[0].kind = RC_SIM_SLOW_FIRST;
    rc_sim_course course = rc_sim_site_ask(&site, &stream, 0, &rng);
    assert_int_equal(course.first_ms, 600);
    assert_int_equal(course.done_ms, 1600);
}

static void streams_are_cut_and_charged_for_what_came(void **state)
{
    (void)state;
    rc_sim_provider spec = plain();
    spec.fault_count = 1;
    rc_sim_fault_init(&spec.faults[0], RC_SIM_CUT);
    spec.faults[0].until_ms = 1000;
    spec.faults[0].after_tokens = 40;
    rc_sim_site site;
    rc_sim_site_init(&site, &spec);
    rc_sim_course course = rc_sim_site_ask(&site, &stream, 0, &rng);
    assert_int_equal(course.answer.kind, RC_ANSWER_CUT);
    assert_int_equal(course.answer.tokens_in, 50);
    assert_int_equal(course.answer.tokens_out, 40);
    assert_int_equal(course.done_ms, 600);
    assert_int_equal(rc_sim_site_ask(&site, &ask, 0, &rng).answer.kind, RC_ANSWER_SERVED);
    spec.faults[0].after_tokens = 0;
    assert_int_equal(rc_sim_site_ask(&site, &stream, 0, &rng).answer.kind, RC_ANSWER_CUT_EMPTY);
    spec.faults[0].after_tokens = 100; /* it was over by then */
    assert_int_equal(rc_sim_site_ask(&site, &stream, 0, &rng).answer.kind, RC_ANSWER_SERVED);
}

static void whoever_waits_as_told_is_served(void **state)
{
    (void)state;
    rc_sim_provider spec = plain();
    spec.limits.requests_per_min = 120;
    spec.limits.burst_ms = 1000; /* two */
    rc_sim_site site;
    rc_sim_site_init(&site, &spec);
    uint64_t now_ms = 5000;
    for (int i = 0; i < 2; i++)
        assert_int_equal(rc_sim_site_ask(&site, &ask, now_ms, &rng).answer.kind, RC_ANSWER_SERVED);
    rc_sim_course course = rc_sim_site_ask(&site, &ask, now_ms, &rng);
    assert_int_equal(course.answer.kind, RC_ANSWER_REQUESTS);
    assert_int_equal(course.answer.wait_ms, 500);
    now_ms += 499;
    assert_int_equal(rc_sim_site_ask(&site, &ask, now_ms, &rng).answer.wait_ms, 1);
    now_ms += 1;
    assert_int_equal(rc_sim_site_ask(&site, &ask, now_ms, &rng).answer.kind, RC_ANSWER_SERVED);
}

static void tokens_are_limited_too(void **state)
{
    (void)state;
    rc_sim_provider spec = plain();
    spec.limits.tokens_per_min = 60000;
    spec.limits.burst_ms = 300; /* 300 tokens: two requests of 150 */
    rc_sim_site site;
    rc_sim_site_init(&site, &spec);
    for (int i = 0; i < 2; i++)
        assert_int_equal(rc_sim_site_ask(&site, &ask, 0, &rng).answer.kind, RC_ANSWER_SERVED);
    rc_sim_course course = rc_sim_site_ask(&site, &ask, 0, &rng);
    assert_int_equal(course.answer.kind, RC_ANSWER_TOKENS);
    assert_int_equal(course.answer.wait_ms, 150);
}

static void each_key_has_its_own_quota(void **state)
{
    (void)state;
    rc_sim_provider spec = plain();
    spec.keys = 2;
    spec.limits.quota_requests = 3;
    rc_sim_site site;
    rc_sim_site_init(&site, &spec);
    rc_sim_ask second = ask;
    second.key = 1;
    for (int i = 0; i < 3; i++)
        assert_int_equal(rc_sim_site_ask(&site, &ask, 0, &rng).answer.kind, RC_ANSWER_SERVED);
    assert_int_equal(rc_sim_site_ask(&site, &ask, 3000000, &rng).answer.kind, RC_ANSWER_QUOTA);
    assert_int_equal(rc_sim_site_ask(&site, &second, 0, &rng).answer.kind, RC_ANSWER_SERVED);
}

static void places_are_counted(void **state)
{
    (void)state;
    rc_sim_provider spec = plain();
    spec.limits.concurrency = 1;
    rc_sim_site site;
    rc_sim_site_init(&site, &spec);
    assert_int_equal(rc_sim_site_ask(&site, &ask, 0, &rng).answer.kind, RC_ANSWER_SERVED);
    assert_int_equal(rc_sim_site_ask(&site, &ask, 0, &rng).answer.kind, RC_ANSWER_CONCURRENCY);
    rc_sim_site_leave(&site);
    assert_int_equal(rc_sim_site_ask(&site, &ask, 0, &rng).answer.kind, RC_ANSWER_SERVED);
}

/* Served in ten seconds, of per_s calls a second. */
static int served_of(uint32_t per_s, uint32_t shed_cost_pct)
{
    rc_sim_provider spec = plain();
    spec.capacity = (rc_sim_capacity){.per_s = 100, .burst = 10, .shed_cost_pct = shed_cost_pct};
    rc_sim_site site;
    rc_sim_site_init(&site, &spec);
    int served = 0;
    for (uint64_t i = 0; i < per_s * 10; i++)
        served +=
            rc_sim_site_ask(&site, &ask, i * 1000 / per_s, &rng).answer.kind == RC_ANSWER_SERVED;
    return served;
}

static void capacity_is_shared_by_serving_and_shedding(void **state)
{
    (void)state;
    assert_in_range(served_of(50, 20), 500, 500);
    assert_in_range(served_of(200, 0), 990, 1020);
    /* s + (200 - s) / 5 = 100 */
    assert_in_range(served_of(200, 20), 740, 780);
    /* Shedding alone takes more than there is. */
    assert_in_range(served_of(1000, 20), 0, 20);
}

static void it_comes_back_cold(void **state)
{
    (void)state;
    rc_sim_provider spec = plain();
    spec.capacity = (rc_sim_capacity){.per_s = 1000, .burst = 1, .warm_up_ms = 10000};
    spec.fault_count = 1;
    rc_sim_fault_init(&spec.faults[0], RC_SIM_OUTAGE);
    spec.faults[0].until_ms = 1000;
    rc_sim_site site;
    rc_sim_site_init(&site, &spec);
    assert_int_equal(rc_sim_site_ask(&site, &ask, 999, &rng).answer.kind, RC_ANSWER_OUTAGE);
    int served[2] = {0};
    for (uint64_t now_ms = 1000; now_ms < 2000; now_ms++)
        served[0] += rc_sim_site_ask(&site, &ask, now_ms, &rng).answer.kind == RC_ANSWER_SERVED;
    for (uint64_t now_ms = 11000; now_ms < 12000; now_ms++)
        served[1] += rc_sim_site_ask(&site, &ask, now_ms, &rng).answer.kind == RC_ANSWER_SERVED;
    assert_in_range(served[0], 100, 200);
    assert_in_range(served[1], 990, 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_healthy_one_serves, reset),
        cmocka_unit_test_setup(faults_answer_in_their_time_alone, reset),
        cmocka_unit_test_setup(a_share_is_a_share, reset),
        cmocka_unit_test_setup(slow_ones_are_slower, reset),
        cmocka_unit_test_setup(streams_are_cut_and_charged_for_what_came, reset),
        cmocka_unit_test_setup(whoever_waits_as_told_is_served, reset),
        cmocka_unit_test_setup(tokens_are_limited_too, reset),
        cmocka_unit_test_setup(each_key_has_its_own_quota, reset),
        cmocka_unit_test_setup(places_are_counted, reset),
        cmocka_unit_test_setup(capacity_is_shared_by_serving_and_shedding, reset),
        cmocka_unit_test_setup(it_comes_back_cold, reset),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
