/* The log of `recourse serve`: request lines and events. Called by all files of serve and, through
 * callbacks, by every gateway thread. */
#include "cli/serve/log.h"

#include <stdatomic.h>

#include "base/str.h"
#include "codec/datetime.h"
#include "gateway/observe/exchange_summary.h"
#include "gateway/state/hub.h"
#include "store/store.h"
#include "sys/clock.h"
#include "sys/file.h"

#define TARGET_MAX_BYTES 512
#define PATH_SHOWN_BYTES 300
#define ERR_WAIT_MS 1000

static int64_t now_unix_ms(const rc_serve_run *run)
{
    return rc_clock_unix_ms(run->cli->calls);
}

/* ---- modes ---- */

static const rc_serve_log_mode *mode_of(const rc_serve_run *run)
{
    static const rc_serve_log_mode closed = {.is_on = false};
    const rc_serve_log_mode *mode = atomic_load(&run->log.mode);
    return mode != NULL ? mode : &closed;
}

bool rc_serve_log_has_events(const rc_serve_run *run)
{
    return mode_of(run)->has_events;
}

bool rc_serve_log_is_on(const rc_serve_run *run)
{
    return mode_of(run)->is_on;
}

bool rc_serve_log_is_json(const rc_serve_run *run)
{
    const rc_serve_log_mode *mode = mode_of(run);
    return mode->is_on && mode->style.is_json;
}

static void make_modes(rc_serve_run *run)
{
    const rc_cli *cli = run->cli;
    const int32_t offset_s = cli->calls->utc_offset_s((time_t)(now_unix_ms(run) / 1000));
    for (size_t i = 0; i < RC_SERVE_LOG_MODES; i++) {
        rc_serve_log_mode *mode = &run->log.modes[i];
        const bool is_file = i % 2 == 1;
        mode->is_on = rc_log_style_choose((rc_config_log_format)(i / 2), &cli->err_terminal,
                                          is_file, &mode->style);
        mode->has_events = mode->is_on && (mode->style.is_json || is_file);
        mode->style.utc_offset_s = offset_s;
    }
}

static const rc_serve_log_mode *choose(const rc_serve_run *run, const rc_config_log *config)
{
    const uint32_t format =
        run->options->log_format >= 0 ? (uint32_t)run->options->log_format : config->format;
    return &run->log.modes[2 * (size_t)format + (config->file.len > 0 ? 1 : 0)];
}

/* Called on the thread of the log sink. */
static size_t format_dropped(void *ctx, uint64_t count, char *scratch, size_t size)
{
    const rc_serve_run *run = ctx;
    rc_log_formatter formatter = {.style = mode_of(run)->style, .calls = run->cli->calls};
    return rc_log_format_dropped(&formatter, count, scratch, size);
}

/* ---- opening and closing ---- */

static int refuse_file(rc_serve_run *run, rc_str file, int error)
{
    rc_cli *cli = run->cli;
    rc_cli_err_prefix(cli, "serve");
    rc_cli_text(&cli->err, "the log cannot be written: ");
    if (file.len > 0) {
        rc_cli_text(&cli->err, "log.file: ");
        rc_cli_err_name(cli, file);
        rc_cli_text(&cli->err, ": ");
    }
    rc_cli_text(&cli->err, error > 0 ? rc_sys_error_text(error) : "out of memory");
    if (file.len > 0 && error > 0)
        rc_cli_text(&cli->err, ". Create the folder, give this user write access, or set log.file "
                               "to another file; without log.file, the log goes to standard error");
    rc_buf_push_byte(&cli->err, '\n');
    return RC_EXIT_IO;
}

int rc_serve_log_open(rc_serve_run *run, const rc_config_log *config)
{
    make_modes(run);
    return rc_serve_log_change(run, config);
}

