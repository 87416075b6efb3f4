/* Tests of the string functions: edge cases; search and distance against slow references. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/str.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const rc_str none = {NULL, 0};

static void expect_str(rc_str got, const char *want)
{
    if (!rc_str_eq(got, rc_str_c(want)))
        fail_msg("\"%.*s\", want \"%s\"", (int)got.len, got.ptr ? got.ptr : "", want);
}

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void test_views(void **state)
{
    (void)state;
    static const rc_str constant = RC_STR_INIT("a\0b");
    assert_int_equal(constant.len, 3);
    assert_int_equal(RC_STR("a\0b").len, 3);
    assert_true(rc_str_eq(constant, RC_STR("a\0b")));
    assert_false(rc_str_eq(constant, RC_STR("a\0c")));
    assert_false(rc_str_eq(constant, RC_STR("a")));
    assert_true(rc_str_eq(none, RC_STR("")));
    assert_true(rc_str_eq(none, none));
    assert_true(rc_str_is_empty(none));
    assert_false(rc_str_is_empty(constant));
    assert_int_equal(rc_str_c("a\0b").len, 1);
    assert_int_equal(rc_str_c(NULL).len, 0);
    assert_null(rc_str_c(NULL).ptr);
}

static void test_ascii_classes(void **state)
{
    (void)state;
    static const char digits[] = "0123456789";
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    static const char spaces[] = " \t\n\v\f\r";
    for (int byte = 0; byte < 256; byte++) {
        char c = (char)byte;
        bool is_digit = memchr(digits, c, sizeof digits - 1) != NULL;
        const char *letter = memchr(letters, c, sizeof letters - 1);
        assert_int_equal(rc_ascii_is_digit(c), is_digit);
        assert_int_equal(rc_ascii_is_alpha(c), letter != NULL);
        assert_int_equal(rc_ascii_is_alnum(c), is_digit || letter);
        assert_int_equal(rc_ascii_is_space(c), memchr(spaces, c, sizeof spaces - 1) != NULL);
        bool is_upper = letter && letter - letters >= 26;
        assert_int_equal(rc_ascii_lower(c), is_upper ? letter[-26] : c);
    }
}

static void test_slice(void **state)
{
    (void)state;
    rc_str s = RC_STR("hello");
    expect_str(rc_str_slice(s, 0, 5), "hello");
    expect_str(rc_str_slice(s, 1, 3), "el");
    expect_str(rc_str_slice(s, 5, 5), "");
    expect_str(rc_str_slice(s, 2, SIZE_MAX), "llo");
    expect_str(rc_str_slice(s, 3, 1), "");
    expect_str(rc_str_slice(s, SIZE_MAX, SIZE_MAX), "");
    expect_str(rc_str_slice(s, SIZE_MAX, 0), "");
    assert_ptr_equal(rc_str_slice(s, SIZE_MAX, SIZE_MAX).ptr, s.ptr + 5);
    rc_str of_none = rc_str_slice(none, 0, 3);
    assert_null(of_none.ptr);
    assert_int_equal(of_none.len, 0);
}

static void test_trim(void **state)
{
    (void)state;
    expect_str(rc_str_trim(RC_STR("")), "");
    expect_str(rc_str_trim(none), "");
    expect_str(rc_str_trim(RC_STR(" \t\r\n\v\f")), "");
    expect_str(rc_str_trim(RC_STR("a")), "a");
    expect_str(rc_str_trim(RC_STR("  a b\t")), "a b");
    expect_str(rc_str_trim(RC_STR("\xc2\xa0 a")), "\xc2\xa0 a"); /* only ASCII white space is
                                                                    removed */
    rc_str nul = rc_str_trim(RC_STR(" \0 "));
    assert_int_equal(nul.len, 1);
}

