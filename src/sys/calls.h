/* rc_sys_calls: every system call and every fact of the surroundings that the command uses, as a
 * table.
 *
 * Whoever needs one takes the table as a parameter. The command passes rc_sys_real; a test passes
 * its own, in which the Nth call fails, reads come in pieces or the clock stands still. The
 * functions have the meaning of their namesakes: -1 and errno on failure. */
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

/* A process to start, in a group of its own. */
typedef struct rc_spawn {
    const char *const *argv; /* ends with NULL; the first is looked for in PATH */
    int stdin_fd;            /* -1: inherits ours */
    int stderr_fd;
    int report_fd; /* where it can say exactly what failed, named in its environment; -1: none */
    int tty_fd;    /* the terminal whose foreground it gets; -1: none */
    sigset_t mask; /* the signals that it blocks */
} rc_spawn;

typedef struct rc_sys_calls {
    int (*open_read)(const char *path); /* open for reading, close-on-exec */
    int (*open_file)(const char *path); /* the same; does not wait for the writer of a pipe */
    ssize_t (*read)(int fd, void *buf, size_t size);
    ssize_t (*write)(int fd, const void *buf, size_t size);
    int (*close)(int fd);
    int (*isatty)(int fd);
    int (*columns)(int fd); /* the terminal's width; 0 or -1 when it is not known */
    int (*clock_realtime)(struct timespec *ret_time);
    int (*utc_offset_s)(time_t at); /* of the local time zone at that time */
    ssize_t (*getrandom)(void *buf, size_t size);
    const char *(*getenv)(const char *name);

    int (*clock_monotonic)(struct timespec *ret_time);
    /* For writing at the end; makes the file, 0600. Of a pipe neither this nor a write waits. */
    int (*open_append)(const char *path);
    int (*open_temp)(const char *folder); /* to read and write, without a name, 0600 */
    int (*open_terminal)(void);           /* the controlling one; reads do not wait */
    int (*open_again)(int fd);            /* for writing, which does not wait; close-on-exec */
    ssize_t (*pread)(int fd, void *buf, size_t size, off_t at);
    off_t (*lseek)(int fd, off_t at, int whence);
    int (*fstat)(int fd, struct stat *ret_stat);
    int (*stat)(const char *path, struct stat *ret_stat);
    int (*lift)(int fd); /* a copy of it beyond the standard three, close-on-exec */
    int (*set_nonblocking)(int fd);
    int (*pipe)(int ret_fds[2]); /* close-on-exec */
    int (*poll)(struct pollfd *fds, nfds_t count, int timeout_ms);

    int (*spawn)(const rc_spawn *what, pid_t *ret_pid); /* 0 or the errno number */
    int (*waitid)(idtype_t kind, id_t id, siginfo_t *ret_info, int options);
    int (*kill)(pid_t pid, int signal);
    /* On ourselves, or on our whole group; no core of ours is left. */
    int (*raise)(int signal, bool is_for_group);
    int (*adopt_orphans)(void); /* descendants that lose their parent become our children */
    /* Our children that are in our session, up to max of them: their number. */
    int (*children)(pid_t *ret_pids, size_t max);
    pid_t (*getpgrp)(void);

    int (*signal_mask)(int how, const sigset_t *set, sigset_t *ret_old);
    int (*signal_fd)(const sigset_t *set); /* reads do not wait; close-on-exec */
    int (*signal_action)(int signal, const struct sigaction *action, struct sigaction *ret_old);
    int (*signal_pending)(sigset_t *ret_set);

    int (*tcgetattr)(int fd, struct termios *ret_modes);
    int (*tcsetattr)(int fd, int when, const struct termios *modes);
    int (*tcflush)(int fd, int queue);
    pid_t (*tcgetpgrp)(int fd);
    int (*tcsetpgrp)(int fd, pid_t group);
} rc_sys_calls;

extern const rc_sys_calls rc_sys_real;

/* Those that are more than one call: process_spawn.c, process_children.c. */
int rc_sys_spawn(const rc_spawn *what, pid_t *ret_pid);
int rc_sys_children(pid_t *ret_pids, size_t max);

#endif
