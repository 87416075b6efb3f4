/* rc_sim_answer: how one call at a provider ends, and what a client can know of it.
 *
 * The fast path hands rc_call the setback below; the text that a real provider would have sent is
 * rendered only by who asks for it (answer_text.h), and a test holds the two together. */
#ifndef RC_SIM_ANSWER_H
#define RC_SIM_ANSWER_H

#include <recourse/policy.h>

#include "sim/scenario.h"

typedef enum rc_sim_answer_kind {
    RC_ANSWER_SERVED = 0,
    RC_ANSWER_OUTAGE = 1,       /* 503 */
    RC_ANSWER_ERROR = 2,        /* 500 */
    RC_ANSWER_OVERLOAD = 3,     /* it says that it is overloaded */
    RC_ANSWER_REFUSED = 4,      /* no connection */
    RC_ANSWER_RESET = 5,        /* the connection broke after the request was sent */
    RC_ANSWER_TIMEOUT = 6,      /* the client's patience ended before the first content */
    RC_ANSWER_CUT_EMPTY = 7,    /* 200, then the stream ended before any content */
    RC_ANSWER_CUT = 8,          /* the stream ended in the midst of the content */
    RC_ANSWER_QUOTA = 9,        /* used up, for good */
    RC_ANSWER_REQUESTS = 10,    /* 429: requests a minute */
    RC_ANSWER_TOKENS = 11,      /* 429: tokens a minute */
    RC_ANSWER_CONCURRENCY = 12, /* 429: at the same time */
    RC_ANSWER_OVERDUE = 13,     /* the client's time ended in the midst of the content */
    RC_ANSWER_COUNT
} rc_sim_answer_kind;

typedef struct rc_sim_answer {
    rc_sim_answer_kind kind;
    int64_t wait_ms;    /* what the provider asks for; -1: nothing */
    uint32_t tokens_in; /* read and charged */
    uint32_t tokens_out;
} rc_sim_answer;

/* Was some of the content there before it failed? */
bool rc_sim_answer_has_content(rc_sim_answer_kind kind);

/* HTTP's status; 0: none came. */
int rc_sim_answer_status(rc_sim_answer_kind kind, rc_sim_dialect dialect);

/* What our classifier makes of the answer's wait: the longest of its headers, which is the one in
 * whole seconds. -1: none. */
int64_t rc_sim_answer_hint_ms(int64_t wait_ms);

/* What our classifier makes of the whole answer. kind: not SERVED. */
rc_setback rc_sim_answer_setback(rc_sim_answer_kind kind, int64_t wait_ms);

#endif
