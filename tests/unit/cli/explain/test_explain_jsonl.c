/* Tests of `recourse explain --jsonl` on a failing system: reads of any size, lines of any length,
 * and each system call and allocation failing, either once or permanently. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "support/fail_alloc.h"
#include "support/fake_sys.h"

#include "cli/cli.h"
#include "cli/explain/case_parts.h"
#include "cli/explain/lines.h"
#include "support/run_cli.h"
#include "sys/file.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define CASES                                                                             \
    "{\"id\":\"a\",\"status\":429,\"headers\":{\"retry-after\":\"20\"},\"body\":\"x\"}\n" \
    "\r\n"                                                                                \
    "nonsense\n"                                                                          \
    "{\"id\":3,\"status\":\"x\"}\n"                                                       \
    "{\"id\":\"b\\n\",\"event\":{\"error\":{\"type\":\"overloaded_error\"}}}"

static void reset(const char *input)
{
    fake_reset(input);
    fake_env("LANG", "C.UTF-8");
    memory = (fail_alloc){0};
}

static void expect_inside(const char *text, const char *part)
{
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" is not in: %s", part, text);
}

static const char *const jsonl_args[ARGS_MAX] = {"explain", "--jsonl"};

static void reads_of_any_size_give_the_same_output(void **state)
{
    (void)state;
    static fake_output whole;
    reset(CASES);
    assert_int_equal(run(jsonl_args), RC_EXIT_OK);
    whole = fake.out;
    expect_inside(whole.text, "{\"id\":\"a\",\"report_id\":\"rep_");
    expect_inside(whole.text, "line 3 is not a case: ");
    expect_inside(whole.text, "{\"id\":3,\"report_id\":\"rep_");
    expect_inside(whole.text, "line 4 is not a case: status must be a whole number");
    expect_inside(whole.text, "{\"id\":\"b\\n\",");
    assert_int_equal(whole.text[whole.len - 1], '\n');
    assert_int_equal(fake.err.len, 0);
    for (size_t piece = 1; piece < 100; piece += 7) {
        reset(CASES);
        fake.piece = piece;
        assert_int_equal(run(jsonl_args), RC_EXIT_OK);
        assert_string_equal(fake.out.text, whole.text);
    }
}

/* ---- failing system calls, once and permanently ---- */

static const struct faulty {
    const char *args[ARGS_MAX];
    const char *input;
} faulty[] = {
    {{"explain", "--jsonl"}, CASES},
    {{"explain", "--jsonl", "file"}, CASES},
    {{"explain"},
     "HTTP/1.1 429 Too Many Requests\nretry-after: 3\n\n{\"error\":{\"message\":\"x\"}}"},
    {{"explain", "--why", "file"}, "{\"error\":{\"type\":\"rate_limit_error\",\"message\":\"x\"}}"},
    {{"explain", "--why", "--format=json"},
     "{\"id\":\"a\",\"status\":503,\"body\":\"\\u001b[1m\"}"},
    {{"explain", "--format=report"}, "\x1b[31mError code: 401\x1b[0m"},
    {{"explain"}, "{\"error_class\":\"Internal\",\"error_code\":\"Internal\",\"message\":\"x\"}"},
    {{"explain", "--check-rules", "file"},
     "rule a.b\n when status:503 and text:\"pool\"\n then Overloaded\n because \"it is full\"\n"},
    {{"explain", "--rules", "file", "-"},
     "rule a.b\n when status:503 and text:\"pool\"\n then Overloaded\n because \"it is full\"\n"},
};

static bool is_status_of_ours(int status)
{
    return status == RC_EXIT_OK || status == RC_EXIT_USAGE || status == 65 ||
           status == RC_EXIT_NO_INPUT || status == RC_EXIT_INTERNAL || status == RC_EXIT_IO;
}

static size_t count_lines(const fake_output *output)
{
    size_t count = 0;
    for (size_t i = 0; i < output->len; i++)
        count += output->text[i] == '\n';
    return count;
}

