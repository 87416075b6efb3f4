/* rc_exchange_machine: the step function for the life cycle of one client request. Called by the
 * gateway's exchange.c and by the model in tests/support/exchange_model.h. */
#include "exchange/machine_private.h"

#include <string.h>

#include <recourse/policy.h>

/* ---- the end ---- */

/* Returns the time by which the store must acknowledge the record. The time for the store is
 * limited separately, because a complete response must not wait for a hanging disk as long as a
 * request may wait for a model. */
static uint64_t record_deadline(const rc_stepper *s)
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

void rc_stepper_record(rc_stepper *s, rc_exchange_ending ending)
{
    s->machine->state = RC_EXCHANGE_RECORDING;
    s->machine->ending = (uint8_t)ending;
    s->machine->record_by_ms = record_deadline(s);
    rc_stepper_push(s, RC_EFFECT_STORE);
}

static void close_exchange(rc_stepper *s)
{
    s->machine->state = RC_EXCHANGE_OVER;
    rc_stepper_push(s, RC_EFFECT_CLOSE);
}

static void reply(rc_stepper *s)
{
    if (s->machine->is_gone) {
        rc_stepper_push(s, RC_EFFECT_COUNT);
        close_exchange(s);
        return;
    }
    s->machine->state = RC_EXCHANGE_ENDING;
    rc_stepper_push(s, RC_EFFECT_REPLY);
    if (s->machine->ending == RC_ENDING_ABORT)
        close_exchange(s);
}

/* Returns how the reply to the client ends if the call has failed. */
static rc_exchange_ending failed_ending(const rc_exchange_machine *machine)
{
    if (!machine->is_committed)
        return RC_ENDING_ERROR;
    return machine->can_carry_error ? RC_ENDING_ERROR_EVENT : RC_ENDING_ABORT;
}

/* ---- lanes ---- */

void rc_stepper_reserve(rc_stepper *s, uint8_t slot, rc_hedge_lane lane, uint16_t entry,
                        uint16_t credential)
{
    s->machine->lanes[slot] = (rc_exchange_lane){
        .state = RC_LANE_RESERVING,
        .lane = (uint8_t)lane,
        .entry = entry,
        .credential = credential,
        .ends_at_ms = RC_UNLIMITED,
    };
    rc_stepper_push_slot(s, RC_EFFECT_RESERVE, slot);
}

/* Stops the attempt of a lane, because its response is not used. */
static void cancel_lane(rc_stepper *s, uint8_t slot)
{
    rc_exchange_lane *lane = &s->machine->lanes[slot];
    if (lane->state == RC_LANE_RUNNING)
        rc_stepper_push_slot(s, RC_EFFECT_CANCEL, slot);
    lane->state = RC_LANE_ENDED;
}

static void free_lane(rc_stepper *s, uint8_t slot)
{
    s->machine->lanes[slot].state = RC_LANE_IDLE;
    rc_stepper_push_slot(s, RC_EFFECT_FREE, slot);
}

/* Ends the hedge (two concurrent attempts, or lanes, for one request): the lane `slot` continues,
 * and the other one is stopped. */
static void drop_other(rc_stepper *s, uint8_t slot)
{
    s->machine->is_hedged = false;
    s->machine->current = slot;
    cancel_lane(s, rc_other_slot(slot));
    free_lane(s, rc_other_slot(slot));
}

/* Drops the second attempt of a hedge if it was not sent or if it failed because of the gateway.
 * The first attempt continues. */
static void drop_hedge(rc_stepper *s)
{
    rc_exchange_machine *machine = s->machine;
    rc_hedge_on_cancel(&machine->hedge, &machine->call, s->now_ms);
    drop_other(s, machine->current);
}

/* Chooses the lane `slot` for the response, because it has content for the client, and cancels the
 * other lane. */
static void choose(rc_stepper *s, uint8_t slot)
{
    rc_exchange_machine *machine = s->machine;
    if (!machine->is_hedged)
        return;
    (void)rc_hedge_on_response(&machine->hedge, &machine->call,
                               (rc_hedge_lane)machine->lanes[slot].lane, s->now_ms, s->entropy);
    drop_other(s, slot);
}

/* ---- actions of rc_call ---- */

