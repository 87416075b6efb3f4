/* Streams of every dialect and form, of any bytes: the pieces do not change the result, the
 * counters agree with the events, and only a terminator or a finish reason makes a stream
 * complete. The first byte is the dialect, the second the form, the third selects the pieces.
 * A stream that is read in pieces is read with an event template. */
#include <stdint.h>
#include <stdlib.h>

#include "dialect/event_template.h"
#include "support/stream_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEAD_BYTES 3

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

static void check_kinds(const stream_note *note)
{
    unsigned kinds = note->kinds;
    check(kinds != 0 && kinds < RC_STREAM_OTHER << 1);
    /* these kinds exclude all other kinds */
    check(!(kinds & RC_STREAM_OTHER) || kinds == RC_STREAM_OTHER);
    check(!(kinds & RC_STREAM_DAMAGED) || kinds == RC_STREAM_DAMAGED);
    check(!(kinds & RC_STREAM_PREAMBLE) || !(kinds & RC_STREAM_CONTENT));
    check((note->finish != RC_STREAM_FINISH_NONE) == ((kinds & RC_STREAM_FINISH) != 0));
    bool is_data = note->type == RC_STREAM_EVENT_DATA;
    check(is_data || kinds == RC_STREAM_KEEPALIVE || note->type == RC_STREAM_EVENT_CLOSE);
}

static void check_end(const stream_run *run)
{
    uint64_t content = 0;
    unsigned all = 0;
    for (size_t i = 0; i < run->count; i++) {
        check_kinds(&run->notes[i]);
        content += (run->notes[i].kinds & RC_STREAM_CONTENT) != 0;
        all |= run->notes[i].kinds;
    }
    check(content == run->watch.content_events);
    rc_stream_end orderly = rc_stream_watch_end(&run->watch, RC_STREAM_BODY_WHOLE);
    rc_stream_end closed = rc_stream_watch_end(&run->watch, RC_STREAM_BODY_CLOSED);
    rc_stream_end other = rc_stream_watch_end(&run->watch, RC_STREAM_BODY_CUT);
    if (orderly == RC_STREAM_END_COMPLETE)
        check((all & (RC_STREAM_CONTENT | RC_STREAM_FINISH)) &&
              (all & (RC_STREAM_TERMINATOR | RC_STREAM_FINISH)));
    if (other == RC_STREAM_END_COMPLETE)
        check(orderly == other && (all & RC_STREAM_TERMINATOR));
    /* A closed connection proves at most as much as a complete body. */
    check(closed == other || (closed == orderly && run->watch.dialect == RC_STREAM_GEMINI));
    check((all & RC_STREAM_ERROR) || orderly != RC_STREAM_END_ERRORED);
    rc_usage_count reported = rc_usage_reported(&run->watch.usage);
    check(reported.input >= -1 && reported.output >= -1 && reported.cached >= -1);
    check(reported.written >= -1 && reported.reasoning >= -1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < HEAD_BYTES)
        return 0;
    rc_stream_dialect dialect = (rc_stream_dialect)(data[0] % RC_STREAM_DIALECT_COUNT);
    stream_form form = (stream_form)(data[1] % FORM_COUNT);
    rc_str text = rc_str_make((const char *)data + HEAD_BYTES, size - HEAD_BYTES);
    size_t max_bytes = data[2] & 1 ? 16u + data[2] : size;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf scratch;
    rc_buf_init(&scratch, &alloc, 2 * size + 16);
    stream_run whole = stream_run_do(form, dialect, text, CUT_NOT, &scratch, max_bytes);
    rc_event_template template = {.len = 0};
    stream_run bytes =
        stream_run_with(form, dialect, text, CUT_BYTES, &scratch, max_bytes, &template);
    stream_run cuts =
        stream_run_with(form, dialect, text, 2u + data[2], &scratch, max_bytes, &template);
    check(whole.is_tiled && bytes.is_tiled && cuts.is_tiled);
    check(whole.is_error_inside && bytes.is_error_inside && cuts.is_error_inside);
    check(stream_run_is_same(&whole, &bytes) && stream_run_is_same(&whole, &cuts));
    check_end(&whole);
    stream_run_done(&whole);
    stream_run_done(&bytes);
    stream_run_done(&cuts);
    rc_buf_done(&scratch);
    return 0;
}
