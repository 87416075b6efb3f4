/* The report of a model call that failed: classifies the response or the broken connection, and
 * chooses the report that the caller gets. Called by client_call.c. */
#include <recourse/builder.h>
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "classify/connection.h"
#include "client/client_private.h"
#include "client/report_id.h"
#include "dialect/finish.h"
#include "policy/outcome.h"
#include "render/dialect.h"
#include "sys/clock.h"

/* Size of the message, and of the advice, about a passed deadline, which contain the deadline's
 * name. */
#define LATE_TEXT_MAX 256

/* ---- the response that arrived ---- */

const rc_report *rc_client_call_report(const rc_client_call *call, rc_code code,
                                       const char *message)
{
    rc_builder builder;
    rc_builder_init(&builder, &call->alloc, code);
    rc_builder_set_family(&builder, RC_FAMILY_LLM);
    rc_builder_set_message(&builder, rc_str_c(message));
    return rc_builder_finish(&builder);
}

/* Rebuilds a report of a remote gateway with the fields that its code determines, because a gateway
 * omits them for clients. report: takes. Gives the new report. */
static const rc_report *complete(rc_client_call *call, const rc_report *report)
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

/* Gives the report from the member "recourse" of the body, which a gateway writes. Returns NULL if
 * the body contains no report. */
static const rc_report *read_report(rc_client_call *call, rc_str body)
{
    const rc_report *report = NULL;
    rc_decode_info info;
    rc_str text;
    if (!rc_dialect_find_report(body, &text) ||
        rc_report_decode(text, RC_DECODE_TOLERANT, &call->alloc, &report, &info) != RC_OK)
        return NULL;
    return complete(call, report);
}

/* Fills headers with the response headers for the classifier; returns the number of headers. */
static size_t list_headers(const rc_client_call *call, rc_header headers[RC_HTTP1_FIELDS_MAX])
{
    const char *head = rc_buf_get(&call->response_head).ptr;
    if (!call->has_head || rc_buf_status(&call->response_head) != RC_OK)
        return 0;
    for (uint32_t i = 0; i < call->reader->field_count; i++)
        headers[i] = (rc_header){rc_http1_name(call->reader, head, i),
                                 rc_http1_value(call->reader, head, i)};
    return call->reader->field_count;
}

static const rc_report *classify(rc_client_call *call, rc_failure *failure)
{
    rc_header headers[RC_HTTP1_FIELDS_MAX];
    failure->header_count = list_headers(call, headers);
    failure->headers = headers;
    failure->family = RC_FAMILY_LLM;
    failure->now_unix_ms = rc_clock_unix_ms(call->client->settings.calls);
    failure->status = call->facts.status;
    return rc_classify(failure, NULL, &call->alloc);
}

static const rc_report *report_error(rc_client_call *call, rc_str body, rc_phase phase)
{
    rc_failure failure = {.body = body, .phase = phase};
    const rc_report *report = read_report(call, body);
    return report != NULL ? report : classify(call, &failure);
}

static rc_phase phase_of(const rc_client_call *call)
{
    return call->reply.text_bytes > 0 ? RC_PHASE_COMMITTED : RC_PHASE_HEADERS;
}

/* Gives a report about a complete response that is unusable: too large, damaged, or ended with an
 * error reason. Returns NULL if the response is usable. */
static const rc_report *report_finish(rc_client_call *call)
{
    if (call->reply.is_incomplete)
        return rc_client_call_report(call, RC_CODE_MALFORMED_RESPONSE,
                                     "A part of the response is too large to be read.");
    if (call->reply.watch.lost > 0)
        return rc_client_call_report(call, rc_local_outcome_get(RC_LOCAL_STREAM_DAMAGED)->code,
                                     rc_local_outcome_get(RC_LOCAL_STREAM_DAMAGED)->message.ptr);
    const rc_code code = rc_finish_code(call->facts.finish);
    return code != RC_CODE_NONE ? rc_client_call_report(call, code, "") : NULL;
}

/* Returns whether the response comes from a server that is not a Recourse gateway and has no part
 * of a model response: no text, no usage, no event stream. */
