/* Starting a process. posix_spawn tells us whether the program could be run before it returns, so
 * that "there is no such command" is never mistaken for a command that failed. */
#define _GNU_SOURCE
#include <spawn.h>
#include <unistd.h>

#include "sys/calls.h"

static int set_attributes(posix_spawnattr_t *attributes, const rc_spawn *what)
{
    /* We ignore SIGPIPE; a filter must not. Signals that our parent ignores stay ignored, as for
     * any other command. */
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    int error = posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (error == 0)
        error = posix_spawnattr_setpgroup(attributes, 0);
    if (error == 0)
        error = posix_spawnattr_setsigmask(attributes, &what->mask);
    if (error == 0)
        error = posix_spawnattr_setsigdefault(attributes, &defaults);
    return error;
}

static int set_files(posix_spawn_file_actions_t *files, const rc_spawn *what)
{
    int error = 0;
    if (what->tty_fd >= 0)
        error = posix_spawn_file_actions_addtcsetpgrp_np(files, what->tty_fd);
    if (error == 0 && what->stdin_fd >= 0)
        error = posix_spawn_file_actions_adddup2(files, what->stdin_fd, STDIN_FILENO);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(files, what->stderr_fd, STDERR_FILENO);
    return error;
}

int rc_sys_spawn(const rc_spawn *what, pid_t *ret_pid)
{
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    int error = posix_spawnattr_init(&attributes);
    if (error != 0)
        return error;
    error = posix_spawn_file_actions_init(&files);
    if (error == 0) {
        error = set_attributes(&attributes, what);
        if (error == 0)
            error = set_files(&files, what);
        /* posix_spawn has had its pointers without const for as long as it exists. */
        if (error == 0)
            error = posix_spawnp(ret_pid, what->argv[0], &files, &attributes,
                                 (char *const *)(const void *)what->argv, environ);
        posix_spawn_file_actions_destroy(&files);
    }
    posix_spawnattr_destroy(&attributes);
    return error;
}
