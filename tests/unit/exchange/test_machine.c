/* Tests of the life cycle of a request in virtual time: recorded sequences of inputs with their
 * effects, every prefix of these sequences, and random sequences with the model of
 * tests/support/exchange_model.h. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/exchange_model.h"
#include "tests/support/often.h"

#ifndef EXCHANGES
#define EXCHANGES OFTEN(10000000)
#endif

/* ---- recorded sequences ---- */

static const char *const effect_names[] = {
    [RC_EFFECT_RESERVE] = "reserve",       [RC_EFFECT_START] = "start",
    [RC_EFFECT_COMMIT] = "commit",         [RC_EFFECT_SETTLE] = "settle",
    [RC_EFFECT_CANCEL] = "cancel",         [RC_EFFECT_FREE] = "free",
    [RC_EFFECT_END_STREAM] = "end_stream", [RC_EFFECT_END_LATE] = "end_late",
    [RC_EFFECT_BREAK] = "break",           [RC_EFFECT_REFRESH] = "refresh",
    [RC_EFFECT_LOG_ACTION] = "log",        [RC_EFFECT_LOG_HEDGE] = "log_hedge",
    [RC_EFFECT_LOG_SKIP] = "log_skip",     [RC_EFFECT_LOG_CANCEL] = "log_cancel",
    [RC_EFFECT_CUT_WAIT] = "cut_wait",     [RC_EFFECT_PAUSE] = "pause",
    [RC_EFFECT_END_PAUSE] = "end_pause",   [RC_EFFECT_DELIVERED] = "delivered",
    [RC_EFFECT_REPORT] = "report",         [RC_EFFECT_DENY] = "deny",
    [RC_EFFECT_REFUSE] = "refuse",         [RC_EFFECT_REFUSE_LATE] = "refuse_late",
    [RC_EFFECT_STORE] = "store",           [RC_EFFECT_STORE_LATE] = "store_late",
    [RC_EFFECT_COUNT] = "count",           [RC_EFFECT_REPLY] = "reply",
    [RC_EFFECT_CLOSE] = "close",
};

/* One input of a recorded sequence, and the effects that follow. */
typedef struct recorded {
    rc_exchange_input_kind kind;
    uint8_t slot;
    uint8_t verdict;    /* verdict of RESERVED and STORED */
    uint32_t after_ms;  /* time since the previous input in milliseconds */
    rc_code code;       /* code of FAILED */
    bool is_error_less; /* CONTENT: the format of the response does not allow an error event */
    const char *effects;
} recorded;

/* Two targets without limits, three attempts, and a deadline of 10 s. */
typedef struct fixture {
    exchange_model model;
    entropy_source chance;
} fixture;

static void fixture_init(fixture *f, uint64_t hedge_delay_ms)
{
    memset(f, 0, sizeof *f);
    f->chance.seed = 1;
    model *world = &f->model.world;
    const rc_shared_settings settings = rc_shared_settings_default();
    world->now_ms = 1000;
    world->policy = (rc_policy){
        .name = "fixed",
        .enabled = true,
        .hint = RC_HINT_EXTEND,
        .max_calls = 5,
        .budget_ms = RC_UNLIMITED,
        .default_rule = {.max_attempts = 2,
                         .backoff = RC_BACKOFF_FIXED,
                         .jitter = RC_JITTER_NONE,
                         .base_ms = 200,
                         .max_delay_ms = RC_UNLIMITED},
    };
    rc_shared_init(&world->shared, &settings, world->targets, MODEL_TARGETS, world->credentials,
                   MODEL_CREDENTIALS, world->now_ms);
    for (uint16_t i = 0; i < 2; i++)
        world->entries[i] =
            (rc_chain_entry){.target = i, .max_attempts = 1, .capabilities = UINT32_MAX};
    world->plan = (rc_plan){.policy = &world->policy,
                            .entries = world->entries,
                            .entry_count = 2,
                            .overflow_to = RC_NO_TARGET};
    exchange_model_begin(&f->model);
    f->model.start = (rc_exchange_start){.plan = &world->plan,
                                         .shared = &world->shared,
                                         .options = {.skips = &f->model.skips},
                                         .hedge_delay_ms = hedge_delay_ms};
    f->model.limits = (rc_deadline_limits){.received_ms = world->now_ms,
                                           .called_ms = world->now_ms,
                                           .route_ms = 10000,
                                           .route_policy_ms = RC_UNLIMITED,
                                           .policy_ms = RC_UNLIMITED};
}

