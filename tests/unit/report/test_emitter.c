/* Tests of the event emitter: the events of each action, and the pairs of starts and ends in random
 * calls. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/emitter.h>

#include "support/call_fixture.h"
#include "support/often.h"
#include "support/random_report.h"

#define NOW INT64_C(1794790923456)

/* ---- single actions ---- */

typedef struct emitted_events {
    rc_emitter emitter;
    uint64_t next_seq;
    rc_event events[RC_EVENTS_MAX];
    size_t count;
} emitted_events;

static void emitted_init(emitted_events *s)
{
    *s = (emitted_events){.next_seq = 1};
    rc_emitter_init(&s->emitter, RC_STR("call_1"), &s->next_seq);
}

static void emit(emitted_events *s, rc_action action, const char *message)
{
    const rc_call_facts facts = {
        .action = action,
        .error_message = rc_str_c(message),
        .report_id = RC_STR("rep_1"),
        .from = RC_STR("openai/large"),
        .to = RC_STR("claude/large"),
        .provider = RC_STR("openai"),
        .from_credential = RC_STR("key-1"),
        .to_credential = RC_STR("key-2"),
        .role = RC_STR("default"),
        .now_unix_ms = NOW,
    };
    s->count = rc_emitter_on_action(&s->emitter, &facts, s->events);
    assert_true(rc_emitter_validate(&s->emitter));
}

/* Compares the types of the events in their order, such as "auto_retry_end auto_retry_start". */
static void expect_events(const emitted_events *s, const char *want)
{
    char got[256] = "";
    size_t len = 0;
    for (size_t i = 0; i < s->count; i++)
        len += (size_t)snprintf(got + len, sizeof got - len, "%s%s", i > 0 ? " " : "",
                                rc_event_type_name(s->events[i].type));
    assert_string_equal(got, want);
}

static void expect_end(const rc_event *event, bool success, uint64_t attempt, const char *error)
{
    assert_int_equal(event->type, RC_EVENT_TYPE_AUTO_RETRY_END);
    assert_int_equal(event->as.auto_retry_end.success, success);
    assert_int_equal(event->as.auto_retry_end.attempt, attempt);
    assert_true(rc_str_eq(event->as.auto_retry_end.final_error, rc_str_c(error)));
}

static rc_action attempt_action(uint16_t entry, uint32_t attempt, rc_reason reason)
{
    return (rc_action){.kind = RC_DO_TRY,
                       .reason = reason,
                       .entry = entry,
                       .from_entry = entry,
                       .attempt = attempt,
                       .max_attempts = 3};
}

static rc_action pause_action(rc_action_kind kind, uint32_t attempt, uint64_t wait_ms)
{
    return (rc_action){.kind = kind,
                       .reason = kind == RC_DO_WAIT ? RC_WHY_BACKOFF : RC_WHY_REFRESH,
                       .attempt = attempt,
                       .max_attempts = 3,
                       .at_ms = 5000 + wait_ms,
                       .wait_ms = wait_ms};
}

static rc_action final_action(rc_action_kind kind, uint32_t attempt, rc_reason reason)
{
    return (rc_action){.kind = kind, .reason = reason, .attempt = attempt, .max_attempts = 3};
}

static void test_success_without_retry(void **state)
{
    (void)state;
    emitted_events s;
    emitted_init(&s);
    emit(&s, attempt_action(0, 1, RC_WHY_FIRST_ATTEMPT), "");
    expect_events(&s, "");
    emit(&s, final_action(RC_DO_DELIVER, 1, RC_WHY_SUCCEEDED), "");
    expect_events(&s, "");
    emit(&s, attempt_action(0, 1, RC_WHY_FIRST_ATTEMPT), "");
    emit(&s, final_action(RC_DO_STOP, 1, RC_WHY_NOT_RETRYABLE), "bad request");
    expect_events(&s, "");
    assert_int_equal(s.next_seq, 1);
}

