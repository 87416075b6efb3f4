/* Vectorised JSON scanning at three levels: portable, SSE2, AVX2. Called by the other files of
 * lib/json, lib/dialect and codec/stream_array.c. */
#include "json/scan.h"

#if defined(__x86_64__)
#define HAS_X86 1
#include <immintrin.h>
#else
#define HAS_X86 0
#endif

#define BLOCK 64

/* ---- common to all levels ---- */

/* A block of 64 bytes. The last block of a text begins earlier, so that it ends with the text; the
 * bits of the `skip` bytes that the previous block covered are then shifted out. In this way no
 * byte outside the text is read and none is copied. The text must have at least 64 bytes. */
typedef struct block {
    const char *p;
    unsigned skip;
} block;

static inline block whole_block(rc_str text, size_t at)
{
    return (block){.p = text.ptr + at, .skip = 0};
}

static inline block last_block(rc_str text, size_t at)
{
    return (block){.p = text.ptr + text.len - BLOCK, .skip = (unsigned)(BLOCK - (text.len - at))};
}

/* The state of a container scan between two blocks. */
typedef struct nesting {
    uint64_t carry;     /* 1 if the previous block ended in a backslash that escapes the next byte,
                           otherwise 0 */
    uint64_t in_string; /* all bits set if the next block begins inside a string, otherwise 0 */
    size_t depth;
} nesting;

/* ---- texts shorter than a block ---- */

static size_t short_string_end(rc_str text, size_t at)
{
    for (; at < text.len && text.ptr[at] != '"'; at++)
        at += text.ptr[at] == '\\';
    return at < text.len ? at : text.len;
}

static size_t short_container_end(rc_str text, size_t at)
{
    size_t depth = 1;
    bool in_string = false;
    for (; at < text.len; at++) {
        char c = text.ptr[at];
        char next = at + 1 < text.len ? text.ptr[at + 1] : '\0';
        if (c == '\\' && (next == '"' || next == '\\'))
            at++;
        else if (c == '"')
            in_string = !in_string;
        else if (!in_string && (c == '{' || c == '['))
            depth++;
        else if (!in_string && (c == '}' || c == ']') && --depth == 0)
            return at + 1;
    }
    return RC_JSON_SCAN_NONE;
}

/* Returns one bit for each escaped byte, which is a byte that follows a run of an odd number of
 * backslashes. Escaped backslashes themselves are not reported, because no caller needs them.
 * *carry is 1 if the previous block ended in such a run.
 *
 * Adding the first bit of a run to the run produces a carry, which sets the bit directly after the
 * run. The length of the run is even if the position of the bit after the run and the position of
 * its first bit are both even or both odd. Runs that begin at even bits and runs that begin at odd
 * bits are therefore added separately. */
static inline uint64_t escaped_bits(uint64_t backslashes, uint64_t *carry)
{
    const uint64_t even = UINT64_C(0x5555555555555555);
    uint64_t first = *carry;
    uint64_t behind = backslashes << 1 | first;
    if (!(backslashes & behind)) { /* the common case: no two adjacent backslashes */
        *carry = backslashes >> 63;
        return behind;
    }
    uint64_t runs = backslashes & ~first; /* an escaped first byte does not begin a run */
    uint64_t starts = runs & ~(runs << 1);
    uint64_t behind_odd_start;
    uint64_t behind_even_start = (runs + (starts & even)) & ~runs;
    *carry = __builtin_add_overflow(runs, starts & ~even, &behind_odd_start);
    behind_odd_start &= ~runs;
    return first | (behind_even_start & ~even) | (behind_odd_start & even);
}

/* Walks over the brackets of a block one by one. Returns the offset after the bracket that brings
 * the depth to 0. If no bracket does, returns 0 and sets *depth to the depth at the end of the
 * block. */
static size_t walk_brackets(uint64_t opens, uint64_t closes, size_t *depth)
{
    for (uint64_t left = opens | closes; left; left &= left - 1) {
        uint64_t bit = left & (~left + 1);
        if (opens & bit)
            ++*depth;
        else if (--*depth == 0)
            return (size_t)__builtin_ctzll(bit) + 1;
    }
    return 0;
}

