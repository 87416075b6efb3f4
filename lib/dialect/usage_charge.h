/* rc_charge: the tokens and media that one attempt is charged for, whether it succeeded or not.
 *
 *   how it ended   input                    output                   why
 *   NOT_SENT       nothing                  nothing                  the request was never sent
 *   FREE           nothing                  nothing                  token counting, model lists
 *   REFUSED        counted or nothing       counted or nothing       refusals (429) start no work
 *   SILENT         counted or estimated     the larger of counted    the provider may have worked
 *   CUT            the same                 and estimated, unless    received output is charged
 *   CANCELLED      the same                 the count is final       the same
 *   DONE           counted or estimated     counted or estimated     some servers do not count
 *
 * A charge is marked as estimated if its input or its output is an estimate. Tokens that were
 * neither counted nor received, such as the reasoning of an attempt that was cut off, are not
 * included. */
#ifndef RC_DIALECT_USAGE_CHARGE_H
#define RC_DIALECT_USAGE_CHARGE_H

#include "dialect/usage.h"
#include "dialect/usage_estimate.h"

typedef enum rc_attempt_end {
    RC_ATTEMPT_END_NOT_SENT = 0,  /* not sent: no connection, no memory, or a local response */
    RC_ATTEMPT_END_FREE = 1,      /* the endpoint is free of charge, whatever the result of the
                                     attempt is */
    RC_ATTEMPT_END_REFUSED = 2,   /* the provider sent an error, of any status, instead of a
                                     response */
    RC_ATTEMPT_END_SILENT = 3,    /* the request was sent, but no response began */
    RC_ATTEMPT_END_CUT = 4,       /* a response began and was cut off, or contained an error */
    RC_ATTEMPT_END_CANCELLED = 5, /* the attempt was sent and then cancelled: client gone, deadline,
                                     hedge lost */
    RC_ATTEMPT_END_DONE = 6,      /* the response was complete */
    RC_ATTEMPT_END_COUNT
} rc_attempt_end;

/* The charge of one attempt; tokens, unless the comment names another unit. If all members are 0,
 * nothing is charged. */
typedef struct rc_charge {
    uint64_t input;       /* all input tokens, cached or not; at most a few times RC_USAGE_MAX */
    uint64_t output;      /* all output tokens, including reasoning */
    uint64_t cached;      /* part of the input that was read from the provider's cache */
    uint64_t written;     /* part of the input that was written to the provider's cache */
    uint64_t written_1h;  /* part of `written` that is cached for an hour */
    uint64_t reasoning;   /* part of the output that is reasoning */
    uint64_t audio_ms;    /* length of the audio input in milliseconds */
    uint64_t images;      /* number of generated images */
    uint64_t cost_micros; /* cost that the provider reported, in millionths of a dollar; valid if
                             has_cost */
    bool has_cost;
    bool is_measured;  /* all numbers are the provider's counts */
    bool is_estimated; /* some numbers are estimates; if is_measured is false, too, nothing is
                          charged */
} rc_charge;

/* Returns the charge of an attempt. request: the request body, read only if a number must be
 * estimated. usage, request: borrows during the call. */
rc_charge rc_usage_charge(const rc_usage *usage, rc_attempt_end end, rc_str request);

/* As rc_usage_charge, for a request whose body is no longer available. estimate: the estimate that
 * was made while the body was available. usage, estimate: borrows during the call. */
rc_charge rc_usage_charge_by_estimate(const rc_usage *usage, rc_attempt_end end,
                                      const rc_usage_estimate *estimate);

/* Returns the maximum charge of an attempt before it is sent: the estimated input, and for each
 * choice the output that the request allows, or default_output if the request sets no limit. The
 * charge is marked as estimated. request: borrows during the call. */
rc_charge rc_usage_charge_max(rc_str request, uint64_t default_output);

/* Returns the name of an end, such as "not_sent" or "done", as a static string. */
const char *rc_attempt_end_name(rc_attempt_end end);

#endif
