/* Reads a client's request, chooses its route and begins the call. Called by loop.c, attempt.c,
 * exchange.c and translate/exchange_translate.c. */
#include "base/str.h"
#include "dialect/usage_estimate.h"
#include "gateway/exchange/attempt.h"
#include "gateway/exchange/attempt_failure.h"
#include "gateway/exchange/exchange.h"
#include "gateway/exchange/exchange_deadline.h"
#include "gateway/exchange/exchange_limits.h"
#include "gateway/exchange/exchange_native.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/exchange/exchange_repeat.h"
#include "gateway/exchange/exchange_reply.h"
#include "gateway/exchange/exchange_request_loop.h"
#include "gateway/exchange/exchange_unknown_path.h"
#include "gateway/exchange/translate/exchange_translate.h"
#include "gateway/request/origin_guard.h"
#include "gateway/runtime/runtime.h"
#include "gateway/state/hub.h"
#include "gateway/state/model_list.h"
#include "gateway/state/snapshot.h"
#include "net/server/responder.h"
#include "store/writer.h"

/* Retry-After, in milliseconds, while the store fails. */
#define STORE_AGAIN_MS 6000
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* ---- the head ---- */

static void refuse_fault(rc_exchange *exchange, const rc_request_fault *fault)
{
    if (fault->kind != RC_REQUEST_FAULT_NOT_FOUND)
        rc_exchange_refuse_fault(exchange, fault);
    else
        rc_exchange_refuse_unknown_path(exchange);
}

/* Refuses requests that a browser sends on behalf of a page of another site. Used if no clients are
 * configured, because the gateway then accepts requests from everyone who can reach it. */
static bool is_refused_page(rc_exchange *exchange, const rc_http1 *reader, const char *head)
{
    switch (rc_origin_guard_check(reader, head, exchange->snapshot->config->root.listen)) {
    case RC_ORIGIN_ALLOWED:
        return false;
    case RC_ORIGIN_CROSS_SITE:
        rc_exchange_refuse(exchange, RC_LOCAL_OTHER_SITE);
        return true;
    case RC_ORIGIN_REBOUND:
        rc_exchange_refuse(exchange, RC_LOCAL_REBOUND_NAME);
        return true;
    }
    return false;
}

/* Reserves memory for a body of known length. At most replay_bytes are reserved, because the
 * gateway stores up to replay_bytes of every body. */
static void await_body(rc_exchange *exchange, const rc_http1 *reader)
{
    const uint64_t most = exchange->snapshot->config->limits.replay_bytes;
    if (reader->framing == RC_HTTP1_LENGTH && reader->length > 0)
        (void)rc_buf_reserve(&exchange->body,
                             (size_t)(reader->length < most ? reader->length : most));
}

/* Parses the head. *ret_client is the index of the client to which the token belongs; SIZE_MAX: no
 * client. The token is not stored. */
static rc_request_fault read_head(rc_exchange *exchange, const rc_http1 *reader, const char *head,
                                  size_t *ret_client)
{
    const rc_snapshot *snapshot = exchange->snapshot;
    char token_scratch[RC_CLIENT_TOKEN_MAX];
    const rc_request_fault fault =
        rc_client_request_read_head(&exchange->request, reader, head, token_scratch);
    *ret_client = snapshot->config->client_count > 0
                      ? rc_snapshot_find_client(snapshot, exchange->request.token)
                      : SIZE_MAX;
    exchange->request.token = rc_secret_make(rc_str_make(NULL, 0));
    return fault;
}

