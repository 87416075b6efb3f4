/* Chains from groups, fallbacks and aliases; and all of it as YAML. */
#include <string.h>

#include "config/config.h"
#include "config/keys.h"
#include "config/litellm_private.h"
#include "core/render_wrap.h"

#define DEADLINE_MORE_MS UINT64_C(60000)
#define DAY_MS UINT64_C(86400000)
#define BREAKER_MAX_MS UINT64_C(3600000)
/* With the longest chains, all with all are compared. */
#define CHAIN_MAX 64

typedef struct route {
    struct route *next;
    rc_str model;
    rc_str group; /* whose chain it is: of an alias another name */
    const rc_litellm_deployment **chain;
    size_t chain_count;
    const rc_litellm_deployment *overflow_to;
    uint64_t first_byte_ms; /* 0: not said, as below */
    uint64_t idle_ms;
} route;

typedef struct writer {
    rc_litellm *in;
    route *routes; /* exact names first, then patterns, the longer one first */
    rc_buf *buf;
} writer;

/* ---- chains ---- */

static rc_dialect dialect_of(const rc_litellm_deployment *deployment)
{
    return deployment->provider->kind->dialect;
}

static bool is_same_target(const rc_litellm_deployment *a, const rc_litellm_deployment *b)
{
    return a->provider == b->provider && rc_str_eq(a->model, b->model);
}

/* node: where it is asked for. */
static void add_target(rc_litellm *in, route *to, const rc_litellm_deployment *deployment,
                       const rc_yaml_node *node)
{
    for (size_t i = 0; i < to->chain_count; i++) {
        if (!is_same_target(to->chain[i], deployment))
            continue;
        if (node == deployment->node)
            rc_litellm_say(in, node, "the same target once more; a chain has it once");
        return;
    }
    if (to->chain_count > 0 && dialect_of(to->chain[0]) != dialect_of(deployment)) {
        rc_litellm_quote(rc_litellm_say(in, node,
                                        "left out: it speaks another interface than the first of "
                                        "its chain, and in this version a chain keeps to one: "),
                         to->model);
        return;
    }
    if (to->chain_count == CHAIN_MAX) {
        rc_litellm_say(in, node, "left out: a chain of ours has at most 64 targets");
        return;
    }
    if (to->chain_count > 0 && node == deployment->node)
        rc_litellm_say(in, node,
                       "the same model_name again: asked when the one before it fails; "
                       "we fail over in order and do not balance");
    to->chain[to->chain_count++] = deployment;
    const uint64_t timeout_ms =
        deployment->timeout_ms > 0 ? deployment->timeout_ms : in->timeout_ms;
    const uint64_t stream_ms =
        deployment->stream_timeout_ms > 0 ? deployment->stream_timeout_ms : in->stream_timeout_ms;
    to->first_byte_ms = timeout_ms > to->first_byte_ms ? timeout_ms : to->first_byte_ms;
    to->idle_ms = stream_ms > to->idle_ms ? stream_ms : to->idle_ms;
}

/* node: where the group is named; NULL: it is the route's own. */
static void add_group(rc_litellm *in, route *to, rc_str name, const rc_yaml_node *node)
{
    for (size_t i = 0; i < in->deployment_count; i++)
        if (rc_str_eq(in->deployments[i].group, name))
            add_target(in, to, &in->deployments[i], node != NULL ? node : in->deployments[i].node);
}

/* ---- fallbacks ---- */

static const rc_yaml_node *either(const rc_litellm *in, const char *key)
{
    const rc_yaml_node *node = rc_yaml_get(in->router, rc_str_c(key));
    return node != NULL ? node : rc_yaml_get(in->settings, rc_str_c(key));
}

/* [{"a": ["b", "c"]}, ...]: the list of a name; NULL: there is none. */
static const rc_yaml_node *fallbacks_of(const rc_litellm *in, const char *key, rc_str name)
{
    const rc_yaml_node *list = either(in, key);
    if (list == NULL || list->kind != RC_YAML_LIST)
        return NULL;
    for (const rc_yaml_node *item = list->first; item != NULL; item = item->next) {
        const rc_yaml_node *found = rc_yaml_get(item, name);
        if (found != NULL && found->kind == RC_YAML_LIST)
            return found;
    }
    return NULL;
}

/* The first deployment of what an item names; NULL: there is none, which is noted. */
static const rc_litellm_deployment *named(rc_litellm *in, const rc_yaml_node *item)
{
    const rc_str name = rc_litellm_text(item);
    const rc_litellm_deployment *found = name.len > 0 ? rc_litellm_group(in, name) : NULL;
    if (found == NULL)
        rc_litellm_say(in, item, "no model_name that was carried over; left out");
    return found;
}

