/* Creates a response: its text, head and body. response_step.c sends it in steps. Called by
 * provider.c, error.c, server.c and the gateway's demo.c. */
#include "mock/response.h"

#include "base/str.h"
#include "codec/datetime.h"
#include "mock/dialect.h"
#include "mock/error.h"
#include "mock/response_private.h"
#include "mock/tokens.h"

#define USUAL_TOKENS 12
#define THOUGHT_TOKENS 8
/* Difference in bytes between a deliberately wrong Content-Length and the right one. */
#define LENGTH_TOO_LONG 64
/* Creation time of responses, to which seed and request number are added: 1 January 2025. */
#define CREATED_S 1735689600
/* For the behaviour quota-left: the stated limit, and the time until the limit is full again. */
#define REMAINING_LIMIT 1000
#define REMAINING_RESET_MS 60000

void rc_mock_response_add_header(rc_mock_response *a, const char *name, rc_str value)
{
    if (a->header_count == RC_MOCK_HEADERS_MAX || value.len >= sizeof a->headers[0].value)
        return;
    rc_mock_header *field = &a->headers[a->header_count++];
    field->name = name;
    memcpy(field->value, value.ptr, value.len);
    field->value[value.len] = '\0';
}

/* ---- text ---- */

static uint32_t max_u32(uint32_t a, uint32_t b)
{
    return a > b ? a : b;
}

/* Returns the number of tokens of a text without a requested length. The text must be long enough
 * for a plan that acts after N events. */
static uint32_t usual_count(const rc_mock_plan *plan)
{
    uint32_t most = plan->damaged;
    if (plan->place == RC_MOCK_PLACE_AFTER)
        most = max_u32(most, plan->place_count);
    if (plan->wire == RC_MOCK_WIRE_CUT_AFTER || plan->wire == RC_MOCK_WIRE_FIN_AFTER)
        most = max_u32(most, plan->wire_count);
    if (plan->has_stall)
        most = max_u32(most, plan->stall_at);
    return max_u32(USUAL_TOKENS, most + 1);
}

static void push_text(rc_mock_response *a, const rc_mock_request *request)
{
    const rc_mock_plan *plan = &a->plan;
    switch (plan->text) {
    case RC_MOCK_TEXT_REASONING:
        rc_mock_push_words(&a->text, rc_mock_mix(a->seed, 1), THOUGHT_TOKENS);
        a->thought_len = rc_buf_get(&a->text).len;
        a->thought_tokens = THOUGHT_TOKENS;
        rc_mock_push_words(&a->text, a->seed, usual_count(plan));
        break;
    case RC_MOCK_TEXT_USUAL:
        rc_mock_push_words(&a->text, a->seed, usual_count(plan));
        break;
    case RC_MOCK_TEXT_TOKENS:
        rc_mock_push_words(&a->text, a->seed, plan->text_count);
        break;
    case RC_MOCK_TEXT_HUGE:
        rc_mock_push_kilobytes(&a->text, a->seed, plan->text_count);
        break;
    case RC_MOCK_TEXT_ECHO:
        rc_buf_push(&a->text, request->last_user);
        break;
    case RC_MOCK_TEXT_TOOL:
        break;
    }
}

/* Counts the text and truncates it at the request's max_tokens. */
static void count_text(rc_mock_response *a, int64_t max_tokens)
{
    const rc_str text_part = rc_mock_response_text(a);
    uint64_t max = max_tokens < 0 ? UINT64_MAX : (uint64_t)max_tokens;
    max = max > a->thought_tokens ? max - a->thought_tokens : 0;
    uint64_t count = 0;
    size_t at = 0;
    for (; at < text_part.len && count < max; count++)
        at += rc_mock_token(text_part, at).len;
    if (at < text_part.len)
        a->finish = RC_MOCK_FINISH_LENGTH;
    a->text_len = a->thought_len + at;
    a->output_tokens = a->thought_tokens + count;
}

