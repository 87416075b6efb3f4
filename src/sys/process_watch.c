#define _GNU_SOURCE
#include "sys/process_watch.h"

#include <errno.h>
#include <string.h>
#include <sys/signalfd.h>

#include "sys/clock.h"
#include "sys/file.h"

/* A poll takes an int; whoever wants longer asks again. */
#define POLL_MAX_MS 3600000u
#define FIRST_LIFTED 3

static const int WATCHED[] = {SIGINT,  SIGTERM, SIGHUP,   SIGQUIT, SIGTSTP,
                              SIGCONT, SIGCHLD, SIGWINCH, SIGUSR1, SIGUSR2};

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
    return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGQUIT;
}

static bool is_ignored(const rc_sys_calls *calls, int signal)
{
    struct sigaction old;
    /* Ignored is what these two are by default, which is not what is meant. */
    if (signal == SIGCHLD || signal == SIGWINCH)
        return false;
    return calls->signal_action(signal, NULL, &old) == 0 && old.sa_handler == SIG_IGN;
}

/* A parent may have ignored SIGCHLD; then no child could be waited for. */
static int want_children(const rc_sys_calls *calls)
{
    struct sigaction action = {.sa_handler = SIG_DFL};
    sigemptyset(&action.sa_mask);
    return calls->signal_action(SIGCHLD, &action, NULL) == 0 ? 0 : errno;
}

/* Once more: whoever comes after us would not hear Ctrl-C. */
static void restore_mask(const rc_watch *watch)
{
    if (watch->calls->signal_mask(SIG_SETMASK, &watch->old_mask, NULL) != 0)
        watch->calls->signal_mask(SIG_SETMASK, &watch->old_mask, NULL);
}

static int open_signals(rc_watch *watch, const sigset_t *read_set)
{
    const rc_sys_calls *calls = watch->calls;
    sigset_t blocked = *read_set;
    /* Whoever hands the terminal on from the background would be stopped. */
    sigaddset(&blocked, SIGTTOU);
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
    for (size_t i = 0; i < sizeof WATCHED / sizeof *WATCHED; i++) {
        if (!is_ignored(calls, WATCHED[i]))
            sigaddset(&set, WATCHED[i]);
    }
    *watch = (rc_watch){.calls = calls, .signal_fd = -1, .now_ms = rc_clock_ms(calls)};
    int error = want_children(calls);
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

int rc_watch_signal(rc_watch *watch)
{
    struct signalfd_siginfo info;
    ssize_t got = watch->calls->read(watch->signal_fd, &info, sizeof info);
    while (got < 0 && errno == EINTR)
        got = watch->calls->read(watch->signal_fd, &info, sizeof info);
    if (got == (ssize_t)sizeof info)
        return (int)info.ssi_signo;
    return got < 0 && errno == EAGAIN ? 0 : -1;
}

int rc_watch_poll(rc_watch *watch, struct pollfd *fds, nfds_t count, uint64_t until_ms)
{
    uint64_t wait_ms = until_ms > watch->now_ms ? until_ms - watch->now_ms : 0;
    if (wait_ms > POLL_MAX_MS)
        wait_ms = POLL_MAX_MS;
    for (nfds_t i = 0; i < count; i++)
        fds[i].revents = 0;
    int ready = watch->calls->poll(fds, count, (int)wait_ms);
    int error = ready < 0 && errno != EINTR ? errno : 0;
    uint64_t now_ms = rc_clock_ms(watch->calls);
    if (ready == 0 && now_ms < watch->now_ms + wait_ms)
        now_ms = watch->now_ms + wait_ms;
    if (now_ms > watch->now_ms)
        watch->now_ms = now_ms;
    return error;
}

void rc_watch_suspend(rc_watch *watch)
{
    const rc_sys_calls *calls = watch->calls;
    sigset_t stop;
    sigemptyset(&stop);
    sigaddset(&stop, SIGTSTP);
    if (calls->kill(0, SIGTSTP) != 0)
        return;
    /* It is pending now, and takes effect where it is let through. */
    calls->signal_mask(SIG_UNBLOCK, &stop, NULL);
    calls->signal_mask(SIG_BLOCK, &stop, NULL);
    uint64_t now_ms = rc_clock_ms(calls);
    if (now_ms > watch->now_ms)
        watch->now_ms = now_ms;
}
