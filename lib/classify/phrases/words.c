/* Word reader: splits a text into words. This file reads words of ASCII letters in one letter case,
 * which are the most frequent ones; words_special.c reads all other text. Called by phrases.c and
 * gen_phrases. */
#include "classify/phrases/words.h"

#include "base/str.h"
#include "classify/phrases/words_private.h"

/* ---- hashes ---- */

/* Converts the value so that hashes do not depend on the machine's byte order, because the machine
 * that generates the table may have another byte order than the machine that reads it. */
static uint64_t little_endian(uint64_t value)
{
    return __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? __builtin_bswap64(value) : value;
}

static uint64_t load64(const char *p)
{
    uint64_t value;
    memcpy(&value, p, sizeof value);
    return little_endian(value);
}

static void store64(char *p, uint64_t value)
{
    value = little_endian(value);
    memcpy(p, &value, sizeof value);
}

/* Mixes three 8-byte parts of a word into a hash. Different words of up to 8 bytes have different
 * hashes. */
static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t h = a * UINT64_C(0x9E3779B97F4A7C15);
    if (b)
        h ^= b * UINT64_C(0xC2B2AE3D27D4EB4F) ^ c * UINT64_C(0x165667B19E3779F9);
    h ^= h >> 32;
    h *= UINT64_C(0xD6E8FEB86659FD93);
    return h ^ h >> 29;
}

/* Hashes a word; `bytes` must be padded with zeros. */
uint64_t rc_words_hash_bytes(const char bytes[RC_WORD_MAX + 1])
{
    return mix(load64(bytes), load64(bytes + 8), load64(bytes + 16));
}

uint64_t rc_word_hash(rc_str word)
{
    if (word.len == 0 || word.len > RC_WORD_MAX)
        return 0;
    rc_stem stem = rc_word_stem(word.ptr, (unsigned)word.len);
    char bytes[RC_WORD_MAX + 1] = {0};
    memcpy(bytes, word.ptr, stem.len);
    bytes[stem.len - 1] = stem.last;
    return rc_words_hash_bytes(bytes);
}

/* The bytes of "cannot" as load64 returns them. */
#define CANNOT UINT64_C(0x746F6E6E6163)

/* ---- addresses ---- */

/* Returns whether the character may be inside a name or an address. */
static bool is_joint(unsigned code)
{
    return is_alpha(code) || is_digit(code) || code == '.' || code == ':' || code == '-' ||
           code == '_' || code == '@' || code == '+';
}

void rc_words_look_for_address(rc_words *w, size_t from, size_t to)
{
    if (w->is_code || from < w->searched_to || from < w->address_to ||
        !is_joint(rc_words_glyph(w->text, to).code))
        return;
    bool is_point = to < w->text.len && (w->text.ptr[to] == '.' || w->text.ptr[to] == ':');
    if (is_point && (to + 1 == w->text.len || rc_ascii_is_space(w->text.ptr[to + 1])))
        return;
    size_t len = rc_words_address_len(w->text, from, &w->searched_to);
    if (len)
        w->address_to = from + len;
}

/* ---- plain words ---- */

#define EACH_BYTE UINT64_C(0x0101010101010101)

/* Returns the 8 bytes from `at` on, padded with zeros at the end of the text. text.len must be at
 * least 8. */
static uint64_t bytes_at(rc_str text, size_t at)
{
    if (at + 8 <= text.len)
        return load64(text.ptr + at);
    if (at >= text.len)
        return 0;
    return load64(text.ptr + text.len - 8) >> (8 * (at + 8 - text.len));
}

/* Returns the number of leading bytes that are ASCII letters. */
static unsigned count_letters(uint64_t bytes)
{
    uint64_t folded = (bytes | 0x20 * EACH_BYTE) & 0x7F * EACH_BYTE;
    uint64_t from_a = folded + (0x80 - 'a') * EACH_BYTE;
    uint64_t above_z = folded + (0x80 - 'z' - 1) * EACH_BYTE;
    uint64_t others = ~(from_a & ~above_z & ~bytes) & 0x80 * EACH_BYTE;
    return others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
}

