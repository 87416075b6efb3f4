/* Removes text of the request from texts of the response. Called by verdict_report.c and
 * redirect.c. */
#include "classify/echo.h"

#include <endian.h>
#include <stdint.h>
#include <string.h>

#include <recourse/buf.h>

#include "base/str.h"
#include "base/utf8.h"

/* Search for text of the request in the response: the response's text is cut into blocks of eight
 * decoded bytes. A window of eight bytes moves over the request, byte by byte, and each block with
 * the same bytes as the window is marked. Two or more marked blocks in a row are text of the
 * request. */
#define BLOCK 8u
#define BLOCKS_MAX (RC_ECHO_TEXT_MAX / BLOCK)
#define SLOTS (2u * BLOCKS_MAX)
_Static_assert((SLOTS & (SLOTS - 1)) == 0, "the mask of slot_of");
#define FILTER_BITS 11u
#define EVERY_BYTE UINT64_C(0x0101010101010101)

static const rc_str PLACEHOLDER = RC_STR_INIT("[request]");

typedef struct block {
    uint64_t bytes;
    uint16_t from; /* Offset in the text. */
    uint16_t to;
    uint16_t first;   /* Index of the first block in `list` with the same bytes. */
    bool is_repeated; /* The request contains the bytes of this block. Set only in the block with
                         index `first`. */
} block;

typedef struct blocks {
    block list[BLOCKS_MAX];
    uint16_t count;
    uint16_t slots[SLOTS];          /* Hash table of the blocks: 1 + index of a block; 0: the slot
                                       is free. */
    bool filter[1u << FILTER_BITS]; /* Whether a block has this hash. Most windows of a request are
                                       rejected after a look at this array. */
} blocks;

/* ---- JSON escapes ---- */

static int hex_of(char c)
{
    if (rc_ascii_is_digit(c))
        return c - '0';
    const char low = rc_ascii_lower(c);
    return low >= 'a' && low <= 'f' ? low - 'a' + 10 : -1;
}

/* Returns the code unit of the escape \uXXXX at `at`; -1 if `at` is not the start of such an
 * escape. */
static int32_t unit_at(rc_str text, size_t at)
{
    int32_t unit = 0;
    if (text.len - at < 6 || text.ptr[at] != '\\' || text.ptr[at + 1] != 'u')
        return -1;
    for (size_t i = at + 2; i < at + 6; i++) {
        const int digit = hex_of(text.ptr[i]);
        if (digit < 0)
            return -1;
        unit = unit * 16 + digit;
    }
    return unit;
}

static size_t decode_unit(rc_str text, size_t at, int32_t unit, char out[4], size_t *ret_len)
{
    const int32_t low =
        unit >= 0xD800 && unit < 0xDC00 && text.len - at >= 12 ? unit_at(text, at + 6) : -1;
    const bool is_pair = low >= 0xDC00 && low < 0xE000;
    const uint32_t point =
        is_pair ? 0x10000u + ((uint32_t)(unit - 0xD800) << 10) + (uint32_t)(low - 0xDC00)
                : (uint32_t)unit;
    *ret_len = is_pair ? 12 : 6;
    return rc_utf8_encode(point, out);
}

/* Decodes the byte or escape at `at` into `out` and returns the decoded length. *ret_len is its
 * length in the text. */
static size_t decode(rc_str text, size_t at, char out[4], size_t *ret_len)
{
    static const char names[] = "nrtbf";
    static const char values[] = "\n\r\t\b\f";
    out[0] = text.ptr[at];
    *ret_len = 1;
    if (text.ptr[at] != '\\' || at + 1 == text.len)
        return 1;
    const int32_t unit = unit_at(text, at);
    if (unit >= 0)
        return decode_unit(text, at, unit, out, ret_len);
    const char *name = memchr(names, text.ptr[at + 1], sizeof names - 1);
    out[0] = name != NULL ? values[name - names] : text.ptr[at + 1];
    *ret_len = 2;
    return 1;
}

/* ---- blocks of the response's text ---- */

