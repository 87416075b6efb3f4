/* rc_mock_dialect: how a dialect writes an answer, whole or as events.
 *
 *   begin ─► thought ... ─► text ... | tool, tool ─► finish ─► terminator
 *                  └──────────┴── error
 *
 * Each appends one step's bytes to buf. rc_stream_watch reads what they write as complete, and a
 * test says so. answer: borrows. */
#ifndef RC_MOCK_DIALECT_H
#define RC_MOCK_DIALECT_H

#include "base/str.h"
#include "mock/response.h"
#include "json/writer.h"

/* The arguments of a tool call come in this many parts. */
#define RC_MOCK_TOOL_PARTS 2

struct rc_mock_dialect {
    uint32_t begin_tokens; /* output that the first event counts already */
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

/* Bodies of endpoints that generate nothing. */
void rc_mock_push_embeddings(const rc_mock_response *response, rc_buf *buf);
void rc_mock_push_count(const rc_mock_response *response, rc_buf *buf);
void rc_mock_push_models(const rc_mock_response *response, rc_buf *buf);

/* ---- what they share ---- */

/* Begins an event's data; name: NULL for none. */
void rc_mock_event_begin(rc_json_writer *w, rc_buf *buf, const char *name);
void rc_mock_event_end(rc_buf *buf);
void rc_mock_comment(rc_mock_response *response, rc_buf *buf);

void rc_mock_string(rc_json_writer *w, const char *key, const char *value);
void rc_mock_number(rc_json_writer *w, const char *key, uint64_t value);
void rc_mock_null(rc_json_writer *w, const char *key);
void rc_mock_object(rc_json_writer *w, const char *key);
void rc_mock_array(rc_json_writer *w, const char *key);

/* "key": PREFIX and the answer's id. */
void rc_mock_id(rc_json_writer *w, const char *key, const char *prefix,
                const rc_mock_response *response);

/* The arguments of the call, or one part of them. Static. */
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
