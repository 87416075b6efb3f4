/* rc_outbound_request: a request as a provider gets it, built from the client's request for each
 * attempt.
 *
 *   line     METHOD base path + the endpoint's path ? query without credentials
 *   head     host, the provider's credential, allowed headers of the client, via, trace, length
 *   body     the client's bytes. If the model's name is replaced, the body has three pieces: the
 *            bytes before the name, the new name, the bytes after it. A body that may name the
 *            model more than once is rewritten as a whole, behind the head in the buffer
 *
 * No value of a client or a configuration can inject a header line, because values that no parser
 * has checked are checked or escaped here. */
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
    rc_str model;                /* "*" or empty selects the model that the client named. */
    rc_str quoted;               /* `model` as a JSON string. Empty if the caller has not prepared
                                    it. */
    rc_secret key;               /* Empty if no credential is sent. */
    uint8_t span[RC_SPAN_BYTES]; /* Trace span of this attempt. If all bytes are zero, no trace is
                                    sent. */
    const rc_endpoint *endpoint; /* Endpoint of a translated request. NULL: the client's request is
                                    passed on to the client's own endpoint. */
    rc_str body;                 /* Body of a translated request. */
    rc_str hop;                  /* This gateway's name in the header Via. If the name is empty, Via
                                  * is not sent. */
} rc_outbound_target;

#define RC_OUTBOUND_PIECES 3

typedef struct rc_outbound_request {
    rc_str head;                       /* Views (points into) buf. */
    rc_str pieces[RC_OUTBOUND_PIECES]; /* Pieces of the body. Each views (points into) the client's
                                        * body or buf. If the model's name is replaced, the second
                                        * piece is the new name; otherwise only the first piece is
                                        * set. */
    uint64_t body_bytes;               /* Total number of bytes of all pieces. */
    bool is_bodiless;                  /* The method is HEAD. */
} rc_outbound_request;

/* Writes the request into buf after wiping the old content of buf. buf contains the key until the
 * caller calls rc_secret_wipe_buf. request: borrows until ret_upstream is no longer used; it must
 * have been read without a fault. target: borrows during the call. ret_upstream is valid until buf
 * changes. The fault WIRE means that the provider lacks the endpoint; KEY, ORIGIN and MODEL_INVALID
 * are errors in the configuration; MEMORY means that buf is full. */
rc_request_fault rc_outbound_request_write(const rc_client_request *request,
                                           const rc_outbound_target *target, rc_buf *buf,
                                           rc_outbound_request *ret_upstream);

#endif
