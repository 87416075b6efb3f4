/* rc_mock_response: the response to a request according to a plan, produced step by step.
 *
 *   plan + request ──► begin ──► step ──► HEAD, SEND, WAIT, SEND, ..., END
 *                                                               └──── or CLOSE, RESET, HANG
 *
 * The owner of the connection (a server, or the gateway's demo) carries out the steps in order. A
 * response has its own memory and no reference to the request. The functions do not wait: a wait is
 * a step. Random values depend only on the seed. */
#ifndef RC_MOCK_RESPONSE_H
#define RC_MOCK_RESPONSE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

#include "mock/behaviour.h"
#include "mock/request.h"

/* Upper limit of a response's size, in bytes. */
#define RC_MOCK_RESPONSE_MAX ((size_t)64 << 20)
#define RC_MOCK_HEADERS_MAX 16
#define RC_MOCK_MESSAGE_MAX 512

typedef enum rc_mock_step_kind {
    RC_MOCK_HEAD = 1, /* Send the status and headers of the rc_mock_response. */
    RC_MOCK_SEND,     /* Send bytes of the body. */
    RC_MOCK_GARBAGE,  /* Send a chunk with an invalid size; RC_MOCK_CLOSE follows. */
    RC_MOCK_WAIT,     /* Wait before the next step. */
    RC_MOCK_END,      /* The body is complete. */
    RC_MOCK_CLOSE,    /* Close the connection gracefully in the middle of the response. */
    RC_MOCK_RESET,    /* Reset the connection. */
    RC_MOCK_HANG      /* Send nothing more until the client disconnects. */
} rc_mock_step_kind;

typedef struct rc_mock_step {
    rc_mock_step_kind kind;
    rc_str bytes;     /* For RC_MOCK_SEND; views the response until the next step. */
    uint32_t wait_ms; /* For RC_MOCK_WAIT. */
    uint32_t tokens;  /* For RC_MOCK_SEND: number of output tokens in `bytes`. */
} rc_mock_step;

typedef struct rc_mock_header {
    const char *name; /* A static text. */
    char value[96];   /* A NUL-terminated text. */
} rc_mock_header;

/* State of a rate limit, for the headers. */
typedef struct rc_mock_limit_state {
    bool is_known;
    uint64_t limit;
    uint64_t remaining;
    uint64_t reset_ms; /* Time until the limit is full again. */
} rc_mock_limit_state;

/* The inputs of a response besides the plan and the request. */
typedef struct rc_mock_context {
    uint64_t seed;
    uint64_t nth;        /* Number of the request, from 1, among the requests with the same key and
                          * model. */
    int64_t now_unix_ms; /* Current Unix time, used only for absolute times in headers. */
    rc_mock_limit_state requests;
    rc_mock_limit_state tokens;
    rc_str message; /* Replaces the message of the plan's error, if not empty; copies. */
} rc_mock_context;

typedef enum rc_mock_finish {
    RC_MOCK_FINISH_STOP = 0,
    RC_MOCK_FINISH_LENGTH,
    RC_MOCK_FINISH_TOOL
} rc_mock_finish;

typedef struct rc_mock_dialect rc_mock_dialect;

/* A response, in the caller's storage. Callers use only the members up to is_unbilled. */
typedef struct rc_mock_response {
    int status; /* 0: no response is sent. */
    bool is_chunked;
    uint64_t length; /* Content-Length of a body that is not chunked; may be wrong on purpose. */
    rc_mock_header headers[RC_MOCK_HEADERS_MAX];
    size_t header_count;
    uint64_t input_tokens;
    uint64_t output_tokens; /* Number of output tokens of the whole response. */
    bool is_unbilled;       /* The tokens are not billed, because this is an error response, a token
                             * count or a list of models. */

    rc_mock_plan plan; /* This and all later members are private. */
    const rc_mock_dialect *dialect;
    rc_mock_endpoint endpoint;
    rc_mock_family family;
    bool is_stream;
    bool is_array;
    /* Gemini's report of a blocked prompt, for a client that requests a stream. The report is a
     * JSON array if is_array is set, otherwise a server-sent event. */
    bool is_block;
    bool is_batch;
    bool is_base64;
    bool wants_usage;
    rc_mock_finish finish;
    char model[RC_MOCK_MODEL_MAX + 1];
    char id[24]; /* Hexadecimal id of the response. */
    char tool[64];
    char message[RC_MOCK_MESSAGE_MAX];
    int64_t created_s;
    uint64_t seed;
    uint32_t hint_ms;
    uint32_t input_count;
    uint32_t dimensions;
    rc_buf text;        /* The reasoning, followed by the response text. */
    size_t text_len;    /* Number of bytes of `text` that are to be sent. */
    size_t thought_len; /* Number of bytes at the start of `text` that are reasoning. */
    uint64_t thought_tokens;
    rc_buf bytes; /* The bytes that the last step returned. */
    rc_buf spare; /* A second buffer, in which a damaged event is made. */
    size_t body_len;

    int stage;
    size_t text_at;      /* Number of bytes of `text` that were sent so far. */
    uint32_t item;       /* Number of content events so far. */
    uint32_t sequence;   /* Number of the next event, in dialects that number them. */
    uint32_t keepalives; /* Keep-alives sent so far. */
    uint64_t sent_bytes;
    uint64_t unsent_tokens; /* Tokens of a part for which nothing was sent; the next event counts
                             * them. */
    /* Tokens that the first event has already counted, although their part of the text is sent
     * later. */
    uint64_t counted_tokens;
    size_t body_at;  /* Number of bytes of a non-streamed body that were sent so far. */
    bool is_paced;   /* The wait before the next event is over. */
    bool is_stalled; /* The plan's stall is over. */
} rc_mock_response;

/* Prepares a response for its first step. Returns RC_OK, or RC_E_NOMEM or RC_E_TOO_LARGE if there
 * is no response; the caller must call rc_mock_response_done in each case. plan, request, context:
 * borrows during the call. alloc: copies the struct. */
rc_status rc_mock_response_begin(rc_mock_response *response, const rc_mock_plan *plan,
                                 const rc_mock_request *request, const rc_mock_context *context,
                                 const rc_alloc *alloc);

/* Like rc_mock_response_begin for a response whose body is `json`, which belongs to no dialect.
 * json: copies. alloc: copies the struct. */
rc_status rc_mock_response_begin_plain(rc_mock_response *response, int status, rc_str json,
                                       const rc_alloc *alloc);

/* Returns the next step. RC_MOCK_END, RC_MOCK_CLOSE, RC_MOCK_RESET and RC_MOCK_HANG are final:
 * further calls return the same step. */
void rc_mock_response_step(rc_mock_response *response, rc_mock_step *ret_step);

/* Frees the response's memory. */
void rc_mock_response_done(rc_mock_response *response);

/* ---- for error.c ---- */

/* Adds a header, or leaves it out if it does not fit. `name` must be a static string. value:
 * copies. */
void rc_mock_response_add_header(rc_mock_response *response, const char *name, rc_str value);

#endif
