/* Report ids: makes and parses them. Ids sort by time as strings, because the digits of the
 * alphabet are in ASCII order. Called by all code that creates reports. */
#include <recourse/id.h>

#include "base/vec16.h"

#define PREFIX "rep_"
#define PREFIX_LEN (sizeof(PREFIX) - 1)
#define TIME_LEN 10
#define ENTROPY_LEN 16
#define TIME_MAX_MS ((INT64_C(1) << 48) - 1)

_Static_assert(PREFIX_LEN + TIME_LEN + ENTROPY_LEN == RC_ID_LEN, "the parts make up the id");

/* Makes the next id of the same millisecond: increments the random bits of the last id, with a
 * carry into the time. The largest possible id stays unchanged. */
static void count_up(rc_id_maker *maker)
{
    if (maker->in_ms < RC_ID_PER_MS)
        maker->in_ms++;
    if (++maker->last_low != 0 || ++maker->last_high != 0)
        return;
    if (maker->last_unix_ms < TIME_MAX_MS) {
        maker->last_unix_ms++;
        maker->in_ms = 1;
        return;
    }
    maker->last_low = UINT64_MAX;
    maker->last_high = UINT16_MAX;
}

/* Spreads the low 40 bits over eight bytes of five bits each, the highest bits in the first byte.
 * The first step separates two halves of 20 bits, the second four groups of 10, the third eight
 * groups of 5. */
static uint64_t spread(uint64_t bits)
{
    bits = (bits & 0xFFFFF) | (bits >> 20 & 0xFFFFF) << 32;
    bits = (bits & UINT64_C(0x000003FF000003FF)) | (bits & UINT64_C(0x000FFC00000FFC00)) << 6;
    bits = (bits & UINT64_C(0x001F001F001F001F)) | (bits & UINT64_C(0x03E003E003E003E0)) << 3;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    bits = __builtin_bswap64(bits);
#endif
    return bits;
}

/* Maps values below 32 to the characters of Crockford's base 32, which omits I, L, O and U. Each
 * comparison skips one omitted letter: the comparison is -1 (true) for a value behind this letter,
 * and is subtracted. */
static rc_vec16 letters_of(rc_vec16 values)
{
    const rc_vec16 is_letter = (rc_vec16)(values > 9);
    return values + '0' + (is_letter & ('A' - '9' - 1)) - (rc_vec16)(values > 17) -
           (rc_vec16)(values > 19) - (rc_vec16)(values > 21) - (rc_vec16)(values > 26);
}

static rc_id encode(const rc_id_maker *maker)
{
    const uint64_t time = (uint64_t)maker->last_unix_ms;
    const uint64_t high = (uint64_t)maker->last_high << 14 | maker->last_low >> 50;
    const uint64_t low = maker->last_low;
    /* An id has 50 bits of time and 80 random bits. Each word encodes 40 bits as eight letters. Of
     * the last word only the last two letters are used, because the other bits are in the word
     * before. */
    const uint64_t words[] = {spread(time >> 10), spread((time & 0x3FF) << 30 | high),
                              spread(low >> 10), spread(low)};
    rc_vec16 lanes[2];
    memcpy(lanes, words, sizeof lanes);
    rc_id id;
    memcpy(id.text, PREFIX, PREFIX_LEN);
    rc_vec16_store(id.text + PREFIX_LEN, letters_of(lanes[0]));
    char rest[RC_VEC16_BYTES];
    rc_vec16_store(rest, letters_of(lanes[1]));
    memcpy(id.text + PREFIX_LEN + 16, rest, 8);
    memcpy(id.text + PREFIX_LEN + 24, rest + 14, 2);
    id.text[RC_ID_LEN] = '\0';
    return id;
}

/* Returns the time of the next id: the clock's time, or the time of the last id if that is later.
 * If RC_ID_PER_MS ids already have the last id's time, one millisecond is added. */
static int64_t next_time(const rc_id_maker *maker, int64_t now_unix_ms)
{
    int64_t time_ms = now_unix_ms < 0 ? 0 : now_unix_ms;
    if (time_ms > TIME_MAX_MS)
        time_ms = TIME_MAX_MS;
    if (!maker->has_last || time_ms > maker->last_unix_ms)
        return time_ms;
    const bool is_full = maker->in_ms >= RC_ID_PER_MS && maker->last_unix_ms < TIME_MAX_MS;
    return is_full ? maker->last_unix_ms + 1 : maker->last_unix_ms;
}

rc_id rc_id_make(rc_id_maker *maker, int64_t now_unix_ms, const uint8_t entropy[10])
{
    const int64_t time_ms = next_time(maker, now_unix_ms);
    if (maker->has_last && time_ms == maker->last_unix_ms) {
        count_up(maker);
        return encode(maker);
    }
    maker->has_last = true;
    maker->in_ms = 1;
    maker->last_unix_ms = time_ms;
    maker->last_high = (uint16_t)(entropy[0] << 8 | entropy[1]);
    maker->last_low = 0;
    for (size_t i = 2; i < 10; i++)
        maker->last_low = maker->last_low << 8 | entropy[i];
    return encode(maker);
}

/* The value of each character plus one; 0 if the character is not in the alphabet. Lower-case
 * letters and look-alikes (O for 0) are rejected, so that each id has only one spelling. */
static const uint8_t values[UINT8_MAX + 1] = {
    ['0'] = 1,  ['1'] = 2,  ['2'] = 3,  ['3'] = 4,  ['4'] = 5,  ['5'] = 6,  ['6'] = 7,  ['7'] = 8,
    ['8'] = 9,  ['9'] = 10, ['A'] = 11, ['B'] = 12, ['C'] = 13, ['D'] = 14, ['E'] = 15, ['F'] = 16,
    ['G'] = 17, ['H'] = 18, ['J'] = 19, ['K'] = 20, ['M'] = 21, ['N'] = 22, ['P'] = 23, ['Q'] = 24,
    ['R'] = 25, ['S'] = 26, ['T'] = 27, ['V'] = 28, ['W'] = 29, ['X'] = 30, ['Y'] = 31, ['Z'] = 32,
};

rc_status rc_id_time(rc_str text, int64_t *ret_unix_ms)
{
    if (text.len != RC_ID_LEN || memcmp(text.ptr, PREFIX, PREFIX_LEN) != 0)
        return RC_E_SYNTAX;
    int64_t time_ms = 0;
    bool is_good = true;
    for (size_t i = PREFIX_LEN; i < PREFIX_LEN + TIME_LEN; i++) {
        const uint8_t value = values[(unsigned char)text.ptr[i]];
        is_good &= value != 0;
        time_ms = time_ms * 32 + value - 1;
    }
    for (size_t i = PREFIX_LEN + TIME_LEN; i < RC_ID_LEN; i++)
        is_good &= values[(unsigned char)text.ptr[i]] != 0;
    if (!is_good || time_ms > TIME_MAX_MS)
        return RC_E_SYNTAX;
    *ret_unix_ms = time_ms;
    return RC_OK;
}
