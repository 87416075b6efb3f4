/* Translates the request and the response of one attempt. Called by the attempt files,
 * exchange_audit.c, exchange_ledger.c and exchange_reply.c. */
#include "gateway/exchange/translate/attempt_translate.h"

#include <recourse/builder.h>

#include "base/str.h"
#include "dialect/interface.h"
#include "dialect/translate/translator.h"
#include "dialect/translate/write.h"
#include "dialect/usage_estimate.h"
#include "gateway/exchange/attempt.h"
#include "gateway/exchange/attempt_failure.h"
#include "gateway/exchange/attempt_response.h"
#include "gateway/exchange/attempt_stream.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/exchange/translate/attempt_strip.h"
#include "gateway/exchange/translate/exchange_translate.h"
#include "gateway/observe/metrics.h"
#include "gateway/request/outbound.h"
#include "gateway/runtime/runtime.h"
#include "gateway/state/hub.h"
#include "gateway/state/snapshot.h"

/* Maximum number of bytes of the text about the translation. */
#define TEXT_MAX_BYTES (RC_PLAN_NAMES_MAX + 64u)
/* The written body has at most this many times the bytes of the client's body, and BODY_MORE_BYTES
 * more. */
#define BODY_GROWTH 3u
#define BODY_MORE_BYTES ((size_t)64 << 10)
#define SCRATCH_MAX_BYTES ((size_t)8 << 20)

struct rc_attempt_translation {
    const rc_endpoint *endpoint; /* The provider's endpoint. */
    rc_buf body;                 /* The request's body for the provider. */
    size_t kept_bytes;           /* Size of `body` that is counted in hub->kept_bytes. */
    bool has_translator;
    rc_translator translator;
    size_t text_len;
    char text[TEXT_MAX_BYTES];
};

static const rc_entry_translation *entry_of(const rc_attempt *attempt)
{
    return &attempt->exchange->translation->entries[attempt->entry];
}

/* ---- life ---- */

static void write_text(rc_attempt_translation *t, const rc_exchange *exchange,
                       const rc_translation_plan *plan)
{
    rc_buf text;
    rc_buf_init_fixed(&text, t->text, sizeof t->text);
    rc_buf_push(&text, rc_str_c(rc_interface_name(exchange->request.endpoint->dialect)));
    rc_buf_push_byte(&text, '>');
    rc_buf_push(&text, rc_str_c(rc_interface_name(plan->target->dialect)));
    if (plan->fit == RC_FIT_EXACT) {
        rc_buf_push(&text, RC_STR("; exact"));
    } else {
        rc_buf_push(&text, RC_STR("; adapted="));
        rc_translation_plan_push_names(plan, &text);
    }
    t->text_len = rc_buf_get(&text).len;
}

bool rc_attempt_translation_begin(rc_attempt *attempt)
{
    const rc_exchange *exchange = attempt->exchange;
    const rc_alloc *alloc = &exchange->runtime->alloc;
    if (exchange->translation == NULL || !entry_of(attempt)->is_foreign)
        return true;
    rc_attempt_translation *t = alloc->get(alloc->ctx, sizeof *t);
    if (t == NULL)
        return false;
    t->endpoint =
        rc_interface_endpoint(entry_of(attempt)->target.dialect, exchange->request.is_stream);
    rc_buf_init(&t->body, alloc, BODY_GROWTH * exchange->request.body.len + BODY_MORE_BYTES);
    t->kept_bytes = 0;
    t->has_translator = false;
    write_text(t, exchange, &entry_of(attempt)->plan);
    attempt->translation = t;
    attempt->held.max_bytes = RC_ATTEMPT_WHOLE_MAX + RC_ATTEMPT_HELD_MAX;
    attempt->scratch.max_bytes = 2 * RC_ATTEMPT_WHOLE_MAX;
    return true;
}

static void uncount_body(const rc_attempt *attempt, rc_attempt_translation *t)
{
    atomic_fetch_sub_explicit(&attempt->exchange->runtime->hub->kept_bytes, t->kept_bytes,
                              memory_order_relaxed);
    t->kept_bytes = 0;
}

void rc_attempt_translation_done(rc_attempt *attempt)
{
    rc_attempt_translation *t = attempt->translation;
    const rc_alloc *alloc = &attempt->exchange->runtime->alloc;
    if (t == NULL)
        return;
    if (t->has_translator)
        rc_translator_done(&t->translator);
    uncount_body(attempt, t);
    rc_buf_done(&t->body);
    alloc->put(alloc->ctx, t, sizeof *t);
    attempt->translation = NULL;
}

