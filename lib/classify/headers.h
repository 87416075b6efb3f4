/* What the response's headers say: typed errors, ids, servers, waits. */
#ifndef RC_CLASSIFY_HEADERS_H
#define RC_CLASSIFY_HEADERS_H

#include "classify/evidence.h"

/* Before the body is unwrapped: ids, the server, waits, "should retry". */
void rc_headers_read(rc_evidence *evidence);

/* Behind it: a typed error in a header belongs to the body's outermost layer. */
void rc_headers_add_type(rc_evidence *evidence);

#endif
