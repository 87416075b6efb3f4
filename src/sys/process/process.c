/* Runs one command: starts it, copies its pipes and waits for its end. Called by `recourse
 * exec`. */
#define _GNU_SOURCE
#include "sys/process/process.h"

#include <errno.h>
#include <string.h>

#include "sys/file.h"
#include "sys/process/run.h"

/* Maximum number of bytes that are read after the command's end. Without this limit, processes that
 * left the group could write for ever. */
#define DRAIN_MAX ((size_t)1 << 20)

/* ---- start ---- */

typedef struct pipe_ends {
    int ours;
    int theirs;
} pipe_ends;

static void close_ends(const rc_sys_calls *calls, pipe_ends *pair)
{
    if (pair->ours >= 0)
        rc_fd_close(calls, pair->ours);
    if (pair->theirs >= 0)
        rc_fd_close(calls, pair->theirs);
    *pair = (pipe_ends){-1, -1};
}

/* Opens a pipe to or from the command. is_to_it: the command reads from the pipe; otherwise the
 * command writes to it. Returns 0 or the errno number. */
static int open_pipe(const rc_sys_calls *calls, bool is_to_it, pipe_ends *ret_ends)
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
    pipe_ends pair = {lifted[is_to_it ? 1 : 0], lifted[is_to_it ? 0 : 1]};
    if (error == 0 && calls->set_nonblocking(pair.ours) != 0)
        error = errno;
    if (error != 0)
        close_ends(calls, &pair);
    *ret_ends = pair;
    return error;
}

/* Returns the exit status for a command that could not be started: 127 if it was not found, 126 if
 * it was found but cannot be run, 0 for a failure that the command did not cause. */
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

typedef struct pipes {
    pipe_ends err;
    pipe_ends in;
    pipe_ends report;
} pipes;

/* Returns whether the command gets the foreground at its start. If our output goes to a pipe, its
 * reader (such as `less`) may also need the terminal; the foreground then stays with our group
 * until the command needs it. */
static bool is_interactive(const rc_run *run)
{
    return run->calls->isatty(RC_FD_STDIN) != 0 && run->calls->isatty(RC_FD_STDOUT) != 0 &&
           rc_tty_is_ours(run->tty);
}

static int spawn(rc_run *run, const pipes *p)
{
    rc_spawn request = {
        .argv = run->options->argv,
        .stdin_fd = p->in.theirs,
        .stderr_fd = p->err.theirs,
        .report_fd = p->report.theirs,
        .tty_fd = is_interactive(run) ? run->tty->fd : -1,
        .mask = run->watch->old_mask,
    };
    int error = run->calls->spawn(&request, &run->pid);
    if (request.tty_fd >= 0 && (error == ENOTTY || error == EIO || error == EPERM)) {
        /* The terminal may have been closed in the meantime; the command then runs without a
         * terminal. */
        request.tty_fd = -1;
        error = run->calls->spawn(&request, &run->pid);
    }
    if (error == 0 && request.tty_fd >= 0)
        rc_tty_set_given(run->tty, run->pid);
    run->end.had_terminal = error == 0 && request.tty_fd >= 0;
    return error;
}

static int open_pipes(rc_run *run, pipes *p)
{
    bool is_fed = run->options->input->kind == RC_STDIN_STREAM;
    int error = open_pipe(run->calls, false, &p->err);
    if (error == 0 && is_fed)
        error = open_pipe(run->calls, true, &p->in);
    /* Without the report pipe the command still runs, because its standard error also describes a
     * failure. */
    if (error == 0 && open_pipe(run->calls, false, &p->report) != 0)
        p->report = (pipe_ends){-1, -1};
    return error;
}

static void start(rc_run *run)
{
    pipes p = {{-1, -1}, {-1, -1}, {-1, -1}};
    run->end.failed_step = "make a pipe for the command";
    run->end.error = open_pipes(run, &p);
    if (run->end.error == 0) {
        run->end.failed_step = "start the command";
        run->end.error = spawn(run, &p);
        run->end.status = status_of_failure(run->end.error);
    }
    if (run->end.error != 0) {
        close_ends(run->calls, &p.err);
        close_ends(run->calls, &p.in);
        close_ends(run->calls, &p.report);
        run->phase = RC_RUN_OVER;
        return;
    }
    rc_run_close(run, &p.err.theirs);
    rc_run_close(run, &p.in.theirs);
    rc_run_close(run, &p.report.theirs);
    run->err_fd = p.err.ours;
    run->in_fd = p.in.ours;
    run->report_fd = p.report.ours;
    run->end.is_started = true;
    run->phase = RC_RUN_RUNNING;
}

