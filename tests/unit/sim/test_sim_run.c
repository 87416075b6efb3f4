/* Tests of whole runs: counts, invariants and reproducibility. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/fail_alloc.h"
#include "support/sim_scenarios.h"

static rc_sim_scenario scenario;

static void a_scenario_without_faults_delivers_everything(void **state)
{
    (void)state;
    static const char *const policies[] = {"recourse", "budget-alone", "openai-sdk", "litellm",
                                           "portkey",  "naive",        "none"};
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++) {
        sim_scenario_small(&scenario, policies[i]);
        rc_sim_result *result = sim_scenario_run(&scenario, 1);
        const rc_sim_policy_result *policy = &result->policies[0];
        sim_result_check(result);
        assert_in_range(policy->requests, 1850, 2150);
        assert_int_equal(policy->in_time, policy->requests);
        assert_int_equal(policy->calls, policy->requests);
        assert_int_equal(rc_histogram_at(&policy->latency, 990), 100);
        assert_int_equal(policy->added.max_ms, 0);
        assert_int_equal(policy->cost_nano_usd, policy->requests * (10 * 7 + 5 * 11));
        assert_int_equal(policy->wasted_nano_usd, 0);
        assert_int_equal(policy->recovery_ms, RC_SIM_NO_FAULT);
        rc_sim_result_free(result);
    }
}

static void without_retries_requests_fail_exactly_during_the_fault(void **state)
{
    (void)state;
    sim_scenario_small(&scenario, "none");
    (void)sim_scenario_add_fault(&scenario, RC_SIM_OUTAGE, 5000, 9000);
    rc_sim_result *result = sim_scenario_run(&scenario, 1);
    const rc_sim_policy_result *policy = &result->policies[0];
    sim_result_check(result);
    for (uint32_t i = 0; i < policy->bucket_count; i++)
        assert_int_equal(policy->buckets[i].requests_ok,
                         i >= 50 && i < 90 ? 0 : policy->buckets[i].requests);
    assert_int_equal(policy->recovery_ms, 0);
    assert_int_equal(result->fault_from_ms, 5000);
    assert_int_equal(result->fault_until_ms, 9000);
    assert_int_equal(result->span_count, 1);
    assert_string_equal(result->spans[0].label, "outage");
    assert_string_equal(result->spans[0].provider, "primary");
    rc_sim_result_free(result);
}

static void if_every_call_fails_all_attempts_are_made(void **state)
{
    (void)state;
    static const struct {
        const char *policy;
        uint32_t calls_milli;
    } cases[] = {{"none", 1000},
                 {"openai-sdk", 3000},
                 {"litellm", 3000},
                 {"naive", 6000},
                 {"portkey", 6000}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        sim_scenario_small(&scenario, cases[i].policy);
        (void)sim_scenario_add_fault(&scenario, RC_SIM_ERROR, 0, RC_SIM_DURATION_MAX_MS);
        rc_sim_result *result = sim_scenario_run(&scenario, 1);
        sim_result_check(result);
        assert_int_equal(result->policies[0].in_time, 0);
        assert_int_equal(result->policies[0].calls_per_request_milli, cases[i].calls_milli);
        rc_sim_result_free(result);
    }
}

static void cut_streams_are_not_retried_but_charged(void **state)
{
    (void)state;
    sim_scenario_small(&scenario, "wait-off");
    assert_int_equal(rc_sim_scenario_add(&scenario, RC_STR("portkey")), RC_SIM_ADDED);
    scenario.clients.is_streaming = true;
    sim_scenario_add_fault(&scenario, RC_SIM_CUT, 0, RC_SIM_DURATION_MAX_MS)->after_tokens = 3;
    scenario.policies[0].settings.breaker.min_calls = 0;
    rc_sim_result *result = sim_scenario_run(&scenario, 1);
    sim_result_check(result);
    const rc_sim_policy_result *ours = &result->policies[0];
    const rc_sim_policy_result *portkey = &result->policies[1];
    assert_int_equal(ours->stops[RC_WHY_COMMITTED], ours->requests);
    assert_int_equal(ours->calls, ours->requests);
    assert_int_equal(ours->wasted_nano_usd, ours->requests * (10 * 7 + 3 * 11));
    assert_int_equal(portkey->truncated, portkey->requests);
    rc_sim_result_free(result);
}

static void empty_streams_are_retried(void **state)
{
    (void)state;
    sim_scenario_small(&scenario, "recourse");
    scenario.clients.is_streaming = true;
    rc_sim_fault *fault = sim_scenario_add_fault(&scenario, RC_SIM_CUT, 0, RC_SIM_DURATION_MAX_MS);
    fault->share_pct = 10;
    rc_sim_result *result = sim_scenario_run(&scenario, 1);
    sim_result_check(result);
    assert_true(result->policies[0].success_milli_pct > 99500);
    assert_true(result->policies[0].retries > 100);
    rc_sim_result_free(result);
}

static void timeout_and_deadline_end_a_hanging_call(void **state)
{
    (void)state;
    sim_scenario_small(&scenario, "none");
    assert_int_equal(rc_sim_scenario_add(&scenario, RC_STR("recourse")), RC_SIM_ADDED);
    (void)sim_scenario_add_fault(&scenario, RC_SIM_HANG, 0, RC_SIM_DURATION_MAX_MS);
    scenario.clients.deadline_ms = 8000;
    scenario.clients.first_token_wait_ms = 3000;
    rc_sim_result *result = sim_scenario_run(&scenario, 1);
    sim_result_check(result);
    assert_int_equal(result->policies[0].failing.max_ms, 3000);
    assert_int_equal(result->policies[0].failed, result->policies[0].requests);
    assert_true(result->policies[1].failing.max_ms > 3000);
    scenario.clients.first_token_wait_ms = 0;
    rc_sim_result_free(result);
    result = sim_scenario_run(&scenario, 1);
    sim_result_check(result);
    assert_int_equal(result->policies[0].failing.max_ms, 8000);
    rc_sim_result_free(result);
}

static void an_exhausted_key_is_replaced_by_the_other_key_then_by_the_next_provider(void **state)
{
    (void)state;
    sim_scenario_small(&scenario, "recourse");
    scenario.providers[0].keys = 2;
    scenario.providers[0].limits.quota_requests = 300;
    scenario.provider_count = 2;
    rc_sim_provider_init(&scenario.providers[1], RC_STR("backup"));
    rc_sim_result *result = sim_scenario_run(&scenario, 1);
    sim_result_check(result);
    const rc_sim_policy_result *policy = &result->policies[0];
    assert_int_equal(policy->in_time, policy->requests);
    assert_in_range(policy->wasted_calls, 2, 30);
    rc_sim_result_free(result);
}

static void closed_clients_wait_for_their_responses(void **state)
{
    (void)state;
    sim_scenario_small(&scenario, "none");
    scenario.clients.loop = RC_SIM_CLOSED;
    scenario.clients.every_ms = 100;
    scenario.clients.count = 10;
    scenario.providers[0].first_token_ms = (rc_sim_spread){900, 900, 900, 900, 900};
    scenario.providers[0].limits.concurrency = 10;
    rc_sim_result *result = sim_scenario_run(&scenario, 1);
    sim_result_check(result);
    /* Ten clients with one request a second each never exceed the concurrency limit. */
    assert_in_range(result->policies[0].requests, 180, 220);
    assert_int_equal(result->policies[0].failed, 0);
    rc_sim_result_free(result);
}

