/* Reads the sections routes and policies. Called by config.c, the LiteLLM import and the gateway's
 * snapshot.c. */
#include <recourse/taxonomy.h>

#include "base/str.h"
#include "config/interfaces.h"
#include "config/policy.h"
#include "config/reader.h"
#include "dialect/interface.h"
#include "policy/outcome.h"

static const char *provider_name_at(const void *ctx, size_t index)
{
    const rc_config *config = ctx;
    return index < config->provider_count ? config->providers[index].name.ptr : NULL;
}

static const char *kind_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    return rc_config_kind_at(index) != NULL ? rc_config_kind_at(index)->name : NULL;
}

/* Adds a suggestion to the fault for an unknown provider name. The suggestion is the first of these
 * that exists: a provider whose kind has this name, a provider with a similar name, the line that
 * defines a provider of the kind with this name, a kind with a similar name. */
static void suggest_provider(const rc_config_reader *r, rc_config_fault *fault, rc_str name)
{
    const rc_config_kind *kind = rc_config_kind_find(name);
    for (size_t i = 0; kind != NULL && i < r->config->provider_count; i++)
        if (r->config->providers[i].kind == kind) {
            rc_config_fault_suggest(fault, r->config->providers[i].name, provider_name_at,
                                    r->config);
            return;
        }
    rc_config_fault_suggest(fault, name, provider_name_at, r->config);
    if (fault->nearest[0] != '\0')
        return;
    if (kind == NULL) {
        rc_config_fault_suggest(fault, name, kind_name_at, NULL);
        return;
    }
    rc_config_fault_append(fault, "; write ");
    rc_config_fault_append(fault, kind->name);
    rc_config_fault_append(fault, ": {} under providers");
}

/* Reads "provider/model". The model may contain slashes, the provider's name must not. */
static void read_target_name(rc_config_reader *r, const rc_yaml_node *node,
                             rc_config_target *target)
{
    rc_str text;
    if (!rc_config_text_read(node, r->faults, &text))
        return;
    size_t slash = rc_str_find_byte(text, '/', 0);
    if (slash == RC_STR_NPOS || slash == 0 || slash + 1 == text.len) {
        rc_config_fault *fault = rc_yaml_fault(r->faults, node);
        rc_config_fault_append(fault, "provider/model is expected, not ");
        rc_config_fault_append_quoted(fault, text);
        return;
    }
    rc_str name = rc_str_slice(text, 0, slash);
    const rc_config_provider *provider = rc_config_provider_find(r->config, name);
    if (provider == NULL) {
        rc_config_fault *fault = rc_yaml_fault(r->faults, node);
        rc_config_fault_append(fault, "there is no provider ");
        rc_config_fault_append_quoted(fault, name);
        suggest_provider(r, fault, name);
        return;
    }
    target->model = rc_str_slice(text, slash + 1, text.len);
    target->provider = (uint32_t)(provider - r->config->providers);
    target->capabilities = provider->capabilities;
}

/* Returns the node with the target's name. A chain entry is written as "openai/gpt-4o" or {target:
 * openai/gpt-4o, tries: 2}. */
static const rc_yaml_node *target_name(const rc_yaml_node *item)
{
    return item->kind == RC_YAML_SCALAR ? item : rc_yaml_get(item, RC_STR("target"));
}

static void read_target(rc_config_reader *r, const rc_yaml_node *map, rc_config_target *target)
{
    rc_config_fill_defaults(RC_SECTION_target, target);
    target->capabilities = UINT32_MAX;
    if (map->kind == RC_YAML_SCALAR) {
        read_target_name(r, map, target);
        return;
    }
    rc_config_check_keys(RC_SECTION_target, map, r->faults);
    if (map->kind != RC_YAML_MAP)
        return;
    rc_config_fill(RC_SECTION_target, map, target, r->faults);
    const rc_yaml_node *name = rc_yaml_get(map, RC_STR("target"));
    const rc_yaml_node *capabilities = rc_yaml_get(map, RC_STR("capabilities"));
    if (name != NULL)
        read_target_name(r, name, target);
    else
        rc_config_fault_append(rc_yaml_fault(r->faults, map), "target is missing: provider/model");
    if (capabilities != NULL)
        rc_config_read_capabilities(r, capabilities, &target->capabilities);
}

/* Returns whether two targets are the same. A target that could not be read has no model and
 * differs from every target. */
static bool is_same_target(const rc_config_target *a, const rc_config_target *b)
{
    return a->model.len > 0 && a->provider == b->provider && rc_str_eq(a->model, b->model);
}

