/* rc_record: one record of the audit: an attempt, wait, switch, skip, decision, outcome,
 * cancellation, suppressed error, interaction, operator action or quota warning. The kinds and
 * columns are in spec/audit.def.
 *
 * A record is a view: its strings and its report belong to the code that fills it in. A record must
 * be initialised by rc_record_init, because latency_ms and first_byte_ms are -1 if they are
 * unknown. */
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
#define RC_RECORD_CLIENT_RETRY 16u /* The client's SDK stated that this request is a retry. */
#define RC_RECORD_UNPRICED 32u     /* Some of the usage has no price. */

/* Maximum lengths. Longer strings are truncated. A report with longer JSON is left out, and only
 * its id is stored. */
#define RC_RECORD_NAME_MAX ((size_t)256)
#define RC_RECORD_TEXT_MAX ((size_t)4096)
#define RC_RECORD_REPORT_MAX ((size_t)1 << 20)

typedef struct rc_record {
    rc_record_kind kind;
    rc_outcome outcome;  /* Outcome of the operation; only in a record of kind OUTCOME. */
    rc_str operation_id; /* An rc_id that was made when the operation began. All records of an
                            operation have the same id. */
    uint32_t seq;    /* Number of the record within its operation, from 0. A second record with the
                        same number is ignored. */
    int64_t unix_ms; /* Start of an ATTEMPT or a WAIT; for all other kinds the time of the event. In
                      * a BEGIN that was read from the store, the time in the operation's id. */
    int64_t at_ms;   /* Set when a record is read from the store: time since the time in the
                      * operation's id. */
    uint32_t attempt;
    rc_str client; /* `client` and `route` are set in BEGIN and OUTCOME. */
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
    int step; /* Step of the decision order (see spec/reasons.def). Reading sets it from the reason;
               * writing ignores it. */
    uint64_t wait_ms;
    int64_t latency_ms;    /* Duration of the attempt or operation. -1 if unknown. */
    int64_t first_byte_ms; /* Time to the first byte of content. -1 if unknown. */
    uint64_t tokens_in;
    uint64_t tokens_out;
    uint64_t cost_usd_micro;
    uint64_t bytes;
    uint32_t flags;
    rc_str request_id;
    rc_str text;
    const rc_report *report; /* Report of a failure, or NULL. From the report the writer fills
                              * report_id, report_json and the empty ones of the members above. */
    rc_str report_id;
    rc_str report_json; /* The report as JSON, in the internal view. Empty if the report was left
                         * out. */
    int64_t key;        /* Set when a record is read: position in the order of operations, for
                         * paging. */
    bool has_recovered; /* Set when a record is read: the operation succeeded although an attempt
                         * failed. */
} rc_record;

/* Initialises an empty record of this kind. */
void rc_record_init(rc_record *record, rc_record_kind kind);

/* rc_record_kind_name and rc_outcome_name return the name, such as "attempt", as a static string;
 * "unknown" for a number that is not in the table. For an unknown name, rc_record_kind_parse
 * returns RC_RECORD_NONE and rc_outcome_parse returns false. */
const char *rc_record_kind_name(rc_record_kind kind);
rc_record_kind rc_record_kind_parse(rc_str name);
const char *rc_outcome_name(rc_outcome outcome);
bool rc_outcome_parse(rc_str name, rc_outcome *ret_outcome);

/* Returns "measured", "estimated" or "partly_estimated"; "" if the record has no tokens. The result
 * is a static string. record: borrows during the call. */
const char *rc_record_token_basis(const rc_record *record);

/* Returns the outcome of an attempt, derived from its operation. An attempt without a code
 * succeeded if the operation succeeded at the attempt's target. Otherwise the attempt was
 * cancelled, because the client disconnected or another target was faster. The result is
 * RC_OUTCOME_OPEN if the outcome is unknown. is_there: the operation ended with the attempt's
 * target. */
rc_outcome rc_record_attempt_outcome(rc_code code, rc_error_class error_class, rc_outcome operation,
                                     bool is_there);

/* Checks whether the store accepts the records. Returns RC_E_ARGUMENT if a kind or outcome is
 * invalid, RC_E_SYNTAX if an operation's id is not an rc_id, RC_E_RANGE if a number or time is out
 * of range. records: borrows during the call. */
rc_status rc_records_check(const rc_record *records, size_t count);

/* A state that must survive a restart: an exhausted or rejected credential, a target taken out of
 * service, a raised budget. */
typedef enum rc_saved_state_kind {
    RC_SAVED_STATE_CREDENTIAL = 1, /* A credential's state. `value` is an rc_credential_state. */
    RC_SAVED_STATE_TARGET = 2,     /* A target's service state. `value` is 1 for out of service. */
    RC_SAVED_STATE_LIMIT = 3,      /* The state of a credential at one target. `value` is an
                                      rc_credential_state. */
    RC_SAVED_STATE_BUDGET = 4      /* A raised budget. `value` is the amount of the raise, in
                                      millionths of a dollar. */
} rc_saved_state_kind;

typedef struct rc_saved_state {
    rc_saved_state_kind kind;
    rc_str name;           /* The credential's id, provider/model, or both. The name of a budget is
                              such as "month client app". */
    uint64_t value;        /* Below 2^63. If the value is 0, writing this struct deletes the saved
                              state from the store. */
    int64_t until_unix_ms; /* End of the state as wall-clock time, so that the state also ends while
                            * the process is down. 0 for a permanent state. */
} rc_saved_state;

/* The usage of one day by client, route, target and credential: the sum over the attempts that cost
 * money or used tokens. The store updates the sums in the transaction that writes the attempts. */
typedef struct rc_store_daily_usage {
    int64_t day; /* Days since 1970 in UTC, computed from the attempts' unix_ms. */
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
    const struct rc_batch *next; /* The next batch of the same transaction. NULL in the last
                                    batch. */
    const rc_record *records;
    size_t record_count;
    const rc_saved_state *states;
    size_t state_count;
} rc_batch;

#endif
