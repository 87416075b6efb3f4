/* Handles the response of a provider: head, body and end, in the mode that rc_response chooses.
 * Called by rc_upstream and rc_demo. */
#include "gateway/exchange/attempt_response.h"
#include "base/str.h"
#include "dialect/finish.h"
#include "gateway/exchange/attempt.h"
#include "gateway/exchange/attempt_decoder.h"
#include "gateway/exchange/attempt_failure.h"
#include "gateway/exchange/attempt_stream.h"
#include "gateway/exchange/exchange_events.h"
#include "gateway/exchange/exchange_ledger.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/exchange/exchange_reply.h"
#include "gateway/exchange/translate/attempt_translate.h"
#include "gateway/observe/metrics.h"
#include "gateway/runtime/runtime.h"
#include "gateway/state/hub.h"
#include "gateway/state/snapshot.h"
#include "net/server/responder.h"

/* Maximum number of bytes of a provider's, model's or credential's name in a warning. */
#define NAME_MAX_BYTES ((size_t)1024)

/* ---- verdicts of rc_response ---- */

/* Builds the report of a flaw for the audit record. The client gets the response unchanged. */
static void note_flaw(rc_attempt *attempt, rc_code code)
{
    rc_builder builder;
    if (code == RC_CODE_NONE)
        return;
    rc_exchange_begin_report(attempt->exchange, &builder, code, RC_STR(""));
    rc_builder_set_provider(&builder, attempt->provider->config->name);
    rc_builder_set_model(&builder, attempt->model);
    rc_builder_set_provider_status(&builder, rc_http1_status(attempt->reader));
    rc_builder_set_context_int(&builder, RC_STR("attempt"), (int64_t)attempt->number);
    rc_report_free(attempt->flaw);
    attempt->flaw = rc_builder_finish(&builder);
}

static void judge_stream(rc_attempt *attempt)
{
    note_flaw(attempt, rc_finish_code(attempt->response.watch.finish));
}

static void fail_body(rc_attempt *attempt)
{
    rc_failure failure = {.body = rc_buf_get(&attempt->held), .phase = RC_PHASE_HEADERS};
    rc_attempt_fail(attempt, &failure);
}

