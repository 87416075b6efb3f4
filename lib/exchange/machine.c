/* rc_exchange_machine: the step function of one client request. Called by the gateway's exchange.c
 * and by the models of the tests. */
#include "exchange/machine.h"

#include <string.h>

#include <recourse/policy.h>

/* The state of one step. */
typedef struct stepper {
    rc_exchange_machine *machine;
    rc_exchange_effects *effects;
    uint64_t now_ms;
    uint64_t entropy;
} stepper;

static rc_exchange_effect *push(stepper *s, rc_exchange_effect_kind kind)
{
    rc_exchange_effect *effect = &s->effects->list[s->effects->count++];
    *effect = (rc_exchange_effect){.kind = (uint8_t)kind, .slot = s->machine->current};
    return effect;
}

static void push_slot(stepper *s, rc_exchange_effect_kind kind, uint8_t slot)
{
    push(s, kind)->slot = slot;
}

static uint8_t other_of(uint8_t slot)
{
    return slot ^ 1u;
}

static bool is_running(const rc_exchange_machine *machine, uint8_t slot)
{
    return machine->lanes[slot].state == RC_LANE_RUNNING;
}

/* ---- the end ---- */

/* Time limit for the store: a disk that hangs must not hold a complete response for as long as a
 * model may take. */
static uint64_t record_deadline(const stepper *s)
{
    const rc_exchange_machine *machine = s->machine;
    const uint64_t deadline_ms =
        machine->is_begun ? machine->call.deadline_at_ms : rc_deadline_of_client(&machine->limits);
    const uint64_t least_ms = s->now_ms + RC_EXCHANGE_RECORD_MIN_MS;
    const uint64_t most_ms = s->now_ms + RC_EXCHANGE_RECORD_MAX_MS;
    if (deadline_ms < least_ms)
        return least_ms;
    return deadline_ms < most_ms ? deadline_ms : most_ms;
}

static void record(stepper *s, rc_exchange_ending ending)
{
    s->machine->state = RC_EXCHANGE_RECORDING;
    s->machine->ending = (uint8_t)ending;
    s->machine->record_by_ms = record_deadline(s);
    push(s, RC_EFFECT_STORE);
}

static void close_exchange(stepper *s)
{
    s->machine->state = RC_EXCHANGE_OVER;
    push(s, RC_EFFECT_CLOSE);
}

static void reply(stepper *s)
{
    if (s->machine->is_gone) {
        push(s, RC_EFFECT_COUNT);
        close_exchange(s);
        return;
    }
    s->machine->state = RC_EXCHANGE_ENDING;
    push(s, RC_EFFECT_REPLY);
    if (s->machine->ending == RC_ENDING_ABORT)
        close_exchange(s);
}

/* The ending of a call that failed. */
static rc_exchange_ending failed_ending(const rc_exchange_machine *machine)
{
    if (!machine->is_committed)
        return RC_ENDING_ERROR;
    return machine->can_carry_error ? RC_ENDING_ERROR_EVENT : RC_ENDING_ABORT;
}

/* ---- lanes ---- */

static void reserve(stepper *s, uint8_t slot, rc_hedge_lane lane, uint16_t entry,
                    uint16_t credential)
{
    s->machine->lanes[slot] = (rc_exchange_lane){
        .state = RC_LANE_RESERVING,
        .lane = (uint8_t)lane,
        .entry = entry,
        .credential = credential,
        .ends_at_ms = RC_UNLIMITED,
    };
    push_slot(s, RC_EFFECT_RESERVE, slot);
}

/* Stops a lane whose response is not used. */
static void cancel_lane(stepper *s, uint8_t slot)
{
    rc_exchange_lane *lane = &s->machine->lanes[slot];
    if (lane->state == RC_LANE_RUNNING)
        push_slot(s, RC_EFFECT_CANCEL, slot);
    lane->state = RC_LANE_ENDED;
}

