#include "gateway/plan.h"
#include "config/reader.h"

#include "base/json_writer.h"
#include "base/str.h"
#include "gateway/world.h"
#include "sys/clock.h"

#define PLANS_MAX_BYTES ((size_t)256 << 20)

_Static_assert(8 + RC_ENDPOINT_MODELS <= 32, "each endpoint of a provider has a bit");

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
    const rc_origin_options options = {
        .insecure = config->insecure, .allow_private = config->insecure || config->private_network};
    provider->config = config;
    provider->is_demo = strcmp(config->kind->name, "demo") == 0;
    const char *why =
        rc_origin_parse(base_of(config, provider->is_demo), options, &provider->origin);
    if (why == NULL)
        return true;
    rc_gate_trouble_add(trouble, RC_STR("the address of provider "));
    rc_gate_trouble_add(trouble, config->name);
    rc_gate_trouble_add(trouble, RC_STR(" cannot be used: "));
    if (rc_config_is_variable(config->base_url)) {
        rc_gate_trouble_add(trouble, RC_STR("the variable is not set that base_url names: "));
        rc_gate_trouble_add(trouble, config->base_url);
        return false;
    }
    rc_gate_trouble_add(trouble, rc_str_c(why));
    return false;
}

static bool read_providers(const rc_gate_plans *plans, rc_gate_trouble *trouble)
{
    for (size_t i = 0; i < plans->config->provider_count; i++)
        if (!read_provider(&plans->providers[i], &plans->config->providers[i], trouble))
            return false;
    return true;
}

/* ---- rows ---- */

static bool too_many(rc_gate_trouble *trouble)
{
    rc_gate_trouble_add(trouble, RC_STR("there is no memory for its targets and keys, or there "
                                        "have been more than 60000: restart the gateway"));
    return false;
}

/* The keys have been read: their prints say whether the list is the one that is known. */
static bool find_pool(rc_gate_plans *plans, rc_gate_provider *provider, uint64_t now_ms,
                      rc_gate_trouble *trouble)
{
    const rc_config_provider *config = provider->config;
    rc_gate_world *world = plans->world;
    rc_world_print *prints =
        rc_arena_get_array(&plans->arena, config->key_count + 1, sizeof *prints);
    if (prints == NULL)
        return false;
    for (size_t i = 0; i < config->key_count; i++) {
        const rc_gate_key *key = atomic_load(&provider->keys[i]);
        prints[i] = rc_world_print_of(rc_secret_make(rc_str_make(key->bytes, key->len)));
    }
    if (!rc_gate_world_pool(world, config->name, prints, config->key_count, now_ms,
                            &provider->first_key))
        return too_many(trouble);
    for (size_t i = 0; i < config->key_count; i++)
        rc_shared_set_refresh(&world->shared, (uint16_t)(provider->first_key + i),
                              config->keys[i].kind != RC_SECRET_ENV);
    provider->any = rc_gate_world_target(world, config->name, RC_STR("*"), now_ms);
    return provider->any != RC_NO_TARGET || too_many(trouble);
}

