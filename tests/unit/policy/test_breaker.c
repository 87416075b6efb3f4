/* Tests of the circuit breaker: when it opens, which calls it admits, when it closes, and which
 * failures it counts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/breaker.h>
#include <recourse/taxonomy.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define BEGIN UINT64_C(1000000)

_Static_assert(sizeof(rc_breaker) <= 112, "docs/internals/breaker.md says so");

static const rc_breaker_settings defaults = {
    .window_ms = 10000, .min_calls = 20, .failure_pct = 50, .open_ms = 1000, .open_max_ms = 5000};

static rc_breaker make(void)
{
    rc_breaker breaker;
    rc_breaker_init(&breaker, BEGIN);
    return breaker;
}

/* Records calls that begin and end at the same time. */
static void calls(rc_breaker *breaker, rc_breaker_outcome outcome, int count, uint64_t now_ms)
{
    for (int i = 0; i < count; i++) {
        rc_breaker_admission admission = rc_breaker_admit(breaker, &defaults, now_ms);
        assert_int_equal(admission, RC_BREAKER_ADMITTED);
        rc_breaker_on_end(breaker, &defaults, admission, outcome, now_ms, 0);
    }
}

static void probe(rc_breaker *breaker, rc_breaker_outcome outcome, uint64_t now_ms,
                  uint64_t entropy)
{
    assert_int_equal(rc_breaker_peek(breaker, &defaults, now_ms), RC_BREAKER_PROBE);
    assert_int_equal(rc_breaker_admit(breaker, &defaults, now_ms), RC_BREAKER_PROBE);
    rc_breaker_on_end(breaker, &defaults, RC_BREAKER_PROBE, outcome, now_ms, entropy);
    assert_true(rc_breaker_validate(breaker));
}

/* Compares field by field because the struct has padding. */
static void assert_same(const rc_breaker *got, const rc_breaker *want)
{
    assert_int_equal(got->state, want->state);
    assert_int_equal(got->is_probing, want->is_probing);
    assert_int_equal(got->opened_in_a_row, want->opened_in_a_row);
    assert_memory_equal(got->slot_calls, want->slot_calls, sizeof got->slot_calls);
    assert_memory_equal(got->slot_failures, want->slot_failures, sizeof got->slot_failures);
    assert_int_equal(got->slot_at_ms, want->slot_at_ms);
    assert_int_equal(got->open_until_ms, want->open_until_ms);
    assert_int_equal(got->closed_at_ms, want->closed_at_ms);
}

static rc_breaker opened(void)
{
    rc_breaker breaker = make();
    calls(&breaker, RC_BREAKER_FAILED, 20, BEGIN);
    assert_int_equal(breaker.state, RC_BREAKER_OPEN);
    return breaker;
}

static void test_opens_by_rate(void **state)
{
    (void)state;
    rc_breaker breaker = make();
    calls(&breaker, RC_BREAKER_FAILED, 19, BEGIN);
    assert_int_equal(breaker.state, RC_BREAKER_CLOSED);
    calls(&breaker, RC_BREAKER_FAILED, 1, BEGIN);
    assert_int_equal(breaker.state, RC_BREAKER_OPEN);
    assert_int_equal(breaker.open_until_ms, BEGIN + 1000);

    breaker = make();
    calls(&breaker, RC_BREAKER_SUCCEEDED, 11, BEGIN);
    calls(&breaker, RC_BREAKER_FAILED, 10, BEGIN); /* 10 failures of 21 calls */
    assert_int_equal(breaker.state, RC_BREAKER_CLOSED);
    calls(&breaker, RC_BREAKER_FAILED, 1, BEGIN); /* 11 failures of 22 calls */
    assert_int_equal(breaker.state, RC_BREAKER_OPEN);
    assert_true(rc_breaker_validate(&breaker));
}

static void test_a_success_does_not_open(void **state)
{
    (void)state;
    rc_breaker breaker = make();
    calls(&breaker, RC_BREAKER_FAILED, 19, BEGIN);
    calls(&breaker, RC_BREAKER_SUCCEEDED, 1, BEGIN);
    assert_int_equal(breaker.state, RC_BREAKER_CLOSED);
    calls(&breaker, RC_BREAKER_FAILED, 1, BEGIN);
    assert_int_equal(breaker.state, RC_BREAKER_OPEN);
}

static void test_neutral_outcomes_do_not_count(void **state)
{
    (void)state;
    rc_breaker breaker = make();
    calls(&breaker, RC_BREAKER_FAILED, 19, BEGIN);
    calls(&breaker, RC_BREAKER_NEUTRAL, 1000, BEGIN);
    assert_int_equal(breaker.state, RC_BREAKER_CLOSED);
    assert_int_equal(breaker.slot_calls[0], 19);
}