void rc_exchange_on_head(rc_exchange *exchange, const char *head)
{
    const rc_http1 *reader = rc_responder_reader(exchange->responder);
    const rc_snapshot *snapshot = exchange->snapshot;
    const rc_config *config = snapshot->config;
    size_t client;
    const rc_request_fault fault = read_head(exchange, reader, head, &client);
    const rc_endpoint *endpoint = exchange->request.endpoint;
    if (endpoint != NULL && endpoint->wire == RC_WIRE_NATIVE)
        exchange->dialect = rc_exchange_native_dialect(snapshot, &exchange->request);
    else
        exchange->dialect = rc_client_request_dialect(&exchange->request);
    if (exchange->request.wants_problem)
        exchange->dialect = RC_DIALECT_PROBLEM;
    if (exchange->request.deadline_ms > 0) {
        const rc_deadline_limits limits = rc_exchange_limits(exchange);
        rc_exchange_feed(exchange, &(rc_exchange_input){.kind = RC_INPUT_HEAD, .limits = &limits});
    }
    /* A looping request carries a provider's key instead of a client's token, so loops are checked
     * before the token. */
    if (rc_hops_is_request_loop(&exchange->request.hops, rc_hub_hop(exchange->runtime->hub))) {
        rc_exchange_refuse_request_loop(exchange);
        return;
    }
    if (config->client_count == 0 && is_refused_page(exchange, reader, head))
        return;
    exchange->client = client;
    if (config->client_count > 0 && client == SIZE_MAX)
        rc_exchange_refuse(exchange, RC_LOCAL_UNKNOWN_TOKEN);
    else if (fault.kind != RC_REQUEST_FAULT_NONE)
        refuse_fault(exchange, &fault);
    else if (reader->framing == RC_HTTP1_LENGTH && reader->length > config->limits.max_body_bytes)
        rc_exchange_refuse(exchange, RC_LOCAL_BODY_TOO_LARGE);
    else if (atomic_load_explicit(&exchange->runtime->hub->in_flight, memory_order_relaxed) >
             config->limits.max_in_flight)
        rc_exchange_shed(exchange, RC_LOCAL_TOO_MANY_REQUESTS);
    else
        await_body(exchange, reader);
}

/* ---- the plan ---- */

/* Uses the policy that the client chose in a header. Returns false if the request was refused. */
static bool choose_policy(rc_exchange *exchange)
{
    if (exchange->request.policy.len == 0)
        return true;
    const rc_policy *policy =
        rc_config_policy(exchange->snapshot->config, exchange->request.policy);
    if (policy == NULL)
        rc_exchange_refuse(exchange, RC_LOCAL_UNKNOWN_POLICY);
    else
        exchange->plan.policy = policy;
    return policy != NULL;
}

void rc_exchange_release_entries(rc_exchange *exchange)
{
    const rc_alloc *alloc = &exchange->runtime->alloc;
    const uint16_t count = exchange->plan.entry_count;
    if (exchange->entries == NULL)
        return;
    for (uint16_t i = 0; i < count; i++)
        if (exchange->entries[i].target != exchange->route->plan.entries[i].target)
            rc_hub_release_target(exchange->runtime->hub, exchange->entries[i].target,
                                  rc_runtime_now(exchange->runtime));
    if (exchange->entries != exchange->inline_entries)
        alloc->put(alloc->ctx, exchange->entries, count * sizeof *exchange->entries);
    exchange->entries = NULL;
}

bool rc_exchange_own_entries(rc_exchange *exchange)
{
    const rc_alloc *alloc = &exchange->runtime->alloc;
    const uint16_t count = exchange->plan.entry_count;
    if (exchange->entries != NULL)
        return true;
    exchange->entries = exchange->inline_entries;
    if (count > RC_EXCHANGE_INLINE_ENTRIES)
        exchange->entries = alloc->get(alloc->ctx, count * sizeof *exchange->entries);
    if (exchange->entries == NULL)
        return false;
    memcpy(exchange->entries, exchange->plan.entries, count * sizeof *exchange->entries);
    exchange->plan.entries = exchange->entries;
    return true;
}

