/* Errors of passthroughs (/p/PROVIDER). The client gets a provider's error with the provider's
 * status and, if it contains no secrets, the provider's text. A request that the gateway itself
 * refuses gets the gateway's status. Called by exchange_reply.c and exchange_request.c. */
#include <recourse/builder.h>

#include "base/str.h"
#include "gateway/exchange/exchange_native.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/state/snapshot.h"
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

/* Sets a message that consists of the provider's name, `does` and the provider's text. Returns
 * false if the message does not fit. */
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

/* Sets the error of a path whose resource does not exist. The message contains the provider's text,
 * because only the provider knows the resource. */
static void describe_missing(const rc_exchange *exchange, int status, rc_builder *builder)
{
    if (set_provider_message(exchange,
                             status == 405 ? RC_STR(" does not support this method at this path")
                                           : RC_STR(" has no resource at this path"),
                             builder))
        rc_builder_set_action(builder, RC_ACTION_FIX_REQUEST,
                              RC_STR("Check the method, the path and the ids in the path."));
}

void rc_exchange_describe_native(const rc_exchange *exchange, rc_builder *builder)
{
    const int status = (int)rc_report_provider_status(exchange->report); /* A status from 1 to
                                                                          * 999. */
    /* A 407 is not passed on, because a client would take it as a request to authenticate to the
     * gateway. */
    if (status < 400 || status > 599 || status == PROXY_AUTHENTICATION)
        return;
    rc_builder_set_http_status(builder, status);
    if (rc_outcome_is_missing(rc_report_code(exchange->report)))
        describe_missing(exchange, status, builder);
    else if (rc_outcome_is_conflict(rc_report_code(exchange->report)))
        (void)set_provider_message(exchange, RC_STR(" reports a conflict"), builder);
}
