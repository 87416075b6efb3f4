/* Streamed responses: holds the events back until the first content, then passes them on one by
 * one. Called by attempt_decoder.c, attempt_response.c, exchange.c, exchange_reply.c and
 * translate/attempt_translate.c. */
#include <recourse/builder.h>

#include "base/str.h"
#include "gateway/exchange/attempt.h"
#include "gateway/exchange/attempt_failure.h"
#include "gateway/exchange/attempt_response.h"
#include "gateway/exchange/attempt_stream.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/exchange/translate/attempt_translate.h"
#include "gateway/observe/metrics.h"
#include "gateway/runtime/runtime.h"
#include "gateway/state/snapshot.h"
#include "json/find.h"

/* Sequence numbers from this value on are ignored, so that two numbers can be added without an
 * overflow. */
#define NUMBER_MAX (INT64_MAX - 2)

/* ---- sequence numbers and response id ---- */

/* An error event at the end of a stream contains the next sequence number and the response id. Only
 * the events of the Responses API have such numbers and ids. */

static rc_str value_of(rc_str object, rc_str key, rc_json_type type)
{
    rc_json_member member = {.key = key};
    (void)rc_json_find(object, &member, 1, true);
    if (!member.is_found || member.value.type != type)
        return rc_str_make(NULL, 0);
    return rc_str_slice(object, member.value.offset, member.value_end);
}

/* Stores the sequence number of an event. If an event is too large to be parsed, its number is
 * taken to be the latest number plus 1. */
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

/* Reads the response id from an event that precedes the content (response.created or
 * response.in_progress). */
static void find_response(rc_attempt *attempt, rc_str data)
{
    rc_buf id;
    const rc_str response = value_of(data, RC_STR("response"), RC_JSON_OBJECT_BEGIN);
    const rc_str value = value_of(response, RC_STR("id"), RC_JSON_STRING);
    rc_buf_init_fixed(&id, attempt->response_id, sizeof attempt->response_id);
    if (value.len > 2 && rc_json_unescape(rc_str_slice(value, 1, value.len - 1), &id) == RC_OK)
        attempt->response_id_len = (uint8_t)rc_buf_get(&id).len;
}

static void track_event(rc_attempt *attempt, const rc_stream_event *event)
{
    if (attempt->response.watch.dialect != RC_STREAM_OPENAI_RESPONSES ||
        event->type != RC_STREAM_EVENT_DATA)
        return;
    track_number(attempt, event->data);
    if (attempt->response_id_len == 0 && attempt->response.watch.content_events == 0)
        find_response(attempt, event->data);
}

void rc_attempt_set_stream_position(const rc_attempt *attempt, rc_builder *builder)
{
    if (rc_attempt_set_translated_position(attempt, builder))
        return;
    if (attempt->next_sequence_number > 0)
        rc_builder_set_context_int(builder, RC_STR("sequence_number"),
                                   attempt->next_sequence_number);
    if (attempt->response_id_len > 0)
        rc_builder_set_context(builder, RC_STR("response_id"),
                               rc_str_make(attempt->response_id, attempt->response_id_len));
}

/* ---- events ---- */

void rc_attempt_stream_begin(rc_attempt *attempt, bool is_array)
{
    rc_exchange *exchange = attempt->exchange;
    const unsigned row = exchange->route->entries[attempt->entry].metric;
    /* The last events of the Responses API repeat all content; a translator needs them whole. */
    const size_t event_max =
        attempt->translation != NULL ? RC_ATTEMPT_WHOLE_MAX : RC_STREAM_EVENT_MAX_BYTES;
    attempt->is_array = is_array;
    attempt->response.is_watched = true;
    rc_buf_reset(&attempt->scratch);
    rc_stream_watch_init(&attempt->response.watch, rc_attempt_endpoint(attempt)->stream);
    rc_stream_watch_set_template(&attempt->response.watch,
                                 &exchange->runtime->templates[row % RC_RUNTIME_TEMPLATES]);
    if (is_array)
        rc_stream_array_init(&attempt->reading.array, &attempt->scratch, event_max);
    else
        rc_sse_init(&attempt->reading.sse, &attempt->scratch, event_max);
}

