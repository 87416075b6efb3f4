/* Writes configuration values as YAML, and the tables of docs/configuration.md. Called by show.c,
 * environment.c, litellm/write.c and the command `recourse config`. */
#include "base/str.h"
#include "config/config.h"
#include "config/keys.h"

static void push(rc_buf *buf, const char *text)
{
    rc_buf_push(buf, rc_str_c(text));
}

/* ---- values ---- */

static bool is_plain_byte(char c)
{
    return rc_ascii_is_alnum(c) || c == '_' || c == '-' || c == '.' || c == '/' || c == ':' ||
           c == '+' || c == '=' || c == '@' || c == '%' || c == '~';
}

static bool is_plain_scalar(rc_str text)
{
    static const char *const words[] = {"null", "Null", "NULL", "true", "false", "yes", "no", "on"};
    if (text.len == 0 || (!rc_ascii_is_alnum(text.ptr[0]) && text.ptr[0] != '/') ||
        text.ptr[text.len - 1] == ':')
        return false;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (rc_str_eq(text, rc_str_c(words[i])))
            return false;
    for (size_t i = 0; i < text.len; i++)
        if (!is_plain_byte(text.ptr[i]))
            return false;
    return true;
}

static void push_escaped(rc_buf *buf, unsigned char byte)
{
    static const char digits[] = "0123456789ABCDEF";
    push(buf, "\\x");
    rc_buf_push_byte(buf, digits[byte >> 4]);
    rc_buf_push_byte(buf, digits[byte & 15]);
}

void rc_config_push_scalar(rc_buf *buf, rc_str text)
{
    if (is_plain_scalar(text)) {
        rc_buf_push(buf, text);
        return;
    }
    rc_buf_push_byte(buf, '"');
    for (size_t i = 0; i < text.len; i++) {
        unsigned char byte = (unsigned char)text.ptr[i];
        if (byte == '"' || byte == '\\')
            rc_buf_push_byte(buf, '\\');
        if (byte < 0x20 || byte == 0x7F)
            push_escaped(buf, byte);
        else
            rc_buf_push_byte(buf, text.ptr[i]);
    }
    rc_buf_push_byte(buf, '"');
}

static void push_number(rc_buf *buf, rc_config_key_kind kind, uint64_t value)
{
    char scratch[RC_DECIMAL_CAPACITY];
    unsigned places = kind == RC_KEY_MICRO ? 6 : kind == RC_KEY_MILLI ? 3 : 0;
    rc_buf_push(buf, rc_config_decimal(scratch, value, places));
}

bool rc_config_has_value(const rc_config_key *key, const void *fields)
{
    rc_str text;
    if (key->kind != RC_KEY_TEXT)
        return key->kind != RC_KEY_OTHER;
    memcpy(&text, (const char *)fields + key->offset, sizeof(text));
    return text.len > 0;
}

void rc_config_push_value(rc_buf *buf, const rc_config_key *key, const void *fields)
{
    const char *field = (const char *)fields + key->offset;
    uint64_t number;
    uint32_t choice;
    bool flag;
    rc_str text;
    switch (key->kind) {
    case RC_KEY_NUMBER:
    case RC_KEY_MS:
    case RC_KEY_BYTES:
    case RC_KEY_MILLI:
    case RC_KEY_MICRO:
        memcpy(&number, field, sizeof(number));
        push_number(buf, key->kind, number);
        return;
    case RC_KEY_FLAG:
        memcpy(&flag, field, sizeof(flag));
        push(buf, flag ? "true" : "false");
        return;
    case RC_KEY_CHOICE:
        memcpy(&choice, field, sizeof(choice));
        push(buf, key->choices[choice]);
        return;
    case RC_KEY_TEXT:
        memcpy(&text, field, sizeof(text));
        rc_config_push_scalar(buf, text);
        return;
    case RC_KEY_OTHER:
        return;
    }
}

/* ---- documentation ---- */

static const char *form_of(const rc_config_key *key)
{
    switch (key->kind) {
    case RC_KEY_NUMBER:
    case RC_KEY_MILLI:
        return "number";
    case RC_KEY_MICRO:
        return "US dollars";
    case RC_KEY_MS:
        return "milliseconds";
    case RC_KEY_BYTES:
        return "bytes";
    case RC_KEY_FLAG:
        return "true or false";
    case RC_KEY_TEXT:
        return "text";
    case RC_KEY_OTHER:
        return key->form;
    case RC_KEY_CHOICE:
        break;
    }
    return "";
}

static void push_form(rc_buf *buf, const rc_config_key *key)
{
    push(buf, form_of(key));
    for (size_t i = 0; key->choices != NULL && key->choices[i] != NULL; i++) {
        push(buf, i > 0 ? " or `" : "`");
        push(buf, key->choices[i]);
        push(buf, "`");
    }
}

static void push_default(rc_buf *buf, const rc_config_key *key)
{
    if (key->kind == RC_KEY_TEXT || key->kind == RC_KEY_OTHER)
        push(buf, key->default_text);
    else if (key->kind == RC_KEY_CHOICE)
        push(buf, key->choices[key->default_value]);
    else if (key->kind == RC_KEY_FLAG)
        push(buf, key->default_value != 0 ? "true" : "false");
    else if (key->default_value > 0 || key->min == 0)
        push_number(buf, key->kind, key->default_value);
}

static void push_row(rc_buf *buf, const rc_config_key *key)
{
    push(buf, "| `");
    push(buf, key->name);
    push(buf, "` | ");
    push_form(buf, key);
    push(buf, " | ");
    push_default(buf, key);
    push(buf, " | ");
    push(buf, key->help);
    push(buf, " |\n");
}

void rc_config_push_docs(rc_buf *buf)
{
    for (int section = 0; section < RC_SECTION_COUNT; section++) {
        const char *path = rc_config_section_path((rc_config_section)section);
        push(buf, section > 0 ? "\n### " : "### ");
        push(buf, rc_config_section_title((rc_config_section)section));
        if (path[0] != '\0') {
            push(buf, ": `");
            push(buf, path);
            push(buf, "`");
        }
        push(buf, "\n\n| key | value | default | meaning |\n|---|---|---|---|\n");
        for (size_t i = 0;; i++) {
            const rc_config_key *key = rc_config_key_at((rc_config_section)section, i);
            if (key == NULL)
                break;
            push_row(buf, key);
        }
    }
}
