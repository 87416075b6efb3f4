/* rc_snapshot: builds routes and providers from a configuration; chooses the route of a request.
 * Called by hub.c and exchanges. */
#include "gateway/state/snapshot.h"
#include "config/interfaces.h"
#include "config/reader.h"
#include "dialect/interface.h"

#include "base/str.h"
#include "config/prices/prices.h"
#include "gateway/observe/metric.h"
#include "gateway/observe/metrics.h"
#include "gateway/request/client_request.h"
#include "gateway/request/fields.h"
#include "gateway/request/model.h"
#include "gateway/state/hub.h"
#include "sys/clock.h"
#include "json/writer.h"

#define SNAPSHOT_MAX_BYTES ((size_t)256 << 20)

/* The capabilities of a target are 32 bits: eight RC_NEED_ bits and one bit for each row of
 * spec/endpoints.def before the LOCAL rows, of which RC_ENDPOINT_MODELS is the first. */
_Static_assert(8 + RC_ENDPOINT_MODELS <= 32, "each endpoint of a provider has a bit");

void rc_load_error_add(rc_load_error *error, rc_str text)
{
    const size_t used = strlen(error->text);
    const size_t space = sizeof error->text - 1 - used;
    const size_t len = text.len < space ? text.len : space;
    if (len > 0)
        memcpy(error->text + used, text.ptr, len);
    error->text[used + len] = '\0';
}

/* ---- providers ---- */

/* Returns the base URL of a provider. The demo provider runs in this process and has no address; it
 * gets a made-up one, because its requests are written like all others. */
static rc_str base_of(const rc_config_provider *provider, bool is_demo)
{
    return is_demo ? RC_STR("http://127.0.0.1/v1") : provider->base_url;
}

static bool read_provider(rc_snapshot_provider *provider, const rc_config_provider *config,
                          rc_load_error *error)
{
    const rc_origin_options options = {
        .insecure = config->insecure, .allow_private = config->insecure || config->private_network};
    provider->config = config;
    provider->is_demo = strcmp(config->kind->name, "demo") == 0;
    const char *why =
        rc_origin_parse(base_of(config, provider->is_demo), options, &provider->origin);
    if (why == NULL)
        return true;
    rc_load_error_add(error, RC_STR("the address of provider "));
    rc_load_error_add(error, config->name);
    rc_load_error_add(error, RC_STR(" cannot be used: "));
    if (rc_config_is_variable(config->base_url)) {
        rc_load_error_add(error, RC_STR("base_url refers to a variable that is not set: "));
        rc_load_error_add(error, config->base_url);
        return false;
    }
    rc_load_error_add(error, rc_str_c(why));
    return false;
}

static bool read_providers(const rc_snapshot *snapshot, rc_load_error *error)
{
    for (size_t i = 0; i < snapshot->config->provider_count; i++)
        if (!read_provider(&snapshot->providers[i], &snapshot->config->providers[i], error))
            return false;
    return true;
}

/* ---- rows ---- */

static bool too_many(rc_load_error *error)
{
    rc_load_error_add(error, RC_STR("there is no memory for the targets and keys, or more than "
                                    "60000 have been used since the start; restart the gateway"));
    return false;
}

/* Finds or adds the hub's rows of the provider's keys. snapshot_keys.c must have read the keys
 * before, because their fingerprints show whether the list has changed. */
static bool find_pool(rc_snapshot *snapshot, rc_snapshot_provider *provider, uint64_t now_ms,
                      rc_load_error *error)
{
    const rc_config_provider *config = provider->config;
    rc_hub *hub = snapshot->hub;
    rc_key_fingerprint *fingerprints =
        rc_arena_get_array(&snapshot->arena, config->key_count + 1, sizeof *fingerprints);
    if (fingerprints == NULL)
        return false;
    for (size_t i = 0; i < config->key_count; i++) {
        const rc_snapshot_key *key = atomic_load(&provider->keys[i]);
        fingerprints[i] = rc_key_fingerprint_of(rc_secret_make(rc_str_make(key->bytes, key->len)));
    }
    if (!rc_hub_add_pool(hub, config->name, fingerprints, config->key_count, now_ms,
                         &provider->first_key))
        return too_many(error);
    for (size_t i = 0; i < config->key_count; i++)
        rc_shared_set_refresh(&hub->shared, (uint16_t)(provider->first_key + i),
                              config->keys[i].kind != RC_SECRET_ENV);
    provider->any_target = rc_hub_add_target(hub, config->name, RC_STR("*"), now_ms);
    return provider->any_target != RC_NO_TARGET || too_many(error);
}

