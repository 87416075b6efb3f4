/* Tests of the shared state: whether a target is open, the reasons for which it is closed,
 * rotation, the lock, bounds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>

#include "policy/shared_private.h"

#define TARGETS 3
#define CREDENTIALS 4
#define NOW UINT64_C(1000000)

_Static_assert(sizeof(rc_target) <= 448, "docs/internals/cooldown.md says so");
_Static_assert(sizeof(rc_shared) <= 192, "docs/internals/cooldown.md says so");

/* Target 0 has credentials 0..2, target 1 has credential 3, target 2 needs none. */
typedef struct fixture {
    rc_shared shared;
    rc_target targets[TARGETS];
    rc_credential credentials[CREDENTIALS];
    int locked;
    int rounds;
} fixture;

static void init(fixture *w)
{
    rc_shared_settings settings = rc_shared_settings_default();
    *w = (fixture){0};
    rc_shared_init(&w->shared, &settings, w->targets, TARGETS, w->credentials, CREDENTIALS, NOW);
    rc_shared_set_pool(&w->shared, 0, 0, 3, NULL);
    rc_shared_set_pool(&w->shared, 1, 3, 1, NULL);
    assert_true(rc_shared_validate(&w->shared));
}

static void expect_open(const fixture *w, uint16_t target, bool is_alone, uint64_t now_ms)
{
    rc_reason why = RC_WHY_NONE;
    uint64_t until_ms = 77;
    if (!rc_shared_is_target_open(&w->shared, target, is_alone, now_ms, &why, &until_ms))
        fail_msg("target %u: reason %d", target, why);
    assert_int_equal(why, RC_WHY_NONE);
    assert_int_equal(until_ms, 77);
}

static void expect_closed(const fixture *w, uint16_t target, bool is_alone, rc_reason want,
                          uint64_t want_until_ms)
{
    rc_reason why = RC_WHY_NONE;
    uint64_t until_ms = 77;
    assert_false(rc_shared_is_target_open(&w->shared, target, is_alone, NOW, &why, &until_ms));
    assert_int_equal(why, want);
    assert_int_equal(until_ms, want_until_ms);
}

static void trip(fixture *w, uint16_t target)
{
    for (int i = 0; i < 20; i++)
        rc_breaker_on_end(&w->targets[target].breaker, &w->shared.settings.breaker,
                          RC_BREAKER_ADMITTED, RC_BREAKER_FAILED, NOW, 0);
}

static void test_defaults(void **state)
{
    (void)state;
    rc_shared_settings settings = rc_shared_settings_default();
    assert_int_equal(settings.retry_budget.ratio_milli, 200);
    assert_int_equal(settings.retry_budget.floor_per_s, 10);
    assert_int_equal(settings.retry_budget.burst, 100);
    assert_int_equal(settings.breaker.window_ms, 10000);
    assert_int_equal(settings.breaker.min_calls, 20);
    assert_int_equal(settings.breaker.failure_pct, 50);
    assert_int_equal(settings.breaker.open_ms, 1000);
    assert_int_equal(settings.breaker.open_max_ms, 2000);
    assert_int_equal(settings.cooldown_ms, 5000);
    assert_int_equal(settings.exhausted_ms, 600000);
}

static void test_all_healthy_at_first(void **state)
{
    (void)state;
    fixture w;
    init(&w);
    for (uint16_t i = 0; i < TARGETS; i++)
        expect_open(&w, i, false, NOW);
    assert_int_equal(rc_retry_budget_tokens(&w.shared.retry_budget, NOW), 100);
    assert_false(w.credentials[0].can_refresh);
    rc_shared_set_refresh(&w.shared, 0, true);
    assert_true(w.credentials[0].can_refresh);
}

