/* rc_trace_context: W3C trace context, read from a client and written to a provider with a span of
 * our own. */
#ifndef RC_GATEWAY_REQUEST_TRACE_CONTEXT_H
#define RC_GATEWAY_REQUEST_TRACE_CONTEXT_H

#include <stdint.h>

#include <recourse/buf.h>
#include <recourse/str.h>

#define RC_TRACE_STATE_MAX 512
#define RC_SPAN_BYTES 8

/* All zero: no trace. */
typedef struct rc_trace_context {
    bool is_valid;
    char trace_id[32];  /* Lower-case hex, as is parent_id. */
    char parent_id[16]; /* The client's span. */
    uint8_t flags;      /* The two defined flags: 1 sampled, 2 random. */
    rc_str state;       /* tracestate, unchanged. Empty: none, or too long. */
} rc_trace_context;

/* Parses a traceparent value. False: no trace (an all-zero id, version ff, or malformed); that is
 * not an error. Later versions are read as far as version 00 defines them. */
bool rc_trace_context_parse(rc_str text, rc_trace_context *ret_trace);

/* Appends traceparent and tracestate with this span as the parent. Appends nothing if there is no
 * trace or the span is all zero. */
void rc_trace_context_push(rc_buf *buf, const rc_trace_context *trace,
                           const uint8_t span[RC_SPAN_BYTES]);

#endif
