/* rc_watch: the wait of a command that has a terminal, a child process or output that can block.
 *
 *                            ┌─ signals (signalfd)
 *   rc_watch_poll ──► poll ──┼─ the caller's descriptors: pipes of a command, keys
 *                            ├─ attached outlets, while they have a queue
 *                            └─ a libuv loop, for a command with network connections
 *
 * poll is the outer loop, and not libuv, because libuv sets O_NONBLOCK on what it polls, also for
 * other processes that share the descriptor (standard input, a terminal), and cannot poll files and
 * devices. The clock never stands still: a timed-out poll counts as its full timeout.
 *
 * Between init and done the signals below are blocked and returned by rc_watch_signal, one at a
 * time, when signal_fd is readable: no signal handler runs. An end signal that our parent ignored
 * (nohup) stays ignored. */
#ifndef RC_SYS_WATCH_H
#define RC_SYS_WATCH_H

#include <stdint.h>

#include "sys/calls.h"
#include "sys/outlet.h"

/* A time that never comes; the same as in policy.h. */
#define RC_WATCH_NEVER UINT64_MAX

#define RC_WATCH_OUTLETS_MAX 2
#define RC_WATCH_POLLS_MAX 8

typedef struct rc_watch {
    const rc_sys_calls *calls;
    int signal_fd;
    uint64_t now_ms;        /* Monotonic time after the latest poll. */
    sigset_t old_mask;      /* The signal mask before init; commands are started with it. */
    struct uv_loop_s *loop; /* Runs its callbacks in each poll; borrows; NULL: none. */
    rc_outlet *outlets[RC_WATCH_OUTLETS_MAX];
    size_t outlet_count;
    int end_signal; /* The latest end signal; 0: none. */
    uint64_t end_signal_at_ms;
} rc_watch;

/* 0, or the errno number; on failure nothing was changed. calls: borrows until done. */
int rc_watch_init(rc_watch *watch, const rc_sys_calls *calls);

/* Restores the signal mask; also after a failed init. Signals not read yet are dropped: they would
 * end the process before its last output. */
void rc_watch_done(rc_watch *watch);

/* Every poll from now on writes the outlet's queue. outlet: borrows until done. */
void rc_watch_attach(rc_watch *watch, rc_outlet *outlet);

/* Returns the next signal: end signals, SIGTSTP, SIGCONT, SIGCHLD, SIGWINCH and messages. The same
 * end signal within one second is dropped, because some senders signal both the process and its
 * group. 0: none. -1: signals can no longer be read. */
int rc_watch_signal(rc_watch *watch);

/* Whether the signal requests the process's end. */
bool rc_signal_is_end(int signal);

/* Whether the signal is meant for the command: SIGUSR1, SIGUSR2, real-time signals, stop and
 * continue. */
bool rc_signal_is_message(int signal);

/* Ends this process, or its whole group, by the signal, so that a shell loop around it stops too.
 * Call it after rc_watch_done. Returns if the signal is ignored. */
void rc_signal_die(const rc_sys_calls *calls, int signal, bool is_for_group);

/* Polls until a descriptor is ready, a signal interrupts, the loop has work or until_ms has come,
 * and updates now_ms. 0, or the errno number. fds: borrows; RC_WATCH_POLLS_MAX at most. */
int rc_watch_poll(rc_watch *watch, struct pollfd *fds, nfds_t count, uint64_t until_ms);

/* Polls until the queues of all outlets are written, at most 500 ms if is_hurried. Returns the end
 * signal that stopped it; 0: none. */
int rc_watch_flush(rc_watch *watch, bool is_hurried);

/* Stops our process group as Ctrl-Z does, and returns when it is continued. False: it was not
 * stopped, because the group is orphaned or the signal is ignored. */
bool rc_watch_suspend(rc_watch *watch);

/* Moves a descriptor above 2: a closed standard descriptor's number is given out first. Takes fd.
 * Returns the new descriptor, or -1 and errno. */
int rc_fd_lift(const rc_sys_calls *calls, int fd);

#endif