/* Appends the place of a target in the file: chain[1], or chain[1].any_of[0]. */
static void append_place(rc_config_fault *fault, const rc_config_route *route, size_t index)
{
    const rc_config_target *target = &route->chain[index];
    size_t first = index;
    rc_config_fault_append(fault, "chain[");
    rc_config_fault_append_u64(fault, target->entry);
    rc_config_fault_append(fault, "]");
    if (target->group == 0)
        return;
    while (first > 0 && route->chain[first - 1].group == target->group)
        first--;
    rc_config_fault_append(fault, ".any_of[");
    rc_config_fault_append_u64(fault, index - first);
    rc_config_fault_append(fault, "]");
}

/* Adds a fault if a target occurs twice in a chain. A second entry would repeat a call that has
 * just failed; the key `tries` sets the number of attempts. */
static void check_once(rc_config_reader *r, const rc_yaml_node *item, const rc_config_route *route)
{
    size_t last = route->chain_count - 1;
    for (size_t i = 0; i < last; i++) {
        if (!is_same_target(&route->chain[i], &route->chain[last]))
            continue;
        const bool is_in_group =
            route->chain[last].group > 0 && route->chain[i].group == route->chain[last].group;
        rc_config_fault *fault = rc_yaml_fault(r->faults, target_name(item));
        rc_config_fault_append(fault, "the target appears twice in one chain: ");
        append_place(fault, route, i);
        rc_config_fault_append(fault, is_in_group
                                          ? " is the same target; to send it more requests, set "
                                            "its number in weights"
                                          : " is the same target; to allow it more attempts, set "
                                            "tries");
        return;
    }
}

/* Adds a fault if the route has `translate: off` and the target's provider has no interface in
 * common with those of the chain's first `count` targets, which were checked before. */
static void check_interface(rc_config_reader *r, const rc_yaml_node *node,
                            const rc_config_target *target, const rc_config_route *route,
                            size_t count)
{
    const rc_config_provider *providers = r->config->providers;
    if (route->translate != RC_TRANSLATE_OFF || target->model.len == 0)
        return;
    for (size_t i = 0; i < count; i++) {
        const rc_config_target *other = &route->chain[i];
        if (other->model.len == 0 || rc_config_has_common_interface(&providers[other->provider],
                                                                    &providers[target->provider]))
            continue;
        rc_config_fault *fault = rc_yaml_fault(r->faults, node);
        rc_config_fault_append(fault, "this target's provider has the interface ");
        rc_config_fault_append(fault, rc_interface_name(providers[target->provider].interfaces[0]));
        rc_config_fault_append(fault, " and ");
        append_place(fault, route, i);
        rc_config_fault_append(fault, " ");
        rc_config_fault_append(fault, rc_interface_name(providers[other->provider].interfaces[0]));
        rc_config_fault_append(fault, "; with translate: off all targets of a route must have the "
                                      "same one");
        return;
    }
}

/* ---- chain ---- */

/* Returns the list of a chain entry's targets; NULL if the entry is a single target. */
static const rc_yaml_node *any_of(const rc_yaml_node *item)
{
    return item->kind == RC_YAML_MAP ? rc_yaml_get(item, RC_STR("any_of")) : NULL;
}

/* Reads one target and appends it to the chain. `shared`: the members of the target that its chain
 * entry sets. */
static void add_target(rc_config_reader *r, const rc_yaml_node *item, rc_config_route *route,
                       const rc_config_target *shared)
{
    rc_config_target *target = &route->chain[route->chain_count++];
    read_target(r, item, target);
    target->entry = shared->entry;
    target->group = shared->group;
    target->weight = shared->weight;
    target->by = shared->by;
    target->sticky = shared->sticky;
    if (shared->tries > 0)
        target->tries = shared->tries;
    check_once(r, item, route);
    check_interface(r, target_name(item), target, route, route->chain_count - 1);
}

/* Checks the number of targets of a group. Returns whether the list can be read. */
static bool check_any_of(rc_config_reader *r, const rc_yaml_node *list)
{
    if (!rc_yaml_expect(list, RC_YAML_LIST, r->faults))
        return false;
    if (list->count == 0)
        rc_config_fault_append(rc_yaml_fault(r->faults, list),
                               "any_of is empty; name at least two targets");
    else if (list->count == 1)
        rc_config_fault_append(rc_yaml_fault(r->faults, list),
                               "any_of has one target, so there is nothing to share; write the "
                               "target as the chain entry, or add a target");
    else if (list->count > RC_GROUP_MAX)
        rc_config_fault_append(rc_yaml_fault(r->faults, list),
                               "any_of has more than 32 targets; move some to another chain entry");
    return list->count > 0 && list->count <= RC_GROUP_MAX;
}

