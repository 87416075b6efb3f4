/* The reply to the client: the report of the whole call in the client's dialect. Called by the
 * other exchange and attempt files. */
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "gateway/exchange/attempt.h"
#include "gateway/exchange/attempt_stream.h"
#include "gateway/exchange/exchange_deadline.h"
#include "gateway/exchange/exchange_events.h"
#include "gateway/exchange/exchange_ledger.h"
#include "gateway/exchange/exchange_native.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/exchange/exchange_repeat.h"
#include "gateway/exchange/exchange_reply.h"
#include "gateway/exchange/exchange_request_loop.h"
#include "gateway/exchange/exchange_unavailable.h"
#include "gateway/exchange/translate/attempt_translate.h"
#include "gateway/exchange/translate/exchange_translate.h"
#include "gateway/runtime/runtime.h"
#include "gateway/state/snapshot.h"
#include "net/server/responder.h"
#include "render/dialect.h"

#define ERROR_PAGE_MAX ((size_t)1 << 20)

/* ---- the report of the call ---- */

/* Sets the HTTP status that the client's dialect has for the code. `status`: the code's general
 * status. */
static void use_dialect_status(const rc_exchange *exchange, rc_builder *builder, rc_code code,
                               int status)
{
    const int own = rc_dialect_status(exchange->dialect, code, status);
    if (own != status)
        rc_builder_set_http_status(builder, own);
}

static int status_of(rc_code code)
{
    const rc_code_info *info = rc_code_get(code);
    return info != NULL ? info->http_status : 0;
}

void rc_exchange_begin_report(rc_exchange *exchange, rc_builder *builder, rc_code code,
                              rc_str message)
{
    const rc_id id = rc_runtime_next_id(exchange->runtime, rc_runtime_unix_ms(exchange->runtime));
    rc_builder_init(builder, &exchange->runtime->alloc, code);
    rc_builder_set_id(builder, &id);
    if (exchange->request.endpoint != NULL)
        rc_builder_set_family(builder, exchange->request.endpoint->family);
    rc_builder_set_message(builder, message);
    use_dialect_status(exchange, builder, code, status_of(code));
}

void rc_exchange_begin_outcome(rc_exchange *exchange, rc_builder *builder, rc_local_outcome outcome,
                               rc_str message)
{
    const rc_local_outcome_row *row = rc_local_outcome_get(outcome);
    rc_exchange_begin_report(exchange, builder, row->code,
                             message.len > 0 ? message : row->message);
    if (row->status > 0)
        rc_builder_set_http_status(builder,
                                   rc_dialect_status(exchange->dialect, row->code, row->status));
}

static void add_attempts(const rc_exchange *exchange, rc_builder *builder)
{
    for (uint32_t i = 0; i < exchange->step_count; i++) {
        const rc_ledger_step *step = &exchange->steps[i];
        if (step->kind != RC_RECORD_ATTEMPT)
            continue;
        /* No attempt succeeded. An attempt without a report was therefore cancelled, because the
         * other attempt of the hedge had failed. */
        const bool is_let_go = step->report == NULL;
        const rc_report_attempt attempt = {
            .attempt = (int64_t)step->attempt,
            .provider = rc_exchange_provider_of(exchange, step->entry)->config->name,
            .model = rc_exchange_model_of(exchange, step->entry),
            .code = is_let_go ? RC_CODE_NONE : rc_report_code(step->report),
            .status = is_let_go ? step->status : rc_report_provider_status(step->report),
            .request_id = is_let_go ? RC_STR("") : rc_report_request_id(step->report),
            .started_unix_ms = step->at_unix_ms,
            .duration_ms = step->latency_ms,
            .wait_ms = step->wait_ms > 0 ? (int64_t)step->wait_ms : -1,
            .reason = rc_str_c(rc_reason_name(is_let_go ? RC_WHY_CANCELLED : step->reason)),
        };
        rc_builder_add_attempt(builder, &attempt);
    }
}

/* Sets the retry time. If the latest failure does not state this time, the report's context names
 * the source: the gateway's policy or an earlier response of a provider. */
