/* Classifies the failure of an attempt and reports it to the exchange's machine. Called by the
 * other attempt files. */
#include "gateway/exchange/attempt_failure.h"
#include "base/str.h"
#include "gateway/exchange/attempt.h"
#include "gateway/exchange/exchange_deadline.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/exchange/exchange_reply.h"
#include "gateway/exchange/translate/exchange_translate.h"
#include "gateway/runtime/runtime.h"
#include "gateway/state/snapshot.h"

/* Shorter keys, such as "none" or "ollama", are placeholders, not secrets. */
#define KEY_MIN_BYTES 7u
#define HIDDEN RC_STR("[redacted]")

/* ---- the facts for rc_call ---- */

/* Returns the facts of the latest report for rc_call. A passthrough path may need another kind of
 * key than the configured one, so its failures never disable a key. */
static rc_failure_facts failure_facts_of(const rc_attempt *attempt)
{
    const rc_exchange *exchange = attempt->exchange;
    rc_failure_facts why = rc_failure_facts_of(exchange->report);
    why.is_key_exempt = exchange->request.endpoint->wire == RC_WIRE_NATIVE;
    why.is_target_exempt =
        (exchange->is_late || attempt->is_share_over) && !rc_attempt_had_time(attempt);
    return why;
}

/* ---- the key that was sent ---- */

/* Returns whether the text contains the key that was sent. The scrubber removes keys only by their
 * form, so this function searches for the value of the key. */
static bool has_key(const rc_attempt *attempt, rc_str text)
{
    return attempt->key.len >= KEY_MIN_BYTES &&
           rc_secret_find(text, attempt->key, 0) != RC_STR_NPOS;
}

/* Returns the text without the key. `copy`: memory for a changed text. */
static rc_str hide_key(const rc_attempt *attempt, rc_str text, rc_buf *copy)
{
    if (!has_key(attempt, text))
        return text;
    for (size_t at = 0; at < text.len;) {
        const size_t found = rc_secret_find(text, attempt->key, at);
        const size_t end = found == RC_STR_NPOS ? text.len : found;
        rc_buf_push(copy, rc_str_slice(text, at, end));
        if (found != RC_STR_NPOS)
            rc_buf_push(copy, HIDDEN);
        at = found == RC_STR_NPOS ? text.len : found + attempt->key.len;
    }
    return rc_buf_status(copy) == RC_OK ? rc_buf_get(copy) : RC_STR("");
}

/* Returns the maximum length of the text after each key in it was replaced by HIDDEN. HIDDEN is
 * less than twice as long as a key of KEY_MIN_BYTES. */
static size_t hidden_max(rc_str text)
{
    return 2 * text.len;
}

/* Classifies a failure. The key is removed from the provider's texts first, because a provider may
 * repeat it in an error. */
static const rc_report *classify(const rc_attempt *attempt, const rc_failure *failure)
{
    const rc_alloc *alloc = &attempt->exchange->runtime->alloc;
    rc_failure clean = *failure;
    rc_buf body;
    rc_buf event;
    rc_buf_init(&body, alloc, hidden_max(failure->body));
    rc_buf_init(&event, alloc, hidden_max(failure->event));
    clean.body = hide_key(attempt, failure->body, &body);
    clean.event = hide_key(attempt, failure->event, &event);
    const rc_report *report = rc_classify(&clean, attempt->exchange->snapshot->input.rules, alloc);
    rc_buf_done(&body);
    rc_buf_done(&event);
    return report;
}

/* Stores the provider's rate-limit headers for the reply to the client, because clients of the same
 * dialect adjust their request rate to these headers. */
static void keep_limits(rc_attempt *attempt, const rc_report *report)
{
    rc_exchange *exchange = attempt->exchange;
    const rc_endpoint *endpoint = exchange->request.endpoint;
    rc_buf_reset(&exchange->limits);
    if (rc_outcome_is_limit(rc_report_code(report)) && attempt->mode != RC_MODE_HEAD &&
        attempt->translation == NULL &&
        (attempt->provider->is_demo ||
         rc_endpoint_is_supported(endpoint, attempt->provider->config->kind->dialect)))
        rc_client_response_limits_push(&exchange->limits, attempt->reader,
                                       rc_buf_get(&attempt->head).ptr);
    if (has_key(attempt, rc_buf_get(&exchange->limits)))
        rc_buf_reset(&exchange->limits);
}

