/* The ledger: random operations with tries that work, fail, break off and are given up, at several
 * targets, over some days. Whatever is added up, by operation, client, route, target, key or day,
 * in the budgets, in the store and after a restart, is the sum of the tries, to the millionth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gateway/state/budgets.h"
#include "support/store_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define START INT64_C(1793404800000) /* 2026-10-31T00:00:00Z */
#define DAY_MS INT64_C(86400000)
#define DAYS 5 /* into November */
#define OPERATIONS 1500
#define TRIES_MAX 4
#define CLIENTS 3
#define ROUTES 2
#define TARGETS 4
#define KEYS 2

static const char configuration[] =
    "providers:\n"
    "  openai: {keys: [env:A, env:B]}\n"
    "  mini: {kind: openai, keys: [env:C, env:D]}\n"
    "  claude: {kind: anthropic, keys: [env:E, env:F]}\n"
    "  local: {kind: ollama}\n"
    "routes:\n"
    "  - {model: \"gpt*\", chain: [{target: openai/gpt-4o}], budget_usd: 5000}\n"
    "  - {model: \"*\", chain: [{target: mini/gpt-4o-mini}], budget_usd: 5000}\n"
    "clients:\n"
    "  - {name: app, token: env:T, budget_usd: 5000}\n"
    "  - {name: web, token: env:U, budget_usd: 5000}\n"
    "  - {name: batch, token: env:V, budget_usd: 5000}\n"
    "budgets:\n"
    "  - {name: day, per: day, limit_usd: 5000}\n"
    "  - {name: ever, per: total, limit_usd: 5000}\n"
    "  - {name: claude, per: total, match: {target: \"claude/*\"}, limit_usd: 5000}\n";

static const char *const clients[CLIENTS] = {"app", "web", "batch"};
static const char *const routes[ROUTES] = {"gpt*", "*"};
static const char *const targets[TARGETS] = {"openai/gpt-4o", "mini/gpt-4o-mini",
                                             "claude/claude-sonnet-4-5", "local/llama"};
static const char *const models[TARGETS] = {"gpt-4o", "gpt-4o-mini", "claude-sonnet-4-5", "llama"};
static const char *const keys[KEYS] = {"key-1", "key-2"};

/* One try, as it really was: what everything else is compared with. */
typedef struct attempt {
    size_t operation;
    size_t client;
    size_t route;
    size_t target;
    size_t key;
    int64_t day;
    uint64_t tokens_in;
    uint64_t tokens_out;
    uint64_t cost;
} attempt;

typedef struct ledger {
    attempt tries[OPERATIONS * TRIES_MAX];
    size_t count;
    uint64_t outcomes[OPERATIONS]; /* what the outcome says that the operation cost */
    rc_config config;
    rc_prices prices;
    rc_budgets purse;
    rc_budgets_snapshot edition;
    store_fixture store;
} ledger;

static uint64_t random_state = 88172645463325252u;