static void set_wait(const rc_exchange *exchange, rc_builder *builder, int64_t wait_ms)
{
    rc_builder_set_retry_after_ms(builder, wait_ms);
    if (exchange->report == NULL ||
        exchange->machine.action.at_ms != exchange->machine.call.not_before_ms)
        rc_builder_set_context(builder, RC_STR("wait_by"),
                               exchange->report == NULL && rc_exchange_is_retry_time_named(exchange)
                                   ? RC_STR("provider, before")
                                   : RC_STR("recourse"));
}

/* Names a setting in the report of a call that stopped at a fatal failure although another target
 * was available. With this setting the call would have continued at that target. */
static void set_standby(const rc_exchange *exchange, rc_builder *builder)
{
    const rc_action *action = &exchange->machine.action;
    if (action->kind != RC_DO_STOP || exchange->report == NULL || exchange->route->is_direct ||
        (action->reason != RC_WHY_NOT_RETRYABLE && action->reason != RC_WHY_REFRESH_FAILED) ||
        !rc_outcome_is_maskable(rc_report_code(exchange->report)))
        return;
    const uint16_t entry =
        rc_call_standby_entry(&exchange->machine.call, rc_runtime_now(exchange->runtime));
    if (entry == RC_NO_TARGET)
        return;
    char scratch[1024];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_target_text_push(&text, rc_exchange_provider_of(exchange, entry)->config->name,
                        rc_exchange_model_of(exchange, entry));
    rc_builder_set_context(builder, RC_STR("standing_by"), rc_buf_get(&text));
    rc_buf_push(&text, RC_STR(" stands by: fallback_on: ["));
    rc_buf_push(&text, rc_str_c(rc_code_name(rc_report_code(exchange->report))));
    rc_buf_push(&text, RC_STR("] of the route would use it. "));
    rc_buf_push(&text, rc_report_action_detail(exchange->report));
    if (rc_buf_status(&text) == RC_OK)
        rc_builder_set_action(builder, rc_report_action(exchange->report), rc_buf_get(&text));
}

/* Sets the context of the report. `code`: the code of the report. */
static void set_context(const rc_exchange *exchange, rc_code code, rc_builder *builder)
{
    const rc_action *action = &exchange->machine.action;
    const uint64_t now_ms = rc_runtime_now(exchange->runtime);
    if (action->is_retry_exhausted)
        rc_builder_set_retry_exhausted(builder, true);
    if (action->at_ms > now_ms && action->at_ms != RC_UNLIMITED)
        set_wait(exchange, builder, (int64_t)(action->at_ms - now_ms));
    else if (rc_outcome_is_busy(code))
        rc_builder_set_retry_after_ms(builder, RC_EXCHANGE_BUSY_MS);
    rc_builder_set_context(builder, RC_STR("decision"), rc_str_c(rc_reason_name(action->reason)));
    set_standby(exchange, builder);
    const uint64_t deadline_ms = exchange->machine.call.deadline_at_ms;
    if (action->reason == RC_WHY_WAIT_PAST_DEADLINE ||
        (action->reason == RC_WHY_STARTS_TOO_LATE && action->at_ms >= deadline_ms))
        rc_exchange_add_deadline_context(exchange, builder);
    if (action->attempt > 0)
        rc_builder_set_context_int(builder, RC_STR("attempt"), (int64_t)action->attempt);
    if (rc_exchange_current(exchange) != NULL && exchange->was_partly_sent) {
        rc_builder_set_context_int(builder, RC_STR("bytes_delivered"),
                                   (int64_t)rc_exchange_current(exchange)->bytes);
        rc_attempt_set_stream_position(rc_exchange_current(exchange), builder);
    }
    if (exchange->is_body_streamed)
        rc_builder_set_context(builder, RC_STR("body"),
                               RC_STR("forwarded as it arrived and not stored"));
}

/* Makes a sentence of a clause from a table in spec/: adds a capital letter and a full stop. */
rc_str rc_exchange_sentence(const char *clause, char *scratch, size_t size)
{
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, size);
    rc_buf_push(&text, rc_str_c(clause));
    rc_buf_push_byte(&text, '.');
    if (rc_buf_status(&text) != RC_OK)
        return rc_str_c(clause);
    if (scratch[0] >= 'a' && scratch[0] <= 'z')
        scratch[0] = (char)(scratch[0] - 'a' + 'A');
    return rc_buf_get(&text);
}

