/* The removal of seals from a request that is not translated, on routes whose targets have several
 * APIs. Called by attempt.c and attempt_translate.c. */
#ifndef RC_GATEWAY_EXCHANGE_TRANSLATE_ATTEMPT_STRIP_H
#define RC_GATEWAY_EXCHANGE_TRANSLATE_ATTEMPT_STRIP_H

#include <recourse/str.h>

#include "gateway/request/fault.h"

typedef struct rc_attempt rc_attempt;
typedef struct rc_attempt_strip rc_attempt_strip;
typedef struct rc_client_request rc_client_request;

/* Removes the seals of translated responses from the request for a target of the client's own API,
 * which would refuse them. *ret_request: the client's request, or `copy` with the changed body. */
rc_request_fault rc_attempt_strip_request(rc_attempt *attempt, rc_client_request *copy,
                                          const rc_client_request **ret_request);
/* Frees the body after it was sent and content was sent to the client. */
void rc_attempt_strip_free_request(rc_attempt *attempt);
void rc_attempt_strip_done(rc_attempt *attempt);

/* Returns what was removed, such as "messages>messages; adapted=thinking.history"; empty: nothing.
 * The result views the attempt. */
rc_str rc_attempt_strip_text(const rc_attempt *attempt);

#endif
