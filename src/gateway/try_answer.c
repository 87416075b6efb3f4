/* What a provider answers, until it is clear what to make of it. */
#include "base/str.h"
#include "base/utf8.h"
#include "gateway/job.h"

static bool is_events(rc_str type)
{
    return rc_str_starts_with_nocase(type, RC_STR("text/event-stream"));
}

/* ---- passing on ---- */

/* The lane that has something for the client wins; the other one is let go. */
static void win(rc_gate_try *try)
{
    rc_gate_job *job = try->job;
    if (job->beside == NULL)
        return;
    rc_gate_try *other = try == job->now ? job->beside : job->now;
    (void)rc_hedge_on_answer(&job->hedge, &job->call, try->lane, rc_gate_now(job->gate),
                             rc_gate_chance_u64(job->gate));
    rc_gate_try_stop(other);
    rc_gate_job_step_try(other, NULL, false);
    rc_gate_try_free(other);
    job->beside = NULL;
    job->now = try;
}

/* room: of RC_GATE_TARGET_MAX bytes, for a model that the client named. */
static rc_str target_text(const rc_gate_try *try, char *room)
{
    rc_buf text;
    const rc_str told = try->job->route->places[try->entry].told;
    if (told.len > 0)
        return told;
    rc_buf_init_fixed(&text, room, RC_GATE_TARGET_MAX);
    rc_gate_push_target(&text, try->provider->config->name, try->model);
    return rc_buf_get(&text);
}

/* The head as the client gets it, written while the provider's is there. is_whole: so is the body,
 * and with it what it cost. */
static bool write_lines(rc_gate_try *try, bool is_whole)
{
    rc_gate_job *job = try->job;
    char room[RC_GATE_TARGET_MAX];
    rc_gate_told told = {
        .attempts = job->action.attempt,
        .target = target_text(try, room),
        .request_id = rc_str_c(job->id.text),
        .report_id = try->flaw != NULL ? rc_report_id(try->flaw) : rc_str_make(NULL, 0),
    };
    if (is_whole)
        rc_gate_job_tell_cost(job, try, &told);
    rc_gate_job_tell_times(job, try, &told);
    rc_buf_reset(&job->lines);
    job->status = rc_http1_status(try->reader);
    return rc_gate_push_answer(&job->lines, try->reader, rc_buf_get(&try->head).ptr, try->is_coded,
                               &told) == RC_OK;
}

/* A head that left early, for the sake of what was to be told, promised a stream of events. */
static bool begin_answer(rc_gate_try *try, rc_http1_framing framing, uint64_t length)
{
    rc_gate_job *job = try->job;
    if (rc_gate_job_is_told(job))
        return try->mode == RC_MODE_STREAM && !try->is_array;
    return write_lines(try, false) &&
           rc_exchange_begin_raw(job->exchange, job->status, rc_buf_get(&job->lines), framing,
                                 length) == RC_OK;
}

bool rc_gate_try_commit(rc_gate_try *try, rc_http1_framing framing, uint64_t length)
{
    rc_gate_job *job = try->job;
    const uint64_t now_ms = rc_gate_now(job->gate);
    win(try);
    rc_call_on_commit(&job->call, now_ms);
    rc_gate_job_end_patience(job);
    job->state = RC_JOB_ANSWERING;
    job->first_byte_ms = (int64_t)(now_ms - job->began_ms);
    if (begin_answer(try, framing, length)) {
        rc_gate_drop_buf(&job->lines);
        rc_gate_job_arm(job);
        return true;
    }
    rc_gate_try_stop(try);
    if (rc_gate_job_is_told(job))
        rc_gate_try_fail_here(try, RC_CODE_MALFORMED_RESPONSE,
                              RC_STR("The answer is not the stream that was asked for."));
    else
        rc_gate_try_fail_here(try, RC_CODE_INTERNAL, RC_STR("There is no memory for the answer."));
    return false;
}

void rc_gate_try_write(rc_gate_try *try, rc_str bytes)
{
    if (bytes.len > 0 && !rc_exchange_write(try->job->exchange, bytes))
        rc_gate_try_pause(try);
}

void rc_gate_try_deliver(rc_gate_try *try, rc_job_then then)
{
    rc_gate_job *job = try->job;
    rc_gate *gate = job->gate;
    win(try);
    if (try->mode == RC_MODE_STREAM)
        rc_gate_try_judge_stream(try);
    rc_gate_job_step_try(try, try->flaw, true);
    job->action = rc_call_on_success(&job->call, rc_gate_now(gate));
    job->action.attempt -= job->unasked;
    rc_gate_job_tell_action(job, &job->action);
    rc_gate_world_delivered(gate->world, job->route, job->action.entry);
    if (try->flaw != NULL)
        rc_gate_job_step_flaw(job, try->flaw);
    rc_gate_job_keep(job, then);
}

