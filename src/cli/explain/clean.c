/* Cleans pasted text: removes terminal escape sequences and converts UTF-16 to UTF-8. Called by
 * explanation.c and `exec`. */
#include "base/str.h"
#include "base/utf8.h"
#include "cli/explain/detect.h"

#define ESCAPE '\x1b'
#define BELL '\a'

typedef enum filter_state {
    FILTER_TEXT,
    FILTER_ESCAPE,  /* Behind the character ESC. */
    FILTER_CONTROL, /* Inside ESC [ ..., a sequence for colours or the cursor. */
    FILTER_STRING,  /* Inside ESC ] ..., a sequence for titles or links. */
    FILTER_STRING_ESCAPE
} filter_state;

/* Appends the character c to scratch unless c is part of an escape sequence (ECMA-48); returns the
 * next state of the filter. */
static filter_state filter(filter_state state, char c, rc_buf *scratch)
{
    switch (state) {
    case FILTER_TEXT:
        if (c == ESCAPE)
            return FILTER_ESCAPE;
        rc_buf_push_byte(scratch, c);
        return FILTER_TEXT;
    case FILTER_ESCAPE:
        if (c == '[')
            return FILTER_CONTROL;
        return c == ']' ? FILTER_STRING : FILTER_TEXT;
    case FILTER_CONTROL:
        return c >= '@' && c <= '~' ? FILTER_TEXT : FILTER_CONTROL;
    case FILTER_STRING:
        if (c == ESCAPE)
            return FILTER_STRING_ESCAPE;
        return c == BELL || c == '\n' ? FILTER_TEXT : FILTER_STRING;
    case FILTER_STRING_ESCAPE:
        return c == '\\' ? FILTER_TEXT : FILTER_STRING;
    }
    return FILTER_TEXT;
}

static unsigned unit_at(rc_str text, size_t at, bool is_big)
{
    unsigned first = (unsigned char)text.ptr[at];
    unsigned second = (unsigned char)text.ptr[at + 1];
    return is_big ? first << 8 | second : second << 8 | first;
}

/* Converts UTF-16 to UTF-8, because PowerShell writes files in UTF-16 with a byte order mark. */
static rc_str from_utf16(rc_str text, bool is_big, rc_buf *scratch)
{
    filter_state state = FILTER_TEXT;
    for (size_t at = 2; at + 1 < text.len; at += 2) {
        uint32_t cp = unit_at(text, at, is_big);
        if (cp >= 0xD800 && cp < 0xDC00 && at + 3 < text.len) {
            unsigned low = unit_at(text, at + 2, is_big);
            if (low >= 0xDC00 && low < 0xE000) {
                cp = 0x10000 + ((cp - 0xD800) << 10) + (low - 0xDC00);
                at += 2;
            }
        }
        char bytes[4];
        size_t len = rc_utf8_encode(cp, bytes);
        for (size_t i = 0; i < len; i++)
            state = filter(state, bytes[i], scratch);
    }
    return rc_buf_get(scratch);
}

rc_str rc_explain_text_clean(rc_str text, rc_buf *scratch)
{
    if (rc_str_starts_with(text, RC_STR("\xFF\xFE")))
        return from_utf16(text, false, scratch);
    if (rc_str_starts_with(text, RC_STR("\xFE\xFF")))
        return from_utf16(text, true, scratch);
    text = rc_utf8_without_bom(text);
    if (rc_str_find_byte(text, ESCAPE, 0) == RC_STR_NPOS)
        return text;
    filter_state state = FILTER_TEXT;
    for (size_t i = 0; i < text.len; i++)
        state = filter(state, text.ptr[i], scratch);
    return rc_buf_status(scratch) == RC_OK ? rc_buf_get(scratch) : text;
}