static void test_window_slides(void **state)
{
    (void)state;
    rc_breaker breaker = make();
    calls(&breaker, RC_BREAKER_FAILED, 19, BEGIN);
    calls(&breaker, RC_BREAKER_FAILED, 1, BEGIN + 10000);
    assert_int_equal(breaker.state, RC_BREAKER_CLOSED);

    breaker = make();
    calls(&breaker, RC_BREAKER_FAILED, 19, BEGIN);
    calls(&breaker, RC_BREAKER_FAILED, 1, BEGIN + 9999);
    assert_int_equal(breaker.state, RC_BREAKER_OPEN);

    /* With two calls per second, the window never contains twenty calls. */
    breaker = make();
    for (uint64_t t = 0; t < 100; t++) {
        calls(&breaker, RC_BREAKER_FAILED, t % 2 == 0 ? 2 : 1, BEGIN + 1000 * t);
        assert_true(rc_breaker_validate(&breaker));
    }
    assert_int_equal(breaker.state, RC_BREAKER_CLOSED);
    /* Old successes leave the window, so they no longer outweigh failures. */
    breaker = make();
    calls(&breaker, RC_BREAKER_SUCCEEDED, 1000, BEGIN);
    calls(&breaker, RC_BREAKER_FAILED, 19, BEGIN + 9000);
    assert_int_equal(breaker.state, RC_BREAKER_CLOSED);
    calls(&breaker, RC_BREAKER_FAILED, 1, BEGIN + 10500);
    assert_int_equal(breaker.state, RC_BREAKER_OPEN);
}

static void test_open_refuses(void **state)
{
    (void)state;
    rc_breaker breaker = opened();
    rc_breaker before = breaker;
    assert_int_equal(rc_breaker_admit(&breaker, &defaults, BEGIN + 999), RC_BREAKER_REFUSED);
    assert_int_equal(rc_breaker_ready_at_ms(&breaker, BEGIN + 999), BEGIN + 1000);
    assert_int_equal(rc_breaker_peek(&breaker, &defaults, BEGIN + 1000), RC_BREAKER_PROBE);
    assert_same(&breaker, &before);
}

static void test_one_probe_at_a_time(void **state)
{
    (void)state;
    rc_breaker breaker = opened();
    uint64_t now_ms = BEGIN + 1000;
    assert_int_equal(rc_breaker_admit(&breaker, &defaults, now_ms), RC_BREAKER_PROBE);
    assert_int_equal(breaker.state, RC_BREAKER_HALF_OPEN);
    assert_int_equal(rc_breaker_admit(&breaker, &defaults, now_ms), RC_BREAKER_REFUSED);
    assert_int_equal(rc_breaker_admit(&breaker, &defaults, now_ms * 2), RC_BREAKER_REFUSED);
    assert_int_equal(rc_breaker_ready_at_ms(&breaker, now_ms), now_ms + 1000);

    /* The outcome of the probe is neutral, so the next call is the probe. */
    rc_breaker_on_end(&breaker, &defaults, RC_BREAKER_PROBE, RC_BREAKER_NEUTRAL, now_ms, 0);
    assert_int_equal(breaker.state, RC_BREAKER_HALF_OPEN);
    assert_int_equal(rc_breaker_ready_at_ms(&breaker, now_ms), now_ms);
    assert_int_equal(rc_breaker_admit(&breaker, &defaults, now_ms), RC_BREAKER_PROBE);
    assert_int_equal(rc_breaker_admit(&breaker, &defaults, now_ms), RC_BREAKER_REFUSED);

    rc_breaker_on_end(&breaker, &defaults, RC_BREAKER_PROBE, RC_BREAKER_SUCCEEDED, now_ms, 0);
    assert_int_equal(breaker.state, RC_BREAKER_CLOSED);
    assert_int_equal(rc_breaker_ready_at_ms(&breaker, now_ms), now_ms);
    calls(&breaker, RC_BREAKER_FAILED, 19, now_ms);
    assert_int_equal(breaker.state, RC_BREAKER_CLOSED);
    /* A second end of the same probe changes nothing. */
    rc_breaker before = breaker;
    rc_breaker_on_end(&breaker, &defaults, RC_BREAKER_PROBE, RC_BREAKER_FAILED, now_ms, 0);
    assert_same(&breaker, &before);
}

