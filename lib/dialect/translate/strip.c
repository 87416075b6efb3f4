/* Removes seals from requests that are not translated. Called by the gateway.
 *
 * The body is read once for each list that can contain a seal; each change is stored as a range of
 * the body, and the bytes between the ranges are copied. */
#include "dialect/translate/strip.h"

#include "base/str.h"
#include "dialect/chat/call_state.h"
#include "dialect/gemini/member.h"
#include "dialect/translate/read.h"
#include "dialect/translate/seal.h"
#include "json/reader.h"

/* ---- changes ---- */

typedef enum edit_kind {
    EDIT_CUT,
    EDIT_THINKING_OFF,  /* the range becomes {"type":"disabled"} */
    EDIT_SKIP_SIGNATURE /* the range becomes the signature that Gemini does not check */
} edit_kind;

typedef struct edit {
    size_t from;
    size_t end;
    edit_kind kind;
} edit;

static rc_str replacement_of(edit_kind kind)
{
    switch (kind) {
    case EDIT_THINKING_OFF:
        return RC_STR("{\"type\":\"disabled\"}");
    case EDIT_SKIP_SIGNATURE:
        return RC_STR("\"skip_thought_signature_validator\"");
    case EDIT_CUT:
        break;
    }
    return RC_STR("");
}

typedef struct stripper {
    rc_str body;
    rc_buf *edits;
    bool has_cut_loop; /* messages: a seal was removed in the loop of calls that is still open */
} stripper;

static void push_edit(stripper *s, size_t from, size_t end, edit_kind kind)
{
    edit row = {.from = from, .end = end, .kind = kind};
    rc_buf_push(s->edits, rc_str_make((const char *)&row, sizeof row));
}

static size_t offset_of(const stripper *s, rc_str view)
{
    return (size_t)(view.ptr - s->body.ptr);
}

/* An iteration over the members of an object or list from which members are removed, with their
 * commas. */
typedef struct cutter {
    rc_json_members m;
    rc_str value;        /* whole text of the current member's value */
    size_t kept_end;     /* end of the latest member that stays, or of the opening bracket */
    size_t kept_edits;   /* length of the list of edits after that member */
    size_t from;         /* beginning of the current member, with its key */
    size_t from_edits;   /* length of the list of edits before the current member */
    size_t pending_from; /* beginning of a member that is removed with the comma after it */
    bool has_pending;
    bool has_kept;
} cutter;

static cutter cutter_begin(stripper *s, rc_str container)
{
    return (cutter){.m = rc_json_members_begin(container),
                    .kept_end = offset_of(s, container) + 1,
                    .kept_edits = s->edits->len};
}

static bool cutter_next(stripper *s, cutter *c)
{
    if (!rc_json_members_next(&c->m))
        return false;
    c->value = rc_json_value_text(&c->m.value);
    c->from = c->m.key.ptr != NULL ? offset_of(s, c->m.key) - 1 : offset_of(s, c->value);
    if (c->has_pending)
        push_edit(s, c->pending_from, c->from, EDIT_CUT);
    c->has_pending = false;
    c->from_edits = s->edits->len;
    return true;
}

static void cutter_keep(stripper *s, cutter *c)
{
    c->kept_end = offset_of(s, c->value) + c->value.len;
    c->kept_edits = s->edits->len;
    c->has_kept = true;
}

/* Removes the current member. The changes inside of the member are dropped. */
static void cutter_cut(stripper *s, cutter *c)
{
    s->edits->len = c->from_edits;
    c->pending_from = c->from;
    c->has_pending = true;
}

/* Ends the iteration. Removed members at the end take the comma before them along. Returns whether
 * any member stays. */
static bool cutter_end(stripper *s, cutter *c)
{
    if (c->has_pending) {
        s->edits->len = c->kept_edits;
        push_edit(s, c->kept_end, offset_of(s, c->value) + c->value.len, EDIT_CUT);
    }
    return c->has_kept;
}

static bool key_is(const cutter *c, const char *name)
{
    return rc_json_is_text(c->m.key, rc_str_c(name));
}

/* ---- messages ---- */

static bool is_sealed_thinking(rc_str block)
{
    return rc_seal_is(rc_json_member_text(block, RC_STR("signature"))) ||
           rc_seal_is(rc_json_member_text(block, RC_STR("data")));
}

/* Removes the sealed blocks of a message. Returns whether any block stays. */
static bool strip_blocks(stripper *s, rc_str content, bool *ret_is_cut)
{
    cutter c = cutter_begin(s, content);
    while (cutter_next(s, &c)) {
        bool is_thinking =
            c.m.value.first == '{' &&
            (rc_read_type_is(c.value, "thinking") || rc_read_type_is(c.value, "redacted_thinking"));
        if (is_thinking && is_sealed_thinking(c.value)) {
            cutter_cut(s, &c);
            *ret_is_cut = true;
        } else {
            cutter_keep(s, &c);
        }
    }
    return cutter_end(s, &c);
}

