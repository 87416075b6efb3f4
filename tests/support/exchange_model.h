/* A model of rc_exchange_machine. The model is the owner of the machine in virtual time: random
 * providers, budgets, stores and clients produce the results of the effects. The model tracks
 * lanes, reservations and the reply, and ends the program when one of the invariants X1 to X10 of
 * machine.h does not hold. */
#ifndef RC_TEST_EXCHANGE_MODEL_H
#define RC_TEST_EXCHANGE_MODEL_H

#include "exchange/machine.h"
#include "tests/support/call_model.h"

/* The facts by which the model checks one lane. */
typedef struct lane_books {
    bool is_awaited; /* The result of RESERVE has not been reported yet. */
    bool is_granted; /* A reservation was granted and has not been settled. */
    bool is_running; /* START was carried out, and the lane has not ended. */
} lane_books;

typedef struct exchange_model {
    model world; /* Targets, credentials and policy (call_model.h). */
    rc_exchange_machine machine;
    rc_exchange_effects effects;
    rc_skips skips;
    rc_deadline_limits limits;
    rc_exchange_start start;
    lane_books lanes[2];
    bool is_begun;
    bool is_refresh_awaited;
    bool is_store_awaited;
    bool is_answered; /* The result of STORE has been reported. */
    bool is_gone;
    bool has_report;
    uint32_t commits;
    uint32_t stores;
    uint32_t replies;
    uint32_t closes;
    uint32_t inputs;
    uint64_t started; /* Number of attempts of all exchanges. */
} exchange_model;

/* ---- the laws ---- */

/* Checks the invariants X2 and X3 of machine.h: the end of a lane settles its reservation. */
static inline void check_lane_end(exchange_model *m, uint8_t slot)
{
    INVARIANT(m->lanes[slot].is_running);
    INVARIANT(m->lanes[slot].is_granted);
    m->lanes[slot].is_running = m->lanes[slot].is_granted = false;
}

static inline void check_error_has_report(const exchange_model *m)
{
    const uint8_t ending = m->machine.ending;
    if (ending == RC_ENDING_ERROR || ending == RC_ENDING_ERROR_EVENT || ending == RC_ENDING_ABORT)
        INVARIANT(m->has_report); /* X7 */
}

static inline void check_lane_effect(exchange_model *m, const rc_exchange_effect *effect)
{
    lane_books *lane = &m->lanes[effect->slot];
    switch (effect->kind) {
    case RC_EFFECT_RESERVE:
        INVARIANT(m->commits == 0); /* X4 */
        INVARIANT(!lane->is_running && !lane->is_granted && !lane->is_awaited);
        lane->is_awaited = true;
        break;
    case RC_EFFECT_START:
        INVARIANT(m->commits == 0); /* X4 */
        INVARIANT(lane->is_granted && !lane->is_running);
        lane->is_running = true;
        m->started++;
        break;
    case RC_EFFECT_SETTLE:
        check_lane_end(m, effect->slot);
        m->has_report |= !effect->is_done;
        break;
    case RC_EFFECT_CANCEL:
        check_lane_end(m, effect->slot);
        break;
    case RC_EFFECT_FREE:
        INVARIANT(!lane->is_running && !lane->is_granted);
        lane->is_awaited = false;
        break;
    case RC_EFFECT_END_STREAM:
    case RC_EFFECT_END_LATE:
    case RC_EFFECT_BREAK:
        INVARIANT(lane->is_running);
        break;
    default:
        break;
    }
}

static inline void check_end_effect(exchange_model *m, const rc_exchange_effect *effect)
{
    switch (effect->kind) {
    case RC_EFFECT_COMMIT:
        INVARIANT(m->commits++ == 0); /* X6 */
        INVARIANT(!m->is_gone);       /* X9 */
        INVARIANT(m->lanes[effect->slot].is_running);
        break;
    case RC_EFFECT_STORE:
        INVARIANT(m->stores++ == 0);                                   /* X6 */
        INVARIANT(!m->lanes[0].is_running && !m->lanes[1].is_running); /* X2 */
        check_error_has_report(m);
        m->is_store_awaited = true;
        break;
    case RC_EFFECT_STORE_LATE:
        INVARIANT(m->stores == 1 && m->replies == 0);
        m->is_store_awaited = true;
        break;
    case RC_EFFECT_REPLY:
        INVARIANT(m->is_answered);    /* X5 */
        INVARIANT(m->replies++ == 0); /* X6 */
        INVARIANT(!m->is_gone);       /* X9 */
        check_error_has_report(m);
        break;
    case RC_EFFECT_CLOSE:
        m->closes++;
        INVARIANT(!m->lanes[0].is_running && !m->lanes[1].is_running); /* X2 */
        INVARIANT(!m->lanes[0].is_granted && !m->lanes[1].is_granted); /* X3 */
        break;
    default:
        break;
    }
}

