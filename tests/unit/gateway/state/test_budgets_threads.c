/* Many threads reserve and settle while another thread reloads: no attempt is lost, and no limit is
 * exceeded. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>

#include <recourse/stdlib.h>

#include "config/config.h"
#include "config/fault.h"
#include "config/prices/prices.h"
#include "gateway/state/budgets.h"

#define NOON INT64_C(1794830400000) /* 2026-11-16T12:00:00Z */
#define THREADS 4
#define ATTEMPTS 4000
#define RELOADS 200
#define REQUEST \
    "{\"messages\":[],\"max_tokens\":1000}" /* costs 10000 millionths of a dollar with gpt-4o */

static const char text[] = "providers: {openai: {keys: [env:A]}}\n"
                           "routes: [{model: \"*\", chain: [{target: openai/gpt-4o}]}]\n"
                           "clients: [{name: app, token: env:T, budget_usd: 20, on_exceed: fail}]\n"
                           "budgets: [{name: all, limit_usd: 1000}]\n";

typedef struct fixture {
    rc_config config;
    rc_prices prices;
    rc_budgets budgets;
    rc_budgets_snapshot snapshot;
} fixture;

typedef struct worker {
    fixture *w;
    pthread_t thread;
    uint64_t seed;
    uint64_t granted;
    uint64_t cost;
} worker;

static void *work(void *ctx)
{
    worker *me = ctx;
    fixture *w = me->w;
    rc_budgets_attempt attempt = {.client = 0,
                                  .route = 0,
                                  .target = RC_STR("openai/gpt-4o"),
                                  .provider = &w->config.providers[0],
                                  .model = RC_STR("gpt-4o"),
                                  .request = RC_STR(REQUEST)};
    for (int i = 0; i < ATTEMPTS; i++) {
        rc_ledger_reservation hold;
        rc_ledger_notices told;
        rc_ledger_decision decision =
            rc_budgets_reserve(&w->budgets, &w->snapshot, &attempt, NOON, &hold, &told);
        if (decision.verdict != RC_LEDGER_GRANTED)
            continue;
        me->seed = me->seed * UINT64_C(6364136223846793005) + 1442695040888963407u;
        uint64_t cost = (me->seed >> 33) % (hold.amount + 1);
        me->granted++;
        me->cost += cost;
        rc_budgets_settle(&w->budgets, &hold, cost, &told);
    }
    return NULL;
}

static rc_ledger_state state_of(fixture *w, const char *scope)
{
    rc_ledger_state state = {.limit = 0};
    rc_ledger_get_state(&w->budgets.ledger, rc_budgets_find(&w->snapshot, rc_str_c(scope)), NOON,
                        &state);
    return state;
}

static void threads_lose_nothing_and_exceed_nothing(void **state)
{
    (void)state;
    static fixture w;
    worker workers[THREADS];
    rc_alloc alloc = rc_alloc_stdlib();
    rc_config_faults faults;
    rc_config_faults_init(&faults);
    assert_int_equal(rc_config_parse(&w.config, rc_str_c(text), &alloc, &faults), RC_OK);
    rc_prices_init(&w.prices);
    assert_int_equal(rc_budgets_init(&w.budgets, &alloc), RC_OK);
    assert_int_equal(rc_budgets_load(&w.budgets, &w.config, &w.prices, NOON, &w.snapshot, NULL),
                     RC_OK);
    for (size_t i = 0; i < THREADS; i++) {
        workers[i] = (worker){.w = &w, .seed = i + 1};
        assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < RELOADS; i++) {
        rc_budgets_snapshot snapshot;
        rc_budget_info budget;
        assert_int_equal(rc_budgets_load(&w.budgets, &w.config, &w.prices, NOON, &snapshot, NULL),
                         RC_OK);
        assert_true(rc_budgets_at(&w.budgets, &snapshot, 0, NOON, &budget));
        assert_true(budget.state.spent + budget.state.held <= budget.state.limit);
        rc_budgets_snapshot_done(&snapshot);
    }
    uint64_t cost = 0;
    uint64_t granted = 0;
    for (size_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(workers[i].thread, NULL), 0);
        cost += workers[i].cost;
        granted += workers[i].granted;
    }
    assert_true(granted > 2000 && granted < THREADS * ATTEMPTS);
    assert_int_equal(state_of(&w, "client app").spent, cost);
    assert_int_equal(state_of(&w, "client app").held, 0);
    assert_int_equal(state_of(&w, "budget all").spent, cost);
    assert_true(cost <= 20000000);
    rc_budgets_snapshot_done(&w.snapshot);
    rc_budgets_done(&w.budgets);
    rc_config_done(&w.config);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_lose_nothing_and_exceed_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