/* Updates the state of the model by the input, then feeds the input to the machine. */
static void play(fixture *f, const recorded *r)
{
    exchange_model *m = &f->model;
    const rc_failure_facts facts = {
        .code = r->code,
        .is_retryable = r->code == RC_CODE_PROVIDER_5XX || r->code == RC_CODE_OVERLOADED,
        .retry_after_ms = -1,
    };
    const rc_exchange_input input = {.kind = r->kind,
                                     .slot = r->slot,
                                     .verdict = r->verdict,
                                     .can_carry_error = !r->is_error_less,
                                     .reason = RC_WHY_BUDGET_HELD,
                                     .facts = &facts,
                                     .start = &m->start,
                                     .limits = &m->limits};
    m->world.now_ms += r->after_ms;
    m->is_gone |= r->kind == RC_INPUT_GONE;
    m->is_begun |= r->kind == RC_INPUT_BEGIN;
    if (r->kind == RC_INPUT_RESERVED) {
        m->lanes[r->slot].is_awaited = false;
        m->lanes[r->slot].is_granted = r->verdict == RC_RESERVE_GRANTED;
    }
    if (r->kind == RC_INPUT_STORED) {
        m->is_store_awaited = false;
        m->is_answered = true;
        m->has_report |= r->verdict != RC_STORE_DONE;
    }
    m->has_report |= r->kind == RC_INPUT_REFUSED;
    exchange_model_feed(m, &f->chance, &input);
}

static void effects_text(const rc_exchange_effects *effects, char text[256])
{
    size_t len = 0;
    text[0] = '\0';
    for (uint32_t i = 0; i < effects->count; i++) {
        const rc_exchange_effect *effect = &effects->list[i];
        const bool has_slot = effect->kind <= RC_EFFECT_BREAK;
        len += (size_t)snprintf(text + len, 256 - len, "%s%s", i > 0 ? " " : "",
                                effect_names[effect->kind]);
        if (has_slot)
            len += (size_t)snprintf(text + len, 256 - len, " %u", effect->slot);
    }
}

/* Plays the sequence and compares the effects. Then plays every prefix of the sequence, after which
 * the client disconnects, the gateway drains or closes, or 40 s pass. */
static void check_sequence(const recorded *list, size_t count, uint64_t hedge_delay_ms)
{
    static const rc_exchange_input_kind ends[] = {RC_INPUT_GONE, RC_INPUT_DRAIN, RC_INPUT_TIMER,
                                                  RC_INPUT_CLOSING};
    fixture f;
    char text[256];
    fixture_init(&f, hedge_delay_ms);
    for (size_t i = 0; i < count; i++) {
        play(&f, &list[i]);
        effects_text(&f.model.effects, text);
        assert_string_equal(text, list[i].effects);
    }
    for (size_t prefix = 0; prefix <= count; prefix++)
        for (size_t end = 0; end < sizeof ends / sizeof ends[0]; end++) {
            fixture_init(&f, hedge_delay_ms);
            for (size_t i = 0; i < prefix; i++)
                play(&f, &list[i]);
            const recorded last = {.kind = ends[end], .after_ms = 40000};
            play(&f, &last);
            exchange_model_end(&f.model, &f.chance);
        }
}

#define CHECK(list, hedge_ms) check_sequence((list), sizeof(list) / sizeof(list)[0], (hedge_ms))

