/* The table of provider kinds, from spec/kinds.def. Called by the configuration readers and the
 * gateway. */
#include "config/kind.h"

#include "classify/providers/provider.h"

static const rc_config_kind kinds[] = {
#define RC_CONFIG_KIND(name, DIALECT, base_url, key_names, base_url_name) \
    {name, RC_DIALECT_##DIALECT, base_url, key_names, base_url_name},
#include "spec/kinds.def"
};

const rc_config_kind *rc_config_kind_at(size_t index)
{
    return index < sizeof(kinds) / sizeof(kinds[0]) ? &kinds[index] : NULL;
}

const char *rc_config_kind_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    const rc_config_kind *kind = rc_config_kind_at(index);
    return kind != NULL ? kind->name : NULL;
}

const rc_config_kind *rc_config_kind_find(rc_str name)
{
    for (size_t i = 0; rc_config_kind_at(i) != NULL; i++)
        if (rc_str_eq(name, rc_str_c(kinds[i].name)))
            return &kinds[i];
    return NULL;
}

rc_str rc_config_kind_provider(const rc_config_kind *kind)
{
    const rc_str name = rc_str_c(kind->name);
    return rc_provider_find(name) != NULL ? name : RC_STR("openai_compatible");
}
