/* rc_classify: from what a call left behind to what it means.
 *
 *   rc_failure ──► unwrap ──► extract ──► facts ──► rules ──► rc_verdict ──► report
 *   (what came)    (layers)   (provider)  (typed)   (ordered)  (the answer)
 *
 * A failure is everything that is known of one call that went wrong: status, headers, body, stream
 * event, transport. All of it is optional. The verdict is what it means: a code of the taxonomy, a
 * category, a wait, and the rule that decided. Nothing here reads a clock, allocates behind the
 * caller's back or keeps state; the same failure always gets the same verdict.
 *
 *   rc_failure failure = rc_failure_http(429, body, body_length);
 *   const rc_report *report = rc_classify(&failure, NULL, &alloc);      never NULL */
#ifndef RECOURSE_CLASSIFY_H
#define RECOURSE_CLASSIFY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <recourse/alloc.h>
#include <recourse/codes.h>
#include <recourse/connections.h>
#include <recourse/export.h>
#include <recourse/report.h>
#include <recourse/str.h>

RC_BEGIN_DECLS

/* How the transport failed. NONE: it did not, or nobody said. */
typedef enum rc_transport {
    RC_TRANSPORT_NONE = 0,
    RC_TRANSPORT_TIMEOUT = 1,
    RC_TRANSPORT_CONNECT_REFUSED = 2,
    RC_TRANSPORT_DNS = 3,
    RC_TRANSPORT_TLS = 4,
    RC_TRANSPORT_RESET = 5,
    RC_TRANSPORT_EOF = 6
} rc_transport;

/* How far the call had come when it failed. */
typedef enum rc_phase {
    RC_PHASE_NONE = 0,
    RC_PHASE_CONNECT = 1,  /* nothing of the request was sent */
    RC_PHASE_SENT = 2,     /* the request was sent, nothing came back */
    RC_PHASE_HEADERS = 3,  /* the response had begun, no content yet */
    RC_PHASE_COMMITTED = 4 /* content was received or passed on */
} rc_phase;

/* "timeout", "connect_refused", ...; and back (NONE when there is no such name). */
RC_API const char *rc_transport_name(rc_transport transport);
RC_API rc_transport rc_transport_parse(rc_str name);
RC_API const char *rc_phase_name(rc_phase phase);
RC_API rc_phase rc_phase_parse(rc_str name);

/* May the request be sent again although it may have been carried out? */
typedef enum rc_replay {
    RC_REPLAY_BY_FAMILY = 0, /* a completion, an embedding, a search may; an image, audio or a tool
                                call may not */
    RC_REPLAY_YES = 1,       /* it has an idempotency key, or the caller says so */
    RC_REPLAY_NO = 2
} rc_replay;

typedef struct rc_header {
    rc_str name; /* in any case */
    rc_str value;
} rc_header;

/* One call that went wrong. All zero: nothing is known. Views; nothing is changed or kept. */
typedef struct rc_failure {
    rc_str provider; /* a name of rc_provider_at, or any other; empty: recognised */
    rc_str model;
    rc_family family; /* NONE: llm */
    int status;       /* of HTTP; 0: none was received */
    const rc_header *headers;
    size_t header_count;
    rc_str body;  /* of the response; or whatever text there is: an exception, a log line, stderr */
    rc_str event; /* the stream's last events as received: SSE, NDJSON or AWS event-stream text */
    rc_transport transport;
    rc_phase phase;
    rc_replay replay;
    int exit_status;        /* of a process, as a shell gives it (128 + signal); 0: no process */
    int64_t context_window; /* of the model, in tokens; 0: not known */
    int64_t now_unix_ms;    /* turns points in time into waits; 0: they are ignored */
    rc_str host;            /* who was asked: "api.groq.com"; empty: not known */
    rc_str report_id;       /* of the report that is made of it; empty: it has none */
    rc_str provider_label;  /* the provider as the report names it: "backup"; empty: as above */
    rc_str request;         /* what was sent: what is repeated of it stays out of the report */
    bool is_request_gone;   /* it is no more at hand: the body stays out of the report */
    rc_connection_fault connection; /* why the transport failed, finer than `transport` */
    rc_str connection_detail;       /* what else is known of that, for the log */
    int64_t certificate_unix_ms;    /* EXPIRED, NOT_YET_VALID: the end, or the beginning, of the
                                       certificate's time; 0: not known */
    int64_t limit_ms; /* of a `connection` that is about time: how long there was; 0: not known */
} rc_failure;

