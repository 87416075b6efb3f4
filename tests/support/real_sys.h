/* The real system with processes, pipes, signals and terminals, in which any call can be made to
 * fail and waiting takes no time: the clock advances only by the time that a poll would have
 * waited. Output to standard error is recorded. The state is global, because system calls have no
 * context argument, so a program has only one. */
#ifndef RC_TESTS_REAL_SYS_H
#define RC_TESTS_REAL_SYS_H

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "sys/calls.h"

#define REAL_STDERR_MAX ((size_t)1 << 18)
/* A poll with a longer timeout than this waits for a process, so it really waits. */
#define REAL_WAIT_MAX_MS 200000
/* Real duration of a poll that waits for a time: sufficient for events that are about to arrive. */
#define REAL_SLICE_MS 5
/* Real duration of a poll after a child was killed: on a busy machine a killed process takes some
 * time to end, and its SIGCHLD ends the poll. */
#define REAL_KILLED_MS 60000
/* Time of the fake clock at the start of a test. */
#define REAL_START_MS UINT64_C(1000000)

static struct real_sys {
    int calls;   /* Number of calls so far that could fail. */
    int fail_at; /* Number of the first call that fails; 0: none fails. */
    bool is_for_good;
    int error;
    bool has_killed;            /* SIGKILL was sent, and the end of the process has not been seen
                                   yet. */
    bool has_failed_modes;      /* A call of tcsetattr failed. */
    bool has_failed_foreground; /* A call of tcsetpgrp failed. */
    uint64_t ahead_ms;          /* Time that has passed on the fake clock, in milliseconds. */
    int stderr_fd;              /* Descriptor of the reopened standard error; 0: not reopened. */
    int raised;                 /* Signal that this process sent to itself; the signal is recorded
                                   and not delivered. */
    size_t stderr_len;
    char stderr_bytes[REAL_STDERR_MAX];
} real;

static inline void real_reset(void)
{
    memset(&real, 0, sizeof real);
}

static bool real_fails(void)
{
    real.calls++;
    bool is_hit = real.is_for_good ? real.calls >= real.fail_at : real.calls == real.fail_at;
    if (real.fail_at == 0 || !is_hit)
        return false;
    errno = real.error;
    return true;
}

/* Number of open descriptors. */
static inline size_t real_open_count(void)
{
    size_t count = 0;
    DIR *list = opendir("/proc/self/fd");
    while (list != NULL && readdir(list) != NULL)
        count++;
    if (list != NULL)
        closedir(list);
    return count;
}

static int real_open_read(const char *path)
{
    return real_fails() ? -1 : rc_sys_real.open_read(path);
}

static int real_open_file(const char *path)
{
    return real_fails() ? -1 : rc_sys_real.open_file(path);
}

static int real_open_append(const char *path)
{
    return real_fails() ? -1 : rc_sys_real.open_append(path);
}

static int real_open_temp(const char *folder)
{
    return real_fails() ? -1 : rc_sys_real.open_temp(folder);
}

static int real_open_terminal(void)
{
    return real_fails() ? -1 : rc_sys_real.open_terminal();
}

/* Duplicates the descriptor instead of opening it again: no call blocks in these tests. */
static int real_open_again(int fd)
{
    int copy = real_fails() ? -1 : rc_sys_real.lift(fd);
    if (copy >= 0 && fd == STDERR_FILENO)
        real.stderr_fd = copy;
    return copy;
}

static ssize_t real_read(int fd, void *buf, size_t size)
{
    return real_fails() ? -1 : read(fd, buf, size);
}

static ssize_t real_write(int fd, const void *buf, size_t size)
{
    if (real_fails())
        return -1;
    if (fd != STDERR_FILENO && (fd != real.stderr_fd || fd == 0))
        return write(fd, buf, size);
    size_t room = sizeof real.stderr_bytes - 1 - real.stderr_len;
    size_t put = size < room ? size : room;
    memcpy(real.stderr_bytes + real.stderr_len, buf, put);
    real.stderr_len += put;
    return (ssize_t)size;
}

/* As with close on Linux, the descriptor is closed even if an error is returned. */
static int real_close(int fd)
{
    bool is_failing = real_fails();
    int result = close(fd);
    if (fd == real.stderr_fd)
        real.stderr_fd = 0;
    if (is_failing)
        errno = real.error;
    return is_failing ? -1 : result;
}

static int real_realtime(struct timespec *ret_time)
{
    return real_fails() ? -1 : rc_sys_real.clock_realtime(ret_time);
}

/* The time advances only when a poll has waited in vain, so that a busy machine uses up no time
 * limit: a limit of the program that is shorter than REAL_KILLED_MS would otherwise end first. */
static int real_monotonic(struct timespec *ret_time)
{
    if (real_fails())
        return -1;
    const uint64_t now_ms = REAL_START_MS + real.ahead_ms;
    *ret_time = (struct timespec){.tv_sec = (time_t)(now_ms / 1000),
                                  .tv_nsec = (long)(now_ms % 1000) * 1000000};
    return 0;
}

static ssize_t real_random(void *buf, size_t size)
{
    return real_fails() ? -1 : rc_sys_real.getrandom(buf, size);
}

static ssize_t real_pread(int fd, void *buf, size_t size, off_t at)
{
    return real_fails() ? -1 : pread(fd, buf, size, at);
}

static off_t real_lseek(int fd, off_t at, int whence)
{
    return real_fails() ? -1 : lseek(fd, at, whence);
}

static int real_fstat(int fd, struct stat *ret_stat)
{
    return real_fails() ? -1 : fstat(fd, ret_stat);
}

