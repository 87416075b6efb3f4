/* `recourse exec -- CMD ARG...`: runs a command and retries it as a policy says. Called from
 * command.c. */
#include "cli/exec/exec.h"

#include <signal.h>
#include <string.h>

#include <recourse/render.h>
#include <recourse/taxonomy.h>

#include "sys/clock.h"
#include "sys/entropy.h"
#include "sys/file.h"

/* Time between SIGTERM and SIGKILL for a command that must end. */
#define GRACE_MS 5000u
/* Maximum number of bytes of exec's own messages that wait to be written. */
#define ERR_MAX ((size_t)2 << 20)

static uint64_t entropy_of(const rc_exec *x)
{
    uint64_t entropy = 0;
    if (!rc_entropy_get(x->calls, &entropy, sizeof entropy))
        /* The clock replaces missing entropy, which only spreads the waits. */
        entropy = x->watch.now_ms;
    return entropy;
}

/* ---- one attempt ---- */

static rc_exec_attempt *last_attempt(rc_exec *x)
{
    return &x->attempts[(x->attempt_count - 1) % RC_REPORT_ATTEMPTS_MAX];
}

/* Returns the signal by which exec must end because it ended the command, so that a shell loop
 * around exec stops; 0: none. A command in the foreground that exits with 128 + SIGINT also counts
 * as interrupted. */
static int end_signal_of(const rc_process_end *end)
{
    static const int SIGNALS[] = {SIGINT, SIGQUIT};
    for (size_t i = 0; i < sizeof SIGNALS / sizeof *SIGNALS; i++) {
        bool is_reported = end->had_terminal && end->status == 128 + SIGNALS[i];
        if (end->killed_by == SIGNALS[i] || is_reported)
            return SIGNALS[i];
    }
    return 0;
}

static void run_once(rc_exec *x, const rc_action *action)
{
    rc_process_options plan = {
        .argv = x->argv,
        .input = &x->input,
        .error_outlet = &x->err_outlet,
        .tail = &x->tail,
        .report = &x->inner,
        .deadline_at_ms = action->deadline_at_ms,
        .grace_ms = GRACE_MS,
    };
    x->attempt_count++;
    *last_attempt(x) = (rc_exec_attempt){
        .started_unix_ms = rc_clock_unix_ms(x->calls), .wait_ms = -1, .reason = ""};
    uint64_t started_ms = x->watch.now_ms;
    x->end = rc_process_run(&x->watch, &x->tty, &plan);
    last_attempt(x)->duration_ms = (int64_t)(x->watch.now_ms - started_ms);
    x->exit_status = x->end.status;
    if (x->end.error != 0 && (x->end.is_started || x->end.status == 0))
        x->exit_status = RC_EXIT_OS;
    if (x->end.is_over_deadline && x->end.status == 0)
        x->exit_status = RC_EXIT_TIMED_OUT;
    x->end_signal = end_signal_of(&x->end);
}

static bool has_succeeded(const rc_exec *x)
{
    return x->exit_status == 0;
}

/* Checks before the wait whether standard input can be sent to the command again. If not, prints
 * that the failure is not retried. */
static void check_input(rc_exec *x)
{
    if (!rc_exec_failure_facts(x).is_retryable || rc_stdin_rewind(&x->input))
        return;
    x->refusal = x->input.replay_error;
    if (x->is_json || x->is_quiet)
        return;
    rc_exec_err_prefix(x, "not retried: standard input cannot be sent again, ");
    rc_cli_text(&x->cli->err, x->refusal);
    rc_buf_push_byte(&x->cli->err, '\n');
    rc_exec_push_err(x);
}

static rc_action on_failure(rc_exec *x)
{
    rc_report_free(x->report);
    x->report = rc_exec_judge(x);
    last_attempt(x)->code = rc_report_code(x->report);
    if (x->end.signal != 0 || x->end_signal != 0) {
        x->cancel_signal = x->end.signal != 0 ? x->end.signal : x->end_signal;
        return rc_call_on_cancel(&x->call, x->watch.now_ms);
    }
    check_input(x);
    rc_failure_facts facts = rc_exec_failure_facts(x);
    return rc_call_on_failure(&x->call, &facts, x->watch.now_ms, entropy_of(x));
}

