/* What libyaml has to say of text that is no YAML, in words that help. */
#ifndef RC_CONFIG_YAML_SYNTAX_H
#define RC_CONFIG_YAML_SYNTAX_H

#include <yaml.h>

#include "config/yaml/yaml.h"

/* Adds the fault at which the parser stopped. RC_E_SYNTAX; RC_E_NOMEM, then without a fault.
 * parser, text: borrow. */
rc_status rc_yaml_syntax_fault(const yaml_parser_t *parser, rc_str text, rc_config_faults *faults);

/* Fills in the node's path, of which no name below a private key is a part. */
void rc_yaml_path(const rc_yaml_node *node, const rc_config_faults *faults, rc_config_fault *fault);

/* Is it, or does it hang below, a key that secrets go by? NULL is not. */
bool rc_yaml_is_private(const rc_yaml_node *node, const rc_config_faults *faults);

#endif
