/* rc_mock_request: the contents of a request, independent of its dialect.
 *
 *   method, target, headers, body ──► read ──► endpoint, model, key, text, ...
 *
 * The end of the path selects the endpoint and the dialect; any prefix is accepted. The functions
 * use no clock and do no I/O. */
#ifndef RC_MOCK_REQUEST_H
#define RC_MOCK_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/classify.h>
#include <recourse/str.h>

/* The provider family, which determines the form of errors and headers. */
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
    RC_MOCK_MODELS,       /* Any family. */
    RC_MOCK_MESSAGES,     /* Anthropic. */
    RC_MOCK_COUNT_TOKENS, /* Anthropic and Gemini. */
    RC_MOCK_GENERATE,     /* Gemini: text, streamed or not. */
    RC_MOCK_EMBED,        /* Gemini: embeddings of one input or several. */
    RC_MOCK_STATS,        /* The path /mock/stats. */
    RC_MOCK_RESET_COUNTS  /* The path /mock/reset. */
} rc_mock_endpoint;

#define RC_MOCK_MODEL_MAX 256
#define RC_MOCK_TEXT_MAX ((size_t)8 << 20)

/* A received HTTP message. All members borrow, for as long as the rc_mock_request that was read
 * from the message is used. */
typedef struct rc_mock_message {
    rc_str method;
    rc_str target; /* Path and query. */
    const rc_header *headers;
    size_t header_count;
    rc_str body;
} rc_mock_message;

typedef struct rc_mock_request {
    rc_mock_endpoint endpoint;
    rc_mock_family family;
    bool is_method_wrong;
    bool is_stream;
    bool is_array; /* Gemini's stream without alt=sse, which is one JSON array. */
    bool is_batch; /* Gemini's batchEmbedContents. */
    bool is_base64;
    bool wants_usage; /* The request sets stream_options.include_usage. */
    char model[RC_MOCK_MODEL_MAX];
    size_t model_len;
    rc_str path; /* Path without the query; views the message. */
    rc_str key;  /* API key, may be empty; views the message. */
    uint64_t input_tokens;
    int64_t max_tokens;     /* -1: not set. */
    uint32_t input_count;   /* Number of inputs of an embeddings request. */
    uint32_t dimensions;    /* 0: not set. */
    rc_str last_user;       /* Last message of the user; views `text`. */
    char tool[64];          /* Name of the first tool; NUL-terminated. */
    const char *body_error; /* Error in the body, a static text; NULL: no error. */
    rc_buf text;            /* All text of the request. */
} rc_mock_request;

/* Reads a message. Never fails; if the body is invalid, body_error has the reason. The caller must
 * call rc_mock_request_done. `alloc` is used for request->text. message: borrows until
 * rc_mock_request_done. alloc: copies the struct. */
void rc_mock_request_read(rc_mock_request *request, const rc_mock_message *message,
                          const rc_alloc *alloc);
/* Frees the text. */
void rc_mock_request_done(rc_mock_request *request);

static inline rc_str rc_mock_request_model(const rc_mock_request *request)
{
    return rc_str_make(request->model, request->model_len);
}

/* Reads the body of a request. Called by rc_mock_request_read. */
void rc_mock_request_read_body(rc_mock_request *request, rc_str body);

/* Returns the value of the header `name`, ignoring case, or the empty string if it is missing. The
 * result views message. */
rc_str rc_mock_header_find(const rc_mock_message *message, rc_str name);

#endif
