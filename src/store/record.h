/* rc_record: one record of the audit: an attempt, wait, switch, skip, decision, outcome,
 * cancellation, suppressed error, interaction, operator action or quota warning. The kinds and
 * columns are in spec/audit.def.
 *
 * A record is a view: its strings and its report belong to the code that fills it in. Start with
 * rc_record_init: a zeroed record is empty except that unknown values of latency_ms and
 * first_byte_ms are -1. */
#ifndef RC_STORE_RECORD_H
#define RC_STORE_RECORD_H

#include <stdbool.h>
#include <stdint.h>

#include <recourse/alloc.h>
#include <recourse/codes.h>
#include <recourse/reason.h>
#include <recourse/report.h>
#include <recourse/status.h>
#include <recourse/str.h>

typedef enum rc_record_kind {
    RC_RECORD_NONE = 0,
#define RC_AUDIT_KIND(number, ID, name, text) RC_RECORD_##ID = (number),
#include "spec/audit.def"
} rc_record_kind;

typedef enum rc_outcome {
#define RC_AUDIT_OUTCOME(number, ID, name, text) RC_OUTCOME_##ID = (number),
#include "spec/audit.def"
} rc_outcome;

/* Values of rc_record.flags. */
#define RC_RECORD_COMMITTED 1u
#define RC_RECORD_STREAMING 2u
#define RC_RECORD_MEASURED 4u
#define RC_RECORD_ESTIMATED 8u
#define RC_RECORD_CLIENT_RETRY 16u /* The client says that this request is a retry. */
#define RC_RECORD_UNPRICED 32u     /* Some of the usage has no price. */

/* Longer strings are truncated. A report with longer JSON is left out; its id stays. */
#define RC_RECORD_NAME_MAX ((size_t)256)
#define RC_RECORD_TEXT_MAX ((size_t)4096)
#define RC_RECORD_REPORT_MAX ((size_t)1 << 20)

typedef struct rc_record {
    rc_record_kind kind;
    rc_outcome outcome;  /* Outcome of the operation, in a record of kind OUTCOME. */
    rc_str operation_id; /* An rc_id, made when the operation began; the same in all its records. */
    uint32_t seq;    /* Number within the operation, from 0. The same seq twice is one record. */
    int64_t unix_ms; /* Start of an ATTEMPT or a WAIT; the time of any other event. Of a BEGIN
                          * that is read: the time in the id. */
    int64_t at_ms;   /* Set by reading: time since the time in the id. */
    uint32_t attempt;
    rc_str client; /* client, route: of BEGIN and OUTCOME. */
    rc_str route;
    rc_str provider;
    rc_str model;
    rc_str target;
    rc_str credential; /* The credential's id, never its key. */
    int32_t status;
    rc_code code;
    rc_error_class error_class;
    rc_category category;
    rc_reason reason;
    int step; /* Step of the decision order. Set by reading, from the reason; ignored by writing. */
    uint64_t wait_ms;
    int64_t latency_ms;    /* Duration of the attempt or operation; -1: unknown. */
    int64_t first_byte_ms; /* Time to the first byte of content; -1: unknown. */
    uint64_t tokens_in;
    uint64_t tokens_out;
    uint64_t cost_usd_micro;
    uint64_t bytes;
    uint32_t flags;
    rc_str request_id;
    rc_str text;
    const rc_report *report; /* Report of a failure, or NULL. The writer fills empty fields above
                              * from it, and makes report_id and report_json of it. */
    rc_str report_id;
    rc_str report_json; /* The report's internal view; empty: left out. */
    int64_t key;        /* Set by reading: position in the order of operations, for paging. */
    bool has_recovered; /* Set by reading: an attempt failed and the operation succeeded. */
} rc_record;

/* Initialises an empty record of that kind. */
void rc_record_init(rc_record *record, rc_record_kind kind);

/* The name ("attempt"), static; "unknown" for a number that is not in the table. Parsing an unknown
 * name gives NONE, or false for an outcome. */
const char *rc_record_kind_name(rc_record_kind kind);
rc_record_kind rc_record_kind_parse(rc_str name);
const char *rc_outcome_name(rc_outcome outcome);
bool rc_outcome_parse(rc_str name, rc_outcome *ret_outcome);

/* "measured", "estimated" or "partly_estimated"; "": no tokens. Gives a static string. record:
 * borrows. */
const char *rc_record_token_basis(const rc_record *record);

/* The outcome of an attempt, derived from its operation. An attempt without a code succeeded if the
 * operation succeeded at that target; otherwise it was cancelled, because the client left or
 * another target was faster. OPEN: unknown. is_there: the attempt's target is the one with which
 * the operation ended. */
rc_outcome rc_record_attempt_outcome(rc_code code, rc_error_class error_class, rc_outcome operation,
                                     bool is_there);

/* Whether the store accepts the records. RC_E_ARGUMENT: a kind or outcome is invalid; RC_E_SYNTAX:
 * an operation's id is not an rc_id; RC_E_RANGE: a number or time is out of range. records:
 * borrows. */
rc_status rc_records_check(const rc_record *records, size_t count);

/* State that must survive a restart: an exhausted or rejected credential, a target taken out of
 * service, a raised budget. */
typedef enum rc_saved_state_kind {
    RC_SAVED_STATE_CREDENTIAL = 1, /* A credential's state; value: rc_credential_state. */
    RC_SAVED_STATE_TARGET = 2,     /* A target's service state; value: 1 for out of service. */
    RC_SAVED_STATE_LIMIT = 3,      /* A credential at one target. value: rc_credential_state. */
    RC_SAVED_STATE_BUDGET = 4      /* value: by how much the budget was raised, in millionths of a
                                    * dollar. */
} rc_saved_state_kind;

typedef struct rc_saved_state {
    rc_saved_state_kind kind;
    rc_str name;           /* The credential's id, provider/model, or both; of a budget "month
                            * client app". */
    uint64_t value;        /* 0: saving deletes the saved state. Below 2^63. */
    int64_t until_unix_ms; /* Wall-clock time, which continues while the process is down; 0:
                            * permanent. */
} rc_saved_state;

/* The usage of one day by client, route, target and credential: the sum of the attempts that cost
 * money or used tokens. The store adds to it in the transaction that writes the attempts. */
typedef struct rc_store_daily_usage {
    int64_t day; /* Days since 1970 in UTC, from the attempts' unix_ms. */
    rc_str client;
    rc_str route;
    rc_str target;
    rc_str credential;
    uint64_t attempts;
    uint64_t tokens_in;
    uint64_t tokens_out;
    uint64_t cost_usd_micro;
} rc_store_daily_usage;

/* rc_batch: records and saved states that are written in one transaction. */
typedef struct rc_batch {
    const struct rc_batch *next; /* The next batch of the same transaction; NULL: the last. */
    const rc_record *records;
    size_t record_count;
    const rc_saved_state *states;
    size_t state_count;
} rc_batch;

#endif
