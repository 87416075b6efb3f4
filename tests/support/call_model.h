/* A model of rc_call. Several calls share three targets and receive random responses, failures,
 * waits and operator actions. The model records inputs and outputs, and ends the program when one
 * of the invariants C1 to C8 of call.h does not hold.
 *
 * The model does not predict the decisions of rc_call; it only checks that no forbidden decision is
 * made. */
#ifndef RC_TEST_CALL_MODEL_H
#define RC_TEST_CALL_MODEL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <recourse/call.h>

#define MODEL_TARGETS 3
#define MODEL_CREDENTIALS 4
#define MODEL_CALLS 3

static inline void model_check(bool is_held, const char *condition, int line)
{
    if (is_held)
        return;
    fprintf(stderr, "call_model.h:%d: not so: %s\n", line, condition);
    abort();
}

#define INVARIANT(condition) model_check((condition), #condition, __LINE__)

/* A source of random numbers: the bytes of a fuzzer, or a generator with a seed. */
typedef struct entropy_source {
    const uint8_t *bytes; /* the fuzzer's bytes; NULL: the numbers are generated from `seed` */
    size_t size;
    uint64_t seed;
} entropy_source;

static inline uint32_t draw(entropy_source *c, uint32_t below)
{
    if (!c->bytes) {
        c->seed ^= c->seed << 13;
        c->seed ^= c->seed >> 7;
        c->seed ^= c->seed << 17;
        return (uint32_t)((c->seed >> 32) * below >> 32);
    }
    uint32_t value = 0;
    for (uint32_t reach = 1; reach < below && c->size > 0; reach <<= 8, c->size--) {
        value = value << 8 | *c->bytes++;
        if (reach >= 1u << 24)
            break;
    }
    return value % below;
}

static inline uint64_t draw_entropy(entropy_source *c)
{
    return draw(c, 65536) * UINT64_C(0x9e3779b97f4a7c15);
}

/* The facts by which the model checks one call. */
typedef struct tracked_call {
    rc_call call;
    rc_skips skips;
    bool is_used;
    rc_action last;
    rc_failure_facts failure; /* facts of the latest failure */
    bool has_failed;          /* the latest input was a failure, and the call was in the state
                                 TRYING */
    uint64_t deadline_ms;
    uint16_t first_entry;
    uint32_t calls;
    uint32_t attempts[MODEL_TARGETS];      /* number of attempts, by chain entry */
    uint32_t seen;                         /* bit set of the entries that had an attempt in this
                                              round */
    uint32_t spent;                        /* bit set of the entries whose failure had the category
                                              capacity */
    uint64_t hint_until_ms[MODEL_TARGETS]; /* end of the retry time that a failure named, by chain
                                              entry */
    bool is_committed;
    bool is_refreshed; /* the credential of the current entry was refreshed */
    bool went_to_larger;
    bool is_key_probe; /* the latest attempt used a credential that had been rejected */
} tracked_call;

typedef struct model {
    rc_shared shared;
    rc_target targets[MODEL_TARGETS];
    rc_credential credentials[MODEL_CREDENTIALS];
    rc_credential limits[MODEL_TARGETS][MODEL_CREDENTIALS];
    rc_policy policy;
    rc_chain_entry entries[MODEL_TARGETS];
    rc_plan plan;
    tracked_call calls[MODEL_CALLS];
    uint64_t now_ms;
    uint64_t hinted_until_ms[MODEL_TARGETS]; /* end of the retry time that applies to all calls, by
                                                target */
    uint64_t extra_calls;
    uint64_t tokens; /* number of tokens that the retry budget had at the start; valid only if the
                        budget gains none */
} model;

/* --- a random world --- */

static inline rc_retry_rule random_rule(entropy_source *c)
{
    static const uint64_t caps[] = {RC_UNLIMITED, 60000, 3000};
    rc_retry_rule rule = {.max_attempts = 1 + draw(c, 4),
                          .backoff = (rc_backoff)(1 + draw(c, 3)),
                          .jitter = (rc_jitter)(1 + draw(c, 4)),
                          .jitter_pct = draw(c, 101),
                          .factor_milli = 1000 + draw(c, 2) * 1000,
                          .base_ms = draw(c, 4) * 500,
                          .max_delay_ms = caps[draw(c, 3)]};
    return rule;
}