/* Returns the mask of the first `count` bytes; `count` is 1 to 8. */
static uint64_t mask_of(unsigned count)
{
    return UINT64_MAX >> (64 - 8 * count);
}

/* Returns whether all letters have the same case; a capital first letter is ignored. A word for
 * which the result is true is not split. */
static bool is_one_case(uint64_t bytes, uint64_t mask, uint64_t not_first)
{
    uint64_t bits = 0x20 * EACH_BYTE & mask;
    uint64_t capitals = bits & ~bytes;
    return (capitals & not_first) == 0 || capitals == bits;
}

static uint64_t lower(uint64_t bytes, uint64_t mask)
{
    return (bytes | 0x20 * EACH_BYTE) & mask;
}

/* Returns the hash of a word of fewer than 8 letters, as if it were in lower case. */
static uint64_t hash_short(uint64_t word, unsigned len)
{
    unsigned shift = 8 * (len - 1);
    bool may_cut = rc_stem_may_cut((char)(word >> shift), (char)(word >> (shift - 8) % 64));
    if (may_cut & (len > 3)) {
        char bytes[8];
        store64(bytes, word);
        rc_stem stem = rc_word_stem(bytes, len);
        shift = 8 * (stem.len - 1);
        word &= (UINT64_C(1) << shift) - 1;
        word |= (uint64_t)(unsigned char)stem.last << shift;
    }
    return mix(word, 0, 0);
}

/* Reads a word of at least 8 letters and returns its length; 0 if the word is too long or has mixed
 * case. */
static unsigned read_long(rc_str text, size_t from, uint64_t *ret_hash)
{
    char bytes[RC_WORD_MAX + 1] = {0};
    uint64_t not_first = ~UINT64_C(0xFF);
    bool is_upper_case = !(text.ptr[from + 1] & 0x20);
    unsigned len = 0;
    unsigned count = 8;
    for (unsigned i = 0; i < 3 && count == 8; i++) {
        uint64_t more = bytes_at(text, from + len);
        count = count_letters(more);
        if (count == 0)
            break;
        uint64_t mask = mask_of(count);
        if (!is_one_case(more, mask, not_first) || (i > 0 && (more >> 5 & 1) == is_upper_case))
            return 0;
        store64(bytes + len, lower(more, mask));
        len += count;
        not_first = UINT64_MAX;
    }
    if (len > RC_WORD_MAX)
        return 0;
    rc_stem stem = rc_word_stem(bytes, len);
    memset(bytes + stem.len, 0, len - stem.len);
    bytes[stem.len - 1] = stem.last;
    *ret_hash = rc_words_hash_bytes(bytes);
    return len;
}

/* Properties of a byte next to a plain word. */
enum {
    CHAR_OTHER = 1, /* A word next to such a byte must be read by words_special.c, not by
                     * read_plain_words. */
    CHAR_SIGN = 2,  /* A sign that, before a word, has a meaning and is not only a separator. */
    CHAR_JOINT = 4  /* A word before such a byte may be part of an address. */
};

static const uint8_t CHARS[256] = {[0 ... 0x1F] = CHAR_SIGN,
                                   ['!'] = CHAR_SIGN,
                                   ['%'] = CHAR_SIGN,
                                   ['\''] = CHAR_OTHER,
                                   ['+'] = CHAR_JOINT,
                                   ['-'] = CHAR_JOINT,
                                   ['.'] = CHAR_SIGN | CHAR_JOINT,
                                   ['/'] = CHAR_SIGN,
                                   ['0' ... '9'] = CHAR_SIGN | CHAR_JOINT,
                                   [':'] = CHAR_JOINT,
                                   [';' ... '<'] = CHAR_SIGN,
                                   ['>' ... '?'] = CHAR_SIGN,
                                   ['@'] = CHAR_JOINT,
                                   ['A' ... 'Z'] = CHAR_SIGN,
                                   ['\\'] = CHAR_OTHER,
                                   ['_'] = CHAR_JOINT,
                                   ['a' ... 'z'] = CHAR_SIGN,
                                   [0x7F] = CHAR_SIGN,
                                   [0x80 ... 0xFF] = CHAR_OTHER};

