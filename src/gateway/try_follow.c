/* Where a stream of numbered events stands: what ends it in the provider's place goes on counting,
 * and speaks of the same response. The Responses API alone has both. */
#include "base/json_find.h"
#include "base/str.h"
#include "gateway/job.h"

/* Two events are to follow. */
#define NUMBER_MAX (INT64_MAX - 2)

static rc_str value_of(rc_str object, rc_str key, rc_json_type type)
{
    rc_json_member member = {.key = key};
    (void)rc_json_find(object, &member, 1, true);
    if (!member.is_found || member.value.type != type)
        return rc_str_make(NULL, 0);
    return rc_str_slice(object, member.value.offset, member.value_end);
}

/* An event that was too large to be read has a number, too. */
static void follow_number(rc_gate_try *try, rc_str data)
{
    const rc_str said = value_of(data, RC_STR("sequence_number"), RC_JSON_NUMBER);
    int64_t number;
    if (said.len > 0 && rc_json_to_i64(said, &number) == RC_OK && number >= 0 &&
        number < NUMBER_MAX)
        try->next_number = number + 1;
    else if (try->next_number > 0 && try->next_number < NUMBER_MAX)
        try->next_number++;
}

/* Of the events in front of the content: response.created, response.in_progress. */
static void find_response(rc_gate_try *try, rc_str data)
{
    rc_buf id;
    const rc_str response = value_of(data, RC_STR("response"), RC_JSON_OBJECT_BEGIN);
    const rc_str said = value_of(response, RC_STR("id"), RC_JSON_STRING);
    rc_buf_init_fixed(&id, try->response_id, sizeof try->response_id);
    if (said.len > 2 && rc_json_unescape(rc_str_slice(said, 1, said.len - 1), &id) == RC_OK)
        try->response_id_len = (uint8_t)rc_buf_get(&id).len;
}

void rc_gate_try_follow(rc_gate_try *try, const rc_stream_event *event)
{
    if (try->watch.dialect != RC_STREAM_OPENAI_RESPONSES || event->type != RC_STREAM_EVENT_DATA)
        return;
    follow_number(try, event->data);
    if (try->response_id_len == 0 && try->watch.content_events == 0)
        find_response(try, event->data);
}

void rc_gate_try_set_place(const rc_gate_try *try, rc_builder *builder)
{
    if (try->next_number > 0)
        rc_builder_set_context_int(builder, RC_STR("sequence_number"), try->next_number);
    if (try->response_id_len > 0)
        rc_builder_set_context(builder, RC_STR("response_id"),
                               rc_str_make(try->response_id, try->response_id_len));
}