/* ---- unsupported interface ---- */

/* Returns whether no provider of the route has the API of the endpoint. */
static bool is_other_interface(const rc_exchange *exchange)
{
    if (exchange->report != NULL || exchange->machine.action.reason != RC_WHY_NONE_CAPABLE)
        return false;
    const uint32_t need = rc_endpoint_need(exchange->request.endpoint);
    for (uint16_t i = 0; i < exchange->plan.entry_count; i++) {
        if ((exchange->plan.entries[i].capabilities & need) == need)
            return false;
    }
    return true;
}

static rc_str wire_name(rc_wire wire)
{
    static const char *const names[RC_WIRE_COUNT] = {"OpenAI's", "Anthropic's", "Gemini's"};
    return rc_str_c(wire < RC_WIRE_COUNT ? names[wire] : "its own");
}

static void push_path(rc_buf *text, const rc_endpoint *endpoint)
{
    rc_buf_push(text, endpoint->path);
    if (endpoint->model == RC_MODEL_PATH)
        rc_buf_push(text, RC_STR("MODEL"));
    rc_buf_push(text, endpoint->verb);
}

/* Lists some endpoints of the provider for the same kind of work. */
static uint32_t push_endpoints(rc_buf *text, const rc_exchange *exchange, rc_dialect dialect)
{
    const rc_endpoint *endpoint;
    uint32_t count = 0;
    for (size_t i = 0; count < 3 && (endpoint = rc_endpoint_at(i)) != NULL; i++) {
        const bool is_count = endpoint->id == RC_ENDPOINT_COUNT_TOKENS ||
                              endpoint->id == RC_ENDPOINT_TOKENS ||
                              endpoint->id == RC_ENDPOINT_TOKENS_V1;
        if (endpoint->family != exchange->request.endpoint->family ||
            endpoint->wire >= RC_WIRE_COUNT || is_count ||
            !rc_endpoint_is_supported(endpoint, dialect))
            continue;
        rc_buf_push(text, count++ > 0 ? RC_STR(", ") : RC_STR(""));
        push_path(text, endpoint);
    }
    return count;
}

/* Writes "/v1/messages belongs to Anthropic's API, but the providers of this route use another API:
 * openai uses OpenAI's." */
static void describe_other_interface(const rc_exchange *exchange, rc_builder *builder)
{
    const rc_endpoint *endpoint = exchange->request.endpoint;
    const rc_config_provider *first = rc_exchange_provider_of(exchange, 0)->config;
    char scratch[1024];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    push_path(&text, endpoint);
    rc_buf_push(&text, RC_STR(" belongs to "));
    rc_buf_push(&text, wire_name(endpoint->wire));
    rc_buf_push(&text, RC_STR(" API, but the providers of this route use another API: "));
    rc_buf_push(&text, first->name);
    rc_buf_push(&text, RC_STR(" uses "));
    rc_buf_push(&text, wire_name(rc_wire_of_dialect(first->kind->dialect)));
    rc_buf_push_byte(&text, '.');
    rc_builder_set_message(builder, rc_buf_get(&text));
    rc_buf_reset(&text);
    rc_buf_push(&text, RC_STR("Send the request to "));
    if (push_endpoints(&text, exchange, first->kind->dialect) > 0)
        rc_buf_push(&text, RC_STR(", in the format of that API, or use "));
    rc_buf_push(&text, RC_STR("a model of a provider that uses "));
    rc_buf_push(&text, wire_name(endpoint->wire));
    rc_buf_push_byte(&text, '.');
    rc_builder_set_action(builder, RC_ACTION_FIX_REQUEST, rc_buf_get(&text));
}

/* Builds the report of a stopped call, with the latest failure as its cause. A call that ended at
 * its deadline is a DeadlineExceeded. */
