/* Creates the routes of the import, and adds notes about names without a route. Called by import.c
 * and chain.c. */
#include "config/config.h"
#include "config/litellm/private.h"
#include "scrub/scrub.h"

#define NAME_MAX_BYTES 512

/* ---- order of routes ---- */

/* Returns whether route `a` must come before route `b`. Exact names come before patterns, longer
 * patterns before shorter patterns. */
static bool is_sorted_before(rc_str a, rc_str b)
{
    if (rc_litellm_has_star(a) != rc_litellm_has_star(b))
        return !rc_litellm_has_star(a);
    return rc_litellm_has_star(a) && a.len > b.len;
}

static void insert(rc_litellm *in, rc_litellm_route *made)
{
    rc_litellm_route **at = &in->routes;
    while (*at != NULL && !is_sorted_before(made->model, (*at)->model))
        at = &(*at)->next;
    made->next = *at;
    *at = made;
}

const rc_litellm_route *rc_litellm_route_of(const rc_litellm *in, rc_str model)
{
    for (const rc_litellm_route *r = in->routes; r != NULL; r = r->next)
        if (rc_str_eq(r->model, model))
            return r;
    return NULL;
}

/* ---- names without a route ---- */

/* Returns the provider that a name "PROVIDER/..." begins with, or NULL. */
static const rc_litellm_provider *named_provider(const rc_litellm *in, rc_str name)
{
    const size_t slash = rc_str_find_byte(name, '/', 0);
    if (slash == RC_STR_NPOS)
        return NULL;
    for (const rc_litellm_provider *p = in->providers; p != NULL; p = p->next)
        if (rc_str_eq(p->name, rc_str_slice(name, 0, slash)))
            return p;
    return NULL;
}

static const rc_litellm_route *matching_route(const rc_litellm *in, rc_str name)
{
    for (const rc_litellm_route *r = in->routes; r != NULL; r = r->next)
        if (rc_glob_matches(r->model, name))
            return r;
    return NULL;
}

bool rc_litellm_is_routable(const rc_litellm *in, rc_str name)
{
    return named_provider(in, name) != NULL || matching_route(in, name) != NULL;
}

void rc_litellm_note_append_handler(const rc_litellm *in, rc_litellm_note *note, rc_str name)
{
    if (named_provider(in, name) != NULL) {
        rc_litellm_note_append(note, "; requests go to the provider that the name begins with: ");
        rc_litellm_note_append_quoted(note, named_provider(in, name)->name);
    } else if (matching_route(in, name) != NULL) {
        rc_litellm_note_append(
            note, "; another route matches the name, and requests go to its targets: ");
        rc_litellm_note_append_quoted(note, matching_route(in, name)->model);
    }
}

/* ---- routes ---- */

/* Returns whether the group's name is "x/PATTERN" and its model is PATTERN. Such names need no
 * route, because a request for PROVIDER/MODEL goes to that provider. */
static bool is_direct(const rc_litellm_deployment *first)
{
    const rc_str group = first->group;
    const rc_str model = first->model;
    return rc_litellm_has_star(model) && rc_str_ends_with(group, model) && group.len > model.len &&
           group.ptr[group.len - model.len - 1] == '/';
}

static void note_direct(rc_litellm *in, const rc_litellm_deployment *first)
{
    rc_litellm_note *note =
        rc_litellm_notes_add(in, first->node,
                             "needs no route: a model name that begins with a provider's name goes "
                             "to that provider, without fallbacks and limits; request ");
    rc_config_text_append(note->text, sizeof note->text, first->provider->name);
    rc_litellm_note_append(note, "/MODEL");
}

static void note_shadow(rc_litellm *in, rc_str name, const rc_yaml_node *node)
{
    if (named_provider(in, name) != NULL)
        rc_litellm_notes_add(in, node,
                             "its name begins with a provider's name, so requests go to that "
                             "provider and not to this chain; rename one of them");
}

/* Creates the route of a model unless the route exists. alias: the node that defines another name
 * for the group; NULL if the model has the group's own name. */