/* Reads the weights, one for each target of the group. */
static void read_weights(rc_config_reader *r, const rc_yaml_node *item, const rc_yaml_node *targets,
                         uint16_t weights[RC_GROUP_MAX])
{
    const rc_yaml_node *list = rc_yaml_get(item, RC_STR("weights"));
    for (size_t i = 0; i < RC_GROUP_MAX; i++)
        weights[i] = 1;
    if (list == NULL || !rc_yaml_expect(list, RC_YAML_LIST, r->faults))
        return;
    if (list->count != targets->count) {
        rc_config_fault *fault = rc_yaml_fault(r->faults, list);
        rc_config_fault_append(fault, "weights has ");
        rc_config_fault_append_u64(fault, list->count);
        rc_config_fault_append(fault, list->count == 1 ? " number" : " numbers");
        rc_config_fault_append(fault, " and any_of ");
        rc_config_fault_append_u64(fault, targets->count);
        rc_config_fault_append(fault, " targets; write one number for each target");
        return;
    }
    for (const rc_yaml_node *node = list->first; node != NULL; node = node->next) {
        uint64_t weight = 1;
        if (node->kind == RC_YAML_SCALAR && rc_str_eq(node->text, RC_STR("0")))
            rc_config_fault_append(rc_yaml_fault(r->faults, node),
                                   "a weight of 0 is not possible; remove the target, or make it a "
                                   "chain entry behind this one");
        else if (rc_yaml_u64(node, 1, RC_WEIGHT_MAX, r->faults, &weight))
            weights[node->index] = (uint16_t)weight;
    }
}

/* Adds a fault if an earlier group of the chain is sticky in another way: a request has one key for
 * the whole chain. */
static void check_sticky(rc_config_reader *r, const rc_yaml_node *item,
                         const rc_config_route *route, uint32_t sticky)
{
    for (size_t i = 0; i < route->chain_count; i++) {
        const uint8_t other = route->chain[i].sticky;
        if (other == RC_STICKY_NONE || sticky == RC_STICKY_NONE || other == sticky)
            continue;
        rc_config_fault *fault = rc_yaml_fault(r->faults, rc_yaml_get(item, RC_STR("sticky")));
        append_place(fault, route, i);
        rc_config_fault_append(fault, other == RC_STICKY_USER
                                          ? " is sticky by user; use the same in the whole chain"
                                          : " is sticky by session; use the same in the whole "
                                            "chain");
        return;
    }
}

static void check_member_tries(rc_config_reader *r, const rc_yaml_node *node)
{
    const rc_yaml_node *tries =
        node->kind == RC_YAML_MAP ? rc_yaml_get(node, RC_STR("tries")) : NULL;
    if (tries != NULL)
        rc_config_fault_append(rc_yaml_fault(r->faults, tries),
                               "tries applies to all targets of any_of; write it beside any_of");
}

static void read_group(rc_config_reader *r, const rc_yaml_node *item, rc_config_route *route)
{
    const rc_yaml_node *list = any_of(item);
    rc_config_group group;
    uint16_t weights[RC_GROUP_MAX];
    rc_config_fill_defaults(RC_SECTION_group, &group);
    const rc_yaml_node *target = rc_yaml_get(item, RC_STR("target"));
    if (target != NULL)
        rc_config_fault_append(rc_yaml_fault(r->faults, target),
                               "a chain entry has either target or any_of; remove one of them");
    else
        rc_config_check_keys(RC_SECTION_group, item, r->faults);
    rc_config_fill(RC_SECTION_group, item, &group, r->faults);
    if (!check_any_of(r, list))
        return;
    read_weights(r, item, list, weights);
    rc_config_target shared = {.entry = item->index,
                               .group = (uint16_t)(item->index + 1),
                               .by = (uint8_t)group.by,
                               .sticky = (uint8_t)group.sticky,
                               .tries = group.tries};
    check_sticky(r, item, route, group.sticky);
    for (const rc_yaml_node *node = list->first; node != NULL; node = node->next) {
        shared.weight = weights[node->index];
        if (any_of(node) == NULL) {
            check_member_tries(r, node);
            add_target(r, node, route, &shared);
            continue;
        }
        rc_config_fault_append(rc_yaml_fault(r->faults, any_of(node)),
                               "any_of cannot contain another any_of; list its targets here, with "
                               "their weights");
    }
}

