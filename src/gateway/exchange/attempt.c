/* rc_attempt: writes the request for a provider, reserves its cost and starts the call. Called by
 * exchange.c, exchange_request.c and the other attempt files. */
#include "gateway/exchange/attempt.h"
#include "base/str.h"
#include "gateway/exchange/attempt_decoder.h"
#include "gateway/exchange/attempt_failure.h"
#include "gateway/exchange/attempt_response.h"
#include "gateway/exchange/exchange_budget.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/exchange/exchange_reply.h"
#include "gateway/exchange/translate/attempt_strip.h"
#include "gateway/exchange/translate/attempt_translate.h"
#include "gateway/exchange/translate/exchange_translate.h"
#include "gateway/observe/metrics.h"
#include "gateway/request/outbound.h"
#include "gateway/runtime/demo.h"
#include "gateway/runtime/runtime.h"
#include "gateway/state/hub.h"
#include "gateway/state/snapshot.h"
#include "net/server/responder.h"

/* Maximum size of the head, in addition to a body that the gateway rewrites. */
#define WIRE_MAX_BYTES ((size_t)256 << 10)
#define HEAD_MAX_BYTES ((size_t)128 << 10)
#define SCRATCH_MAX_BYTES (2 * RC_STREAM_EVENT_MAX_BYTES)

static uint32_t ms32(uint64_t ms)
{
    return ms < UINT32_MAX ? (uint32_t)ms : UINT32_MAX;
}

/* ---- memory ---- */

static rc_attempt *take_spare(rc_runtime *runtime)
{
    const rc_alloc *alloc = &runtime->alloc;
    rc_attempt *attempt = runtime->spare_attempts;
    if (attempt != NULL) {
        runtime->spare_attempts = attempt->next_spare;
        runtime->spare_attempt_count--;
        return attempt;
    }
    attempt = alloc->get(alloc->ctx, sizeof *attempt);
    if (attempt == NULL)
        return NULL;
    rc_buf_init(&attempt->wire, alloc, 0);
    rc_buf_init(&attempt->head, alloc, HEAD_MAX_BYTES);
    rc_buf_init(&attempt->held, alloc, 2 * RC_ATTEMPT_HELD_MAX);
    rc_buf_init(&attempt->scratch, alloc, SCRATCH_MAX_BYTES);
    return attempt;
}

static void init_response(rc_attempt *attempt)
{
    const rc_client_request *client_request = &attempt->exchange->request;
    const bool is_translated = attempt->translation != NULL;
    /* A translated request always says whether it is for a stream, and a stream consists of
     * events. */
    const rc_response_request request = {
        .endpoint = rc_attempt_endpoint(attempt),
        .is_stream = client_request->is_stream,
        .is_stream_unknown = client_request->is_stream_unknown && !is_translated,
        .is_sse = is_translated ? client_request->is_stream : client_request->is_sse,
        .is_free = client_request->is_free,
    };
    rc_response_init(&attempt->response, &request);
}

static rc_attempt *make_attempt(rc_exchange *exchange)
{
    rc_attempt *attempt = take_spare(exchange->runtime);
    if (attempt == NULL)
        return NULL;
    /* The parsers behind `response` are not zeroed here: each parser is initialised when it is
     * used, and the HTTP parser in `upstream` is large. */
    memset(attempt, 0, offsetof(rc_attempt, response));
    rc_upstream_call_init(&attempt->upstream);
    attempt->exchange = exchange;
    attempt->first_byte_ms = -1;
    attempt->held.max_bytes = 2 * RC_ATTEMPT_HELD_MAX;
    attempt->scratch.max_bytes = SCRATCH_MAX_BYTES;
    const size_t body_max = exchange->snapshot->config->limits.max_body_bytes;
    attempt->wire.max_bytes = WIRE_MAX_BYTES + body_max;
    return attempt;
}

static void free_memory(rc_runtime *runtime, rc_attempt *attempt)
{
    rc_buf_done(&attempt->wire);
    rc_buf_done(&attempt->head);
    rc_buf_done(&attempt->held);
    rc_buf_done(&attempt->scratch);
    runtime->alloc.put(runtime->alloc.ctx, attempt, sizeof *attempt);
}

