/* rc_status: the result of a C function. The outcome of an LLM call is an rc_report instead. */
#ifndef RECOURSE_STATUS_H
#define RECOURSE_STATUS_H

#include <recourse/export.h>

RC_BEGIN_DECLS

typedef enum rc_status {
    RC_OK = 0,
    RC_E_NOMEM = 1,       /* the allocator returned NULL */
    RC_E_TOO_LARGE = 2,   /* a ceiling was reached */
    RC_E_SYNTAX = 3,      /* the bytes are malformed */
    RC_E_TRUNCATED = 4,   /* the bytes end before the value is complete */
    RC_E_TOO_DEEP = 5,    /* the nesting exceeds the ceiling */
    RC_E_TYPE = 6,        /* well formed, but a value of another type was expected */
    RC_E_RANGE = 7,       /* well formed, but the value cannot be represented or is not allowed */
    RC_E_UNKNOWN_KEY = 8, /* the key is not part of the schema */
    RC_E_DUPLICATE = 9,   /* a key occurs twice */
    RC_E_NOT_FOUND = 10,  /* the item does not exist */
    RC_E_ARGUMENT = 11    /* the caller violated the function's contract */
} rc_status;

/* Returns the status as a stable lower-case word ("ok", "no_memory", ...), or "unknown" for a value
 * that is not in the enum. The result is a static string. */
RC_API const char *rc_status_name(rc_status status);

RC_END_DECLS

#endif
