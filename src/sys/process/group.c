/* Controls a command's process group: signals, stops, exit and leftover processes. Called by
 * process.c and recourse exec. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>

#include "sys/process/run.h"

/* Time between SIGTERM and SIGKILL for the processes that the command has left behind, in
 * milliseconds. */
#define LEFTOVERS_GRACE_MS 500u
/* Maximum time to wait for processes after SIGKILL, in milliseconds. The program does not wait
 * longer for a process that hangs in the kernel. */
#define KILLED_GRACE_MS 5000u

static void signal_group(const rc_run *run, int signal)
{
    run->calls->kill(-run->pid, signal);
}

static void kill_group(rc_run *run)
{
    signal_group(run, SIGKILL);
    if (run->phase == RC_RUN_CLEARING)
        rc_run_kill_leftovers(run);
    run->is_killed = true;
    run->kill_at_ms = run->watch->now_ms + KILLED_GRACE_MS;
}

void rc_run_terminate(rc_run *run, int signal)
{
    if (run->kill_at_ms != RC_WATCH_NEVER) {
        kill_group(run);
        return;
    }
    signal_group(run, signal);
    signal_group(run, SIGCONT); /* A stopped process handles the signal only after SIGCONT. */
    run->kill_at_ms = run->watch->now_ms + run->options->grace_ms;
}

void rc_process_reap(const rc_sys_calls *calls)
{
    siginfo_t info = {0};
    while (calls->waitid(P_ALL, 0, &info, WEXITED | WNOHANG) == 0 && info.si_pid != 0)
        info.si_pid = 0;
}

/* ---- stops ---- */

/* Handles a stop of the command: also stops our group, unless we can give the command the terminal.
 * Returns false if the command needs the terminal and cannot get it, so that continuing the command
 * is useless. */
static bool resume_terminal(rc_run *run, bool wants_terminal)
{
    if (wants_terminal && rc_tty_is_ours(run->tty))
        return true;
    rc_tty_take_foreground(run->tty);
    return rc_watch_suspend(run->watch) || !wants_terminal || rc_tty_is_ours(run->tty);
}

static void on_stop(rc_run *run, int signal)
{
    bool wants_terminal = signal == SIGTTIN || signal == SIGTTOU;
    if (!resume_terminal(run, wants_terminal)) {
        rc_run_break(run, EIO, "give the command the terminal, which is in use");
        return;
    }
    if (wants_terminal || run->end.had_terminal)
        run->end.had_terminal = rc_tty_give_foreground(run->tty, run->pid) || run->end.had_terminal;
    signal_group(run, SIGCONT);
}

static void check_stop(rc_run *run)
{
    siginfo_t info = {0};
    if (run->calls->waitid(P_PID, (id_t)run->pid, &info, WSTOPPED | WNOHANG) == 0 &&
        info.si_pid == run->pid)
        on_stop(run, info.si_status);
}

/* ---- exit ---- */

static int shell_status(const siginfo_t *info)
{
    return info->si_code == CLD_EXITED ? info->si_status : 128 + info->si_status;
}

static void set_end(rc_process_end *end, const siginfo_t *info)
{
    end->status = shell_status(info);
    end->killed_by = info->si_code == CLD_EXITED ? 0 : info->si_status;
}

/* Makes our group the foreground group again. If the command was killed, also restores the terminal
 * modes, because the command could not restore them itself. */
static void take_terminal(const rc_run *run)
{
    rc_tty_take_foreground(run->tty);
    if (run->end.killed_by != 0 || run->end.error != 0 || rc_run_is_ended(run))
        rc_tty_restore(run->tty);
}

static bool is_group_empty(const rc_run *run)
{
    return run->calls->kill(-run->pid, 0) != 0;
}

/* Handles the end of the command. The command is not reaped yet, so its group number cannot belong
 * to other processes, and the whole group can be signalled safely. */
static void on_ended(rc_run *run, const siginfo_t *seen)
{
    siginfo_t info = {0};
    set_end(&run->end, seen);
    signal_group(run, SIGTERM);
    signal_group(run, SIGCONT);
    run->calls->waitid(P_PID, (id_t)run->pid, &info, WEXITED | WNOHANG);
    take_terminal(run);
    rc_run_close(run, &run->in_fd);
    run->phase = RC_RUN_CLEARING;
    run->is_killed = false;
    run->kill_at_ms = run->watch->now_ms + LEFTOVERS_GRACE_MS;
}

/* Reaps other children, and calls on_ended if the command has ended. The command itself is only
 * inspected (WNOWAIT), not reaped. */