static const rc_report *build_report(rc_exchange *exchange)
{
    const rc_action *action = &exchange->machine.action;
    const bool is_attempted = exchange->report != NULL;
    const bool is_late =
        (is_attempted && exchange->is_late) || action->reason == RC_WHY_DEADLINE_PASSED;
    const rc_stopped_call call = {
        .action = action,
        .is_attempted = is_attempted,
        .is_late = is_late,
        .is_other_interface = is_other_interface(exchange),
        .unavailable = rc_exchange_causes(exchange),
        .untranslatable = rc_exchange_untranslatable(exchange),
    };
    const bool is_untranslatable = !is_attempted && !is_late &&
                                   action->reason == RC_WHY_NONE_CAPABLE &&
                                   (action->missing & RC_NEED_TRANSLATION) != 0;
    const rc_code code = rc_outcome_of_stop(&call);
    char scratch[256];
    rc_builder builder;
    rc_exchange_begin_report(exchange, &builder, code,
                             is_attempted ? RC_STR("")
                                          : rc_exchange_sentence(rc_reason_text(action->reason),
                                                                 scratch, sizeof scratch));
    if (is_late)
        rc_exchange_describe_deadline(exchange, &builder);
    else if (is_attempted && exchange->request.endpoint->wire == RC_WIRE_NATIVE)
        rc_exchange_describe_native(exchange, &builder);
    else if (is_attempted)
        use_dialect_status(exchange, &builder, rc_report_code(exchange->report),
                           rc_report_http_status(exchange->report));
    if (is_attempted && !is_late)
        rc_exchange_describe_request_loop(exchange, &builder);
    if (call.is_other_interface)
        describe_other_interface(exchange, &builder);
    else if (is_untranslatable)
        rc_exchange_describe_untranslatable(exchange, &builder);
    if (!is_attempted && rc_outcome_is_unavailable(action)) {
        use_dialect_status(exchange, &builder, code, status_of(code));
        rc_exchange_describe_unavailable(exchange, &call.unavailable, &builder);
    }
    rc_builder_set_cause(&builder, exchange->report);
    add_attempts(exchange, &builder);
    if (is_attempted && rc_exchange_current(exchange) != NULL) {
        rc_builder_set_provider(&builder, rc_exchange_current(exchange)->provider->config->name);
        rc_builder_set_model(&builder, rc_exchange_current(exchange)->model);
    }
    set_context(exchange, code, &builder);
    return rc_builder_finish(&builder);
}

static void set_report(rc_exchange *exchange, const rc_report *report)
{
    rc_report_free(exchange->report);
    exchange->report = report;
}

void rc_exchange_report_stop(rc_exchange *exchange)
{
    set_report(exchange, build_report(exchange));
}

/* Returns whether the request must not be sent twice and the provider has, or may have, carried it
 * out. */
static bool may_be_done(const rc_exchange *exchange)
{
    for (uint32_t i = 0; exchange->request.replay == RC_REPLAY_NO && i < exchange->step_count;
         i++) {
        const rc_ledger_step *step = &exchange->steps[i];
        if (step->kind != RC_RECORD_ATTEMPT)
            continue;
        const rc_code code = step->report != NULL ? rc_report_code(step->report) : RC_CODE_NONE;
        if (rc_outcome_may_be_done(code))
            return true;
    }
    return false;
}

void rc_exchange_report_unrecorded(rc_exchange *exchange, const rc_report *why)
{
    const bool is_lost = may_be_done(exchange);
    const bool has_worked =
        exchange->machine.ending == RC_ENDING_WHOLE || exchange->machine.ending == RC_ENDING_TAIL;
    rc_builder builder;
    if (is_lost)
        rc_exchange_begin_outcome(exchange, &builder, RC_LOCAL_RECORD_LOST_AND_DONE, RC_STR(""));
    else
        rc_exchange_begin_report(exchange, &builder, RC_CODE_NONE, RC_STR(""));
    rc_builder_set_cause(&builder, why);
    if (!has_worked)
        add_attempts(exchange, &builder);
    if (exchange->machine.action.attempt > 0)
        rc_builder_set_context_int(&builder, RC_STR("attempt"),
                                   (int64_t)exchange->machine.action.attempt);
    if (rc_exchange_current(exchange) != NULL) {
        rc_builder_set_provider(&builder, rc_exchange_current(exchange)->provider->config->name);
        rc_builder_set_model(&builder, rc_exchange_current(exchange)->model);
        if (exchange->was_partly_sent || exchange->machine.ending == RC_ENDING_TAIL)
            rc_attempt_set_stream_position(rc_exchange_current(exchange), &builder);
    }
    set_report(exchange, rc_builder_finish(&builder));
    rc_report_free(why);
}

