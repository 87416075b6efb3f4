/* Measures the cost of a decision: calls with the preset transport over three targets that share a
 * retry budget, breakers, cooldowns and key pools, in virtual time. One input with its action is
 * one decision.
 *
 * CPU time of this thread; the paths are interleaved, the median of the rounds counts. */
#include <recourse/recourse.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define ROUNDS 31
#define CALLS 20000
#define GOAL_PER_S 5e6
#define TARGETS 3
#define CREDENTIALS 4
#define WAITING 64

typedef struct bench {
    rc_shared shared;
    rc_target targets[TARGETS];
    rc_credential credentials[CREDENTIALS];
    rc_chain_entry entries[TARGETS];
    rc_plan plan;
    rc_queue queue;
    rc_rate_limits learned[TARGETS][CREDENTIALS];
    uint64_t memory[WAITING * 32];
    uint64_t now_ms;
    uint64_t entropy;
    uint64_t decisions;
    uint64_t unexpected; /* Actions of an unexpected kind. */
} bench;

static void init(bench *b, uint16_t chain_count)
{
    *b = (bench){.now_ms = 1000, .entropy = 42};
    rc_shared_settings settings = rc_shared_settings_default();
    settings.retry_budget.ratio_milli = 5000; /* The budget is never empty, so it counts retries
                                               * without limiting them. */
    rc_shared_init(&b->shared, &settings, b->targets, TARGETS, b->credentials, CREDENTIALS,
                   b->now_ms);
    rc_shared_set_pool(&b->shared, 0, 0, 2, NULL);
    rc_shared_set_pool(&b->shared, 1, 2, 2, NULL);
    for (uint16_t i = 0; i < TARGETS; i++)
        b->entries[i] = (rc_chain_entry){.target = i, .capabilities = UINT32_MAX};
    b->plan = (rc_plan){.policy = rc_policy_preset(RC_STR("transport")),
                        .entries = b->entries,
                        .entry_count = TARGETS,
                        .chain_count = chain_count,
                        .overflow_to = RC_NO_TARGET};
}

static uint64_t next_entropy(bench *b)
{
    b->entropy = b->entropy * 6364136223846793005u + 1442695040888963407u;
    return b->entropy;
}

static void count(bench *b, const rc_action *action, rc_action_kind expected)
{
    b->decisions++;
    b->unexpected += action->kind != expected;
}

static void begin(bench *b, rc_call *call)
{
    b->now_ms += 10;
    rc_call_options options = {.deadline_at_ms = b->now_ms + 600000};
    rc_call_init(call, &b->plan, &b->shared, &options, b->now_ms);
    rc_action action = rc_call_begin(call, b->now_ms, next_entropy(b));
    count(b, &action, RC_DO_TRY);
}

static void succeed(bench *b, rc_call *call)
{
    rc_action action = rc_call_on_success(call, b->now_ms);
    count(b, &action, RC_DO_DELIVER);
}

static rc_action fail(bench *b, rc_call *call, rc_code code, rc_action_kind expected)
{
    rc_failure_facts why = rc_failure_facts_of_code(code);
    rc_action action = rc_call_on_failure(call, &why, b->now_ms, next_entropy(b));
    count(b, &action, expected);
    return action;
}

static void run_success(bench *b)
{
    rc_call call;
    begin(b, &call);
    succeed(b, &call);
}

/* A call with two waits of the backoff, then success. */
static void run_wait(bench *b)
{
    rc_call call;
    begin(b, &call);
    for (int i = 0; i < 2; i++) {
        rc_action wait = fail(b, &call, RC_CODE_CONFLICT, RC_DO_WAIT);
        b->now_ms = wait.at_ms;
        rc_action action = rc_call_on_wake(&call, b->now_ms, next_entropy(b));
        count(b, &action, RC_DO_TRY);
    }
    succeed(b, &call);
}

/* A call with a switch to another key, a switch to another target, then success. */
static void run_switch(bench *b)
{
    rc_call call;
    begin(b, &call);
    fail(b, &call, RC_CODE_RATE_LIMITED, RC_DO_TRY);
    fail(b, &call, RC_CODE_RATE_LIMITED, RC_DO_TRY);
    succeed(b, &call);
    b->now_ms += 6000; /* Longer than the cooldown of the keys. */
}