static inline void random_policy(model *m, entropy_source *c)
{
    rc_policy *p = &m->policy;
    *p = (rc_policy){.name = "random",
                     .enabled = draw(c, 16) != 0,
                     .retry_exhausted = draw(c, 2),
                     .hint = (rc_hint_use)(1 + draw(c, 2)),
                     .max_calls = 1 + draw(c, 8),
                     .budget_ms = draw(c, 3) ? RC_UNLIMITED : 1 + draw(c, 20000),
                     .min_remaining_ms = draw(c, 3) ? 0 : draw(c, 2000),
                     .default_rule = random_rule(c)};
    if (draw(c, 2)) {
        p->rules[0] = random_rule(c);
        rc_code_set_add(&p->rules[0].codes, RC_CODE_RATE_LIMITED);
        rc_code_set_add(&p->rules[0].codes, RC_CODE_OVERLOADED);
        p->rule_count = 1;
    }
    if (draw(c, 8) == 0) {
        rc_code_set_add(&p->never_retry_on, RC_CODE_PROVIDER_5XX);
        rc_code_set_add(&p->never_retry_on, RC_CODE_AUTH_FAILED);
    }
    if (draw(c, 8) == 0)
        rc_code_set_add(&p->retry_on, RC_CODE_RATE_LIMITED);
}

static inline void random_shared(model *m, entropy_source *c)
{
    rc_shared_settings settings = rc_shared_settings_default();
    uint32_t burst = draw(c, 3) * 10;
    settings.retry_budget = (rc_retry_budget_settings){.burst = burst};
    m->tokens = burst ? burst : UINT64_MAX;
    settings.breaker.min_calls = draw(c, 4);
    settings.cooldown_ms = 1 + draw(c, 4000);
    settings.exhausted_ms = 1 + draw(c, 20000);
    rc_shared_init(&m->shared, &settings, m->targets, MODEL_TARGETS, m->credentials,
                   MODEL_CREDENTIALS, m->now_ms);
    bool is_common = draw(c, 2); /* both targets have the same credentials */
    rc_shared_set_pool(&m->shared, 0, 0, (uint16_t)draw(c, 3), draw(c, 2) ? m->limits[0] : NULL);
    rc_shared_set_pool(&m->shared, 1, is_common ? 0 : 2, (uint16_t)draw(c, 3),
                       draw(c, 2) ? m->limits[1] : NULL);
    for (uint16_t i = 0; i < MODEL_TARGETS; i++)
        rc_shared_set_limit(&m->shared, i, draw(c, 3));
    for (uint16_t i = 0; i < MODEL_CREDENTIALS; i++)
        m->credentials[i].can_refresh = draw(c, 2);
}

static inline void model_init(model *m, entropy_source *c)
{
    memset(m, 0, sizeof *m);
    m->now_ms = 1 + draw(c, 1000);
    random_policy(m, c);
    random_shared(m, c);
    for (uint16_t i = 0; i < MODEL_TARGETS; i++) {
        uint32_t lack = draw(c, 8);
        m->entries[i] = (rc_chain_entry){.target = (uint16_t)(draw(c, 8) ? i : 0),
                                         .max_attempts = (uint16_t)draw(c, 4),
                                         .capabilities = lack ? UINT32_MAX : RC_NEED_TOOLS,
                                         .group = (uint16_t)draw(c, 2),
                                         .weight = (uint16_t)draw(c, 4),
                                         .id = draw(c, 4),
                                         .spread = (uint8_t)draw(c, 3),
                                         .is_sticky = draw(c, 2)};
    }
    m->plan = (rc_plan){.policy = &m->policy,
                        .entries = m->entries,
                        .entry_count = MODEL_TARGETS,
                        .chain_count = (uint16_t)draw(c, MODEL_TARGETS + 1),
                        .overflow_to = draw(c, 2) ? RC_NO_TARGET : 2};
}

/* --- the laws --- */

static inline bool is_final(const rc_action *a)
{
    return a->kind == RC_DO_DELIVER || a->kind == RC_DO_COMPACT || a->kind == RC_DO_STOP;
}

static inline uint32_t most_attempts(const model *m, uint16_t entry)
{
    uint32_t max = m->policy.default_rule.max_attempts;
    if (m->policy.rule_count && m->policy.rules[0].max_attempts > max)
        max = m->policy.rules[0].max_attempts;
    return m->entries[entry].max_attempts ? m->entries[entry].max_attempts : max;
}