static inline bool is_special(char c)
{
    return c == '"' || c == '\\' || (unsigned char)c < 0x20;
}

/* ---- portable: words of eight bytes ---- */

#define LEVEL(name) name##_portable
#define LEVEL_TARGET

static size_t special_portable(rc_str text, size_t at, bool *has_high)
{
    for (; text.len - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
        uint64_t word = rc_json_scan_word(text.ptr + at);
        uint64_t found = rc_json_scan_special_bits(word);
        if (found)
            break; /* the next loop finds the exact position, and the bytes above 0x7F before it */
        *has_high |= (word & RC_JSON_SCAN_TOPS) != 0;
    }
    for (; at < text.len && !is_special(text.ptr[at]); at++)
        *has_high |= (unsigned char)text.ptr[at] > 0x7F;
    return at;
}

static size_t unclean_portable(rc_str text, size_t at)
{
    for (; text.len - at >= sizeof(uint64_t); at += sizeof(uint64_t)) {
        uint64_t word = rc_json_scan_word(text.ptr + at);
        uint64_t found = rc_json_scan_unclean_bits(word);
        if (found)
            return at + (size_t)__builtin_ctzll(found) / 8;
    }
    while (at < text.len && !rc_json_scan_is_unclean(text.ptr[at]))
        at++;
    return at;
}

/* Sets the top bit of each byte that equals c. All bits of the result are exact, unlike those of
 * rc_json_scan_equal, because no carry crosses from one byte into the next. */
static inline uint64_t equal_bytes(uint64_t word, char c)
{
    const uint64_t low = ~RC_JSON_SCAN_TOPS;
    uint64_t x = word ^ (RC_JSON_SCAN_ONES * (uint8_t)c);
    return ~(((x & low) + low) | x | low);
}

/* Packs the top bits of the eight bytes into one byte. The multiplication moves the bit of byte i
 * to bit 56 + i. */
static inline uint64_t gather_tops(uint64_t tops)
{
    return ((tops >> 7) * UINT64_C(0x0102040810204080)) >> 56;
}

static inline uint64_t block_match(const char *p, uint64_t ignored_bits, char c)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < BLOCK / 8; i++) {
        uint64_t word = rc_json_scan_word(p + 8 * (size_t)i) | ignored_bits;
        bits |= gather_tops(equal_bytes(word, c)) << (8 * i);
    }
    return bits;
}

static inline uint64_t block_equal_portable(const char *p, char c)
{
    return block_match(p, 0, c);
}

/* In ASCII, a square bracket is the corresponding curly bracket without the bit 0x20. */
static inline uint64_t block_opens_portable(const char *p)
{
    return block_match(p, RC_JSON_SCAN_ONES * 0x20, '{');
}

static inline uint64_t block_closes_portable(const char *p)
{
    return block_match(p, RC_JSON_SCAN_ONES * 0x20, '}');
}

static inline uint64_t prefix_xor_portable(uint64_t bits)
{
    for (unsigned shift = 1; shift < 64; shift *= 2)
        bits ^= bits << shift;
    return bits;
}

/* Counts the set bits. The compiler's builtin is not used, because without the popcnt instruction
 * it calls the compiler's run-time library. */
static inline size_t count_portable(uint64_t bits)
{
    bits -= (bits >> 1) & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + ((bits >> 2) & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (size_t)((bits * RC_JSON_SCAN_ONES) >> 56);
}

#include "json/scan_loops.h"
#undef LEVEL
#undef LEVEL_TARGET

#if HAS_X86

/* ---- SSE2: vectors of sixteen bytes; every x86-64 processor supports SSE2 ---- */

#define LEVEL(name) name##_sse2
#define LEVEL_TARGET

static inline __m128i load_16(const char *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline uint32_t special_bits_16(__m128i v)
{
    __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
    __m128i backslash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(v, _mm_set1_epi8(0x1F)), v);
    return (uint32_t)_mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control));
}

