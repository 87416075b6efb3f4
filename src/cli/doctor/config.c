/* Doctor: checks the configuration file and the keys. Called by command.c. */
#include <string.h>

#include "base/str.h"
#include "cli/config_load.h"
#include "cli/doctor/doctor.h"
#include "config/prices/load.h"
#include "config/prices/unpriced.h"
#include "config/secret_load.h"
#include "sys/file.h"

#define EXIT_NOPERM 77
#define LABEL_BYTES 192

/* ---- loading ---- */

static void push_fault(rc_finding *finding, const rc_config_fault *fault)
{
    if (fault->line > 0) {
        rc_finding_push_u64(finding, fault->line);
        rc_finding_push(finding, ":");
        rc_finding_push_u64(finding, fault->column);
        rc_finding_push(finding, ": ");
    }
    char scratch[RC_CONFIG_FAULT_TEXT_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof(scratch));
    rc_config_fault_push(&text, fault);
    rc_finding_push_str(finding, rc_buf_get(&text));
}

static void add_faults(rc_doctor *doctor, const rc_config_source *source)
{
    for (size_t i = 0; i < rc_config_faults_listed(&source->faults); i++) {
        rc_finding *finding =
            rc_doctor_fault(doctor, RC_GROUP_CONFIG, rc_config_source_name(source), RC_EXIT_CONFIG);
        push_fault(finding, &source->faults.list[i]);
        if (i == 0)
            rc_finding_advise(finding, "run recourse config check to see the lines");
    }
}

/* ---- prices ---- */

static void add_unpriced(void *ctx, const rc_unpriced *unpriced)
{
    char scratch[LABEL_BYTES * 2];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_unpriced_push(&text, unpriced);
    rc_finding_advise(
        rc_finding_push_str(rc_doctor_add(ctx, RC_GROUP_CONFIG, RC_FINDING_WARN, RC_STR("prices")),
                            rc_buf_get(&text)),
        rc_unpriced_advice());
}

static void check_prices(rc_doctor *doctor, const rc_config *config, const rc_config_source *source)
{
    rc_cli *cli = doctor->cli;
    rc_config_source file;
    rc_prices prices;
    const rc_status status =
        rc_prices_load(&prices, cli->calls, &cli->alloc, config, source, &file);
    if (status == RC_OK) {
        const size_t count = rc_unpriced_find(&prices, config, add_unpriced, doctor);
        if (count > RC_UNPRICED_SHOWN)
            rc_finding_push(rc_finding_push_u64(rc_doctor_add(doctor, RC_GROUP_CONFIG,
                                                              RC_FINDING_WARN, RC_STR("prices")),
                                                count - RC_UNPRICED_SHOWN),
                            " more have no price; recourse config prices lists them");
    } else if (status == RC_E_NOT_FOUND) {
        rc_finding *finding =
            rc_doctor_fault(doctor, RC_GROUP_CONFIG, RC_STR("prices"), RC_EXIT_CONFIG);
        rc_finding_push(rc_finding_push_str(finding, rc_config_source_name(&file)),
                        " cannot be read: ");
        rc_finding_push(finding, rc_sys_error_text(file.error));
    } else if (status == RC_E_NOMEM) {
        rc_finding_push(rc_doctor_fault(doctor, RC_GROUP_CONFIG, RC_STR("prices"), RC_EXIT_CONFIG),
                        "out of memory while reading the prices");
    } else {
        add_faults(doctor, &file);
    }
    rc_prices_done(&prices);
    rc_config_source_done(&file);
}

/* ---- configuration file ---- */

