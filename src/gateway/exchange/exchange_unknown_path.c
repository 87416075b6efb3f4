/* Refuses a request whose path is no endpoint of this gateway, with advice for that path. Called by
 * exchange_request.c. */
#include "gateway/exchange/exchange_unknown_path.h"
#include "base/str.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/exchange/exchange_reply.h"
#include "gateway/request/base_url.h"
#include "gateway/state/snapshot.h"

/* Maximum number of bytes of a path in a message. */
#define PATH_MAX_BYTES 200u
#define MESSAGE_MAX 1536u

/* ---- endpoints with a wrong base URL ---- */

static rc_str host_of(const rc_exchange *exchange)
{
    return rc_http1_host(exchange->request.reader, exchange->request.head);
}

static rc_str path_of(const rc_exchange *exchange)
{
    const rc_str target = rc_http1_target(exchange->request.reader, exchange->request.head);
    return rc_str_slice(target, 0, rc_str_find_byte(target, '?', 0));
}

static void push_base(rc_buf *text, const rc_exchange *exchange)
{
    rc_base_url_push(text, rc_client_request_dialect(&exchange->request), host_of(exchange));
}

static void push_message(rc_buf *text, const rc_exchange *exchange, rc_str path, rc_str meant)
{
    rc_buf_push(text, RC_STR("There is no endpoint "));
    if (path.len <= PATH_MAX_BYTES) {
        rc_buf_push(text, path);
        rc_buf_push_byte(text, ' ');
    }
    rc_buf_push(text, RC_STR("here: the client's base URL is wrong. The base URL for "));
    rc_buf_push(text, rc_base_url_clients(rc_client_request_dialect(&exchange->request)));
    rc_buf_push(text, RC_STR(" is "));
    push_base(text, exchange);
    if (meant.len <= PATH_MAX_BYTES) {
        rc_buf_push(text, RC_STR(", and the path of this request is "));
        rc_buf_push(text, meant);
    }
    rc_buf_push_byte(text, '.');
}

/* Refuses a path that would be an endpoint behind another base URL, and names that base URL.
 * Returns false, without a refusal, if there is no such base URL. */
static bool refuse_base_url(rc_exchange *exchange, rc_str path)
{
    rc_base_url_mistake mistake;
    char scratch[MESSAGE_MAX];
    rc_buf text;
    rc_builder builder;
    if (!rc_base_url_mistake_find(path, &mistake))
        return false;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    push_message(&text, exchange, path, mistake.path);
    rc_exchange_begin_outcome(exchange, &builder, RC_LOCAL_WRONG_BASE_URL, rc_buf_get(&text));
    rc_buf_reset(&text);
    rc_buf_push(&text, RC_STR("Set the client's base URL to "));
    push_base(&text, exchange);
    rc_buf_push_byte(&text, '.');
    rc_builder_set_action(&builder, RC_ACTION_CHECK_CONFIG, rc_buf_get(&text));
    rc_exchange_refuse_report(exchange, rc_builder_finish(&builder));
    return true;
}

/* ---- endpoints that only providers have ---- */

/* Returns the path after a provider's base URL. For "/v1/files" of OpenAI's API it is "/files",
 * because the base URL ends with /v1. */
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

/* Counts the providers that have this API. `ret_first`: the first of these providers. */
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
        rc_buf_push(text, RC_STR("/ followed by the path"));
}

static void set_action(rc_builder *builder, rc_str provider)
{
    char scratch[MESSAGE_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push(&text, RC_STR("Set the client's base URL for this API to /p/"));
    rc_buf_push(&text, provider);
    rc_buf_push(&text, RC_STR(" of this gateway, or check the path."));
    rc_builder_set_action(builder, RC_ACTION_CHECK_CONFIG, rc_buf_get(&text));
}

/* Refuses an endpoint that providers have and this gateway does not, and names its passthrough
 * path. The gateway does not forward the request automatically, because only the client knows which
 * provider made a file or a response. Returns false, without a refusal, if no provider has the
 * path. */
static bool refuse_provider_path(rc_exchange *exchange, rc_str path)
{
    const rc_wire wire = rc_wire_of_dialect(rc_client_request_dialect(&exchange->request));
    const rc_config_provider *first = NULL;
    char scratch[MESSAGE_MAX];
    rc_buf text;
    rc_builder builder;
    if (!is_of_providers(path))
        return false;
    const size_t count = count_speakers(exchange->snapshot->config, wire, &first);
    const rc_str name = count > 0 ? first->name : RC_STR("PROVIDER");
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push(&text, RC_STR("This gateway does not have this endpoint. It forwards other "
                              "endpoints of a provider under /p/: request "));
    push_passthrough_path(&text, name, path_after_base(path, wire));
    if (count > 1)
        rc_buf_push(&text, RC_STR(", or the same path with the name of another provider"));
    if (count == 0)
        rc_buf_push(
            &text,
            RC_STR(
                " with the name of a provider that has this API; no such provider is configured"));
    rc_buf_push_byte(&text, '.');
    if (rc_buf_status(&text) != RC_OK)
        return false;
    rc_exchange_begin_outcome(exchange, &builder, RC_LOCAL_PROVIDER_ENDPOINT, rc_buf_get(&text));
    set_action(&builder, name);
    rc_exchange_refuse_report(exchange, rc_builder_finish(&builder));
    return true;
}

/* ---- all other paths ---- */

/* Refuses a path that no endpoint has, and names all base URLs. */
static void refuse_path(rc_exchange *exchange, rc_str path)
{
    char scratch[MESSAGE_MAX];
    rc_buf text;
    rc_builder builder;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push(&text, RC_STR("There is no endpoint "));
    if (path.len <= PATH_MAX_BYTES) {
        rc_buf_push(&text, rc_http1_method(exchange->request.reader));
        rc_buf_push_byte(&text, ' ');
        rc_buf_push(&text, path);
        rc_buf_push_byte(&text, ' ');
    }
    rc_buf_push(&text, RC_STR("here."));
    rc_exchange_begin_outcome(exchange, &builder, RC_LOCAL_UNKNOWN_PATH, rc_buf_get(&text));
    rc_buf_reset(&text);
    rc_buf_push(&text, RC_STR("Check the path and the client's base URL:"));
    rc_base_url_push_all(&text, host_of(exchange), RC_STR(" "), RC_STR(";"));
    rc_buf_push(&text, RC_STR(" GET /v1/models lists the models."));
    rc_builder_set_action(&builder, RC_ACTION_CHECK_CONFIG, rc_buf_get(&text));
    rc_exchange_refuse_report(exchange, rc_builder_finish(&builder));
}

void rc_exchange_refuse_unknown_path(rc_exchange *exchange)
{
    const rc_str path = path_of(exchange);
    if (!refuse_base_url(exchange, path) && !refuse_provider_path(exchange, path))
        refuse_path(exchange, path);
}