/* An answer to HEAD has no body, and says how long it would be. The reader has checked the digits.
 */
static uint64_t length_of_none(const rc_gate_try *try)
{
    const rc_str said =
        rc_http1_find(try->reader, rc_buf_get(&try->head).ptr, RC_STR("content-length"));
    uint64_t length = 0;
    for (size_t i = 0; i < said.len && said.len < 19; i++)
        length = length * 10 + (uint64_t)(said.ptr[i] - '0');
    return length;
}

/* Did the provider say the length of what is passed on? */
static bool is_length_known(const rc_gate_try *try)
{
    return try->reader->framing == RC_HTTP1_LENGTH && !try->is_coded;
}

/* What is passed on unread is read for its usage as it passes. */
static void begin_scan(rc_gate_try *try)
{
    try->is_scanned = !rc_gate_request_is_free(&try->job->request);
    if (!try->is_scanned)
        return;
    rc_usage_scan_init(&try->reading.scan, &try->room);
    rc_usage_scan_push(&try->reading.scan, &try->usage, rc_buf_get(&try->held));
}

/* The last byte of a body whose length was said ends the response: it waits for the record. piece:
 * the latest of what has come. */
static bool has_last_byte(const rc_gate_try *try, rc_str piece)
{
    return piece.len > 0 && is_length_known(try) && try->bytes == try->reader->length;
}

/* Begins with the length that the provider said, if it said one. is_whole: all that has come is
 * held. False: the job is over. */
static bool relay(rc_gate_try *try, bool is_whole)
{
    const rc_http1 *reader = try->reader;
    const bool has_length = is_length_known(try);
    const rc_http1_framing framing =
        reader->framing == RC_HTTP1_NO_BODY || has_length ? RC_HTTP1_LENGTH : RC_HTTP1_CHUNKED;
    uint64_t length = has_length ? reader->length : 0;
    if (reader->is_bodiless)
        length = length_of_none(try);
    try->mode = RC_MODE_RELAY;
    if (!rc_gate_try_commit(try, framing, length))
        return false;
    begin_scan(try);
    const rc_str held = rc_buf_get(&try->held);
    const char last = held.len > 0 ? held.ptr[held.len - 1] : '\0';
    const bool is_last = is_whole && has_last_byte(try, held);
    rc_gate_try_write(try, rc_str_slice(held, 0, held.len - is_last));
    rc_buf_reset(&try->held);
    if (is_last)
        rc_buf_push_byte(&try->held, last);
    rc_gate_try_slim(try);
    return true;
}

static void relay_piece(rc_gate_try *try, rc_str piece)
{
    if (try->is_scanned)
        rc_usage_scan_push(&try->reading.scan, &try->usage, piece);
    if (has_last_byte(try, piece)) {
        rc_gate_try_write(try, rc_str_slice(piece, 0, piece.len - 1));
        rc_buf_push_byte(&try->held, piece.ptr[piece.len - 1]);
    } else {
        rc_gate_try_write(try, piece);
    }
}

/* ---- errors in good answers ---- */

static void fail_body(rc_gate_try *try)
{
    rc_failure failure = {.body = rc_buf_get(&try->held), .phase = RC_PHASE_HEADERS};
    rc_gate_try_fail(try, &failure);
}

static void end_whole(rc_gate_try *try)
{
    rc_gate_job *job = try->job;
    const rc_str body = rc_utf8_without_mark(rc_buf_get(&try->held));
    const bool is_good = body.len == 0 ? try->reader->is_bodiless : rc_gate_try_is_good(try, body);
    if (rc_gate_try_fail_shape(try, body, is_good))
        return;
    if (!is_good) {
        fail_body(try);
        return;
    }
    win(try);
    if (!write_lines(try, true)) {
        rc_gate_try_fail_here(try, RC_CODE_INTERNAL, RC_STR("There is no memory for the answer."));
        return;
    }
    job->first_byte_ms = (int64_t)(rc_gate_now(job->gate) - job->began_ms);
    rc_gate_try_deliver(try, RC_THEN_WHOLE);
}

