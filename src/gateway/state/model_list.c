/* Renders the models that clients can request, in the form of each dialect. Called by
 * exchange_request.c. Each route contributes these names:
 *
 *   a route without "*"    its pattern
 *   a route with "*"       known names that match it: the model of its first target or, if that is
 *                          "*", the models in the price list
 *
 * Without routes, the list has provider/model for the models in the price list.
 * The targets of a chain are not listed, because they are internal to the operator. */
#include "gateway/state/model_list.h"
#include "base/str.h"
#include "codec/datetime.h"
#include "config/prices/price.h"
#include "config/prices/prices.h"
#include "config/reader.h"
#include "gateway/request/model.h"
#include "gateway/state/snapshot.h"
#include "json/writer.h"

#define ID_MAX_BYTES 2048
/* Maximum number of names from routes with "*"; further names are left out. The hash set has twice
 * as many slots; their number is a power of two. */
#define KNOWN_MAX 512u
#define SLOTS (2 * KNOWN_MAX)

typedef struct listing {
    const rc_snapshot *snapshot;
    rc_dialect dialect;
    const rc_endpoint *endpoint; /* The endpoint that a client of the dialect would use. NULL for
                                    any endpoint. */
    rc_json_writer writer;
    char ids[2][ID_MAX_BYTES]; /* The first id and the last id of the list. */
    rc_str first_id;
    rc_str last_id;
    uint32_t known;
    uint64_t seen[SLOTS]; /* Hashes of the listed names that match routes with "*". 0 marks a free
                           * slot. */
} listing;

static bool is_open(rc_str model)
{
    return rc_str_find_byte(model, '*', 0) != RC_STR_NPOS;
}

/* Returns the endpoint whose models the list has. OpenAI's list has the models of all endpoints
 * (NULL); the other dialects list only models that their own endpoint can serve. */
static const rc_endpoint *endpoint_for(rc_dialect dialect)
{
    if (dialect == RC_DIALECT_ANTHROPIC)
        return rc_endpoint_at(RC_ENDPOINT_MESSAGES);
    return dialect == RC_DIALECT_GEMINI ? rc_endpoint_at(RC_ENDPOINT_GENERATE) : NULL;
}

static bool suits(const rc_endpoint *endpoint, const rc_snapshot_provider *provider)
{
    return endpoint == NULL || provider->is_demo ||
           rc_endpoint_is_supported(endpoint, provider->config->kind->dialect);
}

/* ---- facts about a model ---- */

typedef struct facts {
    int64_t created_unix_ms;
    rc_str owner;            /* The provider of the first target. */
    uint64_t context_window; /* In tokens. 0 if unknown. */
    uint32_t capabilities;   /* RC_NEED_ bits that at least one target has. */
    bool has_capabilities;   /* The capabilities of at least one target are known. */
} facts;

/* Collects the facts of all targets of the route that serve the endpoint. The capabilities of all
 * targets are combined, because a request goes to a target that has the capabilities it needs. The
 * context window is the smallest of all targets. */
static bool find_facts(const rc_snapshot *snapshot, const rc_route *route,
                       const rc_endpoint *endpoint, facts *ret_facts)
{
    bool is_found = false;
    *ret_facts = (facts){.created_unix_ms = snapshot->loaded_unix_ms};
    for (uint16_t i = 0; i < route->plan.entry_count; i++) {
        const rc_route_entry *route_entry = &route->entries[i];
        const uint32_t has = route->plan.entries[i].capabilities & RC_ROUTE_NEEDS_MASK;
        const uint64_t window = route_entry->context_window;
        if (!suits(endpoint, route_entry->provider))
            continue;
        if (!is_found)
            ret_facts->owner = route_entry->provider->config->name;
        is_found = true;
        if (window > 0 && (ret_facts->context_window == 0 || window < ret_facts->context_window))
            ret_facts->context_window = window;
        if (has == RC_ROUTE_NEEDS_MASK) /* All bits mean that the capabilities are unknown. */
            continue;
        ret_facts->has_capabilities = true;
        ret_facts->capabilities |= has;
    }
    return is_found;
}

/* ---- one model ---- */

static void push_capabilities(rc_json_writer *w, const facts *known)
{
    if (!known->has_capabilities)
        return;
    rc_json_key(w, RC_STR("capabilities"));
    rc_json_array_begin(w);
    for (size_t i = 0; rc_config_capability_at(NULL, i) != NULL; i++)
        if (known->capabilities >> i & 1)
            rc_json_string(w, rc_str_c(rc_config_capability_at(NULL, i)));
    rc_json_array_end(w);
}

static void push_window(rc_json_writer *w, rc_str key, const facts *known)
{
    if (known->context_window == 0)
        return;
    rc_json_key(w, key);
    rc_json_u64(w, known->context_window);
}

