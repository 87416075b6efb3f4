/* Tests of `recourse config import litellm` with failing system calls and allocations: no failure
 * is reported as success. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "support/run_cli.h"

#define INPUT                                                                            \
    "model_list:\n"                                                                      \
    "  - {model_name: a, litellm_params: {model: openai/x, api_key: literal, rpm: 1}}\n" \
    "  - {model_name: b, litellm_params: {model: groq/y, api_key: os.environ/G}}\n"      \
    "router_settings: {fallbacks: [{a: [b]}], num_retries: 2}\n"

static const char *const import[] = {"config", "import", "litellm", "c.yaml", NULL};

static void every_failing_call_is_reported(void **state)
{
    (void)state;
    for (int fail_at = 1; fail_at < 100; fail_at++) {
        fake_reset(INPUT);
        memory = (fail_alloc){0};
        fake.fail_at = fail_at;
        fake.is_for_good = true;
        fake.error = EIO;
        const int result = run(import);
        if (fake.calls < fail_at) {
            assert_int_equal(result, 0);
            return;
        }
        assert_true(result == RC_EXIT_NO_INPUT || result == RC_EXIT_IO ||
                    (result == 0 && fake.out.len > 0));
    }
    fail_msg("it never ends");
}

static void every_failing_allocation_is_reported(void **state)
{
    (void)state;
    for (size_t fail_at = 1; fail_at < 1000; fail_at++) {
        fake_reset(INPUT);
        memory = (fail_alloc){.fail_at = fail_at, .for_good = true};
        const int result = run(import);
        if (memory.calls < fail_at) {
            assert_int_equal(result, 0);
            assert_true(fail_at > 5);
            return;
        }
        assert_int_not_equal(result, 0);
        assert_int_equal(fake.out.len, 0);
    }
    fail_msg("it never ends");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failing_call_is_reported),
        cmocka_unit_test(every_failing_allocation_is_reported),
    };
    return cmocka_run_group_tests_name("litellm", tests, NULL, NULL);
}
