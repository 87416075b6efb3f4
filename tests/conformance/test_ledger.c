/* Accounting test: random operations whose attempts succeed, fail, break off or are abandoned, at
 * several targets, over some days. Every total (by operation, client, route, target, key or day; in
 * the budgets, in the store and after a restart) must equal the sum of the attempts to the
 * millionth of a dollar. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "config/config.h"
#include "config/fault.h"
#include "config/prices/prices.h"
#include "dialect/usage.h"
#include "dialect/usage_charge.h"
#include "gateway/state/budgets.h"
#include "support/store_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define START INT64_C(1793404800000) /* 2026-10-31T00:00:00Z */
#define DAY_MS INT64_C(86400000)
#define DAYS 5 /* The period ends in November. */
#define OPERATIONS 1500
#define ATTEMPTS_MAX 4
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

/* One attempt with its true cost; all totals are compared with these. */
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
    attempt attempts[OPERATIONS * ATTEMPTS_MAX];
    size_t count;
    uint64_t outcomes[OPERATIONS]; /* Cost of the operation according to its outcome record. */
    rc_config config;
    rc_prices prices;
    rc_budgets budgets;
    rc_budgets_snapshot snapshot;
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

/* ---- attempts ---- */

static const char *const requests[] = {
    "{\"messages\":[{\"role\":\"user\",\"content\":\"How do you do?\"}]}",
    "{\"max_tokens\":300,\"messages\":[{\"role\":\"user\",\"content\":\"\\u4f60\"}]}",
    "{\"system\":\"Be brief.\",\"messages\":[],\"max_tokens\":64,\"n\":2}",
};

/* Random usage of an attempt: a complete count, a partial count or none. */
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

