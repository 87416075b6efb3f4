/* Tests of the progress line of `recourse audit stats`: the line is shown only on a terminal, and
 * is cleared at the end. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "render/wrap.h"
#include "support/audit_fill.h"
#include "support/run_cli.h"
#include "support/store_fixture.h"

/* Number of operations; enough for the store to call its progress callback several times. */
#define OPERATIONS 3000
/* The time of the fake clock, and the length of a day. */
#define NOW INT64_C(1794790923456)
#define SPAN_MS INT64_C(86400000)

static store_fixture fixture;

static int set_up(void **state)
{
    static fill filler;
    (void)state;
    fixture_init(&fixture);
    assert_true(fixture_open(&fixture, RC_STORE_WRITE));
    fill_init(&filler, fixture.store, &fixture.alloc, 7);
    assert_true(fill_run(&filler, OPERATIONS, NOW - SPAN_MS, NOW, &fixture.fault));
    fixture_close(&fixture);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    fixture_done(&fixture);
    return 0;
}

static const char *term = "xterm";

/* Returns the standard error of `recourse audit stats --store FILE ARG ARG`. */
static const char *stderr_of(bool is_terminal, const char *columns, const char *option,
                             const char *value)
{
    fake_reset("");
    fake_env("LANG", "C.UTF-8");
    fake_env("TERM", term);
    fake_env("COLUMNS", columns);
    fake.is_tty[2] = is_terminal;
    memory = (fail_alloc){.fail_at = 0};
    assert_int_equal(
        run((const char *const[]){"audit", "stats", "--store", fixture.path, option, value, NULL}),
        0);
    assert_non_null(strstr(fake.out.text, option == NULL ? "operations  " : "perations"));
    return fake.err.text;
}

static void a_terminal_shows_the_progress(void **state)
{
    (void)state;
    const char *text = stderr_of(true, "80", NULL, NULL);
    static const char line[] = "\rComputing statistics: ";
    unsigned long shown[2] = {0, 0};
    unsigned long lines = 0;
    for (const char *at = text; (at = strstr(at, line)) != NULL; lines++) {
        char *end = NULL;
        at += sizeof line - 1;
        const unsigned long percent = strtoul(at, &end, 10);
        assert_memory_equal(end, "%, ", 3);
        const unsigned long count = strtoul(end + 3, &end, 10);
        assert_memory_equal(end, " operations, ", 13);
        assert_true(percent < 100 && percent >= shown[0]);
        assert_true(count <= OPERATIONS && count >= shown[1]);
        shown[0] = percent;
        shown[1] = count;
    }
    assert_true(lines > 1 && shown[1] > 0 && shown[0] > 0);
    /* the line is cleared at the end */
    const size_t len = strlen(text);
    assert_true(len > 4);
    assert_string_equal(text + len - 4, "\r\x1b[K");
}

static void on_a_narrow_terminal_the_line_is_cut(void **state)
{
    (void)state;
    const char *text = stderr_of(true, "24", NULL, NULL);
    assert_non_null(strstr(text, "\rComputing statistics: "));
    while (*text == '\r' && strcmp(text, "\r\x1b[K") != 0) {
        const char *end = strstr(text, "\x1b[K");
        assert_non_null(end);
        assert_true(rc_visible_width(rc_str_make(text + 1, (size_t)(end - text) - 1), true) <= 23);
        text = end + 3;
    }
    assert_string_equal(text, "\r\x1b[K");
}

static void other_outputs_show_no_progress(void **state)
{
    (void)state;
    term = "dumb";
    assert_string_equal(stderr_of(true, "80", NULL, NULL), "");
    term = "xterm";
    assert_string_equal(stderr_of(false, "80", NULL, NULL), "");
    assert_string_equal(stderr_of(true, "80", "--format", "json"), "");
    assert_string_equal(stderr_of(true, "80", "--format", "markdown"), "");
    /* A short run shows no progress line. */
    assert_string_equal(stderr_of(true, "80", "--since", "1m"), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_terminal_shows_the_progress),
        cmocka_unit_test(on_a_narrow_terminal_the_line_is_cut),
        cmocka_unit_test(other_outputs_show_no_progress),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
