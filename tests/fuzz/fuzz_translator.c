/* Responses of any bytes, translated between all dialects: what the client gets are complete events
 * with valid JSON, blocks do not overlap, nothing follows the end, and the length stays in
 * proportion to what was read. The first byte selects the two dialects, the second the form; each
 * line behind them is one event or body. */
#include <stdint.h>
#include <stdlib.h>

#include <recourse/stdlib.h>

#include "base/str.h"
#include "dialect/translate/schema.h"
#include "support/translate_run.h"
#include "json/members.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HEAD_BYTES 2
/* Maximum length of what one event of the target becomes, beside a multiple of its length: the
 * events that begin and end a response or a block. */
#define EVENT_OVERHEAD 8192

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
static void check_events(rc_str out, rc_dialect to, seen *s)
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
        if (to == RC_DIALECT_ANTHROPIC)
            check_messages_event(s, json);
    }
}

static void run(const rc_alloc *alloc, const uint8_t *head, rc_str lines)
{
    rc_conversation c;
    rc_translator t;
    rc_str line;
    seen s = {.is_over = false};
    const translate_dialect *from = &translate_dialects[(head[0] & 3) % TRANSLATE_DIALECT_COUNT];
    const translate_dialect *to = &translate_dialects[(head[0] >> 2 & 3) % TRANSLATE_DIALECT_COUNT];
    rc_output_facts facts = translate_facts((head[1] & 1) != 0);
    facts.wants_usage = (head[1] & 2) != 0;
    facts.sees_thoughts = (head[1] & 4) != 0;
    facts.target = (head[1] & 8) != 0 ? facts.target : RC_STR("");
    rc_conversation_init(&c, alloc);
    check(rc_conversation_read(&c, to->dialect, rc_str_c(to->request), false) == RC_OK);
    rc_translator_init(&t, &c, from->dialect, &facts, alloc);
    size_t read = 0;
    size_t written = 0;
    for (size_t at = 0; translate_next_line(lines, &at, &line);) {
        if (!rc_schema_is_object(line) && !rc_str_eq(line, RC_STR("[DONE]")))
            continue;
        rc_status status = facts.is_stream ? rc_translator_push_event(&t, line)
                                           : rc_translator_push_body(&t, line);
        check(rc_translator_validate(&t) || status != RC_OK);
        if (status != RC_OK)
            break;
        rc_str out = rc_translator_output(&t);
        read += line.len;
        written += out.len;
        if (facts.is_stream)
            check_events(out, to->dialect, &s);
        else
            check(out.len == 0 || rc_schema_is_object(out));
        rc_translator_take(&t);
    }
    /* The shortest element that becomes an event of its own, such as a call of Gemini without
     * arguments, has about 30 bytes. */
    check(written <= 60 * read + EVENT_OVERHEAD);
    rc_translator_done(&t);
    rc_conversation_done(&c);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    rc_alloc alloc = rc_alloc_stdlib();
    if (size >= HEAD_BYTES)
        run(&alloc, data, rc_str_make((const char *)data + HEAD_BYTES, size - HEAD_BYTES));
    return 0;
}