static bool find_pools(rc_snapshot *snapshot, uint64_t now_ms, rc_load_error *error)
{
    for (size_t i = 0; i < snapshot->config->provider_count; i++)
        if (!find_pool(snapshot, &snapshot->providers[i], now_ms, error))
            return false;
    return true;
}

/* ---- routes ---- */

/* Returns whether the provider can serve requests to the endpoint, translated or not. */
static bool is_served(const rc_snapshot_provider *provider, const rc_endpoint *endpoint,
                      uint32_t translate)
{
    if (provider->is_demo)
        return true;
    if (!rc_endpoint_is_generation(endpoint))
        return rc_endpoint_is_supported(endpoint, provider->config->kind->dialect);
    return rc_config_interface_for(provider->config, endpoint->dialect,
                                   translate != RC_TRANSLATE_OFF) != RC_DIALECT_PROBLEM;
}

/* Returns the configured capabilities and one bit for each endpoint that the provider serves. */
static uint32_t capabilities(const rc_snapshot_provider *provider, uint32_t configured,
                             uint32_t translate)
{
    uint32_t all = ~RC_ROUTE_NEEDS_MASK | (configured & RC_ROUTE_NEEDS_MASK);
    if (configured == UINT32_MAX)
        all = UINT32_MAX;
    for (size_t i = 0; rc_endpoint_at(i) != NULL; i++) {
        const rc_endpoint *endpoint = rc_endpoint_at(i);
        if (!is_served(provider, endpoint, translate))
            all &= ~rc_endpoint_need(endpoint);
    }
    return all;
}

static bool is_open(rc_str model)
{
    return rc_str_eq(model, RC_STR("*"));
}

static bool has_open(const rc_route *route)
{
    for (uint16_t i = 0; i < route->plan.entry_count; i++)
        if (is_open(route->entries[i].model))
            return true;
    return false;
}

/* Whether a target of the plan lacks a capability. If no target lacks one, the gateway saves the
 * time to determine which capabilities a request needs. */
static bool checks_needs(const rc_plan *plan)
{
    for (uint16_t i = 0; i < plan->entry_count; i++)
        if ((plan->entries[i].capabilities & RC_ROUTE_NEEDS_MASK) != RC_ROUTE_NEEDS_MASK)
            return true;
    return false;
}

/* Writes "provider/model" into `name`, truncated if it is too long, and returns the text. */
static rc_str target_name(rc_buf *name, rc_str provider, rc_str model)
{
    rc_buf_push(name, provider);
    rc_buf_push_byte(name, '/');
    rc_buf_push(name, model);
    return rc_buf_get(name);
}

static uint16_t target_metric(const rc_snapshot *snapshot, rc_str provider, rc_str model)
{
    char space[RC_METRICS_NAME_MAX + 2];
    rc_buf name;
    rc_buf_init_fixed(&name, space, sizeof space);
    target_name(&name, provider, model);
    return rc_metrics_row(snapshot->hub->metrics, RC_ROWS_TARGET, rc_buf_get(&name));
}

/* Prepares the texts that every request to this target uses. */
static bool write_names(rc_snapshot *snapshot, rc_route_entry *route_entry)
{
    char space[RC_MODEL_QUOTED_MAX];
    rc_buf text;
    if (is_open(route_entry->model))
        return true;
    rc_buf_init_fixed(&text, space, sizeof space);
    rc_target_text_push(&text, route_entry->provider->config->name, route_entry->model);
    route_entry->header_text = rc_arena_dup(&snapshot->arena, rc_buf_get(&text));
    if (rc_model_name_is_valid(route_entry->model)) {
        rc_buf_reset(&text);
        rc_json_push_quoted(&text, route_entry->model);
        route_entry->quoted = rc_arena_dup(&snapshot->arena, rc_buf_get(&text));
    }
    return rc_arena_status(&snapshot->arena) == RC_OK;
}