static void test_calls_admitted_before_opening_or_closing_are_ignored(void **state)
{
    (void)state;
    rc_breaker breaker = opened();
    rc_breaker before = breaker;
    for (int outcome = RC_BREAKER_SUCCEEDED; outcome <= RC_BREAKER_NEUTRAL; outcome++)
        rc_breaker_on_end(&breaker, &defaults, RC_BREAKER_ADMITTED, (rc_breaker_outcome)outcome,
                          BEGIN + 500, 0);
    assert_same(&breaker, &before);

    assert_int_equal(rc_breaker_admit(&breaker, &defaults, BEGIN + 1000), RC_BREAKER_PROBE);
    before = breaker;
    for (int outcome = RC_BREAKER_SUCCEEDED; outcome <= RC_BREAKER_NEUTRAL; outcome++)
        rc_breaker_on_end(&breaker, &defaults, RC_BREAKER_ADMITTED, (rc_breaker_outcome)outcome,
                          BEGIN + 1000, 0);
    rc_breaker_on_end(&breaker, &defaults, RC_BREAKER_REFUSED, RC_BREAKER_FAILED, BEGIN + 1000, 0);
    assert_same(&breaker, &before);

    rc_breaker_on_end(&breaker, &defaults, RC_BREAKER_PROBE, RC_BREAKER_SUCCEEDED, BEGIN + 1200, 0);
    assert_true(rc_breaker_is_stale(&breaker, BEGIN + 1199));
    assert_false(rc_breaker_is_stale(&breaker, BEGIN + 1200));
    rc_breaker fresh = make();
    assert_false(rc_breaker_is_stale(&fresh, 0));
}

/* Opens the breaker and returns the length of the opening. */
static uint64_t reopen(rc_breaker *breaker, uint64_t *now_ms, uint64_t entropy)
{
    *now_ms = breaker->open_until_ms;
    probe(breaker, RC_BREAKER_FAILED, *now_ms, entropy);
    assert_int_equal(breaker->state, RC_BREAKER_OPEN);
    return breaker->open_until_ms - *now_ms;
}

static void test_opening_length_doubles(void **state)
{
    (void)state;
    rc_breaker breaker = opened();
    uint64_t now_ms = BEGIN;
    assert_int_equal(reopen(&breaker, &now_ms, 0), 2000);
    assert_int_equal(reopen(&breaker, &now_ms, 0), 4000);
    for (int i = 0; i < 300; i++)
        assert_int_equal(reopen(&breaker, &now_ms, 0), 5000);
    assert_int_equal(breaker.opened_in_a_row, 255);
}

static void test_opening_length_is_spread(void **state)
{
    (void)state;
    uint64_t shortest_ms = UINT64_MAX;
    uint64_t longest_ms = 0;
    for (uint64_t entropy = 0; entropy < 5000; entropy++) {
        rc_breaker breaker = make();
        calls(&breaker, RC_BREAKER_FAILED, 19, BEGIN);
        rc_breaker_on_end(&breaker, &defaults, RC_BREAKER_ADMITTED, RC_BREAKER_FAILED, BEGIN,
                          entropy * UINT64_C(0x9E3779B97F4A7C15));
        uint64_t length_ms = breaker.open_until_ms - BEGIN;
        shortest_ms = length_ms < shortest_ms ? length_ms : shortest_ms;
        longest_ms = length_ms > longest_ms ? length_ms : longest_ms;
    }
    assert_int_equal(shortest_ms, 800);
    assert_int_equal(longest_ms, 1000);
}

/* If a target fails repeatedly, closing the breaker does not reset the doubling. */
static void test_repeated_openings_keep_the_doubling(void **state)
{
    (void)state;
    rc_breaker breaker = opened();
    probe(&breaker, RC_BREAKER_SUCCEEDED, BEGIN + 1000, 0);
    calls(&breaker, RC_BREAKER_FAILED, 20, BEGIN + 10999);
    assert_int_equal(breaker.open_until_ms, BEGIN + 10999 + 2000);
    probe(&breaker, RC_BREAKER_SUCCEEDED, BEGIN + 13000, 0);
    calls(&breaker, RC_BREAKER_FAILED, 20, BEGIN + 23000);
    assert_int_equal(breaker.open_until_ms, BEGIN + 23000 + 1000);
    assert_int_equal(breaker.opened_in_a_row, 1);
}

