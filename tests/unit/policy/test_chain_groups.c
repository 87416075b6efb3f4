/* Tests of groups in a chain: shares by weight, by calls in flight and by remaining limit; members
 * that are closed or fail; sticky keys; failover within the group before the next entry. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "support/call_fixture.h"

#define ROUNDS 40000

/* A fixed sequence of random numbers, so that every run sees the same shares. */
static uint64_t next_random(uint64_t *state)
{
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    return *state;
}

/* Makes the first `count` entries a group with these weights. */
static void make_group(call_fixture *w, uint16_t count, const uint16_t *weights, rc_spread spread)
{
    for (uint16_t i = 0; i < count; i++) {
        w->entries[i].group = 1;
        w->entries[i].weight = weights[i];
        w->entries[i].spread = (uint8_t)spread;
        w->entries[i].id = 77 * (i + 1u);
    }
}

static rc_action begin_with(call_fixture *w, uint64_t entropy)
{
    rc_call_init(&w->call, &w->plan, &w->shared, &w->options, w->now_ms);
    return rc_call_begin(&w->call, w->now_ms, entropy);
}

/* Counts the first attempts of ROUNDS calls that all succeed, by entry. */
static void count_shares(call_fixture *w, uint32_t shares[FIXTURE_TARGETS])
{
    uint64_t state = 88172645463325252;
    for (uint32_t i = 0; i < FIXTURE_TARGETS; i++)
        shares[i] = 0;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        rc_action action = begin_with(w, next_random(&state));
        assert_int_equal(action.kind, RC_DO_TRY);
        shares[action.entry]++;
        rc_call_on_success(&w->call, w->now_ms);
    }
}

/* The count of a share of `permille` lies within five standard deviations of its expectation. */
static void expect_share(uint32_t count, uint32_t permille)
{
    const int64_t expected = (int64_t)ROUNDS * permille / 1000;
    const int64_t variance = expected * (1000 - permille) / 1000;
    const int64_t away = (int64_t)count - expected;
    assert_true(away * away <= 25 * variance);
}

static void test_shares_follow_the_weights(void **state)
{
    (void)state;
    static const uint16_t weights[][3] = {{3, 1, 0}, {1, 1, 1}, {8, 1, 1}, {5, 3, 2}};
    call_fixture w;
    uint32_t shares[FIXTURE_TARGETS];
    for (size_t i = 0; i < 4; i++) {
        const uint16_t count = i == 0 ? 2 : 3;
        fixture_init(&w, count);
        make_group(&w, count, weights[i], RC_SPREAD_WEIGHT);
        count_shares(&w, shares);
        uint32_t sum = 0;
        for (uint16_t k = 0; k < count; k++)
            sum += weights[i][k];
        for (uint16_t k = 0; k < count; k++)
            expect_share(shares[k], 1000u * weights[i][k] / sum);
    }
}

/* The share depends on the weights, not on the ids of the members. */
static void test_shares_do_not_depend_on_ids(void **state)
{
    (void)state;
    static const uint16_t weights[] = {3, 1};
    static const uint32_t ids[][2] = {{0, 1}, {1, 0}, {UINT32_MAX, 12345}, {2, 3}};
    call_fixture w;
    uint32_t shares[FIXTURE_TARGETS];
    for (size_t i = 0; i < 4; i++) {
        fixture_init(&w, 2);
        make_group(&w, 2, weights, RC_SPREAD_WEIGHT);
        w.entries[0].id = ids[i][0];
        w.entries[1].id = ids[i][1];
        count_shares(&w, shares);
        expect_share(shares[0], 750);
        expect_share(shares[1], 250);
    }
}

static void test_costs_have_an_exponential_distribution(void **state)
{
    (void)state;
    uint64_t random = 1;
    uint64_t sum = 0;
    uint32_t above_one = 0;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        const uint32_t cost = rc_spread_cost(next_random(&random), 5);
        assert_true(cost < UINT32_C(1) << 31);
        sum += cost;
        above_one += cost > UINT32_C(1) << 24;
    }
    /* -log2 of a uniform number is above 1 for half of the numbers; its mean is 1.4427. */
    expect_share(above_one, 500);
    const uint64_t mean_milli = sum * 1000 / ROUNDS >> 24;
    assert_in_range(mean_milli, 1405, 1480);
    assert_int_equal(rc_spread_cost(7, 7), rc_spread_cost(7, 7));
}