static void make_text(rc_mock_response *a, const rc_mock_request *request)
{
    push_text(a, request);
    a->text_len = rc_buf_get(&a->text).len;
    count_text(a, request->max_tokens);
    if (!rc_mock_response_is_tool(a))
        return;
    a->finish = RC_MOCK_FINISH_TOOL;
    for (uint32_t i = 0; i < RC_MOCK_TOOL_PARTS; i++)
        a->output_tokens += rc_mock_token_count(rc_mock_tool_part(i));
}

/* ---- head ---- */

static void number_header(rc_mock_response *a, const char *name, uint64_t value)
{
    char text[24];
    rc_buf value_buf;
    rc_buf_init_fixed(&value_buf, text, sizeof text);
    rc_buf_push_u64(&value_buf, value);
    rc_mock_response_add_header(a, name, rc_buf_get(&value_buf));
}

/* Adds a header that states when a rate limit is reset: as a duration for OpenAI, as an absolute
 * time for Anthropic. */
static void reset_header(rc_mock_response *a, const char *name, uint64_t reset_ms,
                         int64_t now_unix_ms)
{
    char text[40];
    rc_buf value_buf;
    rc_buf_init_fixed(&value_buf, text, sizeof text);
    if (a->family == RC_MOCK_ANTHROPIC) {
        rc_rfc3339_push(&value_buf, now_unix_ms + (int64_t)reset_ms);
    } else {
        rc_buf_push_u64(&value_buf, reset_ms);
        rc_buf_push(&value_buf, RC_STR("ms"));
    }
    rc_mock_response_add_header(a, name, rc_buf_get(&value_buf));
}

static void limit_state_headers(rc_mock_response *a, const rc_mock_limit_state *left,
                                const char *const names[3], int64_t now_unix_ms)
{
    if (!left->is_known)
        return;
    number_header(a, names[0], left->limit);
    number_header(a, names[1], left->remaining);
    reset_header(a, names[2], left->reset_ms, now_unix_ms);
}

/* Adds the rate-limit headers, except for Gemini, which sends no such headers. */
static void limit_headers(rc_mock_response *a, const rc_mock_context *context)
{
    static const char *const openai[2][3] = {
        {"x-ratelimit-limit-requests", "x-ratelimit-remaining-requests",
         "x-ratelimit-reset-requests"},
        {"x-ratelimit-limit-tokens", "x-ratelimit-remaining-tokens", "x-ratelimit-reset-tokens"},
    };
    static const char *const anthropic[2][3] = {
        {"anthropic-ratelimit-requests-limit", "anthropic-ratelimit-requests-remaining",
         "anthropic-ratelimit-requests-reset"},
        {"anthropic-ratelimit-tokens-limit", "anthropic-ratelimit-tokens-remaining",
         "anthropic-ratelimit-tokens-reset"},
    };
    if (a->family == RC_MOCK_GEMINI)
        return;
    const char *const(*names)[3] = a->family == RC_MOCK_ANTHROPIC ? anthropic : openai;
    const rc_mock_limit_state planned = {.is_known = true,
                                         .limit = REMAINING_LIMIT,
                                         .remaining = a->plan.remaining,
                                         .reset_ms = REMAINING_RESET_MS};
    limit_state_headers(a, a->plan.has_remaining ? &planned : &context->requests, names[0],
                        context->now_unix_ms);
    limit_state_headers(a, &context->tokens, names[1], context->now_unix_ms);
}

static void id_header(rc_mock_response *a)
{
    char text[40];
    rc_buf value_buf;
    if (a->family == RC_MOCK_GEMINI)
        return;
    rc_buf_init_fixed(&value_buf, text, sizeof text);
    rc_buf_push(&value_buf, RC_STR("req_"));
    rc_buf_push(&value_buf, rc_str_c(a->id));
    rc_mock_response_add_header(a, a->family == RC_MOCK_ANTHROPIC ? "request-id" : "x-request-id",
                                rc_buf_get(&value_buf));
}

static const char *content_type(const rc_mock_response *a, bool is_error)
{
    if (is_error && a->plan.error == RC_MOCK_ERROR_HTML)
        return "text/html";
    return (a->is_stream || a->is_block) && !a->is_array ? "text/event-stream; charset=utf-8"
                                                         : "application/json";
}