static void add_fallbacks(rc_litellm *in, route *to)
{
    const rc_yaml_node *list = fallbacks_of(in, "fallbacks", to->group);
    if (list == NULL)
        list = either(in, "default_fallbacks");
    if (list == NULL || list->kind != RC_YAML_LIST)
        return;
    for (const rc_yaml_node *item = list->first; item != NULL; item = item->next)
        if (!rc_str_eq(rc_litellm_text(item), to->group) && named(in, item) != NULL)
            add_group(in, to, rc_litellm_text(item), item);
}

static void add_overflow(rc_litellm *in, route *to)
{
    const rc_yaml_node *list = fallbacks_of(in, "context_window_fallbacks", to->group);
    if (list == NULL)
        return;
    for (const rc_yaml_node *item = list->first; item != NULL; item = item->next) {
        const rc_litellm_deployment *found = named(in, item);
        if (found == NULL)
            continue;
        if (to->overflow_to != NULL)
            rc_litellm_say(in, item, "left out: a route has one overflow_to");
        else if (dialect_of(found) != dialect_of(to->chain[0]))
            rc_litellm_say(in, item, "left out: it speaks another interface than its chain");
        else if (is_same_target(found, to->chain[0]))
            rc_litellm_say(in, item, "left out: the chain begins with it");
        else
            to->overflow_to = found;
    }
}

/* ---- routes ---- */

static bool has_star(rc_str text)
{
    return rc_str_find_byte(text, '*', 0) != RC_STR_NPOS;
}

static bool stands_before(rc_str a, rc_str b)
{
    if (has_star(a) != has_star(b))
        return !has_star(a);
    return has_star(a) && a.len > b.len;
}

static void insert(writer *w, route *made)
{
    route **at = &w->routes;
    while (*at != NULL && !stands_before(made->model, (*at)->model))
        at = &(*at)->next;
    made->next = *at;
    *at = made;
}

static const route *route_of(const writer *w, rc_str model)
{
    for (const route *r = w->routes; r != NULL; r = r->next)
        if (rc_str_eq(r->model, model))
            return r;
    return NULL;
}

/* A model that begins with a provider's name is passed on to that one, without a route. */
static bool is_direct(rc_litellm *in, const rc_litellm_deployment *first)
{
    const rc_str model = first->group;
    if (!rc_str_ends_with(model, RC_STR("/*")) || !rc_str_eq(first->model, RC_STR("*")))
        return false;
    rc_litellm_note *note =
        rc_litellm_say(in, first->node,
                       "needs no route: a model that begins with a provider's name is that "
                       "provider's; ask for ");
    rc_config_text_append(note->text, sizeof note->text, first->provider->name);
    rc_litellm_add(note, "/MODEL");
    return true;
}

static void note_shadow(rc_litellm *in, const rc_litellm_deployment *first)
{
    const size_t slash = rc_str_find_byte(first->group, '/', 0);
    if (slash == RC_STR_NPOS)
        return;
    for (const rc_litellm_provider *p = in->providers; p != NULL; p = p->next)
        if (rc_str_eq(p->name, rc_str_slice(first->group, 0, slash)))
            rc_litellm_say(in, first->node,
                           "its name begins with that of a provider, which is "
                           "then asked without this chain; rename one of them");
}

static route *new_route(writer *w, rc_str model)
{
    route *made = rc_arena_get(&w->in->arena, sizeof *made);
    if (made == NULL)
        return NULL;
    made->model = model;
    made->chain = rc_arena_get_array(&w->in->arena, CHAIN_MAX, sizeof(rc_litellm_deployment *));
    return made->chain != NULL ? made : NULL;
}

/* alias: where another name for the group stands; NULL: it has its own. */
static void make_route(writer *w, rc_str model, const rc_litellm_deployment *first,
                       const rc_yaml_node *alias)
{
    rc_litellm *in = w->in;
    if (route_of(w, model) != NULL)
        return;
    if (has_star(first->model) && !rc_str_eq(first->model, RC_STR("*"))) {
        rc_litellm_say(in, first->node, "left out: of a model either all or one name is passed on");
        return;
    }
    route *made = new_route(w, model);
    if (made == NULL)
        return;
    made->group = first->group;
    add_group(in, made, first->group, alias);
    add_fallbacks(in, made);
    add_overflow(in, made);
    insert(w, made);
}

