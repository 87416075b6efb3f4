/* The configuration as text. No secret is in it. */
#ifndef RC_CONFIG_SHOW_H
#define RC_CONFIG_SHOW_H

#include <recourse/buf.h>

#include "config/config.h"

/* Appends it as YAML with every default written out; read again it gives the same. */
void rc_config_push_yaml(rc_buf *buf, const rc_config *config);

/* Appends provider/model. */
void rc_config_push_target(rc_buf *buf, const rc_config *config, const rc_config_target *target);

#endif
