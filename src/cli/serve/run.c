/* Runs the gateway process from start to end. Called by command.c; the other files of serve call
 * the functions that run.h lists under run.c. */
#include "cli/serve/run.h"

#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <recourse/taxonomy.h>

#include "base/str.h"
#include "cli/config_load.h"
#include "cli/mock/mock.h"
#include "cli/serve/admin.h"
#include "cli/serve/load.h"
#include "cli/serve/log.h"
#include "cli/store_note.h"
#include "gateway/admin/live.h"
#include "gateway/observe/exchange_summary.h"
#include "gateway/state/hub.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/output.h"

/* First descriptor that systemd passes to a service, see sd_listen_fds(3). */
#define FIRST_PASSED_FD 3
#define PASSED_MAX 8
#define MALLOC_KEPT_BYTES (512 << 10)
#define NOTE_MAX_BYTES ((size_t)8 << 10)

int rc_serve_refuse(rc_cli *cli, const char *message, const char *detail, int exit_status)
{
    rc_cli_err_prefix(cli, "serve");
    rc_cli_text(&cli->err, message);
    rc_cli_err_name(cli, rc_str_c(detail));
    rc_buf_push_byte(&cli->err, '\n');
    return exit_status;
}

/* ---- shutdown ---- */

static void on_stopped(void *ctx)
{
    rc_serve_run *run = ctx;
    run->gateway = NULL;
    rc_serve_admin_stop(run);
    rc_serve_signals_close(run);
}

void rc_serve_drain(rc_serve_run *run, const char *requester)
{
    char memory[256];
    rc_buf text;
    if (run->is_stopping)
        return;
    run->is_stopping = true;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_cli_text(&text, requester);
    rc_cli_text(&text,
                " requested the shutdown: no new requests; exit after the requests in flight");
    rc_serve_log_event(run, RC_LOG_EVENT_DRAINING, rc_buf_get(&text));
    rc_gateway_stop(run->gateway);
}

/* ---- listening ---- */

void rc_serve_push_address(rc_buf *buf, const char *host, uint16_t port)
{
    const bool is_v6 = rc_str_find_byte(rc_str_c(host), ':', 0) != RC_STR_NPOS;
    rc_cli_text(buf, is_v6 ? "[" : "");
    rc_cli_text(buf, host);
    rc_cli_text(buf, is_v6 ? "]:" : ":");
    rc_buf_push_u64(buf, port);
}

void rc_serve_log_address(rc_serve_run *run, const char *label, const char *host, uint16_t port)
{
    char memory[256];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    rc_cli_text(&text, label);
    rc_serve_push_address(&text, host, port);
    rc_serve_log_event(run, RC_LOG_EVENT_LISTENING, rc_buf_get(&text));
}

/* Writes the port to a file atomically, so that a process that waits for the file never reads a
 * partial number. */
static int write_port(rc_cli *cli, const char *path, uint16_t port)
{
    char folder[RC_OUTPUT_PATH_MAX] = ".";
    char text[16];
    const char *name = path;
    rc_buf number;
    const size_t len = strlen(path);
    if (len >= sizeof folder)
        return rc_serve_refuse(cli, "--port-file: the name is too long", "", RC_EXIT_USAGE);
    const char *slash = strrchr(path, '/');
    if (slash != NULL) {
        name = slash + 1;
        memcpy(folder, path, (size_t)(name - path));
        folder[name - path] = '\0';
    }
    rc_buf_init_fixed(&number, text, sizeof text);
    rc_buf_push_u64(&number, port);
    rc_buf_push_byte(&number, '\n');
    const rc_output output = {.calls = cli->calls, .files = &rc_output_real, .folder = folder};
    const int error = rc_output_write(&output, name, rc_buf_get(&number));
    if (error == 0)
        return RC_EXIT_OK;
    rc_cli_err_prefix(cli, "serve");
    rc_cli_text(&cli->err, "the port file cannot be written: --port-file ");
    rc_cli_err_name(cli, rc_str_c(path));
    rc_cli_text(&cli->err, ": ");
    rc_cli_text(&cli->err, rc_sys_error_text(error));
    rc_cli_text(&cli->err,
                ". Create its folder, give this user write permission, or use another file\n");
    return RC_EXIT_IO;
}

