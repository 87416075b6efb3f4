/* Invariants of rc_call between two inputs. Called by lib/exchange/machine_validate.c, tests and
 * fuzz targets. */
#include "policy/call_private.h"

/* Checks that the state matches the latest action. */
static bool is_state_consistent(const rc_call *call)
{
    rc_action_kind kind = call->last.kind;
    switch (call->state) {
    case RC_CALL_NEW:
        return kind == 0 && call->calls == 0;
    case RC_CALL_TRYING:
        return kind == RC_DO_TRY;
    case RC_CALL_WAITING:
        return kind == RC_DO_WAIT;
    case RC_CALL_REFRESHING:
        return kind == RC_DO_REFRESH;
    case RC_CALL_DONE:
        return kind == RC_DO_DELIVER || kind == RC_DO_COMPACT || kind == RC_DO_STOP;
    default:
        return false;
    }
}

/* Returns the largest number of attempts that any rule allows at the current entry; at least 1. */
static uint32_t max_entry_attempts(const rc_call *call)
{
    const rc_policy *policy = call->plan->policy;
    uint32_t max = call->plan->entries[call->attempt.entry].max_attempts;
    if (max == 0) {
        max = policy->default_rule.max_attempts;
        for (uint32_t i = 0; i < policy->rule_count; i++)
            max = policy->rules[i].max_attempts > max ? policy->rules[i].max_attempts : max;
    }
    return max > 0 ? max : 1;
}

/* Checks that the current entry counts as used: its position is less than next_position, or it is a
 * used member of the group at next_position. */
static bool is_position_passed(const rc_call *call)
{
    uint16_t count = rc_plan_chain_count(call->plan);
    if (call->next_position > count || (call->next_position == count && call->tried_members != 0))
        return false;
    if (call->calls == 0 || call->attempt.entry >= count)
        return true;
    rc_group group = rc_plan_group(call->plan, call->attempt.entry);
    uint32_t position = rc_call_position(call, group.first);
    uint32_t member = UINT32_C(1) << (call->attempt.entry - group.first);
    return position < call->next_position ||
           (position == call->next_position && (call->tried_members & member) != 0);
}

bool rc_call_validate(const rc_call *call)
{
    const rc_action *last = &call->last;
    if (!is_state_consistent(call) || call->attempt.entry >= call->plan->entry_count)
        return false;
    if (call->state == RC_CALL_NEW)
        return !call->attempt.is_in_flight;
    uint32_t max_calls = rc_call_max_calls(call);
    if (call->calls > (max_calls > 0 ? max_calls : 1) ||
        call->entry_attempts > max_entry_attempts(call))
        return false;
    if (call->attempt.is_in_flight != (call->state == RC_CALL_TRYING) ||
        call->turn_waits > RC_CALL_TURN_WAITS_MAX || call->limit_waits > RC_CALL_LIMIT_WAITS_MAX)
        return false;
    if (last->reason == RC_WHY_NONE || last->attempt > call->calls ||
        last->attempt > last->max_attempts || !is_position_passed(call))
        return false;
    if (call->ticket != RC_QUEUE_NONE && call->state != RC_CALL_WAITING)
        return false;
    if (call->state == RC_CALL_WAITING)
        return last->at_ms < call->deadline_at_ms &&
               last->is_queued == (call->ticket != RC_QUEUE_NONE || call->is_refused) &&
               (call->is_round_next || last->is_queued || last->at_ms >= call->not_before_ms);
    return true;
}
