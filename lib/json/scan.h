/* rc_json_scan: finding the few bytes of a JSON text that matter, many bytes at a time.
 *
 * Each function comes in several levels: portable C, SSE2 and AVX2. All levels give the same
 * answers, and none reads outside the text. The best level of the machine is chosen at each call by
 * two loads and a test; nothing is stored. */
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
    /* The first byte at or after `at` that is a quote, a backslash or below 0x20; text.len when
     * there is none. Sets *has_high when a byte above 0x7F stands before it, else leaves it alone.
     */
    size_t (*special)(rc_str text, size_t at, bool *has_high);

    /* The first byte at or after `at` that a writer has to look at: a quote, a backslash, below
     * 0x20 or above 0x7E; text.len when there is none. */
    size_t (*unclean)(rc_str text, size_t at);

    /* The quote that closes the string whose content begins at `at`; text.len when there is none.
     */
    size_t (*string_end)(rc_str text, size_t at);

    /* One past the bracket that closes the container whose content begins at `at`;
     * RC_JSON_SCAN_NONE when there is none. Both kinds of bracket count alike: `[1}` is closed. A
     * quote behind a backslash is none, also outside strings, where valid JSON has no backslash. */
    size_t (*container_end)(rc_str text, size_t at);
} rc_json_scan;

/* The functions of one level, for tests and benchmarks; NULL when this machine does not have it.
 * Gives a static table. */
const rc_json_scan *rc_json_scan_get(rc_json_scan_level level);

/* The best level of this machine. Compiled with RC_JSON_SCAN_FORCE_PORTABLE it is always the
 * portable one. */
const rc_json_scan *rc_json_scan_best(void);

/* Eight bytes in one word, the first in the lowest bits. */
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

/* The top bit of each byte below `limit` (at most 0x80). A borrow can set bits above the lowest one
 * that is right, so only the lowest may be used. */
static inline uint64_t rc_json_scan_below(uint64_t word, uint8_t limit)
{
    return (word - RC_JSON_SCAN_ONES * limit) & ~word & RC_JSON_SCAN_TOPS;
}

/* As above for the bytes that equal c. */
static inline uint64_t rc_json_scan_equal(uint64_t word, char c)
{
    return rc_json_scan_below(word ^ (RC_JSON_SCAN_ONES * (uint8_t)c), 1);
}

static inline uint64_t rc_json_scan_special_bits(uint64_t word)
{
    return rc_json_scan_below(word, 0x20) | rc_json_scan_equal(word, '"') |
           rc_json_scan_equal(word, '\\');
}

/* As above for the bytes that a writer has to look at. All bytes above 0x7F are among them, so none
 * of the terms has to leave them out; adding one brings 0x7F there too. */
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

/* The same as rc_json_scan.special of the best level, with the common case inlined: most keys are
 * short. */
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

/* The bytes that are not just themselves, a bit each: the quote, the backslash, below 0x20, above
 * 0x7F. The other bit 7 brings the last two together. */
static inline uint32_t rc_json_scan_odd_bits(rc_vec16 bytes)
{
    return rc_vec16_bits((rc_vec16)(bytes == '"') | (rc_vec16)(bytes == '\\') |
                         (rc_vec16)((bytes ^ 0x80) < 0xA0));
}

/* The length of the string whose content begins at `at`, if it is plain: shorter than 32 bytes, of
 * ASCII, without an escape. Nearly all keys are. RC_JSON_SCAN_NONE: it is not, or not whole. */
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
