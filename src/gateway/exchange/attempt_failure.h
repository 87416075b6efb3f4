/* The failure of an attempt: its report, and the input for the machine. */
#ifndef RC_GATEWAY_EXCHANGE_ATTEMPT_FAILURE_H
#define RC_GATEWAY_EXCHANGE_ATTEMPT_FAILURE_H

#include <recourse/classify.h>

#include "gateway/exchange/attempt.h"

/* Fails the attempt. failure: views; what is known beyond the attempt's own state. It is classified
 * before the attempt is stopped. */
void rc_attempt_fail(rc_attempt *attempt, rc_failure *failure);
/* The attempt failed although the provider responded: the response cannot be used, for the reason
 * that outcome names. A request that must not be sent twice ends as OutcomeUnknown. */
void rc_attempt_fail_unusable(rc_attempt *attempt, rc_local_outcome outcome);
/* As rc_attempt_fail_unusable, with a message of the caller's. */
void rc_attempt_fail_unusable_text(rc_attempt *attempt, rc_local_outcome outcome, rc_str message);
/* As rc_attempt_fail_unusable, with the code that the response's finish reason stands for. */
void rc_attempt_fail_ended(rc_attempt *attempt, rc_code code, rc_str message);
/* Fails the attempt for a reason of our own, of the configuration or of the request: no target is
 * to blame, and no other target would do better. message: empty: that of the outcome. */
void rc_attempt_fail_local(rc_attempt *attempt, rc_local_outcome outcome, rc_str message);
rc_local_outcome rc_attempt_local_outcome(rc_upstream_kind kind);
/* Stops the attempt because the gateway stops. */
void rc_attempt_break(rc_attempt *attempt, rc_local_outcome outcome);

#endif
