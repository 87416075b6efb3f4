/* rc_cli: the state of one run of the `recourse` command. Results go to `out`, messages for a
 * person to `err`. The two buffers are written when the command ends, so that a command prints
 * either all of its output or the reason why there is none. */
#ifndef RC_CLI_CLI_H
#define RC_CLI_CLI_H

#include <recourse/alloc.h>
#include <recourse/buf.h>
#include <recourse/report.h>

#include "sys/calls.h"
#include "sys/terminal.h"

/* Exit statuses, mostly of sysexits.h, for ends without a report; the code of a report has its own
 * exit status. */
enum {
    RC_EXIT_OK = 0,
    RC_EXIT_USAGE = 64,
    RC_EXIT_NO_INPUT = 66,
    RC_EXIT_INTERNAL = 70,
    RC_EXIT_IO = 74
};

/* Upper limit of the output of a command: enough for the largest report with every byte escaped. */
#define RC_CLI_OUTPUT_MAX ((size_t)256 << 20)

typedef struct rc_cli {
    const rc_sys_calls *calls;
    rc_alloc alloc;
    rc_buf out;
    rc_buf err;
    rc_terminal out_terminal;
    rc_terminal err_terminal;
} rc_cli;

/* Initializes cli and looks up the properties of the terminals at standard output and standard
 * error. calls: borrows until rc_cli_done. alloc: copies the struct. */
void rc_cli_init(rc_cli *cli, const rc_sys_calls *calls, const rc_alloc *alloc);
void rc_cli_done(rc_cli *cli);

/* Runs the command line and writes its output; returns the exit status. argv: borrows during the
 * call. */
int rc_cli_main(rc_cli *cli, int argc, const char *const *argv);

/* Writes the buffer `err`, then `out`, and closes standard output, because some write errors are
 * reported only on close. Returns RC_EXIT_IO when output was lost, else exit_status. */
int rc_cli_finish(rc_cli *cli, int exit_status);

/* Appends to err why output was lost, or nothing if the reader closed the pipe (EPIPE). error: an
 * errno value. Returns RC_EXIT_IO. */
int rc_cli_output_lost(rc_cli *cli, int error);

/* Writes the buffer `err` to standard error and empties it; called before an operation that takes
 * time. */
void rc_cli_flush_err(rc_cli *cli);

/* Appends text of the program itself, which needs no scrubbing and no escaping. */
void rc_cli_text(rc_buf *buf, const char *text);

/* Appends foreign text in quotes to err, scrubbed of secrets and with control characters
 * escaped. */
void rc_cli_err_quote(rc_cli *cli, rc_str text);

/* Appends foreign text like rc_cli_err_quote, but without quotes, for names of files and
 * options. */
void rc_cli_err_name(rc_cli *cli, rc_str text);

/* Begins a line on err with "recourse COMMAND: ", or with "recourse: " if command is NULL. */
void rc_cli_err_prefix(rc_cli *cli, const char *command);

/* Ends a line on err with "; did you mean DASHES+NEAREST?", or without a suggestion if nearest is
 * NULL. */
void rc_cli_suggest(rc_cli *cli, const char *dashes, const char *nearest);

/* Ends a usage error with the line "Run 'recourse COMMAND --help' for help."; returns
 * RC_EXIT_USAGE. */
int rc_cli_usage(rc_cli *cli, const char *command);

#endif
