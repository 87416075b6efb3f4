/* rc_gateway_call: the client side of one request to a gateway. Called by `recourse call`
 * (cli/call/gateway.c). */
#include "client/gateway_call.h"

#include <recourse/builder.h>
#include <recourse/json.h>
#include <recourse/version.h>

#include "base/str.h"
#include "dialect/finish.h"
#include "gateway/request/model.h"
#include "http/coding.h"
#include "policy/outcome.h"
#include "render/dialect.h"

/* A prompt of the largest size with every byte escaped, and images. */
#define BODY_MAX_BYTES ((size_t)256 << 20)
#define WIRE_MAX_BYTES ((size_t)64 << 10)
#define HEAD_MAX_BYTES ((size_t)128 << 10)
#define PAGE_MAX_BYTES ((size_t)1 << 20)
#define CONNECT_MS 10000u

/* ---- the request ---- */

static void push_path(rc_buf *buf, const rc_prompt *prompt, rc_dialect dialect)
{
    if (dialect == RC_DIALECT_ANTHROPIC) {
        rc_buf_push(buf, RC_STR("/v1/messages"));
        return;
    }
    if (dialect != RC_DIALECT_GEMINI) {
        rc_buf_push(buf, RC_STR("/v1/chat/completions"));
        return;
    }
    rc_buf_push(buf, RC_STR("/v1beta/models/"));
    rc_percent_encode(prompt->model, buf);
    rc_buf_push(buf, prompt->is_stream ? RC_STR(":streamGenerateContent?alt=sse")
                                       : RC_STR(":generateContent"));
}

static void push_host(rc_buf *buf, const rc_origin *origin)
{
    rc_buf_push(buf, RC_STR("host: "));
    rc_buf_push(buf, rc_origin_authority(origin));
    rc_buf_push(buf, RC_STR("\r\n"));
}

static void push_own_fields(rc_buf *buf, const rc_gateway_call_settings *settings)
{
    if (settings->prompt->is_stream)
        rc_buf_push(buf, RC_STR("x-recourse-events: 1\r\n"));
    if (settings->deadline_ms > 0) {
        rc_buf_push(buf, RC_STR("x-recourse-deadline-ms: "));
        rc_buf_push_u64(buf, settings->deadline_ms);
        rc_buf_push(buf, RC_STR("\r\n"));
    }
    if (settings->policy.len > 0) {
        rc_buf_push(buf, RC_STR("x-recourse-policy: "));
        rc_buf_push(buf, settings->policy);
        rc_buf_push(buf, RC_STR("\r\n"));
    }
}

/* Reserves the whole head first: growing the buffer would leave a copy of the token in freed
 * memory. */
static bool write_request(rc_gateway_call *call, const rc_gateway_call_settings *settings)
{
    rc_buf *wire = &call->request_head;
    (void)rc_prompt_push_body(&call->request_body, settings->prompt, settings->dialect);
    (void)rc_buf_reserve(wire, 3 * settings->prompt->model.len + settings->policy.len +
                                   settings->token.len + sizeof settings->origin->prefix +
                                   sizeof settings->origin->authority + 1024);
    rc_buf_push(wire, RC_STR("POST "));
    rc_buf_push(wire, rc_origin_prefix(settings->origin));
    push_path(wire, settings->prompt, settings->dialect);
    rc_buf_push(wire, RC_STR(" HTTP/1.1\r\n"));
    push_host(wire, settings->origin);
    rc_buf_push(wire, RC_STR("user-agent: recourse/" RC_VERSION "\r\n"
                             "content-type: application/json\r\n"
                             "accept: application/json, text/event-stream\r\n"
                             "accept-encoding: identity\r\n"));
    if (settings->token.len > 0) {
        rc_buf_push(wire, RC_STR("authorization: Bearer "));
        (void)rc_secret_push(wire, settings->token);
        rc_buf_push(wire, RC_STR("\r\n"));
    }
    push_own_fields(wire, settings);
    rc_buf_push(wire, RC_STR("content-length: "));
    rc_buf_push_u64(wire, rc_buf_get(&call->request_body).len);
    rc_buf_push(wire, RC_STR("\r\n\r\n"));
    return rc_buf_status(wire) == RC_OK && rc_buf_status(&call->request_body) == RC_OK;
}

/* ---- facts from headers and events ---- */