void rc_stepper_carry_out(rc_stepper *s, rc_action action)
{
    rc_exchange_machine *machine = s->machine;
    action.attempt -= machine->unsent_attempts;
    machine->action = action;
    rc_stepper_push(s, RC_EFFECT_LOG_ACTION);
    switch (action.kind) {
    case RC_DO_TRY:
        machine->state = RC_EXCHANGE_ATTEMPTING;
        rc_hedge_init(&machine->hedge, s->now_ms, machine->hedge_delay_ms);
        rc_stepper_reserve(s, machine->current, RC_LANE_FIRST, action.entry, action.credential);
        return;
    case RC_DO_WAIT:
        machine->state = RC_EXCHANGE_WAITING;
        machine->waits_from_ms = s->now_ms;
        return;
    case RC_DO_REFRESH:
        machine->state = RC_EXCHANGE_REFRESHING;
        rc_stepper_push(s, RC_EFFECT_REFRESH);
        return;
    case RC_DO_DELIVER:
        return;
    case RC_DO_COMPACT:
    case RC_DO_STOP:
        rc_stepper_push(s, RC_EFFECT_REPORT);
        rc_stepper_record(s, failed_ending(machine));
        return;
    }
}

static void cancel_call(rc_stepper *s, rc_reason why)
{
    rc_action action = rc_call_on_cancel(&s->machine->call, s->now_ms);
    action.reason = why;
    rc_stepper_carry_out(s, action);
}

static void begin(rc_stepper *s, const rc_exchange_start *start, const rc_deadline_limits *limits)
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
    rc_stepper_carry_out(s, rc_call_begin(&machine->call, s->now_ms, s->entropy));
}

/* ---- reservations ---- */

/* Starts an attempt that the budget allows. If the attempt was paused, the delay before a hedge is
 * extended by the length of the pause. */
static void grant(rc_stepper *s, uint8_t slot)
{
    rc_exchange_machine *machine = s->machine;
    if (machine->state == RC_EXCHANGE_PAUSED) {
        rc_stepper_push(s, RC_EFFECT_END_PAUSE)->is_again = true;
        if (machine->hedge.at_ms != RC_UNLIMITED)
            machine->hedge.at_ms += s->now_ms - machine->waits_from_ms;
        machine->state = RC_EXCHANGE_ATTEMPTING;
    }
    machine->lanes[slot].state = RC_LANE_RUNNING;
    rc_stepper_push_slot(s, RC_EFFECT_START, slot);
}

/* Ends an attempt that the budget does not allow. The attempt was not sent, so it does not count as
 * an attempt of the call. If the attempt was the second one of a hedge, the call continues with the
 * first one; otherwise the call ends. */
static void deny(rc_stepper *s, uint8_t slot, rc_reason why)
{
    rc_exchange_machine *machine = s->machine;
    machine->unsent_attempts++;
    machine->action.attempt--;
    if (machine->is_hedged && slot != machine->current) {
        rc_exchange_effect *skip = rc_stepper_push(s, RC_EFFECT_LOG_SKIP);
        skip->entry = machine->lanes[slot].entry;
        skip->reason = why;
        drop_hedge(s);
        return;
    }
    machine->lanes[slot].state = RC_LANE_ENDED;
    rc_stepper_push_slot(s, RC_EFFECT_DENY, slot);
    cancel_call(s, why);
}

static void refuse_for_memory(rc_stepper *s, uint8_t slot)
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
    rc_stepper_push(s, RC_EFFECT_REFUSE)->outcome = RC_LOCAL_NO_MEMORY;
    rc_stepper_record(s, RC_ENDING_ERROR);
}

/* Ends an attempt whose request cannot be expressed for its target. Nothing was sent, so the call
 * begins again without this entry. If the attempt was the second one of a hedge, the call continues
 * with the first one. */
static void refuse_unfit(rc_stepper *s, uint8_t slot)
{
    rc_exchange_machine *machine = s->machine;
    const bool is_hedge = machine->is_hedged && slot != machine->current;
    if (is_hedge || machine->state != RC_EXCHANGE_ATTEMPTING) {
        deny(s, slot, RC_WHY_SKIP_TRANSLATION);
        return;
    }
    machine->lanes[slot].state = RC_LANE_ENDED;
    rc_stepper_carry_out(s, rc_call_on_unfit(&machine->call, s->now_ms));
}

static void drain(rc_stepper *s);

/* Pauses the exchange until its budget allows the attempt. The cost is reserved again and again
 * until the reservation succeeds, the deadline passes or the client disconnects. The second attempt
 * of a hedge never waits for a budget. */
static void pause_for_budget(rc_stepper *s, const rc_exchange_input *input)
{
    rc_exchange_machine *machine = s->machine;
    if (machine->state != RC_EXCHANGE_PAUSED) {
        machine->state = RC_EXCHANGE_PAUSED;
        machine->waits_from_ms = s->now_ms;
        rc_stepper_push(s, RC_EFFECT_PAUSE);
    }
    machine->reserve_again_at_ms = s->now_ms + RC_EXCHANGE_PAUSE_MS;
    if (input->is_stopping)
        drain(s);
}

