/* rc_client_request: a client's request, parsed from the received bytes.
 *
 *   head ─► read_head: endpoint, token, headers ──┐
 *   body ─► read_body: model, stream, needs ──────────┴─► outbound.h, once per attempt
 *
 * Values with escapes are copied into the struct; all others are views of the head or body. Nothing
 * is allocated. The body's top level is scanned for a few members; the body is not validated. */
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
#define RC_CLIENT_SESSION_MAX 255
#define RC_CLIENT_TOKEN_MAX 512
#define RC_CLIENT_RETRY_MAX 9999u

/* Lives in the caller's storage. The struct points into itself, so it must not be copied. The
 * struct also views head, reader and body, which must outlive it. */
typedef struct rc_client_request {
    const rc_http1 *reader;
    const char *head;

    const rc_endpoint *endpoint; /* NULL if no endpoint matches the path. */
    rc_str provider;             /* Provider of a passthrough (a path /p/PROVIDER/...), as the
                                    client wrote it. */
    rc_str passthrough_path;     /* Path of a passthrough, from the slash behind the provider on. */
    rc_str query;                /* The query as received, including credentials of the client. */

    rc_secret token;            /* The client's token. Empty if the request has no token. Views the
                                 * head or the token_scratch of rc_client_request_read_head. */
    uint64_t deadline_ms;       /* From x-recourse-deadline-ms. 0 if the client sets no deadline. */
    uint64_t client_timeout_ms; /* The timeout that the client's SDK sends in a header, less a
                                 * margin. 0 if the SDK sends no timeout. */
    rc_field_id client_timeout_field; /* The header that contained client_timeout_ms. */
    rc_str policy;                    /* Name of the policy that the client requested; it may be
                                       * unknown. Empty if the client requested no policy. */
    rc_str idempotency_key;           /* The idempotency key without quotes. Empty if the request
                                       * has no key. */
    rc_str session;                   /* From x-recourse-session. Empty if the client names no
                                         session. */
    rc_str mark;                      /* A name for the request, which a client in this process sets
                                       * to find the record of its request. Empty if the client gave
                                       * the request no name. */
    rc_str boundary;                  /* Boundary of a multipart form. Empty if the body is not a
                                         form. */
    uint32_t client_retry;            /* Retry number that the client's SDK sends. 0 if the request
                                       * is not a retry or the SDK sends no number. */
    rc_replay replay;                 /* RC_REPLAY_YES if the request may be sent again, otherwise
                                         RC_REPLAY_NO. */
    bool is_replay_explicit;          /* The client set `replay` by a header. */
    bool wants_problem;               /* The client wants errors as application/problem+json. */
    bool wants_events;          /* The client wants events before the response, as comments in its
                                 * stream. */
    bool has_anthropic_version; /* The header anthropic-version is present. */
    bool is_google_client;      /* x-goog-api-key, x-goog-api-client or another of Google's headers
                                 * is present. */
    bool is_compressed;         /* The content-encoding is not identity. */
    bool is_free;               /* The request costs nothing, whatever the response is. */
    bool is_sse;                /* The query has alt=sse. */

    rc_str body;
    uint64_t body_left; /* Bytes of the body that have not arrived yet, if `body` is only its
                           beginning. */
    /* The model that the client names, decoded. Empty if the model is unknown; then the first route
     * or a default is used. The name could contain a secret by mistake, so it is used only for
     * routing and sent only to providers. */
    rc_str requested_model;
    rc_str model; /* requested_model without secrets, at most RC_MODEL_NAME_MAX bytes. Logs,
                            records and messages use this text. */
    bool is_model_in_body; /* The body contains the model's name, at [model_at, model_end); in JSON
                            * the range includes the quotes. */
    size_t model_at;
    size_t model_end;
    bool is_model_pending; /* For a passthrough: bytes that have not arrived yet may contain the
                            * model's name. */
    bool is_stream;
    bool is_stream_unknown; /* The value of `stream` is neither true nor false, or may be in bytes
                             * that have not arrived yet. */
    uint32_t needs;         /* The capabilities that the request needs, as RC_NEED_ bits, without
                             * RC_NEED_VISION. */
    rc_str messages;        /* The messages in the body; rc_client_request_needs searches them for
                               images. */

    uint32_t members_seen;        /* Bits of the members that rc_client_request_watch has found so
                                   * far. */
    const char *ambiguous_member; /* The ambiguous member that rc_client_request_watch has found.
                                   * NULL if no member is ambiguous. */
    /* The members below are not zeroed as a whole. */
    rc_field_list fields;
    rc_trace_context trace; /* The client's trace. If the client sends no trace, the exchange may
                             * start one. */
    rc_hops hops;           /* Gateways that the request has passed, read from Via. */
    char model_storage[RC_MODEL_NAME_MAX];
    char shown_model_storage[RC_MODEL_NAME_MAX]; /* Holds `model` if the client's name contains a
                                                    secret. */
    rc_json_top_keys top;                        /* Parser of rc_client_request_watch; valid after
                             rc_client_request_watch_begin. */
} rc_client_request;

