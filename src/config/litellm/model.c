/* Reads model_list into deployments. Called by import.c, route.c and chain.c. */
#include "config/config.h"
#include "config/litellm/private.h"
#include "scrub/scrub.h"

#define NAME_MAX_BYTES 512
/* Maximum number of deployments that are derived from pattern entries, for the names of fallbacks
 * and aliases. */
#define DERIVED_MAX 256

/* ---- parameters ---- */

static void note_params(rc_litellm *in, const rc_yaml_node *params)
{
    static const struct {
        const char *key;
        const char *why; /* Text of the note for a key that is not converted; NULL: the key is
                          * converted. */
    } known[] = {
        {"model", NULL},
        {"api_base", NULL},
        {"base_url", NULL},
        {"api_key", NULL},
        {"timeout", NULL},
        {"stream_timeout", NULL},
        {"custom_llm_provider", NULL},
        {"litellm_credential_name", NULL},
        {"rpm", "used only as the share of this target among those of its model_name; the "
                "provider's rate limits are kept as its headers state them"},
        {"tpm", "used only as the share of this target among those of its model_name; the "
                "provider's rate limits are kept as its headers state them"},
        {"weight", NULL},
        {"order", "the order of the list is the order of the chain"},
        {"max_parallel_requests",
         "max_in_flight of the provider is the closest setting; it was not set"},
        {"max_retries", "the route's policy sets the number of attempts"},
        {"num_retries", "the route's policy sets the number of attempts"},
    };
    for (const rc_yaml_node *node = params->first; node != NULL; node = node->next) {
        const char *why = "no counterpart: requests are forwarded unchanged";
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            if (rc_str_eq(node->key, rc_str_c(known[i].key)))
                why = known[i].why;
        if (why != NULL)
            rc_litellm_notes_add(in, node, why);
    }
}

static void read_timeouts(rc_litellm *in, const rc_yaml_node *params, rc_litellm_deployment *made)
{
    const rc_yaml_node *timeout = rc_yaml_get(params, RC_STR("timeout"));
    const rc_yaml_node *stream = rc_yaml_get(params, RC_STR("stream_timeout"));
    if (timeout != NULL)
        (void)rc_litellm_time_limit(in, timeout, &made->timeout_ms);
    if (stream != NULL)
        (void)rc_litellm_time_limit(in, stream, &made->stream_timeout_ms);
}

/* Reads the parameters by which LiteLLM shares requests. */
static void read_shares(rc_litellm *in, const rc_yaml_node *params, rc_litellm_deployment *made)
{
    static const char *const keys[RC_LITELLM_SHARES] = {"weight", "rpm", "tpm"};
    for (size_t i = 0; i < RC_LITELLM_SHARES; i++) {
        const rc_yaml_node *node = rc_yaml_get(params, rc_str_c(keys[i]));
        uint64_t share = 0;
        made->shares[i] = UINT64_MAX;
        if (node != NULL && rc_litellm_share(in, node, &share))
            made->shares[i] = share;
    }
}

/* Returns whether `text` can be a model name: not empty, not too long, not a secret. */
static bool is_usable(rc_str text)
{
    return text.len > 0 && text.len <= NAME_MAX_BYTES && rc_scrub_is_clean(text);
}

static rc_str group_of(const rc_yaml_node *entry)
{
    return rc_litellm_text(rc_yaml_get(entry, RC_STR("model_name")));
}

static void add_deployment(rc_litellm *in, const rc_litellm_deployment *made)
{
    if (made->provider != NULL && in->deployment_count < in->deployment_max)
        in->deployments[in->deployment_count++] = *made;
}

/* ---- entries for any model ---- */

static bool has_entry(const rc_litellm *in, rc_str group)
{
    for (const rc_yaml_node *one = in->models->first; one != NULL; one = one->next)
        if (rc_str_eq(group_of(one), group))
            return true;
    return false;
}

