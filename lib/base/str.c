/* String functions: slicing, comparison, search, edit distance. Used in the whole library and
 * program. */
#include "base/str.h"

#include <string.h>

#include "base/vec16.h"

rc_str rc_str_slice(rc_str s, size_t from, size_t to)
{
    if (!s.ptr)
        return rc_str_make(NULL, 0);
    if (to > s.len)
        to = s.len;
    if (from > to)
        from = to;
    return rc_str_make(s.ptr + from, to - from);
}

rc_str rc_str_trim(rc_str s)
{
    size_t from = 0;
    size_t to = s.len;
    while (from < to && rc_ascii_is_space(s.ptr[from]))
        from++;
    while (to > from && rc_ascii_is_space(s.ptr[to - 1]))
        to--;
    return rc_str_slice(s, from, to);
}

/* Returns the eight bytes of `word` with the letters A to Z in lower case. The additions never
 * carry into the next byte. */
static uint64_t lower_word(uint64_t word)
{
    const uint64_t ones = UINT64_C(0x0101010101010101);
    uint64_t low = word & (ones * 0x7f);
    uint64_t is_from_a = low + ones * (0x80 - 'A');
    uint64_t is_behind_z = low + ones * (0x7f - 'Z');
    uint64_t is_upper = is_from_a & ~is_behind_z & ~word & (ones * 0x80);
    return word | is_upper >> 2;
}

