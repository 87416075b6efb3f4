/* Compressed bodies: every way to cut one, every way to damage one, and what one may cost. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#define ZLIB_CONST
#include <zlib.h>

#include "base/str.h"
#include "http/inflate.h"
#include "support/fail_alloc.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define GZIP 31
#define ZLIB 15
#define BARE (-15)

static const char text[] =
    "data: {\"choices\":[{\"delta\":{\"content\":\"Hello, hello, hello\"}}]}\n\n"
    "data: {\"choices\":[{\"delta\":{\"content\":\" you\"}}]}\n\n";

static size_t pack(int bits, const void *bytes, size_t len, char *room, size_t size)
{
    z_stream zlib = {.next_in = (const Bytef *)bytes, .avail_in = (uInt)len};
    assert_int_equal(deflateInit2(&zlib, 9, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
    zlib.next_out = (Bytef *)room;
    zlib.avail_out = (uInt)size;
    assert_int_equal(deflate(&zlib, Z_FINISH), Z_STREAM_END);
    (void)deflateEnd(&zlib);
    return size - zlib.avail_out;
}

/* ---- reading ---- */

typedef struct outcome {
    rc_inflate_result result;
    bool is_whole;
    size_t len;
    char bytes[1024];
} outcome;

static void feed(rc_inflate *coded, rc_str input, outcome *got)
{
    rc_str piece;
    while ((got->result = rc_inflate_step(coded, &input, &piece)) == RC_INFLATE_PIECE) {
        assert_in_range(piece.len, 1, RC_INFLATE_PIECE_BYTES);
        assert_in_range(got->len + piece.len, 1, sizeof got->bytes);
        memcpy(got->bytes + got->len, piece.ptr, piece.len);
        got->len += piece.len;
    }
    if (got->result == RC_INFLATE_MORE)
        assert_int_equal(input.len, 0);
}

/* In two pieces; the second may be empty. */
static outcome read_in_two(rc_coding coding, rc_str bytes, size_t cut)
{
    fail_alloc counting = {.fail_at = 0};
    const rc_alloc alloc = fail_alloc_of(&counting);
    rc_inflate *coded = rc_inflate_new(coding, &alloc);
    outcome got = {.len = 0};
    assert_non_null(coded);
    feed(coded, rc_str_slice(bytes, 0, cut), &got);
    feed(coded, rc_str_slice(bytes, cut, bytes.len), &got);
    got.is_whole = rc_inflate_is_whole(coded);
    rc_inflate_free(coded);
    assert_int_equal(counting.live, 0);
    assert_false(counting.is_broken);
    return got;
}

static void check_good(rc_coding coding, rc_str bytes, rc_str wanted)
{
    for (size_t cut = 0; cut <= bytes.len; cut++) {
        const outcome got = read_in_two(coding, bytes, cut);
        assert_int_equal(got.result, RC_INFLATE_MORE);
        assert_true(got.is_whole);
        assert_int_equal(got.len, wanted.len);
        assert_memory_equal(got.bytes, wanted.ptr, wanted.len);
    }
}

static void check_damaged(rc_coding coding, rc_str bytes)
{
    for (size_t cut = 0; cut <= bytes.len; cut++) {
        const outcome got = read_in_two(coding, bytes, cut);
        assert_int_equal(got.result, RC_INFLATE_DAMAGED);
        assert_false(got.is_whole);
    }
}

/* ---- bodies ---- */

static void every_cut_of_every_form(void **state)
{
    (void)state;
    static const struct {
        rc_coding coding;
        int bits;
    } forms[] = {{RC_CODING_GZIP, GZIP}, {RC_CODING_DEFLATE, ZLIB}, {RC_CODING_DEFLATE, BARE}};
    for (size_t i = 0; i < COUNT(forms); i++)
        for (size_t len = 0; len < sizeof text; len += sizeof text - 1) {
            char room[1024];
            const size_t size = pack(forms[i].bits, text, len, room, sizeof room);
            check_good(forms[i].coding, rc_str_make(room, size), rc_str_make(text, len));
        }
}

