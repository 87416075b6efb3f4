/* Replaces the model's name in Gemini bodies that repeat the model of the path: at the top level,
 * in each element of "requests" and in "generateContentRequest". Google rejects a body whose model
 * differs from the path. */
#ifndef RC_GATEWAY_REQUEST_MODEL_NAMES_H
#define RC_GATEWAY_REQUEST_MODEL_NAMES_H

#include <recourse/buf.h>

#include "gateway/request/client_request.h"

/* Whether a body of this endpoint can name the model more than once. */
bool rc_model_names_are_many(const rc_endpoint *endpoint);

/* Whether the name begins with "models/". name: the raw JSON between the quotes, where the slash
 * may be escaped by a backslash; borrows during the call. */
bool rc_model_name_is_resource(rc_str name);

/* Returns the length of the body after all names are replaced. body, model: borrows during the
 * call. */
size_t rc_model_names_measure(rc_str body, rc_str model);

/* Appends the body with all names replaced. All other bytes are copied unchanged, including those
 * behind a syntax error. body, model: borrows during the call. Returns the buffer's status. */
rc_status rc_model_names_push(rc_buf *buf, rc_str body, rc_str model);

#endif
