/* The inside of a report: for the builder, the codecs and the getters. Everyone else uses the
 * getters. */
#ifndef RC_REPORT_REPORT_PRIVATE_H
#define RC_REPORT_REPORT_PRIVATE_H

#include <recourse/report.h>

#include "base/arena.h"

/* Entries of the context that must not need memory: what is told when memory has run out. */
#define RC_REPORT_NOTES_MAX 2

/* Enums are kept as uint32_t so that one table of fields can read and write them all. */
struct rc_report {
    rc_arena arena; /* holds this struct and all that it points to, causes excepted */
    uint32_t refs;  /* owners; 0: static, never freed */
    uint32_t depth; /* causes below this one */

    rc_str report_id;
    rc_str error_type;
    uint32_t error_class;
    uint32_t code;
    uint32_t category;
    uint32_t domain;
    uint32_t retryable; /* rc_tristate */
    uint32_t retry_exhausted;
    rc_str message;
    rc_str detail;
    uint32_t action;
    uint32_t limit_kind;
    rc_str action_detail;
    rc_str provider;
    rc_str model;
    rc_str rule;

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
    rc_context_entry notes[RC_REPORT_NOTES_MAX]; /* follow the context */
    size_t notes_count;
    rc_report_attempt *attempts;
    size_t attempt_count;
    size_t attempt_size;
    rc_str *sources;
    size_t source_count;
    size_t source_size;

    const rc_report *cause;
};

/* The status that the classification asks for: a provider's 429 passes through, so that its client
 * waits; a cancellation wins over every other cause. */
int rc_report_derived_http_status(const rc_report *report);

/* Must it not be tried again, whatever it says of itself? By the code's row, by a category that is
 * not transient, by a cancellation or a limit in the chain. */
bool rc_report_forbids_retry(const rc_report *report);

/* Like rc_report_static, of a case of the code that must not be tried again. */
const rc_report *rc_report_static_fatal(rc_code code);

#define RC_KEY_INCOMPLETE "incomplete"
#define RC_KEY_CAUSES_ELIDED "causes_elided"
#define RC_KEY_WAIT_BY "wait_by" /* who says how long to wait; without it the provider does */

#endif
