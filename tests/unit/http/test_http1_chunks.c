/* Tests of the one-pass parser of chunks, which must return the same results as llhttp byte by
 * byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/http1_read.h"

static rc_http1 reader;
static rc_http1 each_reader;

/* Parses the bytes in pieces by the one-pass parser, and byte by byte, which forces llhttp. Both
 * results must be equal, except that the kind of fault in a trailer depends on how much of the
 * trailer has arrived. */
static void read_chunks_both_ways(rc_str bytes, size_t step)
{
    result all = read_message(&reader, RC_HTTP1_RESPONSE, bytes, step, true);
    result each = read_message(&each_reader, RC_HTTP1_RESPONSE, bytes, 1, true);
    bool is_bad = all.fault != RC_HTTP1_FAULT_NONE;
    bool is_same = is_bad == (each.fault != RC_HTTP1_FAULT_NONE) && all.is_whole == each.is_whole;
    if (is_same && all.fault == RC_HTTP1_FAULT_NONE)
        is_same = all.used == each.used && all.body_len == each.body_len &&
                  memcmp(all.body, each.body, all.body_len) == 0;
    if (!is_same)
        fail_msg("read in two ways: %.*s", (int)bytes.len, bytes.ptr);
}

static void both_parsers_agree_on_plain_chunks(void **state)
{
    (void)state;
    static const char head[] = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    static const char *const bodies[] = {
        "5\r\nhello\r\n1A\r\nabcdefghijklmnopqrstuvwxyz\r\n0\r\n\r\n",
        "0000005\r\nhello\r\n00000005\r\nhello\r\n2;a=b\r\nab\r\n3\r\nabc\r\n0\r\nx: y\r\n\r\n",
        "5\r\nhello\r\n5\r\nhel",
    };
    for (size_t i = 0; i < sizeof(bodies) / sizeof(bodies[0]); i++) {
        char bytes[512];
        int made = snprintf(bytes, sizeof bytes, "%s%s", head, bodies[i]);
        size_t len = (size_t)made;
        for (size_t step = 2; step < len; step++)
            read_chunks_both_ways(rc_str_make(bytes, len), step);
        for (size_t at = sizeof(head) - 1; at < len; at++) {
            const char old = bytes[at];
            for (int c = 0; c < 256; c++) {
                bytes[at] = (char)c;
                read_chunks_both_ways(rc_str_make(bytes, len), len);
                read_chunks_both_ways(rc_str_make(bytes, len), 2 + (size_t)c % 30);
            }
            bytes[at] = old;
            read_chunks_both_ways(rc_str_make(bytes, at), at);
        }
    }
    /* The first chunk is not passed to llhttp. */
    rc_str input = RC_STR("5\r\nhello\r\n3");
    rc_http1_init(&reader, RC_HTTP1_RESPONSE, &rc_http1_limits_default);
    assert_int_equal(rc_http1_read_head(&reader, rc_str_c(head)), RC_HTTP1_HEAD);
    assert_int_equal(rc_http1_read_body(&reader, &input), RC_HTTP1_BODY);
    assert_false(reader.is_parsing);
    assert_int_equal(rc_http1_read_body(&reader, &input), RC_HTTP1_MORE);
    assert_true(reader.is_parsing);
    /* After a chunk that llhttp has read, the one-pass parser reads the next one. */
    input = RC_STR("\r\nabc\r\n");
    assert_int_equal(rc_http1_read_body(&reader, &input), RC_HTTP1_BODY);
    assert_true(reader.is_at_chunk);
    input = RC_STR("2\r\nab\r\n");
    assert_int_equal(rc_http1_read_body(&reader, &input), RC_HTTP1_BODY);
    assert_true(reader.is_at_chunk && rc_str_eq(reader.body, RC_STR("ab")));
}

/* Bytes inside a chunk that look like a chunk are data. */
static void chunks_in_chunks_are_data(void **state)
{
    (void)state;
    static const char head[] = "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";
    static const struct {
        const char *piece;
        const char *body;
    } steps[] = {
        {"3\r\nab", "ab"}, {"c\r\n7\r\nb", "c"}, {NULL, "b"}, {"1\r\nx\r\n\r\n", "1\r\nx\r\n"}};
    rc_http1_init(&reader, RC_HTTP1_RESPONSE, &rc_http1_limits_default);
    assert_int_equal(rc_http1_read_head(&reader, rc_str_c(head)), RC_HTTP1_HEAD);
    rc_str input = RC_STR("");
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        if (steps[i].piece != NULL)
            input = rc_str_c(steps[i].piece);
        assert_int_equal(rc_http1_read_body(&reader, &input), RC_HTTP1_BODY);
        assert_true(rc_str_eq(reader.body, rc_str_c(steps[i].body)));
    }
    /* The piece contains the end of one chunk and the start of the next. */
    input = RC_STR("5\r\nhel");
    assert_int_equal(rc_http1_read_body(&reader, &input), RC_HTTP1_BODY);
    input = RC_STR("lo");
    assert_int_equal(rc_http1_read_body(&reader, &input), RC_HTTP1_BODY);
    input = RC_STR("\r\n7\r\nb");
    assert_int_equal(rc_http1_read_body(&reader, &input), RC_HTTP1_BODY);
    assert_true(rc_str_eq(reader.body, RC_STR("b")));
    input = RC_STR("1\r\nx\r\n\r\n");
    assert_int_equal(rc_http1_read_body(&reader, &input), RC_HTTP1_BODY);
    assert_true(rc_str_eq(reader.body, RC_STR("1\r\nx\r\n")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_parsers_agree_on_plain_chunks),
        cmocka_unit_test(chunks_in_chunks_are_data),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