static void make_aliases(writer *w)
{
    rc_litellm *in = w->in;
    const rc_yaml_node *map = either(in, "model_group_alias");
    if (map == NULL || map->kind != RC_YAML_MAP)
        return;
    for (const rc_yaml_node *node = map->first; node != NULL; node = node->next) {
        const rc_yaml_node *inner = rc_yaml_get(node, RC_STR("model"));
        const rc_str name = rc_litellm_text(inner != NULL ? inner : node);
        const rc_litellm_deployment *first = name.len > 0 ? rc_litellm_group(in, name) : NULL;
        if (first == NULL || node->key.len > 512)
            rc_litellm_say(in, node, "no model_name that was carried over; left out");
        else
            make_route(w, node->key, first, node);
    }
}

/* What an earlier route takes is never reached by a later one. */
static void drop_unreached(writer *w)
{
    for (route **at = &w->routes; *at != NULL;) {
        const route *over = w->routes;
        while (over != *at && !rc_glob_matches(over->model, (*at)->model))
            over = over->next;
        if (over == *at) {
            at = &(*at)->next;
            continue;
        }
        rc_litellm_quote(rc_litellm_say(w->in, (*at)->chain[0]->node,
                                        "left out: another route takes all that this one could: "),
                         over->model);
        *at = (*at)->next;
    }
}

static void make_routes(writer *w)
{
    rc_litellm *in = w->in;
    for (size_t i = 0; i < in->deployment_count; i++) {
        const rc_litellm_deployment *deployment = &in->deployments[i];
        if (rc_litellm_group(in, deployment->group) != deployment || is_direct(in, deployment))
            continue;
        note_shadow(in, deployment);
        make_route(w, deployment->group, deployment, NULL);
    }
    make_aliases(w);
    drop_unreached(w);
}

/* ---- YAML ---- */

static void push(const writer *w, const char *text)
{
    rc_buf_push(w->buf, rc_str_c(text));
}

static void push_member(const writer *w, const char *name, uint64_t value)
{
    push(w, name);
    push(w, ": ");
    rc_buf_push_u64(w->buf, value);
}

/* Nothing of the file can end a comment. */
static void push_comment(const writer *w, rc_str text)
{
    rc_visible_push(w->buf, text, true);
    push(w, "\n");
}

static void push_notes(const writer *w)
{
    const rc_litellm_notes *notes = w->in->notes;
    push(w, "# Made by recourse config import litellm from ");
    push_comment(w, w->in->title);
    if (notes->count > 0)
        push(w, "# What is not the same, or was left out, by its place there:\n");
    for (size_t i = 0; i < notes->count && i < RC_LITELLM_NOTES_MAX; i++) {
        const rc_litellm_note *note = &notes->list[i];
        push(w, "#   ");
        rc_buf_push_u64(w->buf, note->line);
        push(w, ":");
        rc_buf_push_u64(w->buf, note->column);
        push(w, " ");
        rc_visible_push(w->buf, rc_str_c(note->path), true);
        push(w, ": ");
        push_comment(w, rc_str_c(note->text));
    }
    push(w, "\n");
}

static void push_providers(const writer *w)
{
    push(w, "providers:\n");
    for (const rc_litellm_provider *p = w->in->providers; p != NULL; p = p->next) {
        push(w, "  ");
        rc_config_push_scalar(w->buf, p->name);
        push(w, ":\n    kind: ");
        push(w, p->kind->name);
        push(w, "\n");
        if (p->base_url.len > 0) {
            push(w, "    base_url: ");
            rc_config_push_scalar(w->buf, p->base_url);
            push(w, "\n");
        }
        if (p->key.len > 0) {
            push(w, "    keys: [");
            rc_buf_push(w->buf, p->key);
            push(w, "]\n");
        }
        if (p->is_insecure)
            push(w, "    insecure: true\n");
    }
}

static void push_target(const writer *w, const rc_litellm_deployment *deployment)
{
    char room[1024];
    rc_buf text;
    rc_buf_init_fixed(&text, room, sizeof room);
    rc_buf_push(&text, deployment->provider->name);
    rc_buf_push_byte(&text, '/');
    rc_buf_push(&text, deployment->model);
    rc_config_push_scalar(w->buf, rc_buf_get(&text));
}

static void push_limits(const writer *w, const route *r)
{
    if (r->first_byte_ms > 0 || r->idle_ms > 0) {
        push(w, "    timeouts: {");
        if (r->first_byte_ms > 0)
            push_member(w, "first_byte_ms", r->first_byte_ms);
        if (r->idle_ms > 0)
            push_member(w, r->first_byte_ms > 0 ? ", idle_ms" : "idle_ms", r->idle_ms);
        push(w, "}\n");
    }
    rc_config_route standard;
    rc_config_route_init(&standard);
    if (r->first_byte_ms < standard.deadline_ms)
        return;
    const uint64_t deadline_ms = r->first_byte_ms + DEADLINE_MORE_MS;
    push(w, "    ");
    push_member(w, "deadline_ms", deadline_ms < DAY_MS ? deadline_ms : DAY_MS);
    push(w, "\n");
}

