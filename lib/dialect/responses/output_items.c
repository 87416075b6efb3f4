/* Writes the items of a response of the Responses API. Called by output_write.c.
 *
 *   text, refusal  a message with one content part
 *   reasoning      an item with one part of a summary, if it has a text, and the sealed state
 *   call           function_call or custom_tool_call */
#include "base/str.h"
#include "dialect/responses/output_write.h"
#include "dialect/translate/arguments.h"

/* ---- names of a kind ---- */

typedef struct item_names {
    const char *prefix; /* prefix of the item's id */
    const char *delta;  /* type of the event with a delta */
    const char *done;   /* type of the event with the whole text */
    const char *member; /* member of that event that has the whole text */
} item_names;

static const item_names names[] = {
    [RC_BLOCK_TEXT] = {"msg_", "response.output_text.delta", "response.output_text.done", "text"},
    [RC_BLOCK_THOUGHT] = {"rs_", "response.reasoning_summary_text.delta",
                          "response.reasoning_summary_text.done", "text"},
    [RC_BLOCK_REFUSAL] = {"msg_", "response.refusal.delta", "response.refusal.done", "refusal"},
    [RC_BLOCK_CALL] = {"fc_", "response.function_call_arguments.delta",
                       "response.function_call_arguments.done", "arguments"},
};

static const item_names custom_names = {"ctc_", "response.custom_tool_call_input.delta",
                                        "response.custom_tool_call_input.done", "input"};

static const item_names *names_of(const rc_output_writer *w, rc_block_kind block)
{
    return block == RC_BLOCK_CALL && w->is_custom ? &custom_names : &names[block];
}

/* ---- items ---- */

static rc_str text_of(const rc_output_writer *w)
{
    return rc_buf_get(&w->texts[RC_RESPONSES_TEXT]);
}

static void push_id(rc_output_writer *w, rc_buf *buf, rc_block_kind block)
{
    rc_buf_push(buf, rc_str_c(names_of(w, block)->prefix));
    rc_buf_push(buf, w->facts.request_id);
    rc_buf_push_byte(buf, '_');
    rc_buf_push_u64(buf, w->block_count - 1);
}

/* Writes the content part of a message. text: the content of a JSON string. */
static void push_part(rc_buf *buf, rc_block_kind block, rc_str text)
{
    if (block == RC_BLOCK_REFUSAL) {
        rc_buf_push(buf, RC_STR("{\"type\":\"refusal\",\"refusal\":\""));
        rc_buf_push(buf, text);
        rc_buf_push(buf, RC_STR("\"}"));
        return;
    }
    rc_buf_push(buf, block == RC_BLOCK_THOUGHT ? RC_STR("{\"type\":\"summary_text\",\"text\":\"")
                                               : RC_STR("{\"type\":\"output_text\",\"text\":\""));
    rc_buf_push(buf, text);
    rc_buf_push(buf, block == RC_BLOCK_THOUGHT ? RC_STR("\"}")
                                               : RC_STR("\",\"annotations\":[],\"logprobs\":[]}"));
}

static void push_message(rc_output_writer *w, rc_buf *buf, rc_block_kind block, bool is_done)
{
    rc_buf_push(buf, RC_STR("\",\"type\":\"message\",\"status\":\""));
    rc_buf_push(buf, is_done ? RC_STR("completed") : RC_STR("in_progress"));
    rc_buf_push(buf, RC_STR("\",\"role\":\"assistant\",\"content\":["));
    if (is_done)
        push_part(buf, block, text_of(w));
    rc_buf_push(buf, RC_STR("]}"));
}

static void push_reasoning(rc_output_writer *w, rc_buf *buf, bool is_done)
{
    rc_buf_push(buf, RC_STR("\",\"type\":\"reasoning\",\"summary\":["));
    if (is_done && text_of(w).len > 0)
        push_part(buf, RC_BLOCK_THOUGHT, text_of(w));
    rc_buf_push_byte(buf, ']');
    if (is_done && rc_buf_get(&w->state).len > 0) {
        rc_buf_push(buf, RC_STR(",\"encrypted_content\":\""));
        rc_buf_push(buf, rc_buf_get(&w->state));
        rc_buf_push_byte(buf, '"');
    }
    rc_buf_push_byte(buf, '}');
}

