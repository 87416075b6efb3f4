/* rc_record: one line of the audit. Every attempt, wait, switch, skip, decision, outcome,
 * cancellation, suppressed error, interaction, change of service and warning of a limit is one. The
 * kinds and columns are in spec/audit.def.
 *
 * A record is a view: its strings and its report belong to whoever fills it in. A zeroed one is
 * empty but for latency_ms and first_byte_ms, which are -1 when they are not known: start with
 * rc_record_init. */
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

/* Flags. */
#define RC_RECORD_COMMITTED 1u
#define RC_RECORD_STREAMING 2u
#define RC_RECORD_MEASURED 4u
#define RC_RECORD_ESTIMATED 8u
#define RC_RECORD_CLIENT_RETRY 16u /* the client says that it has asked before */
#define RC_RECORD_UNPRICED 32u     /* what it used, or a part of it, has no price */

/* Longer strings are cut. A report that takes more as JSON is left out; its id stays. */
#define RC_RECORD_NAME_MAX ((size_t)256)
#define RC_RECORD_TEXT_MAX ((size_t)4096)
#define RC_RECORD_REPORT_MAX ((size_t)1 << 20)

typedef struct rc_record {
    rc_record_kind kind;
    rc_outcome outcome;  /* of an OUTCOME */
    rc_str operation_id; /* an rc_id, made when the operation began; the same in all its records */
    uint32_t seq;        /* of the operation, from 0; the same one twice is one record */
    int64_t unix_ms;     /* of an ATTEMPT or a WAIT its beginning, of others when it happened; of a
                            BEGIN that is read, the time in the id */
    int64_t at_ms;       /* reading: since the time in the id */
    uint32_t attempt;
    rc_str client; /* of BEGIN and OUTCOME: client, route */
    rc_str route;
    rc_str provider;
    rc_str model;
    rc_str target;
    rc_str credential; /* an id, never a key */
    int32_t status;
    rc_code code;
    rc_error_class error_class;
    rc_category category;
    rc_reason reason;
    int step; /* of the decision order; reading gives the reason's, writing does not look at it */
    uint64_t wait_ms;
    int64_t latency_ms;    /* -1: not known */
    int64_t first_byte_ms; /* -1: not known */
    uint64_t tokens_in;
    uint64_t tokens_out;
    uint64_t cost_usd_micro;
    uint64_t bytes;
    uint32_t flags;
    rc_str request_id;
    rc_str text;
    const rc_report *report; /* of a failure, for the writer, which takes from it what the fields
                                above leave out and makes the next two of it. NULL: none */
    rc_str report_id;
    rc_str report_json; /* the internal view; empty: left out */
    int64_t key;        /* reading: the place in the order of operations, for paging */
    bool has_recovered; /* reading, of an operation: it succeeded although an attempt failed */
} rc_record;

/* Empty, of that kind. */
void rc_record_init(rc_record *record, rc_record_kind kind);

/* "attempt"; "unknown" for what is not in the table. Static. Parsing gives NONE, and false for an
 * outcome that is not one. */
const char *rc_record_kind_name(rc_record_kind kind);
rc_record_kind rc_record_kind_parse(rc_str name);
const char *rc_outcome_name(rc_outcome outcome);
bool rc_outcome_parse(rc_str name, rc_outcome *ret_outcome);

/* "measured", "estimated", "partly_estimated"; "": there are none. Gives a static string. record:
 * borrows. */
const char *rc_record_token_basis(const rc_record *record);

/* How an attempt ended, seen from its operation. What has no code answered, if the operation
 * succeeded there; else it was let go: its client left, or another target was quicker. OPEN: nobody
 * knows. is_there: at the target that the operation ended with. */
rc_outcome rc_record_attempt_outcome(rc_code code, rc_error_class error_class, rc_outcome operation,
                                     bool is_there);

/* Are they what the store takes? RC_E_ARGUMENT: no kind; RC_E_SYNTAX: an operation's id is not an
 * rc_id; RC_E_RANGE: a number that is too large or a time that is none. records: borrows. */
rc_status rc_records_check(const rc_record *records, size_t count);

/* What must survive a restart: a credential that is used up or refused, a target that was taken
 * out of service, a budget that was raised. */
typedef enum rc_saved_state_kind {
    RC_SAVED_STATE_CREDENTIAL = 1, /* state: rc_credential_state */
    RC_SAVED_STATE_TARGET = 2,     /* state: 1 for out of service */
    RC_SAVED_STATE_LIMIT = 3,      /* a credential at one target. state: rc_credential_state */
    RC_SAVED_STATE_BUDGET = 4      /* state: by how much, in millionths of a dollar */
} rc_saved_state_kind;

typedef struct rc_saved_state {
    rc_saved_state_kind kind;
    rc_str name;           /* the credential's id, provider/model, or both; "month client app" */
    uint64_t value;        /* 0: nothing to remember; saving it forgets the mark. Below 2^63 */
    int64_t until_unix_ms; /* by the wall clock, which goes on while we do not; 0: for good */
} rc_saved_state;

/* What was spent on a day, by whom and where: the sum of the attempts that cost something, or used
 * tokens. The store adds it up as it keeps the attempts, in the same transaction. */
typedef struct rc_store_daily_usage {
    int64_t day; /* since 1970, in UTC: of the attempts' unix_ms */
    rc_str client;
    rc_str route;
    rc_str target;
    rc_str credential;
    uint64_t attempts;
    uint64_t tokens_in;
    uint64_t tokens_out;
    uint64_t cost_usd_micro;
} rc_store_daily_usage;

/* rc_batch: records and marks that are kept together or not at all. */
typedef struct rc_batch {
    const struct rc_batch *next; /* in one transaction with this one; NULL: the last */
    const rc_record *records;
    size_t record_count;
    const rc_saved_state *states;
    size_t state_count;
} rc_batch;

#endif
