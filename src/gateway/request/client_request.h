/* rc_client_request: a client's request, parsed from the bytes that it sent.
 *
 *   head ─► read_head: endpoint, token, our headers ──┐
 *   body ─► read_body: model, stream, needs ──────────┴─► outbound.h, once per attempt
 *
 * Only values with escapes are copied, and nothing is allocated. The body's top level is scanned
 * for a few members; the body is not validated. */
#ifndef RC_GATEWAY_REQUEST_CLIENT_REQUEST_H
#define RC_GATEWAY_REQUEST_CLIENT_REQUEST_H

#include <stdint.h>

#include <recourse/call.h>

#include "base/secret.h"
#include "codec/hops.h"
#include "config/config.h"
#include "dialect/endpoint.h"
#include "gateway/request/fault.h"
#include "gateway/request/fields.h"
#include "gateway/request/model.h"
#include "gateway/request/trace_context.h"
#include "http/http1.h"
#include "json/top_keys.h"

#define RC_CLIENT_DEADLINE_MAX_MS UINT64_C(86400000)
#define RC_IDEMPOTENCY_KEY_MAX 255
#define RC_CLIENT_TOKEN_MAX 512
#define RC_CLIENT_RETRY_MAX 9999u

/* Caller's storage. It views itself, so it must not be copied; head, reader and body must outlive
 * it. */
typedef struct rc_client_request {
    const rc_http1 *reader;
    const char *head;
    rc_field_list fields;

    const rc_endpoint *endpoint; /* NULL: no endpoint matches. */
    rc_str provider;             /* Provider of a passthrough, as written. */
    rc_str passthrough_path;     /* Path of a passthrough, from the slash behind the provider on. */
    rc_str query;                /* The query, with the client's credentials. */

    rc_secret token;            /* Empty: none */
    uint64_t deadline_ms;       /* 0: not stated */
    uint64_t client_timeout_ms; /* The timeout that the client's SDK announces, less a margin. 0:
                                 * none. */
    rc_field_id client_timeout_field; /* The header that announces it. */
    rc_str policy;                    /* Name of the requested policy, not checked. Empty: none. */
    rc_str idempotency_key;           /* Without quotes. Empty: none. */
    rc_str mark;                      /* The client's own name of the request, for a client in this
                                       * process. Empty: none. */
    rc_str boundary;                  /* Boundary of a multipart form. Empty: not a form. */
    rc_trace_context trace;           /* The exchange may start a trace if there is none. */
    rc_hops hops;                     /* Gateways that the request has passed. */
    uint32_t client_retry;            /* Number of the client's own retry, as it states. 0: none. */
    rc_replay replay;                 /* YES or NO */
    bool is_replay_explicit;          /* A header sets `replay`. */
    bool wants_problem;               /* Wants errors as application/problem+json. */
    bool wants_events;          /* Wants events before the response, as comments in its stream. */
    bool has_anthropic_version; /* The header anthropic-version is present. */
    bool is_google_client;      /* x-goog-api-key, x-goog-api-client or another of Google's headers
                                 * is present. */
    bool is_compressed;         /* The body is compressed. */
    bool is_sse;                /* The query has alt=sse. */

    rc_str body;
    uint64_t body_left; /* Bytes still to come, if the body is read before it is complete. */
    rc_str
        requested_model; /* Decoded. Empty: unknown; the first route or a default is used. May be a
                          * secret: used only for routing and towards providers. */
    rc_str model;        /* requested_model without secrets, at most RC_MODEL_NAME_MAX bytes: for
                   * everything that shows it. */
    bool is_model_in_body; /* The name is in the body at [model_at, model_end), with a string's
                            * quotes. */
    size_t model_at;
    size_t model_end;
    bool is_model_pending; /* Passthrough: the rest of the body may name the model. */
    bool is_stream;
    bool is_stream_unknown; /* `stream` is neither true nor false, or may still come. */
    uint32_t needs;         /* RC_NEED_ bits except VISION */
    rc_str messages;        /* The messages, where images are searched for. */

    uint32_t members_seen;        /* Members seen so far in a body that is watched. */
    const char *ambiguous_member; /* The ambiguous member. NULL: none. */
    char model_storage[RC_MODEL_NAME_MAX];
    char shown_model_storage[RC_MODEL_NAME_MAX]; /* The name shown, if the model's name contains a
                                                  * secret. */
    char token_storage[RC_CLIENT_TOKEN_MAX];
    rc_json_top_keys top; /* Parser of a watched body; valid since watch_begin. */
} rc_client_request;

/* Parses everything except the body. On a fault the endpoint, the token and wants_problem are still
 * set as far as they could be read. reader, head: borrows; must not move. */
rc_request_fault rc_client_request_read_head(rc_client_request *request, const rc_http1 *reader,
                                             const char *head);

/* Parses the body, after a head without a fault. body: borrows. */
rc_request_fault rc_client_request_read_body(rc_client_request *request, rc_str body);

/* Parses the beginning of a body of which `left` bytes are still to come. False: the model is not
 * known yet; wait for more. body: borrows. rc_client_request_forget_start undoes it, for another
 * read. */
bool rc_client_request_read_start(rc_client_request *request, rc_str body, uint64_t left);
void rc_client_request_forget_start(rc_client_request *request);

/* Watches the rest of a body that is passed on as it arrives: searches for members that occur twice
 * or in another spelling. False: there is one, and the piece must not be passed on. Forms and
 * compressed bodies are not watched; JSON that is labelled as a form is. piece: borrows. */
void rc_client_request_watch_begin(rc_client_request *request);
bool rc_client_request_watch(rc_client_request *request, rc_str piece);

/* Sets requested_model and model. requested: borrows. */
void rc_client_request_set_model(rc_client_request *request, rc_str requested);

/* True: the body is parsed as a form. */
static inline bool rc_client_request_is_form(const rc_client_request *request)
{
    return request->endpoint->model == RC_MODEL_FORM && request->boundary.len > 0;
}

/* All capabilities that a target must have. Searching for images scans the messages a second time;
 * skip the call if all targets have all capabilities. */
uint32_t rc_client_request_needs(const rc_client_request *request);

/* Time limit for the first byte of the response. 0: only the deadline applies. For a response that
 * is not streamed the first byte is nearly the end, so that only a configured limit applies.
 * timeouts: borrows. */
uint64_t rc_client_request_first_byte_ms(const rc_client_request *request,
                                         const rc_config_timeouts *timeouts);

/* The dialect of the client, which decides the form of errors and model lists: that of the
 * endpoint, else by path and headers. It ignores wants_problem; for a passthrough the provider's
 * kind is more precise. The head must have been read, with or without a fault. */
rc_dialect rc_client_request_dialect(const rc_client_request *request);
/* The dialect by the path alone. path: without its query. */
rc_dialect rc_dialect_of_path(rc_str path);

/* Parses our headers; called by read_head. */
rc_request_fault rc_client_request_read_fields(rc_client_request *request);

/* True: the request costs nothing, whatever the response. */
bool rc_client_request_is_free(const rc_client_request *request);

#endif