static void test_reasons(void **state)
{
    (void)state;
    fixture w;
    init(&w);
    rc_shared_set_limit(&w.shared, 0, 1);
    assert_true(rc_limiter_take(&w.targets[0].limiter));
    expect_closed(&w, 0, false, RC_WHY_SKIP_BUSY, 0);
    for (uint16_t i = 0; i < 3; i++)
        rc_shared_cool_down_credential(&w.shared, i, RC_CREDENTIAL_COOLING, NOW + 300 + i);
    expect_closed(&w, 0, false, RC_WHY_SKIP_CREDENTIALS, NOW + 300);
    trip(&w, 0);
    expect_closed(&w, 0, false, RC_WHY_SKIP_BREAKER, NOW + 1000);
    rc_shared_cool_down_target(&w.shared, 0, NOW + 500);
    /* The result is the first reason, and the time at which the last reason ends. */
    expect_closed(&w, 0, true, RC_WHY_SKIP_COOLING, NOW + 1000);
    rc_shared_set_service(&w.shared, 0, false);
    expect_closed(&w, 0, true, RC_WHY_SKIP_OUT_OF_SERVICE, RC_UNLIMITED);
    rc_shared_set_service(&w.shared, 0, true);
    rc_limiter_put(&w.targets[0].limiter);
    expect_open(&w, 0, false, NOW + 1000);
    expect_open(&w, 1, false, NOW);
    assert_true(rc_shared_validate(&w.shared));
}

static void test_a_probe_in_flight(void **state)
{
    (void)state;
    fixture w;
    init(&w);
    trip(&w, 2);
    const rc_breaker_settings *settings = &w.shared.settings.breaker;
    expect_open(&w, 2, false, NOW + 1000);
    assert_int_equal(rc_breaker_admit(&w.targets[2].breaker, settings, NOW + 1000),
                     RC_BREAKER_PROBE);
    expect_closed(&w, 2, true, RC_WHY_SKIP_BREAKER, NOW + 1000);
    rc_breaker_on_end(&w.targets[2].breaker, settings, RC_BREAKER_PROBE, RC_BREAKER_SUCCEEDED,
                      NOW + 1000, 0);
    expect_open(&w, 2, false, NOW);
}

static void test_without_another_target(void **state)
{
    (void)state;
    fixture w;
    init(&w);
    rc_cooldown_assume(&w.targets[2].cooldown, NOW + 100);
    expect_closed(&w, 2, false, RC_WHY_SKIP_COOLING, NOW + 100);
    expect_open(&w, 2, true, NOW);

    rc_credential_cool_down(&w.credentials[3], RC_CREDENTIAL_COOLING, NOW + 100, false);
    expect_closed(&w, 1, false, RC_WHY_SKIP_CREDENTIALS, NOW + 100);
    expect_open(&w, 1, true, NOW);
    uint16_t credential = 77;
    assert_true(rc_shared_pick_credential(&w.shared, 1, NOW, &credential));
    assert_int_equal(credential, 3);
}

static void test_credentials_without_a_known_end(void **state)
{
    (void)state;
    fixture w;
    init(&w);
    rc_shared_cool_down_credential(&w.shared, 3, RC_CREDENTIAL_DEAD, 0);
    expect_closed(&w, 1, true, RC_WHY_CREDENTIALS_DEAD, RC_UNLIMITED);
    /* A reason that does not end by waiting takes precedence over all temporary ones. */
    rc_shared_cool_down_target(&w.shared, 1, NOW + 50);
    expect_closed(&w, 1, true, RC_WHY_CREDENTIALS_DEAD, RC_UNLIMITED);
    rc_cooldown_clear(&w.targets[1].cooldown);
    rc_shared_revive_credential(&w.shared, 3);
    expect_open(&w, 1, false, NOW);
    w.credentials[3].is_refreshing = true;
    expect_closed(&w, 1, true, RC_WHY_SKIP_CREDENTIALS, 0);

    /* One credential is dead, one is being refreshed, one cools down: the end of the last one is
     * known. */
    rc_shared_cool_down_credential(&w.shared, 0, RC_CREDENTIAL_DEAD, 0);
    w.credentials[1].is_refreshing = true;
    rc_shared_cool_down_credential(&w.shared, 2, RC_CREDENTIAL_EXHAUSTED, NOW + 9);
    expect_closed(&w, 0, true, RC_WHY_SKIP_CREDENTIALS, NOW + 9);
    /* A credential whose cooldown is unlimited is not dead, and the one that is being refreshed may
     * become usable. */
    rc_shared_cool_down_credential(&w.shared, 2, RC_CREDENTIAL_EXHAUSTED, RC_UNLIMITED);
    expect_closed(&w, 0, true, RC_WHY_SKIP_CREDENTIALS, 0);
    w.credentials[1].is_refreshing = false;
    rc_shared_cool_down_credential(&w.shared, 1, RC_CREDENTIAL_DEAD, 0);
    expect_closed(&w, 0, true, RC_WHY_SKIP_CREDENTIALS, RC_UNLIMITED);
    rc_shared_cool_down_credential(&w.shared, 2, RC_CREDENTIAL_DEAD, 0);
    expect_closed(&w, 0, true, RC_WHY_CREDENTIALS_DEAD, RC_UNLIMITED);
}