/* Maximum number of targets in a chain. The check for duplicates compares every pair. */
#define CHAIN_MAX 1024u

static size_t count_targets(const rc_yaml_node *list)
{
    size_t count = 0;
    for (const rc_yaml_node *item = list->first; item != NULL; item = item->next) {
        const rc_yaml_node *members = any_of(item);
        count += members != NULL && members->kind == RC_YAML_LIST ? members->count : 1;
    }
    return count;
}

static void read_chain(rc_config_reader *r, const rc_yaml_node *route_node, rc_config_route *route)
{
    const rc_yaml_node *list = rc_yaml_get(route_node, RC_STR("chain"));
    if (list == NULL) {
        rc_config_fault_append(rc_yaml_fault(r->faults, route_node),
                               "chain is missing: the targets of the route");
        return;
    }
    if (!rc_yaml_expect(list, RC_YAML_LIST, r->faults))
        return;
    if (list->count == 0)
        rc_config_fault_append(rc_yaml_fault(r->faults, list),
                               "the chain is empty: the route has no target");
    const size_t count = count_targets(list);
    if (count > CHAIN_MAX) {
        rc_config_fault_append(rc_yaml_fault(r->faults, list), "more than 1024 targets");
        return;
    }
    route->chain = rc_arena_get_array(&r->config->arena, count + 1, sizeof(*route->chain));
    if (route->chain == NULL)
        return;
    for (const rc_yaml_node *item = list->first; item != NULL; item = item->next) {
        const rc_config_target single = {.entry = item->index, .weight = 1};
        if (any_of(item) != NULL)
            read_group(r, item, route);
        else
            add_target(r, item, route, &single);
    }
}

static void read_policy_name(rc_config_reader *r, const rc_yaml_node *node, rc_config_route *route)
{
    rc_str name;
    if (!rc_yaml_text(node, r->faults, &name))
        return;
    const rc_policy *policy = rc_config_policy(r->config, name);
    if (policy != NULL) {
        route->policy = policy;
        return;
    }
    rc_config_fault *fault = rc_yaml_fault(r->faults, node);
    rc_config_fault_append(fault, "there is no policy ");
    rc_config_fault_append_quoted(fault, name);
    rc_config_fault_suggest(fault, name, rc_config_policy_name_at, r->config);
}

/* Adds a fault if the route is never reached, because the pattern of an earlier route matches the
 * text of the route's own pattern. Only a "*" of the earlier pattern can match a "*" in that text,
 * so the earlier pattern then matches every name that the later one matches. */
static void check_reached(rc_config_reader *r, const rc_yaml_node *node, size_t index)
{
    const rc_config_route *routes = r->config->routes;
    for (size_t i = 0; i < index; i++) {
        if (routes[i].model.len == 0 || !rc_glob_matches(routes[i].model, routes[index].model))
            continue;
        rc_config_fault *fault = rc_yaml_fault(r->faults, node);
        rc_config_fault_append(fault, "this route is never used: routes[");
        rc_config_fault_append_u64(fault, i);
        rc_config_fault_append(fault, "] matches every model that this route matches");
        return;
    }
}

/* ---- fallback_on ---- */

/* Adds a fault for a code after which the next target is tried anyway, or after which it must not
 * be tried. */
static void check_maskable(const rc_yaml_node *node, const rc_code_info *info,
                           rc_config_faults *faults)
{
    if (rc_outcome_is_maskable(info->code))
        return;
    rc_config_fault *fault = rc_yaml_fault(faults, node);
    rc_config_fault_append(fault, info->name);
    if (info->is_retryable || info->category == RC_CATEGORY_CAPACITY)
        rc_config_fault_append(fault, " always goes to the next target; remove it");
    else if (info->code == RC_CODE_CONTEXT_OVERFLOW)
        rc_config_fault_append(fault, " has a key of its own: overflow_to");
    else
        rc_config_fault_append(fault, " would not be better at another target; remove it");
}

/* A route with one target has no next one, so fallback_on would never apply. */
static void read_fallback_on(rc_config_reader *r, const rc_yaml_node *node, rc_config_route *route)
{
    if (node->kind == RC_YAML_LIST && node->count == 0)
        return;
    rc_policy_read_codes(node, r->faults, check_maskable, &route->fallback_on);
    if (route->chain_count == 1)
        rc_config_fault_append(rc_yaml_fault(r->faults, node),
                               "the chain has one target, so there is none to fall back to; add a "
                               "target or remove fallback_on");
    else if (!route->policy->enabled)
        rc_config_fault_append(rc_yaml_fault(r->faults, node),
                               "the policy never makes a second attempt; choose another policy or "
                               "remove fallback_on");
}