static void copy_name(char *scratch, rc_str text)
{
    const size_t len =
        text.len < RC_GATEWAY_CALL_NAME_MAX ? text.len : RC_GATEWAY_CALL_NAME_MAX - 1;
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

static rc_str field_of(const rc_gateway_call *call, rc_str name)
{
    return rc_http1_find(call->reader, rc_buf_get(&call->response_head).ptr, name);
}

static void read_fields(rc_gateway_call *call)
{
    rc_gateway_call_facts *facts = &call->facts;
    rc_buf target;
    rc_buf_init_fixed(&target, facts->target, sizeof facts->target - 1);
    if (!rc_percent_decode(field_of(call, RC_STR("x-recourse-target")), &target) ||
        rc_buf_status(&target) != RC_OK)
        rc_buf_reset(&target);
    facts->target[rc_buf_get(&target).len] = '\0';
    facts->attempts = (uint32_t)number_of(field_of(call, RC_STR("x-recourse-attempts")));
    copy_name(facts->request_id, field_of(call, RC_STR("x-recourse-request-id")));
    copy_name(facts->report_id, field_of(call, RC_STR("x-recourse-report-id")));
    facts->is_foreign = facts->request_id[0] == '\0';
}

static void count_event(rc_gateway_call *call, const rc_event_view *event)
{
    rc_gateway_call_facts *facts = &call->facts;
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

/* ---- the end ---- */

static void wipe_request(rc_gateway_call *call)
{
    rc_secret_wipe_buf(&call->request_head);
    rc_buf_done(&call->request_head);
    rc_buf_done(&call->request_body);
}

static const rc_report *report_of(rc_gateway_call *call, rc_code code, const char *message)
{
    rc_builder builder;
    rc_builder_init(&builder, &call->alloc, code);
    rc_builder_set_family(&builder, RC_FAMILY_LLM);
    rc_builder_set_message(&builder, rc_str_c(message));
    return rc_builder_finish(&builder);
}

/* The client's view of a report omits the fields that follow from its code; rebuilds a report that
 * has them. report: takes; gives. */
static const rc_report *complete(rc_gateway_call *call, const rc_report *report)
{
    rc_builder builder;
    if (rc_report_domain(report) != RC_DOMAIN_NONE || rc_report_code(report) == RC_CODE_NONE)
        return report;
    rc_builder_init(&builder, &call->alloc, rc_report_code(report));
    rc_builder_set_id_text(&builder, rc_report_id(report));
    rc_builder_set_error_type(&builder, rc_report_error_type(report));
    rc_builder_set_message(&builder, rc_report_message(report));
    rc_builder_set_action(&builder, rc_report_action(report), rc_report_action_detail(report));
    rc_builder_set_http_status(&builder, rc_report_http_status(report));
    rc_builder_set_retryable(&builder, rc_report_is_retryable(report));
    rc_builder_set_cause(&builder, report);
    rc_report_free(report);
    return rc_builder_finish(&builder);
}

/* Returns the report that a gateway puts under "recourse" in the body; NULL: there is none. */
static const rc_report *read_report(rc_gateway_call *call, rc_str body)
{
    const rc_report *report = NULL;
    rc_decode_info info;
    rc_str text;
    if (!rc_dialect_find_report(body, &text) ||
        rc_report_decode(text, RC_DECODE_TOLERANT, &call->alloc, &report, &info) != RC_OK)
        return NULL;
    return complete(call, report);
}

/* Lists the response's headers for the classifier; returns their number. */
static size_t list_headers(const rc_gateway_call *call, rc_header headers[RC_HTTP1_FIELDS_MAX])
{
    const char *head = rc_buf_get(&call->response_head).ptr;
    if (!call->has_head || rc_buf_status(&call->response_head) != RC_OK)
        return 0;
    for (uint32_t i = 0; i < call->reader->field_count; i++)
        headers[i] = (rc_header){rc_http1_name(call->reader, head, i),
                                 rc_http1_value(call->reader, head, i)};
    return call->reader->field_count;
}

static const rc_report *classify(rc_gateway_call *call, rc_failure *failure)
{
    rc_header headers[RC_HTTP1_FIELDS_MAX];
    failure->header_count = list_headers(call, headers);
    failure->headers = headers;
    failure->family = RC_FAMILY_LLM;
    failure->now_unix_ms = call->now_unix_ms;
    failure->status = call->facts.status;
    return rc_classify(failure, NULL, &call->alloc);
}

static const rc_report *report_error(rc_gateway_call *call, rc_str body, rc_phase phase)
{
    rc_failure failure = {.body = body, .phase = phase};
    const rc_report *report = read_report(call, body);
    return report != NULL ? report : classify(call, &failure);
}

static rc_phase phase_of(const rc_gateway_call *call)
{
    return call->reply.text_bytes > 0 ? RC_PHASE_COMMITTED : RC_PHASE_HEADERS;
}

/* A complete response may still be unusable: too large, damaged, or ended with an error reason.
 * Returns NULL when it is usable. */
static const rc_report *report_finish(rc_gateway_call *call)
{
    if (call->reply.is_incomplete)
        return report_of(call, RC_CODE_MALFORMED_RESPONSE,
                         "A part of the answer is too large to be read.");
    if (call->reply.watch.lost > 0)
        return report_of(call, rc_local_outcome_get(RC_LOCAL_STREAM_DAMAGED)->code,
                         rc_local_outcome_get(RC_LOCAL_STREAM_DAMAGED)->message.ptr);
    const rc_code code = rc_finish_code(call->facts.finish);
    return code != RC_CODE_NONE ? report_of(call, code, "") : NULL;
}

/* True when a foreign server sent nothing of a model response: no text, no usage, no event
 * stream. */
static bool has_no_response(const rc_gateway_call *call)
{
    const rc_response_reader *reply = &call->reply;
    return call->facts.is_foreign && !call->is_stream && reply->text_bytes == 0 &&
           !reply->has_reasoning && rc_buf_get(&reply->error).len == 0 &&
           call->facts.finish == RC_STREAM_FINISH_NONE && call->facts.usage.input < 0 &&
           call->facts.usage.output < 0;
}

static const rc_report *judge(rc_gateway_call *call, rc_stream_body_end body)
{
    const rc_stream_end ending = rc_response_reader_end(&call->reply, body);
    call->facts.finish = call->reply.watch.finish;
    call->facts.usage = rc_usage_reported(&call->reply.watch.usage);
    switch (ending) {
    case RC_STREAM_END_COMPLETE:
        return report_finish(call);
    case RC_STREAM_END_ERRORED:
        return report_error(call, rc_buf_get(&call->reply.error), phase_of(call));
    case RC_STREAM_END_TRUNCATED:
    case RC_STREAM_END_EMPTY:
    case RC_STREAM_END_DAMAGED:
        break;
    }
    rc_failure failure = {.transport = RC_TRANSPORT_EOF, .phase = phase_of(call)};
    return classify(call, &failure);
}

/* Truncated JSON may be half of a model response; an HTML page never is. */
static rc_foreign foreign_kind_of(const rc_gateway_call *call, bool is_orderly)
{
    const rc_str type = field_of(call, RC_STR("content-type"));
    if (!call->facts.is_foreign)
        return RC_FOREIGN_NONE;
    if (!call->is_success)
        return rc_foreign_of_error(call->facts.status, type, rc_buf_get(&call->error_body));
    const rc_foreign foreign_kind = rc_foreign_of_response(type);
    return has_no_response(call) && (is_orderly || foreign_kind == RC_FOREIGN_PAGE)
               ? foreign_kind
               : RC_FOREIGN_NONE;
}

static void end(rc_gateway_call *call, const rc_report *report)
{
    call->facts.report = report;
    wipe_request(call);
    call->handler->on_end(call->ctx);
}

/* ---- callbacks of rc_response_reader ---- */

static void on_text(void *ctx, rc_str text)
{
    rc_gateway_call *call = ctx;
    if (call->facts.first_text_ms < 0)
        call->facts.first_text_ms = (int64_t)(uv_now(call->loop) - call->started_ms);
    call->handler->on_text(call->ctx, text);
}

/* Reads events from SSE comments. A provider's comments pass through the gateway too; they do not
 * carry the request's id, so a provider cannot fake the gateway's retry events. */
static void on_comment(void *ctx, rc_str comment)
{
    rc_gateway_call *call = ctx;
    const rc_str prefix = RC_STR("recourse ");
    rc_buf scratch;
    rc_event_view event;
    rc_buf_init_fixed(&scratch, call->event_scratch, sizeof call->event_scratch);
    if (!rc_str_starts_with(comment, prefix) ||
        !rc_event_view_read(rc_str_slice(comment, prefix.len, comment.len), &scratch, &event) ||
        !rc_str_eq(event.correlation_id, rc_str_c(call->facts.request_id)))
        return;
    count_event(call, &event);
    call->handler->on_event(call->ctx, &event);
}

static const rc_response_handler reply_handler = {.on_text = on_text, .on_comment = on_comment};

/* ---- callbacks of rc_upstream ---- */

static rc_stream_dialect stream_of(rc_dialect dialect)
{
    if (dialect == RC_DIALECT_ANTHROPIC)
        return RC_STREAM_ANTHROPIC;
    return dialect == RC_DIALECT_GEMINI ? RC_STREAM_GEMINI : RC_STREAM_OPENAI_CHAT;
}

static void on_head(void *ctx, const rc_upstream_head *head)
{
    rc_gateway_call *call = ctx;
    call->has_head = true;
    call->reader = head->reader;
    call->facts.status = head->status;
    call->is_success = head->status / 100 == 2;
    rc_buf_push(&call->response_head, rc_str_make(head->bytes, head->reader->head_bytes));
    if (rc_buf_status(&call->response_head) != RC_OK) {
        rc_upstream_cancel(&call->upstream_call);
        end(call, report_of(call, RC_CODE_INTERNAL, "There is no memory for the answer."));
        return;
    }
    read_fields(call);
    /* Our gateway does not compress for this client. A compressed error of another server is
     * classified by its status alone. */
    call->is_compressed = head->reader->framing != RC_HTTP1_NO_BODY &&
                          rc_coding_of(head->reader, head->bytes) != RC_CODING_NONE;
    if (call->is_compressed && call->is_success) {
        rc_upstream_cancel(&call->upstream_call);
        end(call, report_of(call, RC_CODE_MALFORMED_RESPONSE,
                            "The answer is compressed, which was not asked for."));
        return;
    }
    call->is_stream = rc_str_starts_with_nocase(field_of(call, RC_STR("content-type")),
                                                RC_STR("text/event-stream"));
    rc_response_reader_done(&call->reply);
    rc_response_reader_init(&call->reply, stream_of(call->dialect), call->is_stream, &reply_handler,
                            call, &call->alloc);
}

static void on_body(void *ctx, rc_str piece)
{
    rc_gateway_call *call = ctx;
    if (call->is_success)
        rc_response_reader_push(&call->reply, piece);
    else if (!call->is_compressed)
        (void)rc_buf_push(
            &call->error_body,
            rc_str_slice(piece, 0, PAGE_MAX_BYTES - rc_buf_get(&call->error_body).len));
}

static void on_end(void *ctx, bool is_kept)
{
    rc_gateway_call *call = ctx;
    (void)is_kept;
    const bool is_orderly = call->reader->framing != RC_HTTP1_UNTIL_CLOSE;
    const rc_report *report =
        call->is_success ? judge(call, is_orderly ? RC_STREAM_BODY_WHOLE : RC_STREAM_BODY_CLOSED)
                         : report_error(call, rc_buf_get(&call->error_body), RC_PHASE_HEADERS);
    call->facts.foreign_kind = foreign_kind_of(call, is_orderly);
    if (call->is_success && call->facts.foreign_kind != RC_FOREIGN_NONE) {
        rc_report_free(report);
        report = report_of(call, RC_CODE_ENDPOINT_NOT_FOUND, "");
    }
    end(call, report);
}

static void on_failure(void *ctx, const rc_upstream_failure *failure)
{
    rc_gateway_call *call = ctx;
    call->facts.is_unreachable = failure->phase == RC_PHASE_CONNECT;
    call->facts.failure = rc_upstream_kind_text(failure->kind);
    call->facts.failure_kind = failure->kind;
    if (failure->kind == RC_UPSTREAM_MALFORMED && !call->has_head)
        call->facts.foreign_kind = RC_FOREIGN_NO_HTTP;
    if (call->has_head && call->is_success) {
        /* An error event or the end of the response may have arrived before the connection
         * broke. */
        const rc_report *report = judge(call, RC_STREAM_BODY_CUT);
        if (report == NULL || rc_buf_get(&call->reply.error).len > 0) {
            end(call, report);
            return;
        }
        rc_report_free(report);
    }
    call->facts.is_cut = !call->facts.is_unreachable && (failure->transport == RC_TRANSPORT_EOF ||
                                                         failure->transport == RC_TRANSPORT_RESET);
    rc_failure known = {
        .transport = failure->transport,
        .phase = call->reply.text_bytes > 0 ? RC_PHASE_COMMITTED : failure->phase,
        .body = rc_buf_get(&call->error_body),
        .connection = failure->connection,
        .connection_detail = failure->detail,
        .certificate_unix_ms = failure->certificate_unix_ms,
    };
    end(call, failure->is_local ? report_of(call, RC_CODE_INTERNAL, failure->text)
                                : classify(call, &known));
}

static const rc_upstream_handler upstream_handler = {
    .on_head = on_head,
    .on_body = on_body,
    .on_end = on_end,
    .on_failure = on_failure,
};

/* ---- start and end of a call ---- */

static void init_call(rc_gateway_call *call, uv_loop_t *loop,
                      const rc_gateway_call_settings *settings,
                      const rc_gateway_call_handler *handler, void *ctx)
{
    const rc_alloc *alloc = &settings->alloc;
    memset(call, 0, offsetof(rc_gateway_call, reply));
    memset(&call->upstream_call, 0, offsetof(rc_upstream_call, reader));
    call->facts.first_text_ms = -1;
    call->facts.failure = "";
    call->facts.usage = RC_USAGE_COUNT_NONE;
    call->handler = handler;
    call->ctx = ctx;
    call->loop = loop;
    call->alloc = *alloc;
    call->dialect = settings->dialect;
    call->now_unix_ms = settings->now_unix_ms;
    call->started_ms = uv_now(loop);
    call->is_initialized = true;
    rc_buf_init(&call->request_head, alloc, WIRE_MAX_BYTES);
    rc_buf_init(&call->request_body, alloc, BODY_MAX_BYTES);
    rc_buf_init(&call->response_head, alloc, HEAD_MAX_BYTES);
    rc_buf_init(&call->error_body, alloc, PAGE_MAX_BYTES);
    rc_response_reader_init(&call->reply, stream_of(call->dialect), false, &reply_handler, call,
                            alloc);
}

bool rc_gateway_call_start(rc_gateway_call *call, uv_loop_t *loop,
                           const rc_gateway_call_settings *settings,
                           const rc_gateway_call_handler *handler, void *ctx)
{
    init_call(call, loop, settings, handler, ctx);
    if (!write_request(call, settings)) {
        const bool is_large = rc_buf_status(&call->request_body) == RC_E_TOO_LARGE;
        call->facts.report =
            is_large ? report_of(call, RC_CODE_REQUEST_TOO_LARGE, "")
                     : report_of(call, RC_CODE_INTERNAL, "There is no memory for the request.");
        wipe_request(call);
        return false;
    }
    const rc_upstream_request request = {
        .head = rc_buf_get(&call->request_head),
        .body = rc_buf_get(&call->request_body),
        .connect_ms = CONNECT_MS,
    };
    const rc_upstream_kind kind =
        rc_upstream_start(&call->upstream_call, settings->upstream, settings->origin, &request,
                          &upstream_handler, call);
    if (kind == RC_UPSTREAM_NONE)
        return true;
    call->facts.report = report_of(call, RC_CODE_INTERNAL, rc_upstream_kind_text(kind));
    wipe_request(call);
    return false;
}

void rc_gateway_call_cancel(rc_gateway_call *call)
{
    rc_upstream_cancel(&call->upstream_call);
}

void rc_gateway_call_done(rc_gateway_call *call)
{
    if (!call->is_initialized)
        return;
    rc_gateway_call_cancel(call);
    wipe_request(call);
    rc_buf_done(&call->response_head);
    rc_buf_done(&call->error_body);
    rc_response_reader_done(&call->reply);
    rc_report_free(call->facts.report);
    call->facts.report = NULL;
    call->is_initialized = false;
}

bool rc_gateway_call_is_live(const rc_gateway_call *call)
{
    return rc_upstream_is_live(&call->upstream_call);
}

bool rc_gateway_call_is_sent(const rc_gateway_call *call)
{
    return rc_upstream_is_sent(&call->upstream_call);
}

void rc_gateway_call_pause(rc_gateway_call *call)
{
    rc_upstream_pause(&call->upstream_call);
}

void rc_gateway_call_resume(rc_gateway_call *call)
{
    rc_upstream_resume(&call->upstream_call);
}