static void take_report(rc_attempt *attempt, const rc_report *report)
{
    rc_exchange *exchange = attempt->exchange;
    if (!rc_outcome_is_limit(rc_report_code(report)))
        rc_buf_reset(&exchange->limits);
    rc_report_free(exchange->report);
    exchange->report = report;
    exchange->was_partly_sent = rc_attempt_is_responding(attempt);
}

static void end_failed(rc_attempt *attempt, const rc_report *report)
{
    rc_exchange *exchange = attempt->exchange;
    take_report(attempt, report);
    const rc_failure_facts facts = failure_facts_of(attempt);
    /* The next target may have another API. If memory runs out, RESERVE plans once more. */
    if (!exchange->machine.is_committed && !exchange->is_body_gone &&
        rc_exchange_may_translate(exchange))
        (void)rc_exchange_plan_translations(exchange);
    uv_update_time(exchange->runtime->uv_loop); /* A wait begins now, not when the loop woke up. */
    rc_exchange_feed(
        exchange,
        &(rc_exchange_input){.kind = RC_INPUT_FAILED, .slot = attempt->slot, .facts = &facts});
}

/* ---- classified failures ---- */

/* advice: what the user can do; empty: what the code says. */
static const rc_report *report_advised(const rc_attempt *attempt, rc_code code, rc_str message,
                                       rc_str advice)
{
    rc_builder builder;
    rc_exchange_begin_report(attempt->exchange, &builder, code, message);
    rc_builder_set_provider(&builder, attempt->provider->config->name);
    rc_builder_set_model(&builder, attempt->model);
    if (rc_outcome_is_busy(code))
        rc_builder_set_retry_after_ms(&builder, RC_EXCHANGE_BUSY_MS);
    if (advice.len > 0)
        rc_builder_set_action(&builder, RC_ACTION_FIX_REQUEST, advice);
    return rc_builder_finish(&builder);
}

static const rc_report *report_attempt(const rc_attempt *attempt, rc_code code, rc_str message)
{
    return report_advised(attempt, code, message, RC_STR(""));
}

/* Lists the headers of the response in the form that the classifier takes. */
static size_t list_headers(const rc_attempt *attempt, rc_header headers[RC_HTTP1_FIELDS_MAX])
{
    const rc_http1 *reader = attempt->reader;
    const char *head = rc_buf_get(&attempt->head).ptr;
    if (attempt->mode == RC_MODE_HEAD)
        return 0;
    for (uint32_t i = 0; i < reader->field_count; i++) {
        const rc_str value = rc_http1_value(reader, head, i);
        headers[i] =
            (rc_header){rc_http1_name(reader, head, i), has_key(attempt, value) ? HIDDEN : value};
    }
    return reader->field_count;
}

/* Builds the report for a request that the provider has carried out, but whose response cannot be
 * read. why: takes ownership. */
static const rc_report *report_lost(const rc_attempt *attempt, const rc_report *why)
{
    rc_builder builder;
    rc_exchange_begin_outcome(attempt->exchange, &builder, RC_LOCAL_UNREADABLE_AND_DONE,
                              RC_STR(""));
    rc_builder_set_provider(&builder, attempt->provider->config->name);
    rc_builder_set_model(&builder, attempt->model);
    rc_builder_set_cause(&builder, why);
    const rc_report *report = rc_builder_finish(&builder);
    rc_report_free(why);
    return report;
}

/* Returns the report of a response with a success status that cannot be used: `report` itself or a
 * report of the gateway in its place. report: takes ownership. */
static const rc_report *replace_unusable(const rc_attempt *attempt, const rc_report *report)
{
    const bool is_replayable = attempt->exchange->request.replay != RC_REPLAY_NO;
    rc_local_outcome outcome;
    if (!rc_outcome_of_unusable(rc_report_code(report), is_replayable, &outcome))
        return report;
    if (outcome == RC_LOCAL_UNREADABLE_AND_DONE)
        return report_lost(attempt, report);
    const rc_local_outcome_row *row = rc_local_outcome_get(outcome);
    rc_report_free(report);
    return report_attempt(attempt, row->code, row->message);
}

/* Classifies the failure, stops the attempt and feeds the failure to the machine. A success status
 * with an unusable response gets the code MalformedResponse if nothing more is known. A request
 * that must not be sent twice is not retried, because the provider has most likely carried it
 * out. */
