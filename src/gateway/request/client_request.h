/* rc_client_request: what a client wants, read from the bytes it sent.
 *
 *   head ─► read_head: endpoint, token, headers of ours ─┐
 *   body ─► read_body: model, stream, needs ─────────────┴─► request_upstream.h, once a try
 *
 * Nothing is copied but what has escapes in it, and nothing is allocated. The body is scanned for a
 * few members of its top level; it is not validated. */
#ifndef RC_GATEWAY_REQUEST_CLIENT_REQUEST_H
#define RC_GATEWAY_REQUEST_CLIENT_REQUEST_H

#include <stdint.h>

#include <recourse/call.h>

#include "base/secret.h"
#include "codec/hops.h"
#include "config/config.h"
#include "gateway/request/endpoint.h"
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

/* The caller's storage. It views itself, so it must not be copied; head, reader and body must last
 * as long. */
typedef struct rc_client_request {
    const rc_http1 *reader;
    const char *head;
    rc_field_list fields;

    const rc_endpoint *endpoint; /* NULL: there is none */
    rc_str provider;             /* of a passthrough, as written */
    rc_str passthrough_path;     /* its path, from the slash behind the provider on */
    rc_str query;                /* with its credentials */

    rc_secret token;            /* empty: none */
    uint64_t deadline_ms;       /* 0: not said */
    uint64_t client_timeout_ms; /* the timeout that its SDK announces, less a margin; 0: none */
    rc_field_id client_timeout_field; /* then: the header that says so */
    rc_str policy;              /* empty: not said; whether there is one is for others to tell */
    rc_str idempotency_key;     /* without quotes; empty: none */
    rc_str boundary;            /* of a form; empty: it is none */
    rc_trace_context trace;     /* the owner may begin one where there is none */
    rc_hops hops;               /* gateways that it has passed */
    uint32_t client_retry;      /* which of its own retries the client says that this is; 0: none */
    rc_replay replay;           /* YES or NO */
    bool is_replay_explicit;    /* by a header */
    bool wants_problem;         /* errors as application/problem+json */
    bool wants_events;          /* what happens before the answer, as comments of its stream */
    bool has_anthropic_version; /* anthropic-version */
    bool is_google_client;      /* x-goog-api-key, x-goog-api-client or another of Google's */
    bool is_compressed;         /* the body is compressed */
    bool is_sse;                /* alt=sse */

    rc_str body;
    uint64_t body_left; /* of a body that is read before all of it is there: what is missing */
    rc_str
        requested_model; /* resolved; empty: not known, the first route or a default must do. May be
                            a secret: only routes and providers may see it */
    rc_str model; /* the same without secrets and at most RC_MODEL_NAME_MAX bytes, for everything
                            that shows it */
    bool is_model_in_body; /* in the body, at [model_at, model_end), a string's quotes included */
    size_t model_at;
    size_t model_end;
    bool is_model_pending; /* behind /p/: the rest of the body may name it */
    bool is_stream;
    bool is_stream_unknown; /* nobody here knows: it is neither true nor false, or may still come */
    uint32_t needs;         /* RC_NEED_, all but VISION */
    rc_str messages;        /* the messages, where images are looked for */

    uint32_t members_seen;        /* of a body that is watched as it comes: members so far */
    const char *ambiguous_member; /* the one that is ambiguous; NULL: none */
    char model_storage[RC_MODEL_NAME_MAX];
    char shown_model_storage[RC_MODEL_NAME_MAX]; /* of a model whose name has a secret in it */
    char token_storage[RC_CLIENT_TOKEN_MAX];
    rc_json_top_keys top; /* since watch_begin */
} rc_client_request;

/* Reads all but the body. What could be read stands also when there is a fault: the endpoint, the
 * token, wants_problem. reader, head: borrow, and must not move. */
rc_request_fault rc_client_request_read_head(rc_client_request *request, const rc_http1 *reader,
                                             const char *head);

/* Reads the body, after a head without fault. body: borrows. */
rc_request_fault rc_client_request_read_body(rc_client_request *request, rc_str body);

/* Reads the beginning of a body of which `left` bytes are still to come. False: it does not say
 * what must be known, and more of it must be waited for. body: borrows. Forgetting makes the
 * request what it was before, for another read. */
bool rc_client_request_read_start(rc_client_request *request, rc_str body, uint64_t left);
void rc_client_request_forget_start(rc_client_request *request);

/* A body that is passed on as it comes, behind a start that was read: is one of its members there
 * twice, or in another spelling? False: it is, and what the piece has must not be passed on. Forms
 * and compressed bodies are not watched; JSON that is called a form is. piece: borrows. */
void rc_client_request_watch_begin(rc_client_request *request);
bool rc_client_request_watch(rc_client_request *request, rc_str piece);

/* Sets the model that was asked for, and what is shown of it. asked: borrows. */
void rc_client_request_set_model(rc_client_request *request, rc_str requested);

/* Is the body a form, and read as one? */
static inline bool rc_client_request_is_form(const rc_client_request *request)
{
    return request->endpoint->model == RC_MODEL_FORM && request->boundary.len > 0;
}

/* Everything that a target must have. Looking for images is a second scan of the messages: not
 * worth it when all targets have all. */
uint32_t rc_client_request_needs(const rc_client_request *request);

/* How long the first byte of its answer may take; 0: no end but the deadline. Where an answer comes
 * whole that is its end: only a limit that the configuration names holds there. timeouts: borrows.
 */
uint64_t rc_client_request_first_byte_ms(const rc_client_request *request,
                                         const rc_config_timeouts *timeouts);

/* Whose client has sent it, and so how errors and lists of models look: of an endpoint of a
 * provider's interface that one; else by the path and the headers. Whatever wants_problem says; of
 * a passthrough the provider's kind says more. The head was read, with or without a fault. */
rc_dialect rc_client_request_dialect(const rc_client_request *request);
/* The same by a path alone, without its query. */
rc_dialect rc_dialect_of_path(rc_str path);

/* Reads the headers that are meant for us; a part of read_head. */
rc_request_fault rc_client_request_read_fields(rc_client_request *request);

#endif