static bool has_no_response(const rc_client_call *call)
{
    const rc_response_reader *reply = &call->reply;
    return call->is_foreign && !call->is_stream && reply->text_bytes == 0 &&
           !reply->has_reasoning && rc_buf_get(&reply->error).len == 0 &&
           call->facts.finish == RC_STREAM_FINISH_NONE && call->facts.usage.input < 0 &&
           call->facts.usage.output < 0;
}

static const rc_report *classify_success(rc_client_call *call, rc_stream_body_end body)
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

/* Recognises a server that is no LLM API. is_orderly: the body is complete. A JSON body that was
 * cut may be a part of a model response, so a server with a cut body is recognised only by an HTML
 * page. */
static rc_foreign foreign_kind_of(const rc_client_call *call, bool is_orderly)
{
    const rc_str type = rc_client_call_field(call, RC_STR("content-type"));
    if (!call->is_foreign)
        return RC_FOREIGN_NONE;
    if (!call->is_success)
        return rc_foreign_of_error(call->facts.status, type, rc_buf_get(&call->error_body));
    const rc_foreign foreign_kind = rc_foreign_of_response(type);
    return has_no_response(call) && (is_orderly || foreign_kind == RC_FOREIGN_PAGE)
               ? foreign_kind
               : RC_FOREIGN_NONE;
}

const rc_report *rc_client_call_classify_response(rc_client_call *call)
{
    const bool is_orderly = call->reader->framing != RC_HTTP1_UNTIL_CLOSE;
    const rc_report *report =
        call->is_success
            ? classify_success(call, is_orderly ? RC_STREAM_BODY_WHOLE : RC_STREAM_BODY_CLOSED)
            : report_error(call, rc_buf_get(&call->error_body), RC_PHASE_HEADERS);
    call->foreign_kind = foreign_kind_of(call, is_orderly);
    if (!call->is_success || call->foreign_kind == RC_FOREIGN_NONE)
        return report;
    rc_report_free(report);
    return rc_client_call_report(call, RC_CODE_ENDPOINT_NOT_FOUND, "");
}

const rc_report *rc_client_call_classify_failure(rc_client_call *call,
                                                 const rc_upstream_failure *failure)
{
    call->failure.is_unreachable = failure->phase == RC_PHASE_CONNECT;
    call->failure.kind = failure->kind;
    if (failure->kind == RC_UPSTREAM_MALFORMED && !call->has_head)
        call->foreign_kind = RC_FOREIGN_NO_HTTP;
    if (call->has_head && call->is_success) {
        /* The error event, or the end of the response, may have arrived before the connection
         * broke. */
        const rc_report *report = classify_success(call, RC_STREAM_BODY_CUT);
        if (report == NULL || rc_buf_get(&call->reply.error).len > 0)
            return report;
        rc_report_free(report);
    }
    call->failure.is_cut =
        !call->failure.is_unreachable &&
        (failure->transport == RC_TRANSPORT_EOF || failure->transport == RC_TRANSPORT_RESET);
    rc_failure known = {
        .transport = failure->transport,
        .phase = call->reply.text_bytes > 0 ? RC_PHASE_COMMITTED : failure->phase,
        .body = rc_buf_get(&call->error_body),
        .connection = failure->connection,
        .connection_detail = failure->detail,
        .certificate_unix_ms = failure->certificate_unix_ms,
    };
    return failure->is_local ? rc_client_call_report(call, RC_CODE_INTERNAL, failure->text)
                             : classify(call, &known);
}

/* ---- the report for the caller ---- */

/* Sets the id under which the gateway recorded the call, so that `recourse audit` finds the call by
 * the id of the report. */
static void set_known_id(const rc_client_call *call, rc_builder *builder)
{
    const rc_client_call_facts *facts = &call->facts;
    const bool has_report = strlen(facts->report_id) == RC_ID_LEN;
    rc_id id = {.text = "rep"};
    if (!has_report && strlen(facts->request_id) != RC_ID_LEN)
        return;
    memcpy(id.text + 3, (has_report ? facts->report_id : facts->request_id) + 3, RC_ID_LEN - 3);
    rc_builder_set_id(builder, &id);
}

