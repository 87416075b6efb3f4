/* Tests of `recourse call`: usage errors are reported before a request is sent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "support/run_cli.h"

static void begin(const char *input)
{
    fake_reset(input);
    fake.path = "no file at all";
    memory = (fail_alloc){0};
}

static void usage_errors_are_named_and_nothing_is_sent(void **state)
{
    (void)state;
    static const struct {
        const char *args[ARGS_MAX];
        const char *said;
    } rows[] = {
        {{"call", "hi"}, "set a model with --model: demo-retry, demo-fallback, demo-failure"},
        {{"call", "--modle", "x", "hi"}, "unknown option --modle; did you mean --model?"},
        {{"call", "--model", "", "hi"}, "--model must be a name of at most 256 bytes, not \"\""},
        {{"call", "--model", "a\nb", "hi"}, "--model must be a name of at most 256 bytes"},
        {{"call", "--model", "demo/ok", "--max-tokens", "0", "hi"},
         "--max-tokens must be a whole number"},
        {{"call", "--model", "demo/ok", "--temperature", "hot", "hi"},
         "--temperature must be a number from 0 to 2, not \"hot\""},
        {{"call", "--model", "demo/ok", "--temperature", "2.5", "hi"}, "not \"2.5\""},
        {{"call", "--model", "demo/ok", "--temperature", "1,", "hi"}, "not \"1,\""},
        {{"call", "--model", "demo/ok", "--deadline", "soon", "hi"},
         "--deadline must be a duration such as 30s, 5m or 1h30m, not \"soon\""},
        {{"call", "--model", "demo/ok", "--deadline", "0", "hi"}, "not \"0\""},
        {{"call", "--model", "demo/ok", "--deadline", "25h", "hi"},
         "--deadline must be at most 24h, not \"25h\""},
        {{"call", "--model", "demo/ok", "--policy", "a b", "hi"},
         "--policy must be a name, not \"a b\""},
        {{"call", "--model", "demo/ok", "--policy", "transprt", "hi"},
         "no policy is named \"transprt\"; did you mean transport?"},
        {{"call", "--model", "demo/ok", "--dialect", "klingon", "hi"}, "--dialect"},
        {{"call", "--model", "demo/ok", "--format", "xml", "hi"}, "--format"},
        {{"call", "--model", "demo/ok", "--agent", "--format", "human", "hi"},
         "--agent can be used with --format json or markdown, not \"human\""},
        {{"call", "--model", "demo/ok", "--token-file", "x", "hi"}, "--token-file needs --via"},
        {{"call", "--model", "demo/ok", "--insecure", "hi"}, "--insecure needs --via"},
        {{"call", "--model", "x", "--via", "http://127.0.0.1:1", "--config", "c", "hi"},
         "omit --config"},
        {{"call", "--model", "demo/ok", ""}, "the prompt is empty"},
        {{"call", "--model", "demo/ok", " ", "-"}, "the prompt is empty"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        begin("");
        assert_int_equal(run(rows[i].args), RC_EXIT_USAGE);
        assert_int_equal(fake.out.len, 0);
        if (strstr(fake.err.text, rows[i].said) == NULL)
            fail_msg("\"%s\" is not in: %s", rows[i].said, fake.err.text);
    }
}

static void help_lists_the_options(void **state)
{
    static const char *const args[ARGS_MAX] = {"call", "--help"};
    (void)state;
    begin("");
    assert_int_equal(run(args), RC_EXIT_OK);
    assert_non_null(strstr(fake.out.text, "Usage: recourse call [OPTION]... [PROMPT|-]..."));
}

/* An empty input is a usage error; an input that cannot be read is another error. */
static void standard_input_that_fails_is_reported(void **state)
{
    static const char *const args[ARGS_MAX] = {"call", "--model", "demo/ok"};
    (void)state;
    for (int at = 1; at < 100; at++) {
        begin("");
        fake.fail_at = at;
        fake.error = EIO;
        int result = run(args);
        if (result == RC_EXIT_NO_INPUT && strstr(fake.err.text, "cannot read <stdin>") != NULL)
            return;
        if (fake.calls < at)
            break;
    }
    fail_msg("nothing was said of it: %s", fake.err.text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage_errors_are_named_and_nothing_is_sent),
        cmocka_unit_test(help_lists_the_options),
        cmocka_unit_test(standard_input_that_fails_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
