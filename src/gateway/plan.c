#include "gateway/plan.h"

#include "base/str.h"

#define PLANS_MAX_BYTES ((size_t)256 << 20)
#define TARGETS_MAX 60000u

_Static_assert(8 + RC_ENDPOINT_COUNT <= 32, "each endpoint has a bit");

void rc_gate_trouble_add(rc_gate_trouble *trouble, rc_str text)
{
    const size_t used = strlen(trouble->text);
    const size_t room = sizeof trouble->text - 1 - used;
    const size_t len = text.len < room ? text.len : room;
    if (len > 0)
        memcpy(trouble->text + used, text.ptr, len);
    trouble->text[used + len] = '\0';
}

/* ---- providers ---- */

/* The demo has no address; requests to it are written as to a server of each interface. */
static rc_str base_of(const rc_config_provider *provider, bool is_demo)
{
    return is_demo ? RC_STR("http://127.0.0.1/v1") : provider->base_url;
}

static bool read_provider(rc_gate_provider *provider, const rc_config_provider *config,
                          rc_gate_trouble *trouble)
{
    const rc_origin_options options = {.insecure = config->insecure,
                                       .allow_private = config->insecure};
    provider->config = config;
    provider->is_demo = strcmp(config->kind->name, "demo") == 0;
    const char *why =
        rc_origin_parse(base_of(config, provider->is_demo), options, &provider->origin);
    if (why == NULL)
        return true;
    rc_gate_trouble_add(trouble, RC_STR("the address of provider "));
    rc_gate_trouble_add(trouble, config->name);
    rc_gate_trouble_add(trouble, RC_STR(" cannot be used: "));
    rc_gate_trouble_add(trouble, rc_str_c(why));
    return false;
}

static bool read_providers(rc_gate_plans *plans, rc_gate_trouble *trouble)
{
    const rc_config *config = plans->config;
    size_t keys = 0;
    for (size_t i = 0; i < config->provider_count; i++) {
        if (!read_provider(&plans->providers[i], &config->providers[i], trouble))
            return false;
        plans->providers[i].first_key = (uint16_t)keys;
        keys += config->providers[i].key_count;
    }
    return true;
}

/* ---- places ---- */

static uint16_t find_place(const rc_gate_plans *plans, size_t count, uint16_t provider,
                           rc_str model)
{
    for (size_t i = 0; i < count; i++)
        if (plans->places[i].provider == provider && rc_str_eq(plans->places[i].model, model))
            return (uint16_t)i;
    return RC_NO_TARGET;
}

static void add_place(rc_gate_plans *plans, size_t *count, uint32_t provider, rc_str model)
{
    if (find_place(plans, *count, (uint16_t)provider, model) != RC_NO_TARGET)
        return;
    plans->places[(*count)++] = (rc_gate_place){.provider = (uint16_t)provider, .model = model};
}

/* How many there are. */
static size_t read_places(rc_gate_plans *plans)
{
    const rc_config *config = plans->config;
    size_t count = 0;
    for (size_t i = 0; i < config->provider_count; i++) {
        plans->providers[i].any = (uint16_t)count;
        add_place(plans, &count, (uint32_t)i, RC_STR("*"));
    }
    for (size_t i = 0; i < config->route_count; i++) {
        const rc_config_route *route = &config->routes[i];
        for (size_t k = 0; k < route->chain_count; k++)
            add_place(plans, &count, route->chain[k].provider, route->chain[k].model);
        if (route->has_overflow_to)
            add_place(plans, &count, route->overflow_to.provider, route->overflow_to.model);
    }
    return count;
}

static void share(rc_gate_plans *plans, size_t place_count, size_t key_count, uint64_t now_ms)
{
    const rc_shared_settings settings = rc_config_shared_settings(plans->config);
    rc_target *targets = rc_arena_get_array(&plans->arena, place_count, sizeof *targets);
    rc_credential *credentials =
        rc_arena_get_array(&plans->arena, key_count + 1, sizeof *credentials);
    if (targets == NULL || credentials == NULL)
        return;
    rc_shared_init(&plans->shared, &settings, targets, (uint16_t)place_count, credentials,
                   (uint16_t)key_count, now_ms);
    for (uint16_t i = 0; i < plans->shared.target_count; i++) {
        const rc_gate_provider *provider = &plans->providers[plans->places[i].provider];
        rc_shared_set_pool(&plans->shared, i, provider->first_key,
                           (uint16_t)provider->config->key_count);
        if (provider->config->max_in_flight > 0)
            rc_shared_set_limit(&plans->shared, i, (uint32_t)provider->config->max_in_flight);
    }
}