static void test_closed_members_get_nothing(void **state)
{
    (void)state;
    static const uint16_t weights[] = {8, 1, 1};
    call_fixture w;
    uint32_t shares[FIXTURE_TARGETS];
    fixture_init(&w, 3);
    make_group(&w, 3, weights, RC_SPREAD_WEIGHT);
    rc_shared_set_service(&w.shared, 0, false);
    count_shares(&w, shares);
    assert_int_equal(shares[0], 0);
    expect_share(shares[1], 500);
    rc_shared_set_service(&w.shared, 0, true);
    rc_shared_cool_down_target(&w.shared, 1, w.now_ms + 1000);
    count_shares(&w, shares);
    assert_int_equal(shares[1], 0);
    expect_share(shares[2], 111);
}

/* Members 0 and 1 form a group; entry 2 is the next chain entry. */
static void test_failover_stays_in_the_group_first(void **state)
{
    (void)state;
    static const uint16_t weights[] = {1, 1};
    for (uint64_t entropy = 0; entropy < 64; entropy++) {
        call_fixture w;
        fixture_init(&w, 3);
        make_group(&w, 2, weights, RC_SPREAD_WEIGHT);
        rc_action first = begin_with(&w, entropy);
        assert_true(first.entry < 2);
        rc_action second = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
        expect_action(second, RC_DO_TRY, RC_WHY_FAILED_NEXT_TARGET);
        assert_int_equal(second.entry, 1 - first.entry);
        assert_true(rc_call_validate(&w.call));
        assert_int_equal(fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT).entry, 2);
        rc_action wait = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
        expect_action(wait, RC_DO_WAIT, RC_WHY_BACKOFF);
        assert_int_equal(fixture_wake(&w, &wait).entry, first.entry); /* the next round */
    }
}

/* A chain of an entry and a group: the group comes second, whatever its weights are. */
static void test_entries_before_a_group_come_first(void **state)
{
    (void)state;
    static const uint16_t weights[] = {1, 9, 9};
    for (uint64_t entropy = 0; entropy < 16; entropy++) {
        call_fixture w;
        fixture_init(&w, 3);
        make_group(&w, 3, weights, RC_SPREAD_WEIGHT);
        w.entries[0].group = 0;
        assert_int_equal(begin_with(&w, entropy).entry, 0);
        uint16_t a = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT).entry;
        uint16_t b = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT).entry;
        assert_int_equal(a + b, 3);
    }
}

/* ---- sticky keys ---- */

static uint16_t member_of(call_fixture *w, uint64_t sticky_key)
{
    w->options.sticky_key = sticky_key;
    rc_action action = begin_with(w, sticky_key * 31 + w->now_ms);
    assert_int_equal(action.kind, RC_DO_TRY);
    rc_call_on_success(&w->call, w->now_ms);
    return action.entry;
}

static void test_a_sticky_key_moves_only_while_its_member_is_closed(void **state)
{
    (void)state;
    static const uint16_t weights[] = {1, 1, 2};
    call_fixture w;
    fixture_init(&w, 3);
    make_group(&w, 3, weights, RC_SPREAD_LEAST_BUSY); /* a sticky key overrides the rule */
    w.entries[0].is_sticky = true;
    uint32_t counts[FIXTURE_TARGETS] = {0};
    uint32_t moved[FIXTURE_TARGETS] = {0};
    for (uint64_t key = 1; key <= 4000; key++) {
        const uint16_t own = member_of(&w, key);
        counts[own]++;
        w.now_ms += 17;
        assert_int_equal(member_of(&w, key), own);
        rc_shared_set_service(&w.shared, 1, false);
        const uint16_t then = member_of(&w, key);
        if (own == 1)
            moved[then]++;
        else
            assert_int_equal(then, own); /* the calls of other keys keep their target */
        rc_shared_set_service(&w.shared, 1, true);
        assert_int_equal(member_of(&w, key), own); /* the calls of this key return to their
                                                    * target */
    }
    assert_in_range(counts[0], 850, 1150);
    assert_in_range(counts[1], 850, 1150);
    assert_in_range(counts[2], 1850, 2150);
    assert_int_equal(moved[1], 0);
    assert_true(moved[2] > moved[0] && moved[0] > 200); /* its keys are shared by weight */
}

