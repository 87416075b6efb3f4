/* rc_cli: output buffers and messages that all commands share. Called by main.c and every
 * command. */
#include "cli/cli.h"

#include "base/nearest.h"
#include "render/wrap.h"
#include "scrub/scrub.h"
#include "sys/file.h"

/* Limit of the buffer `err`. Messages are short, but file names may be long. */
#define TALK_MAX ((size_t)1 << 20)

void rc_cli_init(rc_cli *cli, const rc_sys_calls *calls, const rc_alloc *alloc)
{
    cli->calls = calls;
    cli->alloc = *alloc;
    rc_buf_init(&cli->out, alloc, RC_CLI_OUTPUT_MAX);
    rc_buf_init(&cli->err, alloc, TALK_MAX);
    cli->out_terminal = rc_terminal_get(calls, RC_FD_STDOUT);
    cli->err_terminal = rc_terminal_get(calls, RC_FD_STDERR);
}

void rc_cli_done(rc_cli *cli)
{
    rc_buf_done(&cli->out);
    rc_buf_done(&cli->err);
}

void rc_cli_text(rc_buf *buf, const char *text)
{
    rc_buf_push(buf, rc_str_c(text));
}

/* Longest foreign text that is printed after secrets are removed from it, because users paste keys
 * into the wrong argument. */
#define ECHO_MAX ((size_t)4096)

void rc_cli_err_name(rc_cli *cli, rc_str text)
{
    char scratch[ECHO_MAX];
    rc_buf clean;
    rc_buf_init_fixed(&clean, scratch, sizeof(scratch));
    if (rc_scrub(text, sizeof(scratch), &clean) == RC_OK)
        text = rc_buf_get(&clean);
    rc_visible_push(&cli->err, text, cli->err_terminal.has_utf8);
}

void rc_cli_err_quote(rc_cli *cli, rc_str text)
{
    rc_buf_push_byte(&cli->err, '"');
    rc_cli_err_name(cli, text);
    rc_buf_push_byte(&cli->err, '"');
}

void rc_cli_err_prefix(rc_cli *cli, const char *command)
{
    rc_cli_text(&cli->err, "recourse");
    if (command != NULL) {
        rc_buf_push_byte(&cli->err, ' ');
        rc_cli_text(&cli->err, command);
    }
    rc_cli_text(&cli->err, ": ");
}

void rc_cli_suggest(rc_cli *cli, const char *dashes, const char *nearest)
{
    rc_nearest_push(&cli->err, dashes, nearest);
    rc_buf_push_byte(&cli->err, '\n');
}

int rc_cli_usage(rc_cli *cli, const char *command)
{
    rc_cli_text(&cli->err, "Run 'recourse ");
    if (command != NULL) {
        rc_cli_text(&cli->err, command);
        rc_buf_push_byte(&cli->err, ' ');
    }
    rc_cli_text(&cli->err, "--help' for help.\n");
    return RC_EXIT_USAGE;
}

/* Writes out and closes standard output; returns 0 or the first error. The caller has checked that
 * the buffer `out` is complete, because partial output could be taken for a whole result. */
static int write_out(rc_cli *cli)
{
    rc_str data = rc_buf_get(&cli->out);
    if (data.len == 0)
        return 0;
    int error = rc_fd_write(cli->calls, RC_FD_STDOUT, data);
    int late_error = rc_fd_close(cli->calls, RC_FD_STDOUT);
    return error != 0 ? error : late_error;
}

void rc_cli_flush_err(rc_cli *cli)
{
    /* A failure to write to stderr cannot be reported anywhere. */
    rc_fd_write(cli->calls, RC_FD_STDERR, rc_buf_get(&cli->err));
    rc_buf_reset(&cli->err);
}

int rc_cli_output_lost(rc_cli *cli, int error)
{
    if (rc_sys_is_reader_gone(error))
        return RC_EXIT_IO;
    rc_cli_err_prefix(cli, NULL);
    rc_cli_text(&cli->err, "cannot write the output: ");
    rc_cli_text(&cli->err, rc_sys_error_text(error));
    rc_buf_push_byte(&cli->err, '\n');
    return RC_EXIT_IO;
}

int rc_cli_finish(rc_cli *cli, int exit_status)
{
    rc_cli_flush_err(cli);
    if (rc_buf_status(&cli->out) != RC_OK) {
        rc_str text = RC_STR("recourse: out of memory for the output\n");
        rc_fd_write(cli->calls, RC_FD_STDERR, text);
        return RC_EXIT_INTERNAL;
    }
    int error = write_out(cli);
    if (error == 0)
        return exit_status;
    int lost = rc_cli_output_lost(cli, error);
    rc_cli_flush_err(cli);
    return lost;
}
