/* rc_mock_request: what a request says, whatever dialect it is in.
 *
 *   method, target, headers, body ──► read ──► endpoint, model, key, text, ...
 *
 * The path decides the dialect, by its end: any prefix will do. Pure. */
#ifndef RC_MOCK_REQUEST_H
#define RC_MOCK_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/classify.h>
#include <recourse/str.h>

/* Whose errors and headers. */
typedef enum rc_mock_family {
    RC_MOCK_OPENAI = 0,
    RC_MOCK_ANTHROPIC,
    RC_MOCK_GEMINI,
    RC_MOCK_FAMILY_COUNT
} rc_mock_family;

typedef enum rc_mock_endpoint {
    RC_MOCK_NO_ENDPOINT = 0,
    RC_MOCK_CHAT,
    RC_MOCK_COMPLETIONS,
    RC_MOCK_RESPONSES,
    RC_MOCK_EMBEDDINGS,
    RC_MOCK_MODELS,       /* of any family */
    RC_MOCK_MESSAGES,     /* Anthropic's */
    RC_MOCK_COUNT_TOKENS, /* Anthropic's and Gemini's */
    RC_MOCK_GENERATE,     /* Gemini's, streamed or not */
    RC_MOCK_EMBED,        /* Gemini's, one or several */
    RC_MOCK_STATS,        /* /mock/stats */
    RC_MOCK_RESET_COUNTS  /* /mock/reset */
} rc_mock_endpoint;

#define RC_MOCK_MODEL_MAX 256
#define RC_MOCK_TEXT_MAX ((size_t)8 << 20)

/* What came. All of it borrows until the request was used. */
typedef struct rc_mock_message {
    rc_str method;
    rc_str target; /* path and query */
    const rc_header *headers;
    size_t header_count;
    rc_str body;
} rc_mock_message;

typedef struct rc_mock_request {
    rc_mock_endpoint endpoint;
    rc_mock_family family;
    bool is_method_wrong;
    bool is_stream;
    bool is_array; /* Gemini's stream without alt=sse: one JSON array */
    bool is_batch; /* batchEmbedContents */
    bool is_base64;
    bool wants_usage; /* stream_options.include_usage */
    char model[RC_MOCK_MODEL_MAX];
    size_t model_len;
    rc_str path; /* without the query; views the message */
    rc_str key;  /* of the caller, or empty; views the message */
    uint64_t input_tokens;
    int64_t max_tokens;     /* -1: not said */
    uint32_t input_count;   /* of embeddings */
    uint32_t dimensions;    /* 0: not said */
    rc_str last_user;       /* views text */
    char tool[64];          /* the first one's name; ends in NUL */
    const char *body_error; /* what is wrong with the body; NULL: nothing. Static */
    rc_buf text;            /* all text of the request */
} rc_mock_request;

/* Reads a message. Never fails: see wrong. text: its memory. Done is due. message: borrows. alloc:
 * copies. */
void rc_mock_request_read(rc_mock_request *request, const rc_mock_message *message,
                          const rc_alloc *alloc);
void rc_mock_request_done(rc_mock_request *request);

static inline rc_str rc_mock_request_model(const rc_mock_request *request)
{
    return rc_str_make(request->model, request->model_len);
}

/* The body's part of it, by endpoint. */
void rc_mock_request_read_body(rc_mock_request *request, rc_str body);

/* The value of a header by its lower-case name; empty: there is none. message: borrows. */
rc_str rc_mock_header_find(const rc_mock_message *message, rc_str name);

#endif