bool rc_doctor_load(rc_doctor *doctor, const char *path, rc_config *ret_config)
{
    rc_cli *cli = doctor->cli;
    rc_config_source source;
    const rc_status status = rc_config_load(ret_config, cli->calls, &cli->alloc, path, &source);
    const rc_str name = rc_config_source_name(&source);
    if (status == RC_OK) {
        rc_finding *finding =
            rc_doctor_add(doctor, RC_GROUP_CONFIG, RC_FINDING_FINE, RC_STR("file"));
        rc_finding_push(rc_finding_push_str(finding, name), ": ");
        rc_finding_push_count(finding, ret_config->provider_count, "provider, ", "providers, ");
        rc_finding_push_count(finding, ret_config->route_count, "route, ", "routes, ");
        rc_finding_push_count(finding, ret_config->client_count, "client", "clients");
        check_prices(doctor, ret_config, &source);
    } else if (status == RC_E_NOT_FOUND) {
        rc_finding *finding =
            rc_doctor_fault(doctor, RC_GROUP_CONFIG, RC_STR("file"), RC_EXIT_CONFIG);
        rc_finding_push(rc_finding_push_str(finding, name), " cannot be read: ");
        rc_finding_push(finding, rc_sys_error_text(source.error));
        rc_finding_advise(finding,
                          "use another file with --config, or give this user read permission");
    } else if (status == RC_E_NOMEM) {
        rc_finding_push(rc_doctor_fault(doctor, RC_GROUP_CONFIG, RC_STR("file"), RC_EXIT_CONFIG),
                        "out of memory while reading the configuration");
    } else {
        add_faults(doctor, &source);
    }
    rc_config_source_done(&source);
    if (status != RC_OK)
        rc_config_done(ret_config);
    return status == RC_OK;
}

/* ---- warnings about valid settings ---- */

static bool is_used(const rc_config *config, size_t provider)
{
    for (size_t i = 0; i < config->route_count; i++) {
        const rc_config_route *route = &config->routes[i];
        if (route->has_overflow_to && route->overflow_to.provider == provider)
            return true;
        for (size_t k = 0; k < route->chain_count; k++)
            if (route->chain[k].provider == provider)
                return true;
    }
    return false;
}

static void check_provider(rc_doctor *doctor, const rc_config *config, size_t index)
{
    const rc_config_provider *provider = &config->providers[index];
    if (!is_used(config, index))
        rc_finding_advise(
            rc_finding_push(rc_doctor_add(doctor, RC_GROUP_CONFIG, RC_FINDING_NOTE, provider->name),
                            "no route uses this provider"),
            "clients can still request NAME/model");
    if (provider->insecure)
        rc_finding_advise(
            rc_finding_push(rc_doctor_add(doctor, RC_GROUP_CONFIG, RC_FINDING_WARN, provider->name),
                            "insecure: keys and prompts may cross the network "
                            "unencrypted"),
            "use https://, or a private network");
    if (provider->key_count == 0 && provider->kind->key_names[0] != '\0')
        rc_finding_advise(
            rc_finding_push(rc_doctor_add(doctor, RC_GROUP_CONFIG, RC_FINDING_WARN, provider->name),
                            "no key is configured, and providers of this kind need one"),
            "add keys: [env:NAME]");
}

/* Returns whether the address is outside the loopback interface. rc_config_admin_check refuses such
 * an address if its second argument is false. */
static bool is_beyond_loopback(rc_str listen)
{
    return rc_config_admin_check(listen, false) != NULL;
}

void rc_doctor_check_config(rc_doctor *doctor, const rc_config *config)
{
    if (config->route_count == 0)
        rc_finding_advise(
            rc_finding_push(
                rc_doctor_add(doctor, RC_GROUP_CONFIG, RC_FINDING_WARN, RC_STR("routes")),
                "no route is configured: the gateway serves only models that "
                "name their provider, as in "
                "PROVIDER/MODEL"),
            "add a route under routes");
    if (config->client_count == 0 && is_beyond_loopback(config->root.listen))
        rc_finding_advise(
            rc_finding_push(
                rc_doctor_add(doctor, RC_GROUP_CONFIG, RC_FINDING_WARN, RC_STR("clients")),
                "no client is configured, and other machines can reach the "
                "gateway: anybody who can connect spends your money"),
            "configure clients with tokens, or listen at 127.0.0.1");
    for (size_t i = 0; i < config->provider_count; i++)
        check_provider(doctor, config, i);
}

/* ---- keys ---- */