static void free_lane(stepper *s, uint8_t slot)
{
    s->machine->lanes[slot].state = RC_LANE_IDLE;
    push_slot(s, RC_EFFECT_FREE, slot);
}

/* Ends the hedge: only the lane `slot` remains. */
static void drop_other(stepper *s, uint8_t slot)
{
    s->machine->is_hedged = false;
    s->machine->current = slot;
    cancel_lane(s, other_of(slot));
    free_lane(s, other_of(slot));
}

/* A hedge that was not sent, or that the gateway could not finish: the first lane goes on. */
static void drop_hedge(stepper *s)
{
    rc_exchange_machine *machine = s->machine;
    rc_hedge_on_cancel(&machine->hedge, &machine->call, s->now_ms);
    drop_other(s, machine->current);
}

/* The lane with content for the client wins; the other one is cancelled. */
static void choose(stepper *s, uint8_t slot)
{
    rc_exchange_machine *machine = s->machine;
    if (!machine->is_hedged)
        return;
    (void)rc_hedge_on_response(&machine->hedge, &machine->call,
                               (rc_hedge_lane)machine->lanes[slot].lane, s->now_ms, s->entropy);
    drop_other(s, slot);
}

/* ---- actions of rc_call ---- */

static void carry_out(stepper *s, rc_action action)
{
    rc_exchange_machine *machine = s->machine;
    action.attempt -= machine->unsent_attempts;
    machine->action = action;
    push(s, RC_EFFECT_LOG_ACTION);
    switch (action.kind) {
    case RC_DO_TRY:
        machine->state = RC_EXCHANGE_ATTEMPTING;
        rc_hedge_init(&machine->hedge, s->now_ms, machine->hedge_delay_ms);
        reserve(s, machine->current, RC_LANE_FIRST, action.entry, action.credential);
        return;
    case RC_DO_WAIT:
        machine->state = RC_EXCHANGE_WAITING;
        machine->waits_from_ms = s->now_ms;
        return;
    case RC_DO_REFRESH:
        machine->state = RC_EXCHANGE_REFRESHING;
        push(s, RC_EFFECT_REFRESH);
        return;
    case RC_DO_DELIVER:
        return;
    case RC_DO_COMPACT:
    case RC_DO_STOP:
        push(s, RC_EFFECT_REPORT);
        record(s, failed_ending(machine));
        return;
    }
}

static void cancel_call(stepper *s, rc_reason why)
{
    rc_action action = rc_call_on_cancel(&s->machine->call, s->now_ms);
    action.reason = why;
    carry_out(s, action);
}

static void begin(stepper *s, const rc_exchange_start *start, const rc_deadline_limits *limits)
{
    rc_exchange_machine *machine = s->machine;
    rc_call_options options = start->options;
    if (machine->state != RC_EXCHANGE_READING)
        return;
    machine->is_begun = true;
    machine->limits = *limits;
    machine->limits.is_called = true;
    machine->hedge_delay_ms = start->hedge_delay_ms;
    options.deadline_at_ms = rc_deadline_of(&machine->limits).at_ms;
    rc_call_init(&machine->call, start->plan, start->shared, &options, s->now_ms);
    carry_out(s, rc_call_begin(&machine->call, s->now_ms, s->entropy));
}

/* ---- reservations ---- */

/* The budget allows the attempt. After a pause the hedge delay counts from here. */
static void grant(stepper *s, uint8_t slot)
{
    rc_exchange_machine *machine = s->machine;
    if (machine->state == RC_EXCHANGE_PAUSED) {
        push(s, RC_EFFECT_END_PAUSE)->is_again = true;
        if (machine->hedge.at_ms != RC_UNLIMITED)
            machine->hedge.at_ms += s->now_ms - machine->waits_from_ms;
        machine->state = RC_EXCHANGE_ATTEMPTING;
    }
    machine->lanes[slot].state = RC_LANE_RUNNING;
    push_slot(s, RC_EFFECT_START, slot);
}