static void push_route(const writer *w, const route *r)
{
    push(w, "  - model: ");
    rc_config_push_scalar(w->buf, r->model);
    push(w, "\n    chain:\n");
    for (size_t i = 0; i < r->chain_count; i++) {
        push(w, "      - target: ");
        push_target(w, r->chain[i]);
        push(w, "\n");
    }
    if (w->in->has_policy)
        push(w, "    policy: imported\n");
    if (r->overflow_to != NULL) {
        push(w, "    overflow_to: ");
        push_target(w, r->overflow_to);
        push(w, "\n");
    }
    push_limits(w, r);
}

static void push_policy(const writer *w)
{
    /* In the order of rule_attempts. */
    static const char *const codes[] = {"RateLimited", "ProviderTimeout, NetworkTimeout",
                                        "Overloaded, Provider5xx"};
    const rc_litellm *in = w->in;
    bool has_rules = false;
    if (!in->has_policy)
        return;
    push(w, "\npolicies:\n  imported:\n    ");
    push_member(w, "max_attempts", in->max_attempts > 0 ? in->max_attempts : 3);
    push(w, "\n");
    for (size_t i = 0; i < 3; i++) {
        if (in->rule_attempts[i] == 0)
            continue;
        push(w, has_rules ? "" : "    rules:\n");
        has_rules = true;
        push(w, "      - {codes: [");
        push(w, codes[i]);
        push(w, "], ");
        push_member(w, "max_attempts", in->rule_attempts[i]);
        push(w, "}\n");
    }
}

static void push_breaker(const writer *w)
{
    const rc_litellm *in = w->in;
    const uint64_t open_ms = in->cooldown_ms < BREAKER_MAX_MS ? in->cooldown_ms : BREAKER_MAX_MS;
    if (in->has_cooldown) {
        push(w, "\n");
        push_member(w, "cooldown_ms", in->cooldown_ms);
        push(w, "\n");
    }
    if (!in->has_allowed_fails)
        return;
    push(w, "\nbreaker:\n  window_ms: 60000\n  ");
    push_member(w, "min_calls", in->allowed_fails + 1);
    push(w, "\n");
    if (!in->has_cooldown || open_ms == 0)
        return;
    push(w, "  ");
    push_member(w, "open_ms", open_ms);
    push(w, "\n  ");
    push_member(w, "open_max_ms", open_ms);
    push(w, "\n");
}

static void push_clients(const writer *w)
{
    if (w->in->master_key.len == 0)
        return;
    push(w, "\nclients:\n  - name: litellm\n    token: ");
    rc_buf_push(w->buf, w->in->master_key);
    push(w, "\n");
}

/* By place; those of one place as they came. */
static void sort_notes(rc_litellm_notes *notes)
{
    for (size_t i = 1; i < notes->count && i < RC_LITELLM_NOTES_MAX; i++) {
        const rc_litellm_note note = notes->list[i];
        size_t at = i;
        while (at > 0 && (notes->list[at - 1].line > note.line ||
                          (notes->list[at - 1].line == note.line &&
                           notes->list[at - 1].column > note.column))) {
            notes->list[at] = notes->list[at - 1];
            at--;
        }
        notes->list[at] = note;
    }
}

/* An alias has what its group has: it is told once. The notes are sorted. */
static void drop_repeated(rc_litellm_notes *notes)
{
    size_t kept = 0;
    if (notes->count > RC_LITELLM_NOTES_MAX)
        return;
    for (size_t i = 0; i < notes->count; i++) {
        const rc_litellm_note *last = kept > 0 ? &notes->list[kept - 1] : NULL;
        if (last == NULL || last->line != notes->list[i].line ||
            last->column != notes->list[i].column || strcmp(last->text, notes->list[i].text) != 0)
            notes->list[kept++] = notes->list[i];
    }
    notes->count = kept;
}

void rc_litellm_write(rc_litellm *in, rc_buf *buf)
{
    writer w = {.in = in, .buf = buf};
    make_routes(&w);
    sort_notes(in->notes);
    drop_repeated(in->notes);
    push_notes(&w);
    push_providers(&w);
    push(&w, w.routes != NULL ? "\nroutes:\n" : "");
    for (const route *r = w.routes; r != NULL; r = r->next)
        push_route(&w, r);
    push_policy(&w);
    push_breaker(&w);
    push_clients(&w);
}
