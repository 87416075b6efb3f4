/* Tests of rc_nearest: the suggestion for a misspelt name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/nearest.h"
#include "base/str.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *name_at(const void *ctx, size_t index)
{
    static const char *const names[] = {"format",       "color",   "colour",
                                        "max_attempts", "timeout", "timeout_ms"};
    (void)ctx;
    return index < COUNT(names) ? names[index] : NULL;
}

static const struct {
    const char *text;
    const char *nearest;
} cases[] = {
    {"fromat", "format"},
    {"FORMAT", "format"},
    {"colur", "color"},
    {"colours", "colour"},
    {"max", "max_attempts"}, /* the text is a prefix of the name */
    {"time", "timeout"},
    {"timeout_m", "timeout_ms"},
    {"ma", NULL}, /* the text is too short to be compared as a prefix */
    {"", NULL},
    {"zebra", NULL},
    {"max_atempst", "max_attempts"},
};

static void a_misspelt_name_has_a_nearest_one(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *nearest = rc_nearest(rc_str_c(cases[i].text), name_at, NULL);
        if (!rc_str_eq(rc_str_c(nearest), rc_str_c(cases[i].nearest)))
            fail_msg("\"%s\": %s", cases[i].text, nearest != NULL ? nearest : "none");
    }
}

static void a_message_ends_with_the_suggestion(void **state)
{
    (void)state;
    char scratch[64];
    rc_buf buf;
    rc_buf_init_fixed(&buf, scratch, sizeof(scratch));
    assert_int_equal(rc_nearest_push(&buf, "--", NULL), RC_OK);
    assert_int_equal(rc_nearest_push(&buf, "--", ""), RC_OK);
    assert_int_equal(rc_buf_get(&buf).len, 0);
    assert_int_equal(rc_nearest_push(&buf, "--", "format"), RC_OK);
    assert_true(rc_str_eq(rc_buf_get(&buf), RC_STR("; did you mean --format?")));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_misspelt_name_has_a_nearest_one),
        cmocka_unit_test(a_message_ends_with_the_suggestion),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