static void a_whole_response_is_recorded_before_it_is_sent(void **state)
{
    (void)state;
    const recorded list[] = {
        {.kind = RC_INPUT_BEGIN, .effects = "log reserve 0"},
        {.kind = RC_INPUT_RESERVED, .effects = "start 0"},
        {.kind = RC_INPUT_CHOSEN, .after_ms = 90, .effects = ""},
        {.kind = RC_INPUT_COMPLETE, .effects = "settle 0 delivered store"},
        {.kind = RC_INPUT_STORED, .effects = "reply"},
        {.kind = RC_INPUT_SENT, .effects = "close"},
    };
    CHECK(list, RC_UNLIMITED);
}

static void a_503_fails_over_and_a_cut_stream_ends_with_an_error_event(void **state)
{
    (void)state;
    const recorded list[] = {
        {.kind = RC_INPUT_BEGIN, .effects = "log reserve 0"},
        {.kind = RC_INPUT_RESERVED, .effects = "start 0"},
        {.kind = RC_INPUT_FAILED, .code = RC_CODE_OVERLOADED, .effects = "settle 0 log reserve 0"},
        {.kind = RC_INPUT_RESERVED, .effects = "start 0"},
        {.kind = RC_INPUT_CONTENT, .after_ms = 300, .effects = "commit 0"},
        {.kind = RC_INPUT_FAILED,
         .after_ms = 50,
         .code = RC_CODE_PROVIDER_5XX,
         .effects = "settle 0 log report store"},
        {.kind = RC_INPUT_STORED, .effects = "reply"},
        {.kind = RC_INPUT_SENT, .effects = "close"},
    };
    CHECK(list, RC_UNLIMITED);
    fixture f;
    fixture_init(&f, RC_UNLIMITED);
    for (size_t i = 0; i < 7; i++)
        play(&f, &list[i]);
    assert_int_equal(f.model.machine.ending, RC_ENDING_ERROR_EVENT);
}

static void a_cut_response_without_error_events_is_aborted(void **state)
{
    (void)state;
    const recorded list[] = {
        {.kind = RC_INPUT_BEGIN, .effects = "log reserve 0"},
        {.kind = RC_INPUT_RESERVED, .effects = "start 0"},
        {.kind = RC_INPUT_CONTENT, .is_error_less = true, .effects = "commit 0"},
        {.kind = RC_INPUT_FAILED,
         .code = RC_CODE_PROVIDER_5XX,
         .effects = "settle 0 log report store"},
        {.kind = RC_INPUT_STORED, .effects = "reply close"},
    };
    CHECK(list, RC_UNLIMITED);
}

static void the_faster_lane_of_a_hedge_wins(void **state)
{
    (void)state;
    const recorded list[] = {
        {.kind = RC_INPUT_BEGIN, .effects = "log reserve 0"},
        {.kind = RC_INPUT_RESERVED, .effects = "start 0"},
        {.kind = RC_INPUT_TIMER, .after_ms = 100, .effects = "log_hedge reserve 1"},
        {.kind = RC_INPUT_RESERVED, .slot = 1, .effects = "start 1"},
        {.kind = RC_INPUT_CONTENT, .slot = 1, .effects = "cancel 0 free 0 commit 1"},
        {.kind = RC_INPUT_TERMINATED, .slot = 1, .effects = ""},
        {.kind = RC_INPUT_TIMER, .after_ms = RC_EXCHANGE_TAIL_MS, .effects = "end_stream 1"},
        {.kind = RC_INPUT_COMPLETE, .slot = 1, .effects = "settle 1 delivered store"},
        {.kind = RC_INPUT_STORED, .effects = "reply"},
        {.kind = RC_INPUT_SENT, .effects = "close"},
    };
    CHECK(list, 100);
}

