/* rc_outbound_request: a request as a provider gets it, built from the client's for each attempt.
 *
 *   line     METHOD base path + the endpoint's path ? query without credentials
 *   head     host, the provider's credential, the client's headers that pass, via, trace, length
 *   body     the client's bytes. For another model three pieces: before, the name, after. A body
 *            that may name it more than once is rewritten, behind the head in the buffer
 *
 * No value of a client or a configuration can start a line of its own: values that no parser has
 * checked are checked or escaped here. */
#ifndef RC_GATEWAY_REQUEST_OUTBOUND_H
#define RC_GATEWAY_REQUEST_OUTBOUND_H

#include "base/secret.h"
#include "codec/origin.h"
#include "config/config.h"
#include "gateway/request/client_request.h"

/* The provider, model and key of an attempt. */
typedef struct rc_outbound_target {
    const rc_origin *origin;
    const rc_config_kind *kind;
    rc_config_auth auth;
    rc_str model;                /* "*" or empty: the model that the client named. */
    rc_str quoted;               /* The model as a JSON string. Empty: not prepared. */
    rc_secret key;               /* Empty: none is sent. */
    uint8_t span[RC_SPAN_BYTES]; /* Span of this attempt. All zero: no trace is sent. */
    rc_str hop;                  /* This gateway's name in Via. Empty: Via is not sent. */
} rc_outbound_target;

#define RC_OUTBOUND_PIECES 3

typedef struct rc_outbound_request {
    rc_str head;                       /* Views buf. */
    rc_str pieces[RC_OUTBOUND_PIECES]; /* Views the body or buf. Only the first is set, unless a
                                        * name is replaced: then the second is the name. */
    uint64_t body_bytes;               /* Bytes of all pieces. */
    bool is_bodiless;                  /* The method is HEAD. */
} rc_outbound_request;

/* Writes the request into buf, whose old content is wiped; buf holds the key until
 * rc_secret_wipe_buf. request: borrows; read without a fault. target: borrows. ret_upstream is
 * valid until buf changes. Faults: WIRE: the provider lacks the endpoint. KEY, ORIGIN,
 * MODEL_INVALID: errors of the configuration. MEMORY: buf is full. */
rc_request_fault rc_outbound_request_write(const rc_client_request *request,
                                           const rc_outbound_target *target, rc_buf *buf,
                                           rc_outbound_request *ret_upstream);

#endif