/* ---- routes ---- */

/* What a provider has: what the configuration says, and the endpoints of its interface. */
static uint32_t capabilities(const rc_gate_provider *provider, uint32_t said)
{
    uint32_t all = ~RC_GATE_NEEDS_MASK | (said & RC_GATE_NEEDS_MASK);
    if (said == UINT32_MAX)
        all = UINT32_MAX;
    for (size_t i = 0; rc_gate_endpoint_at(i) != NULL; i++) {
        const rc_gate_endpoint *endpoint = rc_gate_endpoint_at(i);
        if (!provider->is_demo &&
            !rc_gate_endpoint_suits(endpoint, provider->config->kind->dialect))
            all &= ~rc_gate_need_of(endpoint);
    }
    return all;
}

static rc_chain_entry entry_of(const rc_gate_plans *plans, const rc_config_target *target)
{
    return (rc_chain_entry){
        .target = find_place(plans, plans->shared.target_count, (uint16_t)target->provider,
                             target->model),
        .tries = (uint16_t)target->tries,
        .capabilities = capabilities(&plans->providers[target->provider], target->capabilities),
    };
}

static void read_route(rc_gate_plans *plans, size_t index)
{
    const rc_config_route *config = &plans->config->routes[index];
    rc_gate_route *route = &plans->routes[index];
    const size_t count = config->chain_count + (config->has_overflow_to ? 1 : 0);
    rc_chain_entry *entries = rc_arena_get_array(&plans->arena, count, sizeof *entries);
    if (entries == NULL)
        return;
    for (size_t i = 0; i < config->chain_count; i++)
        entries[i] = entry_of(plans, &config->chain[i]);
    if (config->has_overflow_to)
        entries[config->chain_count] = entry_of(plans, &config->overflow_to);
    route->plan = (rc_plan){
        .policy = config->policy,
        .entries = entries,
        .entry_count = (uint16_t)count,
        .overflow_to = config->has_overflow_to ? (uint16_t)config->chain_count : RC_NO_TARGET,
        .chain_count = (uint16_t)config->chain_count,
    };
    route->deadline_ms = config->deadline_ms;
    route->timeouts = config->timeouts;
    rc_chain_init(&route->chain, (rc_revert)config->revert);
}

/* For a model that names its provider there is no route to say how: the defaults of one. */
static void read_direct(rc_gate_plans *plans, size_t index)
{
    const rc_gate_provider *provider = &plans->providers[index];
    rc_gate_route *route = &plans->direct[index];
    rc_chain_entry *entry = rc_arena_get(&plans->arena, sizeof *entry);
    if (entry == NULL)
        return;
    *entry = (rc_chain_entry){
        .target = provider->any,
        .capabilities = capabilities(provider, provider->config->capabilities),
    };
    route->plan = (rc_plan){
        .policy = rc_policy_preset(RC_STR("transport")),
        .entries = entry,
        .entry_count = 1,
        .overflow_to = RC_NO_TARGET,
        .chain_count = 1,
    };
    route->deadline_ms = 120000;
    route->timeouts =
        (rc_config_timeouts){.connect_ms = 5000, .first_byte_ms = 60000, .idle_ms = 30000};
    rc_chain_init(&route->chain, RC_REVERT_COOLDOWN_EXPIRY);
}

/* Looking for what a request needs costs time; it is left out where nobody lacks any of it. */
static bool is_picky(const rc_plan *plan)
{
    for (uint16_t i = 0; i < plan->entry_count; i++)
        if ((plan->entries[i].capabilities & RC_GATE_NEEDS_MASK) != RC_GATE_NEEDS_MASK)
            return true;
    return false;
}

/* ---- all of it ---- */

static bool get_room(rc_gate_plans *plans, size_t places, size_t keys)
{
    const rc_config *config = plans->config;
    rc_arena *arena = &plans->arena;
    plans->providers =
        rc_arena_get_array(arena, config->provider_count + 1, sizeof *plans->providers);
    plans->places = rc_arena_get_array(arena, places + 1, sizeof *plans->places);
    plans->keys = rc_arena_get_array(arena, keys + 1, sizeof *plans->keys);
    plans->tokens = rc_arena_get_array(arena, config->client_count + 1, sizeof *plans->tokens);
    plans->routes = rc_arena_get_array(arena, config->route_count + 1, sizeof *plans->routes);
    plans->direct = rc_arena_get_array(arena, config->provider_count + 1, sizeof *plans->direct);
    return rc_arena_status(arena) == RC_OK;
}