static int real_stat(const char *path, struct stat *ret_stat)
{
    return real_fails() ? -1 : stat(path, ret_stat);
}

static int real_lift(int fd)
{
    return real_fails() ? -1 : rc_sys_real.lift(fd);
}

static int real_set_nonblocking(int fd)
{
    return real_fails() ? -1 : rc_sys_real.set_nonblocking(fd);
}

static int real_pipe(int ret_fds[2])
{
    return real_fails() ? -1 : rc_sys_real.pipe(ret_fds);
}

/* Returns whether this process has a child that runs or was not reaped yet. */
static bool real_has_child(void)
{
    siginfo_t info = {0};
    return waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

/* Returns how long a poll really waits, in milliseconds. */
static int real_duration(int timeout_ms)
{
    bool is_time = timeout_ms >= 0 && timeout_ms < REAL_WAIT_MAX_MS;
    if (!is_time || timeout_ms <= REAL_SLICE_MS)
        return timeout_ms;
    real.has_killed = real.has_killed && real_has_child();
    return real.has_killed ? REAL_KILLED_MS : REAL_SLICE_MS;
}

static int real_poll(struct pollfd *fds, nfds_t count, int timeout_ms)
{
    if (real_fails())
        return -1;
    int ready = poll(fds, count, real_duration(timeout_ms));
    if (ready == 0)
        real.ahead_ms += (uint64_t)timeout_ms;
    return ready;
}

static int real_spawn(const rc_spawn *request, pid_t *ret_pid)
{
    return real_fails() ? real.error : rc_sys_real.spawn(request, ret_pid);
}

static int real_waitid(idtype_t kind, id_t id, siginfo_t *ret_info, int options)
{
    return real_fails() ? -1 : waitid(kind, id, ret_info, options);
}

static int real_kill(pid_t pid, int signal)
{
    if (real_fails())
        return -1;
    int result = kill(pid, signal);
    real.has_killed = real.has_killed || (result == 0 && signal == SIGKILL);
    return result;
}

static int real_raise(int signal, bool is_for_group)
{
    (void)is_for_group;
    real.raised = signal;
    return 0;
}

static int real_children(pid_t *ret_pids, size_t max)
{
    return real_fails() ? -1 : rc_sys_real.children(ret_pids, max);
}

static int real_adopt(void)
{
    return real_fails() ? -1 : rc_sys_real.adopt_orphans();
}

static int real_mask(int how, const sigset_t *set, sigset_t *ret_old)
{
    return real_fails() ? -1 : sigprocmask(how, set, ret_old);
}

static int real_signal_fd(const sigset_t *set)
{
    return real_fails() ? -1 : rc_sys_real.signal_fd(set);
}

static int real_action(int signal, const struct sigaction *action, struct sigaction *ret_old)
{
    return real_fails() ? -1 : sigaction(signal, action, ret_old);
}

static int real_pending(sigset_t *ret_set)
{
    return real_fails() ? -1 : sigpending(ret_set);
}

static int real_tcflush(int fd, int queue)
{
    return real_fails() ? -1 : tcflush(fd, queue);
}

static int real_tcgetattr(int fd, struct termios *ret_modes)
{
    return real_fails() ? -1 : tcgetattr(fd, ret_modes);
}

static int real_tcsetattr(int fd, int when, const struct termios *modes)
{
    if (!real_fails())
        return tcsetattr(fd, when, modes);
    real.has_failed_modes = true;
    return -1;
}

static pid_t real_tcgetpgrp(int fd)
{
    return real_fails() ? -1 : tcgetpgrp(fd);
}

static int real_tcsetpgrp(int fd, pid_t group)
{
    if (!real_fails())
        return tcsetpgrp(fd, group);
    real.has_failed_foreground = true;
    return -1;
}

static int real_isatty(int fd)
{
    return isatty(fd);
}

static int real_columns(int fd)
{
    return rc_sys_real.columns(fd);
}

static int real_offset(time_t at)
{
    (void)at;
    return 0;
}

static const char *real_getenv(const char *name)
{
    return rc_sys_real.getenv(name);
}

static pid_t real_getpgrp(void)
{
    return getpgrp();
}

static const rc_sys_calls real_calls = {
    .open_read = real_open_read,
    .open_file = real_open_file,
    .read = real_read,
    .write = real_write,
    .close = real_close,
    .isatty = real_isatty,
    .columns = real_columns,
    .clock_realtime = real_realtime,
    .utc_offset_s = real_offset,
    .getrandom = real_random,
    .getenv = real_getenv,
    .clock_monotonic = real_monotonic,
    .open_append = real_open_append,
    .open_temp = real_open_temp,
    .open_terminal = real_open_terminal,
    .open_again = real_open_again,
    .pread = real_pread,
    .lseek = real_lseek,
    .fstat = real_fstat,
    .stat = real_stat,
    .lift = real_lift,
    .set_nonblocking = real_set_nonblocking,
    .pipe = real_pipe,
    .poll = real_poll,
    .spawn = real_spawn,
    .waitid = real_waitid,
    .kill = real_kill,
    .raise = real_raise,
    .adopt_orphans = real_adopt,
    .children = real_children,
    .getpgrp = real_getpgrp,
    .signal_mask = real_mask,
    .signal_fd = real_signal_fd,
    .signal_action = real_action,
    .signal_pending = real_pending,
    .tcgetattr = real_tcgetattr,
    .tcsetattr = real_tcsetattr,
    .tcflush = real_tcflush,
    .tcgetpgrp = real_tcgetpgrp,
    .tcsetpgrp = real_tcsetpgrp,
};

#endif
