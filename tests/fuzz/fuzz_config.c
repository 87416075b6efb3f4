/* Bytes as a configuration. A refused one has faults; a valid one is printed, and the printed text
 * gives the same configuration. Every policy in it passes the policy check, and every reference is
 * resolved. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <recourse/stdlib.h>

#include "base/utf8.h"
#include "config/show.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define SHOWN_MAX ((size_t)64 << 20)

static void require(bool is_true, const char *what)
{
    if (is_true)
        return;
    fprintf(stderr, "not true: %s\n", what);
    abort();
}

static void check_faults(const rc_config_faults *faults)
{
    for (size_t i = 0; i < rc_config_faults_listed(faults); i++) {
        const rc_config_fault *fault = &faults->list[i];
        require(fault->message[0] != '\0', "a fault says something");
        require(rc_utf8_is_valid(rc_str_c(fault->message)), "in UTF-8");
        require(rc_utf8_is_valid(rc_str_c(fault->path)), "with a path in UTF-8");
    }
}

static void check_config(const rc_config *config)
{
    for (size_t i = 0; i < config->policy_count; i++)
        require(rc_policy_check(&config->policies[i]) == NULL, "a policy is sound");
    for (size_t i = 0; i < config->provider_count; i++) {
        require(config->providers[i].kind != NULL, "a provider has a kind");
        require(config->providers[i].base_url.len > 0, "and an address");
        for (size_t k = 0; k < config->providers[i].key_count; k++)
            require(config->providers[i].keys[k].kind != RC_SECRET_NONE, "keys are references");
    }
    for (size_t i = 0; i < config->route_count; i++) {
        const rc_config_route *route = &config->routes[i];
        require(route->policy != NULL && route->chain_count > 0 && route->model.len > 0,
                "a route has all that it needs");
        for (size_t k = 0; k < route->chain_count; k++)
            require(route->chain[k].provider < config->provider_count, "a target has a provider");
    }
    for (size_t i = 0; i < config->client_count; i++)
        require(config->clients[i].token.kind != RC_SECRET_NONE, "a client's token is a reference");
}

static void check_shown(const rc_config *config, const rc_alloc *alloc)
{
    rc_buf first;
    rc_buf second;
    rc_config again;
    rc_config_faults faults;
    rc_buf_init(&first, alloc, SHOWN_MAX);
    rc_buf_init(&second, alloc, SHOWN_MAX);
    rc_config_faults_init(&faults);
    rc_config_push_yaml(&first, config);
    require(rc_buf_status(&first) == RC_OK, "it can be shown");
    /* The printed configuration may be longer than the maximum size of a file. */
    if (rc_buf_get(&first).len <= RC_YAML_MAX_BYTES) {
        rc_status status = rc_config_parse(&again, rc_buf_get(&first), alloc, &faults);
        if (status != RC_OK)
            fprintf(stderr, "%u:%u: %s: %s\n", faults.list[0].line, faults.list[0].column,
                    faults.list[0].path, faults.list[0].message);
        require(status == RC_OK, "what is shown is good");
        rc_config_push_yaml(&second, &again);
        require(rc_str_eq(rc_buf_get(&first), rc_buf_get(&second)), "and the same");
        rc_config_done(&again);
    }
    rc_buf_done(&first);
    rc_buf_done(&second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rc_config config;
    rc_config_faults faults;
    rc_alloc alloc = rc_alloc_stdlib();
    rc_config_faults_init(&faults);
    rc_status status = rc_config_parse(
        &config, rc_str_make(size > 0 ? (const char *)data : NULL, size), &alloc, &faults);
    require((status == RC_OK) == (faults.count == 0), "what is refused has a fault");
    check_faults(&faults);
    if (status == RC_OK) {
        check_config(&config);
        check_shown(&config, &alloc);
    }
    rc_config_done(&config);
    return 0;
}
