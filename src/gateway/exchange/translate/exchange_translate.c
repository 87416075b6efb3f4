/* Reads a request for translation and plans it for the targets of another API. Called by the
 * attempt and exchange files of src/gateway/exchange and by attempt_strip.c. */
#include "gateway/exchange/translate/exchange_translate.h"

#include "base/str.h"
#include "config/interfaces.h"
#include "dialect/interface.h"
#include "dialect/usage_estimate.h"
#include "gateway/exchange/exchange_ledger.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/request/fields.h"
#include "gateway/runtime/runtime.h"
#include "gateway/state/snapshot.h"

/* Maximum size of one value of the request that is examined, such as a schema. */
#define SCRATCH_MAX_BYTES ((size_t)8 << 20)
/* A request is not sent to a model whose context window is smaller than the estimated number of
 * tokens by more than a quarter. The estimate may be too large, and the provider counts exactly. */
#define ESTIMATE_MARGIN 4u

bool rc_exchange_may_translate(const rc_exchange *exchange)
{
    return rc_route_may_translate(exchange->route, exchange->request.endpoint);
}

rc_dialect rc_exchange_interface(const rc_exchange *exchange, uint16_t entry)
{
    return rc_route_interface(exchange->route, entry, exchange->request.endpoint);
}

/* ---- one entry ---- */

static void close_for_feature(rc_entry_translation *entry, rc_code code, rc_str name)
{
    entry->is_unfit = true;
    entry->is_feature = true;
    entry->code = code;
    entry->name = name;
}

static void close_entry(rc_entry_translation *entry, rc_local_outcome outcome, rc_str name)
{
    entry->is_unfit = true;
    entry->outcome = outcome;
    entry->code = rc_local_outcome_get(outcome)->code;
    entry->name = name;
}

/* Returns the first feature or member that the plan leaves out or changes. */
static rc_str first_adapted(const rc_translation_plan *plan, rc_feature *ret_feature)
{
    const rc_conversation *c = plan->conversation;
    for (size_t i = 0; i < RC_FEATURE_COUNT; i++)
        if ((plan->adapted >> i & 1) != 0) {
            *ret_feature = (rc_feature)i;
            return rc_feature_name((rc_feature)i);
        }
    *ret_feature = RC_FEATURE_UNKNOWN_CONTENT;
    return c->unknown_count > 0 ? rc_conversation_text(c, c->unknown[0]) : RC_STR("");
}

static bool is_too_long(const rc_exchange *exchange, const rc_model_facts *facts)
{
    if (facts->context == 0)
        return false;
    const uint64_t tokens = rc_usage_estimate_read(exchange->request.body).input;
    return tokens > (uint64_t)facts->context + facts->context / ESTIMATE_MARGIN;
}

/* Returns the model that is requested from the target. */
static rc_str requested_model(const rc_exchange *exchange, size_t at)
{
    const rc_str model = exchange->route->entries[at].model;
    return rc_str_eq(model, RC_STR("*")) ? exchange->requested_model : model;
}

/* Appends the target's name to `names`, which is large enough for all names. */
static rc_str push_target_name(rc_exchange_translation *t, rc_str provider, rc_str model)
{
    const size_t at = rc_buf_get(&t->names).len;
    rc_buf_push(&t->names, provider);
    rc_buf_push_byte(&t->names, '/');
    rc_buf_push(&t->names, model);
    return rc_str_slice(rc_buf_get(&t->names), at, rc_buf_get(&t->names).len);
}

static bool plan_entry(const rc_exchange *exchange, rc_exchange_translation *t, uint16_t at)
{
    rc_entry_translation *entry = &t->entries[at];
    const rc_route_entry *route_entry = &exchange->route->entries[at];
    const rc_str model =
        rc_str_eq(route_entry->model, RC_STR("*")) ? exchange->requested_model : route_entry->model;
    entry->target = (rc_translate_target){
        .dialect = rc_exchange_interface(exchange, at),
        .is_openai = rc_config_is_openai(route_entry->provider->config),
        .model = model,
        .name = push_target_name(t, route_entry->provider->config->name, model),
        .facts = rc_route_model_facts(exchange->route, at, model),
    };
    rc_buf_reset(&t->scratch);
    if (rc_translation_plan_make(&entry->plan, &t->conversation, &entry->target, &t->scratch) !=
        RC_OK)
        return false;
    rc_translation_plan exact = entry->plan;
    if (entry->plan.fit == RC_FIT_ADAPTED && exchange->route->translate == RC_TRANSLATE_EXACT) {
        const rc_str name = first_adapted(&entry->plan, &exact.refused);
        close_for_feature(entry, rc_translation_plan_code(&exact), name);
    } else if (entry->plan.fit == RC_FIT_REFUSED) {
        close_for_feature(entry, rc_translation_plan_code(&entry->plan),
                          rc_feature_name(entry->plan.refused));
    } else if (is_too_long(exchange, &entry->target.facts)) {
        close_entry(entry, RC_LOCAL_UNFIT_CONTEXT, RC_STR(""));
    }
    return true;
}