static inline bool is_report(uint8_t kind)
{
    return kind == RC_EFFECT_REPORT || kind == RC_EFFECT_DENY || kind == RC_EFFECT_REFUSE ||
           kind == RC_EFFECT_REFUSE_LATE;
}

/* Returns whether the owner may write to the client after this effect. */
static inline bool is_writing(uint8_t kind)
{
    return kind == RC_EFFECT_COMMIT || kind == RC_EFFECT_LOG_ACTION || kind == RC_EFFECT_PAUSE ||
           kind == RC_EFFECT_DELIVERED;
}

static inline void check_effect(exchange_model *m, const rc_exchange_effect *effect)
{
    INVARIANT(m->closes == 0); /* X1 */
    INVARIANT(effect->slot < 2);
    INVARIANT(!is_writing(effect->kind) || m->stores == 0); /* X5 */
    m->has_report |= is_report(effect->kind);
    if (effect->kind == RC_EFFECT_REFRESH)
        m->is_refresh_awaited = true;
    check_lane_effect(m, effect);
    check_end_effect(m, effect);
}

/* X8: checks that a due time, a lane, the store or the client will cause the next step. */
static inline void check_progress(const exchange_model *m)
{
    const uint64_t due_ms = rc_exchange_due_ms(&m->machine);
    const bool is_lane_due = m->lanes[0].is_running || m->lanes[1].is_running ||
                             m->lanes[0].is_awaited || m->lanes[1].is_awaited;
    switch ((rc_exchange_state)m->machine.state) {
    case RC_EXCHANGE_WAITING:
        INVARIANT(due_ms != RC_UNLIMITED);
        break;
    case RC_EXCHANGE_PAUSED:
        INVARIANT(due_ms != RC_UNLIMITED || m->lanes[m->machine.current].is_awaited);
        break;
    case RC_EXCHANGE_ATTEMPTING:
    case RC_EXCHANGE_RESPONDING:
        INVARIANT(is_lane_due);
        break;
    case RC_EXCHANGE_RECORDING:
        INVARIANT(due_ms != RC_UNLIMITED || m->is_store_awaited);
        break;
    case RC_EXCHANGE_REFRESHING:
        INVARIANT(m->is_refresh_awaited);
        break;
    case RC_EXCHANGE_READING:
    case RC_EXCHANGE_ENDING:
        INVARIANT(m->closes == 0);
        break;
    case RC_EXCHANGE_OVER:
        INVARIANT(m->closes == 1 && due_ms == RC_UNLIMITED); /* X1 */
        break;
    }
}

/* ---- steps ---- */

static inline void exchange_model_feed(exchange_model *m, entropy_source *c,
                                       const rc_exchange_input *input)
{
    m->inputs++;
    rc_exchange_step(&m->machine, input, m->world.now_ms, draw_entropy(c), &m->effects);
    INVARIANT(m->effects.count <= RC_EFFECTS_MAX);
    for (uint32_t i = 0; i < m->effects.count; i++)
        check_effect(m, &m->effects.list[i]);
    INVARIANT(rc_exchange_validate(&m->machine));
    check_progress(m);
}

static inline rc_failure_facts random_facts(entropy_source *c)
{
    static const rc_code codes[] = {RC_CODE_PROVIDER_5XX,    RC_CODE_RATE_LIMITED,
                                    RC_CODE_OVERLOADED,      RC_CODE_AUTH_FAILED,
                                    RC_CODE_QUOTA_EXHAUSTED, RC_CODE_INVALID_REQUEST};
    const rc_code code = codes[draw(c, 6)];
    return (rc_failure_facts){
        .code = code,
        .is_retryable = code == RC_CODE_PROVIDER_5XX || code == RC_CODE_RATE_LIMITED ||
                        code == RC_CODE_OVERLOADED,
        .retry_after_ms = draw(c, 2) ? -1 : (int64_t)draw(c, 5000),
    };
}