static uint64_t word_at(const char *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

/* Packs the `len` bytes at p, one to seven, into a word. Some bytes occur twice in the word, but
 * the layout depends only on `len`, so the words of two texts of equal length can be compared. */
static uint64_t short_word(const char *p, size_t len)
{
    uint32_t first, last;
    if (len < 4)
        return (uint64_t)(uint8_t)p[0] | (uint64_t)(uint8_t)p[len / 2] << 8 |
               (uint64_t)(uint8_t)p[len - 1] << 16;
    memcpy(&first, p, 4);
    memcpy(&last, p + len - 4, 4);
    return first | (uint64_t)last << 32;
}

bool rc_ascii_eq_nocase(const char *a, const char *b, size_t len)
{
    if (len < 8)
        return len == 0 || lower_word(short_word(a, len)) == lower_word(short_word(b, len));
    for (size_t at = 0; at < len - 8; at += 8)
        if (lower_word(word_at(a + at)) != lower_word(word_at(b + at)))
            return false;
    return lower_word(word_at(a + len - 8)) == lower_word(word_at(b + len - 8));
}

bool rc_str_starts_with(rc_str s, rc_str prefix)
{
    return s.len >= prefix.len && rc_str_eq(rc_str_slice(s, 0, prefix.len), prefix);
}

bool rc_str_ends_with(rc_str s, rc_str suffix)
{
    return s.len >= suffix.len && rc_str_eq(rc_str_slice(s, s.len - suffix.len, s.len), suffix);
}

size_t rc_str_find_byte(rc_str s, char byte, size_t from)
{
    if (!s.ptr || from >= s.len)
        return RC_STR_NPOS;
    const char *at = memchr(s.ptr + from, (unsigned char)byte, s.len - from);
    return at ? (size_t)(at - s.ptr) : RC_STR_NPOS;
}

/* The needle's first and last byte, each copied to every lane of a vector. Comparing both bytes
 * gives far fewer false candidates than comparing the first byte alone. */
typedef struct ends {
    rc_vec16 first;
    rc_vec16 last;
    size_t apart; /* distance from the first to the last byte */
} ends;

/* Number of positions that one step of the search tests. */
#define POSITIONS (2 * RC_VEC16_BYTES)

static inline ends ends_of(rc_str needle)
{
    ends e = {.apart = needle.len - 1};
    e.first = e.first + (uint8_t)needle.ptr[0];
    e.last = e.last + (uint8_t)needle.ptr[e.apart];
    return e;
}

static inline rc_vec16 likely_lanes(const char *at, const ends *e)
{
    return (rc_vec16)(rc_vec16_load(at) == e->first) &
           (rc_vec16)(rc_vec16_load(at + e->apart) == e->last);
}

/* Returns one bit for each of POSITIONS positions. The bit of a position is set if the needle's
 * first and last byte match there. */
static inline uint32_t likely_positions(const char *at, const ends *e)
{
    return rc_vec16_bits(likely_lanes(at, e)) | rc_vec16_bits(likely_lanes(at + RC_VEC16_BYTES, e))
                                                    << RC_VEC16_BYTES;
}

/* Skips blocks of POSITIONS positions without a candidate. A candidate is a position at which the
 * needle's first and last byte match. Returns the offset of the next block with a candidate, or
 * `last` if no block before `last` has a candidate. */
static size_t skip_unlikely(rc_str s, size_t at, size_t last, ends e)
{
    while (at < last) {
        rc_vec16 any = likely_lanes(s.ptr + at, &e) | likely_lanes(s.ptr + at + RC_VEC16_BYTES, &e);
        if (rc_vec16_bits(any) != 0)
            return at;
        at += POSITIONS;
    }
    return last;
}

/* Returns the offset of the first candidate at which the whole needle matches. `positions` has one
 * bit per candidate, counted from `at`. */
static size_t first_of(rc_str s, rc_str needle, size_t at, uint32_t positions)
{
    for (; positions != 0; positions &= positions - 1) {
        size_t position = at + (size_t)__builtin_ctz(positions);
        if (rc_bytes_eq(s.ptr + position, needle.ptr, needle.len))
            return position;
    }
    return RC_STR_NPOS;
}

static size_t find_in_short(rc_str s, rc_str needle, size_t at)
{
    for (; at <= s.len - needle.len; at++)
        if (s.ptr[at] == needle.ptr[0] && memcmp(s.ptr + at, needle.ptr, needle.len) == 0)
            return at;
    return RC_STR_NPOS;
}

#if defined(__x86_64__)
#define AVX2 __attribute__((target("avx2")))

/* A vector of POSITIONS bytes. */
typedef uint8_t wide __attribute__((vector_size(32)));

AVX2 static inline wide wide_load(const char *at)
{
    wide bytes;
    memcpy(&bytes, at, sizeof bytes);
    return bytes;
}

AVX2 static inline uint32_t wide_bits(wide mask)
{
    typedef char signed_lanes __attribute__((vector_size(32)));
    return (uint32_t)__builtin_ia32_pmovmskb256((signed_lanes)mask);
}

/* As find_in_long, with vectors of 32 bytes. Two blocks are skipped at a time. */
AVX2 static size_t find_avx2(rc_str s, rc_str needle, size_t from)
{
    const size_t apart = needle.len - 1;
    const wide first = (wide){0} + (uint8_t)needle.ptr[0];
    const wide final = (wide){0} + (uint8_t)needle.ptr[apart];
    const size_t last = s.len - apart - POSITIONS;
    for (size_t at = from;; at += POSITIONS) {
        for (; at + POSITIONS <= last; at += 2 * POSITIONS) {
            const char *p = s.ptr + at;
            const char *q = p + POSITIONS;
            const wide low = (wide)(wide_load(p) == first) & (wide)(wide_load(p + apart) == final);
            const wide high = (wide)(wide_load(q) == first) & (wide)(wide_load(q + apart) == final);
            if (wide_bits(low | high) != 0)
                break;
        }
        at = at < last ? at : last;
        const char *p = s.ptr + at;
        const size_t found = first_of(
            s, needle, at,
            wide_bits((wide)(wide_load(p) == first) & (wide)(wide_load(p + apart) == final)));
        if (found != RC_STR_NPOS || at == last)
            return found;
    }
}
#endif

/* Searches a text with at least POSITIONS positions. */
static size_t find_in_long(rc_str s, rc_str needle, size_t from)
{
    const ends e = ends_of(needle);
    /* The last block overlaps the previous one, so that no byte after the text is read. */
    const size_t last = s.len - needle.len + 1 - POSITIONS;
    for (size_t at = from;; at += POSITIONS) {
        at = skip_unlikely(s, at, last, e);
        size_t found = first_of(s, needle, at, likely_positions(s.ptr + at, &e));
        if (found != RC_STR_NPOS || at == last)
            return found;
    }
}

size_t rc_str_find(rc_str s, rc_str needle, size_t from)
{
    if (from > s.len || needle.len > s.len - from)
        return RC_STR_NPOS;
    if (needle.len == 0)
        return from;
    if (s.len - needle.len + 1 - from < POSITIONS)
        return find_in_short(s, needle, from);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2"))
        return find_avx2(s, needle, from);
#endif
    return find_in_long(s, needle, from);
}

int rc_str_cmp(rc_str a, rc_str b)
{
    size_t shorter = a.len < b.len ? a.len : b.len;
    int order = shorter ? memcmp(a.ptr, b.ptr, shorter) : 0;
    if (order != 0)
        return order;
    return a.len == b.len ? 0 : a.len < b.len ? -1 : 1;
}

#define DISTANCE_LEN_MAX 63u

static size_t min3(size_t a, size_t b, size_t c)
{
    size_t ab = a < b ? a : b;
    return ab < c ? ab : c;
}

/* Optimal string alignment distance. Computes the optimal string alignment distance. Three rows of
 * the matrix are sufficient, because a swap of neighbours refers to the row before the previous
 * one. */
size_t rc_str_distance(rc_str a, rc_str b, size_t max)
{
    a = rc_str_slice(a, 0, a.ptr ? DISTANCE_LEN_MAX : 0);
    b = rc_str_slice(b, 0, b.ptr ? DISTANCE_LEN_MAX : 0);
    size_t rows[3][DISTANCE_LEN_MAX + 1];
    for (size_t j = 0; j <= b.len; j++)
        rows[0][j] = j;

    for (size_t i = 1; i <= a.len; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i - 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b.len; j++) {
            size_t cost = a.ptr[i - 1] == b.ptr[j - 1] ? 0 : 1;
            row[j] = min3(above[j] + 1, row[j - 1] + 1, above[j - 1] + cost);
            bool is_swap =
                i > 1 && j > 1 && a.ptr[i - 1] == b.ptr[j - 2] && a.ptr[i - 2] == b.ptr[j - 1];
            if (is_swap && rows[(i - 2) % 3][j - 2] + 1 < row[j])
                row[j] = rows[(i - 2) % 3][j - 2] + 1;
        }
    }
    size_t distance = rows[a.len % 3][b.len];
    return distance > max ? max + 1 : distance;
}
