/* rc_sys_calls: the table of all system calls and environment lookups that the program's commands
 * use.
 *
 * Functions that need a system call take the table as a parameter. The program passes rc_sys_real;
 * a test passes its own table, in which the Nth call fails, reads return short or the clock stands
 * still. The functions behave like the system calls of the same name: -1 and errno on failure. */
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
    const char *const *argv; /* Ends with NULL; argv[0] is searched in PATH. */
    int stdin_fd;            /* Standard input; -1: inherits ours. */
    int stderr_fd;
    int report_fd; /* The descriptor for failure reports, named in the process's environment; -1:
                    * none. */
    int tty_fd;    /* The terminal whose foreground the process gets; -1: none. */
    sigset_t mask; /* Signals that the process blocks. */
} rc_spawn;

typedef struct rc_sys_calls {
    int (*open_read)(const char *path); /* Opens for reading, close-on-exec. */
    int (*open_file)(const char *path); /* Like open_read, but does not wait for the writer of a
                                         * pipe. */
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
    /* Opens for appending; creates the file with mode 0600. For a pipe neither this nor a write
     * blocks. */
    int (*open_append)(const char *path);
    int (*open_temp)(const char *folder); /* An unnamed file for reading and writing, 0600. */
    int (*open_terminal)(void);           /* The controlling terminal; reads do not block. */
    int (*open_again)(int fd); /* A new open file for non-blocking writes; close-on-exec. */
    ssize_t (*pread)(int fd, void *buf, size_t size, off_t at);
    off_t (*lseek)(int fd, off_t at, int whence);
    int (*fstat)(int fd, struct stat *ret_stat);
    int (*stat)(const char *path, struct stat *ret_stat);
    int (*lift)(int fd); /* Duplicates to a descriptor above 2; close-on-exec. */
    int (*set_nonblocking)(int fd);
    int (*pipe)(int ret_fds[2]); /* Both ends are close-on-exec. */
    int (*poll)(struct pollfd *fds, nfds_t count, int timeout_ms);

    int (*spawn)(const rc_spawn *request, pid_t *ret_pid); /* Returns 0 or the errno number. */
    int (*waitid)(idtype_t kind, id_t id, siginfo_t *ret_info, int options);
    int (*kill)(pid_t pid, int signal);
    /* Raises a signal in this process, or in its whole group, without a core dump of this
     * process. */
    int (*raise)(int signal, bool is_for_group);
    int (*adopt_orphans)(void); /* Orphaned descendants become our children. */
    /* Lists our children in our session, up to max; returns their number. */
    int (*children)(pid_t *ret_pids, size_t max);
    pid_t (*getpgrp)(void);

    int (*signal_mask)(int how, const sigset_t *set, sigset_t *ret_old);
    int (*signal_fd)(const sigset_t *set); /* Reads do not block; close-on-exec. */
    int (*signal_action)(int signal, const struct sigaction *action, struct sigaction *ret_old);
    int (*signal_pending)(sigset_t *ret_set);

    int (*tcgetattr)(int fd, struct termios *ret_modes);
    int (*tcsetattr)(int fd, int when, const struct termios *modes);
    int (*tcflush)(int fd, int queue);
    pid_t (*tcgetpgrp)(int fd);
    int (*tcsetpgrp)(int fd, pid_t group);
} rc_sys_calls;

extern const rc_sys_calls rc_sys_real;

/* Entries with more than one system call: process/spawn.c, process/children.c. */
int rc_sys_spawn(const rc_spawn *request, pid_t *ret_pid);
int rc_sys_children(pid_t *ret_pids, size_t max);

#endif
