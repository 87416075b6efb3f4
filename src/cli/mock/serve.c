/* Runs the mock server until a signal ends it. Called by command.c. */
#include <signal.h>

#include "base/str.h"
#include "cli/mock/mock.h"
#include "mock/server.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/output.h"

/* EX_UNAVAILABLE of sysexits.h. */
#define EXIT_UNAVAILABLE 69
#define SIGNAL_COUNT 2

typedef struct mock_run {
    rc_cli *cli;
    uv_loop_t loop;
    uv_signal_t signals[SIGNAL_COUNT];
    rc_mock_server *server;
    bool is_ending;
} mock_run;

static int64_t unix_ms(void *ctx)
{
    const mock_run *run = ctx;
    return rc_clock_unix_ms(run->cli->calls);
}

/* Logs a response as a line such as "POST /v1/chat/completions mock/503@1: 503". */
static void on_response(void *ctx, rc_str method, rc_str path, rc_str model, int status)
{
    rc_cli *cli = ((mock_run *)ctx)->cli;
    rc_cli_err_name(cli, method);
    rc_buf_push_byte(&cli->err, ' ');
    rc_cli_err_name(cli, path);
    if (model.len > 0) {
        rc_buf_push_byte(&cli->err, ' ');
        rc_cli_err_name(cli, model);
    }
    rc_cli_text(&cli->err, ": ");
    if (status > 0)
        rc_buf_push_i64(&cli->err, status);
    else
        rc_cli_text(&cli->err, "no response");
    rc_buf_push_byte(&cli->err, '\n');
    rc_cli_flush_err(cli);
}

static void end(mock_run *run)
{
    if (run->is_ending)
        return;
    run->is_ending = true;
    for (int i = 0; i < SIGNAL_COUNT; i++)
        uv_close((uv_handle_t *)&run->signals[i], NULL);
    rc_mock_server_close(run->server);
}

static void on_signal(uv_signal_t *handle, int number)
{
    (void)number;
    end(handle->data);
}

/* ---- start ---- */

static void push_address(rc_buf *buf, const char *host, uint16_t port)
{
    const bool is_v6 = rc_str_find_byte(rc_str_c(host), ':', 0) != RC_STR_NPOS;
    if (is_v6)
        rc_buf_push_byte(buf, '[');
    rc_cli_text(buf, host);
    if (is_v6)
        rc_buf_push_byte(buf, ']');
    rc_buf_push_byte(buf, ':');
    rc_buf_push_u64(buf, port);
}

static int refuse(rc_cli *cli, const char *message, const char *reason, int exit_status)
{
    rc_cli_err_prefix(cli, "mock");
    rc_cli_text(&cli->err, message);
    rc_cli_err_name(cli, rc_str_c(reason));
    rc_buf_push_byte(&cli->err, '\n');
    return exit_status;
}

static int listen_at(mock_run *run, const rc_host_port *address, uint16_t *ret_port)
{
    rc_listening listening = {0};
    if (rc_mock_server_listen(run->server, address->host, address->port, &listening) ==
        RC_LISTEN_OK) {
        *ret_port = listening.port;
        return RC_EXIT_OK;
    }
    rc_cli_err_prefix(run->cli, "mock");
    rc_cli_text(&run->cli->err, "cannot listen at ");
    push_address(&run->cli->err, address->host, address->port);
    rc_cli_text(&run->cli->err, ": ");
    rc_cli_err_name(run->cli, rc_str_c(listening.text));
    rc_buf_push_byte(&run->cli->err, '\n');
    return listening.result == RC_LISTEN_ADDRESS ? RC_EXIT_USAGE : EXIT_UNAVAILABLE;
}

/* Writes the port to a file atomically, so that a process that waits for the file never reads a
 * partial number. */
static int write_port(rc_cli *cli, const char *path, uint16_t port)
{
    char folder[RC_OUTPUT_PATH_MAX] = ".";
    char text[16];
    rc_buf number;
    rc_str whole = rc_str_c(path);
    size_t slash = RC_STR_NPOS;
    for (size_t i = 0; i < whole.len; i++)
        if (path[i] == '/')
            slash = i;
    if (whole.len >= sizeof folder)
        return refuse(cli, "the name of the port file is too long", "", RC_EXIT_USAGE);
    if (slash != RC_STR_NPOS) {
        /* For a file in the root folder the folder is "/". */
        const size_t len = slash > 0 ? slash : 1;
        memcpy(folder, path, len);
        folder[len] = '\0';
    }
    rc_buf_init_fixed(&number, text, sizeof text);
    rc_buf_push_u64(&number, port);
    rc_buf_push_byte(&number, '\n');
    const rc_output output = {.calls = cli->calls, .files = &rc_output_real, .folder = folder};
    const int error = rc_output_write(&output, slash == RC_STR_NPOS ? path : path + slash + 1,
                                      rc_buf_get(&number));
    if (error == 0)
        return RC_EXIT_OK;
    return refuse(cli, "cannot write the port file: ", rc_sys_error_text(error), RC_EXIT_IO);
}

static int begin(mock_run *run, const rc_mock_options *options)
{
    rc_cli *cli = run->cli;
    uint16_t port = 0;
    int result = listen_at(run, &options->address, &port);
    if (result == RC_EXIT_OK && options->port_file != NULL)
        result = write_port(cli, options->port_file, port);
    if (result != RC_EXIT_OK)
        return result;
    rc_cli_text(&cli->err, "recourse mock: listening at http://");
    push_address(&cli->err, options->address.host, port);
    rc_buf_push_byte(&cli->err, '\n');
    rc_cli_flush_err(cli);
    return RC_EXIT_OK;
}

int rc_mock_serve(rc_cli *cli, const rc_mock_options *options)
{
    static const int numbers[SIGNAL_COUNT] = {SIGINT, SIGTERM};
    mock_run run = {.cli = cli};
    const rc_mock_server_settings settings = {
        .scenario = options->scenario,
        .seed = options->seed,
        .alloc = cli->alloc,
        .unix_ms = unix_ms,
        .on_response = options->is_quiet ? NULL : on_response,
        .ctx = &run,
    };
    if (uv_loop_init(&run.loop) != 0)
        return refuse(cli, "cannot create an event loop", "", RC_EXIT_INTERNAL);
    run.server = rc_mock_server_new(&run.loop, &settings);
    if (run.server == NULL) {
        (void)uv_loop_close(&run.loop);
        return refuse(cli, "out of memory", "", RC_EXIT_INTERNAL);
    }
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        (void)uv_signal_init(&run.loop, &run.signals[i]);
        run.signals[i].data = &run;
        (void)uv_signal_start(&run.signals[i], on_signal, numbers[i]);
    }
    const int result = begin(&run, options);
    if (result != RC_EXIT_OK)
        end(&run);
    (void)uv_run(&run.loop, UV_RUN_DEFAULT);
    (void)uv_loop_close(&run.loop);
    return result;
}
