/* A model of the whole admission: calls with the waiting queue, learned rate limits and shared
 * credentials receive random results, hints, limits, clock jumps, cancels, reloads and growth. The
 * model ends the program when an invariant does not hold:
 *
 *   A1  no attempt starts at a target or with a credential before the time that its provider named
 *   A2  probes of a target that is DOWN start at least MODEL_PROBE_GAP_MS after each other
 *   A3  after each input, no waiting call has an open target, and the queue has a time for its next
 *       run that is not later than the time at which the first call must leave
 *   A4  a clock that moves backwards changes no wait
 *   A5  at the end of its deadline each call has ended: nothing is stuck
 *   A6  all parts are valid after each input
 *
 * Used by fuzz_admission and test_admission_histories.c. */
#ifndef RC_SUPPORT_ADMISSION_MODEL_H
#define RC_SUPPORT_ADMISSION_MODEL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <recourse/call.h>

#include "support/call_model.h"

#define ADMISSION_TARGETS 3u
#define ADMISSION_KEYS 4u
#define ADMISSION_CALLS 12u
#define ADMISSION_QUEUE 8u
#define ADMISSION_GROWN 16u
#define MODEL_PROBE_GAP_MS 400u

typedef struct admission_call {
    rc_call call;
    bool is_used;
    bool is_woken; /* the queue has notified the owner */
    rc_action last;
    uint64_t deadline_ms;
} admission_call;

typedef struct admission_model {
    rc_shared shared;
    rc_target targets[ADMISSION_TARGETS];
    rc_target more_targets[ADMISSION_TARGETS];
    rc_credential credentials[ADMISSION_KEYS];
    rc_credential more_credentials[ADMISSION_KEYS];
    rc_credential limits[ADMISSION_TARGETS][ADMISSION_KEYS];
    rc_rate_limits learned[ADMISSION_TARGETS][ADMISSION_KEYS];
    rc_queue queue;
    uint64_t memory[2][ADMISSION_GROWN * 32];
    rc_policy policy;
    rc_chain_entry entries[ADMISSION_TARGETS];
    rc_plan plan;
    admission_call calls[ADMISSION_CALLS];
    uint64_t now_ms;  /* the clock, which may move backwards */
    uint64_t last_ms; /* latest time that was passed */
    uint64_t run_at_ms;
    uint64_t target_hint_ms[ADMISSION_TARGETS];
    uint64_t key_hint_ms[ADMISSION_TARGETS][ADMISSION_KEYS]; /* by target */
    uint64_t account_hint_ms[ADMISSION_KEYS];                /* at all targets */
    uint64_t probed_ms[ADMISSION_TARGETS];                   /* start of the latest probe */
    uint64_t histories;                                      /* calls that ended */
} admission_model;

static inline void admission_on_wake(void *ctx, void *owner)
{
    (void)ctx;
    ((admission_call *)owner)->is_woken = true;
}

static inline void admission_on_run_at(void *ctx, uint64_t at_ms)
{
    ((admission_model *)ctx)->run_at_ms = at_ms;
}

static inline void admission_set_pools(admission_model *m, entropy_source *c)
{
    for (uint16_t i = 0; i < ADMISSION_TARGETS; i++) {
        uint16_t count = (uint16_t)(i == 2 ? 0 : 2);
        rc_shared_set_pool(&m->shared, i, i == 1 ? 1 : 0, count, draw(c, 2) ? m->limits[i] : NULL);
        for (uint32_t k = 0; k < ADMISSION_KEYS; k++)
            rc_rate_limits_init(&m->learned[i][k]);
        if (draw(c, 4) != 0) /* otherwise `learn: off` */
            rc_shared_set_learned(&m->shared, i, m->learned[i]);
    }
}

static inline void admission_init(admission_model *m, entropy_source *c)
{
    memset(m, 0, sizeof *m);
    m->now_ms = m->last_ms = 1000 + draw(c, 1000);
    m->run_at_ms = RC_UNLIMITED;
    m->policy = *rc_policy_preset(RC_STR("transport"));
    rc_shared_settings settings = rc_shared_settings_default();
    settings.retry_budget.burst = draw(c, 2) * 100;
    settings.cooldown_ms = draw(c, 4000);
    settings.exhausted_ms = 1000 + draw(c, 20000);
    rc_shared_init(&m->shared, &settings, m->targets, ADMISSION_TARGETS, m->credentials,
                   ADMISSION_KEYS, m->now_ms);
    admission_set_pools(m, c);
    rc_queue_settings waiting = rc_queue_settings_default();
    waiting.max_waiting = 1 + draw(c, 12);
    waiting.quantum = draw(c, 4);
    rc_queue_init(&m->queue, &waiting, m->memory[0], ADMISSION_QUEUE);
    rc_queue_owner owner = {.ctx = m, .wake = admission_on_wake, .run_at = admission_on_run_at};
    rc_shared_set_queue(&m->shared, &m->queue, &owner);
    for (uint16_t i = 0; i < ADMISSION_TARGETS; i++)
        m->entries[i] = (rc_chain_entry){.target = (uint16_t)((i + draw(c, 3)) % ADMISSION_TARGETS),
                                         .capabilities = UINT32_MAX};
    m->plan = (rc_plan){.policy = &m->policy,
                        .entries = m->entries,
                        .entry_count = ADMISSION_TARGETS,
                        .chain_count = (uint16_t)(1 + draw(c, ADMISSION_TARGETS)),
                        .is_failover_last = draw(c, 4) == 0,
                        .overflow_to = RC_NO_TARGET};
}

