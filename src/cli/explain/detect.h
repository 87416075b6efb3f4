/* rc_detected: what a pasted text is, and what it says of the call that failed. */
#ifndef RC_CLI_EXPLAIN_DETECT_H
#define RC_CLI_EXPLAIN_DETECT_H

#include <recourse/classify.h>

#include "cli/explain/case.h"
#include "codec/http_text.h"

typedef enum rc_detected_kind {
    RC_DETECTED_NOTHING, /* white space, or not even that */
    RC_DETECTED_HTTP,    /* a response: status, headers, body */
    RC_DETECTED_JSON,    /* a body */
    RC_DETECTED_SSE,     /* server-sent events */
    RC_DETECTED_NDJSON,  /* JSON lines */
    RC_DETECTED_AWS,     /* an AWS event stream, as text */
    RC_DETECTED_CASE,    /* an object in the form of --jsonl */
    RC_DETECTED_REPORT,  /* a report: there is nothing left to explain */
    RC_DETECTED_PAGE,    /* HTML or XML */
    RC_DETECTED_TEXT     /* a log, a stack trace, a message */
} rc_detected_kind;

/* The caller's storage. Views the text and holds what the failure points to. */
typedef struct rc_detected {
    rc_detected_kind kind;
    rc_failure failure;
    rc_str text;       /* what was looked at */
    rc_str report;     /* of a REPORT: its JSON */
    bool is_cases;     /* JSON lines that --jsonl would read */
    bool is_tail;      /* of a long log, only the end was taken */
    rc_http_text http; /* private from here on */
    rc_case parsed_case;
} rc_detected;

/* alloc: copies. */
void rc_detected_init(rc_detected *detected, const rc_alloc *alloc);
void rc_detected_done(rc_detected *detected);

/* Recognises text; never fails. text: borrows until seen was used. */
void rc_detected_read(rc_detected *detected, rc_str text);

/* The last lines of a text that fit max_bytes; of a longer line its end. Views text. */
rc_str rc_explain_text_tail(rc_str text, size_t max_bytes);

/* Appends what was recognised, for people: "an HTTP response, status 429, 3 headers, 120 bytes". */
void rc_detected_push(const rc_detected *detected, rc_buf *buf);

/* The text without a byte order mark and without a terminal's colours, in UTF-8: the text itself,
 * or what was appended to room. */
rc_str rc_explain_text_clean(rc_str text, rc_buf *scratch);

#endif
