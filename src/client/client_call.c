/* rc_client_call: one model call, from its start to the end of the response. Called by `recourse
 * call` (cli/call/run.c) and client.c. */
#include "client/client_call.h"

#include "base/secret.h"
#include "base/str.h"
#include "client/client_private.h"
#include "gateway/observe/exchange_summary.h"
#include "gateway/request/model.h"
#include "http/coding.h"

/* Maximum size of the request body: the largest prompt, with every byte escaped, and its images. */
#define BODY_MAX_BYTES ((size_t)256 << 20)
#define WIRE_MAX_BYTES ((size_t)64 << 10)
#define HEAD_MAX_BYTES ((size_t)128 << 10)
#define PAGE_MAX_BYTES ((size_t)1 << 20)
#define CONNECT_MS 10000u
/* Time that the gateway gets after the deadline to report that the deadline has passed. */
#define GATEWAY_GRACE_MS 2000u
/* Time in which the gateway in this process must record a call that has ended. */
#define RECORD_WAIT_MS 1000u

typedef enum call_state {
    CALL_IDLE = 0,
    CALL_LIVE = 1,   /* The request is being sent, or the response is arriving. */
    CALL_ENDING = 2, /* The response has ended; waits for the gateway's record and for on_end. */
    CALL_OVER = 3
} call_state;

/* ---- facts from headers and events ---- */

static void copy_name(char *scratch, rc_str text)
{
    const size_t len = text.len < RC_CLIENT_NAME_MAX ? text.len : RC_CLIENT_NAME_MAX - 1;
    if (len > 0)
        memcpy(scratch, text.ptr, len);
    scratch[len] = '\0';
}

static uint64_t number_of(rc_str digits)
{
    uint64_t number = 0;
    for (size_t i = 0; i < digits.len && digits.len < 10; i++) {
        if (!rc_ascii_is_digit(digits.ptr[i]))
            return 0;
        number = number * 10 + (uint64_t)(digits.ptr[i] - '0');
    }
    return number;
}

rc_str rc_client_call_field(const rc_client_call *call, rc_str name)
{
    return rc_http1_find(call->reader, rc_buf_get(&call->response_head).ptr, name);
}

static void read_fields(rc_client_call *call)
{
    rc_client_call_facts *facts = &call->facts;
    rc_buf target;
    rc_buf_init_fixed(&target, facts->target, sizeof facts->target - 1);
    if (!rc_percent_decode(rc_client_call_field(call, RC_STR("x-recourse-target")), &target) ||
        rc_buf_status(&target) != RC_OK)
        rc_buf_reset(&target);
    facts->target[rc_buf_get(&target).len] = '\0';
    facts->attempts =
        (uint32_t)number_of(rc_client_call_field(call, RC_STR("x-recourse-attempts")));
    copy_name(facts->request_id, rc_client_call_field(call, RC_STR("x-recourse-request-id")));
    copy_name(facts->report_id, rc_client_call_field(call, RC_STR("x-recourse-report-id")));
    call->is_foreign = facts->request_id[0] == '\0';
}

/* Stores the end of the wait before a retry. The event of a switch to another target or key arrives
 * during such a wait and does not end it. */
static void track_wait(rc_client_call *call, const rc_event_view *event)
{
    const bool is_retry = event->type == RC_EVENT_TYPE_AUTO_RETRY_START;
    if (event->type == RC_EVENT_TYPE_RETRY_FALLBACK_APPLIED ||
        event->type == RC_EVENT_TYPE_CREDENTIAL_SWITCHED)
        return;
    call->retry_at_ms = is_retry && event->delay_ms > 0
                            ? uv_now(call->client->settings.uv_loop) + event->delay_ms
                            : 0;
}

static void count_event(rc_client_call *call, const rc_event_view *event)
{
    rc_client_call_facts *facts = &call->facts;
    track_wait(call, event);
    switch ((int)event->type) {
    case RC_EVENT_TYPE_AUTO_RETRY_START:
        facts->wait_ms += event->delay_ms;
        facts->attempts = (uint32_t)event->attempt;
        break;
    case RC_EVENT_TYPE_RETRY_FALLBACK_APPLIED:
        facts->switches++;
        copy_name(facts->target, event->to);
        break;
    case RC_EVENT_TYPE_CREDENTIAL_SWITCHED:
        facts->switches++;
        break;
    case RC_EVENT_TYPE_COST_UPDATED:
        facts->attempts = (uint32_t)event->attempt;
        facts->cost_micro_usd = event->total_micro_usd;
        copy_name(facts->target, event->model);
        break;
    default:
        break;
    }
}