static void expect_pick(fixture *w, uint16_t target, uint16_t want)
{
    uint16_t credential = 77;
    assert_true(rc_shared_pick_credential(&w->shared, target, NOW, &credential));
    assert_int_equal(credential, want);
}

static void test_rotation(void **state)
{
    (void)state;
    fixture w;
    init(&w);
    for (int i = 0; i < 2; i++) {
        expect_pick(&w, 0, 0);
        expect_pick(&w, 0, 1);
        expect_pick(&w, 0, 2);
    }
    rc_shared_cool_down_credential(&w.shared, 1, RC_CREDENTIAL_COOLING, NOW + 1);
    expect_pick(&w, 0, 0);
    expect_pick(&w, 0, 2);
    expect_pick(&w, 0, 0);
    expect_pick(&w, 1, 3);
    expect_pick(&w, 2, RC_NO_TARGET);
    /* An assumed cooldown applies as long as another credential is usable. */
    rc_credential_cool_down(&w.credentials[2], RC_CREDENTIAL_COOLING, NOW + 1, false);
    expect_pick(&w, 0, 0);
    expect_pick(&w, 0, 0);
    rc_credential_cool_down(&w.credentials[0], RC_CREDENTIAL_COOLING, NOW + 1, true);
    expect_pick(&w, 0, 2);
    rc_credential_kill(&w.credentials[2], 0);
    uint16_t credential = 77;
    assert_false(rc_shared_pick_credential(&w.shared, 0, NOW, &credential));
    assert_int_equal(credential, 77);
}

/* The rotation does not point after the end of a pool that became smaller. */
static void test_smaller_pool(void **state)
{
    (void)state;
    fixture w;
    init(&w);
    expect_pick(&w, 0, 0);
    expect_pick(&w, 0, 1);
    rc_shared_set_pool(&w.shared, 0, 1, 2, NULL);
    assert_true(rc_shared_validate(&w.shared));
    expect_pick(&w, 0, 1);
    rc_shared_set_pool(&w.shared, 0, 0, 0, NULL);
    assert_true(rc_shared_validate(&w.shared));
    expect_pick(&w, 0, RC_NO_TARGET);
}

static void test_pick_other_credential(void **state)
{
    (void)state;
    fixture w;
    init(&w);
    uint16_t credential = 77;
    assert_true(rc_shared_pick_other_credential(&w.shared, 0, 0, NOW, &credential));
    assert_int_equal(credential, 1);
    rc_credential_cool_down(&w.credentials[2], RC_CREDENTIAL_COOLING, NOW + 1, false);
    assert_true(rc_shared_pick_other_credential(&w.shared, 0, 1, NOW, &credential));
    assert_int_equal(credential, 0);
    rc_credential_kill(&w.credentials[1], 0);
    credential = 77;
    assert_false(rc_shared_pick_other_credential(&w.shared, 0, 0, NOW, &credential));
    assert_false(rc_shared_pick_other_credential(&w.shared, 1, 3, NOW, &credential));
    assert_false(rc_shared_pick_other_credential(&w.shared, 2, 0, NOW, &credential));
    assert_false(rc_shared_pick_other_credential(&w.shared, TARGETS, 0, NOW, &credential));
    assert_int_equal(credential, 77);
}

static void test_ends_only_move_later(void **state)
{
    (void)state;
    fixture w;
    init(&w);
    rc_shared_cool_down_target(&w.shared, 2, NOW + 500);
    rc_shared_cool_down_target(&w.shared, 2, NOW + 100);
    expect_closed(&w, 2, true, RC_WHY_SKIP_COOLING, NOW + 500);
    rc_shared_cool_down_credential(&w.shared, 3, RC_CREDENTIAL_EXHAUSTED, NOW + 500);
    rc_shared_cool_down_credential(&w.shared, 3, RC_CREDENTIAL_HEALTHY, 0);
    rc_shared_cool_down_credential(&w.shared, 3, RC_CREDENTIAL_COOLING, NOW + 100);
    expect_closed(&w, 1, true, RC_WHY_SKIP_CREDENTIALS, NOW + 500);
    assert_int_equal(rc_credential_state_at(&w.credentials[3], NOW), RC_CREDENTIAL_EXHAUSTED);
}

