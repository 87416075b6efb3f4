/* An answer in events: held back until the first content, then passed on event by event. */
#include "base/str.h"
#include "gateway/job.h"

void rc_gate_job_stream_begin(rc_gate_job *job, bool is_array)
{
    rc_job_try *now = &job->now;
    now->is_array = is_array;
    rc_buf_reset(&job->room);
    rc_stream_watch_init(&now->watch, job->request.endpoint->stream);
    if (is_array)
        rc_stream_array_init(&now->reading.array, &job->room, RC_STREAM_EVENT_MAX_BYTES);
    else
        rc_sse_init(&now->reading.sse, &job->room, RC_STREAM_EVENT_MAX_BYTES);
}

static bool pull(rc_job_try *now, rc_stream_event *ret_event)
{
    return now->is_array ? rc_stream_array_pull(&now->reading.array, ret_event)
                         : rc_sse_pull(&now->reading.sse, ret_event);
}

static bool pull_rest(rc_job_try *now, rc_stream_event *ret_event)
{
    return now->is_array ? rc_stream_array_end(&now->reading.array, ret_event)
                         : rc_sse_end(&now->reading.sse, ret_event);
}

/* What was held back goes first. False: the job is over. */
static bool release(rc_gate_job *job)
{
    if (job->state == RC_JOB_ANSWERING)
        return true;
    if (!rc_gate_job_commit(job, RC_HTTP1_CHUNKED, 0))
        return false;
    rc_gate_job_write(job, rc_buf_get(&job->held));
    rc_buf_reset(&job->held);
    return true;
}

static void fail_event(rc_gate_job *job, const rc_stream_seen *seen)
{
    rc_failure failure = {.event = seen->error, .phase = RC_PHASE_HEADERS};
    rc_gate_job_stop_try(job);
    rc_gate_job_fail(job, &failure);
}

/* False: the try is over. */
static bool take(rc_gate_job *job, const rc_stream_event *event)
{
    rc_stream_seen seen;
    rc_stream_watch_step(&job->now.watch, event, &seen);
    /* One that comes behind the end changes nothing for the client. */
    if (seen.kinds & RC_STREAM_ERROR && job->now.watch.has_error) {
        fail_event(job, &seen);
        return false;
    }
    const bool is_room_left = rc_buf_get(&job->held).len + event->raw.len <= RC_JOB_HELD_MAX;
    if ((seen.kinds & RC_STREAM_CONTENT || !is_room_left) && !release(job))
        return false;
    if (job->state == RC_JOB_ANSWERING)
        rc_gate_job_write(job, event->raw);
    else
        rc_buf_push(&job->held, event->raw);
    return true;
}

void rc_gate_job_stream_body(rc_gate_job *job, rc_str piece)
{
    rc_stream_event event;
    if (job->now.is_array)
        rc_stream_array_push(&job->now.reading.array, piece);
    else
        rc_sse_push(&job->now.reading.sse, piece);
    while (pull(&job->now, &event))
        if (!take(job, &event))
            return;
}

void rc_gate_job_stream_end(rc_gate_job *job, const rc_upstream_failure *failure)
{
    rc_stream_event event;
    if (pull_rest(&job->now, &event) && !take(job, &event))
        return;
    if (rc_stream_watch_end(&job->now.watch, failure == NULL) == RC_STREAM_END_COMPLETE) {
        if (release(job))
            rc_gate_job_deliver(job);
        return;
    }
    /* A body that ends in order and without its end is cut all the same. */
    rc_failure known = {
        .transport = failure != NULL && failure->transport != RC_TRANSPORT_NONE ? failure->transport
                                                                                : RC_TRANSPORT_EOF,
        .phase = RC_PHASE_HEADERS,
    };
    rc_gate_job_fail(job, &known);
}