/* Corrects the totals if a wait was cancelled. A gateway announces a wait together with the next
 * attempt when the wait begins, so the totals include the remaining wait and the attempt, which did
 * not happen. */
static void subtract_unfinished_wait(rc_client_call *call)
{
    rc_client_call_facts *facts = &call->facts;
    if (call->retry_at_ms <= call->ended_ms)
        return;
    const uint64_t left_ms = call->retry_at_ms - call->ended_ms;
    facts->wait_ms = facts->wait_ms > left_ms ? facts->wait_ms - left_ms : 0;
    if (facts->attempts > 1)
        facts->attempts--;
}

/* Copies the totals from the record of the gateway in this process, which covers all attempts.
 * Without such a record, the totals from the response and its events are used. */
static void complete_totals(rc_client_call *call)
{
    rc_client_call_facts *facts = &call->facts;
    const rc_client_call_record *record = &call->record;
    if (!record->is_there) {
        subtract_unfinished_wait(call);
        return;
    }
    facts->attempts = record->attempts;
    facts->switches = record->switches;
    facts->wait_ms = record->wait_ms;
    if (record->tokens_in >= 0)
        facts->usage.input = record->tokens_in;
    if (record->tokens_out >= 0)
        facts->usage.output = record->tokens_out;
    if (record->cost_usd_micro > 0)
        facts->cost_micro_usd = (uint64_t)record->cost_usd_micro;
    if (record->target[0] != '\0')
        copy_name(facts->target, rc_str_c(record->target));
}

/* Copies the target of a failed call from its report if neither the events nor the record named the
 * target. */
static void complete_target(rc_client_call_facts *facts)
{
    rc_buf target;
    if (facts->report == NULL || facts->target[0] != '\0' ||
        rc_report_provider(facts->report).len == 0)
        return;
    rc_buf_init_fixed(&target, facts->target, sizeof facts->target - 1);
    rc_buf_push(&target, rc_report_provider(facts->report));
    rc_buf_push_byte(&target, '/');
    rc_buf_push(&target, rc_report_model(facts->report));
    facts->target[rc_buf_get(&target).len] = '\0';
}

/* ---- the end ---- */

static void wipe_request(rc_client_call *call)
{
    rc_secret_wipe_buf(&call->request_head);
    rc_buf_done(&call->request_head);
    rc_buf_done(&call->request_body);
}

static uint64_t now_of(const rc_client_call *call)
{
    return uv_now(call->client->settings.uv_loop);
}

static void unlink_call(rc_client_call *call)
{
    if (call->next != NULL)
        call->next->prev = call->prev;
    if (call->prev != NULL)
        call->prev->next = call->next;
    else
        call->client->calls = call->next;
    call->next = call->prev = NULL;
}

static void complete(rc_client_call *call)
{
    call->state = CALL_OVER;
    complete_totals(call);
    call->facts.report = rc_client_call_judge(call);
    complete_target(&call->facts);
}

/* Ends the call and calls on_end, which may release the storage of the call. */
static void end(rc_client_call *call)
{
    rc_client *client = call->client;
    unlink_call(call);
    complete(call);
    call->handler->on_end(call->ctx);
    rc_client_arm(client);
}

/* Makes the timer end the call: immediately, or after RECORD_WAIT_MS if the record of the gateway
 * in this process has not arrived. */
static void end_later(rc_client_call *call, bool has_exchange)
{
    const uint64_t now_ms = now_of(call);
    const bool waits = call->client->gateway != NULL && has_exchange && !call->record.is_there;
    call->state = CALL_ENDING;
    call->ended_ms = now_ms;
    call->due_at_ms = waits ? now_ms + RECORD_WAIT_MS : now_ms;
    wipe_request(call);
    rc_client_arm(call->client);
}

/* Handles the end of a response, complete or failed. If the response has no request id, the gateway
 * makes no record, so the call does not wait for one. evidence: takes the report; NULL: no
 * failure. */
static void end_response(rc_client_call *call, const rc_report *evidence)
{
    call->evidence = evidence;
    end_later(call, call->facts.request_id[0] != '\0');
}