/* --- invariants --- */

static inline void admission_check_attempt(admission_model *m, const admission_call *w,
                                           const rc_action *a)
{
    const rc_target *target = &m->shared.targets[a->target];
    INVARIANT(m->last_ms >= m->target_hint_ms[a->target]); /* A1 */
    if (a->credential != RC_NO_TARGET) {
        INVARIANT(m->last_ms >= m->key_hint_ms[a->target][a->credential]);
        INVARIANT(m->last_ms >= m->account_hint_ms[a->credential]);
    }
    uint64_t began_ms = w->call.attempt.at_ms;
    if (target->admission.state != RC_ADMISSION_DOWN || !w->call.may_queue ||
        began_ms <= target->admission.down_at_ms)
        return; /* not a probe: the attempt began before the target was DOWN */
    INVARIANT(m->probed_ms[a->target] == 0 ||
              began_ms - m->probed_ms[a->target] >= MODEL_PROBE_GAP_MS); /* A2 */
    m->probed_ms[a->target] = began_ms;
}

static inline void admission_take(admission_model *m, admission_call *w, rc_action a)
{
    INVARIANT(rc_call_validate(&w->call));
    bool is_new = a.kind != w->last.kind || a.attempt != w->last.attempt;
    if (a.kind == RC_DO_TRY && is_new)
        admission_check_attempt(m, w, &a);
    if (a.kind == RC_DO_WAIT)
        INVARIANT(a.at_ms < w->deadline_ms);
    m->histories += is_final(&a) && !is_final(&w->last);
    w->last = a;
}

/* Continues the calls that the queue has granted or refused. */
static inline void admission_wake_calls(admission_model *m, entropy_source *c)
{
    for (uint32_t i = 0; i < ADMISSION_CALLS; i++) {
        admission_call *w = &m->calls[i];
        if (!w->is_used || !w->is_woken)
            continue;
        w->is_woken = false;
        admission_take(m, w, rc_call_on_wake(&w->call, m->now_ms, draw_entropy(c)));
        if (m->now_ms < m->last_ms)
            rc_shared_run_queue(&m->shared, m->last_ms, 1);
        i = UINT32_MAX; /* the input may have granted another call */
    }
}

static inline void admission_check(admission_model *m, entropy_source *c)
{
    /* The clock moved backwards, so that the queue has run at an earlier time; or a bucket opens
     * within the millisecond to which its time was rounded up. */
    if (m->now_ms < m->last_ms || m->shared.queue_run_at_ms <= m->last_ms + 1)
        rc_shared_run_queue(&m->shared, m->last_ms, 1);
    admission_wake_calls(m, c);
    INVARIANT(rc_shared_validate(&m->shared)); /* A6 */
    INVARIANT(rc_queue_validate(&m->queue));
    for (uint32_t i = 0; i < ADMISSION_TARGETS; i++) {
        INVARIANT(rc_admission_validate(&m->shared.targets[i].admission));
        if (m->shared.targets[i].admission.state != RC_ADMISSION_DOWN)
            m->probed_ms[i] = 0;
        for (uint32_t k = 0; k < ADMISSION_KEYS; k++)
            INVARIANT(rc_rate_limits_validate(&m->learned[i][k]));
    }
    uint32_t waiting = m->queue.count;
    rc_shared_run_queue(&m->shared, m->last_ms, 1); /* A3 */
    INVARIANT(m->queue.count == waiting);
    INVARIANT(waiting == 0 || (m->shared.queue_run_at_ms > m->last_ms &&
                               m->shared.queue_run_at_ms <= rc_queue_next_ms(&m->queue)));
    uint32_t queued = 0;
    for (uint32_t i = 0; i < ADMISSION_CALLS; i++)
        queued += m->calls[i].is_used && m->calls[i].last.kind == RC_DO_WAIT &&
                  m->calls[i].last.is_queued;
    INVARIANT(queued == waiting);
}

