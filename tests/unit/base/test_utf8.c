/* Tests of UTF-8: decoding against a reference that uses code point ranges, not byte tables. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "support/often.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t next_random(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

/* --- the reference --- */

/* Returns the length that the leading ones of the byte announce; 0 if it is not a lead byte. */
static size_t announced_len(uint8_t lead)
{
    if (lead < 0x80)
        return 1;
    if (lead >> 5 == 0x06)
        return 2;
    if (lead >> 4 == 0x0E)
        return 3;
    return lead >> 3 == 0x1E ? 4 : 0;
}

/* Returns whether a scalar value in [low, high] needs exactly len bytes. */
static bool has_scalar(uint32_t low, uint32_t high, size_t len)
{
    static const uint32_t first[5] = {0, 0, 0x80, 0x800, 0x10000};
    static const uint32_t last[5] = {0, 0x7F, 0x7FF, 0xFFFF, 0x10FFFF};
    low = low < first[len] ? first[len] : low;
    high = high > last[len] ? last[len] : high;
    if (low >= 0xD800 && low <= 0xDFFF)
        low = 0xE000;
    if (high >= 0xD800 && high <= 0xDFFF)
        high = 0xD7FF;
    return low <= high;
}

/* Computes the range of values that begin with the first `count` bytes. */
static bool is_prefix_of_some(const uint8_t *p, size_t count, size_t len, uint32_t *ret_low)
{
    uint32_t low = len == 1 ? p[0] : (uint32_t)(p[0] & (0xFF >> (len + 1)));
    for (size_t i = 1; i < count; i++) {
        if (p[i] < 0x80 || p[i] > 0xBF)
            return false;
        low = low * 64 + (p[i] - 0x80u);
    }
    uint32_t high = low;
    for (size_t i = count; i < len; i++) {
        low = low * 64;
        high = high * 64 + 63;
    }
    *ret_low = low;
    return has_scalar(low, high, len);
}

/* Decodes by the definition and returns the number of bytes read. *ret_ok: the bytes are a
 * character. */
static size_t decode_slowly(const uint8_t *p, size_t left, uint32_t *ret_cp, bool *ret_ok)
{
    *ret_ok = false;
    *ret_cp = RC_UTF8_REPLACEMENT;
    size_t len = announced_len(p[0]);
    if (len == 0)
        return 1;
    size_t good = 0;
    uint32_t low = 0;
    while (good < len && good < left && is_prefix_of_some(p, good + 1, len, &low))
        good++;
    if (good < len)
        return good ? good : 1;
    *ret_ok = true;
    *ret_cp = low;
    return len;
}

/* Decodes a copy without spare bytes and compares the result with the reference. */
static void check_decode(const uint8_t *bytes, size_t count)
{
    uint32_t want_cp;
    bool want_ok;
    size_t want_len = decode_slowly(bytes, count, &want_cp, &want_ok);
    rc_str s = rc_str_make((const char *)bytes, count);
    size_t len = 0;
    uint32_t cp = rc_utf8_decode(s, 0, &len);
    size_t valid = rc_utf8_valid_prefix(rc_str_make((const char *)bytes, want_len));
    if (cp != want_cp || len != want_len || valid != (want_ok ? want_len : 0))
        fail_msg("%02x %02x %02x %02x (%zu): U+%04X in %zu bytes, want U+%04X in %zu", bytes[0],
                 count > 1 ? bytes[1] : 0u, count > 2 ? bytes[2] : 0u, count > 3 ? bytes[3] : 0u,
                 count, cp, len, want_cp, want_len);
}

/* --- decoding --- */

static void test_all_of_one_and_two_bytes(void **state)
{
    (void)state;
    for (unsigned first = 0; first < 256; first++) {
        uint8_t bytes[2] = {(uint8_t)first, 0};
        check_decode(bytes, 1);
        for (unsigned second = 0; second < 256; second++) {
            bytes[1] = (uint8_t)second;
            check_decode(bytes, 2);
        }
    }
}

static const uint8_t edges[] = {0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F,
                                0xA0, 0xBF, 0xC0, 0xC2, 0xE0, 0xF4, 0xFF};

static void test_three_bytes(void **state)
{
    (void)state;
    for (unsigned code = 0; code < 65536; code++) {
        for (size_t i = 0; i < COUNT(edges); i++) {
            uint8_t bytes[3] = {(uint8_t)(code >> 8), (uint8_t)code, edges[i]};
            check_decode(bytes, 3);
        }
    }
}