static void test_wait_and_success(void **state)
{
    (void)state;
    emitted_events s;
    emitted_init(&s);
    emit(&s, attempt_action(0, 1, RC_WHY_FIRST_ATTEMPT), "");
    emit(&s, pause_action(RC_DO_WAIT, 1, 2000), "busy");
    expect_events(&s, "auto_retry_start");
    const rc_event_auto_retry_start *start = &s.events[0].as.auto_retry_start;
    assert_int_equal(start->attempt, 2);
    assert_int_equal(start->max_attempts, 3);
    assert_int_equal(start->delay_ms, 2000);
    assert_true(rc_str_eq(start->error_message, RC_STR("busy")));
    assert_true(rc_str_eq(start->report_id, RC_STR("rep_1")));
    assert_true(rc_str_eq(s.events[0].correlation_id, RC_STR("call_1")));
    assert_int_equal(s.events[0].seq, 1);
    assert_int_equal(s.events[0].time_unix_ms, NOW);
    assert_true(rc_emitter_is_retrying(&s.emitter));

    emit(&s, attempt_action(0, 2, RC_WHY_WOKE), "busy");
    expect_events(&s, "");
    emit(&s, pause_action(RC_DO_WAIT, 2, 4000), "still busy");
    expect_events(&s, "auto_retry_end auto_retry_start");
    expect_end(&s.events[0], false, 2, "");
    assert_int_equal(s.events[1].as.auto_retry_start.attempt, 3);
    emit(&s, attempt_action(0, 3, RC_WHY_WOKE), "still busy");
    emit(&s, final_action(RC_DO_DELIVER, 3, RC_WHY_SUCCEEDED), "");
    expect_events(&s, "auto_retry_end");
    expect_end(&s.events[0], true, 3, "");
    assert_false(rc_emitter_is_retrying(&s.emitter));
    /* For a repeated final action no event is emitted. */
    emit(&s, final_action(RC_DO_DELIVER, 3, RC_WHY_SUCCEEDED), "");
    expect_events(&s, "");
}

static void test_give_up(void **state)
{
    (void)state;
    emitted_events s;
    emitted_init(&s);
    emit(&s, attempt_action(0, 1, RC_WHY_FIRST_ATTEMPT), "");
    emit(&s, pause_action(RC_DO_WAIT, 1, 1000), "busy");
    emit(&s, attempt_action(0, 2, RC_WHY_WOKE), "busy");
    emit(&s, final_action(RC_DO_STOP, 2, RC_WHY_ATTEMPTS_SPENT), "busy again");
    expect_events(&s, "auto_retry_end");
    expect_end(&s.events[0], false, 2, "busy again");
    emit(&s, final_action(RC_DO_STOP, 2, RC_WHY_ATTEMPTS_SPENT), "busy again");
    expect_events(&s, "");

    /* The end has an error message even if the caller passed none. */
    emit(&s, attempt_action(0, 1, RC_WHY_FIRST_ATTEMPT), "");
    emit(&s, pause_action(RC_DO_WAIT, 1, 1000), "");
    emit(&s, final_action(RC_DO_STOP, 1, RC_WHY_DEADLINE_PASSED), "");
    expect_end(&s.events[0], false, 2, "the deadline has passed");
    emit(&s, attempt_action(0, 1, RC_WHY_FIRST_ATTEMPT), "");
    emit(&s, pause_action(RC_DO_WAIT, 1, 1000), "");
    emit(&s, final_action(RC_DO_STOP, 1, RC_WHY_NONE), "");
    expect_end(&s.events[0], false, 2, "the call failed");
}

static void test_cancel(void **state)
{
    (void)state;
    emitted_events s;
    emitted_init(&s);
    emit(&s, attempt_action(0, 1, RC_WHY_FIRST_ATTEMPT), "");
    emit(&s, pause_action(RC_DO_WAIT, 1, 1000), "busy");
    emit(&s, final_action(RC_DO_STOP, 1, RC_WHY_CANCELLED), "busy");
    expect_events(&s, "auto_retry_end");
    expect_end(&s.events[0], false, 2, "Retry cancelled");
    emit(&s, final_action(RC_DO_STOP, 1, RC_WHY_CANCELLED), "busy");
    expect_events(&s, "");
}

static void test_close(void **state)
{
    (void)state;
    emitted_events s;
    emitted_init(&s);
    assert_int_equal(rc_emitter_close(&s.emitter, NOW, s.events), 0);
    emit(&s, attempt_action(0, 1, RC_WHY_FIRST_ATTEMPT), "");
    emit(&s, pause_action(RC_DO_WAIT, 1, 1000), "busy");
    assert_int_equal(rc_emitter_close(&s.emitter, NOW, s.events), 1);
    expect_end(&s.events[0], false, 2, "Retry cancelled");
    assert_int_equal(rc_emitter_close(&s.emitter, NOW, s.events), 0);
    assert_true(rc_emitter_validate(&s.emitter));
}