static void check_exit(rc_run *run)
{
    siginfo_t info = {0};
    while (run->calls->waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid != 0 && info.si_pid != run->pid) {
        pid_t other = info.si_pid;
        info.si_pid = 0;
        if (run->calls->waitid(P_PID, (id_t)other, &info, WEXITED | WNOHANG) != 0)
            break;
        info.si_pid = 0;
    }
    memset(&info, 0, sizeof info);
    if (run->calls->waitid(P_PID, (id_t)run->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
        rc_run_break(run, errno, "wait for the command");
    else if (info.si_pid == run->pid)
        on_ended(run, &info);
}

static void check_leftovers(rc_run *run)
{
    bool has_new = false;
    rc_process_reap(run->calls);
    size_t count = rc_run_terminate_leftovers(run, &has_new);
    if (count == 0 && is_group_empty(run)) {
        run->phase = RC_RUN_DRAINING;
        return;
    }
    /* New leftover processes get a grace period of their own, but only RC_RUN_ROUNDS_MAX times. */
    if (!has_new || run->rounds >= RC_RUN_ROUNDS_MAX)
        return;
    run->rounds++;
    run->is_killed = false;
    run->kill_at_ms = run->watch->now_ms + LEFTOVERS_GRACE_MS;
}

static void on_children(rc_run *run)
{
    if (run->phase == RC_RUN_RUNNING)
        check_stop(run);
    if (run->phase == RC_RUN_RUNNING)
        check_exit(run);
    if (run->phase == RC_RUN_CLEARING)
        check_leftovers(run);
}

void rc_run_break(rc_run *run, int error, const char *failed_step)
{
    siginfo_t info = {0};
    rc_run_phase phase = run->phase;
    run->phase = RC_RUN_OVER;
    if (phase == RC_RUN_DRAINING)
        return; /* The command has already ended, so only its output is lost. */
    signal_group(run, SIGKILL);
    if (phase == RC_RUN_CLEARING) {
        rc_run_kill_leftovers(run);
        return;
    }
    run->end.error = error;
    run->end.failed_step = failed_step;
    int result = run->calls->waitid(P_PID, (id_t)run->pid, &info, WEXITED);
    while (result != 0 && errno == EINTR)
        result = run->calls->waitid(P_PID, (id_t)run->pid, &info, WEXITED);
    if (result == 0)
        set_end(&run->end, &info);
    rc_run_kill_leftovers(run);
    take_terminal(run);
}

/* ---- signals and time ---- */

static void on_end_signal(rc_run *run, int signal)
{
    run->end.signal = signal;
    if (run->phase == RC_RUN_RUNNING)
        rc_run_terminate(run, signal);
    else if (run->phase == RC_RUN_CLEARING)
        kill_group(run);
    else
        run->phase = RC_RUN_OVER; /* The second end signal; remaining output is dropped. */
}

static void on_signal(rc_run *run, int signal)
{
    if (rc_signal_is_end(signal))
        on_end_signal(run, signal);
    else if (signal == SIGCHLD)
        on_children(run);
    else if (rc_signal_is_message(signal) && run->phase == RC_RUN_RUNNING)
        signal_group(run, signal);
}

void rc_run_on_signals(rc_run *run)
{
    int signal = rc_watch_signal(run->watch);
    while (signal > 0 && run->phase != RC_RUN_OVER) {
        on_signal(run, signal);
        signal = rc_watch_signal(run->watch);
    }
    if (signal < 0)
        rc_run_break(run, EIO, "watch for the command's end");
}

bool rc_run_is_ended(const rc_run *run)
{
    return run->end.signal != 0 || run->end.is_over_deadline;
}

void rc_run_on_time(rc_run *run)
{
    uint64_t now_ms = run->watch->now_ms;
    bool is_running = run->phase == RC_RUN_RUNNING;
    if (is_running && !run->end.is_over_deadline && now_ms >= run->options->deadline_at_ms) {
        run->end.is_over_deadline = true;
        if (run->kill_at_ms == RC_WATCH_NEVER)
            rc_run_terminate(run, SIGTERM);
    }
    if (run->phase == RC_RUN_DRAINING && rc_run_is_ended(run) && now_ms >= run->kill_at_ms)
        run->phase = RC_RUN_OVER;
    if (now_ms < run->kill_at_ms || run->phase >= RC_RUN_DRAINING)
        return;
    if (!run->is_killed)
        kill_group(run);
    else if (run->phase == RC_RUN_CLEARING)
        run->phase = RC_RUN_DRAINING; /* SIGKILL was sent, and the processes have not ended in time;
                                       * they are not waited for. */
    else
        run->kill_at_ms = now_ms + LEFTOVERS_GRACE_MS;
    on_children(run);
}
