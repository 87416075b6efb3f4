/* rc_audit_query: a query of the audit, built from pairs of a parameter and its value.
 *
 *   since=1h  outcome=failed  target=openai/gpt-4o  limit=50      operations
 *   since=24h  by=time,target  step=30m                           statistics
 *
 * The pairs are the options of `recourse audit` or the parameters of a URL of the admin interface.
 * An unknown, repeated or invalid pair is refused. The refusal describes the error, and the caller
 * writes a message from it. */
#ifndef RC_AUDIT_QUERY_H
#define RC_AUDIT_QUERY_H

#include "audit/time.h"
#include "store/store.h"

/* Maximum value of the parameter "limit". */
#define RC_AUDIT_PAGE_MAX 500
/* Maximum number of groups by time in one result. */
#define RC_AUDIT_STEPS_MAX 240
#define RC_AUDIT_GROUPS_MAX 7

typedef enum rc_audit_query_kind {
    RC_AUDIT_QUERY_LIST = 1, /* A query for a list of operations. */
    RC_AUDIT_QUERY_STATS = 2
} rc_audit_query_kind;

typedef struct rc_audit_query {
    rc_audit_query_kind kind;
    rc_audit_clock clock;
    rc_store_query select;                /* Filter and limit. The strings view (point into) the
                                             values of the pairs. */
    rc_str id;                            /* For RC_AUDIT_QUERY_LIST: beginning of an id. Empty if
                                           * all ids are selected. */
    uint32_t groups[RC_AUDIT_GROUPS_MAX]; /* For RC_AUDIT_QUERY_STATS: bits RC_STATS_BY_..., in the
                                             order of the parameter "by". */
    size_t group_count;
    uint32_t by;      /* For RC_AUDIT_QUERY_STATS: all bits of `groups` combined. */
    int64_t step_ms;  /* For RC_AUDIT_QUERY_STATS by time: length of a group in milliseconds. */
    bool is_narrowed; /* The query has conditions other than time. */
    uint32_t given;   /* Private: one bit for each parameter that was set. */
} rc_audit_query;

typedef struct rc_audit_parameter {
    const char *name;
    const char *takes;  /* End of the sentence "NAME takes ...", which describes valid values. NULL
                         * if every text is valid. */
    const char *advice; /* A sentence that explains the form of a valid value. NULL if every text is
                         * valid. */
} rc_audit_parameter;

typedef enum rc_audit_refusal_reason {
    RC_AUDIT_UNKNOWN_PARAMETER = 1,
    RC_AUDIT_REPEATED_PARAMETER = 2,
    RC_AUDIT_INVALID_VALUE = 3
} rc_audit_refusal_reason;

typedef struct rc_audit_refusal {
    rc_audit_refusal_reason reason;
    const rc_audit_parameter *parameter; /* NULL for an unknown parameter. */
    rc_str text;         /* The unknown name or the invalid value. Views (points into) the pair. */
    const char *nearest; /* The known name that is most similar to the unknown name. NULL if no name
                          * is similar. */
} rc_audit_refusal;

/* Initialises a query without conditions. clock: copies the struct. */
void rc_audit_query_init(rc_audit_query *query, rc_audit_query_kind kind,
                         const rc_audit_clock *clock);

/* Adds a pair. value: the query views (points into) the value for its lifetime. Returns false if
 * the pair is refused; *ret_refusal then has the reason. */
bool rc_audit_query_set(rc_audit_query *query, rc_str name, rc_str value,
                        rc_audit_refusal *ret_refusal);

/* Marks a parameter as set without a value. HTML forms send an empty field in this way. */
bool rc_audit_query_set_empty(rc_audit_query *query, rc_str name, rc_audit_refusal *ret_refusal);

/* Completes a query for statistics that are grouped by time. A query without a time range gets the
 * last hour. A query without a step gets a step that suits a chart. Returns false if the range has
 * more than RC_AUDIT_STEPS_MAX steps. */
bool rc_audit_query_fit_steps(rc_audit_query *query);

/* Returns the name of the index-th parameter that a query of this kind accepts; NULL if the index
 * is too large. query: an rc_audit_query. */
const char *rc_audit_parameter_at(const void *query, size_t index);

/* Returns the index-th valid value of the parameter "outcome"; NULL if the index is too large. */
const char *rc_audit_outcome_at(const void *ctx, size_t index);

/* The kinds of groups, in the order of results. rc_audit_group_at returns a static entry; NULL if
 * the index is too large. */
typedef struct rc_audit_group {
    const char *name; /* The name in the parameter "by". */
    uint32_t by;      /* The group's bit, RC_STATS_BY_... */
} rc_audit_group;
const rc_audit_group *rc_audit_group_at(size_t index);

#endif
