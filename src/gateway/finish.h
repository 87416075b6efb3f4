/* What a whole answer ended with, as an error: the gateway's audit and `recourse call` say the
 * same. */
#ifndef RC_GATEWAY_FINISH_H
#define RC_GATEWAY_FINISH_H

#include <recourse/codes.h>

#include "codec/stream.h"

/* Of an answer that nobody can use although it is whole: the provider's filter or the model refused
 * it, or the context was full. RC_CODE_NONE: it can be used. */
rc_code rc_gate_finish_code(rc_stream_finish finish);

/* What is said of an answer that came with a part that is no JSON. */
#define RC_GATE_DAMAGED_TEXT "A part of the answer was damaged on its way, and is missing."

#endif