/* The attempt was not sent and does not count. A hedge is left out; the first lane ends the
 * call. */
static void deny(stepper *s, uint8_t slot, rc_reason why)
{
    rc_exchange_machine *machine = s->machine;
    machine->unsent_attempts++;
    machine->action.attempt--;
    if (machine->is_hedged && slot != machine->current) {
        rc_exchange_effect *skip = push(s, RC_EFFECT_LOG_SKIP);
        skip->entry = machine->lanes[slot].entry;
        skip->reason = why;
        drop_hedge(s);
        return;
    }
    machine->lanes[slot].state = RC_LANE_ENDED;
    push_slot(s, RC_EFFECT_DENY, slot);
    cancel_call(s, why);
}

static void refuse_for_memory(stepper *s, uint8_t slot)
{
    rc_exchange_machine *machine = s->machine;
    machine->unsent_attempts++;
    machine->action.attempt--;
    if (machine->is_hedged && slot != machine->current) {
        drop_hedge(s);
        return;
    }
    machine->lanes[slot].state = RC_LANE_IDLE;
    (void)rc_call_on_cancel(&machine->call, s->now_ms);
    push(s, RC_EFFECT_REFUSE)->outcome = RC_LOCAL_NO_MEMORY;
    record(s, RC_ENDING_ERROR);
}

static void drain(stepper *s);

/* A paused attempt is tried again until the budget allows it, the deadline passes or the client
 * leaves. A hedge does not wait: the first lane goes on without it. */
static void pause_for_budget(stepper *s, const rc_exchange_input *input)
{
    rc_exchange_machine *machine = s->machine;
    if (machine->state != RC_EXCHANGE_PAUSED) {
        machine->state = RC_EXCHANGE_PAUSED;
        machine->waits_from_ms = s->now_ms;
        push(s, RC_EFFECT_PAUSE);
    }
    machine->reserve_again_at_ms = s->now_ms + RC_EXCHANGE_PAUSE_MS;
    if (input->is_stopping)
        drain(s);
}

static void on_reserved(stepper *s, const rc_exchange_input *input)
{
    rc_exchange_machine *machine = s->machine;
    const uint8_t slot = input->slot;
    const bool is_hedge = machine->is_hedged && slot != machine->current;
    const bool is_late = s->now_ms + RC_EXCHANGE_PAUSE_MS >= machine->action.deadline_at_ms;
    if (machine->lanes[slot].state != RC_LANE_RESERVING)
        return;
    switch ((rc_reserve_verdict)input->verdict) {
    case RC_RESERVE_GRANTED:
        grant(s, slot);
        return;
    case RC_RESERVE_WAIT:
        if (!is_hedge && !is_late) {
            pause_for_budget(s, input);
            return;
        }
        break;
    case RC_RESERVE_DENIED:
        break;
    case RC_RESERVE_NO_MEMORY:
        refuse_for_memory(s, slot);
        return;
    }
    if (machine->state == RC_EXCHANGE_PAUSED)
        push(s, RC_EFFECT_END_PAUSE);
    deny(s, slot, input->reason);
}

/* ---- responses ---- */

static void on_content(stepper *s, const rc_exchange_input *input)
{
    rc_exchange_machine *machine = s->machine;
    if (machine->state != RC_EXCHANGE_ATTEMPTING || !is_running(machine, input->slot))
        return;
    choose(s, input->slot);
    rc_call_on_commit(&machine->call, s->now_ms);
    machine->is_committed = true;
    machine->can_carry_error = input->can_carry_error;
    machine->limits.is_committed = true;
    /* The timeout that the client's SDK announced ends with the begin of the response. */
    if (machine->limits.announced_ms > 0) {
        machine->call.deadline_at_ms = rc_deadline_of(&machine->limits).at_ms;
        machine->action.deadline_at_ms = machine->call.deadline_at_ms;
    }
    machine->state = RC_EXCHANGE_RESPONDING;
    push(s, RC_EFFECT_COMMIT);
}

