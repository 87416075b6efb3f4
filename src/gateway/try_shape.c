/* What was asked for, and what came: events, one object, an array. An answer of another shape is
 * none to the client that asked: it would find no events in it, or no choices, and no error. */
#include "base/str.h"
#include "gateway/finish.h"
#include "gateway/job.h"

#define WORDS_MAX_BYTES 160

/* ---- what was asked for ---- */

/* Is one object all that it ever answers, or a stream of events that is known here? */
static bool is_judged(const rc_gate_endpoint *endpoint)
{
    return (unsigned)endpoint->stream != RC_STREAM_UNWATCHED ||
           endpoint->id == RC_ENDPOINT_GENERATE || endpoint->id == RC_ENDPOINT_GENERATE_V1;
}

/* Sound may come as anything, and some models pass over `stream`, as their providers say; nobody
 * gets vectors or images in events without having asked. */
static rc_try_asked asked_unjudged(const rc_gate_request *request, bool is_called_events)
{
    const bool is_open = request->endpoint->family == RC_FAMILY_AUDIO || request->is_stream;
    return is_called_events && !is_open ? RC_ASKED_OBJECT : RC_ASKED_ANY;
}

rc_try_asked rc_gate_try_asked(const rc_gate_try *try, bool is_called_events)
{
    const rc_gate_request *request = &try->job->request;
    const rc_gate_endpoint *endpoint = request->endpoint;
    if (endpoint->wire >= RC_WIRE_COUNT)
        return RC_ASKED_ANY;
    if (!is_judged(endpoint))
        return asked_unjudged(request, is_called_events);
    if (endpoint->streams == RC_STREAMS_ALWAYS)
        return request->is_sse ? RC_ASKED_EVENTS : RC_ASKED_ARRAY;
    /* Of the methods that answer at once, Google's give events to who wants them. */
    if (endpoint->streams == RC_STREAMS_NEVER)
        return request->is_sse ? RC_ASKED_ANY : RC_ASKED_OBJECT;
    if (request->is_stream_open)
        return RC_ASKED_ANY;
    return request->is_stream ? RC_ASKED_EVENTS : RC_ASKED_OBJECT;
}

/* ---- while it comes ---- */

/* Who says that it sends events may begin with a field that nobody knows. */
static bool fits(const rc_gate_try *try, rc_shape_kind kind)
{
    switch (try->asked) {
    case RC_ASKED_EVENTS:
        return kind == RC_SHAPE_EVENTS || (kind == RC_SHAPE_OTHER && try->is_called_events);
    case RC_ASKED_ARRAY:
        return kind == RC_SHAPE_ARRAY;
    case RC_ASKED_OBJECT:
        return kind == RC_SHAPE_OBJECT;
    case RC_ASKED_ANY:
        break;
    }
    return true;
}

bool rc_gate_try_is_in_shape(rc_gate_try *try, rc_str *piece)
{
    const rc_shape before = try->shape;
    if (before.kind != RC_SHAPE_OPEN)
        return true;
    const rc_shape_kind kind = rc_shape_step(&try->shape, *piece);
    if (kind == RC_SHAPE_OPEN || fits(try, kind))
        return true;
    /* White space may be missing in front of it, or half of a mark; nobody but us will read it. */
    if (before.word_len == 0)
        *piece = rc_shape_text(*piece);
    rc_buf_push(&try->held, rc_str_make(before.word, before.word_len));
    try->mode = RC_MODE_WHOLE;
    return false;
}

bool rc_gate_try_begins_misshapen(const rc_gate_try *try, rc_str start)
{
    return !fits(try, rc_shape_of(start));
}

/* ---- what it used ---- */

/* The first error; empty: there is none. */
static void take(rc_gate_try *try, const rc_stream_event *event, rc_str *error)
{
    rc_stream_seen seen;
    rc_stream_watch_step(&try->watch, event, &seen);
    if (seen.kinds & RC_STREAM_ERROR && error->len == 0)
        *error = seen.error;
}

/* Events of a body that is there; the readers view it. */
static rc_str read_events(rc_gate_try *try, rc_str body)
{
    rc_sse *sse = &try->reading.sse;
    rc_stream_event event;
    rc_str error = {NULL, 0};
    rc_sse_init(sse, &try->room, RC_STREAM_EVENT_MAX_BYTES);
    rc_sse_push(sse, body);
    while (error.len == 0 && rc_sse_pull(sse, &event))
        take(try, &event, &error);
    if (error.len == 0 && rc_sse_end(sse, &event))
        take(try, &event, &error);
    return error;
}

