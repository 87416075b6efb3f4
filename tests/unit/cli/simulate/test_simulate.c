/* Tests of `recourse simulate` with a fake system: its output, its files and its messages. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "support/run_cli.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* A small scenario with about 200 requests, so that the tests can run it many times. */
#define SCENARIO                                                 \
    "name: small\n"                                              \
    "about: a small world\n"                                     \
    "duration_ms: 20s\n"                                         \
    "clients: {count: 100, every_ms: 10s, deadline_ms: 10s}\n"   \
    "providers:\n"                                               \
    "  - name: alpha\n"                                          \
    "    faults: [{kind: outage, from_ms: 5s, until_ms: 10s}]\n" \
    "policies: [recourse, openai-sdk, none]\n"

typedef struct command_line {
    const char *args[ARGS_MAX];
} command_line;

static int run_fresh(const char *input, const command_line *line)
{
    fake_reset(input);
    fake_env("LANG", "C.UTF-8");
    memory = (fail_alloc){0};
    return run(line->args);
}

static void expect_inside(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" is not in: %s", part, text);
}

/* ---- usage errors ---- */

static const struct refusal {
    command_line line;
    const char *input;
    int status;
    const char *said;
} refusals[] = {
    {{{"simulate"}}, "", 64, "expected a scenario; --list shows the built-in scenarios\n"},
    {{{"simulate", "--list", "outage"}}, "", 64, "--list cannot be used with a scenario\n"},
    {{{"simulate", "--list", "--format", "csv"}},
     "",
     64,
     "--list cannot be used with --format csv\n"},
    {{{"simulate", "-", "--plot", "--format=json"}}, SCENARIO, 64, "--plot needs --format human"},
    {{{"simulate", "-", "--out="}}, SCENARIO, 64, "--out needs the name of a folder\n"},
    {{{"simulate", "-", "--seed", "-1"}},
     SCENARIO,
     64,
     "--seed must be a whole number from 0 to 9223372036854775807, not \"-1\"\n"},
    {{{"simulate", "-", "--seed", "9223372036854775808"}},
     SCENARIO,
     64,
     "--seed must be a whole number"},
    {{{"simulate", "-", "--seed="}}, SCENARIO, 64, "--seed must be a whole number"},
    {{{"simulate", "-", "--seed", "18446744073709551617"}},
     SCENARIO,
     64,
     "--seed must be a whole number"},
    {{{"simulate", "-", "--requests", "3000001"}},
     "duration_ms: 3\n",
     64,
     "--requests must be at most 3000000 for a scenario of 3 ms\n"},
    {{{"simulate", "-", "--requests", "200000001"}}, SCENARIO, 64, "from 1 to 200000000, not"},
    {{{"simulate", "-", "--requests", "x"}}, SCENARIO, 64, "--requests must be a whole number"},
    {{{"simulate", "-", "--format", "xml"}}, SCENARIO, 64, "The values are human, json, csv.\n"},
    {{{"simulate", "a", "b"}},
     SCENARIO,
     64,
     "unexpected operand: \"b\"; the command takes one operand\n"},
    {{{"simulate", "-", "--policy", "opnai-sdk"}},
     SCENARIO,
     64,
     "no policy is named \"opnai-sdk\"; did you mean openai-sdk?\n"},
    {{{"simulate", "-", "--policy", "none", "--policy=none"}},
     SCENARIO,
     64,
     "duplicate policy: \"none\"\n"},
    {{{"simulate", "-"}}, "name: [", 65, "<stdin>:"},
    {{{"simulate", "-"}}, "", 65, "<stdin>"},
    {{{"simulate", "-"}}, "naem: x\n", 65, "naem"},
    {{{"simulate", "-"}}, "name: x\nnaem: y\n", 65, "did you mean name?"},
};

static void usage_errors_are_named_and_nothing_is_printed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(refusals); i++) {
        const int status = run_fresh(refusals[i].input, &refusals[i].line);
        expect_inside(fake.err.text, refusals[i].said);
        assert_int_equal(status, refusals[i].status);
        assert_int_equal(fake.out.len, 0);
    }
}