static void on_terminated(stepper *s, uint8_t slot)
{
    rc_exchange_lane *lane = &s->machine->lanes[slot];
    if (lane->state == RC_LANE_RUNNING && lane->ends_at_ms == RC_UNLIMITED)
        lane->ends_at_ms = s->now_ms + RC_EXCHANGE_TAIL_MS;
}

static void on_complete(stepper *s, uint8_t slot)
{
    rc_exchange_machine *machine = s->machine;
    if (!is_running(machine, slot))
        return;
    choose(s, slot);
    machine->lanes[slot].state = RC_LANE_ENDED;
    push_slot(s, RC_EFFECT_SETTLE, slot);
    s->effects->list[s->effects->count - 1].is_done = true;
    machine->action = rc_call_on_success(&machine->call, s->now_ms);
    machine->action.attempt -= machine->unsent_attempts;
    push(s, RC_EFFECT_DELIVERED);
    record(s, machine->is_committed ? RC_ENDING_TAIL : RC_ENDING_WHOLE);
}

static void on_failed(stepper *s, const rc_exchange_input *input)
{
    rc_exchange_machine *machine = s->machine;
    const uint8_t slot = input->slot;
    if (!is_running(machine, slot))
        return;
    machine->lanes[slot].state = RC_LANE_ENDED;
    push_slot(s, RC_EFFECT_SETTLE, slot);
    if (machine->is_hedged) {
        const rc_hedge_action action = rc_hedge_on_failure(&machine->hedge, &machine->call,
                                                           (rc_hedge_lane)machine->lanes[slot].lane,
                                                           input->facts, s->now_ms, s->entropy);
        if (action.kind == RC_HEDGE_WAIT) {
            drop_other(s, other_of(slot));
            return;
        }
        drop_other(s, slot);
    }
    carry_out(s, rc_call_on_failure(&machine->call, input->facts, s->now_ms, s->entropy));
}

/* A failure of our own or of the request: no target is to blame, and no other would do better. */
static void on_fault(stepper *s, uint8_t slot)
{
    rc_exchange_machine *machine = s->machine;
    if (!is_running(machine, slot))
        return;
    machine->lanes[slot].state = RC_LANE_ENDED;
    push_slot(s, RC_EFFECT_SETTLE, slot);
    if (machine->is_hedged && slot != machine->current) {
        drop_hedge(s);
        return;
    }
    if (machine->is_hedged)
        drop_hedge(s);
    cancel_call(s, RC_WHY_CANCELLED);
}

static void on_refreshed(stepper *s, bool is_fresh)
{
    rc_exchange_machine *machine = s->machine;
    if (machine->state == RC_EXCHANGE_REFRESHING)
        carry_out(s, rc_call_on_refreshed(&machine->call, is_fresh, s->now_ms, s->entropy));
}

/* ---- the store ---- */

/* The configuration forbids responses without a record. */
static rc_exchange_ending unrecorded_ending(const rc_exchange_machine *machine)
{
    switch ((rc_exchange_ending)machine->ending) {
    case RC_ENDING_WHOLE:
    case RC_ENDING_ERROR:
        return RC_ENDING_ERROR;
    case RC_ENDING_TAIL:
    case RC_ENDING_ERROR_EVENT:
        return machine->can_carry_error ? RC_ENDING_ERROR_EVENT : RC_ENDING_ABORT;
    case RC_ENDING_NONE:
    case RC_ENDING_ABORT:
        break;
    }
    return (rc_exchange_ending)machine->ending;
}

static void on_stored(stepper *s, rc_store_verdict verdict)
{
    rc_exchange_machine *machine = s->machine;
    if (machine->state != RC_EXCHANGE_RECORDING)
        return;
    if (verdict != RC_STORE_DONE)
        machine->ending = (uint8_t)unrecorded_ending(machine);
    if (verdict == RC_STORE_CUT)
        machine->ending = RC_ENDING_ABORT;
    reply(s);
}

