/* rc_sys_calls: the table of all system calls and environment lookups that the program's commands
 * use.
 *
 * Functions that need a system call take the table as a parameter. The program passes rc_sys_real;
 * a test passes its own table, in which for example the Nth call fails, a read returns fewer bytes
 * or the clock stands still. The functions behave like the system calls of the same name: they
 * return -1 and set errno on failure, unless their comment names another result. */
#ifndef RC_SYS_CALLS_H
#define RC_SYS_CALLS_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>

/* A process to start in its own process group. */
typedef struct rc_spawn {
    const char *const *argv; /* Ends with NULL; the program argv[0] is searched in PATH. */
    int stdin_fd;            /* The process's standard input; -1: inherits ours. */
    int stderr_fd;
    int report_fd; /* The descriptor for failure reports, named in the process's environment; -1:
                    * none. */
    int tty_fd;    /* The terminal whose foreground the process gets; -1: none. */
    sigset_t mask; /* Signals that the process blocks. */
} rc_spawn;

typedef struct rc_sys_calls {
    int (*open_read)(const char *path); /* Opens for reading, with close-on-exec. */
    int (*open_file)(const char *path); /* Like open_read, but for a pipe it does not wait for a
                                         * writer. */
    ssize_t (*read)(int fd, void *buf, size_t size);
    ssize_t (*write)(int fd, const void *buf, size_t size);
    int (*close)(int fd);
    int (*isatty)(int fd);
    int (*columns)(int fd); /* Width of the terminal; 0 or -1: unknown. */
    int (*clock_realtime)(struct timespec *ret_time);
    int (*utc_offset_s)(time_t at); /* UTC offset of the local time zone at `at`. */
    ssize_t (*getrandom)(void *buf, size_t size);
    const char *(*getenv)(const char *name);

    int (*clock_monotonic)(struct timespec *ret_time);
    /* Opens for appending; creates the file with mode 0600. For a pipe neither opening nor a later
     * write blocks. */
    int (*open_append)(const char *path);
    int (*open_temp)(const char *folder); /* Creates an unnamed file, mode 0600. */
    int (*open_terminal)(void);           /* Opens the controlling terminal; reads do not block. */
    /* Opens the file behind fd a second time, write-only, non-blocking and close-on-exec, so that
     * the flags of fd itself do not change. */
    int (*open_again)(int fd);
    ssize_t (*pread)(int fd, void *buf, size_t size, off_t at);
    off_t (*lseek)(int fd, off_t at, int whence);
    int (*fstat)(int fd, struct stat *ret_stat);
    int (*stat)(const char *path, struct stat *ret_stat);
    int (*lift)(int fd); /* Duplicates fd to a descriptor above 2, close-on-exec. */
    int (*set_nonblocking)(int fd);
    int (*pipe)(int ret_fds[2]); /* Both ends are close-on-exec. */
    int (*poll)(struct pollfd *fds, nfds_t count, int timeout_ms);

    int (*spawn)(const rc_spawn *request, pid_t *ret_pid); /* Returns 0 or the errno number. */
    int (*waitid)(idtype_t kind, id_t id, siginfo_t *ret_info, int options);
    int (*kill)(pid_t pid, int signal);
    /* Raises a signal in this process, or in its whole group, without a core dump of this
     * process. */
    int (*raise)(int signal, bool is_for_group);
    int (*adopt_orphans)(void); /* Makes orphaned descendants our children. */
    /* Lists our child processes that are in our session, `max` at most; returns their number. */
    int (*children)(pid_t *ret_pids, size_t max);
    pid_t (*getpgrp)(void);

    int (*signal_mask)(int how, const sigset_t *set, sigset_t *ret_old);
    int (*signal_fd)(const sigset_t *set); /* A signalfd: non-blocking, close-on-exec. */
    int (*signal_action)(int signal, const struct sigaction *action, struct sigaction *ret_old);
    int (*signal_pending)(sigset_t *ret_set);

    int (*tcgetattr)(int fd, struct termios *ret_modes);
    int (*tcsetattr)(int fd, int when, const struct termios *modes);
    int (*tcflush)(int fd, int queue);
    pid_t (*tcgetpgrp)(int fd);
    int (*tcsetpgrp)(int fd, pid_t group);
} rc_sys_calls;

extern const rc_sys_calls rc_sys_real;

/* The implementations of `spawn` (process/spawn.c) and `children` (process/children.c) in
 * rc_sys_real. */
int rc_sys_spawn(const rc_spawn *request, pid_t *ret_pid);
int rc_sys_children(pid_t *ret_pids, size_t max);

#endif