/* Returns the status of a call: arguments that were cut at the token limit are incomplete. */
static rc_str call_status(const rc_output_writer *w, bool is_done)
{
    rc_arguments scan = {0};
    if (!is_done)
        return RC_STR("in_progress");
    rc_arguments_push(&scan, text_of(w));
    return w->is_custom || rc_arguments_is_whole(&scan) ? RC_STR("completed")
                                                        : RC_STR("incomplete");
}

static void push_call(rc_output_writer *w, rc_buf *buf, bool is_done)
{
    rc_buf_push(buf, w->is_custom ? RC_STR("\",\"type\":\"custom_tool_call\",\"status\":\"")
                                  : RC_STR("\",\"type\":\"function_call\",\"status\":\""));
    rc_buf_push(buf, call_status(w, is_done));
    rc_buf_push(buf, rc_buf_get(&w->texts[RC_RESPONSES_HEAD]));
    rc_buf_push(buf, RC_STR("\",\""));
    rc_buf_push(buf, rc_str_c(names_of(w, RC_BLOCK_CALL)->member));
    rc_buf_push(buf, RC_STR("\":\""));
    if (is_done)
        rc_buf_push(buf, text_of(w));
    rc_buf_push(buf, RC_STR("\"}"));
}

/* Writes the open item. is_done: writes the complete item; otherwise the item as it begins, without
 * content. */
static void push_item(rc_output_writer *w, rc_buf *buf, rc_block_kind block, bool is_done)
{
    rc_buf_push(buf, RC_STR("{\"id\":\""));
    push_id(w, buf, block);
    switch (block) {
    case RC_BLOCK_TEXT:
    case RC_BLOCK_REFUSAL:
        push_message(w, buf, block, is_done);
        break;
    case RC_BLOCK_THOUGHT:
        push_reasoning(w, buf, is_done);
        break;
    case RC_BLOCK_CALL:
        push_call(w, buf, is_done);
        break;
    }
}

/* ---- events ---- */

void rc_responses_begin_event(rc_output_writer *w, const char *name)
{
    rc_output_begin_event(w, name);
    rc_json_member_string(&w->json, RC_STR("type"), rc_str_c(name));
    rc_json_member_i64(&w->json, RC_STR("sequence_number"), (int64_t)w->event_count - 1);
}

static void put_item_event(rc_output_writer *w, const char *name, rc_block_kind block, bool is_done)
{
    rc_responses_begin_event(w, name);
    rc_json_member_i64(&w->json, RC_STR("output_index"), (int64_t)w->block_count - 1);
    rc_json_key(&w->json, RC_STR("item"));
    rc_json_raw(&w->json, RC_STR(""));
    push_item(w, w->out, block, is_done);
    rc_output_end_event(w);
}

/* Begins an event about a part of the open item. */
static void begin_part_event(rc_output_writer *w, const char *name, rc_block_kind block)
{
    rc_responses_begin_event(w, name);
    rc_json_key(&w->json, RC_STR("item_id"));
    rc_json_raw(&w->json, RC_STR("\""));
    push_id(w, w->out, block);
    rc_buf_push_byte(w->out, '"');
    rc_json_member_i64(&w->json, RC_STR("output_index"), (int64_t)w->block_count - 1);
    if (block == RC_BLOCK_TEXT || block == RC_BLOCK_REFUSAL)
        rc_json_member_i64(&w->json, RC_STR("content_index"), 0);
    else if (block == RC_BLOCK_THOUGHT)
        rc_json_member_i64(&w->json, RC_STR("summary_index"), 0);
}