/* What it means. Texts view the failure, static tables or `space`. */
typedef struct rc_verdict {
    rc_code code;
    rc_category category; /* NONE: the code's own has none (tools, processes) */
    bool is_retryable;
    bool is_retry_refused;  /* asking the same target again is of no use: whoever answered says so,
                               or what is wrong with the connection lasts */
    int64_t retry_after_ms; /* -1: the failure names no wait; 0: at once */
    rc_limit_kind limit_kind;
    rc_str rule;          /* the id of the rule that decided */
    rc_str reason;        /* its one line */
    rc_str provider;      /* given or recognised; empty: unknown */
    rc_str recognised_by; /* why that provider; empty when it was given */
    int status;           /* what the innermost error says, else HTTP's; 0: none */
    rc_str type;          /* of the innermost error, as the provider spells them */
    rc_str error_code;
    rc_str param;
    rc_str message;
    rc_str request_id;
} rc_verdict;

/* Rules beyond the built-in ones; see rules.h. */
typedef struct rc_rules rc_rules;

/* How the verdict came about, step by step; each step is told to `note` in order. */
typedef enum rc_trace_step {
    RC_TRACE_LAYER = 1,       /* subject: how it was wrapped ("raw"), text: its message */
    RC_TRACE_FIELD = 2,       /* subject: type, code, status, param ..., text: its value */
    RC_TRACE_PROVIDER = 3,    /* subject: name, text: what it was recognised by */
    RC_TRACE_FACT = 4,        /* subject: "says:quota", text: the words or the code that say so */
    RC_TRACE_HINT = 5,        /* subject: where ("retry-after"), text: its value; wait_ms */
    RC_TRACE_IGNORED = 6,     /* subject: where, text: why it was not believed */
    RC_TRACE_RULE_TRIED = 7,  /* subject: id, text: the condition that did not hold */
    RC_TRACE_RULE_MATCHED = 8 /* subject: id, text: its reason */
} rc_trace_step;

typedef struct rc_trace_note {
    rc_trace_step step;
    rc_str subject;
    rc_str text;
    int64_t wait_ms; /* of a hint; else -1 */
} rc_trace_note;

typedef struct rc_trace {
    void (*on_note)(void *ctx, const rc_trace_note *note); /* the note and its texts: borrows */
    void *ctx;
} rc_trace;

/* Where the verdict's own texts are kept: unescaped strings. */
typedef struct rc_classify_space {
    char text[8192];
} rc_classify_space;

/* A failure that came as a response of HTTP; the other members are empty, and may be set. body:
 * views length bytes; NULL: there is none. */
RC_API rc_failure rc_failure_http(int status, const char *body, size_t length);

/* The same with a body that ends in a NUL. */
RC_API rc_failure rc_failure_http_text(int status, const char *body);

/* The verdict. Never fails: what is beyond the ceilings (1 MiB of body, 256 headers, 12 layers) is
 * left out of the evidence. failure, rules, trace: borrow; rules and trace may be NULL. space:
 * borrows until the verdict was used. */
RC_API rc_verdict rc_judge(const rc_failure *failure, const rc_rules *rules, const rc_trace *trace,
                           rc_classify_space *space);

/* The same as a report, with the evidence in its provider metadata and detail. Never NULL; free it
 * with rc_report_free. failure, rules: borrow. */
RC_API const rc_report *rc_classify(const rc_failure *failure, const rc_rules *rules,
                                    const rc_alloc *alloc);

/* A report for a verdict that is there. Never NULL. failure, verdict: borrow. */
RC_API const rc_report *rc_verdict_report(const rc_failure *failure, const rc_verdict *verdict,
                                          const rc_alloc *alloc);

/* The providers that have an extractor of their own: their names in order; NULL past the end.
 * Gives static strings. */
RC_API const char *rc_provider_at(size_t index);

RC_END_DECLS

#endif
