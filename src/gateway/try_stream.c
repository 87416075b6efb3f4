/* An answer in events: held back until the first content, then passed on event by event. */
#include "base/str.h"
#include "gateway/finish.h"
#include "gateway/job.h"

void rc_gate_try_stream_begin(rc_gate_try *try, bool is_array)
{
    rc_gate_job *job = try->job;
    const unsigned row = job->route->places[try->entry].metric;
    try->is_array = is_array;
    try->is_watched = true;
    rc_buf_reset(&try->room);
    rc_stream_watch_init(&try->watch, job->request.endpoint->stream);
    rc_stream_watch_set_mould(&try->watch, &job->gate->moulds[row % RC_GATE_MOULDS]);
    if (is_array)
        rc_stream_array_init(&try->reading.array, &try->room, RC_STREAM_EVENT_MAX_BYTES);
    else
        rc_sse_init(&try->reading.sse, &try->room, RC_STREAM_EVENT_MAX_BYTES);
}

static bool pull(rc_gate_try *try, rc_stream_event *ret_event)
{
    return try->is_array ? rc_stream_array_pull(&try->reading.array, ret_event)
                         : rc_sse_pull(&try->reading.sse, ret_event);
}

static bool pull_rest(rc_gate_try *try, rc_stream_event *ret_event)
{
    return try->is_array ? rc_stream_array_end(&try->reading.array, ret_event)
                         : rc_sse_end(&try->reading.sse, ret_event);
}

/* Is it this try that the client is getting? */
static bool is_answering(const rc_gate_try *try)
{
    return try->job->state == RC_JOB_ANSWERING;
}

/* What was held back goes first. False: the job is over. */
static bool release(rc_gate_try *try)
{
    if (is_answering(try))
        return true;
    if (!rc_gate_try_commit(try, RC_HTTP1_CHUNKED, 0))
        return false;
    rc_gate_try_write(try, rc_buf_get(&try->held));
    rc_gate_drop_buf(&try->held);
    rc_gate_try_slim(try);
    return true;
}

static void fail_event(rc_gate_try *try, const rc_stream_seen *seen)
{
    rc_failure failure = {.event = seen->error, .phase = RC_PHASE_HEADERS};
    rc_gate_try_fail(try, &failure);
}

/* The terminator tells a client that it has everything: it waits for the record, and what comes
 * behind it waits with it. */
static void end_soon(rc_gate_try *try)
{
    if (try->is_terminated)
        return;
    try->is_terminated = true;
    try->over_at_ms = rc_gate_now(try->job->gate) + RC_JOB_TAIL_MS;
    rc_gate_job_arm(try->job);
}

/* Passes an event on, or holds it back. */
static void pass(rc_gate_try *try, const rc_stream_event *event, bool is_room_left)
{
    try->is_inside = event->type == RC_STREAM_EVENT_PART;
    if (!try->is_terminated)
        rc_gate_try_follow(try, event);
    if (is_answering(try) && !(try->is_terminated && is_room_left))
        rc_gate_try_write(try, event->raw);
    else
        rc_buf_push(&try->held, event->raw);
}

/* A client's parser would fail on an event that is not JSON: it is never passed on. If the client
 * may lack something without it, the stream ends here. False: the try is over. */
static bool drop_damaged(rc_gate_try *try, const rc_stream_event *event, const rc_stream_seen *seen)
{
    if (!event->is_cut)
        rc_metrics_on_damaged(try->job->gate->metrics, try->job->route->places[try->entry].metric);
    if (!seen->is_loss)
        return true;
    rc_gate_try_stop(try);
    rc_gate_try_fail_code(try, RC_CODE_MALFORMED_RESPONSE, RC_STR(RC_GATE_DAMAGED_TEXT));
    return false;
}

/* False: the try is over. */
static bool take(rc_gate_try *try, const rc_stream_event *event)
{
    rc_stream_seen seen;
    rc_stream_watch_step(&try->watch, event, &seen);
    if (seen.kinds & RC_STREAM_DAMAGED)
        return drop_damaged(try, event, &seen);
    /* One that comes behind the end changes nothing for the client. */
    if (seen.kinds & RC_STREAM_ERROR && try->watch.has_error) {
        fail_event(try, &seen);
        return false;
    }
    const bool is_room_left = rc_buf_get(&try->held).len + event->raw.len <= RC_JOB_HELD_MAX;
    if ((seen.kinds & RC_STREAM_CONTENT || !is_room_left) && !release(try))
        return false;
    if (seen.kinds & RC_STREAM_TERMINATOR)
        end_soon(try);
    pass(try, event, is_room_left);
    return true;
}

void rc_gate_try_stream_body(rc_gate_try *try, rc_str piece)
{
    rc_stream_event event;
    if (try->is_array)
        rc_stream_array_push(&try->reading.array, piece);
    else
        rc_sse_push(&try->reading.sse, piece);
    while (pull(try, &event))
        if (!take(try, &event))
            return;
}

/* Half an event is of no use to a client, and what stands behind it would be taken for a part of
 * it: it is looked at, and passed on only as the end of a whole answer. False: the try is over. */
static bool take_rest(rc_gate_try *try, rc_stream_body body)
{
    rc_stream_event event;
    rc_stream_seen seen;
    if (!pull_rest(try, &event))
        return true;
    rc_stream_watch before = try->watch;
    rc_stream_watch_step(&try->watch, &event, &seen);
    const bool is_complete = rc_stream_watch_end(&try->watch, body) == RC_STREAM_END_COMPLETE;
    const bool is_error = seen.kinds & RC_STREAM_ERROR && try->watch.has_error;
    if (!is_complete && !is_error)
        return true;
    try->watch = before;
    if (!take(try, &event))
        return false;
    /* The line ends that were cut off with it. */
    const rc_stream_event ends = {.type = RC_STREAM_EVENT_BLANK, .raw = RC_STR("\n\n")};
    if (event.is_cut && !try->is_array && !(seen.kinds & RC_STREAM_DAMAGED))
        pass(try, &ends, true);
    return true;
}

static rc_stream_body body_of(const rc_gate_try *try, const rc_upstream_failure *failure)
{
    if (failure != NULL)
        return RC_STREAM_BODY_CUT;
    return try->reader->framing == RC_HTTP1_UNTIL_CLOSE ? RC_STREAM_BODY_CLOSED
                                                        : RC_STREAM_BODY_WHOLE;
}

void rc_gate_try_stream_end(rc_gate_try *try, const rc_upstream_failure *failure)
{
    const rc_stream_body body = body_of(try, failure);
    if (!take_rest(try, body))
        return;
    if (rc_stream_watch_end(&try->watch, body) == RC_STREAM_END_COMPLETE) {
        if (!is_answering(try) && !rc_gate_try_commit(try, RC_HTTP1_CHUNKED, 0))
            return;
        rc_gate_try_deliver(try, RC_THEN_REST);
        return;
    }
    /* A body that ends in order and without its end is cut all the same. */
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
    rc_gate_try_fail(try, &known);
}
