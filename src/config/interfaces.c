/* The interfaces of providers and the facts about models of targets. Called by read_provider.c,
 * read_route.c, the gateway's snapshot.c and commands. */
#include "config/interfaces.h"

#include <recourse/call.h>

#include "base/str.h"
#include "config/reader.h"
#include "dialect/interface.h"

_Static_assert(sizeof((rc_config_provider){0}.interfaces) ==
                   RC_INTERFACE_COUNT * sizeof(rc_dialect),
               "a provider may have each interface");

static bool is_kind(const rc_config_provider *provider, const char *name)
{
    return rc_str_eq(rc_str_c(provider->kind->name), rc_str_c(name));
}

bool rc_config_is_openai(const rc_config_provider *provider)
{
    return is_kind(provider, "openai");
}

static void add(rc_config_provider *provider, rc_dialect interface)
{
    provider->interfaces[provider->interface_count++] = interface;
}

static bool has(const rc_config_provider *provider, rc_dialect interface)
{
    for (size_t i = 0; i < provider->interface_count; i++)
        if (provider->interfaces[i] == interface)
            return true;
    return false;
}

void rc_config_use_kind_interfaces(rc_config_provider *provider)
{
    provider->interface_count = 0;
    if (is_kind(provider, "demo")) { /* The demo provider has all interfaces. */
        for (size_t i = 0; i < RC_INTERFACE_COUNT; i++)
            add(provider, rc_interface_at(i));
        return;
    }
    if (rc_config_is_openai(provider))
        add(provider, RC_DIALECT_OPENAI_RESPONSES);
    add(provider, provider->kind->dialect);
}

/* ---- the list in the configuration ---- */

static void read_interface(rc_config_reader *r, const rc_yaml_node *item,
                           rc_config_provider *provider)
{
    size_t index;
    if (!rc_yaml_choice(item, rc_interface_name_at, NULL, r->faults, &index))
        return;
    const rc_dialect interface = rc_interface_at(index);
    if (has(provider, interface)) {
        rc_config_fault_append(rc_yaml_fault(r->faults, item), "this interface appears twice");
        return;
    }
    if (!is_kind(provider, "demo") &&
        !rc_endpoint_is_supported(rc_interface_endpoint(interface, false),
                                  provider->kind->dialect)) {
        rc_config_fault *fault = rc_yaml_fault(r->faults, item);
        rc_config_fault_append(fault, "providers of kind ");
        rc_config_fault_append(fault, provider->kind->name);
        rc_config_fault_append(fault, " do not have this interface");
        return;
    }
    add(provider, interface);
}

void rc_config_read_interfaces(rc_config_reader *r, const rc_yaml_node *list,
                               rc_config_provider *provider)
{
    if (!rc_yaml_expect(list, RC_YAML_LIST, r->faults))
        return;
    if (list->count == 0) {
        rc_config_fault_append(rc_yaml_fault(r->faults, list),
                               "the list is empty: the provider could not be called; remove the "
                               "key to use the interfaces of its kind");
        return;
    }
    provider->interface_count = 0;
    provider->has_own_interfaces = true;
    for (const rc_yaml_node *item = list->first; item != NULL; item = item->next)
        read_interface(r, item, provider);
}

/* ---- routes ---- */

bool rc_config_has_common_interface(const rc_config_provider *a, const rc_config_provider *b)
{
    for (size_t i = 0; i < a->interface_count; i++)
        if (has(b, a->interfaces[i]))
            return true;
    return false;
}

/* Returns whether the provider's kind has the interface, although its default list lacks it: all
 * kinds with OpenAI's API pass a request of the Responses API on, as long as it is not
 * translated. */
static bool is_passed_on(const rc_config_provider *provider, rc_dialect client)
{
    const rc_endpoint *endpoint = rc_interface_endpoint(client, false);
    return !provider->has_own_interfaces && endpoint != NULL &&
           rc_wire_of_dialect(client) == rc_wire_of_dialect(provider->kind->dialect) &&
           rc_endpoint_is_supported(endpoint, provider->kind->dialect);
}

rc_dialect rc_config_interface_for(const rc_config_provider *provider, rc_dialect client,
                                   bool is_translated)
{
    if (has(provider, client))
        return client;
    for (size_t i = 0; is_translated && i < provider->interface_count; i++)
        if (rc_interface_is_translatable(client, provider->interfaces[i]))
            return provider->interfaces[i];
    return is_passed_on(provider, client) ? client : RC_DIALECT_PROBLEM;
}

/* ---- models ---- */

static rc_model_kind model_kind(const rc_config_provider *provider)
{
    if (rc_config_is_openai(provider))
        return RC_MODEL_KIND_OPENAI;
    if (is_kind(provider, "anthropic"))
        return RC_MODEL_KIND_ANTHROPIC;
    return is_kind(provider, "gemini") ? RC_MODEL_KIND_GEMINI : RC_MODEL_KIND_OTHER;
}

static void set_flag(rc_model_facts *facts, uint32_t flag, bool is_set)
{
    facts->flags = is_set ? facts->flags | flag : facts->flags & ~flag;
}

static uint32_t first_count(uint64_t target, uint64_t provider, uint32_t known)
{
    if (target > 0)
        return (uint32_t)target;
    return provider > 0 ? (uint32_t)provider : known;
}

rc_model_facts rc_config_model_facts(const rc_config_provider *provider,
                                     const rc_config_target *target, rc_str model)
{
    rc_model_facts facts = rc_model_facts_of(model_kind(provider), model);
    const uint32_t capabilities = target != NULL ? target->capabilities : provider->capabilities;
    if (capabilities != UINT32_MAX) {
        set_flag(&facts, RC_MODEL_TOOLS, (capabilities & RC_NEED_TOOLS) != 0);
        set_flag(&facts, RC_MODEL_VISION, (capabilities & RC_NEED_VISION) != 0);
        set_flag(&facts, RC_MODEL_SCHEMA, (capabilities & RC_NEED_STRUCTURED_OUTPUT) != 0);
    }
    facts.context = first_count(target != NULL ? target->context_tokens : 0,
                                provider->context_tokens, facts.context);
    facts.max_tokens = first_count(target != NULL ? target->max_output_tokens : 0,
                                   provider->max_output_tokens, facts.max_tokens);
    return facts;
}
