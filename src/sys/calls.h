/* rc_sys_calls: the table of all system calls and environment lookups that the program's commands
 * use.
 *
 * Functions that need a system call take the table as a parameter. The program passes rc_sys_real;
 * a test passes its own table, in which for example the Nth call fails, a read returns fewer bytes
 * or the clock stands still. The functions behave as the system calls of the same name: they return
 * -1 and set errno on failure, unless their comment states another result. */
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
    int stdin_fd;            /* Descriptor that becomes the process's standard input. -1: the
                              * process inherits our standard input. */
    int stderr_fd;
    int report_fd; /* Descriptor for failure reports; the process's environment contains its number.
                    * -1: no descriptor. */
    int tty_fd;    /* Terminal whose foreground the process gets. -1: no terminal. */
    sigset_t mask; /* Signals that the process blocks. */
} rc_spawn;

typedef struct rc_sys_calls {
    int (*open_read)(const char *path); /* Opens a file for reading, with close-on-exec. */
    int (*open_file)(const char *path); /* Opens a file as open_read does, but does not wait for a
                                         * writer if the file is a pipe. */
    ssize_t (*read)(int fd, void *buf, size_t size);
    ssize_t (*write)(int fd, const void *buf, size_t size);
    int (*close)(int fd);
    int (*isatty)(int fd);
    int (*columns)(int fd); /* Width of the terminal; 0 or -1: unknown. */
    int (*clock_realtime)(struct timespec *ret_time);
    int (*utc_offset_s)(time_t at); /* Returns the offset of the local time zone from UTC at the
                                     * time `at`, in seconds. */
    ssize_t (*getrandom)(void *buf, size_t size);
    const char *(*getenv)(const char *name);

    int (*clock_monotonic)(struct timespec *ret_time);
    /* Opens a file for appending; creates it with mode 0600. If the file is a pipe, neither this
     * call nor later writes block. */
    int (*open_append)(const char *path);
    int (*open_temp)(const char *folder); /* Creates an unnamed file with mode 0600. */
    int (*open_terminal)(void);           /* Opens the controlling terminal; reads do not block. */
    /* Opens the file behind fd a second time, write-only, non-blocking and close-on-exec, so that
     * the flags of fd itself do not change. */
    int (*open_again)(int fd);
    ssize_t (*pread)(int fd, void *buf, size_t size, off_t at);
    off_t (*lseek)(int fd, off_t at, int whence);
    int (*fstat)(int fd, struct stat *ret_stat);
    int (*stat)(const char *path, struct stat *ret_stat);
    int (*lift)(int fd); /* Duplicates fd to a descriptor above 2, with close-on-exec. */
    int (*set_nonblocking)(int fd);
    int (*pipe)(int ret_fds[2]); /* Creates a pipe whose ends are both close-on-exec. */
    int (*poll)(struct pollfd *fds, nfds_t count, int timeout_ms);

    int (*spawn)(const rc_spawn *request, pid_t *ret_pid); /* Starts a process. Returns 0 or the
                                                            * errno number. */
    int (*waitid)(idtype_t kind, id_t id, siginfo_t *ret_info, int options);
    int (*kill)(pid_t pid, int signal);
    /* Raises a signal in this process, or in its whole process group, without a core dump of this
     * process. */
    int (*raise)(int signal, bool is_for_group);
    int (*adopt_orphans)(void); /* Makes this process the parent of its orphaned descendants. */
    /* Lists the child processes of this process that are in its session, at most `max`. Returns
     * their number. */
    int (*children)(pid_t *ret_pids, size_t max);
    pid_t (*getpgrp)(void);

    int (*signal_mask)(int how, const sigset_t *set, sigset_t *ret_old);
    int (*signal_fd)(const sigset_t *set); /* Creates a signalfd that is non-blocking and
                                            * close-on-exec. */
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
