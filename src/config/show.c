/* Writes a configuration as YAML. Called by the command `recourse config`. */
#include "config/show.h"

#include "config/keys.h"
#include "config/policy.h"
#include "config/reader.h"
#include "dialect/interface.h"

static void push(rc_buf *buf, const char *text)
{
    rc_buf_push(buf, rc_str_c(text));
}

/* Appends every value of a section, one per line. */
static void push_fields(rc_buf *buf, rc_config_section section, const void *fields,
                        const char *indent)
{
    for (size_t i = 0;; i++) {
        const rc_config_key *key = rc_config_key_at(section, i);
        if (key == NULL)
            return;
        if (!rc_config_has_value(key, fields))
            continue;
        push(buf, indent);
        push(buf, key->name);
        push(buf, ": ");
        rc_config_push_value(buf, key, fields);
        push(buf, "\n");
    }
}

static void push_section(rc_buf *buf, const char *name, rc_config_section section,
                         const void *fields)
{
    push(buf, name);
    push(buf, ":\n");
    push_fields(buf, section, fields, "  ");
}

/* Maximum number of bytes of a reference (prefix and name), and of a target (provider's name, slash
 * and model). */
#define TWO_PARTS_MAX (RC_CONFIG_TEXT_MAX + 64)

static void push_ref(rc_buf *buf, const rc_secret_ref *ref)
{
    char scratch[TWO_PARTS_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    push(&text, rc_secret_kind_prefix(ref->kind));
    rc_buf_push(&text, ref->name);
    rc_config_push_scalar(buf, rc_buf_get(&text));
}

static void push_capabilities(rc_buf *buf, uint32_t bits)
{
    bool is_first = true;
    push(buf, "capabilities: [");
    for (size_t i = 0; rc_config_capability_at(NULL, i) != NULL; i++) {
        if ((bits >> i & 1) == 0)
            continue;
        push(buf, is_first ? "" : ", ");
        push(buf, rc_config_capability_at(NULL, i));
        is_first = false;
    }
    push(buf, "]");
}

static void push_interfaces(rc_buf *buf, const rc_config_provider *provider)
{
    push(buf, "    interfaces: [");
    for (size_t i = 0; i < provider->interface_count; i++) {
        push(buf, i > 0 ? ", " : "");
        push(buf, rc_interface_name(provider->interfaces[i]));
    }
    push(buf, "]\n");
}

static void push_provider(rc_buf *buf, const rc_config_provider *provider)
{
    rc_config_provider shown = *provider;
    /* The demo provider has no configurable address. */
    if (rc_str_eq(provider->base_url, RC_STR("demo:")))
        shown.base_url = rc_str_make(NULL, 0);
    push(buf, "  ");
    rc_config_push_scalar(buf, provider->name);
    push(buf, ":\n    kind: ");
    push(buf, provider->kind->name);
    push(buf, "\n    keys: [");
    for (size_t i = 0; i < provider->key_count; i++) {
        push(buf, i > 0 ? ", " : "");
        push_ref(buf, &provider->keys[i]);
    }
    push(buf, "]\n");
    push_fields(buf, RC_SECTION_provider, &shown, "    ");
    if (provider->capabilities != UINT32_MAX) {
        push(buf, "    ");
        push_capabilities(buf, provider->capabilities);
        push(buf, "\n");
    }
    if (provider->has_own_interfaces)
        push_interfaces(buf, provider);
}

void rc_config_push_target(rc_buf *buf, const rc_config *config, const rc_config_target *target)
{
    rc_buf_push(buf, config->providers[target->provider].name);
    push(buf, "/");
    rc_buf_push(buf, target->model);
}

static void push_target_scalar(rc_buf *buf, const rc_config *config, const rc_config_target *target)
{
    char scratch[TWO_PARTS_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_config_push_target(&text, config, target);
    rc_config_push_scalar(buf, rc_buf_get(&text));
}

static void push_number(rc_buf *buf, const char *indent, const char *name, uint64_t value)
{
    if (value == 0)
        return;
    push(buf, indent);
    push(buf, name);
    push(buf, ": ");
    rc_buf_push_u64(buf, value);
    push(buf, "\n");
}

/* Appends the values of a target that are not those of its chain entry. */
static void push_target_values(rc_buf *buf, const rc_config *config, const rc_config_target *target,
                               const char *indent)
{
    push_number(buf, indent, "context_tokens", target->context_tokens);
    push_number(buf, indent, "max_output_tokens", target->max_output_tokens);
    if (target->capabilities == config->providers[target->provider].capabilities)
        return;
    push(buf, indent);
    push_capabilities(buf, target->capabilities);
    push(buf, "\n");
}

/* Appends a chain entry with any_of, whose first target is at `first`. Returns the number of its
 * targets. */
static size_t push_group(rc_buf *buf, const rc_config *config, const rc_config_route *route,
                         size_t first)
{
    const rc_config_target *targets = &route->chain[first];
    const rc_config_group group = {.by = targets->by, .sticky = targets->sticky};
    size_t count = 0;
    push(buf, "      - any_of:\n");
    for (; first + count < route->chain_count && targets[count].group == targets->group; count++) {
        push(buf, "          - target: ");
        push_target_scalar(buf, config, &targets[count]);
        push(buf, "\n");
        push_target_values(buf, config, &targets[count], "            ");
    }
    push(buf, "        weights: [");
    for (size_t i = 0; i < count; i++) {
        push(buf, i > 0 ? ", " : "");
        rc_buf_push_u64(buf, targets[i].weight);
    }
    push(buf, "]\n");
    push_number(buf, "        ", "tries", targets->tries);
    for (size_t i = 0; rc_config_key_at(RC_SECTION_group, i) != NULL; i++) {
        const rc_config_key *key = rc_config_key_at(RC_SECTION_group, i);
        if (key->kind != RC_KEY_CHOICE)
            continue;
        push(buf, "        ");
        push(buf, key->name);
        push(buf, ": ");
        rc_config_push_value(buf, key, &group);
        push(buf, "\n");
    }
    return count;
}

static void push_chain(rc_buf *buf, const rc_config *config, const rc_config_route *route)
{
    push(buf, "    chain:\n");
    for (size_t i = 0; i < route->chain_count;) {
        const rc_config_target *target = &route->chain[i];
        if (target->group > 0) {
            i += push_group(buf, config, route, i);
            continue;
        }
        push(buf, "      - target: ");
        push_target_scalar(buf, config, target);
        push(buf, "\n");
        push_number(buf, "        ", "tries", target->tries);
        push_target_values(buf, config, target, "        ");
        i++;
    }
}

static void push_route(rc_buf *buf, const rc_config *config, const rc_config_route *route)
{
    push(buf, "  -\n");
    push_fields(buf, RC_SECTION_route, route, "    ");
    push_chain(buf, config, route);
    push(buf, "    policy: ");
    rc_config_push_scalar(buf, rc_str_c(route->policy->name));
    push(buf, "\n    timeouts:\n");
    push_fields(buf, RC_SECTION_timeouts, &route->timeouts, "      ");
    if (route->has_overflow_to) {
        push(buf, "    overflow_to: ");
        push_target_scalar(buf, config, &route->overflow_to);
        push(buf, "\n");
    }
    if (!rc_code_set_is_empty(&route->fallback_on)) {
        push(buf, "    fallback_on: ");
        rc_policy_push_codes(buf, &route->fallback_on);
        push(buf, "\n");
    }
}

static void push_token(rc_buf *buf, const rc_secret_ref *token, const char *indent)
{
    if (token->kind == RC_SECRET_NONE)
        return;
    push(buf, indent);
    push(buf, "token: ");
    push_ref(buf, token);
    push(buf, "\n");
}

static void push_budget(rc_buf *buf, const rc_config_budget *budget)
{
    const rc_config_match *match = &budget->match;
    push(buf, "  -\n");
    push_fields(buf, RC_SECTION_budget, budget, "    ");
    if (match->client.len + match->route.len + match->target.len > 0) {
        push(buf, "    match:\n");
        push_fields(buf, RC_SECTION_match, match, "      ");
    }
}

static void push_lists(rc_buf *buf, const rc_config *config)
{
    push(buf, config->provider_count > 0 ? "providers:\n" : "providers: {}\n");
    for (size_t i = 0; i < config->provider_count; i++)
        push_provider(buf, &config->providers[i]);
    push(buf, config->route_count > 0 ? "routes:\n" : "routes: []\n");
    for (size_t i = 0; i < config->route_count; i++)
        push_route(buf, config, &config->routes[i]);
    push(buf, config->policy_count > 0 ? "policies:\n" : "policies: {}\n");
    for (size_t i = 0; i < config->policy_count; i++) {
        push(buf, "  ");
        rc_config_push_scalar(buf, rc_str_c(config->policies[i].name));
        push(buf, ": ");
        rc_policy_push_yaml(buf, &config->policies[i]);
        push(buf, "\n");
    }
    push(buf, config->client_count > 0 ? "clients:\n" : "clients: []\n");
    for (size_t i = 0; i < config->client_count; i++) {
        push(buf, "  -\n");
        push_fields(buf, RC_SECTION_client, &config->clients[i], "    ");
        push_token(buf, &config->clients[i].token, "    ");
    }
    push(buf, config->budget_count > 0 ? "budgets:\n" : "budgets: []\n");
    for (size_t i = 0; i < config->budget_count; i++)
        push_budget(buf, &config->budgets[i]);
}

void rc_config_push_yaml(rc_buf *buf, const rc_config *config)
{
    push_fields(buf, RC_SECTION_root, &config->root, "");
    push_lists(buf, config);
    push_section(buf, "retry_budget", RC_SECTION_retry_budget, &config->retry_budget);
    push_section(buf, "breaker", RC_SECTION_breaker, &config->breaker);
    push_section(buf, "audit", RC_SECTION_audit, &config->audit);
    push_section(buf, "admin", RC_SECTION_admin, &config->admin);
    push_token(buf, &config->admin.token, "  ");
    push_section(buf, "log", RC_SECTION_log, &config->log);
    push_section(buf, "limits", RC_SECTION_limits, &config->limits);
}
