/* rc_sim_tally: counts the events of one policy's run and computes the result at its end. */
#ifndef RC_SIM_TALLY_H
#define RC_SIM_TALLY_H

#include <recourse/status.h>

#include "sim/result.h"
#include "sim/scenario.h"

/* Maximum number of buckets of a tenth of a second: four hours. Later events count in the last
 * bucket. */
#define RC_SIM_BUCKETS_MAX 144000

typedef struct rc_sim_tally {
    rc_alloc alloc;
    rc_sim_policy_result *result; /* Borrows. */
    uint32_t bucket_size;
    uint64_t deadline_ms;
    bool is_drained;        /* The retry budget has refused a retry. */
    uint64_t drained_at_ms; /* Time of the first retry that the budget refused. */
    rc_status status;       /* RC_E_NOMEM after a failed allocation. */
} rc_sim_tally;

/* How a request ends. */
typedef enum rc_sim_end_kind {
    RC_SIM_END_DELIVERED = 1,
    RC_SIM_END_TRUNCATED = 2,
    RC_SIM_END_FAILED = 3
} rc_sim_end_kind;

typedef struct rc_sim_request_summary {
    rc_sim_end_kind kind;
    rc_reason reason;
    uint64_t arrived_at_ms;
    uint64_t call_at_ms; /* Start of the request's last call. */
    uint32_t calls;
    bool is_greedy; /* The request is one of the greedy client. */
} rc_sim_request_summary;

/* Starts counting and allocates nothing. *result must be all zero except the names. result: borrows
 * as long as the tally is used. alloc: copies the struct. */
void rc_sim_tally_init(rc_sim_tally *tally, const rc_alloc *alloc, uint64_t deadline_ms,
                       rc_sim_policy_result *result);
/* The next four functions count the arrival of a request, the start of a call, the cost of a call
 * and the end of a request. */
void rc_sim_tally_request(rc_sim_tally *tally, uint64_t now_ms);
void rc_sim_tally_call(rc_sim_tally *tally, bool is_retry, uint64_t now_ms);
void rc_sim_tally_cost(rc_sim_tally *tally, uint64_t nano_usd, bool is_wasted);
void rc_sim_tally_end(rc_sim_tally *tally, const rc_sim_request_summary *summary, uint64_t now_ms);

/* Counts a retry at the time at which it was granted. Called when the retry begins. */
void rc_sim_tally_grant(rc_sim_tally *tally, uint64_t at_ms);

/* Computes rates, recovery and herd (result.h) from the counts. fault_from_ms and fault_until_ms
 * are both 0 if there was no fault. */
void rc_sim_tally_finish(rc_sim_tally *tally, uint64_t duration_ms, uint64_t fault_from_ms,
                         uint64_t fault_until_ms);

#endif