static void fail_shape(rc_attempt *attempt, const rc_response_verdict *verdict)
{
    char scratch[RC_RESPONSE_MISSHAPE_MAX_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_response_push_misshape(&attempt->response, verdict->kind, &text);
    if (verdict->code != RC_CODE_NONE)
        rc_attempt_fail_ended(attempt, verdict->code, RC_STR(""));
    else
        rc_attempt_fail_unusable_text(attempt, RC_LOCAL_NOT_A_STREAM, rc_buf_get(&text));
}

static void fail(rc_attempt *attempt, const rc_response_verdict *verdict)
{
    rc_failure failure = {.event = verdict->error, .phase = RC_PHASE_HEADERS};
    switch (verdict->result) {
    case RC_RESPONSE_GOOD:
        return;
    case RC_RESPONSE_ERROR:
        fail_body(attempt);
        return;
    case RC_RESPONSE_ERROR_EVENT:
        rc_attempt_fail(attempt, &failure);
        return;
    case RC_RESPONSE_MISSHAPEN:
        fail_shape(attempt, verdict);
        return;
    }
}

static bool judge_whole(rc_attempt *attempt)
{
    const rc_response_verdict verdict =
        rc_response_judge_whole(&attempt->response, rc_buf_get(&attempt->held), &attempt->scratch);
    if (verdict.result == RC_RESPONSE_GOOD)
        note_flaw(attempt, verdict.code);
    else
        fail(attempt, &verdict);
    return verdict.result == RC_RESPONSE_GOOD;
}

static bool judge_start(rc_attempt *attempt)
{
    const rc_response_verdict verdict =
        rc_response_judge_start(&attempt->response, rc_buf_get(&attempt->held), &attempt->scratch);
    if (verdict.result == RC_RESPONSE_GOOD)
        return true;
    rc_attempt_stop(attempt);
    fail(attempt, &verdict);
    return false;
}

/* ---- sending to the client ---- */

/* Returns the target as the response headers name it. `scratch`: RC_TARGET_TEXT_MAX bytes, used for
 * a model that the client named. */
static rc_str target_text(const rc_attempt *attempt, char *scratch)
{
    rc_buf text;
    const rc_str header_text = attempt->exchange->route->entries[attempt->entry].header_text;
    if (header_text.len > 0)
        return header_text;
    rc_buf_init_fixed(&text, scratch, RC_TARGET_TEXT_MAX);
    rc_target_text_push(&text, attempt->provider->config->name, attempt->model);
    return rc_buf_get(&text);
}

/* Writes the response head for the client. Must be called while the provider's head is valid.
 * is_whole: the body is complete, so the head can state its cost. */
static bool write_lines(rc_attempt *attempt, bool is_whole)
{
    rc_exchange *exchange = attempt->exchange;
    char scratch[RC_TARGET_TEXT_MAX];
    rc_reply_facts facts = {
        .attempts = exchange->machine.action.attempt,
        .target = target_text(attempt, scratch),
        .request_id = rc_str_c(exchange->id.text),
        .report_id = attempt->flaw != NULL ? rc_report_id(attempt->flaw) : rc_str_make(NULL, 0),
        .waited_ms = exchange->wait_ms,
        .translated = rc_attempt_translation_text(attempt),
        .content_type = rc_attempt_translation_type(attempt),
    };
    char masked_scratch[RC_MASKED_TEXT_MAX];
    rc_buf masked;
    rc_buf_init_fixed(&masked, masked_scratch, sizeof masked_scratch);
    rc_exchange_fill_masked(exchange, &masked, &facts);
    if (is_whole)
        rc_exchange_fill_cost(exchange, attempt, &facts);
    rc_exchange_fill_times(exchange, attempt, &facts);
    rc_buf_reset(&exchange->lines);
    exchange->status = rc_http1_status(attempt->reader);
    return rc_client_response_head_push(&exchange->lines, attempt->reader,
                                        rc_buf_get(&attempt->head).ptr, attempt->is_compressed,
                                        &facts) == RC_OK;
}

/* Begins the response to the client. A head that was already sent for an event has announced a
 * stream of events, so only a stream can follow. Returns false if another response would follow or
 * sending failed. */
static bool begin_response(rc_attempt *attempt, rc_http1_framing framing, uint64_t length)
{
    rc_exchange *exchange = attempt->exchange;
    if (rc_exchange_has_event_head(exchange))
        return attempt->mode == RC_MODE_STREAM && !rc_attempt_is_client_array(attempt);
    return write_lines(attempt, false) &&
           rc_responder_begin_raw(exchange->responder, exchange->status,
                                  rc_buf_get(&exchange->lines), framing, length) == RC_OK;
}

bool rc_attempt_commit(rc_attempt *attempt, rc_http1_framing framing, uint64_t length)
{
    rc_exchange *exchange = attempt->exchange;
    const uint64_t serial = exchange->serial;
    const rc_exchange_input input = {
        .kind = RC_INPUT_CONTENT,
        .slot = attempt->slot,
        .can_carry_error = attempt->mode == RC_MODE_STREAM || rc_exchange_has_event_head(exchange),
    };
    exchange->framing = framing;
    exchange->length = length;
    rc_exchange_feed(exchange, &input);
    return exchange->serial == serial && rc_exchange_is_responding(&exchange->machine, input.slot);
}

void rc_attempt_begin_response(rc_attempt *attempt)
{
    rc_exchange *exchange = attempt->exchange;
    exchange->first_byte_ms = (int64_t)(rc_runtime_now(exchange->runtime) - exchange->began_ms);
    if (begin_response(attempt, exchange->framing, exchange->length)) {
        rc_buf_release(&exchange->lines);
        return;
    }
    rc_attempt_stop(attempt);
    if (rc_exchange_has_event_head(exchange))
        rc_attempt_fail_local(attempt, RC_LOCAL_NOT_A_STREAM, RC_STR(""));
    else
        rc_attempt_fail_local(attempt, RC_LOCAL_NO_MEMORY_FOR_RESPONSE, RC_STR(""));
}

void rc_attempt_write(rc_attempt *attempt, rc_str bytes)
{
    if (bytes.len > 0 && !rc_responder_write(attempt->exchange->responder, bytes))
        rc_attempt_pause(attempt);
}

void rc_attempt_deliver(rc_attempt *attempt)
{
    if (attempt->mode == RC_MODE_STREAM)
        judge_stream(attempt);
    rc_attempt_feed(attempt, RC_INPUT_COMPLETE);
}

/* Returns the content-length of a response to HEAD. Such a response has no body, so the parser
 * reports no length, but it has checked the digits. */
static uint64_t length_without_body(const rc_attempt *attempt)
{
    const rc_str length_text =
        rc_http1_find(attempt->reader, rc_buf_get(&attempt->head).ptr, RC_STR("content-length"));
    uint64_t length = 0;
    for (size_t i = 0; i < length_text.len && length_text.len < 19; i++)
        length = length * 10 + (uint64_t)(length_text.ptr[i] - '0');
    return length;
}

/* Begins to scan a relayed body for its usage. */
static void begin_scan(rc_attempt *attempt)
{
    attempt->is_scanned = !attempt->exchange->request.is_free;
    if (!attempt->is_scanned)
        return;
    rc_usage_scan_init(&attempt->reading.scan, &attempt->scratch);
    rc_usage_scan_push(&attempt->reading.scan, &attempt->response.usage,
                       rc_buf_get(&attempt->held));
}

/* Returns whether the piece completes the body. The gateway holds back the last byte of the body
 * until the record is stored. */
static bool has_last_byte(const rc_attempt *attempt, rc_str piece)
{
    return rc_response_has_last_byte(&attempt->response, attempt->bytes, piece);
}

/* Begins to relay the body, with the provider's content-length if there is one. is_whole: all
 * received bytes are in `held`. Returns false if the exchange is over. */
static bool relay(rc_attempt *attempt, bool is_whole)
{
    const rc_http1 *reader = attempt->reader;
    const bool has_length = attempt->response.has_length;
    const rc_http1_framing framing =
        reader->framing == RC_HTTP1_NO_BODY || has_length ? RC_HTTP1_LENGTH : RC_HTTP1_CHUNKED;
    uint64_t length = has_length ? reader->length : 0;
    if (reader->is_bodiless)
        length = length_without_body(attempt);
    attempt->mode = RC_MODE_RELAY;
    if (!rc_attempt_commit(attempt, framing, length))
        return false;
    begin_scan(attempt);
    const rc_str held = rc_buf_get(&attempt->held);
    const char last = held.len > 0 ? held.ptr[held.len - 1] : '\0';
    const bool is_last = is_whole && has_last_byte(attempt, held);
    rc_attempt_write(attempt, rc_str_slice(held, 0, held.len - is_last));
    rc_buf_reset(&attempt->held);
    if (is_last)
        rc_buf_push_byte(&attempt->held, last);
    rc_attempt_free_request(attempt);
    return true;
}

static void relay_piece(rc_attempt *attempt, rc_str piece)
{
    if (attempt->is_scanned)
        rc_usage_scan_push(&attempt->reading.scan, &attempt->response.usage, piece);
    if (has_last_byte(attempt, piece)) {
        rc_attempt_write(attempt, rc_str_slice(piece, 0, piece.len - 1));
        rc_buf_push_byte(&attempt->held, piece.ptr[piece.len - 1]);
    } else {
        rc_attempt_write(attempt, piece);
    }
}

/* ---- bodies that are judged before they are sent ---- */

static void end_whole(rc_attempt *attempt)
{
    rc_exchange *exchange = attempt->exchange;
    if (!judge_whole(attempt) || !rc_attempt_translate_whole(attempt))
        return;
    rc_attempt_feed(attempt, RC_INPUT_CHOSEN);
    if (!write_lines(attempt, true)) {
        rc_attempt_fail_local(attempt, RC_LOCAL_NO_MEMORY_FOR_RESPONSE, RC_STR(""));
        return;
    }
    exchange->first_byte_ms = (int64_t)(rc_runtime_now(exchange->runtime) - exchange->began_ms);
    rc_attempt_deliver(attempt);
}

/* Returns the number of bytes up to which a response is held back until it is complete. */
static size_t held_max(const rc_attempt *attempt)
{
    return attempt->translation != NULL ? RC_ATTEMPT_WHOLE_MAX : RC_ATTEMPT_HELD_MAX;
}

/* Holds a piece back. If the body becomes too large to hold, rc_response judges it by its
 * beginning. */
static void hold(rc_attempt *attempt, rc_str piece)
{
    const rc_response *response = &attempt->response;
    if (rc_buf_get(&attempt->held).len == 0 && response->has_length &&
        response->length_bytes <= held_max(attempt))
        (void)rc_buf_reserve(&attempt->held, (size_t)response->length_bytes);
    rc_buf_push(&attempt->held, piece);
    const bool is_kept = rc_buf_status(&attempt->held) == RC_OK;
    if (is_kept && rc_buf_get(&attempt->held).len <= held_max(attempt))
        return;
    if (attempt->translation != NULL) {
        rc_attempt_stop(attempt);
        rc_attempt_fail_untranslatable(attempt, RC_LOCAL_TRANSLATION_TOO_LARGE);
        return;
    }
    /* A piece that did not fit into `held` is relayed after it. */
    if (judge_start(attempt) && relay(attempt, is_kept) && !is_kept)
        relay_piece(attempt, piece);
}

/* ---- the provider's limits ---- */

static void emit_quota(const rc_attempt *attempt, const rc_quota *low)
{
    const rc_exchange *exchange = attempt->exchange;
    const rc_exchange_observer *observer = &exchange->runtime->observer;
    char target_scratch[2 * NAME_MAX_BYTES + 1];
    char key_scratch[NAME_MAX_BYTES];
    rc_buf target;
    rc_buf key;
    rc_metrics_on_quota(exchange->runtime->metrics, exchange->route->entries[attempt->entry].metric,
                        low->kind);
    rc_exchange_add_quota(attempt, low);
    if (observer->on_quota == NULL)
        return;
    rc_buf_init_fixed(&target, target_scratch, sizeof target_scratch);
    rc_buf_init_fixed(&key, key_scratch, sizeof key_scratch);
    rc_buf_push(&target, attempt->provider->config->name);
    if (attempt->model.len > 0) { /* The request of a passthrough has no model. */
        rc_buf_push_byte(&target, '/');
        rc_buf_push(&target, attempt->model);
    }
    if (attempt->credential != RC_NO_TARGET)
        (void)rc_hub_credential_name(exchange->runtime->hub, attempt->credential, &key);
    const rc_quota_warning warning = {
        .request_id = rc_str_c(exchange->id.text),
        .mark = exchange->request.mark,
        .target = rc_buf_get(&target),
        .credential = rc_buf_get(&key),
        .quota = low,
        .unix_ms = rc_runtime_unix_ms(exchange->runtime),
    };
    observer->on_quota(observer->ctx, &warning);
}

/* Passes the limits to the call, for the learned rate limits (rate_limits.h). If several limits
 * have the same axis, such as a minute's and a day's, the one with the least left counts. A limit
 * whose reset is not stated cannot be computed ahead, so it is left out. During a hedge only the
 * first attempt is the call's. */
static void learn(const rc_attempt *attempt, const rc_quotas *quotas)
{
    static const rc_limit_axis axes[RC_QUOTA_KIND_COUNT] = {
        [RC_QUOTA_REQUESTS] = RC_LIMIT_REQUESTS,
        [RC_QUOTA_TOKENS] = RC_LIMIT_TOKENS,
        [RC_QUOTA_INPUT_TOKENS] = RC_LIMIT_INPUT_TOKENS,
        [RC_QUOTA_OUTPUT_TOKENS] = RC_LIMIT_OUTPUT_TOKENS,
    };
    rc_exchange *exchange = attempt->exchange;
    rc_runtime *runtime = exchange->runtime;
    const rc_quota *lowest[RC_LIMIT_AXES] = {NULL};
    rc_limit_facts facts = {.count = 0};
    for (uint32_t i = 0; i < quotas->count; i++) {
        const rc_quota *quota = &quotas->list[i];
        if (quota->kind == RC_QUOTA_OTHER || !rc_quota_is_sound(quota) || quota->reset_ms < 0)
            continue;
        const rc_quota **at = &lowest[axes[quota->kind]];
        if (*at == NULL || quota->remaining < (*at)->remaining)
            *at = quota;
    }
    for (uint32_t axis = 0; axis < RC_LIMIT_AXES; axis++)
        if (lowest[axis] != NULL)
            facts.list[facts.count++] = (rc_limit_fact){.axis = (rc_limit_axis)axis,
                                                        .limit = lowest[axis]->limit,
                                                        .remaining = lowest[axis]->remaining,
                                                        .reset_ms = lowest[axis]->reset_ms};
    if (facts.count == 0 || attempt->slot != exchange->machine.current)
        return;
    if (facts.list[facts.count - 1].axis != RC_LIMIT_REQUESTS)
        atomic_store_explicit(&runtime->hub->limits_tokens, true, memory_order_relaxed);
    rc_call_on_limits(&exchange->machine.call, &facts, rc_runtime_now(runtime));
}

/* Reads the limits from the headers, beginning with header number `first`. */
static void read_quota_from(const rc_attempt *attempt, const rc_upstream_head *head, uint32_t first)
{
    const rc_exchange *exchange = attempt->exchange;
    rc_runtime *runtime = exchange->runtime;
    rc_quotas quotas;
    rc_quotas_init(&quotas, rc_runtime_unix_ms(runtime));
    for (uint32_t i = first; i < head->reader->field_count; i++)
        rc_quotas_add_header(&quotas, rc_http1_name(head->reader, head->bytes, i),
                             rc_http1_value(head->reader, head->bytes, i));
    if (quotas.count == 0)
        return;
    learn(attempt, &quotas);
    rc_quotas_scrub(&quotas);
    const rc_quota *low =
        rc_quota_cache_update(&runtime->hub->quotas, exchange->plan.entries[attempt->entry].target,
                              attempt->credential, &quotas);
    if (low != NULL)
        emit_quota(attempt, low);
}

/* Reads the provider's limits from the head of a response with any status, caches them and adds a
 * warning to the record. */
static void read_quota(const rc_attempt *attempt, const rc_upstream_head *head)
{
    const rc_http1 *reader = head->reader;
    for (uint32_t i = 0; i < reader->field_count; i++)
        if (rc_quotas_is_candidate(rc_http1_name(reader, head->bytes, i))) {
            read_quota_from(attempt, head, i);
            return;
        }
}

/* ---- callbacks of rc_upstream ---- */

/* Judges the response head with rc_response and returns the content coding of the body. */
static rc_coding judge_head(rc_attempt *attempt, const rc_upstream_head *head)
{
    const rc_http1 *reader = head->reader;
    const rc_coding coding =
        reader->framing == RC_HTTP1_NO_BODY ? RC_CODING_NONE : rc_coding_of(reader, head->bytes);
    const rc_response_facts facts = {
        .status = head->status,
        .content_type = rc_http1_find(reader, head->bytes, RC_STR("content-type")),
        .is_bodiless = reader->is_bodiless,
        .has_length = reader->framing == RC_HTTP1_LENGTH,
        .length_bytes = reader->length,
        .is_compressed = coding != RC_CODING_NONE,
        .is_coding_known = coding != RC_CODING_OTHER,
    };
    rc_response_on_head(&attempt->response, &facts);
    return coding;
}

static void on_head(void *ctx, const rc_upstream_head *head)
{
    rc_attempt *attempt = ctx;
    rc_exchange *exchange = attempt->exchange;
    attempt->reader = head->reader;
    attempt->table = rc_upstream_take_table(&attempt->upstream);
    attempt->first_byte_ms = (int64_t)(rc_runtime_now(exchange->runtime) - attempt->started_ms);
    attempt->first_byte_us = (uv_hrtime() - attempt->started_ns) / 1000;
    rc_buf_push(&attempt->head, rc_str_make(head->bytes, head->reader->head_bytes));
    if (rc_buf_status(&attempt->head) != RC_OK) {
        rc_attempt_stop(attempt);
        rc_attempt_fail_local(attempt, RC_LOCAL_NO_MEMORY_FOR_RESPONSE, RC_STR(""));
        return;
    }
    read_quota(attempt, head);
    const rc_coding coding = judge_head(attempt, head);
    attempt->mode = attempt->response.mode;
    if (attempt->mode == RC_MODE_STREAM)
        rc_attempt_stream_begin(attempt, attempt->response.expected == RC_EXPECT_ARRAY);
    if (attempt->response.is_decoded)
        rc_attempt_decoder_begin(attempt, coding);
}

void rc_attempt_on_body(rc_attempt *attempt, rc_str piece)
{
    attempt->bytes += piece.len;
    switch (attempt->mode) {
    case RC_MODE_ERROR: {
        const size_t used = rc_buf_get(&attempt->held).len;
        rc_buf_push(&attempt->held, rc_str_slice(piece, 0, RC_ATTEMPT_ERROR_MAX - used));
        return;
    }
    case RC_MODE_WHOLE:
        hold(attempt, piece);
        return;
    case RC_MODE_STREAM:
        if (rc_response_is_in_shape(&attempt->response, &piece, &attempt->held)) {
            rc_attempt_stream_on_body(attempt, piece);
            return;
        }
        attempt->mode = attempt->response.mode;
        hold(attempt, piece);
        return;
    case RC_MODE_RELAY:
        if (rc_attempt_is_responding(attempt) || relay(attempt, false))
            relay_piece(attempt, piece);
        return;
    case RC_MODE_HEAD:
        return;
    }
}

static void on_body(void *ctx, rc_str piece)
{
    rc_attempt *attempt = ctx;
    if (attempt->decoder != NULL)
        rc_attempt_decoder_on_body(attempt, piece);
    else
        rc_attempt_on_body(attempt, piece);
}

void rc_attempt_on_body_end(rc_attempt *attempt)
{
    switch (attempt->mode) {
    case RC_MODE_ERROR:
        fail_body(attempt);
        return;
    case RC_MODE_WHOLE:
        end_whole(attempt);
        return;
    case RC_MODE_STREAM:
        rc_attempt_stream_on_end(attempt, NULL);
        return;
    case RC_MODE_RELAY:
        if (rc_response_is_missing(&attempt->response, attempt->bytes))
            fail_body(attempt);
        else if (rc_attempt_is_responding(attempt) || relay(attempt, true))
            rc_attempt_deliver(attempt);
        return;
    case RC_MODE_HEAD:
        return;
    }
}

static void on_end(void *ctx, bool is_kept)
{
    rc_attempt *attempt = ctx;
    (void)is_kept;
    attempt->demo = NULL;
    if (attempt->decoder == NULL || rc_attempt_decoder_on_end(attempt))
        rc_attempt_on_body_end(attempt);
}

static void fail_transport(rc_attempt *attempt, const rc_upstream_failure *failure)
{
    rc_failure known = {
        .transport = failure->transport,
        .phase = failure->phase,
        .body = rc_buf_get(&attempt->held),
        .connection = failure->connection,
        .connection_detail = failure->detail,
        .certificate_unix_ms = failure->certificate_unix_ms,
        .limit_ms = failure->limit_ms,
    };
    rc_attempt_fail(attempt, &known);
}

/* Writes "backup sent an invalid HTTP response: the protocol was switched." */
static rc_str malformed_text(const rc_attempt *attempt, const char *text, char *scratch,
                             size_t size)
{
    rc_buf sentence;
    rc_buf_init_fixed(&sentence, scratch, size);
    rc_buf_push(&sentence, rc_str_slice(attempt->provider->config->name, 0, size / 2));
    rc_buf_push(&sentence, RC_STR(" sent an invalid HTTP response: "));
    rc_buf_push(&sentence, rc_str_c(text));
    rc_buf_push_byte(&sentence, '.');
    return rc_buf_get(&sentence);
}

void rc_attempt_on_failure(rc_attempt *attempt, const rc_upstream_failure *failure)
{
    char scratch[256];
    if (failure->is_local)
        rc_attempt_fail_local(attempt, rc_attempt_local_outcome(failure->kind),
                              rc_exchange_sentence(failure->text, scratch, sizeof scratch));
    else if (attempt->mode == RC_MODE_STREAM)
        rc_attempt_stream_on_end(attempt, failure);
    else if (failure->kind == RC_UPSTREAM_MALFORMED)
        rc_attempt_fail_unusable_text(
            attempt, RC_LOCAL_NOT_HTTP,
            malformed_text(attempt, failure->text, scratch, sizeof scratch));
    else
        fail_transport(attempt, failure);
}

static void on_failure(void *ctx, const rc_upstream_failure *failure)
{
    rc_attempt *attempt = ctx;
    attempt->demo = NULL;
    if (attempt->decoder == NULL || rc_attempt_decoder_on_failure(attempt, failure))
        rc_attempt_on_failure(attempt, failure);
}

/* Called when the provider can receive more of a request body that the gateway passes on as it
 * arrives. */
static void on_drained(void *ctx)
{
    const rc_attempt *attempt = ctx;
    if (attempt->exchange->responder != NULL)
        rc_responder_resume_body(attempt->exchange->responder);
}

const rc_upstream_handler rc_attempt_upstream_handler = {
    .on_head = on_head,
    .on_body = on_body,
    .on_end = on_end,
    .on_failure = on_failure,
    .on_drained = on_drained,
};
