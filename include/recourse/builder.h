/* rc_builder: builds one report, field by field.
 *
 *   rc_builder b;
 *   rc_builder_init(&b, &alloc, RC_CODE_RATE_LIMITED);
 *   rc_builder_set_provider(&b, RC_STR("anthropic"));
 *   rc_builder_set_retry_after_ms(&b, 4000);
 *   rc_builder_add_source(&b, RC_HERE("RateLimitError"));
 *   const rc_report *report = rc_builder_finish(&b);    never NULL
 *
 * Setters copy their text, remove secrets from the copy (the scrubber) and return nothing. If
 * memory or a ceiling does not allow a value, the value is left out, and the context of the
 * finished report records this (key `incomplete`, value "out of memory" or "too large"). If the
 * report itself cannot be allocated, rc_builder_finish returns a static report with the code's row
 * of the taxonomy. If that report would have been a wrapper (a report that takes its classification
 * from its cause, the report inside it), rc_builder_finish returns the cause instead. The
 * classification is therefore never lost. If a field is set twice, the second value replaces the
 * first. Empty strings and NONE leave a field absent.
 *
 * rc_builder_finish fills the fields that were not set. The first source is the code's row of the
 * taxonomy (class, category if the row has one, domain, retryable, user action). The second source
 * is the cause (the same fields, and provider, model, provider metadata without the raw body, rule,
 * retry_exhausted). The message and the HTTP status are filled last. A wrapper that adds only an
 * error type and a message has RC_CODE_NONE and takes its whole classification from its cause. A
 * report is not retryable if the row of its code is not retryable, if its category is not
 * transient, or if one of its causes is a cancellation or a limit. */
#ifndef RECOURSE_BUILDER_H
#define RECOURSE_BUILDER_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/alloc.h>
#include <recourse/codes.h>
#include <recourse/export.h>
#include <recourse/id.h>
#include <recourse/report.h>
#include <recourse/str.h>

RC_BEGIN_DECLS

/* A builder in the caller's storage; its fields are private. */
typedef struct rc_builder {
    rc_alloc alloc;
    struct rc_report *report;
    rc_code code;
    uint32_t flags;
    const rc_report *cause; /* the cause, if the report could not be allocated; otherwise NULL,
                               because the report has the cause */
    rc_family family;
    uint32_t reserved;
} rc_builder;

/* The source location of an error. The macro RC_HERE("Type") expands to the location at which the
 * macro is used. */
typedef struct rc_source {
    const char *type;
    const char *file;
    int line;
    const char *func;
} rc_source;

static inline rc_source rc_source_make(const char *type, const char *file, int line,
                                       const char *func)
{
    rc_source s;
    s.type = type;
    s.file = file;
    s.line = line;
    s.func = func;
    return s;
}

#define RC_HERE(type) rc_source_make((type), __FILE__, __LINE__, __func__)

/* Begins a report with this code. RC_CODE_NONE begins a wrapper, which takes its class and code,
 * too, from its cause. A code that is not in the taxonomy becomes Unclassified. alloc: copies the
 * struct. The function never fails. Each rc_builder_init must be followed by one rc_builder_finish
 * or one rc_builder_done. */
RC_API void rc_builder_init(rc_builder *builder, const rc_alloc *alloc, rc_code code);

/* Completes the report and gives it to the caller, who frees it with rc_report_free. The result is
 * never NULL. The builder is empty afterwards. A second rc_builder_finish is an error of the caller
 * and returns the static report InvariantBroken. */
RC_API const rc_report *rc_builder_finish(rc_builder *builder);

/* Discards an unfinished report. The builder may be in any state, also after rc_builder_finish. */
RC_API void rc_builder_done(rc_builder *builder);

/* rc_builder_set_id sets the report's id to one made by rc_id_make, rc_builder_set_id_text to any
 * other unique text. id: copies the text. */
RC_API void rc_builder_set_id(rc_builder *builder, const rc_id *id);
RC_API void rc_builder_set_id_text(rc_builder *builder, rc_str id);

/* rc_builder_set_error_type sets the error type as text. type: copies the text.
 * rc_builder_set_family derives the error type from family and code; with RC_FAMILY_NONE, from the
 * class. If both functions are called, the second call decides. */
RC_API void rc_builder_set_error_type(rc_builder *builder, rc_str type);
RC_API void rc_builder_set_family(rc_builder *builder, rc_family family);

/* These functions set the classification and the texts. Every text is copied. The category may
 * differ from the category in the code's row. For example, a connection failure because of a
 * certificate has the category configuration, not transient. `message` is shown to the user and
 * must not contain internals; `detail` is for the log. */
