/* rc_json_scan: vectorised search for quotes, brackets and special characters in JSON.
 *
 * Each function exists at several levels: portable C, SSE2 and AVX2. All levels return the same
 * results and never read outside the text. Each call chooses the best level that the processor
 * supports. The choice takes two loads and a test and stores no state. */
#ifndef RC_JSON_SCAN_H
#define RC_JSON_SCAN_H

#include <stdint.h>

#include <recourse/str.h>

#include "base/vec16.h"

typedef enum rc_json_scan_level {
    RC_JSON_SCAN_PORTABLE,
    RC_JSON_SCAN_SSE2,
    RC_JSON_SCAN_AVX2,
    RC_JSON_SCAN_LEVEL_COUNT
} rc_json_scan_level;

#define RC_JSON_SCAN_NONE ((size_t)-1)

typedef struct rc_json_scan {
    /* Returns the offset of the first byte at or after `at` that is a quote, a backslash or below
     * 0x20, or text.len if the text has no such byte. Sets *has_high to true if a byte above 0x7F
     * precedes this offset; otherwise *has_high is unchanged. */
    size_t (*special)(rc_str text, size_t at, bool *has_high);

    /* Returns the offset of the first byte at or after `at` that a writer may have to escape: a
     * quote, a backslash, below 0x20 or above 0x7E. Returns text.len if the text has no such
     * byte. */
    size_t (*unclean)(rc_str text, size_t at);

    /* Returns the offset of the quote that closes the string whose content begins at `at`, or
     * text.len if the text has no such quote. */
    size_t (*string_end)(rc_str text, size_t at);

    /* Returns the offset after the bracket that closes the container whose content begins at `at`,
     * or RC_JSON_SCAN_NONE if the text has no such bracket. The kind of bracket is not checked, so
     * `[1}` counts as closed. A quote after a backslash is ignored even outside strings, where
     * valid JSON has no backslash. */
    size_t (*container_end)(rc_str text, size_t at);
} rc_json_scan;

/* Returns the functions of one level, for tests and benchmarks, or NULL if the processor does not
 * support the level. The result is a static table. */
const rc_json_scan *rc_json_scan_get(rc_json_scan_level level);

/* Returns the functions of the best level that the processor supports; or always the portable level
 * if compiled with -DRC_JSON_SCAN_FORCE_PORTABLE. The result is a static table. */
const rc_json_scan *rc_json_scan_best(void);

/* Loads eight bytes into a word, the first byte in the lowest bits. */
static inline uint64_t rc_json_scan_word(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

#define RC_JSON_SCAN_ONES UINT64_C(0x0101010101010101)
#define RC_JSON_SCAN_TOPS UINT64_C(0x8080808080808080)

/* Sets the top bit of each byte below `limit` (at most 0x80). Only the lowest set bit of the result
 * is reliable, because a borrow can set wrong bits above it. */
static inline uint64_t rc_json_scan_below(uint64_t word, uint8_t limit)
{
    return (word - RC_JSON_SCAN_ONES * limit) & ~word & RC_JSON_SCAN_TOPS;
}

/* Sets the top bit of each byte that equals c. Only the lowest set bit of the result is
 * reliable. */
static inline uint64_t rc_json_scan_equal(uint64_t word, char c)
{
    return rc_json_scan_below(word ^ (RC_JSON_SCAN_ONES * (uint8_t)c), 1);
}

static inline uint64_t rc_json_scan_special_bits(uint64_t word)
{
    return rc_json_scan_below(word, 0x20) | rc_json_scan_equal(word, '"') |
           rc_json_scan_equal(word, '\\');
}

/* Sets the top bit of each byte that a writer may have to escape. Only the lowest set bit of the
 * result is reliable. All bytes above 0x7F are included, so the terms need not mask them out;
 * adding one in the last term includes 0x7F. */
static inline uint64_t rc_json_scan_unclean_bits(uint64_t word)
{
    uint64_t control = word - RC_JSON_SCAN_ONES * 0x20;
    uint64_t quote = (word ^ (RC_JSON_SCAN_ONES * '"')) - RC_JSON_SCAN_ONES;
    uint64_t backslash = (word ^ (RC_JSON_SCAN_ONES * '\\')) - RC_JSON_SCAN_ONES;
    uint64_t high = word | (word + RC_JSON_SCAN_ONES);
    return (control | quote | backslash | high) & RC_JSON_SCAN_TOPS;
}

static inline bool rc_json_scan_is_unclean(char c)
{
    return c == '"' || c == '\\' || (unsigned char)c < 0x20 || (unsigned char)c > 0x7E;
}

/* As rc_json_scan.special of the best level. The search in the first sixteen bytes is inlined,
 * because most keys are short. */
static inline size_t rc_json_scan_special(rc_str text, size_t at, bool *has_high)
{
    for (int i = 0; i < 2 && text.len - at >= sizeof(uint64_t); i++, at += sizeof(uint64_t)) {
        uint64_t word = rc_json_scan_word(text.ptr + at);
        uint64_t found = rc_json_scan_special_bits(word);
        uint64_t before = found ? (found & (~found + 1)) - 1 : ~UINT64_C(0);
        *has_high |= (word & before & RC_JSON_SCAN_TOPS) != 0;
        if (found)
            return at + (size_t)__builtin_ctzll(found) / 8;
    }
    return rc_json_scan_best()->special(text, at, has_high);
}

/* Returns one bit per byte that is a quote, a backslash, below 0x20 or above 0x7F. Inverting bit 7
 * of a byte maps the bytes below 0x20 and above 0x7F to the single range below 0xA0. */
static inline uint32_t rc_json_scan_odd_bits(rc_vec16 bytes)
{
    return rc_vec16_bits((rc_vec16)(bytes == '"') | (rc_vec16)(bytes == '\\') |
                         (rc_vec16)((bytes ^ 0x80) < 0xA0));
}

/* rc_json_scan_plain returns the length of the string whose content begins at `at`, if the string
 * is shorter than 32 bytes, ASCII and without escapes, as nearly all keys are. The result is
 * RC_JSON_SCAN_NONE for other strings, and if the text ends before the string.
 * rc_json_scan_plain_far handles the cases that are not inlined. */
size_t rc_json_scan_plain_far(rc_str text, size_t at);
static inline size_t rc_json_scan_plain(rc_str text, size_t at)
{
    const char *from = text.ptr + at;
    uint32_t odd = text.len - at < RC_VEC16_BYTES ? 0 : rc_json_scan_odd_bits(rc_vec16_load(from));
    if (odd == 0)
        return rc_json_scan_plain_far(text, at);
    size_t len = (size_t)__builtin_ctz(odd);
    return from[len] == '"' ? len : RC_JSON_SCAN_NONE;
}

#endif
