/* Character classes of the word reader. Called by words.c and words_special.c. */
#include "base/utf8.h"
#include "classify/phrases/words_private.h"

static bool is_ideograph(uint32_t cp)
{
    return (cp >= 0x3040 && cp <= 0x30FF && cp != 0x30FB) || (cp >= 0x3400 && cp <= 0x9FFF) ||
           (cp >= 0xAC00 && cp <= 0xD7A3) || (cp >= 0xF900 && cp <= 0xFAFF) ||
           (cp >= 0x20000 && cp <= 0x3FFFF);
}

/* Returns true for letters of alphabets such as Latin, Greek and Georgian, and false for characters
 * in the blocks of punctuation, signs and symbols. */
static bool is_letter(uint32_t cp)
{
    return (cp >= 0xC0 && cp < 0x2000 && cp != 0xD7 && cp != 0xF7) ||
           (cp >= 0x2C00 && cp < 0x2E00) || (cp >= 0xA000 && cp < 0xAC00) ||
           (cp >= 0xFB00 && cp < 0xFE00) || (cp >= 0xFE70 && cp < 0xFEFF) ||
           (cp >= 0xFF66 && cp < 0xFFE0);
}

static unsigned fold(uint32_t cp)
{
    if (cp >= 0xFF01 && cp <= 0xFF5E) {
        unsigned ascii = cp - 0xFF01 + '!';
        return ascii == '!' || ascii == '?' || ascii == ';' ? GLYPH_FULL_STOP : ascii;
    }
    switch (cp) {
    case 0xA0:
    case 0x3000:
        return ' ';
    case 0x2018:
    case 0x2019:
        return '\'';
    case 0x201C:
    case 0x201D:
        return '"';
    case 0x3002:
    case 0xFF61:
        return GLYPH_FULL_STOP;
    case 0x2264:
        return GLYPH_AT_MOST;
    case 0x2265:
        return GLYPH_AT_LEAST;
    default:
        break;
    }
    if (is_ideograph(cp))
        return GLYPH_IDEOGRAPH;
    return is_letter(cp) ? GLYPH_LETTER : GLYPH_OTHER;
}

rc_word_glyph rc_words_glyph(rc_str text, size_t at)
{
    if (at >= text.len)
        return (rc_word_glyph){' ', 0};
    unsigned char c = (unsigned char)text.ptr[at];
    if (c < 0x80)
        return (rc_word_glyph){c, 1};
    size_t len;
    uint32_t cp = rc_utf8_decode(text, at, &len);
    return (rc_word_glyph){fold(cp), (unsigned)len};
}
