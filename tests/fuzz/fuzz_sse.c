/* Server-sent events of any bytes: the events cover the stream without gaps, the pieces do not
 * change the result, and the dispatched events are those of a plain reading of the standard. The
 * first byte selects the pieces and the largest event. */
#include <stdint.h>
#include <stdlib.h>

#include "support/sse_oracle.h"
#include "support/stream_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

static void check_event(const rc_stream_event *event, const oracle *o, size_t *at)
{
    if (!event->has_data || event->is_cut)
        return;
    check(*at < o->count);
    const oracle_event *wanted = &o->events[*at];
    check(rc_str_eq(event->name, rc_str_make(wanted->name, wanted->name_len)));
    check(rc_str_eq(event->data, rc_str_make(wanted->data, wanted->data_len)));
    ++*at;
}

static void compare_with_oracle(rc_str text, rc_buf *scratch)
{
    oracle o;
    rc_sse sse;
    rc_stream_event event;
    size_t at = 0;
    oracle_read(&o, text);
    rc_sse_init(&sse, scratch, text.len + 1);
    rc_sse_push(&sse, text);
    while (rc_sse_pull(&sse, &event))
        check_event(&event, &o, &at);
    while (rc_sse_end(&sse, &event))
        check_event(&event, &o, &at);
    check(at == o.count);
    oracle_done(&o);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    rc_str text = rc_str_make((const char *)data + 1, size - 1);
    size_t max_bytes = data[0] & 1 ? 16u + data[0] / 4u : size;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf scratch;
    rc_buf_init(&scratch, &alloc, 2 * size + 16);
    compare_with_oracle(text, &scratch);
    stream_run whole =
        stream_run_do(FORM_SSE, RC_STREAM_OPENAI_CHAT, text, CUT_NOT, &scratch, max_bytes);
    stream_run bytes =
        stream_run_do(FORM_SSE, RC_STREAM_OPENAI_CHAT, text, CUT_BYTES, &scratch, max_bytes);
    stream_run cuts =
        stream_run_do(FORM_SSE, RC_STREAM_OPENAI_CHAT, text, 2u + data[0], &scratch, max_bytes);
    check(whole.is_tiled && bytes.is_tiled && cuts.is_tiled);
    check(stream_run_is_same(&whole, &bytes) && stream_run_is_same(&whole, &cuts));
    stream_run_done(&whole);
    stream_run_done(&bytes);
    stream_run_done(&cuts);
    rc_buf_done(&scratch);
    return 0;
}