RC_API void rc_builder_set_class(rc_builder *builder, rc_error_class error_class);
RC_API void rc_builder_set_category(rc_builder *builder, rc_category category);
RC_API void rc_builder_set_domain(rc_builder *builder, rc_domain domain);
RC_API void rc_builder_set_retryable(rc_builder *builder, bool retryable);
RC_API void rc_builder_set_message(rc_builder *builder, rc_str message);
RC_API void rc_builder_set_detail(rc_builder *builder, rc_str detail);
RC_API void rc_builder_set_action(rc_builder *builder, rc_user_action action, rc_str detail);
RC_API void rc_builder_set_provider(rc_builder *builder, rc_str provider);
RC_API void rc_builder_set_model(rc_builder *builder, rc_str model);
RC_API void rc_builder_set_rule(rc_builder *builder, rc_str rule);
RC_API void rc_builder_set_known_by(rc_builder *builder, rc_str basis);
RC_API void rc_builder_set_retry_exhausted(rc_builder *builder, bool exhausted);
RC_API void rc_builder_set_http_status(rc_builder *builder, int status);

/* These functions set the fields that the provider sent. Every text is copied. A negative status or
 * wait is ignored. `raw` is the provider's response body. */
RC_API void rc_builder_set_provider_status(rc_builder *builder, int64_t status);
RC_API void rc_builder_set_provider_type(rc_builder *builder, rc_str type);
RC_API void rc_builder_set_provider_code(rc_builder *builder, rc_str code);
RC_API void rc_builder_set_provider_param(rc_builder *builder, rc_str param);
RC_API void rc_builder_set_request_id(rc_builder *builder, rc_str request_id);
RC_API void rc_builder_set_retry_after_ms(rc_builder *builder, int64_t wait_ms);
RC_API void rc_builder_set_limit_kind(rc_builder *builder, rc_limit_kind kind);
RC_API void rc_builder_set_raw(rc_builder *builder, rc_str raw);

/* These functions set one entry of the context: run_id, node_id, session_id, attempt, or any other
 * key that helps to locate the failure. key, value: copies the text. The entry replaces an earlier
 * one with the same key. If the key names a secret, such as "password", the whole value is
 * redacted. */
RC_API void rc_builder_set_context(rc_builder *builder, rc_str key, rc_str value);
RC_API void rc_builder_set_context_int(rc_builder *builder, rc_str key, int64_t value);
RC_API void rc_builder_set_context_bool(rc_builder *builder, rc_str key, bool value);

/* Appends one attempt of the call. attempt: copies the struct and its texts. */
RC_API void rc_builder_add_attempt(rc_builder *builder, const rc_report_attempt *attempt);

/* Both functions append one source location. The outermost location is appended first. A location
 * is stored as "Type @ file:line (in func)". source: copies the texts. */
RC_API void rc_builder_add_source(rc_builder *builder, rc_source source);
RC_API void rc_builder_add_source_text(rc_builder *builder, rc_str source);

/* Sets the cause: the report that this report wraps. cause: borrows during the call; the builder
 * adds a reference of its own (rc_report_dup). A `cause` of NULL is ignored.
 *
 * If the chain of causes would become deeper than RC_REPORT_CAUSE_DEPTH_MAX, the reports directly
 * below the outermost one are left out, and the context entry `causes_elided` has their number. The
 * innermost cause and its classification are never left out. */
RC_API void rc_builder_set_cause(rc_builder *builder, const rc_report *cause);

/* A failure in the runtime of another language, such as an exception with its cause, for which no
 * report exists yet. */
typedef struct rc_fault {
    const char *type; /* type of the exception, such as "openai.RateLimitError"; NULL: unknown */
    rc_str message;
    rc_code code; /* RC_CODE_NONE: the failure has no classification */
    rc_source source;
    const struct rc_fault *cause; /* the failure that caused this one; NULL: none; the chain of
                                     causes may contain a cycle */
} rc_fault;

/* Builds a report for a chain of faults, the outermost first, and gives it to the caller. The
 * result is never NULL. fault: borrows during the call. A fault without a code becomes a wrapper if
 * it has a cause, otherwise a report with the code Internal. The fault's message becomes the
 * report's internal detail.
 *
 * In a deep chain the reports directly below the outermost one are left out, as in
 * rc_builder_set_cause. A cyclic chain is cut before the first repeated fault. A chain of more than
 * 1024 faults is cut after 1024 faults and continues with the innermost fault. The context of the
 * report at the cut records the cut (key `chain`, value "cyclic" or "too deep"). */
RC_API const rc_report *rc_report_from_fault(const rc_alloc *alloc, const rc_fault *fault);

/* Returns the static report of a code, for use when no memory is available. The result is never
 * NULL. For RC_CODE_NONE and RC_CODE_UNKNOWN the result is the report of Internal. */
RC_API const rc_report *rc_report_static(rc_code code);

RC_END_DECLS

#endif
