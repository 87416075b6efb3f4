/* rc_response: compares the shape of a response (events, one object, an array) with the requested
 * one. A client finds neither content nor an error in a response of another shape, so the client
 * cannot use the response. Called by response.c, response_judge.c and the gateway's
 * attempt_response.c. */
#include "base/str.h"
#include "codec/sse.h"
#include "codec/stream_array.h"
#include "dialect/finish.h"
#include "exchange/response_private.h"

/* ---- the expected shape ---- */

/* Returns whether the endpoint has a fixed shape: every response is one object or a stream of known
 * events. */
static bool is_judged(const rc_endpoint *endpoint)
{
    return (unsigned)endpoint->stream != RC_STREAM_UNWATCHED ||
           endpoint->id == RC_ENDPOINT_GENERATE || endpoint->id == RC_ENDPOINT_GENERATE_V1;
}

/* Returns the expected shape for endpoints without a fixed shape. Audio has no expected shape: it
 * may have any form, and providers document that some models ignore `stream`. Embeddings and images
 * are sent as events only if the client requested a stream. */
static rc_expected_shape expected_unjudged(const rc_response_request *request,
                                           bool is_called_events)
{
    const bool is_open = request->endpoint->family == RC_FAMILY_AUDIO || request->is_stream;
    return is_called_events && !is_open ? RC_EXPECT_OBJECT : RC_EXPECT_ANY;
}

rc_expected_shape rc_response_expected_shape(const rc_response *response)
{
    const rc_response_request *request = &response->request;
    const rc_endpoint *endpoint = request->endpoint;
    if (endpoint->wire >= RC_WIRE_COUNT)
        return RC_EXPECT_ANY;
    if (!is_judged(endpoint))
        return expected_unjudged(request, response->is_called_events);
    if (endpoint->streams == RC_STREAMS_ALWAYS)
        return request->is_sse ? RC_EXPECT_EVENTS : RC_EXPECT_ARRAY;
    /* The methods of Google's API that do not stream respond with events if the query has
     * alt=sse. */
    if (endpoint->streams == RC_STREAMS_NEVER)
        return request->is_sse ? RC_EXPECT_ANY : RC_EXPECT_OBJECT;
    if (request->is_stream_unknown)
        return RC_EXPECT_ANY;
    return request->is_stream ? RC_EXPECT_EVENTS : RC_EXPECT_OBJECT;
}

/* ---- while it arrives ---- */

/* If the content type is text/event-stream, a body of an unknown kind may consist of events that
 * begin with an unknown field. */
bool rc_response_fits(const rc_response *response, rc_body_kind kind)
{
    switch (response->expected) {
    case RC_EXPECT_EVENTS:
        return kind == RC_BODY_EVENTS || (kind == RC_BODY_OTHER && response->is_called_events);
    case RC_EXPECT_ARRAY:
        return kind == RC_BODY_ARRAY;
    case RC_EXPECT_OBJECT:
        return kind == RC_BODY_OBJECT;
    case RC_EXPECT_ANY:
        break;
    }
    return true;
}

bool rc_response_is_in_shape(rc_response *response, rc_str *piece, rc_buf *held)
{
    const rc_body_shape before = response->shape;
    if (before.kind != RC_BODY_UNDECIDED)
        return true;
    const rc_body_kind kind = rc_body_shape_step(&response->shape, *piece);
    if (kind == RC_BODY_UNDECIDED || rc_response_fits(response, kind))
        return true;
    /* The copy in `held` may lack leading white space or a part of a byte order mark. Missing bytes
     * of this kind are harmless, because only rc_response_judge_whole reads the copy. */
    if (before.prefix_len == 0)
        *piece = rc_body_skip_blank(*piece);
    rc_buf_push(held, rc_str_make(before.prefix, before.prefix_len));
    response->mode = RC_MODE_WHOLE;
    return false;
}

/* ---- a body in pieces ---- */

/* Handles one event. *error is the first error of all events so far; empty: no error. */
static void watch_event(rc_response *response, const rc_stream_event *event, rc_str *error)
{
    rc_stream_event_info seen;
    rc_stream_watch_step(&response->watch, event, &seen);
    if (seen.kinds & RC_STREAM_ERROR && error->len == 0)
        *error = seen.error;
}

/* Parses the events of a complete body and returns the first error event; empty: no error. The
 * result views the body or scratch. */
