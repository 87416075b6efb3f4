/* Report ids. Their bytes sort as their times do: the alphabet is in ASCII order. */
#include <recourse/id.h>

#define PREFIX "rep_"
#define PREFIX_LEN (sizeof(PREFIX) - 1)
#define TIME_LEN 10
#define ENTROPY_LEN 16
#define TIME_MAX_MS ((INT64_C(1) << 48) - 1)

_Static_assert(PREFIX_LEN + TIME_LEN + ENTROPY_LEN == RC_ID_LEN, "the parts make up the id");

/* Crockford's base 32: no I, L, O and U. */
static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/* Adds one to the 128 bits of the last id. The very last of all stays: there is none behind it. */
static void count_up(rc_id_maker *maker)
{
    if (++maker->last_low != 0 || ++maker->last_high != 0)
        return;
    if (maker->last_unix_ms < TIME_MAX_MS) {
        maker->last_unix_ms++;
        return;
    }
    maker->last_low = UINT64_MAX;
    maker->last_high = UINT16_MAX;
}

static rc_id encode(const rc_id_maker *maker)
{
    rc_id id;
    memcpy(id.text, PREFIX, PREFIX_LEN);
    id.text[RC_ID_LEN] = '\0';

    uint64_t time = (uint64_t)maker->last_unix_ms;
    for (size_t i = TIME_LEN; i > 0; i--, time >>= 5)
        id.text[PREFIX_LEN + i - 1] = alphabet[time & 31];

    uint64_t high = maker->last_high;
    uint64_t low = maker->last_low;
    for (size_t i = ENTROPY_LEN; i > 0; i--) {
        id.text[PREFIX_LEN + TIME_LEN + i - 1] = alphabet[low & 31];
        low = low >> 5 | high << 59;
        high >>= 5;
    }
    return id;
}

rc_id rc_id_make(rc_id_maker *maker, int64_t now_unix_ms, const uint8_t entropy[10])
{
    int64_t time_ms = now_unix_ms < 0 ? 0 : now_unix_ms;
    if (time_ms > TIME_MAX_MS)
        time_ms = TIME_MAX_MS;

    if (maker->has_last && time_ms <= maker->last_unix_ms) {
        count_up(maker);
        return encode(maker);
    }
    maker->has_last = true;
    maker->last_unix_ms = time_ms;
    maker->last_high = (uint16_t)(entropy[0] << 8 | entropy[1]);
    maker->last_low = 0;
    for (size_t i = 2; i < 10; i++)
        maker->last_low = maker->last_low << 8 | entropy[i];
    return encode(maker);
}

/* The value of a character, and one more: 0 is none. One id has one spelling: lower case and
 * look-alikes are refused. */
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