static void test_four_bytes(void **state)
{
    (void)state;
    for (unsigned code = 0xE000; code < 65536; code++) {
        for (size_t i = 0; i < COUNT(edges) * COUNT(edges); i++) {
            uint8_t bytes[4] = {(uint8_t)(code >> 8), (uint8_t)code, edges[i / COUNT(edges)],
                                edges[i % COUNT(edges)]};
            check_decode(bytes, 4);
        }
    }
    uint64_t seed = 11;
    for (int i = 0; i < OFTEN(500000); i++) {
        uint64_t random = next_random(&seed);
        uint8_t bytes[4];
        memcpy(bytes, &random, sizeof bytes);
        bytes[0] |= (uint8_t)(random >> 40 & 0xF0);
        check_decode(bytes, 4);
    }
}

/* No byte after the text is read: the copy has no spare bytes. */
static void test_decode_at_the_end(void **state)
{
    (void)state;
    static const char *const cut[] = {"\xc3",         "\xe2\x82", "\xe2",
                                      "\xf0\x9f\x98", "\xf0\x9f", "\xf0"};
    for (size_t i = 0; i < COUNT(cut); i++) {
        size_t len = strlen(cut[i]);
        char *copy = malloc(len + 1);
        assert_non_null(copy);
        copy[0] = 'x';
        memcpy(copy + 1, cut[i], len);
        rc_str s = rc_str_make(copy, len + 1);
        size_t taken = 0;
        assert_int_equal(rc_utf8_decode(s, 1, &taken), RC_UTF8_REPLACEMENT);
        assert_int_equal(taken, len);
        assert_false(rc_utf8_is_valid(s));
        assert_int_equal(rc_utf8_valid_prefix(s), 1);
        assert_int_equal(rc_utf8_cut(s, len), 1);
        free(copy);
    }
}

/* The two examples of the standard: the number of replacements. */
static void test_standard_examples(void **state)
{
    (void)state;
    static const struct {
        rc_str text;
        const size_t lens[10];
    } cases[] = {
        {RC_STR_INIT("\xC0\xAF\xE0\x80\xBF\xF0\x81\x82\x41"), {1, 1, 1, 1, 1, 1, 1, 1, 1}},
        {RC_STR_INIT("\xED\xA0\x80\xED\xBF\xBF\xED\xAF\x41"), {1, 1, 1, 1, 1, 1, 1, 1, 1}},
        {RC_STR_INIT("\xF4\x91\x92\x93\xFF\x41\x80\xBF\x42"), {1, 1, 1, 1, 1, 1, 1, 1, 1}},
        {RC_STR_INIT("\xE1\x80\xE2\xF0\x91\x92\xF1\xBF\x41"), {2, 1, 3, 2, 1}},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t at = 0;
        for (size_t n = 0; at < cases[i].text.len; n++) {
            size_t len = 0;
            uint32_t cp = rc_utf8_decode(cases[i].text, at, &len);
            assert_int_equal(len, cases[i].lens[n]);
            unsigned char byte = (unsigned char)cases[i].text.ptr[at];
            assert_int_equal(cp, byte < 0x80 ? byte : RC_UTF8_REPLACEMENT);
            at += len;
        }
    }
}

/* --- encoding --- */

static void test_every_code_point(void **state)
{
    (void)state;
    for (uint32_t cp = 0; cp < 0x111000; cp++) {
        bool is_scalar = cp <= 0x10FFFF && !(cp >= 0xD800 && cp <= 0xDFFF);
        uint32_t want = is_scalar ? cp : RC_UTF8_REPLACEMENT;
        char bytes[4];
        size_t len = rc_utf8_encode(cp, bytes);
        uint32_t slow_cp = 0;
        bool is_ok = false;
        assert_int_equal(decode_slowly((const uint8_t *)bytes, len, &slow_cp, &is_ok), len);
        assert_true(is_ok && slow_cp == want);
        size_t taken = 0;
        assert_int_equal(rc_utf8_decode(rc_str_make(bytes, len), 0, &taken), want);
        assert_int_equal(taken, len);
        assert_true(rc_utf8_is_valid(rc_str_make(bytes, len)));
    }
    char bytes[4];
    assert_int_equal(rc_utf8_encode(UINT32_MAX, bytes), 3);
    assert_memory_equal(bytes, "\xEF\xBF\xBD", 3);
}