/* Copies a plan with an open model ("*"), because its targets depend on the request. */
static bool copy_entries(rc_exchange *exchange)
{
    const uint64_t now_ms = rc_runtime_now(exchange->runtime);
    if (!rc_exchange_own_entries(exchange)) {
        rc_exchange_shed(exchange, RC_LOCAL_NO_MEMORY);
        return false;
    }
    for (uint16_t i = 0; i < exchange->plan.entry_count; i++)
        exchange->entries[i].target =
            rc_route_take_target(exchange->snapshot, exchange->route, i, exchange->model, now_ms);
    return true;
}

/* Copies the model's name. The record needs the name at the end, but the body is freed after
 * content was sent. */
static void store_model(rc_client_request *request)
{
    const bool is_same = request->model.ptr == request->requested_model.ptr;
    if (request->requested_model.len == 0 ||
        request->requested_model.len > sizeof request->model_storage)
        return;
    memmove(request->model_storage, request->requested_model.ptr, request->requested_model.len);
    request->requested_model.ptr = request->model_storage;
    if (is_same)
        request->model = request->requested_model;
}

/* Returns the part of the shown model name that follows the provider prefix. */
static rc_str shown_part(const rc_client_request *request, rc_str requested)
{
    const size_t before = request->requested_model.len - requested.len;
    if (!rc_str_starts_with(request->model, rc_str_slice(request->requested_model, 0, before)))
        return request->model;
    return rc_str_slice(request->model, before, request->model.len);
}

static bool find_route(rc_exchange *exchange)
{
    char scratch[256];
    rc_buf text;
    store_model(&exchange->request);
    rc_exchange_release_entries(exchange); /* Drops the entries that were chosen by the first bytes
                                            * of the body. */
    const rc_route_choice choice = rc_snapshot_choose(exchange->snapshot, &exchange->request);
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    if (rc_snapshot_explain_missing_provider(exchange->snapshot, choice.route,
                                             exchange->request.requested_model, &text)) {
        rc_exchange_refuse_text(exchange, RC_LOCAL_KEY_ABSENT, rc_buf_get(&text));
        return false;
    }
    if (choice.route == NULL && exchange->request.endpoint->wire == RC_WIRE_NATIVE) {
        rc_exchange_refuse(exchange, RC_LOCAL_UNKNOWN_PROVIDER);
        return false;
    }
    if (choice.route == NULL) {
        rc_exchange_refuse(exchange, RC_LOCAL_UNKNOWN_MODEL);
        return false;
    }
    exchange->route = choice.route;
    exchange->plan = choice.route->plan;
    exchange->requested_model = choice.model;
    exchange->model = shown_part(&exchange->request, choice.model);
    return true;
}

/* Limits the deadline that the client requested. This deadline may be shorter than the operator's
 * deadline, or longer up to the route's maximum. */
static bool limit_deadline(rc_exchange *exchange)
{
    const rc_route *route = exchange->route;
    if (exchange->request.deadline_ms > route->max_deadline_ms)
        exchange->request.deadline_ms =
            route->max_deadline_ms > route->deadline_ms ? route->max_deadline_ms : 0;
    return true;
}

/* Returns whether the budgets could not compute the request's cost, because its compressed body
 * hides the model. */
static bool hides_price(const rc_exchange *exchange)
{
    const rc_client_request *request = &exchange->request;
    return request->is_compressed && request->requested_model.len == 0 &&
           exchange->snapshot->has_budgets && !request->is_free;
}

static bool choose(rc_exchange *exchange)
{
    if (hides_price(exchange)) {
        const rc_request_fault fault =
            rc_request_fault_make(RC_REQUEST_FAULT_CODING, "content-encoding", "identity");
        rc_exchange_refuse_fault(exchange, &fault);
        return false;
    }
    return find_route(exchange) && limit_deadline(exchange) && choose_policy(exchange) &&
           (!exchange->route->is_open || copy_entries(exchange));
}

/* Refuses the request if the store is down and responses without a record are forbidden, so that no
 * provider is called in vain. */
