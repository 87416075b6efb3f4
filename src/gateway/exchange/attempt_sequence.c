/* Sequence numbers and response id of a stream, so that an error event at its end continues them.
 * Only the Responses API has both. Called by attempt_stream.c and exchange_reply.c. */
#include "base/str.h"
#include "gateway/exchange/exchange.h"
#include "json/find.h"

/* Leaves space for two more events. */
#define NUMBER_MAX (INT64_MAX - 2)

static rc_str value_of(rc_str object, rc_str key, rc_json_type type)
{
    rc_json_member member = {.key = key};
    (void)rc_json_find(object, &member, 1, true);
    if (!member.is_found || member.value.type != type)
        return rc_str_make(NULL, 0);
    return rc_str_slice(object, member.value.offset, member.value_end);
}

/* An event that was too large to be parsed has a number, too. */
static void track_number(rc_attempt *attempt, rc_str data)
{
    const rc_str value = value_of(data, RC_STR("sequence_number"), RC_JSON_NUMBER);
    int64_t number;
    if (value.len > 0 && rc_json_to_i64(value, &number) == RC_OK && number >= 0 &&
        number < NUMBER_MAX)
        attempt->next_sequence_number = number + 1;
    else if (attempt->next_sequence_number > 0 && attempt->next_sequence_number < NUMBER_MAX)
        attempt->next_sequence_number++;
}

/* Reads the id from the events before the content: response.created, response.in_progress. */
static void find_response(rc_attempt *attempt, rc_str data)
{
    rc_buf id;
    const rc_str response = value_of(data, RC_STR("response"), RC_JSON_OBJECT_BEGIN);
    const rc_str value = value_of(response, RC_STR("id"), RC_JSON_STRING);
    rc_buf_init_fixed(&id, attempt->response_id, sizeof attempt->response_id);
    if (value.len > 2 && rc_json_unescape(rc_str_slice(value, 1, value.len - 1), &id) == RC_OK)
        attempt->response_id_len = (uint8_t)rc_buf_get(&id).len;
}

void rc_attempt_track_event(rc_attempt *attempt, const rc_stream_event *event)
{
    if (attempt->watch.dialect != RC_STREAM_OPENAI_RESPONSES || event->type != RC_STREAM_EVENT_DATA)
        return;
    track_number(attempt, event->data);
    if (attempt->response_id_len == 0 && attempt->watch.content_events == 0)
        find_response(attempt, event->data);
}

void rc_attempt_set_stream_position(const rc_attempt *attempt, rc_builder *builder)
{
    if (attempt->next_sequence_number > 0)
        rc_builder_set_context_int(builder, RC_STR("sequence_number"),
                                   attempt->next_sequence_number);
    if (attempt->response_id_len > 0)
        rc_builder_set_context(builder, RC_STR("response_id"),
                               rc_str_make(attempt->response_id, attempt->response_id_len));
}