/* Returns the offset after characters that have no meaning except to separate words. */
static inline size_t skip_separators(rc_str text, size_t at)
{
    while (at < text.len && !(CHARS[(unsigned char)text.ptr[at]] & (CHAR_OTHER | CHAR_SIGN)))
        at++;
    return at;
}

/* Reads plain words (ASCII letters in one case). Returns when o->words has `max` words or when
 * words_special.c must read the next word. The text's length must be at least 8. */
static void read_plain_words(rc_words_out *o, size_t max)
{
    rc_words *w = o->w;
    rc_str text = w->text;
    size_t at = skip_separators(text, w->at);
    size_t to = w->letters_to;
    unsigned flags = w->is_new_sentence && !w->is_code ? RC_WORD_NEW_SENTENCE : 0;
    rc_word *first = o->words + o->count;
    rc_word *next = first;
    for (const rc_word *end = o->words + max; next < end; next++) {
        uint64_t bytes = bytes_at(text, at);
        unsigned len = count_letters(bytes);
        if (len == 0) {
            at = skip_separators(text, at);
            bytes = bytes_at(text, at);
            len = count_letters(bytes);
        }
        if (len == 0 || !is_one_case(bytes, mask_of(len), ~UINT64_C(0xFF)))
            break;
        uint64_t word = lower(bytes, mask_of(len));
        unsigned char follower;
        if (len < 8) {
            follower = (unsigned char)(bytes >> (8 * len));
            if ((CHARS[follower] & CHAR_OTHER) || word == CANNOT)
                break;
            next->hash = hash_short(word, len);
        } else {
            len = read_long(text, at, &next->hash);
            follower = at + len < text.len ? (unsigned char)text.ptr[at + len] : '\0';
            if (len == 0 || (CHARS[follower] & CHAR_OTHER))
                break;
        }
        to = at + len;
        if (CHARS[follower] & CHAR_JOINT)
            rc_words_look_for_address(w, at, to);
        next->from = (uint32_t)at;
        next->len = (uint16_t)len;
        next->kind = RC_WORD_TEXT;
        next->flags = (uint8_t)(flags | (at < w->address_to ? RC_WORD_IN_ADDRESS : 0));
        flags = 0;
        at = to + (follower == ' ');
    }
    if (next > first)
        w->is_new_sentence = false;
    w->letters_to = to;
    w->at = at;
    o->count = (size_t)(next - o->words);
}

/* ---- the reader ---- */

void rc_words_init(rc_words *words, rc_str text, bool is_code)
{
    *words = (rc_words){.text = text, .is_code = is_code};
}

size_t rc_words_read(rc_words *words, rc_word *ret, size_t max)
{
    rc_words_out o = {words, ret, 0};
    rc_str text = words->text;
    while (o.count + RC_WORDS_STEP <= max) {
        if (text.len >= 8 && !words->is_splitting)
            read_plain_words(&o, max - RC_WORDS_STEP + 1);
        if (words->at >= text.len)
            break;
        rc_word_glyph g = rc_words_glyph(text, words->at);
        if (is_alpha(g.code))
            rc_words_read_word(&o);
        else if (is_digit(g.code))
            rc_words_read_number(&o);
        else if (g.code == GLYPH_IDEOGRAPH)
            rc_words_read_ideograph(&o, g);
        else
            rc_words_read_sign(&o, g);
    }
    return o.count;
}
