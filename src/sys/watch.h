/* rc_watch: the poll loop of a command that has a terminal, a child process or output that can
 * block.
 *
 *                            ┌─ signals (signalfd)
 *   rc_watch_poll ──► poll ──┼─ the caller's descriptors: pipes of a command, keys
 *                            ├─ attached outlets, while they have a queue
 *                            └─ a libuv loop, for a command with network connections
 *
 * poll(2) is the outer loop, not libuv, for two reasons. First, libuv sets O_NONBLOCK on the
 * descriptors that it polls, which also affects other processes that share a descriptor (standard
 * input, a terminal). Second, libuv cannot poll files and devices. If the clock cannot be read,
 * now_ms still advances: a timed-out poll counts as its full timeout.
 *
 * Between rc_watch_init and rc_watch_done the signals are blocked, and no signal handler runs.
 * Instead rc_watch_signal returns them, one at a time, when signal_fd is readable. An end signal
 * that the parent process ignored (nohup) stays ignored. */
#ifndef RC_SYS_WATCH_H
#define RC_SYS_WATCH_H

#include <stdint.h>

#include "sys/calls.h"
#include "sys/outlet.h"

/* A time in milliseconds that never comes. Equal to RC_UNLIMITED in policy.h. */
#define RC_WATCH_NEVER UINT64_MAX

#define RC_WATCH_OUTLETS_MAX 2
#define RC_WATCH_POLLS_MAX 8

typedef struct rc_watch {
    const rc_sys_calls *calls;
    int signal_fd;
    uint64_t now_ms;        /* Monotonic time after the latest poll. */
    sigset_t old_mask;      /* The signal mask before rc_watch_init. Commands are started with this
                             * mask. */
    struct uv_loop_s *loop; /* A libuv loop whose callbacks each poll runs; borrows. NULL: no libuv
                             * loop. */
    rc_outlet *outlets[RC_WATCH_OUTLETS_MAX];
    size_t outlet_count;
    int end_signal; /* The latest end signal. 0: no end signal arrived. */
    uint64_t end_signal_at_ms;
} rc_watch;

/* Blocks the signals and opens the signalfd. Returns 0, or the errno number; on failure nothing was
 * changed. calls: borrows until rc_watch_done. */
int rc_watch_init(rc_watch *watch, const rc_sys_calls *calls);

/* Restores the signal mask. Restores the signal mask. May be called after a failed rc_watch_init.
 * Signals that were not read are dropped, because they would end the process before its last
 * output. */
void rc_watch_done(rc_watch *watch);

/* Makes every later poll write the outlet's queue. outlet: borrows until rc_watch_done. */
void rc_watch_attach(rc_watch *watch, rc_outlet *outlet);

/* Returns the next signal: an end signal, SIGTSTP, SIGCONT, SIGCHLD, SIGWINCH or a signal of
 * rc_signal_is_message. Returns 0 if no signal is pending, and -1 if signals can no longer be read.
 * If the same end signal arrives again within one second, it is dropped, because some senders
 * signal both the process and its group. */
int rc_watch_signal(rc_watch *watch);

/* Returns whether `signal` is an end signal: one that requests the end of the process. */
bool rc_signal_is_end(int signal);

/* Returns whether `signal` is forwarded to the command that the process runs: SIGUSR1, SIGUSR2,
 * real-time signals, stop and continue. */
bool rc_signal_is_message(int signal);

/* Ends this process, or its whole group, by `signal`, so that a shell loop that runs the program
 * also stops. Must be called after rc_watch_done. Returns only if the signal is ignored. */
void rc_signal_die(const rc_sys_calls *calls, int signal, bool is_for_group);

/* Polls until a descriptor is ready, a signal arrives, the libuv loop has a callback to run, or the
 * time until_ms has come. Updates now_ms. Returns 0, or the errno number. `count` is at most
 * RC_WATCH_POLLS_MAX. fds: borrows during the call. */
int rc_watch_poll(rc_watch *watch, struct pollfd *fds, nfds_t count, uint64_t until_ms);

/* Polls until the queues of all outlets are written; if is_hurried, for at most 500 ms. Returns the
 * end signal that stopped the polling, or 0. */
int rc_watch_flush(rc_watch *watch, bool is_hurried);

/* Stops our process group as Ctrl-Z does, and returns when the group is continued. Returns false if
 * the group was not stopped, because it is orphaned or the signal is ignored. */
bool rc_watch_suspend(rc_watch *watch);

/* Moves a descriptor to a number above 2. The function is needed because the system gives the
 * number of a closed standard input, output or error to the next opened file. Returns the new
 * descriptor, or -1 and sets errno. fd: takes. */
int rc_fd_lift(const rc_sys_calls *calls, int fd);

#endif
