/* Tests of rc_json_walk: each kind of value, malformed and truncated texts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "json/walk.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void test_values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        const char *raw; /* expected raw value; NULL: the text is malformed or truncated */
        char first;
        size_t at; /* expected offset after the value */
    } rows[] = {
        {"\"a\"", "a", '"', 3},
        {" \t\r\n\"a\\\"b\" ,", "a\\\"b", '"', 10},
        {"\"\"", "", '"', 2},
        {"\"a", NULL, 0, 0},
        {"\"a\nb\"", NULL, 0, 0},
        {"{\"a\":[1,\"}\"]},", "{\"a\":[1,\"}\"]}", '{', 13},
        {"[1,[2]]", "[1,[2]]", '[', 7},
        {"[1,[2]", NULL, 0, 0},
        {"-1.5e+3}", "-1.5e+3", '-', 7},
        {"0", "0", '0', 1},
        {"null,", "null", 'n', 4},
        {"true", "true", 't', 4},
        {"false]", "false", 'f', 5},
        {"nul", NULL, 0, 0},
        {"truth", NULL, 0, 0},
        {"fals", NULL, 0, 0},
        {"nope", NULL, 0, 0},
        {"x", NULL, 0, 0},
        {",", NULL, 0, 0},
        {"", NULL, 0, 0},
        {"   ", NULL, 0, 0},
    };
    for (size_t i = 0; i < COUNT(rows); i++) {
        rc_json_walk w = rc_json_walk_begin(rc_str_c(rows[i].text));
        rc_json_raw_value value;
        bool is_good = rc_json_walk_value(&w, &value);
        assert_int_equal(is_good, rows[i].raw != NULL);
        if (!is_good)
            continue;
        assert_true(rc_str_eq(value.raw, rc_str_c(rows[i].raw)));
        assert_int_equal(value.first, rows[i].first);
        assert_int_equal(w.at, rows[i].at);
    }
}

static void test_members(void **state)
{
    (void)state;
    rc_json_walk w = rc_json_walk_begin(rc_str_c(" { \"a\" : 1 , \"b\":\"x\"}"));
    rc_str key;
    rc_json_raw_value value;
    assert_false(rc_json_walk_byte(&w, '['));
    assert_true(rc_json_walk_byte(&w, '{'));
    assert_true(rc_json_walk_key(&w, &key) && rc_str_eq(key, RC_STR("a")));
    assert_true(rc_json_walk_value(&w, &value) && value.first == '1');
    assert_true(rc_json_walk_byte(&w, ','));
    assert_true(rc_json_walk_key(&w, &key) && rc_str_eq(key, RC_STR("b")));
    assert_true(rc_json_walk_value(&w, &value) && rc_str_eq(value.raw, RC_STR("x")));
    assert_true(rc_json_walk_byte(&w, '}'));
    assert_int_equal(rc_json_walk_peek(&w), '\0');

    static const char *const damaged[] = {"a:1", "\"a\" 1", "\"a", "\"a\"", "", "1:1"};
    for (size_t i = 0; i < COUNT(damaged); i++) {
        w = rc_json_walk_begin(rc_str_c(damaged[i]));
        assert_false(rc_json_walk_key(&w, &key));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_members),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
