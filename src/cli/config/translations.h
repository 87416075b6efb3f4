/* The translations of a configuration's routes: which client APIs are translated into which target
 * APIs, and what those targets never get. Called by summary.c. */
#ifndef RC_CLI_CONFIG_TRANSLATIONS_H
#define RC_CLI_CONFIG_TRANSLATIONS_H

#include <recourse/buf.h>

#include "cli/cli.h"
#include "config/config.h"
#include "json/writer.h"

/* Appends the section "translations" for a person; nothing if no route translates. */
void rc_config_translations_push(rc_buf *buf, const rc_cli *cli, const rc_config *config);
/* Writes the translations as an array. */
void rc_config_translations_json(rc_json_writer *w, const rc_config *config);

#endif
