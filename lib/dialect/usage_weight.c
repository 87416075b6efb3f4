/* Weights: estimates numbers of tokens from the length of texts. Called by the usage and stream
 * code of lib/dialect. */
#include "dialect/usage_weight.h"

#include "base/str.h"
#include "base/vec16.h"
#include "json/scan.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- text --- */

static unsigned hex_of(char c)
{
    if (rc_ascii_is_digit(c))
        return (unsigned)(c - '0');
    char lower = rc_ascii_lower(c);
    return lower >= 'a' && lower <= 'f' ? (unsigned)(lower - 'a') + 10 : 16;
}

/* Returns the weight of the escape at `at`, and its length in *ret_len. Each of the two escapes of
 * a surrogate pair has half of the pair's weight. */
static unsigned weigh_escape(rc_str text, size_t at, size_t *ret_len)
{
    unsigned unit = 0;
    *ret_len = 2;
    if (at + 6 > text.len || text.ptr[at + 1] != 'u')
        return 1;
    for (size_t i = at + 2; i < at + 6; i++) {
        unsigned digit = hex_of(text.ptr[i]);
        if (digit > 15)
            return 1;
        unit = unit << 4 | digit;
    }
    *ret_len = 6;
    return unit < 0x80 ? 1 : unit < 0x800 ? 2 : 4;
}

/* Returns the weight of a character by its first byte; a continuation byte has the weight 0. */
static unsigned weigh_byte(unsigned char byte)
{
    if (byte < 0x80)
        return 1;
    if (byte < 0xC0)
        return 0;
    return byte < 0xE0 ? 2 : byte < 0xF0 ? 4 : 8;
}

/* Returns the number of leading bytes, at most 16, that have a weight of one: ASCII without a
 * backslash. */
static inline size_t plain_len(const char *text, size_t len)
{
    const rc_vec16 bytes = rc_vec16_load_some(text, len);
    const uint32_t other = rc_vec16_bits(rc_vec16_high(bytes) | (rc_vec16)(bytes == '\\'));
    const size_t plain = other != 0 ? (size_t)__builtin_ctz(other) : RC_VEC16_BYTES;
    return plain < len ? plain : len;
}

uint64_t rc_weight_text(rc_str text)
{
    uint64_t weight = 0;
    for (size_t at = 0; at < text.len;) {
        size_t len = plain_len(text.ptr + at, text.len - at);
        weight += len;
        at += len;
        if (at == text.len || len == RC_VEC16_BYTES)
            continue;
        len = 1;
        if (text.ptr[at] == '\\')
            weight += weigh_escape(text, at, &len);
        else
            weight += weigh_byte((unsigned char)text.ptr[at]);
        at += len;
    }
    return weight;
}

/* --- JSON --- */

/* Names of members whose strings the model does not read. */
static const rc_str SILENT[] = {
    RC_STR_INIT("id"),
    RC_STR_INIT("type"),
    RC_STR_INIT("model"),
    RC_STR_INIT("object"),
    RC_STR_INIT("status"),
    RC_STR_INIT("call_id"),
    RC_STR_INIT("tool_call_id"),
    RC_STR_INIT("tool_use_id"),
    RC_STR_INIT("signature"),
    RC_STR_INIT("thoughtSignature"),
    RC_STR_INIT("encrypted_content"),
    RC_STR_INIT("mime_type"),
    RC_STR_INIT("mimeType"),
    RC_STR_INIT("media_type"),
    RC_STR_INIT("detail"),
    RC_STR_INIT("format"),
    RC_STR_INIT("finish_reason"),
    RC_STR_INIT("finishReason"),
    RC_STR_INIT("stop_reason"),
    RC_STR_INIT("system_fingerprint"),
    RC_STR_INIT("service_tier"),
    RC_STR_INIT("responseId"),
    RC_STR_INIT("modelVersion"),
};

static const rc_str MEDIA[] = {
    RC_STR_INIT("data"),     RC_STR_INIT("url"),       RC_STR_INIT("image_url"),
    RC_STR_INIT("b64_json"), RC_STR_INIT("file_data"), RC_STR_INIT("fileUri"),
    RC_STR_INIT("file_id"),
};

/* Names of members whose strings the model wrote, in all dialects. */
static const rc_str CONTENT[] = {
    RC_STR_INIT("content"),           RC_STR_INIT("text"),      RC_STR_INIT("arguments"),
    RC_STR_INIT("reasoning_content"), RC_STR_INIT("reasoning"), RC_STR_INIT("thinking"),
    RC_STR_INIT("refusal"),           RC_STR_INIT("name"),
};

static bool is_among(const rc_str *names, size_t count, rc_str name)
{
    for (size_t i = 0; i < count; i++)
        if (rc_str_eq(names[i], name))
            return true;
    return false;
}

static uint64_t weigh_value(rc_str key, rc_str text, unsigned flags)
{
    if (rc_str_eq(key, RC_STR("role")))
        return flags & RC_WEIGH_ROLES ? RC_WEIGHT_ROLE : 0;
    if (is_among(SILENT, COUNT(SILENT), key))
        return 0;
    if (is_among(MEDIA, COUNT(MEDIA), key))
        return flags & RC_WEIGH_MEDIA ? RC_WEIGHT_MEDIA : 0;
    return rc_weight_text(text);
}

bool rc_weight_is_text(rc_str key)
{
    return !rc_str_eq(key, RC_STR("role")) && !is_among(SILENT, COUNT(SILENT), key) &&
           !is_among(MEDIA, COUNT(MEDIA), key);
}

bool rc_weight_is_content(rc_str key)
{
    return is_among(CONTENT, COUNT(CONTENT), key);
}

static bool is_colon_next(rc_str text, size_t at)
{
    while (at < text.len && rc_ascii_is_space(text.ptr[at]))
        at++;
    return at < text.len && text.ptr[at] == ':';
}

/* Adds the weights of all strings. A string, also as an element of an array, belongs to the latest
 * key before it. */
uint64_t rc_weight_json(rc_str json, unsigned flags)
{
    const rc_json_scan *scan = rc_json_scan_best();
    rc_str key = RC_STR("");
    uint64_t weight = 0;
    size_t at = 0;
    while ((at = rc_str_find_byte(json, '"', at)) != RC_STR_NPOS) {
        size_t end = scan->string_end(json, at + 1);
        rc_str text = rc_str_slice(json, at + 1, end);
        if (!is_colon_next(json, end + 1)) {
            weight += weigh_value(key, text, flags);
        } else {
            key = text;
            weight += flags & RC_WEIGH_KEYS ? rc_weight_text(text) : 0;
        }
        at = end + 1;
    }
    return weight;
}

bool rc_weight_has_content(rc_str json)
{
    const rc_json_scan *scan = rc_json_scan_best();
    rc_str key = RC_STR("");
    size_t at = 0;
    while ((at = rc_str_find_byte(json, '"', at)) != RC_STR_NPOS) {
        size_t end = scan->string_end(json, at + 1);
        rc_str text = rc_str_slice(json, at + 1, end);
        if (is_colon_next(json, end + 1))
            key = text;
        else if (text.len > 0 && rc_weight_is_content(key))
            return true;
        at = end + 1;
    }
    return false;
}
