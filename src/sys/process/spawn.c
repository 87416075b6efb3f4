/* Starts a process. Called through rc_sys_calls. The file uses posix_spawn because it returns the
 * error of a failed exec, so that a missing command is not mistaken for a command that ran and
 * failed. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sys/calls.h"
#include "sys/process/process.h"

#define SHELL "/bin/sh"
#define DEFAULT_PATH "/usr/bin:/bin"

typedef struct start {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    char **env;
} start;

static int set_attributes(posix_spawnattr_t *attributes, const rc_spawn *request)
{
    /* This process ignores SIGPIPE, but the command must have the default action, which ends a
     * command whose reader has closed the pipe. Signals that the parent of this process ignored
     * stay ignored. */
    sigset_t defaults;
    sigemptyset(&defaults);
    sigaddset(&defaults, SIGPIPE);
    int error = posix_spawnattr_setflags(
        attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF);
    if (error == 0)
        error = posix_spawnattr_setpgroup(attributes, 0);
    if (error == 0)
        error = posix_spawnattr_setsigmask(attributes, &request->mask);
    if (error == 0)
        error = posix_spawnattr_setsigdefault(attributes, &defaults);
    return error;
}

static int set_files(posix_spawn_file_actions_t *files, const rc_spawn *request)
{
    int error = 0;
    if (request->tty_fd >= 0)
        error = posix_spawn_file_actions_addtcsetpgrp_np(files, request->tty_fd);
    if (error == 0 && request->stdin_fd >= 0)
        error = posix_spawn_file_actions_adddup2(files, request->stdin_fd, STDIN_FILENO);
    if (error == 0)
        error = posix_spawn_file_actions_adddup2(files, request->stderr_fd, STDERR_FILENO);
    /* Duplicating the descriptor onto itself clears its close-on-exec flag. */
    if (error == 0 && request->report_fd >= 0)
        error = posix_spawn_file_actions_adddup2(files, request->report_fd, request->report_fd);
    return error;
}

/* Returns our environment with RC_REPORT_FD_NAME replaced or removed, because the inherited value
 * is for the report of this process. Returns NULL if there is no memory. buf: borrows while the
 * result is used. */
static char **make_env(const rc_spawn *request, char *buf, size_t size)
{
    static const char NAME[] = RC_REPORT_FD_NAME "=";
    size_t count = 0;
    size_t kept = 0;
    while (environ[count] != NULL)
        count++;
    char **env = calloc(count + 2, sizeof *env);
    if (env == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++) {
        if (strncmp(environ[i], NAME, sizeof NAME - 1) != 0)
            env[kept++] = environ[i];
    }
    snprintf(buf, size, "%s%d", NAME, request->report_fd);
    if (request->report_fd >= 0)
        env[kept] = buf;
    return env;
}

/* Finds the first executable file `name` in PATH. Returns false if PATH contains no such file. */
static bool find_program(const char *name, char *ret_path, size_t size)
{
    const char *at = getenv("PATH");
    if (strchr(name, '/') != NULL) {
        int len = snprintf(ret_path, size, "%s", name);
        return len > 0 && (size_t)len < size;
    }
    for (at = at != NULL ? at : DEFAULT_PATH; at != NULL;) {
        const char *end = strchrnul(at, ':');
        const char *folder = end > at ? at : ".";
        int folder_len = end > at ? (int)(end - at) : 1;
        int len = snprintf(ret_path, size, "%.*s/%s", folder_len, folder, name);
        if (len > 0 && (size_t)len < size && access(ret_path, X_OK) == 0)
            return true;
        at = *end == ':' ? end + 1 : NULL;
    }
    return false;
}

/* Removes const, because the prototype of posix_spawn lacks it. */
static char *const *plain(const char *const *argv)
{
    return (char *const *)(const void *)argv;
}

/* Runs a script without an interpreter line with the shell, as execvp and shells do. */
static int spawn_script(const start *s, const rc_spawn *request, pid_t *ret_pid)
{
    char path[PATH_MAX];
    size_t count = 0;
    while (request->argv[count] != NULL)
        count++;
    if (count == 0 || !find_program(request->argv[0], path, sizeof path))
        return ENOEXEC;
    const char **argv = calloc(count + 2, sizeof *argv);
    if (argv == NULL)
        return ENOMEM;
    argv[0] = SHELL;
    argv[1] = path;
    for (size_t i = 1; i < count; i++)
        argv[i + 1] = request->argv[i];
    int error = posix_spawn(ret_pid, SHELL, &s->files, &s->attributes, plain(argv), s->env);
    free(argv);
    return error;
}

static int spawn_with(start *s, const rc_spawn *request, pid_t *ret_pid)
{
    int error = set_attributes(&s->attributes, request);
    if (error == 0)
        error = set_files(&s->files, request);
    if (error == 0)
        error = posix_spawnp(ret_pid, request->argv[0], &s->files, &s->attributes,
                             plain(request->argv), s->env);
    return error == ENOEXEC ? spawn_script(s, request, ret_pid) : error;
}

int rc_sys_spawn(const rc_spawn *request, pid_t *ret_pid)
{
    start s;
    int error = posix_spawnattr_init(&s.attributes);
    if (error != 0)
        return error;
    error = posix_spawn_file_actions_init(&s.files);
    if (error == 0) {
        char buf[sizeof RC_REPORT_FD_NAME + 16];
        s.env = make_env(request, buf, sizeof buf);
        error = s.env != NULL ? spawn_with(&s, request, ret_pid) : ENOMEM;
        free(s.env);
        posix_spawn_file_actions_destroy(&s.files);
    }
    posix_spawnattr_destroy(&s.attributes);
    return error;
}
