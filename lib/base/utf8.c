/* UTF-8: decoding, validation, display width. Used by the JSON code, the renderers and the
 * scrubber. */
#include "base/utf8.h"

#include "base/str.h"

/* A lead byte, which determines the length of a character and the range of the second byte (Unicode
 * 15, table 3-7). */
typedef struct lead {
    uint8_t len; /* length of the character in bytes; 0: the byte is not a lead byte */
    uint8_t second_min;
    uint8_t second_max;
} lead;

static lead lead_of(unsigned char c)
{
    if (c < 0xC2)
        return (lead){0};
    if (c < 0xE0)
        return (lead){2, 0x80, 0xBF};
    if (c < 0xF0)
        return (lead){3, c == 0xE0 ? 0xA0 : 0x80, c == 0xED ? 0x9F : 0xBF};
    if (c < 0xF5)
        return (lead){4, c == 0xF0 ? 0x90 : 0x80, c == 0xF4 ? 0x8F : 0xBF};
    return (lead){0};
}

/* Returns the length of the character at p and sets *ret_ok to true. If p is ill-formed, returns
 * the length of the maximal ill-formed prefix and sets *ret_ok to false. */
static size_t sequence_len(const unsigned char *p, size_t left, bool *ret_ok)
{
    lead l = lead_of(p[0]);
    *ret_ok = false;
    if (l.len == 0 || left < 2 || p[1] < l.second_min || p[1] > l.second_max)
        return 1;
    for (size_t i = 2; i < l.len; i++) {
        if (i >= left || (p[i] & 0xC0) != 0x80)
            return i;
    }
    *ret_ok = true;
    return l.len;
}

uint32_t rc_utf8_decode(rc_str s, size_t at, size_t *ret_len)
{
    const unsigned char *p = (const unsigned char *)s.ptr + at;
    if (p[0] < 0x80) {
        *ret_len = 1;
        return p[0];
    }
    bool ok;
    size_t len = sequence_len(p, s.len - at, &ok);
    *ret_len = len;
    if (!ok)
        return RC_UTF8_REPLACEMENT;
    uint32_t cp = p[0] & (0x7Fu >> len);
    for (size_t i = 1; i < len; i++)
        cp = cp << 6 | (p[i] & 0x3Fu);
    return cp;
}

size_t rc_utf8_valid_prefix(rc_str s)
{
    const unsigned char *p = (const unsigned char *)s.ptr;
    size_t at = 0;
    while (at < s.len) {
        uint64_t eight;
        if (s.len - at >= sizeof eight) {
            memcpy(&eight, p + at, sizeof eight);
            if (!(eight & UINT64_C(0x8080808080808080))) {
                at += sizeof eight;
                continue;
            }
        }
        if (p[at] < 0x80) {
            at++;
            continue;
        }
        bool ok;
        size_t len = sequence_len(p + at, s.len - at, &ok);
        if (!ok)
            return at;
        at += len;
    }
    return at;
}

bool rc_utf8_is_valid(rc_str s)
{
    return rc_utf8_valid_prefix(s) == s.len;
}

size_t rc_utf8_encode(uint32_t cp, char out[4])
{
    if (cp > 0x10FFFF || (cp >= 0xD800 && cp <= 0xDFFF))
        cp = RC_UTF8_REPLACEMENT;
    if (cp < 0x80) {
        out[0] = (char)cp;
        return 1;
    }
    size_t len = cp < 0x800 ? 2 : cp < 0x10000 ? 3 : 4;
    for (size_t i = len - 1; i > 0; i--) {
        out[i] = (char)(0x80u | (cp & 0x3Fu));
        cp >>= 6;
    }
    static const uint8_t LEAD_BITS[] = {0, 0, 0xC0, 0xE0, 0xF0};
    out[0] = (char)(LEAD_BITS[len] | cp);
    return len;
}

rc_str rc_utf8_without_bom(rc_str s)
{
    const rc_str bom = RC_STR("\xEF\xBB\xBF");
    return rc_str_starts_with(s, bom) ? rc_str_slice(s, bom.len, s.len) : s;
}

/* If a character spans the cut at `len`, it begins at the nearest earlier byte that is not a
 * continuation byte, at most three bytes before the cut. If none of these bytes begins a character,
 * the text is ill-formed and is cut at `len`. */
size_t rc_utf8_cut(rc_str s, size_t len)
{
    if (len >= s.len)
        return s.len;
    for (size_t back = 1; back <= 3 && back <= len; back++) {
        size_t at = len - back;
        if (((unsigned char)s.ptr[at] & 0xC0) == 0x80)
            continue;
        size_t taken;
        rc_utf8_decode(s, at, &taken);
        return at + taken > len ? at : len;
    }
    return len;
}

typedef struct range {
    uint32_t first;
    uint32_t last;
} range;