static void test_without_a_key_or_without_sticky_calls_are_shared(void **state)
{
    (void)state;
    static const uint16_t weights[] = {1, 1};
    call_fixture w;
    uint32_t shares[FIXTURE_TARGETS];
    fixture_init(&w, 2);
    make_group(&w, 2, weights, RC_SPREAD_WEIGHT);
    w.options.sticky_key = 4711;
    count_shares(&w, shares); /* the group is not sticky */
    expect_share(shares[0], 500);
    w.entries[0].is_sticky = true;
    w.options.sticky_key = 0;
    count_shares(&w, shares);
    expect_share(shares[0], 500);
}

/* ---- least busy ---- */

static void test_calls_in_flight_follow_the_weights(void **state)
{
    (void)state;
    static const uint16_t weights[] = {2, 1, 1};
    static rc_call calls[400];
    call_fixture w;
    uint64_t random = 99;
    fixture_init(&w, 3);
    make_group(&w, 3, weights, RC_SPREAD_LEAST_BUSY);
    for (size_t i = 0; i < 400; i++) {
        rc_call_init(&calls[i], &w.plan, &w.shared, &w.options, w.now_ms);
        rc_call_begin(&calls[i], w.now_ms, next_random(&random));
    }
    assert_int_equal(w.targets[0].limiter.in_flight, 200);
    assert_int_equal(w.targets[1].limiter.in_flight, 100);
    assert_int_equal(w.targets[2].limiter.in_flight, 100);
    /* The calls of one member end, so the next ones go there. */
    for (size_t i = 0; i < 400; i++)
        if (calls[i].attempt.entry == 1)
            rc_call_on_success(&calls[i], w.now_ms);
    for (size_t i = 0; i < 90; i++)
        assert_int_equal(begin_with(&w, next_random(&random)).entry, 1);
    for (size_t i = 0; i < 400; i++)
        rc_call_on_cancel(&calls[i], w.now_ms);
}

static void test_idle_members_share_by_weight(void **state)
{
    (void)state;
    static const uint16_t weights[] = {3, 1};
    call_fixture w;
    uint32_t shares[FIXTURE_TARGETS];
    fixture_init(&w, 2);
    make_group(&w, 2, weights, RC_SPREAD_LEAST_BUSY);
    count_shares(&w, shares);
    expect_share(shares[0], 750);
}

/* ---- remaining limit ---- */

static void know_limit(rc_rate_limits *limits, int64_t limit, int64_t remaining, uint64_t now_ms)
{
    rc_rate_limits_init(limits);
    rc_limit_facts facts = {.count = 1,
                            .list = {{.axis = RC_LIMIT_REQUESTS,
                                      .limit = limit,
                                      .remaining = remaining,
                                      .reset_ms = 60000}}};
    rc_limit_mark mark = {0};
    rc_rate_limits_note(limits, &facts, &mark, now_ms, now_ms);
}

/* Counts the first attempts, but leaves the limits as they are. */
static void count_at_fixed_limits(call_fixture *w, rc_rate_limits *learned,
                                  uint32_t shares[FIXTURE_TARGETS])
{
    rc_rate_limits before[FIXTURE_TARGETS];
    uint64_t random = 7;
    for (uint32_t i = 0; i < FIXTURE_TARGETS; i++) {
        shares[i] = 0;
        before[i] = learned[i];
    }
    for (uint32_t i = 0; i < ROUNDS; i++) {
        shares[begin_with(w, next_random(&random)).entry]++;
        rc_call_on_success(&w->call, w->now_ms);
        for (uint32_t k = 0; k < FIXTURE_TARGETS; k++)
            learned[k] = before[k];
    }
}

