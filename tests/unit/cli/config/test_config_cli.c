/* Tests of `recourse config` on a failing system: no failed system call or allocation is reported
 * as success, and each fault is printed once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cli/config_load.h"
#include "support/run_cli.h"
#include "sys/config_file.h"

#define GOOD "providers: {openai: {keys: [env:A]}}\npolicies: {p: {max_attempts: 2}}\n"

static const char *const check[] = {"config", "check", "c.yaml", NULL};
static const char *const check_json[] = {"config", "check", "c.yaml", "--format", "json", NULL};
static const char *const show[] = {"config", "show", "c.yaml", NULL};
static const char *const prices[] = {"config", "prices", "c.yaml", NULL};
static const char *const prices_json[] = {"config", "prices", "c.yaml", "--format", "json", NULL};

static int run_fresh(const char *const *args, const char *input)
{
    fake_reset(input);
    fake_env("LANG", "C.UTF-8");
    memory = (fail_alloc){0};
    return run(args);
}

static void expect_inside(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" is not in: %s", part, text);
}

static void every_failing_call_is_reported(void **state)
{
    (void)state;
    const char *const *const lines[] = {check, check_json, show, prices, prices_json};
    for (size_t i = 0; i < 5; i++) {
        for (int fail_at = 1; fail_at < 100; fail_at++) {
            fake_reset(GOOD);
            memory = (fail_alloc){0};
            fake.fail_at = fail_at;
            fake.is_for_good = true;
            fake.error = EIO;
            int result = run(lines[i]);
            if (fake.calls < fail_at) {
                assert_int_equal(result, 0);
                break;
            }
            /* After the file was read and closed, only the output can fail. */
            assert_true(result == RC_EXIT_NO_INPUT || result == RC_EXIT_IO ||
                        (result == 0 && fake.out.len > 0));
        }
    }
}

static void every_failing_allocation_is_reported(void **state)
{
    (void)state;
    const char *const *const lines[] = {check, check_json, show, prices, prices_json};
    static const char *const inputs[] = {GOOD, "lisen: 1\nroutes: [{model: a}]\n"};
    for (size_t i = 0; i < 10; i++) {
        int wanted = i % 2 == 0 ? RC_EXIT_OK : RC_EXIT_CONFIG;
        for (size_t fail_at = 1; fail_at < 1000; fail_at++) {
            fake_reset(inputs[i % 2]);
            memory = (fail_alloc){.fail_at = fail_at, .for_good = true};
            int result = run(lines[i / 2]);
            if (memory.calls < fail_at) {
                assert_int_equal(result, wanted);
                break;
            }
            assert_int_not_equal(result, RC_EXIT_OK);
        }
    }
}

static void a_long_line_is_shown_around_the_fault(void **state)
{
    (void)state;
    static char text[4096];
    memset(text, ' ', sizeof(text));
    memcpy(text, "retry_budget: {", 15);
    memcpy(text + 2000, "raio: 1}\n", 10);
    assert_int_equal(run_fresh(check, text), RC_EXIT_CONFIG);
    expect_inside(fake.err.text,
                  "c.yaml:1:2001: retry_budget.raio: unknown key; did you mean ratio?");
    expect_inside(fake.err.text, "raio: ...\n");
    const char *caret = strchr(fake.err.text, '^');
    assert_non_null(caret);
    assert_true(caret - strrchr(fake.err.text, '|') < 120);
}

static void faults_beyond_the_limit_are_counted(void **state)
{
    (void)state;
    static char text[2048];
    size_t used = 0;
    for (int i = 0; i < 40; i++)
        used += (size_t)snprintf(text + used, sizeof(text) - used, "x%d: 1\n", i);
    assert_int_equal(run_fresh(check, text), RC_EXIT_CONFIG);
    expect_inside(fake.err.text, "and 8 more\n");
}

