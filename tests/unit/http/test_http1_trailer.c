/* Tests of the field lines after the last chunk: malformed trailers are rejected, however they are
 * split. */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <setjmp.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "http/http1_trailer.h"

#define MAX_BYTES 100

/* Returns whether the whole text is one complete trailer. */
static bool push(rc_str text, size_t step)
{
    rc_http1_trailer trailer = {0};
    rc_http1_trailer_result is = RC_HTTP1_TRAILER_MORE;
    size_t at = 0;
    while (at < text.len && is == RC_HTTP1_TRAILER_MORE) {
        size_t used = 0;
        is = rc_http1_trailer_push(&trailer, rc_str_slice(text, at, at + step), MAX_BYTES, &used);
        at += used;
    }
    return is == RC_HTTP1_TRAILER_WHOLE && at == text.len;
}

static bool is_good(rc_str text)
{
    const bool whole = push(text, text.len);
    for (size_t step = 1; step < text.len; step++)
        assert_int_equal(push(text, step), whole);
    return whole;
}

static void trailers_are_read(void **state)
{
    (void)state;
    assert_true(is_good(RC_STR("\r\n")));
    assert_true(is_good(RC_STR("X: y\r\n\r\n")));
    assert_true(is_good(RC_STR("X:\r\nY: \t z \r\n\r\n")));
    assert_true(is_good(RC_STR("grpc-status: 0\r\nX-Checksum: a:b\r\n\r\n")));
    assert_true(is_good(RC_STR("X: \xc3\xa4\r\n\r\n")));
    /* Names that only begin or end like a forbidden name are accepted. */
    assert_true(is_good(RC_STR("Hos: a\r\nHosts: a\r\nTransfer-Encodings: a\r\n\r\n")));
    assert_true(is_good(RC_STR("A-name-that-is-longer-than-any-of-them-is: a\r\n\r\n")));
}

static void a_malformed_trailer_is_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "\n",
        "\r\r\n",
        "\rX",
        "X: y\n\r\n",
        "X: y\r\r\n",
        "X: y\rZ: y\r\n\r\n",
        "X: y\r\n z\r\n\r\n",
        "X: y\r\n\tz\r\n\r\n",
        " X: y\r\n\r\n",
        ": y\r\n\r\n",
        "X\r\n\r\n",
        "X\n: y\r\n\r\n",
        "X : y\r\n\r\n",
        "X\t: y\r\n\r\n",
        "X: y\x01\r\n\r\n",
        "X: y\x7f\r\n\r\n",
        "X\x01: y\r\n\r\n",
        "Host: a\r\n\r\n",
        "hOST: a\r\n\r\n",
        "X: y\r\nContent-Length: 4\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n",
        "Authorization: Bearer x\r\n\r\n",
        "Connection: close\r\n\r\n",
        "\r\nX",
    };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        if (is_good(rc_str_c(bad[i])))
            fail_msg("taken: %s", bad[i]);
    assert_false(is_good(RC_STR("X: \0\r\n\r\n")));
    assert_false(is_good(RC_STR("\0: y\r\n\r\n")));
}

static void a_trailer_has_an_end_and_a_limit(void **state)
{
    (void)state;
    char text[MAX_BYTES + 2] = "X: ";
    for (size_t len = MAX_BYTES - 1; len <= MAX_BYTES + 1; len++) {
        rc_http1_trailer trailer = {0};
        size_t used = 0;
        memset(text + 3, 'y', len - 7);
        memcpy(text + len - 4, "\r\n\r\n", 4);
        assert_int_equal(rc_http1_trailer_push(&trailer, rc_str_make(text, len), MAX_BYTES, &used),
                         len > MAX_BYTES ? RC_HTTP1_TRAILER_LARGE : RC_HTTP1_TRAILER_WHOLE);
    }
    rc_http1_trailer trailer = {0};
    size_t used = 0;
    assert_int_equal(rc_http1_trailer_push(&trailer, RC_STR("\r\nGET /"), MAX_BYTES, &used),
                     RC_HTTP1_TRAILER_WHOLE);
    assert_int_equal(used, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trailers_are_read),
        cmocka_unit_test(a_malformed_trailer_is_refused),
        cmocka_unit_test(a_trailer_has_an_end_and_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
