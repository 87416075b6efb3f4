/* Builds the chain of a route (the deployments of its model_name, then its fallbacks) and
 * determines its timeouts. Called by route.c. */
#include "config/config.h"
#include "config/keys.h"
#include "config/litellm/private.h"

/* Maximum number of targets in a chain. The limit bounds the time of the search for duplicates,
 * which compares every pair. */
#define CHAIN_MAX 64
/* Maximum number of lists of fallbacks. The limit bounds the time of the checks, which compare each
 * list with all routes and all other lists. */
#define LISTS_MAX 1024

static bool is_same_target(const rc_litellm_deployment *a, const rc_litellm_deployment *b)
{
    return a->provider == b->provider && rc_str_eq(a->model, b->model);
}

/* Adds a deployment to the chain unless it is a duplicate or the chain is full.
 * Notes have the position of `node`, which names the deployment. */
static void add_target(rc_litellm *in, rc_litellm_route *to,
                       const rc_litellm_deployment *deployment, const rc_yaml_node *node)
{
    for (size_t i = 0; i < to->chain_count; i++) {
        if (!is_same_target(to->chain[i], deployment))
            continue;
        if (node == deployment->node)
            rc_litellm_notes_add(in, node,
                                 "the same target appears again; a chain can have it only once");
        return;
    }
    if (to->chain_count == CHAIN_MAX) {
        rc_litellm_notes_add(in, node, "left out: a chain has at most 64 targets");
        return;
    }
    to->groups[to->chain_count] = to->group_count;
    to->chain[to->chain_count++] = deployment;
}

/* Adds all deployments of a group. `node` is the node that names the group; NULL for the route's
 * own group. */
static void add_group(rc_litellm *in, rc_litellm_route *to, rc_str name, const rc_yaml_node *node)
{
    to->group_count++;
    for (size_t i = 0; i < in->deployment_count; i++)
        if (rc_str_eq(in->deployments[i].group, name))
            add_target(in, to, &in->deployments[i], node != NULL ? node : in->deployments[i].node);
}

/* ---- shares of the targets of one model_name ---- */

/* Returns the number of the parameter that decides the shares, the first that every deployment has,
 * and its largest value; 0: there is no such parameter, so the shares are equal. */
static uint64_t largest_share(const rc_litellm_route *route, size_t first, size_t count,
                              size_t *ret_parameter)
{
    for (size_t parameter = 0; parameter < RC_LITELLM_SHARES; parameter++) {
        uint64_t most = 0;
        bool have_all = true;
        for (size_t i = first; i < first + count; i++) {
            const uint64_t share = route->chain[i]->shares[parameter];
            have_all = have_all && share != UINT64_MAX;
            most = share != UINT64_MAX && share > most ? share : most;
        }
        *ret_parameter = parameter;
        if (have_all && most > 0)
            return most;
    }
    return 0;
}