/* --- inputs --- */

static inline uint64_t later_ms(uint64_t a_ms, uint64_t b_ms)
{
    return a_ms > b_ms ? a_ms : b_ms;
}

/* Records until when the retry time of a failure forbids attempts. */
static inline void admission_note_hint(admission_model *m, const admission_call *w,
                                       const rc_failure_facts *failure)
{
    uint16_t target = w->last.target;
    uint16_t key = w->last.credential;
    if (failure->retry_after_ms <= 0)
        return;
    /* A call's own clock never moves backwards. */
    uint64_t until_ms = later_ms(m->now_ms, w->call.now_ms) + (uint64_t)failure->retry_after_ms;
    bool is_of_model = failure->limit_kind == RC_LIMIT_KIND_CONCURRENCY ||
                       failure->limit_kind == RC_LIMIT_KIND_MODEL_CAPACITY;
    bool is_of_key = failure->code == RC_CODE_RATE_LIMITED && !is_of_model;
    if (is_of_key && key != RC_NO_TARGET && m->shared.targets[target].limits != NULL)
        m->key_hint_ms[target][key] = later_ms(m->key_hint_ms[target][key], until_ms);
    else if (is_of_key && key != RC_NO_TARGET)
        m->account_hint_ms[key] = later_ms(m->account_hint_ms[key], until_ms);
    else
        m->target_hint_ms[target] = later_ms(m->target_hint_ms[target], until_ms);
}

static inline rc_failure_facts admission_failure(entropy_source *c)
{
    static const rc_code codes[] = {RC_CODE_RATE_LIMITED,     RC_CODE_OVERLOADED,
                                    RC_CODE_PROVIDER_5XX,     RC_CODE_NETWORK_TIMEOUT,
                                    RC_CODE_CONNECTION_RESET, RC_CODE_CONNECTION_FAILED};
    static const int64_t hints[] = {-1, -1, -1, 0, 700, 5000, 90000};
    rc_failure_facts failure = rc_failure_facts_of_code(codes[draw(c, 6)]);
    failure.retry_after_ms = hints[draw(c, 7)];
    if (failure.code == RC_CODE_RATE_LIMITED)
        failure.limit_kind = draw(c, 2) ? RC_LIMIT_KIND_REQUESTS : RC_LIMIT_KIND_CONCURRENCY;
    return failure;
}

static inline void admission_begin(admission_model *m, admission_call *w, entropy_source *c)
{
    uint64_t deadline_ms = m->last_ms + 1 + draw(c, 60000);
    memset(w, 0, sizeof *w);
    w->is_used = true;
    w->deadline_ms = deadline_ms;
    rc_call_options options = {.deadline_at_ms = deadline_ms,
                               .client = draw(c, 4),
                               .bytes = draw(c, 1000),
                               .never_queues = draw(c, 8) == 0, /* `wait: off` */
                               .max_wait_ms = draw(c, 2) * 20000,
                               .tokens_in = draw(c, 2000),
                               .tokens_out = draw(c, 500),
                               .owner = w};
    rc_call_init(&w->call, &m->plan, &m->shared, &options, m->last_ms);
    admission_take(m, w, rc_call_begin(&w->call, m->now_ms, draw_entropy(c)));
}

static inline void admission_end_attempt(admission_model *m, admission_call *w, entropy_source *c)
{
    uint32_t what = draw(c, 8);
    if (what == 0) { /* the headers of a response, which may be wrong */
        rc_limit_facts facts = {.count = 1};
        facts.list[0] = (rc_limit_fact){.axis = (rc_limit_axis)draw(c, 5),
                                        .limit = (int64_t)draw(c, 50) - 1,
                                        .remaining = (int64_t)draw(c, 60) - 2,
                                        .reset_ms = (int64_t)draw(c, 20000) - 1};
        rc_call_on_limits(&w->call, &facts, m->now_ms);
        return;
    }
    if (what <= 3) {
        admission_take(m, w, rc_call_on_success(&w->call, m->now_ms));
        return;
    }
    rc_failure_facts failure = admission_failure(c);
    admission_note_hint(m, w, &failure);
    admission_take(m, w, rc_call_on_failure(&w->call, &failure, m->now_ms, draw_entropy(c)));
}