static void make_head(rc_mock_response *a, const rc_mock_context *context, bool is_error)
{
    rc_mock_response_add_header(a, "content-type", rc_str_c(content_type(a, is_error)));
    if (a->is_stream)
        rc_mock_response_add_header(a, "cache-control", RC_STR("no-cache"));
    id_header(a);
    limit_headers(a, context);
    if (!is_error)
        return;
    if (a->plan.place != RC_MOCK_PLACE_BODY)
        a->status = rc_mock_error_get(a->plan.error, a->family)->status;
    if (a->plan.error == RC_MOCK_ERROR_REDIRECT)
        rc_mock_response_add_header(a, "location", RC_STR("/mock/elsewhere"));
    rc_mock_error_hint(a, context->now_unix_ms);
}

/* ---- body ---- */

static const rc_mock_dialect *dialect_of(rc_mock_endpoint endpoint)
{
    if (endpoint == RC_MOCK_CHAT)
        return &rc_mock_dialect_chat;
    if (endpoint == RC_MOCK_COMPLETIONS)
        return &rc_mock_dialect_completions;
    if (endpoint == RC_MOCK_RESPONSES)
        return &rc_mock_dialect_responses;
    if (endpoint == RC_MOCK_MESSAGES)
        return &rc_mock_dialect_anthropic;
    return endpoint == RC_MOCK_GENERATE ? &rc_mock_dialect_gemini : NULL;
}

/* Returns whether the response is a plain error response instead of a body or a stream. */
static bool is_plain_error(const rc_mock_response *a)
{
    const rc_mock_plan *plan = &a->plan;
    if (plan->error == RC_MOCK_ERROR_NONE)
        return false;
    return plan->place == RC_MOCK_PLACE_STATUS || plan->place == RC_MOCK_PLACE_BODY ||
           !a->is_stream || a->dialect == NULL || plan->error == RC_MOCK_ERROR_HTML ||
           plan->error == RC_MOCK_ERROR_REDIRECT;
}

/* Returns whether the stream sends its error before any content and before any event with a count
 * of input tokens. */
static bool is_refused_in_stream(const rc_mock_response *a)
{
    const rc_mock_plan *plan = &a->plan;
    if (plan->place == RC_MOCK_PLACE_FIRST)
        return true;
    const bool is_before = plan->place == RC_MOCK_PLACE_STARTED ||
                           (plan->place == RC_MOCK_PLACE_AFTER && plan->place_count == 0);
    return is_before && a->dialect->begin_tokens == 0;
}

static void push_body(rc_mock_response *a, bool is_error)
{
    if (a->plan.wire == RC_MOCK_WIRE_EMPTY || a->plan.wire == RC_MOCK_WIRE_EMPTY_STREAM)
        return;
    if (is_error)
        rc_mock_error_push(a, &a->bytes);
    else if (a->dialect != NULL)
        a->dialect->whole(a, &a->bytes);
    else if (a->endpoint == RC_MOCK_COUNT_TOKENS)
        rc_mock_push_count(a, &a->bytes);
    else if (a->endpoint == RC_MOCK_MODELS)
        rc_mock_push_models(a, &a->bytes);
    else
        rc_mock_push_embeddings(a, &a->bytes);
}

static void make_body(rc_mock_response *a, bool is_error)
{
    const rc_mock_wire wire = a->plan.wire;
    if (a->is_stream) {
        a->is_chunked = wire != RC_MOCK_WIRE_WRONG_LENGTH;
        a->length = RC_MOCK_RESPONSE_MAX;
        return;
    }
    push_body(a, is_error);
    a->body_len = rc_buf_get(&a->bytes).len;
    if (wire == RC_MOCK_WIRE_TRUNCATED)
        a->body_len /= 2;
    a->is_chunked = wire == RC_MOCK_WIRE_BAD_CHUNK;
    a->length = a->body_len + (wire == RC_MOCK_WIRE_WRONG_LENGTH ? LENGTH_TOO_LONG : 0);
}

/* ---- response ---- */

static void push_hex(char text[24], uint64_t value)
{
    for (int i = 0; i < 16; i++)
        text[i] = "0123456789abcdef"[value >> (60 - 4 * i) & 15];
    text[16] = '\0';
}

