/* Maps LiteLLM's provider prefixes and model names to kinds of providers. Called by model.c and
 * account.c. */
#include "config/config.h"
#include "config/litellm/private.h"

#define NO_AZURE "this version does not support Azure's paths and API versions; left out"
#define NO_AWS "this version does not sign requests to AWS; left out"
#define NO_GOOGLE "this version does not support Google's service accounts; left out"

/* Initialise the key variables of a prefix. These macros are needed if the prefix's kind has no key
 * variable of its own. USES names the variable with the default key, MAY_USE a variable whose value
 * LiteLLM uses if the variable is set. */
#define USES(variable) variable, NULL
#define MAY_USE(variable) NULL, variable

/* LiteLLM's provider prefixes. The columns are the name, the kind, the key variables, and the
 * reason if the provider is not supported. */

static const rc_litellm_prefix prefixes[] = {
    {"openai", "openai", NULL, NULL, NULL},
    {"text-completion-openai", "openai", NULL, NULL, NULL},
    {"anthropic", "anthropic", NULL, NULL, NULL},
    {"gemini", "gemini", NULL, NULL, NULL},
    {"openrouter", "openrouter", NULL, NULL, NULL},
    {"mistral", "mistral", NULL, NULL, NULL},
    {"groq", "groq", NULL, NULL, NULL},
    {"deepseek", "deepseek", NULL, NULL, NULL},
    {"xai", "xai", NULL, NULL, NULL},
    {"together_ai", "together", NULL, NULL, NULL},
    {"fireworks_ai", "fireworks", NULL, NULL, NULL},
    {"cerebras", "cerebras", NULL, NULL, NULL},
    {"perplexity", "perplexity", NULL, NULL, NULL},
    {"ollama", "ollama", NULL, NULL, NULL},
    {"ollama_chat", "ollama", NULL, NULL, NULL},
    {"lm_studio", "lmstudio", NULL, NULL, NULL},
    {"hosted_vllm", "vllm", MAY_USE("HOSTED_VLLM_API_KEY"), NULL},
    {"vllm", "vllm", NULL, NULL, NULL},
    {"llamafile", "llamacpp", NULL, NULL, NULL},
    {"openai_like", "openai_compatible", MAY_USE("OPENAI_LIKE_API_KEY"), NULL},
    {"custom_openai", "openai_compatible", USES("OPENAI_API_KEY"), NULL},
    {"litellm_proxy", "openai_compatible", USES("LITELLM_PROXY_API_KEY"), NULL},
    {"moonshot", "moonshot", NULL, NULL, NULL},
    {"zai", "zai", NULL, NULL, NULL},
    {"dashscope", "dashscope", NULL, NULL, NULL},
    {"minimax", "minimax", NULL, NULL, NULL},
    {"nvidia_nim", "nvidia_nim", NULL, NULL, NULL},
    {"deepinfra", "deepinfra", NULL, NULL, NULL},
    {"huggingface", "huggingface", NULL, NULL, NULL},
    {"sambanova", "sambanova", NULL, NULL, NULL},
    {"novita", "novita", NULL, NULL, NULL},
    {"hyperbolic", "hyperbolic", NULL, NULL, NULL},
    {"nebius", "nebius", NULL, NULL, NULL},
    {"baseten", "baseten", NULL, NULL, NULL},
    {"databricks", "databricks", NULL, NULL, NULL},
    {"vercel_ai_gateway", "vercel_ai_gateway", NULL, NULL, NULL},
    {"lambda_ai", "lambda_ai", NULL, NULL, NULL},
    {"nscale", "nscale", NULL, NULL, NULL},
    {"featherless_ai", "featherless_ai", NULL, NULL, NULL},
    {"friendliai", "friendliai", NULL, NULL, NULL},
    {"ovhcloud", "ovhcloud", NULL, NULL, NULL},
    {"scaleway", "scaleway", NULL, NULL, NULL},
    {"wandb", "wandb", NULL, NULL, NULL},
    {"volcengine", "volcengine", NULL, NULL, NULL},
    {"ai21", "ai21", NULL, NULL, NULL},
    {"meta_llama", "meta_llama", NULL, NULL, NULL},
    {"codestral", "codestral", NULL, NULL, NULL},
    {"github", "github", NULL, NULL, NULL},
    {"modelscope", "modelscope", NULL, NULL, NULL},
    {"v0", "v0", NULL, NULL, NULL},
    {"morph", "morph", NULL, NULL, NULL},
    {"inception", "inception", NULL, NULL, NULL},
    {"aiml", "aiml", NULL, NULL, NULL},
    {"aihubmix", "aihubmix", NULL, NULL, NULL},
    {"kyma", "kyma", NULL, NULL, NULL},
    {"crusoe", "crusoe", NULL, NULL, NULL},
    {"gmi", "gmi", NULL, NULL, NULL},
    {"parasail", "parasail", NULL, NULL, NULL},
    {"publicai", "publicai", NULL, NULL, NULL},
    {"poe", "poe", NULL, NULL, NULL},
    {"chutes", "chutes", NULL, NULL, NULL},
    {"veniceai", "veniceai", NULL, NULL, NULL},
    {"cometapi", "cometapi", NULL, NULL, NULL},
    {"compactifai", "compactifai", NULL, NULL, NULL},
    {"llamagate", "llamagate", NULL, NULL, NULL},
    {"tencent", "tencent", NULL, NULL, NULL},
    {"xiaomi_mimo", "xiaomi_mimo", NULL, NULL, NULL},
    {"inferenceapis", "inferenceapis", NULL, NULL, NULL},
    {"bigmodel", "zhipu", NULL, NULL, NULL},
    {"ai21_chat", "ai21", NULL, NULL, NULL},
    {"text-completion-codestral", "codestral", NULL, NULL, NULL},
    {"text-completion-inception", "inception", NULL, NULL, NULL},
    {"azure", NULL, NULL, NULL, NO_AZURE},
    {"azure_ai", NULL, NULL, NULL, NO_AZURE},
    {"azure_text", NULL, NULL, NULL, NO_AZURE},
    {"bedrock", NULL, NULL, NULL, NO_AWS},
    {"bedrock_converse", NULL, NULL, NULL, NO_AWS},
    {"sagemaker", NULL, NULL, NULL, NO_AWS},
    {"sagemaker_chat", NULL, NULL, NULL, NO_AWS},
    {"vertex_ai", NULL, NULL, NULL, NO_GOOGLE},
    {"vertex_ai_beta", NULL, NULL, NULL, NO_GOOGLE},
};