static void test_shares_follow_the_remaining_limits(void **state)
{
    (void)state;
    static const uint16_t weights[] = {1, 1, 1};
    static rc_rate_limits learned[FIXTURE_TARGETS];
    rc_queue queue;
    void *memory = malloc(rc_queue_memory_bytes(4));
    call_fixture w;
    uint32_t shares[FIXTURE_TARGETS];
    fixture_init(&w, 3);
    make_group(&w, 3, weights, RC_SPREAD_REMAINING);
    const rc_queue_settings settings = rc_queue_settings_default();
    rc_queue_init(&queue, &settings, memory, 4);
    rc_shared_set_queue(&w.shared, &queue, NULL);
    know_limit(&learned[0], 1000, 600, w.now_ms);
    know_limit(&learned[1], 1000, 200, w.now_ms);
    know_limit(&learned[2], 1000, 200, w.now_ms);
    for (uint16_t i = 0; i < 3; i++)
        rc_shared_set_learned(&w.shared, i, &learned[i]);
    count_at_fixed_limits(&w, learned, shares);
    expect_share(shares[0], 600);
    expect_share(shares[1], 200);

    rc_rate_limits_init(&learned[1]); /* not known: treated as the member with the largest room */
    count_at_fixed_limits(&w, learned, shares);
    expect_share(shares[0], 428);
    expect_share(shares[1], 428);

    w.entries[0].weight = 2; /* the weight multiplies the remaining amount */
    know_limit(&learned[1], 1000, 200, w.now_ms);
    count_at_fixed_limits(&w, learned, shares);
    expect_share(shares[0], 750);

    know_limit(&learned[0], 1000, 0, w.now_ms); /* without room a member is closed */
    count_at_fixed_limits(&w, learned, shares);
    assert_int_equal(shares[0], 0);
    free(memory);
}

static void test_room_is_that_of_the_scarcest_limit(void **state)
{
    (void)state;
    rc_rate_limits limits;
    rc_limit_cost cost = rc_limit_cost_of(90, 10);
    rc_rate_limits_init(&limits);
    assert_int_equal(rc_rate_limits_room(&limits, &cost, 1000), UINT32_MAX);
    know_limit(&limits, 600, 300, 1000);
    assert_int_equal(rc_rate_limits_room(&limits, &cost, 1000), 300);
    rc_limit_facts facts = {
        .count = 1,
        .list = {{.axis = RC_LIMIT_TOKENS, .limit = 50000, .remaining = 2550, .reset_ms = 60000}}};
    rc_limit_mark mark = {0};
    rc_rate_limits_note(&limits, &facts, &mark, 1000, 1000);
    assert_int_equal(rc_rate_limits_room(&limits, &cost, 1000), 25);
    cost = rc_limit_cost_of(60000, 0);
    assert_int_equal(rc_rate_limits_room(&limits, &cost, 1000), 0);
}

/* ---- members that fail ---- */

/* Sends `count` calls; member `bad` fails each of its calls. Returns the number of its calls. */
static uint32_t run_with_bad(call_fixture *w, uint16_t bad, rc_code code, uint32_t count,
                             uint32_t every_ms)
{
    uint64_t random = 4242;
    uint32_t calls = 0;
    for (uint32_t i = 0; i < count; i++) {
        w->now_ms += every_ms;
        rc_action action = begin_with(w, next_random(&random));
        if (action.entry == bad) {
            calls++;
            action = fixture_fail(w, code, NO_HINT);
        }
        if (action.kind == RC_DO_TRY)
            rc_call_on_success(&w->call, w->now_ms);
    }
    return calls;
}

static void test_a_failing_member_gets_only_probes(void **state)
{
    (void)state;
    static const uint16_t weights[] = {1, 1, 1};
    static const rc_code codes[] = {RC_CODE_PROVIDER_5XX, RC_CODE_MODEL_NOT_FOUND,
                                    RC_CODE_PERMISSION_DENIED, RC_CODE_MALFORMED_RESPONSE};
    for (size_t i = 0; i < 4; i++) {
        call_fixture w;
        uint32_t shares[FIXTURE_TARGETS];
        fixture_init(&w, 3);
        make_group(&w, 3, weights, RC_SPREAD_WEIGHT);
        /* 10,000 calls in 100 s: three failures, then probes after 1, 2, 4, 8, 16, 30, 30 s. */
        const uint32_t calls = run_with_bad(&w, 1, codes[i], 10000, 10);
        assert_in_range(calls, 6, 10);
        /* When a probe succeeds, the member gets its share again. */
        w.now_ms += 60000;
        count_shares(&w, shares);
        expect_share(shares[1], 333);
    }
}