static void on_reserved(rc_stepper *s, const rc_exchange_input *input)
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
    case RC_RESERVE_UNFIT:
        refuse_unfit(s, slot);
        return;
    }
    if (machine->state == RC_EXCHANGE_PAUSED)
        rc_stepper_push(s, RC_EFFECT_END_PAUSE);
    deny(s, slot, input->reason);
}

/* ---- responses ---- */

static void on_content(rc_stepper *s, const rc_exchange_input *input)
{
    rc_exchange_machine *machine = s->machine;
    if (machine->state != RC_EXCHANGE_ATTEMPTING || !rc_exchange_is_running(machine, input->slot))
        return;
    choose(s, input->slot);
    rc_call_on_commit(&machine->call, s->now_ms);
    machine->is_committed = true;
    machine->can_carry_error = input->can_carry_error;
    machine->limits.is_committed = true;
    /* The timeout that the client's SDK announced applies only until the response begins. */
    if (machine->limits.announced_ms > 0) {
        machine->call.deadline_at_ms = rc_deadline_of(&machine->limits).at_ms;
        machine->action.deadline_at_ms = machine->call.deadline_at_ms;
    }
    machine->state = RC_EXCHANGE_RESPONDING;
    rc_stepper_push(s, RC_EFFECT_COMMIT);
}

static void on_terminated(rc_stepper *s, uint8_t slot)
{
    rc_exchange_lane *lane = &s->machine->lanes[slot];
    if (lane->state == RC_LANE_RUNNING && lane->ends_at_ms == RC_UNLIMITED)
        lane->ends_at_ms = s->now_ms + RC_EXCHANGE_TAIL_MS;
}

static void on_complete(rc_stepper *s, uint8_t slot)
{
    rc_exchange_machine *machine = s->machine;
    if (!rc_exchange_is_running(machine, slot))
        return;
    choose(s, slot);
    machine->lanes[slot].state = RC_LANE_ENDED;
    rc_stepper_push_slot(s, RC_EFFECT_SETTLE, slot);
    s->effects->list[s->effects->count - 1].is_done = true;
    machine->action = rc_call_on_success(&machine->call, s->now_ms);
    machine->action.attempt -= machine->unsent_attempts;
    rc_stepper_push(s, RC_EFFECT_DELIVERED);
    rc_stepper_record(s, machine->is_committed ? RC_ENDING_TAIL : RC_ENDING_WHOLE);
}

static void on_failed(rc_stepper *s, const rc_exchange_input *input)
{
    rc_exchange_machine *machine = s->machine;
    const uint8_t slot = input->slot;
    if (!rc_exchange_is_running(machine, slot))
        return;
    machine->lanes[slot].state = RC_LANE_ENDED;
    rc_stepper_push_slot(s, RC_EFFECT_SETTLE, slot);
    if (machine->is_hedged) {
        const rc_hedge_action action = rc_hedge_on_failure(&machine->hedge, &machine->call,
                                                           (rc_hedge_lane)machine->lanes[slot].lane,
                                                           input->facts, s->now_ms, s->entropy);
        if (action.kind == RC_HEDGE_WAIT) {
            drop_other(s, rc_other_slot(slot));
            return;
        }
        drop_other(s, slot);
    }
    rc_stepper_carry_out(s,
                         rc_call_on_failure(&machine->call, input->facts, s->now_ms, s->entropy));
}

/* Handles a failure of the gateway or of the request. The target did not cause such a failure, so
 * its breaker does not count the failure, and the call tries no other target. */
static void on_fault(rc_stepper *s, uint8_t slot)
{
    rc_exchange_machine *machine = s->machine;
    if (!rc_exchange_is_running(machine, slot))
        return;
    machine->lanes[slot].state = RC_LANE_ENDED;
    rc_stepper_push_slot(s, RC_EFFECT_SETTLE, slot);
    if (machine->is_hedged && slot != machine->current) {
        drop_hedge(s);
        return;
    }
    if (machine->is_hedged)
        drop_hedge(s);
    cancel_call(s, RC_WHY_CANCELLED);
}

static void on_refreshed(rc_stepper *s, bool is_fresh)
{
    rc_exchange_machine *machine = s->machine;
    if (machine->state == RC_EXCHANGE_REFRESHING)
        rc_stepper_carry_out(s,
                             rc_call_on_refreshed(&machine->call, is_fresh, s->now_ms, s->entropy));
}

/* ---- the store ---- */

/* Returns how the reply ends if its record was not stored and the configuration forbids responses
 * without a record. */
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

static void on_stored(rc_stepper *s, rc_store_verdict verdict)
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

void rc_stepper_on_record_late(rc_stepper *s)
{
    rc_exchange_machine *machine = s->machine;
    if (machine->state != RC_EXCHANGE_RECORDING || machine->is_gone)
        return;
    rc_stepper_push(s, RC_EFFECT_STORE_LATE)->at_ms = machine->record_by_ms;
    machine->record_by_ms = RC_UNLIMITED;
}