/* Reserves budget, runs an attempt and settles its cost; fills the attempt and its record. */
static void run_attempt(ledger *l, attempt *a, int64_t unix_ms, rc_record *record)
{
    rc_ledger_reservation hold;
    rc_ledger_notices notices;
    rc_budgets_attempt args = {
        .client = a->client,
        .route = a->route,
        .target = rc_str_c(targets[a->target]),
        .provider = &l->config.providers[a->target],
        .model = rc_str_c(models[a->target]),
        .request = rc_str_c(requests[random_below(COUNT(requests))]),
    };
    rc_ledger_decision decision =
        rc_budgets_reserve(&l->budgets, &l->snapshot, &args, unix_ms, &hold, &notices);
    assert_int_equal(decision.verdict, RC_LEDGER_GRANTED);
    rc_charge charge = charge_of(args.request);
    a->tokens_in = charge.input;
    a->tokens_out = charge.output;
    a->cost = rc_budgets_cost(&l->snapshot, &args, &charge);
    a->day = unix_ms / DAY_MS;
    rc_budgets_settle(&l->budgets, &hold, a->cost, &notices);
    record->unix_ms = unix_ms;
    record->target = args.target;
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

/* Appends the records, sometimes more than once, as happens when an acknowledgement is lost. */
static void append_records(ledger *l, const rc_record *records, size_t count)
{
    do
        assert_true(fixture_append(&l->store, records, count));
    while (random_below(4) == 0);
}

static void operate(ledger *l, size_t number, int64_t unix_ms)
{
    rc_record records[ATTEMPTS_MAX + 2];
    attempt a = {.operation = number,
                 .client = (size_t)random_below(CLIENTS),
                 .route = (size_t)random_below(ROUTES)};
    rc_id id = fixture_id(&l->store, unix_ms);
    uint32_t seq = 0;
    fill(&records[seq], RC_RECORD_BEGIN, &id, seq, &a, unix_ms);
    seq++;
    for (size_t left = 1 + (size_t)random_below(ATTEMPTS_MAX); left > 0; left--) {
        a.target = (size_t)random_below(TARGETS);
        a.key = (size_t)random_below(KEYS);
        unix_ms += (int64_t)random_below(60000);
        fill(&records[seq], RC_RECORD_ATTEMPT, &id, seq, &a, unix_ms);
        run_attempt(l, &a, unix_ms, &records[seq]);
        l->attempts[l->count++] = a;
        l->outcomes[number] += a.cost;
        seq++;
    }
    fill(&records[seq], RC_RECORD_OUTCOME, &id, seq, &a, unix_ms);
    records[seq].outcome = RC_OUTCOME_SUCCEEDED;
    records[seq].cost_usd_micro = l->outcomes[number];
    seq++;
    /* All records are stored at once, or the first one is stored before the others. */
    uint32_t first = random_below(3) == 0 ? 1 : seq;
    append_records(l, records, first);
    if (first < seq)
        append_records(l, records + first, seq - first);
}

/* ---- totals ---- */

/* The properties of an attempt by which costs are summed. */
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

#define VALUES_MAX 8

typedef struct totals {
    total of[DIMENSIONS][VALUES_MAX];
} totals;

static void add(totals *t, dimension by, size_t index, const total *more)
{
    assert_true(index < VALUES_MAX);
    total *sum = &t->of[by][index];
    sum->tokens_in += more->tokens_in;
    sum->tokens_out += more->tokens_out;
    sum->cost += more->cost;
}

static void add_all(totals *t, const size_t indexes[BY_ALL], const total *more)
{
    for (unsigned by = 0; by < BY_ALL; by++)
        add(t, (dimension)by, indexes[by], more);
    add(t, BY_ALL, 0, more);
}

static totals sum_of_attempts(const ledger *l)
{
    totals t = {0};
    for (size_t i = 0; i < l->count; i++) {
        const attempt *a = &l->attempts[i];
        const size_t indexes[BY_ALL] = {a->client, a->route, a->target, a->key,
                                        (size_t)(a->day - START / DAY_MS)};
        const total more = {a->tokens_in, a->tokens_out, a->cost};
        add_all(&t, indexes, &more);
    }
    return t;
}

static size_t index_of(const char *const *names, size_t count, rc_str name)
{
    for (size_t i = 0; i < count; i++)
        if (rc_str_eq(name, rc_str_c(names[i])))
            return i;
    fail_msg("an unknown name: %.*s", (int)name.len, name.ptr);
    return 0;
}

static bool add_row(void *ctx, const rc_store_daily_usage *s)
{
    const size_t indexes[BY_ALL] = {
        index_of(clients, CLIENTS, s->client), index_of(routes, ROUTES, s->route),
        index_of(targets, TARGETS, s->target), index_of(keys, KEYS, s->credential),
        (size_t)(s->day - START / DAY_MS)};
    const total more = {s->tokens_in, s->tokens_out, s->cost_usd_micro};
    add_all(ctx, indexes, &more);
    return true;
}

static uint64_t spent_of(ledger *l, rc_budgets *budgets, const rc_budgets_snapshot *snapshot,
                         const char *scope, int64_t now)
{
    rc_ledger_state state;
    (void)l;
    assert_true(rc_ledger_get_state(&budgets->ledger, rc_budgets_find(snapshot, rc_str_c(scope)),
                                    now, &state));
    assert_int_equal(state.held, 0);
    return state.spent;
}

/* Sums the cost of the attempts from a day on, optionally of one client, route or target. */
static uint64_t cost_where(const ledger *l, int64_t from_day, size_t client, size_t route,
                           const char *target)
{
    uint64_t cost = 0;
    for (size_t i = 0; i < l->count; i++) {
        const attempt *a = &l->attempts[i];
        if (a->day >= from_day && (client == SIZE_MAX || a->client == client) &&
            (route == SIZE_MAX || a->route == route) &&
            (target == NULL || strncmp(targets[a->target], target, strlen(target)) == 0))
            cost += a->cost;
    }
    return cost;
}

static void compare_budgets(ledger *l, rc_budgets *budgets, const rc_budgets_snapshot *snapshot,
                            int64_t now)
{
    const int64_t november = START / DAY_MS + 1;
    char scope[32];
    for (size_t i = 0; i < CLIENTS; i++) {
        snprintf(scope, sizeof scope, "client %s", clients[i]);
        assert_int_equal(spent_of(l, budgets, snapshot, scope, now),
                         cost_where(l, november, i, SIZE_MAX, NULL));
    }
    for (size_t i = 0; i < ROUTES; i++) {
        snprintf(scope, sizeof scope, "route %s", routes[i]);
        assert_int_equal(spent_of(l, budgets, snapshot, scope, now),
                         cost_where(l, november, SIZE_MAX, i, NULL));
    }
    assert_int_equal(spent_of(l, budgets, snapshot, "budget day", now),
                     cost_where(l, now / DAY_MS, SIZE_MAX, SIZE_MAX, NULL));
    assert_int_equal(spent_of(l, budgets, snapshot, "budget ever", now),
                     cost_where(l, 0, SIZE_MAX, SIZE_MAX, NULL));
    assert_int_equal(spent_of(l, budgets, snapshot, "budget claude", now),
                     cost_where(l, 0, SIZE_MAX, SIZE_MAX, "claude/"));
}

/* ---- operations in the store ---- */

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
    assert_int_equal(rc_budgets_init(&l->budgets, &alloc), RC_OK);
    assert_int_equal(
        rc_budgets_load(&l->budgets, &l->config, &l->prices, START, &l->snapshot, NULL), RC_OK);
    fixture_init(&l->store);
    assert_true(fixture_open(&l->store, RC_STORE_WRITE));
    assert_true(
        rc_budgets_restore(&l->budgets, &l->snapshot, l->store.store, START, &l->store.fault));
}