static int run_on_file(const char *path, const char *operand)
{
    const char *const args[ARGS_MAX] = {"simulate", operand};
    fake_reset(SCENARIO);
    fake.path = path;
    memory = (fail_alloc){0};
    return run(args);
}

static void an_unknown_name_differs_from_a_missing_file(void **state)
{
    (void)state;
    assert_int_equal(run_on_file("x", "outge"), RC_EXIT_USAGE);
    expect_inside(fake.err.text,
                  "no built-in scenario and no file is named \"outge\"; did you mean outage?\n"
                  "Run 'recourse simulate --list' for the scenarios.\n");
    assert_int_equal(run_on_file("x", "outge.yaml"), RC_EXIT_NO_INPUT);
    expect_inside(fake.err.text,
                  "recourse simulate: cannot read outge.yaml: No such file or directory\n");
    assert_int_equal(run_on_file("world", "world"), RC_EXIT_OK);
    expect_inside(fake.out.text, "small: a small world\n");
}

/* ---- valid runs ---- */

static void human_output_has_the_table_and_the_verdict(void **state)
{
    (void)state;
    static const command_line line = {{"simulate", "-", "--width=80"}};
    assert_int_equal(run_fresh(SCENARIO, &line), RC_EXIT_OK);
    assert_int_equal(fake.err.len, 0);
    expect_inside(fake.out.text, "small: a small world\n100 clients, ");
    expect_inside(fake.out.text, "outage at alpha, 5 s to 10 s\n");
    expect_inside(fake.out.text, "\npolicy      success");
    expect_inside(fake.out.text, "\nopenai-sdk ");
    expect_inside(fake.out.text, "\n* the best value of its column.");
    expect_inside(fake.out.text, "\nrecourse against the best of the others\n");
    assert_null(strstr(fake.out.text, "│"));

    static const command_line plot = {{"simulate", "-", "--width=80", "--plot"}};
    assert_int_equal(run_fresh(SCENARIO, &plot), RC_EXIT_OK);
    expect_inside(fake.out.text, "success, by arrival");
    expect_inside(fake.out.text, "\n░━ outage   ");
}

static void only_the_requested_policies_run(void **state)
{
    (void)state;
    static const command_line line = {
        {"simulate", "-", "--policy", "none", "--policy", "portkey", "--format", "csv"}};
    assert_int_equal(run_fresh(SCENARIO, &line), RC_EXIT_OK);
    expect_inside(fake.out.text, "\nsmall,1,none,");
    expect_inside(fake.out.text, "\nsmall,1,portkey,");
    assert_null(strstr(fake.out.text, "recourse"));
}

static void the_same_seed_gives_the_same_bytes(void **state)
{
    (void)state;
    static fake_output first;
    static const command_line lines[] = {
        {{"simulate", "-", "--seed", "5", "--plot"}},
        {{"simulate", "-", "--seed", "5", "--format", "json"}},
        {{"simulate", "-", "--seed", "5", "--format", "csv"}},
    };
    for (size_t i = 0; i < COUNT(lines); i++) {
        assert_int_equal(run_fresh(SCENARIO, &lines[i]), RC_EXIT_OK);
        first = fake.out;
        assert_int_equal(run_fresh(SCENARIO, &lines[i]), RC_EXIT_OK);
        assert_string_equal(first.text, fake.out.text);
        command_line other = lines[i];
        other.args[3] = "6";
        assert_int_equal(run_fresh(SCENARIO, &other), RC_EXIT_OK);
        assert_string_not_equal(first.text, fake.out.text);
    }
}

