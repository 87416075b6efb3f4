/* W3C trace context: read from a client, written to a provider with a span of our own. */
#ifndef RC_GATEWAY_REQUEST_TRACE_CONTEXT_H
#define RC_GATEWAY_REQUEST_TRACE_CONTEXT_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

#define RC_TRACE_STATE_MAX 512
#define RC_SPAN_BYTES 8

/* All zero: there is none. */
typedef struct rc_trace_context {
    bool is_valid;
    char trace_id[32];  /* in lower-case hex, as the next one */
    char parent_id[16]; /* the client's span */
    uint8_t flags;      /* the two that are defined: 1 sampled, 2 random */
    rc_str state;       /* vendors' own list, as it came; empty: none or too long */
} rc_trace_context;

/* Reads the value of traceparent. An id of zeros alone, version ff and all that is not in the form
 * is no trace; it is not an error either. A later version is read as far as it is known. */
bool rc_trace_context_parse(rc_str text, rc_trace_context *ret_trace);

/* Appends the lines traceparent and tracestate with this span as the parent; nothing when there is
 * no trace or the span is of zeros alone. */
void rc_trace_context_push(rc_buf *buf, const rc_trace_context *trace,
                           const uint8_t span[RC_SPAN_BYTES]);

#endif
