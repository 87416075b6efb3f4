/* rc_mock_dialect: the functions that write a response in one API dialect, as one body or as a
 * stream of events.
 *
 *   begin ─► thought ... ─► text ... | tool, tool ─► finish ─► terminator
 *                  └──────────┴── error
 *
 * Each function appends the bytes of one step to `buf`. A test checks that rc_stream_watch accepts
 * the streams as complete. response: borrows during the call. */
#ifndef RC_MOCK_DIALECT_H
#define RC_MOCK_DIALECT_H

#include "base/str.h"
#include "mock/response.h"
#include "json/writer.h"

/* Number of parts in which the arguments of a tool call are streamed. */
#define RC_MOCK_TOOL_PARTS 2

struct rc_mock_dialect {
    uint32_t begin_tokens; /* Output tokens that the first event of a stream already counts. */
    void (*begin)(rc_mock_response *response, rc_buf *buf);
    void (*thought)(rc_mock_response *response, rc_str piece, rc_buf *buf);
    void (*text)(rc_mock_response *response, rc_str piece, rc_buf *buf);
    void (*tool)(rc_mock_response *response, uint32_t part, rc_buf *buf);
    void (*finish)(rc_mock_response *response, rc_buf *buf);
    void (*terminator)(rc_mock_response *response, rc_buf *buf);
    void (*error)(rc_mock_response *response, rc_buf *buf);
    void (*keepalive)(rc_mock_response *response, rc_buf *buf);
    void (*whole)(rc_mock_response *response, rc_buf *buf);
};

extern const rc_mock_dialect rc_mock_dialect_chat;
extern const rc_mock_dialect rc_mock_dialect_completions;
extern const rc_mock_dialect rc_mock_dialect_responses;
extern const rc_mock_dialect rc_mock_dialect_anthropic;
extern const rc_mock_dialect rc_mock_dialect_gemini;

/* Each function appends the body for an endpoint that generates no text: embeddings, a token count,
 * a list of models. */
void rc_mock_push_embeddings(const rc_mock_response *response, rc_buf *buf);
void rc_mock_push_count(const rc_mock_response *response, rc_buf *buf);
void rc_mock_push_models(const rc_mock_response *response, rc_buf *buf);

/* ---- shared helpers ---- */

/* Begins an event, up to the start of the object in its data. `name` is the name of the event;
 * NULL: no name. */
void rc_mock_event_begin(rc_json_writer *w, rc_buf *buf, const char *name);
/* Ends an event. */
void rc_mock_event_end(rc_buf *buf);
/* Appends an SSE comment as keep-alive. */
void rc_mock_comment(rc_mock_response *response, rc_buf *buf);

/* Each function appends a member to the open object. rc_mock_object and rc_mock_array leave the new
 * object or array open. */
void rc_mock_string(rc_json_writer *w, const char *key, const char *value);
void rc_mock_number(rc_json_writer *w, const char *key, uint64_t value);
void rc_mock_null(rc_json_writer *w, const char *key);
void rc_mock_object(rc_json_writer *w, const char *key);
void rc_mock_array(rc_json_writer *w, const char *key);

/* Appends the member `key` with the value `prefix` followed by the response's id. */
void rc_mock_id(rc_json_writer *w, const char *key, const char *prefix,
                const rc_mock_response *response);

/* rc_mock_tool_arguments returns the static JSON arguments of the tool call, rc_mock_tool_part one
 * of RC_MOCK_TOOL_PARTS parts of them. */
rc_str rc_mock_tool_arguments(void);
rc_str rc_mock_tool_part(uint32_t part);

static inline rc_str rc_mock_response_thoughts(const rc_mock_response *response)
{
    return rc_str_slice(rc_buf_get(&response->text), 0, response->thought_len);
}
static inline rc_str rc_mock_response_text(const rc_mock_response *response)
{
    return rc_str_slice(rc_buf_get(&response->text), response->thought_len, response->text_len);
}
static inline bool rc_mock_response_is_tool(const rc_mock_response *response)
{
    return response->plan.text == RC_MOCK_TEXT_TOOL;
}

#endif
