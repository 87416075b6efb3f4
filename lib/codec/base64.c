/* Base64 encoder (RFC 4648, section 4). Called by lib/dialect/prompt.c. */
#include "codec/base64.h"

#include <stdint.h>

/* Size of the local buffer for encoded letters in bytes; a multiple of 4. */
#define PIECE_BYTES 256

static const char LETTERS[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/* Encodes one to three bytes as four letters, padded with '='. */
static void encode(const unsigned char *bytes, size_t count, char letters[4])
{
    const uint32_t second = count > 1 ? bytes[1] : 0;
    const uint32_t third = count > 2 ? bytes[2] : 0;
    const uint32_t bits = (uint32_t)bytes[0] << 16 | second << 8 | third;
    letters[0] = LETTERS[bits >> 18 & 63];
    letters[1] = LETTERS[bits >> 12 & 63];
    letters[2] = count > 1 ? LETTERS[bits >> 6 & 63] : '=';
    letters[3] = count > 2 ? LETTERS[bits & 63] : '=';
}

rc_status rc_base64_push(rc_buf *buf, rc_str bytes)
{
    char piece[PIECE_BYTES];
    size_t used = 0;
    for (size_t at = 0; at < bytes.len; at += 3) {
        const size_t left = bytes.len - at;
        encode((const unsigned char *)bytes.ptr + at, left < 3 ? left : 3, piece + used);
        used += 4;
        if (used < sizeof piece)
            continue;
        rc_buf_push(buf, rc_str_make(piece, used));
        used = 0;
    }
    return rc_buf_push(buf, rc_str_make(piece, used));
}