/* Adds a fault for an order of targets on a route that has only one. */
static void check_failover(rc_config_reader *r, const rc_yaml_node *map,
                           const rc_config_route *route)
{
    const rc_yaml_node *failover = rc_yaml_get(map, RC_STR("failover"));
    if (failover != NULL && route->failover == 1 && route->chain_count == 1)
        rc_config_fault_append(rc_yaml_fault(r->faults, failover),
                               "the chain has one target, so there is none to fail over to; add a "
                               "target or remove failover");
}

void rc_config_route_init(rc_config_route *route)
{
    memset(route, 0, sizeof *route);
    rc_config_fill_defaults(RC_SECTION_route, route);
    rc_config_fill_defaults(RC_SECTION_timeouts, &route->timeouts);
    route->policy = rc_policy_preset(RC_STR("transport"));
}

static void read_route(rc_config_reader *r, const rc_yaml_node *map, size_t index)
{
    rc_config_route *route = &r->config->routes[index];
    rc_config_route_init(route);
    rc_config_check_keys(RC_SECTION_route, map, r->faults);
    if (map->kind != RC_YAML_MAP)
        return;
    rc_config_fill(RC_SECTION_route, map, route, r->faults);
    const rc_yaml_node *model = rc_yaml_get(map, RC_STR("model"));
    const rc_yaml_node *policy = rc_yaml_get(map, RC_STR("policy"));
    const rc_yaml_node *timeouts = rc_yaml_get(map, RC_STR("timeouts"));
    const rc_yaml_node *overflow_to = rc_yaml_get(map, RC_STR("overflow_to"));
    const rc_yaml_node *fallback_on = rc_yaml_get(map, RC_STR("fallback_on"));
    if (model == NULL)
        rc_config_fault_append(rc_yaml_fault(r->faults, map),
                               "model is missing: the model name in the client's request");
    else if (route->model.len > 0)
        check_reached(r, model, index);
    read_chain(r, map, route);
    check_failover(r, map, route);
    if (policy != NULL)
        read_policy_name(r, policy, route);
    if (fallback_on != NULL)
        read_fallback_on(r, fallback_on, route);
    if (timeouts != NULL) {
        rc_config_check_keys(RC_SECTION_timeouts, timeouts, r->faults);
        rc_config_fill(RC_SECTION_timeouts, timeouts, &route->timeouts, r->faults);
    }
    if (overflow_to != NULL) {
        route->has_overflow_to = true;
        read_target_name(r, overflow_to, &route->overflow_to);
        if (route->chain_count > 0 && route->chain[0].group == 0 &&
            is_same_target(&route->chain[0], &route->overflow_to))
            rc_config_fault_append(
                rc_yaml_fault(r->faults, overflow_to),
                "the chain already begins with this target, so its context window is not larger");
        check_interface(r, overflow_to, &route->overflow_to, route, route->chain_count);
    }
}

void rc_config_read_routes(rc_config_reader *r, const rc_yaml_node *list)
{
    if (!rc_yaml_expect(list, RC_YAML_LIST, r->faults))
        return;
    if (list->count > RC_CONFIG_ROUTES_MAX) {
        rc_config_fault_append(rc_yaml_fault(r->faults, list), "more than 1024 routes");
        return;
    }
    r->config->routes = rc_config_array(r, list, sizeof(*r->config->routes));
    if (r->config->routes == NULL)
        return;
    for (const rc_yaml_node *node = list->first; node != NULL; node = node->next)
        read_route(r, node, r->config->route_count++);
}

void rc_config_read_policies(rc_config_reader *r, const rc_yaml_node *map)
{
    if (!rc_yaml_expect(map, RC_YAML_MAP, r->faults))
        return;
    rc_policy *policies = rc_config_array(r, map, sizeof(*policies));
    if (policies == NULL)
        return;
    r->config->policies = policies;
    for (const rc_yaml_node *node = map->first; node != NULL; node = node->next) {
        rc_policy *policy = &policies[r->config->policy_count++];
        /* A policy with faults keeps its name, so that a route that refers to it does not cause a
         * second fault. */
        if (!rc_policy_read(node, node->key, r->faults, policy))
            rc_config_text_append(policy->name, sizeof(policy->name), node->key);
    }
}
