/* rc_classify: classifies the failure of a call.
 *
 *   rc_failure ──► unwrap ──► extract ──► facts ──► rules ──► rc_verdict ──► report
 *   (evidence)     (layers)   (provider)  (typed)   (ordered)  (result)
 *
 * An rc_failure contains the evidence of one failed call: status, headers, body, stream event,
 * transport. Each member is optional. The rc_verdict is the result: a code of the taxonomy, a
 * category, a wait, and the rule that matched. The functions read no clock, have no state and
 * allocate only with the caller's rc_alloc; the same failure always gets the same verdict.
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

/* How the transport failed. RC_TRANSPORT_NONE: the transport did not fail, or the cause is not
 * known. */
typedef enum rc_transport {
    RC_TRANSPORT_NONE = 0,
    RC_TRANSPORT_TIMEOUT = 1,
    RC_TRANSPORT_CONNECT_REFUSED = 2,
    RC_TRANSPORT_DNS = 3,
    RC_TRANSPORT_TLS = 4,
    RC_TRANSPORT_RESET = 5,
    RC_TRANSPORT_EOF = 6
} rc_transport;

/* The phase in which the call failed. */
typedef enum rc_phase {
    RC_PHASE_NONE = 0,
    RC_PHASE_CONNECT = 1,  /* no part of the request was sent */
    RC_PHASE_SENT = 2,     /* the request was sent, but no response has begun */
    RC_PHASE_HEADERS = 3,  /* the response had begun, but no content was received */
    RC_PHASE_COMMITTED = 4 /* content was received, and may have been passed on to the client */
} rc_phase;

/* These functions convert between values and their names ("timeout", "connect_refused", ...). The
 * parse functions return NONE for an unknown name. Names are static strings. */
RC_API const char *rc_transport_name(rc_transport transport);
RC_API rc_transport rc_transport_parse(rc_str name);
RC_API const char *rc_phase_name(rc_phase phase);
RC_API rc_phase rc_phase_parse(rc_str name);

/* Whether the request may be sent again although the provider may already have executed it. */
typedef enum rc_replay {
    RC_REPLAY_BY_FAMILY = 0, /* allowed for completions, embeddings and searches; not for images,
                                audio and tool calls */
    RC_REPLAY_YES = 1,       /* the request has an idempotency key, or the caller allows repeating
                                it */
    RC_REPLAY_NO = 2
} rc_replay;

typedef struct rc_header {
    rc_str name; /* letter case is ignored */
    rc_str value;
} rc_header;

/* The evidence of one failed call. A zeroed struct means that nothing is known. All texts are
 * views. The functions neither change nor store the struct. */
typedef struct rc_failure {
    rc_str provider; /* name of the provider, also of one that rc_provider_at does not know; empty:
                      * the classifier recognises the provider */
    rc_str model;
    rc_family family; /* RC_FAMILY_NONE is treated as RC_FAMILY_LLM */
    int status;       /* HTTP status; 0: no status was received */
    const rc_header *headers;
    size_t header_count;
    rc_str body;  /* the response body, or any other text: an exception, a log line, stderr */
    rc_str event; /* the last events of the stream as received: SSE, NDJSON or AWS event-stream
                     text */
    rc_transport transport;
    rc_phase phase;
    rc_replay replay;
    int exit_status;        /* exit status of a process as a shell reports it (128 + signal); 0:
                               none */
    int64_t context_window; /* the model's context window in tokens; 0: not known */
    int64_t now_unix_ms;    /* current time, by which absolute retry times are converted to waits;
                               0: absolute retry times are ignored */
    rc_str host;            /* host that the request was sent to: "api.groq.com"; empty: unknown */
    rc_str report_id;       /* id for the report; empty: the report gets no id */
    rc_str provider_label;  /* name of the provider in the report, such as "backup"; empty: the name
                               in `provider` */
    rc_str request;         /* request body; if the response repeats text of the request, this text
                               is removed from the report */
    bool is_request_gone;   /* the request body is no longer available, so text of the request could
                               not be removed; the report omits the response body */
    rc_connection_fault connection; /* cause of the transport failure, more specific than
                                       `transport` */
    rc_str connection_detail;       /* further detail of the cause in `connection`, for the log */
    int64_t certificate_unix_ms;    /* end (TLS_EXPIRED) or start (TLS_NOT_YET_VALID) of the
                                       certificate's validity; 0: not known */
    int64_t limit_ms; /* length of the timeout that passed, if `connection` is a timeout; 0: not
                         known */
} rc_failure;

/* The kind of evidence on which a verdict is based, the most reliable kind first. */
typedef enum rc_basis {
    RC_BASIS_NONE = 0,  /* nothing was recognised */
    RC_BASIS_TYPED = 1, /* a code, a type, a header, a finish reason, a transport failure or an exit
                            status */
    RC_BASIS_STATUS = 2, /* a status, alone or with words */
    RC_BASIS_PHRASE = 3, /* words of the message */
    RC_BASIS_GUESS = 4   /* general words of a text that may come from no call; such a verdict is
                            never retryable */
} rc_basis;

