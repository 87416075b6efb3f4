/* Failures of an attempt: building the report, and feeding the failure to the exchange's
 * machine. */
#ifndef RC_GATEWAY_EXCHANGE_ATTEMPT_FAILURE_H
#define RC_GATEWAY_EXCHANGE_ATTEMPT_FAILURE_H

#include <recourse/classify.h>

#include "gateway/exchange/attempt.h"

/* Fails the attempt. failure: the facts that are not in the attempt itself; borrows during the
 * call. The failure may view memory of the attempt, because it is classified before the attempt is
 * stopped. */
void rc_attempt_fail(rc_attempt *attempt, rc_failure *failure);
/* Fails the attempt because the provider's response cannot be used, for the reason that `outcome`
 * names. A request that must not be sent twice ends as OutcomeUnknown. */
void rc_attempt_fail_unusable(rc_attempt *attempt, rc_local_outcome outcome);
/* Fails the attempt as rc_attempt_fail_unusable does, with advice for a response that is valid and
 * cannot be translated. */
void rc_attempt_fail_untranslatable(rc_attempt *attempt, rc_local_outcome outcome);
/* Fails the attempt as rc_attempt_fail_unusable does, with the caller's message. */
void rc_attempt_fail_unusable_text(rc_attempt *attempt, rc_local_outcome outcome, rc_str message);
/* Fails the attempt as rc_attempt_fail_unusable does, with the code of the response's finish
 * reason. */
void rc_attempt_fail_ended(rc_attempt *attempt, rc_code code, rc_str message);
/* Fails the attempt for a reason in the gateway, the configuration or the request. The failure does
 * not count against the target, and no other target is tried. message: if it is empty, the report
 * has the message of `outcome`. */
void rc_attempt_fail_local(rc_attempt *attempt, rc_local_outcome outcome, rc_str message);
rc_local_outcome rc_attempt_local_outcome(rc_upstream_kind kind);
/* Stops the attempt because the gateway stops. */
void rc_attempt_break(rc_attempt *attempt, rc_local_outcome outcome);

#endif
