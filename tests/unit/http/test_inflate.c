/* Tests of compressed bodies: split at every byte, damaged in every way, and their memory. */
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

static size_t pack(int bits, const void *bytes, size_t len, char *space, size_t size)
{
    z_stream zlib = {.next_in = (const Bytef *)bytes, .avail_in = (uInt)len};
    assert_int_equal(deflateInit2(&zlib, 9, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
    zlib.next_out = (Bytef *)space;
    zlib.avail_out = (uInt)size;
    assert_int_equal(deflate(&zlib, Z_FINISH), Z_STREAM_END);
    (void)deflateEnd(&zlib);
    return size - zlib.avail_out;
}

/* ---- decoding ---- */

typedef struct outcome {
    rc_inflate_result result;
    bool is_whole;
    size_t len;
    char bytes[1024];
} outcome;

static void feed(rc_inflate *inflater, rc_str input, outcome *got)
{
    rc_str piece;
    while ((got->result = rc_inflate_step(inflater, &input, &piece)) == RC_INFLATE_PIECE) {
        assert_in_range(piece.len, 1, RC_INFLATE_PIECE_BYTES);
        assert_in_range(got->len + piece.len, 1, sizeof got->bytes);
        memcpy(got->bytes + got->len, piece.ptr, piece.len);
        got->len += piece.len;
    }
    if (got->result == RC_INFLATE_MORE)
        assert_int_equal(input.len, 0);
}

/* Decodes the bytes in two pieces, of which the second may be empty. */
static outcome read_in_two(rc_coding coding, rc_str bytes, size_t cut)
{
    fail_alloc counting = {.fail_at = 0};
    const rc_alloc alloc = fail_alloc_of(&counting);
    rc_inflate *inflater = rc_inflate_new(coding, &alloc);
    outcome got = {.len = 0};
    assert_non_null(inflater);
    feed(inflater, rc_str_slice(bytes, 0, cut), &got);
    feed(inflater, rc_str_slice(bytes, cut, bytes.len), &got);
    got.is_whole = rc_inflate_is_whole(inflater);
    rc_inflate_free(inflater);
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

static void bodies_may_be_split_at_every_byte(void **state)
{
    (void)state;
    static const struct {
        rc_coding coding;
        int bits;
    } forms[] = {{RC_CODING_GZIP, GZIP}, {RC_CODING_DEFLATE, ZLIB}, {RC_CODING_DEFLATE, BARE}};
    for (size_t i = 0; i < COUNT(forms); i++)
        for (size_t len = 0; len < sizeof text; len += sizeof text - 1) {
            char space[1024];
            const size_t size = pack(forms[i].bits, text, len, space, sizeof space);
            check_good(forms[i].coding, rc_str_make(space, size), rc_str_make(text, len));
        }
}

static void members_follow_each_other(void **state)
{
    (void)state;
    char space[1024];
    size_t size = 0;
    for (size_t i = 0; i < 4; i++) /* The third member is empty. */
        size += pack(GZIP, text, i == 2 ? 0 : 10, space + size, sizeof space - size);
    char wanted[30];
    for (size_t i = 0; i < sizeof wanted; i++)
        wanted[i] = text[i % 10];
    check_good(RC_CODING_GZIP, rc_str_make(space, size), rc_str_make(wanted, sizeof wanted));
}

/* A header with all fields of RFC 1952: text flag, checksum, extra field, name, comment. */
static void a_gzip_header_may_have_all_fields(void **state)
{
    (void)state;
    char space[1024];
    char plain[1024];
    static const unsigned char head[] = {0x1f, 0x8b, 8,   0x1f, 1,   2,   3,   4,   2, 3,   3,
                                         0,    'e',  'x', 't',  'n', 'a', 'm', 'e', 0, 'c', 0};
    const size_t size = pack(GZIP, text, sizeof text, plain, sizeof plain);
    const uint32_t sum = (uint32_t)crc32(0, head, sizeof head);
    memcpy(space, head, sizeof head);
    space[sizeof head] = (char)(sum & 0xff);
    space[sizeof head + 1] = (char)(sum >> 8 & 0xff);
    memcpy(space + sizeof head + 2, plain + 10, size - 10);
    check_good(RC_CODING_GZIP, rc_str_make(space, sizeof head + 2 + size - 10),
               rc_str_make(text, sizeof text));
}

static void a_truncated_body_is_incomplete(void **state)
{
    (void)state;
    static const int forms[] = {GZIP, ZLIB, BARE};
    for (size_t i = 0; i < COUNT(forms); i++) {
        char space[1024];
        const rc_coding coding = forms[i] == GZIP ? RC_CODING_GZIP : RC_CODING_DEFLATE;
        const size_t size = pack(forms[i], text, sizeof text, space, sizeof space);
        assert_true(read_in_two(coding, RC_STR(""), 0).is_whole);
        for (size_t len = 1; len < size; len++) {
            const outcome got = read_in_two(coding, rc_str_make(space, len), len / 2);
            assert_int_equal(got.result, RC_INFLATE_MORE);
            assert_false(got.is_whole);
        }
    }
    char space[1024];
    const size_t size = pack(GZIP, text, sizeof text, space, sizeof space);
    memcpy(space + size, space, size);
    for (size_t len = 1; len < size; len++)
        assert_false(read_in_two(RC_CODING_GZIP, rc_str_make(space, size + len), size).is_whole);
}

/* ---- damage ---- */

static void bytes_behind_the_end_are_damage(void **state)
{
    (void)state;
    static const char *const behind[] = {"x", "\0xy", "garbage", "\x1f\x8c", "\x1f\x8b\x07\0"};
    static const size_t lens[] = {1, 3, 7, 2, 4};
    for (size_t i = 0; i < COUNT(behind); i++) {
        char space[1024];
        size_t size = pack(GZIP, text, sizeof text, space, sizeof space);
        memcpy(space + size, behind[i], lens[i]);
        /* Half of a possible member header is not a fault yet. */
        const outcome got = read_in_two(RC_CODING_GZIP, rc_str_make(space, size + lens[i]), size);
        assert_false(got.is_whole);
        if (lens[i] > 1)
            assert_int_equal(got.result, RC_INFLATE_DAMAGED);
        size = pack(i % 2 ? ZLIB : BARE, text, sizeof text, space, sizeof space);
        memcpy(space + size, behind[i], lens[i]);
        check_damaged(RC_CODING_DEFLATE, rc_str_make(space, size + lens[i]));
    }
}

static void zeros_behind_the_end_are_padding(void **state)
{
    (void)state;
    char space[1024] = {0};
    const size_t size = pack(GZIP, text, sizeof text, space, sizeof space);
    for (size_t more = 0; more < 20; more++) {
        const outcome got = read_in_two(RC_CODING_GZIP, rc_str_make(space, size + more), size);
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
    /* A preset dictionary is required, but not available. */
    check_damaged(RC_CODING_DEFLATE, RC_STR("\x78\xbb\x00\x00\x00\x01\x00"));
}

/* Each flipped bit is detected, or the decoded bytes are the same, because some bits of gzip's
 * header have no meaning. */
static void no_flipped_bit_changes_the_bytes(void **state)
{
    (void)state;
    static const int forms[] = {GZIP, ZLIB};
    for (size_t i = 0; i < COUNT(forms); i++) {
        char space[1024];
        const rc_coding coding = forms[i] == GZIP ? RC_CODING_GZIP : RC_CODING_DEFLATE;
        const size_t size = pack(forms[i], text, sizeof text, space, sizeof space);
        for (size_t bit = 0; bit < size * 8; bit++) {
            space[bit / 8] ^= (char)(1 << bit % 8);
            const outcome got = read_in_two(coding, rc_str_make(space, size), size / 3);
            if (got.result == RC_INFLATE_MORE && got.is_whole) {
                assert_int_equal(got.len, sizeof text);
                assert_memory_equal(got.bytes, text, sizeof text);
            }
            space[bit / 8] ^= (char)(1 << bit % 8);
        }
    }
}

static void good_bytes_come_before_damage(void **state)
{
    (void)state;
    char space[1024];
    const size_t size = pack(GZIP, text, sizeof text, space, sizeof space);
    space[size - 8] ^= 1; /* a bit of the checksum */
    const outcome got = read_in_two(RC_CODING_GZIP, rc_str_make(space, size), 0);
    assert_int_equal(got.result, RC_INFLATE_DAMAGED);
    assert_int_equal(got.len, sizeof text);
    assert_memory_equal(got.bytes, text, sizeof text);
}

/* ---- memory ---- */

static void a_decompression_bomb_comes_in_bounded_pieces(void **state)
{
    (void)state;
    enum {
        TOTAL = 8 << 20
    };
    static char zeros[TOTAL];
    static char space[64 << 10];
    const size_t size = pack(GZIP, zeros, TOTAL, space, sizeof space);
    fail_alloc counting = {.fail_at = 0};
    const rc_alloc alloc = fail_alloc_of(&counting);
    rc_inflate *inflater = rc_inflate_new(RC_CODING_GZIP, &alloc);
    rc_str input = rc_str_make(space, size);
    rc_str piece;
    size_t total = 0;
    assert_non_null(inflater);
    while (rc_inflate_step(inflater, &input, &piece) == RC_INFLATE_PIECE) {
        assert_in_range(piece.len, 1, RC_INFLATE_PIECE_BYTES);
        assert_memory_equal(piece.ptr, zeros, piece.len);
        total += piece.len;
    }
    assert_int_equal(total, TOTAL);
    assert_int_equal(input.len, 0);
    assert_true(rc_inflate_is_whole(inflater));
    assert_in_range(counting.peak_bytes, 1, 64 << 10);
    rc_inflate_free(inflater);
    assert_int_equal(counting.live, 0);
}

static void a_lack_of_memory_is_reported(void **state)
{
    (void)state;
    static char bytes[100 << 10];
    static char space[128 << 10];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * i >> 7);
    const size_t size = pack(GZIP, bytes, sizeof bytes, space, sizeof space);
    bool has_passed = false;
    for (size_t fail_at = 1; !has_passed; fail_at++) {
        fail_alloc failing = {.fail_at = fail_at, .for_good = true};
        const rc_alloc alloc = fail_alloc_of(&failing);
        rc_inflate *inflater = rc_inflate_new(RC_CODING_GZIP, &alloc);
        rc_str input = rc_str_make(space, size);
        rc_str piece;
        rc_inflate_result result = RC_INFLATE_NO_MEMORY;
        assert_in_range(fail_at, 1, 10);
        while (inflater != NULL &&
               (result = rc_inflate_step(inflater, &input, &piece)) == RC_INFLATE_PIECE)
            ;
        has_passed = failing.calls < fail_at;
        assert_int_equal(result, has_passed ? RC_INFLATE_MORE : RC_INFLATE_NO_MEMORY);
        if (inflater != NULL && !has_passed) /* further calls return the same result */
            assert_int_equal(rc_inflate_step(inflater, &input, &piece), RC_INFLATE_NO_MEMORY);
        rc_inflate_free(inflater);
        assert_int_equal(failing.live, 0);
        assert_false(failing.is_broken);
    }
    rc_inflate_free(NULL);
}

/* ---- Content-Encoding ---- */

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
        cmocka_unit_test(bodies_may_be_split_at_every_byte),
        cmocka_unit_test(members_follow_each_other),
        cmocka_unit_test(a_gzip_header_may_have_all_fields),
        cmocka_unit_test(a_truncated_body_is_incomplete),
        cmocka_unit_test(bytes_behind_the_end_are_damage),
        cmocka_unit_test(zeros_behind_the_end_are_padding),
        cmocka_unit_test(uncompressed_bytes_are_damage),
        cmocka_unit_test(no_flipped_bit_changes_the_bytes),
        cmocka_unit_test(good_bytes_come_before_damage),
        cmocka_unit_test(a_decompression_bomb_comes_in_bounded_pieces),
        cmocka_unit_test(a_lack_of_memory_is_reported),
        cmocka_unit_test(codings_are_known_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