static void members_follow_each_other(void **state)
{
    (void)state;
    char room[1024];
    size_t size = 0;
    for (size_t i = 0; i < 4; i++) /* the third is empty */
        size += pack(GZIP, text, i == 2 ? 0 : 10, room + size, sizeof room - size);
    char wanted[30];
    for (size_t i = 0; i < sizeof wanted; i++)
        wanted[i] = text[i % 10];
    check_good(RC_CODING_GZIP, rc_str_make(room, size), rc_str_make(wanted, sizeof wanted));
}

/* A head with all that RFC 1952 allows: text, checksum, extra, name, comment. */
static void a_head_with_everything(void **state)
{
    (void)state;
    char room[1024];
    char plain[1024];
    static const unsigned char head[] = {0x1f, 0x8b, 8,   0x1f, 1,   2,   3,   4,   2, 3,   3,
                                         0,    'e',  'x', 't',  'n', 'a', 'm', 'e', 0, 'c', 0};
    const size_t size = pack(GZIP, text, sizeof text, plain, sizeof plain);
    const uint32_t sum = (uint32_t)crc32(0, head, sizeof head);
    memcpy(room, head, sizeof head);
    room[sizeof head] = (char)(sum & 0xff);
    room[sizeof head + 1] = (char)(sum >> 8 & 0xff);
    memcpy(room + sizeof head + 2, plain + 10, size - 10);
    check_good(RC_CODING_GZIP, rc_str_make(room, sizeof head + 2 + size - 10),
               rc_str_make(text, sizeof text));
}

static void nothing_is_whole_until_its_end(void **state)
{
    (void)state;
    static const int forms[] = {GZIP, ZLIB, BARE};
    for (size_t i = 0; i < COUNT(forms); i++) {
        char room[1024];
        const rc_coding coding = forms[i] == GZIP ? RC_CODING_GZIP : RC_CODING_DEFLATE;
        const size_t size = pack(forms[i], text, sizeof text, room, sizeof room);
        assert_true(read_in_two(coding, RC_STR(""), 0).is_whole);
        for (size_t len = 1; len < size; len++) {
            const outcome got = read_in_two(coding, rc_str_make(room, len), len / 2);
            assert_int_equal(got.result, RC_INFLATE_MORE);
            assert_false(got.is_whole);
        }
    }
    char room[1024];
    const size_t size = pack(GZIP, text, sizeof text, room, sizeof room);
    memcpy(room + size, room, size);
    for (size_t len = 1; len < size; len++)
        assert_false(read_in_two(RC_CODING_GZIP, rc_str_make(room, size + len), size).is_whole);
}

/* ---- damage ---- */

static void bytes_behind_the_end_are_damage(void **state)
{
    (void)state;
    static const char *const behind[] = {"x", "\0xy", "garbage", "\x1f\x8c", "\x1f\x8b\x07\0"};
    static const size_t lens[] = {1, 3, 7, 2, 4};
    for (size_t i = 0; i < COUNT(behind); i++) {
        char room[1024];
        size_t size = pack(GZIP, text, sizeof text, room, sizeof room);
        memcpy(room + size, behind[i], lens[i]);
        /* Half of what might be another member's head is no damage yet. */
        const outcome got = read_in_two(RC_CODING_GZIP, rc_str_make(room, size + lens[i]), size);
        assert_false(got.is_whole);
        if (lens[i] > 1)
            assert_int_equal(got.result, RC_INFLATE_DAMAGED);
        size = pack(i % 2 ? ZLIB : BARE, text, sizeof text, room, sizeof room);
        memcpy(room + size, behind[i], lens[i]);
        check_damaged(RC_CODING_DEFLATE, rc_str_make(room, size + lens[i]));
    }
}

static void zeros_behind_the_end_fill_a_block(void **state)
{
    (void)state;
    char room[1024] = {0};
    const size_t size = pack(GZIP, text, sizeof text, room, sizeof room);
    for (size_t more = 0; more < 20; more++) {
        const outcome got = read_in_two(RC_CODING_GZIP, rc_str_make(room, size + more), size);
        assert_true(got.is_whole);
    }
}

