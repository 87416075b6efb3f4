/* Requests that go in a circle: told by the gateway that sees its own name again, and by each one
 * on the way back to the client. */
#include "base/str.h"
#include "gateway/job.h"

/* RFC 5842, section 7.2. */
#define LOOP_DETECTED 508
#define MESSAGE_MAX 512u

static void set_action(rc_builder *builder)
{
    rc_builder_set_http_status(builder, LOOP_DETECTED);
    rc_builder_set_action(builder, RC_ACTION_CHECK_CONFIG,
                          RC_STR("Give providers.NAME.base_url the provider's own address, in each "
                                 "gateway on the way."));
}

void rc_gate_job_refuse_loop(rc_gate_job *job)
{
    rc_builder builder;
    rc_gate_job_begin_report(
        job, &builder, RC_CODE_ENDPOINT_NOT_FOUND,
        RC_STR("The request came back to a gateway that has sent it before: a base_url of "
               "`providers` leads here again, directly or through another gateway."));
    set_action(&builder);
    rc_gate_job_refuse_report(job, rc_builder_finish(&builder));
}

void rc_gate_job_tell_loop(const rc_gate_job *job, rc_builder *builder)
{
    char room[MESSAGE_MAX];
    rc_buf text;
    if (rc_report_code(job->report) != RC_CODE_ENDPOINT_NOT_FOUND || job->now == NULL ||
        rc_report_provider_status(job->report) != LOOP_DETECTED)
        return;
    const rc_gate_provider *provider = job->now->provider;
    rc_buf_init_fixed(&text, room, sizeof room);
    rc_buf_push(&text, RC_STR("providers."));
    rc_buf_push(&text, provider->config->name);
    rc_buf_push(&text, RC_STR(".base_url ("));
    rc_buf_push(&text, rc_origin_authority(&provider->origin));
    rc_buf_push(&text, RC_STR(") leads in a circle: a gateway behind it has sent the request back "
                              "to one that it came from."));
    rc_builder_set_message(builder, rc_buf_get(&text));
    set_action(builder);
}