/* Too large to be held: what there is of it decides. */
static void hold(rc_gate_try *try, rc_str piece)
{
    if (rc_buf_get(&try->held).len == 0 && is_length_known(try) &&
        try->reader->length <= RC_JOB_HELD_MAX)
        (void)rc_buf_reserve(&try->held, (size_t)try->reader->length);
    rc_buf_push(&try->held, piece);
    const rc_str held = rc_buf_get(&try->held);
    if (rc_buf_status(&try->held) == RC_OK && held.len <= RC_JOB_HELD_MAX)
        return;
    const rc_str start = rc_utf8_without_mark(held);
    const bool is_error = rc_gate_try_begins_badly(try, start);
    if (is_error || rc_gate_try_begins_misshapen(try, start)) {
        rc_gate_try_stop(try);
        if (!rc_gate_try_fail_shape(try, start, !is_error))
            fail_body(try);
        return;
    }
    /* A piece that did not fit is not in it. */
    const bool is_kept = rc_buf_status(&try->held) == RC_OK;
    if (relay(try, is_kept) && !is_kept)
        relay_piece(try, piece);
}

/* ---- what rc_upstream tells ---- */

static rc_try_mode mode_of(const rc_gate_try *try, const rc_upstream_head *head, rc_str type)
{
    const rc_gate_endpoint *endpoint = try->job->request.endpoint;
    const bool is_watched = (unsigned)endpoint->stream != RC_STREAM_UNWATCHED;
    /* Whoever asks "if it has changed" behind /p/ is told that it has not. */
    if (endpoint->wire == RC_WIRE_NATIVE && head->status == 304)
        return RC_MODE_RELAY;
    if (head->status < 200 || head->status > 299)
        return RC_MODE_ERROR;
    if (endpoint->wire == RC_WIRE_NATIVE)
        return RC_MODE_RELAY;
    if (try->asked != RC_ASKED_ANY)
        return try->asked == RC_ASKED_OBJECT ? RC_MODE_WHOLE : RC_MODE_STREAM;
    if (is_events(type))
        return is_watched ? RC_MODE_STREAM : RC_MODE_RELAY;
    return is_watched || rc_str_starts_with_nocase(type, RC_STR("application/json"))
               ? RC_MODE_WHOLE
               : RC_MODE_RELAY;
}

/* Behind /p/, too, a response that may say what it used is read. */
static bool is_counted(const rc_gate_try *try, rc_str type)
{
    return !rc_gate_request_is_free(&try->job->request) &&
           (is_events(type) || rc_str_starts_with_nocase(type, RC_STR("application/json")));
}

/* What nobody here has to read is passed on as it is, whatever it is compressed with. */
static rc_coding coding_of(const rc_gate_try *try, const rc_upstream_head *head, rc_str type)
{
    if (head->reader->framing == RC_HTTP1_NO_BODY)
        return RC_CODING_NONE;
    const rc_coding coding = rc_coding_of(head->reader, head->bytes);
    if (try->mode == RC_MODE_RELAY && (coding == RC_CODING_OTHER || !is_counted(try, type)))
        return RC_CODING_NONE;
    return coding;
}

static void on_head(void *ctx, const rc_upstream_head *head)
{
    rc_gate_try *try = ctx;
    rc_gate_job *job = try->job;
    try->reader = head->reader;
    try->first_byte_ms = (int64_t)(rc_gate_now(job->gate) - try->started_ms);
    try->first_byte_us = (uv_hrtime() - try->started_ns) / 1000;
    rc_buf_push(&try->head, rc_str_make(head->bytes, head->reader->head_bytes));
    if (rc_buf_status(&try->head) != RC_OK) {
        rc_gate_try_stop(try);
        rc_gate_try_fail_here(try, RC_CODE_INTERNAL, RC_STR("There is no memory for the answer."));
        return;
    }
    rc_gate_try_read_quota(try, head);
    const rc_str type = rc_http1_find(head->reader, head->bytes, RC_STR("content-type"));
    try->is_called_events = is_events(type);
    try->asked = rc_gate_try_asked(try, try->is_called_events);
    try->mode = mode_of(try, head, type);
    if (try->mode == RC_MODE_STREAM)
        rc_gate_try_stream_begin(try, try->asked == RC_ASKED_ARRAY);
    const rc_coding coding = coding_of(try, head, type);
    if (coding != RC_CODING_NONE)
        rc_gate_try_coded_begin(try, coding);
}

