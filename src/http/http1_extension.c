/* Checks and skips chunk extensions. Called by http1.c. */
#include "http/http1_extension.h"

#include <string.h>

enum {
    START = 0,
    SIZE,    /* At least one digit of the chunk size was read. */
    BEFORE,  /* In white space before a semicolon. */
    NAMING,  /* After a semicolon; a name must follow. */
    NAME,    /* Inside an extension's name. */
    NAMED,   /* In white space after an extension's name. */
    VALUING, /* After an equals sign; a value must follow. */
    VALUE,
    QUOTED,
    ESCAPED,
    UNQUOTED, /* After the closing quote of a value. */
    DONE      /* The extensions are over; the end of the line and the chunk's data follow. */
};

static bool is_digit(char c)
{
    const char small = (char)(c | 0x20);
    return (c >= '0' && c <= '9') || (small >= 'a' && small <= 'f');
}

static bool is_space(char c)
{
    return c == ' ' || c == '\t';
}

/* Token characters of RFC 9110, section 5.6.2. */
static bool is_token(char c)
{
    const char small = (char)(c | 0x20);
    return (c >= '0' && c <= '9') || (small >= 'a' && small <= 'z') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

static bool is_text(char c)
{
    const unsigned char byte = (unsigned char)c;
    return c == '\t' || (byte >= 0x20 && byte != 0x7f);
}

static bool move(rc_http1_extension *extension, int state)
{
    extension->state = (uint8_t)state;
    return true;
}

/* Handles a byte that follows a name or a value. */
static bool step_after_item(rc_http1_extension *extension, char c, bool may_be_valued)
{
    if (c == ';')
        return move(extension, NAMING);
    if (c == '=' && may_be_valued)
        return move(extension, VALUING);
    return is_space(c) && move(extension, may_be_valued ? NAMED : BEFORE);
}

static bool step(rc_http1_extension *extension, char c)
{
    switch (extension->state) {
    case BEFORE:
        return step_after_item(extension, c, false);
    case NAMING:
        return is_space(c) || (is_token(c) && move(extension, NAME));
    case NAME:
        return is_token(c) || step_after_item(extension, c, true);
    case NAMED:
        return step_after_item(extension, c, true);
    case VALUING:
        if (c == '"')
            return move(extension, QUOTED);
        return is_space(c) || (is_token(c) && move(extension, VALUE));
    case VALUE:
        return is_token(c) || step_after_item(extension, c, false);
    case QUOTED:
        if (c == '"')
            return move(extension, UNQUOTED);
        return is_text(c) && (c != '\\' || move(extension, ESCAPED));
    case ESCAPED:
        return is_text(c) && move(extension, QUOTED);
    case UNQUOTED:
        return step_after_item(extension, c, false);
    default:
        return false;
    }
}

/* Returns whether the line with the chunk's size may end in this state. The line may not end after
 * white space. */
static bool may_end(const rc_http1_extension *extension)
{
    return extension->state == NAME || extension->state == VALUE || extension->state == UNQUOTED;
}

/* Returns the number of bytes that llhttp may read: the digits of the size and, if no extension
 * follows them, the whole input. */
static size_t read_size(rc_http1_extension *extension, rc_str input)
{
    size_t len = 0;
    while (len < input.len && is_digit(input.ptr[len]))
        len++;
    if (len > 0)
        extension->state = SIZE;
    if (len == input.len)
        return len;
    const bool is_extended = input.ptr[len] == ';' || is_space(input.ptr[len]);
    if (extension->state == SIZE && is_extended) {
        extension->state = BEFORE;
        return len;
    }
    extension->state = DONE;
    return input.len;
}

rc_http1_extension_result rc_http1_extension_skip(rc_http1_extension *extension, rc_str *input,
                                                  uint32_t max_bytes, size_t *ret_len)
{
    *ret_len = input->len;
    if (extension->state <= SIZE) {
        *ret_len = read_size(extension, *input);
        if (*ret_len > 0)
            return RC_HTTP1_EXTENSION_OK;
    }
    if (extension->state <= SIZE || extension->state == DONE)
        return RC_HTTP1_EXTENSION_OK;
    size_t used = 0;
    for (; used < input->len && !(input->ptr[used] == '\r' && may_end(extension)); used++) {
        if (extension->bytes++ >= max_bytes)
            return RC_HTTP1_EXTENSION_LARGE;
        if (!step(extension, input->ptr[used]))
            return RC_HTTP1_EXTENSION_BAD;
    }
    *input = rc_str_make(input->ptr + used, input->len - used);
    *ret_len = input->len;
    if (input->len > 0)
        extension->state = DONE;
    return RC_HTTP1_EXTENSION_OK;
}
