/* Lists the translations of routes for `recourse config check`. Called by summary.c. */
#include "cli/config/translations.h"

#include "base/str.h"
#include "config/interfaces.h"
#include "config/show.h"
#include "dialect/interface.h"
#include "dialect/translate/plan.h"
#include "render/wrap.h"

#define LINE_WIDTH 100u
#define TARGET_MAX 2048u

/* One target of a route, and a client's interface whose requests are translated for it. */
typedef struct found_pair {
    const rc_config_route *route;
    const rc_config_target *target;
    rc_dialect client;
    rc_dialect interface;
} found_pair;

typedef void (*pair_visit)(void *ctx, const found_pair *pair);

static void visit_target(const rc_config *config, const rc_config_route *route,
                         const rc_config_target *target, pair_visit visit, void *ctx)
{
    const rc_config_provider *provider = &config->providers[target->provider];
    for (size_t i = 0; i < RC_INTERFACE_COUNT; i++) {
        const found_pair found = {
            .route = route,
            .target = target,
            .client = rc_interface_at(i),
            .interface = rc_config_interface_for(provider, rc_interface_at(i),
                                                 route->translate != RC_TRANSLATE_OFF),
        };
        if (found.interface != found.client && found.interface != RC_DIALECT_PROBLEM)
            visit(ctx, &found);
    }
}

static void visit_pairs(const rc_config *config, pair_visit visit, void *ctx)
{
    for (size_t i = 0; i < config->route_count; i++) {
        const rc_config_route *route = &config->routes[i];
        for (size_t j = 0; j < route->chain_count; j++)
            visit_target(config, route, &route->chain[j], visit, ctx);
        if (route->has_overflow_to)
            visit_target(config, route, &route->overflow_to, visit, ctx);
    }
}

static void push(rc_buf *buf, const char *text)
{
    rc_buf_push(buf, rc_str_c(text));
}

static void push_pair(rc_buf *buf, const found_pair *pair)
{
    push(buf, rc_interface_name(pair->client));
    push(buf, ">");
    push(buf, rc_interface_name(pair->interface));
}

/* ---- for a person ---- */

typedef struct page {
    rc_buf *buf;
    const rc_cli *cli;
    const rc_config *config;
    uint32_t interfaces; /* Bits of the rc_dialects into which requests are translated. */
    bool has_head;
} page;

static void push_line(void *ctx, const found_pair *pair)
{
    page *p = ctx;
    if (!p->has_head)
        push(p->buf, "\ntranslations\n");
    p->has_head = true;
    p->interfaces |= UINT32_C(1) << pair->interface;
    char scratch[TARGET_MAX];
    rc_buf target;
    rc_buf_init_fixed(&target, scratch, sizeof scratch);
    rc_config_push_target(&target, p->config, pair->target);
    push(p->buf, "  ");
    rc_visible_push(p->buf, pair->route->model, p->cli->out_terminal.has_utf8);
    push(p->buf, "  ");
    push_pair(p->buf, pair);
    push(p->buf, "  ");
    rc_visible_push(p->buf, rc_buf_get(&target), p->cli->out_terminal.has_utf8);
    push(p->buf, pair->route->translate == RC_TRANSLATE_EXACT ? "  (exact only)\n" : "\n");
}

/* Appends the names of the features that a request for this interface can never have. */
static void push_never(rc_buf *buf, rc_dialect interface)
{
    push(buf, "  never sent to ");
    push(buf, rc_interface_name(interface));
    push(buf, ": ");
    size_t width = 0;
    for (size_t i = 0; i < RC_FEATURE_COUNT; i++) {
        if (!rc_feature_is_never((rc_feature)i, interface))
            continue;
        const rc_str name = rc_feature_name((rc_feature)i);
        if (width > 0)
            push(buf, width + name.len > LINE_WIDTH ? ",\n    " : ", ");
        width = width + name.len > LINE_WIDTH ? name.len : width + name.len + 2;
        rc_buf_push(buf, name);
    }
    push(buf, "\n");
}

void rc_config_translations_push(rc_buf *buf, const rc_cli *cli, const rc_config *config)
{
    page p = {.buf = buf, .cli = cli, .config = config};
    visit_pairs(config, push_line, &p);
    for (size_t i = 0; i < RC_INTERFACE_COUNT; i++)
        if ((p.interfaces >> rc_interface_at(i) & 1) != 0)
            push_never(buf, rc_interface_at(i));
}

/* ---- as JSON ---- */

typedef struct json_page {
    rc_json_writer *w;
    const rc_config *config;
} json_page;

static void put_pair(void *ctx, const found_pair *pair)
{
    const json_page *p = ctx;
    char scratch[TARGET_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_config_push_target(&text, p->config, pair->target);
    rc_json_object_begin(p->w);
    rc_json_member_string(p->w, RC_STR("route"), pair->route->model);
    rc_json_member_string(p->w, RC_STR("target"), rc_buf_get(&text));
    rc_buf_reset(&text);
    push_pair(&text, pair);
    rc_json_member_string(p->w, RC_STR("translation"), rc_buf_get(&text));
    rc_json_key(p->w, RC_STR("never"));
    rc_json_array_begin(p->w);
    for (size_t i = 0; i < RC_FEATURE_COUNT; i++)
        if (rc_feature_is_never((rc_feature)i, pair->interface))
            rc_json_string(p->w, rc_feature_name((rc_feature)i));
    rc_json_array_end(p->w);
    rc_json_object_end(p->w);
}

void rc_config_translations_json(rc_json_writer *w, const rc_config *config)
{
    json_page p = {w, config};
    rc_json_array_begin(w);
    visit_pairs(config, put_pair, &p);
    rc_json_array_end(w);
}