static void no_failing_call_is_reported_as_success(void **state)
{
    (void)state;
    static const int errors[] = {EIO, ENOSPC, EINTR};
    for (size_t i = 0; i < COUNT(faulty); i++) {
        reset(faulty[i].input);
        const int usual = run(faulty[i].args);
        const int calls = fake.calls;
        const size_t lines = count_lines(&fake.out);
        for (int j = 0; j < calls * (int)COUNT(errors) * 2; j++) {
            reset(faulty[i].input);
            fake.error = errors[(size_t)j / 2 % COUNT(errors)];
            fake.is_for_good =
                j % 2 != 0 && fake.error != EINTR; /* a permanent EINTR would be retried for ever */
            fake.fail_at = j / 2 / (int)COUNT(errors) + 1;
            int status = run(faulty[i].args);
            assert_true(is_status_of_ours(status));
            if (status == RC_EXIT_OK) {
                assert_int_equal(usual, RC_EXIT_OK);
                /* Without an id, or without a clock, a panel has one line less. */
                assert_true(count_lines(&fake.out) + 2 >= lines);
            } else if (usual == RC_EXIT_OK) {
                assert_true(fake.err.len > 0 || fake.is_for_good);
            }
        }
    }
}

static void no_failing_allocation_crashes_or_leaks(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT(faulty); i++) {
        reset(faulty[i].input);
        run(faulty[i].args);
        const size_t requests = memory.calls;
        assert_true(requests > 0 && requests < 500);
        for (size_t j = 0; j < requests * 2; j++) {
            reset(faulty[i].input);
            memory = (fail_alloc){.fail_at = j / 2 + 1, .for_good = j % 2 != 0};
            int status = run(faulty[i].args);
            assert_true(is_status_of_ours(status));
            if (status == RC_EXIT_OK)
                assert_true(fake.out.len > 0);
        }
    }
}

static void a_lost_output_is_reported(void **state)
{
    (void)state;
    reset(CASES);
    fake.error = ENOSPC;
    fake.fail_at = 1;
    while (run(jsonl_args) != RC_EXIT_IO) {
        int next = fake.fail_at + 1;
        assert_true(next < 50);
        reset(CASES);
        fake.error = ENOSPC;
        fake.fail_at = next;
    }
    assert_string_equal(fake.err.text,
                        "recourse: cannot write the output: No space left on device\n");
}

/* ---- lines ---- */

#define LINE_MAX_BYTES ((size_t)300 << 10)

static void a_too_long_line_is_cut_and_later_lines_are_read(void **state)
{
    (void)state;
    const size_t size = LINE_MAX_BYTES * 3;
    char *text = malloc(size + 16);
    assert_non_null(text);
    memcpy(text, "ab\n", 3);
    memset(text + 3, 'x', size);
    memcpy(text + 3 + size, "\ncd\n\nef", 8);
    for (size_t piece = 1000; piece < 1000000; piece *= 10) {
        static const char *const wanted[] = {"ab", NULL, "cd", "", "ef"};
        rc_lines lines;
        rc_line line = {0};
        size_t count = 0;
        reset(text);
        fake.piece = piece;
        rc_alloc alloc = fail_alloc_of(&memory);
        rc_lines_init(&lines, &fake_calls, &alloc, 0, LINE_MAX_BYTES);
        for (rc_lines_step step = RC_LINES_WAIT; step != RC_LINES_END;) {
            step = rc_lines_next(&lines, &line);
            assert_int_not_equal(step, RC_LINES_ERROR);
            if (step != RC_LINES_LINE)
                continue;
            assert_true(count < COUNT(wanted));
            assert_int_equal(line.is_too_long, wanted[count] == NULL);
            if (wanted[count] == NULL)
                assert_int_equal(line.text.len, LINE_MAX_BYTES);
            else
                assert_true(rc_str_eq(line.text, rc_str_c(wanted[count])));
            count++;
        }
        assert_int_equal(count, COUNT(wanted));
        rc_lines_done(&lines);
        assert_int_equal(memory.live, 0);
        assert_true(memory.peak_bytes < LINE_MAX_BYTES * 3);
    }
    free(text);
}

