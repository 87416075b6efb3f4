/* Cleans texts before they are unwrapped. Called by unwrap.c and text.c. */
#include "classify/unwrap/plain_text.h"

#include "base/str.h"
#include "json/reader.h"

/* Returns the text that `buf` has written into the evidence's space, and marks its bytes there as
 * used. If writing to `buf` failed, returns `fallback`. */
static rc_str commit_text(rc_evidence *evidence, rc_buf *buf, rc_str fallback)
{
    if (rc_buf_status(buf) != RC_OK)
        return fallback;
    rc_str text = rc_buf_get(buf);
    evidence->space += text.len;
    evidence->space_len -= text.len;
    return rc_str_trim(text);
}

static bool is_frame(rc_str line)
{
    rc_str text = rc_str_trim(line);
    if (rc_str_starts_with(text, RC_STR("at ")) && text.len > 3)
        return rc_str_find_byte(text, '(', 0) != RC_STR_NPOS ||
               rc_str_find_byte(text, ':', 0) != RC_STR_NPOS;
    return rc_str_starts_with(text, RC_STR("File \"")) ||
           rc_str_starts_with(text, RC_STR("Traceback ")) ||
           rc_str_starts_with(text, RC_STR("goroutine ")) ||
           rc_str_starts_with(text, RC_STR("^^^"));
}

/* Returns whether `line` is the line of source code that follows "File ..." in a Python
 * traceback. */
static bool is_source_after(rc_str before, rc_str line)
{
    return rc_str_starts_with(rc_str_trim(before), RC_STR("File \"")) && line.len > 4 &&
           rc_ascii_is_space(line.ptr[0]);
}

rc_str rc_plain_drop_frames(rc_evidence *evidence, rc_str text)
{
    bool may_have = rc_str_find(text, RC_STR("\n"), 0) != RC_STR_NPOS &&
                    (rc_str_find(text, RC_STR(" at "), 0) != RC_STR_NPOS ||
                     rc_str_find(text, RC_STR("File \""), 0) != RC_STR_NPOS);
    if (!may_have || text.len > evidence->space_len)
        return text;
    rc_buf buf;
    rc_buf_init_fixed(&buf, evidence->space, evidence->space_len);
    rc_str before = {NULL, 0};
    for (size_t at = 0; at < text.len;) {
        size_t to = rc_str_find_byte(text, '\n', at);
        size_t end = to == RC_STR_NPOS ? text.len : to + 1;
        rc_str line = rc_str_slice(text, at, end);
        if (!is_frame(line) && !is_source_after(before, line))
            rc_buf_push(&buf, line);
        before = line;
        at = end;
    }
    return commit_text(evidence, &buf, text);
}

/* Returns the plain quote for U+201C, U+201D, U+2018 and U+2019 (bytes E2 80 9C, 9D, 98, 99); 0 for
 * any other character. */
static char plain_quote(rc_str text, size_t at)
{
    if (at + 3 > text.len || text.ptr[at] != '\xE2' || text.ptr[at + 1] != '\x80')
        return '\0';
    unsigned char last = (unsigned char)text.ptr[at + 2];
    if (last == 0x9C || last == 0x9D)
        return '"';
    return last == 0x98 || last == 0x99 ? '\'' : '\0';
}

rc_str rc_plain_unify_quotes(rc_evidence *evidence, rc_str text)
{
    if (rc_str_find(text, RC_STR("{\xE2\x80\x9C"), 0) == RC_STR_NPOS ||
        text.len > evidence->space_len)
        return text;
    rc_buf buf;
    rc_buf_init_fixed(&buf, evidence->space, evidence->space_len);
    for (size_t i = 0; i < text.len;) {
        char quote = plain_quote(text, i);
        rc_buf_push_byte(&buf, quote != '\0' ? quote : text.ptr[i]);
        i += quote != '\0' ? 3 : 1;
    }
    return commit_text(evidence, &buf, text);
}