static void rc_cli_config_load_gives_the_configuration(void **state)
{
    (void)state;
    rc_cli cli;
    rc_config config;
    fake_reset(GOOD);
    memory = (fail_alloc){0};
    rc_alloc alloc = fail_alloc_of(&memory);
    rc_cli_init(&cli, &fake_calls, &alloc);
    assert_int_equal(rc_cli_config_load(&cli, "exec", "c.yaml", &config), RC_EXIT_OK);
    assert_non_null(rc_config_policy(&config, RC_STR("p")));
    rc_config_done(&config);
    fake.path = "other.yaml";
    assert_int_equal(rc_cli_config_load(&cli, "exec", "c.yaml", &config), RC_EXIT_NO_INPUT);
    rc_cli_flush_err(&cli);
    expect_inside(fake.err.text, "recourse exec: cannot read c.yaml: No such file");
    rc_cli_done(&cli);
    assert_int_equal(memory.live, 0);
}

/* Opening a named pipe would block until another process writes to it. */
static void a_secret_in_a_special_file_is_reported_and_not_opened(void **state)
{
    (void)state;
    static const struct {
        mode_t mode;
        const char *said;
    } cases[] = {{S_IFIFO | 0600, "a pipe"},
                 {S_IFDIR | 0700, "a folder"},
                 {S_IFSOCK | 0600, "a socket"},
                 {S_IFCHR | 0600, "a device"},
                 {S_IFREG | 0600, NULL}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        fake_reset("");
        fake.mode = cases[i].mode;
        const char *other = rc_path_special_kind(&fake_calls, "key");
        if (cases[i].said != NULL)
            assert_string_equal(other, cases[i].said);
        else
            assert_null(other);
        int calls = fake.calls;
        assert_int_equal(rc_secret_file_check(&fake_calls, "key"),
                         cases[i].said != NULL ? RC_SECRET_FILE_NOT_REGULAR : RC_SECRET_FILE_GOOD);
        assert_int_equal(fake.calls - calls, cases[i].said != NULL ? 1 : 3);
    }
    fake.mode = S_IFREG | 0644;
    assert_int_equal(rc_secret_file_check(&fake_calls, "key"), RC_SECRET_FILE_WORLD_READABLE);
    fake.path = "other";
    assert_null(rc_path_special_kind(&fake_calls, "key"));
    assert_int_equal(rc_secret_file_check(&fake_calls, "key"), RC_SECRET_FILE_MISSING);
}

static void an_empty_file_gives_all_defaults(void **state)
{
    (void)state;
    assert_int_equal(run_fresh(check, ""), RC_EXIT_OK);
    expect_inside(fake.out.text, "c.yaml: valid\n");
    assert_int_equal(run_fresh(show, ""), RC_EXIT_OK);
    expect_inside(fake.out.text, "listen: 127.0.0.1:8787\n");
}

static void the_file_is_searched_in_order(void **state)
{
    (void)state;
    char scratch[256];
    rc_buf path;
    fake_reset("");
    fake.path = "/x/recourse/recourse.yaml";
    fake_env("XDG_CONFIG_HOME", "/x");
    fake_env("HOME", "/h");
    rc_buf_init_fixed(&path, scratch, sizeof(scratch));
    assert_true(rc_config_file_find(&fake_calls, &path));
    assert_string_equal(scratch, fake.path);
    fake.path = "/h/.config/recourse/recourse.yaml";
    rc_buf_reset(&path);
    assert_false(rc_config_file_find(&fake_calls, &path));
    fake.env[0][1] = "";
    rc_buf_reset(&path);
    assert_true(rc_config_file_find(&fake_calls, &path));
    assert_string_equal(scratch, fake.path);
    fake.env[1][1] = "relative";
    rc_buf_reset(&path);
    assert_false(rc_config_file_find(&fake_calls, &path));
    /* A file that exists but cannot be opened is an error; no other file is searched. */
    fake.fail_at = fake.calls + 1;
    fake.error = EACCES;
    rc_buf_reset(&path);
    assert_true(rc_config_file_find(&fake_calls, &path));
    assert_string_equal(scratch, "recourse.yaml");
    assert_int_equal(fake.open_count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_failing_call_is_reported),
        cmocka_unit_test(every_failing_allocation_is_reported),
        cmocka_unit_test(a_long_line_is_shown_around_the_fault),
        cmocka_unit_test(faults_beyond_the_limit_are_counted),
        cmocka_unit_test(rc_cli_config_load_gives_the_configuration),
        cmocka_unit_test(a_secret_in_a_special_file_is_reported_and_not_opened),
        cmocka_unit_test(an_empty_file_gives_all_defaults),
        cmocka_unit_test(the_file_is_searched_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