static void test_no_breaker(void **state)
{
    (void)state;
    rc_breaker_settings none = defaults;
    none.min_calls = 0;
    rc_breaker breaker = make();
    for (int i = 0; i < 100; i++)
        rc_breaker_on_end(&breaker, &none, rc_breaker_admit(&breaker, &none, BEGIN),
                          RC_BREAKER_FAILED, BEGIN, 0);
    assert_int_equal(breaker.state, RC_BREAKER_CLOSED);

    /* The breaker is disabled while it is open, and while the probe is in flight. */
    breaker = opened();
    assert_int_equal(rc_breaker_admit(&breaker, &none, BEGIN), RC_BREAKER_ADMITTED);
    assert_int_equal(rc_breaker_admit(&breaker, &defaults, BEGIN + 1000), RC_BREAKER_PROBE);
    assert_int_equal(rc_breaker_admit(&breaker, &none, BEGIN + 1000), RC_BREAKER_ADMITTED);
    rc_breaker_on_end(&breaker, &none, RC_BREAKER_PROBE, RC_BREAKER_SUCCEEDED, BEGIN + 1000, 0);
    assert_int_equal(breaker.state, RC_BREAKER_CLOSED);
}

static void test_odd_settings(void **state)
{
    (void)state;
    rc_breaker_settings odd = {.window_ms = 0, .min_calls = 1, .failure_pct = 0};
    rc_breaker breaker = make();
    rc_breaker_on_end(&breaker, &odd, RC_BREAKER_ADMITTED, RC_BREAKER_FAILED, BEGIN, 7);
    assert_int_equal(breaker.state, RC_BREAKER_OPEN);
    assert_int_equal(breaker.open_until_ms, BEGIN);
    assert_int_equal(rc_breaker_admit(&breaker, &odd, BEGIN), RC_BREAKER_PROBE);

    /* open_ms applies if open_max_ms is smaller. */
    odd = (rc_breaker_settings){
        .window_ms = UINT32_MAX, .min_calls = 1, .open_ms = UINT32_MAX, .open_max_ms = 1};
    breaker = make();
    rc_breaker_on_end(&breaker, &odd, RC_BREAKER_ADMITTED, RC_BREAKER_FAILED, BEGIN, 0);
    assert_int_equal(breaker.open_until_ms, BEGIN + UINT32_MAX);
    rc_breaker_admit(&breaker, &odd, UINT64_MAX);
    rc_breaker_on_end(&breaker, &odd, RC_BREAKER_PROBE, RC_BREAKER_FAILED, UINT64_MAX, 0);
    assert_true(breaker.open_until_ms == UINT64_MAX && rc_breaker_validate(&breaker));

    odd = (rc_breaker_settings){.window_ms = 10000, .min_calls = 1, .failure_pct = UINT32_MAX};
    breaker = make();
    breaker.slot_calls[0] = breaker.slot_failures[0] = UINT32_MAX;
    rc_breaker_on_end(&breaker, &odd, RC_BREAKER_ADMITTED, RC_BREAKER_FAILED, BEGIN, 0);
    assert_int_equal(breaker.state, RC_BREAKER_CLOSED);
    assert_int_equal(breaker.slot_calls[0], UINT32_MAX);
}

static void test_an_earlier_time_is_replaced_by_the_latest(void **state)
{
    (void)state;
    rc_breaker breaker = make();
    calls(&breaker, RC_BREAKER_FAILED, 10, BEGIN + 5000);
    calls(&breaker, RC_BREAKER_FAILED, 10, 0);
    assert_int_equal(breaker.state, RC_BREAKER_OPEN);
    assert_int_equal(breaker.open_until_ms, BEGIN + 6000);
    assert_int_equal(rc_breaker_admit(&breaker, &defaults, BEGIN + 6000), RC_BREAKER_PROBE);
    rc_breaker_on_end(&breaker, &defaults, RC_BREAKER_PROBE, RC_BREAKER_FAILED, 0, 0);
    assert_int_equal(breaker.open_until_ms, BEGIN + 8000);
}

static const rc_code failing[] = {
    RC_CODE_OVERLOADED,       RC_CODE_MODEL_LOADING,      RC_CODE_PROVIDER_5XX,
    RC_CODE_PROVIDER_TIMEOUT, RC_CODE_NETWORK_TIMEOUT,    RC_CODE_CONNECTION_FAILED,
    RC_CODE_CONNECTION_RESET, RC_CODE_STREAM_INTERRUPTED, RC_CODE_MALFORMED_RESPONSE,
    RC_CODE_OUTCOME_UNKNOWN,
};

