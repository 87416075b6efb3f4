/* Checks that the members of rc_exchange_machine are consistent, and names its states. Called by
 * tests and by assertions of the owner. */
#include "exchange/machine.h"

#include <recourse/policy.h>

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

static bool is_lane_valid(const rc_exchange_machine *machine, uint8_t slot)
{
    const rc_exchange_lane *lane = &machine->lanes[slot];
    const bool is_active = lane->state == RC_LANE_RESERVING || lane->state == RC_LANE_RUNNING;
    if (lane->state > RC_LANE_ENDED)
        return false;
    /* The lane that is not `current` is active only during a hedge. */
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
    /* A call that has ended has no slot, probe or turn of rc_shared. */
    return !machine->is_hedged && (!machine->is_begun || rc_call_is_done(&machine->call));
}

bool rc_exchange_validate(const rc_exchange_machine *machine)
{
    if (machine->state > RC_EXCHANGE_REFRESHING || machine->ending > RC_ENDING_ABORT ||
        machine->current > 1)
        return false;
    if (!is_lane_valid(machine, 0) || !is_lane_valid(machine, 1) || !is_state_valid(machine))
        return false;
    /* Only a client that has disconnected gets no reply. */
    if (machine->ending == RC_ENDING_NONE && machine->state == RC_EXCHANGE_RECORDING &&
        !machine->is_gone)
        return false;
    /* Another thread may change a call that waits in the queue, so only its owner's inputs, which
     * take the lock, may read it. */
    const bool is_queued = machine->state == RC_EXCHANGE_WAITING && machine->action.is_queued;
    return !machine->is_begun || is_queued || rc_call_validate(&machine->call);
}
