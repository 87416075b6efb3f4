/* What a whole answer ended with, as an error: the gateway's audit and `recourse call` say the
 * same, and so does the classifier, but for an answer that was cut at the limit that was asked for:
 * that one can be used. */
#ifndef RC_DIALECT_FINISH_H
#define RC_DIALECT_FINISH_H

#include <recourse/codes.h>

#include "dialect/stream.h"

/* Of an answer that nobody can use although it is whole: the provider's filter or the model refused
 * it, the context was full, a tool call cannot be read, the provider failed. RC_CODE_NONE: it can
 * be used. */
rc_code rc_finish_code(rc_stream_finish finish);

/* Is there no answer behind it, but a failure that another try may not meet? */
static inline bool rc_finish_is_failure(rc_stream_finish finish)
{
    return finish >= RC_STREAM_FINISH_TOOL;
}

#endif
