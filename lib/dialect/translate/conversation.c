/* Stores a request in a form that is independent of its dialect, and chooses the reader of the
 * dialect. Called by the gateway for attempts at targets that use another dialect than the
 * client. */
#include "dialect/translate/conversation.h"

#include "dialect/translate/dialects.h"
#include "dialect/translate/read.h"
#include "json/reader.h"

#define JSON_DEPTH_MAX 128u

void rc_conversation_init(rc_conversation *c, const rc_alloc *alloc)
{
    *c = (rc_conversation){.max_tokens = -1, .thought_budget = -1};
    rc_buf_init(&c->parts_buf, alloc, RC_CONVERSATION_PARTS_MAX * sizeof(rc_part));
    rc_buf_init(&c->tools_buf, alloc, RC_CONVERSATION_TOOLS_MAX * sizeof(rc_tool_decl));
    rc_buf_init(&c->allowed_buf, alloc, RC_CONVERSATION_TOOLS_MAX * sizeof(rc_span));
}

void rc_conversation_done(rc_conversation *c)
{
    rc_buf_done(&c->parts_buf);
    rc_buf_done(&c->tools_buf);
    rc_buf_done(&c->allowed_buf);
}

rc_status rc_conversation_check(rc_str body)
{
    rc_json_reader reader;
    rc_json_limits limits = {.max_bytes = UINT32_MAX, .max_depth = JSON_DEPTH_MAX};
    rc_json_reader_init(&reader, body, &limits);
    rc_json_token token = rc_json_reader_next(&reader);
    if (token.type != RC_JSON_ERROR && token.type != RC_JSON_OBJECT_BEGIN)
        return RC_E_TYPE;
    while (token.type != RC_JSON_END && token.type != RC_JSON_ERROR)
        token = rc_json_reader_next(&reader);
    return token.type == RC_JSON_END ? RC_OK : reader.fault.status;
}

rc_status rc_conversation_read(rc_conversation *c, rc_dialect dialect, rc_str body, bool is_stream)
{
    c->body = body;
    c->dialect = dialect;
    c->is_stream = is_stream;
    c->fault_name = "the body";
    const rc_translate_functions *functions = rc_translate_functions_of(dialect);
    c->status = functions != NULL ? rc_conversation_check(body) : RC_E_ARGUMENT;
    if (c->status != RC_OK)
        return c->status;
    functions->read_request(c, body);
    rc_read_finish(c);
    return c->status;
}

const char *rc_conversation_fault(const rc_conversation *c)
{
    return c->fault_name;
}

const rc_part *rc_conversation_parts(const rc_conversation *c, size_t *ret_count)
{
    *ret_count = c->parts_buf.len / sizeof(rc_part);
    return (const rc_part *)(const void *)c->parts_buf.ptr;
}

const rc_tool_decl *rc_conversation_tools(const rc_conversation *c, size_t *ret_count)
{
    *ret_count = c->tools_buf.len / sizeof(rc_tool_decl);
    return (const rc_tool_decl *)(const void *)c->tools_buf.ptr;
}

const rc_span *rc_conversation_allowed(const rc_conversation *c, size_t *ret_count)
{
    *ret_count = c->allowed_buf.len / sizeof(rc_span);
    return (const rc_span *)(const void *)c->allowed_buf.ptr;
}

/* ---- invariants ---- */

static bool is_inside(const rc_conversation *c, rc_span span)
{
    return span.len == 0 || (span.at < c->body.len && span.len <= c->body.len - span.at);
}

static bool is_part_valid(const rc_conversation *c, const rc_part *part, const rc_part *previous)
{
    bool is_in_result = (part->flags & RC_PART_IS_IN_RESULT) != 0;
    bool follows_result = previous != NULL && (previous->kind == RC_PART_RESULT ||
                                               (previous->flags & RC_PART_IS_IN_RESULT) != 0);
    return is_inside(c, part->content) && is_inside(c, part->id) && is_inside(c, part->name) &&
           is_inside(c, part->state) && (!is_in_result || follows_result) &&
           part->turn < c->turn_count &&
           (previous == NULL || part->turn == previous->turn || part->turn > previous->turn) &&
           (previous == NULL || part->turn != previous->turn || part->role == previous->role);
}

bool rc_conversation_validate(const rc_conversation *c)
{
    size_t count = 0;
    const rc_part *parts = rc_conversation_parts(c, &count);
    for (size_t i = 0; i < count; i++)
        if (!is_part_valid(c, &parts[i], i > 0 ? &parts[i - 1] : NULL))
            return false;
    const rc_tool_decl *tools = rc_conversation_tools(c, &count);
    for (size_t i = 0; i < count; i++)
        if (!is_inside(c, tools[i].name) || !is_inside(c, tools[i].description) ||
            !is_inside(c, tools[i].schema))
            return false;
    for (size_t i = 0; i < c->stop_count; i++)
        if (!is_inside(c, c->stops[i]))
            return false;
    return is_inside(c, c->schema) && is_inside(c, c->schema_name) && is_inside(c, c->choice_name);
}
