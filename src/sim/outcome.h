/* rc_sim_outcome: how one call to a simulated provider ends, and what the client learns of it.
 *
 * The simulator gives rc_call the failure facts below without rendering a response. A unit test
 * checks that the classifier derives the same facts from the response that a real provider would
 * send. */
#ifndef RC_SIM_OUTCOME_H
#define RC_SIM_OUTCOME_H

#include <recourse/policy.h>

#include "sim/scenario.h"

typedef enum rc_sim_outcome_kind {
    RC_SIM_OUTCOME_SERVED = 0,
    RC_SIM_OUTCOME_OUTAGE = 1,       /* Status 503. */
    RC_SIM_OUTCOME_ERROR = 2,        /* Status 500. */
    RC_SIM_OUTCOME_OVERLOAD = 3,     /* The provider reports that it is overloaded. */
    RC_SIM_OUTCOME_REFUSED = 4,      /* The connection is refused. */
    RC_SIM_OUTCOME_RESET = 5,        /* The connection breaks after the request was sent. */
    RC_SIM_OUTCOME_TIMEOUT = 6,      /* The client gave up before the first content. */
    RC_SIM_OUTCOME_CUT_EMPTY = 7,    /* Status 200, then the stream ends before any content. */
    RC_SIM_OUTCOME_CUT = 8,          /* The stream ends after some content. */
    RC_SIM_OUTCOME_QUOTA = 9,        /* The quota is exhausted for the rest of the run. */
    RC_SIM_OUTCOME_REQUESTS = 10,    /* Status 429: requests per minute. */
    RC_SIM_OUTCOME_TOKENS = 11,      /* Status 429: tokens per minute. */
    RC_SIM_OUTCOME_CONCURRENCY = 12, /* Status 429: concurrent requests. */
    RC_SIM_OUTCOME_OVERDUE = 13,     /* The request's deadline passed after some content. */
    RC_SIM_OUTCOME_COUNT
} rc_sim_outcome_kind;

typedef struct rc_sim_outcome {
    rc_sim_outcome_kind kind;
    int64_t wait_ms;    /* Wait that the provider sends as a hint; -1: none. */
    uint32_t tokens_in; /* Tokens that are billed. */
    uint32_t tokens_out;
} rc_sim_outcome;

/* Whether some content was received before the failure. */
bool rc_sim_outcome_has_content(rc_sim_outcome_kind kind);

/* Returns the HTTP status; 0: no response. */
int rc_sim_outcome_status(rc_sim_outcome_kind kind, rc_sim_dialect dialect);

/* Returns the hint that the classifier derives from the response: the longest of its headers, which
 * is the one rounded up to whole seconds. -1: none. */
int64_t rc_sim_outcome_hint_ms(int64_t wait_ms);

/* Returns the failure facts that the classifier derives from the response. kind: not SERVED. */
rc_failure_facts rc_sim_outcome_failure_facts(rc_sim_outcome_kind kind, int64_t wait_ms);

#endif
