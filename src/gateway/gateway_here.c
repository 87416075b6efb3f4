/* A gateway that is its own provider: refused by the address, before the first request. */
#include "base/str.h"
#include "gateway/gateway_private.h"
#include "sys/entropy.h"

void rc_gateway_name_hop(rc_gateway *gateway)
{
    rc_gate_world *world = &gateway->world;
    uint8_t chance[RC_GATE_HOP_CHANCE];
    if (!rc_entropy_get(gateway->settings.calls, chance, sizeof chance)) {
        const uint64_t number = uv_hrtime() ^ (uint64_t)(uintptr_t)gateway;
        memcpy(chance, &number, sizeof chance);
    }
    rc_gate_hop_write(chance, world->hop);
    world->hop_len = RC_GATE_HOP_LEN;
}

static void add(rc_gate_trouble *trouble, const char *text)
{
    rc_gate_trouble_add(trouble, rc_str_c(text));
}

static void tell_variable(rc_gate_trouble *trouble, const rc_config_provider *provider,
                          const rc_origin *origin)
{
    const char *variable = provider->kind->base_url_name;
    add(trouble, variable);
    add(trouble, " is the address of this gateway itself, ");
    rc_gate_trouble_add(trouble, rc_origin_authority(origin));
    add(trouble, ": its requests would come back to it. Without a configuration file it reads the "
                 "variable as the address of the provider. Start it with env -u ");
    add(trouble, variable);
    add(trouble, " recourse serve, and set the variable for the client alone");
}

static void tell_key(rc_gate_trouble *trouble, const rc_config_provider *provider,
                     const rc_origin *origin)
{
    add(trouble, "providers.");
    rc_gate_trouble_add(trouble, provider->name);
    add(trouble, ".base_url is the address of this gateway itself, ");
    rc_gate_trouble_add(trouble, rc_origin_authority(origin));
    add(trouble, ": its requests would come back to it. Write the provider's own address there, or "
                 "change `listen`");
}

bool rc_gateway_check_given(const rc_gateway *gateway, const rc_gate_given *given,
                            rc_gate_trouble *ret_trouble)
{
    const rc_config *config = given->config;
    const rc_config_kind *demo = rc_config_kind_find(RC_STR("demo"));
    rc_machine machine;
    rc_origin origin;
    if (gateway->here.count == 0)
        return true;
    rc_machine_read(&machine);
    for (size_t i = 0; i < config->provider_count; i++) {
        const rc_config_provider *provider = &config->providers[i];
        const rc_origin_options any = {.insecure = true, .allow_private = true};
        if (provider->kind == demo || rc_origin_parse(provider->base_url, any, &origin) != NULL ||
            !rc_here_is(&gateway->here, &machine, &origin))
            continue;
        *ret_trouble = (rc_gate_trouble){0};
        if (given->is_environment)
            tell_variable(ret_trouble, provider, &origin);
        else
            tell_key(ret_trouble, provider, &origin);
        return false;
    }
    return true;
}

bool rc_gateway_check_addresses(rc_gateway *gateway, rc_gate_trouble *ret_trouble)
{
    return rc_gateway_check_given(gateway, &gateway->world.plans->given, ret_trouble);
}
