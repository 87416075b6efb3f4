/* Finds the target of a model name and the dialect of its providers. Called by
 * client_call_request.c and `recourse call` (cli/call/target.c). */
#include "client/target.h"

#include <string.h>

#include "config/kind.h"
#include "gateway/request/model.h"

bool rc_target_choice_find(const rc_config *config, rc_str model, rc_target_choice *ret_choice)
{
    rc_target_choice choice = {.config = config};
    rc_str provider;
    rc_str rest;
    if (rc_model_name_split(model, &provider, &rest))
        choice.provider = rc_config_provider_find(config, provider);
    if (choice.provider == NULL)
        choice.route = rc_config_route_find(config, model);
    if (choice.provider == NULL && choice.route == NULL)
        return false;
    *ret_choice = choice;
    return true;
}

bool rc_target_choice_has(const rc_target_choice *choice, const rc_config_provider *provider)
{
    const rc_config_route *route = choice->route;
    const size_t index = (size_t)(provider - choice->config->providers);
    if (route == NULL)
        return provider == choice->provider;
    for (size_t i = 0; i < route->chain_count; i++)
        if (route->chain[i].provider == index)
            return true;
    return route->has_overflow_to && route->overflow_to.provider == index;
}

/* Returns whether the provider rejects the fields max_completion_tokens and stream_options. Such
 * providers send the token usage of a stream without stream_options. */
static bool is_strict(const rc_config_kind *kind)
{
    return strcmp(kind->name, "mistral") == 0 || strcmp(kind->name, "perplexity") == 0;
}

void rc_target_choice_adapt(const rc_target_choice *choice, rc_dialect *dialect, rc_prompt *prompt)
{
    const rc_config *config = choice->config;
    rc_dialect common = (rc_dialect)0;
    bool is_mixed = false;
    bool has_openai = false;
    bool has_strict = false;
    for (size_t i = 0; i < config->provider_count; i++) {
        const rc_config_kind *kind = config->providers[i].kind;
        if (!rc_target_choice_has(choice, &config->providers[i]) || strcmp(kind->name, "demo") == 0)
            continue;
        is_mixed = is_mixed || (common != 0 && common != kind->dialect);
        common = kind->dialect;
        has_openai = has_openai || strcmp(kind->name, "openai") == 0;
        has_strict = has_strict || is_strict(kind);
    }
    if (*dialect == 0)
        *dialect = is_mixed || common == 0 ? RC_DIALECT_OPENAI_CHAT : common;
    prompt->has_completion_limit = has_openai && !has_strict;
    prompt->wants_usage = !has_strict;
}
