/* Tests with many calls in virtual time: no attempt starts and no call ends after its deadline, and
 * the invariants of call.h hold for every sequence of inputs.
 *
 * RECOURSE_FIRST_SEED: the seed of the inputs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/call_fixture.h"
#include "tests/support/call_model.h"
#include "tests/support/often.h"

#define SCHEDULES OFTEN(1000000) /* number of whole calls */
#define STEPS OFTEN(10000000)    /* number of inputs to the model */

/* --- whole calls --- */

/* Sums over all schedules. */
typedef struct tally {
    uint64_t tries;
    uint64_t waits;
    uint64_t delivered;
    uint64_t stopped_for_time; /* calls that the deadline ended, or that stopped because a wait
                                  would have passed it */
} tally;

static rc_failure_facts random_failure(entropy_source *c)
{
    static const rc_code codes[] = {RC_CODE_PROVIDER_5XX, RC_CODE_RATE_LIMITED, RC_CODE_OVERLOADED,
                                    RC_CODE_CONNECTION_RESET, RC_CODE_QUOTA_EXHAUSTED};
    rc_failure_facts failure = fixture_failure(codes[draw(c, 5)], NO_HINT);
    if (draw(c, 2))
        failure.retry_after_ms = draw(c, 20000);
    return failure;
}

/* Acts as the owner: an attempt takes some time and is cancelled at the deadline. */
static rc_action end_attempt(call_fixture *w, entropy_source *c, const rc_action *action)
{
    uint64_t latency_ms = draw(c, draw(c, 4) ? 3000 : 60000);
    uint64_t end_ms = w->now_ms + latency_ms;
    uint64_t entropy = draw_entropy(c);
    if (end_ms >= action->deadline_at_ms) {
        w->now_ms = action->deadline_at_ms;
        rc_failure_facts late = fixture_failure(RC_CODE_NETWORK_TIMEOUT, NO_HINT);
        return rc_call_on_failure(&w->call, &late, w->now_ms, entropy);
    }
    w->now_ms = end_ms;
    if (draw(c, 5) == 0)
        return rc_call_on_success(&w->call, w->now_ms);
    rc_failure_facts failure = random_failure(c);
    return rc_call_on_failure(&w->call, &failure, w->now_ms, entropy);
}

static void run_schedule(call_fixture *w, entropy_source *c, tally *t)
{
    uint64_t deadline_ms = w->now_ms + draw(c, 120000);
    w->policy.budget_ms = draw(c, 3) ? RC_UNLIMITED : draw(c, 100000);
    w->policy.hint = (rc_hint_use)(1 + draw(c, 2));
    w->options.deadline_at_ms = deadline_ms;
    if (w->policy.budget_ms != RC_UNLIMITED && w->now_ms + w->policy.budget_ms < deadline_ms)
        deadline_ms = w->now_ms + w->policy.budget_ms;

    rc_action action = fixture_begin(w);
    for (int steps = 0; !rc_call_is_done(&w->call); steps++) {
        assert_true(steps < 100);
        if (action.kind == RC_DO_TRY) {
            assert_true(w->now_ms < deadline_ms);
            assert_int_equal(action.deadline_at_ms, deadline_ms);
            t->tries++;
            action = end_attempt(w, c, &action);
        } else {
            assert_int_equal(action.kind, RC_DO_WAIT);
            assert_true(action.at_ms < deadline_ms);
            t->waits++;
            w->now_ms = action.at_ms + (draw(c, 8) ? 0 : draw(c, 50)); /* the timer may be late */
            action = rc_call_on_wake(&w->call, w->now_ms, draw_entropy(c));
        }
    }
    /* Only a late timer of the owner exceeds the deadline; rc_call never does. */
    assert_true(w->now_ms <= deadline_ms + 50);
    t->delivered += action.kind == RC_DO_DELIVER;
    t->stopped_for_time +=
        action.reason == RC_WHY_DEADLINE_PASSED || action.reason == RC_WHY_WAIT_PAST_DEADLINE;
    w->now_ms += draw(c, 2000);
}

static void test_no_schedule_goes_past_its_deadline(void **state)
{
    (void)state;
    entropy_source c = {.seed = 0x5eed};
    tally t = {0};
    call_fixture w;
    fixture_init(&w, 3);
    w.shared.settings = rc_shared_settings_default();
    w.shared.settings.retry_budget = (rc_retry_budget_settings){.ratio_milli = 3000, .burst = 100};
    rc_retry_budget_init(&w.shared.retry_budget, &w.shared.settings.retry_budget, w.now_ms);
    w.shared.settings.exhausted_ms = 10000; /* the calls run one after another */
    w.policy.default_rule.backoff = RC_BACKOFF_EXPONENTIAL;
    w.policy.default_rule.factor_milli = 2000;
    w.policy.default_rule.jitter = RC_JITTER_FULL;
    for (uint64_t i = 0; i < SCHEDULES; i++)
        run_schedule(&w, &c, &t);
    assert_int_equal(fixture_in_flight(&w), 0);
    assert_true(rc_shared_validate(&w.shared));
    /* The schedules must contain all kinds of ends, otherwise the test has no meaning. */
    assert_true(t.tries > SCHEDULES && t.waits > SCHEDULES / 10);
    assert_true(t.delivered > SCHEDULES / 10 && t.stopped_for_time > SCHEDULES / 10);
}

/* --- random inputs --- */

static void test_the_invariants_hold(void **state)
{
    (void)state;
    const char *first_seed = getenv("RECOURSE_FIRST_SEED");
    entropy_source c = {.seed = first_seed != NULL ? strtoull(first_seed, NULL, 10) * 2 + 1 : 3};
    uint64_t steps = STEPS;
    while (steps > 0) {
        model m;
        model_init(&m, &c);
        uint64_t some = 20 + draw(&c, 500);
        for (; some > 0 && steps > 0; some--, steps--)
            model_step(&m, &c);
        model_end(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_schedule_goes_past_its_deadline),
        cmocka_unit_test(test_the_invariants_hold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
