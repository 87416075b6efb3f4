/* Tests of requests that a client repeats after a final error. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/str.h"
#include "gateway/state/repeats.h"

#define NOW UINT64_C(1000000)
#define NOW_UNIX INT64_C(1800000000000)

static rc_repeats repeats;

static int set_up(void **state)
{
    static const uint8_t key[16] = "0123456789abcde";
    (void)state;
    return rc_repeats_init(&repeats, key) ? 0 : 1;
}

static int tear_down(void **state)
{
    (void)state;
    rc_repeats_done(&repeats);
    return 0;
}

static uint64_t hash_of(const char *a, const char *b)
{
    const rc_str parts[] = {rc_str_c(a), rc_str_c(b)};
    return rc_repeats_hash(&repeats, parts, 2);
}

static bool check_as(const char *name, uint64_t hash, uint64_t now_ms)
{
    const rc_repeats_caller caller = {.name = rc_str_c(name)};
    return rc_repeats_check(&repeats, hash, &caller, now_ms, NOW_UNIX);
}

static void a_repeated_request_is_counted(void **state)
{
    rc_repeats_client list[RC_REPEATS_NAMES];
    (void)state;
    const uint64_t hash = hash_of("app", "{\"model\":\"m\"}");
    assert_false(rc_repeats_is_armed(&repeats, NOW));
    assert_false(check_as("app", hash, NOW));
    rc_repeats_add(&repeats, hash, RC_CODE_AUTH_FAILED, NOW);
    assert_true(rc_repeats_is_armed(&repeats, NOW));
    assert_true(check_as("app", hash, NOW + 10));
    assert_true(check_as("app", hash, NOW + RC_REPEATS_WINDOW_MS - 1));
    assert_false(check_as("app", hash, NOW + RC_REPEATS_WINDOW_MS));
    assert_false(rc_repeats_is_armed(&repeats, NOW + RC_REPEATS_WINDOW_MS));
    assert_false(check_as("app", hash_of("app", "{\"model\":\"n\"}"), NOW));
    assert_int_equal(rc_repeats_list(&repeats, list), 1);
    assert_int_equal(list[0].count, 2);
    assert_int_equal(list[0].code, RC_CODE_AUTH_FAILED);
    assert_int_equal(list[0].last_unix_ms, NOW_UNIX);
    assert_memory_equal(list[0].name, "app", list[0].len);
}

/* The hash depends on the boundaries between parts and on the key. */
static void hashes_depend_on_parts_and_key(void **state)
{
    static const uint8_t other[16] = "another key here";
    rc_repeats second;
    (void)state;
    assert_true(hash_of("ab", "c") != hash_of("a", "bc"));
    assert_true(hash_of("", "abcdefgh") != hash_of("abcdefgh", ""));
    assert_true(hash_of("a", "12345678") != hash_of("a", "123456789"));
    assert_true(rc_repeats_init(&second, other));
    const rc_str part = RC_STR("body");
    assert_true(rc_repeats_hash(&second, &part, 1) != rc_repeats_hash(&repeats, &part, 1));
    rc_repeats_done(&second);
}

/* The memory is limited, however many requests and names arrive. */
static void entries_and_names_are_bounded(void **state)
{
    rc_repeats_client list[RC_REPEATS_NAMES];
    (void)state;
    for (unsigned i = 0; i < 10000; i++) {
        char name[32];
        snprintf(name, sizeof name, "client-%u", i);
        const uint64_t hash = hash_of(name, "body");
        rc_repeats_add(&repeats, hash, RC_CODE_INVALID_REQUEST, NOW + i);
        assert_true(check_as(name, hash, NOW + i));
    }
    assert_int_equal(rc_repeats_list(&repeats, list), RC_REPEATS_NAMES);
    assert_memory_equal(list[0].name, "other", 5);
    assert_int_equal(list[0].count, 10000 - (RC_REPEATS_NAMES - 1));
}

static void products_are_plain_words(void **state)
{
    static const struct {
        const char *agent;
        const char *product;
    } rows[] = {
        {"langchain-google-genai/2.1 (linux)", "langchain-google-genai"},
        {"OpenAI/Python 3.51", "OpenAI"},
        {"curl", "curl"},
        {"python requests", "python"},
        {"", ""},
        {"<script>", ""},
        {"a\"b/1", ""},
        {"sk-proj-Planted0Key0As0A0Product01", ""},
        {"a-name-that-is-longer-than-thirty-two-bytes/1", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const rc_str product = rc_repeats_product(rc_str_c(rows[i].agent));
        print_message("%s\n", rows[i].agent);
        assert_int_equal(product.len, strlen(rows[i].product));
        assert_memory_equal(product.len > 0 ? product.ptr : "", rows[i].product, product.len);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_repeated_request_is_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(hashes_depend_on_parts_and_key, set_up, tear_down),
        cmocka_unit_test_setup_teardown(entries_and_names_are_bounded, set_up, tear_down),
        cmocka_unit_test_setup_teardown(products_are_plain_words, set_up, tear_down),
    };
    return cmocka_run_group_tests_name("repeats", tests, NULL, NULL);
}