static bool build(rc_gate_plans *plans, const rc_sys_calls *calls, uint64_t now_ms,
                  rc_gate_trouble *trouble)
{
    const rc_config *config = plans->config;
    size_t places = config->provider_count;
    size_t keys = 0;
    for (size_t i = 0; i < config->route_count; i++)
        places += config->routes[i].chain_count + 1;
    for (size_t i = 0; i < config->provider_count; i++)
        keys += config->providers[i].key_count;
    if (places > TARGETS_MAX || keys > TARGETS_MAX) {
        rc_gate_trouble_add(trouble, RC_STR("there are more targets or keys than 60000"));
        return false;
    }
    if (!get_room(plans, places, keys))
        return false;
    if (!read_providers(plans, trouble))
        return false;
    share(plans, read_places(plans), keys, now_ms);
    for (size_t i = 0; i < config->route_count; i++)
        read_route(plans, i);
    for (size_t i = 0; i < config->provider_count; i++)
        read_direct(plans, i);
    for (size_t i = 0; i < config->route_count; i++)
        plans->routes[i].is_picky = is_picky(&plans->routes[i].plan);
    for (size_t i = 0; i < config->provider_count; i++)
        plans->direct[i].is_picky = is_picky(&plans->direct[i].plan);
    return rc_arena_status(&plans->arena) == RC_OK &&
           rc_gate_plans_read_keys(plans, calls, trouble);
}

bool rc_gate_plans_init(rc_gate_plans *plans, const rc_config *config, const rc_sys_calls *calls,
                        const rc_alloc *alloc, uint64_t now_ms, rc_gate_trouble *ret_trouble)
{
    *ret_trouble = (rc_gate_trouble){0};
    *plans = (rc_gate_plans){.config = config};
    rc_arena_init(&plans->arena, alloc, PLANS_MAX_BYTES);
    if (build(plans, calls, now_ms, ret_trouble))
        return true;
    if (ret_trouble->text[0] == '\0') {
        ret_trouble->is_memory = true;
        rc_gate_trouble_add(ret_trouble, RC_STR("there is no memory for it"));
    }
    rc_gate_plans_done(plans);
    return false;
}

void rc_gate_plans_done(rc_gate_plans *plans)
{
    if (plans->keys != NULL && plans->tokens != NULL)
        rc_gate_plans_wipe_keys(plans);
    plans->keys = plans->tokens = NULL;
    rc_arena_done(&plans->arena);
}

/* ---- use ---- */

static size_t provider_of(const rc_gate_plans *plans, rc_str name)
{
    for (size_t i = 0; i < plans->config->provider_count; i++)
        if (rc_str_eq(plans->config->providers[i].name, name))
            return i;
    return SIZE_MAX;
}

static rc_gate_choice choose_direct(rc_gate_plans *plans, size_t provider, rc_str model)
{
    rc_gate_choice choice = {.route = &plans->direct[provider], .model = model};
    choice.place = find_place(plans, plans->shared.target_count, (uint16_t)provider, model);
    if (choice.place == RC_NO_TARGET)
        choice.place = plans->providers[provider].any;
    return choice;
}

rc_gate_choice rc_gate_plans_choose(rc_gate_plans *plans, const rc_gate_request *request)
{
    rc_str name = request->provider;
    rc_str model = request->model;
    rc_gate_choice none = {.model = model, .place = RC_NO_TARGET};
    const bool is_native = request->endpoint->wire == RC_WIRE_NATIVE;
    if (is_native || rc_gate_model_split(request->model, &name, &model)) {
        const size_t provider = provider_of(plans, name);
        if (provider != SIZE_MAX)
            return choose_direct(plans, provider, is_native ? request->model : model);
        if (is_native)
            return none;
    }
    const rc_config_route *route = rc_config_route_find(plans->config, request->model);
    if (route == NULL)
        return none;
    none.route = &plans->routes[route - plans->config->routes];
    return none;
}

size_t rc_gate_plans_client(const rc_gate_plans *plans, rc_secret token)
{
    size_t found = SIZE_MAX;
    /* All are compared: how long it takes does not tell which one fits. */
    for (size_t i = 0; i < plans->config->client_count; i++) {
        const rc_gate_key *key = &plans->tokens[i];
        if (rc_secret_eq(rc_secret_make(rc_str_make(key->bytes, key->len)), token))
            found = i;
    }
    return found;
}
