/* rc_request_fault: why a request is rejected or cannot be sent to a provider, as data. */
#ifndef RC_GATEWAY_REQUEST_FAULT_H
#define RC_GATEWAY_REQUEST_FAULT_H

#include <recourse/buf.h>
#include <recourse/status.h>

#include "policy/outcome.h"

typedef enum rc_request_fault_kind {
    RC_REQUEST_FAULT_NONE,
#define RC_REQUEST_FAULT(ID, CODE, status, clause) RC_REQUEST_FAULT_##ID,
#include "spec/outcomes.def"
    RC_REQUEST_FAULT_COUNT
} rc_request_fault_kind;

/* All strings are static. */
typedef struct rc_request_fault {
    rc_request_fault_kind kind;
    rc_local_outcome outcome; /* Error code and HTTP status. Not set if kind is
                                 RC_REQUEST_FAULT_NONE. */
    const char *text;         /* The clause of spec/outcomes.def that describes the fault. */
    const char *name;         /* Name of the header, parameter or JSON member with the fault. "" if
                               * the fault has no such name. */
    const char *expected;     /* The expected value. "" if `text` suffices. */
} rc_request_fault;

static inline rc_request_fault rc_request_fault_none(void)
{
    return (rc_request_fault){.text = "", .name = "", .expected = ""};
}

/* Makes a fault. name, expected: static strings. */
rc_request_fault rc_request_fault_make(rc_request_fault_kind kind, const char *name,
                                       const char *expected);

/* Appends the fault as a message: "Sentence.", or "name: clause; expected value." fault: borrows
 * during the call. */
void rc_request_fault_push(rc_buf *text, const rc_request_fault *fault);

#endif