static void release_reservation(rc_attempt *attempt)
{
    rc_runtime *runtime = attempt->exchange->runtime;
    if (attempt->reservation == NULL)
        return;
    if (attempt->reservation->count > 0)
        (void)rc_budgets_release(&runtime->hub->budgets, attempt->reservation);
    runtime->alloc.put(runtime->alloc.ctx, attempt->reservation, sizeof *attempt->reservation);
    attempt->reservation = NULL;
}

void rc_attempt_free(rc_attempt *attempt)
{
    if (attempt == NULL)
        return;
    rc_runtime *runtime = attempt->exchange->runtime;
    rc_attempt_stop(attempt);
    release_reservation(attempt);
    rc_attempt_translation_done(attempt);
    rc_attempt_strip_done(attempt);
    rc_report_free(attempt->flaw);
    attempt->flaw = NULL;
    if (attempt->table != NULL)
        runtime->alloc.put(runtime->alloc.ctx, attempt->table, sizeof *attempt->table);
    attempt->table = NULL;
    rc_secret_wipe_buf(&attempt->wire);
    if (runtime->spare_attempt_count >= RC_RUNTIME_SPARE_MAX) {
        free_memory(runtime, attempt);
        return;
    }
    rc_buf_recycle(&attempt->wire);
    rc_buf_recycle(&attempt->head);
    rc_buf_recycle(&attempt->held);
    rc_buf_recycle(&attempt->scratch);
    attempt->next_spare = runtime->spare_attempts;
    runtime->spare_attempts = attempt;
    runtime->spare_attempt_count++;
}

void rc_attempt_free_spares(rc_runtime *runtime)
{
    while (runtime->spare_attempts != NULL) {
        rc_attempt *attempt = runtime->spare_attempts;
        runtime->spare_attempts = attempt->next_spare;
        free_memory(runtime, attempt);
    }
}

/* Frees the attempt's request after content was sent to the client, because a stream may stay open
 * for long. Nothing is freed if the provider responds before it has read the whole request. The
 * response head is not freed, because a later report may need it. */
void rc_attempt_free_request(rc_attempt *attempt)
{
    if (attempt->demo != NULL || !rc_upstream_is_sent(&attempt->upstream))
        return;
    rc_secret_wipe_buf(&attempt->wire);
    rc_buf_release(&attempt->wire);
    attempt->exchange->estimate = rc_usage_estimate_read(attempt->exchange->request.body);
    if (!rc_attempt_translation_free_request(attempt))
        return;
    attempt->exchange->is_body_gone = true;
    rc_exchange_drop_body(attempt->exchange);
}

/* ---- the request ---- */

static const rc_route_entry *route_entry_of(const rc_attempt *attempt)
{
    return &attempt->exchange->route->entries[attempt->entry];
}

/* Returns the kind of the provider. The demo provider uses the API family of the request. */
static const rc_config_kind *kind_of(const rc_attempt *attempt)
{
    if (!attempt->provider->is_demo)
        return attempt->provider->config->kind;
    switch (attempt->exchange->request.endpoint->wire) {
    case RC_WIRE_ANTHROPIC:
        return rc_config_kind_find(RC_STR("anthropic"));
    case RC_WIRE_GEMINI:
        return rc_config_kind_find(RC_STR("gemini"));
    case RC_WIRE_OPENAI:
    case RC_WIRE_COUNT: /* RC_WIRE_NATIVE */
    case RC_WIRE_LOCAL:
        break;
    }
    return rc_config_kind_find(RC_STR("openai"));
}

static bool is_open(rc_str model)
{
    return rc_str_eq(model, RC_STR("*"));
}

