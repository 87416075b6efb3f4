/* What the gateway itself is told: where it listens and stores, whom it serves. */
#include "base/str.h"
#include "config/reader.h"

static void refuse(rc_config_reader *r, const rc_yaml_node *node, const char *what)
{
    rc_config_fault_say(rc_yaml_fault(r->faults, node), what);
}

static bool is_postgres(rc_str store)
{
    return rc_str_starts_with(store, RC_STR("postgres://")) ||
           rc_str_starts_with(store, RC_STR("postgresql://"));
}

/* "postgres://user:password@host": a colon in front of the at sign, or password= anywhere. */
static bool has_password(rc_str url)
{
    size_t start = rc_str_find(url, RC_STR("://"), 0) + 3;
    rc_str authority = rc_str_slice(url, start, rc_str_find_byte(url, '/', start));
    size_t at = rc_str_find_byte(authority, '@', 0);
    return (at != RC_STR_NPOS && rc_str_find_byte(authority, ':', 0) < at) ||
           rc_str_find(url, RC_STR("password="), 0) != RC_STR_NPOS;
}

static void check_store(rc_config_reader *r, const rc_yaml_node *node)
{
    rc_str store = r->config->root.store;
    if (node->kind != RC_YAML_SCALAR || store.len == 0)
        return;
    rc_secret_ref ref;
    if (rc_secret_ref_parse(store, &ref)) {
        rc_secret_ref_read(node, "passwords", r->faults, &r->config->store_ref);
        return;
    }
    if (is_postgres(store)) {
        if (!has_password(store))
            return;
        rc_config_fault *fault = rc_yaml_fault(r->faults, node);
        rc_config_fault_say(fault, "literal passwords are not accepted; put the whole URL into "
                                   "env:NAME or file:PATH");
        fault->is_private = true;
        return;
    }
    if (!rc_str_starts_with(store, RC_STR("sqlite:")) || store.len == 7)
        refuse(r, node, "sqlite:PATH, postgres://..., env:NAME or file:PATH is expected");
}

static void check_listen(rc_config_reader *r, const rc_yaml_node *node)
{
    if (node == NULL || node->kind != RC_YAML_SCALAR || node->text.len == 0)
        return;
    const char *wrong = rc_config_listen_check(node->text);
    if (wrong != NULL)
        refuse(r, node, wrong);
}

void rc_config_check_root(rc_config_reader *r, const rc_yaml_node *root)
{
    const rc_yaml_node *store = rc_yaml_get(root, RC_STR("store"));
    const rc_yaml_node *breaker = rc_yaml_get(root, RC_STR("breaker"));
    check_listen(r, rc_yaml_get(root, RC_STR("listen")));
    if (store != NULL)
        check_store(r, store);
    if (breaker != NULL && r->config->breaker.open_ms > r->config->breaker.open_max_ms)
        rc_config_fault_say(rc_yaml_fault_at_key(r->faults, breaker),
                            "open_ms is longer than open_max_ms");
}

void rc_config_read_admin(rc_config_reader *r, const rc_yaml_node *map)
{
    const rc_yaml_node *listen = rc_yaml_get(map, RC_STR("listen"));
    const rc_yaml_node *socket = rc_yaml_get(map, RC_STR("socket"));
    const rc_yaml_node *token = rc_yaml_get(map, RC_STR("token"));
    check_listen(r, listen);
    if (listen != NULL && socket != NULL)
        refuse(r, socket, "listen or socket, not both");
    if (token != NULL)
        rc_secret_ref_read(token, "tokens", r->faults, &r->config->admin.token);
}

static void read_client(rc_config_reader *r, const rc_yaml_node *map, size_t index)
{
    rc_config_client *client = &r->config->clients[index];
    rc_config_fill_defaults(RC_SECTION_client, client);
    rc_config_check_keys(RC_SECTION_client, map, r->faults);
    if (map->kind != RC_YAML_MAP)
        return;
    rc_config_fill(RC_SECTION_client, map, client, r->faults);
    const rc_yaml_node *name = rc_yaml_get(map, RC_STR("name"));
    const rc_yaml_node *token = rc_yaml_get(map, RC_STR("token"));
    if (name == NULL)
        refuse(r, map, "name is missing");
    for (size_t i = 0; name != NULL && i < index; i++)
        if (client->name.len > 0 && rc_str_eq(r->config->clients[i].name, client->name))
            refuse(r, name, "another client has this name");
    if (token != NULL)
        rc_secret_ref_read(token, "tokens", r->faults, &client->token);
    else
        refuse(r, map, "token is missing: env:NAME or file:PATH");
}

void rc_config_read_clients(rc_config_reader *r, const rc_yaml_node *list)
{
    if (!rc_yaml_expect(list, RC_YAML_LIST, r->faults))
        return;
    if (list->count > RC_CONFIG_CLIENTS_MAX) {
        refuse(r, list, "more than 4096 clients");
        return;
    }
    r->config->clients = rc_config_array(r, list, sizeof(*r->config->clients));
    if (r->config->clients == NULL)
        return;
    for (const rc_yaml_node *node = list->first; node != NULL; node = node->next)
        read_client(r, node, r->config->client_count++);
}