static void a_wait_is_announced_before_each_read(void **state)
{
    (void)state;
    rc_lines lines;
    rc_line line;
    reset("a\nb\nc");
    fake.piece = 4;
    rc_alloc alloc = fail_alloc_of(&memory);
    rc_lines_init(&lines, &fake_calls, &alloc, 0, 100);
    static const rc_lines_step steps[] = {RC_LINES_WAIT, RC_LINES_LINE, RC_LINES_LINE,
                                          RC_LINES_WAIT, RC_LINES_WAIT, RC_LINES_LINE,
                                          RC_LINES_END};
    for (size_t i = 0; i < COUNT(steps); i++)
        assert_int_equal(rc_lines_next(&lines, &line), steps[i]);
    rc_lines_done(&lines);
}

/* ---- cases ---- */

static const struct bad_case {
    const char *json;
    const char *key;
    const char *what;
    const char *id;
} bad_cases[] = {
    {"", NULL, "expected an object", NULL},
    {"[]", NULL, "expected an object", NULL},
    {"\"x\"", NULL, "expected an object", NULL},
    {"{\"id\":\"a\"", NULL, "", "a"},
    {"{\"id\":\"a\",}", NULL, "", "a"},
    {"{\"status\":1 \"id\":\"a\"}", NULL, "", "a"},
    {"{\"id\":\"a\"} {}", NULL, "", "a"},
    {"{\"id\":null}", "id", "must be a string", NULL},
    {"{\"id\":{\"a\":1},\"status\":1}", "id", "must be a string", NULL},
    {"{\"id\":\"a\",\"status\":-1}", "status", "must be a whole number", "a"},
    {"{\"id\":\"a\",\"status\":1000}", "status", "must be a whole number", "a"},
    {"{\"id\":\"a\",\"status\":[429]}", "status", "must be a whole number", "a"},
    {"{\"id\":\"a\",\"status\":4.5}", "status", "must be a whole number", "a"},
    {"{\"provider\":7,\"id\":\"a\"}", "provider", "must be a string", "a"},
    {"{\"family\":\"video\",\"id\":\"a\"}", "family", "must be one of llm", "a"},
    {"{\"transport\":\"x\",\"id\":\"a\"}", "transport", "must be one of timeout", "a"},
    {"{\"phase\":\"x\",\"id\":\"a\"}", "phase", "must be one of connect", "a"},
    {"{\"replayable\":\"yes\",\"id\":\"a\"}", "replayable", "must be true or false", "a"},
    {"{\"headers\":\"x\",\"id\":\"a\"}", "headers", "must be an object of strings", "a"},
    {"{\"headers\":{\"x\":{}},\"id\":\"a\"}", "headers", "must be an object of strings", "a"},
    {"{\"headers\":[\"x\"],\"id\":\"a\"}", "headers", "must be a list of [name, value]", "a"},
    {"{\"headers\":[[]],\"id\":\"a\"}", "headers", "must be a list of [name, value]", "a"},
    {"{\"headers\":[[\"x\"]],\"id\":\"a\"}", "headers", "must be a list of [name, value]", "a"},
    {"{\"headers\":[[1,2,[3]]],\"id\":\"a\"}", "headers", "must be a list of [name, value]", "a"},
    {"{\"exit_status\":256,\"id\":\"a\"}", "exit_status", "must be a whole number from 0 to 255",
     "a"},
};