static void uncompressed_bytes_are_damage(void **state)
{
    (void)state;
    check_damaged(RC_CODING_GZIP, RC_STR("{\"choices\":[]}"));
    check_damaged(RC_CODING_GZIP, RC_STR("\x1f\x8b\x09\x00"));
    check_damaged(RC_CODING_GZIP, RC_STR("\x1f\x8b\x08\xe0"));
    check_damaged(RC_CODING_DEFLATE, RC_STR("\xff\xff\xff\xff"));
    /* A dictionary that nobody has. */
    check_damaged(RC_CODING_DEFLATE, RC_STR("\x78\xbb\x00\x00\x00\x01\x00"));
}

/* Whatever bit is another one, it is noticed, or the bytes are the same: of gzip's head not every
 * bit means something. */
static void no_flipped_bit_changes_the_bytes(void **state)
{
    (void)state;
    static const int forms[] = {GZIP, ZLIB};
    for (size_t i = 0; i < COUNT(forms); i++) {
        char room[1024];
        const rc_coding coding = forms[i] == GZIP ? RC_CODING_GZIP : RC_CODING_DEFLATE;
        const size_t size = pack(forms[i], text, sizeof text, room, sizeof room);
        for (size_t bit = 0; bit < size * 8; bit++) {
            room[bit / 8] ^= (char)(1 << bit % 8);
            const outcome got = read_in_two(coding, rc_str_make(room, size), size / 3);
            if (got.result == RC_INFLATE_MORE && got.is_whole) {
                assert_int_equal(got.len, sizeof text);
                assert_memory_equal(got.bytes, text, sizeof text);
            }
            room[bit / 8] ^= (char)(1 << bit % 8);
        }
    }
}

static void good_bytes_come_before_damage(void **state)
{
    (void)state;
    char room[1024];
    const size_t size = pack(GZIP, text, sizeof text, room, sizeof room);
    room[size - 8] ^= 1; /* the checksum */
    const outcome got = read_in_two(RC_CODING_GZIP, rc_str_make(room, size), 0);
    assert_int_equal(got.result, RC_INFLATE_DAMAGED);
    assert_int_equal(got.len, sizeof text);
    assert_memory_equal(got.bytes, text, sizeof text);
}

/* ---- cost ---- */

static void a_bomb_comes_in_pieces(void **state)
{
    (void)state;
    enum {
        TOTAL = 8 << 20
    };
    static char zeros[TOTAL];
    static char room[64 << 10];
    const size_t size = pack(GZIP, zeros, TOTAL, room, sizeof room);
    fail_alloc counting = {.fail_at = 0};
    const rc_alloc alloc = fail_alloc_of(&counting);
    rc_inflate *coded = rc_inflate_new(RC_CODING_GZIP, &alloc);
    rc_str input = rc_str_make(room, size);
    rc_str piece;
    size_t total = 0;
    assert_non_null(coded);
    while (rc_inflate_step(coded, &input, &piece) == RC_INFLATE_PIECE) {
        assert_in_range(piece.len, 1, RC_INFLATE_PIECE_BYTES);
        assert_memory_equal(piece.ptr, zeros, piece.len);
        total += piece.len;
    }
    assert_int_equal(total, TOTAL);
    assert_int_equal(input.len, 0);
    assert_true(rc_inflate_is_whole(coded));
    assert_in_range(counting.peak_bytes, 1, 64 << 10);
    rc_inflate_free(coded);
    assert_int_equal(counting.live, 0);
}

