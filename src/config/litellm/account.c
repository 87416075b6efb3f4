/* Converts kinds, addresses and keys of LiteLLM entries to providers. Called by model.c. */
#include "config/config.h"
#include "config/litellm/private.h"
#include "config/reader.h"
#include "scrub/scrub.h"

#define NAME_MAX_BYTES 512

/* ---- parameters ---- */

static const rc_yaml_node *credential_of(const rc_litellm *in, rc_str name)
{
    if (in->credentials == NULL || name.len == 0)
        return NULL;
    for (const rc_yaml_node *one = in->credentials->first; one != NULL; one = one->next)
        if (rc_str_eq(rc_litellm_text(rc_yaml_get(one, RC_STR("credential_name"))), name))
            return one;
    return NULL;
}

const rc_yaml_node *rc_litellm_param(const rc_litellm *in, const rc_yaml_node *params,
                                     const char *key)
{
    const rc_yaml_node *node = rc_yaml_get(params, rc_str_c(key));
    /* An empty value counts as a missing key, so that the value of the named credential applies. */
    if (node != NULL && node->kind != RC_YAML_NULL)
        return node;
    const rc_str name = rc_litellm_text(rc_yaml_get(params, RC_STR("litellm_credential_name")));
    const rc_yaml_node *one = credential_of(in, name);
    return rc_yaml_get(rc_yaml_get(one, RC_STR("credential_values")), rc_str_c(key));
}

/* Returns whether address and key are texts and the credential that the entry names exists; if not,
 * adds a note. */
static bool has_texts(rc_litellm *in, const rc_yaml_node *params)
{
    static const char *const keys[] = {"api_base", "base_url", "api_key"};
    const rc_yaml_node *name = rc_yaml_get(params, RC_STR("litellm_credential_name"));
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const rc_yaml_node *node = rc_litellm_param(in, params, keys[i]);
        if (node == NULL || node->kind == RC_YAML_SCALAR || node->kind == RC_YAML_NULL)
            continue;
        rc_litellm_notes_add(in, node, "text is expected; the entry is left out");
        return false;
    }
    if (name == NULL || credential_of(in, rc_litellm_text(name)) != NULL)
        return true;
    rc_litellm_notes_add(in, name,
                         "credential_list does not have this credential; the entry is left out");
    return false;
}

/* ---- addresses ---- */

static rc_str with_v1(rc_litellm *in, rc_str base)
{
    char scratch[RC_CONFIG_TEXT_MAX + 8];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push(&text, base);
    rc_buf_push(&text, RC_STR("/v1"));
    return rc_arena_dup(&in->arena, rc_buf_get(&text));
}

/* Converts an address of LiteLLM into a base_url of recourse.yaml. For Anthropic and Gemini,
 * LiteLLM accepts addresses with or without a version, and recourse expects none. For Ollama,
 * LiteLLM expects no version, and recourse expects /v1. */
static rc_str adapted_address(rc_litellm *in, const rc_config_kind *kind, rc_str base)
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

/* Returns "env:NAME" for a variable; the text is in the arena. */
static rc_str as_reference(rc_litellm *in, rc_str variable)
{
    char scratch[NAME_MAX_BYTES];
    rc_buf name;
    rc_buf_init_fixed(&name, scratch, sizeof scratch);
    rc_buf_push(&name, RC_STR("env:"));
    rc_buf_push(&name, variable);
    return rc_arena_dup(&in->arena, rc_buf_get(&name));
}

/* Uses a variable as the address. Adds a note that states the form that recourse requires, because
 * the import does not read the variable. */
static bool read_variable(rc_litellm *in, const rc_yaml_node *node, rc_str text,
                          rc_litellm_provider *provider)
{
    if (!rc_litellm_variable(in, text, &provider->base_url)) {
        rc_litellm_notes_add(in, node,
                             "left out: os.environ/ is not followed by the name of a variable");
        return false;
    }
    if (rc_str_eq(rc_str_c(provider->kind->name), RC_STR("openai")))
        provider->kind = rc_config_kind_find(RC_STR("openai_compatible"));
    rc_litellm_notes_add(in, node,
                         provider->kind->dialect == RC_DIALECT_OPENAI_CHAT
                             ? "the gateway reads the variable when it starts. The address in the "
                               "variable must end in /v1; "
                               "plain http:// to another machine needs insecure: true"
                             : "the gateway reads the variable when it starts. The address in the "
                               "variable must have no version; plain http:// to another machine "
                               "needs insecure: true");
    return true;
}

/* Reads the address of a provider. Returns false, after adding a note, if the address cannot be
 * used. */
