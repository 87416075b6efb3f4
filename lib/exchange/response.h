/* rc_response: judges the response of a provider to one attempt.
 *
 *   init(request) ──► on_head(head) ──► mode
 *                                        ├─ ERROR    the caller collects the body and classifies it
 *                                        ├─ WHOLE    the caller holds the body ──► judge_whole()
 *                                        │           it becomes too large      ──► judge_start()
 *                                        ├─ STREAM   is_in_shape(piece); false: WHOLE from then on
 *                                        └─ RELAY    passed on as it arrives
 *
 * The functions only return a verdict; the caller fails the attempt or passes the response on. The
 * verdict does not depend on how the body was split into pieces. The functions allocate memory only
 * in buffers of the caller. */
#ifndef RC_EXCHANGE_RESPONSE_H
#define RC_EXCHANGE_RESPONSE_H

#include <recourse/buf.h>
#include <recourse/codes.h>

#include "dialect/body_shape.h"
#include "dialect/endpoint.h"
#include "dialect/stream.h"
#include "dialect/usage.h"

/* Maximum number of bytes that rc_response_push_misshape appends. */
#define RC_RESPONSE_MISSHAPE_MAX_BYTES 160u

/* How a response is handled. */
typedef enum rc_response_mode {
    RC_MODE_HEAD = 0,   /* The head has not arrived yet. */
    RC_MODE_ERROR = 1,  /* The body is collected, then classified. */
    RC_MODE_WHOLE = 2,  /* The body is buffered until it is complete, judged, then passed on. */
    RC_MODE_STREAM = 3, /* Events are parsed and passed on one by one. */
    RC_MODE_RELAY = 4   /* The body is passed on as it arrives. */
} rc_response_mode;

/* The body shape that the client expects. */
typedef enum rc_expected_shape {
    RC_EXPECT_ANY = 0, /* The shape is not known, or several shapes are allowed. */
    RC_EXPECT_OBJECT = 1,
    RC_EXPECT_EVENTS = 2,
    RC_EXPECT_ARRAY = 3
} rc_expected_shape;

/* The facts of the client's request that determine which responses are valid. */
typedef struct rc_response_request {
    const rc_endpoint *endpoint; /* The requested endpoint, a static row of spec/endpoints.def. */
    bool is_stream;
    bool is_stream_unknown; /* The member `stream` of the request is neither true nor false, or was
                             * not read. */
    bool is_sse;            /* The query of the request has alt=sse. */
    bool is_free;           /* The endpoint is free of charge. */
} rc_response_request;

/* The facts of a response's head. */
typedef struct rc_response_facts {
    int status;
    rc_str content_type;   /* Value of content-type; empty: the head has none. */
    bool is_bodiless;      /* The response is one to a HEAD request, which has no body. */
    bool has_length;       /* The head states the length of the body. */
    uint64_t length_bytes; /* Valid if has_length. */
    bool is_compressed;    /* The body exists and has a content coding. */
    bool is_coding_known;  /* The caller can decompress the content coding. */
} rc_response_facts;

/* The state of one response. The caller provides the storage and may read all members. The caller
 * changes only `usage` and `watch`, and only in the modes STREAM and RELAY. */
typedef struct rc_response {
    rc_response_request request;
    int status;
    bool is_called_events; /* The content type is text/event-stream. */
    bool is_called_json;   /* The content type is application/json. */
    bool is_bodiless;      /* The response is one to a HEAD request, which has no body. */
    bool is_decoded;       /* The body is compressed; it is decompressed before it is judged and
                            * passed on. */
    bool has_length;       /* The number of bytes to pass on is known: length_bytes. */
    bool is_watched;       /* `watch` is in use. */
    rc_expected_shape expected;
    rc_response_mode mode;
    rc_body_shape shape;     /* Shape of the body in the mode STREAM, as far as it is known. */
    rc_stream_finish finish; /* Finish reason of a whole response. */
    uint64_t length_bytes;
    rc_usage usage;        /* Token usage of a whole response. */
    rc_stream_watch watch; /* Valid if is_watched. */
} rc_response;

typedef enum rc_response_result {
    RC_RESPONSE_GOOD = 0,        /* The response is passed on. `code` is a flaw of the response, for
                                  * the record. */
    RC_RESPONSE_ERROR = 1,       /* The body is an error, which is classified as a failure. */
    RC_RESPONSE_ERROR_EVENT = 2, /* The body does not have the expected shape, but contains an error
                                  * event, which is classified. */
    RC_RESPONSE_MISSHAPEN = 3    /* The body does not have the expected shape. `code` is that of the
                                  * finish reason if a retry would have the same finish reason;
                                  * NONE: the failure is the shape. */
} rc_response_result;

typedef struct rc_response_verdict {
    rc_response_result result;
    rc_code code;      /* RC_CODE_NONE: no error code applies. */
    rc_body_kind kind; /* The shape of the body. */
    rc_str error;      /* ERROR_EVENT: the data of the error; views (points into) the body or the
                        * scratch buffer. */
} rc_response_verdict;

/* Initialises a response. request: copies the struct. */
void rc_response_init(rc_response *response, const rc_response_request *request);

/* Chooses the mode, and whether the body is decompressed. head: borrows during the call. */
void rc_response_on_head(rc_response *response, const rc_response_facts *head);

/* For the mode STREAM: returns true as long as the body may have the expected shape. If the body
 * cannot have this shape, the function sets the mode WHOLE, moves *piece past leading white space,
 * appends the first bytes of earlier pieces to `held`, and returns false. The caller then appends
 * this piece and all later pieces to `held`. held: borrows during the call; must be empty. */
bool rc_response_is_in_shape(rc_response *response, rc_str *piece, rc_buf *held);

/* Judges a complete body and reads its token usage. body: the decompressed bytes; borrows for as
 * long as the verdict is used. scratch: is emptied, then used for events of several lines; borrows
 * for as long as the verdict is used. */
rc_response_verdict rc_response_judge_whole(rc_response *response, rc_str body, rc_buf *scratch);

/* Judges a body that is too large for the buffer, by its first bytes. If the result is GOOD, the
 * mode changes to RELAY. start, scratch: borrows as rc_response_judge_whole does. */
rc_response_verdict rc_response_judge_start(rc_response *response, rc_str start, rc_buf *scratch);

/* Appends a sentence about a MISSHAPEN body, which names the expected shape and the received
 * one. */
void rc_response_push_misshape(const rc_response *response, rc_body_kind kind, rc_buf *text);

/* Returns the stream dialect whose JSON format the response has. */
rc_stream_dialect rc_response_dialect(const rc_response *response);

/* Called at the end of a response in the mode RELAY: returns whether a required body is missing.
 * All responses need a body, except those to passthroughs and to HEAD; a 204 or an empty body
 * counts as missing. */
bool rc_response_is_missing(const rc_response *response, uint64_t received_bytes);

/* Returns whether the piece completes a body of known length. `received_bytes`: the bytes of the
 * body so far, including this piece. */
bool rc_response_has_last_byte(const rc_response *response, uint64_t received_bytes, rc_str piece);

#endif