int rc_serve_log_change(rc_serve_run *run, const rc_config_log *config)
{
    rc_serve_log *log = &run->log;
    const rc_serve_log_mode *mode = choose(run, config);
    const char *path = config->file.len > 0 ? config->file.ptr : NULL;
    const rc_log_sink_settings settings = {
        .calls = run->cli->calls, .path = path, .format_dropped = format_dropped, .ctx = run};
    int error = 0;
    if (mode->is_on && log->sink != NULL)
        error = rc_log_sink_move(log->sink, path);
    else if (mode->is_on)
        error = rc_log_sink_start(&settings, &run->cli->alloc, &log->sink);
    if (error != 0)
        return refuse_file(run, config->file, error);
    atomic_store(&log->mode, mode);
    return RC_EXIT_OK;
}

void rc_serve_log_reopen(rc_serve_run *run)
{
    char memory[RC_LOG_LINE_MAX];
    rc_buf text;
    const int error = mode_of(run)->is_on ? rc_log_sink_reopen(run->log.sink) : 0;
    if (error == 0)
        return;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_buf_push(&text, RC_STR("log.file cannot be reopened: "));
    rc_buf_push(&text, rc_str_slice(rc_gateway_hub(run->gateway)->snapshot->config->log.file, 0,
                                    PATH_SHOWN_BYTES));
    rc_buf_push(&text, RC_STR(": "));
    rc_buf_push(&text, rc_str_c(rc_sys_error_text(error)));
    rc_buf_push(&text, RC_STR(". The log continues in the file that was open; correct the problem, "
                              "then send SIGUSR1"));
    rc_serve_log_event(run, RC_LOG_EVENT_LOG_CLOSED, rc_buf_get(&text));
}

void rc_serve_log_close(rc_serve_run *run)
{
    rc_log_sink_stop(run->log.sink);
    run->log.sink = NULL;
}

uint64_t rc_serve_log_dropped(rc_serve_run *run)
{
    const uint64_t lost = atomic_load(&run->log.dropped);
    return run->log.sink != NULL ? lost + rc_log_sink_count(run->log.sink).dropped : lost;
}

/* Queues a line. status: the result of formatting the line; if it is not RC_OK, the line counts as
 * dropped. */
static void push_line(rc_serve_run *run, rc_status status, const rc_buf *line)
{
    if (status == RC_OK)
        rc_log_sink_push(run->log.sink, rc_buf_get(line));
    else
        atomic_fetch_add(&run->log.dropped, 1);
}

/* ---- events ---- */

static void push_event(rc_serve_run *run, const rc_serve_log_mode *mode, rc_log_event event,
                       rc_str text)
{
    char memory[RC_LOG_LINE_MAX];
    rc_buf line;
    const rc_log_field field = {.key = "message", .text = text};
    rc_buf_init_fixed(&line, memory, sizeof memory);
    push_line(run, rc_log_push_event(&line, &mode->style, now_unix_ms(run), event, &field, 1),
              &line);
}

/* The caller must hold err_lock. Waits up to ERR_WAIT_MS until stderr is writable. After a timeout
 * later calls do not wait, until stderr has been writable once. A reader that does not read
 * therefore delays only one request. A pipe that poll reports as writable has space for PIPE_BUF
 * bytes, which is more than a line. */
static bool can_write_err(rc_serve_run *run)
{
    struct pollfd polled = {.fd = RC_FD_STDERR, .events = POLLOUT};
    run->log.is_unread =
        run->cli->calls->poll(&polled, 1, run->log.is_unread ? 0 : ERR_WAIT_MS) == 0;
    return !run->log.is_unread;
}

static void write_err(rc_serve_run *run, rc_str text)
{
    char memory[RC_LOG_LINE_MAX];
    rc_buf line;
    rc_buf_init_fixed(&line, memory, sizeof memory);
    rc_buf_push(&line, RC_STR("recourse serve: "));
    rc_log_push_clean(&line, text);
    rc_buf_push_byte(&line, '\n');
    uv_mutex_lock(&run->err_lock);
    if (!can_write_err(run) || rc_fd_write(run->cli->calls, RC_FD_STDERR, rc_buf_get(&line)) != 0)
        atomic_fetch_add(&run->log.dropped, 1);
    uv_mutex_unlock(&run->err_lock);
}

