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
#define NS_A_MS 1000000u

typedef struct mock_run {
    rc_cli *cli;
    uv_loop_t loop;
    uv_signal_t signals[SIGNAL_COUNT];
    /* The server at the address of --listen. With a script, the servers of its providers follow. */
    rc_mock_server *servers[1 + RC_SIM_PROVIDERS_MAX];
    uint32_t server_count;
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
    for (uint32_t i = 0; i < run->server_count; i++)
        rc_mock_server_close(run->servers[i]);
}

static void on_reset(void *ctx)
{
    const mock_run *run = ctx;
    for (uint32_t i = 0; i < run->server_count; i++)
        rc_mock_server_follow_script(run->servers[i]);
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

static int listen_at(mock_run *run, rc_mock_server *server, const rc_host_port *address,
                     uint16_t *ret_port)
{
    rc_listening listening = {0};
    if (rc_mock_server_listen(server, address->host, address->port, &listening) == RC_LISTEN_OK) {
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

/* Writes the ports to a file, one a line, atomically, so that a process that waits for the file
 * never reads a partial number. */
static int write_ports(rc_cli *cli, const char *path, const uint16_t *ports, uint32_t count)
{
    char folder[RC_OUTPUT_PATH_MAX] = ".";
    char text[(1 + RC_SIM_PROVIDERS_MAX) * 8];
    rc_buf numbers;
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
    rc_buf_init_fixed(&numbers, text, sizeof text);
    for (uint32_t i = 0; i < count; i++) {
        rc_buf_push_u64(&numbers, ports[i]);
        rc_buf_push_byte(&numbers, '\n');
    }
    const rc_output output = {.calls = cli->calls, .files = &rc_output_real, .folder = folder};
    const int error = rc_output_write(&output, slash == RC_STR_NPOS ? path : path + slash + 1,
                                      rc_buf_get(&numbers));
    if (error == 0)
        return RC_EXIT_OK;
    return refuse(cli, "cannot write the port file: ", rc_sys_error_text(error), RC_EXIT_IO);
}

/* Prints a line such as "recourse mock: primary at http://127.0.0.1:8789". */
static void print_address(rc_cli *cli, const char *what, const char *host, uint16_t port)
{
    rc_cli_text(&cli->err, "recourse mock: ");
    rc_cli_err_name(cli, rc_str_c(what));
    rc_cli_text(&cli->err, " at http://");
    push_address(&cli->err, host, port);
    rc_buf_push_byte(&cli->err, '\n');
}

static void print_addresses(rc_cli *cli, const rc_mock_options *options, const uint16_t *ports,
                            uint32_t count)
{
    print_address(cli, "listening", options->address.host, ports[0]);
    for (uint32_t i = 1; i < count; i++)
        print_address(cli, options->script->scenario->providers[i - 1].name, options->address.host,
                      ports[i]);
    rc_cli_flush_err(cli);
}

static int begin(mock_run *run, const rc_mock_options *options)
{
    rc_cli *cli = run->cli;
    uint16_t ports[1 + RC_SIM_PROVIDERS_MAX] = {0};
    int result = RC_EXIT_OK;
    if (options->script != NULL)
        rc_mock_script_restart(options->script, uv_hrtime() / NS_A_MS);
    for (uint32_t i = 0; result == RC_EXIT_OK && i < run->server_count; i++) {
        rc_host_port address = options->address;
        if (address.port > UINT16_MAX - i)
            return refuse(cli, "no port is left for provider ",
                          options->script->scenario->providers[i - 1].name, RC_EXIT_USAGE);
        if (address.port > 0)
            address.port = (uint16_t)(address.port + i);
        result = listen_at(run, run->servers[i], &address, &ports[i]);
    }
    if (result == RC_EXIT_OK && options->port_file != NULL)
        result = write_ports(cli, options->port_file, ports, run->server_count);
    if (result == RC_EXIT_OK)
        print_addresses(cli, options, ports, run->server_count);
    return result;
}

/* Creates the servers. Returns false if there is no memory. */
static bool make_servers(mock_run *run, const rc_mock_options *options)
{
    rc_mock_server_settings settings = {
        .scenario = options->scenario,
        .script = options->script,
        .script_index = RC_MOCK_NO_PROVIDER,
        .seed = options->seed,
        .alloc = run->cli->alloc,
        .unix_ms = unix_ms,
        .on_response = options->is_quiet ? NULL : on_response,
        .on_reset = on_reset,
        .ctx = run,
    };
    const uint32_t count =
        options->script != NULL ? 1 + options->script->scenario->provider_count : 1;
    for (uint32_t i = 0; i < count; i++) {
        settings.script_index = i == 0 ? RC_MOCK_NO_PROVIDER : i - 1;
        run->servers[i] = rc_mock_server_new(&run->loop, &settings);
        if (run->servers[i] == NULL)
            return false;
        run->server_count++;
    }
    return true;
}

int rc_mock_serve(rc_cli *cli, const rc_mock_options *options)
{
    static const int numbers[SIGNAL_COUNT] = {SIGINT, SIGTERM};
    mock_run run = {.cli = cli};
    if (uv_loop_init(&run.loop) != 0)
        return refuse(cli, "cannot create an event loop", "", RC_EXIT_INTERNAL);
    const bool has_servers = make_servers(&run, options);
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        (void)uv_signal_init(&run.loop, &run.signals[i]);
        run.signals[i].data = &run;
        (void)uv_signal_start(&run.signals[i], on_signal, numbers[i]);
    }
    const int result =
        has_servers ? begin(&run, options) : refuse(cli, "out of memory", "", RC_EXIT_INTERNAL);
    if (result != RC_EXIT_OK)
        end(&run);
    (void)uv_run(&run.loop, UV_RUN_DEFAULT);
    (void)uv_loop_close(&run.loop);
    return result;
}