static inline uint32_t position_of(const model *m, const tracked_call *w, uint16_t entry)
{
    uint32_t count = m->plan.chain_count ? m->plan.chain_count : MODEL_TARGETS;
    return (entry + count - w->first_entry) % count;
}

static inline bool is_same_group(const model *m, uint16_t a, uint16_t b)
{
    return rc_plan_group(&m->plan, a).first == rc_plan_group(&m->plan, b).first;
}

/* Returns whether the code has the category capacity. The category in a report is ignored. */
static inline bool is_capacity(const rc_failure_facts *failure)
{
    return failure->code == RC_CODE_QUOTA_EXHAUSTED;
}

/* C5: checks the action after a failure that is not retryable. */
static inline void check_not_retryable(const tracked_call *w, const rc_action *a)
{
    if (!w->has_failed || w->failure.is_retryable || is_final(a))
        return;
    if (is_capacity(&w->failure))
        INVARIANT(a->kind == RC_DO_WAIT || a->reason == RC_WHY_NEXT_CREDENTIAL ||
                  a->reason == RC_WHY_ATTEMPTS_SPENT_NEXT_TARGET ||
                  a->reason == RC_WHY_COOLING_NEXT_TARGET);
    else if (w->failure.code == RC_CODE_AUTH_FAILED && a->kind == RC_DO_TRY)
        INVARIANT(a->reason == RC_WHY_NEXT_CREDENTIAL ||
                  (w->is_key_probe && a->reason == RC_WHY_COOLING_NEXT_TARGET));
    else if (w->failure.code == RC_CODE_AUTH_FAILED)
        INVARIANT(a->kind != RC_DO_TRY && a->reason == RC_WHY_REFRESH && !w->is_refreshed);
    else
        INVARIANT(w->failure.code == RC_CODE_CONTEXT_OVERFLOW &&
                  a->reason == RC_WHY_OVERFLOW_TO_LARGER && !w->went_to_larger &&
                  a->target != w->last.target);
}

/* C6: checks that the chain is followed forward except within a group, that each entry is used once
 * per round, and that an entry is repeated only for certain reasons. */
static inline void check_path(const model *m, const tracked_call *w, const rc_action *a)
{
    if (w->calls == 0 || a->reason == RC_WHY_OVERFLOW_TO_LARGER)
        return;
    if (a->entry == w->last.entry) {
        INVARIANT(a->reason == RC_WHY_WOKE || a->reason == RC_WHY_NEXT_CREDENTIAL ||
                  a->reason == RC_WHY_REFRESHED);
        bool is_other = a->credential != a->from_credential;
        INVARIANT(a->reason == RC_WHY_NEXT_CREDENTIAL ? is_other : !(is_other && w->has_failed));
        return;
    }
    INVARIANT(!w->went_to_larger);
    INVARIANT(a->from_entry == w->last.entry);
    if (a->reason == RC_WHY_WOKE)
        return; /* a new round begins */
    INVARIANT(!(w->seen >> a->entry & 1));
    INVARIANT(is_same_group(m, a->entry, w->last.entry) ||
              position_of(m, w, a->entry) > position_of(m, w, w->last.entry));
}

