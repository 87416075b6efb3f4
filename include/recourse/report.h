/* rc_report: what happened to one LLM or tool call. Immutable: built once (builder.h) or decoded
 * (json.h), then only read, from any thread.
 *
 * Lifetime: a report has owners. Who builds or decodes one is its first owner; rc_report_dup makes
 * one more; each calls rc_report_free once. Every rc_str, pointer and cause that a getter gives is
 * borrowed: it lives as long as the report. Every string is valid UTF-8 without secrets, has no NUL
 * inside and one behind it.
 *
 * No getter fails. A field that is absent gives an empty string, NONE, 0 or what its line says. All
 * take NULL and then give the same. */
#ifndef RECOURSE_REPORT_H
#define RECOURSE_REPORT_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/codes.h>
#include <recourse/export.h>
#include <recourse/str.h>

RC_BEGIN_DECLS

typedef struct rc_report rc_report;

/* Ceilings. What is longer is cut, and the text says so; what is more is left out, and the context
 * says so (incomplete). */
#define RC_REPORT_NAME_MAX 512       /* ids, types, providers, models, keys, rules */
#define RC_REPORT_MESSAGE_MAX 8192   /* message, detail of the user action, context values */
#define RC_REPORT_DETAIL_MAX 16384   /* detail */
#define RC_REPORT_RAW_MAX 65536      /* the provider's raw body */
#define RC_REPORT_CONTEXT_MAX 64     /* entries */
#define RC_REPORT_ATTEMPTS_MAX 64    /* entries */
#define RC_REPORT_SOURCES_MAX 64     /* entries */
#define RC_REPORT_CAUSE_DEPTH_MAX 64 /* reports below the outermost; see rc_builder_set_cause */

typedef enum rc_tristate {
    RC_UNSET = 0,
    RC_FALSE = 1,
    RC_TRUE = 2
} rc_tristate;

/* One entry of the context. */
typedef enum rc_value_kind {
    RC_VALUE_STRING = 1,
    RC_VALUE_INT = 2,
    RC_VALUE_BOOL = 3
} rc_value_kind;

typedef struct rc_context_entry {
    rc_str key;
    rc_value_kind kind;
    rc_str text;    /* of a STRING */
    int64_t number; /* of an INT */
    bool flag;      /* of a BOOL */
} rc_context_entry;

/* One try at one target. Absent: empty, NONE, 0, and -1 where said. */
typedef struct rc_report_attempt {
    int64_t attempt; /* counted from 1 over the whole call */
    rc_str provider;
    rc_str model;
    rc_str credential; /* an id, never the key */
    rc_code code;
    int64_t status;          /* HTTP; 0: there was none */
    rc_str request_id;       /* the provider's */
    int64_t started_unix_ms; /* -1: absent */
    int64_t duration_ms;     /* -1: absent */
    int64_t wait_ms;         /* before the next try; -1: absent */
    rc_str reason;           /* why it went on, or did not */
} rc_report_attempt;

/* Another owner of the same report. Gives it; never fails. NULL gives NULL. */
RC_API const rc_report *rc_report_dup(const rc_report *report);

/* One owner less; the last one frees it. NULL is allowed. */
RC_API void rc_report_free(const rc_report *report);

/* Identity, classification and texts. Strings are views of the report. */
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
RC_API rc_user_action rc_report_action(const rc_report *report);
RC_API rc_str rc_report_action_detail(const rc_report *report);

/* May the same request be tried again? What was set, else what the code's row says; false and UNSET
 * when neither is there. */
RC_API bool rc_report_is_retryable(const rc_report *report);
RC_API rc_tristate rc_report_retryable(const rc_report *report);

/* Did the layer that owned the retries give up? An outer layer then does not begin again. */
RC_API bool rc_report_is_retry_exhausted(const rc_report *report);

/* What the provider said. status 0, retry_after_ms -1: absent. */
RC_API int64_t rc_report_provider_status(const rc_report *report);
RC_API rc_str rc_report_provider_type(const rc_report *report);
RC_API rc_str rc_report_provider_code(const rc_report *report);
RC_API rc_str rc_report_provider_param(const rc_report *report);
RC_API rc_str rc_report_request_id(const rc_report *report);
RC_API int64_t rc_report_retry_after_ms(const rc_report *report);
RC_API rc_limit_kind rc_report_limit_kind(const rc_report *report);
RC_API rc_str rc_report_raw(const rc_report *report);

/* Lists. An entry is borrowed; NULL past the end. */
RC_API size_t rc_report_context_count(const rc_report *report);
RC_API const rc_context_entry *rc_report_context_at(const rc_report *report, size_t index);
RC_API const rc_context_entry *rc_report_context_get(const rc_report *report, rc_str key);
RC_API size_t rc_report_attempt_count(const rc_report *report);
RC_API const rc_report_attempt *rc_report_attempt_at(const rc_report *report, size_t index);

/* "Type @ file:line (in func)", this report's own; the causes have theirs. The empty string past
 * the end. */
RC_API size_t rc_report_source_count(const rc_report *report);
RC_API rc_str rc_report_source_at(const rc_report *report, size_t index);

/* The status to answer with: what was set, else a provider's 429, else the code's, else the
 * domain's, else 500. Never 0. */
RC_API int rc_report_http_status(const rc_report *report);

/* The exit status and run-event code of the code, from the table. 70 and INTERNAL for a code that
 * is not in it. */
RC_API int rc_report_exit_status(const rc_report *report);
RC_API rc_run_event rc_report_run_event(const rc_report *report);

/* The report that this one wraps; NULL: none. */
RC_API const rc_report *rc_report_cause(const rc_report *report);

/* The last of the chain: the report itself when it has no cause. */
RC_API const rc_report *rc_report_root(const rc_report *report);

RC_END_DECLS

#endif