/* Compares every pair of bytes, at every position, for each length that has its own code path. */
static void test_nocase_of_all_bytes(void **state)
{
    (void)state;
    for (size_t len = 1; len <= 18; len++)
        for (size_t at = 0; at < len; at++)
            for (size_t pair = 0; pair < 65536; pair += at + 1) {
                char a[18] = "aBc-9_~\x80\xffZ[]@`{}09";
                char b[18];
                memcpy(b, a, sizeof b);
                a[at] = (char)(pair >> 8);
                b[at] = (char)(pair & 0xff);
                bool is_same = rc_ascii_lower(a[at]) == rc_ascii_lower(b[at]);
                if (rc_ascii_eq_nocase(a, b, len) != is_same)
                    fail_msg("length %zu, place %zu, bytes %04zx", len, at, pair);
            }
}

static void test_nocase(void **state)
{
    (void)state;
    assert_true(rc_str_eq_nocase(RC_STR("Retry-After"), RC_STR("rETRY-aFTER")));
    assert_true(rc_str_eq_nocase(none, RC_STR("")));
    assert_false(rc_str_eq_nocase(RC_STR("ab"), RC_STR("abc")));
    assert_false(
        rc_str_eq_nocase(RC_STR("[a"), RC_STR("{a"))); /* bytes that differ by 32, like upper and
                                                          lower case letters */
    assert_false(rc_str_eq_nocase(RC_STR("@"), RC_STR("`")));
    assert_false(rc_str_eq_nocase(RC_STR("\xc3\x84"), RC_STR("\xc3\xa4")));
}

static void test_ends(void **state)
{
    (void)state;
    rc_str s = RC_STR("Bearer x");
    assert_true(rc_str_starts_with(s, RC_STR("Bearer")));
    assert_true(rc_str_starts_with(s, RC_STR("")));
    assert_true(rc_str_starts_with(s, none));
    assert_true(rc_str_starts_with(s, s));
    assert_false(rc_str_starts_with(s, RC_STR("bearer")));
    assert_false(rc_str_starts_with(s, RC_STR("Bearer xy")));
    assert_false(rc_str_starts_with(none, RC_STR("a")));
    assert_true(rc_str_starts_with(none, none));
    assert_true(rc_str_starts_with_nocase(s, RC_STR("bEARER")));
    assert_true(rc_str_starts_with_nocase(s, none));
    assert_true(rc_str_starts_with_nocase(s, s));
    assert_false(rc_str_starts_with_nocase(s, RC_STR("bearer_")));
    assert_false(rc_str_starts_with_nocase(s, RC_STR("bearer xy")));
    assert_true(rc_str_ends_with(s, RC_STR(" x")));
    assert_true(rc_str_ends_with(s, RC_STR("")));
    assert_true(rc_str_ends_with(s, s));
    assert_false(rc_str_ends_with(s, RC_STR(" X")));
    assert_false(rc_str_ends_with(s, RC_STR("_Bearer x")));
    assert_true(rc_str_ends_with(none, none));
}

/* --- searching --- */

static size_t find_slowly(rc_str s, rc_str needle, size_t from)
{
    for (size_t at = from; at <= s.len; at++) {
        size_t same = 0;
        while (same < needle.len && at + same < s.len && s.ptr[at + same] == needle.ptr[same])
            same++;
        if (same == needle.len)
            return at;
    }
    return RC_STR_NPOS;
}

static void spell(char *out, size_t len, unsigned code)
{
    for (size_t i = 0; i < len; i++)
        out[i] = (code >> i) & 1 ? 'b' : 'a';
}

/* Compares the search with a reference for every text of up to 8 and every needle of up to 4
 * letters of {a, b}, from every start. */
static void test_find_against_reference(void **state)
{
    (void)state;
    char word[4];
    for (size_t len = 0; len <= 8; len++) {
        for (unsigned code = 0; code < 1u << len; code++) {
            char *copy = malloc(len + 1); /* a copy without bytes after its end */
            assert_non_null(copy);
            char *text = copy + 1;
            spell(text, len, code);
            rc_str s = rc_str_make(text, len);
            for (unsigned needle = 0; needle < 31; needle++) {
                size_t word_len = needle < 1 ? 0 : needle < 3 ? 1 : needle < 7 ? 2 : 3;
                word_len = needle < 15 ? word_len : 4;
                spell(word, word_len, needle + 1 - (1u << word_len));
                rc_str w = rc_str_make(word, word_len);
                for (size_t from = 0; from <= len + 2; from++)
                    assert_int_equal(rc_str_find(s, w, from), find_slowly(s, w, from));
            }
            free(copy);
        }
    }
}

