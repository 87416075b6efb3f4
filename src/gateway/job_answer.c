/* What a provider answers, until it is clear what to make of it. */
#define _GNU_SOURCE /* memmem */
#include <string.h>

#include "base/json_find.h"
#include "base/str.h"
#include "gateway/job.h"

static bool is_type(const rc_gate_job *job, rc_str type)
{
    const rc_str said =
        rc_http1_find(&job->now.reader, rc_buf_get(&job->head).ptr, RC_STR("content-type"));
    return rc_str_starts_with_nocase(said, type);
}

/* Whose JSON it is, where there is something to look for in it. */
static rc_stream_dialect dialect_of(const rc_gate_job *job)
{
    const rc_gate_endpoint *endpoint = job->request.endpoint;
    if ((unsigned)endpoint->stream != RC_STREAM_UNWATCHED)
        return endpoint->stream;
    switch (endpoint->wire) {
    case RC_WIRE_ANTHROPIC:
        return RC_STREAM_ANTHROPIC;
    case RC_WIRE_GEMINI:
        return RC_STREAM_GEMINI;
    case RC_WIRE_OPENAI:
    case RC_WIRE_COUNT: /* NATIVE */
    case RC_WIRE_LOCAL:
        break;
    }
    return RC_STREAM_OPENAI_CHAT;
}

/* ---- passing on ---- */

bool rc_gate_job_commit(rc_gate_job *job, rc_http1_framing framing, uint64_t length)
{
    const rc_gate_plans *plans = &job->gate->plans;
    const rc_gate_told told = {
        .attempts = job->action.attempt,
        .provider = plans->providers[plans->places[job->now.place].provider].config->name,
        .model = job->now.model,
        .request_id = rc_str_c(job->id.text),
    };
    const rc_alloc *alloc = &job->gate->settings.alloc;
    rc_buf lines;
    rc_buf_init(&lines, alloc, 2 * RC_JOB_HELD_MAX);
    rc_call_on_commit(&job->call, rc_gate_now(job->gate));
    job->state = RC_JOB_ANSWERING;
    job->status = rc_http1_status(&job->now.reader);
    const bool is_begun =
        rc_gate_push_answer(&lines, &job->now.reader, rc_buf_get(&job->head).ptr, &told) == RC_OK &&
        rc_exchange_begin_raw(job->exchange, job->status, rc_buf_get(&lines), framing, length) ==
            RC_OK;
    rc_buf_done(&lines);
    if (is_begun) {
        rc_gate_job_arm(job);
        return true;
    }
    rc_gate_job_stop_try(job);
    (void)rc_call_on_cancel(&job->call, rc_gate_now(job->gate));
    rc_gate_job_cut_answer(job);
    return false;
}

void rc_gate_job_write(rc_gate_job *job, rc_str bytes)
{
    if (bytes.len > 0 && !rc_exchange_write(job->exchange, bytes))
        rc_gate_job_pause_try(job);
}

void rc_gate_job_deliver(rc_gate_job *job)
{
    job->action = rc_call_on_success(&job->call, rc_gate_now(job->gate));
    rc_chain_on_success(job->chain, &job->plan, job->action.entry);
    rc_gate_job_end_answer(job);
}

/* Begins with the length that the provider said, if it said one. False: the job is over. */
static bool relay(rc_gate_job *job)
{
    const rc_http1 *reader = &job->now.reader;
    const bool has_length = reader->framing == RC_HTTP1_LENGTH;
    const rc_http1_framing framing =
        reader->framing == RC_HTTP1_NO_BODY || has_length ? RC_HTTP1_LENGTH : RC_HTTP1_CHUNKED;
    job->now.mode = RC_MODE_RELAY;
    if (!rc_gate_job_commit(job, framing, has_length ? reader->length : 0))
        return false;
    rc_gate_job_write(job, rc_buf_get(&job->held));
    rc_buf_reset(&job->held);
    return true;
}

/* ---- errors in good answers ---- */

/* One walk over the body, as over an event: is it an error, or no JSON at all?
 * */
static unsigned kinds_of(const rc_gate_job *job, rc_str body, bool is_cut)
{
    rc_stream_watch watch;
    rc_stream_seen seen;
    const rc_stream_event event = {
        .type = RC_STREAM_EVENT_DATA,
        .end = body.len,
        .raw = body,
        .data = body,
        .retry_ms = -1,
        .has_data = true,
        .is_cut = is_cut,
    };
    rc_stream_watch_init(&watch, dialect_of(job));
    rc_stream_watch_step(&watch, &event, &seen);
    return seen.kinds;
}

/* Is it an error, or no JSON at all? Most answers say nowhere that they are one, and most that are
 * damaged end too early: both can be told at memory speed, without the walk. */
static bool is_bad(const rc_gate_job *job, rc_str body)
{
    rc_json_member none = {.key = RC_STR("error")};
    const rc_status status = rc_json_find(body, &none, 1, false);
    if (status != RC_OK && status != RC_E_TYPE)
        return true;
    if (memmem(body.ptr, body.len, "error\"", 6) == NULL)
        return status != RC_OK && (kinds_of(job, body, false) & RC_STREAM_DAMAGED) != 0;
    return (kinds_of(job, body, false) & (RC_STREAM_ERROR | RC_STREAM_DAMAGED)) != 0;
}

static void fail_body(rc_gate_job *job)
{
    rc_failure failure = {.body = rc_buf_get(&job->held), .phase = RC_PHASE_HEADERS};
    rc_gate_job_fail(job, &failure);
}