static void test_switch_of_target(void **state)
{
    (void)state;
    emitted_events s;
    emitted_init(&s);
    emit(&s, attempt_action(0, 1, RC_WHY_FIRST_ATTEMPT), "");
    rc_action next = attempt_action(1, 2, RC_WHY_COOLING_NEXT_TARGET);
    next.from_entry = 0;
    next.credential = 2; /* the credential belongs to the other target, so no second event is
                            emitted */
    emit(&s, next, "busy");
    expect_events(&s, "retry_fallback_applied auto_retry_start");
    const rc_event_retry_fallback_applied *applied = &s.events[0].as.retry_fallback_applied;
    assert_true(rc_str_eq(applied->from, RC_STR("openai/large")));
    assert_true(rc_str_eq(applied->to, RC_STR("claude/large")));
    assert_true(rc_str_eq(applied->role, RC_STR("default")));
    assert_int_equal(s.events[1].as.auto_retry_start.attempt, 2);
    assert_int_equal(s.events[1].as.auto_retry_start.delay_ms, 0);
    next = attempt_action(2, 3, RC_WHY_ATTEMPTS_SPENT_NEXT_TARGET);
    next.from_entry = 1;
    emit(&s, next, "busy");
    expect_events(&s, "auto_retry_end retry_fallback_applied auto_retry_start");
    rc_action delivered = final_action(RC_DO_DELIVER, 3, RC_WHY_SUCCEEDED);
    delivered.entry = 2;
    emit(&s, delivered, "");
    expect_events(&s, "auto_retry_end retry_fallback_succeeded");
    expect_end(&s.events[0], true, 3, "");
    assert_true(rc_str_eq(s.events[1].as.retry_fallback_succeeded.model, RC_STR("claude/large")));
    assert_true(rc_str_eq(s.events[1].as.retry_fallback_succeeded.role, RC_STR("default")));
    emit(&s, delivered, "");
    expect_events(&s, "");
}

/* After a switch and a switch back, the first target responded. */
static void test_back_at_the_first_target(void **state)
{
    (void)state;
    emitted_events s;
    emitted_init(&s);
    emit(&s, attempt_action(0, 1, RC_WHY_FIRST_ATTEMPT), "");
    rc_action next = attempt_action(1, 2, RC_WHY_COOLING_NEXT_TARGET);
    next.from_entry = 0;
    emit(&s, next, "busy");
    next = attempt_action(0, 3, RC_WHY_OVERFLOW_TO_LARGER);
    next.from_entry = 1;
    emit(&s, next, "too long");
    emit(&s, final_action(RC_DO_DELIVER, 3, RC_WHY_SUCCEEDED), "");
    expect_events(&s, "auto_retry_end");
}

static void test_switch_of_credential(void **state)
{
    (void)state;
    emitted_events s;
    emitted_init(&s);
    emit(&s, attempt_action(0, 1, RC_WHY_FIRST_ATTEMPT), "");
    rc_action next = attempt_action(0, 2, RC_WHY_NEXT_CREDENTIAL);
    next.from_credential = 0;
    next.credential = 1;
    emit(&s, next, "quota");
    expect_events(&s, "credential_switched auto_retry_start");
    const rc_event_credential_switched *switched = &s.events[0].as.credential_switched;
    assert_true(rc_str_eq(switched->provider, RC_STR("openai")));
    assert_true(rc_str_eq(switched->from, RC_STR("key-1")));
    assert_true(rc_str_eq(switched->to, RC_STR("key-2")));
    emit(&s, final_action(RC_DO_DELIVER, 2, RC_WHY_SUCCEEDED), "");
    expect_events(&s, "auto_retry_end");
}

static void test_refresh(void **state)
{
    (void)state;
    emitted_events s;
    emitted_init(&s);
    emit(&s, attempt_action(0, 1, RC_WHY_FIRST_ATTEMPT), "");
    emit(&s, pause_action(RC_DO_REFRESH, 1, 99), "refused");
    expect_events(&s, "auto_retry_start");
    assert_int_equal(s.events[0].as.auto_retry_start.delay_ms, 0);
    assert_int_equal(s.events[0].as.auto_retry_start.attempt, 2);
    emit(&s, attempt_action(0, 2, RC_WHY_REFRESHED), "refused");
    expect_events(&s, "");
    emit(&s, final_action(RC_DO_STOP, 2, RC_WHY_NOT_RETRYABLE), "refused again");
    expect_end(&s.events[0], false, 2, "refused again");
}