static rc_action run_attempt(rc_exec *x, const rc_action *action)
{
    run_once(x, action);
    if (has_succeeded(x)) {
        rc_report_free(x->report);
        x->report = NULL;
        return rc_call_on_success(&x->call, x->watch.now_ms);
    }
    rc_action next = on_failure(x);
    last_attempt(x)->reason = x->refusal != NULL ? x->refusal : rc_reason_text(next.reason);
    if (next.kind == RC_DO_WAIT)
        last_attempt(x)->wait_ms = (int64_t)next.wait_ms;
    return next;
}

static rc_action wait_once(rc_exec *x, const rc_action *action)
{
    if (rc_exec_wait(x, action))
        return rc_call_on_wake(&x->call, x->watch.now_ms, entropy_of(x));
    if (x->cancel_signal != 0)
        x->exit_status = 128 + x->cancel_signal;
    if (x->cancel_signal == SIGINT || x->cancel_signal == SIGQUIT)
        x->end_signal = x->cancel_signal;
    rc_action next = rc_call_on_cancel(&x->call, x->watch.now_ms);
    last_attempt(x)->reason = x->refusal != NULL ? x->refusal : rc_reason_text(next.reason);
    return next;
}

static rc_action run_all(rc_exec *x)
{
    rc_action action = rc_call_begin(&x->call, x->watch.now_ms, entropy_of(x));
    while (action.kind == RC_DO_TRY || action.kind == RC_DO_WAIT) {
        rc_exec_events_emit(&x->events, &action, x->report);
        action = action.kind == RC_DO_TRY ? run_attempt(x, &action) : wait_once(x, &action);
    }
    rc_exec_events_emit(&x->events, &action, x->report);
    return action;
}

/* ---- end of the run ---- */

/* Returns whether SIGPIPE ended the command because the reader of its output closed the pipe, as in
 * `exec -- yes | head -1`. No report is shown for such an end. */
static bool is_reader_gone(const rc_exec *x)
{
    struct pollfd fd = {.fd = RC_FD_STDOUT, .events = POLLOUT};
    return x->end.status == 128 + SIGPIPE && x->calls->poll(&fd, 1, 0) > 0 &&
           (fd.revents & POLLERR) != 0;
}

static void show_panel(rc_exec *x, const rc_report *report)
{
    int64_t now_unix_ms = rc_clock_unix_ms(x->calls);
    rc_panel_style style = {
        .width = x->width > 0 ? x->width : x->cli->err_terminal.width,
        .has_colour = x->has_colour,
        .has_utf8 = x->cli->err_terminal.has_utf8,
        .is_status_hidden = rc_report_provider_status(report) != rc_report_http_status(report),
        .now_unix_ms = now_unix_ms,
        .utc_offset_s = rc_clock_utc_offset_s(x->calls, now_unix_ms),
    };
    /* The user who runs the command may see the internal view. After a single attempt it shows no
     * more than the user view. */
    rc_view view = x->attempt_count > 1 ? RC_VIEW_INTERNAL : RC_VIEW_USER;
    rc_render_human(report, view, &style, &x->cli->err);
}

static void show_end(rc_exec *x, const rc_action *action)
{
    if (x->report == NULL) {
        rc_exec_events_end(&x->events, NULL, x->watch.now_ms);
        return;
    }
    const rc_report *report = rc_exec_finish(x, action);
    rc_exec_events_end(&x->events, report, x->watch.now_ms);
    rc_exec_outer_write(x, report);
    if (!x->is_quiet && !x->is_json && !is_reader_gone(x))
        show_panel(x, report);
    rc_exec_push_err(x);
    rc_report_free(report);
}

/* ---- start of the run ---- */

/* Sets up the call with one target, without a breaker and without a retry budget: only the policy
 * limits the attempts. */
static void init_call(rc_exec *x)
{
    rc_shared_settings settings = rc_shared_settings_default();
    uint64_t now_ms = x->watch.now_ms;
    settings.retry_budget.burst = 0;
    settings.breaker.min_calls = 0;
    if (x->deadline_at_ms != RC_UNLIMITED)
        x->deadline_at_ms += now_ms;
    x->entry = (rc_chain_entry){.capabilities = UINT32_MAX};
    x->plan = (rc_plan){.policy = &x->policy,
                        .entries = &x->entry,
                        .entry_count = 1,
                        .chain_count = 1,
                        .overflow_to = RC_NO_TARGET};
    rc_shared_init(&x->shared, &settings, &x->target, 1, NULL, 0, now_ms);
    rc_call_options options = {.deadline_at_ms = x->deadline_at_ms};
    rc_call_init(&x->call, &x->plan, &x->shared, &options, now_ms);
}

