/* The controlling terminal: foreground group and single keys. Called by `recourse exec`, `recourse
 * call` and src/sys/process. */
#define _GNU_SOURCE
#include "sys/tty.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include "sys/file.h"
#include "sys/watch.h"

#define ESCAPE 0x1B
/* Maximum time between the bytes of an escape sequence, in milliseconds. A person does not notice
 * this delay. */
#define SEQUENCE_MS 20

static const int CRASHES[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGSYS};
#define CRASH_COUNT (sizeof CRASHES / sizeof *CRASHES)

/* Data for the crash handler, because a signal handler gets no pointer. The data is set before the
 * handler is installed. */
static struct {
    int fd;
    struct termios modes;
    struct sigaction old[CRASH_COUNT];
} crash;

/* Signal handler: restores the terminal's modes, which would otherwise stay changed after the
 * crash. The handler makes its system calls directly, because the memory of the rc_sys_calls table
 * may be damaged. */
static void restore_and_crash(int signal)
{
    tcsetattr(crash.fd, TCSANOW, &crash.modes);
    raise(signal); /* SA_RESETHAND has restored the default action. */
}

static void guard_crashes(const rc_tty *tty)
{
    struct sigaction action = {.sa_handler = restore_and_crash,
                               .sa_flags = (int)SA_RESETHAND | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    crash.fd = tty->fd;
    crash.modes = tty->modes;
    for (size_t i = 0; i < CRASH_COUNT; i++)
        tty->calls->signal_action(CRASHES[i], &action, &crash.old[i]);
}

static void unguard_crashes(const rc_tty *tty)
{
    for (size_t i = 0; i < CRASH_COUNT; i++)
        tty->calls->signal_action(CRASHES[i], &crash.old[i], NULL);
}

void rc_tty_init(rc_tty *tty, const rc_sys_calls *calls)
{
    *tty = (rc_tty){.calls = calls, .group = calls->getpgrp()};
    tty->fd = rc_fd_lift(calls, calls->open_terminal());
    tty->has_modes = tty->fd >= 0 && calls->tcgetattr(tty->fd, &tty->modes) == 0;
}

void rc_tty_done(rc_tty *tty)
{
    rc_tty_keys_end(tty);
    rc_tty_take_foreground(tty);
    if (tty->fd >= 0)
        rc_fd_close(tty->calls, tty->fd);
    tty->fd = -1;
}

bool rc_tty_is_ours(const rc_tty *tty)
{
    return tty->fd >= 0 && tty->calls->tcgetpgrp(tty->fd) == tty->group;
}

/* Sets the foreground group. rc_watch_init blocks SIGTTOU, so a background process can also call
 * this function. */
static bool set_foreground(const rc_tty *tty, pid_t group)
{
    int result = tty->calls->tcsetpgrp(tty->fd, group);
    while (result != 0 && errno == EINTR)
        result = tty->calls->tcsetpgrp(tty->fd, group);
    return result == 0;
}

void rc_tty_set_given(rc_tty *tty, pid_t group)
{
    tty->foreground_group = group;
}

bool rc_tty_give_foreground(rc_tty *tty, pid_t group)
{
    if (!rc_tty_is_ours(tty) || !set_foreground(tty, group))
        return false;
    rc_tty_set_given(tty, group);
    return true;
}

/* Returns whether our group may take the foreground back: the foreground group is the one to which
 * we gave the foreground, or a group without processes. A shell that stopped us has taken the
 * foreground and will return it itself. */
static bool may_take_back(const rc_tty *tty)
{
    pid_t holder = tty->calls->tcgetpgrp(tty->fd);
    if (holder < 0 || holder == tty->foreground_group)
        return true;
    return holder > 1 && tty->calls->kill(-holder, 0) != 0 && errno == ESRCH;
}

void rc_tty_take_foreground(rc_tty *tty)
{
    /* If the first attempt fails, a second one is made, because a terminal without a foreground
     * group stops the next process that uses it. */
    for (int turn = 0; turn < 2 && tty->foreground_group != 0; turn++) {
        if (rc_tty_is_ours(tty) || (may_take_back(tty) && set_foreground(tty, tty->group)))
            tty->foreground_group = 0;
    }
}

/* Sets the modes without waiting for pending output (TCSANOW), because Ctrl-S may have stopped the
 * output. */
static bool set_modes(const rc_tty *tty, const struct termios *modes)
{
    /* Two attempts are made, because a failure could leave a terminal without echo. */
    for (int turn = 0; turn < 2; turn++) {
        if (tty->calls->tcsetattr(tty->fd, TCSANOW, modes) == 0)
            return true;
    }
    return false;
}

void rc_tty_restore(const rc_tty *tty)
{
    if (tty->has_modes && rc_tty_is_ours(tty))
        set_modes(tty, &tty->modes);
}

bool rc_tty_keys_begin(rc_tty *tty)
{
    if (tty->is_key_mode || tty->is_closed)
        return !tty->is_closed;
    if (!tty->has_modes || !rc_tty_is_ours(tty))
        return false;
    struct termios modes = tty->modes;
    modes.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    modes.c_lflag |= ISIG;
    modes.c_cc[VMIN] = 0; /* A read returns at once, even without input. */
    modes.c_cc[VTIME] = 0;
    guard_crashes(tty);
    tty->is_key_mode = true;
    /* Keys that were typed before are dropped, because they are not meant for this prompt. */
    tty->calls->tcflush(tty->fd, TCIFLUSH);
    if (set_modes(tty, &modes))
        return true;
    rc_tty_keys_end(tty);
    return false;
}

void rc_tty_keys_forget(rc_tty *tty)
{
    if (tty->is_key_mode)
        unguard_crashes(tty);
    tty->is_key_mode = tty->is_closed = false;
}

void rc_tty_keys_end(rc_tty *tty)
{
    pid_t holder = tty->is_key_mode ? tty->calls->tcgetpgrp(tty->fd) : -1;
    /* If another group has the foreground, the modes are not changed, because that group has set
     * its own. */
    if (tty->is_key_mode && (holder <= 0 || holder == tty->group))
        set_modes(tty, &tty->modes);
    rc_tty_keys_forget(tty);
}

bool rc_tty_read_escape(rc_tty *tty)
{
    char keys[64];
    ssize_t got = tty->calls->read(tty->fd, keys, sizeof keys);
    if (got < 0 && (errno == EINTR || errno == EAGAIN))
        return false;
    tty->is_closed = got <= 0;
    /* The Esc byte is the Esc key if it is the last byte, or if another Esc byte follows. If other
     * bytes follow, it starts an escape sequence. */
    if (tty->is_closed || keys[got - 1] != ESCAPE)
        return false;
    struct pollfd more = {.fd = tty->fd, .events = POLLIN};
    int is_more = tty->calls->poll(&more, 1, SEQUENCE_MS);
    if (is_more <= 0)
        return true;
    got = tty->calls->read(tty->fd, keys, sizeof keys);
    return got > 0 && keys[0] == ESCAPE;
}
