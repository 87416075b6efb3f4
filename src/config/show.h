/* Writes the configuration as YAML text, without secrets. */
#ifndef RC_CONFIG_SHOW_H
#define RC_CONFIG_SHOW_H

#include <recourse/buf.h>

#include "config/config.h"

/* Appends the configuration as YAML, including all default values. Parsing the text gives the same
 * configuration. */
void rc_config_push_yaml(rc_buf *buf, const rc_config *config);

/* Appends the target as "provider/model". */
void rc_config_push_target(rc_buf *buf, const rc_config *config, const rc_config_target *target);

#endif
