/* Tests of the models of other clients' retry loops, which must behave like the source code of
 * these clients. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "sim/rivals.h"

typedef struct rival_case {
    rc_sim_rival rival;
    rc_sim_outcome_kind outcome;
    rc_sim_dialect dialect;
    int64_t wait_ms;
    uint32_t calls;        /* number of calls until the loop gives up, if every call fails */
    uint64_t first_min_ms; /* shortest first wait in milliseconds */
    uint64_t first_max_ms;
} rival_case;

static const rival_case cases[] = {
    {RC_SIM_OPENAI_SDK, RC_SIM_OUTCOME_OUTAGE, RC_SIM_OPENAI, -1, 3, 375, 500},
    {RC_SIM_OPENAI_SDK, RC_SIM_OUTCOME_REQUESTS, RC_SIM_OPENAI, 1234, 3, 1234, 1234},
    {RC_SIM_OPENAI_SDK, RC_SIM_OUTCOME_REQUESTS, RC_SIM_ANTHROPIC, 1234, 3, 2000, 2000},
    {RC_SIM_OPENAI_SDK, RC_SIM_OUTCOME_REQUESTS, RC_SIM_OPENAI, 120001, 1, 0, 0},
    {RC_SIM_OPENAI_SDK, RC_SIM_OUTCOME_QUOTA, RC_SIM_OPENAI, -1, 3, 375, 500},
    {RC_SIM_OPENAI_SDK, RC_SIM_OUTCOME_QUOTA, RC_SIM_ANTHROPIC, -1, 1, 0, 0},
    {RC_SIM_OPENAI_SDK, RC_SIM_OUTCOME_REFUSED, RC_SIM_OPENAI, -1, 3, 375, 500},
    {RC_SIM_OPENAI_SDK, RC_SIM_OUTCOME_CUT_EMPTY, RC_SIM_OPENAI, -1, 1, 0, 0},
    {RC_SIM_LITELLM, RC_SIM_OUTCOME_ERROR, RC_SIM_OPENAI, -1, 3, 500, 1250},
    {RC_SIM_LITELLM, RC_SIM_OUTCOME_REQUESTS, RC_SIM_OPENAI, 1234, 3, 2000, 2000},
    {RC_SIM_LITELLM, RC_SIM_OUTCOME_REQUESTS, RC_SIM_OPENAI, 61000, 3, 500, 1250},
    {RC_SIM_PORTKEY, RC_SIM_OUTCOME_OUTAGE, RC_SIM_OPENAI, 7000, 6, 1000, 1000},
    {RC_SIM_PORTKEY, RC_SIM_OUTCOME_OVERLOAD, RC_SIM_OPENAI, -1, 6, 1000, 1000},
    {RC_SIM_PORTKEY, RC_SIM_OUTCOME_OVERLOAD, RC_SIM_ANTHROPIC, -1, 1, 0, 0},
    {RC_SIM_NAIVE, RC_SIM_OUTCOME_QUOTA, RC_SIM_ANTHROPIC, -1, 6, 1000, 1000},
    {RC_SIM_NAIVE, RC_SIM_OUTCOME_CUT_EMPTY, RC_SIM_OPENAI, -1, 6, 1000, 1000},
    {RC_SIM_NAIVE, RC_SIM_OUTCOME_CUT, RC_SIM_OPENAI, -1, 1, 0, 0},
    {RC_SIM_NO_RETRY, RC_SIM_OUTCOME_OUTAGE, RC_SIM_OPENAI, -1, 1, 0, 0},
};

static void each_loop_makes_its_attempts_and_waits(void **state)
{
    (void)state;
    rc_sim_rng rng;
    rc_sim_rng_init(&rng, 1, 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const rival_case *c = &cases[i];
        const rc_sim_rival_row *row = rc_sim_rival_row_of(c->rival);
        rc_sim_outcome outcome = {.kind = c->outcome, .wait_ms = c->wait_ms};
        rc_sim_rival_state rival;
        rc_action action = rc_sim_rival_begin(&rival);
        assert_int_equal(action.kind, RC_DO_TRY);
        uint64_t now_ms = 1000;
        while (action.kind == RC_DO_TRY) {
            action = rc_sim_rival_on_failure(&rival, row, &outcome, c->dialect, 1, now_ms, &rng);
            if (action.kind != RC_DO_WAIT)
                break;
            assert_true(action.at_ms == now_ms + action.wait_ms);
            if (rival.calls == 1) {
                assert_in_range(action.wait_ms, c->first_min_ms, c->first_max_ms);
            }
            now_ms = action.at_ms;
            action = rc_sim_rival_on_wake(&rival);
        }
        assert_int_equal(action.kind, RC_DO_STOP);
        assert_int_equal(rival.calls, c->calls);
    }
}

static void waits_double_up_to_their_limit(void **state)
{
    (void)state;
    static const uint64_t waits_ms[] = {1000, 2000, 4000, 8000, 16000};
    rc_sim_rng rng;
    rc_sim_rng_init(&rng, 1, 1);
    const rc_sim_rival_row *row = rc_sim_rival_row_of(RC_SIM_PORTKEY);
    rc_sim_outcome outcome = {.kind = RC_SIM_OUTCOME_OUTAGE, .wait_ms = -1};
    rc_sim_rival_state rival;
    (void)rc_sim_rival_begin(&rival);
    for (size_t i = 0; i < 5; i++) {
        rc_action action =
            rc_sim_rival_on_failure(&rival, row, &outcome, RC_SIM_OPENAI, 1, 0, &rng);
        assert_int_equal(action.wait_ms, waits_ms[i]);
        (void)rc_sim_rival_on_wake(&rival);
    }
}

static void gateways_go_to_the_next_target(void **state)
{
    (void)state;
    rc_sim_rng rng;
    rc_sim_rng_init(&rng, 1, 1);
    rc_sim_outcome outcome = {.kind = RC_SIM_OUTCOME_QUOTA, .wait_ms = -1};
    rc_sim_rival_state rival;
    (void)rc_sim_rival_begin(&rival);
    rc_action action = rc_sim_rival_on_failure(&rival, rc_sim_rival_row_of(RC_SIM_LITELLM),
                                               &outcome, RC_SIM_ANTHROPIC, 2, 0, &rng);
    assert_int_equal(action.kind, RC_DO_TRY);
    assert_int_equal(action.target, 1);
    (void)rc_sim_rival_begin(&rival);
    action = rc_sim_rival_on_failure(&rival, rc_sim_rival_row_of(RC_SIM_OPENAI_SDK), &outcome,
                                     RC_SIM_ANTHROPIC, 2, 0, &rng);
    assert_int_equal(action.kind, RC_DO_STOP);
    assert_int_equal(action.reason, RC_WHY_NOT_RETRYABLE);
}

static void an_unknown_loop_has_no_row(void **state)
{
    (void)state;
    assert_null(rc_sim_rival_row_of(RC_SIM_OURS));
    assert_null(rc_sim_rival_row_of(RC_SIM_RIVAL_COUNT));
    assert_null(rc_sim_rival_row_of((rc_sim_rival)-1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_loop_makes_its_attempts_and_waits),
        cmocka_unit_test(waits_double_up_to_their_limit),
        cmocka_unit_test(gateways_go_to_the_next_target),
        cmocka_unit_test(an_unknown_loop_has_no_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