void rc_serve_log_event(rc_serve_run *run, rc_log_event event, rc_str text)
{
    const rc_serve_log_mode *mode = mode_of(run);
    if (mode->has_events)
        push_event(run, mode, event, text);
    else
        write_err(run, text);
}

void rc_serve_log_note(rc_serve_run *run, rc_log_event event, rc_str text)
{
    const rc_serve_log_mode *mode = mode_of(run);
    if (mode->is_on)
        push_event(run, mode, event, text);
    else
        write_err(run, text);
}

void rc_serve_log_line(rc_serve_run *run, rc_str line)
{
    if (mode_of(run)->is_on)
        rc_log_sink_push(run->log.sink, line);
}

void rc_serve_log_suppressed(void *ctx, rc_str line)
{
    rc_serve_log_event(ctx, RC_LOG_EVENT_SUPPRESSED, rc_str_trim(line));
}

void rc_serve_log_store(void *ctx, const rc_report *why)
{
    char memory[RC_LOG_LINE_MAX];
    rc_buf text;
    if (why == NULL) {
        rc_serve_log_event(ctx, RC_LOG_EVENT_STORE_BACK,
                           RC_STR("the audit store is available again"));
        return;
    }
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_buf_push(&text, RC_STR("the audit store is unavailable: "));
    rc_buf_push(&text, rc_str_slice(rc_report_detail(why), 0, RC_LOG_CLEAN_MAX));
    rc_serve_log_event(ctx, RC_LOG_EVENT_STORE_DOWN, rc_buf_get(&text));
}

void rc_serve_log_trimmed(void *ctx, const rc_store_prune *prune)
{
    char memory[128];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_buf_push(&text, RC_STR("operations deleted from the audit: "));
    rc_buf_push_u64(&text, prune->operations);
    rc_buf_push(&text, RC_STR(", ended before "));
    rc_rfc3339_push(&text, prune->before_unix_ms);
    rc_serve_log_event(ctx, RC_LOG_EVENT_AUDIT_TRIMMED, rc_buf_get(&text));
}

void rc_serve_log_budget(void *ctx, const rc_ledger_notice *notice, rc_str scope)
{
    char memory[RC_LOG_LINE_MAX];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_buf_push(&text, RC_STR("the "));
    rc_ledger_push_scope(&text, scope);
    if (notice->kind == RC_LEDGER_PAUSED)
        rc_buf_push(&text, RC_STR(" has no room for another request; requests are waiting: "));
    else
        rc_buf_push(&text, notice->kind == RC_LEDGER_NEARLY_SPENT ? RC_STR(" is nearly used up: ")
                                                                  : RC_STR(" is used up: "));
    rc_ledger_push_usd(&text, notice->spent);
    rc_buf_push(&text, RC_STR(" of "));
    rc_ledger_push_usd(&text, notice->limit);
    rc_buf_push(&text, RC_STR(" is spent"));
    rc_serve_log_event(ctx,
                       notice->kind == RC_LEDGER_PAUSED ? RC_LOG_EVENT_BUDGET_PAUSED
                                                        : RC_LOG_EVENT_BUDGET_WARNING,
                       rc_buf_get(&text));
}