void rc_gate_try_take(rc_gate_try *try, rc_str piece)
{
    try->bytes += piece.len;
    switch (try->mode) {
    case RC_MODE_ERROR: {
        const size_t used = rc_buf_get(&try->held).len;
        rc_buf_push(&try->held, rc_str_slice(piece, 0, RC_JOB_ERROR_MAX - used));
        return;
    }
    case RC_MODE_WHOLE:
        hold(try, piece);
        return;
    case RC_MODE_STREAM:
        if (rc_gate_try_is_in_shape(try, &piece))
            rc_gate_try_stream_body(try, piece);
        else
            hold(try, piece);
        return;
    case RC_MODE_RELAY:
        if (try->job->state == RC_JOB_ANSWERING || relay(try, false))
            relay_piece(try, piece);
        return;
    case RC_MODE_HEAD:
        return;
    }
}

static void on_body(void *ctx, rc_str piece)
{
    rc_gate_try *try = ctx;
    if (try->coded != NULL)
        rc_gate_try_coded_body(try, piece);
    else
        rc_gate_try_take(try, piece);
}

/* Every endpoint but a passthrough answers something: a 204, or an empty body, is no answer. */
static bool is_missing(const rc_gate_try *try)
{
    return try->bytes == 0 && try->job->request.endpoint->wire != RC_WIRE_NATIVE &&
           !try->reader->is_bodiless;
}

void rc_gate_try_end(rc_gate_try *try)
{
    switch (try->mode) {
    case RC_MODE_ERROR:
        fail_body(try);
        return;
    case RC_MODE_WHOLE:
        end_whole(try);
        return;
    case RC_MODE_STREAM:
        rc_gate_try_stream_end(try, NULL);
        return;
    case RC_MODE_RELAY:
        if (is_missing(try))
            fail_body(try);
        else if (try->job->state == RC_JOB_ANSWERING || relay(try, true))
            rc_gate_try_deliver(try, RC_THEN_REST);
        return;
    case RC_MODE_HEAD:
        return;
    }
}

static void on_end(void *ctx, bool is_kept)
{
    rc_gate_try *try = ctx;
    (void)is_kept;
    try->demo = NULL;
    if (try->coded == NULL || rc_gate_try_coded_end(try))
        rc_gate_try_end(try);
}

static void fail_transport(rc_gate_try *try, const rc_upstream_failure *failure)
{
    rc_failure known = {
        .transport = failure->transport,
        .phase = failure->phase,
        .body = rc_buf_get(&try->held),
        .connection = failure->connection,
        .connection_detail = failure->detail,
        .certificate_unix_ms = failure->certificate_unix_ms,
        .limit_ms = failure->limit_ms,
    };
    rc_gate_try_fail(try, &known);
}

/* "backup did not answer in proper HTTP: the protocol was switched." */
static rc_str no_http(const rc_gate_try *try, const char *text, char *room, size_t size)
{
    rc_buf sentence;
    rc_buf_init_fixed(&sentence, room, size);
    rc_buf_push(&sentence, rc_str_slice(try->provider->config->name, 0, size / 2));
    rc_buf_push(&sentence, RC_STR(" did not answer in proper HTTP: "));
    rc_buf_push(&sentence, rc_str_c(text));
    rc_buf_push_byte(&sentence, '.');
    return rc_buf_get(&sentence);
}

void rc_gate_try_lose(rc_gate_try *try, const rc_upstream_failure *failure)
{
    char room[256];
    if (failure->is_local)
        rc_gate_try_fail_here(try, rc_gate_local_code(failure->kind),
                              rc_gate_sentence(failure->text, room, sizeof room));
    else if (try->mode == RC_MODE_STREAM)
        rc_gate_try_stream_end(try, failure);
    else if (failure->kind == RC_UPSTREAM_MALFORMED)
        rc_gate_try_fail_code(try, RC_CODE_MALFORMED_RESPONSE,
                              no_http(try, failure->text, room, sizeof room));
    else
        fail_transport(try, failure);
}

static void on_failure(void *ctx, const rc_upstream_failure *failure)
{
    rc_gate_try *try = ctx;
    try->demo = NULL;
    if (try->coded == NULL || rc_gate_try_coded_fail(try, failure))
        rc_gate_try_lose(try, failure);
}

/* The provider takes more of a body that is passed on as it comes. */
static void on_drained(void *ctx)
{
    const rc_gate_try *try = ctx;
    if (try->job->exchange != NULL)
        rc_exchange_resume_body(try->job->exchange);
}

const rc_upstream_handler rc_gate_try_upstream = {
    .on_head = on_head,
    .on_body = on_body,
    .on_end = on_end,
    .on_failure = on_failure,
    .on_drained = on_drained,
};