/* Appends the name of a key and a text about its state: "env:NAME: STATE". */
static void push_key_state(rc_finding *finding, const rc_secret_ref *ref, const char *text)
{
    rc_finding_push(finding, rc_secret_kind_prefix(ref->kind));
    rc_finding_push(rc_finding_push_str(finding, ref->name), ": ");
    rc_finding_push(finding, text);
}

static void check_key(rc_doctor *doctor, rc_str subject, const rc_secret_ref *ref)
{
    const rc_secret_state state = rc_secret_inspect(doctor->cli->calls, ref);
    rc_finding *finding = NULL;
    if (state == RC_SECRET_SET)
        finding = rc_doctor_add(doctor, RC_GROUP_KEYS, RC_FINDING_FINE, subject);
    else if (state == RC_SECRET_EXPOSED)
        finding = rc_doctor_add(doctor, RC_GROUP_KEYS, RC_FINDING_WARN, subject);
    else
        finding = rc_doctor_fault(doctor, RC_GROUP_KEYS, subject,
                                  state == RC_SECRET_UNREADABLE ? EXIT_NOPERM : RC_EXIT_CONFIG);
    push_key_state(finding, ref, rc_secret_state_text(doctor->cli->calls, ref));
    if (state == RC_SECRET_EXPOSED)
        rc_finding_advise(finding, "run chmod 600; replace the key if other users had access");
    else if (state == RC_SECRET_UNREADABLE)
        rc_finding_advise(finding, "give the gateway's user read permission");
    else if (state == RC_SECRET_NOT_SET && ref->kind == RC_SECRET_CREDENTIAL)
        rc_finding_advise(finding,
                          "systemd gives the credential only to the service (LoadCredential=)");
    else if (state == RC_SECRET_NOT_SET)
        rc_finding_advise(finding, "set the variable in the gateway's environment");
    else if (state != RC_SECRET_SET)
        rc_finding_advise(finding, "write the key into a file of that name, mode 600");
}

/* Checks a secret that is sent in an HTTP header. The gateway does not start if such a secret is
 * invalid. */
static void check_token(rc_doctor *doctor, rc_str subject, const rc_secret_ref *ref)
{
    const rc_secret_state state = rc_secret_inspect(doctor->cli->calls, ref);
    const char *why = state == RC_SECRET_SET || state == RC_SECRET_EXPOSED
                          ? rc_secret_check_token(doctor->cli->calls, ref)
                          : NULL;
    if (state == RC_SECRET_EXPOSED || why == NULL)
        check_key(doctor, subject, ref);
    if (why == NULL)
        return;
    rc_finding *finding = rc_doctor_fault(doctor, RC_GROUP_KEYS, subject, RC_EXIT_CONFIG);
    push_key_state(finding, ref, why);
    rc_finding_advise(finding, "write only the key there, on one line: letters, digits and symbols "
                               "of ASCII, without spaces");
}

/* Returns kind and name joined by a space, such as "client app". */
static rc_str join(rc_buf *scratch, const char *kind, rc_str name)
{
    rc_buf_push(scratch, rc_str_c(kind));
    rc_buf_push(scratch, rc_str_slice(name, 0, LABEL_BYTES / 2));
    return rc_buf_get(scratch);
}

void rc_doctor_check_keys(rc_doctor *doctor, const rc_config *config)
{
    char scratch[LABEL_BYTES];
    rc_buf subject;
    for (size_t i = 0; i < config->provider_count; i++)
        for (size_t k = 0; k < config->providers[i].key_count; k++)
            check_token(doctor, config->providers[i].name, &config->providers[i].keys[k]);
    for (size_t i = 0; i < config->client_count; i++) {
        rc_buf_init_fixed(&subject, scratch, sizeof scratch);
        check_token(doctor, join(&subject, "client ", config->clients[i].name),
                    &config->clients[i].token);
    }
    if (config->admin.token.kind != RC_SECRET_NONE)
        check_token(doctor, RC_STR("admin token"), &config->admin.token);
    if (config->store_ref.kind != RC_SECRET_NONE)
        check_key(doctor, RC_STR("store"), &config->store_ref);
}