/* ---- poll loop ---- */

enum {
    AT_SIGNALS,
    AT_ERROR, /* The command's standard error, which is polled when the previous piece is
               * written. */
    AT_REPORT,
    AT_INPUT, /* The pipe to the command's standard input. */
    AT_STDIN,
    AT_COUNT
};

_Static_assert(AT_COUNT <= RC_WATCH_POLLS_MAX, "the watch polls for all");

/* Polls our standard input only after the command has consumed the previous piece, so that we read
 * as few bytes as possible beyond those that the command needs. */
static void set_input(const rc_run *run, struct pollfd *fds)
{
    rc_stdin *in = run->options->input;
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
    if (has_deadline && run->options->deadline_at_ms < at_ms)
        at_ms = run->options->deadline_at_ms;
    return at_ms;
}

static void on_ready(rc_run *run, const struct pollfd *fds)
{
    if (run->piece_len > 0)
        rc_run_write_error(run);
    else if (fds[AT_ERROR].revents != 0 && run->err_fd >= 0)
        rc_run_read_error(run);
    if (fds[AT_REPORT].revents != 0)
        rc_run_read_report(run);
    if (fds[AT_STDIN].revents != 0)
        rc_stdin_read(run->options->input);
    if ((fds[AT_INPUT].revents & (POLLERR | POLLHUP)) != 0)
        rc_run_close(run, &run->in_fd);
    else if (run->in_fd >= 0 && (fds[AT_INPUT].revents != 0 || fds[AT_STDIN].revents != 0))
        rc_run_feed(run);
    if (fds[AT_SIGNALS].revents != 0)
        rc_run_on_signals(run);
}

static void step(rc_run *run)
{
    struct pollfd fds[AT_COUNT];
    fds[AT_SIGNALS] = (struct pollfd){.fd = run->watch->signal_fd, .events = POLLIN};
    fds[AT_ERROR] = (struct pollfd){.fd = run->piece_len > 0 ? -1 : run->err_fd, .events = POLLIN};
    fds[AT_REPORT] = (struct pollfd){.fd = run->report_fd, .events = POLLIN};
    set_input(run, fds);
    int error = rc_watch_poll(run->watch, fds, AT_COUNT, next_time(run));
    if (error != 0) {
        rc_run_break(run, error, "watch it");
        return;
    }
    on_ready(run, fds);
    if (run->phase == RC_RUN_RUNNING && run->options->input->read_error != 0)
        rc_run_break(run, run->options->input->read_error, "give the command its input");
    if (run->phase != RC_RUN_OVER)
        rc_run_on_time(run);
}

/* Copies the output that remains in the pipe after all processes of the command have ended. */
static void drain(rc_run *run)
{
    while (run->phase == RC_RUN_DRAINING) {
        if (run->piece_len == 0 && run->err_fd >= 0)
            rc_run_read_error(run);
        if (run->drained > DRAIN_MAX)
            rc_run_close(run, &run->err_fd);
        if (run->piece_len > 0)
            step(run);
        else if (run->err_fd < 0)
            run->phase = RC_RUN_OVER;
    }
}

/* Reads the bytes in the report pipe without waiting for processes that still have its write end
 * open. */
static void drain_report(rc_run *run)
{
    for (size_t i = 0; i < RC_TAIL_MAX / RC_RUN_PIECE && run->report_fd >= 0; i++)
        rc_run_read_report(run);
}

rc_process_end rc_process_run(rc_watch *watch, rc_tty *tty, const rc_process_options *options)
{
    rc_run run = {.calls = watch->calls,
                  .watch = watch,
                  .tty = tty,
                  .options = options,
                  .in_fd = -1,
                  .err_fd = -1,
                  .report_fd = -1,
                  .kill_at_ms = RC_WATCH_NEVER};
    rc_tail_reset(options->tail);
    rc_tail_reset(options->report);
    start(&run);
    while (run.phase == RC_RUN_RUNNING || run.phase == RC_RUN_CLEARING)
        step(&run);
    drain(&run);
    drain_report(&run);
    /* A leftover process may have had the foreground until now. */
    rc_tty_take_foreground(tty);
    options->error_outlet->is_awaited = false;
    rc_run_close(&run, &run.in_fd);
    rc_run_close(&run, &run.err_fd);
    rc_run_close(&run, &run.report_fd);
    return run.end;
}
