/* Tests of the command on a failing system: its messages and the stream of each message. No failed
 * system call or allocation is reported as success. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/fail_alloc.h"
#include "support/fake_sys.h"

/* cli.c is included because it is not part of the archive that tests link. */
#include "cli/cli.c"
#include "cli/commands.c"
#include "cli/errors/command.c"
#include "cli/errors/human.c"
#include "cli/errors/json.c"
#include "cli/errors/page.c"
#include "cli/formats.c"
#include "cli/help.c"
#include "cli/options.c"
#include "cli/render/command.c"
#include "cli/render/input.c"
#include "support/run_cli.h"
#include "sys/clock.c"
#include "sys/entropy.c"
#include "sys/file.c"
#include "sys/terminal.c"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define REPORT                                                                       \
    "{\"error_class\":\"ProviderTransient\",\"error_code\":\"RateLimited\","         \
    "\"message\":\"Too fast.\",\"retryable\":true,\"http_status\":429,\"colour\":1," \
    "\"cause\":{\"error_code\":\"ConnectionReset\",\"message\":\"Gone.\"}}"

typedef struct command_line {
    const char *args[ARGS_MAX];
    const char *input;
} command_line;

static int run_fresh(const command_line *line)
{
    fake_reset(line->input != NULL ? line->input : "");
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

static const struct usage {
    command_line line;
    const char *said;
} usages[] = {
    {{{NULL}, NULL}, "Usage: recourse COMMAND"},
    {{{"rendr"}, NULL}, "recourse: unknown command \"rendr\"; did you mean render?\n"},
    {{{"ERRORS"}, NULL}, "did you mean errors?\n"},
    {{{"frobnicate"}, NULL}, "recourse: unknown command \"frobnicate\"\n"},
    {{{""}, NULL}, "recourse: unknown command \"\"\n"},
    {{{"--verison"}, NULL}, "recourse: unknown option --verison; did you mean --version?\n"},
    {{{"-x"}, NULL}, "recourse: unknown option -x"},
    {{{"-"}, NULL}, "recourse: unknown option -"},
    {{{"help", "errers"}, NULL}, "did you mean errors?\n"},
    {{{"help", "errors", "render"}, NULL}, "recourse help: unexpected operand: \"render\""},
    {{{"render", "--fromat", "json"}, NULL}, "unknown option --fromat; did you mean --format?\n"},
    {{{"render", "--fromat=json"}, NULL}, "unknown option --fromat; did you mean --format?\n"},
    {{{"render", "--Format=json"}, NULL}, "unknown option --Format; did you mean --format?\n"},
    {{{"render", "--str"}, NULL}, "unknown option --str; did you mean --str"},
    {{{"render", "--zzzzzz"}, NULL}, "recourse render: unknown option --zzzzzz\n"},
    {{{"render", "--hlep"}, NULL}, "did you mean --help?\n"},
    {{{"render", "--=x"}, NULL}, "recourse render: unknown option --\n"},
    {{{"render", "-f"}, NULL}, "recourse render: unknown option -f\n"},
    {{{"render", "-format"}, NULL}, "unknown option -format; did you mean --format?\n"},
    {{{"render", "--format"}, NULL}, "recourse render: --format needs a value\n"},
    {{{"render", "--format", "jsno"}, NULL},
     "unknown value \"jsno\" for --format; did you mean json?\nThe values are human, json, "
     "markdown, http, report, problem, openai-chat, openai-responses, anthropic, gemini, log, "
     "otel.\n"},
    {{{"render", "--format="}, NULL}, "unknown value \"\" for --format\n"},
    {{{"render", "--view", "all"}, NULL}, "The values are user, model, internal.\n"},
    {{{"render", "--color=yes"}, NULL}, "The values are auto, always, never.\n"},
    {{{"render", "--strict=yes"}, NULL}, "recourse render: --strict takes no value\n"},
    {{{"render", "--help=yes"}, NULL}, "--help takes no value\n"},
    {{{"render", "--width", "19"}, NULL},
     "--width must be a whole number from 20 to 200, not \"19\"\n"},
    {{{"render", "--width", "201"}, NULL}, "not \"201\"\n"},
    {{{"render", "--width", "+80"}, NULL}, "not \"+80\"\n"},
    {{{"render", "--width", ""}, NULL}, "not \"\"\n"},
    {{{"render", "--width", "99999999999999999999"}, NULL}, "from 20 to 200"},
    {{{"render", "--indent", "9"}, NULL},
     "--indent must be a whole number from 0 to 8, not \"9\"\n"},
    {{{"render", "a", "b"}, NULL},
     "recourse render: unexpected operand: \"b\"; the command takes one operand\n"},
    {{{"render", "--", "--strict", "b"}, NULL}, "unexpected operand: \"b\""},
    {{{"render", "--format", "log", "--view", "user"}, NULL}, "--format log takes no --view\n"},
    {{{"render", "--format", "otel", "--view", "user"}, NULL}, "--format otel takes no --view\n"},
    {{{"render", "--dialect", "gemini"}, NULL}, "--format human takes no --dialect\n"},
    {{{"render", "--stream"}, NULL}, "--format human takes no --stream\n"},
    {{{"render", "--stream", "--format=http"}, NULL}, "--format http takes no --stream\n"},
    {{{"render", "--indent", "2"}, NULL}, "--format human takes no --indent\n"},
    {{{"errors", "RateLimitd"}, NULL},
     "recourse errors: no error code or class is named \"RateLimitd\"; did you mean "
     "RateLimited?\n"},
    {{{"errors", "timeout"}, NULL},
     "did you mean ProviderTimeout, NetworkTimeout, ExecutionTimeout, RunTimeout or "
     "ExpressionTimeout?\n"},
    {{{"errors", "qqqqqqqq"}, NULL}, "no error code or class is named \"qqqqqqqq\"\n"},
    {{{"errors", ""}, NULL}, "no error code or class is named \"\"\n"},
    {{{"errors", "\x1b[31m\xff"}, NULL}, "\"\\u{1B}[31m\xEF\xBF\xBD\""},
    {{{"errors", "--format", "xml"}, NULL}, "The values are human, json, markdown.\n"},
};

static void usage_errors_are_named_and_nothing_is_printed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(usages); i++) {
        assert_int_equal(run_fresh(&usages[i].line), RC_EXIT_USAGE);
        assert_int_equal(fake.out.len, 0);
        expect_inside(fake.err.text, usages[i].said);
        assert_null(strchr(fake.err.text, '\x1b'));
        /* The last line names the help option. */
        if (usages[i].line.args[0] != NULL)
            expect_inside(fake.err.text, "Run 'recourse ");
    }
}