/* ---- refusals ---- */

/* Returns the retry time of a refusal. If the refusal ends a wait early, the remaining wait is
 * included. wait_until_ms: the end of that wait; 0 if there was no wait. */
static int64_t busy_ms(const rc_exchange *exchange, uint64_t wait_until_ms)
{
    const uint64_t soon_ms = rc_runtime_now(exchange->runtime) + RC_EXCHANGE_BUSY_MS;
    return RC_EXCHANGE_BUSY_MS + (wait_until_ms > soon_ms ? (int64_t)(wait_until_ms - soon_ms) : 0);
}

static void report_refusal(rc_exchange *exchange, rc_local_outcome outcome, rc_str message,
                           uint64_t wait_until_ms)
{
    rc_builder builder;
    rc_exchange_begin_outcome(exchange, &builder, outcome, message);
    if (rc_outcome_is_busy(rc_local_outcome_get(outcome)->code))
        rc_builder_set_retry_after_ms(&builder, busy_ms(exchange, wait_until_ms));
    add_attempts(exchange, &builder);
    set_report(exchange, rc_builder_finish(&builder));
}

void rc_exchange_report_refusal(rc_exchange *exchange, rc_local_outcome outcome,
                                uint64_t wait_until_ms)
{
    exchange->is_shed = exchange->is_shed || outcome == RC_LOCAL_NO_MEMORY;
    report_refusal(exchange, outcome, RC_STR(""), wait_until_ms);
}

void rc_exchange_refuse_text(rc_exchange *exchange, rc_local_outcome outcome, rc_str message)
{
    report_refusal(exchange, outcome, message, 0);
    rc_exchange_feed_kind(exchange, RC_INPUT_REFUSED);
}

void rc_exchange_refuse(rc_exchange *exchange, rc_local_outcome outcome)
{
    rc_exchange_refuse_text(exchange, outcome, RC_STR(""));
}

void rc_exchange_shed(rc_exchange *exchange, rc_local_outcome outcome)
{
    exchange->is_shed = true;
    rc_exchange_refuse(exchange, outcome);
}

void rc_exchange_refuse_report(rc_exchange *exchange, const rc_report *report)
{
    set_report(exchange, report);
    rc_exchange_feed_kind(exchange, RC_INPUT_REFUSED);
}

void rc_exchange_refuse_fault(rc_exchange *exchange, const rc_request_fault *fault)
{
    char memory[512];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_request_fault_push(&text, fault);
    rc_exchange_refuse_text(exchange, fault->outcome, rc_buf_get(&text));
}

/* ---- sending ---- */

static void cut(rc_exchange *exchange)
{
    rc_responder_abort(exchange->responder);
    exchange->responder = NULL;
    rc_exchange_feed_kind(exchange, RC_INPUT_GONE);
}

static void push_head(const rc_exchange *exchange, rc_buf *lines)
{
    rc_reply_facts facts = {.request_id = rc_str_c(exchange->id.text),
                            .waited_ms = exchange->wait_ms};
    char scratch[RC_MASKED_TEXT_MAX];
    rc_buf masked;
    rc_buf_init_fixed(&masked, scratch, sizeof scratch);
    rc_exchange_fill_masked(exchange, &masked, &facts);
    rc_exchange_fill_cost(exchange, NULL, &facts);
    rc_exchange_fill_times(exchange, NULL, &facts);
    rc_buf_push(lines, RC_STR("HTTP/1.1 "));
    rc_buf_push_i64(lines, exchange->status);
    rc_buf_push_byte(lines, ' ');
    rc_buf_push(lines, rc_http_phrase(exchange->status));
    rc_buf_push(lines, RC_STR("\r\n"));
    (void)rc_render_headers(exchange->report, exchange->dialect, lines);
    (void)rc_reply_facts_push(lines, &facts);
    if (rc_outcome_is_limit(rc_report_code(exchange->report)) &&
        rc_buf_status(&exchange->limits) == RC_OK)
        rc_buf_push(lines, rc_buf_get(&exchange->limits));
    if (exchange->status == 405 && rc_exchange_current(exchange) == NULL &&
        exchange->request.endpoint != NULL)
        rc_buf_push(lines, exchange->request.endpoint->method == RC_METHOD_GET
                               ? RC_STR("allow: GET, HEAD\r\n")
                               : RC_STR("allow: POST\r\n"));
}