static void invalid_cases_are_refused_with_the_member_at_fault(void **state)
{
    (void)state;
    static rc_case c;
    rc_alloc alloc = fail_alloc_of(&memory);
    memory = (fail_alloc){0};
    rc_case_init(&c, &alloc);
    for (size_t i = 0; i < COUNT(bad_cases); i++) {
        const struct bad_case *bad = &bad_cases[i];
        rc_case_fault fault = {0};
        print_message("%s\n", bad->json);
        assert_int_not_equal(rc_case_read(&c, rc_str_c(bad->json), &fault), RC_OK);
        expect_inside(fault.what, bad->what);
        assert_int_equal(fault.key == NULL, bad->key == NULL);
        if (bad->key != NULL)
            assert_string_equal(fault.key, bad->key);
        assert_int_equal(c.has_id, bad->id != NULL);
        assert_true(rc_str_eq(c.id, rc_str_c(bad->id)));
    }
    rc_case_done(&c);
    assert_int_equal(memory.live, 0);
}

static void a_case_with_every_member_is_read(void **state)
{
    (void)state;
    static rc_case c;
    rc_case_fault fault;
    rc_alloc alloc = fail_alloc_of(&memory);
    memory = (fail_alloc){0};
    rc_case_init(&c, &alloc);
    rc_str json = RC_STR(
        "{\"i\\u0064\":\"\\ud83d\\ude00\",\"provider\":\"groq\",\"model\":\"m\",\"family\":"
        "\"image\","
        "\"status\":503,\"headers\":{\"A\\n\":\"b\\tc\",\"n\":7,\"l\":[\"x\",\"y\"],\"z\":null},"
        "\"body\":{\"a\": [1]},\"event\":\"half \\ud800 \xff\",\"transport\":\"reset\","
        "\"phase\":\"sent\",\"replayable\":false,\"exit_status\":75,\"context_window\":200000,"
        "\"expect\":{\"code\":[]},\"why\":null}");
    assert_int_equal(rc_case_read(&c, json, &fault), RC_OK);
    const rc_failure *f = &c.failure;
    assert_true(rc_str_eq(c.id, RC_STR("\xF0\x9F\x98\x80")));
    assert_true(rc_str_eq(f->provider, RC_STR("groq")));
    assert_true(rc_str_eq(f->model, RC_STR("m")));
    assert_int_equal(f->family, RC_FAMILY_IMAGE);
    assert_int_equal(f->status, 503);
    assert_int_equal(f->header_count, 4);
    assert_true(rc_str_eq(f->headers[0].name, RC_STR("A\n")));
    assert_true(rc_str_eq(f->headers[0].value, RC_STR("b\tc")));
    assert_true(rc_str_eq(f->headers[1].value, RC_STR("7")));
    assert_true(rc_str_eq(f->headers[3].value, RC_STR("y")));
    assert_true(rc_str_eq(f->body, RC_STR("{\"a\": [1]}")));
    assert_true(rc_str_eq(f->event, RC_STR("half \xEF\xBF\xBD \xEF\xBF\xBD")));
    assert_int_equal(f->transport, RC_TRANSPORT_RESET);
    assert_int_equal(f->phase, RC_PHASE_SENT);
    assert_int_equal(f->replay, RC_REPLAY_NO);
    assert_int_equal(f->exit_status, 75);
    assert_int_equal(f->context_window, 200000);
    json = RC_STR("{\"id\":12,\"headers\":[[\"a\",\"b\",3],[\"c\",\"d\"]],\"body\":null}");
    assert_int_equal(rc_case_read(&c, json, &fault), RC_OK);
    assert_true(c.is_id_number && rc_str_eq(c.id, RC_STR("12")));
    assert_int_equal(c.failure.header_count, 2);
    assert_true(rc_str_eq(c.failure.headers[1].value, RC_STR("d")));
    assert_int_equal(c.failure.body.len + (size_t)c.failure.status, 0);
    rc_case_done(&c);
    assert_int_equal(memory.live, 0);
}

/* Members of valid cases, which the fast reader parses. If an unusual member (a header with the
 * value null) precedes them, the tolerant reader parses them. Both readers must return the same
 * result. */