/* ---- valid runs ---- */

static const struct success {
    command_line line;
    const char *printed;
} successes[] = {
    {{{"--help"}, NULL}, "Usage: recourse COMMAND"},
    {{{"-h"}, NULL}, "Usage: recourse COMMAND"},
    {{{"--version"}, NULL}, "recourse " RC_VERSION "\n"},
    {{{"help"}, NULL}, "Usage: recourse COMMAND"},
    {{{"help", "render"}, NULL}, "Usage: recourse render [OPTION]... [FILE|-]\n"},
    {{{"help", "--help"}, NULL}, "Usage: recourse help [COMMAND]\n"},
    {{{"render", "--strict", "-h", "--nonsense"}, NULL}, "Usage: recourse render"},
    {{{"errors", "--help"}, NULL}, "Examples:\n  recourse errors\n"},
    {{{"errors"}, NULL}, "  RateLimited               transient      yes     429    75  wait"},
    {{{"errors", "--format", "json"}, NULL}, "[\n{\"number\":101,\"error_code\":\"ShapeInvalid\""},
    {{{"errors", "RATELIMITED", "--format=json"}, NULL}, "{\"number\":201,"},
    {{{"errors", "limit", "--format=json"}, NULL}, "{\"number\":8,\"error_class\":\"Limit\""},
    {{{"errors", "--format=markdown"}, NULL}, "# Errors\n"},
    {{{"errors", "--format=markdown", "Denied"}, NULL}, "# Denied\n"},
    {{{"errors", "--format=markdown", "session"}, NULL}, "## Class Session\n"},
    {{{"errors", "authfailed"}, NULL}, "Check the credentials"},
    {{{"errors", "--color", "always", "sandbox"}, NULL}, "\x1b[1mSandbox\x1b[0m"},
    {{{"render"}, REPORT}, "Too fast."},
    {{{"render", "-"}, REPORT}, "Too fast."},
    {{{"render", "--", "-"}, REPORT}, "Too fast."},
    {{{"render", "file"}, REPORT}, "Too fast."},
    {{{"render", "--format", "log", "--format", "json"}, REPORT}, "{\"error\":true"},
    {{{"render", "--format=json", "--indent=2"}, REPORT}, "{\n  \"error\": true"},
    {{{"render", "--format=http"}, REPORT}, "HTTP/1.1 429 "},
    {{{"render", "--format=http", "--dialect=gemini"}, REPORT}, "RESOURCE_EXHAUSTED"},
    {{{"render", "--format=anthropic", "--stream"}, REPORT}, "event: error\n"},
    {{{"render", "--format=report"}, REPORT}, "\"cause\":{"},
    {{{"render", "--format=otel"}, REPORT}, "\"error.type\":"},
    {{{"render", "--format=log"}, REPORT}, "2026-11-16T"},
};