/* Stops reading a response that cannot be used. */
static void refuse_response(rc_client_call *call, rc_code code, const char *message)
{
    rc_upstream_cancel(&call->upstream_call);
    end_response(call, rc_client_call_report(call, code, message));
}

static void give_up(rc_client_call *call)
{
    rc_upstream_cancel(&call->upstream_call);
    end_later(call, true);
}

/* ---- due times ---- */

void rc_client_call_on_due(rc_client_call *call, uint64_t now_ms)
{
    if (call->state == CALL_ENDING) {
        end(call);
        return;
    }
    /* The grace time applies only if the request was sent; otherwise the gateway cannot report the
     * deadline. */
    if (!call->has_grace && rc_upstream_is_sent(&call->upstream_call)) {
        call->has_grace = true;
        call->due_at_ms += GATEWAY_GRACE_MS;
    }
    if (call->due_at_ms > now_ms)
        return;
    call->is_late = true;
    give_up(call);
}

void rc_client_call_on_record(rc_client_call *call, const rc_exchange_summary *record)
{
    rc_buf target;
    rc_report_free(call->record.report);
    call->record = (rc_client_call_record){
        .is_there = true,
        .attempts = record->attempts,
        .switches = record->switches,
        .wait_ms = record->wait_ms,
        .tokens_in = record->tokens_in,
        .tokens_out = record->tokens_out,
        .cost_usd_micro = record->cost_usd_micro,
        .report = record->report != NULL ? rc_report_dup(record->report) : NULL,
    };
    rc_buf_init_fixed(&target, call->record.target, sizeof call->record.target - 1);
    rc_buf_push(&target, record->provider);
    rc_buf_push(&target, record->provider.len > 0 ? RC_STR("/") : RC_STR(""));
    rc_buf_push(&target, record->target);
    call->record.target[rc_buf_get(&target).len] = '\0';
    if (call->state != CALL_ENDING)
        return;
    call->due_at_ms = now_of(call);
    rc_client_arm(call->client);
}

/* ---- callbacks of rc_response_reader ---- */

static void on_text(void *ctx, rc_str text)
{
    rc_client_call *call = ctx;
    if (call->state != CALL_LIVE)
        return;
    if (call->facts.first_text_ms < 0)
        call->facts.first_text_ms = (int64_t)(now_of(call) - call->started_ms);
    call->facts.text_bytes += text.len;
    call->handler->on_text(call->ctx, text);
}

/* Handles a quota event of a remote gateway. The gateway in this process calls on_quota of client.c
 * instead, even for responses without events, so its quota events are ignored. */
static void on_quota_event(rc_client_call *call, const rc_event_view *event)
{
    const rc_quota quota = rc_quota_from_event_view(event);
    if (call->client->gateway == NULL)
        call->handler->on_quota(call->ctx, &quota, event->model);
}

/* Reads events from SSE comments. The gateway also passes on a provider's SSE comments. A provider
 * cannot fake events, because it does not know the gateway's request id, which an event must
 * contain. */
static void on_comment(void *ctx, rc_str comment)
{
    rc_client_call *call = ctx;
    const rc_str prefix = RC_STR("recourse ");
    rc_buf scratch;
    rc_event_view event;
    rc_buf_init_fixed(&scratch, call->event_scratch, sizeof call->event_scratch);
    if (call->state != CALL_LIVE || !rc_str_starts_with(comment, prefix) ||
        !rc_event_view_read(rc_str_slice(comment, prefix.len, comment.len), &scratch, &event) ||
        !rc_str_eq(event.correlation_id, rc_str_c(call->facts.request_id)))
        return;
    if (event.type == RC_EVENT_TYPE_QUOTA_WARNING) {
        on_quota_event(call, &event);
        return;
    }
    count_event(call, &event);
    call->handler->on_event(call->ctx, &event);
}

static void on_reasoning(void *ctx, rc_str text)
{
    rc_client_call *call = ctx;
    if (call->state == CALL_LIVE && call->handler->on_reasoning != NULL)
        call->handler->on_reasoning(call->ctx, text);
}

static void on_tool_call(void *ctx, const rc_tool_call *tool_call)
{
    rc_client_call *call = ctx;
    if (call->state == CALL_LIVE)
        call->handler->on_tool_call(call->ctx, tool_call);
}

