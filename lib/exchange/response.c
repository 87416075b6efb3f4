/* rc_response: derives the mode, length and content coding from the head of a provider's response.
 * Called by the gateway's attempt_response.c. */
#include "exchange/response.h"

#include <string.h>

#include "base/str.h"
#include "exchange/response_private.h"

void rc_response_init(rc_response *response, const rc_response_request *request)
{
    memset(response, 0, offsetof(rc_response, watch));
    response->request = *request;
    rc_usage_init(&response->usage);
}

rc_stream_dialect rc_response_dialect(const rc_response *response)
{
    const rc_endpoint *endpoint = response->request.endpoint;
    if ((unsigned)endpoint->stream != RC_STREAM_UNWATCHED)
        return endpoint->stream;
    switch (endpoint->wire) {
    case RC_WIRE_ANTHROPIC:
        return RC_STREAM_ANTHROPIC;
    case RC_WIRE_GEMINI:
        return RC_STREAM_GEMINI;
    case RC_WIRE_OPENAI:
    case RC_WIRE_COUNT: /* RC_WIRE_NATIVE has the same value */
    case RC_WIRE_LOCAL:
        break;
    }
    return RC_STREAM_OPENAI_CHAT;
}

static rc_response_mode mode_of(const rc_response *response)
{
    const rc_endpoint *endpoint = response->request.endpoint;
    const bool is_watched = (unsigned)endpoint->stream != RC_STREAM_UNWATCHED;
    /* A passthrough forwards the client's request unchanged. If this is a conditional request, 304
     * is a valid response to it. */
    if (endpoint->wire == RC_WIRE_NATIVE && response->status == 304)
        return RC_MODE_RELAY;
    if (response->status < 200 || response->status > 299)
        return RC_MODE_ERROR;
    if (endpoint->wire == RC_WIRE_NATIVE)
        return RC_MODE_RELAY;
    if (response->expected != RC_EXPECT_ANY)
        return response->expected == RC_EXPECT_OBJECT ? RC_MODE_WHOLE : RC_MODE_STREAM;
    if (response->is_called_events)
        return is_watched ? RC_MODE_STREAM : RC_MODE_RELAY;
    return is_watched || response->is_called_json ? RC_MODE_WHOLE : RC_MODE_RELAY;
}

/* Returns whether the response may contain token counts, as the responses to most endpoints and to
 * passthroughs may. */
static bool is_counted(const rc_response *response)
{
    return !response->request.is_free && (response->is_called_events || response->is_called_json);
}

/* Returns whether the body is decompressed before it is passed on. A body that is not parsed stays
 * compressed. */
static bool is_decoded(const rc_response *response, const rc_response_facts *head)
{
    if (!head->is_compressed)
        return false;
    return response->mode != RC_MODE_RELAY || (head->is_coding_known && is_counted(response));
}

void rc_response_on_head(rc_response *response, const rc_response_facts *head)
{
    response->status = head->status;
    response->is_called_events =
        rc_str_starts_with_nocase(head->content_type, RC_STR("text/event-stream"));
    response->is_called_json =
        rc_str_starts_with_nocase(head->content_type, RC_STR("application/json"));
    response->is_bodiless = head->is_bodiless;
    response->expected = rc_response_expected_shape(response);
    response->mode = mode_of(response);
    response->is_decoded = is_decoded(response, head);
    response->has_length = head->has_length && !response->is_decoded;
    response->length_bytes = response->has_length ? head->length_bytes : 0;
}

bool rc_response_is_missing(const rc_response *response, uint64_t received_bytes)
{
    return received_bytes == 0 && response->request.endpoint->wire != RC_WIRE_NATIVE &&
           !response->is_bodiless;
}

bool rc_response_has_last_byte(const rc_response *response, uint64_t received_bytes, rc_str piece)
{
    return piece.len > 0 && response->has_length && received_bytes == response->length_bytes;
}
