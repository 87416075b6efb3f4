/* Refuses an endpoint that providers have and this gateway does not, and names its passthrough
 * path. The request is not forwarded by itself: only the client knows which provider made a file or
 * a response. Called by exchange_request.c. */
#include "base/str.h"
#include "gateway/exchange/exchange.h"

/* Longest path that is shown. */
#define PATH_MAX_BYTES 200u
#define MESSAGE_MAX 768u

/* "/v1/files" of OpenAI's interface is "/files" behind the base URL. */
static rc_str path_after_base(rc_str path, rc_wire wire)
{
    const size_t prefix = RC_STR("/v1").len;
    return wire == RC_WIRE_OPENAI && rc_str_starts_with(path, RC_STR("/v1/"))
               ? rc_str_slice(path, prefix, path.len)
               : path;
}

static bool is_of_providers(rc_str path)
{
    return rc_str_starts_with(path, RC_STR("/v1/")) ||
           rc_str_starts_with(path, RC_STR("/v1beta/")) ||
           rc_str_starts_with(path, RC_STR("/upload/"));
}

/* Counts the providers with this interface; ret_first: the first of them. */
static size_t count_speakers(const rc_config *config, rc_wire wire,
                             const rc_config_provider **ret_first)
{
    const rc_config_kind *demo = rc_config_kind_find(RC_STR("demo"));
    size_t count = 0;
    for (size_t i = config->provider_count; i-- > 0;) {
        const rc_config_provider *provider = &config->providers[i];
        if (provider->kind == demo || rc_wire_of_dialect(provider->kind->dialect) != wire)
            continue;
        *ret_first = provider;
        count++;
    }
    return count;
}

static void push_passthrough_path(rc_buf *text, rc_str provider, rc_str path)
{
    rc_buf_push(text, RC_STR("/p/"));
    rc_buf_push(text, provider);
    if (path.len <= PATH_MAX_BYTES)
        rc_buf_push(text, path);
    else
        rc_buf_push(text, RC_STR("/ and the rest of the path"));
}

static void set_action(rc_builder *builder, rc_str provider)
{
    char scratch[MESSAGE_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push(&text, RC_STR("Give the client /p/"));
    rc_buf_push(&text, provider);
    rc_buf_push(&text, RC_STR(" of this gateway as the base URL for it, or check the path."));
    rc_builder_set_action(builder, RC_ACTION_CHECK_CONFIG, rc_buf_get(&text));
}

bool rc_exchange_refuse_unknown_endpoint(rc_exchange *exchange, rc_dialect dialect)
{
    const rc_str target = rc_http1_target(exchange->request.reader, exchange->request.head);
    const rc_str path = rc_str_slice(target, 0, rc_str_find_byte(target, '?', 0));
    const rc_wire wire = rc_wire_of_dialect(dialect);
    const rc_config_provider *first = NULL;
    char scratch[MESSAGE_MAX];
    rc_buf text;
    rc_builder builder;
    if (!is_of_providers(path))
        return false;
    const size_t count = count_speakers(rc_exchange_snapshot(exchange)->config, wire, &first);
    const rc_str name = count > 0 ? first->name : RC_STR("PROVIDER");
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push(&text, RC_STR("There is no such endpoint here. What a provider has beyond those of "
                              "this gateway is passed through behind /p/: ask for "));
    push_passthrough_path(&text, name, path_after_base(path, wire));
    if (count > 1)
        rc_buf_push(&text, RC_STR(", or for the same with the name of another provider"));
    if (count == 0)
        rc_buf_push(&text, RC_STR(" with the name of one that speaks this interface, once one is "
                                  "configured"));
    rc_buf_push_byte(&text, '.');
    if (rc_buf_status(&text) != RC_OK)
        return false;
    rc_exchange_begin_report(exchange, &builder, RC_CODE_ENDPOINT_NOT_FOUND, rc_buf_get(&text));
    rc_builder_set_http_status(&builder, 404);
    set_action(&builder, name);
    rc_exchange_refuse_report(exchange, rc_builder_finish(&builder));
    return true;
}
