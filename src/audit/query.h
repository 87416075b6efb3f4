/* rc_audit_query: a query of the audit, built from pairs of a parameter and its value.
 *
 *   since=1h  outcome=failed  target=openai/gpt-4o  limit=50      operations
 *   since=24h  by=time,target  step=30m                           statistics
 *
 * The pairs are the options of `recourse audit` or the parameters of a URL of the admin interface.
 * A pair that is unknown, repeated or invalid is refused with the facts of a message; the caller
 * writes the message. */
#ifndef RC_AUDIT_QUERY_H
#define RC_AUDIT_QUERY_H

#include "audit/time.h"
#include "store/store.h"

/* Maximum of the parameter "limit". */
#define RC_AUDIT_PAGE_MAX 500
/* Maximum number of groups of time in one result. */
#define RC_AUDIT_STEPS_MAX 240
#define RC_AUDIT_GROUPS_MAX 7

typedef enum rc_audit_query_kind {
    RC_AUDIT_QUERY_LIST = 1, /* Operations. */
    RC_AUDIT_QUERY_STATS = 2
} rc_audit_query_kind;

typedef struct rc_audit_query {
    rc_audit_query_kind kind;
    rc_audit_clock clock;
    rc_store_query select;                /* Its strings view the values of the pairs. */
    rc_str id;                            /* LIST: prefix of an id. Empty: any. */
    uint32_t groups[RC_AUDIT_GROUPS_MAX]; /* STATS: RC_STATS_BY_..., in the given order. */
    size_t group_count;
    uint32_t by;      /* STATS: all groups. */
    int64_t step_ms;  /* STATS by time: length of a group. */
    bool is_narrowed; /* The query selects by more than time. */
    uint32_t given;   /* Private: bits of the parameters that were set. */
} rc_audit_query;

typedef struct rc_audit_parameter {
    const char *name;
    const char *takes;  /* Completes "NAME takes ". NULL: any text is valid. */
    const char *advice; /* Says in a sentence how a valid value is written. NULL: as for takes. */
} rc_audit_parameter;

typedef enum rc_audit_refusal_reason {
    RC_AUDIT_UNKNOWN_PARAMETER = 1,
    RC_AUDIT_REPEATED_PARAMETER = 2,
    RC_AUDIT_INVALID_VALUE = 3
} rc_audit_refusal_reason;

typedef struct rc_audit_refusal {
    rc_audit_refusal_reason reason;
    const rc_audit_parameter *parameter; /* NULL for an unknown parameter. */
    rc_str text;         /* The unknown name, or the invalid value. Views the pair. */
    const char *nearest; /* The name that may be meant; NULL: none is similar. */
} rc_audit_refusal;

/* Starts a query without conditions. clock: copies. */
void rc_audit_query_init(rc_audit_query *query, rc_audit_query_kind kind,
                         const rc_audit_clock *clock);

/* Adds a pair. value: views it for the life of the query. False: *ret_refusal says why. */
bool rc_audit_query_set(rc_audit_query *query, rc_str name, rc_str value,
                        rc_audit_refusal *ret_refusal);

/* Notes that a parameter was given without a value, as a form sends an empty field. */
bool rc_audit_query_set_empty(rc_audit_query *query, rc_str name, rc_audit_refusal *ret_refusal);

/* Completes a query of STATS that has groups of time: without a time range, the last hour; without
 * a step, one that suits a chart. False: the range has more than RC_AUDIT_STEPS_MAX steps. */
bool rc_audit_query_fit_steps(rc_audit_query *query);

/* The parameters that the query has; NULL past the end. query: an rc_audit_query. */
const char *rc_audit_parameter_at(const void *query, size_t index);

/* The values of the parameter "outcome"; NULL past the end. */
const char *rc_audit_outcome_at(const void *ctx, size_t index);

/* The kinds of groups, in the order of results; NULL past the end. Static. */
typedef struct rc_audit_group {
    const char *name; /* As written in "by". */
    uint32_t by;      /* RC_STATS_BY_... */
} rc_audit_group;
const rc_audit_group *rc_audit_group_at(size_t index);

#endif
