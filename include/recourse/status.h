/* rc_status: did this C call work? It says nothing of what happened to an LLM call: that is a
 * report. */
#ifndef RECOURSE_STATUS_H
#define RECOURSE_STATUS_H

#include <recourse/export.h>

RC_BEGIN_DECLS

typedef enum rc_status {
    RC_OK = 0,
    RC_E_NOMEM = 1,       /* the allocator gave nothing */
    RC_E_TOO_LARGE = 2,   /* a ceiling that was set at init was reached */
    RC_E_SYNTAX = 3,      /* the bytes are not in the expected form */
    RC_E_TRUNCATED = 4,   /* the bytes end before the form does */
    RC_E_TOO_DEEP = 5,    /* nesting above the ceiling */
    RC_E_TYPE = 6,        /* well formed, but a value of another type was expected */
    RC_E_RANGE = 7,       /* well formed, but the value cannot be represented or is not allowed */
    RC_E_UNKNOWN_KEY = 8, /* a key that the schema does not have */
    RC_E_DUPLICATE = 9,   /* a key that was there before */
    RC_E_NOT_FOUND = 10,  /* looked for, not there */
    RC_E_ARGUMENT = 11    /* the caller broke the function's contract */
} rc_status;

/* The status as a stable lower-case word ("ok", "no_memory", ...); "unknown" for a value not
 * listed. Gives a static string. */
RC_API const char *rc_status_name(rc_status status);

RC_END_DECLS

#endif