static uint64_t random_below(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

/* ---- tries ---- */

static const char *const requests[] = {
    "{\"messages\":[{\"role\":\"user\",\"content\":\"How do you do?\"}]}",
    "{\"max_tokens\":300,\"messages\":[{\"role\":\"user\",\"content\":\"\\u4f60\"}]}",
    "{\"system\":\"Be brief.\",\"messages\":[],\"max_tokens\":64,\"n\":2}",
};

/* What came of a try, as it would: a count, half of one, or none. */
static rc_charge charge_of(rc_str request)
{
    rc_usage usage;
    char body[256];
    rc_usage_init(&usage);
    unsigned long long in = random_below(300000);
    unsigned long long out = random_below(2000);
    switch (random_below(4)) {
    case 0:
        snprintf(body, sizeof body,
                 "{\"usage\":{\"prompt_tokens\":%llu,\"completion_tokens\":%llu,"
                 "\"prompt_tokens_details\":{\"cached_tokens\":%llu}}}",
                 in, out, in / 3);
        rc_usage_read(&usage, rc_str_c(body));
        break;
    case 1:
        snprintf(body, sizeof body,
                 "{\"input_tokens\":%llu,\"cache_read_input_tokens\":%llu,"
                 "\"cache_creation_input_tokens\":%llu,\"output_tokens\":1}",
                 in, in / 5, in / 7);
        rc_usage_read_object(&usage, rc_str_c(body));
        usage.weight = random_below(5000);
        break;
    case 2:
        usage.weight = random_below(5000);
        break;
    default:
        break;
    }
    return rc_usage_charge(&usage, (rc_attempt_end)random_below(RC_ATTEMPT_END_COUNT), request);
}

/* Reserves, tries, settles; what it was is in the ledger and in the record. */
static void try_once(ledger *l, attempt *a, int64_t unix_ms, rc_record *record)
{
    rc_ledger_reservation hold;
    rc_ledger_notices told;
    rc_budgets_attempt what = {
        .client = a->client,
        .route = a->route,
        .target = rc_str_c(targets[a->target]),
        .provider = &l->config.providers[a->target],
        .model = rc_str_c(models[a->target]),
        .request = rc_str_c(requests[random_below(COUNT(requests))]),
    };
    rc_ledger_decision answer =
        rc_budgets_reserve(&l->purse, &l->edition, &what, unix_ms, &hold, &told);
    assert_int_equal(answer.verdict, RC_LEDGER_GRANTED);
    rc_charge charge = charge_of(what.request);
    a->tokens_in = charge.input;
    a->tokens_out = charge.output;
    a->cost = rc_budgets_cost(&l->edition, &what, &charge);
    a->day = unix_ms / DAY_MS;
    rc_budgets_settle(&l->purse, &hold, a->cost, &told);
    record->unix_ms = unix_ms;
    record->target = what.target;
    record->credential = rc_str_c(keys[a->key]);
    record->tokens_in = a->tokens_in;
    record->tokens_out = a->tokens_out;
    record->cost_usd_micro = a->cost;
    record->flags = charge.is_measured    ? RC_RECORD_MEASURED
                    : charge.is_estimated ? RC_RECORD_ESTIMATED
                                          : 0;
}

static void fill(rc_record *record, rc_record_kind kind, const rc_id *id, uint32_t seq,
                 const attempt *a, int64_t unix_ms)
{
    rc_record_init(record, kind);
    record->operation_id = rc_str_make(id->text, RC_ID_LEN);
    record->seq = seq;
    record->unix_ms = unix_ms;
    if (kind == RC_RECORD_ATTEMPT)
        return;
    record->client = rc_str_c(clients[a->client]);
    record->route = rc_str_c(routes[a->route]);
}

/* The store's first answer may be lost, and then it is told again. */
static void keep(ledger *l, const rc_record *records, size_t count)
{
    do
        assert_true(fixture_append(&l->store, records, count));
    while (random_below(4) == 0);
}

static void operate(ledger *l, size_t number, int64_t unix_ms)
{
    rc_record records[TRIES_MAX + 2];
    attempt a = {.operation = number,
                 .client = (size_t)random_below(CLIENTS),
                 .route = (size_t)random_below(ROUTES)};
    rc_id id = fixture_id(&l->store, unix_ms);
    uint32_t seq = 0;
    fill(&records[seq], RC_RECORD_BEGIN, &id, seq, &a, unix_ms);
    seq++;
    for (size_t left = 1 + (size_t)random_below(TRIES_MAX); left > 0; left--) {
        a.target = (size_t)random_below(TARGETS);
        a.key = (size_t)random_below(KEYS);
        unix_ms += (int64_t)random_below(60000);
        fill(&records[seq], RC_RECORD_ATTEMPT, &id, seq, &a, unix_ms);
        try_once(l, &a, unix_ms, &records[seq]);
        l->tries[l->count++] = a;
        l->outcomes[number] += a.cost;
        seq++;
    }
    fill(&records[seq], RC_RECORD_OUTCOME, &id, seq, &a, unix_ms);
    records[seq].outcome = RC_OUTCOME_SUCCEEDED;
    records[seq].cost_usd_micro = l->outcomes[number];
    seq++;
    /* at once, or its beginning first */
    uint32_t first = random_below(3) == 0 ? 1 : seq;
    keep(l, records, first);
    if (first < seq)
        keep(l, records + first, seq - first);
}

/* ---- what is compared ---- */

/* By one of the things that a try belongs to. */
typedef enum dimension {
    BY_CLIENT,
    BY_ROUTE,
    BY_TARGET,
    BY_KEY,
    BY_DAY,
    BY_ALL,
    DIMENSIONS
} dimension;

typedef struct total {
    uint64_t tokens_in;
    uint64_t tokens_out;
    uint64_t cost;
} total;

#define PLACES 8

typedef struct totals {
    total of[DIMENSIONS][PLACES];
} totals;

static void add(totals *t, dimension by, size_t place, const total *more)
{
    assert_true(place < PLACES);
    total *sum = &t->of[by][place];
    sum->tokens_in += more->tokens_in;
    sum->tokens_out += more->tokens_out;
    sum->cost += more->cost;
}

static void add_all(totals *t, const size_t places[BY_ALL], const total *more)
{
    for (unsigned by = 0; by < BY_ALL; by++)
        add(t, (dimension)by, places[by], more);
    add(t, BY_ALL, 0, more);
}

static totals sum_of_tries(const ledger *l)
{
    totals t = {0};
    for (size_t i = 0; i < l->count; i++) {
        const attempt *a = &l->tries[i];
        const size_t places[BY_ALL] = {a->client, a->route, a->target, a->key,
                                       (size_t)(a->day - START / DAY_MS)};
        const total more = {a->tokens_in, a->tokens_out, a->cost};
        add_all(&t, places, &more);
    }
    return t;
}

static size_t place_of(const char *const *names, size_t count, rc_str name)
{
    for (size_t i = 0; i < count; i++)
        if (rc_str_eq(name, rc_str_c(names[i])))
            return i;
    fail_msg("an unknown name: %.*s", (int)name.len, name.ptr);
    return 0;
}

static bool add_row(void *ctx, const rc_store_daily_usage *s)
{
    const size_t places[BY_ALL] = {
        place_of(clients, CLIENTS, s->client), place_of(routes, ROUTES, s->route),
        place_of(targets, TARGETS, s->target), place_of(keys, KEYS, s->credential),
        (size_t)(s->day - START / DAY_MS)};
    const total more = {s->tokens_in, s->tokens_out, s->cost_usd_micro};
    add_all(ctx, places, &more);
    return true;
}

static uint64_t spent_of(ledger *l, rc_budgets *purse, const rc_budgets_snapshot *edition,
                         const char *scope, int64_t now)
{
    rc_ledger_state state;
    (void)l;
    assert_true(rc_ledger_get_state(&purse->ledger, rc_budgets_find(edition, rc_str_c(scope)), now,
                                    &state));
    assert_int_equal(state.held, 0);
    return state.spent;
}

/* What of the tries falls into the month, or the day, of the end. */
static uint64_t cost_where(const ledger *l, int64_t from_day, size_t client, size_t route,
                           const char *target)
{
    uint64_t cost = 0;
    for (size_t i = 0; i < l->count; i++) {
        const attempt *a = &l->tries[i];
        if (a->day >= from_day && (client == SIZE_MAX || a->client == client) &&
            (route == SIZE_MAX || a->route == route) &&
            (target == NULL || strncmp(targets[a->target], target, strlen(target)) == 0))
            cost += a->cost;
    }
    return cost;
}

static void compare_budgets(ledger *l, rc_budgets *purse, const rc_budgets_snapshot *edition,
                            int64_t now)
{
    const int64_t november = START / DAY_MS + 1;
    char scope[32];
    for (size_t i = 0; i < CLIENTS; i++) {
        snprintf(scope, sizeof scope, "client %s", clients[i]);
        assert_int_equal(spent_of(l, purse, edition, scope, now),
                         cost_where(l, november, i, SIZE_MAX, NULL));
    }
    for (size_t i = 0; i < ROUTES; i++) {
        snprintf(scope, sizeof scope, "route %s", routes[i]);
        assert_int_equal(spent_of(l, purse, edition, scope, now),
                         cost_where(l, november, SIZE_MAX, i, NULL));
    }
    assert_int_equal(spent_of(l, purse, edition, "budget day", now),
                     cost_where(l, now / DAY_MS, SIZE_MAX, SIZE_MAX, NULL));
    assert_int_equal(spent_of(l, purse, edition, "budget ever", now),
                     cost_where(l, 0, SIZE_MAX, SIZE_MAX, NULL));
    assert_int_equal(spent_of(l, purse, edition, "budget claude", now),
                     cost_where(l, 0, SIZE_MAX, SIZE_MAX, "claude/"));
}

/* ---- operations, as the store has them ---- */

typedef struct checking {
    ledger *l;
    size_t number;
    uint64_t attempts_cost;
} checking;

static bool add_attempt(void *ctx, const rc_record *record)
{
    checking *c = ctx;
    if (record->kind == RC_RECORD_ATTEMPT)
        c->attempts_cost += record->cost_usd_micro;
    return true;
}

static bool check_operation(void *ctx, const rc_record *record)
{
    checking *c = ctx;
    c->attempts_cost = 0;
    assert_true(rc_store_timeline(c->l->store.store, record->operation_id, add_attempt, c,
                                  &c->l->store.fault));
    assert_int_equal(record->cost_usd_micro, c->attempts_cost);
    assert_int_equal(record->cost_usd_micro, c->l->outcomes[c->number]);
    c->number++;
    return true;
}

/* ---- the test ---- */

static void begin(ledger *l)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_config_faults faults;
    rc_config_faults_init(&faults);
    if (rc_config_parse(&l->config, rc_str_c(configuration), &alloc, &faults) != RC_OK)
        fail_msg("%u:%u: %s", faults.list[0].line, faults.list[0].column, faults.list[0].message);
    rc_prices_init(&l->prices);
    assert_int_equal(rc_budgets_init(&l->purse, &alloc), RC_OK);
    assert_int_equal(rc_budgets_load(&l->purse, &l->config, &l->prices, START, &l->edition, NULL),
                     RC_OK);
    fixture_init(&l->store);
    assert_true(fixture_open(&l->store, RC_STORE_WRITE));
    assert_true(rc_budgets_restore(&l->purse, &l->edition, l->store.store, START, &l->store.fault));
}

