/* rc_usage_estimate: what a request asks for, as far as it will cost something. An estimate: see
 * codec/usage_weight.h. */
#ifndef RC_DIALECT_USAGE_ESTIMATE_H
#define RC_DIALECT_USAGE_ESTIMATE_H

#include <stdint.h>

#include <recourse/str.h>

typedef struct rc_usage_estimate {
    uint64_t input;      /* tokens, estimated */
    uint64_t max_output; /* tokens of one answer at most; 0: the request does not say */
    uint64_t choices;    /* that are wanted; at least 1 */
    uint64_t images;     /* as many, if it is a request for images; a form wants one */
    uint64_t audio_ms;   /* of a form with a file in it: as if that were 128 kbit/s; else 0 */
} rc_usage_estimate;

/* A request's body: JSON of any of the dialects, or a form. What is no number from 1 to
 * RC_USAGE_MAX is not said. No allocation; one pass for the members, one over those with text.
 * body: borrows. */
rc_usage_estimate rc_usage_estimate_read(rc_str body);

#endif
