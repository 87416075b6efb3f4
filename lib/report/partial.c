/* Partial results: encodes the result of a batch together with the errors of the batch's failed
 * items. Called by programs that use the library. */
#include <recourse/partial.h>

#include <stdint.h>

#include "base/str.h"
#include "report/view.h"
#include "report/view_json.h"
#include "scrub/scrub.h"
#include "json/reader.h"
#include "json/writer.h"

/* Returns RC_OK if the text is a single JSON value, with only white space around it. */
static rc_status check_json(rc_str text)
{
    rc_json_limits limits = {.max_bytes = SIZE_MAX, .max_depth = RC_JSON_DEPTH_MAX};
    rc_json_reader reader;
    rc_json_reader_init(&reader, text, &limits);
    rc_json_token token = rc_json_reader_next(&reader);
    while (token.type != RC_JSON_END && token.type != RC_JSON_ERROR)
        token = rc_json_reader_next(&reader);
    return token.type == RC_JSON_END ? RC_OK : reader.fault.status;
}

/* Writes the item's name without secrets. The caller chose the name, so it may contain a secret,
 * for example in a URL. */
static void put_item(rc_json_writer *w, rc_str item, rc_view view)
{
    char memory[RC_REPORT_MESSAGE_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_scrub(item, sizeof memory, &text);
    rc_view_json_member(w, view, RC_STR("item"), rc_buf_get(&text));
}

rc_status rc_partial_encode(rc_str payload_json, const rc_item_error *errors, size_t count,
                            rc_view view, rc_buf *buf)
{
    for (size_t i = 0; i < count; i++) {
        if (!errors[i].report)
            return RC_E_ARGUMENT;
    }
    rc_status status = check_json(payload_json);
    if (status != RC_OK)
        return status;

    rc_json_writer w;
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    rc_json_key(&w, RC_STR("payload"));
    rc_json_raw(&w, rc_str_trim(payload_json));
    rc_json_key(&w, RC_STR("errors"));
    rc_json_array_begin(&w);
    for (size_t i = 0; i < count; i++) {
        rc_json_object_begin(&w);
        put_item(&w, errors[i].item, rc_view_checked(view));
        rc_view_json_member_report(&w, view, RC_STR("error"), errors[i].report);
        rc_json_object_end(&w);
    }
    rc_json_array_end(&w);
    rc_json_object_end(&w);
    return rc_buf_status(buf);
}