static int hex_value(char c)
{
    if (rc_ascii_is_digit(c))
        return c - '0';
    char lower = rc_ascii_lower(c);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Decodes the escape of a Python bytes literal at text[at], which is a backslash. *ret_len gets the
 * escape's length. */
static char bytes_escape(rc_str text, size_t at, size_t *ret_len)
{
    char c = text.ptr[at + 1];
    *ret_len = 2;
    if (c == 'x' && at + 3 < text.len && hex_value(text.ptr[at + 2]) >= 0 &&
        hex_value(text.ptr[at + 3]) >= 0) {
        *ret_len = 4;
        return (char)(hex_value(text.ptr[at + 2]) * 16 + hex_value(text.ptr[at + 3]));
    }
    if (c == 'n' || c == 'r' || c == 't')
        return c == 'n' ? '\n' : c == 'r' ? '\r' : '\t';
    return c; /* the escape of a backslash or a quote */
}

rc_str rc_plain_unescape_bytes(rc_evidence *evidence, rc_str text)
{
    size_t single = rc_str_find(text, RC_STR("b'{"), 0);
    size_t at = single != RC_STR_NPOS ? single : rc_str_find(text, RC_STR("b\"{"), 0);
    bool is_alone = at == 0 || (at != RC_STR_NPOS && !rc_ascii_is_alnum(text.ptr[at - 1]));
    bool is_first = rc_str_find_byte(text, '{', 0) == at + 2; /* If false, the literal is inside
                                                                 another string. */
    if (at == RC_STR_NPOS || !is_alone || !is_first ||
        rc_str_find_byte(text, '\\', at) == RC_STR_NPOS || text.len > evidence->space_len)
        return text;
    rc_buf buf;
    rc_buf_init_fixed(&buf, evidence->space, evidence->space_len);
    rc_buf_push(&buf, rc_str_slice(text, 0, at));
    for (size_t i = at + 2; i < text.len;) {
        size_t len = 1;
        bool is_escape = text.ptr[i] == '\\' && i + 1 < text.len;
        rc_buf_push_byte(&buf, is_escape ? bytes_escape(text, i, &len) : text.ptr[i]);
        i += len;
    }
    return commit_text(evidence, &buf, text);
}

/* If the text begins with an object that is a chat message ("role", "content"), returns the offset
 * after that object; otherwise 0. */
static size_t echo_end(rc_str text)
{
    rc_json_reader reader;
    rc_json_limits limits = {RC_EVIDENCE_TEXT_MAX, RC_JSON_DEPTH_MAX, true};
    rc_json_reader_init(&reader, text, &limits);
    if (rc_json_reader_next(&reader).type != RC_JSON_OBJECT_BEGIN)
        return 0;
    rc_json_token key = rc_json_reader_next(&reader);
    if (key.type != RC_JSON_KEY ||
        (!rc_str_eq(key.raw, RC_STR("role")) && !rc_str_eq(key.raw, RC_STR("content"))))
        return 0;
    rc_json_reader_init(&reader, text, &limits);
    rc_json_reader_next(&reader);
    return rc_json_reader_skip(&reader);
}

/* If the text begins with a repeated input of pydantic, Python's validation library
 * (input_value=..., input_type=str), returns the offset after the input; otherwise 0. */
static size_t input_value_end(rc_str text)
{
    if (!rc_str_starts_with(text, RC_STR("input_value=")))
        return 0;
    size_t to = rc_str_find(text, RC_STR(", input_type="), 0);
    return to == RC_STR_NPOS ? text.len : to;
}

static size_t echo_len(rc_str text, size_t at)
{
    rc_str rest = rc_str_slice(text, at, text.len);
    return rest.ptr[0] == '{' ? echo_end(rest) : rest.ptr[0] == 'i' ? input_value_end(rest) : 0;
}

rc_str rc_plain_drop_echo(rc_evidence *evidence, rc_str text)
{
    bool may_have = rc_str_find_byte(text, '{', 0) != RC_STR_NPOS ||
                    rc_str_find(text, RC_STR("input_value="), 0) != RC_STR_NPOS;
    if (!may_have || text.len > evidence->space_len)
        return text;
    rc_buf buf;
    rc_buf_init_fixed(&buf, evidence->space, evidence->space_len);
    bool has_echo = false;
    for (size_t i = 0; i < text.len;) {
        size_t len = echo_len(text, i);
        has_echo |= len > 0;
        if (len == 0)
            rc_buf_push_byte(&buf, text.ptr[i]);
        i += len > 0 ? len : 1;
    }
    return has_echo ? commit_text(evidence, &buf, text) : text;
}