static void push_openai(rc_json_writer *w, rc_str id, const facts *known)
{
    rc_json_member_string(w, RC_STR("id"), id);
    rc_json_member_string(w, RC_STR("object"), RC_STR("model"));
    rc_json_member_i64(w, RC_STR("created"), known->created_unix_ms / 1000);
    rc_json_member_string(w, RC_STR("owned_by"), known->owner);
    push_window(w, RC_STR("context_window"), known);
    push_capabilities(w, known);
}

static void push_anthropic(rc_json_writer *w, rc_str id, const facts *known)
{
    char scratch[32];
    rc_buf time;
    rc_buf_init_fixed(&time, scratch, sizeof scratch);
    rc_rfc3339_push(&time, known->created_unix_ms);
    rc_json_member_string(w, RC_STR("type"), RC_STR("model"));
    rc_json_member_string(w, RC_STR("id"), id);
    rc_json_member_string(w, RC_STR("display_name"), id);
    rc_json_member_string(w, RC_STR("created_at"), rc_buf_get(&time));
    push_window(w, RC_STR("max_input_tokens"), known);
}

static void push_gemini(rc_json_writer *w, rc_str id, const facts *known)
{
    static const rc_str methods[] = {RC_STR_INIT("generateContent"),
                                     RC_STR_INIT("streamGenerateContent"),
                                     RC_STR_INIT("embedContent"), RC_STR_INIT("countTokens")};
    char scratch[ID_MAX_BYTES + sizeof "models/"];
    rc_buf name;
    rc_buf_init_fixed(&name, scratch, sizeof scratch);
    rc_buf_push(&name, RC_STR("models/"));
    rc_buf_push(&name, id);
    rc_json_member_string(w, RC_STR("name"), rc_buf_get(&name));
    rc_json_member_string(w, RC_STR("displayName"), id);
    push_window(w, RC_STR("inputTokenLimit"), known);
    rc_json_key(w, RC_STR("supportedGenerationMethods"));
    rc_json_array_begin(w);
    for (size_t i = 0; i < sizeof methods / sizeof methods[0]; i++)
        rc_json_string(w, methods[i]);
    rc_json_array_end(w);
}

static void push_model(rc_json_writer *w, rc_dialect dialect, rc_str id, const facts *known)
{
    rc_json_object_begin(w);
    if (dialect == RC_DIALECT_ANTHROPIC)
        push_anthropic(w, id, known);
    else if (dialect == RC_DIALECT_GEMINI)
        push_gemini(w, id, known);
    else
        push_openai(w, id, known);
    rc_json_object_end(w);
}

/* ---- the list ---- */

/* Adds a model to the list. provider: the prefix of the name; empty for a name without prefix. */
static void list_model(listing *l, rc_str provider, rc_str model, const facts *known)
{
    const bool is_first = l->first_id.len == 0;
    rc_buf id;
    rc_buf_init_fixed(&id, l->ids[is_first ? 0 : 1], ID_MAX_BYTES);
    rc_buf_push(&id, provider);
    if (provider.len > 0)
        rc_buf_push_byte(&id, '/');
    rc_buf_push(&id, model);
    if (rc_buf_status(&id) != RC_OK)
        return; /* A request could not name this model either, because the name is too long. */
    l->last_id = rc_buf_get(&id);
    if (is_first)
        l->first_id = l->last_id;
    push_model(&l->writer, l->dialect, l->last_id, known);
}

/* Stores the hash of a name that matches a route with "*". Returns false if the name is already
 * listed or the set is full. */
static bool add_seen(listing *l, rc_str provider, rc_str model)
{
    const rc_str parts[] = {provider, RC_STR("/"), model};
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        for (size_t k = 0; k < parts[i].len; k++)
            hash = (hash ^ (unsigned char)parts[i].ptr[k]) * UINT64_C(1099511628211);
    hash = hash != 0 ? hash : 1;
    size_t slot = (size_t)hash % SLOTS;
    for (; l->seen[slot] != 0; slot = (slot + 1) % SLOTS)
        if (l->seen[slot] == hash)
            return false;
    if (l->known == KNOWN_MAX)
        return false;
    l->known++;
    l->seen[slot] = hash;
    return true;
}

/* Whether a request for this model would use this route. */
static bool leads_to(const listing *l, rc_str model, size_t route)
{
    rc_str provider;
    rc_str rest;
    if (!rc_model_name_is_valid(model))
        return false;
    if (rc_model_name_split(model, &provider, &rest) &&
        rc_config_provider_find(l->snapshot->config, provider) != NULL)
        return false;
    return rc_config_route_find(l->snapshot->config, model) == &l->snapshot->config->routes[route];
}

/* Lists the provider's models from the price list. route: only models that use this route are
 * listed; RC_NO_ROUTE lists all models, as provider/model. */
