/* Reads the gateway's own settings: listen addresses, store, admin server and clients. Called by
 * config.c. */
#include "base/str.h"
#include "config/reader.h"

static void refuse(rc_config_reader *r, const rc_yaml_node *node, const char *message)
{
    rc_config_fault_append(rc_yaml_fault(r->faults, node), message);
}

static bool is_postgres(rc_str store)
{
    return rc_str_starts_with(store, RC_STR("postgres://")) ||
           rc_str_starts_with(store, RC_STR("postgresql://"));
}

static int hex_of(char c)
{
    char lower = rc_ascii_lower(c);
    if (rc_ascii_is_digit(c))
        return c - '0';
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Returns `text` with percent escapes such as %41 decoded, truncated to the size of `scratch`. */
static rc_str decoded(rc_str text, char scratch[RC_CONFIG_TEXT_MAX])
{
    size_t used = 0;
    for (size_t i = 0; i < text.len && used < RC_CONFIG_TEXT_MAX; i++) {
        int high = text.ptr[i] == '%' && i + 2 < text.len ? hex_of(text.ptr[i + 1]) : -1;
        int low = high >= 0 ? hex_of(text.ptr[i + 2]) : -1;
        scratch[used++] = low >= 0 ? (char)(high * 16 + low) : text.ptr[i];
        i += low >= 0 ? 2 : 0;
    }
    return rc_str_make(scratch, used);
}

/* Returns whether the name is a parameter of libpq's or SQLite's URLs that contains no secret. */
static bool is_open_parameter(rc_str name)
{
    static const char *const names[] = {"host",
                                        "hostaddr",
                                        "port",
                                        "dbname",
                                        "user",
                                        "passfile",
                                        "require_auth",
                                        "connect_timeout",
                                        "client_encoding",
                                        "options",
                                        "application_name",
                                        "fallback_application_name",
                                        "keepalives",
                                        "keepalives_idle",
                                        "keepalives_interval",
                                        "keepalives_count",
                                        "tcp_user_timeout",
                                        "channel_binding",
                                        "gssencmode",
                                        "sslmode",
                                        "sslnegotiation",
                                        "sslcompression",
                                        "sslcert",
                                        "sslkey",
                                        "sslcertmode",
                                        "sslrootcert",
                                        "sslcrl",
                                        "sslcrldir",
                                        "sslsni",
                                        "requirepeer",
                                        "ssl_min_protocol_version",
                                        "ssl_max_protocol_version",
                                        "krbsrvname",
                                        "gsslib",
                                        "gssdelegation",
                                        "service",
                                        "target_session_attrs",
                                        "load_balance_hosts",
                                        "mode",
                                        "cache",
                                        "vfs",
                                        "immutable",
                                        "nolock",
                                        "psow"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (rc_str_eq(name, rc_str_c(names[i])))
            return true;
    return false;
}

static const char *const no_passwords =
    "literal passwords are not accepted; put the whole URL into env:NAME, file:PATH or "
    "credential:NAME";

/* Returns whether a pair is "name=value", where the parameter contains no secret. Only the value of
 * "options" may contain further equals signs. */
static bool is_open_pair(rc_str pair)
{
    char scratch[RC_CONFIG_TEXT_MAX];
    size_t equals = rc_str_find_byte(pair, '=', 0);
    rc_str name = decoded(rc_str_slice(pair, 0, equals), scratch);
    bool is_list = rc_str_eq(name, RC_STR("options"));
    return is_open_parameter(name) && (equals == RC_STR_NPOS || is_list ||
                                       rc_str_find_byte(pair, '=', equals + 1) == RC_STR_NPOS);
}

/* Returns the error text for the URL's parameters, or NULL. A text with an equals sign but without
 * a question mark before it is treated as a parameter. */
static const char *check_parameters(rc_str url)
{
    size_t start = rc_str_find_byte(url, '?', 0);
    bool is_open = rc_str_find_byte(rc_str_slice(url, 0, start), '=', 0) == RC_STR_NPOS;
    while (start != RC_STR_NPOS && start < url.len) {
        size_t end = ++start;
        while (end < url.len && url.ptr[end] != '&' && url.ptr[end] != ';')
            end++;
        is_open = is_open && is_open_pair(rc_str_slice(url, start, end));
        start = end;
    }
    if (is_open)
        return NULL;
    char scratch[RC_CONFIG_TEXT_MAX];
    return rc_config_is_secret_name(decoded(url, scratch))
               ? no_passwords
               : "an unknown parameter; if it is a secret, put the whole URL into env:NAME or "
                 "file:PATH";
}

/* Returns whether a URL has the form postgres://user:password@host. A password may contain any
 * character, so it ends at the last "@". */
static bool has_password(rc_str url)
{
    char scratch[RC_CONFIG_TEXT_MAX];
    size_t start = rc_str_find(url, RC_STR("://"), 0);
    size_t at = url.len;
    while (at > 0 && url.ptr[at - 1] != '@')
        at--;
    return start != RC_STR_NPOS && at > start + 3 &&
           rc_str_find_byte(decoded(rc_str_slice(url, start + 3, at), scratch), ':', 0) !=
               RC_STR_NPOS;
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
    const char *wrong = has_password(store) ? no_passwords : check_parameters(store);
    if (wrong != NULL) {
        refuse(r, node, wrong);
        return;
    }
    if (is_postgres(store))
        refuse(r, node, "this version supports only SQLite for the audit; use sqlite:PATH");
    else if (rc_str_eq(store, RC_STR("sqlite::memory:")))
        refuse(r, node, "an audit in memory would be lost with the process; use sqlite:PATH");
    else if (!rc_str_starts_with(store, RC_STR("sqlite:")) || store.len == 7)
        refuse(r, node, "sqlite:PATH, env:NAME, file:PATH or credential:NAME is expected");
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
    const rc_yaml_node *content =
        rc_yaml_get(rc_yaml_get(root, RC_STR("audit")), RC_STR("content"));
    check_listen(r, rc_yaml_get(root, RC_STR("listen")));
    if (store != NULL)
        check_store(r, store);
    /* Storing prompts is refused when the configuration is loaded, so that no user learns only
     * later that no prompts were stored. */
    if (content != NULL && r->config->audit.content != 0)
        refuse(r, content,
               "this version does not store prompts and responses: only off is possible");
    const rc_yaml_node *limits = rc_yaml_get(root, RC_STR("limits"));
    const rc_yaml_node *waiting = rc_yaml_get(limits, RC_STR("max_waiting"));
    if (waiting != NULL && r->config->limits.max_waiting != RC_CONFIG_MAX_WAITING &&
        r->config->limits.max_waiting > r->config->limits.max_in_flight)
        refuse(r, waiting,
               "waiting requests count towards max_in_flight, which is smaller; raise "
               "max_in_flight or lower max_waiting");
    if (breaker != NULL && r->config->breaker.open_ms > r->config->breaker.open_max_ms)
        rc_config_fault_append(rc_yaml_fault_at_key(r->faults, breaker),
                               "open_ms is longer than open_max_ms");
}

static bool is_text(const rc_yaml_node *node)
{
    return node != NULL && node->kind == RC_YAML_SCALAR && node->text.len > 0;
}

/* Checks the value of admin.listen in the file. */
static void check_admin_listen(rc_config_reader *r, const rc_yaml_node *node, bool has_token)
{
    const char *wrong = rc_config_admin_check(r->config->admin.listen, has_token);
    if (wrong != NULL)
        refuse(r, node, wrong);
}

void rc_config_read_admin(rc_config_reader *r, const rc_yaml_node *root)
{
    rc_config_admin *admin = &r->config->admin;
    const rc_yaml_node *map = rc_yaml_get(root, RC_STR("admin"));
    const rc_yaml_node *listen = rc_yaml_get(map, RC_STR("listen"));
    const rc_yaml_node *socket = rc_yaml_get(map, RC_STR("socket"));
    const rc_yaml_node *token = rc_yaml_get(map, RC_STR("token"));
    if (token != NULL)
        rc_secret_ref_read(token, "tokens", r->faults, &admin->token);
    /* If the file has a Unix socket and no address, the socket replaces the default address. */
    if (socket != NULL && listen == NULL)
        admin->listen = RC_STR("off");
    if (!rc_config_admin_listens(admin))
        return;
    if (is_text(listen))
        check_admin_listen(r, listen, token != NULL);
    if (listen != NULL && socket != NULL)
        refuse(r, socket, "listen and socket exclude each other; remove one of them");
    const rc_yaml_node *listen_node = listen != NULL ? listen : rc_yaml_get(root, RC_STR("listen"));
    if (is_text(listen_node) && rc_config_listen_is_same(r->config->root.listen, admin->listen))
        refuse(r, listen_node, "listen and admin.listen are the same; choose another port for one");
}

/* Adds a fault if a client's limits contradict each other or the gateway's. */
static void check_client_limits(rc_config_reader *r, const rc_yaml_node *map,
                                const rc_config_client *client)
{
    const rc_yaml_node *tpm = rc_yaml_get(map, RC_STR("tpm"));
    const rc_yaml_node *max_in_flight = rc_yaml_get(map, RC_STR("max_in_flight"));
    if (tpm != NULL && client->tpm > 0 && client->tpm < client->rpm)
        refuse(r, tpm,
               "tpm is smaller than rpm, so a request would have less than one token; raise tpm or "
               "lower rpm");
    if (max_in_flight != NULL && client->max_in_flight > r->config->limits.max_in_flight)
        refuse(r, max_in_flight,
               "max_in_flight is larger than limits.max_in_flight, the limit of all clients "
               "together; lower one or raise the other");
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
    const rc_yaml_node *wait = rc_yaml_get(map, RC_STR("wait"));
    if (client->wait == 1 && client->max_wait_ms > 0)
        refuse(r, wait, "the client never waits, so its max_wait_ms has no effect; remove one");
    if (name == NULL)
        refuse(r, map, "name is missing");
    for (size_t i = 0; name != NULL && i < index; i++)
        if (client->name.len > 0 && rc_str_eq(r->config->clients[i].name, client->name))
            refuse(r, name, "another client has this name");
    check_client_limits(r, map, client);
    if (token != NULL)
        rc_secret_ref_read(token, "tokens", r->faults, &client->token);
    else
        refuse(r, map, "token is missing: env:NAME, file:PATH or credential:NAME");
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