static bool read_entry(rc_snapshot *snapshot, const rc_config_target *target, uint32_t translate,
                       uint64_t now_ms, rc_chain_entry *ret_entry, rc_route_entry *ret_route_entry)
{
    const rc_snapshot_provider *provider = &snapshot->providers[target->provider];
    *ret_route_entry = (rc_route_entry){
        .provider = provider,
        .model = target->model,
        .target = target,
        .context_window =
            target->context_tokens > 0 ? target->context_tokens : provider->config->context_tokens,
        .metric = target_metric(snapshot, provider->config->name, target->model),
        .has_price = !is_open(target->model)};
    if (ret_route_entry->has_price)
        ret_route_entry->price =
            rc_prices_find(snapshot->prices, rc_str_c(provider->config->kind->name),
                           provider->config->name, target->model, RC_ROUTE_SHORT_INPUT_TOKENS);
    *ret_entry = (rc_chain_entry){
        .target = rc_hub_add_target(snapshot->hub, provider->config->name, target->model, now_ms),
        .max_attempts = (uint16_t)target->tries,
        .capabilities = capabilities(provider, target->capabilities, translate),
        .group = target->group,
        .weight = target->weight,
        .spread = target->by,
        .is_sticky = target->sticky != RC_STICKY_NONE,
    };
    if (ret_entry->target == RC_NO_TARGET)
        return false;
    /* The id of an entry depends on its name only, so a user gets the same target from every
     * gateway. */
    char space[RC_METRICS_NAME_MAX + 2];
    rc_buf name;
    rc_buf_init_fixed(&name, space, sizeof space);
    ret_entry->id =
        (uint32_t)rc_spread_hash(target_name(&name, provider->config->name, target->model));
    rc_hub_set_generation(snapshot->hub, ret_entry->target, snapshot->generation);
    return write_names(snapshot, ret_route_entry);
}

/* ---- interfaces ---- */

rc_dialect rc_route_interface(const rc_route *route, uint16_t entry, const rc_endpoint *endpoint)
{
    const rc_snapshot_provider *provider = route->entries[entry].provider;
    if (provider->is_demo || !rc_endpoint_is_generation(endpoint))
        return endpoint->dialect;
    return rc_config_interface_for(provider->config, endpoint->dialect,
                                   route->translate != RC_TRANSLATE_OFF);
}

static uint32_t translated_interfaces(const rc_route *route)
{
    uint32_t bits = 0;
    for (size_t i = 0; i < RC_INTERFACE_COUNT; i++) {
        const rc_dialect client = rc_interface_at(i);
        const rc_endpoint *endpoint = rc_interface_endpoint(client, false);
        for (uint16_t entry = 0; entry < route->plan.entry_count; entry++) {
            const rc_dialect target = rc_route_interface(route, entry, endpoint);
            if (target != client && target != RC_DIALECT_PROBLEM)
                bits |= UINT32_C(1) << client;
        }
    }
    return bits;
}

bool rc_route_may_translate(const rc_route *route, const rc_endpoint *endpoint)
{
    return (route->translated >> endpoint->dialect & 1) != 0 && rc_endpoint_is_generation(endpoint);
}

bool rc_snapshot_may_seal(const rc_snapshot *snapshot, const rc_endpoint *endpoint)
{
    return (snapshot->translated >> endpoint->dialect & 1) != 0 &&
           rc_endpoint_is_generation(endpoint);
}

rc_model_facts rc_route_model_facts(const rc_route *route, uint16_t entry, rc_str model)
{
    const rc_route_entry *route_entry = &route->entries[entry];
    return rc_config_model_facts(route_entry->provider->config, route_entry->target, model);
}

