/* Reads response headers as evidence: request ids, server name, waits, typed (machine-readable)
 * errors. */
#ifndef RC_CLASSIFY_HEADERS_H
#define RC_CLASSIFY_HEADERS_H

#include "classify/evidence.h"

/* Reads request ids, the server's name, waits and x-should-retry. Called before rc_unwrap. */
void rc_headers_read(rc_evidence *evidence);

/* Adds the typed errors of headers (such as x-amzn-errortype) to the outermost layer of the body.
 * Called after rc_unwrap, which creates the layers. */
void rc_headers_add_type(rc_evidence *evidence);

#endif
