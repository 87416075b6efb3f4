/* Reading a report's JSON from a file or standard input, and saying what is wrong with it. */
#ifndef RC_CLI_RENDER_INPUT_H
#define RC_CLI_RENDER_INPUT_H

#include <recourse/json.h>
#include <recourse/report.h>

#include "cli/cli.h"

typedef struct rc_input {
    const char *command; /* who reads, for the talk */
    const char *path;    /* NULL or "-": standard input */
    rc_decode_mode mode;
    bool is_json_wanted; /* refusals as JSON, not as a panel */
    unsigned width;      /* of the panel */
    bool has_colour;
} rc_input;

/* Reads the report. RC_EXIT_OK: *ret_report is the caller's to free, and what a tolerant decoder
 * dropped has been said. Else the exit status, and err holds the reason:
 *   66  the file cannot be read
 *   65  a ShapeInvalid report: it is not a report, and where
 *   70  there is no memory for it
 * input: borrows. */
int rc_input_read(rc_cli *cli, const rc_input *input, const rc_report **ret_report);

#endif