static void end_whole(rc_gate_job *job)
{
    const rc_str body = rc_buf_get(&job->held);
    const bool may_be_empty =
        rc_http1_status(&job->now.reader) == 204 || job->now.reader.is_bodiless;
    if (body.len == 0 ? !may_be_empty : is_bad(job, body)) {
        fail_body(job);
        return;
    }
    if (!rc_gate_job_commit(job, RC_HTTP1_LENGTH, body.len))
        return;
    /* It stays where it is until the exchange is over. */
    if (body.len > 0)
        (void)rc_exchange_write_kept(job->exchange, body);
    rc_gate_job_deliver(job);
}

/* Too large to be held: what there is of it decides. */
static void hold(rc_gate_job *job, rc_str piece)
{
    rc_buf_push(&job->held, piece);
    const rc_str held = rc_buf_get(&job->held);
    if (rc_buf_status(&job->held) == RC_OK && held.len <= RC_JOB_HELD_MAX)
        return;
    if ((kinds_of(job, held, true) & RC_STREAM_ERROR) != 0) {
        rc_gate_job_stop_try(job);
        fail_body(job);
        return;
    }
    /* A piece that did not fit is not in it. */
    const bool is_kept = rc_buf_status(&job->held) == RC_OK;
    if (relay(job) && !is_kept)
        rc_gate_job_write(job, piece);
}

/* ---- what rc_upstream tells ---- */

static rc_job_mode mode_of(rc_gate_job *job, const rc_upstream_head *head)
{
    const rc_gate_endpoint *endpoint = job->request.endpoint;
    const bool is_watched = (unsigned)endpoint->stream != RC_STREAM_UNWATCHED;
    const rc_str coding = rc_http1_find(head->reader, head->bytes, RC_STR("content-encoding"));
    if (head->status < 200 || head->status > 299)
        return RC_MODE_ERROR;
    if (endpoint->wire == RC_WIRE_NATIVE ||
        (coding.len > 0 && !rc_str_eq_nocase(coding, RC_STR("identity"))))
        return RC_MODE_RELAY;
    if (is_type(job, RC_STR("text/event-stream")))
        return is_watched ? RC_MODE_STREAM : RC_MODE_RELAY;
    if (endpoint->streams == RC_STREAMS_ALWAYS && is_watched && !job->request.is_sse)
        return RC_MODE_STREAM;
    return is_type(job, RC_STR("application/json")) || is_watched ? RC_MODE_WHOLE : RC_MODE_RELAY;
}

static void on_head(void *ctx, const rc_upstream_head *head)
{
    rc_gate_job *job = ctx;
    job->now.reader = *head->reader;
    rc_buf_push(&job->head, rc_str_make(head->bytes, head->reader->head_bytes));
    if (rc_buf_status(&job->head) != RC_OK) {
        rc_gate_job_stop_try(job);
        rc_gate_job_fail_here(job, RC_CODE_INTERNAL, RC_STR("There is no memory for the answer."));
        return;
    }
    job->now.mode = mode_of(job, head);
    if (job->now.mode == RC_MODE_STREAM) {
        rc_gate_job_stream_begin(job, !is_type(job, RC_STR("text/event-stream")));
        return;
    }
    /* It has begun; from here on the pauses between its pieces count. */
    job->now.content_by_ms = RC_UNLIMITED;
    rc_gate_job_arm(job);
}

static void on_body(void *ctx, rc_str piece)
{
    rc_gate_job *job = ctx;
    switch (job->now.mode) {
    case RC_MODE_ERROR: {
        const size_t used = rc_buf_get(&job->held).len;
        rc_buf_push(&job->held, rc_str_slice(piece, 0, RC_JOB_ERROR_MAX - used));
        return;
    }
    case RC_MODE_WHOLE:
        hold(job, piece);
        return;
    case RC_MODE_STREAM:
        rc_gate_job_stream_body(job, piece);
        return;
    case RC_MODE_RELAY:
        if (job->state == RC_JOB_ANSWERING || relay(job))
            rc_gate_job_write(job, piece);
        return;
    case RC_MODE_HEAD:
        return;
    }
}

static void on_end(void *ctx, bool is_kept)
{
    rc_gate_job *job = ctx;
    (void)is_kept;
    job->now.demo = NULL;
    switch (job->now.mode) {
    case RC_MODE_ERROR:
        fail_body(job);
        return;
    case RC_MODE_WHOLE:
        end_whole(job);
        return;
    case RC_MODE_STREAM:
        rc_gate_job_stream_end(job, NULL);
        return;
    case RC_MODE_RELAY:
        if (job->state == RC_JOB_ANSWERING || relay(job))
            rc_gate_job_deliver(job);
        return;
    case RC_MODE_HEAD:
        return;
    }
}

static void fail_transport(rc_gate_job *job, const rc_upstream_failure *failure)
{
    rc_failure known = {
        .transport = failure->transport,
        .phase = failure->phase,
        .body = rc_buf_get(&job->held),
    };
    rc_gate_job_fail(job, &known);
}

static void on_failure(void *ctx, const rc_upstream_failure *failure)
{
    rc_gate_job *job = ctx;
    job->now.demo = NULL;
    if (failure->is_local)
        rc_gate_job_fail_here(job, rc_gate_job_local_code(failure->kind), rc_str_c(failure->text));
    else if (job->now.mode == RC_MODE_STREAM)
        rc_gate_job_stream_end(job, failure);
    else if (failure->kind == RC_UPSTREAM_MALFORMED)
        rc_gate_job_fail_code(job, RC_CODE_MALFORMED_RESPONSE, rc_str_c(failure->text));
    else
        fail_transport(job, failure);
}

const rc_upstream_handler rc_gate_job_upstream = {
    .on_head = on_head,
    .on_body = on_body,
    .on_end = on_end,
    .on_failure = on_failure,
};
