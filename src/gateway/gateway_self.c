/* Makes the gateway's name for the Via header, and rejects providers whose base URL leads to one of
 * the gateway's own listeners. Called by gateway.c and src/cli/serve/run.c. */
#include "base/str.h"
#include "gateway/gateway_private.h"
#include "sys/entropy.h"

void rc_gateway_name_hop(rc_gateway *gateway)
{
    rc_hub *hub = &gateway->hub;
    uint8_t entropy[RC_HOP_ENTROPY_BYTES];
    if (!rc_entropy_get(gateway->settings.calls, entropy, sizeof entropy)) {
        const uint64_t number = uv_hrtime() ^ (uint64_t)(uintptr_t)gateway;
        memcpy(entropy, &number, sizeof entropy);
    }
    rc_hop_write(entropy, hub->hop);
    hub->hop_len = RC_HOP_LEN;
}

static void add(rc_load_error *error, const char *text)
{
    rc_load_error_add(error, rc_str_c(text));
}

static void describe_variable(rc_load_error *error, const rc_config_provider *provider,
                              const rc_origin *origin)
{
    const char *variable = provider->kind->base_url_name;
    add(error, variable);
    add(error, " is the address of this gateway, ");
    rc_load_error_add(error, rc_origin_authority(origin));
    add(error, ": requests would come back to the gateway. Without a configuration file, the "
               "gateway takes the provider's address from this variable. Start it with env -u ");
    add(error, variable);
    add(error, " recourse serve, and set the variable only for the client");
}

static void describe_key(rc_load_error *error, const rc_config_provider *provider,
                         const rc_origin *origin)
{
    add(error, "providers.");
    rc_load_error_add(error, provider->name);
    add(error, ".base_url is the address of this gateway, ");
    rc_load_error_add(error, rc_origin_authority(origin));
    add(error, ": requests would come back to the gateway. Set base_url to the provider's own "
               "address, or change `listen`");
}

bool rc_gateway_check_input(const rc_gateway *gateway, const rc_snapshot_input *input,
                            rc_load_error *ret_error)
{
    const rc_config *config = input->config;
    const rc_config_kind *demo = rc_config_kind_find(RC_STR("demo"));
    rc_machine machine;
    rc_origin origin;
    if (gateway->listeners.count == 0)
        return true;
    rc_machine_read(&machine);
    for (size_t i = 0; i < config->provider_count; i++) {
        const rc_config_provider *provider = &config->providers[i];
        const rc_origin_options any = {.insecure = true, .allow_private = true};
        if (provider->kind == demo || rc_origin_parse(provider->base_url, any, &origin) != NULL ||
            !rc_listen_set_has_origin(&gateway->listeners, &machine, &origin))
            continue;
        *ret_error = (rc_load_error){0};
        if (input->is_environment)
            describe_variable(ret_error, provider, &origin);
        else
            describe_key(ret_error, provider, &origin);
        return false;
    }
    return true;
}

bool rc_gateway_check_addresses(rc_gateway *gateway, rc_load_error *ret_error)
{
    return rc_gateway_check_input(gateway, &gateway->hub.snapshot->input, ret_error);
}
