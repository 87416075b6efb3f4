/* Signal handling of commands that only read input and write output. Called by cli/main.c. */
#define _GNU_SOURCE
#include "sys/signals.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

/* Ends the process at once. Nothing needs to be undone, because these commands change no file
 * before they write their output at the end. */
static void end_process(int signal)
{
    _exit(128 + signal);
}

static void end_on(int signal)
{
    struct sigaction old;
    if (sigaction(signal, NULL, &old) != 0 || old.sa_handler == SIG_IGN)
        return;
    struct sigaction action = {.sa_handler = end_process};
    sigemptyset(&action.sa_mask);
    sigaction(signal, &action, NULL);
}

void rc_signals_init(void)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigemptyset(&ignore.sa_mask);
    sigaction(SIGPIPE, &ignore, NULL);
    end_on(SIGINT);
    end_on(SIGTERM);
}