static inline void on_attempt(model *m, tracked_call *w, const rc_action *a)
{
    INVARIANT(m->now_ms < w->deadline_ms);                 /* C4 */
    INVARIANT(!w->is_committed);                           /* C7 */
    INVARIANT(m->now_ms >= m->hinted_until_ms[a->target]); /* C2, for the retry times that apply to
                                                              all calls */
    check_path(m, w, a);
    bool is_same = w->calls > 0 && a->entry == w->last.entry;
    bool is_uncounted = a->reason == RC_WHY_NEXT_CREDENTIAL || a->reason == RC_WHY_REFRESHED;
    if (!is_same)
        w->is_refreshed = false;
    if (a->reason == RC_WHY_WOKE || a->reason == RC_WHY_REFRESHED) {
        INVARIANT(m->now_ms >= w->hint_until_ms[a->entry]); /* C2 */
        INVARIANT(!(w->spent >> a->entry & 1));             /* C5 */
    }
    if (!is_same && a->reason == RC_WHY_WOKE)
        w->seen = 0;
    if (a->reason == RC_WHY_NEXT_CREDENTIAL || a->reason == RC_WHY_OVERFLOW_TO_LARGER)
        w->spent &= ~(1u << a->entry); /* another credential may have capacity */
    /* C5: after AuthFailed, the next attempt is at the same target, with the refreshed key or
     * another key, unless the rejected key was only probed. */
    if (w->calls > 0 && w->failure.code == RC_CODE_AUTH_FAILED && !w->is_key_probe)
        INVARIANT(is_same &&
                  (a->reason == RC_WHY_NEXT_CREDENTIAL ||
                   (a->reason == RC_WHY_REFRESHED && a->credential == w->last.credential)));
    if (w->calls > 0 && w->failure.code == RC_CODE_AUTH_FAILED)
        w->is_refreshed &= a->reason == RC_WHY_REFRESHED;
    w->is_key_probe =
        a->credential != RC_NO_TARGET && m->credentials[a->credential].state == RC_CREDENTIAL_DEAD;
    if (a->reason == RC_WHY_OVERFLOW_TO_LARGER)
        w->attempts[a->entry] = 0; /* attempts at this entry are counted from 0 again */
    w->attempts[a->entry] += !is_uncounted;
    w->went_to_larger |= a->reason == RC_WHY_OVERFLOW_TO_LARGER;
    w->seen |= 1u << a->entry;
    m->extra_calls += w->calls > 0;
    w->calls++;
    INVARIANT(a->attempt == w->calls);
    INVARIANT(w->calls <= m->policy.max_calls);                     /* C1 */
    INVARIANT(w->attempts[a->entry] <= most_attempts(m, a->entry)); /* C1 */
    INVARIANT(m->extra_calls <= m->tokens);
}

static inline void on_wait(const model *m, const tracked_call *w, const rc_action *a)
{
    INVARIANT(a->at_ms >= m->now_ms && a->at_ms < w->deadline_ms); /* C4 */
    INVARIANT(!w->is_committed);
    if (w->has_failed && w->failure.retry_after_ms > 0 && !w->call.is_round_next)
        INVARIANT(a->at_ms >= m->now_ms + (uint64_t)w->failure.retry_after_ms); /* C2 */
    INVARIANT(a->wait_ms == a->at_ms - m->now_ms);
}

/* C8: checks that the calls in flight and the refreshes in rc_shared are those of the calls. */
static inline void check_books(const model *m)
{
    uint32_t in_flight[MODEL_TARGETS] = {0};
    uint32_t refreshing[MODEL_CREDENTIALS + 1] = {0};
    for (size_t i = 0; i < MODEL_CALLS; i++) {
        const tracked_call *w = &m->calls[i];
        if (w->is_used && w->last.kind == RC_DO_TRY)
            in_flight[w->last.target]++;
        if (w->is_used && w->last.kind == RC_DO_REFRESH)
            refreshing[w->last.credential]++;
    }
    for (uint16_t i = 0; i < MODEL_TARGETS; i++) {
        INVARIANT(m->targets[i].limiter.in_flight == in_flight[i]);
        INVARIANT(!m->targets[i].breaker.is_probing || in_flight[i] > 0);
        INVARIANT(m->targets[i].failed_in_a_row <= 1000);
    }
    for (uint16_t i = 0; i < MODEL_CREDENTIALS; i++)
        INVARIANT(m->credentials[i].is_refreshing == refreshing[i]);
    INVARIANT(rc_shared_validate(&m->shared));
}

static inline void model_check_action(model *m, tracked_call *w, rc_action a)
{
    INVARIANT(rc_call_validate(&w->call));
    INVARIANT(rc_call_is_done(&w->call) == is_final(&a));
    INVARIANT(a.reason != RC_WHY_NONE);
    bool is_pause = a.kind == RC_DO_WAIT || a.kind == RC_DO_REFRESH;
    INVARIANT(a.attempt + is_pause <= a.max_attempts);
    INVARIANT(a.kind != RC_DO_STOP || a.at_ms != RC_UNLIMITED);
    check_not_retryable(w, &a);
    if (a.kind == RC_DO_TRY)
        on_attempt(m, w, &a);
    if (a.kind == RC_DO_WAIT)
        on_wait(m, w, &a);
    if (a.kind == RC_DO_REFRESH)
        INVARIANT(!w->is_committed && !w->is_refreshed && m->policy.enabled &&
                  !rc_code_set_has(&m->policy.never_retry_on, RC_CODE_AUTH_FAILED));
    w->is_refreshed |= a.reason == RC_WHY_REFRESH;
    w->last = a;
    w->has_failed = false;
    check_books(m);
}

