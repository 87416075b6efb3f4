/* rc_watch: reads signals from a signalfd and polls descriptors. A poll also writes the queues of
 * attached outlets and runs a libuv loop. Called by `recourse exec`, `recourse call`, tty.c and the
 * files of src/sys/process. */
#define _GNU_SOURCE
#include "sys/watch.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>
#include <uv.h>

#include "sys/clock.h"
#include "sys/file.h"

/* Maximum duration of one call of rc_watch_poll in milliseconds. For a longer wait the caller calls
 * the function again. */
#define POLL_MAX_MS 3600000u
#define FIRST_LIFTED 3

#define SAME_SIGNAL_MS 1000u
/* Time limit in milliseconds for writing the remaining output after a signal that ends the
 * process. */
#define LAST_FLUSH_MS 500u

int rc_fd_lift(const rc_sys_calls *calls, int fd)
{
    if (fd < 0 || fd >= FIRST_LIFTED)
        return fd;
    int lifted = calls->lift(fd);
    int error = errno;
    rc_fd_close(calls, fd);
    errno = error;
    return lifted;
}

bool rc_signal_is_end(int signal)
{
    switch (signal) {
    case SIGINT:
    case SIGTERM:
    case SIGHUP:
    case SIGQUIT:
    case SIGALRM:
    case SIGVTALRM:
    case SIGPROF:
    case SIGXCPU:
    case SIGIO:
    case SIGPWR:
#ifdef SIGSTKFLT
    case SIGSTKFLT:
#endif
        return true;
    default:
        return false;
    }
}

bool rc_signal_is_message(int signal)
{
    return signal == SIGUSR1 || signal == SIGUSR2 || signal == SIGTSTP || signal == SIGCONT ||
           signal >= SIGRTMIN;
}

void rc_signal_die(const rc_sys_calls *calls, int signal, bool is_for_group)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    struct sigaction old;
    if (calls->signal_action(signal, NULL, &old) != 0 || old.sa_handler == SIG_IGN)
        return;
    sigemptyset(&action.sa_mask);
    calls->signal_action(signal, &action, NULL);
    calls->raise(signal, is_for_group);
}

/* Returns whether rc_watch reads this signal. SIGXFSZ is read and dropped, so that a write beyond
 * the file size limit fails instead of ending the process. */
static bool is_watched(int signal)
{
    return rc_signal_is_end(signal) || rc_signal_is_message(signal) || signal == SIGCHLD ||
           signal == SIGWINCH || signal == SIGXFSZ;
}

/* Returns whether this signal stays ignored. Signals that are only forwarded to the command are
 * read even if they are ignored, because the command also ignores them. */
static bool is_ignored(const rc_sys_calls *calls, int signal)
{
    struct sigaction old;
    if (!rc_signal_is_end(signal) && signal != SIGTSTP)
        return false;
    return calls->signal_action(signal, NULL, &old) == 0 && old.sa_handler == SIG_IGN;
}

/* Sets the default action of SIGCHLD. A parent process may have ignored SIGCHLD, and the process
 * could then not wait for its children. */
static int reset_sigchld(const rc_sys_calls *calls)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    return calls->signal_action(SIGCHLD, &action, NULL) == 0 ? 0 : errno;
}

/* Restores the signal mask. Two attempts are made: if the signals stayed blocked, later code would
 * not react to Ctrl-C. */
static void restore_mask(const rc_watch *watch)
{
    if (watch->calls->signal_mask(SIG_SETMASK, &watch->old_mask, NULL) != 0)
        watch->calls->signal_mask(SIG_SETMASK, &watch->old_mask, NULL);
}

static int open_signals(rc_watch *watch, const sigset_t *read_set)
{
    const rc_sys_calls *calls = watch->calls;
    sigset_t blocked = *read_set;
    /* Without this call, the kernel would stop the process if it changes the terminal's foreground,
     * or reads from the terminal, in the background. */
    sigaddset(&blocked, SIGTTOU);
    sigaddset(&blocked, SIGTTIN);
    if (calls->signal_mask(SIG_BLOCK, &blocked, &watch->old_mask) != 0)
        return errno;
    watch->signal_fd = rc_fd_lift(calls, calls->signal_fd(read_set));
    if (watch->signal_fd >= 0)
        return 0;
    int error = errno;
    restore_mask(watch);
    return error;
}

int rc_watch_init(rc_watch *watch, const rc_sys_calls *calls)
{
    sigset_t set;
    sigemptyset(&set);
    for (int signal = 1; signal <= SIGRTMAX; signal++) {
        if (is_watched(signal) && !is_ignored(calls, signal))
            sigaddset(&set, signal);
    }
    *watch = (rc_watch){.calls = calls, .signal_fd = -1, .now_ms = rc_clock_ms(calls)};
    int error = reset_sigchld(calls);
    return error != 0 ? error : open_signals(watch, &set);
}

void rc_watch_done(rc_watch *watch)
{
    if (watch->signal_fd < 0)
        return;
    while (rc_watch_signal(watch) > 0)
        ;
    rc_fd_close(watch->calls, watch->signal_fd);
    watch->signal_fd = -1;
    restore_mask(watch);
}

void rc_watch_attach(rc_watch *watch, rc_outlet *outlet)
{
    if (watch->outlet_count < RC_WATCH_OUTLETS_MAX)
        watch->outlets[watch->outlet_count++] = outlet;
}

