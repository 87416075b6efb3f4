/* rc_cli: one run of the command. Data goes to `out`, talk to `err`; both are written at the end,
 * whole, so that a command either gives its output or says why it does not. */
#ifndef RC_CLI_CLI_H
#define RC_CLI_CLI_H

#include <recourse/alloc.h>
#include <recourse/buf.h>
#include <recourse/report.h>

#include "sys/calls.h"
#include "sys/terminal.h"

/* Exit statuses that are not a report's: sysexits.h. */
enum {
    RC_EXIT_OK = 0,
    RC_EXIT_USAGE = 64,
    RC_EXIT_NO_INPUT = 66,
    RC_EXIT_INTERNAL = 70,
    RC_EXIT_IO = 74
};

/* The most that a command prints: a report of the largest size, every byte of it escaped. */
#define RC_CLI_OUTPUT_MAX ((size_t)256 << 20)

typedef struct rc_cli {
    const rc_sys_calls *calls;
    rc_alloc alloc;
    rc_buf out;
    rc_buf err;
    rc_terminal out_terminal;
    rc_terminal err_terminal;
} rc_cli;

/* calls: borrows. alloc: copies. */
void rc_cli_init(rc_cli *cli, const rc_sys_calls *calls, const rc_alloc *alloc);
void rc_cli_done(rc_cli *cli);

/* Runs the command line and writes what came of it; gives the exit status. argv: borrows. */
int rc_cli_main(rc_cli *cli, int argc, const char *const *argv);

/* Writes talk, then data, and closes standard output to hear of late failures. Gives the exit
 * status: RC_EXIT_IO when data was lost, else the one that is passed in. */
int rc_cli_finish(rc_cli *cli, int exit_status);

/* Says on err why output was lost; without a word when its reader has gone. Gives RC_EXIT_IO. */
int rc_cli_output_lost(rc_cli *cli, int error);

/* Writes the talk so far, before something that takes time. */
void rc_cli_flush_err(rc_cli *cli);

/* Appends text that the command itself wrote. */
void rc_cli_text(rc_buf *buf, const char *text);

/* Appends text that came from outside, between quotes, to err; no control character passes. */
void rc_cli_err_quote(rc_cli *cli, rc_str text);

/* The same without quotes: names of files. */
void rc_cli_err_name(rc_cli *cli, rc_str text);

/* Begins a line on err: "recourse: " or "recourse COMMAND: ". command: NULL for none. */
void rc_cli_err_prefix(rc_cli *cli, const char *command);

/* Ends a line on err with "; did you mean NEAREST?", or as it is when nearest is NULL. */
void rc_cli_suggest(rc_cli *cli, const char *dashes, const char *nearest);

/* Ends a usage error: the line that says where help is. Gives RC_EXIT_USAGE. */
int rc_cli_usage(rc_cli *cli, const char *command);

#endif