/* --- the inputs --- */

static inline rc_failure_facts random_failure_facts(entropy_source *c)
{
    static const rc_code codes[] = {
        RC_CODE_RATE_LIMITED,    RC_CODE_OVERLOADED,       RC_CODE_PROVIDER_5XX,
        RC_CODE_NETWORK_TIMEOUT, RC_CODE_QUOTA_EXHAUSTED,  RC_CODE_AUTH_FAILED,
        RC_CODE_INVALID_REQUEST, RC_CODE_CONTEXT_OVERFLOW, RC_CODE_TURN_CANCELLED,
        RC_CODE_RATE_LIMITED,    RC_CODE_CONNECTION_RESET, RC_CODE_QUOTA_EXHAUSTED,
        RC_CODE_AUTH_FAILED,     RC_CODE_CONFLICT};
    static const int64_t hints[] = {-1, 0, 1, 700, 2500, 61000, INT64_MAX};
    rc_failure_facts failure =
        rc_failure_facts_of_code(codes[draw(c, sizeof codes / sizeof *codes)]);
    failure.retry_after_ms = hints[draw(c, 16) < 13 ? draw(c, 5) : draw(c, 7)];
    failure.limit_kind = (rc_limit_kind)draw(c, 8);
    failure.is_retry_exhausted = draw(c, 32) == 0;
    if (!failure.is_retryable && draw(c, 8) == 0)
        failure.category = RC_CATEGORY_CAPACITY; /* a report of another system may claim this
                                                    category */
    return failure;
}

/* Records until when the retry time of the failure forbids requests to the target, for this call or
 * for all calls. */
static inline void note_hint(model *m, tracked_call *w)
{
    const rc_failure_facts *failure = &w->failure;
    uint16_t entry = w->last.entry;
    w->hint_until_ms[entry] = 0; /* the retry time of the latest failure replaces the earlier one */
    if (is_capacity(failure))
        w->spent |= 1u << entry;
    if (failure->retry_after_ms <= 0)
        return;
    uint64_t until_ms = m->now_ms + (uint64_t)failure->retry_after_ms;
    w->hint_until_ms[entry] = until_ms;
    bool is_of_key = is_capacity(failure) || failure->code == RC_CODE_RATE_LIMITED;
    bool is_of_model = failure->limit_kind == RC_LIMIT_KIND_CONCURRENCY ||
                       failure->limit_kind == RC_LIMIT_KIND_MODEL_CAPACITY;
    if ((!failure->is_retryable && !is_of_key) || failure->code == RC_CODE_CONFLICT)
        return;
    if (is_of_key && !is_of_model && w->last.credential != RC_NO_TARGET) {
        w->hint_until_ms[entry] = 0; /* another credential may be used earlier */
        return;
    }
    if (until_ms > m->hinted_until_ms[w->last.target])
        m->hinted_until_ms[w->last.target] = until_ms;
}

static inline void model_begin(model *m, tracked_call *w, entropy_source *c)
{
    memset(w, 0, sizeof *w);
    rc_call_options options = {.deadline_at_ms =
                                   draw(c, 3) ? m->now_ms + draw(c, 30000) : RC_UNLIMITED,
                               .needs = draw(c, 8) ? 0 : RC_NEED_VISION,
                               .first_entry = (uint16_t)draw(c, 4),
                               .sticky_key = draw(c, 3),
                               .skips = &w->skips};
    w->is_used = true;
    uint32_t count = m->plan.chain_count ? m->plan.chain_count : MODEL_TARGETS;
    w->first_entry = options.first_entry < count ? options.first_entry : 0;
    w->first_entry = rc_plan_group(&m->plan, w->first_entry).first;
    w->deadline_ms = options.deadline_at_ms;
    if (m->policy.budget_ms != RC_UNLIMITED && m->now_ms + m->policy.budget_ms < w->deadline_ms)
        w->deadline_ms = m->now_ms + m->policy.budget_ms;
    rc_call_init(&w->call, &m->plan, &m->shared, &options, m->now_ms);
    model_check_action(m, w, rc_call_begin(&w->call, m->now_ms, draw_entropy(c)));
}