static bool pull(rc_attempt *attempt, rc_stream_event *ret_event)
{
    return attempt->is_array ? rc_stream_array_pull(&attempt->reading.array, ret_event)
                             : rc_sse_pull(&attempt->reading.sse, ret_event);
}

static bool pull_last(rc_attempt *attempt, rc_stream_event *ret_event)
{
    return attempt->is_array ? rc_stream_array_end(&attempt->reading.array, ret_event)
                             : rc_sse_end(&attempt->reading.sse, ret_event);
}

bool rc_attempt_stream_release(rc_attempt *attempt)
{
    if (rc_attempt_is_responding(attempt))
        return true;
    if (!rc_attempt_commit(attempt, RC_HTTP1_CHUNKED, 0))
        return false;
    rc_attempt_write(attempt, rc_buf_get(&attempt->held));
    rc_buf_release(&attempt->held);
    rc_attempt_free_request(attempt);
    return true;
}

static void fail_event(rc_attempt *attempt, const rc_stream_event_info *seen)
{
    rc_failure failure = {.event = seen->error, .phase = RC_PHASE_HEADERS};
    rc_attempt_fail(attempt, &failure);
}

/* Handles the terminator, which shows the client that the response is complete. From the terminator
 * on, all bytes are held back until the record is acknowledged. */
static void end_soon(rc_attempt *attempt)
{
    if (attempt->is_terminated)
        return;
    attempt->is_terminated = true;
    rc_attempt_feed(attempt, RC_INPUT_TERMINATED);
}

/* Sends an event, or holds it back if the response has not begun or the terminator has arrived. */
static void forward(rc_attempt *attempt, const rc_stream_event *event, bool is_space_left)
{
    attempt->is_inside_event = event->type == RC_STREAM_EVENT_PART;
    if (!attempt->is_terminated)
        track_event(attempt, event);
    if (rc_attempt_is_responding(attempt) && !(attempt->is_terminated && is_space_left))
        rc_attempt_write(attempt, event->raw);
    else
        rc_buf_push(&attempt->held, event->raw);
}

/* Drops an event that is not JSON, because a client's parser would fail on it. If the client may
 * lose content with this event, the stream ends here. Returns false if the attempt is over. */
static bool drop_damaged(rc_attempt *attempt, const rc_stream_event *event,
                         const rc_stream_event_info *seen)
{
    if (!event->is_cut)
        rc_metrics_on_damaged_event(attempt->exchange->runtime->metrics,
                                    attempt->exchange->route->entries[attempt->entry].metric);
    if (!seen->is_loss)
        return true;
    rc_attempt_stop(attempt);
    rc_attempt_fail_unusable(attempt, RC_LOCAL_STREAM_DAMAGED);
    return false;
}

/* Translates an event for the client. Returns false if the attempt is over. */
static bool translate(rc_attempt *attempt, const rc_stream_event *event,
                      const rc_stream_event_info *seen)
{
    if (!attempt->is_terminated && !rc_attempt_translate_event(attempt, event))
        return false;
    if (seen->kinds & RC_STREAM_TERMINATOR)
        end_soon(attempt);
    return true;
}

