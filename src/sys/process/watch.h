/* rc_watch: signals as something to poll for, and a clock that goes on.
 *
 * From init to done the signals below are held back and come out of rc_watch_signal, one at a time,
 * when the descriptor is readable: nothing happens in the middle of something else. A signal that
 * asks for an end and that our parent chose to ignore (nohup) stays ignored. */
#ifndef RC_SYS_PROCESS_WATCH_H
#define RC_SYS_PROCESS_WATCH_H

#include <stdint.h>

#include "sys/calls.h"
#include "sys/process/outlet.h"

/* A time that never comes; the same as in policy.h. */
#define RC_WATCH_NEVER UINT64_MAX

#define RC_WATCH_OUTLETS_MAX 2
#define RC_WATCH_POLLS_MAX 8

typedef struct rc_watch {
    const rc_sys_calls *calls;
    int signal_fd;
    uint64_t now_ms;   /* after the latest poll */
    sigset_t old_mask; /* as it was: what a command is started with */
    rc_outlet *outlets[RC_WATCH_OUTLETS_MAX];
    size_t outlet_count;
    int end_signal; /* the latest that asked for an end; 0: none */
    uint64_t end_signal_at_ms;
} rc_watch;

/* 0, or the errno number; then nothing was changed. calls: borrows until done. */
int rc_watch_init(rc_watch *watch, const rc_sys_calls *calls);

/* Takes a watch in any state that init left. Signals that nobody has asked for are dropped: they
 * would end the process before its last words. */
void rc_watch_done(rc_watch *watch);

/* From now on every poll writes what is queued there. outlet: borrows until done. */
void rc_watch_attach(rc_watch *watch, rc_outlet *outlet);

/* The next signal that has come: all that would end us, and SIGTSTP, SIGCONT, SIGCHLD, SIGWINCH.
 * One that asks for an end and comes again within a second is the same one: whoever ends a job may
 * tell the process and its group. 0: none. -1: they cannot be read any more. */
int rc_watch_signal(rc_watch *watch);

/* Does the signal ask for an end? */
bool rc_signal_is_end(int signal);

/* Is it for the command alone: SIGUSR1, SIGUSR2, the real-time ones, stop and go? */
bool rc_signal_is_message(int signal);

/* Polls until something is ready, a signal interrupts or the time has come, and brings now_ms up to
 * date. A clock that stands still cannot keep anybody waiting: a poll that timed out has taken as
 * long as it was told. 0, or the errno number. fds: borrows; RC_WATCH_POLLS_MAX at most. */
int rc_watch_poll(rc_watch *watch, struct pollfd *fds, nfds_t count, uint64_t until_ms);

/* Stops our process group as Ctrl-Z would, and comes back when somebody continues it. False: at
 * once, because nobody could (the group is an orphan, or the signal is ignored). */
bool rc_watch_suspend(rc_watch *watch);

/* Moves a descriptor beyond the standard three, which may be closed and then are given out first.
 * The descriptor, or -1 and errno; fd is closed in both cases. */
int rc_fd_lift(const rc_sys_calls *calls, int fd);

#endif