static void put_part_event(rc_output_writer *w, rc_block_kind block, bool is_done)
{
    bool is_thought = block == RC_BLOCK_THOUGHT;
    const char *added =
        is_thought ? "response.reasoning_summary_part.added" : "response.content_part.added";
    const char *done =
        is_thought ? "response.reasoning_summary_part.done" : "response.content_part.done";
    begin_part_event(w, is_done ? done : added, block);
    rc_json_key(&w->json, RC_STR("part"));
    rc_json_raw(&w->json, RC_STR(""));
    push_part(w->out, block, is_done ? text_of(w) : RC_STR(""));
    rc_output_end_event(w);
}

static void put_logprobs(rc_output_writer *w, rc_block_kind block)
{
    if (block != RC_BLOCK_TEXT)
        return;
    rc_json_key(&w->json, RC_STR("logprobs"));
    rc_json_raw(&w->json, RC_STR("[]"));
}

static void put_delta_event(rc_output_writer *w, const rc_piece *piece)
{
    begin_part_event(w, names_of(w, piece->block)->delta, piece->block);
    rc_json_key(&w->json, RC_STR("delta"));
    rc_json_raw(&w->json, RC_STR("\""));
    rc_output_push_arguments(w->out, piece);
    rc_buf_push_byte(w->out, '"');
    put_logprobs(w, piece->block);
    rc_output_end_event(w);
}

static void put_done_event(rc_output_writer *w, rc_block_kind block)
{
    const item_names *of = names_of(w, block);
    begin_part_event(w, of->done, block);
    rc_json_member_escaped(&w->json, rc_str_c(of->member), text_of(w));
    put_logprobs(w, block);
    rc_output_end_event(w);
}

/* ---- pieces ---- */

/* Stores the id and the name of a call. */
static void keep_head(rc_output_writer *w, const rc_piece *piece)
{
    rc_buf *head = &w->texts[RC_RESPONSES_HEAD];
    rc_buf_reset(head);
    rc_buf_push(head, RC_STR("\",\"call_id\":\""));
    rc_buf_push(head, piece->id);
    rc_buf_push(head, RC_STR("\",\"name\":\""));
    rc_buf_push(head, piece->name);
}

void rc_responses_open_item(rc_output_writer *w, const rc_piece *piece)
{
    bool is_message = piece->block == RC_BLOCK_TEXT || piece->block == RC_BLOCK_REFUSAL;
    w->block_count++;
    w->is_custom = piece->is_custom;
    w->has_text = false;
    rc_buf_reset(&w->texts[RC_RESPONSES_TEXT]);
    rc_buf_reset(&w->state);
    if (piece->block == RC_BLOCK_CALL)
        keep_head(w, piece);
    if (!w->facts.is_stream)
        return;
    put_item_event(w, "response.output_item.added", piece->block, false);
    if (is_message)
        put_part_event(w, piece->block, false);
}

void rc_responses_push_delta(rc_output_writer *w, const rc_piece *piece)
{
    rc_output_push_arguments(&w->texts[RC_RESPONSES_TEXT], piece);
    if (w->facts.is_stream && piece->block == RC_BLOCK_THOUGHT && !w->has_text)
        put_part_event(w, piece->block, false);
    w->has_text = true;
    if (w->facts.is_stream)
        put_delta_event(w, piece);
}

void rc_responses_close_item(rc_output_writer *w, const rc_piece *piece)
{
    rc_buf *items = &w->texts[RC_RESPONSES_ITEMS];
    rc_piece nothing = {.block = RC_BLOCK_CALL, .text = RC_STR("{}")};
    bool is_call = piece->block == RC_BLOCK_CALL;
    if (is_call && !w->has_text && !w->is_custom)
        rc_responses_push_delta(w, &nothing);
    if (items->len > 0)
        rc_buf_push_byte(items, ',');
    push_item(w, items, piece->block, true);
    if (!w->facts.is_stream)
        return;
    if (w->has_text || piece->block != RC_BLOCK_THOUGHT)
        put_done_event(w, piece->block);
    if (!is_call && (w->has_text || piece->block != RC_BLOCK_THOUGHT))
        put_part_event(w, piece->block, true);
    put_item_event(w, "response.output_item.done", piece->block, true);
}
