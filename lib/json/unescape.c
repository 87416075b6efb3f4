/* JSON string values: decodes escapes. Called by all code that reads string members. */
#include "json/lex.h"

#include "base/str.h"
#include "base/utf8.h"
#include "base/vec16.h"
#include "json/scan.h"

/* Returns the value of the four hexadecimal digits at `at`, or -1 if the text has fewer than four
 * digits there. */
static int32_t read_hex4(rc_str raw, size_t at)
{
    if (at > raw.len || raw.len - at < 4)
        return -1;
    int32_t value = 0;
    for (size_t i = at; i < at + 4; i++) {
        char c = rc_ascii_lower(raw.ptr[i]);
        if (rc_ascii_is_digit(c))
            value = value * 16 + (c - '0');
        else if (c >= 'a' && c <= 'f')
            value = value * 16 + (c - 'a' + 10);
        else
            return -1;
    }
    return value;
}

static bool is_high_half(int32_t unit)
{
    return unit >= 0xD800 && unit <= 0xDBFF;
}

static bool is_low_half(int32_t unit)
{
    return unit >= 0xDC00 && unit <= 0xDFFF;
}

/* One character of the unescaped value, in UTF-8. */
typedef struct piece {
    char bytes[4];
    size_t len;
    size_t taken; /* number of bytes of the raw string that encode this character */
} piece;

static piece piece_of(uint32_t cp, size_t taken)
{
    piece p = {.taken = taken};
    p.len = rc_utf8_encode(cp, p.bytes);
    return p;
}

static piece unicode_escape(rc_str raw, size_t at)
{
    int32_t unit = read_hex4(raw, at + 2);
    if (unit < 0)
        return piece_of('\\', 1);
    if (!is_high_half(unit))
        return piece_of((uint32_t)unit, 6); /* a lone low surrogate is replaced by U+FFFD */
    bool has_next = raw.len - at >= 12 && raw.ptr[at + 6] == '\\' && raw.ptr[at + 7] == 'u';
    int32_t low = has_next ? read_hex4(raw, at + 8) : -1;
    if (!is_low_half(low))
        return piece_of(RC_UTF8_REPLACEMENT, 6);
    return piece_of(0x10000u + ((uint32_t)(unit - 0xD800) << 10) + (uint32_t)(low - 0xDC00), 12);
}

/* Reads the escape at `at`. An unknown or incomplete escape is returned unchanged, with its
 * backslash, so that no text of malformed input is lost. */
static piece escape_at(rc_str raw, size_t at)
{
    if (at + 1 == raw.len)
        return piece_of('\\', 1);
    char c = raw.ptr[at + 1];
    switch (c) {
    case '"':
    case '\\':
    case '/':
    case '\'': /* not valid in JSON, but written by Python and JavaScript */
        return piece_of((uint32_t)c, 2);
    case 'b':
        return piece_of('\b', 2);
    case 'f':
        return piece_of('\f', 2);
    case 'n':
        return piece_of('\n', 2);
    case 'r':
        return piece_of('\r', 2);
    case 't':
        return piece_of('\t', 2);
    case 'u':
        return unicode_escape(raw, at);
    default:
        return piece_of('\\', 1);
    }
}

static piece piece_at(rc_str raw, size_t at)
{
    if (raw.ptr[at] == '\\')
        return escape_at(raw, at);
    size_t len;
    uint32_t cp = rc_utf8_decode(raw, at, &len);
    return piece_of(cp, len);
}

/* Returns the offset of the first escape or ill-formed byte from `at` on, or raw.len if the string
 * has neither. */
static size_t plain_end(rc_str raw, size_t at)
{
    const rc_json_scan *scan = rc_json_scan_best();
    while (at < raw.len) {
        at = scan->unclean(raw, at);
        if (at == raw.len || raw.ptr[at] == '\\')
            return at;
        size_t len;
        uint32_t cp = rc_utf8_decode(raw, at, &len);
        if (cp == RC_UTF8_REPLACEMENT)
            return at; /* ill-formed; the search also stops at an encoded U+FFFD, which has no
                          effect on the result */
        at += len;
    }
    return at;
}

rc_status rc_json_unescape(rc_str raw, rc_buf *buf)
{
    size_t at = 0;
    while (at < raw.len && rc_buf_status(buf) == RC_OK) {
        size_t end = plain_end(raw, at);
        rc_buf_push(buf, rc_str_make(raw.ptr + at, end - at));
        at = end;
        if (at == raw.len)
            break;
        piece p = piece_at(raw, at);
        rc_buf_push(buf, rc_str_make(p.bytes, p.len));
        at += p.taken;
    }
    return rc_buf_status(buf);
}

bool rc_json_raw_eq(rc_str raw, bool has_escapes, rc_str plain)
{
    if (!has_escapes)
        return rc_str_eq(raw, plain);
    size_t matched = 0;
    for (size_t at = 0; at < raw.len;) {
        piece p = piece_at(raw, at);
        if (plain.len - matched < p.len || memcmp(plain.ptr + matched, p.bytes, p.len) != 0)
            return false;
        matched += p.len;
        at += p.taken;
    }
    return matched == plain.len;
}

