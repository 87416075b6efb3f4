/* Markdown escaping of text, code spans and fenced blocks. Called by markdown.c and the CLI's audit
 * output. */
#include "render/markdown.h"

#include "base/str.h"
#include "base/utf8.h"
#include "render/wrap.h"

/* --- escapes --- */

/* Returns whether the character can begin markup anywhere in a line. In GitHub's Markdown, "$"
 * begins mathematics and "~" strike-through. */
static bool is_markup(uint32_t cp)
{
    static const char MARKUP[] = "\\`*_[]<>|~$";
    return cp < 0x80 && memchr(MARKUP, (int)cp, sizeof MARKUP - 1) != NULL;
}

/* Returns whether the character can begin a heading, a list, a quote or an underline at the start
 * of a line. */
static bool is_markup_in_front(uint32_t cp)
{
    return cp == '#' || cp == '+' || cp == '-' || cp == '=';
}

/* Returns the offset of the point or parenthesis if the line begins like an item of a numbered list
 * ("1." or "2)"), otherwise RC_STR_NPOS. */
static size_t find_list_mark(rc_str line)
{
    size_t at = 0;
    while (at < line.len && rc_ascii_is_digit(line.ptr[at]))
        at++;
    bool is_mark = at > 0 && at < line.len && (line.ptr[at] == '.' || line.ptr[at] == ')');
    return is_mark ? at : RC_STR_NPOS;
}

/* Returns whether the character at `at` makes many renderers turn an address into a link: the ":"
 * of "://", the "." of "www." or an "@". */
static bool is_link_mark(rc_str line, size_t at)
{
    if (line.ptr[at] == ':')
        return rc_str_starts_with(rc_str_slice(line, at, line.len), RC_STR("://"));
    if (line.ptr[at] == '.')
        return at >= 3 && rc_str_eq_nocase(rc_str_slice(line, at - 3, at), RC_STR("www"));
    return line.ptr[at] == '@';
}

/* Appends one line, escaped and without leading spaces, because four leading spaces would begin a
 * code block. A character may be shown as \u{...}; this backslash needs no escape, because a letter
 * follows it. */
static void push_line(rc_buf *buf, rc_str line)
{
    line = rc_str_trim(line);
    size_t list_mark = find_list_mark(line);
    size_t len;
    for (size_t at = 0; at < line.len && rc_buf_status(buf) == RC_OK; at += len) {
        uint32_t cp = rc_utf8_decode(line, at, &len);
        if (cp == '&') { /* some renderers do not support a backslash before this character */
            rc_buf_push(buf, RC_STR("&amp;"));
            continue;
        }
        bool is_escaped = is_markup(cp) || (at == 0 && is_markup_in_front(cp)) || at == list_mark ||
                          is_link_mark(line, at);
        if (is_escaped)
            rc_buf_push_byte(buf, '\\');
        rc_visible_push_char(buf, cp, true);
    }
}

/* Returns the line that begins at *at, without its line feed, and moves *at to the next line. */
static rc_str take_line(rc_str text, size_t *at)
{
    size_t feed = rc_str_find_byte(text, '\n', *at);
    size_t stop = feed == RC_STR_NPOS ? text.len : feed;
    rc_str line = rc_str_slice(text, *at, stop);
    *at = feed == RC_STR_NPOS ? text.len : feed + 1;
    if (line.len && line.ptr[line.len - 1] == '\r')
        line.len--;
    return line;
}

void rc_markdown_push_text(rc_buf *buf, rc_str text)
{
    text = rc_str_trim(text);
    bool is_empty_before = true;
    for (size_t at = 0; at < text.len;) {
        bool is_first = at == 0;
        rc_str line = rc_str_trim(take_line(text, &at));
        if (line.len == 0 && !is_empty_before)
            rc_buf_push(buf, RC_STR("\n"));
        if (line.len && !is_first) /* a backslash at the end of a line forces a line break */
            rc_buf_push(buf, is_empty_before ? RC_STR("\n") : RC_STR("\\\n"));
        push_line(buf, line);
        is_empty_before = line.len == 0;
    }
}

void rc_markdown_push_inline(rc_buf *buf, rc_str text)
{
    text = rc_str_trim(text);
    for (size_t at = 0; at < text.len;) {
        if (at > 0)
            rc_buf_push_byte(buf, ' ');
        push_line(buf, take_line(text, &at));
    }
}

/* --- code --- */

static size_t longest_run(rc_str text)
{
    size_t longest = 0;
    size_t run = 0;
    for (size_t i = 0; i < text.len; i++) {
        run = text.ptr[i] == '`' ? run + 1 : 0;
        if (run > longest)
            longest = run;
    }
    return longest;
}

static void push_fence(rc_buf *buf, size_t count)
{
    while (count-- > 0)
        rc_buf_push_byte(buf, '`');
}

void rc_markdown_push_code(rc_buf *buf, rc_str text)
{
    if (text.len == 0)
        text = RC_STR(" "); /* Markdown has no empty code spans */
    size_t fence = longest_run(text) + 1;
    bool is_padded = text.ptr[0] == '`' || text.ptr[text.len - 1] == '`' || text.ptr[0] == ' ' ||
                     text.ptr[text.len - 1] == ' ';
    push_fence(buf, fence);
    if (is_padded)
        rc_buf_push_byte(buf, ' ');
    rc_visible_push(buf, text, true);
    if (is_padded)
        rc_buf_push_byte(buf, ' ');
    push_fence(buf, fence);
}

void rc_markdown_push_block(rc_buf *buf, rc_str text)
{
    size_t fence = longest_run(text) + 1;
    if (fence < 3)
        fence = 3;
    push_fence(buf, fence);
    rc_buf_push_byte(buf, '\n');
    for (size_t at = 0; at < text.len && rc_buf_status(buf) == RC_OK;) {
        rc_visible_push(buf, take_line(text, &at), true);
        rc_buf_push_byte(buf, '\n');
    }
    push_fence(buf, fence);
    rc_buf_push_byte(buf, '\n');
}