static void end(ledger *l)
{
    rc_budgets_snapshot_done(&l->edition);
    rc_budgets_done(&l->purse);
    rc_config_done(&l->config);
    fixture_done(&l->store);
}

/* As another process would begin, with what the store remembers. */
static void restart_and_compare(ledger *l, int64_t now)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_budgets purse;
    rc_budgets_snapshot edition;
    fixture_close(&l->store);
    assert_true(fixture_open(&l->store, RC_STORE_READ));
    assert_int_equal(rc_budgets_init(&purse, &alloc), RC_OK);
    assert_int_equal(rc_budgets_load(&purse, &l->config, &l->prices, now, &edition, NULL), RC_OK);
    assert_true(rc_budgets_restore(&purse, &edition, l->store.store, now, &l->store.fault));
    compare_budgets(l, &purse, &edition, now);
    rc_budgets_snapshot_done(&edition);
    rc_budgets_done(&purse);
}

static void test_everything_adds_up(void **state)
{
    (void)state;
    static ledger l;
    const int64_t step = (DAYS - 1) * DAY_MS / OPERATIONS;
    int64_t now = START;
    begin(&l);
    for (size_t i = 0; i < OPERATIONS; i++, now += step)
        operate(&l, i, now);
    /* the last tries began a little later */
    now += 5 * 60000;

    totals wanted = sum_of_tries(&l);
    assert_true(wanted.of[BY_ALL][0].cost > 1000000);
    assert_true(wanted.of[BY_DAY][0].cost > 0 && wanted.of[BY_DAY][3].cost > 0);
    totals kept = {0};
    assert_true(rc_store_daily_usage_since(l.store.store, 0, add_row, &kept, &l.store.fault));
    assert_memory_equal(&kept, &wanted, sizeof kept);

    compare_budgets(&l, &l.purse, &l.edition, now);
    checking c = {.l = &l};
    const rc_store_query all = {.is_oldest_first = true};
    assert_true(rc_store_list(l.store.store, &all, check_operation, &c, &l.store.fault));
    assert_int_equal(c.number, OPERATIONS);
    restart_and_compare(&l, now);
    end(&l);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_everything_adds_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