/* Logs that a limit of a provider is nearly used up. In JSON the line also contains the numbers. */
void rc_serve_log_quota(void *ctx, const rc_quota_warning *notice)
{
    rc_serve_run *run = ctx;
    const rc_serve_log_mode *mode = mode_of(run);
    const rc_quota *quota = notice->quota;
    char memory[RC_LOG_LINE_MAX];
    char scratch[RC_LOG_LINE_MAX];
    rc_buf text;
    rc_buf line;
    rc_event event;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_quota_push_text(quota, rc_str_slice(notice->target, 0, RC_LOG_CLEAN_MAX), notice->credential,
                       &text);
    if (!mode->is_on || !mode->style.is_json) {
        rc_serve_log_event(run, RC_LOG_EVENT_QUOTA_WARNING, rc_buf_get(&text));
        return;
    }
    rc_quota_event(quota, notice->target, notice->credential, &event);
    const rc_event_quota_warning *warning = &event.as.quota_warning;
    const rc_log_field fields[] = {
        {.key = "message", .text = rc_buf_get(&text)},
        {.key = "target", .text = notice->target},
        {.key = "credential", .text = notice->credential},
        {.key = "kind", .text = warning->kind},
        {.key = "remaining", .number = (int64_t)warning->remaining},
        {.key = "limit", .number = (int64_t)warning->limit},
        {.key = "request_id", .text = notice->request_id},
        {.key = "reset_ms", .number = (int64_t)warning->reset_ms},
    };
    const size_t count = sizeof fields / sizeof fields[0] - (warning->reset_ms > 0 ? 0 : 1);
    rc_buf_init_fixed(&line, scratch, sizeof scratch);
    push_line(run,
              rc_log_push_event(&line, &mode->style, notice->unix_ms, RC_LOG_EVENT_QUOTA_WARNING,
                                fields, count),
              &line);
}

/* ---- requests ---- */

static rc_log_outcome outcome_of(const rc_exchange_summary *record)
{
    if (record->outcome == RC_OUTCOME_SUCCEEDED)
        return RC_LOG_SUCCEEDED;
    if (record->outcome == RC_OUTCOME_CANCELLED)
        return RC_LOG_CANCELLED;
    if (record->attempts == 0)
        return RC_LOG_REFUSED;
    return record->was_partly_sent ? RC_LOG_INTERRUPTED : RC_LOG_FAILED;
}

void rc_serve_log_record(void *ctx, const rc_exchange_summary *record)
{
    rc_serve_run *run = ctx;
    char names[TARGET_MAX_BYTES];
    char memory[RC_LOG_LINE_MAX];
    rc_buf target;
    rc_buf line;
    const rc_serve_log_mode *mode = mode_of(run);
    if (!mode->is_on)
        return;
    rc_buf_init_fixed(&target, names, sizeof names);
    if (record->provider.len > 0) {
        rc_buf_push(&target, record->provider);
        rc_buf_push_byte(&target, '/');
        rc_buf_push(&target, record->target);
    }
    const bool has_report = record->report != NULL;
    const rc_str none = rc_str_make(NULL, 0);
    const rc_log_outcome outcome = outcome_of(record);
    const rc_log_request request = {
        .unix_ms = now_unix_ms(run),
        .outcome = outcome,
        .method = outcome == RC_LOG_REFUSED ? record->method : none,
        .path = outcome == RC_LOG_REFUSED ? record->path : none,
        .request_id = record->request_id,
        .report_id = has_report ? rc_report_id(record->report) : none,
        .client = record->client,
        .route = record->route,
        .model = record->model,
        .target = rc_buf_status(&target) == RC_OK ? rc_buf_get(&target) : none,
        .provider_request_id = has_report ? rc_report_request_id(record->report) : none,
        .status = record->status,
        .code = has_report ? rc_report_code(record->report) : RC_CODE_NONE,
        .rule = has_report ? rc_report_rule(record->report) : none,
        .message = has_report ? rc_report_message(record->report) : none,
        .attempts = record->attempts,
        .switches = record->switches,
        .wait_ms = record->wait_ms,
        .latency_ms = (int64_t)record->latency_ms,
        .first_byte_ms = record->first_byte_ms,
        .tokens_in = record->tokens_in,
        .tokens_out = record->tokens_out,
        .is_estimated = record->is_estimated,
        .cost_usd_micro = record->cost_usd_micro,
        .bytes = record->bytes,
        .translated = record->translated,
        .trace_id = record->trace_id,
        .client_retry = record->client_retry,
        .is_committed = record->is_committed,
    };
    rc_buf_init_fixed(&line, memory, sizeof memory);
    push_line(run, rc_log_push_request(&line, &mode->style, &request), &line);
}
