/* Detects the end of a tool call's arguments. Called by blocks.c and
 * lib/dialect/responses/output_items.c. */
#include "dialect/translate/arguments.h"

#include "base/str.h"

static unsigned hex_of(char c)
{
    if (rc_ascii_is_digit(c))
        return (unsigned)(c - '0');
    return ((unsigned)rc_ascii_lower(c) - 'a' + 10) & 15;
}

/* Returns the decoded character at *at of a string's content, and advances *at to the next
 * character. Only the characters of JSON's structure matter, so 'x' stands for any escaped
 * character above ASCII. */
static char next_character(rc_str raw, size_t *at)
{
    char c = raw.ptr[(*at)++];
    if (c != '\\' || *at >= raw.len)
        return c;
    c = raw.ptr[(*at)++];
    if (c != 'u')
        return c == '"' || c == '\\' || c == '/' ? c : ' '; /* \n, \t and the other escapes are
                                                               white space */
    unsigned code = 0;
    for (size_t i = 0; i < 4 && *at < raw.len; i++)
        code = code << 4 | hex_of(raw.ptr[(*at)++]);
    return code < 0x80 ? (char)code : 'x';
}

static void push_character(rc_arguments *a, char c)
{
    if (a->is_in_string) {
        bool is_end = c == '"' && !a->is_escaped;
        a->is_escaped = c == '\\' && !a->is_escaped;
        a->is_in_string = !is_end;
        return;
    }
    if (c == '"')
        a->is_in_string = true;
    else if (c == '{' || c == '[')
        a->depth++;
    else if ((c == '}' || c == ']') && a->depth > 0)
        a->depth--;
    a->has_begun = a->has_begun || !rc_ascii_is_space(c);
}

void rc_arguments_push(rc_arguments *arguments, rc_str raw)
{
    for (size_t at = 0; at < raw.len;)
        push_character(arguments, next_character(raw, &at));
}