static bool has_tool_result(rc_str content)
{
    rc_json_members m = rc_json_members_begin(content);
    while (rc_json_members_next(&m))
        if (m.value.first == '{' && rc_read_type_is(m.value.raw, "tool_result"))
            return true;
    return false;
}

/* A user's message without results ends a loop of calls; `has_cut_loop` then begins anew. */
static void strip_messages(stripper *s, rc_str list)
{
    cutter c = cutter_begin(s, list);
    while (cutter_next(s, &c)) {
        rc_json_raw_value content;
        rc_str role = rc_json_member_text(c.value, RC_STR("role"));
        bool stays = true;
        bool is_cut = false;
        bool has_content = rc_json_member_find(c.value, RC_STR("content"), &content);
        bool has_blocks = has_content && content.first == '[';
        if (rc_json_is_text(role, RC_STR("assistant")) && has_blocks)
            stays = strip_blocks(s, content.raw, &is_cut) || !is_cut;
        else if (rc_json_is_text(role, RC_STR("user")) &&
                 !(has_blocks && has_tool_result(content.raw)))
            s->has_cut_loop = false;
        s->has_cut_loop = s->has_cut_loop || is_cut;
        if (stays)
            cutter_keep(s, &c);
        else
            cutter_cut(s, &c);
    }
    cutter_end(s, &c);
}

static int by_position(const edit *a, const edit *b)
{
    return a->from < b->from ? -1 : a->from > b->from;
}

/* Moves the latest edit to its place by position: the members of a body can be in any order. */
static void sort_latest(stripper *s)
{
    edit *rows = (edit *)(void *)s->edits->ptr;
    for (size_t i = s->edits->len / sizeof *rows; i-- > 1;) {
        if (by_position(&rows[i - 1], &rows[i]) <= 0)
            return;
        edit row = rows[i];
        rows[i] = rows[i - 1];
        rows[i - 1] = row;
    }
}

static void strip_messages_body(stripper *s, uint64_t *ret_adapted)
{
    rc_json_raw_value value;
    if (rc_json_member_find(s->body, RC_STR("messages"), &value) && value.first == '[')
        strip_messages(s, value.raw);
    if (!s->has_cut_loop || !rc_json_member_find(s->body, RC_STR("thinking"), &value) ||
        value.first != '{' || !rc_read_type_is(value.raw, "enabled"))
        return;
    size_t from = offset_of(s, value.raw);
    push_edit(s, from, from + value.raw.len, EDIT_THINKING_OFF);
    if (rc_buf_status(s->edits) == RC_OK)
        sort_latest(s);
    *ret_adapted |= RC_FEATURE_BIT(BUDGET);
}

/* ---- chat ---- */

static bool has_sealed_call(rc_str message)
{
    rc_json_raw_value calls;
    if (!rc_json_member_find(message, RC_STR("tool_calls"), &calls))
        return false;
    rc_json_members m = rc_json_members_begin(calls.raw);
    while (rc_json_members_next(&m))
        if (m.value.first == '{' && rc_seal_is(rc_chat_call_state(m.value.raw)))
            return true;
    return false;
}

static void strip_call(stripper *s, rc_str call)
{
    cutter c = cutter_begin(s, call);
    while (cutter_next(s, &c)) {
        if (key_is(&c, "extra_content"))
            cutter_cut(s, &c);
        else
            cutter_keep(s, &c);
    }
    cutter_end(s, &c);
}

static void strip_calls(stripper *s, rc_str list)
{
    rc_json_members m = rc_json_members_begin(list);
    while (rc_json_members_next(&m))
        if (m.value.first == '{' && rc_seal_is(rc_chat_call_state(m.value.raw)))
            strip_call(s, m.value.raw);
}

static void strip_chat_message(stripper *s, rc_str message)
{
    cutter c = cutter_begin(s, message);
    while (cutter_next(s, &c)) {
        if (key_is(&c, "reasoning_content")) {
            cutter_cut(s, &c);
            continue;
        }
        if (key_is(&c, "tool_calls"))
            strip_calls(s, c.value);
        cutter_keep(s, &c);
    }
    cutter_end(s, &c);
}

static void strip_chat_body(stripper *s)
{
    rc_json_raw_value list;
    if (!rc_json_member_find(s->body, RC_STR("messages"), &list))
        return;
    rc_json_members m = rc_json_members_begin(list.raw);
    while (rc_json_members_next(&m))
        if (m.value.first == '{' && has_sealed_call(m.value.raw))
            strip_chat_message(s, m.value.raw);
}

/* ---- responses ---- */