/* Texts longer than two blocks: a needle at every position, among similar letters. */
static void test_find_in_blocks(void **state)
{
    (void)state;
    static const char needle[] = "error\"";
    for (size_t len = 1; len <= 70; len++) {
        char *text = malloc(len);
        assert_non_null(text);
        for (size_t word = 1; word < sizeof needle && word <= len; word++)
            for (size_t at = 0; at <= len - word; at++) {
                rc_str w = rc_str_make(needle, word);
                for (size_t i = 0; i < len; i++)
                    text[i] = needle[(i * 7 + i / 5) % 6];
                memcpy(text + at, needle, word);
                rc_str s = rc_str_make(text, len);
                for (size_t from = 0; from <= len; from += 1 + from / 3)
                    assert_int_equal(rc_str_find(s, w, from), find_slowly(s, w, from));
            }
        free(text);
    }
}

static void test_find_edges(void **state)
{
    (void)state;
    rc_str s = RC_STR("abcabc");
    assert_int_equal(rc_str_find(s, RC_STR("c"), SIZE_MAX), RC_STR_NPOS);
    assert_int_equal(rc_str_find(s, RC_STR(""), 6), 6);
    assert_int_equal(rc_str_find(s, RC_STR(""), 7), RC_STR_NPOS);
    assert_int_equal(rc_str_find(none, none, 0), 0);
    assert_int_equal(rc_str_find(none, RC_STR("a"), 0), RC_STR_NPOS);
    assert_int_equal(rc_str_find_byte(s, 'c', 0), 2);
    assert_int_equal(rc_str_find_byte(s, 'c', 2), 2);
    assert_int_equal(rc_str_find_byte(s, 'c', 3), 5);
    assert_int_equal(rc_str_find_byte(s, 'c', 6), RC_STR_NPOS);
    assert_int_equal(rc_str_find_byte(s, 'c', SIZE_MAX), RC_STR_NPOS);
    assert_int_equal(rc_str_find_byte(s, 'x', 0), RC_STR_NPOS);
    assert_int_equal(rc_str_find_byte(none, 'x', 0), RC_STR_NPOS);
    assert_int_equal(rc_str_find_byte(RC_STR("a\xff"), '\xff', 0), 1);
    assert_int_equal(rc_str_find_byte(RC_STR("a\0b"), '\0', 0), 1);
}

static int sign(int value)
{
    return (value > 0) - (value < 0);
}

static void test_cmp(void **state)
{
    (void)state;
    static const rc_str sorted[] = {
        {NULL, 0},           RC_STR_INIT("\0"),   RC_STR_INIT("A"), RC_STR_INIT("a"),
        RC_STR_INIT("a\0"),  RC_STR_INIT("ab"),   RC_STR_INIT("b"), RC_STR_INIT("\x7f"),
        RC_STR_INIT("\x80"), RC_STR_INIT("\xff"),
    };
    for (size_t i = 0; i < COUNT(sorted); i++) {
        for (size_t j = 0; j < COUNT(sorted); j++)
            assert_int_equal(sign(rc_str_cmp(sorted[i], sorted[j])), (i > j) - (i < j));
    }
}

/* --- distance --- */

/* The distance by its recursive definition, whose time is exponential, so only for short words. */
static size_t distance_slowly(const char *a, size_t a_len, const char *b, size_t b_len)
{
    if (a_len == 0 || b_len == 0)
        return a_len + b_len;
    size_t best = distance_slowly(a, a_len - 1, b, b_len) + 1;
    size_t insert = distance_slowly(a, a_len, b, b_len - 1) + 1;
    size_t replace = distance_slowly(a, a_len - 1, b, b_len - 1) + (a[a_len - 1] != b[b_len - 1]);
    best = insert < best ? insert : best;
    best = replace < best ? replace : best;
    if (a_len > 1 && b_len > 1 && a[a_len - 1] == b[b_len - 2] && a[a_len - 2] == b[b_len - 1]) {
        size_t swap = distance_slowly(a, a_len - 2, b, b_len - 2) + 1;
        best = swap < best ? swap : best;
    }
    return best;
}

