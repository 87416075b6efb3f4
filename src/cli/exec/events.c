/* Events of `recourse exec` as JSON lines. Called by exec.c. */
#include "cli/exec/events.h"

#include <errno.h>

#include "sys/clock.h"
#include "sys/file.h"
#include "sys/watch.h"

/* Limit of the lines for one action of the call; a line contains at most one report in the user
 * view. */
#define LINES_MAX ((size_t)1 << 20)
/* Limit of lines that wait in the queue for a slow reader. */
#define QUEUE_MAX ((size_t)4 << 20)

int rc_exec_events_open(rc_exec_events *events, rc_cli *cli, rc_outlet *err_outlet,
                        const char *path, bool is_on_err)
{
    *events = (rc_exec_events){.cli = cli,
                               .err_outlet = err_outlet,
                               .file = {.fd = -1},
                               .is_on_err = is_on_err,
                               .next_seq = 1};
    rc_buf_init(&events->lines, &cli->alloc, LINES_MAX);
    if (path == NULL)
        return 0;
    int fd = cli->calls->open_append(path);
    while (fd < 0 && errno == EINTR)
        fd = cli->calls->open_append(path);
    fd = rc_fd_lift(cli->calls, fd);
    if (fd < 0)
        return errno;
    rc_outlet_init_own(&events->file, cli->calls, &cli->alloc, fd, QUEUE_MAX);
    events->has_file = true;
    return 0;
}

bool rc_exec_events_is_unread(int error)
{
    return error == ENXIO;
}

static void warn(rc_exec_events *events, const char *reason)
{
    rc_cli *cli = events->cli;
    rc_cli_err_prefix(cli, "exec");
    rc_cli_text(&cli->err, "events cannot be written: ");
    rc_cli_text(&cli->err, reason);
    rc_buf_push_byte(&cli->err, '\n');
    rc_outlet_begin_line(events->err_outlet);
    if (rc_outlet_push(events->err_outlet, rc_buf_get(&cli->err)))
        rc_buf_reset(&cli->err);
}

static void close_file(rc_exec_events *events)
{
    int error = events->has_file ? rc_outlet_done(&events->file) : 0;
    events->has_file = false;
    if (error != 0)
        warn(events, rc_sys_error_text(error));
}

void rc_exec_events_close(rc_exec_events *events)
{
    rc_exec_events_check(events);
    close_file(events);
    rc_buf_done(&events->lines);
}

void rc_exec_events_check(rc_exec_events *events)
{
    if (!events->has_file || events->file.error == 0)
        return;
    warn(events, rc_sys_error_text(events->file.error));
    close_file(events);
}

static bool is_wanted(const rc_exec_events *events)
{
    return events->has_file || events->is_on_err;
}

static void write_lines(rc_exec_events *events)
{
    rc_str lines = rc_buf_get(&events->lines);
    if (rc_buf_status(&events->lines) != RC_OK)
        warn(events, "out of memory");
    if (events->is_on_err) {
        rc_outlet_begin_line(events->err_outlet);
        rc_outlet_push(events->err_outlet, lines);
    }
    rc_exec_events_check(events);
    if (events->has_file && !rc_outlet_push(&events->file, lines)) {
        warn(events, "the reader is too slow or closed the pipe");
        close_file(events);
    }
    rc_exec_events_check(events);
    rc_buf_reset(&events->lines);
}

void rc_exec_events_begin(rc_exec_events *events, const rc_id *id, const char *command,
                          uint64_t now_ms)
{
    events->id = *id;
    events->command = command;
    events->started_ms = now_ms;
    rc_emitter_init(&events->emitter, rc_str_c(events->id.text), &events->next_seq);
}

void rc_exec_events_emit(rc_exec_events *events, const rc_action *action, const rc_report *report)
{
    rc_event list[RC_EVENTS_MAX];
    rc_str command = rc_str_c(events->command);
    rc_call_facts facts = {
        .action = *action,
        .error_message = rc_report_message(report),
        .report_id = rc_report_id(report),
        .from = command,
        .to = command,
        .role = RC_STR("exec"),
        .now_unix_ms = rc_clock_unix_ms(events->cli->calls),
    };
    if (!is_wanted(events))
        return;
    size_t count = rc_emitter_on_action(&events->emitter, &facts, list);
    for (size_t i = 0; i < count; i++)
        rc_event_encode(&list[i], &events->lines);
    write_lines(events);
}

void rc_exec_events_end(rc_exec_events *events, const rc_report *report, uint64_t now_ms)
{
    rc_str run_id = rc_str_c(events->id.text);
    rc_event event = {
        .seq = events->next_seq++,
        .time_unix_ms = rc_clock_unix_ms(events->cli->calls),
        .correlation_id = run_id,
    };
    if (!is_wanted(events))
        return;
    if (report == NULL) {
        event.type = RC_EVENT_TYPE_RUN_COMPLETED;
        event.as.run_completed =
            (rc_event_run_completed){.run_id = run_id, .duration_ms = now_ms - events->started_ms};
    } else {
        event.type = RC_EVENT_TYPE_RUN_FAILED;
        event.as.run_failed = (rc_event_run_failed){.run_id = run_id,
                                                    .node_id = rc_str_c(events->command),
                                                    .code = rc_report_run_event(report),
                                                    .error = report};
    }
    rc_event_encode(&event, &events->lines);
    write_lines(events);
}
