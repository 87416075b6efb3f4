/* Tests of rc_vec16_is_simple, compared with a check byte by byte. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/str.h"
#include "base/vec16.h"

static bool is_simple(const char *p, size_t len, char except)
{
    for (size_t i = 0; i < len; i++) {
        bool is_sign = p[i] != '\0' && strchr("-./:_", p[i]) != NULL;
        if ((!rc_ascii_is_alnum(p[i]) && !is_sign) || (except != '\0' && p[i] == except))
            return false;
    }
    return true;
}

/* Tests every byte at every position of texts of up to three blocks. Each text has a separate
 * allocation, so that a sanitizer detects reads outside it. */
static void simple_text_is_recognised(void **state)
{
    (void)state;
    for (size_t len = 0; len <= 3 * RC_VEC16_BYTES + 1; len++) {
        char *text = malloc(len + 1);
        assert_non_null(text);
        memset(text, 'a', len);
        assert_true(rc_vec16_is_simple(text, len, '\0'));
        for (size_t at = 0; at < len; at++) {
            for (int c = 0; c < 256; c++) {
                text[at] = (char)c;
                assert_int_equal(rc_vec16_is_simple(text, len, '\0'), is_simple(text, len, '\0'));
                assert_int_equal(rc_vec16_is_simple(text, len, ':'), is_simple(text, len, ':'));
            }
            text[at] = 'a';
        }
        free(text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simple_text_is_recognised),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
