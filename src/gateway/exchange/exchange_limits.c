/* Checks the client's own limits, and writes the refusal with the usual headers. Called by
 * exchange_request.c and exchange.c. */
#include "gateway/exchange/exchange_limits.h"

#include "base/str.h"
#include "codec/datetime.h"
#include "codec/duration.h"
#include "dialect/usage_estimate.h"
#include "gateway/exchange/exchange_reply.h"
#include "gateway/observe/metrics.h"
#include "gateway/runtime/runtime.h"
#include "gateway/state/hub.h"
#include "gateway/state/snapshot.h"

#define TEXT_MAX 512u

/* ---- headers ---- */

static void push_header(rc_buf *lines, const char *name, rc_str value)
{
    rc_buf_push(lines, rc_str_c(name));
    rc_buf_push(lines, RC_STR(": "));
    rc_buf_push(lines, value);
    rc_buf_push(lines, RC_STR("\r\n"));
}

static void push_number(rc_buf *lines, const char *name, uint64_t value)
{
    char scratch[24];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push_u64(&text, value);
    push_header(lines, name, rc_buf_get(&text));
}

/* Appends a duration as OpenAI writes it: "250ms", "20s". */
static void push_reset(rc_buf *text, uint64_t ms)
{
    rc_buf_push_u64(text, ms < 1000 ? ms : (ms + 999) / 1000);
    rc_buf_push(text, ms < 1000 ? RC_STR("ms") : RC_STR("s"));
}

/* The names of the three headers of one limit. */
typedef struct header_names {
    const char *limit;
    const char *remaining;
    const char *reset;
} header_names;

static void push_limit(rc_buf *lines, const header_names *names, bool is_date,
                       const rc_client_limit_state *state, int64_t now_unix_ms)
{
    char scratch[64];
    rc_buf text;
    if (state->limit == 0)
        return;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    if (is_date)
        rc_rfc3339_push(&text, now_unix_ms + (int64_t)state->full_ms);
    else
        push_reset(&text, state->full_ms);
    push_number(lines, names->limit, state->limit);
    push_number(lines, names->remaining, state->remaining);
    push_header(lines, names->reset, rc_buf_get(&text));
}

/* Writes the limits in the headers of the client's dialect. Anthropic's names differ from those of
 * OpenAI, which most other APIs use. */
static void push_headers(rc_exchange *exchange, const rc_client_refusal *refusal)
{
    static const header_names openai[] = {
        {"x-ratelimit-limit-requests", "x-ratelimit-remaining-requests",
         "x-ratelimit-reset-requests"},
        {"x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"}};
    static const header_names anthropic[] = {
        {"anthropic-ratelimit-requests-limit", "anthropic-ratelimit-requests-remaining",
         "anthropic-ratelimit-requests-reset"},
        {"anthropic-ratelimit-tokens-limit", "anthropic-ratelimit-tokens-remaining",
         "anthropic-ratelimit-tokens-reset"}};
    const bool is_anthropic = exchange->dialect == RC_DIALECT_ANTHROPIC;
    const header_names *names = is_anthropic ? anthropic : openai;
    const int64_t now_unix_ms = rc_runtime_unix_ms(exchange->runtime);
    rc_buf_reset(&exchange->limits);
    push_limit(&exchange->limits, &names[0], is_anthropic, &refusal->requests, now_unix_ms);
    push_limit(&exchange->limits, &names[1], is_anthropic, &refusal->tokens, now_unix_ms);
}

/* ---- refusal ---- */

/* Writes "Client app has reached a limit of this gateway, not of the provider: 60 requests per
 * minute (rpm)." */
static void push_message(rc_buf *text, rc_str client, const rc_client_verdict *verdict)
{
    static const char *const units[] = {"", " requests per minute", " tokens per minute",
                                        " concurrent requests"};
    rc_buf_push(text, RC_STR("Client "));
    rc_buf_push(text, client);
    rc_buf_push(text, RC_STR(" has reached a limit of this gateway, not of the provider: "));
    rc_buf_push_u64(text, verdict->limit);
    rc_buf_push(text, rc_str_c(units[verdict->kind]));
    rc_buf_push(text, RC_STR(" ("));
    rc_buf_push(text, rc_str_c(rc_client_limit_name(verdict->kind)));
    rc_buf_push(text, RC_STR(")."));
}

