/* Decompresses bodies with zlib. Called by the gateway's attempt_decoder.c. */
#include "http/inflate.h"

#include <stdint.h>
#include <string.h>

#define ZLIB_CONST
#include <zlib.h>

#define WINDOW_BITS 15
#define GZIP_BITS (WINDOW_BITS + 16) /* Makes zlib expect gzip's header and checksum. */
#define INPUT_MAX \
    ((size_t)1 << 30) /* Maximum input of one zlib call. The limit is needed because zlib counts
                       * bytes in an int. */

typedef enum state {
    STATE_BEGIN = 0, /* No byte was decoded yet. */
    STATE_BODY = 1,
    STATE_END = 2, /* At the end of a gzip member, or of the whole body. */
    STATE_DAMAGED = 3,
    STATE_NO_MEMORY = 4
} state;

struct rc_inflate {
    rc_alloc alloc;
    rc_coding coding;
    state state;
    z_stream zlib;
    uint8_t first[2]; /* For RC_CODING_DEFLATE: the first two bytes, which show whether there is a
                       * zlib header. */
    uint8_t first_len;
    bool is_full; /* The latest piece was filled completely, so zlib may have more output for the
                   * same input. */
    char piece[RC_INFLATE_PIECE_BYTES];
};

/* ---- memory ---- */

/* Header of an allocated block. It stores the size of the block, because zlib does not pass the
 * size when it frees the block. */
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
    rc_inflate *inflater = alloc->get(alloc->ctx, sizeof *inflater);
    if (inflater == NULL)
        return NULL;
    memset(inflater, 0, offsetof(rc_inflate, piece));
    inflater->alloc = *alloc;
    inflater->coding = coding;
    inflater->zlib.zalloc = get;
    inflater->zlib.zfree = put;
    inflater->zlib.opaque = &inflater->alloc;
    if (inflateInit2(&inflater->zlib, coding == RC_CODING_GZIP ? GZIP_BITS : WINDOW_BITS) != Z_OK) {
        alloc->put(alloc->ctx, inflater, sizeof *inflater);
        return NULL;
    }
    return inflater;
}

void rc_inflate_free(rc_inflate *inflater)
{
    if (inflater == NULL)
        return;
    const rc_alloc alloc = inflater->alloc;
    (void)inflateEnd(&inflater->zlib);
    alloc.put(alloc.ctx, inflater, sizeof *inflater);
}

/* ---- decoding ---- */

/* Returns whether the bytes are a zlib header (RFC 1950, section 2.2). A body without this header
 * is raw deflate data, which some servers send as "deflate". */
static bool is_zlib_head(const uint8_t first[2])
{
    return (first[0] & 0x0f) == Z_DEFLATED && first[0] >> 4 <= 7 &&
           ((unsigned)first[0] << 8 | first[1]) % 31 == 0;
}

static void decode(rc_inflate *inflater, const void *bytes, size_t len, size_t *ret_used)
{
    z_stream *zlib = &inflater->zlib;
    zlib->next_in = (const Bytef *)bytes;
    zlib->avail_in = (uInt)(len < INPUT_MAX ? len : INPUT_MAX);
    const uInt offered = zlib->avail_in;
    const int result = inflate(zlib, Z_NO_FLUSH);
    *ret_used = offered - zlib->avail_in;
    if (result == Z_STREAM_END)
        inflater->state = STATE_END;
    else if (result == Z_MEM_ERROR)
        inflater->state = STATE_NO_MEMORY;
    else if (result != Z_OK && result != Z_BUF_ERROR)
        inflater->state = STATE_DAMAGED;
}

/* Starts decoding. For RC_CODING_DEFLATE, first collects two bytes, which show whether the data has
 * a zlib header. */
static void begin(rc_inflate *inflater, rc_str *input)
{
    size_t used = 0;
    if (inflater->coding == RC_CODING_GZIP) {
        inflater->state = STATE_BODY;
        return;
    }
    while (inflater->first_len < 2 && input->len > 0) {
        inflater->first[inflater->first_len++] = (uint8_t)input->ptr[0];
        *input = rc_str_make(input->ptr + 1, input->len - 1);
    }
    if (inflater->first_len < 2)
        return;
    inflater->state = STATE_BODY;
    if (!is_zlib_head(inflater->first) && inflateReset2(&inflater->zlib, -WINDOW_BITS) != Z_OK)
        inflater->state = STATE_NO_MEMORY;
    else
        decode(inflater, inflater->first, 2, &used);
}

/* Continues after the end of a gzip member. Another member may follow, or zero bytes as padding. */
static void next_member(rc_inflate *inflater, rc_str *input)
{
    while (inflater->coding == RC_CODING_GZIP && input->len > 0 && input->ptr[0] == '\0')
        *input = rc_str_make(input->ptr + 1, input->len - 1);
    if (input->len == 0)
        return;
    inflater->state = inflater->coding == RC_CODING_GZIP && inflateReset(&inflater->zlib) == Z_OK
                          ? STATE_BODY
                          : STATE_DAMAGED;
}

/* Performs one decoding step. Returns false if no progress is possible without further input. */
static bool advance(rc_inflate *inflater, rc_str *input)
{
    size_t used = 0;
    switch (inflater->state) {
    case STATE_BEGIN:
        if (input->len == 0)
            return false;
        begin(inflater, input);
        return true;
    case STATE_BODY:
        if (input->len == 0 && !inflater->is_full)
            return false;
        inflater->is_full = false;
        decode(inflater, input->ptr, input->len, &used);
        *input = rc_str_make(input->ptr + used, input->len - used);
        return used > 0 || inflater->state != STATE_BODY;
    case STATE_END:
        if (input->len == 0)
            return false;
        next_member(inflater, input);
        return true;
    case STATE_DAMAGED:
    case STATE_NO_MEMORY:
        break;
    }
    return false;
}

rc_inflate_result rc_inflate_step(rc_inflate *inflater, rc_str *input, rc_str *ret_piece)
{
    z_stream *zlib = &inflater->zlib;
    zlib->next_out = (Bytef *)inflater->piece;
    zlib->avail_out = (uInt)sizeof inflater->piece;
    while (advance(inflater, input) && zlib->avail_out > 0)
        ;
    inflater->is_full = zlib->avail_out == 0;
    const size_t len = sizeof inflater->piece - zlib->avail_out;
    if (len > 0) {
        *ret_piece = rc_str_make(inflater->piece, len);
        return RC_INFLATE_PIECE;
    }
    if (inflater->state == STATE_DAMAGED)
        return RC_INFLATE_DAMAGED;
    return inflater->state == STATE_NO_MEMORY ? RC_INFLATE_NO_MEMORY : RC_INFLATE_MORE;
}

bool rc_inflate_is_whole(const rc_inflate *inflater)
{
    return inflater->state == STATE_END ||
           (inflater->state == STATE_BEGIN && inflater->first_len == 0);
}