const rc_endpoint *rc_attempt_endpoint(const rc_attempt *attempt)
{
    return attempt->translation != NULL ? attempt->translation->endpoint
                                        : attempt->exchange->request.endpoint;
}

bool rc_attempt_is_client_array(const rc_attempt *attempt)
{
    const rc_client_request *request = &attempt->exchange->request;
    if (attempt->translation == NULL)
        return attempt->is_array;
    return request->endpoint->dialect == RC_DIALECT_GEMINI && request->is_stream &&
           !request->is_sse;
}

bool rc_attempt_set_translated_position(const rc_attempt *attempt, rc_builder *builder)
{
    const rc_attempt_translation *t = attempt->translation;
    const rc_exchange *exchange = attempt->exchange;
    char scratch[RC_ATTEMPT_RESPONSE_ID_MAX];
    rc_buf id;
    if (t == NULL)
        return false;
    if (exchange->request.endpoint->dialect != RC_DIALECT_OPENAI_RESPONSES || !t->has_translator)
        return true;
    rc_buf_init_fixed(&id, scratch, sizeof scratch);
    rc_buf_push(&id, RC_STR("resp_"));
    rc_buf_push(&id, rc_str_c(exchange->id.text));
    rc_builder_set_context_int(builder, RC_STR("sequence_number"),
                               (int64_t)rc_translator_event_count(&t->translator));
    rc_builder_set_context(builder, RC_STR("response_id"), rc_buf_get(&id));
    return true;
}

rc_str rc_attempt_translation_type(const rc_attempt *attempt)
{
    if (attempt->translation == NULL)
        return rc_str_make(NULL, 0);
    return attempt->mode == RC_MODE_STREAM && !rc_attempt_is_client_array(attempt)
               ? RC_STR("text/event-stream")
               : RC_STR("application/json");
}

rc_str rc_attempt_translation_text(const rc_attempt *attempt)
{
    const rc_attempt_translation *t = attempt->translation;
    return t != NULL ? rc_str_make(t->text, t->text_len) : rc_attempt_strip_text(attempt);
}

/* ---- the request ---- */

/* Counts the written body towards max_kept_bytes. */
static bool count_body(const rc_attempt *attempt, rc_attempt_translation *t)
{
    atomic_size_t *all = &attempt->exchange->runtime->hub->kept_bytes;
    const uint64_t most = attempt->exchange->snapshot->config->limits.max_kept_bytes;
    const size_t len = rc_buf_get(&t->body).len;
    t->kept_bytes = len;
    return atomic_fetch_add_explicit(all, len, memory_order_relaxed) + len <= most;
}

rc_request_fault rc_attempt_translate_request(rc_attempt *attempt, rc_outbound_target *target)
{
    rc_attempt_translation *t = attempt->translation;
    const rc_exchange *exchange = attempt->exchange;
    rc_buf scratch;
    if (t == NULL)
        return rc_request_fault_none();
    rc_buf_init(&scratch, &exchange->runtime->alloc, SCRATCH_MAX_BYTES);
    const rc_status status = rc_translation_write(&entry_of(attempt)->plan, &scratch, &t->body);
    rc_buf_done(&scratch);
    if (status != RC_OK || !count_body(attempt, t))
        return rc_request_fault_make(RC_REQUEST_FAULT_MEMORY, "", "");
    target->endpoint = t->endpoint;
    target->body = rc_buf_get(&t->body);
    rc_metrics_on_translated(exchange->runtime->metrics,
                             exchange->route->entries[attempt->entry].metric,
                             (uint32_t)rc_interface_index(exchange->request.endpoint->dialect),
                             entry_of(attempt)->plan.fit == RC_FIT_ADAPTED);
    return rc_request_fault_none();
}

bool rc_attempt_translation_free_request(rc_attempt *attempt)
{
    rc_attempt_translation *t = attempt->translation;
    rc_exchange_translation *whole = attempt->exchange->translation;
    rc_attempt_strip_free_request(attempt);
    if (t == NULL)
        return true;
    uncount_body(attempt, t);
    rc_buf_release(&t->body);
    if ((entry_of(attempt)->plan.adapted & RC_FEATURE_BIT(TOOLS_NAME)) != 0)
        return false;
    /* The translator only reads the names of tools from the conversation. An empty conversation
     * has no tools, and no positions in the client's body, which is freed now. */
    rc_conversation_done(&whole->conversation);
    rc_conversation_init(&whole->conversation, &attempt->exchange->runtime->alloc);
    return true;
}

