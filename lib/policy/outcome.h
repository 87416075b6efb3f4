/* Outcomes: the code, status and message of a request that ended for a reason that no provider
 * reported. The gateway and its in-process client name the situation; this module maps the
 * situation to a code and a code to its properties. The rows are in spec/outcomes.def. */
#ifndef RC_POLICY_OUTCOME_H
#define RC_POLICY_OUTCOME_H

#include <stdbool.h>

#include <recourse/call.h>
#include <recourse/codes.h>
#include <recourse/credential.h>
#include <recourse/str.h>

/* Why a request or an attempt ends although no provider reported a failure. */
typedef enum rc_local_outcome {
#define RC_LOCAL_OUTCOME(ID, CODE, status, message) RC_LOCAL_##ID,
#include "spec/outcomes.def"
    RC_LOCAL_OUTCOME_COUNT
} rc_local_outcome;

typedef struct rc_local_outcome_row {
    rc_code code;
    int status;     /* HTTP status for the client; 0: the status of the error code */
    rc_str message; /* message for the client; empty: the caller writes the message */
} rc_local_outcome_row;

/* Returns the row of an outcome, a static object. outcome: less than RC_LOCAL_OUTCOME_COUNT. */
const rc_local_outcome_row *rc_local_outcome_get(rc_local_outcome outcome);

/* Returns the outcome of a request that the server refuses before the request is complete.
 * `status`: the HTTP status of the refusal. */
rc_local_outcome rc_outcome_of_refusal(int status);

/* ---- calls that stopped ---- */

/* Number of targets that a call could not use, by cause. */
typedef struct rc_unavailable_causes {
    uint32_t used_up; /* targets whose quota is exhausted */
    uint32_t refused; /* targets whose keys the provider rejected */
    uint32_t other;   /* targets with a cause that ends without an operator's action */
    rc_code first;    /* error code of that target in `other` that becomes available first;
                         RC_CODE_NONE: not known */
} rc_unavailable_causes;

/* Returns whether no target becomes available before an operator acts. causes: borrows during the
 * call. */
bool rc_outcome_needs_operator(const rc_unavailable_causes *causes);

typedef struct rc_stopped_call {
    const rc_action *action;           /* the final action of the call; borrows */
    bool is_attempted;                 /* at least one attempt was made and failed */
    bool is_late;                      /* the deadline ended the latest attempt */
    bool is_other_interface;           /* no provider of the route has the API of the endpoint */
    rc_unavailable_causes unavailable; /* set if every target is unavailable */
    rc_code untranslatable;            /* why the request cannot be expressed for the first target
                                          that lacks RC_NEED_TRANSLATION; NONE: no such target */
} rc_stopped_call;

/* Returns the code of the error report for the client; RC_CODE_NONE means that the client gets the
 * report of the latest attempt. call: borrows during the call. */
rc_code rc_outcome_of_stop(const rc_stopped_call *call);

/* Returns the code that describes a target whose keys are all unusable. counts: the number of keys
 * in each rc_credential_state; borrows during the call. */
rc_code rc_outcome_of_keys(const uint32_t counts[RC_CREDENTIAL_DEAD + 1]);

/* ---- attempts ---- */

/* Returns the code to report for a failed attempt. is_unsafe: the provider may have carried the
 * request out, and the request must not be sent twice; a retryable code then becomes
 * OutcomeUnknown. */
rc_code rc_outcome_of_attempt(rc_code code, bool is_unsafe);

/* Returns the code to report for a complete response that cannot be used. If the request must not
 * be sent twice, the code is OutcomeUnknown, because the provider has carried the request out. */
rc_code rc_outcome_of_response(rc_code code, bool is_replayable);

/* Finds the outcome of an attempt whose response has a success status but no usable content.
 * `code`: the result of the classifier. Returns false if the failure that the classifier found is
 * to be reported instead. */
bool rc_outcome_of_unusable(rc_code code, bool is_replayable, rc_local_outcome *ret_outcome);

/* Returns whether the call stopped because every target that could serve it was unavailable.
 * action: borrows during the call. */
bool rc_outcome_is_unavailable(const rc_action *action);

/* ---- properties of codes ---- */

/* Returns whether the provider may have carried out the request of an attempt that ended with this
 * code. RC_CODE_NONE: the attempt did not fail. */
bool rc_outcome_may_be_done(rc_code code);
/* Returns whether the code is fatal at one target although another target may serve the request, so
 * that fallback_on of a route may name it. */
bool rc_outcome_is_maskable(rc_code code);
/* Returns whether the code means that the gateway has no capacity now and names the time for the
 * next try. */
bool rc_outcome_is_busy(rc_code code);
/* Returns whether the code means that a limit of the provider was reached. */
bool rc_outcome_is_limit(rc_code code);
/* Returns whether the code means that the quota of a key is exhausted. */
bool rc_outcome_is_used_up(rc_code code);
/* Returns whether the code means that the key cannot be used before its quota renews or an operator
 * acts. The store saves the state of such keys. */
bool rc_outcome_is_lasting(rc_code code);
/* Returns whether the code means that the path does not exist, or names a resource that does not
 * exist. */
bool rc_outcome_is_missing(rc_code code);
/* Returns whether the code means that the resource is in a state that does not allow the
 * request. */
bool rc_outcome_is_conflict(rc_code code);

#endif