static bool read_route(rc_snapshot *snapshot, size_t index, uint64_t now_ms)
{
    const rc_config_route *config = &snapshot->config->routes[index];
    rc_route *route = &snapshot->routes[index];
    const size_t count = config->chain_count + (config->has_overflow_to ? 1 : 0);
    rc_chain_entry *entries = rc_arena_get_array(&snapshot->arena, count, sizeof *entries);
    rc_route_entry *route_entries =
        rc_arena_get_array(&snapshot->arena, count, sizeof *route_entries);
    if (entries == NULL || route_entries == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        const rc_config_target *target =
            i < config->chain_count ? &config->chain[i] : &config->overflow_to;
        if (!read_entry(snapshot, target, config->translate, now_ms, &entries[i],
                        &route_entries[i]))
            return false;
    }
    *route = (rc_route){
        .name = config->model,
        .plan = {.policy = config->policy,
                 .entries = entries,
                 .entry_count = (uint16_t)count,
                 .overflow_to =
                     config->has_overflow_to ? (uint16_t)config->chain_count : RC_NO_TARGET,
                 .chain_count = (uint16_t)config->chain_count,
                 .fallback_on =
                     rc_code_set_is_empty(&config->fallback_on) ? NULL : &config->fallback_on,
                 .is_failover_last = config->failover == 1},
        .entries = route_entries,
        .deadline_ms = config->deadline_ms,
        .max_deadline_ms = config->max_deadline_ms > config->deadline_ms ? config->max_deadline_ms
                                                                         : config->deadline_ms,
        .max_wait_ms = config->max_wait_ms,
        .is_wait_off = config->wait == 1 || snapshot->config->limits.max_waiting == 0,
        .is_learn_off = config->learn == 1,
        .hedge_ms = config->hedge_ms,
        .timeouts = config->timeouts,
        .metric = rc_metrics_row(snapshot->hub->metrics, RC_ROWS_ROUTE, config->model),
        .translate = config->translate,
    };
    for (size_t i = 0; i < config->chain_count; i++)
        if (config->chain[i].sticky != RC_STICKY_NONE)
            route->sticky = (rc_config_sticky)config->chain[i].sticky;
    route->translated = translated_interfaces(route);
    snapshot->translated |= route->translated;
    route->is_open = has_open(route);
    route->checks_needs = checks_needs(&route->plan);
    rc_chain_init(&route->chain, (rc_revert)config->revert);
    return true;
}

/* Makes the route for "provider/model" names of one provider. The route has one chain entry and the
 * default settings. */
static bool read_direct(rc_snapshot *snapshot, size_t index)
{
    const rc_snapshot_provider *provider = &snapshot->providers[index];
    rc_route *route = &snapshot->direct[index];
    rc_chain_entry *entry = rc_arena_get(&snapshot->arena, sizeof *entry);
    rc_route_entry *route_entry = rc_arena_get(&snapshot->arena, sizeof *route_entry);
    rc_config_route standard;
    if (entry == NULL || route_entry == NULL)
        return false;
    rc_config_route_init(&standard);
    *route_entry =
        (rc_route_entry){.provider = provider,
                         .model = RC_STR("*"),
                         .metric = target_metric(snapshot, provider->config->name, RC_STR("*"))};
    *entry = (rc_chain_entry){
        .target = provider->any_target,
        .capabilities = capabilities(provider, provider->config->capabilities, standard.translate),
    };
    *route = (rc_route){
        .name = provider->config->name,
        .plan = {.policy = standard.policy,
                 .entries = entry,
                 .entry_count = 1,
                 .overflow_to = RC_NO_TARGET,
                 .chain_count = 1},
        .entries = route_entry,
        .deadline_ms = standard.deadline_ms,
        .max_deadline_ms = standard.deadline_ms,
        .max_wait_ms = standard.max_wait_ms,
        .is_wait_off = snapshot->config->limits.max_waiting == 0,
        .timeouts = standard.timeouts,
        .is_direct = true,
        .metric = rc_metrics_row(snapshot->hub->metrics, RC_ROWS_ROUTE, provider->config->name),
        .translate = standard.translate,
    };
    route->translated = translated_interfaces(route);
    snapshot->translated |= route->translated;
    route->is_open = has_open(route);
    route->checks_needs = checks_needs(&route->plan);
    rc_chain_init(&route->chain, RC_REVERT_COOLDOWN_EXPIRY);
    return true;
}

