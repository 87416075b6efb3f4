#define _GNU_SOURCE
#include "sys/process.h"

#include <errno.h>
#include <string.h>

#include "sys/file.h"
#include "sys/process_run.h"

/* What a process that has left the group may still say after the command's end.
 */
#define DRAIN_MAX ((size_t)1 << 20)

/* ---- the start ---- */

typedef struct ends {
    int ours;
    int its;
} ends;

static void close_ends(const rc_sys_calls *calls, ends *pair)
{
    if (pair->ours >= 0)
        rc_fd_close(calls, pair->ours);
    if (pair->its >= 0)
        rc_fd_close(calls, pair->its);
    *pair = (ends){-1, -1};
}

/* 0, or the errno number. is_to_it: the command reads. */
static int open_pipe(const rc_sys_calls *calls, bool is_to_it, ends *ret_ends)
{
    int fds[2] = {-1, -1};
    if (calls->pipe(fds) != 0)
        return errno;
    int lifted[2];
    lifted[0] = rc_fd_lift(calls, fds[0]);
    int error = lifted[0] < 0 ? errno : 0;
    lifted[1] = rc_fd_lift(calls, fds[1]);
    if (error == 0 && lifted[1] < 0)
        error = errno;
    ends pair = {lifted[is_to_it ? 1 : 0], lifted[is_to_it ? 0 : 1]};
    if (error == 0 && calls->set_nonblocking(pair.ours) != 0)
        error = errno;
    if (error != 0)
        close_ends(calls, &pair);
    *ret_ends = pair;
    return error;
}

/* 127: there is none; 126: it is there and cannot be run; 0: it was not the
 * command's fault. */
static int status_of_failure(int error)
{
    switch (error) {
    case ENOENT:
    case ENOTDIR:
    case ENAMETOOLONG:
    case ELOOP:
        return 127;
    case EACCES:
    case EPERM:
    case ENOEXEC:
    case ETXTBSY:
    case E2BIG:
    case EISDIR:
    case EINVAL:
    case ELIBBAD:
        return 126;
    default:
        return 0;
    }
}

static int spawn(rc_run *run, int stdin_fd, int stderr_fd)
{
    rc_spawn what = {
        .argv = run->plan->argv,
        .stdin_fd = stdin_fd,
        .stderr_fd = stderr_fd,
        .tty_fd = rc_tty_is_ours(run->tty) ? run->tty->fd : -1,
        .mask = run->watch->old_mask,
    };
    int error = run->calls->spawn(&what, &run->pid);
    run->tty->is_given = error == 0 && what.tty_fd >= 0;
    if (what.tty_fd < 0 || (error != ENOTTY && error != EIO && error != EPERM))
        return error;
    /* The terminal may have gone this moment; that is no reason not to run. */
    what.tty_fd = -1;
    return run->calls->spawn(&what, &run->pid);
}

static void start(rc_run *run)
{
    ends err = {-1, -1};
    ends in = {-1, -1};
    bool is_fed = run->plan->input->kind == RC_STDIN_STREAM;
    run->end.doing = "make a pipe for it";
    run->end.error = open_pipe(run->calls, false, &err);
    if (run->end.error == 0 && is_fed)
        run->end.error = open_pipe(run->calls, true, &in);
    if (run->end.error == 0) {
        run->end.doing = "start it";
        run->end.error = spawn(run, in.its, err.its);
        run->end.status = status_of_failure(run->end.error);
    }
    if (run->end.error != 0) {
        close_ends(run->calls, &err);
        close_ends(run->calls, &in);
        run->phase = RC_RUN_OVER;
        return;
    }
    rc_fd_close(run->calls, err.its);
    if (is_fed)
        rc_fd_close(run->calls, in.its);
    run->err_fd = err.ours;
    run->in_fd = in.ours;
    run->end.is_started = true;
    run->phase = RC_RUN_RUNNING;
}

/* ---- the loop ---- */

enum {
    AT_SIGNALS,
    AT_ERROR, /* its standard error, or ours while something is to be written */
    AT_INPUT, /* the pipe to it */
    AT_STDIN,
    AT_COUNT
};