/* ---- unescaping in one pass ---- */

/* The state while one string is copied. */
typedef struct copy {
    rc_str text;
    size_t at;
    char *out;
    rc_vec16 seen; /* bitwise or of all bytes so far; if the top bit of a lane is set, the text is
                      not ASCII */
} copy;

/* Returns one bit per lane with a quote, a backslash or a byte below 0x20. The zeros that are
 * loaded after the end of the text are below 0x20, too. */
static uint32_t special_bits(rc_vec16 bytes)
{
    return rc_vec16_bits((rc_vec16)(bytes == '"') | (rc_vec16)(bytes == '\\') |
                         (rc_vec16)(bytes < 0x20));
}

/* Advances to the next special byte, which may be one past the text. */
static void find_special(copy *c)
{
    for (;;) {
        rc_vec16 bytes = rc_vec16_load_some(c->text.ptr + c->at, c->text.len - c->at);
        uint32_t special = special_bits(bytes);
        c->seen |= bytes;
        c->at += special ? (size_t)__builtin_ctz(special) : RC_VEC16_BYTES;
        if (special)
            return;
    }
}

/* Copies bytes up to the next special byte. Whole vectors are stored; bytes after the special byte
 * are overwritten by the next store. */
static void copy_to_special(copy *c)
{
    for (;;) {
        rc_vec16 bytes = rc_vec16_load_some(c->text.ptr + c->at, c->text.len - c->at);
        uint32_t special = special_bits(bytes);
        size_t len = special ? (size_t)__builtin_ctz(special) : RC_VEC16_BYTES;
        rc_vec16_store(c->out, bytes);
        c->seen |= bytes;
        c->at += len;
        c->out += len;
        if (special)
            return;
    }
}

/* Copies the escape at c->at. Returns false if it is not valid JSON. */
static bool copy_escape(copy *c)
{
    static const char SHORT[256] = {['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
                                    ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t'};
    if (c->text.len - c->at < 2)
        return false;
    unsigned char letter = (unsigned char)c->text.ptr[c->at + 1];
    if (SHORT[letter]) {
        *c->out++ = SHORT[letter];
        c->at += 2;
        return true;
    }
    if (letter != 'u')
        return false;
    int32_t unit = read_hex4(c->text, c->at + 2);
    piece p = unicode_escape(c->text, c->at);
    bool is_half = is_low_half(unit) || (is_high_half(unit) && p.taken != 12);
    if (unit < 0 || is_half)
        return false;
    memcpy(c->out, p.bytes, sizeof p.bytes);
    c->out += p.len;
    c->at += p.taken;
    return true;
}

/* Reads a string of any length. The function is not inlined, so that its stack frame does not slow
 * down the path for short strings. */
__attribute__((noinline)) static size_t lex_any_value(rc_str text, size_t at, rc_buf *scratch,
                                                      rc_str *ret_value)
{
    copy c = {.text = text, .at = at};
    char *start = scratch->ptr + scratch->len;
    find_special(&c);
    bool has_escapes = c.at < text.len && text.ptr[c.at] == '\\';
    if (has_escapes) {
        c.out = start;
        memcpy(c.out, text.ptr + at, c.at - at);
        c.out += c.at - at;
        while (c.at < text.len && text.ptr[c.at] == '\\') {
            if (!copy_escape(&c))
                return RC_JSON_SCAN_NONE;
            copy_to_special(&c);
        }
    }
    if (c.at >= text.len || text.ptr[c.at] != '"')
        return RC_JSON_SCAN_NONE;
    rc_str raw = rc_str_make(text.ptr + at, c.at - at);
    bool may_be_high = rc_vec16_bits(rc_vec16_high(c.seen)) != 0;
    if (may_be_high && !rc_utf8_is_valid(raw))
        return RC_JSON_SCAN_NONE;
    *ret_value = has_escapes ? rc_str_make(start, (size_t)(c.out - start)) : raw;
    scratch->len += has_escapes ? ret_value->len : 0;
    return c.at;
}

/* The fast path at the beginning is for strings that end within one vector and are ASCII without
 * escapes; most strings are of this kind. */
size_t rc_json_lex_value(rc_str text, size_t at, rc_buf *scratch, rc_str *ret_value)
{
    if (text.len - at >= RC_VEC16_BYTES) {
        rc_vec16 bytes = rc_vec16_load(text.ptr + at);
        uint32_t special = special_bits(bytes);
        uint32_t high = rc_vec16_bits(rc_vec16_high(bytes));
        size_t len = special ? (size_t)__builtin_ctz(special) : RC_VEC16_BYTES;
        if (special && high == 0 && text.ptr[at + len] == '"') {
            *ret_value = rc_str_make(text.ptr + at, len);
            return at + len;
        }
    }
    return lex_any_value(text, at, scratch, ret_value);
}
