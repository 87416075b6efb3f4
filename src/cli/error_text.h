/* What commands that read files say when they cannot. */
#ifndef RC_CLI_ERROR_TEXT_H
#define RC_CLI_ERROR_TEXT_H

#include <recourse/builder.h>

#include "cli/cli.h"
#include "config/fault.h"

/* "recourse COMMAND: cannot read FILE: REASON". file: borrows. error: of sys/file.h. */
void rc_cli_cannot_read(rc_cli *cli, const char *command, rc_str file, int error);

/* "world.yaml:3:5: clients.cuont: unknown key; did you mean count?" file, fault: borrow. */
void rc_cli_push_fault(rc_cli *cli, rc_str file, const rc_config_fault *fault);

/* Gives a refusal that is a report its id; none when the system has no entropy. */
void rc_cli_set_identity(const rc_cli *cli, rc_builder *builder);

#endif
