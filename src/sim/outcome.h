/* rc_sim_outcome: how one call to a simulated provider ends, and which failure facts the client
 * gets.
 *
 * The simulator passes the facts of rc_sim_outcome_failure_facts to rc_call (the state machine of a
 * request's attempts) without rendering a response. A unit test checks that the classifier derives
 * the same facts from the response of a real provider. */
#ifndef RC_SIM_OUTCOME_H
#define RC_SIM_OUTCOME_H

#include <recourse/policy.h>
#include <recourse/rate_limits.h>

#include "sim/scenario.h"

typedef enum rc_sim_outcome_kind {
    RC_SIM_OUTCOME_SERVED = 0,
    RC_SIM_OUTCOME_OUTAGE = 1,       /* Status 503. */
    RC_SIM_OUTCOME_ERROR = 2,        /* Status 500. */
    RC_SIM_OUTCOME_OVERLOAD = 3,     /* The provider reports that it is overloaded. */
    RC_SIM_OUTCOME_REFUSED = 4,      /* The connection is refused. */
    RC_SIM_OUTCOME_RESET = 5,        /* The connection breaks after the request was sent. */
    RC_SIM_OUTCOME_TIMEOUT = 6,      /* The client's timeout passed before the first content. */
    RC_SIM_OUTCOME_CUT_EMPTY = 7,    /* Status 200, then the stream ends before any content. */
    RC_SIM_OUTCOME_CUT = 8,          /* The stream ends after some content. */
    RC_SIM_OUTCOME_QUOTA = 9,        /* The quota is exhausted for the rest of the run. */
    RC_SIM_OUTCOME_REQUESTS = 10,    /* Status 429: the limit of requests per minute is reached. */
    RC_SIM_OUTCOME_TOKENS = 11,      /* Status 429: the limit of tokens per minute is reached. */
    RC_SIM_OUTCOME_CONCURRENCY = 12, /* Status 429: the limit of concurrent requests is reached. */
    RC_SIM_OUTCOME_OVERDUE = 13,     /* The request's deadline passed after some content. */
    RC_SIM_OUTCOME_COUNT
} rc_sim_outcome_kind;

/* A rate limit as the response's headers state it. */
typedef struct rc_sim_stated {
    uint32_t limit; /* 0: not stated. */
    uint32_t remaining;
    uint32_t reset_ms; /* Time until the limit is full. */
} rc_sim_stated;

typedef struct rc_sim_outcome {
    rc_sim_outcome_kind kind;
    int64_t wait_ms;    /* The wait that the provider's response asks for; -1: none. */
    uint32_t tokens_in; /* Input tokens that are billed. */
    uint32_t tokens_out;
    rc_sim_stated requests; /* Limits of the key. */
    rc_sim_stated tokens;
} rc_sim_outcome;

/* Returns whether the client received some content before the failure. */
bool rc_sim_outcome_has_content(rc_sim_outcome_kind kind);

/* Returns the HTTP status, or 0 if there is no response. */
int rc_sim_outcome_status(rc_sim_outcome_kind kind, rc_sim_dialect dialect);

/* Returns the wait that the classifier derives from the response's headers, or -1 for none. The
 * classifier uses the longest of the headers, which is retry-after: its value is rounded up to
 * whole seconds. */
int64_t rc_sim_outcome_hint_ms(int64_t wait_ms);

/* Returns the limits that the headers of the response state. */
rc_limit_facts rc_sim_outcome_limit_facts(const rc_sim_outcome *outcome);

/* Returns the failure facts that the classifier derives from the response. `kind` must not be
 * RC_SIM_OUTCOME_SERVED. */
rc_failure_facts rc_sim_outcome_failure_facts(rc_sim_outcome_kind kind, int64_t wait_ms);

#endif