static bool read_address(rc_litellm *in, const rc_yaml_node *params, rc_litellm_provider *provider)
{
    const rc_yaml_node *base = rc_litellm_param(in, params, "api_base");
    const rc_yaml_node *over = rc_litellm_param(in, params, "base_url");
    const rc_yaml_node *node = rc_litellm_text(over).len > 0 ? over : base;
    const rc_str text = rc_litellm_text(node);
    if (node == over && rc_litellm_text(base).len > 0)
        rc_litellm_notes_add(in, base, "base_url sets the same value and is used");
    if (text.len == 0) {
        if (provider->kind->base_url[0] != '\0')
            return true;
        if (provider->kind->base_url_name[0] != '\0') {
            provider->base_url = as_reference(in, rc_str_c(provider->kind->base_url_name));
            return true;
        }
        rc_litellm_notes_add(
            in, params, "left out: no api_base, and this kind of provider has no default address");
        return false;
    }
    if (rc_str_starts_with(text, RC_STR("os.environ/")))
        return read_variable(in, node, text, provider);
    provider->base_url = adapted_address(in, provider->kind, text);
    provider->is_insecure = rc_config_url_check(provider->base_url, false) != NULL &&
                            rc_config_url_check(provider->base_url, true) == NULL;
    const char *wrong = rc_config_url_check(provider->base_url, true);
    if (wrong == NULL && text.len > RC_CONFIG_TEXT_MAX - 8)
        wrong = "too long";
    if (wrong == NULL && !rc_scrub_is_clean(provider->base_url))
        wrong = "the address seems to contain a secret";
    if (wrong != NULL) {
        rc_litellm_note_append(rc_litellm_notes_add(in, node, "left out: "), wrong);
        return false;
    }
    if (provider->is_insecure)
        rc_litellm_notes_add(in, node,
                             "plain http:// to another machine: insecure: true was added; keys are "
                             "sent unencrypted");
    /* A server other than OpenAI's with OpenAI's API has the kind "openai_compatible". The key of
     * such a server is still the one that LiteLLM would send. */
    if (rc_str_eq(rc_str_c(provider->kind->name), RC_STR("openai")) &&
        !rc_str_eq(provider->base_url, RC_STR("https://api.openai.com")) &&
        !rc_str_starts_with(provider->base_url, RC_STR("https://api.openai.com/")))
        provider->kind = rc_config_kind_find(RC_STR("openai_compatible"));
    return true;
}

/* ---- keys ---- */

/* Returns the variable that LiteLLM reads if an entry has no key, or the empty string. */
static rc_str default_variable(const rc_litellm_prefix *prefix)
{
    if (prefix->variable != NULL)
        return rc_str_c(prefix->variable);
    const rc_config_kind *kind =
        prefix->kind != NULL ? rc_config_kind_find(rc_str_c(prefix->kind)) : NULL;
    const rc_str names = rc_str_c(kind != NULL ? kind->key_names : "");
    return rc_str_slice(names, 0, rc_str_find_byte(names, ' ', 0));
}

static rc_str kind_variable(const char *kind)
{
    const rc_litellm_prefix prefix = {.kind = kind};
    return default_variable(&prefix);
}

static bool is_family_default(rc_str variable)
{
    for (size_t i = 0; rc_litellm_family_at(i) != NULL; i++)
        if (rc_str_eq(kind_variable(rc_litellm_family_at(i)->kind), variable))
            return true;
    return false;
}

/* Returns whether any entry, converted or not, uses the variable, by its name or as the default of
 * its provider. */
static bool is_used(const rc_litellm *in, rc_str variable)
{
    static const rc_str prefix = RC_STR_INIT("os.environ/");
    for (const rc_yaml_node *one = in->models->first; one != NULL; one = one->next) {
        const rc_yaml_node *params = rc_yaml_get(one, RC_STR("litellm_params"));
        const rc_str key = rc_litellm_text(rc_litellm_param(in, params, "api_key"));
        rc_str model;
        const rc_litellm_prefix *model_prefix = rc_litellm_prefix_of(params, &model);
        if (key.len > 0 && rc_str_starts_with(key, prefix) &&
            rc_str_eq(rc_str_slice(key, prefix.len, key.len), variable))
            return true;
        if (key.len == 0 && model_prefix != NULL &&
            rc_str_eq(default_variable(model_prefix), variable))
            return true;
        if (key.len == 0 && model_prefix == NULL && rc_str_eq(model, RC_STR("*")) &&
            is_family_default(variable))
            return true;
    }
    return false;
}

/* Returns whether a provider or an entry already uses the reference "env:NAME". */
static bool is_key_used(const rc_litellm *in, rc_str key)
{
    for (const rc_litellm_provider *p = in->providers; p != NULL; p = p->next)
        if (rc_str_eq(p->key, key))
            return true;
    return is_used(in, rc_str_slice(key, 4, key.len));
}

/* Returns a reference to a new variable for a literal key: "env:OPENAI_API_KEY",
 * "env:OPENAI_API_KEY_2" and so on. */