static void a_seed_has_63_bits(void **state)
{
    (void)state;
    static fake_output first;
    static const command_line largest = {
        {"simulate", "-", "--seed", "9223372036854775807", "--format", "csv"}};
    static const command_line zero = {{"simulate", "-", "--seed", "0", "--format", "csv"}};
    static const command_line own = {{"simulate", "-", "--format", "csv"}};
    assert_int_equal(run_fresh(SCENARIO, &largest), RC_EXIT_OK);
    expect_inside(fake.out.text, "\nsmall,9223372036854775807,recourse,");
    first = fake.out;
    assert_int_equal(run_fresh(SCENARIO "seed: 9223372036854775807\n", &own), RC_EXIT_OK);
    assert_string_equal(first.text, fake.out.text);
    assert_int_equal(run_fresh(SCENARIO, &zero), RC_EXIT_OK);
    expect_inside(fake.out.text, "\nsmall,0,recourse,");
    first = fake.out;
    assert_int_equal(run_fresh(SCENARIO "seed: 0\n", &own), RC_EXIT_OK);
    assert_string_equal(first.text, fake.out.text);
}

static uint64_t number_in(json_object *object, const char *key)
{
    json_object *value = NULL;
    assert_true(json_object_object_get_ex(object, key, &value));
    return json_object_get_uint64(value);
}

/* Returns the sum of a series. */
static uint64_t sum_of(json_object *policy, const char *key)
{
    json_object *series = NULL, *values = NULL;
    assert_true(json_object_object_get_ex(policy, "each_second", &series));
    assert_true(json_object_object_get_ex(series, key, &values));
    uint64_t sum = 0;
    for (size_t i = 0; i < json_object_array_length(values); i++)
        sum += json_object_get_uint64(json_object_array_get_idx(values, i));
    return sum;
}

static void the_series_of_the_json_match_its_totals(void **state)
{
    (void)state;
    static const command_line line = {{"simulate", "-", "--format", "json"}};
    assert_int_equal(run_fresh(SCENARIO, &line), RC_EXIT_OK);
    json_object *result = json_tokener_parse(fake.out.text);
    assert_non_null(result);
    json_object *policies = NULL;
    assert_true(json_object_object_get_ex(result, "policies", &policies));
    assert_int_equal(json_object_array_length(policies), 3);
    for (size_t i = 0; i < 3; i++) {
        json_object *policy = json_object_array_get_idx(policies, i);
        const uint64_t requests = number_in(policy, "requests");
        assert_true(requests > 50);
        assert_int_equal(requests, number_in(policy, "in_time") + number_in(policy, "late") +
                                       number_in(policy, "truncated") +
                                       number_in(policy, "failed"));
        assert_int_equal(sum_of(policy, "requests"), requests);
        assert_int_equal(sum_of(policy, "requests_in_time"), number_in(policy, "in_time"));
        assert_int_equal(sum_of(policy, "calls"), number_in(policy, "calls"));
        assert_int_equal(sum_of(policy, "retries"), number_in(policy, "retries"));
    }
    json_object_put(result);
}

static void the_list_has_scenarios_and_policies(void **state)
{
    (void)state;
    static const command_line human = {{"simulate", "--list"}};
    assert_int_equal(run_fresh("", &human), RC_EXIT_OK);
    expect_inside(fake.out.text, "Scenarios:\n");
    expect_inside(fake.out.text, "\n  retry-storm ");
    expect_inside(fake.out.text, "\nPolicies:\n  recourse ");

    static const command_line json = {{"simulate", "--list", "--format=json"}};
    assert_int_equal(run_fresh("", &json), RC_EXIT_OK);
    json_object *list = json_tokener_parse(fake.out.text);
    assert_non_null(list);
    json_object *scenarios = NULL;
    assert_true(json_object_object_get_ex(list, "scenarios", &scenarios));
    assert_true(json_object_array_length(scenarios) >= 7);
    json_object_put(list);
}

/* ---- progress ---- */

