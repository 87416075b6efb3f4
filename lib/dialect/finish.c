/* Error codes of finish reasons. Called by lib/exchange, the gateway and `recourse call`. */
#include "dialect/finish.h"

rc_code rc_finish_code(rc_stream_finish finish)
{
    switch (finish) {
    case RC_STREAM_FINISH_FILTER:
    case RC_STREAM_FINISH_REFUSAL:
        return RC_CODE_CONTENT_FILTER;
    case RC_STREAM_FINISH_CONTEXT:
        return RC_CODE_CONTEXT_OVERFLOW;
    case RC_STREAM_FINISH_TOOL:
        return RC_CODE_MALFORMED_RESPONSE;
    case RC_STREAM_FINISH_ERROR:
        return RC_CODE_PROVIDER_5XX;
    case RC_STREAM_FINISH_NONE:
    case RC_STREAM_FINISH_UNKNOWN:
    case RC_STREAM_FINISH_GOOD:
    case RC_STREAM_FINISH_LENGTH:
        break;
    }
    return RC_CODE_NONE;
}