static uint64_t gcd(uint64_t a, uint64_t b)
{
    while (b > 0) {
        const uint64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void rc_litellm_weights(const rc_litellm_route *route, size_t first, size_t count,
                        uint64_t *ret_weights)
{
    size_t parameter = 0;
    const uint64_t most = largest_share(route, first, count, &parameter);
    uint64_t common = 0;
    for (size_t i = 0; i < count; i++) {
        ret_weights[i] = most > 0 ? route->chain[first + i]->shares[parameter] : 1;
        common = gcd(common, ret_weights[i]);
    }
    const bool is_large = common > 0 && most / common > RC_WEIGHT_MAX;
    for (size_t i = 0; i < count && most > 0; i++) {
        const uint64_t share = ret_weights[i];
        ret_weights[i] =
            is_large ? share / ((most + RC_WEIGHT_MAX - 1) / RC_WEIGHT_MAX) : share / common;
        if (ret_weights[i] == 0 && share > 0)
            ret_weights[i] = 1;
    }
}

/* ---- fallbacks ---- */

/* Returns the first list of fallbacks in `item` or in a later item. */
static const rc_yaml_node *first_of(const rc_yaml_node *item)
{
    for (; item != NULL; item = item->next)
        for (const rc_yaml_node *node = item->kind == RC_YAML_MAP ? item->first : NULL;
             node != NULL; node = node->next)
            if (node->kind == RC_YAML_LIST)
                return node;
    return NULL;
}

const rc_yaml_node *rc_litellm_fallbacks(rc_litellm *in, const char *key)
{
    const rc_yaml_node *list = rc_litellm_setting(in, key);
    return list != NULL && list->kind == RC_YAML_LIST ? first_of(list->first) : NULL;
}

const rc_yaml_node *rc_litellm_fallbacks_next(const rc_yaml_node *node)
{
    const rc_yaml_node *item = node->parent;
    for (node = node->next; node != NULL; node = node->next)
        if (node->kind == RC_YAML_LIST)
            return node;
    return item->index + 1 < LISTS_MAX ? first_of(item->next) : NULL;
}

/* Returns the list of fallbacks for a name, such as ["b", "c"] for "a" in [{"a": ["b", "c"]}, ...],
 * or NULL. */
static const rc_yaml_node *fallbacks_of(rc_litellm *in, const char *key, rc_str name)
{
    const rc_yaml_node *node = rc_litellm_fallbacks(in, key);
    while (node != NULL && !rc_str_eq(node->key, name))
        node = rc_litellm_fallbacks_next(node);
    return node;
}

/* Returns the fallbacks of a name. If the name has no fallbacks, returns the fallbacks of "*". */
static const rc_yaml_node *fallbacks_or_all(rc_litellm *in, const char *key, rc_str name)
{
    const rc_yaml_node *node = fallbacks_of(in, key, name);
    return node != NULL ? node : fallbacks_of(in, key, RC_STR("*"));
}

/* Returns whether an item is beyond the maximum length of a chain. Adds a note at the first such
 * item. */
static bool is_too_far(rc_litellm *in, const rc_yaml_node *item)
{
    if (item->index == CHAIN_MAX)
        rc_litellm_notes_add(in, item,
                             "left out, with all entries after it: a chain has at most 64 targets");
    return item->index >= CHAIN_MAX;
}

/* Returns the first deployment with the model_name in `item`. Returns NULL, after adding a note, if
 * no deployment has this name. */
static const rc_litellm_deployment *named(rc_litellm *in, const rc_yaml_node *item)
{
    const rc_str name = rc_litellm_text(item);
    const rc_litellm_deployment *found = name.len > 0 ? rc_litellm_group_for(in, name) : NULL;
    if (found == NULL)
        rc_litellm_notes_add(in, item, "no imported model_name has this name; left out");
    return found;
}

static void add_fallbacks(rc_litellm *in, rc_litellm_route *to)
{
    const rc_yaml_node *list = fallbacks_or_all(in, "fallbacks", to->group);
    if (list == NULL)
        list = rc_litellm_setting(in, "default_fallbacks");
    if (list == NULL || list->kind != RC_YAML_LIST)
        return;
    for (const rc_yaml_node *item = list->first; item != NULL && !is_too_far(in, item);
         item = item->next)
        if (!rc_str_eq(rc_litellm_text(item), to->group) && named(in, item) != NULL)
            add_group(in, to, rc_litellm_text(item), item);
}

static void add_overflow(rc_litellm *in, rc_litellm_route *to)
{
    const rc_yaml_node *list = fallbacks_or_all(in, "context_window_fallbacks", to->group);
    if (list == NULL)
        return;
    for (const rc_yaml_node *item = list->first; item != NULL && !is_too_far(in, item);
         item = item->next) {
        const rc_litellm_deployment *found = named(in, item);
        if (found == NULL)
            continue;
        if (to->overflow_to != NULL)
            rc_litellm_notes_add(in, item, "left out: a route can have only one overflow_to");
        else if (is_same_target(found, to->chain[0]))
            rc_litellm_notes_add(in, item, "left out: the chain already begins with this target");
        else
            to->overflow_to = found;
    }
}

/* ---- timeouts ---- */

/* One of the two timeouts of an attempt, as LiteLLM's file and recourse.yaml have it. */
typedef struct limit {
    const char *key; /* Key in litellm_params. */
    bool is_stream;
    uint64_t all_ms;   /* Value in the global settings, in milliseconds; 0: not set. */
    uint64_t usual_ms; /* Default of recourse, in milliseconds. */
} limit;

static uint64_t explicit_ms(const limit *kind, const rc_litellm_deployment *deployment)
{
    return kind->is_stream ? deployment->stream_timeout_ms : deployment->timeout_ms;
}

static const rc_litellm_deployment *deployment_at(const rc_litellm_route *to, size_t index)
{
    if (index < to->chain_count)
        return to->chain[index];
    return index == to->chain_count ? to->overflow_to : NULL;
}

static uint64_t limit_of(const limit *kind, const rc_litellm_deployment *deployment)
{
    const uint64_t all_ms = kind->all_ms > 0 ? kind->all_ms : kind->usual_ms;
    return explicit_ms(kind, deployment) > 0 ? explicit_ms(kind, deployment) : all_ms;
}

static void note_widest(rc_litellm *in, const limit *kind, const rc_litellm_route *to,
                        uint64_t widest_ms)
{
    for (size_t i = 0; deployment_at(to, i) != NULL; i++) {
        const rc_litellm_deployment *deployment = deployment_at(to, i);
        const rc_yaml_node *params = rc_yaml_get(deployment->node, RC_STR("litellm_params"));
        char digits[RC_DECIMAL_CAPACITY];
        if (explicit_ms(kind, deployment) == 0)
            continue;
        rc_litellm_note *note = rc_litellm_notes_add(
            in, rc_yaml_get(params, rc_str_c(kind->key)),
            "a route has one timeout of this kind for all of its targets; the largest was used: ");
        rc_litellm_note_append(note, rc_config_decimal(digits, widest_ms, 0).ptr);
        rc_litellm_note_append_quoted(rc_litellm_note_append(note, " ms in the route "), to->model);
    }
}

/* Returns the timeout of a route, or 0 for the default. A route has one timeout for all of its
 * targets, so the longest timeout of the targets is used. */
static uint64_t set_limit(rc_litellm *in, const limit *kind, const rc_litellm_route *to)
{
    uint64_t widest_ms = 0;
    bool is_explicit = kind->all_ms > 0;
    bool is_mixed = false;
    for (size_t i = 0; deployment_at(to, i) != NULL; i++) {
        const uint64_t ms = limit_of(kind, deployment_at(to, i));
        is_explicit = is_explicit || explicit_ms(kind, deployment_at(to, i)) > 0;
        is_mixed = is_mixed || (i > 0 && ms != widest_ms);
        widest_ms = ms > widest_ms ? ms : widest_ms;
    }
    if (is_mixed)
        note_widest(in, kind, to, widest_ms);
    return is_explicit && (!is_mixed || widest_ms != kind->usual_ms) ? widest_ms : 0;
}

void rc_litellm_fill_chain(rc_litellm *in, rc_litellm_route *route, const rc_yaml_node *alias)
{
    rc_config_route usual;
    route->chain = rc_arena_get_array(&in->arena, CHAIN_MAX, sizeof(rc_litellm_deployment *));
    route->groups = rc_arena_get_array(&in->arena, CHAIN_MAX, sizeof *route->groups);
    if (route->chain == NULL || route->groups == NULL)
        return;
    add_group(in, route, route->group, alias);
    add_fallbacks(in, route);
    add_overflow(in, route);
    rc_config_route_init(&usual);
    /* Without first_byte_ms, a response that is not streamed is limited only by the deadline. */
    const limit first = {"timeout", false, in->timeout_ms, usual.deadline_ms};
    const limit idle = {"stream_timeout", true, in->stream_timeout_ms, usual.timeouts.idle_ms};
    route->first_byte_ms = set_limit(in, &first, route);
    route->idle_ms = set_limit(in, &idle, route);
}

/* ---- checks ---- */

static void note_shape(rc_litellm *in, const char *key)
{
    const rc_yaml_node *list = rc_litellm_setting_of(in, key, RC_YAML_LIST);
    for (const rc_yaml_node *item = list != NULL ? list->first : NULL; item != NULL;
         item = item->next) {
        if (item->index == LISTS_MAX) {
            rc_litellm_notes_add(in, item,
                                 "left out, with all entries after it: more than 1024 entries");
            return;
        }
        if (item->kind != RC_YAML_MAP)
            rc_litellm_notes_add(in, item, "a name and a list of names are expected; left out");
        for (const rc_yaml_node *node = item->kind == RC_YAML_MAP ? item->first : NULL;
             node != NULL; node = node->next)
            if (node->kind != RC_YAML_LIST)
                rc_litellm_notes_add(in, node, "a list of names is expected; left out");
    }
}

/* Returns whether a route uses the chain of the group `name`. */
static bool is_used(const rc_litellm *in, rc_str name)
{
    for (const rc_litellm_route *route = in->routes; route != NULL; route = route->next)
        if (rc_str_eq(route->group, name))
            return true;
    return rc_str_eq(name, RC_STR("*"));
}

static void note_names(rc_litellm *in, const char *key)
{
    for (const rc_yaml_node *node = rc_litellm_fallbacks(in, key); node != NULL;
         node = rc_litellm_fallbacks_next(node)) {
        if (fallbacks_of(in, key, node->key) != node)
            rc_litellm_notes_add(in, node, "left out: an earlier list has the same name");
        else if (!is_used(in, node->key))
            rc_litellm_note_append_handler(
                in,
                rc_litellm_notes_add(in, node, "left out: no imported model_name has this name"),
                node->key);
    }
}

void rc_litellm_check_fallbacks(rc_litellm *in)
{
    note_shape(in, "fallbacks");
    note_shape(in, "context_window_fallbacks");
    note_names(in, "fallbacks");
    note_names(in, "context_window_fallbacks");
    (void)rc_litellm_setting_of(in, "default_fallbacks", RC_YAML_LIST);
}