static void test_compaction(void **state)
{
    (void)state;
    emitted_events s;
    emitted_init(&s);
    emit(&s, attempt_action(0, 1, RC_WHY_FIRST_ATTEMPT), "");
    emit(&s, final_action(RC_DO_COMPACT, 1, RC_WHY_OVERFLOW_COMPACT), "too long");
    expect_events(&s, "compaction_needed");
    const rc_event_compaction_needed *needed = &s.events[0].as.compaction_needed;
    assert_true(rc_str_eq(needed->model, RC_STR("claude/large")));
    assert_true(rc_str_eq(needed->error_message, RC_STR("too long")));
    assert_true(rc_str_eq(needed->report_id, RC_STR("rep_1")));
    emit(&s, final_action(RC_DO_COMPACT, 1, RC_WHY_OVERFLOW_COMPACT), "too long");
    expect_events(&s, "");

    emit(&s, attempt_action(0, 1, RC_WHY_FIRST_ATTEMPT), "");
    emit(&s, pause_action(RC_DO_WAIT, 1, 1000), "busy");
    emit(&s, attempt_action(0, 2, RC_WHY_WOKE), "busy");
    emit(&s, final_action(RC_DO_COMPACT, 2, RC_WHY_OVERFLOW_COMPACT), "too long");
    expect_events(&s, "auto_retry_end compaction_needed");
    expect_end(&s.events[0], false, 2, "too long");
}

/* After the wait the target is closed, so another one is tried. */
static void test_switch_after_wait(void **state)
{
    (void)state;
    emitted_events s;
    emitted_init(&s);
    emit(&s, attempt_action(0, 1, RC_WHY_FIRST_ATTEMPT), "");
    emit(&s, pause_action(RC_DO_WAIT, 1, 1000), "busy");
    emit(&s, pause_action(RC_DO_WAIT, 1, 500), "busy");
    expect_events(&s, "auto_retry_end auto_retry_start");
    rc_action next = attempt_action(1, 2, RC_WHY_COOLING_NEXT_TARGET);
    next.from_entry = 0;
    emit(&s, next, "busy");
    expect_events(&s, "retry_fallback_applied");
}

/* A timer that fires too early, however often, causes no event. */
static void test_early_wake(void **state)
{
    (void)state;
    call_fixture w;
    fixture_init(&w, 1);
    emitted_events s;
    emitted_init(&s);
    emit(&s, fixture_begin(&w), "");
    rc_action wait = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    emit(&s, wait, "busy");
    expect_events(&s, "auto_retry_start");
    for (uint64_t i = 0; i < 3; i++) {
        emit(&s, rc_call_on_wake(&w.call, w.now_ms + i, 1), "busy");
        expect_events(&s, "");
    }
    /* A wait that is extended is announced again. */
    rc_shared_cool_down_target(&w.shared, 0, wait.at_ms + 100);
    rc_action later = fixture_wake(&w, &wait);
    assert_int_equal(later.kind, RC_DO_WAIT);
    emit(&s, later, "busy");
    expect_events(&s, "auto_retry_end auto_retry_start");
    emit(&s, fixture_wake(&w, &later), "busy");
    expect_events(&s, "");
}

/* A sequence of actions that does not begin with the first attempt causes no invalid events. */
static void test_actions_without_a_first_attempt(void **state)
{
    (void)state;
    emitted_events s;
    emitted_init(&s);
    emit(&s, pause_action(RC_DO_WAIT, 1, 1000), "busy");
    expect_events(&s, "");
    emit(&s, final_action(RC_DO_COMPACT, 1, RC_WHY_OVERFLOW_COMPACT), "too long");
    expect_events(&s, "");
    emit(&s, final_action((rc_action_kind)77, 1, RC_WHY_NONE), "");
    expect_events(&s, "");
    rc_emitter broken = s.emitter;
    broken.is_retrying = true;
    assert_false(rc_emitter_validate(&broken));
    broken = s.emitter;
    broken.next_seq = NULL;
    assert_false(rc_emitter_validate(&broken));
}

/* ---- random calls keep T1 to T4 ---- */

typedef struct pairing {
    uint64_t last_seq;
    uint64_t open_attempt; /* attempt of the start that has no end yet; 0: none */
    bool is_fallback;
    size_t starts;
    size_t seen[64]; /* Number of events by type. */
} pairing;

