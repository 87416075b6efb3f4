/* Folding of letters: lower case without accents, so that "Clé" and "cle" are equal. Called by
 * languages.c for texts and by gen_languages for the words. */
#include "base/str.h"
#include "base/utf8.h"
#include "classify/languages/words.h"

/* The letters from U+00C0 to U+00FF and from U+0100 to U+017F without accents; a blank is no
 * letter. */
static const char LATIN_1[] = "aaaaaaaceeeeiiiidnooooo ouuuuypsaaaaaaaceeeeiiiidnooooo ouuuuypy";
static const char LATIN_A[] = "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllll"
                              "lllllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";

#define SHARP_S 0xDFu
#define CYRILLIC_IO 0x451u
#define CYRILLIC_IE 0x435u

static uint32_t fold_code(uint32_t cp)
{
    if (cp >= 0xFF01 && cp <= 0xFF5E) /* full-width forms */
        cp = cp - 0xFF01 + '!';
    if (cp < 0x80)
        return (uint32_t)(unsigned char)rc_ascii_lower((char)cp);
    if (cp >= 0xC0 && cp < 0x100)
        return (unsigned char)LATIN_1[cp - 0xC0];
    if (cp >= 0x100 && cp < 0x180)
        return (unsigned char)LATIN_A[cp - 0x100];
    if (cp >= 0x410 && cp < 0x430)
        return cp + 0x20;
    if (cp == 0x401 || cp == CYRILLIC_IO)
        return CYRILLIC_IE;
    return cp;
}

static bool is_sentence_end(rc_str text, uint32_t cp, size_t after)
{
    if (cp == '\n' || cp == ';' || cp == 0x3002 || cp == 0xFF01 || cp == 0xFF1F || cp == 0xFF1B)
        return true;
    if (cp != '.' && cp != '!' && cp != '?')
        return false;
    return after >= text.len || !rc_ascii_is_alnum(text.ptr[after]);
}

/* Returns whether the point or comma stands between two digits. */
static bool is_in_number(rc_str text, size_t from, size_t after)
{
    return from > 0 && rc_ascii_is_digit(text.ptr[from - 1]) && after < text.len &&
           rc_ascii_is_digit(text.ptr[after]);
}

/* Returns whether the character is a letter of an alphabet or a character of a script in which
 * words are not separated, and no punctuation. */
static bool is_letter(uint32_t cp)
{
    if (cp < 0x80)
        return rc_ascii_is_alnum((char)cp);
    return (cp >= 0x370 && cp < 0x2000) || (cp >= 0x3040 && cp < 0x30FB) ||
           (cp >= 0x30FC && cp < 0xD800) || (cp >= 0xF900 && cp < 0xFB00) ||
           (cp >= 0x20000 && cp < 0x40000) || cp == 0x3005;
}

size_t rc_language_fold(rc_str text, size_t *at, char ret[RC_FOLD_MAX])
{
    size_t len;
    const size_t from = *at;
    const uint32_t read = rc_utf8_decode(text, from, &len);
    *at = from + len;
    if (read == SHARP_S) {
        ret[0] = ret[1] = 's';
        return 2;
    }
    if (read >= 0x300 && read < 0x370)
        return 0;
    const uint32_t cp = fold_code(read);
    if (is_sentence_end(text, read, *at)) {
        ret[0] = '\n';
        return 1;
    }
    if ((cp == '.' || cp == ',') && is_in_number(text, from, *at)) {
        ret[0] = '.';
        return 1;
    }
    if (!is_letter(cp)) {
        ret[0] = ' ';
        return 1;
    }
    return rc_utf8_encode(cp, ret);
}
