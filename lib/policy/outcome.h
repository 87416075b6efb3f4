/* Outcomes: the code, status and message of every end that no provider reported. The gateway and
 * its in-process client choose an outcome by its situation; only this module maps situations to
 * codes. The rows are in spec/outcomes.def. */
#ifndef RC_POLICY_OUTCOME_H
#define RC_POLICY_OUTCOME_H

#include <stdbool.h>

#include <recourse/call.h>
#include <recourse/codes.h>
#include <recourse/str.h>

/* Why a request or an attempt ends although no provider reported a failure. */
typedef enum rc_local_outcome {
#define RC_LOCAL_OUTCOME(ID, CODE, status, message) RC_LOCAL_##ID,
#include "spec/outcomes.def"
    RC_LOCAL_OUTCOME_COUNT
} rc_local_outcome;

typedef struct rc_local_outcome_row {
    rc_code code;
    int status;     /* the HTTP status for the client; 0: the code's own */
    rc_str message; /* empty: the caller writes it */
} rc_local_outcome_row;

/* The row of an outcome. outcome: less than RC_LOCAL_OUTCOME_COUNT. Static. */
const rc_local_outcome_row *rc_local_outcome_get(rc_local_outcome outcome);

/* The code of a call that stopped before its first attempt. action: why it stopped; borrows.
 * unavailable: the code to use when every target is unavailable. */
rc_code rc_outcome_of_stop(const rc_action *action, rc_code unavailable);

/* The code of a failed attempt whose request may have been carried out and must not be sent twice
 * (is_unsafe): a retryable code becomes OutcomeUnknown, others stay. */
rc_code rc_outcome_of_attempt(rc_code code, bool is_unsafe);

/* The outcome of an attempt whose response has a good status and no usable content. code: what the
 * classifier found. False: the classified failure stands. */
bool rc_outcome_of_unusable(rc_code code, bool is_replayable, rc_local_outcome *ret_outcome);

/* Did every target that could serve the call turn out to be unavailable? action: borrows. */
bool rc_outcome_is_unavailable(const rc_action *action);

#endif