static size_t special_sse2(rc_str text, size_t at, bool *has_high)
{
    for (; text.len - at >= 16; at += 16) {
        __m128i v = load_16(text.ptr + at);
        uint32_t found = special_bits_16(v);
        uint32_t before = found ? (found & (~found + 1)) - 1 : ~0u;
        *has_high |= ((uint32_t)_mm_movemask_epi8(v) & before) != 0;
        if (found)
            return at + (size_t)__builtin_ctz(found);
    }
    return special_portable(text, at, has_high);
}

static size_t unclean_sse2(rc_str text, size_t at)
{
    for (; text.len - at >= 16; at += 16) {
        __m128i v = load_16(text.ptr + at);
        /* The comparison is signed, so that the bytes above 0x7F are below 0x20, too. */
        __m128i low_or_high = _mm_cmplt_epi8(v, _mm_set1_epi8(0x20));
        __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
        __m128i backslash = _mm_cmpeq_epi8(v, _mm_set1_epi8('\\'));
        __m128i del = _mm_cmpeq_epi8(v, _mm_set1_epi8(0x7F));
        __m128i any = _mm_or_si128(_mm_or_si128(low_or_high, del), _mm_or_si128(quote, backslash));
        uint32_t found = (uint32_t)_mm_movemask_epi8(any);
        if (found)
            return at + (size_t)__builtin_ctz(found);
    }
    return unclean_portable(text, at);
}

static inline uint64_t block_match_sse2(const char *p, char ignored_bits, char c)
{
    uint64_t bits = 0;
    for (unsigned i = 0; i < BLOCK / 16; i++) {
        __m128i v = _mm_or_si128(load_16(p + 16 * (size_t)i), _mm_set1_epi8(ignored_bits));
        uint64_t found = (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(v, _mm_set1_epi8(c)));
        bits |= found << (16 * i);
    }
    return bits;
}

static inline uint64_t block_equal_sse2(const char *p, char c)
{
    return block_match_sse2(p, 0, c);
}

static inline uint64_t block_opens_sse2(const char *p)
{
    return block_match_sse2(p, 0x20, '{');
}

static inline uint64_t block_closes_sse2(const char *p)
{
    return block_match_sse2(p, 0x20, '}');
}

#define prefix_xor_sse2 prefix_xor_portable
#define count_sse2 count_portable

#include "json/scan_loops.h"
#undef LEVEL
#undef LEVEL_TARGET

/* ---- AVX2: vectors of thirty-two bytes ---- */

/* The AVX2 level also uses the carry-less product and the bit instructions. The function has_avx2
 * checks that the processor supports all of them. */

#define LEVEL(name) name##_avx2
#define LEVEL_TARGET __attribute__((target("avx2,bmi,bmi2,popcnt,pclmul")))

LEVEL_TARGET static inline __m256i load_32(const char *p)
{
    return _mm256_loadu_si256((const __m256i *)(const void *)p);
}

LEVEL_TARGET static size_t special_avx2(rc_str text, size_t at, bool *has_high)
{
    for (; text.len - at >= 32; at += 32) {
        __m256i v = load_32(text.ptr + at);
        __m256i quote = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('"'));
        __m256i backslash = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\'));
        __m256i control = _mm256_cmpeq_epi8(_mm256_min_epu8(v, _mm256_set1_epi8(0x1F)), v);
        __m256i any = _mm256_or_si256(_mm256_or_si256(quote, backslash), control);
        uint32_t found = (uint32_t)_mm256_movemask_epi8(any);
        uint32_t before = found ? (found & (~found + 1)) - 1 : ~0u;
        *has_high |= ((uint32_t)_mm256_movemask_epi8(v) & before) != 0;
        if (found)
            return at + (size_t)__builtin_ctz(found);
    }
    return special_sse2(text, at, has_high);
}

