/* Parses recourse.yaml into an rc_config and looks up its parts. Called by load.c, the gateway and
 * the commands. */
#include "config/config.h"

#include <string.h>

#include "base/str.h"
#include "config/reader.h"

/* Maximum size of the arena, several times what the largest valid file needs. */
#define ARENA_MAX_BYTES ((size_t)64 << 20)

void *rc_config_array(rc_config_reader *r, const rc_yaml_node *node, size_t size)
{
    return node->count > 0 ? rc_arena_get_array(&r->config->arena, node->count, size) : NULL;
}

/* Reads a section that has only simple values. If the section is missing, its members get the
 * defaults. */
static void read_row(rc_config_reader *r, const rc_yaml_node *root, const char *name,
                     rc_config_section section, void *fields)
{
    const rc_yaml_node *map = rc_yaml_get(root, rc_str_c(name));
    rc_config_fill_defaults(section, fields);
    if (map == NULL)
        return;
    rc_config_check_keys(section, map, r->faults);
    rc_config_fill(section, map, fields, r->faults);
}

static void read_sections(rc_config_reader *r, const rc_yaml_node *root)
{
    rc_config *config = r->config;
    const rc_yaml_node *part;

    rc_config_fill_defaults(RC_SECTION_root, &config->root);
    rc_config_fill(RC_SECTION_root, root, &config->root, r->faults);
    read_row(r, root, "retry_budget", RC_SECTION_retry_budget, &config->retry_budget);
    read_row(r, root, "breaker", RC_SECTION_breaker, &config->breaker);
    read_row(r, root, "audit", RC_SECTION_audit, &config->audit);
    read_row(r, root, "admin", RC_SECTION_admin, &config->admin);
    read_row(r, root, "log", RC_SECTION_log, &config->log);
    read_row(r, root, "limits", RC_SECTION_limits, &config->limits);
    rc_config_check_root(r, root);
    rc_config_read_admin(r, root);
    if ((part = rc_yaml_get(root, RC_STR("providers"))) != NULL)
        rc_config_read_providers(r, part);
    if ((part = rc_yaml_get(root, RC_STR("policies"))) != NULL)
        rc_config_read_policies(r, part);
    if ((part = rc_yaml_get(root, RC_STR("routes"))) != NULL)
        rc_config_read_routes(r, part);
    if ((part = rc_yaml_get(root, RC_STR("clients"))) != NULL)
        rc_config_read_clients(r, part);
    if ((part = rc_yaml_get(root, RC_STR("budgets"))) != NULL)
        rc_config_read_budgets(r, part);
}

rc_status rc_config_parse(rc_config *config, rc_str text, const rc_alloc *alloc,
                          rc_config_faults *faults)
{
    memset(config, 0, sizeof(*config));
    rc_arena_init(&config->arena, alloc, ARENA_MAX_BYTES);
    rc_config_reader r = {config, faults};
    rc_status status = rc_yaml_parse(&config->doc, text, alloc, faults);
    if (status == RC_OK) {
        const rc_yaml_node *root = config->doc.root;
        /* An empty file is valid and selects the defaults. */
        if (root->kind != RC_YAML_NULL)
            rc_config_check_keys(RC_SECTION_root, root, faults);
        read_sections(&r, root);
        status = rc_arena_status(&config->arena);
        rc_yaml_hide_lines(root, faults);
    } else {
        /* If the YAML cannot be parsed, the lines with secrets are not known, so no line may be
         * shown. */
        rc_config_faults_hide(faults, 0);
    }
    rc_config_faults_sort(faults);
    if (status == RC_OK && faults->count > 0)
        status = RC_E_RANGE;
    return status;
}

void rc_config_done(rc_config *config)
{
    rc_arena_done(&config->arena);
    rc_yaml_done(&config->doc);
}

/* ---- lookup ---- */

const rc_policy *rc_config_policy(const rc_config *config, rc_str name)
{
    const rc_policy *preset = rc_policy_preset(name);
    if (preset != NULL || config == NULL)
        return preset;
    for (size_t i = 0; i < config->policy_count; i++)
        if (rc_str_eq(name, rc_str_c(config->policies[i].name)))
            return &config->policies[i];
    return NULL;
}

const char *rc_config_policy_name_at(const void *ctx, size_t index)
{
    const rc_config *config = ctx;
    for (size_t i = 0; rc_policy_at(i) != NULL; i++)
        if (index-- == 0)
            return rc_policy_at(i)->name;
    return config != NULL && index < config->policy_count ? config->policies[index].name : NULL;
}

const rc_config_provider *rc_config_provider_find(const rc_config *config, rc_str name)
{
    for (size_t i = 0; i < config->provider_count; i++)
        if (rc_str_eq(name, config->providers[i].name))
            return &config->providers[i];
    return NULL;
}

bool rc_config_admin_listens(const rc_config_admin *admin)
{
    return !rc_str_eq(admin->listen, RC_STR("off"));
}

static bool is_same(char a, char b, bool ignores_case)
{
    return a == b || (ignores_case && rc_ascii_lower(a) == rc_ascii_lower(b));
}

static bool matches(rc_str pattern, rc_str text, bool ignores_case)
{
    /* After a mismatch only the last star is extended, because extending an earlier star gives no
     * further matches. So the time is at most proportional to pattern.len * text.len. */
    size_t at = 0;
    size_t star = pattern.len;
    size_t star_text = 0;
    size_t i = 0;
    while (i < text.len) {
        if (at < pattern.len && pattern.ptr[at] == '*') {
            star = at++;
            if (at == pattern.len)
                return true; /* A star at the end of the pattern matches the remaining text. */
            star_text = i;
        } else if (at < pattern.len && is_same(pattern.ptr[at], text.ptr[i], ignores_case)) {
            at++;
            i++;
        } else if (star < pattern.len) {
            at = star + 1;
            i = ++star_text;
        } else {
            return false;
        }
    }
    while (at < pattern.len && pattern.ptr[at] == '*')
        at++;
    return at == pattern.len;
}

bool rc_glob_matches(rc_str pattern, rc_str text)
{
    /* Fast path: most patterns are names without a star. */
    if (rc_str_find_byte(pattern, '*', 0) == RC_STR_NPOS)
        return rc_str_eq(pattern, text);
    return matches(pattern, text, false);
}

bool rc_glob_matches_nocase(rc_str pattern, rc_str text)
{
    return matches(pattern, text, true);
}

const rc_config_route *rc_config_route_find(const rc_config *config, rc_str model)
{
    for (size_t i = 0; i < config->route_count; i++)
        if (rc_glob_matches(config->routes[i].model, model))
            return &config->routes[i];
    return NULL;
}

rc_shared_settings rc_config_shared_settings(const rc_config *config)
{
    /* The limits in spec/config.def ensure that each value fits into 32 bits. */
    return (rc_shared_settings){
        .retry_budget = {.ratio_milli = (uint32_t)config->retry_budget.ratio,
                         .floor_per_s = (uint32_t)config->retry_budget.floor_per_s,
                         .burst = (uint32_t)config->retry_budget.burst},
        .breaker = {.window_ms = (uint32_t)config->breaker.window_ms,
                    .min_calls = (uint32_t)config->breaker.min_calls,
                    .failure_pct = (uint32_t)config->breaker.failure_pct,
                    .open_ms = (uint32_t)config->breaker.open_ms,
                    .open_max_ms = (uint32_t)config->breaker.open_max_ms},
        .cooldown_ms = (uint32_t)config->root.cooldown_ms,
        .exhausted_ms = (uint32_t)config->root.exhausted_ms,
    };
}