static const rc_code working[] = {
    RC_CODE_RATE_LIMITED,
    RC_CODE_CONFLICT,
    RC_CODE_MISSING_STREAMING,
    RC_CODE_MISSING_TOOL_CALLING,
    RC_CODE_MISSING_VISION,
    RC_CODE_MISSING_STRUCTURED_OUTPUT,
    RC_CODE_CONTEXT_WINDOW_TOO_SMALL,
    RC_CODE_UNSUPPORTED_FEATURE,
    RC_CODE_AUTH_FAILED,
    RC_CODE_PERMISSION_DENIED,
    RC_CODE_MODEL_NOT_FOUND,
    RC_CODE_ENDPOINT_NOT_FOUND,
    RC_CODE_INVALID_REQUEST,
    RC_CODE_REQUEST_TOO_LARGE,
    RC_CODE_CONTEXT_OVERFLOW,
    RC_CODE_OUTPUT_TRUNCATED,
    RC_CODE_CONTENT_FILTER,
    RC_CODE_QUOTA_EXHAUSTED,
};

static bool is_in(const rc_code *codes, size_t count, rc_code code)
{
    for (size_t i = 0; i < count; i++) {
        if (codes[i] == code)
            return true;
    }
    return false;
}

/* The list has every code of the taxonomy, so this test fails for a new code until its outcome is
 * decided. */
static void test_outcome_of_every_code(void **state)
{
    (void)state;
    size_t silent = 0;
    for (size_t i = 0; i < rc_code_count(); i++) {
        const rc_code_info *info = rc_code_at(i);
        rc_breaker_outcome want = RC_BREAKER_NEUTRAL;
        if (is_in(failing, COUNT(failing), info->code))
            want = RC_BREAKER_FAILED;
        if (is_in(working, COUNT(working), info->code))
            want = RC_BREAKER_SUCCEEDED;
        silent += want == RC_BREAKER_NEUTRAL;
        if (rc_breaker_outcome_of(info->code) != want)
            fail_msg("%s: %d", info->name, rc_breaker_outcome_of(info->code));
    }
    assert_int_equal(silent + COUNT(failing) + COUNT(working), rc_code_count());
    assert_int_equal(rc_breaker_outcome_of(RC_CODE_NONE), RC_BREAKER_NEUTRAL);
    assert_int_equal(rc_breaker_outcome_of(RC_CODE_UNKNOWN), RC_BREAKER_NEUTRAL);
}

/* Bad requests of one client, however many, do not close the target for other clients. */
static void test_bad_requests_do_not_open(void **state)
{
    (void)state;
    rc_breaker breaker = make();
    for (size_t i = 0; i < 100 * COUNT(working); i++)
        calls(&breaker, rc_breaker_outcome_of(working[i % COUNT(working)]), 1, BEGIN + i);
    assert_int_equal(breaker.state, RC_BREAKER_CLOSED);
    assert_int_equal(rc_breaker_peek(&breaker, &defaults, BEGIN + 2000), RC_BREAKER_ADMITTED);
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(rc_breaker_state_name(RC_BREAKER_CLOSED), "closed");
    assert_string_equal(rc_breaker_state_name(RC_BREAKER_OPEN), "open");
    assert_string_equal(rc_breaker_state_name(RC_BREAKER_HALF_OPEN), "half_open");
    assert_string_equal(rc_breaker_state_name((rc_breaker_state)3), "unknown");
}

static void test_validate_finds_faults(void **state)
{
    (void)state;
    rc_breaker breaker = make();
    assert_true(rc_breaker_validate(&breaker));
    breaker.is_probing = true;
    assert_false(rc_breaker_validate(&breaker));
    breaker = make();
    breaker.slot_failures[9] = 1;
    assert_false(rc_breaker_validate(&breaker));
    breaker = make();
    breaker.state = RC_BREAKER_OPEN;
    assert_false(rc_breaker_validate(&breaker));
    breaker.state = (rc_breaker_state)3;
    assert_false(rc_breaker_validate(&breaker));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_opens_by_rate),
        cmocka_unit_test(test_a_success_does_not_open),
        cmocka_unit_test(test_neutral_outcomes_do_not_count),
        cmocka_unit_test(test_window_slides),
        cmocka_unit_test(test_open_refuses),
        cmocka_unit_test(test_one_probe_at_a_time),
        cmocka_unit_test(test_calls_admitted_before_opening_or_closing_are_ignored),
        cmocka_unit_test(test_opening_length_doubles),
        cmocka_unit_test(test_opening_length_is_spread),
        cmocka_unit_test(test_repeated_openings_keep_the_doubling),
        cmocka_unit_test(test_no_breaker),
        cmocka_unit_test(test_odd_settings),
        cmocka_unit_test(test_an_earlier_time_is_replaced_by_the_latest),
        cmocka_unit_test(test_outcome_of_every_code),
        cmocka_unit_test(test_bad_requests_do_not_open),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_validate_finds_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