static void pairing_on_event(pairing *w, const rc_event *event, rc_action_kind kind)
{
    assert_int_equal(event->seq, w->last_seq + 1);
    w->last_seq = event->seq;
    w->seen[event->type]++;
    const bool is_last = kind == RC_DO_DELIVER || kind == RC_DO_COMPACT || kind == RC_DO_STOP;
    if (event->type == RC_EVENT_TYPE_AUTO_RETRY_START) {
        assert_int_equal(w->open_attempt, 0);
        assert_false(is_last);
        w->open_attempt = event->as.auto_retry_start.attempt;
        assert_true(w->open_attempt <= event->as.auto_retry_start.max_attempts);
        w->starts++;
    } else if (event->type == RC_EVENT_TYPE_AUTO_RETRY_END) {
        assert_int_not_equal(w->open_attempt, 0);
        assert_int_equal(event->as.auto_retry_end.attempt, w->open_attempt);
        assert_int_equal(event->as.auto_retry_end.success, kind == RC_DO_DELIVER);
        assert_int_equal(event->as.auto_retry_end.final_error.len > 0,
                         is_last && kind != RC_DO_DELIVER);
        w->open_attempt = 0;
    } else if (event->type == RC_EVENT_TYPE_RETRY_FALLBACK_APPLIED) {
        w->is_fallback = true;
    } else if (event->type == RC_EVENT_TYPE_RETRY_FALLBACK_SUCCEEDED) {
        assert_int_equal(kind, RC_DO_DELIVER);
        assert_true(w->is_fallback);
    }
}

static void pairing_on_action(pairing *w, emitted_events *s, rc_action action, const char *message)
{
    emit(s, action, message);
    for (size_t i = 0; i < s->count; i++)
        pairing_on_event(w, &s->events[i], action.kind);
    assert_int_equal(w->open_attempt != 0, rc_emitter_is_retrying(&s->emitter));
    if (action.kind == RC_DO_TRY && w->open_attempt != 0)
        assert_int_equal(w->open_attempt, action.attempt);
    if (action.kind >= RC_DO_DELIVER) {
        assert_int_equal(w->open_attempt, 0);
        w->is_fallback = false;
    }
}

/* Sets up a random fixture in which every kind of event is possible. */
static void random_fixture(call_fixture *w, uint64_t *seed)
{
    fixture_init(w, (uint16_t)(1 + random_below(seed, FIXTURE_TARGETS)));
    w->policy.max_calls = 1 + (uint32_t)random_below(seed, 10);
    w->policy.default_rule.max_attempts = 1 + (uint32_t)random_below(seed, 4);
    w->policy.retry_exhausted = random_below(seed, 4) == 0;
    if (random_below(seed, 4) == 0)
        w->plan.overflow_to = 2;
    if (random_below(seed, 4) == 0)
        w->options.deadline_at_ms = w->now_ms + random_below(seed, 5000);
    if (random_below(seed, 2) == 0) {
        rc_shared_set_pool(&w->shared, 0, 0, 2, NULL);
        rc_shared_set_pool(&w->shared, 1, 2, 2, NULL);
        for (size_t i = 0; i < FIXTURE_CREDENTIALS; i++)
            w->credentials[i].can_refresh = random_below(seed, 2) == 0;
    }
    if (random_below(seed, 4) == 0)
        rc_shared_cool_down_target(&w->shared, 0, w->now_ms + random_below(seed, 3000));
}

static rc_action random_step(call_fixture *w, rc_action last, uint64_t *seed)
{
    static const rc_code codes[] = {
        RC_CODE_RATE_LIMITED, RC_CODE_OVERLOADED,       RC_CODE_PROVIDER_5XX,
        RC_CODE_AUTH_FAILED,  RC_CODE_RATE_LIMITED,     RC_CODE_QUOTA_EXHAUSTED,
        RC_CODE_PROVIDER_5XX, RC_CODE_CONTEXT_OVERFLOW,
    };
    if (random_below(seed, 40) == 0)
        return rc_call_on_cancel(&w->call, w->now_ms);
    if (random_below(seed, 8) == 0)
        rc_shared_cool_down_target(&w->shared, (uint16_t)random_below(seed, FIXTURE_TARGETS),
                                   w->now_ms + random_below(seed, 3000));
    if (last.kind == RC_DO_WAIT) {
        w->now_ms = last.at_ms;
        return rc_call_on_wake(&w->call, w->now_ms, random_u64(seed));
    }
    if (last.kind == RC_DO_REFRESH)
        return rc_call_on_refreshed(&w->call, random_below(seed, 2) == 0, w->now_ms,
                                    random_u64(seed));
    w->now_ms += random_below(seed, 300);
    if (random_below(seed, 5) == 0)
        return rc_call_on_success(&w->call, w->now_ms);
    return fixture_fail(w, codes[random_below(seed, sizeof codes / sizeof *codes)],
                        random_below(seed, 3) == 0 ? (int64_t)random_below(seed, 3000) : NO_HINT);
}

