/* Request loops: a gateway that finds its own name in the Via header refuses the request, and each
 * gateway that passes the refusal back names its provider. Called by exchange_request.c and
 * exchange_reply.c. */
#include "gateway/exchange/exchange_request_loop.h"
#include "base/str.h"
#include "gateway/exchange/attempt.h"
#include "gateway/exchange/exchange_private.h"
#include "gateway/exchange/exchange_reply.h"
#include "gateway/state/snapshot.h"

#define MESSAGE_MAX 512u

static void set_action(rc_builder *builder)
{
    rc_builder_set_action(builder, RC_ACTION_CHECK_CONFIG,
                          RC_STR("Set providers.NAME.base_url to the provider's own address, in "
                                 "each gateway on the way."));
}

void rc_exchange_refuse_request_loop(rc_exchange *exchange)
{
    rc_builder builder;
    rc_exchange_begin_outcome(exchange, &builder, RC_LOCAL_REQUEST_LOOP, RC_STR(""));
    set_action(&builder);
    rc_exchange_refuse_report(exchange, rc_builder_finish(&builder));
}

void rc_exchange_describe_request_loop(const rc_exchange *exchange, rc_builder *builder)
{
    char scratch[MESSAGE_MAX];
    rc_buf text;
    const rc_local_outcome_row *refusal = rc_local_outcome_get(RC_LOCAL_REQUEST_LOOP);
    if (rc_report_code(exchange->report) != refusal->code ||
        rc_exchange_current(exchange) == NULL ||
        rc_report_provider_status(exchange->report) != refusal->status)
        return;
    const rc_snapshot_provider *provider = rc_exchange_current(exchange)->provider;
    rc_buf_init_fixed(&text, scratch, sizeof scratch);
    rc_buf_push(&text, RC_STR("providers."));
    rc_buf_push(&text, provider->config->name);
    rc_buf_push(&text, RC_STR(".base_url ("));
    rc_buf_push(&text, rc_origin_authority(&provider->origin));
    rc_buf_push(&text, RC_STR(") forms a loop: a gateway behind it sent the request back to a "
                              "gateway that it came from."));
    rc_builder_set_message(builder, rc_buf_get(&text));
    rc_builder_set_http_status(builder, refusal->status);
    set_action(builder);
}
