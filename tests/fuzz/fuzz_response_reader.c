/* Responses of any bytes: the pieces do not change the result, text is UTF-8, and a truncated
 * response is never complete; also comments that are, or claim to be, events of the gateway. The
 * first byte selects the dialect, the form and the pieces. */
#include <stdint.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "report/event_view.h"
#include "support/response_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

static bool is_inside(rc_str part, const char *memory, size_t size)
{
    return part.len == 0 || (part.ptr >= memory && part.ptr + part.len <= memory + size);
}

static void read_told(rc_str json)
{
    static char memory[RC_EVENT_VIEW_SCRATCH_MAX];
    rc_buf scratch;
    rc_event_view told;
    rc_buf_init_fixed(&scratch, memory, sizeof memory);
    if (!rc_event_view_read(json, &scratch, &told))
        return;
    check(told.type != RC_EVENT_TYPE_NONE);
    const rc_str texts[] = {told.error_message, told.final_error, told.from, told.to,
                            told.model,         told.provider};
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        check(is_inside(texts[i], memory, sizeof memory) && rc_utf8_is_valid(texts[i]));
}

static void read_comments(rc_str lines)
{
    const rc_str prefix = RC_STR("recourse ");
    for (size_t at = 0; at < lines.len;) {
        size_t end = rc_str_find_byte(lines, '\n', at);
        end = end == RC_STR_NPOS ? lines.len : end;
        const rc_str line = rc_str_slice(lines, at, end);
        if (rc_str_starts_with(line, prefix))
            read_told(rc_str_slice(line, prefix.len, line.len));
        at = end + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const rc_stream_dialect dialects[] = {RC_STREAM_OPENAI_CHAT, RC_STREAM_ANTHROPIC,
                                                 RC_STREAM_GEMINI};
    if (size < 1)
        return 0;
    const rc_alloc alloc = rc_alloc_stdlib();
    const rc_str body = rc_str_make((const char *)data + 1, size - 1);
    const rc_stream_dialect dialect = dialects[data[0] % 3];
    const bool is_stream = (data[0] & 8) == 0;
    const bool is_orderly = (data[0] & 16) != 0;
    response_run whole = response_run_do(dialect, is_stream, body, 0, is_orderly, &alloc);
    response_run bytes = response_run_do(dialect, is_stream, body, 1, is_orderly, &alloc);
    response_run cuts =
        response_run_do(dialect, is_stream, body, 2u + data[0] / 32, is_orderly, &alloc);
    check(response_run_is_same(&whole, &bytes) && response_run_is_same(&whole, &cuts));
    check(rc_utf8_is_valid(rc_buf_get(&whole.text)));
    /* The input is below all ceilings except that of the number of tool calls. */
    check(!whole.is_incomplete || whole.call_count == RC_TOOL_CALLS_MAX);
    check(rc_utf8_is_valid(rc_buf_get(&whole.reasoning)));
    check(whole.end == RC_STREAM_END_COMPLETE || rc_buf_get(&whole.calls).len == 0);
    check(!whole.is_incomplete || rc_buf_get(&whole.calls).len == 0);
    check(whole.end == RC_STREAM_END_ERRORED || rc_buf_get(&whole.error).len == 0 ||
          whole.end == RC_STREAM_END_COMPLETE);
    read_comments(rc_buf_get(&whole.comments));
    read_told(body);
    response_run_done(&whole);
    response_run_done(&bytes);
    response_run_done(&cuts);
    return 0;
}