static rc_request_fault write_request(rc_attempt *attempt, rc_outbound_request *ret_upstream)
{
    rc_runtime *runtime = attempt->exchange->runtime;
    rc_outbound_target target = {
        .origin = &attempt->provider->origin,
        .kind = kind_of(attempt),
        .auth = (rc_config_auth)attempt->provider->config->auth,
        .model = is_open(route_entry_of(attempt)->model) ? attempt->exchange->requested_model
                                                         : attempt->model,
        .quoted = route_entry_of(attempt)->quoted,
        .key = rc_secret_make(rc_str_make(NULL, 0)),
        .hop = rc_hub_hop(runtime->hub),
    };
    if (attempt->credential != RC_NO_TARGET &&
        !rc_runtime_find_key(runtime, attempt->provider, attempt->credential, &target.key))
        return rc_request_fault_make(RC_REQUEST_FAULT_KEY, "keys",
                                     "a provider that is still configured");
    attempt->key = target.key;
    rc_client_request stripped;
    const rc_client_request *request;
    rc_request_fault fault = rc_attempt_translate_request(attempt, &target);
    if (fault.kind == RC_REQUEST_FAULT_NONE)
        fault = rc_attempt_strip_request(attempt, &stripped, &request);
    if (fault.kind != RC_REQUEST_FAULT_NONE)
        return fault;
    if (attempt->exchange->request.trace.is_valid)
        rc_runtime_entropy(runtime, target.span, sizeof target.span);
    return rc_outbound_request_write(request, &target, &attempt->wire, ret_upstream);
}

/* ---- the call ---- */

static void start_demo(rc_attempt *attempt, const rc_upstream_request *request)
{
    rc_runtime *runtime = attempt->exchange->runtime;
    rc_demo *demo = rc_runtime_demo(runtime);
    if (demo != NULL)
        attempt->demo = rc_demo_start(demo, request, rc_runtime_unix_ms(runtime),
                                      &rc_attempt_upstream_handler, attempt);
    attempt->is_started = attempt->demo != NULL;
    if (attempt->demo == NULL)
        rc_attempt_fail_local(attempt, RC_LOCAL_NO_MEMORY_FOR_DEMO, RC_STR(""));
}

static void start(rc_attempt *attempt, const rc_upstream_request *request)
{
    if (attempt->provider->is_demo) {
        start_demo(attempt, request);
        return;
    }
    const rc_upstream_kind kind = rc_upstream_start(
        &attempt->upstream, attempt->exchange->runtime->upstream, &attempt->provider->origin,
        request, &rc_attempt_upstream_handler, attempt);
    if (kind == RC_UPSTREAM_NONE)
        return;
    char scratch[128];
    rc_attempt_fail_local(
        attempt, rc_attempt_local_outcome(kind),
        rc_exchange_sentence(rc_upstream_kind_text(kind), scratch, sizeof scratch));
}

/* Returns the time limit for the first byte: the configured limit, or a shorter share of the
 * deadline that leaves time for the next targets. A request that must not be sent twice has only
 * the configured limit, because no other target follows. */
static uint64_t first_byte_ms(rc_attempt *attempt)
{
    const rc_exchange *exchange = attempt->exchange;
    const uint64_t own_ms =
        rc_client_request_first_byte_ms(&exchange->request, &exchange->route->timeouts);
    const rc_action *action = &exchange->machine.action;
    if (exchange->request.replay == RC_REPLAY_NO || action->begin_by_ms >= action->deadline_at_ms ||
        exchange->machine.lanes[attempt->slot].lane == RC_LANE_SECOND)
        return own_ms;
    const uint64_t left_ms =
        action->begin_by_ms > attempt->started_ms ? action->begin_by_ms - attempt->started_ms : 1;
    attempt->has_share = own_ms == 0 || left_ms < own_ms;
    return attempt->has_share ? left_ms : own_ms;
}

