/* The error code of a finish reason, for a complete response. The gateway's audit and `recourse
 * call` use the same mapping. The classifier gives the same codes, with one exception: a response
 * that ended at the requested length is usable here. */
#ifndef RC_DIALECT_FINISH_H
#define RC_DIALECT_FINISH_H

#include <recourse/codes.h>

#include "dialect/stream.h"

/* Returns the code of a response that is complete but unusable: the provider's filter or the model
 * refused, the context was full, a tool call is malformed, or the provider failed. RC_CODE_NONE:
 * the response is usable. */
rc_code rc_finish_code(rc_stream_finish finish);

/* Returns whether the finish reason means a failure without a response, which a retry may avoid. */
static inline bool rc_finish_is_failure(rc_stream_finish finish)
{
    return finish >= RC_STREAM_FINISH_TOOL;
}

#endif
