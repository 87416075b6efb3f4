/* Texts that once passed the scrubber, or that it once altered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <recourse/buf.h>

#include "core/scrub.h"

#define OUT_MAX 4096u
#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct example {
    const char *text;
    const char *expected; /* NULL: as it is */
} example;

static void check(const example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *expected = examples[i].expected ? examples[i].expected : examples[i].text;
        char memory[2][OUT_MAX];
        rc_str text = rc_str_c(examples[i].text);
        for (int turn = 0; turn < 2; turn++) {
            rc_buf buf;
            rc_buf_init_fixed(&buf, memory[turn], OUT_MAX);
            assert_int_equal(rc_scrub(text, OUT_MAX, &buf), RC_OK);
            text = rc_buf_get(&buf);
            if (!rc_str_eq(text, rc_str_c(expected)))
                fail_msg("turn %d: %s became %.*s", turn, examples[i].text, (int)text.len,
                         text.ptr);
        }
    }
}

static void test_cookies_that_begin_with_a_word(void **unused)
{
    (void)unused;
    static const example EXAMPLES[] = {
        {"Cookie: a=1; sessionid=abcdef0123456789abcdef0123456789", "Cookie: [redacted]"},
        {"Cookie: value=abcdef0123456789", "Cookie: [redacted]"},
        {"Cookie: flag=1; sessionid=abcdef0123456789", "Cookie: [redacted]"},
        {"Set-Cookie: error=abcdef0123456789abcdef; HttpOnly", "Set-Cookie: [redacted]"},
        {"{\"Cookie\":\"a=abcdef0123456789; b=c\"}", "{\"Cookie\":\"[redacted]\"}"},
        {"cookie=a=1; s=abcdef0123456789", "cookie=[redacted]"},
        {"Cookie: none", NULL},
        {"Cookie: missing.", NULL},
        {"{\"Cookie\":\"none\"}", NULL},
        {"{\"cookie\": null, \"model\": \"x\"}", NULL},
        {"Set-Cookie: is not supported by this client", NULL},
    };
    check(EXAMPLES, COUNT(EXAMPLES));
}

static void test_passwords_that_begin_with_a_word(void **unused)
{
    (void)unused;
    static const example EXAMPLES[] = {
        {"{\"password\":\"a hunter2\"}", "{\"password\":\"[redacted]\"}"},
        {"{\"password\":\"the quick hunter2\"}", "{\"password\":\"[redacted]\"}"},
        {"{\"db_password\":\"No! hunter2\"}", "{\"db_password\":\"[redacted]\"}"},
        {"{\"password\":\"On hunter2, go!\"}", "{\"password\":\"[redacted]\"}"},
        {"{\"password\":\"a,b;hunter2\"}", "{\"password\":\"[redacted]\"}"},
        {"{\"passwords\":1,\"password\":[\"none\",\"a hunter2\"]}",
         "{\"passwords\":1,\"password\":[\"none\",\"[redacted]\"]}"},
        {"password=The secret phrase", "password=[redacted]"},
        {"password=The secret phrase user=ada", "password=[redacted] user=ada"},
        {"password=a,hunter2", "password=[redacted]"},
        {"Authorization: a hunter2", "Authorization: [redacted]"},
        {"{\"Authorization\":\"a hunter2\"}", "{\"Authorization\":\"[redacted]\"}"},
        {"{\"password\":\"none\"}", NULL},
        {"{\"password\": \"\"}", NULL},
        {"{\"password\":\"${DB_PASSWORD}\"}", NULL},
        {"{\"password\":\"***\"}", NULL},
        {"password=none user=ada", NULL},
        {"Login(password=None, user='ada')", NULL},
        {"Login(password=None) failed", NULL},
        {"password=invalid", NULL},
        {"password: must be at least 8 characters", NULL},
        {"Authorization: missing", NULL},
        {"Authorization: invalid or missing (401)", NULL},
    };
    check(EXAMPLES, COUNT(EXAMPLES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cookies_that_begin_with_a_word),
        cmocka_unit_test(test_passwords_that_begin_with_a_word),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