static const char *const plain_members[] = {
    "\"status\":429",
    "\"status\": 0 , \"model\" : \"m\"",
    "\"status\":null,\"provider\":null,\"body\":null,\"family\":null",
    "\"body\":\"\",\"event\":\"data: {\\\"a\\\":\\\"\\u00e9\\\"}\\n\\n\"",
    "\"body\":{\"a\":[1,{\"b\":\"}\\\"\"}]},\"event\":[]",
    "\"body\":\"first\",\"body\":\"second \xC3\xA9 \\ud83d\\ude00\"",
    "\"headers\":{\"a\":\"b\",\"c\":\"d\\te\"}",
    "\"family\":\"image\",\"phase\":\"sent\",\"transport\":\"eof\",\"replayable\":true",
    "\"replayable\":false,\"exit_status\":255,\"context_window\":1000000000",
    "\"x\":{\"a\":\"b\"},\"y\":[1.5e3,{}],\"z\":-0.5,\"why\":\"because \\\\ it\",\"n\":true",
    "\"x\":{\"a\":\"it's } \\\" so\"},\"status\":7",
};

static void expect_same_failure(const rc_failure *a, const rc_failure *b)
{
    assert_int_equal(a->status, b->status);
    assert_true(rc_str_eq(a->provider, b->provider) && rc_str_eq(a->model, b->model));
    assert_true(rc_str_eq(a->body, b->body) && rc_str_eq(a->event, b->event));
    assert_int_equal(a->family, b->family);
    assert_int_equal(a->transport, b->transport);
    assert_int_equal(a->phase, b->phase);
    assert_int_equal(a->replay, b->replay);
    assert_int_equal(a->exit_status, b->exit_status);
    assert_int_equal(a->context_window, b->context_window);
    assert_int_equal(a->header_count, b->header_count);
    for (size_t i = 0; i < a->header_count; i++) {
        assert_true(rc_str_eq(a->headers[i].name, b->headers[i].name));
        assert_true(rc_str_eq(a->headers[i].value, b->headers[i].value));
    }
}

static void both_readers_give_the_same_result(void **state)
{
    (void)state;
    static rc_case fast;
    static rc_case slow;
    rc_alloc alloc = fail_alloc_of(&memory);
    memory = (fail_alloc){0};
    rc_case_init(&fast, &alloc);
    rc_case_init(&slow, &alloc);
    for (size_t i = 0; i < COUNT(plain_members); i++) {
        char text[512];
        char odd[512];
        rc_case_fault fault;
        print_message("%s\n", plain_members[i]);
        snprintf(text, sizeof text, "{\"id\":\"a\",%s}", plain_members[i]);
        snprintf(odd, sizeof odd, "{\"headers\":{\"x\":null},\"id\":\"a\",%s}", plain_members[i]);
        assert_int_equal(rc_case_read(&fast, rc_str_c(text), &fault), RC_OK);
        assert_int_equal(rc_case_read(&slow, rc_str_c(odd), &fault), RC_OK);
        assert_true(rc_str_eq(fast.id, slow.id));
        expect_same_failure(&fast.failure, &slow.failure);
        assert_true(rc_case_read_plain(&fast, rc_str_c(text)));
        assert_false(rc_case_read_plain(&slow, rc_str_c(odd)));
        /* A truncated case is invalid for both readers. */
        for (size_t len = 0; len < strlen(text); len++)
            assert_int_not_equal(rc_case_read(&fast, rc_str_make(text, len), &fault), RC_OK);
    }
    rc_case_done(&fast);
    rc_case_done(&slow);
    assert_int_equal(memory.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reads_of_any_size_give_the_same_output),
        cmocka_unit_test(no_failing_call_is_reported_as_success),
        cmocka_unit_test(no_failing_allocation_crashes_or_leaks),
        cmocka_unit_test(a_lost_output_is_reported),
        cmocka_unit_test(a_too_long_line_is_cut_and_later_lines_are_read),
        cmocka_unit_test(a_wait_is_announced_before_each_read),
        cmocka_unit_test(invalid_cases_are_refused_with_the_member_at_fault),
        cmocka_unit_test(a_case_with_every_member_is_read),
        cmocka_unit_test(both_readers_give_the_same_result),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