static void push_advice(rc_buf *text, const rc_client_verdict *verdict)
{
    if (verdict->kind == RC_CLIENT_LIMIT_IN_FLIGHT) {
        rc_buf_push(text, RC_STR("Try again when one of the client's requests has ended"));
    } else {
        rc_buf_push(text, RC_STR("Try again in "));
        rc_duration_push(text, (int64_t)verdict->ready_ms);
    }
    rc_buf_push(text, RC_STR(", or have clients[]."));
    rc_buf_push(text, rc_str_c(rc_client_limit_name(verdict->kind)));
    rc_buf_push(text, RC_STR(" raised."));
}

static void refuse(rc_exchange *exchange, rc_str client, const rc_client_refusal *refusal)
{
    const rc_client_verdict *verdict = &refusal->verdict;
    char message[TEXT_MAX];
    char advice[TEXT_MAX];
    rc_buf text;
    rc_builder builder;
    rc_buf_init_fixed(&text, message, sizeof message);
    push_message(&text, client, verdict);
    rc_exchange_begin_outcome(exchange, &builder, RC_LOCAL_CLIENT_LIMIT, rc_buf_get(&text));
    rc_buf_init_fixed(&text, advice, sizeof advice);
    push_advice(&text, verdict);
    rc_builder_set_action(&builder, RC_ACTION_WAIT_AND_RETRY, rc_buf_get(&text));
    rc_builder_set_context(&builder, RC_STR("limit_of"), RC_STR("gateway"));
    rc_builder_set_context(&builder, RC_STR("limit"),
                           rc_str_c(rc_client_limit_name(verdict->kind)));
    rc_builder_set_context_int(&builder, RC_STR("limit_value"), (int64_t)verdict->limit);
    rc_builder_set_context(&builder, RC_STR("client"), client);
    if (verdict->ready_ms > 0)
        rc_builder_set_retry_after_ms(&builder, (int64_t)verdict->ready_ms);
    push_headers(exchange, refusal);
    rc_metrics_on_client_limited(exchange->runtime->metrics,
                                 exchange->snapshot->client_metrics[exchange->client],
                                 verdict->kind);
    rc_exchange_refuse_report(exchange, rc_builder_finish(&builder));
}

bool rc_exchange_take_limits(rc_exchange *exchange)
{
    rc_hub *hub = exchange->runtime->hub;
    if (exchange->client == SIZE_MAX || exchange->request.is_free)
        return true;
    rc_client_row *row = exchange->snapshot->client_limits[exchange->client];
    if (row == NULL)
        return true;
    const rc_usage_estimate estimate = rc_usage_estimate_read(exchange->request.body);
    const rc_client_need need = {.input = estimate.input,
                                 .max_output = estimate.max_output *
                                               (estimate.choices > 0 ? estimate.choices : 1)};
    rc_client_refusal refusal;
    if (rc_client_table_take(&hub->client_limits, row, &need, rc_runtime_now(exchange->runtime),
                             &exchange->estimated_tokens, &refusal)) {
        exchange->client_row = row;
        return true;
    }
    refuse(exchange, exchange->snapshot->config->clients[exchange->client].name, &refusal);
    return false;
}

void rc_exchange_release_limits(rc_exchange *exchange)
{
    uint64_t input = 0;
    uint64_t output = 0;
    if (exchange->client_row == NULL)
        return;
    for (uint32_t i = 0; i < exchange->step_count; i++) {
        input += exchange->steps[i].charge.input;
        output += exchange->steps[i].charge.output;
    }
    rc_client_table_release(&exchange->runtime->hub->client_limits, exchange->client_row,
                            exchange->estimated_tokens, input, output,
                            rc_runtime_now(exchange->runtime));
    exchange->client_row = NULL;
}
