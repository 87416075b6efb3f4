/* A request as a provider gets it: made anew from the client's for each try.
 *
 *   line     METHOD base path + the endpoint's path ? query without credentials
 *   head     host, the provider's credential, what passes by spec/fields.def, via, trace, length
 *   body     the client's bytes; for another model three pieces: before, its name, after; a body
 *            that may name it in several places is written anew, behind the head
 *
 * Nothing that comes from a client or a configuration can begin a line of its own: what a reader
 * has not checked is checked or escaped here. */
#ifndef RC_GATEWAY_REQUEST_OUTBOUND_H
#define RC_GATEWAY_REQUEST_OUTBOUND_H

#include "base/secret.h"
#include "codec/origin.h"
#include "config/config.h"
#include "gateway/request/client_request.h"

/* Whom to ask. */
typedef struct rc_outbound_target {
    const rc_origin *origin;
    const rc_config_kind *kind;
    rc_config_auth auth;
    rc_str model;  /* "*" or empty: the one that the client named */
    rc_str quoted; /* the model, a valid one, as JSON has it; empty: not written yet */
    rc_secret key; /* empty: none is sent */
    uint8_t span[RC_SPAN_BYTES]; /* of this try; all zero: no trace goes on */
    rc_str hop;                  /* this gateway, as Via names it; empty: Via is not sent */
} rc_outbound_target;

#define RC_OUTBOUND_PIECES 3

typedef struct rc_outbound_request {
    rc_str head;                       /* views buf */
    rc_str pieces[RC_OUTBOUND_PIECES]; /* view the body or buf; all in the first, unless a name is
                                      replaced: that is the second */
    uint64_t body_bytes;               /* of all pieces */
    bool is_bodiless;                  /* HEAD */
} rc_outbound_request;

/* Writes the request into buf, whose old content is wiped; it holds the key until
 * rc_secret_wipe_buf. request: borrows, read without fault. target: borrows. The result holds until
 * buf changes. WIRE: this provider has no such endpoint. KEY, ORIGIN, MODEL_INVALID: the
 * configuration's. MEMORY: the buffer's. */
rc_request_fault rc_outbound_request_write(const rc_client_request *request,
                                           const rc_outbound_target *target, rc_buf *buf,
                                           rc_outbound_request *ret_upstream);

#endif