static void set_error(const rc_run *run, struct pollfd *fd)
{
    *fd = (struct pollfd){.fd = run->err_fd, .events = POLLIN};
    if (run->piece_len > 0)
        *fd = (struct pollfd){.fd = RC_FD_STDERR, .events = POLLOUT};
}

/* Nothing is read from our standard input before the command has taken what
 * there is: of what it does not want as little as possible is gone. */
static void set_input(const rc_run *run, struct pollfd *fds)
{
    rc_stdin *in = run->plan->input;
    fds[AT_INPUT] = (struct pollfd){.fd = -1};
    fds[AT_STDIN] = (struct pollfd){.fd = -1};
    if (run->in_fd < 0)
        return;
    fds[AT_INPUT].fd = run->in_fd;
    if (rc_stdin_next(in).len > 0 || rc_stdin_is_over(in))
        fds[AT_INPUT].events = POLLOUT;
    else
        fds[AT_STDIN] = (struct pollfd){.fd = RC_FD_STDIN, .events = POLLIN};
}

static uint64_t next_time(const rc_run *run)
{
    bool is_free = run->phase == RC_RUN_DRAINING && !rc_run_is_ended(run);
    uint64_t at_ms = is_free ? RC_WATCH_NEVER : run->kill_at_ms;
    bool has_deadline = run->phase == RC_RUN_RUNNING && !run->end.is_over_deadline;
    if (has_deadline && run->plan->deadline_at_ms < at_ms)
        at_ms = run->plan->deadline_at_ms;
    return at_ms;
}

static void on_ready(rc_run *run, const struct pollfd *fds)
{
    if (fds[AT_ERROR].revents != 0 && run->piece_len > 0)
        rc_run_write_error(run);
    else if (fds[AT_ERROR].revents != 0 && run->err_fd >= 0)
        rc_run_read_error(run);
    if (fds[AT_STDIN].revents != 0)
        rc_stdin_read(run->plan->input);
    if ((fds[AT_INPUT].revents & (POLLERR | POLLHUP)) != 0)
        rc_run_close_input(run);
    else if (run->in_fd >= 0 && (fds[AT_INPUT].revents != 0 || fds[AT_STDIN].revents != 0))
        rc_run_feed(run);
    if (fds[AT_SIGNALS].revents != 0)
        rc_run_on_signals(run);
}

static void step(rc_run *run)
{
    struct pollfd fds[AT_COUNT];
    fds[AT_SIGNALS] = (struct pollfd){.fd = run->watch->signal_fd, .events = POLLIN};
    set_error(run, &fds[AT_ERROR]);
    set_input(run, fds);
    int error = rc_watch_poll(run->watch, fds, AT_COUNT, next_time(run));
    if (error != 0) {
        rc_run_break(run, error, "watch it");
        return;
    }
    on_ready(run, fds);
    if (run->phase == RC_RUN_RUNNING && run->plan->input->torn != 0)
        rc_run_break(run, run->plan->input->torn, "give it its input");
    if (run->phase != RC_RUN_OVER)
        rc_run_on_time(run);
}

/* The group is empty. What it has said is in the pipe, and goes out before we
 * do. */
static void drain(rc_run *run)
{
    while (run->phase == RC_RUN_DRAINING) {
        if (run->piece_len == 0 && run->err_fd >= 0)
            rc_run_read_error(run);
        if (run->drained > DRAIN_MAX)
            rc_run_close_error(run);
        if (run->piece_len > 0)
            step(run);
        else if (run->err_fd < 0)
            run->phase = RC_RUN_OVER;
    }
}

rc_process_end rc_process_run(rc_watch *watch, rc_tty *tty, const rc_process_plan *plan)
{
    rc_run run = {.calls = watch->calls,
                  .watch = watch,
                  .tty = tty,
                  .plan = plan,
                  .in_fd = -1,
                  .err_fd = -1,
                  .kill_at_ms = RC_WATCH_NEVER};
    rc_tail_reset(plan->tail);
    start(&run);
    while (run.phase == RC_RUN_RUNNING || run.phase == RC_RUN_CLEARING)
        step(&run);
    drain(&run);
    rc_run_close_input(&run);
    rc_run_close_error(&run);
    return run.end;
}
