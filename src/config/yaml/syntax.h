/* Syntax errors of libyaml as faults with helpful messages, and the paths of nodes. */
#ifndef RC_CONFIG_YAML_SYNTAX_H
#define RC_CONFIG_YAML_SYNTAX_H

#include <yaml.h>

#include "config/yaml/yaml.h"

/* Adds a fault for the error at which the parser stopped. Returns RC_E_SYNTAX, or RC_E_NOMEM
 * without a fault. parser, text: borrow. */
rc_status rc_yaml_syntax_fault(const yaml_parser_t *parser, rc_str text, rc_config_faults *faults);

/* Sets fault->path to the node's path. Names below a private key are left out. */
void rc_yaml_path(const rc_yaml_node *node, const rc_config_faults *faults, rc_config_fault *fault);

/* Whether the node is or is below a key that names a secret; false if node is NULL or faults is
 * open. */
bool rc_yaml_is_private(const rc_yaml_node *node, const rc_config_faults *faults);

#endif
