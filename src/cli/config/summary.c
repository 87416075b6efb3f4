/* Summary of a valid configuration for `recourse config check`. Called by command.c. */
#include "base/str.h"
#include "cli/config/config.h"
#include "cli/config/translations.h"
#include "config/policy.h"
#include "config/prices/unpriced.h"
#include "config/reader.h"
#include "config/secret_load.h"
#include "config/show.h"
#include "render/wrap.h"
#include "json/writer.h"

#define TEXT_BYTES ((size_t)2048)
/* Limit of the width of the first column, which otherwise is as wide as the longest name. */
#define NAME_WIDTH_MAX 24

static void push(rc_buf *buf, const char *text)
{
    rc_buf_push(buf, rc_str_c(text));
}

static void push_visible(rc_buf *buf, const rc_cli *cli, rc_str text)
{
    rc_visible_push(buf, text, cli->out_terminal.has_utf8);
}

/* Appends the name, indented and padded to the width of the column. */
static void push_name(rc_buf *buf, const rc_cli *cli, rc_str name, unsigned width)
{
    bool has_utf8 = cli->out_terminal.has_utf8;
    push(buf, "  ");
    unsigned used = rc_visible_width(name, has_utf8);
    rc_visible_push(buf, name, has_utf8);
    do
        push(buf, " ");
    while (used++ <= width);
}

static unsigned widest(unsigned width, rc_str name)
{
    return name.len > width ? (name.len < NAME_WIDTH_MAX ? (unsigned)name.len : NAME_WIDTH_MAX)
                            : width;
}

static void push_ref(rc_buf *buf, const rc_cli *cli, const rc_secret_ref *ref)
{
    push(buf, rc_secret_kind_prefix(ref->kind));
    push_visible(buf, cli, ref->name);
    push(buf, " (");
    push(buf, rc_secret_state_text(cli->calls, ref));
    push(buf, ")");
}

static void push_providers(rc_buf *buf, const rc_cli *cli, const rc_config *config)
{
    unsigned width = 0;
    for (size_t i = 0; i < config->provider_count; i++)
        width = widest(width, config->providers[i].name);
    push(buf, config->provider_count > 0 ? "\nproviders\n" : "\nproviders: none\n");
    for (size_t i = 0; i < config->provider_count; i++) {
        const rc_config_provider *provider = &config->providers[i];
        push_name(buf, cli, provider->name, width);
        push(buf, provider->kind->name);
        push(buf, "  ");
        push_visible(buf, cli, provider->base_url);
        if (rc_config_is_variable(provider->base_url))
            push(buf, " (not set)");
        for (size_t k = 0; k < provider->key_count; k++) {
            push(buf, k > 0 ? ", " : "  ");
            push_ref(buf, cli, &provider->keys[k]);
        }
        push(buf, "\n");
    }
}