static int refuse_listening(rc_cli *cli, const char *host, uint16_t port,
                            const rc_listening *listening)
{
    rc_cli_err_prefix(cli, "serve");
    rc_cli_text(&cli->err, "cannot listen at ");
    rc_serve_push_address(&cli->err, host, port);
    rc_cli_text(&cli->err, ": ");
    rc_cli_err_name(cli, rc_str_c(listening->text));
    if (listening->result == RC_LISTEN_IN_USE)
        rc_cli_text(&cli->err, ". Another process listens there: stop it, or set another port "
                               "with `listen` or --listen");
    rc_buf_push_byte(&cli->err, '\n');
    return listening->result == RC_LISTEN_ADDRESS ? RC_EXIT_USAGE : RC_EXIT_UNAVAILABLE;
}

/* Returns the number of sockets that systemd passed to this process (LISTEN_PID must be its id). */
static int passed_sockets(const rc_cli *cli)
{
    const char *pid = cli->calls->getenv("LISTEN_PID");
    const char *count = cli->calls->getenv("LISTEN_FDS");
    if (pid == NULL || count == NULL || strtol(pid, NULL, 10) != (long)getpid())
        return 0;
    const long number = strtol(count, NULL, 10);
    return number > 0 && number <= PASSED_MAX ? (int)number : 0;
}

static int listen_passed(rc_serve_run *run, int count)
{
    for (int i = 0; i < count; i++) {
        rc_listening listening = {0};
        if (rc_gateway_listen_fd(run->gateway, FIRST_PASSED_FD + i, &listening) != RC_LISTEN_OK)
            return rc_serve_refuse(run->cli,
                                   "cannot listen at an inherited socket: ", listening.text,
                                   RC_EXIT_UNAVAILABLE);
    }
    rc_serve_log_event(run, RC_LOG_EVENT_LISTENING,
                       count == 1 ? RC_STR("listening at the inherited socket")
                                  : RC_STR("listening at the inherited sockets"));
    return RC_EXIT_OK;
}

/* Prints what the gateway is and which base URLs clients use. admin: the configured address of the
 * admin server. */
static void show_bases(rc_cli *cli, rc_str admin, const rc_host_port *address, uint16_t port)
{
    static const struct {
        const char *label, *suffix;
    } bases[] = {
        {"  OpenAI's SDKs and the like           http://", "/v1\n"},
        {"  Anthropic's and Google's SDKs        http://", "\n"},
    };
    rc_cli_text(&cli->err,
                "\nThis is a gateway (proxy) for LLM APIs. It retries, falls back to other "
                "models and keys,\ncounts costs and keeps an audit. Clients keep their API and "
                "change their base URL:\n\n");
    for (size_t i = 0; i < sizeof bases / sizeof bases[0]; i++) {
        rc_cli_text(&cli->err, bases[i].label);
        rc_serve_push_address(&cli->err, address->host, port);
        rc_cli_text(&cli->err, bases[i].suffix);
    }
    if (rc_str_eq(admin, RC_STR("off")) || rc_str_ends_with(admin, RC_STR(":0")))
        return;
    rc_cli_text(&cli->err, "  the dashboard, in a browser          http://");
    rc_cli_err_name(cli, admin);
    rc_cli_text(&cli->err, "/\n");
}

/* Prints example commands with the demo models, if there is no configuration. */
static void show_demo(rc_cli *cli, const rc_config *config, rc_str admin,
                      const rc_host_port *address, uint16_t port, bool is_json)
{
    static const struct {
        const char *model, *text;
    } shows[] = {
        {"demo-retry",
         "a rate limit: the gateway waits and retries; the headers show two attempts"},
        {"demo-fallback", "a provider that is down, and a fallback to the next one"},
        {"demo-failure", "an exhausted quota: not retried, a typed error with advice"},
    };
    const rc_config_route *route = rc_config_route_find(config, RC_STR("demo-retry"));
    if (route == NULL || is_json || !rc_str_eq(route->model, RC_STR("demo-retry")))
        return;
    show_bases(cli, admin, address, port);
    rc_cli_text(&cli->err, "\nTry, in another terminal:\n");
    for (size_t i = 0; i < sizeof shows / sizeof shows[0]; i++) {
        rc_cli_text(&cli->err, "\n  # ");
        rc_cli_text(&cli->err, shows[i].text);
        rc_cli_text(&cli->err, "\n  curl -i http://");
        rc_serve_push_address(&cli->err, address->host, port);
        rc_cli_text(&cli->err, "/v1/chat/completions -d '{\"model\":\"");
        rc_cli_text(&cli->err, shows[i].model);
        rc_cli_text(&cli->err, "\",\"messages\":[{\"role\":\"user\",\"content\":\"hi\"}]}'\n");
    }
    rc_cli_text(&cli->err, "\nCtrl-C stops the gateway.");
    if (config->audit.durability != RC_DURABLE_OFF && config->store_ref.kind == RC_SECRET_NONE) {
        rc_cli_text(&cli->err, " The audit is in ");
        rc_cli_err_name(cli, rc_store_note_path(config->root.store));
        rc_cli_text(&cli->err, ".");
    }
    rc_cli_text(&cli->err, "\n\n");
}

