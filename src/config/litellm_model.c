/* model_list: who is asked, where, with whose key. */
#include <string.h>

#include "config/config.h"
#include "config/litellm_private.h"
#include "config/reader.h"
#include "core/scrub.h"

#define NAME_MAX_BYTES 512

/* What LiteLLM calls a provider, and what we do. */
static const struct {
    const char *prefix;
    const char *kind; /* NULL: we have none; `why` */
    const char *why;
} prefixes[] = {
    {"openai", "openai", NULL},
    {"text-completion-openai", "openai", NULL},
    {"anthropic", "anthropic", NULL},
    {"gemini", "gemini", NULL},
    {"openrouter", "openrouter", NULL},
    {"mistral", "mistral", NULL},
    {"groq", "groq", NULL},
    {"deepseek", "deepseek", NULL},
    {"xai", "xai", NULL},
    {"together_ai", "together", NULL},
    {"fireworks_ai", "fireworks", NULL},
    {"cerebras", "cerebras", NULL},
    {"perplexity", "perplexity", NULL},
    {"ollama", "ollama", NULL},
    {"ollama_chat", "ollama", NULL},
    {"lm_studio", "lmstudio", NULL},
    {"hosted_vllm", "vllm", NULL},
    {"vllm", "vllm", NULL},
    {"llamafile", "llamacpp", NULL},
    {"openai_like", "openai_compatible", NULL},
    {"custom_openai", "openai_compatible", NULL},
    {"litellm_proxy", "openai_compatible", NULL},
    {"azure", NULL, "Azure's paths and versions are not spoken in this version; left out"},
    {"azure_ai", NULL, "Azure's paths and versions are not spoken in this version; left out"},
    {"bedrock", NULL, "requests to AWS are not signed in this version; left out"},
    {"sagemaker", NULL, "requests to AWS are not signed in this version; left out"},
    {"vertex_ai", NULL, "Google's service accounts are not used in this version; left out"},
    {"vertex_ai_beta", NULL, "Google's service accounts are not used in this version; left out"},
};

/* ---- which ---- */

static const rc_config_kind *kind_by_prefix(rc_litellm *in, const rc_yaml_node *model,
                                            rc_str prefix)
{
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (!rc_str_eq(prefix, rc_str_c(prefixes[i].prefix)))
            continue;
        if (prefixes[i].kind != NULL)
            return rc_config_kind_find(rc_str_c(prefixes[i].kind));
        rc_litellm_say(in, model, prefixes[i].why);
        return NULL;
    }
    rc_litellm_quote(rc_litellm_say(in, model, "left out; there is no kind of provider for "),
                     prefix);
    return NULL;
}

/* "openai/gpt-4o"; a name without a provider is OpenAI's or Anthropic's. */
static const rc_config_kind *split_model(rc_litellm *in, const rc_yaml_node *node,
                                         const rc_yaml_node *params, rc_str *ret_model)
{
    const rc_str text = rc_litellm_text(node);
    const rc_str custom = rc_litellm_text(rc_yaml_get(params, RC_STR("custom_llm_provider")));
    const size_t slash = rc_str_find_byte(text, '/', 0);
    *ret_model = text;
    if (custom.len > 0) {
        if (slash != RC_STR_NPOS && rc_str_eq(rc_str_slice(text, 0, slash), custom))
            *ret_model = rc_str_slice(text, slash + 1, text.len);
        return kind_by_prefix(in, node, custom);
    }
    if (slash == RC_STR_NPOS)
        return rc_config_kind_find(rc_str_starts_with(text, RC_STR("claude")) ? RC_STR("anthropic")
                                                                              : RC_STR("openai"));
    *ret_model = rc_str_slice(text, slash + 1, text.len);
    return kind_by_prefix(in, node, rc_str_slice(text, 0, slash));
}

/* ---- where ---- */

static rc_str with_v1(rc_litellm *in, rc_str base)
{
    char room[RC_CONFIG_TEXT_MAX + 8];
    rc_buf text;
    rc_buf_init_fixed(&text, room, sizeof room);
    rc_buf_push(&text, base);
    rc_buf_push(&text, RC_STR("/v1"));
    return rc_arena_dup(&in->arena, rc_buf_get(&text));
}

