/* The interfaces of providers: names, endpoints, and which ones can be translated into each other.
 * Called by src/config, src/gateway and src/cli/config. */
#include "dialect/interface.h"

#include "dialect/translate/dialects.h"

typedef struct interface_row {
    rc_dialect dialect;
    const char *name;
    rc_endpoint_id endpoint;
    rc_endpoint_id stream_endpoint;
} interface_row;

static const interface_row rows[RC_INTERFACE_COUNT] = {
    {RC_DIALECT_OPENAI_CHAT, "chat", RC_ENDPOINT_CHAT, RC_ENDPOINT_CHAT},
    {RC_DIALECT_OPENAI_RESPONSES, "responses", RC_ENDPOINT_RESPONSES, RC_ENDPOINT_RESPONSES},
    {RC_DIALECT_ANTHROPIC, "messages", RC_ENDPOINT_MESSAGES, RC_ENDPOINT_MESSAGES},
    {RC_DIALECT_GEMINI, "gemini", RC_ENDPOINT_GENERATE, RC_ENDPOINT_GENERATE_STREAM},
};

static const interface_row *row_of(rc_dialect interface)
{
    for (size_t i = 0; i < RC_INTERFACE_COUNT; i++)
        if (rows[i].dialect == interface)
            return &rows[i];
    return NULL;
}

rc_dialect rc_interface_at(size_t index)
{
    return index < RC_INTERFACE_COUNT ? rows[index].dialect : RC_DIALECT_PROBLEM;
}

size_t rc_interface_index(rc_dialect interface)
{
    const interface_row *row = row_of(interface);
    return row != NULL ? (size_t)(row - rows) : 0;
}

const char *rc_interface_name_at(const void *ctx, size_t index)
{
    (void)ctx;
    return index < RC_INTERFACE_COUNT ? rows[index].name : NULL;
}

const char *rc_interface_name(rc_dialect interface)
{
    const interface_row *row = row_of(interface);
    return row != NULL ? row->name : "";
}

const rc_endpoint *rc_interface_endpoint(rc_dialect interface, bool is_stream)
{
    const interface_row *row = row_of(interface);
    if (row == NULL)
        return NULL;
    return rc_endpoint_at((size_t)(is_stream ? row->stream_endpoint : row->endpoint));
}

bool rc_endpoint_is_generation(const rc_endpoint *endpoint)
{
    static const rc_endpoint_id ids[] = {RC_ENDPOINT_CHAT,
                                         RC_ENDPOINT_RESPONSES,
                                         RC_ENDPOINT_MESSAGES,
                                         RC_ENDPOINT_GENERATE,
                                         RC_ENDPOINT_GENERATE_STREAM,
                                         RC_ENDPOINT_GENERATE_V1,
                                         RC_ENDPOINT_GENERATE_STREAM_V1};
    for (size_t i = 0; i < sizeof ids / sizeof *ids; i++)
        if (endpoint->id == ids[i])
            return true;
    return false;
}

bool rc_interface_is_translatable(rc_dialect from, rc_dialect to)
{
    return rc_translate_functions_of(from) != NULL && rc_translate_functions_of(to) != NULL;
}
