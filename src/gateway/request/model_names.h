/* Replaces the model's name in Gemini bodies that repeat the model of the path: at the top level,
 * in each element of "requests" and in "generateContentRequest". Google rejects a body whose model
 * differs from the path. */
#ifndef RC_GATEWAY_REQUEST_MODEL_NAMES_H
#define RC_GATEWAY_REQUEST_MODEL_NAMES_H

#include <recourse/buf.h>

#include "gateway/request/client_request.h"

/* True: a body of this endpoint can name the model more than once. */
bool rc_model_names_are_many(const rc_endpoint *endpoint);

/* True: the name (raw, between its quotes) is a resource: models/... Some writers escape slashes
 * with a backslash. name: borrows. */
bool rc_model_name_is_resource(rc_str name);

/* The length of the body after all names are replaced. body, model: borrows. */
size_t rc_model_names_measure(rc_str body, rc_str model);

/* Appends the body with all names replaced. All other bytes stay as they are, also behind a
 * position that cannot be parsed. body, model: borrows. Returns the buffer's status. */
rc_status rc_model_names_push(rc_buf *buf, rc_str body, rc_str model);

#endif
