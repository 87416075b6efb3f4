/* Tests of account names: the words of a provider's text that identify the operator's account, and
 * other words. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/str.h"
#include "scrub/account.h"

static void expect(const char *text, const char *want)
{
    char memory[512];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    assert_int_equal(rc_account_mask(rc_str_c(text), &buf), RC_OK);
    if (!rc_str_eq(rc_buf_get(&buf), rc_str_c(want)))
        fail_msg("%s became %.*s", text, (int)rc_buf_get(&buf).len, rc_buf_get(&buf).ptr);
}

static void names_of_accounts_are_masked(void **state)
{
    (void)state;
    expect("in organization org-AbCdEfGhIjKlMnOpQrStUvWx on tokens",
           "in organization [account] on tokens");
    expect("Project `proj_a1b2c3` has no access.", "Project `[account]` has no access.");
    expect("for consumer 'project_number:123456789012'.",
           "for consumer 'project_number:[account]'.");
    expect("in project 123456789 before", "in project [account] before");
    expect("?project=1234567890", "?project=[account]");
    expect("(org: 5f3c1a2b-0d4e-4f60-8a7b-9c0d1e2f3a4b, model: m)", "(org: [account], model: m)");
    expect("Ask ada@example.com.", "Ask [account].");
    expect("tenant 0123456789abcdef0123456789abcdef", "tenant [account]");
    expect("user-AbC123dEf456", "[account]");
}

static void texts_without_account_names_are_unchanged(void **state)
{
    (void)state;
    static const char *const texts[] = {
        "",
        "Limit: 60 / min",
        ("Rate limit reached for gpt-4o-mini-2024-07-18 on tokens per min (TPM): Limit 30000, Used "
         "29000, Requested 5000. Please try again in 9m38.016s."),
        "claude-sonnet-4-5-20250929 has a limit of 10000000 tokens...",
        "an org-wide limit; user-friendly",
        "https://platform.openai.com/account/rate-limits",
        "gemini-2.0-flash-exp, 20:15:01, 2026-11-18T02:20:00Z",
        "Größe @ 5.0 .. -- __",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect(texts[i], texts[i]);
}

static void a_full_buffer_is_reported(void **state)
{
    (void)state;
    char memory[4];
    rc_buf buf;
    rc_buf_init_fixed(&buf, memory, sizeof memory);
    assert_int_not_equal(rc_account_mask(RC_STR("proj_a1b2c3 and more"), &buf), RC_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_of_accounts_are_masked),
        cmocka_unit_test(texts_without_account_names_are_unchanged),
        cmocka_unit_test(a_full_buffer_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
