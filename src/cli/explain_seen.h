/* rc_seen: what a pasted text is, and what it says of the call that failed. */
#ifndef RC_CLI_EXPLAIN_SEEN_H
#define RC_CLI_EXPLAIN_SEEN_H

#include <recourse/classify.h>

#include "cli/explain_case.h"
#include "codec/http_text.h"

typedef enum rc_seen_kind {
    RC_SEEN_NOTHING, /* white space, or not even that */
    RC_SEEN_HTTP,    /* a response: status, headers, body */
    RC_SEEN_JSON,    /* a body */
    RC_SEEN_SSE,     /* server-sent events */
    RC_SEEN_NDJSON,  /* JSON lines */
    RC_SEEN_AWS,     /* an AWS event stream, as text */
    RC_SEEN_CASE,    /* an object in the form of --jsonl */
    RC_SEEN_REPORT,  /* a report: there is nothing left to explain */
    RC_SEEN_PAGE,    /* HTML or XML */
    RC_SEEN_TEXT     /* a log, a stack trace, a message */
} rc_seen_kind;

/* The caller's storage. Views the text and holds what the failure points to. */
typedef struct rc_seen {
    rc_seen_kind kind;
    rc_failure failure;
    rc_str text;       /* what was looked at */
    rc_str report;     /* of a REPORT: its JSON */
    bool is_cases;     /* JSON lines that --jsonl would read */
    bool is_tail;      /* of a long log, only the end was taken */
    rc_http_text http; /* private from here on */
    rc_case case_read;
} rc_seen;

/* alloc: copies. */
void rc_seen_init(rc_seen *seen, const rc_alloc *alloc);
void rc_seen_done(rc_seen *seen);

/* Recognises text; never fails. text: borrows until seen was used. */
void rc_seen_read(rc_seen *seen, rc_str text);

/* The last lines of a text that fit max_bytes; of a longer line its end. Views text. */
rc_str rc_seen_tail(rc_str text, size_t max_bytes);

/* Appends what was recognised, for people: "an HTTP response, status 429, 3 headers, 120 bytes". */
void rc_seen_push(const rc_seen *seen, rc_buf *buf);

/* The text without a byte order mark and without a terminal's colours, in UTF-8: the text itself,
 * or what was appended to room. */
rc_str rc_seen_clean(rc_str text, rc_buf *room);

#endif