void rc_attempt_fail(rc_attempt *attempt, rc_failure *failure)
{
    const rc_exchange *exchange = attempt->exchange;
    rc_runtime *runtime = exchange->runtime;
    const rc_id id = rc_runtime_next_id(runtime, rc_runtime_unix_ms(runtime));
    rc_header headers[RC_HTTP1_FIELDS_MAX];
    if (attempt->has_share && failure->connection == RC_CONNECTION_FIRST_BYTE_TIMEOUT) {
        failure->connection = RC_CONNECTION_SHARE_TIMEOUT;
        attempt->is_share_over = true;
    }
    failure->header_count = list_headers(attempt, headers);
    failure->headers = headers;
    failure->status = attempt->mode == RC_MODE_HEAD ? 0 : rc_http1_status(attempt->reader);
    failure->provider = attempt->provider->is_demo
                            ? RC_STR("")
                            : rc_config_kind_provider(attempt->provider->config->kind);
    failure->provider_label = attempt->provider->config->name;
    failure->model = attempt->model;
    failure->family = exchange->request.endpoint->family;
    failure->replay = exchange->request.replay;
    failure->now_unix_ms = rc_runtime_unix_ms(runtime);
    failure->report_id = rc_str_c(id.text);
    failure->is_request_gone =
        exchange->is_body_gone || exchange->is_body_streamed || exchange->request.is_compressed;
    if (!failure->is_request_gone)
        failure->request = exchange->request.body;
    if (rc_attempt_is_responding(attempt))
        failure->phase = RC_PHASE_COMMITTED;
    const rc_report *report = classify(attempt, failure);
    if (failure->status / 100 == 2)
        report = replace_unusable(attempt, report);
    keep_limits(attempt, report);
    /* The report has copies of all texts that the failure views. The attempt is not stopped before,
     * because rc_attempt_stop frees these texts. */
    rc_attempt_stop(attempt);
    end_failed(attempt, report);
}

/* ---- failures with a known code ---- */

void rc_attempt_fail_ended(rc_attempt *attempt, rc_code code, rc_str message)
{
    const bool is_replayable = attempt->exchange->request.replay != RC_REPLAY_NO;
    end_failed(attempt,
               report_attempt(attempt, rc_outcome_of_response(code, is_replayable), message));
}

void rc_attempt_fail_unusable_text(rc_attempt *attempt, rc_local_outcome outcome, rc_str message)
{
    rc_attempt_fail_ended(attempt, rc_local_outcome_get(outcome)->code, message);
}

void rc_attempt_fail_unusable(rc_attempt *attempt, rc_local_outcome outcome)
{
    rc_attempt_fail_unusable_text(attempt, outcome, rc_local_outcome_get(outcome)->message);
}

void rc_attempt_fail_untranslatable(rc_attempt *attempt, rc_local_outcome outcome)
{
    const bool is_replayable = attempt->exchange->request.replay != RC_REPLAY_NO;
    const rc_local_outcome_row *row = rc_local_outcome_get(outcome);
    const rc_str advice =
        outcome == RC_LOCAL_TRANSLATION_TOO_LARGE
            ? RC_STR("Limit the length of the response, for example with max_tokens, or use a "
                     "target whose API is the client's own.")
            : RC_STR("Change the request so that the model responds with text and calls of tools "
                     "only, or use a target whose API is the client's own.");
    end_failed(attempt, report_advised(attempt, rc_outcome_of_response(row->code, is_replayable),
                                       row->message, advice));
}

/* Returns whether the request was sent and must not be sent again. If the gateway itself fails
 * then, it is unknown whether the provider has carried out the request. */
static bool may_be_done(const rc_attempt *attempt)
{
    return attempt->exchange->request.replay == RC_REPLAY_NO && rc_attempt_was_sent(attempt);
}

void rc_attempt_fail_local(rc_attempt *attempt, rc_local_outcome outcome, rc_str message)
{
    const rc_local_outcome_row *row = rc_local_outcome_get(outcome);
    const rc_code code = rc_outcome_of_attempt(row->code, may_be_done(attempt));
    take_report(attempt, report_attempt(attempt, code, message.len > 0 ? message : row->message));
    rc_attempt_feed(attempt, RC_INPUT_FAULT);
}

rc_local_outcome rc_attempt_local_outcome(rc_upstream_kind kind)
{
    return kind == RC_UPSTREAM_ADDRESS_REFUSED ? RC_LOCAL_ADDRESS_REFUSED
                                               : RC_LOCAL_NO_CONNECTION_FREE;
}

void rc_attempt_break(rc_attempt *attempt, rc_local_outcome outcome)
{
    const rc_local_outcome wording = may_be_done(attempt) ? RC_LOCAL_STOPPING_AFTER_SEND : outcome;
    rc_attempt_stop(attempt);
    rc_attempt_fail_local(attempt, outcome, rc_local_outcome_get(wording)->message);
}
