/* The model's name where Gemini's bodies repeat the one of the path: at the top, in each of
 * "requests" and in "generateContentRequest". Google refuses a body that names another model than
 * its path does. */
#ifndef RC_GATEWAY_REQUEST_MODEL_NAMES_H
#define RC_GATEWAY_REQUEST_MODEL_NAMES_H

#include <recourse/buf.h>

#include "gateway/request/client_request.h"

/* Can the body of this endpoint name the model in more places than one? */
bool rc_model_names_are_many(const rc_endpoint *endpoint);

/* Is the name, as it stands between its quotes, one of a resource: models/...? Some writers put a
 * backslash before every slash. name: borrows. */
bool rc_model_name_is_resource(rc_str name);

/* How long the body is once all its names are this model's. body, model: borrow. */
size_t rc_model_names_measure(rc_str body, rc_str model);

/* Appends that body: all but the names stays as it is, byte for byte, and so does what stands
 * behind a place that cannot be read. body, model: borrow. Returns the buffer's status. */
rc_status rc_model_names_push(rc_buf *buf, rc_str body, rc_str model);

#endif