/* Returns the callbacks for the response reader. Without on_tool_call, tool calls are not
 * collected. */
static const rc_response_handler *reply_handler_of(const rc_client_call *call)
{
    static const rc_response_handler all = {
        .on_text = on_text,
        .on_comment = on_comment,
        .on_reasoning = on_reasoning,
        .on_tool_call = on_tool_call,
    };
    static const rc_response_handler without_calls = {
        .on_text = on_text,
        .on_comment = on_comment,
        .on_reasoning = on_reasoning,
    };
    return call->handler->on_tool_call != NULL ? &all : &without_calls;
}

/* ---- callbacks of rc_upstream ---- */

static rc_stream_dialect stream_of(rc_dialect dialect)
{
    if (dialect == RC_DIALECT_ANTHROPIC)
        return RC_STREAM_ANTHROPIC;
    return dialect == RC_DIALECT_GEMINI ? RC_STREAM_GEMINI : RC_STREAM_OPENAI_CHAT;
}

static void on_head(void *ctx, const rc_upstream_head *head)
{
    rc_client_call *call = ctx;
    call->has_head = true;
    call->reader = head->reader;
    call->facts.status = head->status;
    call->is_success = head->status / 100 == 2;
    rc_buf_push(&call->response_head, rc_str_make(head->bytes, head->reader->head_bytes));
    if (rc_buf_status(&call->response_head) != RC_OK) {
        refuse_response(call, RC_CODE_INTERNAL, "There is no memory for the response.");
        return;
    }
    read_fields(call);
    /* A Recourse gateway never compresses a response to this client. If another server compresses
     * an error, the error is classified only by its status. */
    call->is_compressed = head->reader->framing != RC_HTTP1_NO_BODY &&
                          rc_coding_of(head->reader, head->bytes) != RC_CODING_NONE;
    if (call->is_compressed && call->is_success) {
        refuse_response(call, RC_CODE_MALFORMED_RESPONSE,
                        "The response is compressed, which was not requested.");
        return;
    }
    call->is_stream = rc_str_starts_with_nocase(rc_client_call_field(call, RC_STR("content-type")),
                                                RC_STR("text/event-stream"));
    rc_response_reader_done(&call->reply);
    rc_response_reader_init(&call->reply, stream_of(call->dialect), call->is_stream,
                            reply_handler_of(call), call, &call->alloc);
}

static void on_body(void *ctx, rc_str piece)
{
    rc_client_call *call = ctx;
    if (call->is_success)
        rc_response_reader_push(&call->reply, piece);
    else if (!call->is_compressed)
        (void)rc_buf_push(
            &call->error_body,
            rc_str_slice(piece, 0, PAGE_MAX_BYTES - rc_buf_get(&call->error_body).len));
    call->facts.has_reasoning = call->reply.has_reasoning;
}

/* Ends the response, unless a callback cancelled the call while the last part of the response was
 * read. */
static void end_unless_cancelled(rc_client_call *call, const rc_report *evidence)
{
    if (call->state == CALL_LIVE)
        end_response(call, evidence);
    else
        rc_report_free(evidence);
}

static void on_end(void *ctx, bool is_kept)
{
    rc_client_call *call = ctx;
    (void)is_kept;
    end_unless_cancelled(call, rc_client_call_classify_response(call));
}

static void on_failure(void *ctx, const rc_upstream_failure *failure)
{
    rc_client_call *call = ctx;
    end_unless_cancelled(call, rc_client_call_classify_failure(call, failure));
}

static const rc_upstream_handler upstream_handler = {
    .on_head = on_head,
    .on_body = on_body,
    .on_end = on_end,
    .on_failure = on_failure,
};

/* ---- start and end of a call ---- */

static void set_mark(rc_client_call *call, uint64_t number)
{
    rc_buf mark;
    rc_buf_init_fixed(&mark, call->mark, sizeof call->mark - 1);
    rc_buf_push_u64(&mark, number);
    call->mark[rc_buf_get(&mark).len] = '\0';
}