/* --- whole texts --- */

/* Writes a text of runs of ASCII longer than a machine word, characters of every length, and
 * ill-formed bytes if is_damaged. */
static size_t write_text(char *out, size_t size, uint64_t *seed, bool is_damaged)
{
    size_t len = 0;
    while (len + 24 < size && next_random(seed) % 12 != 0) {
        uint64_t kind = next_random(seed) % (is_damaged ? 4 : 3);
        if (kind == 0) {
            size_t run = next_random(seed) % 20;
            memset(out + len, 'a', run);
            len += run;
        } else if (kind < 3) {
            static const uint32_t below[4] = {0x80, 0x800, 0x10000, 0x110000};
            len += rc_utf8_encode((uint32_t)(next_random(seed) % below[next_random(seed) % 4]),
                                  out + len);
        } else {
            out[len++] = (char)(0x80 | (next_random(seed) & 0x7F));
        }
    }
    return len;
}

static void check_text(rc_str s)
{
    const uint8_t *p = (const uint8_t *)s.ptr;
    size_t valid = SIZE_MAX;
    size_t boundary = 0; /* the last character boundary that is not above `len` */
    size_t at = 0;
    for (size_t len = 0; len <= s.len; len++) {
        while (at < s.len && at <= len) {
            uint32_t cp;
            bool is_ok;
            size_t taken = decode_slowly(p + at, s.len - at, &cp, &is_ok);
            if (!is_ok && valid == SIZE_MAX)
                valid = at;
            boundary = at;
            at += taken;
        }
        if (at <= len)
            boundary = at;
        if (rc_utf8_cut(s, len) != boundary)
            fail_msg("cut at %zu of %zu: %zu, want %zu", len, s.len, rc_utf8_cut(s, len), boundary);
    }
    valid = valid == SIZE_MAX ? s.len : valid;
    assert_int_equal(rc_utf8_valid_prefix(s), valid);
    assert_int_equal(rc_utf8_is_valid(s), valid == s.len);
    assert_int_equal(rc_utf8_cut(s, s.len + 1), s.len);
    assert_int_equal(rc_utf8_cut(s, SIZE_MAX), s.len);
}

static void test_texts_against_reference(void **state)
{
    (void)state;
    uint64_t seed = 5;
    for (int round = 0; round < OFTEN(100000); round++) {
        char text[128];
        size_t len = write_text(text, sizeof text, &seed, round % 2 == 1);
        char *copy = malloc(len + 1);
        assert_non_null(copy);
        memcpy(copy + 1, text, len);
        check_text(rc_str_make(copy + 1, len));
        free(copy);
    }
}

static void test_damage_at_every_position(void **state)
{
    (void)state;
    char text[40];
    for (size_t len = 1; len <= sizeof text; len++) {
        for (size_t bad = 0; bad < len; bad++) {
            memset(text, 'a', sizeof text);
            text[bad] = '\x80';
            assert_int_equal(rc_utf8_valid_prefix(rc_str_make(text, len)), bad);
        }
    }
}

static void test_cut(void **state)
{
    (void)state;
    rc_str euro = RC_STR("a\xe2\x82\xac"
                         "b");
    static const size_t want[] = {0, 1, 1, 1, 4, 5, 5};
    for (size_t len = 0; len < COUNT(want); len++)
        assert_int_equal(rc_utf8_cut(euro, len), want[len]);
    /* Stray continuation bytes after a complete character do not belong to it. */
    assert_int_equal(rc_utf8_cut(RC_STR("a\x80\x80\x80\x80"), 3), 3);
    assert_int_equal(rc_utf8_cut(RC_STR("\xc3\xa9\x80"), 2), 2);
    assert_int_equal(rc_utf8_cut(RC_STR("\x80\x80\x80\x80\x80"), 2), 2);
    assert_int_equal(rc_utf8_cut(rc_str_make(NULL, 0), 5), 0);
}

static void test_empty(void **state)
{
    (void)state;
    assert_true(rc_utf8_is_valid(rc_str_make(NULL, 0)));
    assert_int_equal(rc_utf8_valid_prefix(rc_str_make(NULL, 0)), 0);
    assert_true(rc_utf8_is_valid(RC_STR("\0")));
    assert_true(rc_utf8_is_valid(RC_STR("\xEF\xBF\xBD"))); /* U+FFFD itself is well-formed */
}

