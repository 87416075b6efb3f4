/* Tests of the scrubber's output: valid, limited in length, and either whole or cut so that its
 * parts are not read differently; and of failures for lack of space. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/buf.h>

#include "base/str.h"
#include "base/utf8.h"
#include "scrub/scrub.h"
#include "support/fail_alloc.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define MAX_BYTES_LEAST 64u

/* Scrubs into exactly max_bytes at `memory`. */
static rc_str scrub(rc_str text, size_t max_bytes, char *memory)
{
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, max_bytes);
    assert_int_equal(rc_scrub(text, max_bytes, &buf), RC_OK);
    return rc_buf_get(&buf);
}

/* Scrubs into `memory` and checks the guarantees of every output. Returns the output. */
static rc_str scrub_checked(rc_str text, size_t max_bytes, char *memory)
{
    rc_str once = scrub(text, max_bytes, memory);
    assert_true(once.len <= max_bytes);
    assert_true(rc_utf8_is_valid(once));
    assert_true(rc_str_find_byte(once, '\0', 0) == RC_STR_NPOS);
    char *again = malloc(max_bytes);
    assert_non_null(again);
    rc_str twice = scrub(once, max_bytes, again);
    if (!rc_str_eq(once, twice))
        fail_msg("at %zu: %.*s became %.*s", max_bytes, (int)once.len, once.ptr, (int)twice.len,
                 twice.ptr);
    free(again);
    return once;
}

static void test_broken_bytes_become_replacements(void **unused)
{
    (void)unused;
    static const struct {
        const char *text;
        size_t len;
        const char *expected;
    } EXAMPLES[] = {
        {"a\0b", 3,
         "a\xEF\xBF\xBD"
         "b"},
        {"\xFF\xFE", 2, "\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\xE2\x80", 2, "\xEF\xBF\xBD"},
        {"\xE2\x80z\xED\xA0\x80", 6, "\xEF\xBF\xBDz\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\xC0\xAF", 2, "\xEF\xBF\xBD\xEF\xBF\xBD"},
        {"\xEF\xBF\xBD", 3, "\xEF\xBF\xBD"},
        {"\xF0\x9F\x98\x80\xC3\xA9", 6, "\xF0\x9F\x98\x80\xC3\xA9"},
        {"password=\xFF\0x y", 14, "password=[redacted] y"},
        {"\x01\x1b[0m\x7F", 6, "\x01\x1b[0m\x7F"},
    };
    for (size_t i = 0; i < COUNT(EXAMPLES); i++) {
        char memory[256];
        rc_str out = scrub_checked(rc_str_make(EXAMPLES[i].text, EXAMPLES[i].len), 256, memory);
        assert_int_equal(out.len, strlen(EXAMPLES[i].expected));
        assert_memory_equal(out.ptr, EXAMPLES[i].expected, out.len);
    }
}

static void test_a_cut_text_names_the_omitted_bytes(void **unused)
{
    (void)unused;
    char text[1000];
    char memory[100];
    memset(text, 'x', sizeof text);
    rc_str out = scrub_checked(rc_str_make(text, 100), 100, memory);
    assert_int_equal(out.len, 100); /* the text fits and is unchanged */
    out = scrub_checked(rc_str_make(text, 101), 100, memory);
    assert_true(rc_str_ends_with(out, RC_STR("xxx\xE2\x80\xA6 [+17 bytes]")));
    assert_int_equal(out.len, 101 - 17 + 15);
    out = scrub_checked(rc_str_make(text, sizeof text), 64, memory);
    assert_true(rc_str_ends_with(out, RC_STR("xxx\xE2\x80\xA6 [+953 bytes]")));

    /* No character is split, and the note has the number of bytes of the input. */
    for (size_t i = 0; i + 3 <= sizeof text; i += 3)
        memcpy(text + i, "\xE5\xAF\x86", 3);
    out = scrub_checked(rc_str_make(text, 999), 64, memory);
    assert_true(rc_str_ends_with(out, RC_STR("\xE5\xAF\x86\xE2\x80\xA6 [+951 bytes]")));
    memset(text, 0xFF, sizeof text);
    out = scrub_checked(rc_str_make(text, sizeof text), 64, memory);
    assert_true(rc_str_ends_with(out, RC_STR("\xEF\xBF\xBD\xE2\x80\xA6 [+985 bytes]")));
}

/* No part of this text may be in the output. */
#define SECRET "Zq7hunter2Zq7hunter2"

