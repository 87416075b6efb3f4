/* Tests of `recourse exec`: usage errors. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/run_cli.h"

static void usage_errors_are_named_and_nothing_is_run(void **state)
{
    (void)state;
    static const struct {
        const char *args[ARGS_MAX];
        const char *said;
    } rows[] = {
        {{"exec"}, "expected a command after --"},
        {{"exec", "--"}, "expected a command"},
        {{"exec", "--", ""}, "expected a command"},
        {{"exec", "--quiet"}, "expected a command"},
        {{"exec", "--tries", "0", "x"}, "--tries must be a whole number from 1 to 1000, not \"0\""},
        {{"exec", "--budget", "soon", "x"}, "--budget must be a duration such as 30s, 5m or 1h30m"},
        {{"exec", "--budget", "0", "x"}, "not \"0\""},
        {{"exec", "--budget", "-5s", "x"}, "not \"-5s\""},
        {{"exec", "--budget", "876601h", "x"}, "--budget must be at most 876600h (100 years), not"},
        {{"exec", "--plicy", "none", "x"}, "unknown option --plicy; did you mean --policy?"},
        {{"exec", "-x", "y"}, "unknown option -x"},
        {{"exec", "--quiet=yes", "x"}, "--quiet takes no value"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fake_reset("");
        memory = (fail_alloc){0};
        assert_int_equal(run(rows[i].args), RC_EXIT_USAGE);
        assert_int_equal(fake.out.len, 0);
        if (strstr(fake.err.text, rows[i].said) == NULL)
            fail_msg("\"%s\" is not in: %s", rows[i].said, fake.err.text);
    }
}

static void help_after_the_command_belongs_to_the_command(void **state)
{
    (void)state;
    static const char *const args[ARGS_MAX] = {"exec", "--help", "x"};
    fake_reset("");
    memory = (fail_alloc){0};
    assert_int_equal(run(args), RC_EXIT_OK);
    assert_non_null(strstr(fake.out.text, "Usage: recourse exec [OPTION]... -- COMMAND [ARG]..."));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage_errors_are_named_and_nothing_is_run),
        cmocka_unit_test(help_after_the_command_belongs_to_the_command),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