/* Converts the entry with the name "*" and the model "*". LiteLLM chooses its provider by the
 * requested model name, so this function adds a deployment for each family of model names. */
static void read_catch_all(rc_litellm *in, rc_litellm_deployment *made)
{
    in->has_catch_all = true;
    rc_litellm_notes_add(
        in, made->node,
        "LiteLLM finds the provider by the model's name. Here only OpenAI's names (gpt-*, o1*, "
        "...) and claude-* have routes, and other names are refused; add routes for the models "
        "that you use. PROVIDER/MODEL needs that provider under providers");
    rc_litellm_notes_add(in, made->node,
                         "the variable of each provider must be set (OPENAI_API_KEY, "
                         "ANTHROPIC_API_KEY); otherwise remove the provider and its routes");
    for (size_t i = 0; rc_litellm_family_at(i) != NULL; i++) {
        const rc_litellm_family *family = rc_litellm_family_at(i);
        made->group = rc_str_c(family->pattern);
        if (has_entry(in, made->group))
            continue;
        made->provider = rc_litellm_provider_default(in, family->kind);
        add_deployment(in, made);
    }
}

/* Converts an entry whose model is "*" without a provider. Returns false, after adding a note, if
 * recourse.yaml cannot express the entry. */
static bool read_star(rc_litellm *in, const rc_yaml_node *params, rc_litellm_deployment *made)
{
    const rc_yaml_node *model = rc_yaml_get(params, RC_STR("model"));
    const rc_litellm_family *family = rc_litellm_family_of(made->group);
    const bool has_account = rc_litellm_param(in, params, "api_key") != NULL ||
                             rc_litellm_param(in, params, "api_base") != NULL ||
                             rc_litellm_param(in, params, "base_url") != NULL;
    if (has_account) {
        rc_litellm_notes_add(
            in, model,
            "left out: LiteLLM finds the provider by the model's name, and uses this one key or "
            "address; write PROVIDER/* for each that you use");
        return false;
    }
    if (rc_str_eq(made->group, RC_STR("*"))) {
        if (in->has_catch_all)
            rc_litellm_notes_add(in, model, "the same once more; left out");
        else
            read_catch_all(in, made);
        return true;
    }
    if (family == NULL) {
        rc_litellm_notes_add(in, model,
                             "left out: the model's name does not show the provider; write "
                             "PROVIDER/*");
        return false;
    }
    made->provider = rc_litellm_provider_default(in, family->kind);
    add_deployment(in, made);
    return true;
}

/* ---- entries ---- */

/* Returns whether the entry chooses its provider by the requested model name. */
static bool is_star(const rc_yaml_node *entry)
{
    const rc_yaml_node *params = rc_yaml_get(entry, RC_STR("litellm_params"));
    return rc_str_eq(rc_litellm_text(rc_yaml_get(params, RC_STR("model"))), RC_STR("*")) &&
           rc_litellm_text(rc_yaml_get(params, RC_STR("custom_llm_provider"))).len == 0;
}

static void note_entry(rc_litellm *in, const rc_yaml_node *entry, const rc_yaml_node *params)
{
    note_params(in, params);
    for (const rc_yaml_node *node = entry->first; node != NULL; node = node->next)
        if (!rc_str_eq(node->key, RC_STR("model_name")) &&
            !rc_str_eq(node->key, RC_STR("litellm_params")))
            rc_litellm_notes_add(in, node, "no counterpart");
}