/* Handles one event. Returns false if the attempt is over. */
static bool on_event(rc_attempt *attempt, const rc_stream_event *event)
{
    rc_stream_event_info seen;
    rc_stream_watch_step(&attempt->response.watch, event, &seen);
    if (seen.kinds & RC_STREAM_DAMAGED)
        return drop_damaged(attempt, event, &seen);
    /* An error event after the terminator is ignored, because the response is complete. */
    if (seen.kinds & RC_STREAM_ERROR && attempt->response.watch.has_error) {
        fail_event(attempt, &seen);
        return false;
    }
    if (attempt->translation != NULL)
        return translate(attempt, event, &seen);
    const bool is_space_left =
        rc_buf_get(&attempt->held).len + event->raw.len <= RC_ATTEMPT_HELD_MAX;
    if ((seen.kinds & RC_STREAM_CONTENT || !is_space_left) && !rc_attempt_stream_release(attempt))
        return false;
    if (seen.kinds & RC_STREAM_TERMINATOR)
        end_soon(attempt);
    forward(attempt, event, is_space_left);
    return true;
}

void rc_attempt_stream_on_body(rc_attempt *attempt, rc_str piece)
{
    rc_stream_event event;
    if (attempt->is_array)
        rc_stream_array_push(&attempt->reading.array, piece);
    else
        rc_sse_push(&attempt->reading.sse, piece);
    while (pull(attempt, &event))
        if (!on_event(attempt, &event))
            return;
}

/* Handles an event that the end of the body cut off. A client cannot use a part of an event, and
 * would read the next bytes as belonging to it. The function therefore parses the event, but sends
 * it only if it completes the response or is an error. Returns false if the attempt is over. */
static bool on_last_event(rc_attempt *attempt, rc_stream_body_end body)
{
    rc_stream_event event;
    rc_stream_event_info seen;
    if (!pull_last(attempt, &event))
        return true;
    rc_stream_watch before = attempt->response.watch;
    rc_stream_watch_step(&attempt->response.watch, &event, &seen);
    const bool is_complete =
        rc_stream_watch_end(&attempt->response.watch, body) == RC_STREAM_END_COMPLETE;
    const bool is_error = seen.kinds & RC_STREAM_ERROR && attempt->response.watch.has_error;
    if (!is_complete && !is_error)
        return true;
    attempt->response.watch = before;
    if (!on_event(attempt, &event))
        return false;
    /* Adds the line ends that the cut event lacks. */
    const rc_stream_event ends = {.type = RC_STREAM_EVENT_BLANK, .raw = RC_STR("\n\n")};
    if (event.is_cut && !attempt->is_array && attempt->translation == NULL &&
        !(seen.kinds & RC_STREAM_DAMAGED))
        forward(attempt, &ends, true);
    return true;
}

static rc_stream_body_end body_of(const rc_attempt *attempt, const rc_upstream_failure *failure)
{
    if (failure != NULL)
        return RC_STREAM_BODY_CUT;
    return attempt->reader->framing == RC_HTTP1_UNTIL_CLOSE ? RC_STREAM_BODY_CLOSED
                                                            : RC_STREAM_BODY_WHOLE;
}

void rc_attempt_stream_on_end(rc_attempt *attempt, const rc_upstream_failure *failure)
{
    const rc_stream_body_end body = body_of(attempt, failure);
    if (!on_last_event(attempt, body))
        return;
    if (rc_stream_watch_end(&attempt->response.watch, body) == RC_STREAM_END_COMPLETE) {
        if (!rc_attempt_translate_end(attempt))
            return;
        if (!rc_attempt_is_responding(attempt) && !rc_attempt_commit(attempt, RC_HTTP1_CHUNKED, 0))
            return;
        rc_attempt_deliver(attempt);
        return;
    }
    /* A body with a regular end but without a terminator counts as a cut stream. */
    rc_failure known = {
        .transport = failure != NULL && failure->transport != RC_TRANSPORT_NONE ? failure->transport
                                                                                : RC_TRANSPORT_EOF,
        .phase = RC_PHASE_HEADERS,
    };
    if (failure != NULL) {
        known.connection = failure->connection == RC_CONNECTION_IDLE_TIMEOUT ? RC_CONNECTION_STALLED
                                                                             : failure->connection;
        known.connection_detail = failure->detail;
        known.limit_ms = failure->limit_ms;
    }
    rc_attempt_fail(attempt, &known);
}
