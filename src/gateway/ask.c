#include "gateway/ask.h"

#include <recourse/builder.h>
#include <recourse/json.h>
#include <recourse/version.h>

#include "base/str.h"
#include "core/render_dialect.h"
#include "gateway/finish.h"
#include "gateway/model.h"
#include "http/coding.h"

/* A prompt of the largest size, every byte of it escaped, and pictures. */
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
    rc_gate_percent_encode(prompt->model, buf);
    rc_buf_push(buf, prompt->is_stream ? RC_STR(":streamGenerateContent?alt=sse")
                                       : RC_STR(":generateContent"));
}

static void push_host(rc_buf *buf, const rc_origin *origin)
{
    rc_buf_push(buf, RC_STR("host: "));
    rc_buf_push(buf, rc_origin_authority(origin));
    rc_buf_push(buf, RC_STR("\r\n"));
}

static void push_ours(rc_buf *buf, const rc_gate_ask_settings *settings)
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

/* Room for all of it first: no half-grown copy of the token is left behind. */
static bool write_request(rc_gate_ask *ask, const rc_gate_ask_settings *settings)
{
    rc_buf *wire = &ask->wire;
    (void)rc_prompt_push_body(&ask->body, settings->prompt, settings->dialect);
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
    push_ours(wire, settings);
    rc_buf_push(wire, RC_STR("content-length: "));
    rc_buf_push_u64(wire, rc_buf_get(&ask->body).len);
    rc_buf_push(wire, RC_STR("\r\n\r\n"));
    return rc_buf_status(wire) == RC_OK && rc_buf_status(&ask->body) == RC_OK;
}

/* ---- facts ---- */