/* LiteLLM wants Anthropic's and Gemini's addresses with or without a version, Ollama's without. */
static rc_str fitted(rc_litellm *in, const rc_config_kind *kind, rc_str base)
{
    while (rc_str_ends_with(base, RC_STR("/")))
        base.len--;
    const bool has_v1 = rc_str_ends_with(base, RC_STR("/v1"));
    if (kind->dialect == RC_DIALECT_ANTHROPIC && has_v1)
        return rc_str_slice(base, 0, base.len - 3);
    if (kind->dialect == RC_DIALECT_GEMINI && rc_str_ends_with(base, RC_STR("/v1beta")))
        return rc_str_slice(base, 0, base.len - 7);
    if (rc_str_eq(rc_str_c(kind->name), RC_STR("ollama")) && !has_v1)
        return with_v1(in, base);
    return base;
}

/* False: nobody could be asked, which is noted. */
static bool read_address(rc_litellm *in, const rc_yaml_node *params, rc_litellm_provider *provider)
{
    const rc_yaml_node *node = rc_yaml_get(params, RC_STR("api_base"));
    if (node == NULL)
        node = rc_yaml_get(params, RC_STR("base_url"));
    const rc_str text = rc_litellm_text(node);
    if (text.len == 0) {
        if (provider->kind->base_url[0] != '\0')
            return true;
        rc_litellm_say(in, params,
                       "this kind has no usual address, and api_base is missing; left "
                       "out");
        return false;
    }
    if (rc_str_starts_with(text, RC_STR("os.environ/"))) {
        rc_litellm_say(in, node, "an address is written out in our file; left out");
        return false;
    }
    provider->base_url = fitted(in, provider->kind, text);
    provider->is_insecure = rc_config_url_check(provider->base_url, false) != NULL &&
                            rc_config_url_check(provider->base_url, true) == NULL;
    const char *wrong = rc_config_url_check(provider->base_url, true);
    if (wrong == NULL && text.len > RC_CONFIG_TEXT_MAX - 8)
        wrong = "too long";
    if (wrong == NULL && !rc_scrub_is_clean(provider->base_url))
        wrong = "a secret seems to stand in the address";
    if (wrong != NULL) {
        rc_litellm_add(rc_litellm_add(rc_litellm_say(in, node, "left out: "), wrong), "");
        return false;
    }
    if (provider->is_insecure)
        rc_litellm_say(in, node,
                       "plain http:// to another machine: insecure: true was written; "
                       "keys go over the network in the open");
    /* Somebody else's server in OpenAI's place. */
    if (rc_str_eq(rc_str_c(provider->kind->name), RC_STR("openai")) &&
        !rc_str_starts_with(provider->base_url, RC_STR("https://api.openai.com")))
        provider->kind = rc_config_kind_find(RC_STR("openai_compatible"));
    return true;
}

/* ---- whose ---- */

/* Does an entry, also one that is still to come, name the variable itself? */
static bool is_named(const rc_litellm *in, rc_str variable)
{
    static const rc_str prefix = RC_STR_INIT("os.environ/");
    for (const rc_yaml_node *one = in->models->first; one != NULL; one = one->next) {
        const rc_yaml_node *params = rc_yaml_get(one, RC_STR("litellm_params"));
        const rc_str key = rc_litellm_text(rc_yaml_get(params, RC_STR("api_key")));
        if (rc_str_starts_with(key, prefix) &&
            rc_str_eq(rc_str_slice(key, prefix.len, key.len), variable))
            return true;
    }
    return false;
}

/* Does an entry of the kind leave its key out, and so mean the usual variable? One that names no
 * kind may. */
static bool has_keyless(const rc_litellm *in, const rc_config_kind *kind)
{
    const rc_str name = rc_str_c(kind->name);
    for (const rc_yaml_node *one = in->models->first; one != NULL; one = one->next) {
        const rc_yaml_node *params = rc_yaml_get(one, RC_STR("litellm_params"));
        const rc_str model = rc_litellm_text(rc_yaml_get(params, RC_STR("model")));
        const bool has_neither = rc_yaml_get(params, RC_STR("api_key")) == NULL &&
                                 rc_yaml_get(params, RC_STR("api_base")) == NULL;
        const size_t slash = rc_str_find_byte(model, '/', 0);
        if (has_neither && (slash == RC_STR_NPOS || rc_str_eq(rc_str_slice(model, 0, slash), name)))
            return true;
    }
    return false;
}