static void memory_that_is_not_there(void **state)
{
    (void)state;
    static char bytes[100 << 10];
    static char room[128 << 10];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * i >> 7);
    const size_t size = pack(GZIP, bytes, sizeof bytes, room, sizeof room);
    bool has_passed = false;
    for (size_t fail_at = 1; !has_passed; fail_at++) {
        fail_alloc failing = {.fail_at = fail_at, .for_good = true};
        const rc_alloc alloc = fail_alloc_of(&failing);
        rc_inflate *coded = rc_inflate_new(RC_CODING_GZIP, &alloc);
        rc_str input = rc_str_make(room, size);
        rc_str piece;
        rc_inflate_result result = RC_INFLATE_NO_MEMORY;
        assert_in_range(fail_at, 1, 10);
        while (coded != NULL &&
               (result = rc_inflate_step(coded, &input, &piece)) == RC_INFLATE_PIECE)
            ;
        has_passed = failing.calls < fail_at;
        assert_int_equal(result, has_passed ? RC_INFLATE_MORE : RC_INFLATE_NO_MEMORY);
        if (coded != NULL && !has_passed) /* it stays so */
            assert_int_equal(rc_inflate_step(coded, &input, &piece), RC_INFLATE_NO_MEMORY);
        rc_inflate_free(coded);
        assert_int_equal(failing.live, 0);
        assert_false(failing.is_broken);
    }
    rc_inflate_free(NULL);
}

/* ---- what the head says ---- */

static rc_coding coding_of(const char *lines)
{
    static rc_http1 reader;
    char bytes[512];
    const int len = snprintf(bytes, sizeof bytes, "HTTP/1.1 200 OK\r\n%s\r\n", lines);
    rc_http1_init(&reader, RC_HTTP1_RESPONSE, &rc_http1_limits_default);
    assert_int_equal(rc_http1_read_head(&reader, rc_str_make(bytes, (size_t)len)), RC_HTTP1_HEAD);
    return rc_coding_of(&reader, bytes);
}

static void codings_are_known_by_name(void **state)
{
    (void)state;
    static const struct {
        const char *lines;
        rc_coding coding;
    } rows[] = {
        {"", RC_CODING_NONE},
        {"Content-Encoding:\r\n", RC_CODING_NONE},
        {"Content-Encoding: identity\r\n", RC_CODING_NONE},
        {"Content-Encoding: none\r\nContent-Encoding: UTF-8\r\n", RC_CODING_NONE},
        {"content-encoding: , ,\r\n", RC_CODING_NONE},
        {"Content-Encoding: gzip\r\n", RC_CODING_GZIP},
        {"Content-Encoding: X-GZIP\r\n", RC_CODING_GZIP},
        {"Content-Encoding: identity,\tgzip ,\r\n", RC_CODING_GZIP},
        {"Content-Encoding: deflate\r\n", RC_CODING_DEFLATE},
        {"Content-Encoding: gzip, gzip\r\n", RC_CODING_OTHER},
        {"Content-Encoding: gzip\r\nContent-Encoding: gzip\r\n", RC_CODING_OTHER},
        {"Content-Encoding: identity\r\nA: b\r\nContent-Encoding: gzip\r\n", RC_CODING_GZIP},
        {"Content-Encoding: br\r\n", RC_CODING_OTHER},
        {"Content-Encoding: zstd\r\n", RC_CODING_OTHER},
        {"Content-Encoding: gzipped\r\n", RC_CODING_OTHER},
        {"Content-Encoding: \"gzip\"\r\n", RC_CODING_OTHER},
        {"X-Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n", RC_CODING_NONE},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        if (coding_of(rows[i].lines) != rows[i].coding)
            fail_msg("%s", rows[i].lines);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_cut_of_every_form),
        cmocka_unit_test(members_follow_each_other),
        cmocka_unit_test(a_head_with_everything),
        cmocka_unit_test(nothing_is_whole_until_its_end),
        cmocka_unit_test(bytes_behind_the_end_are_damage),
        cmocka_unit_test(zeros_behind_the_end_fill_a_block),
        cmocka_unit_test(uncompressed_bytes_are_damage),
        cmocka_unit_test(no_flipped_bit_changes_the_bytes),
        cmocka_unit_test(good_bytes_come_before_damage),
        cmocka_unit_test(a_bomb_comes_in_pieces),
        cmocka_unit_test(memory_that_is_not_there),
        cmocka_unit_test(codings_are_known_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