void rc_attempt_send(rc_attempt *attempt)
{
    rc_exchange *exchange = attempt->exchange;
    const rc_config_timeouts *timeouts = &exchange->route->timeouts;
    rc_outbound_request up;
    const rc_request_fault fault = write_request(attempt, &up);
    if (fault.kind != RC_REQUEST_FAULT_NONE) {
        rc_attempt_fail_local(attempt, fault.outcome, rc_str_c(fault.text));
        return;
    }
    const rc_upstream_request request = {
        .head = up.head,
        .body = up.pieces[0],
        .more = {up.pieces[1], up.pieces[2]},
        .is_body_open = exchange->upload_left > 0,
        .is_bodiless = up.is_bodiless,
        .connect_ms = ms32(timeouts->connect_ms),
        .first_byte_ms = ms32(first_byte_ms(attempt)),
        .idle_ms = ms32(timeouts->idle_ms),
    };
    start(attempt, &request);
}

/* ---- budgets ---- */

static size_t route_index(const rc_exchange *exchange)
{
    return exchange->route->is_direct ? SIZE_MAX
                                      : (size_t)(exchange->route - exchange->snapshot->routes);
}

/* Allocates the reservation, which only configurations with budgets need. Returns false if memory
 * runs out. */
static bool has_reservation(rc_attempt *attempt)
{
    const rc_alloc *alloc = &attempt->exchange->runtime->alloc;
    if (attempt->reservation == NULL)
        attempt->reservation = alloc->get(alloc->ctx, sizeof *attempt->reservation);
    if (attempt->reservation != NULL)
        attempt->reservation->count = 0;
    return attempt->reservation != NULL;
}

static rc_ledger_decision reserve(rc_attempt *attempt)
{
    rc_exchange *exchange = attempt->exchange;
    char names[RC_METRICS_NAME_MAX * 5];
    rc_buf target;
    rc_ledger_notices notices = {.count = 0};
    rc_buf_init_fixed(&target, names, sizeof names);
    rc_buf_push(&target, attempt->provider->config->name);
    rc_buf_push_byte(&target, '/');
    rc_buf_push(&target, attempt->model);
    const rc_budgets_attempt budgets_attempt = {
        .client = exchange->client,
        .route = route_index(exchange),
        .target = rc_buf_get(&target),
        .provider = attempt->provider->config,
        .model = attempt->model,
        .request = exchange->request.body,
    };
    const rc_ledger_decision decision = rc_budgets_reserve(
        &exchange->runtime->hub->budgets, &exchange->snapshot->budgets, &budgets_attempt,
        attempt->started_unix_ms, attempt->reservation, &notices);
    rc_exchange_emit_budgets(exchange, &notices);
    return decision;
}

/* Sets the start of the attempt to the time of its reservation, because the budgets charge the cost
 * to the periods of that time. */
static void set_start(rc_attempt *attempt)
{
    rc_runtime *runtime = attempt->exchange->runtime;
    attempt->started_ms = rc_runtime_now(runtime);
    attempt->started_ns = uv_hrtime();
    attempt->started_unix_ms = rc_runtime_unix_ms(runtime);
}

static rc_reserve_verdict verdict_of(rc_ledger_verdict verdict)
{
    if (verdict == RC_LEDGER_GRANTED)
        return RC_RESERVE_GRANTED;
    return verdict == RC_LEDGER_WAIT ? RC_RESERVE_WAIT : RC_RESERVE_DENIED;
}

/* Plans the translation if the target has another API than the client. Feeds the machine and
 * returns false if the request cannot be expressed for the target, or if memory runs out. */
static bool translate(rc_attempt *attempt)
{
    rc_exchange *exchange = attempt->exchange;
    rc_exchange_input input = {.kind = RC_INPUT_RESERVED, .slot = attempt->slot};
    if (attempt->translation != NULL || !rc_exchange_may_translate(exchange) ||
        rc_exchange_interface(exchange, attempt->entry) == exchange->request.endpoint->dialect)
        return true;
    input.verdict = RC_RESERVE_NO_MEMORY;
    if (rc_exchange_plan_translations(exchange)) {
        input.verdict = RC_RESERVE_UNFIT;
        if (rc_exchange_is_fit(exchange, attempt->entry) && rc_attempt_translation_begin(attempt)) {
            init_response(attempt);
            return true;
        }
    }
    rc_exchange_feed(exchange, &input);
    return false;
}

