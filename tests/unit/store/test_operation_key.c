/* Tests of the text form of operation keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <recourse/id.h>

#include "store/operation_key.h"
#include "store/sqlite/private.h"

static void test_text_and_key_convert_both_ways(void **state)
{
    (void)state;
    static const int64_t keys[] = {
        0, 1, 32767, 32768, INT64_C(1700000000000) << 15 | 12345, INT64_MAX,
    };
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        char space[RC_OPERATION_KEY_TEXT_LEN];
        rc_buf text;
        int64_t key = -1;
        rc_buf_init_fixed(&text, space, sizeof(space));
        rc_operation_key_push(&text, keys[i]);
        assert_int_equal(rc_buf_get(&text).len, RC_OPERATION_KEY_TEXT_LEN);
        assert_true(rc_operation_key_parse(rc_buf_get(&text), &key));
        assert_int_equal(key, keys[i]);
    }
}

/* The text consists of letters of the operation's id. */
static void test_the_text_is_part_of_the_id(void **state)
{
    (void)state;
    static const uint8_t entropy[10] = {9, 8, 7, 6, 5, 4, 3, 2, 1, 0};
    rc_id_maker maker = {0};
    const rc_id id = rc_id_make(&maker, INT64_C(1700000000000), entropy);
    char space[RC_OPERATION_KEY_TEXT_LEN + 1] = {0};
    rc_buf text;
    int64_t key = 0;
    assert_true(rc_sqlite_key(rc_str_c(id.text), &key));
    rc_buf_init_fixed(&text, space, RC_OPERATION_KEY_TEXT_LEN);
    rc_operation_key_push(&text, key);
    assert_memory_equal(space, id.text + 4, 10);
    assert_memory_equal(space + 11, id.text + RC_ID_LEN - 3, 3);
}

static void test_other_texts_are_refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "",
        "01KE8V3Q5W",
        "01KE8V3Q5W8ST",
        "01KE8V3Q5W_8ST",
        "01KE8V3Q5W-8S",
        "01KE8V3Q5W-8STT",
        "81KE8V3Q5W-8ST",
        "01KE8V3Q5U-8ST",
        "01KE8V3Q5W-8S!",
        "-01KE8V3Q5W8ST",
    };
    int64_t key = 42;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(rc_operation_key_parse(rc_str_c(wrong[i]), &key));
    assert_int_equal(key, 42);
    assert_true(rc_operation_key_parse(RC_STR("01ke8v3q5w-8st"), &key));
}

static void test_a_prefix_is_a_range_of_keys(void **state)
{
    (void)state;
    int64_t first = 0;
    int64_t last = 0;
    int64_t key = 0;
    assert_true(rc_operation_key_parse(RC_STR("01KE8V3Q5W-000"), &key));
    /* The text contains the whole time, so the range is one millisecond. */
    assert_true(rc_operation_key_range(RC_STR("rep_01KE8V3Q5W9D"), &first, &last));
    assert_int_equal(first, key);
    assert_int_equal(last, key + 32767);
    assert_true(rc_operation_key_range(RC_STR("req_01KE8V3Q5W9D"), &first, &last));
    assert_int_equal(first, key);
    assert_true(rc_operation_key_range(RC_STR("01ke8v3q5"), &first, &last));
    assert_int_equal(last - first, (INT64_C(1) << 20) - 1);
    assert_true(first <= key && key <= last);
    assert_true(rc_operation_key_range(RC_STR("0"), &first, &last));
    assert_int_equal(first, 0);
    assert_true(rc_operation_key_range(RC_STR("7"), &first, &last));
    assert_int_equal(last, INT64_MAX);
    static const char *const wrong[] = {
        "", "rep_", "8", "rep_01KE8V3Q5W9D0YJ7M2N4P6R8STX", "01U", "rep_01KE8V3Q5W9*", "x y",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
        assert_false(rc_operation_key_range(rc_str_c(wrong[i]), &first, &last));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_and_key_convert_both_ways),
        cmocka_unit_test(test_the_text_is_part_of_the_id),
        cmocka_unit_test(test_other_texts_are_refused),
        cmocka_unit_test(test_a_prefix_is_a_range_of_keys),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
