/* rc_sys_real: the table of the real system calls. The main function passes it to all commands. */
#define _GNU_SOURCE
#include "sys/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define PRIVATE_MODE 0600
#define FIRST_LIFTED 3

static int open_read(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
}

static int open_file(const char *path)
{
    return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

static int columns(int fd)
{
    struct winsize size;
    return ioctl(fd, TIOCGWINSZ, &size) == 0 ? size.ws_col : -1;
}

static int clock_realtime(struct timespec *ret_time)
{
    return clock_gettime(CLOCK_REALTIME, ret_time);
}

static int utc_offset_s(time_t at)
{
    struct tm local;
    return localtime_r(&at, &local) != NULL ? (int)local.tm_gmtoff : 0;
}

static ssize_t get_random(void *buf, size_t size)
{
    return getrandom(buf, size, 0);
}

static const char *get_env(const char *name)
{
    return getenv(name);
}

static int clock_monotonic(struct timespec *ret_time)
{
    return clock_gettime(CLOCK_MONOTONIC, ret_time);
}

static int open_append(const char *path)
{
    return open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
                PRIVATE_MODE);
}

static int open_temp(const char *folder)
{
    return open(folder, O_RDWR | O_TMPFILE | O_EXCL | O_CLOEXEC, PRIVATE_MODE);
}

static int open_terminal(void)
{
    return open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

static int open_again(int fd)
{
    char path[32];
    int number;
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0)
        return -1;
    /* Reopening the master of a pseudo-terminal would create another pseudo-terminal. */
    if (ioctl(fd, TIOCGPTN, &number) == 0) {
        errno = ENOTSUP;
        return -1;
    }
    snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    return open(path, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (flags & O_APPEND));
}

static int lift(int fd)
{
    return fcntl(fd, F_DUPFD_CLOEXEC, FIRST_LIFTED);
}

static int set_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    return flags < 0 ? -1 : fcntl(fd, F_SETFL, flags | O_NONBLOCK);
}

static int pipe_cloexec(int ret_fds[2])
{
    return pipe2(ret_fds, O_CLOEXEC);
}

static int adopt_orphans(void)
{
    return prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

/* Raises a signal without a core dump of this process. A person who sees the exit status looks for
 * the core dump of the command that this process ran. */
static int raise_plain(int signal, bool is_for_group)
{
    prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    return is_for_group ? kill(0, signal) : raise(signal);
}

static int signal_fd(const sigset_t *set)
{
    return signalfd(-1, set, SFD_NONBLOCK | SFD_CLOEXEC);
}

const rc_sys_calls rc_sys_real = {
    .open_read = open_read,
    .open_file = open_file,
    .read = read,
    .write = write,
    .close = close,
    .isatty = isatty,
    .columns = columns,
    .clock_realtime = clock_realtime,
    .utc_offset_s = utc_offset_s,
    .getrandom = get_random,
    .getenv = get_env,
    .clock_monotonic = clock_monotonic,
    .open_append = open_append,
    .open_temp = open_temp,
    .open_terminal = open_terminal,
    .open_again = open_again,
    .pread = pread,
    .lseek = lseek,
    .fstat = fstat,
    .stat = stat,
    .lift = lift,
    .set_nonblocking = set_nonblocking,
    .pipe = pipe_cloexec,
    .poll = poll,
    .spawn = rc_sys_spawn,
    .waitid = waitid,
    .kill = kill,
    .raise = raise_plain,
    .adopt_orphans = adopt_orphans,
    .children = rc_sys_children,
    .getpgrp = getpgrp,
    .signal_mask = sigprocmask,
    .signal_fd = signal_fd,
    .signal_action = sigaction,
    .signal_pending = sigpending,
    .tcgetattr = tcgetattr,
    .tcsetattr = tcsetattr,
    .tcflush = tcflush,
    .tcgetpgrp = tcgetpgrp,
    .tcsetpgrp = tcsetpgrp,
};
