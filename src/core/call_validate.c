/* What always holds of a call, between two inputs. */
#include "core/call_private.h"

/* The state and the latest action say the same. */
static bool is_state_told(const rc_call *call)
{
    rc_action_kind what = call->last.what;
    switch (call->state) {
    case RC_CALL_NEW:
        return what == 0 && call->calls == 0;
    case RC_CALL_TRYING:
        return what == RC_DO_TRY;
    case RC_CALL_WAITING:
        return what == RC_DO_WAIT;
    case RC_CALL_REFRESHING:
        return what == RC_DO_REFRESH;
    case RC_CALL_DONE:
        return what == RC_DO_DELIVER || what == RC_DO_COMPACT || what == RC_DO_STOP;
    default:
        return false;
    }
}

/* The most that any rule allows at the present entry; the first try always may. */
static uint32_t tries_max(const rc_call *call)
{
    const rc_policy *policy = call->plan->policy;
    uint32_t max = call->plan->entries[call->flight.entry].tries;
    if (max == 0) {
        max = policy->others.max_attempts;
        for (uint32_t i = 0; i < policy->rule_count; i++)
            max = policy->rules[i].max_attempts > max ? policy->rules[i].max_attempts : max;
    }
    return max > 0 ? max : 1;
}

/* Nobody is asked whose place was passed. */
static bool is_place_passed(const rc_call *call)
{
    uint16_t count = rc_plan_chain_count(call->plan);
    if (call->next_place > count)
        return false;
    if (call->calls == 0 || call->flight.entry >= count)
        return true;
    return rc_call_place(call, call->flight.entry) < call->next_place;
}

bool rc_call_validate(const rc_call *call)
{
    const rc_action *last = &call->last;
    if (!is_state_told(call) || call->flight.entry >= call->plan->entry_count)
        return false;
    if (call->state == RC_CALL_NEW)
        return !call->flight.is_on;
    uint32_t max_calls = rc_call_max_calls(call);
    if (call->calls > (max_calls > 0 ? max_calls : 1) || call->tries > tries_max(call))
        return false;
    if (call->flight.is_on != (call->state == RC_CALL_TRYING) || call->holds > RC_CALL_HOLDS_MAX ||
        call->closings > RC_CALL_CLOSINGS_MAX)
        return false;
    if (last->reason == RC_WHY_NONE || last->attempt > call->calls ||
        last->attempt > last->max_attempts || !is_place_passed(call))
        return false;
    if (call->state == RC_CALL_WAITING)
        return last->at_ms < call->deadline_at_ms &&
               (call->is_round_next || last->at_ms >= call->not_before_ms);
    return true;
}
