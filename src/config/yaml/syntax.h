/* Converts syntax errors of libyaml to faults with clearer messages, and formats the paths of
 * nodes. */
#ifndef RC_CONFIG_YAML_SYNTAX_H
#define RC_CONFIG_YAML_SYNTAX_H

#include <yaml.h>

#include "config/yaml/yaml.h"

/* Adds a fault for the error at which the parser stopped, and returns RC_E_SYNTAX. If the parser
 * stopped because memory ran out, adds no fault and returns RC_E_NOMEM. parser, text: borrows
 * during the call. */
rc_status rc_yaml_syntax_fault(const yaml_parser_t *parser, rc_str text, rc_config_faults *faults);

/* Sets fault->path to the node's path, without the names below a key that names a secret. */
void rc_yaml_path(const rc_yaml_node *node, const rc_config_faults *faults, rc_config_fault *fault);

/* Returns whether the node is the value of a key that names a secret, or is below such a key.
 * Returns false if `node` is NULL or faults->is_open. */
bool rc_yaml_is_private(const rc_yaml_node *node, const rc_config_faults *faults);

#endif
