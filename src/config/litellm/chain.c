/* One route's chain: the deployments of its name, then its fallbacks; and the time they have. */
#include "config/config.h"
#include "config/keys.h"
#include "config/litellm/private.h"

/* With the longest chains, all with all are compared. */
#define CHAIN_MAX 64
/* Of fallbacks: each is compared with all routes, and with all others. */
#define LISTS_MAX 1024

static rc_dialect dialect_of(const rc_litellm_deployment *deployment)
{
    return deployment->provider->kind->dialect;
}

static bool is_same_target(const rc_litellm_deployment *a, const rc_litellm_deployment *b)
{
    return a->provider == b->provider && rc_str_eq(a->model, b->model);
}

/* node: where it is asked for. */
static void add_target(rc_litellm *in, rc_litellm_route *to,
                       const rc_litellm_deployment *deployment, const rc_yaml_node *node)
{
    for (size_t i = 0; i < to->chain_count; i++) {
        if (!is_same_target(to->chain[i], deployment))
            continue;
        if (node == deployment->node)
            rc_litellm_notes_add(in, node, "the same target once more; a chain has it once");
        return;
    }
    if (to->chain_count > 0 && dialect_of(to->chain[0]) != dialect_of(deployment)) {
        rc_litellm_note_append_quoted(
            rc_litellm_notes_add(in, node,
                                 "left out: it speaks another interface than the first of "
                                 "its chain, and in this version a chain keeps to one: "),
            to->model);
        return;
    }
    if (to->chain_count == CHAIN_MAX) {
        rc_litellm_notes_add(in, node, "left out: a chain of ours has at most 64 targets");
        return;
    }
    if (to->chain_count > 0 && node == deployment->node)
        rc_litellm_notes_add(in, node,
                             "the same model_name again: asked when the one before it fails; "
                             "we fail over in order and do not balance");
    to->chain[to->chain_count++] = deployment;
}

/* node: where the group is named; NULL: it is the route's own. */
static void add_group(rc_litellm *in, rc_litellm_route *to, rc_str name, const rc_yaml_node *node)
{
    for (size_t i = 0; i < in->deployment_count; i++)
        if (rc_str_eq(in->deployments[i].group, name))
            add_target(in, to, &in->deployments[i], node != NULL ? node : in->deployments[i].node);
}

/* ---- fallbacks ---- */

/* The first list of names from an item on. */
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

/* [{"a": ["b", "c"]}, ...]: the list of a name; NULL: there is none. */
static const rc_yaml_node *fallbacks_of(rc_litellm *in, const char *key, rc_str name)
{
    const rc_yaml_node *node = rc_litellm_fallbacks(in, key);
    while (node != NULL && !rc_str_eq(node->key, name))
        node = rc_litellm_fallbacks_next(node);
    return node;
}

/* Those of all names that have none of their own. */
static const rc_yaml_node *fallbacks_or_all(rc_litellm *in, const char *key, rc_str name)
{
    const rc_yaml_node *node = fallbacks_of(in, key, name);
    return node != NULL ? node : fallbacks_of(in, key, RC_STR("*"));
}

/* A list of fallbacks is read no further than a chain could be. */
static bool is_too_far(rc_litellm *in, const rc_yaml_node *item)
{
    if (item->index == CHAIN_MAX)
        rc_litellm_notes_add(in, item,
                             "left out, and what is behind it: a chain has at most 64 targets");
    return item->index >= CHAIN_MAX;
}

/* The first deployment of what an item names; NULL: there is none, which is noted. */
static const rc_litellm_deployment *named(rc_litellm *in, const rc_yaml_node *item)
{
    const rc_str name = rc_litellm_text(item);
    const rc_litellm_deployment *found = name.len > 0 ? rc_litellm_group_for(in, name) : NULL;
    if (found == NULL)
        rc_litellm_notes_add(in, item, "no model_name that was carried over; left out");
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
            rc_litellm_notes_add(in, item, "left out: a route has one overflow_to");
        else if (dialect_of(found) != dialect_of(to->chain[0]))
            rc_litellm_notes_add(in, item, "left out: it speaks another interface than its chain");
        else if (is_same_target(found, to->chain[0]))
            rc_litellm_notes_add(in, item, "left out: the chain begins with it");
        else
            to->overflow_to = found;
    }
}

/* ---- time ---- */

/* One of the two limits of a try. */
typedef struct limit {
    const char *key; /* of litellm_params */
    bool is_stream;
    uint64_t all_ms; /* what holds where nothing is said; 0: nothing does */
    uint64_t usual_ms;
} limit;

static uint64_t said(const limit *kind, const rc_litellm_deployment *deployment)
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
    return said(kind, deployment) > 0 ? said(kind, deployment) : all_ms;
}

static void note_widest(rc_litellm *in, const limit *kind, const rc_litellm_route *to,
                        uint64_t widest_ms)
{
    for (size_t i = 0; deployment_at(to, i) != NULL; i++) {
        const rc_litellm_deployment *deployment = deployment_at(to, i);
        const rc_yaml_node *params = rc_yaml_get(deployment->node, RC_STR("litellm_params"));
        char digits[RC_DECIMAL_CAPACITY];
        if (said(kind, deployment) == 0)
            continue;
        rc_litellm_note *note =
            rc_litellm_notes_add(in, rc_yaml_get(params, rc_str_c(kind->key)),
                                 "a route has one such limit for all of its targets, "
                                 "the widest of theirs: ");
        rc_litellm_note_append(note, rc_config_decimal(digits, widest_ms, 0).ptr);
        rc_litellm_note_append_quoted(rc_litellm_note_append(note, " ms in the route "), to->model);
    }
}

/* A route has one limit for all of its targets: the widest of theirs, so that none is cut short
 * that was given more. 0: the usual one. */
static uint64_t set_limit(rc_litellm *in, const limit *kind, const rc_litellm_route *to)
{
    uint64_t widest_ms = 0;
    bool is_explicit = kind->all_ms > 0;
    bool is_mixed = false;
    for (size_t i = 0; deployment_at(to, i) != NULL; i++) {
        const uint64_t ms = limit_of(kind, deployment_at(to, i));
        is_explicit = is_explicit || said(kind, deployment_at(to, i)) > 0;
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
    if (route->chain == NULL)
        return;
    add_group(in, route, route->group, alias);
    add_fallbacks(in, route);
    add_overflow(in, route);
    rc_config_route_init(&usual);
    /* Where no first byte is asked for, an answer that comes whole has until the deadline. */
    const limit first = {"timeout", false, in->timeout_ms, usual.deadline_ms};
    const limit idle = {"stream_timeout", true, in->stream_timeout_ms, usual.timeouts.idle_ms};
    route->first_byte_ms = set_limit(in, &first, route);
    route->idle_ms = set_limit(in, &idle, route);
}

/* ---- what is wrong with them ---- */

static void note_shape(rc_litellm *in, const char *key)
{
    const rc_yaml_node *list = rc_litellm_setting_of(in, key, RC_YAML_LIST);
    for (const rc_yaml_node *item = list != NULL ? list->first : NULL; item != NULL;
         item = item->next) {
        if (item->index == LISTS_MAX) {
            rc_litellm_notes_add(in, item,
                                 "left out, and what is behind it: more than 1024 of them");
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

/* Is there a route whose chain is that of the name? */
static bool is_followed(const rc_litellm *in, rc_str name)
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
            rc_litellm_notes_add(in, node, "left out: the name has a list before this one");
        else if (!is_followed(in, node->key))
            rc_litellm_note_append_handler(
                in, rc_litellm_notes_add(in, node, "left out: no model_name that was carried over"),
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
