/* Converts operation keys to and from text. Called by the audit commands, the admin API,
 * record_json.c and the SQLite store. */
#include "store/operation_key.h"

#include <string.h>

#include <recourse/id.h>

#include "base/str.h"

#define TIME_LETTERS 10
#define LOW_LETTERS 3
#define ID_LETTERS (RC_ID_LEN - 4)

static const char alphabet[] = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/* Returns the value of a letter; -1 if it is not in the alphabet. */
static int value_of(char letter)
{
    const char upper = letter >= 'a' && letter <= 'z' ? (char)(letter - 'a' + 'A') : letter;
    const char *found = memchr(alphabet, upper, sizeof(alphabet) - 1);
    return found != NULL ? (int)(found - alphabet) : -1;
}

static void push_letters(rc_buf *buf, int64_t value, unsigned count)
{
    for (unsigned i = count; i-- > 0;)
        rc_buf_push_byte(buf, alphabet[value >> (5 * i) & 31]);
}

void rc_operation_key_push(rc_buf *buf, int64_t key)
{
    push_letters(buf, key >> RC_OPERATION_KEY_LOW_BITS, TIME_LETTERS);
    rc_buf_push_byte(buf, '-');
    push_letters(buf, key, LOW_LETTERS);
}

/* Returns whether the first letter of a time is possible. Ten letters have 50 bits, but a time has
 * only 48, so the value of the first letter is below 8. */
static bool is_time_head(rc_str letters)
{
    return letters.len == 0 || value_of(letters.ptr[0]) < 8;
}

static bool parse_letters(rc_str letters, int64_t *value)
{
    for (size_t i = 0; i < letters.len; i++) {
        const int digit = value_of(letters.ptr[i]);
        if (digit < 0)
            return false;
        *value = *value << 5 | digit;
    }
    return true;
}

bool rc_operation_key_parse(rc_str text, int64_t *ret_key)
{
    int64_t key = 0;
    if (text.len != RC_OPERATION_KEY_TEXT_LEN || text.ptr[TIME_LETTERS] != '-' ||
        !is_time_head(text) || !parse_letters(rc_str_slice(text, 0, TIME_LETTERS), &key) ||
        !parse_letters(rc_str_slice(text, TIME_LETTERS + 1, text.len), &key))
        return false;
    *ret_key = key;
    return true;
}

rc_str rc_operation_key_letters(rc_str text)
{
    const bool has_head = rc_str_starts_with_nocase(text, RC_STR("rep_")) ||
                          rc_str_starts_with_nocase(text, RC_STR("req_"));
    return has_head ? rc_str_slice(text, RC_ID_LEN - ID_LETTERS, text.len) : text;
}

bool rc_operation_key_range(rc_str prefix, int64_t *ret_first, int64_t *ret_last)
{
    prefix = rc_operation_key_letters(prefix);
    if (prefix.len == 0 || prefix.len > ID_LETTERS || !is_time_head(prefix))
        return false;
    for (size_t i = TIME_LETTERS; i < prefix.len; i++)
        if (value_of(prefix.ptr[i]) < 0)
            return false;
    int64_t time = 0;
    const rc_str known = rc_str_slice(prefix, 0, TIME_LETTERS);
    if (!parse_letters(known, &time))
        return false;
    int64_t first = time;
    int64_t last = time;
    for (size_t i = known.len; i < TIME_LETTERS + LOW_LETTERS; i++) {
        first = first << 5;
        last = last << 5 | 31;
    }
    *ret_first = first;
    *ret_last = last;
    return true;
}