static bool is_store_down(rc_exchange *exchange)
{
    rc_writer *writer = exchange->runtime->hub->writer;
    if (writer == NULL || !rc_writer_refuses(writer))
        return false;
    rc_builder builder;
    const rc_report *why = rc_writer_why(writer);
    rc_exchange_begin_report(exchange, &builder, RC_CODE_NONE, RC_STR(""));
    rc_builder_set_cause(&builder, why);
    rc_builder_set_retry_after_ms(&builder, STORE_AGAIN_MS);
    rc_exchange_refuse_report(exchange, rc_builder_finish(&builder));
    rc_report_free(why);
    return true;
}

/* Returns the hedge delay of the route. A request that must not be sent twice is not hedged,
 * because both attempts may be carried out. */
static uint64_t hedge_delay_ms(const rc_exchange *exchange)
{
    const bool is_hedged =
        exchange->route->hedge_ms > 0 && exchange->request.replay != RC_REPLAY_NO;
    return is_hedged ? exchange->route->hedge_ms : RC_UNLIMITED;
}

/* Returns the capability that a target of another API must have: the request can be expressed in
 * its API. Unless a hedge may start an attempt at such a target at any time, the request is read
 * only when the first such target is due. */
static uint32_t translation_need(rc_exchange *exchange)
{
    if (!rc_exchange_may_translate(exchange))
        return 0;
    if (hedge_delay_ms(exchange) != RC_UNLIMITED)
        (void)rc_exchange_plan_translations(exchange);
    return RC_NEED_TRANSLATION;
}

static void begin(rc_exchange *exchange)
{
    rc_runtime *runtime = exchange->runtime;
    if (is_store_down(exchange) || !rc_exchange_take_limits(exchange))
        return;
    const uint64_t now_ms = rc_runtime_now(runtime);
    exchange->called_ms = now_ms;
    if (exchange->upload_left > 0)
        exchange->request.client_timeout_ms =
            0; /* A client that still sends its body is not waiting for a response yet. */
    const uint32_t needs =
        exchange->route->checks_needs ? rc_client_request_needs(&exchange->request) : 0;
    rc_exchange_start start = {
        .plan = &exchange->plan,
        .shared = &runtime->hub->shared,
        .hedge_delay_ms = hedge_delay_ms(exchange),
        .options =
            {
                .max_calls = exchange->route->plan.policy->max_calls, /* The limit applies even if
                                                                       * the client chose another
                                                                       * policy. */
                .needs = needs | rc_endpoint_need(exchange->request.endpoint) |
                         translation_need(exchange),
                .first_entry = rc_hub_first_entry(runtime->hub, exchange->route),
                .sticky_key =
                    rc_client_request_sticky_key(&exchange->request, exchange->route->sticky),
                .is_unrepeatable = exchange->is_body_streamed,
                .skips = &runtime->skips,
            },
    };
    rc_exchange_set_waits(exchange, &start.options);
    const rc_deadline_limits limits = rc_exchange_limits(exchange);
    rc_exchange_feed(
        exchange, &(rc_exchange_input){.kind = RC_INPUT_BEGIN, .start = &start, .limits = &limits});
}

/* ---- the body ---- */

/* Sends the body in `lines`, which the gateway wrote without a provider. */
static void send_own(rc_exchange *exchange, const rc_header *fields, size_t count)
{
    exchange->status = 200;
    rc_exchange_feed_kind(exchange, RC_INPUT_RESPONDED);
    if (rc_buf_status(&exchange->lines) == RC_OK &&
        rc_responder_send(exchange->responder, 200, fields, count, rc_buf_get(&exchange->lines)) ==
            RC_OK)
        return;
    rc_responder_abort(exchange->responder);
    rc_exchange_feed_kind(exchange, RC_INPUT_GONE);
}