static void a_surge_has_its_size(void **state)
{
    (void)state;
    for (int loop = RC_SIM_OPEN; loop <= RC_SIM_CLOSED; loop++) {
        sim_scenario_small(&scenario, "none");
        scenario.clients.loop = (rc_sim_loop)loop;
        scenario.clients.surge = (rc_sim_surge){.from_ms = 10000, .until_ms = 20000, .pct = 300};
        rc_sim_result *result = sim_scenario_run(&scenario, 1);
        sim_result_check(result);
        uint64_t before = 0;
        uint64_t during = 0;
        for (uint32_t i = 0; i < 100; i++) {
            before += result->policies[0].buckets[i].requests;
            during += result->policies[0].buckets[i + 100].requests;
        }
        assert_in_range(during * 100 / before, 230, 340);
        assert_string_equal(result->spans[0].label, "surge");
        rc_sim_result_free(result);
    }
}

static void each_process_has_its_own_state(void **state)
{
    (void)state;
    uint64_t calls[2];
    for (int i = 0; i < 2; i++) {
        sim_scenario_small(&scenario, "budget-alone");
        (void)sim_scenario_add_fault(&scenario, RC_SIM_ERROR, 0, RC_SIM_DURATION_MAX_MS);
        scenario.clients.processes = i == 0 ? 1 : 10;
        rc_sim_result *result = sim_scenario_run(&scenario, 1);
        sim_result_check(result);
        calls[i] = result->policies[0].retries;
        rc_sim_result_free(result);
    }
    /* Ten retry budgets with a burst of 100 are used in place of one. */
    assert_true(calls[1] > calls[0] + 500);
}