/* key: "env:NAME". */
static bool is_key_taken(const rc_litellm *in, rc_str key)
{
    for (const rc_litellm_provider *p = in->providers; p != NULL; p = p->next)
        if (rc_str_eq(p->key, key))
            return true;
    return is_named(in, rc_str_slice(key, 4, key.len));
}

/* "env:OPENAI_API_KEY", "env:OPENAI_API_KEY_2": one for each literal key. */
static rc_str new_variable(rc_litellm *in, const rc_config_kind *kind)
{
    char room[NAME_MAX_BYTES];
    rc_buf name;
    const rc_str usual = rc_str_c(kind->key_names);
    for (uint64_t number = has_keyless(in, kind) ? 2 : 1;; number++) {
        rc_buf_init_fixed(&name, room, sizeof room);
        rc_buf_push(&name, RC_STR("env:"));
        if (usual.len > 0) {
            rc_buf_push(&name, rc_str_slice(usual, 0, rc_str_find_byte(usual, ' ', 0)));
        } else {
            for (const char *at = kind->name; *at != '\0'; at++)
                rc_buf_push_byte(&name, *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at);
            rc_buf_push(&name, RC_STR("_API_KEY"));
        }
        if (number > 1) {
            rc_buf_push_byte(&name, '_');
            rc_buf_push_u64(&name, number);
        }
        if (!is_key_taken(in, rc_buf_get(&name)))
            return rc_arena_dup(&in->arena, rc_buf_get(&name));
    }
}

static void note_literal(rc_litellm *in, const rc_yaml_node *node, rc_str variable)
{
    rc_litellm_note *note =
        rc_litellm_say(in, node, "a literal key is not copied; put it into the variable ");
    rc_config_text_append(note->text, sizeof note->text, rc_str_slice(variable, 4, variable.len));
}

/* The variable that LiteLLM and we look for when nobody names one. */
static rc_str usual_variable(rc_litellm *in, const rc_litellm_provider *provider)
{
    char room[NAME_MAX_BYTES];
    rc_buf name;
    const rc_str usual = rc_str_c(provider->kind->key_names);
    if (usual.len == 0 || provider->base_url.len > 0)
        return rc_str_make(NULL, 0);
    rc_buf_init_fixed(&name, room, sizeof room);
    rc_buf_push(&name, RC_STR("env:"));
    rc_buf_push(&name, rc_str_slice(usual, 0, rc_str_find_byte(usual, ' ', 0)));
    return rc_arena_dup(&in->arena, rc_buf_get(&name));
}

static void read_key(rc_litellm *in, const rc_yaml_node *params, rc_litellm_provider *provider)
{
    const rc_yaml_node *node = rc_yaml_get(params, RC_STR("api_key"));
    const rc_str text = rc_litellm_text(node);
    if (text.len == 0) {
        provider->key = usual_variable(in, provider);
        return;
    }
    if (rc_litellm_variable(in, text, &provider->key))
        return;
    provider->literal = text;
    for (const rc_litellm_provider *p = in->providers; p != NULL; p = p->next)
        if (rc_str_eq(p->literal, text))
            provider->key = p->key;
    if (provider->key.len == 0)
        provider->key = new_variable(in, provider->kind);
    note_literal(in, node, provider->key);
}

/* ---- providers ---- */

static bool is_name_taken(const rc_litellm *in, rc_str name)
{
    for (const rc_litellm_provider *p = in->providers; p != NULL; p = p->next)
        if (rc_str_eq(p->name, name))
            return true;
    return false;
}

static rc_str new_name(rc_litellm *in, const char *kind)
{
    char room[NAME_MAX_BYTES];
    rc_buf name;
    for (uint64_t number = 1;; number++) {
        rc_buf_init_fixed(&name, room, sizeof room);
        rc_buf_push(&name, rc_str_c(kind));
        if (number > 1) {
            rc_buf_push_byte(&name, '-');
            rc_buf_push_u64(&name, number);
        }
        if (!is_name_taken(in, rc_buf_get(&name)))
            return rc_arena_dup(&in->arena, rc_buf_get(&name));
    }
}