static void on_record_late(stepper *s)
{
    rc_exchange_machine *machine = s->machine;
    if (machine->state != RC_EXCHANGE_RECORDING || machine->is_gone)
        return;
    push(s, RC_EFFECT_STORE_LATE)->at_ms = machine->record_by_ms;
    machine->record_by_ms = RC_UNLIMITED;
}

/* ---- the end of a call from outside ---- */

/* Ends waits, pauses and the call. A paused attempt was not sent and does not count. */
static void cancel(stepper *s)
{
    rc_exchange_machine *machine = s->machine;
    if (machine->state == RC_EXCHANGE_WAITING)
        push(s, RC_EFFECT_CUT_WAIT);
    if (machine->state == RC_EXCHANGE_PAUSED) {
        push(s, RC_EFFECT_END_PAUSE);
        machine->action.attempt--;
    }
    if (machine->is_hedged)
        rc_hedge_on_cancel(&machine->hedge, &machine->call, s->now_ms);
    machine->is_hedged = false;
    if (machine->is_begun)
        (void)rc_call_on_cancel(&machine->call, s->now_ms);
    for (uint8_t slot = 0; slot < 2; slot++)
        if (machine->lanes[slot].state == RC_LANE_RESERVING)
            machine->lanes[slot].state = RC_LANE_ENDED;
}

static void on_gone(stepper *s)
{
    rc_exchange_machine *machine = s->machine;
    switch ((rc_exchange_state)machine->state) {
    case RC_EXCHANGE_OVER:
        return;
    case RC_EXCHANGE_RECORDING:
        /* The request's head is freed with the client; the outcome is recorded already. */
        machine->is_gone = true;
        push(s, RC_EFFECT_COUNT);
        return;
    case RC_EXCHANGE_ENDING:
        machine->is_gone = true;
        close_exchange(s);
        return;
    case RC_EXCHANGE_READING:
    case RC_EXCHANGE_ATTEMPTING:
    case RC_EXCHANGE_WAITING:
    case RC_EXCHANGE_RESPONDING:
    case RC_EXCHANGE_PAUSED:
    case RC_EXCHANGE_REFRESHING:
        break;
    }
    machine->is_gone = true;
    if (machine->is_hedged)
        cancel_lane(s, other_of(machine->current));
    cancel_lane(s, machine->current);
    cancel(s);
    push(s, RC_EFFECT_LOG_CANCEL);
    record(s, RC_ENDING_NONE);
}

static void refuse(stepper *s, rc_local_outcome outcome, uint64_t at_ms)
{
    rc_exchange_effect *effect = push(s, RC_EFFECT_REFUSE);
    effect->outcome = (uint16_t)outcome;
    effect->at_ms = at_ms;
    record(s, RC_ENDING_ERROR);
}

static void drain(stepper *s)
{
    rc_exchange_machine *machine = s->machine;
    switch ((rc_exchange_state)machine->state) {
    case RC_EXCHANGE_READING:
    case RC_EXCHANGE_REFRESHING:
        cancel(s);
        refuse(s, RC_LOCAL_STOPPING, 0);
        return;
    case RC_EXCHANGE_WAITING:
        cancel(s);
        refuse(s, RC_LOCAL_STOPPING, machine->action.at_ms);
        return;
    case RC_EXCHANGE_PAUSED:
        cancel(s);
        refuse(s, RC_LOCAL_STOPPING_WITHOUT_BUDGET, 0);
        return;
    case RC_EXCHANGE_ATTEMPTING:
    case RC_EXCHANGE_RESPONDING:
        if (is_running(machine, machine->current))
            push(s, RC_EFFECT_BREAK)->outcome =
                machine->is_committed ? RC_LOCAL_STOPPING_IN_STREAM : RC_LOCAL_STOPPING;
        return;
    case RC_EXCHANGE_RECORDING:
    case RC_EXCHANGE_ENDING:
    case RC_EXCHANGE_OVER:
        return;
    }
}