static inline void answer_reserve(exchange_model *m, entropy_source *c, uint8_t slot)
{
    const uint32_t luck = draw(c, 16);
    rc_exchange_input input = {.kind = RC_INPUT_RESERVED,
                               .slot = slot,
                               .verdict = luck < 4 ? (uint8_t)(luck + 1) : RC_RESERVE_GRANTED,
                               .is_stopping = draw(c, 16) == 0,
                               .reason = RC_WHY_BUDGET_HELD};
    if (input.verdict == RC_RESERVE_UNFIT)
        m->world.entries[m->machine.lanes[slot].entry].capabilities &=
            ~(uint32_t)RC_NEED_TRANSLATION;
    m->lanes[slot].is_awaited = false;
    m->lanes[slot].is_granted = input.verdict == RC_RESERVE_GRANTED;
    exchange_model_feed(m, c, &input);
}

/* Reports the result of RESERVE. If the lane no longer waits for it, the grant is released
 * instead. */
static inline void answer_reserve_if_due(exchange_model *m, entropy_source *c, uint8_t slot)
{
    if (m->machine.lanes[slot].state == RC_LANE_RESERVING)
        answer_reserve(m, c, slot);
    else
        m->lanes[slot].is_awaited = false;
}

static inline void answer_store(exchange_model *m, entropy_source *c)
{
    const uint32_t luck = draw(c, 8);
    m->is_store_awaited = false;
    m->is_answered = true;
    m->has_report |= luck < 2;
    const rc_exchange_input input = {.kind = RC_INPUT_STORED,
                                     .verdict = luck < 2 ? (uint8_t)(luck + 1) : RC_STORE_DONE};
    exchange_model_feed(m, c, &input);
}

/* Reports the result of an effect, if one is awaited. Like the owner, the model usually reports
 * results before other inputs; sometimes another input comes first. Returns whether a result was
 * reported. */
static inline bool exchange_model_answer(exchange_model *m, entropy_source *c)
{
    for (uint8_t slot = 0; slot < 2; slot++)
        if (m->lanes[slot].is_awaited) {
            answer_reserve_if_due(m, c, slot);
            return true;
        }
    if (m->is_refresh_awaited) {
        m->is_refresh_awaited = false;
        exchange_model_feed(
            m, c, &(rc_exchange_input){.kind = RC_INPUT_REFRESHED, .is_fresh = draw(c, 2) != 0});
        return true;
    }
    if (m->is_store_awaited && draw(c, 4) != 0) {
        answer_store(m, c);
        return true;
    }
    return false;
}

static inline void feed_lane(exchange_model *m, entropy_source *c, uint8_t slot)
{
    static const rc_exchange_input_kind kinds[] = {
        RC_INPUT_CONTENT, RC_INPUT_TERMINATED, RC_INPUT_COMPLETE, RC_INPUT_FAILED,
        RC_INPUT_FAILED,  RC_INPUT_FAULT,      RC_INPUT_CHOSEN};
    const rc_failure_facts facts = random_facts(c);
    const rc_exchange_input input = {.kind = kinds[draw(c, 7)],
                                     .slot = slot,
                                     .can_carry_error = draw(c, 2) != 0,
                                     .facts = &facts};
    exchange_model_feed(m, c, &input);
}

static inline void begin_exchange(exchange_model *m, entropy_source *c)
{
    m->is_begun = true;
    m->limits = (rc_deadline_limits){
        .received_ms = m->world.now_ms,
        .called_ms = m->world.now_ms,
        .client_ms = draw(c, 4) ? 0 : 1 + draw(c, 5000),
        .announced_ms = draw(c, 4) ? 0 : 1 + draw(c, 5000),
        .route_ms = draw(c, 4) ? 1 + draw(c, 60000) : 600000,
        .route_policy_ms = RC_UNLIMITED,
        .policy_ms = RC_UNLIMITED,
    };
    m->start = (rc_exchange_start){
        .plan = &m->world.plan,
        .shared = &m->world.shared,
        .options = {.skips = &m->skips,
                    .needs = RC_NEED_TRANSLATION,
                    .is_unrepeatable = draw(c, 16) == 0},
        .hedge_delay_ms = draw(c, 2) ? RC_UNLIMITED : draw(c, 500),
    };
    exchange_model_feed(
        m, c,
        &(rc_exchange_input){.kind = RC_INPUT_BEGIN, .start = &m->start, .limits = &m->limits});
}

static inline void feed_kind(exchange_model *m, entropy_source *c, rc_exchange_input_kind kind)
{
    if (kind == RC_INPUT_GONE)
        m->is_gone = true;
    if (kind == RC_INPUT_REFUSED)
        m->has_report = true;
    exchange_model_feed(m, c, &(rc_exchange_input){.kind = kind});
}