static inline uint64_t sum_of(uint64_t bytes)
{
    return bytes * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint32_t slot_of(uint64_t bytes)
{
    return (uint32_t)(sum_of(bytes) >> 40) & (SLOTS - 1);
}

static inline uint32_t filter_slot_of(uint64_t bytes)
{
    return (uint32_t)(sum_of(bytes) >> (64 - FILTER_BITS));
}

/* Appends a byte to a window of eight bytes and drops the oldest one, which is the lowest byte. */
static inline uint64_t push_byte(uint64_t bytes, char byte)
{
    return bytes >> 8 | (uint64_t)(uint8_t)byte << 56;
}

/* Returns the index of the first block with these bytes. If no block has these bytes, returns
 * SIZE_MAX and sets *ret_slot to the free slot for such a block. */
static size_t find(const blocks *b, uint64_t bytes, uint32_t *ret_slot)
{
    uint32_t slot = slot_of(bytes);
    while (b->slots[slot] != 0 && b->list[b->slots[slot] - 1].bytes != bytes)
        slot = (slot + 1) & (SLOTS - 1);
    *ret_slot = slot;
    return b->slots[slot] != 0 ? b->slots[slot] - 1u : SIZE_MAX;
}

static void add(blocks *b, uint64_t bytes, size_t from, size_t to)
{
    uint32_t slot = 0;
    const size_t first = find(b, bytes, &slot);
    b->list[b->count] = (block){.bytes = bytes,
                                .from = (uint16_t)from,
                                .to = (uint16_t)to,
                                .first = first != SIZE_MAX ? (uint16_t)first : b->count};
    b->count++;
    if (first == SIZE_MAX)
        b->slots[slot] = b->count;
    b->filter[filter_slot_of(bytes)] = true;
}

static inline bool has_escape(uint64_t bytes)
{
    const uint64_t none = bytes ^ EVERY_BYTE * '\\';
    return ((none - EVERY_BYTE) & ~none & EVERY_BYTE << 7) != 0;
}

static void read_text(blocks *b, rc_str text)
{
    uint64_t bytes = 0;
    uint32_t filled = 0;
    size_t from = 0;
    char out[4];
    memset(b->slots, 0, sizeof b->slots);
    memset(b->filter, 0, sizeof b->filter);
    b->count = 0;
    for (size_t at = 0, len = 0; at < text.len; at += len) {
        if (filled == 0 && text.len - at >= BLOCK && !has_escape(rc_bytes_8(text.ptr + at))) {
            len = BLOCK;
            add(b, le64toh(rc_bytes_8(text.ptr + at)), at, at + len);
            continue;
        }
        const size_t count = decode(text, at, out, &len);
        for (size_t i = 0; i < count; i++) {
            if (filled == 0)
                from = at;
            bytes = push_byte(bytes, out[i]);
            if (++filled < BLOCK)
                continue;
            add(b, bytes, from, at + len);
            filled = 0;
        }
    }
}

/* ---- search through the request ---- */

/* A window over a string of the request: the eight bytes that were read last. */
typedef struct window {
    uint64_t bytes;
    size_t filled; /* Bytes of the string read so far. */
} window;

static inline void look_up(blocks *b, uint64_t bytes)
{
    if (!b->filter[filter_slot_of(bytes)])
        return;
    uint32_t slot = 0;
    const size_t first = find(b, bytes, &slot);
    if (first != SIZE_MAX)
        b->list[first].is_repeated = true;
}

/* Moves the window over the byte or escape at `at` and returns the length of that byte or escape in
 * the string. */
static size_t slide_char(blocks *b, window *w, rc_str words, size_t at)
{
    char out[4];
    size_t len = 0;
    const size_t count = decode(words, at, out, &len);
    for (size_t i = 0; i < count; i++) {
        w->bytes = push_byte(w->bytes, out[i]);
        if (++w->filled >= BLOCK)
            look_up(b, w->bytes);
    }
    return len;
}

/* Moves the window, which must be full, over eight bytes without escapes. */
static inline void slide_eight(blocks *b, window *w, uint64_t next)
{
#pragma GCC unroll 8
    for (unsigned shift = 8; shift < 64; shift += 8)
        look_up(b, w->bytes >> shift | next << (64 - shift));
    look_up(b, next);
    w->bytes = next;
}

static void read_string(blocks *b, rc_str words)
{
    window w = {0};
    for (size_t at = 0; at < words.len;) {
        const bool has_eight = words.len - at >= BLOCK && w.filled >= BLOCK;
        const uint64_t next = has_eight ? le64toh(rc_bytes_8(words.ptr + at)) : 0;
        if (has_eight && !has_escape(next)) {
            slide_eight(b, &w, next);
            at += BLOCK;
        } else {
            at += slide_char(b, &w, words, at);
        }
    }
}

/* Returns the offset of the quote that ends the string beginning at `from`; the text's length if
 * the string is not closed. */
static size_t string_end(rc_str text, size_t from)
{
    size_t at = rc_str_find_byte(text, '"', from);
    for (; at != RC_STR_NPOS; at = rc_str_find_byte(text, '"', at + 1)) {
        size_t start = at;
        while (start > from && text.ptr[start - 1] == '\\')
            start--;
        if ((at - start) % 2 == 0)
            return at;
    }
    return text.len;
}

static bool is_name(rc_str text, size_t end)
{
    size_t at = end + 1;
    while (at < text.len && rc_ascii_is_space(text.ptr[at]))
        at++;
    return at < text.len && text.ptr[at] == ':';
}

static void read_request(blocks *b, rc_str request, rc_str except)
{
    const rc_str start = rc_str_trim(rc_str_slice(request, 0, 64));
    if (start.len == 0 || (start.ptr[0] != '{' && start.ptr[0] != '[')) {
        read_string(b, request);
        return;
    }
    for (size_t at = rc_str_find_byte(request, '"', 0); at < request.len;) {
        const size_t end = string_end(request, at + 1);
        const rc_str words = rc_str_slice(request, at + 1, end);
        if (words.len >= BLOCK && !is_name(request, end) && !rc_str_eq(words, except))
            read_string(b, words);
        at = end < request.len ? rc_str_find_byte(request, '"', end + 1) : request.len;
    }
}

/* ---- the cleaned text ---- */

static bool is_repeated(const blocks *b, uint16_t at)
{
    return at < b->count && b->list[b->list[at].first].is_repeated;
}

static bool is_quote(rc_str text, size_t at)
{
    return text.ptr[at] == '"' && (at == 0 || text.ptr[at - 1] != '\\');
}

/* widen_left and widen_right extend a run of marked blocks by up to one block on each side, because
 * text of the request need not begin or end at the border of a block. The functions do not extend
 * the run beyond a quote. */
static size_t widen_left(const blocks *b, rc_str text, uint16_t first, size_t least)
{
    size_t from = b->list[first].from;
    size_t limit = first > 0 ? b->list[first - 1].from : 0;
    limit = limit > least ? limit : least;
    while (from > limit && !is_quote(text, from - 1))
        from--;
    return from;
}

static size_t widen_right(const blocks *b, rc_str text, uint16_t last)
{
    size_t to = b->list[last].to;
    const size_t limit = last + 1 < b->count ? b->list[last + 1].to : text.len;
    while (to < limit && !is_quote(text, to))
        to++;
    return to;
}

rc_str rc_echo_clean(rc_str text, rc_str request, rc_str except, char *memory)
{
    blocks b;
    rc_buf cleaned;
    size_t done = 0;
    text = rc_str_make(
        text.ptr, rc_utf8_cut(text, text.len < RC_ECHO_TEXT_MAX ? text.len : RC_ECHO_TEXT_MAX));
    if (text.len < 2 * BLOCK || request.len < 2 * BLOCK)
        return text;
    read_text(&b, text);
    read_request(&b, request, except);
    rc_buf_init_fixed(&cleaned, memory, RC_ECHO_TEXT_MAX);
    for (uint16_t i = 0; i < b.count; i++) {
        const uint16_t first = i;
        while (is_repeated(&b, i))
            i++;
        if (i - first < 2)
            continue;
        const size_t from = widen_left(&b, text, first, done);
        rc_buf_push(&cleaned, rc_str_slice(text, done, from));
        rc_buf_push(&cleaned, PLACEHOLDER);
        done = widen_right(&b, text, (uint16_t)(i - 1));
    }
    if (done == 0)
        return text;
    rc_buf_push(&cleaned, rc_str_slice(text, done, text.len));
    return rc_buf_get(&cleaned);
}