void rc_attempt_reserve(rc_attempt *attempt)
{
    rc_exchange *exchange = attempt->exchange;
    if (!translate(attempt))
        return;
    rc_exchange_input input = {
        .kind = RC_INPUT_RESERVED,
        .slot = attempt->slot,
        .verdict = RC_RESERVE_GRANTED,
        .is_stopping = exchange->runtime->is_stopping,
    };
    set_start(attempt);
    if (exchange->snapshot->has_budgets && !exchange->request.is_free) {
        if (!has_reservation(attempt)) {
            input.verdict = RC_RESERVE_NO_MEMORY;
            rc_exchange_feed(exchange, &input);
            return;
        }
        const rc_ledger_decision decision = reserve(attempt);
        input.verdict = (uint8_t)verdict_of(decision.verdict);
        input.reason = decision.reason;
        if (decision.verdict != RC_LEDGER_GRANTED)
            exchange->decision = decision;
    }
    rc_exchange_feed(exchange, &input);
}

rc_attempt *rc_attempt_new(rc_exchange *exchange, uint8_t slot)
{
    const rc_exchange_lane *lane = &exchange->machine.lanes[slot];
    const rc_route_entry *route_entry = &exchange->route->entries[lane->entry];
    rc_attempt *attempt = make_attempt(exchange);
    if (attempt == NULL)
        return NULL;
    rc_attempt_free(exchange->attempts[slot]);
    exchange->attempts[slot] = attempt;
    attempt->slot = slot;
    attempt->entry = lane->entry;
    attempt->credential = lane->credential;
    attempt->number = exchange->machine.action.attempt;
    attempt->provider = route_entry->provider;
    attempt->model = is_open(route_entry->model) ? exchange->model : route_entry->model;
    attempt->first_byte_us = RC_METRICS_NO_TIME;
    init_response(attempt);
    return attempt;
}

/* ---- while it runs ---- */

void rc_attempt_stop(rc_attempt *attempt)
{
    if (attempt->demo != NULL)
        rc_demo_cancel(attempt->demo);
    attempt->demo = NULL;
    rc_upstream_cancel(&attempt->upstream);
    if (attempt->decoder != NULL)
        rc_attempt_decoder_stop(attempt);
}

void rc_attempt_pause(rc_attempt *attempt)
{
    attempt->is_client_slow = true;
    if (attempt->demo != NULL)
        rc_demo_pause(attempt->demo);
    else if (rc_upstream_is_live(&attempt->upstream))
        rc_upstream_pause(&attempt->upstream);
}

void rc_attempt_resume(rc_attempt *attempt)
{
    if (!attempt->is_client_slow)
        return;
    attempt->is_client_slow = false;
    if (attempt->demo != NULL)
        rc_demo_resume(attempt->demo);
    else if (attempt->decoder != NULL && rc_attempt_decoder_is_due(attempt))
        rc_exchange_arm(attempt->exchange);
    else if (rc_upstream_is_live(&attempt->upstream))
        rc_upstream_resume(&attempt->upstream);
}

bool rc_attempt_was_sent(const rc_attempt *attempt)
{
    return attempt->is_started || attempt->mode != RC_MODE_HEAD || attempt->upstream.accepted > 0;
}

void rc_attempt_upload(rc_attempt *attempt, rc_str piece, bool is_last)
{
    rc_exchange *exchange = attempt->exchange;
    if (!rc_upstream_is_live(&attempt->upstream))
        return;
    const rc_upstream_push_result result = rc_upstream_push(&attempt->upstream, piece);
    if (result == RC_PUSH_REFUSED) {
        rc_attempt_stop(attempt);
        rc_attempt_fail_local(attempt, RC_LOCAL_NO_MEMORY_FOR_UPLOAD, RC_STR(""));
        return;
    }
    if (is_last)
        rc_upstream_finish(&attempt->upstream);
    else if (result == RC_PUSH_FULL && exchange->responder != NULL)
        rc_responder_pause_body(exchange->responder);
}