static const char *const TEXTS[] = {
    "Authorization: Bearer " SECRET " was refused for model gpt-4o",
    "Authorization: Basic " SECRET "\r\nHost: example.com",
    "Authorization: " SECRET " and more\nHost: x",
    "Authorization: missing, or AWS4-HMAC-SHA256 Credential=" SECRET ", Signature=" SECRET,
    "Cookie: sid=" SECRET "; theme=\"" SECRET "\"\nHost: x",
    "{\"api_key\": \"" SECRET "\", \"model\": \"gpt-4o\", \"password\": \"\"}",
    "{\\\"api_key\\\": \\\"" SECRET "\\\", \\\"model\\\": \\\"gpt-4o\\\"}",
    "{'x-api-key': b'" SECRET "', 'token': 'Hello world', 'n': 1}",
    "\"api_keys\": [\"" SECRET "\", null, b'" SECRET "', \"\"], \"model\": \"gpt-4o\"",
    "%22api_key%22%3A%22" SECRET "%22%2C%22model%22%3A%22gpt-4o%22",
    "&quot;api_key&quot;:&quot;" SECRET "&quot;,&quot;model&quot;:&quot;gpt-4o&quot;",
    "password=" SECRET " user=bob password: invalid, secret: none, token: inv",
    "<password>" SECRET "</password><model>gpt-4o</model> &lt;password&gt;&lt;",
    "https://user:" SECRET "@host/path?key=" SECRET "&model=gpt-4o#x",
    "https%3A%2F%2Fuser:" SECRET "%40host%2Fpath password://x api_key:/x",
    "sk-proj-" SECRET " and \\nsk-ant-" SECRET "\\u0022 and eyJhbGciOiJIUzI1NiJ9.eyJ" SECRET ".x",
    "-----BEGIN PRIVATE KEY-----\n" SECRET SECRET "\n-----END PRIVATE KEY-----\nok",
    "-----BEGIN PRIVATE KEY----- expected, api_key=SecretStr('" SECRET "')",
    "Bearer token, Basic auth, Bearer " SECRET ", Bearer error=\"x\", --password " SECRET,
    "\\\\\\\\\\\\\"api_key\\\\\\\\\\\\\": \\\\\\\\\\\\\"" SECRET "\\\\\\\\\\\\\" \x1b[31mok\x1b[0m",
    "X-Api-Key:\r\n " SECRET "\r\nAuthorization: Bearer " SECRET "\r\n " SECRET "\r\nok",
    ("api_key: ${OPENAI_API_KEY} password: *** secret: \"...\" api_key: " SECRET),
};

/* Wherever the text is cut, the guarantees hold: a filler before the text moves the cut through the
 * whole text. */
static void test_no_cut_shows_a_secret_or_is_read_differently(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < COUNT(TEXTS); i++) {
        char text[1024];
        char memory[256];
        size_t len = strlen(TEXTS[i]);
        for (size_t max_bytes = MAX_BYTES_LEAST; max_bytes < 256; max_bytes++) {
            int written = snprintf(text, sizeof text, "%s %s %s", TEXTS[i], TEXTS[i], TEXTS[i]);
            rc_str whole = rc_str_make(text, (size_t)written);
            rc_str out = scrub_checked(whole, max_bytes, memory);
            if (rc_str_find(out, RC_STR("hunter"), 0) != RC_STR_NPOS)
                fail_msg("at %zu: %.*s", max_bytes, (int)out.len, out.ptr);
            rc_str tail = rc_str_slice(whole, max_bytes % len, whole.len);
            out = scrub_checked(tail, max_bytes, memory);
            assert_true(out.len <= max_bytes);
        }
    }
}

static void test_many_edits(void **unused)
{
    (void)unused;
    char text[4096];
    char expected[4096];
    char memory[4096];
    size_t len = 0;
    size_t expected_len = 0;
    for (int i = 0; i < 100; i++) {
        len += (size_t)snprintf(text + len, sizeof text - len, "%d password=hunter%d; ", i, i);
        expected_len += (size_t)snprintf(expected + expected_len, sizeof expected - expected_len,
                                         "%d password=[redacted]; ", i);
    }
    rc_str out = scrub_checked(rc_str_make(text, len), sizeof memory, memory);
    assert_true(rc_str_eq(out, rc_str_make(expected, expected_len)));
}

/* Repetitions for which a naive search would take quadratic time. The test checks no time: if a
 * search is too slow, the test times out. */
static void test_long_repetitions(void **unused)
{
    (void)unused;
    static const char *const UNITS[] = {
        "sk-",
        "{\"key\":",
        "eyJ.",
        "://",
        "://a:b",
        "\"",
        "\\",
        "api_key=",
        "\"api_key\":\"",
        "a-",
        "authorization: ",
        "Bearer ",
        "%",
        "%22",
        "&quot;",
        "\xFF",
        "password:\\",
        "x-api-key: [",
        "<password>",
        "hvs.",
        "-----BEGIN PRIVATE KEY-----A: ",
        "Cookie: a=\"",
        "[redacted]",
        "\xE2\x80\xA6",
    };
    const size_t size = 512u * 1024u;
    char *text = malloc(size);
    char *memory = malloc(4 * size);
    assert_non_null(text);
    assert_non_null(memory);
    for (size_t i = 0; i < COUNT(UNITS); i++) {
        size_t unit = strlen(UNITS[i]);
        size_t len = 0;
        for (; len + unit <= size; len += unit)
            memcpy(text + len, UNITS[i], unit);
        scrub_checked(rc_str_make(text, len), 4 * size, memory);
        scrub_checked(rc_str_make(text, len), 1000, memory);
    }
    free(text);
    free(memory);
}