static void the_requested_output_is_printed(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(successes); i++) {
        assert_int_equal(run_fresh(&successes[i].line), RC_EXIT_OK);
        expect_inside(fake.out.text, successes[i].printed);
        if (successes[i].line.input == NULL)
            assert_int_equal(fake.err.len, 0);
        else
            expect_inside(fake.err.text, ": dropped unknown or invalid parts: /colour\n");
    }
}

/* An HTTP response has an exact length; every other format ends with a newline. */
static void all_formats_except_http_end_with_a_newline(void **state)
{
    (void)state;
    for (size_t i = 0; rc_format_at(i) != NULL; i++) {
        command_line line = {{"render", "--format", rc_format_at(i)->name}, REPORT};
        assert_int_equal(run_fresh(&line), RC_EXIT_OK);
        const char last = fake.out.text[fake.out.len - 1];
        assert_int_equal(last == '\n', strcmp(rc_format_at(i)->name, "http") != 0);
    }
}

static void a_terminal_gets_a_prompt(void **state)
{
    (void)state;
    static const char *const args[ARGS_MAX] = {"render"};
    fake_reset(REPORT);
    fake.is_tty[0] = true;
    memory = (fail_alloc){0};
    assert_int_equal(run(args), RC_EXIT_OK);
    expect_inside(fake.err.text, "reading a report from the terminal; end it with Ctrl-D\n");
}

/* ---- invalid input ---- */

static const struct bad_input {
    command_line line;
    int status;
    const char *said;
} bad_inputs[] = {
    {{{"render"}, ""}, 65, "<stdin>:1:1: "},
    {{{"render"}, " \n "}, 65, "<stdin>:2:2: "},
    {{{"render"}, "[1]"}, 65, "<stdin>:1:1: expected an object"},
    {{{"render", "f"}, "\n\n  42"}, 65, "f:3:3: expected an object"},
    {{{"render", "f"}, "{\"error\":{}}"}, 65, "f:1:1: not a report"},
    {{{"render", "--strict", "f"}, "{}"}, 65, "f:1:1: not a report"},
    {{{"render", "--strict", "f"}, "{\"cause\":\n {\"colour\":1}}"},
     65,
     "f:2:3: unknown key \"colour\" at /cause/colour"},
    {{{"render", "--strict", "f"}, "{\"message\":\"x\""}, 65, "f:1:15: "},
    {{{"render", "--strict", "f"}, "{\"message\":\"x\"} x"}, 65, "f:1:17: "},
    {{{"render", "--strict", "f"}, "{\"error_code\":\"Nope\"}"}, 65, "at /error_code"},
};

static void invalid_input_gives_a_report_with_the_position(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(bad_inputs); i++) {
        assert_int_equal(run_fresh(&bad_inputs[i].line), bad_inputs[i].status);
        assert_int_equal(fake.out.len, 0);
        expect_inside(fake.err.text, bad_inputs[i].said);
        expect_inside(fake.err.text, "ShapeInvalid");
        expect_inside(fake.err.text, "rep_"); /* the report has an id */
    }
}

/* Without entropy the report is printed, but has no id. */
static void without_entropy_only_the_id_is_missing(void **state)
{
    (void)state;
    static const char *const args[ARGS_MAX] = {"render"};
    fake_reset("");
    fake.fail_at = 2; /* the second call, after the read of the input */
    fake.error = ENOSYS;
    memory = (fail_alloc){0};
    assert_int_equal(run(args), 65);
    expect_inside(fake.err.text, "<stdin>:1:1: ");
    assert_null(strstr(fake.err.text, "rep_"));
}

static void too_large_an_input_is_refused(void **state)
{
    (void)state;
    const size_t size = RC_DECODE_MAX_BYTES + 1;
    char *text = malloc(size + 1);
    assert_non_null(text);
    memset(text, ' ', size);
    text[size] = '\0';
    const command_line line = {{"render", "big.json"}, text};
    assert_int_equal(run_fresh(&line), 65);
    expect_inside(fake.err.text, "big.json: larger than the limit of 16 MiB");

    text[size - 1] = '\0'; /* A text with one byte less is accepted, and then refused for another
                              reason. */
    assert_int_equal(run_fresh(&line), 65);
    assert_null(strstr(fake.err.text, "16 MiB"));
    free(text);
}

/* ---- failing system calls, once and permanently ---- */

static const command_line fault_lines[] = {
    {{"--version"}, NULL},
    {{"errors"}, NULL},
    {{"errors", "--format=json"}, NULL},
    {{"errors", "RateLimited"}, NULL},
    {{"errors", "nothing-like-it"}, NULL},
    {{"render"}, REPORT},
    {{"render", "file"}, REPORT},
    {{"render", "--format=json", "--strict"}, REPORT},
    {{"render", "--format=http", "file"}, REPORT},
    {{"render", "--format=log", "file"}, REPORT},
    {{"render", "file"}, "[]"},
};

