/* rc_mock_response: a plan and a request make an answer, given step by step.
 *
 *   plan + request ──► begin ──► step ──► HEAD, SEND, WAIT, SEND, ..., END
 *                                                               └──── or CLOSE, RESET, HANG
 *
 * Whoever has a connection (or stands in for one) carries the steps out, in order. An answer has
 * its own memory; nothing of the request is kept. Pure: time is data, chance comes from the seed.
 */
#ifndef RC_MOCK_RESPONSE_H
#define RC_MOCK_RESPONSE_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

#include "mock/behaviour.h"
#include "mock/request.h"

/* No answer is larger, and no piece of one. */
#define RC_MOCK_RESPONSE_MAX ((size_t)64 << 20)
#define RC_MOCK_HEADERS_MAX 16
#define RC_MOCK_MESSAGE_MAX 512

typedef enum rc_mock_step_kind {
    RC_MOCK_HEAD = 1, /* status and headers, which the answer has */
    RC_MOCK_SEND,     /* bytes of the body */
    RC_MOCK_GARBAGE,  /* a chunk whose size is no number; the connection is closed behind it */
    RC_MOCK_WAIT,
    RC_MOCK_END,   /* the body is whole */
    RC_MOCK_CLOSE, /* the connection is closed in the middle, in order */
    RC_MOCK_RESET, /* the same, by force */
    RC_MOCK_HANG   /* nothing more comes, until the client goes */
} rc_mock_step_kind;

typedef struct rc_mock_step {
    rc_mock_step_kind kind;
    rc_str bytes;     /* of SEND: views the answer until the next step */
    uint32_t wait_ms; /* of WAIT */
    uint32_t tokens;  /* of SEND: output tokens in it */
} rc_mock_step;

typedef struct rc_mock_header {
    const char *name; /* static */
    char value[96];   /* ends in NUL */
} rc_mock_header;

/* What is left of a limit, for the headers that tell it. */
typedef struct rc_mock_limit_state {
    bool is_known;
    uint64_t limit;
    uint64_t remaining;
    uint64_t reset_ms; /* until all of it is there again */
} rc_mock_limit_state;

/* What an answer depends on beside plan and request. */
typedef struct rc_mock_context {
    uint64_t seed;
    uint64_t nth;        /* which request of this key and model it is, from 1 on */
    int64_t now_unix_ms; /* for points in time in headers alone */
    rc_mock_limit_state requests;
    rc_mock_limit_state tokens;
    rc_str message; /* in the place of the error's own; empty: that; copies */
} rc_mock_context;

typedef enum rc_mock_finish {
    RC_MOCK_FINISH_STOP = 0,
    RC_MOCK_FINISH_LENGTH,
    RC_MOCK_FINISH_TOOL
} rc_mock_finish;

typedef struct rc_mock_dialect rc_mock_dialect;

/* The caller's storage. The dialects read it; all else uses the first part alone. */
typedef struct rc_mock_response {
    int status; /* 0: it never comes */
    bool is_chunked;
    uint64_t length; /* of a body that is not chunked; not always the true one */
    rc_mock_header headers[RC_MOCK_HEADERS_MAX];
    size_t header_count;
    uint64_t input_tokens;
    uint64_t output_tokens; /* of the whole answer */
    bool is_unbilled;       /* nobody pays: an error in its place, a count, a list of models */

    rc_mock_plan plan; /* private from here on */
    const rc_mock_dialect *dialect;
    rc_mock_endpoint endpoint;
    rc_mock_family family;
    bool is_stream;
    bool is_array;
    bool is_block; /* Gemini's block of a prompt, in the form of the stream that was asked for */
    bool is_batch;
    bool is_base64;
    bool wants_usage;
    rc_mock_finish finish;
    char model[RC_MOCK_MODEL_MAX + 1];
    char id[24]; /* hexadecimal digits that are the answer's own */
    char tool[64];
    char message[RC_MOCK_MESSAGE_MAX];
    int64_t created_s;
    uint64_t seed;
    uint32_t hint_ms;
    uint32_t input_count;
    uint32_t dimensions;
    rc_buf text;     /* reasoning, then the answer */
    size_t text_len; /* what counts of it */
    size_t thought_len;
    uint64_t thought_tokens;
    rc_buf bytes; /* what the last step views */
    rc_buf spare; /* the same, of an event that was damaged */
    size_t body_len;

    int stage;
    size_t text_at;
    uint32_t item;       /* content events so far */
    uint32_t sequence;   /* of events that are numbered */
    uint32_t keepalives; /* that were sent */
    uint64_t sent_bytes;
    uint64_t unsent_tokens;  /* of a part that comes with the next one */
    uint64_t counted_tokens; /* counted with the first event, before the part that has them */
    size_t body_at;
    bool is_paced;
    bool is_stalled;
} rc_mock_response;

/* Ready for the first step. Done is due. plan, request, facts: borrow. alloc: copies. RC_E_NOMEM,
 * RC_E_TOO_LARGE: then there is no answer, and done is due all the same. */
rc_status rc_mock_response_begin(rc_mock_response *response, const rc_mock_plan *plan,
                                 const rc_mock_request *request, const rc_mock_context *context,
                                 const rc_alloc *alloc);

/* The same for an answer that is there already: JSON that is not of a dialect. json: copies. */
rc_status rc_mock_response_begin_plain(rc_mock_response *response, int status, rc_str json,
                                       const rc_alloc *alloc);

/* The next step. END, CLOSE, RESET and HANG are the last ones, and come again. */
void rc_mock_response_step(rc_mock_response *response, rc_mock_step *ret_step);

void rc_mock_response_done(rc_mock_response *response);

/* ---- for those that make answers of their own ---- */

/* Adds a header; what does not fit is left out. name: a static string. value: copies. */
void rc_mock_response_add_header(rc_mock_response *response, const char *name, rc_str value);

#endif
