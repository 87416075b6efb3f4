/* Timers of rc_exchange_machine: the time of the next input TIMER, and the effects of this input.
 * Called by machine.c and by the machine's owner. */
#include "exchange/machine_private.h"

/* Returns the slot of the lane whose stream has its terminator; if both lanes have one, the slot
 * whose stream ends earlier; if no lane has one, 2. */
static uint8_t terminated_slot(const rc_exchange_machine *machine)
{
    uint8_t found = 2;
    for (uint8_t slot = 0; slot < 2; slot++)
        if (rc_exchange_is_running(machine, slot) &&
            machine->lanes[slot].ends_at_ms != RC_UNLIMITED &&
            (found == 2 || machine->lanes[slot].ends_at_ms < machine->lanes[found].ends_at_ms))
            found = slot;
    return found;
}

static uint64_t earlier(uint64_t a_ms, uint64_t b_ms)
{
    return a_ms < b_ms ? a_ms : b_ms;
}

/* Returns the time at which an attempt in progress needs the input TIMER. */
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
        /* Times are truncated to whole milliseconds; the additional millisecond prevents a wait
         * that is too short. */
        return machine->action.at_ms + 1;
    case RC_EXCHANGE_PAUSED:
        if (machine->reserve_again_at_ms == RC_UNLIMITED)
            break; /* The result of RESERVE is still awaited. */
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

/* Returns true once, to delay a timeout until the sockets have been polled. Event loops run timers
 * before sockets, so data that arrived while the process was stopped would otherwise seem to arrive
 * after the timeout. */
static bool polls_again(rc_stepper *s)
{
    if (s->machine->has_polled)
        return false;
    s->machine->has_polled = true;
    s->machine->poll_at_ms = s->now_ms + 1;
    return true;
}

static void start_hedge(rc_stepper *s)
{
    rc_exchange_machine *machine = s->machine;
    const rc_hedge_action action = rc_hedge_on_timer(&machine->hedge, &machine->call, s->now_ms);
    if (action.kind != RC_HEDGE_START)
        return;
    rc_exchange_effect *effect = rc_stepper_push(s, RC_EFFECT_LOG_HEDGE);
    effect->entry = action.entry;
    effect->credential = action.credential;
    effect->reason = action.reason;
    machine->action.attempt++;
    machine->is_hedged = true;
    rc_stepper_reserve(s, rc_other_slot(machine->current), RC_LANE_SECOND, action.entry,
                       action.credential);
}

/* If several times are due, the end of a complete stream is handled first, then the start of a
 * hedge, then the deadline. */
static void on_attempt_due(rc_stepper *s)
{
    rc_exchange_machine *machine = s->machine;
    const uint8_t slot = terminated_slot(machine);
    if (!rc_exchange_is_running(machine, machine->current))
        return;
    if (slot < 2)
        rc_stepper_push_slot(s, RC_EFFECT_END_STREAM, slot);
    else if (machine->state == RC_EXCHANGE_ATTEMPTING && s->now_ms >= machine->hedge.at_ms)
        start_hedge(s);
    else if (!polls_again(s))
        rc_stepper_push(s, RC_EFFECT_END_LATE);
}

/* Ends a wait of the call. A wake-up that came too late for the wait that it belonged to changes
 * nothing: the call still waits in the queue. */
static void end_wait(rc_stepper *s)
{
    rc_exchange_machine *machine = s->machine;
    const bool was_queued = machine->action.is_queued;
    const uint64_t at_ms = machine->action.at_ms;
    const rc_action action = rc_call_on_wake(&machine->call, s->now_ms, s->entropy);
    if (was_queued && action.is_queued && action.at_ms == at_ms)
        return;
    if (was_queued)
        rc_stepper_push(s, RC_EFFECT_CUT_WAIT);
    machine->state = RC_EXCHANGE_ATTEMPTING;
    rc_stepper_carry_out(s, action);
}

void rc_stepper_on_wake(rc_stepper *s)
{
    const rc_exchange_machine *machine = s->machine;
    if (machine->state == RC_EXCHANGE_WAITING && machine->action.is_queued)
        end_wait(s);
}

void rc_stepper_on_timer(rc_stepper *s)
{
    rc_exchange_machine *machine = s->machine;
    if (rc_exchange_due_ms(machine) > s->now_ms)
        return;
    switch ((rc_exchange_state)machine->state) {
    case RC_EXCHANGE_READING:
        if (polls_again(s))
            return;
        rc_stepper_push(s, RC_EFFECT_REFUSE_LATE);
        rc_stepper_record(s, RC_ENDING_ERROR);
        return;
    case RC_EXCHANGE_WAITING:
        end_wait(s);
        return;
    case RC_EXCHANGE_PAUSED:
        rc_stepper_push(s, RC_EFFECT_RESERVE)->is_again = true;
        machine->reserve_again_at_ms = RC_UNLIMITED;
        return;
    case RC_EXCHANGE_ATTEMPTING:
    case RC_EXCHANGE_RESPONDING:
        on_attempt_due(s);
        return;
    case RC_EXCHANGE_RECORDING:
        rc_stepper_on_record_late(s);
        return;
    case RC_EXCHANGE_REFRESHING:
    case RC_EXCHANGE_ENDING:
    case RC_EXCHANGE_OVER:
        return;
    }
}
