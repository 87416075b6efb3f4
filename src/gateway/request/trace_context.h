/* rc_trace_context: W3C trace context, read from a client's request and written to a provider's
 * request with a span of the gateway. */
#ifndef RC_GATEWAY_REQUEST_TRACE_CONTEXT_H
#define RC_GATEWAY_REQUEST_TRACE_CONTEXT_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

#define RC_TRACE_STATE_MAX 512
#define RC_SPAN_BYTES 8

/* If all bytes are zero, there is no trace. */
typedef struct rc_trace_context {
    bool is_valid;
    char trace_id[32];  /* Lower-case hexadecimal digits without a NUL at the end. parent_id has the
                         * same form. */
    char parent_id[16]; /* Id of the client's span. */
    uint8_t flags;      /* Flags that the standard defines: 1 sampled, 2 random. */
    rc_str state;       /* The value of tracestate, unchanged. Empty if the request has no
                         * tracestate or it is too long. */
} rc_trace_context;

/* Parses a traceparent value. Returns false if the value contains no trace: an id is all zero, the
 * version is ff, or the value is malformed. A request without a trace is not an error. If the
 * version is later than 00, only the part that version 00 defines is parsed. */
bool rc_trace_context_parse(rc_str text, rc_trace_context *ret_trace);

/* Appends traceparent and tracestate with this span as the parent. Appends nothing if there is no
 * trace or the span is all zero. */
void rc_trace_context_push(rc_buf *buf, const rc_trace_context *trace,
                           const uint8_t span[RC_SPAN_BYTES]);

#endif
