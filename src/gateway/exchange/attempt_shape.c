/* Compares the shape of a response (events, one object, an array) with the requested one. A client
 * cannot use another shape: it would find neither content nor an error. Called by
 * attempt_response.c. */
#include "base/str.h"
#include "dialect/finish.h"
#include "gateway/exchange/exchange.h"

#define WORDS_MAX_BYTES 160

/* ---- the expected shape ---- */

/* True: the endpoint always responds with one object or with a known stream of events. */
static bool is_judged(const rc_endpoint *endpoint)
{
    return (unsigned)endpoint->stream != RC_STREAM_UNWATCHED ||
           endpoint->id == RC_ENDPOINT_GENERATE || endpoint->id == RC_ENDPOINT_GENERATE_V1;
}

/* Audio may come in any form, and some models ignore `stream`, as their providers document.
 * Embeddings and images never come as events unless requested. */
static rc_expected_shape expected_unjudged(const rc_client_request *request, bool is_called_events)
{
    const bool is_open = request->endpoint->family == RC_FAMILY_AUDIO || request->is_stream;
    return is_called_events && !is_open ? RC_EXPECT_OBJECT : RC_EXPECT_ANY;
}

rc_expected_shape rc_attempt_expected_shape(const rc_attempt *attempt, bool is_called_events)
{
    const rc_client_request *request = &attempt->exchange->request;
    const rc_endpoint *endpoint = request->endpoint;
    if (endpoint->wire >= RC_WIRE_COUNT)
        return RC_EXPECT_ANY;
    if (!is_judged(endpoint))
        return expected_unjudged(request, is_called_events);
    if (endpoint->streams == RC_STREAMS_ALWAYS)
        return request->is_sse ? RC_EXPECT_EVENTS : RC_EXPECT_ARRAY;
    /* Google's methods without streaming respond with events if alt=sse requests it. */
    if (endpoint->streams == RC_STREAMS_NEVER)
        return request->is_sse ? RC_EXPECT_ANY : RC_EXPECT_OBJECT;
    if (request->is_stream_unknown)
        return RC_EXPECT_ANY;
    return request->is_stream ? RC_EXPECT_EVENTS : RC_EXPECT_OBJECT;
}

/* ---- while it arrives ---- */

/* A body with the content type of events may begin with an unknown field. */
static bool fits(const rc_attempt *attempt, rc_body_kind kind)
{
    switch (attempt->expected) {
    case RC_EXPECT_EVENTS:
        return kind == RC_BODY_EVENTS || (kind == RC_BODY_OTHER && attempt->is_called_events);
    case RC_EXPECT_ARRAY:
        return kind == RC_BODY_ARRAY;
    case RC_EXPECT_OBJECT:
        return kind == RC_BODY_OBJECT;
    case RC_EXPECT_ANY:
        break;
    }
    return true;
}

bool rc_attempt_is_in_shape(rc_attempt *attempt, rc_str *piece)
{
    const rc_body_shape before = attempt->shape;
    if (before.kind != RC_BODY_UNDECIDED)
        return true;
    const rc_body_kind kind = rc_body_shape_step(&attempt->shape, *piece);
    if (kind == RC_BODY_UNDECIDED || fits(attempt, kind))
        return true;
    /* Leading white space, or half of a byte order mark, may be missing; only the gateway reads
     * this copy. */
    if (before.prefix_len == 0)
        *piece = rc_body_skip_blank(*piece);
    rc_buf_push(&attempt->held, rc_str_make(before.prefix, before.prefix_len));
    attempt->mode = RC_MODE_WHOLE;
    return false;
}

bool rc_attempt_begins_misshapen(const rc_attempt *attempt, rc_str start)
{
    return !fits(attempt, rc_body_kind_of(start));
}

/* ---- its usage ---- */

/* Keeps the first error. Empty: none. */
static void watch_event(rc_attempt *attempt, const rc_stream_event *event, rc_str *error)
{
    rc_stream_event_info seen;
    rc_stream_watch_step(&attempt->watch, event, &seen);
    if (seen.kinds & RC_STREAM_ERROR && error->len == 0)
        *error = seen.error;
}