static void send_error(rc_exchange *exchange)
{
    rc_buf page;
    rc_buf_init(&page, &exchange->runtime->alloc, ERROR_PAGE_MAX);
    rc_buf_reset(&exchange->lines);
    exchange->status = rc_report_http_status(exchange->report);
    push_head(exchange, &exchange->lines);
    rc_exchange_note_final_error(exchange);
    (void)rc_render_body(exchange->report, exchange->dialect, RC_VIEW_USER, &page);
    const rc_str body = rc_buf_get(&page);
    if (rc_buf_status(&exchange->lines) == RC_OK && rc_buf_status(&page) == RC_OK &&
        rc_responder_begin_raw(exchange->responder, exchange->status, rc_buf_get(&exchange->lines),
                               RC_HTTP1_LENGTH, body.len) == RC_OK) {
        (void)rc_responder_write(exchange->responder, body);
        rc_responder_end(exchange->responder);
    } else {
        cut(exchange);
    }
    rc_buf_done(&page);
}

/* Writes an error into a stream as the dialect's own event, so that no client mistakes a partial
 * response for a complete one. */
static void push_frame(const rc_exchange *exchange, rc_buf *frame)
{
    const rc_attempt *current =
        rc_exchange_current(exchange); /* NULL if an event was sent before the first attempt. */
    if (current == NULL || !rc_attempt_is_client_array(current) ||
        rc_exchange_has_event_head(exchange)) {
        if (current != NULL && current->is_inside_event)
            rc_buf_push(frame, RC_STR("\n\n"));
        (void)rc_render_stream_frame(exchange->report, exchange->dialect, RC_VIEW_USER, frame);
        return;
    }
    rc_buf_push(frame, RC_STR(",\r\n"));
    (void)rc_render_body(exchange->report, exchange->dialect, RC_VIEW_USER, frame);
    rc_buf_push(frame, RC_STR("\r\n]"));
}

static void send_error_event(rc_exchange *exchange)
{
    rc_buf frame;
    rc_buf_init(&frame, &exchange->runtime->alloc, ERROR_PAGE_MAX);
    push_frame(exchange, &frame);
    if (rc_buf_status(&frame) == RC_OK) {
        (void)rc_responder_write(exchange->responder, rc_buf_get(&frame));
        rc_responder_end(exchange->responder);
    } else {
        cut(exchange);
    }
    rc_buf_done(&frame);
}

static void send_whole(rc_exchange *exchange)
{
    const rc_str body = rc_buf_get(&rc_exchange_current(exchange)->held);
    if (rc_responder_begin_raw(exchange->responder, exchange->status, rc_buf_get(&exchange->lines),
                               RC_HTTP1_LENGTH, body.len) != RC_OK) {
        cut(exchange);
        return;
    }
    /* The responder reads the body in place until it has sent the response. */
    if (body.len > 0)
        (void)rc_responder_write_borrowed(exchange->responder, body);
    rc_responder_end(exchange->responder);
}

static void send_tail(rc_exchange *exchange)
{
    const rc_str rest = rc_buf_get(&rc_exchange_current(exchange)->held);
    if (rest.len > 0)
        (void)rc_responder_write_borrowed(exchange->responder, rest);
    rc_responder_end(exchange->responder);
}

void rc_exchange_send_reply(rc_exchange *exchange)
{
    switch ((rc_exchange_ending)exchange->machine.ending) {
    case RC_ENDING_NONE:
        return;
    case RC_ENDING_WHOLE:
        send_whole(exchange);
        return;
    case RC_ENDING_TAIL:
        send_tail(exchange);
        return;
    case RC_ENDING_ERROR:
        if (rc_exchange_has_event_head(exchange))
            send_error_event(exchange);
        else
            send_error(exchange);
        return;
    case RC_ENDING_ERROR_EVENT:
        send_error_event(exchange);
        return;
    case RC_ENDING_ABORT:
        rc_responder_abort(exchange->responder);
        return;
    }
}