static void test_a_probe_is_one_call_at_a_time(void **state)
{
    (void)state;
    static const uint16_t weights[] = {1, 1};
    call_fixture w;
    static rc_call calls[200];
    uint64_t random = 5;
    fixture_init(&w, 2);
    make_group(&w, 2, weights, RC_SPREAD_WEIGHT);
    run_with_bad(&w, 0, RC_CODE_PROVIDER_5XX, 100, 1);
    w.now_ms += 5000;
    uint32_t probes = 0;
    for (size_t i = 0; i < 200; i++) {
        rc_call_init(&calls[i], &w.plan, &w.shared, &w.options, w.now_ms);
        probes += rc_call_begin(&calls[i], w.now_ms, next_random(&random)).entry == 0;
    }
    assert_int_equal(probes, 1);
    for (size_t i = 0; i < 200; i++)
        rc_call_on_success(&calls[i], w.now_ms);
    assert_int_equal(w.targets[0].failed_in_a_row, 0);
}

static void test_the_skipped_member_is_recorded(void **state)
{
    (void)state;
    static const uint16_t weights[] = {10000, 1};
    call_fixture w;
    fixture_init(&w, 2);
    make_group(&w, 2, weights, RC_SPREAD_WEIGHT);
    run_with_bad(&w, 0, RC_CODE_PROVIDER_5XX, 50, 1);
    rc_action action = begin_with(&w, 3);
    assert_int_equal(action.entry, 1);
    assert_int_equal(w.skips.count, 1);
    assert_int_equal(w.skips.list[0].entry, 0);
    assert_string_equal(rc_reason_name(w.skips.list[0].reason), "skip_failing");
    assert_true(w.skips.list[0].until_ms > w.now_ms);
    /* A call that cannot be sent again never probes. */
    w.now_ms += 100000;
    w.options.is_unrepeatable = true;
    for (uint64_t entropy = 1; entropy < 50; entropy++)
        assert_int_equal(begin_with(&w, entropy).entry, 1);
}

static void test_if_all_members_fail_they_share_the_calls(void **state)
{
    (void)state;
    static const uint16_t weights[] = {3, 1};
    call_fixture w;
    uint32_t shares[FIXTURE_TARGETS] = {0};
    uint64_t random = 3;
    fixture_init(&w, 2);
    make_group(&w, 2, weights, RC_SPREAD_WEIGHT);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        rc_action action = begin_with(&w, next_random(&random));
        assert_int_equal(action.kind, RC_DO_TRY);
        shares[action.entry]++;
        rc_action next = fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
        assert_int_equal(next.entry, 1 - action.entry);
        fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
        rc_call_on_cancel(&w.call, w.now_ms);
    }
    assert_in_range(shares[0], ROUNDS * 74 / 100, ROUNDS * 76 / 100);
}

static void test_rate_limits_and_bad_requests_do_not_make_a_member_fail(void **state)
{
    (void)state;
    static const uint16_t weights[] = {1, 1};
    call_fixture w;
    fixture_init(&w, 2);
    make_group(&w, 2, weights, RC_SPREAD_WEIGHT);
    assert_in_range(run_with_bad(&w, 0, RC_CODE_INVALID_REQUEST, 1000, 1), 400, 600);
    assert_int_equal(w.targets[0].failed_in_a_row, 0);
    run_with_bad(&w, 0, RC_CODE_RATE_LIMITED, 100, 1);
    assert_int_equal(w.targets[0].failed_in_a_row, 0);
    run_with_bad(&w, 0, RC_CODE_PROVIDER_5XX, 4, 1);
    rc_shared_clear_target(&w.shared, 0, w.now_ms);
    assert_int_equal(w.targets[0].failed_in_a_row, 0);
}

/* ---- plan ---- */