static inline rc_action feed_input(model *m, tracked_call *w, entropy_source *c, uint32_t input)
{
    bool is_trying = w->last.kind == RC_DO_TRY;
    uint64_t entropy = draw_entropy(c);
    if (input == 0)
        return rc_call_on_success(&w->call, m->now_ms);
    if (input == 1) {
        w->failure = random_failure_facts(c);
        w->has_failed = is_trying;
        if (is_trying)
            note_hint(m, w);
        return rc_call_on_failure(&w->call, &w->failure, m->now_ms, entropy);
    }
    if (input == 2)
        return rc_call_on_wake(&w->call, m->now_ms, entropy);
    if (input == 3)
        return rc_call_on_refreshed(&w->call, draw(c, 3) != 0, m->now_ms, entropy);
    if (input == 4)
        return rc_call_begin(&w->call, m->now_ms, entropy);
    return rc_call_on_cancel(&w->call, m->now_ms);
}

/* Feeds one input, most of the time one that the state expects. */
static inline void model_input(model *m, tracked_call *w, entropy_source *c)
{
    uint32_t input = draw(c, 40);
    if (input > 5)
        input = w->last.kind == RC_DO_WAIT ? 2 : w->last.kind == RC_DO_REFRESH ? 3 : input % 4 != 0;
    bool was_final = is_final(&w->last);
    bool is_early = w->last.kind == RC_DO_WAIT && input == 2 && m->now_ms < w->last.at_ms;
    rc_action before = w->last;
    rc_action a = feed_input(m, w, c, input);
    if (was_final || is_early) { /* C3; also, a call that is woken early returns the same WAIT */
        INVARIANT(a.kind == before.kind && a.reason == before.reason && a.at_ms == before.at_ms &&
                  a.attempt == before.attempt);
        w->has_failed = false;
        check_books(m);
        return;
    }
    model_check_action(m, w, a);
}

static inline void model_environment(model *m, entropy_source *c)
{
    uint16_t target = (uint16_t)draw(c, MODEL_TARGETS);
    uint16_t credential = (uint16_t)draw(c, MODEL_CREDENTIALS);
    uint32_t what = draw(c, 5);
    if (what == 0)
        rc_shared_set_service(&m->shared, target, draw(c, 3) != 0);
    if (what == 1) {
        uint64_t until_ms = m->now_ms + draw(c, 8000);
        rc_shared_cool_down_target(&m->shared, target, until_ms);
        m->hinted_until_ms[target] =
            until_ms > m->hinted_until_ms[target] ? until_ms : m->hinted_until_ms[target];
    }
    if (what == 2 && !m->credentials[credential].is_refreshing)
        rc_shared_revive_credential(&m->shared, credential);
    if (what == 3)
        rc_shared_set_limit(&m->shared, target, draw(c, 3));
    if (what == 4)
        rc_shared_set_service(&m->shared, target, true);
}

static inline void model_step(model *m, entropy_source *c)
{
    tracked_call *w = &m->calls[draw(c, MODEL_CALLS)];
    uint32_t what = draw(c, 16);
    if (what == 0) {
        model_environment(m, c);
        return;
    }
    if (what <= 3)
        m->now_ms += draw(c, what == 3 ? 5000 : 100);
    /* A wait without an upper limit may end beyond the range of the model's clock, so the clock
     * does not advance to it. */
    if (w->is_used && w->last.kind == RC_DO_WAIT && what <= 12 && m->now_ms < w->last.at_ms &&
        w->last.at_ms < UINT64_C(1) << 40)
        m->now_ms = w->last.at_ms;
    if (what == 15 && w->is_used) {
        rc_call_on_commit(&w->call, m->now_ms);
        w->is_committed = true;
        return;
    }
    if (!w->is_used || (is_final(&w->last) && what > 4))
        model_begin(m, w, c);
    else
        model_input(m, w, c);
}

/* Ends all calls and checks that they released all resources. */
static inline void model_end(model *m)
{
    for (size_t i = 0; i < MODEL_CALLS; i++) {
        tracked_call *w = &m->calls[i];
        if (w->is_used && !is_final(&w->last))
            model_check_action(m, w, rc_call_on_cancel(&w->call, m->now_ms));
    }
    for (uint16_t i = 0; i < MODEL_TARGETS; i++) {
        INVARIANT(m->targets[i].limiter.in_flight == 0);
        INVARIANT(!m->targets[i].breaker.is_probing);
    }
}

#endif
