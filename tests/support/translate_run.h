/* Runs a translator over the lines of a text: the events of a stream, or one body. Used by the
 * tests and fuzz targets of lib/dialect/translate. */
#ifndef TESTS_SUPPORT_TRANSLATE_RUN_H
#define TESTS_SUPPORT_TRANSLATE_RUN_H

#include <string.h>

#include "base/str.h"
#include "dialect/translate/translator.h"

/* A dialect with a request of a client that can receive everything: reasoning, states, usage. */
typedef struct translate_dialect {
    rc_dialect dialect;
    const char *name;
    const char *request;
} translate_dialect;

static const translate_dialect translate_dialects[] = {
    {RC_DIALECT_OPENAI_CHAT, "chat", "{\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}"},
    {RC_DIALECT_ANTHROPIC, "messages",
     "{\"max_tokens\":9,\"messages\":[{\"role\":\"user\",\"content\":\"q\"}],\"thinking\":"
     "{\"type\":\"adaptive\"}}"},
    {RC_DIALECT_GEMINI, "gemini",
     "{\"contents\":[{\"parts\":[{\"text\":\"q\"}]}],\"generationConfig\":{\"thinkingConfig\":"
     "{\"includeThoughts\":true}}}"},
    {RC_DIALECT_OPENAI_RESPONSES, "responses",
     "{\"input\":\"q\",\"store\":false,\"reasoning\":{\"summary\":\"auto\"}}"},
};
#define TRANSLATE_DIALECT_COUNT (sizeof translate_dialects / sizeof *translate_dialects)

static inline rc_output_facts translate_facts(bool is_stream)
{
    return (rc_output_facts){.request_id = RC_STR("r1"),
                             .model = RC_STR("m"),
                             .created_s = 7,
                             .input_tokens = 5,
                             .is_stream = is_stream,
                             .wants_usage = true,
                             .sees_thoughts = true,
                             .target = RC_STR("p/m")};
}

/* Returns the next line of the text and moves *at behind it. */
static inline bool translate_next_line(rc_str lines, size_t *at, rc_str *ret_line)
{
    if (*at >= lines.len)
        return false;
    size_t end = rc_str_find_byte(lines, '\n', *at);
    end = end == RC_STR_NPOS ? lines.len : end;
    *ret_line = rc_str_slice(lines, *at, end);
    *at = end + 1;
    return true;
}

/* Translates all lines and appends what the client gets. Returns the first failure. */
static inline rc_status translate_lines(const rc_alloc *alloc, const translate_dialect *from,
                                        const translate_dialect *to, const rc_output_facts *facts,
                                        rc_str lines, rc_buf *out, bool *ret_is_over)
{
    rc_conversation c;
    rc_translator t;
    rc_str line;
    rc_conversation_init(&c, alloc);
    rc_status status = rc_conversation_read(&c, to->dialect, rc_str_c(to->request), false);
    rc_translator_init(&t, &c, from->dialect, facts, alloc);
    for (size_t at = 0; status == RC_OK && translate_next_line(lines, &at, &line);) {
        status = facts->is_stream ? rc_translator_push_event(&t, line)
                                  : rc_translator_push_body(&t, line);
        rc_buf_push(out, rc_translator_output(&t));
        rc_translator_take(&t);
    }
    *ret_is_over = rc_translator_is_over(&t);
    rc_translator_done(&t);
    rc_conversation_done(&c);
    return status != RC_OK ? status : rc_buf_status(out);
}

/* Appends the data of each server-sent event of a stream as one line. */
static inline void translate_push_data_lines(rc_str stream, rc_buf *lines)
{
    rc_str line;
    for (size_t at = 0; translate_next_line(stream, &at, &line);) {
        if (!rc_str_starts_with(line, RC_STR("data: ")))
            continue;
        rc_buf_push(lines, rc_str_slice(line, 6, line.len));
        rc_buf_push_byte(lines, '\n');
    }
}

#endif
