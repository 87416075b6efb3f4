/* rc_usage_estimate: the estimated size of a request, from which its cost is computed.
 * dialect/usage_weight.h explains the estimate of tokens. */
#ifndef RC_DIALECT_USAGE_ESTIMATE_H
#define RC_DIALECT_USAGE_ESTIMATE_H

#include <stdint.h>

#include <recourse/str.h>

typedef struct rc_usage_estimate {
    uint64_t input;      /* estimated input tokens */
    uint64_t max_output; /* limit of the output tokens per choice; 0: the request sets no limit */
    uint64_t choices;    /* number of choices requested; at least 1 */
    uint64_t images;     /* number of images that are requested; 1 for a multipart form */
    uint64_t audio_ms;   /* length of the audio in a multipart form in milliseconds, assuming 128
                            kbit/s; otherwise 0 */
} rc_usage_estimate;

/* Estimates a request from its body, which is JSON of any dialect or a multipart form. Numbers
 * outside 1 .. RC_USAGE_MAX are ignored. The function allocates nothing. One pass over the body
 * finds the members, and a second pass weighs those with text. body: borrows during the call. */
rc_usage_estimate rc_usage_estimate_read(rc_str body);

#endif