/* ---- building ---- */

static bool allocate_arrays(rc_snapshot *snapshot)
{
    const rc_config *config = snapshot->config;
    rc_arena *arena = &snapshot->arena;
    snapshot->providers =
        rc_arena_get_array(arena, config->provider_count + 1, sizeof *snapshot->providers);
    snapshot->tokens =
        rc_arena_get_array(arena, config->client_count + 1, sizeof *snapshot->tokens);
    snapshot->client_limits =
        rc_arena_get_array(arena, config->client_count + 1, sizeof(struct rc_client_row *));
    snapshot->client_metrics =
        rc_arena_get_array(arena, config->client_count + 1, sizeof *snapshot->client_metrics);
    snapshot->routes = rc_arena_get_array(arena, config->route_count + 1, sizeof *snapshot->routes);
    snapshot->direct =
        rc_arena_get_array(arena, config->provider_count + 1, sizeof *snapshot->direct);
    if (rc_arena_status(arena) != RC_OK)
        return false;
    for (size_t i = 0; i < config->provider_count; i++)
        snapshot->providers[i].keys = rc_arena_get_array(arena, config->providers[i].key_count + 1,
                                                         sizeof *snapshot->providers[i].keys);
    return rc_arena_status(arena) == RC_OK;
}

static bool build(rc_snapshot *snapshot, uint64_t now_ms, rc_load_error *error)
{
    const rc_config *config = snapshot->config;
    if (!allocate_arrays(snapshot) ||
        !rc_route_index_init(&snapshot->route_index, config, &snapshot->arena) ||
        !read_providers(snapshot, error) || !rc_snapshot_read_keys(snapshot, error) ||
        !find_pools(snapshot, now_ms, error))
        return false;
    for (size_t i = 0; i < config->route_count; i++)
        if (!read_route(snapshot, i, now_ms))
            return rc_arena_status(&snapshot->arena) == RC_OK ? too_many(error) : false;
    for (size_t i = 0; i < config->provider_count; i++)
        if (!read_direct(snapshot, i))
            return false;
    for (size_t i = 0; i < config->client_count; i++)
        snapshot->client_metrics[i] =
            rc_metrics_row(snapshot->hub->metrics, RC_ROWS_CLIENT, config->clients[i].name);
    return true;
}

static void free_snapshot(rc_snapshot *snapshot)
{
    const rc_alloc alloc = snapshot->alloc;
    if (snapshot->has_budget_rows)
        rc_budgets_snapshot_done(&snapshot->budgets);
    rc_snapshot_wipe_keys(snapshot);
    rc_arena_done(&snapshot->arena);
    uv_mutex_destroy(&snapshot->refresh_lock);
    alloc.put(alloc.ctx, snapshot, sizeof *snapshot);
}

rc_snapshot *rc_snapshot_new(rc_hub *hub, const rc_snapshot_input *input, uint32_t generation,
                             uint64_t now_ms, rc_load_error *ret_error)
{
    const rc_alloc *alloc = &hub->alloc;
    *ret_error = (rc_load_error){.text = ""};
    rc_snapshot *snapshot = alloc->get(alloc->ctx, sizeof *snapshot);
    if (snapshot != NULL) {
        memset(snapshot, 0, sizeof *snapshot);
        snapshot->hub = hub;
        snapshot->generation = generation;
        snapshot->loaded_unix_ms = rc_clock_unix_ms(hub->calls);
        snapshot->config = input->config;
        snapshot->prices = input->prices;
        snapshot->alloc = *alloc;
        atomic_init(&snapshot->refs, 1);
        rc_arena_init(&snapshot->arena, alloc, SNAPSHOT_MAX_BYTES);
        if (uv_mutex_init(&snapshot->refresh_lock) != 0) {
            alloc->put(alloc->ctx, snapshot, sizeof *snapshot);
            snapshot = NULL;
        }
    }
    if (snapshot != NULL && build(snapshot, now_ms, ret_error)) {
        snapshot->input = *input;
        return snapshot;
    }
    if (snapshot != NULL)
        free_snapshot(snapshot);
    if (ret_error->text[0] == '\0') {
        ret_error->is_memory = true;
        rc_load_error_add(ret_error, RC_STR("there is not enough memory"));
    }
    return NULL;
}

