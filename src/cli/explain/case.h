/* rc_case: one failure as a JSON object, the input of `explain --jsonl`.
 *
 *   {"id", "provider", "model", "family", "status", "headers", "body", "event", "transport",
 *    "phase", "replayable", "exit_status", "context_window"}
 *
 * Every member except the id may be absent or null; unknown keys are ignored. The member `headers`
 * is an object of strings, or an array of [name, value]. A `body` or `event` that is not a string
 * is used as JSON text. If a key occurs twice, the last value counts. */
#ifndef RC_CLI_EXPLAIN_CASE_H
#define RC_CLI_EXPLAIN_CASE_H

#include <recourse/alloc.h>
#include <recourse/buf.h>
#include <recourse/classify.h>
#include <recourse/str.h>

/* Limit of the length of a case. */
#define RC_CASE_MAX_BYTES ((size_t)16 << 20)
/* Headers beyond this number are ignored. */
#define RC_CASE_HEADERS_MAX 256

/* The reason for which a text is not a valid case. */
typedef struct rc_case_fault {
    const char *key;  /* Faulty member; NULL: the JSON itself is damaged. */
    const char *what; /* Static text, such as "expected a comma". */
    size_t offset;    /* Position in the text, in bytes. */
} rc_case_fault;

/* Caller's storage; one rc_case can read any number of cases, one after the other. */
typedef struct rc_case {
    rc_failure failure;                     /* Failure of the case; the caller sets now_unix_ms. */
    bool has_id;                            /* An id was found; also set for an invalid case. */
    rc_str id;                              /* Text of the id. */
    bool is_id_number;                      /* The id is a JSON number. */
    rc_header headers[RC_CASE_HEADERS_MAX]; /* This and the later members are private. */
    rc_buf text;                            /* Strings of the case without escapes. */
} rc_case;

/* alloc: copies the struct. */
void rc_case_init(rc_case *c, const rc_alloc *alloc);
void rc_case_done(rc_case *c);

/* Reads a case. On RC_OK c->failure is set and views json and c until the next case is read.
 * Otherwise ret_fault has the reason, c->id is set if an id was found, and the status is
 *   RC_E_SYNTAX   the text is not exactly one JSON object
 *   RC_E_TYPE     a member has a wrong type or value
 *   RC_E_NOMEM
 * json: borrows as long as c->failure is used. */
rc_status rc_case_read(rc_case *c, rc_str json, rc_case_fault *ret_fault);

/* Finds the id in the beginning of a case that is too long to be read. json: borrows as long as
 * c->id is used. */
void rc_case_find_id(rc_case *c, rc_str json);

#endif
