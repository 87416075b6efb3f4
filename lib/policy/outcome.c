/* Outcomes that no provider reported: the table of spec/outcomes.def, and the codes that depend on
 * how far a call came. Called by the gateway's exchange and by src/client. */
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

rc_code rc_outcome_of_stop(const rc_action *action, rc_code unavailable)
{
    if (action->reason == RC_WHY_NONE_CAPABLE)
        return missing_code(action->missing);
    if (action->reason == RC_WHY_DEADLINE_PASSED)
        return RC_CODE_DEADLINE_EXCEEDED;
    return rc_outcome_is_unavailable(action) ? unavailable : RC_CODE_OVERLOADED;
}

rc_code rc_outcome_of_attempt(rc_code code, bool is_unsafe)
{
    return is_unsafe && rc_code_get(code)->is_retryable ? RC_CODE_OUTCOME_UNKNOWN : code;
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