/* Adds the waiting queue and learned limits. */
static void add_queue(bench *b)
{
    rc_queue_settings settings = rc_queue_settings_default();
    rc_queue_init(&b->queue, &settings, b->memory, WAITING);
    rc_shared_set_queue(&b->shared, &b->queue, NULL);
    for (uint16_t i = 0; i < TARGETS; i++) {
        for (uint16_t k = 0; k < CREDENTIALS; k++)
            rc_rate_limits_init(&b->learned[i][k]);
        rc_shared_set_learned(&b->shared, i, b->learned[i]);
    }
}

/* A call with learned limits, whose response states the limit. */
static void run_learned(bench *b)
{
    rc_call call;
    rc_limit_facts facts = {
        .count = 1,
        .list = {{.axis = RC_LIMIT_REQUESTS, .limit = 1000, .remaining = 900, .reset_ms = 1000}}};
    if (b->shared.queue == NULL)
        add_queue(b);
    begin(b, &call);
    rc_call_on_limits(&call, &facts, b->now_ms);
    succeed(b, &call);
}

/* A call that waits in the queue until its target opens. */
static void run_queued(bench *b)
{
    rc_call call;
    if (b->shared.queue == NULL)
        add_queue(b);
    b->now_ms += 10;
    rc_shared_cool_down_target(&b->shared, 0, b->now_ms + 5);
    rc_call_options options = {.deadline_at_ms = b->now_ms + 600000, .client = b->decisions};
    rc_call_init(&call, &b->plan, &b->shared, &options, b->now_ms);
    rc_action action = rc_call_begin(&call, b->now_ms, next_entropy(b));
    count(b, &action, RC_DO_WAIT);
    b->now_ms += 5;
    rc_shared_run_queue(&b->shared, b->now_ms, next_entropy(b));
    action = rc_call_on_wake(&call, b->now_ms, next_entropy(b));
    count(b, &action, RC_DO_TRY);
    succeed(b, &call);
}

/* The end of a call with no attempts left. */
static void run_stop(bench *b)
{
    rc_call call;
    begin(b, &call);
    fail(b, &call, RC_CODE_INVALID_REQUEST, RC_DO_STOP);
}

typedef struct path {
    const char *name;
    void (*run)(bench *b);
    uint16_t chain_count;
    double per_s[ROUNDS];
} path;

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return (x > y) - (x < y);
}

int main(void)
{
    path paths[] = {
        {"begin, success", run_success, 3, {0}},
        {"failure, wait, wake", run_wait, 1, {0}},
        {"failure, switch", run_switch, 3, {0}},
        {"failure, stop", run_stop, 3, {0}},
        {"learned limits, success", run_learned, 3, {0}},
        {"queued, woken, success", run_queued, 1, {0}},
    };
    const size_t path_count = sizeof paths / sizeof *paths;
    uint64_t unexpected = 0;
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < path_count; i++) {
            bench b;
            init(&b, paths[i].chain_count);
            double start = now_s();
            for (size_t call = 0; call < CALLS; call++)
                paths[i].run(&b);
            paths[i].per_s[round] = (double)b.decisions / (now_s() - start);
            unexpected += b.unexpected;
        }
    }

    bool is_met = true;
    printf("\nDecisions on one core (CPU time, median of %d rounds; rc_call is %zu bytes)\n\n",
           ROUNDS, sizeof(rc_call));
    printf("%-24s %10s %10s\n", "", "M/s", "ns");
    for (size_t i = 0; i < path_count; i++) {
        qsort(paths[i].per_s, ROUNDS, sizeof(double), compare);
        double per_s = paths[i].per_s[ROUNDS / 2];
        is_met = is_met && per_s >= GOAL_PER_S;
        printf("%-24s %10.1f %10.0f\n", paths[i].name, per_s / 1e6, 1e9 / per_s);
    }
    printf("\ngoal: at least %.0f million a second on every path: %s\n", GOAL_PER_S / 1e6,
           is_met ? "met" : "MISSED");
    if (unexpected > 0)
        printf("%llu decisions were of another kind\n", (unsigned long long)unexpected);
    return unexpected > 0;
}
