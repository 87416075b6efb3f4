/* Model names: validation, splitting and percent-encoding. Called by the files of this folder and
 * by src/gateway/state. */
#include "gateway/request/model.h"

#include "base/str.h"
#include "base/utf8.h"
#include "base/vec16.h"

bool rc_model_name_is_valid(rc_str model)
{
    if (model.len == 0 || model.len > RC_MODEL_NAME_MAX)
        return false;
    if (rc_vec16_is_simple(model.ptr, model.len, '\0'))
        return true;
    bool is_plain = true;
    for (size_t i = 0; i < model.len; i++) {
        unsigned char c = (unsigned char)model.ptr[i];
        if (c < 0x20 || c == 0x7f)
            return false;
        is_plain &= c < 0x80;
    }
    return is_plain || rc_utf8_is_valid(model);
}

bool rc_model_name_split(rc_str model, rc_str *ret_provider, rc_str *ret_model)
{
    size_t slash = rc_str_find_byte(model, '/', 0);
    if (slash == RC_STR_NPOS || slash == 0 || slash + 1 == model.len)
        return false;
    *ret_provider = rc_str_slice(model, 0, slash);
    *ret_model = rc_str_slice(model, slash + 1, model.len);
    return true;
}

static int hex_of(char c)
{
    if (rc_ascii_is_digit(c))
        return c - '0';
    c = rc_ascii_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool rc_percent_decode(rc_str text, rc_buf *buf)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '%') {
            int high = text.len - i > 2 ? hex_of(text.ptr[i + 1]) : -1;
            int low = high >= 0 ? hex_of(text.ptr[i + 2]) : -1;
            if (low < 0)
                return false;
            c = (char)(unsigned char)(high << 4 | low);
            i += 2;
        }
        rc_buf_push_byte(buf, c);
    }
    return true;
}

void rc_percent_encode(rc_str text, rc_buf *buf)
{
    static const char digits[] = "0123456789ABCDEF";
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];
        unsigned char byte = (unsigned char)c;
        if (rc_ascii_is_alnum(c) || c == '-' || c == '.' || c == '_' || c == '~') {
            rc_buf_push_byte(buf, c);
            continue;
        }
        char escape[3] = {'%', digits[byte >> 4], digits[byte & 15]};
        rc_buf_push(buf, rc_str_make(escape, sizeof escape));
    }
}
