/* The gateway, from the first connection to the signal that ends it. */
#include <signal.h>

#include <recourse/taxonomy.h>

#include "base/str.h"
#include "cli/serve.h"
#include "gateway/gate.h"
#include "sys/file.h"
#include "sys/output.h"

/* sysexits.h: a service is not available; the configuration is wrong. */
#define EXIT_UNAVAILABLE 69
#define EXIT_CONFIG 78
#define SIGNAL_COUNT 2

typedef struct serve_run {
    rc_cli *cli;
    uv_loop_t loop;
    uv_signal_t signals[SIGNAL_COUNT];
    rc_gate *gate; /* NULL: nothing is left of it */
    bool is_stopping;
} serve_run;

/* "POST /v1/chat/completions gpt-4o -> openai/gpt-4o: 200, attempts 2" */
static void on_record(void *ctx, const rc_gate_record *record)
{
    rc_cli *cli = ((serve_run *)ctx)->cli;
    rc_cli_name(cli, record->method);
    rc_buf_push_byte(&cli->err, ' ');
    rc_cli_name(cli, record->path);
    rc_buf_push_byte(&cli->err, ' ');
    rc_cli_name(cli, record->model);
    if (record->provider.len > 0) {
        rc_cli_text(&cli->err, " -> ");
        rc_cli_name(cli, record->provider);
        rc_buf_push_byte(&cli->err, '/');
        rc_cli_name(cli, record->target);
    }
    rc_cli_text(&cli->err, ": ");
    rc_buf_push_i64(&cli->err, record->status);
    rc_cli_text(&cli->err, ", attempts ");
    rc_buf_push_u64(&cli->err, record->attempts);
    if (record->report != NULL) {
        rc_cli_text(&cli->err, ", ");
        rc_cli_text(&cli->err, rc_code_name(rc_report_code(record->report)));
    }
    rc_cli_text(&cli->err, record->was_begun ? ", committed\n" : "\n");
    rc_cli_flush_err(cli);
}

static void on_stopped(void *ctx)
{
    serve_run *run = ctx;
    run->gate = NULL;
    for (int i = 0; i < SIGNAL_COUNT; i++)
        uv_close((uv_handle_t *)&run->signals[i], NULL);
}

static void on_signal(uv_signal_t *handle, int number)
{
    serve_run *run = handle->data;
    (void)number;
    if (run->gate == NULL)
        return;
    if (run->is_stopping)
        rc_gate_close(run->gate);
    else
        rc_gate_stop(run->gate);
    run->is_stopping = true;
}

/* ---- the beginning ---- */

static int refuse(rc_cli *cli, const char *what, const char *why, int exit_status)
{
    rc_cli_complain(cli, "serve");
    rc_cli_text(&cli->err, what);
    rc_cli_name(cli, rc_str_c(why));
    rc_buf_push_byte(&cli->err, '\n');
    return exit_status;
}

static void push_address(rc_buf *buf, const char *host, uint16_t port)
{
    const bool is_v6 = rc_str_find_byte(rc_str_c(host), ':', 0) != RC_STR_NPOS;
    rc_cli_text(buf, is_v6 ? "[" : "");
    rc_cli_text(buf, host);
    rc_cli_text(buf, is_v6 ? "]:" : ":");
    rc_buf_push_u64(buf, port);
}

/* Whoever waits for the file finds the whole number in it. */
static int write_port(rc_cli *cli, const char *path, uint16_t port)
{
    char folder[RC_OUTPUT_PATH_MAX] = ".";
    char text[16];
    const char *name = path;
    rc_buf number;
    const size_t len = strlen(path);
    if (len >= sizeof folder)
        return refuse(cli, "the name of the port file is too long", "", RC_EXIT_USAGE);
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
    return refuse(cli, "cannot write the port file: ", rc_sys_error_text(error), RC_EXIT_IO);
}

static int listen_at(const serve_run *run, const rc_serve_options *options, uint16_t *ret_port)
{
    rc_listening listening = {0};
    rc_cli *cli = run->cli;
    if (rc_gate_listen(run->gate, options->host, options->port, &listening) == RC_LISTEN_OK) {
        *ret_port = listening.port;
        return RC_EXIT_OK;
    }
    rc_cli_complain(cli, "serve");
    rc_cli_text(&cli->err, "cannot listen at ");
    push_address(&cli->err, options->host, options->port);
    rc_cli_text(&cli->err, ": ");
    rc_cli_name(cli, rc_str_c(listening.text));
    rc_buf_push_byte(&cli->err, '\n');
    return listening.result == RC_LISTEN_ADDRESS ? RC_EXIT_USAGE : EXIT_UNAVAILABLE;
}

static int begin(const serve_run *run, const rc_serve_options *options)
{
    rc_cli *cli = run->cli;
    uint16_t port = 0;
    int result = listen_at(run, options, &port);
    if (result == RC_EXIT_OK && options->port_file != NULL)
        result = write_port(cli, options->port_file, port);
    if (result != RC_EXIT_OK)
        return result;
    rc_cli_text(&cli->err, "recourse serve: listening at http://");
    push_address(&cli->err, options->host, port);
    rc_buf_push_byte(&cli->err, '\n');
    rc_cli_flush_err(cli);
    return RC_EXIT_OK;
}

static int run_gate(serve_run *run, const rc_serve_options *options)
{
    static const int numbers[SIGNAL_COUNT] = {SIGINT, SIGTERM};
    rc_gate_trouble trouble;
    const rc_gate_settings settings = {
        .config = options->config,
        .calls = run->cli->calls,
        .alloc = run->cli->alloc,
        .on_record = options->is_verbose ? on_record : NULL,
        .on_stopped = on_stopped,
        .ctx = run,
    };
    run->gate = rc_gate_new(&run->loop, &settings, &trouble);
    if (run->gate == NULL)
        return refuse(run->cli, "", trouble.text,
                      trouble.is_memory ? RC_EXIT_INTERNAL : EXIT_CONFIG);
    for (int i = 0; i < SIGNAL_COUNT; i++) {
        (void)uv_signal_init(&run->loop, &run->signals[i]);
        run->signals[i].data = run;
        (void)uv_signal_start(&run->signals[i], on_signal, numbers[i]);
    }
    const int result = begin(run, options);
    if (result != RC_EXIT_OK)
        rc_gate_close(run->gate);
    return result;
}

int rc_serve(rc_cli *cli, const rc_serve_options *options)
{
    serve_run run = {.cli = cli};
    if (uv_loop_init(&run.loop) != 0)
        return refuse(cli, "there is no event loop to be had", "", RC_EXIT_INTERNAL);
    const int result = run_gate(&run, options);
    (void)uv_run(&run.loop, UV_RUN_DEFAULT);
    (void)uv_loop_close(&run.loop);
    return result;
}