/* Makes a report about a failure of the gateway itself, with call->evidence as its cause. code:
 * RC_CODE_NONE selects the cause's code. */
static const rc_report *report_via(const rc_client_call *call, rc_code code, rc_str message,
                                   rc_user_action action, rc_str advice)
{
    rc_builder builder;
    rc_builder_init(&builder, &call->alloc, code);
    rc_report_id_set(call->client->settings.calls, &builder);
    if (code != RC_CODE_NONE)
        rc_builder_set_family(&builder, RC_FAMILY_LLM);
    rc_builder_set_cause(&builder, call->evidence);
    rc_builder_set_message(&builder, message);
    rc_builder_set_action(&builder, action, advice);
    rc_builder_set_context(&builder, RC_STR("gateway"), rc_buf_get(&call->client->url));
    return rc_builder_finish(&builder);
}

/* Writes "SUBJECT URL PREDICATE REASON." into `message`. Returns a view of `message`. */
static rc_str via_message(const rc_client_call *call, rc_buf *message, const char *subject,
                          const char *predicate, const char *reason)
{
    rc_buf_push(message, rc_str_c(subject));
    rc_buf_push(message, rc_str_slice(rc_buf_get(&call->client->url), 0, 512));
    rc_buf_push(message, rc_str_c(predicate));
    rc_buf_push(message, rc_str_c(reason));
    rc_buf_push_byte(message, '.');
    return rc_buf_get(message);
}

/* Returns the advice about a gateway that cannot be reached. A failed TLS handshake without a
 * response usually means that the server expects plain HTTP. */
static rc_str advice_unreachable(const rc_client_call *call)
{
    const rc_upstream_kind kind = call->failure.kind;
    const bool is_silent = kind == RC_UPSTREAM_TLS_TIMEOUT || kind == RC_UPSTREAM_TLS_RESET ||
                           kind == RC_UPSTREAM_TLS_CLOSED;
    if (call->client->origin.is_https && is_silent)
        return RC_STR("Use http:// if it listens without TLS, as `recourse serve` does; or omit "
                      "--via to call the provider directly.");
    return RC_STR("Start it with `recourse serve`, or omit --via to call the provider "
                  "directly.");
}

static const rc_report *report_unreachable(const rc_client_call *call)
{
    char scratch[RC_CLIENT_TEXT_MAX];
    rc_buf message;
    rc_buf_init_fixed(&message, scratch, sizeof scratch);
    if (call->failure.kind == RC_UPSTREAM_TLS_NOT_SPOKEN)
        return report_via(
            call, RC_CODE_ENDPOINT_NOT_FOUND,
            via_message(call, &message, "The server at ", " does not speak TLS", ""),
            RC_ACTION_CHECK_CONFIG,
            RC_STR("Use http:// instead of https://: `recourse serve` listens without TLS. "
                   "Another machine also needs --insecure."));
    return report_via(call, RC_CODE_NONE,
                      via_message(call, &message, "No gateway responds at ", ": ",
                                  rc_upstream_kind_text(call->failure.kind)),
                      RC_ACTION_CHECK_CONFIG, advice_unreachable(call));
}

/* Makes the report about a connection to the gateway that broke. The gateway would have reported a
 * provider's failure, so the gateway itself failed, and the state of the call at the provider is
 * unknown. */
static const rc_report *report_cut(const rc_client_call *call)
{
    const bool has_text = call->reply.text_bytes > 0;
    const char *when = has_text ? " closed the connection before the response was complete"
                                : " closed the connection before it responded";
    char scratch[RC_CLIENT_TEXT_MAX];
    rc_buf message;
    rc_builder builder;
    rc_buf_init_fixed(&message, scratch, sizeof scratch);
    rc_builder_init(&builder, &call->alloc,
                    has_text ? RC_CODE_STREAM_INTERRUPTED : RC_CODE_CONNECTION_RESET);
    rc_report_id_set(call->client->settings.calls, &builder);
    set_known_id(call, &builder);
    rc_builder_set_family(&builder, RC_FAMILY_LLM);
    rc_builder_set_message(&builder, via_message(call, &message, "The gateway at ", when, ""));
    rc_builder_set_action(
        &builder, RC_ACTION_WAIT_AND_RETRY,
        has_text ? RC_STR("Check whether the gateway is still running, then try again; the "
                          "received part of the response is incomplete.")
                 : RC_STR("Check whether the gateway is still running, then try again."));
    rc_builder_set_model(&builder, rc_str_c(call->model));
    rc_builder_set_detail(&builder, rc_report_detail(call->evidence));
    rc_builder_set_context(&builder, RC_STR("gateway"), rc_buf_get(&call->client->url));
    return rc_builder_finish(&builder);
}