/* Patterns of model names for which LiteLLM knows the provider without a prefix. LiteLLM assigns
 * Gemini's names, and further embedding models, to Vertex. */
static const rc_litellm_family families[] = {
    {"gpt-*", "openai"},
    {"chatgpt-*", "openai"},
    {"o1*", "openai"},
    {"o3*", "openai"},
    {"o4*", "openai"},
    {"codex-*", "openai"},
    {"computer-use-*", "openai"},
    {"ft:gpt-*", "openai"},
    {"ft:o4-*", "openai"},
    {"text-embedding-3-*", "openai"},
    {"dall-e-*", "openai"},
    {"text-embedding-ada-*", "openai"},
    {"tts-1*", "openai"},
    {"text-moderation-*", "openai"},
    {"whisper-1", "openai"},
    {"omni-moderation-*", "openai"},
    {"sora-*", "openai"},
    {"babbage-002", "openai"},
    {"davinci-002", "openai"},
    {"claude-*", "anthropic"},
};

const rc_litellm_family *rc_litellm_family_at(size_t index)
{
    return index < RC_LITELLM_FAMILIES ? &families[index] : NULL;
}

_Static_assert(sizeof families / sizeof families[0] == RC_LITELLM_FAMILIES, "one for each");

const rc_litellm_family *rc_litellm_family_of(rc_str model)
{
    for (size_t i = 0; i < RC_LITELLM_FAMILIES; i++)
        if (rc_glob_matches(rc_str_c(families[i].pattern), model))
            return &families[i];
    return NULL;
}

static const rc_litellm_prefix *find(rc_str name)
{
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (rc_str_eq(name, rc_str_c(prefixes[i].name)))
            return &prefixes[i];
    return NULL;
}

/* Returns the provider that the entry names, or the empty string. *ret_model is the entry's model
 * name without the provider's prefix. */
static rc_str named(const rc_yaml_node *params, rc_str *ret_model)
{
    const rc_str text = rc_litellm_text(rc_yaml_get(params, RC_STR("model")));
    const rc_str custom = rc_litellm_text(rc_yaml_get(params, RC_STR("custom_llm_provider")));
    const size_t slash = rc_str_find_byte(text, '/', 0);
    const rc_str head = slash != RC_STR_NPOS ? rc_str_slice(text, 0, slash) : rc_str_make(NULL, 0);
    const bool is_cut = head.len > 0 && (custom.len == 0 || rc_str_eq(head, custom));
    *ret_model = is_cut ? rc_str_slice(text, slash + 1, text.len) : text;
    return custom.len > 0 ? custom : head;
}

const rc_litellm_prefix *rc_litellm_prefix_of(const rc_yaml_node *params, rc_str *ret_model)
{
    const rc_str name = named(params, ret_model);
    if (name.len > 0)
        return find(name);
    const rc_litellm_family *family = rc_litellm_family_of(*ret_model);
    return family != NULL ? find(rc_str_c(family->kind)) : NULL;
}

void rc_litellm_note_unsupported(rc_litellm *in, const rc_yaml_node *params)
{
    rc_str model;
    const rc_str name = named(params, &model);
    const rc_yaml_node *node = rc_yaml_get(params, RC_STR("model"));
    const rc_litellm_prefix *prefix = find(name);
    if (prefix != NULL)
        rc_litellm_notes_add(in, node, prefix->why);
    else if (name.len > 0)
        rc_litellm_note_append_quoted(
            rc_litellm_notes_add(in, node, "left out; Recourse has no kind of provider for "),
            name);
    else if (rc_str_starts_with(model, RC_STR("gemini")))
        rc_litellm_notes_add(in, node,
                             "left out: without the prefix gemini/, LiteLLM sends this model to "
                             "Vertex, and this version does not support Google's service accounts");
    else
        rc_litellm_notes_add(in, node,
                             "left out: the name has no provider and is not a known model of "
                             "OpenAI or Anthropic; add the prefix PROVIDER/");
}