static void a_hedge_that_cannot_be_sent_is_left_out(void **state)
{
    (void)state;
    const recorded denied[] = {
        {.kind = RC_INPUT_BEGIN, .effects = "log reserve 0"},
        {.kind = RC_INPUT_RESERVED, .effects = "start 0"},
        {.kind = RC_INPUT_TIMER, .after_ms = 100, .effects = "log_hedge reserve 1"},
        {.kind = RC_INPUT_RESERVED,
         .slot = 1,
         .verdict = RC_RESERVE_WAIT,
         .effects = "log_skip free 1"},
        {.kind = RC_INPUT_COMPLETE, .effects = "settle 0 delivered store"},
    };
    const recorded no_memory[] = {
        {.kind = RC_INPUT_BEGIN, .effects = "log reserve 0"},
        {.kind = RC_INPUT_RESERVED, .effects = "start 0"},
        {.kind = RC_INPUT_TIMER, .after_ms = 100, .effects = "log_hedge reserve 1"},
        {.kind = RC_INPUT_RESERVED,
         .slot = 1,
         .verdict = RC_RESERVE_NO_MEMORY,
         .effects = "free 1"},
        {.kind = RC_INPUT_COMPLETE, .effects = "settle 0 delivered store"},
    };
    CHECK(denied, 100);
    CHECK(no_memory, 100);
}

static void a_failed_lane_leaves_the_other_one_running(void **state)
{
    (void)state;
    const recorded list[] = {
        {.kind = RC_INPUT_BEGIN, .effects = "log reserve 0"},
        {.kind = RC_INPUT_RESERVED, .effects = "start 0"},
        {.kind = RC_INPUT_TIMER, .after_ms = 100, .effects = "log_hedge reserve 1"},
        {.kind = RC_INPUT_RESERVED, .slot = 1, .effects = "start 1"},
        {.kind = RC_INPUT_FAILED, .code = RC_CODE_OVERLOADED, .effects = "settle 0 free 0"},
        {.kind = RC_INPUT_COMPLETE, .slot = 1, .effects = "settle 1 delivered store"},
    };
    CHECK(list, 100);
}

static void an_attempt_waits_for_its_budget(void **state)
{
    (void)state;
    const recorded list[] = {
        {.kind = RC_INPUT_BEGIN, .effects = "log reserve 0"},
        {.kind = RC_INPUT_RESERVED, .verdict = RC_RESERVE_WAIT, .effects = "pause"},
        {.kind = RC_INPUT_TIMER, .after_ms = RC_EXCHANGE_PAUSE_MS, .effects = "reserve 0"},
        {.kind = RC_INPUT_RESERVED, .verdict = RC_RESERVE_WAIT, .effects = ""},
        {.kind = RC_INPUT_TIMER, .after_ms = RC_EXCHANGE_PAUSE_MS, .effects = "reserve 0"},
        {.kind = RC_INPUT_RESERVED, .effects = "end_pause start 0"},
        {.kind = RC_INPUT_COMPLETE, .effects = "settle 0 delivered store"},
    };
    CHECK(list, RC_UNLIMITED);
}

static void a_denied_budget_ends_the_call(void **state)
{
    (void)state;
    const recorded list[] = {
        {.kind = RC_INPUT_BEGIN, .effects = "log reserve 0"},
        {.kind = RC_INPUT_RESERVED,
         .verdict = RC_RESERVE_DENIED,
         .effects = "deny 0 log report store"},
        {.kind = RC_INPUT_STORED, .effects = "reply"},
    };
    fixture f;
    fixture_init(&f, RC_UNLIMITED);
    play(&f, &list[0]);
    play(&f, &list[1]);
    assert_int_equal(f.model.machine.action.attempt, 0);
    assert_int_equal(f.model.machine.ending, RC_ENDING_ERROR);
}

/* A request that cannot be expressed for the first target goes to the second one, and nothing
 * counts as an attempt or as a failure of the first. */