/* A reload, an operator's action, or growth. Actions of operators end hints. */
static inline void admission_environment(admission_model *m, entropy_source *c)
{
    uint16_t target = (uint16_t)draw(c, ADMISSION_TARGETS);
    rc_shared_settings settings = m->shared.settings;
    rc_queue_settings waiting = m->queue.settings;
    switch (draw(c, 6)) {
    case 0:
        rc_shared_set_service(&m->shared, target, draw(c, 2));
        break;
    case 1:
        rc_shared_clear_target(&m->shared, target, m->last_ms);
        m->target_hint_ms[target] = 0;
        m->probed_ms[target] = 0;
        memset(m->key_hint_ms[target], 0, sizeof m->key_hint_ms[target]);
        break;
    case 2:
        settings.cooldown_ms = draw(c, 4000);
        rc_shared_set_settings(&m->shared, &settings, m->last_ms);
        break;
    case 3:
        waiting.max_waiting = 1 + draw(c, 12);
        rc_queue_set_settings(&m->queue, &waiting);
        break;
    case 4:
        if (m->queue.capacity == ADMISSION_QUEUE)
            rc_queue_grow(&m->queue, m->memory[1], ADMISSION_GROWN);
        break;
    default:
        if (m->shared.targets == m->targets)
            rc_shared_grow(&m->shared, m->more_targets, ADMISSION_TARGETS, m->more_credentials,
                           ADMISSION_KEYS, m->last_ms);
        break;
    }
    rc_shared_run_queue(&m->shared, m->last_ms, 1);
}

static inline void admission_set_clock(admission_model *m, uint64_t now_ms)
{
    m->now_ms = now_ms;
    m->last_ms = later_ms(m->last_ms, now_ms);
}

static inline void admission_move_clock(admission_model *m, entropy_source *c)
{
    uint32_t what = draw(c, 16);
    if (what == 0) /* backwards */
        m->now_ms -= draw(c, (uint32_t)(m->now_ms < 60000 ? m->now_ms : 60000));
    else if (what == 1)
        admission_set_clock(m, m->last_ms + draw(c, 30000));
    else if (what < 8)
        admission_set_clock(m, m->last_ms + draw(c, 200));
    else if (m->shared.queue_run_at_ms != RC_UNLIMITED)
        admission_set_clock(m, later_ms(m->last_ms, m->shared.queue_run_at_ms));
    if (m->shared.queue_run_at_ms <= m->now_ms)
        rc_shared_run_queue(&m->shared, m->now_ms, 1);
}

static inline void admission_step(admission_model *m, entropy_source *c)
{
    admission_call *w = &m->calls[draw(c, ADMISSION_CALLS)];
    uint32_t what = draw(c, 32);
    rc_action before = w->last;
    if (what < 6)
        admission_move_clock(m, c);
    else if (what == 6)
        admission_environment(m, c);
    else if (!w->is_used || is_final(&w->last))
        admission_begin(m, w, c);
    else if (what == 7)
        admission_take(m, w, rc_call_on_cancel(&w->call, m->now_ms));
    else if (w->last.kind == RC_DO_TRY)
        admission_end_attempt(m, w, c);
    else if (w->last.kind == RC_DO_WAIT) {
        if (!w->last.is_queued && what < 20)
            admission_set_clock(m, later_ms(m->last_ms, w->last.at_ms));
        rc_action a = rc_call_on_wake(&w->call, m->now_ms, draw_entropy(c));
        if (m->now_ms < m->last_ms && m->last_ms < before.at_ms && !w->is_woken)
            INVARIANT(a.kind == RC_DO_WAIT && a.at_ms == before.at_ms); /* A4 */
        w->is_woken = false;
        admission_take(m, w, a);
    }
    admission_check(m, c);
}

/* Lets the time pass until every call has ended. */
static inline void admission_end(admission_model *m, entropy_source *c)
{
    for (uint32_t i = 0; i < ADMISSION_CALLS; i++) {
        admission_call *w = &m->calls[i];
        while (w->is_used && !is_final(&w->last)) {
            uint64_t next_ms = w->last.kind == RC_DO_WAIT ? w->last.at_ms : m->last_ms;
            INVARIANT(w->last.kind == RC_DO_TRY || next_ms < w->deadline_ms); /* A5 */
            admission_set_clock(m, later_ms(m->last_ms, next_ms));
            if (w->last.kind == RC_DO_TRY)
                admission_take(m, w, rc_call_on_cancel(&w->call, m->now_ms));
            else
                admission_take(m, w, rc_call_on_wake(&w->call, m->now_ms, draw_entropy(c)));
            w->is_woken = false;
            admission_check(m, c);
        }
    }
    INVARIANT(m->queue.count == 0);
    for (uint32_t i = 0; i < ADMISSION_TARGETS; i++) {
        INVARIANT(m->shared.targets[i].admission.in_flight == 0);
        INVARIANT(m->shared.targets[i].limiter.in_flight == 0);
    }
}

#endif
