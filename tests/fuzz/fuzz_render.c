/* Bytes as a report, decoded tolerantly, then rendered in every format and view: JSON is strict
 * JSON, a log line has at most 1 KiB, no control byte reaches a terminal, no header line is
 * broken, every line of a panel has the panel's width. The whole input is the report's JSON; its
 * size and one of its bytes give the width of the panel. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "support/render_cases.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(const char *complaint, const char *format, rc_str text)
{
    if (!complaint)
        return;
    fprintf(stderr, "%s: %s\n%.*s\n", format, complaint, (int)text.len, text.ptr);
    abort();
}

static void check_formats(const rc_report *report, rc_buf *buf)
{
    for (size_t i = 0; i < RENDERER_COUNT; i++) {
        if (!RENDERERS[i].check)
            continue; /* check_panels() checks the panels in all widths */
        for (size_t v = 0; v < VIEW_COUNT; v++) {
            rc_buf_reset(buf);
            if (RENDERERS[i].render(report, CASE_VIEWS[v], buf) != RC_OK)
                require("failed", RENDERERS[i].name, rc_buf_get(buf));
            require(RENDERERS[i].check(rc_buf_get(buf)), RENDERERS[i].name, rc_buf_get(buf));
        }
    }
}

/* Checks the panels of every view with and without UTF-8. Colour and width depend on the input. */
static void check_panels(const rc_report *report, unsigned choice, rc_buf *buf)
{
    for (size_t i = 0; i < 2 * VIEW_COUNT; i++) {
        rc_panel_style style = {.width = 20 + choice % 181,
                                .has_utf8 = i % 2,
                                .has_colour = choice % 2,
                                .now_unix_ms = CASE_NOW_UNIX_MS};
        rc_buf_reset(buf);
        if (rc_render_human(report, CASE_VIEWS[i / 2], &style, buf) != RC_OK)
            require("failed", "panel", rc_buf_get(buf));
        require(check_panel(rc_buf_get(buf), &style), "panel", rc_buf_get(buf));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rc_alloc alloc = rc_alloc_stdlib();
    const rc_report *report = NULL;
    rc_str json = rc_str_make((const char *)data, size);
    if (rc_report_decode(json, RC_DECODE_TOLERANT, &alloc, &report, NULL) != RC_OK)
        return 0;
    rc_buf buf;
    rc_buf_init(&buf, &alloc, 64u << 20);
    check_formats(report, &buf);
    check_panels(report, (unsigned)size + data[size / 2], &buf);
    rc_buf_done(&buf);
    rc_report_free(report);
    return 0;
}
