/* rc_gate_request: what a client wants, read from the bytes it sent.
 *
 *   head ─► read_head: endpoint, token, headers of ours ─┐
 *   body ─► read_body: model, stream, needs ─────────────┴─► request_upstream.h, once a try
 *
 * Nothing is copied but what has escapes in it, and nothing is allocated. The body is scanned for a
 * few members of its top level; it is not validated. */
#ifndef RC_GATEWAY_REQUEST_H
#define RC_GATEWAY_REQUEST_H

#include <stdint.h>

#include <recourse/call.h>

#include "base/json_top.h"
#include "base/secret.h"
#include "config/config.h"
#include "gateway/endpoint.h"
#include "gateway/fields.h"
#include "gateway/hops.h"
#include "gateway/model.h"
#include "gateway/request_fault.h"
#include "gateway/request_trace.h"
#include "http/http1.h"

#define RC_GATE_DEADLINE_MAX_MS UINT64_C(86400000)
#define RC_GATE_IDEMPOTENCY_MAX 255
#define RC_GATE_TOKEN_MAX 512
#define RC_GATE_CLIENT_RETRY_MAX 9999u

/* The caller's storage. It views itself, so it must not be copied; head, reader and body must last
 * as long. */
typedef struct rc_gate_request {
    const rc_http1 *reader;
    const char *head;
    rc_gate_fields fields;

    const rc_gate_endpoint *endpoint; /* NULL: there is none */
    rc_str provider;                  /* of a passthrough, as written */
    rc_str rest;                      /* its path, from the slash behind the provider on */
    rc_str query;                     /* with its credentials */

    rc_secret token;        /* empty: none */
    uint64_t deadline_ms;   /* 0: not said */
    uint64_t patience_ms;   /* the timeout that its SDK announces, less a margin; 0: none */
    rc_gate_field patience; /* then: the header that says so */
    rc_str policy;          /* empty: not said; whether there is one is for others to tell */
    rc_str idempotency_key; /* without quotes; empty: none */
    rc_str boundary;        /* of a form; empty: it is none */
    rc_gate_trace trace;    /* the owner may begin one where there is none */
    rc_gate_hops hops;      /* gateways that it has passed */
    uint32_t client_retry;  /* which of its own retries the client says that this is; 0: none */
    rc_replay replay;       /* YES or NO */
    bool is_replay_said;    /* by a header */
    bool wants_problem;     /* errors as application/problem+json */
    bool wants_events;      /* what happens before the answer, as comments of its stream */
    bool has_version;       /* anthropic-version */
    bool is_google;         /* x-goog-api-key, x-goog-api-client or another of Google's */
    bool is_coded;          /* the body is compressed */
    bool is_sse;            /* alt=sse */

    rc_str body;
    uint64_t body_left; /* of a body that is read before all of it is there: what is missing */
    rc_str asked_model; /* resolved; empty: not known, the first route or a default must do. May be
                            a secret: only routes and providers may see it */
    rc_str model; /* the same without secrets and at most RC_GATE_MODEL_MAX bytes, for everything
                            that shows it */
    bool is_model_there; /* in the body, at [model_at, model_end), a string's quotes included */
    size_t model_at;
    size_t model_end;
    bool is_model_open; /* behind /p/: the rest of the body may name it */
    bool is_stream;
    bool is_stream_open; /* nobody here knows: it is neither true nor false, or may still come */
    uint32_t needs;      /* RC_NEED_, all but VISION */
    rc_str talk;         /* the messages, where images are looked for */

    uint32_t seen;    /* of a body that is watched as it comes: members so far */
    const char *twin; /* the one that is ambiguous; NULL: none */
    char model_room[RC_GATE_MODEL_MAX];
    char shown_room[RC_GATE_MODEL_MAX]; /* of a model whose name has a secret in it */
    char token_room[RC_GATE_TOKEN_MAX];
    rc_json_top top; /* since watch_begin */
} rc_gate_request;

/* Reads all but the body. What could be read stands also when there is a fault: the endpoint, the
 * token, wants_problem. reader, head: borrow, and must not move. */
rc_gate_fault rc_gate_request_read_head(rc_gate_request *request, const rc_http1 *reader,
                                        const char *head);

/* Reads the body, after a head without fault. body: borrows. */
rc_gate_fault rc_gate_request_read_body(rc_gate_request *request, rc_str body);

/* Reads the beginning of a body of which `left` bytes are still to come. False: it does not say
 * what must be known, and more of it must be waited for. body: borrows. Forgetting makes the
 * request what it was before, for another read. */
bool rc_gate_request_read_start(rc_gate_request *request, rc_str body, uint64_t left);
void rc_gate_request_forget_start(rc_gate_request *request);

/* A body that is passed on as it comes, behind a start that was read: is one of its members there
 * twice, or in another spelling? False: it is, and what the piece has must not be passed on. Forms
 * and compressed bodies are not watched; JSON that is called a form is. piece: borrows. */
void rc_gate_request_watch_begin(rc_gate_request *request);
bool rc_gate_request_watch(rc_gate_request *request, rc_str piece);

/* Sets the model that was asked for, and what is shown of it. asked: borrows. */
void rc_gate_request_set_model(rc_gate_request *request, rc_str asked);

/* Is the body a form, and read as one? */
static inline bool rc_gate_request_is_form(const rc_gate_request *request)
{
    return request->endpoint->model == RC_MODEL_FORM && request->boundary.len > 0;
}

/* Everything that a target must have. Looking for images is a second scan of the messages: not
 * worth it when all targets have all. */
uint32_t rc_gate_request_needs(const rc_gate_request *request);

/* How long the first byte of its answer may take; 0: no end but the deadline. Where an answer comes
 * whole that is its end: only a limit that the configuration names holds there. timeouts: borrows.
 */
uint64_t rc_gate_request_first_byte_ms(const rc_gate_request *request,
                                       const rc_config_timeouts *timeouts);

/* Whose client has sent it, and so how errors and lists of models look: of an endpoint of a
 * provider's interface that one; else by the path and the headers. Whatever wants_problem says; of
 * a passthrough the provider's kind says more. The head was read, with or without a fault. */
rc_dialect rc_gate_request_dialect(const rc_gate_request *request);
/* The same by a path alone, without its query. */
rc_dialect rc_gate_path_dialect(rc_str path);

/* Reads the headers that are meant for us; a part of read_head. */
rc_gate_fault rc_gate_request_read_fields(rc_gate_request *request);

#endif
