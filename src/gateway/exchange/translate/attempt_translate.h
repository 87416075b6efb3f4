/* The translation of one attempt at a target of another API than the client's: the request's body,
 * the response and the words for the client. Called by attempt.c, attempt_response.c,
 * attempt_stream.c and exchange_ledger.c. */
#ifndef RC_GATEWAY_EXCHANGE_ATTEMPT_TRANSLATE_H
#define RC_GATEWAY_EXCHANGE_ATTEMPT_TRANSLATE_H

#include <stdbool.h>

#include <recourse/buf.h>

#include "codec/stream_event.h"
#include "dialect/endpoint.h"
#include "gateway/request/fault.h"

typedef struct rc_attempt rc_attempt;
typedef struct rc_attempt_translation rc_attempt_translation;
typedef struct rc_builder rc_builder;
typedef struct rc_outbound_target rc_outbound_target;

/* Maximum number of bytes of a response that is translated as a whole, and of one event of a
 * translated stream. */
#define RC_ATTEMPT_WHOLE_MAX ((size_t)8 << 20)

/* Begins the translation if the target has another API than the client; otherwise changes nothing.
 * The request must have been planned (rc_exchange_plan_translations). Returns false if memory runs
 * out. */
bool rc_attempt_translation_begin(rc_attempt *attempt);
void rc_attempt_translation_done(rc_attempt *attempt);

/* Returns the endpoint of the provider, whose format the response has. */
const rc_endpoint *rc_attempt_endpoint(const rc_attempt *attempt);
/* Writes the request's body and sets `endpoint` and `body` of the target. */
rc_request_fault rc_attempt_translate_request(rc_attempt *attempt, rc_outbound_target *target);

/* Frees what was needed for the request only, after content was sent to the client. Returns false
 * if the client's body is still needed, because names of tools were changed. */
bool rc_attempt_translation_free_request(rc_attempt *attempt);

/* Replaces the whole response in `held` by its translation. Returns false if the response cannot be
 * translated; the attempt has then failed. */
bool rc_attempt_translate_whole(rc_attempt *attempt);

/* Translates one event of a stream and sends the result, or holds it back from the end of the
 * response on. Returns false if the attempt is over. */
bool rc_attempt_translate_event(rc_attempt *attempt, const rc_stream_event *event);
/* Writes the end of a stream that is complete although its provider sent no terminator. Returns
 * false if the attempt is over. */
bool rc_attempt_translate_end(rc_attempt *attempt);

/* Returns whether the client gets a stream as one JSON array. */
bool rc_attempt_is_client_array(const rc_attempt *attempt);
/* Returns the content type of a translated response; empty: the response is not translated. */
rc_str rc_attempt_translation_type(const rc_attempt *attempt);
/* Adds the next sequence number and the response id to a report, for an error event at the end of a
 * translated stream of the Responses API. Returns false if the response is not translated. */
bool rc_attempt_set_translated_position(const rc_attempt *attempt, rc_builder *builder);
/* Returns how the request was translated, such as "messages>chat; adapted=cache_control"; empty: it
 * was not. The result views the attempt. */
rc_str rc_attempt_translation_text(const rc_attempt *attempt);

#endif