/* Returns the name of a basis ("typed", "status", "phrase", "guess"); NULL for RC_BASIS_NONE. The
 * result is a static string. */
RC_API const char *rc_basis_name(rc_basis basis);

/* The result of the classification. The texts view the failure, static tables or the `space` of
 * rc_judge. */
typedef struct rc_verdict {
    rc_code code;
    rc_category category; /* RC_CATEGORY_NONE: the code has no category; this holds for the codes of
                             tools and processes */
    bool is_retryable;
    bool is_retry_refused;  /* a retry at the same target is useless, because the response forbids
                               it or the cause of the connection failure is permanent */
    int64_t retry_after_ms; /* -1: the provider named no wait; 0: retry at once */
    rc_limit_kind limit_kind;
    rc_str rule;          /* id of the rule that matched */
    rc_str reason;        /* one-line explanation of the rule that matched */
    rc_str provider;      /* provider given in the failure, or recognised; empty: unknown */
    rc_str recognised_by; /* evidence by which the provider was recognised; empty if the failure
                             named the provider */
    int status;           /* HTTP status in the innermost error; if that error has none, the HTTP
                             status of the response; 0: none */
    rc_str type;          /* type of the innermost error, as the provider spells it */
    rc_str error_code;    /* code of the innermost error; `param` and `message` belong to the
                             innermost error, too */
    rc_str param;
    rc_str message;
    rc_str request_id;
    rc_basis basis;    /* kind of evidence on which the verdict is based */
    rc_str looks_like; /* form of a text that does not come from a failed call, such as "compiler
                          output"; static text, empty for all other failures */
} rc_verdict;

/* Rules in addition to the built-in rules; see rules.h. */
typedef struct rc_rules rc_rules;

/* The steps of a classification, in the order in which the trace callback gets them. Each comment
 * describes `subject` and `text` of the step's rc_trace_note. */
typedef enum rc_trace_step {
    RC_TRACE_LAYER = 1,       /* a layer of a nested error; subject: kind of the wrapper around the
                                 layer, such as "raw", text: the layer's message */
    RC_TRACE_FIELD = 2,       /* subject: name of the field (type, code, status, param ...), text:
                                 its value */
    RC_TRACE_PROVIDER = 3,    /* subject: provider name, text: the evidence for the provider */
    RC_TRACE_FACT = 4,        /* subject: the fact ("says:quota"), text: the words or code from
                                 which the fact follows */
    RC_TRACE_HINT = 5,        /* subject: source of the hint ("retry-after"), text: value of the
                                 hint; wait_ms is set */
    RC_TRACE_IGNORED = 6,     /* subject: source of the hint, text: reason for which the hint was
                                 ignored */
    RC_TRACE_RULE_TRIED = 7,  /* subject: rule id, text: the condition that did not match */
    RC_TRACE_RULE_MATCHED = 8 /* subject: rule id, text: the rule's reason */
} rc_trace_step;

typedef struct rc_trace_note {
    rc_trace_step step;
    rc_str subject;
    rc_str text;
    int64_t wait_ms; /* RC_TRACE_HINT: the wait in milliseconds; other steps: -1 */
} rc_trace_note;

/* A callback that receives every step of a classification. */
typedef struct rc_trace {
    void (*on_note)(void *ctx, const rc_trace_note *note); /* called for each step; note: borrows
                                                              during the call */
    void *ctx;
} rc_trace;

/* Scratch space for unescaped strings that the texts of a verdict view. */
typedef struct rc_classify_space {
    char text[8192];
} rc_classify_space;

/* Returns a failure with an HTTP status and body. The caller may set the other members. body: the
 * failure views `length` bytes; NULL: no body. */
RC_API rc_failure rc_failure_http(int status, const char *body, size_t length);

/* As rc_failure_http, for a NUL-terminated body. body: the failure views the text. */
RC_API rc_failure rc_failure_http_text(int status, const char *body);

/* Classifies a failure and returns the verdict. The function never fails; evidence beyond the
 * ceilings (1 MiB of body, 256 headers, 12 layers) is ignored. failure, rules, trace: borrows
 * during the call; `rules` and `trace` may be NULL. space: borrows for as long as the verdict is
 * used. */
RC_API rc_verdict rc_judge(const rc_failure *failure, const rc_rules *rules, const rc_trace *trace,
                           rc_classify_space *space);

/* Classifies a failure and gives the caller a report that has the evidence in its provider metadata
 * and detail. The report is never NULL; the caller frees it with rc_report_free. failure, rules:
 * borrows during the call; `rules` may be NULL. */
RC_API const rc_report *rc_classify(const rc_failure *failure, const rc_rules *rules,
                                    const rc_alloc *alloc);

/* Gives the caller the report for an existing verdict. The report is never NULL; the caller frees
 * it with rc_report_free. failure, verdict: borrows during the call. */
RC_API const rc_report *rc_verdict_report(const rc_failure *failure, const rc_verdict *verdict,
                                          const rc_alloc *alloc);

/* Returns the name of the index-th provider that has its own extractor, or NULL if `index` is too
 * large. The result is a static string. */
RC_API const char *rc_provider_at(size_t index);

RC_END_DECLS

#endif
