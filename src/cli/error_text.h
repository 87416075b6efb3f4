/* Error messages that several commands share. */
#ifndef RC_CLI_ERROR_TEXT_H
#define RC_CLI_ERROR_TEXT_H

#include <recourse/builder.h>

#include "cli/cli.h"
#include "config/fault.h"

/* Appends "recourse COMMAND: cannot read FILE: REASON" to err. file: borrows during the call.
 * error: an errno value or a code of sys/file.h. */
void rc_cli_cannot_read(rc_cli *cli, const char *command, rc_str file, int error);

/* Appends "FILE:3:5: clients.cuont: unknown key; did you mean count?" to err. file, fault: borrows
 * during the call. */
void rc_cli_push_fault(rc_cli *cli, rc_str file, const rc_config_fault *fault);

/* Sets a fresh id on a report that the command itself makes, or no id if the system has no
 * entropy. */
void rc_cli_set_identity(const rc_cli *cli, rc_builder *builder);

#endif