static const rc_report *report_foreign(const rc_client_call *call)
{
    char scratch[RC_CLIENT_TEXT_MAX];
    rc_buf message;
    rc_buf_init_fixed(&message, scratch, sizeof scratch);
    return report_via(call, RC_CODE_ENDPOINT_NOT_FOUND,
                      via_message(call, &message, "The server at ", " is not a Recourse gateway: ",
                                  rc_foreign_text(call->foreign_kind)),
                      RC_ACTION_CHECK_CONFIG,
                      RC_STR("Set --via to the address at which `recourse serve` listens, such as "
                             "http://127.0.0.1:8787; use https:// if it is behind a TLS proxy."));
}

static const rc_report *report_cancelled(const rc_client_call *call)
{
    rc_builder builder;
    const bool is_waiting = call->retry_at_ms > call->ended_ms;
    rc_builder_init(&builder, &call->alloc,
                    is_waiting ? RC_CODE_RETRY_CANCELLED : RC_CODE_TURN_CANCELLED);
    rc_report_id_set(call->client->settings.calls, &builder);
    rc_builder_set_family(&builder, RC_FAMILY_LLM);
    rc_builder_set_model(&builder, rc_str_c(call->model));
    rc_builder_set_action(&builder, RC_ACTION_NO_ACTION, RC_STR("Call again when you are ready."));
    return rc_builder_finish(&builder);
}

/* Gives the report of a call that failed at its target. A report of the gateway, which has an id,
 * is copied; a report of this client's classifier gets an id, the provider and the model. */
static const rc_report *report_at_target(const rc_client_call *call)
{
    rc_builder builder;
    const rc_report *why = call->evidence;
    const rc_str target = rc_str_c(call->facts.target);
    const size_t slash = rc_str_find_byte(target, '/', 0);
    if (rc_report_id(why).len > 0)
        return rc_report_dup(why);
    rc_builder_init(&builder, &call->alloc, RC_CODE_NONE);
    rc_report_id_set(call->client->settings.calls, &builder);
    set_known_id(call, &builder);
    rc_builder_set_cause(&builder, why);
    rc_builder_set_message(&builder, rc_report_message(why));
    if (slash != RC_STR_NPOS) {
        rc_builder_set_provider(&builder, rc_str_slice(target, 0, slash));
        rc_builder_set_model(&builder, rc_str_slice(target, slash + 1, target.len));
    } else {
        rc_builder_set_model(&builder, rc_str_c(call->model));
    }
    return rc_builder_finish(&builder);
}

/* Appends a sentence such as "The call was not finished within 30s (--deadline)." */
static void push_late(const rc_client_call *call, rc_buf *text)
{
    rc_buf_push(text, RC_STR("The call was not finished within "));
    rc_connection_push_limit(text, (int64_t)call->deadline_ms);
    if (call->deadline_name != NULL) {
        rc_buf_push(text, RC_STR(" ("));
        rc_buf_push(text, rc_str_c(call->deadline_name));
        rc_buf_push_byte(text, ')');
    }
    rc_buf_push_byte(text, '.');
}

static void push_late_advice(const rc_client_call *call, rc_buf *text)
{
    rc_buf_push(text, RC_STR("To allow more time, raise "));
    rc_buf_push(text, call->deadline_name != NULL ? rc_str_c(call->deadline_name)
                                                  : RC_STR("the deadline"));
    rc_buf_push_byte(text, '.');
}

