/* Sends events before the response to a client that requested them (x-recourse-events: 1):
 *
 *   : recourse {"type":"auto_retry_start",...}
 *
 * The events are comments in the response stream, which other readers of server-sent events ignore.
 * The first event begins the response, so that a later failure is sent as an error event of the
 * dialect. A client that did not request events gets an unchanged response. Called by exchange.c,
 * exchange_audit.c, exchange_ledger.c, exchange_reply.c and attempt_response.c. */
#include <recourse/emitter.h>

#include "base/str.h"
#include "gateway/exchange/attempt.h"
#include "gateway/exchange/exchange_events.h"
#include "gateway/exchange/exchange_ledger.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/runtime/runtime.h"
#include "gateway/state/hub.h"
#include "net/server/responder.h"

#define LINES_MAX_BYTES ((size_t)64 << 10)
#define NAME_MAX_BYTES ((size_t)1024)

struct rc_exchange_events {
    rc_emitter emitter;
    uint64_t next_seq;
    uint64_t total_micro_usd;
    bool has_head; /* The response head was sent early, for an event. */
};

/* Memory for the names that the members of an event view. */
typedef struct names {
    char from[NAME_MAX_BYTES];
    char to[NAME_MAX_BYTES];
    char from_key[NAME_MAX_BYTES];
    char to_key[NAME_MAX_BYTES];
} names;

bool rc_exchange_has_event_head(const rc_exchange *exchange)
{
    return exchange->events != NULL && exchange->events->has_head;
}

void rc_exchange_events_done(rc_exchange *exchange)
{
    const rc_alloc *alloc = &exchange->runtime->alloc;
    if (exchange->events != NULL)
        alloc->put(alloc->ctx, exchange->events, sizeof *exchange->events);
    exchange->events = NULL;
}

/* Returns whether events are sent to the client. Events are comments, which exist only in
 * server-sent events. Clients of Gemini's API get no events, because Google's SDKs for Python and
 * Go parse every line without "data:" as JSON. */
static bool is_wanted(const rc_exchange *exchange)
{
    const rc_client_request *request = &exchange->request;
    return request->wants_events && request->is_stream && exchange->dialect != RC_DIALECT_GEMINI &&
           request->endpoint->wire != RC_WIRE_GEMINI &&
           (unsigned)request->endpoint->stream != RC_STREAM_UNWATCHED &&
           (request->endpoint->streams == RC_STREAMS_BODY || request->is_sse);
}

/* Prepares the sending of events. Returns false if the client wants no events or memory runs
 * out. */
static bool open_events(rc_exchange *exchange)
{
    const rc_alloc *alloc = &exchange->runtime->alloc;
    if (exchange->responder == NULL || !is_wanted(exchange))
        return false;
    if (exchange->events != NULL)
        return true;
    exchange->events = alloc->get(alloc->ctx, sizeof *exchange->events);
    if (exchange->events == NULL)
        return false;
    *exchange->events = (rc_exchange_events){.next_seq = 1};
    rc_emitter_init(&exchange->events->emitter, rc_str_c(exchange->id.text),
                    &exchange->events->next_seq);
    return true;
}

/* ---- contents ---- */

static rc_str target_name(const rc_exchange *exchange, uint16_t entry, char scratch[NAME_MAX_BYTES])
{
    rc_buf name;
    rc_buf_init_fixed(&name, scratch, NAME_MAX_BYTES);
    if (entry >= exchange->plan.entry_count)
        return RC_STR("");
    rc_buf_push(&name, rc_exchange_provider_of(exchange, entry)->config->name);
    rc_buf_push_byte(&name, '/');
    rc_buf_push(&name, rc_exchange_model_of(exchange, entry));
    return rc_buf_get(&name);
}

static rc_str key_name(const rc_exchange *exchange, uint16_t credential,
                       char scratch[NAME_MAX_BYTES])
{
    rc_buf name;
    rc_buf_init_fixed(&name, scratch, NAME_MAX_BYTES);
    if (credential == RC_NO_TARGET ||
        !rc_hub_credential_name(exchange->runtime->hub, credential, &name))
        return RC_STR("");
    return rc_buf_get(&name);
}