static void respond_models(rc_exchange *exchange)
{
    const rc_header field = {RC_STR("content-type"), RC_STR("application/json")};
    const rc_dialect dialect =
        rc_client_request_dialect(&exchange->request); /* The dialect of the body, which may differ
                                                        * from the dialect of errors. */
    const bool is_one = exchange->request.endpoint->model == RC_MODEL_PATH;
    if (is_one && !find_route(exchange))
        return;
    if (is_one)
        rc_snapshot_push_model(exchange->snapshot, exchange->route, exchange->request.model,
                               dialect, &exchange->lines);
    else
        rc_snapshot_push_models(exchange->snapshot, dialect, &exchange->lines);
    send_own(exchange, &field, 1);
}

/* Returns whether the request counts the tokens of a messages request, and no target of the route
 * has an endpoint for that. */
static bool is_uncounted(const rc_exchange *exchange)
{
    const rc_endpoint *endpoint = exchange->request.endpoint;
    if (endpoint->id != RC_ENDPOINT_COUNT_TOKENS ||
        exchange->route->translate != RC_TRANSLATE_ADAPTED)
        return false;
    for (uint16_t i = 0; i < exchange->plan.entry_count; i++)
        if ((exchange->plan.entries[i].capabilities & rc_endpoint_need(endpoint)) != 0)
            return false;
    return true;
}

/* Responds with the gateway's own estimate of the tokens. */
static void respond_token_count(rc_exchange *exchange)
{
    const rc_header fields[] = {
        {RC_STR("content-type"), RC_STR("application/json")},
        {RC_STR("x-recourse-translated"), RC_STR("messages>chat; adapted=estimated")},
    };
    rc_buf_push(&exchange->lines, RC_STR("{\"input_tokens\":"));
    rc_buf_push_u64(&exchange->lines, rc_usage_estimate_read(exchange->request.body).input);
    rc_buf_push_byte(&exchange->lines, '}');
    send_own(exchange, fields, COUNT(fields));
}

static void process(rc_exchange *exchange)
{
    const rc_request_fault fault =
        rc_client_request_read_body(&exchange->request, rc_buf_get(&exchange->body));
    if (fault.kind != RC_REQUEST_FAULT_NONE)
        rc_exchange_refuse_fault(exchange, &fault);
    else if (exchange->request.endpoint->wire == RC_WIRE_LOCAL)
        respond_models(exchange);
    else {
        rc_exchange_check_repeat(exchange);
        if (!choose(exchange))
            return;
        if (is_uncounted(exchange))
            respond_token_count(exchange);
        else
            begin(exchange);
    }
}

/* Returns whether a target of the route is the demo provider, which needs whole requests. */
static bool has_demo(const rc_route *route)
{
    for (uint16_t i = 0; i < route->plan.entry_count; i++)
        if (route->entries[i].provider->is_demo)
            return true;
    return false;
}

/* Returns whether the request has to be translated for the first target, which needs the whole
 * request. */
static bool begins_translated(const rc_exchange *exchange)
{
    const uint16_t first = rc_hub_first_entry(exchange->runtime->hub, exchange->route);
    return rc_exchange_may_translate(exchange) &&
           rc_exchange_interface(exchange, first) != exchange->request.endpoint->dialect;
}

/* Called when the body exceeds replay_bytes. If the body's length is known and its first bytes
 * contain the model, the body is passed on as it arrives and cannot be sent again. Otherwise the
 * gateway stores the whole body, up to max_body_bytes. */
static void stream_through(rc_exchange *exchange)
{
    const rc_http1 *reader = exchange->request.reader;
    const rc_str body = rc_buf_get(&exchange->body);
    if (reader->framing != RC_HTTP1_LENGTH || body.len >= reader->length ||
        !rc_client_request_read_start(&exchange->request, body, reader->length - body.len))
        return;
    if (!choose(exchange))
        return;
    if (has_demo(exchange->route) || begins_translated(exchange)) {
        rc_client_request_forget_start(&exchange->request);
        return;
    }
    exchange->is_body_streamed = true;
    exchange->upload_left = reader->length - body.len;
    rc_client_request_watch_begin(&exchange->request);
    begin(exchange);
}