/* Runs random calls of rc_call one after another with one emitter; some calls are abandoned. */
static void test_random_calls(void **state)
{
    (void)state;
    uint64_t seed = 1;
    emitted_events s;
    emitted_init(&s);
    pairing watched = {0};
    for (size_t i = 0; i < OFTEN(100000); i++) {
        static call_fixture w;
        random_fixture(&w, &seed);
        rc_action action = fixture_begin(&w);
        pairing_on_action(&watched, &s, action, "");
        bool is_dropped = false;
        while (!rc_call_is_done(&w.call) && !is_dropped) {
            action = random_step(&w, action, &seed);
            pairing_on_action(&watched, &s, action, "busy");
            is_dropped = random_below(&seed, 50) == 0;
        }
        if (!is_dropped) {
            pairing_on_action(&watched, &s, rc_call_on_cancel(&w.call, w.now_ms), "late");
            assert_int_equal(s.count, 0);
        } else if (rc_emitter_close(&s.emitter, NOW, s.events) > 0) {
            pairing_on_event(&watched, &s.events[0], RC_DO_STOP);
        }
        rc_emitter_close(&s.emitter, NOW, s.events);
        assert_int_equal(watched.open_attempt, 0);
        watched.is_fallback = false;
    }
    /* The events did occur. */
    assert_int_equal(watched.seen[RC_EVENT_TYPE_AUTO_RETRY_START],
                     watched.seen[RC_EVENT_TYPE_AUTO_RETRY_END]);
    static const rc_event_type kinds[] = {
        RC_EVENT_TYPE_AUTO_RETRY_START,         RC_EVENT_TYPE_RETRY_FALLBACK_APPLIED,
        RC_EVENT_TYPE_RETRY_FALLBACK_SUCCEEDED, RC_EVENT_TYPE_CREDENTIAL_SWITCHED,
        RC_EVENT_TYPE_COMPACTION_NEEDED,
    };
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (watched.seen[kinds[i]] < OFTEN(30000) / 60)
            fail_msg("%s: only %zu", rc_event_type_name(kinds[i]), watched.seen[kinds[i]]);
}

/* Feeds actions in random order. */
static void test_random_actions(void **state)
{
    (void)state;
    uint64_t seed = 2;
    emitted_events s;
    emitted_init(&s);
    pairing watched = {0};
    for (size_t i = 0; i < OFTEN(200000); i++) {
        rc_action action = {
            .kind = (rc_action_kind)(1 + random_below(&seed, 6)),
            .reason = RC_WHY_BACKOFF,
            .entry = (uint16_t)random_below(&seed, 3),
            .from_entry = (uint16_t)random_below(&seed, 3),
            .credential = (uint16_t)random_below(&seed, 3),
            .from_credential = (uint16_t)random_below(&seed, 3),
            .attempt = 1 + (uint32_t)random_below(&seed, 5),
            .max_attempts = 6,
        };
        /* The announced attempt has the announced number. */
        if (action.kind == RC_DO_TRY && watched.open_attempt != 0 && s.emitter.is_announced)
            action.attempt = (uint32_t)watched.open_attempt;
        pairing_on_action(&watched, &s, action, "busy");
    }
    assert_true(watched.starts > OFTEN(10000));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_success_without_retry),
        cmocka_unit_test(test_wait_and_success),
        cmocka_unit_test(test_give_up),
        cmocka_unit_test(test_cancel),
        cmocka_unit_test(test_close),
        cmocka_unit_test(test_switch_of_target),
        cmocka_unit_test(test_back_at_the_first_target),
        cmocka_unit_test(test_switch_of_credential),
        cmocka_unit_test(test_refresh),
        cmocka_unit_test(test_compaction),
        cmocka_unit_test(test_switch_after_wait),
        cmocka_unit_test(test_early_wake),
        cmocka_unit_test(test_actions_without_a_first_attempt),
        cmocka_unit_test(test_random_calls),
        cmocka_unit_test(test_random_actions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
