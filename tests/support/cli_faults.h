/* Runs a command on the real system and makes each of its system calls fail in turn. A test that
 * includes this file defines is_good_with(). */
#ifndef RC_SUPPORT_CLI_FAULTS_H
#define RC_SUPPORT_CLI_FAULTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/cli.h"
#include "support/fail_alloc.h"
#include "support/real_sys.h"

/* Larger than the number of system calls in any scenario. */
#define CALLS_MAX 2000

static fail_alloc memory;

/* Runs the scenario with its Nth system call failing. Returns false if a resource was not released
 * or the failure was not reported. */
static bool is_good_with(int fail_at, bool is_for_good, int error);

static int run_command(const char *const *argv, int argc)
{
    rc_alloc alloc = fail_alloc_of(&memory);
    rc_cli cli;
    rc_cli_init(&cli, &real_calls, &alloc);
    int result = rc_cli_main(&cli, argc, argv);
    rc_cli_done(&cli);
    return result;
}

static int count_bad(bool is_for_good, int error)
{
    int bad = 0;
    for (int at = 1; at < CALLS_MAX; at++) {
        if (!is_good_with(at, is_for_good, error))
            bad++;
        if (real.calls < at)
            return bad;
    }
    return bad + 1; /* the scenario did not end */
}

static void every_call_fails_once(void **state)
{
    (void)state;
    assert_int_equal(count_bad(false, EIO), 0);
}

static void an_interrupted_call_changes_nothing(void **state)
{
    (void)state;
    assert_int_equal(count_bad(false, EINTR), 0);
}

static void every_call_fails_for_good(void **state)
{
    (void)state;
    assert_int_equal(count_bad(true, EIO), 0);
}

#endif