/* Responses have no latency and clients do not pause: virtual time still advances. */
static void a_closed_loop_without_latency_ends(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        sim_scenario_small(&scenario, "none");
        (void)sim_scenario_add_fault(&scenario, RC_SIM_ERROR, 0, RC_SIM_DURATION_MAX_MS);
        scenario.duration_ms = 1000;
        scenario.clients.loop = i == 0 ? RC_SIM_CLOSED : RC_SIM_OPEN;
        scenario.clients.count = 10;
        scenario.clients.every_ms = 50;
        scenario.clients.surge = (rc_sim_surge){.until_ms = 1000, .pct = RC_SIM_SURGE_MAX_PCT};
        scenario.providers[0].fails_in_ms = 0;
        rc_sim_result *result = sim_scenario_run(&scenario, 1);
        sim_result_check(result);
        assert_in_range(result->policies[0].requests, 5000, i == 0 ? 10000 : 25000);
        rc_sim_result_free(result);
    }
}

/* At the highest possible rate, with gaps far below a microsecond, the number of requests is still
 * right. */
static void a_dense_stream_has_the_right_rate(void **state)
{
    (void)state;
    sim_scenario_small(&scenario, "none");
    scenario.duration_ms = 10;
    scenario.clients.count = RC_SIM_CLIENTS_MAX;
    scenario.clients.every_ms = 50;
    rc_sim_result *result = sim_scenario_run(&scenario, 1);
    assert_in_range(result->policies[0].requests, 195000, 205000);
    rc_sim_result_free(result);
}

static void more_requests_than_fit_are_refused(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_sim_result *result = NULL;
    sim_scenario_small(&scenario, "none");
    assert_int_equal(rc_sim_scenario_requests(&scenario), 2000);
    assert_int_equal(rc_sim_scenario_requests_max(&scenario), RC_SIM_REQUESTS_MAX);
    scenario.duration_ms = 2;
    assert_int_equal(rc_sim_scenario_requests_max(&scenario), 2000000);
    rc_sim_options options = {.requests = 2000001};
    assert_int_equal(rc_sim_run(&scenario, &options, &alloc, &result), RC_E_RANGE);
    assert_null(result);
}

static bool is_same(const rc_sim_result *a, const rc_sim_result *b)
{
    bool is_equal = a->policy_count == b->policy_count;
    for (uint32_t i = 0; i < a->policy_count && is_equal; i++) {
        const rc_sim_policy_result *x = &a->policies[i];
        const rc_sim_policy_result *y = &b->policies[i];
        is_equal = x->bucket_count == y->bucket_count && x->cost_nano_usd == y->cost_nano_usd &&
                   memcmp(x->buckets, y->buckets, x->bucket_count * sizeof *x->buckets) == 0 &&
                   memcmp(&x->latency, &y->latency, sizeof x->latency) == 0 &&
                   memcmp(x->stops, y->stops, sizeof x->stops) == 0;
    }
    return is_equal;
}

