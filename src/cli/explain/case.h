/* rc_case: one failure as a JSON object, as `explain --jsonl` reads it.
 *
 *   {"id", "provider", "model", "family", "status", "headers", "body", "event", "transport",
 *    "phase", "replayable", "exit_status", "context_window"}
 *
 * All but the id may be absent or null; other keys are passed over. headers is an object of
 * strings, or an array of [name, value]. A body or event that is no string is taken as its JSON
 * text. Of a key that is there twice the last one counts. */
#ifndef RC_CLI_EXPLAIN_CASE_H
#define RC_CLI_EXPLAIN_CASE_H

#include <recourse/alloc.h>
#include <recourse/buf.h>
#include <recourse/classify.h>
#include <recourse/str.h>

/* The longest case. */
#define RC_CASE_MAX_BYTES ((size_t)16 << 20)
/* Headers beyond these are left out. */
#define RC_CASE_HEADERS_MAX 256

/* Why it is no case. */
typedef struct rc_case_fault {
    const char *key;  /* the member at fault; NULL: the JSON itself */
    const char *what; /* static: "expected a comma", "is a whole number from 0 to 999" */
    size_t offset;    /* in bytes */
} rc_case_fault;

/* The caller's storage: one is enough for any number of cases, one after the other. */
typedef struct rc_case {
    rc_failure failure;                     /* now_unix_ms is the caller's to set */
    bool has_id;                            /* also of what is no case */
    rc_str id;                              /* its text */
    bool is_id_number;                      /* then the text is a number */
    rc_header headers[RC_CASE_HEADERS_MAX]; /* private from here on */
    rc_buf text;                            /* what had to be unescaped */
} rc_case;

/* alloc: copies. */
void rc_case_init(rc_case *c, const rc_alloc *alloc);
void rc_case_done(rc_case *c);

/* Reads a case. RC_OK: the failure views json and c, until the next one is read. Else ret_fault
 * says why, and the id is there all the same if one was found:
 *   RC_E_SYNTAX   not one JSON object, and nothing else
 *   RC_E_TYPE     a member of another type or value
 *   RC_E_NOMEM
 * json: borrows until the failure was used. */
rc_status rc_case_read(rc_case *c, rc_str json, rc_case_fault *ret_fault);

/* The id of what is too long to be read, where it stands in the part that is there. json: borrows
 * until the id was used. */
void rc_case_find_id(rc_case *c, rc_str json);

#endif
