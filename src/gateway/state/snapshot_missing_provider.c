/* Writes the advice for a model whose provider is not configured. Called by exchange_request.c. */
#include "base/str.h"
#include "gateway/request/model.h"
#include "gateway/state/snapshot.h"

/* Name prefixes of the models of well-known providers. */
static const struct {
    rc_str beginning;
    rc_str kind;
} known[] = {
    {RC_STR_INIT("gpt-"), RC_STR_INIT("openai")},
    {RC_STR_INIT("chatgpt-"), RC_STR_INIT("openai")},
    {RC_STR_INIT("o1"), RC_STR_INIT("openai")},
    {RC_STR_INIT("o3"), RC_STR_INIT("openai")},
    {RC_STR_INIT("o4"), RC_STR_INIT("openai")},
    {RC_STR_INIT("claude"), RC_STR_INIT("anthropic")},
    {RC_STR_INIT("gemini"), RC_STR_INIT("gemini")},
};

static const rc_config_kind *kind_of(rc_str model)
{
    rc_str provider;
    rc_str rest;
    if (rc_model_name_split(model, &provider, &rest))
        return rc_config_kind_find(provider);
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (rc_str_starts_with(model, known[i].beginning))
            return rc_config_kind_find(known[i].kind);
    return NULL;
}

static bool is_configured(const rc_snapshot *snapshot, const rc_config_kind *kind)
{
    for (size_t i = 0; i < snapshot->config->provider_count; i++)
        if (snapshot->config->providers[i].kind == kind)
            return true;
    return false;
}

/* Whether the operator wants this route to serve the model. A route whose pattern is not "*" is
 * intended, even if it leads to the demo provider. */
static bool is_served(const rc_route *route)
{
    if (route != NULL && !rc_str_eq(route->name, RC_STR("*")))
        return true;
    for (uint16_t i = 0; route != NULL && i < route->plan.entry_count; i++)
        if (!route->entries[i].provider->is_demo)
            return true;
    return false;
}

bool rc_snapshot_explain_missing_provider(const rc_snapshot *snapshot, const rc_route *route,
                                          rc_str model, rc_buf *text)
{
    const rc_config_kind *kind = is_served(route) ? NULL : kind_of(model);
    if (kind == NULL || kind->key_names[0] == '\0' || is_configured(snapshot, kind))
        return false;
    const rc_str names = rc_str_c(kind->key_names);
    rc_buf_push(text, RC_STR("No API key for provider "));
    rc_buf_push(text, rc_str_c(kind->name));
    rc_buf_push(text, RC_STR(": set "));
    rc_buf_push(text, rc_str_slice(names, 0, rc_str_find_byte(names, ' ', 0)));
    rc_buf_push(text, RC_STR(" or add providers."));
    rc_buf_push(text, rc_str_c(kind->name));
    rc_buf_push(text, RC_STR(".keys in recourse.yaml."));
    return rc_buf_status(text) == RC_OK;
}