static void test_groups_of_a_plan(void **state)
{
    (void)state;
    rc_chain_entry entries[80];
    memset(entries, 0, sizeof entries);
    rc_plan plan = {.entries = entries, .entry_count = 80, .chain_count = 79};
    for (uint16_t i = 2; i < 5; i++)
        entries[i].group = 1;
    entries[5].group = entries[6].group = 2;
    for (uint16_t i = 7; i < 80; i++)
        entries[i].group = 3;
    static const struct {
        uint16_t entry, first, count;
    } rows[] = {{0, 0, 1},   {1, 1, 1},   {2, 2, 3},   {4, 2, 3},    {5, 5, 2},
                {6, 5, 2},   {7, 7, 32},  {38, 7, 32}, {39, 39, 32}, {70, 39, 32},
                {71, 71, 8}, {78, 71, 8}, {79, 79, 1}, {200, 200, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const rc_group group = rc_plan_group(&plan, rows[i].entry);
        assert_int_equal(group.first, rows[i].first);
        assert_int_equal(group.count, rows[i].count);
    }
}

static void test_a_chain_that_stays_begins_at_the_group(void **state)
{
    (void)state;
    static const uint16_t weights[] = {1, 1, 1};
    call_fixture w;
    rc_chain chain;
    fixture_init(&w, 3);
    make_group(&w, 3, weights, RC_SPREAD_WEIGHT);
    w.entries[0].group = 0;
    rc_chain_init(&chain, RC_REVERT_NEVER);
    rc_chain_on_success(&chain, &w.plan, 2);
    assert_int_equal(rc_chain_first(&chain), 1);
    w.options.first_entry = 2; /* an index within the group counts as its first */
    uint32_t seen = 0;
    for (uint64_t entropy = 0; entropy < 32; entropy++)
        seen |= 1u << begin_with(&w, entropy).entry;
    assert_int_equal(seen, 6);
    fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT);
    assert_int_equal(fixture_fail(&w, RC_CODE_PROVIDER_5XX, NO_HINT).entry, 0);
}

static void test_a_hedge_uses_another_member(void **state)
{
    (void)state;
    static const uint16_t weights[] = {1, 1};
    for (uint64_t entropy = 0; entropy < 32; entropy++) {
        call_fixture w;
        fixture_init(&w, 3);
        make_group(&w, 2, weights, RC_SPREAD_WEIGHT);
        const uint16_t first = begin_with(&w, entropy).entry;
        assert_int_equal(rc_call_hedge_entry(&w.call, w.now_ms), 1 - first);
    }
}

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(rc_spread_name(RC_SPREAD_WEIGHT), "weight");
    assert_string_equal(rc_spread_name(RC_SPREAD_LEAST_BUSY), "least-busy");
    assert_string_equal(rc_spread_name(RC_SPREAD_REMAINING), "remaining");
    assert_string_equal(rc_spread_name((rc_spread)9), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares_follow_the_weights),
        cmocka_unit_test(test_shares_do_not_depend_on_ids),
        cmocka_unit_test(test_costs_have_an_exponential_distribution),
        cmocka_unit_test(test_closed_members_get_nothing),
        cmocka_unit_test(test_failover_stays_in_the_group_first),
        cmocka_unit_test(test_entries_before_a_group_come_first),
        cmocka_unit_test(test_a_sticky_key_moves_only_while_its_member_is_closed),
        cmocka_unit_test(test_without_a_key_or_without_sticky_calls_are_shared),
        cmocka_unit_test(test_calls_in_flight_follow_the_weights),
        cmocka_unit_test(test_idle_members_share_by_weight),
        cmocka_unit_test(test_shares_follow_the_remaining_limits),
        cmocka_unit_test(test_room_is_that_of_the_scarcest_limit),
        cmocka_unit_test(test_a_failing_member_gets_only_probes),
        cmocka_unit_test(test_a_probe_is_one_call_at_a_time),
        cmocka_unit_test(test_the_skipped_member_is_recorded),
        cmocka_unit_test(test_if_all_members_fail_they_share_the_calls),
        cmocka_unit_test(test_rate_limits_and_bad_requests_do_not_make_a_member_fail),
        cmocka_unit_test(test_groups_of_a_plan),
        cmocka_unit_test(test_a_chain_that_stays_begins_at_the_group),
        cmocka_unit_test(test_a_hedge_uses_another_member),
        cmocka_unit_test(test_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
