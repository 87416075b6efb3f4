/* Parses and writes the headers of W3C trace context. Called by client_headers.c and outbound.c. */
#include "gateway/request/trace_context.h"

#include "base/buf_add.h"
#include "base/str.h"
#include "gateway/request/fields.h"

/* Length of a traceparent: 2 + 32 + 16 + 2 digits and three dashes. */
#define PARENT_LEN 55u

static bool is_hex(rc_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (!rc_ascii_is_digit(text.ptr[i]) && (text.ptr[i] < 'a' || text.ptr[i] > 'f'))
            return false;
    return true;
}

static bool is_zero(rc_str text)
{
    for (size_t i = 0; i < text.len; i++)
        if (text.ptr[i] != '0')
            return false;
    return true;
}

static unsigned digit(char c)
{
    return (unsigned)(rc_ascii_is_digit(c) ? c - '0' : c - 'a' + 10);
}

bool rc_trace_context_parse(rc_str text, rc_trace_context *ret_trace)
{
    if (text.len < PARENT_LEN)
        return false;
    rc_str version = rc_str_slice(text, 0, 2);
    rc_str trace_id = rc_str_slice(text, 3, 35);
    rc_str parent_id = rc_str_slice(text, 36, 52);
    rc_str flags = rc_str_slice(text, 53, 55);
    if (text.ptr[2] != '-' || text.ptr[35] != '-' || text.ptr[52] != '-')
        return false;
    if (!is_hex(version) || !is_hex(trace_id) || !is_hex(parent_id) || !is_hex(flags))
        return false;
    if (is_zero(trace_id) || is_zero(parent_id) || rc_str_eq(version, RC_STR("ff")))
        return false;
    if (text.len > PARENT_LEN && (is_zero(version) || text.ptr[PARENT_LEN] != '-'))
        return false;
    *ret_trace = (rc_trace_context){.is_valid = true};
    memcpy(ret_trace->trace_id, trace_id.ptr, trace_id.len);
    memcpy(ret_trace->parent_id, parent_id.ptr, parent_id.len);
    ret_trace->flags = (uint8_t)(digit(flags.ptr[1]) & 3u);
    return true;
}

void rc_trace_context_push(rc_buf *buf, const rc_trace_context *trace,
                           const uint8_t span[RC_SPAN_BYTES])
{
    char digits[2 * RC_SPAN_BYTES];
    if (!trace->is_valid)
        return;
    for (size_t i = 0; i < RC_SPAN_BYTES; i++) {
        digits[2 * i] = "0123456789abcdef"[span[i] >> 4];
        digits[2 * i + 1] = "0123456789abcdef"[span[i] & 15];
    }
    if (is_zero(rc_str_make(digits, sizeof digits)))
        return;
    rc_buf_add(buf, RC_STR("traceparent: 00-"));
    rc_buf_add(buf, rc_str_make(trace->trace_id, sizeof trace->trace_id));
    rc_buf_add_byte(buf, '-');
    rc_buf_add(buf, rc_str_make(digits, sizeof digits));
    rc_buf_add(buf, RC_STR("-0"));
    rc_buf_add_byte(buf, (char)('0' + (trace->flags & 3)));
    rc_buf_add(buf, RC_STR("\r\n"));
    if (trace->state.len > 0)
        rc_field_push(buf, RC_STR("tracestate"), trace->state);
}