static void test_distance_against_reference(void **state)
{
    (void)state;
    uint64_t seed = 3;
    for (int round = 0; round < 3000; round++) {
        char a[6];
        char b[6];
        size_t a_len = next_random(&seed) % 7;
        size_t b_len = next_random(&seed) % 7;
        for (size_t i = 0; i < 6; i++) {
            a[i] = (char)('a' + next_random(&seed) % 3);
            b[i] = (char)('a' + next_random(&seed) % 3);
        }
        size_t want = distance_slowly(a, a_len, b, b_len);
        for (size_t max = 0; max < 8; max++) {
            size_t got = rc_str_distance(rc_str_make(a, a_len), rc_str_make(b, b_len), max);
            assert_int_equal(got, want > max ? max + 1 : want);
        }
    }
}

static void test_distance_edges(void **state)
{
    (void)state;
    assert_int_equal(rc_str_distance(RC_STR("fromat"), RC_STR("format"), 3), 1);
    assert_int_equal(rc_str_distance(RC_STR("max_atempts"), RC_STR("max_attempts"), 3), 1);
    assert_int_equal(rc_str_distance(RC_STR("a"), RC_STR("A"), 3), 1);
    assert_int_equal(rc_str_distance(none, none, 0), 0);
    assert_int_equal(rc_str_distance(none, RC_STR("abc"), 5), 3);
    assert_int_equal(rc_str_distance(RC_STR("abc"), none, 2), 3);
    assert_int_equal(rc_str_distance(RC_STR("abc"), RC_STR("xyz"), SIZE_MAX), 3);

    char long_a[100];
    char long_b[100];
    memset(long_a, 'a', sizeof long_a);
    memset(long_b, 'a', sizeof long_b);
    long_b[63] = 'x'; /* the first byte that is not compared */
    rc_str a = rc_str_make(long_a, sizeof long_a);
    rc_str b = rc_str_make(long_b, sizeof long_b);
    assert_int_equal(rc_str_distance(a, b, 5), 0);
    long_b[62] = 'x'; /* the last byte that is compared */
    assert_int_equal(rc_str_distance(a, b, 5), 1);
    assert_int_equal(rc_str_distance(a, none, 100), 63);
    assert_int_equal(rc_str_distance(none, b, 100), 63);
    memset(long_b, 'b', sizeof long_b);
    assert_int_equal(rc_str_distance(a, b, 100), 63);
}

/* Compares every length, with a different byte at every position. No byte outside is read. */
static void test_bytes_eq(void **state)
{
    (void)state;
    for (size_t len = 0; len <= 40; len++) {
        char *a = malloc(len + (len == 0));
        char *b = malloc(len + (len == 0));
        assert_non_null(a);
        assert_non_null(b);
        for (size_t i = 0; i < len; i++)
            a[i] = b[i] = (char)(i * 37 + len);
        assert_true(rc_bytes_eq(a, b, len));
        for (size_t i = 0; i < len; i++) {
            b[i] = (char)(b[i] ^ 0x20);
            assert_false(rc_bytes_eq(a, b, len));
            b[i] = a[i];
        }
        free(a);
        free(b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_views),
        cmocka_unit_test(test_ascii_classes),
        cmocka_unit_test(test_slice),
        cmocka_unit_test(test_trim),
        cmocka_unit_test(test_nocase),
        cmocka_unit_test(test_nocase_of_all_bytes),
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_find_against_reference),
        cmocka_unit_test(test_find_in_blocks),
        cmocka_unit_test(test_find_edges),
        cmocka_unit_test(test_bytes_eq),
        cmocka_unit_test(test_cmp),
        cmocka_unit_test(test_distance_against_reference),
        cmocka_unit_test(test_distance_edges),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