/* ---- time ---- */

/* The lane whose stream has its terminator, the earlier one of two. 2: none. */
static uint8_t terminated_slot(const rc_exchange_machine *machine)
{
    uint8_t found = 2;
    for (uint8_t slot = 0; slot < 2; slot++)
        if (is_running(machine, slot) && machine->lanes[slot].ends_at_ms != RC_UNLIMITED &&
            (found == 2 || machine->lanes[slot].ends_at_ms < machine->lanes[found].ends_at_ms))
            found = slot;
    return found;
}

static uint64_t earlier(uint64_t a_ms, uint64_t b_ms)
{
    return a_ms < b_ms ? a_ms : b_ms;
}

/* When the attempts or the response in progress need attention. */
static uint64_t attempt_due_ms(const rc_exchange_machine *machine)
{
    const uint8_t slot = terminated_slot(machine);
    uint64_t at_ms = machine->action.deadline_at_ms;
    if (slot < 2)
        at_ms = earlier(at_ms, machine->lanes[slot].ends_at_ms);
    if (machine->state == RC_EXCHANGE_ATTEMPTING)
        at_ms = earlier(at_ms, machine->hedge.at_ms);
    return at_ms > machine->poll_at_ms ? at_ms : machine->poll_at_ms;
}

uint64_t rc_exchange_due_ms(const rc_exchange_machine *machine)
{
    switch ((rc_exchange_state)machine->state) {
    case RC_EXCHANGE_READING: {
        const uint64_t at_ms = rc_deadline_of_client(&machine->limits);
        return at_ms > machine->poll_at_ms ? at_ms : machine->poll_at_ms;
    }
    case RC_EXCHANGE_WAITING:
        return machine->action.at_ms + 1; /* Times are in whole milliseconds: never too early. */
    case RC_EXCHANGE_PAUSED:
        return earlier(machine->reserve_again_at_ms, machine->action.deadline_at_ms);
    case RC_EXCHANGE_ATTEMPTING:
    case RC_EXCHANGE_RESPONDING:
        return attempt_due_ms(machine);
    case RC_EXCHANGE_RECORDING:
        return machine->is_gone ? RC_UNLIMITED : machine->record_by_ms;
    case RC_EXCHANGE_REFRESHING:
    case RC_EXCHANGE_ENDING:
    case RC_EXCHANGE_OVER:
        break;
    }
    return RC_UNLIMITED;
}

/* Event loops run timers before sockets: data that arrived while the process was stopped is read
 * before anything counts as late. */
static bool polls_again(stepper *s)
{
    if (s->machine->has_polled)
        return false;
    s->machine->has_polled = true;
    s->machine->poll_at_ms = s->now_ms + 1;
    return true;
}

static void start_hedge(stepper *s)
{
    rc_exchange_machine *machine = s->machine;
    const rc_hedge_action action = rc_hedge_on_timer(&machine->hedge, &machine->call, s->now_ms);
    if (action.kind != RC_HEDGE_START)
        return;
    rc_exchange_effect *effect = push(s, RC_EFFECT_LOG_HEDGE);
    effect->entry = action.entry;
    effect->credential = action.credential;
    effect->reason = action.reason;
    machine->action.attempt++;
    machine->is_hedged = true;
    reserve(s, other_of(machine->current), RC_LANE_SECOND, action.entry, action.credential);
}

/* A response that may be complete comes before a hedge, and both before the deadline. */
static void on_attempt_due(stepper *s)
{
    rc_exchange_machine *machine = s->machine;
    const uint8_t slot = terminated_slot(machine);
    if (!is_running(machine, machine->current))
        return;
    if (slot < 2)
        push_slot(s, RC_EFFECT_END_STREAM, slot);
    else if (machine->state == RC_EXCHANGE_ATTEMPTING && s->now_ms >= machine->hedge.at_ms)
        start_hedge(s);
    else if (!polls_again(s))
        push(s, RC_EFFECT_END_LATE);
}