static void an_unfit_entry_is_left_out(void **state)
{
    (void)state;
    const recorded list[] = {
        {.kind = RC_INPUT_BEGIN, .effects = "log reserve 0"},
        {.kind = RC_INPUT_RESERVED, .verdict = RC_RESERVE_UNFIT, .effects = "log reserve 0"},
        {.kind = RC_INPUT_RESERVED, .effects = "start 0"},
        {.kind = RC_INPUT_COMPLETE, .effects = "settle 0 delivered store"},
    };
    fixture f;
    fixture_init(&f, RC_UNLIMITED);
    f.model.start.options.needs = RC_NEED_TRANSLATION;
    play(&f, &list[0]);
    assert_int_equal(f.model.machine.action.entry, 0);
    f.model.world.entries[0].capabilities &= ~(uint32_t)RC_NEED_TRANSLATION;
    play(&f, &list[1]);
    assert_int_equal(f.model.machine.action.entry, 1);
    assert_int_equal(f.model.machine.action.attempt, 1);
    assert_int_equal(f.model.skips.count, 1);
    assert_int_equal(f.model.skips.list[0].reason, RC_WHY_SKIP_TRANSLATION);
    play(&f, &list[2]);
    play(&f, &list[3]);
}

static void a_request_that_fits_no_entry_is_refused(void **state)
{
    (void)state;
    const recorded list[] = {
        {.kind = RC_INPUT_BEGIN, .effects = "log reserve 0"},
        {.kind = RC_INPUT_RESERVED, .verdict = RC_RESERVE_UNFIT, .effects = "log report store"},
        {.kind = RC_INPUT_STORED, .effects = "reply"},
    };
    fixture f;
    fixture_init(&f, RC_UNLIMITED);
    f.model.start.options.needs = RC_NEED_TRANSLATION;
    play(&f, &list[0]);
    for (size_t i = 0; i < 2; i++)
        f.model.world.entries[i].capabilities &= ~(uint32_t)RC_NEED_TRANSLATION;
    play(&f, &list[1]);
    assert_int_equal(f.model.machine.action.reason, RC_WHY_NONE_CAPABLE);
    assert_int_equal(f.model.machine.action.missing, RC_NEED_TRANSLATION);
    assert_int_equal(f.model.machine.action.attempt, 0);
    play(&f, &list[2]);
}

static void the_deadline_ends_an_attempt_after_one_more_poll(void **state)
{
    (void)state;
    const recorded list[] = {
        {.kind = RC_INPUT_BEGIN, .effects = "log reserve 0"},
        {.kind = RC_INPUT_RESERVED, .effects = "start 0"},
        {.kind = RC_INPUT_TIMER, .after_ms = 10000, .effects = ""},
        {.kind = RC_INPUT_TIMER, .after_ms = 1, .effects = "end_late 0"},
        {.kind = RC_INPUT_FAILED,
         .code = RC_CODE_OVERLOADED,
         .effects = "settle 0 log report store"},
    };
    CHECK(list, RC_UNLIMITED);
}

static void a_store_that_hangs_does_not_hold_the_response_for_ever(void **state)
{
    (void)state;
    const recorded list[] = {
        {.kind = RC_INPUT_BEGIN, .effects = "log reserve 0"},
        {.kind = RC_INPUT_RESERVED, .effects = "start 0"},
        {.kind = RC_INPUT_COMPLETE, .effects = "settle 0 delivered store"},
        {.kind = RC_INPUT_TIMER, .after_ms = 9999, .effects = ""},
        {.kind = RC_INPUT_TIMER, .after_ms = 1, .effects = "store_late"},
        {.kind = RC_INPUT_STORED, .verdict = RC_STORE_REFUSED, .effects = "reply"},
        {.kind = RC_INPUT_SENT, .effects = "close"},
    };
    CHECK(list, RC_UNLIMITED);
    fixture f;
    fixture_init(&f, RC_UNLIMITED);
    for (size_t i = 0; i < 6; i++)
        play(&f, &list[i]);
    assert_int_equal(f.model.machine.ending, RC_ENDING_ERROR);
}

static void a_disconnect_of_the_client_ends_the_exchange(void **state)
{
    (void)state;
    const recorded list[] = {
        {.kind = RC_INPUT_BEGIN, .effects = "log reserve 0"},
        {.kind = RC_INPUT_RESERVED, .effects = "start 0"},
        {.kind = RC_INPUT_TIMER, .after_ms = 100, .effects = "log_hedge reserve 1"},
        {.kind = RC_INPUT_RESERVED, .slot = 1, .effects = "start 1"},
        {.kind = RC_INPUT_GONE, .effects = "cancel 1 cancel 0 log_cancel store"},
        {.kind = RC_INPUT_STORED, .effects = "count close"},
    };
    CHECK(list, 100);
}