rc_snapshot *rc_snapshot_retain(rc_snapshot *snapshot)
{
    if (snapshot != NULL)
        atomic_fetch_add(&snapshot->refs, 1);
    return snapshot;
}

void rc_snapshot_release(rc_snapshot *snapshot)
{
    if (snapshot == NULL || atomic_fetch_sub(&snapshot->refs, 1) > 1)
        return;
    rc_snapshot_input input = snapshot->input;
    const rc_alloc alloc = snapshot->alloc;
    free_snapshot(snapshot);
    rc_snapshot_input_done(&input, &alloc);
}

void rc_snapshot_input_done(rc_snapshot_input *input, const rc_alloc *alloc)
{
    if (input->config != NULL) {
        rc_config_done(input->config);
        alloc->put(alloc->ctx, input->config, sizeof *input->config);
    }
    rc_rules_free(input->rules);
    if (input->prices != NULL) {
        rc_prices_done(input->prices);
        alloc->put(alloc->ctx, input->prices, sizeof *input->prices);
    }
    *input = (rc_snapshot_input){0};
}

/* ---- use ---- */

static size_t provider_of(const rc_snapshot *snapshot, rc_str name)
{
    for (size_t i = 0; i < snapshot->config->provider_count; i++)
        if (rc_str_eq(snapshot->config->providers[i].name, name))
            return i;
    return SIZE_MAX;
}

rc_route_choice rc_snapshot_choose(rc_snapshot *snapshot, const rc_client_request *request)
{
    rc_str name = request->provider;
    rc_str model = request->requested_model;
    rc_route_choice choice = {.model = request->requested_model};
    const bool is_native = request->endpoint->wire == RC_WIRE_NATIVE;
    if (is_native || rc_model_name_split(request->requested_model, &name, &model)) {
        const size_t provider = provider_of(snapshot, name);
        if (provider != SIZE_MAX)
            return (rc_route_choice){.route = &snapshot->direct[provider],
                                     .model = is_native ? request->requested_model : model};
        if (is_native)
            return choice;
    }
    const size_t route = rc_route_index_find(&snapshot->route_index, request->requested_model);
    if (route != SIZE_MAX)
        choice.route = &snapshot->routes[route];
    return choice;
}

/* Each model that a client names gets a row of its own while there are free rows, so that the
 * failure of one model does not close the provider's other models. */
uint16_t rc_route_take_target(rc_snapshot *snapshot, const rc_route *route, uint16_t entry,
                              rc_str model, uint64_t now_ms)
{
    const rc_route_entry *route_entry = &route->entries[entry];
    const uint16_t row = route->plan.entries[entry].target;
    if (!is_open(route_entry->model) || model.len == 0 || is_open(model))
        return row;
    const uint16_t named_target = rc_hub_take_named_target(
        snapshot->hub, route_entry->provider->config->name, model, route_entry->provider, now_ms);
    return named_target != RC_NO_TARGET ? named_target : row;
}

size_t rc_snapshot_find_client(const rc_snapshot *snapshot, rc_secret token)
{
    size_t found = SIZE_MAX;
    /* All tokens are compared, so that the time taken does not reveal which token matches. */
    for (size_t i = 0; i < snapshot->config->client_count; i++) {
        const rc_snapshot_key *key = &snapshot->tokens[i];
        if (rc_secret_eq(rc_secret_make(rc_str_make(key->bytes, key->len)), token))
            found = i;
    }
    return found;
}