#define RC_NO_ROUTE SIZE_MAX

static void list_priced(listing *l, const rc_snapshot_provider *provider, size_t route,
                        const facts *known)
{
    const rc_config_provider *config = provider->config;
    const rc_config_price *price;
    bool is_own;
    for (size_t i = 0; (price = rc_prices_at(l->snapshot->prices, i, &is_own)) != NULL; i++) {
        const rc_str before = route == RC_NO_ROUTE ? config->name : RC_STR("");
        if (is_open(price->model) ||
            (price->kind.len > 0 && !rc_str_eq(price->kind, rc_str_c(config->kind->name))) ||
            (price->provider.len > 0 && !rc_str_eq(price->provider, config->name)) ||
            (route != RC_NO_ROUTE && !leads_to(l, price->model, route)))
            continue;
        if (add_seen(l, before, price->model))
            list_model(l, before, price->model, known);
    }
}

/* Whether an earlier entry of the chain has the same dialect as this entry. Only the first entry of
 * each dialect is listed, because calls try it first. */
static bool is_behind(const rc_route *route, uint16_t entry)
{
    const rc_snapshot_provider *mine = route->entries[entry].provider;
    for (uint16_t i = 0; i < entry; i++) {
        const rc_snapshot_provider *other = route->entries[i].provider;
        if (other->is_demo || other->config->kind->dialect == mine->config->kind->dialect)
            return true;
    }
    return false;
}

static void list_open_route(listing *l, size_t index, const facts *known)
{
    const rc_route *route = &l->snapshot->routes[index];
    for (uint16_t i = 0; i < route->plan.entry_count; i++) {
        const rc_route_entry *route_entry = &route->entries[i];
        facts own = *known;
        own.owner = route_entry->provider->config->name;
        if (!suits(l->endpoint, route_entry->provider) || is_behind(route, i))
            continue;
        if (is_open(route_entry->model))
            list_priced(l, route_entry->provider, index, &own);
        else if (leads_to(l, route_entry->model, index) &&
                 add_seen(l, RC_STR(""), route_entry->model))
            list_model(l, RC_STR(""), route_entry->model, &own);
    }
}

static void list_all(listing *l)
{
    const rc_config *config = l->snapshot->config;
    facts known;
    rc_json_array_begin(&l->writer);
    for (size_t i = 0; i < config->route_count; i++)
        if (!is_open(config->routes[i].model) && leads_to(l, config->routes[i].model, i) &&
            find_facts(l->snapshot, &l->snapshot->routes[i], l->endpoint, &known))
            list_model(l, RC_STR(""), config->routes[i].model, &known);
    for (size_t i = 0; i < config->route_count; i++)
        if (is_open(config->routes[i].model) &&
            find_facts(l->snapshot, &l->snapshot->routes[i], l->endpoint, &known))
            list_open_route(l, i, &known);
    for (size_t i = 0; config->route_count == 0 && i < config->provider_count; i++)
        if (find_facts(l->snapshot, &l->snapshot->direct[i], l->endpoint, &known))
            list_priced(l, &l->snapshot->providers[i], RC_NO_ROUTE, &known);
    rc_json_array_end(&l->writer);
}

static void end_anthropic(listing *l)
{
    rc_json_member_bool(&l->writer, RC_STR("has_more"), false);
    if (l->first_id.len == 0)
        return;
    rc_json_member_string(&l->writer, RC_STR("first_id"), l->first_id);
    rc_json_member_string(&l->writer, RC_STR("last_id"), l->last_id);
}

void rc_snapshot_push_models(const rc_snapshot *snapshot, rc_dialect dialect, rc_buf *buf)
{
    listing l = {.snapshot = snapshot, .dialect = dialect, .endpoint = endpoint_for(dialect)};
    rc_json_writer_init(&l.writer, buf, 0);
    rc_json_object_begin(&l.writer);
    if (l.endpoint == NULL)
        rc_json_member_string(&l.writer, RC_STR("object"), RC_STR("list"));
    rc_json_key(&l.writer, dialect == RC_DIALECT_GEMINI ? RC_STR("models") : RC_STR("data"));
    list_all(&l);
    if (dialect == RC_DIALECT_ANTHROPIC)
        end_anthropic(&l);
    rc_json_object_end(&l.writer);
}

void rc_snapshot_push_model(const rc_snapshot *snapshot, const rc_route *route, rc_str id,
                            rc_dialect dialect, rc_buf *buf)
{
    rc_json_writer w;
    facts known;
    /* A model is described even if no target of it has this dialect. */
    if (!find_facts(snapshot, route, endpoint_for(dialect), &known))
        (void)find_facts(snapshot, route, NULL, &known);
    rc_json_writer_init(&w, buf, 0);
    push_model(&w, dialect, id, &known);
}