static void test_unknown_numbers_are_ignored(void **state)
{
    (void)state;
    fixture w;
    init(&w);
    rc_shared_cool_down_target(&w.shared, TARGETS, NOW + 1);
    rc_shared_cool_down_credential(&w.shared, CREDENTIALS, RC_CREDENTIAL_DEAD, NOW + 1);
    rc_shared_set_service(&w.shared, RC_NO_TARGET, false);
    rc_shared_set_limit(&w.shared, TARGETS, 1);
    rc_shared_set_refresh(&w.shared, CREDENTIALS, true);
    rc_shared_revive_credential(&w.shared, RC_NO_TARGET);
    rc_shared_set_pool(&w.shared, TARGETS, 0, 1, NULL);
    rc_shared_set_pool(&w.shared, 0, 2, 3, NULL);
    rc_shared_set_pool(&w.shared, 0, UINT16_MAX, UINT16_MAX, NULL);
    assert_int_equal(w.targets[0].credential_count, 3);
    for (uint16_t i = 0; i < TARGETS; i++)
        expect_open(&w, i, false, NOW);
    expect_closed(&w, TARGETS, true, RC_WHY_SKIP_OUT_OF_SERVICE, RC_UNLIMITED);
    uint16_t credential = 77;
    assert_false(rc_shared_pick_credential(&w.shared, TARGETS, NOW, &credential));
    assert_null(rc_shared_target(&w.shared, TARGETS));
    assert_null(rc_shared_credential(&w.shared, CREDENTIALS));

    rc_shared_settings settings = rc_shared_settings_default();
    rc_shared empty;
    rc_shared_init(&empty, &settings, NULL, 0, NULL, 0, NOW);
    rc_shared_cool_down_target(&empty, 0, NOW);
    assert_true(rc_shared_validate(&empty));
}

/* A reload of the configuration does not change the state. */
static void test_changed_settings(void **state)
{
    (void)state;
    fixture w;
    init(&w);
    trip(&w, 2);
    rc_shared_cool_down_target(&w.shared, 1, NOW + 5);
    for (int i = 0; i < 90; i++)
        assert_true(rc_retry_budget_take(&w.shared.retry_budget, NOW));
    rc_shared_settings settings = rc_shared_settings_default();
    settings.breaker.open_ms = 50;
    settings.retry_budget.burst = 50;
    rc_shared_set_settings(&w.shared, &settings, NOW);
    assert_int_equal(rc_retry_budget_tokens(&w.shared.retry_budget, NOW), 10);
    expect_closed(&w, 2, true, RC_WHY_SKIP_BREAKER, NOW + 1000);
    expect_closed(&w, 1, true, RC_WHY_SKIP_COOLING, NOW + 5);
    assert_int_equal(w.shared.settings.breaker.open_ms, 50);
    assert_true(rc_shared_validate(&w.shared));
}

static void test_validate_finds_faults(void **state)
{
    (void)state;
    fixture w;
    init(&w);
    w.targets[1].credential_count = 2;
    assert_false(rc_shared_validate(&w.shared));
    init(&w);
    w.targets[0].next_credential = 3;
    assert_false(rc_shared_validate(&w.shared));
    init(&w);
    w.targets[2].breaker.is_probing = true;
    assert_false(rc_shared_validate(&w.shared));
    init(&w);
    w.credentials[1].state = (rc_credential_state)4;
    assert_false(rc_shared_validate(&w.shared));
    init(&w);
    rc_credential_kill(&w.credentials[1], 0);
    w.credentials[1].is_refreshing = true;
    assert_false(rc_shared_validate(&w.shared));
    init(&w);
    w.shared.retry_budget.tokens_micro = UINT64_MAX;
    assert_false(rc_shared_validate(&w.shared));
}

/* --- lock --- */

static void count_lock(void *ctx)
{
    fixture *w = ctx;
    assert_int_equal(w->locked, 0);
    w->locked++;
    w->rounds++;
}

