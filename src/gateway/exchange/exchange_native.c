/* Behind /p/PROVIDER: what the provider itself answered is told as it would be without us, its
 * status and, as far as anybody may read them, its words. What is refused or given up on here keeps
 * our own. */
#include "base/str.h"
#include "gateway/exchange/exchange.h"
#include "report/message.h"

#define PROXY_AUTHENTICATION 407

rc_dialect rc_exchange_native_dialect(const rc_snapshot *snapshot, const rc_client_request *request)
{
    const rc_config *config = snapshot->config;
    for (size_t i = 0; i < config->provider_count; i++)
        if (rc_str_eq(config->providers[i].name, request->provider))
            return config->providers[i].kind->dialect;
    return request->has_anthropic_version ? RC_DIALECT_ANTHROPIC : request->endpoint->dialect;
}

/* The provider, what it does, and its own words. False: there is no room for them. */
static bool set_provider_message(const rc_exchange *exchange, rc_str does, rc_builder *builder)
{
    char scratch[RC_MESSAGE_DETAIL_MAX + 512];
    rc_buf text;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push(&text, rc_report_provider(exchange->report));
    rc_buf_push(&text, does);
    rc_message_push_detail(&text, rc_report_detail(exchange->report));
    if (rc_buf_status(&text) != RC_OK)
        return false;
    rc_builder_set_message(builder, rc_buf_get(&text));
    return true;
}

/* What the client named is not there; which of all that it was, only the provider can say. */
static void describe_missing(const rc_exchange *exchange, int status, rc_builder *builder)
{
    if (set_provider_message(exchange,
                             status == 405 ? RC_STR(" does not take this method at this path")
                                           : RC_STR(" does not have what this path names"),
                             builder))
        rc_builder_set_action(builder, RC_ACTION_FIX_REQUEST,
                              RC_STR("Check the method, the path and the ids in it."));
}

void rc_exchange_describe_native(const rc_exchange *exchange, rc_builder *builder)
{
    const int status = (int)rc_report_provider_status(exchange->report); /* 1 to 999 */
    /* To the client we are no proxy that it could log in to. */
    if (status < 400 || status > 599 || status == PROXY_AUTHENTICATION)
        return;
    rc_builder_set_http_status(builder, status);
    if (rc_report_code(exchange->report) == RC_CODE_ENDPOINT_NOT_FOUND)
        describe_missing(exchange, status, builder);
    else if (rc_report_code(exchange->report) == RC_CODE_CONFLICT)
        (void)set_provider_message(exchange, RC_STR(" reports a conflict"), builder);
}