static bool is_status_of_ours(int status)
{
    return status == RC_EXIT_OK || status == RC_EXIT_USAGE || status == 65 ||
           status == RC_EXIT_NO_INPUT || status == RC_EXIT_INTERNAL || status == RC_EXIT_IO;
}

/* If the exit status is 0, the output must be complete. */
static void check_faulty_run(const command_line *line, const fake_output *whole, int usual)
{
    int status = run(line->args);
    assert_true(is_status_of_ours(status));
    if (status == RC_EXIT_OK) {
        assert_int_equal(usual, RC_EXIT_OK);
        /* Without a clock, a log line has no time, so it is shorter. */
        if (strcmp(line->args[0], "render") != 0)
            assert_int_equal(fake.out.len, whole->len);
        assert_true(fake.out.len > 0);
    } else if (status != RC_EXIT_IO) {
        assert_int_equal(fake.out.len, 0);
    }
}

static void no_failing_call_is_reported_as_success(void **state)
{
    (void)state;
    static const int errors[] = {EIO, ENOSPC, EPIPE, EACCES, EINTR};
    static fake_output whole;
    for (size_t i = 0; i < COUNT(fault_lines); i++) {
        int usual = run_fresh(&fault_lines[i]);
        const int calls = fake.calls;
        whole = fake.out;
        assert_true(calls > 0 && calls < 50);
        for (int j = 0; j < calls * (int)COUNT(errors) * 2; j++) {
            fake_reset(fault_lines[i].input != NULL ? fault_lines[i].input : "");
            fake_env("LANG", "C.UTF-8");
            fake.error = errors[(size_t)j / 2 % COUNT(errors)];
            fake.is_for_good =
                j % 2 != 0 && fake.error != EINTR; /* a permanent EINTR would be retried for ever */
            fake.fail_at = j / 2 / (int)COUNT(errors) + 1;
            memory = (fail_alloc){0};
            check_faulty_run(&fault_lines[i], &whole, usual);
        }
    }
}

static void a_lost_output_is_reported(void **state)
{
    (void)state;
    static const char *const args[ARGS_MAX] = {"--version"};
    for (int at = 1; at <= 2; at++) { /* first the write, then the close */
        fake_reset("");
        memory = (fail_alloc){0};
        fake.fail_at = at;
        fake.error = ENOSPC;
        assert_int_equal(run(args), RC_EXIT_IO);
        assert_string_equal(fake.err.text,
                            "recourse: cannot write the output: No space left on device\n");
    }
}

/* ---- failing allocations, once and permanently ---- */

static void no_failing_allocation_crashes_or_leaks(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(fault_lines); i++) {
        run_fresh(&fault_lines[i]);
        const size_t requests = memory.calls;
        assert_true(requests > 0 && requests < 500);
        for (size_t j = 0; j < requests * 2; j++) {
            fake_reset(fault_lines[i].input != NULL ? fault_lines[i].input : "");
            fake_env("LANG", "C.UTF-8");
            memory = (fail_alloc){.fail_at = j / 2 + 1, .for_good = j % 2 != 0};
            int status = run(fault_lines[i].args);
            assert_true(is_status_of_ours(status));
            if (status == RC_EXIT_OK)
                assert_true(fake.out.len > 0);
            else
                assert_int_equal(fake.out.len, 0);
        }
    }
}

static void no_memory_for_the_output_is_reported(void **state)
{
    (void)state;
    static const char *const args[ARGS_MAX] = {"--version"};
    fake_reset("");
    memory = (fail_alloc){.fail_at = 1, .for_good = true};
    assert_int_equal(run(args), RC_EXIT_INTERNAL);
    assert_string_equal(fake.err.text, "recourse: out of memory for the output\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(usage_errors_are_named_and_nothing_is_printed),
        cmocka_unit_test(the_requested_output_is_printed),
        cmocka_unit_test(all_formats_except_http_end_with_a_newline),
        cmocka_unit_test(a_terminal_gets_a_prompt),
        cmocka_unit_test(invalid_input_gives_a_report_with_the_position),
        cmocka_unit_test(without_entropy_only_the_id_is_missing),
        cmocka_unit_test(too_large_an_input_is_refused),
        cmocka_unit_test(no_failing_call_is_reported_as_success),
        cmocka_unit_test(a_lost_output_is_reported),
        cmocka_unit_test(no_failing_allocation_crashes_or_leaks),
        cmocka_unit_test(no_memory_for_the_output_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
