/* rc_charge: what one try is to be paid for, whether it worked or not.
 *
 *   how it ended   input                    output
 *   NOT_SENT       nothing                  nothing                  it never left this machine
 *   FREE           nothing                  nothing                  tokens counted, models listed
 *   REFUSED        counted or nothing       counted or nothing       429 and its kin begin no work
 *   SILENT         counted or estimated     the larger of counted    it may have worked on it
 *   CUT            the same                 and estimated, unless    what came is paid for
 *   CANCELLED      the same                 the count is final       the same
 *   DONE           counted or estimated     counted or estimated     not everybody counts
 *
 * Estimated is marked as estimated as soon as one of the two is. What was neither counted nor seen
 * (reasoning of a try that was cut) cannot be known and is not in it. */
#ifndef RC_DIALECT_USAGE_CHARGE_H
#define RC_DIALECT_USAGE_CHARGE_H

#include "dialect/usage.h"
#include "dialect/usage_estimate.h"

typedef enum rc_attempt_end {
    RC_ATTEMPT_END_NOT_SENT = 0, /* no connection, no memory, answered from here */
    RC_ATTEMPT_END_FREE = 1,     /* whatever came, it costs nothing */
    RC_ATTEMPT_END_REFUSED = 2,  /* an error, of any status, where an answer was to be */
    RC_ATTEMPT_END_SILENT = 3,   /* sent, and then nothing */
    RC_ATTEMPT_END_CUT = 4,      /* an answer had begun; it broke off, or an error came in it */
    RC_ATTEMPT_END_CANCELLED =
        5, /* sent, then given up: the client left, a deadline, another was quicker */
    RC_ATTEMPT_END_DONE = 6,
    RC_ATTEMPT_END_COUNT
} rc_attempt_end;

/* All zero: nothing. */
typedef struct rc_charge {
    uint64_t input;      /* tokens, all of them; each at most some RC_USAGE_MAX */
    uint64_t output;     /* all of them, reasoning included */
    uint64_t cached;     /* of the input */
    uint64_t written;    /* of the input, and not cached */
    uint64_t written_1h; /* of written */
    uint64_t reasoning;  /* of the output */
    uint64_t audio_ms;
    uint64_t images;
    uint64_t cost_micros; /* what the provider says, if it does */
    bool has_cost;
    bool is_measured;  /* all of it was counted by the provider */
    bool is_estimated; /* some of it was not; neither: there is nothing to pay for */
} rc_charge;

/* request: the body that was sent; looked at only when something has to be estimated. usage,
 * request: borrow. */
rc_charge rc_usage_charge(const rc_usage *usage, rc_attempt_end end, rc_str request);

/* The same for a request whose body is gone: what it asked was read before. ask: borrows. */
rc_charge rc_usage_charge_by_estimate(const rc_usage *usage, rc_attempt_end end,
                                      const rc_usage_estimate *estimate);

/* What a try may cost at most, before it is sent: the input, and for each answer what the request
 * allows, or default_output where it does not say. Marked as estimated. request: borrows. */
rc_charge rc_usage_charge_max(rc_str request, uint64_t default_output);

/* "not_sent", "done", ... Gives a static string. */
const char *rc_attempt_end_name(rc_attempt_end end);

#endif