/* ---- the end of a call from outside ---- */

/* Ends a wait or pause in progress, the hedge and the call. A paused attempt was not sent, so it
 * does not count as an attempt of the call. */
static void cancel(rc_stepper *s)
{
    rc_exchange_machine *machine = s->machine;
    if (machine->state == RC_EXCHANGE_WAITING)
        rc_stepper_push(s, RC_EFFECT_CUT_WAIT);
    if (machine->state == RC_EXCHANGE_PAUSED) {
        rc_stepper_push(s, RC_EFFECT_END_PAUSE);
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

static void on_gone(rc_stepper *s)
{
    rc_exchange_machine *machine = s->machine;
    switch ((rc_exchange_state)machine->state) {
    case RC_EXCHANGE_OVER:
        return;
    case RC_EXCHANGE_RECORDING:
        /* The outcome of the request is already being recorded, so only the metrics are left. The
         * request is counted now, because its head is freed when the client disconnects. */
        machine->is_gone = true;
        rc_stepper_push(s, RC_EFFECT_COUNT);
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
        cancel_lane(s, rc_other_slot(machine->current));
    cancel_lane(s, machine->current);
    cancel(s);
    rc_stepper_push(s, RC_EFFECT_LOG_CANCEL);
    rc_stepper_record(s, RC_ENDING_NONE);
}

static void refuse(rc_stepper *s, rc_local_outcome outcome, uint64_t at_ms)
{
    rc_exchange_effect *effect = rc_stepper_push(s, RC_EFFECT_REFUSE);
    effect->outcome = (uint16_t)outcome;
    effect->at_ms = at_ms;
    rc_stepper_record(s, RC_ENDING_ERROR);
}

static void drain(rc_stepper *s)
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
        /* The end of a wait in the queue is no time at which a target opens. The provider may have
         * named one. */
        refuse(s, RC_LOCAL_STOPPING,
               machine->action.is_queued ? machine->call.not_before_ms : machine->action.at_ms);
        return;
    case RC_EXCHANGE_PAUSED:
        cancel(s);
        refuse(s, RC_LOCAL_STOPPING_WITHOUT_BUDGET, 0);
        return;
    case RC_EXCHANGE_ATTEMPTING:
    case RC_EXCHANGE_RESPONDING:
        if (rc_exchange_is_running(machine, machine->current))
            rc_stepper_push(s, RC_EFFECT_BREAK)->outcome =
                machine->is_committed ? RC_LOCAL_STOPPING_IN_STREAM : RC_LOCAL_STOPPING;
        return;
    case RC_EXCHANGE_RECORDING:
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

/* Handles inputs that do not start an attempt: the request head, a refusal, and a response that the
 * owner sent itself. */
static void on_read(rc_stepper *s, const rc_exchange_input *input)
{
    if (input->kind == RC_INPUT_HEAD)
        s->machine->limits = *input->limits;
    else if (input->kind == RC_INPUT_REFUSED)
        rc_stepper_record(s, RC_ENDING_ERROR);
    else
        s->machine->state = RC_EXCHANGE_ENDING;
}

static void step(rc_stepper *s, const rc_exchange_input *input)
{
    rc_exchange_machine *machine = s->machine;
    switch (input->kind) {
    case RC_INPUT_HEAD:
    case RC_INPUT_REFUSED:
    case RC_INPUT_RESPONDED:
        if (machine->state == RC_EXCHANGE_READING)
            on_read(s, input);
        return;
    case RC_INPUT_BEGIN:
        begin(s, input->start, input->limits);
        return;
    case RC_INPUT_RESERVED:
        on_reserved(s, input);
        return;
    case RC_INPUT_CHOSEN:
        if (rc_exchange_is_running(machine, input->slot))
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
        rc_stepper_on_timer(s);
        return;
    case RC_INPUT_WAKE:
        rc_stepper_on_wake(s);
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
        rc_stepper_on_record_late(s);
        return;
    }
}

void rc_exchange_step(rc_exchange_machine *machine, const rc_exchange_input *input, uint64_t now_ms,
                      uint64_t entropy, rc_exchange_effects *effects)
{
    rc_stepper s = {.machine = machine, .effects = effects, .now_ms = now_ms, .entropy = entropy};
    effects->count = 0;
    step(&s, input);
}

/* ---- queries ---- */

bool rc_exchange_is_running(const rc_exchange_machine *machine, uint8_t slot)
{
    return machine->lanes[slot].state == RC_LANE_RUNNING;
}

bool rc_exchange_is_responding(const rc_exchange_machine *machine, uint8_t slot)
{
    return machine->state == RC_EXCHANGE_RESPONDING && slot == machine->current;
}