/* Parses the events of a body in memory; the parsers view it. */
static rc_str read_events(rc_attempt *attempt, rc_str body)
{
    rc_sse *sse = &attempt->reading.sse;
    rc_stream_event event;
    rc_str error = {NULL, 0};
    rc_sse_init(sse, &attempt->scratch, RC_STREAM_EVENT_MAX_BYTES);
    rc_sse_push(sse, body);
    while (error.len == 0 && rc_sse_pull(sse, &event))
        watch_event(attempt, &event, &error);
    if (error.len == 0 && rc_sse_end(sse, &event))
        watch_event(attempt, &event, &error);
    return error;
}

static rc_str read_array(rc_attempt *attempt, rc_str body)
{
    rc_stream_array *array = &attempt->reading.array;
    rc_stream_event event;
    rc_str error = {NULL, 0};
    rc_stream_array_init(array, &attempt->scratch, RC_STREAM_EVENT_MAX_BYTES);
    rc_stream_array_push(array, body);
    while (error.len == 0 && rc_stream_array_pull(array, &event))
        watch_event(attempt, &event, &error);
    if (error.len == 0 && rc_stream_array_end(array, &event))
        watch_event(attempt, &event, &error);
    return error;
}

/* Returns the error in the body. Empty: none. */
static rc_str read_pieces(rc_attempt *attempt, rc_str body, rc_body_kind kind)
{
    rc_buf_reset(&attempt->scratch);
    attempt->is_watched = true;
    rc_stream_watch_init(&attempt->watch, rc_attempt_dialect(attempt));
    const rc_str error =
        kind == RC_BODY_EVENTS ? read_events(attempt, body) : read_array(attempt, body);
    attempt->usage = attempt->watch.usage;
    return error;
}

/* ---- the failure ---- */

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

/* A finish reason that no retry would change keeps its code: a content filter applies in every
 * shape. */
static void fail(rc_attempt *attempt, rc_body_kind kind)
{
    char scratch[WORDS_MAX_BYTES];
    rc_buf words;
    rc_code code = RC_CODE_NONE;
    if (kind != RC_BODY_OBJECT)
        code = rc_finish_code(attempt->watch.finish);
    else if (attempt->flaw != NULL)
        code = rc_report_code(attempt->flaw);
    rc_buf_init_fixed(&words, scratch, sizeof scratch);
    rc_buf_push(&words, expected_text(attempt->expected));
    rc_buf_push(&words, RC_STR(" was asked for, and "));
    rc_buf_push(&words, received_text(kind));
    if (fits(attempt, kind))
        rc_buf_push(&words, RC_STR(" that is called a stream of events"));
    rc_buf_push(&words, RC_STR(" came."));
    if (code != RC_CODE_NONE)
        rc_attempt_fail_ended(attempt, code, RC_STR(""));
    else
        rc_attempt_fail_unusable_text(attempt, RC_LOCAL_NOT_A_STREAM, rc_buf_get(&words));
}

bool rc_attempt_fail_shape(rc_attempt *attempt, rc_str body, bool is_good)
{
    const rc_body_kind kind = rc_body_kind_of(body);
    const bool is_in_pieces =
        kind == RC_BODY_EVENTS ||
        (kind == RC_BODY_ARRAY && rc_attempt_dialect(attempt) == RC_STREAM_GEMINI);
    if (attempt->expected == RC_EXPECT_ANY)
        return false;
    if (!is_in_pieces) {
        const bool is_misnamed = attempt->expected == RC_EXPECT_OBJECT && attempt->is_called_events;
        if (!is_good || kind != RC_BODY_OBJECT || (fits(attempt, kind) && !is_misnamed))
            return false;
        fail(attempt, kind);
        return true;
    }
    const rc_str error = read_pieces(attempt, body, kind);
    if (error.len > 0) {
        rc_failure failure = {.event = error, .phase = RC_PHASE_HEADERS};
        rc_attempt_fail(attempt, &failure);
        return true;
    }
    /* An array without content events is not a response, so its shape does not matter. */
    if (kind == RC_BODY_ARRAY && attempt->watch.content_events == 0)
        return false;
    fail(attempt, kind);
    return true;
}
