/* Reads the section budgets: the money limits that are not limits of a single client or route.
 * Called by config.c. */
#include "config/reader.h"

static void refuse(rc_config_reader *r, const rc_yaml_node *node, const char *message)
{
    rc_config_fault_append(rc_yaml_fault(r->faults, node), message);
}

static const char *client_name_at(const void *ctx, size_t index)
{
    const rc_config *config = ctx;
    return index < config->client_count ? config->clients[index].name.ptr : NULL;
}

static const char *route_model_at(const void *ctx, size_t index)
{
    const rc_config *config = ctx;
    return index < config->route_count ? config->routes[index].model.ptr : NULL;
}

/* Adds a fault if the pattern matches no name, because it is probably misspelt. noun: the word for
 * such a name in the message, such as "client". */
static void check_any(rc_config_reader *r, const rc_yaml_node *node, rc_str pattern,
                      rc_name_at name_at, const char *noun)
{
    for (size_t i = 0; name_at(r->config, i) != NULL; i++)
        if (rc_glob_matches(pattern, rc_str_c(name_at(r->config, i))))
            return;
    rc_config_fault *fault = rc_yaml_fault(r->faults, node);
    rc_config_fault_append(fault, "there is no ");
    rc_config_fault_append(fault, noun);
    rc_config_fault_append_quoted(rc_config_fault_append(fault, " "), pattern);
    rc_config_fault_suggest(fault, pattern, name_at, r->config);
}

static void read_match(rc_config_reader *r, const rc_yaml_node *map, rc_config_match *match)
{
    rc_config_check_keys(RC_SECTION_match, map, r->faults);
    if (map->kind != RC_YAML_MAP)
        return;
    rc_config_fill(RC_SECTION_match, map, match, r->faults);
    if (match->client.len > 0)
        check_any(r, rc_yaml_get(map, RC_STR("client")), match->client, client_name_at, "client");
    if (match->route.len > 0)
        check_any(r, rc_yaml_get(map, RC_STR("route")), match->route, route_model_at, "route");
}

static void read_budget(rc_config_reader *r, const rc_yaml_node *map, size_t index)
{
    rc_config_budget *budget = &r->config->budgets[index];
    rc_config_fill_defaults(RC_SECTION_budget, budget);
    rc_config_fill_defaults(RC_SECTION_match, &budget->match);
    rc_config_check_keys(RC_SECTION_budget, map, r->faults);
    if (map->kind != RC_YAML_MAP)
        return;
    rc_config_fill(RC_SECTION_budget, map, budget, r->faults);
    const rc_yaml_node *name = rc_yaml_get(map, RC_STR("name"));
    const rc_yaml_node *match = rc_yaml_get(map, RC_STR("match"));
    if (name == NULL)
        refuse(r, map, "name is missing");
    for (size_t i = 0; name != NULL && i < index; i++)
        if (budget->name.len > 0 && rc_str_eq(r->config->budgets[i].name, budget->name))
            refuse(r, name, "another budget has this name");
    if (rc_yaml_get(map, RC_STR("limit_usd")) == NULL)
        refuse(r, map, "limit_usd is missing: the cost limit in US dollars");
    if (match != NULL)
        read_match(r, match, &budget->match);
}

void rc_config_read_budgets(rc_config_reader *r, const rc_yaml_node *list)
{
    if (!rc_yaml_expect(list, RC_YAML_LIST, r->faults))
        return;
    if (list->count > RC_CONFIG_BUDGETS_MAX) {
        refuse(r, list, "more than 30 budgets");
        return;
    }
    r->config->budgets = rc_config_array(r, list, sizeof(*r->config->budgets));
    if (r->config->budgets == NULL)
        return;
    for (const rc_yaml_node *node = list->first; node != NULL; node = node->next)
        read_budget(r, node, r->config->budget_count++);
}