static void copy_request(rc_mock_response *a, const rc_mock_request *request)
{
    a->endpoint = request->endpoint;
    a->family = request->family;
    a->dialect = dialect_of(request->endpoint);
    const bool is_other = a->plan.wire == RC_MOCK_WIRE_OTHER_SHAPE;
    a->is_stream = request->is_stream != is_other && a->dialect != NULL;
    a->is_array = request->is_array;
    a->is_batch = request->is_batch;
    a->is_base64 = request->is_base64;
    a->wants_usage = request->wants_usage;
    a->input_tokens = request->input_tokens;
    a->input_count = request->input_count;
    a->dimensions = request->dimensions;
    memcpy(a->model, request->model, request->model_len);
    memcpy(a->tool, request->tool, sizeof a->tool);
    if (a->tool[0] == '\0')
        memcpy(a->tool, "mock_tool", sizeof "mock_tool");
}

static void start(rc_mock_response *a, const rc_alloc *alloc)
{
    memset(a, 0, sizeof *a);
    rc_buf_init(&a->text, alloc, RC_MOCK_RESPONSE_MAX);
    rc_buf_init(&a->bytes, alloc, RC_MOCK_RESPONSE_MAX);
    rc_buf_init(&a->spare, alloc, RC_MOCK_RESPONSE_MAX);
    a->status = 200;
}

rc_status rc_mock_response_begin(rc_mock_response *a, const rc_mock_plan *plan,
                                 const rc_mock_request *request, const rc_mock_context *context,
                                 const rc_alloc *alloc)
{
    start(a, alloc);
    const uint64_t nth = plan->round > 0 ? (context->nth - 1) % plan->round + 1 : context->nth;
    if (plan->first == 0 || nth <= plan->first)
        a->plan = *plan;
    copy_request(a, request);
    a->seed =
        rc_mock_mix(rc_mock_mix_text(context->seed, rc_mock_request_model(request)), context->nth);
    a->created_s =
        CREATED_S + (int64_t)(context->seed % 1000000) + (int64_t)(context->nth % 1000000);
    a->hint_ms = a->plan.hint_ms;
    push_hex(a->id, a->seed);
    rc_str message = rc_str_slice(context->message, 0, RC_MOCK_MESSAGE_MAX - 1);
    if (message.len > 0)
        memcpy(a->message, message.ptr, message.len);

    const bool is_error = is_plain_error(a);
    a->is_unbilled = is_error || is_refused_in_stream(a) || a->endpoint == RC_MOCK_COUNT_TOKENS ||
                     a->endpoint == RC_MOCK_MODELS;
    a->is_block = is_error && a->is_stream && a->family == RC_MOCK_GEMINI &&
                  a->plan.error == RC_MOCK_ERROR_FILTER;
    if (is_error || a->plan.wire == RC_MOCK_WIRE_EMPTY)
        a->is_stream = false;
    if (!is_error && a->dialect != NULL)
        make_text(a, request);
    make_head(a, context, is_error);
    make_body(a, is_error);
    /* A response of this kind is never sent. */
    if (a->plan.wire == RC_MOCK_WIRE_HANG || a->plan.wire == RC_MOCK_WIRE_REFUSE)
        a->status = 0;
    rc_mock_response_start_steps(a);
    const rc_status status = rc_buf_status(&a->text);
    return status != RC_OK ? status : rc_buf_status(&a->bytes);
}

rc_status rc_mock_response_begin_plain(rc_mock_response *a, int status, rc_str json,
                                       const rc_alloc *alloc)
{
    start(a, alloc);
    a->status = status;
    rc_mock_response_add_header(a, "content-type", RC_STR("application/json"));
    rc_buf_push(&a->bytes, json);
    a->body_len = rc_buf_get(&a->bytes).len;
    a->length = a->body_len;
    rc_mock_response_start_steps(a);
    return rc_buf_status(&a->bytes);
}

void rc_mock_response_done(rc_mock_response *a)
{
    rc_buf_done(&a->text);
    rc_buf_done(&a->bytes);
    rc_buf_done(&a->spare);
}