static void the_same_seed_repeats_everything(void **state)
{
    (void)state;
    sim_scenario_builtin(&scenario, "flaky-stream");
    rc_sim_result *first = sim_scenario_run(&scenario, 7);
    rc_sim_result *again = sim_scenario_run(&scenario, 7);
    rc_sim_result *other = sim_scenario_run(&scenario, 8);
    assert_true(is_same(first, again));
    assert_false(is_same(first, other));
    assert_int_equal(first->seed, 7);
    rc_sim_result_free(first);
    rc_sim_result_free(again);
    rc_sim_result_free(other);
}

/* The expected digests of the other clients' loops, which another compiler must not change. */
static void the_bytes_are_pinned(void **state)
{
    (void)state;
    sim_scenario_builtin(&scenario, "brownout");
    scenario.policy_count = 0;
    assert_int_equal(rc_sim_scenario_add(&scenario, RC_STR("openai-sdk")), RC_SIM_ADDED);
    assert_int_equal(rc_sim_scenario_add(&scenario, RC_STR("litellm")), RC_SIM_ADDED);
    rc_sim_result *result = sim_scenario_run(&scenario, 1);
    uint64_t digest = 0;
    for (uint32_t i = 0; i < result->policy_count; i++) {
        const rc_sim_policy_result *policy = &result->policies[i];
        for (uint32_t j = 0; j < policy->bucket_count; j++)
            digest = digest * 31 + policy->buckets[j].calls * 7u + policy->buckets[j].delivered;
    }
    assert_int_equal(digest, UINT64_C(0xa07b87a6365b0047));
    rc_sim_result_free(result);
}

/* Every policy gets the same requests, so only the decisions differ. */
static void all_policies_get_the_same_requests(void **state)
{
    (void)state;
    sim_scenario_builtin(&scenario, "outage");
    rc_sim_result *result = sim_scenario_run(&scenario, 1);
    sim_result_check(result);
    const rc_sim_policy_result *first = &result->policies[0];
    for (uint32_t i = 1; i < result->policy_count; i++)
        for (uint32_t j = 0; j < 1200; j++)
            assert_int_equal(result->policies[i].buckets[j].requests, first->buckets[j].requests);
    rc_sim_result_free(result);
}

static void a_scaled_scenario_has_the_same_proportions(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    sim_scenario_builtin(&scenario, "rate-limit");
    static const uint64_t wanted[] = {5000, 50000};
    uint32_t success[2];
    for (int i = 0; i < 2; i++) {
        rc_sim_options options = {.requests = wanted[i]};
        rc_sim_result *result = NULL;
        assert_int_equal(rc_sim_run(&scenario, &options, &alloc, &result), RC_OK);
        sim_result_check(result);
        assert_in_range(result->policies[0].requests, wanted[i] * 9 / 10, wanted[i] * 11 / 10);
        success[i] = result->policies[5].success_milli_pct;
        rc_sim_result_free(result);
    }
    assert_in_range(success[0], success[1] - 5000, success[1] + 5000);
}

typedef struct reported {
    uint32_t count;
    uint32_t last_permille;
    uint32_t stop_at;
} reported;

static bool on_progress(void *ctx, const rc_sim_progress *progress)
{
    reported *t = ctx;
    assert_true(t->count == 0 || progress->permille >= t->last_permille);
    assert_true(progress->policy_index < progress->policy_count);
    t->last_permille = progress->permille;
    t->count++;
    return progress->permille < t->stop_at;
}

