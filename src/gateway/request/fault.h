/* rc_request_fault: why a request is rejected or cannot be sent to a provider, as data. */
#ifndef RC_GATEWAY_REQUEST_FAULT_H
#define RC_GATEWAY_REQUEST_FAULT_H

#include <recourse/buf.h>
#include <recourse/codes.h>
#include <recourse/status.h>

/* Name, code of the taxonomy, HTTP status (0: the code's own), text. The last four are not the
 * client's fault. */
#define RC_REQUEST_FAULTS(X)                                                                 \
    X(NONE, NONE, 0, "")                                                                     \
    X(NOT_FOUND, ENDPOINT_NOT_FOUND, 404, "there is no such endpoint")                       \
    X(METHOD, INVALID_REQUEST, 405, "the endpoint does not take this method")                \
    X(PATH, INVALID_REQUEST, 400, "the path has an escape or a segment that is not allowed") \
    X(QUERY, INVALID_REQUEST, 400, "the query is damaged")                                   \
    X(HEADER, INVALID_REQUEST, 400, "the header has a value that is not allowed")            \
    X(REPEATED, INVALID_REQUEST, 400, "the header stands there twice")                       \
    X(CODING, INVALID_REQUEST, 415, "a compressed body cannot be read")                      \
    X(BODY, INVALID_REQUEST, 400, "the body is not a JSON object")                           \
    X(AMBIGUOUS, INVALID_REQUEST, 400,                                                       \
      "the body has this member twice or in another spelling, and readers differ in which "  \
      "one counts")                                                                          \
    X(MODEL_MISSING, INVALID_REQUEST, 400, "the request names no model")                     \
    X(MODEL_INVALID, INVALID_REQUEST, 400, "the model's name is not one")                    \
    X(WIRE, UNSUPPORTED_FEATURE, 0, "the provider has no such endpoint")                     \
    X(KEY, CONFIG_SCHEMA_VIOLATION, 0, "the provider's key cannot stand in a header")        \
    X(ORIGIN, CONFIG_SCHEMA_VIOLATION, 0, "the provider's address cannot be asked")          \
    X(MEMORY, INTERNAL, 0, "the request's head is larger than there is room for")

typedef enum rc_request_fault_kind {
#define RC_REQUEST_FAULT_ENUM(ID, CODE, status, text) RC_REQUEST_FAULT_##ID,
    RC_REQUEST_FAULTS(RC_REQUEST_FAULT_ENUM)
#undef RC_REQUEST_FAULT_ENUM
    RC_REQUEST_FAULT_COUNT
} rc_request_fault_kind;

/* All texts are static. */
typedef struct rc_request_fault {
    rc_request_fault_kind kind;
    rc_code code;
    int status;
    const char *text;
    const char *name;     /* Name of the header, parameter or member. "": none. */
    const char *expected; /* The expected value. "": nothing to add. */
} rc_request_fault;

static inline rc_request_fault rc_request_fault_none(void)
{
    return (rc_request_fault){.text = "", .name = "", .expected = ""};
}

/* Makes a fault. name, expected: static strings. */
rc_request_fault rc_request_fault_make(rc_request_fault_kind kind, const char *name,
                                       const char *expected);

/* Appends the fault as text: "Sentence.", or "name: clause; it should be so." fault: borrows. */
void rc_request_fault_push(rc_buf *text, const rc_request_fault *fault);

#endif
