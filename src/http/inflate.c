#include "http/inflate.h"

#include <stdint.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

#define WINDOW_BITS 15
#define GZIP_BITS (WINDOW_BITS + 16) /* zlib's way to say: with gzip's head and checksum */
#define INPUT_MAX ((size_t)1 << 30)  /* at once: zlib counts in ints */

typedef enum state {
    STATE_BEGIN = 0, /* nothing was decoded yet */
    STATE_BODY = 1,
    STATE_END = 2, /* of a member, or of it all */
    STATE_DAMAGED = 3,
    STATE_NO_MEMORY = 4
} state;

struct rc_inflate {
    rc_alloc alloc;
    rc_coding coding;
    state state;
    z_stream zlib;
    uint8_t first[2]; /* of DEFLATE: the bytes that tell which one it is */
    uint8_t first_len;
    bool is_full; /* the last piece had no room for more: zlib may have some */
    char piece[RC_INFLATE_PIECE_BYTES];
};

/* ---- memory ---- */

/* zlib does not say how much it gives back: that stands in front. */
typedef union block {
    size_t size;
    max_align_t align;
} block;

static voidpf get(voidpf opaque, uInt count, uInt size)
{
    const rc_alloc *alloc = opaque;
    const size_t bytes = sizeof(block) + (size_t)count * size;
    block *made = alloc->get(alloc->ctx, bytes);
    if (made == NULL)
        return Z_NULL;
    made->size = bytes;
    return made + 1;
}

static void put(voidpf opaque, voidpf ptr)
{
    const rc_alloc *alloc = opaque;
    block *made = (block *)ptr - 1;
    alloc->put(alloc->ctx, made, made->size);
}

rc_inflate *rc_inflate_new(rc_coding coding, const rc_alloc *alloc)
{
    rc_inflate *compressed = alloc->get(alloc->ctx, sizeof *compressed);
    if (compressed == NULL)
        return NULL;
    memset(compressed, 0, offsetof(rc_inflate, piece));
    compressed->alloc = *alloc;
    compressed->coding = coding;
    compressed->zlib.zalloc = get;
    compressed->zlib.zfree = put;
    compressed->zlib.opaque = &compressed->alloc;
    if (inflateInit2(&compressed->zlib, coding == RC_CODING_GZIP ? GZIP_BITS : WINDOW_BITS) !=
        Z_OK) {
        alloc->put(alloc->ctx, compressed, sizeof *compressed);
        return NULL;
    }
    return compressed;
}

void rc_inflate_free(rc_inflate *compressed)
{
    if (compressed == NULL)
        return;
    const rc_alloc alloc = compressed->alloc;
    (void)inflateEnd(&compressed->zlib);
    alloc.put(alloc.ctx, compressed, sizeof *compressed);
}

/* ---- bytes ---- */

/* Of RFC 1950, section 2.2. What has no such head is bare: some servers understood "deflate" so. */
static bool is_zlib_head(const uint8_t first[2])
{
    return (first[0] & 0x0f) == Z_DEFLATED && first[0] >> 4 <= 7 &&
           ((unsigned)first[0] << 8 | first[1]) % 31 == 0;
}

static void decode(rc_inflate *compressed, const void *bytes, size_t len, size_t *ret_used)
{
    z_stream *zlib = &compressed->zlib;
    zlib->next_in = (const Bytef *)bytes;
    zlib->avail_in = (uInt)(len < INPUT_MAX ? len : INPUT_MAX);
    const uInt offered = zlib->avail_in;
    const int result = inflate(zlib, Z_NO_FLUSH);
    *ret_used = offered - zlib->avail_in;
    if (result == Z_STREAM_END)
        compressed->state = STATE_END;
    else if (result == Z_MEM_ERROR)
        compressed->state = STATE_NO_MEMORY;
    else if (result != Z_OK && result != Z_BUF_ERROR)
        compressed->state = STATE_DAMAGED;
}

/* Both bytes are there before zlib sees the first. */
static void begin(rc_inflate *compressed, rc_str *input)
{
    size_t used = 0;
    if (compressed->coding == RC_CODING_GZIP) {
        compressed->state = STATE_BODY;
        return;
    }
    while (compressed->first_len < 2 && input->len > 0) {
        compressed->first[compressed->first_len++] = (uint8_t)input->ptr[0];
        *input = rc_str_make(input->ptr + 1, input->len - 1);
    }
    if (compressed->first_len < 2)
        return;
    compressed->state = STATE_BODY;
    if (!is_zlib_head(compressed->first) && inflateReset2(&compressed->zlib, -WINDOW_BITS) != Z_OK)
        compressed->state = STATE_NO_MEMORY;
    else
        decode(compressed, compressed->first, 2, &used);
}

/* Behind the end there may be one more member, or zeros that fill a block. */
static void next_member(rc_inflate *compressed, rc_str *input)
{
    while (compressed->coding == RC_CODING_GZIP && input->len > 0 && input->ptr[0] == '\0')
        *input = rc_str_make(input->ptr + 1, input->len - 1);
    if (input->len == 0)
        return;
    compressed->state =
        compressed->coding == RC_CODING_GZIP && inflateReset(&compressed->zlib) == Z_OK
            ? STATE_BODY
            : STATE_DAMAGED;
}

/* One step of zlib's. False: there is nothing to do for it. */
static bool advance(rc_inflate *compressed, rc_str *input)
{
    size_t used = 0;
    switch (compressed->state) {
    case STATE_BEGIN:
        if (input->len == 0)
            return false;
        begin(compressed, input);
        return true;
    case STATE_BODY:
        if (input->len == 0 && !compressed->is_full)
            return false;
        compressed->is_full = false;
        decode(compressed, input->ptr, input->len, &used);
        *input = rc_str_make(input->ptr + used, input->len - used);
        return used > 0 || compressed->state != STATE_BODY;
    case STATE_END:
        if (input->len == 0)
            return false;
        next_member(compressed, input);
        return true;
    case STATE_DAMAGED:
    case STATE_NO_MEMORY:
        break;
    }
    return false;
}

rc_inflate_result rc_inflate_step(rc_inflate *compressed, rc_str *input, rc_str *ret_piece)
{
    z_stream *zlib = &compressed->zlib;
    zlib->next_out = (Bytef *)compressed->piece;
    zlib->avail_out = (uInt)sizeof compressed->piece;
    while (advance(compressed, input) && zlib->avail_out > 0)
        ;
    compressed->is_full = zlib->avail_out == 0;
    const size_t len = sizeof compressed->piece - zlib->avail_out;
    if (len > 0) {
        *ret_piece = rc_str_make(compressed->piece, len);
        return RC_INFLATE_PIECE;
    }
    if (compressed->state == STATE_DAMAGED)
        return RC_INFLATE_DAMAGED;
    return compressed->state == STATE_NO_MEMORY ? RC_INFLATE_NO_MEMORY : RC_INFLATE_MORE;
}

bool rc_inflate_is_whole(const rc_inflate *compressed)
{
    return compressed->state == STATE_END ||
           (compressed->state == STATE_BEGIN && compressed->first_len == 0);
}
