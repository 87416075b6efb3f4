/* rc_input: reads a report's JSON from a file or standard input. */
#ifndef RC_CLI_RENDER_INPUT_H
#define RC_CLI_RENDER_INPUT_H

#include <recourse/json.h>
#include <recourse/report.h>

#include "cli/cli.h"

typedef struct rc_input {
    const char *command; /* Name of the calling command, for messages. */
    const char *path;    /* NULL or "-": standard input. */
    rc_decode_mode mode;
    bool is_json_wanted; /* Print refusals as JSON instead of a panel. */
    unsigned width;      /* Columns of the panel. */
    bool has_colour;
} rc_input;

/* Reads the report. Returns RC_EXIT_OK and gives *ret_report; parts that a tolerant decoder dropped
 * are listed in err. Otherwise returns the exit status, with the reason in err:
 *   66  the file cannot be read
 *   65  the input is not a report: a ShapeInvalid report with the position
 *   70  out of memory
 * input: borrows during the call. */
int rc_input_read(rc_cli *cli, const rc_input *input, const rc_report **ret_report);

#endif