static void on_timer(stepper *s)
{
    rc_exchange_machine *machine = s->machine;
    if (rc_exchange_due_ms(machine) > s->now_ms)
        return;
    switch ((rc_exchange_state)machine->state) {
    case RC_EXCHANGE_READING:
        if (polls_again(s))
            return;
        push(s, RC_EFFECT_REFUSE_LATE);
        record(s, RC_ENDING_ERROR);
        return;
    case RC_EXCHANGE_WAITING:
        machine->state = RC_EXCHANGE_ATTEMPTING;
        carry_out(s, rc_call_on_wake(&machine->call, s->now_ms, s->entropy));
        return;
    case RC_EXCHANGE_PAUSED:
        push(s, RC_EFFECT_RESERVE)->is_again = true;
        return;
    case RC_EXCHANGE_ATTEMPTING:
    case RC_EXCHANGE_RESPONDING:
        on_attempt_due(s);
        return;
    case RC_EXCHANGE_RECORDING:
        on_record_late(s);
        return;
    case RC_EXCHANGE_REFRESHING:
    case RC_EXCHANGE_ENDING:
    case RC_EXCHANGE_OVER:
        return;
    }
}

/* ---- the step ---- */

void rc_exchange_machine_init(rc_exchange_machine *machine)
{
    memset(machine, 0, offsetof(rc_exchange_machine, call));
    machine->record_by_ms = RC_UNLIMITED;
    machine->hedge.at_ms = RC_UNLIMITED;
    machine->action.entry = machine->action.from_entry = 0;
}

static void step(stepper *s, const rc_exchange_input *input)
{
    rc_exchange_machine *machine = s->machine;
    switch (input->kind) {
    case RC_INPUT_HEAD:
        if (machine->state == RC_EXCHANGE_READING)
            machine->limits = *input->limits;
        return;
    case RC_INPUT_REFUSED:
        if (machine->state == RC_EXCHANGE_READING)
            record(s, RC_ENDING_ERROR);
        return;
    case RC_INPUT_RESPONDED:
        if (machine->state == RC_EXCHANGE_READING)
            machine->state = RC_EXCHANGE_ENDING;
        return;
    case RC_INPUT_BEGIN:
        begin(s, input->start, input->limits);
        return;
    case RC_INPUT_RESERVED:
        on_reserved(s, input);
        return;
    case RC_INPUT_CHOSEN:
        if (is_running(machine, input->slot))
            choose(s, input->slot);
        return;
    case RC_INPUT_CONTENT:
        on_content(s, input);
        return;
    case RC_INPUT_TERMINATED:
        on_terminated(s, input->slot);
        return;
    case RC_INPUT_COMPLETE:
        on_complete(s, input->slot);
        return;
    case RC_INPUT_FAILED:
        on_failed(s, input);
        return;
    case RC_INPUT_FAULT:
        on_fault(s, input->slot);
        return;
    case RC_INPUT_REFRESHED:
        on_refreshed(s, input->is_fresh);
        return;
    case RC_INPUT_STORED:
        on_stored(s, (rc_store_verdict)input->verdict);
        return;
    case RC_INPUT_TIMER:
        on_timer(s);
        return;
    case RC_INPUT_GONE:
        on_gone(s);
        return;
    case RC_INPUT_SENT:
        if (machine->state == RC_EXCHANGE_ENDING)
            close_exchange(s);
        return;
    case RC_INPUT_DRAIN:
        drain(s);
        return;
    case RC_INPUT_CLOSING:
        on_record_late(s);
        return;
    }
}