static void test_without_bom(void **state)
{
    static const struct {
        const char *text, *rest;
    } CASES[] = {{"", ""},
                 {"\xEF\xBB\xBF", ""},
                 {"\xEF\xBB\xBF{}", "{}"},
                 {"\xEF\xBB\xBF\xEF\xBB\xBF", "\xEF\xBB\xBF"},
                 {"\xEF\xBB{}", "\xEF\xBB{}"},
                 {"\xBB\xBF{}", "\xBB\xBF{}"},
                 {" \xEF\xBB\xBF", " \xEF\xBB\xBF"}};
    (void)state;
    for (size_t i = 0; i < sizeof CASES / sizeof CASES[0]; i++)
        assert_true(
            rc_str_eq(rc_utf8_without_bom(rc_str_c(CASES[i].text)), rc_str_c(CASES[i].rest)));
}

static void test_width(void **state)
{
    (void)state;
    static const struct {
        uint32_t cp;
        unsigned width;
    } cases[] = {
        {0x00, 0},    {0x1F, 0},    {0x20, 1},    {0x7E, 1},    {0x7F, 0},    {0x9F, 0},
        {0xA0, 1},    {0xE9, 1},    {0x2FF, 1},   {0x300, 0},   {0x36F, 0},   {0x370, 1},
        {0x200B, 0},  {0x200D, 0},  {0x2028, 1},  {0xFE0F, 0},  {0xFEFF, 0},  {0xFFFD, 1},
        {0x10FF, 1},  {0x1100, 2},  {0x115F, 2},  {0x2E80, 2},  {0x3042, 2},  {0x303F, 1},
        {0x4E00, 2},  {0x9FFF, 2},  {0xAC00, 2},  {0xD7A3, 2},  {0xD7A4, 1},  {0xFF21, 2},
        {0xFF61, 1},  {0x1F600, 2}, {0x1F680, 2}, {0x20000, 2}, {0xE0100, 0}, {0x10FFFF, 1},
        {0x3FFFD, 2}, {0x3FFFE, 1}, {0xE01EF, 0}, {0xE01F0, 1}, {0x1F3FB, 0}, {UINT32_MAX, 1},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        unsigned width = rc_utf8_width(cases[i].cp);
        if (width != cases[i].width)
            fail_msg("U+%04X: width %u, want %u", cases[i].cp, width, cases[i].width);
    }
    for (uint32_t cp = 0x20; cp < 0x7F; cp++)
        assert_int_equal(rc_utf8_width(cp), 1);
}

static void test_unsafe(void **state)
{
    (void)state;
    static const uint32_t UNSAFE[] = {0,      '\n',   0x1B,    0x1F,    0x7F,   0x80,
                                      0x9B,   0x9F,   0x061C,  0x200B,  0x200E, 0x200F,
                                      0x2028, 0x2029, 0x202A,  0x202E,  0x2060, 0x2066,
                                      0x206F, 0xFEFF, 0xE0000, 0xE0041, 0xE007F};
    static const uint32_t SAFE[] = {' ',    '~',    0xA0,    0xAD,    0x061B,  0x061D,
                                    0x200C, 0x200D, 0x2010,  0x2027,  0x202F,  0x2070,
                                    0xFEFE, 0xFF00, 0x1F600, 0xDFFFF, 0xE1000, 0x10FFFF};
    for (size_t i = 0; i < sizeof UNSAFE / sizeof *UNSAFE; i++)
        assert_true(rc_utf8_is_unsafe(UNSAFE[i]));
    for (size_t i = 0; i < sizeof SAFE / sizeof *SAFE; i++)
        assert_false(rc_utf8_is_unsafe(SAFE[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_of_one_and_two_bytes),
        cmocka_unit_test(test_three_bytes),
        cmocka_unit_test(test_four_bytes),
        cmocka_unit_test(test_decode_at_the_end),
        cmocka_unit_test(test_standard_examples),
        cmocka_unit_test(test_every_code_point),
        cmocka_unit_test(test_texts_against_reference),
        cmocka_unit_test(test_damage_at_every_position),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_empty),
        cmocka_unit_test(test_without_bom),
        cmocka_unit_test(test_width),
        cmocka_unit_test(test_unsafe),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
