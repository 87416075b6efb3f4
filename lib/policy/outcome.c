/* Outcomes that the gateway itself decides: the table of spec/outcomes.def, and the codes that
 * depend on the stage at which a call ended. Called by the gateway's exchange and by src/client. */
#include "policy/outcome.h"

#include <recourse/taxonomy.h>

static const rc_local_outcome_row rows[] = {
#define RC_LOCAL_OUTCOME(ID, CODE, status, message) {RC_CODE_##CODE, status, RC_STR_INIT(message)},
#include "spec/outcomes.def"
};

_Static_assert(sizeof rows / sizeof rows[0] == RC_LOCAL_OUTCOME_COUNT, "one row for each outcome");

const rc_local_outcome_row *rc_local_outcome_get(rc_local_outcome outcome)
{
    return &rows[outcome];
}

bool rc_outcome_is_unavailable(const rc_action *action)
{
    return action->reason == RC_WHY_ALL_UNAVAILABLE || action->reason == RC_WHY_CREDENTIALS_DEAD;
}

static rc_code missing_code(uint32_t missing)
{
    if (missing & RC_NEED_STREAMING)
        return RC_CODE_MISSING_STREAMING;
    if (missing & RC_NEED_TOOLS)
        return RC_CODE_MISSING_TOOL_CALLING;
    if (missing & RC_NEED_VISION)
        return RC_CODE_MISSING_VISION;
    if (missing & RC_NEED_STRUCTURED_OUTPUT)
        return RC_CODE_MISSING_STRUCTURED_OUTPUT;
    return RC_CODE_UNSUPPORTED_FEATURE;
}

bool rc_outcome_needs_operator(const rc_unavailable_causes *causes)
{
    return causes->other == 0 && causes->used_up + causes->refused > 0;
}

static rc_code unavailable_code(const rc_unavailable_causes *causes)
{
    if (rc_outcome_needs_operator(causes))
        return causes->used_up > 0 ? RC_CODE_QUOTA_EXHAUSTED : RC_CODE_AUTH_FAILED;
    return causes->first != RC_CODE_NONE ? causes->first : RC_CODE_OVERLOADED;
}

rc_code rc_outcome_of_stop(const rc_stopped_call *call)
{
    const rc_action *action = call->action;
    if (action->reason == RC_WHY_DEADLINE_PASSED || (call->is_attempted && call->is_late))
        return RC_CODE_DEADLINE_EXCEEDED;
    if (call->is_attempted)
        return RC_CODE_NONE;
    if (call->is_other_interface)
        return RC_CODE_UNSUPPORTED_FEATURE;
    if (action->reason == RC_WHY_NONE_CAPABLE)
        return (action->missing & RC_NEED_TRANSLATION) != 0 && call->untranslatable != RC_CODE_NONE
                   ? call->untranslatable
                   : missing_code(action->missing);
    return rc_outcome_is_unavailable(action) ? unavailable_code(&call->unavailable)
                                             : RC_CODE_OVERLOADED;
}

/* Rate-limited and refreshing keys become usable soonest, so their codes win over those of
 * exhausted and dead keys. */
rc_code rc_outcome_of_keys(const uint32_t counts[RC_CREDENTIAL_DEAD + 1])
{
    if (counts[RC_CREDENTIAL_COOLING] > 0 || counts[RC_CREDENTIAL_HEALTHY] > 0)
        return RC_CODE_RATE_LIMITED;
    return counts[RC_CREDENTIAL_EXHAUSTED] > 0 ? RC_CODE_QUOTA_EXHAUSTED : RC_CODE_AUTH_FAILED;
}

rc_local_outcome rc_outcome_of_refusal(int status)
{
    switch (status) {
    case 408:
        return RC_LOCAL_REQUEST_TIMED_OUT;
    case 413:
    case 414:
    case 431:
        return RC_LOCAL_REQUEST_OVERSIZED;
    default:
        return RC_LOCAL_REQUEST_MALFORMED;
    }
}

rc_code rc_outcome_of_attempt(rc_code code, bool is_unsafe)
{
    return is_unsafe && rc_code_get(code)->is_retryable ? RC_CODE_OUTCOME_UNKNOWN : code;
}

rc_code rc_outcome_of_response(rc_code code, bool is_replayable)
{
    return is_replayable ? code : RC_CODE_OUTCOME_UNKNOWN;
}

bool rc_outcome_of_unusable(rc_code code, bool is_replayable, rc_local_outcome *ret_outcome)
{
    const bool is_unknown = code == RC_CODE_UNCLASSIFIED;
    if (!is_replayable && (is_unknown || code == RC_CODE_MALFORMED_RESPONSE)) {
        *ret_outcome = RC_LOCAL_UNREADABLE_AND_DONE;
        return true;
    }
    *ret_outcome = RC_LOCAL_UNREADABLE;
    return is_unknown;
}

bool rc_outcome_may_be_done(rc_code code)
{
    return code == RC_CODE_NONE || code == RC_CODE_OUTCOME_UNKNOWN || code == RC_CODE_INTERNAL;
}

bool rc_outcome_is_maskable(rc_code code)
{
    const rc_code_info *info = rc_code_get(code);
    if (info == NULL || info->is_retryable || info->category == RC_CATEGORY_CAPACITY ||
        code == RC_CODE_CONTEXT_OVERFLOW || code == RC_CODE_OUTCOME_UNKNOWN ||
        code == RC_CODE_OUTPUT_TRUNCATED)
        return false;
    return info->error_class == RC_CLASS_PROVIDER_TERMINAL ||
           info->error_class == RC_CLASS_PROVIDER_CAPABILITY;
}

bool rc_outcome_is_busy(rc_code code)
{
    return code == RC_CODE_OVERLOADED;
}

bool rc_outcome_is_limit(rc_code code)
{
    return code == RC_CODE_RATE_LIMITED || code == RC_CODE_QUOTA_EXHAUSTED;
}

bool rc_outcome_is_used_up(rc_code code)
{
    return code == RC_CODE_QUOTA_EXHAUSTED;
}

bool rc_outcome_is_lasting(rc_code code)
{
    return code == RC_CODE_QUOTA_EXHAUSTED || code == RC_CODE_AUTH_FAILED;
}

bool rc_outcome_is_missing(rc_code code)
{
    return code == RC_CODE_ENDPOINT_NOT_FOUND;
}

bool rc_outcome_is_conflict(rc_code code)
{
    return code == RC_CODE_CONFLICT;
}