static int listen_here(rc_serve_run *run)
{
    rc_cli *cli = run->cli;
    rc_host_port address;
    rc_listening listening = {0};
    const rc_config *config = rc_gateway_hub(run->gateway)->snapshot->config;
    const rc_str listen =
        run->options->listen != NULL ? rc_str_c(run->options->listen) : config->root.listen;
    if (!rc_host_port_parse(listen, &address)) {
        rc_cli_err_prefix(cli, "serve");
        rc_cli_text(&cli->err, "--listen must be HOST:PORT, not ");
        rc_cli_err_quote(cli, listen);
        rc_buf_push_byte(&cli->err, '\n');
        return rc_cli_usage(cli, "serve");
    }
    if (rc_gateway_listen(run->gateway, address.host, address.port, &listening) != RC_LISTEN_OK)
        return refuse_listening(cli, address.host, address.port, &listening);
    const int result = run->options->port_file != NULL
                           ? write_port(cli, run->options->port_file, listening.port)
                           : RC_EXIT_OK;
    if (result != RC_EXIT_OK)
        return result;
    rc_serve_log_address(run, "listening at http://", address.host, listening.port);
    show_demo(cli, config,
              run->options->admin != NULL ? rc_str_c(run->options->admin) : config->admin.listen,
              &address, listening.port, rc_serve_log_is_json(run));
    rc_cli_flush_err(cli);
    return RC_EXIT_OK;
}

/* ---- start ---- */

/* Disables core dumps and ptrace, because the process holds API keys; raises the limit of open
 * files. */
