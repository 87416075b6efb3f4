/* Reports the top-level keys of a JSON object that arrives in pieces. Called by the gateway's
 * request body code. */
#include "json/top_keys.h"

#include <string.h>

#include "base/str.h"
#include "json/scan.h"

#define TOO_LONG (RC_JSON_TOP_KEY_MAX + 1)

/* If the current string is a top-level key, appends a part of it to the stored key. */
static void append_to_key(rc_json_top_keys *top, rc_str part)
{
    if (!top->is_key || top->key_len == TOO_LONG)
        return;
    if (part.len > RC_JSON_TOP_KEY_MAX - top->key_len) {
        top->key_len = TOO_LONG;
        return;
    }
    if (part.len > 0)
        memcpy(top->key + top->key_len, part.ptr, part.len);
    top->key_len = (uint8_t)(top->key_len + part.len);
}

static bool end_string(rc_json_top_keys *top, rc_json_on_top_key on_key, void *ctx)
{
    top->is_in_string = false;
    return !top->is_key || top->key_len == TOO_LONG ||
           on_key(ctx, rc_str_make(top->key, top->key_len));
}

/* Continues reading the current string and advances *at over its bytes. Returns false if on_key
 * returned false. */
static bool read_string(rc_json_top_keys *top, rc_str text, size_t *at, rc_json_on_top_key on_key,
                        void *ctx)
{
    if (top->is_escaped) {
        append_to_key(top, rc_str_slice(text, *at, *at + 1));
        top->is_escaped = false;
        ++*at;
        return true;
    }
    bool has_high = false;
    const size_t end = rc_json_scan_special(text, *at, &has_high);
    append_to_key(top, rc_str_slice(text, *at, end));
    *at = end;
    if (end == text.len)
        return true;
    ++*at;
    if (text.ptr[end] == '"')
        return end_string(top, on_key, ctx);
    append_to_key(top, rc_str_slice(text, end, end + 1));
    top->is_escaped = text.ptr[end] == '\\';
    return true;
}

static void read_byte(rc_json_top_keys *top, char c)
{
    switch (c) {
    case '"':
        top->is_in_string = true;
        top->is_key = top->depth == 1 && top->is_key_next;
        top->is_key_next = false;
        top->key_len = 0;
        break;
    case '{':
    case '[':
        top->is_key_next = ++top->depth == 1;
        break;
    case '}':
    case ']':
        top->depth -= top->depth > 0;
        top->is_over = top->depth == 0;
        break;
    case ',':
        top->is_key_next = top->depth == 1;
        break;
    default:
        break;
    }
}

/* Returns whether c may precede the object: white space, or a byte of the byte order mark. */
static bool is_front(char c)
{
    return rc_ascii_is_space(c) || c == '\xEF' || c == '\xBB' || c == '\xBF';
}

bool rc_json_top_keys_push(rc_json_top_keys *top, rc_str piece, rc_json_on_top_key on_key,
                           void *ctx)
{
    size_t at = 0;
    while (at < piece.len && !top->is_over) {
        if (top->is_in_string) {
            if (!read_string(top, piece, &at, on_key, ctx)) {
                top->is_over = true;
                return false;
            }
            continue;
        }
        const char c = piece.ptr[at++];
        if (!top->has_begun && is_front(c))
            continue;
        top->is_over = !top->has_begun && c != '{';
        top->has_begun = true;
        if (!top->is_over)
            read_byte(top, c);
    }
    return true;
}