static void progress_is_reported_and_can_end_the_run(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    sim_scenario_builtin(&scenario, "outage");
    reported all = {.stop_at = 2000};
    rc_sim_options options = {.progress = on_progress, .progress_ctx = &all};
    rc_sim_result *result = NULL;
    assert_int_equal(rc_sim_run(&scenario, &options, &alloc, &result), RC_OK);
    assert_int_equal(all.last_permille, 1000);
    assert_false(result->is_partial);
    rc_sim_result_free(result);
    reported half = {.stop_at = 500};
    options.progress_ctx = &half;
    assert_int_equal(rc_sim_run(&scenario, &options, &alloc, &result), RC_OK);
    assert_true(result->is_partial);
    assert_true(result->policy_count < scenario.policy_count);
    rc_sim_result_free(result);
}

static void failing_allocations_are_reported(void **state)
{
    (void)state;
    sim_scenario_small(&scenario, "recourse");
    assert_int_equal(rc_sim_scenario_add(&scenario, RC_STR("naive")), RC_SIM_ADDED);
    (void)sim_scenario_add_fault(&scenario, RC_SIM_OUTAGE, 5000, 9000);
    rc_status status = RC_E_NOMEM;
    size_t failed = 0;
    for (size_t n = 1; status == RC_E_NOMEM; n++) {
        fail_alloc counting = {.fail_at = n};
        rc_alloc alloc = fail_alloc_of(&counting);
        rc_sim_result *result = NULL;
        status = rc_sim_run(&scenario, NULL, &alloc, &result);
        failed += status == RC_E_NOMEM;
        if (status == RC_OK)
            rc_sim_result_free(result);
        else
            assert_null(result);
        assert_int_equal(counting.live, 0);
        assert_false(counting.is_broken);
    }
    assert_int_equal(status, RC_OK);
    assert_true(failed >= 8);
}

static void an_invalid_scenario_is_refused(void **state)
{
    (void)state;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_sim_result *result = NULL;
    sim_scenario_small(&scenario, "none");
    scenario.clients.count = 0;
    assert_int_equal(rc_sim_run(&scenario, NULL, &alloc, &result), RC_E_ARGUMENT);
    assert_null(result);
}

static void every_built_in_scenario_passes_the_checks(void **state)
{
    (void)state;
    for (size_t i = 0; rc_sim_builtin_at(i) != NULL; i++) {
        sim_scenario_builtin(&scenario, rc_sim_builtin_at(i)->name);
        rc_sim_result *result = sim_scenario_run(&scenario, 3);
        sim_result_check(result);
        rc_sim_result_free(result);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_scenario_without_faults_delivers_everything),
        cmocka_unit_test(without_retries_requests_fail_exactly_during_the_fault),
        cmocka_unit_test(if_every_call_fails_all_attempts_are_made),
        cmocka_unit_test(cut_streams_are_not_retried_but_charged),
        cmocka_unit_test(empty_streams_are_retried),
        cmocka_unit_test(timeout_and_deadline_end_a_hanging_call),
        cmocka_unit_test(an_exhausted_key_is_replaced_by_the_other_key_then_by_the_next_provider),
        cmocka_unit_test(closed_clients_wait_for_their_responses),
        cmocka_unit_test(a_surge_has_its_size),
        cmocka_unit_test(a_closed_loop_without_latency_ends),
        cmocka_unit_test(a_dense_stream_has_the_right_rate),
        cmocka_unit_test(more_requests_than_fit_are_refused),
        cmocka_unit_test(each_process_has_its_own_state),
        cmocka_unit_test(the_same_seed_repeats_everything),
        cmocka_unit_test(the_bytes_are_pinned),
        cmocka_unit_test(all_policies_get_the_same_requests),
        cmocka_unit_test(a_scaled_scenario_has_the_same_proportions),
        cmocka_unit_test(progress_is_reported_and_can_end_the_run),
        cmocka_unit_test(failing_allocations_are_reported),
        cmocka_unit_test(an_invalid_scenario_is_refused),
        cmocka_unit_test(every_built_in_scenario_passes_the_checks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