static void copy_name(char *room, rc_str text)
{
    const size_t len = text.len < RC_GATE_ASK_NAME_MAX ? text.len : RC_GATE_ASK_NAME_MAX - 1;
    if (len > 0)
        memcpy(room, text.ptr, len);
    room[len] = '\0';
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

static rc_str field_of(const rc_gate_ask *ask, rc_str name)
{
    return rc_http1_find(ask->reader, rc_buf_get(&ask->head).ptr, name);
}

static void read_fields(rc_gate_ask *ask)
{
    rc_gate_ask_facts *facts = &ask->facts;
    rc_buf target;
    rc_buf_init_fixed(&target, facts->target, sizeof facts->target - 1);
    if (!rc_gate_percent_decode(field_of(ask, RC_STR("x-recourse-target")), &target) ||
        rc_buf_status(&target) != RC_OK)
        rc_buf_reset(&target);
    facts->target[rc_buf_get(&target).len] = '\0';
    facts->attempts = (uint32_t)number_of(field_of(ask, RC_STR("x-recourse-attempts")));
    copy_name(facts->request_id, field_of(ask, RC_STR("x-recourse-request-id")));
    copy_name(facts->report_id, field_of(ask, RC_STR("x-recourse-report-id")));
    facts->is_foreign = facts->request_id[0] == '\0';
}

static void note(rc_gate_ask *ask, const rc_told *told)
{
    rc_gate_ask_facts *facts = &ask->facts;
    switch ((int)told->type) {
    case RC_EVENT_TYPE_AUTO_RETRY_START:
        facts->wait_ms += told->delay_ms;
        facts->attempts = (uint32_t)told->attempt;
        break;
    case RC_EVENT_TYPE_RETRY_FALLBACK_APPLIED:
        facts->switches++;
        copy_name(facts->target, told->to);
        break;
    case RC_EVENT_TYPE_CREDENTIAL_SWITCHED:
        facts->switches++;
        break;
    case RC_EVENT_TYPE_COST_UPDATED:
        facts->attempts = (uint32_t)told->attempt;
        facts->cost_micro_usd = told->total_micro_usd;
        copy_name(facts->target, told->model);
        break;
    default:
        break;
    }
}

/* ---- the end ---- */

static void wipe_request(rc_gate_ask *ask)
{
    rc_secret_wipe_buf(&ask->wire);
    rc_buf_done(&ask->wire);
    rc_buf_done(&ask->body);
}

static const rc_report *report_of(rc_gate_ask *ask, rc_code code, const char *message)
{
    rc_builder builder;
    rc_builder_init(&builder, &ask->alloc, code);
    rc_builder_set_family(&builder, RC_FAMILY_LLM);
    rc_builder_set_message(&builder, rc_str_c(message));
    return rc_builder_finish(&builder);
}

/* What a client is shown leaves out what its code says anyway; here it is wanted again. report:
 * takes; gives. */
static const rc_report *complete(rc_gate_ask *ask, const rc_report *report)
{
    rc_builder builder;
    if (rc_report_domain(report) != RC_DOMAIN_NONE || rc_report_code(report) == RC_CODE_NONE)
        return report;
    rc_builder_init(&builder, &ask->alloc, rc_report_code(report));
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

/* The report that a gateway puts under "recourse". NULL: there is none. */
static const rc_report *read_report(rc_gate_ask *ask, rc_str body)
{
    const rc_report *report = NULL;
    rc_decode_info info;
    rc_str text;
    if (!rc_dialect_find_report(body, &text) ||
        rc_report_decode(text, RC_DECODE_TOLERANT, &ask->alloc, &report, &info) != RC_OK)
        return NULL;
    return complete(ask, report);
}

/* The answer's fields, as the classifier wants them. */
static size_t list_headers(const rc_gate_ask *ask, rc_header headers[RC_HTTP1_FIELDS_MAX])
{
    const char *head = rc_buf_get(&ask->head).ptr;
    if (!ask->is_begun || rc_buf_status(&ask->head) != RC_OK)
        return 0;
    for (uint32_t i = 0; i < ask->reader->field_count; i++)
        headers[i] =
            (rc_header){rc_http1_name(ask->reader, head, i), rc_http1_value(ask->reader, head, i)};
    return ask->reader->field_count;
}

static const rc_report *classify(rc_gate_ask *ask, rc_failure *failure)
{
    rc_header headers[RC_HTTP1_FIELDS_MAX];
    failure->header_count = list_headers(ask, headers);
    failure->headers = headers;
    failure->family = RC_FAMILY_LLM;
    failure->now_unix_ms = ask->now_unix_ms;
    failure->status = ask->facts.status;
    return rc_classify(failure, NULL, &ask->alloc);
}

static const rc_report *report_error(rc_gate_ask *ask, rc_str body, rc_phase phase)
{
    rc_failure failure = {.body = body, .phase = phase};
    const rc_report *report = read_report(ask, body);
    return report != NULL ? report : classify(ask, &failure);
}

static rc_phase phase_of(const rc_gate_ask *ask)
{
    return ask->reply.text_bytes > 0 ? RC_PHASE_COMMITTED : RC_PHASE_HEADERS;
}

/* A whole answer may still be one that nobody can use. */
static const rc_report *report_finish(rc_gate_ask *ask)
{
    if (ask->reply.is_lost)
        return report_of(ask, RC_CODE_MALFORMED_RESPONSE,
                         "A part of the answer is too large to be read.");
    if (ask->reply.watch.lost > 0)
        return report_of(ask, RC_CODE_MALFORMED_RESPONSE, RC_GATE_DAMAGED_TEXT);
    const rc_code code = rc_gate_finish_code(ask->facts.finish);
    return code != RC_CODE_NONE ? report_of(ask, code, "") : NULL;
}

/* Not a word of an answer, nor of a stream that could have become one. */
static bool is_no_answer(const rc_gate_ask *ask)
{
    const rc_reply *reply = &ask->reply;
    return ask->facts.is_foreign && !ask->is_stream && reply->text_bytes == 0 &&
           !reply->has_reasoning && rc_buf_get(&reply->error).len == 0 &&
           ask->facts.finish == RC_STREAM_FINISH_NONE && ask->facts.usage.input < 0 &&
           ask->facts.usage.output < 0;
}

static const rc_report *judge(rc_gate_ask *ask, rc_stream_body body)
{
    const rc_stream_end ending = rc_reply_end(&ask->reply, body);
    ask->facts.finish = ask->reply.watch.finish;
    ask->facts.usage = rc_usage_said(&ask->reply.watch.usage);
    switch (ending) {
    case RC_STREAM_END_COMPLETE:
        return report_finish(ask);
    case RC_STREAM_END_ERRORED:
        return report_error(ask, rc_buf_get(&ask->reply.error), phase_of(ask));
    case RC_STREAM_END_TRUNCATED:
    case RC_STREAM_END_EMPTY:
    case RC_STREAM_END_DAMAGED_END:
        break;
    }
    rc_failure failure = {.transport = RC_TRANSPORT_EOF, .phase = phase_of(ask)};
    return classify(ask, &failure);
}

/* JSON without its end may be half of an answer; a page never is. */
static rc_gate_stranger stranger_of(const rc_gate_ask *ask, bool is_orderly)
{
    const rc_str type = field_of(ask, RC_STR("content-type"));
    if (!ask->facts.is_foreign)
        return RC_GATE_STRANGER_NONE;
    if (!ask->is_good)
        return rc_gate_stranger_of_error(ask->facts.status, type, rc_buf_get(&ask->page));
    const rc_gate_stranger stranger = rc_gate_stranger_of_answer(type);
    return is_no_answer(ask) && (is_orderly || stranger == RC_GATE_STRANGER_PAGE)
               ? stranger
               : RC_GATE_STRANGER_NONE;
}

static void end(rc_gate_ask *ask, const rc_report *report)
{
    ask->facts.report = report;
    wipe_request(ask);
    ask->handler->on_end(ask->ctx);
}

/* ---- what rc_reply tells ---- */

static void on_text(void *ctx, rc_str text)
{
    rc_gate_ask *ask = ctx;
    if (ask->facts.first_text_ms < 0)
        ask->facts.first_text_ms = (int64_t)(uv_now(ask->loop) - ask->started_ms);
    ask->handler->on_text(ask->ctx, text);
}

/* Comments of the provider's own pass through a gateway, too. It does not know the request's id, so
 * that it cannot tell of retries in the gateway's name. */
static void on_comment(void *ctx, rc_str comment)
{
    rc_gate_ask *ask = ctx;
    const rc_str prefix = RC_STR("recourse ");
    rc_buf room;
    rc_told told;
    rc_buf_init_fixed(&room, ask->told_room, sizeof ask->told_room);
    if (!rc_str_starts_with(comment, prefix) ||
        !rc_told_read(rc_str_slice(comment, prefix.len, comment.len), &room, &told) ||
        !rc_str_eq(told.correlation_id, rc_str_c(ask->facts.request_id)))
        return;
    note(ask, &told);
    ask->handler->on_event(ask->ctx, &told);
}

static const rc_reply_handler reply_handler = {.on_text = on_text, .on_comment = on_comment};

/* ---- what rc_upstream tells ---- */

static rc_stream_dialect stream_of(rc_dialect dialect)
{
    if (dialect == RC_DIALECT_ANTHROPIC)
        return RC_STREAM_ANTHROPIC;
    return dialect == RC_DIALECT_GEMINI ? RC_STREAM_GEMINI : RC_STREAM_OPENAI_CHAT;
}

static void on_head(void *ctx, const rc_upstream_head *head)
{
    rc_gate_ask *ask = ctx;
    ask->is_begun = true;
    ask->reader = head->reader;
    ask->facts.status = head->status;
    ask->is_good = head->status / 100 == 2;
    rc_buf_push(&ask->head, rc_str_make(head->bytes, head->reader->head_bytes));
    if (rc_buf_status(&ask->head) != RC_OK) {
        rc_upstream_cancel(&ask->call);
        end(ask, report_of(ask, RC_CODE_INTERNAL, "There is no memory for the answer."));
        return;
    }
    read_fields(ask);
    /* No gateway of ours compresses; of an error of another one the status has to do. */
    ask->is_coded = head->reader->framing != RC_HTTP1_NO_BODY &&
                    rc_coding_of(head->reader, head->bytes) != RC_CODING_NONE;
    if (ask->is_coded && ask->is_good) {
        rc_upstream_cancel(&ask->call);
        end(ask, report_of(ask, RC_CODE_MALFORMED_RESPONSE,
                           "The answer is compressed, which was not asked for."));
        return;
    }
    ask->is_stream = rc_str_starts_with_nocase(field_of(ask, RC_STR("content-type")),
                                               RC_STR("text/event-stream"));
    rc_reply_done(&ask->reply);
    rc_reply_init(&ask->reply, stream_of(ask->dialect), ask->is_stream, &reply_handler, ask,
                  &ask->alloc);
}

static void on_body(void *ctx, rc_str piece)
{
    rc_gate_ask *ask = ctx;
    if (ask->is_good)
        rc_reply_push(&ask->reply, piece);
    else if (!ask->is_coded)
        (void)rc_buf_push(&ask->page,
                          rc_str_slice(piece, 0, PAGE_MAX_BYTES - rc_buf_get(&ask->page).len));
}

static void on_end(void *ctx, bool is_kept)
{
    rc_gate_ask *ask = ctx;
    (void)is_kept;
    const bool is_orderly = ask->reader->framing != RC_HTTP1_UNTIL_CLOSE;
    const rc_report *report =
        ask->is_good ? judge(ask, is_orderly ? RC_STREAM_BODY_WHOLE : RC_STREAM_BODY_CLOSED)
                     : report_error(ask, rc_buf_get(&ask->page), RC_PHASE_HEADERS);
    ask->facts.stranger = stranger_of(ask, is_orderly);
    if (ask->is_good && ask->facts.stranger != RC_GATE_STRANGER_NONE) {
        rc_report_free(report);
        report = report_of(ask, RC_CODE_ENDPOINT_NOT_FOUND, "");
    }
    end(ask, report);
}

static void on_failure(void *ctx, const rc_upstream_failure *failure)
{
    rc_gate_ask *ask = ctx;
    ask->facts.is_unreachable = failure->phase == RC_PHASE_CONNECT;
    ask->facts.failure = rc_upstream_kind_text(failure->kind);
    ask->facts.failure_kind = failure->kind;
    if (failure->kind == RC_UPSTREAM_MALFORMED && !ask->is_begun)
        ask->facts.stranger = RC_GATE_STRANGER_NO_HTTP;
    if (ask->is_begun && ask->is_good) {
        /* An error event, or the end of the answer, may have come before the connection broke. */
        const rc_report *report = judge(ask, RC_STREAM_BODY_CUT);
        if (report == NULL || rc_buf_get(&ask->reply.error).len > 0) {
            end(ask, report);
            return;
        }
        rc_report_free(report);
    }
    ask->facts.is_cut = !ask->facts.is_unreachable && (failure->transport == RC_TRANSPORT_EOF ||
                                                       failure->transport == RC_TRANSPORT_RESET);
    rc_failure known = {
        .transport = failure->transport,
        .phase = ask->reply.text_bytes > 0 ? RC_PHASE_COMMITTED : failure->phase,
        .body = rc_buf_get(&ask->page),
        .connection = failure->connection,
        .connection_detail = failure->detail,
        .certificate_unix_ms = failure->certificate_unix_ms,
    };
    end(ask, failure->is_local ? report_of(ask, RC_CODE_INTERNAL, failure->text)
                               : classify(ask, &known));
}

static const rc_upstream_handler upstream_handler = {
    .on_head = on_head,
    .on_body = on_body,
    .on_end = on_end,
    .on_failure = on_failure,
};

/* ---- life ---- */

static void open_ask(rc_gate_ask *ask, uv_loop_t *loop, const rc_gate_ask_settings *settings,
                     const rc_gate_ask_handler *handler, void *ctx)
{
    const rc_alloc *alloc = &settings->alloc;
    memset(ask, 0, offsetof(rc_gate_ask, reply));
    memset(&ask->call, 0, offsetof(rc_upstream_call, reader));
    ask->facts.first_text_ms = -1;
    ask->facts.failure = "";
    ask->facts.usage = RC_USAGE_COUNT_NONE;
    ask->handler = handler;
    ask->ctx = ctx;
    ask->loop = loop;
    ask->alloc = *alloc;
    ask->dialect = settings->dialect;
    ask->now_unix_ms = settings->now_unix_ms;
    ask->started_ms = uv_now(loop);
    ask->is_opened = true;
    rc_buf_init(&ask->wire, alloc, WIRE_MAX_BYTES);
    rc_buf_init(&ask->body, alloc, BODY_MAX_BYTES);
    rc_buf_init(&ask->head, alloc, HEAD_MAX_BYTES);
    rc_buf_init(&ask->page, alloc, PAGE_MAX_BYTES);
    rc_reply_init(&ask->reply, stream_of(ask->dialect), false, &reply_handler, ask, alloc);
}

bool rc_gate_ask_start(rc_gate_ask *ask, uv_loop_t *loop, const rc_gate_ask_settings *settings,
                       const rc_gate_ask_handler *handler, void *ctx)
{
    open_ask(ask, loop, settings, handler, ctx);
    if (!write_request(ask, settings)) {
        const bool is_large = rc_buf_status(&ask->body) == RC_E_TOO_LARGE;
        ask->facts.report =
            is_large ? report_of(ask, RC_CODE_REQUEST_TOO_LARGE, "")
                     : report_of(ask, RC_CODE_INTERNAL, "There is no memory for the request.");
        wipe_request(ask);
        return false;
    }
    const rc_upstream_request request = {
        .head = rc_buf_get(&ask->wire),
        .body = rc_buf_get(&ask->body),
        .connect_ms = CONNECT_MS,
    };
    const rc_upstream_kind kind = rc_upstream_start(
        &ask->call, settings->upstream, settings->origin, &request, &upstream_handler, ask);
    if (kind == RC_UPSTREAM_NONE)
        return true;
    ask->facts.report = report_of(ask, RC_CODE_INTERNAL, rc_upstream_kind_text(kind));
    wipe_request(ask);
    return false;
}

void rc_gate_ask_cancel(rc_gate_ask *ask)
{
    rc_upstream_cancel(&ask->call);
}

void rc_gate_ask_done(rc_gate_ask *ask)
{
    if (!ask->is_opened)
        return;
    rc_gate_ask_cancel(ask);
    wipe_request(ask);
    rc_buf_done(&ask->head);
    rc_buf_done(&ask->page);
    rc_reply_done(&ask->reply);
    rc_report_free(ask->facts.report);
    ask->facts.report = NULL;
    ask->is_opened = false;
}

bool rc_gate_ask_is_live(const rc_gate_ask *ask)
{
    return rc_upstream_is_live(&ask->call);
}

bool rc_gate_ask_is_sent(const rc_gate_ask *ask)
{
    return rc_upstream_is_sent(&ask->call);
}

void rc_gate_ask_pause(rc_gate_ask *ask)
{
    rc_upstream_pause(&ask->call);
}

void rc_gate_ask_resume(rc_gate_ask *ask)
{
    rc_upstream_resume(&ask->call);
}
