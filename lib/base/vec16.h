/* rc_vec16: a vector of sixteen bytes. The compiler's vector extension maps it to SSE2 on x86, to
 * NEON on ARM and to plain words elsewhere. The functions are for loops that copy or check text;
 * the loops that search in JSON are in rc_json_scan. */
#ifndef RC_BASE_VEC16_H
#define RC_BASE_VEC16_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define RC_VEC16_BYTES ((size_t)16)

/* Sixteen lanes (elements) of one byte. A vector that is used as a mask has 0x00 (false) or 0xFF
 * (true) in each lane. */
typedef uint8_t rc_vec16 __attribute__((vector_size(16)));

/* Returns one bit for each lane of a mask, the first lane in the lowest bit. */
static inline uint32_t rc_vec16_bits(rc_vec16 mask)
{
#ifdef __SSE2__
    typedef char signed_lanes __attribute__((vector_size(16)));
    return (uint16_t)__builtin_ia32_pmovmskb128((signed_lanes)mask);
#elif __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    /* The and-operation selects a different bit of each byte. The multiplication adds these bits in
     * the highest byte. */
    uint64_t half[2];
    memcpy(half, &mask, sizeof half);
    uint64_t low = (half[0] & UINT64_C(0x8040201008040201)) * UINT64_C(0x0101010101010101) >> 56;
    uint64_t high = (half[1] & UINT64_C(0x8040201008040201)) * UINT64_C(0x0101010101010101) >> 56;
    return (uint32_t)(low | high << 8);
#else
    uint32_t bits = 0;
    for (unsigned i = 0; i < RC_VEC16_BYTES; i++)
        bits |= (uint32_t)(mask[i] & 1u) << i;
    return bits;
#endif
}

static inline rc_vec16 rc_vec16_load(const char *p)
{
    rc_vec16 bytes;
    memcpy(&bytes, p, sizeof bytes);
    return bytes;
}

static inline void rc_vec16_store(char *p, rc_vec16 bytes)
{
    memcpy(p, &bytes, sizeof bytes);
}

/* Loads the `len` bytes at p, fewer than sixteen, and fills the other lanes with zeros. The
 * function combines overlapping loads, so that no byte outside the `len` bytes is read. */
static inline rc_vec16 rc_vec16_load_part(const char *p, size_t len)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    /* The vector is built in registers, because storing its parts to memory and reloading them
     * would stall the processor. */
    typedef uint64_t words __attribute__((vector_size(16)));
    uint64_t low = 0;
    uint64_t high = 0;
    uint32_t first, last;
    if (len >= 8) {
        memcpy(&low, p, 8);
        memcpy(&high, p + len - 8, 8);
        high = len > 8 ? high >> (8 * (16 - len)) : 0;
    } else if (len >= 4) {
        memcpy(&first, p, 4);
        memcpy(&last, p + len - 4, 4);
        low = first | (uint64_t)last << (8 * (len - 4));
    } else if (len > 0) {
        low = (uint64_t)(uint8_t)p[0] | (uint64_t)(uint8_t)p[len / 2] << (8 * (len / 2)) |
              (uint64_t)(uint8_t)p[len - 1] << (8 * (len - 1));
    }
    return (rc_vec16)(words){low, high};
#else
    char bytes[16] = {0};
    memcpy(bytes, p, len);
    return rc_vec16_load(bytes);
#endif
}

/* Loads sixteen bytes at p. If `left`, the number of readable bytes, is less than sixteen, the
 * other lanes are zeros. */
static inline rc_vec16 rc_vec16_load_some(const char *p, size_t left)
{
    return left >= RC_VEC16_BYTES ? rc_vec16_load(p) : rc_vec16_load_part(p, left);
}

/* Returns a mask that is true in the lanes with a byte above 0x7F. */
static inline rc_vec16 rc_vec16_high(rc_vec16 bytes)
{
    typedef int8_t signed_lanes __attribute__((vector_size(16)));
    return (rc_vec16)((signed_lanes)bytes < 0);
}

/* Returns a mask that is true in the lanes with a byte from `first` to `last`, both included. */
static inline rc_vec16 rc_vec16_in_range(rc_vec16 bytes, uint8_t first, uint8_t last)
{
    return (rc_vec16)((rc_vec16)(bytes - first) <= (uint8_t)(last - first));
}

/* Returns a mask that is true in the lanes with a byte that is neither a letter nor a digit nor one
 * of -./:_ and in the lanes with the byte `except`. */
static inline rc_vec16 rc_vec16_not_simple(rc_vec16 bytes, char except)
{
    return ~((rc_vec16_in_range(bytes | 0x20, 'a', 'z') | rc_vec16_in_range(bytes, '-', ':') |
              (rc_vec16)(bytes == '_')) &
             (rc_vec16)(bytes != (uint8_t)except));
}

/* Returns whether all bytes are letters, digits or one of -./:_ and none equals `except`. With
 * '\0', `except` has no effect. Most names, hosts, paths and ids pass this fast check; callers
 * check all other texts in detail. */
static inline bool rc_vec16_is_simple(const char *p, size_t len, char except)
{
    if (len < RC_VEC16_BYTES) {
        const rc_vec16 others = rc_vec16_not_simple(rc_vec16_load_part(p, len), except);
        return (rc_vec16_bits(others) & ((1u << len) - 1)) == 0;
    }
    /* The last load overlaps the previous one. */
    rc_vec16 others = rc_vec16_not_simple(rc_vec16_load(p + len - RC_VEC16_BYTES), except);
    for (size_t at = 0; at + RC_VEC16_BYTES < len; at += RC_VEC16_BYTES)
        others |= rc_vec16_not_simple(rc_vec16_load(p + at), except);
    return rc_vec16_bits(others) == 0;
}

#endif