/* ---- the response ---- */

static rc_translator *translator_of(rc_attempt *attempt)
{
    rc_attempt_translation *t = attempt->translation;
    const rc_exchange *exchange = attempt->exchange;
    const rc_conversation *c = &exchange->translation->conversation;
    if (t->has_translator)
        return &t->translator;
    const rc_output_facts facts = {
        .request_id = rc_str_c(exchange->id.text),
        .model = attempt->model,
        .created_s = exchange->began_unix_ms / 1000,
        .input_tokens = (int64_t)rc_usage_estimate_read(exchange->request.body).input,
        .is_stream = attempt->mode == RC_MODE_STREAM,
        .is_array = rc_attempt_is_client_array(attempt),
        .target = entry_of(attempt)->target.name,
        .wants_usage = c->wants_usage,
        .sees_thoughts = c->sees_thoughts,
    };
    rc_translator_init(&t->translator, c, entry_of(attempt)->target.dialect, &facts,
                       &exchange->runtime->alloc);
    t->has_translator = true;
    return &t->translator;
}

/* Ends the attempt, because its response cannot be translated. Returns false. */
static bool fail_translation(rc_attempt *attempt, rc_status status)
{
    rc_attempt_stop(attempt);
    if (status == RC_E_NOMEM)
        rc_attempt_fail_local(attempt, RC_LOCAL_NO_MEMORY_FOR_RESPONSE, RC_STR(""));
    else if (status == RC_E_TYPE)
        rc_attempt_fail_untranslatable(attempt, RC_LOCAL_TRANSLATION_UNKNOWN);
    else if (status == RC_E_TOO_LARGE)
        rc_attempt_fail_untranslatable(attempt, RC_LOCAL_TRANSLATION_TOO_LARGE);
    else
        rc_attempt_fail_unusable(attempt, RC_LOCAL_TRANSLATION_MALFORMED);
    return false;
}

bool rc_attempt_translate_whole(rc_attempt *attempt)
{
    if (attempt->translation == NULL)
        return true;
    rc_translator *translator = translator_of(attempt);
    const rc_status status = rc_translator_push_body(translator, rc_buf_get(&attempt->held));
    if (status != RC_OK || !rc_translator_is_over(translator))
        return fail_translation(attempt, status);
    rc_buf_reset(&attempt->held);
    rc_buf_push(&attempt->held, rc_translator_output(translator));
    rc_translator_take(translator);
    if (rc_buf_status(&attempt->held) != RC_OK)
        return fail_translation(attempt, rc_buf_status(&attempt->held));
    return true;
}

/* Sends what the translator has written. The end of the response is held back until the record is
 * stored. Returns false if the attempt is over. */
static bool send_output(rc_attempt *attempt, rc_translator *translator)
{
    const rc_str output = rc_translator_output(translator);
    if (output.len == 0)
        return true;
    if (rc_translator_is_over(translator)) {
        rc_buf_push(&attempt->held, output);
        rc_translator_take(translator);
        if (rc_buf_status(&attempt->held) != RC_OK)
            return fail_translation(attempt, rc_buf_status(&attempt->held));
        return true;
    }
    if (!rc_attempt_stream_release(attempt))
        return false;
    rc_attempt_write(attempt, output);
    rc_translator_take(translator);
    return true;
}

bool rc_attempt_translate_event(rc_attempt *attempt, const rc_stream_event *event)
{
    if (event->type == RC_STREAM_EVENT_PART)
        return fail_translation(attempt, RC_E_TOO_LARGE);
    if (event->type != RC_STREAM_EVENT_DATA)
        return true;
    rc_translator *translator = translator_of(attempt);
    const rc_status status = rc_translator_push_event(translator, event->data);
    if (status != RC_OK)
        return fail_translation(attempt, status);
    return send_output(attempt, translator);
}

bool rc_attempt_translate_end(rc_attempt *attempt)
{
    if (attempt->translation == NULL)
        return true;
    rc_translator *translator = translator_of(attempt);
    if (rc_translator_is_over(translator))
        return true;
    const rc_status status = rc_translator_push_event(translator, RC_STR("[DONE]"));
    if (status != RC_OK || !rc_translator_is_over(translator))
        return fail_translation(attempt, status);
    return send_output(attempt, translator);
}