/* Refuses a streamed upload that contains a JSON member twice, or in two spellings that differ in
 * case. The provider has not carried out the request, because it has not received all of it. */
static void refuse_upload(rc_exchange *exchange)
{
    char scratch[256];
    rc_buf text;
    const rc_request_fault fault =
        rc_request_fault_make(RC_REQUEST_FAULT_AMBIGUOUS, exchange->request.ambiguous_member, "");
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_request_fault_push(&text, &fault);
    exchange->upload_left = 0;
    rc_attempt_stop(rc_exchange_current(exchange));
    rc_attempt_fail_local(rc_exchange_current(exchange), fault.outcome, rc_buf_get(&text));
}

static bool is_sending(const rc_exchange *exchange)
{
    return rc_exchange_is_running(&exchange->machine, exchange->machine.current);
}

static void on_upload_piece(rc_exchange *exchange, rc_str piece)
{
    exchange->upload_left -= piece.len < exchange->upload_left ? piece.len : exchange->upload_left;
    if (is_sending(exchange) && !rc_client_request_watch(&exchange->request, piece)) {
        refuse_upload(exchange);
        return;
    }
    if (is_sending(exchange))
        rc_attempt_upload(rc_exchange_current(exchange), piece, exchange->upload_left == 0);
}

/* Counts a piece towards max_kept_bytes. Returns false if the limit was reached and the request was
 * refused. */
static bool count_kept(rc_exchange *exchange, size_t len)
{
    atomic_size_t *all = &exchange->runtime->hub->kept_bytes;
    const uint64_t most = exchange->snapshot->config->limits.max_kept_bytes;
    const size_t before = atomic_fetch_add_explicit(all, len, memory_order_relaxed);
    if (before + len <= most) {
        exchange->kept_bytes += len;
        return true;
    }
    atomic_fetch_sub_explicit(all, len, memory_order_relaxed);
    const bool is_too_large = exchange->kept_bytes + len > most;
    rc_exchange_drop_body(exchange);
    if (is_too_large)
        rc_exchange_refuse(exchange, RC_LOCAL_BODY_TOO_LARGE_TO_KEEP);
    else
        rc_exchange_shed(exchange, RC_LOCAL_TOO_MANY_BYTES);
    return false;
}

void rc_exchange_uncount_body(rc_exchange *exchange)
{
    atomic_fetch_sub_explicit(&exchange->runtime->hub->kept_bytes, exchange->kept_bytes,
                              memory_order_relaxed);
    exchange->kept_bytes = 0;
}

void rc_exchange_drop_body(rc_exchange *exchange)
{
    rc_exchange_uncount_body(exchange);
    if (exchange->machine.state == RC_EXCHANGE_OVER)
        rc_buf_recycle(&exchange->body);
    else
        rc_buf_release(&exchange->body);
}

void rc_exchange_on_body(rc_exchange *exchange, rc_str piece)
{
    if (exchange->is_body_streamed) {
        on_upload_piece(exchange, piece);
        return;
    }
    if (exchange->machine.state != RC_EXCHANGE_READING || !count_kept(exchange, piece.len))
        return;
    const uint64_t replay_bytes = exchange->snapshot->config->limits.replay_bytes;
    const size_t before = rc_buf_get(&exchange->body).len;
    const rc_status status = rc_buf_push(&exchange->body, piece);
    if (status == RC_E_TOO_LARGE)
        rc_exchange_refuse(exchange, RC_LOCAL_BODY_TOO_LARGE);
    else if (status != RC_OK)
        rc_exchange_shed(exchange, RC_LOCAL_NO_MEMORY);
    else if (before <= replay_bytes && before + piece.len > replay_bytes)
        stream_through(exchange);
}

void rc_exchange_on_body_end(rc_exchange *exchange)
{
    exchange->is_body_whole = true;
    if (exchange->machine.state == RC_EXCHANGE_READING)
        process(exchange);
}
