/* rc_sim_outcome: how one call at a provider ends, and what a client can know of it.
 *
 * The fast path hands rc_call the setback below; the text that a real provider would have sent is
 * rendered only by who asks for it (answer_text.h), and a test holds the two together. */
#ifndef RC_SIM_OUTCOME_H
#define RC_SIM_OUTCOME_H

#include <recourse/policy.h>

#include "sim/scenario.h"

typedef enum rc_sim_outcome_kind {
    RC_SIM_OUTCOME_SERVED = 0,
    RC_SIM_OUTCOME_OUTAGE = 1,       /* 503 */
    RC_SIM_OUTCOME_ERROR = 2,        /* 500 */
    RC_SIM_OUTCOME_OVERLOAD = 3,     /* it says that it is overloaded */
    RC_SIM_OUTCOME_REFUSED = 4,      /* no connection */
    RC_SIM_OUTCOME_RESET = 5,        /* the connection broke after the request was sent */
    RC_SIM_OUTCOME_TIMEOUT = 6,      /* the client's patience ended before the first content */
    RC_SIM_OUTCOME_CUT_EMPTY = 7,    /* 200, then the stream ended before any content */
    RC_SIM_OUTCOME_CUT = 8,          /* the stream ended in the midst of the content */
    RC_SIM_OUTCOME_QUOTA = 9,        /* used up, for good */
    RC_SIM_OUTCOME_REQUESTS = 10,    /* 429: requests a minute */
    RC_SIM_OUTCOME_TOKENS = 11,      /* 429: tokens a minute */
    RC_SIM_OUTCOME_CONCURRENCY = 12, /* 429: at the same time */
    RC_SIM_OUTCOME_OVERDUE = 13,     /* the client's time ended in the midst of the content */
    RC_SIM_OUTCOME_COUNT
} rc_sim_outcome_kind;

typedef struct rc_sim_outcome {
    rc_sim_outcome_kind kind;
    int64_t wait_ms;    /* what the provider asks for; -1: nothing */
    uint32_t tokens_in; /* read and charged */
    uint32_t tokens_out;
} rc_sim_outcome;

/* Was some of the content there before it failed? */
bool rc_sim_outcome_has_content(rc_sim_outcome_kind kind);

/* HTTP's status; 0: none came. */
int rc_sim_outcome_status(rc_sim_outcome_kind kind, rc_sim_dialect dialect);

/* What our classifier makes of the answer's wait: the longest of its headers, which is the one in
 * whole seconds. -1: none. */
int64_t rc_sim_outcome_hint_ms(int64_t wait_ms);

/* What our classifier makes of the whole answer. kind: not SERVED. */
rc_failure_facts rc_sim_outcome_failure_facts(rc_sim_outcome_kind kind, int64_t wait_ms);

#endif
