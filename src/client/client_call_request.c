/* Writes the HTTP request of a model call. Called by client_call.c. */
#include <recourse/version.h>

#include "base/secret.h"
#include "base/str.h"
#include "client/client_private.h"
#include "client/target.h"
#include "gateway/request/model.h"

static void push_path(rc_buf *buf, const rc_prompt *prompt, rc_dialect dialect)
{
    if (dialect == RC_DIALECT_ANTHROPIC) {
        rc_buf_push(buf, RC_STR("/v1/messages"));
        return;
    }
    if (dialect != RC_DIALECT_GEMINI) {
        rc_buf_push(buf, RC_STR("/v1/chat/completions"));
        return;
    }
    rc_buf_push(buf, RC_STR("/v1beta/models/"));
    rc_percent_encode(prompt->model, buf);
    rc_buf_push(buf, prompt->is_stream ? RC_STR(":streamGenerateContent?alt=sse")
                                       : RC_STR(":generateContent"));
}

static void push_host(rc_buf *buf, const rc_origin *origin)
{
    rc_buf_push(buf, RC_STR("host: "));
    rc_buf_push(buf, rc_origin_authority(origin));
    rc_buf_push(buf, RC_STR("\r\n"));
}

/* Appends the x-recourse-* headers. The gateway in this process returns the mark together with its
 * record of the call. */
static void push_own_fields(const rc_client_call *call, const rc_client_call_request *request,
                            rc_buf *buf)
{
    if (request->prompt.is_stream)
        rc_buf_push(buf, RC_STR("x-recourse-events: 1\r\n"));
    if (request->deadline_ms > 0) {
        rc_buf_push(buf, RC_STR("x-recourse-deadline-ms: "));
        rc_buf_push_u64(buf, request->deadline_ms);
        rc_buf_push(buf, RC_STR("\r\n"));
    }
    if (request->policy.len > 0) {
        rc_buf_push(buf, RC_STR("x-recourse-policy: "));
        rc_buf_push(buf, request->policy);
        rc_buf_push(buf, RC_STR("\r\n"));
    }
    if (call->client->gateway != NULL) {
        rc_buf_push(buf, RC_STR("x-recourse-mark: "));
        rc_buf_push(buf, rc_str_c(call->mark));
        rc_buf_push(buf, RC_STR("\r\n"));
    }
}

static rc_status push_body(rc_client_call *call, const rc_client_call_request *request)
{
    rc_prompt prompt = request->prompt;
    rc_target_choice target;
    if (call->client->config != NULL &&
        rc_target_choice_find(call->client->config, prompt.model, &target))
        rc_target_choice_adapt(&target, &call->dialect, &prompt);
    if (call->dialect == 0)
        call->dialect = RC_DIALECT_OPENAI_CHAT; /* Every gateway can translate this dialect. */
    return rc_prompt_push_body(&call->request_body, &prompt, call->dialect);
}

/* Writes head and body. Space for the whole head is reserved first, because a buffer that grows
 * leaves a copy of the token in freed memory. */
bool rc_client_call_write_request(rc_client_call *call, const rc_client_call_request *request)
{
    rc_buf *wire = &call->request_head;
    const rc_client *client = call->client;
    const rc_origin *origin = &client->origin;
    const rc_secret token = rc_secret_make(rc_str_trim(rc_buf_get(&client->token)));
    (void)push_body(call, request);
    (void)rc_buf_reserve(wire, 3 * request->prompt.model.len + request->policy.len + token.len +
                                   sizeof origin->prefix + sizeof origin->authority + 1024);
    rc_buf_push(wire, RC_STR("POST "));
    rc_buf_push(wire, rc_origin_prefix(origin));
    push_path(wire, &request->prompt, call->dialect);
    rc_buf_push(wire, RC_STR(" HTTP/1.1\r\n"));
    push_host(wire, origin);
    rc_buf_push(wire, RC_STR("user-agent: recourse/" RC_VERSION "\r\n"
                             "content-type: application/json\r\n"
                             "accept: application/json, text/event-stream\r\n"
                             "accept-encoding: identity\r\n"));
    if (token.len > 0) {
        rc_buf_push(wire, RC_STR("authorization: Bearer "));
        (void)rc_secret_push(wire, token);
        rc_buf_push(wire, RC_STR("\r\n"));
    }
    push_own_fields(call, request, wire);
    rc_buf_push(wire, RC_STR("content-length: "));
    rc_buf_push_u64(wire, rc_buf_get(&call->request_body).len);
    rc_buf_push(wire, RC_STR("\r\n\r\n"));
    return rc_buf_status(wire) == RC_OK && rc_buf_status(&call->request_body) == RC_OK;
}
