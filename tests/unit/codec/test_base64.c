/* Tests of base64: the samples of the standard, every length around the size of a piece, failing
 * allocations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include <recourse/stdlib.h>

#include "codec/base64.h"

/* the samples of RFC 4648, section 10 */
static void test_samples(void **state)
{
    static const char *const samples[][2] = {
        {"", ""},
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
        {"\xff\xfe\xfd", "//79"},
        {"\xfb\xef\xbe", "++++"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof samples / sizeof samples[0]; i++) {
        char memory[64];
        rc_buf buf;
        rc_buf_init_fixed(&buf, memory, sizeof memory);
        assert_int_equal(rc_base64_push(&buf, rc_str_c(samples[i][0])), RC_OK);
        rc_buf_push_byte(&buf, '\0');
        assert_string_equal(memory, samples[i][1]);
    }
}

static int value_of(char letter)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *found = memchr(letters, letter, 64);
    return found != NULL ? (int)(found - letters) : -1;
}

/* Decodes the result with code that is independent of the encoder. */
static void test_every_length(void **state)
{
    rc_alloc alloc = rc_alloc_stdlib();
    char bytes[600];
    (void)state;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)(i * 37 + 11);
    for (size_t len = 0; len <= sizeof bytes; len++) {
        rc_buf buf;
        rc_buf_init(&buf, &alloc, 4096);
        assert_int_equal(rc_base64_push(&buf, rc_str_make(bytes, len)), RC_OK);
        const rc_str text = rc_buf_get(&buf);
        assert_int_equal(text.len, (len + 2) / 3 * 4);
        for (size_t i = 0; i < len; i++) {
            const size_t at = i / 3 * 4;
            uint32_t bits = 0;
            for (size_t k = 0; k < 4; k++)
                bits = bits << 6 |
                       (uint32_t)(text.ptr[at + k] == '=' ? 0 : value_of(text.ptr[at + k]));
            assert_int_equal((uint8_t)(bits >> (16 - 8 * (i % 3))), (uint8_t)bytes[i]);
        }
        rc_buf_done(&buf);
    }
}

static void test_no_space(void **state)
{
    char memory[7];
    rc_buf buf;
    (void)state;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    assert_int_equal(rc_base64_push(&buf, RC_STR("foobar")), RC_E_TOO_LARGE);
}

/* Every length up to two pieces is read back; the letters are those of section 5. */
static void base64url_reads_back(void **state)
{
    rc_alloc alloc = rc_alloc_stdlib();
    (void)state;
    for (size_t len = 0; len <= 600; len++) {
        char bytes[600];
        rc_buf text;
        rc_buf back;
        rc_buf_init(&text, &alloc, 4096);
        rc_buf_init(&back, &alloc, 4096);
        for (size_t i = 0; i < len; i++)
            bytes[i] = (char)(i * 37 + len);
        assert_int_equal(rc_base64url_push(&text, rc_str_make(bytes, len)), RC_OK);
        rc_str letters = rc_buf_get(&text);
        for (size_t i = 0; i < letters.len; i++)
            assert_true(letters.ptr[i] != '+' && letters.ptr[i] != '/' && letters.ptr[i] != '=');
        assert_true(rc_base64url_decode(letters, &back));
        assert_int_equal(rc_buf_get(&back).len, len);
        if (len > 0)
            assert_memory_equal(rc_buf_get(&back).ptr, bytes, len);
        rc_buf_done(&text);
        rc_buf_done(&back);
    }
}

static void malformed_base64url_is_refused(void **state)
{
    static const char *const texts[] = {"A", "AB", "AAB", "AAAAA", "AA=", "A+AA", "AA/A", "AA A"};
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char memory[64];
        rc_buf buf;
        rc_buf_init_fixed(&buf, memory, sizeof memory);
        assert_false(rc_base64url_decode(rc_str_c(texts[i]), &buf));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(base64url_reads_back), cmocka_unit_test(malformed_base64url_is_refused),
        cmocka_unit_test(test_samples),         cmocka_unit_test(test_every_length),
        cmocka_unit_test(test_no_space),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