/* Parses everything except the body. After a fault, `endpoint`, `token` and `wants_problem` are set
 * as far as they could be read. reader, head: borrows for the lifetime of the request; they must
 * not move. token_scratch: used for a token with escapes; borrows as long as `token` is used. */
rc_request_fault rc_client_request_read_head(rc_client_request *request, const rc_http1 *reader,
                                             const char *head,
                                             char token_scratch[RC_CLIENT_TOKEN_MAX]);

/* Parses the body; the head must have been read without a fault. body: borrows for the lifetime of
 * the request. */
rc_request_fault rc_client_request_read_body(rc_client_request *request, rc_str body);

/* rc_client_request_read_start: parses the beginning of a body of which `left` bytes have not
 * arrived yet. Returns false if the model is not known yet; the caller then waits for more of the
 * body. body: borrows for the lifetime of the request, or until rc_client_request_forget_start.
 * rc_client_request_forget_start: drops the result, so that the body can be read again. */
bool rc_client_request_read_start(rc_client_request *request, rc_str body, uint64_t left);
void rc_client_request_forget_start(rc_client_request *request);

/* The next two functions check a body that the gateway passes on as it arrives.
 * rc_client_request_watch_begin: starts the check after rc_client_request_read_start.
 * rc_client_request_watch: searches the next piece for members that occur twice or in another case
 * of letters. rc_client_request_watch returns false if the piece has such a member; the caller must
 * then not pass the piece on. Compressed bodies and real forms are not checked; JSON that is
 * labelled as a form is checked. piece: borrows during the call. */
void rc_client_request_watch_begin(rc_client_request *request);
bool rc_client_request_watch(rc_client_request *request, rc_str piece);

/* Sets requested_model and model. requested: borrows for the lifetime of the request. */
void rc_client_request_set_model(rc_client_request *request, rc_str requested);

/* Whether the body is parsed as a form. */
static inline bool rc_client_request_is_form(const rc_client_request *request)
{
    return request->endpoint->model == RC_MODEL_FORM && request->boundary.len > 0;
}

/* Returns all capabilities that a target must have, as RC_NEED_ bits. The function scans the
 * messages a second time for images, so skip the call if all targets have all capabilities. */
uint32_t rc_client_request_needs(const rc_client_request *request);

/* Returns the time limit for the first byte of the response; 0 if only the deadline applies. A
 * response that is not streamed has no default limit, because its first byte arrives only when it
 * is nearly complete. timeouts: borrows during the call. */
uint64_t rc_client_request_first_byte_ms(const rc_client_request *request,
                                         const rc_config_timeouts *timeouts);

/* Returns the key by which requests of one user or session use the same target of a group; 0 if the
 * request names none. The user is the first of prompt_cache_key, user, safety_identifier and
 * metadata.user_id in a JSON body. The body must have been read. */
uint64_t rc_client_request_sticky_key(const rc_client_request *request, rc_config_sticky sticky);

/* Returns the dialect of the client, which decides the form of errors and model lists. The endpoint
 * determines the dialect; without an endpoint, the path and headers do. wants_problem is ignored.
 * For a passthrough, the caller should prefer the dialect of the provider's kind. The head must
 * have been read, with or without a fault. */
rc_dialect rc_client_request_dialect(const rc_client_request *request);
/* Returns the dialect that the path alone suggests. path: without its query; borrows during the
 * call. */
rc_dialect rc_dialect_of_path(rc_str path);

/* Parses the headers that the gateway uses. Called by rc_client_request_read_head. */
rc_request_fault rc_client_request_read_fields(rc_client_request *request);

#endif