/* Sets message and action of a report about the deadline. */
static void set_late(const rc_client_call *call, rc_builder *builder)
{
    char message_scratch[LATE_TEXT_MAX];
    char advice_scratch[LATE_TEXT_MAX];
    rc_buf message;
    rc_buf advice;
    rc_buf_init_fixed(&message, message_scratch, sizeof message_scratch);
    rc_buf_init_fixed(&advice, advice_scratch, sizeof advice_scratch);
    push_late(call, &message);
    push_late_advice(call, &advice);
    rc_builder_set_family(builder, RC_FAMILY_LLM);
    rc_builder_set_message(builder, rc_buf_get(&message));
    rc_builder_set_action(builder, RC_ACTION_RAISE_LIMIT, rc_buf_get(&advice));
}

/* Gives the report about a deadline that passed without a report from the gateway. */
static const rc_report *report_late(const rc_client_call *call)
{
    rc_builder builder;
    rc_builder_init(&builder, &call->alloc, RC_CODE_DEADLINE_EXCEEDED);
    rc_report_id_set(call->client->settings.calls, &builder);
    set_late(call, &builder);
    rc_builder_set_model(&builder, rc_str_c(call->model));
    return rc_builder_finish(&builder);
}

/* Returns whether the report's message contains the name of the HTTP header with the deadline. */
static bool names_header(const rc_report *report)
{
    const rc_str name = rc_str_c(rc_connection_get(RC_CONNECTION_DEADLINE_CLIENT)->limit_setting);
    return report != NULL && rc_str_find(rc_report_message(report), name, 0) != RC_STR_NPOS;
}

/* Replaces a message that names the deadline header, which the user does not know, by a message
 * with call->deadline_name. reported: takes. Gives the caller `reported` or a new report. */
static const rc_report *name_deadline(const rc_client_call *call, const rc_report *reported)
{
    rc_builder builder;
    if (reported == NULL || rc_report_code(reported) != RC_CODE_DEADLINE_EXCEEDED ||
        call->deadline_name == NULL || call->deadline_ms == 0 || !names_header(reported))
        return reported;
    rc_builder_init(&builder, &call->alloc, RC_CODE_DEADLINE_EXCEEDED);
    rc_builder_set_id_text(&builder, rc_report_id(reported));
    set_late(call, &builder);
    rc_builder_set_provider(&builder, rc_report_provider(reported));
    rc_builder_set_model(&builder, rc_report_model(reported));
    rc_builder_set_request_id(&builder, rc_report_request_id(reported));
    rc_builder_set_rule(&builder, rc_report_rule(reported));
    rc_builder_set_retry_exhausted(&builder, rc_report_is_retry_exhausted(reported));
    for (size_t i = 0; i < rc_report_attempt_count(reported); i++)
        rc_builder_add_attempt(&builder, rc_report_attempt_at(reported, i));
    if (rc_report_cause(reported) != NULL && !names_header(rc_report_cause(reported)))
        rc_builder_set_cause(&builder, rc_report_cause(reported));
    rc_report_free(reported);
    return rc_builder_finish(&builder);
}

/* Gives the report about a failure that only a remote gateway can have. Returns NULL for any other
 * failure. */
static const rc_report *report_remote(const rc_client_call *call)
{
    if (rc_buf_get(&call->client->url).len == 0)
        return NULL;
    if (call->failure.is_unreachable)
        return report_unreachable(call);
    if (call->foreign_kind != RC_FOREIGN_NONE)
        return report_foreign(call);
    if (call->failure.is_cut && !call->is_foreign)
        return report_cut(call);
    if (call->facts.status == 401 && rc_report_provider(call->evidence).len == 0)
        return report_via(call, RC_CODE_NONE, rc_report_message(call->evidence),
                          RC_ACTION_CHECK_CREDENTIALS,
                          RC_STR("Set RECOURSE_TOKEN, or name a file that contains the token with "
                                 "--token-file."));
    return NULL;
}

const rc_report *rc_client_call_judge(const rc_client_call *call)
{
    if (call->is_cancelled)
        return report_cancelled(call);
    if (call->evidence == NULL)
        return call->is_late ? report_late(call) : NULL;
    if (call->record.report != NULL)
        return name_deadline(call, rc_report_dup(call->record.report));
    const rc_report *remote = report_remote(call);
    return name_deadline(call, remote != NULL ? remote : report_at_target(call));
}
