/* Builds a report of a failure and prints it for a person and as JSON. */
#include <recourse/recourse.h>
#include <recourse/stdlib.h>

#include <stdio.h>

int main(void)
{
    rc_alloc alloc = rc_alloc_stdlib();

    rc_builder b;
    rc_builder_init(&b, &alloc, RC_CODE_RATE_LIMITED);
    rc_builder_set_family(&b, RC_FAMILY_LLM);
    rc_builder_set_provider(&b, RC_STR("anthropic"));
    rc_builder_set_retry_after_ms(&b, 4000);
    const rc_report *report = rc_builder_finish(&b); /* Never NULL, even when memory runs out. */

    rc_buf out;
    rc_buf_init(&out, &alloc, 64 * 1024);
    rc_panel_style style = {.width = 72};
    rc_render_human(report, RC_VIEW_USER, &style, &out);
    rc_report_encode(report, RC_VIEW_MODEL, &out);
    rc_buf_push_byte(&out, '\n');

    rc_str text = rc_buf_get(&out);
    fwrite(text.ptr, 1, text.len, stdout);
    int status = rc_buf_status(&out) == RC_OK ? 0 : 1;

    rc_buf_done(&out);
    rc_report_free(report);
    return status;
}