void rc_exchange_step(rc_exchange_machine *machine, const rc_exchange_input *input, uint64_t now_ms,
                      uint64_t entropy, rc_exchange_effects *effects)
{
    stepper s = {.machine = machine, .effects = effects, .now_ms = now_ms, .entropy = entropy};
    effects->count = 0;
    step(&s, input);
}

/* ---- queries ---- */

bool rc_exchange_is_running(const rc_exchange_machine *machine, uint8_t slot)
{
    return is_running(machine, slot);
}

bool rc_exchange_is_responding(const rc_exchange_machine *machine, uint8_t slot)
{
    return machine->state == RC_EXCHANGE_RESPONDING && slot == machine->current;
}

const char *rc_exchange_state_name(rc_exchange_state state)
{
    static const char *const names[] = {
        [RC_EXCHANGE_READING] = "reading",
        [RC_EXCHANGE_ATTEMPTING] = "attempting",
        [RC_EXCHANGE_WAITING] = "waiting",
        [RC_EXCHANGE_RESPONDING] = "responding",
        [RC_EXCHANGE_RECORDING] = "recording",
        [RC_EXCHANGE_ENDING] = "ending",
        [RC_EXCHANGE_OVER] = "over",
        [RC_EXCHANGE_PAUSED] = "paused",
        [RC_EXCHANGE_REFRESHING] = "refreshing",
    };
    return names[state];
}

/* ---- validation ---- */

static bool is_lane_valid(const rc_exchange_machine *machine, uint8_t slot)
{
    const rc_exchange_lane *lane = &machine->lanes[slot];
    const bool is_active = lane->state == RC_LANE_RESERVING || lane->state == RC_LANE_RUNNING;
    if (lane->state > RC_LANE_ENDED)
        return false;
    /* Only the current lane is active, and the other one while the exchange is hedged. */
    if (is_active && slot != machine->current && !machine->is_hedged)
        return false;
    return !is_active || machine->state == RC_EXCHANGE_ATTEMPTING ||
           machine->state == RC_EXCHANGE_RESPONDING || machine->state == RC_EXCHANGE_PAUSED;
}

static bool is_state_valid(const rc_exchange_machine *machine)
{
    const uint8_t lane = machine->lanes[machine->current].state;
    switch ((rc_exchange_state)machine->state) {
    case RC_EXCHANGE_READING:
        return !machine->is_begun && !machine->is_committed;
    case RC_EXCHANGE_ATTEMPTING:
        return machine->is_begun && !machine->is_committed &&
               (lane == RC_LANE_RESERVING || lane == RC_LANE_RUNNING);
    case RC_EXCHANGE_PAUSED:
        return machine->is_begun && !machine->is_committed && !machine->is_hedged &&
               lane == RC_LANE_RESERVING;
    case RC_EXCHANGE_WAITING:
    case RC_EXCHANGE_REFRESHING:
        return machine->is_begun && !machine->is_committed && !machine->is_hedged;
    case RC_EXCHANGE_RESPONDING:
        return machine->is_committed && !machine->is_hedged && lane == RC_LANE_RUNNING;
    case RC_EXCHANGE_RECORDING:
    case RC_EXCHANGE_ENDING:
    case RC_EXCHANGE_OVER:
        break;
    }
    /* A call that has ended holds nothing that it took from rc_shared. */
    return !machine->is_hedged && (!machine->is_begun || rc_call_is_done(&machine->call));
}

bool rc_exchange_validate(const rc_exchange_machine *machine)
{
    if (machine->state > RC_EXCHANGE_REFRESHING || machine->ending > RC_ENDING_ABORT ||
        machine->current > 1)
        return false;
    if (!is_lane_valid(machine, 0) || !is_lane_valid(machine, 1) || !is_state_valid(machine))
        return false;
    /* Only a client that is gone gets nothing. */
    if (machine->ending == RC_ENDING_NONE && machine->state == RC_EXCHANGE_RECORDING &&
        !machine->is_gone)
        return false;
    return !machine->is_begun || rc_call_validate(&machine->call);
}