static void end(ledger *l)
{
    rc_budgets_snapshot_done(&l->snapshot);
    rc_budgets_done(&l->budgets);
    rc_config_done(&l->config);
    fixture_done(&l->store);
}

/* Restores the budgets from the store, as a new process does, and compares them. */
static void restart_and_compare(ledger *l, int64_t now)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_budgets budgets;
    rc_budgets_snapshot snapshot;
    fixture_close(&l->store);
    assert_true(fixture_open(&l->store, RC_STORE_READ));
    assert_int_equal(rc_budgets_init(&budgets, &alloc), RC_OK);
    assert_int_equal(rc_budgets_load(&budgets, &l->config, &l->prices, now, &snapshot, NULL),
                     RC_OK);
    assert_true(rc_budgets_restore(&budgets, &snapshot, l->store.store, now, &l->store.fault));
    compare_budgets(l, &budgets, &snapshot, now);
    rc_budgets_snapshot_done(&snapshot);
    rc_budgets_done(&budgets);
}

static void test_all_totals_equal_the_sum_of_attempts(void **state)
{
    (void)state;
    static ledger l;
    const int64_t step = (DAYS - 1) * DAY_MS / OPERATIONS;
    int64_t now = START;
    begin(&l);
    for (size_t i = 0; i < OPERATIONS; i++, now += step)
        operate(&l, i, now);
    /* The last attempts begin up to a few minutes after their operation. */
    now += 5 * 60000;

    totals wanted = sum_of_attempts(&l);
    assert_true(wanted.of[BY_ALL][0].cost > 1000000);
    assert_true(wanted.of[BY_DAY][0].cost > 0 && wanted.of[BY_DAY][3].cost > 0);
    totals stored = {0};
    assert_true(rc_store_daily_usage_since(l.store.store, 0, add_row, &stored, &l.store.fault));
    assert_memory_equal(&stored, &wanted, sizeof stored);

    compare_budgets(&l, &l.budgets, &l.snapshot, now);
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
        cmocka_unit_test(test_all_totals_equal_the_sum_of_attempts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