static bool find_pools(rc_gate_plans *plans, uint64_t now_ms, rc_gate_trouble *trouble)
{
    for (size_t i = 0; i < plans->config->provider_count; i++)
        if (!find_pool(plans, &plans->providers[i], now_ms, trouble))
            return false;
    return true;
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

static bool is_open(rc_str model)
{
    return rc_str_eq(model, RC_STR("*"));
}

static bool has_open(const rc_gate_route *route)
{
    for (uint16_t i = 0; i < route->plan.entry_count; i++)
        if (is_open(route->places[i].model))
            return true;
    return false;
}

/* Looking for what a request needs costs time; it is left out where nobody lacks any of it. */
static bool is_picky(const rc_plan *plan)
{
    for (uint16_t i = 0; i < plan->entry_count; i++)
        if ((plan->entries[i].capabilities & RC_GATE_NEEDS_MASK) != RC_GATE_NEEDS_MASK)
            return true;
    return false;
}

static uint16_t target_metric(const rc_gate_plans *plans, rc_str provider, rc_str model)
{
    char room[RC_METRICS_NAME_MAX + 2];
    rc_buf name;
    rc_buf_init_fixed(&name, room, sizeof room);
    rc_buf_push(&name, provider);
    rc_buf_push_byte(&name, '/');
    rc_buf_push(&name, model);
    return rc_metrics_row(plans->world->metrics, RC_ROWS_TARGET, rc_buf_get(&name));
}

/* What each request to it says. */
static bool write_names(rc_gate_plans *plans, rc_gate_place *place)
{
    char room[RC_GATE_QUOTED_MAX];
    rc_buf text;
    if (is_open(place->model))
        return true;
    rc_buf_init_fixed(&text, room, sizeof room);
    rc_gate_push_target(&text, place->provider->config->name, place->model);
    place->told = rc_arena_dup(&plans->arena, rc_buf_get(&text));
    if (rc_gate_model_is_valid(place->model)) {
        rc_buf_reset(&text);
        rc_json_push_quoted(&text, place->model);
        place->quoted = rc_arena_dup(&plans->arena, rc_buf_get(&text));
    }
    return rc_arena_status(&plans->arena) == RC_OK;
}

static bool read_place(rc_gate_plans *plans, const rc_config_target *target, uint64_t now_ms,
                       rc_chain_entry *ret_entry, rc_gate_place *ret_place)
{
    const rc_gate_provider *provider = &plans->providers[target->provider];
    *ret_place =
        (rc_gate_place){.provider = provider,
                        .model = target->model,
                        .context_window = target->context_window,
                        .metric = target_metric(plans, provider->config->name, target->model),
                        .has_price = !is_open(target->model)};
    if (ret_place->has_price)
        ret_place->price =
            rc_prices_find(plans->prices, rc_str_c(provider->config->kind->name),
                           provider->config->name, target->model, RC_GATE_PRICE_SHORT);
    *ret_entry = (rc_chain_entry){
        .target = rc_gate_world_target(plans->world, provider->config->name, target->model, now_ms),
        .tries = (uint16_t)target->tries,
        .capabilities = capabilities(provider, target->capabilities),
    };
    if (ret_entry->target == RC_NO_TARGET)
        return false;
    rc_gate_world_set_edition(plans->world, ret_entry->target, plans->edition);
    return write_names(plans, ret_place);
}

static bool read_route(rc_gate_plans *plans, size_t index, uint64_t now_ms)
{
    const rc_config_route *config = &plans->config->routes[index];
    rc_gate_route *route = &plans->routes[index];
    const size_t count = config->chain_count + (config->has_overflow_to ? 1 : 0);
    rc_chain_entry *entries = rc_arena_get_array(&plans->arena, count, sizeof *entries);
    rc_gate_place *places = rc_arena_get_array(&plans->arena, count, sizeof *places);
    if (entries == NULL || places == NULL)
        return false;
    for (size_t i = 0; i < count; i++) {
        const rc_config_target *target =
            i < config->chain_count ? &config->chain[i] : &config->overflow_to;
        if (!read_place(plans, target, now_ms, &entries[i], &places[i]))
            return false;
    }
    *route = (rc_gate_route){
        .name = config->model,
        .plan = {.policy = config->policy,
                 .entries = entries,
                 .entry_count = (uint16_t)count,
                 .overflow_to =
                     config->has_overflow_to ? (uint16_t)config->chain_count : RC_NO_TARGET,
                 .chain_count = (uint16_t)config->chain_count},
        .places = places,
        .deadline_ms = config->deadline_ms,
        .max_deadline_ms = config->max_deadline_ms > config->deadline_ms ? config->max_deadline_ms
                                                                         : config->deadline_ms,
        .max_wait_ms = config->max_wait_ms,
        .hedge_ms = config->hedge_ms,
        .timeouts = config->timeouts,
        .metric = rc_metrics_row(plans->world->metrics, RC_ROWS_ROUTE, config->model),
    };
    route->is_open = has_open(route);
    route->is_picky = is_picky(&route->plan);
    rc_chain_init(&route->chain, (rc_revert)config->revert);
    return true;
}

/* For a model that names its provider there is no route to say how: the defaults of one. */
static bool read_direct(rc_gate_plans *plans, size_t index)
{
    const rc_gate_provider *provider = &plans->providers[index];
    rc_gate_route *route = &plans->direct[index];
    rc_chain_entry *entry = rc_arena_get(&plans->arena, sizeof *entry);
    rc_gate_place *place = rc_arena_get(&plans->arena, sizeof *place);
    rc_config_route standard;
    if (entry == NULL || place == NULL)
        return false;
    rc_config_route_init(&standard);
    *place = (rc_gate_place){.provider = provider,
                             .model = RC_STR("*"),
                             .metric = target_metric(plans, provider->config->name, RC_STR("*"))};
    *entry = (rc_chain_entry){
        .target = provider->any,
        .capabilities = capabilities(provider, provider->config->capabilities),
    };
    *route = (rc_gate_route){
        .name = provider->config->name,
        .plan = {.policy = standard.policy,
                 .entries = entry,
                 .entry_count = 1,
                 .overflow_to = RC_NO_TARGET,
                 .chain_count = 1},
        .places = place,
        .deadline_ms = standard.deadline_ms,
        .max_deadline_ms = standard.deadline_ms,
        .max_wait_ms = standard.max_wait_ms,
        .timeouts = standard.timeouts,
        .is_direct = true,
        .metric = rc_metrics_row(plans->world->metrics, RC_ROWS_ROUTE, provider->config->name),
    };
    route->is_open = has_open(route);
    route->is_picky = is_picky(&route->plan);
    rc_chain_init(&route->chain, RC_REVERT_COOLDOWN_EXPIRY);
    return true;
}

/* ---- all of it ---- */

static bool get_room(rc_gate_plans *plans)
{
    const rc_config *config = plans->config;
    rc_arena *arena = &plans->arena;
    plans->providers =
        rc_arena_get_array(arena, config->provider_count + 1, sizeof *plans->providers);
    plans->tokens = rc_arena_get_array(arena, config->client_count + 1, sizeof *plans->tokens);
    plans->client_metrics =
        rc_arena_get_array(arena, config->client_count + 1, sizeof *plans->client_metrics);
    plans->routes = rc_arena_get_array(arena, config->route_count + 1, sizeof *plans->routes);
    plans->direct = rc_arena_get_array(arena, config->provider_count + 1, sizeof *plans->direct);
    if (rc_arena_status(arena) != RC_OK)
        return false;
    for (size_t i = 0; i < config->provider_count; i++)
        plans->providers[i].keys = rc_arena_get_array(arena, config->providers[i].key_count + 1,
                                                      sizeof *plans->providers[i].keys);
    return rc_arena_status(arena) == RC_OK;
}

static bool build(rc_gate_plans *plans, uint64_t now_ms, rc_gate_trouble *trouble)
{
    const rc_config *config = plans->config;
    if (!get_room(plans) || !read_providers(plans, trouble) ||
        !rc_gate_plans_read_keys(plans, trouble) || !find_pools(plans, now_ms, trouble))
        return false;
    for (size_t i = 0; i < config->route_count; i++)
        if (!read_route(plans, i, now_ms))
            return rc_arena_status(&plans->arena) == RC_OK ? too_many(trouble) : false;
    for (size_t i = 0; i < config->provider_count; i++)
        if (!read_direct(plans, i))
            return false;
    for (size_t i = 0; i < config->client_count; i++)
        plans->client_metrics[i] =
            rc_metrics_row(plans->world->metrics, RC_ROWS_CLIENT, config->clients[i].name);
    return true;
}

static void free_plans(rc_gate_plans *plans)
{
    const rc_alloc alloc = plans->alloc;
    if (plans->has_money)
        rc_purse_edition_done(&plans->money);
    rc_gate_plans_wipe_keys(plans);
    rc_arena_done(&plans->arena);
    uv_mutex_destroy(&plans->fresh_lock);
    alloc.put(alloc.ctx, plans, sizeof *plans);
}

rc_gate_plans *rc_gate_plans_new(rc_gate_world *world, const rc_gate_given *given, uint32_t edition,
                                 uint64_t now_ms, rc_gate_trouble *ret_trouble)
{
    const rc_alloc *alloc = &world->alloc;
    *ret_trouble = (rc_gate_trouble){.text = ""};
    rc_gate_plans *plans = alloc->get(alloc->ctx, sizeof *plans);
    if (plans != NULL) {
        memset(plans, 0, sizeof *plans);
        plans->world = world;
        plans->edition = edition;
        plans->loaded_unix_ms = rc_clock_unix_ms(world->calls);
        plans->config = given->config;
        plans->prices = given->prices;
        plans->alloc = *alloc;
        atomic_init(&plans->refs, 1);
        rc_arena_init(&plans->arena, alloc, PLANS_MAX_BYTES);
        if (uv_mutex_init(&plans->fresh_lock) != 0) {
            alloc->put(alloc->ctx, plans, sizeof *plans);
            plans = NULL;
        }
    }
    if (plans != NULL && build(plans, now_ms, ret_trouble)) {
        plans->given = *given;
        return plans;
    }
    if (plans != NULL)
        free_plans(plans);
    if (ret_trouble->text[0] == '\0') {
        ret_trouble->is_memory = true;
        rc_gate_trouble_add(ret_trouble, RC_STR("there is no memory for it"));
    }
    return NULL;
}

rc_gate_plans *rc_gate_plans_take(rc_gate_plans *plans)
{
    if (plans != NULL)
        atomic_fetch_add(&plans->refs, 1);
    return plans;
}

void rc_gate_plans_drop(rc_gate_plans *plans)
{
    if (plans == NULL || atomic_fetch_sub(&plans->refs, 1) > 1)
        return;
    rc_gate_given given = plans->given;
    const rc_alloc alloc = plans->alloc;
    free_plans(plans);
    rc_gate_given_done(&given, &alloc);
}

void rc_gate_given_done(rc_gate_given *given, const rc_alloc *alloc)
{
    if (given->config != NULL) {
        rc_config_done(given->config);
        alloc->put(alloc->ctx, given->config, sizeof *given->config);
    }
    rc_rules_free(given->rules);
    if (given->prices != NULL) {
        rc_prices_done(given->prices);
        alloc->put(alloc->ctx, given->prices, sizeof *given->prices);
    }
    *given = (rc_gate_given){0};
}

/* ---- use ---- */

static size_t provider_of(const rc_gate_plans *plans, rc_str name)
{
    for (size_t i = 0; i < plans->config->provider_count; i++)
        if (rc_str_eq(plans->config->providers[i].name, name))
            return i;
    return SIZE_MAX;
}

rc_gate_choice rc_gate_plans_choose(rc_gate_plans *plans, const rc_gate_request *request)
{
    rc_str name = request->provider;
    rc_str model = request->asked_model;
    rc_gate_choice choice = {.model = request->asked_model};
    const bool is_native = request->endpoint->wire == RC_WIRE_NATIVE;
    if (is_native || rc_gate_model_split(request->asked_model, &name, &model)) {
        const size_t provider = provider_of(plans, name);
        if (provider != SIZE_MAX)
            return (rc_gate_choice){.route = &plans->direct[provider],
                                    .model = is_native ? request->asked_model : model};
        if (is_native)
            return choice;
    }
    const rc_config_route *route = rc_config_route_find(plans->config, request->asked_model);
    if (route != NULL)
        choice.route = &plans->routes[route - plans->config->routes];
    return choice;
}

/* What is known of one model must not close the others: each has a row, as long as there are not
 * too many of them. */
uint16_t rc_gate_route_target(rc_gate_plans *plans, const rc_gate_route *route, uint16_t entry,
                              rc_str model, uint64_t now_ms)
{
    const rc_gate_place *place = &route->places[entry];
    const uint16_t row = route->plan.entries[entry].target;
    if (!is_open(place->model) || model.len == 0 || is_open(model))
        return row;
    const uint16_t guest = rc_gate_world_guest(plans->world, place->provider->config->name, model,
                                               place->provider, now_ms);
    return guest != RC_NO_TARGET ? guest : row;
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