/* Advances the clock to the time at which the machine is due, or by a random part of it, and feeds
 * TIMER. */
static inline void pass_time(exchange_model *m, entropy_source *c)
{
    const uint64_t due_ms = rc_exchange_due_ms(&m->machine);
    if (due_ms != RC_UNLIMITED && due_ms > m->world.now_ms && draw(c, 4) != 0)
        m->world.now_ms = due_ms;
    else
        m->world.now_ms += draw(c, 1000);
    feed_kind(m, c, RC_INPUT_TIMER);
}

static inline void step_reading(exchange_model *m, entropy_source *c)
{
    switch (draw(c, 16)) {
    case 0:
        feed_kind(m, c, RC_INPUT_REFUSED);
        return;
    case 1:
        feed_kind(m, c, RC_INPUT_RESPONDED);
        return;
    case 2:
        m->limits =
            (rc_deadline_limits){.received_ms = m->world.now_ms, .client_ms = 1 + draw(c, 3000)};
        exchange_model_feed(m, c,
                            &(rc_exchange_input){.kind = RC_INPUT_HEAD, .limits = &m->limits});
        return;
    default:
        begin_exchange(m, c);
        return;
    }
}

/* Feeds one random input. Every input is possible in every state; inputs that the state expects are
 * more frequent. */
static inline void exchange_model_step(exchange_model *m, entropy_source *c)
{
    const uint32_t luck = draw(c, 32);
    if (luck == 0) {
        feed_kind(m, c, RC_INPUT_GONE);
    } else if (luck == 1) {
        feed_kind(m, c, draw(c, 2) ? RC_INPUT_DRAIN : RC_INPUT_CLOSING);
    } else if (luck == 2) {
        feed_lane(m, c, (uint8_t)draw(c, 2));
    } else if (exchange_model_answer(m, c)) {
        return;
    } else if (m->machine.state == RC_EXCHANGE_READING && luck > 4) {
        step_reading(m, c);
    } else if (m->machine.state == RC_EXCHANGE_ENDING && luck > 8) {
        feed_kind(m, c, RC_INPUT_SENT);
    } else if ((m->lanes[0].is_running || m->lanes[1].is_running) && luck > 12) {
        feed_lane(m, c, m->lanes[0].is_running && (luck & 1 || !m->lanes[1].is_running) ? 0 : 1);
    } else {
        pass_time(m, c);
    }
}

/* Begins an exchange and leaves the targets, credentials and clock as they are. */
static inline void exchange_model_begin(exchange_model *m)
{
    const uint64_t started = m->started;
    const size_t rest = offsetof(exchange_model, lanes);
    memset((char *)m + rest, 0, sizeof *m - rest);
    m->started = started;
    rc_exchange_machine_init(&m->machine);
    INVARIANT(rc_exchange_validate(&m->machine));
}

static inline void exchange_model_init(exchange_model *m, entropy_source *c)
{
    model_init(&m->world, c);
    m->started = 0;
    exchange_model_begin(m);
}

/* Disconnects the client and checks that the exchange ends after a few results and has released all
 * resources (X10). */
static inline void exchange_model_end(exchange_model *m, entropy_source *c)
{
    if (m->machine.state != RC_EXCHANGE_OVER)
        feed_kind(m, c, RC_INPUT_GONE);
    for (uint32_t i = 0; i < 8 && m->machine.state != RC_EXCHANGE_OVER; i++) {
        for (uint8_t slot = 0; slot < 2; slot++)
            if (m->lanes[slot].is_awaited)
                answer_reserve_if_due(m, c, slot);
        if (m->machine.state == RC_EXCHANGE_RECORDING)
            answer_store(m, c);
    }
    INVARIANT(m->machine.state == RC_EXCHANGE_OVER);
    check_books(&m->world);
    INVARIANT(!m->is_begun || rc_call_is_done(&m->machine.call));
}

/* Runs one exchange with at most max_inputs inputs. */
static inline void exchange_model_run(exchange_model *m, entropy_source *c, uint32_t max_inputs)
{
    exchange_model_begin(m);
    while (m->inputs < max_inputs && m->machine.state != RC_EXCHANGE_OVER)
        exchange_model_step(m, c);
    exchange_model_end(m, c);
    /* An exchange that is over ignores all inputs. */
    feed_kind(m, c, RC_INPUT_TIMER);
    feed_lane(m, c, 0);
    INVARIANT(m->effects.count == 0);
}

#endif
