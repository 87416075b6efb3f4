/* What the core needs of strings beyond the public view: no locale, no NUL terminators. */
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

/* Eight bytes, and four, as they stand there. */
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

/* Are these the same? Names are short: a call takes longer than they do. The last bytes are looked
 * at with some of those before them. */
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

/* The part of s from `from` to `to` (exclusive); both are clamped to s. */
rc_str rc_str_slice(rc_str s, size_t from, size_t to);

/* s without ASCII white space at both ends. */
rc_str rc_str_trim(rc_str s);

/* Lengths and first letters differ nearly always: only the rest is worth a call. */
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

/* Where needle first stands in s at or after `from`, or RC_STR_NPOS. An empty needle is found at
 * `from`. */
size_t rc_str_find(rc_str s, rc_str needle, size_t from);
size_t rc_str_find_byte(rc_str s, char byte, size_t from);

/* memcmp order, a prefix before what it begins. */
int rc_str_cmp(rc_str a, rc_str b);

/* Edit distance (insert, delete, replace, swap of neighbours) up to max; max + 1 when it is more.
 * Only the first 63 bytes of each count. For naming the nearest valid key. */
size_t rc_str_distance(rc_str a, rc_str b, size_t max);

#endif