LEVEL_TARGET static size_t unclean_avx2(rc_str text, size_t at)
{
    for (; text.len - at >= 32; at += 32) {
        __m256i v = load_32(text.ptr + at);
        __m256i low_or_high = _mm256_cmpgt_epi8(_mm256_set1_epi8(0x20), v);
        __m256i quote = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('"'));
        __m256i backslash = _mm256_cmpeq_epi8(v, _mm256_set1_epi8('\\'));
        __m256i del = _mm256_cmpeq_epi8(v, _mm256_set1_epi8(0x7F));
        __m256i any =
            _mm256_or_si256(_mm256_or_si256(low_or_high, del), _mm256_or_si256(quote, backslash));
        uint32_t found = (uint32_t)_mm256_movemask_epi8(any);
        if (found)
            return at + (size_t)__builtin_ctz(found);
    }
    return unclean_sse2(text, at);
}

LEVEL_TARGET static inline uint64_t block_match_avx2(const char *p, char ignored_bits, char c)
{
    __m256i ignored = _mm256_set1_epi8(ignored_bits);
    __m256i wanted = _mm256_set1_epi8(c);
    __m256i low = _mm256_cmpeq_epi8(_mm256_or_si256(load_32(p), ignored), wanted);
    __m256i high = _mm256_cmpeq_epi8(_mm256_or_si256(load_32(p + 32), ignored), wanted);
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)(uint32_t)_mm256_movemask_epi8(high)
                                                     << 32;
}

LEVEL_TARGET static inline uint64_t block_equal_avx2(const char *p, char c)
{
    return block_match_avx2(p, 0, c);
}

LEVEL_TARGET static inline uint64_t block_opens_avx2(const char *p)
{
    return block_match_avx2(p, 0x20, '{');
}

LEVEL_TARGET static inline uint64_t block_closes_avx2(const char *p)
{
    return block_match_avx2(p, 0x20, '}');
}

/* The carry-less product with all ones is the prefix xor: bit i is the xor of the bits 0 to i. */
LEVEL_TARGET static inline uint64_t prefix_xor_avx2(uint64_t bits)
{
    __m128i product =
        _mm_clmulepi64_si128(_mm_set_epi64x(0, (long long)bits), _mm_set1_epi8(-1), 0);
    return (uint64_t)_mm_cvtsi128_si64(product);
}

LEVEL_TARGET static inline size_t count_avx2(uint64_t bits)
{
    return (size_t)__builtin_popcountll(bits);
}

#include "json/scan_loops.h"
#undef LEVEL
#undef LEVEL_TARGET

static bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt") &&
           __builtin_cpu_supports("pclmul");
}

#endif

/* ---- interface ---- */

/* Called if the string continues after its first 16 bytes, or if fewer than 16 bytes of the text
 * are left. */
size_t rc_json_scan_plain_far(rc_str text, size_t at)
{
    const char *from = text.ptr + at;
    size_t left = text.len - at;
    size_t seen = left < RC_VEC16_BYTES ? 0 : RC_VEC16_BYTES;
    /* Lanes after the end of the text are loaded as NUL, which counts as odd (a special byte). */
    uint32_t odd = rc_json_scan_odd_bits(rc_vec16_load_some(from + seen, left - seen));
    size_t len = seen + (odd != 0 ? (size_t)__builtin_ctz(odd) : RC_VEC16_BYTES);
    return odd != 0 && len < left && from[len] == '"' ? len : RC_JSON_SCAN_NONE;
}

const rc_json_scan *rc_json_scan_get(rc_json_scan_level level)
{
    switch (level) {
    case RC_JSON_SCAN_PORTABLE:
        return &scan_portable;
    case RC_JSON_SCAN_SSE2:
#if HAS_X86
        return &scan_sse2;
#else
        return NULL;
#endif
    case RC_JSON_SCAN_AVX2:
#if HAS_X86
        return has_avx2() ? &scan_avx2 : NULL;
#else
        return NULL;
#endif
    case RC_JSON_SCAN_LEVEL_COUNT:
        break;
    }
    return NULL;
}

const rc_json_scan *rc_json_scan_best(void)
{
#if HAS_X86 && !defined(RC_JSON_SCAN_FORCE_PORTABLE)
    return has_avx2() ? &scan_avx2 : &scan_sse2;
#else
    return &scan_portable;
#endif
}