static void test_too_small_a_limit_is_rejected(void **unused)
{
    (void)unused;
    char memory[256];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    assert_int_equal(rc_scrub(RC_STR("x"), MAX_BYTES_LEAST - 1, &buf), RC_E_ARGUMENT);
    assert_int_equal(rc_buf_get(&buf).len, 0);
    assert_int_equal(rc_buf_status(&buf), RC_OK);
    assert_int_equal(rc_scrub(RC_STR("x"), MAX_BYTES_LEAST, &buf), RC_OK);
    assert_int_equal(rc_buf_get(&buf).len, 1);
}

static void test_all_or_nothing_is_appended(void **unused)
{
    (void)unused;
    static const rc_str text = RC_STR_INIT("user=bob password=x and more");
    static const rc_str clean = RC_STR_INIT("user=bob password=[redacted] and more");
    char memory[64];
    for (size_t size = 0; size <= sizeof memory; size++) {
        rc_buf buf;
        rc_buf_init_fixed(&buf, memory, size);
        if (size >= 2)
            assert_int_equal(rc_buf_push(&buf, RC_STR("> ")), RC_OK);
        size_t before = rc_buf_get(&buf).len;
        bool fits = size >= before + clean.len;
        assert_int_equal(rc_scrub(text, 1000, &buf), fits ? RC_OK : RC_E_TOO_LARGE);
        assert_int_equal(rc_buf_get(&buf).len, before + (fits ? clean.len : 0));
        if (fits)
            assert_memory_equal(rc_buf_get(&buf).ptr + before, clean.ptr, clean.len);
    }
}

static void test_a_failed_buffer_stays_failed(void **unused)
{
    (void)unused;
    static const rc_str TEXT_OF[] = {RC_STR_INIT(""), RC_STR_INIT("plain"),
                                     RC_STR_INIT("password=x")};
    for (size_t i = 0; i < COUNT(TEXT_OF); i++) {
        rc_buf buf;
        char memory[1];
        rc_buf_init_fixed(&buf, memory, 1);
        assert_int_equal(rc_buf_push(&buf, RC_STR("too long")), RC_E_TOO_LARGE);
        assert_int_equal(rc_scrub(TEXT_OF[i], 1000, &buf), RC_E_TOO_LARGE);
        assert_int_equal(rc_scrub_paths(TEXT_OF[i], &buf), RC_E_TOO_LARGE);
    }
}

static void test_out_of_memory(void **unused)
{
    (void)unused;
    static const rc_str TEXT_OF[] = {RC_STR_INIT("plain"), RC_STR_INIT("password=x \xFF"),
                                     RC_STR_INIT("open /srv/bob/x")};
    for (size_t i = 0; i < COUNT(TEXT_OF); i++) {
        fail_alloc memory = {.fail_at = 1, .for_good = true};
        rc_alloc alloc = fail_alloc_of(&memory);
        rc_buf buf;
        rc_buf_init(&buf, &alloc, 1000);
        assert_int_equal(rc_scrub(TEXT_OF[i], 1000, &buf), RC_E_NOMEM);
        assert_int_equal(rc_buf_get(&buf).len, 0);
        rc_buf_done(&buf);
        rc_buf_init(&buf, &alloc, 1000);
        assert_int_equal(rc_scrub_paths(TEXT_OF[i], &buf), RC_E_NOMEM);
        rc_buf_done(&buf);
        memory.fail_at = 0;
        rc_buf_init(&buf, &alloc, 1000);
        assert_int_equal(rc_scrub(TEXT_OF[i], 1000, &buf), RC_OK);
        rc_buf_done(&buf);
        assert_int_equal(memory.live, 0);
        assert_false(memory.is_broken);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_broken_bytes_become_replacements),
        cmocka_unit_test(test_a_cut_text_names_the_omitted_bytes),
        cmocka_unit_test(test_no_cut_shows_a_secret_or_is_read_differently),
        cmocka_unit_test(test_many_edits),
        cmocka_unit_test(test_long_repetitions),
        cmocka_unit_test(test_too_small_a_limit_is_rejected),
        cmocka_unit_test(test_all_or_nothing_is_appended),
        cmocka_unit_test(test_a_failed_buffer_stays_failed),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
