/* Base64 (RFC 4648). Called by lib/dialect/prompt.c and, for seals, lib/dialect/translate/seal.c.
 */
#include "codec/base64.h"

#include <stdint.h>

/* Size of the local buffer for encoded letters in bytes; a multiple of 4. */
#define PIECE_BYTES 256

static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static const char URL_LETTERS[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/* Encodes one to three bytes as four letters of the alphabet, padded with '='. */
static void encode(const char *alphabet, const unsigned char *bytes, size_t count, char letters[4])
{
    const uint32_t second = count > 1 ? bytes[1] : 0;
    const uint32_t third = count > 2 ? bytes[2] : 0;
    const uint32_t bits = (uint32_t)bytes[0] << 16 | second << 8 | third;
    letters[0] = alphabet[bits >> 18 & 63];
    letters[1] = alphabet[bits >> 12 & 63];
    letters[2] = count > 1 ? alphabet[bits >> 6 & 63] : '=';
    letters[3] = count > 2 ? alphabet[bits & 63] : '=';
}

static rc_status push(rc_buf *buf, rc_str bytes, const char *alphabet, bool is_padded)
{
    char piece[PIECE_BYTES];
    size_t used = 0;
    for (size_t at = 0; at < bytes.len; at += 3) {
        const size_t left = bytes.len - at;
        encode(alphabet, (const unsigned char *)bytes.ptr + at, left < 3 ? left : 3, piece + used);
        used += left < 3 && !is_padded ? left + 1 : 4;
        if (used < sizeof piece)
            continue;
        rc_buf_push(buf, rc_str_make(piece, used));
        used = 0;
    }
    return rc_buf_push(buf, rc_str_make(piece, used));
}

rc_status rc_base64_push(rc_buf *buf, rc_str bytes)
{
    return push(buf, bytes, LETTERS, true);
}

rc_status rc_base64url_push(rc_buf *buf, rc_str bytes)
{
    return push(buf, bytes, URL_LETTERS, false);
}

/* Returns the value of a letter, or 64 if the letter is not in the alphabet. */
static uint32_t value_of(char letter)
{
    if (letter >= 'A' && letter <= 'Z')
        return (uint32_t)(letter - 'A');
    if (letter >= 'a' && letter <= 'z')
        return (uint32_t)(letter - 'a') + 26;
    if (letter >= '0' && letter <= '9')
        return (uint32_t)(letter - '0') + 52;
    if (letter == '-')
        return 62;
    return letter == '_' ? 63 : 64;
}

bool rc_base64url_decode(rc_str text, rc_buf *buf)
{
    uint32_t bits = 0;
    unsigned count = 0; /* number of bits that are not yet a byte */
    for (size_t i = 0; i < text.len; i++) {
        const uint32_t value = value_of(text.ptr[i]);
        if (value == 64)
            return false;
        bits = bits << 6 | value;
        count += 6;
        if (count < 8)
            continue;
        count -= 8;
        rc_buf_push_byte(buf, (char)(bits >> count & 0xff));
    }
    const bool has_rest = (bits & ((1u << count) - 1)) != 0;
    return count < 6 && !has_rest && rc_buf_status(buf) == RC_OK;
}