static int refuse_to_watch(rc_exec *x, int error)
{
    rc_exec_err_prefix(x, "cannot run the command: ");
    rc_cli_text(&x->cli->err, rc_sys_error_text(error));
    rc_buf_push_byte(&x->cli->err, '\n');
    return RC_EXIT_OS;
}

/* Opens all resources that a run needs until its end: terminal, standard input, pipe for the
 * report. */
static void open_all(rc_exec *x)
{
    bool keeps_input = x->policy.enabled && x->policy.max_calls > 1 && !x->is_single;
    /* Makes exec the parent of orphaned processes, so that exec also sees processes outside the
     * command's process group. */
    x->calls->adopt_orphans();
    rc_watch_attach(&x->watch, &x->err_outlet);
    rc_watch_attach(&x->watch, &x->events.file);
    rc_tty_init(&x->tty, x->calls);
    rc_stdin_init(&x->input, x->calls, &x->cli->alloc, NULL, keeps_input);
    rc_exec_outer_open(x);
    x->inner.keep = RC_TAIL_MAX;
    x->run_id = rc_exec_id(x);
}

static void close_all(rc_exec *x)
{
    rc_exec_outer_close(x);
    rc_stdin_done(&x->input);
    rc_tty_done(&x->tty);
    rc_process_reap(x->calls);
    rc_watch_done(&x->watch);
}

static int run_watched(rc_exec *x)
{
    int error = rc_watch_init(&x->watch, x->calls);
    if (error != 0)
        return refuse_to_watch(x, error);
    open_all(x);
    rc_exec_events_begin(&x->events, &x->run_id, x->argv[0], x->watch.now_ms);
    init_call(x);
    rc_action action = run_all(x);
    show_end(x, &action);
    rc_report_free(x->report);
    rc_watch_flush(&x->watch, x->end.signal != 0 || x->cancel_signal != 0);
    close_all(x);
    return x->exit_status;
}

static int refuse_events(rc_exec *x, const char *path, int error)
{
    rc_exec_err_prefix(x, "cannot write to ");
    rc_cli_err_name(x->cli, rc_str_c(path));
    rc_cli_text(&x->cli->err, ": ");
    rc_cli_text(&x->cli->err, rc_exec_events_is_unread(error) ? "the pipe has no reader"
                                                              : rc_sys_error_text(error));
    rc_buf_push_byte(&x->cli->err, '\n');
    return RC_EXIT_IO;
}

static int run_with_outlets(rc_exec *x, const char *path)
{
    rc_outlet_init(&x->err_outlet, x->calls, &x->cli->alloc, RC_FD_STDERR, ERR_MAX);
    int error = rc_exec_events_open(&x->events, x->cli, &x->err_outlet, path, x->is_json);
    int result = error != 0 ? refuse_events(x, path, error) : run_watched(x);
    rc_exec_events_close(&x->events);
    rc_outlet_done(&x->err_outlet);
    return result;
}

/* Ends exec by the signal that ended the command, after all cleanup and with the signal mask
 * restored. If the signal is ignored or blocked, exec ends with the exit status 128 + signal. */
static void die_by_signal(const rc_exec *x)
{
    /* If only the command received the Ctrl-C, because it was the foreground group of the terminal,
     * the signal is also sent to the process group of exec, so that a script around exec stops. */
    const bool is_for_group = x->end.had_terminal && x->end.signal == 0 && !x->is_cancelled;
    if (x->end_signal != 0 && rc_buf_get(&x->cli->err).len == 0)
        rc_signal_die(x->calls, x->end_signal, is_for_group);
}

int rc_exec_run(rc_cli *cli, const rc_args *args)
{
    rc_exec *x = cli->alloc.get(cli->alloc.ctx, sizeof *x);
    if (x == NULL) {
        rc_cli_err_prefix(cli, "exec");
        rc_cli_text(&cli->err, "out of memory\n");
        return RC_EXIT_INTERNAL;
    }
    memset(x, 0, sizeof *x);
    x->cli = cli;
    x->calls = cli->calls;
    rc_detected_init(&x->detected, &cli->alloc);
    rc_buf_init(&x->cleaned, &cli->alloc, 4 * RC_TAIL_BYTES);
    int result = rc_exec_read_options(x, args);
    if (result == RC_EXIT_OK)
        result = run_with_outlets(x, args->values[EXEC_EVENTS]);
    rc_buf_done(&x->cleaned);
    rc_detected_done(&x->detected);
    die_by_signal(x);
    cli->alloc.put(cli->alloc.ctx, x, sizeof *x);
    return result;
}
