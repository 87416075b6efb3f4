/* Runs a command on the fake system, with an allocator that can fail. */
#ifndef RC_TEST_RUN_CLI_H
#define RC_TEST_RUN_CLI_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/cli.h"
#include "support/fail_alloc.h"
#include "support/fake_sys.h"

#define ARGS_MAX 8

static fail_alloc memory;

/* Runs a command line on the fake system, which the test has set up. Returns the exit status. Fails
 * the test if the command does not release all resources. args: ends with NULL, or has ARGS_MAX
 * elements. */
static int run(const char *const *args)
{
    const char *argv[ARGS_MAX + 1] = {"recourse"};
    int argc = 1;
    while (argc <= ARGS_MAX && args[argc - 1] != NULL) {
        argv[argc] = args[argc - 1];
        argc++;
    }
    rc_alloc alloc = fail_alloc_of(&memory);
    rc_cli cli;
    rc_cli_init(&cli, &fake_calls, &alloc);
    int result = rc_cli_main(&cli, argc, argv);
    rc_cli_done(&cli);
    assert_int_equal(memory.live, 0);
    assert_false(memory.is_broken);
    assert_int_equal(fake.open_count, 0);
    return result;
}

#endif
