/* Behind /p/PROVIDER: what the provider itself answered is told as it would be without us, its
 * status and, as far as anybody may read them, its words. What is refused or given up on here keeps
 * our own. */
#include "base/str.h"
#include "core/message.h"
#include "gateway/job.h"

#define PROXY_AUTHENTICATION 407

rc_dialect rc_gate_native_dialect(const rc_gate_plans *plans, const rc_gate_request *request)
{
    const rc_config *config = plans->config;
    for (size_t i = 0; i < config->provider_count; i++)
        if (rc_str_eq(config->providers[i].name, request->provider))
            return config->providers[i].kind->dialect;
    return request->has_version ? RC_DIALECT_ANTHROPIC : request->endpoint->dialect;
}

/* The provider, what it does, and its own words. False: there is no room for them. */
static bool tell_words(const rc_gate_job *job, rc_str does, rc_builder *builder)
{
    char room[RC_MESSAGE_SAID_MAX + 512];
    rc_buf text;
    rc_buf_init_fixed(&text, room, sizeof room);
    rc_buf_push(&text, rc_report_provider(job->report));
    rc_buf_push(&text, does);
    rc_message_push_said(&text, rc_report_detail(job->report));
    if (rc_buf_status(&text) != RC_OK)
        return false;
    rc_builder_set_message(builder, rc_buf_get(&text));
    return true;
}

/* What the client named is not there; which of all that it was, only the provider can say. */
static void tell_missing(const rc_gate_job *job, int status, rc_builder *builder)
{
    if (tell_words(job,
                   status == 405 ? RC_STR(" does not take this method at this path")
                                 : RC_STR(" does not have what this path names"),
                   builder))
        rc_builder_set_action(builder, RC_ACTION_FIX_REQUEST,
                              RC_STR("Check the method, the path and the ids in it."));
}

void rc_gate_job_tell_native(const rc_gate_job *job, rc_builder *builder)
{
    const int status = (int)rc_report_provider_status(job->report); /* 1 to 999 */
    /* To the client we are no proxy that it could log in to. */
    if (status < 400 || status > 599 || status == PROXY_AUTHENTICATION)
        return;
    rc_builder_set_http_status(builder, status);
    if (rc_report_code(job->report) == RC_CODE_ENDPOINT_NOT_FOUND)
        tell_missing(job, status, builder);
    else if (rc_report_code(job->report) == RC_CODE_CONFLICT)
        (void)tell_words(job, RC_STR(" reports a conflict"), builder);
}