static void count_unlock(void *ctx)
{
    fixture *w = ctx;
    assert_int_equal(w->locked, 1);
    w->locked--;
}

static void test_each_takes_the_lock_once(void **state)
{
    (void)state;
    fixture w;
    init(&w);
    rc_shared_set_lock(&w.shared, &w, count_lock, count_unlock);
    rc_shared_settings settings = rc_shared_settings_default();
    rc_shared_set_pool(&w.shared, 0, 0, 2, NULL);
    rc_shared_set_limit(&w.shared, 0, 1);
    rc_shared_set_refresh(&w.shared, 0, true);
    rc_shared_set_service(&w.shared, 0, true);
    rc_shared_set_settings(&w.shared, &settings, NOW);
    rc_shared_cool_down_target(&w.shared, 0, NOW);
    rc_shared_cool_down_credential(&w.shared, 0, RC_CREDENTIAL_COOLING, NOW);
    rc_shared_revive_credential(&w.shared, 0);
    assert_true(rc_shared_validate(&w.shared));
    assert_int_equal(w.rounds, 9);
    /* A function that has nothing to do takes and releases the lock, too. */
    rc_shared_cool_down_target(&w.shared, TARGETS, NOW);
    rc_shared_set_pool(&w.shared, TARGETS, 0, 0, NULL);
    assert_int_equal(w.rounds, 11);
    assert_int_equal(w.locked, 0);
}

#define THREADS 4
#define ROUNDS 2000

typedef struct crowd {
    fixture w;
    pthread_mutex_t mutex;
} crowd;

static void lock_mutex(void *ctx)
{
    pthread_mutex_lock(ctx);
}

static void unlock_mutex(void *ctx)
{
    pthread_mutex_unlock(ctx);
}

static void *run_thread(void *arg)
{
    rc_shared *shared = &((crowd *)arg)->w.shared;
    for (uint16_t i = 0; i < ROUNDS; i++) {
        uint16_t credential;
        rc_shared_lock(shared);
        rc_retry_budget_on_request(&shared->retry_budget, NOW);
        bool took = rc_limiter_take(&shared->targets[0].limiter);
        (void)rc_shared_pick_credential(shared, 0, NOW, &credential);
        rc_shared_unlock(shared);
        rc_shared_cool_down_target(shared, i % TARGETS, NOW + i);
        rc_shared_cool_down_credential(shared, i % CREDENTIALS, RC_CREDENTIAL_COOLING, NOW + i);
        rc_shared_lock(shared);
        if (took)
            rc_limiter_put(&shared->targets[0].limiter);
        rc_shared_unlock(shared);
    }
    return NULL;
}

/* Only ThreadSanitizer detects the races for which this test exists. */
static void test_threads(void **state)
{
    (void)state;
    crowd c;
    init(&c.w);
    rc_shared_set_limit(&c.w.shared, 0, 2);
    pthread_mutex_init(&c.mutex, NULL);
    rc_shared_set_lock(&c.w.shared, &c.mutex, lock_mutex, unlock_mutex);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_thread, &c), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    pthread_mutex_destroy(&c.mutex);
    rc_shared_set_lock(&c.w.shared, NULL, NULL, NULL);
    assert_true(rc_shared_validate(&c.w.shared));
    assert_int_equal(c.w.targets[0].limiter.in_flight, 0);
    assert_int_equal(c.w.targets[(ROUNDS - 1) % TARGETS].cooldown.enforced_until_ms,
                     NOW + ROUNDS - 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_defaults),
        cmocka_unit_test(test_all_healthy_at_first),
        cmocka_unit_test(test_reasons),
        cmocka_unit_test(test_a_probe_in_flight),
        cmocka_unit_test(test_without_another_target),
        cmocka_unit_test(test_credentials_without_a_known_end),
        cmocka_unit_test(test_rotation),
        cmocka_unit_test(test_smaller_pool),
        cmocka_unit_test(test_pick_other_credential),
        cmocka_unit_test(test_ends_only_move_later),
        cmocka_unit_test(test_unknown_numbers_are_ignored),
        cmocka_unit_test(test_changed_settings),
        cmocka_unit_test(test_validate_finds_faults),
        cmocka_unit_test(test_each_takes_the_lock_once),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
