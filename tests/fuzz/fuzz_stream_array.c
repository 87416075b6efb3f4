/* JSON arrays that arrive in pieces, of any bytes: the pieces do not change the result, and for a
 * text that another parser accepts as an array the elements are the same, in the same order. The
 * first byte selects the pieces and the largest element. */
#include <stdint.h>
#include <stdlib.h>

#include <jansson.h>

#include "support/stream_run.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

static void check_element(const rc_stream_event *event, const json_t *array, size_t *at)
{
    if (event->type != RC_STREAM_EVENT_DATA)
        return;
    check(event->is_element && !event->is_cut && *at < json_array_size(array));
    json_t *element =
        json_loadb(event->data.ptr, event->data.len, JSON_DECODE_ANY | JSON_ALLOW_NUL, NULL);
    check(element != NULL && json_equal(element, json_array_get(array, *at)));
    json_decref(element);
    ++*at;
}

static void compare_with_jansson(rc_str text, rc_buf *scratch)
{
    rc_stream_array reader;
    rc_stream_event event;
    size_t at = 0;
    size_t closes = 0;
    json_t *array = json_loadb(text.ptr, text.len, JSON_ALLOW_NUL, NULL);
    if (!json_is_array(array)) {
        json_decref(array);
        return;
    }
    rc_stream_array_init(&reader, scratch, text.len + 16);
    rc_stream_array_push(&reader, text);
    while (rc_stream_array_pull(&reader, &event)) {
        closes += event.type == RC_STREAM_EVENT_CLOSE;
        check_element(&event, array, &at);
    }
    while (rc_stream_array_end(&reader, &event))
        check(event.type == RC_STREAM_EVENT_BLANK);
    check(at == json_array_size(array) && closes == 1);
    json_decref(array);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 1)
        return 0;
    rc_str text = rc_str_make((const char *)data + 1, size - 1);
    size_t max_bytes = data[0] & 1 ? 16u + data[0] / 4u : size + 16;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_buf scratch;
    rc_buf_init(&scratch, &alloc, 2 * size + 32);
    compare_with_jansson(text, &scratch);
    stream_run whole =
        stream_run_do(FORM_ARRAY, RC_STREAM_GEMINI, text, CUT_NOT, &scratch, max_bytes);
    stream_run bytes =
        stream_run_do(FORM_ARRAY, RC_STREAM_GEMINI, text, CUT_BYTES, &scratch, max_bytes);
    stream_run cuts =
        stream_run_do(FORM_ARRAY, RC_STREAM_GEMINI, text, 2u + data[0], &scratch, max_bytes);
    check(whole.is_tiled && bytes.is_tiled && cuts.is_tiled);
    check(stream_run_is_same(&whole, &bytes) && stream_run_is_same(&whole, &cuts));
    stream_run_done(&whole);
    stream_run_done(&bytes);
    stream_run_done(&cuts);
    rc_buf_done(&scratch);
    return 0;
}
