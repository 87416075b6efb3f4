#include "config/prices/unpriced.h"

#include "base/str.h"

#define TARGET_MAX_BYTES ((size_t)1024)

/* A target, whoever asks for it. */
typedef struct priced_target {
    const rc_config_provider *provider;
    rc_str model;
} priced_target;

typedef struct search {
    const rc_prices *prices;
    const rc_config *config;
    rc_unpriced_visitor each;
    void *ctx;
    size_t count;
} search;

static bool is_open(const priced_target *g)
{
    return rc_str_eq(g->model, RC_STR("*"));
}

/* The demo is free. */
static bool is_priced(const search *s, const priced_target *g)
{
    const rc_str kind = rc_str_c(g->provider->kind->name);
    if (rc_str_eq(kind, RC_STR("demo")))
        return true;
    if (is_open(g))
        return rc_prices_has_any(s->prices, kind, g->provider->name);
    return rc_prices_find(s->prices, kind, g->provider->name, g->model, 0) != NULL;
}

/* ---- where it is asked for ---- */

static bool is_same(const rc_config *config, const rc_config_target *target, const priced_target *g)
{
    return &config->providers[target->provider] == g->provider &&
           rc_str_eq(target->model, g->model);
}

/* Among its first targets, the one for what is too long being the last. */
static bool is_among(const rc_config *config, const rc_config_route *route, size_t count,
                     const priced_target *g)
{
    for (size_t i = 0; i < count && i < route->chain_count; i++)
        if (is_same(config, &route->chain[i], g))
            return true;
    return count > route->chain_count && route->has_overflow_to &&
           is_same(config, &route->overflow_to, g);
}

static bool is_in_route(const rc_config *config, const rc_config_route *route,
                        const priced_target *g)
{
    return is_among(config, route, SIZE_MAX, g);
}

/* ---- budgets ---- */

static bool fits(rc_str pattern, rc_str text)
{
    return pattern.len == 0 || rc_glob_matches(pattern, text);
}

/* Who names the provider takes a route of its name. */
static bool fits_route(const rc_config *config, rc_str pattern, const priced_target *g)
{
    for (size_t i = 0; i < config->route_count; i++)
        if (fits(pattern, config->routes[i].model) && is_in_route(config, &config->routes[i], g))
            return true;
    return fits(pattern, g->provider->name);
}

static bool fits_target(rc_str pattern, const priced_target *g)
{
    char scratch[TARGET_MAX_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_buf_push(&text, g->provider->name);
    rc_buf_push_byte(&text, '/');
    rc_buf_push(&text, g->model);
    return fits(pattern, rc_buf_get(&text)) ||
           (is_open(g) && rc_glob_matches(rc_buf_get(&text), pattern));
}

static void add_budget(rc_unpriced *found, const char *kind, rc_str name)
{
    if (found->kind != NULL) {
        found->other_count++;
        return;
    }
    found->kind = kind;
    found->name = name;
}

/* Every client may ask for every target; none is named that there is not. */
static void add_budgets(const rc_config *config, const priced_target *g, rc_unpriced *found)
{
    for (size_t i = 0; i < config->client_count; i++)
        if (config->clients[i].budget_usd > 0)
            add_budget(found, "client", config->clients[i].name);
    for (size_t i = 0; i < config->route_count; i++)
        if (config->routes[i].budget_usd > 0 && is_in_route(config, &config->routes[i], g))
            add_budget(found, "route", config->routes[i].model);
    for (size_t i = 0; i < config->budget_count; i++) {
        const rc_config_budget *budget = &config->budgets[i];
        if (budget->limit_usd > 0 && fits_target(budget->match.target, g) &&
            fits_route(config, budget->match.route, g))
            add_budget(found, "budget", budget->name);
    }
}

/* ---- targets ---- */

static void visit(search *s, const priced_target *g)
{
    rc_unpriced found = {.provider = g->provider->name, .model = g->model};
    add_budgets(s->config, g, &found);
    if (found.kind != NULL && s->count++ < RC_UNPRICED_SHOWN)
        s->each(s->ctx, &found);
}

static bool is_first_mention(const rc_config *config, size_t route_count, size_t count,
                             const priced_target *g)
{
    for (size_t i = 0; i < route_count; i++)
        if (is_in_route(config, &config->routes[i], g))
            return false;
    return route_count == config->route_count ||
           !is_among(config, &config->routes[route_count], count, g);
}

static void visit_route(search *s, size_t index)
{
    const rc_config *config = s->config;
    const rc_config_route *route = &config->routes[index];
    for (size_t i = 0; i < route->chain_count + (route->has_overflow_to ? 1u : 0u); i++) {
        const rc_config_target *target =
            i < route->chain_count ? &route->chain[i] : &route->overflow_to;
        const priced_target g = {&config->providers[target->provider], target->model};
        if (!is_priced(s, &g) && is_first_mention(config, index, i, &g))
            visit(s, &g);
    }
}

size_t rc_unpriced_find(const rc_prices *prices, const rc_config *config, rc_unpriced_visitor each,
                        void *ctx)
{
    search s = {.prices = prices, .config = config, .each = each, .ctx = ctx};
    for (size_t i = 0; i < config->route_count; i++)
        visit_route(&s, i);
    for (size_t i = 0; i < config->provider_count; i++) {
        const priced_target g = {&config->providers[i], RC_STR("*")};
        if (!is_priced(&s, &g) && is_first_mention(config, config->route_count, 0, &g))
            visit(&s, &g);
    }
    return s.count;
}

/* ---- words ---- */

void rc_unpriced_push(rc_buf *buf, const rc_unpriced *unpriced)
{
    rc_buf_push(buf, unpriced->provider);
    rc_buf_push_byte(buf, '/');
    rc_buf_push(buf, unpriced->model);
    rc_buf_push(buf, RC_STR(" has no price: what it costs does not count for "));
    rc_buf_push(buf, rc_str_c(unpriced->kind));
    rc_buf_push_byte(buf, ' ');
    rc_buf_push(buf, unpriced->name);
    if (unpriced->other_count == 0)
        return;
    rc_buf_push(buf, RC_STR(" and "));
    rc_buf_push_u64(buf, unpriced->other_count);
    rc_buf_push(buf, unpriced->other_count == 1 ? RC_STR(" more budget") : RC_STR(" more budgets"));
}

const char *rc_unpriced_advice(void)
{
    return "give it one in the file that `prices` names, 0 if it is free";
}
