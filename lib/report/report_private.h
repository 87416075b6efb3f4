/* Internal structure of a report, for the builder, encoder, decoder and getters. All other code
 * uses the getters. */
#ifndef RC_REPORT_REPORT_PRIVATE_H
#define RC_REPORT_REPORT_PRIVATE_H

#include <recourse/report.h>

#include "base/arena.h"

/* Number of context entries that are reserved for notes about the report itself. A note needs no
 * allocation, because one of the notes records that no memory was available. */
#define RC_REPORT_NOTES_MAX 2

/* Enums are stored as uint32_t, so that the code for the table of fields can treat all of them
 * alike. */
struct rc_report {
    rc_arena arena; /* The memory of this struct and of everything it points to, except the
                       cause. */
    uint32_t refs;  /* Number of references; 0 in a static report, which is never freed. */
    uint32_t depth; /* Number of causes below this report. */

    rc_str report_id;
    rc_str error_type;
    uint32_t error_class;
    uint32_t code;
    uint32_t category;
    uint32_t domain;
    uint32_t retryable; /* an rc_tristate */
    uint32_t retry_exhausted;
    rc_str message;
    rc_str detail;
    uint32_t action;
    uint32_t limit_kind;
    rc_str action_detail;
    rc_str provider;
    rc_str model;
    rc_str rule;
    rc_str known_by;

    int64_t provider_status;
    rc_str provider_type;
    rc_str provider_code;
    rc_str provider_param;
    rc_str request_id;
    int64_t retry_after_ms;
    rc_str raw;

    int64_t http_status;

    rc_context_entry *context;
    size_t context_count;
    size_t context_size;
    rc_context_entry notes[RC_REPORT_NOTES_MAX]; /* Getters return the notes after the entries of
                                                    `context`. */
    size_t notes_count;
    rc_report_attempt *attempts;
    size_t attempt_count;
    size_t attempt_size;
    rc_str *sources;
    size_t source_count;
    size_t source_size;

    const rc_report *cause;
};

/* Returns the HTTP status for the client from the report's classification. The result is 429 if the
 * provider sent 429, so that the client waits, unless the report is a cancellation. */
int rc_report_derived_http_status(const rc_report *report);

/* Returns whether a retry is excluded, whatever the value of `retryable` is: by the code's row in
 * spec/errors.def, by a category other than transient, or by a cancellation or limit in the chain
 * of causes. */
bool rc_report_forbids_retry(const rc_report *report);

/* Like rc_report_static, but for a failure that must not be retried although its code may be
 * retryable. The result is static. */
const rc_report *rc_report_static_fatal(rc_code code);

#define RC_KEY_INCOMPLETE "incomplete"
#define RC_KEY_CAUSES_ELIDED "causes_elided"
/* Context key: the component that chose the wait; absent if the provider named the wait. */
#define RC_KEY_WAIT_BY "wait_by"

#endif
