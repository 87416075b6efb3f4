/* Glyphs: reads one character after decoding backslash, percent, XML and Unicode escapes. Called by
 * all finders of the scrubber. */
#include "scrub/parts.h"

#include "base/str.h"
#include "base/utf8.h"

static int hex_value(char c)
{
    if (rc_ascii_is_digit(c))
        return c - '0';
    char lower = rc_ascii_lower(c);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

/* Returns the value of `count` hexadecimal digits at `at`; -1 if the text has other characters
 * there. */
static int hex_number(rc_str text, size_t at, size_t count)
{
    if (count > text.len - at)
        return -1;
    int number = 0;
    for (size_t i = 0; i < count; i++) {
        int value = hex_value(text.ptr[at + i]);
        if (value < 0)
            return -1;
        number = number * 16 + value;
    }
    return number;
}

typedef struct range {
    uint32_t first;
    uint32_t last;
    int16_t ch;
} range;

/* Punctuation outside ASCII that surrounds keys in prose, and the ASCII character that replaces it
 * when a glyph is read. */
static const range PUNCTUATION[] = {
    {0x0085, 0x0085, '\n'},          {0x00A0, 0x00A0, ' '},
    {0x00AB, 0x00AB, '"'},           {0x00BB, 0x00BB, '"'},
    {0x2000, 0x200B, ' '},           {0x2010, 0x2017, RC_GLYPH_STOP},
    {0x2018, 0x201B, '\''},          {0x201C, 0x201F, '"'},
    {0x2020, 0x2025, RC_GLYPH_STOP}, {0x2026, 0x2026, RC_GLYPH_ELLIPSIS},
    {0x2027, 0x2027, RC_GLYPH_STOP}, {0x2028, 0x2029, '\n'},
    {0x202F, 0x202F, ' '},           {0x2039, 0x203A, '\''},
    {0x3000, 0x3000, ' '},           {0x3001, 0x3003, RC_GLYPH_STOP},
    {0x3008, 0x300B, RC_GLYPH_STOP}, {0x300C, 0x300F, '"'},
    {0x3010, 0x301F, RC_GLYPH_STOP}, {0xFEFF, 0xFEFF, ' '},
    {0xFF01, 0xFF0F, RC_GLYPH_STOP}, {0xFF1A, 0xFF1A, ':'},
    {0xFF1B, 0xFF1C, RC_GLYPH_STOP}, {0xFF1D, 0xFF1D, '='},
    {0xFF1E, 0xFF20, RC_GLYPH_STOP}, {0xFFFD, 0xFFFD, RC_GLYPH_BROKEN},
};

static rc_glyph wide_glyph(rc_str text, size_t at)
{
    size_t len;
    uint32_t cp = rc_utf8_decode(text, at, &len);
    rc_glyph glyph = {.ch = RC_GLYPH_LETTER, .len = (uint32_t)len};
    for (size_t i = 0; i < sizeof PUNCTUATION / sizeof *PUNCTUATION; i++) {
        if (cp >= PUNCTUATION[i].first && cp <= PUNCTUATION[i].last)
            glyph.ch = PUNCTUATION[i].ch;
    }
    return glyph;
}

static int16_t control_of(char letter)
{
    switch (letter) {
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    case 'b':
    case 'f':
        return RC_GLYPH_LETTER;
    default:
        return -1;
    }
}

#define SLASHES_MAX 4096u /* more backslashes than a text has after escaping it twelve times */

/* Reads backslashes and the escaped character: quotes at any depth of escaping, JSON's \/ \n
 * \u0026, Python's \x22. */
static rc_glyph escaped_glyph(rc_str text, size_t at)
{
    uint32_t slashes = 0;
    while (slashes < SLASHES_MAX && slashes < text.len - at && text.ptr[at + slashes] == '\\')
        slashes++;
    rc_glyph glyph = {.ch = '\\', .len = slashes, .slashes = slashes};
    size_t end = at + slashes;
    if (end == text.len)
        return glyph;
    char c = text.ptr[end];
    uint32_t digits = c == 'u' ? 4 : c == 'x' ? 2 : 0;
    int number = digits ? hex_number(text, end + 1, digits) : -1;
    if (number >= 0) {
        glyph.len += 1 + digits;
        glyph.ch = number > 0 && number < 0x80 ? (int16_t)number : RC_GLYPH_LETTER;
        glyph.slashes--; /* \u0022 counts as an unescaped quote, \\u0022 as an escaped quote */
        return glyph;
    }
    int16_t control = control_of(c);
    if (control < 0 && c != '"' && c != '\'' && c != '`' && c != '/')
        return glyph;
    glyph.ch = control < 0 ? c : control;
    glyph.len++;
    return glyph;
}

static rc_glyph percent_glyph(rc_str text, size_t at)
{
    int number = hex_number(text, at + 1, 2);
    if (number <= 0 || number >= 0x80)
        return (rc_glyph){.ch = '%', .len = 1};
    return (rc_glyph){.ch = (int16_t)number, .len = 3, .is_percent = true};
}

static rc_glyph entity_glyph(rc_str text, size_t at)
{
    static const struct {
        char name[8];
        uint8_t len;
        char ch;
    } ENTITIES[] = {
        {"&quot;", 6, '"'},  {"&#34;", 5, '"'},  {"&#x22;", 6, '"'},
        {"&apos;", 6, '\''}, {"&#39;", 5, '\''}, {"&#x27;", 6, '\''},
        {"&amp;", 5, '&'},   {"&lt;", 4, '<'},   {"&gt;", 4, '>'},
    };
    for (size_t i = 0; i < sizeof ENTITIES / sizeof *ENTITIES; i++) {
        rc_str name = rc_str_make(ENTITIES[i].name, ENTITIES[i].len);
        if (rc_scrub_has(text, at, name))
            return (rc_glyph){.ch = ENTITIES[i].ch, .len = ENTITIES[i].len};
    }
    return (rc_glyph){.ch = '&', .len = 1};
}

rc_glyph rc_glyph_disguised(rc_str text, size_t at)
{
    unsigned char c = (unsigned char)text.ptr[at];
    if (c >= 0x80)
        return wide_glyph(text, at);
    if (c == '\\')
        return escaped_glyph(text, at);
    if (c == '%')
        return percent_glyph(text, at);
    if (c == '&')
        return entity_glyph(text, at);
    return (rc_glyph){.ch = RC_GLYPH_BROKEN, .len = 1};
}

/* Returns the offset after one line end, LF or CRLF. */
static size_t skip_newline(rc_str text, size_t at)
{
    rc_glyph glyph = rc_glyph_at(text, at);
    if (glyph.ch == '\r')
        at += glyph.len;
    glyph = rc_glyph_at(text, at);
    return glyph.ch == '\n' ? at + glyph.len : at;
}

size_t rc_glyph_skip_blanks(rc_str text, size_t at, bool is_folded)
{
    for (;;) {
        rc_glyph glyph = rc_glyph_at(text, at);
        if (rc_glyph_is_blank(glyph)) {
            at += glyph.len;
            continue;
        }
        if (!is_folded || !rc_glyph_is_newline(glyph))
            return at;
        size_t next = skip_newline(text, at);
        if (!rc_glyph_is_blank(rc_glyph_at(text, next)))
            return at;
        at = next;
    }
}