/* Code points of general category Mn, Me or Cf in the blocks that occur in messages; sorted. */
static const range ZERO_WIDTH[] = {
    {0x0300, 0x036F}, {0x0483, 0x0489},   {0x0591, 0x05BD},   {0x0610, 0x061A},   {0x064B, 0x065F},
    {0x0670, 0x0670}, {0x06D6, 0x06DD},   {0x0900, 0x0902},   {0x093C, 0x093C},   {0x0941, 0x0948},
    {0x094D, 0x094D}, {0x0E31, 0x0E31},   {0x0E34, 0x0E3A},   {0x0E47, 0x0E4E},   {0x1AB0, 0x1AFF},
    {0x1DC0, 0x1DFF}, {0x200B, 0x200F},   {0x202A, 0x202E},   {0x2060, 0x2064},   {0x2066, 0x206F},
    {0x20D0, 0x20F0}, {0x302A, 0x302D},   {0x3099, 0x309A},   {0xFE00, 0xFE0F},   {0xFE20, 0xFE2F},
    {0xFEFF, 0xFEFF}, {0x1F3FB, 0x1F3FF}, {0xE0001, 0xE007F}, {0xE0100, 0xE01EF},
};

/* Code points of East Asian Width W or F, and emoji of two columns; sorted. */
static const range WIDE[] = {
    {0x1100, 0x115F},   {0x231A, 0x231B},   {0x23E9, 0x23EC},   {0x23F0, 0x23F0},
    {0x23F3, 0x23F3},   {0x25FD, 0x25FE},   {0x2614, 0x2615},   {0x2648, 0x2653},
    {0x267F, 0x267F},   {0x2693, 0x2693},   {0x26A1, 0x26A1},   {0x26AA, 0x26AB},
    {0x26BD, 0x26BE},   {0x26C4, 0x26C5},   {0x26CE, 0x26CE},   {0x26D4, 0x26D4},
    {0x26EA, 0x26EA},   {0x26F2, 0x26F3},   {0x26F5, 0x26F5},   {0x26FA, 0x26FA},
    {0x26FD, 0x26FD},   {0x2705, 0x2705},   {0x270A, 0x270B},   {0x2728, 0x2728},
    {0x274C, 0x274C},   {0x274E, 0x274E},   {0x2753, 0x2755},   {0x2757, 0x2757},
    {0x2795, 0x2797},   {0x27B0, 0x27B0},   {0x27BF, 0x27BF},   {0x2B1B, 0x2B1C},
    {0x2B50, 0x2B50},   {0x2B55, 0x2B55},   {0x2E80, 0x303E},   {0x3041, 0x33FF},
    {0x3400, 0x4DBF},   {0x4E00, 0x9FFF},   {0xA000, 0xA4CF},   {0xA960, 0xA97F},
    {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},
    {0xFFE0, 0xFFE6},   {0x16FE0, 0x18AFF}, {0x1B000, 0x1B2FF}, {0x1F004, 0x1F004},
    {0x1F0CF, 0x1F0CF}, {0x1F18E, 0x1F18E}, {0x1F191, 0x1F19A}, {0x1F200, 0x1F320},
    {0x1F32D, 0x1F335}, {0x1F337, 0x1F37C}, {0x1F37E, 0x1F393}, {0x1F3A0, 0x1F3CA},
    {0x1F3CF, 0x1F3D3}, {0x1F3E0, 0x1F3F0}, {0x1F3F4, 0x1F3F4}, {0x1F3F8, 0x1F43E},
    {0x1F440, 0x1F440}, {0x1F442, 0x1F4FC}, {0x1F4FF, 0x1F53D}, {0x1F54B, 0x1F54E},
    {0x1F550, 0x1F567}, {0x1F57A, 0x1F57A}, {0x1F595, 0x1F596}, {0x1F5A4, 0x1F5A4},
    {0x1F5FB, 0x1F64F}, {0x1F680, 0x1F6C5}, {0x1F6CC, 0x1F6CC}, {0x1F6D0, 0x1F6D2},
    {0x1F6D5, 0x1F6D7}, {0x1F6EB, 0x1F6EC}, {0x1F6F4, 0x1F6FC}, {0x1F7E0, 0x1F7EB},
    {0x1F90C, 0x1F93A}, {0x1F93C, 0x1F945}, {0x1F947, 0x1F9FF}, {0x1FA70, 0x1FAFF},
    {0x20000, 0x3FFFD},
};

static bool is_in(uint32_t cp, const range *ranges, size_t count)
{
    size_t low = 0;
    size_t high = count;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (cp > ranges[mid].last)
            low = mid + 1;
        else
            high = mid;
    }
    return low < count && cp >= ranges[low].first;
}

unsigned rc_utf8_width(uint32_t cp)
{
    if (cp < 0x20 || (cp >= 0x7F && cp < 0xA0))
        return 0;
    if (cp < 0x300)
        return 1;
    if (is_in(cp, ZERO_WIDTH, sizeof ZERO_WIDTH / sizeof *ZERO_WIDTH))
        return 0;
    return is_in(cp, WIDE, sizeof WIDE / sizeof *WIDE) ? 2 : 1;
}

bool rc_utf8_is_unsafe(uint32_t cp)
{
    if (cp < 0xA0)
        return cp < 0x20 || cp >= 0x7F;
    return cp == 0x061C || cp == 0x200B || cp == 0x200E || cp == 0x200F ||
           (cp >= 0x2028 && cp <= 0x202E) || (cp >= 0x2060 && cp <= 0x206F) || cp == 0xFEFF ||
           (cp >= 0xE0000 && cp <= 0xE0FFF);
}