static void init_call(rc_client_call *call, rc_client *client,
                      const rc_client_call_request *request, const rc_client_call_handler *handler,
                      void *ctx)
{
    memset(call, 0, offsetof(rc_client_call, reply));
    memset(&call->upstream_call, 0, offsetof(rc_upstream_call, reader));
    call->facts.first_text_ms = -1;
    call->facts.usage = RC_USAGE_COUNT_NONE;
    call->client = client;
    call->handler = handler;
    call->ctx = ctx;
    call->alloc = client->settings.alloc;
    call->dialect = request->dialect;
    call->deadline_ms = request->deadline_ms;
    call->deadline_name = request->deadline_name;
    call->started_ms = now_of(call);
    call->due_at_ms =
        request->deadline_ms > 0 ? call->started_ms + request->deadline_ms : UINT64_MAX;
    call->is_initialized = true;
    copy_name(call->model, request->prompt.model);
    set_mark(call, ++client->call_count);
    rc_buf_init(&call->request_head, &call->alloc, WIRE_MAX_BYTES);
    rc_buf_init(&call->request_body, &call->alloc, BODY_MAX_BYTES);
    rc_buf_init(&call->response_head, &call->alloc, HEAD_MAX_BYTES);
    rc_buf_init(&call->error_body, &call->alloc, PAGE_MAX_BYTES);
    rc_response_reader_init(&call->reply, stream_of(call->dialect), false, reply_handler_of(call),
                            call, &call->alloc);
}

/* Writes and sends the request. Returns a report if the request cannot be sent, otherwise NULL. */
static const rc_report *send_request(rc_client_call *call, const rc_client_call_request *request)
{
    rc_client *client = call->client;
    if (client->is_closing) /* The configuration may already have been freed. */
        return rc_client_call_report(call, RC_CODE_INTERNAL,
                                     rc_upstream_kind_text(RC_UPSTREAM_SHUTDOWN));
    if (!rc_client_call_write_request(call, request))
        return rc_buf_status(&call->request_body) == RC_E_TOO_LARGE
                   ? rc_client_call_report(call, RC_CODE_REQUEST_TOO_LARGE, "")
                   : rc_client_call_report(call, RC_CODE_INTERNAL,
                                           "Out of memory for the request.");
    const rc_upstream_request sent = {
        .head = rc_buf_get(&call->request_head),
        .body = rc_buf_get(&call->request_body),
        .connect_ms = CONNECT_MS,
    };
    const rc_upstream_kind kind = rc_upstream_start(
        &call->upstream_call, client->upstream, &client->origin, &sent, &upstream_handler, call);
    return kind == RC_UPSTREAM_NONE
               ? NULL
               : rc_client_call_report(call, RC_CODE_INTERNAL, rc_upstream_kind_text(kind));
}

bool rc_client_call_start(rc_client_call *call, rc_client *client,
                          const rc_client_call_request *request,
                          const rc_client_call_handler *handler, void *ctx)
{
    init_call(call, client, request, handler, ctx);
    call->evidence = send_request(call, request);
    if (call->evidence != NULL) {
        wipe_request(call);
        complete(call);
        return false;
    }
    call->state = CALL_LIVE;
    call->next = client->calls;
    if (call->next != NULL)
        call->next->prev = call;
    client->calls = call;
    rc_client_arm(client);
    return true;
}

void rc_client_call_cancel(rc_client_call *call)
{
    if (call->state != CALL_LIVE)
        return;
    call->is_cancelled = true;
    give_up(call);
}

void rc_client_call_done(rc_client_call *call)
{
    if (!call->is_initialized)
        return;
    rc_upstream_cancel(&call->upstream_call);
    if (rc_client_call_is_open(call))
        unlink_call(call);
    wipe_request(call);
    rc_buf_done(&call->response_head);
    rc_buf_done(&call->error_body);
    rc_response_reader_done(&call->reply);
    rc_report_free(call->facts.report);
    rc_report_free(call->record.report);
    rc_report_free(call->evidence);
    call->facts.report = call->record.report = call->evidence = NULL;
    call->state = CALL_IDLE;
    call->is_initialized = false;
}

bool rc_client_call_is_live(const rc_client_call *call)
{
    return call->state == CALL_LIVE;
}

bool rc_client_call_is_open(const rc_client_call *call)
{
    return call->state == CALL_LIVE || call->state == CALL_ENDING;
}

void rc_client_call_pause(rc_client_call *call)
{
    rc_upstream_pause(&call->upstream_call);
}

void rc_client_call_resume(rc_client_call *call)
{
    rc_upstream_resume(&call->upstream_call);
}
