/* Compressed bodies of any bytes: pieces and memory stay below their ceilings, the pieces do not
 * change the result, and zlib in one call gives the same result. The first byte selects the coding
 * and the size of the pieces. */
#include <stdint.h>
#include <stdlib.h>

#define ZLIB_CONST
#include <zlib.h>

#include "base/str.h"
#include "http/inflate.h"
#include "support/fail_alloc.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define OUT_MAX ((size_t)1 << 20)
#define MEMORY_MAX ((size_t)64 << 10)

static void check(bool is_true)
{
    if (!is_true)
        abort();
}

typedef struct outcome {
    rc_inflate_result result; /* RC_INFLATE_PIECE: there was more output than the test reads */
    bool is_whole;
    size_t len;
    uint32_t sum;
} outcome;

static void feed(rc_inflate *coded, rc_str input, outcome *got)
{
    rc_str piece;
    got->result = RC_INFLATE_PIECE;
    while (got->len < OUT_MAX &&
           (got->result = rc_inflate_step(coded, &input, &piece)) == RC_INFLATE_PIECE) {
        check(piece.len > 0 && piece.len <= RC_INFLATE_PIECE_BYTES);
        got->sum = (uint32_t)crc32(got->sum, (const Bytef *)piece.ptr, (uInt)piece.len);
        got->len += piece.len;
    }
    check(got->result != RC_INFLATE_MORE || input.len == 0);
}

static outcome read_body(rc_coding coding, rc_str bytes, size_t step)
{
    fail_alloc counting = {.fail_at = 0};
    const rc_alloc alloc = fail_alloc_of(&counting);
    rc_inflate *coded = rc_inflate_new(coding, &alloc);
    outcome got = {.result = RC_INFLATE_MORE};
    check(coded != NULL);
    for (size_t at = 0; at < bytes.len && got.result == RC_INFLATE_MORE; at += step)
        feed(coded, rc_str_slice(bytes, at, bytes.len - at < step ? bytes.len : at + step), &got);
    got.is_whole = rc_inflate_is_whole(coded);
    check(counting.peak_bytes <= MEMORY_MAX && !counting.is_broken);
    rc_inflate_free(coded);
    check(counting.live == 0);
    return got;
}

/* Decompresses the whole input with one zlib call per gzip member, and skips zero bytes that pad
 * blocks. Returns false if the body is incomplete or too large. */
static bool oracle(int bits, rc_str bytes, outcome *ret_outcome)
{
    static unsigned char room[OUT_MAX];
    z_stream zlib = {.next_in = (const Bytef *)bytes.ptr, .avail_in = (uInt)bytes.len};
    bool is_whole = true;
    ret_outcome->len = 0;
    ret_outcome->sum = 0;
    check(inflateInit2(&zlib, bits) == Z_OK);
    while (is_whole && zlib.avail_in > 0) {
        zlib.next_out = room;
        zlib.avail_out = (uInt)(OUT_MAX - ret_outcome->len);
        is_whole = inflate(&zlib, Z_FINISH) == Z_STREAM_END;
        const size_t len = OUT_MAX - ret_outcome->len - zlib.avail_out;
        ret_outcome->sum = (uint32_t)crc32(ret_outcome->sum, room, (uInt)len);
        ret_outcome->len += len;
        for (; is_whole && bits == 31 && zlib.avail_in > 0 && *zlib.next_in == 0; zlib.avail_in--)
            zlib.next_in++;
        is_whole = is_whole && (zlib.avail_in == 0 || bits == 31);
        (void)inflateReset(&zlib);
    }
    (void)inflateEnd(&zlib);
    return is_whole && bytes.len > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 2 || size > 1 << 20)
        return 0;
    const rc_coding coding = (data[0] & 1) != 0 ? RC_CODING_GZIP : RC_CODING_DEFLATE;
    const rc_str bytes = rc_str_make((const char *)data + 1, size - 1);
    const outcome whole = read_body(coding, bytes, bytes.len);
    const outcome pieces = read_body(coding, bytes, 1 + (data[0] >> 1) % 64);
    check(whole.result == pieces.result || whole.len >= OUT_MAX);
    if (whole.len >= OUT_MAX)
        return 0;
    check(whole.len == pieces.len && whole.sum == pieces.sum && whole.is_whole == pieces.is_whole);
    outcome wanted;
    const bool is_whole = coding == RC_CODING_GZIP
                              ? oracle(31, bytes, &wanted)
                              : oracle(15, bytes, &wanted) || oracle(-15, bytes, &wanted);
    check(is_whole == (whole.is_whole && whole.result == RC_INFLATE_MORE));
    if (is_whole)
        check(wanted.len == whole.len && wanted.sum == whole.sum);
    return 0;
}
