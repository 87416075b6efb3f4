/* rc_usage_estimate: the estimated size of a request, for its cost (see dialect/usage_weight.h). */
#ifndef RC_DIALECT_USAGE_ESTIMATE_H
#define RC_DIALECT_USAGE_ESTIMATE_H

#include <stdint.h>

#include <recourse/str.h>

typedef struct rc_usage_estimate {
    uint64_t input;      /* estimated input tokens */
    uint64_t max_output; /* limit of the output tokens per choice; 0: the request sets none */
    uint64_t choices;    /* number of choices requested; at least 1 */
    uint64_t images;     /* number of images requested; 1 for a multipart form */
    uint64_t audio_ms;   /* length of the audio in a multipart form, at an assumed 128 kbit/s; else
                            0 */
} rc_usage_estimate;

/* Estimates a request from its body, which is JSON of any dialect or a multipart form. Numbers
 * outside 1 .. RC_USAGE_MAX are ignored. Does not allocate. One pass finds the members, and a
 * second pass weighs the members with text. body: borrows during the call. */
rc_usage_estimate rc_usage_estimate_read(rc_str body);

#endif