static void read_entry(rc_litellm *in, const rc_yaml_node *entry)
{
    const rc_yaml_node *params = rc_yaml_get(entry, RC_STR("litellm_params"));
    const rc_yaml_node *model = rc_yaml_get(params, RC_STR("model"));
    rc_litellm_deployment made = {.node = entry, .group = group_of(entry)};
    if (params == NULL || params->kind != RC_YAML_MAP || rc_litellm_text(model).len == 0 ||
        !is_usable(made.group)) {
        rc_litellm_notes_add(in, entry,
                             "model_name and litellm_params.model are expected; left out");
        return;
    }
    const rc_litellm_prefix *prefix = rc_litellm_prefix_of(params, &made.model);
    if ((prefix == NULL || prefix->kind == NULL) && !is_star(entry)) {
        rc_litellm_note_unsupported(in, params);
        return;
    }
    if (!is_usable(made.model)) {
        rc_litellm_notes_add(in, model, "not the name of a model; left out");
        return;
    }
    /* A pattern that is mapped to itself forwards the model name that the client requests. */
    if (rc_litellm_has_star(made.model) && rc_str_eq(made.model, made.group))
        made.model = RC_STR("*");
    read_timeouts(in, params, &made);
    read_shares(in, params, &made);
    if (prefix == NULL || prefix->kind == NULL) {
        if (read_star(in, params, &made))
            note_entry(in, entry, params);
        return;
    }
    made.provider = rc_litellm_provider_of(in, prefix, params);
    if (made.provider == NULL)
        return;
    note_entry(in, entry, params);
    add_deployment(in, &made);
}

void rc_litellm_read_models(rc_litellm *in, const rc_yaml_node *list)
{
    in->models = list;
    in->deployment_max = list->count + (size_t)RC_LITELLM_FAMILIES + DERIVED_MAX;
    in->deployments = rc_arena_get_array(&in->arena, in->deployment_max, sizeof *in->deployments);
    if (in->deployments == NULL)
        return;
    for (const rc_yaml_node *entry = list->first; entry != NULL; entry = entry->next)
        if (!is_star(entry))
            read_entry(in, entry);
    /* The entries for "*" are read last. A second provider of a kind gets a number in its name;
     * clients use the name without a number, so other entries take it first. */
    for (const rc_yaml_node *entry = list->first; entry != NULL; entry = entry->next)
        if (is_star(entry))
            read_entry(in, entry);
}

/* ---- groups ---- */

const rc_litellm_deployment *rc_litellm_group(const rc_litellm *in, rc_str name)
{
    for (size_t i = 0; i < in->deployment_count; i++)
        if (rc_str_eq(in->deployments[i].group, name))
            return &in->deployments[i];
    return NULL;
}

/* Returns the deployment with the longest pattern that matches the name and forwards the name to
 * the provider, or NULL. */
static const rc_litellm_deployment *pattern_for(const rc_litellm *in, rc_str name)
{
    const rc_litellm_deployment *best = NULL;
    for (size_t i = 0; i < in->deployment_count; i++) {
        const rc_litellm_deployment *one = &in->deployments[i];
        if (rc_str_eq(one->model, RC_STR("*")) && rc_glob_matches(one->group, name) &&
            (best == NULL || one->group.len > best->group.len))
            best = one;
    }
    return best;
}

const rc_litellm_deployment *rc_litellm_group_for(rc_litellm *in, rc_str name)
{
    const rc_litellm_deployment *found = rc_litellm_group(in, name);
    if (found != NULL || !is_usable(name) || rc_litellm_has_star(name) || has_entry(in, name))
        return found;
    const rc_litellm_deployment *pattern = pattern_for(in, name);
    const size_t count = in->deployment_count;
    /* A pattern with a slash forwards only the part of the name after the slash, so no deployment
     * can be derived. */
    if (pattern == NULL || rc_str_find_byte(pattern->group, '/', 0) != RC_STR_NPOS)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (!rc_str_eq(in->deployments[i].group, pattern->group))
            continue;
        rc_litellm_deployment made = in->deployments[i];
        made.group = name;
        made.is_derived = true;
        if (rc_str_eq(made.model, RC_STR("*")))
            made.model = name;
        add_deployment(in, &made);
    }
    return in->deployment_count > count ? &in->deployments[count] : NULL;
}
