/* Responses of any bytes, translated between chat and messages: what the client gets are complete
 * events with valid JSON, blocks do not overlap, and nothing follows the end. The first byte is the
 * direction and the form; each line behind it is one event or body. */
#include <stdint.h>
#include <stdlib.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "dialect/translate/schema.h"
#include "dialect/translate/translator.h"
#include "json/members.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

typedef struct seen {
    bool is_block_open;
    bool is_over;
    int64_t blocks;
} seen;

/* Checks the order of the events of a Messages stream. */
static void check_messages_event(seen *s, rc_str event)
{
    rc_str type = rc_json_member_text(event, RC_STR("type"));
    check(!s->is_over);
    if (rc_str_eq(type, RC_STR("content_block_start"))) {
        check(!s->is_block_open);
        s->is_block_open = true;
        s->blocks++;
    } else if (rc_str_eq(type, RC_STR("content_block_delta"))) {
        check(s->is_block_open);
    } else if (rc_str_eq(type, RC_STR("content_block_stop"))) {
        check(s->is_block_open);
        s->is_block_open = false;
    } else if (rc_str_eq(type, RC_STR("message_delta"))) {
        check(!s->is_block_open);
    } else if (rc_str_eq(type, RC_STR("message_stop"))) {
        s->is_over = true;
    }
}

/* Checks that the output consists of complete events. */
static void check_events(rc_str out, bool is_messages, seen *s)
{
    for (size_t at = 0; at < out.len;) {
        size_t end = rc_str_find(out, RC_STR("\n\n"), at);
        check(end != RC_STR_NPOS);
        rc_str event = rc_str_slice(out, at, end);
        at = end + 2;
        size_t data = rc_str_find(event, RC_STR("data: "), 0);
        if (data == RC_STR_NPOS)
            continue; /* a comment */
        rc_str json = rc_str_slice(event, data + 6, event.len);
        check(rc_str_eq(json, RC_STR("[DONE]")) || rc_schema_is_object(json));
        if (is_messages)
            check_messages_event(s, json);
    }
}

static void run(const rc_alloc *alloc, uint8_t kind, rc_str lines)
{
    rc_conversation c;
    rc_translator t;
    seen s = {.is_over = false};
    bool is_messages = (kind & 1) != 0; /* the client's dialect */
    rc_output_facts facts = {.request_id = RC_STR("r"),
                             .model = RC_STR("m"),
                             .is_stream = (kind & 2) != 0,
                             .wants_usage = (kind & 4) != 0,
                             .sees_thoughts = (kind & 8) != 0};
    rc_str request =
        RC_STR("{\"max_tokens\":1,\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}");
    rc_conversation_init(&c, alloc);
    check(rc_conversation_read(&c, is_messages ? RC_DIALECT_ANTHROPIC : RC_DIALECT_OPENAI_CHAT,
                               request, false) == RC_OK);
    rc_translator_init(&t, &c, is_messages ? RC_DIALECT_OPENAI_CHAT : RC_DIALECT_ANTHROPIC, &facts,
                       alloc);
    for (size_t at = 0; at < lines.len;) {
        size_t end = rc_str_find_byte(lines, '\n', at);
        end = end == RC_STR_NPOS ? lines.len : end;
        rc_str line = rc_str_slice(lines, at, end);
        at = end + 1;
        if (!rc_schema_is_object(line) && !rc_str_eq(line, RC_STR("[DONE]")))
            continue;
        rc_status status = facts.is_stream ? rc_translator_push_event(&t, line)
                                           : rc_translator_push_body(&t, line);
        check(rc_translator_validate(&t) || status != RC_OK);
        if (status != RC_OK)
            break;
        rc_str out = rc_translator_output(&t);
        if (facts.is_stream)
            check_events(out, is_messages, &s);
        else
            check(out.len == 0 || rc_schema_is_object(out));
        rc_translator_take(&t);
    }
    rc_translator_done(&t);
    rc_conversation_done(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rc_alloc alloc = rc_alloc_stdlib();
    if (size > 0)
        run(&alloc, data[0], rc_str_make((const char *)data + 1, size - 1));
    return 0;
}