static rc_str read_array(rc_gate_try *try, rc_str body)
{
    rc_stream_array *array = &try->reading.array;
    rc_stream_event event;
    rc_str error = {NULL, 0};
    rc_stream_array_init(array, &try->room, RC_STREAM_EVENT_MAX_BYTES);
    rc_stream_array_push(array, body);
    while (error.len == 0 && rc_stream_array_pull(array, &event))
        take(try, &event, &error);
    if (error.len == 0 && rc_stream_array_end(array, &event))
        take(try, &event, &error);
    return error;
}

/* Gives the error that is in it; empty: none. */
static rc_str read_pieces(rc_gate_try *try, rc_str body, rc_shape_kind kind)
{
    rc_buf_reset(&try->room);
    try->is_watched = true;
    rc_stream_watch_init(&try->watch, rc_gate_try_dialect(try));
    const rc_str error = kind == RC_SHAPE_EVENTS ? read_events(try, body) : read_array(try, body);
    try->usage = try->watch.usage;
    return error;
}

/* ---- what is said of it ---- */

static rc_str asked_words(rc_try_asked asked)
{
    switch (asked) {
    case RC_ASKED_EVENTS:
        return RC_STR("A stream of events");
    case RC_ASKED_ARRAY:
        return RC_STR("A JSON array");
    case RC_ASKED_OBJECT:
    case RC_ASKED_ANY:
        break;
    }
    return RC_STR("One JSON object");
}

static rc_str came_words(rc_shape_kind kind)
{
    switch (kind) {
    case RC_SHAPE_EVENTS:
        return RC_STR("a stream of events");
    case RC_SHAPE_ARRAY:
        return RC_STR("a JSON array");
    case RC_SHAPE_OBJECT:
        return RC_STR("one JSON object");
    case RC_SHAPE_OPEN:
    case RC_SHAPE_OTHER:
        break;
    }
    return RC_STR("something else");
}

/* What no other try would change stays what it is: a filter is one in every shape. */
static void fail(rc_gate_try *try, rc_shape_kind kind)
{
    char room[WORDS_MAX_BYTES];
    rc_buf words;
    rc_code code = RC_CODE_NONE;
    if (kind != RC_SHAPE_OBJECT)
        code = rc_gate_finish_code(try->watch.finish);
    else if (try->flaw != NULL)
        code = rc_report_code(try->flaw);
    rc_buf_init_fixed(&words, room, sizeof room);
    rc_buf_push(&words, asked_words(try->asked));
    rc_buf_push(&words, RC_STR(" was asked for, and "));
    rc_buf_push(&words, came_words(kind));
    if (fits(try, kind))
        rc_buf_push(&words, RC_STR(" that is called a stream of events"));
    rc_buf_push(&words, RC_STR(" came."));
    if (code != RC_CODE_NONE)
        rc_gate_try_fail_code(try, code, RC_STR(""));
    else
        rc_gate_try_fail_code(try, RC_CODE_MALFORMED_RESPONSE, rc_buf_get(&words));
}

bool rc_gate_try_fail_shape(rc_gate_try *try, rc_str body, bool is_good)
{
    const rc_shape_kind kind = rc_shape_of(body);
    const bool is_in_pieces =
        kind == RC_SHAPE_EVENTS ||
        (kind == RC_SHAPE_ARRAY && rc_gate_try_dialect(try) == RC_STREAM_GEMINI);
    if (try->asked == RC_ASKED_ANY)
        return false;
    if (!is_in_pieces) {
        const bool is_misnamed = try->asked == RC_ASKED_OBJECT && try->is_called_events;
        if (!is_good || kind != RC_SHAPE_OBJECT || (fits(try, kind) && !is_misnamed))
            return false;
        fail(try, kind);
        return true;
    }
    const rc_str error = read_pieces(try, body, kind);
    if (error.len > 0) {
        rc_failure failure = {.event = error, .phase = RC_PHASE_HEADERS};
        rc_gate_try_fail(try, &failure);
        return true;
    }
    /* A list with nothing in it is no answer in any shape. */
    if (kind == RC_SHAPE_ARRAY && try->watch.content_events == 0)
        return false;
    fail(try, kind);
    return true;
}