static void push_target(rc_buf *buf, const rc_cli *cli, const rc_config *config,
                        const rc_config_target *target)
{
    char scratch[TEXT_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_config_push_target(&text, config, target);
    push_visible(buf, cli, rc_buf_get(&text));
}

/* ---- budgets ---- */

static const char *exceed_text(uint32_t on_exceed)
{
    static const char *const words[] = {"warn", "pause", "fail"};
    return words[on_exceed];
}

static const char *per_text(uint32_t per)
{
    static const char *const words[] = {"day", "month", "total"};
    return words[per];
}

/* Appends "$20 a month, then fail" or "$5 in total, then warn". */
static void push_limit(rc_buf *buf, uint64_t limit_usd, const char *per, const char *then)
{
    char scratch[RC_DECIMAL_CAPACITY];
    const bool is_total = rc_str_eq(rc_str_c(per), RC_STR("total"));
    push(buf, "$");
    rc_buf_push(buf, rc_config_decimal(scratch, limit_usd, 6));
    push(buf, is_total ? " in " : " per ");
    push(buf, per);
    push(buf, ", on_exceed: ");
    push(buf, then);
}

/* ---- chains ---- */

static const char *sticky_text(uint8_t sticky)
{
    static const char *const words[] = {"none", "user", "session"};
    return words[sticky];
}

/* Returns the number of targets of the chain entry whose first target is at `first`. */
static size_t entry_size(const rc_config_route *route, size_t first)
{
    size_t end = first + 1;
    while (route->chain[first].group > 0 && end < route->chain_count &&
           route->chain[end].group == route->chain[first].group)
        end++;
    return end - first;
}

/* Appends "any of a/x (weight 3), b/x (weight 1) by weight, sticky by user". */
static void push_group(rc_buf *buf, const rc_cli *cli, const rc_config *config,
                       const rc_config_target *targets, size_t count)
{
    push(buf, "any of ");
    for (size_t i = 0; i < count; i++) {
        push(buf, i > 0 ? ", " : "");
        push_target(buf, cli, config, &targets[i]);
        push(buf, " (weight ");
        rc_buf_push_u64(buf, targets[i].weight);
        push(buf, ")");
    }
    push(buf, " by ");
    push(buf, rc_spread_name((rc_spread)targets->by));
    if (targets->sticky == RC_STICKY_NONE)
        return;
    push(buf, ", sticky by ");
    push(buf, sticky_text(targets->sticky));
}

static void push_chain(rc_buf *buf, const rc_cli *cli, const rc_config *config,
                       const rc_config_route *route)
{
    for (size_t i = 0; i < route->chain_count;) {
        const rc_config_target *target = &route->chain[i];
        const size_t count = entry_size(route, i);
        push(buf, i > 0 ? ", then " : "");
        if (target->group > 0)
            push_group(buf, cli, config, target, count);
        else
            push_target(buf, cli, config, target);
        if (target->tries > 0) {
            push(buf, " x");
            rc_buf_push_u64(buf, target->tries);
        }
        i += count;
    }
}

static void push_routes(rc_buf *buf, const rc_cli *cli, const rc_config *config)
{
    unsigned width = 0;
    for (size_t i = 0; i < config->route_count; i++)
        width = widest(width, config->routes[i].model);
    push(buf, config->route_count > 0 ? "\nroutes\n" : "\nroutes: none\n");
    for (size_t i = 0; i < config->route_count; i++) {
        const rc_config_route *route = &config->routes[i];
        push_name(buf, cli, route->model, width);
        push_chain(buf, cli, config, route);
        if (route->has_overflow_to) {
            push(buf, ", overflow to ");
            push_target(buf, cli, config, &route->overflow_to);
        }
        if (!rc_code_set_is_empty(&route->fallback_on)) {
            push(buf, ", fallback on ");
            rc_policy_push_codes(buf, &route->fallback_on);
        }
        push(buf, "  policy ");
        push_visible(buf, cli, rc_str_c(route->policy->name));
        push(buf, ", deadline ");
        rc_buf_push_u64(buf, route->deadline_ms);
        push(buf, " ms");
        if (route->budget_usd > 0) {
            push(buf, ", ");
            push_limit(buf, route->budget_usd, "month", exceed_text(route->on_exceed));
        }
        push(buf, "\n");
    }
}

static void push_client_limit(rc_buf *buf, uint64_t limit, const char *unit)
{
    if (limit == 0)
        return;
    push(buf, "  ");
    rc_buf_push_u64(buf, limit);
    push(buf, unit);
}

static void push_clients(rc_buf *buf, const rc_cli *cli, const rc_config *config)
{
    if (config->client_count > 0)
        push(buf, "\nclients\n");
    for (size_t i = 0; i < config->client_count; i++) {
        const rc_config_client *client = &config->clients[i];
        push_name(buf, cli, client->name, NAME_WIDTH_MAX);
        push_ref(buf, cli, &client->token);
        if (client->budget_usd > 0) {
            push(buf, "  ");
            push_limit(buf, client->budget_usd, "month", exceed_text(client->on_exceed));
        }
        push_client_limit(buf, client->rpm, " requests per minute");
        push_client_limit(buf, client->tpm, " tokens per minute");
        push_client_limit(buf, client->max_in_flight, " concurrent requests");
        push(buf, "\n");
    }
}

/* Appends lines such as "  claude-a-day  $20 a day, then fail; client app". */
static void push_budgets(rc_buf *buf, const rc_cli *cli, const rc_config *config)
{
    static const char *const names[] = {"client", "route", "target"};
    unsigned width = 0;
    for (size_t i = 0; i < config->budget_count; i++)
        width = widest(width, config->budgets[i].name);
    if (config->budget_count > 0)
        push(buf, "\nbudgets\n");
    for (size_t i = 0; i < config->budget_count; i++) {
        const rc_config_budget *budget = &config->budgets[i];
        const rc_str match[] = {budget->match.client, budget->match.route, budget->match.target};
        const char *between = "; ";
        push_name(buf, cli, budget->name, width);
        push_limit(buf, budget->limit_usd, per_text(budget->per), exceed_text(budget->on_exceed));
        for (size_t k = 0; k < 3; k++) {
            if (match[k].len == 0)
                continue;
            push(buf, between);
            push(buf, names[k]);
            push(buf, " ");
            push_visible(buf, cli, match[k]);
            between = ", ";
        }
        push(buf, "\n");
    }
}

/* Appends a policy on one line, then each of its rules for particular error codes on a separate
 * line. */
static void push_policy(rc_buf *buf, const rc_cli *cli, const rc_policy *policy, unsigned width)
{
    push_name(buf, cli, rc_str_c(policy->name), width);
    if (!policy->enabled) {
        push(buf, "never retries\n");
        return;
    }
    rc_retry_rule_push_summary(buf, &policy->default_rule);
    push(buf, "\n");
    for (uint32_t i = 0; i < policy->rule_count; i++) {
        push_name(buf, cli, RC_STR(""), width);
        rc_retry_rule_push_summary(buf, &policy->rules[i]);
        push(buf, " for");
        rc_retry_rule_push_codes(buf, &policy->rules[i]);
        push(buf, "\n");
    }
}

static void push_policies(rc_buf *buf, const rc_cli *cli, const rc_config *config)
{
    unsigned width = 0;
    for (size_t i = 0; rc_config_policy_name_at(config, i) != NULL; i++)
        width = widest(width, rc_str_c(rc_config_policy_name_at(config, i)));
    push(buf, "\npolicies\n");
    for (size_t i = 0; rc_config_policy_name_at(config, i) != NULL; i++)
        push_policy(buf, cli,
                    rc_config_policy(config, rc_str_c(rc_config_policy_name_at(config, i))), width);
}

/* ---- warnings ---- */

typedef struct warnings {
    rc_buf *buf;
    const rc_cli *cli;
    rc_json_writer *json; /* NULL: human format. */
    size_t count;
    size_t note_count;
} warnings;

static void add_warning(warnings *to, rc_str text)
{
    if (to->json != NULL) {
        rc_json_string(to->json, text);
        return;
    }
    push(to->buf, to->count++ == 0 ? "\nwarnings\n  " : "  ");
    push_visible(to->buf, to->cli, text);
    push(to->buf, "\n");
}

/* Appends a note: a remark about a setting that may be intended, so it is no warning. */
static void add_note(warnings *to, rc_str text)
{
    if (to->json != NULL) {
        rc_json_string(to->json, text);
        return;
    }
    push(to->buf, to->note_count++ == 0 ? "\nnotes\n  " : "  ");
    push_visible(to->buf, to->cli, text);
    push(to->buf, "\n");
}

static void warn_of_unpriced(void *ctx, const rc_unpriced *unpriced)
{
    char scratch[TEXT_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_unpriced_push(&text, unpriced);
    push(&text, "; ");
    push(&text, rc_unpriced_advice());
    add_warning(ctx, rc_buf_get(&text));
}

/* Names the setting with which a fatal failure at one target would use the next one. */
static void note_fallback(warnings *to, const rc_config *config)
{
    char scratch[TEXT_BYTES];
    rc_buf text;
    for (size_t i = 0; i < config->route_count; i++) {
        const rc_config_route *route = &config->routes[i];
        if (route->chain_count < 2 || !rc_code_set_is_empty(&route->fallback_on))
            continue;
        rc_buf_init_fixed(&text, scratch, sizeof(scratch));
        push(&text, "route ");
        rc_buf_push(&text, route->model);
        push(&text, ": a fatal failure (refused key, unknown model) at ");
        rc_config_push_target(&text, config, &route->chain[0]);
        push(&text, " is returned although ");
        rc_config_push_target(&text, config, &route->chain[1]);
        push(&text, " stands by; fallback_on: [AuthFailed, PermissionDenied, ModelNotFound] would "
                    "use it");
        add_note(to, rc_buf_get(&text));
    }
}

static void push_warnings(warnings *to, const rc_config *config, const rc_prices *prices)
{
    const size_t count = rc_unpriced_find(prices, config, warn_of_unpriced, to);
    char scratch[TEXT_BYTES];
    rc_buf text;
    if (count <= RC_UNPRICED_SHOWN)
        return;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_buf_push_u64(&text, count - RC_UNPRICED_SHOWN);
    push(&text, " more have no price; recourse config prices lists them");
    add_warning(to, rc_buf_get(&text));
}

void rc_config_summary_push(rc_buf *buf, const rc_cli *cli, const rc_config *config,
                            const rc_config_source *source, const rc_prices *prices)
{
    warnings to = {.buf = buf, .cli = cli};
    push_visible(buf, cli, rc_config_source_name(source));
    push(buf, ": valid\n\nlisten ");
    push_visible(buf, cli, config->root.listen);
    push(buf, ", store ");
    push_visible(buf, cli, config->root.store);
    push(buf, ", admin ");
    push_visible(buf, cli,
                 config->admin.socket.len > 0 ? config->admin.socket : config->admin.listen);
    push(buf, "\n");
    push_providers(buf, cli, config);
    push_routes(buf, cli, config);
    push_policies(buf, cli, config);
    push_clients(buf, cli, config);
    push_budgets(buf, cli, config);
    rc_config_translations_push(buf, cli, config);
    push_warnings(&to, config, prices);
    note_fallback(&to, config);
}

/* ---- JSON ---- */

static void json_ref(rc_json_writer *w, const rc_cli *cli, const rc_secret_ref *ref)
{
    rc_json_object_begin(w);
    rc_str kind = rc_str_c(rc_secret_kind_prefix(ref->kind));
    rc_json_member_string(w, rc_str_slice(kind, 0, kind.len - 1), ref->name);
    rc_json_member_string(w, RC_STR("state"), rc_str_c(rc_secret_state_text(cli->calls, ref)));
    rc_json_object_end(w);
}

static void json_provider(rc_json_writer *w, const rc_cli *cli, const rc_config_provider *provider)
{
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("name"), provider->name);
    rc_json_member_string(w, RC_STR("kind"), rc_str_c(provider->kind->name));
    rc_json_member_string(w, RC_STR("base_url"), provider->base_url);
    rc_json_key(w, RC_STR("keys"));
    rc_json_array_begin(w);
    for (size_t i = 0; i < provider->key_count; i++)
        json_ref(w, cli, &provider->keys[i]);
    rc_json_array_end(w);
    rc_json_object_end(w);
}

static void json_target(rc_json_writer *w, const rc_config *config, const rc_config_target *target)
{
    char scratch[TEXT_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_config_push_target(&text, config, target);
    rc_json_string(w, rc_buf_get(&text));
}

static void json_group(rc_json_writer *w, const rc_config *config, const rc_config_target *targets,
                       size_t count)
{
    rc_json_object_begin(w);
    rc_json_key(w, RC_STR("any_of"));
    rc_json_array_begin(w);
    for (size_t i = 0; i < count; i++)
        json_target(w, config, &targets[i]);
    rc_json_array_end(w);
    rc_json_key(w, RC_STR("weights"));
    rc_json_array_begin(w);
    for (size_t i = 0; i < count; i++)
        rc_json_u64(w, targets[i].weight);
    rc_json_array_end(w);
    rc_json_member_string(w, RC_STR("by"), rc_str_c(rc_spread_name((rc_spread)targets->by)));
    rc_json_member_string(w, RC_STR("sticky"), rc_str_c(sticky_text(targets->sticky)));
    rc_json_object_end(w);
}

static void json_route(rc_json_writer *w, const rc_config *config, const rc_config_route *route)
{
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("model"), route->model);
    rc_json_key(w, RC_STR("chain"));
    rc_json_array_begin(w);
    for (size_t i = 0; i < route->chain_count;) {
        const size_t count = entry_size(route, i);
        if (route->chain[i].group > 0)
            json_group(w, config, &route->chain[i], count);
        else
            json_target(w, config, &route->chain[i]);
        i += count;
    }
    rc_json_array_end(w);
    rc_json_member_string(w, RC_STR("policy"), rc_str_c(route->policy->name));
    if (route->has_overflow_to) {
        rc_json_key(w, RC_STR("overflow_to"));
        json_target(w, config, &route->overflow_to);
    }
    rc_json_object_end(w);
}

/* Writes a budget as an object. scope: "client", "route" or "budget". */
static void json_budget(rc_json_writer *w, const char *scope, rc_str name, uint64_t limit_usd,
                        const char *per, uint32_t on_exceed)
{
    char scratch[RC_DECIMAL_CAPACITY];
    if (limit_usd == 0)
        return;
    rc_json_object_begin(w);
    rc_json_member_string(w, rc_str_c(scope), name);
    rc_json_key(w, RC_STR("limit_usd"));
    rc_json_raw(w, rc_config_decimal(scratch, limit_usd, 6));
    rc_json_member_string(w, RC_STR("per"), rc_str_c(per));
    rc_json_member_string(w, RC_STR("on_exceed"), rc_str_c(exceed_text(on_exceed)));
    rc_json_object_end(w);
}

static void json_budgets(rc_json_writer *w, const rc_config *config)
{
    rc_json_key(w, RC_STR("budgets"));
    rc_json_array_begin(w);
    for (size_t i = 0; i < config->client_count; i++)
        json_budget(w, "client", config->clients[i].name, config->clients[i].budget_usd, "month",
                    config->clients[i].on_exceed);
    for (size_t i = 0; i < config->route_count; i++)
        json_budget(w, "route", config->routes[i].model, config->routes[i].budget_usd, "month",
                    config->routes[i].on_exceed);
    for (size_t i = 0; i < config->budget_count; i++)
        json_budget(w, "budget", config->budgets[i].name, config->budgets[i].limit_usd,
                    per_text(config->budgets[i].per), config->budgets[i].on_exceed);
    rc_json_array_end(w);
}

static void json_clients(rc_json_writer *w, const rc_cli *cli, const rc_config *config)
{
    rc_json_key(w, RC_STR("clients"));
    rc_json_array_begin(w);
    for (size_t i = 0; i < config->client_count; i++) {
        const rc_config_client *client = &config->clients[i];
        rc_json_object_begin(w);
        rc_json_member_string(w, RC_STR("name"), client->name);
        rc_json_key(w, RC_STR("token"));
        json_ref(w, cli, &client->token);
        if (client->rpm > 0)
            rc_json_member_i64(w, RC_STR("rpm"), (int64_t)client->rpm);
        if (client->tpm > 0)
            rc_json_member_i64(w, RC_STR("tpm"), (int64_t)client->tpm);
        if (client->max_in_flight > 0)
            rc_json_member_i64(w, RC_STR("max_in_flight"), (int64_t)client->max_in_flight);
        rc_json_object_end(w);
    }
    rc_json_array_end(w);
}

static void json_policy(rc_json_writer *w, const rc_policy *policy)
{
    char scratch[TEXT_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_retry_rule_push_summary(&text, &policy->default_rule);
    rc_json_object_begin(w);
    rc_json_member_string(w, RC_STR("name"), rc_str_c(policy->name));
    rc_json_member_bool(w, RC_STR("enabled"), policy->enabled);
    rc_json_member_string(w, RC_STR("summary"), rc_buf_get(&text));
    rc_json_object_end(w);
}

void rc_config_summary_json(rc_buf *buf, const rc_cli *cli, const rc_config *config,
                            const rc_config_source *source, const rc_prices *prices)
{
    rc_json_writer w;
    warnings to = {.cli = cli, .json = &w};
    rc_json_writer_init(&w, buf, 0);
    rc_json_object_begin(&w);
    rc_json_member_bool(&w, RC_STR("valid"), true);
    rc_json_member_string(&w, RC_STR("file"), rc_config_source_name(source));
    rc_json_key(&w, RC_STR("providers"));
    rc_json_array_begin(&w);
    for (size_t i = 0; i < config->provider_count; i++)
        json_provider(&w, cli, &config->providers[i]);
    rc_json_array_end(&w);
    rc_json_key(&w, RC_STR("routes"));
    rc_json_array_begin(&w);
    for (size_t i = 0; i < config->route_count; i++)
        json_route(&w, config, &config->routes[i]);
    rc_json_array_end(&w);
    rc_json_key(&w, RC_STR("policies"));
    rc_json_array_begin(&w);
    for (size_t i = 0; i < config->policy_count; i++)
        json_policy(&w, &config->policies[i]);
    rc_json_array_end(&w);
    json_clients(&w, cli, config);
    json_budgets(&w, config);
    rc_json_key(&w, RC_STR("translations"));
    rc_config_translations_json(&w, config);
    rc_json_key(&w, RC_STR("warnings"));
    rc_json_array_begin(&w);
    push_warnings(&to, config, prices);
    rc_json_array_end(&w);
    rc_json_key(&w, RC_STR("notes"));
    rc_json_array_begin(&w);
    note_fallback(&to, config);
    rc_json_array_end(&w);
    rc_json_object_end(&w);
    push(buf, "\n");
}
