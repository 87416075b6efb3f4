/* rc_endpoint: finds the endpoint of a path. Called by the gateway's client_request.c, outbound.c
 * and snapshot.c. */
#include "dialect/endpoint.h"

#include "base/str.h"

static const rc_endpoint endpoints[] = {
#define RC_ENDPOINT(ID, path, verb, METHOD, WIRE, DIALECT, STREAM, FAMILY, MODEL, STREAMS, REPLAY, \
                    openai, anthropic, gemini)                                                     \
    {RC_ENDPOINT_##ID,                                                                             \
     RC_STR_INIT(path),                                                                            \
     RC_STR_INIT(verb),                                                                            \
     RC_METHOD_##METHOD,                                                                           \
     RC_WIRE_##WIRE,                                                                               \
     RC_DIALECT_##DIALECT,                                                                         \
     (rc_stream_dialect)RC_STREAM_##STREAM,                                                        \
     RC_FAMILY_##FAMILY,                                                                           \
     RC_MODEL_##MODEL,                                                                             \
     RC_STREAMS_##STREAMS,                                                                         \
     RC_REPLAY_##REPLAY,                                                                           \
     {RC_STR_INIT(openai), RC_STR_INIT(anthropic), RC_STR_INIT(gemini)}},
#include "spec/endpoints.def"
};

const rc_endpoint *rc_endpoint_at(size_t index)
{
    return index < RC_ENDPOINT_COUNT ? &endpoints[index] : NULL;
}

/* Returns whether the path consists of the row's path, a model and the row's verb. */
static bool has_model(const rc_endpoint *row, rc_str path, rc_str *ret_model)
{
    size_t affix_len = row->path.len + row->verb.len;
    if (path.len <= affix_len || !rc_str_starts_with(path, row->path) ||
        !rc_str_ends_with(path, row->verb))
        return false;
    *ret_model = rc_str_make(path.ptr + row->path.len, path.len - affix_len);
    return true;
}

/* Returns whether the path consists of the row's path, the name of a provider, and a further
 * path. */
static bool has_provider(const rc_endpoint *row, rc_str path, rc_endpoint_match *match)
{
    if (!rc_str_starts_with(path, row->path))
        return false;
    size_t end = rc_str_find_byte(path, '/', row->path.len);
    if (end == RC_STR_NPOS || end == row->path.len)
        return false;
    match->provider = rc_str_slice(path, row->path.len, end);
    match->passthrough_path = rc_str_slice(path, end, path.len);
    return true;
}

static bool fits(const rc_endpoint *row, rc_str path, rc_endpoint_match *match)
{
    if (row->wire == RC_WIRE_NATIVE)
        return has_provider(row, path, match);
    if (row->model == RC_MODEL_PATH)
        return has_model(row, path, &match->model);
    return rc_str_eq(path, row->path);
}

bool rc_endpoint_find(rc_str path, rc_endpoint_match *ret_match)
{
    rc_endpoint_match match = {0};
    for (size_t i = 0; i < RC_ENDPOINT_COUNT; i++) {
        if (!fits(&endpoints[i], path, &match))
            continue;
        match.endpoint = &endpoints[i];
        *ret_match = match;
        return true;
    }
    return false;
}

bool rc_endpoint_accepts(const rc_endpoint *endpoint, rc_str method)
{
    if (endpoint->method == RC_METHOD_ANY)
        return true;
    if (endpoint->method == RC_METHOD_POST)
        return rc_str_eq(method, RC_STR("POST"));
    return rc_str_eq(method, RC_STR("GET")) || rc_str_eq(method, RC_STR("HEAD"));
}

rc_wire rc_wire_of_dialect(rc_dialect dialect)
{
    switch (dialect) {
    case RC_DIALECT_ANTHROPIC:
        return RC_WIRE_ANTHROPIC;
    case RC_DIALECT_GEMINI:
        return RC_WIRE_GEMINI;
    case RC_DIALECT_PROBLEM:
    case RC_DIALECT_OPENAI_CHAT:
    case RC_DIALECT_OPENAI_RESPONSES:
        return RC_WIRE_OPENAI;
    }
    return RC_WIRE_OPENAI;
}

bool rc_endpoint_is_supported(const rc_endpoint *endpoint, rc_dialect provider)
{
    return endpoint->wire == RC_WIRE_NATIVE ||
           endpoint->upstream[rc_wire_of_dialect(provider)].len > 0;
}