static rc_litellm_provider *keep_provider(rc_litellm *in, const rc_litellm_provider *wanted)
{
    for (rc_litellm_provider *p = in->providers; p != NULL; p = p->next)
        if (p->kind == wanted->kind && rc_str_eq(p->base_url, wanted->base_url) &&
            rc_str_eq(p->key, wanted->key))
            return p;
    rc_litellm_provider *provider = rc_arena_get(&in->arena, sizeof *provider);
    if (provider == NULL)
        return NULL;
    *provider = *wanted;
    provider->name = new_name(in, wanted->kind->name);
    if (in->last_provider != NULL)
        in->last_provider->next = provider;
    else
        in->providers = provider;
    in->last_provider = provider;
    return provider;
}

/* ---- an entry ---- */

static void note_params(rc_litellm *in, const rc_yaml_node *params)
{
    static const struct {
        const char *key;
        const char *why; /* NULL: it is carried over */
    } known[] = {
        {"model", NULL},
        {"api_base", NULL},
        {"base_url", NULL},
        {"api_key", NULL},
        {"timeout", NULL},
        {"stream_timeout", NULL},
        {"custom_llm_provider", NULL},
        {"rpm",
         "requests are not counted ahead of the provider; its limits are waited out as told"},
        {"tpm", "tokens are not counted ahead of the provider; its limits are waited out as told"},
        {"weight", "we fail over in order and do not balance"},
        {"order", "the order of the list is the order of the chain"},
        {"max_parallel_requests", "max_in_flight of the provider comes closest; not set"},
        {"max_retries", "tries belong to the route's policy"},
        {"num_retries", "tries belong to the route's policy"},
    };
    for (const rc_yaml_node *node = params->first; node != NULL; node = node->next) {
        const char *why = "no counterpart: requests are passed on as they come";
        for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
            if (rc_str_eq(node->key, rc_str_c(known[i].key)))
                why = known[i].why;
        if (why != NULL)
            rc_litellm_say(in, node, why);
    }
}

static void read_timeouts(rc_litellm *in, const rc_yaml_node *params, rc_litellm_deployment *made)
{
    const rc_yaml_node *timeout = rc_yaml_get(params, RC_STR("timeout"));
    const rc_yaml_node *stream = rc_yaml_get(params, RC_STR("stream_timeout"));
    if (timeout != NULL)
        (void)rc_litellm_seconds(in, timeout, &made->timeout_ms);
    if (stream != NULL)
        (void)rc_litellm_seconds(in, stream, &made->stream_timeout_ms);
}

/* Is it a name that a target may have? */
static bool is_usable(rc_str text)
{
    return text.len > 0 && text.len <= NAME_MAX_BYTES && rc_scrub_is_clean(text);
}

static void read_entry(rc_litellm *in, const rc_yaml_node *entry)
{
    const rc_yaml_node *params = rc_yaml_get(entry, RC_STR("litellm_params"));
    const rc_yaml_node *model = rc_yaml_get(params, RC_STR("model"));
    rc_litellm_deployment made = {
        .node = entry, .group = rc_litellm_text(rc_yaml_get(entry, RC_STR("model_name")))};
    rc_litellm_provider wanted = {.kind = NULL};
    if (params == NULL || params->kind != RC_YAML_MAP || rc_litellm_text(model).len == 0 ||
        !is_usable(made.group)) {
        rc_litellm_say(in, entry, "model_name and litellm_params.model are expected; left out");
        return;
    }
    wanted.kind = split_model(in, model, params, &made.model);
    if (wanted.kind == NULL)
        return;
    if (!is_usable(made.model)) {
        rc_litellm_say(in, model, "no name of a model; left out");
        return;
    }
    if (!read_address(in, params, &wanted))
        return;
    read_key(in, params, &wanted);
    read_timeouts(in, params, &made);
    note_params(in, params);
    for (const rc_yaml_node *node = entry->first; node != NULL; node = node->next)
        if (!rc_str_eq(node->key, RC_STR("model_name")) &&
            !rc_str_eq(node->key, RC_STR("litellm_params")))
            rc_litellm_say(in, node, "no counterpart");
    made.provider = keep_provider(in, &wanted);
    if (made.provider != NULL)
        in->deployments[in->deployment_count++] = made;
}

void rc_litellm_read_models(rc_litellm *in, const rc_yaml_node *list)
{
    in->models = list;
    in->deployments =
        rc_arena_get_array(&in->arena, list->count + (size_t)1, sizeof *in->deployments);
    for (const rc_yaml_node *entry = list->first; entry != NULL && in->deployments != NULL;
         entry = entry->next)
        read_entry(in, entry);
}
