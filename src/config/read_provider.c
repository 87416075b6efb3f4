/* Reads the section providers: kinds, addresses, keys, capabilities. Called by config.c,
 * read_route.c, show.c and the gateway's model_list.c. */
#include "base/str.h"
#include "config/interfaces.h"
#include "config/reader.h"

static bool is_provider_name(rc_str name)
{
    for (size_t i = 0; i < name.len; i++)
        if (!rc_ascii_is_alnum(name.ptr[i]) && name.ptr[i] != '_' && name.ptr[i] != '-' &&
            name.ptr[i] != '.')
            return false;
    return name.len > 0 && name.len <= 63;
}

/* ---- capabilities ---- */

static const char *const capability_names[] = {"streaming", "tools", "vision", "structured_output"};

const char *rc_config_capability_at(const void *ctx, size_t index)
{
    (void)ctx;
    return index < sizeof(capability_names) / sizeof(capability_names[0]) ? capability_names[index]
                                                                          : NULL;
}

void rc_config_read_capabilities(rc_config_reader *r, const rc_yaml_node *list,
                                 uint32_t *capabilities)
{
    if (!rc_yaml_expect(list, RC_YAML_LIST, r->faults))
        return;
    uint32_t bits = 0;
    for (const rc_yaml_node *item = list->first; item != NULL; item = item->next) {
        size_t index;
        if (rc_yaml_choice(item, rc_config_capability_at, NULL, r->faults, &index))
            bits |= UINT32_C(1) << index;
    }
    *capabilities = bits;
}

/* ---- keys ---- */

static void read_keys(rc_config_reader *r, const rc_yaml_node *list, rc_config_provider *provider)
{
    if (!rc_yaml_expect(list, RC_YAML_LIST, r->faults))
        return;
    provider->keys = rc_config_array(r, list, sizeof(rc_secret_ref));
    for (const rc_yaml_node *item = list->first; item != NULL; item = item->next) {
        rc_secret_ref ref;
        if (!rc_secret_ref_read(item, "keys", r->faults, &ref) || provider->keys == NULL)
            continue;
        for (size_t i = 0; i < provider->key_count; i++)
            if (provider->keys[i].kind == ref.kind && rc_str_eq(provider->keys[i].name, ref.name))
                rc_config_fault_append(rc_yaml_fault(r->faults, item), "this key appears twice");
        provider->keys[provider->key_count++] = ref;
    }
}

/* Sets the key of a provider for which the file has neither keys nor a base_url. The key is the
 * first key variable of the provider's kind, such as OPENAI_API_KEY. */
static void use_usual_key(rc_config_reader *r, const rc_yaml_node *map,
                          rc_config_provider *provider)
{
    rc_str names = rc_str_c(provider->kind->key_names);
    if (names.len == 0 || rc_yaml_get(map, RC_STR("base_url")) != NULL)
        return;
    rc_str first = rc_str_slice(names, 0, rc_str_find_byte(names, ' ', 0));
    provider->keys = rc_arena_get(&r->config->arena, sizeof(rc_secret_ref));
    if (provider->keys == NULL)
        return;
    provider->keys[0] = (rc_secret_ref){.kind = RC_SECRET_ENV,
                                        .name = rc_arena_dup(&r->config->arena, first),
                                        .line = map->key_line,
                                        .column = map->key_column};
    provider->key_count = 1;
}

/* ---- providers ---- */

static bool read_kind(rc_config_reader *r, const rc_yaml_node *map, rc_config_provider *provider)
{
    const rc_yaml_node *node = rc_yaml_get(map, RC_STR("kind"));
    size_t index;
    if (node != NULL) {
        if (!rc_yaml_choice(node, rc_config_kind_name_at, NULL, r->faults, &index))
            return false;
        provider->kind = rc_config_kind_at(index);
        return true;
    }
    provider->kind = rc_config_kind_find(provider->name);
    if (provider->kind != NULL)
        return true;
    rc_config_fault_append(rc_yaml_fault_at_key(r->faults, map),
                           "kind is missing: the API of the provider");
    return false;
}

static void check_base_url(rc_config_reader *r, const rc_yaml_node *map,
                           rc_config_provider *provider)
{
    const rc_yaml_node *node = rc_yaml_get(map, RC_STR("base_url"));
    bool is_demo = rc_str_eq(rc_str_c(provider->kind->name), RC_STR("demo"));
    if (node == NULL) {
        provider->base_url = rc_str_c(provider->kind->base_url);
        if (provider->base_url.len == 0)
            rc_config_fault_append(rc_yaml_fault_at_key(r->faults, map),
                                   "base_url is missing: this kind has no default address");
        return;
    }
    if (provider->base_url.len == 0)
        return;
    provider->base_url_line = node->line;
    provider->base_url_column = node->column;
    /* load.c checks the address in the variable. */
    if (!is_demo && rc_config_is_variable(provider->base_url))
        return;
    const char *wrong = is_demo ? "the demo provider is part of the gateway and has no address"
                                : rc_config_url_check(provider->base_url, provider->insecure);
    if (wrong != NULL)
        rc_config_fault_append(rc_yaml_fault(r->faults, node), wrong);
    while (rc_str_ends_with(provider->base_url, RC_STR("/")))
        provider->base_url.len--;
}

static void read_provider(rc_config_reader *r, const rc_yaml_node *map,
                          rc_config_provider *provider)
{
    provider->name = map->key;
    provider->capabilities = UINT32_MAX;
    provider->kind = rc_config_kind_at(0);
    rc_config_fill_defaults(RC_SECTION_provider, provider);
    if (!is_provider_name(map->key)) {
        rc_config_fault *fault = rc_yaml_fault_at_key(r->faults, map);
        rc_config_fault_append(fault,
                               "a provider's name can have up to 63 letters, digits, - _ and .");
        fault->is_private = true;
    }
    rc_config_check_keys(RC_SECTION_provider, map, r->faults);
    if (map->kind != RC_YAML_MAP)
        return;
    rc_config_fill(RC_SECTION_provider, map, provider, r->faults);
    const rc_yaml_node *keys = rc_yaml_get(map, RC_STR("keys"));
    const rc_yaml_node *capabilities = rc_yaml_get(map, RC_STR("capabilities"));
    const rc_yaml_node *interfaces = rc_yaml_get(map, RC_STR("interfaces"));
    if (keys != NULL)
        read_keys(r, keys, provider);
    if (capabilities != NULL)
        rc_config_read_capabilities(r, capabilities, &provider->capabilities);
    if (!read_kind(r, map, provider))
        return;
    check_base_url(r, map, provider);
    rc_config_use_kind_interfaces(provider);
    if (interfaces != NULL)
        rc_config_read_interfaces(r, interfaces, provider);
    if (keys == NULL)
        use_usual_key(r, map, provider);
}

void rc_config_read_providers(rc_config_reader *r, const rc_yaml_node *map)
{
    if (!rc_yaml_expect(map, RC_YAML_MAP, r->faults))
        return;
    rc_config_provider *providers = rc_config_array(r, map, sizeof(*providers));
    if (providers == NULL)
        return;
    r->config->providers = providers;
    for (const rc_yaml_node *node = map->first; node != NULL; node = node->next)
        read_provider(r, node, &providers[r->config->provider_count++]);
}
