/* Tool calls of a response: puts them together from their parts. Called by response_reader.c;
 * prompt.c calls rc_tool_call_has_object. */
#include "dialect/tool_calls.h"

#include "base/str.h"
#include "json/reader.h"

#define DEPTH_MAX 64

void rc_tool_calls_init(rc_tool_calls *calls, const rc_alloc *alloc)
{
    calls->alloc = *alloc;
    calls->count = 0;
    calls->bytes = 0;
    calls->is_incomplete = false;
}

void rc_tool_calls_done(rc_tool_calls *calls)
{
    for (size_t i = 0; i < calls->count; i++) {
        rc_tool_call_parts *parts = &calls->list[i];
        rc_buf_done(&parts->id);
        rc_buf_done(&parts->name);
        rc_buf_done(&parts->arguments);
        rc_buf_done(&parts->signature);
    }
    calls->count = 0;
}

static rc_tool_call_parts *add_call(rc_tool_calls *calls, int64_t key)
{
    if (calls->count == RC_TOOL_CALLS_MAX) {
        calls->is_incomplete = true;
        return NULL;
    }
    rc_tool_call_parts *parts = &calls->list[calls->count++];
    parts->key = key;
    rc_buf_init(&parts->id, &calls->alloc, RC_TOOL_CALLS_BYTES_MAX);
    rc_buf_init(&parts->name, &calls->alloc, RC_TOOL_CALLS_BYTES_MAX);
    rc_buf_init(&parts->arguments, &calls->alloc, RC_TOOL_CALLS_BYTES_MAX);
    rc_buf_init(&parts->signature, &calls->alloc, RC_TOOL_CALLS_BYTES_MAX);
    return parts;
}

static bool is_string(rc_str json)
{
    return json.len > 2 && json.ptr[0] == '"';
}

static bool reserve(rc_tool_calls *calls, size_t len)
{
    const bool has_room = len <= RC_TOOL_CALLS_BYTES_MAX - calls->bytes;
    calls->is_incomplete |= !has_room;
    if (has_room)
        calls->bytes += len;
    return has_room;
}

void rc_tool_calls_add_string(rc_tool_calls *calls, rc_buf *text, rc_str json)
{
    if (is_string(json) && reserve(calls, json.len))
        calls->is_incomplete |=
            rc_json_unescape(rc_str_slice(json, 1, json.len - 1), text) != RC_OK;
}

void rc_tool_calls_add_object(rc_tool_calls *calls, rc_buf *text, rc_str json)
{
    if (reserve(calls, json.len))
        calls->is_incomplete |= rc_buf_push(text, json) != RC_OK;
}

static rc_tool_call_parts *find_key(rc_tool_calls *calls, int64_t key)
{
    for (size_t i = calls->count; key != RC_TOOL_CALLS_NO_KEY && i > 0; i--)
        if (calls->list[i - 1].key == key)
            return &calls->list[i - 1];
    return NULL;
}

/* Some servers send several complete calls with the same index; these calls differ only in their
 * ids. Other servers change the id from part to part of one call, so a part without a name belongs
 * to the call before it. */
rc_tool_call_parts *rc_tool_calls_find(rc_tool_calls *calls, int64_t key, rc_str id, bool has_name)
{
    rc_tool_call_parts *parts = find_key(calls, key);
    const bool is_other =
        parts != NULL && has_name && is_string(id) && rc_buf_get(&parts->id).len > 0 &&
        !rc_json_raw_eq(rc_str_slice(id, 1, id.len - 1), true, rc_buf_get(&parts->id));
    if (parts == NULL || is_other)
        parts = add_call(calls, key);
    if (parts != NULL && rc_buf_get(&parts->id).len == 0)
        rc_tool_calls_add_string(calls, &parts->id, id);
    return parts;
}

rc_tool_call rc_tool_calls_get(const rc_tool_calls *calls, size_t index)
{
    const rc_tool_call_parts *parts = &calls->list[index];
    const rc_str arguments = rc_str_trim(rc_buf_get(&parts->arguments));
    return (rc_tool_call){
        .id = rc_buf_get(&parts->id),
        .name = rc_buf_get(&parts->name),
        .arguments = arguments.len > 0 ? arguments : RC_STR("{}"),
        .signature = rc_buf_get(&parts->signature),
    };
}

bool rc_tool_call_has_object(const rc_tool_call *call)
{
    const rc_json_limits limits = {.max_bytes = call->arguments.len, .max_depth = DEPTH_MAX};
    rc_json_reader reader;
    rc_json_token token;
    rc_json_reader_init(&reader, call->arguments, &limits);
    if (rc_json_reader_next(&reader).type != RC_JSON_OBJECT_BEGIN)
        return false;
    do
        token = rc_json_reader_next(&reader);
    while (token.type != RC_JSON_END && token.type != RC_JSON_ERROR);
    return token.type == RC_JSON_END;
}
