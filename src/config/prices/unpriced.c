/* Finds targets without a price that a budget counts. Called by recourse serve, doctor and
 * config. */
#include "config/prices/unpriced.h"

#include "base/str.h"

#define TARGET_MAX_BYTES ((size_t)1024)

/* A target by provider and model. */
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

static bool is_open(const priced_target *priced)
{
    return rc_str_eq(priced->model, RC_STR("*"));
}

/* Returns whether the target has a price. The demo provider needs no price, because it costs
 * nothing. */
static bool is_priced(const search *s, const priced_target *priced)
{
    const rc_str kind = rc_str_c(priced->provider->kind->name);
    if (rc_str_eq(kind, RC_STR("demo")))
        return true;
    if (is_open(priced))
        return rc_prices_has_any(s->prices, kind, priced->provider->name);
    return rc_prices_find(s->prices, kind, priced->provider->name, priced->model, 0) != NULL;
}

/* ---- routes that use a target ---- */

static bool is_same(const rc_config *config, const rc_config_target *target,
                    const priced_target *priced)
{
    return &config->providers[target->provider] == priced->provider &&
           rc_str_eq(target->model, priced->model);
}

/* Returns whether the target is among the first `count` targets of the route. The route's target
 * overflow_to comes after the last target of the chain. */
static bool is_among(const rc_config *config, const rc_config_route *route, size_t count,
                     const priced_target *priced)
{
    for (size_t i = 0; i < count && i < route->chain_count; i++)
        if (is_same(config, &route->chain[i], priced))
            return true;
    return count > route->chain_count && route->has_overflow_to &&
           is_same(config, &route->overflow_to, priced);
}

static bool is_in_route(const rc_config *config, const rc_config_route *route,
                        const priced_target *priced)
{
    return is_among(config, route, SIZE_MAX, priced);
}

/* ---- budgets ---- */

static bool fits(rc_str pattern, rc_str text)
{
    return pattern.len == 0 || rc_glob_matches(pattern, text);
}

/* Returns whether the pattern matches a route that has the target. A request for PROVIDER/MODEL
 * uses an implicit route with the provider's name. */
static bool fits_route(const rc_config *config, rc_str pattern, const priced_target *priced)
{
    for (size_t i = 0; i < config->route_count; i++)
        if (fits(pattern, config->routes[i].model) &&
            is_in_route(config, &config->routes[i], priced))
            return true;
    return fits(pattern, priced->provider->name);
}

static bool fits_target(rc_str pattern, const priced_target *priced)
{
    char scratch[TARGET_MAX_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_buf_push(&text, priced->provider->name);
    rc_buf_push_byte(&text, '/');
    rc_buf_push(&text, priced->model);
    return fits(pattern, rc_buf_get(&text)) ||
           (is_open(priced) && rc_glob_matches(rc_buf_get(&text), pattern));
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

/* Adds the budgets that count the target's cost. Every client may request every target, so every
 * client's budget counts it. match.client is not checked, because the configuration's reader
 * ensures that the pattern matches a client. */
static void add_budgets(const rc_config *config, const priced_target *priced, rc_unpriced *found)
{
    for (size_t i = 0; i < config->client_count; i++)
        if (config->clients[i].budget_usd > 0)
            add_budget(found, "client", config->clients[i].name);
    for (size_t i = 0; i < config->route_count; i++)
        if (config->routes[i].budget_usd > 0 && is_in_route(config, &config->routes[i], priced))
            add_budget(found, "route", config->routes[i].model);
    for (size_t i = 0; i < config->budget_count; i++) {
        const rc_config_budget *budget = &config->budgets[i];
        if (budget->limit_usd > 0 && fits_target(budget->match.target, priced) &&
            fits_route(config, budget->match.route, priced))
            add_budget(found, "budget", budget->name);
    }
}

/* ---- targets ---- */

static void visit(search *s, const priced_target *priced)
{
    rc_unpriced found = {.provider = priced->provider->name, .model = priced->model};
    add_budgets(s->config, priced, &found);
    if (found.kind != NULL && s->count++ < RC_UNPRICED_SHOWN)
        s->each(s->ctx, &found);
}

static bool is_first_mention(const rc_config *config, size_t route_count, size_t count,
                             const priced_target *priced)
{
    for (size_t i = 0; i < route_count; i++)
        if (is_in_route(config, &config->routes[i], priced))
            return false;
    return route_count == config->route_count ||
           !is_among(config, &config->routes[route_count], count, priced);
}

static void visit_route(search *s, size_t index)
{
    const rc_config *config = s->config;
    const rc_config_route *route = &config->routes[index];
    for (size_t i = 0; i < route->chain_count + (route->has_overflow_to ? 1u : 0u); i++) {
        const rc_config_target *target =
            i < route->chain_count ? &route->chain[i] : &route->overflow_to;
        const priced_target priced = {&config->providers[target->provider], target->model};
        if (!is_priced(s, &priced) && is_first_mention(config, index, i, &priced))
            visit(s, &priced);
    }
}

size_t rc_unpriced_find(const rc_prices *prices, const rc_config *config, rc_unpriced_visitor each,
                        void *ctx)
{
    search s = {.prices = prices, .config = config, .each = each, .ctx = ctx};
    for (size_t i = 0; i < config->route_count; i++)
        visit_route(&s, i);
    for (size_t i = 0; i < config->provider_count; i++) {
        const priced_target priced = {&config->providers[i], RC_STR("*")};
        if (!is_priced(&s, &priced) && is_first_mention(config, config->route_count, 0, &priced))
            visit(&s, &priced);
    }
    return s.count;
}

/* ---- text ---- */

void rc_unpriced_push(rc_buf *buf, const rc_unpriced *unpriced)
{
    rc_buf_push(buf, unpriced->provider);
    rc_buf_push_byte(buf, '/');
    rc_buf_push(buf, unpriced->model);
    rc_buf_push(buf, RC_STR(" has no price: its cost does not count towards "));
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
    return "add a price to the file that `prices` names, or 0 if the model is free";
}