static void strip_responses_body(stripper *s)
{
    rc_json_raw_value list;
    if (!rc_json_member_find(s->body, RC_STR("input"), &list) || list.first != '[')
        return;
    cutter c = cutter_begin(s, list.raw);
    while (cutter_next(s, &c)) {
        bool is_reasoning = c.m.value.first == '{' && rc_read_type_is(c.value, "reasoning");
        if (is_reasoning && rc_seal_is(rc_json_member_text(c.value, RC_STR("encrypted_content"))))
            cutter_cut(s, &c);
        else
            cutter_keep(s, &c);
    }
    cutter_end(s, &c);
}

/* ---- gemini ---- */

/* Removes the signature of a part, or replaces it by the one that Gemini does not check. */
static void strip_signature(stripper *s, rc_str part, bool is_first_call)
{
    cutter c = cutter_begin(s, part);
    while (cutter_next(s, &c)) {
        bool is_signature = rc_gemini_is_key(c.m.key, RC_STR("thoughtSignature"));
        if (is_signature && !is_first_call) {
            cutter_cut(s, &c);
            continue;
        }
        if (is_signature)
            push_edit(s, offset_of(s, c.value), offset_of(s, c.value) + c.value.len,
                      EDIT_SKIP_SIGNATURE);
        cutter_keep(s, &c);
    }
    cutter_end(s, &c);
}

/* Returns whether nothing of a part is left without its signature: a thought, or an empty text. */
static bool is_only_thought(rc_str part)
{
    rc_json_raw_value value;
    bool is_thought = rc_gemini_find(part, "thought", &value) && value.first == 't';
    bool is_empty =
        rc_gemini_find(part, "text", &value) && value.first == '"' && value.raw.len == 0;
    return is_thought || is_empty;
}

static bool strip_parts(stripper *s, rc_str list)
{
    bool has_call = false;
    cutter c = cutter_begin(s, list);
    while (cutter_next(s, &c)) {
        rc_json_raw_value call;
        bool is_sealed = rc_seal_is(rc_gemini_text(c.value, "thoughtSignature"));
        bool is_call = rc_gemini_find(c.value, "functionCall", &call);
        if (is_sealed && is_only_thought(c.value)) {
            cutter_cut(s, &c);
            continue;
        }
        if (is_sealed)
            strip_signature(s, c.value, is_call && !has_call);
        has_call = has_call || is_call;
        cutter_keep(s, &c);
    }
    return cutter_end(s, &c);
}

static void strip_gemini_body(stripper *s)
{
    rc_json_raw_value list;
    rc_json_raw_value parts;
    if (!rc_gemini_find(s->body, "contents", &list) || list.first != '[')
        return;
    cutter c = cutter_begin(s, list.raw);
    while (cutter_next(s, &c)) {
        size_t before = s->edits->len;
        bool has_list = c.m.value.first == '{' && rc_gemini_find(c.value, "parts", &parts) &&
                        parts.first == '[';
        bool stays = !has_list || strip_parts(s, parts.raw) || s->edits->len == before;
        if (stays)
            cutter_keep(s, &c);
        else
            cutter_cut(s, &c);
    }
    cutter_end(s, &c);
}

/* ---- the body ---- */

bool rc_strip_is_due(rc_str body)
{
    return rc_str_find(body, RC_STR("\"" RC_SEAL_PREFIX), 0) != RC_STR_NPOS;
}

static void strip_body(stripper *s, rc_dialect dialect, uint64_t *ret_adapted)
{
    switch (dialect) {
    case RC_DIALECT_ANTHROPIC:
        strip_messages_body(s, ret_adapted);
        break;
    case RC_DIALECT_OPENAI_CHAT:
        strip_chat_body(s);
        break;
    case RC_DIALECT_OPENAI_RESPONSES:
        strip_responses_body(s);
        break;
    case RC_DIALECT_GEMINI:
        strip_gemini_body(s);
        break;
    case RC_DIALECT_PROBLEM:
        break;
    }
}

rc_status rc_strip_seals(rc_dialect dialect, rc_str body, rc_buf *edits, rc_buf *buf,
                         uint64_t *ret_adapted)
{
    stripper s = {.body = body, .edits = edits};
    size_t at = 0;
    *ret_adapted = 0;
    rc_status status = rc_conversation_check(body);
    if (status != RC_OK)
        return status;
    rc_buf_reset(edits);
    strip_body(&s, dialect, ret_adapted);
    if (rc_buf_status(edits) != RC_OK)
        return rc_buf_status(edits);
    if (edits->len > 0)
        *ret_adapted |= RC_FEATURE_BIT(THINKING_HISTORY);
    const edit *rows = (const edit *)(const void *)edits->ptr;
    for (size_t i = 0; i < edits->len / sizeof *rows; i++) {
        rc_buf_push(buf, rc_str_slice(body, at, rows[i].from));
        rc_buf_push(buf, replacement_of(rows[i].kind));
        at = rows[i].end;
    }
    rc_buf_push(buf, rc_str_slice(body, at, body.len));
    return rc_buf_status(buf);
}