static size_t collect(rc_exchange *exchange, const rc_action *action, names *n,
                      rc_event events[RC_EVENTS_MAX])
{
    const bool has_report = exchange->report != NULL;
    const rc_call_facts facts = {
        .action = *action,
        .error_message = has_report ? rc_report_message(exchange->report) : RC_STR(""),
        .report_id = has_report ? rc_report_id(exchange->report) : RC_STR(""),
        .from = target_name(exchange, action->from_entry, n->from),
        .to = target_name(exchange, action->entry, n->to),
        .provider = rc_exchange_provider_of(exchange, action->entry)->config->name,
        .from_credential = key_name(exchange, action->from_credential, n->from_key),
        .to_credential = key_name(exchange, action->credential, n->to_key),
        .role = RC_STR("default"),
        .now_unix_ms = rc_runtime_unix_ms(exchange->runtime),
    };
    return rc_emitter_on_action(&exchange->events->emitter, &facts, events);
}

static uint64_t tokens(int64_t count)
{
    return count > 0 ? (uint64_t)count : 0;
}

/* Returns the cost event of the attempt that delivered the response. */
static rc_event cost_of(rc_exchange *exchange, const rc_action *action, names *n)
{
    const rc_attempt *attempt = rc_exchange_current(exchange);
    rc_usage_count usage = RC_USAGE_COUNT_NONE;
    if (attempt != NULL && attempt->response.is_watched)
        usage = rc_usage_reported(attempt->mode == RC_MODE_STREAM ? &attempt->response.watch.usage
                                                                  : &attempt->response.usage);
    return (rc_event){
        .type = RC_EVENT_TYPE_COST_UPDATED,
        .seq = exchange->events->next_seq++,
        .time_unix_ms = rc_runtime_unix_ms(exchange->runtime),
        .correlation_id = rc_str_c(exchange->id.text),
        .as.cost_updated =
            {
                .attempt = action->attempt,
                .model = target_name(exchange, action->entry, n->to),
                .input_tokens = tokens(usage.input),
                .output_tokens = tokens(usage.output),
                .total_micro_usd = exchange->events->total_micro_usd,
            },
    };
}

/* ---- sending ---- */

static void push_event(rc_buf *lines, const rc_event *event)
{
    rc_buf_push(lines, RC_STR(": recourse "));
    (void)rc_event_encode(event, lines);
    rc_buf_push_byte(lines, '\n');
}

/* Appends the quota warnings of all attempts. */
static void push_quotas(rc_exchange *exchange, names *n, rc_buf *lines)
{
    for (uint32_t i = 0; i < exchange->step_count; i++) {
        const rc_ledger_step *step = &exchange->steps[i];
        if (step->quota == NULL || step->quota->is_emitted)
            continue;
        rc_event event = {
            .seq = exchange->events->next_seq++,
            .time_unix_ms = rc_runtime_unix_ms(exchange->runtime),
            .correlation_id = rc_str_c(exchange->id.text),
        };
        rc_quota_event(&step->quota->quota, target_name(exchange, step->entry, n->to),
                       key_name(exchange, step->credential, n->to_key), &event);
        push_event(lines, &event);
        step->quota->is_emitted = true;
    }
}

/* Sends a response head of the gateway, because the provider's head is not known yet. */
static bool begin_response(rc_exchange *exchange)
{
    const rc_reply_facts facts = {.request_id = rc_str_c(exchange->id.text)};
    if (rc_responder_has_begun(exchange->responder))
        return true;
    rc_buf_reset(&exchange->lines);
    rc_buf_push(&exchange->lines, RC_STR("HTTP/1.1 200 OK\r\n"
                                         "content-type: text/event-stream\r\n"
                                         "cache-control: no-cache\r\n"));
    (void)rc_reply_facts_push(&exchange->lines, &facts);
    if (rc_buf_status(&exchange->lines) != RC_OK ||
        rc_responder_begin_raw(exchange->responder, 200, rc_buf_get(&exchange->lines),
                               RC_HTTP1_CHUNKED, 0) != RC_OK)
        return false;
    exchange->status = 200;
    exchange->events->has_head = true;
    return true;
}