static int read_signal(const rc_watch *watch)
{
    struct signalfd_siginfo info;
    ssize_t got = watch->calls->read(watch->signal_fd, &info, sizeof info);
    while (got < 0 && errno == EINTR)
        got = watch->calls->read(watch->signal_fd, &info, sizeof info);
    if (got == (ssize_t)sizeof info)
        return (int)info.ssi_signo;
    return got < 0 && errno == EAGAIN ? 0 : -1;
}

static bool is_repeated(const rc_watch *watch, int signal)
{
    return signal == watch->end_signal && watch->now_ms - watch->end_signal_at_ms < SAME_SIGNAL_MS;
}

int rc_watch_signal(rc_watch *watch)
{
    int signal = read_signal(watch);
    while (signal > 0 && is_repeated(watch, signal))
        signal = read_signal(watch);
    if (signal > 0 && rc_signal_is_end(signal)) {
        watch->end_signal = signal;
        watch->end_signal_at_ms = watch->now_ms;
    }
    return signal;
}

/* Returns the maximum time that poll(2) may wait, which ends at the loop's next timer. */
static uint64_t limit_wait(const rc_watch *watch, uint64_t wait_ms)
{
    if (wait_ms > POLL_MAX_MS)
        wait_ms = POLL_MAX_MS;
    if (watch->loop == NULL || !uv_loop_alive(watch->loop))
        return wait_ms;
    uv_update_time(watch->loop);
    const int due_ms = uv_backend_timeout(watch->loop);
    return due_ms >= 0 && (uint64_t)due_ms < wait_ms ? (uint64_t)due_ms : wait_ms;
}

static void update_clock(rc_watch *watch, uint64_t at_least_ms)
{
    const uint64_t clock_ms = rc_clock_ms(watch->calls);
    const uint64_t now_ms = clock_ms > at_least_ms ? clock_ms : at_least_ms;
    if (now_ms > watch->now_ms)
        watch->now_ms = now_ms;
}

static void run_loop(const rc_watch *watch)
{
    if (watch->loop == NULL)
        return;
    uv_update_time(watch->loop);
    (void)uv_run(watch->loop, UV_RUN_NOWAIT);
}

int rc_watch_poll(rc_watch *watch, struct pollfd *fds, nfds_t count, uint64_t until_ms)
{
    struct pollfd all[RC_WATCH_POLLS_MAX + RC_WATCH_OUTLETS_MAX + 1];
    const uint64_t wait_ms =
        limit_wait(watch, until_ms > watch->now_ms ? until_ms - watch->now_ms : 0);
    const int loop_fd = watch->loop != NULL ? uv_backend_fd(watch->loop) : -1;
    for (nfds_t i = 0; i < count; i++)
        all[i] = (struct pollfd){.fd = fds[i].fd, .events = fds[i].events};
    for (size_t i = 0; i < watch->outlet_count; i++)
        all[count + i] = rc_outlet_poll(watch->outlets[i]);
    all[count + watch->outlet_count] = (struct pollfd){.fd = loop_fd, .events = POLLIN};
    int ready = watch->calls->poll(all, count + watch->outlet_count + 1, (int)wait_ms);
    int error = ready < 0 && errno != EINTR ? errno : 0;
    for (nfds_t i = 0; i < count; i++)
        fds[i].revents = ready > 0 ? all[i].revents : 0;
    for (size_t i = 0; ready > 0 && i < watch->outlet_count; i++) {
        if (all[count + i].revents != 0)
            rc_outlet_step(watch->outlets[i]);
    }
    update_clock(watch, ready == 0 ? watch->now_ms + wait_ms : 0);
    run_loop(watch);
    return error;
}

static bool is_written(const rc_watch *watch)
{
    for (size_t i = 0; i < watch->outlet_count; i++)
        if (!rc_outlet_is_empty(watch->outlets[i]))
            return false;
    return true;
}

/* Reads all pending signals. Returns the first end signal, 0 if no end signal is pending, or -1 if
 * signals cannot be read. */
static int read_end_signal(rc_watch *watch)
{
    int signal = rc_watch_signal(watch);
    for (; signal > 0 && !rc_signal_is_end(signal); signal = rc_watch_signal(watch)) {
        if (signal == SIGTSTP)
            rc_watch_suspend(watch);
    }
    return signal;
}

int rc_watch_flush(rc_watch *watch, bool is_hurried)
{
    const uint64_t until_ms = is_hurried ? watch->now_ms + LAST_FLUSH_MS : RC_WATCH_NEVER;
    while (!is_written(watch) && watch->now_ms < until_ms) {
        struct pollfd fd = {.fd = watch->signal_fd, .events = POLLIN};
        if (rc_watch_poll(watch, &fd, 1, until_ms) != 0)
            return 0;
        const int signal = fd.revents != 0 ? read_end_signal(watch) : 0;
        if (signal != 0)
            return signal > 0 ? signal : 0;
    }
    return 0;
}

bool rc_watch_suspend(rc_watch *watch)
{
    const rc_sys_calls *calls = watch->calls;
    sigset_t stop;
    sigset_t pending;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    if (calls->kill(0, SIGTSTP) != 0)
        return false;
    /* The stop signal is pending now. The kernel stops the process when the signal is unblocked. */
    calls->signal_mask(SIG_UNBLOCK, &stop, NULL);
    calls->signal_mask(SIG_BLOCK, &stop, NULL);
    update_clock(watch, 0);
    /* The stop signal has discarded every earlier SIGCONT. A pending SIGCONT therefore is the one
     * that continued the process. */
    return calls->signal_pending(&pending) == 0 && sigismember(&pending, SIGCONT) == 1;
}