static void a_drain_ends_an_attempt_with_an_error(void **state)
{
    (void)state;
    const recorded list[] = {
        {.kind = RC_INPUT_BEGIN, .effects = "log reserve 0"},
        {.kind = RC_INPUT_RESERVED, .effects = "start 0"},
        {.kind = RC_INPUT_DRAIN, .effects = "break 0"},
        {.kind = RC_INPUT_FAULT, .effects = "settle 0 log report store"},
        {.kind = RC_INPUT_STORED, .effects = "reply"},
    };
    CHECK(list, RC_UNLIMITED);
}

static void inputs_for_a_cancelled_lane_are_ignored(void **state)
{
    (void)state;
    const recorded list[] = {
        {.kind = RC_INPUT_BEGIN, .effects = "log reserve 0"},
        {.kind = RC_INPUT_RESERVED, .effects = "start 0"},
        {.kind = RC_INPUT_TIMER, .after_ms = 100, .effects = "log_hedge reserve 1"},
        {.kind = RC_INPUT_RESERVED, .slot = 1, .effects = "start 1"},
        {.kind = RC_INPUT_CHOSEN, .slot = 1, .effects = "cancel 0 free 0"},
        {.kind = RC_INPUT_FAILED, .code = RC_CODE_OVERLOADED, .effects = ""},
        {.kind = RC_INPUT_COMPLETE, .effects = ""},
        {.kind = RC_INPUT_FAULT, .effects = ""},
        {.kind = RC_INPUT_CONTENT, .effects = ""},
    };
    CHECK(list, 100);
}

/* ---- random sequences ---- */

static void random_exchanges_hold_the_invariants(void **state)
{
    const uint64_t count = EXCHANGES;
    uint64_t inputs = 0;
    uint64_t started = 0;
    exchange_model m;
    (void)state;
    for (uint64_t i = 0; i < count; i++) {
        entropy_source c = {.seed = (i + 1) * UINT64_C(0x9e3779b97f4a7c15) | 1};
        if (i % 8 == 0)
            exchange_model_init(&m, &c);
        exchange_model_run(&m, &c, 60);
        inputs += m.inputs;
        started += i % 8 == 7 ? m.started : 0;
    }
    printf("%llu exchanges, %llu inputs, %llu attempts\n", (unsigned long long)count,
           (unsigned long long)inputs, (unsigned long long)started);
    assert_true(started > count / 4); /* at least a quarter of the sequences start an attempt */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_whole_response_is_recorded_before_it_is_sent),
        cmocka_unit_test(a_503_fails_over_and_a_cut_stream_ends_with_an_error_event),
        cmocka_unit_test(a_cut_response_without_error_events_is_aborted),
        cmocka_unit_test(the_faster_lane_of_a_hedge_wins),
        cmocka_unit_test(a_hedge_that_cannot_be_sent_is_left_out),
        cmocka_unit_test(a_failed_lane_leaves_the_other_one_running),
        cmocka_unit_test(an_attempt_waits_for_its_budget),
        cmocka_unit_test(a_denied_budget_ends_the_call),
        cmocka_unit_test(an_unfit_entry_is_left_out),
        cmocka_unit_test(a_request_that_fits_no_entry_is_refused),
        cmocka_unit_test(the_deadline_ends_an_attempt_after_one_more_poll),
        cmocka_unit_test(a_store_that_hangs_does_not_hold_the_response_for_ever),
        cmocka_unit_test(a_disconnect_of_the_client_ends_the_exchange),
        cmocka_unit_test(a_drain_ends_an_attempt_with_an_error),
        cmocka_unit_test(inputs_for_a_cancelled_lane_are_ignored),
        cmocka_unit_test(random_exchanges_hold_the_invariants),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