static rc_str new_variable(rc_litellm *in, const rc_config_kind *kind)
{
    char scratch[NAME_MAX_BYTES];
    rc_buf name;
    const rc_str usual = kind_variable(kind->name);
    uint64_t number = 1;
    /* Earlier providers of this kind with literal keys have used up the lower numbers. */
    for (const rc_litellm_provider *p = in->providers; p != NULL; p = p->next)
        number += p->kind == kind && p->literal.len > 0 ? 1 : 0;
    for (;; number++) {
        rc_buf_init_fixed(&name, scratch, sizeof scratch);
        rc_buf_push(&name, RC_STR("env:"));
        rc_buf_push(&name, usual);
        for (const char *at = kind->name; usual.len == 0 && *at != '\0'; at++)
            rc_buf_push_byte(&name, *at >= 'a' && *at <= 'z' ? (char)(*at - 'a' + 'A') : *at);
        rc_buf_push(&name, usual.len == 0 ? RC_STR("_API_KEY") : RC_STR(""));
        if (number > 1) {
            rc_buf_push_byte(&name, '_');
            rc_buf_push_u64(&name, number);
        }
        if (!is_key_used(in, rc_buf_get(&name)))
            return rc_arena_dup(&in->arena, rc_buf_get(&name));
    }
}

static void note_variable(rc_litellm *in, const rc_yaml_node *node, const char *before,
                          rc_str variable, const char *after)
{
    rc_litellm_note *note = rc_litellm_notes_add(in, node, before);
    rc_config_text_append(note->text, sizeof note->text, variable);
    rc_litellm_note_append(note, after);
}

/* Sets the provider's key if the entry has no key. LiteLLM then sends the default key, even to a
 * custom address. */
static void use_default_key(rc_litellm *in, const rc_litellm_prefix *prefix,
                            const rc_yaml_node *params, rc_litellm_provider *provider)
{
    const rc_str usual = default_variable(prefix);
    if (usual.len > 0)
        provider->key = as_reference(in, usual);
    if (usual.len > 0 && provider->base_url.len > 0)
        note_variable(in, params, "no key is named; as in LiteLLM, the key in the variable ", usual,
                      " is sent to api_base; to use another key, change keys of the provider");
    if (usual.len == 0 && prefix->optional_variable != NULL)
        note_variable(in, params, "no key is named; LiteLLM sends the key in ",
                      rc_str_c(prefix->optional_variable),
                      " if the variable is set; in that case, add it to keys of the provider");
}

static void read_key(rc_litellm *in, const rc_litellm_prefix *prefix, const rc_yaml_node *params,
                     rc_litellm_provider *provider)
{
    const rc_yaml_node *node = rc_litellm_param(in, params, "api_key");
    const rc_str text = rc_litellm_text(node);
    if (text.len == 0) {
        use_default_key(in, prefix, params, provider);
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
    note_variable(in, node, rc_litellm_uncopied_reason(text),
                  rc_str_slice(provider->key, 4, provider->key.len), "");
}

/* ---- providers ---- */

static bool is_name_used(const rc_litellm *in, rc_str name)
{
    for (const rc_litellm_provider *p = in->providers; p != NULL; p = p->next)
        if (rc_str_eq(p->name, name))
            return true;
    return false;
}

static rc_str new_name(rc_litellm *in, const char *kind)
{
    char scratch[NAME_MAX_BYTES];
    rc_buf name;
    for (uint64_t number = 1;; number++) {
        rc_buf_init_fixed(&name, scratch, sizeof scratch);
        rc_buf_push(&name, rc_str_c(kind));
        if (number > 1) {
            rc_buf_push_byte(&name, '-');
            rc_buf_push_u64(&name, number);
        }
        if (!is_name_used(in, rc_buf_get(&name)))
            return rc_arena_dup(&in->arena, rc_buf_get(&name));
    }
}

static rc_litellm_provider *add_provider(rc_litellm *in, const rc_litellm_provider *wanted)
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

rc_litellm_provider *rc_litellm_provider_of(rc_litellm *in, const rc_litellm_prefix *prefix,
                                            const rc_yaml_node *params)
{
    rc_litellm_provider wanted = {.kind = rc_config_kind_find(rc_str_c(prefix->kind))};
    if (!has_texts(in, params) || !read_address(in, params, &wanted))
        return NULL;
    read_key(in, prefix, params, &wanted);
    return add_provider(in, &wanted);
}

rc_litellm_provider *rc_litellm_provider_default(rc_litellm *in, const char *kind)
{
    const rc_litellm_provider wanted = {.kind = rc_config_kind_find(rc_str_c(kind)),
                                        .key = as_reference(in, kind_variable(kind))};
    return add_provider(in, &wanted);
}
