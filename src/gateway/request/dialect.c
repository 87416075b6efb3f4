/* Determines the dialect of a client from the path. SDKs of several dialects use /v1/models; for
 * this path the SDK's headers decide. Called by exchanges and local_responses.c. */
#include "base/str.h"
#include "gateway/request/base_url.h"
#include "gateway/request/client_request.h"

/* Whether a path has a verb behind a model, as "/models/x:generateContent". Only Google's paths
 * have verbs. */
static bool has_verb(rc_str path)
{
    const size_t models = rc_str_find(path, RC_STR("/models/"), 0);
    if (models == RC_STR_NPOS)
        return false;
    for (size_t i = 0; rc_endpoint_at(i) != NULL; i++) {
        const rc_str verb = rc_endpoint_at(i)->verb;
        if (verb.len > 0 && rc_str_ends_with(path, verb))
            return true;
    }
    return false;
}

rc_dialect rc_dialect_of_path(rc_str path)
{
    const bool is_gemini = rc_str_starts_with(path, RC_STR("/v1beta")) ||
                           rc_str_starts_with(path, RC_STR("/upload/")) || has_verb(path);
    if (is_gemini)
        return RC_DIALECT_GEMINI;
    return rc_str_starts_with(path, RC_STR("/v1/messages")) ? RC_DIALECT_ANTHROPIC
                                                            : RC_DIALECT_OPENAI_CHAT;
}

rc_dialect rc_client_request_dialect(const rc_client_request *request)
{
    const rc_endpoint *endpoint = request->endpoint;
    if (endpoint != NULL && endpoint->wire != RC_WIRE_LOCAL && endpoint->wire != RC_WIRE_NATIVE)
        return endpoint->dialect;
    const rc_str target = rc_http1_target(request->reader, request->head);
    const rc_str path = rc_str_slice(target, 0, rc_str_find_byte(target, '?', 0));
    rc_base_url_mistake mistake;
    if (endpoint == NULL && rc_base_url_mistake_find(path, &mistake) &&
        mistake.match.endpoint->wire != RC_WIRE_LOCAL)
        return mistake.match.endpoint->dialect;
    const rc_dialect dialect = rc_dialect_of_path(path);
    if (dialect != RC_DIALECT_OPENAI_CHAT)
        return dialect;
    if (request->has_anthropic_version)
        return RC_DIALECT_ANTHROPIC;
    return request->is_google_client ? RC_DIALECT_GEMINI : dialect;
}
