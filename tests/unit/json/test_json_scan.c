/* Tests of rc_json_scan: every level that this processor supports, compared with a definition byte
 * by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/json_tokens.h"
#include "support/often.h"
#include "json/scan.h"

static size_t plain_special(rc_str text, size_t at, bool *has_high)
{
    for (; at < text.len; at++) {
        unsigned char c = (unsigned char)text.ptr[at];
        if (c == '"' || c == '\\' || c < 0x20)
            break;
        *has_high |= c > 0x7F;
    }
    return at;
}

static size_t plain_unclean(rc_str text, size_t at)
{
    for (; at < text.len; at++) {
        unsigned char c = (unsigned char)text.ptr[at];
        if (c == '"' || c == '\\' || c < 0x20 || c > 0x7E)
            break;
    }
    return at;
}

/* Returns whether an odd number of backslashes precedes the byte at i; bytes before `from` are
 * ignored. */
static bool is_escaped(rc_str text, size_t from, size_t i)
{
    size_t n = 0;
    while (i - n > from && text.ptr[i - n - 1] == '\\')
        n++;
    return n % 2 == 1;
}

static size_t plain_string_end(rc_str text, size_t at)
{
    for (size_t i = at; i < text.len; i++) {
        if (text.ptr[i] == '"' && !is_escaped(text, at, i))
            return i;
    }
    return text.len;
}

static size_t plain_container_end(rc_str text, size_t at)
{
    size_t depth = 1;
    bool in_string = false;
    for (size_t i = at; i < text.len; i++) {
        char c = text.ptr[i];
        if (c == '"' && !is_escaped(text, at, i))
            in_string = !in_string;
        if (in_string)
            continue;
        depth += c == '{' || c == '[';
        depth -= c == '}' || c == ']';
        if (depth == 0)
            return i + 1;
    }
    return RC_JSON_SCAN_NONE;
}

static void check_text(const char *bytes, size_t len, size_t at)
{
    char *copy = json_exact_copy(bytes, len);
    rc_str text = rc_str_make(copy, len);
    bool want_high = false;
    size_t special = plain_special(text, at, &want_high);
    for (int level = 0; level < RC_JSON_SCAN_LEVEL_COUNT; level++) {
        const rc_json_scan *scan = rc_json_scan_get((rc_json_scan_level)level);
        if (!scan)
            continue;
        bool has_high = false;
        assert_int_equal(scan->special(text, at, &has_high), special);
        assert_int_equal(has_high, want_high);
        assert_int_equal(scan->unclean(text, at), plain_unclean(text, at));
        assert_int_equal(scan->string_end(text, at), plain_string_end(text, at));
        assert_int_equal(scan->container_end(text, at), plain_container_end(text, at));
    }
    bool has_high = false;
    assert_int_equal(rc_json_scan_special(text, at, &has_high), special);
    assert_int_equal(has_high, want_high);
    free(copy);
}

static void test_levels(void **state)
{
    (void)state;
    assert_non_null(rc_json_scan_get(RC_JSON_SCAN_PORTABLE));
#if defined(__x86_64__)
    assert_non_null(rc_json_scan_get(RC_JSON_SCAN_SSE2));
#endif
    assert_null(rc_json_scan_get(RC_JSON_SCAN_LEVEL_COUNT));
    bool is_listed = false;
    for (int level = 0; level < RC_JSON_SCAN_LEVEL_COUNT; level++)
        is_listed |= rc_json_scan_get((rc_json_scan_level)level) == rc_json_scan_best();
    assert_true(is_listed);
}

/* Tests each byte value at each position of a text of letters. */
static void test_every_byte_at_every_position(void **state)
{
    (void)state;
    char bytes[150];
    for (size_t len = 1; len <= sizeof bytes; len += len < 20 ? 1 : 13) {
        for (unsigned value = 0; value < 256; value++) {
            for (size_t i = 0; i < len; i += 1 + len / 40) {
                memset(bytes, 'a', len);
                bytes[i] = (char)value;
                check_text(bytes, len, 0);
            }
        }
    }
}

/* Runs of backslashes of every length before a quote, across the end of a block. */
static void test_backslash_runs(void **state)
{
    (void)state;
    char bytes[300];
    for (size_t from = 40; from < 70; from++) {
        for (size_t run = 0; run < 140; run++) {
            memset(bytes, 'x', sizeof bytes);
            memset(bytes + from, '\\', run);
            bytes[from + run] = '"';
            bytes[from + run + 1] = ']';
            check_text(bytes, sizeof bytes, 0);
            check_text(bytes, from + run + 2, 0);
            check_text(bytes, from + run + 2, 3);
        }
    }
}

/* A closing bracket is found at every position of its block and at every length of the text. */
static void test_container_at_every_length(void **state)
{
    (void)state;
    char bytes[260];
    for (size_t len = 0; len < sizeof bytes; len++) {
        memset(bytes, ' ', sizeof bytes);
        for (size_t i = 0; i + 2 < len; i += 2)
            memcpy(bytes + i, i % 4 ? "]," : "[ ", 2);
        check_text(bytes, len, 0);
        if (len > 0) {
            bytes[len - 1] = '}';
            check_text(bytes, len, 0);
            check_text(bytes, len, len / 2);
        }
    }
}

static void test_deep_nesting(void **state)
{
    (void)state;
    enum {
        DEPTH = 100000
    };
    char *bytes = malloc(2 * DEPTH);
    assert_non_null(bytes);
    memset(bytes, '[', DEPTH);
    memset(bytes + DEPTH, ']', DEPTH);
    check_text(bytes, 2 * DEPTH, 1);
    check_text(bytes, 2 * DEPTH - 1, 1);
    free(bytes);
}

static void test_random_texts(void **state)
{
    (void)state;
    static const char ALPHABET[] = "\"\"\"\\\\{}[],: a\n\x7F\x80\xFFz";
    uint64_t seed = 7;
    char bytes[400];
    for (int i = 0; i < OFTEN(60000); i++) {
        size_t len = json_random(&seed, sizeof bytes);
        uint32_t plain = json_random(&seed, 20); /* number of letters in twenty bytes, on average */
        for (size_t k = 0; k < len; k++) {
            bool is_letter = json_random(&seed, 20) < plain;
            bytes[k] = is_letter ? 'q' : ALPHABET[json_random(&seed, sizeof ALPHABET - 1)];
        }
        check_text(bytes, len, json_random(&seed, (uint32_t)len + 1));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_levels),         cmocka_unit_test(test_every_byte_at_every_position),
        cmocka_unit_test(test_backslash_runs), cmocka_unit_test(test_container_at_every_length),
        cmocka_unit_test(test_deep_nesting),   cmocka_unit_test(test_random_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