/* ---- the request ---- */

/* Closes every entry of another API, because the request cannot be read. */
static void close_all(rc_exchange_translation *t, rc_local_outcome outcome, rc_str name)
{
    for (size_t i = 0; i < t->entry_count; i++)
        if (t->entries[i].is_foreign)
            close_entry(&t->entries[i], outcome, name);
}

/* Reads the request. Returns false if memory runs out. If the request cannot be translated at all,
 * every entry of another API is closed. */
static bool read_request(const rc_exchange *exchange, rc_exchange_translation *t)
{
    const rc_client_request *request = &exchange->request;
    if (exchange->is_body_streamed || request->is_compressed) {
        close_all(t, exchange->is_body_streamed ? RC_LOCAL_UNFIT_UPLOAD : RC_LOCAL_UNFIT_CODING,
                  RC_STR(""));
        return true;
    }
    const rc_status status = rc_conversation_read(&t->conversation, request->endpoint->dialect,
                                                  request->body, request->is_stream);
    if (status == RC_E_TYPE)
        close_all(t, RC_LOCAL_UNFIT_TYPE, rc_str_c(rc_conversation_fault(&t->conversation)));
    else if (status == RC_E_TOO_LARGE)
        close_all(t, RC_LOCAL_UNFIT_PARTS, RC_STR(""));
    else if (status != RC_OK)
        close_all(t, RC_LOCAL_UNFIT_JSON, RC_STR(""));
    return status != RC_E_NOMEM;
}

static rc_exchange_translation *make(const rc_exchange *exchange)
{
    const rc_alloc *alloc = &exchange->runtime->alloc;
    const uint16_t count = exchange->plan.entry_count;
    const size_t size = sizeof(rc_exchange_translation) + count * sizeof(rc_entry_translation);
    rc_exchange_translation *t = alloc->get(alloc->ctx, size);
    if (t == NULL)
        return NULL;
    memset(t, 0, size);
    t->entry_count = count;
    rc_conversation_init(&t->conversation, alloc);
    rc_buf_init(&t->scratch, alloc, SCRATCH_MAX_BYTES);
    rc_buf_init(&t->names, alloc, SCRATCH_MAX_BYTES);
    for (uint16_t i = 0; i < count; i++) {
        const rc_dialect interface = rc_exchange_interface(exchange, i);
        t->entries[i].is_foreign =
            interface != exchange->request.endpoint->dialect && interface != RC_DIALECT_PROBLEM;
    }
    return t;
}

/* Reserves the memory of all names, so that they do not move. */
static bool reserve_names(const rc_exchange *exchange, rc_exchange_translation *t)
{
    size_t bytes = 0;
    for (size_t i = 0; i < t->entry_count; i++)
        bytes += exchange->route->entries[i].provider->config->name.len + 1 +
                 requested_model(exchange, i).len;
    return rc_buf_reserve(&t->names, bytes) == RC_OK;
}

static bool fill(const rc_exchange *exchange, rc_exchange_translation *t)
{
    if (!reserve_names(exchange, t) || !read_request(exchange, t))
        return false;
    for (uint16_t i = 0; i < t->entry_count; i++)
        if (t->entries[i].is_foreign && !t->entries[i].is_unfit && !plan_entry(exchange, t, i))
            return false;
    rc_buf_release(&t->scratch);
    return true;
}

/* Removes RC_NEED_TRANSLATION from the entries for which the request cannot be expressed. */
static bool close_entries(rc_exchange *exchange)
{
    for (uint16_t i = 0; i < exchange->translation->entry_count; i++) {
        if (!exchange->translation->entries[i].is_unfit)
            continue;
        if (!rc_exchange_own_entries(exchange))
            return false;
        exchange->entries[i].capabilities &= ~(uint32_t)RC_NEED_TRANSLATION;
    }
    return true;
}

bool rc_exchange_plan_translations(rc_exchange *exchange)
{
    if (exchange->translation != NULL)
        return true;
    exchange->translation = make(exchange);
    if (exchange->translation != NULL && fill(exchange, exchange->translation) &&
        close_entries(exchange))
        return true;
    rc_exchange_translation_done(exchange);
    return false;
}

bool rc_exchange_is_fit(const rc_exchange *exchange, uint16_t entry)
{
    return exchange->translation == NULL || !exchange->translation->entries[entry].is_unfit;
}