static void progress_is_for_terminals(void **state)
{
    (void)state;
    static const char *const args[ARGS_MAX] = {"simulate", "-"};
    fake_reset(SCENARIO);
    fake_env("LANG", "C.UTF-8");
    fake_env("TERM", "xterm");
    fake.is_tty[2] = true;
    fake.columns = 60;
    memory = (fail_alloc){0};
    assert_int_equal(run(args), RC_EXIT_OK);
    expect_inside(fake.err.text, "%  recourse, 1 of 4\033[K\r");
    expect_inside(fake.err.text, "━━━━━━━━━━━━━━━━━━━━━━━━ 100%");
    /* The output ends with a cleared line. */
    assert_string_equal(fake.err.text + fake.err.len - 4, "\r\033[K");
    assert_null(strchr(fake.err.text, '\n'));
    const size_t drawn = fake.err.len;

    /* On a terminal that is too narrow for the bar, the line has all parts except the bar. */
    fake_reset(SCENARIO);
    fake_env("TERM", "xterm");
    fake.is_tty[2] = true;
    fake.columns = 30;
    memory = (fail_alloc){0};
    assert_int_equal(run(args), RC_EXIT_OK);
    expect_inside(fake.err.text, "\r100%  ");
    assert_null(strchr(fake.err.text, '='));
    assert_true(fake.err.len < drawn);

    /* A dumb terminal cannot redraw a line, so it gets none. */
    fake_reset(SCENARIO);
    fake_env("TERM", "dumb");
    fake.is_tty[2] = true;
    memory = (fail_alloc){0};
    assert_int_equal(run(args), RC_EXIT_OK);
    assert_int_equal(fake.err.len, 0);
}

/* When the run is interrupted, the line is cleared and the percentage printed before the signal
 * ends the process. The fake signal does not end it. */
static void an_interrupted_run_leaves_a_clean_line(void **state)
{
    (void)state;
    static const char *const args[ARGS_MAX] = {"simulate", "outage"};
    static const int signals[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < COUNT(signals); i++) {
        fake_reset("");
        fake_env("LANG", "C.UTF-8");
        fake_env("TERM", "xterm");
        fake.is_tty[2] = true;
        fake.columns = 80;
        fake.signal = signals[i];
        fake.signal_in = 30;
        memory = (fail_alloc){0};
        assert_int_equal(run(args), 130);
        assert_int_equal(fake.out.len, 0);
        assert_false(fake.is_masked);
        expect_inside(fake.err.text, "━");
        const char *end = strstr(fake.err.text, "\r\033[Krecourse simulate: interrupted at ");
        assert_non_null(end);
        assert_string_equal(strchr(end, '%'), "%\n");
    }
    /* A run that ends normally restores the signal mask. */
    fake_reset(SCENARIO);
    fake.is_tty[2] = true;
    memory = (fail_alloc){0};
    static const char *const whole[ARGS_MAX] = {"simulate", "-"};
    assert_int_equal(run(whole), RC_EXIT_OK);
    assert_false(fake.is_masked);
}

static void a_terminal_gets_a_hint_about_charts(void **state)
{
    (void)state;
    static const char *const args[ARGS_MAX] = {"simulate", "-"};
    fake_reset(SCENARIO);
    fake.is_tty[1] = true;
    fake.columns = 80;
    memory = (fail_alloc){0};
    assert_int_equal(run(args), RC_EXIT_OK);
    assert_string_equal(fake.err.text,
                        "--plot shows charts over time, --out DIR writes them as SVG.\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage_errors_are_named_and_nothing_is_printed),
        cmocka_unit_test(an_unknown_name_differs_from_a_missing_file),
        cmocka_unit_test(human_output_has_the_table_and_the_verdict),
        cmocka_unit_test(only_the_requested_policies_run),
        cmocka_unit_test(the_same_seed_gives_the_same_bytes),
        cmocka_unit_test(a_seed_has_63_bits),
        cmocka_unit_test(the_series_of_the_json_match_its_totals),
        cmocka_unit_test(the_list_has_scenarios_and_policies),
        cmocka_unit_test(progress_is_for_terminals),
        cmocka_unit_test(an_interrupted_run_leaves_a_clean_line),
        cmocka_unit_test(a_terminal_gets_a_hint_about_charts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
