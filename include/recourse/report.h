/* rc_report: the description of one failed LLM or tool call. A report is built (builder.h) or
 * decoded (json.h) once and never changes; any thread may read it.
 *
 * Lifetime: reports are reference-counted. Building or decoding creates the first reference,
 * rc_report_dup creates another one, and one rc_report_free releases one reference. Every rc_str,
 * pointer and cause that a getter returns views (points into) the report and is valid for as long
 * as the report exists. Every string is valid UTF-8 without secrets. A string contains no NUL and
 * is followed by a NUL.
 *
 * Getters never fail. For an absent field, and for a NULL report, a getter returns an empty string,
 * NONE, 0 or the value that its comment names. */
#ifndef RECOURSE_REPORT_H
#define RECOURSE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/codes.h>
#include <recourse/export.h>
#include <recourse/str.h>

RC_BEGIN_DECLS

typedef struct rc_report rc_report;

/* Ceilings of a report. A text above its ceiling is cut and marked as cut. Entries above their
 * ceiling are left out, and the context entry `incomplete` records this. */
#define RC_REPORT_NAME_MAX 512     /* bytes of ids, types, providers, models, keys, rules */
#define RC_REPORT_MESSAGE_MAX 8192 /* bytes of message, action detail, context values */
#define RC_REPORT_DETAIL_MAX 16384 /* bytes of the detail */
#define RC_REPORT_RAW_MAX 65536    /* bytes of the provider's raw body */
#define RC_REPORT_CONTEXT_MAX 64   /* entries of the context */
#define RC_REPORT_ATTEMPTS_MAX 64  /* number of attempts */
#define RC_REPORT_SOURCES_MAX 64   /* number of source locations */
/* number of reports below the outermost one; see rc_builder_set_cause */
#define RC_REPORT_CAUSE_DEPTH_MAX 64

typedef enum rc_tristate {
    RC_UNSET = 0,
    RC_FALSE = 1,
    RC_TRUE = 2
} rc_tristate;

/* The type of a value in the context. */
typedef enum rc_value_kind {
    RC_VALUE_STRING = 1,
    RC_VALUE_INT = 2,
    RC_VALUE_BOOL = 3
} rc_value_kind;

typedef struct rc_context_entry {
    rc_str key;
    rc_value_kind kind;
    rc_str text;    /* the value of a STRING */
    int64_t number; /* the value of an INT */
    bool flag;      /* the value of a BOOL */
} rc_context_entry;

/* One attempt at one target. An absent value is empty, NONE or 0, or -1 where the comment names
 * -1. */
typedef struct rc_report_attempt {
    int64_t attempt; /* number of the attempt, counted from 1 over the whole call */
    rc_str provider;
    rc_str model;
    rc_str credential; /* credential id, never the key */
    rc_code code;
    int64_t status;          /* HTTP status; 0: no status was received */
    rc_str request_id;       /* the provider's request id */
    int64_t started_unix_ms; /* start of the attempt; -1: absent */
    int64_t duration_ms;     /* duration of the attempt; -1: absent */
    int64_t wait_ms;         /* wait before the next attempt; -1: absent */
    rc_str reason;           /* reason of the decision after this attempt (reason.h) */
} rc_report_attempt;

/* Gives the caller another reference to the same report. The function never fails; for NULL it
 * returns NULL. */
RC_API const rc_report *rc_report_dup(const rc_report *report);

/* Releases one reference. Releasing the last reference frees the report. NULL is allowed. */
RC_API void rc_report_free(const rc_report *report);

/* These getters return the identity, the classification and the texts. Strings view the report. */
RC_API rc_str rc_report_id(const rc_report *report);
RC_API rc_str rc_report_error_type(const rc_report *report);
RC_API rc_error_class rc_report_class(const rc_report *report);
RC_API rc_code rc_report_code(const rc_report *report);
RC_API rc_category rc_report_category(const rc_report *report);
RC_API rc_domain rc_report_domain(const rc_report *report);
RC_API rc_str rc_report_message(const rc_report *report);
RC_API rc_str rc_report_detail(const rc_report *report);
RC_API rc_str rc_report_provider(const rc_report *report);
RC_API rc_str rc_report_model(const rc_report *report);
RC_API rc_str rc_report_rule(const rc_report *report);
/* Returns the kind of evidence on which the verdict is based: "typed", "status", "phrase" or
 * "guess" (rc_basis_name); may be empty. */
RC_API rc_str rc_report_known_by(const rc_report *report);
RC_API rc_user_action rc_report_action(const rc_report *report);
RC_API rc_str rc_report_action_detail(const rc_report *report);

/* Both functions return whether the same request may be tried again: the value that was set in the
 * report, otherwise the value in the code's row of the taxonomy. If neither value exists,
 * rc_report_is_retryable returns false and rc_report_retryable returns RC_UNSET. */
RC_API bool rc_report_is_retryable(const rc_report *report);
RC_API rc_tristate rc_report_retryable(const rc_report *report);

/* Returns whether the layer below has used up its retries. The layers above must then not retry. */
RC_API bool rc_report_is_retry_exhausted(const rc_report *report);

/* These getters return the fields that the provider sent. An absent status is 0; an absent
 * retry_after_ms is -1. */
RC_API int64_t rc_report_provider_status(const rc_report *report);
RC_API rc_str rc_report_provider_type(const rc_report *report);
RC_API rc_str rc_report_provider_code(const rc_report *report);
RC_API rc_str rc_report_provider_param(const rc_report *report);
RC_API rc_str rc_report_request_id(const rc_report *report);
RC_API int64_t rc_report_retry_after_ms(const rc_report *report);
RC_API rc_limit_kind rc_report_limit_kind(const rc_report *report);
RC_API rc_str rc_report_raw(const rc_report *report);

/* These getters return the entries of the context and the attempts. The result views the report.
 * The result is NULL if the index is too large or the key is unknown. */
RC_API size_t rc_report_context_count(const rc_report *report);
RC_API const rc_context_entry *rc_report_context_at(const rc_report *report, size_t index);
RC_API const rc_context_entry *rc_report_context_get(const rc_report *report, rc_str key);
RC_API size_t rc_report_attempt_count(const rc_report *report);
RC_API const rc_report_attempt *rc_report_attempt_at(const rc_report *report, size_t index);

/* These getters return the source locations of this report, without those of its causes, in the
 * form "Type @ file:line (in func)". If the index is too large, the result is the empty string. */
RC_API size_t rc_report_source_count(const rc_report *report);
RC_API rc_str rc_report_source_at(const rc_report *report, size_t index);

/* Returns the HTTP status for the response to the client: the status that was set in the report;
 * otherwise 429 if the provider sent 429; otherwise the status of the code or, if the code has
 * none, of the domain; otherwise 500. */
RC_API int rc_report_http_status(const rc_report *report);

/* rc_report_exit_status returns the exit status, and rc_report_run_event the run event, that the
 * taxonomy has for the report's code. For a code that is not in the taxonomy the results are 70 and
 * INTERNAL. */
RC_API int rc_report_exit_status(const rc_report *report);
RC_API rc_run_event rc_report_run_event(const rc_report *report);

/* Returns the cause: the report that this report wraps, or NULL if the report has no cause. The
 * result views this report. */
RC_API const rc_report *rc_report_cause(const rc_report *report);

/* Returns the innermost cause, or the report itself if it has no cause. The result views the
 * report. */
RC_API const rc_report *rc_report_root(const rc_report *report);

RC_END_DECLS

#endif
