/* Maps the finish reason of a complete response to an error code. The gateway's audit and `recourse
 * call` use this mapping. The classifier maps to the same codes, with one exception: in this
 * mapping, a response that ended at the requested length is usable. */
#ifndef RC_DIALECT_FINISH_H
#define RC_DIALECT_FINISH_H

#include <recourse/codes.h>

#include "dialect/stream.h"

/* Returns the code for a response that is complete but unusable: the provider's filter or the model
 * refused the request, the context was full, a tool call is malformed, or the provider failed.
 * Returns RC_CODE_NONE if the response is usable. */
rc_code rc_finish_code(rc_stream_finish finish);

/* Returns whether the finish reason means a failure without a response, which a retry may fix. */
static inline bool rc_finish_is_failure(rc_stream_finish finish)
{
    return finish >= RC_STREAM_FINISH_TOOL;
}

#endif