static void write_lines(rc_exchange *exchange, const rc_buf *lines)
{
    rc_attempt *attempt = rc_exchange_current(exchange);
    if (rc_buf_status(lines) != RC_OK)
        return;
    /* Ends an event of which only a part was sent; otherwise the comment would become a part of
     * it. */
    if (exchange->machine.is_committed && attempt != NULL && attempt->is_inside_event) {
        (void)rc_responder_write(exchange->responder, RC_STR("\n\n"));
        attempt->is_inside_event = false;
    }
    (void)rc_responder_write(exchange->responder, rc_buf_get(lines));
}

/* Returns whether the response has begun and is a stream of events. */
static bool is_stream_begun(const rc_exchange *exchange)
{
    return rc_exchange_has_event_head(exchange) ||
           (exchange->machine.is_committed &&
            rc_exchange_current(exchange)->mode == RC_MODE_STREAM &&
            !rc_exchange_current(exchange)->is_array);
}

static void write_events(rc_exchange *exchange, rc_buf *lines)
{
    if (rc_buf_get(lines).len > 0)
        write_lines(exchange, lines);
    rc_buf_done(lines);
}

void rc_exchange_emit_pause(rc_exchange *exchange, const rc_ledger_decision *decision)
{
    char scratch[NAME_MAX_BYTES];
    rc_buf scope;
    rc_buf lines;
    if (!open_events(exchange) || (!is_stream_begun(exchange) && !begin_response(exchange)))
        return;
    rc_buf_init_fixed(&scope, scratch, sizeof scratch);
    rc_budgets_push_scope(&exchange->snapshot->budgets, decision->budget, &scope);
    const rc_event event = {
        .type = RC_EVENT_TYPE_BUDGET_PAUSED,
        .seq = exchange->events->next_seq++,
        .time_unix_ms = rc_runtime_unix_ms(exchange->runtime),
        .correlation_id = rc_str_c(exchange->id.text),
        .as.budget_paused =
            {
                .scope = rc_buf_get(&scope),
                .spent_micro_usd = decision->spent,
                .limit_micro_usd = decision->limit,
            },
    };
    rc_buf_init(&lines, &exchange->runtime->alloc, LINES_MAX_BYTES);
    push_event(&lines, &event);
    write_events(exchange, &lines);
}

/* Returns whether the action ends the call. Quota warnings are sent only then, because they do not
 * concern the progress of the call. */
static bool is_final(const rc_action *action)
{
    return action->kind == RC_DO_DELIVER || action->kind == RC_DO_STOP ||
           action->kind == RC_DO_COMPACT;
}

void rc_exchange_emit_action(rc_exchange *exchange, const rc_action *action)
{
    rc_event events[RC_EVENTS_MAX];
    names n;
    rc_buf lines;
    if (exchange->route == NULL || action->entry >= exchange->plan.entry_count ||
        !open_events(exchange))
        return;
    const size_t count = collect(exchange, action, &n, events);
    const bool is_progress =
        count > 0 &&
        (action->kind == RC_DO_TRY || action->kind == RC_DO_WAIT || action->kind == RC_DO_REFRESH);
    if (!is_stream_begun(exchange) && (!is_progress || !begin_response(exchange)))
        return;
    rc_buf_init(&lines, &exchange->runtime->alloc, LINES_MAX_BYTES);
    for (size_t i = 0; i < count; i++)
        push_event(&lines, &events[i]);
    if (is_final(action))
        push_quotas(exchange, &n, &lines);
    if (action->kind == RC_DO_DELIVER) {
        const rc_event cost = cost_of(exchange, action, &n);
        push_event(&lines, &cost);
    }
    write_events(exchange, &lines);
}
