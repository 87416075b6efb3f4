/* rc_mock_response: the response to a request according to a plan, produced step by step.
 *
 *   plan + request ──► begin ──► step ──► HEAD, SEND, WAIT, SEND, ..., END
 *                                                               └──── or CLOSE, RESET, HANG
 *
 * The owner of the connection (or its substitute) carries out the steps in order. A response has
 * its own memory and no reference to the request. Pure: time is data, random values come from the
 * seed. */
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
    RC_MOCK_HEAD = 1, /* Send status and headers, which are in the response. */
    RC_MOCK_SEND,     /* Send bytes of the body. */
    RC_MOCK_GARBAGE,  /* Send a chunk with an invalid size; CLOSE follows. */
    RC_MOCK_WAIT,     /* Wait before the next step. */
    RC_MOCK_END,      /* The body is complete. */
    RC_MOCK_CLOSE,    /* Close the connection gracefully in the middle of the response. */
    RC_MOCK_RESET,    /* Reset the connection. */
    RC_MOCK_HANG      /* Send nothing more until the client disconnects. */
} rc_mock_step_kind;

typedef struct rc_mock_step {
    rc_mock_step_kind kind;
    rc_str bytes;     /* For SEND. Views the response until the next step. */
    uint32_t wait_ms; /* For WAIT. */
    uint32_t tokens;  /* For SEND: output tokens in these bytes. */
} rc_mock_step;

typedef struct rc_mock_header {
    const char *name; /* Static. */
    char value[96];   /* NUL-terminated. */
} rc_mock_header;

/* State of a rate limit, for the headers. */
typedef struct rc_mock_limit_state {
    bool is_known;
    uint64_t limit;
    uint64_t remaining;
    uint64_t reset_ms; /* Time until the limit is full again. */
} rc_mock_limit_state;

/* Inputs of a response besides plan and request. */
typedef struct rc_mock_context {
    uint64_t seed;
    uint64_t nth;        /* Number of the request among those with this key and model, from 1. */
    int64_t now_unix_ms; /* For absolute times in headers only. */
    rc_mock_limit_state requests;
    rc_mock_limit_state tokens;
    rc_str message; /* Replaces the error's message; empty: no replacement. Copies. */
} rc_mock_context;

typedef enum rc_mock_finish {
    RC_MOCK_FINISH_STOP = 0,
    RC_MOCK_FINISH_LENGTH,
    RC_MOCK_FINISH_TOOL
} rc_mock_finish;

typedef struct rc_mock_dialect rc_mock_dialect;

/* A response in the caller's storage. Callers use the members up to is_unbilled; the rest is for
 * the dialects. */
typedef struct rc_mock_response {
    int status; /* 0: no response is sent. */
    bool is_chunked;
    uint64_t length; /* Content-Length of a body that is not chunked; may be wrong on purpose. */
    rc_mock_header headers[RC_MOCK_HEADERS_MAX];
    size_t header_count;
    uint64_t input_tokens;
    uint64_t output_tokens; /* Of the whole response. */
    bool is_unbilled;       /* Not billed: an error response, a token count, a list of models. */

    rc_mock_plan plan; /* Private from here on. */
    const rc_mock_dialect *dialect;
    rc_mock_endpoint endpoint;
    rc_mock_family family;
    bool is_stream;
    bool is_array;
    bool is_block; /* Gemini's report of a blocked prompt, in the form of the requested stream. */
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
    rc_buf text;        /* Reasoning, then the response text. */
    size_t text_len;    /* Bytes of text that are sent. */
    size_t thought_len; /* Bytes of reasoning at its start. */
    uint64_t thought_tokens;
    rc_buf bytes; /* Bytes that the last step views. */
    rc_buf spare; /* As bytes, for a damaged event. */
    size_t body_len;

    int stage;
    size_t text_at;      /* Bytes of text sent so far. */
    uint32_t item;       /* Content events so far. */
    uint32_t sequence;   /* Number of the next event, in dialects that number them. */
    uint32_t keepalives; /* Keep-alives sent so far. */
    uint64_t sent_bytes;
    uint64_t unsent_tokens; /* Tokens of a part that is sent with the next one. */
    /* Tokens that the first event has counted before their part is sent. */
    uint64_t counted_tokens;
    size_t body_at;  /* Bytes of a non-streamed body sent so far. */
    bool is_paced;   /* The wait before the next event has passed. */
    bool is_stalled; /* The stall has happened. */
} rc_mock_response;

/* Prepares a response for its first step. Returns RC_OK; RC_E_NOMEM or RC_E_TOO_LARGE if there is
 * no response. The caller calls rc_mock_response_done in each case. plan, request, context: borrow.
 * alloc: copies. */
rc_status rc_mock_response_begin(rc_mock_response *response, const rc_mock_plan *plan,
                                 const rc_mock_request *request, const rc_mock_context *context,
                                 const rc_alloc *alloc);

/* As rc_mock_response_begin for a given body: JSON that belongs to no dialect. json: copies. */
rc_status rc_mock_response_begin_plain(rc_mock_response *response, int status, rc_str json,
                                       const rc_alloc *alloc);

/* Returns the next step. END, CLOSE, RESET and HANG are final; further calls repeat them. */
void rc_mock_response_step(rc_mock_response *response, rc_mock_step *ret_step);

/* Frees the response's memory. */
void rc_mock_response_done(rc_mock_response *response);

/* ---- for error.c ---- */

/* Adds a header; one that does not fit is left out. name: a static string. value: copies. */
void rc_mock_response_add_header(rc_mock_response *response, const char *name, rc_str value);

#endif
