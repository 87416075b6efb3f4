/* Entry point of the recourse program: sets up the real system calls and the stdlib allocator, and
 * runs rc_cli. */
#include <recourse/stdlib.h>

#include "cli/cli.h"
#include "sys/signals.h"

int main(int argc, char **argv)
{
    rc_alloc alloc = rc_alloc_stdlib();
    rc_cli cli;
    rc_signals_init();
    rc_cli_init(&cli, &rc_sys_real, &alloc);
    int result = rc_cli_main(&cli, argc, (const char *const *)argv);
    rc_cli_done(&cli);
    return result;
}
