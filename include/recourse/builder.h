/* rc_builder: how a report is made.
 *
 *   rc_builder b;
 *   rc_builder_init(&b, &alloc, RC_CODE_RATE_LIMITED);
 *   rc_builder_set_provider(&b, RC_STR("anthropic"));
 *   rc_builder_set_retry_after_ms(&b, 4000);
 *   rc_builder_add_source(&b, RC_HERE("RateLimitError"));
 *   const rc_report *report = rc_builder_finish(&b);    never NULL
 *
 * Setters copy what they are given through the scrubber and return nothing: whatever cannot be kept
 * (no memory, a ceiling) is left out, and the finished report says so in its context (incomplete:
 * "out of memory" or "too large"). When not even the report itself could be allocated, finish gives
 * a static one with the code's row of the table, or of a wrapper its cause: the classification is
 * never lost. Setting a field twice: the last one wins. Empty strings and NONE leave a field
 * absent.
 *
 * What is not set is filled by finish, field by field: from the code's row of the table (class,
 * category where the row has one, domain, retryable, user action), then from the cause, which was
 * filled the same way when it was built (these, and provider, model, provider metadata but for raw,
 * rule, retry_exhausted), at last the message and the HTTP status. A wrapper that adds only its
 * type and message has RC_CODE_NONE and takes all of its classification from its cause. No report
 * comes out retryable against its code's row, its category (only transient is) or a cancellation
 * or limit among its causes. */
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

/* The caller's storage; the fields are private. */
typedef struct rc_builder {
    rc_alloc alloc;
    struct rc_report *report;
    rc_code code;
    uint32_t flags;
    const rc_report *cause; /* kept here when there is no memory for the report */
    rc_family family;
    uint32_t reserved;
} rc_builder;

/* Where an error was seen: RC_HERE("Type") at the place itself. */
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

/* Starts a report with this code (RC_CODE_NONE: a wrapper that takes class and code from its cause
 * too; a code that is not in the table: Unclassified). alloc: copies. Never fails. Each init is
 * followed by one finish or one done. */
RC_API void rc_builder_init(rc_builder *builder, const rc_alloc *alloc, rc_code code);

/* Ends the building and gives the report, never NULL; free it with rc_report_free. The builder is
 * empty afterwards; finishing it again is the caller's mistake and gives the static
 * InvariantBroken. */
RC_API const rc_report *rc_builder_finish(rc_builder *builder);

/* Gives up a report that was begun. Takes a builder in any state, also after finish. */
RC_API void rc_builder_done(rc_builder *builder);

/* The report's id (copies): made by rc_id_make, or any other that is unique. */
RC_API void rc_builder_set_id(rc_builder *builder, const rc_id *id);
RC_API void rc_builder_set_id_text(rc_builder *builder, rc_str id);

/* The error type: a wrapper's own, or chosen by family and code (RC_FAMILY_NONE: the class's). Of
 * the two the last one wins. */
RC_API void rc_builder_set_error_type(rc_builder *builder, rc_str type);
RC_API void rc_builder_set_family(rc_builder *builder, rc_family family);

/* Classification and texts. Every text is copied. category: a code's own case may differ from its
 * row (a connection that fails on a certificate is configuration, not transient). message is for
 * the user: no internals; detail is for the log. */
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
RC_API void rc_builder_set_retry_exhausted(rc_builder *builder, bool exhausted);
RC_API void rc_builder_set_http_status(rc_builder *builder, int status);

/* What the provider said. A negative status or wait is ignored. */
RC_API void rc_builder_set_provider_status(rc_builder *builder, int64_t status);
RC_API void rc_builder_set_provider_type(rc_builder *builder, rc_str type);
RC_API void rc_builder_set_provider_code(rc_builder *builder, rc_str code);
RC_API void rc_builder_set_provider_param(rc_builder *builder, rc_str param);
RC_API void rc_builder_set_request_id(rc_builder *builder, rc_str request_id);
RC_API void rc_builder_set_retry_after_ms(rc_builder *builder, int64_t wait_ms);
RC_API void rc_builder_set_limit_kind(rc_builder *builder, rc_limit_kind kind);
RC_API void rc_builder_set_raw(rc_builder *builder, rc_str raw);

/* Context: run_id, node_id, session_id, attempt and whatever else names the place. A key that is
 * there is replaced. A value under a secret name is redacted whole. */
RC_API void rc_builder_set_context(rc_builder *builder, rc_str key, rc_str value);
RC_API void rc_builder_set_context_int(rc_builder *builder, rc_str key, int64_t value);
RC_API void rc_builder_set_context_bool(rc_builder *builder, rc_str key, bool value);

/* attempt: copies. */
RC_API void rc_builder_add_attempt(rc_builder *builder, const rc_report_attempt *attempt);

/* Where it was seen, outermost first; becomes "Type @ file:line (in func)". Copies. */
RC_API void rc_builder_add_source(rc_builder *builder, rc_source source);
RC_API void rc_builder_add_source_text(rc_builder *builder, rc_str source);

/* The report that this one wraps. Borrows: the builder makes itself an owner of it. NULL is allowed
 * and ignored.
 *
 * A chain that would become deeper than RC_REPORT_CAUSE_DEPTH_MAX loses the reports next to the
 * outermost, one for each that is added, and counts them in the context (causes_elided); the root
 * cause and its classification stay. */
RC_API void rc_builder_set_cause(rc_builder *builder, const rc_report *cause);

/* A failure as another runtime has it, before it is a report: an exception with its cause. */
typedef struct rc_fault {
    const char *type; /* "openai.RateLimitError"; NULL: unknown */
    rc_str message;
    rc_code code; /* NONE: not classified */
    rc_source source;
    const struct rc_fault *cause; /* borrowed; may lead back to where it began */
} rc_fault;

/* A report for a chain of faults, outermost first. Of a deep chain the reports next to the
 * outermost are left out, as by rc_builder_set_cause. A chain that leads back is cut where it does;
 * of one that is longer than 1024 only the last, where the failure was seen, is taken beyond that.
 * The report at that place says so in its context (chain: "cyclic" or "too deep"). fault: borrows.
 * A fault without a code that has a cause is a wrapper; without a cause it is Internal. The fault's
 * message is internal detail. Never NULL. */
RC_API const rc_report *rc_report_from_fault(const rc_alloc *alloc, const rc_fault *fault);

/* The static report of a code, for when nothing can be allocated. Never NULL; RC_CODE_NONE and
 * UNKNOWN give Internal. */
RC_API const rc_report *rc_report_static(rc_code code);

RC_END_DECLS

#endif
