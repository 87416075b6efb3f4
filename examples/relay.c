/* Decodes a report that may come from a newer version, and renders it in a client's dialect. */
#include <recourse/recourse.h>
#include <recourse/stdlib.h>

#include <stdio.h>

static const char FROM_A_NEWER_PEER[] =
    "{\"error_code\":\"Overloaded\",\"error_category\":\"transient\",\"retryable\":true,\"http_"
    "status\":503,"
    "\"message\":\"The provider is overloaded.\",\"mood\":\"tired\"}";

int main(void)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_decode_info info;
    const rc_report *report = NULL;

    rc_status status =
        rc_report_decode(rc_str_c(FROM_A_NEWER_PEER), RC_DECODE_STRICT, &alloc, &report, &info);
    printf("strict: %s, %s at line %zu, column %zu\n", rc_status_name(status), info.message,
           info.line, info.column);

    if (rc_report_decode(rc_str_c(FROM_A_NEWER_PEER), RC_DECODE_TOLERANT, &alloc, &report, &info) !=
        RC_OK)
        return 1;
    printf("tolerant: dropped %zu: %s\n", info.dropped_count, info.dropped[0]);

    rc_buf frame;
    rc_buf_init(&frame, &alloc, 64 * 1024);
    rc_render_stream_frame(report, RC_DIALECT_ANTHROPIC, RC_VIEW_USER, &frame);
    rc_str text = rc_buf_get(&frame);
    fwrite(text.ptr, 1, text.len, stdout);

    rc_buf_done(&frame);
    rc_report_free(report);
    return 0;
}