static void make_route(rc_litellm *in, rc_str model, const rc_litellm_deployment *first,
                       const rc_yaml_node *alias)
{
    if (rc_litellm_route_of(in, model) != NULL)
        return;
    if (rc_litellm_has_star(first->model) && !rc_str_eq(first->model, RC_STR("*"))) {
        rc_litellm_notes_add(in, first->node,
                             "left out: a target forwards either one model name or all of them");
        return;
    }
    rc_litellm_route *made = rc_arena_get(&in->arena, sizeof *made);
    if (made == NULL)
        return;
    made->model = model;
    made->group = first->group;
    rc_litellm_fill_chain(in, made, alias);
    if (made->chain_count > 0)
        insert(in, made);
}

static void make_aliases(rc_litellm *in)
{
    const rc_yaml_node *map = rc_litellm_setting_of(in, "model_group_alias", RC_YAML_MAP);
    for (const rc_yaml_node *node = map != NULL ? map->first : NULL; node != NULL;
         node = node->next) {
        const rc_yaml_node *inner = rc_yaml_get(node, RC_STR("model"));
        const rc_str name = rc_litellm_text(inner != NULL ? inner : node);
        const rc_litellm_deployment *first = name.len > 0 ? rc_litellm_group_for(in, name) : NULL;
        if (rc_litellm_route_of(in, node->key) != NULL) {
            rc_litellm_notes_add(in, node,
                                 "left out: a model_name with the same name exists and is used");
            continue;
        }
        if (first != NULL && node->key.len <= NAME_MAX_BYTES && rc_scrub_is_clean(node->key)) {
            note_shadow(in, node->key, node);
            make_route(in, node->key, first, node);
            continue;
        }
        rc_litellm_note_append_handler(
            in, rc_litellm_notes_add(in, node, "no imported model_name has this name; left out"),
            node->key);
    }
}

/* Creates routes for names that have fallbacks but match only a pattern entry. Such a name needs
 * its own route, because its fallbacks do not apply to other names. */
static void make_derived_routes(rc_litellm *in, const char *key)
{
    for (const rc_yaml_node *node = rc_litellm_fallbacks(in, key); node != NULL;
         node = rc_litellm_fallbacks_next(node)) {
        const rc_litellm_deployment *first = rc_litellm_group_for(in, node->key);
        if (first != NULL && first->is_derived)
            make_route(in, node->key, first, node);
    }
}

/* Removes routes that are never reached, because an earlier route matches all of their names. */
static void drop_unreached(rc_litellm *in)
{
    for (rc_litellm_route **at = &in->routes; *at != NULL;) {
        const rc_litellm_route *over = in->routes;
        while (over != *at && !rc_glob_matches(over->model, (*at)->model))
            over = over->next;
        if (over == *at) {
            at = &(*at)->next;
            continue;
        }
        rc_litellm_note_append_quoted(
            rc_litellm_notes_add(
                in, (*at)->chain[0]->node,
                "left out: another route matches everything that this route matches: "),
            over->model);
        *at = (*at)->next;
    }
}

/* Adds a note for each entry that was left out but whose name another route or provider serves. */
static void note_other_handlers(rc_litellm *in)
{
    for (const rc_yaml_node *entry = in->models->first; entry != NULL; entry = entry->next) {
        const rc_yaml_node *node = rc_yaml_get(entry, RC_STR("model_name"));
        const rc_str name = rc_litellm_text(node);
        const rc_litellm_deployment *first = rc_litellm_group(in, name);
        const bool is_there =
            name.len == 0 || rc_litellm_route_of(in, name) != NULL ||
            (first != NULL && is_direct(first) && named_provider(in, name) == first->provider);
        if (!is_there && rc_litellm_is_routable(in, name))
            rc_litellm_note_append_handler(
                in, rc_litellm_notes_add(in, node, "the model has no route of its own"), name);
    }
}

void rc_litellm_make_routes(rc_litellm *in)
{
    const size_t count = in->deployment_count;
    for (size_t i = 0; i < count; i++) {
        const rc_litellm_deployment *deployment = &in->deployments[i];
        if (rc_litellm_group(in, deployment->group) != deployment)
            continue;
        if (is_direct(deployment)) {
            note_direct(in, deployment);
            continue;
        }
        note_shadow(in, deployment->group, deployment->node);
        make_route(in, deployment->group, deployment, NULL);
    }
    make_aliases(in);
    make_derived_routes(in, "fallbacks");
    make_derived_routes(in, "context_window_fallbacks");
    drop_unreached(in);
    note_other_handlers(in);
    rc_litellm_check_fallbacks(in);
}
