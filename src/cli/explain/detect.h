/* rc_detected: the recognised form of a pasted text and the failure that it describes. */
#ifndef RC_CLI_EXPLAIN_DETECT_H
#define RC_CLI_EXPLAIN_DETECT_H

#include <recourse/classify.h>

#include "cli/explain/case.h"
#include "codec/http_text.h"

typedef enum rc_detected_kind {
    RC_DETECTED_NOTHING, /* Empty, or only white space. */
    RC_DETECTED_HTTP,    /* An HTTP response: status, headers, body. */
    RC_DETECTED_JSON,    /* A body of a response in JSON. */
    RC_DETECTED_SSE,     /* Server-sent events. */
    RC_DETECTED_NDJSON,  /* JSON lines. */
    RC_DETECTED_AWS,     /* An AWS event stream as text. */
    RC_DETECTED_CASE,    /* A case (see case.h), as --jsonl reads it. */
    RC_DETECTED_REPORT,  /* A report of Recourse, which is not classified again. */
    RC_DETECTED_PAGE,    /* HTML or XML. */
    RC_DETECTED_TEXT     /* A log, a stack trace, a message. */
} rc_detected_kind;

/* Caller's storage. rc_detected views the text and holds other data that the failure points to. */
typedef struct rc_detected {
    rc_detected_kind kind;
    rc_failure failure;
    rc_str text;       /* The text that was examined. */
    rc_str report;     /* JSON of the report if kind is REPORT. */
    bool is_cases;     /* The text is JSON lines that --jsonl accepts. */
    bool is_tail;      /* Only the end of a long log was used. */
    rc_http_text http; /* This and the later members are private. */
    rc_case parsed_case;
} rc_detected;

/* alloc: copies the struct. */
void rc_detected_init(rc_detected *detected, const rc_alloc *alloc);
void rc_detected_done(rc_detected *detected);

/* Recognises the form of text; never fails. text: borrows as long as detected is used. */
void rc_detected_read(rc_detected *detected, rc_str text);

/* Returns the last lines of a text that fit max_bytes, or the end of the last line if that line
 * alone is longer. The result views text. */
rc_str rc_explain_text_tail(rc_str text, size_t max_bytes);

/* Appends a description of the recognised form for people: "an HTTP response, status 429, 3
 * headers, 120 bytes". */
void rc_detected_push(const rc_detected *detected, rc_buf *buf);

/* Returns the text in UTF-8 without a byte order mark and terminal escape sequences. The result
 * views text, or the changed copy that was appended to scratch. */
rc_str rc_explain_text_clean(rc_str text, rc_buf *scratch);

#endif
