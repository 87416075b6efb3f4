/* String functions of the library in addition to those of recourse/str.h. The functions use neither
 * a locale nor NUL terminators. */
#ifndef RC_BASE_STR_H
#define RC_BASE_STR_H

#include <stdint.h>
#include <string.h>

#include <recourse/str.h>

#define RC_STR_NPOS ((size_t)-1)

static inline bool rc_ascii_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool rc_ascii_is_alpha(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline bool rc_ascii_is_alnum(char c)
{
    return rc_ascii_is_digit(c) || rc_ascii_is_alpha(c);
}

static inline bool rc_ascii_is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline char rc_ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* rc_bytes_8 and rc_bytes_4 load eight or four bytes from an address of any alignment. */
static inline uint64_t rc_bytes_8(const char *at)
{
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}
static inline uint32_t rc_bytes_4(const char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Returns whether `len` bytes are equal. The function is inline, because for short names a call to
 * memcmp costs more than the comparison. If `len` is not a multiple of the load size, the last load
 * overlaps the previous one. */
static inline bool rc_bytes_eq(const char *a, const char *b, size_t len)
{
    if (len >= 8) {
        for (size_t i = 0; i + 8 < len; i += 8)
            if (rc_bytes_8(a + i) != rc_bytes_8(b + i))
                return false;
        return rc_bytes_8(a + len - 8) == rc_bytes_8(b + len - 8);
    }
    if (len >= 4)
        return rc_bytes_4(a) == rc_bytes_4(b) && rc_bytes_4(a + len - 4) == rc_bytes_4(b + len - 4);
    for (size_t i = 0; i < len; i++)
        if (a[i] != b[i])
            return false;
    return true;
}

/* Returns a view of the part of s from offset `from` to offset `to` (exclusive). Offsets past the
 * end of s are clamped. */
rc_str rc_str_slice(rc_str s, size_t from, size_t to);

/* Returns a view of s without ASCII white space at both ends. */
rc_str rc_str_trim(rc_str s);

/* The functions with `nocase` in their name ignore the case of ASCII letters. The comparison of
 * length and first letter is inline, because these differ in most cases. */
bool rc_ascii_eq_nocase(const char *a, const char *b, size_t len);
static inline bool rc_str_eq_nocase(rc_str a, rc_str b)
{
    return a.len == b.len && (a.len == 0 || (rc_ascii_lower(a.ptr[0]) == rc_ascii_lower(b.ptr[0]) &&
                                             rc_ascii_eq_nocase(a.ptr, b.ptr, a.len)));
}
bool rc_str_starts_with(rc_str s, rc_str prefix);
static inline bool rc_str_starts_with_nocase(rc_str s, rc_str prefix)
{
    return s.len >= prefix.len &&
           (prefix.len == 0 || (rc_ascii_lower(s.ptr[0]) == rc_ascii_lower(prefix.ptr[0]) &&
                                rc_ascii_eq_nocase(s.ptr, prefix.ptr, prefix.len)));
}
bool rc_str_ends_with(rc_str s, rc_str suffix);

/* Both functions return the offset of the first match in s at or after `from`, or RC_STR_NPOS. An
 * empty `needle` matches at `from`. */
size_t rc_str_find(rc_str s, rc_str needle, size_t from);
size_t rc_str_find_byte(rc_str s, char byte, size_t from);

/* Compares two strings like memcmp: the result is negative, 0 or positive. A prefix comes before a
 * longer string. */
int rc_str_cmp(rc_str a, rc_str b);

/* Returns the edit distance (insert, delete, replace, swap of neighbours), or `max` + 1 if the
 * distance is larger than `max`. Only the first 63 bytes of each string are compared. */
size_t rc_str_distance(rc_str a, rc_str b, size_t max);

#endif
