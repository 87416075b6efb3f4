/* Ends processes that a command has left behind outside its group. Called by group.c. This process
 * adopts orphans, so these processes become its children, and their numbers cannot be reused before
 * it reaps them. */
#define _GNU_SOURCE
#include "sys/process/run.h"

static size_t list(const rc_run *run, pid_t *ret_pids)
{
    int count = run->calls->children(ret_pids, RC_RUN_SIGNALLED_MAX);
    return count > 0 ? (size_t)count : 0; /* If the kernel has no list of children, only processes
                                           * in the group are found. */
}

static bool is_signalled(const rc_run *run, pid_t pid)
{
    for (size_t i = 0; i < RC_RUN_SIGNALLED_MAX; i++) /* Unused elements are 0, which is no valid
                                                       * process number. */
        if (run->signalled[i] == pid)
            return true;
    return false;
}

size_t rc_run_terminate_leftovers(rc_run *run, bool *ret_has_new)
{
    pid_t pids[RC_RUN_SIGNALLED_MAX];
    size_t count = list(run, pids);
    *ret_has_new = false;
    for (size_t i = 0; i < count; i++) {
        if (is_signalled(run, pids[i]))
            continue;
        run->signalled[run->signalled_count++ % RC_RUN_SIGNALLED_MAX] = pids[i];
        run->calls->kill(pids[i], SIGTERM);
        run->calls->kill(pids[i], SIGCONT);
        *ret_has_new = true;
    }
    return count;
}

void rc_run_kill_leftovers(const rc_run *run)
{
    pid_t pids[RC_RUN_SIGNALLED_MAX];
    size_t count = list(run, pids);
    for (size_t i = 0; i < count; i++)
        run->calls->kill(pids[i], SIGKILL);
}