static rc_str read_events(rc_response *response, rc_str body, rc_buf *scratch)
{
    rc_sse sse;
    rc_stream_event event;
    rc_str error = {NULL, 0};
    rc_sse_init(&sse, scratch, RC_STREAM_EVENT_MAX_BYTES);
    rc_sse_push(&sse, body);
    while (error.len == 0 && rc_sse_pull(&sse, &event))
        watch_event(response, &event, &error);
    if (error.len == 0 && rc_sse_end(&sse, &event))
        watch_event(response, &event, &error);
    return error;
}

static rc_str read_array(rc_response *response, rc_str body, rc_buf *scratch)
{
    rc_stream_array array;
    rc_stream_event event;
    rc_str error = {NULL, 0};
    rc_stream_array_init(&array, scratch, RC_STREAM_EVENT_MAX_BYTES);
    rc_stream_array_push(&array, body);
    while (error.len == 0 && rc_stream_array_pull(&array, &event))
        watch_event(response, &event, &error);
    if (error.len == 0 && rc_stream_array_end(&array, &event))
        watch_event(response, &event, &error);
    return error;
}

/* Reads the usage of a body of several events or array elements. Returns the first error in the
 * body; empty: no error. */
static rc_str read_pieces(rc_response *response, rc_str body, rc_body_kind kind, rc_buf *scratch)
{
    rc_buf_reset(scratch);
    response->is_watched = true;
    rc_stream_watch_init(&response->watch, rc_response_dialect(response));
    const rc_str error = kind == RC_BODY_EVENTS ? read_events(response, body, scratch)
                                                : read_array(response, body, scratch);
    response->usage = response->watch.usage;
    return error;
}

/* ---- the verdict ---- */

static bool is_object_misshapen(const rc_response *response, rc_body_kind kind)
{
    const bool is_misnamed = response->expected == RC_EXPECT_OBJECT && response->is_called_events;
    return kind == RC_BODY_OBJECT && (!rc_response_fits(response, kind) || is_misnamed);
}

bool rc_response_judge_shape(rc_response *response, rc_str body, rc_body_kind kind, bool is_good,
                             rc_buf *scratch, rc_response_verdict *ret_verdict)
{
    const bool is_in_pieces =
        kind == RC_BODY_EVENTS ||
        (kind == RC_BODY_ARRAY && rc_response_dialect(response) == RC_STREAM_GEMINI);
    rc_response_verdict verdict = {.result = RC_RESPONSE_MISSHAPEN, .kind = kind};
    if (response->expected == RC_EXPECT_ANY)
        return false;
    if (!is_in_pieces && !(is_good && is_object_misshapen(response, kind)))
        return false;
    if (is_in_pieces) {
        verdict.error = read_pieces(response, body, kind, scratch);
        if (verdict.error.len > 0)
            verdict.result = RC_RESPONSE_ERROR_EVENT;
        /* An array without content events is not a response, so its shape is irrelevant. */
        else if (kind == RC_BODY_ARRAY && response->watch.content_events == 0)
            return false;
    }
    /* If the finish reason, such as a content filter, would also apply to a response of the
     * expected shape, the verdict has the code of the finish reason. */
    if (verdict.result == RC_RESPONSE_MISSHAPEN)
        verdict.code = rc_finish_code(is_in_pieces ? response->watch.finish : response->finish);
    *ret_verdict = verdict;
    return true;
}

/* ---- its text ---- */

static rc_str expected_text(rc_expected_shape expected)
{
    switch (expected) {
    case RC_EXPECT_EVENTS:
        return RC_STR("A stream of events");
    case RC_EXPECT_ARRAY:
        return RC_STR("A JSON array");
    case RC_EXPECT_OBJECT:
    case RC_EXPECT_ANY:
        break;
    }
    return RC_STR("One JSON object");
}

static rc_str received_text(rc_body_kind kind)
{
    switch (kind) {
    case RC_BODY_EVENTS:
        return RC_STR("a stream of events");
    case RC_BODY_ARRAY:
        return RC_STR("a JSON array");
    case RC_BODY_OBJECT:
        return RC_STR("one JSON object");
    case RC_BODY_UNDECIDED:
    case RC_BODY_OTHER:
        break;
    }
    return RC_STR("something else");
}

void rc_response_push_misshape(const rc_response *response, rc_body_kind kind, rc_buf *text)
{
    rc_buf_push(text, expected_text(response->expected));
    rc_buf_push(text, RC_STR(" was requested, but "));
    rc_buf_push(text, received_text(kind));
    if (rc_response_fits(response, kind))
        rc_buf_push(text, RC_STR(" that is labelled as a stream of events"));
    rc_buf_push(text, RC_STR(" arrived."));
}