static void prepare_process(void)
{
    struct rlimit files;
    (void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
    /* Allocations below the threshold, such as most bodies, reuse pages of the heap. Larger
     * allocations are mapped, and returned to the system when freed. A fixed threshold also stops
     * glibc from raising the threshold when a large allocation is freed. */
    (void)mallopt(M_MMAP_THRESHOLD, MALLOC_KEPT_BYTES);
    (void)mallopt(M_TRIM_THRESHOLD, 4 * MALLOC_KEPT_BYTES);
    (void)signal(SIGPIPE, SIG_IGN);
    (void)signal(SIGXFSZ, SIG_IGN); /* A file above the size limit gives a write error. */
    if (getrlimit(RLIMIT_NOFILE, &files) == 0 && files.rlim_cur < files.rlim_max) {
        files.rlim_cur = files.rlim_max;
        (void)setrlimit(RLIMIT_NOFILE, &files);
    }
}

/* Logs a note about a store that the configuration does not name. */
static void log_store_note(rc_serve_run *run, const rc_config *config)
{
    char memory[NOTE_MAX_BYTES];
    rc_buf text;
    rc_buf_init_fixed(&text, memory, sizeof memory);
    if (config->audit.durability != RC_DURABLE_OFF &&
        rc_store_note_push(&text, run->cli->calls, config, false))
        rc_serve_log_event(run, RC_LOG_EVENT_STORE_DEFAULT, rc_buf_get(&text));
}

static int begin(rc_serve_run *run)
{
    const int passed = passed_sockets(run->cli);
    const rc_serve_overrides overrides = {.is_listen = passed > 0 || run->options->listen != NULL,
                                          .is_admin = run->options->admin != NULL};
    const rc_config *config = rc_gateway_hub(run->gateway)->snapshot->config;
    rc_load_error load_error;
    if (!rc_gateway_open(run->gateway) ||
        rc_serve_fixed_init(&run->fixed, config, overrides, &run->cli->alloc) != RC_OK)
        return rc_serve_refuse(run->cli, "out of memory", "", RC_EXIT_INTERNAL);
    rc_serve_signals_open_end(run);
    int result = rc_serve_admin_open(run);
    if (result == RC_EXIT_OK)
        result = passed > 0 ? listen_passed(run, passed) : listen_here(run);
    if (result == RC_EXIT_OK && !rc_gateway_check_addresses(run->gateway, &load_error))
        result = rc_serve_refuse(run->cli, "", load_error.text, RC_EXIT_CONFIG);
    if (result != RC_EXIT_OK)
        return result;
    rc_serve_log_unpriced(run);
    log_store_note(run, config);
    return rc_gateway_start(run->gateway)
               ? RC_EXIT_OK
               : rc_serve_refuse(run->cli, "cannot start a thread", "", RC_EXIT_INTERNAL);
}

/* Called on the thread of the loop that served the request, as on_record. */
static bool wants_record(void *ctx)
{
    const rc_serve_run *run = ctx;
    return (run->live != NULL && rc_admin_live_is_read(run->live)) || rc_serve_log_is_on(run);
}

/* Called on the thread of the loop that served the request. */
static void on_record(void *ctx, const rc_exchange_summary *record)
{
    rc_serve_run *run = ctx;
    if (run->live != NULL)
        rc_admin_live_publish(run->live, record);
    rc_serve_log_record(run, record);
}

static void on_quota(void *ctx, const rc_quota_warning *notice)
{
    rc_serve_run *run = ctx;
    if (run->live != NULL)
        rc_admin_live_publish_quota(run->live, notice);
    rc_serve_log_quota(run, notice);
}

static int make_gateway(rc_serve_run *run)
{
    rc_snapshot_input input;
    rc_load_error load_error;
    int result = rc_serve_load(run->cli, "serve", run->options->config_path, &input);
    if (result != RC_EXIT_OK)
        return result;
    result = rc_serve_log_open(run, &input.config->log);
    if (result != RC_EXIT_OK) {
        rc_snapshot_input_done(&input, &run->cli->alloc);
        return result;
    }
    const rc_gateway_settings settings = {
        .uv_loop = &run->loop,
        .calls = run->cli->calls,
        .alloc = run->cli->alloc,
        .threads = (uint32_t)input.config->root.threads,
        .on_record = on_record,
        .wants_record = wants_record,
        .on_budget = rc_serve_log_budget,
        .on_quota = on_quota,
        .on_suppressed = rc_serve_log_suppressed,
        .on_store = rc_serve_log_store,
        .on_trimmed = rc_serve_log_trimmed,
        .on_stopped = on_stopped,
        .ctx = run,
    };
    run->gateway = rc_gateway_new(&settings, &input, &load_error);
    /* Returns memory to the system that was used only while the configuration was loaded and the
     * store was opened. */
    (void)malloc_trim(0);
    if (run->gateway != NULL)
        return RC_EXIT_OK;
    rc_snapshot_input_done(&input, &run->cli->alloc);
    rc_serve_add_advice(&load_error);
    return rc_serve_refuse(run->cli, "", load_error.text,
                           load_error.is_memory ? RC_EXIT_INTERNAL : RC_EXIT_CONFIG);
}

int rc_serve(rc_cli *cli, const rc_serve_options *options)
{
    rc_serve_run run = {.cli = cli, .options = options};
    run.started_unix_ms = run.loaded_unix_ms = rc_clock_unix_ms(cli->calls);
    prepare_process();
    rc_fd_hold_standard(cli->calls);
    if (uv_loop_init(&run.loop) != 0)
        return rc_serve_refuse(cli, "cannot create an event loop", "", RC_EXIT_INTERNAL);
    if (uv_mutex_init(&run.err_lock) != 0) {
        (void)uv_loop_close(&run.loop);
        return rc_serve_refuse(cli, "out of memory", "", RC_EXIT_INTERNAL);
    }
    rc_serve_signals_open(&run);
    int result = make_gateway(&run);
    if (result == RC_EXIT_OK) {
        result = begin(&run);
        if (result != RC_EXIT_OK)
            rc_gateway_close(run.gateway);
    } else {
        rc_serve_signals_close(&run);
    }
    (void)uv_run(&run.loop, UV_RUN_DEFAULT);
    (void)uv_loop_close(&run.loop);
    rc_serve_log_close(&run);
    rc_serve_fixed_done(&run.fixed);
    uv_mutex_destroy(&run.err_lock);
    return result;
}