void rc_exchange_translation_done(rc_exchange *exchange)
{
    rc_exchange_translation *t = exchange->translation;
    const rc_alloc *alloc = &exchange->runtime->alloc;
    if (t == NULL)
        return;
    rc_conversation_done(&t->conversation);
    rc_buf_done(&t->scratch);
    rc_buf_done(&t->names);
    alloc->put(alloc->ctx, t, sizeof *t + t->entry_count * sizeof *t->entries);
    exchange->translation = NULL;
}

/* ---- texts ---- */

static const rc_entry_translation *first_unfit(const rc_exchange *exchange)
{
    const rc_exchange_translation *t = exchange->translation;
    for (size_t i = 0; t != NULL && i < t->entry_count; i++)
        if (t->entries[i].is_unfit)
            return &t->entries[i];
    return NULL;
}

rc_code rc_exchange_untranslatable(const rc_exchange *exchange)
{
    const rc_entry_translation *entry = first_unfit(exchange);
    return entry != NULL ? entry->code : RC_CODE_NONE;
}

/* Appends a name of the request. Names of members come from the client, so other bytes than those
 * of names are left out. */
static void push_name(rc_buf *text, rc_str name)
{
    for (size_t i = 0; i < name.len && i < 64; i++)
        if (rc_ascii_is_alnum(name.ptr[i]) || name.ptr[i] == '_' || name.ptr[i] == '.' ||
            name.ptr[i] == '-')
            rc_buf_push_byte(text, name.ptr[i]);
}

/* Appends a sentence as a clause: with a small letter and without its full stop. */
static void push_as_clause(rc_buf *text, rc_str sentence)
{
    const char first = sentence.ptr[0];
    rc_buf_push_byte(text, first >= 'A' && first <= 'Z' ? (char)(first - 'A' + 'a') : first);
    rc_buf_push(text, rc_str_slice(sentence, 1, sentence.len - 1));
}

static void push_clause(const rc_exchange *exchange, uint16_t at, rc_buf *text)
{
    const rc_entry_translation *entry = &exchange->translation->entries[at];
    if (entry->name.len > 0) {
        rc_buf_push_byte(text, '`');
        push_name(text, entry->name);
        rc_buf_push(text, entry->is_feature ? RC_STR("` ") : RC_STR("`: "));
    }
    if (!entry->is_feature) {
        push_as_clause(text, rc_local_outcome_get(entry->outcome)->message);
        return;
    }
    rc_buf_push(text, entry->plan.fit == RC_FIT_REFUSED
                          ? RC_STR("cannot be expressed in the ")
                          : RC_STR("would be left out or changed in the "));
    rc_buf_push(text, rc_str_c(rc_interface_name(rc_exchange_interface(exchange, at))));
    rc_buf_push(text, RC_STR(" API"));
}

void rc_exchange_push_unfit(const rc_exchange *exchange, uint16_t entry, rc_buf *text)
{
    if (!rc_exchange_is_fit(exchange, entry))
        push_clause(exchange, entry, text);
}

static rc_str advice_of(const rc_exchange *exchange, const rc_entry_translation *entry)
{
    if (!entry->is_feature &&
        (entry->outcome == RC_LOCAL_UNFIT_TYPE || entry->outcome == RC_LOCAL_UNFIT_JSON))
        return RC_STR("Correct the request.");
    if (!entry->is_feature && entry->outcome != RC_LOCAL_UNFIT_CODING)
        return RC_STR("Shorten the request, or add a target with a larger limit to the route.");
    return exchange->route->translate == RC_TRANSLATE_EXACT
               ? RC_STR("Change the request, set `translate: adapted` for the route, or add a "
                        "target whose API is the client's own.")
               : RC_STR("Change the request, or add a target to the route that can carry it, such "
                        "as one whose API is the client's own.");
}

/* Writes "No target of this route can carry the request: claude/claude-opus-4-8: `json_object`
 * cannot be expressed in the messages API." */
void rc_exchange_describe_untranslatable(const rc_exchange *exchange, rc_builder *builder)
{
    char scratch[2048];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push(&text, RC_STR("No target of this route can carry the request: "));
    size_t count = 0;
    for (uint16_t i = 0; i < exchange->translation->entry_count; i++) {
        if (rc_exchange_is_fit(exchange, i) || rc_buf_get(&text).len > sizeof scratch / 2)
            continue;
        rc_buf_push(&text, count++ > 0 ? RC_STR("; ") : RC_STR(""));
        rc_target_text_push(&text, rc_exchange_provider_of(exchange, i)->config->name,
                            rc_exchange_model_of(exchange, i));
        rc_buf_push(&text, RC_STR(": "));
        push_clause(exchange, i, &text);
    }
    rc_buf_push_byte(&text, '.');
    rc_builder_set_message(builder, rc_buf_get(&text));
    rc_builder_set_action(builder, RC_ACTION_FIX_REQUEST,
                          advice_of(exchange, first_unfit(exchange)));
}
